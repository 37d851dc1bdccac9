//! Where an acceptance takes place: a temporary store, and for each of the two a home and a
//! working directory of its own.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::contract::acceptance::{BEGAN, Began};
use crate::contract::digest::Digest;
use crate::contract::ids::ProjectId;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::ops::records::fresh_id;
use crate::ops::{acceptance, store};
use crate::run::group::Group;
use crate::run::model::{Model, Step};
use crate::run::seat::{Finder, Found, Launch, Place, Program, set_up};

use super::leaks;
use super::script;

/// The project of both.
const PROJECT: &str = "acceptance";

/// One of the two: its program, what it is told, and what its model does.
#[derive(Debug)]
pub struct Part {
    /// The program that was found; none for a plain process.
    pub found: Option<Found>,
    /// The name that it goes by where no hook names its session.
    pub name: &'static str,
    /// Its prompt.
    pub prompt: String,
    /// What comes on its standard input.
    pub input: Option<String>,
    /// What its model does.
    pub script: Vec<Step>,
    /// Its task.
    pub task: Option<&'static str>,
    /// Its home.
    pub home: PathBuf,
    /// Its working directory.
    pub work: PathBuf,
}

impl Part {
    /// Its program.
    #[must_use]
    pub fn program(&self) -> Program {
        self.found
            .as_ref()
            .map_or(Program::Plain, |found| found.program)
    }

    /// Where its output goes.
    pub(super) fn log(&self) -> PathBuf {
        self.home.with_file_name("output.txt")
    }
}

/// A stage that is set.
#[derive(Debug)]
pub struct Stage {
    folder: TempDir,
    /// This product.
    program: PathBuf,
    /// The search path of what is started.
    path: std::ffi::OsString,
    /// The surroundings of its store.
    pub context: Context,
    /// The fact that only B is given.
    pub fact: String,
    /// Who asks.
    pub a: Part,
    /// Who answers.
    pub b: Part,
}

/// One of the two while it runs.
pub(super) struct Running {
    /// Its process group.
    pub group: Group,
    /// Its process.
    pub child: Child,
    /// Its model.
    pub model: Model,
}

impl Stage {
    /// Makes the store, the folders and the task.
    ///
    /// # Errors
    /// There is no place for temporary files.
    pub fn set(
        base: &Context,
        program: &Path,
        finder: &Finder,
        cast: [Option<Found>; 2],
    ) -> Result<Self, Refusal> {
        let folder = tempfile::Builder::new()
            .prefix("watchfloor-acceptance-")
            .tempdir();
        let folder = folder.map_err(|error| failed(&error))?;
        // As processes are told of it, whatever leads there.
        let root = folder
            .path()
            .canonicalize()
            .map_err(|error| failed(&error))?;
        let [a, b] = cast;
        let part = |name, found, script| Part {
            found,
            name,
            prompt: String::new(),
            input: None,
            script,
            task: None,
            home: root.join(name).join("home"),
            work: root.join(name).join("work"),
        };
        let digest = Digest::of(fresh_id().as_str().as_bytes()).hex();
        let number = u32::from_str_radix(&digest[..6], 16).unwrap_or_default();
        let fact = format!("harbour-{number:08}");
        let stage = Self {
            program: program.to_path_buf(),
            path: finder.path.clone(),
            context: Context {
                store: root.join("store").join("store.db"),
                config: root.join("config"),
                project: ProjectId::new(PROJECT),
                root: root.join("a").join("work"),
                cwd: root.clone(),
                agent: None,
                mission: None,
                task: None,
                key: None,
                inside_agent: false,
                ancestors: Vec::new(),
                ..base.clone()
            },
            a: Part {
                prompt: script::prompt_of_a(),
                task: Some(script::TASK),
                ..part("a", a, script::script_of_a())
            },
            b: Part {
                prompt: script::prompt_of_b(),
                input: Some(script::known(&fact)),
                ..part("b", b, script::script_of_b())
            },
            fact,
            folder,
        };
        stage.write().map_err(|error| failed(&error))?;
        store::make(&stage.context)?;
        Ok(stage)
    }

    fn write(&self) -> io::Result<()> {
        for part in [&self.a, &self.b] {
            fs::create_dir_all(&part.home)?;
            fs::create_dir_all(&part.work)?;
        }
        // A login shell, as some programs start for each command, makes the search path anew.
        let bin = self.bin().display().to_string().replace('\'', "'\\''");
        let profile = format!("PATH='{bin}':\"$PATH\"\nexport PATH\n");
        for part in [&self.a, &self.b] {
            for name in [".profile", ".zprofile"] {
                fs::write(part.home.join(name), &profile)?;
            }
        }
        for (name, text) in script::files_of_a() {
            fs::write(self.a.work.join(name), text)?;
        }
        fs::create_dir_all(self.bin())?;
        fs::create_dir_all(self.context.store.parent().unwrap_or(Path::new("/")))?;
        symlink(&self.program, self.bin().join("watchfloor"))
    }

    /// The folder of everything.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.context.cwd.clone()
    }

    fn bin(&self) -> PathBuf {
        self.folder().join("bin")
    }

    /// Leaves the folder where it is.
    pub(super) fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder()
    }

    /// Notes what was given to whom; what comes after is the agents' own.
    ///
    /// # Errors
    /// The store fails.
    pub(super) fn begin(&self) -> Result<(), Refusal> {
        let search = leaks::search(&self.a.work.join(".."), &self.fact, &|_| false);
        let mut holds: Vec<String> = search
            .holding
            .iter()
            .map(|path| self.relative(path))
            .collect();
        let script = serde_json::to_string(&self.a.script).unwrap_or_default();
        let input = self.a.input.clone().unwrap_or_default();
        for (what, text) in [
            ("its prompt", &self.a.prompt),
            ("its script", &script),
            ("its standard input", &input),
        ] {
            if text.contains(&self.fact) {
                holds.push(what.to_owned());
            }
        }
        let body = Began {
            schema: BEGAN.to_owned(),
            a: self.a.program().name().to_owned(),
            b: self.b.program().name().to_owned(),
            fact: Digest::of(self.fact.as_bytes()).to_string(),
            given: "on the standard input of B".to_owned(),
            a_inputs: search.files + 3,
            a_holds: holds,
        };
        acceptance::began(&self.context, &body)
    }

    /// A path below the folder, as it is told.
    pub(super) fn relative(&self, path: &Path) -> String {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let below = real.strip_prefix(self.folder());
        below.unwrap_or(&real).display().to_string()
    }

    /// Starts one of the two, headless, with nothing of the caller's environment but the search
    /// path.
    ///
    /// # Errors
    /// It cannot be set up or started.
    pub(super) fn start(&self, part: &Part, limit: Duration) -> Result<Running, Refusal> {
        self.started(part, limit).map_err(|error| {
            let what = part.program().name();
            Refusal::new(
                Code::Internal,
                format!("{what} cannot be started: {error}"),
                "watchfloor acceptance --help",
            )
        })
    }

    fn started(&self, part: &Part, limit: Duration) -> io::Result<Running> {
        let model = Model::serve(part.script.clone(), limit)?;
        let place = Place {
            home: part.home.clone(),
            work: part.work.clone(),
            model: model.url(),
            watchfloor: self.bin().join("watchfloor"),
            hooks: true,
        };
        let launch = set_up(part.program(), &place, &part.prompt, part.input.is_some())?;
        let file = match &part.found {
            Some(found) => found.file.clone(),
            None => place.watchfloor.clone(),
        };
        let mut words = vec![file.into_os_string()];
        words.extend(launch.words.iter().cloned());
        let input = self.input(part)?;
        let log = File::create(part.log())?;
        let errors = log.try_clone()?;
        let (group, child) = Group::start(&words, |command| {
            self.environment(command, part, &launch);
            command
                .current_dir(&part.work)
                .stdin(input)
                .stdout(log)
                .stderr(errors);
        })?;
        Ok(Running {
            group,
            child,
            model,
        })
    }

    /// The standard input: a file that has no name any more, so that nobody else can read it.
    fn input(&self, part: &Part) -> io::Result<Stdio> {
        use std::io::{Seek as _, Write as _};
        let Some(text) = &part.input else {
            return Ok(Stdio::null());
        };
        let mut file = tempfile::tempfile_in(self.folder())?;
        file.write_all(text.as_bytes())?;
        file.rewind()?;
        Ok(file.into())
    }

    fn environment(&self, command: &mut Command, part: &Part, launch: &Launch) {
        let own = std::env::split_paths(&self.path);
        let path = std::env::join_paths([self.bin()].into_iter().chain(own));
        command.env_clear();
        command.env("PATH", path.unwrap_or_default());
        command.env("HOME", &part.home);
        for (name, value) in [
            ("LANG", "C.UTF-8"),
            ("TERM", "dumb"),
            ("NO_COLOR", "1"),
            ("NO_PROXY", "127.0.0.1,localhost"),
        ] {
            command.env(name, value);
        }
        command.env("WATCHFLOOR_STORE", &self.context.store);
        command.env("WATCHFLOOR_CONFIG", &self.context.config);
        command.env("WATCHFLOOR_PROJECT", PROJECT);
        command.env("WATCHFLOOR_AGENT", part.name);
        if let Some(task) = part.task {
            command.env("WATCHFLOOR_TASK", task);
        }
        for (name, value) in &launch.env {
            command.env(name, value);
        }
    }
}

fn failed(error: &io::Error) -> Refusal {
    Refusal::new(
        Code::Internal,
        format!("the acceptance cannot be set up: {error}"),
        "df -h /tmp",
    )
}
