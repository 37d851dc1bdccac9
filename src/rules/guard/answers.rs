//! One command in all the forms that its reader tells apart, each with the guard's answer.

use super::*;

/// `reads`, `none` for what is let through and may write, the trigger, or `deny`.
fn said(line: &str) -> &'static str {
    told("Bash", line)
}

fn told(tool: &str, input: &str) -> &'static str {
    let policy = Policy {
        workspace: "/home/d/w/app".to_owned(),
        cwd: "/home/d/w/app".to_owned(),
        home: "/home/d".to_owned(),
        branch: Some("topic".to_owned()),
        ..Policy::default()
    };
    let judged = judge(tool, input, &policy);
    match (judged.outcome, judged.trigger) {
        (_, Some(trigger)) => trigger.as_str(),
        (GuardOutcome::Deny, _) => "deny",
        (GuardOutcome::Indeterminate, _) => "indeterminate",
        _ if judged.only_reads => "reads",
        _ => "none",
    }
}

fn each(rows: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (want, lines) in rows {
        for line in *lines {
            let said = said(line);
            if said != *want {
                wrong.push(format!("{line}: {said}, wanted {want}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn git_that_only_tells_of_itself_has_no_verb() {
    for flag in [
        "--version",
        "--help",
        "-v",
        "-h",
        "--html-path",
        "--man-path",
        "--info-path",
    ] {
        let line = format!("git {flag} push -f");
        assert!(matches!(said(&line), "reads" | "none"), "{line}");
    }
    each(&[(
        "git",
        &[
            "git --no-pager push -f",
            "git -C x push -f",
            "git -P push -f",
        ],
    )]);
}

#[test]
fn verbs_of_git_that_list_are_told_from_those_that_change() {
    each(&[
        (
            "reads",
            &[
                "git branch",
                "git branch -l",
                "git branch -r -v",
                "git branch --merged",
                "git branch --list x",
                "git branch --contains x",
                "git tag",
                "git tag -l v1",
                "git tag --list",
                "git stash list",
                "git stash show -p",
                "git remote",
                "git remote show",
                "git remote get-url origin",
                "git reflog",
                "git reflog exists x",
                "git worktree list",
                "git notes",
                "git notes show",
                "git submodule",
                "git submodule status",
                "git submodule summary",
                "git bisect log",
                "git bisect view",
                "git grep x",
                "git diff x",
            ],
        ),
        (
            "none",
            &[
                "git branch x",
                "git branch -v x",
                "git branch --edit-description",
                "git branch -u origin/x",
                "git tag v1",
                "git stash",
                "git stash push",
                "git remote rename a b",
                "git notes add -m x",
                "git submodule init",
                "git bisect",
                "git bisect start",
                "git grep -O x",
                "git grep --open-files-in-pager x",
                "git diff --output x",
                "git fsck --lost-found",
            ],
        ),
        ("git", &["git submodule foreach 'git push -f'"]),
    ]);
}

#[test]
fn what_git_shows_of_a_secret_file_is_read() {
    each(&[
        (
            "secret",
            &[
                "git show HEAD:.env",
                "git show topic:conf/.env",
                "git diff .env",
                "git diff HEAD -- .env",
                "git blame .env",
                "git log -p .env",
                "git log --patch -- .env",
            ],
        ),
        (
            "reads",
            &[
                "git log .env",
                "git log -3 -- .env",
                "git diff --stat .env",
                "git diff --name-only .env",
                "git diff --name-status -- .env",
                "git log -p -s .env",
                "git show HEAD:src/a.rs",
                "git log -p src/a.rs",
                "git blame src/a.rs",
            ],
        ),
    ]);
}

#[test]
fn a_push_with_a_lease_is_one_of_a_topic() {
    each(&[
        (
            "none",
            &[
                "git push --force-with-lease",
                "git push --force-with-lease origin topic",
                "git push",
            ],
        ),
        (
            "git",
            &[
                "git switch main && git push --force-with-lease",
                "git push --force-with-lease origin main",
                "git push --force",
                "git push origin +topic",
            ],
        ),
    ]);
}

#[test]
fn a_secret_file_that_an_archiver_prints_is_shown() {
    each(&[
        (
            "secret",
            &[
                "tar xOf a.tar .env",
                "tar -xOf a.tar .env",
                "tar --to-stdout -xf a.tar .env",
                "tar -xf a.tar -O .env",
                "tar --create .env",
                "tar -c -f - .env",
            ],
        ),
        (
            "none",
            &[
                "tar -xf a.tar .env",
                "tar --create --file=a.tar .env",
                "tar -c --file a.tar .env",
                "tar -cf a.tar .env",
                "zip a.zip .env",
                "tar xOf a.tar src/a.rs",
            ],
        ),
    ]);
}

#[test]
fn awk_runs_and_writes_what_its_program_says() {
    each(&[
        (
            "disk",
            &[
                r#"awk 'BEGIN { system("rm -rf ~") }'"#,
                r#"awk 'BEGIN { "rm -rf ~" | getline }'"#,
                r#"awk 'BEGIN { "rm -rf ~" |getline x }'"#,
                r#"awk '{ print | "rm -rf ~" }' x"#,
            ],
        ),
        ("secret", &["awk 'BEGIN { print ENVIRON[\"API_KEY\"] }'"]),
        (
            "reads",
            &[
                "awk '{ print $1 }' x",
                "awk '$1 >= 2 { print }' x",
                "awk '$1 > 2' x",
                "awk 'length(ENVIRON[\"A\"])' x",
            ],
        ),
        (
            "none",
            &[
                r#"awk '{ print > "y" }' x"#,
                r#"awk 'BEGIN { system("ls") }'"#,
                r#"awk '{ "ls" | getline }' x"#,
                r#"awk '{ print | "ls" }' x"#,
            ],
        ),
    ]);
}

#[test]
fn openssl_prints_a_key_unless_it_is_told_not_to() {
    each(&[
        (
            "secret",
            &[
                "openssl rsa -in server.key",
                "openssl pkey -in server.key -text",
                "openssl ec -in a.key",
            ],
        ),
        (
            "reads",
            &["openssl x509 -in a.pem -text", "openssl version"],
        ),
        (
            "none",
            &[
                "openssl rsa -in server.key -pubout",
                "openssl pkey -in server.key -noout",
                "openssl rsa -in server.key -out b.key",
                "openssl pkey -in server.key -pubout -out b.pub",
            ],
        ),
    ]);
}

#[test]
fn letters_that_are_deleted_or_turned_round_leave_the_command() {
    each(&[
        (
            "git",
            &[
                "echo 'gxit puxsh -f' | tr -d x | sh",
                "echo 'f- hsup tig' | rev | sh",
            ],
        ),
        ("reads", &["echo abc | tr a-z A-Z", "echo abc | tr -d b"]),
    ]);
}

#[test]
fn the_product_is_asked_for_help_by_a_flag() {
    each(&[
        (
            "reads",
            &[
                "watchfloor breaker reset --help",
                "watchfloor breaker reset -h",
                "watchfloor breaker reset b-1 --check",
                "watchfloor --version",
                "watchfloor status",
                "watchfloor breaker list",
            ],
        ),
        (
            "approval_identity",
            &["watchfloor breaker reset b-1", "watchfloor resume"],
        ),
        ("none", &["watchfloor attempt record -"]),
    ]);
}

#[test]
fn redis_reads_by_its_verb() {
    each(&[
        (
            "reads",
            &[
                "redis-cli -h prod GET x",
                "redis-cli -h prod config get maxmemory",
            ],
        ),
        (
            "none",
            &[
                "redis-cli -h prod",
                "redis-cli set x 1",
                "redis-cli --eval x.lua",
            ],
        ),
        (
            "prod",
            &[
                "redis-cli -h prod config set a b",
                "redis-cli -h prod --eval x.lua",
                "echo FLUSHALL | redis-cli -h prod",
                "redis-cli -h prod < x",
            ],
        ),
    ]);
}

#[test]
fn what_carries_a_copy_is_a_command_unless_it_is_ssh() {
    each(&[
        (
            "disk",
            &["rsync -e 'rm -rf ~' a b", "rsync --rsh='rm -rf ~' a b"],
        ),
        ("none", &["rsync -e 'ssh -p 22' a b", "rsync -a a b"]),
        ("ssh", &["rsync -e 'ssh -p 22' a u@host:b"]),
    ]);
}

#[test]
fn the_code_of_an_interpreter_is_told_from_its_file() {
    let code = r#""import os; os.system('git push -f')""#;
    for flags in [
        "python3 -c",
        "python3 -Bc",
        "python3 -uIc",
        "python3 -B -u -c",
        "python3.12 -c",
        "pypy -c",
    ] {
        assert_eq!(said(&format!("{flags} {code}")), "git", "{flags}");
    }
    assert_eq!(said(&format!("python3 -c{code}")), "git");
    for flags in [
        "python3 c",
        "python3 xc",
        "python3 -B",
        "python3 -BE",
        "python3 --cc",
        "python3 x.py -c",
    ] {
        assert_eq!(said(&format!("{flags} {code}")), "none", "{flags}");
    }
    for flags in ["", "-B", "-BE", "-u -B"] {
        let line = format!("echo {code} > x.py; python3 {flags} x.py");
        assert_eq!(said(&line), "git", "{line}");
    }
    let run = r#""require('child_process').execSync('git push -f')""#;
    for flags in [
        "node -e",
        "node -pe",
        "node --eval",
        "node -p",
        "bun --print",
    ] {
        assert_eq!(said(&format!("{flags} {run}")), "git", "{flags}");
    }
    assert_eq!(said(&format!("node --eval={run}")), "git");
    each(&[("reads", &["python3 --version", "node -v", "perl -v"])]);
}

#[test]
fn a_forge_is_asked_through_its_interface() {
    each(&[
        (
            "git",
            &[
                "gh api -X PUT repos/o/r/pulls/1/merge",
                "gh api repos/o/r/merges -f base=main",
                "glab api -X PUT projects/1/merge_requests/2/merge",
                "gh api -X DELETE repos/o/r/branches/main/protection",
                "glab api -X DELETE projects/1/protected_branches/main",
                "gh api -X PATCH repos/o/r/git/refs/heads/main -f sha=x",
                "gh api -X PATCH repos/o/r/git/refs/heads/topic -F force=true",
                "gh api -X DELETE repos/o/r/git/refs/heads/topic",
                "glab api -X DELETE projects/1/repository/branches/topic",
                "glab api -X DELETE projects/1/repository/branches/main",
                "curl -X DELETE https://gitlab.com/api/v4/projects/1/repository/branches/topic",
                "gh api -X DELETE repos/o/r",
                "glab api -X DELETE projects/1",
            ],
        ),
        (
            "approval_identity",
            &[
                "gh api repos/o/r/pulls/1/reviews -f event=APPROVE",
                "glab api -X POST projects/1/merge_requests/2/approve",
            ],
        ),
        (
            "none",
            &[
                "gh api repos/o/r/pulls/1/reviews -f event=COMMENT",
                "gh api -X PATCH repos/o/r/git/refs/heads/topic -f sha=x",
                "glab api -X POST projects/1/repository/branches -f branch=topic",
                "glab api -X PUT projects/main",
                "gh api repos/o/r/issues -f title=x",
                "gh api -X DELETE repos/o/r/issues/1/lock",
            ],
        ),
        (
            "reads",
            &[
                "gh api repos/o/r",
                "gh api repos/o/r/branches/main",
                "gh api -X GET repos/o/r/pulls/1/merge",
            ],
        ),
    ]);
}

#[test]
fn the_script_of_a_shell_is_found_behind_its_flags() {
    let script = "'git push -f'";
    for flags in [
        "bash -c",
        "bash -xc",
        "bash -lic",
        "bash --norc --noprofile -c",
        "bash --rcfile x -c",
        "bash --init-file x -c",
        "bash -o pipefail -c",
        "bash +O extglob -c",
        "bash -c --",
        "fish --command",
        "sh -s x <<<",
        "bash <<<",
        "bash - <<<",
    ] {
        assert_eq!(said(&format!("{flags} {script}")), "git", "{flags}");
    }
    for flags in [
        "bash --version -c",
        "bash --help -c",
        "bash x.sh",
        "bash -- x.sh",
        "bash --rcfile",
        "bash -o",
        "bash x.sh -c",
    ] {
        let line = format!("{flags} {script}");
        assert!(matches!(said(&line), "none" | "reads"), "{line}");
    }
    for flags in ["", "-x", "--", "-", "--rcfile y", "-o pipefail"] {
        let line = format!("echo {script} > x.sh; bash {flags} x.sh a");
        assert_eq!(said(&line), "git", "{line}");
    }
}

#[test]
fn flags_behind_dashes_are_those_of_a_script_that_is_run() {
    each(&[
        (
            "prod",
            &[
                "npm publish",
                "npm publish -- --dry-run",
                "npm run release",
                "npm run release -- --verbose",
                "npm run release -- dry-run",
            ],
        ),
        (
            "none",
            &["npm publish --dry-run", "npm run release -- --dry-run"],
        ),
    ]);
}

#[test]
fn a_function_that_calls_itself_is_judged_once() {
    each(&[
        (
            "git",
            &[
                "f() { f; git push -f; }; f",
                "f() { g; }; g() { f; git push -f; }; f",
                "a() { b; }; b() { c; }; c() { d; }; d() { git push -f; }; a",
                "f() { echo x; }; g() { f; f; git push -f; }; f; g",
                "f() { $1; }; f ls; f 'git push -f'",
                "f() { A=p$A; f; }; A=ush; f; git $A -f",
            ],
        ),
        ("reads", &["f() { f; }; f", "f() { g; }; g() { f; }; f"]),
    ]);
}

#[test]
fn tools_that_change_files_say_so_in_their_input() {
    let editor = "str_replace_based_edit_tool";
    for (tool, input, want) in [
        (editor, r#"{"command":"view","path":".env"}"#, "secret"),
        (editor, r#"{"command":"view","path":"src/a.rs"}"#, "reads"),
        (editor, r#"{"command":"view","path":"/etc/hosts"}"#, "reads"),
        (editor, r#"{"command":"create","path":"src/a.rs"}"#, "none"),
        (
            editor,
            r#"{"command":"create","path":"/etc/hosts"}"#,
            "disk",
        ),
        (editor, r#"{"command":"create","path":"~/.bashrc"}"#, "disk"),
        (editor, r#"{"command":"insert","path":"~/.bashrc"}"#, "none"),
        (
            editor,
            r#"{"command":"str_replace","path":"~/.claude/settings.json"}"#,
            "approval_identity",
        ),
        (editor, r#"{"command":"delete","path":"/srv/x"}"#, "disk"),
        (
            "Write",
            r#"{"file_path":"~/.bashrc","content":"x"}"#,
            "disk",
        ),
        (
            "Edit",
            r#"{"file_path":"~/.bashrc","old_string":"x"}"#,
            "none",
        ),
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: .git/config\n",
            "deny",
        ),
        (
            "apply_patch",
            "*** Begin Patch\n*** Delete File: /srv/x\n",
            "disk",
        ),
        (
            "apply_patch",
            "*** Begin Patch\n*** Add File: src/a.rs\n",
            "none",
        ),
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: a\n*** Move to: .git/hooks/x\n",
            "approval_identity",
        ),
        (
            "apply_patch",
            r#"{"patch":"--- a/x\n+++ b/.git/hooks/pre-commit\n"}"#,
            "approval_identity",
        ),
        (
            "apply_patch",
            r#"{"patch":"--- a/x\n+++ /dev/null\n"}"#,
            "none",
        ),
        ("apply_patch", "+++ b/x", "indeterminate"),
        ("Write", "x", "indeterminate"),
        ("Write", " ", "none"),
        ("Read", "x", "indeterminate"),
    ] {
        assert_eq!(told(tool, input), want, "{tool} {input}");
    }
}

#[test]
fn functions_that_call_each_other_are_followed() {
    for depth in 1..=8 {
        let mut calls: Vec<String> = (1..depth)
            .map(|at| format!("f{at}() {{ f{}; }}", at + 1))
            .collect();
        calls.push(format!("f{depth}() {{ git push -f; }}"));
        let line = format!("{}; f1", calls.join("; "));
        assert_eq!(said(&line), "git", "{depth}");
    }
}
