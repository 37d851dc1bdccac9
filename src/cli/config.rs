//! The configuration file: overlays the defaults, is never written by the product, and an
//! unknown key is a fault. Without a file the defaults are in force.

use std::path::Path;

use serde::Deserialize;

use crate::contract::limits::Limits;
use crate::contract::refusal::{Code, Refusal};

/// What `config.toml` may hold.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    limits: LimitsFile,
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

/// Reads the limits. They are validated before any counter is used (spec 3).
///
/// # Errors
/// The file cannot be read or holds something that is no limit: nothing starts then.
pub fn limits(config: &Path) -> Result<Limits, Refusal> {
    let path = config.join("config.toml");
    let invalid = |cause: String| {
        Refusal::new(
            Code::ConfigInvalid,
            cause,
            format!("edit {}", path.display()),
        )
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Limits::default()),
        Err(error) => {
            return Err(invalid(format!(
                "{} cannot be read: {error}",
                path.display()
            )));
        }
    };
    let file: File =
        toml::from_str(&text).map_err(|error| invalid(format!("{}: {error}", path.display())))?;
    let set = file.limits;
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

    #[test]
    fn limits_overlay_the_defaults_or_refuse_to_start() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(limits(folder.path()), Ok(Limits::default()));
        let write = |text: &str| std::fs::write(folder.path().join("config.toml"), text).unwrap();
        write("[limits]\nmax_repairs = 2\n");
        assert_eq!(
            limits(folder.path()).unwrap(),
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
                limits(folder.path()).unwrap_err().code,
                Code::ConfigInvalid,
                "{bad}"
            );
        }
    }
}
