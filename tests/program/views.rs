//! Console, `status --json` and the store's views say the same while another process writes.

use std::path::PathBuf;

use rusqlite::types::ValueRef;
use serde_json::{Map, Value, json};
use watchfloor::cli::args::Global;
use watchfloor::console::executor::Executor;
use watchfloor::console::{Backend, PageWant, Want};

use crate::desk::{Desk, Said};

/// Small and repeatable: enough to choose what is done next.
struct Dice(u64);

impl Dice {
    fn of(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// One random valid record, through a verb of the product.
fn act(desk: &Desk, dice: &mut Dice) {
    let (task, agent) = (format!("T-{}", dice.of(12)), format!("a-{}", dice.of(5)));
    let strategy = ["A", "B", "C", "widen the lock"][usize::try_from(dice.of(4)).unwrap()];
    let said = match dice.of(17) {
        0 => {
            let scope = format!("task:{task}");
            desk.run(&["breaker", "trip", "--trigger", "git", "--scope", &scope, "--reason", "random"])
        }
        1 => desk.run(&["attempt", "plan", "--task", &task, "--agent", &agent, "--strategy", strategy, "--hypothesis", "h"]),
        2 => desk.run(&["gate", "check", "--task", &task, "--agent", &agent, "--role", "maker", "--strategy", strategy]),
        3 => desk.feed(&["hook", "pi", "tool_result"], &json!({"session_id": agent, "cwd": desk.project(), "type": "tool_result",
            "toolName": "read", "input": {"path": "x"}, "content": [{"type": "text", "text": "seen"}], "isError": false}).to_string()),
        4 => desk.feed(&["receipt", "ingest", "-"], "{\"half\": "),
        12 => desk.run(&["handoff", "open", "--task", &task, "--agent", &agent, "--question", strategy, "--tried", "t", "--needed", "n"]),
        13 => desk.run(&["handoff", "next", "--claim", "--agent", &agent]),
        14 => held(desk, &agent, dice),
        15 => desk.feed(&["hook", "claude", "Notification"], &json!({"session_id": agent, "cwd": desk.project(), "hook_event_name": "Notification",
            "notification_type": "permission_prompt", "message": format!("May I run {strategy}? ")}).to_string()),
        16 => desk.run(&["inbox", "send", "--to", &agent, "--kind", "notification", "--text", strategy]),
        n => {
            let mut body = json!({"task_id": task, "agent": agent, "role": "maker", "hypothesis": "h", "strategy": strategy,
                "change": {"files": [format!("f{}.rs", dice.of(4))]}, "result": if n < 9 { "FAIL" } else { "PASS" }});
            if n < 9 {
                body["error_signature"] = json!(format!("error: case {} failed", ["x", "y", "z"][usize::try_from(dice.of(3)).unwrap()]));
            }
            desk.feed(&["attempt", "record", "-"], &body.to_string())
        }
    };
    // A rule may say no; nothing may fail.
    assert!(said.code <= 1, "{said:?}");
}

/// An agent does something with what it holds, when it holds anything.
fn held(desk: &Desk, agent: &str, dice: &mut Dice) -> Said {
    let claimed = desk.run(&["handoff", "list", "--state", "claimed", "--json"]);
    let claimed = claimed.json();
    let mut rows = claimed["handoffs"].as_array().unwrap().iter();
    let Some(id) = rows
        .find(|row| row["holder"] == agent)
        .map(|row| row["id"].as_str().unwrap())
    else {
        return desk.run(&["handoff", "list"]);
    };
    match dice.of(4) {
        0 => desk.run(&[
            "handoff",
            "ask",
            id,
            "--question",
            "which?",
            "--agent",
            agent,
        ]),
        1 => desk.run(&[
            "handoff", "escalate", id, "--class", "money", "--reason", "r", "--agent", agent,
        ]),
        2 => desk.run(&["handoff", "release", id, "--agent", agent]),
        _ => desk.run(&["handoff", "answer", id, "--text", "so", "--agent", agent]),
    }
}

/// The rows of a view, as JSON objects of its columns.
fn view(store: &rusqlite::Connection, name: &str, limit: usize) -> Vec<Value> {
    let mut statement = store
        .prepare(&format!("SELECT * FROM {name} LIMIT {limit}"))
        .unwrap();
    let names: Vec<String> = statement.column_names().map(ToString::to_string).collect();
    let rows = statement.query_map([], |row| {
        let mut object = Map::new();
        for (at, name) in names.iter().enumerate() {
            let value = match row.get_ref(at)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => json!(number),
                ValueRef::Real(number) => json!(number),
                ValueRef::Text(text) | ValueRef::Blob(text) => json!(String::from_utf8_lossy(text)),
            };
            object.insert(name.clone(), value);
        }
        Ok(Value::Object(object))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// A row as the view has it: lists are JSON text there, and truth is a number.
fn flat(row: &Value) -> Value {
    let fields = row.as_object().unwrap().iter().map(|(key, value)| {
        let value = match value {
            Value::Array(_) | Value::Object(_) => json!(value.to_string()),
            Value::Bool(truth) => json!(i64::from(*truth)),
            other => other.clone(),
        };
        (key.clone(), value)
    });
    Value::Object(fields.collect())
}

fn value<T: serde::Serialize>(rows: &[T]) -> Vec<Value> {
    rows.iter()
        .map(|row| serde_json::to_value(row).unwrap())
        .collect()
}

#[test]
fn screen_status_and_views_agree_at_every_pause() {
    let desk = Desk::new();
    let mut dice = Dice(0x5eed_2026);
    let global = Global {
        store: Some(desk.store().display().to_string()),
        config: Some(PathBuf::from("/nonexistent")),
        ..Global::default()
    };
    let context = watchfloor::cli::context::at(&global, &desk.project()).unwrap();
    let mut screen = Executor::open(context, true, None).unwrap();
    for pause in 0..10 {
        for _ in 0..50 {
            act(&desk, &mut dice);
        }
        let page = || {
            Some(PageWant {
                limit: 50,
                ..PageWant::default()
            })
        };
        let want = Want {
            attention: 50,
            handoffs: page(),
            codes: page(),
            breakers: page(),
            tasks: page(),
            agents: page(),
            log: page(),
            ..Want::default()
        };
        let shown = screen.status(&want).unwrap();
        let status = desk.run(&["status", "--json"]).json();
        let store = rusqlite::Connection::open(desk.store()).unwrap();
        let sides = [
            ("attention", value(&shown.attention)),
            ("handoffs", value(&shown.handoffs.unwrap().rows)),
            ("codes", value(&shown.codes.unwrap().rows)),
            ("breakers", value(&shown.breakers.unwrap().rows)),
            ("tasks", value(&shown.tasks.unwrap().rows)),
            ("agents", value(&shown.agents.unwrap().rows)),
        ];
        for (pane, rows) in sides {
            assert_eq!(json!(rows), status[pane], "pause {pause}: {pane}");
            let flat: Vec<Value> = rows.iter().map(flat).collect();
            assert_eq!(
                flat,
                view(&store, &format!("v_{pane}"), 50),
                "pause {pause}: v_{pane}"
            );
        }
        let handoffs = status["handoffs"].as_array().unwrap();
        let flat_rows: Vec<Value> = handoffs.iter().map(flat).collect();
        assert_eq!(flat_rows, view(&store, "v_handoffs", 50), "pause {pause}");
        let log: Vec<Value> = value(&shown.log.unwrap().rows).iter().map(flat).collect();
        assert_eq!(log, view(&store, "v_log", 50), "pause {pause}: v_log");
        assert_eq!(shown.seq, status["seq"].as_u64().unwrap());
        assert_eq!(
            serde_json::to_value(&shown.counts).unwrap(),
            status["counts"]
        );
    }
    assert_eq!(desk.run(&["verify", "--deep"]).code, 0);
}
