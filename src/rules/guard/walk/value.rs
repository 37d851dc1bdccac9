//! Values of variables.

/// Most values of one variable that are told apart.
const MOST: usize = 16;

/// What a variable may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Value {
    /// All at once, as a list's, instead of one of them.
    pub(in super::super) list: bool,
    pub(in super::super) texts: Vec<String>,
}

impl Value {
    pub(in super::super) fn one(text: String) -> Self {
        Self {
            list: false,
            texts: vec![text],
        }
    }

    /// One of several; of too many only some are kept, and that there were more.
    pub(in super::super) fn any(mut texts: Vec<String>) -> Self {
        if texts.len() > MOST {
            texts.truncate(MOST);
            texts.push(super::text::marked(super::text::SOMETHING, "more"));
        }
        Self { list: false, texts }
    }

    pub(in super::super) fn list(texts: Vec<String>) -> Self {
        Self { list: true, texts }
    }

    /// This one or that one.
    pub(super) fn or(&self, other: Self) -> Self {
        let mut texts = self.texts.clone();
        for text in other.texts {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        Self {
            list: self.list || other.list,
            ..Self::any(texts)
        }
    }

    /// This one with that one behind it.
    pub(super) fn and(&self, other: Self) -> Self {
        if self.list {
            let mut texts = self.texts.clone();
            texts.extend(other.texts);
            return Self::list(texts);
        }
        let first = self.texts.first().map_or("", String::as_str);
        let texts = other.texts.iter().map(|text| format!("{first}{text}"));
        Self::any(texts.collect())
    }

    /// Bytes.
    pub(super) fn size(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }
}
