//! What somebody wrote by hand under a name of ours: it is known here, and never touched.

use serde_json::json;

use super::edit::{Seen, Standing, command};
use super::held;
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
        let values = toml::value(text)?;
        let entry = held::at(&values, &path).and_then(|entry| serde_json::to_value(entry).ok());
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
pub(super) fn look_whole(text: &str, harness: &str, own: &str, mark: &str) -> Seen {
    let marked = text.lines().next() == Some(mark);
    let other = !marked && !text.is_empty();
    let hand = other && calls_hook(text, harness);
    Seen {
        standing: if text == own {
            Standing::Current
        } else if marked {
            Standing::Stale
        } else {
            Standing::Absent
        },
        by_hand: if hand {
            vec![(String::new(), 1)]
        } else {
            Vec::new()
        },
        foreign: other && !hand,
        // What stands there, and not what is wanted: an edited file proves nothing.
        entries: if marked {
            vec![json!(text)]
        } else {
            Vec::new()
        },
        ..Seen::default()
    }
}

/// Whether a program's text calls the hook of this harness, as far as its words can tell. What only
/// a comment says is no call.
fn calls_hook(text: &str, harness: &str) -> bool {
    let text = code(text);
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let named = words
        .iter()
        .any(|word| word.to_lowercase().contains("watchfloor"));
    named && words.windows(2).any(|two| two == ["hook", harness])
}

/// A script without its comments. What stands in a text is kept, but for an address behind `//`.
fn code(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find("/*") {
        kept.push_str(&rest[..at]);
        let inside = &rest[at + 2..];
        rest = inside.find("*/").map_or("", |end| &inside[end + 2..]);
    }
    kept.push_str(rest);
    let lines = kept.lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::extension;

    #[test]
    fn a_call_is_told_from_a_mention() {
        assert!(calls_hook(extension::PI, "pi"));
        assert!(!calls_hook(extension::PI, "opencode"));
        assert!(calls_hook(extension::OPENCODE, "opencode"));
        assert!(!calls_hook(extension::OPENCODE, "pi"));
        let older = "const binary = \"watchfloor\";\nspawn(binary, [\"hook\", \"pi\", name])";
        assert!(calls_hook(older, "pi"));
        assert!(calls_hook("exec(`watchfloor hook pi ${name}`)", "pi"));
        assert!(!calls_hook("export default 1", "pi"));
        assert!(!calls_hook("// watchfloor hook pi\nexport default 1", "pi"));
        assert!(!calls_hook(
            "/* watchfloor\n hook pi */ export default 1",
            "pi"
        ));
        assert!(!calls_hook("run('other', ['hook', 'pi'])", "pi"));
    }
}
