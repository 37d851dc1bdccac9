//! Roles: what a piece of the screen means. Each state has a symbol and a word; the style may
//! vanish, symbol and word never.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// None: `NO_COLOR`, `--no-color`, or a terminal that has none.
    Mono,
    /// The terminal's own sixteen.
    #[default]
    Sixteen,
    /// 256 indexed colours.
    Indexed,
    /// 24 bits.
    True,
}

/// Colour ladder and character set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Colours.
    pub colours: Colours,
    /// Only ASCII reaches the terminal, for locales that are not UTF-8.
    pub ascii: bool,
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal, $ascii:literal, $word:literal, $hue:ident, $weight:ident;)*) => {
        /// What a piece of the screen means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $name,)* }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            fn row(self) -> (&'static str, &'static str, &'static str, Hue, Weight) {
                match self { $(Self::$name => ($symbol, $ascii, $word, Hue::$hue, Weight::$weight),)* }
            }
        }
    };
}

#[derive(Clone, Copy)]
enum Hue {
    Plain,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Dim,
}

#[derive(Clone, Copy)]
enum Weight {
    Thin,
    Bold,
    Reversed,
    Under,
}

roles! {
    /// An open breaker.
    Open = "■", "#", "OPEN", Red, Bold;
    /// A closed breaker.
    Closed = "□", "-", "closed", Dim, Thin;
    /// An agent at work.
    Working = "●", "*", "working", Green, Thin;
    /// An agent that a breaker stops.
    Stopped = "■", "#", "STOPPED", Red, Bold;
    /// An agent whose session ended.
    Ended = "○", "o", "ended", Dim, Thin;
    /// A task that a breaker holds.
    Escalated = "▲", "^", "escalated", Red, Bold;
    /// A task at work.
    TaskOpen = "·", ".", "open", Plain, Thin;
    /// A finished task.
    Done = "✓", "+", "done", Green, Thin;
    /// A step that is due before the next try.
    Due = "◆", "!", "due", Yellow, Bold;
    /// A try that failed.
    Failed = "✗", "x", "failed", Red, Thin;
    /// A try that did not fail.
    Passed = "✓", "+", "passed", Green, Thin;
    /// A try made while a breaker was open.
    Leak = "!", "!", "leak", Red, Bold;
    /// Something for a person to do.
    Needs = "!", "!", "needs you", Yellow, Bold;
    /// A machine check that holds.
    Holds = "✓", "+", "yes", Green, Thin;
    /// A machine check that does not.
    Lacks = "✗", "x", "NO", Red, Bold;
    /// The screen follows the store.
    Live = "●", "*", "LIVE", Green, Bold;
    /// The screen is held still.
    Paused = "=", "=", "PAUSED", Yellow, Bold;
    /// The store does not answer.
    Lost = "✗", "x", "NO STORE", Red, Bold;
    /// Nothing was read yet.
    Reading = "·", ".", "READING", Dim, Thin;
    /// Something that is not known by this version.
    Unknown = "?", "?", "unknown", Plain, Thin;
    /// Running text.
    Text = "", "", "", Plain, Thin;
    /// What matters in running text.
    Strong = "", "", "", Plain, Bold;
    /// What is there for who looks for it.
    Dim = "", "", "", Dim, Thin;
    /// A heading.
    Title = "", "", "", Blue, Bold;
    /// A frame.
    Border = "", "", "", Dim, Thin;
    /// The frame that has the keys.
    Focus = "", "", "", Blue, Bold;
    /// A key in a hint.
    Key = "", "", "", Magenta, Bold;
    /// The selected row, the tab that is shown, the button that Enter presses.
    Selected = "", "", "", Plain, Reversed;
    /// What is being typed.
    Input = "", "", "", Plain, Under;
    /// A sentence about something bad.
    Danger = "", "", "", Red, Bold;
    /// A sentence to notice.
    Notice = "", "", "", Yellow, Thin;
}

impl Theme {
    /// The role's symbol; empty for roles that are no states.
    #[must_use]
    pub fn symbol(self, role: Role) -> &'static str {
        let (symbol, ascii, ..) = role.row();
        if self.ascii { ascii } else { symbol }
    }

    /// The role's word; empty for roles that are no states.
    #[must_use]
    pub fn word(self, role: Role) -> &'static str {
        role.row().2
    }

    /// The role's style.
    #[must_use]
    pub fn style(self, role: Role) -> Style {
        let (.., hue, weight) = role.row();
        let style = match self.colour(hue) {
            Some(colour) => Style::new().fg(colour),
            None if matches!(hue, Hue::Dim) => Style::new().add_modifier(Modifier::DIM),
            None => Style::new(),
        };
        match weight {
            Weight::Thin => style,
            Weight::Bold => style.add_modifier(Modifier::BOLD),
            Weight::Reversed => style.add_modifier(Modifier::REVERSED),
            Weight::Under => style.add_modifier(Modifier::UNDERLINED),
        }
    }

    /// Middle tones that are read on light and on dark backgrounds; `None` is the terminal's own.
    fn colour(self, hue: Hue) -> Option<Color> {
        let (sixteen, indexed, rgb) = match hue {
            Hue::Plain => return None,
            Hue::Dim if self.colours == Colours::Sixteen => return None,
            Hue::Red => (Color::Red, 167, (214, 76, 76)),
            Hue::Green => (Color::Green, 71, (70, 160, 90)),
            Hue::Yellow => (Color::Yellow, 172, (200, 132, 20)),
            Hue::Blue => (Color::Blue, 68, (80, 130, 210)),
            Hue::Magenta => (Color::Magenta, 134, (165, 95, 200)),
            Hue::Dim => (Color::Reset, 244, (128, 128, 128)),
        };
        match self.colours {
            Colours::Mono => None,
            Colours::Sixteen => Some(sixteen),
            Colours::Indexed => Some(Color::Indexed(indexed)),
            Colours::True => Some(Color::Rgb(rgb.0, rgb.1, rgb.2)),
        }
    }

    /// The characters of frames.
    #[must_use]
    pub fn border(self) -> border::Set<'static> {
        if self.ascii {
            border::Set {
                top_left: "+",
                top_right: "+",
                bottom_left: "+",
                bottom_right: "+",
                vertical_left: "|",
                vertical_right: "|",
                horizontal_top: "-",
                horizontal_bottom: "-",
            }
        } else {
            border::ROUNDED
        }
    }

    /// The mark before the selected row.
    #[must_use]
    pub fn pointer(self) -> &'static str {
        if self.ascii { ">" } else { "▸" }
    }

    /// Stands between facts on one line.
    #[must_use]
    pub fn dot(self) -> &'static str {
        if self.ascii { "|" } else { "·" }
    }

    /// One bar of a sparkline.
    #[must_use]
    pub fn bar(self, failed: bool) -> &'static str {
        match (self.ascii, failed) {
            (false, true) => "▇",
            (false, false) => "▁",
            (true, true) => "x",
            (true, false) => "_",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LADDER: [Colours; 4] = [
        Colours::Mono,
        Colours::Sixteen,
        Colours::Indexed,
        Colours::True,
    ];

    #[test]
    fn every_state_has_a_symbol_and_a_word_in_both_character_sets() {
        for role in Role::ALL {
            let (symbol, ascii, word, ..) = role.row();
            assert_eq!(symbol.is_empty(), word.is_empty(), "{role:?}");
            assert_eq!(ascii.is_empty(), word.is_empty(), "{role:?}");
            assert!(ascii.is_ascii() && word.is_ascii(), "{role:?}");
        }
    }

    #[test]
    fn mono_has_no_colour_and_nothing_blinks() {
        for colours in LADDER {
            let theme = Theme {
                colours,
                ascii: false,
            };
            for role in Role::ALL {
                let style = theme.style(*role);
                assert!(colours != Colours::Mono || style.fg.is_none());
                let blink = Modifier::SLOW_BLINK | Modifier::RAPID_BLINK;
                assert!(!style.add_modifier.intersects(blink));
                assert_eq!(style.bg, None, "the terminal's own background stays");
            }
        }
    }
}
