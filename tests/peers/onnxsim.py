#!/usr/bin/env python3
"""The models of tests/families and tests/models, and those of a further folder, optimised by rw-opt and by onnxsim: no more nodes.

    npm install --prefix DIR onnxsim --ignore-scripts
    RW_ONNXSIM=DIR tests/peers/onnxsim.py --bin build/dev/bin [--models FOLDER]

In:  the folder that RW_ONNXSIM (or --engine) names holds node_modules/onnxsim. Without node or the package: says so and exits 77.
     --models (or RW_MODELS): a folder with more models (.onnx).
     rw-opt runs with --freeze-defaults: onnxsim takes an input that has a default for a constant.
Out: a line per model where one of the two leaves more nodes (Constant not counted), and a summary; exit status 1 if it is rw-opt anywhere.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "families"))
import families  # noqa: E402
from onnx_writer import node_counts  # noqa: E402


def counts(path):
    with open(path, "rb") as file:
        return {op: n for op, n in node_counts(file.read()).items() if op != "Constant"}


def difference(ours, theirs):
    """"Shape +2, Gather -1": what we have more and less."""
    kinds = sorted(set(ours) | set(theirs), key=lambda op: (theirs.get(op, 0) - ours.get(op, 0), op))
    return ", ".join(f"{op} {ours.get(op, 0) - theirs.get(op, 0):+}" for op in kinds if ours.get(op, 0) != theirs.get(op, 0))


def simplified(engine, before, theirs):
    """What the engine says of each model, one object a model. Where it dies or hangs it begins again behind that one."""
    script = os.path.join(HERE, "simplify_onnxsim.mjs")
    names = sorted(os.path.basename(path)[:-len(".onnx")] for path in glob.glob(os.path.join(before, "*.onnx")))
    while names:
        with tempfile.TemporaryDirectory(prefix="rw-onnxsim-") as folder:
            for name in names:
                os.symlink(os.path.abspath(os.path.join(before, name + ".onnx")), os.path.join(folder, name + ".onnx"))
            try:
                done = subprocess.run(["node", script, engine, folder, theirs], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300)
                output = done.stdout
            except subprocess.TimeoutExpired as stopped:
                output = stopped.stdout or b""
        lines = [line for line in output.decode().splitlines() if line.startswith("{")]
        yield from map(json.loads, lines)
        names = names[len(lines):]
        if names:
            yield {"model": names.pop(0), "error": "it dies or hangs"}


def compare(tool, engine, before, work, name):
    """How many models rw-opt leaves smaller, equal and larger; prints those that differ."""
    after, theirs = (os.path.join(work, f"{name}-{part}") for part in ("ours", "theirs"))
    os.makedirs(after)
    os.makedirs(theirs)
    smaller = equal = larger = 0
    for seen in simplified(engine, before, theirs):
        file = seen["model"] + ".onnx"
        if "error" in seen:
            print(f"{name} {seen['model']}: onnxsim: {seen['error']}")
            continue
        subprocess.run([tool, os.path.join(before, file), "--freeze-defaults", "-o", os.path.join(after, file)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mine, other = counts(os.path.join(after, file)), counts(os.path.join(theirs, file))
        a, b = sum(mine.values()), sum(other.values())
        smaller, equal, larger = smaller + (a < b), equal + (a == b), larger + (a > b)
        if a != b:
            print(f"{name:8} {seen['model']:28} {a:5} onnxsim {b:5}  {difference(mine, other)}{'  MORE' if a > b else ''}", flush=True)
    return smaller, equal, larger


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--models", default="")
    args = parser.parse_args()
    engine, models = os.environ.get("RW_ONNXSIM") or args.engine, os.environ.get("RW_MODELS") or args.models
    if not shutil.which("node") or not engine or not os.path.isdir(os.path.join(engine, "node_modules", "onnxsim")):
        print("skipped: no node, or RW_ONNXSIM names no folder with node_modules/onnxsim; npm install --prefix DIR onnxsim --ignore-scripts")
        return 77
    sums = [0, 0, 0]
    with tempfile.TemporaryDirectory(prefix="rw-onnxsim-") as work:
        sets = {}
        for opset in families.OPSETS:
            sets[f"opset{opset}" if opset else "families"] = os.path.join(work, f"before{opset}")
            families.write_all(os.path.join(work, f"before{opset}"), opset)
        for name, folder in (("models", os.path.join(HERE, "..", "models")), ("further", models)):
            if folder and glob.glob(os.path.join(folder, "*.onnx")):
                sets[name] = folder
        for name, folder in sets.items():
            sums = [a + b for a, b in zip(sums, compare(os.path.join(args.bin, "rw-opt"), engine, folder, work, name))]
    print(f"{sum(sums)} models: rw-opt leaves fewer nodes in {sums[0]}, as many in {sums[1]}, more in {sums[2]}")
    return 1 if sums[2] or not sum(sums) else 0


if __name__ == "__main__":
    sys.exit(main())
