//! The scripted fleet does what it says, through the product's own verbs.

use crate::desk::Desk;

#[test]
fn the_demo_shows_its_six_facts_and_leaves_nothing() {
    let desk = Desk::bare();
    let said = desk.run(&["demo", "--headless", "--seconds", "300"]);
    assert_eq!(said.code, 0, "{said:?}");
    let facts: Vec<&str> = said
        .out
        .lines()
        .filter(|line| line.starts_with("  yes  "))
        .collect();
    assert_eq!(facts.len(), 6, "{said:?}");
    for what in [
        "answered, and the answer used: h-",
        "blocked: h-",
        "to a person: h-",
        "was stopped: b-",
        "is due: unknown_unclassified_",
        "a person's reset: b-",
    ] {
        assert!(
            facts.iter().any(|fact| fact.contains(what)),
            "{what}: {facts:?}"
        );
    }
    assert!(said.out.contains("5 agents"), "{said:?}");
    // Nothing of the caller's was touched: the home is as empty as it was.
    assert_eq!(
        std::fs::read_dir(desk.home()).unwrap().count(),
        1,
        "only the project"
    );
}
