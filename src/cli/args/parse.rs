//! The words of a call as a verb, without making the whole tree of verbs.

use std::ffi::OsString;

use clap::{Args as _, FromArgMatches as _, Parser as _, Subcommand as _};

use super::{Cli, Command, Global};

impl Cli {
    /// Parses the words of a call. First against the one verb that they seem to name, because
    /// the whole tree takes longer to make than a small verb to run; where that finds a fault,
    /// against the whole tree, which knows what to say.
    ///
    /// # Errors
    /// The words name no verb, or ask for help.
    pub fn of(words: &[OsString]) -> Result<Self, clap::Error> {
        match Self::of_one_verb(words) {
            Some(cli) => Ok(cli),
            None => Self::try_parse_from(words),
        }
    }

    /// The flags of every verb are parsed apart from the verb, so that it need not know them.
    fn of_one_verb(words: &[OsString]) -> Option<Self> {
        let mut flags = Global::augment_args(clap::Command::new("watchfloor"));
        let (given, rest) = split(words, &flags)?;
        let verbs = Command::augment_subcommands(clap::Command::new(""));
        let verb = verbs.find_subcommand(rest.get(1)?)?.clone();
        let mut parser = clap::Command::new("watchfloor").subcommand(verb);
        let global = flags.try_get_matches_from_mut(given).ok()?;
        let command = parser.try_get_matches_from_mut(rest).ok()?;
        // The process ends soon; taking these apart would be work for nothing.
        std::mem::forget((flags, verbs, parser));
        Some(Self {
            global: Global::from_arg_matches(&global).ok()?,
            command: Some(Command::from_arg_matches(&command).ok()?),
        })
    }
}

/// The words that are flags of every verb, with their values, and the others; both begin with the
/// program. `None` for words that are no text, or that need more care than this takes.
fn split<'w>(words: &'w [OsString], flags: &clap::Command) -> Option<(Vec<&'w str>, Vec<&'w str>)> {
    let mut words = words.iter().map(|word| word.to_str());
    let program = words.next()??;
    let (mut given, mut rest) = (vec![program], vec![program]);
    while let Some(word) = words.next() {
        let word = word?;
        if word == "--" {
            rest.push(word);
            for other in words.by_ref() {
                rest.push(other?);
            }
            break;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is = |arg: &&clap::Arg| match name.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => name == "-q" && arg.get_short() == Some('q'),
        };
        let Some(flag) = flags.get_arguments().find(is) else {
            rest.push(word);
            continue;
        };
        given.push(word);
        if flag.get_action().takes_values() && value.is_none() {
            given.push(words.next()??);
        }
    }
    Some((given, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_verb_is_parsed_as_the_whole_tree_would() {
        let lines = [
            "watchfloor",
            "watchfloor --json",
            "watchfloor status --json",
            "watchfloor --store attempt gate check --task T --role maker --strategy s",
            "watchfloor --project init --json attempt record - --key status",
            "watchfloor attempt record -- --file",
            "watchfloor -q --no-color attempt record - --agent=a --json",
            "watchfloor attempt --task T record - -qx",
            "watchfloor gate check --task T --task U --role maker --strategy s",
            "watchfloor gate check --task --role maker --strategy s",
            "watchfloor stop --reason=--json --quiet",
            "watchfloor stop --reason --json",
            "watchfloor --store",
            "watchfloor --store= status",
            "watchfloor hook claude before",
            "watchfloor breaker reset b-1 --cause verify --fix f --evidence e --to active",
            "watchfloor attempt",
            "watchfloor attempt recrod -",
            "watchfloor stauts",
            "watchfloor init extra",
            "watchfloor help status",
            "watchfloor status --help",
            "watchfloor --version",
        ];
        for line in lines {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let text = |parsed: Result<Cli, clap::Error>| match parsed {
                Ok(cli) => format!("{cli:?}"),
                Err(error) => error.to_string(),
            };
            let whole = text(Cli::try_parse_from(&words));
            assert_eq!(text(Cli::of(&words)), whole, "{line}");
        }
    }
}
