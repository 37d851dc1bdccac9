//! The rows of a detail: sections of plain lines, a handoff, a receipt's tree, a code's bench.

use crate::console::backend::{Known, PaneKind, task_id};
use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::text;
use crate::contract::agent::Detail;
use crate::contract::bench::Bench;
use crate::contract::provenance::{Node, Provenance};
use crate::contract::row::HandoffRow;

use super::{codes, handoffs, tasks, words};

/// Rows that one line of a detail may take.
const LINE_ROWS: usize = 40;
/// Rows of a whole detail.
const MAX_ROWS: usize = 2000;
/// Columns from which two samples stand side by side.
const SIDE_BY_SIDE: usize = 56;
/// Depth from which a tree is not moved to the right any more.
const MAX_INDENT: usize = 12;

/// One row: pieces with their roles.
pub(super) type Row = Vec<(Role, String)>;

/// What is being made, in so many columns.
struct Rows<'a> {
    model: &'a Model,
    theme: Theme,
    columns: usize,
    out: Vec<Row>,
}

/// The rows of what was read of a row.
pub(super) fn rows(model: &Model, theme: Theme, known: &Known, columns: usize) -> Vec<Row> {
    let mut rows = Rows {
        model,
        theme,
        columns,
        out: Vec::new(),
    };
    match known {
        Known::Plain(detail) => {
            rows.of_row();
            rows.sections(detail);
        }
        Known::Tree(tree) => rows.tree(tree),
        Known::Bench(bench) => rows.bench(bench),
    }
    rows.out.truncate(MAX_ROWS);
    rows.out
}

impl Rows<'_> {
    fn heading(&mut self, text: &str) {
        if !self.out.is_empty() {
            self.out.push(Vec::new());
        }
        self.out
            .push(vec![(Role::Title, text::cut(text, self.columns))]);
    }

    fn wrapped(&mut self, text: &str, role: Role, most: usize) {
        for row in text::wrap(text, self.columns, most) {
            self.out.push(vec![(role, row)]);
        }
    }

    fn sections(&mut self, detail: &Detail) {
        for section in &detail.sections {
            self.heading(&section.heading);
            for line in &section.lines {
                self.wrapped(line, Role::Text, LINE_ROWS);
            }
            if self.out.len() > MAX_ROWS {
                return;
            }
        }
    }

    /// What the list's own row tells.
    fn of_row(&mut self) {
        let Some((kind, id)) = self.model.target() else {
            return;
        };
        let snapshot = &self.model.snapshot;
        match kind {
            PaneKind::Tasks => {
                let listed = snapshot.tasks.iter().flat_map(|page| &page.rows);
                let mut found = listed.chain(&snapshot.circles.rows);
                if let Some(row) = found.find(|row| task_id(row) == id) {
                    self.out = tasks::facts(self.model, self.theme, row);
                }
            }
            PaneKind::Handoffs => {
                if let Some(row) = self.model.handoff(&id).cloned() {
                    self.handoff(&row);
                }
            }
            _ => {}
        }
    }

    fn handoff(&mut self, row: &HandoffRow) {
        let theme = self.theme;
        let state = handoffs::state(row);
        let mut line = vec![(
            state,
            format!(
                "{} {}",
                theme.symbol(state),
                handoffs::state_word(theme, row)
            ),
        )];
        if let Some(class) = &row.class {
            line.push((Role::Strong, format!(" {}", words::spaced(class))));
        }
        if let Some((spent, left)) = handoffs::left(self.model.now_us(), row) {
            let full = usize::from(spent) / 10;
            let bar = theme.gauge(true).repeat(full) + &theme.gauge(false).repeat(10 - full);
            line.push((Role::Text, format!("  {bar} {left}")));
        }
        self.out.push(line);
        let holder = match (&row.holder, &row.answered_by) {
            (Some(holder), _) => format!(", held by {holder}"),
            (None, Some(by)) => format!(", answered by {by}"),
            (None, None) => ", held by nobody".to_owned(),
        };
        let waits = match row.waiters.len() {
            0 => "nobody waits".to_owned(),
            _ => format!("{} waits", row.waiters.join(", ")),
        };
        let who = format!("asked by {}{holder}; {waits}", row.asker);
        self.wrapped(&who, Role::Text, 3);
    }

    fn tree(&mut self, tree: &Provenance) {
        let role = if tree.trusted {
            Role::Trusted
        } else {
            Role::Untrusted
        };
        let edges = tree.nodes.len().saturating_sub(1);
        let said = match (edges, tree.trusted) {
            (0, _) => "it names no parent".to_owned(),
            (n, true) => format!("{}, every check holds", words::count(n as u64, "edge")),
            (n, false) => format!("{}, not all of them hold", words::count(n as u64, "edge")),
        };
        let mark = format!("{} {}: ", self.theme.symbol(role), self.theme.word(role));
        self.out.push(vec![(role, mark), (Role::Text, said)]);
        for node in &tree.nodes {
            self.out.push(Vec::new());
            self.node(node);
        }
        if tree.cut {
            self.out.push(vec![(
                Role::Danger,
                "the tree goes on; no more of it is shown".to_owned(),
            )]);
        }
    }

    fn node(&mut self, node: &Node) {
        let depth = usize::from(node.depth).min(MAX_INDENT);
        let indent = "  ".repeat(depth);
        let mut line = vec![(Role::Dim, indent.clone())];
        if let Some(edge) = &node.edge {
            let role = if edge.trusted {
                Role::Trusted
            } else {
                Role::Untrusted
            };
            let mark = format!("{} {} ", self.theme.symbol(role), self.theme.word(role));
            line.push((role, mark));
        }
        line.push((Role::Strong, node.handle.clone()));
        if !node.schema.is_empty() {
            line.push((Role::Text, format!(" {}", words::schema(&node.schema))));
        }
        self.out.push(line);
        let mut tell = |role: Role, text: &str| {
            let room = self.columns.saturating_sub(indent.len() + 2);
            for row in text::wrap(text, room, 4) {
                self.out.push(vec![(role, format!("{indent}  {row}"))]);
            }
        };
        if !node.producer.is_empty() {
            let at = words::clock_seconds(&node.at, self.model.start.utc_offset_min);
            tell(Role::Text, &format!("by {} at {at}", node.producer));
        }
        if !node.digest.is_empty() {
            tell(Role::Dim, &node.digest);
        }
        if let Some(edge) = &node.edge {
            let checks = edge.checks.iter().map(|check| {
                let role = if check.holds {
                    Role::Holds
                } else {
                    Role::Lacks
                };
                format!("{} {}", self.theme.symbol(role), words::spaced(&check.name))
            });
            let checks = checks.collect::<Vec<_>>().join("  ");
            let role = if edge.trusted {
                Role::Text
            } else {
                Role::Danger
            };
            tell(role, &checks);
            if edge.digest.is_none() {
                tell(Role::Dim, "its child names no digest of it");
            }
            for check in edge.checks.iter().filter(|check| !check.holds) {
                let why = check.why.as_deref().unwrap_or("it does not hold");
                tell(
                    Role::Danger,
                    &format!("{}: {why}", words::spaced(&check.name)),
                );
            }
        }
        if node.cycle {
            tell(
                Role::Danger,
                "a cycle: it stands among its own descendants; nothing here is trusted",
            );
        } else if node.shown_above {
            tell(Role::Dim, "its parents are shown above");
        }
    }

    fn bench(&mut self, bench: &Bench) {
        let now = self.model.now_us();
        let row = &bench.code;
        let state = codes::state(row);
        let seen = format!(
            "  seen {} times, {} to {} ago",
            row.count,
            words::age(now, &row.first_at),
            words::age(now, &row.last_at)
        );
        self.out.push(vec![
            (
                state,
                format!("{} {}", self.theme.symbol(state), self.theme.word(state)),
            ),
            (Role::Text, seen),
        ]);
        if let Some(entry) = &row.resolves_to {
            let by = row.settled_by.as_deref().unwrap_or("nobody");
            self.wrapped(&format!("it is {entry}, by {by}"), Role::Strong, 2);
        } else {
            let keys = &self.model.start.keys;
            let said = format!(
                "{} makes it an alias of a known failure, {} an entry of its own",
                keys.named("alias"),
                keys.named("promote")
            );
            self.wrapped(&said, Role::Dim, 2);
        }
        self.heading("samples, newest first");
        for sample in &bench.samples {
            let who = sample.agent.as_deref().unwrap_or("nobody");
            let task = sample.task.as_deref().unwrap_or_default();
            let who = format!("{} ago  {who} {task}", words::age(now, &sample.at));
            self.wrapped(&who, Role::Dim, 1);
            self.wrapped(&sample.text, Role::Text, 6);
        }
        self.heading("what looks like it");
        if bench.near.is_empty() {
            self.wrapped("nothing shares half of its words", Role::Dim, 2);
        }
        let own = bench.samples.first().map(|sample| sample.text.clone());
        let own = own.unwrap_or_else(|| row.sample.clone());
        for near in &bench.near {
            let mark = format!("{} %  {}", near.percent, near.code);
            self.wrapped(&mark, Role::Strong, 2);
            if self.columns < SIDE_BY_SIDE {
                self.wrapped(&near.text, Role::Text, 4);
            } else {
                self.side_by_side(&own, &near.text);
            }
        }
    }

    /// Two texts in two columns.
    fn side_by_side(&mut self, left: &str, right: &str) {
        let half = (self.columns - 3) / 2;
        let (left, right) = (text::wrap(left, half, 6), text::wrap(right, half, 6));
        let bar = self.theme.border().vertical_left;
        for at in 0..left.len().max(right.len()) {
            let cell = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
            self.out.push(vec![
                (Role::Text, text::fit(&cell(&left), half)),
                (Role::Border, format!(" {bar} ")),
                (Role::Text, cell(&right)),
            ]);
        }
    }
}
