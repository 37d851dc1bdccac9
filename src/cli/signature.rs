//! `signature`: what a failure text is read as.

use std::fmt::Write as _;

use crate::contract::refusal::Refusal;
use crate::contract::signature::Strength;
use crate::ops::attempt::{self as attempts, Explained};

use super::args::SignatureVerb;
use super::input::input;
use super::out::Reply;
use super::table::{plain, table};

/// `signature explain`.
pub fn run(verb: &SignatureVerb) -> Result<Reply, Refusal> {
    let SignatureVerb::Explain {
        file,
        cwd,
        exit_code,
        tool: _,
    } = verb;
    let text = String::from_utf8_lossy(&input(file)?).into_owned();
    let explained = attempts::explain(&text, *exit_code, cwd.as_deref());
    Reply::of(&explained, human(&explained))
}

fn human(explained: &Explained) -> String {
    let strength = match explained.strength {
        Strength::Strong => "strong: a diagnostic names the cause",
        Strength::Medium => "medium: a tool says what it could not do",
        Strength::Weak => "weak: only the outcome is known, and it is not counted",
    };
    let mut text = format!(
        "{}\nfamily {}\n{strength}\n\nrecords\n",
        explained.signature.as_str(),
        explained.family.as_str()
    );
    for record in &explained.records {
        let _ = writeln!(text, "  {}", plain(record));
    }
    let rows: Vec<Vec<String>> = explained
        .extracted
        .iter()
        .map(|found| {
            let counts = if found.counts { "yes" } else { "no" };
            vec![
                found.line.to_string(),
                found.extractor.to_owned(),
                found.tier.to_owned(),
                counts.to_owned(),
                plain(&found.record),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let head = ["line", "extractor", "tier", "counts", "record"];
        let _ = write!(text, "\n{}\n", table(&head, &rows));
    }
    let masks: Vec<String> = explained
        .masked
        .iter()
        .map(|masked| format!("{} {}", masked.times, masked.mask))
        .collect();
    if !masks.is_empty() {
        let _ = writeln!(text, "\nmasked: {}", masks.join(", "));
    }
    let _ = write!(
        text,
        "\n{} lines read, {} of them known to no extractor",
        explained.lines, explained.dropped
    );
    if let Some(failing) = explained.failing_tests {
        let _ = write!(text, "; {failing} failing tests told");
    }
    text
}
