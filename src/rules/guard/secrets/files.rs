//! Files that hold secrets, by name and folder.

use super::super::text::{base, glob, stands_for};

/// Names of files with secrets.
const NAMES: [&str; 41] = [
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".my.cnf",
    ".envrc",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    ".vault-token",
    "credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    "secrets.env",
    ".secrets",
    "master.key",
    "credentials.tfrc.json",
    ".terraformrc",
    "application_default_credentials.json",
    "oauth_creds.json",
    ".credentials.json",
    ".htpasswd",
    "*.kdbx",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.ppk",
    ".s3cfg",
    ".boto",
    ".dockercfg",
];

/// Ends of whole paths.
const PATHS: [&str; 20] = [
    "/.aws/credentials",
    "/.config/gh/hosts.yml",
    "/.docker/config.json",
    "/.kube/config",
    "/.cargo/credentials",
    "/.cargo/credentials.toml",
    "/.gem/credentials",
    "/.codex/auth.json",
    "/.pi/agent/auth.json",
    "/opencode/auth.json",
    "/.azure/accessTokens.json",
    "/.azure/msal_token_cache.json",
    "/gcloud/credentials.db",
    "/gcloud/access_tokens.db",
    "/etc/shadow",
    "/etc/gshadow",
    "/.config/hub",
    "/.config/glab-cli/config.yml",
    "/.config/rclone/rclone.conf",
    "/.bundle/config",
];

/// Whether a file holds secrets. Templates, examples and public keys do not.
pub(in super::super) fn is_secret(path: &str) -> bool {
    let name = base(path);
    if name.is_empty() || template(name) {
        return false;
    }
    if environment(name) || PATHS.iter().any(|end| path.ends_with(end)) || in_ssh(path, name) {
        return true;
    }
    if path.starts_with("/proc/") && name == "environ" {
        return true;
    }
    if path.contains("/.password-store/") || path.contains("/.gnupg/private-keys") {
        return true;
    }
    if path.ends_with("/watchfloor/keys")
        || (path.contains("/watchfloor/keys/") && !name.ends_with(".pub"))
    {
        return true;
    }
    let fixture = path.split('/').any(|part| {
        matches!(
            part,
            "fixtures" | "testdata" | "examples" | "example" | "samples" | "node_modules"
        )
    });
    if fixture {
        return false;
    }
    NAMES.iter().any(|known| glob(known, name)) || private_key(name) || pattern(path, name)
}

/// The signs that end a name in such a file, before its value; none where whole lines are secret.
pub(in super::super) fn signs(path: &str) -> &'static str {
    let name = base(path);
    match name.rsplit('.').next().unwrap_or(name) {
        "yml" | "yaml" | "json" | "config" | "shadow" | "gshadow" | "htpasswd" | "pgpass" => ":",
        "toml" | "cfg" | "conf" | "cnf" | "ini" | "properties" | "credentials" | "npmrc"
        | "envrc" | "pypirc" | "boto" | "s3cfg" | "vars" | "environ" => "=",
        _ if environment(name) => "=",
        _ => "",
    }
}

/// What a pattern would most likely be meant for.
const LIKELY: [&str; 12] = [
    ".env",
    ".env.local",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "id_rsa",
    "id_ed25519",
    "credentials.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.toml",
];

/// Whether a pattern that is not about everything stands for such a file.
fn pattern(path: &str, name: &str) -> bool {
    if !path.contains(['*', '?', '[']) {
        return false;
    }
    if PATHS.iter().any(|end| may_end(path, end)) {
        return true;
    }
    let (fixed, all) = told(name);
    let ends_told = !name.ends_with(['*', '?', ']']) && !name.contains('.') || !name.contains('*');
    let enough = |letters: usize| letters >= if name.starts_with('.') { 2 } else { 3 };
    let likely = enough(fixed) || (ends_told && enough(all));
    name.contains(['*', '?', '[']) && likely && LIKELY.iter().any(|known| stands_for(name, known))
}

/// Whether the parts of a pattern may stand for the end of a known path. A name that tells nothing
/// counts only in a folder of secrets that is named.
fn may_end(path: &str, end: &str) -> bool {
    let mut parts = path.rsplit('/');
    let mut known = end.rsplit('/').filter(|part| !part.is_empty());
    let (Some(name), Some(last)) = (parts.next(), known.next()) else {
        return false;
    };
    let mut least = usize::MAX;
    for folder in known {
        let Some(part) = parts.next().filter(|part| stands_for(part, folder)) else {
            return false;
        };
        least = least.min(told(part).1);
    }
    let shared = end.starts_with("/etc/") || end == "/.config/hub";
    let named = name.contains(|c: char| c.is_alphanumeric());
    stands_for(name, last) && least > 0 && (named || (!shared && least > 1))
}

/// How many characters of a pattern are told: before the first that is open, and in all.
fn told(pattern: &str) -> (usize, usize) {
    let (mut fixed, mut all, mut open) = (0, 0, false);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let mut known = !matches!(c, '*' | '?');
        if c == '['
            && let Some((inside, behind)) = rest.as_str().split_once(']')
        {
            known = !inside.starts_with(['!', '^']) && !inside.contains(['-', ':']);
            rest = behind.chars();
        }
        open |= !known;
        fixed += usize::from(known && !open);
        all += usize::from(known);
    }
    (fixed, all)
}

/// `.env`, `.env.local`, `prod.env`.
fn environment(name: &str) -> bool {
    name == ".env"
        || name.starts_with(".env.")
        || name.starts_with(".env*")
        || name == ".env?"
        || (name.ends_with(".env") && name.len() > 4)
        || name == ".dev.vars"
}

/// What stands for a file with secrets and holds none.
fn template(name: &str) -> bool {
    let words = [
        "example", "sample", "template", "dist", "defaults", "schema", "tmpl", "tpl",
    ];
    let mut parts = name.split(['.', '-', '_']);
    parts.any(|part| words.contains(&part)) || name.ends_with(".pub") || name.ends_with(".md")
}

/// Private keys and what else lies beside them.
fn in_ssh(path: &str, name: &str) -> bool {
    let folder = |part: &&str| *part == ".ssh" || (told(part).1 > 1 && stands_for(part, ".ssh"));
    let Some(part) = path.split('/').find(folder) else {
        return false;
    };
    let Some((_, inside)) = path.split_once(&format!("{part}/")) else {
        return false;
    };
    let open = ["config", "environment", "rc"];
    !(inside.is_empty()
        || open.contains(&name)
        || inside.starts_with("config.d/")
        || name.starts_with("known_hosts")
        || name.starts_with("authorized_keys")
        || name.starts_with("allowed_signers"))
}

/// A key's file that is no certificate.
fn private_key(name: &str) -> bool {
    let Some((stem, end)) = name.rsplit_once('.') else {
        return false;
    };
    let public = [
        "cert",
        "ca",
        "chain",
        "fullchain",
        "public",
        "pub",
        "bundle",
        "certificate",
        "cacert",
        "crt",
    ];
    let open = stem
        .split(['.', '-', '_'])
        .any(|part| public.contains(&part));
    matches!(end, "pem" | "key" | "asc" | "p8")
        && !open
        && stem != "*"
        && !stem.is_empty()
        && (end != "asc" || stem.contains("private"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_secrets_are_told_from_those_without() {
        for path in [
            ".env",
            "/w/app/.env",
            "a/.env.local",
            ".env.production",
            "prod.env",
            "/home/d/.ssh/id_rsa",
            "/home/d/.ssh/work_key",
            "~/.ssh/id_ed25519",
            "/home/d/.aws/credentials",
            "/home/d/.netrc",
            "/home/d/.config/gh/hosts.yml",
            "server.key",
            "tls/private.pem",
            "/etc/shadow",
            "/proc/self/environ",
            "/proc/1/environ",
            "/home/d/.kube/config",
            "secrets.yaml",
            "/home/d/.config/watchfloor/keys/ed25519",
            "/home/d/.claude/.credentials.json",
            ".env*",
            ".env?",
            ".dev.vars",
            "/h/.password-store/a.gpg",
            "/h/.gnupg/private-keys-v1.d/a",
            "/h/.config/watchfloor/keys",
            "a.p8",
            "my-private.asc",
            ".e*",
            ".npmr?",
            "id_*",
            "/h/.aws/cred*",
            "/h/.ssh/a/b",
            "testdata/.env",
        ] {
            assert!(is_secret(path), "{path}");
        }
        for path in [
            ".env.example",
            ".env.sample",
            "env.rs",
            "/w/app/src/env.rs",
            "docs/secrets.md",
            ".envoy",
            "/home/d/.ssh/id_ed25519.pub",
            "/home/d/.ssh/config",
            "/home/d/.ssh/known_hosts",
            "cert.pem",
            "ca.key.pem",
            "tests/fixtures/server.key",
            "src/key.rs",
            "keys.json",
            "/home/d/.aws/config",
            "environment",
            "README.md",
            "monkey",
            "template.env",
            "/home/d/.config/watchfloor/keys/ed25519.pub",
            "",
            "a/",
            "/proc/cpuinfo",
            "/proc/1/status",
            "environ",
            "/w/environ",
            ".env_x",
            "public.key",
            "a-cert.pem",
            "fullchain.pem",
            "a.asc",
            "*.pem",
            "pem",
            ".key",
            "testdata/a.pem",
            "node_modules/x/server.key",
            "/h/.ssh/",
            "/h/.ssh/config.d/a",
            "/h/.ssh/rc",
            "/h/.ssh/known_hosts.old",
            "/h/.ssh/authorized_keys2",
            "config.sample.env",
            ".*",
            "id*",
            "*",
        ] {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn the_sign_before_a_value_is_known_by_the_file() {
        for (path, want) in [
            ("/a/.env", "="),
            (".env.local", "="),
            ("/proc/1/environ", "="),
            ("/h/.aws/credentials", "="),
            (".npmrc", "="),
            ("secrets.toml", "="),
            ("secrets.yaml", ":"),
            ("/etc/shadow", ":"),
            (".pgpass", ":"),
            ("/h/.kube/config", ":"),
            ("server.key", ""),
            ("id_rsa", ""),
            (".netrc", ""),
            (".git-credentials", ""),
        ] {
            assert_eq!(signs(path), want, "{path}");
        }
    }

    #[test]
    fn what_a_pattern_tells_at_its_end_counts_only_where_it_ends_there() {
        for (path, want) in [("*rsa", true), ("?ecrets.json", true), ("*s.json", false)] {
            assert_eq!(is_secret(path), want, "{path}");
        }
    }

    #[test]
    fn folders_and_patterns_are_told_apart() {
        for (path, want) in [
            ("/x/environ", false),
            ("/proc/1/maps", false),
            ("a/.password-store/x", true),
            ("a/.gnupg/private-keys-v1.d/x", true),
            ("/h/.aws/c*", true),
            ("/h/.docker/conf*", true),
            ("/x/config.*", false),
            ("/kube/co*", false),
        ] {
            assert_eq!(is_secret(path), want, "{path}");
        }
    }
}
