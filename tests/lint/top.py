#!/usr/bin/env python3
"""Nothing stray lies at the top of the tree: only what is named here, and what .gitignore lets lie anywhere.

In:  the top folder. Out: one line per entry that is neither; exit status 1 if there is any.
"""
import fnmatch
import os
import sys

from cpp_text import TOP, read

FOLDERS = {".ci", ".git", "bench", "cmake", "codegen", "docs", "editor", "examples", "frontend", "grammar", "patterns",
           "python", "runtime", "tests", "tools"}
FILES = {".clang-format", ".gitignore", "CMakeLists.txt", "CMakePresets.json", "README.md"}


def ignored(root):
    """The patterns of .gitignore, as (name, whether it must be a folder)."""
    path = os.path.join(root, ".gitignore")
    lines = [line.strip() for line in read(path).splitlines()] if os.path.exists(path) else []
    return [(line.strip("/"), line.endswith("/")) for line in lines if line and not line.startswith("#")]


def main(root):
    patterns = ignored(root)
    bad = count = 0
    for name in sorted(os.listdir(root)):
        count += 1
        is_folder = os.path.isdir(os.path.join(root, name))
        # In a work tree of its own git keeps a file of that name.
        if name in (FOLDERS if is_folder else FILES | {".git"}):
            continue
        if any(fnmatch.fnmatch(name, pattern) and (is_folder or not folder) for pattern, folder in patterns):
            continue
        print(f"{name}: stray at the top of the tree: it belongs in a folder, or in the list of tests/lint/top.py")
        bad += 1
    print(f"{count} entries, {bad} violations")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else TOP))
