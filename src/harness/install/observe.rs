//! `install --observe`: the guard only records, for a first week. It is the project's mode in the
//! configuration, or everybody's; the last uninstall takes it back.

use std::path::PathBuf;

use crate::contract::refusal::Refusal;
use crate::ops::context::Context;

use super::edit::Edit;
use super::plan::{Plan, fault, one};
use super::toml::{self, Table};
use super::tree::Fault;
use super::{Action, Agent, Level, Site, Standing, Target, file, state};

/// Where the mode stands, and what it says.
fn target(context: &Context, level: Level) -> Target {
    let path = match level {
        Level::User => vec!["guard".to_owned()],
        Level::Project => vec!["project".to_owned(), context.project.to_string()],
    };
    let mut name = path.clone();
    name.push("mode".to_owned());
    let wanted = Table {
        path,
        keys: vec![("mode".to_owned(), toml::text("observe"))],
    };
    Target {
        path: config(context),
        edit: Edit::Toml {
            wanted: vec![wanted],
            ours: vec![name],
        },
        private: true,
    }
}

fn config(context: &Context) -> PathBuf {
    context.cwd.join(&context.config).join("config.toml")
}

/// Plans to have the guard only record.
///
/// # Errors
/// The configuration cannot be read, or says another mode already.
pub fn set(context: &Context, level: Level, site: &Site, plan: &mut Plan) -> Result<(), Refusal> {
    let target = target(context, level);
    let read = file::read(&target.path)?;
    let (text, _) = read.text()?;
    let seen = target.edit.look(text);
    let seen = seen.map_err(|found| fault(&target.path, &found))?;
    if seen.standing == Standing::Stale {
        let said = Fault::new(0, "it says a mode of the guard already");
        return Err(fault(&target.path, &said));
    }
    one(&target, site, Action::Install, plan)
}

/// Plans to take that back, where it was set so and nothing else is installed on the level.
///
/// # Errors
/// The configuration cannot be read or written.
pub fn unset(
    context: &Context,
    (level, agent): (Level, Agent),
    site: &Site,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let target = target(context, level);
    let others = Agent::ALL.into_iter().filter(|other| *other != agent);
    let mut others = others.map(|other| state(other, level, site).standing);
    if site.memory.of(&target.path).is_none() || others.any(|other| other != Standing::Absent) {
        return Ok(());
    }
    one(&target, site, Action::Uninstall, plan)
}
