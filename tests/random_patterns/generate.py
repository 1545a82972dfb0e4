#!/usr/bin/env python3
"""Random sets of patterns, with random programs on which they fire.

    generate.py OUT --rwc build/dev/bin/rwc [--files 1] [--sets 10] [--patterns 12] [--programs 25] [--seed 1]

In:  how many; rwc, which says what of it is right.
Out: OUT/random_N.rw: a file of sets, each a pass of its own, over the ops of ops.rw and a few of its own.
     OUT/random_N.rwir: programs, `func @sSET_I`, to run the pass of each set on.
     OUT/random_N.json: which constructs of the language each pattern has, and how many patterns rwc refused.

Every pattern is generated together with programs that it matches: each piece of a left side knows how to write ops that fit it. What
stands around these is random, leaves are values of the program, and now and then something else stands where a piece should be. Most of what
is generated is right; patterns that rwc refuses are left out, and a refusal without a diagnostic is an error.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys

from expressions import Expressions, Names
from fitting import FittingMaker
from patterns import PatternMaker
from programs import OPS, UNARY, Op, Program
from regions import RegionMaker

HERE = os.path.dirname(os.path.abspath(__file__))

# ---- files --------------------------------------------------------------------------------------------------------


def own_ops(rng, file, mark):
    """Ops that a file declares, with random expressions in their clauses; and functions."""
    dialect = f"own{file}"
    meant = random.Random(f"{file} {rng.getstate()[1][0]} means") # of its own: what else is made stays as it is
    texts, ops, functions = [f'dialect {dialect}{rng.choice(["", f" {chr(34)}com.example.own{file}{chr(34)}"])};\n'], [], []
    for i in range(4):
        names = Names()
        params = [rng.choice(["int", "[int]", "float", "dim", "bool", "[dim]", "value", "[[int]]", "dtype"]) for _ in range(rng.choice([1, 2, 3]))]
        for k, p in enumerate(params):
            names.kinds[f"p{k}"] = p
        of = rng.choice(["int", "bool", "[int]", "float", "dim", "[dim]", "dtype"])
        body = Expressions(rng, names, mark, functions).make(of)
        texts.append((f"fn own_{file}_{i}(" + ", ".join(f"p{k}: {p}" for k, p in enumerate(params)) + f") -> {of} = {body};\n", ("fn", None)))
        functions.append((f"own_{file}_{i}", params, of))
    for i in range(5):
        names = Names()
        names.kinds["x"] = "value"
        names.kinds["k"] = "int"
        clauses = []
        make = Expressions(rng, names, mark, functions).make
        default = Names()
        default.kinds["x"] = "value"
        value = Expressions(rng, default, mark, functions).make("int") if rng.random() < 0.6 else "1"
        clauses.append(f"attr k: int = {value};")
        mark("op: default of an attribute")
        traits = ["pure"] + (["elementwise"] if rng.random() < 0.5 else [])
        clauses.append(f"traits {', '.join(traits)};")
        if rng.random() < 0.7:
            clauses.append(f"require {make('bool')} or k < 5" + rng.choice(["", ', "k is {k} of {x.dtype}"']) + ";")
            mark("op: require")
        roll = rng.random()
        clauses.append("type x.type;" if roll < 0.4 else "type (x.dtype, x.shape);" if roll < 0.7 else f"type (x.dtype, {make('[dim]')});" if roll < 0.9 else "")
        mark("op: type")
        if rng.random() < 0.5:
            clauses.append(f"fold {rng.choice(['x', 'x', 'splat(k, x.type)'])} if {make('bool')};")
            mark("op: fold")
        name = f"z{i}"
        if meant.random() < 0.6:
            of_k = Expressions(meant, names, mark, functions).make
            simple = ["neg(x)", "x", "add(x, abs(x))", "let y = exp(x) in mul(y, x)", "mul(x, splat(k, (x.dtype, [])))"]
            simple.append(f"perm(x, perm = {of_k('[int]')})")
            simple += [f"z{meant.randrange(i)}(x, k = {of_k('int')})"] if i else []
            clauses += [f"means {meant.choice(simple)} if {of_k('bool')};" for _ in range(meant.choice([0, 1, 2]))]
            clauses.append(f"means {meant.choice(simple)};")
            mark("op: means")
        texts.append((f"op {name}(x: tensor) -> tensor {{ {' '.join(c for c in clauses if c)} }}\n", ("op", name)))
        ops.append(Op(name, UNARY, {"k": ("int", "1")}, elementwise="elementwise" in traits, dialect=dialect))
    return texts, ops, functions


def refused_lines(rwc, path, include):
    """Lines of the errors of a file. A failure without errors ends this program."""
    done = subprocess.run([rwc, "--check", "-I", include, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    errors = re.findall(r"^[^\n]*?\.rw:(\d+):\d+: error: (.*)$", done.stdout, re.M)
    if done.returncode == 0:
        return []
    if done.returncode != 1 or not errors:
        sys.exit(f"{path}: rwc gives {done.returncode} and no error of a line:\n{done.stdout[-2000:]}")
    return [(int(line), text) for line, text in errors]


def make_file(file, args, reasons):
    rng = random.Random(f"{args.seed} {file}")
    marks = set()
    declared, ops, functions = own_ops(rng, file, marks.add)
    header = declared[0]
    pieces = [(text, what) for text, what in declared[1:]]
    all_ops = [o for o in OPS] + ops
    sets = []
    for s in range(args.sets):
        made = []
        for i in range(args.patterns):
            roll = rng.random()
            if roll < 0.18:
                made.append((RegionMaker if roll < 0.08 else FittingMaker)(rng, f"P{file}_{s}_{i}").make())
                continue
            while True:
                try:
                    made.append(PatternMaker(rng, f"P{file}_{s}_{i}", all_ops, functions, f"label{file}_{s}").make())
                    break
                except (IndexError, KeyError, RecursionError):
                    continue
        sets.append(made)
    made_count = sum(len(m) for m in sets)
    path = os.path.join(args.out, f"random_{file}.rw")
    # What rwc refuses is left out, until it refuses nothing.
    for _ in range(12):
        text, owner = 'import "ops.rw";\n' + header, {}

        def put(piece, what):
            nonlocal text
            for n in range(text.count("\n") + 1, text.count("\n") + piece.count("\n") + 1):
                owner[n] = what
            text += piece

        for piece, what in pieces:
            put(piece, ("piece", piece))
        for s, made in enumerate(sets):
            for m in made:
                put(m.text, ("pattern", s, m))
            members = [n for m in made for n in m.members]
            if not members:
                members = ["NegTwice"]
            labelled = [n for m in made if f'label "label{file}_{s}"' in m.text for n in m.members]
            if s % 3 == 2 and labelled:
                rest = [n for n in members if n not in labelled]
                put(f"pass set{file}_{s} {{ " + ", ".join(rest + [f'label "label{file}_{s}"']) + "; max_iterations = 6; }\n", ("pass",))
                marks.add("pass: by label")
            else:
                put(f"pass set{file}_{s} {{ {', '.join(members)}; max_iterations = 6; }}\n", ("pass",))
            freedoms = "true" if s % 4 else '"reassoc,contract"'
            put(f"pipeline run{file}_{s} = repeat(2) {{ set{file}_{s}{{fastmath = {freedoms}, max_rewrites = 40}}, cse }}, set{file}_{s}{{order = \"top-down\", max_rewrites = 40}}, expand_meanings{{max_rewrites = 60}}, dce;\n", ("pass",))
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        wrong = refused_lines(args.rwc, path, HERE)
        if not wrong:
            break
        gone = False
        for line, reason in wrong:
            what = owner.get(line)
            reasons[reason] += 1
            if what and what[0] == "pattern" and what[2] in sets[what[1]]:
                sets[what[1]].remove(what[2])
                gone = True
            elif what and what[0] == "piece":
                before = len(pieces)
                dropped = [p for p in pieces if p[0] == what[1]]
                pieces = [p for p in pieces if p[0] != what[1]]
                gone = gone or len(pieces) != before
                for _, (kind, name) in dropped:
                    if kind == "op":
                        plain = f"op {name}(x: tensor) -> tensor {{ attr k: int = 1; traits pure, elementwise; type x.type; }}\n"
                        if plain != what[1]:
                            pieces.append((plain, ("op", name)))
        if not gone:
            sys.exit(f"{path}: errors at {wrong[:3]} belong to no pattern")
    else:
        sys.exit(f"{path}: still refused")
    programs = []
    for s, made in enumerate(sets):
        for i in range(args.programs):
            type_ = rng.choice(made).same_type if made and rng.random() < 0.8 else rng.choice(Program.TYPES)
            p = Program(rng, f"set{file}_{s}_{i}", type_)
            for _ in range(rng.choice([3, 5, 8])):
                if made and rng.random() < 0.8:
                    m = rng.choice(made)
                    p.misses = rng.random() < 0.25 # nearly what the pattern asks for: a test that asks too little shows here
                    m.emit(p, m.same_type if rng.random() < 0.7 else type_)
                    p.misses = False
                else:
                    p.any_op(type_)
            programs.append(p.text())
    with open(os.path.join(args.out, f"random_{file}.rwir"), "w", encoding="utf-8") as f:
        f.write("\n".join(programs))
    return {"refused": made_count - sum(len(m) for m in sets), "made": made_count, "declarations": sorted(marks),
            "meanings": sum(piece.count(" means ") for piece, _ in pieces),
            "patterns": {n: sorted(m.used) for made in sets for m in made for n in m.members}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--sets", type=int, default=10, help="sets of a file")
    parser.add_argument("--patterns", type=int, default=12, help="patterns of a set")
    parser.add_argument("--programs", type=int, default=25, help="programs of a set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reasons", action="store_true", help="print why patterns were refused")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for old in os.listdir(args.out):
        if re.fullmatch(r"random_\d+\.(rw|rwir|json)", old) and int(re.search(r"\d+", old).group()) >= args.files:
            os.remove(os.path.join(args.out, old))
    reasons = collections.Counter()
    for file in range(args.files):
        info = make_file(file, args, reasons)
        with open(os.path.join(args.out, f"random_{file}.json"), "w", encoding="utf-8") as f:
            json.dump(info, f, indent=1)
        if args.reasons:
            print(f"file {file}: {info['refused']} of {info['made']} refused")
    if args.reasons:
        for reason, count in reasons.most_common(60):
            print(f"{count:5} {reason}")


if __name__ == "__main__":
    main()
