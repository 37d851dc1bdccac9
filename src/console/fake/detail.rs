//! The details of the made-up fleet.

use crate::console::backend::{Known, PaneKind, task_id};
use crate::contract::agent::{Detail, Section};
use crate::contract::bench::{Bench, Near, Sample};
use crate::contract::provenance::{Edge, EdgeCheck, Node, Provenance};
use crate::contract::row::BreakerRow;

use super::FakeBackend;

fn section(heading: &str, texts: &[&str]) -> Section {
    Section {
        heading: heading.to_owned(),
        lines: texts.iter().map(ToString::to_string).collect(),
    }
}

fn plain(title: String, sections: Vec<Section>) -> Known {
    Known::Plain(Detail { title, sections })
}

impl FakeBackend {
    /// All that is known of one row.
    pub(super) fn known(&self, kind: PaneKind, id: &str) -> Option<Known> {
        Some(match kind {
            PaneKind::Overview => return None,
            PaneKind::Handoffs => {
                let row = self.handoffs.iter().find(|row| row.id == id)?;
                let thread = [
                    "13:56:10 pi-1 opened it",
                    "13:58:02 gemini-1 claimed it, epoch 1",
                ];
                let tried = format!("tried: {}", row.tried);
                let needed = format!("needed: {}", row.needed);
                plain(
                    format!("handoff {}", row.handle),
                    vec![
                        section("asks", &[&row.question, &tried, &needed]),
                        section("thread", &thread),
                    ],
                )
            }
            PaneKind::Breakers => {
                let row = self.breakers.iter().find(|row| row.id == id)?;
                plain(format!("{} {}", row.trigger, row.handle), breaker(row))
            }
            PaneKind::Tasks => {
                let row = self.tasks.iter().find(|row| task_id(row) == id)?;
                let failure = row.failure.as_deref().unwrap_or("none");
                plain(
                    format!("task {}", row.task),
                    vec![section("Latest failure", &[failure])],
                )
            }
            PaneKind::Codes => Known::Bench(Box::new(self.bench(id)?)),
            PaneKind::Receipts => {
                let row = self.receipts.iter().find(|row| row.id == id)?;
                Known::Tree(Box::new(tree(&row.id, &row.schema)))
            }
            PaneKind::Agents => {
                let row = self.agents.iter().find(|row| row.agent == id)?;
                let last = section("Last action", &[&row.last_action]);
                plain(format!("agent {}", row.agent), vec![last])
            }
            PaneKind::Log => plain(
                format!("record {id}"),
                vec![section("Body", &["{ \"example\": true }"])],
            ),
        })
    }

    /// The bench of a code.
    pub(super) fn bench(&self, code: &str) -> Option<Bench> {
        let row = self.codes.iter().find(|row| row.code == code)?;
        let sample = |at: &str, agent: &str| Sample {
            at: at.to_owned(),
            agent: Some(agent.to_owned()),
            task: row.task.clone(),
            text: row.sample.clone(),
        };
        Some(Bench {
            code: row.clone(),
            samples: vec![
                sample(&row.last_at, "codex-2"),
                sample(&row.first_at, "pi-1"),
            ],
            near: vec![Near {
                code: "build_unclassified_77aa01bc".to_owned(),
                percent: 71,
                text: "linking with ld failed: exit status 1: cannot find -lpq".to_owned(),
            }],
        })
    }
}

fn breaker(row: &BreakerRow) -> Vec<Section> {
    vec![
        section("Why it opened", &[&row.reason]),
        section(
            "Who is stopped",
            &["codex-2 refused at +0.02 s", "codex-5 at +1.4 s"],
        ),
        section(
            "A reset still lacks",
            &["a signature by a human", "evidence"],
        ),
        section(
            "Proof",
            &["observation o-88ab, receipt r-19d2, digest holds"],
        ),
    ]
}

fn tree(id: &str, schema: &str) -> Provenance {
    let digest = format!("sha256:{}", "4f".repeat(32));
    let node = |depth, id: &str, schema: &str, edge| Node {
        depth,
        receipt_id: id.to_owned(),
        handle: format!("r-{}", &id[id.len() - 4..]),
        schema: schema.to_owned(),
        producer: "watchfloor".to_owned(),
        at: "2026-11-30T13:51:00Z".to_owned(),
        digest: digest.clone(),
        edge,
        ..Node::default()
    };
    let edge = |broken: Option<&str>| {
        let names = ["exists", "schema", "producer", "goal_hash", "digest"];
        let check = |name: &&str| EdgeCheck {
            name: (*name).to_owned(),
            holds: broken != Some(name),
            why: (broken == Some(name)).then(|| "its stored bytes have another digest".to_owned()),
        };
        Some(Edge {
            checks: names.iter().map(check).collect(),
            trusted: broken.is_none(),
            digest: Some(digest.clone()),
        })
    };
    Provenance {
        nodes: vec![
            node(0, id, schema, None),
            node(
                1,
                "018f-0000-19d2",
                "watchfloor.breaker_trip.v1",
                edge(None),
            ),
            node(
                2,
                "018f-0000-88ab",
                "watchfloor.permit.v1",
                edge(Some("digest")),
            ),
        ],
        trusted: false,
        cut: false,
    }
}
