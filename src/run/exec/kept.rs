//! What is kept of an output of any length: its beginning and its end.

/// Bytes kept of the beginning: what fails first is often the cause.
const HEAD: usize = 48 << 10;
/// Bytes kept of the end: summaries stand there.
const TAIL: usize = 192 << 10;

/// The beginning and the end of an output.
#[derive(Debug, Default)]
pub(super) struct Kept {
    head: Vec<u8>,
    /// At most twice what is kept, so that bytes move in large pieces.
    tail: Vec<u8>,
    taken: u64,
}

impl Kept {
    /// Takes what comes next.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.taken += bytes.len() as u64;
        let room = HEAD - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(TAIL)..];
        if self.tail.len() + rest.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        }
        self.tail.extend_from_slice(rest);
    }

    /// It as a text, with a mark where something was left out.
    pub(super) fn text(&self) -> String {
        let tail = &self.tail[self.tail.len().saturating_sub(TAIL)..];
        let mut bytes = self.head.clone();
        let left_out = self.taken - (self.head.len() + tail.len()) as u64;
        if left_out > 0 {
            let mark = format!("\n[{left_out} bytes left out]\n");
            bytes.extend_from_slice(mark.as_bytes());
        }
        bytes.extend_from_slice(tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = Kept::default();
        kept.take(b"first\n");
        assert_eq!(kept.text(), "first\n");
        let mut sent = 6;
        for number in 0..100_000 {
            let line = format!("line {number}\n");
            sent += line.len();
            kept.take(line.as_bytes());
        }
        kept.take(&vec![b'x'; TAIL]);
        kept.take(b"last");
        let text = kept.text();
        assert!(text.starts_with("first\nline 0\n") && text.ends_with("xlast"));
        assert!(text.len() < HEAD + TAIL + 64);
        let left_out = sent - HEAD + 4;
        assert!(
            text.contains(&format!("[{left_out} bytes left out]")),
            "{left_out}"
        );
    }
}
