//! Twenty ordinary sessions through the built hook, in real repositories: nothing trips. The same
//! twenty with a loop in their middle: each loop is found at its limit, or one try later.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::too_many_lines,
    clippy::format_push_string,
    reason = "sessions are data, told from beginning to end"
)]

mod loops;
mod ordinary;
mod session;

use loops::{LOOPS, Loop};
use ordinary::{Ordinary, all};
use session::Session;

const HARNESSES: [&str; 2] = ["claude", "pi"];

fn harness(number: usize) -> &'static str {
    HARNESSES[number % HARNESSES.len()]
}

/// Plays one ordinary session to its end.
fn plays(number: usize, ordinary: &Ordinary) {
    let mut session = Session::new(harness(number), ordinary.config);
    for step in &ordinary.steps {
        let said = session.play(step);
        assert!(
            said.is_none(),
            "{}: {step:?} was refused: {said:?}",
            ordinary.name
        );
    }
    assert_eq!(session.breakers(), "", "{}", ordinary.name);
}

/// Plays one with a loop in its middle: answers in which try it was found.
fn finds(number: usize, ordinary: &Ordinary, circle: &Loop) -> Option<usize> {
    let mut session = Session::new(harness(number), ordinary.config);
    for step in &ordinary.steps[..ordinary.steps.len() / 2] {
        assert_eq!(session.play(step), None, "{}", ordinary.name);
    }
    for round in 1..=circle.limit + 3 {
        // Under a plan the gate refuses the next edit, before the limit is reached.
        let refused = (circle.steps)(round)
            .iter()
            .any(|step| session.play(step).is_some());
        if refused || !session.breakers().is_empty() {
            return Some(round);
        }
    }
    None
}

fn share(part: usize) -> impl Iterator<Item = (usize, Ordinary)> {
    all()
        .into_iter()
        .enumerate()
        .filter(move |(number, _)| number % 4 == part)
}

fn ordinary_ones(part: usize) {
    for (number, ordinary) in share(part) {
        plays(number, &ordinary);
    }
}

fn spliced_ones(part: usize) {
    let mut missed = Vec::new();
    for (number, ordinary) in share(part) {
        // One loop a session; with WATCHFLOOR_EVERY_LOOP=1 every loop in every session.
        let every = std::env::var_os("WATCHFLOOR_EVERY_LOOP").is_some();
        for (at, circle) in LOOPS.iter().enumerate() {
            if !every && at != number % LOOPS.len() {
                continue;
            }
            let found = finds(number + at, &ordinary, circle);
            // What the session had used up before counts too: sooner is no fault.
            if found.is_none_or(|found| found > circle.limit + 1) {
                missed.push(format!(
                    "{} with {}: found in try {found:?}, the limit is {}",
                    ordinary.name, circle.name, circle.limit
                ));
            }
        }
    }
    assert!(missed.is_empty(), "\n{}", missed.join("\n"));
}

#[test]
fn there_are_twenty_and_each_loop_is_spliced_into_some() {
    let sessions = all();
    assert_eq!(sessions.len(), 20);
    for ordinary in &sessions {
        assert!(ordinary.steps.len() >= 6, "{}", ordinary.name);
    }
    assert!(LOOPS.len() <= sessions.len());
}

#[test]
fn ordinary_sessions_trip_nothing_1() {
    ordinary_ones(0);
}

#[test]
fn ordinary_sessions_trip_nothing_2() {
    ordinary_ones(1);
}

#[test]
fn ordinary_sessions_trip_nothing_3() {
    ordinary_ones(2);
}

#[test]
fn ordinary_sessions_trip_nothing_4() {
    ordinary_ones(3);
}

#[test]
fn loops_in_them_are_found_1() {
    spliced_ones(0);
}

#[test]
fn loops_in_them_are_found_2() {
    spliced_ones(1);
}

#[test]
fn loops_in_them_are_found_3() {
    spliced_ones(2);
}

#[test]
fn loops_in_them_are_found_4() {
    spliced_ones(3);
}
