//! git and patch.

use super::Reader;
use crate::rules::signature::records::Tier;

/// Conflicts, refused pushes, patches that do not apply: they name a cause.
pub(super) fn conflict(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    if line.starts_with("CONFLICT (") {
        reader.cause(&[line]);
        return 1;
    }
    if let Some(rest) = line.strip_prefix("! [")
        && let Some((verdict, refs)) = rest.split_once(']')
        && verdict.ends_with("rejected")
    {
        reader.cause(&[verdict, refs]);
        return 1;
    }
    if let Some(file) = line.strip_prefix("patching file ") {
        reader.about(file);
        return 1;
    }
    if let Some(rest) = line.strip_prefix("Hunk #")
        && rest.contains("FAILED at")
    {
        let file = reader.file.unwrap_or_default();
        reader.cause(&["hunk failed", file]);
        return 1;
    }
    let applies = line.strip_prefix("error: ").filter(|rest| {
        rest.ends_with("patch does not apply") || rest.starts_with("patch failed: ")
    });
    if let Some(rest) = applies {
        let rest = rest.strip_prefix("patch failed: ").unwrap_or(rest);
        let file = rest.split(':').next().unwrap_or_default();
        reader.cause(&["patch does not apply", file]);
        return 1;
    }
    usize::from(line.starts_with("Automatic merge failed;") && reader.at > 0)
}

/// What git could not do.
pub(super) fn told(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let line = line.strip_prefix("remote: ").unwrap_or(line);
    if line.starts_with("hint: ") {
        return 1;
    }
    let repeats = [
        "error: failed to push some refs",
        "fatal: Could not read from remote repository",
        "fatal: the remote end hung up",
        "fatal: early EOF",
        "Please make sure you have the correct access rights",
        "error: could not apply ",
    ];
    if repeats.iter().any(|start| line.starts_with(start)) {
        reader.put(Tier::Wrapper, &[line]);
        return 1;
    }
    let overwritten = line.starts_with("error: ") && line.contains("would be overwritten by");
    if overwritten {
        let files = reader.run(1, 64, |line| line.starts_with(' '));
        let mut names: Vec<&str> = (1..=files).map(|by| reader.ahead(by).trim()).collect();
        names.sort_unstable();
        reader.told(&[line, &names.join(" ")]);
        return 1 + files;
    }
    let Some(message) = line.strip_prefix("fatal: ") else {
        return 0;
    };
    reader.told(&["fatal", message]);
    1
}
