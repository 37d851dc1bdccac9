//! One line of an `allowed_signers` file, read as OpenSSH reads it (spec 7.1).

use super::principal;
use super::public::Public;
use crate::contract::breaker::Approver;

/// A line that names a signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerLine {
    /// Its principals; a pattern stays a pattern here.
    pub principals: Vec<String>,
    /// What the `namespaces` option names; `None` when there is no such option.
    pub namespaces: Option<Vec<String>>,
    /// Names of the other options, in lower case.
    pub other_options: Vec<String>,
    /// The key.
    pub key: Public,
}

impl SignerLine {
    /// Reads a line without its line end. `None` for blank lines, comments and everything
    /// that is not a signer with a key of a type that is taken: such lines are foreign, and
    /// are only kept.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.trim_matches([' ', '\t', '\r']);
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (principals, rest) = first_word(line)?;
        let principals: Vec<String> = principals
            .split(',')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        if principals.is_empty() {
            return None;
        }
        if let Ok(key) = Public::parse(rest) {
            return Some(Self {
                principals,
                namespaces: None,
                other_options: Vec::new(),
                key,
            });
        }
        let (options, rest) = split_options(rest)?;
        let mut signer = Self {
            principals,
            namespaces: None,
            other_options: Vec::new(),
            key: Public::parse(rest).ok()?,
        };
        for (name, value) in options {
            match (name.as_str(), value) {
                // OpenSSH refuses a line that has the option twice.
                ("namespaces", Some(list)) if signer.namespaces.is_none() => {
                    signer.namespaces = Some(list.split(',').map(str::to_owned).collect());
                }
                ("namespaces", _) => return None,
                _ => signer.other_options.push(name),
            }
        }
        Some(signer)
    }

    /// What the line's signer may approve as: the roles whose namespaces it names exactly.
    ///
    /// A line without namespaces, with a pattern for one or for a principal, or with an option
    /// that narrows it in a way that is not read here (a certificate authority, a time limit)
    /// gives none.
    #[must_use]
    pub fn roles(&self) -> Vec<Approver> {
        let plain = self
            .principals
            .iter()
            .all(|name| principal::check(name).is_ok());
        let named = match &self.namespaces {
            Some(named) if plain && self.other_options.is_empty() => named,
            _ => return Vec::new(),
        };
        // One pattern among them may take away what another name gives.
        if named.iter().any(|name| name.contains(['*', '?', '!'])) {
            return Vec::new();
        }
        [Approver::Lead, Approver::Human]
            .into_iter()
            .filter(|role| named.iter().any(|name| name == role.namespace()))
            .collect()
    }
}

/// The first word of a line, which may be quoted, and the rest behind white space.
fn first_word(line: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = line.strip_prefix('"') {
        let (word, rest) = quoted.split_once('"')?;
        return Some((word, rest.trim_start()));
    }
    let (word, rest) = line.split_once([' ', '\t'])?;
    Some((word, rest.trim_start()))
}

/// One option: its name in lower case and, where it has one, its value.
type LineOption = (String, Option<String>);

/// Options up to the first white space outside quotes, and the rest. Inside quotes `\"` is
/// a quote; there is no other escape.
fn split_options(text: &str) -> Option<(Vec<LineOption>, &str)> {
    let mut options = Vec::new();
    let mut name = String::new();
    let mut value: Option<String> = None;
    let mut quoted = false;
    let mut chars = text.char_indices().peekable();
    let mut end = text.len();
    while let Some((at, c)) = chars.next() {
        let escaped = c == '\\' && chars.peek().is_some_and(|(_, next)| *next == '"');
        match c {
            '"' => quoted = !quoted,
            _ if quoted && escaped => {
                chars.next();
                value.get_or_insert_default().push('"');
            }
            _ if quoted => value.as_mut()?.push(c),
            ' ' | '\t' => {
                end = at;
                break;
            }
            ',' => options.push((name_of(&mut name)?, value.take())),
            '=' if value.is_none() => value = Some(String::new()),
            // OpenSSH takes a value in quotes only.
            _ if value.is_some() => return None,
            _ => name.push(c),
        }
    }
    if quoted {
        return None;
    }
    options.push((name_of(&mut name)?, value));
    Some((options, text.get(end..)?.trim_start()))
}

/// Takes the collected name of an option; `None` for an empty one.
fn name_of(name: &mut String) -> Option<String> {
    let taken = std::mem::take(name).to_ascii_lowercase();
    (!taken.is_empty()).then_some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn parse(front: &str) -> Option<SignerLine> {
        SignerLine::parse(&format!("{front} {KEY} a comment, with words"))
    }

    #[test]
    fn the_usual_line_is_read() {
        let line = parse("ops@laptop namespaces=\"watchfloor-lead,watchfloor-human\"").unwrap();
        assert_eq!(line.principals, ["ops@laptop"]);
        assert_eq!(line.roles(), [Approver::Lead, Approver::Human]);
        assert_eq!(line.key.text, KEY);
        assert_eq!(line.key.comment, "a comment, with words");
        let lead = parse("bot NAMESPACES=\"watchfloor-lead\"").unwrap();
        assert_eq!(lead.roles(), [Approver::Lead]);
    }

    #[test]
    fn lists_quotes_tabs_and_line_ends_are_read() {
        let line = parse("  \"a,b\"\tnamespaces=\"git,watchfloor-human\"").unwrap();
        assert_eq!(line.principals, ["a", "b"]);
        assert_eq!(line.roles(), [Approver::Human]);
        let bare = SignerLine::parse(&format!("a,,b {KEY}\r")).unwrap();
        assert_eq!(bare.principals, ["a", "b"]);
        assert_eq!((bare.namespaces.clone(), bare.roles()), (None, vec![]));
        let escaped = parse("a namespaces=\"x\\\"y, z\"").unwrap();
        assert_eq!(
            escaped.namespaces,
            Some(vec!["x\"y".to_owned(), " z".to_owned()])
        );
    }

    #[test]
    fn other_options_are_read_and_give_no_role() {
        let lead = "namespaces=\"watchfloor-lead\"";
        for (options, other) in [
            (format!("cert-authority,{lead}"), "cert-authority"),
            (format!("{lead},valid-before=\"20300101\""), "valid-before"),
            (format!("Valid-After=\"20300101\",{lead}"), "valid-after"),
            (format!("{lead},unheard-of"), "unheard-of"),
        ] {
            let line = parse(&format!("a {options}")).unwrap();
            assert_eq!(line.other_options, [other]);
            assert_eq!(line.roles(), []);
        }
    }

    #[test]
    fn patterns_give_no_role() {
        for names in ["*", "a*", "a,!b", "?", "\"a b\""] {
            let line = parse(&format!("{names} namespaces=\"watchfloor-human\"")).unwrap();
            assert_eq!(line.roles(), [], "{names}");
        }
        for list in [
            "*",
            "watchfloor-*",
            "!watchfloor-lead",
            "watchfloor-lead,!watchfloor-*",
            "Watchfloor-Lead",
            " watchfloor-lead",
        ] {
            let line = parse(&format!("a namespaces=\"{list}\"")).unwrap();
            assert_eq!(line.roles(), [], "{list}");
        }
    }

    #[test]
    fn everything_else_is_foreign() {
        for front in [
            "",
            "#a",
            "a b",
            "a namespaces=\"x",
            "a namespaces=x",
            "a namespaces",
            "\"a",
            ",",
            "\"\"",
            "a namespaces=\"x\",namespaces=\"y\"",
            "a ,namespaces=\"x\"",
            "a namespaces=\"x\",",
        ] {
            // "a b" is a signer with an option `b`; it is no error, and gives no role.
            let line = parse(front);
            if front == "a b" {
                assert_eq!(line.unwrap().other_options, ["b"]);
            } else {
                assert_eq!(line, None, "{front}");
            }
        }
        for line in [
            "",
            "   ",
            "\t",
            "# comment",
            "a",
            "a ssh-ed25519",
            "a ssh-rsa AAAA x",
            KEY,
        ] {
            assert_eq!(SignerLine::parse(line), None, "{line}");
        }
    }
}
