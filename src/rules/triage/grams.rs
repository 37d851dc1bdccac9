//! A sieve before the search: which runs of four bytes a text holds, roughly. A token with a run
//! that the text does not hold cannot be in it, so nearly all of some hundred searches fall away.

/// Bytes of a run.
const RUN: usize = 4;

/// The runs of a text, by their hash. It may say yes wrongly, and never no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grams {
    bits: Vec<u64>,
    shift: u32,
}

impl Grams {
    /// The runs of a text.
    pub(super) fn of(text: &str) -> Self {
        let width = (text.len().max(1) * 8).next_power_of_two().ilog2();
        let width = width.clamp(10, 23);
        let mut grams = Self {
            bits: vec![0; 1 << (width - 6)],
            shift: 32 - width,
        };
        for run in text.as_bytes().windows(RUN) {
            let (word, bit) = grams.place(run);
            if let Some(word) = grams.bits.get_mut(word) {
                *word |= bit;
            }
        }
        grams
    }

    /// Whether a token may be in the text.
    pub(super) fn may_hold(&self, token: &str) -> bool {
        token.as_bytes().windows(RUN).all(|run| {
            let (word, bit) = self.place(run);
            self.bits.get(word).is_none_or(|word| word & bit != 0)
        })
    }

    fn place(&self, run: &[u8]) -> (usize, u64) {
        let packed = run
            .iter()
            .fold(0_u32, |packed, byte| packed << 8 | u32::from(*byte));
        let hash = packed.wrapping_mul(0x9e37_79b1) >> self.shift;
        let word = usize::try_from(hash >> 6).unwrap_or(usize::MAX);
        (word, 1 << (hash & 63))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_there_is_mostly_known_not_to_be() {
        let grams = Grams::of("error: linking with `cc` failed: exit status: 1");
        for token in ["linking with", "cc", "a", "", "exit status: 1"] {
            assert!(grams.may_hold(token), "{token}");
        }
        let absent = [
            "no space left",
            "connection refused",
            "merge conflict",
            "linkage",
        ];
        assert!(absent.iter().all(|token| !grams.may_hold(token)));
    }

    proptest! {
        #[test]
        fn what_is_there_is_never_denied(before in "\\PC{0,40}", token in "\\PC{0,12}", after in "\\PC{0,40}") {
            let grams = Grams::of(&format!("{before}{token}{after}"));
            prop_assert!(grams.may_hold(&token));
        }
    }
}
