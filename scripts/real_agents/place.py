"""An empty home with Watchfloor in it, and what its operator does there."""

import json
import os
import subprocess
import sys

import harnesses
from terminal import Terminal

OPERATOR = "ops@laptop"
PASSPHRASE = "correct horse battery 7"


class Place:
    """A home, a project, a store, an operator."""

    def __init__(self, folder, binary, repository, programs, node, git):
        self.home = os.path.join(folder, "home")
        self.project = os.path.join(folder, "project")
        self.binary = os.path.join(folder, "bin/watchfloor")
        self.programs = programs
        for path in (self.home, self.project, os.path.dirname(self.binary)):
            os.makedirs(path)
        os.symlink(binary, self.binary)
        search = [os.path.dirname(self.binary), *([node] if node else []), os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin"]
        self.env = {"HOME": self.home, "PATH": ":".join(search), "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self.env |= {"NO_PROXY": "127.0.0.1,localhost", "USER": "ops"}
        # Codex runs its commands in a login shell, which sets the path anew.
        harnesses.write(os.path.join(self.home, ".bash_profile"), f"export PATH={self.env['PATH']}\n")
        harnesses.install(repository, self.home)
        if git:
            self.do("git", "init", "-q")
        self.write("a.txt", "line 0\n")
        self.write("check.sh", "echo 'FAIL: a.txt is not what it should be'\nexit 1\n")
        self.write("Makefile", "test:\n\t@echo 'FAIL: a.txt is not what it should be'; exit 1\n")
        test = "import unittest\n\nclass A(unittest.TestCase):\n    def test_line(self):\n"
        self.write("test_a.py", test + "        self.assertTrue('right' in open('a.txt').read())\n")
        if git:
            self.do("git", "add", ".")
            self.do("git", "-c", "user.name=ops", "-c", "user.email=ops@example.invalid", "commit", "-qm", "begin")
        self.do("watchfloor", "init")
        asked = Terminal([self.binary, "identity", "init", "--name", OPERATOR], self.env, self.project)
        asked.wait_for(f"New passphrase for {OPERATOR}:")
        asked.type(PASSPHRASE + "\n")
        asked.wait_for("The same again:")
        asked.type(PASSPHRASE + "\n")
        assert asked.finish() == 0, asked.screen()

    def do(self, *words, stdin=b""):
        """Runs a program to its end, and answers what it printed."""
        done = subprocess.run(words, cwd=self.project, env=self.env, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}"
        return done.stdout

    def json(self, *words):
        """What a verb answers."""
        return json.loads(self.do("watchfloor", "--json", *words))

    def write(self, name, words):
        with open(os.path.join(self.project, name), "w", encoding="utf-8") as file:
            file.write(words)

    def bytes(self, name="a.txt"):
        with open(os.path.join(self.project, name), "rb") as file:
            return file.read()

    def records(self, schema):
        """The bodies of the records of a schema, oldest first."""
        lines = self.do("watchfloor", "--json", "tail", "--limit", "10000").decode().splitlines()
        found = [record for record in map(json.loads, lines) if record["schema"] == schema]
        return [body if isinstance(body := record["body"], dict) else json.loads(body) for record in found]

    def overwrite_store(self):
        """Writes something else over every file of the store but its flags."""
        folder = os.path.join(self.home, ".local/state/watchfloor")
        for name in os.listdir(folder):
            if name.startswith("store.db"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"this is no store any more")

    def open_breakers(self):
        """The open breakers."""
        return [row for row in self.json("breaker", "list")["breakers"] if row["state"] == "open"]

    def console_reset(self, handle):
        """Resets a breaker in the console; answers the screen that the form was sent from."""
        console = Terminal([self.binary], self.env, self.project)
        console.wait_for("Needs you")
        console.type("b")
        console.wait_for("▸ ■ OPEN")
        console.type("R")
        console.wait_for(handle)
        console.wait_for("paths or receipt ids")
        console.type("\t\t")  # Cancel has the focus; the fields come round after it.
        for words in ("the check asks for another text", "the text was settled with the owner", "check.sh", PASSPHRASE):
            console.type(words + "\r")
        console.type("\t")
        console.wait_for("Enter signs and writes the receipt")
        form = console.screen()
        console.type("\r")
        console.wait_for("reset by")
        console.type("q")
        assert console.finish() == 0, console.screen()
        assert PASSPHRASE not in console.raw.decode("utf-8", "replace")
        return form

    def permit(self, handle, agent):
        """A permit for one agent, signed at a terminal."""
        words = ["breaker", "permit", handle, "--agent", agent, "--minutes", "30"]
        asked = Terminal([self.binary, *words], self.env, self.project)
        asked.wait_for("Passphrase of")
        asked.type(PASSPHRASE + "\n")
        assert asked.finish() == 0, asked.screen()

    def verify(self, schema):
        """Lets OpenSSH check the newest receipt of a schema."""
        receipts = [row for row in self.json("receipt", "list")["receipts"] if row["payload_schema"] == schema]
        row = max(receipts, key=lambda row: row["seq"])
        signed = self.do("watchfloor", "receipt", "show", row["id"], "--signed")
        armour = os.path.join(self.home, "decision.sig")
        with open(armour, "wb") as file:
            file.write(self.do("watchfloor", "receipt", "show", row["id"], "--signature"))
        role = approval_role(self.json("receipt", "show", row["id"]))
        signers = os.path.join(self.home, ".config/watchfloor/allowed_signers")
        words = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", OPERATOR, "-n", f"watchfloor-{role}", "-s", armour]
        said = self.do(*words, stdin=signed).decode().strip()
        other = subprocess.run(words, input=signed.replace(b"a", b"b", 1), capture_output=True, check=False)
        assert other.returncode != 0, "a changed decision verifies"
        return f"{row['handle']}, namespace watchfloor-{role}: {said}"


def approval_role(value):
    """The role of the approval, wherever the receipt holds it."""
    if isinstance(value, dict):
        approval = value.get("approval")
        if isinstance(approval, dict) and "role" in approval:
            return approval["role"]
        value = list(value.values())
    found = (approval_role(part) for part in value) if isinstance(value, list) else ()
    return next((role for role in found if role), None)
