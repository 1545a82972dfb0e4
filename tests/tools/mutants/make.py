#!/usr/bin/env python3
"""Patterns with one condition less each, to see which conditions the golden tests guard.

In:  --patterns, the folder of .rw files; --out, an empty folder; --rwc, the compiler.
Out: in --out one .rw file per file with patterns: for pattern P the mutants `P__w1`, `P__w2`, … (a condition of `where` is true
     whatever it says) and `P__s1`, … (a `single` is left out); what is left out is their documentation. Conditions that bind names, and mutants that the compiler
     refuses, are left out; standard output says how many of each there are.
Elsewhere: main.cpp runs them, run.py does both.
"""
import argparse
import os
import re
import subprocess
import sys


def end_of_block(text, at):
    """The place behind the `}` that closes the first `{` from `at` on."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if text[i] == "}" and depth == 0:
            return i + 1
    raise ValueError("a block without end")


def top_level(text, separator):
    """The parts of the text between separators that stand in no brackets."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        if depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            i = start = i + len(separator)
            continue
        i += 1
    return parts + [text[start:]]


def without(condition):
    """A condition that always holds, and names what this one names; None if names are bound in it."""
    text = condition.strip()
    if text.startswith("let "):
        return None
    test = re.fullmatch(r"(\w+) is splat\([^a-z]*(?:true|false)?\)", text)
    if test:
        return f" true or {test[1]}.rank == 0"
    if re.match(r"(not )?[\w.]+ is ", text):
        return None
    return f" true or ({text})"


def mutants_of(name, body):
    """Name, block and what is left out of each mutant, of a pattern without its opening brace."""
    left, *right = top_level(body[:-1], "=>")
    match, *where = re.split(r"\bwhere\b", left, maxsplit=1)
    conditions = top_level(where[0], ",") if where else []
    for i, condition in enumerate(conditions):
        mutant = without(condition)
        if mutant is None:
            continue
        changed = conditions[:i] + [mutant + "\n  "] + conditions[i + 1:]
        yield f"{name}__w{i + 1}", match + "where" + ",".join(changed) + "=>" + "=>".join(right) + "}", " ".join(condition.split())
    for i, at in enumerate(re.finditer(r"\bsingle ", match)):
        rest = "where" + where[0] if where else ""
        yield f"{name}__s{i + 1}", match[:at.start()] + match[at.end():] + rest + "=>" + "=>".join(right) + "}", f"single, place {i + 1}"


def mutate(path, folder):
    """Texts of the mutants in a file, by name and place of the pattern (templates may share a name)."""
    text = open(os.path.join(folder, path), encoding="utf-8").read()
    found = {}
    for start in re.finditer(r"(?m)^((?:for .*\n)?)pattern ([\w{}.]+)", text):
        opening = text.index("{", start.end())
        end = end_of_block(text, opening)
        dialect = re.findall(r"(?m)^dialect (\w+);", text[:start.start()])
        options = text[start.end():opening]
        for name, rest, left_out in mutants_of(start[2], text[opening + 1:end]):
            clause = f"dialect {dialect[-1]};\n" if dialect else ""
            found[name, opening] = f"{clause}/// {left_out}\n{start[1]}pattern {name}{options}{{{rest}\n\n"
    return found


def compile_errors(rwc, folder, path):
    return subprocess.run([rwc, "--check", "-I", folder, path], capture_output=True, text=True).stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--patterns", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--rwc", required=True)
    options = parser.parse_args()
    tried = refused = 0
    for folder, _, names in sorted(os.walk(options.patterns)):
        for name in sorted(n for n in names if n.endswith(".rw")):
            path = os.path.relpath(os.path.join(folder, name), options.patterns)
            mutants = mutate(path, options.patterns)
            out = os.path.join(options.out, "mutants_" + path.replace("/", "_"))
            while mutants:
                with open(out, "w", encoding="utf-8") as f:
                    f.write(f'// Made by make.py.\nimport "{path}";\n\n' + "".join(mutants.values()))
                errors = compile_errors(options.rwc, options.patterns, out)
                lines = [int(n) for n in re.findall(r"(?m)^[^\n]*mutants_[^:]*:(\d+):\d+: error", errors)]
                if not lines:
                    if ": error" in errors:
                        sys.exit(errors)
                    tried += len(mutants)
                    break
                at = 4
                for mutant, text in list(mutants.items()):
                    end = at + text.count("\n")
                    if any(at <= line < end for line in lines):
                        del mutants[mutant]
                        refused += 1
                    at = end
            else:
                if os.path.exists(out):
                    os.remove(out)
    print(f"{tried} mutants, {refused} more refused by the compiler")


if __name__ == "__main__":
    main()
