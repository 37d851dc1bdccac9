//! Processes that the product starts: a command under watch, and the acceptance with its agents
//! (spec 4.6, 6.5).

pub mod acceptance;
pub mod exec;
mod group;
pub mod model;
pub mod plain;
pub mod seat;
