#!/usr/bin/env python3
"""Checks the examples of the documents: docs_examples.py --rwc RWC --source DIR. Includes a test of itself.

Every ```rw block is a file that rwc takes. A page with ```console blocks is worked through: it begins in a folder that holds the models of
tests/models; a block behind a line "`FILE`:" is that file, ```rw append adds to the last .rw file, and commands print what the page shows.
Blocks ```console installed need an installed rw: examples.py runs those pages again with one. --update writes into the pages what is printed.

Also: docs/reference.md lists the functions of the language with the signatures and words of frontend/sema/builtins.cpp.
"""
import argparse
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile


def sessions(text):
    """(command, expected output) of every ```console block."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, output = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.S).groups()  # a line that ends in a backslash goes on
            yield command, output


def blocks(text):
    return re.findall(r"^```rw\n(.*?)^```", text, re.M | re.S)


def write(path, text, mode):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding="utf-8") as f:
        f.write(text)


def work_through(text, path, models=(), installed=False, env=None):
    """(what differs between a page of files and commands and what happens, the page with what happens); the first is empty if nothing does.

    `path`: folders of programs. `models`: files that are there from the beginning.
    """
    problems, out, done_to = [], [], 0
    last = None
    commands = 0
    env = {**os.environ, **(env or {}), "PATH": os.pathsep.join([*path, os.environ["PATH"]])}
    with tempfile.TemporaryDirectory() as folder:
        shown_at = os.path.join(folder, "tests", "models")  # where the sources have them
        os.makedirs(shown_at)
        for model in models:
            shutil.copy(model, folder)
            os.symlink(os.path.join("..", "..", os.path.basename(model)), os.path.join(shown_at, os.path.basename(model)))
        for block in re.finditer(r"(?:^`(\S+)`:\n\n)?^```([^\n]*)\n(.*?)^```", text, re.M | re.S):
            name, info, body = block.groups()
            if info == "console" or (installed and info == "console installed"):
                shown = ""
                for command, expected in sessions(f"```console\n{body}```"):
                    commands += 1
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
                    seen = done.stdout + done.stderr
                    shown += f"$ {command}\n{seen}"
                    if seen != expected:
                        diff = difflib.unified_diff(expected.splitlines(), seen.splitlines(), "the page", "seen", lineterm="")
                        problems += [f"$ {command}"] + list(diff)
                out += [text[done_to:block.start(3)], shown]
                done_to = block.end(3)
            elif info == "rw append" and last:
                write(os.path.join(folder, last), "\n" + body, "a")
            elif name:
                last = name if name.endswith(".rw") else last
                write(os.path.join(folder, name), body, "w")
    return problems if commands else problems + ["no command was found"], "".join(out) + text[done_to:]


def is_worked(text):
    return re.search(r"^```console$", text, re.M) is not None


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
    with open(os.path.join(source, "docs", "reference.md"), encoding="utf-8") as f:
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
    parser.add_argument("--update", action="store_true", help="write what commands print into the pages")
    args = parser.parse_args()
    if not check(args.rwc, args.source, "pattern P { no_such_op(x) => x }\n"):
        sys.exit("docs_examples: a broken example was not noticed")
    programs = [os.path.dirname(os.path.abspath(args.rwc))]
    if not work_through("```console\n$ rwc --version | wc -l\nno number\n```\n", programs)[0]:
        sys.exit("docs_examples: a wrong output was not noticed")
    models = glob.glob(os.path.join(args.source, "tests", "models", "*.onnx"))
    count = failed = worked = 0
    for path in sorted(glob.glob(os.path.join(args.source, "docs", "*.md")) + [os.path.join(args.source, "README.md")]):
        name = os.path.relpath(path, args.source)
        with open(path, encoding="utf-8") as f:
            page = f.read()
        for text in blocks(page):
            count += 1
            complaint = check(args.rwc, args.source, text)
            if complaint:
                failed += 1
                print(f"{name}:\n{text}\n{complaint}")
        if not is_worked(page):
            continue
        worked += 1
        problems, seen = work_through(page, programs, models)
        if problems and args.update:
            write(path, seen, "w")
        elif problems:
            failed += 1
            print(f"{name}:", *problems, sep="\n")
    for row in missing_functions(args.source):
        failed += 1
        print(f"docs/reference.md lacks the row\n{row}")
    if count == 0 or worked < 4:
        sys.exit("docs_examples: too few examples found")
    print(f"{count + worked - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
