//! The JSON Lines of beads, `issues.jsonl`: one item a line.

use std::path::Path;

use serde_json::Value;

use crate::contract::refusal::{Code, Refusal};

use super::{Item, Standing};

/// How entries name where they came from.
const SYSTEM: &str = "beads";

/// Items, and how many lines are none.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(&'static str, Vec<Item>, u64), Refusal> {
    let text = String::from_utf8_lossy(bytes);
    let mut items: Vec<Item> = Vec::new();
    let mut unreadable = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line)
            .ok()
            .as_ref()
            .and_then(item)
        {
            // A later line about the same item is its newer form.
            Some(item) => match items.iter_mut().find(|known| known.id == item.id) {
                Some(known) => *known = item,
                None => items.push(item),
            },
            None => unreadable += 1,
        }
    }
    if items.is_empty() {
        let cause = format!(
            "{} is neither a kanban database nor lines of JSON objects with id, title and status",
            path.display()
        );
        let next = "watchfloor handoff import --help";
        return Err(Refusal::new(Code::ImportUnknown, cause, next));
    }
    Ok((SYSTEM, items, unreadable))
}

fn item(value: &Value) -> Option<Item> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let filled = |name: &str| text(name).filter(|text| !text.trim().is_empty());
    let id = filled("id")?.to_owned();
    let title = text("title")?.to_owned();
    let status = text("status").unwrap_or("open").to_lowercase();
    let (criteria, description) = (filled("acceptance_criteria"), filled("description"));
    let mut tried: Vec<String> = Vec::new();
    // With criteria of their own, the description is what is known so far.
    tried.extend(criteria.and(description).map(str::to_owned));
    tried.extend(
        ["design", "notes"]
            .into_iter()
            .filter_map(filled)
            .map(str::to_owned),
    );
    tried.extend(list(value, "comments").filter_map(comment));
    let mut tags = vec![SYSTEM.to_owned(), status.clone()];
    tags.extend(text("issue_type").map(str::to_owned));
    tags.extend(list(value, "labels").filter_map(|l| l.as_str().map(str::to_owned)));
    tags.truncate(50);
    Some(Item {
        at: match status.as_str() {
            "closed" | "resolved" | "tombstone" => Standing::Ended,
            "in_progress" | "hooked" | "pinned" | "deferred" => Standing::AtWork,
            _ => Standing::Waits,
        },
        id,
        title,
        needed: criteria.or(description).unwrap_or_default().to_owned(),
        tried,
        asker: filled("created_by")
            .or_else(|| filled("owner"))
            .or_else(|| filled("assignee"))
            .map(str::to_owned),
        tags,
    })
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let items = value.get(name).and_then(Value::as_array);
    items.into_iter().flatten()
}

fn comment(value: &Value) -> Option<String> {
    let said = value.get("text").or_else(|| value.get("body"))?.as_str()?;
    let author = value.get("author").and_then(Value::as_str);
    Some(format!("{}: {said}", author.unwrap_or("somebody")))
}
