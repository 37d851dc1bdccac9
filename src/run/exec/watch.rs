//! Tells when the flag file or the bell of a store changes, so that a stop is seen when it comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::ops::context::Context;
use crate::ops::store;

use super::Happened;

/// A watch over the files that tell of a stop.
pub(super) struct Watch {
    /// A change was told and nobody has looked yet: any number of changes is one look.
    pending: Arc<AtomicBool>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Begins to watch; `None` where the system grants no watch, and looks alone must do.
    pub(super) fn begin(context: &Context, tell: &Sender<Happened>) -> Option<Self> {
        let pending = Arc::new(AtomicBool::new(false));
        let (own, tell) = (Arc::clone(&pending), tell.clone());
        let look = move |event: notify::Result<notify::Event>| {
            // Reading the files, as this very process does, is no change.
            let changed = event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)));
            if changed && !own.swap(true, Ordering::SeqCst) {
                drop(tell.send(Happened::Look));
            }
        };
        let mut watcher = notify::recommended_watcher(look).ok()?;
        for file in store::signs(context) {
            watcher.watch(&file, RecursiveMode::NonRecursive).ok()?;
        }
        Some(Self {
            pending,
            _watcher: watcher,
        })
    }

    /// The change that was told is being looked at.
    pub(super) fn heard(&self) {
        self.pending.store(false, Ordering::SeqCst);
    }
}
