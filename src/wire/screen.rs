//! The console on a store, and what is read of agents beside it.

use std::ffi::OsString;

use watchfloor::cli::context::Depth;
use watchfloor::cli::{self, args};
use watchfloor::console;
use watchfloor::console::executor::{Bell, Executor};
use watchfloor::console::keymap::KeyMap;
use watchfloor::console::theme::{Colours, Palette, Theme};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::contract::text::neutral;
use watchfloor::harness::transcript::{self, Observer};
use watchfloor::ops::context::Context;
use watchfloor::ops::store;

/// The console on the user's store. Answers the exit code.
pub fn open(global: &args::Global) -> Result<u8, Refusal> {
    // Who opens it counts: from inside an agent's session nothing is granted.
    let context = cli::context::with_ancestors(cli::context::of(global)?);
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
pub fn observe(
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
    eprintln!("There is no store yet at {}.", neutral(&path.to_string()));
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

/// The console on a store. Answers the exit code.
pub fn screen(
    global: &args::Global,
    context: Context,
    notice: Option<String>,
) -> Result<u8, Refusal> {
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

/// The refusal of a theme that a flag names and that there is none of. One of the environment or of
/// the configuration stands in nobody's way: the console tells of it.
pub fn no_theme(global: &args::Global, words: &[OsString]) -> Option<Refusal> {
    let mut own = words.iter().skip(1).take_while(|word| *word != "--");
    let named = own.any(|word| word.to_string_lossy().starts_with("--theme"));
    let name = global.theme.as_deref().filter(|_| named)?;
    let known = Palette::parse(name).is_some();
    (!known).then(|| Refusal::new(Code::Usage, no_such(name), "watchfloor --help"))
}

fn no_such(name: &str) -> String {
    let names = Palette::NAMES.map(|(name, _)| name).join(", ");
    format!("{name} is no theme; there are {names}")
}

/// The theme that was asked for; a name that there is none of is told in the console.
fn theme(look: &cli::context::Look, problems: &mut Vec<String>) -> Theme {
    let mut palette = Palette::default();
    if let Some((name, by)) = &look.theme {
        if let Some(known) = Palette::parse(name) {
            palette = known;
        } else {
            problems.push(format!("{by}: {}", no_such(name)));
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
