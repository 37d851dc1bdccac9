//! The seven points (spec 4.6), each proved from the journal; the fourth also from the file that
//! A made. What is not shown does not hold.

use serde_json::Value;

use crate::contract::acceptance::{BEGAN, Began, Point};
use crate::contract::attempt::{ATTEMPT, Attempt};
use crate::contract::digest::Digest;
use crate::contract::event::{KEYED, Keyed};
use crate::contract::handoff::ANSWERED;
use crate::contract::ids::AgentId;
use crate::contract::record::Record;
use crate::contract::row::AttentionRow;
use crate::contract::safety::Outcome;
use crate::contract::tool::{AGENT_SEEN, TOOL_SEEN};

use super::entry::{Entry, entries};
use super::script::{LOOK_UP, NAME, SECOND};

/// What an acceptance left behind.
pub(super) struct Left {
    /// Its records.
    pub records: Vec<Record>,
    /// What waits for a person.
    pub attention: Vec<AttentionRow>,
    /// The fact.
    pub fact: String,
    /// Files within A's reach that hold the fact, but for the one that A made of the answer.
    pub strays: Vec<String>,
    /// What A made of the answer; absent when it made nothing.
    pub second: Option<Vec<u8>>,
    /// How each of the two ended, where it did not by itself.
    pub ended: Vec<String>,
    /// The names that the two have where no hook names their sessions.
    pub names: [&'static str; 2],
}

/// The seven points, and who A and B are in the journal.
pub(super) fn points(left: &Left) -> (Vec<Point>, [String; 2]) {
    let entries = entries(&left.records);
    let view = View::of(left, &entries);
    let claims = [
        "A's question is real: the fact was given to B alone, on its standard input; A's try to find it is in the ledger and failed",
        "B found the entry by polling",
        "the answer is in the store, in no side channel",
        "half 2 is finished and uses the answer, and the receipt of the use resolves",
        "entry 2 ended blocked and did not reach the person",
        "messages by a person: 0",
        "interventions after the start: 0",
    ];
    let proofs = [
        view.question(),
        view.polled(),
        view.in_store(),
        view.used(),
        view.blocked(),
        view.messages(),
        view.untouched(),
    ];
    let points = (1..)
        .zip(claims)
        .zip(proofs)
        .map(|((number, claim), proof)| {
            let (holds, proof) = match proof {
                Ok(proof) => (true, proof),
                Err(why) => (false, vec![why]),
            };
            Point {
                number,
                claim: claim.to_owned(),
                holds,
                proof,
            }
        });
    (points.collect(), [view.a.clone(), view.b.clone()])
}

/// What shows a point, or why it does not hold.
pub(super) type Proof = Result<Vec<String>, String>;

/// The records, as the points look at them.
pub(super) struct View<'r> {
    pub(super) left: &'r Left,
    began: Option<(&'r Record, Began)>,
    first: Option<&'r Entry<'r>>,
    pub(super) second: Option<&'r Entry<'r>>,
    pub(super) a: String,
    pub(super) b: String,
}

/// The session that an agent works under.
fn root(agent: &AgentId) -> &str {
    agent.as_str().split('/').next().unwrap_or_default()
}

impl<'r> View<'r> {
    fn of(left: &'r Left, entries: &'r [Entry<'r>]) -> Self {
        let began = left.records.iter().find(|record| record.schema == BEGAN);
        let began =
            began.and_then(|record| Some((record, serde_json::from_str(&record.body).ok()?)));
        let first = entries.first();
        let asker = first.and_then(|entry| entry.opened.1.asker.as_ref());
        let holder = first.and_then(|entry| entry.claimed.first());
        Self {
            left,
            began,
            first,
            second: entries.get(1),
            a: asker.map(|id| root(id).to_owned()).unwrap_or_default(),
            b: holder
                .map(|(_, body)| root(&body.holder).to_owned())
                .unwrap_or_default(),
        }
    }

    fn first(&self) -> Result<&'r Entry<'r>, String> {
        self.first.ok_or_else(|| {
            let mut ended = self.left.ended.iter();
            match ended.find(|how| how.starts_with("A ")) {
                Some(how) => format!("A opened no entry: {how}"),
                None => "A opened no entry".to_owned(),
            }
        })
    }

    pub(super) fn began(&self) -> Result<&(&'r Record, Began), String> {
        self.began
            .as_ref()
            .ok_or_else(|| "the start is not recorded".to_owned())
    }

    fn answer(&self) -> Result<(&'r Record, &'r str), String> {
        let answered = self.first()?.answered.first();
        let (record, body) = answered.ok_or("entry 1 was not answered")?;
        Ok((record, &body.text))
    }

    /// 1: A did not have the fact, looked for it, and failed.
    fn question(&self) -> Proof {
        let (began, body) = self.began()?;
        if !body.a_holds.is_empty() {
            return Err(format!(
                "record {}: A had the fact, in {}",
                began.seq,
                body.a_holds.join(", ")
            ));
        }
        if body.fact != Digest::of(self.left.fact.as_bytes()).to_string() {
            return Err(format!("record {}: another fact was given", began.seq));
        }
        let entry = self.first()?;
        let opened = entry.opened.0;
        let tries = self
            .left
            .records
            .iter()
            .filter(|record| record.schema == ATTEMPT);
        let mut tries = tries.filter_map(|record| {
            Some((record, serde_json::from_str::<Attempt>(&record.body).ok()?))
        });
        let looked = |(record, attempt): &(&Record, Attempt)| {
            let check = attempt.check.as_deref().unwrap_or_default();
            record.seq < opened.seq && root(&attempt.agent) == self.a && check.contains(LOOK_UP)
        };
        let (record, attempt) = tries
            .find(looked)
            .ok_or("no try of A to find the fact is in the ledger")?;
        if attempt.result != Outcome::Fail {
            return Err(format!(
                "record {}: A's try to find the fact did not fail",
                record.seq
            ));
        }
        let failure = attempt.derived.failure.unwrap_or_default();
        let known = self
            .left
            .records
            .iter()
            .find(|one| one.body.contains(&self.left.fact));
        if let Some(known) = known.filter(|known| known.seq < opened.seq) {
            return Err(format!(
                "record {}: the fact was known before A asked",
                known.seq
            ));
        }
        Ok(vec![
            format!(
                "record {}: {NAME} was given {}; none of the {} things that A was given held it",
                began.seq, body.given, body.a_inputs
            ),
            format!(
                "record {}: {} tried `sh {LOOK_UP}` and failed: {failure}",
                record.seq, attempt.agent
            ),
            format!(
                "record {}: {} asked: {}",
                opened.seq, self.a, entry.opened.1.question
            ),
        ])
    }

    /// 2: the claim came by the verb that polls, by an agent that was there before the entry.
    fn polled(&self) -> Proof {
        let mut proof = Vec::new();
        for (number, entry) in [(1, Some(self.first()?)), (2, self.second)] {
            let entry = entry.ok_or("A opened no second entry")?;
            let (claim, body) = entry
                .claimed
                .first()
                .ok_or_else(|| format!("nobody claimed entry {number}"))?;
            let holder = root(&body.holder);
            if holder != self.b || holder == self.a {
                return Err(format!(
                    "record {}: entry {number} was claimed by {holder}",
                    claim.seq
                ));
            }
            let keyed = self
                .left
                .records
                .iter()
                .filter(|record| record.schema == KEYED);
            let mut keyed = keyed.filter_map(|record| {
                Some((record, serde_json::from_str::<Keyed>(&record.body).ok()?))
            });
            let by_poll = |(_, keyed): &(&Record, Keyed)| {
                keyed.verb == "handoff next" && keyed.answer["record_id"] == claim.id.as_str()
            };
            let (poll, _) = keyed.find(by_poll).ok_or_else(|| {
                format!(
                    "record {}: the claim of entry {number} did not come by `handoff next`",
                    claim.seq
                )
            })?;
            proof.push(format!(
                "record {}: {holder} claimed entry {number}, record {}: by `handoff next --claim`",
                claim.seq, poll.seq
            ));
        }
        let opened = self.first()?.opened.0.seq;
        let mine = |record: &&Record| record.agent.as_ref().is_some_and(|id| root(id) == self.b);
        let seen = |schema: &'static str| {
            self.left
                .records
                .iter()
                .filter(mine)
                .filter(move |one| one.schema == schema)
        };
        if let Some(start) = seen(AGENT_SEEN).next() {
            if start.seq > opened {
                return Err(format!(
                    "record {}: B came only after entry 1 was there",
                    start.seq
                ));
            }
            proof.push(format!(
                "record {}: {} was there before entry 1, record {opened}",
                start.seq, self.b
            ));
        }
        let polls: Vec<u64> = seen(TOOL_SEEN)
            .filter(|one| one.body.contains("handoff next"))
            .map(|one| one.seq)
            .collect();
        if let (Some(first), Some(last)) = (polls.first(), polls.last()) {
            proof.push(format!(
                "records {first} to {last}: its program polled {} times",
                polls.len()
            ));
        }
        Ok(proof)
    }

    /// 3: the answer's receipt is the first record that holds the fact, and no file hands it over.
    fn in_store(&self) -> Proof {
        let (answer, text) = self.answer()?;
        if !text.contains(&self.left.fact) {
            return Err(format!(
                "record {}: the answer does not hold the fact: {text}",
                answer.seq
            ));
        }
        let first = self
            .left
            .records
            .iter()
            .find(|record| record.body.contains(&self.left.fact));
        if let Some(other) = first.filter(|first| first.seq != answer.seq) {
            return Err(format!(
                "record {}: the fact was there before the answer, record {}",
                other.seq, answer.seq
            ));
        }
        if !self.left.strays.is_empty() {
            return Err(format!(
                "the fact lies within A's reach in {}",
                self.left.strays.join(", ")
            ));
        }
        Ok(vec![
            format!("record {}: {} answered: {text}", answer.seq, self.b),
            "it is the first record that holds the fact, and no file within A's reach does but its own output".to_owned(),
        ])
    }

    /// 4: the output holds the fact, and the use points at the answer and at that very output.
    fn used(&self) -> Proof {
        let (answer, _) = self.answer()?;
        let output = self
            .left
            .second
            .as_ref()
            .ok_or_else(|| format!("there is no {SECOND}"))?;
        let text = String::from_utf8_lossy(output);
        if !text.contains(&self.left.fact) {
            return Err(format!(
                "{SECOND} holds nothing of the answer: {}",
                text.trim()
            ));
        }
        let digest = Digest::of(output).to_string();
        let entry = self.first()?;
        let (used, body) = entry
            .used
            .first()
            .ok_or("the use of the answer is not recorded")?;
        if body.asker.as_ref().map(root) != Some(&self.a) || body.answer_id != answer.id {
            return Err(format!(
                "record {}: another answer was used, or by another",
                used.seq
            ));
        }
        let shown = format!("{SECOND}@{digest}");
        if !body.evidence.contains(&shown) {
            return Err(format!(
                "record {}: the use shows {}, and {SECOND} is {digest} now",
                used.seq,
                body.evidence.join(", ")
            ));
        }
        let envelope: Value = serde_json::from_str(&used.body).unwrap_or_default();
        let parents = envelope["parent_refs"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let points = |parent: &&Value| parent["receipt_id"] == answer.id.as_str();
        let parent = parents
            .iter()
            .find(points)
            .ok_or_else(|| format!("record {}: the use does not point at the answer", used.seq))?;
        let resolves = parent["digest"] == answer.body_sha256.to_string()
            && parent["expected_schema"] == ANSWERED
            && Digest::of(answer.body.as_bytes()) == answer.body_sha256;
        if !resolves {
            return Err(format!(
                "record {}: the use points at other bytes than the answer's",
                used.seq
            ));
        }
        Ok(vec![
            format!("{SECOND} holds: {}", text.trim()),
            format!("record {}: {} used it, with {shown}", used.seq, self.a),
            format!(
                "its parent resolves: record {}, {}",
                answer.seq, answer.body_sha256
            ),
        ])
    }

    pub(super) fn after(&self, began: &Record) -> impl Iterator<Item = &'r Record> {
        let from = began.seq;
        self.left
            .records
            .iter()
            .filter(move |record| record.seq > from)
    }

    /// Whether a record is by one of the two, by its session or by the name that it was given.
    pub(super) fn is_one(&self, record: &Record) -> bool {
        record.agent.as_ref().is_some_and(|id| {
            let id = root(id);
            id == self.a || id == self.b || self.left.names.contains(&id)
        })
    }
}
