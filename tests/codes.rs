//! The life of a minted code on a real store: counted, settled by a signature, taken back, and the
//! user's catalogue file that follows from it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "support/desk.rs"]
mod desk;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use watchfloor::contract::attempt::{Attempt, AttemptInput, Defaults};
use watchfloor::contract::breaker::Approver;
use watchfloor::contract::catalog::{Catalog, Entry};
use watchfloor::contract::code::{
    ALIAS, AliasRequest, CODE_MEMORY, CODE_TICKET, CodeAnswer, EVAL_STUB, PROMOTION,
    PromoteRequest, UNDO,
};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::contract::tool::{
    Act, CallOutcome, Caller, HookAnswer, HookEvent, ToolCall, ToolResult,
};
use watchfloor::journal::sqlite::{self, SqliteStore};
use watchfloor::journal::{Journal, Page};
use watchfloor::ops::context::Context;
use watchfloor::ops::flags::Flags;
use watchfloor::ops::fold::Projector;
use watchfloor::ops::{attempt, codes, hook, identity, status};
use zeroize::Zeroizing;

const PASSPHRASE: &str = "correct horse";
const BROKEN: &str = "the flux lever of pump 7 broke at /srv/a/b.c:12";
const AGAIN: &str = "the flux lever of pump 7 broke at /srv/a/b.c:99";

struct Desk {
    _folder: TempDir,
    context: Context,
    journal: SqliteStore,
    flags: Flags,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = desk::context(folder.path());
        let (journal, _) = desk::store(&context);
        let flags = Flags::of(&context);
        let mut desk = Self {
            _folder: folder,
            context,
            journal,
            flags,
        };
        identity::init(
            &desk.context,
            "lead@desk",
            Approver::Lead,
            &mut |_| Ok(Zeroizing::new(PASSPHRASE.to_owned())),
            &mut desk.journal,
        )
        .unwrap();
        desk
    }

    fn fail(&mut self, strategy: &str, text: &str) -> Attempt {
        let body = json!({"task_id": format!("T-{strategy}"), "agent": "a1", "role": "maker",
            "hypothesis": "h", "strategy": strategy, "change": {"files": ["x.rs"]},
            "result": "FAIL", "error_signature": text});
        let bytes = body.to_string().into_bytes();
        let input = AttemptInput::parse(&bytes, Defaults::default()).unwrap();
        let (context, journal) = (&self.context, &mut self.journal);
        attempt::record(context, &input, &bytes, journal, &self.flags).unwrap();
        let attempts = self.records("watchfloor.attempt.v1");
        serde_json::from_value(attempts.last().unwrap().clone()).unwrap()
    }

    fn records(&mut self, schema: &str) -> Vec<Value> {
        let page = Page {
            schema: Some(schema.to_owned()),
            limit: 1_000,
            ..Page::default()
        };
        let found = self.journal.read(|read| read.page(&page)).unwrap();
        let bodies = found.iter().map(|record| &record.body);
        bodies
            .map(|body| serde_json::from_str(body).unwrap())
            .collect()
    }

    fn row(&mut self, code: &str) -> watchfloor::contract::row::CodeRow {
        codes::show(code, &mut self.journal).unwrap().row.unwrap()
    }

    fn counts(&mut self) -> (u64, u64) {
        let counts = self.journal.read(|read| status::counts(read)).unwrap();
        (counts.codes_new, counts.codes_due)
    }

    fn alias(&mut self, code: &str, to: &str, passphrase: &str) -> Result<CodeAnswer, Refusal> {
        let request = AliasRequest {
            reason: String::new(),
            code: code.to_owned(),
            to: to.to_owned(),
            principal: None,
        };
        let ask = &mut |_: &str| Ok(Zeroizing::new(passphrase.to_owned()));
        codes::alias(&self.context, &request, ask, &mut self.journal, &self.flags)
    }

    fn promote(&mut self, code: &str, entry: &Entry) -> Result<CodeAnswer, Refusal> {
        let request = PromoteRequest {
            reason: String::new(),
            code: code.to_owned(),
            entry: entry.clone(),
            principal: None,
        };
        let ask = &mut |_: &str| Ok(Zeroizing::new(PASSPHRASE.to_owned()));
        codes::promote(&self.context, &request, ask, &mut self.journal, &self.flags)
    }

    fn undo(&mut self, receipt: &str) -> Result<CodeAnswer, Refusal> {
        let ask = &mut |_: &str| Ok(Zeroizing::new(PASSPHRASE.to_owned()));
        codes::undo(
            &self.context,
            receipt,
            None,
            ask,
            &mut self.journal,
            &self.flags,
        )
    }

    fn classified(&self, text: &str) -> Value {
        let answer = codes::classify(&self.context, text, None, None).unwrap();
        serde_json::to_value(answer).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.context.config.join("failure_codes.json")
    }

    /// The projections are what the records give.
    fn holds(&mut self) {
        let seen = self
            .journal
            .verify_deep(|_| std::ops::ControlFlow::Continue(()));
        assert!(seen.unwrap().first_difference.is_none());
    }
}

fn lever(tokens: &[&str]) -> Entry {
    Entry {
        code: "pump_lever_broken".to_owned(),
        layer: None,
        tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
        cause: "A lever is broken.".to_owned(),
        next_command: "git diff".to_owned(),
        recoverable: true,
        not_this: Vec::new(),
    }
}

#[test]
fn an_unknown_failure_is_new_then_due_and_its_cards_are_written_once() {
    let mut desk = Desk::new();
    let first = desk.fail("A", BROKEN).derived.triage.unwrap();
    let minted = first.minted.clone().unwrap();
    assert_eq!(first.raw, BROKEN);
    assert_ne!(minted.normal, BROKEN, "minted over what repeats");
    assert_eq!(first.code, minted.code);
    assert_eq!(
        (desk.row(&minted.code).state.as_str(), desk.counts()),
        ("new", (1, 0))
    );
    for schema in [CODE_TICKET, EVAL_STUB, CODE_MEMORY] {
        assert_eq!(desk.records(schema).len(), 1, "{schema}");
    }

    let second = desk.fail("B", AGAIN).derived.triage.unwrap();
    assert_eq!(second.code, first.code, "another line is the same failure");
    let row = desk.row(&minted.code);
    assert_eq!(
        (row.state.as_str(), row.count, desk.counts()),
        ("due", 2, (0, 1))
    );
    assert_eq!(
        (row.sample.as_str(), row.task.as_deref()),
        (AGAIN, Some("T-B"))
    );
    assert!(row.signature.unwrap().starts_with("es1:"));
    for schema in [CODE_TICKET, EVAL_STUB, CODE_MEMORY] {
        let cards = desk.records(schema);
        assert_eq!((cards.len(), &cards[0]["code"]), (1, &json!(minted.code)));
    }
    let shown = codes::show(&minted.code, &mut desk.journal).unwrap();
    assert_eq!((shown.cards.len(), shown.samples.len()), (3, 2));
    assert_eq!(shown.samples[0].raw, AGAIN);
    let due = codes::list(&desk.context, true, 0, 10, &mut desk.journal).unwrap();
    assert_eq!(due.codes.len(), 1);
    assert!(due.catalog.holds);
    let context = &desk.context;
    let screen = desk.journal.read(|read| status::status(context, read));
    let screen = screen.unwrap();
    assert_eq!(screen.codes[0].code, minted.code);
    desk.holds();
}

#[test]
fn a_known_failure_carries_its_code_and_is_not_counted() {
    let mut desk = Desk::new();
    let known = desk.fail("A", "write: No space left on device").derived;
    assert_eq!(known.triage.unwrap().code, "disk_full");
    let coloured = "\u{1b}[31merror\u{1b}[0m\u{1b}[1m[E0308]\u{1b}[0m: mismatched types";
    let known = desk.fail("B", coloured).derived.triage.unwrap();
    assert_eq!(
        (known.code.as_str(), known.raw.as_str()),
        ("build_rust_type", coloured)
    );
    // An outcome alone names no cause.
    let weak = desk.fail("C", "Command exited with code 1").derived;
    assert_eq!(weak.triage, None);
    let id = desk.fail("D", "es1:0123456789abcdef").derived;
    assert_eq!(id.triage, None);
    assert_eq!(desk.counts(), (0, 0));
    desk.holds();
}

#[test]
fn secrets_are_taken_out_of_what_is_kept() {
    let mut desk = Desk::new();
    let key = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let text = format!("flux lever says {key}");
    desk.fail("A", &text);
    codes::observe(&desk.context, &text, None, &mut desk.journal).unwrap();
    let all = Page {
        limit: 1_000,
        ..Page::default()
    };
    for record in desk.journal.read(|read| read.page(&all)).unwrap() {
        assert!(
            !record.body.to_lowercase().contains(&key.to_lowercase()),
            "{}",
            record.body
        );
    }
}

#[test]
fn a_component_passes_its_own_signal() {
    let mut desk = Desk::new();
    desk.context.key = Some("k1".to_owned());
    let observe = |desk: &mut Desk, text: &str| {
        codes::observe(&desk.context, text, Some("tau.dag"), &mut desk.journal)
    };
    let first = observe(&mut desk, "novel  GIZMO exploded").unwrap();
    assert_eq!(first.code, "tau_dag_unclassified_868a830f");
    assert_eq!((first.state.as_str(), first.count), ("new", Some(1)));
    assert_eq!(
        observe(&mut desk, "novel  GIZMO exploded").unwrap(),
        first,
        "the same key"
    );
    desk.context.key = None;
    let second = observe(&mut desk, "novel gizmo exploded").unwrap();
    assert_eq!((second.state.as_str(), second.count), ("due", Some(2)));
    assert_eq!(desk.row(&first.code).layer.as_deref(), Some("tau.dag"));
    let known = codes::observe(
        &desk.context,
        "no space left on device",
        None,
        &mut desk.journal,
    );
    let known = known.unwrap();
    assert_eq!(
        (known.code.as_str(), known.state.as_str()),
        ("disk_full", "known")
    );
    for (text, code) in [(" \n", Code::Usage), ("fail", Code::ForbiddenTerminalLabel)] {
        let before = desk.journal.read(|read| read.head()).unwrap().seq;
        assert_eq!(observe(&mut desk, text).unwrap_err().code, code);
        assert_eq!(desk.journal.read(|read| read.head()).unwrap().seq, before);
    }
    desk.holds();
}

#[test]
fn an_alias_is_signed_rendered_and_taken_back() {
    let mut desk = Desk::new();
    let code = desk.fail("A", BROKEN).derived.triage.unwrap().code;
    desk.fail("B", AGAIN);
    let wrong = desk.alias(&code, "disk_full", "wrong").unwrap_err();
    assert_eq!(wrong.code, Code::PassphraseWrong);
    assert_eq!(
        desk.alias(&code, "nothing", PASSPHRASE).unwrap_err().code,
        Code::ContractFault
    );
    assert!(!desk.file().exists(), "nothing is half done");

    let answer = desk.alias(&code, "disk_full", PASSPHRASE).unwrap();
    assert_eq!(
        (answer.state.as_str(), answer.resolves_to.as_deref()),
        ("aliased", Some("disk_full"))
    );
    assert!(answer.catalog.holds, "{:?}", answer.catalog);
    assert_eq!(desk.counts(), (0, 0));
    let file = fs::read(desk.file()).unwrap();
    let loaded = Catalog::parse_user(&file, Catalog::shipped())
        .unwrap()
        .catalog;
    assert_eq!(loaded.aliases[&code], "disk_full");

    // From now on the failure has its name, and is still counted.
    let triage = desk.fail("C", BROKEN).derived.triage.unwrap();
    assert_eq!(
        (triage.code.as_str(), triage.minted.unwrap().code),
        ("disk_full", code.clone())
    );
    assert_eq!(desk.row(&code).count, 3);

    // Somebody else comes later: who and when.
    let late = desk
        .alias(&code, "git_merge_conflict", PASSPHRASE)
        .unwrap_err();
    assert_eq!(late.code, Code::CodeSettled);
    assert!(
        late.cause
            .starts_with(&format!("lead@desk aliased {code} to disk_full at 20"))
    );

    let back = desk.undo(&answer.handle).unwrap();
    assert_eq!((back.state.as_str(), back.resolves_to), ("due", None));
    assert_eq!(desk.counts(), (0, 1));
    let file = fs::read(desk.file()).unwrap();
    assert!(
        Catalog::parse_user(&file, Catalog::shipped())
            .unwrap()
            .catalog
            .aliases
            .is_empty()
    );
    assert_eq!(
        desk.undo(&answer.receipt_id).unwrap_err().code,
        Code::CodeSettled
    );
    assert_eq!(
        desk.undo(&back.receipt_id).unwrap_err().code,
        Code::NotFound
    );
    let decisions = codes::show(&code, &mut desk.journal).unwrap().decisions;
    assert_eq!(
        decisions[0].undone.as_ref().map(|u| u.by.as_str()),
        Some("lead@desk")
    );
    let receipts = desk.records("pi.receipt_envelope.v1");
    let schemas: Vec<&str> = receipts
        .iter()
        .filter_map(|r| r["payload_schema"].as_str())
        .collect();
    assert_eq!(schemas, [ALIAS, UNDO]);
    desk.holds();
}

#[test]
fn a_promotion_becomes_an_entry_before_the_shipped_ones() {
    let mut desk = Desk::new();
    let code = desk.fail("A", BROKEN).derived.triage.unwrap().code;
    let refused = desk
        .promote(&code, &lever(&["lever.*broke", " "]))
        .unwrap_err();
    let faults: Vec<&str> = refused.faults.iter().map(|f| f.code.as_str()).collect();
    assert_eq!(faults, ["empty_token", "dead_token", "signal_missed"]);
    let before =
        codes::preview_promotion(&code, &lever(&["flux lever"]), &mut desk.journal).unwrap();
    assert_eq!(
        (before.caught, before.changed, before.faults.len()),
        (1, 1, 0)
    );
    assert_eq!(
        (&before.changes[0].now, &before.changes[0].then),
        (&code, &before.to)
    );

    let answer = desk.promote(&code, &lever(&["flux lever"])).unwrap();
    assert_eq!(
        (answer.state.as_str(), answer.resolves_to.as_deref()),
        ("promoted", Some("pump_lever_broken"))
    );
    let found = desk.classified("no space left on device near the FLUX lever");
    assert_eq!(found["code"], "pump_lever_broken");
    let triage = desk.fail("B", AGAIN).derived.triage.unwrap();
    assert_eq!(
        (triage.code.as_str(), triage.minted),
        ("pump_lever_broken", None)
    );
    let shown = codes::show("pump_lever_broken", &mut desk.journal).unwrap();
    assert_eq!(
        (shown.entry_from.unwrap(), shown.aliases),
        (answer.receipt_id.clone(), vec![code.clone()])
    );

    // What leans on it is named before it goes.
    let other = desk
        .fail("C", "the brass wheel of pump 9 cracked")
        .derived
        .triage
        .unwrap()
        .code;
    let alias = desk.alias(&other, "pump_lever_broken", PASSPHRASE).unwrap();
    let leaning = desk.undo(&answer.receipt_id).unwrap_err();
    assert_eq!(leaning.code, Code::TransitionForbidden);
    assert!(leaning.cause.contains(&other), "{}", leaning.cause);
    desk.undo(&alias.receipt_id).unwrap();
    desk.undo(&answer.receipt_id).unwrap();
    assert_eq!(desk.row(&code).state, "new");
    assert_eq!(
        desk.classified("no space left on device near the flux lever")["code"],
        "disk_full"
    );
    assert_eq!(
        desk.records("pi.receipt_envelope.v1")[0]["payload_schema"],
        PROMOTION
    );
    desk.holds();
}

/// Both sign what they saw; the one who comes second in the journal is refused.
#[test]
fn of_two_who_promote_at_once_one_wins() {
    let mut desk = Desk::new();
    let code = desk.fail("A", BROKEN).derived.triage.unwrap().code;
    let mut second = sqlite::open(&desk.context.store, Arc::new(Projector)).unwrap();
    let request = PromoteRequest {
        reason: String::new(),
        code: code.clone(),
        entry: lever(&["flux lever"]),
        principal: None,
    };
    let (context, flags) = (desk.context.clone(), Flags::of(&desk.context));
    let mut inner = None;
    // While the first one types the passphrase, the second one decides.
    let outer = codes::promote(
        &context,
        &request,
        &mut |_| {
            let ask = &mut |_: &str| Ok(Zeroizing::new(PASSPHRASE.to_owned()));
            inner = Some(codes::promote(&context, &request, ask, &mut second, &flags));
            Ok(Zeroizing::new(PASSPHRASE.to_owned()))
        },
        &mut desk.journal,
        &flags,
    );
    assert!(inner.unwrap().is_ok());
    let refused = outer.unwrap_err();
    assert_eq!(refused.code, Code::CodeSettled);
    assert!(
        refused.cause.contains("lead@desk promoted"),
        "{}",
        refused.cause
    );
    assert_eq!(
        desk.records("pi.receipt_envelope.v1").len(),
        1,
        "and nothing trips"
    );
    desk.holds();
}

#[test]
fn a_file_that_was_edited_is_never_written_over() {
    let mut desk = Desk::new();
    let code = desk.fail("A", BROKEN).derived.triage.unwrap().code;
    let answer = desk.alias(&code, "disk_full", PASSPHRASE).unwrap();
    let rendered = fs::read_to_string(desk.file()).unwrap();
    let edited = rendered.replace("disk_full", "git_merge_conflict");
    for bytes in [
        edited.as_bytes(),
        b"{ broken",
        rendered.replace("\n  ", "\n ").as_bytes(),
    ] {
        fs::write(desk.file(), bytes).unwrap();
        let told = codes::rendered(&desk.context, &mut desk.journal).unwrap();
        assert!(!told.holds);
        assert_eq!(
            told.next_command.as_deref(),
            Some("watchfloor triage render --replace")
        );
        for refused in [
            desk.undo(&answer.receipt_id).unwrap_err(),
            codes::render(&desk.context, false, &mut desk.journal).unwrap_err(),
        ] {
            assert_eq!(refused.code, Code::CatalogEdited);
            assert!(
                refused.cause.contains("edited by hand"),
                "{}",
                refused.cause
            );
        }
        assert_eq!(fs::read(desk.file()).unwrap(), bytes, "every byte stays");
        assert_eq!(desk.row(&code).state, "aliased");
        let kept = codes::render(&desk.context, true, &mut desk.journal).unwrap();
        assert_eq!(fs::read(kept.kept.unwrap()).unwrap(), bytes);
        assert_eq!(fs::read_to_string(desk.file()).unwrap(), rendered);
    }
    fs::write(desk.file(), edited).unwrap();
    let told = codes::rendered(&desk.context, &mut desk.journal).unwrap();
    assert!(
        told.cause
            .unwrap()
            .contains(&format!("the alias {code} differs"))
    );
    // What stands in a file alone decides nothing about an attempt.
    let triage = desk.fail("B", BROKEN).derived.triage.unwrap();
    assert_eq!(triage.code, "disk_full");
    // A file that is only older is brought up to date.
    codes::render(&desk.context, true, &mut desk.journal).unwrap();
    let old = fs::read(desk.file()).unwrap();
    desk.undo(&answer.receipt_id).unwrap();
    fs::write(desk.file(), old).unwrap();
    assert!(
        !codes::rendered(&desk.context, &mut desk.journal)
            .unwrap()
            .holds
    );
    assert!(
        codes::render(&desk.context, false, &mut desk.journal)
            .unwrap()
            .holds
    );
}

#[test]
fn the_bench_shows_what_naming_needs() {
    let mut desk = Desk::new();
    let code = desk
        .fail("A", "the flux lever of the old pump broke in two")
        .derived
        .triage
        .unwrap()
        .code;
    let near = desk
        .fail("B", "the flux lever of the new pump broke in two")
        .derived
        .triage
        .unwrap()
        .code;
    desk.fail("C", "the sky turned green over the harbour");
    assert_ne!(code, near);
    let bench = codes::bench(&desk.context, &code, &mut desk.journal).unwrap();
    let names: Vec<&str> = bench.near.iter().map(|near| near.code.as_str()).collect();
    assert_eq!(names, [near.as_str()]);
    assert!(bench.near[0].alike >= 50);
    assert_eq!(bench.signers, ["lead@desk"]);
    assert_eq!(
        bench.draft.tokens,
        ["the flux lever of the old pump broke in two"]
    );
    assert_eq!(bench.shown.samples.len(), 1);
    let missing = codes::bench(&desk.context, "x_unclassified_00000000", &mut desk.journal);
    assert_eq!(missing.unwrap_err().code, Code::NotFound);
}

fn tool(desk: &Desk, command: &str, text: &str) -> HookEvent {
    let caller = Caller {
        harness: "claude".to_owned(),
        session: "s1".to_owned(),
        subagent: None,
        cwd: desk.context.cwd.display().to_string(),
    };
    HookEvent::After(ToolResult {
        call: ToolCall {
            caller,
            tool: "Bash".to_owned(),
            call_id: None,
            act: Act::Shell(command.to_owned()),
            input: command.to_owned(),
        },
        outcome: CallOutcome::Failed,
        exit_code: Some(1),
        text: text.to_owned(),
    })
}

#[test]
fn a_failing_check_that_a_hook_sees_is_counted_once() {
    let mut desk = Desk::new();
    let event = tool(&desk, "cargo test", BROKEN);
    assert_eq!(
        hook::answer(&desk.context, &event, || None),
        HookAnswer::Allow
    );
    let list = codes::list(&desk.context, false, 0, 10, &mut desk.journal).unwrap();
    assert_eq!((list.codes.len(), list.codes[0].count), (1, 1));
    // What is no check is no failure of the work.
    let event = tool(&desk, "ls nowhere-at-all", "exit 2");
    assert_eq!(
        hook::answer(&desk.context, &event, || None),
        HookAnswer::Allow
    );
    assert_eq!(desk.counts(), (1, 0));
    desk.holds();
}
