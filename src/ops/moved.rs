//! Whether the store that is open still lies where it was opened (spec 1.4): a file that was moved,
//! deleted or overwritten goes on to be readable by whoever has it open, and tells what is past.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, MetadataExt};

use crate::contract::refusal::{Code, Refusal};
use crate::journal::unclosed::unclosed;
use crate::journal::{Journal, Page};

use super::context::Context;
use super::store;

/// What every file of the database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// What to run when it does not.
const NEXT: &str = "watchfloor status";

/// A store file, as it was when it was opened.
#[derive(Clone, Debug)]
pub struct StoreFile {
    file: &'static File,
    place: (u64, u64),
    changed: (i64, i64),
    first: Option<String>,
}

impl StoreFile {
    /// Looks at the store file of a context.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn of(context: &Context) -> Result<Self, Refusal> {
        let file = unclosed(&context.store).map_err(|error| gone(context, &error))?;
        let (place, changed) = look(context, file)?;
        Ok(Self {
            file,
            place,
            changed,
            first: first(context)?,
        })
    }

    /// Whether it is still the same.
    ///
    /// # Errors
    /// `store_missing` when it was moved or deleted, `store_damaged` when it was replaced or
    /// overwritten, or what a store that cannot be read says.
    pub fn check(&mut self, context: &Context) -> Result<(), Refusal> {
        let (place, changed) = look(context, self.file)?;
        if place != self.place {
            let cause = format!(
                "another file lies at {} than the one that is open",
                context.store.display()
            );
            return Err(Refusal::new(Code::StoreDamaged, cause, NEXT));
        }
        if changed == self.changed {
            return Ok(());
        }
        // The file itself changes only where the log is written into it, or by another hand.
        let first = first(context)?;
        if self.first.is_some() && first != self.first {
            let cause = format!(
                "{} was overwritten with another store while it was open",
                context.store.display()
            );
            return Err(Refusal::new(Code::StoreDamaged, cause, NEXT));
        }
        self.first = first;
        self.changed = changed;
        Ok(())
    }
}

/// Device and inode, and when it changed last.
type Look = ((u64, u64), (i64, i64));

fn gone(context: &Context, error: &std::io::Error) -> Refusal {
    let path = context.store.display();
    let cause = if error.kind() == std::io::ErrorKind::NotFound {
        format!("{path} was moved or deleted while it was open")
    } else {
        format!("{path} cannot be looked at: {error}")
    };
    Refusal::new(Code::StoreMissing, cause, NEXT)
}

/// What lies at the store's path, and whether the file that is open is a database still.
fn look(context: &Context, file: &File) -> Result<Look, Refusal> {
    let path = &context.store;
    let meta = fs::metadata(path).map_err(|error| gone(context, &error))?;
    let mut magic = [0; 16];
    let read = file.read_exact_at(&mut magic, 0);
    if read.is_err() || &magic != MAGIC {
        let cause = format!(
            "{} is no store any more: it was overwritten",
            path.display()
        );
        return Err(Refusal::new(Code::StoreDamaged, cause, NEXT));
    }
    let place = (meta.dev(), meta.ino());
    Ok((place, (meta.mtime(), meta.mtime_nsec())))
}

/// Id of the first record, read by a connection of its own.
fn first(context: &Context) -> Result<Option<String>, Refusal> {
    store::open_readonly(context)?.read(|read| {
        let page = Page {
            limit: 1,
            ..Page::default()
        };
        let first = read.page(&page)?.into_iter().next();
        Ok(first.map(|record| record.id.to_string()))
    })
}
