//! Parses, wires up, and turns the answer into an exit code; nothing else.

mod wire;

use std::process::ExitCode;

use watchfloor::cli::{self, args};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::ops::hook_cost;
use watchfloor::{demo, mcp, run};

use wire::acceptance::accept;
use wire::hook::{hook, second_line};
use wire::rollout;
use wire::screen::{no_theme, observe, open, screen};

fn main() -> ExitCode {
    hook_cost::begin();
    let words: Vec<_> = std::env::args_os().collect();
    let cli = match args::Cli::of(&words) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(cli::unparsed(&error, &words)),
    };
    if let Some(refusal) = no_theme(&cli.global, &words) {
        return ExitCode::from(cli::refused(&refusal, cli.global.json));
    }
    ExitCode::from(answer(cli))
}

fn answer(cli: args::Cli) -> u8 {
    match &cli.command {
        Some(args::Command::Hook { harness, event, .. }) if harness == "git" => {
            done(second_line(&cli.global, event.as_deref()), &cli)
        }
        Some(args::Command::Hook { harness, event, .. }) => {
            hook(&cli.global, harness, event.as_deref())
        }
        Some(args::Command::Install(asked)) => {
            let answer = rollout::install(&cli.global, asked);
            cli::install::told(&cli.global, !asked.yes, answer)
        }
        Some(args::Command::Uninstall(asked)) => {
            let answer = rollout::uninstall(&cli.global, asked);
            cli::install::told(&cli.global, !asked.yes, answer)
        }
        Some(args::Command::Doctor { prove }) => {
            cli::install::examined(&cli.global, rollout::doctor(&cli.global, prove.as_deref()))
        }
        Some(args::Command::Demo { headless, seconds }) => play(&cli.global, *headless, *seconds)
            .unwrap_or_else(|refusal| cli::refused(&refusal, cli.global.json)),
        Some(args::Command::DemoAgent { name }) => done(act(&cli.global, name), &cli),
        Some(args::Command::Observe { list, once, hours }) => {
            done(observe(&cli.global, *list, *once, *hours), &cli)
        }
        Some(args::Command::Exec { command }) => exec(&cli.global, command)
            .unwrap_or_else(|refusal| cli::refused(&refusal, cli.global.json)),
        Some(args::Command::Acceptance(flags)) => accept(&cli.global, flags)
            .unwrap_or_else(|refusal| cli::refused(&refusal, cli.global.json)),
        Some(args::Command::PlainAgent { model, prompt }) => {
            let done = run::plain::run(model, prompt, &mut std::io::stdin().lock());
            u8::from(done.inspect_err(|error| eprintln!("{error}")).is_err())
        }
        Some(args::Command::Mcp { .. }) => done(serve(&cli.global), &cli),
        None => open(&cli.global).unwrap_or_else(|refusal| cli::refused(&refusal, cli.global.json)),
        Some(_) => cli::run(cli),
    }
}

fn done(result: Result<(), Refusal>, cli: &args::Cli) -> u8 {
    match result {
        Ok(()) => 0,
        Err(refusal) => cli::refused(&refusal, cli.global.json),
    }
}

/// The server of one agent's session, whose program is above this process.
fn serve(global: &args::Global) -> Result<(), Refusal> {
    mcp::serve(cli::context::with_ancestors(cli::context::of(global)?))
}

/// The demo, with its console or without.
fn play(global: &args::Global, headless: bool, seconds: u64) -> Result<u8, Refusal> {
    let stage = demo::Stage::set(&cli::context::of(global)?)?;
    if headless {
        stage.headless(seconds, &mut std::io::stdout().lock())?;
        return Ok(0);
    }
    screen(global, stage.context.clone(), Some(stage.notice()))
}

/// One scripted agent, in a process of its own.
fn act(global: &args::Global, name: &str) -> Result<(), Refusal> {
    let context = cli::context::of(global)?;
    demo::play(name, &context.cwd).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("the demo's agent ended: {error}"),
            "watchfloor demo",
        )
    })
}

/// A command as an agent.
fn exec(global: &args::Global, words: &[std::ffi::OsString]) -> Result<u8, Refusal> {
    let context = cli::context::with_ancestors(cli::context::of(global)?);
    run::exec::run(&context, words, global.quiet)
}
