//! Private key blocks: from the BEGIN line to the END line, or to the end of the text.

use super::SecretHit;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The longest label between the dashes, in bytes.
const LABEL: usize = 64;
/// A key has at least one run of base64 of this length; an explanation of the form has none.
const RUN: usize = 24;
/// Different characters in such a run.
const VARIETY: usize = 8;

/// The private key blocks of one text, asked for from front to back.
pub(super) struct Blocks<'a> {
    text: &'a str,
    /// Where the next BEGIN stands; past the end when there is none.
    next: usize,
    /// A label of a private key stands before, its own body ends at the BEGIN that is next, and
    /// nothing that stays in the text has ended what belongs to it.
    open: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let next = text.find(BEGIN).unwrap_or(text.len());
        Self {
            text,
            next,
            open: false,
        }
    }

    /// The block that begins exactly at `at`. Positions must not go back.
    pub(super) fn at(&mut self, at: usize) -> Option<SecretHit> {
        if at > self.next {
            let rest = self.text.get(at..)?;
            self.next = rest.find(BEGIN).map_or(self.text.len(), |found| at + found);
        }
        if at != self.next {
            return None;
        }
        let open = std::mem::take(&mut self.open);
        let mut end = self.end(at)?;
        if open {
            end = self.remains(end);
        }
        Some(SecretHit {
            kind: "private_key",
            start: at,
            end,
        })
    }

    fn end(&mut self, start: usize) -> Option<usize> {
        let label_from = start + BEGIN.len();
        let rest = self.text.get(label_from..)?;
        let label_end = window(rest, LABEL + DASHES.len()).find(DASHES)?;
        let label = &rest[..label_end];
        let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ';
        if !label.contains("PRIVATE KEY") || !label.bytes().all(plain) {
            return None;
        }
        let body_from = label_from + label_end + DASHES.len();
        let body = &self.text[body_from..];
        let body_len = body_length(body);
        if !looks_like_a_key(&body[..body_len]) {
            self.open = body[body_len..].starts_with(BEGIN);
            return None;
        }
        let after = &body[body_len..];
        let Some(closing) = after.strip_prefix(END) else {
            return Some(body_from + body_len);
        };
        let closed = window(closing, LABEL + DASHES.len()).find(DASHES);
        let tail = closed.map_or(0, |found| found + DASHES.len());
        Some(body_from + body_len + END.len() + tail)
    }

    /// Where a block ends that stands behind an open label. Once it is taken out, what follows
    /// it belongs to that label: a key there goes with it, or the text would still have one.
    fn remains(&mut self, from: usize) -> usize {
        let rest = &self.text[from..];
        let length = body_length(rest);
        self.open = rest[length..].starts_with(BEGIN);
        if looks_like_a_key(&rest[..length]) {
            from + length
        } else {
            from
        }
    }
}

/// How much of what follows a label is its body. A further BEGIN ends the body of a block that
/// was cut off, and the search with it.
fn body_length(body: &str) -> usize {
    let cut = body.find(BEGIN).unwrap_or(body.len());
    body[..cut].find(END).unwrap_or(cut)
}

/// At most the first `bytes` bytes, cut where a character ends.
fn window(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn looks_like_a_key(body: &str) -> bool {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    body.split(|c| !is_base64(c)).any(|run| {
        let mut seen = [false; 128];
        for byte in run.bytes() {
            seen[usize::from(byte & 127)] = true;
        }
        run.len() >= RUN && seen.iter().filter(|s| **s).count() >= VARIETY
    })
}

#[cfg(test)]
mod tests {
    use super::super::{find, redact};
    use super::*;

    const BODY: &str = "b3BlbnNzaC1rZXktdjEAAAAABG5v";

    fn block(label: &str, body: &str) -> String {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----")
    }

    #[test]
    fn blocks_are_redacted_to_their_end() {
        for label in [
            "PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "X509 PRIVATE KEY",
            "EC PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
        ] {
            let text = format!("before\n{}\nafter", block(label, BODY));
            let expected = "before\n[redacted:private_key]\nafter".to_owned();
            assert_eq!(redact(&text), (expected, 1), "{label}");
        }
        let cut = format!("x -----BEGIN PRIVATE KEY-----\n{BODY}\nmore");
        assert_eq!(redact(&cut).0, "x [redacted:private_key]");
        let open = format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END it é");
        assert_eq!(redact(&open).0, "[redacted:private_key]it é");
        let two = format!(
            "-----BEGIN PRIVATE KEY-----\n{BODY}\n{}",
            block("PUBLIC KEY", BODY)
        );
        let expected = format!("[redacted:private_key]{}", block("PUBLIC KEY", BODY));
        assert_eq!(redact(&two).0, expected);
        let both = format!(
            "{}{}",
            block("PRIVATE KEY", BODY),
            block("PRIVATE KEY", BODY)
        );
        assert_eq!(redact(&both), ("[redacted:private_key]".repeat(2), 2));
    }

    #[test]
    fn what_is_left_behind_a_bare_label_is_no_key_either() {
        let label = "-----BEGIN PRIVATE KEY-----";
        let key = block("RSA PRIVATE KEY", BODY);
        let mark = "[redacted:private_key]";
        for (text, expected) in [
            (format!("{label}{key}A{BODY}"), format!("{label}{mark}")),
            (
                format!("{label}\n{key}\n{BODY}\n-----END x"),
                format!("{label}\n{mark}-----END x"),
            ),
            (
                format!("{label}{key} and {key}{BODY}"),
                format!("{label}{mark} and {mark}"),
            ),
            (
                format!("{label}{key} {BODY}{key} {BODY}"),
                format!("{label}{mark}{mark}"),
            ),
            // Short runs stay, and so does what no label is open for.
            (
                format!("{label}{key} and so on"),
                format!("{label}{mark} and so on"),
            ),
            (
                format!("{label}{key}-----END x {key} {BODY}"),
                format!("{label}{mark}-----END x {mark} {BODY}"),
            ),
            (
                format!("{label}-----END {key} {BODY}"),
                format!("{label}-----END {mark} {BODY}"),
            ),
            (
                format!("{label}-----BEGIN PUBLIC KEY-----{key} {BODY}"),
                format!("{label}-----BEGIN PUBLIC KEY-----{mark} {BODY}"),
            ),
            (format!("{key} {BODY}"), format!("{mark} {BODY}")),
        ] {
            let (clean, _) = redact(&text);
            assert_eq!(clean, expected);
            assert_eq!(find(&clean), [], "{clean}");
        }
    }

    #[test]
    fn public_keys_and_explanations_are_no_secrets() {
        let long_label = format!("{} PRIVATE KEY", "A".repeat(LABEL));
        for text in [
            block("PUBLIC KEY", BODY),
            block("CERTIFICATE", BODY),
            block("PRIVATE KEY", "<your key>"),
            block("PRIVATE KEY", &BODY[..RUN - 1]),
            block("PRIVATE KEY", &"x".repeat(64)),
            block(&long_label, BODY),
            block("[PRIVATE KEY", BODY),
            block("Private PRIVATE KEY", BODY),
            format!("grep -----BEGIN PRIVATE KEY {BODY}"),
            "-----BEGIN ".to_owned(),
        ] {
            assert_eq!(find(&text), [], "{text}");
        }
        assert_eq!(find(&block("PRIVATE KEY", &BODY[..RUN])).len(), 1);
        let exact = format!("{} PRIVATE KEY", "A".repeat(LABEL - 12));
        let redacted = ("[redacted:private_key]".to_owned(), 1);
        assert_eq!(redact(&block(&exact, BODY)), redacted, "to its last dash");
        let open = format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END A{exact}-----");
        let left = format!("[redacted:private_key]A{exact}-----");
        assert_eq!(redact(&open).0, left, "what is longer is no label");
        assert_eq!(find(&block("PRIVATE KEY", &"abcdefg".repeat(4))).len(), 0);
        assert_eq!(find(&block("PRIVATE KEY", &"abcdefgh".repeat(4))).len(), 1);
    }
}
