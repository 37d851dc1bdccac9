//! The fuzzy filter of the lists: what `/` means, in one place for every backend.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::contract::row::{
    AgentRow, BreakerRow, CodeRow, HandoffRow, LogRow, ReceiptRow, TaskRow,
};

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

/// The texts that match a pattern, by their positions, the best first. Unlike a list's filter it
/// looks at a text as a whole: what is picked from is short.
#[must_use]
pub fn rank<'a>(pattern: &str, texts: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let pattern = Pattern::parse(pattern, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let plain = pattern.atoms.is_empty();
    let mut found: Vec<(u32, usize, usize)> = texts
        .enumerate()
        .filter_map(|(at, text)| {
            let end = text
                .char_indices()
                .nth(SEARCHED_CHARS)
                .map_or(text.len(), |(at, _)| at);
            let text = Utf32Str::new(&text[..end], &mut buffer);
            // Of two that match as well, the shorter one is nearer to what was typed.
            let length = if plain { 0 } else { text.len() };
            let score = pattern.score(text, &mut matcher)?;
            Some((score, length, at))
        })
        .collect();
    found.sort_by_key(|(score, length, at)| (std::cmp::Reverse(*score), *length, *at));
    found.into_iter().map(|(.., at)| at).collect()
}

/// A row that can be filtered.
pub trait Searchable {
    /// The words that the filter looks at.
    fn words(&self) -> String;
}

impl Searchable for HandoffRow {
    fn words(&self) -> String {
        let or = |text: &Option<String>| text.clone().unwrap_or_default();
        format!(
            "{} {} {} {} {} {} {} {} {} {} {}",
            self.handle,
            self.state,
            self.priority,
            self.project,
            self.asker,
            or(&self.holder),
            or(&self.task),
            self.tags.join(" "),
            or(&self.class),
            self.question,
            or(&self.answer)
        )
    }
}

impl Searchable for CodeRow {
    fn words(&self) -> String {
        let or = |text: &Option<String>| text.clone().unwrap_or_default();
        format!(
            "{} {} {} {} {} {} {}",
            self.code,
            self.state,
            self.project,
            or(&self.resolves_to),
            or(&self.task),
            or(&self.agent),
            self.sample
        )
    }
}

impl Searchable for ReceiptRow {
    fn words(&self) -> String {
        format!(
            "{} {} {} {} {}",
            self.handle, self.schema, self.producer, self.project, self.id
        )
    }
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
            "{} {} {} {} {} {} {} {} {} {} {}",
            self.agent,
            self.state,
            self.lamp,
            self.harness,
            self.project,
            self.mission,
            self.task,
            self.stopped_by.as_deref().unwrap_or_default(),
            self.title.as_deref().unwrap_or_default(),
            self.findings.join(" "),
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
    fn the_best_match_is_the_first() {
        let texts = ["disk full", "git push refused", "push"];
        assert_eq!(rank("push", texts.into_iter()), [2, 1]);
        assert_eq!(rank("gpr", texts.into_iter()), [1]);
        assert_eq!(rank("", texts.into_iter()), [0, 1, 2]);
        assert_eq!(rank("nothing", texts.into_iter()), Vec::<usize>::new());
    }

    #[test]
    fn a_huge_row_is_searched_at_its_start_only() {
        let text = format!("{}needle", "é".repeat(1 << 20));
        assert!(!Filter::new("'needle").keeps(&text));
    }
}
