//! A scripted model on loopback: real agent programs run against it without a key, without a
//! network, and do exactly what a script says (spec 6.2). It speaks the formats of the six agent
//! programs, serves one session, and ends by itself.
//!
//! A script is a list of steps, one a turn. A request that repeats an earlier turn gets the same
//! answer again; one that asks for no work, such as a title, gets a word. A step may be repeated
//! until its result says something, and may name what earlier results held.

mod http;
mod step;
mod tools;
mod wire;

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use http::{Reply, Request};
use step::{Kept, filled};
use tools::{Deed, WORD, deed, is_main, sample};
use wire::{Asked, anthropic, chat, gemini, responses};

pub use step::{Act, Step, Until, field};

/// How long the model thinks before it repeats a step.
const PAUSE: Duration = Duration::from_millis(250);
/// Connections that are served at once.
const CONNECTIONS: usize = 64;

/// One turn as it went.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What the agent was told to do, placeholders filled in.
    pub act: Act,
    /// What it came to: there once the agent asked for the next turn.
    pub result: Option<String>,
}

/// A model that is running. It ends when it is dropped, or when its time is over.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Dropping it ends the clock, and with it the server.
    clock: Option<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    over: AtomicBool,
    until: Instant,
    play: Mutex<Play>,
    open: Mutex<BTreeMap<u64, TcpStream>>,
}

/// Where the script stands.
#[derive(Debug, Default)]
struct Play {
    steps: Vec<Step>,
    next: usize,
    answers: BTreeMap<usize, Act>,
    turns: Vec<Turn>,
    kept: Vec<Kept>,
}

impl Model {
    /// Serves a script on a free port of 127.0.0.1, for so long at most.
    ///
    /// # Errors
    /// No port can be had.
    pub fn serve(script: Vec<Step>, limit: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            over: AtomicBool::new(false),
            until: Instant::now() + limit,
            play: Mutex::new(Play {
                steps: script,
                ..Play::default()
            }),
            open: Mutex::default(),
        });
        let (clock, ended) = mpsc::channel();
        let serving = Arc::clone(&shared);
        let server = thread::spawn(move || accept(&listener, &serving));
        let timed = Arc::clone(&shared);
        let watch = thread::spawn(move || {
            // Nothing is ever sent: it is the time, or the end of the sender.
            let _ = ended.recv_timeout(limit);
            timed.end();
            drop(TcpStream::connect(address));
        });
        Ok(Self {
            address,
            shared,
            clock: Some(clock),
            threads: vec![server, watch],
        })
    }

    /// Where it listens, without a path: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The turns so far.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        locked(&self.shared.play).turns.clone()
    }

    /// Whether every step was done, the last one at least asked for.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let play = locked(&self.shared.play);
        play.next >= play.steps.len()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.clock.take());
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

impl Shared {
    fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        for stream in locked(&self.open).values() {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

/// A thread that panicked while it held this left nothing half done that matters here.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for (number, stream) in (0..).zip(listener.incoming()) {
        if shared.is_over() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let mut open = locked(&shared.open);
        let Ok(kept) = stream.try_clone() else {
            continue;
        };
        if open.len() >= CONNECTIONS {
            continue;
        }
        open.insert(number, kept);
        drop(open);
        if shared.is_over() {
            // The end may have come between the look and the list.
            return shared.end();
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A connection that breaks is the agent program's matter.
            drop(converse(stream, &shared));
            locked(&shared.open).remove(&number);
        });
    }
}

fn converse(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let left = shared.until.saturating_duration_since(Instant::now());
    stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
    stream.set_nodelay(true)?;
    let mut output = stream.try_clone()?;
    let mut input = BufReader::new(stream);
    while let Some(request) = http::read(&mut input)? {
        let reply = answer(&request, shared);
        http::write(&mut output, &reply, request.method == "HEAD")?;
        if request.last || shared.is_over() {
            break;
        }
    }
    output.shutdown(Shutdown::Both)
}

fn answer(request: &Request, shared: &Shared) -> Reply {
    let path = request.path.as_str();
    if request.method != "POST" {
        return match path.rsplit('/').next() {
            Some("models") => Reply::json(
                200,
                &json!({"object": "list", "data": [{"id": "scripted-1", "object": "model", "created": 0}]}),
            ),
            _ if request.method == "HEAD" => Reply::json(200, &json!({})),
            _ => unknown(),
        };
    }
    if request.packed {
        return failed(415, "a packed body is not read here");
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return failed(400, "the body is no JSON");
    };
    let play = |asked: &Asked| act(asked, shared);
    if path.ends_with("/count_tokens") {
        Reply::json(200, &json!({"input_tokens": 1}))
    } else if path.ends_with(":countTokens") {
        Reply::json(200, &json!({"totalTokens": 1}))
    } else if path.ends_with("/messages") {
        let asked = anthropic::read(&body);
        anthropic::write(&asked, &play(&asked))
    } else if path.ends_with("/chat/completions") {
        let asked = chat::read(&body);
        chat::write(&asked, &play(&asked))
    } else if path.ends_with("/responses") {
        let asked = responses::read(&body);
        responses::write(&asked, &play(&asked))
    } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
        let asked = gemini::read(path, &body);
        gemini::write(&asked, &play(&asked))
    } else {
        unknown()
    }
}

fn unknown() -> Reply {
    failed(404, "nothing is here")
}

fn failed(status: u16, why: &str) -> Reply {
    let error = json!({"type": "invalid_request_error", "message": why});
    Reply::json(status, &json!({"type": "error", "error": error}))
}

/// What the model does about a request.
fn act(asked: &Asked, shared: &Shared) -> Deed {
    if let Some(form) = &asked.form {
        return Deed::Text(sample(form).to_string());
    }
    if !is_main(&asked.tools) {
        return Deed::Text(WORD.to_owned());
    }
    let act = locked(&shared.play).turn(asked);
    let (act, again) = act;
    if again {
        let left = shared.until.saturating_duration_since(Instant::now());
        thread::sleep(PAUSE.min(left));
    }
    deed(&act, &asked.tools)
}

impl Play {
    /// The act of a turn, and whether it is one that is done again. Its placeholders are filled
    /// anew each time: some agent programs take a call that never changes for a loop.
    fn turn(&mut self, asked: &Asked) -> (Act, bool) {
        if let Some(act) = self.answers.get(&asked.turn) {
            return (act.clone(), false);
        }
        let result = asked.result.clone().unwrap_or_default();
        let before = self
            .next
            .checked_sub(1)
            .and_then(|at| self.steps.get(at))
            .cloned();
        if let Some(turn) = self.turns.last_mut() {
            turn.result = Some(result.clone());
        }
        let waits = before.as_ref().and_then(|step| step.until.as_ref());
        let again = waits.is_some_and(|until| !until.holds(&result));
        let fresh = ["turn", "user", "told", "last"];
        self.kept
            .retain(|(name, _)| !fresh.contains(&name.as_str()));
        if let Some(name) = before
            .as_ref()
            .and_then(|step| step.keep.as_ref())
            .filter(|_| !again)
        {
            self.kept.push((name.clone(), result.clone()));
        }
        let user = asked.told.last().cloned().unwrap_or_default();
        self.kept.push(("turn".to_owned(), asked.turn.to_string()));
        self.kept.push(("user".to_owned(), user));
        self.kept.push(("told".to_owned(), asked.told.join("\n")));
        self.kept.push(("last".to_owned(), result));
        let step = match before {
            Some(step) if again => step,
            _ => {
                let step = self.steps.get(self.next).cloned();
                self.next += 1;
                step.unwrap_or_else(|| Step::text("Nothing is left to do."))
            }
        };
        let act = filled(&step.act, &self.kept);
        self.answers.insert(asked.turn, act.clone());
        self.turns.push(Turn {
            act: act.clone(),
            result: None,
        });
        (act, again)
    }
}

#[cfg(test)]
mod tests;
