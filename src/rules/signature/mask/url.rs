//! Addresses on the network: without user, query and ids.

use super::Scan;
use super::word;

/// The first port that is handed out at random.
pub(super) const EPHEMERAL: u32 = 32_768;

impl Scan<'_> {
    /// Masks the URL that begins here. That of a file is a scheme before a path.
    pub(super) fn url(&mut self) -> bool {
        if !self.begins_word() {
            return false;
        }
        let rest = self.rest();
        let scheme = rest
            .bytes()
            .take(16)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
            .count();
        if scheme < 2 || !rest[scheme..].starts_with("://") {
            return false;
        }
        let (name, body) = (&rest[..scheme], &rest[scheme + 3..]);
        if body.starts_with('/') || matches!(name, "file" | "unix") {
            // The path that follows begins behind a colon, as far as anyone can see.
            self.out.push_str(name);
            self.out.push(':');
            self.at += scheme + 3;
            return true;
        }
        let ends = |c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '}' | ',' | '|')
        };
        let end = body.find(ends).unwrap_or(body.len());
        let body = body[..end].trim_end_matches(['.', ';', ':', '!']);
        self.out.push_str(name);
        self.out.push_str("://");
        self.at += scheme + 3 + body.len();
        self.out.push_str(&told(body));
        true
    }
}

fn told(body: &str) -> String {
    let end = body.find(['?', '#']).unwrap_or(body.len());
    let mut parts = body[..end].split('/');
    let host = parts.next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let mut out = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u32>().is_ok_and(|port| port >= EPHEMERAL) => {
            format!("{name}:<port>")
        }
        _ => host.to_owned(),
    };
    for part in parts {
        out.push('/');
        out.push_str(if is_id(part) { "<id>" } else { part });
    }
    out
}

/// Whether a part of a URL names one thing of many.
fn is_id(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let number = digits > 0 && digits == part.len();
    let mixed = part.len() >= 16
        && digits >= 3
        && part
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    number || mixed || word::masked(part, "").is_some()
}
