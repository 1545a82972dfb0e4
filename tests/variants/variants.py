#!/usr/bin/env python3
"""What rewrites do does not depend on how patterns run: tried together or each on its own, compiled or from their source.

In:  the folder of the built tools, the source folder, an rw-opt whose built-in patterns are interpreted if asked for, and a
     program that writes random programs.
Out: what differs, and exit status 1, when each golden of tests/golden/passes and each pipeline over random programs runs
     as rw-opt --unmerged (that the goldens hold without it is golden.passes), and interpreted.
     With --models, when rw-opt as it runs unasked makes another file, prints anything else or ends otherwise interpreted than
     compiled, on a model of tests/families (each for all its operator sets) or of the package libonnx-testdata, where that is installed.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "families"))
import families  # noqa: E402

TEST_DATA = "/usr/share/libonnx-testdata/data"

PIPELINES = ["default", "full", "layout", "layout_exact", "onnx", "optimize_graph", "tenferro", "canonicalize{fastmath=true}"]
SEEDS = range(1, 4)


def rw_opts(args):
    """Name, program and flags of each way to run patterns."""
    plain = os.path.join(os.path.abspath(args.bin), "rw-opt")
    return [("merged", plain, []), ("unmerged", plain, ["--unmerged"]), ("interpreted", args.variant, ["--interpret", args.units])]


def goldens(args, program, flags):
    """Runs the goldens of the passes with `program flags` in the place of rw-opt."""
    tools = os.path.abspath(args.bin)
    folder = os.path.join(args.source, "tests", "golden")
    with tempfile.TemporaryDirectory(prefix="rw-variants-") as stand_in:
        for tool in os.listdir(tools):
            if tool != "rw-opt":
                os.symlink(os.path.join(tools, tool), os.path.join(stand_in, tool))
        wrapper = os.path.join(stand_in, "rw-opt")
        with open(wrapper, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec " + " ".join([f'"{program}"', *flags]) + ' "$@"\n')
        os.chmod(wrapper, 0o755)
        return subprocess.run([sys.executable, os.path.join(folder, "run.py"), "--bin", stand_in, os.path.join(folder, "passes")])


def random_programs(args):
    """Every pipeline over random programs in every way; the number of differences."""
    differences, changed = 0, 0
    for seed in SEEDS:
        text = subprocess.run([os.path.abspath(args.programs), str(seed)], check=True, stdout=subprocess.PIPE).stdout
        for pipeline in PIPELINES:
            first = None
            for name, program, flags in rw_opts(args):
                done = subprocess.run([program, *flags, "-", "--pipeline", pipeline], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                outcome = done.returncode, done.stdout, done.stderr
                if done.returncode != 0:
                    print(f"seed {seed}, {pipeline}, {name}: exit status {done.returncode}\n{done.stderr.decode()}")
                    differences += 1
                first = first or outcome
                if outcome != first:
                    print(f"seed {seed}, {pipeline}: {name} does something else")
                    differences += 1
            changed += first[1] != text
    if changed < len(SEEDS) * 4:
        print(f"only {changed} runs changed anything")
        differences += 1
    return differences


def models(work):
    """The models to run: written below `work`, and those that the system has."""
    found = []
    for opset in families.OPSETS:
        folder = os.path.join(work, "models", str(opset))
        found += [os.path.join(folder, name + ".onnx") for name in families.write_all(folder, opset)]
    print(f"{len(found)} models of families")
    installed = [os.path.join(where, name) for where, _, names in os.walk(TEST_DATA) for name in names if name.endswith(".onnx")]
    print(f"{len(installed)} models of libonnx-testdata" if installed else "libonnx-testdata is not installed: its models are left out")
    return found + sorted(installed)


def outcome(folder):
    """Exit status, what was printed, the file that was written."""
    contents = []
    for name in ("status", "said", "out.onnx"):
        path = os.path.join(folder, name)
        contents.append(open(path, "rb").read() if os.path.exists(path) else None)
    return contents


def compare_models(args):
    """Every model compiled and interpreted; the number of differences."""
    with tempfile.TemporaryDirectory(prefix="rw-models-") as work:
        todo = []
        for i, model in enumerate(models(work)):
            folders = [os.path.join(work, way, str(i)) for way in ("compiled", "interpreted")]
            for folder in folders:
                os.makedirs(folder)
            todo.append((model, *folders))
        # A child of a fork copies the pages that it writes to: small ones, for programs that mimalloc serves.
        environment = {**os.environ, "MIMALLOC_LARGE_OS_PAGES": "0"}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = []
            for way, flags in ((1, []), (2, ["--interpret", args.units])):
                lines = os.path.join(work, f"lines{way}")
                with open(lines, "w", encoding="utf-8") as file:
                    file.writelines(f"{run[way]}\t{run[0]}\t-o\tout.onnx\n" for run in todo)
                runs.append(pool.submit(subprocess.run, [args.variant, *flags, "--each", lines], check=True, env=environment))
            for run in runs:
                run.result()
        differences, written, changed, ends = 0, 0, 0, {}
        for model, folder, other in todo:
            first, second = outcome(folder), outcome(other)
            ends[first[0].decode()] = ends.get(first[0].decode(), 0) + 1
            if first[2] is not None:
                written += 1
                with open(model, "rb") as file:
                    changed += file.read() != first[2]
            for what, a, b in zip(("exit status", "text", "model"), first, second):
                if a != b:
                    differences += 1
                    print(f"{model}: another {what}" + (f"\n{(a or b'').decode()}instead of\n{(b or b'').decode()}" if what == "text" else ""))
        print(f"{len(todo)} models, {written} written, {changed} of them other bytes than before; exit statuses {ends}; {differences} differences")
        if any(status not in ("0", "1") for status in ends):
            print("rw-opt crashed or was asked wrongly")
            differences += 1
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--variant", required=True, help="an rw-opt whose built-in patterns are interpreted if asked for")
    parser.add_argument("--programs", required=True, help="writes random programs, given a seed")
    parser.add_argument("--models", action="store_true", help="compares models instead")
    args = parser.parse_args()
    args.variant = os.path.abspath(args.variant)
    with tempfile.TemporaryDirectory(prefix="rw-units-") as folder:
        args.units = os.path.join(folder, "units")
        subprocess.run([args.variant, "--save", args.units, os.path.join(os.path.abspath(args.source), "patterns")], check=True)
        if args.models:
            return 1 if compare_models(args) else 0
        failures = random_programs(args)
        for name, program, flags in rw_opts(args)[1:]:
            if goldens(args, program, flags).returncode != 0:
                print(f"goldens of the passes: {name} does something else")
                failures += 1
        return 1 if failures else 0


sys.exit(main())
