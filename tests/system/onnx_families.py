#!/usr/bin/env python3
"""rw-opt on models of many kinds (tests/families), each for its own operator set and for newer ones.

In:  --bin, where rw-opt is. Reference counts are what onnxruntime's level "basic" leaves (tests/peers/onnxruntime_families.py).
Out: a line per complaint: more nodes (without Constant) or Transposes than the reference, another second result than the first, outputs
     that the evaluator tells apart, ops that the operator set has not; exit status 1 if there is any. The table in docs/onnx.md says
     the same, or --update writes it.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DOC = os.path.join(HERE, "..", "..", "docs", "onnx.md")
sys.path.insert(0, os.path.join(HERE, "..", "families"))
import families  # noqa: E402
from onnx_writer import node_counts  # noqa: E402

NEW_OPS = {"LayerNormalization": 17, "Gelu": 20, "HardSwish": 14, "Mish": 18, "Swish": 24}  # the first operator set that has them
OLDEST = {"bert": 14, "llama": 14, "tf_bert": 14, "diffusion": 14, "speech_decoder": 14, "efficientnet_last": 15, "jax_resnet": 15, "unet": 16,
          "jax_vit": 17, "jax_unet": 17, "rope_dynamo": 18, "newest_ops": 21}  # else 13


def optimised(tool, source, target, *options):
    done = subprocess.run([tool, source, "-o", target, *options], capture_output=True, text=True, check=False)
    # What the evaluator cannot do (an index by chance out of range, an op without kernel) is compared by the peer test alone.
    if done.returncode or [line for line in done.stderr.splitlines() if not line.endswith("[not-checked]")]:
        return None, done.stderr or f"exit status {done.returncode}"
    with open(target, "rb") as file:
        return file.read(), ""


def summary(content):
    """Nodes without Constant, Transposes."""
    counts = node_counts(content)
    return sum(n for op, n in counts.items() if op != "Constant"), counts.get("Transpose", 0)


def complaints(tool, folder, name, opset, reference, seen):
    source, first, second = (os.path.join(folder, part + name + ".onnx") for part in ("", "1-", "2-"))
    content, why = optimised(tool, source, first, "--check", "1")
    if content is None:
        return [why]
    with open(source, "rb") as file:
        before = summary(file.read())
    nodes, transposes = summary(content)
    seen[name] = (before, (nodes, transposes))
    out = [f"{op} in an operator set that has none" for op in node_counts(content) if NEW_OPS.get(op, 0) > max(opset, OLDEST.get(name, 13))]
    if nodes > reference[0] or transposes > reference[1]:
        out.append(f"{nodes} nodes and {transposes} Transposes, not {reference[0]} and {reference[1]} at most")
    again, why = optimised(tool, first, second)
    if again != content:
        out.append(why or "a second run changes the result")
    return out


def table(seen, reference):
    """Markdown: of each family what there was, what is left, what the engine leaves, for its own operator set and for the newest."""
    newest = str(families.OPSETS[-1])
    pair = lambda counts: f"{counts[0]} ({counts[1]})"  # noqa: E731
    rows = ["| family | before | rw-opt | onnxruntime | set " + newest + ": rw-opt | onnxruntime |", "| --- | --- | --- | --- | --- | --- |"]
    for name in sorted(seen["0"]):
        before, after = seen["0"][name]
        rows.append(f"| {name} | {pair(before)} | {pair(after)} | {pair(reference['0'][name])} | {pair(seen[newest][name][1])} | {pair(reference[newest][name])} |")
    return "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    with open(os.path.join(HERE, "..", "families", "reference.json"), encoding="utf-8") as file:
        reference = json.load(file)
    bad, seen = 0, {}
    with tempfile.TemporaryDirectory(prefix="rw-families-") as work:
        for opset in families.OPSETS:
            folder, of = os.path.join(work, str(opset)), seen.setdefault(str(opset), {})
            for name in families.write_all(folder, opset):
                for text in complaints(os.path.join(args.bin, "rw-opt"), folder, name, opset, reference[str(opset)][name], of):
                    bad += 1
                    print(f"{name}, operator set {opset or 'its own'}: {text}")
    print(f"{sum(map(len, seen.values()))} models, {bad} complaints")
    if bad:
        return 1
    with open(DOC, encoding="utf-8") as file:
        text = file.read()
    start = text.index("| family |")
    end = text.index("\n\n", start) + 1
    if text[start:end] != table(seen, reference):
        if not args.update:
            print("docs/onnx.md has other numbers; tests/system/onnx_families.py --update writes them")
            return 1
        with open(DOC, "w", encoding="utf-8") as file:
            file.write(text[:start] + table(seen, reference) + text[end:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
