#!/usr/bin/env python3
"""What it costs to run patterns from their source: medians over processes that each start anew, and what they are meant to cost.

In:  build/release/bin/rw_bench_load, rw-opt and rwc (tools/bench --load builds them), --reps=N (else 11).
Out: one JSON object a line. `cpu_ms` is processor time, `wall_ms` time on the clock, `target_ms` what it should take on a quiet machine.
     many: 1,000 patterns (bench/many/generate.py --mixed) parsed, checked, planned, compiled, registered, merged; builtin: all
     files of patterns/ likewise, but for native patterns and, as rw-opt does it, for their tests; passes: those of them that are no
     conversions. All as a program does it, on one thread, and by phases. listed: rw-opt loads the 1,000 and lists them.
     edited: rw-opt with a file of ten patterns on tf_encoder, from start to exit; tested: rwc --test of that file. rwc: C++ of all
     files of patterns/, a process each, as a build makes it.
Elsewhere: a program of rewriting alone is run.py; whole models are onnx.py.
"""
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(TOP, "build/release/bin")
PATTERNS = os.path.join(TOP, "patterns")

# Ten patterns such as somebody tries out, with tests.
TEN = """import "onnx/onnx_ops.rw";
import "layout/transpose.rw";
dialect mine "org.example";
op Fma(a: tensor, b: tensor, c: tensor) -> tensor { traits pure; type (a.dtype, broadcast(broadcast(a.shape, b.shape), c.shape)); }
op Twice(x: tensor) -> tensor { traits pure, elementwise; type x.type; }
fn merged(p: [int], q: [int]) -> [int] = [p[i] for i in q];
pattern FuseFma { onnx.Add(m, c) where m is onnx.Mul(a, b), m.uses == 1 => Fma(a, b, c) }
pattern AddSelf { onnx.Add(x, x) where x.dtype == f32 => Twice(x) }
pattern MergeTransposes { tensor.transpose(tensor.transpose(x, perm = p), perm = q) => tensor.transpose(x, perm = merged(p, q)) }
pattern DropTranspose { tensor.transpose(x, perm = p) where p == [i for i in 0..len(p)] => x }
pattern ReluTwice { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
pattern NegTwice { onnx.Neg(onnx.Neg(x)) => x }
pattern MulOne { product: onnx.Mul(x, splat(1)) where x.type == product.type => x }
pattern AddZero { sum: onnx.Add(x, splat(0)) where x.type == sum.type => x }
pattern SinkRelu { onnx.Relu(t) where t is tensor.transpose(x, perm = p), t.uses == 1 => tensor.transpose(onnx.Relu(x), perm = p) }
pattern SquareAbs { onnx.Mul(onnx.Abs(x), onnx.Abs(x)) => onnx.Mul(x, x) }
test FuseFma (x: f32[2], y: f32[2]) { onnx.Add(onnx.Mul(x, y), x) => Fma(x, y, x) }
test MergeTransposes (x: f32[2, 3, 4]) { tensor.transpose(tensor.transpose(x, perm = [1, 2, 0]), perm = [0, 2, 1]) => tensor.transpose(x, perm = [1, 0, 2]) }
test NegTwice (x: f32[2]) { onnx.Neg(onnx.Neg(x)) => x }
test SquareAbs (x: f32[2]) { onnx.Mul(onnx.Abs(x), onnx.Abs(x)) => onnx.Mul(x, x) }
"""


def once(command):
    """Seconds on the clock, seconds of processor time, what it prints."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{run.stderr}{run.stdout}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def processes(name, commands, target, reps):
    """The median of running all commands, one after another."""
    runs = [[once(command) for command in commands] for _ in range(reps)]
    wall, cpu = (statistics.median(sum(one[i] for one in run) for run in runs) for i in (0, 1))
    line = {"load": name, "wall_ms": round(wall * 1e3, 1), "cpu_ms": round(cpu * 1e3, 1)}
    if target:
        line["target_ms"] = target
    print(json.dumps(line), flush=True)


def phases(name, arguments, target, reps):
    """In turns: as a program loads them, on one thread, and by phases."""
    runs = {"": [], "--threads=1": [], "--phases": []}
    for _ in range(reps):
        for flag, those in runs.items():
            those.append(json.loads(once([f"{BIN}/rw_bench_load", *filter(None, [flag]), *arguments])[2]))
    line = {"load": name, "patterns": runs[""][0]["patterns"]}
    for flag, key in (("", "wall"), ("--threads=1", "one_thread_wall")):
        times = [run["total_ms"] for run in runs[flag]]
        line[key + "_ms"], line[key + "_least_ms"] = round(statistics.median(times), 1), round(min(times), 1)
    for key in runs["--phases"][0]:
        if key.endswith("_ms"):
            line["cpu_ms" if key == "total_ms" else key] = round(statistics.median(run[key] for run in runs["--phases"]), 1)
    line["target_ms"] = target
    print(json.dumps(line), flush=True)


def main():
    reps = next((int(a.split("=")[1]) for a in reversed(sys.argv[1:]) if a.startswith("--reps=")), 11)
    builtin = sorted(glob.glob(os.path.join(PATTERNS, "**/*.rw"), recursive=True))
    with tempfile.TemporaryDirectory(prefix="rw-load-") as folder:
        many, ten = os.path.join(folder, "many.rw"), os.path.join(folder, "ten.rw")
        subprocess.run([sys.executable, os.path.join(TOP, "bench/many/generate.py"), "--mixed", "1000", many], check=True)
        with open(ten, "w", encoding="utf-8") as f:
            f.write(TEN)
        model = os.path.join(TOP, "tests/models/tf_encoder.onnx")
        phases("many", [many], 50, reps)
        passes = [file for file in builtin if os.path.relpath(file, PATTERNS).split(os.sep)[0] in ("layout", "lib", "onnx", "tensor")]
        phases("passes", ["-I", PATTERNS, *passes], 60, reps)
        phases("builtin", ["-I", PATTERNS, *builtin], 60, reps)
        processes("listed", [[f"{BIN}/rw-opt", "--patterns", many, "--list-patterns"]], None, reps)
        processes("edited", [[f"{BIN}/rw-opt", model, "--patterns", ten, "-o", os.path.join(folder, "out.onnx")]], 60, reps)
        processes("tested", [[f"{BIN}/rwc", "--test", ten]], 100, reps)
        processes("rwc", [[f"{BIN}/rwc", file, "-I", PATTERNS, "-o", folder] for file in builtin], None, min(reps, 3))


main()
