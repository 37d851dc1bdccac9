#!/usr/bin/env python3
"""Compares the built program with the plain reading of the safety rules.

Usage: differential.py WATCHFLOOR [SEQUENCES [SEED]]

Random sequences of attempts go through `attempt record - --lines` on a temporary store, each in
a mission of its own; findings and trips must be those of tests/vectors/safety_reference.py. For
every twentieth sequence the gate is asked in four ways. Standard library only.
"""
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "vectors"))
import safety_reference as reference  # noqa: E402

WEAK = "Command exited with code 1"
TRANSIENT = "503 Service Unavailable: the model is overloaded"


def signature(name):
    return "es1:" + hashlib.sha256(name.encode()).hexdigest()[:16]


def attempt(dice, number):
    """One attempt as the reference takes it."""
    role = dice.choices(["maker", "checker", "debugger", "second_opinion"], [10, 2, 2, 2])[0]
    a = {
        "task": "T%d" % dice.randrange(3), "role": role, "agent": "%s%d" % (role[0], dice.randrange(3)),
        "strategy": dice.choice(["A", "B", " a ", "C", "D"]),
        "result": dice.choices(["FAIL", "PASS", "BLOCKED", "NEEDS_ATTENTION"], [7, 4, 1, 1])[0],
        "files": dice.sample(["x.rs", "y.rs", "z.rs"], dice.choice([0, 1, 1, 2])) if role == "maker" or dice.random() < 0.2 else [],
    }
    if dice.random() < 0.3:
        a["state"] = dice.choice(["s1", "s2", "s3"])
    if a["result"] == "FAIL":
        a["sig"] = dice.choice(["e1", "e2", "e3"])
        kind = dice.random()
        if kind < 0.1:
            a["strength"], a["sig"] = "weak", "weak"
        elif kind < 0.15:
            a["transient"] = True
    if dice.random() < 0.12:
        better = dice.choice(["lower", "higher"])
        a["progress"] = {"made": dice.random() < 0.9, "metric": {
            "name": dice.choice(["tests", "errors"]), "before": dice.randrange(4), "after": dice.randrange(4), "better": better}}
    return a


def body(a, mission, number):
    b = {"task_id": "%s-%s" % (mission, a["task"]), "mission_id": mission, "agent": a["agent"], "role": a["role"],
         "hypothesis": "h", "strategy": a["strategy"], "result": a["result"],
         "change": {"summary": "n%d" % number, "files": a["files"]}}
    if a.get("state"):
        b["change"]["state"] = a["state"]
    if a["result"] == "FAIL":
        b["error_signature"] = WEAK if a.get("strength") == "weak" else TRANSIENT if a.get("transient") else signature(a["sig"])
    if a.get("progress"):
        b["progress"] = a["progress"]
    return json.dumps(b)


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20261130
    dice = random.Random(seed)
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=fast) as home:
        env = {"HOME": home, "PATH": os.environ.get("PATH", "")}
        call = lambda words, text="": subprocess.run([program, *words], input=text, env=env, cwd=home, text=True, capture_output=True)
        assert call(["init"]).returncode == 0
        sequences = []
        for at in range(count):
            length = 60 if at % 100 == 0 else dice.randrange(1, 14)
            sequences.append([attempt(dice, n) for n in range(length)])
        lines, wanted, ledgers = [], [], []
        for at, sequence in enumerate(sequences):
            ledger = reference.Ledger()
            ledgers.append(ledger)
            for number, a in enumerate(sequence):
                lines.append(body(a, "M%d" % at, number))
                wanted.append((at, number, set(ledger.record(a))))
        ran = call(["attempt", "record", "-", "--lines"], "\n".join(lines) + "\n")
        answers = ran.stdout.splitlines()
        if ran.returncode or len(answers) != len(lines):
            sys.exit("the program answered %d of %d lines, exit %d: %s" % (len(answers), len(lines), ran.returncode, ran.stderr[-500:]))
        bad = 0
        for answer, (at, number, want) in zip(answers, wanted):
            got = json.loads(answer)
            got = set(got["findings"]) | {"trip:" + trip for trip in got["trips"]}
            if got != want:
                bad += 1
                if bad <= 5:
                    print("sequence %d, attempt %d: %s, wanted %s" % (at, number, sorted(got), sorted(want)))
                    print("  ", json.dumps(sequences[at][: number + 1]))
        gates = 0
        for at in range(0, count, 20):
            ledger, sequence = ledgers[at], sequences[at]
            for task in sorted({a["task"] for a in sequence}):
                for role, strategy, agent in [("maker", "new", None), ("maker", sequence[0]["strategy"], None),
                                              ("debugger", "new", None), ("second_opinion", "new", "fresh")]:
                    want = ledger.gate(task, role, strategy, agent or "fresh")
                    words = ["gate", "check", "--mission", "M%d" % at, "--task", "M%d-%s" % (at, task), "--role", role,
                             "--strategy", strategy, "--json"] + (["--agent", agent] if agent else [])
                    got = json.loads(call(words).stdout)["verdict"]
                    gates += 1
                    if got != want:
                        bad += 1
                        print("sequence %d, gate %s %s %s: %s, wanted %s" % (at, task, role, strategy, got, want))
        deep = call(["verify", "--deep"])
        print("%d sequences, %d attempts, %d gate answers, seed %d: %d differ; %s" % (
            count, len(lines), gates, seed, bad, deep.stdout.strip()))
        sys.exit(1 if bad or deep.returncode else 0)


if __name__ == "__main__":
    main()
