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

/// How long still: `40 s`, `4 min`, `2 h`. Under two minutes seconds count.
#[must_use]
pub fn span(us: i64) -> String {
    let seconds = us.max(0) / 1_000_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

/// A schema without what all of the product's own share.
#[must_use]
pub fn schema(id: &str) -> &str {
    id.strip_prefix("watchfloor.").unwrap_or(id)
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
        (Some(("agent" | "session", agent)), _) => format!("agent {}", name(agent)),
        (Some(_), Some(of)) => format!("{}/{}", project(of), name(id)),
        (Some(_), None) => name(id),
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
        "idle" => Role::Idle,
        _ => Role::Unknown,
    }
}

/// The role of an agent's lamp; a plain caller has none.
#[must_use]
pub fn lamp(word: &str) -> Option<Role> {
    match word {
        "proven" => Some(Role::Proven),
        "leaking" => Some(Role::Leaking),
        "gated" => Some(Role::Gated),
        "observed" => Some(Role::Observed),
        _ => None,
    }
}

/// A count that may be large, in at most five columns: `940`, `12k`, `3.4M`.
#[must_use]
pub fn short_count(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{}k", n / 1_000),
        1_000_000..100_000_000 => format!("{}.{}M", n / 1_000_000, n / 100_000 % 10),
        _ => format!("{}M", n / 1_000_000),
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

/// A name as a row shows it: a session's task without its prefix, and a UUID by its last four
/// characters, as handles are. What stands first in a UUID is the time, the same for many.
#[must_use]
pub fn name(text: &str) -> String {
    let ends = [':', '/', ' '];
    let short = |part: &str| {
        let bare = part.trim_end_matches(ends);
        let end = &part[bare.len()..];
        let (prefix, id) = match bare.strip_prefix("session-") {
            Some(id) => ("s-", id),
            None => ("", bare),
        };
        let id = if is_uuid(id) { &id[32..] } else { id };
        format!("{prefix}{id}{end}")
    };
    text.split_inclusive(ends).map(short).collect()
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_where_they_are_made_of_ids() {
        let id = "01a22d8a-8084-7604-ad09-75aa9454a189";
        assert_eq!(name(&format!("session-{id}")), "s-a189");
        assert_eq!(name(&format!("claude:{id}/sub")), "claude:a189/sub");
        assert_eq!(name(&format!("pi:{id}")), "pi:a189");
        assert_eq!(
            name(&format!("retry task:session-{id}")),
            "retry task:s-a189"
        );
        for plain in [
            "T-12",
            "a1",
            "",
            "größe",
            "01a22d8a-8084-7604-ad09-75aa9454a18g",
        ] {
            assert_eq!(name(plain), plain);
        }
    }

    #[test]
    fn large_counts_are_short() {
        for (n, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (999_999, "999k"),
            (3_456_789, "3.4M"),
            (123_456_789, "123M"),
        ] {
            assert_eq!(short_count(n), shown);
        }
    }

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
