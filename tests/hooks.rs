//! The hook as Claude Code and pi call it, with a real store: what agents change by the shell is
//! seen from their first check on, and only a person's prompt is one.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// An empty home with a store, and a project that one session works in.
struct Place {
    folder: tempfile::TempDir,
    harness: &'static str,
}

impl Place {
    fn new(harness: &'static str, git: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        let place = Self { folder, harness };
        fs::write(place.file(), "line 0\n").unwrap();
        fs::write(place.project().join("left.txt"), "changed before\n").unwrap();
        if git {
            place.git(&["init", "-q"]);
            place.git(&["add", "a.txt"]);
            let who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"];
            place.git(&[&who[..], &["commit", "-qm", "x"]].concat());
        }
        place.watchfloor(&["init"], "");
        place
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn file(&self) -> PathBuf {
        self.project().join("a.txt")
    }

    fn git(&self, words: &[&str]) {
        let done = self.run(Path::new("git"), words, "");
        assert!(done.is_some(), "{words:?}");
    }

    fn watchfloor(&self, words: &[&str], input: &str) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_watchfloor"));
        self.run(binary, words, input).unwrap()
    }

    fn run(&self, program: &Path, words: &[&str], input: &str) -> Option<String> {
        let mut child = Command::new(program)
            .args(words)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        drop(stdin.write_all(input.as_bytes()));
        drop(stdin);
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        done.status.success().then_some(said)
    }

    fn hook(&self, event: &str, fields: &Value) -> String {
        let mut payload = fields.clone();
        payload["session_id"] = json!("s-1");
        payload["cwd"] = json!(self.project());
        let key = if self.harness == "pi" {
            "type"
        } else {
            "hook_event_name"
        };
        payload[key] = json!(event);
        self.watchfloor(&["hook", self.harness, event], &payload.to_string())
    }

    /// One shell call: asked about, made, and told of. Answers what the first hook said.
    fn shell(&self, command: &str, failure: Option<&str>) -> String {
        let pi = self.harness == "pi";
        let (before, tool, input) = if pi {
            ("tool_call", json!({"toolName": "bash"}), "input")
        } else {
            ("PreToolUse", json!({"tool_name": "Bash"}), "tool_input")
        };
        let mut call = tool;
        call[input] = json!({"command": command});
        let said = self.hook(before, &call);
        if said.contains("Watchfloor: ") {
            return said;
        }
        if failure.is_none() {
            let mut file = fs::OpenOptions::new()
                .append(true)
                .open(self.file())
                .unwrap();
            file.write_all(b"1\n").unwrap();
        }
        let after = match (pi, failure) {
            (true, _) => {
                call["content"] = json!([{"type": "text", "text": failure.unwrap_or_default()}]);
                call["isError"] = json!(failure.is_some());
                call["structuredContent"] = json!({"exit_code": i32::from(failure.is_some())});
                "tool_result"
            }
            (false, None) => "PostToolUse",
            (false, Some(failure)) => {
                call["error"] = json!(format!("Exit code 1\n{failure}"));
                "PostToolUseFailure"
            }
        };
        self.hook(after, &call);
        said
    }

    fn open_breakers(&self) -> usize {
        let list = self.watchfloor(&["--json", "breaker", "list"], "");
        let list: Value = serde_json::from_str(&list).unwrap();
        list["breakers"].as_array().unwrap().len()
    }

    /// Scopes of every breaker, in the order of the text.
    fn scopes(&self) -> Vec<String> {
        let list = self.watchfloor(&["--json", "breaker", "list"], "");
        let list: Value = serde_json::from_str(&list).unwrap();
        let rows = list["breakers"].as_array().unwrap().iter();
        let mut scopes: Vec<String> = rows
            .map(|row| row["scope"].as_str().unwrap().to_owned())
            .collect();
        scopes.sort();
        scopes
    }

    fn configure(&self, text: &str) {
        let folder = self.folder.path().join(".config/watchfloor");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    fn records(&self, schema: &str) -> usize {
        let text = self.watchfloor(&["--json", "tail", "--limit", "1000"], "");
        let named = format!("\"{schema}\"");
        text.lines().filter(|line| line.contains(&named)).count()
    }
}

#[test]
fn the_third_failing_try_trips_though_every_edit_was_made_by_the_shell() {
    for (harness, git, started) in [
        ("claude", true, true),
        ("claude", false, false),
        ("pi", true, false),
        ("pi", false, true),
    ] {
        let place = Place::new(harness, git);
        if started {
            let name = if harness == "pi" {
                "session_start"
            } else {
                "SessionStart"
            };
            place.hook(name, &json!({}));
        }
        for number in 1..=3 {
            assert_eq!(place.open_breakers(), 0, "{harness} {git}: try {number}");
            place.shell("echo 1 >> a.txt", None);
            place.shell("make test", Some("FAIL: a.txt is not what it should be"));
        }
        assert_eq!(place.open_breakers(), 1, "{harness} {git} {started}");
        let refused = place.shell("echo 1 >> a.txt", None);
        assert!(refused.contains("retry"), "{refused}");
        assert_eq!(fs::read(place.file()).unwrap(), b"line 0\n1\n1\n1\n");
    }
}

#[test]
fn what_was_changed_before_the_session_is_no_try() {
    for harness in ["claude", "pi"] {
        let place = Place::new(harness, true);
        for _ in 0..2 {
            place.shell("make test", Some("FAIL: a.txt is not what it should be"));
        }
        assert_eq!(place.records("watchfloor.attempt.v1"), 0, "{harness}");
    }
}

#[test]
fn only_a_persons_prompt_counts_as_one() {
    let place = Place::new("claude", true);
    let pi = Place::new("pi", true);
    for (place, event, fields, prompts) in [
        (
            &place,
            "UserPromptSubmit",
            json!({"prompt": "make it pass"}),
            1,
        ),
        (
            &place,
            "UserPromptSubmit",
            json!({"prompt": "<task-notification>done</task-notification>"}),
            1,
        ),
        (
            &pi,
            "input",
            json!({"text": "make it pass", "source": "interactive"}),
            1,
        ),
        (
            &pi,
            "input",
            json!({"text": "go on", "source": "extension"}),
            1,
        ),
    ] {
        place.hook(event, &fields);
        assert_eq!(place.records("watchfloor.prompted.v1"), prompts, "{fields}");
    }
}

#[test]
fn what_stops_a_session_stops_its_subagents() {
    let edit =
        json!({"tool_name": "Edit", "tool_input": {"file_path": "a.txt"}, "agent_id": "sub"});
    let plan = ["attempt", "plan", "--task", "T", "--agent", "claude:s-1"];
    let plan = [&plan[..], &["--strategy", "s", "--hypothesis", "h"]].concat();
    for scope in ["agent:claude:s-1", "agent:claude:s-1/sub", "task:T"] {
        let place = Place::new("claude", true);
        place.hook("SessionStart", &json!({}));
        place.watchfloor(&plan, "");
        assert_eq!(place.hook("PreToolUse", &edit), "", "{scope}");
        place.watchfloor(&["stop", "--scope", scope], "");
        let said = place.hook("PreToolUse", &edit);
        assert!(said.contains("deny"), "{scope}: {said}");
    }
}

/// A token as it would be found, put together here so that no file holds it.
const TOKEN: &str = concat!("ghp_", "R7dKq2LmX9vTzA4bNcE8wYhUjGfP1sQoI6t0");

#[test]
fn a_call_with_a_secret_is_refused_and_its_result_stops_the_mission() {
    for harness in ["claude", "pi"] {
        let place = Place::new(harness, true);
        let said = place.shell(&format!("curl -H 'x: {TOKEN}' localhost"), None);
        assert!(said.contains("guard") || said.contains("secret"), "{said}");
        assert!(!said.contains(TOKEN), "{said}");
        assert_eq!(fs::read(place.file()).unwrap(), b"line 0\n", "{harness}");
        assert_eq!(place.records("watchfloor.call_refused.v1"), 1);
        assert_eq!(place.scopes(), [format!("agent:{harness}:s-1")]);
        let place = Place::new(harness, true);
        place.shell("make show", Some(&format!("token {TOKEN}")));
        assert_eq!(place.scopes(), ["mission:session-s-1"], "{harness}");
        let everything = place.watchfloor(&["--json", "tail", "--limit", "1000"], "");
        assert!(!everything.contains(TOKEN));
    }
}

#[test]
fn a_payload_that_never_ends_is_refused_before_the_harness_gives_up() {
    let place = Place::new("claude", true);
    let mut child = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
        .args(["hook", "claude", "PreToolUse"])
        .current_dir(place.project())
        .env_clear()
        .env("HOME", place.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut open = child.stdin.take().unwrap();
    open.write_all(b"{\"session_id\":").unwrap();
    let asked = std::time::Instant::now();
    let done = child.wait_with_output().unwrap();
    drop(open);
    assert!(asked.elapsed() < std::time::Duration::from_secs(10));
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(said.contains("deny"), "{said}");
}

#[test]
fn observe_lets_it_run_and_says_what_would_have_been() {
    let place = Place::new("claude", true);
    place.configure("[guard]\nmode = \"observe\"\n");
    let said = place.shell(&format!("echo {TOKEN}"), None);
    assert_eq!(said, "");
    assert_eq!(place.scopes(), [""; 0]);
    assert_eq!(place.records("watchfloor.guard_would.v1"), 1);
    let project = place.project().canonicalize().unwrap();
    let own = format!(
        "[guard]\nmode = \"observe\"\n[project.{:?}]\nmode = \"enforce\"\n",
        project.display().to_string()
    );
    place.configure(&own);
    let said = place.shell(&format!("echo {TOKEN}"), None);
    assert!(said.contains("deny"), "{said}");
    // A configuration that is none refuses what changes things, and nothing else.
    place.configure("[guard]\nmode = \"sometimes\"\n");
    assert!(
        place
            .shell("touch b.txt", None)
            .contains("Watchfloor cannot vouch")
    );
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "a.txt"}});
    assert_eq!(place.hook("PreToolUse", &read), "");
}

#[test]
fn a_result_of_a_refused_call_is_a_leak_and_hooks_count_what_they_cost() {
    let place = Place::new("claude", true);
    let call = json!({"tool_name": "Bash", "tool_use_id": "t-1",
        "tool_input": {"command": format!("echo {TOKEN}")}});
    assert!(place.hook("PreToolUse", &call).contains("deny"));
    let lamp = || {
        let status = place.watchfloor(&["--json", "status"], "");
        let status: Value = serde_json::from_str(&status).unwrap();
        status["agents"][0]["lamp"].as_str().unwrap().to_owned()
    };
    assert_eq!(lamp(), "gated");
    let other = json!({"tool_name": "Read", "tool_use_id": "t-0",
        "tool_input": {"file_path": "a.txt"}, "tool_response": "one"});
    place.hook("PostToolUse", &other);
    assert_eq!(lamp(), "proven");
    let mut done = call;
    done["tool_response"] = json!({"stdout": "done", "stderr": ""});
    let said = place.hook("PostToolUse", &done);
    assert_eq!(lamp(), "leaking");
    assert!(said.contains("ran all the same"), "{said}");
    assert_eq!(place.records("watchfloor.hook_leak.v1"), 1);
    assert_eq!(place.scopes(), ["agent:claude:s-1", "mission:session-s-1"]);
    let file = place
        .folder
        .path()
        .join(".local/state/watchfloor/store.cost");
    let bytes = fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("claude before") && text.contains("claude after"));
    // What is no histogram is written anew, and refuses nothing.
    fs::write(&file, "garbage").unwrap();
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "a.txt"}});
    assert_eq!(place.hook("PreToolUse", &read), "");
    assert_eq!(fs::metadata(&file).unwrap().len(), bytes.len() as u64);
}
