//! What holds of codes whatever happens, and each fault by its own example.

use proptest::prelude::*;

use super::*;

const MINTED: &str = "build_unclassified_0a1b2c3d";
const OTHER: &str = "build_unclassified_ffffffff";

fn entry(code: &str, tokens: &[&str]) -> Entry {
    Entry {
        code: code.to_owned(),
        layer: None,
        tokens: tokens.iter().map(|t| (*t).to_owned()).collect(),
        cause: "c".to_owned(),
        next_command: "true".to_owned(),
        recoverable: false,
        not_this: Vec::new(),
    }
}

fn decision(verb: &str, receipt: &str) -> Decision {
    Decision {
        receipt_id: RecordId::new(receipt),
        verb: verb.to_owned(),
        to: "disk_full".to_owned(),
        by: "me@desk".to_owned(),
        at: "2026-11-30T12:00:00Z".to_owned(),
        undone: None,
    }
}

fn undone(receipt: &str) -> Undone {
    Undone {
        receipt_id: RecordId::new(receipt),
        by: "you@desk".to_owned(),
        at: "2026-11-30T13:00:00Z".to_owned(),
    }
}

fn shown(faults: &[Fault]) -> Vec<String> {
    let lines = faults.iter();
    lines.map(|f| format!("{} {}", f.code, f.path)).collect()
}

#[test]
fn a_code_is_new_once_and_due_from_then_on() {
    let mut life = Life::default();
    assert_eq!(life.state(), State::New);
    for state in [State::New, State::Due, State::Due] {
        life.evolve(Event::Seen);
        assert_eq!(life.state(), state);
    }
    assert_eq!(
        [State::Due, State::New, State::Aliased, State::Promoted].map(|s| (s.as_str(), s.rank())),
        [("due", 2), ("new", 1), ("aliased", 0), ("promoted", 0)]
    );
}

#[test]
fn the_second_decision_is_refused_with_who_and_when() {
    let mut life = Life::default();
    life.evolve(Event::Seen);
    assert_eq!(life.open(MINTED), Ok(()));
    life.evolve(Event::Settled(decision("alias", "r1")));
    assert_eq!(life.state(), State::Aliased);
    let refusal = life.open(MINTED).unwrap_err();
    assert_eq!(refusal.code, Code::CodeSettled);
    assert_eq!(
        refusal.cause,
        format!("me@desk aliased {MINTED} to disk_full at 2026-11-30T12:00:00Z")
    );
    assert_eq!(
        refusal.next_command,
        format!("watchfloor triage show {MINTED}")
    );
    let promoted = Life {
        decisions: vec![decision("promote", "r1")],
        ..Life::default()
    };
    assert_eq!(promoted.state(), State::Promoted);
    assert!(
        promoted
            .open(MINTED)
            .unwrap_err()
            .cause
            .contains("promoted")
    );
}

#[test]
fn a_decision_is_taken_back_once() {
    let mut life = Life::default();
    life.evolve(Event::Settled(decision("alias", "r1")));
    let (first, nobodys) = (RecordId::new("r1"), RecordId::new("r9"));
    assert_eq!(
        life.standing(MINTED, &first).map(|d| d.to.as_str()),
        Ok("disk_full")
    );
    assert_eq!(
        life.standing(MINTED, &nobodys).unwrap_err().code,
        Code::NotFound
    );
    life.evolve(Event::TakenBack(first.clone(), undone("u1")));
    let refusal = life.standing(MINTED, &first).unwrap_err();
    assert_eq!(refusal.code, Code::CodeSettled);
    assert_eq!(
        refusal.cause,
        "you@desk took it back at 2026-11-30T13:00:00Z"
    );
    assert_eq!(life.open(MINTED), Ok(()));
    // A second undo changes nothing of the first.
    life.evolve(Event::TakenBack(first, undone("u2")));
    assert_eq!(life.decisions[0].undone, Some(undone("u1")));
}

#[test]
fn an_alias_leads_from_a_minted_code_to_an_entry() {
    let mut vocabulary = Vocabulary::default();
    let faults = |v: &Vocabulary, from, to| shown(&v.alias_faults(from, to));
    assert_eq!(faults(&vocabulary, MINTED, "disk_full"), [""; 0]);
    assert_eq!(faults(&vocabulary, MINTED, "mine"), ["dangling_alias to"]);
    assert_eq!(
        faults(&vocabulary, "disk_full", "Fail"),
        ["code_shape minted", "forbidden_code to"]
    );
    vocabulary.promote(OTHER, entry("mine", &["gizmo"]), RecordId::new("r1"));
    assert_eq!(faults(&vocabulary, MINTED, "mine"), [""; 0]);
    vocabulary.alias(MINTED, "mine", RecordId::new("r2"));
    assert_eq!(vocabulary.leaning_on("mine"), [MINTED]);
    assert_eq!(vocabulary.leaning_on("disk_full"), [""; 0]);
    let catalog = vocabulary.catalog();
    assert_eq!(catalog.aliases[MINTED], "mine");
    assert_eq!(catalog.aliases[OTHER], "mine");
}

#[test]
fn a_promotion_is_refused_with_all_its_faults_at_once() {
    let mut vocabulary = Vocabulary::default();
    vocabulary.promote(OTHER, entry("mine", &["gizmo"]), RecordId::new("r1"));
    let signals = ["the lever [a-z] broke".to_owned()];
    let faults =
        |minted, entry: &Entry| shown(&vocabulary.promotion_faults(minted, entry, &signals));
    assert_eq!(faults(MINTED, &entry("lever", &["LEVER"])), [""; 0]);
    assert_eq!(faults(MINTED, &entry("lever", &["lever [a-z]"])), [""; 0]);
    assert_eq!(
        faults(
            "mine",
            &entry("mine", &["a gizmo fell", " ", "lev.*broke", "two  blanks"])
        ),
        [
            "code_shape minted",
            "duplicate_code code",
            "token_shadowed match.0",
            "empty_token match.1",
            "dead_token match.2",
            "dead_token match.3",
            "signal_missed match",
        ]
    );
    assert_eq!(
        faults(MINTED, &entry("PASS", &["lever"])),
        ["forbidden_code code"]
    );
    assert_eq!(
        faults(MINTED, &entry("Lever!", &["lever"])),
        ["code_shape code"]
    );
    assert_eq!(
        faults(MINTED, &entry(OTHER, &["lever"])),
        ["code_shape code"]
    );
    assert_eq!(
        faults(MINTED, &entry("disk_full", &["lever"])),
        ["duplicate_code code"]
    );
    assert_eq!(faults(MINTED, &entry("lever", &[])), ["too_short match"]);
    let silent = Entry {
        cause: " ".to_owned(),
        next_command: String::new(),
        ..entry("lever", &["lever"])
    };
    assert_eq!(
        faults(MINTED, &silent),
        ["string_too_short cause", "string_too_short next_command"]
    );
    // Without a past signal nothing says that the tokens miss.
    let unseen = vocabulary.promotion_faults(MINTED, &entry("lever", &["anything"]), &[]);
    assert_eq!(unseen, []);
}

#[test]
fn a_promotion_that_hides_a_shipped_entry_is_a_warning() {
    let vocabulary = Vocabulary::default();
    let warnings = vocabulary.promotion_warnings(&entry("mine", &["no space left", "err"]));
    let codes: Vec<&str> = warnings.iter().map(|w| w.code.as_str()).collect();
    assert!(codes.contains(&"entry_hidden") && codes.contains(&"token_too_common"));
    assert!(
        warnings.iter().all(|w| w.path.starts_with("match.")),
        "{warnings:?}"
    );
    assert_eq!(
        vocabulary.promotion_warnings(&entry("mine", &["gizmo exploded"])),
        []
    );
}

/// What may happen to one code.
#[derive(Clone, Debug)]
enum Step {
    Seen,
    Alias,
    Promote,
    Undo(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Seen),
        1 => Just(Step::Alias),
        1 => Just(Step::Promote),
        2 => (0..6_usize).prop_map(Step::Undo),
    ]
}

proptest! {
    /// Against a naive model: how often it was seen, and which decision stands.
    #[test]
    fn counts_and_states_are_those_of_the_history(steps in prop::collection::vec(step(), 0..40)) {
        let (mut life, mut vocabulary) = (Life::default(), Vocabulary::default());
        let mut seen = 0_u64;
        let mut stands: Option<(RecordId, State)> = None;
        let mut receipts: Vec<RecordId> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let receipt = RecordId::new(format!("r{at}"));
            match step {
                Step::Seen => {
                    life.evolve(Event::Seen);
                    seen += 1;
                }
                Step::Alias | Step::Promote => {
                    prop_assert_eq!(life.open(MINTED).is_ok(), stands.is_none());
                    if stands.is_some() {
                        continue;
                    }
                    let alias = matches!(step, Step::Alias);
                    let verb = if alias { "alias" } else { "promote" };
                    life.evolve(Event::Settled(decision(verb, receipt.as_str())));
                    if alias {
                        vocabulary.alias(MINTED, "disk_full", receipt.clone());
                    } else {
                        vocabulary.promote(MINTED, entry("mine", &["gizmo"]), receipt.clone());
                    }
                    let state = if alias { State::Aliased } else { State::Promoted };
                    receipts.push(receipt.clone());
                    stands = Some((receipt, state));
                }
                Step::Undo(which) => {
                    let Some(target) = receipts.get(*which) else { continue };
                    let may = stands.as_ref().is_some_and(|(id, _)| id == target);
                    prop_assert_eq!(life.standing(MINTED, target).is_ok(), may);
                    if may {
                        life.evolve(Event::TakenBack(target.clone(), undone("u")));
                        vocabulary.take_back(target);
                        stands = None;
                    }
                }
            }
            prop_assert_eq!(life.count, seen);
            let expected = stands.as_ref().map(|(_, state)| *state);
            let open = if seen < 2 { State::New } else { State::Due };
            prop_assert_eq!(life.state(), expected.unwrap_or(open));
            prop_assert_eq!(vocabulary.catalog().aliases.contains_key(MINTED), stands.is_some());
        }
    }

    /// Taking back what was just decided leaves the vocabulary as it was.
    #[test]
    fn an_undo_restores(aliased in any::<bool>(), others in 0..4_usize) {
        let mut before = Vocabulary::default();
        for at in 0..others {
            let code = format!("own_{at}");
            let minted = format!("x_unclassified_0000000{at}");
            before.promote(&minted, entry(&code, &[&code]), RecordId::new(format!("o{at}")));
        }
        let mut after = before.clone();
        let receipt = RecordId::new("r");
        if aliased {
            after.alias(MINTED, "disk_full", receipt.clone());
        } else {
            after.promote(MINTED, entry("mine", &["gizmo"]), receipt.clone());
        }
        prop_assert_ne!(&after, &before);
        after.take_back(&receipt);
        prop_assert_eq!(after, before);
    }
}
