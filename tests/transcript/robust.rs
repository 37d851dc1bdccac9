//! Transcripts in every state that they are met in.

use std::fs;

use serde_json::json;

use crate::home::{GEMINI, HERMES, Home, OPENCODE, by_agent, call, prompt};

const FILE: &str = ".claude/projects/-srv-app/r1.jsonl";

#[test]
fn one_bad_row_hides_no_other() {
    let home = Home::new();
    let ok = |id: &str| {
        call(
            "r1",
            id,
            "Bash",
            &json!({"command": format!("run {id}")}),
            None,
        )
    };
    let long = "x".repeat(3 << 20);
    let mut text = b"\xef\xbb\xbf".to_vec();
    text.extend(prompt("r1", "go").into_bytes());
    text.extend(ok("one").into_bytes());
    text.extend(b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"te\n");
    text.extend(b"\xff\xfe\0\0 no JSON at all \0\n\n\n");
    text.extend(b"{\"type\":\"never-seen-type\",\"deep\":[[[[1]]]]}\n[1,2,3]\nnull\n42\n");
    // Both rows of a call on one line, behind half a row.
    text.extend(
        format!(
            "{{\"type\":\"user\",\"mess{}\n",
            ok("two").replace('\n', "")
        )
        .into_bytes(),
    );
    text.extend(format!("{{\"type\":\"user\",\"big\":\"{long}\"}}\n").into_bytes());
    text.extend(
        prompt("r1", "PLACE")
            .replace("PLACE", "lone \\ud83d and bad \\x escape")
            .into_bytes(),
    );
    text.extend(b"{\"type\":7,\"message\":\"wrong\",\"timestamp\":{},\"sessionId\":[]}\n");
    text.extend(
        b"{\"type\":\"assistant\",\"message\":{\"content\":{\"a\":1},\"usage\":\"none\"}}\n",
    );
    text.extend(ok("three").into_bytes());
    text.extend(ok("four").trim_end().as_bytes());
    home.put(FILE, &text);
    let mut observer = home.observer();
    observer.look();
    let steps = |observer: &_| -> Vec<String> {
        let seen = &by_agent(observer)["claude:r1"];
        seen.steps.iter().map(|step| step.what.clone()).collect()
    };
    // The long row pushes what lies before it out of the tail, but not what the file is called.
    let late = [
        "asked: lone \u{fffd} and bad \\x escape",
        "Bash run three",
        "Bash run four",
    ];
    assert_eq!(steps(&observer), late);
    home.append(FILE, "\n");
    observer.look();
    assert_eq!(steps(&observer), late, "the last row came whole");
    let short: Vec<u8> = text
        .split(|b| *b == b'\n')
        .filter(|l| l.len() < 1 << 20)
        .collect::<Vec<_>>()
        .join(&b'\n');
    home.put(FILE, short);
    observer.look();
    let all = steps(&observer);
    for wanted in [
        "asked: go",
        "Bash run one",
        "Bash run two",
        late[0],
        late[1],
    ] {
        assert!(all.iter().any(|step| step == wanted), "{wanted}: {all:?}");
    }
}

#[test]
fn files_that_are_cut_replaced_or_gone_are_begun_anew() {
    let home = Home::new();
    home.put(FILE, prompt("r1", "first"));
    let mut observer = home.observer();
    observer.look();
    let action = |observer: &_| by_agent(observer)["claude:r1"].action.clone();
    assert_eq!(action(&observer), "asked: first");
    home.append(FILE, prompt("r1", "second"));
    observer.look();
    assert_eq!(action(&observer), "asked: second");
    home.put(FILE, prompt("r1", "cut"));
    observer.look();
    assert_eq!(action(&observer), "asked: cut");
    home.put(
        "other",
        prompt("r1", "a longer one that replaced it") + &prompt("r1", "and more"),
    );
    fs::rename(home.at("other"), home.at(FILE)).unwrap();
    observer.look();
    assert_eq!(action(&observer), "asked: and more");
    fs::remove_file(home.at(FILE)).unwrap();
    observer.look();
    assert_eq!(
        action(&observer),
        "asked: and more",
        "what was seen was seen"
    );
}

#[test]
fn a_row_that_is_repeated_with_more_fields_counts_once() {
    let home = Home::new();
    let row = |calls: &str, tokens: u32| {
        format!(
            "{{\"id\":\"m1\",\"timestamp\":\"2026-11-30T12:00:00Z\",\"type\":\"gemini\",\"content\":\"\",\"tokens\":{{\"total\":{tokens},\"input\":4}}{calls}}}\n"
        )
    };
    let call = |status: &str, output: &str| {
        format!(
            ",\"toolCalls\":[{{\"id\":\"t1\",\"name\":\"run_shell_command\",\"args\":{{\"command\":\"make\"}},\"status\":\"{status}\",\
             \"result\":[{{\"functionResponse\":{{\"response\":{{\"output\":\"{output}\"}}}}}}]}}]"
        )
    };
    let failed = call("success", "Output: boom\\nExit Code: 2");
    let text = "{\"sessionId\":\"g1\",\"kind\":\"main\"}\n{\"$set\":{\"lastUpdated\":\"x\"}}\n"
        .to_owned()
        + &row("", 5)
        + &row(&call("executing", ""), 5)
        + &row(&failed, 9)
        + &row(&failed, 9);
    home.put(GEMINI, &text);
    home.put(".gemini/tmp/app/.project_root", "/srv/app\n");
    let seen = home.look().remove("gemini:g1").unwrap();
    let steps: Vec<&str> = seen.steps.iter().map(|step| step.what.as_str()).collect();
    assert_eq!(steps, ["run_shell_command make (failed, exit 2)"]);
    assert_eq!((seen.tokens, seen.context), (Some(9), Some(4)));
    // The same in one document, as older versions have it, written over in place.
    let rows: Vec<&str> = text.lines().skip(2).collect();
    let document = |rows: &[&str]| {
        format!(
            "{{\n\"sessionId\":\"g2\",\"messages\":[{}]}}",
            rows.join(",\n")
        )
    };
    let old = ".gemini/tmp/app/chats/session-old.json";
    home.put(old, document(&rows[..1]));
    let mut observer = home.observer();
    observer.look();
    assert_eq!(by_agent(&observer)["gemini:g2"].tokens, Some(5));
    home.put(old, document(&rows));
    observer.look();
    let seen = &by_agent(&observer)["gemini:g2"];
    assert_eq!((seen.tokens, seen.steps.len()), (Some(9), 1));
}

#[test]
fn databases_are_followed_while_their_program_writes() {
    let home = Home::new();
    let opencode = home.base(OPENCODE, include_str!("rows/opencode.sql"));
    let hermes = home.base(HERMES, include_str!("rows/hermes.sql"));
    let mut observer = home.observer();
    observer.look();
    let action = |observer: &_, agent: &str| by_agent(observer)[agent].action.clone();
    let (ses, her) = (
        "opencode:ses_dcfc7cefbffeIYM2JM1WxLDVZw",
        "hermes:20261201_060824_d39cc0",
    );
    assert_eq!(action(&observer, ses), "says: FIRST-FINISH: done.");
    let tool = |status: &str| {
        format!(
            "{{\"type\":\"tool\",\"tool\":\"bash\",\"callID\":\"z\",\"state\":{{\"status\":\"{status}\",\"input\":{{\"command\":\"make\"}},\"output\":\"boom\",\"metadata\":{{\"exit\":2}}}}}}"
        )
    };
    let session = "ses_dcfc7cefbffeIYM2JM1WxLDVZw";
    let put = |at: i64, data: &str| {
        opencode
            .execute(
                "INSERT OR REPLACE INTO part VALUES('prt_9', 'm', ?1, ?2, ?2, ?3)",
                (session, at, data),
            )
            .unwrap();
        opencode
            .execute("UPDATE session SET time_updated = ?1", [at])
            .unwrap();
    };
    put(1_796_105_400_000, &tool("running"));
    observer.look();
    assert_eq!(action(&observer, ses), "bash make");
    put(1_796_105_401_000, &tool("completed"));
    hermes.execute_batch("INSERT INTO messages(session_id, role, content, timestamp) VALUES('20261201_060824_d39cc0', 'user', 'go on', 1796105400.0)").unwrap();
    observer.look();
    assert_eq!(action(&observer, ses), "bash make (failed, exit 2)");
    assert_eq!(action(&observer, her), "asked: go on");
    opencode.execute_batch(&format!("ALTER TABLE session ADD COLUMN parent_id TEXT; INSERT INTO session(id, parent_id, title, directory, time_updated) \
        VALUES('ses_below', '{session}', 'look around', '/srv/app', 1796105401500);")).unwrap();
    observer.look();
    let below = format!("{ses}/ses_below");
    assert_eq!(
        by_agent(&observer)[&below].title.as_deref(),
        Some("look around")
    );
    put(1_796_105_402_000, "{\"type\":\"tool\",");
    opencode
        .execute_batch("ALTER TABLE session RENAME COLUMN directory TO folder")
        .unwrap();
    observer.look();
    assert_eq!(
        action(&observer, ses),
        "bash make (failed, exit 2)",
        "another layout is no fault"
    );
    fs::write(home.at(HERMES), "no database any more").unwrap();
    observer.look();
}

#[test]
fn a_home_without_anything_and_folders_where_files_should_be_are_no_fault() {
    let home = Home::new();
    assert!(home.look().is_empty());
    for path in [FILE, GEMINI, OPENCODE, HERMES] {
        fs::create_dir_all(home.at(path)).unwrap();
    }
    home.put(".pi/agent/sessions/--x--/empty.jsonl", "");
    home.put(".codex/sessions/2026", "a file");
    assert!(home.look().is_empty());
}

#[test]
fn codex_names_its_threads_and_tells_of_those_without_a_file() {
    let home = Home::new();
    let row = |id: &str, root: &str| {
        json!({"timestamp": "2026-12-01T06:08:03Z", "type": "session_meta",
            "payload": {"id": id, "session_id": root, "cwd": "/srv/app"}})
        .to_string()
            + "\n"
    };
    let file = |id: &str| format!(".codex/sessions/2026/12/01/rollout-{id}.jsonl");
    home.put(&file("root"), row("root", "root"));
    home.put(&file("below"), row("below", "root"));
    let threads: Vec<String> = ["root", "below", "gone"]
        .iter()
        .map(|id| {
            let path = home.at(&file(id)).display().to_string();
            format!("INSERT INTO threads VALUES('{id}', '{path}', 1796105284, '/srv/app', 'called {id}', 7);")
        })
        .collect();
    let table = "CREATE TABLE threads(id TEXT, rollout_path TEXT, updated_at INTEGER, cwd TEXT, title TEXT, tokens_used INTEGER);";
    home.base(
        ".codex/state_7.sqlite",
        &(table.to_owned() + &threads.concat()),
    );
    let mut observer = home.observer();
    observer.look();
    observer.look();
    let found = by_agent(&observer);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, ["codex:gone", "codex:root", "codex:root/below"]);
    assert_eq!(found["codex:root"].title.as_deref(), Some("called root"));
    assert_eq!(found["codex:gone"].tokens, Some(7));
}
