//! What somebody wrote by hand under a name of ours: it is known here, and never touched.

use serde_json::json;

use super::edit::{Seen, Standing, command};
use super::toml::{self, Table};
use super::tree::Fault;
use super::words::{self, SERVER, Writer};

/// What of a TOML file is ours to write and to take, beside what somebody wrote by hand.
pub(super) struct Sides {
    /// What is wanted.
    pub wanted: Vec<Table>,
    /// The names under which entries of ours may stand.
    pub ours: Vec<Vec<String>>,
    /// The line of the MCP server's entry, where it is by hand.
    pub hand: Option<usize>,
}

impl Sides {
    /// Tells them apart in a text.
    ///
    /// # Errors
    /// It is no TOML.
    pub fn of(text: &str, wanted: &[Table], ours: &[Vec<String>]) -> Result<Self, Fault> {
        let (mut wanted, mut ours) = (wanted.to_vec(), ours.to_vec());
        let is_server = |path: &[String]| path.last().is_some_and(|name| name == SERVER);
        let Some(path) = ours.iter().find(|path| is_server(path)).cloned() else {
            let hand = None;
            return Ok(Self { wanted, ours, hand });
        };
        let held = toml::value(text)?;
        let entry = toml::at(&held, &path).and_then(|entry| serde_json::to_value(entry).ok());
        let writer = entry.map(|entry| words::server_by(&command(&entry)));
        let mut hand = None;
        match writer {
            None | Some(Some(Writer::Install)) => {}
            // What runs something else stays wanted: putting it in is refused, with its line.
            Some(None) => ours.retain(|name| *name != path),
            Some(Some(Writer::Hand)) => {
                ours.retain(|name| *name != path);
                wanted.retain(|table| table.path != path);
                hand = Some(toml::line(text, &path)?);
            }
        }
        Ok(Self { wanted, ours, hand })
    }
}

/// How a file that is ours as a whole stands.
pub(super) fn look_whole(text: &str, own: &str, mark: &str) -> Seen {
    let marked = text.lines().next() == Some(mark);
    Seen {
        standing: if text == own {
            Standing::Current
        } else if marked {
            Standing::Stale
        } else {
            Standing::Absent
        },
        by_hand: if text.is_empty() || marked {
            Vec::new()
        } else {
            vec![(String::new(), 1)]
        },
        // What stands there, and not what is wanted: an edited file proves nothing.
        entries: if marked {
            vec![json!(text)]
        } else {
            Vec::new()
        },
        ..Seen::default()
    }
}
