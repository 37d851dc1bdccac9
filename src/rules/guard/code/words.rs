//! Texts in code: quoted ones, those in a call's brackets, variables of the environment.

use super::super::secrets;

/// Whether code takes the environment as a whole, or a secret variable of it.
pub(super) fn variables(code: &str) -> bool {
    let holders = [
        "os.environ",
        "process.env",
        "ENV",
        "getenv",
        "Deno.env",
        "$_ENV",
        "%ENV",
        "$ENV",
    ];
    holders.iter().any(|holder| {
        code.match_indices(holder).take(50).any(|(at, _)| {
            let inside_word = code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let rest = &code[at + holder.len()..];
            if inside_word || rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                return false;
            }
            let rest = rest.trim_start_matches(".get").trim_start_matches(".fetch");
            if rest.starts_with(['[', '(', '{', '.']) {
                let name: String = rest
                    .trim_start_matches(['[', '(', '{', '.', '"', '\'', ' '])
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                    .collect();
                let whole = [
                    "items", "values", "copy", "to_h", "each", "map", "toObject", "inspect", "",
                ];
                return secrets::names_a_secret(&name)
                    || (whole.contains(&name.as_str()) && *holder != "getenv");
            }
            // As a whole: printed, joined, turned into text.
            !matches!(*holder, "getenv")
        })
    })
}

/// What stands in a call's brackets, as far as it matters.
pub(super) fn arguments(code: &str) -> &str {
    let mut depth = 0usize;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    let mut end = code.len().min(4096);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let bracket = code.starts_with('(');
    for (at, c) in code[..end].char_indices() {
        if let Some(open) = quote {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == open {
                quote = None;
            }
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && bracket {
                    return &code[..=at];
                }
            }
            ';' | '\n' if !bracket => return &code[..at],
            _ => {}
        }
    }
    &code[..end]
}

/// The quoted texts of some code, in order, without their escapes.
pub(in super::super) fn strings(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if !matches!(c, '\'' | '"' | '`') {
            continue;
        }
        let mut text = String::new();
        while let Some(inside) = chars.next() {
            if inside == c {
                break;
            }
            if inside == '\\' {
                match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(other) => text.push(other),
                    None => break,
                }
            } else {
                text.push(inside);
            }
        }
        texts.push(text);
        if texts.len() >= 64 {
            break;
        }
    }
    texts
}

/// Words as one shell line.
pub(super) fn quoted(words: &[String]) -> String {
    let mut line = String::new();
    for word in words {
        line.push('\'');
        line.push_str(&word.replace('\'', "'\\''"));
        line.push_str("' ");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_brackets_ends_with_its_own_bracket() {
        for (code, want) in [
            ("('a)b') c", "('a)b')"),
            ("('a\\')b') c", "('a\\')b')"),
            ("(\"a'\", ')') c", "(\"a'\", ')')"),
            ("([a]{b}(c)) d", "([a]{b}(c))"),
            ("(a;\nb) c", "(a;\nb)"),
            ("(a", "(a"),
            (" 'a;b'; c", " 'a;b'"),
            (" 'a'\nb", " 'a'"),
            (" (a) b; c", " (a) b"),
            (" 'a) b'", " 'a) b'"),
        ] {
            assert_eq!(arguments(code), want, "{code}");
        }
    }

    #[test]
    fn no_more_of_the_code_is_read_than_matters() {
        let wide = "é".repeat(4096);
        assert_eq!(arguments(&format!("({wide})")).len(), 4095);
        assert_eq!(arguments(&format!("(a{wide})")).len(), 4096);
        let near = "a".repeat(4094);
        assert_eq!(arguments(&format!("({near})b")).len(), 4096);
    }
}
