//! Passwords that nobody knows by their form: they stand in a call, and in nothing that is kept or
//! said of it.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

const PASSWORD: &str = "Hunter-of-no-form";

/// Calls with the password in them: refused ones, checks that fail, and ordinary ones.
const CALLS: [&str; 9] = [
    "curl -u a:PW -X DELETE https://api.prod.example.org/x",
    "curl -H 'Authorization: Basic PW' -X DELETE https://api.prod.example.org/x",
    "mysql -h prod.example.org -u root -pPW -e 'drop table x'",
    "mysql --password=PW -h prod.example.org -e 'drop table x'",
    "sshpass -p PW ssh root@prod.example.org reboot",
    "git push --force https://user:PW@example.org/a.git main",
    "PGPASSWORD=PW psql -h prod.example.org -c 'drop table x'",
    "PGPASSWORD=PW cargo test",
    "echo PW | sudo -S ls",
];

/// Every file below a folder that holds the password.
fn holding(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            holding(&path, found);
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).contains(PASSWORD) {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn nothing_that_is_kept_or_said_holds_a_password() {
    let desk = Desk::new();
    let mut said = String::new();
    for (at, call) in CALLS.iter().enumerate() {
        let call = call.replace("PW", PASSWORD);
        let event = |name: &str, more: serde_json::Value| {
            let mut body = serde_json::json!({
                "hook_event_name": name, "session_id": format!("s{at}"), "cwd": desk.project(),
                "tool_use_id": "t", "tool_name": "Bash", "tool_input": {"command": call},
            });
            body.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            let answer = desk.feed(&["hook", "claude", name], &body.to_string());
            format!("{}{}", answer.out, answer.err)
        };
        said += &event("PreToolUse", serde_json::json!({}));
        let failed = format!("Exit code 101\nerror[E0308]: mismatched types, password={PASSWORD}");
        said += &event("PostToolUseFailure", serde_json::json!({"error": failed}));
    }
    for words in [
        &["sh", "-c", "PGPASSWORD=PW true; exit 3"][..],
        &["env", "DB_PASS=PW", "false", "--password", "PW"],
    ] {
        let words: Vec<String> = words
            .iter()
            .map(|word| word.replace("PW", PASSWORD))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = desk.run(&[&["exec", "--"], &words[..]].concat());
        assert_ne!(ran.code, 0);
        said += &ran.err;
    }
    for words in [
        &["status"][..],
        &["tail"],
        &["attempt", "list"],
        &["breaker", "list"],
    ] {
        said += &desk.run(words).out;
    }
    let json = desk.run(&["tail", "--json"]).out;
    assert!(json.matches("[redacted:password]").count() > 10, "{json}");
    assert!(
        !said.contains(PASSWORD) && !json.contains(PASSWORD),
        "{said}{json}"
    );
    let mut found = Vec::new();
    holding(desk.home(), &mut found);
    assert_eq!(found, [""; 0]);
}
