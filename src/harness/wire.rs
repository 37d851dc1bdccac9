//! Payloads as bytes: one JSON object, read as far as it can be without guessing (spec 6.1).

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::contract::refusal::Refusal;

use super::bad_payload;

/// A payload, and whether its bytes had to be mended first.
pub(super) struct Parsed<T> {
    /// What it holds.
    pub(super) value: T,
    /// A byte-order mark, half a surrogate pair or broken UTF-8 was in it: what the harness will
    /// run may not be exactly what was read here.
    pub(super) mended: bool,
}

/// Reads one JSON object. Its texts never stand in the refusal: a payload may hold secrets.
///
/// # Errors
/// It is none, or something stands behind it.
pub(super) fn parse<T: DeserializeOwned>(payload: &[u8]) -> Result<Parsed<T>, Refusal> {
    if payload.iter().all(u8::is_ascii_whitespace) {
        return Err(bad_payload("the payload is empty".to_owned()));
    }
    match serde_json::from_slice(payload) {
        Ok(value) => Ok(Parsed {
            value,
            mended: false,
        }),
        Err(error) => {
            let mended = mend(payload).ok_or_else(|| unreadable(&error))?;
            let value = serde_json::from_str(&mended).map_err(|error| unreadable(&error))?;
            Ok(Parsed {
                value,
                mended: true,
            })
        }
    }
}

fn unreadable(error: &serde_json::Error) -> Refusal {
    let what = match error.classify() {
        serde_json::error::Category::Io => "cannot be read",
        serde_json::error::Category::Syntax => "is no JSON object",
        serde_json::error::Category::Data => "holds a member of another type than it should",
        serde_json::error::Category::Eof => "breaks off",
    };
    bad_payload(format!(
        "the payload {what}, at line {} column {}",
        error.line(),
        error.column()
    ))
}

/// The payload without what JSON cannot carry; `None` where nothing of that is in it.
fn mend(payload: &[u8]) -> Option<String> {
    let rest = payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(payload);
    let text = String::from_utf8_lossy(rest);
    let whole = whole_pairs(&text);
    let same = rest.len() == payload.len()
        && matches!(text, Cow::Borrowed(_))
        && matches!(whole, Cow::Borrowed(_));
    (!same).then(|| whole.into_owned())
}

/// The text with `\ufffd` in the place of each escape that is half a surrogate pair.
fn whole_pairs(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(bytes, at) {
            Some(high @ 0xd800..=0xdbff)
                if matches!(unit(bytes, at + 6), Some(0xdc00..=0xdfff)) =>
            {
                debug_assert!(high >= 0xd800);
                at += 12;
            }
            Some(0xd800..=0xdfff) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\ufffd");
                at += 6;
                kept = at;
            }
            Some(_) => at += 6,
            // Another escape: what follows the backslash belongs to it.
            None => at += 2,
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The UTF-16 unit of an escape `\uXXXX` at a place.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(digits, 16).ok())?
}

/// A member that may be there, be `null`, or be missing.
///
/// # Errors
/// It has another type.
pub(super) fn or_default<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(payload: &[u8]) -> Option<(Value, bool)> {
        let parsed = parse::<Value>(payload).ok()?;
        Some((parsed.value, parsed.mended))
    }

    #[test]
    fn what_json_cannot_carry_is_mended_and_said_so() {
        for (payload, text, mended) in [
            (&br#"{"a":"x"}"#[..], "x", false),
            (br#"{"a":"\ud83d\ude00"}"#, "\u{1f600}", false),
            (br#"{"a":"\\ud83d"}"#, "\\ud83d", false),
            (b"\xef\xbb\xbf{\"a\":\"x\"}", "x", true),
            (br#"{"a":"\ud83d"}"#, "\u{fffd}", true),
            (br#"{"a":"\ude00\ud83d\ude00"}"#, "\u{fffd}\u{1f600}", true),
            (
                br#"{"a":"\ud83dx\ud83d\u0041"}"#,
                "\u{fffd}x\u{fffd}A",
                true,
            ),
            (b"{\"a\":\"\xff\"}", "\u{fffd}", true),
        ] {
            let (value, said) = read(payload).unwrap();
            assert_eq!((value["a"].as_str().unwrap(), said), (text, mended));
        }
    }

    #[test]
    fn what_is_no_single_object_is_refused_without_its_words() {
        for payload in [
            &b""[..],
            b" \n",
            b"{",
            br#"{"a":"b"#,
            br#"{"a":1}{"a":2}"#,
            b"{\"a\":1}\n{\"a\":2}",
            br#"{"a":"\ud83d"}{"a":2}"#,
            b"\x00\x01",
            b"\xef\xbb\xbf",
            br#"{"a":"\u12"}"#,
        ] {
            let refused = parse::<Value>(payload).map(|_| ()).unwrap_err();
            assert_eq!(refused.code.as_str(), "hook_payload");
        }
        let secret = parse::<u8>(br#""ghp_secret""#).map(|_| ()).unwrap_err();
        assert!(!secret.cause.contains("ghp"), "{}", secret.cause);
    }

    #[test]
    fn mending_is_linear() {
        let mut hostile = br#"{"a":""#.to_vec();
        hostile.extend(br"\ud800\\".repeat(200_000));
        hostile.extend(br#""}"#);
        assert!(read(&hostile).unwrap().1);
        hostile.truncate(900_001);
        assert!(read(&hostile).is_none());
    }
}
