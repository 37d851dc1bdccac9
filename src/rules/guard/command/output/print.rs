//! `echo`, `printf` and `printenv`.

use super::super::super::call::Call;
use super::super::super::secrets;
use super::super::super::text::{self, SOMETHING};
use super::super::super::walk::{Value, Walk};
use super::super::decode;

pub(super) fn echo(call: &Call) -> String {
    let mut args = call.args.as_slice();
    let mut escapes = false;
    while let Some((first, rest)) = args.split_first() {
        let flags = first.len() > 1
            && first.starts_with('-')
            && first[1..].bytes().all(|byte| b"neE".contains(&byte));
        if !flags {
            break;
        }
        escapes |= first.contains('e');
        args = rest;
    }
    let line = args.join(" ");
    let line = if escapes {
        decode::escapes(&line)
    } else {
        line
    };
    format!("{line}\n")
}

pub(super) fn printf(walk: &mut Walk<'_>, call: &Call) -> String {
    let mut args = call.args.as_slice();
    if let [flag, name, rest @ ..] = args
        && flag == "-v"
    {
        let mut inner = call.clone();
        inner.args = rest.to_vec();
        let value = printf(walk, &inner);
        walk.set(name, Value::one(value));
        return String::new();
    }
    if args.first().is_some_and(|arg| arg == "--") {
        args = &args[1..];
    }
    let Some((format, values)) = args.split_first() else {
        return String::new();
    };
    let format = decode::escapes(format);
    let mut out = String::new();
    let mut values = values.iter();
    loop {
        let mut taken = false;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let kind = chars.find(|c| c.is_ascii_alphabetic() || *c == '%');
            match kind {
                Some('%') | None => out.push('%'),
                Some(kind) => {
                    taken = true;
                    let value = values.next().cloned().unwrap_or_default();
                    out.push_str(&if kind == 'b' {
                        decode::escapes(&value)
                    } else {
                        value
                    });
                }
            }
        }
        if !taken || values.len() == 0 || out.len() > 64 * 1024 {
            return out;
        }
    }
}

pub(super) fn printenv(walk: &mut Walk<'_>, call: &Call) -> String {
    let names: Vec<&String> = call
        .args
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    if names.is_empty() {
        return walk.read_secret("secret.print-env", "printenv");
    }
    let mut out = text::marked(SOMETHING, "text");
    for name in names {
        if !text::literal(name) || secrets::names_a_secret(name) {
            out = walk.read_secret("secret.print-var", name);
        }
    }
    out
}
