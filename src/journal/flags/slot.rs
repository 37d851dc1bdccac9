//! One slot of the flag file.

use uuid::Uuid;

use crate::contract::breaker::Trigger;
use crate::contract::digest::Digest;
use crate::contract::ids::{AgentId, MissionId, ProjectId, RecordId, TaskId};
use crate::contract::scope::Scope;

use super::{FLEET_SLOTS, PROJECT_SLOTS};

/// Bytes of a slot.
pub(super) const SLOT: usize = 256;
/// Bytes of a reason that are kept.
const REASON: usize = 80;
/// Bytes of a scope key that are kept.
const KEY: usize = 96;
const KINDS: [&str; 5] = ["session", "task", "mission", "project", "fleet"];

/// One stop flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The kind of its scope, as [`Scope::kind`] names it.
    pub kind: &'static str,
    /// [`Scope::digest`] of its scope.
    pub digest: Digest,
    /// What opened the breaker.
    pub trigger: Trigger,
    /// When, in UTC microseconds.
    pub at_us: i64,
    /// The breaker, as [`breaker_key`] makes it.
    pub breaker: [u8; 16],
    /// Why, cut at 80 bytes.
    pub reason: String,
    /// The scope's key, cut at 96 bytes.
    pub key: String,
}

impl Flag {
    /// A flag on a scope. `reason` is cut at a character boundary.
    #[must_use]
    pub fn new(
        scope: &Scope,
        trigger: Trigger,
        at_us: i64,
        breaker: &RecordId,
        reason: &str,
    ) -> Self {
        Self {
            kind: scope.kind(),
            digest: scope.digest(),
            trigger,
            at_us,
            breaker: breaker_key(breaker.as_str()),
            reason: cut(reason, REASON).to_owned(),
            key: cut(&scope.key(), KEY).to_owned(),
        }
    }

    /// The breaker's id as a UUID is written.
    #[must_use]
    pub fn breaker_id(&self) -> RecordId {
        RecordId::new(Uuid::from_bytes(self.breaker).to_string())
    }

    /// The scope, unless its key was too long for the slot.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        let mut parts = self.key.split('\u{1f}');
        let (kind, project, id) = (parts.next()?, parts.next()?, parts.next()?);
        let project = ProjectId::new(project);
        let scope = match kind {
            "session" => Scope::Session {
                agent: AgentId::new(id),
            },
            "task" => Scope::Task {
                project,
                task: TaskId::new(id),
            },
            "mission" => Scope::Mission {
                project,
                mission: MissionId::new(id),
            },
            "project" => Scope::Project {
                project: ProjectId::new(id),
            },
            _ => Scope::Fleet,
        };
        (scope.digest() == self.digest).then_some(scope)
    }

    fn same(&self, other: &Self) -> bool {
        (self.digest, self.trigger, self.breaker) == (other.digest, other.trigger, other.breaker)
    }
}

/// The 16 bytes that stand for a breaker: those of its UUID, or the first of the SHA-256 of an
/// id that is none.
#[must_use]
pub fn breaker_key(id: &str) -> [u8; 16] {
    match Uuid::parse_str(id) {
        Ok(uuid) => uuid.into_bytes(),
        Err(_) => first16(&Digest::of(id.as_bytes())),
    }
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Free,
    Set(Flag),
    Damaged,
}

impl Slot {
    /// The slot's bytes at its number.
    ///
    /// | bytes | content |
    /// |---|---|
    /// | 0 | 1 when set, 0 when free (all else up to the checksum is zero then) |
    /// | 1 | scope kind: 1 session, 2 task, 3 mission, 4 project, 5 fleet |
    /// | 2 | trigger number |
    /// | 3, 4 | bytes of the reason and of the key that are used |
    /// | 8..16 | time in UTC microseconds, big-endian |
    /// | 16..32 | the breaker |
    /// | 32..64 | SHA-256 of the scope key |
    /// | 64..144 | reason |
    /// | 144..240 | scope key |
    /// | 240..256 | the first 16 bytes of the SHA-256 of bytes 0..240 and the number (4 bytes, big-endian) |
    pub(super) fn bytes(&self, number: usize) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        if let Self::Set(flag) = self {
            bytes[0] = 1;
            bytes[1] = kind_number(flag.kind);
            bytes[2] = flag.trigger.number();
            bytes[3] = small(flag.reason.len());
            bytes[4] = small(flag.key.len());
            bytes[8..16].copy_from_slice(&flag.at_us.to_be_bytes());
            bytes[16..32].copy_from_slice(&flag.breaker);
            bytes[32..64].copy_from_slice(&flag.digest.0);
            bytes[64..64 + flag.reason.len()].copy_from_slice(flag.reason.as_bytes());
            bytes[144..144 + flag.key.len()].copy_from_slice(flag.key.as_bytes());
        }
        let sum = checksum(&bytes[..240], number);
        bytes[240..].copy_from_slice(&sum);
        bytes
    }

    /// Reads a slot of this number.
    pub(super) fn parse(bytes: &[u8], number: usize) -> Self {
        match decode(bytes) {
            Some(slot) if slot.bytes(number) == bytes => slot,
            _ => Self::Damaged,
        }
    }
}

/// What the bytes say, before their checksum is looked at. Whoever calls compares the bytes that
/// the result is written as, so nothing that this leaves out can pass.
fn decode(bytes: &[u8]) -> Option<Slot> {
    if *bytes.first()? == 0 {
        return Some(Slot::Free);
    }
    let text = |from: usize, length: u8| {
        let bytes = bytes.get(from..from + usize::from(length))?;
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    };
    let (reason, key) = (*bytes.get(3)?, *bytes.get(4)?);
    if usize::from(reason) > REASON || usize::from(key) > KEY {
        return None;
    }
    Some(Slot::Set(Flag {
        kind: KINDS.get(usize::from(*bytes.get(1)?).checked_sub(1)?)?,
        trigger: *Trigger::ALL.get(usize::from(*bytes.get(2)?).checked_sub(1)?)?,
        at_us: i64::from_be_bytes(bytes.get(8..16)?.try_into().ok()?),
        breaker: bytes.get(16..32)?.try_into().ok()?,
        digest: Digest(bytes.get(32..64)?.try_into().ok()?),
        reason: text(64, reason)?,
        key: text(144, key)?,
    }))
}

/// The slot for a flag: the one it lies in already, or the first free one of those that are open
/// to its kind.
pub(super) fn place(slots: &[Slot], flag: &Flag) -> Option<usize> {
    let lies = |slot: &Slot| matches!(slot, Slot::Set(other) if other.same(flag));
    let open = match flag.kind {
        "fleet" => slots.len(),
        "project" => FLEET_SLOTS,
        _ => PROJECT_SLOTS,
    };
    slots
        .iter()
        .position(lies)
        .or_else(|| slots.iter().take(open).position(|slot| *slot == Slot::Free))
}

fn kind_number(kind: &str) -> u8 {
    KINDS
        .iter()
        .position(|known| *known == kind)
        .map_or(0, |at| small(at + 1))
}

fn small(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

fn checksum(bytes: &[u8], number: usize) -> [u8; 16] {
    let mut all = [0; 244];
    all[..240].copy_from_slice(bytes);
    all[240..].copy_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes());
    first16(&Digest::of(&all))
}

fn first16(digest: &Digest) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    bytes
}

/// The longest start of a text that has at most so many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
