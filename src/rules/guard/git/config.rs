//! Settings of git that disable hooks, run commands, reach other hosts or name an author.

use super::super::call::{Call, options};
use super::super::own;
use super::super::walk::Walk;
use super::Git;
use super::push;

/// Variables that an earlier command may have set.
const EXPORTED: [&str; 15] = [
    "EDITOR",
    "VISUAL",
    "PAGER",
    "GIT_EDITOR",
    "GIT_PAGER",
    "GIT_SEQUENCE_EDITOR",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_KEY_0",
    "GIT_CONFIG_VALUE_0",
    "HUSKY",
    "LEFTHOOK",
];

/// Settings for this call alone: `-c`, and variables.
pub(super) fn settings(walk: &mut Walk<'_>, call: &Call, git: &Git<'_>) {
    for (name, value) in &git.settings {
        setting(walk, name, value);
    }
    let mut key = String::new();
    let kept = EXPORTED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), walk.first(name)?)));
    let kept: Vec<(String, String)> = kept.collect();
    for (name, value) in kept.iter().chain(&call.env) {
        match name.as_str() {
            "GIT_SSH_COMMAND"
            | "GIT_SSH"
            | "GIT_PAGER"
            | "GIT_EDITOR"
            | "EDITOR"
            | "VISUAL"
            | "PAGER"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_PROXY_COMMAND"
            | "GIT_ASKPASS" => {
                walk.script(value, "");
            }
            "GIT_AUTHOR_NAME"
            | "GIT_AUTHOR_EMAIL"
            | "GIT_COMMITTER_NAME"
            | "GIT_COMMITTER_EMAIL" => {
                own::authorship(walk, value);
            }
            "GIT_CONFIG_PARAMETERS" if value.to_ascii_lowercase().contains("core.hookspath") => {
                walk.report("approval.guard-tamper", "core.hooksPath", None);
            }
            "HUSKY" | "LEFTHOOK" if value == "0" || value == "false" => {
                walk.report("git.no-verify", &format!("{name}={value}"), None);
            }
            "SKIP" | "HUSKY_SKIP_HOOKS" | "PRE_COMMIT_ALLOW_NO_CONFIG"
                if matches!(git.verb, "commit" | "push" | "merge" | "rebase") =>
            {
                walk.report("git.no-verify", &format!("{name}={value}"), None);
            }
            name if name.starts_with("GIT_CONFIG_KEY_") => key.clone_from(value),
            name if name.starts_with("GIT_CONFIG_VALUE_") => setting(walk, &key, value),
            _ => {}
        }
    }
}

/// One setting, for this call alone or for those that come: what git will run is judged as the
/// command that it is. Only an alias waits until it is called.
pub(super) fn setting(walk: &mut Walk<'_>, name: &str, value: &str) {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "core.hookspath" => walk.report("approval.guard-tamper", "core.hooksPath", None),
        "user.name" | "user.email" | "author.name" | "author.email" | "committer.name"
        | "committer.email" => {
            own::authorship(walk, value);
        }
        _ if name.starts_with("remote.")
            && (name.ends_with(".url") || name.ends_with(".pushurl")) =>
        {
            push::far(walk, value, true);
        }
        _ if instead(&name).is_some() => {
            push::far(walk, instead(&name).unwrap_or_default(), true);
        }
        _ if runs(&name, value) => {
            let script = value.strip_prefix('!').unwrap_or(value);
            walk.script(script, "");
        }
        _ => {}
    }
}

/// The place that others stand for, from `url.PLACE.insteadOf` and its like for pushing.
fn instead(name: &str) -> Option<&str> {
    let place = name.strip_prefix("url.")?;
    place
        .strip_suffix(".insteadof")
        .or_else(|| place.strip_suffix(".pushinsteadof"))
}

/// Whether the value of a setting is run.
fn runs(name: &str, value: &str) -> bool {
    let section = name.split('.').next().unwrap_or_default();
    let key = name.rsplit('.').next().unwrap_or_default();
    matches!(
        (section, key),
        (
            "core",
            "pager"
                | "editor"
                | "sshcommand"
                | "fsmonitor"
                | "askpass"
                | "gitproxy"
                | "alternaterefscommand"
        ) | ("sequence", "editor")
            | ("interactive", "difffilter")
            | ("credential", "helper")
            | ("gpg", "program" | "defaultkeycommand")
            | ("merge", "driver")
            | ("diff", "external")
            | ("uploadpack", "packobjectshook")
            | ("pager", _)
            | ("filter", "clean" | "smudge" | "process")
            | (_, "cmd" | "textconv" | "command")
    ) || ((section, key) == ("submodule", "update") && value.starts_with('!'))
}

const VALUED: [&str; 9] = [
    "-f",
    "--file",
    "--blob",
    "--type",
    "--default",
    "--comment",
    "--value",
    "-t",
    "--url",
];

/// `git config`, with verbs or with flags.
pub(super) fn config(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &VALUED);
    let mut words = seen.words.clone();
    let verb = words.first().copied().filter(|word| !word.contains('.'));
    if verb.is_some() {
        words.remove(0);
    }
    let removes = seen.flags().any(|(name, _)| {
        name.starts_with("--unset")
            || name.starts_with("--remove-section")
            || name.starts_with("--rename-section")
    }) || matches!(verb, Some("unset" | "remove-section" | "rename-section"));
    if removes {
        let hooks = words.first().is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name == "core.hookspath" || name == "core"
        });
        if hooks {
            walk.report("approval.guard-tamper", "core.hooksPath", None);
        }
        return;
    }
    if only_reads(git) {
        return;
    }
    if let [name, value, ..] = words.as_slice() {
        setting(walk, name, value);
        if let Some(alias) = name.to_ascii_lowercase().strip_prefix("alias.") {
            walk.git_aliases
                .insert(alias.to_owned(), (*value).to_owned());
        }
    }
}

pub(super) fn only_reads(git: &Git<'_>) -> bool {
    let seen = options(git.args, &VALUED);
    let asks = seen.flags().any(|(name, _)| {
        name.starts_with("--get")
            || matches!(
                name,
                "--list" | "l" | "--show-origin" | "--show-scope" | "--name-only"
            )
    });
    let writes = seen.flags().any(|(name, _)| {
        matches!(name, "--add" | "--replace-all" | "e" | "--edit")
            || name.starts_with("--unset")
            || name.starts_with("--re")
    });
    let verb = seen.words.first().copied();
    let verbs = matches!(verb, Some("list" | "get" | "get-all" | "get-regexp"));
    let single = verb.is_some_and(|word| word.contains('.')) && seen.words.len() == 1;
    !writes && (asks || verbs || single)
}
