//! What the tests of the verbs share: surroundings in a folder of their own, and a store there with a
//! clock that stands still until it is told to move.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use std::sync::Arc;

use watchfloor::contract::ids::ProjectId;
use watchfloor::contract::limits::Limits;
use watchfloor::journal::clock::ManualClock;
use watchfloor::journal::sqlite::{self, SqliteStore};
use watchfloor::ops::context::{Context, GuardGround};
use watchfloor::ops::fold::Projector;

/// Surroundings of project `api`, whose folder is made; free space of the machine is no matter.
pub fn context(folder: &Path) -> Context {
    let project = folder.join("project");
    std::fs::create_dir_all(&project).unwrap();
    Context {
        store: folder.join("store.db"),
        project: ProjectId::new("api"),
        root: project.clone(),
        cwd: project,
        agent: None,
        mission: None,
        task: None,
        key: None,
        config: folder.join("config"),
        guard: GuardGround::default(),
        limits: Limits {
            min_free_bytes: 0,
            min_free_inodes: 0,
            ..Limits::default()
        },
        inside_agent: false,
        host: "desk".to_owned(),
        ancestors: Vec::new(),
        brief: false,
    }
}

/// An empty store, and its clock.
pub fn store(context: &Context) -> (SqliteStore, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(1_800_000_000_000_000, "boot-1"));
    let journal = sqlite::init_with_clock(&context.store, Arc::new(Projector), clock.clone());
    (journal.unwrap(), clock)
}
