//! The `allowed_signers` file, in OpenSSH's own format (spec 7.1).
//!
//! Whatever is in the file that is not one of this product's signers stays as it is, to the
//! byte: the same file may serve git.

use std::path::Path;

use super::files;
use super::line::SignerLine;
use super::principal;
use super::public::Public;
use super::signer::{Signer, namespaces};
use crate::contract::breaker::Approver;
use crate::contract::refusal::{Code, Refusal};

/// One line with its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    bytes: Vec<u8>,
    signer: Option<SignerLine>,
}

/// The file's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedSigners {
    lines: Vec<Line>,
}

impl AllowedSigners {
    /// Reads content. There is nothing that cannot be read: a line that is no signer is kept.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let lines = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| Line {
                bytes: line.to_vec(),
                signer: std::str::from_utf8(line)
                    .ok()
                    .and_then(|text| SignerLine::parse(text.trim_end_matches('\n'))),
            })
            .collect();
        Self { lines }
    }

    /// Reads the file; an absent one is empty.
    ///
    /// # Errors
    /// [`Code::FileUnreadable`] when it is there and cannot be read.
    pub fn load(path: &Path) -> Result<Self, Refusal> {
        let bytes = files::read(path)?;
        Ok(bytes.map_or_else(Self::default, |bytes| Self::parse(&bytes)))
    }

    /// Replaces the file whole: mode 0600, its folder 0700 where it is made.
    ///
    /// # Errors
    /// [`Code::FileUnreadable`] when it cannot be written; the old file is then untouched.
    pub fn save(&self, path: &Path) -> Result<(), Refusal> {
        files::replace(path, &self.to_bytes())
    }

    /// The content, to the byte.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|l| l.bytes.clone()).collect()
    }

    /// Every line that names a signer, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = &SignerLine> {
        self.lines.iter().filter_map(|line| line.signer.as_ref())
    }

    /// The lines with this key, by its `SHA256:` fingerprint.
    pub fn find<'a>(&'a self, fingerprint: &'a str) -> impl Iterator<Item = &'a SignerLine> {
        self.entries()
            .filter(move |entry| entry.key.fingerprint == fingerprint)
    }

    /// Every principal with a role here, as a signer that is not revoked.
    #[must_use]
    pub fn signers(&self) -> Vec<Signer> {
        let mut signers = Vec::new();
        for entry in self.entries().filter(|entry| !entry.roles().is_empty()) {
            for name in &entry.principals {
                signers.push(Signer {
                    principal: name.clone(),
                    fingerprint: entry.key.fingerprint.clone(),
                    public_key: entry.key.text.clone(),
                    roles: entry.roles(),
                    revoked: false,
                });
            }
        }
        signers
    }

    /// Adds a signer at the end: a human with both namespaces, a lead with its own.
    ///
    /// # Errors
    /// [`Code::ContractFault`] for a name that cannot stand here, [`Code::IdentityExists`]
    /// when the name or the key already has a role.
    pub fn add(&mut self, name: &str, role: Approver, key: &Public) -> Result<(), Refusal> {
        principal::check(name)?;
        let taken =
            |signer: &Signer| signer.principal == name || signer.fingerprint == key.fingerprint;
        if let Some(there) = self.signers().iter().find(|signer| taken(signer)) {
            return Err(Refusal::new(
                Code::IdentityExists,
                format!(
                    "{} is a signer already, with {}",
                    there.principal, there.fingerprint
                ),
                "watchfloor identity list",
            ));
        }
        if let Some(last) = self.lines.last_mut()
            && !last.bytes.ends_with(b"\n")
        {
            last.bytes.push(b'\n');
        }
        let comment: String = key.comment.chars().filter(|c| !c.is_control()).collect();
        let line = format!(
            "{name} namespaces=\"{}\" {} {comment}",
            namespaces(role).join(","),
            key.text,
        );
        let line = format!("{}\n", line.trim_end());
        self.lines.extend(Self::parse(line.as_bytes()).lines);
        Ok(())
    }

    /// Takes out every line with this key that gives a role here, and answers the lines taken
    /// out. A line of the same key that gives none (for git, say) stays.
    ///
    /// # Errors
    /// [`Code::NotFound`] when no line has the key and a role.
    pub fn revoke(&mut self, fingerprint: &str) -> Result<Vec<SignerLine>, Refusal> {
        let goes = |line: &Line| {
            line.signer.as_ref().is_some_and(|signer| {
                signer.key.fingerprint == fingerprint && !signer.roles().is_empty()
            })
        };
        let (gone, kept) = self.lines.drain(..).partition::<Vec<Line>, _>(goes);
        self.lines = kept;
        if gone.is_empty() {
            return Err(Refusal::new(
                Code::NotFound,
                format!("no signer has the key {fingerprint}"),
                "watchfloor identity list",
            ));
        }
        Ok(gone.into_iter().filter_map(|line| line.signer).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const B: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBcrJd+9Rw5Pd0L2n7XHcLxqVnPSEm4oPSt0Tsf1vg5q";

    fn key(text: &str) -> Public {
        Public::parse(text).unwrap()
    }

    fn foreign() -> Vec<u8> {
        let mut bytes = b"# signers\r\n\n \t\nme@git namespaces=\"git\" ".to_vec();
        bytes.extend(B.as_bytes());
        bytes.extend(b" for git\nrsa ssh-rsa AAAA\n\xff\xfe broken\nno line end");
        bytes
    }

    #[test]
    fn every_byte_is_kept() {
        for bytes in [foreign(), Vec::new(), b"\n".to_vec(), b"\r\n\r\n".to_vec()] {
            assert_eq!(AllowedSigners::parse(&bytes).to_bytes(), bytes);
        }
    }

    #[test]
    fn added_and_revoked_leaves_the_rest_to_the_byte() {
        let mut file = AllowedSigners::parse(&foreign());
        file.add("ops", Approver::Human, &key(&format!("{A} laptop")))
            .unwrap();
        let line = format!("ops namespaces=\"watchfloor-lead,watchfloor-human\" {A} laptop\n");
        let mut want = foreign();
        want.push(b'\n');
        let before = want.clone();
        want.extend(line.as_bytes());
        assert_eq!(file.to_bytes(), want);
        // The same key of git stands beside the lead's.
        file.add("bot", Approver::Lead, &key(B)).unwrap();
        assert_eq!(file.find(&key(B).fingerprint).count(), 2);
        let names: Vec<String> = file.signers().into_iter().map(|s| s.principal).collect();
        assert_eq!(names, ["ops", "bot"]);
        let gone = file.revoke(&key(B).fingerprint).unwrap();
        assert_eq!((gone.len(), gone[0].roles()), (1, vec![Approver::Lead]));
        file.revoke(&key(A).fingerprint).unwrap();
        assert_eq!(file.to_bytes(), before);
        assert_eq!(
            file.revoke(&key(A).fingerprint).unwrap_err().code,
            Code::NotFound
        );
        assert_eq!(file.to_bytes(), before);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_kept_and_never_panic(bytes: Vec<u8>) {
            assert_eq!(AllowedSigners::parse(&bytes).to_bytes(), bytes);
        }

        #[test]
        fn any_line_before_a_key_is_read_or_kept(front in "[a,\"=\\\\ #\t!*nk-]{0,24}") {
            let text = format!("{front} {A}\n");
            let file = AllowedSigners::parse(text.as_bytes());
            assert_eq!(file.to_bytes(), text.as_bytes());
            assert_eq!(file.signers(), []);
        }
    }

    #[test]
    fn a_name_or_a_key_stands_once() {
        let mut file = AllowedSigners::default();
        file.add("ops", Approver::Lead, &key(A)).unwrap();
        for (name, text) in [("ops", B), ("other", A)] {
            let refusal = file.add(name, Approver::Human, &key(text)).unwrap_err();
            assert_eq!(refusal.code, Code::IdentityExists);
        }
        let refusal = file.add("a b", Approver::Human, &key(B)).unwrap_err();
        assert_eq!(refusal.code, Code::ContractFault);
        assert_eq!(file.entries().count(), 1);
        assert!(
            file.to_bytes()
                .starts_with(b"ops namespaces=\"watchfloor-lead\" ssh-")
        );
    }

    #[test]
    fn a_comment_cannot_bring_a_line_of_its_own() {
        let mut file = AllowedSigners::default();
        let mut sly = key(A);
        sly.comment = format!("x\neve namespaces=\"watchfloor-human\" {B}");
        file.add("ops", Approver::Lead, &sly).unwrap();
        assert_eq!(file.signers().len(), 1);
        assert_eq!(file.to_bytes().split(|b| *b == b'\n').count(), 2);
    }

    #[test]
    fn several_principals_of_a_line_are_several_signers() {
        let text = format!("a,b namespaces=\"watchfloor-human\" {A}\n*@c {B}\n");
        let signers = AllowedSigners::parse(text.as_bytes()).signers();
        let names: Vec<&str> = signers.iter().map(|s| s.principal.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(signers.iter().all(|s| s.roles == [Approver::Human]));
    }

    #[test]
    fn the_file_is_read_and_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("watchfloor/allowed_signers");
        let mut file = AllowedSigners::load(&path).unwrap();
        assert_eq!(file, AllowedSigners::default());
        file.add("ops", Approver::Human, &key(A)).unwrap();
        file.save(&path).unwrap();
        assert_eq!(AllowedSigners::load(&path).unwrap(), file);
        let refusal = AllowedSigners::load(temp.path()).unwrap_err();
        assert_eq!(refusal.code, Code::FileUnreadable);
    }
}
