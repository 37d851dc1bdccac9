//! Values of variables.

/// Most values of one variable that are told apart.
const MOST: usize = 16;

/// What a variable may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Value {
    /// All at once, as a list's, instead of one of them.
    pub(in super::super) list: bool,
    pub(in super::super) texts: Vec<String>,
    /// What may stand first in a list.
    pub(super) firsts: Vec<String>,
}

impl Value {
    pub(in super::super) fn one(text: String) -> Self {
        Self {
            list: false,
            texts: vec![text],
            firsts: Vec::new(),
        }
    }

    /// One of several; of too many only some are kept, and that there were more.
    pub(in super::super) fn any(mut texts: Vec<String>) -> Self {
        if texts.len() > MOST {
            texts.truncate(MOST);
            texts.push(super::text::marked(super::text::SOMETHING, "more"));
        }
        Self {
            list: false,
            texts,
            firsts: Vec::new(),
        }
    }

    pub(in super::super) fn list(texts: Vec<String>) -> Self {
        let firsts = texts.first().cloned().into_iter().collect();
        Self {
            list: true,
            texts,
            firsts,
        }
    }

    /// This one or that one.
    pub(super) fn or(&self, other: &Self) -> Self {
        let list = self.list || other.list;
        let mut firsts = Vec::new();
        if list {
            firsts = joined(self.heads(), other.heads());
            firsts.truncate(MOST);
        }
        Self {
            list,
            firsts,
            ..Self::any(joined(&self.texts, &other.texts))
        }
    }

    /// This one with that one behind it.
    pub(super) fn and(&self, other: Self) -> Self {
        if self.list {
            let mut texts = self.texts.clone();
            texts.extend(other.texts);
            return Self {
                firsts: self.firsts.clone(),
                ..Self::list(texts)
            };
        }
        let first = self.texts.first().map_or("", String::as_str);
        let texts = other.texts.iter().map(|text| format!("{first}{text}"));
        Self::any(texts.collect())
    }

    /// What the variable alone may stand for.
    fn heads(&self) -> &[String] {
        if self.list { &self.firsts } else { &self.texts }
    }

    /// Bytes.
    pub(super) fn size(&self) -> usize {
        let all = self.texts.iter().chain(&self.firsts);
        all.map(String::len).sum()
    }
}

/// Both, each text once.
fn joined(some: &[String], more: &[String]) -> Vec<String> {
    let mut all = some.to_vec();
    for text in more {
        if !all.contains(text) {
            all.push(text.clone());
        }
    }
    all
}
