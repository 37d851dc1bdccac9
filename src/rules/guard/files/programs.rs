//! Programs by what they do with the files they are given.

use super::super::call::Call;
use super::super::paths::Place;
use super::super::text;
use super::super::walk::{Walk, carries};
use super::{endless, find, sed, size};

/// What is more than this fills a disk.
const MUCH: u64 = 10 << 30;

/// Judges a program that changes files; `None` for every other one.
pub(in super::super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let mut out = String::new();
    match call.name.as_str() {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" | "rimraf" | "del" => {
            let seen = call.options(&["-n", "-s", "--iterations", "--size"]);
            let recursive =
                seen.flag("r", "recursive", 3) || seen.flag("R", "", 1) || call.name == "rimraf";
            walk.reads = false;
            for word in &seen.words {
                walk.deleting(word, recursive);
            }
        }
        "mv" => moved(walk, call),
        "cp" | "install" | "ln" => out = copied(walk, call),
        "tee" => {
            let seen = call.options(&[]);
            for word in &seen.words {
                if seen.flag("a", "append", 1) {
                    walk.writing(word);
                } else {
                    walk.emptying(word);
                }
                fills(walk, &call.stdin, word);
                walk.put(word, &call.stdin, seen.flag("a", "append", 1));
            }
            out.clone_from(&call.stdin);
        }
        "dd" => out = dd(walk, call),
        "truncate" | "fallocate" | "mkfile" => sized(walk, call),
        "touch" | "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "patch" | "ed" | "ex"
        | "mkfifo" => {
            walk.reads = false;
            for word in call
                .options(&["-t", "-d", "-r", "--reference", "--date", "-i", "-o"])
                .words
            {
                if call.name.starts_with("ch") && walk.places.holds_guard(word) {
                    walk.deleting(word, true);
                }
                walk.writing(word);
            }
        }
        "sed" | "gsed" if in_place(call) => {
            walk.reads = false;
            let scripts = sed::programs(walk, call);
            sed::named(walk, &scripts);
            let seen = call.options(&sed::VALUED);
            let given =
                !seen.values("e", "expression").is_empty() || !seen.values("f", "file").is_empty();
            for word in seen.words.iter().skip(usize::from(!given)) {
                walk.writing(word);
            }
        }
        "apply_patch" => {
            walk.reads = false;
            let patch = call.args.first().unwrap_or(&call.stdin).clone();
            super::super::tools::patched(walk, &patch);
        }
        "sponge" | "split" | "csplit" => {
            walk.reads = false;
            let seen = call.options(&["-b", "-l", "-n"]);
            let replaces = call.name == "sponge" && !seen.flag("a", "", 1);
            for word in &seen.words {
                if replaces {
                    walk.emptying(word);
                } else {
                    walk.writing(word);
                }
            }
        }
        "find" | "fd" | "fdfind" | "gfind" => out = find::judge(walk, call),
        "yes" => out = text::marked(text::SOMETHING, super::ENDLESS),
        _ => return None,
    }
    Some(out)
}

pub(in super::super) fn in_place(call: &Call) -> bool {
    call.args.iter().any(|arg| {
        arg == "--in-place"
            || arg.starts_with("--in-place=")
            || (arg.starts_with('-')
                && !arg.starts_with("--")
                && arg
                    .chars()
                    .skip(1)
                    .take_while(|c| *c != 'e' && *c != 'f')
                    .any(|c| c == 'i'))
    })
}

/// Something without an end goes into a file.
pub(in super::super) fn fills(walk: &mut Walk<'_>, content: &str, path: &str) {
    if endless(content) && walk.places.place(path) != Place::Null {
        walk.report("disk.exhaustion", path, None);
    }
}

fn moved(walk: &mut Walk<'_>, call: &Call) {
    walk.reads = false;
    let seen = call.options(&["-t", "-S", "--target-directory", "--suffix"]);
    let target = seen.value("t", "target-directory");
    let (sources, target) = match (target, seen.words.split_last()) {
        (Some(target), _) => (seen.words.as_slice(), target),
        (None, Some((last, sources))) => (sources, *last),
        (None, None) => return,
    };
    let nowhere = walk.places.place(target) == Place::Null;
    for source in sources {
        if nowhere {
            walk.deleting(source, true);
        } else {
            walk.moving(source);
            let content = walk.file(source);
            let known = carries(&content) || walk.content(source).is_some();
            if known {
                walk.put(&inside(target, source), &content, false);
                walk.put(target, &content, false);
            }
        }
    }
    walk.replacing(target);
}

/// The file that a source becomes in a folder.
fn inside(folder: &str, source: &str) -> String {
    format!("{}/{}", folder.trim_end_matches('/'), text::base(source))
}

fn copied(walk: &mut Walk<'_>, call: &Call) -> String {
    walk.reads = false;
    let seen = call.options(&[
        "-t",
        "-S",
        "-m",
        "-o",
        "-g",
        "--target-directory",
        "--mode",
        "--suffix",
        "--owner",
        "--group",
    ]);
    let target = seen.value("t", "target-directory");
    let (sources, target) = match (target, seen.words.split_last()) {
        (Some(target), _) => (seen.words.as_slice(), target),
        (None, Some((last, sources))) => (sources, *last),
        (None, None) => return String::new(),
    };
    if call.name == "ln" && seen.flag("s", "symbolic", 1) {
        for source in sources {
            walk.link(target, source);
            walk.link(&inside(target, source), source);
        }
    }
    let mut out = String::new();
    for source in sources {
        let content = walk.file(source);
        if walk.places.place(target) == Place::Null {
            out.push_str(&content);
            continue;
        }
        fills(walk, &content, target);
        if carries(&content) || walk.content(source).is_some() {
            walk.put(&inside(target, source), &content, false);
            walk.put(target, &content, false);
        }
    }
    if sources.is_empty() && call.name == "ln" {
        return out;
    }
    walk.replacing(target);
    if target.ends_with('/') || matches!(walk.places.place(target), Place::Hooks | Place::GitInside)
    {
        for source in sources {
            walk.replacing(&inside(target, source));
        }
    }
    out
}

fn dd(walk: &mut Walk<'_>, call: &Call) -> String {
    let value = |key: &str| {
        call.args
            .iter()
            .rev()
            .find_map(|arg| arg.strip_prefix(key))
            .map(str::to_owned)
    };
    let content = match value("if=") {
        Some(file) => walk.file(&file),
        None => call.stdin.clone(),
    };
    let block = value("bs=")
        .or_else(|| value("obs="))
        .as_deref()
        .and_then(size)
        .unwrap_or(512);
    let count = value("count=").as_deref().and_then(size);
    let much = count.is_none_or(|count| count.saturating_mul(block) >= MUCH);
    match value("of=") {
        Some(file) => {
            walk.emptying(&file);
            if much {
                fills(walk, &content, &file);
            }
            if walk.places.place(&file) == Place::Null {
                return if file == "/dev/null" {
                    String::new()
                } else {
                    content
                };
            }
            if carries(&content) || text::literal(&content) {
                walk.put(&file, &content, false);
            }
            String::new()
        }
        None if much => content,
        None if endless(&content) => text::marked(text::SOMETHING, "data"),
        None => content,
    }
}

fn sized(walk: &mut Walk<'_>, call: &Call) {
    walk.reads = false;
    let seen = call.options(&[
        "-s",
        "-l",
        "-o",
        "-r",
        "--size",
        "--length",
        "--offset",
        "--reference",
    ]);
    let wanted = seen
        .value("s", "size")
        .or_else(|| seen.value("l", "length"));
    let first = (call.name == "mkfile")
        .then(|| seen.words.first().copied())
        .flatten();
    // It shrinks by that, is at most that, or a multiple below its size: none of them grows.
    let grows = |size: &&str| call.name != "truncate" || !size.starts_with(['-', '<', '/']);
    if wanted
        .or(first)
        .filter(grows)
        .and_then(size)
        .is_some_and(|size| size >= MUCH)
    {
        walk.report("disk.exhaustion", &call.args.join(" "), None);
    }
    for word in seen.words.iter().skip(usize::from(first.is_some())) {
        walk.emptying(word);
    }
}
