//! Which events of each program are hooked up: what `install` writes, what the hook understands and
//! what docs/HOOKS.md says is left alone are the whole of what the program offers.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use watchfloor::contract::tool::HookEvent;
use watchfloor::harness::{HARNESSES, dialect};

/// What Claude Code 2.1.332 offers, by its own list.
const CLAUDE: &str = "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit \
    UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact \
    PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted \
    Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged \
    FileChanged DirectoryAdded MessageDisplay PreSkillShellCommand";

/// What Codex 0.171.0 lists of a file with more.
const CODEX: &str = "PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionStart SessionEnd \
    UserPromptSubmit SubagentStart SubagentStop Stop PreModelRequest PostModelRequest Interrupt";

/// What Gemini CLI 0.61.0 offers.
const GEMINI: &str = "SessionStart SessionEnd BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection \
    BeforeTool AfterTool PreCompress Notification";

/// What Hermes 0.19.0 calls valid.
const HERMES: &str = "pre_tool_call post_tool_call transform_terminal_output transform_tool_result \
    transform_llm_output pre_llm_call post_llm_call pre_verify pre_api_request post_api_request api_request_error \
    on_session_start on_session_end on_session_finalize on_session_reset subagent_start subagent_stop \
    pre_gateway_dispatch pre_approval_request post_approval_response kanban_task_claimed kanban_task_completed \
    kanban_task_blocked";

/// What opencode 1.18.33 offers a plugin, and what its bus tells of a session. `event`, `shell.env`
/// and `experimental.chat.system.transform` are how the plugin does its work.
const OPENCODE: &str = "config tool.definition chat.message chat.params chat.headers permission.ask \
    command.execute.before tool.execute.before tool.execute.after experimental.chat.messages.transform \
    experimental.session.compacting experimental.compaction.autocontinue experimental.text.complete \
    session.created session.updated session.deleted session.idle session.status session.diff session.compacted \
    message.updated message.removed message.part.updated message.part.removed message.part.delta permission.asked \
    permission.replied question.asked question.replied question.rejected file.edited file.watcher.updated \
    todo.updated command.executed";

/// What pi 1.6.0 offers. `before_agent_start` is how the extension tells the model.
const PI: &str = "project_trust resources_discover session_start session_info_changed session_before_switch \
    session_before_fork session_before_compact session_compact session_compact_failed session_shutdown \
    mcp_servers_change session_before_tree session_tree context context_with_system cache_warming_decision \
    before_provider_request before_provider_headers after_provider_response provider_stream_event agent_start \
    agent_end agent_before_settle agent_settled ui_prompt_start ui_prompt_end turn_start turn_end message_start \
    message_update message_end tool_execution_start tool_execution_update tool_execution_end model_select \
    thinking_level_select tool_call tool_result user_bash input";

/// The heading of a harness in the documents, and what its program offers.
fn offered(harness: &str) -> (&'static str, BTreeSet<&'static str>) {
    let (heading, events) = match harness {
        "claude" => ("Claude Code", CLAUDE),
        "codex" => ("Codex", CODEX),
        "gemini" => ("Gemini CLI", GEMINI),
        "hermes" => ("Hermes", HERMES),
        "opencode" => ("opencode", OPENCODE),
        "pi" => ("pi", PI),
        other => panic!("{other} offers nothing"),
    };
    (heading, events.split_whitespace().collect())
}

fn hooked(harness: &str) -> BTreeSet<&'static str> {
    dialect(harness).unwrap().events().iter().copied().collect()
}

/// A payload of an event that has all that any event of its program has.
fn payload(harness: &str, event: &str) -> Value {
    let input = json!({"command": "make"});
    match harness {
        "opencode" => {
            let part = json!({"type": "tool", "tool": "bash", "callID": "c",
                "state": {"status": "error", "input": input, "error": "no such file"}});
            json!({"type": event, "cwd": "/p", "input": {"tool": "bash", "sessionID": "s", "callID": "c"},
                "output": {"args": input, "parts": [{"type": "text", "text": "go on"}]},
                "event": {"properties": {"sessionID": "s", "info": {"id": "s"}, "part": part}}})
        }
        "pi" => {
            json!({"type": event, "cwd": "/p", "session_id": "s", "toolName": "bash", "toolCallId": "c",
            "input": input, "text": "go on", "source": "interactive", "outcome": "completed"})
        }
        _ => json!({"hook_event_name": event, "cwd": "/p", "session_id": "s", "tool_name": "Bash",
            "tool_input": input, "tool_use_id": "c", "prompt": "go on", "error": "Exit code 1",
            "notification_type": if harness == "gemini" { "ToolPermission" } else { "permission_prompt" },
            "extra": {"user_message": "go on", "status": "ok", "command": "make"}}),
    }
}

fn read(harness: &str, event: &str) -> HookEvent {
    let bytes = payload(harness, event).to_string();
    let wire = dialect(harness)
        .unwrap()
        .read(Some(event), bytes.as_bytes());
    wire.unwrap().event
}

/// The rows of the table of docs/HOOKS.md: program, events, reason.
fn left_alone() -> Vec<(String, Vec<String>, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/HOOKS.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once("\n## What is not asked for\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [program, events, why] = cells[..] else {
            panic!("three cells: {row}")
        };
        let events = events
            .split(", ")
            .map(|event| event.trim_matches('`').to_owned());
        (program.to_owned(), events.collect(), why.to_owned())
    })
    .collect()
}

#[test]
fn what_is_hooked_up_is_offered_and_understood() {
    for harness in HARNESSES {
        let (_, offered) = offered(harness);
        for event in hooked(harness) {
            assert!(offered.contains(event), "{harness} offers no {event}");
            assert_ne!(
                read(harness, event),
                HookEvent::Ignored,
                "{harness} {event}"
            );
        }
    }
}

#[test]
fn what_is_offered_is_hooked_up_or_left_alone_with_a_reason() {
    let rows = left_alone();
    for harness in HARNESSES {
        let (heading, offered) = offered(harness);
        let mut left = Vec::new();
        for (_, events, why) in rows.iter().filter(|row| row.0 == heading) {
            assert!(why.len() > 10, "{heading} {events:?}: {why}");
            left.extend(events.iter().map(String::as_str));
        }
        let once: BTreeSet<&str> = left.iter().copied().collect();
        assert_eq!(once.len(), left.len(), "{heading} names an event twice");
        let hooked = hooked(harness);
        let rest: BTreeSet<&str> = offered.difference(&hooked).copied().collect();
        assert_eq!(once, rest, "{heading}");
        for event in rest {
            assert_eq!(
                read(harness, event),
                HookEvent::Ignored,
                "{harness} {event} is understood"
            );
        }
    }
}

/// The events that a file of settings holds entries under.
fn entered(text: &str) -> BTreeSet<String> {
    let settings: Value = serde_json::from_str(text).unwrap();
    settings["hooks"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

/// The keys one level below `hooks:`.
fn entered_yaml(text: &str) -> BTreeSet<String> {
    let (_, hooks) = text.split_once("hooks:\n").unwrap();
    let lines = hooks.lines().take_while(|line| line.starts_with(' '));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    names
        .map(|name| name.trim_matches('"').to_owned())
        .collect()
}

#[test]
fn what_install_writes_is_what_is_hooked_up() {
    let folder = tempfile::tempdir().unwrap();
    let (home, project) = (folder.path().join("home"), folder.path().join("project"));
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(&home).unwrap();
    let run = |words: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
            .args(words)
            .current_dir(&project)
            .env_clear()
            .env("HOME", &home)
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    run(&["init"]);
    let text = |path: PathBuf| fs::read_to_string(path).unwrap();
    for (harness, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
    ] {
        run(&["install", harness, "--yes"]);
        let entered = entered(&text(project.join(file)));
        assert_eq!(
            entered,
            hooked(harness).into_iter().map(str::to_owned).collect(),
            "{harness}"
        );
    }
    run(&[
        "install",
        "hermes",
        "--user",
        "--yes",
        "--without-acceptance",
        "a test",
    ]);
    let entered = entered_yaml(&text(home.join(".hermes/config.yaml")));
    let all: BTreeSet<String> = hooked("hermes").into_iter().map(str::to_owned).collect();
    assert_eq!(entered, all);
    let allowed = text(home.join(".hermes/shell-hooks-allowlist.json"));
    let allowed: Value = serde_json::from_str(&allowed).unwrap();
    let allowed = allowed["approvals"].as_array().unwrap().iter();
    let allowed: BTreeSet<String> = allowed
        .map(|row| row["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(allowed, all);
}
