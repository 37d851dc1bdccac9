//! What known calls in code do with the texts that they are given.

use super::super::prod::{self, Named};
use super::super::ssh;
use super::super::text::SECRET;
use super::super::walk::Walk;
use super::calls::Does;
use super::words::{quoted, strings};

/// Judges a call by its texts; answers what it would write of secrets.
pub(super) fn judge(walk: &mut Walk<'_>, name: &str, does: Does, args: &str, code: &str) -> String {
    let texts = strings(args);
    let first = texts.first().cloned().unwrap_or_default();
    match does {
        Does::Runs => return runs(walk, name, args, &texts),
        Does::Deletes => deletes(walk, name, args, &texts, code),
        Does::Writes => walk.emptying(&first),
        Does::Reads => {
            let mode = texts.get(1).map_or("", String::as_str);
            let writes = matches!(mode.chars().next(), Some('w' | 'a' | 'x')) && mode.len() <= 3;
            if mode.starts_with('w') && writes {
                walk.emptying(&first);
            } else if writes || first.starts_with("/dev/") {
                walk.writing(&first);
            } else if !first.is_empty() {
                let content = walk.file(&first);
                if content.contains(SECRET) {
                    return content;
                }
            }
        }
        Does::Reaches => {
            ssh::reach(walk, "ssh.session", &first);
        }
        Does::Sends => {
            if prod::kind(
                walk,
                first
                    .split("://")
                    .nth(1)
                    .unwrap_or_default()
                    .split('/')
                    .next()
                    .unwrap_or_default(),
            ) == Named::Production
            {
                walk.report("prod.http", name, None);
            }
        }
    }
    String::new()
}

/// A command, as one text or in words.
fn runs(walk: &mut Walk<'_>, name: &str, args: &str, texts: &[String]) -> String {
    let first = texts.first().map_or("", String::as_str);
    let list = args.trim_start_matches('(').trim_start().starts_with('[') || texts.len() > 1;
    if list && !texts.is_empty() {
        // Words of one command, in a list or one after another.
        // Behind the program stands how it is called there.
        let twice =
            name.starts_with("os.exec") && name != "os.execute" || name.starts_with("os.spawn");
        let words: Vec<String> = texts
            .iter()
            .enumerate()
            .filter(|(at, _)| !twice || *at != 1)
            .map(|(_, text)| text)
            .take_while(|text| !matches!(text.as_str(), "utf8" | "utf-8" | "inherit"))
            .cloned()
            .collect();
        return if words.len() == 1 || name == "os.system" {
            walk.script(first, "")
        } else {
            walk.script(&quoted(&words), "")
        };
    }
    if !first.is_empty() {
        return walk.script(first, "");
    }
    if !(name.starts_with('.') || matches!(name, "exec" | "spawn" | "system")) {
        walk.unclear("code runs a command that is not known");
    }
    String::new()
}

/// Files or folders, in the call itself or, where it has no texts, elsewhere in the code.
fn deletes(walk: &mut Walk<'_>, name: &str, args: &str, texts: &[String], code: &str) {
    let recursive = !matches!(
        name,
        "os.remove" | "os.unlink" | "unlinkSync" | "unlink" | "fs.unlink" | "File.delete"
    );
    for path in texts
        .iter()
        .filter(|text| !matches!(text.as_str(), "recursive" | "force"))
    {
        walk.deleting(path, recursive);
    }
    if texts.is_empty() && recursive {
        // What it is called with stands elsewhere in the code.
        for path in strings(code)
            .iter()
            .filter(|text| text.starts_with(['/', '~']))
        {
            walk.deleting(path, true);
        }
        let inner = args.trim_matches(['(', ')', ' ']);
        if inner.contains("homedir") || inner.contains("expanduser") || inner.contains("Dir.home") {
            walk.deleting("~", true);
        }
    }
}
