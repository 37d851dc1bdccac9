//! `acceptance` (spec 4.6): two agents of two programs, each started by itself, that touch only a
//! store. What they did is proved from the journal; the proof can fail.

mod entry;
mod leaks;
mod points;
mod quiet;
pub mod script;
mod stage;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::contract::acceptance::{ACCEPTANCE, Accepted, Participant};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::text::neutral;
use crate::ops::acceptance;
use crate::ops::context::Context;

use super::group;
use super::model::Model;
use super::seat::{Finder, Found, Program};

pub use stage::{Part, Stage};

use points::Left;
use stage::Running;

/// How long a whole acceptance may take.
const LIMIT: Duration = Duration::from_mins(5);
/// How long one of the two may go on once the other one has ended.
const ALONE: Duration = Duration::from_secs(45);
/// Pause between two looks whether B polls.
const LOOK: Duration = Duration::from_millis(50);

/// How much of an output is told: bytes that are looked at, lines, and characters of each.
const SAID_BYTES: u64 = 16 << 10;
const SAID_LINES: usize = 3;
const SAID_CHARS: usize = 200;

/// What an acceptance is made with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Program of A.
    pub a: Program,
    /// Program of B.
    pub b: Program,
    /// Where programs are.
    pub finder: Finder,
    /// This product's program.
    pub program: PathBuf,
    /// Leaves the folder where it is.
    pub keep: bool,
    /// How long it may take.
    pub limit: Duration,
}

impl Options {
    /// pi and Codex.
    #[must_use]
    pub fn new(program: PathBuf, finder: Finder) -> Self {
        Self {
            a: Program::Pi,
            b: Program::Codex,
            finder,
            program,
            keep: false,
            limit: LIMIT,
        }
    }
}

/// An acceptance that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What it came to.
    pub accepted: Accepted,
    /// The programs that are not installed; plain processes stood in then.
    pub missing: Vec<&'static str>,
    /// How long it took.
    pub took: Duration,
    /// The folder, where it was kept.
    pub kept: Option<PathBuf>,
}

/// Plays an acceptance. `twist` may change what was set up, which is how its tests make it fail.
///
/// # Errors
/// It cannot be set up, or its store fails.
pub fn play(
    base: &Context,
    options: &Options,
    twist: impl FnOnce(&mut Stage),
) -> Result<Played, Refusal> {
    may_play(options)?;
    let (cast, missing) = cast(options);
    let mut stage = Stage::set(base, &options.program, &options.finder, cast)?;
    twist(&mut stage);
    stage.begin()?;
    let begun = Instant::now();
    let ended = run(&stage, options.limit)?;
    let accepted = judge(&stage, ended)?;
    Ok(Played {
        accepted,
        missing,
        took: begun.elapsed(),
        kept: options.keep.then(|| stage.keep()),
    })
}

/// Two programs, of which the second one can be told something by its standard input.
fn may_play(options: &Options) -> Result<(), Refusal> {
    let (a, b) = (options.a.name(), options.b.name());
    let cause = if options.a == options.b && options.a != Program::Plain {
        format!("A and B are both {a}; they must be two programs")
    } else if options.b == Program::Hermes {
        format!("{b} reads no standard input when it runs by itself, so it can be A only")
    } else {
        return Ok(());
    };
    Err(Refusal::new(
        Code::Usage,
        cause,
        "watchfloor acceptance --help",
    ))
}

/// The two programs; two plain processes where one of them is missing.
fn cast(options: &Options) -> ([Option<Found>; 2], Vec<&'static str>) {
    let wanted = [options.a, options.b];
    let found = wanted.map(|program| options.finder.find(program));
    let lacks = |(program, found): (&Program, &Option<Found>)| {
        (*program != Program::Plain && found.is_none()).then(|| program.name())
    };
    let missing: Vec<&str> = wanted.iter().zip(&found).filter_map(lacks).collect();
    let plain = !missing.is_empty() || wanted.contains(&Program::Plain);
    (if plain { [None, None] } else { found }, missing)
}

/// Runs both to their end. Answers what did not go by itself.
fn run(stage: &Stage, limit: Duration) -> Result<Vec<String>, Refusal> {
    let end = Instant::now() + limit;
    let (tell, ended) = mpsc::channel();
    let mut guard = Guard(Vec::new());
    let b = guard.take("B", stage.start(&stage.b, limit)?, &tell);
    let mut off = Vec::new();
    let mut left = 2;
    // B polls before there is anything: nobody can have told it of an entry.
    while b.turns().is_empty() && left == 2 && Instant::now() < end {
        if let Ok((name, status)) = ended.recv_timeout(LOOK) {
            off.extend(told(stage, name, status));
            left -= 1;
        }
    }
    let _a = guard.take("A", stage.start(&stage.a, limit)?, &tell);
    let mut until = end;
    while left > 0 {
        if left == 1 {
            until = end.min(Instant::now() + ALONE);
        }
        let patience = until.saturating_duration_since(Instant::now());
        let Ok((name, status)) = ended.recv_timeout(patience) else {
            let who = if left == 2 {
                "neither of the two"
            } else {
                "one of the two"
            };
            off.push(format!("{who} ended by itself in time"));
            break;
        };
        off.extend(told(stage, name, status));
        left -= 1;
    }
    Ok(off)
}

/// How a process ended.
type Ended = (&'static str, io::Result<ExitStatus>);

/// How one of the two ended where it did not end well, and what it said first.
fn told(stage: &Stage, name: &str, status: io::Result<ExitStatus>) -> Option<String> {
    let part = if name == "A" { &stage.a } else { &stage.b };
    let who = format!("{name} ({})", part.program().name());
    match status {
        Ok(status) if status.success() => None,
        Ok(status) => {
            let code = group::code(status);
            Some(match said(&part.log()) {
                words if words.is_empty() => format!("{who} ended with {code} and said nothing"),
                words => format!("{who} ended with {code} and said: {words}"),
            })
        }
        Err(error) => Some(format!("{who} was lost: {error}")),
    }
}

/// The first lines of an output, on one line and without secrets.
fn said(log: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(log) {
        drop(file.take(SAID_BYTES).read_to_end(&mut bytes));
    }
    let (text, _) = secret::redact(&String::from_utf8_lossy(&bytes));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first: Vec<String> = lines
        .take(SAID_LINES)
        .map(|line| neutral(line).chars().take(SAID_CHARS).collect())
        .collect();
    first.join(" / ")
}

/// The groups that are running; whoever is left of them ends with it.
struct Guard(Vec<group::Group>);

impl Guard {
    /// Waits for a process on a thread of its own. Its model serves as long as it is held.
    fn take(&mut self, name: &'static str, running: Running, tell: &Sender<Ended>) -> Model {
        let Running {
            group,
            mut child,
            model,
        } = running;
        self.0.push(group);
        let tell = tell.clone();
        thread::spawn(move || drop(tell.send((name, child.wait()))));
        model
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for group in &self.0 {
            group.tell(rustix::process::Signal::KILL);
        }
    }
}

/// Proves the seven points from what was left behind.
fn judge(stage: &Stage, ended: Vec<String>) -> Result<Accepted, Refusal> {
    let (records, attention) = acceptance::left(&stage.context)?;
    let second = stage.a.work.join(script::SECOND);
    let left = Left {
        records,
        attention,
        fact: stage.fact.clone(),
        strays: strays(stage, &second),
        second: std::fs::read(&second).ok(),
        ended,
        names: [stage.a.name, stage.b.name],
    };
    let (points, [a, b]) = points::points(&left);
    let plain = [&stage.a, &stage.b].iter().any(|part| part.found.is_none());
    let participant = |part: &Part, agent: String| Participant {
        harness: part.program().name().to_owned(),
        version: part
            .found
            .as_ref()
            .map(|found| found.version.clone())
            .unwrap_or_default(),
        agent,
    };
    Ok(Accepted {
        schema: ACCEPTANCE.to_owned(),
        passed: points.iter().all(|point| point.holds),
        plain,
        host: stage.context.host.clone(),
        a: participant(&stage.a, a),
        b: participant(&stage.b, b),
        points,
    })
}

/// Files within A's reach that hold the fact. Not among them: the store, what A made of the
/// answer, and the homes, where each program writes down its own session.
fn strays(stage: &Stage, second: &Path) -> Vec<String> {
    let store = stage.context.store.parent().map(Path::to_path_buf);
    let leave = |path: &Path| {
        path == second
            || Some(path) == store.as_deref()
            || [&stage.a, &stage.b]
                .iter()
                .any(|part| path == part.home || path == part.log())
    };
    let found = leaks::search(&stage.folder(), &stage.fact, &leave);
    found
        .holding
        .iter()
        .map(|path| stage.relative(path))
        .collect()
}
