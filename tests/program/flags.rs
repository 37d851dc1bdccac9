//! What `status` says of the flag file, which every hook reads before anything else.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::desk::{Desk, Said};

fn flag_file(desk: &Desk) -> std::path::PathBuf {
    desk.store().with_extension("flags")
}

fn status(desk: &Desk) -> Value {
    desk.run(&["status", "--json"]).json()
}

/// A call that changes something, as an agent's program would ask.
fn asks(desk: &Desk) -> Said {
    let cwd = desk.project();
    let call = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_use_id": "t1",
        "tool_name": "Write", "tool_input": {"file_path": cwd.join("a.txt"), "content": "x"},
    });
    desk.feed(&["hook", "claude", "PreToolUse"], &call.to_string())
}

#[test]
fn a_flag_file_that_cannot_be_used_is_told_first_and_tick_mends_it() {
    let desk = Desk::new();
    assert_eq!(status(&desk)["flags"]["state"], "usable");
    assert!(!asks(&desk).out.contains("flags_damaged"));
    let whole = fs::read(flag_file(&desk)).unwrap();
    let noise: Vec<u8> = whole.iter().map(|_| 0xA5).collect();
    let longer = [&whole[..], b"more"].concat();
    for bytes in [
        Some(&noise[..]),
        Some(&whole[..700]),
        Some(&longer),
        Some(b""),
        None,
    ] {
        match bytes {
            Some(bytes) => fs::write(flag_file(&desk), bytes).unwrap(),
            None => fs::remove_file(flag_file(&desk)).unwrap(),
        }
        assert!(asks(&desk).out.contains("flag file"), "{}", asks(&desk).out);
        let told = status(&desk);
        assert_eq!(told["flags"]["state"], "damaged", "{told}");
        assert_eq!(told["flags"]["next_command"], "watchfloor tick");
        let first = &told["attention"][0];
        assert_eq!(
            (&first["kind"], &first["handle"]),
            (&"mend".into(), &"flags".into())
        );
        let read = desk.run(&["status"]).out;
        let needs = read.split("Needs you").nth(1).unwrap();
        assert!(
            needs.contains("changing calls are refused, next: watchfloor tick"),
            "{read}"
        );
        let ticked = desk.run(&["tick"]);
        assert_eq!(ticked.code, 0, "{ticked:?}");
        let told = status(&desk);
        assert_eq!(
            told["flags"],
            serde_json::json!({"state": "usable", "unrecorded": []})
        );
        assert_eq!(told["attention"], serde_json::json!([]));
        assert!(!asks(&desk).out.contains("flag file"));
    }
}

#[test]
fn what_stands_in_its_place_is_told_at_once_and_goes_by_the_next_command() {
    type Puts = fn(&std::path::Path);
    let odd: [(&str, Puts); 6] = [
        ("a folder", |path| fs::create_dir(path).unwrap()),
        ("a pipe", |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }),
        ("a socket", |path| {
            drop(std::os::unix::net::UnixListener::bind(path).unwrap());
        }),
        ("a device", |path| symlink("/dev/null", path).unwrap()),
        ("a link that leads to no file", |path| {
            symlink("nowhere", path).unwrap();
        }),
        ("a link that leads to no file", |path| {
            symlink(path.file_name().unwrap(), path).unwrap();
        }),
    ];
    for (what, put) in odd {
        let desk = Desk::new();
        let file = flag_file(&desk);
        fs::remove_file(&file).unwrap();
        put(&file);
        let told = status(&desk);
        let next = format!("mv {0} {0}.aside", file.display());
        let shown = desk.run(&["status"]);
        assert!(shown.out.contains(&format!("next:  {next}\n")), "{shown:?}");
        assert_eq!(told["flags"]["next_command"], next.as_str(), "{told}");
        assert!(
            told["flags"]["why"].as_str().unwrap().contains(what),
            "{told}"
        );
        assert!(asks(&desk).out.contains(what), "{}", asks(&desk).out);
        let ticked = desk.run(&["tick", "--json"]);
        assert_eq!(
            (ticked.code, &ticked.json()["next_command"]),
            (3, &next.as_str().into()),
            "{what}"
        );
        let moved = std::process::Command::new("sh")
            .args(["-c", &next])
            .status();
        assert!(moved.unwrap().success(), "{what}");
        assert_eq!(desk.run(&["tick"]).code, 0, "{what}");
        assert_eq!(status(&desk)["flags"]["state"], "usable", "{what}");
    }
}

#[test]
fn no_part_of_an_answer_gives_orders_to_the_terminal() {
    let desk = Desk::new();
    let folder = desk.home().join("a\u{1b}[2J\u{202e}b");
    fs::create_dir(&folder).unwrap();
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let hostile = |c: char| c != '\n' && watchfloor::contract::text::is_hostile(c);
    let made = desk.run(&["--store", store, "init"]);
    assert!(
        made.code == 0 && made.out.contains("s.db. Next: "),
        "{made:?}"
    );
    assert!(!made.out.contains(hostile), "{made:?}");
    let flags = folder.join("s.flags");
    fs::remove_file(&flags).unwrap();
    fs::create_dir(&flags).unwrap();
    let said = desk.run(&["--store", store, "tick"]);
    assert!(
        said.code == 3 && said.err.contains("next:  mv "),
        "{said:?}"
    );
    assert!(!said.err.contains(hostile), "{said:?}");
}

#[test]
fn a_stop_whose_flag_cannot_be_set_says_so() {
    let desk = Desk::new();
    let flags = desk.store().with_extension("flags");
    fs::remove_file(&flags).unwrap();
    fs::create_dir(&flags).unwrap();
    let said = desk.run(&["stop", "--scope", "task:T-9", "--reason", "x"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.out.contains("the flag is not set") && said.out.contains("next: mv "),
        "{said:?}"
    );
    let told = desk
        .run(&["stop", "--scope", "task:T-10", "--reason", "x", "--json"])
        .json();
    assert_eq!(
        (&told["flag"], &told["recorded"]),
        (&false.into(), &true.into())
    );
    assert!(
        told["unflagged"].as_str().unwrap().contains("a folder"),
        "{told}"
    );
}

#[test]
fn a_trip_without_the_store_says_that_the_session_is_stopped() {
    let desk = Desk::new();
    let lock = rusqlite::Connection::open(desk.store()).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let call = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": desk.project(), "tool_use_id": "t1",
        "tool_name": "Bash", "tool_input": {"command": "git push --force origin main"},
    });
    let said = desk.feed(&["hook", "claude", "PreToolUse"], &call.to_string());
    assert!(said.out.contains("the session is stopped"), "{said:?}");
    assert!(said.out.contains("store_busy"), "{said:?}");
    lock.execute_batch("ROLLBACK").unwrap();
    assert!(asks(&desk).out.contains("deny"), "the flag stops it");
}

#[test]
fn what_a_hook_does_while_the_store_is_locked() {
    let desk = Desk::new();
    let known = Desk::new();
    assert_eq!(asks(&known).out, "", "from now on its session is known");
    let locks = [&desk, &known].map(|desk| rusqlite::Connection::open(desk.store()).unwrap());
    for lock in &locks {
        lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    }
    // Of a session that is known nothing need be written: the store is asked, and lets it pass.
    assert_eq!(asks(&known).out, "");
    let first = asks(&desk);
    assert!(
        first.out.contains("deny") && first.out.contains("store_busy"),
        "{first:?}"
    );
    let event = |event: &str, more: Value| {
        let mut body = serde_json::json!({
            "hook_event_name": event, "session_id": "s", "cwd": desk.project(),
        });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        desk.feed(&["hook", "claude", event], &body.to_string())
    };
    let read = serde_json::json!({"tool_name": "Read", "tool_use_id": "t2", "tool_input": {"file_path": "a"}});
    assert_eq!(event("PreToolUse", read).out, "");
    let result = serde_json::json!({
        "tool_name": "Bash", "tool_use_id": "t3", "tool_input": {"command": "make"},
        "error": "Exit code 2\nmake: *** No rule to make target",
    });
    let lost = event("PostToolUseFailure", result);
    assert!(
        lost.out.contains("could not record this: store_busy"),
        "{lost:?}"
    );
    assert_eq!(
        event("Stop", serde_json::json!({"stop_hook_active": false})).out,
        ""
    );
    for lock in &locks {
        lock.execute_batch("ROLLBACK").unwrap();
    }
    assert_eq!(
        status(&desk)["seq"],
        0,
        "what could not be recorded is lost"
    );
    assert_eq!(asks(&desk).out, "");
}

#[test]
fn a_stop_of_a_locked_store_is_told_before_the_store_knows_it() {
    let desk = Desk::new();
    let lock = rusqlite::Connection::open(desk.store()).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let stopped = desk
        .run(&["stop", "--reason", "all of it", "--json"])
        .json();
    assert_eq!(
        (&stopped["flag"], &stopped["recorded"]),
        (&true.into(), &false.into())
    );
    let told = status(&desk);
    let known = &told["flags"]["unrecorded"];
    assert_eq!(known.as_array().unwrap().len(), 1, "{told}");
    for (field, value) in [
        ("id", &stopped["id"]),
        ("handle", &stopped["handle"]),
        ("scope", &"fleet".into()),
        ("trigger", &"manual".into()),
        ("needs", &"human".into()),
        ("reason", &"all of it".into()),
    ] {
        assert_eq!(&known[0][field], value, "{field}");
    }
    assert_eq!(
        told["breakers"],
        serde_json::json!([]),
        "the store knows nothing of it"
    );
    let first = &told["attention"][0];
    assert_eq!(
        (&first["kind"], &first["id"]),
        (&"stop".into(), &stopped["id"])
    );
    let read = desk.run(&["status"]).out;
    assert!(
        read.contains("manual fleet, by its flag alone, next: watchfloor tick"),
        "{read}"
    );
    lock.execute_batch("ROLLBACK").unwrap();
    assert_eq!(desk.run(&["tick"]).code, 0);
    let told = status(&desk);
    assert_eq!(told["flags"]["unrecorded"], serde_json::json!([]));
    assert_eq!(told["breakers"][0]["id"], stopped["id"]);
    assert_eq!(told["attention"][0]["kind"], "reset");
}
