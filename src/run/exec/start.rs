//! How a command is started: its pipes, its standard input, and who it is told that it is.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::contract::ids::{AgentId, MissionId, TaskId};
use crate::ops::context::Context;
use crate::ops::hook::exec::Exec;

use super::super::group::Group;
use super::Happened;
use super::kept::Kept;
use super::pump::Pump;

/// The variable by which whatever runs below knows that it runs inside an agent.
const MARK: &str = "WATCHFLOOR_EXEC";

/// A command that was started: its group, its process, its outputs on their way.
pub(super) type Begun = (Group, Child, Vec<Arc<Pump>>);

/// Starts a command as an agent.
pub(super) fn start(
    exec: &Exec,
    words: &[OsString],
    kept: &Arc<Mutex<Kept>>,
    tell: &Sender<Happened>,
) -> io::Result<Begun> {
    let (out, to_out) = io::pipe()?;
    // Where both go to one place, one pipe keeps their order.
    let (err, to_err) = if is_one(&io::stdout(), &io::stderr()) {
        (None, to_out.try_clone()?)
    } else {
        let (err, to_err) = io::pipe()?;
        (Some(err), to_err)
    };
    let typed = io::stdin().is_terminal();
    let (group, mut child) = Group::start(words, |command| {
        command.stdout(to_out).stderr(to_err);
        // A group in the background may not read a terminal: what is typed is handed on.
        command.stdin(if typed {
            Stdio::piped()
        } else {
            Stdio::inherit()
        });
        name(command, &exec.context);
    })?;
    if let Some(stdin) = child.stdin.take() {
        thread::spawn(move || hand_in(stdin));
    }
    let mut pumps = vec![Pump::start(out, io::stdout(), kept, tell)?];
    if let Some(err) = err {
        pumps.push(Pump::start(err, io::stderr(), kept, tell)?);
    }
    Ok((group, child, pumps))
}

/// Whether two outputs are the same file, pipe or terminal.
fn is_one(one: &impl AsFd, other: &impl AsFd) -> bool {
    match (rustix::fs::fstat(one), rustix::fs::fstat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}

/// Tells the command who it is.
fn name(command: &mut Command, context: &Context) {
    let id = context.agent.as_ref().map_or("", AgentId::as_str);
    command.env(
        "WATCHFLOOR_STORE",
        std::path::absolute(&context.store)
            .as_ref()
            .unwrap_or(&context.store),
    );
    command.env("WATCHFLOOR_PROJECT", context.project.as_str());
    command.env("WATCHFLOOR_AGENT", id);
    command.env(
        "WATCHFLOOR_TASK",
        context.task.as_ref().map_or("", TaskId::as_str),
    );
    command.env(
        "WATCHFLOOR_MISSION",
        context.mission.as_ref().map_or("", MissionId::as_str),
    );
    command.env(MARK, id);
    command.env_remove("WATCHFLOOR_KEY");
}

fn hand_in(mut to: impl Write) {
    let mut from = io::stdin();
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        if to
            .write_all(&chunk[..read])
            .and_then(|()| to.flush())
            .is_err()
        {
            return;
        }
    }
}
