//! Commits, skipped hooks, and what git runs for others.

use super::super::call::options;
use super::super::own;
use super::super::text;
use super::super::walk::Walk;
use super::Git;
use super::push::far;

const COMMIT: [&str; 16] = [
    "-m",
    "-F",
    "-C",
    "-c",
    "-t",
    "--message",
    "--file",
    "--author",
    "--date",
    "--template",
    "--fixup",
    "--squash",
    "--reuse-message",
    "--reedit-message",
    "--trailer",
    "--cleanup",
];

pub(super) fn commit(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &COMMIT);
    if seen.flag("n", "no-verify", 5) {
        walk.report("git.no-verify", "git commit --no-verify", None);
    }
    if let Some(author) = seen.last("", "author", 3).flatten() {
        own::authorship(walk, author);
    }
    if walk
        .user
        .clone()
        .is_some_and(|user| own::is_principal(walk, &user))
    {
        let user = walk.user.clone().unwrap_or_default();
        own::authorship(walk, &user);
    }
    for file in [seen.value("F", "file"), seen.value("t", "template")]
        .into_iter()
        .flatten()
    {
        if walk.places.is_secret(file) {
            walk.report("secret.read-file", file, None);
        }
    }
}

/// Verbs other than `commit` and `push` that skip hooks.
pub(super) fn hooks(walk: &mut Walk<'_>, git: &Git<'_>) {
    let verbs = ["merge", "rebase", "am", "pull", "cherry-pick", "revert"];
    if verbs.contains(&git.verb) && options(git.args, &["-m", "-F"]).flag("", "no-verify", 5) {
        walk.report(
            "git.no-verify",
            &format!("git {} --no-verify", git.verb),
            None,
        );
    }
}

pub(super) fn submodule(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &["-b", "--name", "--reference", "--depth"]);
    match seen.words.first() {
        Some(&"add") => {
            if let Some(place) = seen.words.get(1) {
                far(walk, place, false);
            }
        }
        Some(&"deinit") if seen.flag("f", "force", 2) => {
            walk.report("git.worktree-loss", "git submodule deinit --force", None);
        }
        Some(&"foreach") => {
            let script = seen.words[1..].join(" ");
            walk.script(&script, "");
        }
        _ => {}
    }
}

/// What git runs for a verb, and what it writes.
pub(super) fn runs(walk: &mut Walk<'_>, git: &Git<'_>) -> String {
    match git.verb {
        "rebase" => {
            let seen = options(git.args, &["-x", "--exec", "--onto"]);
            for script in seen.values("x", "exec") {
                walk.script(script, "");
            }
        }
        "rm" | "mv" => {
            let seen = options(git.args, &["--pathspec-from-file"]);
            let guard = seen.words.iter().find(|word| walk.places.holds_guard(word));
            let kept = seen.flag("n", "dry-run", 1) || seen.flag("", "cached", 1);
            if let Some(path) = guard.filter(|_| !kept) {
                walk.report("approval.guard-tamper", path, None);
            }
        }
        "bisect" if git.args.first().is_some_and(|verb| verb == "run") => {
            walk.inner(&git.args[1..], &[], String::new());
        }
        "difftool" | "mergetool" => {
            let seen = options(git.args, &["-x", "--extcmd", "-t", "--tool"]);
            for script in seen.values("x", "extcmd") {
                walk.script(script, "");
            }
        }
        "grep" => {
            let pager = git.args.iter().find_map(|arg| {
                arg.strip_prefix("-O")
                    .or_else(|| arg.strip_prefix("--open-files-in-pager="))
            });
            if let Some(script) = pager.filter(|script| !script.is_empty()) {
                walk.script(script, "");
            }
            let quiet = ["-l", "-L", "-c", "-q", "--count", "--quiet", "--name-only"];
            let told = git.args.iter().any(|arg| quiet.contains(&arg.as_str()));
            let mut words = git.args.iter().filter(|arg| !arg.starts_with('-'));
            let secret = words.find(|word| walk.places.is_secret(word));
            if let Some(path) = secret.filter(|_| !told) {
                return walk.read_secret("secret.read-file", path);
            }
        }
        "show" | "cat-file" | "diff" | "blame" | "annotate" | "log" | "whatchanged"
        | "diff-tree" | "diff-index" => return shows(walk, git),
        "diff-files" | "reflog" | "stash" | "format-patch" if prints_patch(git) => {
            return shows(walk, git);
        }
        "credential" if git.args.first().is_some_and(|verb| verb == "fill") => {
            return walk.read_secret("secret.print-token", "git credential fill");
        }
        "rev-parse" if git.args.iter().any(|arg| arg == "--show-toplevel") => {
            return walk.places.workspace().to_owned();
        }
        "branch" | "rev-parse" | "symbolic-ref" => {
            if let Some(branch) = walk.branch.clone().filter(|_| asks_branch(git)) {
                return branch;
            }
        }
        "ls-files" | "diff-files" | "ls-tree" => return text::marked(text::SOMETHING, "file"),
        _ => {}
    }
    text::marked(text::SOMETHING, "text")
}

/// Whether the name of the branch that one is on is asked for.
fn asks_branch(git: &Git<'_>) -> bool {
    let has = |word: &str| git.args.iter().any(|arg| arg == word);
    let head = has("HEAD") || has("@");
    match git.verb {
        "branch" => has("--show-current"),
        "rev-parse" => head && (has("--abbrev-ref") || has("--symbolic-full-name")),
        _ => head,
    }
}

/// Whether differences are asked for by name.
fn asks_patch(git: &Git<'_>) -> bool {
    let long = ["--patch", "--unified", "--cc"];
    let asks = |arg: &String| {
        matches!(arg.as_str(), "-p" | "-u")
            || arg.starts_with("-U")
            || (arg.starts_with("-L") && git.verb == "log")
            || long.iter().any(|flag| arg.starts_with(flag))
    };
    let refuses = |arg: &String| matches!(arg.as_str(), "-s" | "--no-patch");
    // The last word on it counts.
    let last = git.args.iter().rfind(|arg| asks(arg) || refuses(arg));
    last.is_some_and(asks)
}

/// Whether a verb that by itself tells no differences is told to.
fn prints_patch(git: &Git<'_>) -> bool {
    let has = |word: &str| git.args.iter().any(|arg| arg == word);
    match git.verb {
        "stash" => has("show") && asks_patch(git),
        "format-patch" => has("--stdout"),
        _ => asks_patch(git),
    }
}

/// Whether only names or counts are told.
fn only_names(git: &Git<'_>) -> bool {
    let told: &[&str] = match git.verb {
        "blame" | "annotate" => &[],
        "cat-file" => &["-s", "-t", "-e"],
        _ => &[
            "--name-only",
            "--name-status",
            "--stat",
            "--numstat",
            "--shortstat",
            "--raw",
            "--summary",
            "-s",
            "--no-patch",
            "--quiet",
        ],
    };
    git.args.iter().any(|arg| told.contains(&arg.as_str()))
}

/// A file of a commit is shown.
fn shows(walk: &mut Walk<'_>, git: &Git<'_>) -> String {
    let asked = asks_patch(git);
    let quiet = matches!(git.verb, "log" | "whatchanged" | "diff-tree" | "diff-index");
    let differs = asked || !(quiet || only_names(git));
    let mut shown = git.args.iter().filter_map(|arg| {
        if let Some(range) = arg.strip_prefix("-L").filter(|_| git.verb == "log") {
            return range.rsplit_once(':').map(|(_, path)| path);
        }
        match arg.split_once(':') {
            _ if arg.starts_with('-') => None,
            // A whole file, which flags about differences leave as it is.
            Some((_, path)) if git.verb == "show" => Some(path),
            Some((_, path)) => Some(path).filter(|_| differs),
            None => Some(arg.as_str()).filter(|_| differs && git.verb != "cat-file"),
        }
    });
    let secret = shown
        .find(|path| walk.places.is_secret(path))
        .map(str::to_owned);
    match secret {
        Some(path) => walk.read_secret("secret.read-file", &path),
        None => text::marked(text::SOMETHING, "text"),
    }
}
