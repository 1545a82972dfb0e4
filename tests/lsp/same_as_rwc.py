#!/usr/bin/env python3
"""rw-lsp says of a text what `rwc --check` says: for files of the tree, whole, and with a word taken out.

usage: same_as_rwc.py --server PATH --rwc PATH --source DIR
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from client import Client

SEVERITY = {"error": 1, "warning": 2}


def of_rwc(rwc, path):
    out = subprocess.run([rwc, "--check", "--json-diagnostics", path], stdout=subprocess.PIPE, check=False, timeout=120).stdout
    return sorted((d.get("line", 1) - 1, d.get("column", 1) - 1, d["severity"], d["tag"]) for d in json.loads(out) if d.get("file") == path)


def of_server(client, path):
    name = {number: word for word, number in SEVERITY.items()}
    return sorted((d["range"]["start"]["line"], d["range"]["start"]["character"], name[d["severity"]], d["code"]) for d in client.diagnostics(path)
                  if d["code"] != "import-wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    rng = random.Random(3)
    count = said = 0
    wrong = []
    with tempfile.TemporaryDirectory(prefix="rw-lsp-") as folder, Client([options.server], {"initializationOptions": {"runTests": False}}) as client:
        folder = os.path.realpath(folder)
        for place in ("patterns", "examples", "tests/system"):
            for below, _, files in sorted(os.walk(os.path.join(options.source, place))):
                for name in sorted(files):
                    source = os.path.join(below, name)
                    if not name.endswith(".rw") or name.startswith("schema_") or os.path.getsize(source) > 40_000:
                        continue
                    with open(source, encoding="utf-8") as text:
                        whole = text.read()
                    # Elsewhere, so that it is no built-in file: imports beside it are not found in both alike.
                    words = list(re.finditer(r"\w+", whole))
                    gone = rng.choice(words) if words else None
                    for variant, text in (("whole", whole), ("less", whole[:gone.start()] + whole[gone.end():] if gone else whole)):
                        path = os.path.join(folder, f"{count}_{variant}.rw")
                        with open(path, "w", encoding="utf-8") as out:
                            out.write(text)
                        client.open(path, text)
                        expected, found = of_rwc(options.rwc, path), of_server(client, path)
                        client.close(path)
                        count += 1
                        said += len(expected)
                        if expected != found:
                            wrong.append(f"{os.path.relpath(source, options.source)}, {variant}: rwc says {[d for d in expected if d not in found]}, "
                                         f"rw-lsp {[d for d in found if d not in expected]}")
    for line in wrong:
        print(line)
    print(f"{count} texts, {said} diagnostics, {len(wrong)} told of otherwise")
    return 1 if wrong or said < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
