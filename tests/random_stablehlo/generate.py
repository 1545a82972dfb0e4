#!/usr/bin/env python3
"""Writes random programs of StableHLO with values, as stablehlo_peer reads them.

    tests/random_stablehlo/generate.py --count 100 --seed 1 FOLDER

In:  how many, and the seed: the same ones come of the same seed.
Out: FOLDER/NNNNNN.mlir, and NNNNNN.json: {"inputs": [{"type", "hex"}], "ulps", "tolerance"}.
"""
import argparse
import json
import os
import random

import ops
import uncommon_ops
from program import MANTISSA, Program

# How far floats may be apart that were rounded in another order: in units of f32, and in numbers.
ULPS = {"f16": 1 << 16, "bf16": 1 << 19, "f32": 1 << 8, "f64": 1 << 16}
TOLERANCE = {"f16": 0.03, "bf16": 0.25, "f32": 1e-4, "f64": 1e-6}


def program(seed):
    """A program's text, its inputs, and how near floats must come."""
    r = random.Random(seed)
    p = Program(r, r.choice(["short", "short", "generic", "old"]), r.random() < 0.5, r.random() < 0.25)
    for _ in range(r.choice([1, 2, 3, 4, 6, 8])):
        r.choice(ops.ALL + uncommon_ops.ALL)(p)
    made = [v for v in p.values if v not in p.params] or p.values
    results = [made[-1]] + r.sample(made, min(len(made), r.randint(0, 3)))
    types = {v.t for v in p.values if v.t in MANTISSA and v.grain is None}
    return p.text(results), {"inputs": p.inputs(), "ulps": max([ULPS[t] for t in types] + [0]),
                             "tolerance": max([TOLERANCE[t] for t in types] + [0.0])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for i in range(args.seed, args.seed + args.count):
        text, values = program(i)
        with open(os.path.join(args.folder, f"{i:06}.mlir"), "w") as out:
            out.write(text)
        with open(os.path.join(args.folder, f"{i:06}.json"), "w") as out:
            json.dump(values, out)


if __name__ == "__main__":
    main()
