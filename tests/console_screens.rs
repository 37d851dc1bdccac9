//! The console's screens as text, in every layout and character set, and what they promise.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use watchfloor::console::PaneKind;
use watchfloor::console::event::Event;
use watchfloor::console::fake::FakeBackend;
use watchfloor::console::keymap::{Chord, Key};
use watchfloor::console::model::Start;
use watchfloor::console::session::Session;
use watchfloor::console::theme::{Colours, Role, Theme};
use watchfloor::console::view::draw;

/// 2026-11-30 14:02:10 UTC.
const NOW: i64 = 1_796_047_330_000_000;
const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (60, 20)];

fn start(size: (u16, u16)) -> Start {
    Start {
        utc_offset_min: Some(0),
        now_us: NOW,
        size,
        ..Start::default()
    }
}

fn full(size: (u16, u16)) -> Session<FakeBackend> {
    Session::new(start(size), FakeBackend::full(NOW))
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

fn paint(session: &Session<FakeBackend>, theme: Theme) -> Buffer {
    let (width, height) = session.model.start.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw(&session.model, &theme, frame))
        .unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            out.push_str(symbol);
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

const UNICODE: Theme = Theme {
    colours: Colours::Sixteen,
    ascii: false,
};
const ASCII: Theme = Theme {
    colours: Colours::Mono,
    ascii: true,
};

fn snapshot(name: &str, session: &Session<FakeBackend>) {
    let (width, height) = session.model.start.size;
    for (charset, theme) in [("unicode", UNICODE), ("ascii", ASCII)] {
        let buffer = paint(session, theme);
        let shown = text(&buffer);
        assert!(charset != "ascii" || shown.is_ascii(), "{shown}");
        insta::assert_snapshot!(format!("{name}_{width}x{height}_{charset}"), shown);
    }
}

#[test]
fn every_pane_in_every_layout() {
    for size in SIZES {
        for pane in PaneKind::ALL {
            let mut session = full(size);
            keys(&mut session, &(pane.index() + 1).to_string());
            snapshot(pane.title(), &session);
        }
    }
}

#[test]
fn details_windows_and_the_form() {
    for size in SIZES {
        let mut session = full(size);
        keys(&mut session, "2");
        press(&mut session, Chord::of(Key::Enter));
        snapshot("detail", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "R");
        snapshot("form_start", &session);
        press(&mut session, Chord::of(Key::Tab));
        press(&mut session, Chord::of(Key::Enter));
        snapshot("form_missing", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "?");
        snapshot("help", &session);
        keys(&mut session, "0");
        snapshot("panes", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "/osc");
        snapshot("filter", &session);
        keys(&mut session, "zzz");
        snapshot("filter_none", &session);
    }
}

#[test]
fn empty_broken_paused_and_readonly_stores() {
    for size in SIZES {
        let mut empty = Session::new(start(size), FakeBackend::empty(NOW));
        empty.backend.identity_notice = Some(
            "The identity ops@laptop was made 2 days ago. If that was not you: watchfloor identity list."
                .to_owned(),
        );
        empty.feed(Event::StoreChanged);
        snapshot("empty", &empty);
        keys(&mut empty, "2");
        snapshot("empty_breakers", &empty);
        let mut paused = full(size);
        keys(&mut paused, "p");
        paused.feed(Event::StoreChanged);
        paused.feed(Event::StoreChanged);
        snapshot("paused", &paused);
        let mut broken = full(size);
        broken.backend.broken = true;
        broken.feed(Event::StoreChanged);
        snapshot("broken", &broken);
        let mut readonly = full(size);
        readonly.backend.readonly = Some("opened read-only".to_owned());
        readonly.feed(Event::StoreChanged);
        keys(&mut readonly, "bR");
        snapshot("readonly", &readonly);
    }
}

#[test]
fn small_screens_say_what_matters_and_never_panic() {
    for width in 0..45 {
        for height in 0..13 {
            let mut session = full((width.max(1), height.max(1)));
            for keys_ in ["", "2", "R", "?", "0", "/x"] {
                keys(&mut session, keys_);
                paint(&session, UNICODE);
                press(&mut session, Chord::of(Key::Esc));
            }
        }
    }
    let shown = |size| text(&paint(&full(size), UNICODE));
    insta::assert_snapshot!("tiny_39x9", shown((39, 9)));
    insta::assert_snapshot!("tiny_20x5", shown((20, 5)));
    insta::assert_snapshot!("tiny_1x1", shown((1, 1)));
}

/// The style of the first cell of a text on the screen.
fn style_of(buffer: &Buffer, needle: &str) -> ratatui::style::Style {
    let shown = text(buffer);
    let (y, line) = shown
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(needle))
        .unwrap_or_else(|| panic!("{needle} is on the screen"));
    let x = unicode_width::UnicodeWidthStr::width(&line[..line.find(needle).unwrap()]);
    buffer[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())].style()
}

#[test]
fn states_have_their_roles_style_and_mono_has_no_colour() {
    let mut session = full((80, 24));
    keys(&mut session, "2j");
    let buffer = paint(&session, UNICODE);
    let open = style_of(&buffer, "■ OPEN   secret");
    assert_eq!(open.fg, UNICODE.style(Role::Open).fg);
    assert_eq!(open.fg, Some(Color::Red));
    assert!(
        style_of(&buffer, "oscillation")
            .add_modifier
            .contains(Modifier::REVERSED)
    );
    assert!(
        style_of(&buffer, " 2 Breakers")
            .add_modifier
            .contains(Modifier::REVERSED)
    );
    for colours in [Colours::Mono, Colours::Indexed, Colours::True] {
        let buffer = paint(
            &session,
            Theme {
                colours,
                ascii: false,
            },
        );
        let coloured = buffer.content.iter().any(|c| c.fg != Color::Reset);
        assert_eq!(coloured, colours != Colours::Mono, "{colours:?}");
        assert!(buffer.content.iter().all(|c| c.bg == Color::Reset));
        assert_eq!(
            text(&buffer),
            text(&paint(&session, UNICODE)),
            "only the style changes"
        );
    }
}

#[test]
fn hostile_texts_stay_in_their_cells() {
    let evil = format!(
        "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}日本語👩\u{200d}💻e\u{301}\u{301}\u{301}\u{301}{}",
        "A".repeat(1 << 20)
    );
    for size in SIZES {
        let mut backend = FakeBackend::full(NOW);
        for row in &mut backend.breakers {
            row.reason.clone_from(&evil);
            row.trigger.clone_from(&evil);
            row.scope = format!("task:{evil}");
        }
        for row in &mut backend.tasks {
            row.task.clone_from(&evil);
            row.failure = Some(evil.clone());
            row.churn_file = Some(evil.clone());
            row.lanes[0].lane.clone_from(&evil);
        }
        for row in &mut backend.agents {
            row.agent.clone_from(&evil);
            row.last_action.clone_from(&evil);
        }
        for row in &mut backend.attention {
            row.what.clone_from(&evil);
        }
        let mut session = Session::new(start(size), backend);
        for pane in ["1", "2", "3", "4", "2R"] {
            keys(&mut session, pane);
            let buffer = paint(&session, UNICODE);
            for cell in &buffer.content {
                let bad = |c: char| {
                    c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{200d}'
                };
                assert!(!cell.symbol().contains(bad), "{:?}", cell.symbol());
            }
            // Frames stay straight: every row ends where it should.
            for line in text(&buffer).lines() {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= usize::from(size.0));
            }
            assert!(text(&paint(&session, ASCII)).is_ascii());
        }
    }
}
