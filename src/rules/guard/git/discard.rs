//! What loses commits, stashes or uncommitted work.

use crate::contract::guard::Grantable;

use super::super::call::{Options, options};
use super::super::text;
use super::super::walk::Walk;
use super::Git;
use super::push::protected;

const HISTORY: &str = "git.history-loss";
const WORK: &str = "git.worktree-loss";

pub(super) fn judge(walk: &mut Walk<'_>, git: &Git<'_>) {
    match git.verb {
        "reset" => {
            let seen = options(git.args, &["--pathspec-from-file"]);
            if seen.flag("", "hard", 2) {
                walk.report(HISTORY, "git reset --hard", None);
            } else if seen.flag("", "merge", 2) {
                walk.report(WORK, "git reset --merge", None);
            }
        }
        "clean" => clean(walk, git),
        "checkout" => checkout(walk, git),
        "restore" => restore(walk, git),
        "switch" => switch(walk, git),
        "stash" => {
            let seen = options(git.args, &["-m"]);
            if let Some(verb) = seen
                .words
                .first()
                .filter(|verb| matches!(**verb, "drop" | "clear"))
            {
                walk.report(HISTORY, &format!("git stash {verb}"), None);
            }
        }
        "branch" => branch(walk, git),
        "reflog" => {
            let seen = options(git.args, &[]);
            let dry = seen.flag("n", "dry-run", 3);
            if let Some(verb) = seen
                .words
                .first()
                .filter(|verb| matches!(**verb, "expire" | "delete") && !dry)
            {
                walk.report(HISTORY, &format!("git reflog {verb}"), None);
            }
        }
        "gc" | "prune" => {
            let seen = options(git.args, &["--expire"]);
            let now = seen
                .values("", "prune")
                .iter()
                .any(|when| matches!(*when, "now" | "all"));
            let dry = seen.flag("n", "dry-run", 3);
            if now || (git.verb == "prune" && !dry) {
                walk.report(HISTORY, "objects that nothing names any more", None);
            }
        }
        "rebase" => rebase(walk, git),
        "worktree" => {
            let seen = options(git.args, &["-b", "-B", "--reason"]);
            if seen.words.first() == Some(&"remove") && seen.flag("f", "force", 2) {
                walk.report(WORK, "git worktree remove --force", None);
            }
            if let Some(name) = seen.value("B", "").filter(|name| protected(walk, name)) {
                moves(walk, name);
            }
        }
        "update-ref" => {
            let seen = options(git.args, &["-m"]);
            if let Some(name) = seen.words.first().filter(|name| protected(walk, name)) {
                moves(walk, name);
            }
        }
        "read-tree" => {
            let seen = options(git.args, &[]);
            if seen.flag("", "reset", 2) && seen.flag("u", "", 1) {
                walk.report(WORK, "git read-tree --reset -u", None);
            }
        }
        "checkout-index" => {
            if options(git.args, &[]).flag("f", "force", 2) {
                walk.report(WORK, "git checkout-index --force", None);
            }
        }
        "fast-import" => {
            if options(git.args, &[]).flag("", "force", 2) {
                walk.report(HISTORY, "git fast-import --force", None);
            }
        }
        "replace" => {}
        verb => {
            let seen = options(git.args, &[]);
            if !seen.flag("", "dry-run", 3) && !seen.flag("", "analyze", 4) {
                walk.report(HISTORY, &format!("git {verb}"), None);
            }
        }
    }
}

/// A protected branch is moved or removed here.
fn moves(walk: &mut Walk<'_>, name: &str) {
    let wants = Grantable::Branch(name.trim_start_matches("refs/heads/").to_owned());
    walk.report(HISTORY, name, Some(wants));
}

fn clean(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &["-e", "--exclude"]);
    let free = git.settings.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("clean.requireforce")
            && matches!(value.as_str(), "false" | "0" | "no" | "off")
    });
    let dry = seen.flag("n", "dry-run", 1);
    if (seen.flag("f", "force", 1) || free) && !dry {
        walk.report(WORK, "git clean", None);
    }
}

fn checkout(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(
        git.args,
        &["-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"],
    );
    if let Some(name) = seen.value("B", "").filter(|name| protected(walk, name)) {
        moves(walk, name);
    }
    let made = seen
        .value("b", "")
        .or_else(|| seen.value("B", ""))
        .or_else(|| seen.value("", "orphan"));
    if let Some(name) = made {
        walk.branch = Some(name.to_owned());
    }
    if seen.flag("f", "force", 2) {
        walk.report(WORK, "git checkout --force", None);
    }
    let side = seen.flag("", "ours", 2)
        || seen.flag("", "theirs", 2)
        || (seen.flag("", "merge", 2) && seen.dashes.is_some());
    if made.is_some() || side || seen.flag("p", "patch", 2) || seen.flag("", "detach", 2) {
        return;
    }
    let paths = match seen.dashes {
        Some(at) => seen.words.len() > at,
        None if seen.flag("", "pathspec-from-file", 6) => true,
        None => seen.words.len() > 1 || seen.words.first().is_some_and(|word| is_path(word)),
    };
    let tracks = seen.flag("t", "track", 2);
    if paths && !tracks {
        walk.report(WORK, "git checkout of files", None);
    } else if let Some(name) = seen.words.first() {
        walk.branch = Some((*name).to_owned());
    }
}

/// Endings of files that branches do not have.
const ENDINGS: [&str; 64] = [
    "rs", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "c", "h", "cc", "cpp", "hpp", "go", "java",
    "kt", "rb", "php", "md", "txt", "json", "jsonc", "toml", "yaml", "yml", "lock", "html", "css",
    "scss", "less", "sh", "bash", "sql", "xml", "cfg", "ini", "vue", "svelte", "swift", "cs", "ex",
    "exs", "erl", "hs", "ml", "lua", "pl", "scala", "dart", "tf", "proto", "gradle", "ipynb",
    "svg", "png", "jpg", "csv", "mod", "sum", "env", "conf", "rst", "tex", "zig",
];

/// Whether a word is a path rather than a branch, as far as that can be told.
fn is_path(word: &str) -> bool {
    let word = text::known(word);
    let name = text::base(&word);
    let ended = name
        .rsplit_once('.')
        .is_some_and(|(_, end)| ENDINGS.contains(&end));
    let named = ["Makefile", "Dockerfile", "README", "LICENSE", ".gitignore"].contains(&name);
    let range = word.contains("..") && !word.starts_with("..");
    matches!(word.as_str(), "." | ".." | "./" | ":/" | "*")
        || word.starts_with("./")
        || word.starts_with("../")
        || word.starts_with('/')
        || word.starts_with(":/")
        || word.starts_with(":(")
        || word.ends_with('/')
        || word.contains('*')
        || named
        || (ended && !range)
}

fn restore(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(
        git.args,
        &["-s", "--source", "--conflict", "--pathspec-from-file"],
    );
    let side = seen.flag("", "ours", 2) || seen.flag("", "theirs", 2) || seen.flag("m", "merge", 2);
    let staged = seen.flag("S", "staged", 2) && !seen.flag("W", "worktree", 1);
    let none = seen.words.is_empty() && seen.value("", "pathspec-from-file").is_none();
    if !(staged || side || none || seen.flag("p", "patch", 2)) {
        walk.report(WORK, "git restore of files", None);
    }
}

fn switch(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(
        git.args,
        &[
            "-c",
            "-C",
            "--create",
            "--force-create",
            "--orphan",
            "--conflict",
        ],
    );
    if seen.flag("f", "force", 5) && !seen.flags().any(|(name, _)| name.starts_with("--force-"))
        || seen.flag("", "discard-changes", 3)
    {
        walk.report(WORK, "git switch --discard-changes", None);
    }
    let forced = seen.value("C", "force-create");
    if let Some(name) = forced.filter(|name| protected(walk, name)) {
        moves(walk, name);
    }
    let name = seen
        .value("c", "create")
        .or(forced)
        .or_else(|| seen.words.first().copied());
    if let Some(name) = name {
        walk.branch = Some(name.to_owned());
    }
}

fn branch(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(
        git.args,
        &[
            "-u",
            "--set-upstream-to",
            "--sort",
            "--format",
            "--contains",
            "--points-at",
        ],
    );
    let remote = seen.flag("r", "remotes", 3);
    let deletes = seen.flag("d", "delete", 3) || seen.flag("D", "", 1);
    let forces = seen.flag("f", "force", 2);
    let renames = seen.flag("m", "move", 2) || seen.flag("M", "", 1);
    let copies = seen.flag("C", "", 1);
    if remote {
        return;
    }
    let names: Vec<&str> = if deletes || renames {
        seen.words.clone()
    } else if copies {
        seen.words.last().copied().into_iter().collect()
    } else if forces {
        seen.words.first().copied().into_iter().collect()
    } else {
        Vec::new()
    };
    for name in &names {
        if protected(walk, name) {
            moves(walk, name);
        }
    }
    // Renaming without a name is about the branch that one is on.
    let here = walk
        .branch
        .clone()
        .filter(|branch| renames && names.len() == 1 && protected(walk, branch));
    if let Some(branch) = here {
        moves(walk, &branch);
    }
}

fn rebase(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen: Options<'_> = options(
        git.args,
        &[
            "-x",
            "--exec",
            "--onto",
            "-s",
            "-X",
            "-C",
            "--strategy",
            "--strategy-option",
            "--empty",
            "--whitespace",
        ],
    );
    let at = usize::from(!seen.flag("", "root", 3));
    let target = seen.words.get(at).copied();
    if let Some(name) = target.filter(|name| protected(walk, name)) {
        moves(walk, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_branches() {
        for word in [
            ".",
            "..",
            "./",
            ":/",
            "*",
            "./x",
            "../x",
            "/x",
            ":/x",
            ":(top)x",
            "src/",
            "a*",
            "*.rs",
            "Makefile",
            "sub/Makefile",
            "Dockerfile",
            "README",
            "LICENSE",
            ".gitignore",
            "a.rs",
            "src/a.py",
            "..a.rs",
        ] {
            assert!(is_path(word), "{word}");
        }
        for word in [
            "",
            "main",
            "HEAD",
            "HEAD~1",
            "v1.2",
            "release.1",
            "feature/x",
            "a..b",
            "a..b.rs",
            "Makefile2",
            "rs",
            ":x",
        ] {
            assert!(!is_path(word), "{word}");
        }
    }
}
