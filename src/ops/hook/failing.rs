//! Failing (spec 3.8): when the product cannot answer, calls that change things are refused
//! and reading ones pass.

use std::path::Path;

use crate::contract::refusal::Refusal;
use crate::contract::tool::{Act, ToolCall};
use crate::rules::guarded::simple_product_call;

/// Whether a call may change files, repositories or systems. A Bash call that is one simple
/// command of this product, of a verb that stays allowed, does not.
#[must_use]
pub fn changes(call: &ToolCall) -> bool {
    match &call.act {
        Act::Read => false,
        Act::Edit(_) | Act::Other => true,
        Act::Shell(command) => {
            simple_product_call(command).is_none() || !names_this_program(command)
        }
    }
}

/// Whether a command names this program: bare, as the hook's own is found, or by the absolute
/// path of the file that runs here. Any other file can be called `watchfloor` too.
fn names_this_program(command: &str) -> bool {
    let named = command.split_ascii_whitespace().next().unwrap_or_default();
    let path = Path::new(named);
    match (
        path.canonicalize(),
        Path::new("/proc/self/exe").canonicalize(),
    ) {
        _ if !named.contains('/') => true,
        (Ok(named), Ok(running)) => path.is_absolute() && named == running,
        _ => false,
    }
}

/// What refuses a call when something inside failed.
#[must_use]
pub fn refusal(call: &ToolCall, refusal: &Refusal) -> Option<Refusal> {
    changes(call).then(|| {
        let cause = format!("cannot vouch for this call: {refusal}");
        Refusal::new(refusal.code, cause, refusal.next_command.clone())
    })
}

/// A refusal as the model reads it.
#[must_use]
pub fn said(why: &str, next_command: &str) -> String {
    format!("Watchfloor: {why}. Reading is still allowed. Next: {next_command}")
}
