"""Random programs over the ops of ops.rw, as .rwir: built op by op, each where it fits by type."""
import re

# ---- what the ops of ops.rw are -----------------------------------------------------------------------------------


class Op:
    """An op: operands (name, arity: 1, "?" or "*"), attributes (name -> type, default or None if needed or "absent"),
    results (names), and whether its results have the type of its first operand."""

    def __init__(self, name, operands, attrs=None, results=("",), same=True, elementwise=False, commutative=False, dialect="r", version=""):
        self.name, self.operands, self.attrs, self.results = name, operands, attrs or {}, results
        self.same, self.elementwise, self.commutative, self.dialect, self.version = same, elementwise, commutative, dialect, version

    def written(self):
        return f"{self.dialect}.{self.name}"


ABSENT = "absent"
UNARY = [("x", 1)]
BINARY = [("a", 1), ("b", 1)]
OPS = [
    Op("neg", UNARY, elementwise=True), Op("abs", UNARY, elementwise=True), Op("exp", UNARY, elementwise=True), Op("norm", UNARY), Op("view", UNARY),
    Op("add", BINARY, elementwise=True, commutative=True), Op("mul", BINARY, elementwise=True, commutative=True),
    Op("sub", BINARY, elementwise=True), Op("mix", BINARY, commutative=True), Op("sel", [("a", 1), ("b", 1), ("c", 1)], elementwise=True),
    Op("scale", UNARY, {"by": ("float", None), "way": ("string", '"up"')}, elementwise=True),
    Op("pool", UNARY, {"size": ("int", "2"), "mode": ("mode", '"max"'), "pads": ("[int]", "[]"), "grid": ("[[int]]", "[]"), "on": ("bool", "false"),
                       "weights": ("[float]", "[]")}),
    Op("tagged", UNARY, {"tag": ("any", None), "kind": ("dtype", ABSENT), "form": ("type", ABSENT), "extent": ("dim", ABSENT), "dims": ("[dim]", "[]"),
                         "names": ("[string]", "[]"), "flags": ("[bool]", "[]"), "kinds": ("[dtype]", "[]"), "forms": ("[type]", ABSENT),
                         "held": ("tensor", ABSENT), "name": ("string", ABSENT)}),
    Op("conv", [("x", 1), ("w", 1), ("bias", "?")], {"pads": ("[int]", ABSENT), "name": ("string", ABSENT)}),
    Op("lim", [("x", 1), ("lo", "?"), ("hi", "?")]),
    Op("ax", UNARY, {"axes": ("[int]", ABSENT), "keep": ("int", "1")}), Op("ax", UNARY, {"axes": ("[int]", ABSENT), "keep": ("int", "1")}, version="@1"),
    Op("cat", [("xs", "*")], {"axis": ("int", "0")}), Op("gather", [("xs", "*"), ("index", 1)]), Op("rows", [("xs", "*")]),
    Op("weave", [("xs", "*"), ("ys", "*")]), Op("span", [("xs", "*"), ("at", 1), ("ys", "*"), ("zs", "*")], {"n": ("int", "0")}),
    Op("drop", UNARY, {"ratio": ("float", "0.5")}, results=("y", "mask?")),
    Op("clip", UNARY, {"low": ("float", "-1.0")}), Op("clip", UNARY, {"low": ("float", "-1.0")}, version="@1"),
    Op("split", UNARY, {"sizes": ("[int]", None)}, results=("parts*",)), Op("peel", UNARY, {"n": ("int", "1")}, results=("first", "rest*", "last")),
    Op("svd", UNARY, results=("u", "s", "vt")), Op("keep", UNARY), Op("ver", UNARY, {"axis": ("int", "-1"), "count": ("int", "1")}),
    Op("ver", UNARY, {"axis": ("int", "1")}, version="@1"), Op("loop", [("init", "*")], results=("*",)), Op("check", UNARY, results=()),
    Op("perm", UNARY, {"perm": ("[int]", None)}, same=False), Op("cast", UNARY, {"to": ("dtype", None)}, same=False, elementwise=True),
    Op("load", UNARY, same=False), Op("pair", BINARY, same=False), Op("left", [("p", 1)], same=False), Op("mm", BINARY, same=False),
    Op("choose", UNARY, same=False), Op("draw", [], {"shape": ("[dim]", None), "dtype": ("dtype", None)}, same=False),
]
BY_NAME = {op.name: op for op in OPS if not op.version}
LITERALS = {
    "int": ["0", "1", "2", "3", "-1", "7", "9223372036854775807"], "float": ["0.0", "1.0", "0.5", "-0.0", "2.5", "0.1", "inf", "nan"],
    "bool": ["true", "false"], "string": ['"up"', '"down"', '""', '"a b"'], "mode": ['"max"', '"avg"', '"none"'], "dtype": ["f32", "i32", "f16", "i64", "bool"],
    "dim": ["0", "1", "2", "4"], "type": ["f32[2, 2]", "i64[2]", "f32[2, _]", "f16[]"],
}


def below_literal(rng, of):
    """A literal of an attribute of this type, as .rw and .rwir both write it."""
    if of.startswith("["):
        return "[" + ", ".join(below_literal(rng, of[1:-1]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))) + "]"
    if of == "any":
        return below_literal(rng, rng.choice(["int", "float", "string", "bool", "[int]"]))
    if of == "tensor":
        return rng.choice(["dense<f32[2]: [0.5, 1.0]>", "dense<i64[2]: [1, 0]>", "dense<f32[]: 0.5>"])
    some = LITERALS[of]
    return rng.choice(some[:4] if rng.random() < 0.8 else some)


def rwir_literal(rng, of):
    if of == "[]":
        return "[]"
    text = below_literal(rng, of)
    if of == "dim":
        return f"dim<{text}>"
    if of == "type":
        return text.replace("_", "?")
    if of == "[type]":
        return text.replace("_", "?")
    return as_rwir(text, of)


def as_rwir(text, of):
    """A literal of .rw as .rwir writes it."""
    if of == "dim":
        return f"dim<{text}>"
    if of in ("type", "[type]"):
        return text.replace("_", "?")
    return text


# ---- programs -----------------------------------------------------------------------------------------------------


class Program:
    """A function that is written op by op; values are (name, type), a type is (dtype, dims) or a tuple of those as a list, or None."""

    TYPES = [("f32", (2, 2)), ("f32", (2, 2)), ("f32", (4,)), ("i32", (2, 2)), ("f32", ()), ("f16", (2, 3)), ("i64", (2,)), ("f32", ("B", 2)), ("bool", (2, 2)), ("f32", (1, 1))]

    def __init__(self, rng, name, type_):
        self.rng, self.name, self.lines, self.count, self.values = rng, name, [], 0, []
        self.params = [(f"%p{i}", type_ if i < 3 or rng.random() < 0.5 else rng.choice(self.TYPES)) for i in range(4)]
        self.values = list(self.params)
        self.type = type_
        self.misses = False # whether the next op may read another value than it is given

    @staticmethod
    def written(type_):
        return "?" if type_ is None else "(" + ", ".join(map(Program.written, type_)) + ")" if isinstance(type_, list) else f"{type_[0]}[{', '.join(map(str, type_[1]))}]"

    def add(self, op, operands, attrs, types, regions=""):
        """An op; `operands` are values or None, `attrs` name -> text. Gives its results."""
        results = []
        for t in types:
            results.append((f"%v{self.count}", t))
            self.count += 1
        left = ", ".join(r[0] for r in results) + (" = " if results else "")
        while operands and operands[-1] is None:
            operands = operands[:-1]
        if self.misses and operands and self.rng.random() < 0.5:
            operands = self.one_other(list(operands))
        line = f"  {left}{op.written()}{op.version}({', '.join('_' if v is None else v[0] for v in operands)})"
        if attrs:
            line += " {" + ", ".join(f"{k} = {v}" for k, v in sorted(attrs.items())) + "}"
        if not op.same and op.name in ("load",) or op.dialect != "r":
            line += " : " + ", ".join(self.written(t) for t in types)
        self.lines.append(line + regions)
        self.values += results
        return results

    def one_other(self, operands):
        """One operand is another value of its type, where there is one."""
        i = self.rng.randrange(len(operands))
        others = [v for v in self.values if operands[i] is not None and v[1] == operands[i][1] and v[0] != operands[i][0]]
        if others:
            operands[i] = self.rng.choice(others)
            self.misses = False
        return operands

    def value(self, type_):
        """Some value of the type, a parameter, a new op or a constant if there is none."""
        fits = [v for v in self.values if v[1] == type_]
        if fits and self.rng.random() < 0.9:
            return self.rng.choice(fits[-8:] if self.rng.random() < 0.7 else fits)
        return self.constant(type_) or (self.rng.choice(fits) if fits else self.cast(type_))

    def cast(self, type_):
        if isinstance(type_, list):
            return self.add(BY_NAME["pair"], [self.value(type_[0]), self.value(type_[1])], {}, [type_])[0]
        if type_ is None:
            return self.rng.choice(self.values)
        return self.add(BY_NAME["load"], [self.rng.choice(self.params)], {}, [type_])[0]

    def constant(self, type_, element=None):
        if not isinstance(type_, tuple) or any(isinstance(d, str) for d in type_[1]):
            return None
        if element is None:
            element = self.rng.choice(["0", "1", "2"])
            if type_[0] == "bool":
                element = self.rng.choice(["false", "true"])
        elif type_[0] == "bool":
            element = "true" if element not in ("0", "false", "0.0") else "false"
        if element in ("true", "false") and type_[0] != "bool" or type_[0][0] == "i" and not re.fullmatch(r"-?\d{1,9}", element):
            return None
        return self.add(Op("constant", []), [], {"value": f"dense<{self.written(type_)}: {element}>"}, [type_])[0]

    def any_op(self, type_, depth=0):
        """A random op of a result of the type."""
        rng = self.rng
        op = rng.choice([o for o in OPS if o.same and o.results] + [BY_NAME["perm"]] * 2)
        return self.instance(op, [None] * 9, {}, type_)

    def instance(self, op, operands, attrs, type_):
        """The op with these operands (None: any value that fits) and attributes; the rest is random. Gives all results."""
        rng = self.rng
        if op.name == "perm":
            rank = len(type_[1]) if isinstance(type_, tuple) else 0
            attrs.setdefault("perm", str(rng.sample(range(rank), rank)))
            perm = [int(p) for p in re.findall(r"-?\d+", attrs["perm"])]
            if sorted(perm) != list(range(rank)):
                perm = list(range(rank))
                attrs["perm"] = str(perm)
            source = [None] * rank
            for i, p in enumerate(perm):
                source[p] = type_[1][i]
            wanted = (type_[0], tuple(source)) if isinstance(type_, tuple) else type_
            return self.add(op, [operands[0](wanted) if operands[0] else self.value(wanted)], attrs, [type_])
        if op.name == "cast":
            dims = type_[1] if isinstance(type_, tuple) else (2, 2)
            attrs["to"] = type_[0] if isinstance(type_, tuple) else "f32"
            wanted = (rng.choice(["f32", "i32", attrs["to"]]), dims)
            return self.add(op, [operands[0](wanted) if operands[0] else self.value(wanted)], attrs, [(attrs["to"], dims)])
        if op.name == "draw":
            t = type_ if isinstance(type_, tuple) and all(isinstance(d, int) for d in type_[1]) else ("f32", (2, 2))
            return self.add(op, [], {"shape": "[" + ", ".join(map(str, t[1])) + "]" if t[1] else "dims<>", "dtype": t[0]}, [t])
        if op.name == "left":
            wanted = [type_, rng.choice([type_, ("i32", (2,))])]
            return self.add(op, [operands[0](wanted) if operands[0] else self.value(wanted)], attrs, [type_])
        if op.name == "pair":
            parts = type_ if isinstance(type_, list) else [type_, type_]
            return self.add(op, [operands[i](parts[i]) if operands[i] else self.value(parts[i]) for i in (0, 1)], attrs, [parts])
        if op.name == "choose":
            of = [operands[0](type_) if operands[0] else self.value(type_), self.value(type_)]
            name = f"%w{self.count}"
            regions = f" yes() {{ {name} = r.neg({of[0][0]}) return {name} }} no() {{ return {of[1][0]} }}"
            return self.add(op, of[:1], attrs, [type_], regions)
        if op.name == "mm":
            square = type_ if isinstance(type_, tuple) and len(type_[1]) == 2 and type_[1][0] == type_[1][1] else ("f32", (2, 2))
            return self.add(op, [operands[i](square) if operands[i] else self.value(square) for i in (0, 1)], attrs, [square])
        given = []
        groups = [i for i, (_, arity) in enumerate(op.operands) if arity == "*"]
        if len(groups) > 1: # of one size
            size = max([len(operands[i]) for i in groups if isinstance(operands[i], list)] + [0]) or rng.choice([1, 1, 2, 3])
            operands = [(o if isinstance(o, list) else []) + [None] * (size - (len(o) if isinstance(o, list) else 0)) if i in groups else o
                        for i, o in enumerate(operands)]
        for i, (_, arity) in enumerate(op.operands):
            if arity == "*":
                wanted = operands[i] if isinstance(operands[i], list) else [None] * rng.choice([1, 2, 2, 3])
                if op.name == "gather" and not wanted or op.name in ("cat", "rows") and not wanted:
                    wanted = [None]
                given += [o(type_) if o else self.value(type_) for o in wanted]
            elif arity == "?" and operands[i] is None:
                given.append(self.value(type_) if rng.random() < 0.5 else None)
            elif operands[i] == "absent":
                given.append(None)
            else:
                given.append(operands[i](type_) if operands[i] else self.value(type_))
        if op.version:
            attrs.pop("count", None)
        for name, (of, default) in op.attrs.items():
            if name not in attrs and (default is None or rng.random() < 0.15) and of != "type" and name != "forms":
                attrs[name] = rwir_literal(rng, of)
        attrs = {k: v for k, v in attrs.items() if v is not None}
        if op.name == "load":
            return self.add(op, given, attrs, [type_])
        if op.name == "ax" and not op.version and "axes" in attrs: # an operand of this version
            axes = attrs.pop("axes")
            type_of_axes = ("i64", (axes.count(",") + (axes != "[]"),))
            given += self.add(Op("constant", []), [], {"value": f"dense<{self.written(type_of_axes)}: {axes}>"}, [type_of_axes])
        if op.name == "clip" and not op.version and "low" in attrs: # an operand of this version
            low = attrs.pop("low")
            given += self.add(Op("constant", []), [], {"value": f"dense<f32[]: {low}>"}, [("f32", ())])
        count = len(op.results)
        if op.results == ("parts*",):
            count = attrs["sizes"].count(",") + (1 if attrs["sizes"] not in ("[]",) else 0)
            if count == 0:
                attrs["sizes"], count = "[1]", 1
        if op.name == "peel":
            n = int(attrs.get("n", "1"))
            if not 0 <= n <= 3:
                attrs["n"], n = "1", 1
            count = 2 + n
        regions = ""
        if op.name == "loop":
            count = len(given)
            names = [f"%u{self.count}_{i}" for i in range(count)]
            body = f"%w{self.count} = r.neg({names[0]}) " if names else ""
            last = [f"%w{self.count}"] + names[1:] if names else []
            regions = " body(" + ", ".join(f"{n}: {self.written(type_)}" for n in names) + ") { " + body + "return" + (" " if last else "") + ", ".join(last) + " }"
        return self.add(op, given, attrs, [type_] * count, regions)

    def text(self):
        rng = self.rng
        results = self.values[-1:] + rng.sample(self.values, min(len(self.values), rng.choice([1, 2, 3])))
        types = ", ".join(self.written(v[1]) for v in results)
        params = ", ".join(f"{n}: {self.written(t)}" for n, t in self.params)
        return f"func @{self.name}({params}) -> ({types}) {{\n" + "\n".join(self.lines) + "\n  return " + ", ".join(v[0] for v in results) + "\n}\n"
