//! Handoffs, failure codes and receipts of the made-up fleet.

use crate::contract::bench::{DraftEntry, Preview};
use crate::contract::row::{CodeRow, HandoffRow, ReceiptRow};

/// Handoffs in pane order; `ago` and `ahead` give times so many minutes away.
pub(super) fn handoffs(
    ago: &dyn Fn(i64) -> String,
    ahead: &dyn Fn(i64) -> String,
) -> Vec<HandoffRow> {
    let handoff = |handle: &str, project: &str, state: &str, minutes: i64| HandoffRow {
        id: format!("018f-h-{handle}"),
        handle: format!("h-{handle}"),
        project: format!("/srv/{project}/.git"),
        state: state.to_owned(),
        priority: "background".to_owned(),
        wants: "answer".to_owned(),
        asker: "pi-1".to_owned(),
        opened_at: ago(minutes),
        last_at: ago(minutes),
        ..HandoffRow::default()
    };
    vec![
        HandoffRow {
            class: Some("credentials".to_owned()),
            question: "may I rotate the staging key?".to_owned(),
            tried: "the key in the vault is refused by the server".to_owned(),
            needed: "a yes or a no by whoever owns the account".to_owned(),
            wants: "action".to_owned(),
            task: Some("T-21".to_owned()),
            ..handoff("44aa", "web", "escalated", 6)
        },
        HandoffRow {
            priority: "blocking".to_owned(),
            question: "which port does staging use?".to_owned(),
            tried: "8080 and 8443, both refused".to_owned(),
            needed: "host and port".to_owned(),
            asker: "codex-2".to_owned(),
            waiters: vec!["codex-2".to_owned()],
            limit_from: Some(ago(4)),
            deadline: Some(ahead(26)),
            ..handoff("7f3a", "api", "open", 4)
        },
        HandoffRow {
            question: "is the token of the test server still valid?".to_owned(),
            holder: Some("gemini-1".to_owned()),
            epoch: 1,
            limit_from: Some(ago(6)),
            deadline: Some(ahead(4)),
            ..handoff("2c1d", "web", "claimed", 8)
        },
        HandoffRow {
            question: "where is the schema of the old export?".to_owned(),
            answer: Some("docs/export-v1.json".to_owned()),
            answered_by: Some("claude-3".to_owned()),
            ..handoff("91be", "web", "resolved", 12)
        },
        HandoffRow {
            question: "who owns the mirror?".to_owned(),
            reason: Some("nobody claimed it within 30 minutes".to_owned()),
            ..handoff("03c7", "api", "blocked", 95)
        },
    ]
}

/// Minted codes in pane order.
pub(super) fn codes(ago: &dyn Fn(i64) -> String) -> Vec<CodeRow> {
    let code = |code: &str, state: &str, count: u64, minutes: i64, sample: &str| CodeRow {
        code: code.to_owned(),
        state: state.to_owned(),
        count,
        first_at: ago(minutes * 5),
        last_at: ago(minutes),
        sample: sample.to_owned(),
        project: "/srv/api/.git".to_owned(),
        task: Some("T-12".to_owned()),
        agent: Some("codex-2".to_owned()),
        ..CodeRow::default()
    };
    vec![
        CodeRow {
            layer: Some("build".to_owned()),
            ..code(
                "build_unclassified_1f2e3d4c",
                "due",
                3,
                9,
                "linking with cc failed: exit status 1: cannot find -lssl",
            )
        },
        code(
            "unknown_unclassified_9a8b7c6d",
            "new",
            1,
            21,
            "the widget refused to frobnicate",
        ),
        CodeRow {
            resolves_to: Some("disk_full".to_owned()),
            settled_by: Some("r-17aa".to_owned()),
            ..code(
                "unknown_unclassified_00aa11bb",
                "aliased",
                4,
                300,
                "write error: space",
            )
        },
    ]
}

/// Receipts, newest first.
pub(super) fn receipts(ago: &dyn Fn(i64) -> String) -> Vec<ReceiptRow> {
    let receipt = |tail: &str, schema: &str, seq: u64, minutes: i64, parents: u64| ReceiptRow {
        id: format!("018f-0000-{tail}"),
        handle: format!("r-{tail}"),
        seq,
        at: ago(minutes),
        schema: schema.to_owned(),
        producer: "watchfloor".to_owned(),
        project: "/srv/api/.git".to_owned(),
        goal_hash: None,
        parents,
    };
    vec![
        receipt("19d2", "watchfloor.breaker_trip.v1", 4_801, 2, 1),
        receipt("44aa", "watchfloor.handoff_open.v1", 4_790, 6, 0),
        receipt("77a0", "watchfloor.breaker_trip.v1", 4_610, 11, 1),
        receipt("20f1", "watchfloor.breaker_reset.v1", 3_950, 60, 1),
    ]
}

/// What an entry would catch among these codes.
pub(super) fn preview(codes: &[CodeRow], draft: &DraftEntry) -> Preview {
    let hit = |text: &str| {
        let text = text.to_lowercase();
        draft
            .tokens
            .iter()
            .any(|t| text.contains(&t.to_lowercase()))
    };
    let caught: Vec<&CodeRow> = codes.iter().filter(|row| hit(&row.sample)).collect();
    let changed: Vec<String> = caught
        .iter()
        .filter_map(|row| Some((row, row.resolves_to.as_ref()?)))
        .map(|(row, is)| format!("{} is {is} now", row.code))
        .collect();
    Preview {
        caught_total: caught.iter().map(|row| row.count).sum(),
        caught: caught.iter().map(|row| row.sample.clone()).collect(),
        changed_total: changed.len() as u64,
        changed,
        shadowed: Vec::new(),
        faults: if draft.code.contains(' ') {
            vec!["a code holds no blanks".to_owned()]
        } else {
            Vec::new()
        },
        searched: codes.iter().map(|row| row.count).sum(),
    }
}
