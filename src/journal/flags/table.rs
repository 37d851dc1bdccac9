//! Reading the flag file: what is set.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::contract::scope::Scope;

use super::header::Header;
use super::slot::{Flag, SLOT, Slot};
use super::{SIZE, SLOTS, offset};

/// How long a reader waits for a writer whose half-written slot it may have seen.
pub(super) const RETRY: Duration = Duration::from_millis(500);

/// Slots that the first read takes along with the header.
const FIRST: usize = 15;

/// The flags that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagTable {
    flags: Vec<Flag>,
}

impl FlagTable {
    /// Every flag that is set, in the order of its slots.
    #[must_use]
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The flags on any of these scopes.
    #[must_use]
    pub fn hits(&self, scopes: &[Scope]) -> Vec<Flag> {
        if self.flags.is_empty() {
            return Vec::new();
        }
        let digests: Vec<_> = scopes.iter().map(Scope::digest).collect();
        let hit = |flag: &&Flag| digests.contains(&flag.digest);
        self.flags.iter().filter(hit).cloned().collect()
    }
}

/// Reads the flags; the error says what is wrong with the file.
pub(super) fn read(file: &File) -> Result<FlagTable, String> {
    let length = file.metadata().map_err(|e| e.to_string())?.len();
    if length != SIZE as u64 {
        return Err(format!("it has {length} bytes instead of {SIZE}"));
    }
    let mut bytes = vec![0; SLOT * (FIRST + 1)];
    file.read_exact_at(&mut bytes, 0)
        .map_err(|e| e.to_string())?;
    // A header that is not consistent is no loss as long as every slot is.
    let used = Header::parse(&bytes[..SLOT])
        .and_then(|header| usize::try_from(header.high_water).ok())
        .unwrap_or(SLOTS);
    let mut flags = Vec::new();
    collect(&bytes[SLOT..], 0, used, &mut flags)?;
    if used > FIRST {
        let mut rest = vec![0; SLOT * (used - FIRST)];
        file.read_exact_at(&mut rest, offset(FIRST))
            .map_err(|e| e.to_string())?;
        collect(&rest, FIRST, used, &mut flags)?;
    }
    Ok(FlagTable { flags })
}

fn collect(bytes: &[u8], from: usize, used: usize, flags: &mut Vec<Flag>) -> Result<(), String> {
    for (number, bytes) in (from..used).zip(bytes.chunks_exact(SLOT)) {
        match Slot::parse(bytes, number) {
            Slot::Set(flag) => flags.push(flag),
            Slot::Free => {}
            Slot::Damaged => return Err(format!("slot {number} is damaged")),
        }
    }
    Ok(())
}

/// All slots, as far as they can be read; what cannot counts as damaged.
pub(super) fn salvage(file: &File) -> Vec<Slot> {
    let mut bytes = vec![0; SIZE];
    let mut read = 0;
    while let Ok(more @ 1..) = file.read_at(&mut bytes[read..], read as u64) {
        read += more;
    }
    let whole = |number: usize| read >= (number + 2) * SLOT;
    bytes
        .chunks_exact(SLOT)
        .skip(1)
        .enumerate()
        .map(|(number, slot)| {
            if whole(number) {
                Slot::parse(slot, number)
            } else {
                Slot::Damaged
            }
        })
        .collect()
}
