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
        // Where nothing is set nothing is hashed: the first digest of a process asks the processor
        // what it can, which costs more than all the rest of this file where that is virtual.
        let sum = if self.high_water == 0 {
            SUM_OF_NONE
        } else {
            sum(&bytes)
        };
        bytes[240..].copy_from_slice(&sum);
        bytes
    }

    /// Reads a header; `None` when it is not consistent.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let high_water = u32::from_be_bytes(bytes.get(12..16)?.try_into().ok()?);
        let header = Self { high_water };
        (high_water <= count() && header.bytes() == bytes).then_some(header)
    }
}

/// The sum of the header where no slot is used.
const SUM_OF_NONE: [u8; 16] = [
    8, 5, 36, 169, 214, 124, 214, 42, 156, 181, 198, 41, 154, 52, 70, 218,
];

fn sum(bytes: &[u8; SLOT]) -> [u8; 16] {
    let mut sum = [0; 16];
    sum.copy_from_slice(&Digest::of(&bytes[..240]).0[..16]);
    sum
}

fn count() -> u32 {
    u32::try_from(super::SLOTS).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_that_is_not_computed_is_the_one_that_would_be() {
        for high_water in [0, 1, 7, count()] {
            let bytes = Header { high_water }.bytes();
            assert_eq!(bytes[240..], sum(&bytes), "{high_water}");
            let mut other = bytes;
            other[250] ^= 1;
            assert_eq!(Header::parse(&other), None);
            assert_eq!(Header::parse(&bytes), Some(Header { high_water }));
        }
    }
}
