//! JSON, with comments and trailing commas where a file has them: read into a tree, put into and
//! taken from by splices that leave every other byte alone.

use std::ops::Range;

use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::Value;

use super::splice::{Splice, indent_of, line_end, line_of, line_start, newline};
use super::tree::{self, Fault, Kind, Member, Node};

/// Reads a file. `None` where nothing but white space or comments is in it.
///
/// # Errors
/// It is no JSON.
pub fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options)
        .map_err(|error| Fault::new(error.line_display(), format!("no JSON: {}", error.kind())))?;
    parsed.value.map(|value| node(&value, text)).transpose()
}

fn node(value: &ast::Value<'_>, text: &str) -> Result<Node, Fault> {
    let range = value.range();
    let kind = match value {
        ast::Value::Object(object) => {
            let members = object.properties.iter().map(|prop| {
                Ok(Member {
                    key: prop.name.as_str().to_owned(),
                    span: prop.range.start..prop.range.end,
                    value: node(&prop.value, text)?,
                })
            });
            Kind::Map(members.collect::<Result<_, Fault>>()?)
        }
        ast::Value::Array(array) => {
            let items = array.elements.iter().map(|item| node(item, text));
            Kind::List(items.collect::<Result<_, Fault>>()?)
        }
        ast::Value::StringLit(text) => Kind::Leaf(Value::String(text.value.to_string())),
        ast::Value::BooleanLit(flag) => Kind::Leaf(Value::Bool(flag.value)),
        ast::Value::NullKeyword(_) => Kind::Leaf(Value::Null),
        ast::Value::NumberLit(number) => {
            let number: Result<Value, _> = serde_json::from_str(number.value);
            // Beyond what this reader holds; it stays as it is written.
            Kind::Leaf(
                number.unwrap_or_else(|_| Value::String(text[range.start..range.end].into())),
            )
        }
    };
    Ok(Node {
        span: range.start..range.end,
        kind,
    })
}

/// How a file is indented.
struct Style<'a> {
    text: &'a str,
    unit: String,
    newline: &'static str,
}

impl<'a> Style<'a> {
    fn of(text: &'a str) -> Self {
        let indented = text
            .lines()
            .map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
            .find(|indent| !indent.is_empty());
        let unit = match indented {
            Some(indent) if indent.starts_with('\t') => "\t".to_owned(),
            Some(indent) if indent.len() <= 8 => indent.to_owned(),
            _ => "  ".to_owned(),
        };
        Self {
            text,
            unit,
            newline: newline(text),
        }
    }

    /// A value over several lines, the first one without its indent.
    fn tall(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let form = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, form);
        // Writing a value that was made here into memory does not fail.
        drop(serde::Serialize::serialize(value, &mut writer));
        let line = format!("{}{indent}", self.newline);
        String::from_utf8_lossy(&bytes).replace('\n', &line)
    }
}

/// The splices that put what is wanted into a file; and a whole text, where it holds nothing yet.
///
/// # Errors
/// Something of another kind stands where an entry belongs.
pub fn put(text: &str, wanted: &Value) -> Result<Vec<Splice>, Fault> {
    let style = Style::of(text);
    let Some(root) = parse(text)? else {
        let body = style.tall(wanted, "");
        let (at, before) = match text.trim_end() {
            "" => (text.len(), ""),
            said => (said.len(), style.newline),
        };
        return Ok(vec![Splice::insert(
            at,
            format!("{before}{body}{}", style.newline),
        )]);
    };
    let mut splices = Vec::new();
    merge(&style, &root, wanted, "the file", &mut splices)?;
    Ok(splices)
}

fn merge(
    style: &Style<'_>,
    node: &Node,
    wanted: &Value,
    name: &str,
    splices: &mut Vec<Splice>,
) -> Result<(), Fault> {
    let fault = |cause: String| Fault::new(line_of(style.text, node.span.start), cause);
    match (&node.kind, wanted) {
        (Kind::Map(members), Value::Object(wanted)) => {
            let mut new = Vec::new();
            for (key, value) in wanted {
                let mut named = members.iter().filter(|member| member.key == *key);
                match (named.next(), named.next()) {
                    (None, _) => new.push((Some(key.as_str()), value)),
                    (Some(_), Some(twice)) => return Err(tree::double(style.text, twice)),
                    (Some(member), None) => merge(style, &member.value, value, key, splices)?,
                }
            }
            let last = members.last().map(|member| member.span.clone());
            insert(style, node, last, &new, splices);
            Ok(())
        }
        (Kind::List(items), Value::Array(wanted)) => {
            let new: Vec<_> = wanted.iter().map(|value| (None, value)).collect();
            let last = items.last().map(|item| item.span.clone());
            insert(style, node, last, &new, splices);
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
fn insert(
    style: &Style<'_>,
    node: &Node,
    last: Option<Range<usize>>,
    new: &[(Option<&str>, &Value)],
    splices: &mut Vec<Splice>,
) {
    if new.is_empty() {
        return;
    }
    let text = style.text;
    let close = node.span.end - 1;
    let Some(last) = last else {
        return insert_first(style, node, new, splices);
    };
    let tall = text[line_start(text, last.start)..last.start]
        .trim()
        .is_empty()
        && line_start(text, last.start) > node.span.start;
    let comma = comma_between(text, last.end..close);
    if !tall {
        let at = comma.map_or(last.end, |comma| comma + 1);
        let parts: Vec<String> = new.iter().map(|(key, value)| short(*key, value)).collect();
        let parts = parts.join(", ");
        let body = if comma.is_some() {
            format!(" {parts},")
        } else {
            format!(", {parts}")
        };
        splices.push(Splice::insert(at, body));
        return;
    }
    let indent = indent_of(text, last.start);
    let body: Vec<String> = new
        .iter()
        .map(|(key, value)| {
            format!(
                "{}{indent}{}",
                style.newline,
                long(style, *key, value, indent)
            )
        })
        .collect();
    let body = body.join(",");
    let at = behind_comments(text, comma.map_or(last.end, |comma| comma + 1), close);
    if comma.is_some() {
        splices.push(Splice::insert(at, format!("{body},")));
    } else if at == last.end {
        splices.push(Splice::insert(at, format!(",{body}")));
    } else {
        splices.push(Splice::insert(last.end, ","));
        splices.push(Splice::insert(at, body));
    }
}

/// Puts the first parts into a container that is empty.
fn insert_first(
    style: &Style<'_>,
    node: &Node,
    new: &[(Option<&str>, &Value)],
    splices: &mut Vec<Splice>,
) {
    let text = style.text;
    let (open, close) = (node.span.start + 1, node.span.end - 1);
    let base = indent_of(text, node.span.start);
    let indent = format!("{base}{}", style.unit);
    let body: Vec<String> = new
        .iter()
        .map(|(key, value)| {
            format!(
                "{}{indent}{}",
                style.newline,
                long(style, *key, value, &indent)
            )
        })
        .collect();
    let mut body = body.join(",");
    let at = behind_comments(text, open, close);
    if !text[at..close].contains('\n') {
        body.push_str(style.newline);
        body.push_str(base);
    }
    splices.push(Splice::insert(at, body));
}

fn long(style: &Style<'_>, key: Option<&str>, value: &Value, indent: &str) -> String {
    let body = style.tall(value, indent);
    key.map_or_else(
        || body.clone(),
        |key| format!("{}: {body}", Value::from(key)),
    )
}

/// A part on one line.
pub(super) fn short(key: Option<&str>, value: &Value) -> String {
    key.map_or_else(
        || value.to_string(),
        |key| format!("{}: {value}", Value::from(key)),
    )
}

/// What stands between two parts: white space, comments, and at most one comma.
fn comma_between(text: &str, range: Range<usize>) -> Option<usize> {
    let mut at = range.start;
    while at < range.end {
        match blank(text, at, range.end) {
            next if next > at => at = next,
            _ if text.as_bytes()[at] == b',' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Behind one run of white space or one comment that begins here; here where there is none.
fn blank(text: &str, at: usize, end: usize) -> usize {
    let rest = &text[at..end];
    if rest.starts_with("//") || rest.starts_with('#') {
        return at + rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return at + rest.find("*/").map_or(rest.len(), |close| close + 2);
    }
    at + rest.len() - rest.trim_start().len()
}

/// Behind the comments on the rest of a line, where nothing else is on it; else here.
fn behind_comments(text: &str, at: usize, close: usize) -> usize {
    let line = line_end(text, at);
    if line > close {
        return at;
    }
    let (mut to, mut behind) = (at, at);
    loop {
        let rest = text[to..line].trim_start_matches([' ', '\t']);
        to = line - rest.len();
        if rest.is_empty() {
            return behind;
        }
        if rest.starts_with("//") || rest.starts_with('#') {
            return line;
        }
        let Some(close) = rest.strip_prefix("/*").and_then(|rest| rest.find("*/")) else {
            return at;
        };
        to += close + 4;
        behind = to;
    }
}

/// The splices that take parts out of a file.
#[must_use]
pub fn take(text: &str, root: &Node, gone: &[Range<usize>]) -> Vec<Splice> {
    let mut splices = Vec::new();
    take_from(text, root, gone, &mut splices);
    splices
}

/// Takes parts out of a container, or out of what is in it. With each part one comma goes: the one
/// behind it, or, where no other part follows and the list does not end with one, the one before.
pub(super) fn take_from(text: &str, node: &Node, gone: &[Range<usize>], splices: &mut Vec<Splice>) {
    let parts: Vec<(&Range<usize>, &Node)> = match &node.kind {
        Kind::Leaf(_) => return,
        Kind::List(items) => items.iter().map(|item| (&item.span, item)).collect(),
        Kind::Map(members) => members.iter().map(|m| (&m.span, &m.value)).collect(),
    };
    let stays: Vec<bool> = parts.iter().map(|(span, _)| !gone.contains(span)).collect();
    let commas: Vec<Option<usize>> = (0..parts.len())
        .map(|at| {
            let next = parts.get(at + 1);
            let to = next.map_or(node.span.end - 1, |next| next.0.start);
            comma_between(text, parts[at].0.end..to)
        })
        .collect();
    let last = stays.iter().rposition(|stays| *stays);
    let ends_with_one = commas.last().is_some_and(Option::is_some);
    for (at, (span, value)) in parts.iter().enumerate() {
        if stays[at] {
            take_from(text, value, gone, splices);
            continue;
        }
        let followed = last.is_none_or(|last| last > at) || ends_with_one;
        let comma = if followed {
            commas[at]
        } else {
            at.checked_sub(1).and_then(|before| commas[before])
        };
        splices.extend(comma.map(|comma| Splice::remove(comma..comma + 1)));
        let from = at
            .checked_sub(1)
            .map_or(node.span.start + 1, |before| parts[before].0.end);
        let start = before_blank(text, from, span);
        splices.push(Splice::remove(start..span.end));
    }
}

/// Where the white space before a part begins. A comment that runs to the end of its line keeps
/// that end where something else would come behind it.
fn before_blank(text: &str, from: usize, part: &Range<usize>) -> usize {
    let trimmed = from + text[from..part.start].trim_end().len();
    let said = &text[line_start(text, trimmed).max(from)..trimmed];
    let rest = &text[part.end..line_end(text, part.end)];
    if said.contains("//") && !rest.trim_start_matches([' ', '\t', ',']).is_empty() {
        let end = text[trimmed..part.start].find('\n');
        return end.map_or(part.start, |end| trimmed + end + 1);
    }
    trimmed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::install::splice;
    use serde_json::json;

    fn with(text: &str, wanted: &Value) -> String {
        splice::apply(text, put(text, wanted).unwrap()).0
    }

    #[test]
    fn what_is_put_in_looks_like_what_is_there() {
        let wanted = json!({"l": [{"a": 1}], "m": {"n": true}});
        for (text, after) in [
            (
                "",
                "{\n  \"l\": [\n    {\n      \"a\": 1\n    }\n  ],\n  \"m\": {\n    \"n\": true\n  }\n}\n",
            ),
            (
                r#"{"l":[1], "m": {}}"#,
                "{\"l\":[1, {\"a\":1}], \"m\": {\n  \"n\": true\n}}",
            ),
            (
                "{\n\t\"l\": [ // none\n\t],\n\t\"x\": 1, // last\n}",
                "{\n\t\"l\": [ // none\n\t\t{\n\t\t\t\"a\": 1\n\t\t}\n\t],\n\t\"x\": 1, // last\n\t\"m\": {\n\t\t\"n\": true\n\t},\n}",
            ),
            ("{\r\n    \"m\": {\"n\": 1} // x\r\n}", ""),
        ] {
            if after.is_empty() {
                assert!(put(text, &wanted).is_err(), "{text}");
            } else {
                assert_eq!(with(text, &wanted), after, "{text}");
            }
        }
        let crlf = with("{\r\n    \"x\": 1 // c\r\n}\r\n", &json!({"y": [2]}));
        assert_eq!(
            crlf,
            "{\r\n    \"x\": 1, // c\r\n    \"y\": [\r\n        2\r\n    ]\r\n}\r\n"
        );
    }

    #[test]
    fn what_is_taken_out_leaves_the_rest_as_it_is() {
        for (text, gone, after) in [
            ("[1, 2, 3]", &[1][..], "[1, 3]"),
            ("[1, 2, 3]", &[2], "[1, 2]"),
            ("[1, 2, 3]", &[1, 2], "[1]"),
            ("[1, 2, 3]", &[0], "[ 2, 3]"),
            ("[1, 2, 3]", &[0, 1, 2], "[]"),
            (
                "[\n  1, // one\n  2, // two\n  3, // three\n]",
                &[2],
                "[\n  1, // one\n  2, // two\n // three\n]",
            ),
            ("[1, // one\n 2]", &[1], "[1 // one\n]"),
            ("[1, 2,]", &[1], "[1,]"),
            ("[1,2,]", &[0, 1], "[]"),
        ] {
            let root = parse(text).unwrap().unwrap();
            let Kind::List(items) = &root.kind else {
                panic!("no list")
            };
            let spans: Vec<_> = gone.iter().map(|at| items[*at].span.clone()).collect();
            let left = splice::apply(text, take(text, &root, &spans)).0;
            assert_eq!(left, after, "{text}");
            let value = parse(&left).unwrap().unwrap().value();
            assert_eq!(value, root.without(&spans));
        }
    }

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        assert_eq!(parse("{\n\"a\": 1\n\"b\": 2}").unwrap_err().line, 2);
        assert_eq!(parse("// nothing\n").unwrap(), None);
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).is_err());
        for bad in ["{", "{'a': 1}", "{a: 1}", "[1 2]", "{}{}", "\u{feff}x"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let fault = put("{\"l\": 1}", &json!({"l": [1]})).unwrap_err();
        assert_eq!(fault.cause, "l is a single value, not a list");
        assert!(put("{\"l\": [], \"l\": []}", &json!({"l": [1]})).is_err());
    }
}
