//! What a result says: secrets always, and of a failed call that a disk is full, a repository is
//! damaged, or branches went apart.

use crate::contract::breaker::Trigger;
use crate::contract::guard::{GuardOutcome, Judgement, Policy, Preset};

use super::rules;
use super::secrets;

/// Texts of failures, in the order of the strictest, and the rule that each stands for.
const TEXTS: [(&str, &str); 42] = [
    ("database disk image is malformed", "persist.ledger"),
    ("file is not a database", "persist.ledger"),
    ("SQLITE_CORRUPT", "persist.ledger"),
    ("SQLITE_NOTADB", "persist.ledger"),
    ("does not verify: the chain", "persist.ledger"),
    ("verify_failed", "persist.ledger"),
    ("store_damaged", "persist.ledger"),
    (" is corrupt", "persist.repo"),
    ("corrupt loose object", "persist.repo"),
    ("index file corrupt", "persist.repo"),
    ("index file smaller than expected", "persist.repo"),
    ("object file .git/objects", "persist.repo"),
    ("fatal: bad object ", "persist.repo"),
    ("bad tree object", "persist.repo"),
    ("missing blob ", "persist.repo"),
    ("missing tree ", "persist.repo"),
    ("missing commit ", "persist.repo"),
    ("broken link from ", "persist.repo"),
    ("unable to read tree", "persist.repo"),
    ("fatal: unable to read ", "persist.repo"),
    ("error: inflate: ", "persist.repo"),
    ("sha1 mismatch", "persist.repo"),
    ("hash mismatch for ", "persist.repo"),
    ("error: refs/heads/", "persist.repo"),
    ("fatal: loose object ", "persist.repo"),
    ("no space left on device", "disk.enospc"),
    ("ENOSPC", "disk.enospc"),
    ("os error 28", "disk.enospc"),
    ("disk quota exceeded", "disk.enospc"),
    ("EDQUOT", "disk.enospc"),
    ("database or disk is full", "disk.enospc"),
    ("read-only file system", "disk.enospc"),
    ("EROFS", "disk.enospc"),
    ("os error 30", "disk.enospc"),
    ("not enough space on the disk", "disk.enospc"),
    ("CONFLICT (", "git.conflict"),
    ("Automatic merge failed", "git.conflict"),
    ("error: could not apply ", "git.conflict"),
    ("! [rejected]", "git.divergence"),
    ("have diverged", "git.divergence"),
    ("divergent branches", "git.divergence"),
    ("Not possible to fast-forward", "git.divergence"),
];

/// Longest text in which words are looked for; of a longer one both ends.
const LOOK: usize = 256 * 1024;

pub(super) fn judge(exit_code: Option<i32>, text: &str, policy: &Policy) -> Option<Judgement> {
    if let Some(rule) = secrets::find(text) {
        return Some(said(rule, GuardOutcome::Trip));
    }
    if exit_code.is_none_or(|code| code == 0) {
        return None;
    }
    let ends = ends(text);
    let lower: Vec<String> = ends.iter().map(|end| end.to_ascii_lowercase()).collect();
    let (_, rule) = TEXTS
        .iter()
        .find(|(known, rule)| holds(&ends, &lower, known, rule))?;
    let field = policy.preset == Preset::Field && rule.starts_with("git.");
    Some(said(
        rule,
        if field {
            GuardOutcome::Allow
        } else {
            GuardOutcome::Trip
        },
    ))
}

/// Both ends of a long text.
fn ends(text: &str) -> Vec<&str> {
    if text.len() <= LOOK {
        return vec![text];
    }
    let (mut first, mut last) = (LOOK / 2, text.len() - LOOK / 2);
    while !text.is_char_boundary(first) {
        first -= 1;
    }
    while !text.is_char_boundary(last) {
        last += 1;
    }
    vec![&text[..first], &text[last..]]
}

/// Names of errors are looked for as they are written, sentences in any case.
fn holds(ends: &[&str], lower: &[String], known: &str, rule: &str) -> bool {
    let exact = known.bytes().any(|byte| byte.is_ascii_uppercase());
    let found = if exact {
        ends.iter().any(|text| text.contains(known))
    } else {
        let wanted = known.to_ascii_lowercase();
        lower.iter().any(|text| text.contains(&wanted))
    };
    if !found || rule != "persist.repo" {
        return found;
    }
    // These words are common; git says them together with some of its own.
    let gits = [
        "git",
        "object",
        "fatal:",
        "loose",
        "packfile",
        "index file",
        "tree",
        "blob",
    ];
    let said = |line: &str| match known {
        " is corrupt" => ["object", "pack", "index", "git"]
            .iter()
            .any(|word| line.contains(word)),
        "error: refs/heads/" => line.contains("does not point to a valid object"),
        "object file .git/objects" => line.contains("is empty") || line.contains("corrupt"),
        _ => gits.iter().any(|word| line.contains(word)),
    };
    let wanted = known.to_ascii_lowercase();
    lower
        .iter()
        .flat_map(|text| text.lines())
        .any(|line| line.contains(&wanted) && said(line))
}

fn said(rule: &str, outcome: GuardOutcome) -> Judgement {
    let told = rules::told(rule);
    Judgement {
        outcome,
        trigger: told
            .trigger
            .filter(|_| outcome == GuardOutcome::Trip)
            .or(match outcome {
                GuardOutcome::Trip => Some(Trigger::Secret),
                _ => None,
            }),
        rule: Some(rule.to_owned()),
        reason: told.reason.to_owned(),
        only_reads: false,
        wants: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_both_ends_are_read() {
        let full = "no space left on device";
        let long = "a".repeat(LOOK);
        let rule = |text: &str| judge(Some(1), text, &Policy::default()).and_then(|said| said.rule);
        let found = Some("disk.enospc".to_owned());
        assert_eq!(rule(&format!("{full}{long}{long}")), found);
        assert_eq!(rule(&format!("{long}{long}{full}")), found);
        assert_eq!(rule(&format!("{long}{full}{long}")), None);
    }

    #[test]
    fn the_ends_are_cut_between_letters() {
        let lengths = |text: &str| ends(text).iter().map(|end| end.len()).collect::<Vec<_>>();
        let half = LOOK / 2;
        assert_eq!(lengths(&"a".repeat(LOOK)), [LOOK]);
        assert_eq!(lengths(&"a".repeat(LOOK + 1)), [half, half]);
        let wide = "é".repeat(LOOK);
        assert_eq!(lengths(&wide), [half, half]);
        assert_eq!(lengths(&format!("a{wide}")), [half - 1, half]);
        assert_eq!(lengths(&format!("{wide}a")), [half, half - 1]);
    }
}
