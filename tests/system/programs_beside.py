#!/usr/bin/env python3
"""rwc --verify and rw-opt --serve are done by programs that lie beside: what happens where these are not there.

In:  --bin, the folder of rwc and rw-opt.
Out: nothing, or what is wrong and exit status 1.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

PATTERN = 'dialect d "d";\nop Neg(x: tensor) -> tensor;\npattern Twice { Neg(Neg(x)) => x }\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    arguments = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for program, line, other in (("rwc", ["--verify", "-"], "rwc-verify"), ("rw-opt", ["--serve"], "rw-serve")):
            alone = os.path.join(folder, program)
            shutil.copy(os.path.join(arguments.bin, program), alone)
            beside = os.path.join(folder, other)

            def run():
                return subprocess.run([alone, *line], input=PATTERN, capture_output=True, text=True, timeout=60)

            missing = run()
            says = f"{beside}: error: this program does what is asked for, and cannot be started: No such file or directory [program-missing]\n"
            if missing.returncode != 1 or missing.stdout or not missing.stderr.startswith(says) or "tools/build release" not in missing.stderr:
                wrong.append(f"{program} without {other}: {missing}")
            # What goes on has the whole command line, its name, and standard input, of which nothing has been read.
            with open(beside, "w") as script:
                script.write('#!/bin/sh\necho "$@"\ncat\nexit 3\n')
            denied = run()
            if denied.returncode != 1 or "Permission denied" not in denied.stderr or "executable" not in denied.stderr:
                wrong.append(f"{program} with {other} that may not be executed: {denied}")
            os.chmod(beside, 0o755)
            went_on = run()
            if (went_on.returncode, went_on.stdout, went_on.stderr) != (3, " ".join(line) + "\n" + PATTERN, ""):
                wrong.append(f"{program} with {other}: {went_on}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
