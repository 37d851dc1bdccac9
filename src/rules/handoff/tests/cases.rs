//! The table of spec 4.2, row by row.

use super::*;

fn closed(ending: Ending, holder: Option<&str>) -> Step {
    let holder = holder.map(agent);
    Step::Closed { ending, holder }
}

#[test]
fn an_entry_is_claimed_answered_and_used() {
    let mut desk = Desk::new();
    assert_eq!(desk.claim("a"), Err(No::Own));
    assert_eq!(
        desk.claim("b"),
        Ok(Step::Claimed {
            holder: agent("b"),
            epoch: 1
        })
    );
    let held = Err(No::Held {
        holder: agent("b"),
        until_us: START_US + CLAIM_US,
    });
    assert_eq!(desk.claim("c"), held);
    assert_eq!(desk.claim("b"), held);
    assert_eq!(desk.answer("c", None), held);
    assert_eq!(desk.answer("b", Some(2)), Err(No::NoSuchEpoch { epoch: 2 }));
    assert_eq!(desk.answer("b", Some(1)), Ok(Step::Answered));
    assert!(desk.entry.is_unused());
    let stands = Err(No::State {
        is: HandoffState::Resolved,
    });
    assert_eq!(desk.answer("b", None), stands);
    assert_eq!(desk.claim("c"), stands);
    let used = |name: &str| Command::Use {
        agent: Some(agent(name)),
    };
    assert_eq!(desk.run(&used("b")), Err(No::NotAsker));
    assert_eq!(desk.run(&used("a")), Ok(Step::Used));
    assert!(!desk.entry.is_unused());
    assert_eq!(desk.run(&used("a")), Err(No::Done));
    assert_eq!(desk.pass(600).state(), "resolved");
}

#[test]
fn time_in_open_is_added_up() {
    let mut desk = Desk::new();
    assert_eq!(desk.pass(29).state(), "open");
    desk.claim("b").unwrap();
    assert_eq!(desk.pass(9).state(), "claimed");
    desk.release("b").unwrap();
    assert_eq!(desk.state(), "open");
    let limit = desk.entry.limit().unwrap();
    assert_eq!(limit.until_us - desk.now_us, MINUTE_US);
    assert_eq!(desk.pass(1).state(), "blocked");
    assert_eq!(Desk::new().pass(30).state(), "blocked");
}

#[test]
fn a_claim_lapses_once_to_open_and_then_for_good() {
    let mut desk = Desk::new();
    desk.claim("b").unwrap();
    desk.pass(10);
    assert_eq!(desk.state(), "open");
    assert_eq!(
        desk.claim("c"),
        Ok(Step::Claimed {
            holder: agent("c"),
            epoch: 2
        })
    );
    let late = Err(No::Late {
        agent: agent("b"),
        epoch: 1,
    });
    assert_eq!(desk.answer("b", None), late);
    assert_eq!(desk.answer("b", Some(1)), late);
    assert_eq!(desk.pass(10).state(), "blocked");
    // A late answer to a parked entry is a late answer too.
    assert_eq!(
        desk.answer("c", None),
        Err(No::Late {
            agent: agent("c"),
            epoch: 2
        })
    );
    assert_eq!(desk.entry.lapses, 2);
}

#[test]
fn a_claim_that_lapsed_unseen_opened_the_entry_then() {
    let mut desk = Desk::new();
    desk.pass(5).claim("b").unwrap();
    desk.pass(10 + 24);
    let steps = desk.entry.clone().expire(desk.now_us);
    let at = |minutes: i64| START_US + minutes * MINUTE_US;
    assert_eq!(steps.iter().map(|s| s.1).collect::<Vec<_>>(), [at(15)]);
    desk.pass(1);
    let steps = desk.entry.expire(desk.now_us);
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1].1, at(40));
    assert_eq!(
        steps[1].0.clone(),
        closed(Ending::OpenTooLong, None),
        "5 minutes before the claim and 25 after it"
    );
    assert_eq!(desk.entry.expire(desk.now_us + BOUND_US), []);
}

#[test]
fn the_same_agents_old_epoch_is_old() {
    let mut desk = Desk::new();
    desk.claim("b").unwrap();
    desk.pass(10).claim("b").unwrap();
    assert_eq!(
        desk.answer("b", Some(1)),
        Err(No::Late {
            agent: agent("b"),
            epoch: 1
        })
    );
    assert_eq!(desk.answer("b", None), Ok(Step::Answered));
}

#[test]
fn one_follow_up_is_free_and_its_reply_restarts_the_clock_once() {
    let mut desk = Desk::new();
    assert_eq!(desk.reply("a"), Err(No::NothingAsked));
    desk.claim("b").unwrap();
    assert_eq!(desk.ask("c").unwrap_err(), desk.claim("c").unwrap_err());
    assert_eq!(desk.pass(6).ask("b"), Ok(Step::Asked));
    assert_eq!(desk.reply("b"), Err(No::NotAsker));
    assert_eq!(desk.pass(3).reply("a"), Ok(Step::Replied));
    assert_eq!(desk.reply("a"), Err(No::NothingAsked));
    assert_eq!(desk.pass(9).state(), "claimed");
    assert_eq!(desk.answer("b", None), Ok(Step::Answered));

    let mut desk = Desk::new();
    desk.claim("b").unwrap();
    desk.ask("b").unwrap();
    assert_eq!(desk.ask("b"), Ok(closed(Ending::SecondFollowUp, Some("b"))));
    assert_eq!(desk.state(), "blocked");
}

#[test]
fn the_clock_runs_on_during_a_follow_up_and_its_lapse_is_for_good() {
    let mut desk = Desk::new();
    desk.claim("b").unwrap();
    desk.pass(1).ask("b").unwrap();
    assert_eq!(desk.pass(9).state(), "blocked");
}

#[test]
fn the_follow_up_is_the_entrys_and_not_the_holders() {
    let mut desk = Desk::new();
    desk.claim("b").unwrap();
    desk.ask("b").unwrap();
    desk.release("b").unwrap();
    assert_eq!(desk.state(), "open");
    desk.claim("c").unwrap();
    assert_eq!(desk.ask("c"), Ok(closed(Ending::SecondFollowUp, Some("c"))));
}

#[test]
fn a_second_release_is_for_good() {
    let mut desk = Desk::new();
    assert_eq!(desk.release("b"), Err(No::Unclaimed));
    desk.claim("b").unwrap();
    desk.release("b").unwrap();
    assert_eq!(desk.state(), "open");
    assert_eq!(
        desk.release("b"),
        Err(No::Late {
            agent: agent("b"),
            epoch: 1
        })
    );
    desk.claim("c").unwrap();
    assert_eq!(desk.release("c"), Ok(closed(Ending::Released, Some("c"))));
}

#[test]
fn anybody_parks_or_escalates_before_a_claim_and_then_the_holder_alone() {
    assert_eq!(
        Desk::new().block(Some("z")),
        Ok(closed(Ending::Parked, None))
    );
    assert_eq!(Desk::new().block(None), Ok(closed(Ending::Parked, None)));
    assert_eq!(
        Desk::new().block(Some("a")),
        Ok(closed(Ending::Withdrawn, None))
    );
    assert_eq!(Desk::new().escalate(None), Ok(Step::Escalated));
    let mut desk = Desk::new();
    desk.claim("b").unwrap();
    let held = desk.claim("c");
    assert_eq!(desk.block(Some("c")), held);
    assert_eq!(desk.block(None), held);
    assert_eq!(desk.escalate(Some("a")), held);
    let mut holder = Desk::new();
    holder.claim("b").unwrap();
    assert_eq!(
        holder.block(Some("b")),
        Ok(closed(Ending::HolderCannotHelp, Some("b")))
    );
    // The asker may take it back at any time.
    assert_eq!(
        desk.block(Some("a")),
        Ok(closed(Ending::Withdrawn, Some("b")))
    );
    assert_eq!(desk.entry.lapses, 0);
    assert!(desk.block(Some("a")).is_err());
}

#[test]
fn an_escalated_entry_is_decided_once() {
    let mut desk = Desk::new();
    assert!(desk.run(&Command::Decide).is_err());
    desk.claim("b").unwrap();
    assert_eq!(desk.escalate(Some("b")), Ok(Step::Escalated));
    assert!(desk.entry.is_undecided());
    assert_eq!(desk.pass(10_000).state(), "escalated");
    assert_eq!(desk.run(&Command::Decide), Ok(Step::Decided));
    assert!(!desk.entry.is_undecided());
    assert_eq!(desk.run(&Command::Decide), Err(No::Done));
}

#[test]
fn an_action_is_never_answered() {
    let mut desk = Desk::new();
    desk.entry.wants = Wants::Action;
    desk.claim("b").unwrap();
    assert_eq!(desk.answer("b", None), Err(No::ActionOnly));
    assert_eq!(desk.state(), "claimed");
    assert_eq!(desk.escalate(Some("b")), Ok(Step::Escalated));
}

#[test]
fn a_persons_entry_is_used_by_who_is_no_agent() {
    let mut desk = Desk::new();
    desk.entry.asker = None;
    desk.claim("b").unwrap();
    desk.ask("b").unwrap();
    assert_eq!(desk.reply("c"), Err(No::NotAsker));
    assert_eq!(desk.run(&Command::Reply { agent: None }), Ok(Step::Replied));
    desk.answer("b", None).unwrap();
    assert_eq!(desk.run(&Command::Use { agent: None }), Ok(Step::Used));
}

#[test]
fn a_waiter_holds_one_lease_and_jumps_move_what_runs() {
    let lease = |pid: u32, until_us: i64| Lease {
        agent: agent("a"),
        host: "h".to_owned(),
        pid,
        started: 1,
        until_us,
    };
    let wait = |pid, until_us| Command::Wait {
        lease: lease(pid, until_us),
    };
    let mut desk = Desk::new();
    let first = START_US + LEASE_US;
    desk.run(&wait(1, first)).unwrap();
    desk.run(&wait(1, first + 1)).unwrap();
    desk.run(&wait(2, first + 2)).unwrap();
    assert_eq!(
        desk.entry.leases,
        [lease(1, first + 1), lease(2, first + 2)]
    );
    let limit = desk.entry.limit().unwrap();
    desk.entry.shift(7);
    assert_eq!(desk.entry.limit().unwrap().until_us, limit.until_us + 7);
    assert_eq!(desk.entry.leases[1].until_us, first + 9);
    desk.entry.shift(-1_000);
    assert_eq!(desk.entry.limit().unwrap().until_us, limit.until_us + 7);
    desk.pass(1).run(&wait(3, first + MINUTE_US)).unwrap();
    assert_eq!(desk.entry.leases, [lease(3, first + MINUTE_US)]);
    desk.claim("b").unwrap();
    let until = desk.entry.claim().unwrap().until_us;
    desk.entry.shift(9);
    assert_eq!(desk.entry.claim().unwrap().until_us, until + 9);
    desk.answer("b", None).unwrap();
    assert!(desk.run(&wait(3, first)).is_err());
}
