//! Somebody whose signature is known (spec 7.1).

use crate::contract::breaker::Approver;
use crate::contract::event::IdentityAdded;

/// A known signer: the fold of the journal's records of signers, or a line of
/// `allowed_signers`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// Its name.
    pub principal: String,
    /// `SHA256:` fingerprint of the key.
    pub fingerprint: String,
    /// The public key in OpenSSH form.
    pub public_key: String,
    /// What it may approve as. A human may do all that a lead may.
    pub roles: Vec<Approver>,
    /// Whether it was revoked.
    pub revoked: bool,
}

impl Signer {
    /// Whether the signer holds the role, by itself or as a human.
    #[must_use]
    pub fn holds(&self, role: Approver) -> bool {
        self.roles.iter().any(|held| *held >= role)
    }
}

impl From<&IdentityAdded> for Signer {
    fn from(event: &IdentityAdded) -> Self {
        Self {
            principal: event.principal.clone(),
            fingerprint: event.key.clone(),
            public_key: event.public_key.clone(),
            roles: event.roles.clone(),
            revoked: false,
        }
    }
}

/// The signature namespaces of someone with this role as its strongest: both for a human,
/// `watchfloor-lead` alone for a lead.
#[must_use]
pub fn namespaces(role: Approver) -> &'static [&'static str] {
    match role {
        Approver::Lead => &["watchfloor-lead"],
        Approver::Human => &["watchfloor-lead", "watchfloor-human"],
    }
}

/// The roles of someone with this role as its strongest.
#[must_use]
pub fn roles(role: Approver) -> Vec<Approver> {
    match role {
        Approver::Lead => vec![Approver::Lead],
        Approver::Human => vec![Approver::Lead, Approver::Human],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_human_may_do_all_that_a_lead_may() {
        let with = |roles: Vec<Approver>| Signer {
            principal: "a".into(),
            fingerprint: String::new(),
            public_key: String::new(),
            roles,
            revoked: false,
        };
        let lead = with(roles(Approver::Lead));
        assert!(lead.holds(Approver::Lead) && !lead.holds(Approver::Human));
        for human in [with(roles(Approver::Human)), with(vec![Approver::Human])] {
            assert!(human.holds(Approver::Lead) && human.holds(Approver::Human));
        }
        assert!(!with(vec![]).holds(Approver::Lead));
    }

    #[test]
    fn namespaces_are_those_of_the_contract() {
        for role in [Approver::Lead, Approver::Human] {
            let named: Vec<&str> = roles(role).iter().map(|r| r.namespace()).collect();
            assert_eq!(named, namespaces(role));
        }
    }
}
