//! `find`: what it deletes and what it runs.

use super::super::call::Call;
use super::super::text;
use super::super::walk::Walk;

/// Tests that pick some of the files.
const PICKS: [&str; 21] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newer",
    "-size",
    "-empty",
    "-user",
    "-perm",
    "-links",
    "-inum",
    "-lname",
];

pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> String {
    if call.name.starts_with("fd") {
        return fd(walk, call);
    }
    let args = &call.args;
    let start = args
        .iter()
        .position(|arg| !matches!(arg.as_str(), "-H" | "-L" | "-P"))
        .unwrap_or(args.len());
    let tests = args[start..]
        .iter()
        .position(|arg| arg.starts_with('-') || matches!(arg.as_str(), "(" | "!" | ")"))
        .map_or(args.len(), |at| start + at);
    let mut roots: Vec<&str> = args[start..tests].iter().map(String::as_str).collect();
    if roots.is_empty() {
        roots.push(".");
    }
    let found = found(&roots, &args[tests..]);
    let mut out = String::new();
    let mut at = tests;
    while at < args.len() {
        match args[at].as_str() {
            "-delete" => {
                for path in &found {
                    walk.deleting(path, true);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = args[at + 1..]
                    .iter()
                    .position(|arg| arg == ";" || arg == "+")
                    .map_or(args.len(), |end| at + 1 + end);
                for path in &found {
                    let argv = args[at + 1..end].iter().map(|arg| arg.replace("{}", path));
                    let argv: Vec<String> = argv.collect();
                    if walk.step() {
                        out.push_str(&walk.inner(&argv, &call.env, String::new()));
                    }
                }
                at = end;
            }
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                if let Some(file) = args.get(at + 1) {
                    walk.writing(file);
                }
            }
            _ => {}
        }
        at += 1;
    }
    for path in &found {
        out.push_str(path);
        out.push('\n');
    }
    out
}

/// The paths that are found, as far as they can be told.
fn found(roots: &[&str], tests: &[String]) -> Vec<String> {
    let picked = tests.iter().any(|test| {
        PICKS
            .iter()
            .any(|known| test == known || (test.starts_with("-newer") && *known == "-newer"))
    });
    let negated = tests
        .iter()
        .any(|test| matches!(test.as_str(), "!" | "-not" | "-o" | "-or"));
    let name = tests
        .windows(2)
        .find(|two| matches!(two[0].as_str(), "-name" | "-iname"))
        .map(|two| two[1].as_str());
    let whole = tests
        .windows(2)
        .find(|two| matches!(two[0].as_str(), "-path" | "-wholename"))
        .map(|two| two[1].as_str());
    let below = tests
        .windows(2)
        .any(|two| two[0] == "-mindepth" && two[1] != "0");
    let inside = text::marked(text::SOMETHING, "file");
    roots
        .iter()
        .map(|root| {
            let root = root.trim_end_matches('/');
            let slash = if root.is_empty() { "/" } else { root };
            match (
                picked,
                name.filter(|_| !negated),
                whole.filter(|_| !negated),
            ) {
                (false, ..) if !below => slash.to_owned(),
                (true, _, Some(path)) if path.starts_with(slash) => path.to_owned(),
                (true, Some(name), _) => format!("{root}/{name}"),
                _ => format!("{root}/{inside}"),
            }
        })
        .collect()
}

/// `fd PATTERN PATH -x CMD`.
fn fd(walk: &mut Walk<'_>, call: &Call) -> String {
    let at = call
        .args
        .iter()
        .position(|arg| matches!(arg.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"));
    let root = call.args[..at.unwrap_or(call.args.len())]
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .nth(1);
    let path = format!(
        "{}/{}",
        root.map_or(".", String::as_str),
        text::marked(text::SOMETHING, "file")
    );
    if let Some(at) = at {
        let mut argv: Vec<String> = call.args[at + 1..]
            .iter()
            .map(|arg| arg.replace("{}", &path))
            .collect();
        if !call.args[at + 1..].iter().any(|arg| arg.contains("{}")) {
            argv.push(path.clone());
        }
        walk.inner(&argv, &call.env, String::new());
    }
    path
}
