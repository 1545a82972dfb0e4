#!/usr/bin/env python3
"""Makes, builds and runs the mutants of the built-in patterns, and says which conditions no golden test guards.

In:  --build, a configured build folder (build/dev), in which rwc is built. explained.txt: conditions that no test can guard, and why.
Out: a line per condition that no test guards and nothing explains, per pattern that fires in no test, and per explanation of a
     condition that is gone or guarded. Exit status 1 if there is any such line. By hand: it builds some 400 patterns.
"""
import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def explanations():
    """Pairs of pattern and condition, from the lines `PATTERN: CONDITION: why`."""
    with open(os.path.join(HERE, "explained.txt"), encoding="utf-8") as f:
        lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    return {tuple(line.split(": ")[:2]) for line in lines}


def report(output, explained):
    """What is wrong, a line each."""
    wrong = [line for line in output.splitlines() if line.endswith("fires in no test")]
    used = set()
    for pattern, condition in re.findall(r"(?m)^unnoticed (\S+): (.*)$", output):
        why = {(name, what) for name, what in explained if fnmatch.fnmatchcase(pattern, name) and what == condition}
        used |= why
        if not why:
            wrong.append(f"{pattern}: no test notices if this is left out: {condition}")
    return wrong + [f"{name}: explained.txt speaks of what is gone or guarded: {condition}" for name, condition in sorted(explained - used)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(TOP, "build", "dev"))
    build = os.path.abspath(parser.parse_args().build)
    made = os.path.join(build, "mutants")
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)

    def step(*command, **how):
        done = subprocess.run(command, cwd=TOP, text=True, **how)
        if done.returncode:
            sys.exit(f"{command[0]} failed")
        return done.stdout

    step(sys.executable, os.path.join(HERE, "make.py"), "--patterns", os.path.join(TOP, "patterns"), "--out", made,
         "--rwc", os.path.join(build, "bin", "rwc"))
    step("cmake", "-S", TOP, "-B", build, f"-DRW_MUTANTS={made}")
    step("cmake", "--build", build, "--target", "mutants", "--parallel", "2")
    output = step(os.path.join(build, "bin", "mutants"), os.path.join(TOP, "tests", "golden", "passes"),
                  os.path.join(TOP, "tests", "golden", "tenferro"), stdout=subprocess.PIPE)
    step("cmake", "-S", TOP, "-B", build, "-URW_MUTANTS")
    wrong = report(output, explanations())
    print("\n".join(wrong + output.splitlines()[-1:]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
