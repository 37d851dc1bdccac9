//! Times: UTC microseconds inside, RFC 3339 at the edges (spec 1.1).

use jiff::Timestamp;

/// What the store's clock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// UTC microseconds since 1970.
    pub utc_us: i64,
    /// Boot id of this host.
    pub boot: String,
    /// `CLOCK_MONOTONIC` in microseconds.
    pub mono_us: i64,
}

/// A difference of clocks above this many microseconds is a jump: 10 minutes.
pub const JUMP_US: i64 = 10 * 60 * 1_000_000;

/// RFC 3339 with six fraction digits, in UTC.
///
/// ```
/// use watchfloor::contract::time::rfc3339;
/// assert_eq!(rfc3339(1_500_000), "1970-01-01T00:00:01.500000Z");
/// ```
#[must_use]
pub fn rfc3339(utc_us: i64) -> String {
    match Timestamp::from_microsecond(utc_us) {
        Ok(stamp) => format!("{stamp:.6}"),
        Err(_) => "out of range".to_owned(),
    }
}

/// Reads an RFC 3339 time: a date, `T`, a time and an offset. `None` for anything else,
/// also for the wider forms that other readers take.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied();
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if separators.iter().any(|&(i, b)| at(i) != Some(b)) || !matches!(at(10), Some(b'T' | b't')) {
        return None;
    }
    let digits = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18];
    if digits
        .iter()
        .any(|&i| !at(i).is_some_and(|b| b.is_ascii_digit()))
    {
        return None;
    }
    let mut rest = text.get(19..)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        rest = &fraction[count..];
    }
    let offset = rest.as_bytes();
    let numeric = offset.len() == 6
        && matches!(offset[0], b'+' | b'-')
        && offset[3] == b':'
        && [1, 2, 4, 5].iter().all(|&i| offset[i].is_ascii_digit());
    if !(matches!(offset, b"Z" | b"z") || numeric) {
        return None;
    }
    let stamp: Timestamp = text.parse().ok()?;
    Some(stamp.as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        assert_eq!(
            parse_rfc3339("2026-11-30T12:00:00Z"),
            Some(1_796_040_000_000_000)
        );
        assert_eq!(
            parse_rfc3339("2026-11-30T12:00:00.25Z"),
            Some(1_796_040_000_250_000)
        );
        assert_eq!(
            parse_rfc3339("2026-11-30t14:00:00+02:00"),
            Some(1_796_040_000_000_000)
        );
        assert_eq!(
            rfc3339(1_796_040_000_250_000),
            "2026-11-30T12:00:00.250000Z"
        );
        assert_eq!(rfc3339(i64::MAX), "out of range");
    }

    #[test]
    fn other_forms_are_no_time() {
        for bad in [
            "yesterday",
            "",
            "2026-11-30",
            "2026-11-30T12:00Z",
            "2026-11-30 12:00:00Z",
            "2026-11-30T12:00:00",
            "2026-11-30T12:00:00.Z",
            "2026-13-30T12:00:00Z",
            "2026-11-30T25:00:00Z",
            "2026-11-30T12:00:00+0200",
            "2026-11-30T12:00:00+2:00",
            "2026-11-30T12:00:00Z ",
            "20261130T120000Z",
            "2026-11-30T12:00:00Z[UTC]",
            "2026/11/30T12:00:00Z",
            "2026-11-30T12.00:00Z",
            "2026-11-30T12:00.00Z",
            "2026-11/30T12:00:00Z",
            "2026-11-30T12:00:00+02-00",
            "2026-11-30T12:00:00*02:00",
            "2026-11-30T12:00:00+0a:00",
            "２026-11-30T12:00:00Z",
        ] {
            assert_eq!(parse_rfc3339(bad), None, "{bad}");
        }
    }
}
