//! One session file: followed, read row by row, and taken in.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, SessionFact};
use crate::contract::tool::Caller;
use crate::ops::context::Context;
use crate::ops::observe::{Session, Who};

use super::find::DOCUMENT;
use super::follow::{Follower, Look};
use super::lines::Lines;
use super::objects::objects;
use super::{Format, Kind};

/// Where a session works, by its working directory.
pub(super) type At<'a> = &'a dyn Fn(&str) -> Option<Context>;

/// A session file.
pub(super) struct Track {
    path: PathBuf,
    kind: Kind,
    follower: Follower,
    format: Box<dyn Format>,
    known: SessionFact,
    pub(super) session: Option<Session>,
}

impl Track {
    /// A file of which nothing was read yet.
    pub(super) fn new(path: &Path, kind: Kind) -> Self {
        Self {
            path: path.to_path_buf(),
            kind,
            follower: Follower::new(path),
            format: kind.format(),
            known: SessionFact::default(),
            session: None,
        }
    }

    /// Reads what is new. Answers whether there is more to read now.
    pub(super) fn advance(&mut self, at: At<'_>) -> bool {
        let look = self.follower.look();
        if matches!(look, Look::Same | Look::Gone) {
            return false;
        }
        if look == Look::Anew || self.kind == Kind::GeminiWhole {
            self.session = None;
            self.format = self.kind.format();
            self.known = SessionFact::default();
        }
        let mut moments = Vec::new();
        let mut first = Vec::new();
        if look == Look::Anew {
            self.head(&mut first);
        }
        let more = if self.kind == Kind::GeminiWhole {
            self.document(&mut moments);
            self.follower.read(|_, _| {}).unwrap_or(false)
        } else {
            self.rows(&mut moments)
        };
        self.begin(&first, &moments, at);
        if let Some(session) = &mut self.session {
            let inode = self.follower.inode();
            let to = self.follower.to();
            session.read_to(inode, to.max(moments.last().map_or(0, |(_, to)| *to)));
            for (moment, to) in &moments {
                session.take(moment, *to);
            }
            if session.newest_us() == 0 {
                session.touched(changed_us(&self.path));
            }
        }
        more
    }

    /// What a long file tells of itself at its beginning.
    fn head(&mut self, first: &mut Vec<Moment>) {
        let head = self.follower.head();
        let format = &mut self.format;
        Lines::default().take(&head, |line, _| {
            for row in objects(line) {
                format.read(&row, first);
            }
        });
    }

    fn rows(&mut self, moments: &mut Vec<(Moment, u64)>) -> bool {
        let format = &mut self.format;
        let mut made = Vec::new();
        let read = self.follower.read(|line, to| {
            for row in objects(line) {
                format.read(&row, &mut made);
            }
            moments.extend(made.drain(..).map(|moment| (moment, to)));
        });
        read.unwrap_or(false)
    }

    /// A format that is one document is read whole each time; its messages are its rows.
    fn document(&mut self, moments: &mut Vec<(Moment, u64)>) {
        let small = fs::metadata(&self.path).is_ok_and(|file| file.len() <= DOCUMENT);
        let Some(bytes) = small.then(|| fs::read(&self.path).ok()).flatten() else {
            return;
        };
        let mut documents = objects(&bytes);
        let Some(document) = documents.first_mut() else {
            return;
        };
        let rows = document.get_mut("messages").map(Value::take);
        let rows = match rows {
            Some(Value::Array(rows)) => rows,
            _ => Vec::new(),
        };
        for (at, row) in std::iter::once(&*document).chain(&rows).enumerate() {
            let mut made = Vec::new();
            self.format.read(row, &mut made);
            moments.extend(made.into_iter().map(|moment| (moment, at as u64)));
        }
    }

    /// Begins the session as soon as it is known which one it is.
    fn begin(&mut self, first: &[Moment], moments: &[(Moment, u64)], at: At<'_>) {
        let all = first.iter().chain(moments.iter().map(|(moment, _)| moment));
        for moment in all.clone() {
            if let Fact::Session(fact) = &moment.fact {
                self.known.session = self.known.session.take().or_else(|| fact.session.clone());
                self.known.subagent = self.known.subagent.take().or_else(|| fact.subagent.clone());
                self.known.cwd = self.known.cwd.take().or_else(|| fact.cwd.clone());
            }
        }
        if self.session.is_some() || all.count() == 0 {
            return;
        }
        let stem = self
            .path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        let cwd = self
            .known
            .cwd
            .clone()
            .or_else(|| self.root())
            .unwrap_or_default();
        let Some(context) = at(&cwd) else { return };
        let caller = Caller {
            harness: self.kind.harness().to_owned(),
            session: self.known.session.clone().or(stem).unwrap_or_default(),
            subagent: self.known.subagent.clone(),
            cwd,
        };
        let file = self.path.display().to_string();
        let mut session = Session::new(Who { caller, file }, context);
        for moment in first {
            session.before(moment);
        }
        self.session = Some(session);
    }

    /// Gemini keeps the project's folder beside its chats.
    fn root(&self) -> Option<String> {
        let project = self.path.parent()?.parent()?;
        let root = fs::read_to_string(project.join(".project_root")).ok()?;
        Some(root.trim().to_owned()).filter(|root| !root.is_empty())
    }
}

fn changed_us(path: &Path) -> i64 {
    fs::metadata(path).map_or(0, |file| {
        file.mtime() * 1_000_000 + file.mtime_nsec() / 1000
    })
}
