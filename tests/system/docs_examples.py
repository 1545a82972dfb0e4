#!/usr/bin/env python3
"""Checks every ```rw block of the documents with rwc: docs_examples.py --rwc RWC --source DIR. Includes a test of itself.

Also: docs/language.md lists the functions of the language with the signatures and words of frontend/sema/builtins.cpp.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile


def blocks(text):
    return re.findall(r"^```rw\n(.*?)^```", text, re.M | re.S)


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
    for row in missing_functions(args.source):
        failed += 1
        print(f"docs/language.md lacks the row\n{row}")
    if count == 0:
        sys.exit("docs_examples: no examples found")
    print(f"{count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
