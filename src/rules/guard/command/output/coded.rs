//! Texts that are written in another form, and back.

use super::super::super::call::Call;
use super::super::super::text::{self, SOMETHING};
use super::super::super::walk::Walk;
use super::super::decode;

/// Letters are changed: what was known is known no more.
pub(super) fn changed(call: &Call) -> String {
    if call.name == "rev" && text::literal(&call.stdin) {
        let lines = call
            .stdin
            .lines()
            .map(|line| line.chars().rev().collect::<String>());
        return lines.collect::<Vec<String>>().join("\n");
    }
    let deletes = call.args.first().is_some_and(|arg| arg.starts_with("-d"));
    if !text::literal(&call.stdin) || call.stdin.is_empty() {
        return call.stdin.clone();
    }
    if deletes && let Some(set) = call.args.get(1).filter(|set| set.len() <= 4) {
        let set = decode::escapes(set);
        return call.stdin.chars().filter(|c| !set.contains(*c)).collect();
    }
    text::marked(text::UNKNOWN, "output")
}

pub(super) fn coded(walk: &mut Walk<'_>, call: &Call) -> String {
    let seen = call.options(&[
        "-w", "-i", "-o", "-l", "-c", "-s", "-g", "--wrap", "--input",
    ]);
    let decodes = seen.flag("d", "decode", 1)
        || seen.flag("D", "", 1)
        || (call.name == "xxd" && seen.flag("r", "revert", 1));
    let mut content = String::new();
    let mut files: Vec<&str> = seen
        .words
        .iter()
        .copied()
        .filter(|file| *file != "-")
        .collect();
    files.extend(seen.value("i", "input").filter(|_| call.name != "xxd"));
    for file in &files {
        content.push_str(&walk.file(file));
    }
    if files.is_empty() {
        content.push_str(&call.stdin);
    }
    if !text::literal(&content) {
        return content;
    }
    let decoded = match call.name.as_str() {
        "base64" | "gbase64" if decodes => decode::base64(&content),
        "xxd" if decodes => decode::hex(&content),
        _ => None,
    };
    decoded.unwrap_or_else(|| text::marked(text::UNKNOWN, "output"))
}

pub(super) fn openssl(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let verb = call.args.first().map_or("", String::as_str);
    let value = |flag: &str| {
        call.args
            .windows(2)
            .find(|two| two[0] == flag)
            .map(|two| two[1].clone())
    };
    match verb {
        "base64" | "enc" if call.has("-d") => {
            let content = match value("-in") {
                Some(file) => walk.file(&file),
                None => call.stdin.clone(),
            };
            if !text::literal(&content) {
                return Some(content);
            }
            let plain = verb == "base64"
                || ((call.has("-base64") || call.has("-a")) && call.args.len() <= 4);
            let decoded = if plain {
                decode::base64(&content)
            } else {
                None
            };
            Some(decoded.unwrap_or_else(|| text::marked(text::UNKNOWN, "output")))
        }
        "rsa" | "ec" | "pkey" | "pkcs8" | "dsa"
            if !call.has("-pubout") && !call.has("-noout") && !call.has("-out") =>
        {
            let file = value("-in")?;
            Some(walk.file(&file))
        }
        "x509" | "version" | "dgst" | "verify" | "s_client" | "rand" | "list" | "ciphers" => {
            Some(text::marked(SOMETHING, "text"))
        }
        _ => {
            walk.reads = false;
            Some(text::marked(SOMETHING, "text"))
        }
    }
}
