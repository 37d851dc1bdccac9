//! A configuration file as a tree that knows where each of its parts stands: what is in it, which
//! parts of it are entries of ours, and what it would hold without them.

use std::ops::Range;

use serde_json::Value;

use super::words::Writer;

/// Why a file cannot be edited, and in which line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}

impl Fault {
    /// A fault of a line.
    pub fn new(line: usize, cause: impl Into<String>) -> Self {
        Self {
            line,
            cause: cause.into(),
        }
    }
}

/// One value, and the bytes that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// From its first byte to behind its last one.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Names and values.
    Map(Vec<Member>),
    /// Values in order.
    List(Vec<Node>),
    /// Anything else.
    Leaf(Value),
}

/// One name and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The name.
    pub key: String,
    /// From the name's first byte to behind the value's last one.
    pub span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value alone; of equal names the last one counts.
    #[must_use]
    pub fn value(&self) -> Value {
        self.without(&[])
    }

    /// The value without some of its parts, named by their bytes.
    #[must_use]
    pub fn without(&self, gone: &[Range<usize>]) -> Value {
        match &self.kind {
            Kind::Leaf(value) => value.clone(),
            Kind::List(items) => items
                .iter()
                .filter(|item| !gone.contains(&item.span))
                .map(|item| item.without(gone))
                .collect(),
            Kind::Map(members) => members
                .iter()
                .filter(|member| !gone.contains(&member.span))
                .map(|member| (member.key.clone(), member.value.without(gone)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }

    /// A member by its name; `Err` with the later one where the name is there twice.
    fn member(&self, name: &str) -> Result<Option<&Member>, &Member> {
        let Kind::Map(members) = &self.kind else {
            return Ok(None);
        };
        let mut named = members.iter().filter(|member| member.key == name);
        let first = named.next();
        named.next().map_or(Ok(first), Err)
    }

    /// Whether it can be put into, and what it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Map(_) => "a map",
            Kind::List(_) => "a list",
            Kind::Leaf(Value::Null) => "nothing",
            Kind::Leaf(Value::String(_)) => "a text",
            Kind::Leaf(_) => "a single value",
        }
    }
}

/// One step of the way from a file's root to entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The member of this name.
    Key(&'static str),
    /// Every member.
    Any,
    /// Every item.
    Each,
}

/// Says who wrote a value, where it is an entry that calls this product.
pub type Told<'a> = &'a dyn Fn(&Value) -> Option<Writer>;

/// Where a kind of entries stands in a file, and how they are known.
pub struct Place<'a> {
    /// From the root.
    pub way: &'a [Step],
    /// Whose an entry is.
    pub told: Told<'a>,
}

/// An entry that calls this product.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its bytes, with its name where it has one.
    pub span: Range<usize>,
    /// The name that it stands under: of the event, or of the member.
    pub under: String,
    /// What it is.
    pub value: Value,
    /// Who wrote it.
    pub writer: Writer,
}

/// Every entry of ours, in the order of the file.
///
/// # Errors
/// A name on the way stands there twice.
pub fn find(root: &Node, text: &str, place: &Place<'_>) -> Result<Vec<Found>, Fault> {
    let mut found = Vec::new();
    walk(root, text, place, place.way, (&root.span, ""), &mut found)?;
    Ok(found)
}

fn walk(
    node: &Node,
    text: &str,
    place: &Place<'_>,
    way: &[Step],
    here: (&Range<usize>, &str),
    found: &mut Vec<Found>,
) -> Result<(), Fault> {
    let (span, under) = here;
    let Some((step, rest)) = way.split_first() else {
        let value = node.value();
        if let Some(writer) = (place.told)(&value) {
            found.push(Found {
                span: span.clone(),
                under: under.to_owned(),
                value,
                writer,
            });
        }
        return Ok(());
    };
    match (step, &node.kind) {
        (Step::Key(name), Kind::Map(_)) => {
            let member = node.member(name).map_err(|twice| double(text, twice))?;
            let Some(member) = member else {
                return Ok(());
            };
            let under = if under.is_empty() || rest.is_empty() {
                name
            } else {
                under
            };
            walk(
                &member.value,
                text,
                place,
                rest,
                (&member.span, under),
                found,
            )
        }
        (Step::Any, Kind::Map(members)) => members.iter().try_for_each(|member| {
            let here = (&member.span, member.key.as_str());
            walk(&member.value, text, place, rest, here, found)
        }),
        (Step::Each, Kind::List(items)) => items
            .iter()
            .try_for_each(|item| walk(item, text, place, rest, (&item.span, under), found)),
        // What stands in the way is something else: no entry of ours is behind it.
        _ => Ok(()),
    }
}

/// The fault of a name that is there twice.
#[must_use]
pub fn double(text: &str, twice: &Member) -> Fault {
    Fault::new(
        super::splice::line_of(text, twice.span.start),
        format!(
            "{} stands there twice, and readers differ on which holds",
            twice.key
        ),
    )
}

/// The parts that go when entries go: themselves, and what would be left empty of them.
#[must_use]
pub fn doomed(root: &Node, entries: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut gone = Vec::new();
    match &root.kind {
        Kind::Map(members) => {
            for member in members {
                part(&member.value, &member.span, entries, &mut gone);
            }
        }
        Kind::List(items) => {
            for item in items {
                part(item, &item.span, entries, &mut gone);
            }
        }
        Kind::Leaf(_) => {}
    }
    gone
}

/// Adds what goes of one part, whose bytes with its name are these. Answers whether all goes.
fn part(
    node: &Node,
    span: &Range<usize>,
    entries: &[Range<usize>],
    gone: &mut Vec<Range<usize>>,
) -> bool {
    if entries.contains(span) {
        gone.push(span.clone());
        return true;
    }
    let before = gone.len();
    let (mut all, mut list) = (true, false);
    match &node.kind {
        Kind::Leaf(_) => return false,
        Kind::List(items) => {
            for item in items {
                all &= part(item, &item.span, entries, gone);
            }
        }
        Kind::Map(members) => {
            for member in members {
                let went = part(&member.value, &member.span, entries, gone);
                all &= went;
                // A group of hooks is nothing without its list of them.
                list |= went && matches!(member.value.kind, Kind::List(_)) && member.key == "hooks";
            }
        }
    }
    if gone.len() > before && (all || list) {
        gone.truncate(before);
        gone.push(span.clone());
        return true;
    }
    false
}

/// Puts what is wanted into a value: maps are joined, lists grow. Where both have a value it stays.
pub fn join(into: &mut Value, wanted: &Value) {
    match (into, wanted) {
        (Value::Object(into), Value::Object(wanted)) => {
            for (key, value) in wanted {
                match into.get_mut(key) {
                    Some(have) if !have.is_null() => join(have, value),
                    _ => drop(into.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Array(into), Value::Array(wanted)) => into.extend(wanted.iter().cloned()),
        (into, wanted) if into.is_null() => *into = wanted.clone(),
        _ => {}
    }
}

/// Whether an entry says what is wanted. What it holds beyond stays, and so does the moment at
/// which it was approved.
#[must_use]
pub fn says(have: &Value, wanted: &Value) -> bool {
    match (have, wanted) {
        (Value::Object(have), Value::Object(wanted)) => wanted
            .iter()
            .filter(|(key, _)| *key != "approved_at")
            .all(|(key, value)| have.get(key).is_some_and(|have| says(have, value))),
        (have, wanted) => have == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn joining_keeps_what_is_there() {
        let mut into = json!({"a": 1, "l": [1], "n": null, "m": {"x": 1}});
        join(
            &mut into,
            &json!({"a": 2, "l": [2], "n": {"y": 1}, "m": {"z": [3]}}),
        );
        assert_eq!(
            into,
            json!({"a": 1, "l": [1, 2], "n": {"y": 1}, "m": {"x": 1, "z": [3]}})
        );
    }

    #[test]
    fn an_entry_may_hold_more_than_is_wanted() {
        let wanted = json!({"command": "a", "approved_at": "now"});
        assert!(says(&json!({"command": "a", "env": {}}), &wanted));
        assert!(!says(&json!({"command": "b"}), &wanted));
    }
}
