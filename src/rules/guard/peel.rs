//! Programs that run another one: their options are taken off, and what is left is judged.

use super::call::Call;
use super::text;
use super::walk::Walk;

/// What a wrapper runs.
pub(super) enum Inner {
    Argv(Vec<String>),
    Script(String),
}

/// A wrapper: its words before the inner command, flags with a value, and how many more words of
/// its own follow.
struct Wrapper {
    name: &'static str,
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    skip: usize,
}

const fn wrapper(
    name: &'static str,
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    skip: usize,
) -> Wrapper {
    Wrapper {
        name,
        verbs,
        valued,
        skip,
    }
}

const DOCKER: &[&str] = &[
    "-e",
    "-u",
    "-w",
    "-v",
    "-p",
    "-l",
    "-h",
    "-m",
    "-c",
    "-a",
    "--env",
    "--user",
    "--workdir",
    "--volume",
    "--publish",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "--mount",
    "--label",
    "--platform",
    "--memory",
    "--cpus",
    "--add-host",
    "--env-file",
    "--hostname",
    "--ip",
    "--pull",
    "--restart",
    "--shm-size",
    "--ulimit",
    "--gpus",
    "--cap-add",
    "--cap-drop",
    "--device",
    "--tmpfs",
    "--security-opt",
    "--log-driver",
    "--log-opt",
    "--link",
    "--pid",
    "--ipc",
    "--detach-keys",
    "--expose",
    "--index",
    "--scale",
];
const KUBECTL: &[&str] = &[
    "-n",
    "-c",
    "-f",
    "-l",
    "--namespace",
    "--container",
    "--context",
    "--kubeconfig",
    "--cluster",
    "--image",
    "--overrides",
];
const NPX: &[&str] = &[
    "-p",
    "--package",
    "-w",
    "--workspace",
    "--node-options",
    "--cache",
    "--prefix",
    "--dir",
    "-C",
    "--filter",
];

const WRAPPERS: [Wrapper; 84] = [
    wrapper("doas", &[], &["-u", "-C", "-a"], 0),
    wrapper("timeout", &[], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper(
        "gtimeout",
        &[],
        &["-s", "-k", "--signal", "--kill-after"],
        1,
    ),
    wrapper("nice", &[], &["-n", "--adjustment"], 0),
    wrapper(
        "ionice",
        &[],
        &["-c", "-n", "-P", "-u", "--class", "--classdata"],
        0,
    ),
    wrapper("chrt", &[], &["-T", "-P", "-D"], 1),
    wrapper("taskset", &[], &[], 1),
    wrapper("numactl", &[], &["-m", "-N", "-C"], 0),
    wrapper("nohup", &[], &[], 0),
    wrapper("setsid", &[], &[], 0),
    wrapper(
        "stdbuf",
        &[],
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        0,
    ),
    wrapper("unbuffer", &[], &[], 0),
    wrapper("command", &[], &[], 0),
    wrapper("builtin", &[], &[], 0),
    wrapper("exec", &[], &["-a"], 0),
    wrapper("time", &[], &["-f", "-o", "--format", "--output"], 0),
    wrapper("gtime", &[], &["-f", "-o"], 0),
    wrapper("noglob", &[], &[], 0),
    wrapper("nocorrect", &[], &[], 0),
    wrapper("chroot", &[], &["--userspec", "--groups"], 1),
    wrapper("unshare", &[], &["-S", "-G", "-R", "-w"], 0),
    wrapper("nsenter", &[], &["-t", "-S", "-G", "-W", "--target"], 0),
    wrapper(
        "strace",
        &[],
        &[
            "-o", "-e", "-p", "-s", "-u", "-E", "-a", "-O", "-S", "-P", "-I", "-b",
        ],
        0,
    ),
    wrapper(
        "ltrace",
        &[],
        &["-o", "-e", "-p", "-s", "-u", "-a", "-n", "-l"],
        0,
    ),
    wrapper("gdb", &[], &["-ex", "-x", "-p"], 0),
    wrapper("valgrind", &[], &[], 0),
    wrapper("perf", &["stat|record|trace"], &["-e", "-o", "-p", "-F"], 0),
    wrapper("catchsegv", &[], &[], 0),
    wrapper("faketime", &[], &["-f"], 1),
    wrapper("eatmydata", &[], &[], 0),
    wrapper("fakeroot", &[], &["-s", "-i"], 0),
    wrapper("proot", &[], &["-r", "-b", "-w", "-q"], 0),
    wrapper("firejail", &[], &[], 0),
    wrapper(
        "systemd-run",
        &[],
        &[
            "-p",
            "-u",
            "-t",
            "--unit",
            "--property",
            "--slice",
            "--uid",
            "--gid",
            "--setenv",
            "--on-calendar",
            "--on-active",
        ],
        0,
    ),
    wrapper("systemd-inhibit", &[], &[], 0),
    wrapper("caffeinate", &[], &["-t", "-w"], 0),
    wrapper("rlwrap", &[], &[], 0),
    wrapper("dbus-run-session", &[], &[], 0),
    wrapper("xvfb-run", &[], &["-s", "-n", "-e", "-f", "-w"], 0),
    wrapper("sshpass", &[], &["-p", "-f", "-d"], 0),
    wrapper("setpriv", &[], &["--reuid", "--regid", "--groups"], 0),
    wrapper("runuser", &[], &["-u", "-g", "-G", "-c"], 0),
    wrapper("gosu", &[], &[], 1),
    wrapper("su-exec", &[], &[], 1),
    wrapper("tini", &[], &["-e"], 0),
    wrapper("dumb-init", &[], &[], 0),
    wrapper("busybox", &[], &[], 0),
    wrapper("toybox", &[], &[], 0),
    wrapper(
        "parallel",
        &[],
        &[
            "-j",
            "-a",
            "-n",
            "-N",
            "-I",
            "-S",
            "--jobs",
            "--colsep",
            "--results",
            "--joblog",
        ],
        0,
    ),
    wrapper("entr", &[], &[], 0),
    wrapper("watchexec", &[], &["-e", "-w", "-i", "-f", "-s", "-d"], 0),
    wrapper("direnv", &["exec"], &[], 1),
    wrapper("dotenv", &[], &["-f", "-e"], 0),
    wrapper("op", &["run"], &["--env-file", "--account"], 0),
    wrapper(
        "doppler",
        &["run"],
        &["-p", "-c", "--project", "--config"],
        0,
    ),
    wrapper("infisical", &["run"], &["--env", "--path"], 0),
    wrapper("aws-vault", &["exec"], &["-d"], 1),
    wrapper("chamber", &["exec"], &[], 1),
    wrapper("poetry", &["run"], &[], 0),
    wrapper(
        "uv",
        &["run"],
        &[
            "--with",
            "-p",
            "--python",
            "--extra",
            "--group",
            "--project",
            "--directory",
            "--env-file",
        ],
        0,
    ),
    wrapper("uvx", &[], &["--from", "--with", "-p", "--python"], 0),
    wrapper("pipx", &["run"], &["--spec", "--python"], 0),
    wrapper("pipenv", &["run"], &[], 0),
    wrapper("pdm", &["run"], &["-p"], 0),
    wrapper("hatch", &["run"], &["-e"], 0),
    wrapper("rye", &["run"], &[], 0),
    wrapper(
        "conda",
        &["run"],
        &["-n", "-p", "--name", "--prefix", "--cwd"],
        0,
    ),
    wrapper("bundle", &["exec"], &[], 0),
    wrapper("npx", &[], NPX, 0),
    wrapper("bunx", &[], NPX, 0),
    wrapper("pnpx", &[], NPX, 0),
    wrapper("npm", &["exec|x"], NPX, 0),
    wrapper("pnpm", &["exec|dlx"], NPX, 0),
    wrapper("yarn", &["exec|dlx"], NPX, 0),
    wrapper("bun", &["x"], NPX, 0),
    wrapper("mise", &["exec|x"], &["-C"], 0),
    wrapper("docker", &["exec"], DOCKER, 1),
    wrapper("docker", &["run"], DOCKER, 1),
    wrapper("podman", &["exec|run"], DOCKER, 1),
    wrapper("nerdctl", &["exec|run"], DOCKER, 1),
    wrapper("docker-compose", &["exec|run"], DOCKER, 1),
    wrapper("kubectl", &["exec"], KUBECTL, 1),
    wrapper("oc", &["exec|rsh"], KUBECTL, 1),
    wrapper(
        "watchfloor",
        &["exec"],
        &["--task", "--agent", "--mission", "--store"],
        0,
    ),
];

/// What a wrapper runs; `None` for a program that is none, or that runs nothing here.
pub(super) fn peel(walk: &mut Walk<'_>, call: &Call) -> Option<Inner> {
    match call.name.as_str() {
        "sudo" | "pkexec" => return sudo(walk, call),
        "env" => return env(call),
        "xargs" | "gxargs" => return Some(xargs(call)),
        "watch" => return watch(call),
        "su" => return su(walk, call),
        "flock" => return flock(call),
        "script" => return script_flag(call, "c", "command"),
        "nix-shell" => return script_flag(call, "", "run"),
        "nix" => return script_after(call, &["-c", "--command"]),
        "nodemon" => return script_flag(call, "", "exec"),
        "hyperfine" | "concurrently" => {
            let seen = call.options(&[
                "-r", "-w", "-m", "-M", "-n", "-N", "-p", "-c", "--names", "--runs", "--warmup",
            ]);
            return (!seen.words.is_empty()).then(|| Inner::Script(seen.words.join("\n")));
        }
        "tmux" | "screen" => return multiplexer(call),
        "command" if matches!(call.args.first().map(String::as_str), Some("-v" | "-V")) => {
            return None;
        }
        "runuser" if call.args.iter().any(|arg| arg == "-c") => return su(walk, call),
        "at" | "batch" => {
            return (!call.stdin.is_empty()).then(|| Inner::Script(call.stdin.clone()));
        }
        _ => {}
    }
    let mut known = WRAPPERS.iter().filter(|wrapper| wrapper.name == call.name);
    known.find_map(|wrapper| generic(wrapper, call))
}

fn generic(wrapper: &Wrapper, call: &Call) -> Option<Inner> {
    let mut args = call.args.as_slice();
    if !wrapper.verbs.is_empty() {
        // Flags may stand before the verb.
        let mut at = 0;
        while args.get(at).is_some_and(|arg| arg.starts_with('-')) {
            at += 1 + usize::from(wrapper.valued.contains(&args[at].as_str()));
        }
        if args.get(at).is_some_and(|arg| arg == "compose") {
            at += 1;
            while args.get(at).is_some_and(|arg| arg.starts_with('-')) {
                at += 1 + usize::from(matches!(
                    args[at].as_str(),
                    "-f" | "-p" | "--file" | "--project-name" | "--profile"
                ));
            }
        }
        let verb = args.get(at)?;
        let fits = wrapper.verbs[0].split('|').any(|known| known == verb);
        if !fits {
            return None;
        }
        args = &args[at + 1..];
    }
    let rest = behind(args, wrapper.valued, wrapper.skip)?;
    if let Some(at) = call
        .args
        .iter()
        .position(|arg| arg == "-c" || arg == "--call")
        && matches!(call.name.as_str(), "npx" | "npm" | "bunx" | "pnpx")
    {
        return call
            .args
            .get(at + 1)
            .map(|script| Inner::Script(script.clone()));
    }
    if call.name == "parallel" {
        let mut argv: Vec<String> = rest
            .iter()
            .take_while(|arg| !arg.starts_with(":::"))
            .cloned()
            .collect();
        let given: Vec<String> = rest
            .iter()
            .skip_while(|arg| !arg.starts_with(":::"))
            .filter(|arg| !arg.starts_with(":::"))
            .cloned()
            .collect();
        let input = if given.is_empty() {
            call.stdin.clone()
        } else {
            given.join(" ")
        };
        if argv.is_empty() {
            return Some(Inner::Script(given.join("\n") + &call.stdin));
        }
        if argv.iter().any(|arg| arg.contains("{}")) {
            argv = argv.iter().map(|arg| arg.replace("{}", &input)).collect();
        } else {
            argv.push(input);
        }
        return Some(Inner::Script(argv.join(" ")));
    }
    (!rest.is_empty()).then(|| Inner::Argv(rest.to_vec()))
}

/// What stands behind a wrapper's flags, its own words, and `--`.
fn behind<'a>(args: &'a [String], valued: &[&str], skip: usize) -> Option<&'a [String]> {
    let mut at = 0;
    let mut left = skip;
    loop {
        let Some(arg) = args.get(at) else {
            return Some(&[]);
        };
        if arg == "--" {
            at += 1;
            if left == 0 {
                break;
            }
            continue;
        }
        if arg.len() > 1 && arg.starts_with('-') {
            let takes = valued.contains(&arg.as_str());
            at += 1 + usize::from(takes);
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        at += 1;
    }
    args.get(at..)
}

/// Assignments before a command become part of its words, for `env` to take.
fn sudo(walk: &mut Walk<'_>, call: &Call) -> Option<Inner> {
    let valued = [
        "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "-U", "--user", "--group",
        "--host", "--prompt", "--chdir", "--chroot",
    ];
    let seen = call.options(&valued);
    if let Some(user) = seen.value("u", "user") {
        walk.user = Some(user.to_owned());
    }
    if seen.flag("e", "edit", 4) {
        walk.reads = false;
        for word in &seen.words {
            walk.writing(word);
        }
        return None;
    }
    let mut at = 0;
    while let Some(arg) = call.args.get(at).filter(|arg| arg.starts_with('-')) {
        let whole = arg.len() == 2 || arg.starts_with("--");
        let cluster_takes = !arg.starts_with("--")
            && arg.len() > 2
            && valued.contains(&format!("-{}", &arg[arg.len() - 1..]).as_str());
        at += 1;
        if arg == "--" {
            break;
        }
        if (whole && valued.contains(&arg.as_str())) || cluster_takes {
            at += 1;
        }
    }
    let rest = call.args.get(at..)?;
    if rest.is_empty() {
        return (!call.stdin.is_empty()
            && (seen.flag("s", "shell", 2) || seen.flag("i", "login", 2)))
        .then(|| Inner::Script(call.stdin.clone()));
    }
    let mut argv = vec!["env".to_owned()];
    argv.extend(rest.iter().cloned());
    Some(if rest[0].contains('=') && !rest[0].starts_with('/') {
        Inner::Argv(argv)
    } else {
        Inner::Argv(rest.to_vec())
    })
}

/// `env [FLAGS] [NAME=VALUE]... CMD`; the assignments stay for [`assignments`].
fn env(call: &Call) -> Option<Inner> {
    let mut at = 0;
    while let Some(arg) = call.args.get(at) {
        if let Some(split) = arg
            .strip_prefix("-S")
            .or_else(|| arg.strip_prefix("--split-string="))
        {
            let rest = call.args[at + 1..].join(" ");
            return Some(Inner::Script(format!("{split} {rest}")));
        }
        match arg.as_str() {
            "-u" | "--unset" | "-C" | "--chdir" => at += 2,
            "--" => at += 1,
            arg if arg.starts_with('-') || (arg.contains('=') && !arg.starts_with('=')) => at += 1,
            _ => break,
        }
    }
    let rest = call.args.get(at..).filter(|rest| !rest.is_empty())?;
    Some(Inner::Argv(rest.to_vec()))
}

/// The assignments among the words of `env`.
pub(super) fn assignments(call: &Call) -> Vec<(String, String)> {
    let mut env = call.env.clone();
    if call.name == "env" {
        let pairs = call
            .args
            .iter()
            .take_while(|arg| arg.starts_with('-') || arg.contains('='));
        let pairs = pairs
            .filter(|arg| !arg.starts_with('-'))
            .filter_map(|arg| arg.split_once('='));
        env.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    env
}

const XARGS: [&str; 15] = [
    "-I",
    "-n",
    "-L",
    "-P",
    "-s",
    "-d",
    "-E",
    "-a",
    "-J",
    "-R",
    "--replace",
    "--max-args",
    "--max-procs",
    "--delimiter",
    "--arg-file",
];

fn xargs(call: &Call) -> Inner {
    let rest = behind(&call.args, &XARGS, 0).unwrap_or_default();
    let seen = call.options(&XARGS);
    let mut argv = rest.to_vec();
    if argv.is_empty() {
        argv.push("echo".to_owned());
    }
    let given: Vec<String> = if text::fields(&call.stdin).next().is_none() {
        vec![text::marked(text::UNKNOWN, "arguments")]
    } else {
        let split = |c: char| c.is_whitespace() || c == '\0';
        call.stdin
            .split(split)
            .filter(|word| !word.is_empty())
            .take(64)
            .map(str::to_owned)
            .collect()
    };
    let mark = seen
        .value("I", "replace")
        .or_else(|| seen.value("J", ""))
        .or_else(|| (call.has("-i") || call.has("--replace")).then_some("{}"));
    match mark {
        Some(mark) => {
            let filled = given.join(" ");
            Inner::Argv(argv.iter().map(|arg| arg.replace(mark, &filled)).collect())
        }
        None => {
            argv.extend(given);
            Inner::Argv(argv)
        }
    }
}

fn watch(call: &Call) -> Option<Inner> {
    let rest = behind(&call.args, &["-n", "-q", "--interval", "--equexit"], 0)?;
    (!rest.is_empty()).then(|| Inner::Script(rest.join(" ")))
}

/// `su [-] [USER] -c SCRIPT`.
fn su(walk: &mut Walk<'_>, call: &Call) -> Option<Inner> {
    let seen = call.options(&[
        "-c",
        "-s",
        "-g",
        "-G",
        "-w",
        "-u",
        "--command",
        "--shell",
        "--session-command",
    ]);
    let user = seen
        .words
        .iter()
        .find(|word| **word != "-")
        .or(seen.value("u", "user").as_ref())
        .map(|user| (*user).to_owned());
    walk.user = user.or(walk.user.take());
    let script = seen
        .value("c", "command")
        .or_else(|| seen.value("", "session-command"));
    match script {
        Some(script) => Some(Inner::Script(script.to_owned())),
        None if !call.stdin.is_empty() => Some(Inner::Script(call.stdin.clone())),
        None => None,
    }
}

fn flock(call: &Call) -> Option<Inner> {
    if let Some(inner) = script_flag(call, "c", "command") {
        return Some(inner);
    }
    let rest = behind(&call.args, &["-w", "-E", "--timeout", "--wait"], 1)?;
    (!rest.is_empty()).then(|| Inner::Argv(rest.to_vec()))
}

fn script_flag(call: &Call, letter: &str, long: &str) -> Option<Inner> {
    let short = format!("-{letter}");
    let full = format!("--{long}");
    let seen = call.options(&[short.as_str(), full.as_str()]);
    seen.value(letter, long)
        .map(|script| Inner::Script(script.to_owned()))
}

fn script_after(call: &Call, flags: &[&str]) -> Option<Inner> {
    let at = call
        .args
        .iter()
        .position(|arg| flags.contains(&arg.as_str()))?;
    let rest = call.args.get(at + 1..).filter(|rest| !rest.is_empty())?;
    Some(Inner::Argv(rest.to_vec()))
}

/// What is typed into a terminal, or run in a new one.
fn multiplexer(call: &Call) -> Option<Inner> {
    let verbs = [
        "new",
        "new-session",
        "new-window",
        "neww",
        "split-window",
        "splitw",
        "respawn-pane",
        "run-shell",
        "run",
        "if-shell",
        "display-popup",
    ];
    let first = call.args.iter().position(|arg| !arg.starts_with('-'))?;
    let verb = call.args[first].as_str();
    if matches!(verb, "send-keys" | "send") {
        let keys = behind(&call.args[first + 1..], &["-t", "-N"], 0)?;
        let keys: Vec<&str> = keys
            .iter()
            .map(String::as_str)
            .filter(|key| !matches!(*key, "Enter" | "C-m" | "KPEnter"))
            .collect();
        return Some(Inner::Script(keys.join(" ")));
    }
    let valued = [
        "-s", "-t", "-n", "-c", "-F", "-e", "-x", "-y", "-l", "-S", "-L", "-f",
    ];
    if call.name == "screen" {
        let rest = behind(&call.args, &["-S", "-t", "-c", "-X", "-p", "-h"], 0)?;
        let rest = if rest.first().is_some_and(|verb| verb == "stuff") {
            &rest[1..]
        } else {
            rest
        };
        return (!rest.is_empty()).then(|| Inner::Script(rest.join(" ")));
    }
    let rest = verbs
        .contains(&verb)
        .then(|| behind(&call.args[first + 1..], &valued, 0))??;
    (!rest.is_empty()).then(|| Inner::Script(rest.join(" ")))
}
