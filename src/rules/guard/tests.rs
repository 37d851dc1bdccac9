//! The guard as a whole: what only reads, what a grant opens, and that it is bounded.

use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::contract::breaker::Trigger;
use crate::contract::guard_rule::{Environment, RuleOutcome};

fn policy() -> Policy {
    Policy {
        workspace: "/w/app".to_owned(),
        cwd: "/w/app".to_owned(),
        home: "/home/d".to_owned(),
        ..Policy::default()
    }
}

#[test]
fn a_push_without_a_name_is_one_of_the_branch_that_is_checked_out() {
    let on = |branch: &str| Policy {
        branch: Some(branch.to_owned()),
        ..policy()
    };
    for line in [
        "git push",
        "git push origin",
        "git push -u origin HEAD",
        "git push origin @",
        "git push origin HEAD:HEAD",
        "git push --follow-tags",
        "git push origin \"$(git branch --show-current)\"",
        "git push origin $(git rev-parse --abbrev-ref HEAD)",
        "git push origin `git symbolic-ref --short HEAD`",
        "b=$(git branch --show-current) && git push origin \"$b\"",
    ] {
        let said = judge("Bash", line, &on("main"));
        assert_eq!(said.trigger, Some(Trigger::Git), "{line}");
        for policy in [on("topic"), policy()] {
            assert_eq!(judge("Bash", line, &policy).trigger, None, "{line}");
        }
    }
    for line in [
        "git push --dry-run",
        "git push --tags",
        "git push origin topic",
        "git push origin HEAD:topic",
        "git switch -c topic && git push -u origin HEAD",
        "cd /tmp/other && git push",
    ] {
        let said = judge("Bash", line, &on("main"));
        assert_eq!(said.outcome, GuardOutcome::Allow, "{line}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "two lists of commands")]
fn only_what_is_understood_as_reading_only_reads() {
    for line in [
        "ls -la",
        "cat src/a.rs",
        "git status",
        "git log --oneline | head -5",
        "git diff main..HEAD",
        "grep -rn foo src | wc -l",
        "find . -name '*.rs'",
        "find . -name '*.rs' -exec grep foo {} +",
        "cd src && ls",
        "X=1; echo $X",
        "[ -f x ] && cat x",
        "git branch -a",
        "for f in a b; do cat $f; done",
        "head -5 x > /dev/null 2>&1",
        "jq .a x.json",
        "sed -n 1,5p x",
        "awk '{print $1}' x",
        "pwd; date",
        "cat <<'E'\nx\nE",
        "sort x | uniq -c",
        "timeout 5 cat x",
        "bash -c 'ls'",
        "ls | xargs cat",
        "if [ -f x ]; then cat x; fi",
        "kubectl get pods",
        "gh pr view 1",
        "docker ps",
        "cargo tree",
        "watchfloor status",
        "curl -s https://x.dev",
        "git config --get user.name",
        "cargo --version",
        "grep -c . .env",
        "env | wc -l",
        "test -n \"$TOKEN\"",
        "psql -c 'select 1'",
        "git stash list",
        "terraform plan",
        "systemctl status x",
    ] {
        let said = judge("Bash", line, &policy());
        assert!(
            said.only_reads && said.outcome == GuardOutcome::Allow,
            "{line}: {said:?}"
        );
    }
    for line in [
        "cargo test",
        "cargo build",
        "npm test",
        "make",
        "touch x",
        "rm x",
        "echo a > x",
        "ls > x",
        "ls | tee x",
        "git add x",
        "git commit -m x",
        "git stash",
        "git checkout x",
        "git push",
        "mkdir x",
        "cp a b",
        "mv a b",
        "sed -i s/a/b/ x",
        "find . -delete",
        "find . -exec touch {} ;",
        "python3 x.py",
        "python3 -c 'print(1)'",
        "bash x.sh",
        "./x",
        "unknown",
        "$X",
        "curl -o x https://x.dev",
        "curl -d a=b https://x.dev",
        "ls; touch x",
        "cat x | sh",
        "ls | xargs touch",
        "docker run x",
        "npm install",
        "watchfloor attempt record x",
        "chmod +x y",
        "git branch x",
        "git config a.b c",
        "psql -c 'delete from x'",
        "awk '{print > \"x\"}' y",
        "git diff --output=x",
        "sort -o x y",
        "eval \"$X\"",
        "source x.sh",
        "kubectl apply -f x",
        "(ls; touch x)",
        "if ls; then touch x; fi",
        "f() { touch x; }; f",
        "echo `touch x`",
        "cat <(touch x)",
        "X=$(touch x)",
        "ln -s a b",
        "dd of=x",
        "git fetch",
        "tar xf x",
        "kill 1",
        "",
    ] {
        if !line.is_empty() {
            assert!(!judge("Bash", line, &policy()).only_reads, "{line}");
        }
    }
    for (tool, input, reads) in [
        ("Read", "{\"file_path\":\"a\"}", true),
        ("Grep", "{\"pattern\":\"a\"}", true),
        ("Glob", "{\"pattern\":\"a\"}", true),
        ("WebFetch", "{\"url\":\"https://x\"}", true),
        ("Write", "{\"file_path\":\"a\",\"content\":\"\"}", false),
        ("Edit", "{\"file_path\":\"a\"}", false),
        ("mcp__x__list_things", "{}", true),
        ("mcp__x__create_thing", "{}", false),
        ("mcp__x__get_and_delete", "{}", false),
        ("mcp__x__frobnicate", "{}", false),
        ("Unknown", "{}", false),
        ("mcp__db__query", "{\"sql\":\"delete from x\"}", false),
        ("mcp__db__query", "{\"sql\":\"select 1\"}", true),
    ] {
        assert_eq!(
            judge(tool, input, &policy()).only_reads,
            reads,
            "{tool} {input}"
        );
    }
}

#[test]
fn what_is_not_understood_is_told_and_never_passed() {
    for line in [
        "echo \"",
        "$CMD x",
        &"a;".repeat(3000),
        &"a".repeat(70_000),
        &format!("{}a", "( ".repeat(20)),
    ] {
        let said = judge("Bash", line, &policy());
        assert_eq!(said.outcome, GuardOutcome::Indeterminate, "{said:?}");
        assert!(!said.only_reads && !said.reason.is_empty());
    }
    let broken = judge("Read", "{\"file_path\":", &policy());
    assert_eq!(
        (broken.outcome, broken.only_reads),
        (GuardOutcome::Indeterminate, true)
    );
    let broken = judge("Write", "{\"file_path\":", &policy());
    assert_eq!(
        (broken.outcome, broken.only_reads),
        (GuardOutcome::Indeterminate, false)
    );
    let fault = Policy {
        fault: Some("the rules are broken".to_owned()),
        ..policy()
    };
    assert_eq!(
        judge("Bash", "touch x", &fault).outcome,
        GuardOutcome::Indeterminate
    );
    assert_eq!(judge("Bash", "ls", &fault).outcome, GuardOutcome::Allow);
    assert_eq!(
        judge("Bash", "git push -f", &fault).outcome,
        GuardOutcome::Trip
    );
}

#[test]
fn a_grant_lets_through_what_it_names_and_nothing_else() {
    for (line, wants) in [
        ("ssh host ls", Grantable::Host("host".to_owned())),
        ("scp a u@HOST:b", Grantable::Host("host".to_owned())),
        ("git push origin main", Grantable::Branch("main".to_owned())),
        (
            "git push origin HEAD:refs/heads/main",
            Grantable::Branch("main".to_owned()),
        ),
        ("rm -rf /opt/x", Grantable::Path("/opt/x".to_owned())),
        (
            "curl -X POST https://api.prod.io/x",
            Grantable::Host("api.prod.io".to_owned()),
        ),
        (
            "cargo publish",
            Grantable::Call(call_digest("Bash", "cargo publish")),
        ),
        ("$CMD", Grantable::Call(call_digest("Bash", "$CMD"))),
    ] {
        let said = judge("Bash", line, &policy());
        assert_eq!(said.wants, Some(wants.clone()), "{line}: {said:?}");
        let granted = Policy {
            grants: vec![wants],
            ..policy()
        };
        let said = judge("Bash", line, &granted);
        assert_eq!(said.outcome, GuardOutcome::Allow, "{line}: {said:?}");
        assert!(!said.only_reads);
    }
    let granted = |grant: Grantable| Policy {
        grants: vec![grant],
        ..policy()
    };
    let path = granted(Grantable::Path("/opt".to_owned()));
    assert_eq!(
        judge("Bash", "rm -rf /opt/x", &path).outcome,
        GuardOutcome::Allow
    );
    assert_eq!(
        judge("Bash", "rm -rf /opt2", &path).outcome,
        GuardOutcome::Trip
    );
    let host = granted(Grantable::Host("host".to_owned()));
    assert_eq!(
        judge("Bash", "ssh other", &host).outcome,
        GuardOutcome::Trip
    );
    assert_eq!(
        judge("Bash", "ssh host; git push -f", &host).trigger,
        Some(Trigger::Git)
    );
    let call = granted(Grantable::Call(call_digest("Bash", "cargo publish")));
    assert_eq!(
        judge("Bash", "cargo publish ", &call).outcome,
        GuardOutcome::Trip
    );
}

#[test]
fn the_policy_says_what_is_protected_listed_and_production() {
    let own = Policy {
        protected_branches: vec!["release/*".to_owned()],
        production: vec!["eu1".to_owned()],
        forge_hosts: vec!["git.acme.io".to_owned()],
        principals: vec!["ada@acme.io".to_owned()],
        ..policy()
    };
    for (line, want) in [
        ("git push origin main", None),
        ("git push origin release/1.2", Some(Trigger::Git)),
        ("kubectl --context prod delete pod x", Some(Trigger::Prod)),
        ("kubectl --context eu1 delete pod x", Some(Trigger::Prod)),
        ("curl -X POST https://api.prod.io", None),
        ("curl -X POST https://api.eu1.io", Some(Trigger::Prod)),
        ("git clone git@git.acme.io:r", None),
        ("git clone git@github.com:r", Some(Trigger::Ssh)),
        (
            "git commit --author='Ada <ada@acme.io>' -m x",
            Some(Trigger::ApprovalIdentity),
        ),
        ("git commit --author='operator <o@x>' -m x", None),
    ] {
        assert_eq!(judge("Bash", line, &own).trigger, want, "{line}");
    }
}

#[test]
fn a_users_rule_is_held_against_commands_and_its_examples() {
    let rule = GuardRule {
        id: "own.no-seed".to_owned(),
        outcome: RuleOutcome::Deny,
        trigger: None,
        reason: "the seed script is slow".to_owned(),
        when: vec!["npm run seed".to_owned()],
        unless: vec!["--small".to_owned()],
        environment: Environment::Any,
        prints: false,
        matches: vec!["npm run seed".to_owned(), "cd x && npm run seed".to_owned()],
        pass: vec![
            "npm run seed --small".to_owned(),
            "echo npm run seed".to_owned(),
        ],
    };
    assert_eq!(wrong_examples(&rule), [""; 0]);
    let own = Policy {
        rules: vec![rule.clone()],
        ..policy()
    };
    let said = judge("Bash", "sudo npm run seed", &own);
    assert_eq!(
        (said.outcome, said.rule.as_deref()),
        (GuardOutcome::Deny, Some("own.no-seed"))
    );
    let wrong = GuardRule {
        matches: vec!["npm start".to_owned()],
        pass: vec!["npm run seed".to_owned()],
        ..rule
    };
    assert_eq!(wrong_examples(&wrong).len(), 2);
}

#[test]
fn under_the_preset_field_a_conflict_is_a_finding() {
    let field = Policy {
        preset: crate::contract::guard::Preset::Field,
        ..policy()
    };
    let text = "CONFLICT (content): Merge conflict in f";
    let said = judge_result("Bash", Some(1), text, &field).unwrap();
    assert_eq!(
        (said.outcome, said.trigger, said.rule.as_deref()),
        (GuardOutcome::Allow, None, Some("git.conflict"))
    );
    assert_eq!(
        judge_result("Bash", Some(1), text, &policy())
            .unwrap()
            .trigger,
        Some(Trigger::Git)
    );
    assert_eq!(judge_result("Bash", None, text, &policy()), None);
    assert_eq!(judge_result("Bash", Some(0), text, &policy()), None);
    let full = judge_result("Bash", Some(1), "No space left on device", &field).unwrap();
    assert_eq!(full.trigger, Some(Trigger::Disk));
}

#[test]
fn no_reason_tells_a_secret() {
    let key = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    let value = concat!("Q7mZ", "2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iNtVx");
    for line in [
        format!("echo {key}"),
        format!("curl -H 'x-api-key: {value}' x"),
        format!("API_KEY={value} make"),
        format!("git push -f https://{key}@x"),
    ] {
        let said = judge("Bash", &line, &policy());
        assert_eq!(said.trigger, Some(Trigger::Secret), "{line}");
        assert!(!said.reason.contains(key) && !said.reason.contains(value));
    }
    let said = judge_result("Bash", None, &format!("password: {value}"), &policy()).unwrap();
    assert!(!said.reason.contains(value));
}

#[test]
fn hostile_texts_are_judged_in_bounded_time() {
    let begun = Instant::now();
    for piece in [
        "$(",
        "\"$(",
        "`",
        "((",
        "${a:-",
        "{a,",
        "{a,b}",
        "'",
        "\"",
        "<<E\n",
        "a|",
        "a;",
        "(",
        "@(",
        "if ",
        "f(){ ",
        "f(){ :; };f;",
        "x=$x$x$x$x;echo $x;",
        "eval ",
        "eval '",
        "sh -c '",
        "> ",
        "<(",
        "python -c '",
        "os.system(\"",
        "env ",
        "xargs ",
        "find . -exec ",
        "git -c alias.a=b a;",
        "rm -rf $X;",
        "(X=a);",
        "(cd x);",
        "{a..z}{a..z}",
        "token=",
        "https://a:b@",
        "echo {a,{b,{c,{d,",
        "é",
        "cd x;",
        "\\`",
        "f(){ g; };g(){ f; };f;",
    ] {
        let text = piece.repeat(32_000 / piece.len());
        let _ = judge("Bash", &text, &policy());
        let _ = judge_result("Bash", Some(1), &text, &policy());
        let _ = judge(
            "Bash",
            &format!("python3 -c '{}'", text.replace('\'', "\"")),
            &policy(),
        );
    }
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}

/// Pieces of shell from which anything is put together.
pub(super) fn shell() -> impl Strategy<Value = String> {
    let pieces = [
        "$(",
        ")",
        "`",
        "\"",
        "'",
        "\\",
        "\n",
        " ",
        ";",
        "&&",
        "|",
        "(",
        "{ ",
        "; }",
        "<<E\n",
        "E\n",
        "<<'E'",
        "<",
        ">",
        "${x",
        "}",
        "$x",
        "$'",
        "$((",
        "))",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case x in ",
        "esac",
        "f() ",
        "[[ ",
        "]]",
        "@(",
        "=(",
        "x=",
        "#",
        "a",
        "é",
        "\u{f8f0}",
        "rm -rf ",
        "/",
        "eval ",
        "sh -c ",
        "git push ",
        "-f",
        "cat .env",
        "echo ",
        "xargs ",
        "base64 -d",
        "~",
        "{a,",
        "*",
        "sudo ",
        "env ",
        "find . -exec ",
        "python -c ",
        "curl x",
        "| sh",
        "\r",
        "\t",
        "!",
        "&",
        "2>&1",
        "<(",
        ">(",
        ":-",
        "\\x41",
    ];
    let piece = prop_oneof![4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,3}"];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_call_is_judged_without_panic_and_always_the_same(text in shell(), tool in "Bash|Read|Write|apply_patch|mcp__a__b") {
        let first = judge(&tool, &text, &policy());
        prop_assert_eq!(&first, &judge(&tool, &text, &policy()));
        prop_assert_eq!(first.outcome == GuardOutcome::Trip, first.trigger.is_some());
        prop_assert!(!(first.only_reads && matches!(first.outcome, GuardOutcome::Trip | GuardOutcome::Deny)));
    }

    #[test]
    fn a_command_behind_any_others_is_judged_all_the_same(before in "[a-z]{1,5}( [a-z.]{1,5}){0,3}", join in "; |\n| && | \\|\\| | \\| | & ") {
        let said = judge("Bash", &format!("{before}{join}git push -f"), &policy());
        prop_assert_eq!(said.outcome, GuardOutcome::Trip);
    }

    #[test]
    fn what_is_echoed_is_data(text in "[ -&(-~]{0,60}") {
        let said = judge("Bash", &format!("echo '{}'", text.replace('\'', "")), &policy());
        prop_assert!(said.outcome == GuardOutcome::Allow || said.rule.as_deref().is_some_and(|rule| rule.starts_with("secret.value")), "{said:?}");
    }
}
