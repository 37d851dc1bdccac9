//! Messages between processes: one acknowledgement a message counts, and none is lost.

use std::process::Stdio;

use serde_json::Value;

use super::bench::Bench;

#[test]
fn of_64_that_acknowledge_one_message_one_does() {
    const RIVALS: usize = 64;
    let bench = Bench::new();
    let sent = bench.ok(&[
        "inbox", "send", "--agent", "a", "--to", "b", "--text", "one",
    ]);
    let id = sent["id"].as_str().unwrap();
    let children: Vec<_> = (0..RIVALS)
        .map(|_| {
            let mut call = bench.call(&["inbox", "ack", id, "--agent", "b"]);
            call.stdout(Stdio::piped()).stderr(Stdio::piped());
            call.spawn().unwrap()
        })
        .collect();
    let (mut taken, mut late) = (0, 0);
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        match output.status.code() {
            Some(0) => taken += usize::from(answer["state"] == "acknowledged"),
            Some(1) => late += usize::from(answer["code"] == "message_acknowledged"),
            other => panic!("exit {other:?}: {answer}"),
        }
    }
    assert_eq!((taken, late), (1, RIVALS - 1));
    bench.verified();
}

#[test]
fn what_16_send_at_once_all_arrives() {
    const SENDERS: usize = 16;
    let bench = Bench::new();
    let children: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let agent = format!("s-{sender}");
            let mut call = bench.call(&[
                "inbox", "send", "--agent", &agent, "--to", "b", "--text", &agent,
            ]);
            call.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let read = bench.ok(&["inbox", "read", "--agent", "b"]);
    let mut texts: Vec<&str> = read["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["text"].as_str().unwrap())
        .collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), SENDERS);
    bench.verified();
}
