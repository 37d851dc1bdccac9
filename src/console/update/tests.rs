//! Tables and properties of `update`, driven through a session without a terminal.

use crossterm::event::{Event as Raw, KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::*;
use crate::console::backend::Backend as _;
use crate::console::commands::{COMMANDS, Id, Scope};
use crate::console::event::{Mouse, Reply};
use crate::console::fake::FakeBackend;
use crate::console::form::{Form, Name, Subject, Submission};
use crate::console::keymap::Key;
use crate::console::model::{Focus, Overlay, Start};
use crate::console::session::Session;
use crate::contract::guard::Grantable;

const NOW: i64 = 1_796_047_330_000_000;
const PASSPHRASE: &str = "correct horse";

fn begin() -> Start {
    Start {
        now_us: NOW,
        size: (80, 24),
        ..Start::default()
    }
}

fn full() -> Session<FakeBackend> {
    Session::new(begin(), FakeBackend::full(NOW))
}

fn press(session: &mut Session<FakeBackend>, chord: Chord) {
    let at_us = session.model.now_us();
    session.feed(Event::Key { chord, at_us });
}

fn keys(session: &mut Session<FakeBackend>, text: &str) {
    for c in text.chars() {
        press(session, Chord::char(c));
    }
}

fn code(session: &mut Session<FakeBackend>, code: KeyCode) {
    session.input(Raw::Key(KeyEvent::new(code, KeyModifiers::NONE)));
}

fn typed(session: &mut Session<FakeBackend>, text: &str) {
    for c in text.chars() {
        code(session, KeyCode::Char(c));
    }
}

fn reset(session: &Session<FakeBackend>) -> &Form {
    match &session.model.overlay {
        Some(Overlay::Form(form)) => form,
        other => panic!("the form is open, not {other:?}"),
    }
}

/// Opens the form of the first breaker and fills in all but the passphrase.
fn filled() -> Session<FakeBackend> {
    let mut session = full();
    keys(&mut session, "3R");
    assert_eq!(reset(&session).focus, Name::Cancel);
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    for text in [
        "the script printed its environment",
        "masked",
        "deploy.sh r-20f1",
    ] {
        typed(&mut session, text);
        code(&mut session, KeyCode::Enter);
    }
    assert_eq!(reset(&session).focus, Name::GoTo);
    typed(&mut session, "  ");
    code(&mut session, KeyCode::Down);
    assert_eq!(reset(&session).focus, Name::Passphrase);
    session
}

fn submit(session: &mut Session<FakeBackend>) {
    code(session, KeyCode::Tab);
    code(session, KeyCode::Right);
    assert_eq!(reset(session).focus, Name::Submit);
    code(session, KeyCode::Enter);
}

/// What a person sees of a model, so that a key that did nothing is noticed.
fn seen(session: &Session<FakeBackend>) -> String {
    let model = &session.model;
    let list = model.list();
    format!(
        "{:?} {:?} {} {} {:?} {:?} {:?} {} {} {:?} {:?}",
        model.pane,
        model.focus,
        list.selected,
        model.detail.scroll,
        list.sort,
        list.marks,
        model.overlay.as_ref().map(std::mem::discriminant),
        model.typing,
        model.paused,
        model.message,
        session.copied
    )
}

#[test]
fn every_command_acts_or_names_its_reason_in_every_pane() {
    let stores: [fn() -> FakeBackend; 3] = [
        || FakeBackend::empty(NOW),
        || FakeBackend::full(NOW),
        || FakeBackend {
            readonly: Some("opened read-only".to_owned()),
            ..FakeBackend::full(NOW)
        },
    ];
    let heard = [Scope::Body, Scope::Move, Scope::Watch, Scope::Always];
    for store in stores {
        for pane in PaneKind::ALL {
            for command in COMMANDS.iter().filter(|c| heard.contains(&c.scope)) {
                if !command.panes.is_empty() && !command.panes.contains(&pane) {
                    continue;
                }
                let mut session = Session::new(begin(), store());
                go(&mut session.model, pane);
                session.feed(Event::StoreChanged);
                let before = seen(&session);
                let reason = (command.disabled_reason)(&session.model);
                let meant = crate::console::keymap::command(&session.model, command.chords[0]);
                if meant.unwrap().name != command.name {
                    // Promote in Codes: pause has no key there, and the palette has it.
                    assert_eq!((command.id, pane), (Id::Pause, PaneKind::Codes));
                    continue;
                }
                press(&mut session, command.chords[0]);
                let said = session.model.message.as_ref().map(|m| m.text.clone());
                let place = format!("{} in {pane:?}", command.name);
                match reason {
                    Some(reason) if command.id != Id::Back => {
                        assert!(said.unwrap().contains(&reason), "{place}");
                    }
                    Some(_) => assert_eq!(said, None),
                    None => acted(&session, command, &before, &place),
                }
                assert_eq!(session.ended, command.id == Id::Quit);
                assert_eq!(session.writes, 0, "{place}");
            }
        }
    }
}

/// Whether a command that was possible changed something that a person sees.
fn acted(
    session: &Session<FakeBackend>,
    command: &crate::console::commands::Command,
    before: &str,
    place: &str,
) {
    let list = session.model.list();
    let end = session.model.total().saturating_sub(1);
    let idle = match command.id {
        // These go outside of the model.
        Id::Quit | Id::Suspend | Id::Repaint => true,
        // At the end of a list there is no further row; the first pane is there already.
        Id::Down | Id::HalfDown | Id::PageDown | Id::End => list.selected == end,
        Id::Up | Id::HalfUp | Id::PageUp | Id::Home => list.selected == 0,
        Id::Pane(pane) => session.model.pane == pane,
        // Following is on at the start, and its own state.
        Id::Follow => !session.model.follow,
        _ => false,
    };
    assert!(idle || seen(session) != before, "{place} did nothing");
}

#[test]
fn every_command_of_a_window_acts_or_names_its_reason() {
    for (open, scope) in [
        ("3R", Scope::Form),
        (":", Scope::Palette),
        ("t", Scope::Triage),
        ("3/", Scope::Filter),
        ("7o", Scope::Going),
        ("7od", Scope::Diff),
    ] {
        for command in COMMANDS.iter().filter(|c| c.scope == scope) {
            for chord in command.chords {
                let mut session = full();
                keys(&mut session, open);
                let meant = crate::console::keymap::command(&session.model, *chord);
                assert_eq!(meant.unwrap().name, command.name);
                press(&mut session, *chord);
                assert_eq!(session.writes, 0, "{}", command.name);
            }
        }
    }
}

#[test]
fn a_reset_is_signed_and_shown_only_as_the_store_tells_it() {
    let mut session = filled();
    typed(&mut session, PASSPHRASE);
    assert!(reset(&session).sealed);
    submit(&mut session);
    let written = session.backend.resets.clone();
    assert_eq!(written.len(), 1);
    assert_eq!(written[0].evidence, ["deploy.sh", "r-20f1"]);
    assert_eq!(
        written[0].to,
        Some(crate::contract::mission::MissionState::Active)
    );
    assert!(session.model.overlay.is_none());
    assert!(
        session
            .model
            .message
            .as_ref()
            .unwrap()
            .text
            .contains("r-20f1")
    );
}

#[test]
fn what_is_written_is_not_shown_before_it_was_read_back() {
    let mut model = filled().model;
    if let Some(Overlay::Form(form)) = &mut model.overlay {
        form.sealed = true;
        form.focus = Name::Submit;
    }
    let enter = Event::Key {
        chord: Chord::of(Key::Enter),
        at_us: NOW,
    };
    let effects = update(&mut model, enter.clone());
    assert!(effects.iter().any(|e| matches!(e, Effect::Submit(_))));
    assert_eq!(
        model.snapshot.breakers.as_ref().unwrap().rows[0].state,
        "open"
    );
    assert!(
        update(&mut model, enter).iter().all(|e| !e.writes()),
        "keys wait"
    );
}

#[test]
fn cancel_and_esc_write_nothing() {
    for leave in [KeyCode::Esc, KeyCode::Enter] {
        let mut session = filled();
        typed(&mut session, PASSPHRASE);
        code(&mut session, KeyCode::Tab);
        assert_eq!(reset(&session).focus, Name::Cancel);
        code(&mut session, leave);
        assert!(session.model.overlay.is_none());
        assert!(session.backend.resets.is_empty());
        // The passphrase is gone: the form opened again has none.
        keys(&mut session, "R");
        assert!(!reset(&session).sealed);
    }
}

#[test]
fn a_wrong_passphrase_loses_nothing_but_itself() {
    let mut session = filled();
    typed(&mut session, "wrong");
    submit(&mut session);
    let form = reset(&session);
    assert!(form.message.as_ref().unwrap().contains("passphrase"));
    assert_eq!(form.text(Name::Cause), "the script printed its environment");
    assert_eq!(
        (form.sealed, form.sending, form.focus),
        (false, false, Name::Passphrase)
    );
    assert!(session.backend.resets.is_empty());
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    assert_eq!(session.backend.resets.len(), 1);
}

#[test]
fn whatever_refuses_a_form_nothing_typed_is_lost() {
    let mut session = filled();
    typed(&mut session, PASSPHRASE);
    session.backend.broken = true;
    submit(&mut session);
    let form = reset(&session);
    assert!(form.message.as_ref().unwrap().contains("did not answer"));
    // Not on Cancel: the next Enter would leave it.
    assert_eq!((form.sealed, form.focus), (false, Name::Passphrase));
    assert_eq!(form.text(Name::Cause), "the script printed its environment");
    session.backend.broken = false;
    // Retyped, and an Enter too many: past the field, and on the button that leaves.
    typed(&mut session, PASSPHRASE);
    code(&mut session, KeyCode::Enter);
    code(&mut session, KeyCode::Enter);
    assert!(session.model.overlay.is_none() && session.backend.resets.is_empty());
    keys(&mut session, "R");
    let form = reset(&session);
    assert_eq!((form.sealed, form.focus), (false, Name::Cancel));
    for (name, text) in [
        (Name::Cause, "the script printed its environment"),
        (Name::Fix, "masked"),
        (Name::Evidence, "deploy.sh r-20f1"),
    ] {
        assert_eq!(form.text(name), text);
    }
    assert_eq!(form.chosen(Name::GoTo), reset(&filled()).chosen(Name::GoTo));
    assert!(form.chosen(Name::GoTo).is_some());
    // Another breaker's form is its own.
    code(&mut session, KeyCode::Esc);
    keys(&mut session, "jR");
    assert_eq!(reset(&session).text(Name::Cause), "");
    code(&mut session, KeyCode::Esc);
    keys(&mut session, "kR");
    assert_eq!(reset(&session).text(Name::Fix), "masked");
    code(&mut session, KeyCode::BackTab);
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    assert_eq!(session.backend.resets.len(), 1);
    // What was written is no draft any more.
    assert!(session.model.drafts.is_empty());
}

#[test]
fn every_form_goes_on_where_it_was_refused() {
    use crate::console::form::Subject;
    let id = String::new;
    for (subject, focus) in [
        (Subject::Reset(vec![id()]), Name::Passphrase),
        (Subject::Decide(id()), Name::Passphrase),
        (Subject::Alias(id()), Name::Passphrase),
        (Subject::Promote(id()), Name::Passphrase),
        (Subject::Grant(PaneKind::Log, id()), Name::Passphrase),
        (Subject::Message(id()), Name::Message),
        (Subject::Pause(id()), Name::Reason),
    ] {
        let form = Form::new(subject, NOW);
        assert_eq!(form.resume(), focus);
        assert!(form.shown().any(|field| field.name == focus));
        // What stands there from the start was not typed.
        assert!(form.draft_of().is_none(), "{:?}", form.subject);
    }
}

#[test]
fn missing_fields_are_named() {
    let mut session = full();
    keys(&mut session, "3R");
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Enter);
    let form = reset(&session);
    let said = form.message.clone().unwrap();
    for name in ["cause", "fixed", "evidence", "go to", "passphrase"] {
        assert!(said.contains(name), "{said}");
    }
    assert_eq!(form.focus, Name::Cause);
}

#[test]
fn a_task_breaker_has_no_state_to_go_to() {
    let mut session = full();
    keys(&mut session, "3jR");
    assert!(!reset(&session).shown().any(|f| f.name == Name::GoTo));
}

#[test]
fn the_passphrase_is_in_no_event_model_or_effect() {
    let mut session = filled();
    typed(&mut session, "zzqx");
    session.input(Raw::Paste("zzqx".to_owned()));
    let before_debug = format!("{:?}", session.model);
    submit(&mut session);
    let told = format!(
        "{before_debug}{:?}{:?}{}",
        session.model,
        session.tape,
        serde_json::to_string(&session.tape).unwrap()
    );
    assert!(!told.contains("zzqx") && !told.contains("Char('q')"));
    let masked = session
        .tape
        .iter()
        .filter(|e| matches!(e, Event::Masked(_)))
        .count();
    assert_eq!(masked, 1, "the tape does not tell the length");
}

#[test]
fn suspending_wipes_the_passphrase_and_keeps_the_rest() {
    let mut session = filled();
    typed(&mut session, PASSPHRASE);
    session.feed(Event::Signal(Signal::Suspend));
    session.feed(Event::Signal(Signal::Resumed));
    assert!(!reset(&session).sealed);
    assert_eq!(reset(&session).text(Name::Fix), "masked");
    submit(&mut session);
    assert!(session.backend.resets.is_empty());
}

#[test]
fn two_bangs_within_a_second_stop_the_fleet() {
    let bang = |session: &mut Session<FakeBackend>, at_us| {
        let chord = Chord::char('!');
        session.feed(Event::Key { chord, at_us });
    };
    let mut session = full();
    bang(&mut session, NOW);
    bang(&mut session, NOW + 1_500_000);
    assert!(session.backend.stops.is_empty(), "too slow");
    keys(&mut session, "j");
    bang(&mut session, NOW + 1_600_000);
    assert!(session.backend.stops.is_empty(), "a key between");
    assert_eq!(session.model.wake_us(), NOW + 2_600_001);
    session.feed(Event::Tick {
        at_us: NOW + 2_700_000,
    });
    assert_eq!(session.model.message, None);
    bang(&mut session, NOW + 3_000_000);
    bang(&mut session, NOW + 3_900_000);
    assert_eq!(session.backend.stops.len(), 1);
    bang(&mut session, NOW + 4_000_000);
    assert_eq!(session.backend.stops.len(), 1, "a third is a first again");
}

#[test]
fn a_selection_stays_on_its_row_when_rows_come_in_above() {
    let mut session = full();
    keys(&mut session, "3j");
    let id = session.model.target();
    let first = session.backend.breakers[0].clone();
    session.backend.breakers.insert(
        0,
        crate::contract::row::BreakerRow {
            id: "new".to_owned(),
            ..first
        },
    );
    session.feed(Event::StoreChanged);
    assert_eq!(session.model.target(), id);
    assert_eq!(session.model.list().selected, 2);
}

#[test]
fn the_log_follows_until_one_moves() {
    let mut session = full();
    keys(&mut session, "8");
    session.backend.records += 10;
    session.feed(Event::StoreChanged);
    assert_eq!(session.model.list().selected, 0);
    keys(&mut session, "jj");
    let id = session.model.target();
    session.backend.records += 5000;
    session.feed(Event::StoreChanged);
    assert_eq!(
        session.model.target(),
        id,
        "the row is the same, 5000 rows further down"
    );
    keys(&mut session, "f");
    assert_eq!(session.model.list().selected, 0);
}

#[test]
fn only_visible_rows_are_asked_for() {
    let mut session = full();
    session.backend.records = 1_000_000;
    keys(&mut session, "8");
    press(&mut session, Chord::of(Key::End));
    let want = want(&session.model);
    let log = want.log.unwrap();
    assert_eq!(
        (log.offset, log.limit),
        (
            1_000_000 - log.limit,
            usize::from(session.model.plan().rows.height)
        )
    );
    assert!(want.breakers.is_none() && want.tasks.is_none() && want.agents.is_none());
    assert_eq!(session.model.list().selected, 999_999);
    assert!(session.model.target().is_some());
}

#[test]
fn enter_and_esc_go_in_and_out() {
    let mut session = full();
    code(&mut session, KeyCode::Enter);
    assert_eq!(
        (session.model.pane, session.model.focus),
        (PaneKind::Breakers, Focus::Detail)
    );
    code(&mut session, KeyCode::Esc);
    assert_eq!(session.model.focus, Focus::List);
    keys(&mut session, "/osc");
    code(&mut session, KeyCode::Enter);
    assert_eq!(session.model.total(), 1);
    code(&mut session, KeyCode::Esc);
    assert_eq!(session.model.total(), 3);
    code(&mut session, KeyCode::Esc);
    assert_eq!(session.model.pane, PaneKind::Overview);
    keys(&mut session, "q");
    assert!(session.ended);
}

/// Fills in a form's fields from the first on, Enter after each, and signs.
fn fill(session: &mut Session<FakeBackend>, texts: &[&str]) {
    code(session, KeyCode::Tab);
    code(session, KeyCode::Tab);
    for text in texts {
        typed(session, text);
        code(session, KeyCode::Enter);
    }
    assert_eq!(reset(session).focus, Name::Passphrase);
    typed(session, PASSPHRASE);
    submit(session);
}

#[test]
fn an_escalated_handoff_is_decided() {
    let mut session = full();
    keys(&mut session, "hjd");
    assert!(session.model.overlay.is_none(), "an open one is not");
    assert!(
        session
            .model
            .message
            .as_ref()
            .unwrap()
            .text
            .contains("escalated")
    );
    keys(&mut session, "kd");
    fill(&mut session, &["yes, rotate it", "it is mine"]);
    assert!(session.model.overlay.is_none());
    let Submission::Decide(request) = &session.backend.signed[0] else {
        panic!("a decision");
    };
    assert_eq!(request.decision, "yes, rotate it");
    assert_eq!(request.handoff_id, "018f-h-44aa");
}

#[test]
fn an_agent_is_paused_with_a_reason_and_a_stopped_one_leads_to_its_breaker() {
    let mut session = full();
    keys(&mut session, "7");
    code(&mut session, KeyCode::Home);
    keys(&mut session, "x");
    assert!(session.model.overlay.is_none());
    assert_eq!(session.model.pane, PaneKind::Breakers);
    assert_eq!(session.model.list().filter.value(), "b-41c9");
    keys(&mut session, "7jx");
    assert_eq!(reset(&session).focus, Name::Cancel);
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Enter);
    assert!(session.backend.signed.is_empty(), "no reason, no stop");
    typed(&mut session, "wrong branch");
    code(&mut session, KeyCode::Enter);
    let Submission::Pause(request) = &session.backend.signed[0] else {
        panic!("a pause");
    };
    assert_eq!(request.reason, "wrong branch");
    let said = &session.model.message.as_ref().unwrap().text;
    assert!(said.contains(&request.agent), "{said}");
    assert!(said.contains("b-9d01"), "{said}");
}

#[test]
fn a_refused_call_is_let_through_once() {
    let mut session = full();
    keys(&mut session, "7G");
    assert_eq!(reset(&session).focus, Name::Cancel);
    assert_eq!(reset(&session).chosen(Name::Opens), Some("this call, once"));
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Enter);
    assert_eq!(session.writes, 0, "nobody said why, and nobody signed");
    let said = reset(&session).message.clone().unwrap();
    assert!(said.contains("reason, passphrase"), "{said}");
    code(&mut session, KeyCode::BackTab);
    code(&mut session, KeyCode::BackTab);
    assert_eq!(reset(&session).focus, Name::Opens);
    code(&mut session, KeyCode::Enter);
    code(&mut session, KeyCode::Enter);
    typed(&mut session, "it only looks");
    code(&mut session, KeyCode::Enter);
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    let Submission::Grant(request) = &session.backend.signed[0] else {
        panic!("a grant");
    };
    assert!(matches!(&request.opens, Grantable::Call(_)));
    assert_eq!(
        (request.minutes, request.reason.as_str()),
        (60, "it only looks")
    );
    assert_eq!(request.refused_id, "018f-00004811");
    let said = &session.model.message.as_ref().unwrap().text;
    for words in [
        "r-5a17 lets this call once through",
        "b-41c9 must be reset too: b, then R",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(session.writes, 1);
}

#[test]
fn what_was_typed_for_a_grant_is_there_again_wherever_it_is_opened() {
    let mut session = full();
    keys(&mut session, "7G");
    code(&mut session, KeyCode::Esc);
    let said = &session.model.message.as_ref().unwrap().text;
    assert_eq!(said, "cancelled; nothing was written", "nothing was typed");
    keys(&mut session, "G");
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Right);
    code(&mut session, KeyCode::Enter);
    code(&mut session, KeyCode::Enter);
    typed(&mut session, "release day");
    code(&mut session, KeyCode::Enter);
    typed(&mut session, "wrong");
    submit(&mut session);
    assert_eq!(reset(&session).focus, Name::Passphrase);
    code(&mut session, KeyCode::Esc);
    keys(&mut session, "3G");
    let form = reset(&session);
    assert_eq!(form.text(Name::Reason), "release day");
    assert_eq!(form.chosen(Name::Opens), Some("the host"));
    assert_eq!((form.sealed, form.focus), (false, Name::Cancel));
    assert!(session.backend.signed.is_empty());
}

#[test]
fn a_host_is_let_through_for_as_long_as_is_said() {
    let mut session = full();
    // From the breaker that the call opened.
    keys(&mut session, "3G");
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Right);
    let host = Grantable::Host("build.example.org".to_owned());
    assert_eq!(reset(&session).opens(), Some(&host));
    code(&mut session, KeyCode::Enter);
    for (minutes, fits) in [
        ("0", false),
        ("1441", false),
        ("an hour", false),
        ("90", true),
    ] {
        press(&mut session, Chord::ctrl('u'));
        typed(&mut session, minutes);
        let lacks = reset(&session).missing();
        let named = lacks.iter().any(|(name, _)| *name == Name::Minutes);
        assert_eq!(named, !fits, "{minutes}: {lacks:?}");
    }
    code(&mut session, KeyCode::Enter);
    typed(&mut session, "release day");
    code(&mut session, KeyCode::Enter);
    let said = reset(&session).says();
    assert_eq!(
        said,
        "opens \"host build.example.org\", minutes \"90\", reason \"release day\""
    );
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    let Submission::Grant(request) = &session.backend.signed[0] else {
        panic!("a grant");
    };
    assert_eq!((&request.opens, request.minutes), (&host, 90));
}

#[test]
fn what_the_guard_did_not_refuse_is_not_let_through_and_why() {
    for (open, why) in [
        ("hG", "no refused call is selected; 7 lists them"),
        ("7jG", "no call of that agent was refused"),
        ("8G", "that record is no refused call"),
        ("3jG", "that breaker was not opened by a refused call"),
    ] {
        let mut session = full();
        keys(&mut session, open);
        assert!(session.model.overlay.is_none(), "{open}");
        let said = session.model.message.clone().unwrap();
        assert!(said.bad && said.text.contains(why), "{open}: {said:?}");
    }
    // In the Log a refusal's own record, and on the Overview the breaker's item.
    for open in ["8jjjG", "G"] {
        let mut session = full();
        keys(&mut session, open);
        assert!(reset(&session).facts.is_some(), "{open}");
    }
    let mut session = full();
    session.backend.readonly = Some("opened read-only".to_owned());
    session.feed(Event::StoreChanged);
    keys(&mut session, "7G");
    assert!(session.model.overlay.is_none());
    let said = &session.model.message.as_ref().unwrap().text;
    assert!(said.contains("opened read-only"), "{said}");
}

#[test]
fn the_call_that_was_shown_stays_the_one_that_is_granted() {
    let mut session = full();
    keys(&mut session, "7G");
    // A later refusal of the same agent is another call.
    session.backend.refused.id = "018f-later".to_owned();
    session.feed(Event::Tick {
        at_us: NOW + 11_000_000,
    });
    let asked = session.tape.iter().rev().find_map(|event| match event {
        Event::Reply(reply) => match &**reply {
            Reply::Form { subject, .. } => Some(subject.clone()),
            _ => None,
        },
        _ => None,
    });
    let shown = Subject::Grant(PaneKind::Log, "018f-00004811".to_owned());
    assert_eq!(asked, Some(shown));
}

#[test]
fn an_agent_is_gone_to_by_the_ways_that_are_open() {
    let mut session = full();
    keys(&mut session, "7op");
    assert!(session.model.overlay.is_none());
    let said = &session.model.message.as_ref().unwrap().text;
    assert!(said.contains("tmux pane main:1.0"), "{said}");
    // Another one has no pane: that is told, and Enter takes the first way that is open.
    keys(&mut session, "jop");
    let said = &session.model.message.as_ref().unwrap().text;
    assert!(said.contains("no process of it is known"), "{said}");
    let Some(Overlay::Going(going)) = &session.model.overlay else {
        panic!("the window stays");
    };
    assert_eq!(going.chosen, 1);
    code(&mut session, KeyCode::Enter);
    assert_eq!(session.copied, ["/home/user/pi-1.jsonl"]);
    keys(&mut session, "ok");
    code(&mut session, KeyCode::Enter);
    assert!(session.model.message.as_ref().unwrap().bad, "it is closed");
    code(&mut session, KeyCode::Esc);
    assert!(session.model.overlay.is_none());
    assert_eq!(session.writes, 0);
}

#[test]
fn a_way_that_is_asked_for_before_it_is_found_is_gone_then() {
    for (agent, wanted, goes) in [
        ("codex-2", 'p', true),
        ("pi-1", 'p', false),
        ("pi-1", 'd', true),
    ] {
        let mut model = full().model;
        let key = |c| Event::Key {
            chord: Chord::char(c),
            at_us: NOW,
        };
        let mut effects = Vec::new();
        going::open(&mut model, agent.to_owned(), &mut effects);
        assert_eq!(effects, [Effect::Ways(agent.to_owned())]);
        assert_eq!(update(&mut model, key(wanted)), []);
        let found = Reply::Ways {
            agent: agent.to_owned(),
            outcome: Ok(FakeBackend::full(NOW).ways(agent).unwrap()),
        };
        let effects = update(&mut model, Event::Reply(Box::new(found)));
        assert_eq!(effects.is_empty(), !goes, "{agent} {wanted}: {effects:?}");
        assert_eq!(model.message.is_some(), !goes);
    }
}

fn diff(session: &Session<FakeBackend>) -> &crate::console::model::DiffView {
    match &session.model.overlay {
        Some(Overlay::Diff(open)) => open,
        other => panic!("the diff is open, not {other:?}"),
    }
}

#[test]
fn a_diff_is_scrolled_read_again_and_left() {
    let mut session = full();
    keys(&mut session, "7od");
    assert_eq!((diff(&session).scroll, diff(&session).reading), (0, false));
    let total = diff(&session).lines().len();
    keys(&mut session, "n");
    assert_eq!(diff(&session).scroll, 7, "the second file");
    keys(&mut session, "nn");
    let end = diff(&session).scroll;
    assert!(end > 50 && end < total, "{end}");
    keys(&mut session, "N");
    assert_eq!(diff(&session).scroll, 7);
    code(&mut session, KeyCode::End);
    assert_eq!(diff(&session).scroll, end);
    keys(&mut session, "j");
    assert_eq!(diff(&session).scroll, end);
    // It gets shorter when it is read again.
    code(&mut session, KeyCode::Home);
    keys(&mut session, "jjj");
    session.backend.broken = true;
    keys(&mut session, "r");
    assert_eq!(diff(&session).scroll, 0);
    assert!(matches!(&diff(&session).read, Some(Err(_))));
    code(&mut session, KeyCode::Enter);
    assert!(session.model.message.as_ref().unwrap().bad);
    code(&mut session, KeyCode::Esc);
    assert!(session.model.overlay.is_none());
    assert_eq!(session.model.pane, PaneKind::Agents);
}

#[test]
fn a_diff_that_is_left_while_it_is_read_is_cancelled() {
    let mut session = full();
    keys(&mut session, "7o");
    let mut model = session.model.clone();
    let key = |chord| Event::Key { chord, at_us: NOW };
    let effects = update(&mut model, key(Chord::char('d')));
    assert_eq!(effects, [Effect::Diff("codex-2".to_owned())]);
    let effects = update(&mut model, key(Chord::of(Key::Esc)));
    assert_eq!(effects, [Effect::CancelDiff]);
    assert!(model.overlay.is_none());
    // What comes late is shown nowhere, nor in the diff of another agent.
    let late = || {
        Event::Reply(Box::new(Reply::Diff {
            agent: "codex-2".to_owned(),
            outcome: Ok(Box::default()),
        }))
    };
    update(&mut model, late());
    assert!(model.overlay.is_none());
    keys(&mut session, "k");
    code(&mut session, KeyCode::Esc);
    keys(&mut session, "jo");
    let mut model = session.model.clone();
    update(&mut model, key(Chord::char('d')));
    update(&mut model, late());
    assert!(
        matches!(&model.overlay, Some(Overlay::Diff(open)) if open.reading && open.read.is_none())
    );
}

#[test]
fn an_agent_gets_a_line_and_nothing_is_signed() {
    let mut session = full();
    keys(&mut session, "m");
    assert!(session.model.overlay.is_none(), "no agent is selected");
    keys(&mut session, "7m");
    assert_eq!(reset(&session).focus, Name::Message);
    code(&mut session, KeyCode::Enter);
    assert!(
        session.backend.signed.is_empty(),
        "an empty line is not sent"
    );
    typed(&mut session, "wait for the schema");
    code(&mut session, KeyCode::Enter);
    assert!(session.model.overlay.is_none());
    let Submission::Message(request) = &session.backend.signed[0] else {
        panic!("a message");
    };
    assert_eq!(request.text, "wait for the schema");
    let said = &session.model.message.as_ref().unwrap().text;
    assert!(
        said.contains(&request.to) && said.contains("m-30c2"),
        "{said}"
    );
    keys(&mut session, "m");
    typed(&mut session, "no");
    code(&mut session, KeyCode::Esc);
    assert!(session.model.overlay.is_none());
    assert_eq!(session.backend.signed.len(), 1);
}

#[test]
fn a_code_is_aliased_by_picking() {
    let mut session = full();
    keys(&mut session, "ca");
    fill(&mut session, &["disk full", "it is the disk"]);
    let Submission::Alias(request) = &session.backend.signed[0] else {
        panic!("an alias");
    };
    assert_eq!(request.minted, "build_unclassified_1f2e3d4c");
    let catalog = crate::contract::catalog::Catalog::shipped();
    assert!(catalog.entry(&request.to).is_some(), "{}", request.to);
    assert_eq!(session.backend.codes[0].state, "aliased");
}

#[test]
fn a_promotion_tells_what_it_would_change_while_one_types() {
    let mut session = full();
    keys(&mut session, "cp");
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    for text in ["library_missing", "build", "cannot find -l ; write error"] {
        typed(&mut session, text);
        code(&mut session, KeyCode::Enter);
    }
    let preview = reset(&session).preview.clone().unwrap();
    assert_eq!((preview.caught_total, preview.changed_total), (7, 1));
    for text in ["a library is not installed", "apt-get install it"] {
        typed(&mut session, text);
        code(&mut session, KeyCode::Enter);
    }
    typed(&mut session, " ");
    code(&mut session, KeyCode::Enter);
    typed(&mut session, "seen three times");
    code(&mut session, KeyCode::Enter);
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    let Submission::Promote(request) = &session.backend.signed[0] else {
        panic!("a promotion");
    };
    assert_eq!(request.entry.tokens, ["cannot find -l", "write error"]);
    assert!(request.entry.recoverable);
    assert_eq!(session.writes, 1);
}

#[test]
fn leaving_any_form_writes_nothing() {
    for open in ["3R", "hd", "ca", "cp", "7G", "3G"] {
        for leave in [KeyCode::Esc, KeyCode::Enter] {
            let mut session = full();
            keys(&mut session, open);
            assert_eq!(reset(&session).focus, Name::Cancel, "{open}");
            code(&mut session, KeyCode::Tab);
            code(&mut session, KeyCode::Tab);
            typed(&mut session, "something");
            code(&mut session, KeyCode::BackTab);
            code(&mut session, KeyCode::BackTab);
            assert_eq!(reset(&session).focus, Name::Cancel, "{open}");
            code(&mut session, leave);
            assert!(session.model.overlay.is_none());
            assert_eq!(session.writes, 0);
        }
    }
}

#[test]
fn marked_breakers_are_reset_by_one_form_and_one_passphrase() {
    let mut session = full();
    keys(&mut session, "3  ");
    assert_eq!(session.model.list().marks.len(), 2);
    keys(&mut session, "R");
    assert_eq!(reset(&session).receipts().len(), 2);
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    for text in ["one cause", "one fix", "r-20f1"] {
        typed(&mut session, text);
        code(&mut session, KeyCode::Enter);
    }
    typed(&mut session, " ");
    code(&mut session, KeyCode::Enter);
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    let written = &session.backend.resets;
    assert_eq!(written.len(), 2);
    assert!(
        written[0].to.is_some() != written[1].to.is_some(),
        "only the mission goes somewhere"
    );
    assert!(session.model.list().marks.is_empty());
    assert_eq!(session.writes, 1);
}

#[test]
fn a_refusal_among_several_tells_what_was_written() {
    let mut session = full();
    keys(&mut session, "3  R");
    // The second one is gone before it is signed.
    let mut model = session.model.clone();
    let written = crate::console::form::Written {
        id: "018f-41c9".to_owned(),
        handle: "b-41c9".to_owned(),
        receipt: Some("r-1".to_owned()),
        lacks: Vec::new(),
        checks: Vec::new(),
    };
    let refused = crate::console::event::Refused {
        code: "not_found".to_owned(),
        cause: "no such breaker".to_owned(),
        next_command: String::new(),
    };
    let reply = Reply::Submitted {
        written: vec![written],
        refused: Some(refused),
    };
    update(&mut model, Event::Reply(Box::new(reply)));
    let Some(Overlay::Form(form)) = &model.overlay else {
        panic!("the form stays");
    };
    let said = form.message.clone().unwrap();
    assert!(
        said.contains("b-41c9 receipt r-1") && said.contains("no such breaker"),
        "{said}"
    );
    assert_eq!(
        form.subject,
        crate::console::form::Subject::Reset(vec!["018f-77a0".to_owned()])
    );
    assert_eq!(model.list().marks.len(), 1);
}

#[test]
fn the_palette_runs_what_its_name_says() {
    let mut session = full();
    keys(&mut session, ":receipts");
    code(&mut session, KeyCode::Enter);
    assert_eq!(session.model.pane, PaneKind::Receipts);
    keys(&mut session, ":sort");
    code(&mut session, KeyCode::Enter);
    let said = &session.model.message.as_ref().unwrap().text;
    assert!(said.contains("order of the journal"), "{said}");
    keys(&mut session, ":zzzz");
    code(&mut session, KeyCode::Enter);
    assert!(session.model.message.as_ref().unwrap().bad);
    assert_eq!(session.writes, 0);
}

#[test]
fn a_text_is_explained_as_one_types_and_its_command_copied() {
    let mut session = full();
    keys(&mut session, "tno space left on device");
    let Some(Overlay::Triage(triage)) = &session.model.overlay else {
        panic!("the window is open");
    };
    let command = triage.command().unwrap().to_owned();
    assert!(!triage.on_answer, "y is a letter of the text");
    code(&mut session, KeyCode::Enter);
    keys(&mut session, "y");
    assert_eq!(session.copied, [command]);
    code(&mut session, KeyCode::Esc);
    assert!(session.model.overlay.is_none());
    // On a row with a text it begins with that.
    keys(&mut session, "ct");
    let Some(Overlay::Triage(triage)) = &session.model.overlay else {
        panic!("the window is open");
    };
    assert!(triage.on_answer && triage.input.value().contains("cannot find -lssl"));
    assert_eq!(session.writes, 0);
}

#[test]
fn what_is_copied_holds_no_control_characters() {
    let mut session = full();
    session.backend.agents[0].agent = "evil\u{1b}[2J\u{202e}".to_owned();
    session.feed(Event::StoreChanged);
    keys(&mut session, "7y");
    assert!(!session.copied[0].contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn lists_are_sorted_as_a_whole() {
    let mut session = full();
    keys(&mut session, "4s");
    assert_eq!(session.model.list().sort, crate::console::Sort::Project);
    let rows = &session.model.snapshot.tasks.as_ref().unwrap().rows;
    assert!(rows.is_sorted_by_key(|row| row.project.clone()));
    for _ in 0..4 {
        keys(&mut session, "s");
    }
    assert_eq!(session.model.list().sort, crate::console::Sort::Default);
}

#[test]
fn a_huge_paste_is_cut_and_told() {
    let mut session = full();
    keys(&mut session, "3R");
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Tab);
    session.input(Raw::Paste("é".repeat(1 << 20)));
    let form = reset(&session);
    assert_eq!(form.text(Name::Cause).chars().count(), 2000);
    assert!(form.message.as_ref().unwrap().contains("2000"));
    let told: usize = session
        .tape
        .iter()
        .map(|e| format!("{e:?}").len())
        .max()
        .unwrap();
    assert!(told < 100_000, "the tape does not keep it either");
}

#[test]
fn a_click_puts_the_focus_on_a_field() {
    let mut session = full();
    keys(&mut session, "3R");
    let (width, height) = session.model.start.size;
    let mut found = std::collections::BTreeSet::new();
    for y in 0..height {
        for x in (0..width).step_by(3) {
            let mut twin = session.model.clone();
            let mouse = Mouse {
                act: MouseAct::Click,
                x,
                y,
            };
            let effects = update(&mut twin, Event::Mouse(mouse));
            assert!(effects.iter().all(|effect| !effect.writes()));
            if let Some(Overlay::Form(form)) = &twin.overlay {
                found.insert(
                    form.focus.label().to_owned()
                        + if form.focus == Name::Submit {
                            "submit"
                        } else {
                            ""
                        },
                );
            }
        }
    }
    for name in [
        "cause",
        "fixed",
        "evidence",
        "go to",
        "passphrase",
        "submit",
    ] {
        assert!(found.contains(name), "{name} in {found:?}");
    }
}

#[test]
fn the_configured_keys_are_those_that_work() {
    let wanted = std::collections::BTreeMap::from([("reset".to_owned(), vec!["z".to_owned()])]);
    let (keymap, problems) = crate::console::keymap::KeyMap::configured(&wanted, "config.toml");
    assert!(problems.is_empty());
    let begin = Start {
        keys: keymap,
        ..begin()
    };
    let mut session = Session::new(begin, FakeBackend::full(NOW));
    keys(&mut session, "3R");
    assert!(session.model.overlay.is_none());
    keys(&mut session, "z");
    assert!(matches!(session.model.overlay, Some(Overlay::Form(_))));
}

#[test]
fn paused_counts_and_live_reads() {
    let mut session = full();
    keys(&mut session, "p");
    session.backend.agents.clear();
    session.feed(Event::StoreChanged);
    assert_eq!(
        (session.model.missed, session.model.snapshot.counts.agents),
        (1, 4)
    );
    keys(&mut session, "p");
    assert_eq!(session.model.snapshot.counts.agents, 0);
}

#[test]
fn a_store_that_fails_is_asked_again() {
    let mut session = full();
    session.backend.broken = true;
    session.feed(Event::StoreChanged);
    assert!(session.model.trouble.is_some());
    let wake = session.model.wake_us();
    assert!(wake <= NOW + 2_000_000);
    let mut paused = session.model.clone();
    paused.paused = true;
    assert!(paused.wake_us() > NOW + 2_000_000, "a paused screen sleeps");
    session.backend.broken = false;
    session.feed(Event::Tick { at_us: wake });
    assert!(session.model.trouble.is_none());
}

#[test]
fn clicks_select_tabs_and_rows() {
    let mut session = full();
    let click = |x, y| {
        Event::Mouse(Mouse {
            act: MouseAct::Click,
            x,
            y,
        })
    };
    session.feed(click(26, 1));
    assert_eq!(session.model.pane, PaneKind::Breakers);
    session.feed(click(10, 5));
    assert_eq!(session.model.list().selected, 1);
    session.feed(click(10, 20));
    assert_eq!(session.model.list().selected, 1, "no row there");
}

fn chord() -> impl Strategy<Value = Chord> {
    let known = COMMANDS
        .iter()
        .flat_map(|c| c.chords.to_vec())
        .collect::<Vec<_>>();
    prop_oneof![
        6 => proptest::sample::select(known),
        2 => proptest::sample::select(vec!['R', 'a', 'd', 'c', 'h', 'p', ':', 't']).prop_map(Chord::char),
        3 => Just(Chord::of(Key::Enter)),
        3 => Just(Chord::of(Key::Tab)),
        1 => any::<char>().prop_map(Chord::char),
        1 => proptest::sample::select(vec![Key::Left, Key::Right, Key::Backspace, Key::Delete])
            .prop_map(Chord::of),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        20 => (chord(), 0i64..2_000_000).prop_map(|(chord, at_us)| Event::Key { chord, at_us }),
        1 => any::<String>().prop_map(Event::Paste),
        1 => (0u16..200, 0u16..60).prop_map(|(x, y)| Event::Mouse(Mouse { act: MouseAct::Click, x, y })),
        1 => (0u16..200, 0u16..60).prop_map(|(width, height)| Event::Resize { width, height }),
        1 => Just(Event::Resize { width: 80, height: 24 }),
        2 => Just(Event::StoreChanged),
        1 => (0i64..200_000_000).prop_map(|at_us| Event::Tick { at_us }),
        2 => Just(Event::Masked(Masked::Edited)),
        1 => Just(Event::Masked(Masked::Cleared)),
        1 => Just(Event::Signal(Signal::Suspend)),
        1 => Just(Event::WatchLost),
    ]
}

/// Whether the person confirmed the write with this very event.
fn confirmed(before: &Model, event: &Event, effect: &Effect) -> bool {
    let Event::Key { chord, at_us } = event else {
        return false;
    };
    match effect {
        Effect::Submit(_) => {
            *chord == Chord::of(Key::Enter)
                && matches!(&before.overlay, Some(Overlay::Form(form))
                    if form.focus == Name::Submit && form.sealed && form.facts.is_some()
                        && form.missing().is_empty())
        }
        Effect::Stop { .. } => {
            *chord == Chord::char('!')
                && before
                    .stop_armed_us
                    .is_some_and(|at| (0..=1_000_000).contains(&(at_us - at)))
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_sequence_panics_or_writes_unconfirmed(
        events in proptest::collection::vec(event(), 0..60),
        readonly: bool,
    ) {
        let mut backend = FakeBackend::full(NOW);
        backend.readonly = readonly.then(|| "opened read-only".to_owned());
        let mut session = Session::new(begin(), backend);
        for event in events {
            let event = match event {
                Event::Key { chord, at_us } => Event::Key { chord, at_us: session.model.now_us() + at_us },
                Event::Tick { at_us } => Event::Tick { at_us: session.model.now_us() + at_us },
                other => other,
            };
            let back: Event = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
            prop_assert_eq!(&back, &event);
            let before = session.model.clone();
            let mut twin = before.clone();
            let mut again = before.clone();
            let effects = update(&mut twin, event.clone());
            prop_assert_eq!(&effects, &update(&mut again, event.clone()), "deterministic");
            for effect in effects.iter().filter(|e| e.writes()) {
                prop_assert!(confirmed(&before, &event, effect), "{:?}", effect);
                prop_assert!(!readonly);
            }
            session.feed(event);
            let (width, height) = session.model.start.size;
            let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| crate::console::view::draw(&session.model, &crate::console::theme::Theme::default(), frame)).unwrap();
        }
    }
}

#[test]
fn a_tape_with_replies_comes_back_from_json() {
    let mut session = filled();
    typed(&mut session, "wrong");
    submit(&mut session);
    keys(&mut session, "!");
    let text = serde_json::to_string(&session.tape).unwrap();
    let back: Vec<Event> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, session.tape);
    let replies = back
        .iter()
        .filter(|e| matches!(e, Event::Reply(r) if matches!(**r, Reply::Submitted { .. })));
    assert_eq!(replies.count(), 1);
    // The tape alone gives the same screens.
    let mut model = Model::new(begin());
    start(&mut model);
    for reply in first_replies() {
        update(&mut model, reply);
    }
    for event in back {
        update(&mut model, event);
    }
    assert_eq!(
        format!("{:?}", model.overlay),
        format!("{:?}", session.model.overlay)
    );
}

/// What a session reads before its first event.
fn first_replies() -> Vec<Event> {
    full().tape
}
