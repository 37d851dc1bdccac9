"""An agent: set up in an empty home, started, and gone on with."""

import json
import os
import re
import subprocess
import time

import harnesses

# These two are gone on with in a second run, and play the shows of the breaker and its reset.
NAMES = ("pi", "claude")
STARTED = []


class Agent:
    """One session of one agent, with a home and a project of its own choice."""

    def __init__(self, name, place, model, extra=None):
        self.name = name
        self.place = place
        self.model = model
        self.session = None
        self.extra = extra or {}
        self.asks = False  # Whether its program asks a person before a tool runs.

    def at(self, path):
        """A path in the agent's home."""
        return os.path.join(self.place.home, path)

    def url(self):
        """Where the scripted model listens."""
        return f"http://127.0.0.1:{self.model.port}"

    def start(self, prompt):
        """Starts a run: of a new session, or of the one that there is. It sees nothing of the
        caller's environment but what is named."""
        words, env = harnesses.STARTS[self.name](self, prompt)
        env = dict(self.place.env, **self.extra, **env)
        self.out = os.path.join(self.place.home, f"{self.name}.out")
        with open(self.out, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                [*self.place.programs[self.name], *words],
                cwd=self.place.project, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            )
        STARTED.append(self.process)

    def serve(self, prompt):
        """A server of opencode that outlives the turn, and a run that is handed to it."""
        words, env = harnesses.STARTS[self.name](self, prompt)
        env = dict(self.place.env, **self.extra, **env)
        program = self.place.programs[self.name]
        self.out = os.path.join(self.place.home, "serve.out")
        with open(self.out, "w", encoding="utf-8") as out:
            STARTED.append(subprocess.Popen(
                [*program, "serve", "--hostname", "127.0.0.1", "--port", "0"],
                cwd=self.place.project, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            ))
        until(lambda: re.search(r"http://127\.0\.0\.1:\d+", self.said()), "the server's address")
        address = re.search(r"http://127\.0\.0\.1:\d+", self.said())[0]
        run = [*program, "run", "--attach", address, "--format", "json", prompt]
        done = subprocess.run(run, cwd=self.place.project, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr.decode()[-2000:]

    def said(self):
        """What the run has printed so far."""
        with open(self.out, encoding="utf-8", errors="replace") as file:
            return file.read()

    def finish(self, seconds=240):
        """Waits for the run to end well."""
        code = self.process.wait(timeout=seconds)
        assert code == 0, f"{self.name} ended with {code}:\n{self.said()[-3000:]}"

    def end(self, seconds=240):
        """Waits for the run to end, and answers the id of its session."""
        self.finish(seconds)
        out = self.said()
        for line in out.splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            session = event.get("session_id") or (event.get("id") if event.get("type") == "session" else None)
            if session:
                return session
        raise AssertionError(f"{self.name} names no session:\n{out[:2000]}")

    def took(self, session):
        """Keeps the session, which is the one that there was, if any."""
        assert self.session in (None, session), f"{self.session} went on as {session}"
        self.session = session

    def run(self, prompt, *steps):
        """One run from its start to its end, with these steps of the model."""
        self.model.add(*steps)
        self.start(prompt)
        self.took(self.end())


def until(holds, what, seconds=120):
    """Waits for something, with a limit."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what} does not come"
        time.sleep(0.1)


def end_all():
    """Ends the runs that a failing show left behind."""
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.wait()
    STARTED.clear()
