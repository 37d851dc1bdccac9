//! The orders of the lists: what `s` means, in one place for every backend.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::contract::row::{
    AgentRow, BreakerRow, CodeRow, HandoffRow, LogRow, ReceiptRow, TaskRow,
};

/// An order. Rows that are equal by it stay in the default order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// The order of the pane: the most pressing first.
    #[default]
    Default,
    /// By project.
    Project,
    /// By name: trigger, task, code, agent.
    Name,
    /// By the agent that asks.
    Agent,
    /// By what is left of the time limit, the shortest first.
    Deadline,
    /// By failing tries, the most first.
    Failures,
    /// By refused calls, the most first.
    Refused,
    /// By observations, the most first.
    Count,
    /// The newest first.
    Newest,
}

impl Sort {
    /// Its name in the title of a list.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Default => "the most pressing first",
            Self::Project => "project",
            Self::Name => "name",
            Self::Agent => "asker",
            Self::Deadline => "time left",
            Self::Failures => "failures",
            Self::Refused => "refused calls",
            Self::Count => "count",
            Self::Newest => "newest",
        }
    }
}

/// What a row is sorted by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A text, without regard to case.
    Text(String),
    /// A number, the largest first.
    Number(Reverse<u64>),
    /// A time, RFC 3339, the newest first.
    Newest(Reverse<String>),
    /// A time, RFC 3339, the oldest first.
    Oldest(String),
    /// Nothing to sort by; such rows are last.
    None,
}

/// A row that can be sorted.
pub trait Sortable {
    /// What it is sorted by in an order; [`Key::None`] where it has no such thing.
    fn key(&self, sort: Sort) -> Key;
}

/// Brings rows into an order.
pub fn sort<T: Sortable>(rows: &mut [T], by: Sort) {
    if by != Sort::Default {
        rows.sort_by_cached_key(|row| row.key(by));
    }
}

fn text(text: &str) -> Key {
    Key::Text(text.to_lowercase())
}

impl Sortable for HandoffRow {
    fn key(&self, sort: Sort) -> Key {
        match sort {
            Sort::Project => text(&self.project),
            Sort::Name => text(&self.handle),
            Sort::Agent => text(&self.asker),
            Sort::Deadline => self.deadline.clone().map_or(Key::None, Key::Oldest),
            Sort::Newest => Key::Newest(Reverse(self.opened_at.clone())),
            _ => Key::None,
        }
    }
}

impl Sortable for BreakerRow {
    fn key(&self, sort: Sort) -> Key {
        match sort {
            Sort::Project => self.project.as_deref().map_or(Key::None, text),
            Sort::Name => text(&self.trigger),
            Sort::Agent => self.agent.as_deref().map_or(Key::None, text),
            Sort::Refused => Key::Number(Reverse(self.refused)),
            Sort::Count => Key::Number(Reverse(self.hits)),
            Sort::Newest => Key::Newest(Reverse(self.opened_at.clone())),
            _ => Key::None,
        }
    }
}

impl Sortable for TaskRow {
    fn key(&self, sort: Sort) -> Key {
        match sort {
            Sort::Project => text(&self.project),
            Sort::Name => text(&self.task),
            Sort::Agent => text(&self.agent),
            Sort::Failures => Key::Number(Reverse(self.failing)),
            Sort::Count => Key::Number(Reverse(self.tries)),
            Sort::Newest => Key::Newest(Reverse(self.last_at.clone())),
            _ => Key::None,
        }
    }
}

impl Sortable for CodeRow {
    fn key(&self, sort: Sort) -> Key {
        match sort {
            Sort::Project => text(&self.project),
            Sort::Name => text(&self.code),
            Sort::Count => Key::Number(Reverse(self.count)),
            Sort::Newest => Key::Newest(Reverse(self.last_at.clone())),
            _ => Key::None,
        }
    }
}

impl Sortable for AgentRow {
    fn key(&self, sort: Sort) -> Key {
        match sort {
            Sort::Project => text(&self.project),
            Sort::Name => text(&self.agent),
            Sort::Failures => Key::Number(Reverse(self.failures)),
            Sort::Refused => Key::Number(Reverse(self.refused)),
            Sort::Newest => Key::Newest(Reverse(self.last_at.clone())),
            _ => Key::None,
        }
    }
}

impl Sortable for ReceiptRow {
    fn key(&self, _: Sort) -> Key {
        Key::None
    }
}

impl Sortable for LogRow {
    fn key(&self, _: Sort) -> Key {
        Key::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_stable_and_put_what_has_no_key_last() {
        let row = |task: &str, failing| TaskRow {
            task: task.to_owned(),
            failing,
            ..TaskRow::default()
        };
        let mut rows = vec![row("b", 1), row("A", 3), row("c", 3)];
        sort(&mut rows, Sort::Default);
        assert_eq!(rows[0].task, "b");
        sort(&mut rows, Sort::Failures);
        let names: Vec<&str> = rows.iter().map(|r| r.task.as_str()).collect();
        assert_eq!(names, ["A", "c", "b"]);
        sort(&mut rows, Sort::Name);
        let names: Vec<&str> = rows.iter().map(|r| r.task.as_str()).collect();
        assert_eq!(names, ["A", "b", "c"], "without regard to case");
        let mut rows = vec![
            HandoffRow::default(),
            HandoffRow {
                deadline: Some("2026-01-01T00:00:00Z".to_owned()),
                ..HandoffRow::default()
            },
        ];
        sort(&mut rows, Sort::Deadline);
        assert!(rows[0].deadline.is_some());
    }
}
