#!/usr/bin/env python3
"""Passes that are to be plain .rw text are, and the ONNX optimizer's stay short.

In:  patterns/ below the source tree (or the folder given).
Out: one line per finding; exit status 1 if there is any.
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Transpose pair, identity reshape, reshape pair: no native code, whatever is added to their files.
PLAIN = ["layout/transpose.rw", "layout/reshape.rw", "layout/sink.rw", "lib/permutations.rw"]
# jax2onnx's optimizer, 2,725 lines of Python without its tests: under a fifth of that, without ours.
SHORT = PLAIN + ["lib/numbers.rw", "onnx/casts.rw", "onnx/dropout.rw", "onnx/activations.rw"]
LIMIT = 545


def without_tests(text):
    """The text without its `test` declarations, on one line or several, and the comments in front of them."""
    return re.sub(r"(?m)^(?://.*\n)*test .*(?:\}\n|\n(?: .*\n)*\}\n)", "", text)


def findings(folder):
    for name in PLAIN:
        with open(os.path.join(folder, name)) as f:
            for number, line in enumerate(f, 1):
                code = line.split("//")[0]
                if "[{" in code or re.search(r"\bextern\b", code):
                    yield f"{name}:{number}: native code: {line.strip()}"
    lines = sum(without_tests(open(os.path.join(folder, name)).read()).count("\n") for name in SHORT)
    if lines >= LIMIT:
        yield f"{', '.join(SHORT)}: {lines} lines in all, the limit is {LIMIT}"


def main():
    found = list(findings(sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "patterns")))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
