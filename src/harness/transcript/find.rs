//! Where the agent programs keep their session files, and which of them were written to lately.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::ops::observe::Homes;

use super::Kind;

/// Files that are followed at most; the newest ones.
pub(super) const FILES: usize = 64;
/// Entries of folders that one search looks at, so that a home of any size is searched soon.
const ENTRIES: usize = 50_000;
/// Bytes of a whole document that is read; an older Gemini keeps its chats so.
pub(super) const DOCUMENT: u64 = 8 << 20;

/// A session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Where it lies.
    pub(super) path: PathBuf,
    /// Its format.
    pub(super) kind: Kind,
    /// When it was written to last.
    pub(super) changed: SystemTime,
}

struct Search {
    since: SystemTime,
    left: usize,
    found: Vec<Place>,
}

/// The session files that were written to lately, newest first.
pub(super) fn files(homes: &Homes, now: SystemTime) -> Vec<Place> {
    let recent = Duration::from_secs(homes.recent_s);
    let mut search = Search {
        since: now.checked_sub(recent).unwrap_or(SystemTime::UNIX_EPOCH),
        left: ENTRIES,
        found: Vec::new(),
    };
    search.claude(&homes.claude.join("projects"));
    search.below(&homes.codex.join("sessions"), 3, Kind::Codex, "rollout-");
    for project in search.folders(&homes.gemini.join("tmp")) {
        search.below(&project.join("chats"), 0, Kind::Gemini, "session-");
    }
    search.below(&homes.pi.join("sessions"), 1, Kind::Pi, "");
    let mut found = search.found;
    found.sort_by(|a, b| (b.changed, &a.path).cmp(&(a.changed, &b.path)));
    found.truncate(FILES);
    found
}

/// The databases that are there.
pub(super) fn bases(homes: &Homes) -> Vec<(PathBuf, Kind)> {
    let mut found = vec![
        (homes.opencode.join("opencode.db"), Kind::Opencode),
        (homes.hermes.join("state.db"), Kind::Hermes),
    ];
    found.extend(newest_state(&homes.codex).map(|path| (path, Kind::Threads)));
    found.retain(|(path, _)| fs::metadata(path).is_ok_and(|file| file.is_file()));
    found
}

/// Codex numbers its database by its layout; the highest is in use.
fn newest_state(codex: &Path) -> Option<PathBuf> {
    let number = |entry: &DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let digits = name.strip_prefix("state_")?.strip_suffix(".sqlite")?;
        digits.parse::<u32>().ok()
    };
    let entries = fs::read_dir(codex).ok()?.take(ENTRIES).flatten();
    entries
        .filter_map(|entry| Some((number(&entry)?, entry.path())))
        .max()
        .map(|(_, path)| path)
}

impl Search {
    /// `projects/<project>/<session>.jsonl`, and `<session>/subagents/agent-<id>.jsonl`.
    fn claude(&mut self, projects: &Path) {
        for project in self.folders(projects) {
            self.below(&project, 0, Kind::Claude, "");
            for session in self.folders(&project) {
                self.below(&session.join("subagents"), 0, Kind::Claude, "agent-");
            }
        }
    }

    fn entries(&mut self, folder: &Path) -> Vec<DirEntry> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let entries: Vec<DirEntry> = entries.flatten().take(self.left).collect();
        self.left -= entries.len();
        entries
    }

    fn folders(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = self.entries(folder);
        let folders = entries.iter().filter(|entry| entry.path().is_dir());
        folders.map(DirEntry::path).collect()
    }

    /// Files so many folders below; their names begin so.
    fn below(&mut self, folder: &Path, depth: usize, kind: Kind, begins: &str) {
        if depth > 0 {
            for inner in self.folders(folder) {
                self.below(&inner, depth - 1, kind, begins);
            }
            return;
        }
        for entry in self.entries(folder) {
            self.file(&entry, kind, begins);
        }
    }

    fn file(&mut self, entry: &DirEntry, kind: Kind, begins: &str) {
        let path = entry.path();
        let kind = match path.extension().and_then(|end| end.to_str()) {
            Some("jsonl") => kind,
            Some("json") if kind == Kind::Gemini => Kind::GeminiWhole,
            _ => return,
        };
        let named = path.file_name().and_then(|name| name.to_str());
        if !named.is_some_and(|name| name.starts_with(begins)) {
            return;
        }
        let Ok(meta) = fs::metadata(&path) else {
            return;
        };
        let Ok(changed) = meta.modified() else { return };
        if meta.is_file() && changed >= self.since {
            self.found.push(Place {
                path,
                kind,
                changed,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_where_the_programs_keep_them_and_the_newest_come_first() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        let put = |path: &str, age_s: u64| {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            let file = fs::File::create(at(path)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age_s))
                .unwrap();
        };
        put("claude/projects/-p/s.jsonl", 10);
        put("claude/projects/-p/s/subagents/agent-a1.jsonl", 5);
        put("claude/projects/-p/old.jsonl", 7200);
        put("claude/projects/-p/notes.txt", 1);
        put("codex/sessions/2026/11/30/rollout-x.jsonl", 20);
        put("codex/sessions/2026/11/30/other.jsonl", 1);
        put("codex/state_4.sqlite", 1);
        put("codex/state_12.sqlite", 1);
        put("gemini/tmp/p/chats/session-a.jsonl", 30);
        put("gemini/tmp/p/chats/session-b.json", 40);
        put("pi/sessions/--p--/t_u.jsonl", 50);
        put("hermes/state.db", 1);
        let homes = Homes {
            claude: at("claude"),
            codex: at("codex"),
            gemini: at("gemini"),
            pi: at("pi"),
            opencode: at("opencode"),
            hermes: at("hermes"),
            recent_s: 3600,
        };
        let found = files(&homes, SystemTime::now());
        let kinds: Vec<Kind> = found.iter().map(|place| place.kind).collect();
        assert_eq!(
            kinds,
            [
                Kind::Claude,
                Kind::Claude,
                Kind::Codex,
                Kind::Gemini,
                Kind::GeminiWhole,
                Kind::Pi
            ]
        );
        assert!(found[0].path.ends_with("agent-a1.jsonl"));
        let bases = bases(&homes);
        assert_eq!(bases.len(), 2);
        assert!(bases[1].0.ends_with("state_12.sqlite"));
        assert_eq!(files(&Homes::default(), SystemTime::now()), []);
    }
}
