//! The built program, called as a person or an agent calls it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod console;
mod demo;
mod desk;
mod flags;
mod handoff;
mod inbox;
mod passwords;
mod receipts;
mod refusals;
mod signalled;
mod signature;
mod triage;
mod vectors;
mod views;
