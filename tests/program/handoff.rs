//! Handoffs as agents and operators call them.

use serde_json::{Value, json};

use crate::desk::{Desk, Said};

fn open(desk: &Desk, agent: &str) -> Value {
    let said = desk.run(&[
        "handoff",
        "open",
        "--agent",
        agent,
        "--question",
        "which port?",
        "--tried",
        "the files",
        "--needed",
        "a port",
        "--json",
    ]);
    assert_eq!(said.code, 0, "{said:?}");
    said.json()
}

fn refused(said: &Said, code: &str, exit: i32) {
    let answer = said.json();
    assert_eq!(answer["code"], code, "{said:?}");
    assert_eq!(said.code, exit, "{said:?}");
    assert!(said.err.is_empty(), "{said:?}");
    assert!(
        answer["next_command"].as_str().unwrap().len() > 3,
        "{said:?}"
    );
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

#[test]
fn one_agent_asks_another_answers_and_the_first_goes_on() {
    let desk = Desk::new();
    let opened = open(&desk, "a");
    let keys = ["id", "handle", "state", "priority", "seq"];
    assert!(keys.iter().all(|key| !opened[*key].is_null()), "{opened}");
    assert_eq!(
        (text(&opened, "state"), text(&opened, "priority")),
        ("open".into(), "background".into())
    );
    let id = text(&opened, "handle");
    let run = |words: &[&str]| {
        let said = desk.run(&[&["handoff"], words, &["--json"]].concat());
        assert_eq!(said.code, 0, "{words:?}: {said:?}");
        said.json()
    };
    let next = run(&["next", "--claim", "--agent", "b"]);
    assert_eq!(
        (text(&next, "holder"), &next["epoch"]),
        ("b".into(), &json!(1))
    );
    assert_eq!(
        (text(&next, "tried"), text(&next, "needed")),
        ("the files".into(), "a port".into())
    );
    assert!(!next["deadline"].is_null(), "{next}");
    run(&["ask", &id, "--agent", "b", "--question", "which region?"]);
    let waited = run(&["wait", &id, "--agent", "a"]);
    assert_eq!(text(&waited, "follow_up"), "which region?");
    run(&["reply", &id, "--agent", "a", "--text", "eu-1"]);
    let answered = run(&[
        "answer", &id, "--agent", "b", "--text", "8443", "--epoch", "1",
    ]);
    assert_eq!(text(&answered, "state"), "resolved");
    let waited = run(&["wait", &id, "--agent", "a"]);
    assert_eq!(
        (text(&waited, "answer"), &waited["used"]),
        ("8443".into(), &json!(false))
    );
    let list = desk.run(&["handoff", "list"]);
    assert!(list.out.contains("answered, not used"), "{list:?}");
    let receipt = text(&answered, "record_id");
    run(&["use", &id, "--agent", "a", "--evidence", &receipt]);
    let shown = run(&["show", &id]);
    assert_eq!(shown["used"], true, "{shown}");
    let log = run(&["log", &id]);
    let what: Vec<String> = log["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| text(record, "schema").replace("watchfloor.handoff_", ""))
        .collect();
    let thread = ["open", "claim", "follow_up", "reply", "answer", "use"];
    assert_eq!(what, thread.map(|name| format!("{name}.v1")));
    for record in log["records"].as_array().unwrap() {
        if !text(record, "schema").contains("follow_up")
            && !text(record, "schema").contains("reply")
        {
            let said = desk.run(&["receipt", "resolve", &text(record, "id"), "--json"]);
            assert_eq!(said.json()["trusted"], true, "{said:?}");
        }
    }
    let status = desk.run(&["status", "--json"]).json();
    assert_eq!(status["handoffs"][0]["state"], "resolved", "{status}");
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    let seen: (String, bool) = store
        .query_row("SELECT answer, used FROM v_handoffs", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(seen, ("8443".to_owned(), true));
    assert_eq!(desk.run(&["verify", "--deep"]).code, 0);
}

#[test]
fn an_object_is_taken_with_german_names_and_all_missing_names_are_told() {
    let desk = Desk::new();
    let said = desk.feed(&["handoff", "open", "-", "--json"], r#"{"frage": " "}"#);
    refused(&said, "contract_fault", 1);
    let faults = said.json()["faults"].clone();
    let paths: Vec<String> = faults
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| format!("{} {}", text(fault, "code"), text(fault, "path")))
        .collect();
    assert_eq!(
        paths,
        [
            "string_too_short question",
            "missing tried",
            "missing needed"
        ]
    );
    let entry = r#"{"projekt":"web","frage":"q","versucht":"v","benoetigt":"b","tags":["db"]}"#;
    let said = desk.feed(&["handoff", "open", "-", "--agent", "a", "--json"], entry);
    assert_eq!(said.code, 0, "{said:?}");
    let next = desk
        .run(&["handoff", "next", "--agent", "b", "--tag", "db", "--json"])
        .json();
    assert_eq!(
        (text(&next, "project"), text(&next, "tried")),
        ("web".into(), "v".into())
    );
    let there = desk.run(&[
        "handoff",
        "next",
        "--agent",
        "b",
        "--project",
        "api",
        "--json",
    ]);
    refused(&there, "handoff_none", 1);
}

#[test]
fn bad_use_is_refused_well() {
    let desk = Desk::new();
    let first = open(&desk, "a");
    let id = text(&first, "id");
    let run = |words: &[&str]| desk.run(&[&["handoff"], words, &["--json"]].concat());
    refused(&run(&["claim", &id, "--agent", "a"]), "handoff_own", 1);
    refused(&run(&["claim", &id]), "usage", 2);
    refused(&run(&["claim", "h-zzzz", "--agent", "b"]), "not_found", 1);
    refused(
        &run(&["answer", &id, "--agent", "b", "--text", "x"]),
        "handoff_unclaimed",
        1,
    );
    refused(
        &run(&["escalate", &id, "--agent", "b", "--reason", "r"]),
        "handoff_class",
        1,
    );
    refused(
        &run(&[
            "escalate", &id, "--agent", "b", "--class", "urgent", "--reason", "r",
        ]),
        "handoff_class",
        1,
    );
    refused(
        &run(&["escalate", &id, "--agent", "b", "--class", "money"]),
        "contract_fault",
        1,
    );
    refused(&run(&["use", &id, "--agent", "a"]), "contract_fault", 1);
    refused(
        &run(&["use", &id, "--agent", "a", "--evidence", "f"]),
        "transition_forbidden",
        1,
    );
    refused(&run(&["list", "--state", "lost"]), "usage", 2);
    refused(&run(&["open", "--wants", "money"]), "usage", 2);
    refused(
        &run(&["decide", &id, "--text", "yes"]),
        "transition_forbidden",
        1,
    );
    assert_eq!(run(&["claim", &id, "--agent", "b"]).code, 0);
    refused(&run(&["claim", &id, "--agent", "c"]), "handoff_held", 1);
    refused(
        &run(&["answer", &id, "--agent", "b", "--text", ""]),
        "contract_fault",
        1,
    );
    refused(
        &run(&["answer", &id, "--agent", "b", "--text", "x", "--epoch", "7"]),
        "handoff_epoch",
        1,
    );
    assert_eq!(
        run(&["ask", &id, "--agent", "b", "--question", "q"]).code,
        0
    );
    refused(
        &run(&["ask", &id, "--agent", "b", "--question", "r"]),
        "follow_up_spent",
        1,
    );
    assert_eq!(run(&["show", &id]).json()["state"], "blocked");
    refused(
        &run(&["wait", &text(&open(&desk, "a"), "id"), "--timeout", "0"]),
        "wait_ran_out",
        1,
    );
    let secret = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    refused(
        &run(&[
            "open",
            "--question",
            secret,
            "--tried",
            "t",
            "--needed",
            "n",
        ]),
        "secret_in_record",
        1,
    );
    let status = desk.run(&["status", "--json"]).json();
    assert_eq!(
        (&status["counts"]["breakers"], &status["attention"]),
        (&json!(0), &json!([]))
    );
}

#[test]
fn what_an_agent_writes_cannot_drive_a_terminal() {
    let desk = Desk::new();
    let entry = json!({"question": "a\u{1b}[2Jb", "tried": "t\u{202e}", "needed": "n"});
    let said = desk.feed(
        &["handoff", "open", "-", "--agent", "a"],
        &entry.to_string(),
    );
    assert_eq!(said.code, 0, "{said:?}");
    for words in [
        &["handoff", "list"][..],
        &["handoff", "next", "--agent", "b"],
        &["status"],
    ] {
        let said = desk.run(words);
        assert!(
            !said.out.contains('\u{1b}') && !said.out.contains('\u{202e}'),
            "{said:?}"
        );
    }
}

#[test]
fn beads_are_taken_in_once() {
    let desk = Desk::new();
    let secret = concat!("ghp_", "q7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iN");
    let lines = [
        json!({"id": "bd-1", "title": "Which port?", "description": "say host and port",
            "status": "open", "created_by": "ann", "labels": ["db"], "notes": format!("saw {secret}")}).to_string(),
        json!({"id": "bd-2", "title": "Why slow?", "description": "it hangs", "status": "blocked",
            "acceptance_criteria": "the cause", "comments": [{"author": "bob", "text": "not the disk"}]}).to_string(),
        json!({"id": "bd-3", "title": "Done", "description": "d", "status": "closed"}).to_string(),
        json!({"id": "bd-4", "title": "Now", "description": "d", "status": "in_progress"}).to_string(),
        json!({"id": "bd-5", "title": "Empty", "status": "open"}).to_string(),
        "not json".to_owned(),
    ];
    let file = desk.project().join("issues.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let import = || desk.run(&["handoff", "import", file.to_str().unwrap(), "--json"]);
    let done = import().json();
    assert_eq!(done["system"], "beads", "{done}");
    assert_eq!(done["imported"].as_array().unwrap().len(), 2, "{done}");
    for (what, count) in [
        ("items", 5),
        ("ended", 1),
        ("at_work", 1),
        ("without_need", 1),
        ("unreadable", 1),
        ("redacted", 1),
        ("known", 0),
    ] {
        assert_eq!(done[what], count, "{what}: {done}");
    }
    let rows = desk.run(&["handoff", "list", "--json"]).json()["handoffs"].clone();
    assert_eq!(
        (&rows[0]["question"], &rows[0]["asker"]),
        (&json!("Which port?"), &json!("ann"))
    );
    assert_eq!(rows[0]["tried"], "saw [redacted:github_token]");
    assert_eq!(rows[0]["tags"], json!(["beads", "open", "db"]));
    assert_eq!(rows[1]["needed"], "the cause");
    assert_eq!(rows[1]["tried"], "it hangs\nbob: not the disk");
    let again = import().json();
    assert_eq!(
        (&again["known"], &again["imported"]),
        (&json!(2), &json!([])),
        "{again}"
    );
    std::fs::write(&file, "hello").unwrap();
    refused(&import(), "import_unknown", 1);
}

#[test]
fn a_kanban_board_is_taken_in_and_not_changed() {
    let desk = Desk::new();
    let file = desk.project().join("kanban.db");
    let board = rusqlite::Connection::open(&file).unwrap();
    board
        .execute_batch(
            "CREATE TABLE tasks(id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT, assignee TEXT,
               status TEXT NOT NULL, created_by TEXT, last_failure_error TEXT, block_kind TEXT);
             CREATE TABLE task_runs(id INTEGER PRIMARY KEY, task_id TEXT, status TEXT, outcome TEXT,
               summary TEXT, error TEXT);
             CREATE TABLE task_comments(id INTEGER PRIMARY KEY, task_id TEXT, author TEXT, body TEXT);
             INSERT INTO tasks VALUES
               ('t_1','Which port?','host and port','dev','blocked','planner','no route','needs_input'),
               ('t_2','Ship it','now','dev','running','planner',NULL,NULL),
               ('t_3','Old','x','dev','done','planner',NULL,NULL),
               ('t_4','No body',NULL,'dev','todo','planner',NULL,NULL);
             INSERT INTO task_runs VALUES(1,'t_1','blocked','crashed',NULL,'exit 1');
             INSERT INTO task_comments VALUES(1,'t_1','lead','not in the vault');",
        )
        .unwrap();
    drop(board);
    let before = std::fs::read(&file).unwrap();
    let import = || {
        desk.run(&["handoff", "import", file.to_str().unwrap(), "--json"])
            .json()
    };
    let done = import();
    assert_eq!(
        (&done["system"], &done["items"]),
        (&json!("hermes_kanban"), &json!(4))
    );
    assert_eq!(
        (&done["ended"], &done["at_work"], &done["without_need"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(import()["known"], 1);
    let row = desk.run(&["handoff", "list", "--json"]).json()["handoffs"][0].clone();
    assert_eq!(
        (&row["question"], &row["needed"]),
        (&json!("Which port?"), &json!("host and port"))
    );
    assert_eq!(
        row["tried"],
        "crashed: exit 1\nno route\nlead: not in the vault"
    );
    assert_eq!(
        row["tags"],
        json!(["hermes_kanban", "blocked", "needs_input"])
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let other = desk.project().join("other.db");
    let db = rusqlite::Connection::open(&other).unwrap();
    db.execute_batch("CREATE TABLE cards(id)").unwrap();
    drop(db);
    let said = desk.run(&["handoff", "import", other.to_str().unwrap(), "--json"]);
    refused(&said, "import_unknown", 1);
    assert!(text(&said.json(), "cause").contains("cards"), "{said:?}");
}
