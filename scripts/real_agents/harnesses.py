"""What is peculiar to each agent's program: its settings, its environment, how it is started."""

import json
import os
import re
import subprocess

ORDER = ("pi", "claude", "codex", "gemini", "opencode", "hermes")


def write(path, words):
    """Writes a file, and the folders that it lies in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(words)


def snippet(repository, heading, kind):
    """The first block of a kind below a heading of docs/HOOKS.md: exactly what a reader pastes."""
    with open(os.path.join(repository, "docs/HOOKS.md"), encoding="utf-8") as file:
        section = file.read().split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.search(rf"```{kind}\n(.*?)```", section, re.DOTALL)[1]


def copied(repository, name, target):
    """A file that runs inside an agent's program, behind the one that says how it asks."""
    words = ""
    for part in ("assets/extension/call.js", name):
        with open(os.path.join(repository, part), encoding="utf-8") as file:
            words += file.read()
    write(target, words)


def install(repository, home):
    """Exactly what docs/HOOKS.md says: its snippets, and the files for pi and opencode."""
    at = lambda *parts: os.path.join(home, *parts)
    write(at(".claude/settings.json"), snippet(repository, "Claude Code", "json"))
    write(at(".codex/hooks.json"), snippet(repository, "Codex", "json"))
    write(at(".gemini/settings.json"), snippet(repository, "Gemini CLI", "json"))
    write(at(".hermes/config.yaml"), snippet(repository, "Hermes", "yaml"))
    copied(repository, "assets/pi/watchfloor.ts", at(".pi/agent/extensions/watchfloor.ts"))
    copied(repository, "assets/opencode/watchfloor.js", at(".config/opencode/plugin/watchfloor.js"))


def pi(agent, prompt):
    """pi, and its entry of the scripted model; the port is another one for each session."""
    one = {"id": "scripted-1", "name": "scripted", "reasoning": False, "input": ["text"]}
    one |= {"contextWindow": 128000, "maxTokens": 4096}
    one["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    provider = {"baseUrl": f"{agent.url()}/v1", "api": "openai-completions"}
    provider |= {"apiKey": "dummy-key", "models": [one]}
    write(agent.at(".pi/agent/models.json"), json.dumps({"providers": {"scripted": provider}}))
    words = ["-p", "--mode", "json", "--provider", "scripted", "--model", "scripted-1"]
    words += ["--session", agent.session] if agent.session else []
    return [*words, prompt], {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"}


def claude(agent, prompt):
    """Claude Code."""
    words = ["-p", "--model", "claude-scripted-1", "--verbose", "--output-format", "stream-json"]
    words += [] if agent.asks else ["--allowedTools", "Bash,Edit,Write,Read"]
    words += ["--resume", agent.session] if agent.session else []
    env = {"ANTHROPIC_BASE_URL": agent.url(), "ANTHROPIC_API_KEY": "dummy-key"}
    env |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}
    return [*words, "--", prompt], env


def codex(agent, prompt):
    """Codex, its configuration, and the trust that a person gives its hooks."""
    head = 'model = "scripted-1"\nmodel_provider = "scripted"\napproval_policy = "never"\n'
    head += 'sandbox_mode = "danger-full-access"\ncheck_for_update_on_startup = false\n'
    head += "[analytics]\nenabled = false\n"
    head += f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{agent.url()}/v1"\n'
    head += 'env_key = "SCRIPTED_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
    head += f'[projects."{agent.place.project}"]\ntrust_level = "trusted"\n'
    path = agent.at(".codex/config.toml")
    write(path, head)
    env = {"SCRIPTED_KEY": "dummy-key"}
    write(path, head + trusted(agent, dict(agent.place.env, **env)))
    return ["exec", "--json", "--skip-git-repo-check", prompt], env


def trusted(agent, env):
    """The lines that trust the hooks of Codex, as its own list of them names each."""
    words = [*agent.place.programs["codex"], "app-server"]
    server = subprocess.Popen(
        words, cwd=agent.place.project, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )
    info = {"clientInfo": {"name": "real_agents", "version": "1"}}
    calls = [("initialize", info), ("initialized", None), ("hooks/list", {"cwds": [agent.place.project]})]
    lines = []
    try:
        for number, (method, params) in enumerate(calls):
            call = {"method": method} if params is None else {"id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(call) + "\n")
            server.stdin.flush()
            if params is None:
                continue
            answer = next(one for one in map(json.loads, server.stdout) if one.get("id") == number)
        for entry in answer["result"]["data"]:
            for hook in entry["hooks"]:
                lines.append(f'[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n')
    finally:
        server.stdin.close()
        server.terminate()
        server.wait()
    assert lines, "Codex lists no hooks"
    return "".join(lines)


def gemini(agent, prompt):
    """Gemini CLI."""
    path = agent.at(".gemini/settings.json")
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    settings["privacy"] = {"usageStatisticsEnabled": False}
    settings["telemetry"] = {"enabled": False}
    settings["general"] = {"disableAutoUpdate": True, "enableAutoUpdate": False}
    write(path, json.dumps(settings))
    words = ["-p", prompt, "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--output-format", "stream-json"]
    env = {"GEMINI_API_KEY": "dummy-key", "GOOGLE_GEMINI_BASE_URL": agent.url()}
    return words, env | {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}


def opencode(agent, prompt):
    """opencode."""
    one = {"name": "scripted-1", "tool_call": True, "limit": {"context": 128000, "output": 4096}}
    options = {"baseURL": f"{agent.url()}/v1", "apiKey": "dummy-key"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options}
    provider["models"] = {"scripted-1": one}
    settings = {"model": "scripted/scripted-1", "small_model": "scripted/scripted-1", "autoupdate": False}
    rule = "ask" if agent.asks else "allow"
    settings |= {"share": "disabled", "permission": {"bash": rule, "edit": rule}}
    settings["provider"] = {"scripted": provider}
    write(agent.at(".config/opencode/opencode.json"), json.dumps(settings))
    env = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return ["run", "--format", "json", prompt], env | {"OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def hermes(agent, prompt):
    """Hermes."""
    path = agent.at(".hermes/config.yaml")
    with open(path, encoding="utf-8") as file:
        hooks = "hooks:\n" + file.read().split("hooks:\n", 1)[1]
    model = "model:\n  default: scripted-1\n  provider: custom\n"
    model += f"  base_url: {agent.url()}/v1\n  api_key: dummy-key\n"
    write(path, model + hooks)
    return ["--accept-hooks", "--yolo", "-z", prompt], {"OPENAI_API_KEY": "dummy-key", "HERMES_ACCEPT_HOOKS": "1"}


STARTS = {"pi": pi, "claude": claude, "codex": codex, "gemini": gemini, "opencode": opencode, "hermes": hermes}


def programs(folder):
    """The programs under the folder of installed agents, with what must stand before them, their
    versions, and the folder of a Node to run them with."""
    found, versions, node = {}, {}, None
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "runs"]
        if at.endswith("/bin") and runnable(os.path.join(at, "node")):
            node = node or os.path.join(at, "node")
        if at.endswith("/@earendil-works/pi-coding-agent"):
            found["pi"], versions["pi"] = [os.path.join(at, "dist/cli.js")], version(at)
        if at.endswith("/@google/gemini-cli"):
            found["gemini"], versions["gemini"] = [os.path.join(at, "bundle/gemini.js")], version(at)
        if at.endswith("/@anthropic-ai/claude-code") and runnable(os.path.join(at, "bin/claude.exe")):
            found["claude"], versions["claude"] = [os.path.join(at, "bin/claude.exe")], version(at)
        if at.endswith("/@openai/codex") and "package.json" in files:
            versions["codex"] = version(at)
        if at.endswith("/bin") and "/codex-" in at and runnable(os.path.join(at, "codex")):
            found["codex"] = [os.path.join(at, "codex")]
        if at.endswith("/opencode-ai") and "package.json" in files:
            versions["opencode"] = version(at)
        if at.endswith("/opencode-linux-x64/bin") and runnable(os.path.join(at, "opencode")):
            found["opencode"] = [os.path.join(at, "opencode")]
        if at.endswith("/bin") and runnable(os.path.join(at, "hermes")):
            found["hermes"] = [os.path.join(at, "hermes")]
        hermes_version = re.search(r"/hermes_agent-([0-9.]+)\.dist-info$", at)
        if hermes_version:
            versions["hermes"] = hermes_version[1]
        if at.endswith("/node_modules"):
            keep = ("@earendil-works", "@anthropic-ai", "@google", "@openai", "opencode")
            folders[:] = [name for name in folders if name.startswith((*keep, "node-linux"))]
        if at.endswith("/site-packages"):
            folders[:] = [name for name in folders if name.startswith("hermes_agent-")]
    for name in ("pi", "gemini"):
        if name in found:
            found[name] = [node or "node", *found[name]]
    known = {name: found[name] for name in ORDER if name in found and name in versions}
    return known, versions, os.path.dirname(node) if node else None


def runnable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def version(package):
    """The version in a package's description."""
    with open(os.path.join(package, "package.json"), encoding="utf-8") as file:
        return json.load(file)["version"]
