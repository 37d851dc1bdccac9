//! Passwords that no form gives away: they are known by the place where they stand, in a command,
//! an address, a header or a line of settings. What is taken for one is left out of a record, and
//! is no reason to stop a call: a name alone may be wrong.

mod options;
mod signs;
mod value;
mod words;

use super::SecretHit;

/// What stands for such a value.
const KIND: &str = "password";

/// All that is found in a text, from its beginning to its end; they never overlap.
pub(super) fn find(text: &str) -> Vec<SecretHit> {
    let mut hits = signs::find(text);
    hits.extend(words::find(text));
    joined(hits)
}

/// Hits in order, those that overlap made one of the first one's kind.
pub(super) fn joined(mut hits: Vec<SecretHit>) -> Vec<SecretHit> {
    // The more a hit's kind says, the more it counts where two begin together.
    hits.sort_by_key(|hit| (hit.start, hit.kind == KIND, hit.end));
    let mut all: Vec<SecretHit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match all.last_mut().filter(|last| hit.start < last.end) {
            Some(last) => {
                last.end = last.end.max(hit.end);
                if last.kind == KIND {
                    last.kind = hit.kind;
                }
            }
            None => all.push(hit),
        }
    }
    all
}

fn hit((start, end): (usize, usize)) -> SecretHit {
    SecretHit {
        kind: KIND,
        start,
        end,
    }
}

/// Whether a name is that of a secret value: `password`, `DB_PASS`, `client-secret`, `apiKey`.
fn is_secret_name(name: &str) -> bool {
    const ENDS: [&str; 14] = [
        "password",
        "passwd",
        "passphrase",
        "storepass",
        "keypass",
        "requirepass",
        "pwd",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "secretkey",
        "accountkey",
        "authkey",
    ];
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let folder = matches!(name, "PWD" | "OLDPWD");
    let lower = name.to_ascii_lowercase();
    // A bare `pass` counts tests.
    let pass = lower.len() > 4 && lower.rsplit(['_', '-', '.']).next() == Some("pass");
    !folder && (pass || ENDS.iter().any(|end| plain.ends_with(end)))
}

#[cfg(test)]
mod tests;
