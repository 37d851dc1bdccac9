//! What the guard judges by (spec 3.8): the defaults, the configuration over them, and where the
//! call stands. Grants are asked for only where a call would be refused.

use std::path::Path;

use crate::authority::AllowedSigners;
use crate::contract::guard::{Grantable, Policy};

use crate::ops::context::Context;
use crate::ops::identity::signers_file;

use super::branch::checked_out;
use super::own_rules;

/// The policy for calls made in a folder; `grants` is what signed grants open now. Where the user's
/// rules cannot be used the policy says so, and lets only reading pass.
#[must_use]
pub fn policy(context: &Context, cwd: &Path, grants: Vec<Grantable>) -> Policy {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (rules, fault) = match own_rules(&context.config) {
        Ok(rules) => (rules, None),
        Err(fault) => (Vec::new(), Some(fault)),
    };
    let mut policy = Policy {
        workspace: text(&context.root),
        cwd: text(cwd),
        home: text(home_of(context)),
        store: text(store_of(context)),
        config: text(&context.config),
        grants,
        rules,
        fault,
        ..Policy::default()
    };
    context.guard.settings.apply(&mut policy);
    policy
}

/// Folders whose files may be removed: a home that somebody put there is none to know of, so that
/// `~` and `$HOME` are no names of such files.
const TEMP: [&str; 5] = ["/tmp", "/var/tmp", "/private", "/var/folders", "/dev/shm"];

fn home_of(context: &Context) -> &Path {
    let home = context.guard.home.as_path();
    if TEMP.iter().any(|folder| home.starts_with(folder)) {
        return Path::new("");
    }
    home
}

/// The folder of the store; where the project lies in that folder too, the store's own file.
fn store_of(context: &Context) -> &Path {
    let folder = context.store.parent();
    let folder = folder.filter(|folder| !context.root.starts_with(folder));
    folder.unwrap_or(&context.store)
}

/// The same for one call: where it speaks of authors, with the people who sign here; where it
/// pushes, with the branch that is checked out.
#[must_use]
pub fn policy_for(context: &Context, cwd: &Path, input: &str) -> Policy {
    let mut policy = policy(context, cwd, Vec::new());
    if AUTHORS.iter().any(|word| input.contains(word)) {
        let file = AllowedSigners::load(&signers_file(context));
        for signer in file.map(|file| file.signers()).unwrap_or_default() {
            if !policy.principals.contains(&signer.principal) {
                policy.principals.push(signer.principal);
            }
        }
    }
    if input.contains("git") && input.contains("push") {
        policy.branch = checked_out(cwd);
    }
    policy
}

/// Words without which nobody's authorship is forged.
const AUTHORS: [&str; 5] = ["author", "AUTHOR", "COMMITTER", "user.name", "user.email"];
