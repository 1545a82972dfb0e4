#!/usr/bin/env python3
"""Makes, builds and runs the mutants of the built-in patterns, and says which conditions no golden test guards.

In:  --build, a configured build folder (build/dev), in which rwc is built.
Out: the lines of main.cpp. By hand: it builds some 350 patterns.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(TOP, "build", "dev"))
    build = os.path.abspath(parser.parse_args().build)
    made = os.path.join(build, "mutants")
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)

    def step(*command):
        if subprocess.run(command, cwd=TOP).returncode:
            sys.exit(f"{command[0]} failed")

    step(sys.executable, os.path.join(HERE, "make.py"), "--patterns", os.path.join(TOP, "patterns"), "--out", made,
         "--rwc", os.path.join(build, "bin", "rwc"))
    step("cmake", "-S", TOP, "-B", build, f"-DRW_MUTANTS={made}")
    step("cmake", "--build", build, "--target", "mutants", "--parallel", "2")
    step(os.path.join(build, "bin", "mutants"), os.path.join(TOP, "tests", "golden", "passes"), os.path.join(TOP, "tests", "golden", "tenferro"))
    step("cmake", "-S", TOP, "-B", build, "-URW_MUTANTS")


if __name__ == "__main__":
    main()
