//! The one executor: runs effects through the backend, one at a time, in its own thread.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use zeroize::Zeroizing;

use super::backend::Backend;
use super::effect::Effect;
use super::event::Reply;
use super::vault::Vault;

/// Idle time after which the store may tidy up.
const IDLE: Duration = Duration::from_secs(5);

/// Work for the executor. It has no `Debug`: it may carry a passphrase.
pub(super) enum Job {
    /// An effect that needs no passphrase.
    Plain(Effect),
    /// A reset, with the passphrase out of the vault.
    Reset(Box<crate::contract::agent::ResetRequest>, Zeroizing<String>),
}

impl Job {
    /// The job of an effect, if the executor has one for it.
    pub(super) fn of(effect: Effect, vault: &mut Vault) -> Option<Self> {
        match effect {
            Effect::SubmitReset(request) => Some(Self::Reset(request, vault.take())),
            Effect::WipePassphrase => {
                vault.wipe();
                None
            }
            Effect::Refresh(_)
            | Effect::OpenDetail { .. }
            | Effect::LoadReset { .. }
            | Effect::Stop { .. } => Some(Self::Plain(effect)),
            Effect::Suspend | Effect::Repaint | Effect::Quit => None,
        }
    }

    fn is_stop(&self) -> bool {
        matches!(self, Self::Plain(Effect::Stop { .. }))
    }

    fn replaces(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::Plain(Effect::Refresh(_)), Self::Plain(Effect::Refresh(_)))
            | (Self::Plain(Effect::OpenDetail { .. }), Self::Plain(Effect::OpenDetail { .. })) => {
                true
            }
            (
                Self::Plain(Effect::LoadReset { breaker_id: new }),
                Self::Plain(Effect::LoadReset { breaker_id: old }),
            ) => new == old,
            _ => false,
        }
    }
}

/// Runs one job.
pub(super) fn execute(backend: &mut dyn Backend, job: Job) -> Option<Reply> {
    Some(match job {
        Job::Reset(request, passphrase) => {
            Reply::Reset(backend.reset(&request, passphrase).map_err(Into::into))
        }
        Job::Plain(Effect::Refresh(want)) => Reply::Status {
            outcome: backend.status(&want).map_err(Into::into),
            want,
        },
        Job::Plain(Effect::OpenDetail { kind, id }) => Reply::Detail {
            outcome: backend.detail(kind, &id).map_err(Into::into),
            kind,
            id,
        },
        Job::Plain(Effect::LoadReset { breaker_id }) => Reply::Form {
            outcome: backend.reset_form(&breaker_id).map_err(Into::into),
            breaker_id,
        },
        Job::Plain(Effect::Stop { reason }) => {
            Reply::Stop(backend.stop(&reason).map_err(Into::into))
        }
        Job::Plain(_) => return None,
    })
}

/// Takes jobs until there is no one left who could send any.
///
/// A stop goes before everything else; of several refreshes that wait, only the last is run.
pub(super) fn work(backend: &mut dyn Backend, jobs: &Receiver<Job>, mut post: impl FnMut(Reply)) {
    let mut queue: VecDeque<Job> = VecDeque::new();
    let mut tidy = true;
    loop {
        if queue.is_empty() {
            let next = if tidy {
                jobs.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                jobs.recv_timeout(IDLE)
            };
            match next {
                Ok(job) => queue.push_back(job),
                Err(RecvTimeoutError::Timeout) => {
                    backend.checkpoint();
                    tidy = true;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        for job in jobs.try_iter() {
            queue.retain(|older| !job.replaces(older));
            if job.is_stop() {
                queue.push_front(job);
            } else {
                queue.push_back(job);
            }
        }
        if let Some(job) = queue.pop_front() {
            tidy = false;
            if let Some(reply) = execute(backend, job) {
                post(reply);
            }
        }
    }
    backend.checkpoint();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::console::backend::Want;
    use crate::console::fake::FakeBackend;

    #[test]
    fn a_stop_goes_first_and_old_refreshes_are_dropped() {
        let (sender, receiver) = mpsc::channel();
        let last = Want {
            attention: 3,
            ..Want::default()
        };
        for job in [
            Effect::Refresh(Want::default()),
            Effect::Refresh(Want::default()),
            Effect::Refresh(last.clone()),
            Effect::Stop {
                reason: "now".to_owned(),
            },
        ] {
            sender.send(Job::Plain(job)).unwrap();
        }
        drop(sender);
        let mut backend = FakeBackend::full(0);
        let mut replies = Vec::new();
        work(&mut backend, &receiver, |reply| replies.push(reply));
        assert_eq!(replies.len(), 2);
        assert!(matches!(replies[0], Reply::Stop(Ok(_))));
        assert!(matches!(&replies[1], Reply::Status { want, .. } if *want == last));
    }
}
