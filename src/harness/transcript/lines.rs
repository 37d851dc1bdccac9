//! Bytes into lines, with a bound on what is kept: a line that is longer is passed over, and
//! hides no other.

/// Bytes of a line that are kept at most.
pub(super) const LONGEST: usize = 2 << 20;

/// Splits what comes in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of a line whose end has not come yet.
    half: Vec<u8>,
    /// That line is too long: all of it is passed over.
    passing: bool,
    /// Bytes that came since the last line end.
    waiting: u64,
}

impl Lines {
    /// Lines from inside a line: what comes before the first line end belongs to it.
    pub(super) fn inside() -> Self {
        Self {
            passing: true,
            ..Self::default()
        }
    }

    /// Bytes that wait for the end of their line.
    pub(super) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Takes bytes in, and hands on each line that they complete, with the number of bytes of
    /// them that were used up to its end.
    pub(super) fn take(&mut self, bytes: &[u8], mut line: impl FnMut(&[u8], usize)) {
        let mut begin = 0;
        while let Some(length) = bytes[begin..].iter().position(|byte| *byte == b'\n') {
            let end = begin + length;
            let part = &bytes[begin..end];
            let fits = !self.passing && self.half.len() + part.len() <= LONGEST;
            if fits && self.half.is_empty() {
                line(part, end + 1);
            } else if fits {
                self.half.extend_from_slice(part);
                line(&self.half, end + 1);
            }
            self.half.clear();
            self.half.shrink_to(64 << 10);
            self.passing = false;
            self.waiting = 0;
            begin = end + 1;
        }
        let rest = &bytes[begin..];
        self.waiting += rest.len() as u64;
        if self.passing || self.half.len() + rest.len() > LONGEST {
            self.passing = true;
            self.half = Vec::new();
        } else {
            self.half.extend_from_slice(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.take(piece, |line, _| found.push(line.to_vec()));
        }
        found
    }

    #[test]
    fn a_line_comes_when_its_end_has_come() {
        assert_eq!(all(&[b"{\"a\"", b":1}\n{", b"}"]), [b"{\"a\":1}"]);
        assert_eq!(
            all(&[b"\n\na\n"]),
            [b"".to_vec(), b"".to_vec(), b"a".to_vec()]
        );
        let mut lines = Lines::inside();
        let mut found = Vec::new();
        lines.take(b"rest of one\nnext\nhalf", |line, at| {
            found.push((line.to_vec(), at));
        });
        assert_eq!(found, [(b"next".to_vec(), 17)]);
        assert_eq!(lines.waiting(), 4);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_its_memory_given_back() {
        let mut lines = Lines::default();
        let mut found = 0;
        let piece = vec![b'x'; 64 << 10];
        for _ in 0..1600 {
            lines.take(&piece, |_, _| found += 1);
            assert!(lines.half.capacity() <= 2 * LONGEST);
        }
        assert_eq!((found, lines.half.capacity()), (0, 0));
        assert_eq!(lines.waiting(), 1600 * (64 << 10));
        lines.take(b"\nshort\n", |line, _| {
            assert_eq!(line, b"short");
            found += 1;
        });
        assert_eq!(found, 1);
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_give_the_same_lines(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), any::<u8>()], 0..400),
            cuts in proptest::collection::vec(0_usize..40, 0..40),
        ) {
            let mut pieces: Vec<&[u8]> = Vec::new();
            let mut rest = &text[..];
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            let mut whole: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            whole.pop();
            prop_assert_eq!(all(&pieces), whole);
        }

        #[test]
        fn the_end_of_a_line_is_told_as_it_stands(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200)) {
            let mut lines = Lines::default();
            let mut ends = Vec::new();
            lines.take(&text, |_, end| ends.push(end));
            let wanted: Vec<usize> = (1..=text.len()).filter(|at| text[at - 1] == b'\n').collect();
            prop_assert_eq!(ends, wanted);
        }
    }
}
