#!/usr/bin/env python3
"""What Watchfloor costs beside what the same work costs at the least.

    ratios.py WATCHFLOOR [--floor FLOOR_SQLITE] [--runs N] [--calls N] [--rows N] [--only LETTERS]

Every figure is a ratio of medians of calls that take turns, so that a busy machine slows both
sides alike; the table shows the median of the runs. This process holds every store open
meanwhile, as a console does. Verification uses several threads: its elapsed time counts on a
machine with nothing else to do, its processor time on a busy one. FLOOR_SQLITE appends one row to
a bare table (`init DB bare`, `append DB bare FULL nockpt`); without it the figures of recording
are left out. LETTERS choose among r (recording), g (gate), w (waiting writers), v (verification)
and h (hooks: an allowed call in a store of twice ROWS records, beside a bare read and /bin/true).
"""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

WRITERS = 64
# A floor's write-ahead log has its full size after so many appends.
WARM = "1500"


class Folder:
    """A folder with a store, and calls of the program on it."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.store = os.path.join(path, "store.db")
        self.env = {"HOME": path}
        subprocess.run([program, "--store", self.store, "init"], env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.resident = resident(self.store, "journal")
        self.inputs = {}

    def call(self, *words, stdin=os.devnull):
        return [self.program, "--store", self.store, "--project", "bench", *words], stdin

    def record(self, task, number, failing=False):
        body = attempt(task, number, failing)
        file = os.path.join(self.path, f"in-{task}-{number}.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(body, out)
        return self.call("attempt", "record", "-", stdin=file)

    def gate(self, task, agent=None):
        words = ["gate", "check", "--task", task, "--role", "maker",
                 "--strategy", "ask the owner of the lock to let go"]
        return self.call(*words, *(["--agent", agent] if agent else []))

    def time(self, call, processor=False):
        """Microseconds from the start of a call to its end, or of its processor time."""
        words, stdin = call
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        start = time.perf_counter_ns()
        child = os.posix_spawn(words[0], words, self.env, file_actions=actions)
        _, status, used = os.wait4(child, 0)
        took = time.perf_counter_ns() - start
        if processor:
            took = (used.ru_utime + used.ru_stime) * 1e9
        if status:
            sys.exit(f"{' '.join(words)} ended with status {status}")
        return took / 1000


def attempt(task, number, failing):
    body = {
        "task_id": task,
        "agent": f"agent-{number % 8}",
        "role": "maker",
        "hypothesis": "the lock is held by a process of the run before",
        "strategy": "remove the stale lock, then try again with a growing pause",
        "change": {"files": [f"src/fold_{number}.rs"]},
        "check": "cargo test",
        "result": "FAIL" if failing else "PASS",
    }
    if failing:
        body["error_signature"] = (
            f"error[E0308]: mismatched types in fold_{number}\n  --> src/fold.rs:12:{number}"
        )
    return body


def resident(path, table):
    """A connection that keeps a database open."""
    connection = sqlite3.connect(path)
    connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return connection


def interleaved(folder, options, floor, program):
    """Per run, the medians of both sides; each side makes the call of a run and a number."""
    left, right = [], []
    for run in range(options.runs):
        times = ([], [])
        for number in range(options.calls):
            for side, make in enumerate((floor, program)):
                call = make(run, number)
                # Going from one program to another costs by itself: both start after a third.
                folder.time((["/bin/true"], os.devnull))
                times[side].append(folder.time(call))
        left.append(statistics.median(times[0]))
        right.append(statistics.median(times[1]))
    return left, right


def line(name, floor, program, limit, least=False):
    ratios = [f / p if least else p / f for f, p in zip(floor, program)]
    ratio = statistics.median(ratios)
    holds = ratio >= limit if least else ratio <= limit
    print(
        f"{name:<44} {statistics.median(floor):>9.0f} {statistics.median(program):>10.0f}"
        f" {ratio:>6.2f} {'>=' if least else '<='} {limit:<4} {'yes' if holds else 'NO':<4}"
        + " ".join(f"{ratio:.2f}" for ratio in ratios),
        flush=True,
    )


def records(folder, options):
    table = os.path.join(folder.path, "floor.db")
    subprocess.run([options.floor, "init", table, "bare"], check=True)
    held = resident(table, "ledger")
    subprocess.run([options.floor, "long", table, "bare", "NORMAL", WARM], check=True,
                   stdout=subprocess.DEVNULL)

    def floor(_run, _number):
        return [options.floor, "append", table, "bare", "FULL", "nockpt"], os.devnull

    def passing(run, number):
        return folder.record(f"T-p{run}-{number // 8}", number)

    def failing(run, number):
        return folder.record(f"T-f{run}-{number}", number, failing=True)

    line("attempt record -, passing", *interleaved(folder, options, floor, passing), 1.5)
    line("attempt record -, failing", *interleaved(folder, options, floor, failing), 1.5)
    held.close()


def gates(folder, options):
    folder.time(folder.record("T-known", 0, failing=True))
    folder.time(folder.gate("T-known", "agent-0"))

    def floor(_run, _number):
        return folder.call("floor-read")

    cases = [
        ("gate check, no such task", lambda run, number: folder.gate(f"T-none-{run}-{number}")),
        ("gate check, a task", lambda _run, _number: folder.gate("T-known")),
        ("gate check --agent, no such task",
         lambda run, number: folder.gate(f"T-none-{run}-{number}", "agent-0")),
        ("gate check --agent, asked again", lambda _run, _number: folder.gate("T-known", "agent-0")),
        ("gate check --agent, begins (noted)",
         lambda run, number: folder.gate("T-known", f"agent-{run}-{number}")),
    ]
    for name, case in cases:
        line(name, *interleaved(folder, options, floor, case), 1.4)


def hooks(folder, options):
    """Calls that nothing stands against, of a session that is known, in a store that is full."""
    lines = "".join(
        json.dumps(attempt(f"T-h{at // 20}", at, failing=False)) + "\n"
        for at in range(options.rows * 2)
    )
    words, _ = folder.call("attempt", "record", "-", "--lines")
    subprocess.run(words, input=lines.encode(), env=folder.env, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(folder.call("tick")[0], env=folder.env, check=True, stdout=subprocess.DEVNULL)
    tree = os.path.join(folder.path, "tree")
    os.makedirs(os.path.join(tree, ".git"))

    def hook(tool, given):
        payload = {"session_id": "s-1", "cwd": tree, "hook_event_name": "PreToolUse",
                   "tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1"}
        file = os.path.join(folder.path, f"hook-{tool}.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(payload, out)
        words = [folder.program, "--store", folder.store, "hook", "claude", "PreToolUse"]
        return words, file

    cases = [
        ("hook, a file is read", hook("Read", {"file_path": f"{tree}/src/lib.rs"})),
        ("hook, a file is edited", hook("Edit", {"file_path": f"{tree}/src/lib.rs",
                                                 "old_string": "let a = 1;",
                                                 "new_string": "let a = 2;"})),
        ("hook, a command is run", hook("Bash", {"command": "cd src && cargo test --quiet 2>&1"})),
    ]
    for _, case in cases:
        folder.time(case)

    def floor(_run, _number):
        return folder.call("floor-read")

    def nothing(_run, _number):
        return ["/bin/true"], os.devnull

    for name, case in cases:
        line(name, *interleaved(folder, options, floor, lambda _run, _number, c=case: c), 1.4)
    for name, case in cases:
        line(f"{name}; /bin/true",
             *interleaved(folder, options, nothing, lambda _run, _number, c=case: c), 2.5)


def waits(folder, options):
    middle, worst = [], []
    for run in range(options.runs):
        calls = iter([folder.record(f"T-w{run}-{at}", at) for at in range(WRITERS * 10)])
        times, turn = [], threading.Lock()

        def writer(calls=calls, times=times, turn=turn):
            while True:
                with turn:
                    call = next(calls, None)
                if call is None:
                    return
                times.append(folder.time(call))

        writers = [threading.Thread(target=writer) for _ in range(WRITERS)]
        for thread in writers:
            thread.start()
        for thread in writers:
            thread.join()
        middle.append(statistics.median(times))
        worst.append(max(times))
    line(f"{WRITERS} one-shot writers: median, worst wait", middle, worst, 8)


def verification(folder, options):
    lines = "".join(
        json.dumps(attempt(f"T-v{at // 20}", at, failing=False)) + "\n"
        for at in range(options.rows)
    )
    words, _ = folder.call("attempt", "record", "-", "--lines")
    subprocess.run(words, input=lines.encode(), env=folder.env, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(folder.call("tick")[0], env=folder.env, check=True, stdout=subprocess.DEVNULL)
    floor, elapsed, program = [], [], []
    verify = folder.call("verify")
    folder.time(verify)
    for _ in range(options.runs):
        hashed = subprocess.run(folder.call("floor-hash")[0], env=folder.env, check=True,
                                capture_output=True)
        floor.append(float(hashed.stdout))
        elapsed.append(folder.time(verify))
        program.append(folder.time(verify, processor=True))
    line("elapsed: SHA-256 on one thread, verify", floor, elapsed, 0.4, least=True)
    line("processor time: SHA-256, verify", floor, program, 0.4, least=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--floor")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--only", default="rgwvh")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    print(f"{'figure':<44} {'floor us':>9} {'program us':>10} {'ratio':>6} limit   ok  each run")
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(options.program, path)
        if options.floor and "r" in options.only:
            options.floor = os.path.abspath(options.floor)
            records(folder, options)
        if "g" in options.only:
            gates(folder, options)
        if "w" in options.only:
            waits(folder, options)
        if "v" in options.only:
            verification(folder, options)
        if "h" in options.only:
            hooks(folder, options)


if __name__ == "__main__":
    main()
