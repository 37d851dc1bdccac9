//! TOML: tables put behind a file's last line and taken out by whole lines; every other byte stays.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Key, Table as Section, Value};

use super::json;
use super::splice::{Splice, line_end, line_of, line_start, newline};
use super::tree::{Fault, Kind, Member, Node};

/// A table that is wanted, and its keys with their values as TOML writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, part by part.
    pub path: Vec<String>,
    /// Its keys and their values.
    pub keys: Vec<(String, String)>,
}

impl Table {
    /// The line that it begins with.
    fn head(&self) -> String {
        format!("[{}]", dotted(&self.path))
    }

    fn lines(&self, newline: &str) -> String {
        let mut lines = vec![self.head()];
        let keys = self.keys.iter();
        lines.extend(keys.map(|(key, value)| format!("{} = {value}", quoted(key))));
        lines.push(String::new());
        lines.join(newline)
    }

    fn inline(&self) -> String {
        let keys = self.keys.iter();
        let keys: Vec<String> = keys
            .map(|(key, value)| format!("{} = {value}", quoted(key)))
            .collect();
        format!("{{ {} }}", keys.join(", "))
    }
}

/// A text as TOML writes it.
#[must_use]
pub fn text(words: &str) -> String {
    // The short form of JSON's texts is one of TOML's too, but for these two.
    serde_json::Value::from(words)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// A list of texts as TOML writes it.
#[must_use]
pub fn texts(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| text(word)).collect();
    format!("[{}]", words.join(", "))
}

fn quoted(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        text(key)
    }
}

fn dotted(path: &[String]) -> String {
    let parts: Vec<String> = path.iter().map(|part| quoted(part)).collect();
    parts.join(".")
}

/// Reads a file.
///
/// # Errors
/// It is no TOML.
pub fn parse(text: &str) -> Result<Document<&str>, Fault> {
    Document::parse(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_of(text, span.start));
        let said = error.message().lines().next().unwrap_or_default();
        Fault::new(line, format!("no TOML: {said}"))
    })
}

/// What a file holds.
///
/// # Errors
/// It is no TOML.
pub fn value(text: &str) -> Result<toml::Table, Fault> {
    parse(text)?;
    text.parse::<toml::Table>()
        .map_err(|error| Fault::new(0, format!("no TOML: {}", error.message())))
}

/// The item of a name, or the last one on the way to it, and how many parts of the name lead there.
enum Way<'a> {
    There(&'a Item),
    Until(Option<(&'a InlineTable, usize)>),
    Blocked(usize, &'static str),
}

fn way<'a>(root: &'a Section, path: &[String]) -> Way<'a> {
    let mut here: &'a dyn toml_edit::TableLike = root;
    for (depth, part) in path.iter().enumerate() {
        let Some(item) = here.get(part) else {
            return Way::Until(None);
        };
        if depth + 1 == path.len() {
            return Way::There(item);
        }
        match item {
            Item::Table(table) => here = table,
            Item::Value(Value::InlineTable(table)) => {
                let rest = &path[depth + 1..];
                if table.get(&rest[0]).is_none() {
                    return Way::Until(Some((table, depth + 1)));
                }
                here = table;
            }
            other => {
                let at = other.span().map_or(0, |span| span.start);
                return Way::Blocked(at, other.type_name());
            }
        }
    }
    Way::Until(None)
}

/// The line of a name, or of the last thing on the way to it.
///
/// # Errors
/// It is no TOML.
pub fn line(text: &str, path: &[String]) -> Result<usize, Fault> {
    let document = parse(text)?;
    let at = match way(&document, path) {
        Way::There(item) => item.span().map_or(0, |span| span.start),
        Way::Until(_) => 0,
        Way::Blocked(at, _) => at,
    };
    Ok(line_of(text, at))
}

/// The splices that put tables into a file.
///
/// # Errors
/// It is no TOML, or something else stands where a table belongs.
pub fn put(text: &str, wanted: &[Table]) -> Result<Vec<Splice>, Fault> {
    let document = parse(text)?;
    let newline = newline(text);
    let mut splices = Vec::new();
    let mut end = String::new();
    for table in wanted {
        let name = dotted(&table.path);
        match way(&document, &table.path) {
            Way::There(Item::Table(there)) => add_keys(text, there, table, &mut splices)?,
            Way::There(item) => {
                let at = item.span().map_or(0, |span| line_of(text, span.start));
                return Err(Fault::new(
                    at,
                    format!("{name} is there already, and is no table"),
                ));
            }
            Way::Blocked(at, what) => {
                let cause = format!("{name} has no place: what it would stand in is {what}");
                return Err(Fault::new(line_of(text, at), cause));
            }
            Way::Until(Some((inline, depth))) => {
                let part = format!("{} = {}", dotted(&table.path[depth..]), table.inline());
                splices.extend(into_inline(text, inline, &part));
            }
            Way::Until(None) => {
                if !text.is_empty() || !end.is_empty() {
                    end.push_str(newline);
                }
                end.push_str(&table.lines(newline));
            }
        }
    }
    if !end.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            end.insert_str(0, newline);
        }
        splices.push(Splice::insert(text.len(), end));
    }
    Ok(splices)
}

/// Adds keys to a table that is there, below its head.
fn add_keys(
    text: &str,
    there: &Section,
    wanted: &Table,
    splices: &mut Vec<Splice>,
) -> Result<(), Fault> {
    let name = dotted(&wanted.path);
    let Some(span) = there
        .span()
        .filter(|span| text[span.start..].starts_with('['))
    else {
        let cause = format!("{name} is there already, without a line of its own");
        return Err(Fault::new(0, cause));
    };
    let mut lines = String::new();
    for (key, value) in &wanted.keys {
        if there.contains_key(key) {
            let cause = format!("{name} says {key} already");
            return Err(Fault::new(line_of(text, span.start), cause));
        }
        let line = format!("{} = {value}", quoted(key));
        lines.push_str(newline(text));
        lines.push_str(&line);
    }
    splices.push(Splice::insert(line_end(text, span.start), lines));
    Ok(())
}

fn into_inline(text: &str, inline: &InlineTable, part: &str) -> Option<Splice> {
    let span = inline.span()?;
    let inside = text.get(span.start + 1..span.end - 1)?;
    let at = span.start + 1 + inside.trim_end().len();
    let body = if inline.is_empty() || inside.trim_end().ends_with(',') {
        format!(" {part}")
    } else {
        format!(", {part}")
    };
    Some(Splice::insert(at, body))
}

/// The splices that take tables, or single keys of them, out of a file.
///
/// # Errors
/// It is no TOML.
pub fn take(text: &str, gone: &[Vec<String>]) -> Result<Vec<Splice>, Fault> {
    let document = parse(text)?;
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut splices = Vec::new();
    for path in gone {
        let Some((last, way)) = path.split_last() else {
            continue;
        };
        let mut here: Holder<'_> = Holder::Section(&document);
        let mut found = true;
        for part in way {
            let Some(next) = here.down(part) else {
                found = false;
                break;
            };
            here = next;
        }
        if !found {
            continue;
        }
        match here {
            Holder::Section(table) => {
                if let Some((key, item)) = table.get_key_value(last) {
                    whole(text, key, item, &mut lines);
                }
            }
            Holder::Inline(table) => splices.extend(from_inline(text, table, last)),
        }
    }
    lines.sort_by_key(|range| range.start);
    lines.dedup();
    splices.extend(lines.into_iter().map(Splice::remove));
    Ok(splices)
}

#[derive(Clone, Copy)]
enum Holder<'a> {
    Section(&'a Section),
    Inline(&'a InlineTable),
}

impl Holder<'_> {
    fn down(self, part: &str) -> Option<Self> {
        let item = match self {
            Self::Section(table) => table.get(part)?,
            Self::Inline(table) => {
                return match table.get(part)? {
                    Value::InlineTable(table) => Some(Self::Inline(table)),
                    _ => None,
                };
            }
        };
        match item {
            Item::Table(table) => Some(Self::Section(table)),
            Item::Value(Value::InlineTable(table)) => Some(Self::Inline(table)),
            _ => None,
        }
    }
}

/// The lines that a name and everything under it take.
fn whole(text: &str, key: &Key, item: &Item, lines: &mut Vec<Range<usize>>) {
    match item {
        Item::Table(table) => section(text, table, lines),
        Item::ArrayOfTables(tables) => {
            for table in tables {
                section(text, table, lines);
            }
        }
        Item::Value(value) => {
            if let (Some(from), Some(to)) = (key.span(), value.span()) {
                lines.push(whole_lines(text, from.start..to.end));
            }
        }
        Item::None => {}
    }
}

fn section(text: &str, table: &Section, lines: &mut Vec<Range<usize>>) {
    if let Some(span) = table
        .span()
        .filter(|span| text[span.start..].starts_with('['))
    {
        let mut head = whole_lines(text, span.start..span.start);
        // The empty line that sets it off goes with it.
        let before = line_start(text, head.start.saturating_sub(1));
        if head.start > 0 && text[before..head.start].trim().is_empty() {
            head.start = before;
        }
        lines.push(head);
    }
    for (name, _) in table {
        if let Some((key, item)) = table.get_key_value(name) {
            whole(text, key, item, lines);
        }
    }
}

fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = line_start(text, range.start);
    let end = line_end(text, range.end);
    let rest = &text[end..];
    let over = if rest.starts_with("\r\n") {
        2
    } else {
        rest.len().min(1)
    };
    start..end + over
}

fn from_inline(text: &str, table: &InlineTable, name: &str) -> Vec<Splice> {
    let Some(span) = table.span() else {
        return Vec::new();
    };
    let members: Vec<Member> = table
        .iter()
        .filter_map(|(key, value)| {
            let (written, _) = table.get_key_value(key)?;
            let (from, to) = (written.span()?, value.span()?);
            Some(Member {
                key: key.to_owned(),
                span: from.start..to.end,
                value: Node {
                    span: to,
                    kind: Kind::Leaf(serde_json::Value::Null),
                },
            })
        })
        .collect();
    let gone: Vec<Range<usize>> = members
        .iter()
        .filter(|member| member.key == name)
        .map(|member| member.span.clone())
        .collect();
    let node = Node {
        span,
        kind: Kind::Map(members),
    };
    json::take(text, &node, &gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::install::held::{at, pruned};
    use crate::harness::install::splice;

    fn server() -> Vec<Table> {
        vec![Table {
            path: vec!["mcp_servers".into(), "watchfloor".into()],
            keys: vec![
                ("command".into(), text("/a b/\"w\"")),
                ("args".into(), texts(&["mcp".into()])),
            ],
        }]
    }

    fn gone() -> Vec<Vec<String>> {
        vec![vec!["mcp_servers".into(), "watchfloor".into()]]
    }

    #[test]
    fn a_table_is_put_in_and_taken_out_of_every_form() {
        for before in [
            "",
            "a = 1",
            "a = 1\r\n# end\r\n",
            "[mcp_servers.other]\ncommand = \"x\"\n\n# last\n",
            "mcp_servers.other.command = \"x\"\n",
            "[mcp_servers]\nother = { command = \"x\" }\n",
            "mcp_servers = { other = { command = \"x\" } } # c\n[z]\nb = 1\n",
            "mcp_servers = {}\n",
        ] {
            let (after, _) = splice::apply(before, put(before, &server()).unwrap());
            let held = value(&after).unwrap();
            let entry = at(&held, &gone()[0]).unwrap();
            assert_eq!(entry["command"].as_str(), Some("/a b/\"w\""), "{after}");
            let (back, _) = splice::apply(&after, take(&after, &gone()).unwrap());
            assert_eq!(
                pruned(value(&back).unwrap()),
                pruned(value(before).unwrap()),
                "{back}"
            );
            if !before.contains("{}") {
                assert_eq!(back.trim_end(), before.trim_end());
            }
        }
    }

    #[test]
    fn what_follows_and_what_was_added_are_told_apart() {
        let text = "[mcp_servers.watchfloor]\ncommand = \"w\"\n\n[mcp_servers.watchfloor.env]\nA = \"1\"\n\n# of z\n[z]\nb = [\n 1,\n]\n";
        let (back, _) = splice::apply(text, take(text, &gone()).unwrap());
        assert_eq!(back, "\n# of z\n[z]\nb = [\n 1,\n]\n");
    }

    #[test]
    fn something_else_in_its_place_is_a_fault_with_its_line() {
        let fault = put("a = 1\nmcp_servers = 3\n", &server()).unwrap_err();
        assert_eq!(fault.line, 2, "{}", fault.cause);
        assert!(put("[[mcp_servers]]\na = 1\n", &server()).is_err());
        assert_eq!(put("a = 1\nb = \n", &server()).unwrap_err().line, 2);
        assert!(put("a = 1\na = 2\n", &server()).is_err());
    }

    #[test]
    fn a_key_goes_below_the_head_of_its_table() {
        let observe = Table {
            path: vec!["guard".into()],
            keys: vec![("mode".into(), text("observe"))],
        };
        let before = "[guard] # ours\nproduction = [\"p\"]\n";
        let (after, _) = splice::apply(before, put(before, &[observe]).unwrap());
        assert_eq!(
            after,
            "[guard] # ours\nmode = \"observe\"\nproduction = [\"p\"]\n"
        );
        let key = vec!["guard".to_owned(), "mode".to_owned()];
        let (back, _) = splice::apply(&after, take(&after, &[key]).unwrap());
        assert_eq!(back, before);
    }
}
