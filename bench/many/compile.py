#!/usr/bin/env python3
"""Measures compiling: many patterns through rwc, and their C++ at -O2.

In:  the folder of rwc; the runtime's include folder; numbers of patterns.
Out: one JSON object a line: patterns, their form (C++ classes, or embedded as data), seconds of processor time of rwc and of
     the C++ compiler, its greatest memory, bytes of the generated source. The patterns are those of generate.py --mixed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command):
    """(seconds of processor time, greatest resident memory in MiB)"""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(args, source, count, form, folder):
    rwc, _ = run([os.path.join(args.bin, "rwc"), source, f"--form={form}", "-o", folder])
    cpp, memory = run([args.compiler, "-std=c++20", "-O2", "-I", args.runtime, "-c", source + ".cpp", "-o", source + ".o"])
    print(json.dumps({"compile": count, "form": form, "rwc_s": round(rwc, 3), "cpp_s": round(cpp, 2), "cpp_mib": round(memory),
                      "cpp_bytes": os.path.getsize(source + ".cpp")}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("patterns", type=int, nargs="*", default=[100, 1000])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rw-compile-") as folder:
        for count in args.patterns:
            source = os.path.join(folder, f"mixed_{count}.rw")
            subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), "--mixed", str(count), source], check=True)
            for form in ("cpp", "data"):
                measure(args, source, count, form, folder)


main()
