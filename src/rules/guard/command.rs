//! One command: who judges it, and what it would write.

mod builtin;
mod decode;
mod filter;
mod names;
mod options;
mod output;

use super::call::Call;
use super::code;
use super::files;
use super::forge;
use super::git;
use super::lex::{self, Fault};
use super::own;
use super::peel::{self, Inner};
use super::prod::{self, db, http};
use super::rules;
use super::shell;
use super::ssh;
use super::text;
use super::walk::{Finding, Walk, carries};

/// Programs that an unknown program may be called to run.
const RUN: [&str; 24] = [
    "git",
    "rm",
    "ssh",
    "scp",
    "kubectl",
    "terraform",
    "helm",
    "aws",
    "gcloud",
    "sh",
    "bash",
    "zsh",
    "dd",
    "mkfs",
    "find",
    "npm",
    "cargo",
    "docker",
    "systemctl",
    "curl",
    "wget",
    "psql",
    "python",
    "python3",
];

/// Variables whose value other programs run.
const HELPERS: [&str; 7] = [
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "KUBE_EDITOR",
    "SSH_ASKPASS",
];

impl Walk<'_> {
    /// A command that another one runs.
    pub(super) fn inner(
        &mut self,
        argv: &[String],
        env: &[(String, String)],
        stdin: String,
    ) -> String {
        if self.nested() >= lex::DEEPEST {
            self.fault(Fault::Deep);
            return String::new();
        }
        self.deeper(1);
        let out = self.command(argv, env, stdin);
        self.deeper(-1);
        out
    }

    /// Judges a command; answers what it would write.
    pub(super) fn command(
        &mut self,
        argv: &[String],
        env: &[(String, String)],
        stdin: String,
    ) -> String {
        let Some(word) = argv.first() else {
            return String::new();
        };
        if word.contains(text::DOWNLOAD) {
            self.report("exec.pipe-to-shell", "", None);
            return String::new();
        }
        if text::wholly_unknown(word) || text::known(word) == "?" {
            // It may be empty, or a wrapper.
            self.unclear("a command is called whose name is not known");
            if argv.len() > 1 {
                self.inner(&argv[1..], env, stdin);
            }
            return text::marked(text::UNKNOWN, "output");
        }
        let Some(mut call) = Call::of(argv, env, stdin) else {
            return String::new();
        };
        if !text::literal(&call.name) {
            call.name = text::known(&call.name);
        }
        if let Some(out) = self.defined(&call) {
            return out;
        }
        if self.traced() && call.args.iter().any(|arg| carries(arg)) {
            let args = call.args.join(" ");
            self.show(&args);
        }
        if let Some(out) = builtin::judge(self, &call) {
            return out;
        }
        self.judged(&call)
    }

    /// A function or an alias of the script.
    fn defined(&mut self, call: &Call) -> Option<String> {
        if let Some(out) = self.function(&call.path, &call.args, &call.stdin) {
            return Some(out);
        }
        let alias = self.aliases.get(&call.path)?.clone();
        if text::fields(&alias).next() == Some(call.path.as_str()) || self.nested() >= lex::DEEPEST
        {
            return None;
        }
        let mut line = alias;
        for arg in &call.args {
            line.push_str(" '");
            line.push_str(&arg.replace('\'', "'\\''"));
            line.push('\'');
        }
        Some(self.script(&line, &call.stdin))
    }

    fn judged(&mut self, call: &Call) -> String {
        prod::selects(self, call);
        let said = rules::judge(call, || prod::named(self, call));
        if let Some(rule) = said.refuses {
            let words = words(call);
            self.report(rule, &words, None);
        }
        let verb = call.args.first().map_or("", String::as_str);
        if (call.path.starts_with("/etc/init.d/") || call.path.starts_with("/etc/rc.d/"))
            && matches!(
                verb,
                "start" | "stop" | "restart" | "reload" | "force-reload"
            )
        {
            let words = words(call);
            self.report("prod.service-script", &words, None);
        }
        options::judge(self, call);
        self.helpers(call);
        self.own_rules(call);
        own::agents(self, call);
        own::ended(self, call, &text::marked(text::SOMETHING, output::OWN));
        if own::product(self, call) {
            return text::marked(text::SOMETHING, "text");
        }
        let far = call
            .env("DOCKER_HOST")
            .map(str::to_owned)
            .or_else(|| self.first("DOCKER_HOST"));
        if let Some(host) = far.filter(|host| {
            host.starts_with("ssh://")
                && matches!(call.name.as_str(), "docker" | "podman" | "docker-compose")
        }) {
            ssh::reach(self, "ssh.session", &ssh::host(&host[6..]));
        }
        if call.name == "git" {
            return git::judge(self, call);
        }
        if let Some(rule) = said.prints {
            self.reads = false;
            let words = words(call);
            return self.read_secret(rule, &words);
        }
        let mut known = forge::judge(self, call);
        known = known.or_else(|| ssh::judge(self, call));
        known = known.or_else(|| http::judge(self, call));
        known = known.or_else(|| db::judge(self, call));
        known = known.or_else(|| files::judge(self, call));
        known = known.or_else(|| shell::judge(self, call));
        known = known.or_else(|| code::judge(self, call));
        if let Some(out) = known {
            return out;
        }
        if let Some(inner) = peel::peel(self, call) {
            return self.peeled(call, inner);
        }
        if let Some(out) = output::judge(self, call) {
            return out;
        }
        let asks = call.args.len() == 1
            && matches!(
                call.args[0].as_str(),
                "--version" | "--help" | "-V" | "version"
            );
        self.reads &= said.reads || asks;
        if !said.reads {
            self.unknown_wrapper(call);
            self.downloaded(call);
        }
        text::marked(text::UNKNOWN, "output")
    }

    /// Programs that variables name for others to run.
    fn helpers(&mut self, call: &Call) {
        for (name, value) in &call.env {
            let runs = HELPERS.contains(&name.as_str()) && call.name != "git";
            if runs && !value.is_empty() && self.step() {
                self.script(value, "");
            }
        }
    }

    fn peeled(&mut self, call: &Call, inner: Inner) -> String {
        let env = peel::assignments(call);
        match inner {
            Inner::Argv(argv) => {
                let takes = matches!(call.name.as_str(), "xargs" | "gxargs");
                let stdin = if takes {
                    String::new()
                } else {
                    call.stdin.clone()
                };
                self.inner(&argv, &env, stdin)
            }
            Inner::Script(script) => self.script(&script, ""),
        }
    }

    /// A program that nobody here knows may run its words.
    fn unknown_wrapper(&mut self, call: &Call) {
        let first = call.args.iter().position(|arg| !arg.starts_with('-'));
        let Some(at) = first.filter(|at| call.args.len() > at + 1) else {
            return;
        };
        if RUN.contains(&text::base(&call.args[at]))
            && rules::valued(&call.name).is_empty()
            && !rules::knows(&call.name)
        {
            self.inner(&call.args[at..], &call.env, String::new());
        }
    }

    /// A file that was put there on the way is run.
    fn downloaded(&mut self, call: &Call) {
        if !call.path.contains('/') {
            return;
        }
        if let Some(content) = self.content(&call.path).map(str::to_owned) {
            self.script(&content, &call.stdin);
        }
    }

    fn own_rules(&mut self, call: &Call) {
        let policy = self.policy;
        for rule in &policy.rules {
            if rules::own(rule, call, || prod::named(self, call)) {
                self.find(Finding {
                    rule: rule.id.clone(),
                    trigger: rule.trigger,
                    reason: rule.reason.clone(),
                    wants: None,
                });
            }
        }
    }
}

/// The program and its first words, for a reason.
fn words(call: &Call) -> String {
    let mut words = call.name.clone();
    for arg in call
        .args
        .iter()
        .filter(|arg| !arg.contains(text::SECRET))
        .take(4)
    {
        words.push(' ');
        words.push_str(arg);
    }
    words
}

#[cfg(test)]
mod tests;
