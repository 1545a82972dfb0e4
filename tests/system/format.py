#!/usr/bin/env python3
"""What must hold of `rwc --format` for any text: format.py --rwc RWC --source DIR.

Every .rw file of the tree, as it is and with its space scrambled: the words stay the same, formatting again changes nothing, and
scrambling within lines makes no difference. The tree's own patterns are formatted already.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

WORDS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|\[\{.*?\}\]|\s+|\w+|[^\w\s]', re.S)


def scramble(text, rng):
    """Other space at every place that has some; line breaks stay, for they mean something to the formatter."""
    out = []
    for piece in WORDS.findall(text):
        if piece.isspace():
            breaks = piece.count("\n")
            piece = "".join(" " * rng.randrange(4) + "\n" for _ in range(breaks)) + rng.choice(["", " ", "\t", "   "])
            if not breaks and not piece:
                piece = " "
        out.append(piece)
    return "".join(out)


class Checks:
    def __init__(self, rwc):
        self.rwc = rwc
        self.passed = self.failed = 0

    def run(self, text, *flags):
        run = subprocess.run([self.rwc, *flags, "-"], input=text, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"rwc {' '.join(flags)}: exit status {run.returncode}\n{run.stderr}")
        return run.stdout

    def words(self, text):
        lines = self.run(text, "--dump=tokens").splitlines()
        comments = [w for w in WORDS.findall(text) if w.startswith(("//", "/*"))]
        return [line.split(" ", 1)[1] for line in lines], [c.rstrip() for c in comments]

    def expect(self, what, good):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}")

    def file(self, path, rng, must_be_formatted):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        formatted = self.run(text, "--format")
        self.expect(f"{path}: same words", self.words(text) == self.words(formatted))
        self.expect(f"{path}: formatting again changes nothing", self.run(formatted, "--format") == formatted)
        if must_be_formatted:
            self.expect(f"{path}: is formatted (rwc --format=write {path})", text == formatted)
        for _ in range(3):
            other = scramble(text, rng)
            self.expect(f"{path}: space within lines makes no difference", self.run(other, "--format") == formatted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    checks, rng = Checks(args.rwc), random.Random(1)
    for top in ("patterns", "bench", "tests", "examples"):
        for folder, _, names in sorted(os.walk(os.path.join(args.source, top))):
            for name in sorted(n for n in names if n.endswith(".rw")):
                checks.file(os.path.join(folder, name), rng, top != "tests")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.rw")
        with open(path, "w", encoding="utf-8") as f:
            f.write("dialect   d ;\n")
        checks.expect("--format=check refuses", subprocess.run([args.rwc, "--format=check", path], capture_output=True).returncode == 1)
        checks.expect("--format=write writes", subprocess.run([args.rwc, "--format=write", path]).returncode == 0)
        with open(path, encoding="utf-8") as f:
            checks.expect("what was written is formatted", f.read() == "dialect d;\n")
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed or checks.passed < 20 else 0)


if __name__ == "__main__":
    main()
