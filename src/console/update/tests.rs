//! Tables and properties of `update`, driven through a session without a terminal.

use crossterm::event::{Event as Raw, KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::*;
use crate::console::commands::{COMMANDS, Id, Scope};
use crate::console::event::{Mouse, Reply};
use crate::console::fake::FakeBackend;
use crate::console::keymap::Key;
use crate::console::model::{Field, Focus, Overlay, Start};
use crate::console::session::Session;

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

fn reset(session: &Session<FakeBackend>) -> &crate::console::model::ResetState {
    match &session.model.overlay {
        Some(Overlay::Reset(reset)) => reset,
        other => panic!("the form is open, not {other:?}"),
    }
}

/// Opens the form of the first breaker and fills in all but the passphrase.
fn filled() -> Session<FakeBackend> {
    let mut session = full();
    keys(&mut session, "2R");
    assert_eq!(reset(&session).field, Field::Cancel);
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
    assert_eq!(reset(&session).field, Field::GoTo);
    typed(&mut session, "  ");
    code(&mut session, KeyCode::Down);
    assert_eq!(reset(&session).field, Field::Passphrase);
    session
}

fn submit(session: &mut Session<FakeBackend>) {
    code(session, KeyCode::Tab);
    code(session, KeyCode::Right);
    assert_eq!(reset(session).field, Field::Reset);
    code(session, KeyCode::Enter);
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
                let mut session = Session::new(begin(), store());
                go(&mut session.model, pane);
                session.feed(Event::StoreChanged);
                let reason = (command.disabled_reason)(&session.model);
                press(&mut session, command.chords[0]);
                let said = session.model.message.as_ref().map(|m| m.text.clone());
                match reason {
                    Some(reason) if command.id != Id::Back => {
                        assert!(said.unwrap().contains(&reason), "{}", command.title);
                    }
                    Some(_) => assert_eq!(said, None),
                    None if command.id == Id::Stop => assert!(said.unwrap().contains('!')),
                    None => {}
                }
                assert_eq!(session.ended, command.id == Id::Quit);
                assert!(session.backend.resets.is_empty() && session.backend.stops.is_empty());
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
    if let Some(Overlay::Reset(form)) = &mut model.overlay {
        form.sealed = true;
        form.field = Field::Reset;
    }
    let enter = Event::Key {
        chord: Chord::of(Key::Enter),
        at_us: NOW,
    };
    let effects = update(&mut model, enter.clone());
    assert!(effects.iter().any(|e| matches!(e, Effect::SubmitReset(_))));
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
        assert_eq!(reset(&session).field, Field::Cancel);
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
    assert_eq!(form.cause.value(), "the script printed its environment");
    assert_eq!(
        (form.sealed, form.sending, form.field),
        (false, false, Field::Passphrase)
    );
    assert!(session.backend.resets.is_empty());
    typed(&mut session, PASSPHRASE);
    submit(&mut session);
    assert_eq!(session.backend.resets.len(), 1);
}

#[test]
fn missing_fields_are_named() {
    let mut session = full();
    keys(&mut session, "2R");
    code(&mut session, KeyCode::Tab);
    code(&mut session, KeyCode::Enter);
    let form = reset(&session);
    let said = form.message.clone().unwrap();
    for name in ["cause", "fixed", "evidence", "go to", "passphrase"] {
        assert!(said.contains(name), "{said}");
    }
    assert_eq!(form.field, Field::Cause);
}

#[test]
fn a_task_breaker_has_no_state_to_go_to() {
    let mut session = full();
    keys(&mut session, "2jR");
    assert!(!reset(&session).fields().contains(&Field::GoTo));
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
    assert_eq!(reset(&session).fix.value(), "masked");
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
    keys(&mut session, "2j");
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
    keys(&mut session, "5");
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
    keys(&mut session, "5");
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
    session.feed(click(16, 1));
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
        2 => Just(Chord::char('R')),
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
        Effect::SubmitReset(_) => {
            *chord == Chord::of(Key::Enter)
                && matches!(&before.overlay, Some(Overlay::Reset(form))
                    if form.field == Field::Reset && form.sealed && form.form.is_some()
                        && !form.cause.value().trim().is_empty())
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
        .filter(|e| matches!(e, Event::Reply(r) if matches!(**r, Reply::Reset(_))));
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
