//! Hands an output on, byte for byte and at once, and looks at what went by.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::contract::secret;

use super::Happened;
use super::kept::Kept;

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;
/// Bytes before a chunk that are looked at again with it: a secret may lie across two.
const OVERLAP: usize = 4 << 10;

/// One output on its way.
#[derive(Debug)]
pub(super) struct Pump {
    moved: AtomicU64,
    waits: AtomicBool,
    ended: AtomicBool,
}

impl Pump {
    /// Starts a thread that hands on what comes from a command to where this process would write.
    pub(super) fn start(
        from: PipeReader,
        to: impl AsFd,
        kept: &Arc<Mutex<Kept>>,
        tell: &Sender<Happened>,
    ) -> io::Result<Arc<Self>> {
        let to = File::from(to.as_fd().try_clone_to_owned()?);
        let pump = Arc::new(Self {
            moved: AtomicU64::new(0),
            waits: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        let (own, kept, tell) = (Arc::clone(&pump), Arc::clone(kept), tell.clone());
        thread::spawn(move || {
            own.run(from, to, &kept, &tell);
            own.ended.store(true, Ordering::SeqCst);
            drop(tell.send(Happened::Drained));
        });
        Ok(pump)
    }

    /// Whether the output came to its end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// How many bytes went by; `None` while it is at work on some.
    pub(super) fn at_rest(&self) -> Option<u64> {
        let waits = self.waits.load(Ordering::SeqCst);
        waits.then(|| self.moved.load(Ordering::SeqCst))
    }

    fn run(&self, mut from: PipeReader, mut to: File, kept: &Mutex<Kept>, tell: &Sender<Happened>) {
        let mut chunk = vec![0; CHUNK];
        let mut scan = Scan::default();
        loop {
            self.waits.store(true, Ordering::SeqCst);
            let read = from.read(&mut chunk);
            self.waits.store(false, Ordering::SeqCst);
            let bytes = match read {
                Ok(0) => return,
                Ok(read) => &chunk[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if to.write_all(bytes).is_err() {
                // The reader went away. The command learns of it as it would have: its own next
                // write finds nobody.
                return;
            }
            self.moved.fetch_add(bytes.len() as u64, Ordering::SeqCst);
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(bytes);
            if let Some(text) = scan.look(bytes) {
                drop(tell.send(Happened::Leaked(text)));
            }
        }
    }
}

/// The look for secrets across chunks. The first one is told: it stops the agent, and one is
/// enough for that.
#[derive(Debug, Default)]
struct Scan {
    before: Vec<u8>,
    told: bool,
}

impl Scan {
    /// The text around a secret, when these bytes complete the first one.
    fn look(&mut self, bytes: &[u8]) -> Option<String> {
        if self.told {
            return None;
        }
        self.before.extend_from_slice(bytes);
        let text = String::from_utf8_lossy(&self.before);
        let found = !secret::find(&text).is_empty();
        let told = found.then(|| text.into_owned());
        self.told = found;
        let keep = self.before.len().saturating_sub(OVERLAP);
        self.before.drain(..keep);
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_across_two_chunks_is_found_once() {
        let key = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
        let mut scan = Scan::default();
        assert_eq!(scan.look(&vec![b'.'; CHUNK]), None);
        assert_eq!(scan.look(format!("\nkey={}", &key[..9]).as_bytes()), None);
        assert!(scan.look(format!("{}\n", &key[9..]).as_bytes()).is_some());
        assert_eq!(scan.look(key.as_bytes()), None);
        assert!(scan.before.len() <= OVERLAP);
    }
}
