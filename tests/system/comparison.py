#!/usr/bin/env python3
"""Every row of docs/comparison.md names proofs that exist and use what the row shows: comparison.py --source DIR.

In:  rows `| theirs | here | proof |`. A proof is `AREA/NAME` below tests/golden, or `generated/FILE` with the names of patterns in
     it, in backticks.
Out: one line per row that does not hold. The words and signs of the language in `here` must stand in one of the proofs.
     Includes a test of itself.
"""
import argparse
import os
import re
import sys

# What a proof must contain if the row shows it.
WORDS = ["pattern", "benefit", "recursive", "fastmath", "label", "const", "splat", "single", "each", "where", "let", "is", "not",
         "replace", "update", "erase", "with", "extern", "constraint", "rewrite", "fn", "for", "in", "import", "pass", "pipeline",
         "commutative", "elementwise", "traits", "versions", "test"]
SIGNS = ["=>", "->", "...", "..", "?("]


def shown(text):
    """Words and signs of the language in the code of a cell."""
    code = " ".join(re.findall(r"`([^`]*)`", text)).replace("\\|", "|")
    found = [w for w in WORDS if re.search(rf"(?<![\w.]){w}(?![\w(])", code) or re.search(rf"(?<![\w.]){w}\(", code) and w in ("splat", "rewrite", "constraint")]
    rest = code
    for sign in SIGNS:
        if sign in rest:
            found.append(sign)
            rest = rest.replace(sign, " ")
    return found


def proofs(source, cell):
    """(text of all proofs, complaints)"""
    text, complaints = "", []
    for part in cell.split(", "):
        name = re.match(r"[a-z_]+/[\w.-]+", part.strip())
        patterns = re.findall(r"`([^`]*)`", part)
        if not name and patterns and text:  # further patterns of the file before
            names = patterns
        elif not name:
            complaints.append(f"`{part}` names no proof")
            continue
        else:
            area, file = name.group(0).split("/", 1)
            path = os.path.join(source, "tests", "unit", "generated", file) if area == "generated" else \
                os.path.join(source, "tests", "golden", area, file + ".golden")
            if not os.path.isfile(path):
                complaints.append(f"there is no {os.path.relpath(path, source)}")
                continue
            with open(path, encoding="utf-8") as f:
                last = f.read()
            text += last
            names = patterns
        for pattern in names:
            stem = re.escape(pattern)
            template = r"\w*\{\w+\}"
            if not re.search(rf"\bpattern {stem}\b", last) and not re.search(rf"\bpattern {re.escape(pattern.split('_')[0])}_{template}", last):
                complaints.append(f"there is no pattern `{pattern}` in {part.split()[0] if name else 'the file before'}")
    return text, complaints


def check(source, table):
    complaints = []
    count = 0
    for line in table.splitlines():
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 3 or set(cells[0]) <= {"-", " "} or cells[2] == "proof":
            continue
        count += 1
        text, wrong = proofs(source, cells[2])
        for what in shown(cells[1]) if not wrong else []:
            there = what in text if what in SIGNS else re.search(rf"(?<!\w){what}(?!\w)", text)
            if not there:
                wrong.append(f"`{what}` does not stand in {cells[2]}")
        complaints += [f"{cells[0]}: {w}" for w in wrong]
    return count, complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    source = parser.parse_args().source
    for broken in ("| x | `single` | plan/no_such |", "| x | `fastmath` | plan/merge |", "| x | `update` | generated/g.rw `NoSuch` |"):
        if not check(source, broken)[1]:
            sys.exit(f"comparison: a broken row was not noticed: {broken}")
    with open(os.path.join(source, "docs", "comparison.md"), encoding="utf-8") as f:
        count, complaints = check(source, f.read())
    for complaint in complaints:
        print(complaint)
    print(f"{count} rows, {len(complaints)} do not hold")
    sys.exit(1 if complaints or not count else 0)


if __name__ == "__main__":
    main()
