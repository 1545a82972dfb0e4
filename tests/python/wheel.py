#!/usr/bin/env python3
"""Makes the wheel, installs it into an empty virtual environment of each Python that there is, and runs it there, without a compiler on the PATH.

    tests/python/wheel.py --source DIR --library LIBRW.so --work DIR
"""
import argparse
import os
import shutil
import subprocess
import sys
import zipfile

PROGRAM = """
import rw, sys
result = rw.optimize(sys.argv[1], check=1)
assert result.check["good"] and result.ops_after < result.ops_before
assert "site-packages" in rw.__file__, rw.__file__
rules = rw.Rules('import "onnx/onnx.rw"; pattern P { onnx.Neg(onnx.Neg(x)) => x }')
print(rules.matches(sys.argv[1]), result)
"""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    for name in ("--source", "--library", "--work"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    if not shutil.which("patchelf"):
        print("skipped: patchelf is not installed; tools/setup installs it")
        return 77
    shutil.rmtree(given.work, ignore_errors=True)
    make = [sys.executable, os.path.join(given.source, "tools", "wheel"), "--library", given.library, "--output"]
    wheel = run(*make, os.path.join(given.work, "a")).splitlines()[-1]
    again = run(*make, os.path.join(given.work, "b")).splitlines()[-1]
    with open(wheel, "rb") as a, open(again, "rb") as b:
        if a.read() != b.read():
            sys.exit("two runs make two different wheels")
    model = os.path.join(given.source, "tests", "models", "swin_mini.onnx")
    tried = 0
    for python in {sys.executable, shutil.which("pypy3")} - {None}:
        environment = os.path.join(given.work, f"environment{tried}")
        clean = {"PATH": "/nowhere", "HOME": given.work}
        pip = subprocess.run([python, "-m", "venv", environment], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        inside = os.path.join(environment, "bin", "python")
        if pip.returncode == 0:
            run(inside, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--disable-pip-version-check", wheel, env=clean)
        else:  # a Python that came without pip: what pip does with a wheel
            run(python, "-m", "venv", "--without-pip", environment)
            folder = run(inside, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])", env=clean).strip()
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        print(python, run(inside, "-c", PROGRAM, model, env=clean, cwd=given.work).strip())
        run(inside, "-m", "rw", model, os.path.join(given.work, "out.onnx"), env=clean, cwd=given.work)
        tried += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
