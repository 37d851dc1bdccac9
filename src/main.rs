//! Parses, wires up, and turns the answer into an exit code; nothing else.

#[path = "main/rollout.rs"]
mod rollout;

use std::process::ExitCode;

use clap::error::ErrorKind;

use watchfloor::cli::context::Depth;
use watchfloor::cli::{self, args};
use watchfloor::console::executor::{Bell, Executor};
use watchfloor::console::keymap::KeyMap;
use watchfloor::console::theme::{Colours, Palette, Theme};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::harness::transcript::{self, Observer};
use watchfloor::ops::context::Context;
use watchfloor::ops::{hook_cost, store};
use watchfloor::run::acceptance;
use watchfloor::run::seat::{Finder, Program};
use watchfloor::{console, demo, harness, mcp, ops, run};

fn main() -> ExitCode {
    hook_cost::begin();
    let words: Vec<_> = std::env::args_os().collect();
    let cli = match args::Cli::of(&words) {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error),
    };
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
        Some(args::Command::Demo { headless, seconds }) => {
            done(play(&cli.global, *headless, *seconds), &cli)
        }
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
        Some(args::Command::Mcp) => done(serve(&cli.global), &cli),
        None => done(open(&cli.global), &cli),
        Some(_) => cli::run(cli),
    }
}

/// What git asks before a commit or a push: ends with 0 or says why not.
fn second_line(global: &args::Global, event: Option<&str>) -> Result<(), Refusal> {
    let context = cli::context::with_ancestors(cli::context::of(global)?);
    let event = event.unwrap_or("hook").to_owned();
    harness::within(move || ops::second_line::check(&context, &event))
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

/// The console on the user's store.
fn open(global: &args::Global) -> Result<(), Refusal> {
    let context = cli::context::of(global)?;
    if !store::is_there(&context) && !offer(global, &context)? {
        return Err(store::missing(&context));
    }
    // What cannot be observed is no reason to show nothing.
    let watch = || transcript::watch(&context, observer(global, None).ok()?).ok();
    let _watch = if global.readonly { None } else { watch() };
    screen(global, context.clone(), None)
}

/// The observer of this machine's agents.
fn observer(global: &args::Global, hours: Option<u64>) -> Result<Observer, Refusal> {
    let homes = cli::observe::homes(global, hours)?;
    let global = global.clone();
    Ok(Observer::new(homes, move |cwd| {
        cli::observe::place(&global, cwd)
    }))
}

/// `observe`: tells what runs, or records it, once or until it is ended.
fn observe(
    global: &args::Global,
    list: bool,
    once: bool,
    hours: Option<u64>,
) -> Result<(), Refusal> {
    let mut observer = observer(global, hours)?;
    if list {
        observer.look();
        return cli::observe::listed(&observer.agents(), global.json);
    }
    let context = cli::context::of(global)?;
    if once {
        let mut journal = store::open(&context)?;
        observer.look();
        let settled = observer.settle(&context, &mut journal)?;
        let appended = settled + observer.tell_at_once(&mut journal)?;
        return cli::observe::appended(observer.agents().len(), appended, global.json);
    }
    transcript::watch(&context, observer)?.wait();
    Ok(())
}

/// With no store yet the console says so, and makes one after a yes.
fn offer(global: &args::Global, context: &Context) -> Result<bool, Refusal> {
    if store::is_expected(context) {
        return Ok(false);
    }
    let path = context.store.display();
    eprintln!("There is no store yet at {path}.");
    if let Ok(mut observer) = observer(global, None) {
        observer.look();
        eprint!("{}", cli::observe::at_start(&observer.agents()));
    }
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

/// A command as an agent.
fn exec(global: &args::Global, words: &[std::ffi::OsString]) -> Result<u8, Refusal> {
    let context = cli::context::with_ancestors(cli::context::of(global)?);
    run::exec::run(&context, words, global.quiet)
}

/// The acceptance, its record, and its exit code.
fn accept(global: &args::Global, flags: &args::Acceptance) -> Result<u8, Refusal> {
    let context = cli::context::of(global)?;
    let next = "watchfloor acceptance --help";
    let program = |name: &String| {
        let known = Program::parse(name);
        known.ok_or_else(|| {
            Refusal::new(
                Code::Usage,
                format!("{name} is no program that is known here"),
                next,
            )
        })
    };
    for (name, _) in &flags.programs {
        program(name)?;
    }
    let own = std::env::current_exe().map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("this program is not found: {error}"),
            next,
        )
    })?;
    let finder = Finder::of(&|name| std::env::var_os(name), &flags.programs);
    let options = acceptance::Options {
        a: program(&flags.a)?,
        b: program(&flags.b)?,
        keep: flags.keep,
        limit: std::time::Duration::from_secs(flags.seconds),
        ..acceptance::Options::new(own, finder)
    };
    let played = acceptance::play(&context, &options, |_| {})?;
    let told = cli::acceptance::Told {
        missing: played.missing,
        seconds: played.took.as_secs_f64(),
        kept: played.kept.map(|folder| folder.display().to_string()),
    };
    Ok(cli::acceptance::answer(
        &context,
        &played.accepted,
        &told,
        global.json,
        global.quiet,
    ))
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
