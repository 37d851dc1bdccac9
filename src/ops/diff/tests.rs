use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::*;

const TOKEN: &str = concat!("ghp_", "q7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iN");

fn run_git(root: &Path, words: &[&str]) {
    let done = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["-c", "user.name=a", "-c", "user.email=a@b.invalid"])
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?}: {done:?}");
}

/// A repository with one commit.
fn made(files: &[(&str, &str)], words: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    run_git(root, &[&["init", "-q", "-b", "main"], words].concat());
    for (name, text) in files {
        write(root, name, text);
    }
    run_git(root, &["add", "-A"]);
    run_git(root, &["commit", "-q", "--allow-empty", "-m", "one"]);
    folder
}

fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn diff(root: &Path) -> TreeDiff {
    let place = Place {
        root: root.to_path_buf(),
        known_by: "where its hooks work",
    };
    read(&place, &AtomicBool::new(false)).unwrap()
}

fn shown(diff: &TreeDiff) -> Vec<String> {
    let mark = |kind| match kind {
        DiffKind::File => "#",
        DiffKind::Note => "~",
        DiffKind::Hunk => "@",
        DiffKind::Added => "+",
        DiffKind::Removed => "-",
        DiffKind::Same => " ",
    };
    let lines = diff.lines.iter();
    lines
        .map(|line| format!("{}{}", mark(line.kind), line.text))
        .collect()
}

#[test]
fn what_is_staged_changed_removed_and_untracked_is_told() {
    let files = [
        ("a.rs", "one\ntwo\n"),
        ("b.rs", "same\n"),
        ("old.rs", "gone\n"),
    ];
    let folder = made(&files, &[]);
    let root = folder.path();
    assert_eq!(shown(&diff(root)), Vec::<String>::new(), "nothing changed");
    write(root, "a.rs", "one\n2\n--- no heading\n");
    run_git(root, &["add", "a.rs"]);
    write(root, "a.rs", "one\n2\n--- no heading\n++ three\n");
    write(root, "b.rs", "other\n");
    fs::remove_file(root.join("old.rs")).unwrap();
    write(root, "new/größe.txt", "x\n");
    write(root, ".git/info/exclude", "*.log\n");
    write(root, "noise.log", "x\n");
    let found = diff(root);
    assert_eq!(
        shown(&found),
        [
            "#a.rs, staged, and changed since",
            "@@@ -1,2 +1,4 @@",
            " one",
            "-two",
            "+2",
            "+--- no heading",
            "+++ three",
            "#b.rs",
            "@@@ -1 +1 @@",
            "-same",
            "+other",
            "#old.rs",
            "~deleted file mode 100644",
            "@@@ -1 +0,0 @@",
            "-gone",
            "#untracked files: 1",
            "~? new/größe.txt",
        ]
    );
    assert_eq!(
        (found.files, found.added, found.removed, found.untracked),
        (3, 4, 3, 1)
    );
    assert_eq!(found.cut, None);
}

#[test]
fn a_repository_without_a_commit_a_linked_worktree_and_long_names_of_objects_are_read() {
    let fresh = tempfile::tempdir().unwrap();
    run_git(fresh.path(), &["init", "-q"]);
    write(fresh.path(), "a", "x\n");
    run_git(fresh.path(), &["add", "a"]);
    assert_eq!(shown(&diff(fresh.path()))[0], "#a, staged");
    let main = made(&[("a", "x\n")], &["--object-format=sha256"]);
    let side = tempfile::tempdir().unwrap();
    let side = side.path().join("side");
    run_git(
        main.path(),
        &["worktree", "add", "-q", side.to_str().unwrap()],
    );
    write(&side, "a", "y\n");
    assert_eq!(shown(&diff(&side)), ["#a", "@@@ -1 +1 @@", "-x", "+y"]);
    assert_eq!(shown(&diff(main.path())), Vec::<String>::new());
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let folder = made(&[("a.txt", "one\n"), ("b.bin", "one\n")], &[]);
    let root = folder.path();
    let marks = tempfile::tempdir().unwrap();
    let mark = |name: &str| format!("touch {}; cat", marks.path().join(name).display());
    write(
        root,
        ".gitattributes",
        "*.txt diff=evil filter=evil\n*.bin diff=conv filter=proc\n",
    );
    write(root, ".git/info/attributes", "* diff=evil filter=evil\n");
    for (key, value) in [
        ("core.fsmonitor", mark("fsmonitor")),
        ("core.pager", mark("pager")),
        ("core.alternateRefsCommand", mark("alternate")),
        ("diff.external", mark("external")),
        ("diff.evil.command", mark("command")),
        ("diff.evil.textconv", mark("textconv")),
        ("diff.conv.textconv", mark("conv")),
        ("filter.evil.clean", mark("clean")),
        ("filter.evil.smudge", mark("smudge")),
        ("filter.proc.process", mark("process")),
        ("alias.diff", format!("!{}", mark("alias"))),
        ("core.hooksPath", root.join("hooks").display().to_string()),
        ("core.worktree", "/".to_owned()),
        ("diff.noprefix", "true".to_owned()),
        ("color.ui", "always".to_owned()),
    ] {
        run_git(root, &["config", key, &value]);
    }
    let hook = root.join("hooks/post-index-change");
    write(
        root,
        "hooks/post-index-change",
        &format!("#!/bin/sh\n{}\n", mark("hook")),
    );
    let mut rights = fs::metadata(&hook).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
    fs::set_permissions(&hook, rights).unwrap();
    write(root, "a.txt", "two\n");
    write(root, "b.bin", "two\n");
    // That the trap is set is seen by git itself.
    drop(
        Command::new("git")
            .arg("-C")
            .arg(root)
            .args(["--work-tree=.", "diff"])
            .output(),
    );
    for name in ["clean", "command", "fsmonitor"] {
        assert!(marks.path().join(name).exists(), "the trap {name} is set");
    }
    for entry in fs::read_dir(marks.path()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let index = fs::read(root.join(".git/index")).unwrap();
    let found = shown(&diff(root));
    for line in ["#a.txt", "-one", "+two", "#b.bin", "~? .gitattributes"] {
        assert!(found.contains(&line.to_owned()), "{line}: {found:?}");
    }
    let run: Vec<_> = fs::read_dir(marks.path()).unwrap().collect();
    assert!(run.is_empty(), "{run:?}");
    assert_eq!(
        fs::read(root.join(".git/index")).unwrap(),
        index,
        "nothing is written"
    );
}

#[test]
fn secrets_are_taken_out_also_over_several_lines() {
    let block = concat!(
        "-----BEGIN RSA PRIVATE",
        " KEY-----\n",
        "MIIEowIBAAKCAQEA7bq98uzXk2v\nAbCdEf0123456789AbCdEf0123456789\n",
        "-----END RSA PRIVATE KEY-----\n"
    );
    let folder = made(&[("a", "one\n")], &[]);
    let text = format!("x {TOKEN} y {TOKEN}\n{block}after\n");
    write(folder.path(), "a", &text);
    let found = diff(folder.path());
    let all = shown(&found).join("\n");
    for secret in [TOKEN, "MIIEow", "AbCdEf"] {
        assert!(!all.contains(secret), "{all}");
    }
    assert!(
        all.contains("+x [redacted:github_token] y [redacted:github_token]"),
        "{all}"
    );
    assert!(all.contains("+after"), "{all}");
    assert_eq!(found.redacted, 3);
}

#[test]
fn values_behind_a_secret_name_are_taken_out_as_the_guard_finds_them() {
    const VALUE: &str = concat!("x7Kq9ZpL2v", "Rt8WmN4bYcB3");
    let folder = made(&[("a", &format!("api_key: {VALUE}\n"))], &[]);
    let lines = [
        format!("AWS_SECRET_ACCESS_KEY={VALUE}"),
        format!("DB_PASSWORD=\"{VALUE}\""),
        format!("  password: {VALUE}"),
        format!("curl --password {VALUE} a=b"),
        format!("curl -H 'Authorization: Bearer {VALUE}'"),
        format!("postgres://user:{VALUE}@db.internal/x"),
        "password: changeme".to_owned(),
        "let total = first + second;".to_owned(),
    ];
    write(folder.path(), "a", &format!("{}\n", lines.join("\n")));
    let found = diff(folder.path());
    let all = shown(&found);
    assert!(!all.iter().any(|line| line.contains(VALUE)), "{all:#?}");
    let generic = "[redacted:secret.value-generic]";
    for line in [
        format!("-api_key:{generic}"),
        format!("+AWS_SECRET_ACCESS_KEY={generic}"),
        format!("+DB_PASSWORD={generic}"),
        format!("+  password:{generic}"),
        format!("+{generic}"),
        "+password: changeme".to_owned(),
        "+let total = first + second;".to_owned(),
    ] {
        assert!(all.contains(&line), "{line}: {all:#?}");
    }
    assert_eq!(found.redacted, 7);
}

#[test]
fn what_cannot_be_compared_is_named_and_the_rest_is_shown() {
    let files = [("a", "one\n"), ("p*", "x\n"), ("pipe", "x\n"), ("z", "x\n")];
    let folder = made(&files, &[]);
    let root = folder.path();
    write(root, "a", "two\n");
    write(root, "z", "y\n");
    write(root, "pipe", "shown\n");
    let odd = root.join("p*");
    fs::remove_file(&odd).unwrap();
    let made = Command::new("mkfifo").arg(&odd).status().unwrap();
    assert!(made.success());
    let found = diff(root);
    let all = shown(&found);
    for line in ["+two", "+y", "+shown", "#not compared: 1"] {
        assert!(all.contains(&line.to_owned()), "{line}: {all:?}");
    }
    let told = all.iter().filter(|line| line.starts_with("~! p*: "));
    assert_eq!(told.count(), 1, "{all:?}");
    assert_eq!(found.files, 4);
}

#[test]
fn it_is_bounded_and_can_be_cancelled() {
    let folder = made(&[("a", "")], &[]);
    write(folder.path(), "a", &"line\n".repeat(LINES + 10));
    let found = diff(folder.path());
    assert!(found.lines.len() <= LINES + 1 && found.cut.is_some());
    write(folder.path(), "a", &format!("{}\n", "y".repeat(900_000)));
    assert!(
        diff(folder.path())
            .lines
            .iter()
            .all(|line| line.text.len() < 5_000)
    );
    write(folder.path(), "a", &"z".repeat(3 << 20));
    let found = shown(&diff(folder.path()));
    assert!(
        found.iter().any(|line| line.starts_with("~Binary files")),
        "{found:?}"
    );
    let place = Place {
        root: folder.path().to_path_buf(),
        known_by: "",
    };
    let begun = Instant::now();
    let refusal = read(&place, &AtomicBool::new(true)).unwrap_err();
    assert!(refusal.cause.contains("cancelled"), "{refusal:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let nowhere = Place {
        root: std::env::temp_dir().join("no-such-folder"),
        ..place
    };
    let refusal = read(&nowhere, &AtomicBool::new(false)).unwrap_err();
    assert_eq!(refusal.next_command, "git rev-parse --show-toplevel");
}
