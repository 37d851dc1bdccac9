//! The words of an entry: which program an agent's hook runs, and how such an entry is known again.

use crate::contract::refusal::{Code, Refusal};

/// The word by which an entry that `install` wrote is known again, wherever it was moved to.
pub const TAG: &str = "--installed";

/// The name of the MCP server's entry.
pub const SERVER: &str = "watchfloor";

/// The program that entries call, and the flags that they carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Absolute path of the program.
    pub program: String,
    /// Flags behind the verb, e.g. `--store PATH`.
    pub flags: Vec<String>,
}

impl Call {
    /// A call of this program.
    ///
    /// # Errors
    /// The path is not absolute, or no text.
    pub fn new(program: &std::path::Path, flags: Vec<String>) -> Result<Self, Refusal> {
        let text = program.to_str().filter(|text| text.starts_with('/'));
        let Some(text) = text.filter(|text| !text.contains(['\n', '\r', '\0'])) else {
            let cause = format!(
                "{} is no path that can stand in a configuration file",
                program.display()
            );
            return Err(Refusal::new(
                Code::FileUnreadable,
                cause,
                "move the program to a plain path",
            ));
        };
        Ok(Self {
            program: text.to_owned(),
            flags,
        })
    }

    /// The words behind the program that a hook's entry has.
    #[must_use]
    pub fn hook(&self, harness: &str, event: &str) -> Vec<String> {
        let mut words = vec!["hook".to_owned(), harness.to_owned()];
        if !event.is_empty() {
            words.push(event.to_owned());
        }
        words.push(TAG.to_owned());
        words.extend(self.flags.iter().cloned());
        words
    }

    /// The words behind the program that the MCP server's entry has.
    #[must_use]
    pub fn server(&self) -> Vec<String> {
        let mut words = vec!["mcp".to_owned(), TAG.to_owned()];
        words.extend(self.flags.iter().cloned());
        words
    }

    /// A hook's whole command line, for a shell.
    #[must_use]
    pub fn hook_line(&self, harness: &str, event: &str) -> String {
        let mut line = quoted(&self.program);
        for word in self.hook(harness, event) {
            line.push(' ');
            line.push_str(&quoted(&word));
        }
        line
    }
}

/// Who wrote an entry that calls this product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// `install`.
    Install,
    /// Somebody, by hand.
    Hand,
}

/// Whether the words of a command, with its program, call a hook of this harness.
#[must_use]
pub fn written_by(words: &[String], harness: &str) -> Option<Writer> {
    let [program, hook, named, rest @ ..] = words else {
        return None;
    };
    if hook != "hook" || named != harness {
        return None;
    }
    if rest.iter().any(|word| word == TAG) {
        return Some(Writer::Install);
    }
    let name = program.rsplit('/').next().unwrap_or_default();
    name.starts_with("watchfloor").then_some(Writer::Hand)
}

/// Who wrote the MCP server's entry with these words. One that runs something else altogether is
/// nobody's that is known here: no second one can be put beside it.
#[must_use]
pub fn server_by(words: &[String]) -> Option<Writer> {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let calls = words.is_empty() || words.iter().any(|word| word.contains("mcp"));
    match (has(TAG), calls) {
        (true, _) => Some(Writer::Install),
        (false, true) => Some(Writer::Hand),
        (false, false) => None,
    }
}

/// A word as a shell takes it for one.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The words of a command line as a shell splits them. Operators are words like any other, so that
/// a line that does more than call this product is not taken for an entry of ours.
#[must_use]
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(program: &str) -> Call {
        let flags = vec!["--store".to_owned(), "/a b/it's.db".to_owned()];
        Call::new(std::path::Path::new(program), flags).unwrap()
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let call = call("/opt/it's here/watchfloor");
        let line = call.hook_line("codex", "Stop");
        let mut words = vec![call.program.clone()];
        words.extend(call.hook("codex", "Stop"));
        assert_eq!(split(&line), words);
        assert_eq!(written_by(&words, "codex"), Some(Writer::Install));
        assert_eq!(written_by(&words, "gemini"), None);
    }

    #[test]
    fn entries_are_told_apart() {
        let by = |line: &str| written_by(&split(line), "codex");
        assert_eq!(by("watchfloor hook codex Stop"), Some(Writer::Hand));
        assert_eq!(
            by("/x/wf hook codex Stop --installed"),
            Some(Writer::Install)
        );
        assert_eq!(by("/x/other hook codex Stop"), None);
        assert_eq!(by("watchfloor status"), None);
        assert_eq!(by("echo watchfloor hook codex"), None);
        assert_eq!(by(""), None);
    }

    #[test]
    fn servers_are_told_apart() {
        let by = |line: &str| server_by(&split(line));
        assert_eq!(by("/w mcp --installed --store /s"), Some(Writer::Install));
        assert_eq!(by("watchfloor mcp"), Some(Writer::Hand));
        assert_eq!(by("sh -c 'exec watchfloor mcp'"), Some(Writer::Hand));
        assert_eq!(
            by(""),
            Some(Writer::Hand),
            "one without a command is told elsewhere"
        );
        assert_eq!(by("other --x"), None);
    }

    #[test]
    fn a_path_that_is_no_text_is_refused() {
        assert!(Call::new(std::path::Path::new("watchfloor"), Vec::new()).is_err());
        assert!(Call::new(std::path::Path::new("/a\nb"), Vec::new()).is_err());
    }
}
