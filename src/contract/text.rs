//! Agent text is hostile: escape sequences, control characters and direction marks are made
//! visible, never obeyed (spec 5.2).

/// What stands for a character that must not reach a terminal.
pub const MARK: char = '\u{fffd}';

/// Whether a character must not reach a terminal: C0 and C1 controls, bidirectional overrides
/// and isolates, and marks without width that hide or reorder text.
#[must_use]
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{061c}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{2028}' | '\u{2029}')
}

/// The text on one line: white space of any kind becomes one blank, hostile characters a mark.
#[must_use]
pub fn neutral(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        c if is_hostile(c) => MARK,
        c => c,
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_remains() {
        assert_eq!(
            neutral("a\u{1b}[31mred\u{202e}x\nb\tc"),
            "a\u{fffd}[31mred\u{fffd}x b c"
        );
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(
                !neutral(&c.to_string()).chars().any(is_hostile),
                "{:x}",
                u32::from(c)
            );
        }
        assert_eq!(neutral("größe 漢字 👍🏽 e\u{301}"), "größe 漢字 👍🏽 e\u{301}");
        for c in [
            '\u{200b}', '\u{200e}', '\u{202a}', '\u{202e}', '\u{2060}', '\u{2066}', '\u{2069}',
            '\u{206f}', '\u{feff}', '\u{7f}', '\u{9b}',
        ] {
            assert!(is_hostile(c), "{:x}", u32::from(c));
        }
        for c in [
            '\u{200c}', '\u{200d}', '\u{2029}', '\u{202f}', '\u{2070}', 'a',
        ] {
            assert_eq!(is_hostile(c), c == '\u{2029}', "{:x}", u32::from(c));
        }
    }
}
