//! `grant add | list | revoke`.

use crate::contract::guard::Grantable;
use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::grant::{self, GrantRow, Wish};
use crate::ops::store;

use super::args::{GrantVerb, Opens};
use super::context::with_ancestors;
use super::out::{Reply, usage};
use super::prompt::passphrase;
use super::table::{plain, table};

/// Runs one verb.
pub fn run(context: Context, verb: GrantVerb) -> Result<Reply, Refusal> {
    let context = &with_ancestors(context);
    match verb {
        GrantVerb::Add {
            opens,
            minutes,
            reason,
            principal,
        } => {
            let wish = Wish {
                opens: wanted(opens)?,
                minutes,
                reason: &reason,
                principal: principal.as_deref(),
            };
            let mut journal = store::open(context)?;
            let row = grant::add(
                context,
                &wish,
                &mut |who| passphrase(who),
                &mut journal,
                &store::flags(context),
            )?;
            said(&row)
        }
        GrantVerb::List => {
            let mut journal = store::open_readonly(context)?;
            let list = grant::list(context, &mut journal)?;
            let cells = |row: &GrantRow| {
                let row = row.clone();
                vec![
                    row.handle, row.state, row.kind, row.value, row.until, row.by, row.reason,
                ]
            };
            let rows: Vec<Vec<String>> = list.grants.iter().map(cells).collect();
            let heads = ["grant", "state", "opens", "what", "until", "by", "reason"];
            Reply::of(&list, table(&heads, &rows))
        }
        GrantVerb::Revoke { id, reason } => {
            let mut journal = store::open(context)?;
            let row = grant::revoke(context, &id, &reason, &mut journal)?;
            said(&row)
        }
    }
}

fn said(row: &GrantRow) -> Result<Reply, Refusal> {
    let human = format!(
        "grant {} of {} {} is {} until {}",
        row.handle, row.kind, row.value, row.state, row.until
    );
    Reply::of(row, plain(&human))
}

fn wanted(opens: Opens) -> Result<Grantable, Refusal> {
    let all = [
        opens.host.map(Grantable::Host),
        opens.path.map(Grantable::Path),
        opens.branch.map(Grantable::Branch),
        opens.call.map(Grantable::Call),
    ];
    let mut named = all.into_iter().flatten();
    named.next().ok_or_else(|| {
        usage(
            "name a host, path, branch or call".to_owned(),
            "watchfloor grant add --help",
        )
    })
}
