//! Finds what the lines of a failure text say: a fixed list of extractors, each of which reads
//! one family of tools. The first that knows a line takes it, and what belongs to it.

mod arrow;
mod ci;
mod diagnostic;
mod git;
mod go;
mod link;
mod outcome;
mod package;
mod pytest;
mod python;
mod rust;
mod sanitizer;
mod suites;
mod systems;
mod thrown;
mod tools;

use super::records::{Records, Tier};
use super::shape;

/// The longest part of a line that is read, in bytes.
const WIDEST: usize = 2048;

/// What reads one family of tools. It answers how many lines it took; 0 when the line is none
/// of its own. It may look ahead over a bounded number of lines, or take what it looked at.
struct Extractor {
    name: &'static str,
    take: fn(&mut Reader<'_>) -> usize,
}

/// In this order; what is more particular comes first.
const EXTRACTORS: [Extractor; 33] = [
    Extractor {
        name: "ci",
        take: ci::take,
    },
    Extractor {
        name: "git_conflict",
        take: git::conflict,
    },
    Extractor {
        name: "pytest",
        take: pytest::take,
    },
    Extractor {
        name: "python",
        take: python::take,
    },
    Extractor {
        name: "rust_panic",
        take: rust::panic,
    },
    Extractor {
        name: "rust_test",
        take: rust::test,
    },
    Extractor {
        name: "arrow",
        take: arrow::take,
    },
    Extractor {
        name: "linker",
        take: link::take,
    },
    Extractor {
        name: "go_panic",
        take: go::panic,
    },
    Extractor {
        name: "go_race",
        take: go::race,
    },
    Extractor {
        name: "go_test",
        take: go::test,
    },
    Extractor {
        name: "sanitizer",
        take: sanitizer::take,
    },
    Extractor {
        name: "fatal",
        take: sanitizer::fatal,
    },
    Extractor {
        name: "unittest",
        take: suites::unittest,
    },
    Extractor {
        name: "suite",
        take: suites::suite,
    },
    Extractor {
        name: "tap",
        take: suites::tap,
    },
    Extractor {
        name: "assertion",
        take: suites::assertion,
    },
    Extractor {
        name: "thrown",
        take: thrown::take,
    },
    Extractor {
        name: "terraform",
        take: systems::terraform,
    },
    Extractor {
        name: "sql",
        take: systems::sql,
    },
    Extractor {
        name: "make",
        take: tools::make,
    },
    Extractor {
        name: "diagnostic",
        take: diagnostic::take,
    },
    Extractor {
        name: "rows",
        take: diagnostic::rows,
    },
    Extractor {
        name: "shellcheck",
        take: diagnostic::shellcheck,
    },
    Extractor {
        name: "git",
        take: git::told,
    },
    Extractor {
        name: "npm",
        take: package::npm,
    },
    Extractor {
        name: "maven",
        take: package::maven,
    },
    Extractor {
        name: "http",
        take: systems::http,
    },
    Extractor {
        name: "oom",
        take: systems::oom,
    },
    Extractor {
        name: "killed",
        take: tools::killed,
    },
    Extractor {
        name: "outcome",
        take: outcome::take,
    },
    Extractor {
        name: "error_line",
        take: tools::error_line,
    },
    Extractor {
        name: "command",
        take: tools::command,
    },
];

/// A text on its way through the extractors.
pub(super) struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    root: Option<&'a str>,
    name: &'static str,
    found: Records,
    /// The last line that was a file's name and nothing else, with or without a line number.
    file: Option<&'a str>,
    /// Which line that was.
    file_at: usize,
    /// The pytest section that is being read.
    section: Option<&'a str>,
    /// The suite has a section for each failing test.
    sections: bool,
}

/// The records of a clean text.
pub(super) fn records(plain: &str, root: Option<&str>) -> Records {
    let lines: Vec<&str> = plain.lines().map(|line| ci::peeled(narrow(line))).collect();
    let mut reader = Reader {
        found: Records::of(lines.iter().filter(|line| !line.is_empty()).count()),
        lines,
        at: 0,
        root,
        name: "",
        file: None,
        file_at: 0,
        section: None,
        sections: false,
    };
    reader.read();
    reader.found
}

fn narrow(line: &str) -> &str {
    let line = line.trim_end();
    let mut end = line.len().min(WIDEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let mut unknown: Vec<usize> = Vec::new();
        while self.at < self.lines.len() {
            let line = self.lines[self.at];
            if line.is_empty() {
                self.at += 1;
                continue;
            }
            let taken = EXTRACTORS.iter().find_map(|extractor| {
                self.name = extractor.name;
                match (extractor.take)(self) {
                    0 => None,
                    taken => Some(taken),
                }
            });
            if taken.is_none() {
                self.remember(line);
                if outcome::says_something(line) {
                    unknown.push(self.at);
                }
                self.found.dropped += 1;
            }
            self.at += taken.unwrap_or(1);
        }
        if self.found.tier().is_none() {
            for at in unknown.iter().rev().take(3).rev() {
                self.found.unknown(self.lines[*at], self.root);
            }
        }
    }

    /// Keeps the name of the file that the lines below may be about.
    fn remember(&mut self, line: &'a str) {
        let line = line.trim_start();
        if line.contains(' ') {
            return;
        }
        let placed = shape::placed(line).filter(|placed| placed.rest.is_empty());
        if let Some(placed) = placed {
            self.about(placed.file);
        } else if shape::is_file(line) {
            self.about(line);
        }
    }

    /// The lines below are about this file.
    fn about(&mut self, file: &'a str) {
        self.file = Some(file);
        self.file_at = self.at;
    }

    /// The line that is being read.
    fn line(&self) -> &'a str {
        self.lines[self.at]
    }

    /// The line so many further; an empty one behind the end.
    fn ahead(&self, by: usize) -> &'a str {
        self.lines.get(self.at + by).copied().unwrap_or_default()
    }

    /// Whether the text has a line so many further.
    fn has(&self, by: usize) -> bool {
        self.at + by < self.lines.len()
    }

    /// How many of the lines from `from` on satisfy a condition, `most` of them at most. What
    /// is not bounded must be taken, so that no line is looked at again and again.
    fn run(&self, from: usize, most: usize, holds: impl Fn(&str) -> bool) -> usize {
        let rest = self.lines.get(self.at + from..).unwrap_or_default();
        let near = rest.iter().take(most);
        near.take_while(|line| holds(line)).count()
    }

    fn put(&mut self, tier: Tier, parts: &[&str]) {
        self.found.put(tier, self.name, self.at, parts, self.root);
    }

    /// A record that names a cause.
    fn cause(&mut self, parts: &[&str]) {
        self.put(Tier::Cause, parts);
    }

    /// A record of what a tool could not do.
    fn told(&mut self, parts: &[&str]) {
        self.put(Tier::Told, parts);
    }
}

/// How far a line is indented, in characters that are one byte each.
#[cfg(test)]
mod tests;

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
