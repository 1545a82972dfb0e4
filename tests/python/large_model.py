#!/usr/bin/env python3
"""Optimises a model of 32 layers and 7 billion parameters, whose 28 GB of weights lie in a sparse file beside it, from Python: they are not read, so
that the process stays small.

    tests/python/large_model.py --work DIR

The time is printed, not tested. Skipped (77) where the file system keeps no sparse files.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "families"))
from onnx_writer import FLOAT, INT64, Graph, data, model, number  # noqa: E402

LAYERS, WIDTH, INNER, HEADS, WORDS = 32, 4096, 11008, 32, 32000
HEAD = WIDTH // HEADS
MOST_MIB = 150
# In a process of its own, so that the memory is that of nothing else.
PROGRAM = """
import json, resource, sys, time
start = time.perf_counter()
import rw
result = rw.optimize(sys.argv[1], progress=False)
result.save(sys.argv[2])
taken = time.perf_counter() - start
mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": taken, "mib": mib, "before": result.ops_before, "after": result.ops_after}))
"""


class Weights:
    """Tensors in a file of their own, which has no bytes yet."""

    def __init__(self, graph):
        self.graph, self.size = graph, 0

    def tensor(self, *dims):
        name, length = self.graph.fresh("weight"), 4
        for dim in dims:
            length *= dim
        places = [("location", "weights.bin"), ("offset", str(self.size)), ("length", str(length))]
        self.graph.initializers.append(b"".join(number(1, d) for d in dims) + number(2, FLOAT) + data(8, name)
                                       + b"".join(data(13, data(1, key) + data(2, value)) for key, value in places) + number(14, 1))
        self.size += length
        return name


def heads(g, x, w):
    """What exporters write for [B, S, W] as [B, HEADS, S, HEAD]: sizes asked for and put together again."""
    shape = g.op("Shape", x)
    batch, length = [g.op("Unsqueeze", g.op("Gather", shape, g.constant(i), axis=0), g.constant([0])) for i in (0, 1)]
    split = g.op("Concat", batch, length, g.constant([HEADS]), g.constant([HEAD]), axis=0)
    return g.op("Transpose", g.op("Reshape", g.op("MatMul", x, w), split), perm=[0, 2, 1, 3])


def norm(g, x, w):
    square = g.op("ReduceMean", g.op("Pow", x, g.constant(2.0, kind=FLOAT)), axes=[-1], keepdims=1)
    root = g.op("Sqrt", g.op("Add", square, g.constant(1e-5, kind=FLOAT)))
    return g.op("Mul", g.op("Mul", x, g.op("Div", g.constant(1.0, kind=FLOAT), root)), w)


def layer(g, weights, x):
    a = norm(g, x, weights.tensor(WIDTH))
    q, k, v = [heads(g, a, weights.tensor(WIDTH, WIDTH)) for _ in range(3)]
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    scores = g.op("Div", scores, g.op("Sqrt", g.op("Cast", g.constant(HEAD), to=FLOAT)))
    mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    shape = g.op("Shape", x)
    mixed = g.op("Identity", g.op("Reshape", mixed, shape))
    x = g.op("Add", x, g.op("MatMul", mixed, weights.tensor(WIDTH, WIDTH)))
    a = norm(g, x, weights.tensor(WIDTH))
    gate = g.op("MatMul", a, weights.tensor(WIDTH, INNER))
    gate = g.op("Mul", gate, g.op("Sigmoid", gate))
    up = g.op("Dropout", g.op("Mul", gate, g.op("MatMul", a, weights.tensor(WIDTH, INNER))))
    return g.op("Add", x, g.op("MatMul", up, weights.tensor(INNER, WIDTH)))


def write(folder):
    """The paths of the model and of its weights, and how many parameters it has."""
    g = Graph("large")
    weights = Weights(g)
    ids = g.input("ids", ["B", "S"], INT64)
    x = g.op("Gather", weights.tensor(WORDS, WIDTH), ids)
    for _ in range(LAYERS):
        x = layer(g, weights, x)
    g.nodes.append(data(1, norm(g, x, weights.tensor(WIDTH))) + data(1, weights.tensor(WIDTH, WORDS)) + data(2, "logits") + data(4, "MatMul"))
    g.output("logits", ["B", "S", WORDS])
    path, beside = os.path.join(folder, "large.onnx"), os.path.join(folder, "weights.bin")
    with open(path, "wb") as file:
        file.write(model(g, 17))
    with open(beside, "wb") as file:
        file.truncate(weights.size)
    return path, beside, weights.size // 4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    given = parser.parse_args()
    shutil.rmtree(given.work, ignore_errors=True)
    os.makedirs(given.work)
    try:
        try:
            path, beside, parameters = write(given.work)
        except OSError as why:
            print(f"skipped: no file of 28 GB can be made here: {why}")
            return 77
        if os.stat(beside).st_blocks * 512 > 1 << 20:
            print("skipped: the file system keeps no sparse files")
            return 77
        out = os.path.join(given.work, "out.onnx")
        done = subprocess.run([sys.executable, "-B", "-c", PROGRAM, path, out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(done.stdout)
        told = json.loads(done.stdout.splitlines()[-1])
        print(f"{parameters / 1e9:.2f} billion parameters, {os.stat(beside).st_size / 1e9:.1f} GB; {told['before']} ops -> {told['after']}, "
              f"{told['seconds']:.2f} s, {told['mib']:.0f} MiB")
        assert 6.5e9 < parameters < 7.5e9
        assert told["after"] < told["before"] / 1.5, told
        assert told["mib"] < MOST_MIB, told
        assert os.stat(out).st_size < 1 << 20, "weights have come into the model"
    finally:
        shutil.rmtree(given.work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
