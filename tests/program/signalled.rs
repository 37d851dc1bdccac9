//! Long-running verbs and signals: whoever started one must see that it did not end by itself.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::desk::Desk;

#[test]
fn a_verb_that_a_signal_ends_says_so() {
    let desk = Desk::new();
    let opened = desk.run(&[
        "handoff",
        "open",
        "--question",
        "q",
        "--tried",
        "t",
        "--needed",
        "n",
        "--agent",
        "a",
        "--json",
    ]);
    let id = opened.json()["id"].as_str().unwrap().to_owned();
    for (verb, speaks) in [
        (&["tail", "--follow"][..], true),
        (&["watch", "--since", "0"], true),
        (
            &["handoff", "wait", &id, "--timeout", "600", "--agent", "a"],
            false,
        ),
    ] {
        let mut child = desk
            .command(verb)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        if speaks {
            output.read_line(&mut line).unwrap();
            assert!(!line.is_empty(), "{verb:?}");
        }
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        // A shell calls this 143.
        let ended = child.wait().unwrap();
        assert_eq!(ended.signal(), Some(Signal::TERM.as_raw()), "{verb:?}");
    }
}
