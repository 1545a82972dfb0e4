#!/usr/bin/env python3
"""The op declarations made from ONNX's schemas (patterns/onnx/schema_*.rw) are what the generator makes today.

In:  --bin, where gen_onnx_ops is; --source, the source tree; --update writes the files instead.
Out: one line per file that differs; exit status 1 if there is any.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    folder = os.path.join(options.source, "patterns", "onnx")
    is_made = lambda path: os.path.dirname(path) == folder and os.path.basename(path).startswith("schema_")
    every = glob.glob(os.path.join(options.source, "patterns", "**", "*.rw"), recursive=True)
    by_hand = sorted(path for path in every if not is_made(path))
    types = os.path.join(options.source, "tools", "gen_onnx_ops", "types.txt")
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([os.path.join(options.bin, "gen_onnx_ops"), made, types, *by_hand], check=True)
        new = {name: open(os.path.join(made, name)).read() for name in os.listdir(made)}
    old = {os.path.basename(path): open(path).read() for path in every if is_made(path)}
    different = sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name))
    for name in different:
        path = os.path.join(folder, name)
        if not options.update:
            print(f"{path}: not what the generator makes; tests/system/onnx_schemas.py --update mends it")
        elif name in new:
            with open(path, "w") as out:
                out.write(new[name])
        else:
            os.remove(path)
    print(f"{len(new)} files, {len(different)} different")
    return 1 if not new or (different and not options.update) else 0


if __name__ == "__main__":
    sys.exit(main())
