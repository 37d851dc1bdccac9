//! The processes above this one.

pub use crate::ops::process::{Process, host, read};

/// How far up to look.
const DEPTH: usize = 12;

/// The processes above this one, the nearest first, each read when it is asked for; none where
/// there is no `/proc`.
pub fn ancestors() -> impl Iterator<Item = Process> {
    let mut next = Some(std::os::unix::process::parent_id());
    let above = std::iter::from_fn(move || {
        let (process, parent) = read(next.filter(|pid| *pid > 1)?)?;
        next = Some(parent);
        Some(process)
    });
    above.fuse().take(DEPTH)
}

/// The harness that called this hook: the nearest process above that is no shell, where it is the
/// harness's by the words that it was started with. Nobody else's process is taken for it.
#[must_use]
pub fn of_harness(harness: &str) -> Option<Process> {
    const SHELLS: [&str; 9] = [
        "sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "env", "timeout",
    ];
    for process in ancestors() {
        let words = words(process.pid);
        let name = words.first().and_then(|word| word.rsplit('/').next());
        let name = name.unwrap_or_default().trim_start_matches('-');
        if !SHELLS.contains(&name) {
            return names(&words, harness).then_some(process);
        }
    }
    None
}

/// Whether the program names the harness, or the script of its interpreter does.
fn names(words: &[String], harness: &str) -> bool {
    const INTERPRETERS: [&str; 4] = ["node", "python", "bun", "deno"];
    let Some((program, rest)) = words.split_first() else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or_default();
    let interpreted = INTERPRETERS.iter().any(|known| name.starts_with(known));
    let script = rest.iter().find(|word| !word.starts_with('-'));
    let is_harness = |part: &str| {
        let stem = part.split(['.', '-', '_']).next().unwrap_or_default();
        stem.eq_ignore_ascii_case(harness)
    };
    let named = |word: &String| word.split('/').any(is_harness);
    named(program) || (interpreted && script.is_some_and(named))
}

/// The words that a process was started with.
fn words(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).take(WORDS);
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// How many words of a call are looked at: the interpreter's options stand before the script.
const WORDS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harness_is_known_by_its_program_or_its_script() {
        for (line, harness, is) in [
            ("/opt/bin/codex exec", "codex", true),
            (
                "node --no-warnings /x/@google/gemini-cli/bundle/gemini.js -p hi",
                "gemini",
                true,
            ),
            ("/venv/bin/python /venv/bin/hermes -z", "hermes", true),
            ("sh -c watchfloor", "gemini", false),
            ("/opt/bin/codex exec", "gemini", false),
            ("make --codex", "codex", false),
            ("python3 drive.py codex", "codex", false),
            ("python3 -m hermes_cli.main", "hermes", true),
            ("", "codex", false),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(names(&words, harness), is, "{line}");
        }
    }
}
