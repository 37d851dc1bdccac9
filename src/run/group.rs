//! The process group of a command: it is started as one, told things as one, and ended as one.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// Signals by which the system ends a program for what the program itself did.
const CRASHES: [Signal; 9] = [
    Signal::ILL,
    Signal::TRAP,
    Signal::ABORT,
    Signal::BUS,
    Signal::FPE,
    Signal::SEGV,
    Signal::SYS,
    Signal::XCPU,
    Signal::XFSZ,
];
/// How long a group has to end by itself once it is told to.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two looks whether a group is gone, while it is being ended.
const LOOK: Duration = Duration::from_millis(20);

/// A process group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// Starts a command as a group of its own.
    pub(super) fn start(
        words: &[OsString],
        set_up: impl FnOnce(&mut Command),
    ) -> io::Result<(Self, Child)> {
        let Some((program, rest)) = words.split_first() else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        let mut command = Command::new(program);
        command.args(rest).process_group(0);
        set_up(&mut command);
        let mut child = command.spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            Ok((Self(group), child))
        } else {
            child.kill()?;
            Err(io::Error::other("the process has no usable id"))
        }
    }

    /// Hands a signal on.
    pub(super) fn tell(self, signal: Signal) {
        // A group that is gone needs none.
        let _ = kill_process_group(self.0, signal);
    }

    /// Whether nobody of the group is left.
    pub(super) fn is_gone(self) -> bool {
        test_kill_process_group(self.0).is_err()
    }

    /// Waits until nobody of the group is left, for so long at most, and ends whoever is left
    /// then. Answers whether it had to.
    pub(super) fn is_gone_or_killed(self, since: Instant, patience: Duration) -> bool {
        while !self.is_gone() {
            if since.elapsed() >= patience {
                self.tell(Signal::KILL);
                return true;
            }
            thread::sleep(LOOK);
        }
        false
    }
}

/// What a shell would say that a command ended with.
pub(super) fn code(status: ExitStatus) -> i32 {
    let signal = || 128 + status.signal().unwrap_or(0);
    status.code().unwrap_or_else(signal)
}

/// Whether a signal ended it that is none of a crash's: then somebody else ended it, be it a person,
/// another program or the system that ran out of memory.
pub(super) fn ended_from_outside(status: ExitStatus) -> bool {
    let crash = |number: i32| CRASHES.iter().any(|crash| crash.as_raw() == number);
    status.signal().is_some_and(|number| !crash(number))
}
