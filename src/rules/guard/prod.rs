//! Production: how an environment is named, databases, and requests that change something.

pub(super) mod db;
pub(super) mod http;

use super::call::Call;
use super::text;
use super::walk::Walk;

/// What environment a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Production,
    /// One that is not production.
    Other,
    Nothing,
}

/// Words for environments that are not production.
const OTHER: [&str; 38] = [
    "staging",
    "stage",
    "stg",
    "dev",
    "devel",
    "develop",
    "development",
    "test",
    "tests",
    "testing",
    "qa",
    "sandbox",
    "local",
    "localhost",
    "ci",
    "preview",
    "review",
    "uat",
    "demo",
    "minikube",
    "kind",
    "k3d",
    "integration",
    "preprod",
    "nonprod",
    "lab",
    "canary",
    "e2e",
    "playground",
    "scratch",
    "docker",
    "127",
    "experimental",
    "ephemeral",
    "acc",
    "acceptance",
    "tst",
    "int",
];

/// Flags that name an environment; they count before everything else.
const FLAGS: [&str; 25] = [
    "--context",
    "--kube-context",
    "--profile",
    "--stage",
    "--env",
    "--environment",
    "--workspace",
    "--stack",
    "--cluster",
    "--namespace",
    "-n",
    "--subscription",
    "--app",
    "-a",
    "--project",
    "--site",
    "--target",
    "-chdir",
    "-var-file",
    "-var",
    "-e",
    "--var-file",
    "--kubeconfig",
    "-s",
    "--config",
];

/// Variables that name one.
const VARIABLES: [&str; 17] = [
    "AWS_PROFILE",
    "KUBECONFIG",
    "TF_WORKSPACE",
    "ENV",
    "ENVIRONMENT",
    "RAILS_ENV",
    "NODE_ENV",
    "STAGE",
    "APP_ENV",
    "DATABASE_URL",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "PULUMI_STACK",
    "DEPLOY_ENV",
    "MIX_ENV",
    "DJANGO_SETTINGS_MODULE",
    "PGHOST",
];

/// What environment the words of a text name.
pub(super) fn kind(walk: &Walk<'_>, name: &str) -> Named {
    let mut other = false;
    let mut before = "";
    for token in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let lower = token.to_ascii_lowercase();
        let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit());
        let known = |word: &String| word.eq_ignore_ascii_case(bare) || *word == lower;
        if walk.policy.production.iter().any(known)
            && !matches!(before, "non" | "pre" | "not" | "Non" | "NON")
        {
            return Named::Production;
        }
        other |= OTHER.contains(&bare) || OTHER.contains(&lower.as_str());
        before = token;
    }
    if other { Named::Other } else { Named::Nothing }
}

/// What environment a call names.
pub(super) fn named(walk: &Walk<'_>, call: &Call) -> Named {
    let mut flags = Vec::new();
    let mut words = Vec::new();
    let mut args = call.args.iter().peekable();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) if arg.starts_with('-') => (name, Some(value)),
            _ => (arg.as_str(), None),
        };
        if FLAGS.contains(&name) {
            let value = value.or_else(|| args.peek().map(|next| next.as_str()));
            flags.extend(value.map(|value| kind(walk, value)));
        } else {
            words.push(kind(walk, arg));
        }
    }
    for name in VARIABLES {
        let value = call.env(name).map(str::to_owned).or_else(|| {
            let value = walk.variable(name)?;
            value.texts.first().cloned()
        });
        flags.extend(value.map(|value| kind(walk, &value)));
    }
    if let Some(selected) = &walk.selected {
        flags.push(kind(walk, selected));
    }
    if let Some(moved) = walk.places.moved() {
        words.push(kind(walk, text::base(&moved)));
        words.push(kind(walk, moved.rsplit('/').nth(1).unwrap_or_default()));
    }
    strictest(&flags)
        .or_else(|| strictest(&words))
        .unwrap_or(Named::Nothing)
}

fn strictest(kinds: &[Named]) -> Option<Named> {
    let found = |kind: Named| kinds.contains(&kind).then_some(kind);
    found(Named::Production).or_else(|| found(Named::Other))
}

/// What a call selects for those after it.
pub(super) fn selects(walk: &mut Walk<'_>, call: &Call) {
    let words: Vec<&str> = call
        .args
        .iter()
        .map(String::as_str)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let name = match (call.name.as_str(), words.as_slice()) {
        ("terraform" | "tofu", ["workspace", "select" | "new", name, ..])
        | ("kubectl", ["config", "use-context" | "use", name, ..])
        | ("pulumi", ["stack", "select", name, ..])
        | ("docker", ["context", "use", name, ..])
        | ("kubectx" | "kubens", [name, ..])
        | (
            "gcloud",
            ["config", "configurations", "activate", name, ..] | ["config", "set", _, name, ..],
        ) => (*name).to_owned(),
        _ => return,
    };
    walk.selected = Some(name);
}
