//! What a plan changes, as a person reads it: lines that come and go, with secrets taken out.

use similar::TextDiff;

use crate::contract::secret;

use super::Change;

/// The longest line that is shown, in characters.
const LONGEST: usize = 240;

/// The changes of one file in the unified form.
#[must_use]
pub fn of(change: &Change) -> String {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (before, after) = (text(change.before()), text(change.after()));
    let name = change.path().display().to_string();
    let named = |there: bool| if there { name.as_str() } else { "/dev/null" };
    let diff = TextDiff::from_lines(before.as_str(), after.as_str());
    let mut unified = diff.unified_diff();
    unified.context_radius(2).header(
        named(change.before().is_some()),
        named(change.after().is_some()),
    );
    let shown = unified.to_string();
    let (shown, _) = secret::redact(&shown);
    let mut told = String::new();
    for line in shown.lines() {
        let line: String = line
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        if line.chars().count() > LONGEST {
            told.extend(line.chars().take(LONGEST));
            told.push_str(" ...");
        } else {
            told.push_str(&line);
        }
        told.push('\n');
    }
    told
}
