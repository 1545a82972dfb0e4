#!/usr/bin/env python3
"""Whole models of StableHLO text become models of ONNX that compute the same, in the ops that a person would have written.

    tests/system/stablehlo_models.py --bin build/dev/bin --source .

In:  the folder of rw-opt; the source tree, whose tests/families/stablehlo_text.py writes the texts.
Out: a line for each model that fails: it is not converted, differs on random inputs, or has other ops than EXPECTED says.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

# By model: arguments beside its name, how many ops there may be, and how many of some kinds there are.
EXPECTED = {
    "mlp": ([], 6, {"Gemm": 3, "Relu": 2, "Softmax": 1}),
    "cnn": ([], 14, {"Conv": 2, "MaxPool": 2, "Gemm": 2, "Transpose": 3}),
    "resnet": ([], 119, {"Conv": 9, "Relu": 6, "Gemm": 1, "Transpose": 10}),
    "bert": ([], 70, {"MatMul": 16, "Softmax": 2, "LayerNormalization": 4}),
    "bert of 24 layers": (["--layers", "24"], 800, {"Softmax": 24, "LayerNormalization": 48}),
    "gpt": ([], 74, {"MatMul": 17, "Softmax": 2, "LayerNormalization": 4}),
    "lstm": ([], 60, {"Loop": 1, "Sigmoid": 3, "Tanh": 2}),
    "mlp of open batch": (["--open"], 6, {"Gemm": 3, "Relu": 2, "Softmax": 1}),
    "cnn of open batch": (["--open"], 14, {"Conv": 2, "MaxPool": 2, "Gemm": 2, "Transpose": 3}),
    "resnet of open batch": (["--open"], 119, {"Conv": 9, "Relu": 6, "Gemm": 1, "Transpose": 10}),
    "bert of open batch": (["--open"], 70, {"MatMul": 16, "Softmax": 2, "LayerNormalization": 4}),
    "gpt of open batch": (["--open"], 74, {"MatMul": 17, "Softmax": 2, "LayerNormalization": 4}),
    "lstm of open length": (["--open"], 60, {"Loop": 1, "Sigmoid": 3, "Tanh": 2}),
    "mlp of f16": (["--element", "f16"], 6, {"Gemm": 3, "Relu": 2, "Softmax": 1}),
    "cnn of f16": (["--element", "f16"], 14, {"Conv": 2, "MaxPool": 2, "Gemm": 2, "Transpose": 3}),
    "bert of f16": (["--element", "f16"], 70, {"MatMul": 16, "Softmax": 2, "LayerNormalization": 4}),
    "gpt of f16": (["--element", "f16"], 74, {"MatMul": 17, "Softmax": 2, "LayerNormalization": 4}),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    opt = os.path.join(args.bin, "rw-opt")
    writer = os.path.join(args.source, "tests", "families", "stablehlo_text.py")
    listed = subprocess.run([sys.executable, "-B", writer, "--list"], capture_output=True, text=True, check=True).stdout.split()
    failures = [f"{name}: nothing is expected of it" for name in listed if name not in EXPECTED]
    with tempfile.TemporaryDirectory() as folder:
        for name, (more, most, kinds) in EXPECTED.items():
            text, model = os.path.join(folder, "in.mlir"), os.path.join(folder, "out.onnx")
            with open(text, "w") as out:
                subprocess.run([sys.executable, "-B", writer, name.split()[0]] + more, stdout=out, check=True)
            # Programs that take long, and floats that are rounded coarsely, are not compared.
            check = [] if "--layers" in more or "f16" in more else ["--check", "1", "--strict"]
            done = subprocess.run([opt, text, "-o", model] + check, capture_output=True, text=True)
            if done.returncode:
                failures.append(f"{name}: not converted: {done.stderr.strip()[:400]}")
                continue
            shown = subprocess.run([opt, model, "--pipeline", "none", "-o", "-"], capture_output=True, text=True, check=True).stdout
            ops = collections.Counter(k for k in re.findall(r"onnx\.(\w+)\(", shown) if k not in ("initializer", "Constant"))
            if sum(ops.values()) > most:
                failures.append(f"{name}: {sum(ops.values())} ops, {most} are enough")
            failures += [f"{name}: {ops[kind]} of {kind}, not {count}" for kind, count in kinds.items() if ops[kind] != count]
    print("\n".join(failures) or f"{len(EXPECTED)} models become what is expected")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
