#!/usr/bin/env python3
"""How many Transposes optimisers leave in models, and how many there must be.

    bench/layout/run.py [--bin build/release/bin] [--json] [FOLDER or MODEL.onnx …]

In:  models: every .onnx of the folders, searched, or the models named; none: the families of tests/families, each for its own operator set,
     and tests/models. ONNX Runtime's column is filled where RW_ORT names a folder with node_modules/onnxruntime-node and there is node
     (for the families, else from tests/families/reference.json); onnxsim's where it names one with node_modules/onnxsim, or its Python
     package is installed.
Out: a row a model: Transposes before, behind ONNX Runtime's level "basic", behind onnxsim, behind rw-opt, and the bound: in no layouts of
     the ops that rw-opt can carry Transposes past are fewer needed. --json: one object a line. What the numbers mean: bench/layout/README.md.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(TOP, "tests", "families"))
import families  # noqa: E402
from onnx_writer import node_counts  # noqa: E402


def transposes(content):
    return node_counts(content).get("Transpose", 0)


def transposes_of(path):
    with open(path, "rb") as file:
        return transposes(file.read())


def models_in(places):
    """(name, path) of each model."""
    for place in places:
        if not os.path.isdir(place):
            yield os.path.splitext(os.path.basename(place))[0], place
            continue
        for folder, _, files in sorted(os.walk(place)):
            for name in sorted(files):
                if name.endswith(".onnx"):
                    path = os.path.join(folder, name)
                    yield os.path.splitext(os.path.relpath(path, place))[0], path


def ours(tool, path, work):
    """Transposes that are left, and the bound; or why there is no result."""
    out = os.path.join(work, "ours.onnx")
    done = subprocess.run([tool, path, "-o", out, "--stats=json"], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, None, done.stderr.strip().splitlines()[0]
    bounds = {}
    for run in json.loads(done.stdout)["passes"]: # the last run on a function speaks of what is left in it; nothing: none is, so none must be
        if run["pass"] == "move_regions" and run["function"] is not None:
            said = re.match(r"transposes \d+, lower bound (\d+)", run.get("message", ""))
            bounds.setdefault(run["function"], []).append(int(said[1]) if said else 0)
    # Each round runs the pass for ONNX's Transpose and for that of the tensor dialect, of which models have none.
    return transposes_of(out), sum(max(of[-2:]) for of in bounds.values()), ""


def behind(script, package, models, folders):
    """{name: Transposes that the optimiser of an npm package leaves}, empty where it is not there; it reads folders[0]."""
    engine = os.environ.get("RW_ORT", "")
    if not shutil.which("node") or not os.path.isdir(os.path.join(engine, "node_modules", package)):
        return {}
    for folder in folders:
        os.makedirs(folder, exist_ok=True)
    names = {}
    for i, (name, path) in enumerate(models):
        names[f"{i:05}"] = name
        shutil.copyfile(path, os.path.join(folders[0], f"{i:05}.onnx"))
    left = sorted(names)
    while left: # a model on which the engine ends leaves those behind it: it is set aside, and they are tried again
        done = subprocess.run(["node", os.path.join(TOP, "tests", "peers", script), engine, *folders], capture_output=True, text=True, check=False)
        told = {json.loads(line)["model"] for line in done.stdout.splitlines() if line.startswith("{")}
        rest = [number for number in left if number not in told]
        for number in told | set(rest[:1]):
            if os.path.exists(os.path.join(folders[0], number + ".onnx")):
                os.remove(os.path.join(folders[0], number + ".onnx"))
        left = rest[1:]
    return {names[f[:-5]]: transposes_of(os.path.join(folders[-1], f)) for f in os.listdir(folders[-1]) if f.endswith(".onnx")}


def onnxruntime(models, work):
    before = os.path.join(work, "before")
    return behind("optimize_onnxruntime.js", "onnxruntime-node", models, [before, before, os.path.join(work, "onnxruntime")])


def onnxsim(models, work):
    """By the npm package, or by Python's; empty where there is neither."""
    found = behind("simplify_onnxsim.mjs", "onnxsim", models, [os.path.join(work, "before"), os.path.join(work, "onnxsim")])
    try:
        import onnx
        import onnxsim as python_package
    except ImportError:
        return found
    for name, path in models:
        if name not in found:
            try:
                found[name] = transposes(python_package.simplify(onnx.load(path))[0].SerializeToString())
            except Exception:  # noqa: BLE001: whatever another tool trips over is its own affair
                pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(TOP, "build", "release", "bin"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    tool = os.path.join(args.bin, "rw-opt")
    with tempfile.TemporaryDirectory(prefix="rw-layout-") as work:
        known = {}
        if args.models:
            models = list(models_in(args.models))
        else:
            folder = os.path.join(work, "families")
            models = [(name, os.path.join(folder, name + ".onnx")) for name in families.write_all(folder)]
            models += list(models_in([os.path.join(TOP, "tests", "models")]))
            with open(os.path.join(TOP, "tests", "families", "reference.json"), encoding="utf-8") as file:
                known = {name: pair[1] for name, pair in json.load(file)["0"].items()}
        engine, simplified = onnxruntime(models, work) or known, onnxsim(models, work)
        rows, failed = [], 0
        for name, path in models:
            left, bound, why = ours(tool, path, work)
            if why:
                failed += 1
                print(f"{name}: {why}", file=sys.stderr)
                continue
            rows.append({"model": name, "before": transposes_of(path), "onnxruntime": engine.get(name),
                         "onnxsim": simplified.get(name), "rw": left, "bound": bound})
    if args.json:
        for row in rows:
            print(json.dumps(row))
        return 1 if failed else 0
    shown = lambda n: "" if n is None else str(n)  # noqa: E731
    columns = ["model", "before", "onnxruntime", "onnxsim", "rw", "bound"]
    total = {"model": f"{len(rows)} models"}
    for column in columns[1:]: # of an engine that some model is missing from, no sum
        numbers = [row[column] for row in rows]
        total[column] = None if None in numbers else sum(numbers)
    for row in [dict(zip(columns, columns))] + rows + [total]:
        print(f"{row['model']:28}" + "".join(f"{shown(row[c]):>13}" for c in columns[1:]))
    exact = sum(row["rw"] <= row["bound"] for row in rows)
    print(f"at the bound: {exact} of {len(rows)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
