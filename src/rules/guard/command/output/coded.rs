//! Texts that are written in another form, and back.

use super::super::super::call::Call;
use super::super::super::files::endless;
use super::super::super::text::{self, SOMETHING};
use super::super::super::walk::Walk;
use super::super::decode;

/// Letters are changed: what was known is known no more.
pub(super) fn changed(call: &Call, content: &str) -> String {
    if !text::literal(content) || content.is_empty() {
        return content.to_owned();
    }
    if call.name == "rev" {
        let lines = content
            .lines()
            .map(|line| line.chars().rev().collect::<String>());
        return lines.collect::<Vec<String>>().join("\n");
    }
    let deletes = call.args.first().is_some_and(|arg| arg.starts_with("-d"));
    if deletes && let Some(set) = call.args.get(1).filter(|set| set.len() <= 4) {
        let set = decode::escapes(set);
        return content.chars().filter(|c| !set.contains(*c)).collect();
    }
    text::marked(text::UNKNOWN, "output")
}

pub(super) fn coded(walk: &mut Walk<'_>, call: &Call) -> String {
    let dumps = call.name == "xxd";
    let seen = call.options(if dumps {
        &["-c", "-g", "-l", "-o", "-s", "-n", "-R"]
    } else {
        &[
            "-w", "-i", "-o", "-l", "-c", "-s", "-g", "--wrap", "--input",
        ]
    });
    let decodes = seen.flag("d", "decode", 1)
        || seen.flag("D", "", 1)
        || (dumps && seen.flag("r", "revert", 1));
    let mut content = String::new();
    let mut files = seen.words.clone();
    // Behind the file that `xxd` reads stands the one that it writes.
    let target = if dumps {
        files.split_off(files.len().min(1)).first().copied()
    } else {
        files.extend(seen.value("i", "input"));
        seen.value("o", "output")
            .filter(|_| call.name != "uudecode")
    };
    files.retain(|file| *file != "-");
    for file in &files {
        content.push_str(&walk.file(file));
    }
    if files.is_empty() {
        content.push_str(&call.stdin);
    }
    let limited = dumps && (seen.flag("l", "len", 1));
    let out = if limited && endless(&content) {
        text::marked(SOMETHING, "text")
    } else if text::literal(&content) {
        let decoded = match call.name.as_str() {
            "base64" | "gbase64" if decodes => decode::base64(&content),
            "xxd" if decodes => decode::hex(&content),
            _ => None,
        };
        decoded.unwrap_or_else(|| text::marked(text::UNKNOWN, "output"))
    } else {
        content
    };
    kept(walk, target, out)
}

/// What goes to a file stays there; what has none is written.
fn kept(walk: &mut Walk<'_>, target: Option<&str>, out: String) -> String {
    let Some(target) = target.filter(|target| !matches!(*target, "-" | "/dev/stdout")) else {
        return out;
    };
    walk.emptying(target);
    walk.put(target, &out, false);
    String::new()
}

pub(super) fn openssl(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let verb = call.args.first().map_or("", String::as_str);
    let value = |flag: &str| {
        call.args
            .windows(2)
            .find(|two| two[0] == flag)
            .map(|two| two[1].clone())
    };
    let target = value("-out");
    let out = match verb {
        "base64" | "enc" if call.has("-d") || !encrypts(call) => {
            let content = match value("-in") {
                Some(file) => walk.file(&file),
                None => call.stdin.clone(),
            };
            let plain = verb == "base64"
                || ((call.has("-base64") || call.has("-a")) && call.args.len() <= 4);
            let decodes = text::literal(&content) && plain && call.has("-d");
            let decoded = decodes.then(|| decode::base64(&content)).flatten();
            match decoded {
                Some(decoded) => decoded,
                None if text::literal(&content) => text::marked(text::UNKNOWN, "output"),
                None => content,
            }
        }
        "rsa" | "ec" | "pkey" | "pkcs8" | "dsa" if !call.has("-pubout") && !call.has("-noout") => {
            let file = value("-in")?;
            walk.file(&file)
        }
        "x509" | "version" | "dgst" | "verify" | "s_client" | "rand" | "list" | "ciphers" => {
            text::marked(SOMETHING, "text")
        }
        _ => {
            walk.reads = false;
            text::marked(SOMETHING, "text")
        }
    };
    Some(kept(walk, target.as_deref(), out))
}

/// Whether `openssl enc` is given a cipher: what comes out can then not be read.
fn encrypts(call: &Call) -> bool {
    let plain = [
        "-in", "-out", "-base64", "-a", "-A", "-e", "-none", "-v", "-p", "-P", "-debug", "-pass",
        "-bufsize", "-nopad", "-nosalt", "-salt", "-z",
    ];
    call.args.first().is_some_and(|verb| verb == "enc")
        && call
            .args
            .iter()
            .any(|arg| arg.starts_with('-') && !plain.contains(&arg.as_str()))
}
