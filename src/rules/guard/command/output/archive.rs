//! Archives: what goes into one comes out where the archive goes.

use super::super::super::call::Call;
use super::super::super::walk::{Walk, carries};

/// Judges an archiver; `None` where no secret goes through it.
pub(super) fn archived(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let first = call.args.first()?;
    let zips = call.name == "zip";
    let creates = zips || call.has("--create") || flags(first).contains('c');
    let prints = call.has("--to-stdout") || flags(first).contains('O') || call.has("-O");
    if !(creates || prints) {
        return None;
    }
    let file = call.args.iter().find_map(|arg| arg.strip_prefix("--file="));
    let after = call.args.iter().enumerate().find(|(at, arg)| {
        let cluster = !arg.starts_with("--") && (*at == 0 || arg.starts_with('-'));
        !zips && (*arg == "--file" || cluster && flags(arg).ends_with('f'))
    });
    let target = match (file, after) {
        (Some(file), _) => Some(file),
        (None, Some((at, _))) => call.args.get(at + 1).map(String::as_str),
        (None, None) => call
            .args
            .iter()
            .map(String::as_str)
            .find(|arg| zips && (*arg == "-" || !arg.starts_with('-'))),
    };
    let mut out = String::new();
    for word in call
        .args
        .iter()
        .skip(usize::from(!first.starts_with('-') && !zips))
    {
        if !word.starts_with('-') && walk.places.is_secret(word) && Some(word.as_str()) != target {
            out.push_str(&walk.file(word));
        }
    }
    if !carries(&out) {
        return None;
    }
    walk.reads = false;
    match target.filter(|target| *target != "-" && !prints) {
        Some(target) => {
            walk.writing(target);
            walk.put(target, &out, false);
            Some(String::new())
        }
        None => Some(out),
    }
}

fn flags(arg: &str) -> &str {
    if arg.starts_with("--") {
        ""
    } else {
        arg.trim_start_matches('-')
    }
}
