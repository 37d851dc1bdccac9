//! Shell lines as simple commands, well enough to find a check in them. What cannot be read
//! is left out: a check that is not found is an observation, never a wrong try.

/// A simple command, and what stands between it and the next one.
pub(super) struct Simple {
    pub(super) words: Vec<String>,
    /// `|`, `||`, `&&`, `;`, `&`, with brackets as they stand; a line end is `;`.
    pub(super) then: String,
}

/// The simple commands of a shell line, each as its words without quotes, redirections and
/// the bodies of here documents.
pub(super) fn simple_commands(line: &str) -> Vec<Vec<String>> {
    joined_commands(line)
        .into_iter()
        .map(|one| one.words)
        .collect()
}

/// The same, with what joins each to the next.
pub(super) fn joined_commands(line: &str) -> Vec<Simple> {
    let mut reader = Reader::default();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                reader.open();
                reader.word_extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                reader.open();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    let literal = if c == '\\' { chars.next() } else { Some(c) };
                    reader.word_extend(literal);
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => reader.word_extend([c]),
            },
            '#' if reader.word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '<' | '>' => {
                let mut marks = 1;
                while chars.next_if_eq(&c).is_some() {
                    marks += 1;
                }
                chars.next_if_eq(&'&');
                reader.redirect(c == '<' && marks == 2);
            }
            '&' if chars.peek() == Some(&'>') => reader.end_word(),
            '\n' => {
                reader.end_command(';');
                for end in std::mem::take(&mut reader.here_ends) {
                    skip_here_document(&mut chars, &end);
                }
            }
            ';' | '&' | '|' | '(' | ')' => reader.end_command(c),
            ' ' | '\t' | '\r' => reader.end_word(),
            c => reader.word_extend([c]),
        }
    }
    reader.end_command(';');
    reader.commands
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    commands: Vec<Simple>,
    words: Vec<String>,
    word: Option<String>,
    /// The next word belongs to a redirection; whether it ends a here document.
    target: Option<bool>,
    /// Ends of here documents whose bodies follow the line.
    here_ends: Vec<String>,
}

impl Reader {
    fn open(&mut self) {
        self.word.get_or_insert_default();
    }

    fn word_extend(&mut self, chars: impl IntoIterator<Item = char>) {
        self.word.get_or_insert_default().extend(chars);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        match self.target.take() {
            None => self.words.push(word),
            Some(true) => self.here_ends.push(word.trim_start_matches('-').to_owned()),
            Some(false) => {}
        }
    }

    /// A number right before a redirection names its descriptor.
    fn redirect(&mut self, here: bool) {
        let descriptor = |word: &String| word.bytes().all(|b| b.is_ascii_digit());
        self.word = self.word.take().filter(|word| !descriptor(word));
        self.end_word();
        self.target = Some(here);
    }

    fn end_command(&mut self, by: char) {
        self.end_word();
        self.target = None;
        if !self.words.is_empty() {
            let words = std::mem::take(&mut self.words);
            let then = String::new();
            self.commands.push(Simple { words, then });
        }
        if let Some(last) = self.commands.last_mut() {
            last.then.push(by);
        }
    }
}

fn skip_here_document(chars: &mut impl Iterator<Item = char>, end: &str) {
    loop {
        let mut ended = true;
        let mut line = String::new();
        for c in chars.by_ref() {
            if c == '\n' {
                ended = false;
                break;
            }
            line.push(c);
        }
        if ended || line.trim() == end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let commands = simple_commands(line);
        let commands: Vec<String> = commands.iter().map(|words| words.join(",")).collect();
        commands.join(" ; ")
    }

    #[test]
    fn lines_are_split_where_a_shell_splits_them() {
        for (line, want) in [
            ("", ""),
            ("  a  b\tc\r", "a,b,c"),
            ("a;b&&c||d|e&f\ng", "a ; b ; c ; d ; e ; f ; g"),
            ("(a b)", "a,b"),
            ("a 'b;c' \"d|e\"", "a,b;c,d|e"),
            ("a 'b'\"c\"d ''", "a,bcd,"),
            ("a \"b\\\"c\\\\\" x", "a,b\"c\\,x"),
            ("a\\ b \\; c\\\n d", "a b,;,c,d"),
            ("a # b; c\nd#e", "a ; d#e"),
            ("a \"unclosed", "a,unclosed"),
            ("a 'unclosed", "a,unclosed"),
            ("a \\", "a"),
        ] {
            assert_eq!(read(line), want, "{line:?}");
        }
    }

    #[test]
    fn redirections_are_left_out() {
        for (line, want) in [
            ("a > f b", "a,b"),
            ("a 2>&1 | b", "a ; b"),
            ("a >>f <g b", "a,b"),
            ("a &> f b", "a,b"),
            ("a >> f\nb", "a ; b"),
            ("a <<< w\nb", "a ; b"),
            ("a < f\nb", "a ; b"),
            ("a x2> f", "a,x2"),
            ("a <<< w b", "a,b"),
            ("a >", "a"),
            ("a > ; b", "a ; b"),
        ] {
            assert_eq!(read(line), want, "{line:?}");
        }
    }

    #[test]
    fn here_documents_are_data() {
        for (line, want) in [
            ("cat <<E\nx\nE\na", "cat ; a"),
            ("cat << 'E' > f\nx; y\n  E\na", "cat ; a"),
            ("cat <<-E b\nx\n\tE\na", "cat,b ; a"),
            ("cat <<A <<B\nx\nA\ny\nB\na", "cat ; a"),
            ("cat <<E\nx\nEE\n", "cat"),
            ("cat <<E && a\nx\nE", "cat ; a"),
        ] {
            assert_eq!(read(line), want, "{line:?}");
        }
    }
}
