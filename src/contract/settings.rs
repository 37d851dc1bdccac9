//! What the configuration says of the guard (spec 3.8): over the defaults, and a project's own
//! over those of all.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::guard::{GuardMode, Policy, Preset};

/// `[guard]`, or one `[project."NAME"]`. What is not named stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardSettings {
    /// Branches that nobody pushes to, moves or deletes.
    pub protected_branches: Option<Vec<String>>,
    /// Words that name a production context, host, database or bucket.
    pub production: Option<Vec<String>>,
    /// Hosts of forges that git and ssh may speak to.
    pub forge_hosts: Option<Vec<String>>,
    /// Refuse, or only record.
    pub mode: Option<GuardMode>,
    /// Which findings open a breaker.
    pub preset: Option<Preset>,
}

impl GuardSettings {
    /// The settings of one project: its own where it has any, else those of all. A project is
    /// named exactly as the product names it.
    #[must_use]
    pub fn of_project(all: &Self, projects: &BTreeMap<String, Self>, project: &str) -> Self {
        let Some(own) = projects.get(project) else {
            return all.clone();
        };
        let list = |own: &Option<Vec<String>>, all: &Option<Vec<String>>| {
            own.as_ref().or(all.as_ref()).cloned()
        };
        Self {
            protected_branches: list(&own.protected_branches, &all.protected_branches),
            production: list(&own.production, &all.production),
            forge_hosts: list(&own.forge_hosts, &all.forge_hosts),
            mode: own.mode.or(all.mode),
            preset: own.preset.or(all.preset),
        }
    }

    /// Puts what is set into a policy.
    pub fn apply(&self, policy: &mut Policy) {
        let put = |to: &mut Vec<String>, from: &Option<Vec<String>>| {
            if let Some(from) = from {
                to.clone_from(from);
            }
        };
        put(&mut policy.protected_branches, &self.protected_branches);
        put(&mut policy.production, &self.production);
        put(&mut policy.forge_hosts, &self.forge_hosts);
        policy.mode = self.mode.unwrap_or(policy.mode);
        policy.preset = self.preset.unwrap_or(policy.preset);
    }

    /// What is wrong with it: an empty word would fit everything.
    #[must_use]
    pub fn faults(&self, table: &str) -> Vec<String> {
        [
            ("protected_branches", &self.protected_branches),
            ("production", &self.production),
            ("forge_hosts", &self.forge_hosts),
        ]
        .into_iter()
        .filter(|(_, words)| {
            let mut words = words.iter().flatten();
            words.any(|word| word.trim().is_empty() || word.trim() != word)
        })
        .map(|(key, _)| format!("[{table}] {key} holds an empty word, or one with space around it"))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[&str]) -> Vec<String> {
        text.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_project_has_the_last_word_where_it_says_anything() {
        let all = GuardSettings {
            production: Some(words(&["prod"])),
            mode: Some(GuardMode::Observe),
            ..GuardSettings::default()
        };
        let own = GuardSettings {
            protected_branches: Some(words(&["trunk"])),
            mode: Some(GuardMode::Enforce),
            preset: Some(Preset::Field),
            ..GuardSettings::default()
        };
        let projects = BTreeMap::from([("/p".to_owned(), own)]);
        let mut policy = Policy::default();
        GuardSettings::of_project(&all, &projects, "/p").apply(&mut policy);
        assert_eq!(policy.protected_branches, ["trunk"]);
        assert_eq!(policy.production, ["prod"]);
        assert_eq!(policy.forge_hosts, Policy::default().forge_hosts);
        assert_eq!(
            (policy.mode, policy.preset),
            (GuardMode::Enforce, Preset::Field)
        );
        assert_eq!(GuardSettings::of_project(&all, &projects, "/q"), all);
    }

    #[test]
    fn empty_words_are_faults() {
        let bad = GuardSettings {
            production: Some(words(&["prod", " "])),
            forge_hosts: Some(words(&["git.example.org "])),
            ..GuardSettings::default()
        };
        assert_eq!(bad.faults("guard").len(), 2);
        assert!(GuardSettings::default().faults("guard").is_empty());
    }
}
