"""Random patterns whose programs fit as a whole, of constructs that hardly ever fit by chance: types of tuples, lists of several groups of
operands, a list among several results, every kind of attribute, operands that may be left out, equations that hold, templates."""
from programs import ABSENT, BY_NAME, Program, as_rwir, below_literal

UNARY_OPS = ["neg", "abs", "exp", "norm", "view"]


class FittingMaker:
    """One pattern: what PatternMaker has that generate.py asks for."""

    def __init__(self, rng, name):
        self.rng, self.name, self.members = rng, name, [name]
        self.used, self.count = set(), 0
        self.same_type = rng.choice([t for t in Program.TYPES if t[1]])

    def mark(self, construct):
        self.used.add(construct)

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def pattern(self, left, right, where=(), name="", head=""):
        conditions = f"  where {', '.join(where)}\n" if where else ""
        self.text = f"{head}pattern {name or self.name} assume_same_type {{\n  {left}\n{conditions}  => {right}\n}}\n"

    def make(self):
        self.rng.choice([self.tuple, self.groups, self.groups, self.results, self.attributes, self.attributes, self.attributes, self.template,
                         self.conditions, self.conditions, self.operands])()
        return self

    # ---- types of tuples

    def tuple(self):
        rng = self.rng
        self.mark("match: type of a tuple")
        other = rng.choice([self.same_type, ("i32", (2,)), ("f16", (2, 3))])
        t, x = self.fresh("t"), self.fresh("x")

        def asked(type_):
            dims = [rng.choice([str(d), "_", self.fresh("m")]) for d in type_[1]]
            dims = [d if not d[0].isupper() else "_" for d in dims]
            whole = f"{type_[0]}[{', '.join(dims)}]"
            return rng.choice([whole, whole.replace(type_[0], "_", 1), f"{type_[0]}[...]", "_[...]", f"_[{dims[0]}, ...]"])

        left = f"sub(left({t}: ({asked(self.same_type)}, {asked(other)})), {x})"
        where = [c for c in (f"len({t}.elements) == 2", f"{t}.elements[0].dtype == {self.same_type[0]}", f"{t}.elements[1].rank >= 1",
                             f"{t}.elements[0] == {x}.type") if rng.random() < 0.3]
        if where:
            self.mark("where: elements of a tuple")
        built = rng.choice([f"{rng.choice(UNARY_OPS)}({x})", f"left(pair({x}, {x}))", "stated", "list", "chosen"])
        if built == "stated":
            self.mark("build: stated type of a tuple")
            built = f"left(pair({x}, {x}) -> ({x}.type, {x}.type))"
        elif built == "list":
            self.mark("build: stated type of a tuple")
            built = f"left(load({x}) -> {t}.type)"
        elif built == "chosen":
            self.mark("where: elements of a tuple")
            built = f"if {t}.elements[1].rank == 1 then left({t}) else neg({x})"
        self.pattern(left, built, where)

        def emit(p, type_):
            parts = [self.same_type, other]
            pair = p.add(BY_NAME["pair"], [p.value(part) for part in parts], {}, [parts])[0]
            first = p.add(BY_NAME["left"], [pair], {}, [self.same_type])[0]
            p.add(BY_NAME["sub"], [first, p.value(self.same_type)], {}, [self.same_type])

        self.emit = emit

    # ---- lists of several groups

    def groups(self):
        rng = self.rng
        self.mark("match: lists of several groups")
        self.mark("build: several groups of operands as lists")
        size = rng.choice([1, 2, 3])
        xs, ys, d, i = self.fresh("xs"), self.fresh("ys"), self.fresh("d"), self.fresh("i")
        ahead = rng.random() < 0.3 # one element each before the lists
        if ahead:
            self.mark("match: lists of several groups behind elements")
        a, b = self.fresh("a"), self.fresh("b")
        left = f"{d}: weave({a}, {xs}..., {b}, {ys}...)" if ahead else f"{d}: weave({xs}..., {ys}...)"
        first = rng.choice([f"{ys}...", f"{xs}..."])
        second = rng.choice([f"{xs}...", f"{ys}...", f"reversed({ys})...", f"[exp({i}) for {i} in {ys}]..."])
        if ahead:
            first, second = f"{b}, {first}", f"{a}, {second}"
        op = rng.choice(["weave", "weave", d, "span"])
        if op == d:
            self.mark("build: matched op on several groups")
        value = a if ahead else f"{xs}[0]"
        built = f"{op}({first}, {value}, {second}, {second})" if op == "span" else f"{op}({first}, {second})"
        if rng.random() < 0.4:
            built = f"{rng.choice(UNARY_OPS)}({built})"
        where = [f"len({xs}) == len({ys})"] if rng.random() < 0.3 else []
        where += [f"len({xs}) >= 1"] if op == "span" and not ahead else []
        self.pattern(f"neg({left})", built, where)

        def emit(p, type_):
            operands = [p.value(type_) for _ in range(2 * (size + ahead))]
            p.add(BY_NAME["neg"], [p.add(BY_NAME["weave"], operands, {}, [type_])[0]], {}, [type_])

        self.emit = emit

    # ---- a list among several results

    def results(self):
        rng = self.rng
        self.mark("right: a list among several results")
        d, x, k = self.fresh("d"), self.fresh("x"), self.fresh("k")
        n = rng.choice([0, 1, 2])
        first, rest, last, i = self.fresh("f"), self.fresh("r"), self.fresh("l"), self.fresh("i")
        rests = rng.choice([rest, rest, f"[{rng.choice(UNARY_OPS)}({i}) for {i} in {rest}]"])
        parts = rng.choice([f"({last}, {rests}, {first})", f"({first}, {rests}, {rng.choice(UNARY_OPS)}({x}))"])
        self.pattern(f"{d}: peel(abs({x}), n = {k})", f"{{ let ({first}, {rest}, {last}) = peel({x}, n = {k}); replace {d} with {parts}; }}",
                     [f"len({d}.rest) == {k}"] if rng.random() < 0.4 else [])

        def emit(p, type_):
            of = p.add(BY_NAME["abs"], [p.value(type_)], {}, [type_])[0]
            p.add(BY_NAME["peel"], [of], {"n": str(n)} if n != 1 else {}, [type_] * (n + 2))

        self.emit = emit

    # ---- attributes of every kind

    def attributes(self):
        rng = self.rng
        op = rng.choice([BY_NAME["tagged"], BY_NAME["tagged"], BY_NAME["pool"]])
        some = rng.sample([a for a in op.attrs if a != "tag"], rng.choice([1, 2, 3]))
        some += ["tag"] if "tag" in op.attrs else []
        asked, given, handed, d = [], {}, [], self.fresh("d")
        for attr in some:
            of = op.attrs[attr][0]
            literal = below_literal(rng, of)
            while op.attrs[attr][1] not in (None, ABSENT) and literal == op.attrs[attr][1]:
                literal = below_literal(rng, of)
            given[attr] = as_rwir(literal, of) if literal != "[]" or of != "[dim]" else "dims<>"
            elements = literal[1:-1].split(", ") if of in ("[int]", "[string]") and literal != "[]" else []
            roll = rng.random()
            if of == "[[int]]" and roll < 0.2 and literal != "[]":
                self.mark("attribute: list of lists with a rest")
                first, rest = self.fresh("v"), self.fresh("w")
                asked.append(f"{attr} = [{first}, {rest}...]")
                handed.append((attr, of, f"[{first}] ++ {rest}"))
            elif elements and roll < 0.3:
                self.mark("attribute: list with a rest")
                rest = self.fresh("w")
                asked.append(f"{attr} = [{elements[0]}, {rest}...]")
                handed.append((attr, of, rest))
            elif roll < 0.5 and of != "tensor" and not (of == "any" and literal[0] == "["):
                self.mark(f"attribute: literal of type {of}")
                asked.append(f"{attr} = {literal}")
            else:
                self.mark(f"attribute: name of type {of}")
                v = self.fresh("v")
                asked.append(f"{attr} = {v}")
                handed.append((attr, of, v))
        x, y = self.fresh("x"), self.fresh("y")
        twice = [v for _, of, v in handed if v.startswith("v")]
        right = []
        for attr, of, v in handed:
            if rng.random() < 0.7:
                self.mark("build: attribute handed on" if rng.random() < 0.5 else f"build: attribute of type {of}")
                right.append(f"{attr} = {v}" if "build: attribute handed on" not in self.used or "[" in v else f"{attr} = {d}.{attr}")
        stated = {text.split(" = ")[0] for text in right}
        rest = [a for a in some if a not in stated]
        for attr in rest[:1]:
            self.mark(f"build: attribute of type {op.attrs[attr][0]}")
            right.append(f"{attr} = {self.built_literal(op.attrs[attr][0])}")
            stated.add(attr)
        if rng.random() < 0.4 or ("tag" in op.attrs and "tag" not in stated):
            self.mark("build: _ = c")
            right.append(f"_ = {d}")
        left = f"{d}: {op.name}({x}, {', '.join(asked + ['_ = _'])})"
        second = rng.random() < 0.25 and twice
        if second:
            self.mark("attribute: repeated name")
            attr = next(a for a, _, v in handed if v == twice[0])
            left = f"sub({left}, {op.name}({y}, {attr} = {twice[0]}, _ = _))"
        else:
            left = f"norm({left})"
        self.pattern(left, f"{op.name}({rng.choice([x, f'neg({x})'])}, {', '.join(right)})" if right else f"neg({x})")

        def emit(p, type_):
            one = p.instance(op, [None], dict(given), type_)[0]
            if second:
                p.add(BY_NAME["sub"], [one, p.instance(op, [None], dict(given), type_)[0]], {}, [type_])
            else:
                p.add(BY_NAME["norm"], [one], {}, [type_])

        self.emit = emit

    def built_literal(self, of):
        return "constant([1], i64[1])" if of == "tensor" else below_literal(self.rng, of).replace("_", "1")

    # ---- conditions

    def conditions(self):
        """Equations that hold of every op, and names of parts."""
        rng = self.rng
        x, k, q, g, m, b, d = (self.fresh(letter) for letter in "xkqgmbd")
        holds = {"int": f"abs({k}) == max({k}, -{k})", "[int]": f"reversed(reversed({q})) == {q}", "[[int]]": f"[{g}r for {g}r in {g}] == {g}",
                 "bool": f"{b} == (not not {b})", "string": f'{m} ++ "" == {m}', "float": f"{k} * 0.5 + {k} * 0.5 == {k} * 1.0", "dtype": f"{x}.dtype == {x}.type.dtype",
                 "type": f"{x}.type == ({x}.dtype, {x}.shape)", "[dim]": f"{x}.shape[0..] == {x}.shape", "dim": f"{x}.shape[0] == {x}.shape[0..][0]"}
        where = []
        for of in rng.sample(sorted(holds), 3):
            self.mark(f"equality of {of}")
            where.append(holds[of])
        if rng.random() < 0.6:
            self.mark("where: let of several names")
            u, v = self.fresh("u"), self.fresh("v")
            where += [rng.choice([f"let ({u}, {v}) = [{k}, {k} + 1]", f"let ({u}, {v}) = ({k}, {k} + 1)"]), f"{v} - {u} == 1"]
        rng.shuffle(where)
        where.sort(key=lambda c: " - " in c) # behind what names its parts
        self.pattern(f"norm({d}: pool({x}, size = {k}, pads = {q}, grid = {g}, mode = {m}, on = {b}, _ = _))", rng.choice([f"{d}(neg({x}))", f"abs({x})", f"{d}"]), where)

        def emit(p, type_):
            given = {"size": str(rng.choice([0, 1, 3, -2])), "pads": below_literal(rng, "[int]"), "grid": below_literal(rng, "[[int]]"),
                     "on": below_literal(rng, "bool"), "mode": below_literal(rng, "mode")}
            p.add(BY_NAME["norm"], [p.add(BY_NAME["pool"], [p.value(self.same_type)], given, [self.same_type])[0]], {}, [self.same_type])

        self.emit = emit

    # ---- operands that may be left out, and the other operands

    def operands(self):
        rng = self.rng
        x, w, b, d, rest = (self.fresh(letter) for letter in "xwbdr")
        if rng.random() < 0.5:
            self.mark("match: optional operand x?")
            form = rng.choice([b, b, f"if has({b}) then neg({b}) else none", "none"])
            self.mark("build: optional operand " + ("none" if form == "none" else "o"))
            self.pattern(f"norm({d}: conv({x}, {w}, {b}?, _ = _))", f"{rng.choice([d, 'conv'])}(neg({x}), {w}, {form})")

            def emit(p, type_):
                operands = [p.value(type_) for _ in range(rng.choice([2, 3]))]
                p.add(BY_NAME["norm"], [p.add(BY_NAME["conv"], operands, {}, [type_])[0]], {}, [type_])
        else:
            self.mark("match: rest... among operands")
            self.mark("build: rest... of a matched op")
            op = rng.choice(["sub", "sel", "add"])
            self.pattern(f"norm({d}: {rng.choice(['_', 'elementwise'])}({x}, {rest}...))", f"{d}(neg({x}), {rest}...)")

            def emit(p, type_):
                operands = [p.value(type_) for _ in BY_NAME[op].operands]
                p.add(BY_NAME["norm"], [p.add(BY_NAME[op], operands, {}, [type_])[0]], {}, [type_])

        self.emit = emit

    # ---- templates

    def template(self):
        rng = self.rng
        if rng.random() < 0.4:
            return self.template_of_pairs()
        self.mark("template: over a set")
        some, f, x = rng.sample(UNARY_OPS, 2), self.fresh("f"), self.fresh("x")
        own = f"{self.name.lower()}_set"
        self.pattern(f"{f}(mix({x}, _))", rng.choice([f"{f}(view({x}))", x, f"sub({f}({x}), {x})"]), name=f"{self.name}_{{{f}}}",
                     head=f"set {own} = {{{', '.join(some)}}};\nfor {f} in {own}\n")
        self.members = [f"{self.name}_r_{op}" for op in some]

        def emit(p, type_):
            of = p.add(BY_NAME["mix"], [p.value(type_), p.value(type_)], {}, [type_])[0]
            p.add(BY_NAME[rng.choice(some)], [of], {}, [type_])

        self.emit = emit

    def template_of_pairs(self):
        rng = self.rng
        self.mark("template: entries of several names")
        f, g, x = self.fresh("f"), self.fresh("g"), self.fresh("x")
        first = rng.sample(UNARY_OPS, 2)
        pairs = [first, first[::-1]]
        entries = ", ".join(f"({a}, {b})" for a, b in pairs)
        self.pattern(f"{f}({g}(mix({x}, _)))", rng.choice([f"{g}(view({x}))", f"sub({g}({x}), {f}({x}))"]), name=f"{self.name}_{{{f}}}_{{{g}}}",
                     head=f"for ({f}, {g}) in {{{entries}}}\n")
        self.members = sorted({f"{self.name}_{a}_{b}" for a, b in pairs})

        def emit(p, type_):
            a, b = rng.choice(pairs)
            of = p.add(BY_NAME["mix"], [p.value(type_), p.value(type_)], {}, [type_])[0]
            p.add(BY_NAME[a], [p.add(BY_NAME[b], [of], {}, [type_])[0]], {}, [type_])

        self.emit = emit
