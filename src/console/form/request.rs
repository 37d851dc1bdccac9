//! What a form lacks, and what it would have signed.

use crate::contract::agent::{PauseRequest, ResetRequest};
use crate::contract::bench::{AliasRequest, DraftEntry, KnownCode, PromoteRequest};
use crate::contract::decide::DecideRequest;
use crate::contract::granting::{GrantRequest, LONGEST_MINUTES};
use crate::contract::ids::RecordId;
use crate::contract::message::MessageRequest;
use crate::contract::mission::MissionState;

use super::fields::{Content, Name};
use super::{Facts, Form, Subject, Submission};
use crate::console::filter;

impl Form {
    /// Entries that what was typed matches, the best first. Empty where nothing is picked.
    #[must_use]
    pub fn matches(&self) -> Vec<&KnownCode> {
        let (Some(Facts::Code(form)), Some(Content::Pick { input, .. })) =
            (&self.facts, self.field(Name::Target).map(|f| &f.content))
        else {
            return Vec::new();
        };
        let texts: Vec<String> = form
            .entries
            .iter()
            .map(|entry| format!("{} {}", entry.code, entry.cause))
            .collect();
        filter::rank(input.value(), texts.iter().map(String::as_str))
            .into_iter()
            .filter_map(|at| form.entries.get(at))
            .collect()
    }

    /// The entry that is picked. Nothing is picked before something was typed or chosen.
    #[must_use]
    pub fn picked(&self) -> Option<&KnownCode> {
        let Some(Content::Pick { chosen, .. }) = self.field(Name::Target).map(|f| &f.content)
        else {
            return None;
        };
        self.matches().get((*chosen)?).copied()
    }

    /// What is still missing: the field that lacks it, and its name on the form.
    #[must_use]
    pub fn missing(&self) -> Vec<(Name, &'static str)> {
        let Some(facts) = &self.facts else {
            return vec![(
                Name::Cancel,
                "the facts of the store, which are still being read",
            )];
        };
        let mut lacks = Vec::new();
        for field in self.shown() {
            let lacking = match &field.content {
                Content::Text {
                    input, optional, ..
                } => {
                    !optional
                        && self.listed(field.name).is_empty()
                        && blank(input.value(), field.name)
                }
                Content::Choice { chosen, .. } => chosen.is_none(),
                Content::Pick { .. } => self.picked().is_none(),
                Content::Masked => !self.sealed,
                Content::Button => false,
            };
            if lacking {
                lacks.push((field.name, field.name.label()));
            }
        }
        if self.field(Name::Minutes).is_some() && self.minutes().is_none() {
            lacks.retain(|(name, _)| *name != Name::Minutes);
            lacks.push((Name::Minutes, "minutes, from 1 to 1440"));
        }
        if self.subject.signed() && facts.signers().is_empty() {
            lacks.push((Name::Cancel, "someone with a key who may sign"));
        }
        lacks
    }

    /// For how many minutes a grant is to run, where that is a number that it can be.
    #[must_use]
    pub fn minutes(&self) -> Option<u32> {
        let minutes = self.text(Name::Minutes).parse().ok()?;
        (1..=LONGEST_MINUTES).contains(&minutes).then_some(minutes)
    }

    /// The parts of a field that is a list.
    fn listed(&self, name: Name) -> Vec<String> {
        let separators: &[char] = match name {
            Name::Evidence => &[',', ' '],
            Name::Tokens => &[';'],
            _ => return Vec::new(),
        };
        self.text(name)
            .split(separators)
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The entry as it stands, when the form is that of a promotion.
    #[must_use]
    pub fn draft(&self) -> Option<DraftEntry> {
        let Subject::Promote(minted) = &self.subject else {
            return None;
        };
        let layer = self.text(Name::Layer);
        Some(DraftEntry {
            minted: minted.clone(),
            code: self.text(Name::Code).to_owned(),
            layer: (!layer.is_empty()).then(|| layer.to_owned()),
            tokens: self.listed(Name::Tokens),
            cause: self.text(Name::Why).to_owned(),
            next_command: self.text(Name::Next).to_owned(),
            recoverable: self.chosen(Name::Recoverable) == Some("yes"),
        })
    }

    /// What Enter on the last button has signed.
    #[must_use]
    pub fn submission(&self) -> Option<Submission> {
        let signers = self.facts.as_ref()?.signers();
        let principal = self
            .chosen(Name::Signer)
            .map(str::to_owned)
            .or_else(|| signers.first().cloned());
        let reason = self.text(Name::Reason).to_owned();
        Some(match (&self.subject, self.facts.as_ref()?) {
            (Subject::Reset(ids), Facts::Reset(forms)) => {
                let to = self.chosen(Name::GoTo);
                let requests = ids.iter().map(|id| {
                    let form = forms.iter().find(|form| form.breaker.id == *id);
                    let targets: &[MissionState] = form.map_or(&[], |form| &form.targets);
                    ResetRequest {
                        breaker_id: RecordId::new(id.clone()),
                        cause: self.text(Name::Cause).to_owned(),
                        fix: self.text(Name::Fix).to_owned(),
                        evidence: self.listed(Name::Evidence),
                        to: targets.iter().find(|t| Some(t.as_str()) == to).copied(),
                        principal: principal.clone(),
                    }
                });
                Submission::Reset(requests.collect())
            }
            (Subject::Decide(id), Facts::Decide(_)) => Submission::Decide(DecideRequest {
                handoff_id: id.clone(),
                decision: self.text(Name::Decision).to_owned(),
                reason,
                principal,
            }),
            (Subject::Alias(minted), Facts::Code(_)) => Submission::Alias(AliasRequest {
                minted: minted.clone(),
                to: self.picked()?.code.clone(),
                reason,
                principal,
            }),
            (Subject::Message(to), Facts::Message(_)) => Submission::Message(MessageRequest {
                to: to.clone(),
                text: self.text(Name::Message).to_owned(),
            }),
            (Subject::Pause(agent), Facts::Message(_)) => Submission::Pause(PauseRequest {
                agent: agent.clone(),
                reason,
            }),
            (Subject::Grant(..), Facts::Grant(form)) => Submission::Grant(GrantRequest {
                refused_id: form.refused.id.clone(),
                opens: self.opens()?.clone(),
                minutes: self.minutes()?,
                reason,
                principal,
            }),
            (Subject::Promote(_), Facts::Code(_)) => Submission::Promote(PromoteRequest {
                entry: self.draft()?,
                reason,
                principal,
            }),
            _ => return None,
        })
    }
}

/// Whether a text says nothing. A list that holds only separators does not either.
fn blank(text: &str, name: Name) -> bool {
    matches!(name, Name::Evidence | Name::Tokens) || text.trim().is_empty()
}
