#!/usr/bin/env python3
"""Breaks the pure code on purpose and counts how often the tests notice.

    mutants.py [--seed N] [--count N] [--scratch DIR] [--again]

The rooms `contract/` and `rules/` need nothing of the rest of the crate, so they are copied, with
the files they read, into a small crate of their own that builds in seconds. `cargo mutants` lists
every change it knows how to make there; a sample of the list, drawn with a stated seed, is tried
one at a time against the unit tests. The working tree is never touched.

What is tried depends on the seed and on the code alone: tests at the foot of a file move nothing.
The few slow tests are asked only about what all others let through. `--again` goes on with an
interrupted run, or tries once more, on a fresh copy, what the last one let through.

Exit 0 when at least 90 in 100 changes that compile are caught, 1 when fewer are, 3 when the run
itself fails. A change that makes the tests hang until the time limit is not counted as caught; one
that makes them use up their memory is.

Needs Python 3.11 and `cargo install --locked cargo-mutants`.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
ROOMS = ("contract", "rules")
DATA = ("catalog", "tests/replay", "tests/vectors")
SEED = 20261130
COUNT = 150
WANTED = 90
# Seconds for one build, and for one run of the unit tests, of a changed copy.
BUILD_LIMIT = 300
TEST_LIMIT = 60
# Tests that take most of the time have one of these in their names.
SLOW = ("hostile", "properties")
# Changes between two reports.
CHUNK = 15
# Bytes that a process may ask for: some changes grow a text for ever.
MEMORY = 6 << 30
PROFILE = """
[profile.dev]
debug = false
opt-level = 0
incremental = true

[profile.dev.package."*"]
opt-level = 1
"""


class Failed(Exception):
    """The run cannot go on; the text says why."""


def main():
    options = arguments()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        results = run(options)
    except (Failed, OSError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 3
    return summary(options, results)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT, help="how many changes to try")
    parser.add_argument("--again", action="store_true", help="only what no earlier run caught")
    parser.add_argument(
        "--scratch",
        type=Path,
        default=Path(tempfile.gettempdir()) / "watchfloor-mutants",
        help="where the small crate and its builds are kept",
    )
    return parser.parse_args()


def run(options):
    """The outcome of every change of the sample, by the change's name."""
    crate = options.scratch / "crate"
    kept = options.scratch / f"results-{options.seed}-{options.count}.json"
    build_crate(crate)
    sample = draw(crate, options)
    results = {}
    if options.again:
        if not kept.exists():
            raise Failed("there is no earlier run with this seed and count")
        results = json.loads(kept.read_text())
        if not set(results) <= set(sample):
            raise Failed("the code has changed since the earlier run; run without --again")
    todo = [name for name in sample if results.get(name) not in ("caught", "unviable")]
    for start in range(0, len(todo), CHUNK):
        chunk = todo[start : start + CHUNK]
        found = attempt(crate, options.scratch / "out", chunk, skip=SLOW)
        left = [name for name in chunk if found[name] in ("missed", "timeout")]
        if left:
            found |= attempt(crate, options.scratch / "out", left)
        results |= found
        kept.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        for name in chunk:
            if found[name] in ("missed", "timeout"):
                print(f"{found[name]}: {name}", flush=True)
        print(f"{start + len(chunk)} of {len(todo)} tried", flush=True)
    return results


def build_crate(crate):
    """A fresh copy of the two rooms, and proof that its tests pass."""
    for part in ("src", "catalog", "tests"):
        shutil.rmtree(crate / part, ignore_errors=True)
    for room in ROOMS:
        shutil.copytree(REPOSITORY / "src" / room, crate / "src" / room)
    for part in DATA:
        shutil.copytree(REPOSITORY / part, crate / part)
    lib = "".join(f"pub mod {room};\n" for room in ROOMS)
    (crate / "src" / "lib.rs").write_text(lib)
    shutil.copy(REPOSITORY / "Cargo.lock", crate / "Cargo.lock")
    (crate / "Cargo.toml").write_text(manifest(crate))
    cargo(crate, "test", "--lib", "--quiet", "--jobs=1")


def manifest(crate):
    """The project's manifest, without the dependencies that the two rooms do not name."""
    whole = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())
    source = "\n".join(path.read_text() for path in sorted(crate.glob("src/**/*.rs")))
    package = whole["package"]
    lines = ["[package]"]
    for key in ("name", "version", "edition"):
        lines.append(f"{key} = {json.dumps(package[key])}")
    lines += ["", "[workspace]"]
    for table in ("dependencies", "dev-dependencies"):
        lines += ["", f"[{table}]"]
        for name, wanted in whole[table].items():
            if re.search(rf"\b{name.replace('-', '_')}::", source):
                lines.append(f"{name} = {inline(wanted)}")
    return "\n".join(lines) + "\n" + PROFILE


def inline(value):
    """A TOML value on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(v)}" for key, v in value.items()) + " }"
    return json.dumps(value)


def draw(crate, options):
    """The names of the changes to try, sorted."""
    listed = cargo(crate, "mutants", "--list", "--json", "--line-col=true")
    names = sorted(change["name"] for change in json.loads(listed))
    if len(set(names)) != len(names):
        raise Failed("two changes have the same name")
    if len(names) < options.count:
        raise Failed(f"there are only {len(names)} changes to draw from")
    print(f"seed {options.seed}: {options.count} of {len(names)} changes", flush=True)
    return sorted(random.Random(options.seed).sample(names, options.count))


def attempt(crate, out, names, skip=()):
    """Tries these changes, one after another, and tells the outcome of each."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    files = sorted({name.split(":")[0] for name in names})
    exactly = "^(?:" + "|".join(re.escape(name) for name in names) + ")$"
    cargo(
        crate,
        "mutants",
        "--in-place",
        "--baseline=skip",
        "--no-shuffle",
        "--colors=never",
        f"--build-timeout={BUILD_LIMIT}",
        f"--timeout={TEST_LIMIT}",
        f"--output={out}",
        *(f"--file={file}" for file in files),
        f"--re={exactly}",
        "--cargo-arg=--jobs=1",
        "--cargo-test-arg=--lib",
        "--cargo-test-arg=--",
        *(f"--cargo-test-arg=--skip={word}" for word in skip),
        # 2: some were missed, 3: some ran into the limit.
        allowed=(0, 2, 3),
    )
    told = json.loads((out / "mutants.out" / "outcomes.json").read_text())
    words = {
        "CaughtMutant": "caught",
        "MissedMutant": "missed",
        "Timeout": "timeout",
        "Unviable": "unviable",
    }
    tried = {
        outcome["scenario"]["Mutant"]["name"]: words[outcome["summary"]]
        for outcome in told["outcomes"]
    }
    # The tool tries deleted fields of structs whether they were asked for or not.
    results = {name: tried[name] for name in names if name in tried}
    if len(results) != len(names):
        raise Failed(f"asked for {len(names)} changes, {len(results)} of them were tried")
    return results


def cargo(crate, *words, allowed=(0,)):
    """Runs cargo in the small crate and returns what it printed."""
    quiet = os.environ | {
        "CARGO_TARGET_DIR": str(crate / "target"),
        "RUSTFLAGS": "--cap-lints=warn",
        # The same cases for every change, and none kept: a change is caught by itself alone.
        "PROPTEST_RNG_SEED": str(SEED),
        "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
    }
    done = subprocess.run(["cargo", *words], cwd=crate, env=quiet, capture_output=True, text=True)
    if done.returncode not in allowed:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failed(f"cargo {words[0]} ended with {done.returncode}\n{tail}".rstrip())
    return done.stdout


def summary(options, results):
    """Prints the numbers, and says through the exit code whether they suffice."""
    count = Counter(results.values())
    viable = len(results) - count["unviable"]
    print(f"\nseed {options.seed}, {len(results)} tried, {viable} compile:")
    for word in ("caught", "missed", "timeout", "unviable"):
        print(f"  {word:9}{count[word]:4}")
    for name in sorted(results):
        if results[name] in ("missed", "timeout"):
            print(f"{results[name]}: {name}")
    if not viable:
        print("nothing compiles: that proves nothing")
        return 1
    print(f"{100 * count['caught'] / viable:.1f} % caught, {WANTED} % wanted")
    return 0 if 100 * count["caught"] >= WANTED * viable else 1


if __name__ == "__main__":
    sys.exit(main())
