//! Archives: what goes into one comes out where the archive goes.

use super::super::super::call::{Call, options};
use super::super::super::walk::{Walk, carries};

/// Flags of `tar` that take a value.
const VALUED: [&str; 24] = [
    "-C",
    "-f",
    "-b",
    "-T",
    "-X",
    "-I",
    "-g",
    "-K",
    "-N",
    "-V",
    "-L",
    "-H",
    "-F",
    "--file",
    "--directory",
    "--exclude",
    "--exclude-from",
    "--files-from",
    "--use-compress-program",
    "--transform",
    "--format",
    "--owner",
    "--group",
    "--mode",
];

/// Judges an archiver; `None` where no secret goes through it.
pub(super) fn archived(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let zips = call.name == "zip";
    let args = if zips {
        call.args.clone()
    } else {
        dashed(&call.args)
    };
    let seen = options(&args, if zips { &[] } else { &VALUED });
    let creates = zips
        || seen.flag("c", "create", 2)
        || seen.flag("r", "append", 2)
        || seen.flag("u", "update", 2);
    let prints = !zips && seen.flag("O", "to-stdout", 4);
    if !(creates || prints) {
        return None;
    }
    let target = if zips {
        seen.words.first().copied()
    } else {
        seen.value("f", "file")
    };
    let mut lists = if zips {
        Vec::new()
    } else {
        seen.values("T", "files-from")
    };
    if zips && seen.flag("@", "names-stdin", 5) {
        lists.push("-");
    }
    let listed: Vec<String> = lists
        .into_iter()
        .filter_map(|list| walk.program(list, &call.stdin))
        .collect();
    let listed = listed.iter().flat_map(|list| list.lines());
    let mut out = String::new();
    let words = seen.words.iter().skip(usize::from(zips)).copied();
    for word in words.chain(listed) {
        if walk.places.is_secret(word) {
            out.push_str(&walk.file(word));
        }
    }
    if prints && let Some(content) = target.and_then(|target| walk.content(target)) {
        out.push_str(content);
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

/// The words of `tar` with a first one of bare letters, as in `tar cf x`, in the form with dashes:
/// each letter that takes a value takes one of the words behind, in their order.
fn dashed(args: &[String]) -> Vec<String> {
    let Some(first) = args.first().filter(|first| !first.starts_with('-')) else {
        return args.to_vec();
    };
    let mut rest = args[1..].iter();
    let mut out = Vec::with_capacity(args.len() + 4);
    for letter in first.chars() {
        let flag = format!("-{letter}");
        let takes = VALUED.contains(&flag.as_str());
        out.push(flag);
        if takes {
            out.extend(rest.next().cloned());
        }
    }
    out.extend(rest.cloned());
    out
}
