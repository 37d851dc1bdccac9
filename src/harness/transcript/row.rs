//! Reading one row without trusting it: what is missing or of another type is as good as absent.

use serde_json::Value;

use crate::contract::observed::{Fact, Moment};
use crate::contract::time::parse_rfc3339;

/// A text in an object.
pub(super) fn text<'v>(row: &'v Value, pointer: &str) -> Option<&'v str> {
    row.pointer(pointer)?
        .as_str()
        .filter(|text| !text.is_empty())
}

/// A count in an object; a negative one is as good as absent.
pub(super) fn count(row: &Value, pointer: &str) -> Option<u64> {
    let number = row.pointer(pointer)?;
    number.as_u64().or_else(|| {
        let number = number.as_f64().filter(|n| *n >= 0.0 && n.is_finite())?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates, and it is not negative"
        )]
        Some(number as u64)
    })
}

/// Dollars as millionths.
pub(super) fn money(row: &Value, pointer: &str) -> Option<u64> {
    row.pointer(pointer)?.as_f64().and_then(microusd)
}

/// Dollars as millionths; what is no amount is as good as absent.
pub(super) fn microusd(dollars: f64) -> Option<u64> {
    if !dollars.is_finite() || dollars < 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and it is not negative"
    )]
    Some((dollars * 1_000_000.0).round() as u64)
}

/// A time: RFC 3339, or a number of milliseconds since 1970.
pub(super) fn time(row: &Value, pointer: &str) -> Option<i64> {
    match row.pointer(pointer)? {
        Value::String(text) => parse_rfc3339(text),
        number => millis(number.as_f64()?),
    }
}

/// Milliseconds since 1970 as microseconds.
pub(super) fn millis(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
    (number.is_finite() && number > 0.0 && number < 9e12).then_some((number * 1000.0) as i64)
}

/// The texts of a content that is a text, or a list of parts with texts.
pub(super) fn content(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                part => part.get("text").and_then(Value::as_str),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The parts of a content that is a list.
pub(super) fn parts(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What happened, with the time of its row.
pub(super) struct Out<'o> {
    /// The row's time.
    pub(super) at_us: Option<i64>,
    /// Where it goes.
    pub(super) moments: &'o mut Vec<Moment>,
}

impl Out<'_> {
    /// One more fact of the row.
    pub(super) fn push(&mut self, fact: Fact) {
        self.moments.push(Moment {
            at_us: self.at_us,
            fact,
        });
    }

    /// A fact whose text is there.
    pub(super) fn said(&mut self, fact: fn(String) -> Fact, text: &str) {
        if !text.trim().is_empty() {
            self.push(fact(text.to_owned()));
        }
    }
}
