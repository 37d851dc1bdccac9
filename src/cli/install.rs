//! `install`, `uninstall` and `doctor` at a terminal: where things lie by the environment, the
//! question before anything is written, and the answers.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::contract::refusal::{Code, Refusal};
use crate::contract::rollout::{Canary, DoctorAnswer, InstallAnswer, Lamp};
use crate::ops::context::Context;

use super::args::Global;
use super::out::{Out, Reply};
use super::table::{plain, table};
use super::{context, prompt};

/// Agents' programs, by their names.
const NAMES: [&str; 6] = ["claude", "codex", "gemini", "hermes", "opencode", "pi"];

/// Where agents' programs keep what they read, by the environment.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The home folder.
    pub home: PathBuf,
    /// The folder of configurations.
    pub config_home: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `PI_CODING_AGENT_DIR`.
    pub pi: Option<PathBuf>,
    /// `HERMES_HOME`.
    pub hermes: Option<PathBuf>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// Programs that lie elsewhere: `WATCHFLOOR_CLAUDE` and the like.
    pub named: Vec<(String, PathBuf)>,
}

/// Reads the environment.
///
/// # Errors
/// There is no home folder.
pub fn folders() -> Result<Folders, Refusal> {
    let base = context::home()?;
    let set = |name: &str| {
        let value = env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    Ok(Folders {
        home: base.home_dir().to_path_buf(),
        config_home: base.config_dir(),
        claude: set("CLAUDE_CONFIG_DIR"),
        codex: set("CODEX_HOME"),
        pi: set("PI_CODING_AGENT_DIR"),
        hermes: set("HERMES_HOME"),
        path: env::var_os("PATH"),
        named: NAMES
            .iter()
            .filter_map(|name| {
                let file = set(&format!("WATCHFLOOR_{}", name.to_uppercase()))?;
                Some(((*name).to_owned(), file))
            })
            .collect(),
    })
}

/// The program that entries call: the one that runs.
///
/// # Errors
/// Nobody can tell where it lies.
pub fn program() -> Result<PathBuf, Refusal> {
    env::current_exe().map_err(|error| {
        let cause = format!("nobody can tell where this program lies: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor doctor")
    })
}

/// The flags that entries carry: a store or a configuration of one's own is that of the hooks too.
///
/// # Errors
/// There is no home folder, or a path is no text.
pub fn flags(global: &Global, made: &Context) -> Result<Vec<String>, Refusal> {
    let plain = context::at(&Global::default(), &made.cwd);
    let mut flags = Vec::new();
    let mut add = |flag: &str, own: &Path, default: Option<&Path>| {
        let own = made.cwd.join(own);
        if default == Some(own.as_path()) {
            return Ok(());
        }
        let text = own.to_str().ok_or_else(|| {
            let cause = format!("{} is no text", own.display());
            Refusal::new(Code::Usage, cause, "watchfloor install --help")
        })?;
        flags.extend([flag.to_owned(), text.to_owned()]);
        Ok(())
    };
    let plain = plain.ok();
    if global.store.is_some() {
        add(
            "--store",
            &made.store,
            plain.as_ref().map(|c| c.store.as_path()),
        )?;
    }
    if global.config.is_some() {
        add(
            "--config",
            &made.config,
            plain.as_ref().map(|c| c.config.as_path()),
        )?;
    }
    Ok(flags)
}

/// Shows what would be written, and asks.
///
/// # Errors
/// Nobody says yes.
pub fn confirm(diff: &str, yes: bool) -> Result<(), Refusal> {
    if yes {
        return Ok(());
    }
    eprint!("{}", super::table::lines(diff));
    if prompt::yes("Write this?") {
        return Ok(());
    }
    Err(Refusal::new(
        Code::InstallUnconfirmed,
        "nobody said yes to these changes at a terminal; --yes writes them without asking",
        "watchfloor install --help",
    ))
}

/// Writes the answer of `install` or `uninstall`, or its refusal. Answers the exit code.
#[must_use]
pub fn told(global: &Global, asked: bool, answer: Result<InstallAnswer, Refusal>) -> u8 {
    out(
        global,
        answer.and_then(|answer| Reply::of(&answer, human(&answer, asked))),
    )
}

/// Writes the answer of `doctor`, or its refusal. Answers the exit code.
#[must_use]
pub fn examined(global: &Global, answer: Result<DoctorAnswer, Refusal>) -> u8 {
    let reply = answer.and_then(|answer| {
        let leaks = answer.harnesses.iter().any(|one| one.lamp == Lamp::Leaking);
        Ok(Reply::of(&answer, report(&answer))?.exit(u8::from(leaks)))
    });
    out(global, reply)
}

fn out(global: &Global, reply: Result<Reply, Refusal>) -> u8 {
    let out = Out {
        json: global.json,
        quiet: global.quiet,
    };
    match reply {
        Ok(reply) => out.reply(&reply),
        Err(refusal) => out.refusal(&refusal),
    }
}

fn human(answer: &InstallAnswer, asked: bool) -> String {
    let shown = if asked { "" } else { answer.diff.as_str() };
    let mut lines: Vec<String> = shown.lines().map(str::to_owned).collect();
    let (harness, level) = (&answer.harness, &answer.level);
    lines.push(match answer.action.as_str() {
        "status" => format!("{harness}, {level} level"),
        _ if !answer.changed => "Nothing to do: everything is as it should be.".to_owned(),
        "install" => format!("Installed for {harness}, {level} level."),
        _ => format!("Taken out of {harness}, {level} level."),
    });
    lines.extend(answer.switched_off.as_deref().map(|file| {
        let file = plain(file);
        format!("But {harness} asks nothing: its hooks are switched off in {file}.")
    }));
    for file in &answer.files {
        lines.push(format!("  {:<10} {}", file.state, plain(&file.path)));
        let kept = file.backup.iter();
        lines.extend(kept.map(|backup| format!("  {:<10} {}", "kept", plain(backup))));
    }
    lines.extend(answer.trusted.map(|trusted| {
        let told = if trusted {
            "  trusted    Codex runs these hooks"
        } else {
            "  UNTRUSTED  Codex skips these hooks"
        };
        told.to_owned()
    }));
    let notes = answer.notes.iter();
    lines.extend(notes.map(|note| format!("  note: {}", plain(note))));
    let proves = answer.harness != "git" && answer.switched_off.is_none();
    if answer.action == "install" && answer.changed && proves {
        lines.push(format!("Next: watchfloor doctor --prove {harness}"));
    }
    lines.join("\n")
}

/// What a canary came to, and what that is worth here.
fn proof(answer: &DoctorAnswer, canary: &Canary) -> String {
    let seen = format!("The canary: {}.", plain(&canary.seen));
    let mut rows = answer.harnesses.iter();
    let Some(row) = rows.find(|row| row.harness == canary.harness) else {
        return seen;
    };
    if row.lamp != Lamp::Unproven {
        return seen;
    }
    let next = row.next_command.as_deref();
    let next = next.map_or_else(String::new, |next| format!("\nNext: {}", plain(next)));
    let (name, why) = (&row.harness, plain(&row.why));
    format!("{seen}\nIt proves nothing of {name} as it is set up here: {why}.{next}")
}

fn report(answer: &DoctorAnswer) -> String {
    let rows: Vec<Vec<String>> = answer
        .harnesses
        .iter()
        .map(|one| {
            let version = one
                .version
                .clone()
                .unwrap_or_else(|| "version unknown".to_owned());
            let levels = one.levels.iter().filter(|level| level.state != "absent");
            let levels: Vec<String> = levels
                .map(|level| {
                    let untrusted = if level.trusted == Some(false) {
                        ", UNTRUSTED"
                    } else {
                        ""
                    };
                    format!("{}: {}{untrusted}", level.level, level.state)
                })
                .collect();
            vec![
                one.harness.clone(),
                if one.found {
                    version
                } else {
                    "not found".to_owned()
                },
                if levels.is_empty() {
                    "not installed".to_owned()
                } else {
                    levels.join("; ")
                },
                one.lamp.as_str().to_owned(),
                one.why.clone(),
                one.next_command.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let programs = table(
        &["harness", "found", "installed", "lamp", "why", "next"],
        &rows,
    );
    let programs = match &answer.canary {
        Some(canary) => format!("{}\n\n{programs}", proof(answer, canary)),
        None => programs,
    };
    if answer.hooks.is_empty() {
        return programs;
    }
    let ms = |us: u64| format!("{}.{} ms", us / 1_000, us / 100 % 10);
    let costs: Vec<Vec<String>> = answer
        .hooks
        .iter()
        .map(|cost| {
            let times = [cost.p50_us, cost.p95_us, cost.p99_us, cost.max_us].map(ms);
            let mut row = vec![
                cost.harness.clone(),
                cost.event.clone(),
                cost.calls.to_string(),
            ];
            row.extend(times);
            row
        })
        .collect();
    let costs = table(
        &[
            "hooks of", "event", "calls", "half", "95 %", "99 %", "longest",
        ],
        &costs,
    );
    format!("{programs}\n\n{costs}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::rollout::{CANARY, HarnessReport};

    #[test]
    fn a_proof_before_an_install_says_what_it_is_worth() {
        let canary = Canary {
            schema: CANARY.to_owned(),
            harness: "pi".to_owned(),
            version: "1".to_owned(),
            entry: "sha256:aa".to_owned(),
            refused: true,
            seen: "pi was refused a command under a stop, and did not run it".to_owned(),
        };
        let row = HarnessReport {
            harness: "pi".to_owned(),
            found: true,
            program: None,
            version: None,
            installed: false,
            levels: Vec::new(),
            lamp: Lamp::Unproven,
            why: "no hooks are installed".to_owned(),
            next_command: Some("watchfloor install pi".to_owned()),
        };
        let mut answer = DoctorAnswer {
            harnesses: vec![row],
            hooks: Vec::new(),
            canary: Some(canary),
        };
        let told = report(&answer);
        assert!(
            told.starts_with(
                "The canary: pi was refused a command under a stop, and did not run it.\n\
                 It proves nothing of pi as it is set up here: no hooks are installed.\n\
                 Next: watchfloor install pi\n"
            ),
            "{told}"
        );
        answer.harnesses[0].lamp = Lamp::Proven;
        assert!(!report(&answer).contains("proves nothing"));
        answer.canary = None;
        assert!(!report(&answer).contains("canary"));
    }
}
