"""Random programs of StableHLO under construction: values, types, and the text in three spellings.

    program = Program(random.Random(7))
    x = program.param("f32", (2, 3))
    y = program.op("negate", [x], [x.type_of()])
    program.text([y]), program.inputs()

In:  a source of random numbers. What ops there may be is ops.py's.
Out: a text as MLIR prints it (short forms, the generic form, or the older spelling `mhlo` with `dense` attributes),
     and values for its parameters as bytes.
"""
import struct

FLOATS = ["f32", "f64", "f16", "bf16"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
MANTISSA = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
PACK = {"f16": "<e", "f32": "<f", "f64": "<d"}


def width(t):
    return 1 if t == "i1" else 16 if t == "bf16" else int(t.lstrip("uif"))


def product(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


def tensor(t, shape=(), is_open=()):
    """`tensor<2x?xf32>`: sizes that are open are written `?`."""
    dims = "".join(("?" if i < len(is_open) and is_open[i] else str(s)) + "x" for i, s in enumerate(shape))
    return f"tensor<{dims}{t}>"


def bytes_of(t, v):
    """One element, its bytes from the lowest."""
    if t == "bf16":
        if v != v:
            return struct.pack("<H", 0x7FC0)
        bits = struct.unpack("<I", struct.pack("<f", v))[0]
        return struct.pack("<H", (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 & 0xFFFF)
    if t in PACK:
        return struct.pack(PACK[t], v)
    if t == "i1":
        return bytes([bool(v)])
    return (int(v) & ((1 << width(t)) - 1)).to_bytes(width(t) // 8, "little")


class Value:
    """`name` has a type; sizes are what they are when the program runs, `is_open` says which the text does not state.

    grain, bound: a float is a multiple of 2^-grain, at most `bound` from 0, so that sums of it are exact in any order.
    grain None: it is rounded somewhere, so it may not decide anything.
    """

    def __init__(self, name, t, shape, is_open=None, grain=0, bound=4.0):
        self.name, self.t, self.shape = name, t, tuple(shape)
        self.is_open = tuple(is_open) if is_open is not None else (False,) * len(self.shape)
        self.grain, self.bound = grain, bound
        if t in MANTISSA and grain is not None and not bound * 2.0 ** grain <= 2.0 ** MANTISSA[t]:
            self.grain = None

    @property
    def type(self):
        return tensor(self.t, self.shape, self.is_open)

    @property
    def exact(self):
        return self.t not in MANTISSA or self.grain is not None

    @property
    def is_static(self):
        return not any(self.is_open)

    def kind(self):
        return self.t, self.shape, self.is_open


class Ints(list):
    """A list of i64 as an attribute."""


class Raw(str):
    """An attribute as it is written."""


class Program:
    def __init__(self, random, spelling="short", may_be_open=False, special=False, types=None):
        self.random, self.spelling, self.may_be_open, self.special = random, spelling, may_be_open, special
        self.types = types or FLOATS[:1] * 3 + ["i32", "i1", "i64"] + random.sample(FLOATS + INTEGERS, 2)
        self.params, self.data, self.lines, self.values, self.functions = [], [], [], [], []
        self.count, self.indent, self.parent = 0, "    ", None
        self.used = []

    @property
    def dialect(self):
        return "mhlo" if self.spelling == "old" else "stablehlo"

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def size(self):
        return 0 if self.chance(1) else self.random.choice([1, 2, 2, 3, 3, 4])

    def shape(self, least=0, most=3):
        return tuple(self.size() for _ in range(self.random.randint(least, most)))

    def openness(self, shape):
        return tuple(self.may_be_open and self.chance(40) for _ in shape)

    def fresh(self):
        if self.parent:
            return self.parent.fresh()
        self.count += 1
        return f"%{self.count - 1}"

    def root(self):
        return self.parent.root() if self.parent else self

    # Parameters and constants.

    def element(self, t, how):
        r = self.random
        if t == "i1":
            return r.random() < 0.5
        if isinstance(how, tuple):  # integers between two, ends included
            return r.randint(*how)
        if t in MANTISSA:
            if how == "any" and r.random() < 0.25:
                return r.choice([float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 2.5, -2.5, 0.5, -0.5])
            if how == "positive":
                return r.randint(1, 8) / 2
            return r.randint(-8, 8) / 2
        low = -(1 << width(t) - 1) if t[0] == "i" else 0
        high = (1 << width(t) - (t[0] == "i")) - 1
        if how == "any" and r.random() < 0.4:
            return r.choice([low, high, high - 1, high // 2 + 1, 0, 1, min(high, width(t)), min(high, width(t) - 1)])
        return r.randint(1 if how == "positive" else max(low, -5), 9)

    def param(self, t, shape, is_open=None, how=None):
        root = self.root()
        how = how or ("any" if root.special and self.chance(50) else "few")
        v = Value(f"%arg{len(root.params)}", t, shape, self.openness(shape) if is_open is None else is_open, 1, 4.0)
        root.params.append(v)
        root.data.append([self.element(t, how) for _ in range(product(shape))])
        root.values.append(v)
        return v

    def number(self, t, v):
        if t == "i1":
            return "true" if v else "false"
        if t not in MANTISSA:
            return str(v)
        if v != v or v in (float("inf"), -float("inf")) or self.chance(10):
            return "0x" + bytes_of(t, v)[::-1].hex().upper()
        return repr(float(v)) if self.chance(50) else f"{v:e}"

    def dense(self, t, shape, data):
        def nested(shape, data):
            if not shape:
                return self.number(t, data[0])
            n = product(shape[1:])
            return "[" + ", ".join(nested(shape[1:], data[i * n:(i + 1) * n]) for i in range(shape[0])) + "]"
        if not product(shape):
            return "dense<>"
        if shape and self.chance(15):
            return 'dense<"0x' + b"".join(bytes_of(t, v) for v in data).hex().upper() + '">'
        return f"dense<{nested(shape, data)}>"

    def constant(self, t, shape=(), data=None, how="few"):
        """`data`: one number for all elements, a list of all of them, or none for numbers drawn."""
        if data is None:
            data = [self.element(t, how) for _ in range(product(shape))]
        elif not isinstance(data, list):
            data = [data] * product(shape)
        v = Value(self.fresh(), t, shape, None, 1, max([4.0] + [abs(float(d)) for d in data if d == d and abs(d) < 1e9]))
        all_one = shape and data and all(d == data[0] for d in data) and product(shape) and self.chance(80)
        text = f"dense<{self.number(t, data[0])}>" if all_one else self.dense(t, shape, data)
        if self.spelling == "short":
            self.line(f"{v.name} = {self.dialect}.constant {text} : {v.type}")
        else:
            inside = f"{{value = {text} : {v.type}}}"
            inside = f"<{inside}>" if self.spelling == "generic" else inside
            self.line(f'{v.name} = "{self.dialect}.constant"() {inside} : () -> {v.type}')
        self.values.append(v)
        return v

    # Choosing among what there is.

    def all_values(self):
        return self.values + (self.parent.all_values() if self.parent else [])

    def pick(self, fits=lambda v: True, make=None):
        """One of the values that fit; now and then, and where there is none, what `make` makes."""
        found = [v for v in self.all_values() if fits(v)]
        if found and not (make and self.chance(10)):
            return self.random.choice(found[-6:] if self.chance(60) else found)
        return make() if make else None

    def draw(self, types, least=0, most=3, exact=False, static=False):
        types = [t for t in self.root().types if t in types] or types
        return self.pick(lambda v: v.t in types and least <= len(v.shape) <= most and (v.exact or not exact)
                         and (v.is_static or not static),
                         lambda: self.new(self.random.choice(types), self.shape(least, most), static=static))

    def new(self, t, shape, is_open=None, static=False, how=None):
        if self.chance(20) and not is_open or (static and self.parent):
            return self.constant(t, shape, how=how or "few")
        return self.param(t, shape, (False,) * len(shape) if static else is_open, how)

    def like(self, v, t=None, exact=False, how=None):
        """A value of the type of `v`."""
        want = (t or v.t, v.shape, v.is_open)
        return self.pick(lambda w: w.kind() == want and (w.exact or not exact) and not how,
                         lambda: self.param(want[0], v.shape, v.is_open, how))

    # Text.

    def line(self, text):
        self.lines.append(self.indent + text)

    def attribute(self, a):
        if isinstance(a, Raw):
            return str(a)
        if isinstance(a, bool):
            return "true" if a else "false"
        if isinstance(a, int):
            return f"{a} : i64"
        if isinstance(a, Ints):
            if self.spelling != "old":
                return "array<i64: " + ", ".join(map(str, a)) + ">" if a else "array<i64>"
            if not a:
                return "dense<> : tensor<0xi64>"
            one = len(set(a)) == 1 and self.chance(70)
            return f"dense<{a[0] if one else list(a)}> : tensor<{len(a)}xi64>"
        if isinstance(a, list):  # of lists of integers
            return f"dense<{a}> : tensor<{len(a)}x{len(a[0])}xi64>" if a else "dense<> : tensor<0x2xi64>"
        return f'"{a}"'

    def enum(self, kind, name):
        quoted = self.spelling == "old" and self.chance(30)
        return Raw(f'#{self.dialect}<"{kind} {name}">' if quoted else f"#{self.dialect}<{kind} {name}>")

    def op(self, name, operands, results, attributes=None, regions=(), short=None, dialect=None):
        """Adds an op; `short` is its text in the short form, from behind the name on, without the result."""
        self.root().used.append(name)
        dialect = dialect or self.dialect
        out = [Value(None, *r.kind(), r.grain, r.bound) for r in results]
        name_of_all = self.fresh()
        for i, v in enumerate(out):
            v.name = name_of_all if len(out) == 1 else f"{name_of_all}#{i}"
        bound = name_of_all + (f":{len(out)}" if len(out) > 1 else "")
        bound = f"{bound} = " if out else ""
        if short is not None and self.spelling == "short":
            self.line(f"{bound}{dialect}.{name} {short}")
        else:
            inside = ", ".join(f"{k} = {self.attribute(a)}" for k, a in (attributes or {}).items())
            text = f'{bound}"{dialect}.{name}"({", ".join(v.name for v in operands)})'
            old = self.spelling == "old"
            if inside and not old:
                text += f" <{{{inside}}}>"
            if regions:
                text += " (" + ", ".join(regions) + ")"
            if inside and old:
                text += f" {{{inside}}}"
            kinds = [v.type for v in out]
            arrow = kinds[0] if len(kinds) == 1 else "(" + ", ".join(kinds) + ")"
            self.line(text + f" : ({', '.join(v.type for v in operands)}) -> {arrow}")
        self.values += out
        return out[0] if len(out) == 1 else out

    def inner(self, params=()):
        """A program for a region: it sees what is outside."""
        p = Program(self.random, self.spelling, self.may_be_open, self.special, self.root().types)
        p.parent, p.indent = self, self.indent + "  "
        p.values = list(params)
        return p

    def region(self, params, inner, results):
        """The text of a region whose lines `inner` has."""
        head = ""
        if params:
            head = f"{self.indent}^bb0({', '.join(f'{v.name}: {v.type}' for v in params)}):\n"
        back = f"{inner.indent}{self.dialect}.return {', '.join(v.name for v in results)} : " \
               f"{', '.join(v.type for v in results)}"
        if self.spelling != "short" or self.chance(20):
            back = f'{inner.indent}"{self.dialect}.return"({", ".join(v.name for v in results)}) : ' \
                   f"({', '.join(v.type for v in results)}) -> ()"
        return "{\n" + head + "".join(line + "\n" for line in inner.lines) + back + "\n" + self.indent + "}"

    def text(self, results):
        params = ", ".join(f"{v.name}: {v.type}" for v in self.params)
        types = ", ".join(v.type for v in results)
        lines = [f"func.func @main({params}) -> ({types}) {{"] + self.lines
        lines += [f"    return {', '.join(v.name for v in results)} : {types}", "}"] + self.functions
        if self.chance(60):
            lines = ["module @jit_f attributes {mhlo.num_partitions = 1 : i32} {"] + lines + ["}"]
        return "\n".join(lines) + "\n"

    def inputs(self):
        return [{"type": tensor(v.t, v.shape), "hex": b"".join(bytes_of(v.t, e) for e in data).hex()}
                for v, data in zip(self.params, self.data)]
