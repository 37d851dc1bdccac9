//! Reading Rust sources without a parser: enough to judge names and lengths.

use std::fs;
use std::path::{Path, PathBuf};

/// One source file, its text outside of comments, strings and tests.
pub struct Source {
    /// Relative to the repository, with `/`.
    pub path: String,
    /// The text as it is written.
    pub text: String,
    /// The same length and lines, with everything that is no code blanked out.
    pub code: String,
}

impl Source {
    /// The lines, from 1, that hold nothing but tests or their parts.
    pub fn test_lines(&self) -> Vec<usize> {
        blank(&self.text)
            .lines()
            .zip(self.code.lines())
            .enumerate()
            .filter(|(_, (all, code))| !all.trim().is_empty() && code.trim().is_empty())
            .map(|(at, _)| at + 1)
            .collect()
    }
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file under `src` that is no test, in order.
pub fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    walk(&root().join("src"), &mut paths);
    paths.sort();
    let mut tests = Vec::new();
    let mut sources = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let (code, test_modules) = without_tests(&blank(&text));
        tests.extend(
            test_modules
                .iter()
                .map(|name| module_base(&path).join(name)),
        );
        let relative = path.strip_prefix(root()).unwrap();
        let relative = relative.to_str().unwrap().replace('\\', "/");
        sources.push((
            path,
            Source {
                path: relative,
                text,
                code,
            },
        ));
    }
    sources
        .into_iter()
        .filter(|(path, _)| {
            !tests
                .iter()
                .any(|test| path.with_extension("").starts_with(test))
        })
        .map(|(_, source)| source)
        .collect()
}

/// The line of a byte, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, paths);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            paths.push(path);
        }
    }
}

/// The folder that a file's own modules lie in.
fn module_base(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let folder = path.parent().unwrap();
    if ["mod", "lib", "main"].contains(&stem) {
        folder.to_path_buf()
    } else {
        folder.join(stem)
    }
}

/// Blanks out comments, strings and characters; line ends stay.
pub fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let length = if rest.starts_with(b"//") {
            rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            block_comment(rest)
        } else if rest[0] == b'"' {
            quoted(rest)
        } else if !after_word && (rest.starts_with(b"r\"") || rest.starts_with(b"r#")) {
            raw_string(rest, 1)
        } else if !after_word && (rest.starts_with(b"br\"") || rest.starts_with(b"br#")) {
            raw_string(rest, 2)
        } else if rest[0] == b'\'' {
            character(rest)
        } else {
            0
        };
        for byte in &mut out[at..at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at += length.max(1);
    }
    String::from_utf8(out).unwrap()
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|b| **b == b'#').count();
    if rest.get(prefix + hashes) != Some(&b'"') {
        return 0; // A raw identifier.
    }
    let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
    let from = prefix + hashes + 1;
    rest[from..]
        .windows(close.len())
        .position(|window| window == close)
        .map_or(rest.len(), |end| from + end + close.len())
}

/// The length of a character literal; 0 for a lifetime.
fn character(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        let close = rest.iter().skip(3).position(|b| *b == b'\'');
        return close.map_or(0, |end| end + 4);
    }
    let text = std::str::from_utf8(&rest[1..]).unwrap();
    let first = text.chars().next().map_or(0, char::len_utf8);
    if rest.get(1 + first) == Some(&b'\'') {
        first + 2
    } else {
        0
    }
}

/// Blanks out items under `#[cfg(test)]`; also gives the modules that lie in files of their own.
fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.as_bytes().to_vec();
    let mut modules = Vec::new();
    let mut from = 0;
    while let Some(found) = code[from..].find(MARK) {
        let start = from + found;
        let body = start + MARK.len();
        let end = item_end(&code[body..]) + body;
        let item = &code[body..end];
        if let Some(name) = item.trim().strip_prefix("mod ")
            && let Some(name) = name.strip_suffix(';')
        {
            modules.push(name.trim().to_owned());
        }
        for byte in &mut out[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        from = end;
    }
    (String::from_utf8(out).unwrap(), modules)
}

/// Where an item ends: at its `;`, or behind the brace that closes it.
fn item_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b'}' {
                    return at + 1;
                }
            }
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}
