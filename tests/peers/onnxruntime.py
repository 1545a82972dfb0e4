#!/usr/bin/env python3
"""Runs programs in the reference evaluator and, as ONNX models, in onnxruntime, and compares: of the tensor dialect, and of ops
that mean something in ops of ONNX (meanings.rw), whose models have functions.

    npm install --prefix DIR onnxruntime-node --ignore-scripts
    RW_ORT=DIR tests/peers/onnxruntime.py --tool build/dev/bin/onnx_peer --work /tmp/peer

Without node or the package: says so and exits 77, which ctest shows as skipped.
"""
import argparse
import os
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--seeds", default="50")
    args = parser.parse_args()
    engine = os.environ.get("RW_ORT") or args.engine
    if not shutil.which("node"):
        print("skipped: node is not installed")
        return 77
    if not engine or not os.path.isdir(os.path.join(engine, "node_modules", "onnxruntime-node")):
        print("skipped: RW_ORT names no folder with node_modules/onnxruntime-node; npm install --prefix DIR onnxruntime-node --ignore-scripts")
        return 77
    shutil.rmtree(args.work, ignore_errors=True)
    os.makedirs(args.work)
    if subprocess.run([args.tool, args.work, args.seeds]).returncode:
        return 1
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_onnxruntime.js")
    return subprocess.run(["node", script, engine, args.work]).returncode


if __name__ == "__main__":
    sys.exit(main())
