//! `acceptance`: the programs that are asked for, the play, and what is said of it.

use watchfloor::cli::{self, args};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::run::acceptance;
use watchfloor::run::seat::{Finder, Program};

/// The acceptance, its record, and its exit code.
pub fn accept(global: &args::Global, flags: &args::Acceptance) -> Result<u8, Refusal> {
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
