//! Programs that run another one: their options are taken off, and what is left is judged.

mod special;
mod table;

use super::call::Call;
use super::walk::Walk;

use special::{env, flock, multiplexer, script_after, script_flag, su, sudo, watch, xargs};
use table::{WRAPPERS, Wrapper};

/// What a wrapper runs.
pub(super) enum Inner {
    Argv(Vec<String>),
    Script(String),
}

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
            // `-N` and `-r` take a value in one of them only, or in none.
            let runs: &[&str] = &[
                "-r", "-w", "-m", "-M", "-n", "-p", "-c", "--runs", "--warmup",
            ];
            let valued = if call.name == "hyperfine" {
                runs
            } else {
                &["-m", "-n", "-p", "-c", "-l", "--names"]
            };
            let seen = call.options(valued);
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
            let takes = valued.contains(&arg.as_str()) || cluster_takes(arg, valued);
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

/// Whether the last letter of several takes the next word.
fn cluster_takes(arg: &str, valued: &[&str]) -> bool {
    let letters = &arg[1..];
    // Some programs have long flags with one dash.
    let long = valued
        .iter()
        .any(|flag| flag.len() > 2 && !flag.starts_with("--"));
    let takes = |c: char| {
        valued
            .iter()
            .any(|flag| flag.len() == 2 && flag.ends_with(c))
    };
    let first = letters.find(takes).and_then(|at| letters.get(at..));
    !long && !letters.starts_with('-') && first.is_some_and(|rest| rest.chars().count() == 1)
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

#[cfg(test)]
mod tests {
    use super::super::judge;
    use crate::contract::guard::Policy;

    #[test]
    fn what_runs_a_reading_command_only_reads() {
        for (line, reads) in [
            ("command git status", true),
            ("command git add x", false),
            ("sudo -Eu bob ls", true),
            ("sudo -Eu bob touch x", false),
            ("sudo -nu bob git status", true),
            ("sudo -un ls", true),
            ("sudo -un bob ls", false),
            ("env X=1 ls", true),
            ("env -- ls", true),
            ("nice ls", true),
            ("flock x ls", true),
            ("su bob -c ls", true),
            ("su bob -c 'touch x'", false),
        ] {
            let policy = Policy {
                workspace: "/w/app".to_owned(),
                cwd: "/w/app".to_owned(),
                home: "/home/d".to_owned(),
                ..Policy::default()
            };
            let said = judge("Bash", line, &policy);
            assert_eq!(said.only_reads, reads, "{line}: {said:?}");
        }
    }

    #[test]
    fn whom_su_becomes_is_the_first_word_that_is_no_dash() {
        let policy = Policy {
            principals: vec!["pat".to_owned()],
            ..Policy::default()
        };
        for (line, trips) in [
            ("su - pat -c 'git commit -m x'", true),
            ("su pat -c 'git commit -m x'", true),
            ("su - bob -c 'git commit -m x'", false),
            ("su - -c 'git commit -m x'", false),
            ("su - pat -c 'git log'", false),
            ("sudo -u pat git commit -m x", true),
            ("sudo -u bob git commit -m x", false),
        ] {
            let said = judge("Bash", line, &policy);
            assert_eq!(said.trigger.is_some(), trips, "{line}: {said:?}");
        }
    }
}
