//! Secrets (spec 3.8): those with a known form are found in linear time, and redacted together with
//! what stands where a password does. Placeholders, examples and public keys are none.

mod block;
mod kinds;
mod place;

/// One secret in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretHit {
    /// What it is, e.g. `github_token`.
    pub kind: &'static str,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
}

/// All secrets of a text, from its beginning to its end; they never overlap.
///
/// ```
/// use watchfloor::contract::secret::find;
/// assert!(find("the key is AKIAIOSFODNN7EXAMPLE").is_empty());
/// ```
#[must_use]
pub fn find(text: &str) -> Vec<SecretHit> {
    let bytes = text.as_bytes();
    let mut hits = Vec::new();
    let mut blocks = block::Blocks::of(text);
    let mut at = 0;
    // What follows a secret begins a word, as it will when the secret is taken out.
    let mut word_from = 0;
    while at < bytes.len() {
        let hit = blocks
            .at(at)
            .or_else(|| kinds::token_at(bytes, at, word_from));
        match hit {
            Some(hit) => {
                at = hit.end;
                word_from = at;
                hits.push(hit);
            }
            None => at += 1,
        }
    }
    hits
}

/// All that no record may hold: the secrets of [`find`], and what stands where a password does,
/// whatever its form. A guess by the place alone: for leaving out, never for a judgement.
#[must_use]
pub fn hidden(text: &str) -> Vec<SecretHit> {
    let mut hits = find(text);
    hits.extend(place::find(text));
    place::joined(hits)
}

/// The text with `[redacted:KIND]` in the place of all that is [`hidden`], and how much that was.
#[must_use]
pub fn redact(text: &str) -> (String, u32) {
    let hits = hidden(text);
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for hit in &hits {
        clean.push_str(&text[from..hit.start]);
        clean.push_str("[redacted:");
        clean.push_str(hit.kind);
        clean.push(']');
        from = hit.end;
    }
    clean.push_str(&text[from..]);
    (clean, u32::try_from(hits.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AWS: &str = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    const GITHUB: &str = concat!("ghp_", "q7Z2rXv9LpT4cWnB8sKdJ3hYgF6uA1eRo5iN");

    #[test]
    fn secrets_are_replaced_by_their_kind() {
        let text = format!("a={AWS};\nb: \"{GITHUB}\" é {AWS}");
        let expected = "a=[redacted:aws_access_key_id];\nb: \"[redacted:github_token]\" é \
                        [redacted:aws_access_key_id]";
        assert_eq!(redact(&text), (expected.to_owned(), 3));
        let hits = find(&text);
        assert_eq!(&text[hits[0].start..hits[0].end], AWS);
        assert_eq!(&text[hits[1].start..hits[1].end], GITHUB);
        assert_eq!(redact("nothing here"), ("nothing here".to_owned(), 0));
        assert_eq!(redact(""), (String::new(), 0));
    }

    #[test]
    fn long_hostile_texts_take_linear_time() {
        let begun = std::time::Instant::now();
        for piece in [
            "sk-",
            "eyJ-",
            "eyJa.eyJ",
            "xoxb-",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "glpat-",
            "ghp_",
            "1",
            "1:",
            "AKIA",
            "\\n",
            "sk-ant-",
            "12345678:",
        ] {
            let text = piece.repeat(60_000 / piece.len());
            let _ = find(&text);
        }
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }

    proptest! {
        #[test]
        fn redacting_leaves_no_secret_and_loses_nothing_else(
            pieces in proptest::collection::vec((0usize..9, "[a-zA-Z0-9 .:\\n\"=_-]{0,12}"), 0..8)
        ) {
            let jwt = concat!("eyJ", "hbGciOiJIUzI1NiJ9.eyJ", "zdWIiOiJvcHMifQ.m3Kq0Zs8vT1bYw7dRfLx2N");
            let pem = concat!("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEowIBAAKCAQEA7bq98uzXk2v",
                "\n-----END RSA PRIVATE KEY-----");
            let secrets = [AWS, GITHUB, jwt, pem, "", "-----BEGIN ", "PRIVATE KEY-----", "sk-", "é"];
            let mut text = String::new();
            for (at, gap) in &pieces {
                text.push_str(gap);
                text.push_str(secrets[*at]);
            }
            let (clean, count) = redact(&text);
            prop_assert_eq!(find(&clean), []);
            prop_assert_eq!(usize::try_from(count).unwrap(), find(&text).len());
            let kept: usize = text.len() - find(&text).iter().map(|h| h.end - h.start).sum::<usize>();
            let marks: usize = find(&text).iter().map(|h| h.kind.len() + "[redacted:]".len()).sum();
            prop_assert_eq!(clean.len(), kept + marks);
        }

        #[test]
        fn any_text_is_redacted_without_panic(text in "\\PC{0,80}") {
            let (clean, _) = redact(&text);
            prop_assert_eq!(find(&clean), []);
        }
    }
}
