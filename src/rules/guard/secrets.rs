//! Secrets (spec 3.8): in which files they lie, what their names are, and values that follow such a
//! name. A value is never told.

pub(super) mod files;
mod value;

use crate::contract::secret;

/// What a secret in a text is called, e.g. `secret.value-aws`; the first one.
pub(super) fn find(text: &str) -> Option<&'static str> {
    match without_samples(text) {
        Some(rest) => named(&rest),
        None => named(text),
    }
}

/// A value that stands behind a secret's name.
pub(super) fn find_generic(text: &str) -> Option<&'static str> {
    match without_samples(text) {
        Some(rest) => value::find(&rest),
        None => value::find(text),
    }
}

/// The claims of the token that every introduction to such tokens shows.
const SAMPLE: &str = ".eyJzdWIiOiIxMjM0NTY3ODkwIiwi";

/// The text without tokens that are known to be samples; `None` where it holds none.
fn without_samples(text: &str) -> Option<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find(SAMPLE) {
        let from = rest[..at].trim_end_matches(part).len();
        let behind = rest[at..].trim_start_matches(part);
        kept.push_str(&rest[..from]);
        kept.push_str("sample");
        rest = behind;
    }
    (!kept.is_empty()).then(|| kept + rest)
}

fn named(text: &str) -> Option<&'static str> {
    if let Some(hit) = secret::find(text).first() {
        return Some(match hit.kind {
            "aws_access_key_id" => "secret.value-aws",
            "github_token" => "secret.value-github",
            "stripe_key" => "secret.value-stripe",
            "private_key" => "secret.value-pem",
            "jwt" => "secret.value-jwt",
            _ => "secret.value-token",
        });
    }
    value::find(text)
}

/// Parts of names of variables that hold secrets.
const PARTS: [&str; 16] = [
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "PWD",
    "PASSPHRASE",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "PAT",
    "AUTH",
    "PRIVATE",
    "BEARER",
    "COOKIE",
];
/// What makes of such a name one that holds no secret.
const HARMLESS: [&str; 24] = [
    "PATH", "FILE", "DIR", "NAME", "URL", "URI", "LENGTH", "LEN", "COUNT", "TYPE", "EXPIRY",
    "EXPIRES", "TTL", "ID", "HOST", "SOCK", "ENDPOINT", "LIMIT", "MAX", "MIN", "HASH", "DIGEST",
    "METHOD", "USER",
];

/// Whether a variable's name says that its value is secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    if name.len() < 3 || name.len() > 128 || matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    let upper = name.to_ascii_uppercase();
    let mut parts = upper.split('_').filter(|part| !part.is_empty());
    let last = upper.rsplit('_').next().unwrap_or_default();
    if upper == "DATABASE_URL" || upper.ends_with("_DATABASE_URL") || upper.ends_with("_DSN") {
        // It is shown as a whole seldom, and its password seldom matters to the words around.
        return false;
    }
    if HARMLESS.contains(&last) && upper != "AWS_ACCESS_KEY_ID" {
        return false;
    }
    let key = last == "KEY" || last == "KEYS";
    let qualified = [
        "API",
        "ACCESS",
        "SECRET",
        "PRIVATE",
        "ENCRYPTION",
        "SIGNING",
        "SSH",
        "MASTER",
        "SERVICE",
        "DEPLOY",
        "ACCOUNT",
    ];
    let glued = ["TOKEN", "SECRET", "PASSWORD", "APIKEY"];
    upper == "AWS_ACCESS_KEY_ID"
        || parts.clone().any(|part| PARTS.contains(&part))
        || glued.iter().any(|end| last.ends_with(end))
        || (key && parts.any(|part| qualified.contains(&part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_whether_they_hold_secrets() {
        for name in [
            "GITHUB_TOKEN",
            "TOKEN",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "DB_PASSWORD",
            "PGPASSWORD",
            "npm_token",
            "NPM_AUTH_TOKEN",
            "SECRET",
            "API_KEY",
            "GH_PAT",
            "STRIPE_SECRET",
            "MASTER_KEY",
            "SSH_PRIVATE_KEY",
            "GITHUB_TOKEN2_TOKEN",
            "API_KEYS",
            "SIGNING_KEY",
            "DEPLOY_KEYS",
            "AWS_ACCESS_KEY",
        ] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "PWD",
            "HOME",
            "KEY",
            "TOKEN_COUNT",
            "MAX_TOKEN_LIMIT",
            "TOKENS",
            "SSH_AUTH_SOCK",
            "SECRET_NAME",
            "KEYBOARD",
            "KEYS",
            "PRIMARY_KEY",
            "API_KEYBOARD",
            "X",
            "PASSWORD_FILE",
            "PUBLIC_KEY",
            "COMPASS",
            "AUTHOR",
        ] {
            assert!(!names_a_secret(name), "{name}");
        }
    }

    #[test]
    fn each_condition_of_a_name_counts() {
        for (name, want) in [
            ("PAT", true),
            ("SECRET_DSN", false),
            ("API_KEYS", true),
            ("API_X", false),
            ("TOKEN_DSN", false),
        ] {
            assert_eq!(names_a_secret(name), want, "{name}");
        }
        for (length, want) in [(124, true), (125, false)] {
            let filler = "A".repeat(length);
            for name in [format!("PAT_{filler}"), format!("{filler}_PAT")] {
                assert_eq!(names_a_secret(&name), want, "{name}");
            }
        }
        let generic = concat!("token=hT7kQ2m", "X9vLpR4wZ8cNb");
        assert_eq!(find_generic(generic), Some("secret.value-generic"));
        assert_eq!(find_generic("token=hT7kQ2m"), None);
        for (text, want) in [
            (concat!("AKIA", "4GH7QZ2MXWVN5RTB"), "secret.value-aws"),
            (
                concat!("ghp_", "q7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iN"),
                "secret.value-github",
            ),
            (
                concat!("sk_live_", "q7Z2rXv9LpT4cWnB8sKdJ3hY"),
                "secret.value-stripe",
            ),
            (
                concat!(
                    "-----BEGIN RSA ",
                    "PRIVATE KEY-----\nMIIEpAIBAAKCAQEAq7Z2rXv9LpT4cWnB8sKd",
                    "J3hYgF6uA1eRo5iNtVx\n-----END RSA ",
                    "PRIVATE KEY-----"
                ),
                "secret.value-pem",
            ),
            (
                concat!(
                    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.",
                    "q7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iNtVx"
                ),
                "secret.value-jwt",
            ),
        ] {
            assert_eq!(find(text), Some(want), "{want}");
        }
    }
}
