#!/usr/bin/env python3
"""Broken inputs give a diagnostic and exit status 1: no crash, no hang, no exception text, no output file.

Mutates the tree's own .rw, .rwir and .onnx files (cut off, bytes changed, pieces swapped, repeated or removed), the
same way in every run, and hands them to rwc and rw-opt. An input that stays valid may give status 0.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 60
FORBIDDEN = re.compile(r"terminate called|what\(\):|AddressSanitizer|runtime error|LLVM ERROR|Assertion|PLEASE submit")


def mutate(data, text, rng):
    """One broken version of `data`."""
    kind = rng.randrange(8)
    at = rng.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(300)))
    if kind == 2:
        out = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 8, 64])):
            if out:
                out[rng.randrange(len(out))] = rng.randrange(256)
        return bytes(out)
    if kind == 3:
        return data[:at] + rng.choice([b"\0", b"\xff\xfe", b"\x1b[2J", "\u202e日".encode(), b"(" * 5000, b"[" * 5000,
                                       b"9" * 400, b"\"", b"/*", b"}" * 9]) + data[at:]
    end = min(len(data), at + rng.randrange(1, 200))
    if kind == 4:
        return data[:at] + data[end:]
    if kind == 5:
        return data[:end] + data[at:]
    if not text:
        other = rng.randrange(len(data) + 1)
        return data[:at] + data[other:]
    tokens = re.findall(rb"\w+|\s+|[^\w\s]", data)
    words = [i for i, t in enumerate(tokens) if not t.isspace()]
    if not words:
        return data
    i, j = rng.choice(words), rng.choice(words)
    if kind == 6:
        tokens[i] = tokens[j]
    else:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    return b"".join(tokens)


def sources(folders, ending):
    found = []
    for folder in folders:
        for where, _, names in os.walk(os.path.join(TOP, folder)):
            found += [os.path.join(where, n) for n in names if n.endswith(ending)]
    return sorted(found)


def rwir_seeds():
    """The .rwir inputs inside golden files."""
    for path in sources(["tests/golden"], ".golden"):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for body in re.findall(r"^==== file \S+\.rwir\n(.*?)(?=^====|\Z)", text, re.M | re.S):
            yield body.encode()


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(case, bin_dir):
    """A complaint, or None."""
    tool, name, data = case
    with tempfile.TemporaryDirectory(prefix="rw-broken-") as work:
        path = os.path.join(work, name)
        out = os.path.join(work, "out")
        os.mkdir(out)
        with open(path, "wb") as f:
            f.write(data)
        if tool == "rwc":
            command = [os.path.join(bin_dir, "rwc"), path, "-o", out, "-I", os.path.join(TOP, "patterns")]
        else:
            command = [os.path.join(bin_dir, "rw-opt"), path, "-o", os.path.join(out, "o" + os.path.splitext(name)[1])]
        env = dict(os.environ, ASAN_OPTIONS="exitcode=99:allocator_may_return_null=0", UBSAN_OPTIONS="exitcode=99:halt_on_error=1")
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS * 2, env=env, preexec_fn=limits,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "hangs"
        err = done.stderr.decode("utf-8", "backslashreplace")
        left = os.listdir(out)
        if done.returncode not in (0, 1):
            return f"exit status {done.returncode}: {err[-1500:]}"
        if FORBIDDEN.search(err):
            return f"not a diagnostic: {err[-1500:]}"
        if done.returncode == 1 and "error: " not in err:
            return f"status 1 without a diagnostic: {err[-500:]!r}"
        if done.returncode == 1 and left:
            return f"status 1, but left {left}"
        if done.returncode == 0 and not left:
            return "status 0 without output"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=120, help="broken inputs per kind of file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="", help="folder for the inputs that fail")
    args = parser.parse_args()
    rng = random.Random(args.seed)

    def read(path):
        with open(path, "rb") as f:
            return f.read()

    kinds = [("rwc", "in.rw", [read(p) for p in sources(["patterns", "tests/system"], ".rw")], True),
             ("rw-opt", "in.rwir", list(rwir_seeds()), True),
             ("rw-opt", "in.onnx", [d for d in map(read, sources(["tests/models"], ".onnx")) if len(d) < 400_000], False)]
    cases = []
    for tool, name, seeds, text in kinds:
        cases += [(tool, name, mutate(rng.choice(seeds), text, rng)) for _ in range(args.count) if seeds]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for i, complaint in enumerate(pool.map(lambda c: check(c, args.bin), cases)):
            if complaint:
                failed += 1
                print(f"case {i} ({cases[i][0]}, {cases[i][1]}): {complaint}")
                if args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    with open(os.path.join(args.keep, f"{i}-{cases[i][1]}"), "wb") as f:
                        f.write(cases[i][2])
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
