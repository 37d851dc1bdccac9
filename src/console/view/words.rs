//! Plain words for what the store holds: ages, clocks, names, states.

use crate::console::theme::Role;
use crate::contract::row::LogRow;
use crate::contract::time::parse_rfc3339;

const MINUTE: i64 = 60_000_000;

/// How long ago, with its unit: `<1 min`, `4 min`, `1 h`, `3 d`.
#[must_use]
pub fn age(now_us: i64, at: &str) -> String {
    let Some(then) = parse_rfc3339(at) else {
        return String::new();
    };
    let minutes = (now_us - then).max(0) / MINUTE;
    match minutes {
        0 => "<1 min".to_owned(),
        1..60 => format!("{minutes} min"),
        60..2880 => format!("{} h", minutes / 60),
        _ => format!("{} d", minutes / 1440),
    }
}

/// `14:02` in local time, or `14:02 UTC` when the offset is not known.
#[must_use]
pub fn clock(at_us: i64, utc_offset_min: Option<i32>) -> String {
    let minutes = at_us.div_euclid(MINUTE) + i64::from(utc_offset_min.unwrap_or(0));
    let day = minutes.rem_euclid(1440);
    let zone = if utc_offset_min.is_none() { " UTC" } else { "" };
    format!("{:02}:{:02}{zone}", day / 60, day % 60)
}

/// `14:02:07` in the time that the header shows.
#[must_use]
pub fn clock_seconds(at: &str, utc_offset_min: Option<i32>) -> String {
    let Some(at_us) = parse_rfc3339(at) else {
        return at.to_owned();
    };
    let local = at_us + i64::from(utc_offset_min.unwrap_or(0)) * MINUTE;
    let seconds = local.div_euclid(1_000_000).rem_euclid(86_400);
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// A project's name: the folder that holds its git directory.
#[must_use]
pub fn project(id: &str) -> &str {
    let path = id.trim_end_matches('/').trim_end_matches("/.git");
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".git").unwrap_or(name);
    if name.is_empty() { id } else { name }
}

/// A breaker's scope with its project: `api/T-12`, `agent codex-2`, `whole fleet`.
#[must_use]
pub fn scope(scope: &str, project_id: Option<&str>) -> String {
    let id = scope.split_once(':').map_or(scope, |(_, id)| id);
    match (scope.split_once(':'), project_id) {
        (None, _) => "whole fleet".to_owned(),
        (Some(("project", path)), _) => format!("all of {}", project(path)),
        (Some(("agent" | "session", agent)), _) => format!("agent {agent}"),
        (Some(_), Some(name)) => format!("{}/{id}", project(name)),
        (Some(_), None) => id.to_owned(),
    }
}

/// `1 agent`, `2 agents`.
#[must_use]
pub fn count(n: u64, one: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else if let Some(stem) = one.strip_suffix('y') {
        format!("{n} {stem}ies")
    } else {
        format!("{n} {one}s")
    }
}

/// Words with underscores as words with blanks.
#[must_use]
pub fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// The role of a state word, of whatever kind of row.
#[must_use]
pub fn state(word: &str) -> Role {
    match word {
        "open" => Role::Open,
        "closed" => Role::Closed,
        "working" => Role::Working,
        "stopped" => Role::Stopped,
        "ended" => Role::Ended,
        _ => Role::Unknown,
    }
}

/// The role of a task's state.
#[must_use]
pub fn task_state(word: &str) -> Role {
    match word {
        "open" => Role::TaskOpen,
        "escalated" => Role::Escalated,
        "done" => Role::Done,
        _ => Role::Unknown,
    }
}

/// Who may do it: `a lead`, `a human`.
#[must_use]
pub fn who(role: &str) -> String {
    format!("a {role}")
}

/// What a record is and says: its schema without what all schemas share, or its own words.
#[must_use]
pub fn record(row: &LogRow) -> String {
    let bare = row.what.strip_prefix("watchfloor.").unwrap_or(&row.what);
    let bare = bare.rsplit_once(".v").map_or(bare, |(name, version)| {
        if version.bytes().all(|b| b.is_ascii_digit()) {
            name
        } else {
            bare
        }
    });
    format!("{} {}", row.kind, bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        let now = parse_rfc3339("2026-11-30T12:00:00Z").unwrap();
        for (at, age_) in [
            ("2026-11-30T11:59:30Z", "<1 min"),
            ("2026-11-30T12:00:30Z", "<1 min"),
            ("2026-11-30T11:56:00Z", "4 min"),
            ("2026-11-30T10:30:00Z", "1 h"),
            ("2026-11-27T12:00:00Z", "3 d"),
            ("soon", ""),
        ] {
            assert_eq!(age(now, at), age_, "{at}");
        }
        assert_eq!(clock(now, Some(60)), "13:00");
        assert_eq!(clock(now, None), "12:00 UTC");
        assert_eq!(clock_seconds("2026-11-30T23:59:07Z", Some(-30)), "23:29:07");
    }

    #[test]
    fn names_are_short() {
        assert_eq!(project("/srv/api/.git"), "api");
        assert_eq!(project("/srv/api.git"), "api");
        assert_eq!(project("web"), "web");
        assert_eq!(project("/"), "/");
        assert_eq!(scope("task:T-12", Some("/srv/api/.git")), "api/T-12");
        assert_eq!(scope("fleet", None), "whole fleet");
        assert_eq!(scope("agent:codex-2", None), "agent codex-2");
        assert_eq!(scope("project:/srv/api/.git", None), "all of api");
        assert_eq!(count(1, "try"), "1 try");
        assert_eq!(count(3, "try"), "3 tries");
    }
}
