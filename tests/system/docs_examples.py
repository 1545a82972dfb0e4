#!/usr/bin/env python3
"""Checks every ```rw block of the documents with rwc: docs_examples.py --rwc RWC --source DIR. Includes a test of itself.

The tutorial is worked through: a block behind a line "`FILE`:" is that file, ```rw append adds to the last .rw file, and the commands
of ```console blocks print what the page shows.

Also: docs/language.md lists the functions of the language with the signatures and words of frontend/sema/builtins.cpp.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

from examples import sessions


def blocks(text):
    return re.findall(r"^```rw\n(.*?)^```", text, re.M | re.S)


def work_through(programs, text):
    """What differs between a page of files and commands and what happens; empty if nothing does."""
    problems = []
    commands = 0
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])}
        last = None
        for name, info, body in re.findall(r"(?:^`(\S+)`:\n\n)?^```([^\n]*)\n(.*?)^```", text, re.M | re.S):
            if info == "console":
                for command, expected in sessions(f"```console\n{body}```"):
                    commands += 1
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
                    seen = done.stdout + done.stderr
                    if seen != expected:
                        diff = difflib.unified_diff(expected.splitlines(), seen.splitlines(), "the page", "seen", lineterm="")
                        problems += [f"$ {command}"] + list(diff)
                continue
            if info == "rw append" and last:
                with open(os.path.join(folder, last), "a", encoding="utf-8") as f:
                    f.write("\n" + body)
            elif name:
                last = name if name.endswith(".rw") else last
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(body)
            else:
                problems.append(f"a block without a file: {body}")
    return problems if commands else problems + ["no command was found"]


def check(rwc, source, text):
    """rwc's complaints about a .rw text; empty if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "example.rw")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        run = subprocess.run([rwc, "-o", folder, "-I", os.path.join(source, "patterns"), path], capture_output=True, text=True)
        return "" if run.returncode == 0 else run.stderr or f"exit status {run.returncode}"


def missing_functions(source):
    """Rows of the reference's table that builtins.cpp asks for and that are not there."""
    with open(os.path.join(source, "frontend", "sema", "builtins.cpp"), encoding="utf-8") as f:
        table = f.read()
    with open(os.path.join(source, "docs", "language.md"), encoding="utf-8") as f:
        page = f.read()
    known = re.findall(r'\{Builtin::\w+, "(\w+)", "([^"]*)",\s*"([^"]*)"\}', table)
    if len(known) != table.count("{Builtin::"):
        sys.exit("docs_examples: the table of builtins.cpp is written in another way")
    rows = [f"| `{name}{signature}` | {doc} |" for name, signature, doc in known]
    return [row for row in rows if row not in page]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    if not check(args.rwc, args.source, "pattern P { no_such_op(x) => x }\n"):
        sys.exit("docs_examples: a broken example was not noticed")
    count = failed = 0
    for path in sorted(glob.glob(os.path.join(args.source, "docs", "*.md")) + [os.path.join(args.source, "README.md")]):
        with open(path, encoding="utf-8") as f:
            for text in blocks(f.read()):
                count += 1
                complaint = check(args.rwc, args.source, text)
                if complaint:
                    failed += 1
                    print(f"{os.path.relpath(path, args.source)}:\n{text}\n{complaint}")
    programs = os.path.dirname(os.path.abspath(args.rwc))
    if not work_through(programs, "```console\n$ rwc --version | wc -l\nno number\n```\n"):
        sys.exit("docs_examples: a wrong output was not noticed")
    with open(os.path.join(args.source, "docs", "tutorial.md"), encoding="utf-8") as f:
        if problems := work_through(programs, f.read()):
            failed += 1
            print("docs/tutorial.md:", *problems, sep="\n")
    for row in missing_functions(args.source):
        failed += 1
        print(f"docs/language.md lacks the row\n{row}")
    if count == 0:
        sys.exit("docs_examples: no examples found")
    print(f"{count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
