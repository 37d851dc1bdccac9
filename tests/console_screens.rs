//! The console's screens as text, in every layout and character set, and what they promise.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as tests do"
)]

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use watchfloor::console::backend::{Meaning, Reading};
use watchfloor::console::event::Event;
use watchfloor::console::fake::{FakeBackend, NoChanges};
use watchfloor::console::keymap::KeyMap;
use watchfloor::console::keymap::{Chord, Key};
use watchfloor::console::model::Start;
use watchfloor::console::session::Session;
use watchfloor::console::theme::{Colours, Palette, Role, Theme};
use watchfloor::console::view::draw;
use watchfloor::console::{Backend, Known, Options, PaneKind, Snapshot, Want};
use watchfloor::contract::agent::{Jumped, PauseRequest, ResetAnswer, ResetForm, ResetRequest};
use watchfloor::contract::bench::{AliasRequest, CodeForm, DraftEntry, Preview, PromoteRequest};
use watchfloor::contract::decide::{DecideForm, DecideRequest, Signed};
use watchfloor::contract::going::{Way, WayRow};
use watchfloor::contract::granting::{GrantForm, GrantRequest};
use watchfloor::contract::message::{MessageForm, MessageRequest, MessageSent};
use watchfloor::contract::refusal::Refusal;

type Secret = zeroize::Zeroizing<String>;

/// 2026-11-30 14:02:10 UTC.
const NOW: i64 = 1_796_047_330_000_000;
const SIZES: [(u16, u16); 4] = [(120, 40), (80, 24), (60, 20), (200, 60)];

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
    palette: Palette::Auto,
    colours: Colours::Sixteen,
    ascii: false,
};
const ASCII: Theme = Theme {
    palette: Palette::Auto,
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
        for pane in ["2", "3", "4", "5", "6"] {
            keys(&mut session, pane);
            press(&mut session, Chord::of(Key::Enter));
            snapshot(&format!("detail_{pane}"), &session);
            press(&mut session, Chord::of(Key::Esc));
        }
        keys(&mut session, "3R");
        snapshot("form_start", &session);
        press(&mut session, Chord::of(Key::Tab));
        press(&mut session, Chord::of(Key::Enter));
        snapshot("form_missing", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "hd");
        snapshot("form_decide", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "7m");
        keys(&mut session, "wait for the schema");
        snapshot("form_message", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "7jo");
        snapshot("going", &session);
        keys(&mut session, "d");
        snapshot("diff", &session);
        press(&mut session, Chord::of(Key::End));
        snapshot("diff_end", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "k");
        keys(&mut session, "7G");
        snapshot("form_grant", &session);
        press(&mut session, Chord::of(Key::Tab));
        press(&mut session, Chord::of(Key::Tab));
        press(&mut session, Chord::of(Key::Right));
        snapshot("form_grant_host", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "ca");
        press(&mut session, Chord::of(Key::Tab));
        press(&mut session, Chord::of(Key::Tab));
        keys(&mut session, "disk");
        snapshot("form_alias", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "p");
        press(&mut session, Chord::of(Key::Tab));
        press(&mut session, Chord::of(Key::Tab));
        for text in ["library_missing", "build", "cannot find -l ; write error"] {
            keys(&mut session, text);
            press(&mut session, Chord::of(Key::Tab));
        }
        snapshot("form_promote", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "3  R");
        snapshot("form_several", &session);
        press(&mut session, Chord::of(Key::Esc));
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, ":re");
        snapshot("palette", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "tno space left on device");
        snapshot("triage", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "?");
        snapshot("help", &session);
        keys(&mut session, "0");
        snapshot("panes", &session);
        press(&mut session, Chord::of(Key::Esc));
        keys(&mut session, "3/osc");
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
        for (key, name) in [
            ("2", "handoffs"),
            ("3", "breakers"),
            ("5", "codes"),
            ("6", "receipts"),
        ] {
            keys(&mut empty, key);
            snapshot(&format!("empty_{name}"), &empty);
        }
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
            for keys_ in [
                "", "2", "3R", "?", "0", "/x", "ca", "cp", "7G", "7o", "7od", ":x", "ty",
            ] {
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
    keys(&mut session, "3j");
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
        style_of(&buffer, " 3 Breakers")
            .add_modifier
            .contains(Modifier::REVERSED)
    );
    for colours in [Colours::Mono, Colours::Indexed, Colours::True] {
        let buffer = paint(
            &session,
            Theme {
                palette: Palette::Auto,
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
fn what_goes_round_in_circles_is_counted_the_same_at_all_sizes() {
    for size in SIZES {
        let mut backend = FakeBackend::full(NOW);
        let circling = backend.tasks[0].clone();
        for at in 0..70 {
            backend.tasks.push(watchfloor::contract::row::TaskRow {
                task: format!("C-{at}"),
                ..circling.clone()
            });
        }
        let shown = text(&paint(&Session::new(start(size), backend), UNICODE));
        let heading = shown.lines().find(|line| line.contains("Going round"));
        assert!(heading.unwrap().contains(" 72, "), "{shown}");
    }
}

#[test]
fn what_is_said_is_whole_at_every_size() {
    for size in SIZES {
        let mut session = full(size);
        for key in ["d", "a", "R", "f", "s", " ", "/"] {
            keys(&mut session, "8");
            keys(&mut session, key);
            let Some(message) = session.model.message.clone() else {
                press(&mut session, Chord::of(Key::Esc));
                continue;
            };
            let shown = text(&paint(&session, UNICODE));
            let words: Vec<&str> = shown.split_whitespace().collect();
            for word in message.text.split_whitespace() {
                assert!(words.contains(&word), "{word} of {message:?} at {size:?}");
            }
        }
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
        for row in &mut backend.handoffs {
            row.question.clone_from(&evil);
            row.tried.clone_from(&evil);
            row.asker.clone_from(&evil);
            row.class = Some(evil.clone());
            row.answer = Some(evil.clone());
        }
        for row in &mut backend.codes {
            row.sample.clone_from(&evil);
        }
        for row in &mut backend.receipts {
            row.producer.clone_from(&evil);
        }
        backend.changed.clone_from(&evil);
        let refused = &mut backend.refused;
        for text in [&mut refused.action, &mut refused.why, &mut refused.agent] {
            text.clone_from(&evil);
        }
        let mut session = Session::new(start(size), backend);
        for pane in [
            "1", "2", "3", "4", "5", "6", "7", "3R", "hd", "ca", "3G", "7o", "7od",
        ] {
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
            press(&mut session, Chord::of(Key::Esc));
        }
    }
}

/// A backend that panics when it is asked to stop the fleet.
struct Panics(FakeBackend);

impl Backend for Panics {
    fn status(&mut self, want: &Want) -> Result<Snapshot, Refusal> {
        self.0.status(want)
    }
    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Known, Refusal> {
        self.0.detail(kind, id)
    }
    fn reset_form(&mut self, id: &str) -> Result<ResetForm, Refusal> {
        self.0.reset_form(id)
    }
    fn reset(&mut self, request: &ResetRequest, secret: Secret) -> Result<ResetAnswer, Refusal> {
        self.0.reset(request, secret)
    }
    fn decide_form(&mut self, id: &str) -> Result<DecideForm, Refusal> {
        self.0.decide_form(id)
    }
    fn decide(&mut self, request: &DecideRequest, secret: Secret) -> Result<Signed, Refusal> {
        self.0.decide(request, secret)
    }
    fn code_form(&mut self, code: &str) -> Result<CodeForm, Refusal> {
        self.0.code_form(code)
    }
    fn preview(&mut self, draft: &DraftEntry) -> Result<Preview, Refusal> {
        self.0.preview(draft)
    }
    fn alias(&mut self, request: &AliasRequest, secret: Secret) -> Result<Signed, Refusal> {
        self.0.alias(request, secret)
    }
    fn promote(&mut self, request: &PromoteRequest, secret: Secret) -> Result<Signed, Refusal> {
        self.0.promote(request, secret)
    }
    fn message_form(&mut self, agent: &str) -> Result<MessageForm, Refusal> {
        self.0.message_form(agent)
    }
    fn message(&mut self, request: &MessageRequest) -> Result<MessageSent, Refusal> {
        self.0.message(request)
    }
    fn pause(&mut self, request: &PauseRequest) -> Result<Signed, Refusal> {
        self.0.pause(request)
    }
    fn grant_form(&mut self, kind: PaneKind, id: &str) -> Result<GrantForm, Refusal> {
        self.0.grant_form(kind, id)
    }
    fn grant(&mut self, request: &GrantRequest, secret: Secret) -> Result<Signed, Refusal> {
        self.0.grant(request, secret)
    }
    fn classify(&mut self, text: &str) -> Result<Meaning, Refusal> {
        self.0.classify(text)
    }
    fn ways(&mut self, agent: &str) -> Result<Vec<WayRow>, Refusal> {
        self.0.ways(agent)
    }
    fn jump(&mut self, agent: &str, way: Way) -> Result<Jumped, Refusal> {
        self.0.jump(agent, way)
    }
    fn diff(&mut self, agent: &str) -> Result<Reading, Refusal> {
        self.0.diff(agent)
    }
    fn stop(&mut self, _: &str) -> Result<String, Refusal> {
        panic!("made to fail")
    }
    fn checkpoint(&mut self) {}
}

/// Not a test: the console that the tests below start in a terminal of their own.
#[test]
#[ignore = "started by the other tests in a pseudo-terminal"]
fn child() {
    let Ok(reports) = std::env::var("CONSOLE_TEST_REPORTS") else {
        return;
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap().as_micros()).unwrap();
    let options = Options {
        project: None,
        readonly: false,
        theme: UNICODE,
        keys: KeyMap::default(),
        problems: Vec::new(),
        utc_offset_min: Some(0),
        mouse: true,
        reports: reports.into(),
    };
    let backend = Box::new(Panics(FakeBackend::full(now)));
    let code = match watchfloor::console::run(backend, Box::new(NoChanges), options) {
        Ok(0) => 7,
        Ok(signalled) => i32::from(signalled),
        Err(refusal) => {
            println!("{refusal}");
            8
        }
    };
    std::process::exit(code);
}

fn cells(n: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(n).unwrap()
}

/// A console in a real pseudo-terminal.
struct Real {
    screen: Arc<Mutex<vt100::Parser>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    master: Box<dyn portable_pty::MasterPty + Send>,
    reports: tempfile::TempDir,
}

impl Real {
    fn start() -> Self {
        let size = portable_pty::PtySize {
            rows: 24,
            cols: 80,
            ..Default::default()
        };
        let pair = portable_pty::native_pty_system().openpty(size).unwrap();
        let reports = tempfile::tempdir().unwrap();
        let mut command = portable_pty::CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", "child", "--ignored", "--nocapture"]);
        command.env("CONSOLE_TEST_REPORTS", reports.path());
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).unwrap();
        let keys = pair.master.take_writer().unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(24), cells(80), 0)));
        let writer = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                writer.lock().unwrap().process(&bytes[..n]);
            }
        });
        Self {
            screen,
            keys,
            child,
            master: pair.master,
            reports,
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn wait(&self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(20) {
            if holds(self.screen.lock().unwrap().screen()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!(
            "{what}:\n{}",
            self.screen.lock().unwrap().screen().contents()
        );
    }

    fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    fn wait_given_back(&self) {
        self.wait("the terminal is given back", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }
}

#[test]
fn a_real_terminal_starts_resizes_and_is_given_back() {
    let mut real = Real::start();
    real.wait_for("Needs you");
    real.press("3");
    real.wait_for("reset by");
    real.screen
        .lock()
        .unwrap()
        .screen_mut()
        .set_size(cells(20), cells(60));
    let size = portable_pty::PtySize {
        rows: 20,
        cols: 60,
        ..Default::default()
    };
    real.master.resize(size).unwrap();
    real.wait("the stacked layout", |screen| {
        let shown = screen.contents();
        shown.contains(" 1 Overview 2 Handoffs") && !shown.contains('╭')
    });
    real.press("q");
    assert_eq!(real.child.wait().unwrap().exit_code(), 7);
    real.wait_given_back();
}

#[test]
fn signals_end_suspend_and_resume_it() {
    let mut real = Real::start();
    real.wait_for("Needs you");
    real.press("4j");
    real.wait_for("tries, old to new");
    real.signal(rustix::process::Signal::TSTP);
    real.wait_given_back();
    real.signal(rustix::process::Signal::CONT);
    real.wait("the place is kept", |screen| {
        screen.alternate_screen() && screen.contents().contains("▸ T-07")
    });
    real.press("\u{c}k");
    real.wait_for("▸ T-12");
    real.signal(rustix::process::Signal::TERM);
    assert_eq!(real.child.wait().unwrap().exit_code(), 143);
    real.wait_given_back();
}

#[test]
fn a_terminal_that_goes_away_ends_it_quietly() {
    let pair = portable_pty::native_pty_system()
        .openpty(portable_pty::PtySize::default())
        .unwrap();
    let reports = tempfile::tempdir().unwrap();
    let mut command = portable_pty::CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    command.env("CONSOLE_TEST_REPORTS", reports.path());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    // Read here and not beside it, so that no other end of it stays open.
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (mut seen, mut bytes) = (Vec::<u8>::new(), [0; 4096]);
    let drawn = b"\x1b[?2026l";
    while !seen.windows(drawn.len()).any(|part| part == drawn) {
        let count = reader.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "it ended before it drew");
        seen.extend(&bytes[..count]);
    }
    drop(reader);
    drop(pair.master);
    assert_eq!(child.wait().unwrap().exit_code(), 129);
    assert_eq!(std::fs::read_dir(reports.path()).unwrap().count(), 0);
}

#[test]
fn a_panic_gives_the_terminal_back_and_leaves_a_report() {
    let mut real = Real::start();
    real.wait_for("Needs you");
    real.press("!!");
    assert_eq!(real.child.wait().unwrap().exit_code(), 8);
    real.wait_given_back();
    real.wait_for("The report is in");
    let report = std::fs::read_dir(real.reports.path()).unwrap().next();
    let report = std::fs::read_to_string(report.unwrap().unwrap().path()).unwrap();
    assert!(report.contains("made to fail"));
}

#[test]
fn without_a_terminal_it_says_what_to_run() {
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("CONSOLE_TEST_REPORTS", "unused")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(8));
    assert!(String::from_utf8_lossy(&run.stdout).contains("terminal_required"));
}
