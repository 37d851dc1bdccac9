//! The hooks of all six harnesses, through the built program: each dialect's refusal, the bounded
//! refusals of a turn's end, waits for a person, and payloads that nobody can read.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const HARNESSES: [&str; 6] = ["claude", "codex", "gemini", "hermes", "opencode", "pi"];

/// The moments that a test plays, in every dialect.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    Start,
    Prompt,
    Before,
    TurnEnd,
    End,
}

fn name(harness: &str, moment: Moment) -> &'static str {
    match (harness, moment) {
        ("gemini", Moment::Before) => "BeforeTool",
        ("gemini", Moment::Prompt) => "BeforeAgent",
        ("gemini", Moment::TurnEnd) => "AfterAgent",
        ("hermes", Moment::Start) => "on_session_start",
        ("hermes", Moment::Prompt) => "pre_llm_call",
        ("hermes", Moment::Before) => "pre_tool_call",
        ("hermes", Moment::TurnEnd) => "pre_verify",
        ("hermes", Moment::End) => "on_session_finalize",
        ("opencode", Moment::Start) => "session.created",
        ("opencode", Moment::Prompt) => "chat.message",
        ("opencode", Moment::Before) => "tool.execute.before",
        ("opencode", Moment::TurnEnd) => "session.idle",
        ("opencode", Moment::End) => "session.deleted",
        ("pi", Moment::Start) => "session_start",
        ("pi", Moment::Prompt) => "input",
        ("pi", Moment::Before) => "tool_call",
        ("pi", Moment::TurnEnd) => "agent_before_settle",
        ("pi", Moment::End) => "session_shutdown",
        (_, Moment::Start) => "SessionStart",
        (_, Moment::Prompt) => "UserPromptSubmit",
        (_, Moment::Before) => "PreToolUse",
        (_, Moment::TurnEnd) => "Stop",
        (_, Moment::End) => "SessionEnd",
    }
}

fn shell(harness: &str) -> &'static str {
    match harness {
        "gemini" => "run_shell_command",
        "hermes" => "terminal",
        "opencode" | "pi" => "bash",
        _ => "Bash",
    }
}

fn reading(harness: &str) -> &'static str {
    match harness {
        "gemini" | "hermes" => "read_file",
        "opencode" | "pi" => "read",
        "codex" => "view_image",
        _ => "Read",
    }
}

/// A payload of a session `s-1`; `call` is a tool and its input, `words` a prompt.
fn payload(harness: &str, event: &str, call: Option<(&str, Value)>, words: &str) -> Value {
    let (tool, input) = call.unwrap_or(("", json!({})));
    match harness {
        "opencode" => {
            let input_of = json!({"tool": tool, "sessionID": "s-1", "callID": "c-1"});
            let parts = json!([{"type": "text", "text": words}]);
            json!({"type": event, "input": input_of, "output": {"args": input, "parts": parts},
                "event": {"type": event, "properties": {"sessionID": "s-1", "info": {"id": "s-1"}}}})
        }
        "pi" => {
            json!({"hook": "pi", "type": event, "session_id": "s-1", "toolName": tool, "toolCallId": "c-1",
            "input": input, "text": words, "source": "interactive", "outcome": "completed"})
        }
        "hermes" => {
            json!({"hook_event_name": event, "session_id": "s-1", "tool_name": tool, "tool_input": input,
            "extra": {"tool_call_id": "c-1", "user_message": words}})
        }
        _ => {
            json!({"hook_event_name": event, "session_id": "s-1", "turn_id": "t-1", "prompt_id": "t-1",
            "tool_name": tool, "tool_input": input, "tool_use_id": "c-1", "prompt": words})
        }
    }
}

/// An empty home with a store, and a project.
struct Place {
    folder: tempfile::TempDir,
    harness: &'static str,
}

impl Place {
    fn new(harness: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        let place = Self { folder, harness };
        place.run(&["init"]);
        place
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join(".local/state/watchfloor")
    }

    fn call(&self, words: &[&str], input: &[u8]) -> (bool, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
            .args(words)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        drop(stdin.write_all(input));
        drop(stdin);
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        (done.status.success(), said)
    }

    fn run(&self, words: &[&str]) -> String {
        let (well, said) = self.call(words, b"");
        assert!(well, "{words:?}: {said}");
        said
    }

    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.run(&[&["--json"], words].concat())).unwrap()
    }

    /// Calls a hook with bytes. It always ends well and says nothing or one JSON object.
    fn raw(&self, event: Option<&str>, bytes: &[u8]) -> String {
        let mut words = vec!["hook", self.harness];
        words.extend(event);
        let (well, said) = self.call(&words, bytes);
        assert!(well, "{}: {said}", self.harness);
        let object = serde_json::from_str::<Value>(&said).is_ok_and(|value| value.is_object());
        assert!(said.is_empty() || object, "{}: {said}", self.harness);
        said
    }

    fn hook(&self, moment: Moment, call: Option<(&str, Value)>, words: &str) -> String {
        let event = name(self.harness, moment);
        let mut payload = payload(self.harness, event, call, words);
        payload["cwd"] = json!(self.project());
        self.raw(Some(event), payload.to_string().as_bytes())
    }

    fn shell(&self) -> String {
        self.hook(
            Moment::Before,
            Some((shell(self.harness), json!({"command": "touch made"}))),
            "",
        )
    }

    fn agent(&self) -> String {
        format!("{}:s-1", self.harness)
    }

    /// A handoff that the session holds: its handle.
    fn claimed(&self) -> String {
        let open = [
            "handoff",
            "open",
            "--agent",
            "other",
            "--question",
            "which port?",
            "--tried",
            "the config",
            "--needed",
            "a number",
        ];
        let handle = self.json(&open)["handle"].as_str().unwrap().to_owned();
        self.run(&["handoff", "claim", &handle, "--agent", &self.agent()]);
        handle
    }

    fn records(&self, schema: &str) -> usize {
        let text = self.run(&["--json", "tail", "--limit", "1000"]);
        let named = format!("\"{schema}\"");
        text.lines().filter(|line| line.contains(&named)).count()
    }

    fn attention(&self) -> Vec<Value> {
        self.json(&["status"])["attention"]
            .as_array()
            .unwrap()
            .clone()
    }
}

fn refuses(said: &str) -> bool {
    let value: Value = serde_json::from_str(said).unwrap_or_default();
    let denied = &value["hookSpecificOutput"]["permissionDecision"];
    *denied == json!("deny")
        || value["decision"] == json!("block")
        || value["decision"] == json!("deny")
}

#[test]
fn an_open_breaker_refuses_what_changes_things_in_every_dialect() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        place.hook(Moment::Start, None, "");
        assert!(!refuses(&place.shell()), "{harness}");
        place.run(&["stop", "--scope", "fleet", "--reason", "trying"]);
        let said = place.shell();
        assert!(
            refuses(&said) && said.contains("trying"),
            "{harness}: {said}"
        );
        let read = Some((reading(harness), json!({"path": "a"})));
        assert!(!refuses(&place.hook(Moment::Before, read, "")), "{harness}");
        let row = &place.json(&["status"])["agents"][0];
        assert_eq!(
            (row["refused"].as_u64(), row["harness"].as_str()),
            (Some(1), Some(harness))
        );
    }
}

#[test]
fn a_start_tells_three_lines() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        let handle = place.claimed();
        let said = if harness == "hermes" {
            let event = "pre_llm_call";
            let mut payload = payload(harness, event, None, "go");
            payload["extra"]["is_first_turn"] = json!(true);
            place.raw(Some(event), payload.to_string().as_bytes())
        } else {
            place.hook(Moment::Start, None, "")
        };
        let value: Value = serde_json::from_str(&said).unwrap();
        let told = [
            &value["hookSpecificOutput"]["additionalContext"],
            &value["context"],
            &value["tell"],
        ];
        let text = told.into_iter().find_map(Value::as_str).unwrap();
        assert_eq!(text.lines().count(), 3, "{harness}: {text}");
        assert!(
            text.contains(&handle) && text.contains(&place.agent()),
            "{harness}: {text}"
        );
    }
}

#[test]
fn the_end_of_a_turn_is_refused_three_times_and_then_let_go() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        place.hook(Moment::Prompt, None, "go");
        assert!(
            !refuses(&place.hook(Moment::TurnEnd, None, "")),
            "{harness}"
        );
        let handle = place.claimed();
        for number in 1..=3 {
            let said = place.hook(Moment::TurnEnd, None, "");
            assert!(refuses(&said), "{harness}: {said}");
            assert!(
                said.contains(&format!("handoff answer {handle}")),
                "{harness}: {said}"
            );
            assert!(
                said.contains(&format!("Refusal {number} of 3")),
                "{harness}: {said}"
            );
            // The reason comes back as a prompt in some of them; it is nobody's.
            let reason = "Watchfloor: this turn cannot end yet";
            place.hook(Moment::Prompt, None, reason);
        }
        for _ in 0..2 {
            assert!(
                !refuses(&place.hook(Moment::TurnEnd, None, "")),
                "{harness}"
            );
        }
        assert_eq!(place.records("watchfloor.turn_refused.v1"), 3, "{harness}");
        let receipts = place.json(&["receipt", "list"]);
        let let_go = |row: &&Value| row["payload_schema"] == "watchfloor.turn_let_go.v1";
        let all = receipts["receipts"].as_array().unwrap();
        let found: Vec<&Value> = all.iter().filter(let_go).collect();
        assert_eq!(found.len(), 1, "{harness}: {receipts}");
        let resolved = place.json(&["receipt", "resolve", found[0]["id"].as_str().unwrap()]);
        assert_eq!(resolved["trusted"], true, "{harness}: {resolved}");
        // A person's prompt begins another turn; an answer ends the matter.
        place.hook(Moment::Prompt, None, "go on");
        assert!(refuses(&place.hook(Moment::TurnEnd, None, "")), "{harness}");
        place.run(&[
            "handoff",
            "answer",
            &handle,
            "--agent",
            &place.agent(),
            "--text",
            "8443",
        ]);
        assert!(
            !refuses(&place.hook(Moment::TurnEnd, None, "")),
            "{harness}"
        );
        place.run(&["verify", "--deep"]);
    }
}

#[test]
fn a_session_whose_turn_ended_waits_for_what_it_asked() {
    let place = Place::new("codex");
    let open = [
        "handoff",
        "open",
        "--agent",
        "codex:s-1",
        "--question",
        "q",
        "--tried",
        "t",
        "--needed",
        "n",
    ];
    place.run(&open);
    let priority = || place.json(&["handoff", "list"])["handoffs"][0]["priority"].clone();
    assert_eq!(priority(), "background");
    place.hook(Moment::TurnEnd, None, "");
    assert_eq!(priority(), "blocking");
}

/// How each harness says that a person must permit something, or answer.
fn wait(harness: &str) -> (&'static str, Value) {
    let asks = |event: &'static str, fields: Value| {
        let mut all = json!({"hook_event_name": event, "session_id": "s-1"});
        for (key, value) in fields.as_object().unwrap() {
            all[key] = value.clone();
        }
        (event, all)
    };
    let input = json!({"command": "deploy --now"});
    match harness {
        "claude" | "codex" => asks(
            "PermissionRequest",
            json!({"tool_name": "Bash", "tool_input": input}),
        ),
        "gemini" => asks(
            "Notification",
            json!({"notification_type": "ToolPermission", "message": "may it run", "details": input}),
        ),
        "hermes" => asks(
            "pre_approval_request",
            json!({"extra": {"command": "deploy --now", "surface": "cli", "turn_id": "s-1:t:1"}}),
        ),
        "opencode" => (
            "permission.asked",
            json!({"type": "permission.asked", "event": {"properties": {"sessionID": "s-1", "permission": "bash", "metadata": input}}}),
        ),
        _ => (
            "ui_prompt_start",
            json!({"type": "ui_prompt_start", "session_id": "s-1", "kind": "confirm", "title": "deploy --now?"}),
        ),
    }
}

#[test]
fn a_wait_for_a_person_is_seen_until_the_session_goes_on() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        place.hook(Moment::Start, None, "");
        for over in [Moment::Before, Moment::Prompt, Moment::End] {
            let (event, mut payload) = wait(harness);
            payload["cwd"] = json!(place.project());
            for _ in 0..2 {
                let said = place.raw(Some(event), payload.to_string().as_bytes());
                assert!(!refuses(&said), "{harness}: {said}");
            }
            let rows = place.attention();
            assert_eq!(rows.len(), 1, "{harness} {over:?}: {rows:?}");
            let what = rows[0]["what"].as_str().unwrap();
            assert!(what.contains("deploy --now"), "{harness}: {what}");
            let verb = if harness == "pi" { "answer" } else { "permit" };
            assert_eq!(rows[0]["kind"], verb, "{harness}");
            let call = (shell(harness), json!({"command": "ls"}));
            place.hook(over, (over == Moment::Before).then_some(call), "go on");
            assert_eq!(place.attention(), Vec::<Value>::new(), "{harness} {over:?}");
        }
        place.run(&["verify", "--deep"]);
    }
}

#[test]
fn a_question_of_a_tool_waits_and_its_secrets_do_not_show() {
    let place = Place::new("claude");
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    let ask = json!({"questions": [{"question": "Which port?"}]});
    place.hook(Moment::Before, Some(("AskUserQuestion", ask)), "");
    assert_eq!(place.attention()[0]["what"], "claude:s-1 Which port?");
    let payload = json!({"hook_event_name": "PermissionRequest", "session_id": "s-1", "cwd": place.project(),
        "tool_name": "Bash", "tool_input": {"command": format!("curl -H 'token: {token}' x")}});
    place.raw(Some("PermissionRequest"), payload.to_string().as_bytes());
    let tail = place.run(&["--json", "tail", "--limit", "1000"]);
    assert!(!tail.contains(&token));
}

#[test]
fn a_payload_that_nobody_can_read_is_refused_and_taken_down() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        let before = name(harness, Moment::Before);
        let call = (shell(harness), json!({"command": "touch made"}));
        let mut whole = payload(harness, before, Some(call), "");
        whole["cwd"] = json!(place.project());
        let text = whole.to_string();
        assert!(
            !refuses(&place.raw(Some(before), text.as_bytes())),
            "{harness}"
        );
        let half = text.replace("touch made", "touch \\ud83d");
        let bad: [Vec<u8>; 9] = [
            Vec::new(),
            b"{".to_vec(),
            b"null".to_vec(),
            b"[]".to_vec(),
            text.as_bytes()[..text.len() / 2].to_vec(),
            [text.as_bytes(), b"\n", text.as_bytes()].concat(),
            half.into_bytes(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            vec![0xff; 64],
        ];
        for bytes in &bad {
            assert!(
                refuses(&place.raw(Some(before), bytes)),
                "{harness}: {bytes:?}"
            );
        }
        assert_eq!(
            place.records("watchfloor.hook_unreadable.v1"),
            bad.len(),
            "{harness}"
        );
        assert!(
            refuses(&place.raw(None, b"{")),
            "{harness}: without an event"
        );
        let end = name(harness, Moment::TurnEnd);
        assert!(
            !refuses(&place.raw(Some(end), b"{")),
            "{harness}: the end of a turn passes"
        );
        place.run(&["verify", "--deep"]);
    }
}

#[test]
fn a_refusal_that_nobody_can_hear_is_no_leave() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        let file = place.folder.path().join("payload.json");
        let ends = |moment: Moment, out: &str| {
            let event = name(harness, moment);
            let input = json!({"command": "touch made"});
            let mut payload = payload(harness, event, Some((shell(harness), input)), "");
            payload["cwd"] = json!(place.project());
            fs::write(&file, payload.to_string()).unwrap();
            let line = format!("exec \"$0\" hook {harness} {event} < \"$1\" {out}");
            let done = Command::new("sh")
                .args(["-c", &line, env!("CARGO_BIN_EXE_watchfloor")])
                .arg(&file)
                .env_clear()
                .env("HOME", place.folder.path())
                .output()
                .unwrap();
            let said = String::from_utf8(done.stderr).unwrap();
            (done.status.code().unwrap(), said)
        };
        place.run(&["stop", "--scope", "fleet", "--reason", "over"]);
        for out in [">&-", "> /dev/null", "> /dev/full"] {
            let (code, said) = ends(Moment::Before, out);
            assert_eq!(code, 2, "{harness} {out}: {said}");
            assert!(said.contains("fleet"), "{harness} {out}: {said}");
        }
        // What only tells something may go where nobody reads it.
        for moment in [Moment::Start, Moment::TurnEnd] {
            assert_eq!(ends(moment, "> /dev/null").0, 0, "{harness} {moment:?}");
        }
    }
}

#[test]
fn no_answer_gives_orders_to_a_terminal() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        let call = json!({"command": "git push -f # \u{9b}31m\u{202e}x \u{1b}]0;x\u{7}"});
        let said = place.hook(Moment::Before, Some((shell(harness), call)), "");
        assert!(refuses(&said), "{harness}: {said}");
        let value: Value = serde_json::from_str(&said).unwrap();
        let hostile = |c: char| c != '\n' && watchfloor::contract::text::is_hostile(c);
        let texts = value.as_object().unwrap().values();
        let shown: Vec<String> = texts
            .map(|value| match value {
                Value::String(text) => text.clone(),
                other => other["permissionDecisionReason"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            })
            .collect();
        assert!(
            shown.iter().any(|text| text.contains("git")),
            "{harness}: {said}"
        );
        assert!(
            !shown.iter().any(|text| text.contains(hostile)),
            "{harness}: {said:?}"
        );
        let open = [
            "handoff",
            "open",
            "--agent",
            "other\u{9b}31m",
            "--question",
            "which\u{202e}?",
            "--tried",
            "the config",
            "--needed",
            "a number",
        ];
        place.run(&open);
        let listed = place.run(&["--json", "handoff", "list"]);
        assert!(!listed.contains(hostile), "{listed:?}");
        assert!(listed.contains("which\\u202e?"), "{listed}");
    }
}

#[test]
fn a_payload_of_twenty_megabytes_is_judged_like_any_other() {
    let place = Place::new("gemini");
    let content = "x".repeat(20 << 20);
    let call = || Some(("write_file", json!({"file_path": "a", "content": content})));
    let said = place.hook(Moment::Before, call(), "");
    let refused = refuses(&said);
    assert!(!refused || said.contains("no answer within"), "{said}");
    place.run(&["stop", "--scope", "fleet"]);
    assert!(refuses(&place.hook(Moment::Before, call(), "")));
}

#[test]
fn with_a_broken_store_changes_are_refused_and_ends_pass() {
    for harness in HARNESSES {
        let place = Place::new(harness);
        place.hook(Moment::Start, None, "");
        place.claimed();
        for entry in fs::read_dir(place.store()).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().contains("store.db") {
                fs::write(&path, b"this is no store").unwrap();
            }
        }
        assert!(refuses(&place.shell()), "{harness}");
        let read = Some((reading(harness), json!({"path": "a"})));
        assert!(!refuses(&place.hook(Moment::Before, read, "")), "{harness}");
        assert!(
            !refuses(&place.hook(Moment::TurnEnd, None, "")),
            "{harness}"
        );
    }
}

#[test]
fn another_turn_is_refused_anew_without_a_prompt() {
    let place = Place::new("codex");
    place.claimed();
    let end = |turn: &str| {
        let mut all = payload("codex", "Stop", None, "");
        (all["cwd"], all["turn_id"]) = (json!(place.project()), json!(turn));
        refuses(&place.raw(Some("Stop"), all.to_string().as_bytes()))
    };
    let refused: Vec<bool> = ["t-1", "t-1", "t-1", "t-1", "t-2"].map(end).to_vec();
    assert_eq!(refused, [true, true, true, false, true]);
}

/// The first block of a kind below a heading of docs/HOOKS.md.
fn snippet(heading: &str, kind: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/HOOKS.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let (_, block) = section.split_once(&format!("```{kind}\n")).unwrap();
    block.split("```").next().unwrap().to_owned()
}

#[test]
fn the_documented_settings_hook_up_every_event() {
    for (harness, heading, timeout) in [
        ("claude", "Claude Code", 10),
        ("codex", "Codex", 10),
        ("gemini", "Gemini CLI", 10_000),
    ] {
        let events = watchfloor::harness::dialect(harness).unwrap().events();
        let settings: Value = serde_json::from_str(&snippet(heading, "json")).unwrap();
        let groups = settings["hooks"].as_object().unwrap();
        assert_eq!(groups.keys().collect::<Vec<_>>(), events, "{harness}");
        for (event, group) in groups {
            let hook = &group[0]["hooks"][0];
            let line = match hook["args"].as_array() {
                None => hook["command"].as_str().unwrap().to_owned(),
                Some(args) => {
                    let args: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
                    format!("{} {}", hook["command"].as_str().unwrap(), args.join(" "))
                }
            };
            assert_eq!(line, format!("watchfloor hook {harness} {event}"));
            // Codex gives the end of a session no more.
            let short = (harness, event.as_str()) == ("codex", "SessionEnd");
            let timeout = if short { 3 } else { timeout };
            assert_eq!(hook["timeout"], timeout, "{harness} {event}");
            let closed = hook["onFailure"] == "block";
            let calls = ["claude PreToolUse", "claude PreSkillShellCommand"];
            assert_eq!(
                closed,
                calls.iter().any(|call| line.ends_with(call)),
                "{line}"
            );
        }
    }
    let events = watchfloor::harness::dialect("hermes").unwrap().events();
    let hooks: Vec<String> = events
        .iter()
        .map(|event| {
            format!(
                "  {event}:\n    - command: watchfloor hook hermes {event}\n      timeout: 10\n"
            )
        })
        .collect();
    assert_eq!(
        snippet("Hermes", "yaml"),
        format!("hooks:\n{}", hooks.concat())
    );
}

#[test]
fn the_files_for_pi_and_opencode_hook_up_every_event() {
    for (harness, file) in [
        ("pi", "pi/watchfloor.ts"),
        ("opencode", "opencode/watchfloor.js"),
    ] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("assets")
            .join(file);
        let text = fs::read_to_string(path).unwrap();
        for event in watchfloor::harness::dialect(harness).unwrap().events() {
            assert!(text.contains(&format!("\"{event}\"")), "{harness} {event}");
        }
    }
}
