//! Restarts of the chain (spec 3.6): which records a verification leaves out, because a person
//! has seen that they do not verify and signed that the chain goes on behind them.

use rusqlite::Connection;

use crate::contract::event::{CHAIN_RESTART, ChainRestart};

const RESTARTS: &str = "SELECT body FROM journal \
    WHERE kind <> 'attempt' AND kind = 'event' AND schema = ?1 ORDER BY seq";

/// The restarts that the journal records, oldest first. Whether a signature stands behind each
/// is not told here. A database that cannot be read has none.
pub(super) fn recorded(connection: &Connection) -> Vec<ChainRestart> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(RESTARTS)?;
        let bodies = statement.query_map([CHAIN_RESTART], |row| row.get(0))?;
        bodies.collect()
    };
    let bodies = read().unwrap_or_default();
    bodies
        .iter()
        .filter_map(|body| serde_json::from_str(body).ok())
        .collect()
}

/// The ranges of records, first and last, that no restart leaves out.
pub(super) fn kept(rows: u64, restarts: &[ChainRestart]) -> Vec<(u64, u64)> {
    let mut out: Vec<(u64, u64)> = restarts
        .iter()
        .map(|restart| (restart.first_bad.max(1), restart.after))
        .filter(|(first, last)| first <= last)
        .collect();
    out.sort_unstable();
    let (mut kept, mut from) = (Vec::new(), 1);
    for (first, last) in out {
        if from < first {
            kept.push((from, (first - 1).min(rows)));
        }
        from = from.max(last.saturating_add(1));
    }
    if from <= rows {
        kept.push((from, rows));
    }
    kept.retain(|(from, to)| from <= to);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ids::RecordId;

    fn restart(first_bad: u64, after: u64) -> ChainRestart {
        ChainRestart {
            schema: CHAIN_RESTART.to_owned(),
            first_bad,
            last_good: String::new(),
            after,
            after_hash: String::new(),
            reset_id: RecordId::new("r"),
        }
    }

    #[test]
    fn what_is_left_out_is_left_out_once() {
        assert_eq!(kept(9, &[]), [(1, 9)]);
        assert_eq!(kept(0, &[]), []);
        assert_eq!(kept(9, &[restart(3, 5)]), [(1, 2), (6, 9)]);
        assert_eq!(kept(9, &[restart(1, 5)]), [(6, 9)]);
        assert_eq!(
            kept(20, &[restart(8, 12), restart(3, 9)]),
            [(1, 2), (13, 20)]
        );
        assert_eq!(
            kept(20, &[restart(3, 15), restart(5, 9)]),
            [(1, 2), (16, 20)]
        );
        assert_eq!(kept(9, &[restart(3, 9)]), [(1, 2)]);
        assert_eq!(kept(4, &[restart(9, 12)]), [(1, 4)]);
        assert_eq!(kept(9, &[restart(5, 3)]), [(1, 9)]);
    }
}
