//! The scripted fleet: a temporary store, five child processes that really call the product's
//! own verbs and hooks, and a ready identity. Nothing of the user's is touched.

mod actor;
mod answerer;
mod asker;
mod circler;
mod coder;
mod facts;
mod stuck;

use std::io::Write;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use zeroize::Zeroizing;

use crate::contract::breaker::Approver;
use crate::contract::ids::ProjectId;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::ops::store::{self, JournalUse};
use crate::ops::{detail, identity, status};

/// Who may sign in the demo.
const PRINCIPAL: &str = "operator@demo";
/// Its passphrase, shown on the screen.
const PASSPHRASE: &str = "open sesame";
/// The scripted agents.
const AGENTS: [&str; 5] = ["pi-1", "gemini-1", "codex-2", "claude-3", "pi-4"];

/// Plays one agent until its part is over.
///
/// # Errors
/// The project or the program cannot be reached: the demo is over.
pub fn play(name: &str, project: &Path) -> std::io::Result<()> {
    let stage = std::os::unix::process::parent_id();
    let actor = actor::Actor {
        name,
        project,
        stage,
    };
    match name {
        "pi-1" => asker::play(&actor),
        "gemini-1" => answerer::play(&actor),
        "codex-2" => circler::play(&actor),
        "claude-3" => stuck::play(&actor),
        _ => coder::play(&actor),
    }
}

/// A running demo. It ends, and leaves nothing, when it is dropped.
pub struct Stage {
    folder: TempDir,
    children: Vec<Child>,
    /// The surroundings of its store.
    pub context: Context,
}

impl Stage {
    /// Makes the store, the identity and the project, and starts the agents.
    ///
    /// # Errors
    /// There is no place for temporary files, or a child cannot be started.
    pub fn set(base: &Context) -> Result<Self, Refusal> {
        let folder = tempfile::Builder::new()
            .prefix("watchfloor-demo-")
            .tempdir()
            .map_err(|error| failed(&format!("no temporary folder can be made: {error}")))?;
        let project = folder.path().join("project");
        coder::scene(&project)
            .map_err(|error| failed(&format!("the demo's project cannot be written: {error}")))?;
        let context = Context {
            store: folder.path().join("store.db"),
            config: folder.path().join("config"),
            project: ProjectId::new("demo"),
            root: project.clone(),
            cwd: project,
            agent: None,
            mission: None,
            task: None,
            key: None,
            inside_agent: false,
            ..base.clone()
        };
        store::make(&context)?;
        let mut journal = store::open(&context)?;
        let mut ask = |_: &str| Ok(Zeroizing::new(PASSPHRASE.to_owned()));
        identity::init(&context, PRINCIPAL, Approver::Human, &mut ask, &mut journal)?;
        let mut stage = Self {
            folder,
            children: Vec::new(),
            context,
        };
        for name in AGENTS {
            let child = stage.start(name)?;
            stage.children.push(child);
        }
        Ok(stage)
    }

    fn start(&self, name: &str) -> Result<Child, Refusal> {
        let program = std::env::current_exe()
            .map_err(|error| failed(&format!("this program is not found: {error}")))?;
        let mut command = Command::new(program);
        command
            .args(["demo-agent", name])
            .current_dir(&self.context.root);
        command.env("WATCHFLOOR_STORE", &self.context.store);
        command.env("WATCHFLOOR_CONFIG", &self.context.config);
        command.env("WATCHFLOOR_PROJECT", self.context.project.as_str());
        for mine in [
            "WATCHFLOOR_AGENT",
            "WATCHFLOOR_TASK",
            "WATCHFLOOR_MISSION",
            "WATCHFLOOR_KEY",
            "CLAUDE_PID",
        ] {
            command.env_remove(mine);
        }
        // A group of its own, so that what it has called ends with it.
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
            .spawn()
            .map_err(|error| failed(&format!("the demo's agent cannot be started: {error}")))
    }

    /// What the console says about the demo all the time.
    #[must_use]
    pub fn notice(&self) -> String {
        format!("demo, passphrase: {PASSPHRASE}")
    }

    /// Where the demo lives while it runs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Plays without a screen until everything that the demo shows has happened, or for so many
    /// seconds, and says what did.
    ///
    /// # Errors
    /// The store fails.
    pub fn headless(&self, seconds: u64, output: &mut dyn Write) -> Result<(), Refusal> {
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut tail = store::follow(&self.context, 0)?;
        let mut journal = store::open_readonly(&self.context)?;
        let mut say = |text: &str| drop(writeln!(output, "{text}"));
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            for record in tail.next(left)? {
                let row = status::row(record.clone());
                let line = crate::contract::text::neutral(&detail::line(&row, &record.body));
                say(&format!("{:>5}  {line}", record.seq));
            }
            let facts = journal.read(|read| facts::facts(&self.context, read))?;
            if facts.iter().all(|fact| fact.seen.is_some()) {
                break;
            }
        }
        let (counts, facts) =
            journal.read(|read| Ok((status::counts(read)?, facts::facts(&self.context, read)?)))?;
        for fact in facts {
            match fact.seen {
                Some(seen) => say(&format!("  yes  {}: {seen}", fact.what)),
                None => say(&format!("  not in {seconds} s  {}", fact.what)),
            }
        }
        say(&format!(
            "{} agents, {} attempts, {} failing, {} breakers opened, {} open, {} calls refused",
            counts.agents,
            counts.attempts,
            counts.failures,
            counts.breakers,
            counts.breakers_open,
            counts.refused
        ));
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for child in &mut self.children {
            let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            drop(child.wait());
        }
    }
}

fn failed(cause: &str) -> Refusal {
    Refusal::new(Code::Internal, cause, "df -h /tmp")
}
