#!/usr/bin/env python3
"""The goldens of the passes hold whether the patterns of a pass are tried together or each on its own.

In:  the folder of the built tools and the source folder.
Out: what differs when every rw-opt of tests/golden/passes runs with --unmerged; exit status 0 if nothing does.
     (That they hold with merged patterns is golden.passes.)
"""
import argparse
import os
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    tools = os.path.abspath(args.bin)
    goldens = os.path.join(args.source, "tests", "golden")
    with tempfile.TemporaryDirectory(prefix="rw-unmerged-") as folder:
        for tool in os.listdir(tools):
            if tool != "rw-opt":
                os.symlink(os.path.join(tools, tool), os.path.join(folder, tool))
        wrapper = os.path.join(folder, "rw-opt")
        with open(wrapper, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec "{tools}/rw-opt" --unmerged "$@"\n')
        os.chmod(wrapper, 0o755)
        done = subprocess.run([sys.executable, os.path.join(goldens, "run.py"), "--bin", folder, os.path.join(goldens, "passes")])
    return done.returncode


sys.exit(main())
