//! Real agents' programs with the hooks that `install` writes: each is refused a command under a
//! stop, and an uninstall leaves nothing behind. `WATCHFLOOR_HARNESSES` names the folder that they
//! are installed in.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "pi", "opencode", "hermes"];

/// Links to every program that is found a few folders down, in one folder.
fn gather(folder: &Path, bin: &Path, depth: usize) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let in_bin = folder.ends_with(".bin") || folder.ends_with("bin");
        let wanted = AGENTS.iter().any(|agent| *agent == name) || name == "node";
        if in_bin && wanted && path.is_file() {
            drop(symlink(&path, bin.join(&name)));
        } else if depth > 0 && path.is_dir() {
            gather(&path, bin, depth - 1);
        }
    }
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn run(&self, words: &[&str]) -> (bool, Value) {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display());
        let out = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
            .args([&["--json"], words].concat())
            .current_dir(self.at("project"))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("PATH", path)
            .output()
            .unwrap();
        let said = serde_json::from_slice(&out.stdout).unwrap_or_default();
        (out.status.success(), said)
    }
}

#[test]
fn each_program_is_refused_with_what_is_installed() {
    let Some(harnesses) = std::env::var_os("WATCHFLOOR_HARNESSES").filter(|at| !at.is_empty())
    else {
        let why =
            "install_agents skipped: WATCHFLOOR_HARNESSES names no folder of installed agents";
        drop(writeln!(std::io::stderr(), "{why}"));
        return;
    };
    let place = Place {
        folder: tempfile::tempdir().unwrap(),
    };
    for name in ["home", "project/.git", "bin"] {
        fs::create_dir_all(place.at(name)).unwrap();
    }
    gather(Path::new(&harnesses), &place.at("bin"), 4);
    assert!(place.run(&["init"]).0);
    let mut proven = Vec::new();
    for agent in AGENTS {
        if !place.at("bin").join(agent).exists() {
            continue;
        }
        let (ok, said) = place.run(&[
            "install",
            agent,
            "--user",
            "--yes",
            "--without-acceptance",
            "a test",
        ]);
        assert!(ok, "{said}");
        if agent == "codex" {
            assert_eq!(said["trusted"], true, "{said}");
        }
        let (ok, said) = place.run(&["doctor", "--prove", agent]);
        assert!(ok, "{agent}: {said}");
        let rows = said["harnesses"].as_array().unwrap();
        let row = rows.iter().find(|row| row["harness"] == agent).unwrap();
        assert_eq!(row["lamp"], "PROVEN", "{row}");
        assert_eq!(row["levels"][0]["state"], "installed", "{row}");
        if agent == "codex" {
            assert_eq!(row["levels"][0]["trusted"], true, "{row}");
        }
        proven.push(format!("{agent} {}", row["version"]));
        let (ok, said) = place.run(&["uninstall", agent, "--user", "--yes"]);
        assert!(ok, "{said}");
    }
    let left: Vec<_> = fs::read_dir(place.at("home")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "only the store's folder is left: {left:?}");
    assert!(
        !proven.is_empty(),
        "{} holds no program",
        harnesses.display()
    );
    drop(writeln!(std::io::stderr(), "proven: {}", proven.join(", ")));
}
