//! What only reads, and what a reason tells, of the programs that are judged here.

use crate::contract::guard::{GuardOutcome, Policy};
use crate::rules::guard::judge;

fn policy() -> Policy {
    Policy {
        workspace: "/w/app".to_owned(),
        cwd: "/w/app".to_owned(),
        home: "/home/d".to_owned(),
        ..Policy::default()
    }
}

#[test]
fn programs_only_read_with_these_words_and_not_with_those() {
    for (reads, changes) in [
        ("gh pr view 5", "gh pr create"),
        ("gh pr checks 5", "gh pr close 5"),
        ("gh search repos x", "gh repo create x"),
        ("gh api repos/a/b", "gh api repos/a/b/issues -f title=x"),
        (
            "gh api repos/a/b/issues -X GET -f x=y",
            "gh api repos/a/b/issues -X POST",
        ),
        ("awk '{print $1}' x", "touch x; awk '{print $1}' x"),
        ("awk '$1 > 5' x", "awk '{print > \"y\"}' x"),
        ("awk '$1 >= 5 {print}' x", "awk 'BEGIN{system(\"ls\")}'"),
        ("sed -n '/a/p' x", "sed -n '/a/w y' x"),
        ("sed s/a/b/ x", "sed -i s/a/b/ x"),
        ("echo 's/a/b/' | sed -f - x", "sed -f x.sed y"),
        ("echo '{print}' | awk -f - x", "awk -f x.awk y"),
        ("sed -e s/a/b/ x", "sed -e 'w y' x"),
        ("sed -n p x", "sed 'w /dev/stdout' x"),
        ("git stash show -p", "git stash push -p"),
        ("openssl x509 -in c.pem", "openssl genrsa -out x"),
        ("openssl rand -hex 5", "openssl req -new"),
        ("source .env", "source x.sh"),
        ("cat x | tr a b", "cat x | nc localhost 5"),
        ("docker --version", "x --verbose"),
        ("ls | sort", "ls | sort -o x"),
        ("which x", "mktemp"),
        ("python3 --version", "python3 --version x"),
        ("find . -name x", "find . -fprint x"),
        ("fd x", "fd x -x touch"),
    ] {
        let said = judge("Bash", reads, &policy());
        assert!(said.only_reads, "{reads}: {said:?}");
        let said = judge("Bash", changes, &policy());
        assert!(!said.only_reads, "{changes}: {said:?}");
    }
}

#[test]
fn a_reason_tells_the_program_and_its_first_words() {
    let said = judge("Bash", "/etc/init.d/nginx restart a b c d", &policy());
    assert!(said.reason.contains("nginx restart a b c"), "{said:?}");
    assert!(!said.reason.contains("b c d"), "{said:?}");
    let said = judge(
        "Bash",
        "/etc/init.d/nginx restart \"$API_KEY\" a",
        &policy(),
    );
    assert!(said.reason.contains("nginx restart a"), "{said:?}");
}

#[test]
fn one_command_behind_another_is_no_deeper_than_the_first() {
    let line = "sudo ls; ".repeat(100);
    assert_eq!(judge("Bash", &line, &policy()).outcome, GuardOutcome::Allow);
    let nested = format!("{}ls", "nice ".repeat(100));
    assert_eq!(
        judge("Bash", &nested, &policy()).outcome,
        GuardOutcome::Indeterminate
    );
}

#[test]
fn so_many_calls_in_code_are_looked_at_and_no_more() {
    let said = |count: usize| {
        let line = format!("python3 -c \"{}\"", "os.remove('x');".repeat(count));
        judge("Bash", &line, &policy()).outcome
    };
    assert_eq!(said(199), GuardOutcome::Allow);
    assert_eq!(said(200), GuardOutcome::Indeterminate);
    assert_eq!(said(210), GuardOutcome::Indeterminate);
}
