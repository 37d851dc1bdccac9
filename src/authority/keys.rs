//! Private keys (spec 7.1): made with a passphrase, loaded for one signature, wiped after it.

use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ssh_key::private::KeypairData;
use ssh_key::rand_core::{OsRng, RngCore};
use ssh_key::{Algorithm, Cipher, Kdf, LineEnding, PrivateKey};
use zeroize::Zeroizing;

use super::files;
use super::principal;
use super::public::Public;
use crate::contract::refusal::{Code, Refusal};

/// Rounds of bcrypt behind a passphrase, as `ssh-keygen` takes today.
const ROUNDS: u32 = 24;
/// Bytes of salt behind a passphrase.
const SALT: usize = 16;

/// A private key that is ready to sign. Its secret is wiped when it is dropped, and is in
/// no text form of it.
pub struct SigningKey {
    key: PrivateKey,
    public: Public,
    protected: bool,
}

impl SigningKey {
    /// Its public half.
    #[must_use]
    pub fn public(&self) -> &Public {
        &self.public
    }

    /// Whether a passphrase was needed to open it. A key without one signs a lead's
    /// decisions only.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.protected
    }

    pub(super) fn private(&self) -> &PrivateKey {
        &self.key
    }

    fn of(key: PrivateKey, protected: bool) -> Result<Self, Refusal> {
        if !matches!(key.key_data(), KeypairData::Ed25519(_)) {
            return Err(Refusal::new(
                Code::ContractFault,
                format!("a key of type {} cannot sign here", key.algorithm()),
                "watchfloor identity init",
            ));
        }
        let public = Public::of(key.public_key())?;
        Ok(Self {
            key,
            public,
            protected,
        })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("fingerprint", &self.public.fingerprint)
            .field("protected", &self.protected)
            .finish_non_exhaustive()
    }
}

/// The folder of keys, `keys` in the configuration folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    folder: PathBuf,
}

impl Keys {
    /// The keys of a configuration folder.
    #[must_use]
    pub fn new(config: &Path) -> Self {
        Self {
            folder: config.join("keys"),
        }
    }

    /// Where a principal's private key lies; the public one beside it ends in `.pub`.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(principal::file_name(name))
    }

    /// Whether a principal has a key here.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.path(name).is_file()
    }

    /// Makes an Ed25519 key behind a passphrase, with its public half beside it.
    ///
    /// # Errors
    /// [`Code::ContractFault`] for a name that cannot be one, [`Code::PassphraseWrong`] for an
    /// empty passphrase, [`Code::IdentityExists`] when a file is there already,
    /// [`Code::FileUnreadable`] when it cannot be written.
    pub fn make(&self, name: &str, passphrase: &Zeroizing<String>) -> Result<Public, Refusal> {
        principal::check(name)?;
        if passphrase.is_empty() {
            return Err(passphrase_wrong("an identity needs a passphrase"));
        }
        let mut key = PrivateKey::random(&mut OsRng, Algorithm::Ed25519).map_err(internal)?;
        key.set_comment(name);
        let public = Public::of(key.public_key())?;
        let text = encrypt(&key, passphrase)?
            .to_openssh(LineEnding::LF)
            .map_err(internal)?;
        files::make_folder(&self.folder)?;
        let path = self.path(name);
        files::create(&path, text.as_bytes())?;
        if let Err(refusal) = files::create(&public_path(&path), public_line(&public).as_bytes()) {
            // Made a moment ago by this call, and signed nothing yet.
            let _ = fs::remove_file(&path);
            return Err(refusal);
        }
        Ok(public)
    }

    /// Loads a principal's key.
    ///
    /// # Errors
    /// As [`load`].
    pub fn load(
        &self,
        name: &str,
        passphrase: Option<&Zeroizing<String>>,
    ) -> Result<SigningKey, Refusal> {
        load(&self.path(name), passphrase)
    }
}

/// Loads a private key in OpenSSH form from a file, with a passphrase or without one; a
/// passphrase that the key does not need is not looked at.
///
/// # Errors
/// [`Code::IdentityMissing`] when there is no file, [`Code::PassphraseWrong`] when the
/// passphrase does not open it or none was given, [`Code::FileUnreadable`] when the file is
/// no key or others may read it, [`Code::ContractFault`] for a key that is not Ed25519.
pub fn load(path: &Path, passphrase: Option<&Zeroizing<String>>) -> Result<SigningKey, Refusal> {
    let key = read(path)?;
    if !key.is_encrypted() {
        return SigningKey::of(key, false);
    }
    let Some(passphrase) = passphrase else {
        return Err(passphrase_wrong("the key needs its passphrase"));
    };
    let open = key
        .decrypt(passphrase.as_bytes())
        .map_err(|_| passphrase_wrong("the passphrase does not open the key"))?;
    SigningKey::of(open, true)
}

/// Whether the key in a file needs a passphrase.
///
/// # Errors
/// [`Code::IdentityMissing`] when there is no file, [`Code::FileUnreadable`] when it is no
/// key or others may read it.
pub fn is_encrypted(path: &Path) -> Result<bool, Refusal> {
    Ok(read(path)?.is_encrypted())
}

fn read(path: &Path) -> Result<PrivateKey, Refusal> {
    let Some(bytes) = files::read(path)? else {
        return Err(Refusal::new(
            Code::IdentityMissing,
            format!("there is no key {}", path.display()),
            "watchfloor identity init",
        ));
    };
    let mode = fs::metadata(path)
        .map_err(|error| files::failed("read", path, &error))?
        .permissions()
        .mode();
    if mode & 0o077 != 0 {
        return Err(Refusal::new(
            Code::FileUnreadable,
            format!(
                "others may use the key {} (mode {:03o})",
                path.display(),
                mode & 0o777
            ),
            format!("chmod 600 {}", path.display()),
        ));
    }
    PrivateKey::from_openssh(bytes.as_slice()).map_err(|error| {
        Refusal::new(
            Code::FileUnreadable,
            format!("{} is no OpenSSH private key: {error}", path.display()),
            "watchfloor identity init",
        )
    })
}

fn encrypt(key: &PrivateKey, passphrase: &Zeroizing<String>) -> Result<PrivateKey, Refusal> {
    let mut salt = vec![0; SALT];
    OsRng.try_fill_bytes(&mut salt).map_err(internal)?;
    let kdf = Kdf::Bcrypt {
        salt,
        rounds: ROUNDS,
    };
    key.encrypt_with(
        Cipher::Aes256Ctr,
        kdf,
        OsRng.next_u32(),
        passphrase.as_bytes(),
    )
    .map_err(internal)
}

fn public_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    PathBuf::from(name)
}

fn public_line(public: &Public) -> String {
    format!("{}\n", public.line())
}

fn passphrase_wrong(cause: &str) -> Refusal {
    Refusal::new(Code::PassphraseWrong, cause, "watchfloor identity list")
}

fn internal(error: impl fmt::Display) -> Refusal {
    Refusal::new(
        Code::Internal,
        format!("the key could not be made: {error}"),
        "watchfloor identity init",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(text: &str) -> Zeroizing<String> {
        Zeroizing::new(text.to_owned())
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_key_is_made_protected_and_opens_with_its_passphrase_only() {
        let temp = tempfile::tempdir().unwrap();
        let keys = Keys::new(temp.path());
        assert!(!keys.has("ops@laptop"));
        let public = keys.make("ops@laptop", &pass("correct horse")).unwrap();
        let path = temp.path().join("keys/ops@laptop");
        assert!(keys.has("ops@laptop"));
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&temp.path().join("keys")), 0o700);
        assert!(is_encrypted(&path).unwrap());
        let beside = fs::read_to_string(temp.path().join("keys/ops@laptop.pub")).unwrap();
        assert_eq!(Public::parse(&beside).unwrap(), public);
        assert_eq!(public.comment, "ops@laptop");
        let key = keys
            .load("ops@laptop", Some(&pass("correct horse")))
            .unwrap();
        assert!(key.is_protected());
        assert_eq!(key.public().fingerprint, public.fingerprint);
        let wrong = pass("correct horsf");
        for other in [Some(&wrong), None] {
            let refusal = keys.load("ops@laptop", other).unwrap_err();
            assert_eq!(refusal.code, Code::PassphraseWrong);
            assert!(!format!("{refusal} {refusal:?}").contains("hors"));
        }
        // Never overwritten, whatever the passphrase.
        let before = fs::read(&path).unwrap();
        let refusal = keys.make("ops@laptop", &pass("another one")).unwrap_err();
        assert_eq!(refusal.code, Code::IdentityExists);
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn what_cannot_be_a_key_is_refused_and_leaves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let keys = Keys::new(temp.path());
        let code = |name: &str, text: &str| keys.make(name, &pass(text)).unwrap_err().code;
        assert_eq!(code("ops", ""), Code::PassphraseWrong);
        assert_eq!(code("a b", "long enough"), Code::ContractFault);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
        // A public key that lies there alone is not overwritten, and the new key goes again.
        fs::create_dir(temp.path().join("keys")).unwrap();
        fs::write(temp.path().join("keys/ops.pub"), "mine").unwrap();
        assert_eq!(code("ops", "long enough"), Code::IdentityExists);
        assert!(!keys.has("ops"));
        let refusal = keys.load("ops", None).unwrap_err();
        assert_eq!(refusal.code, Code::IdentityMissing);
    }

    #[test]
    fn open_keys_are_told_apart_and_must_be_private() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("bot");
        let key = PrivateKey::random(&mut OsRng, Algorithm::Ed25519).unwrap();
        files::create(&path, key.to_openssh(LineEnding::LF).unwrap().as_bytes()).unwrap();
        assert!(!is_encrypted(&path).unwrap());
        assert!(!load(&path, None).unwrap().is_protected());
        assert!(
            !load(&path, Some(&pass("not needed")))
                .unwrap()
                .is_protected()
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let refusal = load(&path, None).unwrap_err();
        assert_eq!(refusal.code, Code::FileUnreadable);
        assert!(refusal.next_command.starts_with("chmod 600"));
        fs::write(temp.path().join("text"), "hello").unwrap();
        fs::set_permissions(temp.path().join("text"), fs::Permissions::from_mode(0o600)).unwrap();
        let refusal = load(&temp.path().join("text"), None).unwrap_err();
        assert_eq!(refusal.code, Code::FileUnreadable);
    }

    #[test]
    fn no_text_form_holds_the_secret() {
        let key = PrivateKey::random(&mut OsRng, Algorithm::Ed25519).unwrap();
        let secret = key.key_data().ed25519().unwrap().private.to_bytes();
        let hex: String = secret
            .iter()
            .flat_map(|b| [b >> 4, b & 0x0f])
            .filter_map(|n| char::from_digit(u32::from(n), 16))
            .collect();
        let listed = format!("{:?}", secret.as_slice());
        let shown = format!("{:?}", SigningKey::of(key, true).unwrap());
        assert!(shown.contains("SHA256:"));
        assert!(!shown.to_lowercase().contains(&hex));
        assert!(!shown.contains(listed.trim_matches(['[', ']'])));
    }
}
