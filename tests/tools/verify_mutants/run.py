#!/usr/bin/env python3
"""How good is the verifier: built-in patterns made wrong, one change each.

In:  --rwc, --source, --build (the folder in which rw is built: with it patterns that call native code are compiled as plugins); --pattern GLOB for some of them, --sample N for N of them, evenly; --lowerings for those
     of conversions as well. The changes: a condition left out, `inner` and `outer` of compose exchanged, a permutation inverted
     or not, the operands of a call on the right exchanged, a number on the right increased.
Out: a line for each changed pattern that is neither refuted nor proved: nobody knows whether it is wrong. Then how many were refuted (or no longer match
     anything), proved all the same (the change does not matter for what was decided), and left open. By hand: it takes minutes.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

PATTERN = re.compile(r"^pattern (\w+(?:\{\w+\}\w*)*)[^{]*\{", re.M)


def closing(text, start):
    """The place behind the bracket that closes the one at `start`."""
    depth, i = 0, start
    while i < len(text):
        if text[i] == '"':
            i = text.index('"', i + 1)
        elif text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return len(text)


def split_top(text):
    parts, depth, part = [], 0, ""
    for c in text:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return parts + [part]


def mutants(body):
    """Changed bodies and what was changed."""
    arrow = body.rfind("=>")
    where = re.search(r"\bwhere\b", body)
    if arrow < 0:
        return
    left, right = body[:arrow], body[arrow:]
    if where and where.start() < arrow:
        conditions = split_top(body[where.end():arrow])
        for i, c in enumerate(conditions):
            rest = [x for k, x in enumerate(conditions) if k != i]
            joined = (" where" + ",".join(rest) + " ") if rest else " "
            yield body[:where.start()] + joined + right, "without " + " ".join(c.split())
    for m in re.finditer(r"\bcompose\((\w+), (\w+)\)", body):
        yield body[:m.start()] + f"compose({m[2]}, {m[1]})" + body[m.end():], "compose turned round"
    for m in re.finditer(r"\binverse\((\w+)\)", right):
        yield left + right[:m.start()] + m[1] + right[m.end():], "a permutation not inverted"
    for m in re.finditer(r"perm = (\w+)(?=[,)])", right):
        yield left + right[:m.start()] + f"perm = inverse({m[1]})" + right[m.end():], "a permutation inverted"
    for m in re.finditer(r"\b(?:onnx|tensor)\.\w+\((\w+), (\w+)(?=[,)])", right):
        if not right[m.end() - 1].isspace():
            call = right[m.start():m.end()]
            changed = call[:call.rindex("(") + 1] + f"{m[2]}, {m[1]}"
            yield left + right[:m.start()] + changed + right[m.end():], "operands exchanged"
    for m in re.finditer(r"(?<![\w.\[])(\d+)(?![\w.])", right):
        yield left + right[:m.start()] + str(int(m[1]) + 1) + right[m.end():], f"{int(m[1]) + 1} for {m[1]}"


def compiled(rwc, folder, path, index, source, build):
    """A plugin of the file; none if a compiler refuses it."""
    here = os.path.join(folder, f"p{index}")
    os.makedirs(here)
    includes = [os.path.join(source, "patterns")]
    made = subprocess.run([rwc, path, "-o", here, f"--namespace=mutant{index}"] + [a for i in includes for a in ("-I", i)], capture_output=True, text=True)
    register = re.search(r"registers: (\S+)", open(os.path.join(here, f"m{index}.rw.h")).read()) if made.returncode == 0 else None
    if not register:
        return None
    unit = os.path.join(here, "plugin.cpp")
    open(unit, "w").write(f'#include "m{index}.rw.cpp"\n#include "rw/plugin/plugin.h"\nRW_PLUGIN({register[1]})\n')
    library = os.path.join(here, f"libm{index}.so")
    paths = [here, os.path.join(source, "runtime"), os.path.join(source, "patterns/include"), os.path.join(build, "abi"), os.path.join(build, "patterns/rw_builtin.gen")]
    done = subprocess.run(["g++", "-std=c++20", "-O0", "-w", "-fPIC", "-shared", "-o", library, unit] + [f"-I{p}" for p in paths], capture_output=True, text=True)
    return library if done.returncode == 0 else None


def verdicts(rwc, folder, text, name, index, source, original, build):
    path = os.path.join(folder, f"m{index}.rw")
    # In its own folder imports are found by the original's place.
    here = os.path.dirname(original)
    text = re.sub(r'import "([^"]+)"', lambda m: f'import "{os.path.normpath(os.path.join(here, m[1])) if os.path.exists(os.path.join(here, m[1])) else m[1]}"', text)
    open(path, "w").write(text)
    glob_name = re.sub(r"\{\w+\}", "*", name)

    def verified(*more):
        run = subprocess.run([rwc, "--verify=" + glob_name, "--json", "-I", os.path.join(source, "patterns"), path, *more], capture_output=True, text=True,
                             timeout=120)
        return [(answer["verdict"], answer["reason"]) for answer in map(json.loads, run.stdout.splitlines())]

    try:
        out = verified()
        if build and any("native code" in reason for _, reason in out):
            library = compiled(rwc, folder, path, index, source, build)
            out = verified("--plugin", library) if library else [("unreadable", "")]
    except subprocess.TimeoutExpired:
        return [("open", "it took two minutes")]
    return out or [("unreadable", "")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--pattern", default="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--lowerings", action="store_true")
    parser.add_argument("--build", default="")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    source = os.path.realpath(args.source)
    jobs = []
    for path in sorted(glob.glob(os.path.join(source, "patterns/*/*.rw"))):
        if "_to_" in os.path.dirname(path) and not args.lowerings:
            continue
        text = open(path).read()
        for m in PATTERN.finditer(text):
            if not fnmatch.fnmatch(m[1], args.pattern):
                continue
            end = closing(text, m.end() - 1)
            for body, what in mutants(text[m.end() - 1:end]):
                jobs.append((path, m[1], what, text[:m.end() - 1] + body + text[end:]))
    if args.sample and args.sample < len(jobs):
        jobs = [jobs[i * len(jobs) // args.sample] for i in range(args.sample)]
    counts = {"refuted": 0, "proved": 0, "open": 0, "unreadable": 0}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        done = pool.map(lambda job: verdicts(os.path.realpath(args.rwc), folder, job[1][3], job[1][1], job[0], source, job[1][0], args.build and os.path.realpath(args.build)), enumerate(jobs))
        for (path, name, what, _), found in zip(jobs, done):
            verdicts_found = [v for v, _ in found]
            if any(v in ("refuted", "vacuous", "tag") for v in verdicts_found):
                kind = "refuted"
            elif "unreadable" in verdicts_found:
                kind = "unreadable"
            else:
                kind = "proved" if all(v == "proved" for v in verdicts_found) else "open"
            counts[kind] += 1
            if kind in ("open", "proved"):
                why = next((": " + reason[:160] for v, reason in found if v != "proved"), "")
                print(f"{os.path.relpath(path, source)}: {name}: {what}: {kind}{why}", flush=True)
    told = counts["refuted"] + counts["proved"] + counts["open"]
    print(f"{told} changed patterns: {counts['refuted']} refuted, {counts['proved']} proved all the same, {counts['open']} open; "
          f"{counts['unreadable']} more were no patterns")
    if told:
        print(f"{100 * (told - counts['open']) / told:.1f} percent are refuted or proved")
    return 0 if told else 1


if __name__ == "__main__":
    sys.exit(main())
