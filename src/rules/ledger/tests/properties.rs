//! What holds for every sequence of entries.

use proptest::prelude::*;

use super::*;

/// One step of a task's life.
#[derive(Clone, Debug)]
enum Step {
    Says(Box<Entry>),
    Begins(u8),
    Resets,
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let who = (0..4usize, 0..4u8, 0..5u8, 0..4usize);
    let what = (
        proptest::collection::btree_set("[a-c]", 0..3),
        proptest::option::of(0..3u8),
        0..4u8,
        any::<(bool, bool, bool)>(),
    );
    let shown = (0..6u8, proptest::collection::vec("[a-e]", 0..2));
    (who, what, shown).prop_map(|(who, what, shown)| {
        let (role, agent, strategy, result) = who;
        let (files, state, signature, (weak, transient, undeclared)) = what;
        let result = Outcome::ALL[if signature < 3 { 1 } else { result }];
        let mut entry = entry(
            WorkRole::ALL[role],
            &format!("a{agent}"),
            &format!("S{strategy}"),
            result,
        );
        entry.files = files;
        entry.state = state.map(|s| s.to_string());
        entry.signature = Some(sig(&signature.to_string()));
        entry.weak = weak && signature == 0;
        entry.transient = transient && signature == 1;
        entry.undeclared = undeclared && strategy == 0;
        entry.made = shown.0 == 0;
        entry.evidence = shown.1;
        entry
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => any_entry().prop_map(|entry| Step::Says(Box::new(entry))),
        2 => (0..4u8).prop_map(Step::Begins),
        1 => Just(Step::Resets),
    ]
}

/// Plays the steps; the task's breaker opens with a trip and closes with a reset.
fn play(steps: &[Step], reload: bool) -> (Played, Vec<Judgement>) {
    let mut played = Played::default();
    let mut said = Vec::new();
    for step in steps {
        match step {
            Step::Says(entry) => {
                let judgement = played.say(entry);
                played.open |= !judgement.trips.is_empty();
                said.push(judgement);
            }
            Step::Begins(agent) => {
                let agent = AgentId::new(format!("a{agent}"));
                played.ledger.begin(&agent, played.seq);
            }
            Step::Resets => {
                played.ledger.reset();
                played.open = false;
                played.tries = 0;
            }
        }
        if reload {
            let written = serde_json::to_string(&played.ledger).unwrap();
            played.ledger = serde_json::from_str(&written).unwrap();
        }
    }
    (played, said)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn writing_down_changes_no_answer(steps in proptest::collection::vec(any_step(), 0..40)) {
        let (one, said) = play(&steps, false);
        let (other, again) = play(&steps, true);
        prop_assert_eq!(said, again);
        prop_assert_eq!(one.ledger, other.ledger);
    }

    #[test]
    fn whoever_says_anything_is_known(steps in proptest::collection::vec(any_step(), 0..30)) {
        let (played, _) = play(&steps, false);
        for step in &steps {
            if let Step::Says(entry) = step {
                prop_assert!(played.ledger.knows(&entry.agent));
            }
        }
    }

    #[test]
    fn each_thing_said_is_proved_and_said_once(steps in proptest::collection::vec(any_step(), 0..40)) {
        let (_, said) = play(&steps, false);
        for judgement in said {
            let mut words: Vec<String> =
                judgement.findings.iter().map(|(finding, _)| finding.to_string()).collect();
            words.extend(judgement.trips.iter().map(|(trip, ..)| trip.as_str().to_owned()));
            let count = words.len();
            words.sort();
            words.dedup();
            prop_assert_eq!(count, words.len());
            prop_assert!(judgement.findings.iter().all(|(_, proof)| !proof.is_empty()));
            prop_assert!(judgement.trips.iter().all(|(_, _, proof)| !proof.is_empty()));
            prop_assert!(!judgement.leak || judgement.trips.is_empty());
        }
    }

    #[test]
    fn a_reset_gives_two_further_failures_before_the_next_trip(
        steps in proptest::collection::vec(any_step(), 0..30),
    ) {
        let (mut played, _) = play(&steps, false);
        played.ledger.reset();
        played.open = false;
        played.tries = 0;
        for (strategy, file) in [("N1", "x"), ("N2", "y")] {
            let said = played.say(&fails(strategy, file, "again and again"));
            prop_assert!(said.trips.is_empty());
        }
        let third = played.say(&fails("N3", "z", "again and again"));
        prop_assert!(third.trips.iter().any(|(trip, ..)| *trip == SafetyTrip::Retry));
    }

    #[test]
    fn endless_failing_of_one_task_ends(
        entries in proptest::collection::vec(any_entry(), 60..90),
    ) {
        let mut tries = 0;
        let mut steps = Vec::new();
        for mut entry in entries {
            entry.role = WorkRole::Maker;
            entry.result = Outcome::Fail;
            entry.transient = false;
            steps.push(Step::Says(Box::new(entry)));
        }
        let (_, said) = play(&steps, false);
        let stopped = said.iter().position(|judgement| !judgement.trips.is_empty());
        for judgement in &said {
            tries += u32::from(judgement.counts());
        }
        prop_assert!(stopped.is_some_and(|at| at < 50));
        prop_assert!(tries <= 50);
    }

    #[test]
    fn a_permit_opens_the_gate_and_a_breaker_shuts_it(
        steps in proptest::collection::vec(any_step(), 0..30),
        role in 0..4usize,
        strategy in "S[0-5]",
    ) {
        let (mut played, _) = play(&steps, false);
        let role = WorkRole::ALL[role];
        for open in [false, true] {
            played.open = open;
            played.permit = true;
            prop_assert_eq!(played.ask(role, Some("a0"), &strategy).verdict, Verdict::Allow);
            played.permit = false;
            let shut = played.ask(role, Some("a0"), &strategy).verdict == Verdict::BreakerOpen;
            prop_assert_eq!(shut, open);
        }
    }
}
