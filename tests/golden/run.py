#!/usr/bin/env python3
"""Runs golden tests: see README.md beside this file for their form.

In:  .golden files, or folders of them; the folder of the built tools.
Out: a unified diff per failure, a closing line `N passed, N failed`, exit status 0 when none failed. What tests need and
     is not built is named once, and these tests count as failed.
     With --update, failing files get their expected sections rewritten.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
NO_NEWLINE = "\\ no newline\n"
EXPECTED = ("stdout", "stderr", "exit", "output", "absent")
TIMEOUT = 500
# What commands name and a build makes: programs, and libraries that are loaded as plugins.
BUILT = re.compile(r"(?<![\w./-])(?:rw-opt-test|rw-opt|rwc|seed-opt)(?![\w-])|\blib/libtest_\w+\.so\b")

BUILTIN = {name for _, _, names in os.walk(os.path.join(TOP, "patterns")) for name in names if name.endswith(".rw")}


def without_lines(text, inputs):
    """Logs name patterns, not lines: `by Merge at transpose.rw:36` is `by Merge at transpose.rw`, unless a test brings the file itself."""
    own = {os.path.basename(name) for name in inputs}
    return re.sub(r"\b(at (?:\$RW/patterns/)?(?:\w+/)*(\w+\.rw)):\d+\b(?!:)",
                  lambda place: place[1] if place[2] in BUILTIN - own else place[0], text)


class FormatError(Exception):
    pass


def escape(text):
    """Content to the lines of a section."""
    lines = text.splitlines(keepends=True) if "\r" not in text else re.findall(r"[^\n]*\n|[^\n]+", text)
    lines = ["\\" + l if l.startswith(("====", "\\")) else l for l in lines]
    if text and not text.endswith("\n"):
        lines[-1] += "\n"
        lines.append(NO_NEWLINE)
    return "".join(lines)


def unescape(lines):
    ends = True
    if lines and lines[-1] == NO_NEWLINE:
        lines, ends = lines[:-1], False
    text = "".join(l[1:] if l.startswith("\\") else l for l in lines)
    return text if ends else text[:-1]


class Golden:
    """One parsed file. `head` (intent, commands, inputs) is kept as written; the rest can be made anew."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", newline="") as f:
            self.text = f.read()
        self.commands, self.inputs = [], []
        self.stdout = self.stderr = ""
        self.exit = 0
        self.outputs, self.absent = [], []
        self.parse()

    def parse(self):
        lines = re.findall(r"[^\n]*\n|[^\n]+$", self.text)
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        starts = [i for i, l in enumerate(lines) if l.startswith("====")] + [len(lines)]
        intent = False
        for line in lines[: starts[0]]:
            if line.startswith("#"):
                intent = intent or bool(line[1:].strip())
            elif line.startswith("$ "):
                self.commands.append(line[2:].strip())
            elif line.strip():
                raise FormatError(f"neither intent, command nor section: {line.strip()!r}")
        if not intent:
            raise FormatError("no sentence of intent (`# …`) at the top")
        if not self.commands:
            raise FormatError("no command (`$ …`)")
        self.head = "".join(lines[: starts[0]])
        for begin, end in zip(starts, starts[1:]):
            self.section(lines[begin], lines[begin + 1 : end])

    def section(self, header, body):
        words = header[4:].split()
        kind = words[0] if words else ""
        if len(words) != {"file": 2, "hex": 2, "output": 2, "absent": 2, "exit": 2, "stdout": 1, "stderr": 1}.get(kind):
            raise FormatError(f"not a section: {header.strip()!r}")
        if kind in ("file", "hex"):
            data = bytes.fromhex("".join(body)) if kind == "hex" else unescape(body).encode()
            self.inputs.append((words[1], data))
            self.head += header + "".join(body)
        elif kind == "stdout":
            self.stdout = unescape(body)
        elif kind == "stderr":
            self.stderr = unescape(body)
        elif kind == "exit":
            self.exit = int(words[1])
        elif kind == "output":
            self.outputs.append((words[1], unescape(body)))
        else:
            self.absent.append(words[1])

    def render(self):
        out = self.head
        for kind, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text:
                out += f"==== {kind}\n{escape(text)}"
        for name, text in self.outputs:
            out += f"==== output {name}\n" + (escape(text) if text is not None else "(the file is not there)\n")
        for name in self.absent:
            out += f"==== absent {name}\n"
        if self.exit:
            out += f"==== exit {self.exit}\n"
        return out


def run_golden(golden, bin_dir):
    """Fills the expected parts with what comes out; returns a complaint that no update can mend, or None."""
    with tempfile.TemporaryDirectory(prefix="rw-golden-") as work:
        work = os.path.realpath(work)
        folder = os.path.join(work, "t")
        os.mkdir(folder)
        for name, data in golden.inputs:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)
        # A sanitizer's report must not look like the exit status 1 of a wrong input.
        env = dict(os.environ, PATH=bin_dir + os.pathsep + os.environ["PATH"], RW=TOP, LC_ALL="C.UTF-8", TMPDIR=work,
                   ASAN_OPTIONS="exitcode=99:detect_leaks=1",
                   UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:halt_on_error=1")
        if shutil.which("ccache"):  # tests that compile C++ do so once, whatever folder they run in
            env.update(CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_BASEDIR=work, CCACHE_NOHASHDIR="1")
        script = "set -e -o pipefail\n" + "\n".join(golden.commands) + "\n"
        try:
            done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return f"no end after {TIMEOUT} s"

        def show(data):
            text = data.decode("utf-8", "backslashreplace").replace(folder, "$TMP").replace(TOP, "$RW")
            return without_lines(text, [name for name, _ in golden.inputs])

        golden.stdout, golden.stderr = show(done.stdout), show(done.stderr)
        golden.exit = done.returncode if done.returncode >= 0 else 128 - done.returncode
        outputs = []
        for name, _ in golden.outputs:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    outputs.append((name, show(f.read())))
            else:
                outputs.append((name, None))
        golden.outputs = outputs
        left = [name for name in golden.absent if os.path.exists(os.path.join(folder, name))]
        if left:
            return f"left behind: {', '.join(left)}"
        if golden.exit == 99 or golden.exit >= 128:
            return f"the command crashed (status {golden.exit}):\n{golden.stderr}"
    return None


def not_built(golden, bin_dir):
    """The targets of what the commands name and is not there."""
    commands = "\n".join(golden.commands)
    names = set(BUILT.findall(commands))
    if "rwc" in names and re.search(r" --verify\b", commands):
        names.add("rwc-verify")  # rwc starts it
    for name in sorted(names):
        if name.startswith("lib/"):
            if not os.path.exists(os.path.join(bin_dir, os.pardir, name)):
                yield name[len("lib/lib") : -len(".so")]
        elif not shutil.which(name, path=bin_dir + os.pathsep + os.environ["PATH"]):
            yield name


def other_exit(wanted, seen):
    """Words for an exit status that was not expected: an update records a mistake in a new golden as gladly as a result."""
    return f": exits {seen} now, {wanted} was expected" if seen != wanted else ""


def check(path, bin_dir, update):
    """('ok' | 'updated' | 'failed', message), or ('missing', targets that must be built first)"""
    name = os.path.relpath(path)
    try:
        golden = Golden(path)
    except (FormatError, ValueError, UnicodeDecodeError) as e:
        return "failed", f"{name}: {e}\n"
    if missing := list(not_built(golden, bin_dir)):
        return "missing", missing
    before, wanted = golden.render(), golden.exit
    complaint = run_golden(golden, bin_dir)
    if complaint:
        return "failed", f"{name}: {complaint}\n"
    after = golden.render()
    if before == after:
        return "ok", ""
    if update:
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(after)
        return "updated", f"updated {name}{other_exit(wanted, golden.exit)}\n"
    diff = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"{name} (expected)", f"{name} (seen)")
    return "failed", "".join(diff)


def find(paths):
    files = []
    for path in paths:
        if os.path.isdir(path):
            for folder, folders, names in os.walk(path):
                folders.sort()
                files += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".golden")]
        elif os.path.isfile(path):
            files.append(path)
        else:
            sys.exit(f"run.py: no such file or folder: {path}")
    return files


def main():
    parser = argparse.ArgumentParser(description="Runs golden tests.")
    parser.add_argument("paths", nargs="*", default=[HERE], metavar="PATH")
    parser.add_argument("--bin", default=os.path.join(TOP, "build", "dev", "bin"), help="folder of rwc and rw-opt")
    parser.add_argument("--update", action="store_true", help="rewrite what is expected")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    args = parser.parse_args()
    files = find(args.paths)
    counts = {"ok": 0, "updated": 0, "failed": 0}
    missing = {}  # target -> how many tests need it
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for state, message in pool.map(lambda f: check(f, os.path.abspath(args.bin), args.update), files):
            if state == "missing":
                counts["failed"] += 1
                for target in message:
                    missing[target] = missing.get(target, 0) + 1
            else:
                counts[state] += 1
                sys.stdout.write(message)
    if not files:
        print("no golden files found")
    build = os.path.relpath(os.path.join(args.bin, os.pardir))
    for target, number in sorted(missing.items()):
        print(f"{target} is not built, and {number} of the tests need it: cmake --build {build} --target {target}")
    print(f"{counts['ok'] + counts['updated']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
