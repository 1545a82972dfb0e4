#!/usr/bin/env python3
"""The file that stands for a dialect, patterns/NAME/NAME.rw, imports each other file that declares ops of it.

In:  patterns/**/*.rw.
Out: one line per file that an umbrella lacks or has too much; exit status 1 if there is any.
"""
import os
import re
import sys

from cpp_text import TOP, files, read

DIALECT = re.compile(r"^dialect (\w+)")
IMPORT = re.compile(r'^import "([^"]+)";', re.M)


def dialects_with_ops(text):
    found, dialect = set(), ""
    for line in text.split("\n"):
        if m := DIALECT.match(line):
            dialect = m[1]
        elif line.startswith("op "):
            found.add(dialect)
    return found


def main(root):
    declaring = {}
    for path in files(root, "patterns", (".rw",)):
        for dialect in dialects_with_ops(read(os.path.join(root, path))):
            declaring.setdefault(dialect, set()).add(path)
    bad = 0
    for dialect, paths in sorted(declaring.items()):
        umbrella = f"patterns/{dialect}/{dialect}.rw"
        if not os.path.exists(os.path.join(root, umbrella)):
            if len(paths) > 1:
                print(f"{umbrella}: is missing, though several files declare ops of {dialect}")
                bad += 1
            continue
        folder = os.path.dirname(umbrella)
        imported = {os.path.normpath(os.path.join(folder, name)) for name in IMPORT.findall(read(os.path.join(root, umbrella)))}
        for path in sorted(paths - imported - {umbrella}):
            print(f"{umbrella}: does not import {path}, which declares ops of {dialect}")
            bad += 1
        for path in sorted(imported - paths):
            print(f"{umbrella}: imports {path}, which declares no op of {dialect}")
            bad += 1
    print(f"{len(declaring)} dialects, {bad} violations")
    return 1 if bad or not declaring else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else TOP))
