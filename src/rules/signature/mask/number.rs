//! Numbers that change from run to run; the others stay.

use super::Scan;

/// Words before a number that is a place.
const PLACES: [&str; 5] = ["line ", "column ", "col ", "char ", "lines "];

/// Digits from which on a number says nothing.
const LONG: usize = 4;

/// The first port that is handed out at random.
const EPHEMERAL: u32 = 32_768;

/// What stands for the number that begins here, and how long the number is.
pub(super) fn masked(scan: &Scan<'_>) -> Option<(&'static str, usize)> {
    let bytes = scan.rest().as_bytes();
    if bytes.starts_with(b"0x") && scan.before() == Some(b'+') {
        let digits = count(&bytes[2..], |b| b.is_ascii_hexdigit());
        return Some(("<addr>", 2 + digits));
    }
    let digits = count(bytes, |b| b.is_ascii_digit());
    if digits == 0 {
        return None;
    }
    if scan.before() != Some(b'.')
        && let Some(length) = version(bytes)
    {
        return Some(("<version>", length));
    }
    let ends = ends_word(bytes, digits);
    if ends && is_place(scan, digits) {
        return Some(("<l>", digits));
    }
    if let Some(length) = time(bytes) {
        return Some(("<time>", length));
    }
    let whole = digits + fraction(&bytes[digits..]);
    if let Some((mask, unit)) = unit(&bytes[whole..]) {
        return Some((mask, whole + unit));
    }
    let long = digits >= LONG && ends && !is_known_port(scan, digits);
    long.then_some(("<n>", digits))
}

fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| fits(**b)).count()
}

fn ends_word(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at);
    !next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Three numbers with dots between them; four are an address.
fn version(bytes: &[u8]) -> Option<usize> {
    let mut length = 0;
    for part in 0..3 {
        if part > 0 {
            length += usize::from(bytes.get(length) == Some(&b'.'));
        }
        let digits = count(&bytes[length..], |b| b.is_ascii_digit());
        if digits == 0 || part > 0 && bytes[length - 1] != b'.' {
            return None;
        }
        length += digits;
    }
    let next = &bytes[length..];
    let goes_on = matches!(next, [b'.', digit, ..] if digit.is_ascii_digit());
    (!goes_on && ends_word(bytes, length)).then_some(length)
}

/// Whether the digits tell a line or a column.
fn is_place(scan: &Scan<'_>, digits: usize) -> bool {
    let word = PLACES.iter().any(|place| {
        let before = scan.out.strip_suffix(place);
        before.is_some_and(|b| !b.ends_with(|c: char| c.is_alphanumeric()))
    });
    let behind_file = scan.before() == Some(b':') && scan.filelike;
    word || behind_file || scan.in_place || opens_line(scan, digits)
}

/// `1:7` as the first word of a line, as linters write it below a file's name; also its second
/// half, when the first has been masked.
fn opens_line(scan: &Scan<'_>, digits: usize) -> bool {
    let shown = scan.out.trim_start();
    if shown == "<l>:" {
        return true;
    }
    let rest = &scan.rest().as_bytes()[digits..];
    let [b':', rest @ ..] = rest else {
        return false;
    };
    let column = count(rest, |b| b.is_ascii_digit());
    let spaced = rest.get(column).is_none_or(u8::is_ascii_whitespace);
    shown.is_empty() && column > 0 && spaced
}

/// `2026-11-30`, `2026-11-30T12:00:00.5Z` with a space or an offset as well, `12:00:00.5`.
fn time(bytes: &[u8]) -> Option<usize> {
    if !shaped(bytes, b"dddd-dd-dd") {
        return clock(bytes);
    }
    let date = 10;
    let rest = &bytes[date..];
    if !matches!(rest.first(), Some(b'T' | b't' | b' ' | b'_')) {
        return Some(date);
    }
    Some(clock(&rest[1..]).map_or(date, |length| date + 1 + length))
}

fn clock(bytes: &[u8]) -> Option<usize> {
    if !shaped(bytes, b"dd:dd:dd") {
        return None;
    }
    let mut length = 8 + fraction(&bytes[8..]);
    let rest = &bytes[length..];
    if rest.first() == Some(&b'Z') {
        length += 1;
    } else if shaped(rest, b"+dd:dd") || shaped(rest, b"-dd:dd") {
        length += 6;
    }
    Some(length)
}

/// Whether the bytes begin in this form, where `d` stands for a digit.
fn shaped(bytes: &[u8], form: &[u8]) -> bool {
    bytes.len() >= form.len()
        && form.iter().zip(bytes).all(|(wanted, byte)| match wanted {
            b'd' => byte.is_ascii_digit(),
            exact => exact == byte,
        })
}

/// The length of `.123` or `,123`; 0 when there is none.
fn fraction(bytes: &[u8]) -> usize {
    match bytes {
        [b'.' | b',', rest @ ..] => {
            let digits = count(rest, |b| b.is_ascii_digit());
            if digits == 0 { 0 } else { digits + 1 }
        }
        _ => 0,
    }
}

/// The unit behind a number, with the space before it.
fn unit(bytes: &[u8]) -> Option<(&'static str, usize)> {
    let space = usize::from(bytes.first() == Some(&b' '));
    let rest = &bytes[space..];
    let length = count(rest, |b| b.is_ascii_alphabetic() || b >= 0x80);
    let mask = match std::str::from_utf8(&rest[..length]).ok()? {
        "ns" | "us" | "µs" | "μs" | "ms" | "s" | "sec" | "secs" | "second" | "seconds" | "m"
        | "min" | "mins" | "minute" | "minutes" | "h" | "hour" | "hours" => "<dur>",
        "B" | "kB" | "KB" | "MB" | "GB" | "KiB" | "MiB" | "GiB" | "bytes" => "<size>",
        _ => return None,
    };
    ends_word(rest, length).then_some((mask, space + length))
}

/// A port below those that are handed out at random says what was called.
fn is_known_port(scan: &Scan<'_>, digits: usize) -> bool {
    let after_host = scan.before() == Some(b':');
    let named = scan.out.ends_with("port ");
    let port = scan.rest()[..digits].parse::<u32>();
    (after_host || named) && port.is_ok_and(|port| port < EPHEMERAL)
}

#[cfg(test)]
mod tests {
    use super::super::mask;

    #[test]
    fn times_durations_and_sizes_are_masked() {
        for (line, expected) in [
            ("at 2026-11-30T10:00:00.1234567Z x", "at <time> x"),
            ("at 2026-11-30 10:00:00+02:00 x", "at <time> x"),
            ("at 2026-11-30T10:00:00-02:00 x", "at <time> x"),
            ("on 2026-11-30 x", "on <time> x"),
            ("on 2026-11-30T x", "on <time>T x"),
            ("at 10:00:00,5 x", "at <time> x"),
            ("at 10:00 x", "at 10:00 x"),
            ("took 11.14 ms, 3s, 0.5 seconds", "took <dur>, <dur>, <dur>"),
            ("12µs 3 min 2h", "<dur> <dur> <dur>"),
            ("16.8 MB and 12 bytes", "<size> and <size>"),
            ("3 sums 4 x 5. 6", "3 sums 4 x 5. 6"),
            ("3s_x 3 s1", "3s_x 3 s1"),
            ("1.2.3 and 10.20.30.", "<version> and <version>."),
            (
                "1.2 1.2.x 1.2.3x 1.2.3.4 1..2",
                "1.2 1.2.x 1.2.3x 1.2.3.4 1..2",
            ),
            ("image:1.2.3", "image:<version>"),
        ] {
            assert_eq!(mask(line, None), expected, "{line}");
        }
    }

    #[test]
    fn long_numbers_go_and_known_ports_stay() {
        for (line, expected) in [
            ("pid 1234 and 123", "pid <n> and 123"),
            ("id 12345678901234567890", "id <n>"),
            ("1234x 1234_5", "1234x 1234_5"),
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("127.0.0.1:32767 :32768", "127.0.0.1:32767 :<n>"),
            ("port 2222: refused", "port 2222: refused"),
            ("port 44785", "port <n>"),
            ("TS2304 HTTP 429", "TS2304 HTTP 429"),
            ("pc=0x457c62 +0x1f 0x1f", "pc=<addr> +<addr> 0x1f"),
        ] {
            assert_eq!(mask(line, None), expected, "{line}");
        }
    }
}
