#!/usr/bin/env python3
"""Counterexamples of the verifier in another engine: on the inputs that it shows, a wrong pattern changes what onnxruntime computes.

    npm install --prefix DIR onnxruntime-node --ignore-scripts
    RW_ORT=DIR tests/peers/counterexamples.py --bin build/dev/bin [FILE.rw…]

In:  files of patterns of which some are refuted (without any: tests/verify/mistakes_onnx.rw, mistakes_rare.rw, onnx_rules.rw and
     unsound.rw); the folder that RW_ORT (or --engine) names holds node_modules/onnxruntime-node. Without node or the package: 77,
     which ctest shows as skipped.
Out: a line for each counterexample with which the engine computes the same before and after; how many it told apart, and how many it
     could not run (ops of another dialect, element types and values that it has no kernels for, constants that are folded first). Exit status 1 if more than
     --at-most are the same.
"""
import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
FILES = ["mistakes_onnx", "mistakes_rare", "onnx_rules", "unsound"]
BYTES = {"bool": "B", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f16": "e", "f32": "f", "f64": "d"}
PARAM = re.compile(r"(\w+): (\w+)\[([^\]]*)\]")


def parameters(test):
    """Name, element type and sizes of each; none where a size is a symbol."""
    head = test[: test.index("{")]
    out = []
    for name, dtype, sizes in PARAM.findall(head):
        dims = [s.strip() for s in sizes.split(",") if s.strip()]
        if dtype not in BYTES or not all(d.isdigit() for d in dims):
            return None
        out.append((name, dtype, [int(d) for d in dims]))
    return out


def inputs(test):
    """As run_counterexamples.js takes them; none where they are not all there."""
    found = parameters(test)
    if found is None:
        return None
    values = dict(re.findall(r"^(\w+) = \[(.*)\]$", test, re.M))
    out = []
    for name, dtype, dims in found:
        count = 1
        for d in dims:
            count *= d
        words = [w.strip() for w in values.get(name, "").split(",") if w.strip()]
        if len(words) != count:
            return None
        try:
            numbers = [{"true": 1, "false": 0}.get(w, float(w) if dtype[0] == "f" else w) for w in words]
            data = struct.pack(f"<{count}{BYTES[dtype]}", *(n if dtype[0] == "f" else int(n) for n in numbers))
        except (ValueError, OverflowError, struct.error):
            return None
        out.append({"dtype": dtype, "dims": dims, "hex": data.hex()})
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--at-most", type=int, default=0)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    engine = os.environ.get("RW_ORT") or args.engine
    if not shutil.which("node") or not engine or not os.path.isdir(os.path.join(engine, "node_modules", "onnxruntime-node")):
        print("skipped: no node, or RW_ORT names no folder with node_modules/onnxruntime-node")
        sys.exit(77)
    files = args.files or [os.path.join(TOP, "tests/verify", f + ".rw") for f in FILES]
    rwc, opt, patterns = os.path.join(args.bin, "rwc"), os.path.join(args.bin, "rw-opt"), os.path.join(TOP, "patterns")
    unwritten = refuted = 0
    with tempfile.TemporaryDirectory(prefix="rw-counterexamples-") as work:
        for file in files:
            evidence = os.path.join(work, "evidence")
            run = subprocess.run([rwc, "-I", patterns, "--verify", "--json", "--evidence=" + evidence, file], capture_output=True, text=True, check=False)
            for answer in map(json.loads, run.stdout.splitlines()):
                if answer["verdict"] != "refuted" or not (answer["counterexample"] or "").startswith("test "):
                    continue
                refuted += 1
                name = answer["pattern"]
                given, model = inputs(answer["counterexample"]), os.path.join(evidence, name + ".rwir")
                key = f"{os.path.basename(file)[:-3]}.{name}"
                ways = {"before": ["--pipeline=none"],
                        "after": ["--patterns", file, "-I", patterns, "--only-pattern=" + name, "--max-rewrites=1", "--fastmath"]}
                runs = {side: subprocess.run([opt, model, *how, "-o", os.path.join(work, f"{key}.{side}.onnx")], capture_output=True, text=True, check=False)
                        for side, how in ways.items()} if given is not None else {}
                # Constants are folded ahead of patterns, so that one may not come to see them.
                # A draw differs from run to run, and limits out of order end the engine.
                if "onnx.Random" in open(model, encoding="utf-8").read() or not runs or any(run.returncode for run in runs.values()) or not re.search(rf"\b1 x {name}\b", runs["after"].stdout + runs["after"].stderr):
                    unwritten += 1
                    continue
                with open(os.path.join(work, key + ".json"), "w", encoding="utf-8") as f:
                    json.dump({"inputs": given}, f)
        run = subprocess.run(["node", os.path.join(HERE, "run_counterexamples.js"), engine, work], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stdout + run.stderr)
    outcomes = [line.split("\t") for line in run.stdout.splitlines()]
    same = [name for name, outcome in outcomes if outcome == "same"]
    refused = sum(outcome.startswith("refused") for _, outcome in outcomes)
    for name in same:
        print(f"{name}: onnxruntime computes the same before and after")
    print(f"{refuted} counterexamples: onnxruntime tells {len(outcomes) - refused - len(same)} apart, computes the same for {len(same)}, "
          f"refuses {refused}; {unwritten} are no models of ONNX in which the pattern fires")
    sys.exit(len(same) > args.at_most or not outcomes)


main()
