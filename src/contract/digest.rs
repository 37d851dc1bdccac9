//! SHA-256 digests and their written form `sha256:` + 64 lower-case hex.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// All zero: what the first record of a chain follows.
    pub const ZERO: Self = Self([0; 32]);

    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// 64 lower-case hex digits.
    #[must_use]
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        text
    }

    /// Reads `sha256:` + 64 lower-case hex; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:")?.as_bytes();
        if hex.len() != 64 {
            return None;
        }
        let mut bytes = [0u8; 32];
        for (at, pair) in hex.chunks_exact(2).enumerate() {
            bytes[at] = (nibble(pair[0])? << 4) | nibble(pair[1])?;
        }
        Some(Self(bytes))
    }
}

fn nibble(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_known() {
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").hex(), hex);
        assert_eq!(
            Digest::parse(&format!("sha256:{hex}")),
            Some(Digest::of(b""))
        );
        assert_eq!(Digest::of(b"").to_string(), format!("sha256:{hex}"));
    }

    #[test]
    fn other_shapes_are_no_digest() {
        let good = Digest::of(b"x").to_string();
        for bad in [
            good.to_uppercase(),
            good[..70].to_owned(),
            format!("{good}0"),
            good.replace("sha256:", "sha1:"),
            format!("sha256:{}", "g".repeat(64)),
            format!("sha256:{}", "A".repeat(64)),
            format!("sha256:{}", "/".repeat(64)),
            format!("sha256:{}", ":".repeat(64)),
            format!("sha256:{}", "`".repeat(64)),
        ] {
            assert_eq!(Digest::parse(&bad), None, "{bad}");
        }
    }
}
