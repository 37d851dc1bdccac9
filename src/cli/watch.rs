//! `watch`: one line an event, in words, for a log.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::time::rfc3339;
use crate::ops::context::Context;
use crate::ops::status;
use crate::ops::store::{self, JournalUse};
use crate::ops::told::told;

use super::out::{Out, Reply};
use super::table::plain;

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: String,
    project: &'a str,
    text: String,
}

/// How long one wait for more lasts before it is looked whether the reader is still there.
const WAIT: Duration = Duration::from_secs(5);
/// Records that are read at once.
const AT_ONCE: usize = 1_000;

/// Prints what comes; with `since` first what is there after it.
pub fn run(
    context: &Context,
    since: Option<u64>,
    limit: Option<usize>,
    out: &Out,
) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let head = journal.read(|read| Ok(read.head()?.seq))?;
    let mut last = since.unwrap_or(head).min(head);
    let mut left = limit.unwrap_or(usize::MAX);
    while last < head && left > 0 {
        let records = journal.read(|read| status::records(read, Some(last), AT_ONCE))?;
        let Some(newest) = records.last().map(|record| record.seq) else {
            break;
        };
        last = newest;
        if !print(&records, &mut left, out) {
            return Ok(Reply::written());
        }
    }
    let mut tail = store::follow(context, last)?;
    while left > 0 {
        let records = tail.next(WAIT)?;
        if !print(&records, &mut left, out) {
            break;
        }
    }
    Ok(Reply::written())
}

/// `false` when the reader went away.
fn print(records: &[Record], left: &mut usize, out: &Out) -> bool {
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for record in records.iter().take(*left) {
        let at = rfc3339(record.recorded_at);
        let line = Line {
            seq: record.seq,
            project: record.project.as_str(),
            text: plain(&told(record)),
            at,
        };
        let text = if out.json {
            serde_json::to_string(&line).unwrap_or_default()
        } else {
            let project = plain(line.project);
            format!("{} {} {project}: {}", line.at, line.seq, line.text)
        };
        if writeln!(output, "{text}").is_err() {
            return false;
        }
    }
    *left = left.saturating_sub(records.len());
    output.flush().is_ok()
}
