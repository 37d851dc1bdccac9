//! What holds between processes: the built program, many at once, killed, on damaged files, with
//! a locked store and a full disk. `WATCHFLOOR_FULL_SIZE=1` runs every law at its full size.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "processes/bench.rs"]
mod bench;
#[path = "processes/claims.rs"]
mod claims;
#[path = "processes/damage.rs"]
mod damage;
#[path = "processes/hooked.rs"]
mod hooked;
#[path = "processes/inbox.rs"]
mod inbox;
#[path = "processes/killed.rs"]
mod killed;
#[path = "processes/many.rs"]
mod many;
#[path = "processes/stops.rs"]
mod stops;
