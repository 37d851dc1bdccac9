use proptest::prelude::*;

use super::*;
use crate::contract::signature::Strength;

const FAILURE: &str = "   Compiling demo v0.1.0 (/home/dev/one/demo)\n\
    error[E0308]: mismatched types\n --> src/lib.rs:2:5\n  |\n2 |     \"80\"\n  |     ^^^^\n\
    error: could not compile `demo` (lib) due to 1 previous error\n";

fn of(text: &str) -> Signature {
    sign(text, Some(1), None)
}

#[test]
fn the_canonical_text_is_what_names_the_cause() {
    let signature = of(FAILURE);
    assert_eq!(signature.canonical, "E0308|src/lib.rs|mismatched types");
    assert_eq!(signature.strength, Strength::Strong);
    assert_eq!(signature.id, SignatureId::of(&signature.canonical));
    assert!(signature.id.as_str().starts_with("es1:"));
    assert!(signature.family.as_str().starts_with("ef1:"));
}

#[test]
fn the_same_failure_with_other_noise_has_the_same_id() {
    let id = of(FAILURE).id;
    for (from, to) in [
        ("2:5", "77:12"),
        ("/home/dev/one/demo", "/srv/two"),
        ("error[E0308]", "\u{1b}[1m\u{1b}[31merror[E0308]\u{1b}[0m"),
        ("\n", "\r\n"),
        ("error[", " 10%\r 90%\rerror["),
        (
            "   Compiling",
            "    Blocking waiting for a lock\n   Compiling",
        ),
        ("2 |     \"80\"", "77 |     \"80\""),
    ] {
        assert_eq!(of(&FAILURE.replace(from, to)).id, id, "{from}");
    }
    let twice = format!("{FAILURE}{FAILURE}Exit code 101\n");
    assert_eq!(of(&twice).id, id);
    let other = FAILURE.replace("E0308", "E0309");
    assert_ne!(of(&other).id, id);
}

#[test]
fn paths_inside_the_project_are_relative_to_it() {
    let text = |root: &str| format!("{root}/src/a.py:3: error: no");
    let one = sign(&text("/w/one"), None, Some("/w/one"));
    let two = sign(&text("/w/two"), None, Some("/w/two"));
    assert_eq!(one, two);
    assert_eq!(one.canonical, "src/a.py|no");
    assert_eq!(of(&text("/w/x")).canonical, "src/a.py|no");
}

#[test]
fn where_nothing_is_left_the_outcome_is_the_signature() {
    for (text, exit_code, canonical) in [
        ("", Some(3), "exit 3"),
        ("  \n\n", Some(0), "exit 0"),
        ("", Some(-11), "signal 11"),
        ("Exit code 4", None, "exit 4"),
        ("Exit code 4", Some(3), "exit 3"),
        ("FAIL\nExit code 4\nexit status 5", None, "exit 4"),
        ("Command timed out after 120s", None, "timeout"),
        ("-----\n", None, "exit unknown"),
        ("FAIL", None, "exit unknown"),
        ("Exit code 137", None, "signal 9"),
    ] {
        let signature = sign(text, exit_code, None);
        assert_eq!(signature.canonical, canonical, "{text:?}");
        assert_eq!(signature.strength, Strength::Weak);
    }
}

#[test]
fn what_names_no_cause_is_medium() {
    let signature = of("curl: (7) Failed to connect to 127.0.0.1 port 8080 after 12 ms\n-----\n");
    assert_eq!(signature.strength, Strength::Medium);
    assert_eq!(
        signature.canonical,
        "curl|(7) Failed to connect to 127.0.0.1 port 8080 after <dur>"
    );
}

#[test]
fn secrets_never_reach_the_canonical_text() {
    let key = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    let text = format!("error: key \u{1b}[1m{key}\u{1b}[0m refused");
    assert_eq!(
        of(&text).canonical,
        "key [redacted:aws_access_key_id] refused"
    );
}

#[test]
fn at_most_sixty_four_lines_count() {
    let lines = |count: usize| -> String {
        let lines: Vec<String> = (100..100 + count)
            .map(|at| format!("error: e{at}x"))
            .collect();
        lines.join("\n")
    };
    assert_eq!(of(&lines(64)).canonical.lines().count(), 64);
    assert_eq!(of(&lines(65)), of(&lines(64)));
    assert_ne!(of(&lines(63)), of(&lines(64)));
}

#[test]
fn hostile_texts_take_linear_time() {
    let begun = std::time::Instant::now();
    for piece in [
        "/a",
        "a:1",
        "1:",
        "x.y(1,",
        "\u{1b}[",
        "\u{1b}]",
        "0x",
        "line 1 ",
        "-",
        "{",
        "[",
        "(",
        "\r",
        "\n",
        "'",
        "<",
        "https://",
        "Error: x\n",
        "a.Error: x\n",
        "error: x\n\nCaused by:\n",
        "error: x\n",
        "E   x\n",
        "File \"a\", line 1, in f\n",
        "thread 'a' panicked at x:\n",
        "---- a stdout ----\n",
        "not ok 1\n---\n",
        "● x\n",
        "│ Error: x\n",
        "  1) x\n",
        "Expected: 1\n",
        "panic: x\n",
        "x\n --> a.rs:1:1\n",
        "--- FAIL: x\n    a.go:1: x\n",
        "npm ERR! x\n",
        "==1==ERROR: ASanitizer: x\n",
        "    at f (a.js:1:1)\n",
        "Undefined symbols for architecture\n",
        "Unexpected token ",
        "Killed ",
        "Traceback (most recent call last):\n",
        "1m1m",
        "a_",
    ] {
        let _ = sign(&piece.repeat(CAP / 4 / piece.len()), None, Some("/a"));
    }
    let _ = sign(&"x".repeat(4 * CAP), None, None);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

/// Signing is in the way of every record and of hooks. Built without optimisation it takes some
/// thirty times as long as it does for a user.
#[test]
fn a_short_text_is_signed_at_once() {
    let text = "curl: (7) Failed to connect to 127.0.0.1 port 8080 after 3 ms\n\
        src/a.ts(18,7): error TS2741: Property 'id' is missing in type '{}'.\nexit code 2\n";
    let times = 200;
    let least = (0..5).map(|_| {
        let begun = std::time::Instant::now();
        for _ in 0..times {
            let _ = sign(text, Some(2), Some("/w/one"));
        }
        begun.elapsed() / times
    });
    let least = least.min().unwrap();
    println!("a short text is signed in {least:?}");
    assert!(least.as_millis() < 3, "{least:?}");
}

proptest! {
    // The folder is none in which sources lie by custom, such as `src` or `pkg`: those are kept.
    #[test]
    fn noise_changes_nothing(line in 1u32..9999, column in 1u32..99, pid in 1000u32..99999,
        millis in 0u32..9999, dir in "zq[a-z]{0,6}") {
        let text = format!("\u{1b}[31mError: worker {pid} at /{dir}/x/app.js:{line}:{column} took \
            {millis} ms\u{1b}[0m\nExit code {column}");
        let plain = "Error: worker 4242 at /other/app.js:1:1 took 7 ms";
        prop_assert_eq!(of(&text).id, of(plain).id);
    }

    #[test]
    fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        prop_assert_eq!(sign(&text, None, Some("/a")), sign(&text, None, Some("/a")));
    }

    #[test]
    fn any_text_is_signed_the_same_every_time(text in "(\\PC|\n|\r|\u{1b}){0,120}") {
        prop_assert_eq!(of(&text), of(&text));
        prop_assert!(of(&text).canonical.lines().count() <= LINES);
    }
}
