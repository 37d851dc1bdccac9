//! Pure decisions: no clock, no randomness, no environment, no files, no database.

pub mod signature;
pub mod triage;
