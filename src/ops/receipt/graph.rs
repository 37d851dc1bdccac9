//! Where a receipt comes from, to any depth, with the checks of every edge (spec 2.1).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::catalog::Catalog;
use crate::contract::digest::Digest;
use crate::contract::envelope::{self, Check, ParentRef};
use crate::contract::ids::{RecordId, handle};
use crate::contract::provenance::{Edge, EdgeCheck, Node, Provenance};
use crate::contract::refusal::Refusal;
use crate::contract::time::rfc3339;
use crate::journal::{Journal, Read};

use super::{by_handle, stored};

/// Nodes that a tree has at most.
const MOST_NODES: usize = 500;

/// The tree of one receipt, by id or handle.
///
/// # Errors
/// There is no such receipt, or the store fails.
pub fn provenance(
    id: &str,
    catalog: &Catalog,
    journal: &mut impl Journal,
) -> Result<Provenance, Refusal> {
    journal.read(|read| {
        let id = match stored(read, id)? {
            Some(_) => id.to_owned(),
            None => by_handle(read, id)?.id.to_string(),
        };
        let mut walk = Walk {
            read,
            catalog,
            seen: BTreeSet::new(),
            nodes: Vec::new(),
            cut: false,
        };
        walk.all(&id)?;
        let trusted = walk
            .nodes
            .iter()
            .all(|node| !node.cycle && node.edge.as_ref().is_none_or(|edge| edge.trusted));
        Ok(Provenance {
            trusted: trusted && !walk.cut,
            nodes: walk.nodes,
            cut: walk.cut,
        })
    })
}

struct Walk<'a> {
    read: &'a dyn Read,
    catalog: &'a Catalog,
    seen: BTreeSet<String>,
    nodes: Vec<Node>,
    cut: bool,
}

/// A receipt that is still to be shown, and those that lead to it.
struct Next {
    id: String,
    edge: Option<Edge>,
    above: Vec<String>,
}

impl Walk<'_> {
    /// Goes down without recursion: a chain may be as long as the store.
    fn all(&mut self, id: &str) -> Result<(), Refusal> {
        let mut stack = vec![Next {
            id: id.to_owned(),
            edge: None,
            above: Vec::new(),
        }];
        while let Some(next) = stack.pop() {
            if self.nodes.len() >= MOST_NODES {
                self.cut = true;
                return Ok(());
            }
            let mut parents = self.node(&next)?;
            parents.reverse();
            for (parent, edge) in parents {
                let mut above = next.above.clone();
                above.push(next.id.clone());
                stack.push(Next {
                    id: parent.receipt_id.to_string(),
                    edge: Some(edge),
                    above,
                });
            }
        }
        Ok(())
    }

    /// Adds a node and answers its parents, unless they are shown elsewhere.
    fn node(&mut self, next: &Next) -> Result<Vec<(ParentRef, Edge)>, Refusal> {
        let text = stored(self.read, &next.id)?;
        let record = self.read.by_id(&RecordId::new(next.id.clone()))?;
        let value: Value = text
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let word = |key: &str| {
            let text = value.get(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let cycle = next.above.contains(&next.id);
        let shown_above = !self.seen.insert(next.id.clone());
        self.nodes.push(Node {
            depth: u16::try_from(next.above.len()).unwrap_or(u16::MAX),
            receipt_id: next.id.clone(),
            handle: handle('r', &RecordId::new(next.id.clone())),
            schema: word("payload_schema"),
            producer: word("producer"),
            at: record.map(|r| rfc3339(r.recorded_at)).unwrap_or_default(),
            digest: text
                .as_deref()
                .map(|text| Digest::of(text.as_bytes()).to_string())
                .unwrap_or_default(),
            edge: next.edge.clone(),
            cycle,
            shown_above,
        });
        match text {
            Some(text) if !shown_above => self.edges(&text),
            _ => Ok(Vec::new()),
        }
    }

    fn edges(&self, text: &str) -> Result<Vec<(ParentRef, Edge)>, Refusal> {
        let is_code = |code: &str| self.catalog.is_code(code);
        let Ok(child) = envelope::parse(text.as_bytes(), &is_code) else {
            return Ok(Vec::new());
        };
        let mut texts = BTreeMap::new();
        for parent in &child.parent_refs {
            let id = parent.receipt_id.as_str();
            if let Some(found) = stored(self.read, id)? {
                texts.insert(id.to_owned(), found);
            }
        }
        let lookup = |id: &str| texts.get(id).cloned();
        let resolution = envelope::resolve(text.as_bytes(), &lookup, &is_code);
        let reports = resolution.refs.into_iter();
        Ok(child
            .parent_refs
            .iter()
            .zip(reports)
            .map(|(parent, report)| {
                let found = texts.get(parent.receipt_id.as_str());
                let checks: Vec<EdgeCheck> = report
                    .checks
                    .iter()
                    .map(|check| EdgeCheck {
                        name: check.name.as_str().to_owned(),
                        holds: check.ok,
                        why: (!check.ok)
                            .then(|| why(check.name, parent, child.goal_hash.as_ref(), found)),
                    })
                    .collect();
                let edge = Edge {
                    trusted: checks.iter().all(|check| check.holds),
                    digest: parent.digest.clone(),
                    checks,
                };
                (parent.clone(), edge)
            })
            .collect())
    }
}

/// What was expected and what was found.
fn why(check: Check, wanted: &ParentRef, goal: Option<&String>, found: Option<&String>) -> String {
    let value: Value = found
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let is = |key: &str| {
        let text = value.get(key).and_then(Value::as_str);
        text.unwrap_or("none").to_owned()
    };
    match check {
        Check::Exists => "there is no such receipt".to_owned(),
        Check::Structure => "it is no valid receipt".to_owned(),
        Check::Schema => format!(
            "{} was expected, it is {}",
            wanted.expected_schema,
            is("payload_schema")
        ),
        Check::Producer => format!(
            "{} was expected, it is {}",
            wanted.expected_producer,
            is("producer")
        ),
        Check::GoalHash => format!(
            "{} was expected, it is {}",
            goal.map_or("none", String::as_str),
            is("goal_hash")
        ),
        Check::Digest => "its stored bytes have another digest".to_owned(),
    }
}
