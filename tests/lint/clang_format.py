#!/usr/bin/env python3
"""C++ is formatted as .clang-format says, and no line is longer than 120 columns but in texts that a raw string holds.

In:  every .h and .cpp but what goldens hold; clang-format 14, whose output other versions do not all agree with.
Out: one line per file or line that is not; exit status 1 if there is any, 77 without that version. With --write files are formatted.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from cpp_text import TOP, TOKEN, files, line_of, read

COLUMNS, VERSION = 120, "14"
PLACES = ("bench", "codegen", "editor", "examples", "frontend", "grammar", "python", "runtime", "tests", "tools")


def formatter():
    """The program of the version that is asked for, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if path := shutil.which(name):
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(rf"version {VERSION}\.", said):
                return path
    return None


def sources(root):
    return [path for place in PLACES if os.path.isdir(os.path.join(root, place))
            for path in files(root, place, (".h", ".cpp")) if not path.startswith("tests/golden/")]


def long_lines(text):
    """Numbers of lines that are too long, those of raw strings left out."""
    raw = set()
    for m in TOKEN.finditer(text):
        if m.group("raw") is not None:
            raw.update(range(line_of(text, m.start()), line_of(text, m.end()) + 1))
    return [at for at, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS and at not in raw]


def main(root, write):
    program = formatter()
    if not program:
        print(f"clang-format {VERSION} is not there")
        return 77
    paths = sources(root)
    bad = [f"{path}:{at}: longer than {COLUMNS} columns" for path in paths for at in long_lines(read(os.path.join(root, path)))]
    command = [program, "-i"] if write else [program, "--dry-run", "--Werror"]

    def check(path):
        run = subprocess.run([*command, path], cwd=root, capture_output=True, text=True, check=False)
        return f"{path}: is not formatted (tests/lint/clang_format.py --write)" if run.returncode else ""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad += [line for line in pool.map(check, paths) if line]
    print("\n".join([*bad, f"{len(paths)} files, {len(bad)} violations"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(TOP, "--write" in sys.argv[1:]))
