//! Opening and making the store, and reading typed state.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::contract::refusal::{Code, Refusal};
use crate::journal::flags::FlagFile;
use crate::journal::sqlite::{Paths, SqliteStore};
use crate::journal::Read;

use super::context::Context;
use super::domain;
use super::fold::Projector;

/// The fold, as the store holds it.
pub static PROJECTOR: Projector = Projector;

/// Makes a store.
///
/// # Errors
/// A store is there already, or the place cannot hold one.
pub fn init(path: &Path) -> Result<SqliteStore, Refusal> {
    let store = SqliteStore::init(path, &PROJECTOR)?;
    Ok(store)
}

/// Opens the store for writing.
///
/// # Errors
/// It is missing, damaged, newer, read-only.
pub fn open(context: &Context) -> Result<SqliteStore, Refusal> {
    SqliteStore::open(&context.store, &PROJECTOR)
}

/// Opens the store for reading.
///
/// # Errors
/// It is missing, damaged, newer.
pub fn open_readonly(context: &Context) -> Result<SqliteStore, Refusal> {
    SqliteStore::open_readonly(&context.store, &PROJECTOR)
}

/// The flag file beside the store.
#[must_use]
pub fn flags(context: &Context) -> FlagFile {
    FlagFile::at(Paths::of(&context.store).flags)
}

/// A typed state row.
///
/// # Errors
/// The store fails, or the row cannot be read.
pub fn load<T: DeserializeOwned>(read: &dyn Read, domain: &str, key: &str) -> Result<Option<T>, Refusal> {
    read.state(domain, key)?.map(|body| domain::read_state(domain, key, &body)).transpose()
}

/// Typed state rows in pane order.
///
/// # Errors
/// The store fails, or a row cannot be read.
pub fn list<T: DeserializeOwned>(read: &dyn Read, domain: &str, limit: usize, offset: usize) -> Result<Vec<T>, Refusal> {
    read.states(domain, limit, offset)?.iter().map(|body| domain::read_state(domain, "", body)).collect()
}

/// Nothing of that name.
#[must_use]
pub fn not_found(what: &str, id: &str, next_command: &str) -> Refusal {
    Refusal::new(Code::NotFound, format!("there is no {what} {id}"), next_command)
}
