//! One spelling a file (spec 3.1), and evidence that exists.

use std::path::{Component, Path, PathBuf};

use crate::contract::attempt::AttemptInput;
use crate::contract::digest::Digest;
use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::journal::{Paths, Read};

use super::context::Context;

/// Files relative to the project root: `./a`, absolute and symlinked spellings are one.
/// A file outside the project keeps its absolute path. Sorted, each once.
#[must_use]
pub fn normal_files(context: &Context, files: &[String]) -> Vec<String> {
    let mut normal: Vec<String> = files
        .iter()
        .map(|file| normal_file(context, file))
        .collect();
    normal.sort();
    normal.dedup();
    normal
}

fn normal_file(context: &Context, file: &str) -> String {
    let given = Path::new(file);
    let absolute = if given.is_absolute() {
        given.to_path_buf()
    } else {
        context.root.join(given)
    };
    let real = real(&lexical(&absolute));
    let root = real_or(&context.root);
    real.strip_prefix(&root)
        .unwrap_or(&real)
        .to_string_lossy()
        .into_owned()
}

/// Resolves `.` and `..` as text.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The real path of the longest part that exists, and the rest as it is.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut base = path;
    loop {
        if let Ok(real) = base.canonicalize() {
            return rest
                .iter()
                .rev()
                .fold(real, |path: PathBuf, part| path.join(part));
        }
        let (Some(parent), Some(name)) = (base.parent(), base.file_name()) else {
            return path.to_path_buf();
        };
        rest.push(name.to_owned());
        base = parent;
    }
}

fn real_or(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Evidence as `name@digest`: a file of the project, or a receipt of the store.
///
/// # Errors
/// Evidence that does not exist, all of it together.
pub fn evidence(
    context: &Context,
    input: &AttemptInput,
    read: &dyn Read,
) -> Result<Vec<String>, Refusal> {
    let names = input
        .progress
        .as_ref()
        .map_or(&[][..], |progress| &progress.evidence);
    found(context, names, read)
}

/// See [`evidence`].
///
/// # Errors
/// Evidence that does not exist, all of it together.
pub fn found(context: &Context, names: &[String], read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let mut kept = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        match digest_of(context, name, read)? {
            Some((name, digest)) => kept.push(format!("{name}@{digest}")),
            None => missing.push(name.clone()),
        }
    }
    if missing.is_empty() {
        return Ok(kept);
    }
    let cause = format!("there is no such evidence: {}", missing.join(", "));
    Err(Refusal::new(
        Code::EvidenceMissing,
        cause,
        "name files of the project or receipt ids of the store",
    ))
}

fn digest_of(
    context: &Context,
    name: &str,
    read: &dyn Read,
) -> Result<Option<(String, Digest)>, Refusal> {
    let file = normal_file(context, name);
    let path = if Path::new(&file).is_absolute() {
        PathBuf::from(&file)
    } else {
        context.root.join(&file)
    };
    let meta = path.metadata().ok().filter(std::fs::Metadata::is_file);
    if meta.is_some_and(|meta| !Paths::of(&context.store).own().hold(&meta)) {
        let bytes = std::fs::read(&path).map_err(|error| {
            let cause = format!("{} cannot be read: {error}", path.display());
            Refusal::new(
                Code::FileUnreadable,
                cause,
                format!("ls -l {}", path.display()),
            )
        })?;
        return Ok(Some((file, Digest::of(&bytes))));
    }
    let record = match read.by_id(&RecordId::new(name))? {
        Some(record) => Some(record),
        None => super::receipt::by_handle(read, name).ok(),
    };
    Ok(record.map(|record| (record.id.to_string(), record.body_sha256)))
}
