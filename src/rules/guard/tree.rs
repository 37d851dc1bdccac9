//! A shell script as the lexer reads it: no more than the walk needs.

use std::cell::OnceCell;
use std::rc::Rc;

/// Pipelines, one after another.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) items: Vec<Item>,
}

/// One pipeline.
#[derive(Debug)]
pub(super) struct Item {
    /// It runs only if the one before it did, or did not, succeed.
    pub(super) maybe: bool,
    pub(super) background: bool,
    pub(super) stages: Vec<Stage>,
}

/// One part of a pipeline.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) body: Body,
    pub(super) redirects: Vec<Redirect>,
}

impl Stage {
    /// Whether it only opens files for what follows.
    pub(super) fn opens(&self) -> bool {
        match &self.body {
            Body::Simple { words, .. } => words.len() == 1 && words[0].bare() == Some("exec"),
            _ => false,
        }
    }
}

/// What a stage runs.
#[derive(Debug)]
pub(super) enum Body {
    /// Assignments and a command, either of which may be missing.
    Simple {
        assigns: Vec<Assign>,
        words: Vec<Word>,
    },
    /// Everything between two keywords or brackets; its words are only expanded.
    Group {
        words: Vec<Word>,
        script: Script,
        /// Its variables end with it.
        own: bool,
        /// It may run or not.
        maybe: bool,
    },
    For {
        name: String,
        words: Vec<Word>,
        script: Script,
    },
    Function {
        name: String,
        script: Rc<Script>,
    },
}

/// `NAME=value`, `NAME+=value` or `NAME=(a b)`.
#[derive(Debug)]
pub(super) struct Assign {
    pub(super) name: String,
    pub(super) more: bool,
    pub(super) values: Vec<Word>,
}

/// What a redirection does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Read,
    Write,
    Append,
    /// Of another descriptor than the output.
    WriteAside,
    Text,
    Document,
    Copy,
}

/// A redirection.
#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) way: Way,
    pub(super) target: Word,
    /// The body of a here document, which follows the line.
    pub(super) document: Option<Rc<OnceCell<Word>>>,
}

/// A word: what is written without a blank between.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
}

/// A part of a word.
#[derive(Debug)]
pub(super) enum Part {
    Text {
        text: String,
        quoted: bool,
    },
    Var {
        name: String,
        quoted: bool,
        op: Op,
    },
    /// `$(…)` or backticks.
    Sub {
        script: Script,
        quoted: bool,
    },
    /// `<(…)` or `>(…)`.
    Process {
        script: Script,
        reads: bool,
    },
}

/// What an expansion does with the variable's value.
#[derive(Debug)]
pub(super) enum Op {
    /// The value.
    Plain,
    /// Every element of a list.
    All,
    /// One element of a list.
    Element,
    /// The value, or this where it is unset.
    Default(Word),
    /// The value, or an end.
    Required,
    /// This, where it is set.
    Alternate(Word),
    /// Something made from the value, or its length or name.
    Other(Word),
    /// Only a number or a name: never the value.
    Count,
}

impl Word {
    /// The text, where nothing of it is expanded.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [
                Part::Text {
                    text,
                    quoted: false,
                },
            ] => Some(text),
            _ => None,
        }
    }
}
