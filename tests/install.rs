//! `install` and `uninstall` through the built program: every odd file comes back to the byte, what
//! cannot be read is left alone, and other hands' entries stay.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "pi", "opencode", "hermes"];

/// An empty home and a project.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        fs::create_dir_all(place.home()).unwrap();
        fs::create_dir_all(place.project().join(".git")).unwrap();
        place
    }

    fn with_store() -> Self {
        let place = Self::new();
        place.ok(&["init"]);
        place
    }

    fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    fn project(&self) -> PathBuf {
        self.base().join("project")
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_watchfloor"))
            .args(words)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap()
    }

    fn ok(&self, words: &[&str]) -> Value {
        let out = self.run(&[&["--json"], words].concat());
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success(), "{words:?}: {said}");
        serde_json::from_str(&said).unwrap()
    }

    fn refused(&self, words: &[&str]) -> Value {
        let out = self.run(&[&["--json"], words].concat());
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(!out.status.success(), "{words:?}: {said}");
        serde_json::from_str(&said).unwrap()
    }

    fn install(&self, agent: &str, user: bool) -> Value {
        self.ok(&words("install", agent, user))
    }

    fn uninstall(&self, agent: &str, user: bool) -> Value {
        self.ok(&words("uninstall", agent, user))
    }

    /// Every file and its bytes, links as links, but for the store's own folder.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        walk(&self.base(), &mut files);
        let store = self.home().join(".local");
        files.retain(|path, _| !path.starts_with(&store));
        files
    }
}

fn walk(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let mut said = format!("{:o} ", meta.permissions().mode()).into_bytes();
        if meta.is_symlink() {
            said.extend(fs::read_link(&path).unwrap().as_os_str().as_encoded_bytes());
        } else if meta.is_dir() {
            walk(&path, files);
        } else {
            said.extend(fs::read(&path).unwrap());
        }
        files.insert(path, said);
    }
}

fn words<'a>(verb: &'a str, agent: &'a str, user: bool) -> Vec<&'a str> {
    let mut words = vec![verb, agent, "--yes"];
    if user {
        words.push("--user");
        if verb == "install" {
            words.extend(["--without-acceptance", "a test"]);
        }
    }
    words
}

/// The files of an agent on one level, in the home or the project, and how they are written.
fn files_of(agent: &str, user: bool) -> Vec<(&'static str, &'static str)> {
    match (agent, user) {
        ("claude", true) => vec![(".claude/settings.json", "json"), (".claude.json", "json")],
        ("claude", false) => vec![(".claude/settings.json", "json"), (".mcp.json", "json")],
        ("codex", _) => vec![
            (".codex/hooks.json", "json"),
            (".codex/config.toml", "toml"),
        ],
        ("gemini", _) => vec![(".gemini/settings.json", "json")],
        ("pi", true) => vec![(".pi/agent/mcp.json", "json")],
        ("pi", false) => vec![(".pi/mcp.json", "json")],
        ("opencode", true) => vec![(".config/opencode/opencode.json", "json")],
        ("opencode", false) => vec![("opencode.json", "json")],
        ("hermes", _) => vec![
            (".hermes/config.yaml", "yaml"),
            (".hermes/shell-hooks-allowlist.json", "json"),
        ],
        _ => Vec::new(),
    }
}

/// 160 hooks of another tool, in every event that there is, and a server.
fn many_foreign() -> String {
    let mut hooks = serde_json::Map::new();
    for number in 0..160 {
        let events = ["PreToolUse", "BeforeTool", "PostToolUse", "Stop", "Other"];
        let event = events[number % events.len()];
        let group = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": format!("other --n {number}")}]});
        let list = hooks.entry(event).or_insert_with(|| json!([]));
        list.as_array_mut().unwrap().push(group);
    }
    let whole = json!({"z": 1, "hooks": hooks, "mcpServers": {"other": {"command": "o"}}, "a": [1.50, 1e3, "é"]});
    serde_json::to_string_pretty(&whole).unwrap()
}

fn odd_json() -> Vec<(String, String)> {
    let cases: [(&str, &str); 17] = [
        ("empty", ""),
        ("white", " \n\n"),
        ("object", "{}"),
        ("spread object", "{\n\n}\n"),
        ("no line end", "{\n  \"a\": 1\n}"),
        (
            "one line",
            r#"{"a":1,"hooks":{"PreToolUse":[]},"mcpServers":{}}"#,
        ),
        (
            "tabs",
            "{\n\t\"a\": {\n\t\t\"b\": [1, 2]\n\t},\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"hooks\": [ { \"type\": \"command\", \"command\": \"x\" } ] }\n\t\t]\n\t}\n}\n",
        ),
        (
            "crlf",
            "{\r\n    \"a\": 1,\r\n    \"mcpServers\": {\r\n        \"o\": {\"command\": \"o\"}\r\n    }\r\n}\r\n",
        ),
        (
            "comments",
            "// head\n{\n  // first\n  \"a\": 1, // of a\n  /* hooks */ \"hooks\": {\n    // none yet\n  },\n  \"mcp\": { /* no */ } // last\n}\n// foot\n",
        ),
        (
            "trailing commas",
            "{\n  \"a\": [1, 2,],\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []},\n    ],\n  },\n}\n",
        ),
        ("mark", "\u{feff}{\n  \"a\": 1\n}\n"),
        (
            "foreign doubles",
            "{\"a\": 1, \"a\": 2, \"b\": {\"x\": 1, \"x\": 2}}\n",
        ),
        (
            "odd numbers",
            "{\"n\": [1.0, 1.50, 1e400, -0, 123456789012345678901234567890]}",
        ),
        (
            "escapes",
            r#"{"k\u0065y": "\ud83d\ude00 \/ \u0000 // no comment", "hooks": {"St\u006fp": []}}"#,
        ),
        (
            "wide",
            "{      \"a\"   :1       ,\n\n\n\"b\" :   [ ] }   \n\n\n",
        ),
        ("null parts", "{\"a\": null, \"b\": [null, {}]}"),
        (
            "spaces by eight",
            "{\n        \"permissions\": {\n                \"allow\": []\n        }\n}",
        ),
    ];
    let mut cases: Vec<(String, String)> = cases
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    cases.push(("160 foreign hooks".to_owned(), many_foreign()));
    let mut huge = "{\n".to_owned();
    for number in 0..40_000 {
        writeln!(huge, "  \"key {number}\": \"{}\",", "x".repeat(60)).unwrap();
    }
    huge.push_str("  \"last\": []\n}\n");
    cases.push(("huge".to_owned(), huge));
    cases
}

fn odd_toml() -> Vec<(String, String)> {
    [
        ("empty", ""),
        ("no line end", "model = \"m\""),
        ("crlf", "model = \"m\"\r\n\r\n[a]\r\nb = 1\r\n"),
        (
            "comments",
            "# head\nmodel = \"m\" # of model\n\n[a] # of a\n# end\n",
        ),
        (
            "another's notify",
            "notify = [\"other\", \"--x\"]\n\n[mcp_servers.other]\ncommand = \"o\"\n",
        ),
        ("inline", "mcp_servers = { other = { command = \"o\" } }\n"),
        (
            "dotted",
            "mcp_servers.other.command = \"o\"\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
        ),
        (
            "super",
            "[mcp_servers]\n\n[mcp_servers.other]\ncommand = 'o'\n\n\n",
        ),
        ("mark", "\u{feff}a = 1\n"),
        (
            "odd values",
            "a = 0x1F\nd = 1979-05-27T07:32:00Z\ns = '''\nx\n'''\n[[t]]\nn = 1\n[[t]]\nn = 2\n",
        ),
        (
            "foreign trust",
            "[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n",
        ),
        ("blank", "\n\n  \n"),
    ]
    .iter()
    .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
    .collect()
}

fn odd_yaml() -> Vec<(String, String)> {
    [
        ("empty", ""),
        ("comment", "# nothing yet\n"),
        ("no line end", "model: m"),
        ("crlf", "model: m\r\nhooks:\r\n  pre_tool_call:\r\n    - command: x\r\n"),
        ("empty maps", "hooks: {}\nmcp_servers: {}\nmodel: m\n"),
        ("nothing", "hooks:\nmcp_servers: ~\nmodel: m\n"),
        ("indentless", "hooks:\n  pre_tool_call:\n  - command: x\n    timeout: 3\n  post_tool_call: []\n# end\n"),
        ("flow", "hooks: {pre_tool_call: [{command: x}]}\nmcp_servers: {other: {command: o, args: []}}\n"),
        ("wide", "model:\n      default: m   # c\nhooks:\n      pre_tool_call:\n            -   command: \"x\"\n\n\n"),
        ("blocks", "text: |\n  a\n   b\n\nfold: >-\n  c\n\n  d\nhooks:\n  on_session_end:\n    - command: >\n        x\n        y\n"),
        ("anchors", "base: &b\n  x: 1\nother:\n  <<: *b\n"),
        ("marked", "---\nmodel: m\n...\n"),
        ("mark", "\u{feff}model: m\n"),
        ("letters", "é: ü # ä\nhooks:\n  pre_tool_call:\n    - command: é\n"),
    ]
    .iter()
    .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
    .collect()
}

fn odd(kind: &str) -> Vec<(String, String)> {
    match kind {
        "json" => odd_json(),
        "toml" => odd_toml(),
        _ => odd_yaml(),
    }
}

/// Both levels of an agent, where it has both.
fn levels(agent: &str) -> &'static [bool] {
    if agent == "hermes" {
        &[true]
    } else {
        &[false, true]
    }
}

#[test]
fn every_odd_file_comes_back_to_the_byte() {
    for agent in AGENTS {
        for user in levels(agent) {
            let place = Place::with_store();
            let base = if *user { place.home() } else { place.project() };
            for (file, kind) in files_of(agent, *user) {
                let huge = (agent, file) == ("claude", ".claude/settings.json") && !user;
                for (name, text) in odd(kind).into_iter().filter(|odd| odd.0 != "huge" || huge) {
                    let path = base.join(file);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(&path, &text).unwrap();
                    let before = place.files();
                    let first = place.install(agent, *user);
                    let at = format!("{agent} {file} {name}");
                    assert_eq!(first["changed"], true, "{at}");
                    let with = place.files();
                    assert_ne!(fs::read(&path).unwrap(), text.as_bytes(), "{at}");
                    assert_eq!(place.install(agent, *user)["changed"], false, "{at}");
                    assert_eq!(place.files(), with, "{at}: twice is once");
                    place.uninstall(agent, *user);
                    assert!(place.files() == before, "{at}: not as it was");
                }
                fs::remove_file(base.join(file)).unwrap();
            }
        }
    }
}

#[test]
fn nothing_is_left_where_nothing_was() {
    for agent in AGENTS {
        for user in levels(agent) {
            let place = Place::with_store();
            let before = place.files();
            let made = place.install(agent, *user);
            assert!(
                made["files"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|file| file["state"] == "made"),
                "{made}"
            );
            place.uninstall(agent, *user);
            assert_eq!(place.files(), before, "{agent} {user}");
            assert_eq!(place.uninstall(agent, *user)["changed"], false);
        }
    }
}

#[test]
fn an_empty_file_of_the_users_own_is_given_back() {
    for (agent, file) in [
        ("pi", ".pi/agent/extensions/watchfloor.ts"),
        ("opencode", ".config/opencode/plugin/watchfloor.js"),
    ] {
        for text in ["", "\u{feff}"] {
            let place = Place::with_store();
            let path = place.home().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let before = place.files();
            let made = place.install(agent, true);
            assert_ne!(fs::read(&path).unwrap(), text.as_bytes(), "{made}");
            place.uninstall(agent, true);
            assert_eq!(place.files(), before, "{agent} {text:?}");
        }
    }
}

fn settings(place: &Place) -> PathBuf {
    place.project().join(".claude/settings.json")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn what_cannot_be_read_is_left_alone_and_told_with_its_line() {
    let cases = [
        (
            "claude",
            ".claude/settings.json",
            "{\n  \"a\": 1\n  \"b\": 2\n}\n",
            2,
        ),
        (
            "claude",
            ".claude/settings.json",
            "{\n  \"hooks\": []\n}\n",
            2,
        ),
        (
            "claude",
            ".claude/settings.json",
            "{\n  \"hooks\": {\n    \"PreToolUse\": {\"0\": {}}\n  }\n}\n",
            3,
        ),
        (
            "claude",
            ".claude/settings.json",
            "{\n  \"hooks\": {},\n  \"hooks\": {}\n}\n",
            3,
        ),
        ("claude", ".claude/settings.json", "[\n]\n", 1),
        (
            "claude",
            ".claude/settings.json",
            "{\"hooks\": {\n\"Stop\": null}}",
            2,
        ),
        ("claude", ".mcp.json", "{\"mcpServers\": \"none\"}", 1),
        (
            "claude",
            ".mcp.json",
            "{\"mcpServers\": {\n\"watchfloor\": {\"command\": \"other\"}}}",
            2,
        ),
        ("gemini", ".gemini/settings.json", "{\"hooks\": true}", 1),
        ("codex", ".codex/hooks.json", "hooks:\n  - a\n", 1),
        ("codex", ".codex/config.toml", "a = 1\nb =\n", 2),
        ("codex", ".codex/config.toml", "a = 1\nmcp_servers = 3\n", 2),
        ("codex", ".codex/config.toml", "a = 1\na = 2\n", 2),
        ("pi", ".pi/mcp.json", "{", 1),
        ("opencode", "opencode.json", "{'a': 1}", 1),
    ];
    for (agent, file, text, line) in cases {
        let place = Place::new();
        let path = place.project().join(file);
        write(&path, text);
        let before = place.files();
        for verb in ["install", "uninstall"] {
            let out = place.run(&[&["--json"], &words(verb, agent, false)[..]].concat());
            let said: Value = serde_json::from_slice(&out.stdout).unwrap();
            if verb == "uninstall" && out.status.success() {
                assert_eq!(said["changed"], false, "{text}");
                continue;
            }
            assert_eq!(said["code"], "install_unreadable", "{text}: {said}");
            let named = format!("{}:{line}: ", path.display());
            let cause = said["cause"].as_str().unwrap();
            assert!(cause.contains(&named), "{text}: {cause}");
        }
        assert_eq!(place.files(), before, "{text}");
    }
    let hermes = [
        ("hooks:\n  - a\n", 2),
        ("a: [\n", 2),
        ("hooks:\n  pre_tool_call: x\n", 2),
        ("a: 1\n---\nb: 1\n", 2),
    ];
    for (text, line) in hermes {
        let place = Place::with_store();
        let path = place.home().join(".hermes/config.yaml");
        write(&path, text);
        let said = place.refused(&words("install", "hermes", true));
        assert_eq!(said["code"], "install_unreadable", "{text}");
        let cause = said["cause"].as_str().unwrap();
        assert!(
            cause.contains(&format!("config.yaml:{line}: ")),
            "{text}: {cause}"
        );
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn bytes_that_are_no_text_and_files_that_are_no_files_are_refused() {
    let place = Place::new();
    let path = settings(&place);
    write(&path, "");
    fs::write(&path, b"{\n\"a\": \"\xff\"}").unwrap();
    let said = place.refused(&words("install", "claude", false));
    assert!(said["cause"].as_str().unwrap().contains("line 2"), "{said}");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(
        place.refused(&words("install", "claude", false))["code"],
        "install_unreadable"
    );
    fs::remove_dir(&path).unwrap();
    symlink("nowhere", &path).unwrap();
    assert_eq!(
        place.refused(&words("install", "claude", false))["code"],
        "install_unreadable"
    );
    assert!(!place.project().join(".mcp.json").exists());
}

#[test]
fn read_only_files_and_folders_are_refused() {
    let place = Place::new();
    let path = settings(&place);
    write(&path, "{}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let before = place.files();
    assert_eq!(
        place.refused(&words("install", "claude", false))["code"],
        "install_readonly"
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let folder = path.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(
        place.refused(&words("install", "claude", false))["code"],
        "install_readonly"
    );
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(place.files(), before);
}

#[test]
fn a_link_stays_a_link_and_modes_stay() {
    let place = Place::new();
    let path = settings(&place);
    let real = place.home().join("dotfiles/claude.json");
    write(&real, "{\n\t\"a\": 1\n}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(&real, &path).unwrap();
    let before = place.files();
    place.install("claude", false);
    assert_eq!(fs::read_link(&path).unwrap(), real);
    let mode = fs::metadata(&real).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(fs::read_to_string(&real).unwrap().contains("PreToolUse"));
    place.uninstall("claude", false);
    assert_eq!(place.files(), before);
}

#[test]
fn entries_of_others_stay_whatever_became_of_the_file() {
    let place = Place::new();
    let path = settings(&place);
    write(
        &path,
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"one\"}]}\n    ]\n  }\n}\n",
    );
    place.install("claude", false);
    // Ours are moved: into one group with a foreign one, and behind it in another order.
    let mut held: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let ours = held["hooks"]["Stop"][1]["hooks"][0].take();
    held["hooks"]["Stop"] = json!([{"matcher": "x", "hooks": [
        {"type": "command", "command": "two"}, ours, {"type": "command", "command": "three"}]}]);
    held["theirs"] = json!([1]);
    write(&path, &serde_json::to_string(&held).unwrap());
    assert_eq!(
        place.install("claude", false)["changed"],
        false,
        "moved is not missing"
    );
    place.uninstall("claude", false);
    let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let wanted = json!({"hooks": {"Stop": [{"matcher": "x", "hooks": [
        {"type": "command", "command": "two"}, {"type": "command", "command": "three"}]}]}, "theirs": [1]});
    assert_eq!(left, wanted);
}

#[test]
fn what_somebody_added_meanwhile_stays_in_every_form() {
    for (agent, user, file, text, addition) in [
        (
            "claude",
            false,
            ".claude/settings.json",
            "{\n  \"a\": 1 // one\n}\n",
            "",
        ),
        (
            "gemini",
            true,
            ".gemini/settings.json",
            "{\n\t\"a\": 1\n}",
            "",
        ),
        (
            "hermes",
            true,
            ".hermes/config.yaml",
            "model: m # m\nhooks:\n  pre_tool_call:\n    - command: x\n",
            "later: 1 # l\n",
        ),
        (
            "codex",
            true,
            ".codex/config.toml",
            "notify = [\"other\"] # n\n\n[mcp_servers.other]\ncommand = \"o\"\n",
            "\n# theirs\n[later]\na = 1\n",
        ),
    ] {
        let place = Place::with_store();
        let base = if user { place.home() } else { place.project() };
        let path = base.join(file);
        write(&path, text);
        place.install(agent, user);
        let with = fs::read_to_string(&path).unwrap();
        let (edited, expected) = if addition.is_empty() {
            (
                with.replacen('{', "{ \"z\": [2],", 1),
                text.replacen('{', "{ \"z\": [2],", 1),
            )
        } else {
            (format!("{with}{addition}"), format!("{text}{addition}"))
        };
        write(&path, &edited);
        place.uninstall(agent, user);
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{agent}");
    }
}

#[test]
fn a_backup_is_made_once_and_goes_when_it_says_nothing_more() {
    let place = Place::new();
    let path = settings(&place);
    let backup = path.with_file_name("settings.json.watchfloor-backup");
    write(&path, "{\"first\": 1}");
    let made = place.install("claude", false);
    assert_eq!(made["files"][0]["backup"], backup.display().to_string());
    assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"first\": 1}");
    let with = fs::read_to_string(&path).unwrap();
    write(&path, &with.replacen("first", "second", 1));
    place.uninstall("claude", false);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"second\": 1}");
    assert!(backup.exists(), "it holds what the file does not");
    place.install("claude", false);
    place.uninstall("claude", false);
    assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"first\": 1}");
    write(&path, "{\"first\": 1}");
    place.install("claude", false);
    place.uninstall("claude", false);
    assert!(!backup.exists());
}

#[test]
fn without_a_yes_nothing_is_written() {
    let place = Place::new();
    let before = place.files();
    let said = place.refused(&["install", "claude"]);
    assert_eq!(said["code"], "install_unconfirmed");
    assert_eq!(place.files(), before);
    let out = place.run(&["install", "claude"]);
    let shown = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        shown.contains("+++ ") && shown.contains("\"onFailure\": \"block\""),
        "{shown}"
    );
    assert_eq!(
        place.refused(&["install", "emacs", "--yes"])["code"],
        "usage"
    );
    assert_eq!(
        place.refused(&["uninstall", "hermes", "--yes"])["next_command"],
        "watchfloor uninstall hermes --user"
    );
    assert_eq!(
        place.refused(&["install", "hermes", "--yes"])["code"],
        "usage"
    );
}

#[test]
fn a_user_level_install_wants_a_proof_or_a_recorded_reason() {
    let place = Place::with_store();
    let said = place.refused(&["install", "claude", "--user", "--yes"]);
    assert_eq!(said["code"], "acceptance_missing");
    let bare = Place::new();
    let asked = [
        "install",
        "claude",
        "--user",
        "--yes",
        "--without-acceptance",
        "try it",
    ];
    assert_eq!(bare.refused(&asked)["code"], "store_missing");
    assert_eq!(place.ok(&asked)["recorded"], true);
    let log = place.run(&["--json", "tail"]);
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(
        log.contains("watchfloor.installed.v1") && log.contains("try it"),
        "{log}"
    );
}

#[test]
fn by_hand_is_known_and_not_doubled() {
    let place = Place::new();
    let path = settings(&place);
    let text = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{\"type\": \"command\", \"command\": \"watchfloor\", \"args\": [\"hook\", \"claude\", \"PreToolUse\"]}]}]}}";
    write(&path, text);
    let made = place.install("claude", false);
    let notes = made["notes"].to_string();
    assert!(
        notes.contains("settings.json:2 calls watchfloor on PreToolUse by hand"),
        "{notes}"
    );
    let held: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(held["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
    assert_eq!(held["hooks"]["PostToolUse"].as_array().unwrap().len(), 1);
    assert_eq!(place.install("claude", false)["changed"], false);
    place.uninstall("claude", false);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_store_of_ones_own_is_that_of_the_hooks() {
    let place = Place::new();
    let store = place.base().join("it's here/s.db");
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    let store = store.display().to_string();
    place.ok(&["--store", &store, "init"]);
    for agent in ["claude", "codex", "gemini", "pi"] {
        place.ok(&["--store", &store, "install", agent, "--yes"]);
        let again = place.ok(&["--store", &store, "install", agent, "--status"]);
        assert_eq!(again["files"][0]["state"], "installed", "{agent}: {again}");
        let other = place.ok(&["install", agent, "--status"]);
        assert_eq!(other["files"][0]["state"], "otherwise", "{agent}");
    }
}

#[test]
fn to_observe_is_the_projects_mode_and_goes_with_the_last_uninstall() {
    let place = Place::new();
    let config = place.home().join(".config/watchfloor/config.toml");
    let text = "# mine\n[guard]\nproduction = [\"p\"]\n";
    write(&config, text);
    place.ok(&["install", "claude", "--yes", "--observe"]);
    place.install("gemini", false);
    let held = fs::read_to_string(&config).unwrap();
    let table = format!(
        "[project.\"{}\"]\nmode = \"observe\"\n",
        place.project().display()
    );
    assert!(held.starts_with(text) && held.contains(&table), "{held}");
    place.ok(&["limits", "show"]);
    place.uninstall("claude", false);
    assert_eq!(
        fs::read_to_string(&config).unwrap(),
        held,
        "gemini is still there"
    );
    place.uninstall("gemini", false);
    assert_eq!(fs::read_to_string(&config).unwrap(), text);
    write(&config, &table.replace("observe", "enforce"));
    let said = place.refused(&["install", "claude", "--yes", "--observe"]);
    assert_eq!(said["code"], "install_unreadable", "{said}");
}

fn git(place: &Place, words: &[&str]) -> bool {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"];
    Command::new("git")
        .args([&who[..], words].concat())
        .current_dir(place.project())
        .env_clear()
        .env("HOME", place.home())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
        .status
        .success()
}

#[test]
fn git_asks_too_and_a_former_hook_runs_behind() {
    let place = Place::with_store();
    fs::remove_dir(place.project().join(".git")).unwrap();
    assert!(git(&place, &["init", "-q"]));
    let hooks = place.project().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let former = hooks.join("pre-commit");
    fs::write(&former, "#!/bin/sh\necho ran >> ran.txt\n").unwrap();
    fs::set_permissions(&former, fs::Permissions::from_mode(0o700)).unwrap();
    let before = place.files();
    place.install("git", false);
    assert_eq!(place.install("git", false)["changed"], false);
    fs::write(place.project().join("a"), "1").unwrap();
    assert!(git(&place, &["add", "a"]) && git(&place, &["commit", "-qm", "one"]));
    let ran = place.project().join("ran.txt");
    assert_eq!(fs::read_to_string(&ran).unwrap(), "ran\n");
    place.ok(&["stop", "--reason", "wrong branch"]);
    fs::write(place.project().join("a"), "2").unwrap();
    assert!(
        !git(&place, &["commit", "-qam", "two"]),
        "a stop is in force"
    );
    assert_eq!(fs::read_to_string(&ran).unwrap(), "ran\n");
    let out = place.run(&["hook", "git", "pre-push"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.code() == Some(1) && said.contains("wrong branch"),
        "{said}"
    );
    place.uninstall("git", false);
    let hooks_now = |files: BTreeMap<PathBuf, Vec<u8>>| -> BTreeMap<_, _> {
        files
            .into_iter()
            .filter(|(path, _)| path.starts_with(&hooks))
            .collect()
    };
    assert_eq!(hooks_now(place.files()), hooks_now(before));
    let shared = place.home().join("hooks");
    fs::create_dir_all(&shared).unwrap();
    assert!(git(
        &place,
        &["config", "core.hooksPath", shared.to_str().unwrap()]
    ));
    assert_eq!(
        place.refused(&words("install", "git", false))["code"],
        "usage"
    );
    place.install("git", true);
    assert!(shared.join("pre-push").exists());
    place.uninstall("git", true);
    assert_eq!(fs::read_dir(&shared).unwrap().count(), 0);
}

#[test]
fn a_store_that_cannot_answer_lets_no_commit_through() {
    let place = Place::new();
    let out = place.run(&["hook", "git", "pre-commit"]);
    assert!(!out.status.success());
    let place = Place::with_store();
    assert!(place.run(&["hook", "git", "pre-commit"]).status.success());
    fs::write(
        place.home().join(".local/state/watchfloor/store.flags"),
        "x",
    )
    .unwrap();
    assert!(!place.run(&["hook", "git", "pre-commit"]).status.success());
}

#[test]
fn doctor_tells_of_every_program_and_runs_none_that_is_not_there() {
    let place = Place::with_store();
    place.install("claude", false);
    let told = place.ok(&["doctor"]);
    let rows = told["harnesses"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[0]["harness"], "claude");
    assert_eq!(rows[0]["found"], false);
    assert_eq!(rows[0]["levels"][1]["state"], "installed");
    assert!(rows.iter().all(|row| row["lamp"] == "UNPROVEN"), "{told}");
    assert_eq!(
        place.refused(&["doctor", "--prove", "claude"])["code"],
        "not_found"
    );
    assert_eq!(
        place.refused(&["doctor", "--prove", "git"])["code"],
        "usage"
    );
}

/// MCP entries that somebody wrote by hand: the agent, its level, the file and what it holds.
const SERVERS_BY_HAND: [(&str, bool, &str, &str); 13] = [
    (
        "claude",
        false,
        ".mcp.json",
        "{\"mcpServers\": {\n  \"watchfloor\": {\"command\": \"watchfloor\", \"args\": [\"mcp\"], \"env\": {\"A\": \"1\"}}}}\n",
    ),
    (
        "claude",
        true,
        ".claude.json",
        "{\"n\": 1, \"mcpServers\": {\"watchfloor\": {\"type\": \"stdio\", \"command\": \"watchfloor\", \"args\": [\"mcp\"]}}}",
    ),
    (
        "claude",
        false,
        ".mcp.json",
        "{\"mcpServers\": {\"watchfloor\": {\"url\": \"http://127.0.0.1:1/mcp\"}}}",
    ),
    (
        "codex",
        false,
        ".codex/config.toml",
        "# c\n[mcp_servers.watchfloor]\ncommand = \"watchfloor\"\nargs = [\"mcp\"]\ntool_timeout_sec = 120\n",
    ),
    (
        "codex",
        true,
        ".codex/config.toml",
        "[mcp_servers.watchfloor]\ncommand = \"z\"\nargs = [\"mcp\"]\n[mcp_servers.watchfloor.env]\nA = \"1\"\n",
    ),
    (
        "codex",
        false,
        ".codex/config.toml",
        "mcp_servers = { watchfloor = { command = \"watchfloor\", args = [\"mcp\"] } }\n",
    ),
    (
        "codex",
        false,
        ".codex/config.toml",
        "mcp_servers.watchfloor.command = \"watchfloor\"\nmcp_servers.watchfloor.args = [\"mcp\"]\n",
    ),
    (
        "gemini",
        false,
        ".gemini/settings.json",
        "{\"mcpServers\": {\"watchfloor\": {\"command\": \"watchfloor\", \"args\": [\"mcp\"], \"trust\": true}}}",
    ),
    (
        "gemini",
        true,
        ".gemini/settings.json",
        "{\n  // mine\n  \"mcpServers\": {\"watchfloor\": {\"command\": \"watchfloor\", \"args\": [\"mcp\"]}}\n}\n",
    ),
    (
        "opencode",
        false,
        "opencode.json",
        "{\"mcp\": {\"watchfloor\": {\"type\": \"local\", \"command\": [\"watchfloor\", \"mcp\"], \"enabled\": false}}}",
    ),
    (
        "pi",
        false,
        ".pi/mcp.json",
        "{\"mcpServers\": {\"watchfloor\": {\"command\": \"watchfloor\", \"args\": [\"mcp\"], \"exposure\": \"search\"}}}",
    ),
    (
        "pi",
        true,
        ".pi/agent/mcp.json",
        "{\"mcpServers\": {\"watchfloor\": {\"command\": \"watchfloor\", \"args\": [\"mcp\"], \"exposure\": \"search\"}}}",
    ),
    (
        "hermes",
        true,
        ".hermes/config.yaml",
        "model: m\nmcp_servers:\n  watchfloor:\n    command: watchfloor\n    args: [mcp]\n    timeout: 9 # long\n",
    ),
];

#[test]
fn a_server_by_hand_is_told_and_stays_to_the_byte() {
    for (agent, user, file, text) in SERVERS_BY_HAND {
        let place = Place::with_store();
        let base = if user { place.home() } else { place.project() };
        let path = base.join(file);
        write(&path, text);
        let before = place.files();
        let at = format!("{agent} {file} {text}");
        let mut asked = vec!["install", agent, "--status"];
        asked.extend(user.then_some("--user"));
        let status = place.ok(&asked);
        let named = path.display().to_string();
        let rows = status["files"].as_array().unwrap();
        let row = rows.iter().find(|row| row["path"] == *named);
        assert_eq!(row.unwrap()["state"], "by hand", "{at}: {status}");
        place.uninstall(agent, user);
        assert_eq!(place.files(), before, "{at}: nothing of it is ours");
        let made = place.install(agent, user);
        assert_eq!(made["changed"], true, "{at}");
        assert!(
            made["notes"].to_string().contains("by hand"),
            "{at}: {made}"
        );
        let with = fs::read_to_string(&path).unwrap();
        if text.contains("mcpServers") && agent == "gemini" {
            assert!(
                with.contains("BeforeTool") && with.contains("\"mcp\"]"),
                "{with}"
            );
        } else if agent == "hermes" {
            assert!(with.starts_with(text.trim_end()), "{with}");
        } else {
            assert_eq!(with, text, "{at}");
        }
        assert_eq!(
            with.matches("\"mcp\"").count() + with.matches("[mcp]").count(),
            text.matches("\"mcp\"").count() + text.matches("[mcp]").count(),
            "{at}: {with}"
        );
        assert_eq!(place.install(agent, user)["changed"], false, "{at}");
        let status = place.ok(&asked);
        assert_eq!(status["files"][0]["state"], "installed", "{at}: {status}");
        assert!(
            status["notes"].to_string().contains("by hand"),
            "{at}: {status}"
        );
        place.uninstall(agent, user);
        assert_eq!(place.files(), before, "{at}: not as it was");
    }
}

#[test]
fn a_server_of_that_name_that_runs_something_else_is_refused() {
    for (agent, file, text) in [
        (
            "claude",
            ".mcp.json",
            "{\"mcpServers\": {\n\"watchfloor\": {\"command\": \"z\", \"args\": [\"serve\"]}}}",
        ),
        (
            "codex",
            ".codex/config.toml",
            "a = 1\n[mcp_servers.watchfloor]\ncommand = \"z\"\n",
        ),
        (
            "opencode",
            "opencode.json",
            "{\"mcp\": {\n\"watchfloor\": {\"type\": \"local\", \"command\": [\"z\"]}}}",
        ),
    ] {
        let place = Place::with_store();
        let path = place.project().join(file);
        write(&path, text);
        let before = place.files();
        let said = place.refused(&words("install", agent, false));
        assert_eq!(said["code"], "install_unreadable", "{said}");
        assert!(
            said["cause"]
                .as_str()
                .unwrap()
                .contains(&format!("{file}:2: ")),
            "{said}"
        );
        assert_eq!(place.uninstall(agent, false)["changed"], false);
        assert_eq!(place.files(), before);
        place.ok(&["install", agent, "--yes", "--no-mcp"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

/// Gives the hook of Claude Code a payload.
fn hook(place: &Place, event: &str, call: &str) -> Output {
    let payload = json!({"session_id": "s1", "hook_event_name": event, "cwd": place.project(),
        "tool_name": "Bash", "tool_input": {"command": "touch x"}, "tool_use_id": call,
        "tool_response": {"stdout": ""}});
    let mut child = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
        .args(["hook", "claude", event])
        .current_dir(place.project())
        .env_clear()
        .env("HOME", place.home())
        .env("PATH", "/usr/bin:/bin")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        payload.to_string().as_bytes(),
    )
    .unwrap();
    child.wait_with_output().unwrap()
}

/// The doctor's row of a program that is there, in whatever version.
fn row(place: &Place, agent: &str) -> Value {
    let program = place.base().join(format!("bin/{agent}"));
    if !program.exists() {
        write(&program, "#!/bin/sh\necho 9.9.9\n");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let out = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
        .args(["--json", "doctor"])
        .current_dir(place.project())
        .env_clear()
        .env("HOME", place.home())
        .env("PATH", "/usr/bin:/bin")
        .env(format!("WATCHFLOOR_{}", agent.to_uppercase()), &program)
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let rows = told["harnesses"].as_array().unwrap();
    rows.iter()
        .find(|row| row["harness"] == agent)
        .unwrap()
        .clone()
}

#[test]
fn hooks_that_are_switched_off_are_told_and_prove_nothing() {
    for (agent, user, file, text) in [
        (
            "claude",
            false,
            ".claude/settings.json",
            "{\"disableAllHooks\": true}",
        ),
        (
            "claude",
            true,
            ".claude/settings.json",
            "{\"disableAllHooks\": true}",
        ),
        (
            "claude",
            false,
            ".claude/settings.local.json",
            "{\"disableAllHooks\": true}",
        ),
        (
            "codex",
            false,
            ".codex/config.toml",
            "[features]\nhooks = false\n",
        ),
        (
            "codex",
            true,
            ".codex/config.toml",
            "[features]\nhooks = false\n",
        ),
        (
            "codex",
            true,
            ".codex/config.toml",
            "features = { codex_hooks = false }\n",
        ),
        (
            "gemini",
            false,
            ".gemini/settings.json",
            "{\"hooks\": {\"enabled\": false}}",
        ),
        (
            "gemini",
            true,
            ".gemini/settings.json",
            "{\"hooks\": {\"disabled\": [\"o\", \"watchfloor\"]}}",
        ),
        (
            "gemini",
            true,
            ".gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
        ),
        (
            "gemini",
            true,
            ".gemini/settings.json",
            "{\"hooksConfig\": {\"disabled\": [\"/w hook gemini BeforeTool --installed\"]}}",
        ),
    ] {
        let place = Place::with_store();
        let base = if user { place.home() } else { place.project() };
        let path = base.join(file).display().to_string();
        write(Path::new(&path), text);
        let made = place.install(agent, false);
        assert_eq!(made["switched_off"], path, "{text}: {made}");
        assert!(made["notes"].to_string().contains("SWITCHED OFF"), "{made}");
        let row = row(&place, agent);
        assert_eq!(row["lamp"], "UNPROVEN", "{row}");
        assert_eq!(
            row["why"],
            format!("its hooks are switched off in {path}"),
            "{row}"
        );
        assert_eq!(row["installed"], false, "{row}");
        let shown = place.run(&["install", agent, "--yes"]);
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(
            shown.contains(&format!(
                "asks nothing: its hooks are switched off in {path}"
            )),
            "{shown}"
        );
        let status = place.ok(&["install", agent, "--status"]);
        assert_eq!(status["switched_off"], path, "{status}");
    }
    let on = Place::with_store();
    write(
        &on.project().join(".gemini/settings.json"),
        "{\"hooks\": {\"disabled\": [\"o\"]}, \"hooksConfig\": {\"enabled\": true}}",
    );
    assert_eq!(on.install("gemini", false)["switched_off"], Value::Null);
}

#[test]
fn a_proof_of_a_session_falls_when_the_hooks_are_switched_off() {
    let place = Place::with_store();
    row(&place, "claude");
    place.install("claude", false);
    hook(&place, "PreToolUse", "c0");
    place.ok(&["stop", "--reason", "a test"]);
    hook(&place, "PreToolUse", "c1");
    hook(&place, "PostToolUse", "c0");
    let proven = row(&place, "claude");
    assert_eq!(proven["lamp"], "PROVEN", "{proven}");
    let local = place.project().join(".claude/settings.local.json");
    write(&local, "{\"disableAllHooks\": true}");
    let off = row(&place, "claude");
    assert_eq!(off["lamp"], "UNPROVEN", "{off}");
    assert_eq!(
        off["why"],
        format!("its hooks are switched off in {}", local.display())
    );
}

#[test]
fn a_file_of_another_that_calls_nothing_is_no_gate() {
    for (agent, user, file) in [
        ("pi", false, ".pi/extensions/watchfloor.ts"),
        ("pi", true, ".pi/agent/extensions/watchfloor.ts"),
        ("opencode", false, ".opencode/plugin/watchfloor.js"),
    ] {
        let place = Place::with_store();
        let base = if user { place.home() } else { place.project() };
        let path = base.join(file);
        for text in [
            "export default 1\n".to_owned(),
            format!("// watchfloor hook {agent}\nexport default 1\n"),
        ] {
            write(&path, &text);
            let before = place.files();
            let said = place.refused(&words("install", agent, user));
            assert_eq!(said["code"], "install_unreadable", "{said}");
            let cause = said["cause"].as_str().unwrap();
            assert!(cause.contains("calls no hook of watchfloor"), "{cause}");
            assert_eq!(place.uninstall(agent, user)["changed"], false);
            assert_eq!(place.files(), before);
            let mut asked = vec!["install", agent, "--status"];
            asked.extend(user.then_some("--user"));
            let status = place.ok(&asked);
            assert_eq!(status["files"][0]["state"], "foreign", "{status}");
            let row = row(&place, agent);
            assert_eq!(row["levels"][usize::from(!user)]["state"], "foreign");
            assert_eq!(row["installed"], false, "{row}");
        }
        let text = format!("spawn('watchfloor', ['hook', '{agent}', name])\n");
        write(&path, &text);
        let made = place.install(agent, user);
        assert!(made["notes"].to_string().contains("by hand"), "{made}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        place.uninstall(agent, user);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn an_extension_of_an_older_version_is_ours_and_is_replaced() {
    let mark = "// Written by `watchfloor install`, taken away by `watchfloor uninstall`.\n";
    for (agent, file) in [
        ("pi", ".pi/extensions/watchfloor.ts"),
        ("opencode", ".opencode/plugin/watchfloor.js"),
    ] {
        let place = Place::with_store();
        let path = place.project().join(file);
        write(&path, &format!("{mark}spawn('watchfloor', ['hook'])\n"));
        let states = || place.ok(&["install", agent, "--status"])["files"][0]["state"].clone();
        assert_eq!(states(), "otherwise", "{agent}");
        assert_eq!(place.install(agent, false)["changed"], true, "{agent}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(mark), "{text}");
        for (part, times) in [("node:child_process", 1), ("function ask(", 1)] {
            assert_eq!(text.matches(part).count(), times, "{agent}: {part}");
        }
        assert_eq!(states(), "installed", "{agent}");
        place.uninstall(agent, false);
        assert!(!path.exists(), "{agent}");
    }
}
