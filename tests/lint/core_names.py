#!/usr/bin/env python3
"""The core knows no op names: no string in it is the name of an op that a dialect declares.

In:  the op declarations of patterns/**/*.rw, and the sources of runtime/rw/{support,ir,rewrite,passes,infer}.
Out: one line per string literal that is an op's name or contains one as `dialect.op`; exit status 1 if there is any.
"""
import os
import re
import sys

from cpp_text import TOP, files, read, string_literals

CORE = ["runtime/rw/" + part for part in ("support", "ir", "rewrite", "passes", "infer")]
DECLARATION = re.compile(r"^\s*(?:dialect\s+(?P<dialect>\w+)|op\s+(?P<op>\w+))", re.M)
# Words of the core that happen to be op names too: here they mean something else.
OTHER_MEANING = {
    "constant": "a trait in the schema",
}


def registered_ops(root):
    ops = set()
    for path in files(root, "patterns", (".rw",)):
        dialect = ""
        text = re.sub(r"//[^\n]*", "", read(os.path.join(root, path)))
        for m in DECLARATION.finditer(text):
            if m.group("dialect"):
                dialect = m.group("dialect")
            else:
                ops.add((dialect, m.group("op")))
    return ops


def main(root):
    ops = registered_ops(root)
    plain = {op for _, op in ops} - set(OTHER_MEANING)
    dotted = {f"{dialect}.{op}" for dialect, op in ops}
    bad = count = 0
    for folder in CORE:
        for path in files(root, folder, (".h", ".cpp", ".inc")):
            count += 1
            for line, text in string_literals(read(os.path.join(root, path))):
                words = {text} & plain | {w for w in re.findall(r"\w+\.\w+", text) if w in dotted}
                for word in sorted(words):
                    print(f"{path}:{line}: the core names the op `{word}`")
                    bad += 1
    print(f"{len(ops)} ops, {count} files, {bad} violations")
    return 1 if bad or not ops or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else TOP))
