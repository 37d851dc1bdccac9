//! Tries derived without a plan (spec 3.1): they count for few things and raise no ladder.

use super::*;

fn quiet(said: &Judgement) -> bool {
    said.findings.is_empty() && said.trips.is_empty() && said.due.is_none()
}

#[test]
fn the_same_signature_counts_but_raises_no_ladder() {
    let mut played = Played::default();
    played.say(&derived("1", "f1", "s"));
    let second = played.say(&derived("2", "f2", "s"));
    assert_eq!(found(&second), ["repeat<-r1,r2", "stuck_signature<-r1,r2"]);
    assert_eq!(second.warnings, ["debugger_due"]);
    assert_eq!(second.due, None);
    let third = played.say(&derived("3", "f3", "s"));
    assert_eq!(tripped(&third), [format!("retry[{}]<-r1,r2,r3", sig("s"))]);
    assert!(third.counts());
}

#[test]
fn a_declared_failure_with_the_signature_counts_them() {
    let mut played = Played::default();
    played.say(&derived("1", "f1", "s"));
    let second = played.say(&fails("B", "f2", "s"));
    assert_eq!(found(&second), ["repeat<-r1,r2", "stuck_signature<-r1,r2"]);
    assert_eq!(
        (second.due, second.warnings.len()),
        (Some(Due::Debugger), 0)
    );
}

#[test]
fn repairs_are_a_warning() {
    let mut played = Played::default();
    for n in 1..=3 {
        let said = played.say(&derived(&n.to_string(), &format!("f{n}"), &format!("s{n}")));
        assert!(quiet(&said) && said.warnings.is_empty(), "{n}");
    }
    for n in 4..=6 {
        let said = played.say(&derived(&n.to_string(), &format!("f{n}"), &format!("s{n}")));
        assert!(quiet(&said), "{n}");
        assert_eq!(said.warnings, ["repairs_used"], "{n}");
    }
    for n in 7..=9 {
        let said = played.say(&fails(&format!("S{n}"), &format!("f{n}"), &format!("s{n}")));
        assert!(
            quiet(&said) && said.warnings.is_empty(),
            "declared ones count declared ones"
        );
    }
    let fourth = played.say(&fails("S", "f", "s"));
    assert_eq!(found(&fourth), ["repairs_used<-r7,r8,r9,r10"]);
    assert_eq!(played.ask(WorkRole::Checker, None, "x").counts.repairs, 3);
    assert_eq!(played.ask(WorkRole::Checker, None, "x").counts.failing, 10);
}

#[test]
fn churn_and_weak_failures_are_warnings() {
    let mut played = Played::default();
    played.say(&passes("A", "f"));
    played.say(&passes("B", "f"));
    let third = played.say(&Entry {
        result: Outcome::Pass,
        signature: None,
        ..derived("1", "f", "s")
    });
    assert!(quiet(&third));
    assert_eq!(third.warnings, ["churn:f"]);
    assert_eq!(found(&played.say(&passes("C", "f"))), ["churn:f<-r1,r2,r4"]);
    let mut played = Played::default();
    let weak = |n: u32, undeclared| Entry {
        weak: true,
        undeclared,
        ..derived(&n.to_string(), &format!("f{n}"), "w")
    };
    for n in 0..9 {
        assert!(played.say(&weak(n, true)).warnings.is_empty());
    }
    let tenth = played.say(&weak(9, true));
    assert!(quiet(&tenth));
    assert_eq!(tenth.warnings, ["weak_repeats", "identical_results"]);
    for n in 10..19 {
        assert!(quiet(&played.say(&weak(n, false))));
    }
    assert_eq!(
        found(&played.say(&weak(19, false))).len(),
        1,
        "ten declared ones"
    );
}

#[test]
fn a_due_step_is_told_and_not_enforced() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.say(&fails("B", "g", "s"));
    let try_one = Entry {
        result: Outcome::Pass,
        signature: None,
        ..derived("1", "h", "s")
    };
    let skipped = played.say(&try_one);
    assert_eq!((skipped.trips.len(), skipped.due), (0, Some(Due::Debugger)));
    assert_eq!(skipped.warnings, ["debugger_due"]);
    played.say(&entry(WorkRole::Debugger, "d", "look", Outcome::Pass));
    assert_eq!(played.say(&try_one).warnings, ["second_opinion_due"]);
    played.ledger.begin(&try_one.agent, 1);
    assert!(
        played
            .say(&Entry {
                files: BTreeSet::from(["x".into()]),
                ..try_one
            })
            .warnings
            .is_empty()
    );
}

#[test]
fn states_that_flip_trip_and_strategies_do_not() {
    let mut played = Played::default();
    for (n, state) in ["x", "y", "x", "y"].into_iter().enumerate() {
        let said = played.say(&derived(state, &format!("f{n}"), &format!("s{n}")));
        let want = if n == 3 {
            vec!["oscillation[state]<-r1,r2,r3,r4"]
        } else {
            vec![]
        };
        assert_eq!(tripped(&said), want);
    }
    let mut bare = Played::default();
    for (n, strategy) in ["x", "y", "x", "y"].into_iter().enumerate() {
        let said = bare.say(&Entry {
            state: None,
            ..derived(strategy, &format!("f{n}"), &format!("s{n}"))
        });
        assert!(said.trips.is_empty());
    }
    assert_eq!(bare.ask(WorkRole::Maker, None, "undeclared:x").rule, "free");
}

#[test]
fn they_stand_beside_the_strategies_of_others() {
    let mut played = Played::default();
    played.say(&fails("A", "f1", "s1"));
    played.say(&passes("B", "f2"));
    played.say(&derived("1", "f3", "s3"));
    played.say(&passes("A", "f4"));
    assert_eq!(played.ask(WorkRole::Maker, None, "B").rule, "alternation");
    assert_eq!(
        tripped(&played.say(&passes("B", "f5"))),
        ["oscillation[strategy]<-r1,r2,r4,r5"]
    );
    let beside = played.say(&derived("2", "f6", "s6"));
    assert!(beside.trips.is_empty(), "the circle is not theirs");
}

#[test]
fn their_strategy_is_compared_like_any_other() {
    let mut played = Played::default();
    played.say(&derived("1", "f1", "s"));
    assert_eq!(played.verdict("undeclared:1"), Verdict::StrategyChangeDue);
    let again = played.say(&derived("1", "f2", "t"));
    assert_eq!(found(&again), ["blind_repeat<-r1,r2"]);
}

#[test]
fn a_verdict_on_one_raises_no_ladder_either() {
    let mut played = Played::default();
    played.say(&fails("A", "f1", "s"));
    played.say(&derived("1", "f2", "t"));
    let verdict = Entry {
        signature: Some(sig("s")),
        ..entry(WorkRole::Checker, "c", "verify", Outcome::Fail)
    };
    let said = played.say(&verdict);
    assert_eq!(found(&said), ["repeat<-r1,r3", "stuck_signature<-r1,r3"]);
    assert_eq!(
        (said.due, said.warnings),
        (None, vec!["debugger_due".to_owned()])
    );
}

#[test]
fn they_count_towards_the_missions_last_try() {
    let mut played = Played {
        tries: 49,
        ..Played::default()
    };
    let last = played.say(&derived("1", "f", "s"));
    assert_eq!(tripped(&last), ["retry:mission[max_iterations]<-r1"]);
}
