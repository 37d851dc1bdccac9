//! Secrets that are one word: a known beginning and a tail of a known alphabet and length.

use super::SecretHit;

/// Bytes of a tail that are looked at before it is believed; this bounds the whole search.
const LOOK: usize = 128;
/// Different characters in a tail.
const VARIETY: usize = 8;

struct Kind {
    name: &'static str,
    prefix: &'static str,
    /// Bytes of the tail besides letters and digits.
    extra: &'static [u8],
    min: usize,
    /// The only length, where there is one.
    max: Option<usize>,
    /// An unbroken run of letters and digits, with both in it, that the tail must hold.
    run: usize,
}

const fn kind(
    name: &'static str,
    prefix: &'static str,
    extra: &'static [u8],
    min: usize,
    max: Option<usize>,
    run: usize,
) -> Kind {
    Kind {
        name,
        prefix,
        extra,
        min,
        max,
        run,
    }
}

const KINDS: [Kind; 25] = [
    kind("aws_access_key_id", "AKIA", b"", 16, Some(16), 0),
    kind("aws_access_key_id", "ASIA", b"", 16, Some(16), 0),
    kind("github_token", "ghp_", b"_", 36, None, 20),
    kind("github_token", "gho_", b"_", 36, None, 20),
    kind("github_token", "ghu_", b"_", 36, None, 20),
    kind("github_token", "ghs_", b"_", 36, None, 20),
    kind("github_token", "ghr_", b"_", 36, None, 20),
    kind("github_token", "github_pat_", b"_", 40, None, 20),
    kind("gitlab_token", "glpat-", b"_-.", 20, None, 8),
    kind("slack_token", "xoxa-", b"-", 20, None, 8),
    kind("slack_token", "xoxb-", b"-", 20, None, 8),
    kind("slack_token", "xoxp-", b"-", 20, None, 8),
    kind("slack_token", "xoxr-", b"-", 20, None, 8),
    kind("slack_token", "xoxs-", b"-", 20, None, 8),
    kind("stripe_key", "sk_live_", b"", 16, None, 16),
    kind("stripe_key", "rk_live_", b"", 16, None, 16),
    kind("anthropic_key", "sk-ant-", b"_-", 32, None, 20),
    kind("openai_key", "sk-proj-", b"_-", 32, None, 8),
    kind("openai_key", "sk-", b"_-", 32, None, 20),
    kind("google_key", "AIza", b"_-", 35, Some(35), 0),
    kind("npm_token", "npm_", b"", 36, Some(36), 20),
    kind("pypi_token", "pypi-AgEI", b"_-", 50, None, 8),
    kind("hugging_face_token", "hf_", b"", 30, None, 0),
    kind("telegram_bot_token", "", b"_-", 35, Some(35), 0),
    kind("jwt", "eyJ", b"_-", 10, None, 0),
];

/// The kind of [`KINDS`] whose beginning are digits and a colon.
const TELEGRAM: usize = 23;
/// The kind of [`KINDS`] that has three parts.
const JWT: usize = 24;

/// The secret that begins exactly at `at`; what stands before `word_from` is not looked at.
pub(super) fn token_at(bytes: &[u8], at: usize, word_from: usize) -> Option<SecretHit> {
    // No secret begins with another byte; nearly every position ends here.
    if !matches!(bytes[at], b'A' | b'a'..=b'z' | b'0'..=b'9') || !begins_word(&bytes[word_from..at])
    {
        return None;
    }
    if bytes[at].is_ascii_digit() {
        return telegram(bytes, at);
    }
    if bytes[at..].starts_with(b"eyJ") {
        return jwt(bytes, at, word_from);
    }
    let rest = &bytes[at..];
    let mut known = KINDS[..TELEGRAM].iter();
    let kind = known.find(|kind| rest.starts_with(kind.prefix.as_bytes()))?;
    let from = at + kind.prefix.len();
    tail(bytes, from, kind).map(|end| hit(kind, at, end))
}

fn hit(kind: &Kind, start: usize, end: usize) -> SecretHit {
    SecretHit {
        kind: kind.name,
        start,
        end,
    }
}

/// Whether a word may begin after this: after nothing, after a byte that is no part of a word,
/// or after `\n`, `\t` or `\r` as JSON writes them.
fn begins_word(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b't' | b'r'] | [] => true,
        [.., byte] => !(byte.is_ascii_alphanumeric() || *byte == b'_'),
    }
}

/// Where the tail from `from` ends, when it is one of the kind.
fn tail(bytes: &[u8], from: usize, kind: &Kind) -> Option<usize> {
    let rest = &bytes[from..];
    let seen = run(&rest[..rest.len().min(LOOK)], kind.extra);
    let look = &rest[..seen];
    if seen < kind.min || kind.max.is_some_and(|max| seen > max) {
        return None;
    }
    // Fixed lengths end a word.
    if kind.max.is_some() && rest.get(seen) == Some(&b'_') {
        return None;
    }
    if !has_run(look, kind.run) || is_placeholder(look) {
        return None;
    }
    Some(from + run(rest, kind.extra))
}

/// How many of the first bytes belong to a word; the dashes of a key block end it.
fn run(bytes: &[u8], extra: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let fits = byte.is_ascii_alphanumeric() || extra.contains(byte);
        if !fits || bytes[at..].starts_with(b"-----") {
            break;
        }
        at += 1;
    }
    at
}

fn has_run(tail: &[u8], min: usize) -> bool {
    let mut runs = tail.split(|byte| !byte.is_ascii_alphanumeric());
    min == 0
        || runs.any(|run| {
            run.len() >= min
                && run.iter().any(u8::is_ascii_digit)
                && run.iter().any(u8::is_ascii_alphabetic)
        })
}

/// Texts that stand for a secret: few different characters, a long run of `x` or `0`, or a
/// word that says so.
fn is_placeholder(tail: &[u8]) -> bool {
    let mut seen = [false; 128];
    for byte in tail {
        seen[usize::from(byte & 127)] = true;
    }
    let variety = seen.iter().filter(|s| **s).count();
    let filled = tail.windows(6).any(|six| {
        let same = six.iter().all(|byte| byte.eq_ignore_ascii_case(&six[0]));
        same && matches!(six[0], b'x' | b'X' | b'0')
    });
    let lower = tail.to_ascii_lowercase();
    let says = |word: &&[u8]| lower.windows(word.len()).any(|part| part == *word);
    let words: [&[u8]; 4] = [b"example", b"placeholder", b"changeme", b"your_"];
    variety < VARIETY || filled || words.iter().any(says)
}

/// `digits:tail`, eight to ten digits.
fn telegram(bytes: &[u8], at: usize) -> Option<SecretHit> {
    let rest = &bytes[at..];
    let digits = rest
        .iter()
        .take(11)
        .take_while(|b| b.is_ascii_digit())
        .count();
    if !(8..=10).contains(&digits) || rest.get(digits) != Some(&b':') {
        return None;
    }
    let kind = &KINDS[TELEGRAM];
    tail(bytes, at + digits + 1, kind).map(|end| hit(kind, at, end))
}

/// Three parts with dots between them; the first two begin as `{"` does in base64.
fn jwt(bytes: &[u8], at: usize, word_from: usize) -> Option<SecretHit> {
    // A dot or a dash before it means that the search is inside a longer word, which was
    // looked at as a whole.
    if matches!(bytes[word_from..at], [.., b'.' | b'-']) {
        return None;
    }
    let kind = &KINDS[JWT];
    let part = |from: usize| from + run(&bytes[from..], kind.extra);
    let header = part(at);
    let payload_from = dot(bytes, header)?;
    let payload = part(payload_from);
    let signature_from = dot(bytes, payload)?;
    let signature = part(signature_from);
    let long_enough = header - at >= kind.min + 3
        && payload - payload_from >= kind.min
        && signature - signature_from >= 16;
    let shown = &bytes[signature_from..signature.min(signature_from + LOOK)];
    let begins = bytes[payload_from..].starts_with(b"eyJ");
    (long_enough && begins && !is_placeholder(shown)).then(|| hit(kind, at, signature))
}

fn dot(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'.')).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    /// 48 letters and digits without order.
    const TAIL: &str = "q7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iNtVxM0zHk2PjD";

    fn kinds(text: &str) -> Vec<&'static str> {
        find(text).into_iter().map(|hit| hit.kind).collect()
    }

    #[test]
    fn every_kind_is_found_from_its_shortest_tail_on() {
        for known in &KINDS[..TELEGRAM] {
            let long = format!("{TAIL}{TAIL}");
            let whole = format!("{}{}", known.prefix, &long[..known.min]);
            assert_eq!(kinds(&whole), [known.name], "{}", known.prefix);
            assert_eq!(find(&whole)[0].end, whole.len());
            let short = format!("{}{}", known.prefix, &long[..known.min - 1]);
            assert_eq!(kinds(&short), [""; 0], "{}", known.prefix);
            let longer = format!("{whole}a");
            let expected = usize::from(known.max.is_none());
            assert_eq!(find(&longer).len(), expected, "{}", known.prefix);
            assert_eq!(kinds(&format!("x{whole}")), [""; 0], "{}", known.prefix);
            assert_eq!(kinds(&format!("_{whole}")), [""; 0], "{}", known.prefix);
            for before in ["=", "\"", "-", "\\n", "\\t", "\\r", ":", "/", "é"] {
                assert_eq!(kinds(&format!("{before}{whole}")), [known.name]);
            }
        }
        assert_eq!(
            (KINDS[TELEGRAM].name, KINDS[JWT].name),
            ("telegram_bot_token", "jwt")
        );
    }

    #[test]
    fn a_letter_before_is_a_word_unless_a_backslash_makes_it_white_space() {
        let key = format!("AKIA{}", "4GH7QZ2MXWVN5RTB");
        assert_eq!(kinds(&format!("n{key}")), [""; 0]);
        assert_eq!(kinds(&format!("\\x{key}")), [""; 0]);
        assert_eq!(kinds(&format!("{key}_x")), [""; 0]);
        assert_eq!(kinds(&format!("{key}-x")), ["aws_access_key_id"]);
    }

    #[test]
    fn a_long_tail_is_taken_whole() {
        let long = format!("glpat-{} rest", TAIL.repeat(20));
        assert_eq!(find(&long)[0].end, long.len() - 5);
    }

    #[test]
    fn a_key_block_ends_a_word() {
        let text = format!("glpat-{TAIL}-----BEGIN");
        assert_eq!(find(&text)[0].end, text.len() - "-----BEGIN".len());
        let four = format!("glpat-{TAIL}----x");
        assert_eq!(find(&four)[0].end, four.len());
        let far = "a1".repeat(60);
        let split = format!("glpat-{TAIL}{}-----BEGIN", &far[..LOOK - TAIL.len() - 2]);
        assert_eq!(find(&split)[0].end, split.len() - "-----BEGIN".len());
    }

    #[test]
    fn placeholders_are_no_secrets() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            format!("ghp_{}", "x".repeat(36)),
            format!("ghp_{}", "abcdefg1".repeat(5).replace('g', "a")),
            format!("ghp_{}xXxXxX", &TAIL[..36]),
            format!("ghp_{}000000", &TAIL[..36]),
            format!("sk-proj-{}", "*".repeat(40)),
            format!("sk-proj-your_{TAIL}"),
            format!("glpat-placeholder{TAIL}"),
            format!("glpat-ChangeMe{TAIL}"),
            "ghp_<your token>".to_owned(),
            "sk-ant-${ANTHROPIC_API_KEY}".to_owned(),
            "sk-loading-indicator-wrapper-element-2-of-the-page".to_owned(),
            "xoxb-your-token-goes-here-please".to_owned(),
            "hf_hub_download_with_a_very_long_function_name".to_owned(),
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iNtV"
                .to_owned(),
            "sha256:9cce7d6f84472333df972b8a1a8a90e224f714cf1f64d2f63340a139d0feacfe".to_owned(),
            "01a22d8a-8084-7604-ad09-75aa9454a189".to_owned(),
        ] {
            assert_eq!(kinds(&text), [""; 0], "{text}");
        }
        let nearly = format!("ghp_{}00000z", &TAIL[..36]);
        assert_eq!(kinds(&nearly), ["github_token"]);
        let eight = "abcdefg1".repeat(5);
        assert_eq!(kinds(&format!("ghp_{eight}")), ["github_token"]);
        let other = format!("ghp_{}aaaaaa", &TAIL[..36]);
        assert_eq!(kinds(&other), ["github_token"]);
    }

    #[test]
    fn the_run_must_have_letters_and_digits() {
        let letters = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn";
        let digits = "1234567890".repeat(4);
        assert_eq!(kinds(&format!("sk-{letters}")), [""; 0]);
        assert_eq!(kinds(&format!("sk-{digits}")), [""; 0]);
        assert_eq!(kinds(&format!("sk-{letters}1")), ["openai_key"]);
    }

    #[test]
    fn bot_tokens_have_eight_to_ten_digits_before_the_colon() {
        let tail = &TAIL[..35];
        for digits in ["12345678", "1234567890"] {
            assert_eq!(
                kinds(&format!("bot {digits}:{tail}")),
                ["telegram_bot_token"]
            );
        }
        for text in [
            format!("1234567:{tail}"),
            format!("12345678901:{tail}"),
            format!("12345678-{tail}"),
            format!("12345678:{}", &TAIL[..34]),
            format!("12345678:{}", &TAIL[..36]),
            "12345678".to_owned(),
        ] {
            assert_eq!(kinds(&text), [""; 0], "{text}");
        }
    }

    #[test]
    fn web_tokens_have_three_parts() {
        let head = concat!("eyJ", "hbGciOiJI");
        let head = format!("{head}{}", "U");
        let body = concat!("eyJ", "zdWIiOi");
        let sign = &TAIL[..16];
        let whole = format!("{head}.{body}.{sign}");
        assert_eq!((head.len(), body.len()), (13, 10));
        assert_eq!(kinds(&whole), ["jwt"]);
        assert_eq!(find(&format!("{whole}. and"))[0].end, whole.len());
        assert_eq!(kinds(&format!("token={whole}")), ["jwt"]);
        // Far behind its beginning a signature may look like anything.
        let far = format!("{head}.{body}.{}xxxxxx", TAIL.repeat(3));
        assert_eq!(kinds(&far), ["jwt"]);
        let near = format!("{head}.{body}.{}xxxxxx", &TAIL[..20]);
        assert_eq!(kinds(&near), [""; 0]);
        for text in [
            format!("{}.{body}.{sign}", &head[..12]),
            format!("{head}.{}.{sign}", &body[..9]),
            format!("{head}.{body}.{}", &sign[..15]),
            format!("{head}.{body}"),
            format!("{head}.{body}-{sign}"),
            format!("{head}-{body}.{sign}"),
            format!("{head}.{sign}.{sign}"),
            format!("{head}.{body}.{}", "x".repeat(16)),
            format!(".{whole}"),
            format!("-{whole}"),
            format!("a{whole}"),
        ] {
            assert_eq!(kinds(&text), [""; 0], "{text}");
        }
    }
}
