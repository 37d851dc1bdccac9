//! What `/proc` tells about a process: whether it is there, and since when.

use std::fs;
use std::io::Read as _;

use super::domain::Agent;

/// Bytes of an environment that are read.
const ENVIRONMENT: u64 = 1 << 20;

/// A process and when it started, in clock ticks since boot: an id is used again, a start is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it started.
    pub started: u64,
}

/// Reads one process, and its parent's id. One that has ended and that nobody has waited for yet is
/// none any more.
#[must_use]
pub fn read(pid: u32) -> Option<(Process, u32)> {
    let text = small(&format!("/proc/{pid}/stat"))?;
    // The name stands in brackets and may hold anything; the fields come after the last one.
    let fields: Vec<&str> = text
        .get(text.rfind(')')? + 1..)?
        .split_whitespace()
        .collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let parent = fields.get(1)?.parse().ok()?;
    let started = fields.get(19)?.parse().ok()?;
    Some((Process { pid, started }, parent))
}

/// Whether a process is a shell, by its name.
#[must_use]
pub fn is_shell(pid: u32) -> bool {
    const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "ash"];
    let name = small(&format!("/proc/{pid}/comm")).unwrap_or_default();
    SHELLS.contains(&name.trim())
}

/// The terminal that a process runs in, e.g. `/dev/pts/3`.
#[must_use]
pub fn terminal(pid: u32) -> Option<String> {
    (0..3).find_map(|stream| {
        let path = fs::read_link(format!("/proc/{pid}/fd/{stream}")).ok()?;
        let name = path.to_str()?;
        let is_terminal = name.starts_with("/dev/pts/") || name.starts_with("/dev/tty");
        is_terminal.then(|| name.to_owned())
    })
}

/// The process of an agent, where it is still the one that was told of.
#[must_use]
pub fn alive(agent: &Agent) -> Option<u32> {
    let pid = agent.row.pid?;
    let (found, _) = read(pid)?;
    let told = agent.process.as_ref().filter(|told| told.pid == pid);
    let same = told.is_none_or(|told| told.started == found.started);
    same.then_some(pid)
}

/// The environment that a process was started with: `NAME=value`, each ended by a zero byte. It
/// may hold secrets: no part of it is kept or shown that was not asked for by its name.
#[must_use]
pub fn environment(pid: u32) -> Option<Vec<u8>> {
    let file = fs::File::open(format!("/proc/{pid}/environ")).ok()?;
    let mut bytes = Vec::new();
    file.take(ENVIRONMENT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// This host's name.
#[must_use]
pub fn host() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().trim().to_owned()
}

/// Whether a process is still there, as far as this host can tell: of another host's, or one that
/// nobody told (0), it cannot.
#[must_use]
pub fn may_live(here: &str, host: &str, pid: u32, started: u64) -> bool {
    let unknown = pid == 0 || here.is_empty() || here != host;
    unknown || read(pid).is_some_and(|(found, _)| found.started == started)
}

/// A file of `/proc`, which makes its text anew for each read; these fit in one.
fn small(path: &str) -> Option<String> {
    let mut bytes = [0; 4096];
    let read = fs::File::open(path).ok()?.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..read]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_lives_while_its_id_has_its_start() {
        let pid = std::process::id();
        let (this, _) = read(pid).unwrap();
        assert!(may_live("h", "h", pid, this.started));
        assert!(!may_live("h", "h", pid, this.started + 1));
        assert!(!may_live("h", "h", u32::MAX, 1));
        assert!(may_live("h", "elsewhere", u32::MAX, 1));
        assert!(may_live("", "", u32::MAX, 1));
        assert!(may_live("h", "h", 0, 0));
    }

    #[test]
    fn a_process_that_nobody_has_waited_for_yet_lives_no_more() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let (found, parent) = read(pid).unwrap();
        assert_eq!(parent, std::process::id());
        drop(child.stdin.take());
        let begun = std::time::Instant::now();
        while may_live("h", "h", pid, found.started) {
            assert!(begun.elapsed().as_secs() < 20, "it ends with its input");
            std::thread::yield_now();
        }
        // Its id is still taken.
        assert!(std::path::Path::new(&format!("/proc/{pid}")).exists());
        assert_eq!(read(pid), None);
        child.wait().unwrap();
    }
}
