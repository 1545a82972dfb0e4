"""Random expressions of the language, of a type asked for, over names that are bound. Each says which constructs it uses."""
import collections

from programs import ABSENT, below_literal

# ---- expressions --------------------------------------------------------------------------------------------------


class Names:
    """What is bound: name -> kind. Kinds are types of expressions, "value", "values", "values2" (lists of lists), "chain", "op NAME", "ops", "splat"."""

    def __init__(self):
        self.kinds = collections.OrderedDict()
        self.same = set()  # values that have the type of the root
        self.maybe = set()  # bound by some alternatives only
        self.count = 0
        self.ops = {}  # op names -> Op, or None if it is one of several

    def fresh(self, start="n"):
        self.count += 1
        return f"{start}{self.count}"

    def of(self, *kinds):
        return [n for n, k in self.kinds.items() if k in kinds]


class Expressions:
    """Random expressions of a type over what is bound."""

    def __init__(self, rng, names, mark, functions):
        self.rng, self.names, self.mark, self.functions = rng, names, mark, functions

    def value(self):
        some = self.names.of("value", "const")
        ops = [n for n in self.names.of("op") if self.names.ops.get(n) and len(self.names.ops[n].results) == 1 and not self.names.ops[n].results[0].endswith("*")]
        if ops and self.rng.random() < 0.2:
            return self.rng.choice(ops)
        return self.rng.choice(some) if some else None

    def attr(self, of):
        """An attribute of a bound op that has the type."""
        found = [f"{n}.{a}" for n in self.names.of("op") if self.names.ops.get(n)
                 for a, (t, _) in self.names.ops[n].attrs.items() if t == of]
        return self.rng.choice(found) if found else None

    def make(self, of, depth=0):
        rng, mark = self.rng, self.mark
        named = self.names.of(of)
        if of == "dim":
            named = named + self.names.of("int")
        if of == "float" and rng.random() < 0.5:
            named = named + self.names.of("splat")
        if named and rng.random() < 0.45:
            return rng.choice(named)
        if depth > 3:
            return self.leaf(of)
        attr = self.attr(of)
        if attr and rng.random() < 0.2:
            mark("member: attribute of an op")
            return attr
        functions = [f for f in self.functions if f[2] == of]
        if functions and rng.random() < 0.15:
            name, params, _ = rng.choice(functions)
            args = [self.value() if p == "value" else self.make(p, depth + 1) for p in params]
            if None not in args:
                mark("fn: call")
                return f"{name}({', '.join(args)})"
        if rng.random() < 0.06:
            mark("if then else")
            return f"(if {self.make('bool', depth + 1)} then {self.make(of, depth + 1)} else {self.make(of, depth + 1)})"
        if rng.random() < 0.04 and of not in ("value",):
            mark("let in")
            fresh = self.names.fresh("l")
            kind = rng.choice(["int", "[int]", "bool"])
            bound = self.make(kind, depth + 1)
            self.names.kinds[fresh] = kind
            body = self.make(of, depth + 1)
            del self.names.kinds[fresh]
            return f"(let {fresh} = {bound} in {body})"
        how = getattr(self, "make_" + {"[int]": "ints", "[dim]": "dims", "[[int]]": "grid", "[float]": "floats", "[bool]": "bools", "[string]": "strings",
                                       "[dtype]": "dtypes", "[type]": "types"}.get(of, of), None)
        if not how:
            return self.leaf(of)
        return how(depth + 1) or self.leaf(of)

    def leaf(self, of):
        if of == "type":
            v = self.value()
            return f"{v}.type" if v and self.rng.random() < 0.8 else "f32[2, 2]"
        if of == "[type]":
            return "[" + ", ".join(self.leaf("type") for _ in range(self.rng.choice([1, 2]))) + "]"
        if of == "tensor":
            self.mark("splat: of a type")
            return f"splat({self.rng.choice(['0', '1', '0.5'])}, f32[2])"
        if of == "any":
            return below_literal(self.rng, self.rng.choice(["int", "float", "string", "bool"]))
        if of == "mode":
            return below_literal(self.rng, of)
        if of == "[int]" and self.rng.random() < 0.5:
            return self.rng.choice(["[0, 1]", "[1, 0]", "[2, 0, 1]"])
        return below_literal(self.rng, of)

    def choice(self, *ways):
        """One of (mark, text maker); makers may give None."""
        name, make = self.rng.choice(ways)
        text = make()
        if text is not None and "None" not in text:
            self.mark(name)
            return text
        return None

    def divisor(self, d):
        """An int that is not the literal 0, which rwc refuses."""
        text = self.make("int", d)
        return "3" if text == "0" else text

    def make_int(self, d):
        m, r, v = self.make, self.rng, self.value()
        i, j = self.names.fresh("i"), self.names.fresh("j")
        return self.choice(
            ("+", lambda: f"({m('int', d)} + {m('int', d)})"), ("-", lambda: f"({m('int', d)} - {m('int', d)})"), ("*", lambda: f"({m('int', d)} * {m('int', d)})"),
            ("/", lambda: f"({m('int', d)} / {self.divisor(d)})"), ("%", lambda: f"({m('int', d)} % {self.divisor(d)})"), ("unary -", lambda: f"(-{m('int', d)})"),
            ("len", lambda: f"len({m(r.choice(['[int]', '[dim]', '[[int]]', '[float]', '[bool]', '[string]']), d)})"), ("sum", lambda: f"sum({m('[int]', d)})"),
            ("product", lambda: f"product({m('[int]', d)})"), ("min of a list", lambda: f"min({m('[int]', d)})"), ("max of a list", lambda: f"max({m('[int]', d)})"),
            ("min", lambda: f"min({m('int', d)}, {m('int', d)})"), ("max", lambda: f"max({m('int', d)}, {m('int', d)})"), ("abs", lambda: f"abs({m('int', d)})"),
            ("index_of", lambda: f"index_of({m('[int]', d)}, {m('int', d)})"), ("count", lambda: f"count({m('[int]', d)}, {m('int', d)})"),
            ("bits", lambda: f"bits({m('dtype', d)})"), ("index", lambda: f"{m('[int]', d)}[{r.choice(['0', '1', m('int', d)])}]"),
            ("member: rank", lambda: f"{v}.rank"), ("member: uses", lambda: f"{v}.uses"), ("literal: hexadecimal", lambda: "0x10"),
            ("sum of a comprehension", lambda: f"sum({i} * {i} for {i} in {m('[int]', d)})"),
            ("zip", lambda: f"sum([{i} * {j} for ({i}, {j}) in zip({m('[int]', d)}, {m('[int]', d)})])"),
            ("bits &", lambda: f"({m('int', d)} & {m('int', d)})"), ("bits |", lambda: f"({m('int', d)} | {m('int', d)})"),
            ("bits ^", lambda: f"({m('int', d)} ^ {m('int', d)})"), ("bits <<", lambda: f"({m('int', d)} << {r.choice(['1', '2', '62', '70', f'{v}.rank'])})"),
            ("bits >>", lambda: f"({m('int', d)} >> {r.choice(['1', '2', '70', f'{v}.rank', f'(0 - {v}.rank)'])})"),
            ("bit_length", lambda: f"bit_length({m('int', d)})"),
            ("let of several names", lambda: f"(let ({i}, {j}) = {m('[int]', d)} in {i} - {j})"),
            ("let of a tuple", lambda: f"(let ({i}, {j}) = ({m('int', d)}, {m('int', d)}) in {j} * {i})"))

    def make_float(self, d):
        m = self.make
        some = self.names.of("const")
        return self.choice(
            ("float +", lambda: f"({m('float', d)} + {m('float', d)})"), ("float -", lambda: f"({m('float', d)} - {m('float', d)})"),
            ("float *", lambda: f"({m('float', d)} * {m('float', d)})"), ("float /", lambda: f"({m('float', d)} / {m('float', d)})"),
            ("float unary -", lambda: f"(-{m('float', d)})"), ("sum of floats", lambda: f"sum({m('[float]', d)})"), ("int as float", lambda: f"({m('int', d)} + 0.5)"),
            ("min of floats", lambda: f"min({m('float', d)}, {m('float', d)})"), ("max of floats", lambda: f"max({m('[float]', d)})"),
            ("abs of a float", lambda: f"abs({m('float', d)})"), ("member: floats", lambda: f"{self.rng.choice(some)}.floats[0]" if some else None))

    def make_bool(self, d):
        m, r, v, w = self.make, self.rng, self.value(), self.value()
        i, j = self.names.fresh("i"), self.names.fresh("j")
        maybe = sorted(self.names.maybe)
        optional = [f"{n}.{a}" for n in self.names.of("op") if self.names.ops.get(n)
                    for a, (_, default) in self.names.ops[n].attrs.items() if default == ABSENT]
        optional += [f"{n}.bias" for n in self.names.of("op") if self.names.ops.get(n) and self.names.ops[n].name == "conv"]
        compare = r.choice(["==", "!=", "<", "<=", ">", ">="])
        number = r.choice(["int", "int", "float", "dim"])
        anything = r.choice(["int", "float", "bool", "string", "dtype", "dim", "[int]", "[dim]", "[[int]]", "type"])
        ways = [
            (f"compare {number}", lambda: f"{m(number, d)} {compare} {m(number, d)}"),
            (f"equality of {anything}", lambda: f"({m(anything, d)} {r.choice(['==', '!='])} {m(anything, d)})"),
            ("and", lambda: f"({m('bool', d)} and {m('bool', d)})"), ("or", lambda: f"({m('bool', d)} or {m('bool', d)})"), ("not", lambda: f"(not ({m('bool', d)}))"),
            ("all", lambda: f"all({i} {compare} {m('int', d)} for {i} in {m('[int]', d)})"), ("any", lambda: f"any({i} {compare} {m('dim', d)} for {i} in {m('[dim]', d)})"),
            ("all of two lists", lambda: f"all({i} {compare} {j} for ({i}, {j}) in zip({m('[int]', d)}, {m('[int]', d)}))"),
            ("any over enumerate", lambda: f"any({i} == {j} for ({i}, {j}) in enumerate({m('[int]', d)}))"), ("any of two loops", lambda: f"any({i} == {j} for {i} in {m('[int]', d)} for {j} in {m('[int]', d)} if {i} > 0)"),
            ("contains", lambda: f"contains({m('[int]', d)}, {m('int', d)})"), ("contains dims", lambda: f"contains({m('[dim]', d)}, {m('dim', d)})"),
            ("is_power_of_two", lambda: f"is_power_of_two({m('int', d)})"), ("is_sorted", lambda: f"is_sorted({m('[int]', d)})"), ("is_unique", lambda: f"is_unique({m('[int]', d)})"),
            ("is_permutation", lambda: f"is_permutation({m('[int]', d)}, {m('int', d)})"), ("is_number", lambda: f"is_number({m('dim', d)})"),
            ("single_element", lambda: f"single_element({v})"), ("is_const", lambda: f"is_const({v})"), ("one_user", lambda: f"one_user({v})"),
            ("is_float", lambda: f"is_float({m('dtype', d)})"), ("is_integer", lambda: f"is_integer({m('dtype', d)})"), ("is_signed", lambda: f"is_signed({m('dtype', d)})"),
            ("is_complex", lambda: f"is_complex({m('dtype', d)})"), ("values are equal", lambda: f"{v} {r.choice(['==', '!='])} {w}"),
        ]
        if maybe or optional:
            ways += [("has", lambda: f"has({r.choice(maybe + optional)})")] * 3
        return self.choice(*ways)

    def make_string(self, d):
        return None

    def make_dtype(self, d):
        v = self.value()
        return self.choice(("member: dtype", lambda: f"{v}.dtype"), ("dtype of a type", lambda: f"{v}.type.dtype"))

    def make_dim(self, d):
        m, v = self.make, self.value()
        return self.choice(
            ("member: size", lambda: f"{v}.size"), ("dim index", lambda: f"{m('[dim]', d)}[{self.rng.choice(['0', '1'])}]"), ("dim +", lambda: f"({m('dim', d)} + {m('dim', d)})"),
            ("dim *", lambda: f"({m('dim', d)} * {m('dim', d)})"), ("dim -", lambda: f"({m('dim', d)} - {m('dim', d)})"), ("dim /", lambda: f"({m('dim', d)} / {m('dim', d)})"),
            ("dim %", lambda: f"({m('dim', d)} % {m('dim', d)})"), ("min of dims", lambda: f"min({m('dim', d)}, {m('dim', d)})"), ("product of dims", lambda: f"product({m('[dim]', d)})"))

    def make_ints(self, d):
        m, r = self.make, self.rng
        i, j = self.names.fresh("i"), self.names.fresh("j")
        some = self.names.of("const")
        return self.choice(
            ("++", lambda: f"({m('[int]', d)} ++ {m('[int]', d)})"), ("slice from", lambda: f"{m('[int]', d)}[{r.choice(['1', m('int', d)])}..]"), ("slice to", lambda: f"{m('[int]', d)}[..{r.choice(['1', m('int', d)])}]"),
            ("slice", lambda: f"{m('[int]', d)}[{m('int', d)}..{m('int', d)}]"), ("reversed", lambda: f"reversed({m('[int]', d)})"), ("sorted", lambda: f"sorted({m('[int]', d)})"),
            ("argsort", lambda: f"argsort({m('[int]', d)})"), ("comprehension", lambda: f"[{i} + {m('int', d)} for {i} in {m('[int]', d)}]"),
            ("comprehension with if", lambda: f"[{i} for {i} in {m('[int]', d)} if {i} {r.choice(['>', '!='])} {m('int', d)}]"),
            ("range", lambda: f"[{i} * 2 for {i} in {r.choice(['0', m('int', d)])}..{r.choice(['3', m('int', d)])}]"), ("enumerate", lambda: f"[{i} for ({i}, {j}) in enumerate({m('[int]', d)}) if {j} > 0]"),
            ("nested comprehension", lambda: f"[{i} + {j} for {i} in {m('[int]', d)} for {j} in {m('[int]', d)}]"), ("list", lambda: f"[{m('int', d)}, {m('int', d)}]"),
            ("exactly", lambda: f"exactly({m('[int]', d)}, {r.choice(['1', '2', '3'])})"), ("index of a list of lists", lambda: f"{m('[[int]]', d)}[0]"),
            ("comprehension over lists", lambda: f"[{j} for {i} in {m('[[int]]', d)} for {j} in {i}]"), ("for of several names", lambda: f"[{i} - {j} for ({i}, {j}) in {m('[[int]]', d)}]"),
            ("member: ints", lambda: f"{r.choice(some)}.ints" if some else None))

    def make_dims(self, d):
        m, v, w = self.make, self.value(), self.value()
        i = self.names.fresh("i")
        return self.choice(("member: shape", lambda: f"{v}.shape"), ("broadcast", lambda: f"broadcast({v}.shape, {w}.shape)"), ("reversed dims", lambda: f"reversed({v}.shape)"),
                           ("comprehension of dims", lambda: f"[{i} * {m('dim', d)} for {i} in {v}.shape]"), ("slice of dims", lambda: f"{v}.shape[1..]"),
                           ("shape of a type", lambda: f"{v}.type.shape"), ("++ of dims", lambda: f"({v}.shape ++ [{m('dim', d)}])"))

    def make_grid(self, d):
        m = self.make
        i = self.names.fresh("i")
        return self.choice(("list of lists", lambda: f"[{m('[int]', d)}, {m('[int]', d)}]"), ("comprehension of lists", lambda: f"[[{i}] for {i} in {m('[int]', d)}]"),
                           ("reversed lists", lambda: f"reversed({m('[[int]]', d)})"))

    def make_floats(self, d):
        m = self.make
        i = self.names.fresh("i")
        some = self.names.of("const")
        return self.choice(("list of floats", lambda: f"[{m('float', d)}, {m('float', d)}]"), ("comprehension of floats", lambda: f"[{i} * {m('float', d)} for {i} in {m('[float]', d)}]"),
                           ("member: floats", lambda: f"{self.rng.choice(some)}.floats" if some else None), ("reversed floats", lambda: f"reversed({m('[float]', d)})"))

    def make_bools(self, d):
        i = self.names.fresh("i")
        return self.choice(("list of bools", lambda: f"[{self.make('bool', d)}]"), ("comprehension of bools", lambda: f"[{i} > 0 for {i} in {self.make('[int]', d)}]"))

    def make_dtypes(self, d):
        return f"[{self.make('dtype', d)}, {self.make('dtype', d)}]"

    def make_strings(self, d):
        return self.choice(("++ of strings", lambda: f"({self.make('[string]', d)} ++ [{self.make('string', d)}])"))

    def make_type(self, d):
        v = self.value()
        return self.choice(("member: type", lambda: f"{v}.type"))

    def make_any(self, d):
        return self.make(self.rng.choice(["int", "float", "string", "bool", "[int]", "dtype"]), d)

    def make_tensor(self, d):
        m, v = self.make, self.value()
        some = self.names.of("const")
        return self.choice(("splat: of a type", lambda: f"splat({m(self.rng.choice(['int', 'float', 'bool']), d)}, {self.rng.choice(['f32[2]', 'i64[2, 2]', 'bool[1]', f'{v}.type'])})"),
                           ("constant", lambda: f"constant({m(self.rng.choice(['[int]', '[float]']), d)}, {self.rng.choice(['f32[2]', 'i64[2]', 'f16[3]'])})"),
                           ("member: value", lambda: f"{self.rng.choice(some)}.value" if some else None))
