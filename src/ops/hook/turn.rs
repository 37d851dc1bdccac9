//! The end of a turn (spec 6.1): refused while the session holds a handoff that it has not
//! answered, or while messages wait that it was not shown, at most [`TURN_REFUSALS`] times a turn;
//! then let go, with a receipt of what it still holds.

use crate::contract::envelope::ParentRef;
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::contract::session::{TURN_LET_GO, TURN_REFUSALS, TURN_REFUSED, TurnLetGo, TurnRefused};
use crate::contract::tool::{HookAnswer, TurnEnd};
use crate::journal::{Durability, Journal, Write};
use crate::ops::context::Context;
use crate::ops::domain::{Handoff, TurnState};
use crate::ops::handoff;
use crate::ops::inbox;
use crate::ops::records::{self, Receipt, fresh_id, observation};

use super::{Stand, open, waits};

/// Answers at the end of a turn.
pub(super) fn answer(context: &Context, end: &TurnEnd) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    let (stand, ties, mail) = journal.read(|read| {
        let stand = Stand::read(context, &end.caller, read)?;
        let ties = handoff::ties(&stand.agent, read)?;
        let mail = inbox::has_unseen(&stand.agent, read)?;
        Ok((stand, ties, mail))
    })?;
    let turn = stand.turn(end.turn.as_deref());
    // Messages that no refusal is left for are shown at the next quiet point.
    let mail = mail && turn.refused < TURN_REFUSALS && !turn.let_go;
    if ties.held.is_empty() && !mail {
        if !ties.asked.is_empty() || stand.waits() {
            journal.write(Durability::Normal, |write| {
                idle(context, &stand, &ties, write)
            })?;
        }
        return Ok(HookAnswer::Allow);
    }
    if turn.let_go {
        return Ok(HookAnswer::Allow);
    }
    if turn.refused >= TURN_REFUSALS {
        journal.write(Durability::Full, |write| {
            let stand = Stand::read(context, &end.caller, write)?;
            if stand.turn(end.turn.as_deref()).let_go {
                return Ok(());
            }
            idle(context, &stand, &ties, write)?;
            let_go(context, end, &stand, &turn, &ties.held, write)
        })?;
        return Ok(HookAnswer::Allow);
    }
    let shown = journal.write(Durability::Normal, |write| {
        let stand = Stand::read(context, &end.caller, write)?;
        let messages = inbox::deliver(context, &stand.agent, write)?;
        if ties.held.is_empty() && messages.is_empty() {
            return Ok(None);
        }
        let number = stand.turn(end.turn.as_deref()).refused + 1;
        let body = TurnRefused {
            schema: TURN_REFUSED.to_owned(),
            agent: stand.agent.clone(),
            turn: end.turn.clone(),
            number,
            again: end.again,
            handoffs: ties.held.iter().map(Handoff::id).collect(),
        };
        let (task, agent) = (Some(stand.task), Some(stand.agent));
        write.append(observation(context, TURN_REFUSED, task, agent, &body)?)?;
        Ok(Some((number, inbox::said(&messages))))
    })?;
    let Some((number, messages)) = shown else {
        return Ok(HookAnswer::Allow);
    };
    let mut words = Vec::new();
    if !ties.held.is_empty() {
        words.push(reason(&ties.held, number));
    }
    if !messages.is_empty() {
        words.push(messages);
    }
    Ok(HookAnswer::Refuse(words.join("\n")))
}

/// A session whose turn ended sits there: what it asked has somebody waiting for it, and it waits
/// for no permission any more.
fn idle(
    context: &Context,
    stand: &Stand,
    ties: &handoff::Ties,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    if stand.waits() {
        waits::no_more(context, stand, write)?;
    }
    let process = stand
        .known
        .as_ref()
        .and_then(|known| known.process.as_ref());
    for asked in &ties.asked {
        handoff::lend(context, &asked.row.id, &stand.agent, process, write)?;
    }
    Ok(())
}

/// What the model reads: which handoffs, and the verbs that end this.
fn reason(held: &[Handoff], number: u32) -> String {
    let handles: Vec<&str> = held.iter().map(|one| one.row.handle.as_str()).collect();
    let first = handles.first().copied().unwrap_or_default();
    let waits = held
        .first()
        .and_then(|one| one.entry.claim())
        .is_some_and(|claim| claim.awaits);
    let reply = if waits {
        format!(" or wait for the reply to your question: watchfloor handoff wait {first};")
    } else {
        String::new()
    };
    format!(
        "Watchfloor: this turn cannot end yet, you hold {} unanswered. \
         Answer: watchfloor handoff answer {first} --text \"...\";{reply} \
         or give it back: watchfloor handoff release {first}. \
         Refusal {number} of {TURN_REFUSALS}.",
        handles.join(", "),
    )
}

fn let_go(
    context: &Context,
    end: &TurnEnd,
    stand: &Stand,
    turn: &TurnState,
    held: &[Handoff],
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let scope = Scope::Session {
        agent: stand.agent.clone(),
    };
    // A receipt follows from receipts of its own goal alone.
    let goal_hash = match held.first() {
        Some(first) => first.goal_hash.clone(),
        None => records::goal_hash(&scope, write)?,
    };
    let parents: Vec<ParentRef> = held
        .iter()
        .filter(|one| one.goal_hash == goal_hash)
        .filter_map(|one| one.claim.as_ref())
        .map(crate::ops::domain::ReceiptRef::parent)
        .collect();
    let body = TurnLetGo {
        schema: TURN_LET_GO.to_owned(),
        agent: stand.agent.clone(),
        harness: end.caller.harness.clone(),
        turn: end.turn.clone(),
        refusals: turn.refused,
        handoffs: held.iter().map(Handoff::id).collect(),
    };
    let about = Receipt {
        id: fresh_id(),
        goal_hash,
        parents,
        scope: &scope,
        agent: Some(stand.agent.clone()),
    };
    records::receipt(context, write, about, &body).map(drop)
}
