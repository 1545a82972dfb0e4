#!/usr/bin/env python3
"""Converts programs of StableHLO with values to ONNX, and counts how many give these values, in the reference evaluator and, if there is
one, in onnxruntime.

    RW_STABLEHLO_DIR=DIR [RW_ORT=DIR] tests/peers/stablehlo_programs.py --tool build/dev/bin/stablehlo_peer --work /tmp/programs [GLOB...]

In:  DIR/programs: NAME.mlir, and NAME.json with inputs and expected values. GLOBs: only programs with such names.
Out: a table, program and what became of it; at its end how many are equal. Exit status 1 if they are fewer than --at-least says, or in
     onnxruntime than --at-least-ort. Without RW_STABLEHLO_DIR: 77, which ctest shows as skipped.
"""
import argparse
import fnmatch
import os
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--at-least", type=int, default=0)
    parser.add_argument("--at-least-ort", type=int, default=0)
    parser.add_argument("--quiet", action="store_true", help="of programs that are equal say nothing")
    parser.add_argument("globs", nargs="*")
    args = parser.parse_args()
    material = os.environ.get("RW_STABLEHLO_DIR", "")
    folder = os.path.join(material, "programs")
    if not os.path.isdir(folder):
        print("skipped: RW_STABLEHLO_DIR names no folder with programs/")
        return 77
    names = sorted(f for f in os.listdir(folder) if f.endswith(".mlir"))
    if args.globs:
        names = [n for n in names if any(fnmatch.fnmatch(n[:-5], g) for g in args.globs)]
    shutil.rmtree(args.work, ignore_errors=True)
    os.makedirs(args.work)
    done = subprocess.run([args.tool, args.work] + [os.path.join(folder, n) for n in names], capture_output=True, text=True)
    sys.stderr.write(done.stderr)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    other = {}
    engine = os.environ.get("RW_ORT") or args.engine
    if engine and shutil.which("node") and os.path.isdir(os.path.join(engine, "node_modules", "onnxruntime-node")):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_onnxruntime_programs.js")
        ran = subprocess.run(["node", script, engine, args.work], capture_output=True, text=True)
        sys.stderr.write(ran.stderr)
        other = dict(line.split("\t", 1) for line in ran.stdout.splitlines() if "\t" in line)
    equal = equal_ort = 0
    width = max([len(row[0]) for row in rows] + [8])
    for name, outcome, *why in rows:
        ort = other.get(name, "")
        equal += outcome == "equal"
        equal_ort += ort.startswith("equal")
        if not (args.quiet and outcome == "equal" and (not other or ort.startswith("equal"))):
            print(f"{name:{width}}  {outcome:8}  {' '.join(why)}" + (f"  [onnxruntime: {ort}]" if other else ""))
    print(f"{equal} of {len(rows)} are equal" + (f", {equal_ort} in onnxruntime" if other else ""))
    return int(equal < args.at_least or (bool(other) and equal_ort < args.at_least_ort) or len(rows) != len(names))


if __name__ == "__main__":
    sys.exit(main())
