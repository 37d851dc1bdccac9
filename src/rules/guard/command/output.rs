//! Programs that read: what of it they write, so that a secret or a script is followed to where
//! it ends.

mod archive;
mod awk;
mod coded;
mod print;
mod table;

use super::super::call::Call;
use super::super::files::{in_place, sed};
use super::super::secrets;
use super::super::text::{self, SECRET, SOMETHING};
use super::super::walk::{SETTINGS, Walk};
use super::{filter, names};

use archive::archived;
use awk::awk;
use coded::{changed, coded, openssl};
use print::{echo, printenv, printf};
use table::{SCRIPTED, SETS_UP, SHOWS, TELLS};

pub(super) use table::AWK;

/// Whether such a program is asked for that.
fn prints_settings(call: &Call) -> bool {
    let asks = [
        "-s",
        "-c",
        "-b",
        "init",
        "hook",
        "env",
        "shellenv",
        "activate",
        "shell.bash",
        "path",
        "docker-env",
        "virtualenv-init",
    ];
    call.args.is_empty()
        || call
            .args
            .first()
            .is_some_and(|verb| asks.contains(&verb.as_str()))
}

/// This program, as processes are looked for.
pub(in super::super) const OWN: &str = "watchfloor";

/// Judges a program that reads; `None` for every other one.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let name = call.name.as_str();
    if let Some((_, valued)) = SHOWS.iter().find(|(known, _)| *known == name) {
        let seen = call.options(valued);
        if let Some(file) = seen.value("o", "output").filter(|_| name == "sort") {
            walk.emptying(file);
        }
        return Some(shows(walk, call, &seen.words));
    }
    if let Some((_, valued)) = SCRIPTED.iter().find(|(known, _)| *known == name) {
        return Some(scripted(walk, call, valued));
    }
    if matches!(name, "pgrep" | "pidof") && call.args.iter().any(|arg| arg.contains(OWN)) {
        return Some(text::marked(SOMETHING, OWN));
    }
    if TELLS.contains(&name) {
        let ls = matches!(name, "ls" | "dir" | "tree");
        return Some(text::marked(SOMETHING, if ls { "file" } else { "text" }));
    }
    match name {
        "echo" => Some(echo(call)),
        "printf" => Some(printf(walk, call)),
        "printenv" => Some(printenv(walk, call)),
        "env" => Some(walk.read_secret("secret.print-env", "env")),
        "pwd" => Some(walk.places.cwd().to_owned()),
        "which" | "whence" => {
            let word = call.args.iter().find(|arg| !arg.starts_with('-'));
            let word = word.cloned().unwrap_or_default();
            // Wherever it is, it is not in the workspace.
            let own = word == OWN;
            Some(if own {
                format!("/usr/local/bin/{word}")
            } else {
                word
            })
        }
        _ if SETS_UP.contains(&name) && prints_settings(call) => {
            walk.reads = false;
            Some(text::marked(SOMETHING, SETTINGS))
        }
        "basename" | "realpath" | "readlink" => {
            let word = call
                .args
                .iter()
                .find(|arg| !arg.starts_with('-'))
                .cloned()
                .unwrap_or_default();
            Some(if name == "basename" {
                text::base(&word).to_owned()
            } else {
                word
            })
        }
        "dirname" => Some(folders(call)),
        "mktemp" => {
            walk.reads = false;
            Some(format!("/tmp/{}", text::marked(SOMETHING, "temporary")))
        }
        "rev" => {
            let seen = call.options(&[]);
            let content = shows(walk, call, &seen.words);
            Some(changed(call, &content))
        }
        "tr" => Some(changed(call, &call.stdin)),
        "base64" | "gbase64" | "base32" | "xxd" | "uudecode" => Some(coded(walk, call)),
        "openssl" => Some(openssl(walk, call)),
        "gunzip" | "gzip" | "xz" | "zstd" | "bzip2"
            if call
                .args
                .iter()
                .any(|arg| arg.starts_with("-d") || arg.contains('c'))
                || call.args.is_empty() =>
        {
            walk.reads = false;
            let seen = call.options(&["-S", "--suffix"]);
            Some(shows(walk, call, &seen.words))
        }
        "tar" | "gtar" | "bsdtar" | "zip" => archived(walk, call),
        "nc" | "ncat" | "netcat" | "socat" | "telnet" => {
            walk.reads = false;
            let stdin = call.stdin.clone();
            walk.show(&stdin);
            Some(text::marked(text::DOWNLOAD, "download"))
        }
        "xclip" | "pbcopy" | "wl-copy" | "logger" | "wall" | "write" | "mail" | "sendmail" => {
            walk.reads = false;
            let stdin = call.stdin.clone();
            let args = call.args.join(" ");
            walk.show(&stdin);
            walk.show(&args);
            Some(String::new())
        }
        _ => None,
    }
}

/// The folders of what `dirname` is given. Of a name that is not known to the last bar nothing is
/// known, as of a file's content.
fn folders(call: &Call) -> String {
    let mut out = String::new();
    for word in call.args.iter().filter(|arg| !arg.starts_with('-')) {
        let path = word.trim_end_matches('/');
        let name = text::base(path);
        let folder = path.strip_suffix(name).unwrap_or_default();
        let above = folder.trim_end_matches('/');
        out.push_str(&match (above, folder) {
            _ if !text::literal(word) && above.is_empty() => text::marked(SOMETHING, "content"),
            ("", "") if path.is_empty() && word.starts_with('/') => "/".to_owned(),
            ("", "") => ".".to_owned(),
            ("", _) => "/".to_owned(),
            _ => above.to_owned(),
        });
        out.push('\n');
    }
    out
}

/// The files' contents, or what comes in where no file is named.
fn shows(walk: &mut Walk<'_>, call: &Call, files: &[&str]) -> String {
    let mut out = String::new();
    for file in files {
        let more = if *file == "-" {
            call.stdin.clone()
        } else {
            walk.file(file)
        };
        if walk.spend(more.len()) {
            out.push_str(&more);
        }
    }
    if files.is_empty() {
        out.push_str(&call.stdin);
    }
    let signs = signs(walk, files);
    quieted(call, out, signs)
}

/// The signs that end a name in the secret that a filter reads, from a file or from what comes in.
fn signs(walk: &Walk<'_>, files: &[&str]) -> &'static str {
    let secret = files.iter().find(|file| walk.places.is_secret(file));
    secret.map_or_else(|| walk.signs(), |file| secrets::files::signs(file))
}

/// What a filter lets through.
fn quieted(call: &Call, out: String, signs: &str) -> String {
    let quiet = matches!(call.name.as_str(), "diff" | "cmp")
        && (call.has("-q") || call.has("-s") || call.has("--brief"));
    let ends = super::super::files::endless(&out) && limited(call);
    if quiet || ends || names::only(call, signs) {
        return text::marked(SOMETHING, "text");
    }
    let cuts = !matches!(
        call.name.as_str(),
        "cat" | "gcat" | "bat" | "less" | "more" | "zcat" | "gzcat" | "gzip" | "rev"
    );
    // Of a part of a script nothing is known.
    if cuts && text::literal(&out) && !out.is_empty() && !whole(call, &out) {
        return text::marked(text::UNKNOWN, "output");
    }
    out
}

/// Whether a program takes only so much of what never ends.
fn limited(call: &Call) -> bool {
    let flag = |letters: &[&str]| {
        let seen = call.options(letters);
        letters.iter().any(|flag| seen.flag(&flag[1..], "", 9))
    };
    match call.name.as_str() {
        "head" => !much(call),
        "tail" => {
            let follows = call.options(&["-n", "-c"]).flags().any(|(name, value)| {
                name == "f"
                    || name == "F"
                    || name.starts_with("--follow")
                    || value.is_some_and(|value| value.starts_with('+'))
            });
            !follows && !much(call)
        }
        "od" => flag(&["-N"]),
        "hexdump" => flag(&["-n"]),
        _ => false,
    }
}

/// Whether `head` takes more than a disk holds.
fn much(call: &Call) -> bool {
    call.args
        .iter()
        .filter_map(|arg| {
            super::super::files::size(arg.trim_start_matches("-c").trim_start_matches("--bytes="))
        })
        .any(|size| size >= 10 << 30)
}

/// Whether a program that could cut something off leaves a short text whole.
fn whole(call: &Call, out: &str) -> bool {
    let few = out.lines().count() <= 1;
    let plain = call
        .args
        .iter()
        .all(|arg| matches!(arg.as_str(), "-n1" | "-1" | "-n" | "1" | "-" | "-u" | "-r"));
    few && matches!(
        call.name.as_str(),
        "head" | "tail" | "sort" | "uniq" | "tac" | "fold" | "strings"
    ) && plain
}

fn scripted(walk: &mut Walk<'_>, call: &Call, valued: &[&str]) -> String {
    let seen = call.options(valued);
    let greps = call.name.ends_with("grep") || call.name == "rg";
    let given = [("e", "expression"), ("f", "file"), ("", "regexp")]
        .iter()
        .any(|(letter, long)| !seen.values(letter, long).is_empty());
    let files = seen.words.get(usize::from(!given)..).unwrap_or_default();
    let mut out = String::new();
    if call.name.ends_with("sed") {
        let scripts = sed::programs(walk, call);
        walk.reads &= !in_place(call);
        for script in &scripts {
            sed::runs(walk, script);
        }
        out = sed::named(walk, &scripts);
    }
    if call.name.ends_with("awk") {
        awk(walk, call, &seen);
    }
    if greps && filter::counts(call) {
        return text::marked(SOMETHING, "text");
    }
    let recursive = greps && (seen.flag("r", "recursive", 3) || seen.flag("R", "", 1));
    for file in files {
        let more = walk.file(file);
        if !recursive || more.contains(SECRET) {
            out.push_str(&more);
        }
    }
    if files.is_empty() {
        out.push_str(&call.stdin);
    }
    if names::only(call, signs(walk, files)) {
        return text::marked(SOMETHING, "text");
    }
    let variables = out == text::marked(SECRET, "value");
    if greps && variables && filter::picks_harmless(&seen) {
        return text::marked(SOMETHING, "text");
    }
    if out.contains(SECRET) || out.contains(text::DOWNLOAD) {
        return out;
    }
    if greps && !out.is_empty() && text::literal(&out) {
        // A part of what is known, or all of it.
        return out;
    }
    text::marked(text::UNKNOWN, "output")
}
