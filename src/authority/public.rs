//! Public keys as OpenSSH writes them, and their fingerprints (spec 7.1).

use ssh_key::{Algorithm, HashAlg, PublicKey};

use crate::contract::refusal::{Code, Refusal};

/// A public key that can stand behind an approval: `ssh-ed25519`, or the same on a
/// hardware token, `sk-ssh-ed25519@openssh.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Public {
    /// Type and key in OpenSSH form, without a comment.
    pub text: String,
    /// `SHA256:` fingerprint, as `ssh-keygen -l` prints it.
    pub fingerprint: String,
    /// The comment, empty when there is none.
    pub comment: String,
}

impl Public {
    /// Reads one line of a `.pub` file.
    ///
    /// # Errors
    /// [`Code::ContractFault`] when the text is no key, or one of a type that is not taken.
    pub fn parse(line: &str) -> Result<Self, Refusal> {
        let key = PublicKey::from_openssh(line.trim())
            .map_err(|error| refuse(&format!("this is no OpenSSH public key: {error}")))?;
        Self::of(&key)
    }

    /// The public key in this form.
    ///
    /// # Errors
    /// [`Code::ContractFault`] when the key's type is not taken.
    pub fn of(key: &PublicKey) -> Result<Self, Refusal> {
        if !matches!(key.algorithm(), Algorithm::Ed25519 | Algorithm::SkEd25519) {
            return Err(refuse(&format!(
                "keys of type {} are not taken; use ssh-ed25519 or sk-ssh-ed25519@openssh.com",
                key.algorithm()
            )));
        }
        let bare = PublicKey::new(key.key_data().clone(), "");
        let text = bare
            .to_openssh()
            .map_err(|error| refuse(&format!("the key cannot be written: {error}")))?;
        Ok(Self {
            text: text.trim().to_owned(),
            fingerprint: key.fingerprint(HashAlg::Sha256).to_string(),
            comment: key.comment().to_owned(),
        })
    }

    /// Whether the key lives on a hardware token.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        self.text.starts_with("sk-")
    }

    /// The line of a `.pub` file, without its line end.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}", self.text, self.comment)
            .trim_end()
            .to_owned()
    }
}

fn refuse(cause: &str) -> Refusal {
    Refusal::new(Code::ContractFault, cause, "watchfloor identity add --help")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    #[test]
    fn a_key_is_read_with_its_fingerprint() {
        let public = Public::parse(&format!("{KEY} user@example.com\n")).unwrap();
        assert_eq!(public.text, KEY);
        assert_eq!(public.comment, "user@example.com");
        assert!(public.fingerprint.starts_with("SHA256:"));
        assert_eq!(public.line(), format!("{KEY} user@example.com"));
        assert!(!public.is_hardware());
        let bare = Public::parse(KEY).unwrap();
        assert_eq!(bare.line(), KEY);
        assert_eq!(bare.fingerprint, public.fingerprint);
    }

    #[test]
    fn other_texts_and_types_are_refused() {
        let ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc=";
        for bad in [
            "",
            "ssh-ed25519",
            "ssh-ed25519 AAAA",
            "hello world",
            ecdsa,
            &KEY[..60],
        ] {
            assert_eq!(Public::parse(bad).unwrap_err().code, Code::ContractFault);
        }
    }
}
