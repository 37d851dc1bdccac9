//! Any bytes as a call and as a result: no panic, no hang, the same answer twice.

use watchfloor::contract::guard::Policy;
use watchfloor::rules::guard::{judge, judge_result};

/// Judges the bytes as three tools' calls, and as the output of one.
pub fn guard(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let policy = Policy {
        workspace: "/w/app".to_owned(),
        cwd: "/w/app".to_owned(),
        home: "/home/dev".to_owned(),
        ..Policy::default()
    };
    for tool in ["Bash", "Write", "mcp__x__query"] {
        let first = judge(tool, &text, &policy);
        assert_eq!(first, judge(tool, &text, &policy));
    }
    let _ = judge_result("Bash", Some(1), &text, &policy);
}
