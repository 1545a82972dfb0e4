#!/usr/bin/env python3
"""Random programs of StableHLO compute, once they are models of ONNX, what they computed before.

    tests/random_stablehlo/run.py --peer build/test/bin/stablehlo_peer --work /tmp/random
    RW_RANDOM_STABLEHLO=5000 RW_RANDOM_STABLEHLO_SEED=100000 ctest --preset test -R random_stablehlo

In:  stablehlo_peer, which evaluates each program before and after; how many programs and from which seed on
     (RW_RANDOM_STABLEHLO, RW_RANDOM_STABLEHLO_SEED; else 120 from 1). Each program is its seed's alone.
Out: a line for each program that is wrong: it is not read, a value differs, the conversion crashes; or it is refused,
     which one in a hundred may be. The texts stay in the work folder. Exit status 1 if there are any.
"""
import argparse
import collections
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
AT_ONCE = 500


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", required=True)
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    count = int(os.environ.get("RW_RANDOM_STABLEHLO") or 120)
    seed = int(os.environ.get("RW_RANDOM_STABLEHLO_SEED") or 1)
    shutil.rmtree(args.work, ignore_errors=True)
    models = os.path.join(args.work, "models")
    os.makedirs(models)
    subprocess.run([sys.executable, "-B", os.path.join(HERE, "generate.py"), "--count", str(count), "--seed", str(seed),
                    args.work], check=True)
    texts = sorted(os.path.join(args.work, n) for n in os.listdir(args.work) if n.endswith(".mlir"))
    outcomes, lines = collections.Counter(), []
    for i in range(0, len(texts), AT_ONCE):
        done = subprocess.run([args.peer, models] + texts[i:i + AT_ONCE], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            name, outcome, why = (line.split("\t") + ["", ""])[:3]
            outcomes[outcome] += 1
            if outcome != "equal":
                lines.append(f"{os.path.join(args.work, name)}.mlir: {outcome}: {why[:400]}")
    print("\n".join(lines))
    print(", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common()))
    return int(outcomes["equal"] + outcomes["refused"] != count or outcomes["refused"] > count // 100)


if __name__ == "__main__":
    sys.exit(main())
