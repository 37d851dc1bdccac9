//! The own deadline of a hook (spec 6.1): the work is done on the thread that asked, so that it
//! costs no more than it must, and another one watches the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes of the watching thread's stack: it waits, and at worst writes one answer.
const STACK: usize = 256 << 10;

/// Does the work. When it takes longer than `time`, `late` is called beside it, once, and this
/// never returns: whoever is late must not answer a second time, so `late` has to end the process.
///
/// Where no thread can be had the work is done without a watch.
pub(super) fn within<T>(
    time: Duration,
    work: impl FnOnce() -> T,
    late: impl FnOnce() + Send + 'static,
) -> T {
    let said = Arc::new(AtomicBool::new(false));
    let (over, waiting) = sync_channel::<()>(1);
    let turn = Arc::clone(&said);
    let watch = thread::Builder::new().stack_size(STACK).spawn(move || {
        let late_now = waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        if late_now && !turn.swap(true, Ordering::AcqRel) {
            late();
        }
    });
    drop(watch);
    let done = work();
    if said.swap(true, Ordering::AcqRel) {
        loop {
            thread::park();
        }
    }
    drop(over);
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn what_is_done_in_time_is_answered_and_nobody_is_late() {
        let (send, told) = mpsc::channel();
        let done = within(
            Duration::from_mins(1),
            || 7,
            move || {
                let _ = send.send(());
            },
        );
        assert_eq!(done, 7);
        assert!(told.recv().is_err(), "the watch ends with the work");
    }

    #[test]
    fn what_is_late_is_told_once_and_answers_no_more() {
        let (send, told) = mpsc::channel();
        let (let_go, held) = mpsc::channel::<()>();
        let (answer, answered) = mpsc::channel();
        thread::spawn(move || {
            let work = move || {
                let _ = held.recv();
            };
            within(Duration::from_millis(1), work, move || {
                let _ = send.send("late");
            });
            let _ = answer.send(());
        });
        assert_eq!(told.recv(), Ok("late"));
        drop(let_go);
        let more = answered.recv_timeout(Duration::from_millis(200));
        assert_eq!(more, Err(RecvTimeoutError::Timeout));
    }
}
