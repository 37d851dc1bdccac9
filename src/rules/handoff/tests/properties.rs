//! Whatever agents do and however time passes: one holder, an end within the bound, and the
//! same as the naive model says.

use proptest::prelude::*;

use super::model::{Model, VERBS, Verb, command};
use super::*;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Event {
    /// Half minutes pass.
    Pass(i64),
    /// The wall clock jumps by so many microseconds.
    Jump(i64),
    /// Somebody does something.
    Act(Verb, &'static str, Option<u64>),
}

fn event() -> impl Strategy<Value = Event> {
    let act = (
        proptest::sample::select(&VERBS[..]),
        proptest::sample::select(&["a", "b", "c"][..]),
        proptest::option::weighted(0.3, 0_u64..4),
    );
    prop_oneof![
        2 => (0_i64..25).prop_map(Event::Pass),
        1 => (-3_600_000_000_i64..=3_600_000_000).prop_map(Event::Jump),
        4 => act.prop_map(|(verb, name, epoch)| Event::Act(verb, name, epoch)),
    ]
}

/// An entry, the store's clock, and how much of its time was no jump.
struct World {
    entry: Entry,
    now_us: i64,
    passed_us: i64,
    steps: Vec<Step>,
}

impl World {
    fn new(wants: Wants) -> Self {
        Self {
            entry: Entry::opened(Some(agent("a")), wants, START_US),
            now_us: START_US,
            passed_us: 0,
            steps: Vec::new(),
        }
    }

    fn pass(&mut self, us: i64) {
        self.now_us += us;
        self.passed_us += us;
    }

    /// The store's time never goes back; what runs moves with a jump.
    fn jump(&mut self, us: i64) {
        self.entry.shift(us);
        self.now_us += us.max(0);
    }

    fn look(&mut self) {
        let steps = self.entry.expire(self.now_us);
        self.steps.extend(steps.into_iter().map(|(step, _)| step));
    }

    fn act(&mut self, verb: Verb, name: &str, epoch: Option<u64>) -> bool {
        self.look();
        match self.entry.decide(&command(verb, name, epoch)) {
            Ok(step) => {
                self.entry.evolve(&step, self.now_us);
                self.steps.push(step);
                true
            }
            Err(_) => false,
        }
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Pass(halves) => self.pass(halves * HALF_US),
            Event::Jump(us) => self.jump(*us),
            Event::Act(verb, name, epoch) => {
                self.act(*verb, name, *epoch);
            }
        }
    }
}

/// Between two claims of a history lies the end of the first one; epochs count up by one.
fn one_holder(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut held = false;
    let mut last = 0;
    for step in steps {
        match step {
            Step::Claimed { epoch, .. } => {
                prop_assert!(!held, "two holders: {steps:?}");
                prop_assert_eq!(*epoch, last + 1);
                held = true;
                last = *epoch;
            }
            Step::Reopened { epoch, .. } => {
                prop_assert!(held);
                prop_assert_eq!(*epoch, last);
                held = false;
            }
            Step::Asked | Step::Replied | Step::Answered => prop_assert!(held),
            Step::Closed { .. } | Step::Escalated => held = false,
            Step::Used | Step::Decided | Step::Waits(_) => {}
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_entry_ends_within_the_bound_and_has_one_holder(
        events in proptest::collection::vec(event(), 0..60),
        action: bool,
    ) {
        let wants = if action { Wants::Action } else { Wants::Answer };
        let mut world = World::new(wants);
        for event in &events {
            world.take(event);
            if world.passed_us >= BOUND_US {
                world.look();
                prop_assert!(world.entry.state().is_terminal(), "{:?}", world.entry);
            }
        }
        world.pass((BOUND_US - world.passed_us).max(0));
        world.look();
        prop_assert!(world.entry.state().is_terminal(), "{:?}", world.entry);
        prop_assert_eq!(world.entry.limit(), None);
        one_holder(&world.steps)?;
    }

    #[test]
    fn it_does_not_matter_when_somebody_looks(
        events in proptest::collection::vec(event(), 0..40),
    ) {
        let mut lazy = World::new(Wants::Answer);
        let mut eager = World::new(Wants::Answer);
        for event in &events {
            lazy.take(event);
            if let Event::Pass(halves) = event {
                for _ in 0..*halves {
                    eager.take(&Event::Pass(1));
                    eager.look();
                }
            } else {
                // A jump takes nothing that was due before it.
                lazy.look();
                eager.take(event);
            }
        }
        lazy.look();
        eager.look();
        prop_assert_eq!(&lazy.entry, &eager.entry);
        prop_assert_eq!(&lazy.steps, &eager.steps);
    }

    #[test]
    fn the_rules_do_what_the_naive_model_does(
        events in proptest::collection::vec(event(), 0..60),
        action: bool,
    ) {
        let wants = if action { Wants::Action } else { Wants::Answer };
        let mut world = World::new(wants);
        let mut model = Model::new(action);
        for event in &events {
            match event {
                Event::Pass(halves) => {
                    world.pass(halves * HALF_US);
                    (0..*halves).for_each(|_| model.tick());
                }
                // The model knows no jumps, and they must not matter.
                Event::Jump(us) => {
                    world.look();
                    world.jump(*us);
                }
                Event::Act(verb, name, epoch) => {
                    let allowed = model.act(*verb, name, *epoch);
                    prop_assert_eq!(world.act(*verb, name, *epoch), allowed, "{:?}", event);
                }
            }
            world.look();
            prop_assert_eq!(world.entry.state().as_str(), model.state);
            let holder = world.entry.claim().map(|claim| claim.holder.to_string());
            prop_assert_eq!(holder, model.holder.clone());
        }
    }
}
