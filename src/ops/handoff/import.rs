//! `handoff import`: items of another tool as entries (spec 4.1 and the field's neighbours). The
//! source is read and never changed; the same item is taken once.

mod beads;
mod kanban;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::contract::handoff::{HandoffInput, LONGEST_TEXT, Source, Wants};
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::json::is_blank;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::journal::{Durability, Journal, Paths, Write, foreign};
use crate::ops::context::Context;
use crate::ops::domain;
use crate::ops::store::load;

use super::open_imported;

/// What stands for a try that the source does not tell.
const UNTRIED: &str = "nothing is on record in the source";

/// One item of another tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Item {
    id: String,
    title: String,
    /// What its answer must hold.
    needed: String,
    tried: Vec<String>,
    asker: Option<String>,
    tags: Vec<String>,
    at: Standing,
}

/// Where an item stands in its own tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    /// It waits for somebody.
    #[default]
    Waits,
    /// Somebody is at it, or has put it off.
    AtWork,
    /// It is over.
    Ended,
}

/// An entry that was made of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The item's id in its own tool.
    pub item: String,
    /// The entry.
    pub id: String,
    /// Its short handle.
    pub handle: String,
}

/// What `handoff import` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// `hermes_kanban` or `beads`.
    pub system: String,
    /// Items that were read.
    pub items: u64,
    /// Entries that were made.
    pub imported: Vec<Taken>,
    /// Items that had been imported before.
    pub known: u64,
    /// Items left out because they are over.
    pub ended: u64,
    /// Items left out because somebody works on them or has put them off.
    pub at_work: u64,
    /// Items left out because they do not say what is needed.
    pub without_need: u64,
    /// Lines or rows that are no items.
    pub unreadable: u64,
    /// Secrets that were taken out of their texts.
    pub redacted: u64,
}

/// Takes in a Hermes kanban database or the JSON Lines of beads.
///
/// # Errors
/// The file is neither, or cannot be read, or the store fails.
pub fn import(
    context: &Context,
    path: &Path,
    journal: &mut impl Journal,
) -> Result<Imported, Refusal> {
    let unreadable = |why: &dyn std::fmt::Display| {
        let cause = format!("{} cannot be read: {why}", path.display());
        Refusal::new(
            Code::FileUnreadable,
            cause,
            format!("ls -l {}", path.display()),
        )
    };
    let meta = path.metadata().map_err(|error| unreadable(&error))?;
    if Paths::of(&context.store).own().hold(&meta) {
        return Err(unreadable(&"it is a file of this store"));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(&error))?;
    let (system, items, unread) = if foreign::is_sqlite(&bytes) {
        kanban::read(path)?
    } else {
        beads::read(path, &bytes)?
    };
    journal.write(Durability::Full, |write| {
        let mut done = Imported {
            system: system.to_owned(),
            items: items.len() as u64,
            unreadable: unread,
            ..Imported::default()
        };
        for item in &items {
            take(context, item, &mut done, write)?;
        }
        Ok(done)
    })
}

fn take(
    context: &Context,
    item: &Item,
    done: &mut Imported,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let source = Source {
        system: done.system.clone(),
        item: item.id.clone(),
    };
    let key = domain::source_key(&context.project, &source);
    if load::<RecordId>(write, domain::HANDOFF_SOURCE, &key)?.is_some() {
        done.known += 1;
        return Ok(());
    }
    match item.at {
        Standing::Ended => done.ended += 1,
        Standing::AtWork => done.at_work += 1,
        Standing::Waits if is_blank(&item.title) || is_blank(&item.needed) => {
            done.without_need += 1;
        }
        Standing::Waits => {
            let answer = open_imported(context, &entry(context, item, done), source, write)?;
            done.imported.push(Taken {
                item: item.id.clone(),
                id: answer.id,
                handle: answer.handle,
            });
        }
    }
    Ok(())
}

fn entry(context: &Context, item: &Item, done: &mut Imported) -> HandoffInput {
    let mut clean = |text: &str, longest: usize| {
        let (text, redacted) = secret::redact(text);
        done.redacted += u64::from(redacted);
        text.trim().chars().take(longest).collect::<String>()
    };
    let tried: Vec<&str> = item
        .tried
        .iter()
        .map(String::as_str)
        .filter(|text| !is_blank(text))
        .collect();
    let tried = if tried.is_empty() {
        UNTRIED.to_owned()
    } else {
        tried.join("\n")
    };
    HandoffInput {
        project: context.project.clone(),
        question: clean(&item.title, LONGEST_TEXT),
        tried: clean(&tried, LONGEST_TEXT),
        needed: clean(&item.needed, LONGEST_TEXT),
        wants: Wants::Answer,
        tags: item
            .tags
            .iter()
            .filter(|tag| !is_blank(tag))
            .map(|tag| clean(tag, 100))
            .collect(),
        asker: item
            .asker
            .as_deref()
            .filter(|asker| !is_blank(asker))
            .map(|asker| AgentId::new(clean(asker, 200))),
        task: None,
        mission: None,
    }
}
