//! Wrappers that take their words in ways of their own.

use super::super::call::{Call, options};
use super::super::text;
use super::super::walk::Walk;
use super::{Inner, behind};

/// Assignments before a command become part of its words, for `env` to take.
pub(super) fn sudo(walk: &mut Walk<'_>, call: &Call) -> Option<Inner> {
    let valued = [
        "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "-U", "--user", "--group",
        "--host", "--prompt", "--chdir", "--chroot",
    ];
    let seen = call.options(&valued);
    if let Some(user) = seen.value("u", "user") {
        walk.user = Some(user.to_owned());
    }
    if seen.flag("e", "edit", 4) {
        walk.reads = false;
        for word in &seen.words {
            walk.writing(word);
        }
        return None;
    }
    let mut at = 0;
    while let Some(arg) = call.args.get(at).filter(|arg| arg.starts_with('-')) {
        let whole = arg.len() == 2 || arg.starts_with("--");
        // A value may stand right behind its letter.
        let takes = |c: char| valued.contains(&format!("-{c}").as_str());
        let letters = arg.get(1..).unwrap_or_default();
        let first = letters.find(takes).map(|at| at + 1 == letters.len());
        let cluster_takes = !arg.starts_with("--") && arg.len() > 2 && first == Some(true);
        at += 1;
        if arg == "--" {
            break;
        }
        if (whole && valued.contains(&arg.as_str())) || cluster_takes {
            at += 1;
        }
    }
    let rest = call.args.get(at..)?;
    if rest.is_empty() {
        return (!call.stdin.is_empty()
            && (seen.flag("s", "shell", 2) || seen.flag("i", "login", 2)))
        .then(|| Inner::Script(call.stdin.clone()));
    }
    let mut argv = vec!["env".to_owned()];
    argv.extend(rest.iter().cloned());
    Some(if rest[0].contains('=') && !rest[0].starts_with('/') {
        Inner::Argv(argv)
    } else {
        Inner::Argv(rest.to_vec())
    })
}

/// `env [FLAGS] [NAME=VALUE]... CMD`; the assignments stay for [`assignments`].
pub(super) fn env(call: &Call) -> Option<Inner> {
    let mut at = 0;
    while let Some(arg) = call.args.get(at) {
        if let Some(split) = arg
            .strip_prefix("-S")
            .or_else(|| arg.strip_prefix("--split-string="))
        {
            let rest = call.args[at + 1..].join(" ");
            return Some(Inner::Script(format!("{split} {rest}")));
        }
        match arg.as_str() {
            "-u" | "--unset" | "-C" | "--chdir" => at += 2,
            "--" => at += 1,
            arg if arg.starts_with('-') || (arg.contains('=') && !arg.starts_with('=')) => at += 1,
            // Assignments that came from somewhere.
            arg if text::wholly_unknown(arg) && at + 1 < call.args.len() => at += 1,
            _ => break,
        }
    }
    let rest = call.args.get(at..).filter(|rest| !rest.is_empty())?;
    Some(Inner::Argv(rest.to_vec()))
}

/// Flags that take the next word; those whose value is optional (`-i`, `-e`, `-l`, `--replace`,
/// `--eof`, `--max-lines`) never do.
pub(super) const XARGS: [&str; 15] = [
    "-I",
    "-n",
    "-L",
    "-P",
    "-s",
    "-d",
    "-E",
    "-a",
    "-J",
    "-R",
    "--max-args",
    "--max-chars",
    "--max-procs",
    "--delimiter",
    "--arg-file",
];

pub(super) fn xargs(call: &Call) -> Inner {
    // What stands behind a letter with an optional value is that value, and no letter.
    let plain = |arg: &String| match optional(arg) {
        Some(_) => "-i".to_owned(),
        None => arg.clone(),
    };
    let masked: Vec<String> = call.args.iter().map(plain).collect();
    let rest = behind(&masked, &XARGS, 0).map_or(0, <[String]>::len);
    let rest = &call.args[call.args.len() - rest..];
    // Flags of the inner command are not its own.
    let own = &call.args[..call.args.len() - rest.len()];
    let mut argv = rest.to_vec();
    if argv.is_empty() {
        argv.push("echo".to_owned());
    }
    let given: Vec<String> = if text::fields(&call.stdin).next().is_none() {
        vec![text::marked(text::UNKNOWN, "arguments")]
    } else {
        let split = |c: char| c.is_whitespace() || c == '\0';
        call.stdin
            .split(split)
            .filter(|word| !word.is_empty())
            .take(64)
            .map(str::to_owned)
            .collect()
    };
    if let Some(mark) = mark(own) {
        let filled = argv.iter().flat_map(|arg| {
            // A script stays one word.
            if arg.contains(&mark) && !arg.contains(char::is_whitespace) {
                given.iter().map(|word| arg.replace(&mark, word)).collect()
            } else {
                vec![arg.replace(&mark, &given.join(" "))]
            }
        });
        return Inner::Argv(filled.collect());
    }
    argv.extend(given);
    Inner::Argv(argv)
}

/// A letter of `xargs` whose value is optional and stands right behind it, and that value.
fn optional(arg: &str) -> Option<(char, &str)> {
    let letters = arg
        .strip_prefix('-')?
        .trim_start_matches(['0', 'o', 'p', 'r', 't', 'x']);
    let letter = letters.chars().next()?;
    matches!(letter, 'e' | 'i' | 'l').then(|| (letter, &letters[1..]))
}

/// What stands for the words that are read.
fn mark(own: &[String]) -> Option<String> {
    let known: Vec<String> = own
        .iter()
        .filter(|arg| optional(arg).is_none())
        .cloned()
        .collect();
    let seen = options(&known, &XARGS);
    let value = seen.value("I", "").or_else(|| seen.value("J", ""));
    let long = seen.last("", "replace", 1).map(Option::unwrap_or_default);
    let short = || {
        let given = own.iter().rev().filter_map(|arg| optional(arg.as_str()));
        given
            .filter(|(letter, _)| *letter == 'i')
            .map(|(_, value)| value)
            .next()
    };
    let mark = value.or(long).or_else(short)?;
    Some(if mark.is_empty() { "{}" } else { mark }.to_owned())
}

pub(super) fn watch(call: &Call) -> Option<Inner> {
    let rest = behind(&call.args, &["-n", "-q", "--interval", "--equexit"], 0)?;
    (!rest.is_empty()).then(|| Inner::Script(rest.join(" ")))
}

/// `su [-] [USER] -c SCRIPT`.
pub(super) fn su(walk: &mut Walk<'_>, call: &Call) -> Option<Inner> {
    let seen = call.options(&[
        "-c",
        "-s",
        "-g",
        "-G",
        "-w",
        "-u",
        "--command",
        "--shell",
        "--session-command",
    ]);
    let user = seen
        .words
        .iter()
        .find(|word| **word != "-")
        .or(seen.value("u", "user").as_ref())
        .map(|user| (*user).to_owned());
    walk.user = user.or(walk.user.take());
    let script = seen
        .value("c", "command")
        .or_else(|| seen.value("", "session-command"));
    match script {
        Some(script) => Some(Inner::Script(script.to_owned())),
        None if !call.stdin.is_empty() => Some(Inner::Script(call.stdin.clone())),
        None => None,
    }
}

pub(super) fn flock(call: &Call) -> Option<Inner> {
    if let Some(inner) = script_flag(call, "c", "command") {
        return Some(inner);
    }
    let rest = behind(&call.args, &["-w", "-E", "--timeout", "--wait"], 1)?;
    (!rest.is_empty()).then(|| Inner::Argv(rest.to_vec()))
}

pub(super) fn script_flag(call: &Call, letter: &str, long: &str) -> Option<Inner> {
    let short = format!("-{letter}");
    let full = format!("--{long}");
    let seen = call.options(&[short.as_str(), full.as_str()]);
    seen.value(letter, long)
        .map(|script| Inner::Script(script.to_owned()))
}

pub(super) fn script_after(call: &Call, flags: &[&str]) -> Option<Inner> {
    let at = call
        .args
        .iter()
        .position(|arg| flags.contains(&arg.as_str()))?;
    let rest = call.args.get(at + 1..).filter(|rest| !rest.is_empty())?;
    Some(Inner::Argv(rest.to_vec()))
}

/// What is typed into a terminal, or run in a new one.
pub(super) fn multiplexer(call: &Call) -> Option<Inner> {
    let verbs = [
        "new",
        "new-session",
        "new-window",
        "neww",
        "split-window",
        "splitw",
        "respawn-pane",
        "run-shell",
        "run",
        "if-shell",
        "display-popup",
    ];
    let first = call.args.iter().position(|arg| !arg.starts_with('-'))?;
    let verb = call.args[first].as_str();
    if matches!(verb, "send-keys" | "send") {
        let keys = behind(&call.args[first + 1..], &["-t", "-N"], 0)?;
        let keys: Vec<&str> = keys
            .iter()
            .map(String::as_str)
            .filter(|key| !matches!(*key, "Enter" | "C-m" | "KPEnter"))
            .collect();
        return Some(Inner::Script(keys.join(" ")));
    }
    let valued = [
        "-s", "-t", "-n", "-c", "-F", "-e", "-x", "-y", "-l", "-S", "-L", "-f",
    ];
    if call.name == "screen" {
        let rest = behind(&call.args, &["-S", "-t", "-c", "-X", "-p", "-h"], 0)?;
        let rest = if rest.first().is_some_and(|verb| verb == "stuff") {
            &rest[1..]
        } else {
            rest
        };
        return (!rest.is_empty()).then(|| Inner::Script(rest.join(" ")));
    }
    let rest = verbs
        .contains(&verb)
        .then(|| behind(&call.args[first + 1..], &valued, 0))??;
    (!rest.is_empty()).then(|| Inner::Script(rest.join(" ")))
}
