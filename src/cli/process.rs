//! The processes above this one.

pub use crate::ops::process::{Process, host, read};

/// How far up to look.
const DEPTH: usize = 12;

/// The processes above this one, the nearest first; empty where there is no `/proc`.
#[must_use]
pub fn ancestors() -> Vec<Process> {
    let mut above = Vec::new();
    let mut next = std::os::unix::process::parent_id();
    while next > 1 && above.len() < DEPTH {
        let Some((process, parent)) = read(next) else {
            break;
        };
        above.push(process);
        next = parent;
    }
    above
}
