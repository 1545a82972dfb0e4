#!/usr/bin/env python3
"""An installed rw serves a project of its own: find_package, rw_add_patterns, built-in and own passes by name.

The project is built with its patterns as C++ and as data. Also: `rwc --test` works there; an edit to an imported .rw file rebuilds what depends on it, and one that changes no code compiles no C++.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

PROGRAM = """func @main(%x: f32[2, 3]) -> f32[2, 3] {
  %0 = tensor.transpose(%x) {perm = [1, 0]} : f32[3, 2]
  %1 = tensor.transpose(%0) {perm = [1, 0]} : f32[2, 3]
  return %1
}
"""
TESTS = """import "layout/transpose.rw";
pattern ReluTwice { tensor.relu(tensor.relu(x)) => tensor.relu(x) }
test ReluTwice (x: f32[2, B]) { tensor.relu(tensor.relu(x)) => tensor.relu(x) }
"""


def run(*command, stdin=None, env=None):
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"installed: expected {what}; seen:\n{seen}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, help="rw's build folder")
    parser.add_argument("--work", required=True, help="folder for the installation and the project")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("defines", nargs="*", help="-DNAME=VALUE for the project's configuration")
    args = parser.parse_args()

    shutil.rmtree(args.work, ignore_errors=True)
    prefix, source, build = (os.path.join(args.work, d) for d in ("prefix", "source", "build"))
    shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "consumer"), source)
    run(args.cmake, "--install", args.build, "--prefix", prefix)
    run(args.cmake, "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *args.defines)

    for program in ("rwc", "rw-opt"):
        for path in (f"man/man1/{program}.1", f"bash-completion/completions/{program}", f"zsh/site-functions/_{program}"):
            with open(os.path.join(prefix, "share", path), encoding="utf-8") as f:
                expect("--help" in f.read().replace("\\-", "-"), f"the options of {program}", path)

    def make():
        return run(args.cmake, "--build", build, "-j", "2")

    make()
    tool = os.path.join(build, "tool")
    out = run(tool, "transpose_pairs", stdin=PROGRAM)
    expect("transpose" not in out and "return %x" in out, "the built-in pass to remove the pair", out)
    out = run(tool, "use_flip", stdin=PROGRAM)
    expect(len(re.findall(r"my\.flip", out)) == 2 and "transpose" not in out, "two flips", out)

    # The same project with its patterns as data; neither form brings the compiler or ANTLR into the program.
    data = build + "-data"
    run(args.cmake, "-S", source, "-B", data, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-DFORM=data", *args.defines)
    run(args.cmake, "--build", data, "-j", "2")
    expect(run(os.path.join(data, "tool"), "use_flip", stdin=PROGRAM) == out, "the same from patterns as data", out)
    for program in (tool, os.path.join(data, "tool")):
        symbols = run("nm", "-C", program)
        expect("antlr4::" not in symbols and "rw::sema::" not in symbols, "a program without the compiler", program)
    symbols = run("nm", "-C", os.path.join(data, "tool"))
    expect("rw::interpret::Machine" in symbols and "TransposeToFlip" not in symbols, "patterns as data in place of classes", symbols)

    flags = next((d.split("=", 1)[1] for d in args.defines if d.startswith("-DCMAKE_CXX_FLAGS=")), "")
    tests = os.path.join(source, "tests.rw")
    with open(tests, "w") as f:
        f.write(TESTS)
    out = run(os.path.join(prefix, "bin", "rwc"), "--test", "-I", os.path.join(prefix, "share", "rw", "patterns"), tests,
              env={**os.environ, "CXXFLAGS": flags, "LDFLAGS": flags})
    expect(out == "1 test passed\n", "`rwc --test` to run the one test", out)

    log = make()
    expect("no work to do" in log, "nothing to do in a second build", log)
    helpers = os.path.join(source, "helpers.rw")
    with open(helpers) as f:
        text = f.read()
    with open(helpers, "w") as f:
        f.write(text + "\n\n")
    log = make()
    expect("rwc my.rw" in log, "rwc to run after an edit of the imported file", log)
    expect("my.rw.cpp" not in log, "no C++ to be compiled when nothing changes", log)
    with open(helpers, "w") as f:
        f.write(text.replace("p[0] == 1", "p[0] == 0"))
    log = make()
    expect("helpers.rw.cpp" in log, "C++ to be compiled after a change in the imported file", log)
    out = run(tool, "use_flip", stdin=PROGRAM)
    expect("my.flip" not in out, "the changed condition to hold", out)


if __name__ == "__main__":
    main()
