//! The circuit breaker's own rules (spec 3.6, 7.2): which hit belongs to which open breaker,
//! who may close it, and what a machine checks before.

use std::collections::BTreeMap;

use crate::contract::breaker::{Approver, Trigger};
use crate::contract::ids::RecordId;
use crate::contract::scope::Scope;

/// One reason to stop, with its place: the key of a breaker (spec 3.6).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    /// What it covers.
    pub scope: Scope,
    /// What opened it.
    pub trigger: Trigger,
    /// Signature or rule.
    pub key: Option<String>,
}

/// An open breaker as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBreaker {
    /// Id of its first trip receipt.
    pub id: RecordId,
    /// The entry that opened it, when an entry did.
    pub entry: Option<RecordId>,
    /// Its keys, all of one scope.
    pub hits: Vec<Hit>,
}

/// Where a hit goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The breaker with its key is open: the hit is added to it.
    Appended(RecordId),
    /// The same entry opened a breaker in this scope: one row, one form, one approval.
    Joined(RecordId),
    /// A new breaker opens.
    Opens,
}

/// Finds the breaker that a hit of `entry` belongs to. A breaker with the hit's key comes
/// before one that the entry opened.
#[must_use]
pub fn place(open: &[OpenBreaker], hit: &Hit, entry: Option<&RecordId>) -> Placed {
    if let Some(known) = open.iter().find(|breaker| breaker.hits.contains(hit)) {
        return Placed::Appended(known.id.clone());
    }
    let by_entry = |breaker: &&OpenBreaker| {
        entry.is_some()
            && breaker.entry.as_ref() == entry
            && breaker.hits.iter().any(|known| known.scope == hit.scope)
    };
    match open.iter().find(by_entry) {
        Some(known) => Placed::Joined(known.id.clone()),
        None => Placed::Opens,
    }
}

/// What a person or a lead decides (spec 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// The reset of a breaker, or a permit in its scope.
    Reset(Trigger),
    /// The reset of a `manual` stop of the whole fleet, or a permit under it.
    ResumeFleet,
    /// A change of signers after the first.
    Signers,
    /// A purge.
    Purge,
    /// A restart of the chain.
    ChainRestart,
    /// A looser limit.
    LooserLimit,
    /// An alias or a promotion of a failure code.
    FailureCode,
    /// A task back from `escalated`, with the reset of its breaker.
    TaskReopen,
    /// A mission from `escalated` to `active`.
    MissionResume,
    /// A decision on an escalated handoff.
    EscalatedHandoff,
    /// A changed goal.
    Goal,
    /// A time-limited permission.
    Grant,
}

impl Decision {
    /// The reset of a breaker with this trigger in this scope.
    #[must_use]
    pub fn reset(trigger: Trigger, scope: &Scope) -> Self {
        if trigger == Trigger::Manual && *scope == Scope::Fleet {
            Self::ResumeFleet
        } else {
            Self::Reset(trigger)
        }
    }

    /// The table of spec 7.2.
    fn least(self) -> Approver {
        match self {
            Self::Reset(
                Trigger::Retry
                | Trigger::Oscillation
                | Trigger::State
                | Trigger::Git
                | Trigger::Regression
                | Trigger::Disk
                | Trigger::Manual,
            )
            | Self::FailureCode
            | Self::TaskReopen => Approver::Lead,
            Self::Reset(
                Trigger::Prod
                | Trigger::Secret
                | Trigger::Ssh
                | Trigger::Persistence
                | Trigger::ApprovalIdentity,
            )
            | Self::ResumeFleet
            | Self::Signers
            | Self::Purge
            | Self::ChainRestart
            | Self::LooserLimit
            | Self::MissionResume
            | Self::EscalatedHandoff
            | Self::Goal
            | Self::Grant => Approver::Human,
        }
    }
}

/// Who may decide what: the table of spec 7.2, made stricter where the configuration says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authority {
    stricter: BTreeMap<Decision, Approver>,
}

/// A configuration that would weaken the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{decision:?} needs {} at least", least.as_str())]
pub struct TooWeak {
    /// The decision.
    pub decision: Decision,
    /// What it needs at least.
    pub least: Approver,
}

impl Authority {
    /// Asks more for one decision than the table does.
    ///
    /// # Errors
    /// The role is weaker than the table's.
    pub fn with(mut self, decision: Decision, needs: Approver) -> Result<Self, TooWeak> {
        let least = decision.least();
        if needs < least {
            return Err(TooWeak { decision, least });
        }
        self.stricter.insert(decision, needs);
        Ok(self)
    }

    /// The weakest role that may take the decision.
    #[must_use]
    pub fn of(&self, decision: Decision) -> Approver {
        let least = decision.least();
        let asked = self.stricter.get(&decision).copied();
        asked.map_or(least, |asked| asked.max(least))
    }

    /// The weakest role that may reset a breaker with this trigger in this scope.
    #[must_use]
    pub fn needs(&self, trigger: Trigger, scope: &Scope) -> Approver {
        self.of(Decision::reset(trigger, scope))
    }

    /// The strictest role of several triggers in one scope; a lead for none.
    #[must_use]
    pub fn needs_all(&self, triggers: &[Trigger], scope: &Scope) -> Approver {
        let needs = triggers.iter().map(|trigger| self.needs(*trigger, scope));
        needs.max().unwrap_or(Approver::Lead)
    }

    /// Whether the role may take the decision.
    #[must_use]
    pub fn may(&self, role: Approver, decision: Decision) -> bool {
        role >= self.of(decision)
    }
}

/// The weakest role that may reset a breaker, by the table as it is delivered.
#[must_use]
pub fn needs(trigger: Trigger, scope: &Scope) -> Approver {
    Authority::default().needs(trigger, scope)
}

/// Whether the role may take the decision, by the table as it is delivered.
#[must_use]
pub fn may(role: Approver, decision: Decision) -> bool {
    Authority::default().may(role, decision)
}

/// Names of the checks that a machine makes again at a reset (spec 3.6).
#[must_use]
pub fn machine_checks(trigger: Trigger) -> &'static [&'static str] {
    match trigger {
        Trigger::Disk => &["disk_has_space"],
        Trigger::Persistence => &["chain_verifies"],
        Trigger::Regression => &["check_passes_again"],
        Trigger::Git => &["repository_is_clean"],
        Trigger::Retry
        | Trigger::Oscillation
        | Trigger::State
        | Trigger::Prod
        | Trigger::Secret
        | Trigger::Ssh
        | Trigger::ApprovalIdentity
        | Trigger::Manual => &[],
    }
}

/// The machine checks of several triggers, each once, in the order of the triggers.
#[must_use]
pub fn machine_checks_of(triggers: &[Trigger]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in triggers.iter().flat_map(|t| machine_checks(*t)) {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ids::{AgentId, ProjectId, TaskId};

    fn task(name: &str) -> Scope {
        Scope::Task {
            project: ProjectId::new("/p"),
            task: TaskId::new(name),
        }
    }

    fn hit(scope: Scope, trigger: Trigger, key: &str) -> Hit {
        Hit {
            scope,
            trigger,
            key: Some(key.to_owned()),
        }
    }

    #[test]
    fn a_hit_joins_its_key_then_its_entry() {
        let entry = RecordId::new("e1");
        let open = [
            OpenBreaker {
                id: RecordId::new("b1"),
                entry: Some(entry.clone()),
                hits: vec![hit(task("T"), Trigger::Retry, "s")],
            },
            OpenBreaker {
                id: RecordId::new("b2"),
                entry: None,
                hits: vec![hit(task("T"), Trigger::Git, "conflict")],
            },
        ];
        let put = |scope, trigger, key, entry| place(&open, &hit(scope, trigger, key), entry);
        let first = RecordId::new("b1");
        assert_eq!(
            put(task("T"), Trigger::Retry, "s", None),
            Placed::Appended(first.clone())
        );
        assert_eq!(
            put(task("T"), Trigger::Git, "conflict", Some(&entry)),
            Placed::Appended(RecordId::new("b2")),
            "the key comes before the entry"
        );
        assert_eq!(
            put(task("T"), Trigger::Oscillation, "state", Some(&entry)),
            Placed::Joined(first)
        );
        let other = RecordId::new("e2");
        for (scope, trigger, key, entry) in [
            (task("T"), Trigger::Retry, "other", None),
            (task("T"), Trigger::Retry, "other", Some(&other)),
            (task("U"), Trigger::Retry, "s", Some(&entry)),
            (task("T"), Trigger::Oscillation, "s", None),
        ] {
            assert_eq!(put(scope, trigger, key, entry), Placed::Opens);
        }
        let bare = Hit {
            key: None,
            ..hit(task("T"), Trigger::Retry, "s")
        };
        assert_eq!(place(&open, &bare, None), Placed::Opens);
    }

    #[test]
    fn the_table_is_the_specs() {
        let lead = [
            Trigger::Retry,
            Trigger::Oscillation,
            Trigger::State,
            Trigger::Git,
            Trigger::Regression,
            Trigger::Disk,
            Trigger::Manual,
        ];
        for trigger in Trigger::ALL {
            let want = if lead.contains(&trigger) {
                Approver::Lead
            } else {
                Approver::Human
            };
            assert_eq!(needs(trigger, &task("T")), want, "{trigger:?}");
        }
        assert_eq!(needs(Trigger::Manual, &Scope::Fleet), Approver::Human);
        assert_eq!(needs(Trigger::Disk, &Scope::Fleet), Approver::Lead);
        let session = Scope::Session {
            agent: AgentId::new("a"),
        };
        assert_eq!(needs(Trigger::Manual, &session), Approver::Lead);
        for decision in [Decision::FailureCode, Decision::TaskReopen] {
            assert!(may(Approver::Lead, decision) && may(Approver::Human, decision));
        }
        for decision in [
            Decision::ResumeFleet,
            Decision::Signers,
            Decision::Purge,
            Decision::ChainRestart,
            Decision::LooserLimit,
            Decision::MissionResume,
            Decision::EscalatedHandoff,
            Decision::Goal,
            Decision::Grant,
        ] {
            assert!(!may(Approver::Lead, decision) && may(Approver::Human, decision));
        }
    }

    #[test]
    fn the_strictest_of_several_decides() {
        let table = Authority::default();
        let scope = task("T");
        let of = |triggers: &[Trigger]| table.needs_all(triggers, &scope);
        assert_eq!(of(&[]), Approver::Lead);
        assert_eq!(of(&[Trigger::Retry, Trigger::Git]), Approver::Lead);
        assert_eq!(of(&[Trigger::Secret, Trigger::Git]), Approver::Human);
        assert_eq!(of(&[Trigger::Git, Trigger::Secret]), Approver::Human);
    }

    #[test]
    fn the_table_becomes_stricter_and_never_weaker() {
        let reset = Decision::Reset;
        let table = Authority::default()
            .with(reset(Trigger::Git), Approver::Human)
            .and_then(|t| t.with(reset(Trigger::Retry), Approver::Lead))
            .and_then(|t| t.with(reset(Trigger::Secret), Approver::Human))
            .unwrap();
        assert!(!table.may(Approver::Lead, reset(Trigger::Git)));
        assert!(table.may(Approver::Human, reset(Trigger::Git)));
        assert!(table.may(Approver::Lead, reset(Trigger::Retry)));
        assert!(table.may(Approver::Lead, reset(Trigger::Disk)));
        for trigger in [
            Trigger::Prod,
            Trigger::Secret,
            Trigger::Ssh,
            Trigger::Persistence,
            Trigger::ApprovalIdentity,
        ] {
            let weak = Authority::default().with(reset(trigger), Approver::Lead);
            let fault = weak.unwrap_err();
            assert_eq!(fault.least, Approver::Human);
            assert!(fault.to_string().ends_with("needs human at least"));
        }
    }

    #[test]
    fn each_check_is_asked_once() {
        use Trigger::{Disk, Git, Manual, Persistence, Regression, Retry};
        assert_eq!(
            machine_checks_of(&[Disk, Git, Disk, Persistence, Retry, Regression, Manual]),
            [
                "disk_has_space",
                "repository_is_clean",
                "chain_verifies",
                "check_passes_again"
            ]
        );
        assert!(machine_checks_of(&[Retry, Manual]).is_empty());
    }
}
