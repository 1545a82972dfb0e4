"""Random patterns, each with a way to write ops that it matches."""
import random
import re

from expressions import Expressions, Names
from programs import ABSENT, BY_NAME, OPS, Op, Program, UNARY, as_rwir, below_literal, rwir_literal

# ---- patterns -----------------------------------------------------------------------------------------------------


def several_groups(op):
    """Whether several operands may be any number; they are of one size."""
    return sum(arity == "*" for _, arity in op.operands) > 1


class PatternMaker:
    """One pattern: its text, its constructs, and ops that fit its left side."""

    def __init__(self, rng, name, ops, functions, label):
        self.rng, self.name, self.all_ops, self.label = rng, name, ops, label
        self.names = Names()
        self.used = set()
        self.refined = {}  # value names -> how to write what a later condition asks of them
        self.same_type = rng.choice(Program.TYPES)
        self.expr = Expressions(rng, self.names, self.mark, functions)
        self.chains = {}  # names of chains -> (whether they have sides)
        self.roots = []
        self.roots_named = []
        self.groups = []  # lists that are groups of one op, so of one size
        self.optional = []  # names of operands that may be left out
        self.declared = ""  # named matches, which stand before the pattern

    def mark(self, construct):
        self.used.add(construct)

    # -- left sides: each gives a text and a function (program, env, type) -> value

    def leaf(self, same, inside_each=False):
        rng = self.rng
        roll = rng.random()
        old = [n for n in self.names.of("value") if (n in self.names.same) == same]
        if old and not inside_each and roll < 0.12:
            self.mark("match: repeated name")
            name = rng.choice(old)
            return name, lambda p, env, t: env[name] if name in env and rng.random() < 0.9 else p.value(t)
        if roll < 0.18 and not inside_each:
            self.mark("match: _")
            return "_", lambda p, env, t: p.value(t)
        if roll < 0.25 and not inside_each:
            element = rng.choice(["0", "1", "2", "0.5", "-0.0", "true"])
            self.mark("match: splat of a literal")
            return f"splat({element})", lambda p, env, t: p.constant(t, element) or p.value(t)
        name = self.names.fresh("x")
        if roll < 0.32 and not inside_each:
            kind = rng.choice(["", "", ": int", ": float", ": bool"])
            self.mark("match: splat of a name" + (" and a kind" if kind else ""))
            self.names.kinds[name] = {"": "splat", ": int": "int", ": float": "float", ": bool": "bool"}[kind]
            return f"splat({name}{kind})", lambda p, env, t: p.constant(t) or p.value(t)
        if same and not inside_each:
            self.names.same.add(name)
        kind, text = "value", name
        if roll < 0.42 and not inside_each:
            self.mark("match: const")
            kind, text = "const", f"const {name}"
        elif roll < 0.6 and not inside_each:
            text = f"{name}: {self.type_constraint()}"
        if not inside_each:
            self.names.kinds[name] = kind

        def emit(p, env, t):
            if name in env and rng.random() < 0.8:
                return env[name]
            refine = self.refined.get(name)
            v = refine(p, env, t) if refine and rng.random() < 0.85 else (p.constant(t) or p.value(t)) if kind == "const" else p.value(t)
            env[name] = v
            return v

        return (text, emit) if not inside_each else (text, lambda p, env, t: p.value(t), name)

    def type_constraint(self):
        rng = self.rng
        if rng.random() < 0.15:
            self.mark("match: single_element")
            return "single_element"
        dtype, dims = self.same_type
        head = rng.choice([dtype, "_", "tensor"])
        if head == "tensor":
            self.mark("match: type tensor")
            return "tensor"
        if rng.random() < 0.2:
            self.mark("match: dtype of any shape")
            return f"{dtype}[...]"
        parts = []
        for d in dims:
            roll = rng.random()
            if roll < 0.3:
                self.mark("match: dimension _")
                parts.append(rng.choice(["_", "_", "?"]))
            elif roll < 0.5 and isinstance(d, int):
                self.mark("match: dimension literal")
                parts.append(str(d))
            elif self.names.of("dim") and roll < 0.7:
                self.mark("match: dimension repeated")
                parts.append(rng.choice(self.names.of("dim")))
            else:
                self.mark("match: dimension name")
                fresh = self.names.fresh("m")
                self.names.kinds[fresh] = "dim"
                parts.append(fresh)
        if rng.random() < 0.25 and parts:
            self.mark("match: dimensions ...")
            rest = rng.randrange(len(parts) + 1)
            parts = parts[:rest] + ["..."]
        return f"{head}[{', '.join(parts)}]"

    def value(self, depth, same=True):
        rng = self.rng
        roll = rng.random()
        if depth >= 3 or roll < 0.35 + 0.12 * depth:
            return self.leaf(same)
        if roll < 0.45 + 0.1 * depth:
            return self.alternatives(depth, same)
        if roll < 0.58 + 0.08 * depth:
            return self.chain(depth, same)
        if roll < 0.7 + 0.08 * depth:
            return self.named(depth, same, self.op if rng.random() < 0.5 else self.chain if rng.random() < 0.4 else self.alternatives)
        return self.op(depth, same)

    def fresh_declaration(self, letter):
        return f"{self.name.lower()}_{letter}{len(self.declared)}"

    def set_of(self, names):
        """Ops as a set, which stands before the pattern, or as a trait that is given to them."""
        rng = self.rng
        name = self.fresh_declaration("s")
        if rng.random() < 0.4:
            self.mark("trait of one's own")
            self.declared += f"trait {name};\ntrait {name} for {', '.join(names)};\n"
        elif len(names) > 1 and rng.random() < 0.4:
            self.mark("set of sets")
            self.declared += f"set {name}_i = {{{names[0]}}};\nset {name} = {{{name}_i, {', '.join(names[1:])}}};\n"
        else:
            self.mark("set")
            self.declared += f"set {name} = {{{', '.join(names)}}};\n"
        return name

    def named_rewrite(self, text):
        """What is built, by a named rewrite over the names in it."""
        types = {"value": "value", "const": "value", "int": "int", "float": "float", "bool": "bool", "string": "string", "dtype": "dtype", "dim": "dim",
                 "[int]": "[int]", "[dim]": "[dim]", "[[int]]": "[[int]]", "values": "[value]"}
        used = [n for n in self.names.kinds if re.search(rf"\b{n}\b", text)]
        if not used or any(self.names.kinds[n] not in types or n in self.names.maybe for n in used):
            return text
        name = self.fresh_declaration("r")
        inner = re.sub(r"\b(" + "|".join(used) + r")\b", r"p_\1", text)
        params = ", ".join(f"p_{n}: {types[self.names.kinds[n]]}" for n in used)
        self.mark("build: named rewrite")
        way = self.rng.random()
        if way < 0.15:
            self.mark("named rewrite: several results")
            which = self.rng.choice("uv")
            self.declared += f"rewrite {name}({params}) -> (u: value, v: value) {{ let made = {inner}; (made, neg(made)) }}\n"
            return f"{name}({', '.join(used)}).{which}"
        if way < 0.3:
            self.mark("named rewrite: a list")
            self.declared += f"rewrite {name}({params}) -> [value] = [{inner}, exp({inner})];\n"
            return f"cat({name}({', '.join(used)})...)"
        if way < 0.6:
            self.mark("named rewrite: a block")
            body = f"{{ let made = {inner}; made }}"
        else:
            body = f"= {inner};"
        self.declared += f"rewrite {name}({params}) -> value {body}\n"
        args = list(used)
        values = [i for i, n in enumerate(used) if self.names.kinds[n] == "value" and n in self.names.same]
        if values and self.rng.random() < 0.3:
            self.mark("named rewrite: something built as argument")
            args[values[0]] = f"neg({args[values[0]]})"
        return f"{name}({', '.join(args)})"

    def named(self, depth, same, make):
        """A named match: what it binds are its parameters, of which the use names some and asks something of others."""
        rng = self.rng
        before = set(self.names.kinds)
        text, emit = make(depth, same)
        new = [n for n in self.names.kinds if n not in before]
        if any(re.search(rf"\b{n}\b", text) for n in before) or any(n not in text for n in new):
            return text, emit
        name = self.fresh_declaration("m")
        self.mark("match: named match")
        inner = re.sub(r"\b(" + "|".join(new) + r")\b", r"p_\1", text) if new else text
        values = [n for n in new if self.names.kinds[n] == "value" and n not in self.names.maybe]
        if values and rng.random() < 0.5:
            self.mark("named match: condition of its own")
            inner += f" where p_{rng.choice(values)}" + rng.choice([".uses >= 1", ".rank >= 0", " is _", ".rank < 2 or true"])
        computed = ""
        if rng.random() < 0.2 and values:
            self.mark("named match: computed parameter")
            computed = self.names.fresh("n")
            inner += (", " if " where " in inner else " where ") + f"let p_{computed} = p_{rng.choice(values)}.uses"
        params, args = [f"p_{n}" for n in new], []
        for n in new:
            if n in values and depth < 2 and rng.random() < 0.35:
                self.mark("named match: a match as argument")
                arg, self.refined[n] = self.op(depth + 2, n in self.names.same)
                del self.names.kinds[n]
                self.names.same.discard(n)
                args.append(arg)
            elif n in values and rng.random() < 0.1:
                self.mark("named match: _ as argument")
                del self.names.kinds[n]
                self.names.same.discard(n)
                args.append("_")
            else:
                args.append((f"p_{n} = " if rng.random() < 0.2 and all("=" in a for a in args[1:]) and n == new[-1] else "") + n)
        if computed:
            self.names.kinds[computed] = "int"
            params.insert(0, f"p_{computed}")
            args.insert(0, computed if rng.random() < 0.7 else "1")
            if args[0] == "1":
                del self.names.kinds[computed]
        given = ""
        if rng.random() < 0.25:
            self.mark("named match: given parameter")
            given = rng.choice(["int", "float"])
            params.append("p_given: " + given)
            args.append("p_given = " + ("1" if given == "int" else "0.5"))
            inner += (", " if " where " in inner else " where ") + rng.choice(["p_given < 2", "p_given > 0 or p_given == 0"])
        if len(new) == 1 and new == values and not computed and not given and rng.random() < 0.4:
            # Of several ops that bind one name the second stands for the first.
            self.mark("named match: several cases")
            case, first_emit, only = rng.choice(["norm", "view", "exp"]), emit, new[0]
            inner += f" | {case}(p_{only})" + rng.choice(["", f" where p_{only}.uses >= 1", f" where not p_{only} is {case}(_)"])

            def emit(p, env, t):
                if rng.random() < 0.5:
                    return first_emit(p, env, t)
                if only not in env:
                    env[only] = self.refined[only](p, env, t) if only in self.refined else p.value(t)
                return p.instance(BY_NAME[case], [lambda _: env[only] or p.value(t)], {}, t)[0]

        self.declared += f"match {name}({', '.join(params)}) = {inner};\n"
        return f"{name}({', '.join(args)})", emit

    def alternatives(self, depth, same):
        """(m | n): both bind one name, or one only."""
        rng = self.rng
        if self.rng.random() < 0.4:
            self.mark("match: alternatives of values")
            name = self.names.fresh("x")
            some = rng.sample([o for o in self.all_ops if len(o.operands) == 1 and o.operands[0][1] == 1 and o.same and len(o.results) == 1
                               and not o.results[0].endswith("*") and all(d is not None for _, d in o.attrs.values()) and not o.version], rng.choice([1, 2, 2, 3]))
            self.names.kinds[name] = "value"
            if same:
                self.names.same.add(name)
            texts = [f"{self.op_name(o)}({name}{', ..' if o.attrs else ''})" for o in some] + ([name] if rng.random() < 0.5 or len(some) == 1 else [])

            def emit(p, env, t):
                if name not in env or rng.random() < 0.1:
                    env[name] = p.value(t)
                way = rng.randrange(len(texts))
                return env[name] if way >= len(some) else p.instance(some[way], [lambda _: env[name]], {}, t)[0]

            return "(" + " | ".join(texts) + ")", emit
        self.mark("match: alternatives, a name in some only")
        before = set(self.names.kinds)
        first, emit_first = self.op(depth + 1, same) if rng.random() < 0.7 else self.chain(depth + 1, same)
        for n in set(self.names.kinds) - before:
            self.names.maybe.add(n)
            if self.names.kinds[n] in ("int", "float", "bool", "string", "dim", "[int]", "dtype") and rng.random() < 0.7:
                continue
        second = rng.choice(["_", "const _"])
        return f"({first} | {second})", lambda p, env, t: emit_first(p, env, t) if rng.random() < 0.7 else p.value(t)

    def op_name(self, op):
        if self.rng.random() < 0.5:
            self.mark("name of an op with its dialect")
            return op.written()
        return op.name

    def chain(self, depth, same):
        rng = self.rng
        quantifier = rng.choice(["*", "*", "+", "?"])
        head = rng.choice(["elementwise", "elementwise", "neg", "(neg | abs)", "scale", "add"])
        unary = [BY_NAME["neg"], BY_NAME["abs"], BY_NAME["exp"]]
        extra, named = "", ""
        if quantifier == "?":
            head = rng.choice(["neg", "view", "cast"])
            extra = ", to = _" if head == "cast" else ""
            unary = [BY_NAME[head]] if head != "cast" else [BY_NAME["cast"]]
            self.mark("match: optional op")
        else:
            if head == "scale":
                some = rng.choice(["2.0", "0.5 | 2.0", "_"])
                extra = f", by = {some}, .." if rng.random() < 0.7 else ", .."
                unary = [BY_NAME["scale"]]
                self.mark("match: chain that asks for attributes")
            elif head in ("neg", "(neg | abs)"):
                unary = [BY_NAME["neg"]] if head == "neg" else [BY_NAME["neg"], BY_NAME["abs"]]
            self.mark(f"match: chain {quantifier} of " + ("a trait" if head == "elementwise" else "alternatives" if head.startswith("(") else "an op"))
        side = None
        if head == "(neg | abs)" and rng.random() < 0.5:
            head = self.set_of(["neg", "abs"])
        if quantifier != "?" and head in ("elementwise", "add") and rng.random() < 0.4:
            side = self.names.fresh("s")
            extra += f", {side}: {rng.choice([self.type_constraint(), '_[...]'])}"
            self.mark("match: chain with sides")
        if rng.random() < 0.8:
            name = self.names.fresh("c")
            named = name + ": "
            self.mark("match: named chain")
        inner, emit_inner = self.value(depth + 1, same and quantifier != "?")
        if named:
            self.names.kinds[name] = "chain"
            self.chains[name] = side

        def emit(p, env, t):
            v = emit_inner(p, env, t)
            for _ in range(rng.choice([0, 1, 1, 2]) if quantifier == "*" else rng.choice([0, 1, 1]) if quantifier == "?" else rng.choice([1, 1, 2, 3])):
                if head in ("elementwise", "add") and (rng.random() < 0.5 or head == "add"):
                    other = p.value(t) if side else p.constant((t[0], ())) if isinstance(t, tuple) else None
                    other = other or p.value(t)
                    pair = [v, other] if rng.random() < 0.5 else [other, v]
                    v = p.instance(BY_NAME["add" if head == "add" else rng.choice(["add", "mul", "sub"])], [lambda _, a=a: a for a in pair], {}, t)[0]
                else:
                    op = rng.choice(unary)
                    attrs = {"by": rng.choice(["2.0", "0.5"])} if op.name == "scale" else {}
                    v = p.instance(op, [lambda _, a=v: a], attrs, t)[0]
            return v

        sides = extra if side is None else extra
        return f"{named}{head}{quantifier}({inner}{sides})", emit

    def attr_match(self, op, attr, of):
        """What stands behind `attr =`, and a function env -> literal of .rwir."""
        rng = self.rng
        literal = below_literal(rng, of)
        wrong = lambda: rwir_literal(rng, of)
        roll = rng.random()
        if of in ("tensor", "form"):
            roll = 0.3
        if of == "any":
            kind = rng.choice(["int", "float", "bool", "string", "[int]"])
            if roll < 0.4:
                name = self.names.fresh("t")
                self.names.kinds[name] = kind
                self.mark("attribute: one kind of any")
                return f"{name}: {kind}", lambda env: below_literal(rng, kind)
            if roll < 0.6:
                return "_", lambda env: wrong()
        same_kind = self.names.of(of)
        if same_kind and roll < 0.12 and of in ("int", "float", "string", "dtype", "[int]", "bool"):
            name = rng.choice(same_kind)
            self.mark("attribute: repeated name")
            return name, lambda env: env.get(name, literal) if rng.random() < 0.9 else wrong()
        if roll < 0.45 and of != "any":
            name = self.names.fresh("a")
            self.names.kinds[name] = of
            self.mark(f"attribute: name of type {of}")

            def emit(env):
                env[name] = env[name] if name in env else wrong()
                return env[name]

            if of in ("int", "float", "string", "bool", "mode", "dtype") and rng.random() < 0.3:
                other = below_literal(rng, of)
                self.mark("attribute: named and a choice")
                if literal != other:
                    def emit_choice(env):
                        env[name] = env.get(name) or as_rwir(rng.choice([literal, other]), of)
                        return env[name]
                    return f"{name}: {literal} | {other}", emit_choice
            if of == "[int]" and rng.random() < 0.3:
                rest = self.names.fresh("a")
                self.names.kinds[rest] = "[int]"
                self.mark("attribute: named and a list")
                return f"{name}: [0, {rest}...]", lambda env: env.setdefault(name, rng.choice(["[0, 1]", "[0]", "[0, 2, 1]"]))
            return name, emit
        if roll < 0.55:
            self.mark("attribute: _")
            return "_", lambda env: wrong()
        if of == "[int]" and roll < 0.85:
            first, rest, last = self.names.fresh("a"), self.names.fresh("a"), self.names.fresh("a")
            form = rng.choice([f"[{first}, {rest}...]", f"[{rest}..., {last}]", f"[0, {rest}..., {last}]", f"[{first}, _]", "[]", f"[_, {rest}...]", f"[{first}, 1]"])
            self.mark("attribute: list with a rest" if "..." in form else "attribute: list of names")
            for n, k in ((first, "int"), (rest, "[int]"), (last, "int")):
                if re.search(rf"\b{n}\b", form):
                    self.names.kinds[n] = k
            return form, lambda env: rng.choice(["[]", "[0]", "[0, 1]", "[1, 0]", "[0, 2, 1]", "[1, 1]"]) if form != "[]" else "[]"
        if of == "[[int]]" and roll < 0.8:
            rest = self.names.fresh("a")
            self.names.kinds[rest] = "[[int]]"
            self.mark("attribute: list of lists with a rest")
            return f"[[0, 1], {rest}...]", lambda env: rng.choice(["[[0, 1]]", "[[0, 1], [2]]", "[[1]]"])
        if of in ("int", "float", "string", "mode", "bool", "[int]", "dtype") and roll < 0.75:
            other = below_literal(rng, of)
            if other != literal and not (of.startswith("[") and "]" not in other):
                self.mark("attribute: choice of literals")
                return f"{literal} | {other}", lambda env: as_rwir(rng.choice([literal, other]), of) if rng.random() < 0.9 else wrong()
        self.mark(f"attribute: literal of type {of}")
        if of in ("dim", "type", "tensor", "[type]"):
            name = self.names.fresh("a")
            self.names.kinds[name] = of
            return name, lambda env: wrong()
        return literal, lambda env: as_rwir(literal, of) if rng.random() < 0.9 else wrong()

    def attrs_of(self, op):
        """Attributes of a match: texts, makers, and whether `..` stands there."""
        rng = self.rng
        texts, makers, left_out = [], {}, []
        for attr, (of, default) in op.attrs.items():
            if default is None or rng.random() < (0.3 if len(op.attrs) < 5 else 0.18):
                text, maker = self.attr_match(op, attr, of)
                texts.append(f"{attr} = {text}")
                makers[attr] = maker
            else:
                left_out.append(attr)
        dots = rng.random() < (0.5 if left_out else 0.1)
        if dots and rng.random() < 0.4:
            texts.append("_ = _")
            self.mark("match: _ = _")
        elif dots:
            texts.append("..")
            self.mark("match: ..")
            if texts[0] != ".." and rng.random() < 0.0:
                texts.pop(0)
        return texts, makers, dots, left_out

    def op(self, depth, same, root=False):
        """An op of one kind or several, perhaps named."""
        rng = self.rng
        if root and rng.random() < 0.08:
            return self.many_orders(depth, same)
        if rng.random() < 0.15:
            return self.several_kinds(depth, same, root)
        if rng.random() < (0.3 if root else 0.1):
            return self.with_groups(depth, same, root) if rng.random() < 0.35 else self.with_lists(depth, same, root)
        choices = [o for o in self.all_ops if o.operands and (o.results or root)]
        if not root:
            choices = [o for o in choices if not o.results[0].endswith("*")]
        if not same:
            choices = [o for o in choices if o.name not in ("pair",)]
        op = rng.choice(choices)
        if root and rng.random() < 0.2:
            op = rng.choice([o for o in choices if len(o.results) != 1 or o.name in ("perm", "cast", "pool", "tagged")] or choices)
        if not root and op.name == "pair":
            op = BY_NAME["add"]
        args, emits = [], []
        group_size = rng.choice([1, 2, 2])
        if several_groups(op):
            self.mark("match: several groups of operands one by one")
        for i, (_, arity) in enumerate(op.operands):
            if arity == "*":
                count = group_size if several_groups(op) else rng.choice([1, 2, 2])
                some, makers = [], []
                for _ in range(count):
                    text, emit = self.value(depth + 1, same and op.same)
                    some.append(text)
                    makers.append(emit)
                args += some
                emits.append(makers)
                self.mark("match: operands of a variadic op one by one")
            elif arity == "?":
                roll = rng.random()
                if roll < 0.25:
                    # Named, its name stands for an operand that may be left out.
                    which = rng.choice(["_?", "x?", "(const x)?", "(x: type)?"])
                    self.mark(f"match: optional operand {which}")
                    if which == "_?":
                        args.append("_?")
                    else:
                        maybe = self.names.fresh("o")
                        self.optional.append(maybe)
                        args.append(which.replace("x", maybe).replace("type", self.type_constraint() if "type" in which else ""))
                    emits.append(None if rng.random() < 0.6 else "absent")
                elif roll < 0.35:
                    self.mark("match: optional operand none")
                    args.append("none")
                    emits.append("absent")
                elif roll < 0.65:
                    self.mark("match: optional operand that is there")
                    text, emit = self.value(depth + 1, same and op.same)
                    args.append(text)
                    emits.append(emit)
                elif i + 1 < len(op.operands):
                    args.append("none")
                    emits.append("absent")
                else:
                    self.mark("match: optional operand left out")
                    emits.append("absent")
            elif op.name == "left" and rng.random() < 0.5:
                self.mark("match: type of a tuple")
                fresh = self.names.fresh("x")
                self.names.kinds[fresh] = "value"
                args.append(f"{fresh}: ({rng.choice([self.type_constraint(), '_[...]'])}, _[...])".replace("single_element", "tensor"))
                emits.append(lambda p, env, t: p.value(t))
            else:
                text, emit = self.value(depth + 1, same and op.same)
                args.append(text)
                emits.append(emit)
        if op.commutative:
            self.mark("match: commutative operands")
        texts, makers, dots, left_out = self.attrs_of(op)
        name, word = "", ""
        part = None
        if len(op.results) > 1 and not root:
            part = rng.choice([r for r in op.results if not r.endswith("*")])
        if rng.random() < (0.6 if root else 0.3):
            name = self.names.fresh("d")
            self.names.kinds[name] = "op"
            self.names.ops[name] = op
            if op.same and len(op.results) == 1 and not op.results[0].endswith("*") and same and not root:
                self.names.same.add(name)
            self.mark("match: named op")
        if not root and rng.random() < 0.12:
            word = "single "
            self.mark("match: single")
        if op.commutative and rng.random() < 0.35:
            word += "ordered "
            self.mark("match: ordered")
        if root:
            self.roots.append((name, op))
        suffix = f".{part.rstrip('?')}" if part and rng.random() < 0.8 else ""
        if suffix:
            self.mark("match: one of several results")
        if root and len(op.results) != 1:
            self.mark("match: root of several results" if op.results else "match: root without results")

        def emit(p, env, t):
            if not root and rng.random() < 0.06:
                return p.value(t)
            given = []
            for e, (_, arity) in zip(emits, op.operands):
                if isinstance(e, list):
                    given.append([(lambda w, m=m: m(p, env, w)) for m in e])
                else:
                    given.append(e if e == "absent" or e is None else (lambda w, e=e: e(p, env, w)))
            attrs = {a: m(env) for a, m in makers.items()}
            if not dots:
                for a in left_out:
                    attrs[a] = None
            results = p.instance(op, given, attrs, t)
            if not results:
                return None
            index = 0
            if part and suffix:
                index = op.results.index(part) if part != "last" else len(results) - 1
            if name:
                env[name] = results[index]
            return results[index]

        return f"{word}{name + ': ' if name else ''}{self.op_name(op)}({', '.join(args + texts)}){suffix}", emit

    def many_orders(self, depth, same):
        """Six or more commutative ops in each other: more orders than are tried one by one."""
        rng = self.rng
        leaves = []

        def tree(count):
            if count == 0:
                leaves.append(self.value(depth + rng.choice([1, 2, 3]), same))
                return len(leaves) - 1
            left = rng.choice([0, count - 1, rng.randrange(count)])
            op = BY_NAME[rng.choice(["add", "add", "mul", "mix"] if same else ["add"])]
            return op, tree(left), tree(count - 1 - left)

        whole = tree(rng.choice([6, 7, 9, 12]))
        name = self.names.fresh("d")
        self.names.kinds[name] = "op"
        self.names.ops[name] = whole[0]
        self.roots.append((name, whole[0]))
        self.mark("match: many commutative ops")

        def written(part):
            if isinstance(part, int):
                return leaves[part][0]
            return f"{self.op_name(part[0])}({written(part[1])}, {written(part[2])})"

        def emit(p, env, t):
            def made(part, w):
                if isinstance(part, int):
                    return leaves[part][1](p, env, w)
                operands = [lambda w, k=k: made(part[k], w) for k in (1, 2)]
                if rng.random() < 0.5:
                    operands.reverse()
                results = p.instance(part[0], operands, {}, w)
                return results[0] if results else None

            v = made(whole, t)
            if v:
                env[name] = v
            return v

        return f"{name}: {written(whole)}", emit

    def several_kinds(self, depth, same, root):
        """elementwise(x, rest...), (neg | add)(...), elementwise(each m)."""
        rng = self.rng
        simple = [BY_NAME["neg"], BY_NAME["abs"], BY_NAME["exp"], BY_NAME["norm"]]
        name = ""
        way = rng.randrange(5)
        if rng.random() < 0.75:
            name = self.names.fresh("f")
        if way == 0:
            some = rng.sample(simple, 2)
            head = "(" + " | ".join(self.op_name(o) for o in some) + ")"
            self.mark("match: alternatives of ops")
            if rng.random() < 0.4:
                head = self.set_of([o.written() for o in some])
        elif way == 1:
            some = [BY_NAME["neg"], BY_NAME["exp"]]
            head = rng.choice(["elementwise", "_"])
            self.mark("match: any op" if head == "_" else "match: a trait")
        elif way == 2:
            some = [BY_NAME["norm"], BY_NAME["neg"]]
            head = "(elementwise | norm)"
            self.mark("match: alternatives of ops and traits")
        elif way == 3:
            some = [BY_NAME["add"], BY_NAME["sub"]]
            head = rng.choice(["(add | sub)", "elementwise", "(mul | sub | mix | add)"])
            self.mark("match: two operands, some commutative")
        else:
            some = [BY_NAME["add"], BY_NAME["sel"], BY_NAME["neg"]]
            head = rng.choice(["elementwise", "_"])
            rest = self.names.fresh("y")
            first, emit_first = self.value(depth + 1, same)
            self.names.kinds[rest] = "values"
            self.mark("match: rest... among operands")
            at = rng.randrange(2)
            if name:
                self.names.kinds[name] = "op"
                self.names.ops[name] = None
            if root:
                self.roots.append((name, None))

            def emit_rest(p, env, t):
                op = rng.choice(some)
                n = len(op.operands)
                given = [lambda w: p.value(w) for _ in range(n)]
                given[0 if at == 0 else n - 1] = lambda w: emit_first(p, env, w)
                return p.instance(op, given, {}, t)[0]

            args = f"{first}, {rest}..." if at == 0 else f"{rest}..., {first}"
            self.rest_of = (name, rest, at)
            return f"{name + ': ' if name else ''}{head}({args})", emit_rest
        count = 2 if way == 3 else 1
        inner = [self.value(depth + 1, same) for _ in range(count)]
        if name:
            self.names.kinds[name] = "op"
            self.names.ops[name] = Op("any", [("x", 1)] * count, dialect="?")
            self.mark("match: named op of several kinds")
        if root:
            self.roots.append((name, None))

        def emit(p, env, t):
            op = rng.choice(some)
            v = p.instance(op, [(lambda w, e=e: e(p, env, w)) for _, e in inner], {}, t)[0]
            if name:
                env[name] = v
            return v

        return f"{name + ': ' if name else ''}{head}({', '.join(t for t, _ in inner)})", emit

    def with_groups(self, depth, same, root):
        """weave(xs..., ys...), weave(m, xs..., n, ys...), span(m, xs..., at, n, ys..., o, zs...)."""
        rng = self.rng
        op = BY_NAME[rng.choice(["weave", "weave", "span"])]
        name = self.names.fresh("f") if rng.random() < 0.7 else ""
        texts, makers, dots, left_out = self.attrs_of(op)
        texts, dots = [t for t in texts if t != ".."], dots and ".." not in texts # nothing says which group `..` leaves out
        before = rng.choice([0, 0, 1, 1, 2]) # elements that are written in each group before its list
        self.mark("match: lists of several groups" + (" behind elements" if before else ""))
        args, emits, lists = [], [], []
        for _, arity in op.operands:
            if arity == 1:
                text, emit = self.value(depth + 2, same)
                args.append(text)
                emits.append(emit)
                continue
            some = [self.value(depth + 2, same) for _ in range(before)]
            rest = "_" if rng.random() < 0.15 else self.names.fresh("y")
            args += [text for text, _ in some] + [rest + "..."]
            emits.append([emit for _, emit in some])
            if rest != "_":
                lists.append(rest)
        for rest in lists:
            self.names.kinds[rest] = "values"
        if len(lists) > 1:
            self.groups.append(lists)
        if name:
            self.names.kinds[name] = "op"
            self.names.ops[name] = Op(op.name, op.operands, op.attrs)
        if root:
            self.roots.append((name, op))

        def emit_op(p, env, t):
            attrs = {a: m(env) for a, m in makers.items()}
            if not dots:
                for a in left_out:
                    attrs[a] = None
            more = [None] * rng.choice([0, 1, 1, 2])
            if before + len(more) == 0:
                more = [None]
            given = [[(lambda w, m=m: m(p, env, w)) for m in e] + more if isinstance(e, list) else (lambda w, e=e: e(p, env, w)) for e in emits]
            v = p.instance(op, given, attrs, t)[0]
            if name:
                env[name] = v
            return v

        return f"{name + ': ' if name else ''}{self.op_name(op)}({', '.join(args + texts)})", emit_op

    def with_lists(self, depth, same, root):
        """cat(each m), cat(first, rest...), elementwise(each m)."""
        rng = self.rng
        op = rng.choice([BY_NAME["cat"], BY_NAME["rows"], BY_NAME["cat"]])
        way = rng.randrange(4)
        name = self.names.fresh("f") if rng.random() < 0.7 else ""
        texts, makers, dots, left_out = self.attrs_of(op)
        if way == 0:
            first, emit_first = self.value(depth + 1, same)
            rest = self.names.fresh("y")
            self.names.kinds[rest] = "values"
            args = rng.choice([f"{first}, {rest}...", f"{rest}..., {first}"])
            self.mark("match: list of the other operands")
            at_end = args.endswith(first)
            makers_of = lambda p, env: [lambda w: emit_first(p, env, w)] + [None] * rng.choice([0, 1, 2]) if not at_end else \
                [None] * rng.choice([0, 1, 2]) + [lambda w: emit_first(p, env, w)]
        elif way == 1:
            rest = self.names.fresh("y")
            self.names.kinds[rest] = "values"
            args = f"{rest}..."
            self.mark("match: list of all operands")
            makers_of = lambda p, env: [None] * rng.choice([1, 2, 3])
        else:
            x = self.names.fresh("y")
            unary = rng.choice([BY_NAME["neg"], BY_NAME["view"], BY_NAME["perm"], BY_NAME["pool"]])
            extra = {"perm": ", ..", "pool": ", .."}.get(unary.name, "")
            attr = None
            if unary.name == "perm" and rng.random() < 0.6:
                attr = self.names.fresh("a")
                extra = f", perm = {attr}"
                self.mark("each: attribute the same for all")
            ops = ""
            if rng.random() < 0.3 and attr is None:
                ops = self.names.fresh("o") + ": "
                self.mark("each: list of ops")
            m = f"{ops}{self.op_name(unary)}({x}{extra})"
            deep = way == 3 and rng.random() < 0.4 and not attr
            if deep:
                m = f"cat(each {m}, axis = _)"
                self.mark("each in each")
            elif rng.random() < 0.4 and not ops:
                other = rng.choice([f"exp({x})" if not attr else f"{x}: single_element", f"{x}: single_element"])
                m = f"({m} | {other})"
                self.mark("each of alternatives")
            elif rng.random() < 0.3:
                m = f"single {m}"
                self.mark("each: single")
            self.names.kinds[x] = "values2" if deep else "values"
            if ops:
                self.names.kinds[ops[:-2]] = "ops2" if deep else "ops"
            if attr:
                self.names.kinds[attr] = "[int]"
            args = f"each {m}"
            self.mark("match: each")

            def one(p, env, w, attrs):
                inner = lambda t: p.instance(unary, [None], dict(attrs), t)[0]
                return p.instance(BY_NAME["cat"], [[inner, inner][: rng.choice([1, 2])]], {}, w)[0] if deep else inner(w)

            def makers_of(p, env):
                attrs = {}
                if unary.name == "perm":
                    rank = len(p.type[1]) if isinstance(p.type, tuple) else 0
                    attrs = {"perm": str(rng.sample(range(rank), rank))}
                return [(lambda w: one(p, env, w, attrs)) for _ in range(rng.choice([1, 2, 3]))]
        if name:
            self.names.kinds[name] = "op"
            self.names.ops[name] = Op(op.name, op.operands, op.attrs)
        if root:
            self.roots.append((name, op))

        def emit(p, env, t):
            attrs = {a: m(env) for a, m in makers.items()}
            if not dots:
                for a in left_out:
                    attrs[a] = None
            return p.instance(op, [makers_of(p, env)], attrs, t)[0]

        return f"{name + ': ' if name else ''}{self.op_name(op)}({', '.join([args] + texts)})", emit

    # -- conditions

    def conditions(self):
        rng = self.rng
        out = []
        for _ in range(rng.choice([0, 1, 1, 2])):
            roll = rng.random()
            values = [n for n in self.names.of("value") if n not in self.names.maybe]
            if roll < 0.2 and values:
                name = rng.choice(values)
                if name not in self.refined:
                    same = name in self.names.same
                    text, emit = self.op(2, same) if rng.random() < 0.6 else self.alternatives(2, same) if rng.random() < 0.5 else self.chain(2, same)
                    self.refined[name] = emit
                    self.mark("where: is")
                    out.append(f"{name} is {text}")
                    continue
            if roll < 0.32 and values:
                self.mark("where: not is")
                out.append(f"not {rng.choice(values)} is {rng.choice(['const _', 'exp(_)', 'splat(0)', '(neg(_) | abs(_))'])}")
                continue
            if roll < 0.5:
                self.mark("where: let")
                of = rng.choice(["int", "[int]", "bool", "dim", "float", "dtype", "[dim]"])
                text = self.expr.make(of)
                name = self.names.fresh("n")
                out.append(f"let {name} = {text}")
                self.names.kinds[name] = of
                continue
            if roll < 0.55:
                self.mark("where: let of several names")
                text = self.expr.make("[int]")
                a, b = self.names.fresh("n"), self.names.fresh("n")
                out.append(f"let ({a}, {b}) = {text}")
                self.names.kinds[a] = self.names.kinds[b] = "int"
                continue
            ops = self.names.of("ops")
            lists = self.names.of("values")
            if roll < 0.65 and (ops or lists):
                self.mark("where: of a list")
                out.append(rng.choice([f"all(o.uses >= 1 for o in {rng.choice(ops + lists)})" if not ops else f"len({rng.choice(ops)}) > 0",
                                       f"len({rng.choice(ops + lists)}) >= 1"]))
                continue
            named = [n for n in self.names.of("op") if n not in self.names.maybe]
            if roll < 0.72 and named:
                self.mark("where: what an op is, its operands, results and attributes as lists")
                op = rng.choice(named)
                out.append(rng.choice([f'{op}.name != "exp"', f'{op}.dialect != "onnx"', f"len({op}.operands) < 3", f"len({op}.operands) > 1",
                                       f"all(v.uses > 0 for v in {op}.results)", f'not contains({op}.attribute_names, "perm")',
                                       f"len({op}.attributes) == len({op}.attribute_names)", f"{op}.results[0].uses == 1"]))
                continue
            self.mark("where: condition")
            text = self.expr.make("bool")
            if rng.random() < 0.5:
                other = f"{rng.choice(values)}.uses >= 0" if values else "true"
                text = f"({text}) or {other}"
            out.append(text)
        return out

    # -- right sides

    def groups_of(self, op, depth):
        """Lists for the groups of an op, mostly of one size, perhaps behind as many elements each."""
        rng = self.rng
        lists = rng.choice(self.groups) if self.groups and rng.random() < 0.7 else self.names.of("values")
        before = rng.choice([0, 0, 0, 1])
        args, first = [], True
        for _, arity in op.operands:
            if arity == 1:
                args.append(self.built(depth + 1))
                continue
            some, i = rng.choice(lists), self.names.fresh("i")
            args += [self.built(depth + 1) for _ in range(before)]
            form = f"{some}..." if first else rng.choice([f"{some}...", f"{some}...", f"[neg({i}) for {i} in {some}]...", f"reversed({some})...", f"{some}[1..]..."])
            args.append(form)
            first = False
        return ", ".join(args)

    def built(self, depth):
        """A value of the root's type, most likely."""
        rng = self.rng
        same = [n for n in self.names.kinds if n in self.names.same and (n not in self.names.maybe or rng.random() < 0.1)]
        lists = self.names.of("values")
        if not same and not lists:
            same = [n for n in self.names.of("value", "const", "op")]
        roll = rng.random()
        if (depth >= 2 or roll < 0.3) and same:
            return rng.choice(same)
        if rng.random() < 0.12:
            return self.named_rewrite(self.built(depth + 1))
        if roll < 0.36:
            self.mark("build: if then else")
            return f"(if {self.expr.make('bool', 1)} then {self.built(depth + 1)} else {self.built(depth + 1)})"
        if roll < 0.46 and self.names.of("op"):
            name = rng.choice(self.names.of("op"))
            op = self.names.ops.get(name)
            if op is None and getattr(self, "rest_of", ("",))[0] == name:
                _, rest, at = self.rest_of
                self.mark("build: rest... of a matched op")
                return f"{name}({self.built(depth + 1)}, {rest}...)" if at == 0 else f"{name}({rest}..., {self.built(depth + 1)})"
            if op and op.operands and op.operands[0][1] != "*" and len(op.results) == 1 and not op.results[0].endswith("*"):
                self.mark("build: matched op again")
                stated = ""
                if rng.random() < 0.15 and same:
                    stated = f" -> {rng.choice(same)}.type"
                    self.mark("build: matched op again of a stated type")
                return f"{name}({', '.join(self.built(depth + 1) for o in op.operands if o[1] != '?')}){stated}"
            if op and op.operands and op.operands[0][1] == "*" and lists and len(op.results) == 1:
                self.mark("build: matched op on each")
                if several_groups(op):
                    self.mark("build: matched op on several groups")
                    return f"{name}({self.groups_of(op, depth)})"
                return f"{name}({rng.choice(['each ' + lists[0], lists[0] + '...', lists[0]])})"
        if roll < 0.56 and self.chains:
            name = rng.choice(list(self.chains))
            self.mark("build: chain again")
            side = self.chains[name]
            if side:
                self.mark("build: sides of a chain")
                return f"{name}({self.built(depth + 1)}, {side} => {rng.choice([side, f'neg({side})'])})"
            return f"{name}({self.built(depth + 1)})"
        if roll < 0.64 and lists:
            xs = rng.choice(lists)
            i = self.names.fresh("i")
            self.mark("build: on a list")
            form = rng.choice([f"{xs}...", xs, f"each {xs}", f"each neg({xs})", f"[sub({i}, {i}j) for ({i}, {i}j) in zip({xs}, {rng.choice(lists)})]",
                               f"[{i}j for ({i}, {i}j) in enumerate({xs}) if {i} > 0]", f"[perm({i}, perm = [1, 0]) for {i} in {xs}]",
                               f"[pool({i}, size = len({i}.shape[1..])) for {i} in {xs}]", f"[split({i}, sizes = [1, 2])[{rng.choice('012')}] for {i} in {xs}]", f"[neg({i}) for {i} in {xs}]", f"[{i} for {i} in {xs} if {i}.uses > 1]", f"reversed({xs})", f"{xs}[1..]", f"{xs}..., {self.built(depth + 1)}", f"[if {i}.rank > 1 then {i} else exp({i}) for {i} in {xs}]"])
            return f"cat({form})"
        if roll < 0.67 and self.names.of("values2"):
            self.mark("build: on a list of lists")
            return f"cat([y for ys in {self.names.of('values2')[0]} for y in ys])"
        if roll < 0.72:
            constant = rng.choice(self.names.of("value", "const") or ["?"])
            if constant != "?":
                self.mark("build: splat")
                return rng.choice([f"add({self.built(depth + 1)}, splat({self.expr.make(rng.choice(['int', 'float']), 2)}, {constant}.type))",
                                   f"mul({self.built(depth + 1)}, constant({self.expr.make('[int]', 2)}, {constant}.type))", f"splat({self.expr.make('int', 2)}, {constant}.type)"])
        if roll < 0.76 and depth > 0:
            self.mark("build: one of several results")
            return rng.choice([f"drop({self.built(depth + 1)}).y", f"drop({self.built(depth + 1)}, ratio = {self.expr.make('float', 2)}).mask", f"svd({self.built(depth + 1)}).u", f"svd({self.built(depth + 1)}).vt", f"peel({self.built(depth + 1)}, n = {rng.choice('012')}).last"])
        op = rng.choice([o for o in self.all_ops if o.same and len(o.results) == 1 and not o.results[0].endswith("*") and o.name not in ("loop", "keep") and not o.version])
        args, group_size = [], rng.choice([1, 2])
        operands = op.operands
        if several_groups(op):
            as_lists = len(lists) > 0 and rng.random() < 0.6
            self.mark("build: several groups of operands " + ("as lists" if as_lists else "one by one"))
            if as_lists:
                operands = []
                args.append(self.groups_of(op, depth))
        for _, arity in operands:
            if arity == "*":
                args += [self.built(depth + 1) for _ in range(group_size if several_groups(op) else rng.choice([1, 2]))]
            elif arity == "?":
                optional = [n for n in self.names.of("op") if self.names.ops.get(n) and self.names.ops[n].name == "conv"]
                if self.optional and rng.random() < 0.6:
                    name = rng.choice(self.optional)
                    form = rng.choice(["o", "o", "if has(o) then neg(o) else none", "if has(o) then none else x"])
                    self.mark(f"build: optional operand {form}")
                    args.append(re.sub(r"\bx\b", self.built(depth + 1), form.replace("(o)", f"({name})")) if len(form) > 1 else name)
                elif rng.random() < 0.15 or arity != op.operands[-1][1]:
                    self.mark("build: optional operand none")
                    args.append("none")
                elif optional and rng.random() < 0.6:
                    self.mark("build: optional operand handed on")
                    args.append(f"{optional[0]}.bias")
                elif rng.random() < 0.4:
                    args.append(self.built(depth + 1))
            else:
                args.append(self.built(depth + 1))
        for attr, (of, default) in op.attrs.items():
            if default is None or rng.random() < (0.5 if len(op.attrs) < 3 else 0.3):
                handed = [n for n in self.names.of("op") if self.names.ops.get(n) and self.names.ops[n].attrs.get(attr, ("", ""))[0] == of]
                if handed and rng.random() < 0.4:
                    self.mark("build: attribute handed on")
                    args.append(f"{attr} = {rng.choice(handed)}.{attr}")
                else:
                    self.mark(f"build: attribute of type {of}")
                    args.append(f"{attr} = {self.expr.make(of, 1)}")
        handed = [n for n in self.names.of("op") if self.names.ops.get(n) is op and not op.version]
        if handed and op.attrs and rng.random() < 0.3:
            self.mark("build: _ = c")
            args.append(f"_ = {rng.choice(handed)}")
        self.mark("build: op")
        stated = ""
        if rng.random() < 0.08 and same:
            stated = rng.choice([f" -> {rng.choice(same)}.type", f" -> {self.same_type[0]}"])
            self.mark("build: stated type")
        return f"{self.op_name(op)}({', '.join(args)}){stated}"

    def right(self):
        rng = self.rng
        root, op = self.roots[0]
        roll = rng.random()
        named = [(n, o) for n, o in self.roots if n]
        if op is not None and not op.results:
            if root and roll < 0.7:
                self.mark("right: erase")
                return f"erase {root}"
        if op is not None and root and op.attrs and roll < 0.35:
            self.mark("right: update")
            some = rng.sample(list(op.attrs), rng.choice([1, min(2, len(op.attrs))]))
            text = f"update {root} {{ " + ", ".join(f"{a} = {self.expr.make(op.attrs[a][0], 1)}" for a in some) + " }"
            return text if rng.random() < 0.6 else "{ " + text + "; }"
        if op is not None and (len(op.results) > 1 or op.results and op.results[0].endswith("*")) or len(self.roots) > 1:
            lines = []
            for n, o in named or [("", op)]:
                if not n and o and o.results[-1].endswith("?") and rng.random() < 0.6:
                    self.mark("right: a result that may be left out")
                    return self.built(1)
                if not n:
                    self.mark("right: tuple")
                    return "(" + ", ".join(self.built(1) for _ in (o.results if o else "x")) + ")"
                if len(self.roots) > 1 and rng.random() < 0.15 and lines:
                    continue
                count = 1 if o is None else len(o.results)
                if o is not None and o.results and any(r.endswith("*") for r in o.results):
                    again = self.names.fresh("q")
                    if o.operands[0][1] == "*" and not self.names.of("values"):
                        lines.append(f"replace {n} with ({self.built(1)}, {self.built(1)})")
                        self.mark("right: replace with several")
                        continue
                    args = self.names.of("values")[0] + "..." if o.operands[0][1] == "*" else self.built(1)
                    lines += [f"let {again} = {n}({args})", f"replace {n} with {again}"]
                    self.mark("right: any number of results")
                elif count > 1:
                    if rng.random() < 0.4:
                        u, s, v = self.names.fresh("q"), self.names.fresh("q"), self.names.fresh("q")
                        lines.append(f"let ({u}, {s}, {v}) = svd({self.built(1)})")
                        lines.append(f"replace {n} with ({v}, {rng.choice([s, 'neg(' + s + ')'])}, {u})")
                        self.mark("right: let of several results")
                    elif o.results[-1].endswith("?") and rng.random() < 0.6:
                        lines.append(f"replace {n} with {self.built(1)}")
                        self.mark("right: a result that may be left out")
                    else:
                        lines.append(f"replace {n} with ({', '.join(self.built(1) for _ in range(count))})")
                        self.mark("right: replace with several")
                elif count == 0:
                    lines.append(f"erase {n}")
                    self.mark("right: erase")
                else:
                    lines.append(f"replace {n} with {self.built(0)}")
                    self.mark("right: replace")
            return "{ " + " ".join(line + ";" for line in lines) + " }"
        if roll < 0.55:
            self.mark("right: block")
            y = self.names.fresh("q")
            lines = [f"let {y} = {self.built(0)}"]
            self.names.kinds[y] = "value"
            self.names.same.add(y)
            if rng.random() < 0.3:
                z = self.names.fresh("q")
                lines.append(f"let {z} = {self.expr.make('int', 1)}")
                self.names.kinds[z] = "int"
            last = f"replace {root} with {self.built(0)}" if root and rng.random() < 0.5 else self.built(0)
            return "{ " + "; ".join(lines + [last]) + rng.choice([" }", "; }"] if last.startswith("replace") else [" }"])
        self.mark("right: value")
        return self.built(0)

    def built_first(self):
        """A `let` that builds, and mostly a condition of what it built. Random numbers of its own: what else is made stays as it is."""
        outer, self.rng = self.rng, random.Random(f"{self.name} {len(self.declared)} builds first")
        try:
            if self.rng.random() >= 0.15:
                return []
            y = self.names.fresh("y")
            out = [f"let {y} = neg({self.built(1)})"]
            self.names.kinds[y] = "value"
            self.mark("where: let that builds")
            if self.rng.random() < 0.7:
                out.append(self.rng.choice([f"{y}.rank >= 1", f"{y}.rank < 3", f"not {y} is exp(_)", f"len([s for s in {y}.shape if s == 1]) == 0"]))
                self.mark("where: condition of what is built")
            return out
        finally:
            self.rng = outer

    def make(self):
        rng = self.rng
        if rng.random() < 0.06:
            some = [self.op(1, True, root=True) for _ in range(2)]
            del self.roots[:]
            first, emit = "(" + " | ".join(text for text, _ in some) + ")", lambda p, env, t: rng.choice(some)[1](p, env, t)
            self.names.maybe.update(self.names.kinds)
            self.roots.append(("", None))
            self.mark("root: alternatives")
        else:
            root = lambda depth=0, same=True: self.op(depth, same, root=True)
            first, emit = self.named(0, True, root) if rng.random() < 0.12 else root()
        root_emits, roots = [emit], [first]
        shared = [n for n in self.names.of("value") if n in self.names.same]
        if rng.random() < 0.14 and shared:
            v = rng.choice(shared)
            other = self.names.fresh("d")
            op = rng.choice([BY_NAME["neg"], BY_NAME["exp"], BY_NAME["add"], BY_NAME["pool"], BY_NAME["svd"]])
            self.names.kinds[other] = "op"
            self.names.ops[other] = op
            self.roots.append((other, op))
            extra = ", .." if op.attrs else ""
            second = ""
            if len(op.operands) == 2:
                text, second_emit = self.value(2, True)
                second = ", " + text
            roots.append(f"{other}: {self.op_name(op)}({v}{second}{extra})")
            root_emits.append(lambda p, env, t: p.instance(op, [lambda w: env[v] if v in env else p.value(w), *([lambda w: second_emit(p, env, w)] if second else [])], {}, t))
            self.mark("several roots")
        conditions = self.conditions()
        if len(roots) > 1 and self.roots[0][0] and rng.random() < 0.7:
            self.mark("where: two roots differ")
            conditions.append(f"{self.roots[0][0]} != {self.roots[1][0]}")
        conditions += self.built_first()
        right = self.right()
        tags = ""
        if rng.random() < 0.2:
            tags += f" benefit {rng.choice([0, 2, 3, 10])}"
            self.mark("tag: benefit")
        if rng.random() < 0.1:
            tags += " fastmath"
            self.mark("tag: fastmath")
        elif rng.random() < 0.1:
            tags += f" fastmath({', '.join(rng.sample(['reassoc', 'no_nan', 'no_signed_zero', 'contract', 'reciprocal', 'approximate', 'no_overflow'], rng.choice([1, 1, 2])))})"
            self.mark("tag: fastmath of some freedoms")
        if rng.random() < 0.2:
            tags += " recursive"
            self.mark("tag: recursive")
        if rng.random() < 0.6:
            tags += " assume_same_type"
            self.mark("tag: assume_same_type")
        if rng.random() < 0.3:
            tags += f' label "{self.label}"'
            self.mark("tag: label")
        body = f"{{\n  {', '.join(roots)}\n" + (f"  where {', '.join(conditions)}\n" if conditions else "") + f"  => {right}\n}}\n"
        self.members = [self.name]
        head = f"pattern {self.name}{tags} "
        if rng.random() < 0.12 and re.search(r"(?<![.\w])neg\(", body):
            body = re.sub(r"(?<![.\w])neg\(", "f(", body)
            if rng.random() < 0.5:
                body = body.replace("exp(", "g(") if re.search(r"(?<![.\w])exp\(", body) and "r.exp" not in body else body
            with_g = "g(" in re.sub(r"(?<![.\w])g\(", "g(", body) and re.search(r"(?<![.\w])g\(", body)
            if with_g:
                head = f"for (f, g) in {{(neg, exp), (abs, neg)}}\npattern {self.name}_{{f}}_{{g}}{tags} "
                self.members = [f"{self.name}_neg_exp", f"{self.name}_abs_neg"]
                self.mark("template: entries of several names")
            else:
                head = f"for f in {{neg, abs}}\npattern {self.name}_{{f}}{tags} "
                self.members = [f"{self.name}_neg", f"{self.name}_abs"]
                self.mark("template")
                if rng.random() < 0.5:
                    head = f"for f in {self.set_of(['neg', 'abs'])}\npattern {self.name}_{{f}}{tags} "
                    self.members = [f"{self.name}_r_neg", f"{self.name}_r_abs"]
                    self.mark("template: over a set")
        self.text = self.declared + ("/// Random.\n" if rng.random() < 0.05 else "") + head + body

        def emit_all(p, t):
            env = {}
            order = list(root_emits)
            for e in order:
                e(p, env, t)

        self.emit = emit_all
        return self
