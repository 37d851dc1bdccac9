//! Requests: their method, their host, what they carry, and where the answer goes.

use crate::contract::guard::Grantable;

use super::super::call::Call;
use super::super::forge;
use super::super::ssh::host;
use super::super::text;
use super::super::walk::Walk;
use super::{Named, kind};

const CURL: [&str; 52] = [
    "-X",
    "-d",
    "-F",
    "-H",
    "-o",
    "-u",
    "-T",
    "-b",
    "-c",
    "-e",
    "-A",
    "-x",
    "-m",
    "-w",
    "-K",
    "-E",
    "-r",
    "-C",
    "-D",
    "-P",
    "-Q",
    "-t",
    "-U",
    "-y",
    "-Y",
    "-z",
    "--request",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--form",
    "--form-string",
    "--header",
    "--output",
    "--user",
    "--upload-file",
    "--cookie",
    "--url",
    "--json",
    "--connect-timeout",
    "--max-time",
    "--retry",
    "--resolve",
    "--cacert",
    "--cert",
    "--key",
    "--proxy",
    "--write-out",
    "--user-agent",
    "--oauth2-bearer",
];

const WGET: [&str; 13] = [
    "-O",
    "-o",
    "-P",
    "-U",
    "-t",
    "-T",
    "--header",
    "--method",
    "--body-data",
    "--post-data",
    "--post-file",
    "--body-file",
    "--output-document",
];

/// A request as it would be sent.
struct Request {
    method: String,
    urls: Vec<String>,
    body: String,
    /// Files that are sent.
    files: Vec<String>,
    /// Headers and credentials.
    headers: Vec<String>,
    /// Its headers are shown.
    shown: bool,
    /// The file that the answer is put into.
    output: Option<String>,
}

/// Judges a program that sends requests; `None` for every other one.
pub(in super::super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let request = match call.name.as_str() {
        "curl" => curl(call),
        "wget" => wget(call),
        "http" | "https" | "xh" | "xhs" => httpie(call),
        _ => return None,
    };
    Some(send(walk, call, &request))
}

fn send(walk: &mut Walk<'_>, call: &Call, request: &Request) -> String {
    let reads = walk.reads;
    let changes = !matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    walk.reads = false;
    if request.shown && request.headers.iter().any(|header| authorises(header)) {
        walk.report("secret.echo-header", &call.name, None);
    }
    let carried = marked_file(&request.body)
        || request
            .urls
            .iter()
            .chain(&request.headers)
            .any(|text| marked_file(text))
        || (marked_file(&call.stdin)
            && request.files.iter().any(|file| file == "-" || file == "."));
    let secret = request
        .files
        .iter()
        .find(|file| walk.places.is_secret(file));
    if let Some(file) = secret {
        walk.report("secret.read-file", file, None);
    } else if carried {
        let marks = text::marked(text::SECRET, "file_content");
        walk.show(&marks);
    }
    let mut out = text::marked(text::DOWNLOAD, "download");
    for url in &request.urls {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        if scheme == "file" {
            if walk.places.is_secret(rest) {
                out = walk.read_secret("secret.read-file", rest);
            }
            continue;
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if changes {
            let path = rest.get(authority.len()..).unwrap_or_default();
            forge::request(walk, &request.method, &host(authority), path, &request.body);
            if kind(walk, authority) == Named::Production {
                let wants = text::literal(authority).then(|| Grantable::Host(host(authority)));
                walk.report("prod.http", &request.method, wants);
            }
        }
    }
    match &request.output {
        Some(file) if file != "-" => {
            walk.emptying(file);
            walk.put(file, &out, false);
            String::new()
        }
        _ => {
            if !changes && walk.found.is_none() {
                walk.reads = reads;
            }
            out
        }
    }
}

fn marked_file(text: &str) -> bool {
    text.contains(&text::marked(text::SECRET, "file_content"))
}

/// Whether a header or a credential is one that must not be shown.
fn authorises(header: &str) -> bool {
    let lower = header.to_ascii_lowercase();
    let name = lower.split(':').next().unwrap_or_default().trim();
    let words = [
        "authorization",
        "token",
        "api-key",
        "apikey",
        "cookie",
        "secret",
        "auth-key",
        "access-key",
        "credential",
    ];
    words.iter().any(|word| name.contains(word)) || header.contains(text::SECRET)
}

fn curl(call: &Call) -> Request {
    let seen = call.options(&CURL);
    let mut body = String::new();
    let mut files: Vec<String> = Vec::new();
    let mut has_body = false;
    let flags = [
        ("d", "data"),
        ("", "data-raw"),
        ("", "data-binary"),
        ("", "data-urlencode"),
        ("", "data-ascii"),
        ("F", "form"),
        ("", "json"),
    ];
    for (letter, long) in flags {
        for value in seen.values(letter, long) {
            has_body = true;
            let file = value
                .strip_prefix('@')
                .or_else(|| value.split_once("=@").map(|(_, file)| file))
                .or_else(|| value.split_once("=<").map(|(_, file)| file));
            match file {
                Some(file) => files.push(file.split(';').next().unwrap_or_default().to_owned()),
                None => body.push_str(value),
            }
        }
    }
    let upload = seen.values("T", "upload-file");
    files.extend(upload.iter().map(|file| (*file).to_owned()));
    let gets = seen.flag("G", "get", 3);
    let default = if seen.flag("I", "head", 4) {
        "HEAD"
    } else if !upload.is_empty() {
        "PUT"
    } else if has_body && !gets {
        "POST"
    } else {
        "GET"
    };
    let method = seen.value("X", "request").unwrap_or(default);
    let mut urls: Vec<String> = seen.words.iter().map(|url| (*url).to_owned()).collect();
    urls.extend(seen.values("", "url").iter().map(|url| (*url).to_owned()));
    let mut headers: Vec<String> = seen
        .values("H", "header")
        .iter()
        .map(|header| (*header).to_owned())
        .collect();
    for (letter, long) in [("u", "user"), ("b", "cookie"), ("", "oauth2-bearer")] {
        headers.extend(
            seen.values(letter, long)
                .iter()
                .map(|value| format!("authorization: {value}")),
        );
    }
    let shown =
        seen.flag("v", "verbose", 4) || seen.flags().any(|(name, _)| name.starts_with("--trace"));
    let output = seen.value("o", "output").map(str::to_owned).or_else(|| {
        let named = seen.flag("O", "remote-name", 8);
        named.then(|| {
            urls.first()
                .map_or_else(String::new, |url| text::base(url).to_owned())
        })
    });
    Request {
        method: method.to_ascii_uppercase(),
        urls,
        body,
        files,
        headers,
        shown,
        output,
    }
}

fn wget(call: &Call) -> Request {
    let seen = call.options(&WGET);
    let data = seen
        .value("", "post-data")
        .or_else(|| seen.value("", "body-data"));
    let files: Vec<String> = ["post-file", "body-file"]
        .iter()
        .filter_map(|flag| seen.value("", flag))
        .map(str::to_owned)
        .collect();
    let default = if data.is_some() || !files.is_empty() {
        "POST"
    } else {
        "GET"
    };
    let urls: Vec<String> = seen.words.iter().map(|url| (*url).to_owned()).collect();
    let spider = seen.flag("", "spider", 3);
    let output = match seen.value("O", "output-document") {
        Some(file) => Some(file.to_owned()),
        None if spider => None,
        None => urls
            .first()
            .map(|url| text::base(url).to_owned())
            .filter(|name| !name.is_empty()),
    };
    Request {
        method: seen
            .value("", "method")
            .unwrap_or(default)
            .to_ascii_uppercase(),
        urls,
        body: data.unwrap_or_default().to_owned(),
        files,
        headers: seen
            .values("", "header")
            .iter()
            .map(|header| (*header).to_owned())
            .collect(),
        shown: seen.flag("d", "debug", 3),
        output,
    }
}

fn httpie(call: &Call) -> Request {
    let seen = call.options(&[
        "-o",
        "-a",
        "-A",
        "-p",
        "--output",
        "--auth",
        "--session",
        "--verify",
        "--timeout",
    ]);
    let mut words = seen.words.clone();
    let verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let named = words
        .first()
        .copied()
        .filter(|word| verbs.contains(&word.to_ascii_uppercase().as_str()));
    if named.is_some() {
        words.remove(0);
    }
    let url = words.first().map(|url| (*url).to_owned());
    let items = words.get(1..).unwrap_or_default();
    let sends = items
        .iter()
        .any(|item| item.contains('=') && !item.contains("=="))
        || !call.stdin.is_empty();
    let default = if sends { "POST" } else { "GET" };
    let mut headers: Vec<String> = items
        .iter()
        .filter(|item| item.contains(':') && !item.contains('='))
        .map(|item| (*item).to_owned())
        .collect();
    headers.extend(
        seen.value("a", "auth")
            .map(|value| format!("authorization: {value}")),
    );
    Request {
        method: named.unwrap_or(default).to_ascii_uppercase(),
        urls: url.into_iter().collect(),
        body: items.join(" "),
        files: items
            .iter()
            .filter_map(|item| item.split_once("=@").or_else(|| item.split_once('@')))
            .map(|(_, file)| file.to_owned())
            .collect(),
        headers,
        shown: seen.flag("v", "verbose", 4),
        output: seen.value("o", "output").map(str::to_owned),
    }
}
