//! Reads the fields of one object and collects all of its faults, in the order in which the
//! contract asks for them; unknown keys come last. A faulty field reads as an empty value,
//! which nobody sees: [`Fields::close`] then has faults.

use serde_json::{Map, Value};

use super::doc::{Doc, join, to_map};
use crate::contract::fault::Fault;

/// White space by Unicode, and the four separators U+001C to U+001F.
#[must_use]
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Whether a text has nothing but white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// One object while it is read.
#[derive(Debug)]
pub struct Fields<'a> {
    path: String,
    entries: &'a [(String, Doc)],
    asked: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl<'a> Fields<'a> {
    /// Opens the object at `path`; the whole text has the empty path.
    ///
    /// # Errors
    /// `type` when the value is no object.
    pub fn open(doc: &'a Doc, path: &str) -> Result<Self, Vec<Fault>> {
        let Doc::Object(entries) = doc else {
            return Err(vec![type_fault(path.to_owned(), "an object", doc)]);
        };
        Ok(Self {
            path: path.to_owned(),
            entries,
            asked: Vec::new(),
            faults: Vec::new(),
        })
    }

    /// Ends the reading: all faults, with one `extra_forbidden` for each key nobody asked for.
    #[must_use]
    pub fn close(mut self) -> Vec<Fault> {
        for (key, _) in self.entries {
            if !self.asked.contains(&key.as_str()) {
                let message = "the contract has no such key";
                let path = join(&self.path, key);
                self.faults
                    .push(Fault::new("extra_forbidden", path, message));
            }
        }
        self.faults
    }

    /// Adds a fault of this object's own rules at one of its keys.
    pub fn fault(&mut self, code: &str, key: &str, message: &str) {
        let path = self.path_of(key);
        self.faults.push(Fault::new(code, path, message));
    }

    /// Takes over the faults of something inside.
    pub fn absorb(&mut self, faults: Vec<Fault>) {
        self.faults.extend(faults);
    }

    /// The path of one of its keys.
    #[must_use]
    pub fn path_of(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// The value of an optional key; `null` is absent.
    pub fn given(&mut self, key: &'static str) -> Option<&'a Doc> {
        self.raw(key).filter(|doc| **doc != Doc::Null)
    }

    /// A required text with something in it.
    pub fn text(&mut self, key: &'static str) -> String {
        let doc = self.required(key);
        self.filled(key, doc).unwrap_or_default()
    }

    /// An optional text with something in it.
    pub fn optional_text(&mut self, key: &'static str) -> Option<String> {
        let doc = self.given(key);
        self.filled(key, doc)
    }

    /// An optional text with something in it and at most `max` characters.
    pub fn optional_text_within(&mut self, key: &'static str, max: usize) -> Option<String> {
        let text = self.optional_text(key)?;
        if text.chars().count() > max {
            let message = format!("must have at most {max} characters");
            self.fault("string_too_long", key, &message);
        }
        Some(text)
    }

    /// An optional text that may be empty.
    pub fn any_text(&mut self, key: &'static str) -> Option<String> {
        let doc = self.given(key);
        self.typed_text(key, doc).map(str::to_owned)
    }

    /// A required text of a form; `code` and `message` tell when it has another.
    pub fn shaped(
        &mut self,
        key: &'static str,
        (code, message): (&str, &str),
        fits: impl Fn(&str) -> bool,
    ) -> String {
        let doc = self.required(key);
        let text = self.of_shape(key, doc, (code, message), fits);
        text.unwrap_or_default()
    }

    /// An optional text of a form; `code` and `message` tell when it has another.
    pub fn optional_shaped(
        &mut self,
        key: &'static str,
        (code, message): (&str, &str),
        fits: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let doc = self.given(key);
        self.of_shape(key, doc, (code, message), fits)
    }

    /// A required text that is exactly `literal`.
    pub fn literal(&mut self, key: &'static str, literal: &str) -> String {
        let message = format!("must be {literal:?}");
        self.shaped(key, ("literal_error", &message), |text| text == literal)
    }

    /// An optional text that is exactly `literal`.
    pub fn optional_literal(&mut self, key: &'static str, literal: &str) -> Option<String> {
        let message = format!("must be {literal:?}");
        self.optional_shaped(key, ("literal_error", &message), |text| text == literal)
    }

    /// A required word out of a set.
    pub fn word<T: Copy>(
        &mut self,
        key: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Option<T> {
        let doc = self.required(key);
        self.out_of(key, doc, all, name)
    }

    /// An optional word out of a set.
    pub fn optional_word<T: Copy>(
        &mut self,
        key: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Option<T> {
        let doc = self.given(key);
        self.out_of(key, doc, all, name)
    }

    /// A required `true` or `false`.
    pub fn flag(&mut self, key: &'static str) -> bool {
        let doc = self.required(key);
        self.boolean(key, doc).unwrap_or_default()
    }

    /// An optional `true` or `false`.
    pub fn optional_flag(&mut self, key: &'static str) -> Option<bool> {
        let doc = self.given(key);
        self.boolean(key, doc)
    }

    /// A required number.
    pub fn number(&mut self, key: &'static str) -> f64 {
        match self.required(key) {
            Some(Doc::Number(number)) => number.as_f64().unwrap_or_default(),
            Some(other) => {
                self.wrong_type(key, "a number", other);
                0.0
            }
            None => 0.0,
        }
    }

    /// The items of an optional list; absent is empty, `null` is no list.
    pub fn items(&mut self, key: &'static str) -> &'a [Doc] {
        match self.raw(key) {
            Some(Doc::List(items)) => items,
            Some(other) => {
                self.wrong_type(key, "a list", other);
                &[]
            }
            None => &[],
        }
    }

    /// An optional list of texts with something in each.
    pub fn texts(&mut self, key: &'static str) -> Vec<String> {
        let mut texts = Vec::new();
        for (at, doc) in self.items(key).iter().enumerate() {
            let here = format!("{key}.{at}");
            texts.extend(self.filled(&here, Some(doc)));
        }
        texts
    }

    /// An optional object; its faults come back through [`Fields::absorb`].
    pub fn object(&mut self, key: &'static str) -> Option<Fields<'a>> {
        let doc = self.given(key)?;
        match Fields::open(doc, &self.path_of(key)) {
            Ok(fields) => Some(fields),
            Err(faults) => {
                self.absorb(faults);
                None
            }
        }
    }

    /// A required object whose keys are free.
    pub fn free_object(&mut self, key: &'static str) -> Option<Map<String, Value>> {
        match self.required(key) {
            Some(Doc::Object(entries)) => Some(to_map(entries)),
            Some(other) => {
                self.wrong_type(key, "an object", other);
                None
            }
            None => None,
        }
    }

    /// The value of a required key.
    pub fn required(&mut self, key: &'static str) -> Option<&'a Doc> {
        let doc = self.raw(key);
        if doc.is_none() {
            self.fault("missing", key, "is required");
        }
        doc
    }

    /// The value of a key as it stands, also `null`.
    pub fn raw(&mut self, key: &'static str) -> Option<&'a Doc> {
        self.asked.push(key);
        let entry = self.entries.iter().find(|(name, _)| name == key);
        entry.map(|(_, doc)| doc)
    }

    fn wrong_type(&mut self, key: &str, wanted: &str, found: &Doc) {
        let path = self.path_of(key);
        self.faults.push(type_fault(path, wanted, found));
    }

    fn typed_text(&mut self, key: &str, doc: Option<&'a Doc>) -> Option<&'a str> {
        match doc? {
            Doc::Text(text) => Some(text),
            other => {
                self.wrong_type(key, "a text", other);
                None
            }
        }
    }

    fn filled(&mut self, key: &str, doc: Option<&'a Doc>) -> Option<String> {
        let text = self.typed_text(key, doc)?;
        if is_blank(text) {
            self.fault("string_too_short", key, "must not be blank");
        }
        Some(text.to_owned())
    }

    fn of_shape(
        &mut self,
        key: &str,
        doc: Option<&'a Doc>,
        (code, message): (&str, &str),
        fits: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let text = self.typed_text(key, doc)?;
        if !fits(text) {
            self.fault(code, key, message);
        }
        Some(text.to_owned())
    }

    fn out_of<T: Copy>(
        &mut self,
        key: &str,
        doc: Option<&'a Doc>,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.typed_text(key, doc)?;
        let found = all.iter().copied().find(|one| name(*one) == text);
        if found.is_none() {
            let words: Vec<&str> = all.iter().map(|one| name(*one)).collect();
            let message = format!("must be one of: {}", words.join(", "));
            self.fault("literal_error", key, &message);
        }
        found
    }

    fn boolean(&mut self, key: &str, doc: Option<&'a Doc>) -> Option<bool> {
        match doc? {
            Doc::Bool(flag) => Some(*flag),
            other => {
                self.wrong_type(key, "true or false", other);
                None
            }
        }
    }
}

fn type_fault(path: String, wanted: &str, found: &Doc) -> Fault {
    let message = format!("must be {wanted}, not {}", found.kind());
    Fault::new("type", path, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(faults: &[Fault]) -> Vec<String> {
        let lines = faults.iter();
        lines
            .map(|f| format!("{} {}: {}", f.code, f.path, f.message))
            .collect()
    }

    fn doc(text: &str) -> Doc {
        Doc::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn white_space_is_unicode_and_the_four_separators() {
        for c in [
            ' ', '\t', '\u{1c}', '\u{1f}', '\u{a0}', '\u{3000}', '\u{85}',
        ] {
            assert!(is_space(c), "{c:?}");
        }
        for c in ['\u{1b}', '!', 'a', '\u{200b}'] {
            assert!(!is_space(c), "{c:?}");
        }
        assert!(is_blank("") && is_blank(" \u{1d}\n") && !is_blank(" x "));
    }

    #[test]
    fn a_faultless_object_gives_its_values() {
        let doc = doc(
            r#"{"t": "x", "o": "y", "w": "bb", "s": "s1", "f": true, "n": 2, "l": ["p", "q"],
            "m": {"k": 1}, "e": "", "c": "éé", "d": "v", "a": "x", "ow": "a", "os": "s2", "of": true,
            "no": false, "g": 0, "in": {"x": "y"}}"#,
        );
        let mut fields = Fields::open(&doc, "").unwrap();
        assert_eq!(fields.text("t"), "x");
        assert_eq!(fields.optional_text("o"), Some("y".to_owned()));
        assert_eq!(
            fields.word("w", &[1u8, 2], |n| if n == 1 { "a" } else { "bb" }),
            Some(2)
        );
        assert_eq!(fields.shaped("s", ("c", "m"), |t| t.len() == 2), "s1");
        assert!(fields.flag("f"));
        assert!((fields.number("n") - 2.0).abs() < f64::EPSILON);
        assert_eq!(fields.texts("l"), ["p", "q"]);
        assert_eq!(fields.free_object("m").unwrap()["k"], 1);
        assert_eq!(fields.any_text("e"), Some(String::new()));
        assert_eq!(fields.optional_text_within("c", 2), Some("éé".to_owned()));
        assert_eq!(fields.optional_literal("d", "v"), Some("v".to_owned()));
        assert_eq!(fields.any_text("a"), Some("x".to_owned()));
        let word = fields.optional_word("ow", &[1u8, 2], |n| if n == 1 { "a" } else { "bb" });
        assert_eq!(word, Some(1));
        let shaped = fields.optional_shaped("os", ("c", "m"), |t| t.len() == 2);
        assert_eq!(shaped, Some("s2".to_owned()));
        assert_eq!(fields.optional_flag("of"), Some(true));
        assert!(!fields.flag("no"));
        assert_eq!(fields.given("g").map(Doc::kind), Some("a number"));
        assert_eq!(fields.given("absent"), None);
        let mut inner = fields.object("in").unwrap();
        assert_eq!(inner.text("x"), "y");
        fields.absorb(inner.close());
        assert_eq!(fields.close(), []);
    }

    #[test]
    fn absent_and_null_optionals_are_absent() {
        let doc = doc(r#"{"a": null, "b": null, "c": null, "d": null, "e": null}"#);
        let mut fields = Fields::open(&doc, "").unwrap();
        assert_eq!(fields.optional_text("a"), None);
        assert_eq!(fields.optional_flag("b"), None);
        assert!(fields.object("c").is_none());
        assert_eq!(fields.optional_word("d", &[1], |_| "x"), None);
        assert_eq!(fields.any_text("e"), None);
        assert_eq!(fields.optional_text("z"), None);
        assert_eq!(fields.texts("y"), Vec::<String>::new());
        assert_eq!(fields.close(), []);
    }

    #[test]
    fn all_faults_come_together_in_the_order_of_the_contract() {
        let doc = doc(
            r#"{"zz": 1, "t": " ", "n": "1", "f": 0, "w": "c", "l": null, "i": ["", 3, "ok"],
            "o": 7, "m": [], "q": "abc", "s": "no", "r": null, "in": {"x": 1}, "aa": 2}"#,
        );
        let mut fields = Fields::open(&doc, "at.0").unwrap();
        fields.text("gone");
        fields.text("t");
        fields.text("r");
        fields.number("n");
        fields.number("none");
        fields.flag("f");
        fields.word("w", &["a", "b"], |w| w);
        fields.items("l");
        fields.texts("i");
        assert!(fields.object("o").is_none());
        assert!(fields.free_object("m").is_none());
        assert!(fields.free_object("never").is_none());
        fields.optional_text_within("q", 2);
        fields.literal("s", "yes");
        let inner = fields.object("in").unwrap();
        assert_eq!(inner.path_of("x"), "at.0.in.x");
        fields.absorb(inner.close());
        fields.fault("own", "s", "is odd");
        assert_eq!(
            shown(&fields.close()),
            [
                "missing at.0.gone: is required",
                "string_too_short at.0.t: must not be blank",
                "type at.0.r: must be a text, not null",
                "type at.0.n: must be a number, not a text",
                "missing at.0.none: is required",
                "type at.0.f: must be true or false, not a number",
                "literal_error at.0.w: must be one of: a, b",
                "type at.0.l: must be a list, not null",
                "string_too_short at.0.i.0: must not be blank",
                "type at.0.i.1: must be a text, not a number",
                "type at.0.o: must be an object, not a number",
                "type at.0.m: must be an object, not a list",
                "missing at.0.never: is required",
                "string_too_long at.0.q: must have at most 2 characters",
                "literal_error at.0.s: must be \"yes\"",
                "extra_forbidden at.0.in.x: the contract has no such key",
                "own at.0.s: is odd",
                "extra_forbidden at.0.zz: the contract has no such key",
                "extra_forbidden at.0.aa: the contract has no such key",
            ]
        );
    }

    #[test]
    fn only_an_object_is_an_object() {
        let faults = Fields::open(&doc("[]"), "").unwrap_err();
        assert_eq!(shown(&faults), ["type : must be an object, not a list"]);
    }
}
