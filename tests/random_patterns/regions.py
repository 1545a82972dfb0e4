"""Random patterns that look into regions of ops and build ops with new ones, each with a way to write ops that it matches."""
import re

from programs import BY_NAME, Program

UNARY_OPS, BINARY_OPS = ["neg", "abs", "exp", "norm", "view"], ["add", "mul", "sub"]


class RegionMaker:
    """One pattern around `loop`, whose region is `body`: what PatternMaker has that generate.py asks for."""

    def __init__(self, rng, name):
        self.rng, self.name, self.members = rng, name, [name]
        self.used, self.names, self.inner = set(), 0, []
        self.same_type = rng.choice(Program.TYPES)

    def mark(self, construct):
        self.used.add(construct)

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    # -- what is inside: a tree of ops over parameters and names, as a match and as ops of a program

    def tree(self, depth, params):
        rng, roll = self.rng, self.rng.random()
        if depth == 0 or roll < 0.15:
            if params and rng.random() < 0.4:
                return ("param", rng.randrange(len(params)))
            if self.inner and rng.random() < 0.2:
                self.mark("region: repeated name")
                return ("same", rng.choice(self.inner))
            name = self.fresh("y")
            self.inner.append(name)
            return ("name", name, rng.random() < 0.15)
        if roll < 0.22:
            self.mark("region: inside of a region")
            q = self.fresh("q")
            below = ("neg", ("inner", q))
            return ("loop", q, self.tree(depth - 1, params), below)
        if roll < 0.65:
            return (rng.choice(UNARY_OPS), self.tree(depth - 1, params))
        return (rng.choice(BINARY_OPS), self.tree(depth - 1, params), self.tree(depth - 1, params))

    def match(self, t, params):
        if t[0] == "param":
            return params[t[1]]
        if t[0] == "same" or t[0] == "inner":
            return t[1]
        if t[0] == "name":
            if t[2]:
                self.mark("region: single")
            return ("single " if t[2] else "") + t[1]
        if t[0] == "loop":
            return f"loop({self.match(t[2], params)}, body = ({t[1]}) => {self.match(t[3], params)})"
        return f"{t[0]}({', '.join(self.match(x, params) for x in t[1:])})"

    def write(self, p, t, params, env, type_, lines):
        """Ops of a region that fit the tree; gives the value."""
        rng = self.rng
        if rng.random() < 0.03:
            return rng.choice(params)
        if t[0] == "param":
            return params[t[1] % len(params)]
        if t[0] == "inner":
            return env[t[1]]
        if t[0] == "same":
            return env.get(t[1], params[0])
        if t[0] == "name":
            roll = rng.random()
            value = rng.choice(params)
            if roll < 0.35:
                value = p.value(type_)[0] # captured
            elif roll < 0.8:
                for _ in range(rng.choice([1, 2])):
                    value = self.line(p, lines, rng.choice(UNARY_OPS), [value])
            if roll > 0.9:
                value = self.line(p, lines, "add", [value, rng.choice(params)])
            env[t[1]] = value
            return value
        if t[0] == "loop":
            over, q, inside = self.write(p, t[2], params, env, type_, lines), f"%q{p.count}", []
            p.count += 1
            result = self.write(p, t[3], [q], {t[1]: q}, type_, inside)
            return self.line(p, lines, "loop", [over], f" body({q}: {p.written(type_)}) {{ {' '.join(inside)} return {result} }}")
        return self.line(p, lines, t[0], [self.write(p, x, params, env, type_, lines) for x in t[1:]])

    @staticmethod
    def line(p, lines, op, operands, region=""):
        name = f"%i{p.count}"
        p.count += 1
        lines.append(f"{name} = r.{op}({', '.join(operands)}){region}")
        return name

    # -- what is built

    def built(self, depth, leaves):
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return rng.choice(leaves)
        roll = rng.random()
        if roll < 0.08:
            self.mark("region: built inside of a region")
            q, y = self.fresh("q"), rng.choice(leaves)
            return f"loop({y}, body = ({q} -> {y}.type) => {self.built(depth - 1, leaves + [q])})[0]"
        if roll < 0.6:
            return f"{rng.choice(UNARY_OPS)}({self.built(depth - 1, leaves)})"
        return f"{rng.choice(BINARY_OPS)}({self.built(depth - 1, leaves)}, {self.built(depth - 1, leaves)})"

    def make_choice(self):
        """One pattern around `choose`, which has two regions without parameters."""
        rng = self.rng
        self.mark("region: several regions")
        c, d = self.fresh("x"), self.fresh("d")
        trees = [self.tree(rng.choice([1, 2]), []) for _ in range(2)]
        yes, no = [self.match(t, []) for t in trees]
        regions = [f"yes = () => {yes}", f"no = () => {no}"]
        if rng.random() < 0.3:
            self.mark("region: one of several is not mentioned")
            regions.pop(rng.randrange(2))
        own = [sorted(set(re.findall(r"\by\d+\b", r)) & set(self.inner)) for r in regions]
        built = [self.built(rng.choice([0, 1, 2]), names) if names else "" for names in own]
        over = rng.choice([c, f"neg({c})"])
        if all(built):
            self.mark("region: built anew")
            anew = [f"{r.split(' = ')[0]} = () => {b}" for r, b in zip(regions, built)]
            if len(anew) == 2 and rng.random() < 0.3:
                anew.pop(rng.randrange(2))
            head = d if len(anew) < 2 or rng.random() < 0.5 else "choose"
            right = f"{head}({over}, {', '.join(anew)})" + rng.choice([f" -> {d}.type", ""])
        else:
            right = rng.choice(self.inner + [c])
        self.text = f"pattern {self.name} assume_same_type {{\n  {d}: choose({c}, {', '.join(regions)})\n  => {right}\n}}\n"

        def emit(p, type_):
            of, text, env = p.value(type_), "", {}
            for label, t in zip(("yes", "no"), trees):
                lines = []
                value = self.write(p, t, [v[0] for v in (of, p.value(type_))], env, type_, lines)
                env = {}
                text += f" {label}() {{ {' '.join(lines)} return {value} }}"
            p.add(BY_NAME["choose"], [of], {}, [type_], text)

        self.emit = emit
        return self

    def make(self):
        rng = self.rng
        if rng.random() < 0.15:
            return self.make_choice()
        count = rng.choice([1, 1, 2, 2, 3])
        inits = [self.fresh("x") for _ in range(count)]
        params = [self.fresh("a") for _ in range(count)]
        listed = params[:]
        rest = ""
        if count > 1 and rng.random() < 0.5:
            self.mark("region: rest of parameters")
            rest = self.fresh("p")
            listed = [params[0], f"{rest}..."]
            params = params[:1]
        tree = self.tree(rng.choice([1, 2, 2, 3]), params)
        others, other_leaves = [], []
        if count > 1 and rng.random() < 0.5:
            self.mark("region: rest of results")
            tail = self.fresh("r")
            others, other_leaves = [f"{tail}..."], [f"{tail}..."]
        else:
            for _ in range(count - 1):
                name = self.fresh("r")
                others.append(name)
                other_leaves.append(name)
        results = [self.match(tree, params)] + others
        region = f"({', '.join(listed)}) => " + (results[0] if len(results) == 1 else f"({', '.join(results)})")
        b = self.fresh("b") if rng.random() < 0.3 else ""
        d = self.fresh("d")
        left = f"{d}: loop({', '.join(inits)}, body = {b + ': ' if b else ''}{region})"
        leaves = params + self.inner or params
        conditions = [c for c, chance in ((f"len({rest}) == {count - 1}", 0.4 if rest else 0), (f"{inits[0]}.rank == 2", 0.15)) if rng.random() < chance]
        again = ", ".join(listed)
        value = self.built(rng.choice([0, 1, 2]), leaves)
        built_results = ", ".join([value] + other_leaves)
        roll, inside = rng.random(), ""
        if roll < 0.4:
            self.mark("region: built anew")
            inside = f"({again}) => ({built_results})" if other_leaves else f"({again}) => {value}"
        elif roll < 0.5:
            self.mark("region: let in")
            z = self.fresh("z")
            inside = f"({again}) => let {z} = {value} in ({', '.join([self.built(1, leaves + [z])] + other_leaves)}, )".replace(", )", ")")
        elif roll < 0.65:
            self.mark("region: new")
            new = [self.fresh("n") for _ in range(count)]
            inside = f"({', '.join(f'{n} -> {x}.type' for n, x in zip(new, inits))}) => (" + ", ".join(self.built(1, new + inits[:1]) for _ in range(count)) + ")"
        elif roll < 0.75:
            self.mark("region: handed on")
            inside = b or f"{d}.body"
        kept = rng.random() < 0.5
        if kept and inside:
            self.mark("region: of an op again")
        over = [f"neg({x})" if not inside or inside in (b, f"{d}.body") or rng.random() < 0.2 else x for x in inits]
        if inside:
            right = f"{d if kept else 'loop'}({', '.join(over)}, body = {inside})"
        elif roll < 0.9:
            self.mark("region: values outside")
            right = "[" + ", ".join(self.built(1, (self.inner or inits) + inits) for _ in range(count)) + "]"
        else:
            self.mark("region: kept")
            right = f"{d}({', '.join(over)})"
        where = f"  where {', '.join(conditions)}\n" if conditions else ""
        tags = " assume_same_type" if rng.random() < 0.6 else ""
        self.text = f"pattern {self.name}{tags} {{\n  {left}\n{where}  => {right}\n}}\n"

        def emit(p, type_):
            own, lines = [f"%u{p.count}_{i}" for i in range(count)], []
            p.count += 1
            first = self.write(p, tree, own, {}, type_, lines)
            returned = [first] + [self.rng.choice([own[i], own[i], first]) for i in range(1, count)]
            region = f" body({', '.join(f'{n}: {p.written(type_)}' for n in own)}) {{ {' '.join(lines)} return {', '.join(returned)} }}"
            p.add(BY_NAME["loop"], [p.value(type_) for _ in range(count)], {}, [type_] * count, region)

        self.emit = emit
        return self
