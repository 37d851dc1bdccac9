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

pub(super) fn openssl(walk: &mut Walk<'_>, call: &Call) -> String {
    let verb = call.args.first().map_or("", String::as_str);
    let target = value(call, "-out");
    let out = match verb {
        "base64" | "enc" if has(call, "-d") || !encrypts(call) => {
            let content = given(walk, call);
            let plain = verb == "base64"
                || ((has(call, "-base64") || has(call, "-a")) && call.args.len() <= 4);
            let decodes = text::literal(&content) && plain && has(call, "-d");
            let decoded = decodes.then(|| decode::base64(&content)).flatten();
            match decoded {
                Some(decoded) => decoded,
                None if text::literal(&content) => text::marked(text::UNKNOWN, "output"),
                None => content,
            }
        }
        _ if shows_key(call, verb) => given(walk, call),
        "x509" | "version" | "dgst" | "verify" | "s_client" | "rand" | "list" | "ciphers" => {
            text::marked(SOMETHING, "text")
        }
        _ => {
            walk.reads = false;
            text::marked(SOMETHING, "text")
        }
    };
    kept(walk, target.as_deref(), out)
}

/// Whether a flag of `openssl` is there; one dash is as good as two.
fn has(call: &Call, flag: &str) -> bool {
    let mut given = call.args.iter();
    given.any(|arg| arg == flag || arg.strip_prefix('-') == Some(flag))
}

/// The value of such a flag.
fn value(call: &Call, flag: &str) -> Option<String> {
    let mut pairs = call.args.windows(2);
    let pair = pairs.find(|two| two[0] == flag || two[0].strip_prefix('-') == Some(flag));
    pair.map(|two| two[1].clone())
}

/// What `openssl` reads: a file, or what comes in.
fn given(walk: &mut Walk<'_>, call: &Call) -> String {
    match value(call, "-in") {
        Some(file) => walk.file(&file),
        None => call.stdin.clone(),
    }
}

/// Whether a verb of `openssl` writes of a private key more than its public part.
fn shows_key(call: &Call, verb: &str) -> bool {
    let public = || has(call, "-pubout") || has(call, "-noout");
    match verb {
        "rsa" | "ec" | "pkey" | "dsa" => !has(call, "-pubin") && (has(call, "-text") || !public()),
        "pkcs12" => !(has(call, "-nokeys") || has(call, "-noout") || has(call, "-export")),
        "pkcs8" | "asn1parse" | "storeutl" => !has(call, "-noout"),
        _ => false,
    }
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
