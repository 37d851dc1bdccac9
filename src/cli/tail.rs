//! `tail`: records as they are, oldest first.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::LogRow;
use crate::ops::context::Context;
use crate::ops::detail;
use crate::ops::status;
use crate::ops::store::{self, JournalUse};

use super::out::{Out, Reply};
use super::table::plain;

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    row: LogRow,
    body: serde_json::Value,
}

/// How long one wait for more lasts before it is looked whether the reader is still there.
const WAIT: Duration = Duration::from_secs(5);

/// Prints what is there, and with `follow` what comes.
pub fn run(
    context: &Context,
    follow: bool,
    since: Option<u64>,
    limit: usize,
    out: &Out,
) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let (records, head) =
        journal.read(|read| Ok((status::records(read, since, limit)?, read.head()?.seq)))?;
    let mut last = records.last().map_or(head, |record| record.seq);
    if !print(&records, out) || !follow {
        return Ok(Reply::written());
    }
    let mut tail = store::follow(context, last)?;
    loop {
        let records = tail.next(WAIT)?;
        last = records.last().map_or(last, |record| record.seq);
        if !print(&records, out) {
            return Ok(Reply::written());
        }
    }
}

/// `false` when the reader went away.
fn print(records: &[Record], out: &Out) -> bool {
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for record in records {
        let text = if out.json {
            let body = serde_json::from_str(&record.body).unwrap_or_default();
            serde_json::to_string(&Line {
                row: status::row(record.clone()),
                body,
            })
            .unwrap_or_default()
        } else {
            let row = status::row(record.clone());
            format!(
                "{:>6}  {}",
                record.seq,
                plain(&detail::line(&row, &record.body))
            )
        };
        if writeln!(output, "{text}").is_err() {
            return false;
        }
    }
    output.flush().is_ok()
}
