//! The fields of each form.

use tui_input::Input;

use super::Subject;

/// For how many minutes a grant runs, where nobody says anything else.
const AN_HOUR: &str = "60";

/// The fields that there are. Each form has some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// What was wrong.
    Cause,
    /// What was done about it.
    Fix,
    /// What shows it.
    Evidence,
    /// The state that a mission goes to.
    GoTo,
    /// What is decided.
    Decision,
    /// The entry that a code is an alias of.
    Target,
    /// The new entry's code.
    Code,
    /// Its layer.
    Layer,
    /// Texts that give it away.
    Tokens,
    /// Why it happens.
    Why,
    /// What to run next.
    Next,
    /// Whether it can be got over without a person.
    Recoverable,
    /// What a message says.
    Message,
    /// What a grant opens.
    Opens,
    /// For how many minutes.
    Minutes,
    /// Why it is decided so.
    Reason,
    /// Who signs.
    Signer,
    /// The masked one.
    Passphrase,
    /// Leaves and writes nothing.
    Cancel,
    /// Signs and writes.
    Submit,
}

impl Name {
    /// What stands before it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Cause | Self::Why => "cause",
            Self::Fix => "fixed",
            Self::Evidence => "evidence",
            Self::GoTo => "go to",
            Self::Decision => "decision",
            Self::Target => "entry",
            Self::Code => "code",
            Self::Layer => "layer",
            Self::Tokens => "match",
            Self::Next => "next",
            Self::Recoverable => "recoverable",
            Self::Message => "message",
            Self::Opens => "opens",
            Self::Minutes => "minutes",
            Self::Reason => "reason",
            Self::Signer => "signed by",
            Self::Passphrase => "passphrase",
            Self::Cancel | Self::Submit => "",
        }
    }
}

/// What a field holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A line of text.
    Text {
        /// What was typed.
        input: Input,
        /// What is to be typed, shown while it is empty.
        what: &'static str,
        /// Whether it may stay empty.
        optional: bool,
    },
    /// One of a few.
    Choice {
        /// The options; with fewer than two of a signer, or none at all, it is not shown.
        options: Vec<String>,
        /// The chosen one.
        chosen: Option<usize>,
    },
    /// One of many, found by typing.
    Pick {
        /// What was typed.
        input: Input,
        /// The chosen one among the matches; none before something was typed or chosen.
        chosen: Option<usize>,
    },
    /// The passphrase. The vault has it.
    Masked,
    /// A button.
    Button,
}

/// One field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Which one.
    pub name: Name,
    /// What it holds.
    pub content: Content,
}

impl Field {
    /// Whether it is shown and takes the focus.
    #[must_use]
    pub fn shown(&self) -> bool {
        match &self.content {
            Content::Choice { options, .. } => {
                options.len() > usize::from(self.name == Name::Signer)
            }
            _ => true,
        }
    }
}

fn text(name: Name, what: &'static str) -> Field {
    let content = Content::Text {
        input: Input::default(),
        what,
        optional: name == Name::Layer,
    };
    Field { name, content }
}

/// A line of text that begins with something.
fn begun(name: Name, what: &'static str, value: &str) -> Field {
    let content = Content::Text {
        input: Input::new(value.to_owned()),
        what,
        optional: false,
    };
    Field { name, content }
}

fn choice(name: Name, options: &[&str]) -> Field {
    let content = Content::Choice {
        options: options.iter().map(ToString::to_string).collect(),
        chosen: None,
    };
    Field { name, content }
}

/// The fields of a form, in the order of Tab.
pub(super) fn of(subject: &Subject) -> Vec<Field> {
    let why = text(Name::Reason, "why, as the receipt will say");
    let mut fields = match subject {
        Subject::Reset(_) => vec![
            text(Name::Cause, "what was wrong"),
            text(Name::Fix, "what was done about it"),
            text(
                Name::Evidence,
                "paths or receipt ids that show it, with blanks between",
            ),
            choice(Name::GoTo, &[]),
        ],
        Subject::Decide(_) => vec![
            text(Name::Decision, "what is decided, as the asker will read it"),
            why,
        ],
        Subject::Alias(_) => vec![
            Field {
                name: Name::Target,
                content: Content::Pick {
                    input: Input::default(),
                    chosen: None,
                },
            },
            why,
        ],
        Subject::Promote(_) => vec![
            text(Name::Code, "a_name_for_it, in small letters"),
            text(Name::Layer, "build, network ...; empty fits everywhere"),
            text(Name::Tokens, "texts that give it away, with ; between"),
            text(Name::Why, "why it happens, in a sentence"),
            text(Name::Next, "what to run next"),
            choice(Name::Recoverable, &["yes", "no"]),
            why,
        ],
        Subject::Pause(_) => vec![text(
            Name::Reason,
            "why, as the receipt of the stop will say",
        )],
        Subject::Grant(..) => vec![
            choice(Name::Opens, &[]),
            begun(Name::Minutes, "from 1 to 1440", AN_HOUR),
            why,
        ],
        Subject::Message(_) => vec![text(Name::Message, "one line, read at the end of its turn")],
    };
    let mut last = vec![
        (Name::Cancel, Content::Button),
        (Name::Submit, Content::Button),
    ];
    if subject.signed() {
        fields.push(choice(Name::Signer, &[]));
        last.insert(0, (Name::Passphrase, Content::Masked));
    }
    for (name, content) in last {
        fields.push(Field { name, content });
    }
    fields
}
