//! The live loop: threads that listen, one queue, one model, frames only when something changed.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::Event as Raw;
use signal_hook::consts::{
    SIGABRT, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2,
};
use signal_hook::iterator::Signals;

use crate::contract::refusal::{Code, Refusal};

use super::backend::{Backend, Change, Changes};
use super::effect::Effect;
use super::event::{Event, Reply, Signal};
use super::keymap::KeyMap;
use super::model::{Model, Start};
use super::terminal::{PanicGuard, Screen, translate};
use super::theme::Theme;
use super::update::{start, update};
use super::vault::Vault;
use super::worker::{Job, work};

/// 60 frames a second at most.
const FRAME: Duration = Duration::from_micros(16_667);
/// How long one wait for changes lasts.
const WATCH: Duration = Duration::from_mins(1);
/// Time between two reads of a store that keeps growing.
const BETWEEN_READS: Duration = Duration::from_millis(33);
/// How long the first screen waits for its rows before it is drawn without them.
const FIRST_ROWS: Duration = Duration::from_millis(150);

/// What the caller decides: the console reads no environment.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this project; `None` shows all.
    pub project: Option<String>,
    /// Write nothing.
    pub readonly: bool,
    /// Colours and character set.
    pub theme: Theme,
    /// What the keys mean.
    pub keys: KeyMap,
    /// What is wrong with the configuration, a sentence each.
    pub problems: Vec<String>,
    /// Minutes that local time is ahead of UTC; `None` shows UTC and says so.
    pub utc_offset_min: Option<i32>,
    /// Whether the mouse selects and scrolls. Without it the terminal's own selection works.
    pub mouse: bool,
    /// Folder for the report of a failure of the console itself.
    pub reports: PathBuf,
}

/// What reaches the loop, before text for a masked field was taken out. Never kept, never shown:
/// it has no `Debug` on purpose.
enum Heard {
    Terminal(Raw),
    TerminalGone,
    Store,
    WatchLost,
    Reply(Box<Reply>),
    Signal(Signal),
    /// This signal ends it.
    Ended(i32),
    WorkerGone,
}

/// Opens the console and returns when the person leaves it, or a signal ends it. Answers the exit
/// code: 0, or 128 and the signal.
///
/// The threads that listen to the terminal and to the store end with the process.
///
/// # Errors
/// [`Code::TerminalRequired`] without a terminal at both ends, [`Code::TerminalUnusable`] when it
/// cannot be used, [`Code::Internal`] when the executor failed.
pub fn run(
    backend: Box<dyn Backend>,
    changes: Box<dyn Changes>,
    options: Options,
) -> Result<u8, Refusal> {
    if !Screen::present() {
        return Err(Refusal::new(
            Code::TerminalRequired,
            "the console needs a terminal at its input and its output",
            "watchfloor status",
        ));
    }
    let (heard, queue) = mpsc::channel();
    let (jobs, orders) = mpsc::channel();
    let _hook = PanicGuard::set(options.reports);
    let worker = employ(backend, orders, heard.clone())?;
    let size = crossterm::terminal::size().map_err(unusable)?;
    let mut console = Console {
        model: Model::new(Start {
            project: options.project,
            readonly: options.readonly,
            utc_offset_min: options.utc_offset_min,
            now_us: now_us(),
            size,
            keys: options.keys,
            problems: options.problems,
        }),
        vault: Vault::default(),
        jobs,
        theme: options.theme,
        ended_by: None,
    };
    // Rows are read while the terminal is prepared, so that the first frame has them.
    let effects = start(&mut console.model);
    console.send(effects);
    let mut early = Vec::new();
    if let Ok(first) = queue.recv_timeout(FIRST_ROWS) {
        early.push(first);
    }
    listen(changes, &heard)?;
    let mut screen = Screen::enter(options.mouse).map_err(unusable)?;
    // Only now: input before raw mode would be the shell's.
    listen_terminal(heard)?;
    let outcome = console.serve(&mut screen, early, &queue);
    drop(screen);
    let signal = console
        .ended_by
        .and_then(|number| u8::try_from(number).ok());
    // The executor finishes what it has begun: a write is never cut in two.
    drop(console);
    let _ = worker.join();
    match outcome {
        // A terminal that went away took its last frame with it: the signal is what ended it.
        Err(refusal) if signal.is_none() || refusal.code != Code::TerminalUnusable => Err(refusal),
        _ => Ok(signal.map_or(0, |number| number.saturating_add(128))),
    }
}

struct Console {
    model: Model,
    vault: Vault,
    jobs: Sender<Job>,
    theme: Theme,
    /// The signal that ends it.
    ended_by: Option<i32>,
}

/// Signals that would end the program at once, with the terminal still taken.
const ENDS: [i32; 7] = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2];

/// What the loop does after an event.
#[derive(Clone, PartialEq, Eq)]
enum Next {
    Go,
    Copy(String),
    Suspend,
    Repaint,
    Quit,
}

impl Console {
    fn serve(
        &mut self,
        screen: &mut Screen,
        early: Vec<Heard>,
        queue: &Receiver<Heard>,
    ) -> Result<(), Refusal> {
        if let Ok((width, height)) = screen.size() {
            self.apply(Event::Resize { width, height });
        }
        let mut waiting = early;
        let mut dirty = true;
        let mut drawn: Option<Instant> = None;
        loop {
            for heard in waiting
                .drain(..)
                .chain(queue.try_iter())
                .collect::<Vec<_>>()
            {
                let Some(event) = self.event(heard)? else {
                    continue;
                };
                dirty |= self.shows(&event);
                match self.apply(event) {
                    Next::Go => {}
                    Next::Quit => return Ok(()),
                    Next::Copy(text) => screen.copy(&text).map_err(|error| self.lost(error))?,
                    Next::Repaint => {
                        screen.repaint().map_err(|error| self.lost(error))?;
                        dirty = true;
                    }
                    Next::Suspend => {
                        let (width, height) = screen.suspend().map_err(|error| self.lost(error))?;
                        self.apply(Event::Tick { at_us: now_us() });
                        self.apply(Event::Resize { width, height });
                        self.apply(Event::StoreChanged);
                        dirty = true;
                    }
                }
            }
            let since = drawn.map_or(FRAME, |at| at.elapsed());
            if dirty && since >= FRAME {
                let shown = screen.draw(&self.model, self.theme);
                shown.map_err(|error| self.lost(error))?;
                drawn = Some(Instant::now());
                dirty = false;
            }
            let frame = if dirty {
                FRAME.saturating_sub(since)
            } else {
                Duration::MAX
            };
            let wake = self.until_wake();
            match queue.recv_timeout(frame.min(wake)) {
                Ok(heard) => waiting.push(heard),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) if wake <= frame => {
                    self.apply(Event::Tick { at_us: now_us() });
                    dirty = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Time until the model wants to be woken, never under 10 milliseconds.
    fn until_wake(&self) -> Duration {
        let us = self.model.wake_us() - now_us();
        Duration::from_micros(u64::try_from(us).unwrap_or(0)).max(Duration::from_millis(10))
    }

    /// Whether an event can change what is on the screen.
    fn shows(&self, event: &Event) -> bool {
        !matches!(event, Event::StoreChanged) || self.model.paused
    }

    fn event(&mut self, heard: Heard) -> Result<Option<Event>, Refusal> {
        Ok(match heard {
            Heard::Terminal(raw) => translate(raw, self.model.masked(), &mut self.vault, now_us()),
            // A terminal that hung up says so by its signal too, which may come later.
            Heard::TerminalGone => Some(self.end(SIGHUP)),
            Heard::Ended(number) => Some(self.end(number)),
            Heard::Store => Some(Event::StoreChanged),
            Heard::WatchLost => Some(Event::WatchLost),
            Heard::Reply(reply) => Some(Event::Reply(reply)),
            Heard::Signal(signal) => Some(Event::Signal(signal)),
            Heard::WorkerGone => {
                return Err(Refusal::new(
                    Code::Internal,
                    "the console's executor failed",
                    "watchfloor status",
                ));
            }
        })
    }

    fn end(&mut self, number: i32) -> Event {
        self.ended_by.get_or_insert(number);
        Event::Signal(Signal::End)
    }

    /// A terminal that could not be written to. One that hung up says so before its signal comes.
    fn lost(&mut self, error: io::Error) -> Refusal {
        if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) {
            self.end(SIGHUP);
        }
        unusable(error)
    }

    fn apply(&mut self, event: Event) -> Next {
        let effects = update(&mut self.model, event);
        self.send(effects)
    }

    fn send(&mut self, effects: Vec<Effect>) -> Next {
        let mut next = Next::Go;
        for effect in effects {
            match effect {
                Effect::Quit => next = Next::Quit,
                Effect::Suspend => next = Next::Suspend,
                Effect::Repaint => next = Next::Repaint,
                Effect::Copy(text) => next = Next::Copy(text),
                other => {
                    if let Some(job) = Job::of(other, &mut self.vault) {
                        // A worker that is gone has said so on the queue.
                        let _ = self.jobs.send(job);
                    }
                }
            }
        }
        next
    }
}

/// Starts the executor's thread.
fn employ(
    mut backend: Box<dyn Backend>,
    orders: Receiver<Job>,
    heard: Sender<Heard>,
) -> Result<thread::JoinHandle<()>, Refusal> {
    struct Farewell(Sender<Heard>);
    impl Drop for Farewell {
        fn drop(&mut self) {
            let _ = self.0.send(Heard::WorkerGone);
        }
    }
    spawn("executor", move || {
        let farewell = Farewell(heard);
        let heard = farewell.0.clone();
        work(backend.as_mut(), &orders, move |reply| {
            let _ = heard.send(Heard::Reply(Box::new(reply)));
        });
    })
}

/// Starts the threads that listen to the store and to signals.
fn listen(mut changes: Box<dyn Changes>, heard: &Sender<Heard>) -> Result<(), Refusal> {
    let store = heard.clone();
    spawn("changes", move || {
        loop {
            let news = match changes.wait(WATCH) {
                Change::Grew => Heard::Store,
                Change::Lost => Heard::WatchLost,
                Change::Quiet => continue,
            };
            let over = matches!(news, Heard::WatchLost);
            if store.send(news).is_err() || over {
                return;
            }
            // A busy fleet is read thirty times a second, not thousands of times.
            thread::sleep(BETWEEN_READS);
        }
    })?;
    let mut signals = Signals::new(ENDS.into_iter().chain([SIGTSTP, SIGCONT])).map_err(unusable)?;
    let sender = heard.clone();
    spawn("signals", move || {
        for signal in signals.forever() {
            let heard = match signal {
                SIGTSTP => Heard::Signal(Signal::Suspend),
                SIGCONT => Heard::Signal(Signal::Resumed),
                number => Heard::Ended(number),
            };
            if sender.send(heard).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

/// Starts the thread that reads the terminal.
fn listen_terminal(heard: Sender<Heard>) -> Result<(), Refusal> {
    spawn("input", move || {
        loop {
            let (news, over) = match crossterm::event::read() {
                Ok(raw) => (Heard::Terminal(raw), false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => (Heard::TerminalGone, true),
            };
            if heard.send(news).is_err() || over {
                return;
            }
        }
    })?;
    Ok(())
}

fn spawn(
    name: &str,
    body: impl FnOnce() + Send + 'static,
) -> Result<thread::JoinHandle<()>, Refusal> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(body)
        .map_err(unusable)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is used as a mapping function"
)]
fn unusable(error: io::Error) -> Refusal {
    Refusal::new(
        Code::TerminalUnusable,
        format!("the terminal cannot be used: {error}"),
        "watchfloor status",
    )
}

fn now_us() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_micros()).ok())
        .unwrap_or(0)
}
