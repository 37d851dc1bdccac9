//! `receipt graph`: where a receipt comes from, to any depth, with every check of every step.

use std::path::Path;

use crate::contract::provenance::{Edge, Node, Provenance};
use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::receipt as receipts;
use crate::ops::store;

use super::out::Reply;
use super::receipt::judging;
use super::table::plain;

/// Exits with 0 when every edge is trusted, else with 1.
pub fn run(context: &Context, id: &str, catalog: Option<&Path>) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let catalog = judging(catalog, &mut journal)?;
    let found = receipts::provenance(id, &catalog, &mut journal)?;
    let exit = u8::from(!found.trusted);
    let text = tree(&found);
    Ok(Reply::of(&found, text)?.exit(exit))
}

fn tree(found: &Provenance) -> String {
    let mut lines: Vec<String> = found.nodes.iter().map(line).collect();
    if found.cut {
        lines.push("more receipts lie behind; they are not shown".to_owned());
    }
    let word = if found.trusted {
        "trusted"
    } else {
        "not trusted"
    };
    lines.push(word.to_owned());
    lines.join("\n")
}

fn line(node: &Node) -> String {
    let indent = "  ".repeat(usize::from(node.depth));
    let name = if node.schema.is_empty() {
        format!("{} is not here", plain(&node.receipt_id))
    } else {
        let (schema, producer) = (plain(&node.schema), plain(&node.producer));
        format!("{} {schema} by {producer} at {}", node.handle, node.at)
    };
    let about = match (node.cycle, node.shown_above) {
        (true, _) => "  a cycle",
        (_, true) => "  shown above",
        _ => "",
    };
    let edge = node.edge.as_ref().map_or_else(String::new, edge);
    format!("{indent}{name}{about}{edge}")
}

/// The checks of an edge: what holds by name, what does not with its reason.
fn edge(edge: &Edge) -> String {
    let checks = edge.checks.iter().map(|check| match &check.why {
        _ if check.holds => format!("{} ok", check.name),
        Some(why) => format!("{} FAILS: {}", check.name, plain(why)),
        None => format!("{} FAILS", check.name),
    });
    let checks: Vec<String> = checks.collect();
    format!("  [{}]", checks.join(", "))
}
