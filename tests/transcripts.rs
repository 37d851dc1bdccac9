//! Agents that nobody installed anything for: their transcripts, whatever state those are in.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

#[path = "transcript/home.rs"]
mod home;
#[path = "transcript/robust.rs"]
mod robust;
#[path = "transcript/told.rs"]
mod told;
