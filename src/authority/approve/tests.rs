//! Approvals that hold, approvals that do not, and the same with OpenSSH's own program.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use zeroize::Zeroizing;

use ssh_key::Signature;

use super::*;
use crate::authority::files;
use crate::authority::keys::{Keys, load};
use crate::authority::public::Public;
use crate::authority::signer::roles;
use crate::authority::signers::AllowedSigners;

const PASSPHRASE: &str = "correct horse battery";

struct Desk {
    temp: tempfile::TempDir,
    key: SigningKey,
}

impl Desk {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let keys = Keys::new(temp.path());
        let passphrase = Zeroizing::new(PASSPHRASE.to_owned());
        keys.make("ops", &passphrase).unwrap();
        let key = keys.load("ops", Some(&passphrase)).unwrap();
        Self { temp, key }
    }

    fn signer(&self, role: Approver) -> Signer {
        signer("ops", self.key.public(), role)
    }
}

fn signer(name: &str, public: &Public, role: Approver) -> Signer {
    Signer {
        principal: name.to_owned(),
        fingerprint: public.fingerprint.clone(),
        public_key: public.text.clone(),
        roles: roles(role),
        revoked: false,
    }
}

fn payload() -> Value {
    json!({
        "schema": "watchfloor.breaker_reset.v1",
        "cause": "the deploy script prints its environment — \u{1f512}",
        "evidence": ["scripts/deploy.sh"],
        "at_seq": 41, "nonce": "01a22d8a", "half": 0.5,
    })
}

fn code(
    payload: &Value,
    approval: &Approval,
    known: &[Signer],
    needs: Approver,
) -> Result<String, Code> {
    verify(payload, approval, known, needs, &[])
        .map(|signer| signer.principal)
        .map_err(|refusal| refusal.code)
}

#[test]
fn an_approval_holds_for_its_decision_whatever_the_order_of_members() {
    let desk = Desk::new();
    let known = [desk.signer(Approver::Human)];
    for role in [Approver::Lead, Approver::Human] {
        let approval = sign(&payload(), &desk.key, "ops", role).unwrap();
        let mut carried = json!({"approval": approval});
        let members = payload().as_object().unwrap().clone();
        for (name, value) in members.into_iter().rev() {
            carried[name] = value;
        }
        assert_eq!(code(&carried, &approval, &known, role), Ok("ops".into()));
        assert_eq!(
            code(&carried, &approval, &known, Approver::Lead),
            Ok("ops".into())
        );
    }
}

#[test]
fn another_decision_is_forged() {
    let desk = Desk::new();
    let known = [desk.signer(Approver::Human)];
    let approval = sign(&payload(), &desk.key, "ops", Approver::Human).unwrap();
    let forged = Err(Code::ApprovalForged);
    let mut other = payload();
    other["at_seq"] = json!(42);
    assert_eq!(code(&other, &approval, &known, Approver::Human), forged);
    let mut more = payload();
    more["to"] = json!("active");
    assert_eq!(code(&more, &approval, &known, Approver::Human), forged);
    let mut less = payload();
    less.as_object_mut().unwrap().shift_remove("nonce");
    assert_eq!(code(&less, &approval, &known, Approver::Human), forged);
}

#[test]
fn another_namespace_key_principal_or_armour_is_forged() {
    let desk = Desk::new();
    let other = Desk::new();
    let known = [
        desk.signer(Approver::Human),
        signer("eve", other.key.public(), Approver::Human),
    ];
    let good = sign(&payload(), &desk.key, "ops", Approver::Human).unwrap();
    let of_eve = sign(&payload(), &other.key, "eve", Approver::Human).unwrap();
    let as_lead = sign(&payload(), &desk.key, "ops", Approver::Lead).unwrap();
    let half = good.signature.len() / 2;
    let swap = |signature: &str| {
        let mut approval = good.clone();
        signature.clone_into(&mut approval.signature);
        approval
    };
    let mut claims_role = as_lead.clone();
    claims_role.role = Approver::Human;
    let mut claims_name = good.clone();
    claims_name.principal = "eve".into();
    let mut claims_key = of_eve.clone();
    claims_key.key.clone_from(&good.key);
    let forged = [
        swap(&of_eve.signature),
        swap(&as_lead.signature),
        swap(&good.signature[..half]),
        swap(&good.signature[half..]),
        swap(""),
        swap(&good.signature.replace("SSH SIGNATURE", "PGP SIGNATURE")),
        swap(&format!("{}x", good.signature)),
        claims_role,
        claims_name,
        claims_key,
    ];
    for approval in forged {
        assert_eq!(
            code(&payload(), &approval, &known, Approver::Lead),
            Err(Code::ApprovalForged),
            "{approval:?}"
        );
    }
    // A signer whose key was exchanged under the same fingerprint.
    let mut exchanged = desk.signer(Approver::Human);
    exchanged.public_key.clone_from(&other.key.public().text);
    assert_eq!(
        code(&payload(), &good, &[exchanged], Approver::Human),
        Err(Code::ApprovalForged)
    );
}

#[test]
fn every_flipped_bit_of_a_signature_is_refused() {
    let desk = Desk::new();
    let known = [desk.signer(Approver::Lead)];
    let good = sign(&payload(), &desk.key, "ops", Approver::Lead).unwrap();
    for at in 0..good.signature.len() {
        let mut bytes = good.signature.clone().into_bytes();
        bytes[at] ^= 0x01;
        let mut approval = good.clone();
        approval.signature = String::from_utf8(bytes).unwrap();
        let found = code(&payload(), &approval, &known, Approver::Lead);
        // The line ends at the close of the armour are no part of the signature.
        let ornament = at + 1 == good.signature.len();
        assert!(found == Err(Code::ApprovalForged) || ornament, "byte {at}");
    }
}

#[test]
fn unknown_revoked_weak_and_own_are_told_apart() {
    let desk = Desk::new();
    let human = desk.signer(Approver::Human);
    let lead = desk.signer(Approver::Lead);
    let mut revoked = human.clone();
    revoked.revoked = true;
    let as_human = sign(&payload(), &desk.key, "ops", Approver::Human).unwrap();
    let as_lead = sign(&payload(), &desk.key, "ops", Approver::Lead).unwrap();
    let ask = |approval, known: &[Signer], needs| code(&payload(), approval, known, needs);
    assert_eq!(
        ask(&as_human, &[], Approver::Lead),
        Err(Code::ApprovalUnknown)
    );
    assert_eq!(
        ask(&as_human, std::slice::from_ref(&revoked), Approver::Lead),
        Err(Code::ApprovalRevoked)
    );
    // Added again after it was revoked.
    assert_eq!(
        ask(&as_human, &[revoked, human.clone()], Approver::Human),
        Ok("ops".into())
    );
    // Too weak for the decision; a role that the signer does not hold.
    assert_eq!(
        ask(&as_lead, std::slice::from_ref(&human), Approver::Human),
        Err(Code::ApprovalUnauthorised)
    );
    assert_eq!(
        ask(&as_human, std::slice::from_ref(&lead), Approver::Lead),
        Err(Code::ApprovalUnauthorised)
    );
    let own = |agent: &str| {
        let agents = [AgentId::new("pi:9"), AgentId::new(agent)];
        let known = std::slice::from_ref(&human);
        verify(&payload(), &as_human, known, Approver::Lead, &agents).map_err(|r| r.code)
    };
    assert_eq!(own("ops"), Err(Code::ApprovalOwnWork));
    assert_eq!(own("ops/sub-1"), Err(Code::ApprovalOwnWork));
    assert!(own("ops2").is_ok());
}

#[test]
fn a_role_is_refused_before_signing() {
    let desk = Desk::new();
    let lead = desk.signer(Approver::Lead);
    assert_eq!(choose_role(&lead, Approver::Lead), Ok(Approver::Lead));
    let refusal = choose_role(&lead, Approver::Human).unwrap_err();
    assert_eq!(refusal.code, Code::RoleRefused);
    let human = desk.signer(Approver::Human);
    assert_eq!(choose_role(&human, Approver::Lead), Ok(Approver::Lead));
    let mut revoked = human;
    revoked.revoked = true;
    assert_eq!(
        choose_role(&revoked, Approver::Lead).unwrap_err().code,
        Code::RoleRefused
    );
    // A key that anyone can open signs no human's decision.
    let path = desk.temp.path().join("open");
    let key = desk.key.private().to_openssh(LineEnding::LF).unwrap();
    files::create(&path, key.as_bytes()).unwrap();
    let open = load(&path, None).unwrap();
    let refusal = sign(&payload(), &open, "ops", Approver::Human).unwrap_err();
    assert_eq!(refusal.code, Code::RoleRefused);
    assert!(sign(&payload(), &open, "ops", Approver::Lead).is_ok());
}

#[test]
fn only_objects_are_decisions() {
    for value in [json!([]), json!("x"), json!(null), json!(1)] {
        assert_eq!(signed_bytes(&value).unwrap_err().code, Code::ContractFault);
    }
    let nested = json!({"b": {"approval": 1}, "a": 1});
    assert_eq!(
        signed_bytes(&nested).unwrap(),
        br#"{"a":1,"b":{"approval":1}}"#
    );
}

#[test]
fn a_token_must_have_been_touched() {
    let with = |flags: u8| [&[7; 64][..], &[flags, 0, 0, 0, 9]].concat();
    assert!(was_touched(&with(0x01)));
    assert!(was_touched(&with(0x05)));
    assert!(!was_touched(&with(0x00)));
    assert!(!was_touched(&with(0x04)));
    assert!(!was_touched(&[]));
}

fn raw_signature<K: ssh_key::SigningKey>(key: &K, message: &[u8]) -> Signature {
    key.try_sign(message).unwrap()
}

/// An approval by a hardware token of software: the same wire form, with flags of choice.
fn token_approval(desk: &Desk, flags: u8) -> (Approval, Signer) {
    use sha2::{Digest, Sha256};
    use ssh_key::public::{Ed25519PublicKey, KeyData, SkEd25519};

    let pair = desk.key.private().key_data().ed25519().unwrap();
    let token = SkEd25519::new(Ed25519PublicKey(pair.public.0), "ssh:");
    let data = KeyData::SkEd25519(token);
    let public = Public::of(&PublicKey::new(data.clone(), "token")).unwrap();
    assert!(public.is_hardware());
    let namespace = Approver::Human.namespace();
    let bytes = signed_bytes(&payload()).unwrap();
    let message = SshSig::signed_data(namespace, HashAlg::Sha512, &bytes).unwrap();
    let trailer = [flags, 0, 0, 0, 9];
    let mut signed = Sha256::digest(b"ssh:").to_vec();
    signed.extend(trailer);
    signed.extend(Sha256::digest(&message));
    let raw = raw_signature(desk.key.private(), &signed);
    let raw = [raw.as_bytes(), &trailer].concat();
    let signature = Signature::new(Algorithm::SkEd25519, raw).unwrap();
    let armour = SshSig::new(data, namespace, HashAlg::Sha512, signature)
        .and_then(|signature| signature.to_pem(LineEnding::LF))
        .unwrap();
    let approval = Approval {
        principal: "token".into(),
        role: Approver::Human,
        key: public.fingerprint.clone(),
        signature: armour,
    };
    (approval, signer("token", &public, Approver::Human))
}

#[test]
fn a_token_signature_counts_when_somebody_touched_it() {
    let desk = Desk::new();
    for (flags, want) in [
        (0x01, Ok("token".to_owned())),
        (0x05, Ok("token".to_owned())),
        (0x00, Err(Code::ApprovalForged)),
        (0x04, Err(Code::ApprovalForged)),
    ] {
        let (approval, signer) = token_approval(&desk, flags);
        let found = code(
            &payload(),
            &approval,
            std::slice::from_ref(&signer),
            Approver::Human,
        );
        assert_eq!(found, want, "flags {flags}");
        // Flags are signed too: they cannot be raised afterwards.
        let (raised, _) = token_approval(&desk, 0x01);
        let mut sig = SshSig::from_pem(&approval.signature).unwrap();
        let mut raw = sig.signature_bytes().to_vec();
        raw[64] = 0x11;
        let forged = Signature::new(Algorithm::SkEd25519, raw).unwrap();
        let data = sig.public_key().clone();
        sig = SshSig::new(data, sig.namespace(), HashAlg::Sha512, forged).unwrap();
        let forged = Approval {
            signature: sig.to_pem(LineEnding::LF).unwrap(),
            ..raised
        };
        assert_eq!(
            code(&payload(), &forged, &[signer], Approver::Human),
            Err(Code::ApprovalForged)
        );
    }
}

/// Runs OpenSSH's program; `None` where it is not installed.
fn ssh_keygen(args: &[&str], stdin: &[u8], folder: &Path) -> Option<(bool, String)> {
    let mut child = Command::new("ssh-keygen")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    Some((
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    ))
}

#[test]
fn openssh_accepts_what_is_signed_here() {
    let desk = Desk::new();
    let folder = desk.temp.path();
    let mut file = AllowedSigners::default();
    file.add("ops", Approver::Human, desk.key.public()).unwrap();
    file.save(&folder.join("allowed_signers")).unwrap();
    let bytes = signed_bytes(&payload()).unwrap();
    for role in [Approver::Lead, Approver::Human] {
        let approval = sign(&payload(), &desk.key, "ops", role).unwrap();
        fs::write(folder.join("sig"), &approval.signature).unwrap();
        let args = |namespace| {
            [
                "-Y",
                "verify",
                "-f",
                "allowed_signers",
                "-I",
                "ops",
                "-n",
                namespace,
                "-s",
                "sig",
            ]
        };
        let Some((good, said)) = ssh_keygen(&args(role.namespace()), &bytes, folder) else {
            eprintln!("ssh-keygen is not installed: not compared");
            return;
        };
        assert!(good, "{said}");
        assert!(!ssh_keygen(&args("git"), &bytes, folder).unwrap().0);
        let other = [&bytes[..], b" "].concat();
        assert!(
            !ssh_keygen(&args(role.namespace()), &other, folder)
                .unwrap()
                .0
        );
    }
    // The key file itself is one of OpenSSH's, passphrase included.
    let args = ["-y", "-P", PASSPHRASE, "-f", "keys/ops"];
    let (good, said) = ssh_keygen(&args, b"", folder).unwrap();
    assert!(good && said.contains(&desk.key.public().text), "{said}");
}

/// The safe side of leniency: a role that is read out of a line is one that OpenSSH grants.
#[test]
fn every_role_read_here_is_one_that_openssh_grants() {
    let desk = Desk::new();
    let folder = desk.temp.path();
    let key = &desk.key.public().text;
    let bytes = signed_bytes(&payload()).unwrap();
    for role in [Approver::Lead, Approver::Human] {
        let approval = sign(&payload(), &desk.key, "ops", role).unwrap();
        fs::write(folder.join(role.as_str()), &approval.signature).unwrap();
    }
    let lead = "namespaces=\"watchfloor-lead\"";
    let lines = [
        format!("ops {lead} {key} a comment"),
        format!("  ops\t{lead}\t{key}\r"),
        format!("\"ops\" NameSpaces=\"git,watchfloor-human\" {key}"),
        format!("eve,ops,!x {lead} {key}"),
        format!("!ops,ops {lead} {key}"),
        format!("o*s {lead} {key}"),
        format!("ops {lead},valid-before=\"19990101\" {key}"),
        format!("ops valid-after=\"20990101\",{lead} {key}"),
        format!("ops cert-authority,{lead} {key}"),
        format!("ops {lead},namespaces=\"watchfloor-human\" {key}"),
        format!("ops namespaces=\"!watchfloor-human,watchfloor-human\" {key}"),
        format!("ops namespaces=\"watchfloor-*\" {key}"),
        format!("ops namespaces= \"watchfloor-human\" {key}"),
        format!("ops namespaces=watchfloor-human {key}"),
        format!("ops x,{lead} {key}"),
        format!("ops {lead}, {key}"),
        format!("ops {lead}x {key}"),
        format!("ops namespaces\"watchfloor-human\" {key}"),
        format!("ops {lead} {lead} {key}"),
        format!("#ops {lead} {key}"),
        format!("ops {key}"),
    ];
    let mut granted = 0;
    for line in lines {
        fs::write(folder.join("allowed"), format!("{line}\n")).unwrap();
        for signer in AllowedSigners::parse(line.as_bytes()).signers() {
            for role in signer.roles {
                let (name, sig) = (signer.principal.as_str(), role.as_str());
                let args = [
                    "-Y",
                    "verify",
                    "-f",
                    "allowed",
                    "-I",
                    name,
                    "-n",
                    role.namespace(),
                    "-s",
                    sig,
                ];
                let Some((good, said)) = ssh_keygen(&args, &bytes, folder) else {
                    return;
                };
                assert!(good, "{line}\n{name} as {sig}: {said}");
                granted += 1;
            }
        }
    }
    assert!(granted >= 3, "{granted} granted");
}

#[test]
fn what_openssh_signs_is_accepted_here() {
    let desk = Desk::new();
    let folder = desk.temp.path();
    let bytes = signed_bytes(&payload()).unwrap();
    let make = [
        "-q",
        "-t",
        "ed25519",
        "-N",
        PASSPHRASE,
        "-C",
        "from outside",
        "-f",
        "outside",
    ];
    let Some((good, said)) = ssh_keygen(&make, b"", folder) else {
        eprintln!("ssh-keygen is not installed: not compared");
        return;
    };
    assert!(good, "{said}");
    let public = fs::read_to_string(folder.join("outside.pub")).unwrap();
    let public = Public::parse(&public).unwrap();
    assert_eq!(public.comment, "from outside");
    // Its key is read here, and opens with its passphrase.
    let passphrase = Zeroizing::new(PASSPHRASE.to_owned());
    let key = load(&folder.join("outside"), Some(&passphrase)).unwrap();
    assert_eq!(key.public().fingerprint, public.fingerprint);
    let wrong = Zeroizing::new("wrong".to_owned());
    let refusal = load(&folder.join("outside"), Some(&wrong)).unwrap_err();
    assert_eq!(refusal.code, Code::PassphraseWrong);
    let (good, listed) = ssh_keygen(&["-l", "-f", "outside.pub"], b"", folder).unwrap();
    assert!(good && listed.contains(&public.fingerprint), "{listed}");
    // Signing asks for the passphrase at a terminal, so the same key without one signs.
    let open = ["-q", "-p", "-P", PASSPHRASE, "-N", "", "-f", "outside"];
    assert!(ssh_keygen(&open, b"", folder).unwrap().0);
    fs::write(folder.join("bytes"), &bytes).unwrap();
    let args = [
        "-q",
        "-Y",
        "sign",
        "-f",
        "outside",
        "-n",
        "watchfloor-human",
        "bytes",
    ];
    let (good, said) = ssh_keygen(&args, b"", folder).unwrap();
    assert!(good, "{said}");
    let approval = Approval {
        principal: "anna".into(),
        role: Approver::Human,
        key: public.fingerprint.clone(),
        signature: fs::read_to_string(folder.join("bytes.sig")).unwrap(),
    };
    let known = [signer("anna", &public, Approver::Human)];
    assert_eq!(
        code(&payload(), &approval, &known, Approver::Human),
        Ok("anna".into())
    );
}
