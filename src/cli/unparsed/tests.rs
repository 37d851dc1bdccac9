use clap::Parser as _;

use super::*;

/// What a call is refused with. `None` where the parser takes it.
fn refused(words: &[&str]) -> Option<Refusal> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let error = Cli::of(&words).err()?;
    let answers = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
    (!answers.contains(&error.kind())).then(|| refusal(&error, &words))
}

/// Every command of the tree by the words that call it, nouns and hidden ones too.
fn all() -> Vec<(Vec<String>, clap::Command)> {
    fn walk(path: &[String], command: &clap::Command, all: &mut Vec<(Vec<String>, clap::Command)>) {
        let path = [path, &[command.get_name().to_owned()]].concat();
        for verb in command.get_subcommands() {
            walk(&path, verb, all);
        }
        all.push((path, command.clone()));
    }
    let mut tree = Cli::command();
    tree.build();
    let mut all = Vec::new();
    walk(&[], &tree, &mut all);
    all
}

/// A refusal of a verb: its next command exists, and is about this verb.
fn check(words: &[&str], path: &[String]) -> Refusal {
    let refusal = refused(words).unwrap_or_else(|| panic!("{words:?} is taken"));
    assert_eq!(refusal.code, Code::Usage, "{words:?}");
    assert!(!refusal.cause.is_empty() && !refusal.cause.contains('\n'));
    for noise in ["Usage:", "For more", "error:", "  "] {
        assert!(!refusal.cause.contains(noise), "{}", refusal.cause);
    }
    let next = &refusal.next_command;
    assert!(next.starts_with(&path.join(" ")), "{words:?}: {next}");
    let help = Cli::try_parse_from(next.split(' ')).err();
    let kind = help.map(|help| help.kind());
    assert_eq!(kind, Some(ErrorKind::DisplayHelp), "{words:?}: {next}");
    refusal
}

#[test]
fn an_unknown_flag_of_any_verb_is_refused_with_that_verbs_help() {
    let all = all();
    assert!(all.len() > 80, "{}", all.len());
    for (path, _) in &all {
        let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
        words.push("--no-such-flag");
        let refusal = check(&words, path);
        assert!(
            refusal.cause.contains("'--no-such-flag'"),
            "{}",
            refusal.cause
        );
        assert_eq!(refusal.next_command, format!("{} --help", path.join(" ")));
    }
}

#[test]
fn an_unknown_word_behind_a_noun_is_refused_and_a_near_one_is_told() {
    for (path, command) in all() {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let Some(verb) = command
            .get_subcommands()
            .next()
            .map(clap::Command::get_name)
        else {
            continue;
        };
        check(&[&words[..], &["no-such-verb"]].concat(), &path);
        let near = format!("{verb}x");
        let refusal = check(&[&words[..], &[near.as_str()]].concat(), &path);
        assert!(refusal.cause.contains(&near), "{}", refusal.cause);
        if path.len() > 1 {
            let refusal = check(&words, &path);
            assert!(refusal.cause.contains(verb), "{}", refusal.cause);
        }
    }
}

/// Any value that the parser itself knows to be wrong, of any flag or word of any verb.
#[test]
fn a_failures_text_may_begin_with_dashes() {
    for text in [
        "--- FAIL: TestClock",
        "-",
        "--x y",
        "- step 1",
        "--1",
        "-->",
        "a --b",
    ] {
        for verb in ["classify", "observe"] {
            assert!(
                Cli::try_parse_from(["watchfloor", "triage", verb, text]).is_ok(),
                "{text}"
            );
        }
    }
    for text in ["--nonsense", "-n", "--layr=x"] {
        let path: Vec<String> = ["watchfloor", "triage", "observe"]
            .map(str::to_owned)
            .to_vec();
        let refusal = check(&["watchfloor", "triage", "observe", text], &path);
        assert!(refusal.cause.contains(text), "{}", refusal.cause);
    }
}

#[test]
fn minutes_are_from_one_to_a_day() {
    let grant = [
        "watchfloor",
        "grant",
        "add",
        "--host",
        "h",
        "--reason",
        "r",
        "--minutes",
    ];
    let permit = [
        "watchfloor",
        "breaker",
        "permit",
        "b-1",
        "--agent",
        "a",
        "--cause",
        "c",
        "--minutes",
    ];
    for words in [&grant[..], &permit[..]] {
        for (minutes, fits) in [("0", false), ("1", true), ("1440", true), ("1441", false)] {
            let words = [words, &[minutes]].concat();
            assert_eq!(Cli::try_parse_from(&words).is_ok(), fits, "{words:?}");
        }
    }
}

#[test]
fn an_unknown_value_of_any_verb_is_refused_with_that_verbs_help() {
    let mut tried = 0;
    for (path, command) in all() {
        if command.has_subcommands() {
            continue;
        }
        for arg in command
            .get_arguments()
            .filter(|arg| arg.get_action().takes_values())
        {
            let mut words = path.clone();
            words.extend(arg.get_long().map(|long| format!("--{long}")));
            words.push("no such value".to_owned());
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let kind = Cli::try_parse_from(&words).err().map(|error| error.kind());
            let bad = [ErrorKind::InvalidValue, ErrorKind::ValueValidation];
            if kind.is_some_and(|kind| bad.contains(&kind)) {
                let refusal = check(&words, &path);
                assert!(refusal.cause.contains("no such value"), "{}", refusal.cause);
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "only {tried} values are known to the parser");
}

#[test]
fn what_a_verb_cannot_do_without_is_named() {
    let mut tried = 0;
    for (path, command) in all() {
        let needed = command.get_arguments().find(|arg| arg.is_required_set());
        let Some(needed) = needed.filter(|_| !command.has_subcommands()) else {
            continue;
        };
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let refusal = check(&words, &path);
        let name = match needed.get_long() {
            Some(long) => format!("--{long}"),
            None => needed.get_value_names().unwrap()[0].to_string(),
        };
        assert!(refusal.cause.contains(&name), "{}", refusal.cause);
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn the_verb_is_found_behind_flags_of_every_verb() {
    for (line, next) in [
        ("watchfloor stauts", "watchfloor status --help"),
        (
            "watchfloor --store attempt gate --nope",
            "watchfloor gate --help",
        ),
        (
            "watchfloor --json --task=T attempt recrod",
            "watchfloor attempt record --help",
        ),
        (
            "watchfloor -q stop --scope status --nope",
            "watchfloor stop --help",
        ),
        ("watchfloor --nope", "watchfloor --help"),
        ("watchfloor exec status -- --nope", "watchfloor exec --help"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(refused(&words).unwrap().next_command, next, "{line}");
    }
}

#[test]
fn json_is_wanted_by_a_word_of_our_own() {
    for (line, wanted) in [
        ("watchfloor --json nope", true),
        ("watchfloor nope --json -- x", true),
        ("watchfloor exec --nope -- x --json", false),
        ("watchfloor nope", false),
    ] {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        assert_eq!(wants_json(&words), wanted, "{line}");
    }
}
