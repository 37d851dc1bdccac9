//! A diff in lines, without secrets.

use crate::contract::going::{DiffKind, DiffLine, TreeDiff};
use crate::contract::guard::Policy;
use crate::contract::secret;
use crate::rules::guard;

/// Characters of a line that are kept.
const COLUMNS: usize = 1_000;

/// What is being read.
#[derive(Default)]
struct Reader {
    diff: TreeDiff,
    /// Lines of the old and of the new file that the hunk still has.
    left: (usize, usize),
    /// The lines of the hunk so far: a secret may go over several.
    hunk: Vec<DiffLine>,
    most: usize,
}

/// Reads what git prints.
pub(super) fn parse(text: &str, most: usize) -> TreeDiff {
    let mut reader = Reader {
        most,
        ..Reader::default()
    };
    for line in text.lines() {
        if reader.diff.lines.len() + reader.hunk.len() >= most {
            reader.diff.cut = Some(format!("only the first {most} lines are shown"));
            break;
        }
        reader.line(line);
    }
    reader.flush();
    reader.diff.lines.truncate(reader.most);
    reader.diff
}

impl Reader {
    fn line(&mut self, line: &str) {
        let (old, new) = self.left;
        let (kind, left) = match (line.as_bytes().first(), old, new) {
            (Some(b'+'), _, 1..) => (DiffKind::Added, (old, new - 1)),
            (Some(b'-'), 1.., _) => (DiffKind::Removed, (old - 1, new)),
            (Some(b' ') | None, 1.., 1..) => (DiffKind::Same, (old - 1, new - 1)),
            (Some(b'\\'), ..) => (DiffKind::Note, (old, new)),
            _ => return self.heading(line),
        };
        self.left = left;
        self.diff.added += usize::from(kind == DiffKind::Added);
        self.diff.removed += usize::from(kind == DiffKind::Removed);
        let text = line.get(1..).unwrap_or_default().to_owned();
        self.hunk.push(DiffLine { kind, text });
    }

    /// A line between the hunks.
    fn heading(&mut self, line: &str) {
        self.flush();
        let (kind, text) = if let Some(names) = line.strip_prefix("diff --git ") {
            self.diff.files += 1;
            (DiffKind::File, name(names))
        } else if let Some(counts) = line.strip_prefix("@@ ").and_then(counts) {
            self.left = counts;
            (DiffKind::Hunk, line.to_owned())
        } else if ["index ", "--- ", "+++ "]
            .iter()
            .any(|own| line.starts_with(own))
        {
            return;
        } else {
            (DiffKind::Note, line.to_owned())
        };
        let (text, redacted) = secret::redact(&text);
        self.diff.redacted += redacted;
        self.keep(kind, &text);
    }

    /// Takes the secrets out of a hunk: they are looked for in its lines together.
    fn flush(&mut self) {
        let hunk = std::mem::take(&mut self.hunk);
        let mut text = String::new();
        for line in &hunk {
            text.push_str(&line.text);
            text.push('\n');
        }
        let hits = secret::find(&text);
        self.diff.redacted += u32::try_from(hits.len()).unwrap_or(u32::MAX);
        let (mut from, mut next) = (0, 0);
        for line in hunk {
            let to = from + line.text.len();
            while hits.get(next).is_some_and(|hit| hit.end <= from) {
                next += 1;
            }
            let mut clean = String::new();
            let mut at = from;
            while let Some(hit) = hits.get(next).filter(|hit| hit.start < to.max(from + 1)) {
                clean.push_str(&text[at.max(from)..hit.start.max(at)]);
                clean.push_str("[redacted:");
                clean.push_str(hit.kind);
                clean.push(']');
                at = hit.end.min(to);
                if hit.end > to {
                    break;
                }
                next += 1;
            }
            clean.push_str(&text[at..to]);
            self.keep(line.kind, &clean);
            from = to + 1;
        }
    }

    /// Keeps a line in which no secret of a known form is left; what the guard takes for one by the
    /// name before it goes too.
    fn keep(&mut self, kind: DiffKind, text: &str) {
        let told = without_values(text);
        self.diff.redacted += u32::from(told.is_some());
        let text = cut(told.as_deref().unwrap_or(text));
        self.diff.lines.push(DiffLine { kind, text });
    }
}

/// The line without what the guard would trip on in a result; `None` where that is nothing. Where
/// exactly the value lies the guard does not say: all behind the name is taken out, and the whole
/// line where the value may stand before the first sign.
pub(super) fn without_values(line: &str) -> Option<String> {
    let policy = Policy::default();
    let rule = |text: &str| guard::judge_result("", None, text, &policy).and_then(|said| said.rule);
    let found = rule(line)?;
    let head = line.find(['=', ':']).map_or("", |sign| &line[..=sign]);
    let head = if rule(head).is_some() { "" } else { head };
    Some(format!("{head}[redacted:{found}]"))
}

/// A file's name: that of the new one, where it has another.
fn name(names: &str) -> String {
    let plain = names.rfind(" b/").map(|at| &names[at + 3..]);
    plain.unwrap_or(names).trim_matches('"').to_owned()
}

/// How many lines of the old and of the new file a hunk has: `-a,b +c,d @@`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let mut parts = line.split(' ');
    let mut count = |sign: char| -> Option<usize> {
        let part = parts.next()?.strip_prefix(sign)?;
        match part.split_once(',') {
            Some((_, count)) => count.parse().ok(),
            None => Some(1),
        }
    };
    Some((count('-')?, count('+')?))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= COLUMNS {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(COLUMNS).collect();
    cut.push('…');
    cut
}
