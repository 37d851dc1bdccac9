//! Mission control for fleets of AI coding agents.
//!
//! The rooms and their borders are told in `ARCHITECTURE.md`.

pub mod authority;
pub mod cli;
pub mod console;
pub mod contract;
pub mod demo;
pub mod harness;
pub mod journal;
pub mod mcp;
pub mod ops;
pub mod rules;
pub mod run;
