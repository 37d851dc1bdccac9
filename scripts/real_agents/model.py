"""A scripted model on loopback, in the four wire formats that the tried agents speak.

A script is a list of steps. Each new assistant turn takes the next one; a request that repeats an
earlier turn (a retry) gets the same answer again. Requests that offer no shell tool, such as those
that make a title, get a word.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What each agent calls its tools. Codex reads and writes by its shell alone.
TOOLS = {
    "claude": {"shell": "Bash", "read": "Read", "write": "Write", "edit": "Edit"},
    "codex": {"shell": "exec_command", "read": "view_image"},
    "gemini": {"shell": "run_shell_command", "read": "read_file", "write": "write_file", "edit": "replace"},
    "hermes": {"shell": "terminal", "read": "read_file", "write": "write_file", "edit": "patch"},
    "opencode": {"shell": "bash", "read": "read", "write": "write", "edit": "edit"},
    "pi": {"shell": "bash", "read": "read", "write": "write", "edit": "edit"},
}
# How each names the file of a call, and the texts of an edit.
PATH = {"claude": "file_path", "gemini": "file_path", "opencode": "filePath"}
EDIT = {"opencode": ("oldString", "newString")}


class Step:
    """One thing that the model does: a tool call, or a text that ends its turn."""

    def __init__(self, kind, *words, until=None):
        self.kind = kind
        self.words = words
        self.space = None  # The server that a tool is of, where the format names it apart.
        self.until = until  # A poll: the step is repeated until its result satisfies this.
        self.results = []

    def call(self, agent):
        """The tool and its arguments, in the words of one agent."""
        name = TOOLS[agent][self.kind]
        if self.kind == "shell":
            key = "cmd" if agent == "codex" else "command"
            said = {"description": "a step"} if agent in ("claude", "opencode") else {}
            return name, {key: self.words[0], **said}
        if agent == "codex":
            return name, {"path": self.words[0]}
        path = PATH.get(agent, "path")
        if self.kind == "read":
            return name, {path: self.words[0]}
        if self.kind == "write":
            return name, {path: self.words[0], "content": self.words[1]}
        file, old, new = self.words
        if agent == "pi":
            return name, {path: file, "edits": [{"oldText": old, "newText": new}]}
        before, after = EDIT.get(agent, ("old_string", "new_string"))
        return name, {path: file, before: old, after: new}


def shell(command):
    """A shell command."""
    return Step("shell", command)


def poll(command, until):
    """A shell command that is repeated until its output satisfies `until`."""
    return Step("shell", command, until=until)


def text(words):
    """A text; the model's turn ends with it."""
    return Step("text", words)


def flat(content):
    """The texts of a message's content, whatever its shape."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return flat(content.get("text") or content.get("content") or "")
    return "\n".join(flat(part) for part in content or [])


class Model:
    """Serves one session of one agent."""

    PAUSE = 0.5  # Seconds that the model thinks between two polls.
    POLLS = 240

    def __init__(self, agent):
        self.agent = agent
        self.steps = []
        self.next = 0
        self.turns = {}
        self.polls = 0
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply("application/json", b'{"data": []}')

            def do_HEAD(self):
                self.reply("application/json", b"")

            def do_POST(self):
                body = json.loads(self.body() or b"{}")
                path = self.path.split("?")[0]
                if path.endswith("/responses"):
                    self.reply(*responses(model, body))
                elif ":countTokens" in path:
                    self.reply("application/json", b'{"totalTokens": 1}')
                elif "enerateContent" in path:
                    self.reply(*contents(model, body, ":stream" in path))
                elif path.endswith("/messages"):
                    self.reply(*anthropic(model, body))
                elif path.endswith("/chat/completions"):
                    self.reply(*completions(model, body))
                else:
                    self.reply("application/json", b'{"input_tokens": 1}')

            def body(self):
                """The bytes of a request, in one piece or in chunks."""
                if self.headers.get("transfer-encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                whole = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    whole += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return whole

            def reply(self, kind, body):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, *steps):
        """More steps, and the text that ends the turn behind them."""
        with self.lock:
            self.steps += [*steps, text("That is all.")]
        return steps

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def step(self, turn, last_result):
        """The step of a turn. `last_result` is what the last tool call of the request came to."""
        with self.lock:
            if turn in self.turns:
                return self.turns[turn]
            before = self.steps[self.next - 1] if self.next else None
            if before and before.kind != "text":
                before.results.append(last_result)
            if before and before.until and not before.until(last_result) and self.polls < self.POLLS:
                self.polls += 1
                time.sleep(self.PAUSE)
                step = before
            elif self.next < len(self.steps):
                step = self.steps[self.next]
                self.next += 1
            else:
                step = text("Nothing is left to do.")
            self.turns[turn] = step
            return step


def sse(events):
    """Server-sent events."""
    out = []
    for name, data in events:
        data = data if isinstance(data, str) else json.dumps(data)
        out.append((f"event: {name}\n" if name else "") + f"data: {data}\n\n")
    return "text/event-stream", "".join(out).encode()


def anthropic(model, body):
    """The Messages format."""
    messages = body.get("messages") or []
    turn = sum(m.get("role") == "assistant" for m in messages)
    last = ""
    for message in messages:
        for part in message["content"] if isinstance(message.get("content"), list) else []:
            if part.get("type") == "tool_result":
                last = flat(part.get("content"))
    offered = {tool.get("name") for tool in body.get("tools") or []}
    step = model.step(turn, last) if TOOLS[model.agent]["shell"] in offered else text("ok")
    if step.kind == "text":
        block = {"type": "text", "text": step.words[0]}
        empty, delta = dict(block, text=""), {"type": "text_delta", "text": step.words[0]}
    else:
        name, arguments = step.call(model.agent)
        block = {"type": "tool_use", "id": f"toolu_{turn:04}", "name": name, "input": arguments}
        empty, delta = dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    why = "end_turn" if step.kind == "text" else "tool_use"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": f"msg_{turn:04}", "type": "message", "role": "assistant", "model": body.get("model"),
        "content": [block], "stop_reason": why, "stop_sequence": None, "usage": usage,
    }
    if not body.get("stream"):
        return "application/json", json.dumps(message).encode()
    return sse([
        ("message_start", {"type": "message_start", "message": dict(message, content=[], stop_reason=None)}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": empty}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        ("message_delta", {"type": "message_delta", "delta": {"stop_reason": why}, "usage": usage}),
        ("message_stop", {"type": "message_stop"}),
    ])


def completions(model, body):
    """The Chat Completions format."""
    messages = body.get("messages") or []
    turn = sum(m.get("role") == "assistant" for m in messages)
    results = [flat(m.get("content")) for m in messages if m.get("role") == "tool"]
    offered = {(tool.get("function") or {}).get("name") for tool in body.get("tools") or []}
    step = text("ok")
    if TOOLS[model.agent]["shell"] in offered:
        step = model.step(turn, results[-1] if results else "")
    if step.kind == "text":
        delta, why = {"role": "assistant", "content": step.words[0]}, "stop"
    else:
        name, arguments = step.call(model.agent)
        call = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": f"call_{turn:04}", "type": "function", "function": call}
        delta, why = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base = {"id": f"chat-{turn:04}", "created": 0, "model": body.get("model")}
    if not body.get("stream"):
        choice = {"index": 0, "message": delta, "finish_reason": why}
        whole = dict(base, object="chat.completion", choices=[choice], usage=usage)
        return "application/json", json.dumps(whole).encode()
    chunk = dict(base, object="chat.completion.chunk")
    return sse([
        (None, dict(chunk, choices=[{"index": 0, "delta": delta, "finish_reason": None}])),
        (None, dict(chunk, choices=[{"index": 0, "delta": {}, "finish_reason": why}])),
        (None, dict(chunk, choices=[], usage=usage)),
        (None, "[DONE]"),
    ])


def responses(model, body):
    """The Responses format."""
    items = body.get("input") or []
    items = [] if isinstance(items, str) else items
    kind = lambda item: item.get("type", "message")
    calls = ("function_call", "custom_tool_call", "local_shell_call")
    turn = sum(kind(item) in calls or (kind(item) == "message" and item.get("role") == "assistant") for item in items)
    results = [flat(item.get("output")) for item in items if kind(item).endswith("_call_output")]
    offered = {tool.get("name") for tool in body.get("tools") or []}
    step = text("ok")
    if TOOLS[model.agent]["shell"] in offered:
        step = model.step(turn, results[-1] if results else "")
    if step.kind == "text":
        part = {"type": "output_text", "text": step.words[0], "annotations": []}
        item = {"type": "message", "id": f"msg_{turn:04}", "role": "assistant", "status": "completed", "content": [part]}
    else:
        name, arguments = step.call(model.agent)
        item = {"type": "function_call", "id": f"fc_{turn:04}", "call_id": f"call_{turn:04}", "status": "completed"}
        item |= {"name": name, "arguments": json.dumps(arguments)}
        item |= {"namespace": step.space} if step.space else {}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": f"resp_{turn:04}", "object": "response", "created_at": 0, "status": "completed"}
    whole |= {"model": body.get("model"), "output": [item], "usage": usage}
    if not body.get("stream"):
        return "application/json", json.dumps(whole).encode()
    begun = dict(whole, status="in_progress", output=[], usage=None)
    empty = dict(item, content=[]) if step.kind == "text" else dict(item, arguments="")
    events = [("response.created", {"response": begun}), ("response.output_item.added", {"output_index": 0, "item": empty})]
    if step.kind == "text":
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        events += [
            ("response.content_part.added", dict(place, part=dict(part, text=""))),
            ("response.output_text.delta", dict(place, delta=part["text"])),
            ("response.output_text.done", dict(place, text=part["text"])),
        ]
    events += [("response.output_item.done", {"output_index": 0, "item": item}), ("response.completed", {"response": whole})]
    return sse([(name, dict(data, type=name, sequence_number=at)) for at, (name, data) in enumerate(events)])


def contents(model, body, stream):
    """The generateContent format."""
    said = body.get("contents") or []
    turn = sum(one.get("role") == "model" for one in said)
    results = [
        flat(part["functionResponse"].get("response", {}).get("output") or part["functionResponse"].get("response", {}).get("error"))
        for one in said for part in one.get("parts") or [] if "functionResponse" in part
    ]
    tools = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
    wanted = body.get("generationConfig") or {}
    schema = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
    if schema:
        part = {"text": json.dumps(sample(schema))}
    elif TOOLS[model.agent]["shell"] in {tool.get("name") for tool in tools}:
        step = model.step(turn, results[-1] if results else "")
        if step.kind == "text":
            part = {"text": step.words[0]}
        else:
            name, arguments = step.call(model.agent)
            part = {"functionCall": {"name": name, "args": arguments}}
    else:
        part = {"text": "ok"}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted", "responseId": f"r{turn:04}"}
    return sse([(None, whole)]) if stream else ("application/json", json.dumps(whole).encode())


def sample(schema):
    """Something that fits a schema."""
    kind = str(schema.get("type", "string")).lower()
    if kind == "object":
        return {name: sample(of) for name, of in (schema.get("properties") or {}).items()}
    if schema.get("enum"):
        return schema["enum"][0]
    return {"array": [], "boolean": False, "number": 1, "integer": 1}.get(kind, "ok")
