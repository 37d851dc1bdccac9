//! What a scripted model does: steps, and what of the agent's last result goes into the next one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How much of a text a placeholder without a field stands for, in characters.
const LONGEST: usize = 4_000;
/// How many opening braces of a result are tried for an object.
const BRACES: usize = 256;

/// One thing that the model does in a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Runs a command by the agent program's tool for that. A placeholder in it stands for one
    /// word of the shell, whatever its value holds, so it is never written inside quotes.
    Shell(String),
    /// Reads a file.
    Read(String),
    /// Writes a whole file.
    Write {
        /// The file.
        path: String,
        /// What it holds from then on.
        text: String,
    },
    /// Replaces a text in a file.
    Edit {
        /// The file.
        path: String,
        /// What is there.
        old: String,
        /// What comes in its place.
        new: String,
    },
    /// Calls a tool by its name, or by the end of it: servers' tools carry a prefix.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments.
        args: Value,
    },
    /// Says something; the agent's turn ends with it.
    Text(String),
}

/// When a step that is repeated has come to what it waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// The result holds an object with this field, dotted where it lies deeper.
    Has(String),
    /// This field holds this word.
    Is(String, String),
    /// The result holds this text.
    Says(String),
}

/// A step of a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What is done.
    pub act: Act,
    /// It is repeated until its result is this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Its result can be named by later steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
}

impl Step {
    /// A command of the shell.
    #[must_use]
    pub fn shell(command: impl Into<String>) -> Self {
        Self::of(Act::Shell(command.into()))
    }

    /// A text that ends the turn.
    #[must_use]
    pub fn text(words: impl Into<String>) -> Self {
        Self::of(Act::Text(words.into()))
    }

    /// Any act.
    #[must_use]
    pub fn of(act: Act) -> Self {
        Self {
            act,
            until: None,
            keep: None,
        }
    }

    /// The same step, repeated until its result is this.
    #[must_use]
    pub fn until(self, until: Until) -> Self {
        Self {
            until: Some(until),
            ..self
        }
    }

    /// The same step, whose result later steps name as `{name}` or `{name.field}`.
    #[must_use]
    pub fn keep(self, name: impl Into<String>) -> Self {
        Self {
            keep: Some(name.into()),
            ..self
        }
    }
}

impl Until {
    /// Whether a result is what was waited for.
    #[must_use]
    pub fn holds(&self, result: &str) -> bool {
        match self {
            Self::Has(path) => field(result, path).is_some(),
            Self::Is(path, word) => field(result, path).as_deref() == Some(word),
            Self::Says(text) => result.contains(text),
        }
    }
}

/// A result under a name, for placeholders.
pub(super) type Kept = (String, String);

/// The act with its placeholders filled in: `{last}` and `{last.field}` for the last result,
/// `{turn}` for the turn's number, `{user}` for what the agent was told last, `{told}` for all of that, `{name.field}` for a kept one. One that cannot be
/// filled stays as it is, so that whoever reads the call sees what was missing.
pub(super) fn filled(act: &Act, kept: &[Kept]) -> Act {
    let plain = |text: &str| fill(text, kept, &str::to_owned);
    match act {
        Act::Shell(command) => Act::Shell(fill(command, kept, &quoted)),
        Act::Read(path) => Act::Read(plain(path)),
        Act::Write { path, text } => Act::Write {
            path: plain(path),
            text: plain(text),
        },
        Act::Edit { path, old, new } => Act::Edit {
            path: plain(path),
            old: plain(old),
            new: plain(new),
        },
        Act::Call { tool, args } => Act::Call {
            tool: tool.clone(),
            args: fill_value(args, &plain),
        },
        Act::Text(words) => Act::Text(plain(words)),
    }
}

fn fill_value(value: &Value, plain: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(plain(text)),
        Value::Array(list) => list.iter().map(|one| fill_value(one, plain)).collect(),
        Value::Object(map) => {
            let filled = map
                .iter()
                .map(|(key, one)| (key.clone(), fill_value(one, plain)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn fill(text: &str, kept: &[Kept], form: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let value = from.find('}').and_then(|end| {
            let value = value_of(&from[1..end], kept)?;
            Some((value, end + 1))
        });
        if let Some((value, end)) = value {
            out.push_str(&form(&value));
            rest = &from[end..];
        } else {
            out.push('{');
            rest = &from[1..];
        }
    }
    out.push_str(rest);
    out
}

fn value_of(name: &str, kept: &[Kept]) -> Option<String> {
    let (name, path) = match name.split_once('.') {
        Some((name, path)) => (name, Some(path)),
        None => (name, None),
    };
    let (_, result) = kept.iter().rev().find(|(known, _)| known == name)?;
    match path {
        Some(path) => field(result, path),
        None => Some(result.trim().chars().take(LONGEST).collect()),
    }
}

/// A field of the first object of a result that has it, wherever that begins: agent programs put
/// words of their own around what a command printed, or put it into an object of their own.
#[must_use]
pub fn field(result: &str, path: &str) -> Option<String> {
    let pointer = format!("/{}", path.replace('.', "/"));
    match within(result, &pointer, DEEP)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// How many objects may lie around a result, each as a text of the one around it.
const DEEP: usize = 2;

fn within(text: &str, pointer: &str, deep: usize) -> Option<Value> {
    let braces = text.match_indices('{').take(BRACES);
    let mut objects = braces.filter_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok()
    });
    objects.find_map(|object| {
        let found = object.pointer(pointer).cloned();
        found.or_else(|| {
            let deeper = deep.checked_sub(1)?;
            let mut texts = object.as_object()?.values().filter_map(Value::as_str);
            texts.find_map(|text| within(text, pointer, deeper))
        })
    })
}

/// One word of the shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_behind_the_words_of_any_agent_program() {
        let said = "Chunk ID: {none}\nOutput:\n{\"id\":\"01-a\",\"brief\":{\"n\":[1,2]},\"gone\":null}\nmore";
        assert_eq!(field(said, "id").as_deref(), Some("01-a"));
        assert_eq!(field(said, "brief.n.1").as_deref(), Some("2"));
        assert_eq!(field(said, "gone"), None);
        assert_eq!(field("no object", "id"), None);
        let packed = serde_json::json!({"output": said, "exit_code": 0}).to_string();
        assert_eq!(field(&packed, "id").as_deref(), Some("01-a"));
        assert_eq!(field(&"{".repeat(100_000), "id"), None);
    }

    #[test]
    fn placeholders_are_one_word_of_the_shell_and_plain_elsewhere() {
        let kept = vec![
            ("claimed".to_owned(), "{\"id\":\"7\"}".to_owned()),
            ("last".to_owned(), "{\"text\":\"it's $HOME\"}".to_owned()),
        ];
        let shell = filled(
            &Act::Shell("x {claimed.id} --text {last.text} {other} ${HOME}".to_owned()),
            &kept,
        );
        assert_eq!(
            shell,
            Act::Shell("x '7' --text 'it'\\''s $HOME' {other} ${HOME}".to_owned())
        );
        let call = Act::Call {
            tool: "t".to_owned(),
            args: serde_json::json!({"a": ["{last.text}"], "b": 1}),
        };
        let Act::Call { args, .. } = filled(&call, &kept) else {
            unreachable!()
        };
        assert_eq!(args, serde_json::json!({"a": ["it's $HOME"], "b": 1}));
    }

    #[test]
    fn a_step_is_written_and_read() {
        let step = Step::shell("x").until(Until::Has("id".into())).keep("a");
        let text = serde_json::to_string(&step).unwrap();
        assert_eq!(
            text,
            r#"{"act":{"shell":"x"},"until":{"has":"id"},"keep":"a"}"#
        );
        assert_eq!(serde_json::from_str::<Step>(&text).unwrap(), step);
        assert!(Until::Is("a".into(), "b".into()).holds("x {\"a\":\"b\"}"));
        assert!(Until::Says("b".into()).holds("abc"));
    }
}
