//! `exec`: any command as an agent (spec 6.5). Its own process group, its output handed on as it
//! comes, ended when a breaker opens in its scope, and its exit an entry of the ledger.

mod kept;
mod pump;
mod start;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use crate::contract::refusal::{Code, Refusal};
use crate::contract::text::neutral;
use crate::ops::context::{Ancestor, Context};
use crate::ops::hook::exec::{End, Exec, Will};
use crate::ops::process;

use super::group::{self, Group};

use kept::Kept;
use pump::Pump;
use start::start;
use watch::Watch;

/// Exit code of a command that cannot be found, as shells have it.
const NOT_FOUND: u8 = 127;
/// Exit code of a command that cannot be run.
const NOT_RUN: u8 = 126;
/// How often the flags are looked at even if nothing told of a change: the net below the watch.
const NET: Duration = Duration::from_secs(5);
/// The same where the system grants no watch.
const NET_ALONE: Duration = Duration::from_secs(1);
/// How long an output may be silent, once its command has ended, before it is left to whoever
/// still holds it.
const SILENCE: Duration = Duration::from_millis(250);
/// Signals that are handed on.
const SIGNALS: [i32; 6] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];
/// What a watcher of a command hears.
#[derive(Debug)]
enum Happened {
    /// It ended.
    Exited(io::Result<ExitStatus>),
    /// One of its outputs came to its end.
    Drained,
    /// This process got a signal.
    Signal(i32),
    /// The flags or the store changed.
    Look,
    /// A secret was in its output.
    Leaked(String),
}

/// Runs a command as an agent. Answers the exit code: the command's own, 128 and the signal where
/// one ended it.
///
/// # Errors
/// It may not run, or the store cannot say whether it may.
pub fn run(context: &Context, words: &[OsString], quiet: bool) -> Result<u8, Refusal> {
    let own = process::read(std::process::id()).map(|(process, _)| ancestor(process));
    let exec = Exec::begin(context, &line(words), own, caller())?;
    let (tell, happened) = mpsc::channel();
    signals(&tell);
    let kept = Arc::new(Mutex::new(Kept::default()));
    let begun = start(&exec, words, &kept, &tell);
    let (group, child, pumps) = match begun {
        Ok(begun) => begun,
        Err(error) => return Ok(unstarted(&exec, words, &error)),
    };
    let mut run = Run {
        exec: &exec,
        group,
        pumps,
        happened,
        ended_by: None,
        killed: false,
        told: false,
        quiet,
    };
    if let Some((process, _)) = process::read(child.id()) {
        run.warn(exec.started(ancestor(process)));
    }
    Ok(run.watch(child, &tell, &kept))
}

/// A command that runs.
struct Run<'a> {
    exec: &'a Exec,
    group: Group,
    pumps: Vec<Arc<Pump>>,
    happened: Receiver<Happened>,
    /// What stopped it, and when it was told to end.
    ended_by: Option<(Refusal, Instant)>,
    /// It did not end by itself, and was killed.
    killed: bool,
    /// A signal was handed on: it ends by somebody's will.
    told: bool,
    quiet: bool,
}

impl Run<'_> {
    fn watch(&mut self, child: Child, tell: &Sender<Happened>, kept: &Mutex<Kept>) -> u8 {
        let watch = Watch::begin(&self.exec.context, tell);
        let net = if watch.is_some() { NET } else { NET_ALONE };
        wait_for(child, tell.clone());
        // What opened between the question and the watch is seen now.
        self.look();
        let status = loop {
            match self.happened.recv_timeout(self.patience(net)) {
                Ok(Happened::Exited(status)) => break status,
                Ok(Happened::Signal(number)) => self.hand_on(number),
                Ok(Happened::Look) => {
                    watch.iter().for_each(Watch::heard);
                    self.look();
                }
                Ok(Happened::Leaked(text)) => {
                    let told = self.exec.leaked(&text);
                    self.warn(told.map(drop));
                    self.look();
                }
                Ok(Happened::Drained) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.press();
                    self.look();
                }
            }
        };
        if let Some((_, since)) = &self.ended_by {
            self.group.is_gone_or_killed(*since, group::PATIENCE);
        }
        self.drain();
        self.close(status.ok(), kept)
    }

    /// How long to wait for the next thing: no longer than a group that is being ended has.
    fn patience(&self, net: Duration) -> Duration {
        match &self.ended_by {
            Some((_, since)) if !self.killed => {
                group::PATIENCE.saturating_sub(since.elapsed()).min(net)
            }
            _ => net,
        }
    }

    /// Ends the command when something in its scope stops it now.
    fn look(&mut self) {
        if self.ended_by.is_some() {
            return;
        }
        if let Some(refusal) = self.exec.stopped() {
            self.group.tell(Signal::TERM);
            // A group that was paused hears nothing before it goes on.
            self.group.tell(Signal::CONT);
            self.say(&format!("ended: {}", refusal.cause));
            self.ended_by = Some((refusal, Instant::now()));
        }
    }

    /// Ends what did not end by itself.
    fn press(&mut self) {
        let late = |(_, since): &(Refusal, Instant)| since.elapsed() >= group::PATIENCE;
        if self.ended_by.as_ref().is_some_and(late) {
            self.group.tell(Signal::KILL);
            self.killed = true;
        }
    }

    fn hand_on(&mut self, number: i32) {
        if let Some(signal) = Signal::from_named_raw(number) {
            self.told |= !matches!(number, SIGUSR1 | SIGUSR2);
            self.group.tell(signal);
        }
    }

    /// Waits until the outputs have ended, or are silent: whoever was left behind by the command
    /// may hold them open for ever.
    fn drain(&mut self) {
        let mut seen: Vec<Option<u64>> = Vec::new();
        while !self.pumps.iter().all(|pump| pump.has_ended()) {
            match self.happened.recv_timeout(SILENCE) {
                Ok(Happened::Leaked(text)) => {
                    let told = self.exec.leaked(&text);
                    self.warn(told.map(drop));
                }
                Ok(Happened::Signal(number)) => self.hand_on(number),
                Ok(_) => {}
                Err(_) => {
                    let now: Vec<Option<u64>> = self
                        .pumps
                        .iter()
                        .map(|pump| {
                            if pump.has_ended() {
                                Some(0)
                            } else {
                                pump.at_rest()
                            }
                        })
                        .collect();
                    if now.iter().all(Option::is_some) && now == seen {
                        return;
                    }
                    seen = now;
                }
            }
        }
    }

    /// Records the end, and answers with what this process ends.
    fn close(&self, status: Option<ExitStatus>, kept: &Mutex<Kept>) -> u8 {
        let code = status.map_or(i32::from(NOT_RUN), group::code);
        if let Some((refusal, _)) = &self.ended_by {
            self.warn(self.exec.ended_by(refusal));
        }
        let end = End {
            code,
            text: kept.lock().unwrap_or_else(PoisonError::into_inner).text(),
            by: match status {
                _ if self.ended_by.is_some() => Will::Told,
                Some(status) if group::ended_from_outside(status) => Will::Signal,
                _ if self.told => Will::Told,
                _ => Will::Own,
            },
        };
        match self.exec.end(&end) {
            Ok(Some(words)) => self.say(words.trim_start_matches("Watchfloor: ")),
            Ok(None) => {}
            Err(refusal) => self.warn(Err(refusal)),
        }
        let code = u8::try_from(code).unwrap_or(u8::MAX);
        if self.ended_by.is_some() && code == 0 {
            // What was stopped did not succeed, whatever it says.
            return 143;
        }
        code
    }

    /// What could not be recorded is told; the command goes on.
    fn warn(&self, done: Result<(), Refusal>) {
        if let Err(refusal) = done {
            self.say(&format!("could not record this: {refusal}"));
        }
    }

    fn say(&self, words: &str) {
        if !self.quiet {
            drop(writeln!(io::stderr(), "watchfloor: {}", neutral(words)));
        }
    }
}

fn signals(tell: &Sender<Happened>) {
    let Ok(mut signals) = Signals::new(SIGNALS) else {
        return;
    };
    let tell = tell.clone();
    thread::spawn(move || {
        for number in &mut signals {
            if tell.send(Happened::Signal(number)).is_err() {
                return;
            }
        }
    });
}

fn wait_for(mut child: Child, tell: Sender<Happened>) {
    thread::spawn(move || drop(tell.send(Happened::Exited(child.wait()))));
}

/// A command that could not be started has ended, too.
fn unstarted(exec: &Exec, words: &[OsString], error: &io::Error) -> u8 {
    let program = words
        .first()
        .map(|word| word.to_string_lossy().into_owned());
    let refusal = Refusal::new(
        Code::FileUnreadable,
        format!("{} cannot be started: {error}", program.unwrap_or_default()),
        "watchfloor exec --help",
    );
    drop(writeln!(
        io::stderr(),
        "watchfloor: {}",
        neutral(&refusal.cause)
    ));
    let code = if error.kind() == io::ErrorKind::NotFound {
        NOT_FOUND
    } else {
        NOT_RUN
    };
    drop(exec.end(&End {
        code: code.into(),
        text: refusal.cause,
        by: Will::Own,
    }));
    code
}

/// The command as one line of a shell.
fn line(words: &[OsString]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    let words = words.iter().map(|word| {
        let word = word.to_string_lossy();
        if !word.is_empty() && word.chars().all(plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The process that called this one, past any shell between them.
fn caller() -> Option<Ancestor> {
    let mut next = std::os::unix::process::parent_id();
    loop {
        let (process, parent) = process::read(next)?;
        if parent <= 1 || !process::is_shell(next) {
            return Some(ancestor(process));
        }
        next = parent;
    }
}

fn ancestor(process: process::Process) -> Ancestor {
    Ancestor {
        pid: process.pid,
        started: process.started,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_as_a_shell_would_read_it() {
        let words = ["sh", "-c", "echo it's", ""].map(OsString::from);
        assert_eq!(line(&words), "sh -c 'echo it'\\''s' ''");
    }
}
