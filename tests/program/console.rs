//! What belongs to the console and needs no terminal: the store that it reads, and its verbs beside.

use std::path::PathBuf;

use serde_json::json;
use watchfloor::cli::args::Global;
use watchfloor::console::executor::Executor;
use watchfloor::console::{Backend, PageWant, PaneKind, Sort, Want};
use watchfloor::contract::refusal::Code;

use crate::desk::Desk;

fn attempt(desk: &Desk, task: &str, result: &str) {
    attempt_with(desk, task, result, "test it ... FAILED: left: 1, right: 2");
}

fn attempt_with(desk: &Desk, task: &str, result: &str, error: &str) {
    let mut body = json!({"task_id": task, "agent": "a-1", "role": "maker", "hypothesis": "h",
        "strategy": "A\u{1b}[2J", "check": "cargo test", "change": {"files": ["f.rs"]}, "result": result});
    if result == "FAIL" {
        body["error_signature"] = json!(error);
    }
    let said = desk.feed(&["attempt", "record", "-"], &body.to_string());
    assert_eq!(said.code, 0, "{said:?}");
}

fn open(desk: &Desk) -> Executor {
    let global = Global {
        store: Some(desk.store().display().to_string()),
        config: Some(PathBuf::from("/nonexistent")),
        ..Global::default()
    };
    let context = watchfloor::cli::context::at(&global, &desk.project()).unwrap();
    Executor::open(context, true, None).unwrap()
}

#[test]
fn a_store_that_is_gone_is_not_shown_as_if_it_were_there() {
    let desk = Desk::new();
    attempt(&desk, "T-1", "PASS");
    let mut screen = open(&desk);
    let want = Want::default();
    assert_eq!(screen.status(&want).unwrap().counts.attempts, 1);
    let aside = desk.store().with_extension("aside");
    std::fs::rename(desk.store(), &aside).unwrap();
    let refusal = screen.status(&want).unwrap_err();
    assert_eq!(refusal.code, Code::StoreMissing);
    assert!(refusal.cause.contains("moved or deleted"), "{refusal:?}");
    std::fs::rename(&aside, desk.store()).unwrap();
    assert_eq!(screen.status(&want).unwrap().counts.attempts, 1);
    std::fs::write(desk.store(), "something else").unwrap();
    assert_eq!(screen.status(&want).unwrap_err().code, Code::StoreDamaged);
}

#[test]
fn lists_are_sorted_over_all_their_rows_and_receipts_tell_their_parents() {
    let desk = Desk::new();
    for task in ["T-2", "T-1", "T-3"] {
        attempt(&desk, task, "FAIL");
    }
    attempt(&desk, "T-1", "FAIL");
    let trip = [
        "breaker",
        "trip",
        "--trigger",
        "git",
        "--scope",
        "task:T-3",
        "--reason",
        "r",
    ];
    assert_eq!(desk.run(&trip).code, 0);
    let mut screen = open(&desk);
    let page = |sort, offset| {
        Some(PageWant {
            offset,
            limit: 1,
            sort,
            ..PageWant::default()
        })
    };
    let want = Want {
        circles: 1,
        tasks: page(Sort::Name, 1),
        receipts: page(Sort::Default, 0),
        ..Want::default()
    };
    let shown = screen.status(&want).unwrap();
    let tasks = shown.tasks.unwrap();
    assert_eq!((tasks.total, tasks.rows[0].task.as_str()), (3, "T-2"));
    // Escalated, and failing the same way twice.
    assert_eq!((shown.circles.total, shown.circles.rows.len()), (2, 1));
    let receipts = shown.receipts.unwrap();
    assert_eq!(receipts.rows[0].schema, "watchfloor.breaker_trip.v1");
    let known = screen
        .detail(PaneKind::Receipts, &receipts.rows[0].id)
        .unwrap();
    let watchfloor::console::Known::Tree(tree) = known else {
        panic!("a tree");
    };
    assert!(tree.trusted && tree.nodes[0].digest.starts_with("sha256:"));
    // A receipt that comes in later is added to those that were read.
    let trip = [
        "breaker",
        "trip",
        "--trigger",
        "git",
        "--scope",
        "task:T-1",
        "--reason",
        "r",
    ];
    assert_eq!(desk.run(&trip).code, 0);
    let receipts = screen.status(&want).unwrap().receipts.unwrap();
    assert_eq!((receipts.total, receipts.rows[0].parents), (2, 0));
}

#[test]
fn a_minted_code_is_on_the_bench_with_what_naming_it_would_change() {
    let desk = Desk::new();
    for _ in 0..2 {
        attempt_with(
            &desk,
            "T-1",
            "FAIL",
            "the widget refused to frobnicate: exit 7",
        );
    }
    let mut screen = open(&desk);
    let want = Want {
        codes: Some(PageWant {
            limit: 9,
            ..PageWant::default()
        }),
        ..Want::default()
    };
    let shown = screen.status(&want).unwrap();
    assert_eq!(shown.counts.codes_due, 1);
    let codes = shown.codes.unwrap();
    assert_eq!((codes.total, codes.rows[0].state.as_str()), (1, "due"));
    let code = codes.rows[0].code.clone();
    let known = screen.detail(PaneKind::Codes, &code).unwrap();
    let watchfloor::console::Known::Bench(bench) = known else {
        panic!("a bench");
    };
    assert_eq!(bench.samples.len(), 2);
    let form = screen.code_form(&code).unwrap();
    assert!(form.entries.len() > 100);
    let draft = watchfloor::contract::bench::DraftEntry {
        minted: code.clone(),
        code: "widget_refused".to_owned(),
        tokens: vec!["refused to frobnicate".to_owned()],
        cause: "The widget is worn.".to_owned(),
        next_command: "make widget".to_owned(),
        ..Default::default()
    };
    let preview = screen.preview(&draft).unwrap();
    assert_eq!(
        (preview.caught_total, preview.faults),
        (2, Vec::<String>::new())
    );
    let meaning = screen.classify("fatal: no space left on device").unwrap();
    assert_eq!(meaning.code, "disk_full");
    assert!(screen.classify("PASS").is_err());
}

#[test]
fn watch_tells_each_event_in_words_on_a_line_of_its_own() {
    let desk = Desk::new();
    attempt(&desk, "T-1", "FAIL");
    let trip = [
        "breaker",
        "trip",
        "--trigger",
        "git",
        "--scope",
        "task:T-1",
        "--reason",
        "a push\nto main",
    ];
    assert_eq!(desk.run(&trip).code, 0);
    // Of a new code three cards are written, so the trip is the fifth record.
    let said = desk.run(&["watch", "--since", "0", "--limit", "5"]);
    assert_eq!(said.code, 0, "{said:?}");
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 5, "{said:?}");
    assert!(lines[0].contains("a-1 maker on T-1: FAIL A"), "{said:?}");
    assert!(lines[1].contains("code ticket"), "{said:?}");
    let trip = "breaker git opened on task:T-1: a push to main";
    assert!(lines[4].contains(trip), "{said:?}");
    assert!(
        !said.out.contains('\u{1b}'),
        "control characters are shown, not obeyed"
    );
    let said = desk.run(&["watch", "--since", "0", "--limit", "1", "--json"]);
    assert_eq!(said.json()["seq"], 1);
}

#[test]
fn completions_and_manual_pages_are_written() {
    let desk = Desk::bare();
    assert!(
        desk.run(&["completions", "bash"])
            .out
            .contains("_watchfloor")
    );
    assert!(desk.run(&["completions", "csh"]).code == 2);
    assert!(desk.run(&["man"]).out.contains(".TH watchfloor"));
    let pages = desk.home().join("man1");
    let said = desk.run(&["man", "--dir", &pages.display().to_string()]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(pages.join("watchfloor-breaker-reset.1").is_file());
    assert!(
        !pages.join("watchfloor-floor-read.1").exists(),
        "hidden verbs have none"
    );
}
