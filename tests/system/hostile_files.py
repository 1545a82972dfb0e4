#!/usr/bin/env python3
"""Files meant to harm a reader end in time: deep, huge, exponential, going round in circles, or no text at all.

In:  --bin, where rwc and rw-opt are; names of cases for those alone.
Out: a line per complaint, and exit status 1 if there is any. Each file goes through `rwc --check` and `rw-opt --patterns`. Both must
     end within SECONDS of processor time and MEMORY, with exit status 0, or with status 1 and an error that has a place and a tag; no
     crash, no exception's text. What a case must come to is said where it is made: OK, ERROR (the tag), or nothing.

The files are made here: the largest are just below or above the 4 MB that a file may have.
"""
import argparse
import concurrent.futures
import os
import re
import resource
import subprocess
import sys
import tempfile

SECONDS = 60
MEMORY = 4 << 30
MANY = 5000
FORBIDDEN = re.compile(r"terminate called|what\(\):|runtime error|LLVM ERROR|Assertion|PLEASE submit|SUMMARY: ")
PLACED = re.compile(r"^[^\s:]+(:\d+:\d+)?: error: .* \[[a-z0-9-]+\]$", re.M)

OPS = """dialect d;
op many(xs: tensor...) -> tensor { attr l: [int] = []; attr a: int = 0; traits pure; type xs[0].type; }
op one(x: tensor) -> tensor { traits pure, elementwise; type (x.dtype, x.shape); }
op two(x: tensor, y: tensor) -> tensor { traits pure, elementwise, commutative; type (x.dtype, x.shape); }
"""
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def each(n, text, between=", "):
    """`text` with @ for each number below n."""
    return between.join(text.replace("@", str(i)) for i in range(n))


def pattern(left, where="", right="x"):
    return OPS + f"pattern P {{ {left} {'where ' + where if where else ''} => {right} }}\n"


# ---- deep: every construct that nests, 100,000 levels ------------------------------------------------------------------
DEEP = {
    "parentheses": ("fn f(a: int) -> int = ", "(", "a", ")", ";"),
    "lists": ("fn f(a: int) -> int = len(", "[", "a", "]", ");"),
    "negations": ("fn f(a: int) -> int = ", "-", "a", "", ";"),
    "nots": ("fn f(a: bool) -> bool = ", "not ", "a", "", ";"),
    "ifs": ("fn f(a: bool) -> bool = ", "if a then a else ", "a", "", ";"),
    "lets": ("fn f(a: int) -> int = ", "let b = 1 in ", "a", "", ";"),
    "indexes": ("fn f(a: [int]) -> [int] = a", "[a[0]..", "", "]", ";"),
    "sums": ("fn f(a: int) -> int = ", "a + ", "a", "", ";"),
    "calls": ("fn f(a: int) -> int = ", "abs(", "a", ")", ";"),
    "fors": ("fn f(a: [int]) -> [int] = [1 ", "for b in a ", "for c in a", "", "];"),
    "comprehensions": ("fn f(a: [int]) -> [int] = ", "[x for x in ", "a", "]", ";"),
    "types": (OPS + "pattern P { one(x: ", "(", "f32", ", f32)", ") => x }"),
    "parameters": ("fn f(a: ", "[", "int", "]", ") -> int = 1;"),
    "matches": (OPS + "pattern P { ", "one(", "x", ")", " => x }"),
    "alternatives": (OPS + "pattern P { one(", "(", "x", " | one(x))", ") => x }"),
    "eachs": (OPS + "pattern P { one(", "each ", "x", "", ") => x }"),
    "attributes": (OPS + "pattern P { many(x, l = ", "[", "1", "]", ") => x }"),
    "tests": (OPS + "pattern P { one(x) where ", "x is one(", "x", ")", " => x }"),
    "builds": (OPS + "pattern P { one(x) => ", "one(", "x", ")", " }"),
    "stages": (OPS + "pattern P { one(one(x)) => one(x) } pass p { P; } pipeline q = ", "repeat(9) { ", "p", " }", ";"),
    "braces": ("", "{", "", "}", ""),
    "comments": ("", "/* ", "", " */", ""),
}


@case
def deep():
    for name, (before, opens, inner, closes, after) in DEEP.items():
        for levels in (150, 100000):
            yield f"{name} {levels}", before + opens * levels + inner + closes * levels + after, None
        yield f"{name} unclosed", before + opens * 100000, None


# ---- huge: many of everything, and single things of nearly 4 MB ---------------------------------------------------------
def op_with(clauses, operands="x: tensor"):
    return f"dialect d; op o({operands}) -> tensor {{ traits pure; {clauses} }}\n"


@case
def many():
    n = MANY
    attrs, operands = each(n, "attr a@: int;\n", ""), each(n, "x@: tensor")
    ops = each(n, "op o@(x: tensor) -> tensor { traits pure; type (x.dtype, x.shape); }\n", "")
    yield "attributes", op_with(attrs), "OK"
    yield "attributes with defaults", op_with("attr b0: int = 1; " + "".join(f"attr b{i + 1}: int = b{i};\n" for i in range(n))), "OK"
    yield "attributes with choices", op_with(each(n, 'attr a@: "u" | "v" = "v";\n', "")), "OK"
    yield "choices", op_with('attr a: ' + each(n, '"u@"', " | ") + ';'), "OK"
    yield "requirements", op_with(each(n, 'require x.rank != @, "not {x.rank}";\n', "")), "OK"
    yield "folds", op_with(each(n, "fold x if x.rank == @;\n", "")), "OK"
    yield "operands", op_with("", operands), "OK"
    yield "typed operands", op_with("", each(n, "x@: f32[d@]")), None
    yield "dimensions", op_with("", "x: f32[" + each(n, "d@") + "]"), "OK"
    yield "tuple", op_with("", "x: (" + each(n, "f32[d@]") + ")"), None
    yield "attributes matched", op_with("type x.type; " + attrs) + "pattern P { o(x, " + each(n, "a@ = v@") + ") => x }", "OK"
    yield "operands matched", pattern("many(x, " + each(n, "one(x@)") + ")"), "OK"
    yield "one name", pattern("many(x, " + each(n, "one(x)") + ")"), "OK"
    yield "elements", pattern("many(x, l = [" + each(n, "@") + "])"), "OK"
    yield "dimensions matched", pattern("one(x: f32[" + each(n, "@") + "])"), "OK"
    yield "tuple matched", pattern("one(x: (" + each(n, "f32") + "))"), None
    yield "conditions", pattern("one(x)", each(n, "x.rank != @")), "OK"
    yield "conditions joined by and", pattern("one(x)", each(n, "x.rank != @", " and ")), "OK"
    yield "conditions joined by or", pattern("one(x)", each(n, "x.rank == @", " or ")), "OK"
    yield "tests joined by or", pattern("one(x)", each(n, "x is two(_, _) or x is many(_, a = @)", " or ")), None
    yield "lets", pattern("one(x)", "let v0 = x.rank, " + ", ".join(f"let v{i + 1} = v{i} + 1" for i in range(n)) + f", v{n} == 3"), "OK"
    yield "is", pattern("one(y0)", ", ".join(f"y{i} is one(y{i + 1})" for i in range(n)), "y0"), None
    yield "either", pattern("one(x)", each(n, "(x is one(_) or x is two(_, _))")), None
    yield "alternatives", pattern("one((" + each(n, "many(x, a = @)", " | ") + "))"), None
    yield "values of an attribute", pattern("many(x, a = " + each(n, "@", " | ") + ")"), "OK"
    yield "lists joined", pattern("many(xs...)", "", "many(" + each(n, "xs...") + ")"), None
    yield "values joined", pattern("many(xs...)", "", "many(xs..., " + each(n, "xs[0]") + ")"), None
    yield "dimensions joined", pattern("one(x: f32[s...])", "", "one(x) -> f32[" + each(n, "s..., 2") + "]"), None
    yield "operands built", pattern("one(x)", "", "many(" + each(n, "x") + ")"), "OK"
    yield "ops built", pattern("one(x)", "", "{ let v0 = one(x); " + "".join(f"let v{i + 1} = one(v{i});\n" for i in range(n)) + f"v{n} }}"), "OK"
    yield "named rewrites", (OPS + "rewrite r0(x: value) -> value = one(x);\n"
                             + "".join(f"rewrite r{i + 1}(x: value) -> value = one(r{i}(x));\n" for i in range(n))
                             + f"pattern P {{ two(x, x) => r{n}(x) }}\n"), "too-deep"
    yield "ops", "dialect d; " + ops, "OK"
    yield "heads", OPS + ops + "pattern P { (" + each(n, "o@", " | ") + ")(x) => x }", "OK"
    yield "patterns", OPS + each(n, "pattern P@ { one(many(x, a = @)) => x }\n", ""), "OK"
    yield "constants", OPS + each(30000, "pattern P@ { one(two(x, splat(@))) => one(x) }\n", ""), "OK"
    yield "patterns by condition", OPS + each(n, "pattern P@ { one(two(x, x)) where x.rank == @ => x }\n", ""), "OK"
    yield "canonicalize", "dialect d; op o(x: tensor) -> tensor { traits pure; canonicalize " + each(n, "P@") + "; }\n" + ops + each(
        n, "pattern P@ { o(o@(x)) => x }\n", ""), "OK"
    yield "functions", "fn f0(a: int) -> int = a;\n" + "".join(f"fn f{i + 1}(a: int) -> int = f{i}(a) + 1;\n" for i in range(n)), None
    yield "passes", pattern("one(one(x))") + each(n, "pass p@ { P; }\n", "") + "pipeline q = " + each(n, "p@") + ";", "OK"
    yield "tests", pattern("one(one(x))", "", "one(x)") + each(n, "test P(x: f32[@]) { one(one(x)) => one(x) }\n", ""), "OK"


@case
def mistakes():
    """As many as there can be: a hundred are shown."""
    n = MANY
    yield "ops", OPS + each(n, "pattern P@ { oen@(x) => x }\nop ohn@(x: tensor) -> tensor { traits pure; }\n", ""), "undefined-op"
    yield "functions", each(n, "fn f@(a: int) -> int = g@(a);\n", ""), "undefined-function"
    yield "names", pattern("one(x)", "", "many(" + each(n, "z@") + ")"), "unbound-name"
    yield "attributes", op_with("type x.type; " + each(n, "attr a@: int;\n", "")) + "pattern P { o(x, " + each(n, "b@ = 1") + ") => x }", "undefined-attribute"
    yield "stages", pattern("one(one(x))", "", "one(x)") + "pass p { " + each(n, "Q@") + "; }", "undefined-pattern"
    yield "syntax", each(n, "pattern P { r( => }\n", ""), None
    yield "words", "pattern op fn where is each const if then else let in for not " * n, None
    yield "closers", "}" * 100000 + ")" * 100000, "unopened"


@case
def long():
    """Nearly as long as a file may be."""
    size = (4 << 20) - 1000
    yield "name", f"dialect d; op {'o' * size}(x: tensor) -> tensor;", None
    yield "undefined name", pattern("one(x)", f"{'y' * size} == 1"), "unbound-name"
    yield "number", f"fn f(a: int) -> int = {'9' * size};", None
    yield "text", OPS + f'pattern P label "{"l" * size}" {{ one(one(x)) => x }}', "OK"
    yield "open text", '"' + "a" * size, None
    yield "comment", "/*" + "*" * size + "/\n" + OPS, "OK"
    yield "open comment", "/*" + "*" * size, None
    yield "documentation", "/// " + "d" * size + "\n" + OPS, None
    yield "space", " " * size + OPS, "OK"
    yield "lines", "\n" * size + OPS, "OK"
    yield "signs", "(" * size, None
    yield "native", "constraint c(v: value) [{" + "}" * size, None
    yield "too long", OPS + " " * (4 << 20), "too-large"


# ---- exponential, and round in circles ----------------------------------------------------------------------------------
def doubling(result, value, op):
    """Functions of which each asks the one before twice, with the same argument and with another."""
    return f"fn f0(a: int) -> {result} = {value};\n" + "".join(f"fn f{i + 1}(a: int) -> {result} = f{i}(a) {op} f{i}(a + 1);\n" for i in range(100))


@case
def exponential():
    yield "functions", doubling("int", "a", "+") + pattern("one(x)", "f100(x.rank) == 1"), "OK"
    yield "swapped", doubling("int", "a", "+") + pattern("two(x, y)", "f100(x.rank) == 1", "two(y, x)"), None
    yield "conditions", doubling("bool", "a == 1", "and") + pattern("two(x, y)", "f100(x.rank)", "two(y, x)"), None
    yield "types", doubling("int", "a", "*") + OPS + "op t(x: tensor) -> tensor { require f100(x.rank) > 1; traits pure; type (x.dtype, [f100(x.rank)]); }\n"\
        "pattern P { t(t(x)) => t(x) }", "OK"
    yield "lists", "fn l0(a: [int]) -> [int] = a ++ a;\n" + "".join(f"fn l{i + 1}(a: [int]) -> [int] = l{i}(l{i}(a));\n" for i in range(60)) + pattern(
        "one(x)", "len(l60([1])) == 1"), "OK"
    yield "loops", pattern("one(x)", "all(a + b + c + e != -1 " + " ".join(f"for {v} in 0..60000" for v in "abce") + ")"), "OK"
    yield "pipelines", pattern("one(one(x))", "", "one(x)") + "pass p { P; } pipeline q0 = p, p;\n" + "".join(
        f"pipeline q{i + 1} = q{i}, q{i};\n" for i in range(100)), None
    yield "repetitions", pattern("one(one(x))", "", "one(x)") + "pass p { P; } pipeline q = " + "repeat(1000000) { " * 100 + "p" + " }" * 100 + ";", None
    yield "orders", pattern("two(" * 60 + "x" + "".join(f", one(y{i}))" for i in range(60))), None
    yield "orders of a question", pattern("one(z)", "not z is " + "two(" * 60 + "_" + ", one(_))" * 60, "z"), "too-complex"
    yield "alternatives", pattern("one(x)", each(60, "(x is one(_) or x is two(_, _))")), None
    yield "instances", OPS + "".join(f"for v{i} in {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}} " for i in range(9)) + "pattern P { many(x, a = v0) => x }", "too-large"
    yield "growth", pattern("one(x)", "", "two(one(x), one(x))"), None


@case
def circles():
    yield "function", "fn f(a: int) -> int = f(a);", "recursive-function"
    yield "functions", "".join(f"fn f{i}(a: int) -> int = f{(i + 1) % MANY}(a);\n" for i in range(MANY)), "recursive-function"
    yield "pipelines", pattern("one(one(x))", "", "one(x)") + "pipeline a = b; pipeline b = a;", None
    yield "imports", {"main.rw": 'import "a.rw";', "a.rw": 'import "main.rw";\n' + OPS}, None
    yield "itself", {"main.rw": 'import "main.rw";\n' + OPS}, None
    yield "long circle", {"main.rw": 'import "a0.rw";', **{f"a{i}.rw": f'import "a{(i + 1) % 90}.rw";' for i in range(90)}}, None
    yield "chain", {"main.rw": 'import "a0.rw";', **{f"a{i}.rw": f'import "a{i + 1}.rw";' for i in range(200)}, "a200.rw": OPS}, "import-too-deep"
    yield "one file", {"main.rw": 'import "a.rw";\n' * 100000, "a.rw": OPS}, None
    yield "all of two", {"main.rw": 'import "a0.rw"; import "b0.rw";', **{
        f"{k}{i}.rw": f'import "a{i + 1}.rw"; import "b{i + 1}.rw";' for k in "ab" for i in range(60)}, "a60.rw": OPS, "b60.rw": ""}, None
    yield "folder", {"main.rw": 'import ".";'}, None
    yield "device", {"main.rw": 'import "/dev/zero";'}, None


# ---- no text ------------------------------------------------------------------------------------------------------------
@case
def bytes_of_all_kinds():
    good = pattern("one(one(x))", "", "one(x)")
    yield "empty", "", None
    yield "NUL", "\0" * 100000, None
    yield "NUL inside", good.replace("one(x) }", "one(\0x) }"), None
    yield "NUL in text", OPS + 'pattern P label "a\0b" { one(one(x)) => x }', None
    yield "no UTF-8", b"\xff\xfe\x80" * 50000, None
    yield "no UTF-8 in text", OPS.encode() + b'pattern P label "\xc3\x28\xed\xa0\x80" { one(one(x)) => x }', None
    yield "no UTF-8 in comments", b"// \xff\xf0\x80\n/* \xc0\xaf */\n/// \x80\n" + good.encode(), None
    yield "half a character", good.encode() + b"\xe2\x82", None
    yield "mark", b"\xef\xbb\xbf" + good.encode(), None
    yield "UTF-16", good.encode("utf-16"), None
    yield "CRLF", good.replace("\n", "\r\n"), "OK"
    yield "CR", good.replace("\n", "\r"), "OK"
    yield "controls", "".join(chr(c) for c in range(1, 32)) * 3000, None
    yield "right to left", good.replace("pattern", "\u202epattern"), None
    yield "escapes", OPS + 'pattern P label "' + "\\\\" * 100000 + '" { one(one(x)) => x }', None


# ---- running ------------------------------------------------------------------------------------------------------------
def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    if not os.environ.get("RW_NO_MEMORY_LIMIT"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def complaint(command, expected, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, preexec_fn=limits, check=False)
    text = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
    if done.returncode not in (0, 1):
        return f"exit status {done.returncode}: {text[-200:]}"
    if FORBIDDEN.search(text):
        return f"words of a crash: {FORBIDDEN.search(text)[0]}"
    if done.returncode == 1 and not PLACED.search(text):
        return f"no error with a place: {text[:200]!r}"
    if expected == "OK" and done.returncode:
        return f"refused: {text[:200]!r}"
    if expected not in ("OK", None) and f"[{expected}]" not in text:
        return f"not {expected}: {text[:200]!r}"
    return None


def run(args, name, content, expected):
    out = []
    with tempfile.TemporaryDirectory(prefix="rw-hostile-") as folder:
        for path, text in (content if isinstance(content, dict) else {"main.rw": content}).items():
            with open(os.path.join(folder, path), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        with open(os.path.join(folder, "in.rwir"), "w", encoding="utf-8") as file:
            file.write("func @main(%x: f32[2]) -> f32[2] {\n  return %x\n}\n")
        for command in (["rwc", "--check", "main.rw"], ["rw-opt", "in.rwir", "--patterns", "main.rw", "--pipeline", "dce", "-o", "out.rwir"]):
            text = complaint([os.path.join(os.path.abspath(args.bin), command[0]), *command[1:]], expected, folder)
            if text:
                out.append(f"{name}: {command[0]}: {text}")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    complaints, count = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, args, f"{name}: {what}", content, expected)
                for name in args.cases or CASES for what, content, expected in CASES[name]()]
        for job in jobs:
            complaints += job.result()
            count += 1
    print("\n".join([*complaints, f"{count} hostile files, {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
