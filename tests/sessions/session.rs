//! One hooked session in a real repository, as Claude Code or pi would tell of it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What happens in a session.
#[derive(Clone, Debug)]
pub enum Step {
    /// A person speaks.
    Prompt(&'static str),
    /// The edit tool writes a file.
    Edit(String, String),
    /// The read tool reads one.
    Read(&'static str),
    /// A shell command whose outcome is told here: exit code and what it says.
    Told(String, i32, String),
    /// A shell command that writes a file.
    Writes(String, String),
    /// A shell command that is really run; its exit code is what it is.
    Runs(&'static str),
    /// A verb of the product, called by the agent in its shell.
    Ours(&'static str),
}

pub struct Session {
    folder: tempfile::TempDir,
    harness: &'static str,
    calls: usize,
}

impl Session {
    pub fn new(harness: &'static str, config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let session = Self {
            folder,
            harness,
            calls: 0,
        };
        fs::create_dir_all(session.project().join("src")).unwrap();
        fs::create_dir_all(session.config().parent().unwrap()).unwrap();
        fs::write(session.config(), config).unwrap();
        for file in ["src/cart.py", "src/price.py", "src/lib.rs", "README.md"] {
            fs::write(session.project().join(file), "one\ntwo\nthree\n").unwrap();
        }
        for line in [
            "git init -q -b main",
            "git config user.name dev",
            "git config user.email dev@example.invalid",
            "git config commit.gpgsign false",
            "git add -A",
            "git commit -qm start",
            "git checkout -q -b topic",
        ] {
            assert_eq!(session.really(line).0, 0, "{line}");
        }
        session.watchfloor(&["init"], "");
        let start = if session.is_pi() {
            "session_start"
        } else {
            "SessionStart"
        };
        session.hook(start, &json!({}));
        session
    }

    fn is_pi(&self) -> bool {
        self.harness == "pi"
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join(".config/watchfloor/config.toml")
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("GIT_EDITOR", "true")
            .env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    fn watchfloor(&self, words: &[&str], input: &str) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_watchfloor"));
        let mut child = self
            .command(binary)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        drop(stdin.write_all(input.as_bytes()));
        drop(stdin);
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{words:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// Runs a line for real: exit code, and both streams.
    fn really(&self, line: &str) -> (i32, String) {
        let done = self
            .command(Path::new("sh"))
            .args(["-c", line])
            .output()
            .unwrap();
        let text = [done.stdout, done.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (done.status.code().unwrap_or(1), text)
    }

    fn hook(&self, event: &str, fields: &Value) -> String {
        let mut payload = fields.clone();
        payload["session_id"] = json!("s-1");
        payload["cwd"] = json!(self.project());
        let key = if self.is_pi() {
            "type"
        } else {
            "hook_event_name"
        };
        payload[key] = json!(event);
        self.watchfloor(&["hook", self.harness, event], &payload.to_string())
    }

    /// Plays a step. Answers what it was refused with.
    pub fn play(&mut self, step: &Step) -> Option<String> {
        match step {
            Step::Prompt(text) => {
                if self.is_pi() {
                    self.hook("input", &json!({"text": text, "source": "interactive"}));
                } else {
                    self.hook("UserPromptSubmit", &json!({"prompt": text}));
                }
                None
            }
            Step::Edit(file, content) => {
                let input = json!({"file_path": file, "path": file, "content": content});
                self.call(("Write", "write"), &input, |session| {
                    session.write(file, content);
                    (0, "written".to_owned())
                })
            }
            Step::Read(file) => {
                let input = json!({"file_path": file, "path": file});
                self.call(("Read", "read"), &input, |_| (0, "one\n".to_owned()))
            }
            Step::Told(command, code, text) => self.shell(command, |_| (*code, text.clone())),
            Step::Writes(file, content) => {
                let command = format!("sed -i 's/one/other/' {file}");
                self.shell(&command, |session| {
                    session.write(file, content);
                    (0, String::new())
                })
            }
            Step::Runs(command) => self.shell(command, |session| session.really(command)),
            Step::Ours(command) => {
                let words: Vec<&str> = command.split(' ').skip(1).collect();
                self.shell(command, |session| (0, session.watchfloor(&words, "")))
            }
        }
    }

    fn write(&self, file: &str, content: &str) {
        let path = self.project().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn shell(
        &mut self,
        command: &str,
        does: impl FnOnce(&Self) -> (i32, String),
    ) -> Option<String> {
        self.call(("Bash", "bash"), &json!({"command": command}), does)
    }

    /// One tool call: asked about, made, and told of.
    fn call(
        &mut self,
        (claude, pi): (&str, &str),
        input: &Value,
        does: impl FnOnce(&Self) -> (i32, String),
    ) -> Option<String> {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let (before, mut call) = if self.is_pi() {
            let call = json!({"toolName": pi, "toolCallId": id, "input": input});
            ("tool_call", call)
        } else {
            let call = json!({"tool_name": claude, "tool_use_id": id, "tool_input": input});
            ("PreToolUse", call)
        };
        let said = self.hook(before, &call);
        if said.contains("Watchfloor: ") {
            return Some(said);
        }
        let (code, text) = does(self);
        let after = if self.is_pi() {
            call["content"] = json!([{"type": "text", "text": text}]);
            call["isError"] = json!(code != 0);
            call["structuredContent"] = json!({"exit_code": code});
            "tool_result"
        } else if code == 0 {
            call["tool_response"] = json!({"stdout": text, "stderr": "", "interrupted": false});
            "PostToolUse"
        } else {
            call["error"] = json!(format!("Exit code {code}\n{text}"));
            "PostToolUseFailure"
        };
        self.hook(after, &call);
        None
    }

    /// Every breaker in a line each; empty where none opened.
    pub fn breakers(&self) -> String {
        let list = self.watchfloor(&["--json", "breaker", "list"], "");
        let list: Value = serde_json::from_str(&list).unwrap();
        let lines: Vec<String> = list["breakers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| format!("{} {} {}", row["trigger"], row["scope"], row["reason"]))
            .collect();
        lines.join("\n")
    }
}
