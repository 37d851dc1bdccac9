//! What the program is wired up from, a verb's group a file: only what needs several rooms at once.

pub mod acceptance;
pub mod hook;
pub mod rollout;
pub mod screen;
