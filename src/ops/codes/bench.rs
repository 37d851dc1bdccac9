//! The vocabulary bench: all that naming a failure needs, in one reading.

use std::collections::BTreeSet;

use crate::authority::Keys;
use crate::contract::catalog::{Catalog, Entry};
use crate::contract::code::{CodeBench, CodeShown, NearCode};
use crate::contract::refusal::Refusal;
use crate::journal::{Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, FailureCode};
use crate::ops::identity;
use crate::ops::store::list;

use super::decide::NEEDS;
use super::in_force;
use super::show::shown;

/// How many codes are compared.
const LOOK: usize = 500;
/// How many are named.
const NAMED: usize = 10;
/// From how much in common on, in percent.
const ALIKE: u8 = 50;

/// Reads the bench of one code. What a draft of tokens would catch is asked for apart, by
/// [`super::preview_promotion`].
///
/// # Errors
/// Nobody knows the code, or the store fails.
pub fn bench(
    context: &Context,
    code: &str,
    journal: &mut impl Journal,
) -> Result<CodeBench, Refusal> {
    journal.read(|read| {
        let shown = shown(code, read)?;
        let said = words(shown.normal.as_deref().unwrap_or_default());
        let keys = Keys::new(&context.config);
        let signers = identity::known(read)?.into_iter();
        let signers = signers.filter(|s| !s.revoked && s.holds(NEEDS) && keys.has(&s.principal));
        Ok(CodeBench {
            near: near(code, &said, read)?,
            targets: targets(&said, read)?,
            draft: draft(&shown),
            needs: NEEDS,
            signers: signers.map(|signer| signer.principal).collect(),
            shown,
        })
    })
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .collect()
}

/// How much two sets of words have in common, in percent of all of them.
fn alike(one: &BTreeSet<&str>, other: &BTreeSet<&str>) -> u8 {
    let all = one.union(other).count();
    if all == 0 {
        return 0;
    }
    let percent = one.intersection(other).count() * 100 / all;
    u8::try_from(percent).unwrap_or(100)
}

fn near(code: &str, said: &BTreeSet<&str>, read: &dyn Read) -> Result<Vec<NearCode>, Refusal> {
    let codes: Vec<FailureCode> = list(read, domain::CODE, LOOK, 0)?;
    let mut near: Vec<NearCode> = codes
        .into_iter()
        .filter(|other| other.row.code != code)
        .map(|other| NearCode {
            alike: alike(said, &words(&other.normal)),
            code: other.row.code,
            state: other.row.state,
            count: other.row.count,
            resolves_to: other.row.resolves_to,
            sample: other.row.sample,
        })
        .filter(|near| near.alike >= ALIKE)
        .collect();
    near.sort_by(|a, b| b.alike.cmp(&a.alike).then_with(|| a.code.cmp(&b.code)));
    near.truncate(NAMED);
    Ok(near)
}

/// Entries that share words with the failure: by their tokens and their cause.
fn targets(said: &BTreeSet<&str>, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let user = in_force(read)?.catalog().codes;
    let mut found: Vec<(usize, String)> = Vec::new();
    for entry in user.iter().chain(&Catalog::shipped().codes) {
        if entry.layer.as_deref() == Some("watchfloor") {
            continue;
        }
        let text = format!("{} {}", entry.tokens.join(" "), entry.cause).to_lowercase();
        let shared = words(&text).intersection(said).count();
        if shared > 1 {
            found.push((shared, entry.code.clone()));
        }
    }
    // The likeliest first; what shares as much stays in the order of the catalogue.
    found.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    found.truncate(NAMED);
    Ok(found.into_iter().map(|(_, code)| code).collect())
}

/// What a promotion could look like: the first line of the failure is its token.
fn draft(shown: &CodeShown) -> Entry {
    let layer = shown.row.as_ref().and_then(|row| row.layer.clone());
    let line = shown.normal.as_deref().unwrap_or_default();
    Entry {
        code: String::new(),
        layer,
        tokens: vec![line.chars().take(80).collect::<String>().trim().to_owned()],
        cause: String::new(),
        next_command: String::new(),
        recoverable: false,
        not_this: Vec::new(),
    }
}
