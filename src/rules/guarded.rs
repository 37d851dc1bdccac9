//! Calls of this binary that pass while a breaker is open (spec 3.6, NO MUTATION): exactly one
//! simple command with one of a few verbs. Whatever is not plainly that is not that.

/// The verbs that pass: recording facts, asking the gate, answering handoffs, reading.
const VERBS: [&str; 19] = [
    "attempt record",
    "attempt list",
    "gate check",
    "handoff ask",
    "handoff answer",
    "handoff reply",
    "handoff release",
    "handoff wait",
    "handoff show",
    "handoff list",
    "handoff log",
    "task show",
    "task list",
    "mission show",
    "mission list",
    "breaker show",
    "breaker list",
    "status",
    "inbox read",
];

/// Global flags that take a value.
const VALUED: [&str; 6] = [
    "--store",
    "--project",
    "--agent",
    "--task",
    "--mission",
    "--config",
];
/// Global flags that take none.
const BARE: [&str; 3] = ["--json", "--no-color", "--quiet"];

/// The verb of a shell line that is exactly one simple command of this binary with a verb that
/// passes an open breaker; `None` for everything else.
///
/// ```
/// use watchfloor::rules::guarded::simple_product_call;
/// let line = "watchfloor --json attempt record --strategy 'widen the lock'";
/// assert_eq!(simple_product_call(line), Some("attempt record"));
/// assert_eq!(simple_product_call("watchfloor status; rm -rf x"), None);
/// ```
#[must_use]
pub fn simple_product_call(command: &str) -> Option<&'static str> {
    let words = words(command)?;
    let (binary, rest) = words.split_first()?;
    let named =
        binary.plain && (binary.text == "watchfloor" || binary.text.ends_with("/watchfloor"));
    if !named {
        return None;
    }
    let mut rest = rest.iter();
    let noun = after_flags(&mut rest)?;
    let verb = if noun == "status" {
        noun.to_owned()
    } else {
        format!("{noun} {}", after_flags(&mut rest)?)
    };
    VERBS.into_iter().find(|known| *known == verb)
}

/// The next word that is no global flag. Quoting there is a trick, an unknown flag is not ours.
fn after_flags<'a>(words: &mut impl Iterator<Item = &'a Word>) -> Option<&'a str> {
    while let Some(word) = words.next() {
        let (flag, value) = match word.text.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (word.text.as_str(), false),
        };
        if VALUED.contains(&flag) {
            if !value {
                words.next()?;
            }
        } else if !(word.plain && BARE.contains(&word.text.as_str())) {
            return word.plain.then_some(word.text.as_str());
        }
    }
    None
}

/// One word of the line.
struct Word {
    text: String,
    /// It was written without quotes.
    plain: bool,
}

/// Splits a line into words; `None` when it holds anything but plain words and plain quoting.
fn words(line: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = line.trim_matches(BLANK);
    while !rest.is_empty() {
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after.trim_start_matches(BLANK);
    }
    Some(words)
}

const BLANK: [char; 2] = [' ', '\t'];

/// The first word and what follows it. A quoted part is a whole word, or all of it after `=`.
fn word(line: &str) -> Option<(Word, &str)> {
    let end = line.find(|c| !is_plain(c)).unwrap_or(line.len());
    let (head, rest) = line.split_at(end);
    if head.starts_with('=') {
        return None;
    }
    let Some(quote) = rest.chars().next().filter(|c| !BLANK.contains(c)) else {
        let text = head.to_owned();
        return Some((Word { text, plain: true }, rest));
    };
    if !matches!(quote, '\'' | '"') || !(head.is_empty() || head.ends_with('=')) {
        return None;
    }
    let (inside, after) = rest.get(1..)?.split_once(quote)?;
    let expands = |c: char| c.is_control() || (quote == '"' && matches!(c, '$' | '`' | '\\' | '!'));
    if inside.contains(expands) || !(after.is_empty() || after.starts_with(BLANK)) {
        return None;
    }
    let text = format!("{head}{inside}");
    Some((Word { text, plain: false }, after))
}

/// What no shell gives a meaning to.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '=' | ',' | '@' | '%' | '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verb_passes_with_flags_before_and_after() {
        for verb in VERBS {
            for line in [
                format!("watchfloor {verb}"),
                format!("  /usr/local/bin/watchfloor\t{verb}  --json "),
                format!("./watchfloor --store X --json --project=/p {verb} T-1"),
                format!("watchfloor --agent 'a b' --task \"T 1\" --mission M --no-color {verb}"),
                format!("watchfloor --quiet --config=\"a b\" {verb} --note 'it is; rm -rf $x `y`'"),
            ] {
                assert_eq!(simple_product_call(&line), Some(verb), "{line}");
            }
        }
        assert_eq!(
            simple_product_call(
                "watchfloor attempt --task T record --summary \"déjà vu & more\" '' \"\""
            ),
            Some("attempt record")
        );
        assert_eq!(simple_product_call("watchfloor status now"), Some("status"));
    }

    #[test]
    fn other_verbs_and_binaries_do_not_pass() {
        for line in [
            "",
            "   ",
            "watchfloor",
            "watchfloor --json",
            "watchfloor --store",
            "watchfloor --store status",
            "watchfloor attempt",
            "watchfloor attempt plan",
            "watchfloor attempt recorder",
            "watchfloor inbox",
            "watchfloor inbox write",
            "watchfloor breaker reset b-1",
            "watchfloor handoff decide",
            "watchfloor resume",
            "watchfloor exec -- status",
            "watchfloor --force status",
            "watchfloor --json=1 status",
            "watchfloor x status",
            "watchfloors status",
            "notwatchfloor status",
            "./notwatchfloor status",
            "watchfloor/x status",
            "status",
            "env watchfloor status",
            "A=1 watchfloor status",
            "'watchfloor' status",
            "watchfloor 'status'",
            "watchfloor attempt 'record'",
            "watchfloor '--json' status",
            "cat watchfloor status",
        ] {
            assert_eq!(simple_product_call(line), None, "{line}");
        }
    }

    #[test]
    fn nothing_that_a_shell_could_expand_passes() {
        for tail in [
            "; ls",
            "&& ls",
            "| cat",
            "& ",
            "> f",
            "< f",
            ">> f",
            "<< E",
            "\nls",
            "\r",
            "\u{b}",
            "$(ls)",
            "`ls`",
            "$HOME",
            "\"$HOME\"",
            "\"`ls`\"",
            "\"a\\\"b\"",
            "\"a!b\"",
            "!x",
            "*",
            "a?",
            "[a]",
            "{a,b}",
            "~",
            "#x",
            "\\x",
            "(",
            ")",
            "=ls",
            "a'b'",
            "'a'b",
            "'a''b'",
            "'a'\"b\"",
            "'a",
            "\"a",
            "\"a\nb\"",
            "'a\nb'",
            "a^b",
            "\u{a0}x",
            "'a';ls",
            "--x='a'b",
        ] {
            let line = format!("watchfloor status {tail}");
            assert_eq!(simple_product_call(&line), None, "{line:?}");
        }
        for tail in [
            "'$HOME'",
            "'a\\b'",
            "'!'",
            "\"it's\"",
            "'say \"x\"'",
            "a=b",
            "--x='a=b'",
            "50%",
            "a@b,c+d:e",
        ] {
            let line = format!("watchfloor status {tail}");
            assert_eq!(simple_product_call(&line), Some("status"), "{line:?}");
        }
    }
}
