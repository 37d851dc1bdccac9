//! Inline code of other languages: a short list of calls is looked for, with the texts that they
//! are given (spec 3.8).

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
        let joined = flags.iter().find(|flag| {
            flag.len() == 2
                && !arg.starts_with("--")
                && arg.starts_with('-')
                && arg.len() > 2
                && arg.ends_with(&flag[1..])
                && flag.starts_with('-')
        });
        let glued = flags.iter().find_map(|flag| {
            arg.strip_prefix(*flag)
                .filter(|rest| !rest.is_empty() && flag.len() == 2 && arg.len() > 3)
        });
        if flags.contains(&arg.as_str()) || (joined.is_some() && arg.len() <= 5) {
            at += 1;
            codes.extend(call.args.get(at).cloned());
        } else if let Some(code) = glued.or_else(|| {
            arg.split_once('=')
                .filter(|(flag, _)| flags.contains(flag))
                .map(|(_, code)| code)
        }) {
            codes.push(code.to_owned());
        } else if let Some(code) = clustered(name, arg) {
            codes.push(code.to_owned());
        } else if arg == "-m" && *name != "perl" {
            other = true;
            out = module(walk, call, at + 1);
            break;
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
        let content = match &file {
            Some(file) => walk.content(file).map(str::to_owned),
            None => Some(call.stdin.clone()).filter(|stdin| !stdin.is_empty()),
        };
        if file.is_none()
            && content.as_ref().is_some_and(|content| {
                text::wholly_unknown(content.trim_end()) && !content.contains(text::DOWNLOAD)
            })
        {
            walk.unclear("an interpreter would run a text that is not known");
        }
        codes.extend(content);
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

/// Whether a flag changes files where they are.
fn in_place(name: &str, arg: &str) -> bool {
    let letters = arg.strip_prefix('-').and_then(|rest| rest.split_once('i'));
    let loops = |before: &str| before.chars().all(|c| "pnlaws0".contains(c));
    letters.is_some_and(|(before, _)| {
        loops(before) || (name == "perl" && arg.len() <= 5 && !before.starts_with('-'))
    })
}

/// The code in a cluster of letters such as `-pe1`.
fn clustered<'c>(name: &str, arg: &'c str) -> Option<&'c str> {
    let (letters, code) = arg.strip_prefix('-')?.split_once('e')?;
    let loops = matches!(name, "perl" | "ruby") && letters.chars().all(|c| "pnlaw0".contains(c));
    (loops && !code.is_empty()).then_some(code)
}

/// What a loop over files would print of them.
fn looped(walk: &mut Walk<'_>, call: &Call, name: &str) -> String {
    let loops = |arg: &String| {
        let letters = arg.strip_prefix('-').unwrap_or_default();
        let letters = letters.split('e').next().unwrap_or_default();
        letters.len() <= 4 && letters.contains(['p', 'n'])
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
fn module(walk: &mut Walk<'_>, call: &Call, at: usize) -> String {
    let known = match call.args.get(at).map(String::as_str) {
        Some("twine" | "poetry" | "flit" | "hatch" | "pdm" | "ansible" | "pre_commit") => {
            call.args[at..].to_vec()
        }
        Some("json.tool" | "base64" | "gzip") => {
            let words = call.args[at + 1..].iter();
            let file = words.rev().find(|word| walk.places.is_secret(word));
            return match file {
                Some(file) => walk.file(file),
                None => call.stdin.clone(),
            };
        }
        _ => return String::new(),
    };
    walk.inner(&known, &call.env, String::new())
}
