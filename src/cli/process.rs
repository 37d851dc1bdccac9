//! What `/proc` tells about the processes above this one.

use std::fs;
use std::io::Read as _;

/// A process and when it started, in clock ticks since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it started.
    pub started: u64,
}

/// How far up to look.
const DEPTH: usize = 12;

/// The processes above this one, the nearest first; empty where there is no `/proc`.
#[must_use]
pub fn ancestors() -> Vec<Process> {
    let mut above = Vec::new();
    let mut next = std::os::unix::process::parent_id();
    while next > 1 && above.len() < DEPTH {
        let Some((process, parent)) = read(next) else {
            break;
        };
        above.push(process);
        next = parent;
    }
    above
}

/// Reads one process, and its parent's id.
#[must_use]
pub fn read(pid: u32) -> Option<(Process, u32)> {
    let text = small(&format!("/proc/{pid}/stat"))?;
    // The name stands in brackets and may hold anything; the fields come after the last one.
    let fields: Vec<&str> = text
        .get(text.rfind(')')? + 1..)?
        .split_whitespace()
        .collect();
    let parent = fields.get(1)?.parse().ok()?;
    let started = fields.get(19)?.parse().ok()?;
    Some((Process { pid, started }, parent))
}

/// This host's name.
#[must_use]
pub fn host() -> String {
    small("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_owned())
        .unwrap_or_default()
}

/// A file of `/proc`, which makes its text anew for each read; these fit in one.
fn small(path: &str) -> Option<String> {
    let mut bytes = [0; 4096];
    let read = fs::File::open(path).ok()?.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..read]).into_owned())
}
