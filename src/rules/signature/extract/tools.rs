//! What any other tool says: `make`, the shell, and programs that name themselves.

use super::Reader;
use crate::rules::signature::records::Tier;

/// make: a rule that is missing names a cause; a recipe that failed repeats one.
pub(super) fn make(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let Some((before, message)) = line.split_once(" *** ").or_else(|| line.split_once("*** "))
    else {
        return 0;
    };
    let program = before.split([':', '[']).next().unwrap_or_default();
    let made = program.ends_with("make") || crate::rules::signature::shape::is_file(program);
    if !made {
        return 0;
    }
    let message = message.trim_end_matches("  Stop.");
    if let Some(inside) = message.strip_prefix('[')
        && let Some((target, code)) = inside.split_once(']')
    {
        let target = target.rsplit(": ").next().unwrap_or_default();
        reader.put(Tier::Wrapper, &["make", target, code]);
    } else if message.starts_with("Waiting for unfinished jobs") {
        return 1;
    } else {
        let file = if program.ends_with("make") {
            ""
        } else {
            program
        };
        reader.told(&["make", file, message]);
    }
    1
}

/// `bash: line 1: 31918 Killed                  ./run.sh`.
pub(super) fn killed(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    let ended = [
        "Killed",
        "Segmentation fault",
        "Aborted",
        "Terminated",
        "Bus error",
        "Illegal instruction",
        "Floating point exception",
        "Trace/breakpoint trap",
    ];
    let Some((before, how, command)) = ended.iter().find_map(|how| {
        let (before, command) = line.split_once(how)?;
        Some((before, how, command))
    }) else {
        return 0;
    };
    let command = command.trim_start();
    let command = command
        .strip_prefix("(core dumped)")
        .unwrap_or(command)
        .trim_start();
    let pid = before.trim_end().rsplit(' ').next().unwrap_or_default();
    let numbered = !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit());
    if !numbered || !before.contains(": ") || command.is_empty() {
        return 0;
    }
    reader.told(&[how, command]);
    1
}

/// Words that a line begins with when it tells of an error, in any tool.
const OPENS: [&str; 20] = [
    "error: ",
    "Error: ",
    "ERROR: ",
    "ERROR ",
    "ERROR] ",
    "error ",
    "FATAL: ",
    "FATAL ",
    "Fatal: ",
    "FAILED: ",
    "API Error: ",
    "Error response from daemon: ",
    "Error from server ",
    "E: ",
    "[error] ",
    "[ERROR] ",
    "level=error ",
    "panic: ",
    "failed to ",
    "Failed to ",
];

/// A line that begins with the word error, or with a program's name and the word.
pub(super) fn error_line(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let (program, rest) = match program(line) {
        Some((program, rest)) if opens(rest).is_some() => (program, rest),
        _ => ("", line),
    };
    let Some(message) = opens(rest) else {
        return 0;
    };
    if message.trim().is_empty() || super::outcome::of(message).is_some() {
        return 1;
    }
    let message = message.trim();
    let (causes, lines) = if message.ends_with(':') {
        below(reader)
    } else {
        causes(reader)
    };
    reader.told(&[program, message, &causes]);
    1 + lines
}

fn opens(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("error[") {
        return rest.split_once("]: ").map(|_| line);
    }
    OPENS.iter().find_map(|open| {
        let rest = line.strip_prefix(open)?;
        let keeps = open.ends_with("to ") || open.starts_with("API") || open.ends_with("server ");
        Some(if keeps { line } else { rest })
    })
}

/// The lines that a message with a colon at its end announces.
fn below(reader: &Reader<'_>) -> (String, usize) {
    let from = 1 + usize::from(reader.ahead(1).is_empty());
    let lines = reader.run(from, 3, |line| !line.is_empty());
    let said: Vec<&str> = (from..from + lines)
        .map(|by| reader.ahead(by).trim())
        .collect();
    (said.join(" "), 0)
}

/// What stands below `Caused by:`, and how many lines that takes.
fn causes(reader: &Reader<'_>) -> (String, usize) {
    let from = 1 + usize::from(reader.ahead(1).is_empty());
    if reader.ahead(from) != "Caused by:" {
        return (String::new(), 0);
    }
    let lines = reader.run(from, 24, |line| {
        line.is_empty() || line == "Caused by:" || line.starts_with(' ')
    });
    let mut said: Vec<&str> = Vec::new();
    for by in from..from + lines {
        let line = reader.ahead(by).trim();
        let gutter = line
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start();
        let told = !line.is_empty()
            && line != "Caused by:"
            && !gutter.starts_with('|')
            && !line.starts_with("process didn't exit successfully");
        if told && !line.starts_with("--- ") && said.len() < 4 {
            said.push(line);
        }
    }
    // A program that failed says more below than the one that called it.
    let called = (from..from + lines).any(|by| reader.ahead(by).contains("--- stderr"));
    (said.join(" "), if called { 0 } else { from + lines - 1 })
}

/// The name of a program that the line begins with, and what it says.
fn program(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(": ")?;
    let named = (1..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '.' | '-'))
        && name.bytes().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'+' | b'@')
        });
    let severity = ["error", "fatal", "failed", "warning", "note", "panic"];
    let named = named && !severity.iter().any(|word| word.eq_ignore_ascii_case(name));
    named.then(|| (name.rsplit('/').next().unwrap_or(name), rest.trim_start()))
}

/// Programs whose own lines tell what they could not do.
const PROGRAMS: [&str; 60] = [
    "apt-get",
    "awk",
    "az",
    "bash",
    "cat",
    "cd",
    "chmod",
    "chown",
    "clang",
    "cmake",
    "cp",
    "curl",
    "dash",
    "dd",
    "dig",
    "docker",
    "dpkg",
    "env",
    "find",
    "gcc",
    "gh",
    "git",
    "go",
    "grep",
    "gzip",
    "helm",
    "jq",
    "kex_exchange_identification",
    "kubectl",
    "ld",
    "ln",
    "ls",
    "mkdir",
    "mount",
    "mv",
    "mysql",
    "nc",
    "node",
    "pip",
    "podman",
    "psql",
    "python",
    "python3",
    "rg",
    "rm",
    "rsync",
    "scp",
    "sed",
    "sh",
    "ssh",
    "sudo",
    "systemctl",
    "tar",
    "touch",
    "unzip",
    "wget",
    "xargs",
    "yarn",
    "zip",
    "zsh",
];

/// What the system says why something could not be done.
const REASONS: [&str; 61] = [
    "Permission denied",
    "No such file or directory",
    "Connection refused",
    "onnection timed out",
    "Connection reset",
    "Connection closed",
    "Network is unreachable",
    "No route to host",
    "Name or service not known",
    "Temporary failure in name resolution",
    "ommand not found",
    "Is a directory",
    "Not a directory",
    "Device or resource busy",
    "peration not permitted",
    "No space left on device",
    "Read-only file system",
    "quota exceeded",
    "Too many open files",
    "annot allocate memory",
    "ddress already in use",
    "Broken pipe",
    "Text file busy",
    "Exec format error",
    "syntax error",
    "unexpected EOF",
    "rgument list too long",
    "File exists",
    "Host key verification failed",
    "bad permissions",
    "are too open",
    "ould not resolve",
    "annot connect to",
    "uthentication failed",
    "ccess denied",
    "not a git repository",
    "nauthorized",
    "Too many authentication failures",
    "Directory not empty",
    "cannot open",
    "cannot stat",
    "does not exist",
    "is not recognized as",
    "Invalid argument",
    "not found in",
    "pull access denied",
    "manifest unknown",
    "rate limit",
    "handshake fail",
    "certificate",
    "nvalid option",
    "nrecognized option",
    "nknown option",
    "could not be found",
    "atabase is locked",
    "nknown flag",
    "nknown command",
    "nknown shorthand flag",
    "flag provided but not defined",
    "address already",
    "already in use",
];

/// A program that says what it could not do, and a reason that the system gives.
pub(super) fn command(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    let aside = [
        "Warning: ",
        "warning: ",
        "note: ",
        "info: ",
        "See '",
        "Unable to find image",
    ];
    if aside.iter().any(|start| line.starts_with(start)) || line.starts_with(['|', '#', '>', '@']) {
        return 0;
    }
    let reasoned = REASONS.iter().any(|reason| line.contains(reason));
    let named = program(line);
    let known = named.filter(|(name, _)| PROGRAMS.contains(name));
    if known.is_none() && !reasoned {
        return 0;
    }
    let (name, rest) = named.unwrap_or(("", line));
    // A shell names the place in its script, which moves.
    let mut parts = rest.splitn(3, ": ");
    let place = |part: &str| {
        let line = part.strip_prefix("line ").unwrap_or(part);
        !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit())
    };
    let first = parts.next().unwrap_or_default();
    let rest = match (first, place(first)) {
        (_, true) => &rest[first.len()..],
        ("-c", _) => {
            let second = parts.next().unwrap_or_default();
            if place(second) {
                &rest[first.len() + 2 + second.len()..]
            } else {
                &rest[2..]
            }
        }
        _ => rest,
    };
    let rest = rest.strip_prefix(": ").unwrap_or(rest);
    if rest.is_empty() || super::outcome::of(rest).is_some() {
        return 1;
    }
    // The body of an answer says less than what a program says of it.
    let body = line.starts_with(['{', '[']);
    let tier = if body { Tier::Wrapper } else { Tier::Told };
    reader.put(tier, &[name, rest]);
    1
}
