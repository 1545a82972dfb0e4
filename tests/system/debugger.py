#!/usr/bin/env python3
"""Debuggers stop in patterns: at the class, and, compiled with rw_add_patterns(… LINES), at lines of the .rw file.

In:  the program `debugged`.
Out: what gdb did not stop at, and exit status 1. Without gdb, or where it may not run programs: exit status 77.
"""
import re
import shutil
import subprocess
import sys

BREAKPOINTS = ["Twice::matchAndRewrite", "stop.rw:8", "stop.rw:9", "stop.rw:10"]


def main():
    gdb = shutil.which("gdb")
    if not gdb:
        print("gdb is not there")
        return 77
    commands = ["set breakpoint pending off", "set disable-randomization off"]
    commands += [f"break {place}" for place in BREAKPOINTS] + ["run"] + ["continue"] * 12
    args = [gdb, "-nx", "-batch"]
    for command in commands:
        args += ["-ex", command]
    done = subprocess.run([*args, sys.argv[1]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    text = done.stdout.decode("utf-8", "replace")
    if "ptrace" in text or "Could not trace" in text:
        print("gdb may not run programs here")
        return 77
    failures = 0
    for number, place in enumerate(BREAKPOINTS, 1):
        if not re.search(rf"^(Thread .* hit )?Breakpoint {number}[.,]", text, re.MULTILINE):
            print(f"did not stop at {place}")
            failures += 1
    if not re.search(r"stop\.rw:8$|at .*stop\.rw:8", text, re.MULTILINE):
        print("does not show the line of the .rw file")
        failures += 1
    if failures:
        print(text)
    return 1 if failures else 0


sys.exit(main())
