#!/usr/bin/env python3
"""tools/update-pages knows every script that makes a page or list anew, and gives each the arguments that it must have.

In:  the sources. Out: a line per script that is left out, or that does not take what it is given; exit status 1.
"""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# These update expectations of tests, which should not change by the way, or need programs that a build does not have.
OTHERS = {"tests/golden/run.py", "tests/golden/run_test.py", "tests/peers/onnxruntime_families.py", "tests/python/examples.py",
          "tests/system/one_token.py"}


def main():
    listed = subprocess.run([sys.executable, "-B", os.path.join(TOP, "tools", "update-pages"), "--list"],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    commands = {line.split(": ", 1)[1].split()[0]: line for line in listed.splitlines()}
    wrong = []
    for folder, _, files in os.walk(os.path.join(TOP, "tests")):
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), TOP)
            if not file.endswith(".py") or path == os.path.relpath(os.path.abspath(__file__), TOP):
                continue
            with open(os.path.join(TOP, path), encoding="utf-8") as f:
                text = f.read()
            if '"--update"' in text and path not in commands and path not in OTHERS:
                wrong.append(f"{path}: takes --update, and tools/update-pages does not run it")
            for flag in re.findall(r'add_argument\("(--[\w-]+)", required=True', text):
                if path in commands and flag + " " not in commands[path]:
                    wrong.append(f"{path}: needs {flag}, which tools/update-pages does not give")
    wrong += [f"{path}: there is no such script" for path in commands if not os.path.exists(os.path.join(TOP, path))]
    unknown = subprocess.run([sys.executable, "-B", os.path.join(TOP, "tools", "update-pages"), "--list", "nothing"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if unknown.returncode == 0 or "there is no page nothing" not in unknown.stdout:
        wrong.append("tools/update-pages: takes a name that there is none of")
    print("\n".join(wrong + [f"{len(commands)} scripts, {len(wrong)} violations"]))
    return 1 if wrong or not commands else 0


sys.exit(main())
