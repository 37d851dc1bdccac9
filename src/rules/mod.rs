//! Pure decisions: decide and evolve, a domain a file. Nothing here knows a clock, chance, the
//! environment, a file or a database; domains share contract types alone.

pub mod breaker;
pub mod codes;
pub mod cycle;
pub mod guard;
pub mod guarded;
pub mod handoff;
pub mod ledger;
pub mod mission;
pub mod signature;
pub mod triage;
