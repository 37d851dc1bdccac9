//! Inline code of other languages: a short list of calls is looked for, with the texts that they
//! are given (spec 3.8).

mod acts;
mod calls;
mod flags;
mod quiet;
mod scan;
mod words;

use super::call::Call;
use super::text;
use super::walk::Walk;

use scan::scan;
pub(super) use words::strings;

/// Interpreters, and their flags before code.
const INTERPRETERS: [(&str, &[&str]); 15] = [
    ("python", &["-c"]),
    ("node", &["-e", "-p", "-pe", "--eval", "--print"]),
    ("nodejs", &["-e", "-p", "--eval", "--print"]),
    ("deno", &["eval"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("osascript", &["-e"]),
    ("Rscript", &["-e"]),
    ("pwsh", &["-c", "-Command", "-command", "-C"]),
    ("powershell", &["-c", "-Command", "-command", "-C"]),
    ("tclsh", &[]),
    ("pypy", &["-c"]),
];

/// Judges an interpreter; `None` for every other program.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let base = call
        .name
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (name, flags) = INTERPRETERS.iter().find(|(known, _)| *known == base)?;
    let asks = call.args.len() == 1
        && matches!(call.args[0].as_str(), "--version" | "-V" | "-v" | "--help");
    if asks {
        return Some(String::new());
    }
    walk.reads = false;
    let mut codes: Vec<String> = Vec::new();
    let (mut file, mut other, mut at) = (None, false, 0);
    let mut out = String::new();
    while let Some(arg) = call.args.get(at) {
        if let Some(cluster) = flags::cluster(name, arg) {
            let value = cluster.value(&call.args, &mut at);
            if cluster.codes(name) {
                codes.extend(value.map(str::to_owned));
            } else if cluster.runs_module(name) {
                other = true;
                let rest = call.args.get(at + 1..).unwrap_or_default();
                out = module(walk, call, value.unwrap_or_default(), rest);
                break;
            }
        } else if bare(arg, flags) {
            at += 1;
            codes.extend(call.args.get(at).cloned());
        } else if let Some(code) = glued(arg, flags) {
            codes.push(code.to_owned());
        } else if arg == "-" || arg == "/dev/stdin" {
            break;
        } else if !arg.starts_with('-') {
            file = Some(arg.clone());
            break;
        }
        at += 1;
    }
    if matches!(*name, "perl" | "ruby") && call.args.iter().any(|arg| in_place(name, arg)) {
        for word in call.args.iter().skip(1).filter(|arg| !arg.starts_with('-')) {
            walk.writing(word);
        }
    }
    if codes.is_empty() && !other {
        codes.extend(match &file {
            Some(file) => walk.content(file).map(str::to_owned),
            None => Some(call.stdin.clone()).filter(|stdin| !stdin.is_empty()),
        });
    }
    if file.is_none() && codes.iter().any(|code| unread(code)) {
        walk.unclear("an interpreter would run a text that is not known");
    }
    if *name == "pwsh" || *name == "powershell" {
        let script = codes.join(" ") + &call.args.get(at..).unwrap_or_default().join(" ");
        if script.to_ascii_lowercase().contains("iex")
            && script.to_ascii_lowercase().contains("http")
        {
            walk.report("exec.pipe-to-shell", "", None);
        }
    }
    let prints = call
        .args
        .iter()
        .any(|arg| matches!(arg.as_str(), "-p" | "-pe" | "--print") || arg.starts_with("--print="));
    out.push_str(&looped(walk, call, name));
    for code in &codes {
        if code.contains(text::DOWNLOAD) {
            walk.report("exec.pipe-to-shell", "", None);
        }
        out.push_str(&scan(walk, name, code, prints));
    }
    if out.is_empty() {
        out = text::marked(text::UNKNOWN, "output");
    }
    Some(out)
}

/// Whether nothing is known of some code; a download is told by itself.
fn unread(code: &str) -> bool {
    text::wholly_unknown(code.trim_end()) && !code.contains(text::DOWNLOAD)
}

/// Whether a flag changes files where they are.
fn in_place(name: &str, arg: &str) -> bool {
    let letters = arg.strip_prefix('-').and_then(|rest| rest.split_once('i'));
    let loops = |before: &str| before.chars().all(|c| "pnlaws0".contains(c));
    letters.is_some_and(|(before, _)| {
        loops(before) || (name == "perl" && arg.len() <= 5 && !before.starts_with('-'))
    })
}

/// Whether the next word is code: behind a flag, or letters of which it is the last.
fn bare(arg: &str, flags: &[&str]) -> bool {
    let last = |flag: &&str| {
        let letter = flag.strip_prefix('-').filter(|letter| letter.len() == 1);
        let cluster =
            arg.starts_with('-') && !arg.starts_with("--") && (3..=5).contains(&arg.len());
        cluster && letter.is_some_and(|letter| arg.ends_with(letter))
    };
    flags.contains(&arg) || flags.iter().any(last)
}

/// The code that stands right behind a flag.
fn glued<'c>(arg: &'c str, flags: &[&str]) -> Option<&'c str> {
    let behind = flags.iter().find_map(|flag| {
        arg.strip_prefix(*flag)
            .filter(|rest| !rest.is_empty() && flag.len() == 2 && arg.len() > 3)
    });
    behind.or_else(|| {
        let (flag, code) = arg.split_once('=')?;
        flags.contains(&flag).then_some(code)
    })
}

/// What a loop over files would print of them.
fn looped(walk: &mut Walk<'_>, call: &Call, name: &str) -> String {
    let loops = |arg: &String| {
        let cluster = flags::cluster(name, arg);
        cluster.is_some_and(|cluster| cluster.letters.contains(['p', 'n']))
    };
    if !matches!(name, "perl" | "ruby") || !call.args.iter().any(loops) {
        return String::new();
    }
    let words = call.args.iter().filter(|arg| !arg.starts_with('-'));
    let secret = words.clone().find(|word| walk.places.is_secret(word));
    match secret {
        Some(file) => walk.file(file),
        None if text::literal(&call.stdin) => String::new(),
        None => call.stdin.clone(),
    }
}

/// `python -m MODULE`.
fn module(walk: &mut Walk<'_>, call: &Call, name: &str, rest: &[String]) -> String {
    match name {
        "twine" | "poetry" | "flit" | "hatch" | "pdm" | "ansible" | "pre_commit" => {
            let mut known = vec![name.to_owned()];
            known.extend_from_slice(rest);
            walk.inner(&known, &call.env, String::new())
        }
        "json.tool" | "base64" | "gzip" => {
            let file = rest.iter().rev().find(|word| walk.places.is_secret(word));
            match file {
                Some(file) => walk.file(file),
                None => call.stdin.clone(),
            }
        }
        _ => String::new(),
    }
}
