//! The flag file's header: how many slots a reader must look at.

use crate::contract::digest::Digest;

use super::slot::{SLOT, Slot};

const MAGIC: &[u8; 8] = b"WFFLAGS1";

/// The header, as large as a slot.
///
/// | bytes | content |
/// |---|---|
/// | 0..8 | `WFFLAGS1` |
/// | 8..12 | number of slots, big-endian |
/// | 12..16 | high-water mark: slots from this number on are free |
/// | 16..240 | zero |
/// | 240..256 | the first 16 bytes of the SHA-256 of all before |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Slots from here on are free.
    pub(super) high_water: u32,
}

impl Header {
    /// The header of these slots.
    pub(super) fn over(slots: &[Slot]) -> Self {
        let used = slots
            .iter()
            .rposition(|slot| !matches!(slot, Slot::Free))
            .map_or(0, |at| at + 1);
        Self {
            high_water: u32::try_from(used).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn bytes(self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&count().to_be_bytes());
        bytes[12..16].copy_from_slice(&self.high_water.to_be_bytes());
        let sum = Digest::of(&bytes[..240]);
        bytes[240..].copy_from_slice(&sum.0[..16]);
        bytes
    }

    /// Reads a header; `None` when it is not consistent.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let high_water = u32::from_be_bytes(bytes.get(12..16)?.try_into().ok()?);
        let header = Self { high_water };
        (high_water <= count() && header.bytes() == bytes).then_some(header)
    }
}

fn count() -> u32 {
    u32::try_from(super::SLOTS).unwrap_or(u32::MAX)
}
