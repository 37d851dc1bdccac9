//! The store's clock: wall time, boot and monotonic time in one reading (spec 1.1).

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

use crate::contract::time::Now;

/// The boot id of a host that does not tell one. Two records that carry it are never taken
/// for records of the same boot.
pub const UNKNOWN_BOOT: &str = "unknown";

/// Where the store takes its times from.
pub trait Clock: Send + Sync {
    /// One reading: UTC and monotonic time in microseconds, and the boot id.
    fn read(&self) -> Now;
}

/// The clock of this host.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn read(&self) -> Now {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH);
        let utc_us = wall.map_or(0, |since| {
            i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
        });
        let mono = clock_gettime(ClockId::Monotonic);
        Now {
            utc_us,
            boot: boot_id().to_owned(),
            mono_us: mono.tv_sec * 1_000_000 + mono.tv_nsec / 1_000,
        }
    }
}

/// The kernel's boot id, read once in a process.
fn boot_id() -> &'static str {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map(|text| text.trim().to_owned())
            .ok()
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| UNKNOWN_BOOT.to_owned())
    })
}

/// A clock that stands still until it is told to move: for tests, demos and replays.
#[derive(Debug)]
pub struct ManualClock(Mutex<Now>);

impl ManualClock {
    /// A clock that shows `utc_us`, with monotonic time 0 of a boot named `boot`.
    #[must_use]
    pub fn new(utc_us: i64, boot: &str) -> Self {
        Self(Mutex::new(Now {
            utc_us,
            boot: boot.to_owned(),
            mono_us: 0,
        }))
    }

    /// Lets microseconds pass on both clocks.
    pub fn pass(&self, us: i64) {
        self.change(|now| {
            now.utc_us += us;
            now.mono_us += us;
        });
    }

    /// Moves the wall clock alone, forwards or backwards, by microseconds.
    pub fn jump(&self, us: i64) {
        self.change(|now| now.utc_us += us);
    }

    /// Starts another boot, whose monotonic time is 0.
    pub fn reboot(&self, boot: &str) {
        self.change(|now| {
            boot.clone_into(&mut now.boot);
            now.mono_us = 0;
        });
    }

    /// Sets the whole reading.
    pub fn set(&self, to: Now) {
        self.change(|now| *now = to);
    }

    fn change(&self, how: impl FnOnce(&mut Now)) {
        how(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Clock for ManualClock {
    fn read(&self) -> Now {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn read(&self) -> Now {
        (**self).read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_goes_forward_within_one_boot() {
        let first = SystemClock.read();
        let second = SystemClock.read();
        assert!(second.mono_us >= first.mono_us);
        assert_eq!(second.boot, first.boot);
        assert!(first.utc_us > 1_700_000_000_000_000);
    }

    #[test]
    fn a_manual_clock_does_as_it_is_told() {
        let clock = ManualClock::new(1_000, "b1");
        clock.pass(5);
        clock.jump(-100);
        let now = clock.read();
        assert_eq!((now.utc_us, now.mono_us), (905, 5));
        clock.reboot("b2");
        assert_eq!(
            (clock.read().boot.as_str(), clock.read().mono_us),
            ("b2", 0)
        );
    }
}
