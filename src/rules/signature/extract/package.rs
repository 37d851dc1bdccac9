//! Package managers and build tools that run others.

use super::Reader;
use crate::rules::signature::records::Tier;

/// Beginnings of npm's lines that say nothing of the cause.
const ASIDE: [&str; 28] = [
    "A complete log",
    "path ",
    "cwd",
    "command ",
    "errno ",
    "syscall ",
    "If you ",
    "This is ",
    "Note that",
    "signal ",
    "Failed at the ",
    "Exit status ",
    "Lifecycle script",
    "Tell the author",
    "There is likely",
    "location ",
    "workspace ",
    "in workspace",
    "at location",
    "enoent This",
    "dest ",
    "To see",
    "npm ",
    "Did you mean",
    "To correct",
    "code ELIFECYCLE",
    "/",
    "You can get",
];

/// npm and pnpm; the lines of npm begin with its name.
pub(super) fn npm(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    if line.starts_with("npm warn")
        || line.starts_with("npm WARN")
        || line.starts_with("npm notice")
    {
        return 1;
    }
    if let Some(rest) = line
        .strip_prefix("ERR_PNPM_")
        .or_else(|| line.strip_prefix(" ERR_PNPM_"))
    {
        let (code, message) = rest.split_once(' ').unwrap_or((rest, ""));
        reader.told(&["pnpm", code, message]);
        return 1;
    }
    let Some(rest) = said(line) else {
        return 0;
    };
    let rest = rest.trim();
    let timed = rest.contains("_logs/") || rest.contains("debug-0.log");
    let number = rest.bytes().all(|b| b.is_ascii_digit());
    if rest.is_empty() || timed || number {
        return 1;
    }
    // A line with the same key as the one above goes on with what that one said.
    let key = |rest: &str| rest.split(' ').next().map(str::to_owned);
    let above = reader.at.checked_sub(1).map_or("", |at| reader.lines[at]);
    let goes_on =
        said(above).is_some_and(|above| !above.trim().is_empty() && key(above.trim()) == key(rest));
    if goes_on {
        return 1;
    }
    if ASIDE.iter().any(|start| rest.starts_with(start)) {
        reader.put(Tier::Wrapper, &["npm", "command failed"]);
    } else {
        reader.told(&["npm", rest]);
    }
    1
}

/// What stands behind the name of npm in one of its lines.
fn said(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("npm ERR!")
        .or_else(|| line.strip_prefix("npm error"))
}

/// Maven and Gradle; both say at length that something else failed.
pub(super) fn maven(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    if line.starts_with("> Task ") && line.ends_with(" FAILED")
        || line.starts_with("* Try:")
        || line.starts_with("FAILURE: Build failed")
    {
        reader.put(Tier::Wrapper, &[line]);
        return 1;
    }
    if line == "* What went wrong:" {
        let lines = reader.run(1, 6, |line| !line.is_empty());
        let said: Vec<&str> = (1..=lines).map(|by| reader.ahead(by).trim()).collect();
        reader.told(&["gradle", &said.join(" ")]);
        return 1 + lines;
    }
    let Some(rest) = line.strip_prefix("[ERROR]") else {
        return 0;
    };
    let rest = rest.trim();
    let aside = [
        "->",
        "To see",
        "Re-run",
        "For more",
        "[Help",
        "After correcting",
        "Please refer",
        "See ",
        "COMPILATION ERROR",
        "Failures:",
        "Errors:",
        "There are test failures",
    ];
    if rest.is_empty() || aside.iter().any(|start| rest.starts_with(start)) {
        return 1;
    }
    if rest.starts_with("Failed to execute goal") || rest.starts_with("Tests run:") {
        reader.put(Tier::Wrapper, &["maven", rest]);
        return 1;
    }
    // `ATest.testX:12 expected:<1> but was:<2>`, and what else it lists.
    let test = rest.split([' ', ':']).next().unwrap_or_default();
    let listed = test.contains('.') && rest[test.len()..].starts_with(':');
    if listed {
        let message = rest[test.len() + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        reader.cause(&["test", test, message]);
    } else {
        reader.told(&["maven", rest]);
    }
    1
}
