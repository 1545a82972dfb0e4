#!/usr/bin/env python3
"""Every row of docs/comparison.md names proofs that exist and show it: comparison.py --source DIR --rwc RWC.

In:  rows `| theirs | here | proof |`. A proof is `AREA/NAME` below tests/golden, or `generated/FILE` with the names of
     patterns in it, in backticks; or `pdll/FILE.rw` in tests/peers/pdll, likewise. A row whose proof is `not here` says
     why in its second cell.
Out: one line per row that does not hold. The words and signs of the language in `here` must stand in one of the proofs;
     of a proof in tests/peers/pdll all of its code does, and each pattern named has a test where it fires and one where
     it does not. The files there have no warnings, their tests pass, and rows name all of their patterns. `The N examples`
     and `Of N examples a part` above a table are its number of rows, and of those that say `in part`.
     Includes a test of itself.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

# What a proof must contain if the row shows it.
WORDS = ["pattern", "benefit", "recursive", "fastmath", "label", "const", "splat", "single", "each", "where", "let", "is", "not",
         "replace", "update", "erase", "with", "extern", "constraint", "rewrite", "fn", "for", "in", "import", "pass", "pipeline", "conversion",
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


def folder_of(source, area):
    folders = {"generated": ("unit", "generated"), "pdll": ("peers", "pdll")}
    return os.path.join(source, "tests", *folders.get(area, ("golden", area)))


def one_space(text):
    return " ".join(text.split())


def untested(text, pattern):
    """What the tests of a pattern in a file lack; empty if nothing."""
    tests = [t.split("\n\n")[0] for t in re.split(r"^(?=test )", text, flags=re.M) if re.match(rf"test {pattern}\b", t)]
    fires = [t for t in tests if not re.search(r"=>\s*unchanged", t)]
    lacking = ["a test where it fires"] if not fires else []
    return lacking + ["one that leaves all `unchanged`"] if len(tests) == len(fires) else lacking


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
            path = os.path.join(folder_of(source, area), file if area in ("generated", "pdll") else file + ".golden")
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
            elif cell.startswith("pdll/"):
                complaints += [f"`{pattern}` lacks {what}" for what in untested(last, pattern)]
    return text, complaints


def check(source, table):
    complaints = []
    count = 0
    for line in table.splitlines():
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 3 or set(cells[0]) <= {"-", " "} or cells[2] == "proof":
            continue
        count += 1
        if cells[2] == "not here":
            if len(cells[1].split()) < 4:
                complaints.append(f"{cells[0]}: no reason is given")
            continue
        text, wrong = proofs(source, cells[2])
        if cells[2].startswith("pdll/"):
            code = one_space(text)
            for snippet in re.findall(r"`([^`]*)`", cells[1].replace("\\|", "|")) if not wrong else []:
                if one_space(snippet) not in code:
                    wrong.append(f"`{snippet}` does not stand in {cells[2]}")
        else:
            for what in shown(cells[1]) if not wrong else []:
                there = what in text if what in SIGNS else re.search(rf"(?<!\w){what}(?!\w)", text)
                if not there:
                    wrong.append(f"`{what}` does not stand in {cells[2]}")
        complaints += [f"{cells[0]}: {w}" for w in wrong]
    return count, complaints


def check_numbers(page):
    """The numbers that a section says of its table."""
    complaints = []
    for section in re.split(r"^#+ ", page, flags=re.M)[1:]:
        title = section.split("\n")[0]
        rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
        parts = sum("in part:" in row for row in rows)
        for said, there in ((r"The (\d+) examples", len(rows)), (r"Of (\d+) examples a part", parts)):
            for number in re.findall(said, section):
                if int(number) != there:
                    complaints.append(f"{title}: it says {number}, the table has {there}")
    return complaints


def check_files(source, rwc, page):
    """The files of tests/peers/pdll: no warnings, tests that pass, no pattern that no row names."""
    complaints = []
    for path in sorted(glob.glob(os.path.join(folder_of(source, "pdll"), "*.rw"))):
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        commands = [[rwc, "--check", path]]
        if re.search(r"^test ", text, re.M):
            cpp = path[:-3] + ".cpp"
            commands.append([rwc, "--test", *(["--cpp", cpp] if os.path.exists(cpp) else []), path])
            patterns = re.findall(r"^pattern (\w+)", text, re.M)
            complaints += [f"{name}: no row names `{p}`" for p in patterns if f"`{p}`" not in page]
        for command in commands:
            run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if run.returncode or run.stderr:
                complaints.append(f"rwc {command[1]} {name}:\n{run.stdout}{run.stderr}")
                break
    return complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--rwc", required=True)
    args = parser.parse_args()
    source = args.source
    for broken in ("| x | `single` | plan/no_such |", "| x | `fastmath` | plan/merge |",
                   "| x | `update` | generated/g.rw `NoSuch` |",
                   "| x | `foo(no_such)` | pdll/patterns.rw `Variables1` |",  # no such code
                   "| x | `log` | pdll/included.rw `IncludedPattern` |",  # no tests
                   "| x | no | not here |"):
        if not check(source, broken)[1]:
            sys.exit(f"comparison: a broken row was not noticed: {broken}")
    if not check_numbers("# t\nThe 2 examples\n| a | b | c |\n| --- | --- | --- |\n| x | y | z |\n"):
        sys.exit("comparison: a wrong number was not noticed")
    with open(os.path.join(source, "docs", "comparison.md"), encoding="utf-8") as f:
        page = f.read()
    count, complaints = check(source, page)
    complaints += check_numbers(page) + check_files(source, os.path.abspath(args.rwc), page)
    for complaint in complaints:
        print(complaint)
    print(f"{count} rows, {len(complaints)} complaints")
    sys.exit(1 if complaints or not count else 0)


if __name__ == "__main__":
    main()
