//! Where agent programs are: named by the caller, by a variable, or on the search path.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Program;
use crate::run::group::Group;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of an answer about a version that are read.
const LONGEST: u64 = 4_096;

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    /// `PATH`.
    pub path: OsString,
    /// Programs that were named, by their names.
    pub named: Vec<(String, PathBuf)>,
}

/// A program that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which.
    pub program: Program,
    /// Its file.
    pub file: PathBuf,
    /// What it says of its version; empty where it says nothing.
    pub version: String,
}

impl Finder {
    /// Makes a finder of an environment: `PATH`, and for each program a variable such as
    /// `WATCHFLOOR_PI`. `named` comes before both.
    #[must_use]
    pub fn of(var: &dyn Fn(&str) -> Option<OsString>, named: &[(String, PathBuf)]) -> Self {
        let mut named = named.to_vec();
        for program in Program::ALL {
            let name = program.name();
            let value = var(&format!("WATCHFLOOR_{}", name.to_uppercase()));
            if let Some(file) = value.filter(|value| !value.is_empty()) {
                named.push((name.to_owned(), PathBuf::from(file)));
            }
        }
        Self {
            path: var("PATH").unwrap_or_default(),
            named,
        }
    }

    /// Finds a program.
    #[must_use]
    pub fn find(&self, program: Program) -> Option<Found> {
        let name = program.name();
        let named = self.named.iter().find(|(own, _)| own == name);
        let file = match named {
            Some((_, file)) => Some(file.clone()),
            None => std::env::split_paths(&self.path)
                .map(|folder| folder.join(name))
                .find(|file| runs(file)),
        };
        let file = file.filter(|file| runs(file))?;
        let version = self.version(&file);
        Some(Found {
            program,
            file,
            version,
        })
    }

    /// The first word of what a program says of its version that begins with a digit.
    fn version(&self, file: &Path) -> String {
        let words = [file.as_os_str().to_owned(), "--version".into()];
        let said = answer(&words, &self.path).unwrap_or_default();
        let words = said
            .split_whitespace()
            .map(|word| word.trim_start_matches('v'));
        let mut numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        numbers.next().unwrap_or_default().to_owned()
    }
}

fn runs(file: &Path) -> bool {
    let meta = std::fs::metadata(file);
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// What a program prints, within its group's patience, in a folder that holds nothing.
fn answer(words: &[OsString], path: &OsStr) -> std::io::Result<String> {
    let home = tempfile::tempdir()?;
    let (group, mut child) = Group::start(words, |command: &mut Command| {
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", home.path());
        command.current_dir(home.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
    })?;
    let begun = Instant::now();
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        output.map(|output| output.take(LONGEST).read_to_string(&mut said));
        said
    });
    std::thread::spawn(move || child.wait());
    group.is_gone_or_killed(begun, PATIENCE);
    Ok(reader.join().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_comes_before_a_variable_and_the_search_path() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, version: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, format!("#!/bin/sh\necho pi v{version} built\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            file
        };
        let (on_path, by_variable, named) =
            (make("bin/pi", "1.0"), make("v", "2.0"), make("n", "3.0"));
        let path = OsString::from(format!(
            "{}:/bin:/usr/bin",
            folder.path().join("bin").display()
        ));
        let found = |variable: Option<&PathBuf>, names: &[(String, PathBuf)]| {
            let var = |name: &str| match name {
                "PATH" => Some(path.clone()),
                "WATCHFLOOR_PI" => variable.map(|file| file.clone().into_os_string()),
                _ => None,
            };
            Finder::of(&var, names)
                .find(Program::Pi)
                .map(|found| (found.file, found.version))
        };
        assert_eq!(found(None, &[]), Some((on_path, "1.0".to_owned())));
        assert_eq!(
            found(Some(&by_variable), &[]),
            Some((by_variable.clone(), "2.0".to_owned()))
        );
        let given = [("pi".to_owned(), named.clone())];
        assert_eq!(
            found(Some(&by_variable), &given),
            Some((named, "3.0".to_owned()))
        );
        let gone = [("pi".to_owned(), folder.path().join("gone"))];
        assert_eq!(found(None, &gone), None);
    }
}
