#!/usr/bin/env python3
"""Writes .rw files with many patterns, for the figures on compiling and on matching.

In:  generate.py --mixed N FILE: N patterns of all kinds over forty ops, and the ops.
     generate.py --one-root N FILE: N patterns at one op that differ in the op that makes its operand, a number it
     carries or a constant it is given, and the ops.
Out: the file; the same for the same arguments.
"""
import argparse


def ops(count):
    lines = ["dialect many;", "op constant() -> tensor { attr value: tensor; traits pure, constant; type (value.dtype, value.shape); }",
             "op add(lhs: tensor, rhs: tensor) -> tensor { traits pure, elementwise, commutative; type (lhs.dtype, lhs.shape); }",
             "op permute(x: tensor) -> tensor { attr perm: [int]; traits pure; type (x.dtype, [x.shape[p] for p in perm]); }",
             "op scale(x: tensor) -> tensor { attr by: int; traits pure, elementwise; type (x.dtype, x.shape); }"]
    for i in range(count):
        lines.append(f"op u{i}(x: tensor) -> tensor {{ traits pure, elementwise; type (x.dtype, x.shape); }}")
    return lines


def mixed(count):
    lines = ops(40)
    lines.append("fn compose(p: [int], q: [int]) -> [int] = [p[i] for i in q];")
    for i in range(count):
        a, b, c = i % 40, i // 40 % 40, (i * 7 + 3) % 40
        lines.append([
            f"pattern P{i} {{ u{a}(u{b}(scale(x, by = {i}))) => u{c}(x) }}",
            f"pattern P{i} benefit {1 + i % 3} {{ u{a}(permute(u{b}(x), perm = p)) where x.rank == {i} => permute(u{c}(x), perm = p) }}",
            f"pattern P{i} {{ add(u{a}(x), scale(y, by = {i})) where x.type == y.type => u{b}(add(x, y)) }}",
            f"pattern P{i} {{ permute(permute(u{a}(x), perm = p), perm = q) where len(p) == {i} => permute(u{b}(x), perm = compose(p, q)) }}",
            f"pattern P{i} {{ scale(add(u{a}(x), splat({i})), by = n) => scale(x, by = n) }}",
        ][i % 5])
    return lines + ["pass many { " + ", ".join(f"P{i}" for i in range(count)) + "; }"]


def one_root(count):
    lines = ops(40)
    for i in range(count):
        lines.append([
            f"pattern P{i} {{ add(x, splat({i})) => x }}",
            f"pattern P{i} {{ add(scale(x, by = {i}), y) => add(x, y) }}",
            f"pattern P{i} {{ add(u{i % 40}(scale(x, by = {i})), y) => x }}",
        ][i % 3])
    return lines + ["pass many { " + ", ".join(f"P{i}" for i in range(count)) + "; }"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--mixed", type=int, metavar="N")
    kind.add_argument("--one-root", type=int, metavar="N")
    parser.add_argument("file")
    args = parser.parse_args()
    lines = mixed(args.mixed) if args.mixed is not None else one_root(args.one_root)
    with open(args.file, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


main()
