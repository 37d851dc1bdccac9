//! Types of everything that crosses a boundary: strict parsing, canonical JSON,
//! ids, digests, faults and refusals. No I/O, no clock, no other room.

pub mod agent;
pub mod approval;
pub mod attempt;
pub mod bench;
pub mod breaker;
pub mod catalog;
pub mod code;
pub mod decide;
pub mod digest;
pub mod envelope;
pub mod event;
pub mod fault;
pub mod goal;
pub mod guard;
pub mod handoff;
pub mod ids;
pub mod json;
pub mod limits;
pub mod message;
pub mod mission;
pub mod provenance;
pub mod record;
pub mod refusal;
pub mod row;
pub mod safety;
pub mod schemas;
pub mod scope;
pub mod secret;
pub mod session;
pub mod signature;
pub mod text;
pub mod time;
pub mod tool;
