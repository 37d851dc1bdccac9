"""Real agents' programs as clients of the MCP server, against a scripted model.

usage: python3 scripts/real_mcp.py --harnesses FOLDER --binary target/debug/watchfloor [--only NAME]

FOLDER is that of scripts/real_agents, whose model, homes and starts this uses. Each program gets the
entry that docs/MCP.md tells, once as the one who helps and once as the one who asks and waits. Each
fact is printed with its proof; the first that does not hold ends the program with 1.
"""

import argparse
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "real_agents"))

import agents
import harnesses
from agents import Agent
from model import Model, Step
from place import Place

# How each names a tool of the server.
NAMES = {
    "claude": "mcp__watchfloor__", "codex": "", "gemini": "mcp_watchfloor_", "hermes": "mcp__watchfloor__",
    "opencode": "watchfloor_", "pi": "mcp__watchfloor__",
}


class Tool(Step):
    """A call of a tool of the server."""

    def __init__(self, tool, **given):
        super().__init__("mcp", tool)
        self.given = given
        self.space = "mcp__watchfloor"  # Codex keeps the tools of a server apart.

    def call(self, agent):
        return NAMES[agent] + self.words[0], self.given

    def data(self):
        """What the tool answered, as the program gave it to its model."""
        words = self.results[-1]
        start = words.find("{")
        assert start >= 0, f"{self.words[0]}: {words!r}"
        data = json.JSONDecoder().raw_decode(words[start:])[0]
        inner = data.get("result")  # Hermes wraps it.
        return json.loads(inner) if isinstance(inner, str) else inner or data


def entry(agent):
    """The entry of the server, and who it says that it is."""
    name = f"{agent.name}-entry"
    return {"command": agent.place.binary, "args": ["mcp"], "env": {"WATCHFLOOR_AGENT": name}}


def merged(path, change):
    """Changes a JSON file, which may not be there yet."""
    data = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    change(data)
    harnesses.write(path, json.dumps(data))


def register(agent, words):
    """Adds the entry to the program's own settings, once they are written; answers its words."""
    one = entry(agent)
    servers = {"watchfloor": one}
    if agent.name == "claude":
        path = agent.at("mcp.json")
        merged(path, lambda data: data.update(mcpServers=servers))
        words = [word + ",mcp__watchfloor" if word.startswith("Bash,") else word for word in words]
        return ["--mcp-config", path, "--strict-mcp-config", *words]
    if agent.name == "pi":
        direct = {"watchfloor": dict(one, exposure="direct")}
        merged(agent.at(".pi/agent/mcp.json"), lambda data: data.update(mcpServers=direct))
    elif agent.name == "gemini":
        trusted = {"watchfloor": dict(one, trust=True)}
        merged(agent.at(".gemini/settings.json"), lambda data: data.update(mcpServers=trusted))
    elif agent.name == "opencode":
        local = {"type": "local", "command": [one["command"], *one["args"]], "environment": one["env"], "enabled": True}
        merged(agent.at(".config/opencode/opencode.json"), lambda data: data.update(mcp={"watchfloor": local}))
    elif agent.name == "codex":
        lines = f'[mcp_servers.watchfloor]\ncommand = "{one["command"]}"\nargs = ["mcp"]\ntool_timeout_sec = 120\n'
        lines += f'[mcp_servers.watchfloor.env]\nWATCHFLOOR_AGENT = "{one["env"]["WATCHFLOOR_AGENT"]}"\n'
        append(agent.at(".codex/config.toml"), lines)
    elif agent.name == "hermes":
        lines = f'mcp_servers:\n  watchfloor:\n    command: {one["command"]}\n    args: [mcp]\n'
        lines += f'    env:\n      WATCHFLOOR_AGENT: {one["env"]["WATCHFLOOR_AGENT"]}\n    timeout: 120\n'
        append(agent.at(".hermes/config.yaml"), lines)
    return words


def append(path, lines):
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n" + lines)


class Client(Agent):
    """An agent whose program knows the server."""

    def __init__(self, name, place, model):
        super().__init__(name, place, model, {"ENABLE_TOOL_SEARCH": "false"})

    def start(self, prompt):
        plain = harnesses.STARTS[self.name]

        def known(agent, words):
            given, env = plain(agent, words)
            return register(agent, given), env

        harnesses.STARTS[self.name] = known
        try:
            super().start(prompt)
        finally:
            harnesses.STARTS[self.name] = plain


def fact(words, proof):
    print(f"  holds: {words}\n         {proof}", flush=True)


def opened(place, asker, question):
    """An entry of an agent, by the command line."""
    words = ["handoff", "open", "--agent", asker, "--question", question]
    return place.json(*words, "--tried", "read the files", "--needed", "a port")["id"]


def session(client, *steps):
    """A run with these steps, up to its end."""
    client.model.add(*steps)
    client.start("make the calls")
    return steps


def helps(client):
    """The program finds an entry, takes it and answers it; a second answer is refused."""
    place = client.place
    other = opened(place, "asker", "which port?")
    steps = session(
        client,
        Tool("handoff_next", claim=True),
        Tool("handoff_answer", id=other, text="8443"),
        Tool("handoff_answer", id=other, text="again"),
        Tool("handoff_answer", id=other),
        Tool("inbox_send", to="asker", kind="completion", text="answered", re=other),
    )
    client.finish()
    taken, done, again, bare, sent = steps
    assert taken.data()["id"] == other, taken.results
    assert done.data()["state"] == "resolved", done.results
    assert "transition_forbidden" in again.results[-1], again.results
    shown = place.json("handoff", "show", other)
    assert shown["answer"] == "8443", shown
    holder = taken.data()["holder"]
    fact("it takes an open handoff and answers it", f"{shown['handle']}: held by {holder}, answer {shown['answer']!r}")
    refusal = " ".join(again.results[-1].split())
    assert "next_command" in refusal, refusal
    fact("a refusal reaches the model with code, cause and next command", refusal[:110])
    refusal = " ".join(bare.results[-1].split())
    assert "text" in refusal, refusal
    fact("a call without what it needs does too", refusal[:110])
    inbox = place.json("inbox", "read", "--agent", "asker")["messages"]
    assert any(row["text"] == "answered" and row["from"] == holder for row in inbox), inbox
    fact("its message lies in the other agent's inbox", f"{sent.data()['handle']} from {holder}")
    return holder


def waits(client, name):
    """The program waits for an answer, which another process gives."""
    place = client.place
    own = opened(place, name, "which region?")
    steps = session(client, Tool("handoff_wait", id=own, seconds=45))
    end = time.monotonic() + 120
    while place.json("handoff", "show", own)["priority"] != "blocking":
        assert time.monotonic() < end and client.process.poll() is None, client.said()[-3000:]
        time.sleep(0.1)
    place.json("handoff", "claim", own, "--agent", "helper")
    place.json("handoff", "answer", own, "--agent", "helper", "--text", "eu-1")
    client.finish()
    answer = steps[0].data()
    assert (answer["state"], answer["answer"]) == ("resolved", "eu-1"), answer
    fact("its wait makes the entry blocking and ends with the answer", f"{answer['handle']}: {answer['answer']!r}")


def tried(name, options, programs, node):
    print(f"\n{name} {options.versions[name]}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, options.binary, options.repository, programs, node, True)
        holder = None
        for show in (helps, lambda client: waits(client, holder)):
            model = Model(name)
            try:
                holder = show(Client(name, place, model)) or holder
            finally:
                agents.end_all()
                model.close()
        place.do("watchfloor", "verify", "--deep")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harnesses", required=True)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", choices=harnesses.ORDER)
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    options.repository = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    programs, options.versions, node = harnesses.programs(options.harnesses)
    names = [name for name in programs if options.only in (None, name)]
    if not names:
        sys.exit("none of the programs is installed there")
    for name in names:
        tried(name, options, programs, node)
    print(f"\nall hold: {', '.join(names)}")


if __name__ == "__main__":
    main()
