//! Pure decisions (spec 3): the same facts give the same answer. No clock, no randomness,
//! no environment, no files. The domains share contract types only.

pub mod breaker;
pub mod cycle;
pub mod guarded;
pub mod ledger;
pub mod mission;
