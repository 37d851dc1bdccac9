//! Database clients, and which statements only read.

use crate::contract::guard::Grantable;

use super::super::call::Call;
use super::super::paths::Place;
use super::super::text;
use super::super::walk::Walk;
use super::{Named, kind};

const VALUED: [&str; 26] = [
    "-c",
    "-e",
    "-f",
    "-h",
    "-p",
    "-U",
    "-u",
    "-d",
    "-D",
    "-P",
    "-n",
    "-v",
    "-o",
    "-L",
    "-S",
    "-a",
    "--command",
    "--execute",
    "--eval",
    "--file",
    "--host",
    "--port",
    "--username",
    "--dbname",
    "--query",
    "--variable",
];

/// Judges a client of a database; `None` for every other program.
pub(in super::super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let reads = walk.reads;
    match call.name.as_str() {
        "psql" | "mysql" | "mariadb" | "clickhouse-client" | "cqlsh" | "sqlcmd" | "usql"
        | "pgcli" | "mycli" => {
            sql(walk, call, reads);
        }
        "mongosh" | "mongo" => mongo(walk, call),
        "redis-cli" | "valkey-cli" => redis(walk, call),
        "dropdb" | "createdb" | "pg_restore" | "mysqladmin" | "mysqlimport" | "mongorestore"
        | "mongoimport" | "dropuser" => {
            walk.reads = false;
            let target = target(walk, call, &[]);
            write(walk, target, call);
        }
        "sqlite3" | "sqlite" => sqlite(walk, call, reads),
        _ => return None,
    }
    Some(text::marked(text::UNKNOWN, "output"))
}

/// A statement that writes goes to a production database.
fn write(walk: &mut Walk<'_>, target: Named, call: &Call) {
    walk.reads = false;
    if target == Named::Production {
        let host = call.options(&VALUED).value("h", "host").map(str::to_owned);
        let wants = host.filter(|host| text::literal(host)).map(Grantable::Host);
        walk.report("prod.db", &call.name, wants);
    }
}

/// What the words besides the statements name.
fn target(walk: &Walk<'_>, call: &Call, statements: &[&str]) -> Named {
    let words = call
        .args
        .iter()
        .filter(|arg| !statements.iter().any(|statement| arg.ends_with(statement)));
    let env = [
        "DATABASE_URL",
        "PGHOST",
        "PGDATABASE",
        "PGSERVICE",
        "MYSQL_HOST",
        "REDIS_URL",
        "MONGO_URL",
    ];
    let set = env.iter().filter_map(|name| {
        call.env(name)
            .map(str::to_owned)
            .or_else(|| walk.variable(name)?.texts.first().cloned())
    });
    let mut kinds: Vec<Named> = words.map(|word| kind(walk, word)).collect();
    kinds.extend(set.map(|value| kind(walk, &value)));
    super::strictest(&kinds).unwrap_or(Named::Nothing)
}

fn sql(walk: &mut Walk<'_>, call: &Call, reads: bool) {
    let seen = call.options(&VALUED);
    let mut statements: Vec<&str> = Vec::new();
    statements.extend(seen.values("c", "command"));
    statements.extend(seen.values("e", "execute"));
    statements.extend(seen.values("", "query"));
    let letter_e = call.name.starts_with("psql");
    if letter_e {
        // There it only echoes.
        statements.retain(|statement| {
            !seen.values("e", "").contains(statement)
                || seen.values("c", "command").contains(statement)
        });
    }
    let target = target(walk, call, &statements);
    let file = seen.value("f", "file").is_some() && call.name.starts_with("psql");
    let fed = !call.stdin.is_empty();
    let asks = seen.flag("l", "list", 3) || seen.flag("V", "version", 3) || call.has("--help");
    if asks && statements.is_empty() && !file && !fed {
        return;
    }
    let harmless = statements.iter().all(|statement| only_reads(statement))
        && !file
        && (!fed || (text::literal(&call.stdin) && only_reads(&call.stdin)));
    if statements.is_empty() && !file && !fed {
        // Nobody types into it.
        walk.reads = false;
    } else if harmless {
        walk.reads = reads;
    } else {
        write(walk, target, call);
    }
}

fn mongo(walk: &mut Walk<'_>, call: &Call) {
    let seen = call.options(&["--eval", "--host", "--port", "-u", "-p", "--file", "-f"]);
    let scripts = seen.values("", "eval");
    let changes = [
        "drop", "delete", "remove", "update", "insert", "replace", "rename", "save(", "create",
        "shutdown",
    ];
    let target = target(walk, call, &scripts);
    let changing = scripts.iter().any(|script| {
        let lower = script.to_ascii_lowercase();
        changes.iter().any(|word| lower.contains(word))
    });
    let fed = !call.stdin.is_empty() || seen.words.iter().any(|word| word.ends_with(".js"));
    if changing || fed {
        write(walk, target, call);
    } else if scripts.is_empty() {
        walk.reads = false;
    }
}

fn redis(walk: &mut Walk<'_>, call: &Call) {
    let seen = call.options(&[
        "-h", "-p", "-u", "-a", "-n", "-s", "--user", "--pass", "-r", "-i", "--eval",
    ]);
    let verb = seen.words.first().map(|word| word.to_ascii_lowercase());
    let target = target(walk, call, &[]);
    let reads = [
        "get",
        "mget",
        "keys",
        "scan",
        "info",
        "ttl",
        "pttl",
        "type",
        "exists",
        "llen",
        "lrange",
        "lindex",
        "hget",
        "hgetall",
        "hkeys",
        "hvals",
        "hlen",
        "hmget",
        "smembers",
        "scard",
        "sismember",
        "zrange",
        "zcard",
        "zscore",
        "ping",
        "dbsize",
        "memory",
        "strlen",
        "getrange",
        "time",
        "slowlog",
        "latency",
        "xlen",
        "xrange",
        "object",
    ];
    let config = verb.as_deref() == Some("config")
        && seen
            .words
            .get(1)
            .is_some_and(|word| word.eq_ignore_ascii_case("get"));
    match verb {
        Some(verb) if reads.contains(&verb.as_str()) || config => {}
        None if call.stdin.is_empty() && seen.value("", "eval").is_none() => walk.reads = false,
        _ => write(walk, target, call),
    }
}

fn sqlite(walk: &mut Walk<'_>, call: &Call, reads: bool) {
    let seen = call.options(&["-cmd", "-init", "-separator", "-nullvalue"]);
    let words: Vec<&str> = call
        .args
        .iter()
        .map(String::as_str)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let Some(file) = words.first() else {
        return;
    };
    let mut harmless = words[1..].iter().all(|statement| only_reads(statement));
    harmless &= call.stdin.is_empty() || (text::literal(&call.stdin) && only_reads(&call.stdin));
    harmless |= call.has("-readonly");
    let empty = words.len() == 1 && call.stdin.is_empty();
    drop(seen);
    let place = walk.places.place(file);
    if harmless && !empty {
        walk.reads = reads;
        return;
    }
    walk.reads = false;
    if matches!(place, Place::Store | Place::Receipts) && !empty {
        walk.report("persist.ledger", file, None);
    } else if kind(walk, file) == Named::Production && !empty {
        write(walk, Named::Production, call);
    }
}

/// Whether statements only read.
pub(in super::super) fn only_reads(sql: &str) -> bool {
    let bare = without_texts(sql);
    bare.split(';').all(|statement| {
        let statement = statement.trim().to_ascii_lowercase();
        if statement.starts_with("\\!") {
            return false;
        }
        let mut words = statement
            .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '\\' | '.')));
        let mut words = words.by_ref().filter(|word| !word.is_empty());
        let Some(first) = words.next() else {
            return true;
        };
        let asks = [
            "select", "show", "explain", "describe", "desc", "with", "values", "table", "use",
            "begin", "commit", "rollback", "pragma", "list", "set", "help", "start", "end",
            "analyze",
        ];
        let changes = [
            "insert", "update", "delete", "drop", "truncate", "alter", "create", "grant", "revoke",
            "into", "merge", "replace", "copy", "call", "do", "vacuum", "reindex", "attach",
            "detach",
        ];
        let meta = (first.starts_with('\\')
            && !first.starts_with("\\!")
            && !first.starts_with("\\copy")
            && !first.starts_with("\\i")
            && !first.starts_with("\\g"))
            || matches!(
                first,
                ".schema" | ".tables" | ".databases" | ".dump" | ".indexes" | ".headers" | ".mode"
            );
        if first == "pragma" && statement.contains('=') && !statement.contains("query_only") {
            return false;
        }
        meta || (asks.contains(&first) && !words.any(|word| changes.contains(&word)))
    })
}

/// Without what stands in quotes and comments.
fn without_texts(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut chars = sql.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' | '`' => {
                for inside in chars.by_ref() {
                    if inside == c {
                        break;
                    }
                }
                out.push('x');
            }
            '-' if chars.peek() == Some(&'-') => {
                for inside in chars.by_ref() {
                    if inside == '\n' {
                        break;
                    }
                }
                out.push(' ');
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut star = false;
                for inside in chars.by_ref() {
                    if star && inside == '/' {
                        break;
                    }
                    star = inside == '*';
                }
                out.push(' ');
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_only_read_are_told_from_others() {
        for sql in [
            "select 1",
            "SELECT * FROM t;",
            "  select 'delete from x'",
            "show tables; select 1",
            "explain select 1",
            "with a as (select 1) select * from a",
            "-- drop\nselect 1",
            "\\d users",
            "/* update */ select 1",
            "",
            ";",
        ] {
            assert!(only_reads(sql), "{sql}");
        }
        for sql in [
            "DELETE FROM users",
            "drop table t",
            "select 1; truncate x",
            "explain analyze delete from t",
            "with a as (delete from t returning *) select * from a",
            "update t set x=1",
            "/* select */ drop table t",
            "select * into y from x",
            "pragma journal_mode=delete",
            "vacuum",
            "\\! rm x",
            "copy t to program 'x'",
        ] {
            assert!(!only_reads(sql), "{sql}");
        }
    }

    #[test]
    fn texts_comments_and_settings_are_no_statements() {
        for (sql, want) in [
            ("pragma query_only=1", true),
            ("pragma query_only = on", true),
            ("pragma x", true),
            ("pragma x=1", false),
            ("select a=1", true),
            ("select 1 - delete", false),
            ("select 1 -1 delete", false),
            ("select 1 / delete", false),
            ("select 'it' delete", false),
            ("select 1 /x/ delete", false),
        ] {
            assert_eq!(only_reads(sql), want, "{sql}");
        }
    }
}
