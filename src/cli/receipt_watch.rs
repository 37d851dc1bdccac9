//! `receipt watch`: takes receipts as other tools write them into a folder.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::contract::catalog::Catalog;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::ops::receipt::{self as receipts, Folder, Ingested, LARGEST};
use crate::ops::store;

use super::out::{Out, Reply};
use super::table::plain;

/// Without news the folder is looked at all the same, for file systems that tell nothing, and to
/// find that a half-written file stays as it is.
const QUIET: Duration = Duration::from_secs(1);

/// Watches until it is ended, or for some seconds.
pub fn run(
    context: &Context,
    path: &str,
    catalog: &Catalog,
    seconds: Option<u64>,
    out: &Out,
) -> Result<Reply, Refusal> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let cause = format!("{path} cannot be watched: {error}");
        Refusal::new(
            Code::FileUnreadable,
            cause,
            "watchfloor receipt watch --help",
        )
    };
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut journal = store::open(context)?;
    let flags = store::flags(context);
    let (told, news) = sync_channel(1);
    // A full channel means that a look is due already.
    let tell = move |event: notify::Result<notify::Event>| {
        // Looking at the files is an event too, and none that calls for another look.
        let news = event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_)));
        if news {
            let _ = told.try_send(());
        }
    };
    let mut watcher = notify::recommended_watcher(tell).map_err(|error| unreadable(&error))?;
    watcher
        .watch(Path::new(path), RecursiveMode::NonRecursive)
        .map_err(|error| unreadable(&error))?;
    let mut folder = Folder::of(Path::new(path), context).map_err(|error| unreadable(&error))?;
    let mut quiet = false;
    loop {
        for arrived in folder.look(quiet).map_err(|error| unreadable(&error))? {
            let name = arrived.file.to_string_lossy();
            if arrived.bytes.len() as u64 > LARGEST {
                let cause = format!("{name} is larger than {} MiB", LARGEST >> 20);
                out.refusal(&Refusal::new(
                    Code::FileUnreadable,
                    cause,
                    format!("ls -l {name}"),
                ));
                continue;
            }
            let (bytes, journal) = (&arrived.bytes, &mut journal);
            let taken = receipts::ingest(context, &name, bytes, catalog, journal, &flags)?;
            // The same bytes as before are no news.
            if taken.outcome != "known" && !print(&taken, out) {
                return Ok(Reply::written());
            }
        }
        let wait = match end {
            Some(end) => match end.checked_duration_since(Instant::now()) {
                Some(left) => left.min(QUIET),
                None => return Ok(Reply::written()),
            },
            None => QUIET,
        };
        quiet = news.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
    }
}

/// One line a file; `false` when the reader went away.
fn print(taken: &Ingested, out: &Out) -> bool {
    let text = if out.json {
        serde_json::to_string(taken).unwrap_or_default()
    } else {
        plain(&format!(
            "{:<8} {} {} {}",
            taken.outcome,
            taken.source,
            taken.receipt_id.as_deref().unwrap_or("-"),
            taken.why()
        ))
    };
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", text.trim_end()).is_ok() && output.flush().is_ok()
}
