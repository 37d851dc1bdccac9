//! The guard under a fuzzer; `tests/fuzzed.rs` runs the same body without one.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/guard.rs"]
mod guard;

fuzz_target!(|bytes: &[u8]| guard::guard(bytes));
