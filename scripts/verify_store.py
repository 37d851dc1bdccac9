#!/usr/bin/env python3
"""Verifies the chain of a Watchfloor store with nothing but the standard library.

    verify_store.py STORE

Prints `ok N rows, head sha256:...` (exit 0) or `bad seq N: why` (exit 1); exit 3 when the file
cannot be read as a store. Records that a restart of the chain leaves out are not looked at, and are
told; that a human signed the restart only `watchfloor verify` can say. docs/STORE.md describes the bytes that a hash covers.
"""

import hashlib
import json
import os
import sqlite3
import struct
import sys
import urllib.parse

KINDS = (b"receipt", b"attempt", b"event", b"observation")
COLUMNS = (
    "seq, kind, id, schema, producer, project, task, agent, "
    "recorded_at, boot, mono_us, body, body_sha256, hash"
)
# How each column is typed: i integer, t text, o text or absent, d digest.
TYPES = "itttttooititdd"


def text(value):
    if value is None:
        return b"\xff\xff\xff\xff"
    return struct.pack(">I", len(value)) + value


def covered(row):
    """The bytes of a row that its hash covers."""
    seq, kind, id_, schema, producer, project, task, agent, at, boot, mono, _, digest, _ = row
    texts = b"".join(map(text, (kind, id_, schema, producer, project, task, agent)))
    return (
        struct.pack(">q", seq)
        + texts
        + struct.pack(">q", at)
        + text(boot)
        + struct.pack(">q", mono)
        + digest
    )


def fault(row, types, previous):
    """What is wrong with a row after the hash `previous`, or None."""
    for name, wanted, stored, value in zip(COLUMNS.split(", "), TYPES, types, row):
        fits = {
            "i": stored == "integer",
            "t": stored == "text",
            "o": stored in ("text", "null"),
            "d": stored == "blob" and len(value) == 32,
        }[wanted]
        if not fits:
            return f"{name} has the wrong type ({stored})"
        if stored == "text":
            try:
                value.decode("utf-8")
            except UnicodeDecodeError:
                return f"{name} is not UTF-8"
    if row[1] not in KINDS:
        return f"its kind {row[1]!r} is unknown"
    if hashlib.sha256(row[11]).digest() != row[12]:
        return "its body is not the one of body_sha256"
    if hashlib.sha256(previous + covered(row)).digest() != row[13]:
        return "its columns and the hash before it do not give its hash"
    return None


def left_out(database):
    """What restarts of the chain leave out: first and last record of each."""
    ranges = []
    try:
        for (body,) in database.execute(
            "SELECT body FROM journal WHERE kind <> 'attempt' AND kind = 'event'"
            " AND schema = 'watchfloor.chain_restart.v1'"
        ):
            restart = json.loads(body)
            ranges.append((int(restart["first_bad"]), int(restart["after"])))
    except (sqlite3.DatabaseError, ValueError, KeyError, TypeError):
        return []
    return ranges


def kept(rows, ranges):
    """The ranges of records that remain."""
    remain, start = [], 1
    for first, last in sorted(r for r in ranges if r[0] <= r[1]):
        if start < first:
            remain.append((start, min(first - 1, rows)))
        start = max(start, last + 1)
    remain.append((start, rows))
    return [(first, last) for first, last in remain if first <= last]


def verify(database):
    """The number of rows and the last hash, and the first fault as (seq, why), or None."""
    ranges = left_out(database)
    if not ranges:
        return walk(database, bytes(32), 0, "")
    (rows,) = database.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()
    for first, last in ranges:
        print(f"left out by a restart: {first} to {last}")
    head = bytes(32)
    for first, last in kept(rows, ranges):
        before = database.execute("SELECT hash FROM journal WHERE seq = ?", (first - 1,)).fetchone()
        where = f" WHERE seq BETWEEN {first} AND {last}"
        seen, head, bad = walk(database, before[0] if before else bytes(32), first - 1, where)
        if bad is None and seen != last:
            bad = (seen + 1, "the record is missing")
        if bad:
            return seen, head, bad
    return rows, head, None


def walk(database, previous, rows, where):
    """As `verify`, from the hash `previous` after the record `rows`."""
    types = ", ".join(f"typeof({name})" for name in COLUMNS.split(", "))
    begun = rows
    try:
        select = f"SELECT {COLUMNS}, {types} FROM journal{where} ORDER BY seq"
        for found in database.execute(select):
            row, kinds = found[:14], [kind.decode() for kind in found[14:]]
            if row[0] < 1:
                return rows, previous, (1, "there is a record before seq 1")
            if row[0] != rows + 1:
                return rows, previous, (rows + 1, f"the record is missing; next is {row[0]}")
            why = fault(row, kinds, previous)
            if why:
                return rows, previous, (row[0], why)
            previous, rows = row[13], row[0]
    except sqlite3.DatabaseError as error:
        if rows == begun == 0:
            raise
        return rows, previous, (rows + 1, f"the database is damaged after seq {rows}: {error}")
    return rows, previous, None


def main(arguments):
    if len(arguments) != 2:
        print("usage: verify_store.py STORE", file=sys.stderr)
        return 2
    path = urllib.parse.quote(os.path.abspath(arguments[1]))
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        database.text_factory = bytes
        rows, head, bad = verify(database)
    except sqlite3.Error as error:
        print(f"cannot read {arguments[1]}: {error}", file=sys.stderr)
        return 3
    if bad:
        print(f"bad seq {bad[0]}: {bad[1]}")
        return 1
    print(f"ok {rows} rows, head sha256:{head.hex()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
