//! Values behind a sign: `NAME=VALUE`, `"NAME": "VALUE"`, a header, the password in an address.

use super::super::SecretHit;
use super::value::{LONGEST, is_value, value, whole};
use super::{hit, is_secret_name};

/// The longest name that is looked at, in bytes.
const NAME: usize = 64;
/// A user without a password in a web address is a token from this length on, with a digit in it.
const TOKEN: usize = 16;

pub(super) fn find(text: &str) -> Vec<SecretHit> {
    let mut hits: Vec<SecretHit> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        if hits.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let found = match byte {
            b'=' => assigned(text, at),
            b':' if text[at..].starts_with("://") => address(text, at),
            b':' => told(text, at),
            _ => None,
        };
        hits.extend(found.map(hit));
    }
    hits
}

/// The name before a sign, and whether a quote closes it.
fn name(text: &str, sign: usize, room: bool) -> (&str, bool) {
    let bytes = text.as_bytes();
    let mut end = sign;
    end -= usize::from(room && end > 0 && bytes[end - 1] == b':');
    end -= usize::from(room && end > 0 && bytes[end - 1] == b' ');
    let quoted = end > 0 && matches!(bytes[end - 1], b'"' | b'\'');
    if quoted {
        end -= 1;
        end -= usize::from(end > 0 && bytes[end - 1] == b'\\');
    }
    let least = end.saturating_sub(NAME);
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    let mut start = end;
    while start > least && is_name(bytes[start - 1]) {
        start -= 1;
    }
    (&text[start..end], quoted)
}

/// `NAME=VALUE`, `NAME = VALUE` and `'NAME' => VALUE`.
fn assigned(text: &str, sign: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut from = sign + 1;
    if matches!(bytes.get(from), Some(b'=' | b'~')) {
        return None;
    }
    let (name, _) = name(text, sign, true);
    if !is_secret_name(name) {
        return None;
    }
    from += usize::from(bytes.get(from) == Some(&b'>'));
    let roomy = from > sign + 1 || matches!(bytes[sign - 1], b' ' | b':');
    from += usize::from(roomy && bytes.get(from) == Some(&b' '));
    let found = value(text, from)?;
    // A parser says `unexpected token = in`.
    let prose = roomy && found.0 == from && name == "token";
    (!prose).then_some(found)
}

/// `"NAME": "VALUE"`, `NAME: VALUE` of settings, and headers.
fn told(text: &str, sign: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (name, quoted) = name(text, sign, false);
    let from = sign + 1 + usize::from(bytes.get(sign + 1) == Some(&b' '));
    let lower = name.to_ascii_lowercase();
    if lower.ends_with("authorization") {
        return credentials(text, from);
    }
    if is_header(&lower) && !quoted {
        return header(text, name, sign, from);
    }
    if quoted {
        return (is_secret_name(name) || is_header(&lower)).then(|| value(text, from))?;
    }
    let said = ["password", "passwd", "passphrase"];
    if !said.iter().any(|end| lower.ends_with(end)) {
        return None;
    }
    let found = value(text, from)?;
    let opened = found.0 > from;
    let prose = |b: u8| b.is_ascii_alphabetic() || b",.!?".contains(&b);
    let word = text[found.0..found.1].bytes().all(prose);
    (opened || from > sign + 1 && !word).then_some(found)
}

/// Headers besides `Authorization` that carry a secret.
fn is_header(lower: &str) -> bool {
    const NAMES: [&str; 6] = [
        "cookie",
        "set-cookie",
        "private-token",
        "job-token",
        "deploy-token",
        "api-key",
    ];
    let own = lower.starts_with("x-") || lower.starts_with("-hx-");
    own && is_secret_name(lower) || NAMES.contains(&lower)
}

/// A header's value goes to the quote before its name, or to the end of its word.
fn header(text: &str, name: &str, sign: usize, from: usize) -> Option<(usize, usize)> {
    let before = text.as_bytes()[..sign - name.len()].last();
    let line = text[from..].find('\n').map_or(text.len(), |at| from + at);
    match before {
        Some(quote @ (b'"' | b'\'')) => {
            let end = text[from..line]
                .find(char::from(*quote))
                .map_or(line, |at| from + at);
            let end = end - usize::from(text[from..end].ends_with('\\'));
            is_value(&text[from..end], false).then_some((from, end))
        }
        _ => value(text, from),
    }
}

/// What `Authorization` carries: the word behind its scheme, or the only word.
fn credentials(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut start = from;
    while matches!(bytes.get(start), Some(b'"' | b'\'' | b'\\')) {
        start += 1;
    }
    let scheme = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'-';
    let length = bytes[start..].iter().take(NAME).take_while(scheme).count();
    let behind = start + length;
    let next = bytes.get(behind + 1);
    let follows = bytes.get(behind) == Some(&b' ') && next.is_some_and(u8::is_ascii_graphic);
    let known = [
        "basic",
        "bearer",
        "token",
        "digest",
        "negotiate",
        "apikey",
        "key",
        "hmac",
    ];
    let named = known
        .iter()
        .any(|one| text[start..behind].eq_ignore_ascii_case(one));
    if named {
        return follows.then(|| value(text, behind + 1)).flatten();
    }
    value(text, start)
}

/// `SCHEME://USER:PASSWORD@HOST`, and a token in the user's place.
fn address(text: &str, sign: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (scheme, _) = name(text, sign, false);
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let from = sign + 3;
    let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`<>/?#".contains(b);
    let length = bytes[from..].iter().take(LONGEST).position(ends);
    let authority = from + length.unwrap_or(bytes.len().min(from + LONGEST) - from);
    let authority = whole(text, authority);
    let host = from + text[from..authority].rfind('@')?;
    let user = &text[from..host];
    if !is_value(user, false) {
        return None;
    }
    if let Some(colon) = user.find(':') {
        let found = (from + colon + 1, host);
        return (found.0 < host && is_value(&text[found.0..host], false)).then_some(found);
    }
    let web = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https");
    let token = user.len() >= TOKEN && user.bytes().any(|b| b.is_ascii_digit());
    (web && token).then_some((from, host))
}
