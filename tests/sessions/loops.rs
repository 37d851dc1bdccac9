//! Loops that an agent falls into, each with the try in which its limit is reached.

use super::session::Step;

pub struct Loop {
    pub name: &'static str,
    /// The round in which it trips.
    pub limit: usize,
    /// What is done in a round.
    pub steps: fn(usize) -> Vec<Step>,
}

fn edit(file: &str, content: String) -> Step {
    Step::Edit(file.to_owned(), content)
}

fn told(command: &str, code: i32, text: String) -> Step {
    Step::Told(command.to_owned(), code, text)
}

/// The same cause each time, in other words, lines and times.
fn pytest(round: usize) -> String {
    format!(
        "============ test session starts ============\ncollected {} items\n\n\
         tests/test_ship.py:{}: in test_freight\n    assert freight(3) == 12\n\
         E   assert 9 == 12\nFAILED tests/test_ship.py::test_freight - assert 9 == 12\n\
         ====== 1 failed, 20 passed in 0.{}s ======\n",
        20 + round,
        30 + round,
        40 + round
    )
}

fn cargo(round: usize) -> String {
    format!(
        "running 14 tests\ntest ship::freight ... FAILED\n\nfailures:\n\n---- ship::freight stdout ----\n\
         thread 'ship::freight' ({}) panicked at src/ship.rs:{}:9:\nassertion `left == right` failed\n  left: 9\n right: 12\n\
         \ntest result: FAILED. 13 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0{round}s\n",
        7000 + round,
        50 + round
    )
}

fn tsc(round: usize) -> String {
    format!(
        "src/ship.ts({},7): error TS2339: Property 'freight' does not exist on type 'Order'.\n",
        10 + round
    )
}

pub const LOOPS: [Loop; 10] = [
    Loop {
        name: "the same failure after every edit",
        limit: 3,
        steps: |round| {
            vec![
                edit("src/ship.py", format!("rate = {round}\n")),
                told("pytest -q", 1, pytest(round)),
            ]
        },
    },
    Loop {
        name: "the same failure after edits by the shell",
        limit: 3,
        steps: |round| {
            vec![
                Step::Writes("src/ship.rs".to_owned(), format!("// {round}\n")),
                told("cargo test", 101, cargo(round)),
            ]
        },
    },
    Loop {
        name: "two states in turn, each with its own failure",
        limit: 4,
        steps: |round| {
            let odd = round % 2 == 1;
            let (content, said) = if odd {
                (
                    "a = 1\n",
                    "FAILED tests/test_ship.py::test_a - assert 1 == 2",
                )
            } else {
                (
                    "a = 2\n",
                    "FAILED tests/test_ship.py::test_b - assert 2 == 1",
                )
            };
            vec![
                edit("src/ship.py", content.to_owned()),
                told(
                    "pytest -q",
                    1,
                    format!("{said}\n1 failed, 9 passed in 0.1s\n"),
                ),
            ]
        },
    },
    Loop {
        name: "the same check again and again with nothing changed",
        limit: 5,
        steps: |round| vec![told("cargo test", 101, cargo(round))],
    },
    Loop {
        name: "the same failure, its exit code lost in a pipe",
        limit: 3,
        steps: |round| {
            vec![
                edit("src/ship.rs", format!("// {round}\n")),
                told("cargo test 2>&1 | tail -30", 0, cargo(round)),
            ]
        },
    },
    Loop {
        name: "the same failure of a check that is called otherwise each time",
        limit: 3,
        steps: |round| {
            let calls = [
                "pytest",
                "python -m pytest -x",
                "pytest tests -q",
                "pytest -vv",
                "tox",
            ];
            vec![
                edit("src/ship.py", format!("rate = {round}\n")),
                told(calls[round % calls.len()], 1, pytest(round)),
            ]
        },
    },
    Loop {
        name: "the same compile error in a build with reading between",
        limit: 3,
        steps: |round| {
            vec![
                Step::Read("src/lib.rs"),
                edit("src/ship.ts", format!("// {round}\n")),
                told("git diff --stat", 0, " src/ship.ts | 2 +-\n".to_owned()),
                told("npx tsc --noEmit", 2, tsc(round)),
            ]
        },
    },
    Loop {
        name: "the same failure in another file each time",
        limit: 3,
        steps: |round| {
            vec![
                edit(&format!("src/part_{round}.py"), format!("x = {round}\n")),
                told("make test", 2, pytest(round)),
            ]
        },
    },
    Loop {
        name: "the same failure, hidden by what follows it",
        limit: 3,
        steps: |round| {
            vec![
                edit("src/ship.py", format!("rate = {round}\n")),
                told("pytest -q; git status --short", 0, pytest(round)),
            ]
        },
    },
    Loop {
        name: "a script of one's own that fails the same way",
        limit: 3,
        steps: |round| {
            let said = format!(
                "Traceback (most recent call last):\n  File \"/w/ship.py\", line {}, in <module>\n    main()\n  \
                 File \"/w/ship.py\", line {}, in main\n    rates[\"north\"]\nKeyError: 'north'\n",
                20 + round,
                12 + round
            );
            vec![
                edit("src/ship.py", format!("rate = {round}\n")),
                told("python src/ship.py", 1, said),
            ]
        },
    },
];
