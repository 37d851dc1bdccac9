//! Identities, signatures, approvals (spec 7.1-7.3).
//!
//! An approval is a signature that an agent of the same operating-system user cannot make:
//! it needs a passphrase, or a key that the agent does not hold. This room knows the
//! contract and nothing else: paths and passphrases are handed in.

pub mod approve;
pub mod files;
pub mod keys;
pub mod line;
pub mod principal;
pub mod public;
pub mod signer;
pub mod signers;

pub use approve::{choose_role, sign, signed_bytes, verify};
pub use keys::{Keys, SigningKey};
pub use public::Public;
pub use signer::Signer;
pub use signers::AllowedSigners;
