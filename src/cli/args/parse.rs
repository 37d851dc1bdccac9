//! The words of a call as a verb, without making the whole tree of verbs.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args as _, FromArgMatches as _, Parser as _, Subcommand as _};

use super::{Cli, Command, Global};

impl Cli {
    /// Parses the words of a call. First against the one verb that they seem to name, because
    /// the whole tree takes longer to make than a small verb to run; where that finds a fault,
    /// against the whole tree, which knows what to say.
    ///
    /// # Errors
    /// The words name no verb, or ask for help, or give a flag of every verb an empty value: a
    /// script whose variable is not set must not reach the default store.
    pub fn of(words: &[OsString]) -> Result<Self, clap::Error> {
        if let Some(flag) = empty(words) {
            let told = format!("{flag} was given an empty value");
            return Err(clap::Error::raw(ErrorKind::InvalidValue, told));
        }
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

/// The flag of every verb whose value is an empty word. An empty variable of the environment is
/// one that is not set.
fn empty(words: &[OsString]) -> Option<String> {
    let flags = Global::augment_args(clap::Command::new("watchfloor"));
    let (given, _) = split(words, &flags)?;
    let after = given.windows(2).find(|two| two[1].trim().is_empty());
    let within = given.iter().find_map(|word| {
        let (flag, value) = word.split_once('=')?;
        (word.starts_with("--") && value.trim().is_empty()).then_some(flag)
    });
    after.map(|two| two[0]).or(within).map(str::to_owned)
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
    fn an_empty_value_is_no_value() {
        for flag in [
            "store", "config", "project", "agent", "task", "mission", "key",
        ] {
            let (flag, joined) = (format!("--{flag}"), format!("--{flag}="));
            for line in [vec![&*flag, "", "status"], vec!["status", &joined]] {
                let words = ["watchfloor"].into_iter().chain(line);
                let words: Vec<OsString> = words.map(OsString::from).collect();
                let error = Cli::of(&words).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidValue, "{words:?}");
                assert!(error.to_string().contains(&flag), "{error}");
            }
        }
        let words = ["watchfloor", "exec", "--", "ls", "--store", ""].map(OsString::from);
        assert!(Cli::of(&words).is_ok(), "another program's words");
    }

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
