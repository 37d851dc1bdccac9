//! Idempotency keys (spec 1.1): within project, agent and verb the same key and request again
//! answers the same; another request with that key is refused.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contract::digest::Digest;
use crate::contract::event::{KEYED, Keyed};
use crate::contract::refusal::{Code, Refusal};
use crate::journal::{Read, Write};

use super::context::Context;
use super::domain;
use super::records::event;
use super::store::load;

/// Runs `work` once for the context's key; without a key, always.
///
/// # Errors
/// The key was used with another request, or what the work refuses.
pub fn once<T: Serialize + DeserializeOwned>(
    context: &Context,
    verb: &str,
    request: &[u8],
    write: &mut dyn Write,
    work: impl FnOnce(&mut dyn Write) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let Some(key) = &context.key else {
        return work(write);
    };
    let request = Digest::of(request).to_string();
    if let Some(known) = recall(context, verb, key, write)? {
        if known.request != request {
            let cause = format!("the key {key} was used for another {verb}");
            return Err(Refusal::new(Code::KeyConflict, cause, "use a fresh --key"));
        }
        return serde_json::from_value(known.answer).map_err(|error| {
            Refusal::new(
                Code::StoreDamaged,
                format!("a kept answer cannot be read: {error}"),
                "watchfloor verify --deep",
            )
        });
    }
    let answer = work(write)?;
    let value = serde_json::to_value(&answer).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("an answer has no JSON form: {error}"),
            "watchfloor status",
        )
    })?;
    let body = Keyed {
        schema: KEYED.to_owned(),
        verb: verb.to_owned(),
        key: key.clone(),
        request,
        answer: value,
    };
    write.append(event(context, KEYED, None, context.agent.clone(), &body)?)?;
    Ok(answer)
}

fn recall(
    context: &Context,
    verb: &str,
    key: &str,
    write: &dyn Write,
) -> Result<Option<Keyed>, Refusal> {
    let agent = context.agent.as_ref().map_or("", |a| a.as_str());
    let key = domain::key_of(&context.project, agent, verb, key);
    let read: &dyn Read = write;
    load(read, domain::KEYED, &key)
}
