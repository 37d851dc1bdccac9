//! Words as a shell would hand them to a command.

use super::super::paths;
use super::super::secrets;
use super::super::text::{self, SECRET, SOMETHING, UNKNOWN};
use super::super::tree::{Op, Part, Word};
use super::{Fault, Walk};

/// Most words that one word becomes.
const MOST: usize = 64;
/// Longest word whose braces are looked at.
const LONGEST: usize = 4096;
/// Deepest braces.
const DEEPEST: usize = 4;

/// A piece of a word after its variables were put in.
#[derive(Clone)]
struct Piece {
    text: String,
    quoted: bool,
    /// It is split at blanks.
    splits: bool,
}

/// A character, and whether a shell gives it a meaning.
type Mark = (char, bool, bool);

impl Walk<'_> {
    /// Adds the fields of a word.
    pub(in super::super) fn fields(&mut self, word: &Word, out: &mut Vec<String>) {
        if let Some(bare) = word.bare()
            && !bare.contains(['{', '~'])
        {
            if self.spend(bare.len()) {
                out.push(bare.to_owned());
            }
            return;
        }
        for pieces in self.variants(word) {
            for pieces in self.braced(pieces) {
                join(&pieces, out);
            }
        }
    }

    /// The word as one text: the value of an assignment, a redirection's target.
    pub(in super::super) fn one(&mut self, word: &Word) -> String {
        self.alternatives(word)
            .into_iter()
            .next()
            .unwrap_or_default()
    }

    /// The texts that the word may be, never split.
    pub(in super::super) fn alternatives(&mut self, word: &Word) -> Vec<String> {
        let variants = self.variants(word).into_iter();
        let texts = variants.map(|pieces| pieces.into_iter().map(|piece| piece.text).collect());
        texts.collect()
    }

    /// The variables put in, a variant for each value.
    fn variants(&mut self, word: &Word) -> Vec<Vec<Piece>> {
        let mut variants: Vec<Vec<Piece>> = vec![Vec::new()];
        for (at, part) in word.parts.iter().enumerate() {
            let (texts, quoted, splits) = self.part(part, at == 0);
            if texts.len() * variants.len() > MOST {
                self.fault(Fault::Large);
                return variants;
            }
            if let ([text], [variant]) = (texts.as_slice(), variants.as_mut_slice()) {
                if !self.spend(text.len()) {
                    return variants;
                }
                variant.push(Piece {
                    text: text.clone(),
                    quoted,
                    splits,
                });
                continue;
            }
            let mut longer = Vec::with_capacity(variants.len() * texts.len());
            for text in &texts {
                for variant in &variants {
                    let size: usize = variant.iter().map(|piece| piece.text.len()).sum();
                    if !self.spend(size + text.len()) {
                        return longer;
                    }
                    let mut variant = variant.clone();
                    variant.push(Piece {
                        text: text.clone(),
                        quoted,
                        splits,
                    });
                    longer.push(variant);
                }
            }
            // The empty list leaves nothing of the word.
            variants = longer;
        }
        variants
    }

    fn part(&mut self, part: &Part, first: bool) -> (Vec<String>, bool, bool) {
        match part {
            Part::Text { text, quoted } => {
                let text = if first && !quoted && text.starts_with('~') {
                    self.places.tilde(text)
                } else {
                    text.clone()
                };
                (vec![text], *quoted, false)
            }
            Part::Var { name, quoted, op } => {
                let texts = self.expand(name, *quoted, op);
                (texts, *quoted, !quoted)
            }
            Part::Sub { script, quoted } => {
                let out = self.run(script, "");
                let out = out.trim_end_matches('\n').to_owned();
                (vec![out], *quoted, !quoted)
            }
            Part::Process { script, reads } => {
                let path = format!("/dev/fd/{}", 63 + self.commands);
                if *reads {
                    let out = self.run(script, "");
                    self.put(&path, &out, false);
                } else {
                    let stdin = text::marked(UNKNOWN, "output");
                    let out = self.run(script, &stdin);
                    self.show(&out);
                }
                (vec![path], true, false)
            }
        }
    }

    fn expand(&mut self, name: &str, quoted: bool, op: &Op) -> Vec<String> {
        let value = self.lookup(name, quoted);
        match op {
            Op::Plain | Op::All | Op::Element => value.unwrap_or_else(|| vec![self.unknown(name)]),
            Op::Required => value.unwrap_or_else(|| {
                if secrets::names_a_secret(name) {
                    vec![self.unknown(name)]
                } else {
                    vec![text::marked(SOMETHING, name)]
                }
            }),
            Op::Default(word) => {
                let default = self.alternatives(word);
                match value {
                    Some(value) if value.iter().any(|text| !text.is_empty()) => value,
                    _ if secrets::names_a_secret(name) => {
                        let mut texts = default;
                        texts.push(self.unknown(name));
                        texts
                    }
                    _ => default,
                }
            }
            Op::Alternate(word) => self.alternatives(word),
            Op::Other(word) => {
                self.alternatives(word);
                match value {
                    Some(texts) if texts.iter().any(|text| text.contains(SECRET)) => texts,
                    Some(_) => vec![text::marked(UNKNOWN, name)],
                    None if name.is_empty() => vec![text::marked(SOMETHING, "number")],
                    None => vec![self.unknown(name)],
                }
            }
            Op::Count => vec![text::marked(SOMETHING, "number")],
        }
    }

    /// A variable that the script did not set.
    fn unknown(&mut self, name: &str) -> String {
        if secrets::names_a_secret(name) {
            self.secret
                .get_or_insert_with(|| ("secret.print-var", name.to_owned()));
            return text::marked(SECRET, name);
        }
        text::marked(UNKNOWN, name)
    }

    fn lookup(&mut self, name: &str, quoted: bool) -> Option<Vec<String>> {
        if let Some(value) = self.vars.get(name) {
            let texts = value.texts.clone();
            return Some(match name {
                "*" if quoted => vec![texts.join(" ")],
                _ => texts,
            });
        }
        let known = match name {
            "HOME" => self.places.home().to_owned(),
            "PWD" => self.places.cwd().to_owned(),
            "TMPDIR" | "TMP" | "TEMP" => "/tmp".to_owned(),
            "IFS" => " ".to_owned(),
            "OLDPWD" | "USER" | "LOGNAME" | "UID" | "EUID" | "RANDOM" | "HOSTNAME" | "BASHPID"
            | "PPID" | "SECONDS" | "LINENO" | "EPOCHSECONDS" | "CI_COMMIT_SHA" | "GITHUB_SHA" => {
                text::marked(SOMETHING, name)
            }
            "SHELL" => "/bin/sh".to_owned(),
            _ => return None,
        };
        Some(vec![known]).filter(|texts| texts != &[paths::NOWHERE])
    }

    /// Braces: `{a,b}` and `{1..3}`.
    fn braced(&mut self, pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
        let meant = |piece: &Piece| !piece.quoted && !piece.splits && piece.text.contains('{');
        if !pieces.iter().any(meant) {
            return vec![pieces];
        }
        let marks: Vec<Mark> = pieces
            .iter()
            .flat_map(|piece| {
                let plain = !piece.quoted && !piece.splits;
                piece.text.chars().map(move |c| (c, plain, piece.splits))
            })
            .collect();
        if marks.len() > LONGEST {
            self.fault(Fault::Large);
            return vec![pieces];
        }
        let mut out = Vec::new();
        if !expand_braces(&marks, 0, &mut out) {
            self.fault(Fault::Large);
        }
        if !self.spend(out.iter().map(Vec::len).sum()) {
            return Vec::new();
        }
        out.iter().map(|marks| gather(marks)).collect()
    }
}

/// Marks as pieces again.
fn gather(marks: &[Mark]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (c, plain, splits) in marks {
        let quoted = !plain && !splits;
        match pieces.last_mut() {
            Some(last) if last.quoted == quoted && last.splits == *splits => last.text.push(*c),
            _ => pieces.push(Piece {
                text: c.to_string(),
                quoted,
                splits: *splits,
            }),
        }
    }
    pieces
}

/// The first brace that stands for several texts: its ends, and where its commas are.
fn first_brace(marks: &[Mark]) -> Option<(usize, usize, Vec<usize>)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (at, (c, plain, _)) in marks.iter().enumerate() {
        if !plain {
            continue;
        }
        match c {
            '{' => open.push((at, Vec::new())),
            ',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            '}' => {
                let Some((from, commas)) = open.pop() else {
                    continue;
                };
                let dots = marks[from + 1..at]
                    .windows(2)
                    .any(|two| two[0].0 == '.' && two[1].0 == '.');
                let several = !commas.is_empty() || dots;
                if several && best.as_ref().is_none_or(|(first, ..)| from < *first) {
                    best = Some((from, at, commas));
                }
            }
            _ => {}
        }
    }
    best
}

/// False when there were too many.
fn expand_braces(marks: &[Mark], depth: usize, out: &mut Vec<Vec<Mark>>) -> bool {
    let Some((from, to, commas)) = first_brace(marks) else {
        out.push(marks.to_vec());
        return out.len() <= MOST;
    };
    if depth >= DEEPEST {
        return false;
    }
    let mut choices: Vec<Vec<Mark>> = Vec::new();
    if commas.is_empty() {
        let inside: String = marks[from + 1..to].iter().map(|mark| mark.0).collect();
        choices.extend(
            sequence(&inside)
                .iter()
                .map(|text| text.chars().map(|c| (c, false, false)).collect()),
        );
    } else {
        let mut start = from + 1;
        for end in commas.into_iter().chain([to]) {
            if !expand_braces(&marks[start..end], depth + 1, &mut choices) {
                return false;
            }
            start = end + 1;
        }
    }
    let mut rests = Vec::new();
    if !expand_braces(&marks[to + 1..], depth + 1, &mut rests) {
        return false;
    }
    for choice in &choices {
        for rest in &rests {
            if out.len() >= MOST {
                return false;
            }
            out.push([&marks[..from], choice, rest].concat());
        }
    }
    true
}

/// `1..3` or `a..c`.
fn sequence(inside: &str) -> Vec<String> {
    let mut ends = inside.split("..");
    let (first, last) = (
        ends.next().unwrap_or_default(),
        ends.next().unwrap_or_default(),
    );
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>())
        && first.abs_diff(last) < 16
    {
        let (low, high) = (first.min(last), first.max(last));
        return (low..=high).map(|number| number.to_string()).collect();
    }
    let mut letters = (first.chars(), last.chars());
    if let (Some(from), None, Some(to), None) = (
        letters.0.next(),
        letters.0.next(),
        letters.1.next(),
        letters.1.next(),
    ) && from.is_ascii_alphabetic()
        && to.is_ascii_alphabetic()
    {
        return (from.min(to)..=from.max(to)).map(String::from).collect();
    }
    vec![text::marked(SOMETHING, "number")]
}

/// Adds the fields that pieces make.
fn join(pieces: &[Piece], out: &mut Vec<String>) {
    let mut field: Option<String> = None;
    for piece in pieces {
        if !piece.splits {
            field.get_or_insert_default().push_str(&piece.text);
            continue;
        }
        let blank = [' ', '\t', '\n'];
        if piece.text.starts_with(blank) {
            out.extend(field.take());
        }
        let mut words = text::fields(&piece.text).peekable();
        while let Some(word) = words.next() {
            field.get_or_insert_default().push_str(word);
            if words.peek().is_some() {
                out.extend(field.take());
            }
        }
        if piece.text.ends_with(blank) {
            out.extend(field.take());
        }
    }
    out.extend(field);
}
