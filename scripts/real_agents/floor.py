"""What holds for every agent's program: a stop, a failure, a trip, the end of a turn, a lost store."""

import os

import agents
from model import Model, Step, shell, text

TURN_REFUSED = "watchfloor.turn_refused.v1"
LET_GO = "watchfloor.turn_let_go.v1"
WAITS = "watchfloor.agent_waits.v1"
SEEN = "watchfloor.tool_seen.v1"


def played(show, name, folder, *steps, before=None, asks=False, served=None):
    """One run in a place of its own, which is answered. `served` is what ends one of a server."""
    place = show.place(folder, True)
    if before:
        before(place)
    model = Model(name)
    agent = agents.Agent(name, place, model)
    agent.asks = asks
    model.add(*steps)
    if served:
        agent.serve("do what is to be done")
        agents.until(lambda: served(place), "the end of the turn")
        agents.end_all()
    else:
        agent.start("do what is to be done")
        agent.finish()
    model.close()
    return place


def line(words):
    """Words on a line, cut."""
    return " ".join(words.split())[:110]


def refused(step):
    """The words by which a call was refused."""
    assert step.results, f"{step.words}: it was never asked for"
    words = step.results[-1]
    assert "Watchfloor: " in words, f"not refused: {words!r}"
    return line(words[words.index("Watchfloor: "):])


def made(place, name):
    return os.path.exists(os.path.join(place.project, name))


def stopped(show, name, folder):
    """An open breaker refuses the call: the file is not made."""
    call = shell("echo made > made.txt")
    stop = lambda place: place.do("watchfloor", "stop", "--scope", "fleet", "--reason", "trying the stop")
    place = played(show, name, folder, call, before=stop)
    said = refused(call)
    assert not made(place, "made.txt"), "the file was made"
    assert "trying the stop" in said, said
    row = place.json("status")["agents"][0]
    show.fact("the call was refused and the file was not made", said)
    show.fact("the agent is registered", f"{row['agent']}, {row['refused']} refused, process {row['pid']}")


def failing(show, name, folder):
    """A failing command becomes a signature."""
    good, bad = shell("echo fine"), shell("sh check.sh")
    place = played(show, name, folder, good, bad)
    seen = place.records(SEEN)
    fine = next(body for body in seen if "echo fine" in body["action"])
    failed = next(body for body in seen if "check.sh" in body["action"])
    assert not fine["failed"] and not fine.get("unknown") and fine.get("exit_code") == 0, fine
    assert failed["failed"] and failed["check"].get("signature"), failed
    code = failed.get("exit_code")
    assert code == 1, failed
    show.fact("a command that ran well is one", f"{fine['action']}: exit {fine['exit_code']}")
    show.fact("a failing one has a signature", f"{failed['action']}: {failed['check']['signature']}")


def tripped(show, name, folder):
    """A secret in a call opens the breaker of the session, and the call does not run."""
    token = "ghp_" + "Zx8Kq2Lm4P" * 3 + "Rt6Wv9"
    leak, after = shell(f"echo {token} > leak.txt"), shell("echo made > made.txt")
    place = played(show, name, folder, leak, after)
    said = refused(leak)
    rows = place.open_breakers()
    assert len(rows) == 1 and rows[0]["triggers"] == ["secret"] and rows[0]["scope_kind"] == "session", rows
    assert not made(place, "leak.txt") and not made(place, "made.txt"), "a file was made"
    assert token.encode() not in place.do("watchfloor", "--json", "tail", "--limit", "10000"), "the secret was kept"
    show.fact("the call was refused before it ran", said)
    show.fact("the breaker is open on the session", f"{rows[0]['handle']} {rows[0]['scope']}: {rows[0]['reason']}"[:110])
    show.fact("and stops the next call", refused(after))


def turn(show, name, folder):
    """The end of a turn is refused while a handoff is held, and let go after three times."""
    claim = shell("watchfloor --json handoff next --claim")
    edit = [Step("write", "note.txt", "x\n")] if name == "hermes" else []
    ends = [text(f"That is all, {number}.") for number in ("one", "two", "three", "four", "five")]
    served = (lambda place: let_go(place)) if name == "opencode" else None
    place = played(show, name, folder, claim, *edit, *ends, before=asked, served=served)
    refusals = place.records(TURN_REFUSED)
    assert 1 <= len(refusals) <= 3, refusals
    receipts = let_go(place)
    # Hermes bounds the refusals of a turn itself, at three.
    assert len(receipts) == (0 if name == "hermes" else 1), receipts
    show.fact("its end was refused", f"{len(refusals)} times, {refusals[-1]['handoffs']}")
    show.fact("and then let go", f"{receipts[0]['handle']} {LET_GO}" if receipts else "by Hermes' own bound")


def let_go(place):
    """The receipts of turns that were let go."""
    return [row for row in place.json("receipt", "list")["receipts"] if row["payload_schema"] == LET_GO]


def answered(show, name, folder):
    """The end of a turn is refused once; the agent answers, and its turn ends."""
    claim = shell("watchfloor --json handoff next --claim")
    answer = shell("")
    def keep(place):
        answer.words = (f"watchfloor handoff answer {asked(place)} --text 8443",)
    edit = [Step("write", "note.txt", "x\n")] if name == "hermes" else []
    resolved = lambda place: place.json("handoff", "list")["handoffs"][0]["state"] == "resolved"
    served = (lambda place: resolved(place) and answer.results) if name == "opencode" else None
    steps = [claim, *edit, text("Done."), answer, text("Now it is.")]
    place = played(show, name, folder, *steps, before=keep, served=served)
    rows = place.json("handoff", "list")["handoffs"]
    assert rows[0]["state"] == "resolved", rows
    assert len(place.records(TURN_REFUSED)) == 1, place.records(TURN_REFUSED)
    show.fact("its end was refused once, with the verb", line(answer.results[-1]))
    show.fact("and the question is answered", f"{rows[0]['handle']} {rows[0]['state']} by {rows[0]['answered_by']}")


def asked(place):
    """A question of another agent, for whoever polls."""
    words = ["handoff", "open", "--agent", "asker-1", "--question", "which port?", "--tried", "the config", "--needed", "a number"]
    return place.json(*words)["handle"]


def lost(show, name, folder):
    """The store is overwritten mid-run: calls that change things are refused, reading ones pass."""
    places = []
    lose = lambda _: places[0].overwrite_store() or True
    first = Step("shell", "echo one > one.txt", until=lose)
    reading, change = Step("read", "a.txt"), shell("echo two > two.txt")
    edit = [Step("write", "three.txt", "three\n")] if name != "codex" else []
    place = played(show, name, folder, first, reading, change, *edit, before=places.append)
    assert made(place, "one.txt") and not made(place, "two.txt") and not made(place, "three.txt")
    show.fact("a call before it ran", line(first.results[-1]) or "one.txt is there")
    show.fact("the next one that changes things did not", refused(change))
    for step in edit:
        show.fact("nor one of a tool", refused(step))
    words = reading.results[-1]
    assert "Watchfloor: " not in words and (name == "codex" or "line 0" in words), words
    show.fact("one that reads did", line(words))


def permission(show, name, folder):
    """What the program's own permissions refuse waits for a person, and is no failure."""
    call = shell("echo made > made.txt")
    place = played(show, name, folder, call, asks=True)
    assert not made(place, "made.txt"), "the file was made"
    waits = [body for body in place.records(WAITS) if body["kind"] == "permission"]
    failed = [body for body in place.records(SEEN) if body["failed"]]
    assert waits and not failed, (waits, failed)
    show.fact("it waited for a person", f"{waits[0]['agent']}: {waits[0]['text']}")
    show.fact("and nothing failed", f"{len(place.records(SEEN))} calls ran")


SHOWS = [
    ("a stop", stopped),
    ("a failing command", failing),
    ("a secret", tripped),
    ("the end of a turn", turn),
    ("an answer", answered),
    ("a lost store", lost),
    ("a permission", permission),
]

# Headless, these ask nobody: they let a call run, or do not offer it.
CANNOT = {(name, "a permission") for name in ("pi", "codex", "gemini", "hermes")}
