//! The one shape of every refusal and failure: code, cause, next command (spec 1.4).

use serde::Serialize;

use super::fault::Fault;

/// What kind of "no" it is; its number is the process's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A rule said no, a wait ran out, or a verification found something.
    Refused = 1,
    /// The call itself was wrong.
    Usage = 2,
    /// The store or the environment failed.
    Failed = 3,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $exit:ident;)*) => {
        /// The catalogue codes of the product's own refusals.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in catalogue order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as the catalogue writes it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The exit class of the code.
            #[must_use]
            pub fn exit(self) -> Exit {
                match self { $(Self::$name => Exit::$exit,)* }
            }
        }
    };
}

codes! {
    /// An object broke its contract.
    ContractFault = "contract_fault", Refused;
    /// A record carries a secret.
    SecretInRecord = "secret_in_record", Refused;
    /// The same key was used with another body.
    KeyConflict = "key_conflict", Refused;
    /// Progress was claimed without a metric or evidence.
    ProgressUnmeasured = "progress_unmeasured", Refused;
    /// Evidence that does not exist.
    EvidenceMissing = "evidence_missing", Refused;
    /// A breaker is open in scope.
    BreakerOpen = "breaker_open", Refused;
    /// The gate wants another strategy.
    StrategyChangeDue = "strategy_change_due", Refused;
    /// The gate wants a debugger's analysis.
    DebuggerDue = "debugger_due", Refused;
    /// The gate wants a second opinion.
    SecondOpinionDue = "second_opinion_due", Refused;
    /// The breaker is closed already.
    BreakerClosed = "breaker_closed", Refused;
    /// A machine check of a reset does not hold.
    ResetLacks = "reset_lacks", Refused;
    /// The role may not take this decision.
    RoleRefused = "role_refused", Refused;
    /// The passphrase does not open the key.
    PassphraseWrong = "passphrase_wrong", Refused;
    /// A signature by a key that is not a known signer.
    ApprovalUnknown = "approval_unknown", Refused;
    /// A known signer without the role.
    ApprovalUnauthorised = "approval_unauthorised", Refused;
    /// A revoked signer.
    ApprovalRevoked = "approval_revoked", Refused;
    /// A decision that was taken before.
    ApprovalReplayed = "approval_replayed", Refused;
    /// A signature that does not fit its bytes.
    ApprovalForged = "approval_forged", Refused;
    /// An agent approving its own work.
    ApprovalOwnWork = "approval_own_work", Refused;
    /// No identity to sign with.
    IdentityMissing = "identity_missing", Refused;
    /// The identity exists already.
    IdentityExists = "identity_exists", Refused;
    /// An identity verb inside an agent's session.
    IdentityInAgent = "identity_in_agent", Refused;
    /// The verb needs a terminal.
    TerminalRequired = "terminal_required", Failed;
    /// The terminal is too small or cannot be used.
    TerminalUnusable = "terminal_unusable", Failed;
    /// A transition that the state does not allow.
    TransitionForbidden = "transition_forbidden", Refused;
    /// Nothing of that id.
    NotFound = "not_found", Refused;
    /// More than one thing has that handle.
    HandleAmbiguous = "handle_ambiguous", Refused;
    /// A receipt of the product's own kind came from outside.
    ReservedSchema = "reserved_schema", Refused;
    /// No store.
    StoreMissing = "store_missing", Failed;
    /// A store is there already.
    StoreExists = "store_exists", Refused;
    /// The store is no store, or damaged.
    StoreDamaged = "store_damaged", Failed;
    /// The store cannot be written.
    StoreReadonly = "store_readonly", Failed;
    /// The disk is full.
    StoreFull = "store_full", Failed;
    /// The store was written by a newer version.
    StoreNewer = "store_newer", Failed;
    /// The store has the layout of an older version.
    StoreOlder = "store_older", Failed;
    /// The store did not answer in time.
    StoreBusy = "store_busy", Failed;
    /// The file system cannot lock.
    StoreUnlockable = "store_unlockable", Failed;
    /// The chain or a projection does not verify.
    VerifyFailed = "verify_failed", Refused;
    /// The flag file is missing or damaged.
    FlagsDamaged = "flags_damaged", Failed;
    /// Limits or configuration are invalid.
    ConfigInvalid = "config_invalid", Failed;
    /// A file cannot be read.
    FileUnreadable = "file_unreadable", Failed;
    /// The call's words are off.
    Usage = "usage", Usage;
    /// A bare verdict word is no classification.
    ForbiddenTerminalLabel = "forbidden_terminal_label", Refused;
    /// Somebody settled the failure code, or took the decision back, before.
    CodeSettled = "code_settled", Refused;
    /// The user's catalogue file was edited by hand.
    CatalogEdited = "catalog_edited", Refused;
    /// The catalogue breaks its own rules.
    CatalogInvalid = "catalog_invalid", Failed;
    /// A hook payload that cannot be understood.
    HookPayload = "hook_payload", Refused;
    /// A file that an install would change is not what it should be.
    InstallUnreadable = "install_unreadable", Refused;
    /// A file that an install would change is read-only.
    InstallReadonly = "install_readonly", Refused;
    /// A file was edited while an install went on.
    InstallRaced = "install_raced", Refused;
    /// Nobody said yes to an install.
    InstallUnconfirmed = "install_unconfirmed", Refused;
    /// A roll-out to every project before the proof.
    AcceptanceMissing = "acceptance_missing", Refused;
    /// A canary could not be run.
    CanaryFailed = "canary_failed", Refused;
    /// Somebody holds the handoff.
    HandoffHeld = "handoff_held", Refused;
    /// Nobody takes an own handoff.
    HandoffOwn = "handoff_own", Refused;
    /// Only the handoff's asker may.
    HandoffNotAsker = "handoff_not_asker", Refused;
    /// Nobody holds the handoff.
    HandoffUnclaimed = "handoff_unclaimed", Refused;
    /// The claim had come to nothing before.
    HandoffLate = "handoff_late", Refused;
    /// No claim has that epoch.
    HandoffEpoch = "handoff_epoch", Refused;
    /// An action is never answered.
    HandoffAction = "handoff_action", Refused;
    /// Only five classes are escalated.
    HandoffClass = "handoff_class", Refused;
    /// A second follow-up question.
    FollowUpSpent = "follow_up_spent", Refused;
    /// No open handoff for this agent.
    HandoffNone = "handoff_none", Refused;
    /// The guard refuses the call, without a breaker.
    GuardDenied = "guard_denied", Refused;
    /// The guard refuses the call, and a breaker opened.
    GuardTripped = "guard_tripped", Refused;
    /// The guard did not understand a call that may change things.
    GuardUnclear = "guard_unclear", Refused;
    /// A wait ran out.
    WaitRanOut = "wait_ran_out", Refused;
    /// A message was acknowledged before.
    MessageAcknowledged = "message_acknowledged", Refused;
    /// A message is for another agent.
    MessageForeign = "message_foreign", Refused;
    /// An inbox holds too many messages that nobody acknowledged.
    InboxFull = "inbox_full", Refused;
    /// A file of another tool that cannot be taken in.
    ImportUnknown = "import_unknown", Refused;
    /// The product itself failed.
    Internal = "internal_fault", Failed;
}

/// A refusal or failure that the product names.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {cause}", code.as_str())]
pub struct Refusal {
    /// The catalogue code.
    pub code: Code,
    /// Why, in a sentence.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
    /// All faults of the object, where one was refused.
    pub faults: Vec<Fault>,
}

/// How a refusal is written with `--json`.
#[derive(Serialize)]
pub struct RefusalView<'a> {
    code: &'static str,
    cause: &'a str,
    next_command: &'a str,
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    faults: &'a [Fault],
}

impl Refusal {
    /// A refusal with its cause and the next command.
    pub fn new(code: Code, cause: impl Into<String>, next_command: impl Into<String>) -> Self {
        Self {
            code,
            cause: cause.into(),
            next_command: next_command.into(),
            faults: Vec::new(),
        }
    }

    /// The refusal of an object that broke its contract.
    #[must_use]
    pub fn of_faults(what: &str, faults: Vec<Fault>, next_command: impl Into<String>) -> Self {
        let list: Vec<String> = faults
            .iter()
            .map(|f| {
                if f.path.is_empty() {
                    f.message.clone()
                } else {
                    format!("{}: {}", f.path, f.message)
                }
            })
            .collect();
        let cause = format!("{what} breaks its contract: {}", list.join("; "));
        Self {
            code: Code::ContractFault,
            cause,
            next_command: next_command.into(),
            faults,
        }
    }

    /// The form written with `--json`.
    #[must_use]
    pub fn view(&self) -> RefusalView<'_> {
        RefusalView {
            code: self.code.as_str(),
            cause: &self.cause,
            next_command: &self.next_command,
            faults: &self.faults,
        }
    }
}
