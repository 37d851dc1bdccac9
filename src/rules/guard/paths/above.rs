//! Folders and patterns with which what the guard hangs on would go too.

use crate::rules::guard::text::{self, glob, stands_for};

use super::{Place, Places, SETTINGS, below};

/// Folders of the system that an agent's work does not lie in.
const SYSTEM: [&str; 10] = [
    "/etc", "/bin", "/sbin", "/usr", "/lib", "/lib64", "/boot", "/sys", "/System", "/Library",
];

/// Folders that many home folders have, into which files are copied.
const FOLDERS: [&str; 20] = [
    ".config", ".local", ".cache", ".ssh", ".gnupg", ".cargo", ".rustup", ".npm", ".vim",
    ".emacs.d", ".docker", ".kube", ".aws", ".claude", ".codex", ".gemini", ".fonts", ".icons",
    ".themes", ".m2",
];

impl Places<'_> {
    /// Whether settings that hooks hang on, or this program, go with a path that is removed.
    pub(in super::super) fn holds_guard(&self, path: &str) -> bool {
        let known = text::known(path);
        if known.is_empty() {
            return false;
        }
        let place = self.place(path);
        let name = text::base(&known);
        // A star alone is about the folder.
        if place == Place::Outside && name.starts_with('w') && stands_for(name, "watchfloor") {
            return true;
        }
        if place == Place::Temp || !known.contains('.') && !self.cwd().contains("/.") {
            return false;
        }
        let whole = self.resolve(&known);
        let parts: Vec<&str> = whole.split('/').filter(|part| !part.is_empty()).collect();
        SETTINGS.iter().any(|end| {
            let names: Vec<&str> = end.split('/').collect();
            let dotted = names[0].starts_with('.');
            dotted && (1..=names.len()).any(|many| ends_in(&parts, &names[..many]))
        })
    }

    /// Whether a path lies where only the system's own programs write.
    pub(in super::super) fn is_system(&self, path: &str) -> bool {
        let whole = self.resolve(&text::known(path));
        if whole == "/" || whole == "/*" || whole == self.home() {
            return true;
        }
        below(&whole, "/usr/local").is_none()
            && SYSTEM.iter().any(|folder| below(&whole, folder).is_some())
    }

    /// Whether a path is a file that programs are set up by, right in the home folder.
    pub(in super::super) fn sets_up(&self, path: &str) -> bool {
        let whole = self.resolve(&text::known(path));
        below(&whole, self.home())
            .is_some_and(|rest| rest.len() > 1 && rest.starts_with('.') && !rest.contains('/'))
    }
}

/// Whether a path is named like a folder of many programs in the home folder.
pub(in super::super) fn gathers(path: &str) -> bool {
    FOLDERS.contains(&text::base(path))
}

/// Whether a path ends in these parts, the last of which may hold stars.
pub(super) fn ends(path: &str, end: &str) -> bool {
    if let Some(folder) = end.strip_suffix("/*") {
        return path.split_once(folder).is_some_and(|(before, rest)| {
            (before.is_empty() || before.ends_with('/'))
                && (rest.is_empty() || rest.starts_with('/'))
        });
    }
    if let Some((folder, name)) = end.rsplit_once('/').filter(|_| end.contains('*')) {
        let rest = path.split_once(&format!("{folder}/"));
        return rest
            .is_some_and(|(_, rest)| glob(name, rest.split('/').next().unwrap_or_default()));
    }
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether the last parts of a path are these names, or patterns that stand for them.
fn ends_in(parts: &[&str], names: &[&str]) -> bool {
    let Some(from) = parts.len().checked_sub(names.len()) else {
        return false;
    };
    parts[from..].iter().zip(names).all(|(part, name)| {
        let part = if *part == "?" { "*" } else { part };
        part == *name || *name == "*" && part == "*" || stands_for(part, name)
    })
}

#[cfg(test)]
mod tests {
    use crate::contract::guard::Policy;

    use super::*;

    #[test]
    fn what_the_guard_hangs_on_is_seen_in_folders_and_patterns() {
        let policy = Policy {
            workspace: "/w/app".to_owned(),
            cwd: "/w/app".to_owned(),
            home: "/home/d".to_owned(),
            ..Policy::default()
        };
        let places = Places::of(&policy);
        for path in [
            ".claude",
            ".claude/",
            ".claude/*",
            ".c*",
            "~/.claude",
            "~/.hermes",
            ".pi/agent",
            "~/.config/opencode",
            ".codex/hoo??.json",
            "/usr/local/bin/watchfloor",
            "~/.local/bin/watch*",
        ] {
            assert!(places.holds_guard(path), "{path}");
        }
        for path in [
            ".cache",
            "*",
            "build/*",
            ".claude/commands/x.md",
            ".claude/worktrees/x",
            "/tmp/x/.claude",
            "watchfloor",
            "src/*",
            "opencode",
        ] {
            assert!(!places.holds_guard(path), "{path}");
        }
    }

    #[test]
    fn the_system_and_what_programs_are_set_up_by_are_told_from_other_files() {
        let policy = Policy {
            workspace: "/home/d/w".to_owned(),
            cwd: "/home/d/w".to_owned(),
            home: "/home/d".to_owned(),
            ..Policy::default()
        };
        let places = Places::of(&policy);
        for path in [
            "/",
            "/*",
            "~",
            "/home/d",
            "..",
            "/etc",
            "/etc/hosts",
            "/usr/bin/x",
            "/lib64",
        ] {
            assert!(places.is_system(path), "{path}");
        }
        for path in [
            "x",
            "~/x",
            "/home/e",
            "/usr/local",
            "/usr/local/bin/x",
            "/etcetera",
            "/var/x",
            "/opt",
        ] {
            assert!(!places.is_system(path), "{path}");
        }
        for path in ["~/.bashrc", "../.profile", "/home/d/.x", "~/.ssh"] {
            assert!(places.sets_up(path), "{path}");
        }
        for path in [
            "~",
            "~/.",
            "~/x",
            "~/.config/x",
            ".bashrc",
            "/home/e/.bashrc",
            "/.bashrc",
        ] {
            assert!(!places.sets_up(path), "{path}");
        }
    }
}
