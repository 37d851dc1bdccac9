//! The observer on a thread of its own, beside the console.

use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::store;

use super::Observer;

/// How often it looks.
const LOOK: Duration = Duration::from_secs(1);

/// Ends the thread when it is dropped.
pub struct Guard {
    end: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Guard {
    /// Waits as long as the thread lives, which is until the process is ended.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Looks and tells until the guard is dropped. A store that cannot be written now is tried again:
/// what is observed is still in the transcripts.
///
/// # Errors
/// The store cannot be opened.
pub fn watch(context: &Context, mut observer: Observer) -> Result<Guard, Refusal> {
    let mut journal = store::open(context)?;
    let (end, over) = mpsc::sync_channel::<()>(0);
    let context = context.clone();
    let work = move || {
        drop(observer.settle(&context, &mut journal));
        loop {
            observer.look();
            drop(observer.tell(&mut journal));
            if over.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    };
    let thread = thread::Builder::new()
        .name("observer".to_owned())
        .spawn(work);
    Ok(Guard {
        end: Some(end),
        thread: thread.ok(),
    })
}
