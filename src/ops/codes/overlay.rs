//! The user's catalogue file: rendered from the receipts, whole or not at all, and never over
//! what somebody wrote there by hand.

use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use crate::contract::catalog::{Catalog, Loaded};
use crate::contract::code::Rendered;
use crate::contract::digest::Digest;
use crate::contract::json::canonical;
use crate::contract::refusal::{Code, Refusal};
use crate::journal::Journal;
use crate::ops::context::Context;

use super::classify::invalid;
use super::in_force;

/// How the note of a rendered file begins; what follows is the digest of its entries and aliases.
const NOTE: &str = "Rendered from signed receipts; an edit here is lost. ";
/// What replaces an edited file.
const REPLACE: &str = "watchfloor triage render --replace";

/// Where the user's catalogue lies.
#[must_use]
pub fn path(context: &Context) -> PathBuf {
    context.config.join("failure_codes.json")
}

fn bytes(context: &Context) -> Result<Option<Vec<u8>>, Refusal> {
    let path = path(context);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Refusal::new(
            Code::FileUnreadable,
            format!("{} cannot be read: {error}", path.display()),
            format!("ls -l {}", path.display()),
        )),
    }
}

/// The user's catalogue as the file says, with warnings of what it hides; none without a file.
///
/// # Errors
/// It cannot be read, or breaks its rules.
pub(super) fn user(context: &Context) -> Result<Option<Loaded>, Refusal> {
    let Some(bytes) = bytes(context)? else {
        return Ok(None);
    };
    let path = path(context).display().to_string();
    let read = Catalog::parse_user(&bytes, Catalog::shipped());
    read.map(Some).map_err(|faults| invalid(faults, &path))
}

/// How a file stands to the receipts.
enum Standing {
    /// It holds what they say; no file, where they say nothing.
    Holds,
    /// Nobody touched it; it is only older.
    Stale,
    /// Somebody wrote it, or changed it.
    Edited(String),
}

fn standing(found: Option<&[u8]>, wanted: &str) -> Standing {
    let Some(found) = found else {
        let empty = text(&Catalog::empty()).is_ok_and(|empty| empty == wanted);
        return if empty {
            Standing::Holds
        } else {
            Standing::Stale
        };
    };
    if found == wanted.as_bytes() {
        return Standing::Holds;
    }
    match Catalog::parse_user(found, Catalog::shipped()) {
        Err(faults) => {
            let first = faults.first().map(|f| format!("{} {}", f.path, f.message));
            Standing::Edited(first.unwrap_or_default())
        }
        Ok(loaded) if text(&loaded.catalog).is_ok_and(|own| own.as_bytes() == found) => {
            Standing::Stale
        }
        Ok(loaded) => Standing::Edited(difference(&loaded.catalog, wanted)),
    }
}

/// What an edited file has that the receipts do not say, and the other way round.
fn difference(found: &Catalog, wanted: &str) -> String {
    let Ok(wanted) = Catalog::parse_user(wanted.as_bytes(), Catalog::shipped()) else {
        return "it differs".to_owned();
    };
    let wanted = wanted.catalog;
    let mut said = Vec::new();
    for entry in &found.codes {
        match wanted.entry(&entry.code) {
            None => said.push(format!("the entry {} stands only in the file", entry.code)),
            Some(other) if other != entry => said.push(format!("the entry {} differs", entry.code)),
            Some(_) => {}
        }
    }
    for entry in &wanted.codes {
        if !found.is_code(&entry.code) {
            said.push(format!("the entry {} is missing", entry.code));
        }
    }
    for minted in found.aliases.keys().chain(wanted.aliases.keys()) {
        if found.aliases.get(minted) != wanted.aliases.get(minted) {
            said.push(format!("the alias {minted} differs"));
        }
    }
    said.dedup();
    if said.is_empty() {
        return "it is written otherwise".to_owned();
    }
    said.join(", ")
}

#[derive(Serialize)]
struct Content<'a> {
    codes: &'a [crate::contract::catalog::Entry],
    aliases: &'a std::collections::BTreeMap<String, String>,
}

/// The file of a catalogue, byte for byte.
fn text(catalog: &Catalog) -> Result<String, Refusal> {
    let content = Content {
        codes: &catalog.codes,
        aliases: &catalog.aliases,
    };
    let digest = Digest::of(canonical(&content)?.as_bytes());
    let file = Catalog {
        note: format!("{NOTE}{digest}"),
        ..catalog.clone()
    };
    let mut text = serde_json::to_string_pretty(&file).map_err(|error| {
        let cause = format!("a catalogue has no JSON form: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor status")
    })?;
    text.push('\n');
    Ok(text)
}

/// Whether the file holds what the receipts say.
///
/// # Errors
/// The store fails, or the file cannot be read.
pub fn rendered(context: &Context, journal: &mut impl Journal) -> Result<Rendered, Refusal> {
    let wanted = text(&journal.read(|read| in_force(read))?.catalog())?;
    let found = bytes(context)?;
    let file = path(context).display().to_string();
    Ok(match standing(found.as_deref(), &wanted) {
        Standing::Holds => Rendered {
            file,
            holds: true,
            ..Rendered::default()
        },
        Standing::Stale => Rendered {
            file,
            cause: Some("the file is older than the receipts".to_owned()),
            next_command: Some("watchfloor triage render".to_owned()),
            ..Rendered::default()
        },
        Standing::Edited(how) => Rendered {
            cause: Some(format!("{file} was edited by hand: {how}")),
            next_command: Some(REPLACE.to_owned()),
            file,
            ..Rendered::default()
        },
    })
}

/// Renders the file anew, as a whole. A file that somebody edited is refused, every byte kept;
/// with `replace` it is moved aside first.
///
/// # Errors
/// `catalog_edited`, the store fails, or the file cannot be written.
pub fn render(
    context: &Context,
    replace: bool,
    journal: &mut impl Journal,
) -> Result<Rendered, Refusal> {
    let path = path(context);
    let mut kept = None;
    // Another decision may be rendered at the same time: it is done when what lies there is what
    // the receipts say after it was written.
    loop {
        let wanted = text(&journal.read(|read| in_force(read))?.catalog())?;
        let found = bytes(context)?;
        match standing(found.as_deref(), &wanted) {
            Standing::Holds => break,
            Standing::Stale => write(context, &wanted)?,
            Standing::Edited(how) if !replace => return Err(edited(context, &how)),
            Standing::Edited(_) => {
                let hex = Digest::of(found.as_deref().unwrap_or_default()).hex();
                let name = format!("failure_codes.{}.edited.json", &hex[..12]);
                let aside = path.with_file_name(name);
                std::fs::rename(&path, &aside).map_err(|error| unwritable(context, &error))?;
                kept = Some(aside.display().to_string());
                write(context, &wanted)?;
            }
        }
    }
    Ok(Rendered {
        file: path.display().to_string(),
        holds: true,
        kept,
        ..Rendered::default()
    })
}

/// Refuses a decision whose file could not be rendered after it.
///
/// # Errors
/// `catalog_edited`, the store fails, or the file cannot be read.
pub(super) fn refuse_edited(context: &Context, journal: &mut impl Journal) -> Result<(), Refusal> {
    let wanted = text(&journal.read(|read| in_force(read))?.catalog())?;
    match standing(bytes(context)?.as_deref(), &wanted) {
        Standing::Edited(how) => Err(edited(context, &how)),
        Standing::Holds | Standing::Stale => Ok(()),
    }
}

fn edited(context: &Context, how: &str) -> Refusal {
    let cause = format!("{} was edited by hand: {how}", path(context).display());
    Refusal::new(Code::CatalogEdited, cause, REPLACE)
}

fn write(context: &Context, text: &str) -> Result<(), Refusal> {
    let failed = |error: std::io::Error| unwritable(context, &error);
    std::fs::create_dir_all(&context.config).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(&context.config).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path(context))
        .map_err(|error| unwritable(context, &error.error))?;
    Ok(())
}

fn unwritable(context: &Context, error: &std::io::Error) -> Refusal {
    let cause = format!("{} cannot be written: {error}", path(context).display());
    let next = format!("ls -ld {}", context.config.display());
    Refusal::new(Code::FileUnreadable, cause, next)
}
