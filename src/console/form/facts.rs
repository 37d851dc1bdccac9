//! What a form shows of the store: facts, checks, who must sign, and the receipt.

use crate::contract::agent::ResetForm;
use crate::contract::bench::{ALIAS, CodeForm, PROMOTION};
use crate::contract::breaker::{Approver, RESET, TRIP};
use crate::contract::decide::DecideForm;
use crate::contract::grant::GRANT;
use crate::contract::granting::GrantForm;
use crate::contract::guard::Grantable;
use crate::contract::handoff::DECISION;
use crate::contract::ids::{RecordId, handle};
use crate::contract::message::MessageForm;

use super::fields::Name;
use super::{Facts, Form, Subject};

/// Facts under a name: the lines, and how many of them are shown at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Their name.
    pub name: &'static str,
    /// The lines. Texts of agents are not yet neutralised.
    pub lines: Vec<String>,
    /// How many rows they may take.
    pub rows: usize,
}

fn shown(name: &'static str, lines: Vec<String>, rows: usize) -> Shown {
    Shown { name, lines, rows }
}

impl Facts {
    /// Who may sign.
    #[must_use]
    pub fn signers(&self) -> Vec<String> {
        match self {
            Self::Reset(forms) => {
                let mut forms = forms.iter();
                let first = forms.next().map(|f| f.signers.clone()).unwrap_or_default();
                let rest: Vec<&ResetForm> = forms.collect();
                first
                    .into_iter()
                    .filter(|name| rest.iter().all(|form| form.signers.contains(name)))
                    .collect()
            }
            Self::Decide(form) => form.signers.clone(),
            Self::Code(form) => form.signers.clone(),
            Self::Grant(form) => form.signers.clone(),
            Self::Message(_) => Vec::new(),
        }
    }

    /// The weakest role that may sign all of it; none where nobody signs.
    #[must_use]
    pub fn needs(&self) -> Option<Approver> {
        match self {
            Self::Reset(forms) => {
                let strictest = forms.iter().map(|f| f.needs).max();
                Some(strictest.unwrap_or(Approver::Human))
            }
            Self::Decide(form) => Some(form.needs),
            Self::Code(form) => Some(form.needs),
            Self::Grant(form) => Some(form.needs),
            Self::Message(_) => None,
        }
    }

    /// The options of the fields that offer some.
    pub(super) fn choices(&self) -> Vec<(Name, Vec<String>)> {
        let mut choices = vec![(Name::Signer, self.signers())];
        if let Self::Reset(forms) = self {
            let mut targets: Vec<String> = Vec::new();
            for target in forms.iter().flat_map(|form| &form.targets) {
                if !targets.iter().any(|known| known == target.as_str()) {
                    targets.push(target.as_str().to_owned());
                }
            }
            choices.push((Name::GoTo, targets));
        }
        if let Self::Grant(form) = self {
            let words = form.opens.iter().map(|opens| kind(opens).to_owned());
            choices.push((Name::Opens, words.collect()));
        }
        choices
    }
}

impl Form {
    /// The machine checks: name, whether it holds, what was seen.
    #[must_use]
    pub fn checks(&self) -> Vec<(String, bool, String)> {
        let forms = match &self.facts {
            Some(Facts::Reset(forms)) => forms,
            Some(Facts::Grant(form)) => {
                let checks = form.checks.iter();
                return checks
                    .map(|check| (check.name.clone(), check.holds, check.seen.clone()))
                    .collect();
            }
            _ => return Vec::new(),
        };
        let several = forms.len() > 1;
        forms
            .iter()
            .flat_map(|form| form.checks.iter().map(move |check| (form, check)))
            .map(|(form, check)| {
                let name = if several {
                    format!("{} {}", form.breaker.handle, check.name)
                } else {
                    check.name.clone()
                };
                (name, check.holds, check.seen.clone())
            })
            .collect()
    }

    /// The facts, where there is more than the breaker's own to tell.
    #[must_use]
    pub fn known(&self) -> Vec<Shown> {
        match &self.facts {
            Some(Facts::Decide(form)) => of_handoff(form),
            Some(Facts::Code(form)) => of_code(form),
            Some(Facts::Message(form)) => of_agent(form),
            Some(Facts::Grant(form)) => of_refused(form),
            Some(Facts::Reset(_)) | None => Vec::new(),
        }
    }

    /// Schemas that are written and the receipts that they answer, a line each.
    #[must_use]
    pub fn receipts(&self) -> Vec<String> {
        let parents = |ids: &[String]| {
            let ids: Vec<String> = ids.iter().map(|id| short(id)).collect();
            match ids.len() {
                0 => String::new(),
                1 => format!(" -> parent {}", ids[0]),
                _ => format!(" -> parents {}", ids.join(", ")),
            }
        };
        match (&self.facts, &self.subject) {
            (Some(Facts::Reset(forms)), _) => forms
                .iter()
                .map(|form| format!("{RESET}{}", parents(&form.parents)))
                .collect(),
            (Some(Facts::Decide(form)), _) => {
                vec![format!("{DECISION}{}", parents(&form.parents))]
            }
            (Some(Facts::Code(form)), Subject::Alias(_)) => {
                vec![format!("{ALIAS}{}", parents(&form.parents))]
            }
            (Some(Facts::Code(form)), _) => {
                vec![format!("{PROMOTION}{}", parents(&form.parents))]
            }
            (Some(Facts::Message(_)), Subject::Pause(_)) => vec![TRIP.to_owned()],
            (Some(Facts::Grant(form)), _) => {
                vec![format!("{GRANT} in project {}", form.refused.project)]
            }
            (Some(Facts::Message(_)) | None, _) => Vec::new(),
        }
    }

    /// What the grant would open, as it is chosen.
    #[must_use]
    pub fn opens(&self) -> Option<&Grantable> {
        let Some(Facts::Grant(form)) = &self.facts else {
            return None;
        };
        let chosen = self.chosen(Name::Opens)?;
        form.opens.iter().find(|opens| kind(opens) == chosen)
    }

    /// What the receipt would say, as it stands: `cause "…", go to active`.
    #[must_use]
    pub fn says(&self) -> String {
        let mut parts = Vec::new();
        for field in self.shown() {
            let name = field.name;
            if matches!(
                name,
                Name::Passphrase | Name::Cancel | Name::Submit | Name::Signer
            ) {
                continue;
            }
            let said = match (name, self.chosen(name)) {
                (Name::Target, _) => self.picked().map(|e| e.code.clone()).unwrap_or_default(),
                (Name::Opens, _) => self.opens().map(opened).unwrap_or_default(),
                (_, Some(chosen)) => chosen.to_owned(),
                (_, None) => self.text(name).to_owned(),
            };
            if !said.is_empty() {
                parts.push(format!("{} \"{said}\"", name.label()));
            }
        }
        parts.join(", ")
    }
}

fn of_handoff(form: &DecideForm) -> Vec<Shown> {
    let row = &form.handoff;
    let class = row.class.as_deref().unwrap_or("no class").replace('_', " ");
    vec![
        shown("asked by", vec![format!("{}; {class}", row.asker)], 1),
        shown("question", vec![row.question.clone()], 3),
        shown("tried", vec![row.tried.clone()], 2),
        shown("needed", vec![row.needed.clone()], 2),
        shown("thread", form.thread.clone(), 4),
    ]
}

fn of_refused(form: &GrantForm) -> Vec<Shown> {
    let row = &form.refused;
    let time = row.at.get(11..19).unwrap_or_default();
    let refused = format!(
        "{} at {time} UTC, {} of {}",
        row.handle, row.tool, row.agent
    );
    let mut facts = vec![
        shown("refused", vec![refused], 1),
        shown("call", vec![row.action.clone()], 3),
        shown("because", vec![row.why.clone()], 3),
    ];
    if !form.grants.is_empty() {
        facts.push(shown("granted", form.grants.clone(), 3));
    }
    facts
}

/// The choice that stands for what a grant opens.
fn kind(opens: &Grantable) -> &'static str {
    match opens {
        Grantable::Call(_) => "this call, once",
        Grantable::Host(_) => "the host",
        Grantable::Path(_) => "the path",
        Grantable::Branch(_) => "the branch",
    }
}

/// What a grant opens, as its receipt says.
#[must_use]
pub fn opened(opens: &Grantable) -> String {
    match opens {
        Grantable::Call(digest) => format!("call {digest}"),
        Grantable::Host(host) => format!("host {host}"),
        Grantable::Path(path) => format!("path {path}"),
        Grantable::Branch(branch) => format!("branch {branch}"),
    }
}

fn of_agent(form: &MessageForm) -> Vec<Shown> {
    let row = &form.agent;
    let waiting = match (form.unread, form.unseen) {
        (0, _) => "nothing".to_owned(),
        (unread, unseen) => format!("{unread} messages, {unseen} of them not shown yet"),
    };
    vec![
        shown("agent", vec![format!("{} on {}", row.state, row.task)], 1),
        shown("did last", vec![row.last_action.clone()], 2),
        shown("inbox", vec![waiting], 1),
    ]
}

fn of_code(form: &CodeForm) -> Vec<Shown> {
    let row = &form.bench.code;
    let samples = form.bench.samples.iter().map(|s| s.text.clone()).collect();
    let near = form.bench.near.iter();
    let near = near
        .map(|near| format!("{} {} %: {}", near.code, near.percent, near.text))
        .collect();
    let seen = format!(
        "{} times, last by {}",
        row.count,
        row.agent.as_deref().unwrap_or("nobody")
    );
    vec![
        shown("seen", vec![seen], 1),
        shown("samples", samples, 3),
        shown("looks like", near, 2),
    ]
}

/// An id by its handle.
fn short(id: &str) -> String {
    if id.chars().count() <= 8 {
        return id.to_owned();
    }
    handle('r', &RecordId::new(id))
}
