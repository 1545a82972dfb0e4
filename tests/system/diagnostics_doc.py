#!/usr/bin/env python3
"""The page of diagnostics: each tag that one can carry, what it says, and an example from the golden tests.

In:  --source, the source tree. --write FILE, as the build does, writes the page from the calls that report (`error("tag", range, "message")` and
     the like) in runtime, frontend, codegen and tools, and from tests/golden.
Out: without --write: one line per tag that the page lacks or has too much, and per tag that no test names; exit
     status 1 if there is any.
"""
import argparse
import glob
import os
import re
import sys

PARTS = [
    ("The language: `rwc`", ["frontend", "codegen", "tools/rwc", "tools/rwc-verify"]),
    ("Programs as text: `.rwir`", ["runtime/rw/support", "runtime/rw/ir", "runtime/rw/builder"]),
    ("Programs as MLIR text: `.mlir`", ["runtime/rw/stablehlo"]),
    ("Programs as jaxprs: `.jaxpr`", ["runtime/rw/jaxpr"]),
    ("ONNX models", ["runtime/rw/onnx"]),
    ("Running passes: `rw-opt`", ["runtime/rw/rewrite", "runtime/rw/trace", "runtime/rw/passes", "runtime/rw/infer",
                                  "runtime/rw/interp", "runtime/rw/exec", "runtime/rw/optimize", "runtime/rw/plugin", "runtime/rw/opt", "editor/playground", "tools/rw-opt"]),
]
UNTESTED = {"snippet-size",  # takes four gigabytes of text
            "program-missing"}  # programs_beside.py shows it
INTRO = """# Diagnostics

Made by the build from the source and the golden tests; a test checks that every tag is here and that each is shown by
a test.

A diagnostic has a severity, one line of text, a tag in brackets that does not change between versions, the narrowest wrong range
with a caret, notes at other places involved and, where there is one, what to write instead. `rwc --json-diagnostics` prints
them as JSON. Exit status: 0 done (warnings included), 1 the input is wrong, 2 the command line is. `…` stands for what depends on the input.
"""
CALL = re.compile(r'\b(?P<how>error|errorHere|errorInFile|fail|report|warning|warningInFile|refuse)\(')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def arguments(text, start):
    """The arguments of the call whose bracket opens before `start`, split at commas; None if it does not close."""
    depth, parts, part, i = 0, [], "", start
    while i < len(text):
        literal = LITERAL.match(text, i)
        if literal:
            part += literal.group(0)
            i = literal.end()
            continue
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return parts + [part]
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(part)
            part = ""
            i += 1
            continue
        part += c
        i += 1
    return None


def without_inner(expression):
    """The expression without what stands in brackets inside it: literals there are choices, not the sentence."""
    expression = re.sub(r"^\s*fmt::format\((.*)\)\s*$", r"\1", expression, flags=re.S)
    out, depth, i = "", 0, 0
    while i < len(expression):
        literal = LITERAL.match(expression, i)
        if literal:
            out += literal.group(0) if depth == 0 else ""
            i = literal.end()
            continue
        c = expression[i]
        depth -= c in ")]}"
        out += c if depth == 0 else ""
        depth += c in "([{"
        i += 1
    return out


def template(expression):
    """A message with `…` for everything that is computed."""
    expression = without_inner(expression)
    pieces, end = [], 0
    for literal in LITERAL.finditer(expression):
        if pieces and re.search(r"[\w+?:]", expression[end:literal.start()]):
            pieces.append("…")
        elif not pieces and re.search(r"\w", expression[:literal.start()]):
            pieces.append("…")
        pieces.append(re.sub(r"\{[^{}]*\}", "…", literal.group(1)).replace('\\"', '"').replace("\\n", " "))
        end = literal.end()
    if pieces and re.search(r"\w", expression[end:].split(",")[0]):
        pieces.append("…")
    return re.sub(r"(…\s*)+…", "…", "".join(pieces)).strip()


def tags_of_source(source):
    """part title -> tag -> (severity, messages)."""
    found = {}
    for title, folders in PARTS:
        tags = found.setdefault(title, {})
        paths = [p for folder in folders for p in glob.glob(os.path.join(source, folder, "**", "*.cpp"), recursive=True)]
        for path in sorted(paths):
            text = open(path, encoding="utf-8").read()
            for call in CALL.finditer(text):
                args = arguments(text, call.end()) or []
                place = next((i for i, a in enumerate(args[:2]) if re.fullmatch(r'\s*"[a-z]+(-[a-z0-9]+)+"\s*', a)), None)
                if place is None or len(args) <= place + 1:
                    continue
                severity = "warning" if call.group("how").startswith("warning") else "error"
                entry = tags.setdefault(args[place].strip().strip('"'), (severity, []))
                message = next((m for m in map(template, args[place + 1:]) if " " in m), "")
                if message and message not in entry[1]:
                    entry[1].append(message)
    return found


def examples(source):
    """tag -> (golden's path, sentence of intent, the diagnostic as printed); of several, the shortest file."""
    best = {}
    for path in sorted(glob.glob(os.path.join(source, "tests/golden/*/*.golden")), key=lambda p: (os.path.getsize(p), p)):
        text = open(path, encoding="utf-8", errors="replace").read()
        err = re.search(r"^==== stderr\n(.*?)(?=^====|\Z)", text, re.M | re.S)
        if not err:
            continue
        lines = err.group(1).splitlines()
        for i, line in enumerate(lines):
            tag = re.search(r"\b(?:error|warning): .*\[([a-z]+(?:-[a-z0-9]+)+)\]$", line)
            if not tag or tag.group(1) in best:
                continue
            block = [line]
            for more in lines[i + 1:]:
                if re.search(r": (error|warning): |^\d+ error|^rwc|^rw-opt", more):
                    break
                block.append(more)
            best[tag.group(1)] = (os.path.relpath(path, source), text.splitlines()[0].lstrip("# "), block)
    return best


def page(source):
    shown, out = examples(source), [INTRO]
    for title, tags in tags_of_source(source).items():
        if not tags:
            continue
        out.append(f"## {title}\n")
        for tag in sorted(tags):
            severity, messages = tags[tag]
            out.append(f"### `{tag}`" + ("" if severity == "error" else " (warning)") + "\n")
            out += [f"- {message}" for message in messages]
            out.append("")
            if tag in shown:
                path, intent, block = shown[tag]
                out += [f"`{path}`: {intent}", "", *("    " + line if line else "" for line in block), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--write", metavar="FILE", help="write the page")
    args = parser.parse_args()
    source = os.path.abspath(args.source)
    if args.write:
        with open(args.write, "w", encoding="utf-8") as out:
            out.write(page(source))
        return 0
    known = {tag for tags in tags_of_source(source).values() for tag in tags}
    if len(known) < 100:
        print(f"only {len(known)} tags found in the source: this test no longer sees how they are reported")
        return 1
    written = set(re.findall(r"^### `([a-z0-9-]+)`", page(source), re.M))
    wrong = [f"the page of diagnostics lacks `{t}`" for t in sorted(known - written)]
    wrong += [f"the page of diagnostics has `{t}`, which nothing reports" for t in sorted(written - known)]
    tests = "".join(open(p, encoding="utf-8", errors="replace").read()
                    for pattern in ("tests/golden/*/*.golden", "tests/unit/**/*.cpp", "tests/system/*.py", "tests/playground/*.py", "tests/tools/**/*.cpp")
                    for p in glob.glob(os.path.join(source, pattern), recursive=True))
    named = set(re.findall(r"(?<![\w-])[a-z]+(?:-[a-z0-9]+)+(?![\w-])", tests))
    wrong += [f"no test shows `{t}`" for t in sorted(known - named - UNTESTED)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
