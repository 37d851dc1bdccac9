//! The terminal: entering and leaving it, drawing whole frames, and what it sends.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as Raw, KeyCode, KeyModifiers, MouseButton, MouseEventKind,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Position;

use super::event::{Event, Mouse, MouseAct, PASTE_CHARS};
use super::keymap::{Chord, Key};
use super::model::Model;
use super::theme::Theme;
use super::vault::{Taken, Vault};
use super::view;

/// A full frame of a large terminal in one write.
const BUFFER_BYTES: usize = 128 * 1024;

/// Whether the terminal is ours, so that it is given back exactly once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while the console has it. Dropping it gives it back.
pub(super) struct Screen {
    /// Never dropped: its own farewell prints with a macro that panics where the terminal is gone,
    /// and all that it would give back, [`give_back`] does.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    mouse: bool,
}

impl Screen {
    /// Whether there is a terminal at both ends.
    pub(super) fn present() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Takes the terminal.
    pub(super) fn enter(mouse: bool) -> io::Result<Self> {
        take(mouse)?;
        let writer = BufWriter::with_capacity(BUFFER_BYTES, io::stdout());
        let terminal = Terminal::new(CrosstermBackend::new(writer)).inspect_err(|_| give_back())?;
        Ok(Self {
            terminal: ManuallyDrop::new(terminal),
            mouse,
        })
    }

    /// Draws one frame; the terminal shows it at once.
    pub(super) fn draw(&mut self, model: &Model, theme: Theme) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal
            .draw(|frame| view::draw(model, &theme, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.terminal.backend_mut().flush()
    }

    /// Draws every cell with the next frame.
    ///
    /// Not by [`Terminal::clear`]: that asks the terminal where the cursor is, and the answer would
    /// go to the thread that reads keys.
    pub(super) fn repaint(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize((Position::ORIGIN, size).into())
    }

    /// Gives a text to the terminal's clipboard (OSC 52). A terminal that does not take it shows
    /// nothing of it.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let writer = self.terminal.backend_mut();
        write!(writer, "\x1b]52;c;{}\x07", base64(text.as_bytes()))?;
        writer.flush()
    }

    /// Gives the terminal to the shell, stops the process, and takes it back when it goes on.
    pub(super) fn suspend(&mut self) -> io::Result<(u16, u16)> {
        give_back();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        take(self.mouse)?;
        self.repaint()?;
        self.size()
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.terminal.size()?;
        Ok((size.width, size.height))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
        // A frame drawn after a panic gave the terminal back has hidden the cursor again.
        let _ = execute!(io::stdout(), Show);
    }
}

/// Base64 as OSC 52 wants it.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut bits = 0u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(three.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at) & 63) as usize;
            let digit = if at <= three.len() {
                DIGITS[digit]
            } else {
                b'='
            };
            out.push(char::from(digit));
        }
    }
    out
}

fn take(mouse: bool) -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    let taken = enable_raw_mode().and_then(|()| {
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            Hide,
            EnableBracketedPaste
        )?;
        if mouse {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        Ok(())
    });
    taken.inspect_err(|_| give_back())
}

/// Gives the terminal back, if it is ours. Errors are of no use to anyone here.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(
            io::stdout(),
            EndSynchronizedUpdate,
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        );
        let _ = disable_raw_mode();
    }
}

/// While it lives, a panic gives the terminal back and leaves a report.
pub(super) struct PanicGuard;

impl PanicGuard {
    /// Sets the hook.
    pub(super) fn set(folder: PathBuf) -> Self {
        panic::set_hook(Box::new(move |info| {
            give_back();
            let _ = match report(&folder, info) {
                Ok(path) => writeln!(
                    io::stderr(),
                    "watchfloor's console failed; the agents and the breakers are not touched.\nThe report is in {}\nNext: watchfloor status",
                    path.display()
                ),
                Err(error) => writeln!(
                    io::stderr(),
                    "watchfloor's console failed ({info}), and the report could not be written: {error}"
                ),
            };
        }));
        Self
    }
}

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = panic::take_hook();
        }
    }
}

/// Writes the report: where and why, and nothing of what was on the screen.
fn report(folder: &Path, info: &PanicHookInfo<'_>) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("console-failure-{}.txt", std::process::id()));
    let trace = std::backtrace::Backtrace::force_capture();
    let thread = std::thread::current();
    let text = format!(
        "watchfloor {}\nthread {}\n{info}\n\n{trace}\n",
        env!("CARGO_PKG_VERSION"),
        thread.name().unwrap_or("without a name"),
    );
    fs::write(&path, text)?;
    Ok(path)
}

/// What the terminal sent, as an event. Text for a masked field ends in the vault.
pub(super) fn translate(
    mut raw: Raw,
    masked: bool,
    vault: &mut Vault,
    at_us: i64,
) -> Option<Event> {
    if masked && let Taken::Kept(event) = vault.take_in(&mut raw) {
        return event;
    }
    match raw {
        Raw::Key(key) if !key.is_release() => {
            let key_ = named(key.code)?;
            let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
            let alt = key.modifiers.contains(KeyModifiers::ALT);
            // AltGr types characters as Ctrl-Alt on some terminals.
            let altgr = ctrl && alt && matches!(key_, Key::Char(_));
            let chord = Chord {
                key: key_,
                ctrl: ctrl && !altgr,
                alt: alt && !altgr,
            };
            Some(Event::Key { chord, at_us })
        }
        Raw::Paste(text) => Some(Event::Paste(text.chars().take(PASTE_CHARS).collect())),
        Raw::Mouse(mouse) => {
            let act = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseAct::Click,
                MouseEventKind::ScrollUp => MouseAct::ScrollUp,
                MouseEventKind::ScrollDown => MouseAct::ScrollDown,
                _ => return None,
            };
            Some(Event::Mouse(Mouse {
                act,
                x: mouse.column,
                y: mouse.row,
            }))
        }
        Raw::Resize(width, height) => Some(Event::Resize { width, height }),
        Raw::Key(_) | Raw::FocusGained | Raw::FocusLost => None,
    }
}

fn named(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\u{ff}>?", "w78+Pw=="),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }
}
