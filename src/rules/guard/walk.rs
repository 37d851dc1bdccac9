//! The walk over a script: what each command would be called with, what its output is where that
//! can be told, and where the script then stands.

mod expand;
mod group;
mod value;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::contract::breaker::Trigger;
use crate::contract::guard::{Grantable, Policy};

use super::lex::{self, Fault};
use super::paths::Places;
use super::rules;
use super::secrets;
use super::text;
use super::tree::Script;

pub(super) use value::Value;

/// Commands that are judged at most; a function that is called is judged again.
const COMMANDS: usize = 2 * lex::MOST;
/// Bytes that expansions may make.
const BYTES: usize = 16 * lex::LONGEST;
/// What a program prints for a shell to set itself up with.
pub(super) const SETTINGS: &str = "settings";
/// Bytes of an output that are looked at.
const OUTPUT: usize = lex::LONGEST;

/// What stands against a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) rule: String,
    /// A breaker opens; without one the call is only refused.
    pub(super) trigger: Option<Trigger>,
    pub(super) reason: String,
    pub(super) wants: Option<Grantable>,
}

/// The state of one walk.
pub(super) struct Walk<'p> {
    pub(super) policy: &'p Policy,
    pub(super) places: Places<'p>,
    /// The strictest finding.
    pub(super) found: Option<Finding>,
    /// What was not understood.
    pub(super) unclear: Option<String>,
    /// Whether everything was understood as reading.
    pub(super) reads: bool,
    vars: BTreeMap<String, Value>,
    functions: BTreeMap<String, Rc<Script>>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) git_aliases: BTreeMap<String, String>,
    /// What was put into files on the way.
    files: BTreeMap<String, String>,
    /// Where links that were made on the way lead.
    links: BTreeMap<String, String>,
    /// Where the secret that is on its way was read.
    secret: Option<(&'static str, String)>,
    /// The branch that is checked out, or was switched to.
    pub(super) branch: Option<String>,
    /// The environment that was selected.
    pub(super) selected: Option<String>,
    /// The user that a wrapper switched to.
    pub(super) user: Option<String>,
    nodes: usize,
    depth: usize,
    commands: usize,
    bytes: usize,
    /// How deep in what may run or not.
    maybe: usize,
    /// Functions that are running.
    running: Vec<String>,
    /// Whether a shell shows what it runs.
    trace: bool,
}

impl<'p> Walk<'p> {
    pub(super) fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            places: Places::of(policy),
            found: None,
            unclear: None,
            reads: true,
            vars: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            git_aliases: BTreeMap::new(),
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            secret: None,
            branch: policy.branch.clone(),
            selected: None,
            user: None,
            nodes: 0,
            depth: 0,
            commands: 0,
            bytes: 0,
            maybe: 0,
            running: Vec::new(),
            trace: false,
        }
    }

    /// Judges a whole script whose output is shown.
    pub(super) fn shown(&mut self, script: &str) {
        let out = self.script(script, "");
        self.show(&out);
    }

    /// Something is shown to the model.
    pub(super) fn show(&mut self, out: &str) {
        if out.contains(text::SECRET) {
            let (rule, what) = self
                .secret
                .take()
                .unwrap_or(("secret.print-var", String::new()));
            self.report(rule, &what, None);
        }
    }

    /// A text that a shell would run.
    pub(super) fn script(&mut self, script: &str, stdin: &str) -> String {
        if script.contains(text::DOWNLOAD) {
            self.report("exec.pipe-to-shell", "", None);
            return String::new();
        }
        if script == text::marked(text::SOMETHING, SETTINGS) {
            self.reads = false;
            return String::new();
        }
        if text::wholly_unknown(script) {
            self.unclear("a shell would run a text that is not known");
            return text::marked(text::UNKNOWN, "output");
        }
        if !self.spend(script.len()) {
            return String::new();
        }
        let parsed = lex::parse(script, self.nodes, self.depth);
        self.nodes = parsed.nodes;
        self.depth += 1;
        let out = self.run(&parsed.script, stdin);
        self.depth -= 1;
        if let Some(fault) = parsed.fault {
            self.fault(fault);
        }
        out
    }

    pub(super) fn fault(&mut self, fault: Fault) {
        self.unclear(match fault {
            Fault::Broken => "it cannot be read as a shell would read it",
            Fault::Large => "it is larger than is judged",
            Fault::Deep => "it is nested deeper than is judged",
        });
    }

    pub(super) fn unclear(&mut self, why: &str) {
        self.reads = false;
        self.unclear.get_or_insert_with(|| why.to_owned());
    }

    /// Whether so many more bytes may be made.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        let enough = self.bytes <= BYTES;
        if !enough {
            self.fault(Fault::Large);
        }
        enough
    }

    /// Whether one more command may be judged.
    pub(super) fn step(&mut self) -> bool {
        self.commands += 1;
        let enough = self.commands <= COMMANDS;
        if !enough {
            self.fault(Fault::Large);
        }
        enough
    }

    /// A rule of the built-in ones speaks; `what` says of what.
    pub(super) fn report(&mut self, rule: &str, what: &str, wants: Option<Grantable>) {
        let told = rules::told(rule);
        self.find(Finding {
            rule: rule.to_owned(),
            trigger: told.trigger,
            reason: if what.is_empty() {
                told.reason.to_owned()
            } else {
                format!("{}: {}", told.reason, text::shown(what))
            },
            wants,
        });
    }

    /// The strictest finding stays, the first of equals.
    pub(super) fn find(&mut self, finding: Finding) {
        self.reads = false;
        if finding
            .wants
            .as_ref()
            .is_some_and(|wants| self.granted(wants))
        {
            return;
        }
        let stricter = match &self.found {
            None => true,
            Some(found) => found.trigger.is_none() && finding.trigger.is_some(),
        };
        if stricter {
            self.found = Some(finding);
        }
    }

    fn granted(&self, wants: &Grantable) -> bool {
        self.policy.grants.iter().any(|grant| match (grant, wants) {
            (Grantable::Path(folder), Grantable::Path(path)) => {
                let below = path.strip_prefix(folder.trim_end_matches('/'));
                below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            (grant, wants) => grant == wants,
        })
    }

    /// Something secret was read and is on its way to where it may be shown.
    pub(super) fn read_secret(&mut self, rule: &'static str, what: &str) -> String {
        self.secret.get_or_insert_with(|| (rule, what.to_owned()));
        let name = if rule == "secret.read-file" {
            "file_content"
        } else {
            "value"
        };
        text::marked(text::SECRET, name)
    }

    /// The signs that end a name in the secret that is on its way.
    pub(super) fn signs(&self) -> &'static str {
        match &self.secret {
            None => "=:",
            Some(("secret.print-env", _)) => "=",
            Some(("secret.read-file", path)) => secrets::files::signs(path),
            Some(_) => "",
        }
    }

    pub(super) fn nested(&self) -> usize {
        self.depth
    }

    pub(super) fn deeper(&mut self, by: isize) {
        self.depth = self.depth.saturating_add_signed(by);
    }

    pub(super) fn traced(&self) -> bool {
        self.trace
    }

    pub(super) fn trace(&mut self, on: bool) {
        self.trace = on;
    }

    /// What was put into a file on the way.
    pub(super) fn content(&self, path: &str) -> Option<&str> {
        if self.files.is_empty() {
            return None;
        }
        self.files
            .get(&self.places.resolve(path))
            .map(String::as_str)
    }

    /// Remembers what is put into a file.
    pub(super) fn put(&mut self, path: &str, content: &str, append: bool) {
        let path = self.places.resolve(path);
        if !self.spend(path.len() + content.len()) {
            return;
        }
        let kept = self.files.entry(path).or_default();
        if !append {
            kept.clear();
        }
        if kept.len() + content.len() <= OUTPUT {
            kept.push_str(content);
        }
    }

    /// Remembers where a link leads.
    pub(super) fn link(&mut self, path: &str, target: &str) {
        let path = self.places.resolve(path);
        if self.spend(path.len() + target.len()) {
            self.links.insert(path, target.to_owned());
        }
    }

    /// Where a path behind a link is; `None` for every other path.
    pub(super) fn linked(&self, path: &str) -> Option<String> {
        if self.links.is_empty() {
            return None;
        }
        let whole = self.places.resolve(path);
        self.links.iter().find_map(|(link, target)| {
            let rest = super::paths::below(&whole, link)?;
            let through = !rest.is_empty() || path.ends_with('/');
            through.then(|| format!("{}/{rest}", target.trim_end_matches('/')))
        })
    }

    /// A variable as a script left it; `None` when it never set it.
    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.vars.get(name)
    }

    /// The first value of a variable that the script set.
    pub(super) fn first(&self, name: &str) -> Option<String> {
        self.vars.get(name)?.texts.first().cloned()
    }

    /// Sets a variable. What may not have happened leaves the former value possible.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        if name.is_empty() || !self.spend(value.size()) {
            return;
        }
        let value = match self.vars.get(name) {
            Some(old) if self.maybe > 0 => old.or(&value),
            _ => value,
        };
        self.vars.insert(name.to_owned(), value);
    }

    pub(super) fn unset(&mut self, name: &str) {
        if self.maybe == 0 {
            self.vars.remove(name);
        }
    }
}

/// Whether a text carries a secret on.
pub(super) fn carries(text: &str) -> bool {
    text.contains(text::SECRET)
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use crate::contract::guard::{Grantable, Policy};

    #[test]
    fn a_number_in_braces_is_that_number() {
        let policy = Policy {
            workspace: "/w/app".to_owned(),
            cwd: "/w/app".to_owned(),
            home: "/home/d".to_owned(),
            ..Policy::default()
        };
        for (line, path) in [
            ("rm -rf /et{1..3}", "/et1"),
            ("rm -rf /et{3..1}", "/et1"),
            ("rm -rf /et{0..15}", "/et0"),
            ("rm -rf /et{0..16}", "/et?"),
            ("rm -rf /et{c..}", "/et?"),
            ("rm -rf /et{c.}", "/et{c.}"),
            ("rm -rf /{e.tc}", "/{e.tc}"),
        ] {
            let wants = judge("Bash", line, &policy).wants;
            assert_eq!(wants, Some(Grantable::Path(path.to_owned())), "{line}");
        }
    }
}
