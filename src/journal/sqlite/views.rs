//! The views that other programs and people read: one column a field of the row structs in
//! `contract::row`, in the pane's default order (spec 5).

/// Columns of the projections' table that hold the fields of a pane's row, one a field.
pub(super) const CELLS: usize = 32;

/// A view over one domain of the projections.
pub(super) struct View {
    name: &'static str,
    domain: &'static str,
    /// The fields of the row, in the order of the cells that hold them.
    pub(super) fields: &'static [&'static str],
}

impl View {
    /// A view names cells and computes nothing: every connection reads the texts of all views
    /// when it opens, and an expression is dearer to read than a name.
    fn sql(&self) -> String {
        let columns: Vec<String> = self
            .fields
            .iter()
            .enumerate()
            .map(|(cell, field)| format!("c{cell} {field}"))
            .collect();
        format!(
            "CREATE VIEW {} AS SELECT {} FROM state WHERE domain='{}' \
             ORDER BY rank DESC,seq DESC,key;\n",
            self.name,
            columns.join(","),
            self.domain
        )
    }
}

/// The view over a domain, where a pane shows it.
pub(super) fn of(domain: &str) -> Option<&'static View> {
    PANES.iter().find(|view| view.domain == domain)
}

const PANES: [View; 5] = [
    View {
        name: "v_breakers",
        domain: "breaker",
        fields: &[
            "id",
            "handle",
            "trigger",
            "triggers",
            "scope",
            "scope_kind",
            "project",
            "state",
            "needs",
            "reason",
            "agent",
            "hits",
            "opened_at",
            "opened_seq",
            "stopped",
            "refused",
            "closed_at",
            "closed_by",
            "reset_id",
        ],
    },
    View {
        name: "v_tasks",
        domain: "task",
        fields: &[
            "task",
            "project",
            "mission",
            "state",
            "due",
            "entries",
            "tries",
            "failing",
            "repairs",
            "same",
            "signature",
            "failure",
            "lanes",
            "churn_file",
            "churn",
            "leaks",
            "agent",
            "last_at",
            "last_seq",
        ],
    },
    View {
        name: "v_agents",
        domain: "agent",
        fields: &[
            "agent",
            "harness",
            "project",
            "mission",
            "task",
            "state",
            "last_action",
            "last_at",
            "last_seq",
            "attempts",
            "failures",
            "refused",
            "spark",
            "stopped_by",
            "pid",
            "lamp",
            "title",
            "model",
            "tokens",
            "context",
            "cost_microusd",
            "signature",
            "failure",
            "findings",
            "transcript",
        ],
    },
    View {
        name: "v_handoffs",
        domain: "handoff",
        fields: &[
            "id",
            "handle",
            "project",
            "state",
            "priority",
            "question",
            "tried",
            "needed",
            "wants",
            "tags",
            "asker",
            "task",
            "mission",
            "waiters",
            "holder",
            "epoch",
            "limit_from",
            "deadline",
            "lapses",
            "follow_ups",
            "answer",
            "answer_id",
            "answered_by",
            "used",
            "class",
            "reason",
            "decision",
            "hints",
            "opened_at",
            "last_at",
            "last_seq",
        ],
    },
    View {
        name: "v_codes",
        domain: "code",
        fields: &[
            "code",
            "layer",
            "state",
            "resolves_to",
            "count",
            "first_at",
            "last_at",
            "last_seq",
            "sample",
            "signature",
            "project",
            "task",
            "agent",
            "settled_by",
        ],
    },
];

const LOG: &str = "
CREATE VIEW v_log AS SELECT
seq,
strftime('%Y-%m-%dT%H:%M:%S',recorded_at/1000000,'unixepoch')||printf('.%06dZ',recorded_at%1000000) at,
kind,schema,project,task,agent,id,
substr(ifnull(CASE WHEN json_valid(body) THEN CASE kind
WHEN 'receipt' THEN body->>'payload_schema'
WHEN 'attempt' THEN concat_ws(' ',body->>'role',body->>'result',body->>'strategy')
ELSE body->>'action' END END,schema),1,160) what
FROM journal ORDER BY seq DESC;
";

const ATTENTION: &str = "
CREATE VIEW v_attention AS SELECT kind,handle,id,what,needs,since FROM(
SELECT 'reset' kind,handle,id,trigger||' '||scope what,needs,opened_at since,opened_seq q,
CASE scope_kind WHEN 'fleet' THEN 0 WHEN 'project' THEN 1 WHEN 'mission' THEN 2 ELSE 3 END w
FROM v_breakers WHERE state='open'
UNION ALL SELECT 'decide',handle,id,class||' '||question,'human',last_at,last_seq,2
FROM v_handoffs WHERE state='escalated' AND decision IS NULL
UNION ALL SELECT CASE body->>'kind' WHEN 'permission' THEN 'permit' ELSE 'answer' END,key,key,
trim(key||' '||(body->>'text')),'human',body->>'since',seq,3 FROM state WHERE domain='waits')
ORDER BY w,needs<>'human',q,id;
";

/// All views as one batch.
pub(super) fn all() -> String {
    let mut sql: String = PANES.iter().map(View::sql).collect();
    sql.push_str(LOG);
    sql.push_str(ATTENTION);
    sql
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use serde::Serialize;

    use std::path::Path;

    use super::super::schema;
    use super::super::states::Projections;
    use super::*;
    use crate::contract::ids::{ProjectId, RecordId};
    use crate::contract::row::{
        AgentRow, AttentionRow, BreakerRow, CodeRow, HandoffRow, LaneStep, LogRow, TaskRow,
    };
    use crate::contract::time::rfc3339;
    use crate::journal::{StateRow, States as _};

    #[test]
    fn every_field_has_a_cell() {
        assert!(PANES.iter().all(|view| view.fields.len() <= CELLS));
    }

    fn database() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(&schema::all()).unwrap();
        db
    }

    fn columns(db: &Connection, view: &str) -> Vec<String> {
        let statement = db.prepare(&format!("SELECT * FROM {view}")).unwrap();
        let names = statement.column_names();
        names.into_iter().map(str::to_owned).collect()
    }

    fn fields(row: &impl Serialize) -> Vec<String> {
        let value = serde_json::to_value(row).unwrap();
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn every_view_has_the_fields_of_its_row() {
        let db = database();
        let log = LogRow {
            seq: 1,
            at: String::new(),
            kind: String::new(),
            schema: String::new(),
            project: ProjectId::new("p"),
            task: None,
            agent: None,
            id: RecordId::new("i"),
            what: "w".into(),
        };
        let attention = AttentionRow {
            kind: String::new(),
            handle: String::new(),
            id: String::new(),
            what: String::new(),
            needs: String::new(),
            since: String::new(),
        };
        assert_eq!(columns(&db, "v_breakers"), fields(&BreakerRow::default()));
        assert_eq!(columns(&db, "v_tasks"), fields(&TaskRow::default()));
        assert_eq!(columns(&db, "v_agents"), fields(&AgentRow::default()));
        assert_eq!(columns(&db, "v_handoffs"), fields(&HandoffRow::default()));
        assert_eq!(columns(&db, "v_codes"), fields(&CodeRow::default()));
        assert_eq!(columns(&db, "v_log"), fields(&log));
        assert_eq!(columns(&db, "v_attention"), fields(&attention));
    }

    #[test]
    fn views_show_the_state_rows_in_pane_order() {
        let db = database();
        let put = |domain: &str, key: &str, rank: i64, seq: u64, row: serde_json::Value| {
            let mut states = Projections::new(&db, Path::new("s.db"));
            let row = StateRow {
                domain: domain.into(),
                key: key.into(),
                rank,
                seq,
                body: serde_json::json!({ "row": row }).to_string(),
            };
            states.put(&row).unwrap();
            states.flush().unwrap();
        };
        let breaker = |id: &str, state: &str, opened_seq: u64| {
            serde_json::to_value(BreakerRow {
                id: id.into(),
                handle: format!("b-{id}"),
                trigger: "git".into(),
                triggers: vec!["git".into(), "secret".into()],
                scope: "mission:M".into(),
                state: state.into(),
                needs: "lead".into(),
                opened_at: rfc3339(1),
                opened_seq,
                ..BreakerRow::default()
            })
            .unwrap()
        };
        put("breaker", "1", 1, 5, breaker("aaaa", "open", 5));
        put("breaker", "2", 1, 9, breaker("bbbb", "open", 9));
        put("breaker", "3", 0, 11, breaker("cccc", "closed", 2));
        let task = TaskRow {
            task: "T".into(),
            lanes: vec![LaneStep {
                lane: "A".into(),
                failed: true,
            }],
            ..TaskRow::default()
        };
        put("task", "T", 0, 1, serde_json::to_value(task).unwrap());
        let read = |sql: &str| -> Vec<String> {
            let mut statement = db.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect()
        };
        assert_eq!(read("SELECT id FROM v_breakers"), ["bbbb", "aaaa", "cccc"]);
        assert_eq!(
            read("SELECT triggers FROM v_breakers LIMIT 1"),
            [r#"["git","secret"]"#]
        );
        assert_eq!(
            read("SELECT handle || ' ' || what || ' ' || kind FROM v_attention"),
            ["b-aaaa git mission:M reset", "b-bbbb git mission:M reset"]
        );
        assert_eq!(
            read("SELECT lanes FROM v_tasks"),
            [r#"[{"lane":"A","failed":true}]"#]
        );
    }

    #[test]
    fn the_log_writes_times_as_the_contract_does() {
        let db = database();
        let at = 1_796_040_000_000_007_i64;
        db.execute(
            "INSERT INTO journal VALUES(1,'event','i','s','p','q',NULL,NULL,?1,'b',0,'{}',x'',x'')",
            [at],
        )
        .unwrap();
        let shown: String = db
            .query_row("SELECT at FROM v_log", [], |row| row.get(0))
            .unwrap();
        assert_eq!(shown, rfc3339(at));
    }

    #[test]
    fn panes_are_read_through_their_index() {
        let db = database();
        let plan = |sql: &str| -> String {
            let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let rows = statement
                .query_map([], |row| row.get::<_, String>(3))
                .unwrap();
            rows.map(Result::unwrap).collect::<Vec<_>>().join("; ")
        };
        for pane in &PANES {
            let view = pane.name;
            let plan = plan(&format!("SELECT * FROM {view} LIMIT 50"));
            assert!(plan.contains("state_order"), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
        assert!(!plan("SELECT * FROM v_log LIMIT 50").contains("TEMP B-TREE"));
    }
}
