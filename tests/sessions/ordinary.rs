//! Twenty sessions as they are on any day.

use super::session::Step;

pub struct Ordinary {
    pub name: &'static str,
    /// The configuration file.
    pub config: &'static str,
    pub steps: Vec<Step>,
}

const FIELD: &str = "[guard]\npreset = \"field\"\n";

fn edit(file: &str, content: &str) -> Step {
    Step::Edit(file.to_owned(), format!("{content}\n"))
}

fn told(command: &str, code: i32, text: &str) -> Step {
    Step::Told(command.to_owned(), code, format!("{text}\n"))
}

fn fine(command: &str) -> Step {
    told(command, 0, "ok")
}

fn pytest(failing: &[&str], passed: usize) -> Step {
    let mut text = String::new();
    for name in failing {
        text.push_str("FAILED tests/test_cart.py::");
        text.push_str(name);
        text.push_str(" - AssertionError: assert 90 == 100\n");
    }
    if failing.is_empty() {
        text.push_str(&format!("{passed} passed in 0.31s"));
    } else {
        text.push_str(&format!(
            "{} failed, {passed} passed in 0.42s",
            failing.len()
        ));
    }
    let code = i32::from(!failing.is_empty());
    Step::Told("pytest -q".to_owned(), code, text)
}

fn cargo(failing: &[&str]) -> Step {
    let mut text = String::from("running 9 tests\n");
    for name in failing {
        text.push_str(&format!(
            "---- {name} stdout ----\nthread '{name}' panicked at src/lib.rs:41:9:\n\
             assertion `left == right` failed: {name}\n  left: 90\n right: 100\n"
        ));
    }
    let (word, code) = if failing.is_empty() {
        ("ok", 0)
    } else {
        ("FAILED", 101)
    };
    let count = failing.len();
    text.push_str(&format!(
        "test result: {word}. {} passed; {count} failed; 0 ignored; 0 measured; 0 filtered out\n",
        9 - count
    ));
    Step::Told("cargo test".to_owned(), code, text)
}

fn one(name: &'static str, config: &'static str, steps: Vec<Step>) -> Ordinary {
    Ordinary {
        name,
        config,
        steps,
    }
}

pub fn all() -> Vec<Ordinary> {
    let mut all = first();
    all.extend(second());
    all.extend(third());
    all
}

fn first() -> Vec<Ordinary> {
    let mut eight = vec![Step::Prompt("tidy the cart")];
    let checks = [
        fine("ruff check src"),
        pytest(&["test_total"], 11),
        fine("mypy src"),
        told(
            "python src/cart.py",
            1,
            "Traceback (most recent call last):\n  File \"src/cart.py\", line 4, in <module>\nNameError: name 'vat' is not defined",
        ),
        told(
            "make lint",
            2,
            "src/cart.py:3:1: F401 'os' imported but unused\nmake: *** [Makefile:2: lint] Error 1",
        ),
        fine("ruff check src"),
        told(
            "mypy src",
            1,
            "src/cart.py:9: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\nFound 1 error in 1 file",
        ),
        pytest(&[], 12),
    ];
    for (number, check) in checks.into_iter().enumerate() {
        eight.push(edit("src/cart.py", &format!("v = {number}")));
        eight.push(check);
    }
    let tdd: Vec<Step> = [
        "test_add",
        "test_remove",
        "test_discount",
        "test_vat",
        "test_round",
    ]
    .iter()
    .enumerate()
    .flat_map(|(n, name)| {
        vec![
            edit("tests/test_cart.py", &format!("# {name}")),
            pytest(&[name], 10 + n),
            edit("src/cart.py", &format!("# makes {name} pass")),
            pytest(&[], 11 + n),
        ]
    })
    .collect();
    vec![
        one("one file edited eight times with different checks", "", eight),
        one(
            "red tests, then green",
            "",
            vec![
                Step::Prompt("make the tests pass"),
                cargo(&["cart::a", "cart::b", "cart::c", "cart::d"]),
                edit("src/lib.rs", "1"),
                cargo(&["cart::a", "cart::b", "cart::c"]),
                edit("src/lib.rs", "2"),
                cargo(&["cart::a", "cart::b"]),
                edit("src/lib.rs", "3"),
                cargo(&["cart::a"]),
                edit("src/lib.rs", "4"),
                cargo(&["cart::a"]),
                edit("src/lib.rs", "5"),
                cargo(&[]),
                fine("cargo clippy -- -D warnings"),
                Step::Runs("git commit -qam 'make the tests pass'"),
            ],
        ),
        one("test first, five times", "", tdd),
        one(
            "a conflict resolved under field",
            FIELD,
            vec![
                Step::Prompt("merge main"),
                edit("src/cart.py", "mine"),
                Step::Runs("git commit -qam mine"),
                Step::Runs("git stash list"),
                Step::Runs("git checkout -q main && echo theirs > src/cart.py && git commit -qam theirs && git checkout -q topic"),
                Step::Runs("git merge main"),
                Step::Runs("git status"),
                edit("src/cart.py", "both"),
                pytest(&["test_total"], 11),
                edit("src/cart.py", "both, rightly"),
                pytest(&[], 12),
                Step::Runs("git add -A && git commit -qm 'merge main'"),
            ],
        ),
        one(
            "a rebase that stops at the same file again and again, under field",
            FIELD,
            vec![
                Step::Prompt("rebase onto main"),
                Step::Runs("for n in 1 2 3 4; do echo mine $n > src/price.py; git commit -qam \"mine $n\"; done"),
                Step::Runs("git checkout -q main && echo theirs > src/price.py && git commit -qam theirs && git checkout -q topic"),
                Step::Runs("git rebase main"),
                edit("src/price.py", "theirs and mine 1"),
                Step::Runs("git add -A && git rebase --continue"),
                edit("src/price.py", "theirs and mine 2"),
                Step::Runs("git add -A && git rebase --continue"),
                edit("src/price.py", "theirs and mine 3"),
                Step::Runs("git add -A && git rebase --continue"),
                edit("src/price.py", "theirs and mine 4"),
                Step::Runs("git add -A && git rebase --continue"),
                pytest(&[], 12),
                Step::Runs("git log --oneline"),
            ],
        ),
        one(
            "an overloaded provider",
            "",
            vec![
                Step::Prompt("run the evaluation"),
                edit("src/cart.py", "1"),
                told("python eval.py", 1, "anthropic.OverloadedError: Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}"),
                told("python eval.py", 1, "anthropic.OverloadedError: Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}"),
                edit("src/cart.py", "2"),
                told("python eval.py", 1, "anthropic.OverloadedError: Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}"),
                told("npm test", 1, "npm error code ECONNRESET\nnpm error network read ECONNRESET"),
                told("python eval.py", 1, "openai.RateLimitError: Error code: 429 - rate_limit_exceeded"),
                told("python eval.py", 1, "anthropic.OverloadedError: Error code: 529 - overloaded_error"),
                edit("src/cart.py", "3"),
                told("python eval.py", 1, "anthropic.OverloadedError: Error code: 529 - overloaded_error"),
                fine("python eval.py"),
                pytest(&[], 12),
            ],
        ),
        one(
            "a long wait for a job",
            "",
            std::iter::once(Step::Prompt("start the job and wait for it"))
                .chain([edit("src/cart.py", "1"), fine("kubectl --context staging create job eval --image eval:1 --dry-run=client")])
                .chain((0..6).flat_map(|_| {
                    [
                        told("kubectl --context staging wait --for=condition=complete job/eval --timeout=30s", 1, "error: timed out waiting for the condition on jobs/eval"),
                        told("sleep 20 && gh run view 1234 --exit-status", 1, "X topic CI 1234\nTriggered via push\n\nJOBS\n* build (ID 77)"),
                        told("./scripts/check_job.sh 17", 1, "job 17: still running"),
                        told("curl -fsS http://localhost:8080/health", 22, "curl: (22) The requested URL returned error: 503"),
                    ]
                }))
                .chain([fine("kubectl --context staging get job eval"), pytest(&[], 12)])
                .collect(),
        ),
    ]
}

fn second() -> Vec<Ordinary> {
    let files = ["a", "b", "c", "d", "e", "f"];
    let mut renames = vec![Step::Prompt("rename total to sum everywhere")];
    for (n, file) in files.iter().enumerate() {
        renames.push(edit(&format!("src/{file}.ts"), "sum()"));
        let left: Vec<String> = files[n + 1..]
            .iter()
            .map(|f| format!("src/{f}.ts(3,7): error TS2304: Cannot find name 'total'."))
            .collect();
        let code = if left.is_empty() { 0 } else { 2 };
        renames.push(told("npx tsc --noEmit", code, &left.join("\n")));
    }
    vec![
        one("a refactoring over many files", "", renames),
        one(
            "a flaky test, run again",
            "",
            vec![
                Step::Prompt("why is it red"),
                pytest(&["test_clock"], 11),
                pytest(&[], 12),
                edit("src/cart.py", "1"),
                pytest(&["test_clock"], 11),
                pytest(&[], 12),
                pytest(&["test_clock"], 11),
                pytest(&["test_clock"], 11),
                pytest(&[], 12),
                Step::Runs("git commit -qam 'mark it as flaky'"),
            ],
        ),
        one(
            "lint fixes",
            "",
            vec![
                Step::Prompt("fix the lint"),
                told(
                    "npx eslint .",
                    1,
                    "src/a.js\n  1:7  error  'x' is assigned a value but never used  no-unused-vars\n  4:1  error  Unexpected console statement  no-console\n\n2 problems",
                ),
                told(
                    "npx eslint . --fix",
                    1,
                    "src/a.js\n  4:1  error  Unexpected console statement  no-console\n\n1 problem",
                ),
                edit("src/a.js", "1"),
                told(
                    "npx eslint .",
                    1,
                    "src/b.js\n  9:3  error  'y' is not defined  no-undef\n\n1 problem",
                ),
                edit("src/b.js", "1"),
                fine("npx eslint ."),
                told("npm test", 0, "Tests:       14 passed, 14 total"),
            ],
        ),
        one(
            "documentation",
            "",
            vec![
                Step::Prompt("document the cart"),
                Step::Read("README.md"),
                edit("README.md", "1"),
                edit("docs/cart.md", "1"),
                edit("README.md", "2"),
                edit("README.md", "3"),
                fine("npx markdownlint README.md"),
                edit("README.md", "4"),
                Step::Runs("git add -A && git commit -qm 'document the cart'"),
                Step::Runs("git show --stat"),
            ],
        ),
        one(
            "an upgrade of dependencies",
            "",
            vec![
                Step::Prompt("upgrade serde and tokio"),
                edit("Cargo.toml", "serde = 2"),
                told("cargo update", 0, "    Updating crates.io index"),
                told(
                    "cargo build",
                    101,
                    "error[E0432]: unresolved import `serde::Deserializer`\n --> src/lib.rs:3:5\nerror: could not compile `shop` (lib) due to 1 previous error",
                ),
                edit("src/lib.rs", "1"),
                told(
                    "cargo build",
                    101,
                    "error[E0308]: mismatched types\n --> src/lib.rs:14:9\n  expected `u64`, found `u32`\nerror: could not compile `shop` (lib) due to 1 previous error",
                ),
                edit("src/lib.rs", "2"),
                told(
                    "cargo build",
                    101,
                    "error[E0599]: no method named `spawn_local` found for struct `Runtime` in the current scope\n --> src/net.rs:20:9\nerror: could not compile `shop` (lib) due to 1 previous error",
                ),
                edit("src/net.rs", "1"),
                told(
                    "cargo build",
                    101,
                    "error[E0277]: `Rc<u8>` cannot be sent between threads safely\n --> src/net.rs:31:5\nerror: could not compile `shop` (lib) due to 1 previous error",
                ),
                edit("src/net.rs", "2"),
                told("cargo build", 0, "    Finished `dev` profile"),
                cargo(&["cart::a"]),
                edit("src/lib.rs", "3"),
                cargo(&[]),
            ],
        ),
        one(
            "a bug found by bisecting",
            "",
            vec![
                Step::Prompt("which commit broke it"),
                Step::Runs(
                    "for n in 1 2 3 4; do echo $n >> src/price.py; git commit -qam \"step $n\"; done",
                ),
                Step::Runs("git bisect start HEAD HEAD~4"),
                pytest(&["test_price"], 11),
                Step::Runs("git bisect bad"),
                pytest(&[], 12),
                Step::Runs("git bisect good"),
                Step::Runs("git bisect reset"),
                edit("src/price.py", "mended"),
                pytest(&[], 12),
                Step::Runs("git commit -qam 'mend the price'"),
            ],
        ),
        one(
            "output read through a pipe",
            "",
            vec![
                Step::Prompt("get it green"),
                told(
                    "cargo test 2>&1 | tail -5",
                    0,
                    "test result: FAILED. 8 passed; 2 failed; 0 ignored",
                ),
                edit("src/lib.rs", "1"),
                told(
                    "cargo test 2>&1 | tail -5",
                    0,
                    "test result: FAILED. 9 passed; 1 failed; 0 ignored",
                ),
                edit("src/lib.rs", "2"),
                told(
                    "cargo test 2>&1 | tail -5",
                    0,
                    "test result: ok. 10 passed; 0 failed; 0 ignored",
                ),
                told(
                    "cargo clippy 2>&1 | tail -3",
                    0,
                    "    Finished `dev` profile",
                ),
                told("grep -rn total src | head", 0, "src/cart.py:1:total"),
            ],
        ),
    ]
}

fn third() -> Vec<Ordinary> {
    let plan = "watchfloor attempt plan --task T-1 --agent claude:s-1 --hypothesis rounding --strategy round-late";
    vec![
        one(
            "work under a plan, with a second plan when the first fails",
            "",
            vec![
                Step::Prompt("fix the rounding"),
                Step::Ours(plan),
                edit("src/price.py", "1"),
                pytest(&["test_round"], 11),
                Step::Ours(
                    "watchfloor attempt plan --task T-1 --agent claude:s-1 --hypothesis cents --strategy count-cents",
                ),
                edit("src/price.py", "2"),
                pytest(&["test_cents"], 11),
                Step::Ours(
                    "watchfloor attempt plan --task T-1 --agent claude:s-1 --hypothesis order --strategy sum-first",
                ),
                edit("src/price.py", "3"),
                pytest(&[], 12),
                Step::Runs("git commit -qam 'round once'"),
            ],
        ),
        one(
            "searching and reading only",
            "",
            vec![
                Step::Prompt("how does the cart work"),
                Step::Read("src/cart.py"),
                told("grep -rn nothing src", 1, ""),
                told(
                    "ls missing",
                    2,
                    "ls: cannot access 'missing': No such file or directory",
                ),
                told(
                    "cat src/missing.py",
                    1,
                    "cat: src/missing.py: No such file or directory",
                ),
                told("rg 'fn total'", 1, ""),
                told(
                    "cat src/missing.py",
                    1,
                    "cat: src/missing.py: No such file or directory",
                ),
                told(
                    "python3 -c 'import cart'",
                    1,
                    "ModuleNotFoundError: No module named 'cart'",
                ),
                Step::Runs("git log --oneline -5"),
                Step::Runs("git diff main --stat"),
            ],
        ),
        one(
            "a feature on a branch, pushed",
            "",
            vec![
                Step::Prompt("add a coupon"),
                Step::Runs("git checkout -q -b coupon"),
                edit("src/coupon.py", "1"),
                edit("tests/test_coupon.py", "1"),
                pytest(&["test_coupon"], 12),
                edit("src/coupon.py", "2"),
                pytest(&[], 13),
                Step::Runs("git add -A && git commit -qm 'add a coupon'"),
                told(
                    "git push -u origin coupon",
                    0,
                    "branch 'coupon' set up to track 'origin/coupon'.",
                ),
                told("gh pr create --fill", 0, "https://github.com/o/r/pull/7"),
                told(
                    "gh pr checks 7",
                    8,
                    "build\tpending\t0\thttps://github.com/o/r/actions",
                ),
                told(
                    "gh pr checks 7",
                    8,
                    "build\tpending\t0\thttps://github.com/o/r/actions",
                ),
                told(
                    "gh pr checks 7",
                    8,
                    "build\tpending\t0\thttps://github.com/o/r/actions",
                ),
                told(
                    "gh pr checks 7",
                    0,
                    "build\tpass\t2m\thttps://github.com/o/r/actions",
                ),
            ],
        ),
        one(
            "a set-up that lacks one thing after the other",
            "",
            vec![
                Step::Prompt("get it to run"),
                told(
                    "make",
                    127,
                    "make: cc: No such file or directory\nmake: *** [Makefile:3: all] Error 127",
                ),
                fine("sudo apt-get install -y gcc"),
                told(
                    "make",
                    2,
                    "src/a.c:1:10: fatal error: zlib.h: No such file or directory\nmake: *** [Makefile:3: all] Error 1",
                ),
                fine("sudo apt-get install -y zlib1g-dev"),
                told(
                    "make",
                    2,
                    "/usr/bin/ld: cannot find -lssl: No such file or directory\nmake: *** [Makefile:3: all] Error 1",
                ),
                fine("sudo apt-get install -y libssl-dev"),
                fine("make"),
                told(
                    "npm ci",
                    1,
                    "npm error code ERESOLVE\nnpm error ERESOLVE could not resolve",
                ),
                fine("npm ci --legacy-peer-deps"),
                told("npm test", 0, "Tests:       14 passed, 14 total"),
            ],
        ),
        one(
            "two tries at the same failure, and the third is right",
            "",
            vec![
                Step::Prompt("fix the total"),
                Step::Read("src/cart.py"),
                edit("src/cart.py", "1"),
                pytest(&["test_total"], 11),
                edit("src/cart.py", "2"),
                pytest(&["test_total"], 11),
                edit("src/cart.py", "3"),
                pytest(&[], 12),
                edit("src/cart.py", "4"),
                pytest(&["test_total"], 11),
                Step::Runs("git diff src/price.py"),
                edit("src/cart.py", "5"),
                pytest(&[], 12),
            ],
        ),
        one(
            "a long day with several requests",
            "",
            (0..6)
                .flat_map(|n| {
                    [
                        Step::Prompt("the next one"),
                        edit("src/cart.py", &format!("day {n}")),
                        cargo(&[["cart::a", "cart::b", "cart::c"][n % 3]]),
                        edit("src/cart.py", &format!("day {n}, later")),
                        cargo(&[]),
                        Step::Runs("git commit -qam 'one more'"),
                    ]
                })
                .collect(),
        ),
    ]
}
