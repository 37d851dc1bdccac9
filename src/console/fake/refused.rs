//! A call of the made-up fleet that the guard refused.

use crate::console::backend::PaneKind;
use crate::contract::breaker::{Approver, ResetCheck};
use crate::contract::granting::{GrantForm, InTheWay, RefusedRow};
use crate::contract::guard::Grantable;
use crate::contract::refusal::{Code, Refusal};

use super::FakeBackend;

pub(super) fn row(ago: &dyn Fn(i64) -> String) -> RefusedRow {
    RefusedRow {
        id: "018f-00004811".to_owned(),
        handle: "o-4811".to_owned(),
        at: ago(2),
        agent: "codex-2".to_owned(),
        tool: "Bash".to_owned(),
        action: "Bash ssh build.example.org uptime".to_owned(),
        project: "/srv/api/.git".to_owned(),
        why: "a session on build.example.org, which is not listed (ssh.session)".to_owned(),
    }
}

impl FakeBackend {
    /// The refused call of a row: only codex-2 has one, and only the secret's breaker came of one.
    pub(super) fn refused_call(&self, kind: PaneKind, id: &str) -> Result<GrantForm, Refusal> {
        let has = match kind {
            PaneKind::Agents => id == "codex-2",
            PaneKind::Breakers => id == "018f-41c9",
            _ => true,
        };
        if !has {
            let cause = "that breaker was not opened by a refused call";
            return Err(Refusal::new(Code::TransitionForbidden, cause, ""));
        }
        let check = |name: &str, seen: &str| ResetCheck {
            name: name.to_owned(),
            holds: true,
            seen: seen.to_owned(),
        };
        let open = self.breakers.iter().filter(|row| row.state == "open");
        Ok(GrantForm {
            refused: self.refused.clone(),
            opens: vec![
                Grantable::Call(format!("sha256:{}", "4f".repeat(32))),
                Grantable::Host("build.example.org".to_owned()),
            ],
            grants: Vec::new(),
            checks: vec![
                check("refusal_is_recorded", "record 4811, its digest holds"),
                check("no_grant_opens_it_yet", "none runs"),
                check("agent_is_there", "it is stopped"),
            ],
            breakers: open
                .take(1)
                .map(|row| InTheWay {
                    handle: row.handle.clone(),
                    trigger: row.trigger.clone(),
                    scope: row.scope.clone(),
                })
                .collect(),
            needs: Approver::Human,
            signers: vec!["ops@laptop".to_owned()],
        })
    }
}
