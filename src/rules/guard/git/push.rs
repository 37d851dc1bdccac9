//! What goes to and comes from other repositories.

use crate::contract::guard::Grantable;

use super::super::call::{Options, options};
use super::super::ssh::{self, Remote};
use super::super::text;
use super::super::walk::Walk;
use super::Git;

const PUSH: [&str; 6] = [
    "-o",
    "--push-option",
    "--repo",
    "--receive-pack",
    "--exec",
    "--recurse-submodules",
];

/// The branch that a reference names.
fn branch(reference: &str) -> &str {
    let name = reference.strip_prefix("refs/heads/");
    name.or_else(|| reference.strip_prefix("heads/"))
        .unwrap_or(reference)
}

/// Whether a branch is protected; a pattern is when it matches one.
pub(super) fn protected(walk: &Walk<'_>, reference: &str) -> bool {
    let name = branch(&text::known(reference)).to_owned();
    let all = &walk.policy.protected_branches;
    all.iter()
        .any(|known| text::glob(known, &name) || (name.contains('*') && text::glob(&name, known)))
}

fn write(walk: &mut Walk<'_>, rule: &str, reference: &str) {
    let name = branch(reference).to_owned();
    walk.report(rule, &name, Some(Grantable::Branch(name.clone())));
}

pub(super) fn push(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &PUSH);
    let remote = seen
        .value("", "repo")
        .or_else(|| seen.words.first().copied());
    if seen.flag("n", "dry-run", 2) {
        return;
    }
    if let Some(remote) = remote {
        far(walk, remote, true);
    }
    if seen.flag("", "no-verify", 5) {
        walk.report("git.no-verify", "git push --no-verify", None);
    }
    let refspecs: Vec<&str> = if seen.value("", "repo").is_some() && seen.words.len() == 1 {
        seen.words.clone()
    } else {
        seen.words.iter().skip(1).copied().collect()
    };
    let lease = seen.flag("", "force-with-lease", 7);
    whole(walk, &seen, &refspecs, lease);
    let deletes = seen.flag("d", "delete", 3);
    let mut specs = refspecs.iter().peekable();
    while let Some(spec) = specs.next() {
        if *spec == "tag" && specs.peek().is_some() {
            specs.next();
            continue;
        }
        refspec(walk, spec, deletes, lease);
    }
    // Tags alone leave the branch where it is.
    if refspecs.is_empty() && !seen.flag("", "tags", 2) {
        let there = walk.branch.clone().filter(|branch| protected(walk, branch));
        if let Some(branch) = there {
            write(walk, "git.push-protected", &branch);
        }
    }
    for (name, value) in &git.settings {
        let name = name.to_ascii_lowercase();
        if name.starts_with("remote.") && name.ends_with(".push") {
            refspec(walk, value, false, lease);
        } else if name.starts_with("remote.") && name.ends_with(".mirror") && value != "false" {
            walk.report("git.force", "a mirror", None);
        }
    }
}

/// Flags that are about every branch.
fn whole(walk: &mut Walk<'_>, seen: &Options<'_>, refspecs: &[&str], lease: bool) {
    if seen.flag("f", "force", 2) && exact_force(seen) {
        let branch = refspecs
            .first()
            .map_or("", |spec| spec.rsplit(':').next().unwrap_or(spec));
        let wants =
            (refspecs.len() == 1).then(|| Grantable::Branch(self::branch(branch).to_owned()));
        walk.report("git.force", branch, wants);
    }
    if seen.flag("", "mirror", 1) {
        walk.report("git.force", "--mirror", None);
    }
    if seen.flag("", "prune", 3) {
        walk.report("git.remote-delete", "--prune", None);
    }
    if seen.flag("", "all", 2) || seen.flag("", "branches", 2) {
        walk.report("git.push-protected", "every branch", None);
    }
    let there = walk
        .branch
        .clone()
        .filter(|branch| lease && refspecs.is_empty() && protected(walk, branch));
    if let Some(branch) = there {
        write(walk, "git.force", &branch);
    }
}

/// `--force` itself, not one of the longer flags that begin so.
fn exact_force(seen: &Options<'_>) -> bool {
    seen.flags().any(|(name, _)| match name.strip_prefix("--") {
        Some(long) => long.len() >= 2 && "force".starts_with(long),
        None => name == "f",
    })
}

fn refspec(walk: &mut Walk<'_>, spec: &str, deletes: bool, lease: bool) {
    let (forced, spec) = match spec.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, spec),
    };
    let (from, to) = match spec.split_once(':') {
        Some((from, to)) => (from, to),
        None => (spec, spec),
    };
    let here = matches!(to, "HEAD" | "@").then(|| walk.branch.clone());
    let to = here.as_ref().and_then(Option::as_deref).unwrap_or(to);
    let tag = to.starts_with("refs/tags/") || to.starts_with("tags/");
    if spec == ":" || to.is_empty() {
        let rule = if forced {
            "git.force"
        } else {
            "git.push-protected"
        };
        walk.report(rule, "every branch that is on both sides", None);
    } else if tag {
        if forced {
            walk.report("git.force", to, None);
        }
    } else if deletes || (from.is_empty() && spec.contains(':')) {
        write(walk, "git.remote-delete", to);
    } else if forced && !lease {
        write(walk, "git.force", to);
    } else if protected(walk, to) {
        write(walk, "git.push-protected", to);
    }
}

/// What a porcelain would call.
pub(super) fn plumbing(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &["--receive-pack", "--exec"]);
    if seen.flag("", "dry-run", 3) {
        return;
    }
    if seen.flag("f", "force", 2) || seen.flag("", "mirror", 1) {
        walk.report("git.force", "", None);
    }
    if seen.flag("", "all", 2) {
        walk.report("git.push-protected", "every branch", None);
    }
    if let Some(remote) = seen.words.first() {
        far(walk, remote, true);
    }
    for spec in seen.words.iter().skip(1) {
        refspec(walk, spec, false, false);
    }
}

/// A fetch may move a local branch.
pub(super) fn fetch(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(
        git.args,
        &[
            "--upload-pack",
            "--depth",
            "-j",
            "-o",
            "-s",
            "-X",
            "--refmap",
        ],
    );
    if seen.flag("", "dry-run", 3) {
        return;
    }
    if let Some(remote) = seen.words.first() {
        far(walk, remote, false);
    }
    for spec in seen.words.iter().skip(1) {
        let to = spec
            .trim_start_matches('+')
            .split_once(':')
            .map(|(_, to)| to);
        if let Some(to) = to.filter(|to| !to.starts_with("refs/remotes/") && protected(walk, to)) {
            write(walk, "git.history-loss", to);
        }
    }
}

/// Verbs whose words may name a remote place.
pub(super) fn remotes_of(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(
        git.args,
        &[
            "-b",
            "-o",
            "-c",
            "-u",
            "-j",
            "--branch",
            "--depth",
            "--origin",
            "--config",
            "--reference",
            "--upload-pack",
            "--template",
            "--remote",
            "--format",
            "--output",
        ],
    );
    for word in seen.words.iter().copied().chain(seen.value("", "remote")) {
        far(walk, word, false);
    }
    if git.verb == "clone" {
        // What the new repository is set to is in force for its first checkout.
        for text in seen.values("c", "config") {
            let (name, value) = super::pair(text);
            super::config::setting(walk, &name, &value);
        }
    }
}

pub(super) fn remote(walk: &mut Walk<'_>, git: &Git<'_>) {
    let seen = options(git.args, &["-t", "-m"]);
    if matches!(seen.words.first(), Some(&("add" | "set-url"))) && !seen.flag("", "delete", 3) {
        for word in seen.words.iter().skip(2) {
            far(walk, word, true);
        }
    }
}

/// Something is reached that is not here. What is only read may come from any web server.
pub(super) fn far(walk: &mut Walk<'_>, place: &str, writes: bool) {
    match ssh::remote(place) {
        Remote::Here => {}
        Remote::Runs(script) => {
            walk.script(&script, "");
        }
        Remote::Web(host) if !writes => drop(host),
        Remote::Web(host) | Remote::Ssh(host) => ssh::reach(walk, "ssh.remote", &host),
    }
}
