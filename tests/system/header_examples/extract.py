#!/usr/bin/env python3
"""The worked examples at the top of the public headers compile: extract.py --source DIR --compiler CXX [FLAGS…].

An example is a run of lines `//   code` behind an empty comment line, above `#pragma once`. Each becomes a lambda in one C++ file, which the
compiler only checks. Names that an example takes for granted (`program`, `diags`, what is the header's own matter) are declared in names.h.
`…` stands for what a reader would write there. Blocks of other languages, tables among them, are told by how they begin. Also: files that
comments of headers name exist.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Headers whose examples are of a form that they read or write.
OTHER = {"rw/passes/pipeline.h", "rw/stablehlo/attribute_reader.h", "rw/stablehlo/structures.h", "rw/jaxpr/program_maker.h",
         "rw/ir/common_type.h", "rw/passes/reproducer.h", "rw/stablehlo/type_reader.h", "rw/passes/conversion.h"}
OTHER_LANGUAGES = re.compile(r'func @|full = |\{"|// rw-opt|rw-opt |layout\.rw:|[A-Za-z_][\w.: ]*?\s{2,}\S|Transpose ')
PRIVATE = {"rw/c/handles.h", "rw/c/attr_json.h", "rw/support/failure.h", "rw/support/json.h"}
OF_ONNX = {"rw/onnx/onnx.h", "rw/onnx/optimize.h"}  # the others are the folder's own, and bring Protobuf along
FUNCTION = re.compile(r"(?:bool|int|void)\s+\w+\(.*\)\s*\{|RW_PLUGIN\(")


def public_headers(source):
    for path in sorted(glob.glob(os.path.join(source, "runtime", "rw", "**", "*.h"), recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        name = os.path.relpath(path, os.path.join(source, "runtime"))
        if name not in PRIVATE and (not name.startswith("rw/onnx/") or name in OF_ONNX):
            yield name, text


def examples(text):
    """The blocks of code in a header's opening comment."""
    block, after_blank = [], False
    for line in text.split("#pragma once")[0].split("\n") + [""]:
        if line.startswith("//   ") and (block or after_blank):
            block.append(line[5:])
            continue
        if block and not OTHER_LANGUAGES.match(block[0]):
            yield "\n".join(block).rstrip()
        block = []
        after_blank = line.strip() == "//"
    return


def as_cpp(example):
    """(definitions of functions, statements)."""
    code = re.sub(r"(\)) …;?(\s*//.*)?$", r"\1 {}", example, flags=re.M)
    code = re.sub(r"^(\s*)…;?$", r"\1;", code, flags=re.M)
    code = code.replace("…", "any")
    functions, statements, depth, inside = [], [], 0, False
    for line in code.split("\n"):
        if not inside and FUNCTION.match(line):
            inside = True
        (functions if inside else statements).append(line)
        if inside:
            depth += line.count("{") - line.count("}")
            inside = depth > 0
    return "\n".join(functions).replace("int main(", "int example_main("), "\n".join(statements)


def unit(source):
    """One C++ file of all examples, and how many there are."""
    out = ['#include "names.h"\n', "namespace rw::examples {\n"]
    count = 0
    for path, text in public_headers(source):
        if path in OTHER:
            continue
        name = re.sub(r"\W", "_", path[len("rw/"):-len(".h")])
        for number, example in enumerate(examples(text)):
            count += 1
            functions, statements = as_cpp(example)
            space = "using namespace rw::convert;\n" if path.startswith("rw/convert/") else "using namespace rw::opt;\n" if path.startswith("rw/opt/") else ""
            out.append(f"namespace {name} {{\nnamespace example_{number} {{\n{space}")
            out.append(f'#line 1 "{path} (example)"\n{functions}\n')
            out.append(f'[[maybe_unused]] auto example = [] {{\n#line 1 "{path} (example)"\n{statements}\n;}};\n}} }} // namespace\n')
    includes = [f'#include "{path}"\n' for path, _ in public_headers(source)]
    return "".join(includes + out) + "} // namespace rw::examples\n", count


def dead_references(source):
    """Lines of headers that name a file of ours that is not there."""
    known = {}
    for root, dirs, names in os.walk(source):
        dirs[:] = [d for d in dirs if d != "build" and not d.startswith(".")]
        for name in names:
            known.setdefault(name, []).append(os.path.relpath(os.path.join(root, name), source))
    for pattern in ("runtime/rw/**/*.h", "frontend/**/*.h", "codegen/**/*.h"):
        for path in sorted(glob.glob(os.path.join(source, pattern), recursive=True)):
            with open(path, encoding="utf-8") as f:
                lines = f.read().split("\n")
            for at, line in enumerate(lines, 1):
                comment = re.match(r"\s*///?<?(.*)", line)
                if not comment:
                    continue
                text = re.sub(r'"[^"]*"|`[^`]*`', "", comment.group(1))  # names of files of examples
                for named in re.findall(r"(?<![\w./<-])((?:[\w-]+/)*[\w-]+\.(?:h|cpp|md|py|g4))\b", text):
                    base = os.path.basename(named)
                    if not any(there.endswith(named) for there in known.get(base, [])):
                        yield f"{os.path.relpath(path, source)}:{at}: there is no {named}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--show", action="store_true", help="print the file and stop")
    args, flags = parser.parse_known_args()
    text, count = unit(args.source)
    if args.show:
        print(text)
        return 0
    dead = list(dead_references(args.source))
    print(*dead, sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "examples.cpp")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        command = [args.compiler, "-std=c++20", "-fsyntax-only", "-I", HERE, "-I", os.path.join(args.source, "runtime"),
                   "-I", os.path.join(args.source, "patterns", "include"), *flags, path]
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stderr, end="")
    print(f"{count} examples, {len(dead)} dead references")
    return 1 if done.returncode or dead or count < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
