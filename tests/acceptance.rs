//! `watchfloor acceptance`: two agents, one store, seven points. With plain processes always; with
//! real agent programs where `WATCHFLOOR_HARNESSES` names the folder that they are installed in.
//! Each point is also made to fail.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;
use watchfloor::contract::acceptance::Accepted;
use watchfloor::contract::ids::ProjectId;
use watchfloor::contract::limits::Limits;
use watchfloor::ops::context::{Context, GuardGround};
use watchfloor::run::acceptance::{Options, Stage, play, script};
use watchfloor::run::model::{Act, Step};
use watchfloor::run::seat::{Finder, Program};

fn watchfloor(home: &Path, path: &str, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_watchfloor"));
    command.args(words).current_dir(home).env_clear();
    command
        .env("HOME", home)
        .env("PATH", path)
        .output()
        .unwrap()
}

fn json(said: &Output) -> Value {
    serde_json::from_slice(&said.stdout).unwrap()
}

/// Plays it with two plain processes, after a twist; answers the points that do not hold.
fn twisted(twist: impl FnOnce(&mut Stage)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let base = Context {
        store: folder.path().join("store.db"),
        project: ProjectId::new("p"),
        root: folder.path().to_path_buf(),
        cwd: folder.path().to_path_buf(),
        agent: None,
        mission: None,
        task: None,
        key: None,
        config: folder.path().join("config"),
        limits: Limits::default(),
        guard: GuardGround::default(),
        inside_agent: false,
        host: "here".to_owned(),
        ancestors: Vec::new(),
        brief: false,
    };
    let finder = Finder {
        path: "/usr/bin:/bin".into(),
        named: Vec::new(),
    };
    let options = Options {
        a: Program::Plain,
        b: Program::Plain,
        limit: Duration::from_mins(1),
        ..Options::new(PathBuf::from(env!("CARGO_BIN_EXE_watchfloor")), finder)
    };
    let accepted = play(&base, &options, twist).unwrap().accepted;
    assert!(accepted.plain);
    let off = accepted.points.iter().filter(|point| !point.holds);
    let off: Vec<u8> = off
        .inspect(|point| println!("{point:?}"))
        .map(|point| point.number)
        .collect();
    assert_eq!(accepted.passed, off.is_empty());
    off
}

/// Puts steps before the one whose command or text holds a word.
fn before(script: &mut Vec<Step>, word: &str, steps: &[&str]) {
    let at = place(script, word);
    let steps = steps.iter().map(|line| Step::shell(*line));
    script.splice(at..at, steps);
}

/// Changes the command that holds a word.
fn change(script: &mut [Step], word: &str, to: &str) {
    let at = place(script, word);
    script[at].act = Act::Shell(to.to_owned());
}

fn place(script: &[Step], word: &str) -> usize {
    let holds = |step: &Step| serde_json::to_string(&step.act).unwrap().contains(word);
    script.iter().position(holds).unwrap()
}

fn second_poll(script: &[Step]) -> usize {
    let first = place(script, "handoff next");
    first + 1 + place(&script[first + 1..], "handoff next")
}

#[test]
fn two_plain_processes_pass_and_do_not_count() {
    let home = tempfile::tempdir().unwrap();
    let said = watchfloor(home.path(), "/usr/bin:/bin", &["--json", "acceptance"]);
    let answer = json(&said);
    assert_eq!(said.status.code(), Some(0), "{answer:#}");
    assert_eq!(
        (&answer["passed"], &answer["plain"]),
        (&true.into(), &true.into())
    );
    assert_eq!(answer["missing"], serde_json::json!(["pi", "codex"]));
    assert_eq!(answer["seq"], Value::Null);
    // With a store it is recorded there, and nothing else is.
    assert!(
        watchfloor(home.path(), "/usr/bin:/bin", &["init"])
            .status
            .success()
    );
    let said = watchfloor(home.path(), "/usr/bin:/bin", &["acceptance"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(
        text.contains("pi is not installed") && text.contains("7 of 7 hold"),
        "{text}"
    );
    let tail = watchfloor(home.path(), "/usr/bin:/bin", &["--json", "tail"]);
    let record = json(&tail);
    assert_eq!(
        (record["seq"].as_u64(), &record["kind"]),
        (Some(1), &"event".into())
    );
    let body: Accepted = serde_json::from_value(record["body"].clone()).unwrap();
    assert!(body.passed && body.plain && body.points.len() == 7);
}

#[test]
fn nothing_twisted_is_nothing_missing() {
    assert_eq!(twisted(|_| {}), Vec::<u8>::new());
}

#[test]
fn a_fact_that_a_had_fails_the_first_point() {
    let off = twisted(|stage| {
        let text = format!("nothing to see\n{}\n", stage.fact);
        fs::write(stage.a.work.join("notes.md"), text).unwrap();
    });
    // It lies within A's reach, so it may have come to A that way too.
    assert_eq!(off, [1, 3]);
    let off =
        twisted(|stage| stage.a.prompt = format!("{} By the way: {}", stage.a.prompt, stage.fact));
    assert_eq!(off, [1]);
    // A look-up that finds something is no failed try.
    let off = twisted(|stage| {
        fs::write(stage.a.work.join(script::LOOK_UP), "exit 0\n").unwrap();
    });
    assert_eq!(off, [1]);
    let off = twisted(|stage| change(&mut stage.a.script, "watchfloor exec", "true"));
    assert_eq!(off, [1]);
}

#[test]
fn a_claim_without_polling_fails_the_second_point() {
    let off = twisted(|stage| {
        let id = "id=$(watchfloor handoff list --state open --json | grep -o '\"id\":\"[^\"]*' | cut -c7- | head -1)";
        let told = format!("{id}; watchfloor handoff claim \"$id\" --json");
        let at = second_poll(&stage.b.script);
        stage.b.script[at].act = Act::Shell(told);
    });
    assert_eq!(off, [2]);
}

#[test]
fn an_answer_beside_the_store_fails_the_third_point() {
    // A file that A reads, and an answer that only names it.
    let off = twisted(|stage| {
        let file = stage.folder().join("between.txt").display().to_string();
        before(
            &mut stage.b.script,
            "handoff answer",
            &[&format!("printf %s {{told.release_word}} > '{file}'")],
        );
        change(
            &mut stage.b.script,
            "handoff answer",
            &format!("watchfloor handoff answer {{one.id}} --text 'see {file}'"),
        );
        let at = place(&stage.a.script, "released as");
        stage.a.script[at].act =
            Act::Shell(format!("echo \"released as $(cat '{file}')\" > half-2.txt"));
    });
    assert_eq!(off, [3]);
    // The answer is in the store, and in a file too.
    let off = twisted(|stage| {
        let file = stage.a.work.join("hint.txt").display().to_string();
        before(
            &mut stage.b.script,
            "handoff answer",
            &[&format!("printf %s {{told.release_word}} > '{file}'")],
        );
    });
    assert_eq!(off, [3]);
}

#[test]
fn an_output_without_the_answer_fails_the_fourth_point() {
    let off = twisted(|stage| {
        let at = place(&stage.a.script, "released as");
        stage.a.script[at].act = Act::Write {
            path: script::SECOND.to_owned(),
            text: "released as something\n".to_owned(),
        };
    });
    assert_eq!(off, [4]);
    // What was shown as evidence is not what is there now.
    let off = twisted(|stage| {
        before(
            &mut stage.a.script,
            "Who chose",
            &["echo later >> half-2.txt"],
        );
    });
    assert_eq!(off, [4]);
    let off = twisted(|stage| change(&mut stage.a.script, "handoff use", "true"));
    assert_eq!(off, [4]);
}

#[test]
fn an_escalation_fails_the_fifth_point() {
    let off = twisted(|stage| {
        let line = "watchfloor handoff escalate {two.id} --class money --reason 'it costs' --json";
        change(&mut stage.b.script, "handoff block", line);
        stage.a.script.truncate(stage.a.script.len() - 2);
    });
    assert_eq!(off, [5]);
    // Blocked at once, without the follow-up.
    let off = twisted(|stage| {
        let script = &mut stage.b.script;
        let (from, to) = (place(script, "handoff ask"), place(script, "handoff block"));
        script.drain(from..to);
        let script = &mut stage.a.script;
        let reply = place(script, "handoff reply");
        script.drain(reply - 1..=reply);
    });
    assert_eq!(off, [5]);
}

#[test]
fn a_word_by_a_person_fails_the_sixth_point() {
    // A prompt while A is at work, as its program's hook tells it.
    let off = twisted(|stage| {
        let prompt = "printf '{\"hook\":\"pi\",\"type\":\"input\",\"source\":\"interactive\",\"session_id\":\"s\",\"cwd\":\".\",\"text\":\"go on\"}' | watchfloor hook pi input";
        let call = "printf '{\"hook\":\"pi\",\"type\":\"tool_result\",\"toolName\":\"read\",\"session_id\":\"s\",\"cwd\":\".\",\"input\":{}}' | watchfloor hook pi tool_result";
        before(&mut stage.a.script, "Who chose", &[call, prompt]);
    });
    // Who is spoken to there is nobody of the two, either.
    assert_eq!(off, [6, 7]);
    // A question that nobody of the two asked.
    let off = twisted(|stage| {
        let line = "watchfloor handoff open --agent ops --question q --tried t --needed n";
        before(&mut stage.b.script, "handoff ask", &[line]);
    });
    assert_eq!(off, [6, 7]);
}

#[test]
fn a_hand_from_outside_fails_the_seventh_point() {
    let off = twisted(|stage| {
        let line = "watchfloor stop --scope task:other --agent ops";
        let at = second_poll(&stage.b.script);
        stage.b.script.insert(at, Step::shell(line));
    });
    assert_eq!(off, [7]);
    // Whoever has to be ended did not end by itself.
    let off = twisted(|stage| {
        let at = stage.b.script.len() - 1;
        stage.b.script.insert(at, Step::shell("exec sleep 600"));
    });
    assert_eq!(off, [7]);
}

#[test]
fn words_that_are_off_are_refused() {
    let home = tempfile::tempdir().unwrap();
    for (words, code) in [
        (&["acceptance", "--a", "pi", "--b", "pi"][..], 2),
        (&["acceptance", "--a", "nobody"][..], 2),
        (&["acceptance", "--b", "hermes"][..], 2),
        (&["acceptance", "--program", "pi"][..], 2),
        (&["acceptance", "--program", "nobody=/x"][..], 2),
    ] {
        let said = watchfloor(home.path(), "/usr/bin:/bin", words);
        assert_eq!(said.status.code(), Some(code), "{words:?}");
    }
}

/// The installed programs below a folder, and the search path that they need.
fn installed(folder: &Path) -> (Vec<String>, String) {
    let mut programs = Vec::new();
    let mut path = "/usr/bin:/bin".to_owned();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let modules = entry.path().join("node_modules");
        for name in ["pi", "codex"] {
            let file = modules.join(".bin").join(name);
            if file.exists() {
                programs.push(format!("{name}={}", file.display()));
            }
        }
        for node in fs::read_dir(&modules).into_iter().flatten().flatten() {
            let bin = node.path().join("bin");
            if bin.join("node").exists() {
                path = format!("{}:{path}", bin.display());
            }
        }
    }
    (programs, path)
}

#[test]
fn pi_asks_and_codex_answers() {
    let folder = std::env::var_os("WATCHFLOOR_HARNESSES").filter(|at| !at.is_empty());
    let Some(folder) = folder else {
        let why =
            "acceptance with real agents skipped: WATCHFLOOR_HARNESSES names no folder of them";
        drop(writeln!(std::io::stderr(), "{why}"));
        return;
    };
    let (programs, path) = installed(Path::new(&folder));
    let home = tempfile::tempdir().unwrap();
    assert!(watchfloor(home.path(), &path, &["init"]).status.success());
    let mut words = vec!["--json", "acceptance"];
    for program in &programs {
        words.extend(["--program", program.as_str()]);
    }
    let said = watchfloor(home.path(), &path, &words);
    let answer = json(&said);
    println!("{answer:#}");
    assert_eq!(
        (said.status.code(), &answer["plain"]),
        (Some(0), &false.into())
    );
    assert_eq!(
        (&answer["a"]["harness"], &answer["b"]["harness"]),
        (&"pi".into(), &"codex".into())
    );
}
