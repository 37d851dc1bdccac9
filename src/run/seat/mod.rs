//! An agent program in a scratch home against a scripted model: what it is called, how it is found
//! and set up, and how it is started headless (spec 6). One file a program.

mod claude;
mod codex;
mod find;
mod gemini;
mod hermes;
mod opencode;
mod pi;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use find::{Finder, Found};

/// The name under which each program asks for the scripted model.
const MODEL: &str = "scripted-1";

/// A program that can take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// pi.
    Pi,
    /// Codex.
    Codex,
    /// Claude Code.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// Hermes.
    Hermes,
    /// No agent program: a process of this product.
    Plain,
}

impl Program {
    /// Every agent program.
    pub const ALL: [Self; 6] = [
        Self::Pi,
        Self::Codex,
        Self::Claude,
        Self::Gemini,
        Self::Opencode,
        Self::Hermes,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Hermes => "hermes",
            Self::Plain => "plain",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter().chain([Self::Plain]);
        all.find(|program| program.name() == name)
    }
}

/// Where a program runs.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its home, with nothing of the user's in it.
    pub home: PathBuf,
    /// Its working directory.
    pub work: PathBuf,
    /// Where the scripted model listens: `http://127.0.0.1:PORT`.
    pub model: String,
    /// This product, as hooks and the plain process call it.
    pub watchfloor: PathBuf,
    /// Whether the hooks are set up too.
    pub hooks: bool,
}

/// How a program is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Its words after the program.
    pub words: Vec<OsString>,
    /// Its variables besides those that every program gets.
    pub env: Vec<(&'static str, String)>,
}

impl Launch {
    fn new<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            env: Vec::new(),
        }
    }

    fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }
}

/// Sets a program up in its place. With `fed` there is more of the prompt on its standard input.
///
/// # Errors
/// A file cannot be written.
pub fn set_up(program: Program, place: &Place, prompt: &str, fed: bool) -> io::Result<Launch> {
    match program {
        Program::Pi => pi::set_up(place, prompt),
        Program::Codex => codex::set_up(place, prompt, fed),
        Program::Claude => claude::set_up(place, prompt),
        Program::Gemini => gemini::set_up(place, prompt),
        Program::Opencode => opencode::set_up(place, prompt),
        Program::Hermes => hermes::set_up(place, prompt),
        Program::Plain => Ok(Launch::new([
            "plain-agent",
            "--model",
            &place.model,
            "--",
            prompt,
        ])),
    }
}

/// A hook's command: this product, by its path.
fn hook(place: &Place, harness: &str, event: &str) -> String {
    let program = place.watchfloor.to_string_lossy().replace('\'', "'\\''");
    format!("'{program}' hook {harness} {event}")
}

/// Writes a file below a folder, with the folders on the way.
fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

/// A text as a TOML basic string, which JSON writes the same way.
fn toml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
