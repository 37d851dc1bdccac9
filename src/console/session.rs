//! The console without a terminal and without threads: for tests, tapes and recorded demos.

use crossterm::event::Event as Raw;

use super::backend::Backend;
use super::effect::Effect;
use super::event::Event;
use super::model::{Model, Start};
use super::terminal::translate;
use super::update::{start, update};
use super::vault::Vault;
use super::worker::{Job, execute};

/// Effects that one event may lead to; more is a loop.
const MOST_EFFECTS: usize = 1000;

/// A console that runs each effect at once.
pub struct Session<B> {
    /// The model.
    pub model: Model,
    /// The backend.
    pub backend: B,
    /// Every event so far, replies included: the tape.
    pub tape: Vec<Event>,
    /// Set by `Quit`.
    pub ended: bool,
    /// What was given to the clipboard.
    pub copied: Vec<String>,
    /// Every effect so far that changes the store.
    pub writes: usize,
    vault: Vault,
}

impl<B: Backend> Session<B> {
    /// Starts and reads the first screen.
    pub fn new(begin: Start, backend: B) -> Self {
        let mut model = Model::new(begin);
        let effects = start(&mut model);
        let mut session = Self {
            model,
            backend,
            tape: Vec::new(),
            ended: false,
            copied: Vec::new(),
            writes: 0,
            vault: Vault::default(),
        };
        session.run(effects);
        session
    }

    /// Takes what the terminal sent, the masked field's text into the vault.
    pub fn input(&mut self, raw: Raw) {
        let now = self.model.now_us();
        if let Some(event) = translate(raw, self.model.masked(), &mut self.vault, now) {
            self.feed(event);
        }
    }

    /// Takes an event and runs its effects, and theirs.
    pub fn feed(&mut self, event: Event) {
        self.tape.push(event.clone());
        let effects = update(&mut self.model, event);
        self.run(effects);
    }

    fn run(&mut self, effects: Vec<Effect>) {
        let mut queue: std::collections::VecDeque<Effect> = effects.into();
        for _ in 0..MOST_EFFECTS {
            let Some(effect) = queue.pop_front() else {
                return;
            };
            self.ended |= effect == Effect::Quit;
            self.writes += usize::from(effect.writes());
            if let Effect::Copy(text) = &effect {
                self.copied.push(text.clone());
            }
            let Some(job) = Job::of(effect, &mut self.vault) else {
                continue;
            };
            if let Some(reply) = execute(&mut self.backend, job) {
                let event = Event::Reply(Box::new(reply));
                self.tape.push(event.clone());
                queue.extend(update(&mut self.model, event));
            }
        }
    }
}
