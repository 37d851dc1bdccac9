//! Pipelines, groups, loops, functions, redirections.

use std::rc::Rc;

use super::super::files;
use super::super::lex::{self, Fault};
use super::super::text::{self, UNKNOWN};
use super::super::tree::{Assign, Body, Item, Op, Part, Redirect, Script, Stage, Way, Word};
use super::{OUTPUT, Value, Walk, carries};

impl Walk<'_> {
    /// Runs a script; answers what it would write.
    pub(super) fn run(&mut self, script: &Script, stdin: &str) -> String {
        let mut out = String::new();
        for item in &script.items {
            self.maybe += usize::from(item.maybe);
            let more = self.pipeline(item, stdin);
            self.maybe -= usize::from(item.maybe);
            if out.len() + more.len() <= OUTPUT && self.spend(more.len()) {
                out.push_str(&more);
            }
        }
        out
    }

    fn pipeline(&mut self, item: &Item, stdin: &str) -> String {
        let mut flow = stdin.to_owned();
        for stage in &item.stages {
            flow = self.stage(stage, flow);
        }
        flow
    }

    fn stage(&mut self, stage: &Stage, stdin: String) -> String {
        let mut stdin = stdin;
        let mut target: Option<(String, bool)> = None;
        for redirect in &stage.redirects {
            self.redirect(redirect, &mut stdin, &mut target);
        }
        if carries(&stdin) && stage.opens() {
            // Under which number it stays open is not looked at.
            for number in 3..10 {
                self.put(&format!("/dev/fd/{number}"), &stdin, false);
            }
        }
        let out = self.body(&stage.body, stdin);
        let Some((path, append)) = target else {
            return out;
        };
        if matches!(
            path.as_str(),
            "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2"
        ) {
            return out;
        }
        files::fills(self, &out, &path);
        self.put(&path, &out, append);
        String::new()
    }

    fn redirect(
        &mut self,
        redirect: &Redirect,
        stdin: &mut String,
        target: &mut Option<(String, bool)>,
    ) {
        if redirect.way == Way::Document {
            let body = redirect.document.as_ref().and_then(|cell| cell.get());
            *stdin = body.map(|word| self.one(word)).unwrap_or_default();
            return;
        }
        for path in self.alternatives(&redirect.target) {
            match redirect.way {
                Way::Read => *stdin = self.reading(&path),
                Way::Text => {
                    *stdin = path;
                    stdin.push('\n');
                }
                Way::Write | Way::Append => {
                    if redirect.way == Way::Append {
                        self.writing(&path);
                    } else {
                        self.emptying(&path);
                    }
                    *target = Some((path, redirect.way == Way::Append));
                }
                Way::WriteAside => self.writing(&path),
                Way::Copy if stdin.is_empty() => {
                    let opened = self.content(&format!("/dev/fd/{path}"));
                    *stdin = opened.unwrap_or_default().to_owned();
                }
                Way::Document | Way::Copy => {}
            }
        }
    }

    fn body(&mut self, body: &Body, stdin: String) -> String {
        match body {
            Body::Simple { assigns, words } => self.simple(assigns, words, stdin),
            Body::Group {
                words,
                script,
                own,
                maybe,
            } => {
                for word in words {
                    self.alternatives(word);
                }
                let kept = own.then(|| self.keep());
                self.maybe += usize::from(*maybe);
                let out = self.run(script, &stdin);
                self.maybe -= usize::from(*maybe);
                if let Some(kept) = kept {
                    self.restore(kept);
                }
                out
            }
            Body::For {
                name,
                words,
                script,
            } => {
                let mut values = Vec::new();
                for word in words {
                    self.fields(word, &mut values);
                }
                if values.is_empty() {
                    values.push(text::marked(UNKNOWN, name));
                }
                self.set(name, Value::any(values));
                self.maybe += 1;
                let out = self.run(script, &stdin);
                self.maybe -= 1;
                out
            }
            Body::Function { name, script } => {
                if bomb(name, script) {
                    self.report("disk.exhaustion", "a function that only calls itself", None);
                }
                self.functions.insert(name.clone(), Rc::clone(script));
                String::new()
            }
        }
    }

    /// Runs a script that leaves folder, variables and branch here as they were.
    pub(in super::super) fn apart(&mut self, script: &str, stdin: &str) -> String {
        let kept = self.keep();
        let out = self.script(script, stdin);
        self.restore(kept);
        out
    }

    fn keep(&mut self) -> Kept {
        let size: usize = self.vars.values().map(Value::size).sum();
        self.spend(size);
        Kept {
            vars: self.vars.clone(),
            cwd: self.places.moved(),
            branch: self.branch.clone(),
        }
    }

    fn restore(&mut self, kept: Kept) {
        self.vars = kept.vars;
        self.places.back(kept.cwd);
        self.branch = kept.branch;
    }

    fn simple(&mut self, assigns: &[Assign], words: &[Word], stdin: String) -> String {
        if !self.step() {
            return String::new();
        }
        let mut env = Vec::new();
        for assign in assigns {
            let value = self.assigned(assign);
            if words.is_empty() {
                self.set(&assign.name, value);
            } else {
                let text = value.texts.into_iter().next().unwrap_or_default();
                env.push((assign.name.clone(), text));
            }
        }
        let Some(first) = words.first() else {
            // `$(< FILE)` is the file.
            return if assigns.is_empty() {
                stdin
            } else {
                String::new()
            };
        };
        let mut argvs = self.choices(first);
        if argvs.is_empty() {
            let mut argv = Vec::with_capacity(words.len());
            self.fields(first, &mut argv);
            argvs.push(argv);
        }
        for pair in words.windows(2) {
            let texts = match argvs.as_slice() {
                [_] => self.one_of(&pair[0], &pair[1]),
                _ => None,
            };
            if let Some(texts) = texts {
                let argv = argvs.pop().unwrap_or_default();
                let filled = texts.into_iter().map(|text| {
                    let mut argv = argv.clone();
                    argv.push(text);
                    argv
                });
                argvs = filled.collect();
            } else {
                let mut more = Vec::new();
                self.fields(&pair[1], &mut more);
                for argv in &mut argvs {
                    argv.extend(more.iter().cloned());
                }
            }
        }
        // One of several commands: each is judged, and a secret that one of them writes stays.
        let mut argvs = argvs.into_iter();
        let argv = argvs.next().unwrap_or_default();
        let mut out = self.command(&argv, &env, stdin.clone());
        for argv in argvs {
            if !self.step() {
                break;
            }
            let more = self.command(&argv, &env, stdin.clone());
            if !carries(&out) {
                out = more;
            }
        }
        out
    }

    /// The values of a quoted variable behind a flag, where it may have one of several: the flag
    /// takes one of them, and the others are no words of the command.
    fn one_of(&self, before: &Word, word: &Word) -> Option<Vec<String>> {
        let [
            Part::Var {
                name,
                quoted: true,
                op: Op::Plain,
            },
        ] = word.parts.as_slice()
        else {
            return None;
        };
        before.bare().filter(|word| word.starts_with('-'))?;
        let value = self.vars.get(name).filter(|value| !value.list)?;
        match value.texts.as_slice() {
            [_, _, ..] => Some(value.texts.clone()),
            _ => None,
        }
    }

    /// What a command word that is a variable with several values may stand for.
    fn choices(&self, word: &Word) -> Vec<Vec<String>> {
        let [Part::Var { name, op, .. }] = word.parts.as_slice() else {
            return Vec::new();
        };
        let Some(value) = self.vars.get(name).filter(|value| value.texts.len() > 1) else {
            return Vec::new();
        };
        let split = |text: &String| text::fields(text).map(str::to_owned).collect();
        match op {
            _ if !value.list => value.texts.iter().map(split).collect(),
            Op::Element => value.texts.iter().map(split).collect(),
            // A list without a subscript is its first element, or all of it, by the shell.
            Op::Plain if !matches!(name.as_str(), "@" | "*") => {
                let whole = value.texts.iter().flat_map(|text| text::fields(text));
                let whole: Vec<String> = whole.map(str::to_owned).collect();
                let firsts = value.firsts.iter().map(split);
                std::iter::once(whole).chain(firsts).collect()
            }
            _ => Vec::new(),
        }
    }

    fn assigned(&mut self, assign: &Assign) -> Value {
        let value = match assign.values.as_slice() {
            [one] => Value::any(self.alternatives(one)),
            many => {
                let mut texts = Vec::new();
                for word in many {
                    self.fields(word, &mut texts);
                }
                Value::list(texts)
            }
        };
        match self.vars.get(&assign.name) {
            Some(old) if assign.more => old.and(value),
            _ => value,
        }
    }

    /// Calls a function of the script; `None` when there is none of the name.
    pub(in super::super) fn function(
        &mut self,
        name: &str,
        args: &[String],
        stdin: &str,
    ) -> Option<String> {
        let script = Rc::clone(self.functions.get(name)?);
        if self.running.iter().any(|running| running == name) {
            // What it does is being judged.
            return Some(text::marked(UNKNOWN, "output"));
        }
        if self.running.len() >= lex::DEEPEST {
            self.fault(Fault::Deep);
            return Some(text::marked(UNKNOWN, "output"));
        }
        self.running.push(name.to_owned());
        let mut kept = Vec::new();
        for at in 1..=9 {
            let name = at.to_string();
            kept.push((name.clone(), self.vars.remove(&name)));
            if let Some(arg) = args.get(at - 1) {
                self.vars.insert(name, Value::one(arg.clone()));
            }
        }
        for name in ["@", "*"] {
            kept.push((name.to_owned(), self.vars.remove(name)));
            self.vars
                .insert(name.to_owned(), Value::list(args.to_vec()));
        }
        let out = self.run(&script, stdin);
        for (name, value) in kept {
            match value {
                Some(value) => self.vars.insert(name, value),
                None => self.vars.remove(&name),
            };
        }
        self.running.pop();
        Some(out)
    }

    /// A file is read by a redirection.
    fn reading(&mut self, path: &str) -> String {
        self.connecting(path);
        self.file(path)
    }
}

/// What a subshell gives back.
struct Kept {
    vars: std::collections::BTreeMap<String, Value>,
    cwd: Option<String>,
    branch: Option<String>,
}

/// Whether a function calls itself in a pipeline or in the background.
fn bomb(name: &str, script: &Script) -> bool {
    let calls = |stage: &Stage| match &stage.body {
        Body::Simple { words, .. } => words.first().and_then(Word::bare) == Some(name),
        _ => false,
    };
    script.items.iter().any(|item| {
        let itself = item.stages.iter().filter(|stage| calls(stage)).count();
        let inner = item.stages.iter().any(|stage| match &stage.body {
            Body::Group { script, .. } => bomb(name, script),
            _ => false,
        });
        inner || itself > 1 || (itself == 1 && item.background)
    })
}
