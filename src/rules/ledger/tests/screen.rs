//! The gate's answers, the summary, and the warnings beyond the contract.

use super::*;
use WorkRole::{Checker, Debugger, Maker, SecondOpinion};

#[test]
fn each_row_of_the_gate_answers_with_its_rule() {
    let mut played = Played::default();
    let row = |played: &Played, role, agent, strategy: &str| {
        let answer = played.ask(role, agent, strategy);
        (answer.verdict, answer.rule, ids(&answer.proof))
    };
    let none = String::new;
    assert_eq!(
        row(&played, Maker, None, "A"),
        (Verdict::Allow, "free", none())
    );
    played.say(&fails("A", "f", "s"));
    assert_eq!(
        row(&played, Maker, None, " a"),
        (Verdict::StrategyChangeDue, "strategy_failed", "r1".into())
    );
    assert_eq!(
        row(&played, Debugger, None, "A").0,
        Verdict::StrategyChangeDue
    );
    assert_eq!(
        row(&played, Checker, None, "A"),
        (Verdict::Allow, "checker", none())
    );
    played.say(&fails("B", "g", "s"));
    let due = |verdict| (verdict, "ladder", "r1,r2".to_owned());
    assert_eq!(row(&played, Maker, None, "C"), due(Verdict::DebuggerDue));
    assert_eq!(
        row(&played, SecondOpinion, None, "C"),
        due(Verdict::DebuggerDue)
    );
    assert_eq!(row(&played, Debugger, Some("m"), "A"), due(Verdict::Allow));
    assert_eq!(row(&played, Checker, None, "C").1, "checker");
    played.say(&entry(Debugger, "d", "look", Outcome::Pass));
    for (role, agent, verdict) in [
        (Maker, None, Verdict::SecondOpinionDue),
        (Debugger, Some("x"), Verdict::SecondOpinionDue),
        (SecondOpinion, Some("d"), Verdict::SecondOpinionDue),
        (SecondOpinion, Some("x"), Verdict::Allow),
        (SecondOpinion, None, Verdict::Allow),
    ] {
        assert_eq!(row(&played, role, agent, "A"), due(verdict));
    }
    played.open = true;
    for role in WorkRole::ALL {
        let stopped = (Verdict::BreakerOpen, "breaker_open", none());
        assert_eq!(row(&played, role, Some("x"), "A"), stopped);
    }
    played.permit = true;
    for role in WorkRole::ALL {
        assert_eq!(
            row(&played, role, None, "A"),
            (Verdict::Allow, "permit", none())
        );
    }
}

#[test]
fn the_gate_sees_the_circle_before_it_closes() {
    let mut played = Played::default();
    let ask = |played: &Played, strategy: &str| {
        let answer = played.ask(WorkRole::Maker, None, strategy);
        (answer.rule, ids(&answer.proof))
    };
    played.say(&fails("A", "f1", "s1"));
    played.say(&passes("B", "f2"));
    assert_eq!(ask(&played, "B").0, "free", "too early");
    played.say(&passes("A", "f3"));
    assert_eq!(ask(&played, " b "), ("alternation", "r1,r2,r3".to_owned()));
    assert_eq!(ask(&played, "C").0, "free");
    assert_eq!(ask(&played, " ").0, "free");
    let mut healthy = Played::default();
    healthy.say(&fails("X", "f0", "s1"));
    for strategy in ["A", "B", "A"] {
        healthy.say(&passes(strategy, strategy));
    }
    assert_eq!(ask(&healthy, "B").0, "free", "none of the three failed");
}

#[test]
fn the_gate_tells_what_it_counted() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.say(&fails("B", "g", "t"));
    played.say(&fails("C", "h", "t"));
    played.say(&passes("D", "i"));
    let counts = played.ask(WorkRole::Maker, None, "E").counts;
    let want = GateCounts {
        tries: 4,
        failing: 3,
        repairs: 2,
        same_signature: 2,
        mission_tries: 4,
        max_repairs: 3,
        max_same_signature: 2,
        max_iterations: 50,
    };
    assert_eq!(counts, want);
    assert_eq!(
        Played::default()
            .ask(WorkRole::Maker, None, "E")
            .counts
            .repairs,
        0
    );
}

#[test]
fn the_summary_shows_the_window() {
    let mut played = Played::default();
    assert_eq!(played.ledger.summary(), Summary::default());
    let wide = |files: &[&str], mut entry: Entry| {
        entry.files = files.iter().map(|f| (*f).to_owned()).collect();
        entry
    };
    played.say(&wide(&["b", "c"], passes("one", "")));
    played.say(&wide(&["b", "c", "a"], passes("two", "")));
    played.say(&wide(&["d"], fails("ONE", "", "s")));
    played.say(&wide(&["e"], fails("three", "", "s")));
    let summary = played.ledger.summary();
    assert_eq!(summary.churn, Some(("b".to_owned(), 2)));
    assert_eq!(
        (
            summary.tries,
            summary.failing,
            summary.repairs,
            summary.same
        ),
        (4, 2, 1, 2)
    );
    assert_eq!(summary.signature, Some(sig("s")));
    assert_eq!(
        (summary.due, played.ledger.due()),
        (Some(Due::Debugger), Some(Due::Debugger))
    );
    let lanes = |played: &Played| {
        let steps = played.ledger.summary().lanes;
        let step = |s: LaneStep| format!("{}{}", s.lane, if s.failed { "!" } else { "" });
        steps.into_iter().map(step).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(lanes(&played), "A B A! C!");
    for n in 0..55 {
        played.say(&passes(&format!("more {n}"), &format!("g{n}")));
    }
    assert_eq!(lanes(&played), "Y1 Z1 A2 B2 C2 D2 E2 F2");
}

#[test]
fn strategies_that_go_round_are_a_warning() {
    for length in 2..=6 {
        let mut played = Played::default();
        let mut warned = Vec::new();
        for n in 0..2 * length {
            let mut entry = passes(&format!("S{}", n % length), &format!("f{n}"));
            if n == 0 {
                entry.result = Outcome::Fail;
            }
            warned = played.say(&entry).warnings;
        }
        let want = if (3..=5).contains(&length) {
            vec![format!("cycle:{length}")]
        } else {
            vec![]
        };
        assert_eq!(warned, want);
    }
}

#[test]
fn what_does_not_go_round_is_no_warning() {
    let warned = |strategies: &str, failing: bool| {
        let mut played = Played::default();
        let mut last = Vec::new();
        for (n, letter) in strategies.chars().enumerate() {
            let mut entry = passes(&letter.to_string(), &format!("f{n}"));
            if failing && n == strategies.len() - 1 {
                entry.result = Outcome::Fail;
            }
            last = played.say(&entry).warnings;
        }
        last
    };
    assert_eq!(warned("ABCABC", true), ["cycle:3"]);
    assert_eq!(warned("XABCABC", true), ["cycle:3"]);
    for healthy in ["ABCAB", "ABCABD", "AABAAB", "AAAAAA", "ABCACB"] {
        assert!(warned(healthy, true).is_empty(), "{healthy}");
    }
    assert!(warned("ABCABC", false).is_empty(), "nothing failed");
    let mut played = Played::default();
    for (n, letter) in "ABCABC".chars().enumerate() {
        let undeclared = derived(&letter.to_string(), &format!("f{n}"), &format!("s{n}"));
        assert!(
            !played
                .say(&undeclared)
                .warnings
                .contains(&"cycle:3".to_owned())
        );
    }
}

#[test]
fn ten_equal_results_of_calls_that_differ_are_a_warning() {
    let warned = |result: Outcome, count: usize, vary: fn(usize) -> Entry| {
        let mut played = Played::default();
        let mut at = Vec::new();
        for n in 1..=count {
            let entry = Entry { result, ..vary(n) };
            if played
                .say(&entry)
                .warnings
                .contains(&"identical_results".to_owned())
            {
                at.push(n);
            }
        }
        at
    };
    let by_strategy = |n: usize| passes(&format!("S{n}"), "f");
    let by_file = |n: usize| passes("S", &format!("f{n}"));
    let by_state = |n: usize| Entry {
        state: Some(n.to_string()),
        ..passes("S", "f")
    };
    for vary in [by_strategy, by_file, by_state] {
        assert_eq!(warned(Outcome::Blocked, 21, vary), [10, 20]);
    }
    assert!(warned(Outcome::Pass, 21, by_strategy).is_empty());
    assert!(warned(Outcome::Blocked, 21, |_| passes("S", "f")).is_empty());
    let broken = |n: usize| Entry {
        weak: true,
        signature: Some(sig(if n == 5 { "x" } else { "w" })),
        ..passes(&format!("S{n}"), "f")
    };
    assert_eq!(warned(Outcome::Fail, 15, broken), [15]);
}
