//! Files of the configuration folder that nobody else may read: made whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use zeroize::Zeroizing;

use crate::contract::refusal::{Code, Refusal};

/// Largest file that is read here, in bytes: 1 MiB.
pub const LARGEST: u64 = 1 << 20;

/// Makes a folder with mode 0700, with its parents. One that is there keeps its mode.
///
/// # Errors
/// [`Code::FileUnreadable`] when it cannot be made.
pub fn make_folder(folder: &Path) -> Result<(), Refusal> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| failed("make", folder, &error))
}

/// Reads a file; `None` when there is none.
///
/// # Errors
/// [`Code::FileUnreadable`] when it cannot be read or is larger than [`LARGEST`].
pub fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, Refusal> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", path, &error)),
    };
    // Room for all of it at once: a buffer that grows would leave copies behind.
    let size = file.metadata().map_or(0, |meta| meta.len()).min(LARGEST);
    let room = usize::try_from(size).unwrap_or(0).saturating_add(64);
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failed("read", path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Refusal::new(
            Code::FileUnreadable,
            format!("{} is larger than {LARGEST} bytes", path.display()),
            format!("ls -l {}", path.display()),
        ));
    }
    Ok(Some(bytes))
}

/// Writes a new file with mode 0600, durably. One that is there is never touched.
///
/// # Errors
/// [`Code::IdentityExists`] when there is one, [`Code::FileUnreadable`] when it cannot be written.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let mut file = match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Refusal::new(
                Code::IdentityExists,
                format!("{} is there already and is not overwritten", path.display()),
                "watchfloor identity list",
            ));
        }
        Err(error) => return Err(failed("write", path, &error)),
    };
    let done = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = done {
        // Half a key helps nobody; that it stays is told by the next try.
        let _ = fs::remove_file(path);
        return Err(failed("write", path, &error));
    }
    sync_folder(path)
}

/// Replaces a file whole, with mode 0600: a temporary file beside it, then a rename, both
/// durable. A reader sees the old bytes or the new ones, never a mixture.
///
/// # Errors
/// [`Code::FileUnreadable`] when it cannot be written; the old file is then untouched.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let folder = parent(path);
    make_folder(folder)?;
    let mut temp = tempfile::Builder::new()
        .prefix(".watchfloor-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .tempfile_in(folder)
        .map_err(|error| failed("write in", folder, &error))?;
    temp.write_all(bytes)
        .and_then(|()| temp.as_file().sync_all())
        .map_err(|error| failed("write", path, &error))?;
    temp.persist(path)
        .map_err(|error| failed("replace", path, &error.error))?;
    sync_folder(path)
}

fn sync_folder(path: &Path) -> Result<(), Refusal> {
    let folder = parent(path);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| failed("write in", folder, &error))
}

fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

pub(super) fn failed(what: &str, path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(
        Code::FileUnreadable,
        format!("cannot {what} {}: {error}", path.display()),
        format!("ls -ld {}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folders_and_files_are_for_one_user() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b/file");
        replace(&path, b"one").unwrap();
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(mode(&path), 0o600);
        replace(&path, b"two").unwrap();
        assert_eq!(read(&path).unwrap().unwrap().as_slice(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("key");
        create(&path, b"one").unwrap();
        assert_eq!(mode(&path), 0o600);
        let refusal = create(&path, b"two").unwrap_err();
        assert_eq!(refusal.code, Code::IdentityExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
    }

    #[test]
    fn what_cannot_be_read_is_told_apart_from_what_is_missing() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(read(&temp.path().join("none")).unwrap(), None);
        let code = |path: &Path| read(path).unwrap_err().code;
        assert_eq!(code(temp.path()), Code::FileUnreadable);
        let large = temp.path().join("large");
        File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(code(&large), Code::FileUnreadable);
        assert_eq!(
            create(&temp.path().join("no/where"), b"").unwrap_err().code,
            Code::FileUnreadable
        );
        assert_eq!(
            replace(&large.join("below"), b"").unwrap_err().code,
            Code::FileUnreadable
        );
    }
}
