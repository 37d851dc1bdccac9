//! The bell as the screen's changes.

use std::time::{Duration, Instant};

use crate::console::backend::{Change, Changes};
use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::moved::StoreFile;
use crate::ops::store::{self, Follow, JournalUse};

/// How often it is looked whether the store still lies where it was.
const LOOK: Duration = Duration::from_secs(2);

/// The bell beside the store, and whether the store still lies there.
pub struct Bell {
    follow: Follow,
    context: Context,
    file: StoreFile,
    gone: bool,
    /// A stop that the store cannot take in rings no bell.
    flags: Option<(i64, i64)>,
}

impl Bell {
    /// Follows the store from where it stands.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(context: &Context) -> Result<Self, Refusal> {
        let head = store::open_readonly(context)?.read(|read| Ok(read.head()?.seq))?;
        Ok(Self {
            follow: store::follow(context, head)?,
            file: StoreFile::of(context)?,
            context: context.clone(),
            gone: false,
            flags: store::flags(context).changed_at(),
        })
    }
}

impl Changes for Bell {
    fn wait(&mut self, timeout: Duration) -> Change {
        let begun = Instant::now();
        loop {
            let left = timeout.saturating_sub(begun.elapsed());
            match self.follow.next(left.min(LOOK)) {
                Ok(records) if records.is_empty() => {}
                Ok(_) => return Change::Grew,
                Err(_) => return Change::Lost,
            }
            // Nobody rings for a file that was moved, deleted or overwritten.
            let gone = self.file.check(&self.context).is_err();
            if gone != self.gone {
                self.gone = gone;
                return Change::Grew;
            }
            let flags = store::flags(&self.context).changed_at();
            if flags != self.flags {
                self.flags = flags;
                return Change::Grew;
            }
            if begun.elapsed() >= timeout {
                return Change::Quiet;
            }
        }
    }
}
