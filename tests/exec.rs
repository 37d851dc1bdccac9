//! `watchfloor exec`: a command as an agent, through the built program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(30);

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(place.project()).unwrap();
        fs::write(place.project().join("a.txt"), "line 0\n").unwrap();
        assert!(place.run(&["init"]).status.success());
        place
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_watchfloor"));
        command
            .args(words)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs a line of the shell in task T.
    fn exec(&self, line: &str) -> Output {
        self.run(&["exec", "--task", "T", "--", "sh", "-c", line])
    }

    fn start(&self, words: &[&str]) -> Child {
        self.command(words).spawn().unwrap()
    }

    fn json(&self, words: &[&str]) -> Value {
        let said = self.run(&[&["--json"], words].concat());
        serde_json::from_slice(&said.stdout).unwrap()
    }

    fn attempts(&self) -> Vec<Value> {
        let listed = self.json(&["attempt", "list", "--task", "T"]);
        listed["attempts"].as_array().unwrap().clone()
    }

    fn agents(&self) -> Vec<Value> {
        self.json(&["status"])["agents"].as_array().unwrap().clone()
    }

    fn breakers(&self) -> Vec<Value> {
        let listed = self.json(&["breaker", "list"]);
        listed["breakers"].as_array().unwrap().clone()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for a condition.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + LIMIT;
    while !holds() {
        assert!(Instant::now() < end, "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn first_line(child: &mut Child) -> (String, BufReader<std::process::ChildStdout>) {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    (line.trim().to_owned(), output)
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.parse().unwrap()).unwrap()
}

#[test]
fn what_goes_in_and_out_is_unchanged_and_so_is_the_exit() {
    let place = Place::new();
    let mut child = place
        .command(&["exec", "--", "sh", "-c", "cat; printf 'err' >&2; exit 7"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n * 7).to_le_bytes()[0]).collect();
    let mut stdin = child.stdin.take().unwrap();
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&sent));
    let said = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(said.stdout == bytes, "the output is another one");
    assert_eq!(
        (said.status.code(), text(&said.stderr)),
        (Some(7), "err".into())
    );
    let killed = place.run(&["exec", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(killed.status.code(), Some(137));
    let words = place.run(&["exec", "--", "printf", "%s|", "a b", "", "--json", "*"]);
    assert_eq!(text(&words.stdout), "a b||--json|*|");
    assert_eq!(
        place.run(&["exec", "--", "no-such-program"]).status.code(),
        Some(127)
    );
    assert_eq!(place.run(&["exec", "--", "/"]).status.code(), Some(126));
    assert_eq!(place.run(&["exec", "--"]).status.code(), Some(2));
}

#[test]
fn outputs_to_one_place_keep_their_order() {
    let place = Place::new();
    let line = "i=0; while [ $i -lt 200 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done";
    let wrapped = format!(
        "'{}' exec -- sh -c '{line}' 2>&1",
        env!("CARGO_BIN_EXE_watchfloor")
    );
    let both = |line: &str| {
        let mut command = place.command(&[]);
        let program = Command::new("sh");
        let env: Vec<_> = command
            .get_envs()
            .map(|(k, v)| (k.to_owned(), v.unwrap().to_owned()))
            .collect();
        command = program;
        let done = command
            .args(["-c", line])
            .env_clear()
            .envs(env)
            .current_dir(place.project());
        text(&done.output().unwrap().stdout)
    };
    assert_eq!(both(&wrapped), both(&format!("{{ {line}; }} 2>&1")));
}

#[test]
fn the_command_is_an_agent_while_it_runs_and_knows_who_it_is() {
    let place = Place::new();
    let line = "echo $$ $WATCHFLOOR_AGENT $WATCHFLOOR_TASK $WATCHFLOOR_MISSION; read x";
    let words = ["exec", "--task", "T", "--", "sh", "-c", line];
    let mut child = place.command(&words).stdin(Stdio::piped()).spawn().unwrap();
    let (line, _output) = first_line(&mut child);
    let (own, names) = line.split_once(' ').unwrap();
    assert_eq!(names, "exec:T T task-T");
    wait("the agent's process", || {
        place
            .agents()
            .iter()
            .any(|agent| agent["pid"].as_u64() == own.parse().ok())
    });
    let row = &place.agents()[0];
    assert_eq!(
        (row["agent"].as_str(), row["state"].as_str()),
        (Some("exec:T"), Some("working"))
    );
    // A second one beside it is somebody else; whoever is named is called so.
    let env = "echo $WATCHFLOOR_AGENT";
    assert_eq!(text(&place.exec(env).stdout), "exec:T/exec-2\n");
    let other = place.run(&["exec", "--agent", "aider-1", "--", "sh", "-c", env]);
    assert_eq!(text(&other.stdout), "aider-1\n");
    // What it calls is called by it, whatever it says.
    let nested = format!(
        "'{}' exec --agent other -- sh -c '{env}'",
        env!("CARGO_BIN_EXE_watchfloor")
    );
    let said = place.run(&["exec", "--agent", "aider-1", "--", "sh", "-c", &nested]);
    assert_eq!(text(&said.stdout), "aider-1/other\n");
    drop(child.stdin.take());
    child.wait().unwrap();
    let states: Vec<_> = place
        .agents()
        .iter()
        .map(|agent| agent["state"].clone())
        .collect();
    assert!(states.iter().all(|state| state == "ended"), "{states:?}");
}

#[test]
fn its_exit_is_an_attempt_by_the_rules_of_derived_tries() {
    let place = Place::new();
    let fails = "echo 'FAIL: a.txt is not what it should be' >&2; exit 3";
    assert_eq!(place.exec(fails).status.code(), Some(3));
    let attempts = place.attempts();
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0]["result"], "FAIL");
    assert!(
        attempts[0]["error_signature"]
            .as_str()
            .unwrap()
            .starts_with("es1:")
    );
    // With nothing changed it is seen, and no try.
    assert_eq!(place.exec(fails).status.code(), Some(3));
    assert_eq!(place.attempts().len(), 1);
    // What was changed since, by the command or by anybody, is what it tried.
    fs::write(place.project().join("a.txt"), "line 1\n").unwrap();
    assert_eq!(place.exec(fails).status.code(), Some(3));
    let attempts = place.attempts();
    assert_eq!(attempts[1]["change"]["files"][0], "a.txt");
    assert_eq!(
        attempts[0]["error_signature"],
        attempts[1]["error_signature"]
    );
    assert!(place.breakers().is_empty());
    let said = place.exec(&format!("echo line 2 > a.txt; {fails}"));
    assert_eq!(said.status.code(), Some(3));
    assert_eq!(place.breakers()[0]["triggers"][0], "retry");
    assert!(
        text(&said.stderr).contains("breaker retry is open"),
        "{}",
        text(&said.stderr)
    );
    let refused = place.exec("echo ran");
    assert_eq!(
        (refused.status.code(), text(&refused.stdout).as_str()),
        (Some(1), "")
    );
    assert!(text(&refused.stderr).contains("breaker_open"));
    assert_eq!(place.attempts().len(), 3);
}

#[test]
fn a_check_that_passes_after_it_failed_is_progress() {
    let place = Place::new();
    let check = "grep -q right a.txt || { echo 'FAIL: test_a'; exit 1; }";
    assert_eq!(place.exec(check).status.code(), Some(1));
    fs::write(place.project().join("a.txt"), "right\n").unwrap();
    assert_eq!(place.exec(check).status.code(), Some(0));
    let attempts = place.attempts();
    assert_eq!(attempts[1]["result"], "PASS");
    assert_eq!(attempts[1]["progress"]["made"], true);
}

#[test]
fn nothing_starts_under_an_open_breaker_or_without_a_store() {
    let place = Place::new();
    for scope in ["fleet", "project", "task:T"] {
        let stopped = place.json(&["stop", "--scope", scope]);
        assert_eq!(stopped["flag"], true);
        let refused = place.run(&["--json", "exec", "--task", "T", "--", "touch", "ran"]);
        let said: Value = serde_json::from_slice(&refused.stdout).unwrap();
        assert_eq!(
            (refused.status.code(), &said["code"]),
            (Some(1), &"breaker_open".into())
        );
        let fresh = Place::new();
        fs::remove_dir_all(place.folder.path().join(".local")).unwrap();
        fs::rename(
            fresh.folder.path().join(".local"),
            place.folder.path().join(".local"),
        )
        .unwrap();
    }
    fs::remove_dir_all(place.folder.path().join(".local")).unwrap();
    let refused = place.exec("touch ran");
    assert_eq!(refused.status.code(), Some(3));
    assert!(!place.project().join("ran").exists());
}

#[test]
fn a_stop_in_its_scope_ends_the_whole_group() {
    let place = Place::new();
    for scope in [
        "task:T",
        "mission:task-T",
        "agent:exec:T",
        "project",
        "fleet",
    ] {
        let mut child = place.start(&[
            "exec",
            "--task",
            "T",
            "--",
            "sh",
            "-c",
            "sleep 600 & echo $!; wait",
        ]);
        let (sleeper, _output) = first_line(&mut child);
        assert!(test_kill_process(pid(&sleeper)).is_ok());
        // One of another scope is nobody's business here.
        assert!(
            place
                .run(&["stop", "--scope", "task:other"])
                .status
                .success()
        );
        assert!(child.try_wait().unwrap().is_none());
        let asked = Instant::now();
        assert!(
            place
                .run(&["stop", "--scope", scope, "--reason", "enough"])
                .status
                .success()
        );
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(143), "{scope}");
        assert!(
            asked.elapsed() < Duration::from_secs(4),
            "{scope}: {:?}",
            asked.elapsed()
        );
        wait("the end of the group", || {
            test_kill_process(pid(&sleeper)).is_err()
        });
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(
            said.contains("ended: ") && said.contains("enough"),
            "{said}"
        );
        let row = &place.agents()[0];
        assert_eq!(
            (row["state"].as_str(), row["refused"].as_u64()),
            (Some("ended"), Some(1))
        );
        // It was ended, and did not fail: no try, and no leak.
        assert!(place.attempts().is_empty());
        let home = place.folder.path().join(".local");
        fs::remove_dir_all(home).unwrap();
        assert!(place.run(&["init"]).status.success());
    }
}

#[test]
fn whoever_does_not_end_is_killed() {
    let place = Place::new();
    let line = "trap '' TERM; echo $$; while :; do sleep 600; done";
    let mut child = place.start(&["exec", "--task", "T", "--", "sh", "-c", line]);
    let (own, _output) = first_line(&mut child);
    let asked = Instant::now();
    assert!(place.run(&["stop"]).status.success());
    assert_eq!(child.wait().unwrap().code(), Some(137));
    assert!(asked.elapsed() >= Duration::from_secs(5));
    wait("the end", || test_kill_process(pid(&own)).is_err());
}

#[test]
fn a_stop_works_with_a_store_that_is_gone() {
    let place = Place::new();
    let mut child = place.start(&[
        "exec",
        "--task",
        "T",
        "--",
        "sh",
        "-c",
        "echo up; exec sleep 600",
    ]);
    let (_, _output) = first_line(&mut child);
    let store = place.folder.path().join(".local/state/watchfloor/store.db");
    fs::write(&store, "not a store any more").unwrap();
    place.run(&["stop"]);
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn signals_are_handed_on_and_make_no_try() {
    let place = Place::new();
    let line = "trap 'echo got; exit 9' INT TERM; echo up; while :; do sleep 0.01; done";
    for signal in [Signal::TERM, Signal::INT] {
        let mut child = place.start(&["exec", "--task", "T", "--", "sh", "-c", line]);
        let (up, mut output) = first_line(&mut child);
        assert_eq!(up, "up");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut said = String::new();
        output.read_to_string(&mut said).unwrap();
        assert_eq!(
            (said.as_str(), child.wait().unwrap().code()),
            ("got\n", Some(9))
        );
    }
    assert!(place.attempts().is_empty());
}

#[test]
fn what_a_signal_from_outside_ends_is_unknown_and_a_crash_is_a_failure() {
    let place = Place::new();
    // By name, and handed on by whoever watches it.
    for signal in ["KILL", "USR1", "TERM", "ALRM"] {
        let said = place.exec(&format!("kill -{signal} $$"));
        assert!(said.status.code().unwrap() > 128, "{signal}");
    }
    let mut child = place.start(&[
        "exec",
        "--task",
        "T",
        "--",
        "sh",
        "-c",
        "echo up; exec sleep 600",
    ]);
    let (_, _output) = first_line(&mut child);
    kill_process(Pid::from_child(&child), Signal::USR1).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(138));
    assert!(place.attempts().is_empty());
    let told = text(&place.run(&["--json", "tail"]).stdout);
    let seen: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["schema"] == "watchfloor.tool_seen.v1")
        .map(|row| row["body"].clone())
        .collect();
    assert_eq!(seen.len(), 5);
    for body in &seen {
        assert_eq!(
            (&body["failed"], &body["unknown"]),
            (&false.into(), &true.into()),
            "{body}"
        );
    }
    // A program that goes on after one and then fails has failed by itself.
    let said = place.exec("trap : USR1; kill -USR1 $$; exit 3");
    assert_eq!(said.status.code(), Some(3));
    assert_eq!(place.attempts().len(), 1);
    // What the system ends for what it did is its own failure, too.
    fs::write(place.project().join("a.txt"), "line 1\n").unwrap();
    assert_eq!(place.exec("kill -SEGV $$").status.code(), Some(139));
    assert_eq!(place.attempts().len(), 2);
}

#[test]
fn an_agent_whose_processes_were_killed_has_ended() {
    let place = Place::new();
    let mut child = place.start(&[
        "exec",
        "--task",
        "T",
        "--",
        "sh",
        "-c",
        "echo $$; exec sleep 600",
    ]);
    let (below, _output) = first_line(&mut child);
    let agent = || {
        let status = place.run(&["--json", "status"]).stdout;
        let status: Value = serde_json::from_slice(&status).unwrap();
        status["agents"][0].clone()
    };
    let begun = Instant::now();
    // Registered anew once the command has a process.
    while agent()["pid"].as_u64() != below.trim().parse().ok() {
        assert!(begun.elapsed() < LIMIT);
    }
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert_eq!(agent()["state"], "working", "its command runs on");
    kill_process(pid(&below), Signal::KILL).unwrap();
    while agent()["state"] == "working" {
        assert!(begun.elapsed() < LIMIT);
    }
    // A reader sees it as it is, and the next sweep records it, once.
    assert_eq!(
        (&agent()["state"], &agent()["last_action"]),
        (
            &"ended".into(),
            &"session ended: its process is gone".into()
        )
    );
    for gone in [1, 0] {
        let swept: Value = serde_json::from_slice(&place.run(&["--json", "tick"]).stdout).unwrap();
        assert_eq!(swept["sessions_gone"], gone);
    }
    assert_eq!(agent()["state"], "ended");
    let last = text(&place.run(&["--json", "tail", "--limit", "1"]).stdout);
    let last: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(
        (&last["body"]["moment"], &last["task"]),
        (&"gone".into(), &"T".into())
    );
    assert!(place.attempts().is_empty(), "nobody knows what it came to");
    // The name is free again.
    assert!(place.exec("true").status.success());
    assert_eq!(agent()["agent"], "exec:T");
}

#[test]
fn who_is_left_behind_holds_nothing_up() {
    let place = Place::new();
    let begun = Instant::now();
    let mut child = place.start(&["exec", "--", "sh", "-c", "sleep 600 & echo $!"]);
    let (left, _output) = first_line(&mut child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < LIMIT);
    kill_process(pid(&left), Signal::KILL).unwrap();
}

#[test]
fn a_secret_in_its_output_opens_the_breaker_and_ends_it() {
    let place = Place::new();
    let key = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    fs::write(place.project().join("k"), format!("key={key}\n")).unwrap();
    let said = place.exec("cat k; exec sleep 600");
    assert_eq!(
        (said.status.code(), text(&said.stdout)),
        (Some(143), format!("key={key}\n"))
    );
    let breaker = &place.breakers()[0];
    assert_eq!(
        (breaker["triggers"][0].as_str(), breaker["scope"].as_str()),
        (Some("secret"), Some("mission:task-T"))
    );
    let records = text(&place.run(&["--json", "tail"]).stdout);
    assert!(!records.contains(key));
}

#[test]
fn an_output_of_any_length_takes_no_more_memory() {
    let place = Place::new();
    let full = std::env::var_os("WATCHFLOOR_FULL_SIZE").is_some();
    let size: u64 = if full { 1 << 30 } else { 24 << 20 };
    let line = format!("yes 'a line of some output' | head -c {size}; exit 4");
    let mut child = place.start(&["exec", "--task", "T", "--", "sh", "-c", &line]);
    let mut output = child.stdout.take().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let begun = Instant::now();
    let (mut seen, mut most, mut chunk) = (0, 0, vec![0; 1 << 16]);
    loop {
        let read = output.read(&mut chunk).unwrap();
        if read == 0 {
            break;
        }
        seen += read as u64;
        let status = fs::read_to_string(&status).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(peak.unwrap_or(0_u64));
    }
    assert_eq!((seen, child.wait().unwrap().code()), (size, Some(4)));
    println!(
        "{} MiB in {:?}, at most {most} kB",
        size >> 20,
        begun.elapsed()
    );
    assert!(most < 64 << 10, "{most} kB");
    assert_eq!(place.attempts()[0]["result"], "FAIL");
}
