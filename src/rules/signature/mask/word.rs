//! Words that are ids: of things, of contents, of places in memory, of temporary files.

/// An id: how many bytes of it stay in front, what stands for the rest, how long all of it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Id {
    pub kept: usize,
    pub mask: &'static str,
    pub length: usize,
}

const fn whole(mask: &'static str, length: usize) -> Id {
    Id {
        kept: 0,
        mask,
        length,
    }
}

/// The id that the text begins with. `out` is what stands before it.
pub(super) fn masked(text: &str, out: &str) -> Option<Id> {
    let bytes = text.as_bytes();
    if is_uuid(bytes) {
        return Some(whole("<uuid>", UUID));
    }
    let run = count(bytes, |b| b.is_ascii_alphanumeric());
    let word = &bytes[..run];
    if word.len() >= 6 && word.starts_with(b"0x") && word[2..].iter().all(u8::is_ascii_hexdigit) {
        return Some(whole("<addr>", run));
    }
    let ends = bytes.get(run) != Some(&b'_');
    if ends && is_hash(word) && !is_code(word) {
        return Some(whole("<hash>", run));
    }
    // The name of a pod ends in two of them.
    if ends && run == 5 && out.ends_with("<hash>-") && !word.iter().any(u8::is_ascii_uppercase) {
        return Some(whole("<id>", run));
    }
    if ends && run >= 20 && is_random(word) {
        return Some(whole("<id>", run));
    }
    let name = count(bytes, |b| b.is_ascii_alphanumeric() || b == b'_');
    if name >= 7 && bytes.starts_with(b"tmp") {
        let odd = |b: &u8| b.is_ascii_digit() || b.is_ascii_uppercase() || *b == b'_';
        return if bytes[3..name].iter().any(odd) {
            Some(whole("<tmp>", name))
        } else {
            None
        };
    }
    prefixed(&bytes[..name]).or_else(|| nickname(bytes))
}

/// `req_011CSHoEeqs5C35K2UUqR7Fy`.
fn prefixed(name: &[u8]) -> Option<Id> {
    let last = name.iter().rposition(|b| *b == b'_')?;
    let tail = &name[last + 1..];
    let given = GIVEN.iter().any(|given| name[..last] == *given.as_bytes());
    let mixed = tail.iter().filter(|b| b.is_ascii_digit()).count() >= 2
        && tail.iter().any(u8::is_ascii_alphabetic);
    let id =
        tail.len() >= 12 && (is_random(tail) || is_hash(tail)) || given && tail.len() >= 8 && mixed;
    id.then_some(Id {
        kept: last + 1,
        mask: "<id>",
        length: name.len(),
    })
}

/// What stands before the ids that services give out.
const GIVEN: [&str; 14] = [
    "call", "evt", "id", "job", "msg", "req", "request", "resp", "run", "sess", "session", "span",
    "toolu", "trace",
];

/// `eager_bell (d34db33f...)`: a made-up name before the digest that it stands for.
fn nickname(bytes: &[u8]) -> Option<Id> {
    let name = count(bytes, |b| b.is_ascii_lowercase() || b == b'_');
    let mut parts = bytes[..name].split(|b| *b == b'_');
    let pair = parts.next().is_some() && parts.next().is_some() && parts.next().is_none();
    let digest = bytes[name..].strip_prefix(b" (")?;
    let digits = count(digest, |b| b.is_ascii_hexdigit());
    let masked = digest.starts_with(b"<hash>)");
    let digest = masked || digits >= 12 && digest.get(digits) == Some(&b')');
    if pair && digest {
        Some(whole("<id>", name))
    } else {
        None
    }
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

/// `BC30451`: a few capitals before a few digits are a code, and no digest.
fn is_code(word: &[u8]) -> bool {
    let letters = count(word, |b| b.is_ascii_uppercase());
    (1..=4).contains(&letters)
        && (3..=6).contains(&(word.len() - letters))
        && word[letters..].iter().all(u8::is_ascii_digit)
}

/// Capitals, small letters and digits in no order that a name has.
fn is_random(word: &[u8]) -> bool {
    let of = |fits: fn(&u8) -> bool| word.iter().filter(|b| fits(b)).count();
    of(u8::is_ascii_digit) >= 3
        && of(u8::is_ascii_uppercase) >= 2
        && of(u8::is_ascii_lowercase) >= 2
}

fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| fits(**b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_up_name_stands_before_a_digest() {
        for text in [
            "eager_bell (d34db33fd34d)",
            "eager_bell (<hash>)",
            "a_b (0123456789abcdef)",
        ] {
            let length = text.find(' ').unwrap();
            assert_eq!(
                nickname(text.as_bytes()),
                Some(whole("<id>", length)),
                "{text}"
            );
        }
        for text in [
            "eager_bell (abc)",
            "eager_bell (d34db33fd34d",
            "eager_bell d34db33fd34d)",
            "eagerbell (d34db33fd34d)",
            "eager_old_bell (d34db33fd34d)",
        ] {
            assert_eq!(nickname(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn ids_are_masked() {
        for (text, mask, length) in [
            ("87bb6ad6-841a-4b0c-9a9f-1787cb613a47 x", "<uuid>", 36),
            ("0xc0ff rest", "<addr>", 6),
            ("0x7ffd12ab", "<addr>", 10),
            ("8348ca7 x", "<hash>", 7),
            ("8348ca7a80742723.rs", "<hash>", 16),
            ("ABCDE123", "<hash>", 8),
            ("ABCDE12", "<hash>", 7),
            ("A1234567", "<hash>", 8),
            ("BC3045A", "<hash>", 7),
            ("bc30451", "<hash>", 7),
            ("tmpab12 x", "<tmp>", 7),
            ("tmp_abc.py", "<tmp>", 7),
            ("tmpABcd", "<tmp>", 7),
            ("011CSHoEeqs5C35K2UUqR7Fy", "<id>", 24),
        ] {
            assert_eq!(masked(text, ""), Some(whole(mask, length)), "{text}");
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
            "BC30451",
            "ABCD123",
            "A123456",
            "8348ca7_x",
            "8348caz",
            "tmpab1",
            "tmpabcde",
            "tamper1",
            "template_x",
            "test_it_works_12",
            "ThisIsALongNameOfAClass12",
        ] {
            assert_eq!(masked(text, ""), None, "{text}");
        }
        let joined = "abcdefab-841a-4b0c-9a9f-1787cb613a47a";
        assert_eq!(masked(joined, ""), None);
        let nick = masked("eager_bell (d34db33fd34d): x", "");
        assert_eq!(nick, Some(whole("<id>", 10)));
        assert_eq!(masked("my_branch (d34db33)", ""), None);
        assert_eq!(masked("req_abc12345", "").map(|id| id.kept), Some(4));
        let pod = masked("x2x9z x", "api-<hash>-");
        assert_eq!(pod, Some(whole("<id>", 5)));
        let request = masked("req_011CSHoEeqs5C35K2UUqR7Fy x", "");
        assert_eq!(
            request,
            Some(Id {
                kept: 4,
                mask: "<id>",
                length: 28
            })
        );
    }
}
