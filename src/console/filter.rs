//! The fuzzy filter of the lists: what `/` means, in one place for every backend.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::contract::row::{AgentRow, BreakerRow, LogRow, TaskRow};

/// Characters of a row that are searched at most.
const SEARCHED_CHARS: usize = 4096;

/// A parsed pattern: words that must all occur, in any order, each fuzzily;
/// `!word` excludes, `'word` wants it literally.
pub struct Filter {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Filter {
    /// Parses a pattern. An empty one keeps everything.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: Pattern::parse(pattern, CaseMatching::Smart, Normalization::Smart),
            matcher: Matcher::new(Config::DEFAULT),
            buffer: Vec::new(),
        }
    }

    /// Whether a text matches.
    pub fn keeps(&mut self, text: &str) -> bool {
        if self.pattern.atoms.is_empty() {
            return true;
        }
        let end = text
            .char_indices()
            .nth(SEARCHED_CHARS)
            .map_or(text.len(), |(at, _)| at);
        let Self {
            pattern,
            matcher,
            buffer,
        } = self;
        // A pattern is looked for inside single words: spread over a whole row, any three
        // letters would be found somewhere.
        pattern.atoms.iter().all(|atom| {
            let mut hit = |word: &str| atom.score(Utf32Str::new(word, buffer), matcher).is_some();
            let mut words = text[..end].split_whitespace();
            if atom.negative {
                words.all(hit)
            } else {
                words.any(&mut hit)
            }
        })
    }
}

/// A row that can be filtered.
pub trait Searchable {
    /// The words that the filter looks at.
    fn words(&self) -> String;
}

impl Searchable for BreakerRow {
    fn words(&self) -> String {
        let project = self.project.as_deref().unwrap_or_default();
        let agent = self.agent.as_deref().unwrap_or_default();
        format!(
            "{} {} {} {project} {} {} {agent} {}",
            self.handle, self.state, self.trigger, self.scope, self.needs, self.reason
        )
    }
}

impl Searchable for TaskRow {
    fn words(&self) -> String {
        format!(
            "{} {} {} {} {} {} {} {}",
            self.task,
            self.state,
            self.project,
            self.mission,
            self.due.as_deref().unwrap_or_default(),
            self.agent,
            self.churn_file.as_deref().unwrap_or_default(),
            self.failure.as_deref().unwrap_or_default()
        )
    }
}

impl Searchable for AgentRow {
    fn words(&self) -> String {
        format!(
            "{} {} {} {} {} {} {} {}",
            self.agent,
            self.state,
            self.harness,
            self.project,
            self.mission,
            self.task,
            self.stopped_by.as_deref().unwrap_or_default(),
            self.last_action
        )
    }
}

impl Searchable for LogRow {
    fn words(&self) -> String {
        format!(
            "{} {} {} {} {} {} {}",
            self.kind,
            self.what,
            self.schema,
            self.project,
            self.task.as_ref().map_or("", |t| t.as_str()),
            self.agent.as_ref().map_or("", |a| a.as_str()),
            self.id
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_fuzzily_in_any_order() {
        let mut filter = Filter::new("osc api");
        assert!(filter.keeps("b-41c9 open oscillation task:T-12 api"));
        assert!(filter.keeps("api and oscillation"));
        assert!(!filter.keeps("web retry"));
        assert!(
            !Filter::new("osc").keeps("so a task can"),
            "not across words"
        );
        assert!(Filter::new("").keeps("anything"));
        assert!(!Filter::new("!api").keeps("api"));
    }

    #[test]
    fn a_huge_row_is_searched_at_its_start_only() {
        let text = format!("{}needle", "é".repeat(1 << 20));
        assert!(!Filter::new("'needle").keeps(&text));
    }
}
