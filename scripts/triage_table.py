#!/usr/bin/env python3
"""Says which share of foreign failure texts the shipped catalogue knows, by the built program.

    triage_table.py PROGRAM FILE

FILE is JSON Lines; each line has `raw`, the text, and may have `tool`, `group` and `cmd`. Prints the
share of texts and of groups that are classified, and a table of tools and codes. Texts without
any letter are left out: there is nothing to classify. Standard library only.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile


def classify(program, text, home):
    """The answer of `triage classify`, or the code of its refusal."""
    env = {"HOME": home, "PATH": os.environ.get("PATH", "")}
    done = subprocess.run(
        [program, "triage", "classify", "-", "--json"],
        input=text.encode("utf-8", "surrogatepass"),
        stdout=subprocess.PIPE,
        env=env,
        cwd=home,
        check=False,
    )
    return json.loads(done.stdout)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    program, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    known = asked = 0
    groups = collections.defaultdict(set)
    table = collections.Counter()
    with tempfile.TemporaryDirectory() as home:
        for line in lines:
            text = line["raw"]
            if not any(c.isalpha() for c in text):
                continue
            answer = classify(program, text, home)
            hit = not answer.get("ambiguous", True)
            code = answer["code"] if hit else "(not known)"
            asked += 1
            known += hit
            groups[line.get("group", line.get("root_cause", str(asked)))].add(hit)
            table[(line.get("tool", ""), code)] += 1
    some = sum(1 for hits in groups.values() if True in hits)
    if not asked:
        sys.exit("no text to classify")
    print(f"texts  {known} of {asked} known, {100 * known / asked:.1f} %")
    print(f"groups {some} of {len(groups)} known, {100 * some / len(groups):.1f} %")
    width = max(len(tool) for tool, _ in table)
    for (tool, code), count in sorted(table.items()):
        print(f"{tool:{width}}  {count:4}  {code}")


if __name__ == "__main__":
    main()
