//! Findings, trips and their proofs for declared entries.

use super::*;
use Better::{Higher, Lower};

/// An analysis by another role.
fn looks(role: WorkRole, agent: &str) -> Entry {
    entry(role, agent, "look", Outcome::Pass)
}

fn checker_fails(signature: &str) -> Entry {
    Entry {
        signature: Some(sig(signature)),
        ..entry(WorkRole::Checker, "c", "verify", Outcome::Fail)
    }
}

fn weakly(strategy: &str) -> Entry {
    Entry {
        weak: true,
        ..fails(strategy, strategy, "w")
    }
}

#[test]
fn strategies_are_compared_by_their_key() {
    assert_eq!(strategy_key(" A\t\nb  C "), "a b c");
    assert_eq!(strategy_key(" \t"), "");
    assert_ne!(strategy_key("ab"), strategy_key("a b"));
}

#[test]
fn each_finding_names_the_records_that_prove_it() {
    let mut played = Played::default();
    assert_eq!(found(&played.say(&fails("A", "f", "s"))), [""; 0]);
    let second = played.say(&fails("B", "f", "s"));
    assert_eq!(found(&second), ["repeat<-r1,r2", "stuck_signature<-r1,r2"]);
    assert_eq!(second.due, Some(Due::Debugger));
    assert!(second.is_try && second.counts() && !second.leak && !second.progress);
    let third = played.say(&fails("A", "f", "s"));
    assert_eq!(
        found(&third),
        [
            "blind_repeat<-r1,r3",
            "repeat<-r1,r2,r3",
            "churn:f<-r1,r2,r3"
        ]
    );
    let retry = format!("retry[{}]<-r1,r2,r3", sig("s"));
    assert_eq!(
        tripped(&third),
        [retry, "oscillation[step_skipped]<-r1,r2,r3".to_owned()]
    );
}

#[test]
fn a_blind_second_failure_raises_the_ladder_too() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    let blind = played.say(&fails("a ", "g", "s"));
    assert_eq!(found(&blind), ["blind_repeat<-r1,r2", "repeat<-r1,r2"]);
    assert_eq!(blind.due, Some(Due::Debugger));
    assert_eq!(
        played.ledger.ladder.as_ref().map(|l| ids(&l.proof)),
        Some("r1,r2".into())
    );
}

#[test]
fn who_began_has_begun_until_the_next_try() {
    let mut played = Played::default();
    let (one, other) = (AgentId::new("m"), AgentId::new("n"));
    assert!(!played.ledger.has_begun(&one));
    played.ledger.begin(&one, 1);
    assert!(played.ledger.has_begun(&one));
    assert!(!played.ledger.has_begun(&other));
    played.say(&fails("S", "f", "s"));
    assert!(!played.ledger.has_begun(&one));
}

#[test]
fn repairs_are_the_failing_tries_after_the_first() {
    let mut played = Played::default();
    for n in 0..3 {
        let said = played.say(&fails(&format!("S{n}"), &format!("f{n}"), &format!("s{n}")));
        assert_eq!((said.findings.len(), said.due), (0, None));
    }
    let third = played.say(&fails("S3", "f3", "s3"));
    assert_eq!(found(&third), ["repairs_used<-r1,r2,r3,r4"]);
    assert_eq!(third.due, Some(Due::Debugger));
    played.say(&looks(WorkRole::Debugger, "d"));
    played.say(&looks(WorkRole::SecondOpinion, "o"));
    let fourth = played.say(&fails("S4", "f4", "s4"));
    assert_eq!(tripped(&fourth), ["retry[max_repairs]<-r1,r2,r3,r4,r7"]);
    assert_eq!((fourth.findings.len(), fourth.due), (0, None));
}

#[test]
fn the_repairs_are_not_told_when_a_step_is_due_already() {
    let mut played = Played::default();
    for n in 0..3 {
        played.say(&fails(&format!("S{n}"), &format!("f{n}"), &format!("s{n}")));
    }
    let stuck = played.say(&fails("S3", "f3", "s2"));
    assert_eq!(found(&stuck), ["repeat<-r3,r4", "stuck_signature<-r3,r4"]);
    assert_eq!(tripped(&stuck), [""; 0]);
}

#[test]
fn the_ladder_has_two_steps_and_the_second_wants_fresh_eyes() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.say(&fails("B", "g", "s"));
    for (who, due) in [
        (looks(WorkRole::SecondOpinion, "o"), Due::Debugger),
        (looks(WorkRole::Maker, "m"), Due::Debugger),
        (looks(WorkRole::Debugger, "d"), Due::SecondOpinion),
        (looks(WorkRole::Debugger, "d2"), Due::SecondOpinion),
        (looks(WorkRole::SecondOpinion, "o"), Due::SecondOpinion),
        (looks(WorkRole::SecondOpinion, "d"), Due::SecondOpinion),
    ] {
        let said = played.say(&who);
        assert_eq!(
            (said.due, said.is_try, said.findings.len()),
            (Some(due), false, 0)
        );
    }
    assert_eq!(played.say(&looks(WorkRole::SecondOpinion, "new")).due, None);
    assert_eq!(played.tries, 2);
}

#[test]
fn churn_wants_the_debugger_only_and_comes_again() {
    let mut played = Played::default();
    for n in 0..2 {
        assert!(
            played
                .say(&passes(&format!("S{n}"), "f"))
                .findings
                .is_empty()
        );
    }
    let third = played.say(&passes("S2", "f"));
    assert_eq!(found(&third), ["churn:f<-r1,r2,r3"]);
    assert_eq!(played.say(&looks(WorkRole::Debugger, "d")).due, None);
    played.say(&passes("S3", "f"));
    played.say(&passes("S4", "f"));
    let sixth = played.say(&passes("S5", "f"));
    assert_eq!(found(&sixth), ["churn:f<-r1,r2,r3,r5,r6,r7"]);
    assert_eq!(sixth.due, Some(Due::Debugger));
}

#[test]
fn who_tries_while_a_step_is_due_trips_unless_begun_before_or_permitted() {
    let mut played = Played::default();
    let agent = AgentId::new("m");
    played.ledger.begin(&agent, 1);
    played.say(&passes("S0", "f"));
    played.say(&passes("S1", "f"));
    played.ledger.begin(&agent, 2);
    assert_eq!(
        played.say(&passes("S2", "f")).due,
        Some(Due::Debugger),
        "raised at 3"
    );
    played.ledger.begin(&AgentId::new("p"), 2);
    let late = Entry {
        agent: AgentId::new("p"),
        ..passes("S3", "g")
    };
    let analysis = Entry {
        files: BTreeSet::new(),
        ..late.clone()
    };
    assert!(
        played.say(&analysis).trips.is_empty(),
        "an analysis uses no mark up"
    );
    assert!(played.say(&late).trips.is_empty());
    assert_eq!(
        tripped(&played.say(&late)),
        ["oscillation[step_skipped]<-r1,r2,r3,r6"],
        "the mark was used up"
    );
    for seq in [3, 4] {
        played.ledger.begin(&agent, seq);
        assert_eq!(
            played.say(&passes("S4", "h")).trips.len(),
            1,
            "begun at {seq}"
        );
    }
    played.permit = true;
    assert!(played.say(&passes("S5", "i")).trips.is_empty());
    played.permit = false;
    let debugging = Entry {
        role: WorkRole::Debugger,
        ..passes("S6", "j")
    };
    let tried = played.say(&debugging);
    assert_eq!((tried.trips.len(), tried.due), (1, Some(Due::Debugger)));
}

#[test]
fn going_to_and_fro_trips_when_one_of_the_four_failed() {
    let mut played = Played::default();
    played.say(&fails("A", "f1", "s1"));
    played.say(&passes("B", "f2"));
    played.say(&passes("A", "f3"));
    assert_eq!(
        tripped(&played.say(&passes("B", "f4"))),
        ["oscillation[strategy]<-r1,r2,r3,r4"]
    );
    let mut healthy = Played::default();
    healthy.say(&fails("X", "f0", "s1"));
    for n in 0..4 {
        let strategy = if n % 2 == 0 { "A" } else { "B" };
        assert!(
            healthy
                .say(&passes(strategy, &format!("f{n}")))
                .trips
                .is_empty()
        );
    }
    let mut same = Played::default();
    for n in 0..4 {
        let said = same.say(&Entry {
            weak: true,
            ..fails("A", &format!("f{n}"), "s")
        });
        assert!(said.trips.is_empty(), "A, A, A, A is no circle");
    }
}

#[test]
fn states_that_flip_trip_whatever_the_result() {
    let mut played = Played::default();
    for (n, state) in ["x", "", "y", "x", "y"].into_iter().enumerate() {
        let said = played.say(&Entry {
            state: Some(state.to_owned()),
            ..passes(&format!("S{n}"), &format!("f{n}"))
        });
        let want = if n == 4 {
            vec!["oscillation[state]<-r1,r3,r4,r5"]
        } else {
            vec![]
        };
        assert_eq!(tripped(&said), want);
    }
}

#[test]
fn a_verdict_belongs_to_the_latest_try() {
    let mut played = Played::default();
    assert!(
        !played.say(&checker_fails("s")).is_try,
        "there is no try yet"
    );
    played.say(&passes("A", "f"));
    assert!(found(&played.say(&checker_fails("s"))).is_empty());
    assert!(
        found(&played.say(&checker_fails("s"))).is_empty(),
        "seen already"
    );
    let again = played.say(&fails("A", "g", "t"));
    assert_eq!(found(&again), ["blind_repeat<-r3,r5"]);
    let both = played.say(&checker_fails("s"));
    assert_eq!(found(&both), ["blind_repeat<-r3,r6", "repeat<-r3,r6"]);
    assert_eq!(both.due, Some(Due::Debugger));
    let summary = played.ledger.summary();
    assert_eq!(
        (
            summary.tries,
            summary.failing,
            summary.repairs,
            summary.same
        ),
        (2, 2, 1, 2)
    );
}

#[test]
fn a_verdict_after_progress_opens_the_new_window() {
    let mut played = Played::default();
    let made = with_metric(passes("A", "f"), metric("errors", 3.0, 1.0, Better::Lower));
    assert!(played.say(&made).progress);
    let passing = Entry {
        result: Outcome::Pass,
        ..checker_fails("s")
    };
    played.say(&passing);
    assert_eq!(played.ledger.summary().tries, 0);
    played.say(&checker_fails("s"));
    let summary = played.ledger.summary();
    assert_eq!((summary.tries, summary.failing), (1, 1));
    assert_eq!(played.verdict("A"), Verdict::StrategyChangeDue);
    assert!(played.ledger.summary().lanes[0].failed);
}

#[test]
fn weak_failures_are_told_at_each_tenth() {
    let mut played = Played::default();
    for n in 1..=20 {
        let said = played.say(&weakly(&format!("S{n}")));
        let weak: Vec<String> = (1..=n).map(|n| format!("r{n}")).collect();
        if n % 10 == 0 {
            assert_eq!(found(&said), [format!("weak_repeats<-{}", weak.join(","))]);
            assert_eq!(said.due, Some(Due::Debugger));
            played.ledger.ladder = None;
        } else {
            assert_eq!((found(&said).len(), said.due), (0, None), "{n}");
        }
    }
    let verdict = Entry {
        weak: true,
        ..checker_fails("w")
    };
    played.say(&passes("P", "p"));
    for _ in 0..9 {
        played.say(&verdict);
    }
    assert_eq!(
        played.ledger.window.weak(Of::Everything).len(),
        21,
        "once a try"
    );
    let summary = played.ledger.summary();
    assert_eq!((summary.failing, summary.signature), (0, None));
}

#[test]
fn a_failure_without_files_is_a_makers_try_only() {
    for (role, result, is_try) in [
        (WorkRole::Maker, Outcome::Fail, true),
        (WorkRole::Maker, Outcome::Pass, false),
        (WorkRole::Maker, Outcome::Blocked, false),
        (WorkRole::Debugger, Outcome::Fail, false),
        (WorkRole::SecondOpinion, Outcome::Fail, false),
        (WorkRole::Checker, Outcome::Fail, false),
    ] {
        let mut bare = entry(role, "a", "S", result);
        assert_eq!(
            Played::default().say(&bare).is_try,
            is_try,
            "{role:?} {result:?}"
        );
        bare.state = Some(String::new());
        assert_eq!(
            Played::default().say(&bare).is_try,
            is_try,
            "an empty state is none"
        );
        bare.state = Some("x".to_owned());
        assert_eq!(
            Played::default().say(&bare).is_try,
            role != WorkRole::Checker
        );
        bare.state = None;
        bare.files.insert("f".to_owned());
        assert_eq!(
            Played::default().say(&bare).is_try,
            role != WorkRole::Checker
        );
    }
}

#[test]
fn while_a_breaker_is_open_a_try_is_a_leak_and_nothing_else() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.open = true;
    let made = with_metric(
        fails("B", "g", "s"),
        metric("errors", 3.0, 1.0, Better::Lower),
    );
    let leak = played.say(&made);
    assert_eq!(found(&leak), ["leak<-r2"]);
    assert!(leak.is_try && leak.leak && !leak.counts() && !leak.progress);
    let analysis = played.say(&looks(WorkRole::Debugger, "d"));
    assert_eq!(analysis, Judgement::default());
    assert!(played.ledger.knows(&AgentId::new("d")) && !played.ledger.knows(&AgentId::new("x")));
    assert_eq!((played.tries, played.ledger.summary().tries), (1, 1));
    played.permit = true;
    let permitted = played.say(&fails("B", "g", "s"));
    assert_eq!(
        found(&permitted),
        ["repeat<-r1,r4", "stuck_signature<-r1,r4"]
    );
    assert!(permitted.counts());
    played.permit = false;
    let leak = played.say(&fails("C", "g", "s"));
    assert_eq!(leak.due, Some(Due::Debugger), "what was due stays due");
}

#[test]
fn a_transient_failure_is_nothing() {
    let mut played = Played::default();
    for _ in 0..5 {
        let outage = Entry {
            transient: true,
            ..fails("A", "f", "s")
        };
        assert_eq!(played.say(&outage), Judgement::default());
    }
    assert_eq!(
        (played.tries, played.ledger.summary()),
        (0, Summary::default())
    );
    let passing = Entry {
        transient: true,
        ..passes("A", "f")
    };
    assert!(played.say(&passing).counts(), "only failures are transient");
    played.say(&fails("B", "g", "s"));
    played.say(&fails("C", "h", "s"));
    let outage = Entry {
        transient: true,
        ..fails("A", "f", "s")
    };
    assert_eq!(played.say(&outage).due, Some(Due::Debugger));
}

#[test]
fn the_last_try_of_the_mission_trips_also_with_progress() {
    let mut played = Played {
        tries: 48,
        ..Played::default()
    };
    assert!(played.say(&passes("A", "f")).trips.is_empty());
    assert!(played.say(&looks(WorkRole::Debugger, "d")).trips.is_empty());
    let made = with_metric(passes("B", "g"), metric("errors", 3.0, 1.0, Better::Lower));
    let last = played.say(&made);
    assert_eq!(tripped(&last), ["retry:mission[max_iterations]<-r3"]);
    assert!(last.progress);
    played.open = true;
    assert!(tripped(&played.say(&passes("C", "h"))).is_empty(), "a leak");
    played.tries = u32::MAX;
    played.permit = true;
    assert_eq!(played.say(&passes("C", "h")).trips.len(), 1);
}

#[test]
fn limits_are_those_given() {
    let mut played = Played {
        limits: Limits {
            max_repairs: 1,
            max_same_signature: 3,
            churn: 2,
            max_weak: 1,
            max_iterations: 5,
            ..Limits::default()
        },
        ..Played::default()
    };
    assert_eq!(found(&played.say(&weakly("W"))), ["weak_repeats<-r1"]);
    played.ledger.ladder = None;
    assert!(found(&played.say(&fails("A", "f", "s"))).is_empty());
    let second = played.say(&fails("B", "f", "s"));
    assert_eq!(
        found(&second),
        ["repeat<-r2,r3", "repairs_used<-r2,r3", "churn:f<-r2,r3"]
    );
    played.ledger.ladder = None;
    let third = played.say(&fails("C", "g", "s"));
    assert_eq!(
        found(&third),
        ["repeat<-r2,r3,r4", "stuck_signature<-r2,r3,r4"]
    );
    assert_eq!(tripped(&third), ["retry[max_repairs]<-r2,r3,r4"]);
    assert_eq!(tripped(&played.say(&passes("D", "h"))).len(), 2);
}

#[test]
fn progress_is_a_better_number_or_new_evidence() {
    let mut played = Played::default();
    let mut says = |name: &str, before: f64, after: f64, better| {
        let entry = with_metric(passes("A", "f"), metric(name, before, after, better));
        played.say(&entry).progress
    };
    assert!(
        !says("errors", 5.0, 5.0, Lower),
        "the first `before` is the best so far"
    );
    assert!(says("errors", 9.0, 4.5, Lower));
    assert!(!says("errors", 9.0, 4.5, Lower));
    assert!(!says("errors", 9.0, 8.0, Lower));
    assert!(
        !says("errors", 0.0, 9.0, Higher),
        "another direction is another metric"
    );
    assert!(!says("tests", 9.0, 1.0, Lower));
    assert!(says("errors", 9.0, 0.0, Lower));
    assert!(
        !says("tests", 2.0, 2.0, Higher),
        "it may follow now, and counts from 2"
    );
    assert!(says("tests", 2.0, 2.5, Higher));
    assert!(!says("tests", 2.0, 2.5, Higher));
    assert!(
        !says("errors", 9.0, -1.0, Lower),
        "only what falls to 0 is finished"
    );
    let mut shown = |evidence: &[&str], made: bool| {
        let entry = Entry {
            made,
            evidence: evidence.iter().map(|e| (*e).to_owned()).collect(),
            ..passes("A", "f")
        };
        played.say(&entry).progress
    };
    assert!(
        !shown(&["log@1"], false),
        "a claim that is none uses nothing up"
    );
    assert!(shown(&["log@1"], true));
    assert!(!shown(&["log@1"], true));
    assert!(!shown(&[], true));
    assert!(shown(&["log@1", "log@2"], true));
}

#[test]
fn a_finished_higher_metric_stays_the_metric() {
    let mut played = Played::default();
    let mut says = |name: &str, before: f64, after: f64, better| {
        let entry = with_metric(passes("A", "f"), metric(name, before, after, better));
        played.say(&entry).progress
    };
    assert!(says("balance", -3.0, 0.0, Better::Higher));
    assert!(!says("errors", 3.0, 1.0, Better::Lower));
}

#[test]
fn progress_begins_a_new_window_without_a_word() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.say(&fails("B", "f", "s"));
    let made = with_metric(
        fails("A", "f", "s"),
        metric("errors", 3.0, 1.0, Better::Lower),
    );
    let said = played.say(&made);
    assert_eq!(
        (said.findings.len(), said.trips.len(), said.due),
        (0, 0, None)
    );
    assert_eq!(played.ledger.summary(), Summary::default());
    assert_eq!(played.verdict("A"), Verdict::Allow);
}

#[test]
fn numbers_survive_being_written_down() {
    let mut played = Played::default();
    for after in [0.1 + 0.2, 1e-300, f64::MIN_POSITIVE, 0.0] {
        let made = with_metric(passes("A", "f"), metric("loss", 1.0, after, Better::Lower));
        assert!(played.say(&made).progress);
        let written = serde_json::to_string(&played.ledger).unwrap();
        played.ledger = serde_json::from_str(&written).unwrap();
        assert!(!played.say(&made).progress, "{after}");
    }
    let broken = serde_json::to_string(&played.ledger).unwrap();
    let broken = broken.replace("\"value\":\"0\"", "\"value\":\"much\"");
    assert!(serde_json::from_str::<TaskLedger>(&broken).is_err());
}

#[test]
fn a_reset_carries_over_the_signature_and_its_strategies_only() {
    let mut played = Played::default();
    played.ledger.reset();
    assert_eq!(played.ledger, TaskLedger::default());
    played.say(&fails("A", "f", "s"));
    played.say(&fails("B", "g", "s"));
    played.say(&fails("C", "h", "s"));
    played.ledger.reset();
    let summary = played.ledger.summary();
    assert_eq!((summary.tries, summary.same, summary.due), (0, 0, None));
    assert_eq!(summary.signature, Some(sig("s")));
    let asked = played.ask(WorkRole::Maker, None, "b");
    assert_eq!(
        (asked.verdict, ids(&asked.proof)),
        (Verdict::StrategyChangeDue, "r2".into())
    );
    let blind = played.say(&fails("B", "f", "s"));
    assert_eq!(
        found(&blind),
        ["blind_repeat<-r2,r4"],
        "proved across the reset"
    );
    played.ledger.reset();
    assert_eq!(ids(&played.ask(WorkRole::Maker, None, "B").proof), "r2,r4");
    played.say(&fails("D", "f", "other"));
    assert_eq!(
        played.verdict("B"),
        Verdict::Allow,
        "another signature is latest"
    );
    played.ledger.reset();
    assert_eq!(played.verdict("B"), Verdict::Allow);
    assert_eq!(played.verdict("D"), Verdict::StrategyChangeDue);
    let first = played.say(&fails("E", "k", "s"));
    assert!(
        found(&first).is_empty(),
        "what lies before two resets is forgotten"
    );
}

#[test]
fn after_a_reset_a_verdict_still_reaches_the_last_try() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.ledger.reset();
    played.say(&checker_fails("t"));
    let summary = played.ledger.summary();
    assert_eq!((summary.tries, summary.signature), (1, Some(sig("t"))));
}

#[test]
fn the_window_forgets_many_at_once() {
    let mut played = Played {
        permit: true,
        ..Played::default()
    };
    let mut churned = 0;
    for n in 0..600 {
        let said = played.say(&passes(&format!("S{n}"), "f"));
        churned += u32::from(!said.findings.is_empty());
        assert!(played.ledger.summary().tries <= 256);
        let kept = played.ledger.summary().tries;
        if n == 255 {
            assert_eq!(kept, 256);
        } else if n == 256 {
            assert_eq!(kept, 193);
        }
    }
    assert!(
        churned > 150,
        "a file that is touched for ever stays suspicious: {churned}"
    );
    let wide = Limits {
        max_weak: 200,
        ..Limits::default()
    };
    let mut played = Played {
        limits: wide,
        permit: true,
        ..Played::default()
    };
    for n in 0..400 {
        played.say(&passes(&format!("S{n}"), &format!("f{n}")));
    }
    assert_eq!(played.ledger.summary().tries, 400);
    played.say(&passes("S", "f"));
    assert_eq!(played.ledger.summary().tries, 337);
}

#[test]
fn one_try_keeps_so_many_files_and_signatures() {
    let mut played = Played::default();
    let mut wide = passes("A", "f");
    wide.files.extend((0..400).map(|n| format!("g{n:03}")));
    played.say(&wide);
    for n in 0..70 {
        played.say(&checker_fails(&format!("s{n}")));
    }
    let latest = played.ledger.window.latest().unwrap();
    assert_eq!((latest.files.len(), latest.failures.len()), (256, 64));
    assert!(!latest.ended_in(&sig("s5")) && latest.ended_in(&sig("s6")));
    assert!(latest.ended_in(&sig("s69")));
}

#[test]
fn a_verdict_without_a_signature_opens_no_window() {
    let mut played = Played::default();
    played.say(&passes("A", "f"));
    played.ledger.reset();
    let bare = Entry {
        signature: None,
        ..checker_fails("s")
    };
    played.say(&bare);
    assert_eq!(played.ledger.summary().tries, 0);
    played.say(&passes("B", "g"));
    played.say(&bare);
    assert!(
        played.ledger.summary().lanes[0].failed,
        "it failed the try all the same"
    );
    assert_eq!(played.ledger.summary().failing, 0);
}

#[test]
fn the_repairs_are_not_told_when_the_try_trips() {
    let mut played = Played::default();
    played.say(&fails("A", "f", "s"));
    played.say(&fails("B", "g", "s"));
    played.say(&looks(WorkRole::Debugger, "d"));
    assert_eq!(played.say(&looks(WorkRole::SecondOpinion, "o")).due, None);
    assert!(played.say(&fails("C", "h", "t")).findings.is_empty());
    let trips = played.say(&fails("D", "i", "s"));
    assert_eq!(found(&trips), ["repeat<-r1,r2,r6"]);
    assert_eq!((trips.trips.len(), trips.due), (1, None));
}

#[test]
fn only_a_checkers_failure_is_a_verdict() {
    let mut played = Played::default();
    played.say(&passes("A", "f"));
    for role in [WorkRole::Debugger, WorkRole::SecondOpinion] {
        let said = played.say(&Entry {
            role,
            ..checker_fails("s")
        });
        assert!(!said.is_try);
        let summary = played.ledger.summary();
        assert_eq!((summary.failing, summary.signature), (0, None));
        assert!(!summary.lanes[0].failed);
    }
}
