//! The verbs on a real store with a clock that stands still until it is told to move.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "support/desk.rs"]
mod desk;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use watchfloor::contract::agent::ResetRequest;
use watchfloor::contract::attempt::{AttemptInput, Defaults};
use watchfloor::contract::breaker::{Approver, Trigger};
use watchfloor::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use watchfloor::contract::mission::MissionState;
use watchfloor::contract::record::{Kind, NewRecord};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::contract::row::BreakerRow;
use watchfloor::contract::safety::{Verdict, WorkRole};
use watchfloor::contract::scope::Scope;
use watchfloor::contract::tool::{
    Act, CallOutcome, Caller, HookAnswer, HookEvent, ToolCall, ToolResult,
};
use watchfloor::journal::clock::ManualClock;
use watchfloor::journal::sqlite::SqliteStore;
use watchfloor::journal::{Durability, Journal};
use watchfloor::ops::attempt::{self, Recorded};
use watchfloor::ops::context::Context;
use watchfloor::ops::flags::Flags;
use watchfloor::ops::gate::{self, Asked};
use watchfloor::ops::reset::{self, PermitWish};
use watchfloor::ops::{breaker, hook, identity, mission, receipt, status, sweep, verify};
use zeroize::Zeroizing;

const PASSPHRASE: &str = "correct horse";
const MINUTE: i64 = 60_000_000;

struct Desk {
    _folder: TempDir,
    context: Context,
    journal: SqliteStore,
    clock: Arc<ManualClock>,
    flags: Flags,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = desk::context(folder.path());
        let (journal, clock) = desk::store(&context);
        let flags = Flags::of(&context);
        Self {
            _folder: folder,
            context,
            journal,
            clock,
            flags,
        }
    }

    fn identity(&mut self, name: &str, role: Approver) {
        identity::init(
            &self.context,
            name,
            role,
            &mut |_| Ok(passphrase(PASSPHRASE)),
            &mut self.journal,
        )
        .unwrap();
    }

    fn record(&mut self, agent: &str, strategy: &str, result: &str) -> Recorded {
        let mut body = json!({"task_id": "T", "mission_id": "M", "agent": agent, "role": "maker", "hypothesis": "h",
            "strategy": strategy, "change": {"files": [format!("{strategy}.rs")]}, "result": result});
        if result == "FAIL" {
            body["error_signature"] = json!("es1:0123456789abcdef");
        }
        self.submit(&body).unwrap()
    }

    fn submit(&mut self, body: &Value) -> Result<Recorded, Refusal> {
        let bytes = body.to_string().into_bytes();
        let input = AttemptInput::parse(&bytes, Defaults::default()).unwrap();
        attempt::record(
            &self.context,
            &input,
            &bytes,
            &mut self.journal,
            &self.flags,
        )
    }

    /// Opens `retry` on the task.
    fn stuck(&mut self) -> BreakerRow {
        for strategy in ["A", "B", "C"] {
            self.record("a1", strategy, "FAIL");
        }
        self.breakers().remove(0)
    }

    fn breakers(&mut self) -> Vec<BreakerRow> {
        self.journal
            .read(|read| status::breakers(read, 50, 0))
            .unwrap()
    }

    fn gate(&mut self, agent: &str, strategy: &str) -> Verdict {
        let asked = Asked {
            task: TaskId::new("T"),
            role: WorkRole::Maker,
            strategy: strategy.to_owned(),
            agent: Some(AgentId::new(agent)),
        };
        gate::check(&self.context, &asked, &mut self.journal, &self.flags)
            .unwrap()
            .verdict
    }

    fn reset(&mut self, id: &str, to: Option<MissionState>, typed: &str) -> Result<Value, Refusal> {
        std::fs::write(self.context.root.join("notes.md"), "seen").unwrap();
        let request = ResetRequest {
            breaker_id: RecordId::new(id),
            cause: "cause".to_owned(),
            fix: "fix".to_owned(),
            evidence: vec!["notes.md".to_owned()],
            to,
            principal: None,
        };
        let answer = reset::reset(
            &self.context,
            &request,
            &mut |_| Ok(passphrase(typed)),
            &mut self.journal,
            &self.flags,
        )?;
        Ok(serde_json::to_value(answer).unwrap())
    }

    fn permit(&mut self, id: &str, agent: &str, minutes: u32) -> Result<(), Refusal> {
        let agent = AgentId::new(agent);
        let wish = PermitWish {
            id,
            agent: &agent,
            minutes,
            cause: "repair",
            principal: None,
        };
        reset::permit(
            &self.context,
            &wish,
            &mut |_| Ok(passphrase(PASSPHRASE)),
            &mut self.journal,
            &self.flags,
        )
        .map(drop)
    }

    /// What was recorded, and that the projections follow from it.
    fn verify(&mut self) {
        let report = self
            .journal
            .verify(|_| std::ops::ControlFlow::Continue(()))
            .unwrap();
        assert_eq!(report.first_bad, None);
        let deep = self
            .journal
            .verify_deep(|_| std::ops::ControlFlow::Continue(()))
            .unwrap();
        assert_eq!(deep.first_difference, None);
    }
}

fn passphrase(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.to_owned())
}

fn code<T: std::fmt::Debug>(result: Result<T, Refusal>) -> Code {
    result.unwrap_err().code
}

/// A receipt on task `T` that somebody with the file writes.
fn by_hand(desk: &Desk, id: &str, body: &Value) -> NewRecord {
    NewRecord {
        kind: Kind::Receipt,
        id: Some(RecordId::new(id)),
        schema: "pi.receipt_envelope.v1".to_owned(),
        producer: "watchfloor".to_owned(),
        project: desk.context.project.clone(),
        task: Some(TaskId::new("T")),
        agent: None,
        body: body.to_string(),
    }
}

#[test]
fn a_reset_opens_a_new_window_and_the_third_failure_after_it_trips_again() {
    let mut desk = Desk::new();
    desk.identity("lead", Approver::Lead);
    let row = desk.stuck();
    assert_eq!(
        (
            row.triggers.join("+"),
            row.needs.as_str(),
            row.state.as_str()
        ),
        ("retry+oscillation".to_owned(), "lead", "open")
    );
    assert!(!desk.flags.load().unwrap().flags().is_empty());
    assert_eq!(desk.gate("a2", "Z"), Verdict::BreakerOpen);
    assert_eq!(
        code(desk.reset(&row.id, None, "wrong")),
        Code::PassphraseWrong
    );
    assert_eq!(desk.breakers().len(), 1, "a wrong passphrase is no trip");
    let answer = desk.reset(&row.handle, None, PASSPHRASE).unwrap();
    assert_eq!(answer["state"], "closed");
    assert!(desk.flags.load().unwrap().flags().is_empty());
    assert_eq!(
        code(desk.reset(&row.id, None, PASSPHRASE)),
        Code::BreakerClosed
    );
    assert_eq!(
        desk.gate("a1", "C"),
        Verdict::StrategyChangeDue,
        "what failed is carried over"
    );
    assert_eq!(desk.record("a1", "D", "FAIL").trips, Vec::<String>::new());
    assert_eq!(desk.record("a1", "E", "FAIL").trips, Vec::<String>::new());
    assert!(
        desk.record("a1", "F", "FAIL")
            .trips
            .contains(&"retry".to_owned())
    );
    desk.verify();
}

#[test]
fn a_receipt_of_a_reset_resolves_to_each_trip() {
    let mut desk = Desk::new();
    desk.identity("lead", Approver::Lead);
    let row = desk.stuck();
    let answer = desk.reset(&row.id, None, PASSPHRASE).unwrap();
    let id = answer["receipt_id"].as_str().unwrap();
    let bytes = receipt::bytes_of(id, &mut desk.journal).unwrap();
    let catalog = desk.context.catalog();
    let resolution = receipt::resolve(&bytes, catalog, &mut desk.journal).unwrap();
    assert!(resolution.trusted, "{resolution:?}");
    assert_eq!(
        resolution.refs.len(),
        2,
        "one entry opened two triggers: one receipt, a parent each"
    );
    // The same decision presented once more is a replay: refused, recorded, and a trip.
    let text = String::from_utf8(bytes).unwrap();
    let other = text.replacen(id, "another-receipt", 1);
    let taken = receipt::ingest(
        &desk.context,
        "test",
        other.as_bytes(),
        catalog,
        &mut desk.journal,
        &desk.flags,
    )
    .unwrap();
    assert_eq!(taken.refused.unwrap().code, "approval_replayed");
    let open: Vec<BreakerRow> = desk
        .breakers()
        .into_iter()
        .filter(|b| b.state == "open")
        .collect();
    assert_eq!(
        (
            open[0].trigger.as_str(),
            open[0].scope.as_str(),
            open[0].needs.as_str()
        ),
        ("approval_identity", "mission:M", "human")
    );
    desk.verify();
}

#[test]
fn a_lead_may_not_do_what_needs_a_human() {
    let mut desk = Desk::new();
    desk.identity("lead", Approver::Lead);
    let scope = Scope::Mission {
        project: desk.context.project.clone(),
        mission: MissionId::new("M"),
    };
    let tripped = breaker::trip(
        &desk.context,
        Trigger::Secret,
        &scope,
        "a key was printed",
        &mut desk.journal,
        &desk.flags,
    )
    .unwrap();
    assert_eq!(
        code(desk.reset(&tripped.id, Some(MissionState::Active), PASSPHRASE)),
        Code::RoleRefused
    );
    assert_eq!(
        desk.breakers().len(),
        1,
        "a role refused before signing is no trip"
    );
    assert_eq!(
        code(desk.reset(&tripped.id, None, PASSPHRASE)),
        Code::ContractFault,
        "a mission goes somewhere"
    );
}

#[test]
fn a_mission_stays_halted_until_its_last_breaker_is_reset() {
    let mut desk = Desk::new();
    desk.identity("human", Approver::Human);
    desk.record("a1", "A", "PASS");
    let scope = Scope::Mission {
        project: desk.context.project.clone(),
        mission: MissionId::new("M"),
    };
    let mut trip = |trigger| {
        breaker::trip(
            &desk.context,
            trigger,
            &scope,
            "r",
            &mut desk.journal,
            &desk.flags,
        )
        .unwrap()
        .id
    };
    let (first, second) = (trip(Trigger::Git), trip(Trigger::Prod));
    let state = |desk: &mut Desk| {
        mission::show(&desk.context, &MissionId::new("M"), &mut desk.journal)
            .unwrap()
            .row
            .state
    };
    assert_eq!(state(&mut desk), "halted");
    desk.reset(&first, Some(MissionState::Active), PASSPHRASE)
        .unwrap();
    assert_eq!(state(&mut desk), "halted");
    desk.reset(&second, Some(MissionState::Blocked), PASSPHRASE)
        .unwrap();
    assert_eq!(state(&mut desk), "blocked");
    desk.verify();
}

#[test]
fn under_a_permit_one_agent_works_and_another_does_not_until_it_runs_out() {
    let mut desk = Desk::new();
    desk.identity("lead", Approver::Lead);
    let row = desk.stuck();
    assert_eq!(code(desk.permit(&row.id, "a2", 0)), Code::ContractFault);
    desk.permit(&row.id, "a2", 10).unwrap();
    assert_eq!(desk.gate("a2", "repair"), Verdict::Allow);
    assert_eq!(desk.gate("a1", "repair"), Verdict::BreakerOpen);
    let repaired = desk.record("a2", "repair", "PASS");
    assert_eq!(
        repaired.findings,
        Vec::<String>::new(),
        "a try under a permit is no leak"
    );
    assert_eq!(desk.record("a1", "again", "PASS").findings, ["leak"]);
    desk.clock.pass(10 * MINUTE + 1);
    assert_eq!(
        desk.gate("a2", "repair"),
        Verdict::BreakerOpen,
        "it ran out by itself"
    );
    let swept = sweep::tick(&desk.context, &mut desk.journal, &desk.flags).unwrap();
    assert_eq!(swept.permits_expired, 1);
    let again = sweep::tick(&desk.context, &mut desk.journal, &desk.flags).unwrap();
    assert_eq!(again.permits_expired, 0, "an expiry fires once");
    assert_eq!(desk.record("a2", "late", "PASS").findings, ["leak"]);
    desk.verify();
}

#[test]
fn a_clock_that_jumps_moves_running_permits_with_it() {
    let mut desk = Desk::new();
    desk.identity("lead", Approver::Lead);
    let row = desk.stuck();
    desk.permit(&row.id, "a2", 10).unwrap();
    desk.clock.pass(MINUTE);
    desk.clock.jump(60 * MINUTE);
    desk.record("a3", "x", "PASS");
    assert_eq!(
        desk.gate("a2", "repair"),
        Verdict::Allow,
        "a suspended laptop takes no time from a permit"
    );
    desk.clock.pass(9 * MINUTE + 1);
    assert_eq!(desk.gate("a2", "repair"), Verdict::BreakerOpen);
    desk.verify();
}

#[test]
fn flags_and_journal_are_brought_together() {
    let mut desk = Desk::new();
    let row = desk.stuck();
    // The flag of an open breaker that was lost comes back.
    desk.flags.clear(&RecordId::new(row.id.clone())).unwrap();
    let swept = sweep::reconcile(&desk.context, &mut desk.journal, &desk.flags).unwrap();
    assert_eq!(swept.flags_set, 1);
    // A stop that could not be recorded is recorded once.
    let id = RecordId::new(uuid::Uuid::now_v7().to_string());
    let scope = Scope::Task {
        project: desk.context.project.clone(),
        task: TaskId::new("T2"),
    };
    let flag =
        watchfloor::journal::flags::Flag::new(&scope, Trigger::Manual, 5, &id, "stopped by hand");
    desk.flags.set(&[flag], &[]).unwrap();
    assert_eq!(desk.gate("a2", "x"), Verdict::BreakerOpen);
    for recorded in [1, 0] {
        let swept = sweep::reconcile(&desk.context, &mut desk.journal, &desk.flags).unwrap();
        assert_eq!(swept.stops_recorded, recorded);
    }
    let stop = desk
        .breakers()
        .into_iter()
        .find(|b| b.id == id.as_str())
        .unwrap();
    assert_eq!(
        (
            stop.scope.as_str(),
            stop.trigger.as_str(),
            stop.reason.as_str()
        ),
        ("task:T2", "manual", "stopped by hand")
    );
    // A damaged file is written anew with every open breaker in it.
    std::fs::write(desk.context.store.with_extension("flags"), b"noise").unwrap();
    assert_eq!(code(desk.flags.load()), Code::FlagsDamaged);
    sweep::tick(&desk.context, &mut desk.journal, &desk.flags).unwrap();
    assert_eq!(desk.flags.load().unwrap().flags().len(), 2);
    desk.verify();
}

fn call(session: &str, act: Act, input: &str) -> ToolCall {
    ToolCall {
        caller: Caller {
            harness: "pi".to_owned(),
            session: session.to_owned(),
            subagent: None,
            cwd: String::new(),
        },
        tool: "tool".to_owned(),
        call_id: None,
        act,
        input: json!({"path": "a.txt", "content": input}).to_string(),
    }
}

fn allowed(answer: &HookAnswer) -> bool {
    !matches!(answer, HookAnswer::Refuse(_))
}

#[test]
fn a_hooked_session_is_stopped_at_its_third_failing_check_and_goes_on_after_the_reset() {
    let mut desk = Desk::new();
    desk.identity("lead", Approver::Lead);
    let context = desk.context.clone();
    let file: PathBuf = context.root.join("a.txt");
    let edit = |text: &str| {
        let before = hook::answer(
            &context,
            &HookEvent::Before(call("s", Act::Edit(vec!["a.txt".to_owned()]), text)),
            || None,
        );
        if allowed(&before) {
            std::fs::write(&file, text).unwrap();
            let done = ToolResult {
                call: call("s", Act::Edit(vec!["a.txt".to_owned()]), text),
                outcome: CallOutcome::Done,
                exit_code: None,
                text: String::new(),
            };
            drop(hook::answer(&context, &HookEvent::After(done), || None));
        }
        allowed(&before)
    };
    let check = || {
        let act = Act::Shell("sh check.sh".to_owned());
        let text = "error: expected 42, found another number in a.txt".to_owned();
        hook::answer(
            &context,
            &HookEvent::After(ToolResult {
                call: call("s", act, ""),
                outcome: CallOutcome::Failed,
                exit_code: Some(1),
                text,
            }),
            || None,
        )
    };
    for text in ["1", "2", "3"] {
        assert!(edit(text));
        check();
    }
    let row = desk.breakers().remove(0);
    assert_eq!(
        (row.trigger.as_str(), row.scope.as_str()),
        ("retry", "task:session-s")
    );
    assert!(!edit("4"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "3");
    let allowed_call = |act| {
        allowed(&hook::answer(
            &context,
            &HookEvent::Before(call("s", act, "")),
            || None,
        ))
    };
    assert!(allowed_call(Act::Read));
    assert!(allowed_call(Act::Shell(
        "watchfloor status --json".to_owned()
    )));
    assert!(!allowed_call(Act::Shell(
        "watchfloor status; rm -rf x".to_owned()
    )));
    assert!(!allowed_call(Act::Other));
    let other = HookEvent::Before(call("elsewhere", Act::Edit(vec!["b.txt".to_owned()]), ""));
    assert!(
        allowed(&hook::answer(&context, &other, || None)),
        "another session is not stopped"
    );
    desk.reset(&row.id, None, PASSPHRASE).unwrap();
    for text in ["5", "6"] {
        assert!(edit(text));
        check();
    }
    assert!(
        desk.breakers().iter().all(|b| b.state == "closed"),
        "two further failing tries are possible"
    );
    assert!(edit("7"));
    check();
    assert_eq!(desk.breakers()[0].state, "open");
    assert!(!edit("8"));
    desk.verify();
}

#[test]
fn a_secret_in_a_call_stops_the_session_and_one_in_a_result_the_mission() {
    let mut desk = Desk::new();
    let secret = "token ghp_R7dKq2LmX9vTzA4bNcE8wYhUjGfP1sQoI6t0";
    let context = desk.context.clone();
    let before = HookEvent::Before(call("s1", Act::Shell("curl".to_owned()), secret));
    assert!(!allowed(&hook::answer(&context, &before, || None)));
    let done = ToolResult {
        call: call("s2", Act::Shell("env".to_owned()), ""),
        outcome: CallOutcome::Done,
        exit_code: Some(0),
        text: secret.to_owned(),
    };
    drop(hook::answer(&context, &HookEvent::After(done), || None));
    let mut scopes: Vec<(String, String)> = desk
        .breakers()
        .into_iter()
        .map(|b| (b.trigger, b.scope))
        .collect();
    scopes.sort();
    let expected = [("secret", "agent:pi:s1"), ("secret", "mission:session-s2")]
        .map(|(t, s)| (t.to_owned(), s.to_owned()));
    assert_eq!(scopes, expected);
    let everything = std::fs::read(&context.store).unwrap();
    let wal = std::fs::read(context.store.with_extension("db-wal")).unwrap();
    for bytes in [everything, wal] {
        assert!(
            !String::from_utf8_lossy(&bytes).contains("R7dKq2LmX9vTzA4bNcE8"),
            "the value is stored nowhere"
        );
    }
    desk.verify();
}

#[test]
fn signers_are_added_and_revoked_by_a_human_and_a_revoked_approval_trips() {
    let mut desk = Desk::new();
    desk.identity("human", Approver::Human);
    let typed = &mut |_: &str| Ok(passphrase(PASSPHRASE));
    let add = |desk: &mut Desk,
               name: &str,
               typed: &mut dyn FnMut(&str) -> Result<Zeroizing<String>, Refusal>| {
        identity::add(
            &desk.context,
            name,
            Approver::Lead,
            None,
            None,
            typed,
            &mut desk.journal,
        )
    };
    let added = add(&mut desk, "lead", typed).unwrap();
    assert_eq!(
        (added.roles, added.state.as_str(), added.in_file),
        (vec!["lead".to_owned()], "active", true)
    );
    assert_eq!(code(add(&mut desk, "lead", typed)), Code::IdentityExists);
    let again = identity::init(
        &desk.context,
        "other",
        Approver::Human,
        typed,
        &mut desk.journal,
    );
    assert_eq!(
        code(again),
        Code::IdentityExists,
        "there is one first identity"
    );
    let row = desk.stuck();
    // A decision that the lead signs while it may, and that is presented when it may no longer.
    let payload = json!({"schema": "watchfloor.breaker_reset.v1", "breaker_id": row.id, "trips": [], "scope": {"kind": "task",
        "project": "api", "task": "T"}, "cause": "c", "fix": "f", "evidence": [], "checks": [], "nonce": "n-1", "at_seq": 1,
        "at_hash": format!("sha256:{}", "0".repeat(64))});
    let keys = watchfloor::authority::Keys::new(&desk.context.config);
    let key = keys.load("lead", Some(&passphrase(PASSPHRASE))).unwrap();
    let approval = watchfloor::authority::sign(&payload, &key, "lead", Approver::Lead).unwrap();
    let mut signed = payload.clone();
    signed["approval"] = serde_json::to_value(approval).unwrap();
    let revoked = identity::revoke(
        &desk.context,
        "lead",
        "left",
        Some("human"),
        typed,
        &mut desk.journal,
    )
    .unwrap();
    assert_eq!(
        (revoked.state.as_str(), revoked.in_file),
        ("revoked", false)
    );
    let present = |desk: &mut Desk, id: &str, payload: &Value| {
        let envelope = json!({"schema": "pi.receipt_envelope.v1", "receipt_id": id, "payload_schema": "watchfloor.breaker_reset.v1",
            "producer": "watchfloor", "emitted_at": "2026-11-30T12:00:00Z", "payload": payload});
        let catalog = desk.context.catalog();
        receipt::ingest(
            &desk.context,
            "test",
            envelope.to_string().as_bytes(),
            catalog,
            &mut desk.journal,
            &desk.flags,
        )
        .unwrap()
        .refused
        .map(|refused| refused.code)
    };
    assert_eq!(
        present(&mut desk, "p-1", &signed).as_deref(),
        Some("approval_revoked")
    );
    let mut changed = signed.clone();
    changed["cause"] = json!("another cause");
    changed["approval"]["principal"] = json!("human");
    assert_eq!(
        present(&mut desk, "p-2", &changed).as_deref(),
        Some("approval_revoked")
    );
    assert!(
        desk.breakers()
            .iter()
            .any(|b| b.trigger == "approval_identity" && b.state == "open")
    );
    assert!(
        desk.breakers()
            .iter()
            .any(|b| b.id == row.id && b.state == "open"),
        "nothing was reset"
    );
    desk.verify();
}

#[test]
fn a_signed_decision_from_elsewhere_is_applied_once_and_never_by_whose_work_it_is() {
    let mut desk = Desk::new();
    desk.identity("a1", Approver::Human);
    let row = desk.stuck();
    let refused = desk.reset(&row.id, None, PASSPHRASE);
    assert_eq!(
        code(refused),
        Code::ApprovalOwnWork,
        "a1 made the tries that opened it"
    );
    let open: Vec<String> = desk
        .breakers()
        .into_iter()
        .filter(|b| b.state == "open")
        .map(|b| b.trigger)
        .collect();
    assert_eq!(open, ["approval_identity", "retry"]);
    desk.verify();
}

#[test]
fn an_agents_session_behind_a_call_is_who_calls() {
    use watchfloor::ops::context::Ancestor;
    let mut desk = Desk::new();
    let context = desk.context.clone();
    let process = Ancestor {
        pid: 4_242,
        started: 77,
    };
    let caller = Caller {
        harness: "pi".to_owned(),
        session: "s".to_owned(),
        subagent: None,
        cwd: String::new(),
    };
    drop(hook::answer(
        &context,
        &HookEvent::Start(caller.clone()),
        || Some(process),
    ));
    desk.context.ancestors = vec![
        Ancestor {
            pid: 1_000,
            started: 1,
        },
        process,
    ];
    let who = |desk: &mut Desk| {
        watchfloor::ops::store::caller(&desk.context, &AgentId::new("somebody"), &mut desk.journal)
            .unwrap()
    };
    assert_eq!(who(&mut desk).as_str(), "pi:s");
    let typed = &mut |_: &str| Ok(passphrase(PASSPHRASE));
    let made = identity::init(
        &desk.context,
        "agent",
        Approver::Human,
        typed,
        &mut desk.journal,
    );
    assert_eq!(code(made), Code::IdentityInAgent);
    // The id of a process that is gone may be another's now: its start tells.
    desk.context.ancestors = vec![Ancestor {
        pid: 4_242,
        started: 78,
    }];
    assert_eq!(who(&mut desk).as_str(), "somebody");
    desk.context.ancestors = vec![process];
    drop(hook::answer(&context, &HookEvent::End(caller), || None));
    assert_eq!(
        who(&mut desk).as_str(),
        "somebody",
        "a session that ended is behind nothing"
    );
}

#[test]
fn verify_finds_a_reset_that_nobody_signed_though_the_chain_holds() {
    let mut desk = Desk::new();
    desk.identity("ops", Approver::Human);
    let row = desk.stuck();
    let answer = desk.reset(&row.id, None, PASSPHRASE).unwrap();
    let check = |desk: &Desk| {
        let on = &mut |_, _| std::ops::ControlFlow::Continue(());
        verify::verify(&desk.context, false, on).unwrap()
    };
    let checked = check(&desk);
    assert!(checked.holds, "{checked:?}");
    assert!(checked.signed.contains("by ops"), "{checked:?}");
    // Somebody with the file appends a decision of their own under the old signature.
    let id = answer["receipt_id"].as_str().unwrap();
    let bytes = receipt::bytes_of(id, &mut desk.journal).unwrap();
    let mut body: Value = serde_json::from_slice(&bytes).unwrap();
    body["receipt_id"] = json!("by-hand");
    body["payload"]["fix"] = json!("another fix");
    let forged = by_hand(&desk, "by-hand", &body);
    desk.journal
        .write(Durability::Full, |write| write.append(forged))
        .unwrap();
    let checked = check(&desk);
    assert!(!checked.holds, "{checked:?}");
    assert!(checked.why.unwrap().contains("forged"));
    // A human has seen it and lets the chain go on behind it.
    let handle = check(&desk).breaker;
    restarts(&mut desk, handle.as_deref());
    assert!(check(&desk).holds);
}

#[test]
fn verify_finds_a_decision_that_was_signed_at_no_position() {
    let mut desk = Desk::new();
    desk.identity("ops", Approver::Human);
    let row = desk.stuck();
    let answer = desk.reset(&row.id, None, PASSPHRASE).unwrap();
    let id = answer["receipt_id"].as_str().unwrap();
    let bytes = receipt::bytes_of(id, &mut desk.journal).unwrap();
    let mut body: Value = serde_json::from_slice(&bytes).unwrap();
    // The key's holder signs what no store would take, and writes it into the file.
    let payload = body["payload"].as_object_mut().unwrap();
    payload.remove("approval");
    payload.insert("at_seq".to_owned(), json!(0));
    payload.insert("at_hash".to_owned(), json!("sha256:any"));
    let keys = watchfloor::authority::Keys::new(&desk.context.config);
    let key = keys.load("ops", Some(&passphrase(PASSPHRASE))).unwrap();
    let approval =
        watchfloor::authority::sign(&body["payload"], &key, "ops", Approver::Human).unwrap();
    body["payload"]["approval"] = serde_json::to_value(approval).unwrap();
    body["receipt_id"] = json!("at-zero");
    let record = by_hand(&desk, "at-zero", &body);
    let written = desk
        .journal
        .write(Durability::Full, |write| write.append(record))
        .unwrap();
    let on = &mut |_, _| std::ops::ControlFlow::Continue(());
    let checked = verify::verify(&desk.context, false, on).unwrap();
    assert!(!checked.holds, "{checked:?}");
    let why = checked.why.unwrap();
    assert!(
        why.contains("ops signed no position of this chain"),
        "{why}"
    );
    assert_eq!(checked.first_bad, Some(written.seq));
}

/// Resets the breaker of a store that does not verify.
fn restarts(desk: &mut Desk, handle: Option<&str>) {
    let breaker = desk
        .journal
        .read(|read| breaker::find(read, handle.unwrap()))
        .unwrap();
    assert_eq!(
        (breaker.row.trigger.as_str(), breaker.row.scope.as_str()),
        ("persistence", "fleet")
    );
    let answer = desk.reset(&breaker.row.id, None, PASSPHRASE).unwrap();
    assert_eq!(answer["checks"][0]["name"], "chain_restarts", "{answer}");
}

#[test]
fn what_does_not_verify_stops_the_fleet_until_a_human_lets_the_chain_go_on() {
    let mut desk = Desk::new();
    desk.identity("human", Approver::Human);
    for strategy in ["A", "B", "C", "D"] {
        desk.record("a1", strategy, "PASS");
    }
    let check = |desk: &Desk| {
        let on = &mut |_, _| std::ops::ControlFlow::Continue(());
        verify::verify(&desk.context, false, on).unwrap()
    };
    assert!(check(&desk).holds);
    let change = |desk: &Desk, seq: i64| {
        let raw = rusqlite::Connection::open(&desk.context.store).unwrap();
        raw.execute_batch("DROP TRIGGER journal_no_update").unwrap();
        let sql = "UPDATE journal SET body = replace(body, 'A', 'Z') WHERE seq = ?1";
        assert_eq!(raw.execute(sql, [seq]).unwrap(), 1);
    };
    change(&desk, 2);
    let checked = check(&desk);
    assert_eq!((checked.holds, checked.first_bad), (false, Some(2)));
    assert!(checked.quarantine.is_some());
    assert_eq!(desk.gate("a1", "E"), Verdict::BreakerOpen);
    assert_eq!(desk.flags.load().unwrap().flags().len(), 1);
    // Looking again is a hit of the same breaker.
    assert_eq!(check(&desk).breaker, checked.breaker);
    restarts(&mut desk, checked.breaker.as_deref());
    assert_eq!(desk.gate("a1", "E"), Verdict::Allow);
    desk.record("a1", "E", "PASS");
    let after = check(&desk);
    assert!(after.holds && after.restarts.len() == 1, "{after:?}");
    assert!(
        after.restarts[0].starts_with("first bad record 2,"),
        "{after:?}"
    );
    // Behind the restart everything counts again.
    assert_eq!(
        in_python(&desk),
        (true, "left out by a restart: 2 to".to_owned())
    );
    let last = after.rows;
    change_again(&desk, i64::try_from(last).unwrap());
    let again = check(&desk);
    assert_eq!((again.holds, again.first_bad), (false, Some(last)));
    assert!(!in_python(&desk).0);
    restarts(&mut desk, again.breaker.as_deref());
    assert!(check(&desk).holds);
    // A restart that nobody signed leaves nothing out.
    let body = json!({"schema": "watchfloor.chain_restart.v1", "first_bad": 1,
        "last_good": "sha256:0", "after": 3, "after_hash": "sha256:0", "reset_id": "r-none"});
    let restart = NewRecord {
        kind: Kind::Event,
        id: None,
        schema: "watchfloor.chain_restart.v1".to_owned(),
        producer: "watchfloor".to_owned(),
        project: desk.context.project.clone(),
        task: None,
        agent: None,
        body: body.to_string(),
    };
    desk.journal
        .write(Durability::Full, |write| write.append(restart))
        .unwrap();
    let forged = check(&desk);
    assert_eq!((forged.holds, forged.first_bad), (false, Some(1)));
}

/// Whether the script in another language says the same, and how its answer begins.
fn in_python(desk: &Desk) -> (bool, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/verify_store.py");
    let mut command = std::process::Command::new("python3");
    let output = command
        .arg(script)
        .arg(&desk.context.store)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), said.chars().take(27).collect())
}

/// As a hand with the file would, once the trigger is gone.
fn change_again(desk: &Desk, seq: i64) {
    let raw = rusqlite::Connection::open(&desk.context.store).unwrap();
    let sql = "UPDATE journal SET body = replace(body, 'E', 'Z') WHERE seq = ?1";
    assert_eq!(raw.execute(sql, [seq]).unwrap(), 1);
}

#[test]
fn a_store_that_lost_its_signers_takes_nobody_else_for_the_first() {
    let mut before = Desk::new();
    before.identity("lead", Approver::Lead);
    let mut desk = Desk::new();
    desk.context.config = before.context.config.clone();
    let first = |desk: &mut Desk, name: &str| {
        identity::init(
            &desk.context,
            name,
            Approver::Human,
            &mut |_| Ok(passphrase(PASSPHRASE)),
            &mut desk.journal,
        )
    };
    assert_eq!(code(first(&mut desk, "other")), Code::IdentityExists);
    first(&mut desk, "lead").unwrap();
}

#[test]
fn a_further_stop_of_a_scope_is_a_hit_of_the_one_that_stands() {
    let mut desk = Desk::new();
    desk.identity("human", Approver::Human);
    // A stop opens the store for itself, as the verb does.
    let stop = |desk: &Desk| {
        watchfloor::ops::stop::stop(&desk.context, &Scope::Fleet, "look", 1_800_000_000_000_000)
            .unwrap()
    };
    let (first, second) = (stop(&desk), stop(&desk));
    assert!(first.flag && first.recorded && second.flag && second.recorded);
    assert_eq!(first.id, second.id);
    let rows = desk.breakers();
    assert_eq!((rows.len(), rows[0].hits), (1, 2));
    assert_eq!(desk.flags.load().unwrap().flags().len(), 1);
    desk.verify();
}

#[test]
fn a_flag_stays_when_a_row_says_closed_and_no_signature_does() {
    let mut desk = Desk::new();
    let row = desk.stuck();
    let raw = rusqlite::Connection::open(&desk.context.store).unwrap();
    raw.execute("UPDATE state SET body = replace(body, '\"state\":\"open\"', '\"state\":\"closed\"') WHERE domain = 'breaker'", []).unwrap();
    drop(raw);
    assert_eq!(desk.breakers()[0].state, "closed");
    let swept = sweep::tick(&desk.context, &mut desk.journal, &desk.flags).unwrap();
    assert_eq!(swept.flags_cleared, 0, "{swept:?}");
    assert!(
        desk.flags
            .load()
            .unwrap()
            .flags()
            .iter()
            .any(|flag| flag.breaker_id().as_str() == row.id)
    );
}

#[test]
fn a_stopped_session_stays_stopped_whatever_task_it_names() {
    let mut desk = Desk::new();
    let scope = Scope::Task {
        project: desk.context.project.clone(),
        task: TaskId::new("session-s"),
    };
    let caller = Caller {
        harness: "pi".to_owned(),
        session: "s".to_owned(),
        subagent: None,
        cwd: String::new(),
    };
    drop(hook::answer(
        &desk.context,
        &HookEvent::Start(caller),
        || None,
    ));
    breaker::trip(
        &desk.context,
        Trigger::Git,
        &scope,
        "r",
        &mut desk.journal,
        &desk.flags,
    )
    .unwrap();
    let elsewhere = Context {
        task: Some(TaskId::new("U")),
        ..desk.context.clone()
    };
    let edit = HookEvent::Before(call("s", Act::Edit(vec!["a".to_owned()]), ""));
    assert!(!allowed(&hook::answer(&elsewhere, &edit, || None)));
    let other = HookEvent::Before(call("other", Act::Edit(vec!["a".to_owned()]), ""));
    assert!(allowed(&hook::answer(&elsewhere, &other, || None)));
}

#[test]
fn a_store_that_lost_its_log_is_damaged_and_not_empty() {
    let mut desk = Desk::new();
    desk.record("a1", "A", "PASS");
    let folder = desk.context.store.parent().unwrap().to_path_buf();
    let Desk {
        context,
        journal,
        _folder,
        ..
    } = desk;
    drop(journal);
    std::fs::remove_file(folder.join("store.db-wal")).unwrap();
    drop(std::fs::remove_file(folder.join("store.db-shm")));
    for opened in [
        watchfloor::ops::store::open(&context),
        watchfloor::ops::store::open_readonly(&context),
    ] {
        assert_eq!(code(opened), Code::StoreDamaged);
    }
}

#[test]
fn names_that_break_keys_and_entries_that_are_too_large_are_refused() {
    let mut desk = Desk::new();
    let body = |task: &str, hypothesis: String| json!({"task_id": task, "mission_id": "M", "agent": "a", "role": "maker", "hypothesis": hypothesis, "strategy": "s", "result": "PASS"});
    for task in ["x\u{1f}y", "x\0y", &"t".repeat(1_001)] {
        assert_eq!(
            code(desk.submit(&body(task, "h".to_owned()))),
            Code::ContractFault
        );
    }
    assert_eq!(
        code(desk.submit(&body("T", "h".repeat(5 << 20)))),
        Code::ContractFault
    );
    desk.submit(&body(&"t".repeat(1_000), "h".repeat(1 << 20)))
        .unwrap();
    desk.verify();
}

#[test]
fn a_stopped_agent_is_shown_as_stopped_though_it_records_in_another_task() {
    let mut desk = Desk::new();
    let row = desk.stuck();
    let body = |task: &str| {
        json!({"task_id": task, "mission_id": "M", "agent": "a1", "role": "maker",
            "hypothesis": "h", "strategy": "s", "result": "PASS"})
    };
    desk.submit(&body("elsewhere")).unwrap();
    let agents = |desk: &mut Desk| {
        desk.journal
            .read(|read| status::agents(read, 9, 0))
            .unwrap()
    };
    let agent = agents(&mut desk).remove(0);
    assert_eq!(
        (agent.state.as_str(), agent.task.as_str()),
        ("stopped", "T")
    );
    assert_eq!(agent.stopped_by, Some(row.handle.clone()));
    let counts = desk.journal.read(|read| status::counts(read)).unwrap();
    assert_eq!(counts.stopped, 1);
    desk.verify();
    // The breaker closes, and the agent is where it works again.
    desk.identity("lead@x", Approver::Lead);
    let evidence = desk.context.root.join("proof.txt");
    std::fs::write(&evidence, "it passes").unwrap();
    let request = ResetRequest {
        breaker_id: RecordId::new(row.id),
        cause: "c".to_owned(),
        fix: "f".to_owned(),
        evidence: vec![evidence.display().to_string()],
        to: None,
        principal: None,
    };
    reset::reset(
        &desk.context,
        &request,
        &mut |_| Ok(passphrase(PASSPHRASE)),
        &mut desk.journal,
        &desk.flags,
    )
    .unwrap();
    assert_eq!(agents(&mut desk)[0].state, "working");
    desk.submit(&body("elsewhere")).unwrap();
    assert_eq!(agents(&mut desk)[0].task, "elsewhere");
    desk.verify();
}

#[test]
fn what_stops_the_most_needs_a_person_first() {
    let mut desk = Desk::new();
    let project = desk.context.project.clone();
    let task = |name: &str| Scope::Task {
        project: project.clone(),
        task: TaskId::new(name),
    };
    let mut scopes: Vec<Scope> = (0..60).map(|n| task(&format!("T-{n}"))).collect();
    scopes.push(Scope::Project {
        project: project.clone(),
    });
    scopes.push(Scope::Fleet);
    for scope in scopes {
        breaker::trip(
            &desk.context,
            Trigger::Git,
            &scope,
            "r",
            &mut desk.journal,
            &desk.flags,
        )
        .unwrap();
    }
    let rows = desk
        .journal
        .read(|read| watchfloor::ops::attention::attention(&status::counts(read)?, read))
        .unwrap();
    let what: Vec<&str> = rows.iter().take(3).map(|row| row.what.as_str()).collect();
    assert_eq!(what, ["git fleet", "git project:api", "git task:T-0"]);
}

#[test]
fn a_receipt_tells_where_it_comes_from() {
    let mut desk = Desk::new();
    let row = desk.stuck();
    desk.identity("lead@x", Approver::Lead);
    let evidence = desk.context.root.join("proof.txt");
    std::fs::write(&evidence, "it passes").unwrap();
    let request = ResetRequest {
        breaker_id: RecordId::new(row.id.clone()),
        cause: "c".to_owned(),
        fix: "f".to_owned(),
        evidence: vec![evidence.display().to_string()],
        to: None,
        principal: None,
    };
    let answer = reset::reset(
        &desk.context,
        &request,
        &mut |_| Ok(passphrase(PASSPHRASE)),
        &mut desk.journal,
        &desk.flags,
    )
    .unwrap();
    let catalog = desk.context.catalog();
    let id = answer.receipt_id.unwrap();
    let tree = receipt::provenance(&id, catalog, &mut desk.journal).unwrap();
    assert!(tree.trusted, "{tree:?}");
    assert_eq!(tree.nodes[1].receipt_id, row.id);
    let edge = tree.nodes[1].edge.as_ref().unwrap();
    let names: Vec<&str> = edge
        .checks
        .iter()
        .map(|check| check.name.as_str())
        .collect();
    for name in ["exists", "schema", "producer", "goal_hash", "digest"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(
        tree.nodes
            .iter()
            .all(|node| node.digest.starts_with("sha256:"))
    );
    // One that names a parent which is not there, and itself.
    let bad = json!({"schema": "pi.receipt_envelope.v1", "receipt_id": "loop-0001",
        "payload_schema": "x.v1", "producer": "p", "emitted_at": "2026-01-01T00:00:00Z",
        "goal_hash": format!("sha256:{}", "0".repeat(64)),
        "parent_refs": [
            {"receipt_id": "loop-0001", "expected_schema": "x.v1", "expected_producer": "q"},
            {"receipt_id": "gone-0001", "expected_schema": "x.v1", "expected_producer": "p"}],
        "payload": {"schema": "x.v1"}})
    .to_string();
    receipt::ingest(
        &desk.context,
        "-",
        bad.as_bytes(),
        catalog,
        &mut desk.journal,
        &desk.flags,
    )
    .unwrap();
    let tree = receipt::provenance("loop-0001", catalog, &mut desk.journal).unwrap();
    assert!(!tree.trusted && tree.nodes[1].cycle);
    let why: Vec<String> = tree.nodes[1..]
        .iter()
        .flat_map(|node| &node.edge.as_ref().unwrap().checks)
        .filter_map(|check| check.why.clone())
        .collect();
    assert_eq!(why, ["q was expected, it is p", "there is no such receipt"]);
}

#[test]
fn a_store_file_that_is_moved_replaced_or_overwritten_is_noticed() {
    use watchfloor::ops::moved::StoreFile;
    let mut desk = Desk::new();
    desk.record("a1", "A", "PASS");
    let path = desk.context.store.clone();
    let aside = path.with_extension("aside");
    let mut file = StoreFile::of(&desk.context).unwrap();
    file.check(&desk.context).unwrap();
    desk.record("a1", "B", "PASS");
    file.check(&desk.context).unwrap();
    std::fs::rename(&path, &aside).unwrap();
    assert_eq!(code(file.check(&desk.context)), Code::StoreMissing);
    std::fs::copy(&aside, &path).unwrap();
    assert_eq!(code(file.check(&desk.context)), Code::StoreDamaged);
    std::fs::rename(&aside, &path).unwrap();
    file.check(&desk.context).unwrap();
    std::fs::write(&path, "not a store any more").unwrap();
    assert_eq!(code(file.check(&desk.context)), Code::StoreDamaged);
}
