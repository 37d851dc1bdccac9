//! Which agent programs run on this host, and where: what `/proc` tells to everyone.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::ops::process;

/// Processes that are looked at.
const PROCESSES: usize = 20_000;

/// An agent program that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Running {
    pub(super) pid: u32,
    pub(super) harness: &'static str,
    pub(super) cwd: PathBuf,
}

/// The agent programs that run; of a program and the starter above it only the starter.
pub(super) fn running() -> Vec<Running> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let ids = entries.flatten().take(PROCESSES).filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.parse::<u32>().ok()
    });
    let mut found = Vec::new();
    for pid in ids {
        let Some(harness) = words(pid).as_deref().and_then(harness) else {
            continue;
        };
        let Ok(cwd) = fs::read_link(format!("/proc/{pid}/cwd")) else {
            continue;
        };
        found.push(Running { pid, harness, cwd });
    }
    let all: BTreeSet<(u32, &str)> = found.iter().map(|r| (r.pid, r.harness)).collect();
    found.retain(|one| {
        let parent = process::read(one.pid).map(|(_, parent)| parent);
        !parent.is_some_and(|parent| all.contains(&(parent, one.harness)))
    });
    found
}

/// The words that a process was started with, the first few of them.
fn words(pid: u32) -> Option<Vec<String>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(format!("/proc/{pid}/cmdline")).ok()?;
    file.take(4096).read_to_end(&mut bytes).ok()?;
    let words = bytes.split(|byte| *byte == 0).take(4);
    Some(
        words
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect(),
    )
}

/// Whose process it is: by the program's name, or by the script that an interpreter runs.
fn harness(words: &[String]) -> Option<&'static str> {
    let name = |word: &str| {
        let path = Path::new(word.split(' ').next().unwrap_or_default());
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let program = name(words.first()?)?;
    if let Some(harness) = named(&program) {
        return Some(harness);
    }
    let runs = ["node", "bun", "python", "python3"].contains(&program.as_str())
        || program.starts_with("python3");
    let script = words[1..].iter().find(|word| !word.starts_with('-'));
    let script = script.filter(|_| runs)?;
    if let Some(harness) = name(script).as_deref().and_then(named) {
        return Some(harness);
    }
    [
        ("/pi-coding-agent/", "pi"),
        ("/gemini-cli/", "gemini"),
        ("/claude-code/", "claude"),
        ("@openai/codex/", "codex"),
        ("/opencode-ai/", "opencode"),
    ]
    .iter()
    .find(|(part, _)| script.contains(part))
    .map(|(_, harness)| *harness)
}

fn named(program: &str) -> Option<&'static str> {
    ["claude", "codex", "gemini", "pi", "opencode", "hermes"]
        .into_iter()
        .find(|name| *name == program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_words() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            harness(&words)
        };
        for (line, wanted) in [
            ("claude --resume", Some("claude")),
            ("/opt/x/claude.exe -p hi", Some("claude")),
            (
                "node /usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js",
                Some("gemini"),
            ),
            (
                "node --no-warnings /x/pi-coding-agent/dist/cli.js",
                Some("pi"),
            ),
            ("pi", Some("pi")),
            ("python3 /x/bin/hermes -z", Some("hermes")),
            ("codex exec", Some("codex")),
            ("vim codex", None),
            ("node server.js", None),
            ("", None),
        ] {
            assert_eq!(of(line), wanted, "{line}");
        }
        assert!(running().iter().all(|one| one.pid != std::process::id()));
    }
}
