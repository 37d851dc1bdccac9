//! What is told of the agents, and what is not done to them.

use serde_json::{Value, json};

use crate::home::{CLAUDE, Home, call, files, prompt};

const SIX: [&str; 6] = [
    "claude:7f8f94f2-416d-4241-bc4c-95c12527a3e8",
    "codex:01a23037-a8b8-7682-8ca2-d8b677abe4eb",
    "gemini:964f18f8-668e-4f27-8179-c6fe44d2d6f6",
    "hermes:20261201_060824_d39cc0",
    "opencode:ses_dcfc7cefbffeIYM2JM1WxLDVZw",
    "pi:01a23037-8b42-720a-a471-0f06c929201e",
];

#[test]
fn the_sessions_of_six_programs_are_read_and_nothing_of_theirs_is_changed() {
    let home = Home::of_six();
    let before = files(&home.at("."));
    let found = home.look();
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, SIX);
    for (agent, seen) in &found {
        let results: Vec<bool> = seen.steps.iter().filter_map(|step| step.failed).collect();
        assert_eq!(results, [false, true, true], "{agent}");
        assert!(
            seen.steps[1].what.ends_with("echo hello"),
            "{agent}: {:?}",
            seen.steps
        );
        assert_eq!(seen.action, "says: FIRST-FINISH: done.", "{agent}");
        assert_eq!(seen.tokens, Some(60), "{agent}");
        assert!(seen.model.is_some(), "{agent}");
        assert!(seen.title.is_some(), "{agent}");
        assert!(seen.failure.is_some(), "{agent}");
        assert_eq!(seen.state, "ended", "{agent}");
        assert!(
            seen.at.starts_with("2026-12-01T06:0"),
            "{agent} {}",
            seen.at
        );
    }
    let of = |agent: &str| &found[agent];
    assert_eq!(of(SIX[0]).cost_microusd, Some(560));
    assert_eq!(of(SIX[0]).context, Some(10));
    // All of them were told the same failure of one Python, and name it alike.
    let failed = |agent: &str| {
        let step = of(agent)
            .steps
            .iter()
            .find(|step| step.failed == Some(true));
        step.unwrap().what.clone()
    };
    for agent in SIX {
        assert!(
            failed(agent).ends_with("(failed, exit 1)"),
            "{}",
            failed(agent)
        );
    }
    assert_eq!(files(&home.at(".")), before);
}

#[test]
fn a_first_start_without_a_store_says_who_runs_here() {
    let home = Home::of_six();
    let listed = home.run(&["observe", "--list", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert_eq!(listed.json()["agents"].as_array().unwrap().len(), 6);
    assert!(!home.at(".local/state/watchfloor").exists());
    let human = home.run(&["observe", "--list"]);
    assert!(human.out.contains("Observed, not gated"), "{human:?}");
    let open = home.run(&[]);
    assert!(open.err.contains("There is no store yet"), "{open:?}");
    assert_eq!(
        home.run(&["observe", "--once"]).code,
        3,
        "there is no store"
    );
}

#[test]
fn what_was_recorded_is_not_recorded_again_and_every_reader_says_the_same() {
    let home = Home::of_six();
    assert_eq!(home.run(&["init"]).code, 0);
    let once = || home.run(&["observe", "--once", "--json"]).json();
    assert_eq!(once(), json!({"agents": 6, "appended": 6}));
    assert_eq!(once(), json!({"agents": 6, "appended": 0}));
    let status = home.run(&["status", "--json"]).json();
    let agents = status["agents"].as_array().unwrap();
    assert_eq!((agents.len(), &status["counts"]["agents"]), (6, &json!(6)));
    for row in agents {
        let facts = ["lamp", "state", "attempts", "failures", "tokens"].map(|key| row[key].clone());
        let wanted = [
            json!("observed"),
            json!("ended"),
            json!(3),
            json!(2),
            json!(60),
        ];
        assert_eq!(facts, wanted, "{row}");
        assert_eq!(row["spark"], json!([0, 1, 1]));
        assert!(row["signature"].as_str().unwrap().starts_with("es1:"));
        assert!(row["project"] == "/srv/app", "{row}");
    }
    // The newest stands at the top.
    assert_eq!(agents[0]["agent"], SIX[4]);
    let store = rusqlite::Connection::open(home.at(".local/state/watchfloor/store.db")).unwrap();
    let seen: Vec<(String, i64, String)> = store
        .prepare("SELECT agent, tokens, lamp FROM v_agents")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let names: Vec<&str> = agents
        .iter()
        .map(|row| row["agent"].as_str().unwrap())
        .collect();
    assert_eq!(
        seen.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(),
        names
    );
    assert!(
        seen.iter()
            .all(|row| (row.1, row.2.as_str()) == (60, "observed"))
    );
    home.append(
        CLAUDE,
        call(
            "7f8f94f2-416d-4241-bc4c-95c12527a3e8",
            "t9",
            "Bash",
            &json!({"command": "ls"}),
            None,
        ),
    );
    assert_eq!(once(), json!({"agents": 6, "appended": 1}));
    let row = agent(&home, SIX[0]);
    assert_eq!(
        (&row["attempts"], &row["last_action"]),
        (&json!(4), &json!("Bash ls"))
    );
    assert_eq!(home.run(&["verify", "--deep"]).code, 0);
}

fn agent(home: &Home, id: &str) -> Value {
    let status = home.run(&["status", "--json"]).json();
    let rows = status["agents"].as_array().unwrap();
    rows.iter().find(|row| row["agent"] == id).cloned().unwrap()
}

/// One file written three times, the same red check after each.
fn circle() -> String {
    let failure = "Exit code 101\nerror[E0308]: mismatched types\n --> src/a.rs:1:1";
    let mut text = prompt("c1", "make it green");
    for round in 0..4 {
        let edit =
            json!({"file_path": "src/a.rs", "old_string": "x", "new_string": format!("y{round}")});
        text += &call("c1", &format!("e{round}"), "Edit", &edit, None);
        let check = json!({"command": "cargo test"});
        text += &call("c1", &format!("b{round}"), "Bash", &check, Some(failure));
    }
    text
}

#[test]
fn loops_are_found_and_stop_nothing() {
    let home = Home::new();
    home.put(".claude/projects/-srv-app/c1.jsonl", circle());
    assert_eq!(home.run(&["init"]).code, 0);
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    let row = agent(&home, "claude:c1");
    let found = row["findings"].to_string();
    assert!(
        found.contains("retry") && found.contains("stuck_signature"),
        "{row}"
    );
    assert!(
        row["failure"].as_str().unwrap().starts_with("error[E0308]"),
        "{row}"
    );
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(status["breakers"], json!([]));
    assert_eq!(status["tasks"], json!([]));
    assert_eq!(status["counts"]["attempts"], 0);
    // A breaker over everything stops it as little: it says so, and does not count as stopped.
    assert_eq!(home.run(&["stop", "--reason", "drill"]).code, 0);
    let row = agent(&home, "claude:c1");
    assert_ne!(row["state"], "stopped");
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(status["counts"]["stopped"], 0);
    assert_eq!(status["breakers"][0]["stopped"], json!([]));
    home.append(
        ".claude/projects/-srv-app/c1.jsonl",
        call("c1", "x", "Bash", &json!({"command": "ls"}), None),
    );
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    assert_ne!(agent(&home, "claude:c1")["state"], "stopped");
    assert_eq!(home.run(&["verify", "--deep"]).code, 0);
}

#[test]
fn an_agent_that_is_hooked_too_is_one_agent_and_its_hooks_win() {
    let home = Home::new();
    let file = ".claude/projects/-srv-app/h1.jsonl";
    home.put(
        file,
        prompt("h1", "go")
            + &call(
                "h1",
                "t1",
                "Bash",
                &json!({"command": "ls"}),
                Some("Exit code 2"),
            ),
    );
    assert_eq!(home.run(&["init"]).code, 0);
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    let row = agent(&home, "claude:h1");
    assert_eq!(
        (&row["lamp"], &row["attempts"]),
        (&json!("observed"), &json!(1))
    );
    let hook = json!({"session_id": "h1", "cwd": home.at("project"), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": {"command": "pwd"}, "tool_use_id": "t2",
        "tool_response": {"stdout": "x"}});
    assert_eq!(home.feed(&["hook", "claude"], &hook.to_string()).code, 0);
    home.append(
        file,
        call(
            "h1",
            "t3",
            "Bash",
            &json!({"command": "make"}),
            Some("Exit code 2\nboom"),
        ),
    );
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    let row = agent(&home, "claude:h1");
    let facts = [
        "lamp",
        "state",
        "attempts",
        "failures",
        "last_action",
        "tokens",
        "title",
    ]
    .map(|key| row[key].clone());
    let wanted = json!(["gated", "working", 0, 0, "Bash pwd", 20, "go"]);
    assert_eq!(json!(facts), wanted);
    let status = home.run(&["status", "--json"]).json();
    assert_eq!(
        (
            status["agents"].as_array().unwrap().len(),
            &status["counts"]["agents"]
        ),
        (1, &json!(1))
    );
    assert_eq!(home.run(&["verify", "--deep"]).code, 0);
}

#[test]
fn a_subagent_is_an_agent_of_its_own_under_its_session() {
    let home = Home::new();
    home.put(
        ".claude/projects/-srv-app/s1.jsonl",
        prompt("s1", "delegate"),
    );
    let row = json!({"type": "user", "sessionId": "s1", "agentId": "a7", "isSidechain": true, "cwd": "/srv/app",
        "timestamp": "2026-11-30T12:00:00.000Z", "message": {"role": "user", "content": "say hi"}});
    home.put(
        ".claude/projects/-srv-app/s1/subagents/agent-a7.jsonl",
        format!("{row}\n"),
    );
    let names: Vec<String> = home.look().into_keys().collect();
    assert_eq!(names, ["claude:s1", "claude:s1/a7"]);
}

#[test]
fn secrets_in_a_transcript_reach_no_record() {
    let home = Home::new();
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    let leak = format!("Exit code 1\nerror: push with {token} was refused");
    let text = prompt("s", &format!("use {token}"))
        + &call(
            "s",
            "t",
            "Bash",
            &json!({"command": format!("git push https://{token}@host/x")}),
            Some(&leak),
        );
    home.put(".claude/projects/-srv-app/s.jsonl", text);
    assert_eq!(home.run(&["init"]).code, 0);
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    let said = home.run(&["tail", "--json"]).out + &home.run(&["observe", "--list", "--json"]).out;
    assert!(
        said.contains("claude:s") && !said.contains(&token),
        "{said}"
    );
}

#[test]
fn an_agent_whose_transcript_is_too_old_to_be_followed_has_ended() {
    let home = Home::new();
    let file = ".claude/projects/-srv-app/o.jsonl";
    home.put(
        file,
        prompt("o", "go").replace("2026-11-30T12:00:00.000Z", &now()),
    );
    assert_eq!(home.run(&["init"]).code, 0);
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    assert_eq!(agent(&home, "claude:o")["state"], "working");
    std::fs::remove_file(home.at(file)).unwrap();
    assert_eq!(home.run(&["observe", "--once", "--hours", "0"]).code, 0);
    let row = agent(&home, "claude:o");
    assert_eq!(
        (&row["state"], &row["last_action"]),
        (&json!("ended"), &json!("asked: go"))
    );
    assert_eq!(
        home.run(&["observe", "--once", "--hours", "0", "--json"])
            .json()["appended"],
        0
    );
}

/// The time now, as transcripts write it.
fn now() -> String {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    watchfloor::contract::time::rfc3339(i64::try_from(since.as_micros()).unwrap())
}

#[test]
fn two_watchers_of_one_transcript_double_nothing() {
    let home = Home::new();
    let file = ".claude/projects/-srv-app/w.jsonl";
    home.put(file, prompt("w", "go"));
    assert_eq!(home.run(&["init"]).code, 0);
    let global = watchfloor::cli::args::Global {
        store: Some(
            home.at(".local/state/watchfloor/store.db")
                .display()
                .to_string(),
        ),
        config: Some(home.at("none")),
        ..Default::default()
    };
    let context = watchfloor::cli::context::at(&global, &home.at("project")).unwrap();
    let mut appended = 0;
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (mut observer, context) = (home.observer(), context.clone());
            let path = home.at(file);
            std::thread::spawn(move || {
                let mut journal = watchfloor::ops::store::open(&context).unwrap();
                let mut told = 0;
                for n in 0..40 {
                    let row = call(
                        "w",
                        &format!("t{:?}-{n}", std::thread::current().id()),
                        "Bash",
                        &json!({"command": "ls"}),
                        None,
                    );
                    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
                    std::io::Write::write_all(&mut file, row.as_bytes()).unwrap();
                    observer.look();
                    told += observer.tell_at_once(&mut journal).unwrap();
                }
                told
            })
        })
        .collect();
    for thread in threads {
        appended += thread.join().unwrap();
    }
    assert!(appended > 1);
    assert_eq!(home.run(&["observe", "--once"]).code, 0);
    assert_eq!(agent(&home, "claude:w")["attempts"], 80);
    assert_eq!(home.run(&["verify", "--deep"]).code, 0);
}
