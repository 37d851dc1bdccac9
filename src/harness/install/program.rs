//! Agents' programs: where they are, which version, and how they are asked without waiting for ever.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The first program of a name on a search path.
#[must_use]
pub fn find(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| runs(file))
}

/// Whether a file is a program.
#[must_use]
pub fn runs(file: &Path) -> bool {
    let meta = std::fs::metadata(file);
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// A child in a process group of its own, which ends with this value.
pub struct Group {
    /// The child.
    pub child: Child,
}

impl Group {
    /// Starts a command in a group of its own.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        Ok(Self { child })
    }

    /// Waits for the child until a moment; `None` where it goes on.
    pub fn wait(&mut self, until: Instant) -> Option<std::process::ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                _ => return None,
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        drop(self.child.wait());
    }
}

/// What a program says of its version, in a home that holds nothing; `None` where it fails or is
/// late.
#[must_use]
pub fn version(program: &Path, limit: Duration) -> Option<String> {
    let home = tempfile::tempdir().ok()?;
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .env("HOME", home.path())
        .current_dir(home.path());
    let mut group = Group::start(&mut command).ok()?;
    let out = group.child.stdout.take()?;
    let (send, said) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut text = String::new();
        drop(out.take(1 << 16).read_to_string(&mut text));
        send.send(text)
    });
    let until = Instant::now() + limit;
    let status = group.wait(until)?;
    let text = said.recv_timeout(Duration::from_secs(1)).ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line: String = line.chars().filter(|c| !c.is_control()).take(80).collect();
    status.success().then_some(line)
}

/// A conversation in lines with a program, until a moment.
pub struct Talk {
    group: Group,
    lines: mpsc::Receiver<String>,
    until: Instant,
}

impl Talk {
    /// Starts it.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &mut Command, limit: Duration) -> std::io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut group = Group::start(command)?;
        let (send, lines) = mpsc::channel();
        if let Some(out) = group.child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines() {
                    let Ok(line) = line else { break };
                    if send.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            group,
            lines,
            until: Instant::now() + limit,
        })
    }

    /// Says one line.
    pub fn say(&mut self, line: &str) -> Option<()> {
        let input = self.group.child.stdin.as_mut()?;
        writeln!(input, "{line}").ok()?;
        input.flush().ok()
    }

    /// The next line that it says.
    pub fn hear(&mut self) -> Option<String> {
        let left = self.until.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).ok()
    }
}
