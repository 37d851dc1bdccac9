//! Numbers that change from run to run; the others stay.

use super::Scan;
use super::time::{calendar, compound, fraction, time};
use super::url::EPHEMERAL;

/// Words before a number that is a place.
const PLACES: [&str; 9] = [
    "line", "lines", "column", "col", "char", "row", "position", "offset", "ln",
];

/// Words before a number that says what happened, however long it is.
const TELLING: [&str; 12] = [
    "exit", "status", "code", "error", "errno", "http", "port", "signal", "returned", "sqlstate",
    "sqlcode", "winerror",
];

/// Words before a number that was given out in this run.
const GIVEN: [&str; 17] = [
    "pid",
    "tid",
    "ppid",
    "thread",
    "goroutine",
    "process",
    "attempt",
    "retry",
    "job",
    "run",
    "worker",
    "session",
    "request",
    "build",
    "pipeline",
    "gid",
    "task",
];

/// Digits from which on a number says nothing.
const LONG: usize = 4;

/// What stands for the number that begins here, and how long the number is.
pub(super) fn masked(scan: &Scan<'_>) -> Option<(&'static str, usize)> {
    let bytes = scan.rest().as_bytes();
    if bytes.starts_with(b"0x") && scan.before() == Some(b'+') {
        let digits = count(&bytes[2..], |b| b.is_ascii_hexdigit());
        return Some(("<addr>", 2 + digits));
    }
    if let Some(length) = calendar(scan.rest()) {
        return Some(("<time>", length));
    }
    if let [b'v' | b'V', version_ @ ..] = bytes
        && let Some(length) = version(version_)
    {
        return Some(("<version>", length + 1));
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
    let word = word_before(&scan.out);
    let after = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    if ends && (after(&PLACES) || is_place(scan, digits)) {
        return Some(("<l>", digits));
    }
    if let Some(length) = time(bytes) {
        return Some(("<time>", length));
    }
    if let Some(length) = compound(bytes) {
        return Some(("<dur>", length));
    }
    let whole = digits + fraction(&bytes[digits..]);
    if let Some((mask, unit)) = unit(&bytes[whole..]) {
        return Some((mask, whole + unit));
    }
    if whole > digits && (digits >= LONG || whole - digits > LONG) && ends_word(bytes, whole) {
        return Some(("<n>", whole));
    }
    if !ends {
        return None;
    }
    let port = scan.rest()[..digits].parse::<u32>().ok();
    if scan.before() == Some(b':') || word.eq_ignore_ascii_case("port") {
        return match port {
            Some(port) if port < EPHEMERAL => None,
            Some(port) if port <= 65_535 => Some(("<port>", digits)),
            _ => Some(("<n>", digits)),
        };
    }
    if digits <= 6 && (after(&TELLING) || numbers_code(&scan.out)) {
        return None;
    }
    (digits >= LONG || after(&GIVEN)).then_some(("<n>", digits))
}

/// Whether a code in capitals goes on with a number here: `ORA-00942`, `CVE-2026-12345`.
fn numbers_code(out: &str) -> bool {
    let Some(code) = out.strip_suffix('-') else {
        return false;
    };
    let name = code.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = if name.len() < code.len() {
        name.strip_suffix('-').unwrap_or_default()
    } else {
        name
    };
    let start = name.trim_end_matches(|c: char| c.is_ascii_uppercase());
    let letters = &name[start.len()..];
    let joined = start.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let given = GIVEN.iter().any(|word| word.eq_ignore_ascii_case(letters));
    // A zone's offset is none.
    letters.len() >= 2 && !joined && !given && !matches!(letters, "GMT" | "UTC")
}

/// The word before this place, with at most a space, a sign and an opening bracket between.
fn word_before(out: &str) -> &str {
    let short = out.trim_end_matches([' ', '=', ':', '#', '(', '-']);
    if out.len() - short.len() > 3 {
        return "";
    }
    let from = short
        .bytes()
        .rev()
        .take_while(u8::is_ascii_alphabetic)
        .count();
    let start = short.len() - from;
    let joined = short[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '<');
    // A number glued to a word is a part of its name.
    if joined || short.len() == out.len() {
        return "";
    }
    &short[start..]
}

fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| fits(**b)).count()
}

fn ends_word(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at);
    !next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Three numbers with dots between them, and what names a release before its time; four are
/// an address.
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
    let early = next.strip_prefix(b"-").unwrap_or(next);
    let named = ["alpha", "beta", "rc", "dev", "canary", "nightly", "pre"];
    if named.iter().any(|name| early.starts_with(name.as_bytes())) {
        let more = count(early, |b| b.is_ascii_alphanumeric() || b == b'.');
        length += next.len() - early.len() + more;
        length -= usize::from(bytes[length - 1] == b'.');
    }
    (!goes_on && ends_word(bytes, length)).then_some(length)
}

/// Whether the digits tell a line or a column.
fn is_place(scan: &Scan<'_>, digits: usize) -> bool {
    let behind_file = scan.before() == Some(b':') && scan.filelike;
    behind_file || scan.in_place || opens_line(scan, digits)
}

/// `1:7` as the first word of a line, as linters write it below a file's name; also its second
/// half, when the first has been masked.
fn opens_line(scan: &Scan<'_>, digits: usize) -> bool {
    let shown = scan.out.as_str();
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

/// The unit behind a number, with the space before it.
fn unit(bytes: &[u8]) -> Option<(&'static str, usize)> {
    if bytes.first() == Some(&b'%') {
        return Some(("<pct>", 1));
    }
    let space = usize::from(bytes.first() == Some(&b' '));
    let rest = &bytes[space..];
    let length = count(rest, |b| b.is_ascii_alphabetic() || b >= 0x80);
    let mask = match std::str::from_utf8(&rest[..length]).ok()? {
        "ns" | "us" | "µs" | "μs" | "ms" | "s" | "sec" | "secs" | "second" | "seconds" | "m"
        | "min" | "mins" | "minute" | "minutes" | "h" | "hour" | "hours" | "day" | "days"
        | "milliseconds" => "<dur>",
        "B" | "kB" | "KB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB" | "bytes"
        | "byte" => "<size>",
        _ => return None,
    };
    ends_word(rest, length).then_some((mask, space + length))
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
            ("on Mon, 30 Nov 2026 10:00:00 GMT x", "on <time> x"),
            ("Nov 30 10:00:00 host", "<time> host"),
            ("Mon Nov 30 10:00:00 2026: x", "<time> <n>: x"),
            ("Tue, 01 Dec 2026 03:12:44 +0000", "<time>"),
            ("May fail, Sun 3 x", "May fail, Sun 3 x"),
            ("at 10:00:00,5 x", "at <time> x"),
            ("at 0:01:03 x", "at <time> x"),
            ("at 10:00 x", "at 10:00 x"),
            ("took 11.14 ms, 3s, 0.5 seconds", "took <dur>, <dur>, <dur>"),
            ("12µs 3 min 2h 1m30s", "<dur> <dur> <dur> <dur>"),
            ("16.8 MB and 12 bytes, 45%", "<size> and <size>, <pct>"),
            ("3 sums 4 x 5. 6", "3 sums 4 x 5. 6"),
            ("3s_x 3 s1", "3s_x 3 s1"),
            (
                "1.2.3 and 10.20.30. v1.2.3 1.2.3-rc.1",
                "<version> and <version>. <version> <version>",
            ),
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
    fn a_number_that_is_part_of_an_error_code_stays() {
        for line in [
            "ORA-00942: no such table",
            "(TNS-12154)",
            "APP-FND-01564",
            "CVE-2026-12345",
            "SQLSTATE 42501",
            "SQLSTATE: 42P01",
            "SQLCODE=-20001",
            "[WinError 10061]",
            "E0308 TS2304 CS0103 MSB3073 LNK2019 C2065 BC30451 NU1101",
            "ECONNREFUSED ENOENT EAI_AGAIN",
        ] {
            assert_eq!(mask(line, None), line);
        }
        for (line, expected) in [
            ("ORA-1234567", "ORA-<n>"),
            ("PID-12345 JOB-4821", "PID-<n> JOB-<n>"),
            ("GMT-0500 UTC-0500", "GMT-<n> UTC-<n>"),
            ("A-12345 web-12345 aORA-12345", "A-<n> web-<n> aORA-<n>"),
            ("x_ORA-12345 2ORA-12345", "x_ORA-<n> 2ORA-<n>"),
            ("ORA 12345 ORA:12345x -12345", "ORA <n> ORA:12345x -<n>"),
            ("2026-12345", "<n>-<n>"),
            ("AB2026-12345", "AB2026-<n>"),
        ] {
            assert_eq!(mask(line, None), expected, "{line}");
        }
    }

    #[test]
    fn long_numbers_go_and_known_ports_stay() {
        for (line, expected) in [
            ("pid 1234 and 123", "pid <n> and 123"),
            (
                "pid 12, pid=7 (pid: 8) rapid 9",
                "pid <n>, pid=<n> (pid: <n>) rapid 9",
            ),
            ("goroutine 7, attempt #3", "goroutine <n>, attempt #<n>"),
            ("id 12345678901234567890", "id <n>"),
            ("1234x 1234_5", "1234x 1234_5"),
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            (
                "127.0.0.1:32767 :32768 :70000",
                "127.0.0.1:32767 :<port> :<n>",
            ),
            ("port 2222: refused", "port 2222: refused"),
            ("port 44785", "port <port>"),
            (
                "exit code 1234, errno: 10061",
                "exit code 1234, errno: 10061",
            ),
            ("1796060534.2861483 0.30000001 0.5", "<n> <n> 0.5"),
            ("TS2304 HTTP 429", "TS2304 HTTP 429"),
            ("pc=0x457c62 +0x1f 0x1f", "pc=<addr> +<addr> 0x1f"),
        ] {
            assert_eq!(mask(line, None), expected, "{line}");
        }
    }
}
