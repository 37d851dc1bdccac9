//! `triage`: failure codes.

use crate::contract::catalog::Entry;
use crate::contract::code::{
    AliasRequest, CodeAnswer, CodePreview, CodeShown, PromoteRequest, Rendered,
};
use crate::contract::fault::Fault;
use crate::contract::refusal::Refusal;
use crate::contract::row::CodeRow;
use crate::ops::codes::{self, Answer, Codes};
use crate::ops::context::Context;
use crate::ops::store::{self, Store};

use super::args::{Range, TriageVerb};
use super::input::input;
use super::out::{Out, Reply};
use super::prompt::passphrase;
use super::table::{plain, table};

/// Runs one verb.
pub fn triage(context: &Context, verb: TriageVerb, out: &Out) -> Result<Reply, Refusal> {
    match verb {
        TriageVerb::Classify {
            text,
            layer,
            catalog,
        } => {
            let text = signal(&text)?;
            let path = catalog.map(|path| path.to_string_lossy().into_owned());
            let bytes = path.as_deref().map(input).transpose()?;
            let given = path.as_deref().zip(bytes.as_deref());
            let answer = codes::classify(context, &text, layer.as_deref(), given)?;
            if !out.json && !out.quiet {
                warn(&answer.warnings);
            }
            Reply::of(&answer, classified(&answer))
        }
        TriageVerb::Observe { text, layer } => {
            let text = signal(&text)?;
            let mut journal = store::open(context)?;
            let observed = codes::observe(context, &text, layer.as_deref(), &mut journal)?;
            let human = match observed.count {
                Some(count) => format!(
                    "{} is {}, seen {count} times. Next: {}",
                    observed.code, observed.state, observed.next_command
                ),
                None => format!(
                    "{} is known. Next: {}",
                    observed.code, observed.next_command
                ),
            };
            Reply::of(&observed, human)
        }
        TriageVerb::Show { code } => {
            let shown = codes::show(&code, &mut store::open_readonly(context)?)?;
            Reply::of(&shown, said(&shown))
        }
        TriageVerb::List { range } => list(context, false, range),
        TriageVerb::Due { range } => list(context, true, range),
        TriageVerb::Preview { code, to, file } => {
            let mut journal = store::open_readonly(context)?;
            let preview = match (to, file) {
                (Some(to), _) => codes::preview_alias(&code, &to, &mut journal)?,
                (None, file) => {
                    let entry = entry(file.as_deref().unwrap_or("-"))?;
                    codes::preview_promotion(&code, &entry, &mut journal)?
                }
            };
            previewed(&preview)
        }
        TriageVerb::Render { replace } => {
            let mut journal = store::open_readonly(context)?;
            let rendered = codes::render(context, replace, &mut journal)?;
            Reply::of(&rendered, file(&rendered))
        }
        signed => decide(context, signed),
    }
}

/// The verbs that a person signs.
fn decide(context: &Context, verb: TriageVerb) -> Result<Reply, Refusal> {
    let mut journal = store::open(context)?;
    let flags = store::flags(context);
    let ask = &mut |who: &str| passphrase(who);
    let answer = match verb {
        TriageVerb::Alias {
            code, to, check, ..
        } if check => return previewed(&codes::preview_alias(&code, &to, &mut journal)?),
        TriageVerb::Alias {
            code,
            to,
            reason,
            principal,
            ..
        } => {
            let request = AliasRequest {
                code,
                to,
                reason,
                principal,
            };
            codes::alias(context, &request, ask, &mut journal, &flags)?
        }
        TriageVerb::Promote {
            code,
            file,
            reason,
            check,
            principal,
        } => {
            let entry = entry(&file)?;
            if check {
                return checked(&code, &entry, &mut journal);
            }
            let request = PromoteRequest {
                code,
                entry,
                reason,
                principal,
            };
            codes::promote(context, &request, ask, &mut journal, &flags)?
        }
        TriageVerb::Undo { receipt, principal } => {
            let principal = principal.as_deref();
            codes::undo(context, &receipt, principal, ask, &mut journal, &flags)?
        }
        _ => {
            return Err(super::out::usage(
                "this verb signs nothing",
                "watchfloor triage --help",
            ));
        }
    };
    Reply::of(&answer, decided(&answer))
}

fn checked(code: &str, entry: &Entry, journal: &mut Store) -> Result<Reply, Refusal> {
    previewed(&codes::preview_promotion(code, entry, journal)?)
}

/// A text of the command line, or standard input. Bytes that are no text are read as marks.
fn signal(text: &str) -> Result<String, Refusal> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    Ok(match String::from_utf8(input("-")?) {
        Ok(text) => text,
        Err(odd) => String::from_utf8_lossy(odd.as_bytes()).into_owned(),
    })
}

fn entry(file: &str) -> Result<Entry, Refusal> {
    let next = "watchfloor schema show catalog_entry";
    Entry::parse(&input(file)?).map_err(|faults| Refusal::of_faults("the entry", faults, next))
}

fn warn(warnings: &[Fault]) {
    for warning in warnings {
        eprintln!(
            "warning: {}: {}",
            plain(&warning.path),
            plain(&warning.message)
        );
    }
}

fn classified(answer: &Answer) -> String {
    let found = &answer.classified;
    let mut lines = vec![
        plain(&found.code),
        format!("  cause: {}", plain(&found.cause)),
        format!("  next:  {}", plain(&found.next_command)),
    ];
    if !found.matched_tokens.is_empty() {
        let tokens = found.matched_tokens.join(" | ");
        lines.push(format!("  by:    {}", plain(&tokens)));
    }
    if !found.not_this.is_empty() {
        lines.push(format!("  not:   {}", plain(&found.not_this.join(", "))));
    }
    lines.join("\n")
}

fn list(context: &Context, due: bool, range: Range) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let Range { limit, since } = range;
    let list = codes::list(context, due, since, limit, &mut journal)?;
    Reply::of(&list, rows(&list, due))
}

fn rows(list: &Codes, due: bool) -> String {
    let row = |row: &CodeRow| {
        vec![
            row.code.clone(),
            row.state.clone(),
            row.count.to_string(),
            row.last_at.clone(),
            row.resolves_to.clone().unwrap_or_default(),
            row.sample.clone(),
        ]
    };
    let mut text = if list.codes.is_empty() {
        let what = if due {
            "No code is due."
        } else {
            "No unknown failure was seen."
        };
        format!("{what}\n")
    } else {
        let rows: Vec<Vec<String>> = list.codes.iter().map(row).collect();
        table(&["code", "state", "seen", "last", "is", "sample"], &rows)
    };
    if !list.catalog.holds {
        text.push_str(&file(&list.catalog));
        text.push('\n');
    }
    text
}

fn said(shown: &CodeShown) -> String {
    let mut lines = vec![format!("{} is {}", plain(&shown.code), shown.state)];
    if let Some(row) = &shown.row {
        lines.push(format!(
            "seen:   {} times, first {}, last {}",
            row.count, row.first_at, row.last_at
        ));
    }
    if let Some(entry) = &shown.entry {
        lines.push(format!("is:     {}", plain(&entry.code)));
        lines.push(format!("cause:  {}", plain(&entry.cause)));
        lines.push(format!("tokens: {}", plain(&entry.tokens.join(" | "))));
    }
    for decision in &shown.decisions {
        let undone = decision.undone.as_ref();
        let undone = undone.map_or_else(String::new, |undone| {
            format!("; taken back by {} at {}", plain(&undone.by), undone.at)
        });
        lines.push(format!(
            "{} to {} by {} at {} ({}){undone}",
            decision.verb,
            plain(&decision.to),
            plain(&decision.by),
            decision.at,
            decision.receipt_id
        ));
    }
    for sample in &shown.samples {
        let raw: String = plain(&sample.raw).chars().take(200).collect();
        lines.push(format!("record {}: {raw}", sample.seq));
    }
    lines.push(format!("next:   {}", plain(&shown.next_command)));
    lines.join("\n")
}

fn previewed(preview: &CodePreview) -> Result<Reply, Refusal> {
    let mut lines = vec![format!(
        "{} as {}: of {} past signals {} would be caught, {} classified otherwise",
        plain(&preview.code),
        plain(&preview.to),
        preview.looked_at,
        preview.caught,
        preview.changed
    )];
    for change in &preview.changes {
        lines.push(format!(
            "record {}: {} -> {}: {}",
            change.seq,
            plain(&change.now),
            plain(&change.then),
            plain(&change.sample)
        ));
    }
    if !preview.hidden.is_empty() {
        lines.push(format!("hides: {}", plain(&preview.hidden.join(", "))));
    }
    for (what, faults) in [("fault", &preview.faults), ("warning", &preview.warnings)] {
        for fault in faults {
            let (path, message) = (plain(&fault.path), plain(&fault.message));
            lines.push(format!("{what}: {} {path}: {message}", fault.code));
        }
    }
    let exit = u8::from(!preview.faults.is_empty());
    Ok(Reply::of(preview, lines.join("\n"))?.exit(exit))
}

fn decided(answer: &CodeAnswer) -> String {
    let mut lines = vec![match &answer.resolves_to {
        Some(to) => format!("{} is {} to {}", answer.code, answer.state, plain(to)),
        None => format!("{} is {} again", answer.code, answer.state),
    }];
    lines.push(format!("receipt {}", answer.receipt_id));
    for warning in &answer.warnings {
        lines.push(format!(
            "warning: {}: {}",
            plain(&warning.path),
            plain(&warning.message)
        ));
    }
    lines.push(file(&answer.catalog));
    lines.join("\n")
}

fn file(rendered: &Rendered) -> String {
    let mut lines = Vec::new();
    if rendered.holds {
        lines.push(format!(
            "{} holds what the receipts say",
            plain(&rendered.file)
        ));
    }
    if let Some(cause) = &rendered.cause {
        let next = rendered.next_command.as_deref().unwrap_or_default();
        lines.push(format!("catalogue file: {}. Next: {next}", plain(cause)));
    }
    if let Some(kept) = &rendered.kept {
        lines.push(format!("the edited file is kept as {}", plain(kept)));
    }
    lines.join("\n")
}
