//! The verbs: one file a domain, one function a verb. Load, decide, append in one
//! transaction, answer. The only way to write. No terminal, no environment, no HOME.

pub mod attempt;
pub mod attention;
pub mod breaker;
pub mod codes;
pub mod context;
pub mod detail;
pub mod disk;
pub mod domain;
pub mod flags;
pub mod fold;
pub mod gate;
pub mod handoff;
pub mod hook;
pub mod identity;
pub mod inbox;
pub mod keyed;
pub mod mission;
pub mod moved;
pub mod observe;
pub mod paths;
pub mod process;
pub mod receipt;
pub mod records;
pub mod reset;
pub mod rollout;
pub mod second_line;
pub mod signed;
pub mod status;
pub mod stop;
pub mod store;
pub mod sweep;
pub mod told;
pub mod tree;
pub mod trip;
pub mod verify;
