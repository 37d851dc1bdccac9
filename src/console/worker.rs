//! The one executor: runs effects through the backend, one at a time, in its own thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use zeroize::Zeroizing;

use crate::contract::going::TreeDiff;
use crate::contract::refusal::Refusal;

use super::backend::Backend;
use super::effect::Effect;
use super::event::{Refused, Reply};
use super::form::{Facts, Subject, Submission, Written};
use super::vault::Vault;

/// Idle time after which the store may tidy up.
const IDLE: Duration = Duration::from_secs(5);

/// Work for the executor. It has no `Debug`: it may carry a passphrase.
pub(super) enum Job {
    /// An effect that needs no passphrase.
    Plain(Effect),
    /// What is to be signed, with the passphrase out of the vault.
    Submit(Box<Submission>, Zeroizing<String>),
}

impl Job {
    /// The job of an effect, if the executor has one for it.
    pub(super) fn of(effect: Effect, vault: &mut Vault) -> Option<Self> {
        match effect {
            Effect::Submit(what) => Some(Self::Submit(what, vault.take())),
            Effect::WipePassphrase => {
                vault.wipe();
                None
            }
            Effect::Refresh(_)
            | Effect::OpenDetail { .. }
            | Effect::LoadForm(_)
            | Effect::Preview(_)
            | Effect::Classify(_)
            | Effect::Ways(_)
            | Effect::Jump(..)
            | Effect::Diff(_)
            | Effect::CancelDiff
            | Effect::Stop { .. } => Some(Self::Plain(effect)),
            Effect::Copy(_) | Effect::Suspend | Effect::Repaint | Effect::Quit => None,
        }
    }

    fn is_stop(&self) -> bool {
        matches!(self, Self::Plain(Effect::Stop { .. }))
    }

    fn replaces(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::Plain(new), Self::Plain(old)) => match (new, old) {
                (Effect::Refresh(_), Effect::Refresh(_))
                | (Effect::OpenDetail { .. }, Effect::OpenDetail { .. })
                | (Effect::Preview(_), Effect::Preview(_))
                | (Effect::Classify(_), Effect::Classify(_)) => true,
                (Effect::LoadForm(new), Effect::LoadForm(old)) => new == old,
                _ => false,
            },
            _ => false,
        }
    }
}

/// Reads what a form shows.
fn facts(backend: &mut dyn Backend, subject: &Subject) -> Result<Facts, Refused> {
    Ok(match subject {
        Subject::Reset(ids) => {
            let forms = ids.iter().map(|id| backend.reset_form(id));
            Facts::Reset(forms.collect::<Result<_, _>>()?)
        }
        Subject::Decide(id) => Facts::Decide(Box::new(backend.decide_form(id)?)),
        Subject::Alias(code) | Subject::Promote(code) => {
            Facts::Code(Box::new(backend.code_form(code)?))
        }
        Subject::Grant(kind, id) => Facts::Grant(Box::new(backend.grant_form(*kind, id)?)),
        Subject::Message(agent) | Subject::Pause(agent) => {
            Facts::Message(Box::new(backend.message_form(agent)?))
        }
    })
}

/// Signs and writes, part by part, up to the first refusal.
fn submit(backend: &mut dyn Backend, what: &Submission, passphrase: &Zeroizing<String>) -> Reply {
    let mut written = Vec::new();
    let mut refused = None;
    let parts = match what {
        Submission::Reset(requests) => requests.len(),
        _ => 1,
    };
    for part in 0..parts {
        match submit_part(backend, what, part, passphrase.clone()) {
            Ok(done) => written.push(done),
            Err(refusal) => {
                refused = Some(refusal.into());
                break;
            }
        }
    }
    Reply::Submitted { written, refused }
}

fn submit_part(
    backend: &mut dyn Backend,
    what: &Submission,
    part: usize,
    passphrase: Zeroizing<String>,
) -> Result<Written, Refusal> {
    let (id, signed) = match what {
        Submission::Reset(requests) => {
            let answer = backend.reset(&requests[part], passphrase)?;
            return Ok(Written {
                id: answer.id,
                handle: answer.handle,
                receipt: answer.receipt_id,
                lacks: answer.lacks,
                checks: answer.checks,
            });
        }
        Submission::Pause(request) => (request.agent.clone(), backend.pause(request)?),
        Submission::Message(request) => {
            let sent = backend.message(request)?.message;
            return Ok(Written {
                id: request.to.clone(),
                handle: sent.handle,
                receipt: Some(sent.id),
                lacks: Vec::new(),
                checks: Vec::new(),
            });
        }
        Submission::Decide(request) => (
            request.handoff_id.clone(),
            backend.decide(request, passphrase)?,
        ),
        Submission::Alias(request) => (request.minted.clone(), backend.alias(request, passphrase)?),
        Submission::Grant(request) => (
            request.refused_id.clone(),
            backend.grant(request, passphrase)?,
        ),
        Submission::Promote(request) => (
            request.entry.minted.clone(),
            backend.promote(request, passphrase)?,
        ),
    };
    Ok(Written {
        id,
        handle: signed.subject,
        receipt: Some(signed.receipt_id),
        lacks: Vec::new(),
        checks: Vec::new(),
    })
}

/// Runs one job.
pub(super) fn execute(backend: &mut dyn Backend, job: Job) -> Option<Reply> {
    Some(match job {
        Job::Submit(what, passphrase) => submit(backend, &what, &passphrase),
        Job::Plain(Effect::Refresh(want)) => Reply::Status {
            outcome: backend.status(&want).map(Box::new).map_err(Into::into),
            want,
        },
        Job::Plain(Effect::OpenDetail { kind, id }) => Reply::Detail {
            outcome: backend.detail(kind, &id).map_err(Into::into),
            kind,
            id,
        },
        Job::Plain(Effect::LoadForm(subject)) => Reply::Form {
            outcome: facts(backend, &subject),
            subject,
        },
        Job::Plain(Effect::Preview(draft)) => Reply::Preview {
            outcome: backend.preview(&draft).map_err(Into::into),
            draft: Box::new(draft),
        },
        Job::Plain(Effect::Classify(text)) => Reply::Meaning {
            outcome: backend.classify(&text).map_err(Into::into),
            text,
        },
        Job::Plain(Effect::Ways(agent)) => Reply::Ways {
            outcome: backend.ways(&agent).map_err(Into::into),
            agent,
        },
        Job::Plain(Effect::Jump(agent, way)) => {
            Reply::Jump(backend.jump(&agent, way).map_err(Into::into))
        }
        Job::Plain(Effect::Diff(agent)) => {
            let found = backend.diff(&agent);
            diff_of(agent, found.and_then(|read| read(&AtomicBool::new(false))))
        }
        Job::Plain(Effect::Stop { reason }) => {
            Reply::Stop(backend.stop(&reason).map_err(Into::into))
        }
        Job::Plain(_) => return None,
    })
}

fn diff_of(agent: String, outcome: Result<TreeDiff, Refusal>) -> Reply {
    Reply::Diff {
        agent,
        outcome: outcome.map(Box::new).map_err(Into::into),
    }
}

/// The diff that is being read, in a thread of its own: everything else goes on meanwhile.
struct Diffs<P> {
    post: P,
    running: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

impl<P: Fn(Reply) + Clone + Send + 'static> Diffs<P> {
    fn start(&mut self, backend: &mut dyn Backend, agent: String) {
        self.cancel();
        let read = match backend.diff(&agent) {
            Ok(read) => read,
            Err(refusal) => return (self.post)(diff_of(agent, Err(refusal))),
        };
        let (stop, post) = (Arc::new(AtomicBool::new(false)), self.post.clone());
        let switch = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let outcome = read(&switch);
            // Who cancelled it, or asked for another, does not wait for this one.
            if !switch.load(Ordering::Relaxed) {
                post(diff_of(agent, outcome));
            }
        });
        self.running = Some((stop, thread));
    }

    fn cancel(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            stop.store(true, Ordering::Relaxed);
            // It ends within a blink: what it runs is ended with it.
            let _ = thread.join();
        }
    }
}

/// Takes jobs until there is no one left who could send any.
///
/// A stop goes before everything else; of several refreshes that wait, only the last is run.
pub(super) fn work(
    backend: &mut dyn Backend,
    jobs: &Receiver<Job>,
    post: impl Fn(Reply) + Clone + Send + 'static,
) {
    let mut diffs = Diffs {
        post: post.clone(),
        running: None,
    };
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
            match job {
                Job::Plain(Effect::Diff(agent)) => diffs.start(backend, agent),
                Job::Plain(Effect::CancelDiff) => diffs.cancel(),
                job => {
                    if let Some(reply) = execute(backend, job) {
                        post(reply);
                    }
                }
            }
        }
    }
    diffs.cancel();
    backend.checkpoint();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::console::backend::Want;
    use crate::console::fake::FakeBackend;

    #[test]
    fn a_diff_keeps_nobody_waiting_and_one_that_nobody_wants_is_not_told() {
        let (sender, receiver) = mpsc::channel();
        let plain = |job| sender.send(Job::Plain(job)).unwrap();
        plain(Effect::Diff("codex-2".to_owned()));
        plain(Effect::Classify("no space left on device".to_owned()));
        plain(Effect::CancelDiff);
        drop(sender);
        let mut backend = FakeBackend::full(0);
        backend.slow = true;
        let (post, replies) = mpsc::channel();
        work(&mut backend, &receiver, move |reply| {
            post.send(reply).unwrap();
        });
        let replies: Vec<Reply> = replies.iter().collect();
        assert!(
            matches!(replies.as_slice(), [Reply::Meaning { .. }]),
            "{replies:?}"
        );
        // One that is wanted is told, also of an agent that nobody knows.
        let (sender, receiver) = mpsc::channel();
        sender
            .send(Job::Plain(Effect::Diff("codex-2".to_owned())))
            .unwrap();
        let (post, replies) = mpsc::channel();
        let worker = std::thread::spawn(move || {
            work(&mut FakeBackend::full(0), &receiver, move |reply| {
                post.send(reply).unwrap();
            });
        });
        let told = replies.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(
            matches!(told, Reply::Diff { outcome: Ok(_), .. }),
            "{told:?}"
        );
        drop(sender);
        worker.join().unwrap();
    }

    #[test]
    fn a_stop_goes_first_and_old_refreshes_are_dropped() {
        let (sender, receiver) = mpsc::channel();
        let last = Want {
            attention: 3,
            ..Want::default()
        };
        for job in [
            Effect::Refresh(Box::default()),
            Effect::Refresh(Box::default()),
            Effect::Refresh(Box::new(last.clone())),
            Effect::Stop {
                reason: "now".to_owned(),
            },
        ] {
            sender.send(Job::Plain(job)).unwrap();
        }
        drop(sender);
        let mut backend = FakeBackend::full(0);
        let (post, replies) = mpsc::channel();
        work(&mut backend, &receiver, move |reply| {
            post.send(reply).unwrap();
        });
        let replies: Vec<Reply> = replies.iter().collect();
        assert_eq!(replies.len(), 2);
        assert!(matches!(replies[0], Reply::Stop(Ok(_))));
        assert!(matches!(&replies[1], Reply::Status { want, .. } if **want == last));
    }
}
