//! Answers: one JSON object, or a table or sentence for a person; refusals with their three parts.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use serde::Serialize;

use crate::contract::refusal::{Code, Refusal, RefusalView};
use crate::contract::text::is_hostile;

/// How answers are written.
pub struct Out {
    /// As one JSON object.
    pub json: bool,
    /// Without remarks.
    pub quiet: bool,
}

/// An answer.
pub struct Reply {
    /// As data.
    pub json: String,
    /// As a person reads it.
    pub human: String,
    /// The exit code.
    pub exit: u8,
    /// Why the verb would be refused, where it was only asked whether it would.
    pub lacking: Option<Refusal>,
}

impl Reply {
    /// An answer with exit code 0.
    ///
    /// # Errors
    /// The answer has no JSON form, which is a fault of the product.
    pub fn of<T: Serialize>(data: &T, human: impl Into<String>) -> Result<Self, Refusal> {
        let json = serde_json::to_string(data).map_err(|error| {
            Refusal::new(
                Code::Internal,
                format!("an answer has no JSON form: {error}"),
                "watchfloor status",
            )
        })?;
        Ok(Self {
            json,
            human: human.into(),
            exit: 0,
            lacking: None,
        })
    }

    /// The answer of a dry run that found something: what was seen, and the refusal that the verb
    /// itself would be. One JSON object holds both; for a person the refusal goes to standard error.
    ///
    /// # Errors
    /// As [`Reply::of`].
    pub fn lacking<T: Serialize>(
        data: &T,
        human: impl Into<String>,
        refusal: Refusal,
    ) -> Result<Self, Refusal> {
        #[derive(Serialize)]
        struct Both<'a, T> {
            #[serde(flatten)]
            data: &'a T,
            #[serde(flatten)]
            refusal: RefusalView<'a>,
        }
        let both = Both {
            data,
            refusal: refusal.view(),
        };
        let exit = refusal.code.exit() as u8;
        Ok(Self {
            exit,
            ..Self::of(&both, human)?
        }
        .with(refusal))
    }

    fn with(self, refusal: Refusal) -> Self {
        Self {
            lacking: Some(refusal),
            ..self
        }
    }

    /// Text that is data for a person and a program alike.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            json: text.clone(),
            human: text,
            exit: 0,
            lacking: None,
        }
    }

    /// Nothing more to say: it was written already.
    pub fn written() -> Self {
        Self {
            json: String::new(),
            human: String::new(),
            exit: 0,
            lacking: None,
        }
    }

    /// With another exit code.
    pub fn exit(self, exit: u8) -> Self {
        Self { exit, ..self }
    }
}

impl Out {
    /// Writes an answer.
    pub fn reply(&self, reply: &Reply) -> u8 {
        // Whatever a verb tells of paths and names, the terminal shows it and obeys none of it; what
        // is the same for both is a text of its own, to the byte.
        let text = match self.json {
            _ if reply.human == reply.json => Cow::Borrowed(reply.json.as_str()),
            true => harmless(&reply.json),
            false => Cow::Owned(super::table::lines(&reply.human)),
        };
        write(&text, &mut std::io::stdout().lock());
        match &reply.lacking {
            Some(refusal) if !self.json => refused(refusal, false),
            _ => reply.exit,
        }
    }

    /// Writes a refusal.
    pub fn refusal(&self, refusal: &Refusal) -> u8 {
        refused(refusal, self.json)
    }
}

/// Writes a refusal: with JSON the one object on standard output, else three lines for a person.
#[must_use]
pub fn refused(refusal: &Refusal, json: bool) -> u8 {
    if json {
        let text = serde_json::to_string(&refusal.view()).unwrap_or_default();
        write(&harmless(&text), &mut std::io::stdout().lock());
    } else {
        let plain = super::table::plain;
        let text = format!(
            "refused: {}\n  cause: {}\n  next:  {}",
            refusal.code.as_str(),
            plain(&refusal.cause),
            plain(&refusal.next_command)
        );
        write(&text, &mut std::io::stderr().lock());
    }
    refusal.code.exit() as u8
}

/// JSON that means the same and gives no orders to a terminal: what it would obey or be misled by
/// stands escaped. Such a character stands within strings alone.
fn harmless(json: &str) -> Cow<'_, str> {
    let hostile = |c: char| is_hostile(c) && !c.is_ascii_whitespace();
    if !json.contains(hostile) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if hostile(c) {
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// A reader that went away is no failure of ours.
fn write(text: &str, to: &mut dyn Write) {
    if text.is_empty() {
        return;
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    drop(write!(to, "{text}{end}").and_then(|()| to.flush()));
}

/// A call whose words are off.
pub(super) fn usage(cause: impl Into<String>, next: &str) -> Refusal {
    Refusal::new(Code::Usage, cause, next)
}

/// A flag that the verb cannot do without.
pub(super) fn need<T: Clone>(value: Option<&T>, flag: &str, verb: &str) -> Result<T, Refusal> {
    value.cloned().ok_or_else(|| {
        usage(
            format!("{verb} needs {flag}"),
            &format!("watchfloor {verb} --help"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_gives_no_orders() {
        for text in [
            "",
            "plain é 漢 😀",
            "a\u{9b}31m\u{202e}b\u{7f}\u{feff}",
            "\u{1b}\n\t\"\\",
        ] {
            let json = serde_json::to_string(&[text]).unwrap();
            let shown = harmless(&json);
            assert!(!shown.chars().any(is_hostile), "{shown:?}");
            assert_eq!(serde_json::from_str::<[String; 1]>(&shown).unwrap(), [text]);
        }
    }
}
