//! Times and durations.

/// `2026-11-30`, `2026-11-30T12:00:00.5Z` with a space or an offset as well, `12:00:00.5`,
/// `1:02:03`.
pub(super) fn time(bytes: &[u8]) -> Option<usize> {
    if !shaped(bytes, b"dddd-dd-dd") && !shaped(bytes, b"dddd/dd/dd") {
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
    let whole = if shaped(bytes, b"dd:dd:dd") {
        8
    } else if shaped(bytes, b"d:dd:dd") {
        7
    } else {
        return None;
    };
    let mut length = whole + fraction(&bytes[whole..]);
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
pub(super) fn fraction(bytes: &[u8]) -> usize {
    match bytes {
        [b'.' | b',', rest @ ..] => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 { 0 } else { digits + 1 }
        }
        _ => 0,
    }
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The length of `Mon, 30 Nov 2026 10:00:00 GMT`, `Nov 30 10:00:00`, `30 Nov 2026`; a day of the
/// week alone is none.
pub(super) fn calendar(text: &str) -> Option<usize> {
    let first = text.get(..3)?;
    let named = DAYS.contains(&first) || MONTHS.contains(&first);
    if !named && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut length = 0;
    let mut month = false;
    let mut numbers = 0;
    let mut at = 0;
    for (index, word) in text.split(' ').take(8).enumerate() {
        let bare = word.trim_end_matches(',');
        let number = !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit());
        let fits = if MONTHS.contains(&bare) && !month {
            month = true;
            true
        } else if number && bare.len() <= 4 {
            numbers += 1;
            numbers <= 2
        } else if DAYS.contains(&bare) {
            index == 0
        } else if word.is_empty() {
            month
        } else if month && numbers > 0 && clock(bare.as_bytes()) == Some(bare.len()) {
            true
        } else {
            let zone = matches!(bare, "GMT" | "UTC" | "AM" | "PM")
                || shaped(bare.as_bytes(), b"+dddd")
                || shaped(bare.as_bytes(), b"-dddd");
            month && numbers > 0 && zone
        };
        if !fits {
            break;
        }
        if !word.is_empty() {
            length = at + bare.len();
        }
        at += word.len() + 1;
    }
    (month && numbers > 0).then_some(length)
}

/// The length of a duration with several units: `1m30s`, `2h 3m`.
pub(super) fn compound(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut units = 0;
    loop {
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let whole = digits + fraction(&bytes[at + digits..]);
        let unit = match &bytes[at + whole..] {
            [b'm' | b'n' | b'u', b's', ..] => 2,
            [b'd' | b'h' | b'm' | b's', ..] => 1,
            _ => 0,
        };
        if digits == 0 || unit == 0 {
            break;
        }
        at += whole + unit;
        units += 1;
    }
    let ends = !bytes
        .get(at)
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    (units >= 2 && ends).then_some(at)
}
