//! Forges: merging and approving requests, deleting branches, by their tools and by their web
//! interfaces.

use crate::contract::guard::Grantable;

use super::call::Call;
use super::text;
use super::walk::Walk;

const VALUED: [&str; 24] = [
    "-R",
    "--repo",
    "-X",
    "--method",
    "-f",
    "-F",
    "--field",
    "--raw-field",
    "-H",
    "--header",
    "-b",
    "--body",
    "-t",
    "--title",
    "--input",
    "-q",
    "--jq",
    "--hostname",
    "-B",
    "--base",
    "--body-file",
    "--template",
    "-r",
    "--reason",
];

/// Judges the tool of a forge; `None` for every other program.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    if !matches!(call.name.as_str(), "gh" | "glab" | "hub" | "tea") {
        return None;
    }
    let reads = walk.reads;
    walk.reads = false;
    let seen = call.options(&VALUED);
    if call.has("--help") {
        walk.reads = reads;
        return Some(String::new());
    }
    let words: Vec<&str> = seen.words.clone();
    let noun = words.first().copied().unwrap_or_default();
    let verb = words.get(1).copied().unwrap_or_default();
    match (noun, verb) {
        ("pr" | "mr", "merge" | "accept") if !seen.flag("", "disable-auto", 4) => {
            walk.report("git.push-protected", "a request is merged", None);
        }
        ("pr" | "mr", "review") if seen.flag("a", "approve", 3) => {
            walk.report("approval.self-approve", "", None);
        }
        ("mr" | "pr", "approve") => walk.report("approval.self-approve", "", None),
        ("merge", _) if call.name == "hub" => {
            walk.report("git.push-protected", "a request is merged", None);
        }
        ("repo", "delete" | "archive") => {
            walk.report("git.remote-delete", "a whole repository", None);
        }
        ("repo", "sync") if seen.flag("", "force", 3) => {
            walk.report("git.force", "gh repo sync --force", None);
        }
        ("ssh-key" | "gpg-key" | "deploy-key", "add") => walk.report(
            "ssh.authorized-keys",
            &format!("{} {noun} add", call.name),
            None,
        ),
        ("api", _) => {
            api(walk, call, words.get(1).copied().unwrap_or_default());
        }
        _ => {
            let asks = matches!(
                verb,
                "view" | "list" | "status" | "diff" | "checks" | "watch" | "ls" | "show"
            );
            if asks || matches!(noun, "search" | "browse" | "status") {
                walk.reads = reads;
            }
        }
    }
    if walk.found.is_none() && noun == "api" && method(call) == "GET" {
        walk.reads = reads;
    }
    Some(text::marked(text::UNKNOWN, "output"))
}

fn method(call: &Call) -> String {
    let seen = call.options(&VALUED);
    let fields = ["field", "raw-field"]
        .iter()
        .any(|flag| !seen.values("", flag).is_empty())
        || !seen.values("f", "").is_empty()
        || !seen.values("F", "").is_empty()
        || seen.value("", "input").is_some();
    let default = if fields { "POST" } else { "GET" };
    seen.value("X", "method")
        .unwrap_or(default)
        .to_ascii_uppercase()
}

fn api(walk: &mut Walk<'_>, call: &Call, path: &str) {
    let mut body = call.args.join(" ");
    let seen = call.options(&VALUED);
    let files = seen.values("", "input").into_iter().chain(
        ["f", "F"]
            .iter()
            .flat_map(|letter| seen.values(letter, if *letter == "F" { "field" } else { "" }))
            .filter_map(|field| field.split_once("=@").map(|(_, file)| file)),
    );
    for file in files {
        let more = match file {
            "-" | "/dev/stdin" => &call.stdin,
            file => walk.content(file).unwrap_or_default(),
        };
        body.push(' ');
        body.push_str(more);
    }
    if path == "graphql" {
        let lower = body.to_ascii_lowercase();
        for (word, rule) in [
            ("mergepullrequest", "git.push-protected"),
            ("enablepullrequestautomerge", "git.push-protected"),
            ("mergebranch", "git.push-protected"),
            ("createcommitonbranch", "git.push-protected"),
            ("updateref", "git.push-protected"),
            ("deleteref", "git.remote-delete"),
            ("deletebranchprotectionrule", "git.push-protected"),
        ] {
            if lower.contains(word) {
                walk.report(rule, word, None);
            }
        }
        if lower.contains("approve") && lower.contains("pullrequestreview") {
            walk.report("approval.self-approve", "", None);
        }
        return;
    }
    interface(walk, &method(call), path, &body);
}

/// A request to any host: those of a forge's web interface are known by their path.
pub(super) fn request(walk: &mut Walk<'_>, method: &str, host: &str, path: &str, body: &str) {
    let forge = super::ssh::listed(walk, host);
    if forge || path.contains("/api/v4/") || path.contains("/api/v3/") {
        interface(walk, method, path, body);
    }
}

/// What a call of a forge's web interface would do.
fn interface(walk: &mut Walk<'_>, method: &str, path: &str, body: &str) {
    if method == "GET" || method == "HEAD" {
        return;
    }
    let path = path.split('?').next().unwrap_or_default().trim_matches('/');
    // A bar that is written as a number is one of a name.
    let mut parts: Vec<String> = path.split('/').map(decoded).collect();
    if let [api, version, ..] = parts.as_slice()
        && api == "api"
        && matches!(version.as_str(), "v3" | "v4")
    {
        parts.drain(..2);
    }
    let flat = parts.join("/");
    let last = parts.last().map_or("", String::as_str);
    let holds = |word: &str| parts.iter().any(|part| part == word);
    let request = holds("pulls") || holds("merge_requests") || holds("pull");
    let reference = flat
        .split_once("refs/heads/")
        .map(|(_, name)| name)
        .or_else(|| {
            let at = parts.iter().position(|part| part == "branches")?;
            (parts.len() == at + 2).then_some(last)
        });
    if (request && last == "merge") || last == "merges" {
        walk.report("git.push-protected", "a request is merged", None);
    } else if request
        && (last == "approve"
            || (holds("reviews") && body.to_ascii_uppercase().contains("APPROVE")))
    {
        walk.report("approval.self-approve", "", None);
    } else if holds("protection") || holds("protected_branches") {
        walk.report("git.push-protected", "the protection of a branch", None);
    } else if let Some(name) = reference {
        let known = walk
            .policy
            .protected_branches
            .iter()
            .any(|known| text::glob(known, name));
        let rule = match (method, known) {
            (_, true) => "git.push-protected",
            ("DELETE", false) => "git.remote-delete",
            _ if body.replace([' ', '"'], "").contains("force=true")
                || body.replace([' ', '"'], "").contains("force:true") =>
            {
                "git.force"
            }
            _ => return,
        };
        walk.report(rule, name, Some(Grantable::Branch(name.to_owned())));
    } else if method == "DELETE" && last == "merged_branches" {
        walk.report("git.remote-delete", "every merged branch", None);
    } else if method == "DELETE"
        && matches!(
            (parts.first().map(String::as_str), parts.len()),
            (Some("repos"), 3) | (Some("projects"), 2)
        )
    {
        walk.report("git.remote-delete", "a whole repository", None);
    }
}

/// A part of a path with its signs that are written as numbers put in, as far as that is text.
fn decoded(part: &str) -> String {
    let mut pieces = part.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let sign = piece
            .get(..2)
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match sign {
            Some(sign) => bytes.push(sign),
            None => bytes.push(b'%'),
        }
        let known = if sign.is_some() { 2 } else { 0 };
        bytes.extend_from_slice(&piece.as_bytes()[known..]);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

/// Something is written to a branch of a repository on a forge; without a name it is the default
/// one.
pub(super) fn writes(walk: &mut Walk<'_>, branch: &str) {
    let name = branch.trim_start_matches("refs/heads/");
    let known = walk
        .policy
        .protected_branches
        .iter()
        .any(|known| text::glob(known, name));
    if known || name.is_empty() {
        walk.report(
            "git.push-protected",
            name,
            Some(Grantable::Branch(name.to_owned())),
        );
    }
}
