//! One command as it would be called: its program, its words, its flags.

use super::text;

/// A command.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The program's base name.
    pub(super) name: String,
    /// The program as written.
    pub(super) path: String,
    pub(super) args: Vec<String>,
    /// What is set for it alone.
    pub(super) env: Vec<(String, String)>,
    pub(super) stdin: String,
}

/// Words and flags of a command.
#[derive(Debug, Default)]
pub(super) struct Options<'c> {
    /// What is no flag and no flag's value.
    pub(super) words: Vec<&'c str>,
    /// Where `--` stood among the words.
    pub(super) dashes: Option<usize>,
    flags: Vec<(&'c str, Option<&'c str>)>,
}

impl Call {
    pub(super) fn of(argv: &[String], env: &[(String, String)], stdin: String) -> Option<Self> {
        let (path, args) = argv.split_first()?;
        let name = text::base(path);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        Some(Self {
            name: name.to_owned(),
            path: path.clone(),
            args: args.to_vec(),
            env: env.to_vec(),
            stdin,
        })
    }

    /// The words and flags. `valued` are the flags that take the next word: `-x` also in a cluster,
    /// `--long` also by an abbreviation.
    pub(super) fn options<'c>(&'c self, valued: &[&str]) -> Options<'c> {
        options(&self.args, valued)
    }

    /// The value of a variable that is set for this call.
    pub(super) fn env(&self, name: &str) -> Option<&str> {
        let mut found = self.env.iter().rev().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Whether a word is there as it stands.
    pub(super) fn has(&self, word: &str) -> bool {
        self.args.iter().any(|arg| arg == word)
    }
}

/// The words and flags of some arguments.
pub(super) fn options<'c>(args: &'c [String], valued: &[&str]) -> Options<'c> {
    let mut options = Options::default();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        if arg == "--" {
            options.dashes = Some(options.words.len());
            options.words.extend(rest);
            break;
        }
        if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (&arg[..name.len() + 2], Some(value)),
                None => (arg, None),
            };
            let takes = || valued.iter().any(|known| known.len() > 2 && *known == name);
            let value = if value.is_none() && takes() {
                rest.next()
            } else {
                value
            };
            options.flags.push((name, value));
        } else if arg.len() > 1 && arg.starts_with('-') {
            cluster(arg, &mut rest, valued, &mut options);
        } else {
            options.words.push(arg);
        }
    }
    options
}

fn cluster<'c>(
    arg: &'c str,
    rest: &mut impl Iterator<Item = &'c str>,
    valued: &[&str],
    options: &mut Options<'c>,
) {
    for (at, c) in arg.char_indices().skip(1) {
        let end = at + c.len_utf8();
        let letter = &arg[at..end];
        let takes = valued
            .iter()
            .any(|known| known.len() == 2 && known.strip_prefix('-') == Some(letter));
        if takes {
            let value = if end < arg.len() {
                Some(&arg[end..])
            } else {
                rest.next()
            };
            options.flags.push((letter, value));
            return;
        }
        options.flags.push((letter, None));
    }
}

impl<'c> Options<'c> {
    /// Whether a flag is there: `-x` as its letter, `--long` also by an abbreviation of at least
    /// `least` letters.
    pub(super) fn flag(&self, letter: &str, long: &str, least: usize) -> bool {
        self.last(letter, long, least).is_some()
    }

    /// The last such flag, with its value where it has one.
    #[expect(
        clippy::option_option,
        reason = "a flag that is there may have no value"
    )]
    pub(super) fn last(&self, letter: &str, long: &str, least: usize) -> Option<Option<&'c str>> {
        let mut found = None;
        for (name, value) in &self.flags {
            match name.strip_prefix("--") {
                Some(given) => {
                    let negated = given.strip_prefix("no-") == Some(long);
                    if negated {
                        found = None;
                    } else if given == long || (given.len() >= least && long.starts_with(given)) {
                        found = Some(*value);
                    }
                }
                None if !letter.is_empty() && *name == letter => found = Some(*value),
                None => {}
            }
        }
        found
    }

    /// The value of a flag.
    pub(super) fn value(&self, letter: &str, long: &str) -> Option<&'c str> {
        self.last(letter, long, long.len()).flatten()
    }

    /// All values of a flag.
    pub(super) fn values(&self, letter: &str, long: &str) -> Vec<&'c str> {
        let mine = |name: &str| {
            name.strip_prefix("--")
                .map_or(!letter.is_empty() && name == letter, |given| given == long)
        };
        let flags = self.flags.iter().filter(|(name, _)| mine(name));
        flags.filter_map(|(_, value)| *value).collect()
    }

    /// Every flag, letters without their dash.
    pub(super) fn flags(&self) -> impl Iterator<Item = (&'c str, Option<&'c str>)> {
        self.flags.iter().copied()
    }
}
