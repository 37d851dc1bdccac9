//! `identity init | add | list | revoke`.

use crate::contract::breaker::Approver;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::ops::identity::{self, Shown};
use crate::ops::store;

use super::args::IdentityVerb;
use super::context::with_ancestors;
use super::out::Reply;
use super::prompt::{new_passphrase, passphrase};
use super::table::table;

/// Runs one verb.
pub fn run(context: Context, verb: IdentityVerb) -> Result<Reply, Refusal> {
    let context = &with_ancestors(context);
    match verb {
        IdentityVerb::Init { name, role } => {
            let role = approver(&role)?;
            let name = name.unwrap_or_else(|| default_name(context));
            let mut journal = store::open(context)?;
            let fresh = !identity::key_is_here(context, &name);
            let mut ask = |who: &str| {
                if fresh {
                    new_passphrase(who)
                } else {
                    passphrase(who)
                }
            };
            let shown = identity::init(context, &name, role, &mut ask, &mut journal)?;
            said(&shown, "can sign now")
        }
        IdentityVerb::Add {
            name,
            role,
            public_key,
            principal,
        } => {
            let role = approver(&role)?;
            let key = match &public_key {
                Some(path) => Some(std::fs::read_to_string(path).map_err(|error| {
                    let cause = format!("{} cannot be read: {error}", path.display());
                    Refusal::new(
                        Code::FileUnreadable,
                        cause,
                        format!("ls -l {}", path.display()),
                    )
                })?),
                None => None,
            };
            let mut journal = store::open(context)?;
            let mut ask = |who: &str| {
                if who == name {
                    new_passphrase(who)
                } else {
                    passphrase(who)
                }
            };
            let added = identity::add(
                context,
                &name,
                role,
                key.as_deref(),
                principal.as_deref(),
                &mut ask,
                &mut journal,
            )?;
            said(&added, "was added")
        }
        IdentityVerb::Revoke {
            name,
            reason,
            principal,
        } => {
            let mut journal = store::open(context)?;
            let mut ask = |who: &str| passphrase(who);
            let revoked = identity::revoke(
                context,
                &name,
                &reason,
                principal.as_deref(),
                &mut ask,
                &mut journal,
            )?;
            said(&revoked, "was revoked")
        }
        IdentityVerb::List => {
            let mut journal = store::open_readonly(context)?;
            let list = identity::list(context, &mut journal)?;
            let rows: Vec<Vec<String>> = list
                .identities
                .iter()
                .map(|i| {
                    let here = if i.key_here {
                        "key here"
                    } else {
                        "key elsewhere"
                    };
                    vec![
                        i.principal.clone(),
                        i.roles.join(", "),
                        i.state.clone(),
                        here.to_owned(),
                        i.key.clone(),
                    ]
                })
                .collect();
            let human = format!(
                "{}{}",
                table(&["identity", "roles", "state", "key", "fingerprint"], &rows),
                list.file
            );
            Reply::of(&list, human)
        }
    }
}

fn said(shown: &Shown, what: &str) -> Result<Reply, Refusal> {
    let human = format!(
        "{} ({}) {what}; key {}",
        shown.principal,
        shown.roles.join(", "),
        shown.key
    );
    Reply::of(shown, human)
}

fn approver(text: &str) -> Result<Approver, Refusal> {
    Approver::parse(text).ok_or_else(|| {
        Refusal::new(
            Code::Usage,
            format!("{text} is no role: human or lead"),
            "watchfloor identity --help",
        )
    })
}

fn default_name(context: &Context) -> String {
    let user = std::env::var("USER")
        .ok()
        .filter(|user| !user.is_empty())
        .unwrap_or_else(|| "operator".to_owned());
    let host = if context.host.is_empty() {
        "localhost"
    } else {
        &context.host
    };
    format!("{user}@{host}")
}
