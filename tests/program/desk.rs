//! The built program in a home of its own: an empty HOME, a project folder, nothing inherited.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a call answered.
#[derive(Debug)]
pub struct Said {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Said {
    /// Standard output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A home with a project in it.
pub struct Desk {
    home: TempDir,
}

impl Desk {
    /// An empty home, without a store.
    pub fn bare() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("project")).unwrap();
        Self { home }
    }

    /// A home with a fresh store.
    pub fn new() -> Self {
        let desk = Self::bare();
        assert_eq!(desk.run(&["init"]).code, 0);
        desk
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The project folder, where calls are made from.
    pub fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    /// The store's path.
    pub fn store(&self) -> PathBuf {
        self.home.path().join(".local/state/watchfloor/store.db")
    }

    /// The program, ready to be called.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_watchfloor"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(self.project());
        command
    }

    /// Calls the program without input.
    pub fn run(&self, args: &[&str]) -> Said {
        self.feed(args, "")
    }

    /// Calls the program with a text on its standard input.
    pub fn feed(&self, args: &[&str], input: &str) -> Said {
        self.feed_bytes(args, input.as_bytes())
    }

    /// Calls the program with bytes on its standard input.
    pub fn feed_bytes(&self, args: &[&str], input: &[u8]) -> Said {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input closes it; that is no fault of the test's.
        drop(child.stdin.take().unwrap().write_all(input));
        let output = child.wait_with_output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
