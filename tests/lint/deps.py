#!/usr/bin/env python3
"""Checks every #include against the layers: dependencies point one way.

In:  the source tree (or another one as argument). Out: one line per violation; exit status 1 if there is any.
"""
import os
import sys

from cpp_text import TOP, files, includes, read

# Folder -> the folders it may include. Everything may include what it is itself made of; `support` is under all.
LAYERS = {
    "runtime/rw/support": [],
    "runtime/rw/ir": ["runtime/rw/support"],
    "runtime/rw/rewrite": ["runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/stablehlo": ["runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/jaxpr": ["runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/trace": ["runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/builder": ["runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/passes": ["runtime/rw/rewrite", "runtime/rw/trace", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/convert": ["runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/interp": ["runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/infer": ["runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir",
                         "runtime/rw/support"],
    "runtime/rw/onnx_infer": ["runtime/rw/infer", "runtime/rw/interp", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/exec": ["runtime/rw/interp", "runtime/rw/passes", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/testing": ["runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/plugin": ["runtime/rw/passes", "runtime/rw/support"],
    "runtime/rw/load": ["runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/support"],
    "runtime/rw/optimize": ["runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/trace", "runtime/rw/ir",
                            "runtime/rw/support"],
    "runtime/rw/onnx": ["runtime/rw/optimize", "runtime/rw/infer", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/opt": ["runtime/rw/testing", "runtime/rw/load", "runtime/rw/plugin", "runtime/rw/onnx", "runtime/rw/stablehlo", "runtime/rw/jaxpr", "runtime/rw/optimize", "runtime/rw/exec", "runtime/rw/infer", "runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite",
                       "runtime/rw/trace", "runtime/rw/ir", "runtime/rw/support"],
    "runtime/rw/c": ["runtime/rw/opt", "runtime/rw/load", "runtime/rw/testing", "runtime/rw/optimize", "runtime/rw/interp", "runtime/rw/passes",
                     "runtime/rw/rewrite", "runtime/rw/trace", "runtime/rw/ir", "runtime/rw/support"],
    "frontend/ast": ["runtime/rw/support"],
    "frontend/parse": ["frontend/ast", "runtime/rw/support"],
    "frontend/format": ["frontend/parse", "frontend/ast", "runtime/rw/support"],
    "frontend/sema": ["frontend/ast", "runtime/rw/support"],
    "frontend/check": ["frontend/sema", "frontend/ast", "runtime/rw/support"],
    "frontend/docs": ["frontend/sema", "runtime/rw/support"],
    "codegen/plan": ["frontend/sema", "runtime/rw/support"],
    "codegen/emit": ["codegen/plan", "frontend/sema", "runtime/rw/support"],
    "codegen/machine": ["runtime/rw/load", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "codegen/interpret": ["codegen/machine", "codegen/plan", "frontend/sema", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "codegen/verify": ["codegen/interpret", "codegen/machine", "codegen/plan", "frontend/check", "frontend/sema", "frontend/parse", "frontend/ast", "runtime/rw/load", "runtime/rw/testing",
                       "runtime/rw/onnx_infer", "runtime/rw/infer", "runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir", "runtime/rw/support"],
    "codegen/load": ["codegen/interpret", "codegen/machine", "codegen/plan", "frontend/check", "frontend/sema", "frontend/parse", "frontend/ast", "runtime/rw/load",
                     "runtime/rw/passes", "runtime/rw/ir", "runtime/rw/support"],
    "editor/trial": ["runtime/rw/opt", "runtime/rw/load", "runtime/rw/testing", "runtime/rw/onnx_infer", "runtime/rw/infer", "runtime/rw/passes", "runtime/rw/rewrite",
                     "runtime/rw/ir", "runtime/rw/support"],
    "editor/http": ["runtime/rw/support"],
    "editor/proofs": [],
    "editor/prover": ["codegen/verify", "runtime/rw/support"],
    "editor/http_module": ["editor/http", "runtime/rw/support"],
    "editor/playground": ["editor/http", "editor/server", "editor/trial", "runtime/rw/opt", "runtime/rw/optimize", "runtime/rw/load",
                          "runtime/rw/testing", "runtime/rw/interp", "runtime/rw/passes", "runtime/rw/rewrite", "runtime/rw/ir",
                          "runtime/rw/support"],
    "editor/server": ["editor/proofs", "editor/trial", "runtime/rw/opt", "frontend/check", "frontend/sema", "frontend/format", "frontend/parse", "frontend/ast", "runtime/rw/support"],
}
ROOTS = ("runtime", "frontend", "codegen", "editor")
PREFIXES = {"rw/": "runtime/rw/", "frontend/": "frontend/", "codegen/": "codegen/", "editor/": "editor/"}
# Libraries that only some folders may see. The names of ANTLR's generated headers count as ANTLR.
LIBRARIES = {
    "ANTLR": (("antlr4-runtime", "RwLexer.h", "RwParser.h"), ["frontend/parse", "tests/unit/parse"]),
    "ONNX and Protobuf": (("onnx/", "google/protobuf"), ["runtime/rw/onnx"]),
}
# Libraries whose headers some write in quotes.
QUOTED = ("llvm/", "fmt/", "nlohmann/")
# What public headers of the runtime must not bring along.
HEAVY = ("llvm/", "llvm-c/", "fmt/", "nlohmann/", "iostream", "regex")
# Headers that are not installed: of one folder's own, and for sources alone, which other headers may not include.
FOR_SOURCES = ("runtime/rw/support/failure.h", "runtime/rw/support/json.h")
PRIVATE = ("runtime/rw/c/handles.h", "runtime/rw/c/attr_json.h", *FOR_SOURCES)


def folder_of(path):
    """The layer a file belongs to, or None."""
    return next((layer for layer in LAYERS if path.startswith(layer + "/")), None)


def target_of(include, path):
    """The path in the tree that a quoted include names, or None when it is none of ours."""
    for prefix, folder in PREFIXES.items():
        if include.startswith(prefix):
            return folder + include[len(prefix):]
    return None


def check_file(root, path):
    layer = folder_of(path)
    in_tree = path.split("/")[0] in ROOTS
    if in_tree and layer is None:
        yield 1, "this folder is in no layer: add it to the table in tests/lint/deps.py"
        return
    for line, include, quoted in includes(read(os.path.join(root, path))):
        library_hit = False
        for library, (names, homes) in LIBRARIES.items():
            if include.startswith(names):
                library_hit = True
                if (in_tree or library == "ANTLR") and not path.startswith(tuple(home + "/" for home in homes)):
                    yield line, f"<{include}>: only {', '.join(homes)} may see {library}"
        if layer is None or library_hit:
            continue
        if layer.startswith("runtime/") and path.endswith(".h") and path not in PRIVATE and include.startswith(HEAVY):
            yield line, f"<{include}>: too heavy for a public header of the runtime"
        if "runtime/" + include in FOR_SOURCES and path.endswith(".h") and path not in PRIVATE and layer.startswith("runtime/"):
            yield line, f'"{include}": for sources alone, since it is heavy'
        if include.endswith(".rw.h") or include.endswith("_register.h"):
            yield line, f'"{include}": generated code may not be included here'
            continue
        target = target_of(include, path)
        if target is None:
            if quoted and not include.startswith(QUOTED):
                yield line, f'"{include}": write the path from the include root, e.g. "rw/ir/ids.h"'
            continue
        other = folder_of(target)
        if other is None:
            yield line, f'"{include}": in no layer'
        elif other != layer and other not in LAYERS[layer]:
            yield line, f'"{include}": {layer} may not depend on {other}'


def main(root):
    bad = count = 0
    for top in ROOTS + ("tools", "bench", "tests", "examples"):
        for path in files(root, top, (".h", ".cpp", ".inc")):
            count += 1
            for line, message in check_file(root, path):
                print(f"{path}:{line}: {message}")
                bad += 1
    print(f"{count} files, {bad} violations")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else TOP))
