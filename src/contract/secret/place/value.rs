//! Where a value ends, and whether it is one.

/// The longest value that is looked at, in bytes; this bounds the whole search.
pub(super) const LONGEST: usize = 4 << 10;

/// A value that begins at `from`, without the quotes around it; `None` where nothing stands there
/// or what stands there is a name for a value.
pub(super) fn value(text: &str, from: usize) -> Option<(usize, usize)> {
    let (start, end) = span(text, from);
    let (bytes, found) = (text.as_bytes(), &text[start..end]);
    let literal = start > from && bytes[start - 1] == b'\'';
    let called = start == from && bytes.get(end) == Some(&b'(');
    (!called && is_value(found, literal)).then_some((start, end))
}

/// What stands at `from`: all within quotes, or a word as a shell takes it.
fn span(text: &str, from: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let limit = text.len().min(from + LONGEST);
    let escaped = bytes.get(from) == Some(&b'\\');
    let at = from + usize::from(escaped);
    let Some(quote) = bytes.get(at).copied().filter(|b| is_quote(*b)) else {
        return (from, whole(text, bare(bytes, from, limit)));
    };
    let start = at + 1;
    let end = match quoted(bytes, start, limit, quote, escaped) {
        // A further piece of the same word belongs to it.
        (close, true) if !escaped && goes_on(bytes, close, limit) => {
            match bare(bytes, close + 1, limit) {
                end if end > close + 1 => end,
                _ => close,
            }
        }
        (end, _) => end,
    };
    (start, whole(text, end))
}

/// Where a quoted piece ends, at its quote or with its line, and whether it is closed.
fn quoted(bytes: &[u8], from: usize, limit: usize, quote: u8, escaped: bool) -> (usize, bool) {
    let mut at = from;
    while at < limit && bytes[at] != b'\n' {
        let slash = bytes[at] == b'\\';
        if escaped && slash && bytes.get(at + 1) == Some(&quote) || !escaped && bytes[at] == quote {
            return (at, true);
        }
        at += 1 + usize::from(slash && !escaped && quote == b'"');
    }
    (at.min(limit), false)
}

/// Where a word without quotes around it ends. A quote within it opens a piece of the word where
/// more of it follows, and else closes what stands around the word.
fn bare(bytes: &[u8], from: usize, limit: usize) -> usize {
    let mut at = from;
    while at < limit && !ends(bytes[at]) {
        match bytes[at] {
            b'\\' if bytes.get(at + 1).copied().is_some_and(is_quote) => return at,
            b'\\' => at += 2,
            quote if is_quote(quote) => {
                let opens =
                    goes_on(bytes, at, limit) && !bytes.get(at + 1).copied().is_some_and(is_quote);
                match quoted(bytes, at + 1, limit, quote, false) {
                    (close, true) if opens => at = close + 1,
                    _ => return at,
                }
            }
            _ => at += 1,
        }
    }
    at.min(limit)
}

/// Whether a word goes on behind this quote.
fn goes_on(bytes: &[u8], quote: usize, limit: usize) -> bool {
    let next = bytes[..limit].get(quote + 1);
    next.is_some_and(|b| !ends(*b) && !b",:}]\\".contains(b))
}

fn ends(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b";&|<>()`".contains(&byte)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// The next place between characters.
pub(super) fn whole(text: &str, mut end: usize) -> usize {
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// Whether a text is a value, and not a variable, a place for one, or a word that stands for none.
pub(super) fn is_value(found: &str, literal: bool) -> bool {
    const NONE: [&str; 8] = [
        "true",
        "false",
        "null",
        "none",
        "yes",
        "no",
        "nil",
        "undefined",
    ];
    let bytes = found.as_bytes();
    let names = bytes
        .get(1)
        .is_some_and(|b| b.is_ascii_alphanumeric() || b"_{(@*#?".contains(b));
    let variable = !literal && bytes.first() == Some(&b'$') && names;
    let place =
        found.starts_with('<') || found.starts_with("{{") || found.starts_with("[redacted:");
    let masked = bytes.iter().all(|b| matches!(b, b'*' | b'.' | b'x' | b'X'));
    let none = NONE.iter().any(|word| found.eq_ignore_ascii_case(word));
    // Code that asks the environment.
    let asked = found.contains(".env");
    !(variable || place || masked || none || asked)
}
