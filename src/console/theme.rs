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

/// For which background, and how loud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Middle tones that are read on light and on dark backgrounds.
    #[default]
    Auto,
    /// Light tones for a dark background.
    Dark,
    /// Dark tones for a light background.
    Light,
    /// The strongest tones of the terminal, and nothing faint.
    HighContrast,
    /// No colour at all.
    Mono,
}

impl Palette {
    /// Every one, by its name.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("dark", Self::Dark),
        ("light", Self::Light),
        ("high-contrast", Self::HighContrast),
        ("mono", Self::Mono),
    ];

    /// The one of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.into_iter();
        names.find(|(own, _)| *own == name).map(|(_, one)| one)
    }
}

/// Colour ladder and character set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// For which background.
    pub palette: Palette,
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
    /// An agent that waits for a person.
    Idle = "○", "o", "idle", Plain, Thin;
    /// A call that must not run was really refused there.
    Proven = "✓", "+", "proven", Green, Thin;
    /// A call that was refused there ran all the same.
    Leaking = "!", "!", "LEAKING", Red, Bold;
    /// Its hooks ask before each call.
    Gated = "◐", "g", "gated", Plain, Thin;
    /// It is only read about: nothing can refuse its calls.
    Observed = "◌", "~", "observed", Yellow, Thin;
    /// A task that a breaker holds.
    Escalated = "▲", "^", "escalated", Red, Bold;
    /// A task at work.
    TaskOpen = "·", ".", "open", Plain, Thin;
    /// A finished task.
    Done = "✓", "+", "done", Green, Thin;
    /// A question that nobody holds yet.
    Asked = "○", "o", "open", Yellow, Thin;
    /// A question that an agent works on.
    Claimed = "◐", "c", "claimed", Blue, Thin;
    /// A question that was answered, and the answer used.
    Resolved = "✓", "+", "resolved", Green, Thin;
    /// A question that was answered, and nothing says that the answer was used.
    Unused = "◇", "a", "answered, not used", Yellow, Thin;
    /// A question that is parked: nobody can help, or the time is over.
    Parked = "▪", "-", "blocked", Dim, Thin;
    /// An agent waits for it now.
    Blocking = "!", "!", "blocking", Yellow, Bold;
    /// Nobody waits for it.
    Background = "·", ".", "background", Dim, Thin;
    /// A failure code that was seen once.
    New = "◇", "n", "new", Plain, Thin;
    /// A failure code that is a known one.
    Aliased = "=", "=", "aliased", Green, Thin;
    /// A failure code that became an entry of the catalogue.
    Promoted = "✓", "+", "promoted", Green, Thin;
    /// An edge between receipts of which every check holds.
    Trusted = "✓", "+", "trusted", Green, Thin;
    /// An edge of which one does not.
    Untrusted = "✗", "x", "NOT trusted", Red, Bold;
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

/// A tone among 256, and in 24 bits.
type Tone = (u8, (u8, u8, u8));

/// Red, green, yellow, blue, magenta of the terminal itself; what is faint has no colour there.
const SIXTEEN: [Color; 6] = [
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Reset,
];
/// The same, as strong as the terminal has them.
const LOUD: [Color; 6] = [
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightCyan,
    Color::LightMagenta,
    Color::Reset,
];
const MIDDLE: [Tone; 6] = [
    (167, (214, 76, 76)),
    (71, (70, 160, 90)),
    (172, (200, 132, 20)),
    (68, (80, 130, 210)),
    (134, (165, 95, 200)),
    (244, (128, 128, 128)),
];
const BRIGHT: [Tone; 6] = [
    (210, (255, 135, 135)),
    (114, (135, 215, 135)),
    (221, (255, 215, 95)),
    (111, (135, 175, 255)),
    (177, (215, 135, 255)),
    (247, (158, 158, 158)),
];
const DEEP: [Tone; 6] = [
    (124, (175, 0, 0)),
    (22, (0, 95, 0)),
    (94, (135, 95, 0)),
    (25, (0, 95, 175)),
    (90, (135, 0, 135)),
    (241, (98, 98, 98)),
];

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
            None if matches!(hue, Hue::Dim) && self.palette != Palette::HighContrast => {
                Style::new().add_modifier(Modifier::DIM)
            }
            None => Style::new(),
        };
        match weight {
            Weight::Thin => style,
            Weight::Bold => style.add_modifier(Modifier::BOLD),
            Weight::Reversed => style.add_modifier(Modifier::REVERSED),
            Weight::Under => style.add_modifier(Modifier::UNDERLINED),
        }
    }

    /// The tone of a hue; `None` is the terminal's own.
    fn colour(self, hue: Hue) -> Option<Color> {
        let at = match hue {
            Hue::Plain => return None,
            Hue::Red => 0,
            Hue::Green => 1,
            Hue::Yellow => 2,
            Hue::Blue => 3,
            Hue::Magenta => 4,
            Hue::Dim => 5,
        };
        let loud = self.palette == Palette::HighContrast;
        if matches!(hue, Hue::Dim) && (loud || self.colours == Colours::Sixteen) {
            return None;
        }
        let (indexed, (red, green, blue)) = match self.palette {
            Palette::Mono => return None,
            Palette::Auto => MIDDLE[at],
            Palette::Dark => BRIGHT[at],
            Palette::Light => DEEP[at],
            Palette::HighContrast => return (self.colours != Colours::Mono).then(|| LOUD[at]),
        };
        match self.colours {
            Colours::Mono => None,
            // The terminal's own sixteen follow its own background.
            Colours::Sixteen => Some(SIXTEEN[at]),
            Colours::Indexed => Some(Color::Indexed(indexed)),
            Colours::True => Some(Color::Rgb(red, green, blue)),
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

    /// The mark of a row that was marked.
    #[must_use]
    pub fn marked(self) -> &'static str {
        if self.ascii { "*" } else { "•" }
    }

    /// One cell of a gauge.
    #[must_use]
    pub fn gauge(self, full: bool) -> &'static str {
        match (self.ascii, full) {
            (false, true) => "▓",
            (false, false) => "░",
            (true, true) => "#",
            (true, false) => ".",
        }
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
            for (name, palette) in Palette::NAMES {
                assert_eq!(Palette::parse(name), Some(palette));
                let theme = Theme {
                    palette,
                    colours,
                    ascii: false,
                };
                for role in Role::ALL {
                    let style = theme.style(*role);
                    let mono = colours == Colours::Mono || palette == Palette::Mono;
                    assert!(!mono || style.fg.is_none());
                    let blink = Modifier::SLOW_BLINK | Modifier::RAPID_BLINK;
                    assert!(!style.add_modifier.intersects(blink));
                    assert_eq!(style.bg, None, "the terminal's own background stays");
                }
            }
        }
    }
}
