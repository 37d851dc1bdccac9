//! What a program of `awk` does beside printing.

use super::super::super::walk::Walk;

/// `awk` may run commands and write files.
pub(super) fn awk(walk: &mut Walk<'_>, script: &str) {
    let runs = script.contains("system(")
        || script.contains("| getline")
        || script.contains("|getline")
        || script.contains("| \"");
    if runs {
        for text in super::super::super::code::strings(script) {
            walk.script(&text, "");
        }
        walk.reads = false;
    }
    if script.contains("ENVIRON") && script.contains("print") {
        let out = walk.read_secret("secret.print-env", "awk");
        walk.show(&out);
    }
    walk.reads &= !script.contains('>') || script.contains(">=") || !script.contains("print");
}
