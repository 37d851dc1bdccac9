//! One file a harness: its wire in, the one strict event, the verdict out (spec 6.1).
//! Every error of ours becomes an explicit refusal: a harness lets a tool run when a hook
//! merely crashes.

mod claude;
mod codex;
mod command;
mod deadline;
mod extension;
mod gemini;
mod hermes;
pub mod install;
mod opencode;
mod pi;
mod tools;
pub mod transcript;
mod wire;

use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::contract::refusal::{Code, Refusal};
use crate::contract::text::neutral;
use crate::contract::tool::{Act, HookAnswer, HookEvent};
use crate::ops::context::{Ancestor, Context};
use crate::ops::{hook, hook_cost};

/// The harnesses whose hooks are understood.
pub const HARNESSES: [&str; 6] = ["claude", "codex", "gemini", "hermes", "opencode", "pi"];

/// A payload above this many bytes is refused unread.
const LARGEST: u64 = 32 << 20;

/// The own deadline, far below the harness's.
const DEADLINE: Duration = Duration::from_secs(6);

/// A harness's dialect.
pub trait Dialect: Send + Sync {
    /// Reads a payload.
    ///
    /// # Errors
    /// The payload cannot be understood.
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal>;

    /// Writes an answer.
    fn write(&self, event: &str, answer: &HookAnswer) -> String;

    /// Whether this event asks whether a tool may run.
    fn refusable(&self, event: &str) -> bool;

    /// The events that are hooked up, in the harness's words: what `install` asks for.
    fn events(&self) -> &'static [&'static str];
}

/// A payload that was read.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The harness's name of the event.
    pub name: String,
    /// What happened.
    pub event: HookEvent,
    /// Working directory.
    pub cwd: String,
    /// Process of the session, where it tells.
    pub pid: Option<u32>,
    /// Its bytes had to be mended: what will run may not be exactly what was read.
    pub mended: bool,
}

/// The dialect of a harness.
///
/// # Errors
/// The harness is not known.
pub fn dialect(harness: &str) -> Result<&'static dyn Dialect, Refusal> {
    match harness {
        "claude" => Ok(&claude::Claude),
        "codex" => Ok(&codex::Codex),
        "gemini" => Ok(&gemini::Gemini),
        "hermes" => Ok(&hermes::Hermes),
        "opencode" => Ok(&opencode::Opencode),
        "pi" => Ok(&pi::Pi),
        other => {
            let cause = format!(
                "{other} is no harness with hooks here; known are {}",
                HARNESSES.join(", ")
            );
            Err(Refusal::new(Code::Usage, cause, "watchfloor hook --help"))
        }
    }
}

/// Runs one hook: reads the payload, asks, answers; all of it within the own deadline.
/// `context` is made once the working directory is known; `process` is looked for only where an
/// event needs it, and gets the number that the payload told. Answers what to print; when the
/// deadline passes first, `late` gets that instead, on another thread, and has to end the process.
pub fn run(
    harness: &str,
    event: Option<&str>,
    input: impl Read,
    context: impl FnOnce(&str) -> Result<Context, Refusal>,
    process: impl FnOnce(Option<u32>) -> Option<Ancestor>,
    late: impl FnOnce(String) + Send + 'static,
) -> String {
    let dialect = match dialect(harness) {
        Ok(dialect) => dialect,
        Err(refusal) => return universal(&refusal),
    };
    let asked = Asked {
        harness,
        event,
        dialect,
        known: Arc::default(),
    };
    let (known, called) = (Arc::clone(&asked.known), event.map(str::to_owned));
    let too_late = move || {
        // What is known by now decides. Looking closer would take as long again.
        late(match known.get() {
            Some((name, true)) => dialect.write(name, &HookAnswer::Allow),
            Some((name, false)) => refuse(dialect, name, &deadline_passed()),
            None => {
                let cause = format!(
                    "no answer within {} s: the payload did not come to its end, or is too large to be read in that time",
                    DEADLINE.as_secs()
                );
                refuse(
                    dialect,
                    called.as_deref().unwrap_or_default(),
                    &bad_payload(cause),
                )
            }
        });
    };
    deadline::within(DEADLINE, || asked.answer(input, context, process), too_late)
}

/// A hook that is asked.
struct Asked<'a> {
    harness: &'a str,
    event: Option<&'a str>,
    dialect: &'static dyn Dialect,
    /// The event's name, and whether its tool only reads, as soon as that was read.
    known: Arc<OnceLock<(String, bool)>>,
}

impl Asked<'_> {
    fn answer(
        &self,
        input: impl Read,
        context: impl FnOnce(&str) -> Result<Context, Refusal>,
        process: impl FnOnce(Option<u32>) -> Option<Ancestor>,
    ) -> String {
        let (dialect, event) = (self.dialect, self.event);
        let mut payload = Vec::new();
        let read = input.take(LARGEST + 1).read_to_end(&mut payload);
        let wire = match read {
            Err(error) => Err(bad_payload(format!("the payload cannot be read: {error}"))),
            Ok(_) if payload.len() as u64 > LARGEST => Err(bad_payload(format!(
                "the payload is larger than {} MiB",
                LARGEST >> 20
            ))),
            Ok(_) => dialect.read(event, &payload),
        };
        let wire = wire.and_then(|wire| {
            let reads = matches!(&wire.event, HookEvent::Before(call) if call.act == Act::Read);
            drop(self.known.set((wire.name.clone(), reads)));
            exactly(wire)
        });
        let wire = match wire {
            Ok(wire) => wire,
            // What cannot be understood may be a call that changes things.
            Err(refusal) => {
                note(self.harness, event, &refusal, &payload, context);
                return refuse(dialect, event.unwrap_or_default(), &refusal);
            }
        };
        let answer = context(&wire.cwd).map(|context| {
            let answer = hook::answer(&context, &wire.event, || process(wire.pid));
            hook_cost::note(&context, self.harness, &wire.event);
            answer
        });
        match answer {
            Ok(answer) => dialect.write(&wire.name, &harmless(answer)),
            // Whatever failed inside, a call that only reads passes (spec 3.8).
            Err(_) if hook::only_reads(&wire.event) => {
                dialect.write(&wire.name, &HookAnswer::Allow)
            }
            Err(refusal) => refuse(dialect, &wire.name, &refusal),
        }
    }
}

/// A call that may change something runs as its harness holds it, so it is judged by exactly that.
fn exactly(wire: Wire) -> Result<Wire, Refusal> {
    let before = matches!(wire.event, HookEvent::Before(_));
    if wire.mended && before && !hook::only_reads(&wire.event) {
        return Err(bad_payload(
            "the payload holds bytes that no JSON text can".to_owned(),
        ));
    }
    Ok(wire)
}

/// Takes down that a payload could not be read, as far as that can be done in time.
fn note(
    harness: &str,
    event: Option<&str>,
    refusal: &Refusal,
    payload: &[u8],
    context: impl FnOnce(&str) -> Result<Context, Refusal>,
) {
    let body = hook::unreadable(harness, event.unwrap_or_default(), &refusal.cause, payload);
    drop(context("").and_then(|context| hook::note(&context, &body)));
}

/// What a hook that failed inside prints: a refusal of what may change things. The end of a turn
/// passes: nobody may be kept in a turn for good.
#[must_use]
pub fn on_failure(harness: &str, event: Option<&str>, refusal: &Refusal) -> String {
    match (dialect(harness), event) {
        (Ok(dialect), Some(event)) => refuse(dialect, event, refusal),
        (Err(_), Some(event)) if only_told(event) => "{}".to_owned(),
        _ => universal(refusal),
    }
}

/// Whether an event may ask about a call: one that is not named, or of a harness that nobody knows,
/// may.
#[must_use]
pub fn may_refuse(harness: &str, event: Option<&str>) -> bool {
    match (dialect(harness), event) {
        (Ok(dialect), Some(event)) => dialect.refusable(event),
        (_, None) => true,
        (Err(_), Some(event)) => !only_told(event),
    }
}

/// Whether an event, whoever's it is, asks about no call.
fn only_told(event: &str) -> bool {
    let dialects = || HARNESSES.iter().filter_map(|name| dialect(name).ok());
    dialects().any(|dialect| dialect.events().contains(&event))
        && !dialects().any(|dialect| dialect.refusable(event))
}

/// Does the work within the own deadline of a hook; when it passes first, `late` gets the refusal,
/// on another thread, and has to end the process.
pub fn within<T>(work: impl FnOnce() -> T, late: impl FnOnce(&Refusal) + Send + 'static) -> T {
    deadline::within(DEADLINE, work, move || late(&deadline_passed()))
}

fn deadline_passed() -> Refusal {
    let cause = format!(
        "no answer within {} s: the machine or the store is busy, or the call is very large",
        DEADLINE.as_secs()
    );
    Refusal::new(Code::StoreBusy, cause, "watchfloor status")
}

fn refuse(dialect: &dyn Dialect, event: &str, refusal: &Refusal) -> String {
    let words = format!(
        "Watchfloor cannot vouch for this call: {refusal}. Next: {}",
        refusal.next_command
    );
    if event.is_empty() {
        return universal(refusal);
    }
    let answer = if dialect.refusable(event) {
        HookAnswer::Refuse(words)
    } else {
        HookAnswer::Tell(words)
    };
    dialect.write(event, &harmless(answer))
}

/// The one form that most harnesses read as a refusal.
#[must_use]
pub fn universal(refusal: &Refusal) -> String {
    let reason = lines(&format!("Watchfloor cannot vouch for this call: {refusal}"));
    serde_json::json!({"decision": "block", "reason": reason}).to_string()
}

/// What an agent says stands in the middle of an answer, which its program may well show in a
/// terminal: nothing there is obeyed (spec 5.2).
fn harmless(answer: HookAnswer) -> HookAnswer {
    match answer {
        HookAnswer::Allow => HookAnswer::Allow,
        HookAnswer::Refuse(words) => HookAnswer::Refuse(lines(&words)),
        HookAnswer::Tell(words) => HookAnswer::Tell(lines(&words)),
    }
}

fn lines(text: &str) -> String {
    let shown: Vec<String> = text.split('\n').map(neutral).collect();
    shown.join("\n")
}

fn bad_payload(cause: String) -> Refusal {
    Refusal::new(Code::HookPayload, cause, "watchfloor hook --help")
}

/// Writes an answer where a harness reads it.
///
/// # Errors
/// The output is closed.
pub fn print(answer: &str, output: &mut dyn Write) -> std::io::Result<()> {
    if !answer.is_empty() {
        writeln!(output, "{answer}")?;
    }
    output.flush()
}
