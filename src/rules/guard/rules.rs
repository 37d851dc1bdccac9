//! Rules as data (spec 3.8): the built-in ones as a table that was made from `catalog/guard/`, and
//! how a command is held against a pattern.

mod patterns;
mod table;

use crate::contract::breaker::Trigger;
use crate::contract::guard_rule::{Environment, GuardRule};

use super::call::Call;
use super::prod::Named;
use super::text::glob;

/// What becomes of a command that a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Trip(Trigger),
    Deny,
    /// It only reads.
    Reads,
}

/// A built-in rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) outcome: Outcome,
    pub(super) reason: &'static str,
    environment: Environment,
    /// It prints a secret, which only matters where that is shown.
    prints: bool,
    unless: &'static [&'static str],
}

/// A program, and the rules with the patterns that begin with it.
type Patterns = (&'static str, &'static [(usize, &'static str)]);

/// What a rule says.
pub(super) struct Told {
    pub(super) trigger: Option<Trigger>,
    pub(super) reason: &'static str,
}

/// The built-in rule of that id.
pub(super) fn told(id: &str) -> Told {
    let rule = table::RULES.iter().find(|rule| rule.id == id);
    Told {
        trigger: rule.and_then(|rule| match rule.outcome {
            Outcome::Trip(trigger) => Some(trigger),
            Outcome::Deny | Outcome::Reads => None,
        }),
        reason: rule.map_or("a rule of the guard forbids it", |rule| rule.reason),
    }
}

/// What the built-in rules say of a command.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The rule that refuses.
    pub(super) refuses: Option<&'static str>,
    /// The rule after which a secret is printed.
    pub(super) prints: Option<&'static str>,
    /// It only reads.
    pub(super) reads: bool,
}

/// Holds a command against the built-in rules.
pub(super) fn judge(call: &Call, environment: impl Fn() -> Named) -> Said {
    let mut said = Said::default();
    let name = call.name.as_str();
    let exact = patterns::PATTERNS.binary_search_by(|(program, _)| (*program).cmp(name));
    let exact = exact.map_or(&[][..], |at| patterns::PATTERNS[at].1);
    let wild = patterns::WILD
        .iter()
        .filter(|(program, _)| glob(program, name));
    let mut held = exact
        .iter()
        .chain(wild.flat_map(|(_, held)| held.iter()))
        .peekable();
    if held.peek().is_none() {
        return said;
    }
    let seen = Seen::of(call, valued(name));
    for (rule, pattern) in held {
        let rule = &table::RULES[*rule];
        if !seen.matches(pattern) || rule.unless.iter().any(|pattern| seen.has(pattern)) {
            continue;
        }
        match rule.outcome {
            Outcome::Reads => said.reads = true,
            _ if rule.prints => said.prints = Some(rule.id),
            _ if applies(rule.environment, &environment) => {
                said.refuses.get_or_insert(rule.id);
            }
            _ => {}
        }
    }
    said
}

/// Whether a built-in rule is about a program.
pub(super) fn knows(program: &str) -> bool {
    patterns::PATTERNS
        .binary_search_by(|(known, _)| (*known).cmp(program))
        .is_ok()
}

/// Whether a rule of the user's own matches.
pub(super) fn own(rule: &GuardRule, call: &Call, environment: impl Fn() -> Named) -> bool {
    let seen = Seen::of(call, valued(&call.name));
    let matches = rule.when.iter().any(|pattern| {
        let (program, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
        program.split('|').any(|program| glob(program, &call.name)) && seen.matches(rest)
    });
    matches
        && !rule.unless.iter().any(|pattern| seen.has(pattern))
        && applies(rule.environment, environment)
}

fn applies(wanted: Environment, named: impl Fn() -> Named) -> bool {
    match wanted {
        Environment::Any => true,
        Environment::Production => named() == Named::Production,
        Environment::Unnamed => named() != Named::Other,
    }
}

/// Flags of a program that take a value.
pub(super) fn valued(program: &str) -> &'static [&'static str] {
    match table::VALUED.binary_search_by(|(known, _)| (*known).cmp(program)) {
        Ok(at) => table::VALUED[at].1,
        Err(_) => &[],
    }
}

/// The words of a command, told apart.
struct Seen<'c> {
    words: Vec<&'c str>,
    flags: Vec<(&'c str, Option<&'c str>)>,
    /// Clusters of one-letter flags.
    clusters: Vec<&'c str>,
}

impl<'c> Seen<'c> {
    fn of(call: &'c Call, valued: &[&str]) -> Self {
        let mut seen = Self {
            words: Vec::new(),
            flags: Vec::new(),
            clusters: Vec::new(),
        };
        let mut args = call.args.iter().map(String::as_str).peekable();
        while let Some(arg) = args.next() {
            if arg == "--" {
                // What runs a script hands it these flags.
                let runs = seen
                    .words
                    .first()
                    .is_some_and(|verb| verb.starts_with("run"));
                let flags = args.clone().filter(|arg| runs && arg.starts_with('-'));
                seen.flags.extend(flags.map(|flag| (flag, None)));
                seen.words.extend(args);
                break;
            }
            if !arg.starts_with('-') || arg == "-" {
                seen.words.push(arg);
                continue;
            }
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None if valued.contains(&arg) => (arg, args.next()),
                // A value that a flag takes though nobody said so is a word too.
                None => (
                    arg,
                    args.peek().copied().filter(|next| !next.starts_with('-')),
                ),
            };
            seen.flags.push((name, value));
            if !arg.starts_with("--") && value.is_none_or(|_| !arg.contains('=')) {
                seen.clusters.push(&arg[1..]);
            }
        }
        seen
    }

    /// Whether a flag, or `--flag=value` with stars, is there.
    fn has(&self, pattern: &str) -> bool {
        pattern.split('|').any(|pattern| {
            if !pattern.starts_with('-') {
                return self.words.iter().any(|word| glob(pattern, word));
            }
            let (name, wanted) = match pattern.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (pattern, None),
            };
            let letter = name
                .strip_prefix('-')
                .filter(|letter| letter.len() == 1 && wanted.is_none());
            self.flags.iter().any(|(flag, value)| {
                glob(name, flag)
                    && wanted.is_none_or(|wanted| value.is_some_and(|value| glob(wanted, value)))
            }) || letter.is_some_and(|letter| {
                self.clusters
                    .iter()
                    .any(|cluster| cluster.len() <= 5 && cluster.contains(letter))
            })
        })
    }

    /// Whether the words of a pattern stand in order, and its flags anywhere.
    fn matches(&self, pattern: &str) -> bool {
        let mut words = self.words.iter();
        let mut anywhere = false;
        for part in pattern.split_ascii_whitespace() {
            if part == "..." {
                anywhere = true;
                continue;
            }
            if part == "$" {
                if words.next().is_some() {
                    return false;
                }
                continue;
            }
            if part.starts_with('-') {
                if !self.has(part) {
                    return false;
                }
                continue;
            }
            let fits = |word: &&&str| part.split('|').any(|part| glob(part, word));
            let found = if anywhere {
                words.by_ref().find(fits)
            } else {
                words.next().filter(fits)
            };
            if found.is_none() {
                return false;
            }
            anywhere = false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a pattern matches a command of these words.
    fn hit(pattern: &str, words: &str) -> bool {
        let words: Vec<String> = format!("x {words}")
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect();
        let call = Call::of(&words, &[], String::new()).unwrap();
        Seen::of(&call, &["-n", "--name"]).matches(pattern)
    }

    #[test]
    fn a_pattern_is_words_in_order_and_flags_anywhere() {
        for (pattern, hits, misses) in [
            ("", &["", "a", "-b"][..], &[][..]),
            (
                "-r",
                &["-r", "a -r", "-rf", "-fr a", "-r=1", "-r a", "-abcdr"],
                &[
                    "",
                    "r",
                    "-R",
                    "--r",
                    "-abcder",
                    "-f=r",
                    "-n -r",
                    "--name -r",
                ],
            ),
            (
                "--force",
                &["--force", "a --force", "--force=a", "-m --force"],
                &[
                    "",
                    "force",
                    "-force",
                    "--forced",
                    "--no-force",
                    "-f",
                    "-n --force",
                ],
            ),
            (
                "--to=a*",
                &["--to=a", "--to=ab", "--to ab", "b --to=ab"],
                &["--to", "--to=b", "--to b"],
            ),
            ("-t=a", &["-t=a", "-t a"], &["-t", "-at", "-t=b"]),
            ("-i|--in", &["-i", "-ai", "--in"], &["-a", "--inn", "i"]),
            (
                "push",
                &["push", "push a", "-v push", "-n 1 push"],
                &["", "a push", "pushed"],
            ),
            (
                "push|send a",
                &["push a", "send a b", "push -f a"],
                &["push", "a push", "send b a"],
            ),
            (
                "push ... main",
                &["push main", "push a b main", "push -f a main c"],
                &["push", "main push", "a push main"],
            ),
            ("$", &["", "-a"], &["a", "- a"]),
            ("get $", &["get", "get -a"], &["get a", ""]),
            (
                "get *key*",
                &["get key", "get a-keys"],
                &["get", "get a key"],
            ),
            (
                "get -o=y*",
                &["get -o=yaml", "get a -o yaml"],
                &["get", "get -o", "-o=yaml"],
            ),
            (
                "run -d",
                &["run -d", "run -- -d", "run a -- -d"],
                &["run d", "run -- d"],
            ),
            (
                "test -d",
                &["test -d", "-d test"],
                &["test -- -d", "test -- d"],
            ),
        ] {
            for words in hits {
                assert!(hit(pattern, words), "{pattern:?} misses {words:?}");
            }
            for words in misses {
                assert!(!hit(pattern, words), "{pattern:?} hits {words:?}");
            }
        }
    }

    #[test]
    fn a_rule_of_the_users_own_asks_program_flags_and_environment() {
        let rule = |environment: &str| {
            let text = format!(
                "[[rule]]\nid = 'own.x'\noutcome = 'deny'\nreason = 'r'\n\
                 when = ['foo|ba* go', 'qux']\nunless = ['--dry|-n', 'help']\n\
                 environment = '{environment}'\nmatch = ['qux']\npass = ['x']\n"
            );
            crate::contract::guard_rule::RuleFile::parse_own(&text)
                .unwrap()
                .remove(0)
        };
        let asked = |environment: &str, line: &str, named: Named| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let call = Call::of(&words, &[], String::new()).unwrap();
            own(&rule(environment), &call, || named)
        };
        for line in ["foo go", "/usr/bin/bar go x", "qux", "qux -d"] {
            assert!(asked("any", line, Named::Other), "{line}");
        }
        for line in [
            "foo",
            "foo stop",
            "go foo",
            "fo go",
            "qux --dry",
            "qux -an",
            "foo go help",
        ] {
            assert!(!asked("any", line, Named::Other), "{line}");
        }
        for (named, production, unnamed) in [
            (Named::Production, true, true),
            (Named::Nothing, false, true),
            (Named::Other, false, false),
        ] {
            assert!(asked("any", "qux", named));
            assert_eq!(asked("production", "qux", named), production, "{named:?}");
            assert_eq!(asked("unnamed", "qux", named), unnamed, "{named:?}");
        }
    }
}
