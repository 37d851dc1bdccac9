//! Where code stands among the flags of an interpreter.

/// What a cluster of letters such as `-BEsuSc` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cluster<'c> {
    /// The letters before the first one that takes a value.
    pub(super) letters: &'c str,
    /// The letter that takes a value, if there is one.
    pub(super) takes: Option<char>,
    /// What stands right behind that.
    value: &'c str,
    /// Its value may be the next word.
    next: bool,
}

/// Letters that take a value, by the language: those whose value may be the next word, and those
/// whose value stands right behind them or nowhere.
fn valued(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "python" | "pypy" => Some(("cmWX", "")),
        "perl" => Some(("eEI", "MmiFxDV")),
        "ruby" => Some(("eICEr", "iFKTWx")),
        _ => None,
    }
}

/// Reads such a word; `None` for every other one, and for languages without clusters.
pub(super) fn cluster<'c>(name: &str, arg: &'c str) -> Option<Cluster<'c>> {
    let (next, joined) = valued(name)?;
    let letters = arg.strip_prefix('-')?;
    if letters.is_empty() || letters.starts_with('-') {
        return None;
    }
    let taking = |c: char| next.contains(c) || joined.contains(c);
    let at = letters.find(taking).unwrap_or(letters.len());
    let mut rest = letters[at..].chars();
    let takes = rest.next();
    Some(Cluster {
        letters: &letters[..at],
        takes,
        value: rest.as_str(),
        next: takes.is_some_and(|c| next.contains(c)),
    })
}

impl<'c> Cluster<'c> {
    /// Whether code stands behind its letter, here or in the next word.
    pub(super) fn codes(&self, name: &str) -> bool {
        match self.takes {
            Some('c') => name.starts_with("py"),
            Some('e') => !name.starts_with("py"),
            Some('E') => name == "perl",
            _ => false,
        }
    }

    /// Whether its value names a module that is run.
    pub(super) fn runs_module(&self, name: &str) -> bool {
        self.takes == Some('m') && name.starts_with("py")
    }

    /// Its value, which may be the next word; that is then taken.
    pub(super) fn value(&self, args: &'c [String], at: &mut usize) -> Option<&'c str> {
        if self.next && self.value.is_empty() {
            *at += 1;
            return args.get(*at).map(String::as_str);
        }
        Some(self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_next_word_only_where_it_may_be() {
        let args = ["a".to_owned(), "b".to_owned()];
        for (name, arg, want) in [
            ("python", "-c", (Some("b"), 1)),
            ("python", "-cx", (Some("x"), 0)),
            ("python", "-B", (Some(""), 0)),
            ("perl", "-M", (Some(""), 0)),
            ("perl", "-I", (Some("b"), 1)),
            ("ruby", "-r", (Some("b"), 1)),
        ] {
            let mut at = 0;
            let value = cluster(name, arg).unwrap().value(&args, &mut at);
            assert_eq!((value, at), want, "{name} {arg}");
        }
    }

    #[test]
    fn code_is_found_behind_its_letter() {
        for (name, arg, want) in [
            ("python", "-c", Some(("", Some('c'), ""))),
            ("python", "-BEsuSc", Some(("BEsuS", Some('c'), ""))),
            ("pypy", "-Bcx", Some(("B", Some('c'), "x"))),
            ("python", "-Wcx", Some(("", Some('W'), "cx"))),
            ("python", "-um", Some(("u", Some('m'), ""))),
            ("python", "-B", Some(("B", None, ""))),
            ("perl", "-0777ne", Some(("0777n", Some('e'), ""))),
            ("perl", "-i.bake", Some(("", Some('i'), ".bake"))),
            ("ruby", "-rjson", Some(("", Some('r'), "json"))),
            ("perl", "--version", None),
            ("perl", "-", None),
            ("perl", "x", None),
            ("node", "-e", None),
        ] {
            let said = cluster(name, arg).map(|said| (said.letters, said.takes, said.value));
            assert_eq!(said, want, "{name} {arg}");
        }
        for (name, arg, want) in [
            ("python", "-c", true),
            ("python", "-m", false),
            ("perl", "-e", true),
            ("perl", "-E", true),
            ("perl", "-I", false),
            ("ruby", "-e", true),
            ("ruby", "-E", false),
            ("ruby", "-n", false),
        ] {
            assert_eq!(
                cluster(name, arg).unwrap().codes(name),
                want,
                "{name} {arg}"
            );
        }
    }
}
