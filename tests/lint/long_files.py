#!/usr/bin/env python3
"""No source file is longer than 500 lines: longer ones are two files."""
import os
import sys

from cpp_text import TOP, files, read

LIMIT = 500
FOLDERS = ("grammar", "frontend", "codegen", "runtime", "patterns", "tests", "examples", "tools", "bench", "cmake")
ENDINGS = (".h", ".cpp", ".inc", ".rw", ".g4", ".py", ".sh", ".cmake", "CMakeLists.txt")


def main(root):
    bad = count = 0
    for folder in FOLDERS:
        for path in files(root, folder, ENDINGS):
            count += 1
            lines = read(os.path.join(root, path)).count("\n")
            if lines > LIMIT:
                print(f"{path}: {lines} lines, at most {LIMIT}")
                bad += 1
    print(f"{count} files, {bad} violations")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else TOP))
