//! `install`, `uninstall` and `doctor`: the folders of the agents' programs, and a place in which
//! one of them is proved to be stopped.

use std::path::{Path, PathBuf};
use std::time::Duration;

use watchfloor::cli::{self, args};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::contract::rollout::{DoctorAnswer, InstallAnswer};
use watchfloor::contract::time::rfc3339;
use watchfloor::harness::install::canary::{COMMAND, Scene, Staged};
use watchfloor::harness::install::{
    self as rollout, Action, Agent, Call, Level, Memory, Site, verb,
};
use watchfloor::ops::context::Context;
use watchfloor::ops::store;
use watchfloor::run::model::{Model, Step};
use watchfloor::run::seat::{self, Place, Program};

/// Where agents' programs keep what they read, and what their entries call.
fn site(global: &args::Global, context: &Context, mcp: bool) -> Result<Site, Refusal> {
    let folders = cli::install::folders()?;
    let flags = cli::install::flags(global, context)?;
    let store = context.cwd.join(&context.store);
    let beside = store.parent().unwrap_or(std::path::Path::new("/"));
    Ok(Site {
        home: folders.home,
        root: context.root.clone(),
        config_home: folders.config_home,
        claude: folders.claude,
        codex: folders.codex,
        pi: folders.pi,
        hermes: folders.hermes,
        path: folders.path,
        named: folders.named,
        call: Call::new(&cli::install::program()?, flags)?,
        mcp,
        now: rfc3339(store::utc_us()),
        memory: Memory::new(beside.join("installed")),
    })
}

pub fn install(global: &args::Global, asked: &args::Install) -> Result<InstallAnswer, Refusal> {
    let context = cli::context::of(global)?;
    let site = site(global, &context, !asked.no_mcp)?;
    let order = order(&asked.harness, asked.user, Action::Install);
    let order = verb::Order {
        observe: asked.observe,
        without_acceptance: asked.without_acceptance.as_deref(),
        ..order
    };
    if asked.status {
        return verb::status(&site, &order);
    }
    let mut confirm = |diff: &str| cli::install::confirm(diff, asked.yes);
    verb::run(&context, &site, &order, &mut confirm)
}

pub fn uninstall(global: &args::Global, asked: &args::Uninstall) -> Result<InstallAnswer, Refusal> {
    let context = cli::context::of(global)?;
    let site = site(global, &context, true)?;
    let order = order(&asked.harness, asked.user, Action::Uninstall);
    let mut confirm = |diff: &str| cli::install::confirm(diff, asked.yes);
    verb::run(&context, &site, &order, &mut confirm)
}

fn order(harness: &str, user: bool, action: Action) -> verb::Order<'_> {
    verb::Order {
        harness,
        level: if user { Level::User } else { Level::Project },
        action,
        observe: false,
        without_acceptance: None,
    }
}

pub fn doctor(global: &args::Global, prove: Option<&str>) -> Result<DoctorAnswer, Refusal> {
    let context = cli::context::of(global)?;
    let site = site(global, &context, true)?;
    let mut canary = None;
    if let Some(name) = prove {
        let agent = Agent::parse(name).ok_or_else(|| {
            let cause = format!("{name} is no agent's program that is known here");
            Refusal::new(Code::Usage, cause, "watchfloor doctor --help")
        })?;
        let program = site.call.program.clone().into();
        canary = Some(rollout::canary::prove(
            &context,
            &site,
            agent,
            &mut Seat {
                program,
                model: None,
            },
        )?);
    }
    let answer = rollout::doctor::report(&context, &site)?;
    Ok(DoctorAnswer { canary, ..answer })
}

/// An agent's program that the scripted model has run the canary's command.
struct Seat {
    program: PathBuf,
    model: Option<Model>,
}

impl Scene for Seat {
    fn set(&mut self, agent: &str, home: &Path, work: &Path) -> std::io::Result<Staged> {
        let script = vec![Step::shell(COMMAND), Step::text("done")];
        let model = Model::serve(script, Duration::from_mins(4))?;
        let place = Place {
            home: home.to_path_buf(),
            work: work.to_path_buf(),
            model: model.url(),
            watchfloor: self.program.clone(),
            hooks: false,
        };
        self.model = Some(model);
        let program = Program::parse(agent).unwrap_or(Program::Plain);
        let launch = seat::set_up(program, &place, "run the command", false)?;
        let env = launch.env.into_iter();
        Ok(Staged {
            words: launch.words,
            env: env.map(|(name, value)| (name.to_owned(), value)).collect(),
        })
    }

    fn came_to(&self) -> Option<String> {
        self.model.as_ref()?.turns().into_iter().next()?.result
    }
}
