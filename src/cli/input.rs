//! What a verb reads: a file that is named, or standard input for `-`.

use std::fs;
use std::io::{self, BufRead, BufReader, Read as _};

use crate::contract::refusal::{Code, Refusal};

/// Reads a file, or standard input for `-`.
pub fn input(file: &str) -> Result<Vec<u8>, Refusal> {
    let unreadable = |error: io::Error| unreadable(file, &error);
    if file == "-" {
        let mut bytes = Vec::with_capacity(8 << 10);
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        return Ok(bytes);
    }
    fs::read(file).map_err(unreadable)
}

/// The lines of a file, or of standard input for `-`, one by one as they come.
pub fn entries(file: &str) -> Result<impl Iterator<Item = Result<Vec<u8>, Refusal>>, Refusal> {
    let source: Box<dyn BufRead> = if file == "-" {
        Box::new(io::stdin().lock())
    } else {
        let opened = fs::File::open(file).map_err(|error| unreadable(file, &error))?;
        Box::new(BufReader::new(opened))
    };
    let lines = source.split(b'\n');
    Ok(lines.map(move |line| line.map_err(|error| unreadable(file, &error))))
}

fn unreadable(file: &str, error: &io::Error) -> Refusal {
    let next = if file == "-" {
        "echo '{}' | watchfloor ...".to_owned()
    } else {
        format!("ls -l {file}")
    };
    Refusal::new(
        Code::FileUnreadable,
        format!("{file} cannot be read: {error}"),
        next,
    )
}
