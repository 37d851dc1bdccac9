//! The configuration file: overlays the defaults, is written by the product only where `install
//! --observe` is asked for, and an
//! unknown key is a fault. Without a file the defaults are in force.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::contract::limits::Limits;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::settings::GuardSettings;

/// What `config.toml` may hold.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    limits: LimitsFile,
    console: Console,
    keys: BTreeMap<String, Keys>,
    observe: Observe,
    guard: GuardSettings,
    project: BTreeMap<String, GuardSettings>,
}

/// What is read of agents that nobody installed anything for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Observe {
    /// Sessions that were written to in the last so many hours; 0 reads none.
    hours: Option<u64>,
}

/// Hours that a session is observed for after it was written to last.
const HOURS: u64 = 24;

/// Reads how far back sessions are observed, in hours.
///
/// # Errors
/// The file cannot be read or holds something unknown.
pub fn hours(config: &Path) -> Result<u64, Refusal> {
    Ok(read(config)?.observe.hours.unwrap_or(HOURS))
}

/// What of the configuration is in force for every verb.
#[derive(Clone, Debug, Default)]
pub struct InForce {
    /// The limits.
    pub limits: Limits,
    guard: GuardSettings,
    projects: BTreeMap<String, GuardSettings>,
}

impl InForce {
    /// What is configured for the guard in a project.
    #[must_use]
    pub fn guard(&self, project: &str) -> GuardSettings {
        GuardSettings::of_project(&self.guard, &self.projects, project)
    }
}

/// What the console takes from the file. Its values are checked where they are used.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Console {
    theme: Option<String>,
}

/// One key, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Keys {
    One(String),
    Several(Vec<String>),
}

/// What `config.toml` says of the console.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The file.
    pub file: String,
    /// Name of a theme.
    pub theme: Option<String>,
    /// Commands by name, and their keys.
    pub keys: BTreeMap<String, Vec<String>>,
}

/// Reads what the console takes from the configuration.
///
/// # Errors
/// The file cannot be read or holds something unknown.
pub fn look(config: &Path) -> Result<Look, Refusal> {
    let file = read(config)?;
    let keys = file.keys.into_iter().map(|(name, keys)| {
        let keys = match keys {
            Keys::One(key) => vec![key],
            Keys::Several(keys) => keys,
        };
        (name, keys)
    });
    Ok(Look {
        file: path(config).display().to_string(),
        theme: file.console.theme,
        keys: keys.collect(),
    })
}

fn path(config: &Path) -> PathBuf {
    config.join("config.toml")
}

fn invalid(config: &Path, cause: String) -> Refusal {
    let next = format!("edit {}", path(config).display());
    Refusal::new(Code::ConfigInvalid, cause, next)
}

/// The file as it is; without one, nothing is set.
fn read(config: &Path) -> Result<File, Refusal> {
    let path = path(config);
    match std::fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text)
            .map_err(|error| invalid(config, format!("{}: {error}", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(File::default()),
        Err(error) => {
            let cause = format!("{} cannot be read: {error}", path.display());
            Err(invalid(config, cause))
        }
    }
}

/// Each limit that is named replaces its default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LimitsFile {
    max_iterations: Option<u32>,
    max_repairs: Option<u32>,
    max_same_signature: Option<u32>,
    max_weak: Option<u32>,
    churn: Option<u32>,
    min_free_bytes: Option<u64>,
    min_free_inodes: Option<u64>,
}

/// Reads what is in force: the limits and the guard's settings, each validated before it is used
/// (spec 3).
///
/// # Errors
/// The file cannot be read or holds something that it should not: nothing starts then.
pub fn in_force(config: &Path) -> Result<InForce, Refusal> {
    let file = read(config)?;
    let mut faults = file.guard.faults("guard");
    for (name, settings) in &file.project {
        faults.extend(settings.faults(&format!("project.{name:?}")));
    }
    if !faults.is_empty() {
        let cause = format!("{}: {}", path(config).display(), faults.join("; "));
        return Err(invalid(config, cause));
    }
    Ok(InForce {
        limits: limits(config, &file.limits)?,
        guard: file.guard,
        projects: file.project,
    })
}

/// Overlays the limits. A looser one than the default is none.
fn limits(config: &Path, set: &LimitsFile) -> Result<Limits, Refusal> {
    let path = path(config);
    let invalid = |cause: String| invalid(config, cause);
    let default = Limits::default();
    let limits = Limits {
        max_iterations: set.max_iterations.unwrap_or(default.max_iterations),
        max_repairs: set.max_repairs.unwrap_or(default.max_repairs),
        max_same_signature: set.max_same_signature.unwrap_or(default.max_same_signature),
        max_weak: set.max_weak.unwrap_or(default.max_weak),
        churn: set.churn.unwrap_or(default.churn),
        min_free_bytes: set.min_free_bytes.unwrap_or(default.min_free_bytes),
        min_free_inodes: set.min_free_inodes.unwrap_or(default.min_free_inodes),
    };
    limits.validate().map_err(|faults| {
        let list: Vec<String> = faults
            .iter()
            .map(|fault| format!("{} {}", fault.path, fault.message))
            .collect();
        invalid(format!("{}: {}", path.display(), list.join("; ")))
    })?;
    let looser = limits.looser();
    if !looser.is_empty() {
        let names = looser.join(", ");
        let cause = format!(
            "{}: {names}: a limit looser than its default needs a human's signed decision",
            path.display()
        );
        return Err(invalid(cause));
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::guard::{GuardMode, Preset};

    #[test]
    fn the_console_has_a_theme_and_keys() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(look(folder.path()).unwrap().keys, BTreeMap::new());
        let text = "[console]\ntheme = \"light\"\n[keys]\nreset = \"x\"\nquit = [\"q\", \"Q\"]\n";
        std::fs::write(folder.path().join("config.toml"), text).unwrap();
        let look = look(folder.path()).unwrap();
        assert_eq!(look.theme.as_deref(), Some("light"));
        assert_eq!(look.keys["reset"], ["x"]);
        assert_eq!(look.keys["quit"], ["q", "Q"]);
        assert_eq!(in_force(folder.path()).unwrap().limits, Limits::default());
        std::fs::write(folder.path().join("config.toml"), "[console]\nteme = 1\n").unwrap();
        assert!(super::look(folder.path()).is_err());
    }

    #[test]
    fn limits_overlay_the_defaults_or_refuse_to_start() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(in_force(folder.path()).unwrap().limits, Limits::default());
        let write = |text: &str| std::fs::write(folder.path().join("config.toml"), text).unwrap();
        write("[limits]\nmax_repairs = 2\n");
        assert_eq!(
            in_force(folder.path()).unwrap().limits,
            Limits {
                max_repairs: 2,
                ..Limits::default()
            }
        );
        for bad in [
            "[limits]\nmax_repairs = 0\n",
            "[limits]\nmax_repair = 2\n",
            "[limits]\nmax_repairs = 4\n",
            "[limits]\nchurn = -1\n",
            "[limit]\n",
            "x",
            "[limits]\nchurn = \"3\"\n",
        ] {
            write(bad);
            assert_eq!(
                in_force(folder.path()).unwrap_err().code,
                Code::ConfigInvalid,
                "{bad}"
            );
        }
    }

    #[test]
    fn the_guard_is_configured_for_all_and_for_one_project() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(folder.path().join("config.toml"), text).unwrap();
        write(
            "[guard]\nproduction = [\"prod\", \"eu-1\"]\nmode = \"observe\"\n\
             [project.\"/w/shop\"]\nmode = \"enforce\"\npreset = \"field\"\n",
        );
        let force = in_force(folder.path()).unwrap();
        let shop = force.guard("/w/shop");
        assert_eq!(shop.mode, Some(GuardMode::Enforce));
        assert_eq!(shop.preset, Some(Preset::Field));
        assert_eq!(shop.production.unwrap().len(), 2);
        assert_eq!(force.guard("/w/other").mode, Some(GuardMode::Observe));
        for bad in [
            "[guard]\nmodes = \"observe\"\n",
            "[guard]\nmode = \"off\"\n",
            "[guard]\nproduction = [\"\"]\n",
            "[guard]\npreset = \"strict\"\n",
            "[guard]\nforge_hosts = \"github.com\"\n",
            "[project.\"/w/shop\"]\nmaxi = 1\n",
            "[project]\nmode = \"observe\"\n",
        ] {
            write(bad);
            let refusal = in_force(folder.path()).unwrap_err();
            assert_eq!(refusal.code, Code::ConfigInvalid, "{bad}");
        }
    }
}
