//! Parses, wires up, and turns the answer into an exit code; nothing else.

use std::process::ExitCode;

use clap::error::ErrorKind;

use watchfloor::cli::context::Depth;
use watchfloor::cli::{self, args};
use watchfloor::console::executor::{Bell, Executor};
use watchfloor::console::keymap::KeyMap;
use watchfloor::console::theme::{Colours, Palette, Theme};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::ops::context::Context;
use watchfloor::ops::store;
use watchfloor::{console, demo, harness, mcp};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let cli = match args::Cli::of(&words) {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error),
    };
    ExitCode::from(run(cli))
}

fn run(cli: args::Cli) -> u8 {
    match &cli.command {
        Some(args::Command::Hook { harness, event }) => {
            hook(&cli.global, harness, event.as_deref())
        }
        Some(args::Command::Demo { headless, seconds }) => {
            done(play(&cli.global, *headless, *seconds), &cli)
        }
        Some(args::Command::DemoAgent { name }) => done(act(&cli.global, name), &cli),
        Some(args::Command::Mcp) => done(answer(&cli.global), &cli),
        None => done(open(&cli.global), &cli),
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
fn answer(global: &args::Global) -> Result<(), Refusal> {
    mcp::serve(cli::context::with_ancestors(cli::context::of(global)?))
}

/// The console on the user's store.
fn open(global: &args::Global) -> Result<(), Refusal> {
    let context = cli::context::of(global)?;
    if !store::is_there(&context) && !offer(&context)? {
        return Err(store::missing(&context));
    }
    screen(global, context, None)
}

/// With no store yet the console says so, and makes one after a yes.
fn offer(context: &Context) -> Result<bool, Refusal> {
    if store::is_expected(context) {
        return Ok(false);
    }
    let path = context.store.display();
    eprintln!("There is no store yet at {path}.");
    eprintln!("To look around first, run: watchfloor demo");
    let yes = cli::prompt::yes("Make the store?");
    if yes {
        store::make(context)?;
    }
    Ok(yes)
}

fn screen(global: &args::Global, context: Context, notice: Option<String>) -> Result<(), Refusal> {
    let look = cli::context::look(global)?;
    let mut problems = Vec::new();
    let (keys, wrong) = KeyMap::configured(&look.config.keys, &look.config.file);
    problems.extend(wrong);
    let options = console::Options {
        project: global.project.clone().filter(|_| notice.is_none()),
        readonly: global.readonly,
        theme: theme(&look, &mut problems),
        keys,
        problems,
        utc_offset_min: cli::context::utc_offset_min(),
        mouse: true,
        reports: context
            .store
            .parent()
            .unwrap_or(std::path::Path::new("."))
            .to_path_buf(),
    };
    let bell = Bell::of(&context)?;
    let executor = Executor::open(context, global.readonly, notice)?;
    console::run(Box::new(executor), Box::new(bell), options)
}

/// The theme that was asked for; a name that there is none of is told in the console.
fn theme(look: &cli::context::Look, problems: &mut Vec<String>) -> Theme {
    let mut palette = Palette::default();
    if let Some((name, by)) = &look.theme {
        if let Some(known) = Palette::parse(name) {
            palette = known;
        } else {
            let names = Palette::NAMES.map(|(name, _)| name).join(", ");
            problems.push(format!("{by}: {name} is no theme; there are {names}"));
        }
    }
    Theme {
        palette,
        colours: match look.depth {
            Depth::Mono => Colours::Mono,
            Depth::Sixteen => Colours::Sixteen,
            Depth::Indexed => Colours::Indexed,
            Depth::True => Colours::True,
        },
        ascii: !look.unicode,
    }
}

/// The demo, with its console or without.
fn play(global: &args::Global, headless: bool, seconds: u64) -> Result<(), Refusal> {
    let stage = demo::Stage::set(&cli::context::of(global)?)?;
    if headless {
        return stage.headless(seconds, &mut std::io::stdout().lock());
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

/// A hook answers on standard output and exits 0. Only an answer that nobody can read there ends
/// with 2, which the agents' programs read as a refusal, and is said on standard error.
fn hook(global: &args::Global, name: &str, event: Option<&str>) -> u8 {
    let (of, called) = (name.to_owned(), event.map(str::to_owned));
    std::panic::set_hook(Box::new(move |info| {
        let refusal = Refusal::new(
            Code::Internal,
            format!("the hook failed inside: {info}"),
            "watchfloor verify",
        );
        let answer = harness::on_failure(&of, called.as_deref(), &refusal);
        std::process::exit(told(&answer).into());
    }));
    let (global, of) = (global.clone(), name.to_owned());
    let answer = harness::run(
        name,
        event,
        &mut std::io::stdin().lock(),
        move |cwd, pid| cli::context::of_hook(&global, &of, cwd, pid),
    );
    told(&answer)
}

fn told(answer: &str) -> u8 {
    let Err(error) = harness::print(answer, &mut std::io::stdout()) else {
        return 0;
    };
    let words = format!("Watchfloor cannot answer: {error}\n{answer}");
    drop(harness::print(&words, &mut std::io::stderr()));
    2
}

/// Help and version are answers; everything else is a call whose words are off.
fn unparsed(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    let json = std::env::args().any(|word| word == "--json");
    if json {
        let text = error.to_string();
        // What is missing is named below the first line.
        let first = text.split("\n\n").next().unwrap_or_default();
        let cause: Vec<&str> = first.lines().map(str::trim).collect();
        let cause = cause.join(" ").trim_start_matches("error: ").to_owned();
        return ExitCode::from(cli::refused(
            &Refusal::new(Code::Usage, cause, "watchfloor --help"),
            true,
        ));
    }
    drop(error.print());
    ExitCode::from(2)
}
