//! Agents that nobody installed anything for: their transcripts, whatever state those are in.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod transcript;
