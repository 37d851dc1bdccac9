//! An agent that goes round in circles: two strategies in turn, until a breaker opens. It then
//! asks the gate until a person has reset it, and tries something else.

use std::io;

use super::actor::{Actor, steps, wait};

const TASK: &str = "T-12";
/// Strategies and how they fail, in turn.
const CIRCLE: [(&str, &str); 2] = [
    (
        "cache the token for an hour",
        "error: session expired too early in test_login",
    ),
    (
        "fetch the token at each call",
        "error: session never expires in test_logout",
    ),
];

/// Plays it to the end.
pub(super) fn play(actor: &Actor<'_>) -> io::Result<()> {
    for (strategy, failure) in CIRCLE.iter().cycle() {
        steps(2);
        let recorded = actor.attempt(TASK, strategy, Some(failure))?;
        let trips = recorded.said["trips"].as_array();
        if !recorded.done || trips.is_some_and(|trips| !trips.is_empty()) {
            break;
        }
    }
    let strategy = "renew the token when it has a minute left";
    let ask = [
        "gate",
        "check",
        "--task",
        TASK,
        "--role",
        "maker",
        "--strategy",
        strategy,
    ];
    while !actor.verb(&ask)?.done {
        wait();
    }
    actor.attempt(TASK, strategy, None)?;
    Ok(())
}
