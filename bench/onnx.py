#!/usr/bin/env python3
"""What `rw-opt model.onnx -o out.onnx` costs from start to end: time on the clock, CPU time, peak memory over the file's size.

In:  build/release/bin/rw-opt (tools/bench --onnx builds it), --reps=N, and models to measure as well (else swin_mini).
Out: one JSON object a line. The models with many weights are made here: weights100 holds 100 MiB of weights in the file,
     scaled100 as well, each product multiplied by a factor that goes into the weights; external3g says that 3 GiB of weights are in a
     file beside it. `floor_s` is the time that copying the file takes.
Elsewhere: rewriting alone, on programs in memory, is run.py.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(TOP, "build/release/bin/rw-opt")
sys.path.insert(0, os.path.join(TOP, "tests/families"))
from onnx_writer import FLOAT, data, number, value_info


def node(op, inputs, output):
    return data(1, b"".join(data(1, i) for i in inputs) + data(2, output) + data(3, output + "_op") + data(4, op))


def layers(count, width, tensor, factor=None):
    """A model of `count` layers Relu(x·W + b), with a pair of transposes around each Relu that cancels; with a factor, Relu(x·W·factor + b)."""
    nodes, weights, x = b"", b"", "x"
    if factor:
        weights += data(5, number(2, FLOAT) + data(8, "factor") + data(9, struct.pack("<f", factor)))
    for i in range(count):
        weights += data(5, tensor(f"w{i}", [width, width], i)) + data(5, tensor(f"b{i}", [width], i))
        product = [("MatMul", [x, f"w{i}"], f"p{i}"), ("Mul", [f"p{i}", "factor"], f"m{i}")] if factor else [("MatMul", [x, f"w{i}"], f"m{i}")]
        for op, inputs, output in [*product, ("Add", [f"m{i}", f"b{i}"], f"a{i}"),
                                   ("Transpose", [f"a{i}"], f"t{i}"), ("Relu", [f"t{i}"], f"r{i}"),
                                   ("Transpose", [f"r{i}"], f"y{i}")]:
            nodes += node(op, inputs, output)
        x = f"y{i}"
    graph = nodes + data(2, "layers") + weights + data(11, value_info("x", FLOAT, ["B", width])) + data(12, value_info(x, FLOAT, ["B", width]))
    return number(1, 8) + data(7, graph) + data(8, data(1, "") + number(2, 15))


def stored(name, dims, seed):
    """A tensor with its elements: different in each, so that no two are found to be the same."""
    size = 4
    for d in dims:
        size *= d
    step = struct.pack("<1024f", *((seed * 1024 + i) % 977 / 977 - 0.5 for i in range(1024)))
    return b"".join(number(1, d) for d in dims) + number(2, FLOAT) + data(8, name) + data(9, (step * (size // 4096 + 1))[:size])


class External:
    """Tensors that say where in a file their elements are."""

    def __init__(self):
        self.size = 0

    def __call__(self, name, dims, seed):
        size = 4
        for d in dims:
            size *= d
        entries = {"location": "weights.bin", "offset": str(self.size), "length": str(size)}
        self.size += size
        where = b"".join(data(13, data(1, k) + data(2, v)) for k, v in entries.items())
        return b"".join(number(1, d) for d in dims) + number(2, FLOAT) + data(8, name) + where + number(14, 1)


def run(path, out):
    """Seconds on the clock, CPU seconds, peak KiB of one run."""
    start = time.perf_counter()
    pid = os.posix_spawn(TOOL, [TOOL, path, "-o", out], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"bench: rw-opt {path}: exit status {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def copied(path, out):
    """Seconds that copying the file takes: what reads and writes it all can hardly take less."""
    start = time.perf_counter()
    with open(path, "rb") as source, open(out, "wb") as target:
        while block := source.read(1 << 20):
            target.write(block)
    return time.perf_counter() - start


def apart(work, *arguments):
    """Does it in a process of its own: what this one holds would count as memory of the processes that it starts."""
    pid = os.fork()
    if pid == 0:
        work(*arguments)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        sys.exit("bench: the model could not be written")


def write(path, *model):
    with open(path, "wb") as file:
        file.write(layers(*model))


def write_external(path, *model):
    tensor = External()
    write(path, *model, tensor)
    with open(os.path.join(os.path.dirname(path), "weights.bin"), "wb") as file:
        file.truncate(tensor.size)  # sparse: nobody reads it


def measure(name, path, folder, reps, all_bytes=None):
    out = os.path.join(folder, "out.onnx")
    runs = [run(path, out) for _ in range(reps)]
    size = os.path.getsize(path)
    print(json.dumps({
        "workload": "onnx", "model": name, "file_mib": round(size / 2**20, 2), "data_mib": round((all_bytes or size) / 2**20, 2),
        "wall_s": round(min(r[0] for r in runs), 4), "cpu_s": round(min(r[1] for r in runs), 4),
        "peak_mib": round(max(r[2] for r in runs) / 1024, 1),
        "peak_over_data": round(max(r[2] for r in runs) * 1024 / (all_bytes or size), 2),
        "floor_s": round(min(copied(path, out) for _ in range(reps)), 4)}), flush=True)


def main():
    reps = next((int(a[7:]) for a in sys.argv[1:] if a.startswith("--reps=")), 5)
    models = [a for a in sys.argv[1:] if not a.startswith("--")] or [os.path.join(TOP, "tests/models/swin_mini.onnx")]
    with tempfile.TemporaryDirectory(prefix="rw-bench-") as folder:
        for path in models:
            measure(os.path.basename(path).removesuffix(".onnx"), path, folder, reps)
        path = os.path.join(folder, "weights100.onnx")
        apart(write, path, 25, 1024, stored)
        measure("weights100", path, folder, reps)
        path = os.path.join(folder, "scaled100.onnx")
        apart(write, path, 25, 1024, stored, 0.5)
        measure("scaled100", path, folder, reps)
        path = os.path.join(folder, "external3g.onnx")
        apart(write_external, path, 12, 8192)
        everything = os.path.getsize(path) + os.path.getsize(os.path.join(folder, "weights.bin"))
        measure("external3g", path, folder, reps, everything)


if __name__ == "__main__":
    main()
