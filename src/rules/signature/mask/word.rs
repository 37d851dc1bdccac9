//! Words that are ids: of things, of contents, of places in memory, of temporary files.

/// What stands for the id that the text begins with, and how long the id is.
pub(super) fn masked(text: &str) -> Option<(&'static str, usize)> {
    let bytes = text.as_bytes();
    if is_uuid(bytes) {
        return Some(("<uuid>", UUID));
    }
    let run = count(bytes, |b| b.is_ascii_alphanumeric());
    let word = &bytes[..run];
    if word.len() >= 6 && word.starts_with(b"0x") && word[2..].iter().all(u8::is_ascii_hexdigit) {
        return Some(("<addr>", run));
    }
    if is_hash(word) && bytes.get(run) != Some(&b'_') {
        return Some(("<hash>", run));
    }
    let name = count(bytes, |b| b.is_ascii_alphanumeric() || b == b'_');
    if name >= 7 && bytes.starts_with(b"tmp") {
        let odd = |b: &u8| b.is_ascii_digit() || b.is_ascii_uppercase() || *b == b'_';
        return bytes[3..name].iter().any(odd).then_some(("<tmp>", name));
    }
    None
}

const UUID: usize = 36;

fn is_uuid(bytes: &[u8]) -> bool {
    let Some(uuid) = bytes.get(..UUID) else {
        return false;
    };
    let fits = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    uuid.iter().enumerate().all(fits) && !bytes.get(UUID).is_some_and(u8::is_ascii_alphanumeric)
}

/// Seven hex digits or more, letters and digits among them.
fn is_hash(word: &[u8]) -> bool {
    word.len() >= 7
        && word.iter().all(u8::is_ascii_hexdigit)
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().any(u8::is_ascii_alphabetic)
}

fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| fits(**b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_masked() {
        for (text, mask, length) in [
            ("87bb6ad6-841a-4b0c-9a9f-1787cb613a47 x", "<uuid>", 36),
            ("0xc0ff rest", "<addr>", 6),
            ("0x7ffd12ab", "<addr>", 10),
            ("8348ca7 x", "<hash>", 7),
            ("8348ca7a80742723.rs", "<hash>", 16),
            ("tmpab12 x", "<tmp>", 7),
            ("tmp_abc.py", "<tmp>", 7),
            ("tmpABcd", "<tmp>", 7),
        ] {
            assert_eq!(masked(text), Some((mask, length)), "{text}");
        }
        for text in [
            "",
            "abcdefab-841a-4b0c-9a9f-1787cb613a4",
            "abcdefab-841a-4b0c-9a9f_1787cb613a47",
            "0x7D",
            "0x7ffz12",
            "834ca7",
            "defaced",
            "1234567",
            "8348ca7_x",
            "8348caz",
            "tmpab1",
            "tmpabcde",
            "tamper1",
            "template_x",
        ] {
            assert_eq!(masked(text), None, "{text}");
        }
        let joined = "abcdefab-841a-4b0c-9a9f-1787cb613a47a";
        assert_eq!(masked(joined), None);
    }
}
