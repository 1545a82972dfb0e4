#!/usr/bin/env python3
"""Converts whole models of StableHLO that state inputs and results in their comments, and compares what onnxruntime makes of them.

    RW_STABLEHLO_DIR=DIR RW_ORT=DIR tests/peers/stablehlo_models.py --tool build/dev/bin/rw-opt --work /tmp/models

In:  DIR/models: NAME.mlir. All must be converted. `--input=1x5xf32=1,2,…` in a RUN line is an input, `CHECK: 5x1xf32=[` and the
     CHECK-SAME lines behind it say the result: a number, or how it begins, `3.79{{[0-9]+}}`.
Out: a line for each model; exit status 1 if one is not converted or differs, 77 without the folder or onnxruntime.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

RUN = """
const ort = require(process.argv[2] + "/node_modules/onnxruntime-node");
(async () => {
  const session = await ort.InferenceSession.create(process.argv[3]);
  const feeds = {};
  JSON.parse(process.argv[4]).forEach(([dims, data], i) => {
    feeds[session.inputNames[i]] = new ort.Tensor("float32", Float32Array.from(data), dims);
  });
  const results = await session.run(feeds);
  console.log(JSON.stringify(Array.from(results[session.outputNames[0]].data)));
})();
"""


def stated(text):
    """The inputs of the first RUN line, and the numbers of the result as they are written; None if there are none."""
    run = next((line for line in text.splitlines() if "RUN:" in line and "--input" in line), "")
    inputs = []
    for part in run.split("--input=")[1:]:
        if m := re.match(r'"?((?:\d+x)+)f32=\[?([-\d.,]+)', part):
            inputs.append([[int(d) for d in m[1].split("x") if d], [float(n) for n in m[2].split(",") if n]])
    same = re.findall(r"// CHECK-SAME:(.*)", text)
    expected = re.findall(r"-?\d+(?:\.\d+)?(?:\{\{\[0-9\]\+\}\})?", "\n".join(same))
    return (inputs, expected) if inputs and expected else None


def is_like(value, expected):
    open_end = expected.endswith("{{[0-9]+}}")
    return f"{value:.9f}".startswith(expected[:-len("{{[0-9]+}}")]) if open_end else value == float(expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--engine", default="")
    args = parser.parse_args()
    folder = os.path.join(os.environ.get("RW_STABLEHLO_DIR", ""), "models")
    engine = os.environ.get("RW_ORT") or args.engine
    if not os.path.isdir(folder) or not engine or not shutil.which("node") or not os.path.isdir(os.path.join(engine, "node_modules", "onnxruntime-node")):
        print("skipped: RW_STABLEHLO_DIR names no folder with models/, or there is no onnxruntime")
        return 77
    shutil.rmtree(args.work, ignore_errors=True)
    os.makedirs(args.work)
    script = os.path.join(args.work, "run.js")
    with open(script, "w") as out:
        out.write(RUN)
    bad = compared = 0
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".mlir")):
        path, model = os.path.join(folder, name), os.path.join(args.work, name[:-5] + ".onnx")
        done = subprocess.run([args.tool, path, "-o", model], capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: not converted: {done.stderr[:300]}")
            bad += 1
            continue
        with open(path) as text:
            known = stated(text.read())
        if not known:
            print(f"{name}: converted; it states no values")
            continue
        inputs, expected = known
        ran = subprocess.run(["node", script, engine, model, json.dumps(inputs)], capture_output=True, text=True)
        values = json.loads(ran.stdout) if ran.returncode == 0 and ran.stdout else []
        equal = len(values) == len(expected) and all(is_like(v, e) for v, e in zip(values, expected))
        print(f"{name}: {'equal to what it states' if equal else 'differs: ' + (ran.stderr[:300] or str(values)[:300])}")
        bad += not equal
        compared += 1
    print(f"{compared} compared, {bad} bad")
    return int(bad > 0 or compared == 0)


if __name__ == "__main__":
    sys.exit(main())
