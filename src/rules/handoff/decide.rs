//! Who may do what with an entry (spec 4.2), once its expiries were taken.

use super::{Claim, Entry, FOLLOW_UPS, Lease, Phase, Step};
use crate::contract::handoff::{Ending, HandoffState, Lapse, Wants};
use crate::contract::ids::AgentId;

/// What somebody wants to do. An epoch that is absent is the one that the agent's last claim got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take it.
    Claim {
        /// Who.
        agent: AgentId,
    },
    /// Ask the asker back.
    Ask {
        /// Who.
        agent: AgentId,
        /// With which epoch.
        epoch: Option<u64>,
    },
    /// Tell the holder more.
    Reply {
        /// Who.
        agent: Option<AgentId>,
    },
    /// Answer it.
    Answer {
        /// Who.
        agent: AgentId,
        /// With which epoch.
        epoch: Option<u64>,
    },
    /// Give it back.
    Release {
        /// Who.
        agent: AgentId,
        /// With which epoch.
        epoch: Option<u64>,
    },
    /// Park it.
    Block {
        /// Who.
        agent: Option<AgentId>,
        /// With which epoch.
        epoch: Option<u64>,
    },
    /// Hand it to a person.
    Escalate {
        /// Who.
        agent: Option<AgentId>,
        /// With which epoch.
        epoch: Option<u64>,
    },
    /// Tell what became of the answer.
    Use {
        /// Who.
        agent: Option<AgentId>,
    },
    /// A person decides.
    Decide,
    /// Wait for it.
    Wait {
        /// The lease.
        lease: Lease,
    },
}

/// Why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum No {
    /// Somebody else holds it.
    Held {
        /// Who.
        holder: AgentId,
        /// Until when, UTC microseconds.
        until_us: i64,
    },
    /// Nobody takes an own entry.
    Own,
    /// Only the asker may.
    NotAsker,
    /// Nobody holds it now, and this agent never did.
    Unclaimed,
    /// The epoch is an old one: the claim came to nothing before.
    Late {
        /// Whose.
        agent: AgentId,
        /// The old epoch.
        epoch: u64,
    },
    /// No claim has this epoch.
    NoSuchEpoch {
        /// The epoch.
        epoch: u64,
    },
    /// An action is never answered: it may only be escalated.
    ActionOnly,
    /// It has ended, or is not there yet.
    State {
        /// Where it stands.
        is: HandoffState,
    },
    /// No follow-up question waits for a reply.
    NothingAsked,
    /// It was done before.
    Done,
}

impl Entry {
    /// Decides a command; [`Entry::expire`] comes before.
    ///
    /// # Errors
    /// Why not. Nothing has changed then.
    pub fn decide(&self, command: &Command) -> Result<Step, No> {
        match command {
            Command::Claim { agent } => self.claims(agent),
            Command::Ask { agent, epoch } => {
                let claim = self.held_by(agent, *epoch)?;
                if self.follow_ups < FOLLOW_UPS {
                    return Ok(Step::Asked);
                }
                Ok(closed(Ending::SecondFollowUp, Some(claim)))
            }
            Command::Reply { agent } => self.replies(agent.as_ref()),
            Command::Answer { agent, epoch } => {
                self.held_by(agent, *epoch)?;
                match self.wants {
                    Wants::Answer => Ok(Step::Answered),
                    Wants::Action => Err(No::ActionOnly),
                }
            }
            Command::Release { agent, epoch } => {
                let claim = self.held_by(agent, *epoch)?;
                Ok(self.lapses_as(claim, Lapse::Released))
            }
            Command::Block { agent, epoch } => self.blocks(agent.as_ref(), *epoch),
            Command::Escalate { agent, epoch } => {
                self.before_claim_or_holder(agent.as_ref(), *epoch)?;
                Ok(Step::Escalated)
            }
            Command::Use { agent } => match self.phase {
                Phase::Resolved { .. } if !self.is_asker(agent.as_ref()) => Err(No::NotAsker),
                Phase::Resolved { used: false } => Ok(Step::Used),
                Phase::Resolved { used: true } => Err(No::Done),
                _ => Err(self.stands()),
            },
            Command::Decide => match self.phase {
                Phase::Escalated { decided: false } => Ok(Step::Decided),
                Phase::Escalated { decided: true } => Err(No::Done),
                _ => Err(self.stands()),
            },
            Command::Wait { lease } => match self.phase {
                Phase::Open { .. } | Phase::Claimed(_) | Phase::Escalated { decided: false } => {
                    Ok(Step::Waits(lease.clone()))
                }
                _ => Err(self.stands()),
            },
        }
    }

    /// Where it stands, as a reason.
    fn stands(&self) -> No {
        No::State { is: self.state() }
    }

    /// An entry without an asker is a person's: whoever is no agent is its asker.
    #[must_use]
    pub fn is_asker(&self, agent: Option<&AgentId>) -> bool {
        self.asker.as_ref() == agent
    }

    fn claims(&self, agent: &AgentId) -> Result<Step, No> {
        match &self.phase {
            Phase::Open { .. } if self.asker.as_ref() == Some(agent) => Err(No::Own),
            Phase::Open { .. } => Ok(Step::Claimed {
                holder: agent.clone(),
                epoch: self.epoch + 1,
            }),
            Phase::Claimed(claim) => Err(held(claim)),
            _ => Err(self.stands()),
        }
    }

    fn replies(&self, agent: Option<&AgentId>) -> Result<Step, No> {
        match &self.phase {
            Phase::Claimed(_) if !self.is_asker(agent) => Err(No::NotAsker),
            Phase::Claimed(claim) if claim.awaits => Ok(Step::Replied),
            Phase::Claimed(_) | Phase::Open { .. } => Err(No::NothingAsked),
            _ => Err(self.stands()),
        }
    }

    fn blocks(&self, agent: Option<&AgentId>, epoch: Option<u64>) -> Result<Step, No> {
        let running = matches!(self.phase, Phase::Open { .. } | Phase::Claimed(_));
        if running && self.is_asker(agent) {
            return Ok(closed(Ending::Withdrawn, self.claim()));
        }
        let claim = self.before_claim_or_holder(agent, epoch)?;
        Ok(match claim {
            Some(claim) => closed(Ending::HolderCannotHelp, Some(claim)),
            None => closed(Ending::Parked, None),
        })
    }

    /// Before a claim it is anybody's; once claimed, the holder's alone.
    fn before_claim_or_holder(
        &self,
        agent: Option<&AgentId>,
        epoch: Option<u64>,
    ) -> Result<Option<&Claim>, No> {
        match (&self.phase, agent) {
            // Who names an epoch speaks as a holder.
            (Phase::Open { .. }, Some(agent)) if epoch.is_some() => {
                self.held_by(agent, epoch).map(Some)
            }
            (Phase::Open { .. }, _) => Ok(None),
            (Phase::Claimed(claim), None) => Err(held(claim)),
            (Phase::Claimed(_), Some(agent)) => self.held_by(agent, epoch).map(Some),
            _ => Err(self.stands()),
        }
    }

    /// The running claim, when it is this agent's, with this epoch.
    fn held_by(&self, agent: &AgentId, epoch: Option<u64>) -> Result<&Claim, No> {
        let known = self.epochs.get(agent).copied();
        let epoch = epoch.or(known);
        if let Phase::Claimed(claim) = &self.phase
            && claim.holder == *agent
            && epoch == Some(self.epoch)
        {
            return Ok(claim);
        }
        match (&self.phase, known, epoch) {
            // An epoch that the agent never had is no old one of its own.
            (_, Some(known), Some(epoch)) if epoch > known || epoch == 0 => {
                Err(No::NoSuchEpoch { epoch })
            }
            (Phase::Resolved { .. }, Some(known), _) if known == self.epoch => Err(self.stands()),
            (_, Some(_), Some(epoch)) => Err(No::Late {
                agent: agent.clone(),
                epoch,
            }),
            (Phase::Claimed(claim), ..) => Err(held(claim)),
            (Phase::Open { .. }, ..) => Err(No::Unclaimed),
            _ => Err(self.stands()),
        }
    }
}

fn held(claim: &Claim) -> No {
    No::Held {
        holder: claim.holder.clone(),
        until_us: claim.until_us,
    }
}

fn closed(ending: Ending, claim: Option<&Claim>) -> Step {
    Step::Closed {
        ending,
        holder: claim.map(|claim| claim.holder.clone()),
    }
}
