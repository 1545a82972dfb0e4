#!/usr/bin/env python3
"""A folder with a dialect and a pass, dropped into patterns/, is found by the build; no list is edited.

Builds rw-opt from this source tree with a copy of patterns/ (a sibling of the build folder, so that ccache gives
what is already built), drops a folder into the copy, builds again, uses the pass, takes the folder away again.
"""
import argparse
import os
import shutil
import subprocess
import sys

DROPPED = """// A dialect and a pass that nothing else knows.
dialect dropped;

/// The same value.
op wrap(x: tensor) -> tensor {
  traits pure;
  type (x.dtype, x.shape);
}

pattern UnwrapTwice {
  wrap(wrap(x))
  => x
}

pass dropped_unwrap { UnwrapTwice; }
"""
PROGRAM = """func @main(%x: f32[2]) -> f32[2] {
  %0 = dropped.wrap(%x) : f32[2]
  %1 = dropped.wrap(%0) : f32[2]
  return %1
}
"""


def run(*command, stdin=None, fails=False):
    done = subprocess.run(command, input=stdin, capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"drop_in: expected {what}; seen:\n{seen}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True, help="the build folder to make")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("defines", nargs="*", help="-DNAME=VALUE for the configuration")
    args = parser.parse_args()

    patterns = os.path.join(args.build, "patterns-copy")
    folder = os.path.join(patterns, "dropped")
    shutil.rmtree(patterns, ignore_errors=True)
    shutil.copytree(os.path.join(args.source, "patterns"), patterns)
    rw_opt = os.path.join(args.build, "bin", "rw-opt")

    def build():
        run(args.cmake, "--build", args.build, "--target", "rw-opt", "-j", "2")

    run(args.cmake, "-S", args.source, "-B", args.build, "-G", "Ninja", f"-DRW_PATTERNS_DIR={patterns}",
        "-DRW_BUILD_TESTS=OFF", "-DRW_BUILD_BENCH=OFF", *args.defines)
    build()
    listed = run(rw_opt, "--list-passes")
    expect("dropped_unwrap" not in listed, "no pass dropped_unwrap before it is dropped in", listed)

    os.mkdir(folder)
    with open(os.path.join(folder, "dropped.rw"), "w") as f:
        f.write(DROPPED)
    build()
    listed = run(rw_opt, "--list-passes")
    expect("dropped_unwrap" in listed, "the pass in --list-passes", listed)
    listed = run(rw_opt, "--list-ops")
    expect("dropped.wrap" in listed, "the op in --list-ops", listed)
    out = run(rw_opt, "-", "--pipeline", "dropped_unwrap", "-o", "-", stdin=PROGRAM)
    expect("dropped.wrap" not in out and "return %x" in out, "the pass to remove both ops", out)

    shutil.rmtree(folder)
    build()
    listed = run(rw_opt, "--list-passes")
    expect("dropped_unwrap" not in listed, "the pass to be gone with its folder", listed)


if __name__ == "__main__":
    main()
