//! Databases, infrastructure, servers.

use super::Reader;

/// How far a finding's block is read, in lines.
const FAR: usize = 40;

/// `│ Error: title` in a box.
pub(super) fn terraform(reader: &mut Reader<'_>) -> usize {
    let inside = |line: &str| {
        line.trim_start()
            .strip_prefix('│')
            .map(|rest| rest.trim().to_owned())
    };
    let Some(title) = inside(reader.line()) else {
        return 0;
    };
    let Some(title) = title.strip_prefix("Error: ") else {
        return 0;
    };
    let lines = reader.run(1, FAR, |line| line.trim_start().starts_with('│'));
    let mut place = String::new();
    let mut detail = String::new();
    for by in 1..=lines {
        let Some(line) = inside(reader.ahead(by)) else {
            continue;
        };
        let code = line
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .starts_with(':');
        if let Some(on) = line.strip_prefix("on ") {
            on.trim_end_matches(':').clone_into(&mut place);
        } else if !line.is_empty() && !code && !line.starts_with('├') && detail.is_empty() {
            detail = line;
        }
    }
    reader.cause(&["terraform", title, &place, &detail]);
    1 + lines
}

/// `ERROR:  relation "x" does not exist`, `ERROR 1146 (42S02) at line 1: ...`, `ORA-00942: ...`.
pub(super) fn sql(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let server = line
        .find("ERROR:  ")
        .filter(|at| *at == 0 || line.starts_with("psql:"));
    if let Some(at) = server {
        reader.cause(&["sql", &line[at + 8..]]);
        return 1;
    }
    if let Some(rest) = line.strip_prefix("ERROR ")
        && let Some((code, message)) = rest.split_once(": ")
        && code.starts_with(|c: char| c.is_ascii_digit())
        && code.contains('(')
    {
        let code = code.split_once(" at line").map_or(code, |(code, _)| code);
        reader.cause(&["sql", &format!("error {code}"), message]);
        return 1;
    }
    if line.starts_with("ORA-") || line.starts_with("Parse error near line") {
        reader.cause(&["sql", line]);
        return 1;
    }
    0
}

/// The status line of an answer that refuses.
pub(super) fn http(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start().trim_start_matches("< ");
    let Some(rest) = line.strip_prefix("HTTP/") else {
        return 0;
    };
    let Some((_, status)) = rest.split_once(' ') else {
        return 0;
    };
    let code = status.split(' ').next().unwrap_or_default();
    if code.len() == 3 && code.starts_with(['4', '5']) {
        reader.told(&["HTTP", code]);
    }
    1
}

/// A process that was ended for want of memory.
pub(super) fn oom(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    if line.contains("OOMKilled") {
        reader.told(&["out of memory", "OOMKilled"]);
        return 1;
    }
    let lower = line.contains("ut of memory");
    if let Some((_, rest)) = line
        .split_once("Killed process ")
        .or_else(|| line.split_once("Kill process "))
    {
        let name = rest
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        reader.told(&["out of memory", name.map_or("", |(name, _)| name)]);
        return 1;
    }
    if let Some((_, rest)) = line.split_once("oom-kill:") {
        let task = rest
            .split(',')
            .find_map(|field| field.strip_prefix("task="));
        reader.told(&["out of memory", task.unwrap_or_default()]);
        return 1;
    }
    if lower && !line.contains(':') {
        reader.told(&["out of memory"]);
        return 1;
    }
    0
}
