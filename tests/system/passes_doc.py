#!/usr/bin/env python3
"""The page of passes: each with its source, its patterns, their conditions and an example.

In:  --source, the source tree; --rw-opt, the built tool. --write FILE, as the build does, writes the page: passes and pipelines
     in C++ from what rw-opt lists, all others and patterns from patterns/**/*.rw, examples from tests/golden/passes.
Out: without --write: one line per name on the page that rw-opt does not know; exit status 1 if there is any.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

# Which founding document a pass comes from; those not listed are this project's own.
SEEDS = {
    "transpose_pairs": "jax2onnx optimizer passes, Transpose Pair Folding", "transpose_pair_folding": "jax2onnx optimizer passes",
    "layout": "jax2onnx optimizer passes, and the language tour", "transpose_dags": "jax2onnx, residual connections",
    "identity_reshape": "jax2onnx optimizer passes, Identity Reshape Removal", "identity_reshape_removal": "jax2onnx optimizer passes",
    "reshape_pairs": "jax2onnx", "redundant_casts": "jax2onnx", "dropout_inference": "jax2onnx", "rewrite_mul_rsqrt": "jax2onnx",
    "optimize_graph": "jax2onnx optimizer passes, Pipeline Placement", "default": "PTIR optimizer", "full": "PTIR optimizer",
    "tenferro": "tenferro passes", "remove_redundant_transpose_pairs": "jax2onnx", "remove_redundant_reshape_pairs": "jax2onnx",
    "remove_redundant_casts": "jax2onnx", "remove_redundant_casts_after_propagation": "jax2onnx", "rewrite_mul_rsqrt_as_div": "jax2onnx", "name_fix": "jax2onnx", "rewrite_mul_sigmoid": "jax2onnx", "remove_identity_reshapes": "jax2onnx", "remove_dead_nodes": "jax2onnx",
    "remove_orphan_transposes": "jax2onnx", "common_subexpression_elimination": "jax2onnx", "lift_constants_to_initializers": "jax2onnx",
}
INTRO = """# Passes

Made by the build from what `rw-opt` lists, the `.rw` files and the golden tests.
Run them by name: `rw-opt model.onnx --pipeline transpose_pairs,cse,dce -o out.onnx`. `rw-opt --list-passes` and `--list-patterns` list them too.

What every pattern keeps: values bit for bit unless it is marked fastmath, or labelled reorder (a reduction then adds up in another order) or
reorder_products (a contraction does: `dot_dimension_sorter`); number, order, names and types of results; effects. A value that is a result or is captured by a region has that use.
"""


def documented(text, kind):
    """(doc, head, body) of each declaration of a kind."""
    body = r"(\{.*?^\}|\{[^\n]*\})" if kind == "pattern" else r"(=[^;]*;|\{[^}]*\})"
    form = r"((?:^///[^\n]*\n)*)((?:^for [^\n]*\n)?)^" + kind + r" (\S+)([^\n]*?)" + body
    for m in re.finditer(form, text, re.M | re.S):
        yield " ".join(line[3:].strip() for line in m[1].splitlines()), m[2], m[3], m[4].strip(), m[5]


def example(goldens, name, loop):
    """The shortest golden test in which the pattern fires; of a template, what its `for` lists stands for a name in braces."""
    parts = "(?:" + "|".join(re.findall(r"\w+", loop)) + ")" if "{" in loop else r"\w+"
    found = re.compile(r"by " + re.sub(r"\\\{\w+\\\}", lambda _: parts, re.escape(name)) + r"\b")
    fitting = [(len(text), path, text) for path, text in goldens if found.search(text)]
    return min(fitting)[1:] if fitting else None


def sections(path, source, goldens):
    text = open(path).read()
    rel = os.path.relpath(path, source)
    passes = [(kind, *p) for kind in ("pass", "conversion", "pipeline") for p in documented(text, kind)]
    patterns = list(documented(text, "pattern"))
    if not passes and not patterns:
        return
    yield f"## `{rel}`\n"
    for kind, doc, _, name, _, body in passes:
        members = " ".join(body[1:-1].split()).rstrip(";")
        yield f"- {kind} **`{name}`**: {doc or 'The same under another name.'} Source: {SEEDS.get(name, 'this project')}. Made of: `{members}`."
    for doc, loop, name, tags, body in patterns:
        where = re.search(r"\bwhere\b(.*?)=>", body, re.S)
        conditions = f" Only where `{' '.join(where[1].split())}`." if where else ""
        yield f"\n### `{name}`\n\n{doc}{conditions}{' Tags: `' + tags + '`.' if tags else ''}\n"
        shown = example(goldens, name, loop)
        if shown:
            body = lambda part: "\n".join(re.findall(r"^  (?!return)(.*)$", part, re.M)) or "(nothing is left)"
            before, after = shown[1].split("==== stdout")[0].split("==== file")[-1], shown[1].split("==== stdout")[-1].split("====")[0]
            yield f"`tests/golden/passes/{os.path.basename(shown[0])}`:\n\n    {body(before).replace(chr(10), chr(10) + '    ')}\n\nbecomes\n\n    {body(after).replace(chr(10), chr(10) + '    ')}"


def listed(text):
    """What --list-passes says: kind -> name -> what stands behind it."""
    headings = {"Passes:": "pass", "Pipelines:": "pipeline"}
    found = {kind: {} for kind in headings.values()}
    for line in text.splitlines():
        if line in headings:
            kind = headings[line]
        elif line:
            name, _, rest = line.partition(" ")
            found[kind][name] = rest.strip()
    return found


def in_cpp(listing, source):
    """The passes and pipelines that no .rw file declares: those look at whole functions or programs."""
    declared = set()
    for path in glob.glob(os.path.join(source, "patterns", "**", "*.rw"), recursive=True):
        with open(path, encoding="utf-8") as f:
            declared |= set(re.findall(r"^(?:pass|conversion|pipeline) (\w+)", f.read(), re.M))
    yield "## In C++\n"
    for kind, entries in listing.items():
        for name, said in entries.items():
            if name in declared:
                continue
            headers = glob.glob(os.path.join(source, "runtime", "rw", "*", name + ".h"))
            more = f" More: `{os.path.relpath(headers[0], source)}`." if headers else ""
            yield f"- {kind} **`{name}`**: {said}{more}" if kind == "pass" else f"- {kind} **`{name}`**: `{said}`"
    yield ""


def made(source, listing):
    """The page."""
    goldens = [(p, open(p, encoding="utf-8").read()) for p in sorted(glob.glob(os.path.join(source, "tests/golden/passes/*.golden")))]
    files = sorted(glob.glob(os.path.join(source, "patterns", "**", "*.rw"), recursive=True))
    files = [p for p in files if os.path.basename(os.path.dirname(p)) != "contrib"]
    lines = [*in_cpp(listed(listing), source), *(line for f in files for line in sections(f, source, goldens))]
    return INTRO + "\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--rw-opt", required=True)
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    run = lambda flag: subprocess.run([options.rw_opt, flag], capture_output=True, text=True, check=True).stdout
    listing = run("--list-passes")
    text = made(options.source, listing)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as out:
            out.write(text)
        return 0
    known = set(re.findall(r"[\w.-]+", listing + run("--list-patterns")))
    names = re.findall(r"^- (?:pass|pipeline) \*\*`(\w+)`\*\*", text, re.M)
    patterns = re.findall(r"^### `([^`]+)`", text, re.M)
    missing = [n for n in names if n not in known]
    missing += [p for p in patterns if not any(re.fullmatch(re.sub(r"\{\w+\}", r"\\w+", p), k) for k in known)]
    for name in missing:
        print(f"the page of passes names {name}, which rw-opt does not know")
    print(f"{len(names)} passes and pipelines, {len(patterns)} patterns, {len(missing)} unknown")
    return 1 if missing or not names or not patterns else 0


if __name__ == "__main__":
    sys.exit(main())
