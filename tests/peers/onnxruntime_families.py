#!/usr/bin/env python3
"""The models of tests/families and tests/models, and those of a further folder, optimised by rw-opt and by onnxruntime's level "basic": outputs
equal, and no more nodes or Transposes.

    RW_ORT=DIR tests/peers/onnxruntime_families.py --bin build/dev/bin [--models FOLDER] [--update]

In:  the folder that RW_ORT (or --engine) names holds node_modules/onnxruntime-node. Without node or the package: says so and exits 77.
     --models (or RW_MODELS): a folder with more models (.onnx).
Out: a line per model; exit status 1 where outputs differ or there is more than the engine leaves. --update writes what the engine
     leaves of the families to tests/families/reference.json, which tests/system/onnx_families.py goes by where there is no engine.
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

TOLERANCE = 1e-4
TOLERANCES = {"half_precision": 1e-3}  # floats of 16 bits have no more digits


def counts(path):
    """Nodes without Constant, Transposes."""
    with open(path, "rb") as file:
        found = node_counts(file.read())
    return [sum(n for op, n in found.items() if op != "Constant"), found.get("Transpose", 0)]


def compare(tool, engine, before, work, label):
    """{model: [nodes, Transposes] of the engine}, and whether all is well."""
    after, theirs = (os.path.join(work, f"{name}-{label}") for name in ("after", "theirs"))
    os.makedirs(after)
    os.makedirs(theirs)
    names = sorted(os.path.basename(path)[:-len(".onnx")] for path in glob.glob(os.path.join(before, "*.onnx")))
    for name in names:
        subprocess.run([tool, f"{before}/{name}.onnx", "-o", f"{after}/{name}.onnx"], check=True)
    script = os.path.join(HERE, "optimize_onnxruntime.js")
    done = subprocess.run(["node", script, engine, before, after, theirs], capture_output=True, text=True, check=True)
    reference, well = {}, True
    for line in done.stdout.splitlines():
        seen = json.loads(line)
        name = seen["model"]
        if "error" in seen:
            print(f"{name} ({label}): {seen['error']}")
            well = False
            continue
        ours, reference[name] = counts(f"{after}/{name}.onnx"), counts(f"{theirs}/{name}.onnx")
        bad = not isinstance(seen["difference"], (int, float)) or seen["difference"] > TOLERANCES.get(name, TOLERANCE)
        more = ours[0] > reference[name][0] or ours[1] > reference[name][1]
        well &= not bad and not more
        print(f"{name:18} {label:8} before {counts(f'{before}/{name}.onnx')} ours {ours} engine {reference[name]} "
              f"difference {seen['difference']}{'  DIFFERENT' if bad else ''}{'  MORE' if more else ''}")
    return reference, well and len(reference) == len(names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--models", default="")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    models = os.environ.get("RW_MODELS") or args.models
    engine = os.environ.get("RW_ORT") or args.engine
    if not shutil.which("node") or not engine or not os.path.isdir(os.path.join(engine, "node_modules", "onnxruntime-node")):
        print("skipped: no node, or RW_ORT names no folder with node_modules/onnxruntime-node")
        return 77
    all_well, reference = True, {}
    with tempfile.TemporaryDirectory(prefix="rw-families-") as work:
        for opset in families.OPSETS:
            before = os.path.join(work, f"before{opset}")
            families.write_all(before, opset)
            reference[str(opset)], well = compare(os.path.join(args.bin, "rw-opt"), engine, before, work, f"opset{opset}" if opset else "families")
            all_well &= well
        for name, before in (("models", os.path.join(HERE, "..", "models")), ("further", models)):
            if before and glob.glob(os.path.join(before, "*.onnx")):
                all_well &= compare(os.path.join(args.bin, "rw-opt"), engine, before, work, name)[1]
    if args.update:
        with open(os.path.join(HERE, "..", "families", "reference.json"), "w", encoding="utf-8") as file:
            rows = ",\n".join(f"  \"{opset}\": {{\n" + ",\n".join(f"    \"{name}\": {pair}" for name, pair in sorted(of.items())) + "\n  }"
                              for opset, of in reference.items())
            file.write("{\n" + rows + "\n}\n")
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
