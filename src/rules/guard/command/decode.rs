//! Texts that are written in another form: escapes, base64, hexadecimal digits.

use super::super::text::clean;

/// The bytes of base64 as text; `None` where it is none.
pub(super) fn base64(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut held = 0u32;
    let mut bits = 0u32;
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\n' | b'\r' | b' ' | b'\t' => continue,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0x00ff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 255) as u8);
        }
    }
    Some(clean(&String::from_utf8_lossy(&bytes)).into_owned())
}

/// The bytes of hexadecimal digits as text.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks_exact(2)
        .map(|two| ((two[0] << 4 | two[1]) & 255) as u8)
        .collect();
    Some(clean(&String::from_utf8_lossy(&bytes)).into_owned())
}

/// The escapes of `echo -e` and `printf`.
pub(super) fn escapes(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'e') => bytes.push(27),
            Some(b'x') => bytes.push(digits(&mut rest, 16, 2).0),
            Some(b'0') => bytes.push(digits(&mut rest, 8, 3).0),
            Some(first @ b'1'..=b'7') => {
                let (more, count) = digits(&mut rest, 8, 2);
                bytes.push(more.wrapping_add((first - b'0').wrapping_mul(1 << (3 * count))));
            }
            Some(b'\\') | None => bytes.push(b'\\'),
            Some(other) => bytes.extend([b'\\', other]),
        }
    }
    clean(&String::from_utf8_lossy(&bytes)).into_owned()
}

/// A number of at most so many digits, and how many there were.
fn digits(rest: &mut std::iter::Peekable<std::str::Bytes<'_>>, base: u32, most: u32) -> (u8, u32) {
    let mut value = 0u32;
    let mut count = 0;
    while count < most {
        let Some(digit) = rest
            .peek()
            .and_then(|byte| char::from(*byte).to_digit(base))
        else {
            break;
        };
        value = value * base + digit;
        count += 1;
        rest.next();
    }
    ((value & 255) as u8, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_another_form_are_read() {
        assert_eq!(base64("cm0gLXJmIC8=").as_deref(), Some("rm -rf /"));
        assert_eq!(base64("cm0gLXJm\nIC8").as_deref(), Some("rm -rf /"));
        assert_eq!(base64("a*b"), None);
        assert_eq!(hex("72 6d0a").as_deref(), Some("rm\n"));
        assert_eq!(hex("7x"), None);
        assert_eq!(escapes("\\x72\\155\\n\\q\\"), "rm\n\\q\\");
        assert_eq!(escapes("\\0162m"), "rm");
        assert_eq!(escapes("\\7\\18"), "\u{7}\u{1}8");
        assert_eq!(escapes("\\x727\\1551"), "r7m1");
        assert_eq!(escapes("\\e\\r\\t"), "\u{1b}\r\t");
        assert_eq!(base64("-_-_").as_deref(), base64("+/+/").as_deref());
    }
}
