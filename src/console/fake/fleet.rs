//! The rows of the made-up fleet.

use crate::contract::row::{AgentRow, AttentionRow, BreakerRow, LaneStep, TaskRow};

pub(super) fn breakers(ago: &dyn Fn(i64) -> String) -> Vec<BreakerRow> {
    let breaker = |id: &str, trigger: &str, scope: &str, project: &str, needs: &str| BreakerRow {
        id: format!("018f-{id}"),
        handle: format!("b-{id}"),
        trigger: trigger.to_owned(),
        triggers: vec![trigger.to_owned()],
        scope: scope.to_owned(),
        scope_kind: scope.split(':').next().unwrap_or_default().to_owned(),
        project: Some(format!("/srv/{project}/.git")),
        state: "open".to_owned(),
        needs: needs.to_owned(),
        hits: 1,
        opened_seq: 900,
        ..BreakerRow::default()
    };
    vec![
        BreakerRow {
            reason: "the result of call 7f31 of codex-2 held a key".to_owned(),
            agent: Some("codex-2".to_owned()),
            stopped: vec!["codex-2".to_owned(), "codex-5".to_owned()],
            refused: 14,
            opened_at: ago(2),
            ..breaker("41c9", "secret", "mission:M-3", "api", "human")
        },
        BreakerRow {
            reason: "strategies A, B, A, B, and all four failed".to_owned(),
            agent: Some("codex-2".to_owned()),
            stopped: vec!["codex-2".to_owned()],
            refused: 3,
            opened_at: ago(11),
            ..breaker("77a0", "oscillation", "task:T-12", "api", "lead")
        },
        BreakerRow {
            state: "closed".to_owned(),
            reason: "third failing try with one signature".to_owned(),
            opened_at: ago(95),
            closed_at: Some(ago(60)),
            closed_by: Some("ops@laptop".to_owned()),
            reset_id: Some("018f-r20f".to_owned()),
            ..breaker("0d3e", "retry", "task:T-03", "web", "lead")
        },
    ]
}

pub(super) fn attention(breakers: &[BreakerRow], ago: &dyn Fn(i64) -> String) -> Vec<AttentionRow> {
    let open = breakers.iter().filter(|b| b.state == "open");
    let mut rows: Vec<AttentionRow> = open
        .map(|b| AttentionRow {
            kind: "reset".to_owned(),
            handle: b.handle.clone(),
            id: b.id.clone(),
            what: format!("{} {}", b.trigger, b.scope),
            needs: b.needs.clone(),
            since: b.opened_at.clone(),
        })
        .collect();
    if !breakers.is_empty() {
        rows.push(AttentionRow {
            kind: "decide".to_owned(),
            handle: "h-44aa".to_owned(),
            id: "018f-h-44aa".to_owned(),
            what: "credentials: may I rotate the staging key?".to_owned(),
            needs: "human".to_owned(),
            since: ago(6),
        });
    }
    rows
}

fn lanes(text: &str) -> Vec<LaneStep> {
    text.split(' ')
        .filter_map(|step| {
            let lane = step.chars().next()?.to_string();
            let failed = step.ends_with('x');
            Some(LaneStep { lane, failed })
        })
        .collect()
}

pub(super) fn tasks(ago: &dyn Fn(i64) -> String) -> Vec<TaskRow> {
    let task = |task: &str, project: &str, state: &str, steps: &str, minutes: i64| TaskRow {
        task: task.to_owned(),
        project: format!("/srv/{project}/.git"),
        mission: "M-3".to_owned(),
        state: state.to_owned(),
        lanes: lanes(steps),
        entries: 6,
        tries: 4,
        agent: "codex-2".to_owned(),
        last_at: ago(minutes),
        ..TaskRow::default()
    };
    vec![
        TaskRow {
            failing: 4,
            repairs: 3,
            same: 4,
            signature: Some("es1:9f3c2a7710b4de55".to_owned()),
            failure: Some("assertion failed: token expired, in auth::tests::refresh".to_owned()),
            churn_file: Some("src/session.rs".to_owned()),
            churn: 4,
            leaks: 1,
            ..task("T-12", "api", "escalated", "Ax Bx Ax Bx", 11)
        },
        TaskRow {
            due: Some("debugger_due".to_owned()),
            failing: 3,
            repairs: 2,
            same: 2,
            failure: Some("error[E0308]: mismatched types".to_owned()),
            churn_file: Some("src/auth.rs".to_owned()),
            churn: 3,
            ..task("T-07", "web", "open", "Ax Cx Dx", 4)
        },
        TaskRow {
            failing: 1,
            same: 1,
            ..task("T-21", "web", "open", "Ax A+", 1)
        },
        task("T-03", "web", "done", "Ax Ax Bx C+", 58),
    ]
}

pub(super) fn agents(ago: &dyn Fn(i64) -> String) -> Vec<AgentRow> {
    let agent = |agent: &str, project: &str, task: &str, state: &str, minutes: i64| AgentRow {
        agent: agent.to_owned(),
        harness: agent.split('-').next().unwrap_or_default().to_owned(),
        project: format!("/srv/{project}/.git"),
        mission: "M-3".to_owned(),
        task: task.to_owned(),
        state: state.to_owned(),
        last_at: ago(minutes),
        ..AgentRow::default()
    };
    vec![
        AgentRow {
            attempts: 9,
            failures: 7,
            refused: 14,
            spark: vec![0, 1, 1, 1, 0, 1, 1, 1, 1],
            stopped_by: Some("b-41c9".to_owned()),
            last_action: "Bash cargo test: refused".to_owned(),
            lamp: "gated".to_owned(),
            model: Some("gpt-large".to_owned()),
            tokens: Some(1_240_000),
            ..agent("codex-2", "api", "T-12", "stopped", 2)
        },
        AgentRow {
            attempts: 5,
            failures: 3,
            spark: vec![0, 1, 1, 0, 1],
            last_action: "Edit src/auth.rs".to_owned(),
            lamp: "proven".to_owned(),
            ..agent("pi-1", "web", "T-07", "working", 0)
        },
        AgentRow {
            attempts: 2,
            failures: 1,
            spark: vec![1, 0],
            last_action: "Bash npm test".to_owned(),
            lamp: "observed".to_owned(),
            title: Some("make the tests pass".to_owned()),
            tokens: Some(48_300),
            findings: vec!["retry".to_owned()],
            ..agent("gemini-1", "web", "T-21", "working", 1)
        },
        AgentRow {
            attempts: 4,
            failures: 3,
            spark: vec![1, 1, 1, 0],
            last_action: "session ended".to_owned(),
            ..agent("claude-3", "web", "T-03", "ended", 58)
        },
    ]
}
