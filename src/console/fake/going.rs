//! Where one can go from the agents of the made-up fleet, and what they changed.

use crate::contract::going::{DiffKind, DiffLine, TreeDiff, Way, WayRow};

/// The ways to an agent: only codex-2 sits in a pane.
pub(super) fn ways(agent: &str) -> Vec<WayRow> {
    let row = |way: Way, open: bool, said: &str| WayRow {
        way,
        open,
        said: said.to_owned(),
    };
    let sits = agent == "codex-2";
    let terminal = if sits {
        "the tmux pane main:1.0"
    } else {
        "no process of it is known"
    };
    let transcript = format!("/home/user/{agent}.jsonl");
    vec![
        row(Way::Terminal, sits, terminal),
        row(Way::Transcript, true, &transcript),
        row(Way::Diff, true, "/srv/api-side (where its hooks work)"),
    ]
}

/// What an agent changed: a few files, and one with many lines.
pub(super) fn diff(agent: &str, changed: &str) -> TreeDiff {
    let line = |kind: DiffKind, text: &str| DiffLine {
        kind,
        text: text.to_owned(),
    };
    let mut lines = vec![
        line(DiffKind::File, "src/auth.rs, staged, and changed since"),
        line(
            DiffKind::Hunk,
            "@@ -41,5 +41,6 @@ fn refresh(token: &mut Token) {",
        ),
        line(DiffKind::Same, "    let now = clock.now();"),
        line(DiffKind::Removed, "    token.refresh()?;"),
        line(DiffKind::Added, changed),
        line(DiffKind::Added, "    // [redacted:github_token]"),
        line(DiffKind::Same, "}"),
        line(DiffKind::File, "src/old.rs"),
        line(DiffKind::Note, "deleted file mode 100644"),
        line(DiffKind::Hunk, "@@ -1,80 +0,0 @@"),
    ];
    lines.extend((1..=80).map(|n| line(DiffKind::Removed, &format!("line {n}"))));
    lines.push(line(DiffKind::File, "untracked files: 1"));
    lines.push(line(DiffKind::Note, &format!("? notes/{agent}.md")));
    TreeDiff {
        root: "/srv/api-side".to_owned(),
        known_by: "where its hooks work".to_owned(),
        files: 2,
        added: 2,
        removed: 81,
        untracked: 1,
        redacted: 1,
        cut: None,
        lines,
    }
}
