//! Which shell commands are checks (spec 3.1): tests, builds, linters.

use super::outcome::{is_merging, waits};
use super::shell::simple_commands;
use crate::contract::signature::Strength;

/// Programs that are checks whatever they are told.
const PROGRAMS: [&str; 28] = [
    "pytest",
    "py.test",
    "tox",
    "nox",
    "make",
    "gmake",
    "ninja",
    "just",
    "tsc",
    "eslint",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "ctest",
    "ruff",
    "mypy",
    "flake8",
    "pylint",
    "pyright",
    "rspec",
    "rubocop",
    "phpunit",
    "golangci-lint",
    "staticcheck",
    "shellcheck",
    "bats",
    "cargo-nextest",
];

/// Programs that are checks when one of these words is their verb.
const VERBS: [(&str, &[&str]); 12] = [
    (
        "cargo",
        &[
            "test", "t", "build", "b", "check", "c", "clippy", "nextest", "bench",
        ],
    ),
    ("npm", &["test", "t", "lint", "build"]),
    ("pnpm", &["test", "t", "lint", "build"]),
    ("yarn", &["test", "lint", "build"]),
    ("bun", &["test", "lint", "build"]),
    ("deno", &["test", "lint", "check"]),
    ("go", &["test", "build", "vet"]),
    ("dotnet", &["test", "build"]),
    ("swift", &["test", "build"]),
    ("zig", &["test", "build"]),
    ("bazel", &["test", "build"]),
    ("mix", &["test", "compile"]),
];

/// Programs that are given a list of goals, one of which makes it a check.
const GOALS: [(&str, &[&str]); 6] = [
    ("mvn", &["test", "verify", "compile", "package", "install"]),
    ("mvnw", &["test", "verify", "compile", "package", "install"]),
    ("gradle", &["test", "build", "check"]),
    ("gradlew", &["test", "build", "check"]),
    ("rake", &["test", "spec"]),
    ("cmake", &["--build"]),
];

/// Options before a verb that take the next word.
const VALUED: [&str; 8] = [
    "-C",
    "--manifest-path",
    "--config",
    "--color",
    "--prefix",
    "--cwd",
    "--dir",
    "--filter",
];

/// Script runners: what they run is named after `run`.
const SCRIPT_RUNNERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Words by which a script's name says that it is a check.
const SCRIPT_NAMES: [&str; 4] = ["check", "test", "lint", "build"];

/// Programs that run another one: their name, and the words that must follow it.
const RUNNERS: [&[&str]; 13] = [
    &["npx"],
    &["bunx"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "exec"],
    &["npm", "exec"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["hatch", "run"],
    &["bundle", "exec"],
    &["command"],
    &["exec"],
];

/// Whether a shell line runs a check.
#[must_use]
pub fn is_check(command: &str) -> bool {
    check_name(command).is_some()
}

/// The name of the check that a shell line runs: its command without what only surrounds it,
/// white space collapsed; several are joined by ` && `.
///
/// ```
/// use watchfloor::rules::cycle::check_name;
/// let line = "cd web && CI=1 timeout 60 npm  test -- --run 2>&1 | tail -20";
/// assert_eq!(check_name(line).as_deref(), Some("npm test -- --run"));
/// assert_eq!(check_name("echo cargo test"), None);
/// ```
#[must_use]
pub fn check_name(command: &str) -> Option<String> {
    check_name_with(command, &[])
}

/// The same, with more checks from the configuration: each is the beginning of a command, in
/// whole words.
#[must_use]
pub fn check_name_with(command: &str, more: &[String]) -> Option<String> {
    let names: Vec<String> = simple_commands(command)
        .iter()
        .map(|words| peel(words))
        .filter(|words| checks(words) || more.iter().any(|start| begins(words, start)))
        .map(|words| collapse(&words.join(" ")))
        .collect();
    (!names.is_empty()).then(|| names.join(" && "))
}

/// The name under which a command that ended closes a cycle: that of its check, or for any other
/// command that failed with a strong signature its own text. Calls of this product close none, nor
/// does a merge that stops at a conflict, nor waiting for something.
#[must_use]
pub fn closing_name(command: &str, failed: Option<Strength>, more: &[String]) -> Option<String> {
    let ours = |words: &Vec<String>| peel(words).first().is_some_and(|w| base(w) == "watchfloor");
    let strong = failed == Some(Strength::Strong);
    check_name_with(command, more).or_else(|| {
        let commands = simple_commands(command);
        let other = strong
            && !commands.first().is_some_and(ours)
            && !commands.iter().any(|words| is_merging(words))
            && !waits(&commands);
        other.then(|| collapse(command))
    })
}

/// The name under which a command that ran as an agent closes a cycle: that of its check, else its
/// own text.
#[must_use]
pub fn command_name(command: &str) -> String {
    check_name(command).unwrap_or_else(|| collapse(command))
}

fn collapse(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn begins(words: &[String], start: &str) -> bool {
    let mut start = start.split_whitespace().peekable();
    start.peek().is_some() && {
        let mut words = words.iter();
        start.all(|word| words.next().is_some_and(|w| w == word))
    }
}

/// Takes assignments and wrappers off the front.
pub(super) fn peel(words: &[String]) -> &[String] {
    let mut words = words;
    while let Some(rest) = peel_one(words) {
        words = rest;
    }
    words
}

fn peel_one(words: &[String]) -> Option<&[String]> {
    let (first, rest) = words.split_first()?;
    if is_assignment(first) || matches!(first.as_str(), "!" | "{" | "then" | "do" | "else" | "if") {
        return Some(rest);
    }
    match base(first) {
        "env" => Some(after_options(rest, &["-u", "-C", "--unset", "--chdir"], 0)),
        "timeout" | "gtimeout" => Some(after_options(rest, &["-s", "-k", "--signal"], 1)),
        "nice" | "ionice" => Some(after_options(rest, &["-n", "-c"], 0)),
        "time" | "nohup" | "stdbuf" | "sudo" => Some(after_options(rest, &[], 0)),
        program => {
            let runs = |runner: &&&[&str]| {
                let (name, more) = runner.split_first().unwrap_or((&"", &[]));
                *name == program && rest.len() >= more.len() && {
                    let mut pairs = more.iter().zip(rest);
                    pairs.all(|(want, word)| word == want)
                }
            };
            let runner = RUNNERS.iter().find(runs)?;
            Some(after_options(&rest[runner.len() - 1..], &[], 0))
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Skips options, the values of those named, and then so many plain words.
pub(super) fn after_options<'a>(
    words: &'a [String],
    valued: &[&str],
    plain: usize,
) -> &'a [String] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if valued.contains(&word.as_str()) {
            2
        } else {
            1
        };
    }
    words.get(at + plain..).unwrap_or(&[])
}

pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

pub(super) fn checks(words: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let program = base(first);
    PROGRAMS.contains(&program)
        || (is_python(program) && runs_tests(rest))
        || VERBS
            .iter()
            .any(|(name, verbs)| *name == program && has_verb(rest, verbs))
        || GOALS
            .iter()
            .any(|(name, goals)| *name == program && has_goal(rest, goals))
        || (SCRIPT_RUNNERS.contains(&program) && runs_script(rest))
        || is_script(first, rest)
}

/// The first word that is no option and no toolchain.
fn verb(rest: &[String]) -> Option<&str> {
    let rest = after_options(rest, &VALUED, 0);
    let toolchain = usize::from(rest.first().is_some_and(|word| word.starts_with('+')));
    after_options(&rest[toolchain..], &VALUED, 0)
        .first()
        .map(String::as_str)
}

fn has_verb(rest: &[String], verbs: &[&str]) -> bool {
    verb(rest).is_some_and(|verb| verbs.contains(&verb))
}

/// A goal may be one of a part: `:app:test`.
fn has_goal(rest: &[String], goals: &[&str]) -> bool {
    let goal = |word: &String| goals.contains(&word.rsplit(':').next().unwrap_or(word));
    rest.iter().any(goal)
}

/// `run test`, `run lint:fix`, `run-script build`, or a program that is a check: `yarn jest`.
fn runs_script(rest: &[String]) -> bool {
    let mut plain = rest.iter().filter(|word| !word.starts_with('-'));
    match plain.next().map(String::as_str) {
        Some("run" | "run-script") => plain.next().is_some_and(|script| says_check(script)),
        Some(program) => PROGRAMS.contains(&program),
        None => false,
    }
}

fn is_python(program: &str) -> bool {
    program
        .strip_prefix("python")
        .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// `-m pytest`, `manage.py test`.
fn runs_tests(rest: &[String]) -> bool {
    let mut words = rest
        .iter()
        .skip_while(|word| word.as_str() != "-m" && word.starts_with('-'));
    match words.next().map(String::as_str) {
        Some("-m") => words
            .next()
            .is_some_and(|module| module == "unittest" || PROGRAMS.contains(&module.as_str())),
        Some(script) if base(script) == "manage.py" => words.next().is_some_and(|w| w == "test"),
        _ => false,
    }
}

/// `./ci/check-all`, `bash scripts/test.sh`, `/ci/build.sh`.
fn is_script(first: &str, rest: &[String]) -> bool {
    let shell = matches!(base(first), "sh" | "bash" | "zsh" | "dash");
    let path = if shell {
        // A script is a word; `-c` and its like are another matter.
        rest.first()
            .filter(|word| word.strip_suffix(".sh").is_some())
            .map_or("", String::as_str)
    } else {
        first
    };
    let name = base(path);
    match name.strip_suffix(".sh") {
        Some(name) => (shell || path.contains('/')) && says_check(name),
        None => {
            path.contains('/') && !path.starts_with('/') && !name.contains('.') && says_check(name)
        }
    }
}

/// One of the words of the name, or its beginning, is a check's.
fn says_check(name: &str) -> bool {
    name.split(['-', '_', ':', '.'])
        .any(|part| SCRIPT_NAMES.iter().any(|check| part.starts_with(check)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_known_by_their_command() {
        for line in [
            "cargo test",
            "cargo build --release",
            "cargo check",
            "cargo clippy -- -D warnings",
            "cargo t",
            "cargo nextest run",
            "cargo +nightly test",
            "cargo --color never test",
            "cargo --manifest-path a/Cargo.toml +x test",
            "/root/.cargo/bin/cargo test",
            "npm test",
            "npm t",
            "npm run test:unit",
            "npm run-script build",
            "npm --prefix web test",
            "npm run -s lint",
            "pnpm lint",
            "pnpm run build",
            "yarn test",
            "yarn jest --ci",
            "bun test",
            "bun run build",
            "deno test",
            "npx jest",
            "npx --yes vitest run",
            "bunx vitest",
            "pnpm exec tsc",
            "pytest -q",
            "python -m pytest tests",
            "python3 -m unittest",
            "python3.12 -B -m pytest",
            "python manage.py test",
            "python ./manage.py test app",
            "uv run pytest",
            "poetry run pytest",
            "go test ./...",
            "go build",
            "go vet",
            "go -C sub test",
            "make",
            "make -j4 all",
            "just ci",
            "tsc --noEmit",
            "eslint .",
            "node_modules/.bin/jest",
            "mvn -q clean test",
            "./mvnw verify",
            "gradle build",
            "./gradlew :app:test",
            "ctest",
            "cmake --build out",
            "ruff check .",
            "mypy src",
            "flake8",
            "rspec",
            "bundle exec rspec",
            "rake spec",
            "dotnet test",
            "swift build",
            "zig build",
            "bazel test //x",
            "mix test",
            "sh test.sh",
            "bash scripts/check-all.sh x",
            "./scripts/run_tests.sh",
            "/ci/build.sh",
            "./lint",
            "ci/check",
        ] {
            assert!(is_check(line), "{line}");
            assert_eq!(
                check_name(line).as_deref().map(|n| line.ends_with(n)),
                Some(true),
                "{line}"
            );
        }
    }

    #[test]
    fn other_commands_are_none() {
        for line in [
            "",
            "ls",
            "echo cargo test",
            "cargo",
            "cargo add test",
            "cargo run",
            "cargo fmt",
            "cargo install test",
            "cargo -C",
            "npm install test",
            "npm ci",
            "npm run",
            "npm run dev",
            "npm",
            "npm -s",
            "yarn add jest-x",
            "go run test",
            "go mod tidy",
            "python test.py",
            "python -m http.server",
            "python -m",
            "python",
            "python manage.py migrate",
            "python other.py test",
            "python manage.pyc test",
            "pythonic -m pytest",
            "node test",
            "gradle tasks",
            "mvn clean",
            "cmake -B build",
            "git commit -m 'x; cargo test'",
            "git log | grep test",
            "cat <<E\ncargo test\nE",
            "# cargo test",
            "test -f x",
            "/usr/bin/test -f x",
            "[ -f test ]",
            "./latest.sh",
            "build",
            "lint x",
            "./run.sh",
            "./test.py",
            "bash",
            "bash -c x.sh",
            "bash run.sh",
            "sh test",
            "test.sh",
            "build/app",
            "a/b.test.sh.txt",
            "timeout 5",
            "env",
            "watchfloor exec -- cargo test",
            "timeout 9 watchfloor exec -- make",
            "watchfloor gate check",
            "./target/debug/watchfloor attempt record",
            "grep -r make",
            "npx",
            "pnpm exec",
            "uv sync",
            "bundle install",
        ] {
            assert_eq!(check_name(line), None, "{line}");
        }
    }

    #[test]
    fn what_surrounds_a_check_is_no_part_of_its_name() {
        for (line, name) in [
            (
                "cd a && RUST_LOG=1 B= cargo  test 2>&1 | tail",
                "cargo test",
            ),
            ("env -u A B=1 cargo test", "cargo test"),
            ("env -C dir make", "make"),
            ("timeout -k 5 60 cargo test", "cargo test"),
            (
                "timeout --foreground 60s nice -n 5 cargo test",
                "cargo test",
            ),
            ("nice cargo test; time make", "cargo test && make"),
            ("time -p cargo test", "cargo test"),
            ("if ! cargo test; then make; fi", "cargo test && make"),
            ("{ make; }", "make"),
            ("git pull\ncargo test 'a  b'", "cargo test a b"),
            (
                "(cargo build && cargo test) > log",
                "cargo build && cargo test",
            ),
            ("poetry run -- pytest -x", "pytest -x"),
            ("watchfloor status; make", "make"),
            ("9A=1 make; make", "make"),
            ("A-B=1 make || make x", "make x"),
            ("_a1=2 make", "make"),
            ("=x make; make y", "make y"),
        ] {
            assert_eq!(check_name(line).as_deref(), Some(name), "{line}");
        }
    }

    #[test]
    fn the_configuration_names_more_checks() {
        let more = [
            "terraform  validate".to_owned(),
            String::new(),
            "a b c".to_owned(),
        ];
        let name = |line| check_name_with(line, &more);
        assert_eq!(
            name("cd x; terraform validate -json").as_deref(),
            Some("terraform validate -json")
        );
        assert_eq!(name("terraform"), None);
        assert_eq!(name("terraform validates"), None);
        assert_eq!(name("a b"), None);
        assert_eq!(name("make").as_deref(), Some("make"));
    }

    #[test]
    fn a_strong_failure_of_any_command_closes_a_cycle() {
        let strong = Some(Strength::Strong);
        let name = |line, failed| closing_name(line, failed, &[]);
        assert_eq!(name("rustc  a.rs", strong).as_deref(), Some("rustc a.rs"));
        assert_eq!(name("cd x && make", strong).as_deref(), Some("make"));
        assert_eq!(name("make", None).as_deref(), Some("make"));
        for failed in [None, Some(Strength::Weak), Some(Strength::Medium)] {
            assert_eq!(name("rustc a.rs", failed), None);
        }
        assert_eq!(name("A=1 ./watchfloor status", strong), None);
        for line in [
            "git merge main",
            "git add -A && git -C sub rebase --continue",
            "git -c a=b cherry-pick abc",
            "sleep 20 && gh run view 7 --exit-status",
            "kubectl --context x wait job/a",
            "curl -fsS http://localhost/health",
        ] {
            assert_eq!(name(line, strong), None, "{line}");
        }
        assert!(name("git commit -qm x", strong).is_some());
        assert!(name("sleep 1; make", strong).is_some());
        let more = ["rustc".to_owned()];
        assert!(closing_name("rustc a.rs", None, &more).is_some());
    }
}
