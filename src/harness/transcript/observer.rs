//! All sessions of this machine that were written to lately.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::contract::ids::AgentId;
use crate::contract::observed::{Fact, Observed};
use crate::contract::refusal::Refusal;
use crate::contract::tool::Caller;
use crate::ops::context::Context;
use crate::ops::observe::{self, Homes, Life, Recorded, Session, Who};
use crate::ops::store::Store;

use super::alive::{self, Running};
use super::base::{Base, Found};
use super::find;
use super::track::Track;

/// How often it is searched for other files, and for processes.
const SEARCH: Duration = Duration::from_secs(5);
/// How often at most one session is told anew.
const TELL: Duration = Duration::from_secs(5);
/// Times that one look reads on in a file that has more.
const LOOKS: usize = 16;
/// Sessions of databases that are kept.
const SESSIONS: usize = 256;

/// Makes the context of a working directory.
type At = Box<dyn Fn(&str) -> Option<Context> + Send>;

/// Finds and follows the transcripts of all agent programs.
pub struct Observer {
    homes: Homes,
    at: At,
    files: BTreeMap<PathBuf, Track>,
    bases: BTreeMap<PathBuf, Base>,
    /// Sessions that lie in databases.
    kept: BTreeMap<AgentId, Session>,
    running: Vec<Running>,
    searched: Option<Instant>,
    told: BTreeMap<AgentId, Instant>,
}

impl Observer {
    /// Nothing was read yet. `at` makes the context of a session's working directory.
    #[must_use]
    pub fn new(homes: Homes, at: impl Fn(&str) -> Option<Context> + Send + 'static) -> Self {
        Self {
            homes,
            at: Box::new(at),
            files: BTreeMap::new(),
            bases: BTreeMap::new(),
            kept: BTreeMap::new(),
            running: Vec::new(),
            searched: None,
            told: BTreeMap::new(),
        }
    }

    /// Reads what is new everywhere.
    pub fn look(&mut self) {
        if self.searched.is_none_or(|at| at.elapsed() >= SEARCH) {
            self.search();
            self.searched = Some(Instant::now());
        }
        for track in self.files.values_mut() {
            let mut looks = 0;
            while track.advance(&self.at) && looks < LOOKS {
                looks += 1;
            }
        }
        let since = self.since_us();
        let mut found = Vec::new();
        for base in self.bases.values_mut() {
            let news = base.news(since);
            let (harness, inode) = (base.harness, base.inode());
            found.extend(
                news.into_iter()
                    .map(|one| (base.path.clone(), harness, inode, one)),
            );
        }
        for (path, harness, inode, one) in found {
            self.keep(&path, harness, inode, one);
        }
        while self.kept.len() > SESSIONS {
            let oldest = self
                .kept
                .iter()
                .min_by_key(|(_, session)| session.newest_us());
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                break;
            };
            self.kept.remove(&id);
        }
    }

    fn search(&mut self) {
        let found = find::files(&self.homes, SystemTime::now());
        let names: BTreeSet<&PathBuf> = found.iter().map(|place| &place.path).collect();
        self.files.retain(|path, track| {
            let open = track
                .session
                .as_ref()
                .is_some_and(|session| !session.is_settled());
            names.contains(path) || (open && path.exists())
        });
        for place in &found {
            self.files
                .entry(place.path.clone())
                .or_insert_with(|| Track::new(&place.path, place.kind));
        }
        for (path, kind) in find::bases(&self.homes) {
            if let Some(keeping) = kind.keeping() {
                let base = || Base::new(&path, kind.harness(), keeping);
                self.bases.entry(path.clone()).or_insert_with(base);
            }
        }
        self.running = alive::running();
    }

    /// Takes in what a database told of one session. Where a file tells of the same session, the
    /// database only names it.
    fn keep(&mut self, path: &Path, harness: &'static str, inode: u64, found: Found) {
        let cwd = found.session.cwd.unwrap_or_default();
        let caller = Caller {
            harness: harness.to_owned(),
            session: found.session.session.unwrap_or_default(),
            subagent: found.session.subagent,
            cwd,
        };
        let id = caller.agent();
        let filed = self
            .files
            .values_mut()
            .filter_map(|track| track.session.as_mut());
        if let Some(session) = filed.into_iter().find(|session| session.agent() == id) {
            for (moment, to) in &found.moments {
                if matches!(moment.fact, Fact::Title(_)) {
                    session.take(moment, *to);
                }
            }
            return;
        }
        if found.filed {
            return;
        }
        if !self.kept.contains_key(&id) {
            let Some(context) = (self.at)(&caller.cwd) else {
                return;
            };
            let file = path.display().to_string();
            self.kept
                .insert(id.clone(), Session::new(Who { caller, file }, context));
        }
        if let Some(session) = self.kept.get_mut(&id) {
            session.read_to(inode, found.to);
            for (moment, to) in &found.moments {
                session.take(moment, *to);
            }
            session.touched(found.touched_us);
        }
    }

    fn sessions(&self) -> impl Iterator<Item = &Session> {
        let filed = self
            .files
            .values()
            .filter_map(|track| track.session.as_ref());
        filed.chain(self.kept.values())
    }

    /// The process of each session: as many of the newest sessions of a program in a folder as
    /// there are processes of it there.
    fn lives(&self) -> BTreeMap<AgentId, Life> {
        let mut free = self.running.clone();
        free.sort_by_key(|one| std::cmp::Reverse(one.pid));
        let roots = self
            .sessions()
            .filter(|session| session.who().caller.subagent.is_none());
        let mut roots: Vec<&Session> = roots.collect();
        roots.sort_by_key(|session| std::cmp::Reverse(session.newest_us()));
        let mut lives = BTreeMap::new();
        for session in roots {
            let caller = &session.who().caller;
            let cwd = &session.context().cwd;
            let at = free
                .iter()
                .position(|one| one.harness == caller.harness && one.cwd == *cwd);
            if let Some(at) = at {
                lives.insert(session.agent(), Life::Process(free.remove(at).pid));
            }
        }
        lives
    }

    /// What is known of every session, the newest first.
    #[must_use]
    pub fn agents(&self) -> Vec<Observed> {
        let (now, lives) = (now_us(), self.lives());
        let life = |session: &Session| lives.get(&session.agent()).copied().unwrap_or_default();
        let mut sessions: Vec<&Session> = self.sessions().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.newest_us()));
        sessions
            .into_iter()
            .map(|session| session.observed(now, life(session)))
            .collect()
    }

    /// Says of agents in the store that are too old to be followed that they have ended.
    ///
    /// # Errors
    /// The store fails.
    pub fn settle(&self, context: &Context, journal: &mut Store) -> Result<usize, Refusal> {
        observe::settle(context, self.since_us(), journal)
    }

    /// How old a session may be, as a time in UTC microseconds.
    fn since_us(&self) -> i64 {
        let recent = i64::try_from(self.homes.recent_s).unwrap_or(i64::MAX);
        now_us()
            .saturating_sub(recent.saturating_mul(1_000_000))
            .max(0)
    }

    /// Records what changed, the oldest first, so that the newest stands at the top. Answers how
    /// many observations were appended.
    ///
    /// # Errors
    /// The store fails; what was not recorded is told the next time.
    pub fn tell(&mut self, journal: &mut Store) -> Result<usize, Refusal> {
        self.told.retain(|_, at| at.elapsed() < TELL);
        self.tell_all(journal)
    }

    /// The same, also of sessions that were told a moment ago.
    ///
    /// # Errors
    /// As [`Self::tell`].
    pub fn tell_at_once(&mut self, journal: &mut Store) -> Result<usize, Refusal> {
        self.told.clear();
        self.tell_all(journal)
    }

    fn tell_all(&mut self, journal: &mut Store) -> Result<usize, Refusal> {
        let (now, lives) = (now_us(), self.lives());
        let filed = self
            .files
            .values_mut()
            .filter_map(|track| track.session.as_mut());
        let mut sessions: Vec<&mut Session> = filed.chain(self.kept.values_mut()).collect();
        sessions.sort_by_key(|session| session.newest_us());
        let mut appended = 0;
        for session in sessions {
            let id = session.agent();
            if self.told.contains_key(&id) {
                continue;
            }
            let life = lives.get(&id).copied().unwrap_or_default();
            let Some(observed) = session.tell(now, life) else {
                continue;
            };
            let recorded = observe::record(session.context(), &observed, journal)?;
            appended += usize::from(matches!(recorded, Recorded::At(_)));
            session.was_told(observed);
            self.told.insert(id, Instant::now());
        }
        Ok(appended)
    }
}

fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    })
}
