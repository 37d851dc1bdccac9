//! What moments come to.

use crate::contract::ids::ProjectId;
use crate::contract::limits::Limits;
use crate::contract::observed::{CallFact, Fact, Moment, ReturnFact, UsageFact};
use crate::contract::tool::{Act, Caller};
use crate::ops::context::Context;

use super::{Life, Session, Who};

fn session() -> Session {
    let context = Context {
        store: "/nowhere/store.db".into(),
        project: ProjectId::new("/p"),
        root: "/p".into(),
        cwd: "/p".into(),
        agent: None,
        mission: None,
        task: None,
        key: None,
        config: "/nowhere".into(),
        limits: Limits::default(),
        guard: crate::ops::context::GuardGround::default(),
        inside_agent: false,
        host: String::new(),
        ancestors: Vec::new(),
        brief: false,
    };
    let caller = Caller {
        harness: "claude".to_owned(),
        session: "s".to_owned(),
        subagent: None,
        cwd: "/p".to_owned(),
    };
    let file = "/t.jsonl".to_owned();
    Session::new(Who { caller, file }, context)
}

struct Play {
    session: Session,
    at: u64,
}

impl Play {
    fn fact(&mut self, fact: Fact) {
        self.at += 1;
        let at_us = Some(i64::try_from(self.at).unwrap() * 1_000_000);
        self.session.take(&Moment { at_us, fact }, self.at);
    }

    fn call(&mut self, act: Act, content: &str, failed: bool, text: &str) {
        let id = format!("c{}", self.at);
        let edits = match &act {
            Act::Edit(files) => files
                .iter()
                .map(|f| (f.clone(), content.to_owned()))
                .collect(),
            _ => Vec::new(),
        };
        let tool = "T".to_owned();
        self.fact(Fact::Called(CallFact {
            id: id.clone(),
            tool,
            act,
            edits,
        }));
        let exit_code = failed.then_some(1);
        let text = text.to_owned();
        self.fact(Fact::Returned(ReturnFact {
            id,
            failed,
            exit_code,
            text,
        }));
    }

    /// Writes a file, and runs its check.
    fn cycle(&mut self, content: &str, failure: Option<&str>) {
        self.call(Act::Edit(vec!["src/a.rs".to_owned()]), content, false, "");
        let check = Act::Shell("cargo test".to_owned());
        self.call(check, "", failure.is_some(), failure.unwrap_or("ok"));
    }

    fn findings(&self) -> Vec<String> {
        self.session.observed(0, Life::Unknown).findings
    }
}

fn play() -> Play {
    Play {
        session: session(),
        at: 0,
    }
}

const ONE: &str = "error[E0308]: mismatched types\n --> src/a.rs:1:1";
const TWO: &str = "error[E0425]: cannot find value `x` in this scope\n --> src/a.rs:2:2";

#[test]
fn the_same_failure_three_times_is_found_and_progress_ends_it() {
    let mut play = play();
    play.cycle("a", Some(ONE));
    assert_eq!(play.findings(), [] as [String; 0]);
    play.cycle("b", Some(ONE));
    play.cycle("c", Some(ONE));
    let found = play.findings();
    assert!(found.iter().any(|name| name == "retry"), "{found:?}");
    let failure = play.session.observed(0, Life::Unknown).failure.unwrap();
    assert!(failure.line.starts_with("error[E0308]"));
    play.cycle("d", None);
    assert_eq!(play.findings(), [] as [String; 0]);
}

#[test]
fn going_to_and_fro_between_two_contents_is_found() {
    let mut play = play();
    for (content, failure) in [("a", ONE), ("b", TWO), ("a", ONE), ("b", TWO)] {
        play.cycle(content, Some(failure));
    }
    let found = play.findings();
    assert!(found.iter().any(|name| name == "oscillation"), "{found:?}");
}

#[test]
fn a_result_that_is_told_twice_counts_once_and_one_without_a_call_not_at_all() {
    let mut play = play();
    play.call(Act::Shell("make".to_owned()), "", true, "boom");
    for id in ["c0", "other", ""] {
        play.fact(Fact::Returned(ReturnFact {
            id: id.to_owned(),
            failed: true,
            exit_code: None,
            text: String::new(),
        }));
    }
    let steps = play.session.observed(0, Life::Unknown).steps;
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert_eq!(steps[0].what, "T make (failed, exit 1)");
    assert_eq!(steps[0].failed, Some(true));
}

#[test]
fn usage_of_one_answer_is_counted_once_however_often_it_is_repeated() {
    let mut play = play();
    for (key, tokens) in [
        ("m1", 10),
        ("m1", 15),
        ("m1", 15),
        ("m2", 5),
        ("", 1),
        ("", 1),
    ] {
        play.fact(Fact::Usage(UsageFact {
            key: key.to_owned(),
            tokens,
            context: tokens,
            cost_microusd: Some(2),
        }));
    }
    let seen = play.session.observed(0, Life::Unknown);
    assert_eq!(
        (seen.tokens, seen.context, seen.cost_microusd),
        (Some(22), Some(1), Some(8))
    );
}

#[test]
fn the_state_follows_the_turn_the_process_and_time() {
    let mut play = play();
    play.fact(Fact::Prompt("go".to_owned()));
    let state =
        |play: &Play, now_s: i64, life| play.session.observed(now_s * 1_000_000, life).state;
    assert_eq!(state(&play, 2, Life::Unknown), "working");
    assert_eq!(state(&play, 900, Life::Unknown), "ended");
    assert_eq!(state(&play, 900, Life::Process(7)), "working");
    play.fact(Fact::TurnEnded);
    assert_eq!(state(&play, 900, Life::Process(7)), "idle");
    play.fact(Fact::Ended);
    assert_eq!(state(&play, 3, Life::Process(7)), "ended");
    play.fact(Fact::Prompt("again".to_owned()));
    assert_eq!(state(&play, 3, Life::Process(7)), "working");
}

#[test]
fn texts_are_in_one_line_without_secrets_and_without_orders_to_a_terminal() {
    let mut play = play();
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    play.fact(Fact::Prompt(format!(
        "use {token}\n\u{1b}[31mnow {}",
        "x".repeat(500)
    )));
    let seen = play.session.observed(0, Life::Unknown);
    let title = seen.title.unwrap();
    assert!(!title.contains("ghp_aB3") && !title.contains('\u{1b}') && !title.contains('\n'));
    assert!(title.chars().count() <= 160);
}

#[test]
fn nothing_new_is_not_told_again() {
    let mut play = play();
    play.fact(Fact::Prompt("go".to_owned()));
    let told = play.session.tell(2_000_000, Life::Unknown).unwrap();
    assert_eq!(told.steps.len(), 1);
    play.session.was_told(told);
    assert_eq!(play.session.tell(3_000_000, Life::Unknown), None);
    let ended = play.session.tell(900_000_000, Life::Unknown).unwrap();
    assert_eq!((ended.state.as_str(), ended.steps.len()), ("ended", 0));
}
