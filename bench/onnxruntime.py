#!/usr/bin/env python3
"""Whether onnxruntime runs models faster or slower for what rw-opt changed: both models in one process, turn by turn, at the engine's default level.

    npm install --prefix DIR onnxruntime-node --ignore-scripts
    RW_ORT=DIR bench/onnxruntime.py --bin build/release/bin [--models FOLDER] [--seconds 3] [--only NAME] [--json]

In:  the models of tests/families and tests/models, and those in FOLDER. A model that rw-opt leaves as it is is left out.
Out: a line per model: nodes, the time before, the ratio of the time after to it with the middle 95 % that resampling gives, and the ratio of two equal
     models, which is noise. Slower is a model whose whole interval lies above 1 by more than 2 % and by more than twice the noise; it is timed again
     three times as long before that is said. Exit status 1 if one is.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "families"))
import families  # noqa: E402
from onnx_writer import node_counts  # noqa: E402

MARGIN = 0.02


def nodes(path):
    with open(path, "rb") as file:
        return sum(n for op, n in node_counts(file.read()).items() if op != "Constant")


def is_slower(seen):
    return seen["low"] > 1 + MARGIN and seen["low"] > 1 + 2 * abs(seen["same"] - 1)


def race(engine, before, after, seconds, only=()):
    command = ["node", os.path.join(HERE, "onnxruntime.js"), engine, before, after, str(seconds), *only]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        for line in running.stdout:
            yield json.loads(line)


def optimise(tool, before, after):
    """Writes the models that change; all names that there are."""
    os.makedirs(after)
    for source in sorted(glob.glob(os.path.join(before, "*.onnx"))):
        target = os.path.join(after, os.path.basename(source))
        subprocess.run([tool, source, "-o", target], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(source, "rb") as a, open(target, "rb") as b:
            same = a.read() == b.read()
        if same:
            os.remove(target)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--models", default="")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    engine = os.environ.get("RW_ORT") or args.engine
    if not engine or not os.path.isdir(os.path.join(engine, "node_modules", "onnxruntime-node")):
        sys.exit("RW_ORT names no folder with node_modules/onnxruntime-node; npm install --prefix DIR onnxruntime-node --ignore-scripts")
    slower, ratios = [], []
    with tempfile.TemporaryDirectory(prefix="rw-onnxruntime-") as work:
        sets = {"families": os.path.join(work, "families"), "models": os.path.join(HERE, "..", "tests", "models")}
        families.write_all(sets["families"], 0)
        if args.models:
            sets["further"] = args.models
        for name, before in sets.items():
            after = os.path.join(work, name + "-after")
            optimise(os.path.join(args.bin, "rw-opt"), before, after)
            for seen in race(engine, before, after, args.seconds, args.only):
                model = seen["model"]
                if "error" not in seen and is_slower(seen):
                    seen = next(race(engine, before, after, args.seconds * 3, [model]))
                if args.json:
                    print(json.dumps(seen), flush=True)
                    continue
                if "error" in seen:
                    print(f"{model:28} {seen['error']}")
                    continue
                ratios.append(seen["ratio"])
                slower += [model] if is_slower(seen) else []
                count = [nodes(os.path.join(folder, model + ".onnx")) for folder in (before, after)]
                print(f"{model:28} {count[0]:4} -> {count[1]:4} nodes {seen['before']:10.1f} us  x {seen['ratio']:.3f} [{seen['low']:.3f}, {seen['high']:.3f}]"
                      f"  noise x {seen['same']:.3f}  {seen['rounds']} rounds{'  SLOWER' if model in slower else ''}", flush=True)
    if ratios:
        ratios.sort()
        print(f"{len(ratios)} models that rw-opt changes: median x {ratios[len(ratios) // 2]:.3f}, fastest x {ratios[0]:.3f}, slowest x {ratios[-1]:.3f}; "
              + (f"slower by more than noise: {', '.join(slower)}" if slower else "none slower by more than noise"))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
