//! A hook, and git's second line: read, ask, answer, whatever happens inside.

use std::os::unix::fs::MetadataExt as _;

use watchfloor::cli::{self, args};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::{harness, ops};

/// A hook answers on standard output and exits 0. Only an answer that nobody can read there ends
/// with 2, which the agents' programs read as a refusal, and is said on standard error.
pub fn hook(global: &args::Global, name: &str, event: Option<&str>) -> u8 {
    if let Err(refusal) = harness::dialect(name) {
        return unknown(global, name, event, &refusal);
    }
    let asks = harness::may_refuse(name, event);
    let (of, called) = (name.to_owned(), event.map(str::to_owned));
    std::panic::set_hook(Box::new(move |info| {
        let refusal = Refusal::new(
            Code::Internal,
            format!("the hook failed inside: {info}"),
            "watchfloor verify",
        );
        let answer = harness::on_failure(&of, called.as_deref(), &refusal);
        std::process::exit(told(&answer, asks).into());
    }));
    let context = |cwd: &str| cli::context::of_hook(global, cwd);
    let process = |pid| cli::context::behind_hook(name, pid);
    let late = move |answer: String| {
        std::process::exit(told(&answer, asks).into());
    };
    let answer = harness::run(name, event, std::io::stdin(), context, process, late);
    told(&answer, asks)
}

/// A harness that nobody knows may be a slip in an entry that asks about calls: they are refused in
/// the one form that most programs read. Whoever typed it reads why beside that.
fn unknown(global: &args::Global, name: &str, event: Option<&str>, refusal: &Refusal) -> u8 {
    let usage = cli::refused(refusal, global.json);
    if global.json {
        return usage;
    }
    let asks = harness::may_refuse(name, event);
    told(&harness::on_failure(name, event, refusal), asks)
}

/// Where a call is asked about, an answer to the null device is one that nobody hears.
fn told(answer: &str, asks: bool) -> u8 {
    let printed = harness::print(answer, &mut std::io::stdout());
    let error = match printed {
        Ok(()) if answer.is_empty() || !asks || is_heard() => return 0,
        Ok(()) => std::io::Error::other("standard output is closed"),
        Err(error) => error,
    };
    let words = format!("Watchfloor cannot answer: {error}\n{answer}");
    drop(harness::print(&words, &mut std::io::stderr()));
    2
}

/// Whether anybody can read standard output. Where it was closed the null device stands there.
fn is_heard() -> bool {
    let null = std::fs::metadata("/dev/null").map(|null| null.rdev());
    let out = rustix::fs::fstat(std::io::stdout()).map(|out| out.st_rdev);
    !matches!((null, out), (Ok(null), Ok(out)) if null == out)
}

/// What git asks before a commit or a push: ends with 0 or says why not.
pub fn second_line(global: &args::Global, event: Option<&str>) -> Result<(), Refusal> {
    let context = cli::context::with_ancestors(cli::context::of(global)?);
    let json = global.json;
    harness::within(
        || ops::second_line::check(&context, event.unwrap_or("hook")),
        move |refusal| {
            std::process::exit(cli::refused(refusal, json).into());
        },
    )
}
