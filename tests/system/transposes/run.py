#!/usr/bin/env python3
"""Transposes that rw-opt leaves in what the tests of other tools are made of: no more than those tools do.

In:  --bin, where rw-opt is; *.rwir beside this file, one for each tool: a function a case, and in front of it
     `// TEST: N`, the name that the tool's test has and how many Transposes that says are left. `// Patterns: FILE` at
     the top names a file below patterns/ that declares ops in it.
Out: a line per complaint: more Transposes than that, outputs that the evaluator tells apart, a bound above what is left, another second
     result than the first; exit status 1 if there is any. --table: a row a case, with the Transposes before, theirs, ours and the bound.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PATTERNS = os.path.join(HERE, "..", "..", "..", "patterns")


def transposes(text):
    """{function: how many}, nested regions included."""
    functions = re.split(r"^func @(\w+)", text, flags=re.M)[1:]
    return {name: len(re.findall(r"= onnx\.Transpose(?:@\d+)?\(", body)) for name, body in zip(functions[::2], functions[1::2])}


def bounds(stats):
    """{function: (left, bound)} of the last two runs of the pass, that for ONNX's Transpose and that for the other one."""
    said = {}
    for run in json.loads(stats)["passes"]:
        if run["pass"] == "move_regions" and run["function"] is not None:
            found = re.match(r"transposes (\d+), lower bound (\d+)", run.get("message", ""))
            said.setdefault(run["function"], []).append((int(found[1]), int(found[2])) if found else (0, 0))
    return {name: max(runs[-2:], key=lambda run: run[1]) for name, runs in said.items()}


def optimised(tool, source, target, *options):
    return subprocess.run([tool, source, "--pipeline", "onnx", "-o", target, *options], capture_output=True, text=True, check=False)


def complaints(tool, path, work, rows):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    theirs = {name: (test, int(n)) for test, n, name in re.findall(r"^// (.+): (\d+)\nfunc @(\w+)", text, re.M)}
    source, once, twice = os.path.join(work, "in.rwir"), os.path.join(work, "once.rwir"), os.path.join(work, "twice.rwir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    more = [f"--patterns={os.path.join(PATTERNS, file)}" for file in re.findall(r"^// Patterns: (\S+)$", text, re.M)]
    done = optimised(tool, source, once, "--check", "2", "--stats=json", *more)
    if done.returncode:
        return [done.stderr.strip()]
    # What the evaluator has no kernel for, or no sizes that fit, is not compared.
    out = [line for line in done.stderr.splitlines() if "outputs agree" not in line and "could not be evaluated" not in line]
    before, bound = transposes(text), bounds(done.stdout)
    with open(once, encoding="utf-8") as file:
        first = file.read()
    ours = transposes(first)
    for name in sorted(before):
        if name not in theirs:
            out.append(f"@{name}: no number of Transposes in front of it")
            continue
        left = bound.get(name, (0, 0))
        rows.append((os.path.basename(path), name, before[name], theirs[name][1], ours[name], left[1]))
        if ours[name] > theirs[name][1]:
            out.append(f"@{name} ({theirs[name][0]}): {ours[name]} Transposes, theirs {theirs[name][1]}")
        if left[1] > left[0] or left[1] > ours[name]:
            out.append(f"@{name}: {ours[name]} Transposes, said to be no fewer than {left[1]}")
    again = optimised(tool, once, twice, *more)
    with open(twice, encoding="utf-8") as file:
        if again.returncode or file.read() != first:
            out.append(f"{os.path.basename(path)}: another second result than the first {again.stderr}")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    found, rows = [], []
    with tempfile.TemporaryDirectory(prefix="rw-transposes-") as work:
        for path in sorted(glob.glob(os.path.join(HERE, "*.rwir"))):
            found += [f"{os.path.basename(path)}: {line}" for line in complaints(os.path.join(options.bin, "rw-opt"), path, work, rows)]
    if options.table:
        for row in rows:
            print(*row, sep="\t")
    print("\n".join(found) if found else f"{len(rows)} cases: no more Transposes than other tools leave")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
