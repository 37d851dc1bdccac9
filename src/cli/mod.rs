//! The command line (spec 9): noun, then verb; human and JSON output.

pub mod acceptance;
pub mod args;
mod breaker;
mod config;
pub mod context;
mod grant;
mod guard;
mod handoff;
mod identity;
mod inbox;
mod input;
pub mod install;
mod ledger;
mod manual;
mod mission;
pub mod observe;
mod out;
mod place;
mod process;
pub mod prompt;
mod receipt;
mod receipt_graph;
mod receipt_watch;
mod signature;
mod store;
mod table;
mod tail;
mod triage;
mod unparsed;
mod watch;

use args::{Cli, Command};
use out::{Out, Reply};

use crate::contract::refusal::Refusal;
use crate::ops::context::Context;

pub use out::refused;
pub use unparsed::unparsed;

/// Runs one verb and writes its answer. Answers the exit code.
#[must_use]
pub fn run(cli: Cli) -> u8 {
    let out = Out {
        json: cli.global.json,
        quiet: cli.global.quiet,
    };
    match verb(cli, &out) {
        Ok(reply) => out.reply(&reply),
        Err(refusal) => out.refusal(&refusal),
    }
}

fn verb(cli: Cli, out: &Out) -> Result<Reply, Refusal> {
    let global = cli.global;
    match cli.command {
        Some(Command::Receipt { verb }) => receipt::run(&global, verb, out),
        Some(Command::Schema { verb }) => receipt::schema(&verb),
        Some(Command::Signature { verb }) => signature::run(&verb),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Man { dir }) => manual::man(dir.as_deref()),
        Some(Command::Stop { scope, reason }) => {
            breaker::stop(&context::of_stop(&global, &scope)?, &scope, &reason)
        }
        Some(command) => with_context(context::of(&global)?, &global, command, out),
        None => Err(Refusal::new(
            crate::contract::refusal::Code::Usage,
            "no verb was given",
            "watchfloor --help",
        )),
    }
}

fn with_context(
    context: Context,
    global: &args::Global,
    command: Command,
    out: &Out,
) -> Result<Reply, Refusal> {
    match command {
        Command::Init => store::init(&context),
        Command::Status => store::status(&context),
        Command::Tail {
            follow,
            since,
            limit,
        } => tail::run(&context, follow, since, limit, out),
        Command::Watch { since, limit } => watch::run(&context, since, limit, out),
        Command::Tick => store::tick(&context),
        Command::Verify { deep } => store::verify(&context, deep, out),
        Command::Rebuild => store::rebuild(&context, out),
        Command::FloorRead => store::floor_read(&context),
        Command::FloorHash => store::floor_hash(&context),
        Command::Resume {
            scope,
            reason,
            principal,
        } => breaker::resume(&context, &scope, &reason, principal.as_deref()),
        Command::Attempt { verb } => ledger::attempt(&context, verb),
        Command::Gate { verb } => ledger::gate(&context, verb),
        Command::Guard { verb } => guard::run(&context, verb),
        Command::Task { verb } => mission::task(&context, &verb),
        Command::Mission { verb } => mission::mission(&context, verb),
        Command::Handoff { verb } => handoff::run(&context, global, verb),
        Command::Inbox { verb } => inbox::run(&context, verb),
        Command::Breaker { verb } => breaker::breaker(&context, verb),
        Command::Grant { verb } => grant::run(context, verb),
        Command::Limits {
            verb: args::LimitsVerb::Show,
        } => mission::limits(&context),
        Command::Identity { verb } => identity::run(context, verb),
        Command::Receipt { verb } => receipt::run(global, verb, out),
        Command::Triage { verb } => triage::triage(&context, verb, out),
        Command::Schema { verb } => receipt::schema(&verb),
        Command::Signature { verb } => signature::run(&verb),
        Command::Stop { .. }
        | Command::Demo { .. }
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Hook { .. }
        | Command::Install(_)
        | Command::Uninstall(_)
        | Command::Doctor { .. }
        | Command::Observe { .. }
        | Command::Exec { .. }
        | Command::Acceptance { .. }
        | Command::PlainAgent { .. }
        | Command::Mcp { .. }
        | Command::DemoAgent { .. } => Err(Refusal::new(
            crate::contract::refusal::Code::Internal,
            "this verb is run by the program itself",
            "watchfloor --help",
        )),
    }
}
