//! The canary: a real agent's program, in an empty home and with the entries that an install
//! writes, is made to run a command while a stop is in force. What then is not there proves the stop.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::ids::ProjectId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::rollout::{CANARY, Canary};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::ops::context::Context;
use crate::ops::store::JournalUse as _;
use crate::ops::{rollout, stop, store};

use super::program::{self, Group};
use super::{Action, Agent, Call, Level, Memory, Site, state};

/// How long the program may take over it.
const LIMIT: Duration = Duration::from_mins(3);
/// The file that must not be made.
const FILE: &str = "canary.txt";
/// What the program is told to run.
pub const COMMAND: &str = "echo it ran > canary.txt";

/// How a program is started once it is set up.
#[derive(Clone, Debug, Default)]
pub struct Staged {
    /// Its words after the program.
    pub words: Vec<OsString>,
    /// Its variables.
    pub env: Vec<(String, String)>,
}

/// Sets an agent's program up in an empty home, against a model that has it run one command.
pub trait Scene {
    /// Sets it up, without any hooks.
    ///
    /// # Errors
    /// A file cannot be written, or the model has no port.
    fn set(&mut self, agent: &str, home: &Path, work: &Path) -> io::Result<Staged>;

    /// What the model was told that the command came to.
    fn came_to(&self) -> Option<String>;
}

/// Runs the canary of one agent's program, and records what it showed.
///
/// # Errors
/// The program is not there, cannot be run, or never made the call.
pub fn prove(
    context: &Context,
    site: &Site,
    agent: Agent,
    scene: &mut dyn Scene,
) -> Result<Canary, Refusal> {
    let name = agent.name();
    let program = site.program(agent).ok_or_else(|| {
        let cause = format!("no program {name} is on the search path");
        Refusal::new(Code::NotFound, cause, "watchfloor doctor")
    })?;
    let failed = |what: &str, why: &str| {
        let cause = format!("the canary of {name} {what}: {why}");
        Refusal::new(Code::CanaryFailed, cause, "watchfloor doctor")
    };
    let version = program::version(&program, super::doctor::VERSION_LIMIT)
        .ok_or_else(|| failed("cannot begin", "its program does not say its version"))?;
    let folder = tempfile::Builder::new()
        .prefix("watchfloor-canary-")
        .tempdir()
        .map_err(|error| failed("has no place", &error.to_string()))?;
    let stage = Stage::set(context, site, folder.path())
        .map_err(|error| failed("has no place", &error.to_string()))?;
    let staged = scene
        .set(name, &stage.site.home, &stage.context.cwd)
        .map_err(|error| failed("cannot be set up", &error.to_string()))?;
    let plan = super::plan(agent, Level::User, &stage.site, Action::Install)?;
    super::apply(&plan, &stage.site)?;
    let entry = state(agent, Level::User, &stage.site).entry;
    store::make(&stage.context)?;
    stop::stop(
        &stage.context,
        &Scope::Fleet,
        "a canary: this call must not run",
        store::utc_us(),
    )?;
    let ended = stage
        .run(&program, &staged)
        .map_err(|error| failed("cannot be started", &error.to_string()))?;
    let ran = stage.context.cwd.join(FILE).exists();
    let asked = stage.refusals(name)?;
    let told = scene.came_to();
    let refused = match (ran, asked, &told) {
        (true, ..) => false,
        (false, 1.., Some(_)) => true,
        _ => return Err(failed("never made the call", &stage.said(ended))),
    };
    let seen = if refused {
        format!("{name} was refused a command under a stop, and did not run it")
    } else if asked > 0 {
        format!("{name} was refused a command under a stop, and ran it all the same")
    } else {
        format!("{name} ran a command under a stop, and did not ask")
    };
    let canary = Canary {
        schema: CANARY.to_owned(),
        harness: name.to_owned(),
        version,
        entry: entry.unwrap_or_default(),
        refused,
        seen,
    };
    if store::is_there(context) {
        rollout::canary(context, &canary)?;
    }
    Ok(canary)
}

/// Where it happens: a home, a working directory and a store of its own.
struct Stage {
    context: Context,
    site: Site,
    log: PathBuf,
}

impl Stage {
    fn set(context: &Context, site: &Site, folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        let (home, work) = (folder.join("home"), folder.join("work"));
        fs::create_dir_all(&home)?;
        fs::create_dir_all(&work)?;
        let own = home.join(".local/state/watchfloor");
        let context = Context {
            store: own.join("store.db"),
            project: ProjectId::new(work.display().to_string()),
            root: work.clone(),
            cwd: work.clone(),
            config: home.join(".config/watchfloor"),
            agent: None,
            mission: None,
            task: None,
            key: None,
            ..context.clone()
        };
        let site = Site {
            config_home: home.join(".config"),
            root: work,
            claude: None,
            codex: None,
            pi: None,
            hermes: None,
            call: Call {
                program: site.call.program.clone(),
                flags: Vec::new(),
            },
            mcp: false,
            memory: Memory::new(own.join("installed")),
            home,
            ..site.clone()
        };
        Ok(Self {
            context,
            site,
            log: folder.join("output.txt"),
        })
    }

    /// Runs the program until it ends, or its time is over. Answers whether it ended by itself.
    fn run(&self, program: &Path, staged: &Staged) -> io::Result<bool> {
        let log = File::create(&self.log)?;
        let mut command = Command::new(program);
        command
            .args(&staged.words)
            .current_dir(&self.context.cwd)
            .env_clear()
            .env("HOME", &self.site.home)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("NO_COLOR", "1")
            .env("NO_PROXY", "127.0.0.1,localhost")
            .envs(staged.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        if let Some(path) = &self.site.path {
            command.env("PATH", path);
        }
        let mut group = Group::start(&mut command)?;
        Ok(group.wait(Instant::now() + LIMIT).is_some())
    }

    /// How many calls of the agent were refused.
    fn refusals(&self, agent: &str) -> Result<usize, Refusal> {
        let begins = format!("{agent}:");
        let records = store::open_readonly(&self.context)?
            .read(|read| rollout::newest(read, CALL_REFUSED, 100))?;
        let of = records.iter().filter(|record| {
            let body = serde_json::from_str::<CallRefused>(&record.body);
            body.is_ok_and(|body| body.agent.as_str().starts_with(&begins))
        });
        Ok(of.count())
    }

    /// The last words of the program, for a person.
    fn said(&self, ended: bool) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let (text, _) = secret::redact(text.trim_end());
        let lines: Vec<&str> = text.lines().rev().take(3).collect();
        let last: Vec<&str> = lines.into_iter().rev().collect();
        let last: String = last.join(" / ").chars().take(400).collect();
        match (ended, last.is_empty()) {
            (false, _) => format!("it was not done in {} s; {last}", LIMIT.as_secs()),
            (true, true) => "it ended without a word".to_owned(),
            (true, false) => last,
        }
    }
}
