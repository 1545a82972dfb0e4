#!/usr/bin/env python3
"""docs/verified.md: what the verifier says of each built-in pattern.

In:  --tool, the program verify_builtin; --source. --update writes the page. --cache, a folder in which answers are kept by content.
     --seed N: on programs that other draws give; what is refuted then is a complaint, that less is proved is none.
     --lowerings: of the conversions between ONNX and StableHLO instead (it takes a quarter of an hour): the complaints are those that are refuted;
     with --update the page is docs/verified_lowerings.md.
Out: without --update: a line for each pattern that is refuted, vacuous or wrongly tagged, for each of which less is shown than the page says, for each that
     the pipeline onnx_safe runs and that is not proved bit for bit, for each that is not proved and nothing says why, and if less than 85 percent are proved; exit status 1 if there is any. Files are verified by two processes.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

INTRO = """# Verified

Made by `tests/verify/verified.py --update`: what [the verifier](verification.md) says of each built-in pattern. A test sees to it that none is refuted
and that no less is shown than here. "Every size" counts the classes of programs that were decided with all sizes as symbols.

{summary}
"""
INTRO_LOWERINGS = """# Verified lowerings

Made by `tests/verify/verified.py --lowerings --update`, by hand, since it takes a quarter of an hour: what [the verifier](verification.md) says of each
pattern of the conversions between ONNX and StableHLO. The page [verified.md](verified.md) has the others.
Each refuted one says why it stays so: programs that ONNX does not allow and the evaluator takes, numbers that overflow or are not
finite, and what the formats leave open.

{summary}
"""
# Patterns that are wrongly tagged or not proved, and why they stay so.
EXPLAINED = {
    "ArgMaxOfMonotone": "that a LogSoftmax keeps the order of its elements is no law of terms, which have no order; tagged, and never run without freedoms",
    "BatchNormAsProduct": "epsilon is rounded to the element type in one and not in the other: equal over the reals but for that",
    "Gelu_erf": "the pattern has 1/√2 rounded to a float, and the op has it exactly: equal within the tag",
    "Gelu_tanh": "the pattern has √(2/π) and 0.044715 rounded to floats, and the op has them exactly: equal within the tag",
    "HardSwish": "the pattern has 1/6 rounded to a float, and the op has it exactly: equal within the tag",
    "MinOfRelu": "exact where NaN and zeros are ordered as IEEE 754 has it; ONNX leaves that to engines",
    "ReluOfMax": "exact where NaN and zeros are ordered as IEEE 754 has it; which zero comes of -0 is the engine's choice",
    "MaxPoolOfPad": "exact where NaN and zeros are ordered as IEEE 754 has it; ONNX leaves that to engines",
    "MinOfMax": "exact where NaN and zeros are ordered as IEEE 754 has it; ONNX leaves that to engines",
    "DropMaxPoolOfFloats": "exact here; some engines take the least float for NaN",
    "MergeRoundingCasts": "a number of 64 bits rounded twice may differ; no instance begins with one",
}
for op in ("ConvInteger", "QLinearConv"):
    EXPLAINED[f"SinkThrough{op}"] = "a program in which the verifier does not take the op apart is compared on numbers alone; sums of integers in another order"
for name in ("SinkThroughLpPool", "DropTransposeBeforeGlobalLpPool", "SinkThroughGroupNormalization"):
    EXPLAINED[name] = "some programs in which the verifier does not take the op apart are compared on numbers alone; sums in another order"
EXPLAINED["SinkPastConstants"] = "the verifier finds no program with constants of many elements beside a transpose by itself: those of its tests are compared"
# Patterns of which no programs are made, and what compares some.
UNMADE = {"TransposeBehindLoop": "the verifier makes no loops; tests/golden/passes/transpose_behind_loop.golden compares some"}
# Lowerings that are refuted, and why they stay so.
UNFIT = "a parameter that the element type does not hold is infinite or 0 after the lowering, and multiplied by 0 or an infinity"
REFUTED = {
    "MapDynamicQuantizeLinear": "ONNX does not say which number a NaN becomes",
    "MapTopKBySorting": "ONNX does not say where a NaN stands among numbers",
    "MapSelu": UNFIT,
    "MapHardSigmoid": UNFIT,
    "MapCelu": UNFIT,
    "MapGemmAlone": UNFIT,
    "MapLRN": "an infinite `beta`",
    "MapConvTranspose": "the sum is rounded before the bias is added, and not only behind it",
    "MapConvTransposeAlone": "a weight that is not finite meets the zeros that stand between elements",
    "Convolution": "a weight that is not finite meets the zeros that stand between elements",
    "MapAveragePoolOfPadded": "a window of nothing but padding, which engines refuse",
    "MapDequantizeLinearOfSums": "a zero point for which 32 bits overflow; ONNX asks for 0",
    "MapLSTM": "weights of integers, which ONNX does not allow and the evaluator takes",
    "MapGRU": "weights of integers, which ONNX does not allow and the evaluator takes",
    "BatchNormGradients": "numbers of 16 bits overflow on the way",
}
RANK = {"proved": 2, "checked": 1, "vacuous": 0, "tag": 0, "refuted": 0}
ROW = re.compile(r"^\| `(\w+)` \| (PROVED|CHECKED|VACUOUS|TAG|REFUTED) \|", re.M)


def answers(tool, source, cache, files, seed):
    run = subprocess.run([tool] + ([f"--seed={seed}"] if seed else []) + [os.path.join(source, "patterns"), cache] + files, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def run_by(tool, pipeline):
    """The names of the patterns that a pipeline may run as the options of its passes have it."""
    run = subprocess.run([tool, "--run-by=" + pipeline], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return set(run.stdout.split())


def is_lowering(path):
    """Not those of JAX: nothing is known of its ops but what they are lowered to."""
    return "onnx" in os.path.basename(os.path.dirname(path)) and "_to_" in path


def verify(tool, source, cache, lowerings=False, seed=0):
    """The answers, and how many programs were compared for them (none for an answer from the cache)."""
    files = sorted(path for path in glob.glob(os.path.join(source, "patterns/*/*.rw"))
                   if (is_lowering(path) if lowerings else "_to_" not in path)
                   and os.path.basename(os.path.dirname(path)) != "contrib"
                   and re.search(r"^\s*pattern ", open(path).read(), re.M))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        lines = [line for part in pool.map(lambda f: answers(tool, source, cache, [f], seed), files) for line in part]
    return [a for a in lines if "pattern" in a], sum(line.get("compared", 0) for line in lines)


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def page(all_answers, source, intro=INTRO):
    counts = {}
    for a in all_answers:
        counts[a["verdict"]] = counts.get(a["verdict"], 0) + 1
    summary = f"{len(all_answers)} patterns: " + ", ".join(f"{counts[v]} {v}" for v in RANK if v in counts) + "."
    out = [intro.format(summary=summary)]
    file = None
    for a in all_answers:
        path = os.path.relpath(a["file"], source)
        if path != file:
            out.append(f"\n## {path}\n\n| pattern | verdict | arithmetic | what was decided, or what a proof lacks |\n| --- | --- | --- | --- |\n")
            file = path
        if a["verdict"] in ("tag", "checked") and a["pattern"] in EXPLAINED:
            a["reason"] = EXPLAINED[a["pattern"]]
        if a["verdict"] == "vacuous" and a["pattern"] in UNMADE:
            a["reason"] = UNMADE[a["pattern"]]
        if a["verdict"] == "refuted" and a["pattern"] in REFUTED:
            a["reason"] = REFUTED[a["pattern"]]
        text = a["scope"] if a["verdict"] == "proved" else (a["scope"] + "; " if a["scope"] else "") + a["reason"]
        if len(text) > 300:
            text = text[:300] + " …"
        out.append(f"| `{a['pattern']}` | {a['verdict'].upper()} | {a['arithmetic']} | {cell(text)} |\n")
    return "".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--cache", default="")
    parser.add_argument("--lowerings", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    source = os.path.realpath(args.source)
    found, compared = verify(args.tool, source, "" if args.seed else args.cache, args.lowerings, args.seed)
    if args.lowerings:
        bad = [f"{a['file']}:{a['line']}: {a['pattern']}: {a['reason']}\n{a['counterexample'] or ''}" for a in found if a["verdict"] == "refuted" and a["pattern"] not in REFUTED]
        if args.update:
            open(os.path.join(source, "docs/verified_lowerings.md"), "w").write(page(found, source, INTRO_LOWERINGS))
        print("\n".join(bad))
        print(f"{len(found)} lowerings: " + ", ".join(f"{sum(a['verdict'] == v for a in found)} {v}" for v in RANK))
        return 1 if bad else 0
    path = os.path.join(source, "docs/verified.md")
    if args.update:
        open(path, "w").write(page(found, source))
        return 0
    said = dict(ROW.findall(open(path).read()))
    safe = run_by(args.tool, "onnx_safe")
    bad = [] if safe & {a["pattern"] for a in found} else ["onnx_safe runs none of the patterns that were verified"]
    for a in found:
        name, verdict = a["pattern"], a["verdict"]
        if name in UNMADE and verdict == "vacuous" and name not in safe:
            continue
        if name in safe and (verdict, a["arithmetic"]) != ("proved", "bit for bit") and not args.seed:
            bad.append(f"{a['file']}:{a['line']}: {name} is run by onnx_safe, and is {verdict} {a['arithmetic']}: {a['reason']}")
        if verdict == "tag" and name in EXPLAINED:
            continue
        if verdict == "checked" and name not in EXPLAINED and not args.seed:
            bad.append(f"{a['file']}:{a['line']}: {name} is checked, and EXPLAINED does not say why it is not proved: {a['reason']}")
        if verdict in ("refuted", "tag", "vacuous"):
            bad.append(f"{a['file']}:{a['line']}: {name} is {verdict}: {a['reason']}\n{a['counterexample'] or ''}")
        elif not args.seed and RANK[verdict] < RANK[said.get(name, "vacuous").lower()]:
            bad.append(f"{a['file']}:{a['line']}: {name} is {verdict} and was {said[name]}: {a['reason']}")
    open_ = {a["pattern"] for a in found if a["verdict"] in ("tag", "checked")}
    bad += [f"EXPLAINED has {name}, which is neither checked nor wrongly tagged" for name in EXPLAINED if name not in open_ and not args.seed]
    proved = sum(a["verdict"] == "proved" for a in found)
    if proved < 0.85 * len(found):
        bad.append(f"{proved} of {len(found)} are proved")
    print("\n".join(bad))
    print(f"{len(found)} patterns, {proved} proved, {len(bad)} complaints, {compared} programs compared")
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main())
