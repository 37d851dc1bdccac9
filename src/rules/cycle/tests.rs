//! Tests of the edit-check cycle.

use super::*;

fn sig(digit: &str) -> SignatureId {
    SignatureId::parse(&format!("es1:{}", digit.repeat(16))).unwrap()
}

/// A session that is written down and read back after every step.
#[derive(Default)]
struct Session {
    cycle: Cycle,
    tree: BTreeMap<String, String>,
}

impl Session {
    fn new() -> Self {
        Self::default()
    }

    /// A tool wrote a file.
    fn edit(&mut self, file: &str, content: &str) -> &mut Self {
        self.cycle.edit([file]);
        self.slip(file, content)
    }

    /// A file changed without a tool: by a shell command.
    fn slip(&mut self, file: &str, content: &str) -> &mut Self {
        self.tree.insert(file.to_owned(), content.to_owned());
        self
    }

    fn end(&mut self, check: &str, passed: bool, failing_tests: Option<u64>) -> Derived {
        let seen = CheckSeen {
            check: check.to_owned(),
            passed,
            failing_tests,
            tree: self.tree.clone(),
            signature: (!passed).then(|| sig("a")),
            strength: Strength::Medium,
        };
        let derived = self.cycle.check(&seen);
        let written = serde_json::to_string(&self.cycle).unwrap();
        self.cycle = serde_json::from_str(&written).unwrap();
        derived
    }

    fn fails(&mut self, check: &str) -> Derived {
        self.end(check, false, None)
    }

    fn passes(&mut self, check: &str) -> Derived {
        self.end(check, true, None)
    }
}

fn made(derived: Derived) -> DerivedTry {
    match derived {
        Derived::Try(made) => *made,
        Derived::Observation => panic!("an observation"),
    }
}

#[test]
fn an_edit_and_a_failing_check_are_a_try() {
    let mut session = Session::new();
    let first = made(session.edit("b", "1").edit("a", "1").fails("t"));
    assert_eq!(first.files, ["a", "b"]);
    assert_eq!(first.result, Outcome::Fail);
    assert_eq!(first.signature, Some(sig("a")));
    assert_eq!(first.strength, Strength::Medium);
    assert!(!first.planned && !first.rerun);
    assert_eq!((first.metric, first.evidence.len()), (None, 0));
    let state = first.state.unwrap();
    assert_eq!(first.strategy, format!("undeclared:{state}"));
    let want = Digest::of(b"1:a\n1:1\n1:b\n1:1\n").to_string();
    assert_eq!(state, want);
}

#[test]
fn a_caller_is_told_what_to_read_again() {
    let mut session = Session::new();
    assert!(session.cycle.paths().is_empty());
    session.edit("b", "1").edit("a", "1");
    assert_eq!(session.cycle.paths(), ["a", "b"]);
    session.fails("t");
    assert_eq!(session.cycle.paths(), ["a", "b"], "those of the tree");
    session.edit("c", "1");
    let told: BTreeSet<String> = session.cycle.paths().into_iter().collect();
    let want = ["a", "b", "c"].map(str::to_owned);
    assert_eq!(told, BTreeSet::from(want));
}

#[test]
fn the_same_content_is_the_same_state() {
    let mut session = Session::new();
    let states: Vec<Option<String>> = ["1", "2", "1", "2"]
        .into_iter()
        .map(|content| made(session.edit("a", content).fails("t")).state)
        .collect();
    assert_eq!(states[0], states[2]);
    assert_eq!(states[1], states[3]);
    assert_ne!(states[0], states[1]);
    assert!(states[0].is_some());
}

#[test]
fn a_plan_names_the_strategy() {
    let mut session = Session::new();
    session.cycle.plan("widen the lock");
    let one = made(session.edit("a", "1").fails("t"));
    assert_eq!(
        (one.strategy.as_str(), one.planned),
        ("widen the lock", true)
    );
    session.cycle.plan("narrow it");
    assert_eq!(
        made(session.edit("a", "2").fails("t")).strategy,
        "narrow it"
    );
}

#[test]
fn the_third_failure_with_nothing_changed_is_a_rerun() {
    let mut session = Session::new();
    assert_eq!(session.fails("t"), Derived::Observation);
    assert_eq!(session.fails("t"), Derived::Observation);
    for planned in [false, false, true] {
        if planned {
            session.cycle.plan("x");
        }
        let again = made(session.fails("t"));
        assert_eq!((again.strategy.as_str(), again.rerun), (RERUN, true));
        assert_eq!((again.files.len(), again.state), (0, None));
        assert_eq!((again.planned, again.signature), (planned, Some(sig("a"))));
    }
    assert!(!made(session.edit("a", "1").fails("t")).rerun);
    assert_eq!(
        session.fails("t"),
        Derived::Observation,
        "the row begins anew"
    );
    assert_eq!(session.fails("u"), Derived::Observation);
    assert!(made(session.fails("t")).rerun);
}

#[test]
fn another_check_that_passes_does_not_break_the_row() {
    let mut session = Session::new();
    for _ in 0..2 {
        assert_eq!(session.passes("build"), Derived::Observation);
        assert_eq!(session.fails("t"), Derived::Observation);
    }
    assert_eq!(session.passes("build"), Derived::Observation);
    assert!(made(session.fails("t")).rerun);
}

#[test]
fn changes_that_no_tool_told_are_seen_in_the_tree() {
    let mut session = Session::new();
    session.slip("old", "1");
    assert_eq!(session.fails("t"), Derived::Observation, "dirty before");
    let one = made(session.slip("new", "1").slip("old", "2").fails("t"));
    assert_eq!(one.files, ["new", "old"]);
    session.tree.remove("new");
    let gone = made(session.fails("t"));
    assert_eq!(gone.files, ["new"]);
    assert_eq!(gone.state, Some(Digest::of(b"3:new\n1:-\n").to_string()));
}

#[test]
fn the_first_check_is_measured_against_the_tree_at_the_start() {
    let mut session = Session::new();
    session.slip("old", "1");
    let at_start = session.tree.clone();
    session.cycle.begin(&at_start);
    assert!(session.cycle.begun());
    assert_eq!(session.fails("t"), Derived::Observation, "dirty before");
    let mut session = Session::new();
    session.cycle.begin(&at_start);
    let one = made(session.slip("old", "1").slip("new", "1").fails("t"));
    assert_eq!(one.files, ["new"]);
    // Another start hides nothing that was changed before it.
    session.slip("new", "2");
    session.cycle.begin(&session.tree.clone());
    assert_eq!(made(session.fails("t")).files, ["new"]);
}

#[test]
fn without_digests_there_is_no_state() {
    let mut session = Session::new();
    session.cycle.edit(["a"]);
    let one = made(session.fails("t"));
    assert_eq!(one.state, None);
    assert!(one.strategy.starts_with("undeclared:sha256:"));
}

#[test]
fn a_passing_check_hides_edits_from_itself_only() {
    let mut session = Session::new();
    assert_eq!(session.edit("a", "1").passes("build"), Derived::Observation);
    assert_eq!(session.edit("b", "1").passes("build"), Derived::Observation);
    assert_eq!(
        session.fails("build"),
        Derived::Observation,
        "nothing is new to it"
    );
    assert_eq!(made(session.fails("t")).files, ["a", "b"]);
    assert_eq!(
        session.fails("build"),
        Derived::Observation,
        "the try used them up"
    );
    session.edit("c", "1").passes("t");
    assert_eq!(made(session.edit("d", "1").fails("t")).files, ["d"]);
}

#[test]
fn passing_after_failing_is_progress_once() {
    let mut session = Session::new();
    session.edit("a", "1").end("t", false, Some(4));
    let passed = made(session.edit("a", "2").passes("t"));
    assert_eq!((passed.result, passed.files.len()), (Outcome::Pass, 1));
    assert_eq!(passed.signature, None);
    assert!(passed.state.is_some());
    let metric = passed.metric.unwrap();
    assert_eq!(metric.name, "failing tests: t");
    assert_eq!(metric.better, Better::Lower);
    assert_eq!(
        (metric.before.to_bits(), metric.after.to_bits()),
        (4f64.to_bits(), 0)
    );
    let content = Digest::of(b"1:a\n1:2\n");
    assert_eq!(passed.evidence, [format!("check:t@{content}")]);
    assert_eq!(session.edit("a", "3").passes("t"), Derived::Observation);
    session.fails("u");
    let unknown = made(session.passes("u"));
    assert_eq!(unknown.metric.unwrap().before.to_bits(), 1f64.to_bits());
    assert!(unknown.rerun && unknown.state.is_none());
}

#[test]
fn a_pass_ends_the_row_and_uses_the_edits() {
    let mut session = Session::new();
    session.fails("t");
    session.fails("t");
    made(session.edit("a", "1").passes("t"));
    assert_eq!(session.fails("u"), Derived::Observation);
    assert_eq!(session.fails("u"), Derived::Observation);
    assert!(made(session.fails("u")).rerun);
}

#[test]
fn fewer_failing_tests_than_ever_are_progress() {
    let mut session = Session::new();
    assert_eq!(session.end("t", false, Some(9)), Derived::Observation);
    let mut content = 0;
    let mut tries = |count| {
        content += 1;
        let metric = made(
            session
                .edit("a", &content.to_string())
                .end("t", false, count),
        )
        .metric;
        metric.map(|m| (m.before.to_bits(), m.after.to_bits()))
    };
    let bits = |before: f64, after: f64| Some((before.to_bits(), after.to_bits()));
    assert_eq!(tries(Some(5)), bits(9.0, 5.0));
    assert_eq!(tries(Some(5)), None);
    assert_eq!(tries(Some(7)), None);
    assert_eq!(tries(None), None);
    assert_eq!(tries(Some(6)), None, "fewer than before, not than ever");
    assert_eq!(tries(Some(4)), bits(5.0, 4.0));
    session.end("t", false, Some(1));
    session.end("t", false, Some(1));
    let flaky = made(session.end("t", false, Some(1)));
    assert_eq!(
        (flaky.rerun, flaky.metric),
        (true, None),
        "a count moves no mark by itself"
    );
    let next = made(session.edit("a", "x").end("t", false, Some(3)));
    assert_eq!(next.metric.unwrap().before.to_bits(), 4f64.to_bits());
    assert_eq!(next.evidence.len(), 1);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut cycle = Cycle::default();
    cycle.edit((0..EDITS + 9).map(|n| format!("f{n}")));
    assert_eq!(cycle.edits.len(), EDITS);
    cycle.edit(["f0", "new"]);
    assert_eq!((cycle.edits.len(), cycle.edits["f0"]), (EDITS, 2));
    let mut session = Session::new();
    for n in 0..CHECKS + 5 {
        session.fails(&format!("t{n}"));
        session.fails("t0");
    }
    assert_eq!(session.cycle.checks.len(), CHECKS);
    assert!(session.cycle.checks.contains_key("t0"));
    assert!(!session.cycle.checks.contains_key("t1"));
    assert!(
        session
            .cycle
            .checks
            .contains_key(&format!("t{}", CHECKS + 4))
    );
}

#[test]
fn the_exit_of_a_command_is_an_entry_but_for_reruns() {
    let mut cycle = Cycle::default();
    let mut exit = |passed: bool, content: &str| {
        let tree = BTreeMap::from([("a".to_owned(), content.to_owned())]);
        cycle.begin(&tree);
        cycle.exit(&CheckSeen {
            check: "run".to_owned(),
            passed,
            failing_tests: None,
            tree,
            signature: (!passed).then(|| sig("a")),
            strength: Strength::Medium,
        })
    };
    let first = made(exit(false, "0"));
    assert_eq!(
        (first.result, first.files.len(), first.rerun),
        (Outcome::Fail, 0, false)
    );
    assert!(first.strategy.starts_with("undeclared:") && first.state.is_none());
    assert_eq!(first.signature, Some(sig("a")));
    assert_eq!(exit(false, "0"), Derived::Observation);
    assert!(made(exit(false, "0")).rerun);
    assert_eq!(made(exit(false, "1")).files, ["a"]);
    let passed = made(exit(true, "2"));
    assert!(passed.metric.is_some());
    // One that passed again is read, and no try: it names no file and no state.
    let again = made(exit(true, "3"));
    assert_eq!(
        (again.result, again.files.len(), again.state),
        (Outcome::Pass, 0, None)
    );
    assert!(again.metric.is_none() && again.signature.is_none());
}
