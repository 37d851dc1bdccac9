//! What programs do with files: deleting, writing, moving, and what a device or a disk suffers.

mod find;
mod programs;
pub(super) mod sed;

use crate::contract::guard::Grantable;

use super::paths::Place;
use super::text;
use super::walk::Walk;

pub(super) use programs::{fills, in_place, judge};

/// What never ends, e.g. the output of `yes`.
pub(super) const ENDLESS: &str = "endless";

impl Walk<'_> {
    /// A file or folder is deleted.
    pub(super) fn deleting(&mut self, path: &str, recursive: bool) {
        self.reads = false;
        let linked = self.linked(path);
        let path = linked.as_deref().unwrap_or(path);
        if self.places.holds_guard(path) {
            self.report("approval.guard-tamper", path, None);
            return;
        }
        let wants = || Some(Grantable::Path(self.places.resolve(&text::known(path))));
        let (rule, wants) = match self.places.place(path) {
            Place::Workspace | Place::Temp | Place::Lock | Place::Null => return,
            Place::Unknown => {
                if recursive {
                    self.unclear("a folder is deleted whose name is not known");
                }
                return;
            }
            Place::Outside | Place::WorkspaceRoot => ("disk.rm-root", wants()),
            Place::Device => ("disk.device", wants()),
            Place::Repository | Place::Objects => ("persist.repo", wants()),
            Place::GitInside => ("git.internals", wants()),
            Place::Store => ("persist.ledger", None),
            Place::Receipts => ("persist.receipts", None),
            Place::Hooks | Place::Config | Place::Settings => ("approval.guard-tamper", None),
            Place::AuthorizedKeys => ("ssh.authorized-keys", None),
        };
        self.report(rule, path, wants);
    }

    /// A file is written or made.
    pub(super) fn writing(&mut self, path: &str) {
        self.connecting(path);
        let linked = self.linked(path);
        let path = linked.as_deref().unwrap_or(path);
        let place = self.places.place(path);
        if place == Place::Null {
            return;
        }
        self.reads = false;
        let objects = place == Place::Objects && self.places.resolve(path).contains(".git/objects");
        let rule = match place {
            Place::Device => "disk.device",
            Place::Objects if objects => "persist.repo",
            Place::Repository | Place::Objects | Place::GitInside => "git.internals",
            Place::Store => "persist.ledger",
            Place::Receipts => "persist.receipts",
            Place::Hooks | Place::Config | Place::Settings => "approval.guard-tamper",
            Place::AuthorizedKeys => "ssh.authorized-keys",
            Place::Outside if text::base(&text::known(path)) == "watchfloor" => {
                "approval.guard-tamper"
            }
            Place::Outside if self.places.is_system(path) => "disk.system",
            _ => return,
        };
        let wants = matches!(rule, "disk.device" | "disk.system" | "git.internals");
        let wants = wants.then(|| Grantable::Path(self.places.resolve(&text::known(path))));
        self.report(rule, path, wants);
    }

    /// A file is written anew: what it held is gone.
    pub(super) fn emptying(&mut self, path: &str) {
        self.writing(path);
        if self.places.place(path) == Place::Outside && self.places.sets_up(path) {
            let wants = Grantable::Path(self.places.resolve(&text::known(path)));
            self.report("disk.system", path, Some(wants));
        }
    }

    /// A file is put to a place that may be a folder, into which it then goes.
    pub(super) fn replacing(&mut self, path: &str) {
        if path.ends_with('/') || super::paths::gathers(path) {
            self.writing(path);
        } else {
            self.emptying(path);
        }
    }

    /// A shell's own way to another machine.
    pub(super) fn connecting(&mut self, path: &str) {
        let rest = path
            .strip_prefix("/dev/tcp/")
            .or_else(|| path.strip_prefix("/dev/udp/"));
        if let Some(rest) = rest {
            let host = rest
                .split('/')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase();
            super::ssh::reach(self, "ssh.tunnel", &host);
        }
    }

    /// A file goes elsewhere: that deletes it where it matters that it stays.
    pub(super) fn moving(&mut self, path: &str) {
        let root = self.places.resolve(&text::known(path));
        let shallow = root.matches('/').count() <= 1 || root == self.places.home();
        match self.places.place(path) {
            _ if self.places.holds_guard(path) => self.deleting(path, true),
            Place::Workspace | Place::Temp | Place::Unknown => self.reads = false,
            Place::Outside if !shallow => self.reads = false,
            _ => self.deleting(path, true),
        }
    }

    /// A program that stands in a file or comes in, where it is known. One that is not may change
    /// something.
    pub(super) fn program(&mut self, file: &str, stdin: &str) -> Option<String> {
        let comes_in = matches!(file, "-" | "/dev/stdin" | "/dev/fd/0");
        let known = self.content(file).filter(|content| text::literal(content));
        let known = known.map(str::to_owned);
        let known = known.or_else(|| (comes_in && text::literal(stdin)).then(|| stdin.to_owned()));
        self.reads &= known.is_some();
        known
    }

    /// What a program that shows a file would write; `None` where it is not known to hold
    /// anything of note.
    pub(super) fn file(&mut self, path: &str) -> String {
        if let Some(content) = self.content(path) {
            return content.to_owned();
        }
        if self.places.is_secret(path) {
            return self.read_secret("secret.read-file", path);
        }
        let endless = matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random");
        text::marked(text::SOMETHING, if endless { ENDLESS } else { "content" })
    }
}

/// Whether an output never ends.
pub(super) fn endless(out: &str) -> bool {
    out.contains(&text::marked(text::SOMETHING, ENDLESS))
}

/// A size as programs take it, in bytes.
pub(super) fn size(written: &str) -> Option<u64> {
    let written = written.trim_start_matches(['+', '<', '>', '/', '%', '-']);
    let digits = written
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(written.len());
    let number: u64 = written[..digits].parse().ok()?;
    let unit = match written[digits..]
        .chars()
        .next()
        .map(|c| c.to_ascii_uppercase())
    {
        None | Some('B' | 'C') => 1,
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some('G') => 1 << 30,
        Some('T') => 1 << 40,
        Some('P' | 'E' | 'Z' | 'Y') => 1 << 50,
        Some(_) => return None,
    };
    Some(number.saturating_mul(unit))
}
