#!/usr/bin/env python3
"""Runs rw_bench, and beside it MLIR's side, and says what the two make of each other.

In:  build/release/bin/rw_bench, with --with-mlir build/mlir/rw_bench_mlir (tools/bench builds both); the options of
     tools/bench as --name=value.
Out: one JSON object a line: what rw_bench says of a workload at one size; with MLIR also mlir_ns_per_op, ratio (of the
     times on the clock), the same of CPU time, and MLIR's memory; with --slope at last the slope of CPU time of each.
"""
import json
import math
import subprocess
import sys

WORKLOADS = ["W1", "W2", "W2c", "W3", "W4", "W4inv", "W5", "W5q", "W6", "W7", "W7chain", "DCE", "print", "parse"]
TEXT = ("print", "parse")
# On W5q MLIR takes time quadratic in the number of ops: hours at 10⁶. It is given fewer, which is in its favour.
MLIR_OPS = {"W5q": 10_000}


def measure(program, options):
    """The JSON object that one run of a benchmark program prints."""
    run = subprocess.run([program, *options], stdout=subprocess.PIPE, check=False)
    if run.returncode != 0 and not run.stdout:
        sys.exit(run.returncode)
    return json.loads(run.stdout)


def compare(ours, mlir):
    """Adds MLIR's figures to ours."""
    if mlir["ops"] < 0.9 * ours["ops"]:
        ours["mlir_ops"] = mlir["ops"]
    ours["mlir_ns_per_op"] = mlir["mlir_ns_per_op"]
    ours["ratio"] = round(mlir["mlir_ns_per_op"] / max(ours["rewrite_ns_per_op"], 0.1), 1)
    ours["mlir_cpu_ns_per_op"] = mlir["mlir_cpu_ns_per_op"]
    ours["cpu_ratio"] = round(mlir["mlir_cpu_ns_per_op"] / max(ours["rewrite_cpu_ns_per_op"], 0.1), 1)
    ours["mlir_bytes_per_op"] = mlir["mlir_bytes_per_op"]
    ours["mlir_left"] = mlir["mlir_left"]
    ours["right"] = ours["right"] and mlir["right"]


def main():
    named = {"--workload": [], "--ops": [], "--reps": [], "--patterns": []}
    for option in sys.argv[1:]:
        name, _, value = option.partition("=")
        if name in named:
            named[name].append(value)
    slopes = "--slope" in sys.argv[1:]
    sizes = named["--ops"] or (["1e5", "1e6", "1e7"] if slopes else None)
    common = ["--reps=" + named["--reps"][-1]]
    patterns = ["--patterns=" + p for p in named["--patterns"][-1:]]
    right, runs = True, {}
    for workload in named["--workload"] or WORKLOADS:
        for ops in sizes or (["1e5"] if workload in TEXT else ["1e6"]):
            options = [f"--workload={workload}", f"--ops={ops}", *common]
            ours = measure("build/release/bin/rw_bench", options + patterns)
            if "--with-mlir" in sys.argv[1:]:
                fewer = min(float(ops), MLIR_OPS.get(workload, math.inf))
                compare(ours, measure("build/mlir/rw_bench_mlir", [options[0], f"--ops={fewer:.0f}", *common]))
            print(json.dumps(ours), flush=True)
            right = right and ours["right"]
            runs.setdefault(workload, []).append((ours["ops"], ours["ops"] * max(ours["rewrite_cpu_ns_per_op"], 0.1)))
    for workload, points in runs.items() if slopes else ():
        (n0, t0), (n1, t1) = points[0], points[-1]
        slope = math.log(t1 / t0) / math.log(n1 / n0)
        print(json.dumps({"workload": workload, "from": n0, "to": n1, "slope": round(slope, 3)}))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
