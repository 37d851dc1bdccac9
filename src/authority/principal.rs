//! Names of those who approve (spec 7.1): what a principal may be called, and the file
//! name of its key.

use crate::contract::refusal::{Code, Refusal};

/// Longest principal, in bytes.
pub const LONGEST: usize = 64;

/// Checks that a text can stand as a principal in `allowed_signers` and mean one name only.
///
/// OpenSSH reads principals as patterns in a comma-separated, quotable list, so a name may
/// hold none of the letters with a meaning there.
///
/// # Errors
/// [`Code::ContractFault`] says what is wrong with the name.
pub fn check(name: &str) -> Result<(), Refusal> {
    let wrong = if name.is_empty() {
        Some("is empty".to_owned())
    } else if name.len() > LONGEST {
        Some(format!("is longer than {LONGEST} bytes"))
    } else if name.starts_with(['-', '#', '!']) {
        Some("starts with a letter that means something else".to_owned())
    } else {
        name.chars()
            .find(|c| c.is_whitespace() || c.is_control() || "\"'\\,*?=".contains(*c))
            .map(|c| format!("holds {c:?}"))
    };
    match wrong {
        None => Ok(()),
        Some(wrong) => Err(Refusal::new(
            Code::ContractFault,
            format!("the name of an identity {wrong}"),
            "watchfloor identity add --help",
        )),
    }
}

/// The file name of a principal's key: ASCII letters, digits and `-_@+.` stand for
/// themselves, every other byte is `%XX`. Two principals never share a file, and none ends
/// in `.pub` or starts with a dot.
///
/// ```
/// use watchfloor::authority::principal::file_name;
/// assert_eq!(file_name("ops@laptop"), "ops@laptop");
/// assert_eq!(file_name("../x"), "%2E.%2Fx");
/// ```
#[must_use]
pub fn file_name(name: &str) -> String {
    let bytes = name.as_bytes();
    let suffix_dot = bytes
        .ends_with(b".pub")
        .then(|| bytes.len().saturating_sub(4));
    let mut file = String::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().copied().enumerate() {
        let dot = byte == b'.' && at != 0 && Some(at) != suffix_dot;
        if byte.is_ascii_alphanumeric() || b"-_@+".contains(&byte) || dot {
            file.push(char::from(byte));
        } else {
            file.extend(['%', hex(byte >> 4), hex(byte & 0x0f)]);
        }
    }
    file
}

fn hex(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).map_or('0', |digit| digit.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_second_meaning_are_refused() {
        for good in ["ops@laptop", "anna", "lead-1", "ünal", "a.b+c", "x/y"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let long = "a".repeat(LONGEST + 1);
        for bad in [
            "", "a b", "a,b", "*", "a?", "!a", "-I", "#a", "\"a\"", "a\nb", "a\u{a0}b", "a\\b",
            "a=b", &long,
        ] {
            let refusal = check(bad).unwrap_err();
            assert_eq!(refusal.code, Code::ContractFault, "{bad}");
        }
    }

    #[test]
    fn file_names_are_safe_and_never_shared() {
        let names = [
            "a",
            "a.pub",
            "A",
            "a%2Epub",
            ".",
            "..",
            "../a",
            "a/b",
            "a%2Fb",
            ".ssh",
            "ü",
            "a.pub.pub",
        ];
        let mut files: Vec<String> = names.iter().map(|n| file_name(n)).collect();
        for file in &files {
            assert!(!file.contains('/') && !file.starts_with('.'), "{file}");
            assert!(file.rsplit('.').next() != Some("pub"), "{file}");
        }
        files.sort();
        files.dedup();
        assert_eq!(files.len(), names.len());
    }
}
