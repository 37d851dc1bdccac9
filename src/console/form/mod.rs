//! One engine for every form that leads to a signature: fields, facts of the store, a masked
//! passphrase, and the receipt that would be written. A message needs no signature: it has one line.
//!
//! A form knows of the passphrase only whether there is one. Cancel has the focus at first.

mod facts;
mod fields;
mod request;

use serde::{Deserialize, Serialize};
use tui_input::Input;

use crate::contract::agent::{PauseRequest, ResetForm, ResetRequest};
use crate::contract::bench::{AliasRequest, CodeForm, DraftEntry, Preview, PromoteRequest};
use crate::contract::breaker::ResetCheck;
use crate::contract::decide::{DecideForm, DecideRequest};
use crate::contract::granting::{GrantForm, GrantRequest};
use crate::contract::message::{MessageForm, MessageRequest};

use super::pane::PaneKind;

pub use facts::{Shown, opened};
pub use fields::{Content, Field, Name};

/// Microseconds between two rounds of machine checks while a form is open.
const CHECK_US: i64 = 10_000_000;
/// The same after the store changed.
const CHECK_SOON_US: i64 = 1_000_000;

/// What a form is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Resets of these breakers.
    Reset(Vec<String>),
    /// A decision on this handoff.
    Decide(String),
    /// An alias of this minted code.
    Alias(String),
    /// An entry of the catalogue for this minted code.
    Promote(String),
    /// A line into the inbox of this agent.
    Message(String),
    /// A stop of this agent's session.
    Pause(String),
    /// A grant for a refused call: that of a record of the Log, or of an agent's or a breaker's row.
    Grant(PaneKind, String),
}

impl Subject {
    /// Whether it is signed.
    #[must_use]
    pub fn signed(&self) -> bool {
        !matches!(self, Self::Message(_) | Self::Pause(_))
    }
}

/// What the store says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facts {
    /// Breakers.
    Reset(Vec<ResetForm>),
    /// A handoff.
    Decide(Box<DecideForm>),
    /// A minted code.
    Code(Box<CodeForm>),
    /// An agent.
    Message(Box<MessageForm>),
    /// A refused call.
    Grant(Box<GrantForm>),
}

/// What a person signs, or sends, with the last key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Submission {
    /// Resets: a receipt each.
    Reset(Vec<ResetRequest>),
    /// A decision on a handoff.
    Decide(DecideRequest),
    /// An alias.
    Alias(AliasRequest),
    /// An entry of the catalogue.
    Promote(PromoteRequest),
    /// A message. Nobody signs it.
    Message(MessageRequest),
    /// A stop of one agent, which anybody may make.
    Pause(PauseRequest),
    /// A grant for a refused call.
    Grant(GrantRequest),
}

/// What became of one part of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Id of what it was about.
    pub id: String,
    /// Its handle, or what a person calls it.
    pub handle: String,
    /// The receipt, when one was written.
    pub receipt: Option<String>,
    /// What is still missing, by name.
    pub lacks: Vec<String>,
    /// The machine checks that were made of it.
    pub checks: Vec<ResetCheck>,
}

/// What was typed into a form that was left, so that it is not lost by a key too many.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What the form is about.
    pub subject: Subject,
    fields: Vec<Field>,
}

/// A form as it is filled in.
#[derive(Clone, Debug)]
pub struct Form {
    /// What it is about.
    pub subject: Subject,
    /// What the store says about it; absent until it was read.
    pub facts: Option<Facts>,
    /// Its fields, in the order of Tab.
    pub fields: Vec<Field>,
    /// What has the focus.
    pub focus: Name,
    /// Whether the vault holds anything. Nothing else is known of the passphrase here.
    pub sealed: bool,
    /// Said at the form's foot.
    pub message: Option<String>,
    /// It is being written; keys wait.
    pub sending: bool,
    /// When the facts were asked for last.
    pub checked_us: i64,
    /// The store changed since.
    pub stale: bool,
    /// The draft whose effects were asked for last.
    pub previewed: Option<DraftEntry>,
    /// Its effects.
    pub preview: Option<Preview>,
}

impl Form {
    /// An empty form; Cancel has the focus, or the line of a message.
    #[must_use]
    pub fn new(subject: Subject, now_us: i64) -> Self {
        let focus = match subject {
            Subject::Message(_) => Name::Message,
            _ => Name::Cancel,
        };
        Self {
            fields: fields::of(&subject),
            subject,
            facts: None,
            focus,
            sealed: false,
            message: None,
            sending: false,
            checked_us: now_us,
            stale: false,
            previewed: None,
            preview: None,
        }
    }

    /// A form with what was typed into it before it was left; of a passphrase nothing is left.
    #[must_use]
    pub fn again(draft: Draft, now_us: i64) -> Self {
        Self {
            fields: draft.fields,
            message: Some("What was typed before is here again.".to_owned()),
            ..Self::new(draft.subject, now_us)
        }
    }

    /// What is kept of a form that is left; `None` where nothing was typed into it.
    #[must_use]
    pub fn draft_of(&self) -> Option<Draft> {
        let typed = |fields: &[Field]| -> Vec<String> {
            let texts = fields.iter().filter_map(|field| match &field.content {
                Content::Text { input, .. } | Content::Pick { input, .. } => Some(input),
                Content::Choice { .. } | Content::Masked | Content::Button => None,
            });
            texts.map(|input| input.value().trim().to_owned()).collect()
        };
        (typed(&self.fields) != typed(&fields::of(&self.subject))).then(|| Draft {
            subject: self.subject.clone(),
            fields: self.fields.clone(),
        })
    }

    /// Where a form goes on that was refused: never to the button that leaves it. The passphrase
    /// has to be typed again whatever the reason.
    #[must_use]
    pub fn resume(&self) -> Name {
        let names = [Name::Passphrase, Name::Message, Name::Reason];
        let mut names = names.into_iter();
        names
            .find(|name| self.field(*name).is_some())
            .unwrap_or(Name::Submit)
    }

    /// When the facts are to be read again.
    #[must_use]
    pub fn check_due_us(&self) -> i64 {
        self.checked_us + if self.stale { CHECK_SOON_US } else { CHECK_US }
    }

    /// The fields that are shown, in the order of Tab.
    pub fn shown(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.shown())
    }

    /// A field.
    #[must_use]
    pub fn field(&self, name: Name) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field that has the focus.
    pub fn focused(&mut self) -> Option<&mut Field> {
        let focus = self.focus;
        self.fields.iter_mut().find(|field| field.name == focus)
    }

    /// The text field that has the focus.
    pub fn input(&mut self) -> Option<&mut Input> {
        match &mut self.focused()?.content {
            Content::Text { input, .. } | Content::Pick { input, .. } => Some(input),
            Content::Choice { .. } | Content::Masked | Content::Button => None,
        }
    }

    /// What was typed into a field, without blanks around it.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        match self.field(name).map(|field| &field.content) {
            Some(Content::Text { input, .. } | Content::Pick { input, .. }) => input.value().trim(),
            _ => "",
        }
    }

    /// What is chosen in a field.
    #[must_use]
    pub fn chosen(&self, name: Name) -> Option<&str> {
        match self.field(name).map(|field| &field.content) {
            Some(Content::Choice { options, chosen }) => {
                options.get((*chosen)?).map(String::as_str)
            }
            _ => None,
        }
    }

    /// To the next or the former field.
    pub fn step(&mut self, forward: bool) {
        let names: Vec<Name> = self.shown().map(|field| field.name).collect();
        let at = names.iter().position(|name| *name == self.focus);
        let step = if forward { 1 } else { names.len() - 1 };
        self.focus = names[(at.unwrap_or(0) + step) % names.len()];
    }

    /// Turns the choice that has the focus, or moves between the buttons. Whether anything turned.
    pub fn turn(&mut self, by: isize) -> bool {
        let other = match self.focus {
            Name::Cancel => Some(Name::Submit),
            Name::Submit => Some(Name::Cancel),
            _ => None,
        };
        if let Some(other) = other {
            self.focus = other;
            return true;
        }
        let matches = self.matches().len();
        match self.focused().map(|field| &mut field.content) {
            Some(Content::Choice { options, chosen }) if !options.is_empty() => {
                let count = options.len();
                *chosen =
                    Some(chosen.map_or(0, |at| (at + count).saturating_add_signed(by) % count));
                true
            }
            Some(Content::Pick { chosen, .. }) if matches > 0 => {
                *chosen =
                    Some(chosen.map_or(0, |at| at.saturating_add_signed(by).min(matches - 1)));
                true
            }
            _ => false,
        }
    }

    /// Takes in what the store says.
    pub fn adopt(&mut self, facts: Facts) {
        for (name, options) in facts.choices() {
            let field = self.fields.iter_mut().find(|field| field.name == name);
            if let Some(Content::Choice {
                options: now,
                chosen,
            }) = field.map(|f| &mut f.content)
            {
                let kept = chosen.and_then(|at| now.get(at)).cloned();
                *chosen = kept.and_then(|kept| options.iter().position(|o| *o == kept));
                // Of what a grant can open the least stands first.
                let begins = matches!(name, Name::Signer | Name::Opens);
                if chosen.is_none() && begins && !options.is_empty() {
                    *chosen = Some(0);
                }
                *now = options;
            }
        }
        if let (Subject::Grant(..), Facts::Grant(form)) = (&self.subject, &facts) {
            // The call that was shown stays the one that is asked about, whatever is refused later.
            self.subject = Subject::Grant(PaneKind::Log, form.refused.id.clone());
        }
        self.facts = Some(facts);
        if !self.shown().any(|field| field.name == self.focus) {
            self.focus = Name::Cancel;
        }
    }
}
