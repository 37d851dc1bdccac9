//! Linkers and loaders: symbols and libraries that are missing or too many.

use super::Reader;

/// What a linker's line says of a symbol, and how every linker's saying of it is told.
const SAYINGS: [(&str, &str); 12] = [
    ("undefined reference to ", "undefined symbol"),
    ("undefined symbol: ", "undefined symbol"),
    ("unresolved external symbol ", "undefined symbol"),
    ("multiple definition of ", "duplicate symbol"),
    ("duplicate symbol: ", "duplicate symbol"),
    ("duplicate symbol ", "duplicate symbol"),
    ("cannot find -l", "library not found"),
    ("unable to find library -l", "library not found"),
    ("library not found for -l", "library not found"),
    ("library '", "library not found"),
    (
        "error while loading shared libraries: ",
        "library not loaded",
    ),
    ("symbol lookup error: ", "symbol lookup"),
];

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    if !line.contains("symbol") && !line.contains("reference") && !line.contains("cannot find -l") {
        // Most lines name neither.
        if !line.contains("librar") && !line.contains("multiple definition") {
            return repeats(line);
        }
    }
    for (says, told) in SAYINGS {
        let Some((_, rest)) = line.split_once(says) else {
            continue;
        };
        if says == "library '" && !rest.contains("not found") {
            continue;
        }
        let name = name(rest, says.ends_with("-l"));
        reader.cause(&[told, name]);
        return 1;
    }
    if line.contains("Undefined symbols for architecture") {
        return macos(reader);
    }
    repeats(line)
}

/// Lines that only say that the linker failed.
fn repeats(line: &str) -> usize {
    let line = line.trim_start();
    let repeats = line.starts_with("collect2: error: ld returned")
        || line.starts_with("ld: symbol(s) not found")
        || line.starts_with("clang: error: linker command failed")
        || line.starts_with(">>> ")
        || (line.ends_with(':') && line.contains(": in function "));
    usize::from(repeats)
}

/// The symbol at the beginning, without its quotes.
fn name(text: &str, word: bool) -> &str {
    let text = text.trim();
    if word {
        let end = text.find([':', ' ', ',']).unwrap_or(text.len());
        return &text[..end];
    }
    let Some(open) = text.chars().next() else {
        return text;
    };
    let close = match open {
        '`' | '\'' => ['\'', '`'],
        '‘' => ['’', '’'],
        '"' => ['"', '"'],
        _ => {
            let end = text.find("; ").unwrap_or(text.len());
            return &text[..end];
        }
    };
    let inner = &text[open.len_utf8()..];
    inner.find(close).map_or(inner, |end| &inner[..end])
}

/// The symbols that are listed below the line.
fn macos(reader: &mut Reader<'_>) -> usize {
    let listed = reader.run(1, usize::MAX, |line| line.starts_with("  "));
    for by in 1..=listed {
        let symbol = reader.ahead(by).trim();
        if let Some(symbol) = symbol.strip_suffix(", referenced from:") {
            let symbol = symbol.trim_matches('"').trim_start_matches('_');
            reader.cause(&["undefined symbol", symbol]);
        }
    }
    listed + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_says_that_the_linker_failed_is_told_from_a_cause() {
        for line in [
            "collect2: error: ld returned 1 exit status",
            "  ld: symbol(s) not found for architecture arm64",
            "clang: error: linker command failed with exit code 1",
            ">>> referenced by main.o",
            "main.o: in function `main':",
        ] {
            assert_eq!(repeats(line), 1, "{line}");
        }
        for line in [
            "ld: cannot find -lssl",
            "clang: error: no input files",
            "main.o: in function `main'",
            "error: in main:",
        ] {
            assert_eq!(repeats(line), 0, "{line}");
        }
    }
}
