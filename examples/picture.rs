//! Draws the picture of the README from a real run: starts the demo in a pseudo-terminal, waits
//! until its console shows what it should show, and writes the screen as an SVG.
//!
//! ```sh
//! cargo run --release --example picture -- assets/console.svg
//! ```

use std::error::Error;
use std::fmt::Write as _;
use std::io::Read as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use vt100::{Cell, Color, Parser};

const ROWS: u16 = 32;
const COLUMNS: u16 = 110;
/// Pixels of a cell.
const CELL: (u16, u16) = (9, 19);
/// What the console must show before the picture is taken.
const SHOWN: [&str; 3] = ["oscillation, open", "decide", "◆ due"];
/// After so long the picture is taken as it is.
const LONGEST: Duration = Duration::from_mins(1);
/// The colours of a common dark terminal, by their numbers.
const PALETTE: [&str; 16] = [
    "#1d2021", "#e5534b", "#6cc070", "#d8a657", "#6ba4e8", "#c586c0", "#5fb3b3", "#d4d4d4",
    "#7c828a", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#76e3ea", "#ffffff",
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args().nth(1).ok_or("usage: picture FILE.svg")?;
    let screen = play()?;
    std::fs::write(out, svg(screen.screen()))?;
    Ok(())
}

/// The program of this build, which lies beside the folder of the examples.
fn program() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_exe()?;
    let folder = here.parent().and_then(|examples| examples.parent());
    let program = folder.ok_or("no folder")?.join("watchfloor");
    if program.exists() {
        return Ok(program);
    }
    Err(format!("{} is not built; run cargo build first", program.display()).into())
}

fn play() -> Result<Parser, Box<dyn Error>> {
    let size = PtySize {
        rows: ROWS,
        cols: COLUMNS,
        ..PtySize::default()
    };
    let pair = native_pty_system().openpty(size)?;
    let mut command = CommandBuilder::new(program()?);
    command.arg("demo");
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let bytes = reader(pair.master.try_clone_reader()?);
    let (rows, columns) = (NonZero::new(ROWS), NonZero::new(COLUMNS));
    let (rows, columns) = rows.zip(columns).ok_or("an empty screen")?;
    let mut parser = Parser::new(rows, columns, 0);
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        match bytes.recv_timeout(Duration::from_millis(200)) {
            Ok(bytes) => parser.process(&bytes),
            Err(RecvTimeoutError::Timeout) => {
                // Nothing was drawn for a moment: the screen is whole.
                let text = parser.screen().contents();
                if SHOWN.iter().all(|word| text.contains(word)) {
                    break;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // The demo ends as a person would end it, so that its agents end too.
    pair.master.take_writer()?.write_all(b"q")?;
    child.wait()?;
    Ok(parser)
}

fn reader(mut from: Box<dyn std::io::Read + Send>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            if send.send(buffer[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    receive
}

fn svg(screen: &vt100::Screen) -> String {
    let (width, height) = (COLUMNS * CELL.0 + 20, ROWS * CELL.1 + 20);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"15\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        PALETTE[0]
    );
    for row in 0..ROWS {
        let mut column = 0;
        while column < COLUMNS {
            let Some(first) = screen.cell(row, column) else {
                break;
            };
            let start = column;
            let mut text = String::new();
            while let Some(cell) = screen.cell(row, column)
                && same(cell, first)
            {
                if !cell.is_wide_continuation() {
                    text.push_str(if cell.has_contents() {
                        cell.contents()
                    } else {
                        " "
                    });
                }
                column += 1;
            }
            run(&mut out, first, &text, (row, start, column - start));
        }
    }
    out.push_str("</svg>\n");
    out
}

fn same(a: &Cell, b: &Cell) -> bool {
    let style = |cell: &Cell| {
        (
            cell.fgcolor(),
            cell.bgcolor(),
            cell.bold(),
            cell.dim(),
            cell.inverse(),
        )
    };
    style(a) == style(b)
}

/// One run of cells of the same style: its background, then its text, as wide as the cells.
fn run(out: &mut String, cell: &Cell, text: &str, (row, column, columns): (u16, u16, u16)) {
    let (mut front, mut back) = (colour(cell.fgcolor(), 7), colour(cell.bgcolor(), 0));
    if cell.inverse() {
        std::mem::swap(&mut front, &mut back);
    }
    let (x, y) = (10 + column * CELL.0, 10 + row * CELL.1);
    let width = columns * CELL.0;
    if back != PALETTE[0] {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"{back}\"/>",
            CELL.1
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let weight = if cell.bold() {
        " font-weight=\"bold\""
    } else {
        ""
    };
    let faint = if cell.dim() { " opacity=\"0.7\"" } else { "" };
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" \
         xml:space=\"preserve\" fill=\"{front}\"{weight}{faint}>{text}</text>",
        y + 15
    );
}

fn colour(colour: Color, default: usize) -> String {
    match colour {
        Color::Default => PALETTE[default].to_owned(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Idx(at @ 0..16) => PALETTE[usize::from(at)].to_owned(),
        Color::Idx(at @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let at = at - 16;
            format!(
                "#{:02x}{:02x}{:02x}",
                level(at / 36),
                level(at / 6 % 6),
                level(at % 6)
            )
        }
        Color::Idx(at) => {
            let grey = 8 + 10 * (at - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}
