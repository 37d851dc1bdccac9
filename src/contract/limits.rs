//! Hard limits (spec 3.2): configurable, never absent, validated before any counter is used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::Fault;

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Tries in a mission; the try that reaches it trips.
    pub max_iterations: u32,
    /// Failing tries after the first one in a task.
    pub max_repairs: u32,
    /// Failing tries with one signature in a task.
    pub max_same_signature: u32,
    /// Tries with a weak signature between two suspicions.
    pub max_weak: u32,
    /// Tries that touch one file between two suspicions.
    pub churn: u32,
    /// Free bytes that a file system must keep, or 2 % of it, whichever is less.
    pub min_free_bytes: u64,
    /// Free inodes that a file system must keep.
    pub min_free_inodes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 50,
            max_repairs: 3,
            max_same_signature: 2,
            max_weak: 10,
            churn: 3,
            min_free_bytes: 1 << 30,
            min_free_inodes: 10_000,
        }
    }
}

impl Limits {
    /// Every limit must be at least 1 (the disk limits may be 0).
    ///
    /// # Errors
    /// All faults together.
    pub fn validate(&self) -> Result<(), Vec<Fault>> {
        let counters = [
            ("max_iterations", self.max_iterations),
            ("max_repairs", self.max_repairs),
            ("max_same_signature", self.max_same_signature),
            ("max_weak", self.max_weak),
            ("churn", self.churn),
        ];
        let faults: Vec<Fault> = counters
            .iter()
            .filter(|(_, value)| *value == 0)
            .map(|(name, _)| Fault::new("greater_than_equal", *name, "must be at least 1"))
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }
}

impl Limits {
    /// The limits that are looser than the defaults, by name. Loosening one is a human's signed
    /// decision (spec 7.2); making one stricter is anybody's.
    #[must_use]
    pub fn looser(&self) -> Vec<&'static str> {
        let default = Self::default();
        let counters = [
            (
                "max_iterations",
                self.max_iterations > default.max_iterations,
            ),
            ("max_repairs", self.max_repairs > default.max_repairs),
            (
                "max_same_signature",
                self.max_same_signature > default.max_same_signature,
            ),
            ("max_weak", self.max_weak > default.max_weak),
            ("churn", self.churn > default.churn),
            (
                "min_free_bytes",
                self.min_free_bytes < default.min_free_bytes,
            ),
            (
                "min_free_inodes",
                self.min_free_inodes < default.min_free_inodes,
            ),
        ];
        counters
            .into_iter()
            .filter(|(_, looser)| *looser)
            .map(|(name, _)| name)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_hold_and_zero_is_refused() {
        assert_eq!(Limits::default().validate(), Ok(()));
        let zero = Limits {
            max_iterations: 0,
            max_repairs: 0,
            max_same_signature: 0,
            max_weak: 0,
            churn: 0,
            ..Limits::default()
        };
        assert_eq!(zero.validate().map_err(|f| f.len()), Err(5));
        let one = Limits {
            max_iterations: 1,
            max_repairs: 1,
            max_same_signature: 1,
            max_weak: 1,
            churn: 1,
            min_free_bytes: 0,
            min_free_inodes: 0,
        };
        assert_eq!(one.validate(), Ok(()));
        assert_eq!(Limits::default().min_free_bytes, 1_073_741_824);
    }

    #[test]
    fn looser_limits_are_told_from_stricter_ones() {
        let d = Limits::default();
        assert_eq!(d.looser(), Vec::<&str>::new());
        let strict = Limits {
            max_iterations: d.max_iterations - 1,
            max_repairs: d.max_repairs - 1,
            max_same_signature: d.max_same_signature - 1,
            max_weak: d.max_weak - 1,
            churn: d.churn - 1,
            min_free_bytes: d.min_free_bytes + 1,
            min_free_inodes: d.min_free_inodes + 1,
        };
        assert_eq!(strict.looser(), Vec::<&str>::new());
        let loose = Limits {
            max_iterations: d.max_iterations + 1,
            max_repairs: d.max_repairs + 1,
            max_same_signature: d.max_same_signature + 1,
            max_weak: d.max_weak + 1,
            churn: d.churn + 1,
            min_free_bytes: d.min_free_bytes - 1,
            min_free_inodes: d.min_free_inodes - 1,
        };
        assert_eq!(
            loose.looser(),
            [
                "max_iterations",
                "max_repairs",
                "max_same_signature",
                "max_weak",
                "churn",
                "min_free_bytes",
                "min_free_inodes"
            ]
        );
    }
}
