#!/usr/bin/env python3
"""What rewrites do does not depend on how patterns run: tried together or each on its own, compiled or from their source.

In:  the folder of the built tools, the source folder, an rw-opt whose built-in patterns are interpreted, and a program that
     writes random programs.
Out: what differs, and exit status 1, when each golden of tests/golden/passes and each pipeline over random programs runs
     as rw-opt --unmerged (that the goldens hold without it is golden.passes), and interpreted.
"""
import argparse
import os
import subprocess
import sys
import tempfile

PIPELINES = ["default", "full", "layout", "layout_exact", "onnx", "optimize_graph", "tenferro", "canonicalize{fastmath=true}"]
SEEDS = range(1, 4)


def rw_opts(args):
    """Name, program and flags of each way to run patterns."""
    plain = os.path.join(os.path.abspath(args.bin), "rw-opt")
    os.environ["RW_PATTERNS"] = os.path.join(os.path.abspath(args.source), "patterns")
    return [("merged", plain, []), ("unmerged", plain, ["--unmerged"]), ("interpreted", os.path.abspath(args.interpreted), [])]


def goldens(args, program, flags):
    """Runs the goldens of the passes with `program flags` in the place of rw-opt."""
    tools = os.path.abspath(args.bin)
    folder = os.path.join(args.source, "tests", "golden")
    with tempfile.TemporaryDirectory(prefix="rw-variants-") as stand_in:
        for tool in os.listdir(tools):
            if tool != "rw-opt":
                os.symlink(os.path.join(tools, tool), os.path.join(stand_in, tool))
        wrapper = os.path.join(stand_in, "rw-opt")
        with open(wrapper, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec " + " ".join([f'"{program}"', *flags]) + ' "$@"\n')
        os.chmod(wrapper, 0o755)
        return subprocess.run([sys.executable, os.path.join(folder, "run.py"), "--bin", stand_in, os.path.join(folder, "passes")])


def random_programs(args):
    """Every pipeline over random programs in every way; the number of differences."""
    differences, changed = 0, 0
    for seed in SEEDS:
        text = subprocess.run([os.path.abspath(args.programs), str(seed)], check=True, stdout=subprocess.PIPE).stdout
        for pipeline in PIPELINES:
            first = None
            for name, program, flags in rw_opts(args):
                done = subprocess.run([program, "-", "--pipeline", pipeline, *flags], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                outcome = done.returncode, done.stdout, done.stderr
                if done.returncode != 0:
                    print(f"seed {seed}, {pipeline}, {name}: exit status {done.returncode}\n{done.stderr.decode()}")
                    differences += 1
                first = first or outcome
                if outcome != first:
                    print(f"seed {seed}, {pipeline}: {name} does something else")
                    differences += 1
            changed += first[1] != text
    if changed < len(SEEDS) * 4:
        print(f"only {changed} runs changed anything")
        differences += 1
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--interpreted", required=True, help="an rw-opt whose built-in patterns are interpreted")
    parser.add_argument("--programs", required=True, help="writes random programs, given a seed")
    args = parser.parse_args()
    failures = random_programs(args)
    for name, program, flags in rw_opts(args)[1:]:
        if goldens(args, program, flags).returncode != 0:
            print(f"goldens of the passes: {name} does something else")
            failures += 1
    return 1 if failures else 0


sys.exit(main())
