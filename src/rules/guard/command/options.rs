//! Options of ordinary programs that run a command.

use super::super::call::Call;
use super::super::walk::Walk;

/// Beginnings of options behind which a command stands.
const BEGINNINGS: [&str; 15] = [
    "--checkpoint-action=exec=",
    "--to-command=",
    "--use-compress-program=",
    "--rsh-command=",
    "--pager=",
    "--preview=",
    "--upload-pack=",
    "--receive-pack=",
    "--exec=",
    "--extcmd=",
    "--pre=",
    "--hostname-bin=",
    "--compress-program=",
    "--unzip-command=",
    "--use-askpass=",
];

pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) {
    let reads = walk.reads;
    for arg in call.args.iter().filter(|arg| arg.starts_with("--")) {
        if let Some(script) = BEGINNINGS.iter().find_map(|start| arg.strip_prefix(*start)) {
            walk.script(script, "");
        }
    }
    match call.name.as_str() {
        "vim" | "vi" | "nvim" | "ex" | "view" => {
            for arg in &call.args {
                let command = arg.trim_start_matches(['+', ':']);
                if let Some(script) = command.strip_prefix('!') {
                    walk.script(script, "");
                }
            }
        }
        "man" => {
            let seen = call.options(&["-P", "--pager"]);
            if let Some(script) = seen.value("P", "pager") {
                walk.script(script, "");
            }
        }
        "crontab" => {
            for line in call.stdin.lines() {
                let fields: Vec<&str> = line.splitn(6, ' ').collect();
                if let [_, _, _, _, _, script] = fields.as_slice() {
                    walk.script(script, "");
                }
            }
        }
        _ => {}
    }
    if let Some(script) = call.env("PROMPT_COMMAND").map(str::to_owned) {
        walk.script(&script, "");
    }
    walk.reads = reads && walk.reads;
}
