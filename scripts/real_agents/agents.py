"""The two agents: how each is set up in an empty home, started, and gone on with."""

import json
import os
import re
import subprocess

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

    def env(self):
        """Nothing of the caller's environment but what is named here."""
        env = dict(self.place.env, **self.extra)
        if self.name == "pi":
            return dict(env, PI_OFFLINE="1", PI_SKIP_VERSION_CHECK="1")
        return dict(
            env,
            ANTHROPIC_BASE_URL=f"http://127.0.0.1:{self.model.port}",
            ANTHROPIC_API_KEY="dummy-key",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
        )

    def start(self, prompt):
        """Starts a run: of a new session, or of the one that there is."""
        if self.name == "pi":
            words = self.place.programs["pi"] + ["-p", "--mode", "json", "--provider", "scripted", "--model", "scripted-1"]
            words += ["--session", self.session] if self.session else []
            self.models()
        else:
            words = self.place.programs["claude"] + ["-p", "--model", "claude-scripted-1", "--verbose"]
            words += ["--output-format", "stream-json", "--allowedTools", "Bash,Edit,Write,Read"]
            words += ["--resume", self.session] if self.session else []
        words += ["--", prompt] if self.name == "claude" else [prompt]
        self.out = os.path.join(self.place.home, f"{self.name}.out")
        with open(self.out, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                words, cwd=self.place.project, env=self.env(), stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        STARTED.append(self.process)

    def said(self):
        """What the run has printed so far."""
        with open(self.out, encoding="utf-8") as file:
            return file.read()

    def models(self):
        """Tells pi of the scripted model; the port is another one for each session."""
        one = {"id": "scripted-1", "name": "scripted", "reasoning": False, "input": ["text"]}
        one |= {"contextWindow": 128000, "maxTokens": 4096}
        one["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        provider = {"baseUrl": f"http://127.0.0.1:{self.model.port}/v1", "api": "openai-completions"}
        provider |= {"apiKey": "dummy-key", "models": [one]}
        path = os.path.join(self.place.home, ".pi/agent/models.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"providers": {"scripted": provider}}, file)

    def end(self, seconds=240):
        """Waits for the run to end, and answers the id of its session."""
        code = self.process.wait(timeout=seconds)
        out = self.said()
        assert code == 0, f"{self.name} ended with {code}:\n{out[-3000:]}"
        for line in out.splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            session = event.get("session_id") or (event.get("id") if event.get("type") == "session" else None)
            if session:
                return session
        raise AssertionError(f"{self.name} names no session:\n{out[:2000]}")

    def run(self, prompt, *steps):
        """One whole run. The session must be the one of the runs before it."""
        self.model.add(*steps)
        self.start(prompt)
        self.took(self.end())

    def took(self, session):
        """The run was of the same session as those before it."""
        assert self.session in (None, session), f"session {session}, not {self.session}"
        self.session = session


def end_all():
    """Ends the runs that a failing show left behind."""
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.wait()
    STARTED.clear()


def programs(folder):
    """The programs under the folder of installed agents, with what must stand before them."""
    found = {}
    node = None
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "runs"]
        if "node" in files and at.endswith("/bin") and os.access(os.path.join(at, "node"), os.X_OK):
            node = node or os.path.join(at, "node")
        if at.endswith("/@earendil-works/pi-coding-agent"):
            found["pi"] = (os.path.join(at, "dist/cli.js"), version(at))
        if at.endswith("/@anthropic-ai/claude-code") and os.path.exists(os.path.join(at, "bin/claude.exe")):
            found["claude"] = (os.path.join(at, "bin/claude.exe"), version(at))
        if at.endswith("/node_modules"):
            keep = ("@earendil-works", "@anthropic-ai")
            folders[:] = [name for name in folders if name in keep or name.startswith("node")]
    started = {}
    if "pi" in found:
        started["pi"] = [node or "node", found["pi"][0]]
    if "claude" in found:
        started["claude"] = [found["claude"][0]]
    return started, {name: what[1] for name, what in found.items()}


def version(package):
    """The version in a package's description."""
    with open(os.path.join(package, "package.json"), encoding="utf-8") as file:
        return json.load(file)["version"]


def install(repository, home):
    """Exactly what docs/HOOKS.md says: its snippet, and the extension's file."""
    with open(os.path.join(repository, "docs/HOOKS.md"), encoding="utf-8") as file:
        snippet = re.search(r"```json\n(.*?)```", file.read(), re.DOTALL)[1]
    os.makedirs(os.path.join(home, ".claude"))
    with open(os.path.join(home, ".claude/settings.json"), "w", encoding="utf-8") as file:
        file.write(snippet)
    extensions = os.path.join(home, ".pi/agent/extensions")
    os.makedirs(extensions)
    with open(os.path.join(repository, "assets/pi/watchfloor.ts"), "rb") as source:
        with open(os.path.join(extensions, "watchfloor.ts"), "wb") as target:
            target.write(source.read())
