//! YAML, in block or flow form: read into a tree, put into and taken from by whole lines, or by
//! pieces of a line in flow form. What cannot be edited so is refused, never written anew.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::json;
use super::splice::{Splice, line_end, line_of, line_start, newline};
use super::tree::{self, Fault, Kind, Member, Node};

/// How deep a file may be.
const DEEPEST: usize = 128;

/// Reads a file. `None` where it holds nothing.
///
/// # Errors
/// It is no YAML, or more than one document.
pub fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let mut reader = Reader {
        text,
        bytes: bytes(text),
        stack: Vec::new(),
        root: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            Fault::new(error.marker().line(), format!("no YAML: {}", error.info()))
        })?;
        reader.take(event, span)?;
    }
    let empty = |node: &Node| node.span.is_empty() && matches!(node.kind, Kind::Leaf(_));
    Ok(reader.root.filter(|root| !empty(root)))
}

/// Where each character begins; `None` where every character is one byte.
fn bytes(text: &str) -> Option<Vec<usize>> {
    (!text.is_ascii()).then(|| {
        let starts = text.char_indices().map(|(at, _)| at);
        starts.chain([text.len()]).collect()
    })
}

/// A container that is being read.
struct Open {
    start: usize,
    kind: Kind,
    key: Option<(String, usize)>,
}

struct Reader<'t> {
    text: &'t str,
    bytes: Option<Vec<usize>>,
    stack: Vec<Open>,
    root: Option<Node>,
}

impl Reader<'_> {
    fn byte(&self, index: usize) -> usize {
        let at = match &self.bytes {
            Some(starts) => starts.get(index).copied().unwrap_or(self.text.len()),
            None => index,
        };
        at.min(self.text.len())
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let range = self.byte(span.start.index())..self.byte(span.end.index());
        match event {
            Event::Scalar(text, style, _, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let value = if plain {
                    scalar(&text)
                } else {
                    Value::from(text.as_ref())
                };
                self.add(range, Kind::Leaf(value))
            }
            // Its name keeps an alias apart from every value that could be wanted.
            Event::Alias(id) => self.add(range, Kind::Leaf(Value::from(format!("*{id}")))),
            Event::SequenceStart(..) => self.open(range.start, Kind::List(Vec::new())),
            Event::MappingStart(..) => self.open(range.start, Kind::Map(Vec::new())),
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(open) => {
                    let end = self.end_of(&open, range);
                    self.add(open.start..end, open.kind)
                }
                None => Ok(()),
            },
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(Fault::new(span.start.line(), "more than one document"))
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, start: usize, kind: Kind) -> Result<(), Fault> {
        if self.stack.len() >= DEEPEST {
            return Err(Fault::new(line_of(self.text, start), "nested too deep"));
        }
        self.stack.push(Open {
            start,
            kind,
            key: None,
        });
        Ok(())
    }

    /// A flow container ends with its bracket, a block one with the last thing in it.
    fn end_of(&self, open: &Open, last: Range<usize>) -> usize {
        if flow(self.text, open.start) {
            return last.end.max(open.start + 1);
        }
        match &open.kind {
            Kind::Map(members) => members.last().map_or(open.start, |member| member.span.end),
            Kind::List(items) => items.last().map_or(open.start, |item| item.span.end),
            Kind::Leaf(_) => open.start,
        }
    }

    fn add(&mut self, span: Range<usize>, kind: Kind) -> Result<(), Fault> {
        let said = self.text[span.clone()].trim_end().len();
        let span = span.start..span.start + said;
        let node = Node { span, kind };
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.kind {
            Kind::List(items) => items.push(node),
            Kind::Map(members) => {
                if let Some((key, start)) = open.key.take() {
                    members.push(Member {
                        key,
                        span: start..node.span.end.max(start),
                        value: node,
                    });
                } else {
                    let key = match &node.kind {
                        Kind::Leaf(Value::String(key)) => key.clone(),
                        Kind::Leaf(value) => value.to_string(),
                        _ => {
                            let line = line_of(self.text, node.span.start);
                            return Err(Fault::new(line, "a name that is a list or a map"));
                        }
                    };
                    open.key = Some((key, node.span.start));
                }
            }
            Kind::Leaf(_) => {}
        }
        Ok(())
    }
}

/// A plain scalar as its value, where that matters here.
fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match text.parse::<i64>() {
            Ok(number) if number.to_string() == text => number.into(),
            _ => text.into(),
        },
    }
}

fn flow(text: &str, at: usize) -> bool {
    text[at..].starts_with(['{', '['])
}

/// The splices that put what is wanted into a file.
///
/// # Errors
/// It is no YAML, or something of another kind stands where an entry belongs.
pub fn put(text: &str, wanted: &Value) -> Result<Vec<Splice>, Fault> {
    let newline = newline(text);
    let Some(root) = parse(text)? else {
        let body = block(wanted, 0).join(newline);
        let said = text.trim_end();
        let (at, before) = if said.is_empty() {
            (text.len(), "")
        } else {
            (said.len(), newline)
        };
        return Ok(vec![Splice::insert(at, format!("{before}{body}{newline}"))]);
    };
    let mut splices = Vec::new();
    merge(text, &root, wanted, ("the file", 0), &mut splices)?;
    Ok(splices)
}

fn merge(
    text: &str,
    node: &Node,
    wanted: &Value,
    name: (&str, usize),
    splices: &mut Vec<Splice>,
) -> Result<(), Fault> {
    let (name, indent) = name;
    let fault = |cause: String| Fault::new(line_of(text, node.span.start), cause);
    let empty = match &node.kind {
        Kind::Map(members) => members.is_empty(),
        Kind::List(items) => items.is_empty(),
        Kind::Leaf(value) => value.is_null(),
    };
    if empty {
        // Nothing yet, however it is written: the block takes its place.
        let lines = below(text, wanted, indent);
        let end = line_end(text, node.span.end);
        let before = text[..node.span.start].trim_end_matches(' ').len();
        splices.push(Splice::remove(before..node.span.end));
        splices.push(Splice::insert(end, lines));
        return Ok(());
    }
    match (&node.kind, wanted) {
        (Kind::Map(members), Value::Object(wanted)) => {
            let mut new = serde_json::Map::new();
            for (key, value) in wanted {
                let mut named = members.iter().filter(|member| member.key == *key);
                match (named.next(), named.next()) {
                    (None, _) => drop(new.insert(key.clone(), value.clone())),
                    (Some(_), Some(twice)) => return Err(tree::double(text, twice)),
                    (Some(member), None) => {
                        let inside = column(text, member.span.start) + 2;
                        merge(text, &member.value, value, (key, inside), splices)?;
                    }
                }
            }
            let at = members
                .first()
                .map_or(0, |member| column(text, member.span.start));
            append(text, node, &Value::Object(new), at, splices);
            Ok(())
        }
        (Kind::List(items), Value::Array(_)) => {
            let at = items.first().map_or(0, |item| dash(text, node, item));
            append(text, node, wanted, at, splices);
            Ok(())
        }
        (_, Value::Object(_)) => Err(fault(format!("{name} is {}, not a map", node.name()))),
        (_, Value::Array(_)) => Err(fault(format!("{name} is {}, not a list", node.name()))),
        _ => Err(fault(format!(
            "{name} is there already, and says something else"
        ))),
    }
}

/// Puts new parts behind the last one of a container.
fn append(text: &str, node: &Node, new: &Value, indent: usize, splices: &mut Vec<Splice>) {
    if flow(text, node.span.start) {
        let parts: Vec<String> = match new {
            Value::Object(new) => new.iter().map(|(k, v)| json::short(Some(k), v)).collect(),
            Value::Array(new) => new.iter().map(|value| json::short(None, value)).collect(),
            _ => Vec::new(),
        };
        let last = match &node.kind {
            Kind::Map(members) => members.last().map(|member| member.span.end),
            Kind::List(items) => items.last().map(|item| item.span.end),
            Kind::Leaf(_) => None,
        };
        for part in parts {
            let at = last.unwrap_or(node.span.start + 1);
            splices.push(Splice::insert(at, format!(", {part}")));
        }
        return;
    }
    let lines = below(text, new, indent);
    if !lines.is_empty() {
        splices.push(Splice::insert(line_end(text, node.span.end), lines));
    }
}

/// A value in block form as the lines below a line.
fn below(text: &str, value: &Value, indent: usize) -> String {
    let mut lines = String::new();
    for line in block(value, indent) {
        lines.push_str(newline(text));
        lines.push_str(&line);
    }
    lines
}

fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

/// The column of the dash of an item.
fn dash(text: &str, node: &Node, item: &Node) -> usize {
    let start = line_start(text, item.span.start);
    match text[start..item.span.start].rfind('-') {
        Some(at) => at,
        None => column(text, node.span.start),
    }
}

/// A value as lines in block form. Texts stand in quotes: no word of theirs can then be read as
/// something else.
fn block(value: &Value, indent: usize) -> Vec<String> {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| match value {
                Value::Object(inner) if !inner.is_empty() => {
                    let mut lines = vec![format!("{pad}{key}:")];
                    lines.extend(block(value, indent + 2));
                    lines
                }
                Value::Array(items) if items.iter().any(Value::is_object) => {
                    let mut lines = vec![format!("{pad}{key}:")];
                    lines.extend(block(value, indent + 2));
                    lines
                }
                other => vec![format!("{pad}{key}: {other}")],
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .flat_map(|item| {
                let mut lines = block(item, indent + 2);
                if let Some(first) = lines.first_mut() {
                    first.replace_range(indent..=indent, "-");
                }
                lines
            })
            .collect(),
        other => vec![format!("{pad}{other}")],
    }
}

/// The splices that take parts out of a file.
#[must_use]
pub fn take(text: &str, root: &Node, gone: &[Range<usize>]) -> Vec<Splice> {
    let mut splices = Vec::new();
    take_from(text, root, gone, &mut splices);
    splices
}

fn take_from(text: &str, node: &Node, gone: &[Range<usize>], splices: &mut Vec<Splice>) {
    if flow(text, node.span.start) {
        json::take_from(text, node, gone, splices);
        return;
    }
    match &node.kind {
        Kind::Leaf(_) => {}
        Kind::Map(members) => {
            for member in members {
                if gone.contains(&member.span) {
                    splices.push(Splice::remove(lines(text, member.span.clone())));
                } else {
                    take_from(text, &member.value, gone, splices);
                }
            }
        }
        Kind::List(items) => {
            for item in items {
                if gone.contains(&item.span) {
                    splices.push(Splice::remove(lines(text, item.span.clone())));
                } else {
                    take_from(text, item, gone, splices);
                }
            }
        }
    }
}

/// Whole lines, with the line end behind them, or, at the end of the file, the one before.
fn lines(text: &str, span: Range<usize>) -> Range<usize> {
    let start = line_start(text, span.start);
    let end = line_end(text, span.end);
    let rest = &text[end..];
    match rest.find('\n') {
        Some(at) => start..end + at + 1,
        None => text[..start].trim_end_matches(['\n', '\r']).len()..end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::install::splice;
    use serde_json::json;

    fn with(text: &str, wanted: &Value) -> String {
        splice::apply(text, put(text, wanted).unwrap()).0
    }

    fn item() -> Value {
        json!({"hooks": {"pre": [{"command": "a 'b'", "timeout": 10}]}, "mcp": {"w": {"args": ["x", "y"]}}})
    }

    #[test]
    fn entries_are_put_into_every_form() {
        for before in [
            "",
            "# only a comment\n",
            "model: x\n",
            "model:\n  default: x # c\n",
            "hooks: {}\nmodel: x\n",
            "hooks:\nmodel: x",
            "hooks: null # none\nmodel: x\r\n",
            "hooks:\n  pre:\n    - command: f\n      timeout: 3\n  post: []\n# end\n",
            "hooks:\n  pre:\n  - command: f\n    text: |\n      a\n      b\n\nmodel: x\n",
            "hooks: {pre: [{command: f}], post: []}\n",
            "hooks:\n    pre: []\nmcp: {o: {args: []}}\n",
            "---\nhooks:\n  post:\n    -\n      command: f\n...\n",
            "é: ü\nhooks:\n  pre:\n    - {command: é}\n",
        ] {
            let after = with(before, &item());
            let mut expected = parse(before)
                .unwrap()
                .map_or(json!({}), |root| root.value());
            tree::join(&mut expected, &item());
            let have = parse(&after).unwrap().unwrap();
            let mut value = have.value();
            // `post: []` and the like are neither more nor less than nothing here.
            for side in [&mut value, &mut expected] {
                side["hooks"].as_object_mut().unwrap().remove("post");
            }
            assert_eq!(value, expected, "{before:?}\n{after}");
        }
    }

    #[test]
    fn entries_are_taken_out_again() {
        for before in [
            "model: x\n",
            "hooks:\n  pre:\n    - command: f\n      timeout: 3\n",
            "hooks: {pre: [{command: f}]}\n",
            "hooks:\n  post:\n    - command: f\nmodel: x",
        ] {
            let after = with(before, &item());
            let root = parse(&after).unwrap().unwrap();
            let told = |value: &Value| {
                let ours = value["command"] == "a 'b'" || value["args"] == json!(["x", "y"]);
                ours.then_some(crate::harness::install::words::Writer::Install)
            };
            let mut spans = Vec::new();
            for way in [
                &[tree::Step::Key("hooks"), tree::Step::Any, tree::Step::Each][..],
                &[tree::Step::Key("mcp"), tree::Step::Any],
            ] {
                let place = tree::Place { way, told: &told };
                let found = tree::find(&root, &after, &place).unwrap();
                spans.extend(found.into_iter().map(|found| found.span));
            }
            assert_eq!(spans.len(), 2, "{after}");
            let gone = tree::doomed(&root, &spans);
            let back = splice::apply(&after, take(&after, &root, &gone)).0;
            assert_eq!(back, before);
        }
    }

    #[test]
    fn what_cannot_be_edited_is_a_fault_with_its_line() {
        for (text, line) in [
            ("a: 1\nb: [\n", 0),
            ("a: 1\n\tb: 2\n", 1),
            ("a: 1\nhooks: [x]\n", 2),
            ("a: 1\nhooks:\n  pre: text\n", 3),
            ("a: 1\n---\nb: 2\n", 2),
            ("hooks: {}\nhooks: {}\n", 2),
            ("- a\n", 1),
        ] {
            let fault = put(text, &item()).unwrap_err();
            assert!(line == 0 || fault.line == line, "{text:?}: {fault:?}");
        }
    }
}
