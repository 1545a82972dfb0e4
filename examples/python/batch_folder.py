"""Optimises all models of a folder, several at once: rw releases the interpreter's lock while it works.

    python3 batch_folder.py FOLDER OUT_FOLDER [--jobs N]
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys

import rw


def optimize(source, target):
    """A line about the model, and whether all went well."""
    try:
        result = rw.optimize(source, check=1, progress=False).save(target)
    except rw.Error as error:
        return f"{source.name}: {error}", False
    return f"{source.name}: {result.ops_before} ops -> {result.ops_after}", True


def main():
    parser = argparse.ArgumentParser(description="Optimises all models of a folder.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    models = sorted(given.folder.glob("*.onnx"))
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        done = list(pool.map(optimize, models, [given.out / model.name for model in models]))
    for line, _ in done:
        print(line)
    sys.exit(0 if all(well for _, well in done) else 1)


if __name__ == "__main__":
    main()
