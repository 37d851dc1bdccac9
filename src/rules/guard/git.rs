//! `git`: its global options, its aliases, and which verb is judged where.

mod config;
mod discard;
mod push;
mod verbs;

use super::call::{Call, options};
use super::text;
use super::walk::Walk;

/// Global options that take the next word.
const VALUED: [&str; 9] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];

/// Verbs that only read, unless they are told to write or run something.
const READS: [&str; 36] = [
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "annotate",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "rev-parse",
    "rev-list",
    "describe",
    "shortlog",
    "grep",
    "cat-file",
    "name-rev",
    "merge-base",
    "for-each-ref",
    "show-ref",
    "show-branch",
    "count-objects",
    "fsck",
    "diff-tree",
    "diff-index",
    "diff-files",
    "whatchanged",
    "range-diff",
    "cherry",
    "var",
    "version",
    "help",
    "check-ignore",
    "check-attr",
    "verify-commit",
    "verify-tag",
    "check-ref-format",
];

/// One call of git, behind its global options.
pub(super) struct Git<'c> {
    pub(super) verb: &'c str,
    pub(super) args: &'c [String],
    /// `-c NAME=VALUE` and `--config-env=NAME=VARIABLE`.
    pub(super) settings: Vec<(String, String)>,
}

/// Judges a call of git; answers what it writes.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> String {
    let reads = walk.reads;
    walk.reads = false;
    let Some(git) = open(walk, call) else {
        walk.reads = reads && walk.found.is_none();
        return text::marked(text::SOMETHING, "help");
    };
    config::settings(walk, call, &git);
    if let Some(out) = alias(walk, call, &git) {
        return out;
    }
    let verb = git.verb;
    if git
        .args
        .iter()
        .any(|arg| arg == "--help" || (arg == "-h" && git.args.len() == 1))
    {
        walk.reads = reads;
        return text::marked(text::SOMETHING, "help");
    }
    match verb {
        "push" => push::push(walk, &git),
        "send-pack" | "http-push" => push::plumbing(walk, &git),
        "fetch" | "pull" => push::fetch(walk, &git),
        "clone" | "ls-remote" | "archive" => push::remotes_of(walk, &git),
        "remote" => push::remote(walk, &git),
        "submodule" => verbs::submodule(walk, &git),
        "config" => config::config(walk, &git),
        "commit" => verbs::commit(walk, &git),
        "reset" | "clean" | "checkout" | "restore" | "switch" | "stash" | "branch" | "reflog"
        | "gc" | "prune" | "rebase" | "worktree" | "update-ref" | "read-tree"
        | "checkout-index" | "filter-branch" | "filter-repo" | "fast-import" | "replace" => {
            discard::judge(walk, &git);
        }
        _ => {}
    }
    verbs::hooks(walk, &git);
    let out = verbs::runs(walk, &git);
    let quiet = walk.found.is_none() && walk.unclear.is_none();
    if reads && quiet && only_reads(&git) {
        walk.reads = true;
    }
    out
}

/// Reads the global options; `None` without a verb.
fn open<'c>(walk: &mut Walk<'_>, call: &'c Call) -> Option<Git<'c>> {
    let mut settings = Vec::new();
    let mut at = 0;
    while let Some(arg) = call.args.get(at) {
        if !arg.starts_with('-') {
            break;
        }
        let (name, mut value) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (arg.as_str(), None),
        };
        if value.is_none() && VALUED.contains(&name) && name != "--exec-path" {
            at += 1;
            value = call.args.get(at).map(String::as_str);
        }
        match (name, value) {
            ("-c", Some(setting)) => settings.push(pair(setting)),
            ("--config-env", Some(setting)) => {
                let (name, variable) = pair(setting);
                let value = call.env(&variable).map(str::to_owned);
                settings.extend(
                    value
                        .or_else(|| walk.first(&variable))
                        .map(|value| (name, value)),
                );
            }
            (
                "--version" | "--help" | "-v" | "-h" | "--html-path" | "--man-path" | "--info-path",
                _,
            ) => return None,
            _ => {}
        }
        at += 1;
    }
    let verb = call.args.get(at)?;
    if text::wholly_unknown(verb) {
        walk.unclear("git is called with a verb that is not known");
    }
    Some(Git {
        verb,
        args: &call.args[at + 1..],
        settings,
    })
}

/// `NAME=VALUE`, or a name that is switched on.
fn pair(setting: &str) -> (String, String) {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
    (name.to_owned(), value.to_owned())
}

/// Runs an alias, where the verb is one that was set on the way.
fn alias(walk: &mut Walk<'_>, call: &Call, git: &Git<'_>) -> Option<String> {
    let name = format!("alias.{}", git.verb);
    let set = git.settings.iter().rev();
    let value = set
        .filter(|(known, _)| known.eq_ignore_ascii_case(&name))
        .map(|(_, value)| value.clone())
        .next()
        .or_else(|| walk.git_aliases.get(git.verb).cloned())?;
    if !walk.step() {
        return Some(String::new());
    }
    if let Some(script) = value.strip_prefix('!') {
        let line = git.args.iter().fold(script.to_owned(), |line, arg| {
            format!("{line} '{}'", arg.replace('\'', "'\\''"))
        });
        return Some(walk.script(&line, &call.stdin));
    }
    let mut args: Vec<String> = text::fields(&value).map(str::to_owned).collect();
    if args.first().is_some_and(|first| *first == git.verb) {
        return None;
    }
    args.extend(git.args.iter().cloned());
    let inner = Call {
        args,
        ..call.clone()
    };
    Some(judge(walk, &inner))
}

fn only_reads(git: &Git<'_>) -> bool {
    let has = |word: &str| {
        git.args
            .iter()
            .any(|arg| arg == word || arg.starts_with(&format!("{word}=")))
    };
    let seen = options(git.args, &[]);
    match git.verb {
        "branch" => {
            let listing = [
                "--list",
                "-l",
                "-a",
                "-r",
                "-v",
                "-vv",
                "--show-current",
                "--contains",
                "--merged",
                "--no-merged",
                "--all",
                "--remotes",
            ];
            git.args.is_empty()
                || (git.args.iter().all(|arg| arg.starts_with('-'))
                    && listing.iter().any(|flag| has(flag)))
                || has("--list")
                || has("--show-current")
                || has("--contains")
        }
        "tag" => git.args.is_empty() || has("-l") || has("--list"),
        "stash" => matches!(seen.words.first(), Some(&("list" | "show"))),
        "remote" => matches!(seen.words.first(), None | Some(&("show" | "get-url"))),
        "config" => config::only_reads(git),
        "reflog" => matches!(seen.words.first(), None | Some(&("show" | "exists"))),
        "worktree" => seen.words.first() == Some(&"list"),
        "notes" => matches!(seen.words.first(), None | Some(&("list" | "show"))),
        "submodule" => matches!(seen.words.first(), None | Some(&("status" | "summary"))),
        "bisect" => matches!(seen.words.first(), Some(&("log" | "view" | "visualize"))),
        verb => {
            READS.contains(&verb)
                && !(has("--output") || has("--open-files-in-pager") || has("--lost-found"))
                && !(verb == "grep" && git.args.iter().any(|arg| arg.starts_with("-O")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use crate::contract::guard::{Grantable, Policy};

    fn policy(branch: Option<&str>) -> Policy {
        Policy {
            workspace: "/w/app".to_owned(),
            cwd: "/w/app".to_owned(),
            home: "/home/d".to_owned(),
            branch: branch.map(str::to_owned),
            ..Policy::default()
        }
    }

    #[test]
    fn what_only_reads_is_told_from_what_may_write() {
        for (line, reads) in [
            ("touch x; git --version", false),
            ("git push --help", true),
            ("git push -h", true),
            ("git push -h x", false),
            ("git branch -D", false),
            ("git branch -a x", false),
            ("git tag", true),
            ("git tag -l", true),
            ("git worktree list", true),
            ("git worktree add x", false),
            ("git grep -O x", false),
            ("git grep -Oless x", false),
            ("git diff -Ox", true),
            ("git grep x", true),
            ("git config --list", true),
            ("git config -l", true),
            ("git config --get a.b --add", false),
            ("git config --unset a.b", false),
            ("nix develop -c git status", true),
            ("su", false),
            ("su -", false),
            ("psql -h prod.acme.io -e 'select 1' -c 'select 1'", true),
            ("psql -l -h prod.acme.io", true),
            ("psql --list -h prod.acme.io", true),
            ("wget --spider https://x.dev/y", true),
            ("wget --spider https://x.dev", true),
        ] {
            let said = judge("Bash", line, &policy(None));
            assert_eq!(said.only_reads, reads, "{line}: {said:?}");
        }
    }

    #[test]
    fn the_branch_that_is_checked_out_is_the_one_that_is_meant() {
        for (branch, line, want) in [
            ("main", "git branch -m topic", Some("git")),
            ("main", "git branch -M topic", Some("git")),
            ("main", "git branch -m a b", None),
            ("main", "git branch -d topic", None),
            ("main", "git push origin $(git rev-parse HEAD)", None),
            (
                "main",
                "git push origin $(git rev-parse --abbrev-ref x)",
                None,
            ),
            ("main", "(git switch topic); git push", Some("git")),
            ("main", "(cd /tmp; git switch -c x); git push", Some("git")),
        ] {
            let said = judge("Bash", line, &policy(Some(branch)));
            let said = said.trigger.map(crate::contract::breaker::Trigger::as_str);
            assert_eq!(said, want, "{branch}: {line}");
        }
    }

    #[test]
    fn a_grant_of_a_branch_is_asked_for_where_one_branch_is_meant() {
        for (line, branch) in [
            ("git push -f origin a", Some("a")),
            ("git push -f origin x:a", Some("a")),
            ("git push -f origin a b", None),
            ("git push -f", None),
            ("git push origin +v1", Some("v1")),
            ("git push origin +tags/v1", None),
            ("git push origin +refs/tags/v1", None),
            ("env -S'git push -f' origin x", Some("x")),
        ] {
            let wants = judge("Bash", line, &policy(None)).wants;
            let asked = match &wants {
                Some(Grantable::Branch(name)) => Some(name.as_str()),
                _ => None,
            };
            assert_eq!(asked, branch, "{line}: {wants:?}");
        }
    }
}
