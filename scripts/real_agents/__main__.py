"""Real agents against a scripted model: a breaker stops them, a signed reset lets them go on.

usage: python3 scripts/real_agents --harnesses FOLDER --binary target/debug/watchfloor [--only WORD]

FOLDER holds the installed agents, at any depth: packages of pi, Claude Code, Codex, Gemini CLI and
opencode below a node_modules, and a virtual environment with Hermes. Everything happens in a temporary folder with an empty home.
Each fact is printed with its proof; the first that does not hold ends the program with 1.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import agents
import floor
import harnesses
from model import Model, Step, poll, shell
from place import OPERATOR, Place

LIST = "watchfloor --json breaker list"
RESET = "watchfloor.breaker_reset.v1"
PERMIT = "watchfloor.permit.v1"


def closed(words):
    """Whether a list of breakers, as the agent read it, holds no open one."""
    return '"breakers"' in words and not re.search(r'"state"\s*:\s*"open"', words)


def edits(how, number):
    """The steps of the edit of a number, by a tool or by the shell, and the file after it."""
    if how == "shell":
        return [shell("echo 1 >> a.txt")]
    if how == "write":
        return [Step("read", "a.txt"), Step("write", "a.txt", f"line {number}\n")]
    return [Step("read", "a.txt"), Step("edit", "a.txt", f"line {number - 1}", f"line {number}")]


def after(how, number):
    """The file after so many edits."""
    return b"line 0\n" + b"1\n" * number if how == "shell" else f"line {number}\n".encode()


def wait(what, holds, agent, seconds=180):
    """Waits for something that a running agent brings about."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what} does not come"
        if agent.process.poll() is not None:
            raise AssertionError(f"{agent.name} ended before {what}:\n{agent.said()[-3000:]}")
        time.sleep(0.05)


def same(have, want, what):
    assert have == want, f"{what}: {have!r}, not {want!r}"


def refused(step):
    """The words by which a call was refused."""
    words = step.results[-1]
    assert "Watchfloor: " in words and "breaker" in words, f"not refused: {words!r}"
    return " ".join(words[words.index("Watchfloor: "):].split())[:110]


class Show:
    """One line of facts: an agent, a project, a check, a way to edit."""

    def __init__(self, options, title):
        self.options = options
        self.title = title
        print(f"\n{title}", flush=True)

    def fact(self, words, proof):
        print(f"  holds: {words}\n         {proof}", flush=True)

    def place(self, folder, git):
        return Place(folder, self.options.binary, self.options.repository, self.options.programs, self.options.node, git)

    def stop_and_go_on(self, name, git, check, how, folder):
        """Three failing tries, the stop, the reset while the session runs, and again, and resumed."""
        place = self.place(folder, git)
        model = Model(name)
        agent = agents.Agent(name, place, model)
        tries = [step for n in (1, 2, 3) for step in [*edits(how, n), shell(check)]]
        stopped = [edits(how, 4)[-1], shell("echo 1 >> a.txt")]
        watching = poll(LIST, closed)
        second = [step for n in (4, 5, 6) for step in [*edits(how, n), shell(check)]]
        last = edits(how, 7)[-1]
        model.add(*tries, *stopped, watching, *second, last)
        agent.start("make the check pass")
        wait("a poll", lambda: watching.results, agent)
        self.is_open(place, "retry", 1)
        same(place.bytes(), after(how, 3), "a.txt behind the stop")
        self.fact("the third failing run opened retry", self.trip(place))
        self.fact("the next edit was refused", f"{stopped[0].call(name)[0]}: {refused(stopped[0])}")
        self.fact("so was an edit by the shell", refused(stopped[1]))
        self.fact("the file is unchanged, byte for byte", repr(place.bytes()))
        self.reset(place)
        session = agent.end()
        agent.took(session)
        polled = f"{LIST}: {len(watching.results)} times, until no breaker was open"
        self.fact("an allowed verb was let through meanwhile", polled)
        self.fact("the same session went on within its run", f"session {session}, a.txt {place.bytes()!r}")
        same(place.bytes(), after(how, 6), "a.txt after the second stop")
        self.is_open(place, "retry", 2)
        self.fact("two more failing tries were free, the third opened it again", self.trip(place))
        refused(last)
        self.reset(place)
        again = [*edits(how, 7), shell(check)]
        agent.run("go on", *again)
        same(place.bytes(), after(how, 7), "a.txt after the session went on")
        same(place.open_breakers(), [], "open breakers")
        self.fact("the session went on in another run", f"session {agent.session}, a.txt {place.bytes()!r}")
        self.whole(place)
        model.close()

    def permitted(self, first, second, folder):
        """One agent holds a permit behind the breaker of a task, the other one does not."""
        place = self.place(folder, True)
        both = []
        for name in (first, second):
            model = Model(name)
            both.append(agents.Agent(name, place, model, {"WATCHFLOOR_TASK": "T-9"}))
        one, other = both
        one.run("make the check pass", *[s for n in (1, 2, 3) for s in [*edits("shell", n), shell("sh check.sh")]])
        self.is_open(place, "retry", 1)
        attempt = edits("shell", 4)[-1]
        other.run("help with T-9", attempt)
        self.fact("another agent in the task is stopped too", refused(attempt))
        same(place.bytes(), after("shell", 3), "a.txt behind the stop")
        handle = place.open_breakers()[0]["handle"]
        place.permit(handle, f"{first}:{one.session}")
        self.fact("a permit was signed at a terminal", f"{place.verify(PERMIT)} for {first}:{one.session}")
        one.run("repair it", *edits("shell", 4))
        same(place.bytes(), after("shell", 4), "a.txt under the permit")
        self.fact("the agent that holds it works", f"session {one.session}, a.txt {place.bytes()!r}")
        attempt = edits("shell", 5)[-1]
        other.run("and now", attempt)
        same(place.bytes(), after("shell", 4), "a.txt without a permit")
        self.fact("the other one does not", refused(attempt))
        self.reset(place)
        other.run("go on", *edits("shell", 5))
        same(place.bytes(), after("shell", 5), "a.txt after the reset")
        self.fact("after the reset it does", f"session {other.session}, a.txt {place.bytes()!r}")
        self.whole(place)
        for agent in both:
            agent.model.close()

    def broken(self, name, kind, folder):
        """The program is not there, or breaks: what may change something does not run."""
        place = self.place(folder, True)
        os.remove(place.binary)
        if BROKEN[kind]:
            with open(place.binary, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{BROKEN[kind]}\n")
            os.chmod(place.binary, 0o755)
        model = Model(name)
        agent = agents.Agent(name, place, model)
        by_shell, reading = shell("echo 1 >> a.txt"), Step("read", "a.txt")
        edit = Step("edit", "a.txt", "line 0", "line 1")
        model.add(reading, edit, by_shell)
        agent.start("edit the file")
        agent.finish()
        same(place.bytes(), after("edit", 0), "a.txt")
        for step in (edit, by_shell):
            assert step.results, f"{step.words}: it was never asked for"
        self.fact(f"with a program that {kind} no edit runs", " ".join(edit.results[-1].split())[:110])
        self.fact("and no command of the shell", " ".join(by_shell.results[-1].split())[:110])
        words = "a read runs" if "line 0" in reading.results[-1] else "a read does not run either"
        self.fact(words, " ".join(reading.results[-1].split())[:110])
        model.close()

    def is_open(self, place, trigger, number):
        have = place.open_breakers()
        assert len(have) == 1 and have[0]["triggers"] == [trigger], json.dumps(have, indent=1)
        same(len(place.json("breaker", "list")["breakers"]), number, "breakers so far")

    def trip(self, place):
        row = place.open_breakers()[0]
        return f"{row['handle']} {row['triggers'][0]} on {row['scope']}: {row['reason']}"

    def reset(self, place):
        handle = place.open_breakers()[0]["handle"]
        form = place.console_reset(handle)
        same(place.open_breakers(), [], "open breakers after the reset")
        title = next(line for line in form.splitlines() if "Reset breaker" in line).strip("╭╮─ ")
        self.fact("the console reset it with a signature", re.sub("─+", "-", title))
        self.fact("ssh-keygen accepts the receipt", place.verify(RESET))

    def whole(self, place):
        said = place.do("watchfloor", "verify", "--deep").decode().strip()
        self.fact("the store holds", said)


SHOWS = [
    ("git", "sh check.sh", "edit"),
    ("no repository", "make test", "shell"),
    ("git", "python3 -m unittest -q test_a", "write"),
    ("no repository", "sh check.sh", "edit"),
    ("git", "make test", "shell"),
]

# What stands in for the program, and does it no more.
BROKEN = {
    "is not there": "",
    "ends with 3": "cat > /dev/null; exit 3",
    "is killed": "kill -9 $$",
    "is late": "exec sleep 30",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--harnesses", required=True)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", default="", help="only shows whose title holds this word")
    parser.add_argument("--keep", help="a folder for the homes; they are left there")
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    options.repository = os.path.dirname(os.path.dirname(here))
    options.binary = os.path.abspath(options.binary)
    options.programs, versions, options.node = harnesses.programs(os.path.abspath(options.harnesses))
    if not options.programs:
        sys.exit(f"{options.harnesses} holds no agent's program")
    for name in harnesses.ORDER:
        if name not in options.programs:
            print(f"{name} is not installed there", flush=True)
    shows = []
    for name in options.programs:
        for words, play in floor.SHOWS:
            if (name, words) not in floor.CANNOT:
                shows.append((f"{name} {versions[name]}: {words}", lambda s, f, n=name, p=play: p(s, n, f)))
    gone_on_with = [name for name in agents.NAMES if name in options.programs]
    for name in gone_on_with:
        for project, check, how in SHOWS:
            title = f"{name} {versions[name]}, {project}, {check}, edits by {how}"
            shows.append((title, lambda s, f, n=name, p=project, c=check, h=how: s.stop_and_go_on(n, p == "git", c, h, f)))
    pairs = (agents.NAMES, agents.NAMES[::-1]) if len(gone_on_with) == 2 else ()
    for first, second in pairs:
        title = f"permit: {first} {versions[first]} holds it, {second} {versions[second]} does not"
        shows.append((title, lambda s, f, a=first, b=second: s.permitted(a, b, f)))
    for name in gone_on_with + [name for name in ("opencode",) if name in options.programs]:
        for kind in BROKEN:
            title = f"{name} {versions[name]}, the program {kind}"
            shows.append((title, lambda s, f, n=name, k=kind: s.broken(n, k, f)))
    shows = [show for show in shows if options.only in show[0]]
    with tempfile.TemporaryDirectory(prefix="real-agents-") as folder:
        for number, (title, play) in enumerate(shows):
            try:
                play(Show(options, title), os.path.join(options.keep or folder, str(number)))
            except (AssertionError, subprocess.TimeoutExpired) as error:
                sys.exit(f"DOES NOT HOLD: {title}: {error}")
            finally:
                agents.end_all()
    print(f"\n{len(shows)} shows hold; signed by {OPERATOR}")


if __name__ == "__main__":
    main()
