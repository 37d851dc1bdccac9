//! A repository as git sees it through a configuration of our own.
//!
//! The repository's configuration can name programs: filters, text conversions, external diffs,
//! monitors, hooks. So git is given a folder of its own, made for the moment, with a configuration
//! that names none; of the repository it reads the objects, the index and the files. What
//! `.gitattributes` asks for then leads nowhere. Only where these lie is asked of the repository
//! itself, by a command that runs nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::contract::refusal::Refusal;
use crate::ops::program::Ran;

use super::{failed, git};

/// What an empty tree is called, by the length of the names.
const EMPTY: [(usize, &str); 2] = [
    (40, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    (
        64,
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    ),
];
/// Files above this many bytes are told as binary ones.
const LARGE: usize = 1 << 20;

/// A repository.
pub(super) struct Repository {
    root: PathBuf,
    /// The folder that git takes for the repository's.
    own: tempfile::TempDir,
    objects: PathBuf,
    index: PathBuf,
    exclude: PathBuf,
    /// What the files are compared with: the last commit, or nothing.
    base: String,
}

impl Repository {
    /// Finds out where the parts of a repository lie.
    pub(super) fn of(root: &Path, stop: &AtomicBool) -> Result<Self, Refusal> {
        let words = [
            "--path-format=absolute",
            "--git-path",
            "objects",
            "--git-path",
            "index",
            "--git-path",
            "info/exclude",
            "--show-object-format",
        ];
        let ran = git(
            bare("git").arg("-C").arg(root).arg("rev-parse").args(words),
            "find the repository",
            stop,
        )?;
        let text = ran.text();
        let told: Vec<&str> = text.lines().collect();
        let [objects, index, exclude, format] = told.as_slice() else {
            return Err(failed(
                "git does not tell where the repository lies".to_owned(),
            ));
        };
        let length = if *format == "sha256" { 64 } else { 40 };
        let empty = EMPTY.iter().find(|(own, _)| *own == length);
        let head = git(
            bare("git")
                .arg("-C")
                .arg(root)
                .args(["rev-parse", "-q", "--verify", "HEAD^{commit}"]),
            "name the last commit",
            stop,
        );
        let head = head.map(|ran| ran.text().trim().to_owned());
        let is_name =
            |name: &String| name.len() == length && name.bytes().all(|b| b.is_ascii_hexdigit());
        let base = head.ok().filter(is_name);
        let base =
            base.unwrap_or_else(|| empty.map(|(_, name)| *name).unwrap_or_default().to_owned());
        Ok(Self {
            root: root.to_path_buf(),
            own: own(format, &base)?,
            objects: PathBuf::from(objects),
            index: PathBuf::from(index),
            exclude: PathBuf::from(exclude),
            base,
        })
    }

    /// What is changed against the last commit, but for some files.
    pub(super) fn diff(&self, without: &[&String], stop: &AtomicBool) -> Result<Ran, Refusal> {
        let words = ["-M", "-l200", "--no-color", &self.base, "--", "."];
        let without = without
            .iter()
            .map(|name| format!(":(top,exclude,literal){name}"));
        let mut command = self.command("diff");
        command.args(words).args(without);
        git(&mut command, "compare the files", stop)
    }

    /// Names that a command lists, each ended by a zero byte.
    pub(super) fn names(
        &self,
        words: &[&str],
        against_base: bool,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, Refusal> {
        let Some((verb, rest)) = words.split_first() else {
            return Ok(Vec::new());
        };
        let mut command = self.command(verb);
        command.args(rest);
        if against_base {
            command.arg(&self.base);
        }
        let ran = git(command.arg("--"), "list the files", stop)?;
        let names = ran.bytes.split(|byte| *byte == 0);
        let names = names.filter(|name| !name.is_empty());
        Ok(names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect())
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = bare("git");
        command
            .current_dir(&self.root)
            .env("GIT_DIR", self.own.path())
            .env("GIT_WORK_TREE", &self.root)
            .env("GIT_INDEX_FILE", &self.index)
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .args(["-c", "core.fsmonitor=false", "-c"])
            .arg(format!("core.excludesFile={}", self.exclude.display()))
            .arg(verb);
        if matches!(verb, "diff" | "status") {
            // A submodule has a configuration of its own: only its commit is looked at.
            command.arg("--ignore-submodules=dirty");
        }
        if verb == "diff" {
            command.args(["--no-ext-diff", "--no-textconv"]);
        }
        command
    }
}

/// Git without a configuration of the user's, pager, prompt, locks or calls over a network.
fn bare(program: &str) -> Command {
    let mut command = Command::new(program);
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_ATTR_SOURCE",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
    ] {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_PAGER", "cat")
        .arg("--no-pager");
    command
}

/// The folder that git takes for the repository's: no object, no hook, a configuration of ours.
fn own(format: &str, base: &str) -> Result<tempfile::TempDir, Refusal> {
    let version = u8::from(format != "sha1");
    let mut config = format!(
        "[core]\n\trepositoryformatversion = {version}\n\tbare = false\n\tfsmonitor = false\n\
         \thooksPath = /dev/null\n\tquotePath = false\n\tbigFileThreshold = {LARGE}\n"
    );
    if version == 1 {
        config.push_str("[extensions]\n\tobjectFormat = sha256\n");
    }
    let made = || -> std::io::Result<tempfile::TempDir> {
        let folder = tempfile::tempdir()?;
        for name in ["objects", "refs"] {
            fs::create_dir(folder.path().join(name))?;
        }
        fs::write(folder.path().join("config"), config)?;
        fs::write(folder.path().join("HEAD"), format!("{base}\n"))?;
        Ok(folder)
    };
    made().map_err(|error| failed(format!("no folder can be made to compare in: {error}")))
}
