#!/usr/bin/env python3
"""The files of patterns/contrib, which are no part of the built-in patterns: users name them.

In:  --bin, where rwc is (with rwc-verify beside it); --source, the top of the source tree.
Out: a line per complaint: a file of which `rwc --check` says anything, a test of it that fails, a pattern that is not
     proved; exit status 1 if there is any.
"""
import argparse
import glob
import json
import os
import subprocess
import sys


def complaints(rwc, path):
    def run(*arguments):
        done = subprocess.run([rwc, *arguments, path], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    status, out, err = run("--check")
    if status or out or err:
        yield f"{out}{err}"
        return
    status, out, err = run("--test")
    if status:
        yield f"{out}{err}"
    status, out, err = run("--verify", "--json")
    answers = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    verdicts = {a["pattern"]: a["verdict"] for a in answers if "pattern" in a}
    if status or not verdicts:
        yield f"{out}{err}"
    for name, verdict in verdicts.items():
        if verdict != "proved":
            yield f"{name} is {verdict}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    files = sorted(glob.glob(os.path.join(options.source, "patterns", "contrib", "*.rw")))
    found = [f"{os.path.basename(path)}: {line}" for path in files
             for line in complaints(os.path.join(options.bin, "rwc"), path)]
    print("\n".join(found) if found else f"{len(files)} files")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
