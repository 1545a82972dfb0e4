#!/usr/bin/env python3
"""Makes the wheel, installs it into an empty virtual environment of several Pythons that are there, and runs it in each, without a compiler on the PATH.

    tests/python/wheel.py --source DIR --library LIBRW.so --work DIR

Pythons: the one that runs this, and of those on the PATH and in ~/.pyenv the oldest (3.9 or later), the newest, and PyPy.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import zipfile

PROGRAM = """
import sys
before = set(sys.modules)
import rw
new = set(sys.modules) - before
assert not new & {"json", "re", "ctypes", "dataclasses", "typing", "inspect"}, sorted(new)
result = rw.optimize(sys.argv[1], check=1)
assert result.check["good"] and result.ops_after < result.ops_before
assert "site-packages" in rw.__file__, rw.__file__
rules = rw.Rules('import "onnx/onnx.rw"; pattern P { onnx.Neg(onnx.Neg(x)) => x }')
class Nothing(rw.Pass):
    def run(self, function):
        assert len(function.ops) > 1
assert not rw.optimize(sys.argv[1], passes=[Nothing()]).changed
print("%d.%d.%d" % sys.version_info[:3], sys.implementation.name, rules.matches(sys.argv[1]), result)
"""
# Another Protobuf that is in the process, for everybody to see, is neither used nor in the way.
CLASH = """
import ctypes, sys
ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
import rw
print(rw.optimize(sys.argv[1], check=1))
"""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def version_of(python):
    """(3, 11) and whether it is CPython; None if it does not run or is too old."""
    text = "import sys; print(sys.version_info[0], sys.version_info[1], sys.implementation.name)"
    done = subprocess.run([python, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    parts = done.stdout.split()
    if done.returncode or len(parts) != 3 or (int(parts[0]), int(parts[1])) < (3, 9):
        return None
    return (int(parts[0]), int(parts[1])), parts[2]


def pythons():
    """By version and implementation: those to be tried."""
    places = [sys.executable, shutil.which("pypy3")] + [shutil.which(f"python3.{minor}") for minor in range(9, 30)]
    places += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")))
    found = {}
    for python in places:
        version = version_of(python) if python else None
        if version:
            found.setdefault(version, python)
    mine = version_of(sys.executable)
    ordinary = sorted(version for version in found if version[1] == "cpython")
    wanted = [mine] + ordinary[:1] + ordinary[-1:] + [version for version in found if version[1] == "pypy"]
    return [found[version] for version in dict.fromkeys(wanted)]


def check_symbols(wheel, folder):
    """The library shows its own functions and nothing else: no Protobuf, no ONNX, no C++."""
    with zipfile.ZipFile(wheel) as archive:
        library = archive.extract("rw/lib/librw.so", folder)
    shown = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    other = [name for name in shown if not name.startswith("rw_")]
    if not shown or other:
        sys.exit(f"librw.so shows {len(other)} symbols of others: {other[:5]}")


def protobuf():
    """The system's own Protobuf, if it is there."""
    found = sorted(glob.glob("/usr/lib/*/libprotobuf.so.*") + glob.glob("/usr/lib/libprotobuf.so.*"))
    return found[0] if found else None


def main():
    parser = argparse.ArgumentParser()
    for name in ("--source", "--library", "--work"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    given.source, given.work = os.path.abspath(given.source), os.path.abspath(given.work)
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
    check_symbols(wheel, given.work)
    model = os.path.join(given.source, "tests", "models", "swin_mini.onnx")
    clean = {"PATH": "/nowhere", "HOME": given.work}
    for tried, python in enumerate(pythons()):
        environment = os.path.join(given.work, f"environment{tried}")
        pip = subprocess.run([python, "-m", "venv", environment], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        inside = os.path.join(environment, "bin", "python")
        if pip.returncode == 0:
            run(inside, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--disable-pip-version-check", wheel, env=clean)
        else:  # a Python that came without pip: what pip does with a wheel
            run(python, "-m", "venv", "--without-pip", environment)
            folder = run(inside, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])", env=clean).strip()
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        print(run(inside, "-c", PROGRAM, model, env=clean, cwd=given.work).strip(), flush=True)
        run(inside, "-m", "rw", model, os.path.join(given.work, "out.onnx"), env=clean, cwd=given.work)
        if tried == 0 and protobuf():
            run(inside, "-c", CLASH, model, protobuf(), env=clean, cwd=given.work)
            print("beside", protobuf())
        shutil.rmtree(environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
