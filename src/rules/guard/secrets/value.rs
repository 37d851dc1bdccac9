//! Values that follow a name like `api_key`, and passwords in addresses, in linear time.

/// Shortest value that is looked at.
const SHORTEST: usize = 16;
/// Longest; what is longer is no key but a document.
const LONGEST: usize = 512;
/// Bits per character from which on a value is no word.
const ENTROPY: f64 = 3.5;

/// The rule that a value in the text breaks.
pub(in super::super) fn find(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b':' if bytes[at..].starts_with(b"://") => {
                at += 3;
                let end = token_end(bytes, at, address);
                if password(&text[at..end]) {
                    return Some("secret.value-url");
                }
                at = end.max(at);
            }
            b'=' | b':' => {
                let name = name_before(bytes, at);
                if name.len() >= 3 {
                    let (from, end) = value_after(bytes, at + 1);
                    let secret = could_be(&bytes[from..end]) && keyed(name);
                    if secret && is_secret(&text[from..end]) {
                        return Some("secret.value-generic");
                    }
                }
                at += 1;
            }
            b'B' | b'b'
                if bytes[at..]
                    .get(..7)
                    .is_some_and(|word| word.eq_ignore_ascii_case(b"bearer ")) =>
            {
                let end = token_end(bytes, at + 7, value);
                if is_secret(&text[at + 7..end]) {
                    return Some("secret.value-generic");
                }
                at = end;
            }
            b'-' if bytes[at..].starts_with(b"--")
                && (at == 0 || bytes[at - 1].is_ascii_whitespace()) =>
            {
                let end = token_end(bytes, at, |byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
                });
                let (from, stop) = value_after(bytes, end);
                if bytes.get(end) == Some(&b' ')
                    && keyed(&bytes[at..end])
                    && is_secret(&text[from..stop])
                {
                    return Some("secret.value-generic");
                }
                at = end.max(at + 1);
            }
            _ => at += 1,
        }
    }
    None
}

fn token_end(bytes: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let length = bytes[from..]
        .iter()
        .take(LONGEST + 1)
        .take_while(|byte| belongs(**byte))
        .count();
    from + length
}

fn value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-.~!@#%^&*$".contains(&byte)
}

fn address(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`<>\\ ".contains(&byte)
}

/// The name that ends before a sign; quotes and blanks between are skipped.
fn name_before(bytes: &[u8], sign: usize) -> &[u8] {
    let from = sign.saturating_sub(72);
    let mut before = &bytes[from..sign];
    while let [
        rest @ ..,
        b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'?' | b']' | b':',
    ] = before
    {
        before = rest;
    }
    let length = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    &before[before.len() - length..]
}

/// The value behind a sign, without quotes.
fn value_after(bytes: &[u8], from: usize) -> (usize, usize) {
    let skip = bytes[from..]
        .iter()
        .take(16)
        .take_while(|byte| {
            matches!(
                byte,
                b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'>' | b'=' | b'`'
            )
        })
        .count();
    let start = from + skip;
    (start, token_end(bytes, start, value))
}

/// Whether a name says that a secret follows.
fn keyed(name: &[u8]) -> bool {
    if name.len() < 3 {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let Ok(lower) = std::str::from_utf8(&lower) else {
        return false;
    };
    let flat = lower.replace(['-', '.'], "_");
    let harmless = [
        "hash",
        "digest",
        "checksum",
        "sha",
        "fingerprint",
        "integrity",
        "public",
        "pubkey",
        "id",
        "name",
        "path",
        "file",
        "url",
        "uri",
        "type",
        "count",
        "limit",
        "length",
        "expires",
        "etag",
        "commit",
        "example",
        "ref",
        "schema",
        "arn",
        "version",
    ];
    let exempt = flat.split('_').any(|part| harmless.contains(&part));
    let strong = [
        "secret",
        "token",
        "password",
        "passwd",
        "passphrase",
        "api_key",
        "apikey",
        "access_key",
        "accesskey",
        "private_key",
        "privatekey",
        "auth_key",
        "authkey",
        "credential",
        "credentials",
        "client_key",
        "signing_key",
        "encryption_key",
        "secret_key",
        "secretkey",
        "pwd",
        "bearer",
        "authorization",
        "account_key",
        "accountkey",
        "master_key",
        "auth",
        "webhook_key",
        "session_key",
        "sas",
    ];
    !exempt
        && strong
            .iter()
            .any(|word| flat.ends_with(word) || flat.split('_').any(|part| part == *word))
}

/// Whether it is worth a closer look.
fn could_be(value: &[u8]) -> bool {
    value.len() >= SHORTEST
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a value could be a secret: long, mixed, without order, and no known kind of number.
fn is_secret(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '*', '&', '#']);
    let fits = (SHORTEST..=LONGEST).contains(&value.len());
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    fits && digit
        && letter
        && !stands_for_one(value)
        && !known_form(value)
        && entropy(value) >= ENTROPY
}

/// Texts in the place of a secret.
fn stands_for_one(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "example",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "your-",
        "your_",
        "yourkey",
        "dummy",
        "sample",
        "redacted",
        "xxxx",
        "0000",
        "1234567890",
        "insert",
        "replace",
        "fake",
        "mock",
        "testtest",
        "not-a-",
        "not_a_",
        "notreal",
        "todo",
        "process.env",
        "os.environ",
        "secrets.",
        "import.meta",
        "abcdef",
        "env.",
        "config.",
    ];
    value.contains('$')
        || value.contains("***")
        || value.contains("...")
        || value.starts_with('%')
        || words.iter().any(|word| lower.contains(word))
        || lower.starts_with("test-")
        || lower.starts_with("test_")
        || lower.contains("_test_")
}

/// Digests, version numbers, identifiers, paths, dotted names.
fn known_form(value: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = hex(value) && matches!(value.len(), 32 | 40 | 56 | 64 | 96 | 128);
    let named = ["sha1", "sha256", "sha384", "sha512", "md5"]
        .iter()
        .any(|name| {
            value
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['-', ':', '=']))
        });
    let uuid = value.len() == 36 && {
        let parts: Vec<&str> = value.split('-').collect();
        parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
            && parts.iter().all(|part| hex(part))
    };
    // Words with signs between, as in paths, addresses and code.
    let words = value.split(['-', '_', '.', '/', '@', '=', '&', '+']);
    let mut pieces = words.filter(|word| !word.is_empty()).peekable();
    let several = value.contains(['-', '_', '.', '/', '@', '&']);
    let plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_alphabetic())
            || (word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let phrase = several && pieces.peek().is_some() && pieces.all(plain);
    digest
        || named
        || uuid
        || phrase
        || value.starts_with("ssh-")
        || value.starts_with("AAAA")
        || value.starts_with("age1")
}

/// Bits per character.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}

/// Whether an address, behind its scheme, holds a password that is one.
fn password(address: &str) -> bool {
    let authority = address
        .split(['/', '?', '#', ','])
        .next()
        .unwrap_or_default();
    let Some((user_info, host)) = authority.rsplit_once('@') else {
        return false;
    };
    let Some((user, word)) = user_info.split_once(':') else {
        return false;
    };
    let lower = word.to_ascii_lowercase();
    let host = host.split(':').next().unwrap_or_default();
    let local = [
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "host.docker.internal",
        "example.com",
        "example.org",
        "host",
    ];
    let usual = [
        "password", "passwd", "pass", "secret", "postgres", "mysql", "root", "admin", "user",
        "test", "token", "pwd",
    ];
    let stands = word.contains(['$', '<', '>', '{', '}', '*', '%'])
        || usual.iter().any(|known| lower == *known)
        || lower == user.to_ascii_lowercase()
        || stands_for_one(word);
    let mixed = word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    word.len() >= 8
        && !stands
        && (mixed || entropy(word) >= 3.0)
        && !(local.contains(&host) && word.len() < SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = concat!("Q7mZ", "2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iNtVx");

    #[test]
    fn values_behind_secret_names_are_found() {
        for text in [
            format!("aws_secret_access_key = {VALUE}"),
            format!("API_KEY={VALUE}"),
            format!("\"apiKey\": \"{VALUE}\""),
            format!("\\\"client_secret\\\": \\\"{VALUE}\\\""),
            format!("password: '{VALUE}'"),
            format!("Authorization: Bearer {VALUE}"),
            format!("curl -H 'authorization: bearer {VALUE}'"),
            format!("tool --token {VALUE}"),
            format!("tool --token={VALUE}"),
            format!("const token = \"{VALUE}\";"),
            format!("{{:password => \"{VALUE}\"}}"),
        ] {
            assert_eq!(find(&text), Some("secret.value-generic"), "{text}");
        }
        let url = format!("postgres://app:{}@db.acme.io:5432/app", &VALUE[..12]);
        assert_eq!(find(&url), Some("secret.value-url"));
    }

    #[test]
    fn what_stands_for_a_secret_is_none() {
        for text in [
            format!("commit {VALUE}"),
            format!("name = {VALUE}"),
            "token = ${GITHUB_TOKEN_VALUE_1}".to_owned(),
            "api_key = your_api_key_goes_here_123".to_owned(),
            "password = changeme-changeme-123".to_owned(),
            "token=9fceb02d0ae598e95dc970b74767f19372d61af8".to_owned(),
            "token: 7c9e6679-7425-40de-944b-e07fc1f90ae7".to_owned(),
            "password_hash = $2b$12$KIXQ7mZ2rXv9LpT4cWnB8s".to_owned(),
            "secret = sha256:9cce7d6f84472333df972b8a1a8a90e224f714cf1f64d2f63340a139d0feacfe".to_owned(),
            "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"".to_owned(),
            "token = process.env.API_TOKEN_2".to_owned(),
            "secret: arn-of-the-secret-in-region-eu-west-1".to_owned(),
            "DATABASE_URL=postgres://user:password@localhost:5432/app".to_owned(),
            "https://user:${PASS}@host.io/x".to_owned(),
            "redis://default:redis@cache:6379".to_owned(),
            "let token = self.next_token_2().unwrap();".to_owned(),
            "const KEY: &str = \"sk_test_your_key_here\";".to_owned(),
            format!("public_key = {VALUE}"),
        ] {
            assert_eq!(find(&text), None, "{text}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        let begun = std::time::Instant::now();
        for piece in [
            "=",
            "token=",
            "://a:b@",
            "bearer ",
            "--token ",
            "a",
            ":::",
            "\\\"\\\"=",
        ] {
            let _ = find(&piece.repeat(60_000 / piece.len()));
        }
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }

    /// Stands for `§` below.
    const MIXED: &str = concat!("hT7kQ2mX9v", "LpR4wZ8cNb");

    #[test]
    fn each_condition_of_a_value_counts() {
        for (text, want) in [
            ("tok=§", None),
            ("bearer §", Some("secret.value-generic")),
            ("bearer §1LpR4", None),
            ("x--token §", None),
            ("-token §", None),
            ("--tok §", None),
            ("--name §", None),
            ("http://h.io token=§", Some("secret.value-generic")),
            ("http://h.io\"token=§", Some("secret.value-generic")),
            ("sas=§", Some("secret.value-generic")),
            ("pwd=§", Some("secret.value-generic")),
            ("token=$§", None),
            ("token=§1$§2", None),
            ("token=xtest-§", Some("secret.value-generic")),
            ("token=atest_§", Some("secret.value-generic")),
            ("token=7c9e6679-7425-40de-944b-e07fc1f90ae7", None),
            (
                "token=7c9e6679-7425-40de-944b-e07fc1f90aez",
                Some("secret.value-generic"),
            ),
            (
                "token=7c9e66797-425-40de-944b-e07fc1f90ae7",
                Some("secret.value-generic"),
            ),
            ("token=word-other-1234-more", None),
            ("token=word_Other.here/1234", None),
            ("token=word=other+1234+more", Some("secret.value-generic")),
            ("token=word=other+1234+mo", Some("secret.value-generic")),
            ("x://u:12345678@db.acme.io", Some("secret.value-url")),
            ("x://u:{pass1234x}@db.acme.io", None),
            ("x://u:password1@db.acme.io", Some("secret.value-url")),
            ("x://u:pw7Kq2xZ9@localhost:5", None),
            ("x://u:pw7Kq2xZ9@example.com", None),
            ("x://u:pw%20Kq2xZ9@db.acme.io", None),
            ("x://u:secretpw@db.acme.io", None),
            ("x://u:pw7Kq2xZ9mX4vLp@localhost", None),
            ("x://u:pw7Kq2xZ9mX4vLpR@localhost", Some("secret.value-url")),
        ] {
            let text = text
                .replace("§1", &MIXED[..10])
                .replace("§2", &MIXED[10..])
                .replace('§', MIXED);
            assert_eq!(find(&text), want, "{text}");
        }
        let long = MIXED.repeat(26);
        let text = |length: usize| format!("token={}", &long[..length]);
        for length in [SHORTEST, LONGEST] {
            assert_eq!(
                find(&text(length)),
                Some("secret.value-generic"),
                "{length}"
            );
        }
        for length in [SHORTEST - 1, LONGEST + 1] {
            assert_eq!(find(&text(length)), None, "{length}");
        }
    }
}
