//! File systems whose locks do not hold between hosts or processes (spec 1.2).

use std::path::Path;

use crate::contract::refusal::{Code, Refusal};

use super::errors::shell;

/// Refuses a store that lies on a network file system or a share that cannot lock.
///
/// # Errors
/// `store_unlockable`, with the file system's name.
pub(super) fn check(path: &Path) -> Result<(), Refusal> {
    match unlockable(path) {
        Some(name) => Err(Refusal::new(
            Code::StoreUnlockable,
            format!(
                "the store {} lies on {name}, which cannot lock reliably; move it to a local disk",
                path.display()
            ),
            format!("df -hT {}", shell(path)),
        )),
        None => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn unlockable(path: &Path) -> Option<String> {
    let stat = rustix::fs::statfs(path).ok()?;
    let magic = u64::try_from(stat.f_type).unwrap_or(0);
    if magic == FUSE {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        let real = path.canonicalize().ok()?;
        return fuse(&mounts, &real);
    }
    named(magic).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn unlockable(_path: &Path) -> Option<String> {
    None
}

const FUSE: u64 = 0x6573_5546;

/// Magic numbers of `statfs(2)`.
fn named(magic: u64) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517B => "SMB",
        0xFE53_4D42 => "SMB2",
        0xFF53_4D42 => "CIFS",
        0x0102_1997 => "9p",
        0x5346_4846 => "a WSL share",
        0x5346_414F => "AFS",
        0x7375_7245 => "Coda",
        0x564C => "NCP",
        0x786F_4256 => "a VirtualBox share",
        _ => return None,
    })
}

/// FUSE file systems that reach over a network or into an object store.
const REMOTE_FUSE: [&str; 12] = [
    "fuse.sshfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.s3ql",
    "fuse.gcsfuse",
    "fuse.goofys",
    "fuse.davfs",
    "fuse.davfs2",
    "fuse.glusterfs",
    "fuse.curlftpfs",
    "fuse.vmhgfs-fuse",
    "fuse.smbnetfs",
];

/// The remote FUSE file system that `path` lies on, by the longest mount point above it.
fn fuse(mounts: &str, path: &Path) -> Option<String> {
    let mut deepest: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let mut words = line.split(' ').skip(1);
        let (Some(point), Some(kind)) = (words.next(), words.next()) else {
            continue;
        };
        let point = point.replace("\\040", " ");
        let depth = point.len();
        if path.starts_with(&point) && deepest.is_none_or(|(best, _)| depth >= best) {
            deepest = Some((depth, kind));
        }
    }
    let (_, kind) = deepest?;
    REMOTE_FUSE.contains(&kind).then(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_number() {
        assert_eq!(named(0x6969), Some("NFS"));
        assert_eq!(named(0xFF53_4D42), Some("CIFS"));
        assert_eq!(named(0x0102_1997), Some("9p"));
        assert_eq!(named(0xEF53), None);
        assert_eq!(named(0x0102_1994), None);
    }

    #[test]
    fn fuse_is_judged_by_the_deepest_mount() {
        let mounts = "/dev/vda / ext4 rw 0 0\n\
                      h:/ /mnt/far\\040away fuse.sshfs rw 0 0\n\
                      x /mnt/far\\040away/in fuse.bindfs rw 0 0\n";
        let judge = |path: &str| fuse(mounts, Path::new(path));
        assert_eq!(judge("/mnt/far away/s.db").as_deref(), Some("fuse.sshfs"));
        assert_eq!(judge("/mnt/far away/in/s.db"), None);
        assert_eq!(judge("/home/s.db"), None);
    }

    #[test]
    fn a_local_folder_passes() {
        let dir = tempfile::tempdir().unwrap();
        assert!(check(dir.path()).is_ok());
    }
}
