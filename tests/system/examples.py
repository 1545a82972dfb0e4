#!/usr/bin/env python3
"""Builds every project of examples/ against an installed rw and runs the commands of its README, whose output must be as shown;
then works through the pages of docs/ with ```console installed blocks (docs_examples.py).

A README shows a session in a ```console block: `$ command`, then what it prints. The command runs in a copy of the
project's folder, with the project's and the installed programs on the path and the models of tests/models beside it.
"""
import argparse
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys

import docs_examples


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def check(source, build, programs, models):
    """The differences between what the README shows and what happens."""
    with open(os.path.join(source, "README.md"), encoding="utf-8") as f:
        shown = list(docs_examples.sessions(f.read()))
    if not shown:
        return [f"{source}/README.md shows no command"]
    work = os.path.join(build, "session")
    shutil.copytree(source, work)
    for model in models:
        shutil.copy(model, work)
    env = {**os.environ, "PATH": os.pathsep.join([build, programs, os.environ["PATH"]])}
    problems = []
    for command, expected in shown:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=work, env=env, capture_output=True, text=True)
        seen = done.stdout + done.stderr
        if seen != expected:
            problems += [f"$ {command}"] + list(difflib.unified_diff(expected.splitlines(), seen.splitlines(), "README", "seen", lineterm=""))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, help="the project")
    parser.add_argument("--build", required=True, help="rw's build folder")
    parser.add_argument("--work", required=True, help="folder for the installation and the builds")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("defines", nargs="*", help="-DNAME=VALUE for the examples' configuration")
    args = parser.parse_args()
    shutil.rmtree(args.work, ignore_errors=True)
    prefix = os.path.join(args.work, "prefix")
    run(args.cmake, "--install", args.build, "--prefix", prefix)
    models = glob.glob(os.path.join(args.source, "tests", "models", "*.onnx"))
    projects = sorted(glob.glob(os.path.join(args.source, "examples", "*", "CMakeLists.txt")))
    failed = 0
    for path in projects:
        source = os.path.dirname(path)
        name = os.path.basename(source)
        build = os.path.join(args.work, name)
        run(args.cmake, "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *args.defines)
        run(args.cmake, "--build", build, "-j", "2")
        problems = check(source, build, os.path.join(prefix, "bin"), models)
        failed += bool(problems)
        print("\n".join([f"{name}: {'FAILED' if problems else 'passed'}"] + problems))
    # The pages whose commands need an installation.
    pages = 0
    for path in sorted(glob.glob(os.path.join(args.source, "docs", "*.md"))):
        with open(path, encoding="utf-8") as f:
            page = f.read()
        if "```console installed" not in page:
            continue
        pages += 1
        flags = " ".join(d.split("=", 1)[1] for d in args.defines if d.startswith("-DCMAKE_CXX_FLAGS="))
        env = {"CMAKE_PREFIX_PATH": prefix, "CMAKE_GENERATOR": "Ninja", "CXXFLAGS": flags}
        problems, _ = docs_examples.work_through(page, [os.path.join(prefix, "bin")], models, installed=True, env=env)
        failed += bool(problems)
        print("\n".join([f"{os.path.basename(path)}: {'FAILED' if problems else 'passed'}"] + problems))
    if pages == 0:
        sys.exit("examples: no page shows what is done with an installed rw")
    if len(projects) < 5:
        sys.exit("examples: fewer than five projects found")
    print(f"{len(projects) + pages - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
