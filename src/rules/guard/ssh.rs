//! Remote access: sessions, copies, tunnels, and which host a place is on.

use crate::contract::guard::Grantable;

use super::call::{Call, Options};
use super::text;
use super::walk::Walk;

/// Where a place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remote {
    Here,
    Ssh(String),
    Web(String),
    /// Reaching it runs a command.
    Runs(String),
}

/// Where a repository or a file is.
pub(super) fn remote(place: &str) -> Remote {
    if let Some(script) = place.strip_prefix("ext::") {
        return Remote::Runs(script.to_owned());
    }
    if let Some((scheme, rest)) = place.split_once("://") {
        let host = host(rest.split('/').next().unwrap_or_default());
        return match scheme {
            "ssh" | "git+ssh" | "ssh+git" | "sftp" | "scp" | "rsync" => Remote::Ssh(host),
            "http" | "https" | "git" | "ftp" | "ftps" => Remote::Web(host),
            _ => Remote::Here,
        };
    }
    match place.split_once(':') {
        Some((before, rest))
            if (before.len() > 1 || (before.len() == 1 && !rest.starts_with(['/', '\\'])))
                && !before.contains('/')
                && !before.starts_with(['.', '-', '~']) =>
        {
            Remote::Ssh(host(before))
        }
        _ => Remote::Here,
    }
}

/// The host of `user@host:port`, in lower case.
pub(super) fn host(authority: &str) -> String {
    let after = authority.rsplit('@').next().unwrap_or_default();
    if after.matches(':').count() > 1 && !after.starts_with('[') {
        // An address of many parts, without a port.
        return after.to_ascii_lowercase();
    }
    let name = match after.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => after.split(':').next().unwrap_or_default(),
    };
    name.to_ascii_lowercase()
}

/// Whether a host is one of a listed forge.
pub(super) fn listed(walk: &Walk<'_>, host: &str) -> bool {
    let forges = &walk.policy.forge_hosts;
    forges.iter().any(|forge| {
        let ends = host.strip_suffix(forge.as_str());
        ends.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// Whether a host is this machine.
fn is_here(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1")
}

/// A host is reached that may not be listed.
pub(super) fn reach(walk: &mut Walk<'_>, rule: &str, host: &str) {
    if host.is_empty() || !(listed(walk, host) || is_here(host)) {
        let wants = text::literal(host).then(|| Grantable::Host(host.to_owned()));
        walk.report(rule, host, wants);
    }
    walk.reads = false;
}

const SSH: [&str; 21] = [
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p",
    "-Q", "-R", "-S", "-W", "-w",
];

/// Judges a program that reaches another host; `None` for every other one.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    match call.name.as_str() {
        "ssh" | "autossh" | "slogin" | "dbclient" => ssh(walk, call),
        "scp" | "rsync" | "rcp" => copy(walk, call),
        "sftp" | "mosh" | "sshfs" | "ssh-copy-id" | "rlogin" | "rsh" | "telnet" | "et" => {
            session(walk, call);
        }
        _ => return None,
    }
    Some(text::marked(text::UNKNOWN, "output"))
}

fn ssh(walk: &mut Walk<'_>, call: &Call) {
    // Everything behind the destination is the command there.
    let mut at = 0;
    let mut tunnels = Vec::new();
    let mut asks = false;
    while let Some(arg) = call.args.get(at).filter(|arg| arg.starts_with('-')) {
        let letter = arg.get(..2).unwrap_or_default();
        let cluster = arg.get(1..).unwrap_or_default();
        asks |= matches!(letter, "-V" | "-Q" | "-G");
        if let Some(last) = cluster
            .chars()
            .position(|c| SSH.contains(&format!("-{c}").as_str()))
        {
            let letter = cluster.get(last..=last).unwrap_or_default();
            let mut value = cluster.get(last + 1..).filter(|rest| !rest.is_empty());
            if value.is_none() {
                at += 1;
                value = call.args.get(at).map(String::as_str);
            }
            let value = value.unwrap_or_default();
            match letter {
                "L" | "R" | "D" | "W" | "w" => tunnels.push("a tunnel".to_owned()),
                "J" => tunnels.push(value.to_owned()),
                "o" => option(walk, value, &mut tunnels),
                "F" if !matches!(value, "none" | "/dev/null") => {
                    tunnels.push("a configuration".to_owned());
                }
                _ => {}
            }
        }
        at += 1;
    }
    if asks {
        walk.reads &= !call.args.is_empty();
        return;
    }
    walk.reads = false;
    let Some(destination) = call.args.get(at) else {
        // Who calls it may add the destination.
        for tunnel in tunnels.iter().filter(|tunnel| !tunnel.contains(' ')) {
            reach(walk, "ssh.session", &host(tunnel));
        }
        return;
    };
    let place = destination.strip_prefix("ssh://").unwrap_or(destination);
    let there = host(place);
    for tunnel in tunnels {
        if tunnel.contains(' ') {
            walk.report("ssh.tunnel", &there, Some(Grantable::Host(there.clone())));
        } else {
            reach(walk, "ssh.session", &host(&tunnel));
        }
    }
    reach(walk, "ssh.session", &there);
    let rest = &call.args[at + 1..];
    if !rest.is_empty() && !listed(walk, &there) {
        let out = walk.script(&rest.join(" "), &call.stdin);
        if is_here(&there) {
            walk.show(&out);
        }
    }
}

/// `-o NAME=VALUE`: some run a command here, or reach through another host.
fn option(walk: &mut Walk<'_>, option: &str, tunnels: &mut Vec<String>) {
    let (name, value) = option.split_once(['=', ' ']).unwrap_or((option, ""));
    let value = value.trim_matches([' ', '\t', '=', '"']);
    match name.trim().to_ascii_lowercase().as_str() {
        "proxycommand" if value != "none" => {
            walk.script(value, "");
            tunnels.push("a command".to_owned());
        }
        "localcommand" => {
            walk.script(value, "");
        }
        "hostname" | "proxyjump" => tunnels.push(value.to_owned()),
        "localforward" | "remoteforward" | "dynamicforward" => tunnels.push("a tunnel".to_owned()),
        _ => {}
    }
}

fn copy(walk: &mut Walk<'_>, call: &Call) {
    walk.reads = false;
    let seen = call.options(&[
        "-e",
        "-F",
        "-i",
        "-J",
        "-l",
        "-o",
        "-P",
        "-S",
        "-f",
        "--rsh",
        "--exclude",
        "--include",
        "--files-from",
        "--exclude-from",
        "--include-from",
        "--filter",
    ]);
    if seen.flag("", "version", 3) || call.has("--help") {
        return;
    }
    for (at, word) in seen.words.iter().enumerate() {
        if let Remote::Ssh(host) | Remote::Web(host) = remote(word) {
            reach(walk, "ssh.copy", &host);
            let last = at + 1 == seen.words.len();
            let path = word.rsplit(':').next().unwrap_or_default();
            if last && is_here(&host) && !path.is_empty() {
                walk.replacing(path);
            }
        } else if call.name == "rsync" && seen.flag("", "delete", 3) && at + 1 == seen.words.len() {
            walk.deleting(word, true);
        } else if walk.places.is_secret(word) {
            let read = walk.read_secret("secret.read-file", word);
            drop(read);
        }
        if at + 1 == seen.words.len() && remote(word) == Remote::Here {
            walk.replacing(word);
        }
    }
    for script in seen.values("e", "rsh") {
        walk.script(script, "");
    }
    if call.name != "rsync" {
        ways(walk, &seen);
    }
}

/// The ways to the host that `scp` and its like are told to take.
fn ways(walk: &mut Walk<'_>, seen: &Options<'_>) {
    let jumps = seen.values("J", "");
    let mut tunnels: Vec<String> = jumps.into_iter().map(str::to_owned).collect();
    for value in seen.values("o", "") {
        option(walk, value, &mut tunnels);
    }
    for tunnel in tunnels {
        if tunnel.contains(' ') {
            walk.report("ssh.tunnel", &tunnel, None);
        } else {
            reach(walk, "ssh.copy", &host(&tunnel));
        }
    }
}

fn session(walk: &mut Walk<'_>, call: &Call) {
    walk.reads = false;
    let seen = call.options(&[
        "-i", "-p", "-P", "-o", "-F", "-b", "-B", "-c", "-D", "-J", "-l", "-R", "-S", "-s",
    ]);
    if seen.words.is_empty() || seen.flag("V", "version", 3) || call.has("--help") {
        return;
    }
    let place = seen.words[0];
    let there = match remote(place) {
        Remote::Ssh(host) | Remote::Web(host) => host,
        _ => host(place),
    };
    reach(walk, "ssh.session", &there);
    ways(walk, &seen);
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use crate::contract::guard::Policy;

    fn policy() -> Policy {
        Policy {
            workspace: "/w/app".to_owned(),
            cwd: "/w/app".to_owned(),
            home: "/home/d".to_owned(),
            ..Policy::default()
        }
    }

    #[test]
    fn what_is_asked_of_the_client_alone_only_reads() {
        for (line, reads) in [
            ("ssh -V", true),
            ("ssh -Q cipher", true),
            ("touch x; ssh -V", false),
        ] {
            let said = judge("Bash", line, &policy());
            assert_eq!(said.only_reads, reads, "{line}: {said:?}");
        }
    }

    #[test]
    fn a_mirrored_copy_deletes_and_every_other_one_writes() {
        for (line, rule) in [
            ("rsync -a --delete a/ /etc/", "disk.rm-root"),
            ("scp --delete a /etc/", "disk.system"),
            ("rsync -a --delete a/ ~/", "disk.rm-root"),
        ] {
            let said = judge("Bash", line, &policy());
            assert_eq!(said.rule.as_deref(), Some(rule), "{line}");
        }
    }
}
