//! What only a person decides: verbs of this product, authorship, agents without their checks.

use super::call::Call;
use super::text;
use super::walk::Walk;

/// Flags of the product that take a value.
const VALUED: [&str; 30] = [
    "--store",
    "--project",
    "--mission",
    "--agent",
    "--task",
    "--config",
    "--key",
    "--theme",
    "--as",
    "--cause",
    "--fix",
    "--evidence",
    "--to",
    "--text",
    "--minutes",
    "--reason",
    "--scope",
    "--trigger",
    "--role",
    "--strategy",
    "--name",
    "--file",
    "--question",
    "--limit",
    "--since",
    "--state",
    "--host",
    "--path",
    "--branch",
    "--timeout",
];

/// Verbs that an agent may not call, and whether a dry run of them may.
const FORBIDDEN: [(&str, &str); 16] = [
    ("breaker", "reset"),
    ("breaker", "permit"),
    ("identity", "init"),
    ("identity", "add"),
    ("identity", "revoke"),
    ("grant", "add"),
    ("grant", "revoke"),
    ("handoff", "decide"),
    ("triage", "alias"),
    ("triage", "promote"),
    ("triage", "undo"),
    ("resume", ""),
    ("uninstall", ""),
    ("retention", ""),
    ("import", ""),
    ("alert", "silence"),
];

/// Verbs of this product; `true` when the call was one.
pub(super) fn product(walk: &mut Walk<'_>, call: &Call) -> bool {
    if call.name != "watchfloor" {
        return false;
    }
    let reads = walk.reads;
    walk.reads = false;
    let seen = call.options(&VALUED);
    let noun = seen.words.first().copied().unwrap_or_default();
    let verb = seen.words.get(1).copied().unwrap_or_default();
    let asks = call.has("--help") || call.has("-h") || call.has("--check") || call.has("--version");
    if asks {
        walk.reads = reads;
        return true;
    }
    let unclear = text::wholly_unknown(noun)
        || (text::wholly_unknown(verb) && FORBIDDEN.iter().any(|(known, _)| *known == noun));
    let mut forbidden = FORBIDDEN.iter();
    let hit = forbidden.any(|(known, with)| *known == noun && (with.is_empty() || *with == verb));
    let named = seen
        .value("", "agent")
        .or_else(|| call.env("WATCHFLOOR_AGENT"));
    let claims = named.is_some_and(|name| is_principal(walk, name))
        || seen
            .value("", "as")
            .is_some_and(|name| is_principal(walk, name))
        || walk
            .user
            .clone()
            .is_some_and(|user| is_principal(walk, &user));
    let what = format!("watchfloor {noun} {verb}");
    if claims {
        walk.report("approval.impersonation", what.trim(), None);
    } else if hit {
        walk.report("approval.self-reset", what.trim(), None);
    } else if unclear {
        walk.unclear("the product is called with a verb that is not known");
    } else if matches!(
        verb,
        "list" | "show" | "check" | "classify" | "explain" | "validate" | "due" | "graph" | "log"
    ) || matches!(
        noun,
        "status" | "limits" | "verify" | "tail" | "doctor" | "schema"
    ) {
        walk.reads = reads;
    }
    true
}

/// The product's own processes are ended: their numbers stand as `own`.
pub(super) fn ended(walk: &mut Walk<'_>, call: &Call, own: &str) {
    // Another signal beside the one that only asks is sent.
    let signal = |arg: &String| {
        let sign = arg.strip_prefix('-').unwrap_or_default();
        arg != "-0" && sign.starts_with(|c: char| c == 's' || !c.is_ascii_lowercase())
    };
    let asks = (call.has("-0") && !call.args.iter().any(signal))
        || (call.has("-l") && call.name != "pkill");
    let hit = match call.name.as_str() {
        "kill" => call.args.iter().any(|arg| arg.contains(own)),
        "pkill" | "killall" => call.args.iter().any(|arg| arg.contains("watchfloor")),
        _ => false,
    };
    if hit && !asks {
        walk.report("approval.guard-tamper", "the processes of watchfloor", None);
    }
}

/// Whether a name is that of a configured person.
pub(super) fn is_principal(walk: &Walk<'_>, name: &str) -> bool {
    let name = text::known(name);
    let name = name.trim();
    walk.policy
        .principals
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// An author is named: a person's name, or an address, or both.
pub(super) fn authorship(walk: &mut Walk<'_>, author: &str) {
    let (name, address) = match author.split_once('<') {
        Some((name, rest)) => (name, rest.trim_end_matches('>')),
        None => (author, author),
    };
    let local = address.split('@').next().unwrap_or_default();
    if [name, address, local]
        .iter()
        .any(|part| is_principal(walk, part))
    {
        walk.report("approval.impersonation", "an author who is a person", None);
    }
}

/// Flags with which an agent program asks nobody.
const FREE: [(&str, &[&str]); 14] = [
    (
        "claude",
        &[
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "--permission-mode=bypassPermissions",
        ],
    ),
    (
        "claude-code",
        &[
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "--permission-mode=bypassPermissions",
        ],
    ),
    (
        "codex",
        &[
            "--dangerously-bypass-approvals-and-sandbox",
            "--yolo",
            "--sandbox=danger-full-access",
            "-s=danger-full-access",
            "--ask-for-approval=never",
            "-a=never",
            "--dangerously-bypass-hook-trust",
        ],
    ),
    ("gemini", &["--yolo", "-y", "--approval-mode=yolo"]),
    ("gemini-cli", &["--yolo", "-y", "--approval-mode=yolo"]),
    ("qwen", &["--yolo", "-y", "--approval-mode=yolo"]),
    ("cursor-agent", &["-f", "--force"]),
    ("copilot", &["--allow-all-tools", "--yolo", "--allow-all"]),
    ("aider", &["--yes-always"]),
    ("amp", &["--dangerously-allow-all"]),
    ("hermes", &["--yolo", "--dangerously-skip-permissions"]),
    ("opencode", &["--dangerously-skip-permissions", "--yolo"]),
    ("droid", &["--skip-permissions-unsafe"]),
    ("cline", &["--yolo"]),
];

/// An agent that is started without its permission checks or without its hooks.
pub(super) fn agents(walk: &mut Walk<'_>, call: &Call) {
    let name = call.name.split('@').next().unwrap_or_default();
    let Some((_, flags)) = FREE.iter().find(|(known, _)| *known == name) else {
        return;
    };
    let given = |flag: &str| match flag.split_once('=') {
        None => call
            .args
            .iter()
            .any(|arg| arg == flag || (flag.len() == 2 && short(arg, flag))),
        Some((name, value)) => {
            let mut pairs = call.args.windows(2);
            call.has(flag) || pairs.any(|two| two[0] == name && two[1] == value)
        }
    };
    let settings = call.args.iter().any(|arg| {
        let flat = arg.replace([' ', '"', '\''], "");
        flat.contains("disableAllHooks:true")
            || flat.contains("approval_policy=never")
            || flat.contains("sandbox_mode=danger-full-access")
            || flat.contains("features.hooks=false")
            || flat.contains("features.codex_hooks=false")
    });
    if settings || flags.iter().any(|flag| given(flag)) {
        walk.report("approval.unchecked-agent", name, None);
    }
}

fn short(arg: &str, flag: &str) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.len() <= 4 && arg.contains(&flag[1..])
}
