//! What a path is: in the workspace or not, a device, a repository's inside, the store, a file
//! that the guard itself hangs on.

mod above;

use crate::contract::guard::Policy;

use super::secrets::files;
use super::text::{self, glob};
use above::ends;
pub(super) use above::gathers;

/// A folder of which nothing is known.
pub(super) const NOWHERE: &str = "";

/// Longest path that a folder's name is followed to.
const LONGEST: usize = 4096;

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Workspace,
    /// The whole of it.
    WorkspaceRoot,
    Temp,
    Outside,
    /// Nothing is known of it.
    Unknown,
    /// The output, or nowhere.
    Null,
    Device,
    Repository,
    /// Objects, references or the log of a repository.
    Objects,
    Hooks,
    Lock,
    GitInside,
    Store,
    Receipts,
    /// Keys, signers and settings of the product.
    Config,
    /// Settings that an agent program's hooks hang on.
    Settings,
    AuthorizedKeys,
}

/// Paths as seen from where a script stands.
#[derive(Clone, Debug)]
pub(super) struct Places<'p> {
    policy: &'p Policy,
    /// Where a script went; `None` while it is where the call began.
    moved: Option<String>,
}

const TEMP: [&str; 7] = [
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/private/var/tmp",
    "/var/folders",
    "/private/var/folders",
    "/dev/shm",
];

const NULL: [&str; 10] = [
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/stdin",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/ptmx",
];

/// Settings of agent programs, by the end of the path.
const SETTINGS: [&str; 24] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/*",
    ".claude/plugins/*",
    "managed-settings.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".codex/hooks/*",
    ".gemini/settings.json",
    ".gemini/hooks/*",
    ".gemini/extensions/*",
    ".pi/agent/settings.json",
    ".pi/agent/extensions/*",
    ".pi/extensions/*",
    ".config/opencode/opencode.json*",
    ".config/opencode/plugin*",
    ".opencode/plugin*",
    ".opencode/opencode.json*",
    "opencode.json",
    "opencode.jsonc",
    ".hermes/config.yaml",
    ".hermes/hooks/*",
    ".cursor/hooks.json",
    ".pi/settings.json",
];

impl<'p> Places<'p> {
    pub(super) fn of(policy: &'p Policy) -> Self {
        Self {
            policy,
            moved: None,
        }
    }

    pub(super) fn home(&self) -> &str {
        if self.policy.home.is_empty() {
            "~"
        } else {
            &self.policy.home
        }
    }

    pub(super) fn cwd(&self) -> &str {
        match &self.moved {
            Some(moved) => moved,
            None if self.policy.cwd.is_empty() => &self.policy.workspace,
            None => &self.policy.cwd,
        }
    }

    pub(super) fn workspace(&self) -> &str {
        if self.policy.workspace.is_empty() {
            &self.policy.cwd
        } else {
            &self.policy.workspace
        }
    }

    /// Where the script stands, to come back to.
    pub(super) fn moved(&self) -> Option<String> {
        self.moved.clone()
    }

    pub(super) fn back(&mut self, moved: Option<String>) {
        self.moved = moved;
    }

    /// Changes the folder.
    pub(super) fn go(&mut self, path: &str) {
        let there = if self.cwd().len() > LONGEST {
            text::marked(text::UNKNOWN, "folder")
        } else if text::literal(path) || text::known(path).starts_with('/') {
            self.resolve(path)
        } else {
            text::marked(text::UNKNOWN, "folder")
        };
        self.moved = Some(there);
    }

    /// A leading tilde as the folder that it stands for.
    pub(super) fn tilde(&self, path: &str) -> String {
        match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.home())
            }
            Some(rest) if rest.starts_with("+/") => format!("{}{}", self.cwd(), &rest[1..]),
            _ => path.to_owned(),
        }
    }

    /// The path from the root, without `.` and `..`; what stays relative begins with neither `/`
    /// nor `~`.
    pub(super) fn resolve(&self, path: &str) -> String {
        let path = self.tilde(path);
        let cwd = self.cwd();
        let whole = if path.starts_with(['/', '~']) || cwd.is_empty() {
            path
        } else {
            format!("{cwd}/{path}")
        };
        normal(&whole)
    }

    /// What lies there. Unknown parts may be empty.
    pub(super) fn place(&self, path: &str) -> Place {
        if text::wholly_unknown(path) || path == text::marked(text::SOMETHING, "content") {
            return Place::Unknown;
        }
        let known = text::known(path);
        let whole = self.resolve(&known);
        if text::wholly_unknown(self.cwd()) && !known.starts_with(['/', '~']) {
            let vague = known.starts_with(['.', '*', '?']) && !known.starts_with("./");
            return self.special(&whole).unwrap_or(if vague {
                Place::Outside
            } else {
                Place::Workspace
            });
        }
        if let Some(place) = self.special(&whole) {
            return place;
        }
        let root = self.workspace();
        let inside = match below(&whole, root) {
            Some("") => return Place::WorkspaceRoot,
            Some(rest) if rest.starts_with(".*") => return Place::WorkspaceRoot,
            Some(_) => !root.is_empty(),
            None => false,
        };
        if inside {
            return Place::Workspace;
        }
        if !whole.starts_with(['/', '~']) {
            return match whole.as_str() {
                "" | "." => Place::WorkspaceRoot,
                rest if rest.starts_with("..") => Place::Outside,
                _ => Place::Workspace,
            };
        }
        let temp = |path: &str| {
            TEMP.iter()
                .any(|folder| below(path, folder).is_some_and(|rest| !rest.is_empty()))
        };
        let climbs = !known.starts_with(['/', '~']) && self.moved.is_none() && temp(root);
        // What the workspace lies in goes with it, also where that is temporary.
        let mut stem = whole.as_str();
        while text::base(stem).contains(['*', '[']) {
            stem = stem.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
        let named = known.starts_with(['/', '~']) && TEMP.contains(&stem);
        let above = !root.is_empty() && below(root, stem).is_some() && !named;
        if temp(&whole) && !climbs && !above {
            Place::Temp
        } else {
            Place::Outside
        }
    }

    /// Places that are what they are wherever they lie.
    fn special(&self, path: &str) -> Option<Place> {
        if path.starts_with("/dev/") {
            return device(path);
        }
        if self.is_store(path) {
            let receipt = path.contains("/receipts");
            return Some(if receipt {
                Place::Receipts
            } else {
                Place::Store
            });
        }
        if self.owned(path, &self.policy.config)
            || path.contains("/.config/watchfloor/")
            || path.ends_with("/.config/watchfloor")
        {
            return Some(Place::Config);
        }
        if let Some(place) = git(path) {
            return Some(place);
        }
        if SETTINGS.iter().any(|end| ends(path, end)) {
            return Some(Place::Settings);
        }
        let keys = text::base(path).starts_with("authorized_keys");
        keys.then_some(Place::AuthorizedKeys)
    }

    fn is_store(&self, path: &str) -> bool {
        let name = text::base(path);
        self.owned(path, &self.policy.store)
            || [
                "/.local/state/watchfloor",
                "/.local/share/watchfloor",
                "/Library/Application Support/watchfloor",
            ]
            .iter()
            .any(|folder| {
                path.split_once(folder)
                    .is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with('/'))
            })
            || name.starts_with("watchfloor.db")
            || name == "store.flags"
    }

    /// Whether a path lies in a folder of the product. Where work is done in that folder too, only
    /// files that are named like the product's own are its.
    fn owned(&self, path: &str, folder: &str) -> bool {
        if folder.is_empty() || below(path, folder).is_none() {
            return false;
        }
        let shared = [
            self.workspace(),
            &self.policy.cwd,
            "/tmp",
            &self.policy.home,
        ]
        .iter()
        .any(|work| !work.is_empty() && below(work, folder).is_some());
        let name = text::base(path);
        let own = [
            ".db",
            ".db-wal",
            ".db-shm",
            ".flags",
            ".bell",
            "allowed_signers",
        ];
        !shared || own.iter().any(|end| name.ends_with(end))
    }

    /// Whether a file holds secrets.
    pub(super) fn is_secret(&self, path: &str) -> bool {
        let known = text::known(path);
        if known.is_empty() {
            return false;
        }
        let whole = self.resolve(&known);
        let keys = below(&whole, &self.policy.config).filter(|_| !self.policy.config.is_empty());
        keys.is_some_and(|rest| rest.starts_with("keys/") && !rest.ends_with(".pub"))
            || files::is_secret(&whole)
    }
}

/// What of `path` lies below a folder; empty for the folder itself.
pub(super) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

fn device(path: &str) -> Option<Place> {
    if NULL.contains(&path) || path.starts_with("/dev/fd/") || path.starts_with("/dev/pts/") {
        return Some(Place::Null);
    }
    (!path.starts_with("/dev/shm")).then_some(
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            Place::Null
        } else {
            Place::Device
        },
    )
}

/// A path inside a repository's own folder.
fn git(path: &str) -> Option<Place> {
    let mut parts = path.split('/');
    parts.by_ref().find(|part| *part == ".git")?;
    let Some(first) = parts.next() else {
        return Some(Place::Repository);
    };
    let last = path.rsplit('/').next().unwrap_or_default();
    let lock = |name: &str| glob("*.lock", name);
    Some(match first {
        "hooks" => Place::Hooks,
        _ if lock(last) => Place::Lock,
        "objects" | "refs" | "HEAD" | "packed-refs" | "logs" | "*" | "" => Place::Objects,
        _ if last == "hooks" => Place::Hooks,
        _ => Place::GitInside,
    })
}

/// Without empty parts, `.` and `..`, as far as these can be resolved.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let rooted = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"..") | None if !rooted => parts.push(part),
                Some(&"~") => parts.push(part),
                _ => {
                    parts.pop();
                }
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(workspace: &str, cwd: &str) -> Policy {
        Policy {
            workspace: workspace.to_owned(),
            cwd: cwd.to_owned(),
            home: "/home/d".to_owned(),
            config: "/home/d/.config/watchfloor".to_owned(),
            ..Policy::default()
        }
    }

    #[test]
    fn paths_are_told_apart() {
        let policy = policy("/w/app", "/w/app/src");
        let places = Places::of(&policy);
        for (path, want) in [
            ("x", Place::Workspace),
            ("../x", Place::Workspace),
            ("..", Place::WorkspaceRoot),
            ("/w/app", Place::WorkspaceRoot),
            ("../../x", Place::Outside),
            ("/w/apple", Place::Outside),
            ("/", Place::Outside),
            ("/*", Place::Outside),
            ("~", Place::Outside),
            ("~/x", Place::Outside),
            ("/tmp/x", Place::Temp),
            ("/tmp", Place::Outside),
            ("/tmp/../etc", Place::Outside),
            ("/dev/null", Place::Null),
            ("/dev/sda", Place::Device),
            ("/dev/shm/x", Place::Temp),
            ("../.git", Place::Repository),
            ("../.git/", Place::Repository),
            ("../.git/config", Place::GitInside),
            ("../.git/hooks/pre-commit", Place::Hooks),
            ("../.git/objects/ab", Place::Objects),
            ("../.git/index.lock", Place::Lock),
            ("../.git/modules/a/hooks", Place::Hooks),
            ("../.git/worktrees/a/hooks/", Place::Hooks),
            ("../.git/modules/a/config", Place::GitInside),
            ("../.git/modules/a/index.lock", Place::Lock),
            ("../.git/refs/heads/hooks", Place::Objects),
            ("../.git/HEAD", Place::Objects),
            ("../.git/packed-refs", Place::Objects),
            ("../.git/*", Place::Objects),
            ("../.git/info/exclude", Place::GitInside),
            ("../.gitignore", Place::Workspace),
            ("~/.local/state/watchfloor/store.db", Place::Store),
            (
                "/x/.local/state/watchfloor/receipts/r-1.json",
                Place::Receipts,
            ),
            ("~/.config/watchfloor/config.toml", Place::Config),
            ("~/.claude/settings.json", Place::Settings),
            ("../.claude/hooks/x.sh", Place::Settings),
            ("~/.config/opencode/plugins/x.js", Place::Settings),
            ("~/.ssh/authorized_keys", Place::AuthorizedKeys),
        ] {
            assert_eq!(places.place(path), want, "{path}");
        }
    }

    #[test]
    fn without_a_known_folder_climbing_is_outside() {
        let nothing = policy("", "");
        let places = Places::of(&nothing);
        assert_eq!(places.place("x/../y"), Place::Workspace);
        assert_eq!(places.place("../../.."), Place::Outside);
        assert_eq!(places.place("x/../.."), Place::Outside);
        let temporary = policy("/tmp/a/b", "/tmp/a/b");
        assert_eq!(Places::of(&temporary).place("../../.."), Place::Outside);
        assert_eq!(Places::of(&temporary).place("../x"), Place::Outside);
        assert_eq!(Places::of(&temporary).place("x"), Place::Workspace);
        assert_eq!(Places::of(&temporary).place("/tmp/a/*"), Place::Outside);
        assert_eq!(Places::of(&temporary).place("/tmp/a"), Place::Outside);
        assert_eq!(Places::of(&temporary).place("/tmp/c"), Place::Temp);
        assert_eq!(Places::of(&temporary).place("/tmp/*"), Place::Temp);
        let made = format!("/tmp/{}", text::marked(text::SOMETHING, "temporary"));
        assert_eq!(Places::of(&temporary).place(&made), Place::Temp);
        let mut moved = Places::of(&temporary);
        moved.go("..");
        assert_eq!(moved.place("*"), Place::Outside);
    }

    #[test]
    fn a_script_stands_where_it_was_started_or_went() {
        let nowhere = policy("/w/app", "");
        assert_eq!(Places::of(&nowhere).cwd(), "/w/app");
        let inside = policy("/w/app", "/w/app/src");
        let mut places = Places::of(&inside);
        assert_eq!(places.cwd(), "/w/app/src");
        places.go("x/../y");
        assert_eq!(places.cwd(), "/w/app/src/y");
        assert_eq!(places.tilde("~/x"), "/home/d/x");
        assert_eq!(places.tilde("~+/x"), "/w/app/src/y/x");
        assert_eq!(places.tilde("~d/x"), "~d/x");
        let deep = format!("/{}", "a".repeat(LONGEST - 1));
        places.go(&deep);
        places.go("b");
        assert_eq!(places.cwd(), format!("{deep}/b"));
        places.go("c");
        assert!(text::wholly_unknown(places.cwd()));
    }

    #[test]
    fn a_path_is_made_short_as_far_as_it_can_be() {
        for (path, want) in [
            ("/a/./b//c", "/a/b/c"),
            ("/a/../b", "/b"),
            ("/../b", "/b"),
            ("a/..", ""),
            ("a/../..", ".."),
            ("../../x", "../../x"),
            ("~/..", "~/.."),
            ("~/a/..", "~"),
        ] {
            assert_eq!(normal(path), want, "{path}");
        }
    }

    #[test]
    fn in_a_shared_folder_only_what_is_named_like_the_products_is_its() {
        let own = Policy {
            store: "/home/d/state".to_owned(),
            ..policy("/w/app", "/w/app")
        };
        assert_eq!(Places::of(&own).place("/home/d/state/x"), Place::Store);
        let shared = Policy {
            store: "/w".to_owned(),
            ..policy("/w/app", "/w/app")
        };
        assert_eq!(Places::of(&shared).place("/w/app/x"), Place::Workspace);
        assert_eq!(Places::of(&shared).place("/w/x.db"), Place::Store);
        let bare = Policy {
            home: String::new(),
            store: "/s".to_owned(),
            ..policy("", "")
        };
        assert_eq!(Places::of(&bare).place("/s/x"), Place::Store);
    }

    #[test]
    fn what_may_be_empty_is_taken_as_empty() {
        let policy = policy("/w/app", "/w/app");
        let places = Places::of(&policy);
        let dir = text::marked(text::UNKNOWN, "DIR");
        assert_eq!(places.place(&format!("{dir}/")), Place::Outside);
        assert_eq!(places.place(&format!("{dir}/*")), Place::Outside);
        assert_eq!(places.place(&dir), Place::Unknown);
        let some = text::marked(text::SOMETHING, "DIR");
        assert_eq!(places.place(&format!("{some}/out")), Place::Workspace);
    }
}
