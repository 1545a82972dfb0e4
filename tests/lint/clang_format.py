#!/usr/bin/env python3
"""C++ is formatted as .clang-format says, and no line is longer than 120 columns but in texts that a raw string holds.

In:  every .h and .cpp but what goldens hold; clang-format 14, whose output other versions do not all agree with.
Out: one line per file or line that is not; exit status 1 if there is any, 77 without that version. With --write files are formatted.
     build/formatted.txt has the digests of what was found formatted, so that only what has changed is looked at.
"""
import concurrent.futures
import hashlib
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


class Formatted:
    """Texts that are known to be formatted, by what they and .clang-format hold."""

    def __init__(self, root):
        self.root, self.path = root, os.path.join(root, "build", "formatted.txt")
        with open(os.path.join(root, ".clang-format"), "rb") as f:
            self.style = f.read()
        self.known = set(read(self.path).split()) if os.path.exists(self.path) else set()
        self.seen = set()

    def digest(self, path):
        with open(os.path.join(self.root, path), "rb") as f:
            return hashlib.sha256(self.style + b"\0" + f.read()).hexdigest()

    def has(self, path):
        digest = self.digest(path)
        if digest in self.known:
            self.seen.add(digest)
        return digest in self.known

    def add(self, path):
        self.seen.add(self.digest(path))

    def keep(self):
        """Written beside the old one and moved: two runs at once cost time, not the file."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(f"{self.path}.{os.getpid()}", "w", encoding="ascii") as f:
            f.write("\n".join(sorted(self.seen)) + "\n")
        os.replace(f.name, self.path)


def main(root, write):
    program = formatter()
    if not program:
        print(f"clang-format {VERSION} is not there")
        return 77
    paths, formatted = sources(root), Formatted(root)
    bad = [f"{path}:{at}: longer than {COLUMNS} columns" for path in paths for at in long_lines(read(os.path.join(root, path)))]
    command = [program, "-i"] if write else [program, "--dry-run", "--Werror"]

    def check(path):
        if formatted.has(path):
            return ""
        run = subprocess.run([*command, path], cwd=root, capture_output=True, text=True, check=False)
        if run.returncode:
            return f"{path}: is not formatted (tests/lint/clang_format.py --write)"
        formatted.add(path)
        return ""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad += [line for line in pool.map(check, paths) if line]
    formatted.keep()
    print("\n".join([*bad, f"{len(paths)} files, {len(bad)} violations"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(TOP, "--write" in sys.argv[1:]))
