"""Ops of StableHLO and CHLO for random programs: each function adds one, or a few that belong together, to a program.

    make = random.choice(ALL)
    make(program)

A function draws operands that the specification allows for the op, and states the types of its results. Floats that
were rounded decide nothing (comparisons, roundings, places), since another order of sums would decide otherwise.
"""
import math

from program import FLOATS, INTEGERS, MANTISSA, SIGNED, Ints, Raw, Value, product, tensor, width

NUMBERS = FLOATS + INTEGERS
EVERY = NUMBERS + ["i1"]


def result(t, shape, is_open=None, grain=0, bound=4.0):
    return Value(None, t, shape, is_open, grain, bound)


def rough(v, t=None, shape=None, is_open=None):
    return result(t or v.t, v.shape if shape is None else shape, v.is_open if shape is None else is_open, None)


def alike(v, shape, is_open=None):
    return result(v.t, shape, is_open, v.grain, v.bound)


def plain(values):
    """The types of operands as the short form of an op with equal types has them."""
    return f": {values[0].type}"


def arrow(operands, v):
    return f": ({', '.join(o.type for o in operands)}) -> {v.type}"


def listed(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


# Elementwise.

def unary_exact(p):
    name = p.random.choice(["abs", "negate", "ceil", "floor", "round_nearest_afz", "round_nearest_even", "sign", "not",
                            "popcnt", "count_leading_zeros", "is_finite", "real"])
    types = {"abs": SIGNED + FLOATS, "negate": NUMBERS, "sign": SIGNED + FLOATS, "not": INTEGERS + ["i1"],
             "popcnt": INTEGERS, "count_leading_zeros": INTEGERS}.get(name, FLOATS)
    x = p.draw(types, exact=name not in ("abs", "negate", "real"))
    r = result(x.t, x.shape, x.is_open, x.grain, max(x.bound, 1.0) + (name[0] in "cfr"))
    if name == "is_finite":
        r = result("i1", x.shape, x.is_open)
        return p.op(name, [x], [r], short=f"{x.name} : ({x.type}) -> {r.type}")
    if name == "real":
        return p.op(name, [x], [r], short=f"{x.name} : {x.type}")
    return p.op(name, [x], [r], short=f"{x.name} : {x.type}")


def unary_rough(p):
    name = p.random.choice(["cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic",
                            "rsqrt", "sine", "sqrt", "tan", "tanh"])
    x = p.draw(FLOATS, exact=True)
    if name in ("log", "rsqrt", "sqrt", "log_plus_one") and not p.special:
        x = p.op("abs", [x], [x], short=f"{x.name} : {x.type}")
    return p.op(name, [x], [rough(x)], short=f"{x.name} : {x.type}")


def chlo_unary(p):
    name = p.random.choice(["erf", "erfc", "lgamma", "digamma", "tan", "sinh", "cosh", "asinh", "atan", "acosh", "acos",
                            "asin", "atanh", "erf_inv", "bessel_i1e", "is_inf", "is_pos_inf", "is_neg_inf", "constant_like",
                            "square", "conj"])
    if name in ("constant_like", "conj"):
        name = "erf"
    x = p.draw(FLOATS, exact=True)
    if name.startswith("is_"):
        r = result("i1", x.shape, x.is_open)
    else:
        r = rough(x)
    return p.op(name, [x], [r], short=f"{x.name} : {x.type} -> {r.type}", dialect="chlo")


def binary(p):
    name = p.random.choice(["add", "add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "divide",
                            "remainder", "power", "atan2", "shift_left", "shift_right_logical",
                            "shift_right_arithmetic"])
    logical = name in ("and", "or", "xor")
    types = INTEGERS + ["i1"] if logical else INTEGERS if name[:5] == "shift" else FLOATS if name == "atan2" else \
        EVERY if name in ("add", "multiply", "maximum", "minimum") else NUMBERS
    x = p.draw(types, exact=name in ("remainder", "power", "atan2", "divide"))
    how = "positive" if name in ("divide", "remainder", "power") and not p.special else None
    y = p.like(x, exact=name in ("remainder", "power", "atan2", "divide"), how=how)
    if name == "power" and x.t in FLOATS:
        x = p.op("abs", [x], [x], short=f"{x.name} : {x.type}")
    r = rough(x)
    if x.t not in MANTISSA:
        r = result(x.t, x.shape, x.is_open)
    elif x.exact and y.exact:
        if name in ("add", "subtract"):
            r = result(x.t, x.shape, x.is_open, max(x.grain, y.grain), x.bound + y.bound)
        elif name == "multiply":
            r = result(x.t, x.shape, x.is_open, x.grain + y.grain, x.bound * y.bound)
        elif name in ("maximum", "minimum", "remainder"):
            r = result(x.t, x.shape, x.is_open, max(x.grain, y.grain), max(x.bound, y.bound))
    return p.op(name, [x, y], [r], short=f"{x.name}, {y.name} : {x.type}")


def compare(p):
    x = p.draw(EVERY, exact=True)
    y = p.like(x, exact=True)
    return compared(p, x, y)


def compared(p, x, y, how=None):
    how = how or p.random.choice(["EQ", "NE", "GE", "GT", "LE", "LT"])
    if x.t in FLOATS:
        kind = "TOTALORDER" if p.chance(15) else "FLOAT"
    else:
        kind = "SIGNED" if x.t in SIGNED else "UNSIGNED"
    r = result("i1", x.shape, x.is_open)
    stated = p.chance(60) or kind == "TOTALORDER"
    attributes = {"comparison_direction": p.enum("comparison_direction", how)}
    if stated:
        attributes["compare_type"] = p.enum("comparison_type", kind)
    return p.op("compare", [x, y], [r], attributes,
                short=f" {how}, {x.name}, {y.name}{',  ' + kind if stated else ''} {arrow([x, y], r)}")


def select(p):
    x = p.draw(EVERY)
    y = p.like(x)
    q = p.pick(lambda v: v.t == "i1" and (v.shape == () or v.kind() == ("i1", x.shape, x.is_open)),
               lambda: p.new("i1", x.shape if p.chance(70) else (), x.is_open if p.chance(0) else None)
               if x.is_static else p.param("i1", x.shape, x.is_open))
    if q.shape not in ((), x.shape) or (q.shape and q.is_open != x.is_open):
        q = p.param("i1", x.shape, x.is_open)
    r = result(x.t, x.shape, x.is_open, None if None in (x.grain, y.grain) else max(x.grain, y.grain),
               max(x.bound, y.bound))
    return p.op("select", [q, x, y], [r], short=f"{q.name}, {x.name}, {y.name} : {q.type}, {x.type}")


def clamp(p):
    x = p.draw(NUMBERS)
    scalar = p.chance(60)
    low, high = (p.pick(lambda v: v.kind() == ((x.t, (), ()) if scalar else x.kind()),
                        lambda: p.new(x.t, ()) if scalar else p.param(x.t, x.shape, x.is_open)) for _ in range(2))
    grains = [x.grain, low.grain, high.grain]
    r = result(x.t, x.shape, x.is_open, None if None in grains else max(grains), max(x.bound, low.bound, high.bound))
    return p.op("clamp", [low, x, high], [r], short=f"{low.name}, {x.name}, {high.name} {arrow([low, x, high], r)}")


def convert(p):
    x = p.draw(EVERY, exact=True)
    t = p.random.choice([t for t in p.root().types + [p.random.choice(EVERY)]])
    if x.t == t:
        r = x
    elif t in MANTISSA:
        known = x.t in MANTISSA or x.t == "i1"
        r = result(t, x.shape, x.is_open, x.grain if x.t in MANTISSA else 0 if known else None, x.bound)
    else:
        r = result(t, x.shape, x.is_open)
    return p.op("convert", [x], [r], short=f"{x.name} : ({x.type}) -> {r.type}")


def bitcast(p):
    x = p.draw(INTEGERS + FLOATS, exact=True)
    to = [t for t in INTEGERS + FLOATS if width(t) == width(x.t)]
    t = p.random.choice(to)
    r = result(t, x.shape, x.is_open) if t not in MANTISSA else rough(x, t)
    if p.chance(30) and width(x.t) > 8 and x.t in INTEGERS:
        t = p.random.choice([t for t in INTEGERS if width(t) < width(x.t)])
        r = result(t, x.shape + (width(x.t) // width(t),), x.is_open + (False,))
    return p.op("bitcast_convert", [x], [r], short=f"{x.name} : ({x.type}) -> {r.type}")


def reduce_precision(p):
    x = p.draw(FLOATS, exact=True)
    e, m = p.random.randint(1, 11), p.random.randint(0, 23)
    return p.op("reduce_precision", [x], [rough(x)], {"exponent_bits": Raw(f"{e} : i32"),
                                                      "mantissa_bits": Raw(f"{m} : i32")},
                short=f"{x.name}, format = e{e}m{m} : {x.type}")


def barrier(p):
    x, y = p.draw(EVERY), p.draw(EVERY)
    return p.op("optimization_barrier", [x, y], [x, y], short=f"{x.name}, {y.name} : {x.type}, {y.type}")


# Shapes.

def sizes_operand(p, shape, is_open, sources, t=None):
    """A tensor of sizes: numbers, or what get_dimension_size says of an open dimension of that size."""
    t = t or p.random.choice(["i32", "i32", "i64"])
    parts = []
    for s, is_unknown in zip(shape, is_open):
        found = [(v, i) for v in sources for i, d in enumerate(v.shape) if d == s and v.is_open[i]]
        if not (is_unknown and found):
            parts.append(p.constant(t, (1,), [s]))
            continue
        v, i = p.random.choice(found)
        d = p.op("get_dimension_size", [v], [result("i32", ())], {"dimension": i},
                 short=f"{v.name}, dim = {i} {arrow([v], result('i32', ()))}")
        if t != "i32":
            d = p.op("convert", [d], [result(t, ())], short=f"{d.name} : ({d.type}) -> {tensor(t)}")
        parts.append(p.op("reshape", [d], [result(t, (1,))], short=f"{d.name} : ({d.type}) -> {tensor(t, (1,))}"))
    if not parts:
        return p.constant(t, (0,), [])
    r = result(t, (len(parts),))
    names = ", ".join(v.name for v in parts)
    return p.op("concatenate", parts, [r], {"dimension": 0}, short=f"{names}, dim = 0 {arrow(parts, r)}")


def broadcast(p):
    x = p.draw(EVERY, 0, 2)
    rank = p.random.randint(len(x.shape), 4)
    dims = p.random.sample(range(rank), len(x.shape))
    if p.chance(80):
        dims.sort()
    shape, is_open = [0] * rank, [False] * rank
    for i in range(rank):
        if i in dims:
            j = dims.index(i)
            shape[i], is_open[i] = x.shape[j], x.is_open[j]
            if shape[i] == 1 and p.chance(60):
                shape[i] = p.size()
        else:
            shape[i] = p.size()
    dynamic = any(is_open)
    attributes = {"broadcast_dimensions": Ints(dims)}
    if dynamic or p.chance(10):
        shown = [o or (p.may_be_open and p.chance(40)) for o in is_open]
        r = alike(x, shape, shown)
        sizes = sizes_operand(p, shape, [True] * rank, p.all_values())
        return p.op("dynamic_broadcast_in_dim", [x, sizes], [r], attributes,
                    short=f"{x.name}, {sizes.name}, dims = {listed(dims)} {arrow([x, sizes], r)}")
    r = alike(x, shape)
    return p.op("broadcast_in_dim", [x], [r], attributes, short=f"{x.name}, dims = {listed(dims)} {arrow([x], r)}")


def factored(p, n):
    """Sizes whose product is n."""
    shape = []
    for _ in range(p.random.randint(0, 3)):
        d = p.random.choice([d for d in range(1, max(n, 1) + 1) if n % d == 0]) if n else p.size()
        shape.append(d)
        n = n // d if d else 0
    shape.append(n)
    p.random.shuffle(shape)
    return shape


def reshape(p):
    x = p.draw(EVERY, 0, 4)
    n = product(x.shape)
    shape = factored(p, n) if n else [0] + [p.size() for _ in range(p.random.randint(0, 2))]
    if n == 1 and p.chance(50):
        shape = []
    if x.is_static and p.chance(85):
        r = alike(x, shape)
        return p.op("reshape", [x], [r], short=f"{x.name} {arrow([x], r)}")
    shown = [p.may_be_open and p.chance(50) for _ in shape]
    if x.is_static is False and not any(shown) and shape:
        shown[0] = True
    r = alike(x, shape, shown)
    sizes = sizes_operand(p, shape, [True] * len(shape), p.all_values())
    return p.op("dynamic_reshape", [x, sizes], [r], short=f"{x.name}, {sizes.name} {arrow([x, sizes], r)}")


def transpose(p):
    x = p.draw(EVERY, 1, 4)
    perm = list(range(len(x.shape)))
    p.random.shuffle(perm)
    r = alike(x, [x.shape[i] for i in perm], [x.is_open[i] for i in perm])
    return p.op("transpose", [x], [r], {"permutation": Ints(perm)},
                short=f"{x.name}, dims = {listed(perm)} {arrow([x], r)}")


def reverse(p):
    x = p.draw(EVERY, 1, 3)
    dims = p.random.sample(range(len(x.shape)), p.random.randint(0, len(x.shape)))
    return p.op("reverse", [x], [x], {"dimensions": Ints(dims)}, short=f"{x.name}, dims = {listed(dims)} : {x.type}")


def concatenate(p):
    x = p.draw(EVERY, 1, 3)
    d = p.random.randrange(len(x.shape))
    parts = [x]
    for _ in range(p.random.randint(0, 2)):
        fits = [v for v in p.all_values() if v.t == x.t and len(v.shape) == len(x.shape)
                and all(i == d or (v.shape[i], v.is_open[i]) == (x.shape[i], x.is_open[i]) for i in range(len(x.shape)))]
        parts.append(p.random.choice(fits))
    is_open = list(x.is_open)
    is_open[d] = any(v.is_open[d] for v in parts)
    shape = list(x.shape)
    shape[d] = sum(v.shape[d] for v in parts)
    if shape[d] > 12:
        return x
    grains = [v.grain for v in parts]
    r = result(x.t, shape, is_open, None if None in grains else max(grains), max(v.bound for v in parts))
    return p.op("concatenate", parts, [r], {"dimension": d},
                short=f"{', '.join(v.name for v in parts)}, dim = {d} {arrow(parts, r)}")


def slice_(p):
    x = p.draw(EVERY, 1, 4)
    begin, end, step = [], [], []
    for s in x.shape:
        b = p.random.randint(0, s)
        e = p.random.randint(b, s)
        begin.append(b if p.chance(60) else 0)
        end.append(e if p.chance(60) else s)
        step.append(p.random.choice([1, 1, 1, 2, 3]))
    shape = [max(0, -(-(e - b) // s)) for b, e, s in zip(begin, end, step)]
    r = alike(x, shape)
    if p.chance(15):
        lists = [p.constant("i32", (len(v),), v) for v in (begin, end, step)]
        if p.may_be_open:
            r = alike(x, shape, p.openness(shape))
        return p.op("real_dynamic_slice", [x] + lists, [r],
                    short=f"{', '.join(v.name for v in [x] + lists)} {arrow([x] + lists, r)}")
    spans = ", ".join(f"{b}:{e}" + (f":{s}" if s > 1 else "") for b, e, s in zip(begin, end, step))
    return p.op("slice", [x], [r], {"start_indices": Ints(begin), "limit_indices": Ints(end), "strides": Ints(step)},
                short=f"{x.name} [{spans}] {arrow([x], r)}")


def pad(p):
    x = p.draw(EVERY, 0, 3)
    v = p.pick(lambda v: v.kind() == (x.t, (), ()), lambda: p.new(x.t, ()))
    low = [p.random.choice([0, 0, 1, 2, -1]) for _ in x.shape]
    high = [p.random.choice([0, 0, 1, 2, -1]) for _ in x.shape]
    inside = [p.random.choice([0, 0, 0, 1, 2]) for _ in x.shape]
    shape = [a + s + b + max(s - 1, 0) * i for s, a, b, i in zip(x.shape, low, high, inside)]
    if any(s < 0 for s in shape) or product(shape) > 300:
        return x
    grains = [x.grain, v.grain]
    r = result(x.t, shape, x.is_open, None if None in grains else max(grains), max(x.bound, v.bound))
    if p.chance(15) and all(s >= 0 for s in low + high):
        lists = [p.constant("i32", (len(w),), list(w)) for w in (low, high, inside)]
        return p.op("dynamic_pad", [x, v] + lists, [r],
                    short=f"{', '.join(o.name for o in [x, v] + lists)} {arrow([x, v] + lists, r)}")
    return p.op("pad", [x, v], [r], {"edge_padding_low": Ints(low), "edge_padding_high": Ints(high),
                                     "interior_padding": Ints(inside)},
                short=f"{x.name}, {v.name}, low = {listed(low)}, high = {listed(high)}, interior = {listed(inside)} "
                      f"{arrow([x, v], r)}")


def iota(p):
    t = p.random.choice([t for t in p.root().types if t != "i1"])
    shape = p.shape(1, 3)
    d = p.random.randrange(len(shape))
    if p.may_be_open and p.chance(50):
        shown = p.openness(shape)
        sizes = sizes_operand(p, shape, [True] * len(shape), p.all_values())
        r = result(t, shape, shown, 0, 4.0)
        return p.op("dynamic_iota", [sizes], [r], {"iota_dimension": d}, short=f"{sizes.name}, dim = {d} "
                    f"{arrow([sizes], r)}")
    r = result(t, shape, None, 0, 4.0)
    return p.op("iota", [], [r], {"iota_dimension": d}, short=f"dim = {d} : {r.type}")


# Places.

def scalar_place(p, size):
    t = p.random.choice(["i32", "i32", "i64", "ui32", "i8", "ui8", "i16", "ui64"])
    how = (0 if t[0] == "u" else -2, size + 2)
    return t, how


def dynamic_slice(p):
    x = p.draw(EVERY, 1, 3)
    t, _ = scalar_place(p, 4)
    starts = [p.param(t, (), None, scalar_place(p, s)[1] if t[0] != "u" else (0, s + 2)) for s in x.shape]
    sizes = [p.random.randint(0 if p.chance(3) else min(1, s), s) for s in x.shape]
    r = alike(x, sizes)
    return p.op("dynamic_slice", [x] + starts, [r], {"slice_sizes": Ints(sizes)},
                short=f"{', '.join(v.name for v in [x] + starts)}, sizes = {listed(sizes)} {arrow([x] + starts, r)}")


def dynamic_update_slice(p):
    x = p.draw(EVERY, 1, 3)
    t, _ = scalar_place(p, 4)
    starts = [p.param(t, (), None, (0 if t[0] == "u" else -2, s + 2)) for s in x.shape]
    u = p.pick(lambda v: v.t == x.t and len(v.shape) == len(x.shape) and all(a <= b for a, b in zip(v.shape, x.shape)))
    r = result(x.t, x.shape, x.is_open, None if None in (x.grain, u.grain) else max(x.grain, u.grain),
               max(x.bound, u.bound))
    return p.op("dynamic_update_slice", [x, u] + starts, [r],
                short=f"{', '.join(v.name for v in [x, u] + starts)} {arrow([x, u] + starts, r)}")


class Window:
    """Dimension numbers of a gather or scatter into a value: what is drawn, and the shapes that follow."""

    def __init__(self, p, x):
        r = p.random
        rank = len(x.shape)
        dims = list(range(rank))
        r.shuffle(dims)
        batching = dims[:r.choice([0, 0, 0, 1])] if rank > 1 else []
        batching = [d for d in batching if not x.is_open[d] and x.shape[d] > 0]
        rest = [d for d in dims if d not in batching]
        self.map = r.sample(rest, r.randint(1 if rest else 0, len(rest)))  # which dimension each index is along
        self.batching = batching
        self.sizes = [1 if d in batching else x.shape[d] if d not in self.map and p.chance(70)
                      else r.randint(min(1, x.shape[d]), x.shape[d]) for d in range(rank)]
        self.collapsed = sorted(d for d in rest if self.sizes[d] == 1 and p.chance(60))
        kept = [d for d in range(rank) if d not in self.collapsed and d not in batching]
        self.window = [self.sizes[d] for d in kept]
        batch = [x.shape[d] for d in batching] + [r.randint(1, 3) for _ in range(r.randint(0, 2))]
        self.places_batching = list(range(len(batching)))
        self.open_batch = [False] * len(batching) + [p.may_be_open and p.chance(30)
                                                     for _ in batch[len(batching):]]
        # indices: the batch, and a dimension for the vector somewhere in it, or none for vectors of one
        self.vector = r.randint(len(batching), len(batch))
        implied = len(self.map) == 1 and p.chance(30)
        if implied:
            self.vector = len(batch)
        self.places = batch if implied else batch[:self.vector] + [len(self.map)] + batch[self.vector:]
        self.places_open = list(self.open_batch) if implied else \
            self.open_batch[:self.vector] + [False] + self.open_batch[self.vector:]
        result_rank = len(batch) + len(self.window)
        self.offsets = sorted(r.sample(range(result_rank), len(self.window)))
        shape, is_open, b, w = [], [], 0, 0
        for i in range(result_rank):
            if i in self.offsets:
                shape.append(self.window[w])
                is_open.append(False)
                w += 1
            else:
                shape.append(batch[b])
                is_open.append(self.open_batch[b])
                b += 1
        self.shape, self.is_open = shape, is_open

    def numbers(self, p, names, dialect):
        lists = zip(names, [self.offsets, self.collapsed, self.batching, self.places_batching, self.map])
        parts = [f"{n} = {listed(v)}" for n, v in lists if v or p.chance(5)]
        return Raw(f"#{dialect[0]}.{dialect[1]}<{', '.join(parts + [f'index_vector_dim = {self.vector}'])}>")


def gather(p):
    x = p.draw(EVERY, 1, 3)
    w = Window(p, x)
    t = p.random.choice(["i32", "i32", "i64", "ui32", "i8", "ui8"])
    places = p.param(t, w.places, w.places_open, (0 if t[0] == "u" else -1, 4))
    r = alike(x, w.shape, w.is_open)
    numbers = w.numbers(p, ["offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                            "start_indices_batching_dims", "start_index_map"], (p.dialect, "gather"))
    if p.chance(10):
        sizes = p.constant("i32", (len(w.sizes),), list(w.sizes))
        return p.op("dynamic_gather", [x, places, sizes], [r], {"dimension_numbers": numbers})
    return p.op("gather", [x, places], [r], {"dimension_numbers": numbers, "slice_sizes": Ints(w.sizes),
                                             "indices_are_sorted": False})


def scatter(p):
    x = p.draw(EVERY, 1, 3)
    w = Window(p, x)
    t = p.random.choice(["i32", "i32", "i64", "ui32", "i8"])
    places = p.param(t, w.places, w.places_open, (0 if t[0] == "u" else -1, 4))
    u = p.pick(lambda v: v.kind() == (x.t, tuple(w.shape), tuple(w.is_open)), lambda: p.param(x.t, w.shape, w.is_open))
    numbers = w.numbers(p, ["update_window_dims", "inserted_window_dims", "input_batching_dims",
                            "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"], (p.dialect, "scatter"))
    ops = ["add", "add", "maximum", "minimum", "multiply"] + (["or", "and", "xor"] if x.t not in FLOATS else [])
    name = p.random.choice(ops)
    region, exact = folding_region(p, x.t, name)
    many = product(w.shape)
    if not (x.exact and u.exact):
        exact = False
    grain, bound = folded(x.t, name, [x, u], many) if exact else (None, 1)
    r = result(x.t, x.shape, x.is_open, grain, bound)
    return p.op("scatter", [x, places, u], [r], {"scatter_dimension_numbers": numbers, "indices_are_sorted": False,
                                                 "unique_indices": False}, [region])


# Regions.

def folding_region(p, t, name):
    inner = p.inner()
    a, b = (Value(f"{p.fresh()}_{n}", t, ()) for n in "ab")
    r = inner.op(name, [a, b], [result(t, ())], short=f"{a.name}, {b.name} : {a.type}")
    return p.region([a, b], inner, [r]), True


def folded(t, name, values, many):
    """grain and bound of what a fold of so many elements gives."""
    if t not in MANTISSA:
        return 0, 4.0
    if any(v.grain is None for v in values):
        return None, 1
    grain, bound = max(v.grain for v in values), max(v.bound for v in values)
    if name in ("maximum", "minimum"):
        return grain, bound
    if name == "add":
        return grain, bound * (many + 1)
    return (grain * (many + 1), bound ** (many + 1)) if many < 12 else (None, 1)


NEUTRAL = {"add": 0, "multiply": 1, "or": 0, "and": -1, "xor": 0}


def fold_of(p, t):
    return p.random.choice(["add", "add", "multiply", "maximum", "minimum"]
                           + (["or", "and", "xor"] if t not in FLOATS else []))


def reduce(p):
    x = p.draw(EVERY, 1, 3)
    dims = sorted(p.random.sample(range(len(x.shape)), p.random.randint(0 if p.chance(5) else 1, len(x.shape))))
    name = fold_of(p, x.t)
    if name in NEUTRAL and p.chance(50):
        one = NEUTRAL[name]
        start = p.constant(x.t, (), [float(one) if x.t in FLOATS else bool(one) if x.t == "i1" else
                                     (1 << width(x.t)) - 1 if one < 0 and x.t[0] == "u" else one])
    else:
        start = p.new(x.t, ())
    many = product(x.shape[d] for d in dims)
    shape = [s for i, s in enumerate(x.shape) if i not in dims]
    is_open = [s for i, s in enumerate(x.is_open) if i not in dims]
    grain, bound = folded(x.t, name, [x, start], many)
    r = result(x.t, shape, is_open, grain, bound)
    head = f"({x.name} init: {start.name})"
    tail = f"across dimensions = {listed(dims)} {arrow([x, start], r)}"
    region, _ = folding_region(p, x.t, name)
    return p.op("reduce", [x, start], [r], {"dimensions": Ints(dims)}, [region],
                short=f"{head} applies {p.dialect}.{name} {tail}")


def arg_extreme(p):
    """The greatest or least element with its place, as JAX writes it."""
    x = p.draw(EVERY, 1, 3, exact=True)
    d = p.random.randrange(len(x.shape))
    i = p.random.choice(["i32", "i64", "ui32", "i8"])
    if x.is_static:
        places = p.op("iota", [], [result(i, x.shape)], {"iota_dimension": d},
                      short=f"dim = {d} : {tensor(i, x.shape)}")
    else:
        sizes = sizes_operand(p, x.shape, x.is_open, [x])
        r = result(i, x.shape, x.is_open)
        places = p.op("dynamic_iota", [sizes], [r], {"iota_dimension": d}, short=f"{sizes.name}, dim = {d} "
                      f"{arrow([sizes], r)}")
    greatest = p.chance(50)
    if x.t == "i1":
        start = p.constant("i1", (), [not greatest])
    elif x.t in FLOATS:
        start = p.constant(x.t, (), [-math.inf if greatest else math.inf])
    else:
        low = -(1 << width(x.t) - 1) if x.t[0] == "i" else 0
        high = (1 << width(x.t) - (x.t[0] == "i")) - 1
        start = p.constant(x.t, (), [low if greatest else high])
    zero = p.constant(i, (), [0])
    inner = p.inner()
    a, b, c, e = (Value(f"{p.fresh()}_{n}", t, ()) for n, t in (("a", x.t), ("b", i), ("c", x.t), ("e", i)))
    better = compared(inner, a, c, "GT" if greatest else "LT")
    if x.t in FLOATS:
        nan = compared(inner, a, a, "NE")
        better = inner.op("or", [better, nan], [result("i1", ())], short=f"{better.name}, {nan.name} : tensor<i1>")
    equal = compared(inner, a, c, "EQ")
    first = compared(inner, b, e, "LT")
    first = inner.op("and", [equal, first], [result("i1", ())], short=f"{equal.name}, {first.name} : tensor<i1>")
    take = inner.op("or", [better, first], [result("i1", ())], short=f"{better.name}, {first.name} : tensor<i1>")
    v = inner.op("select", [better, a, c], [a], short=f"{better.name}, {a.name}, {c.name} : tensor<i1>, {a.type}")
    w = inner.op("select", [take, b, e], [b], short=f"{take.name}, {b.name}, {e.name} : tensor<i1>, {b.type}")
    shape = [s for j, s in enumerate(x.shape) if j != d]
    is_open = [s for j, s in enumerate(x.is_open) if j != d]
    return p.op("reduce", [x, places, start, zero], [alike(x, shape, is_open), result(i, shape, is_open)],
                {"dimensions": Ints([d])}, [p.region([a, b, c, e], inner, [v, w])])


def windows(p, x):
    """Sizes, strides, dilations and padding of windows over `x`, and the shape of what comes of them."""
    n = len(x.shape)
    size = [p.random.choice([1, 1, 2, 3]) for _ in range(n)]
    stride = [p.random.choice([1, 1, 2]) for _ in range(n)]
    base = [1 if x.is_open[i] else p.random.choice([1, 1, 1, 1, 2]) for i in range(n)]
    dilation = [p.random.choice([1, 1, 1, 2]) for _ in range(n)]
    padding = [[p.random.choice([0, 0, 1, 2, -1 if x.shape[i] > 2 else 0]) for _ in range(2)] for i in range(n)]
    shape = []
    for i, s in enumerate(x.shape):
        padded = sum(padding[i]) + ((s - 1) * base[i] + 1 if s else 0)
        reach = (size[i] - 1) * dilation[i] + 1
        shape.append(0 if padded <= 0 or reach > padded else (padded - reach) // stride[i] + 1)
    return size, stride, base, dilation, padding, shape


def reduce_window(p):
    x = p.draw(EVERY, 1, 4)
    size, stride, base, dilation, padding, shape = windows(p, x)
    name = fold_of(p, x.t)
    start = p.new(x.t, ())
    grain, bound = folded(x.t, name, [x, start], product(size))
    attributes = {"window_dimensions": Ints(size), "window_strides": Ints(stride), "base_dilations": Ints(base),
                  "window_dilations": Ints(dilation), "padding": padding}
    if all(b == 1 for b in base + dilation) and p.chance(50):
        del attributes["base_dilations"], attributes["window_dilations"]
    region, _ = folding_region(p, x.t, name)
    return p.op("reduce_window", [x, start], [result(x.t, shape, x.is_open, grain, bound)], attributes, [region])


def cumulative(p):
    """A cumulative sum or its like, as JAX writes it."""
    x = p.draw(NUMBERS, 1, 3, static=True)
    d = p.random.randrange(len(x.shape))
    s = x.shape[d]
    if not product(x.shape):
        return x
    name = p.random.choice(["add", "multiply", "maximum", "minimum"])
    start = p.constant(x.t, (), [float(NEUTRAL.get(name, 0)) if x.t in FLOATS else NEUTRAL.get(name, 0)])
    pads = [[0, 0] for _ in x.shape]
    pads[d] = [s - 1, 0] if p.chance(60) else [0, s - 1]
    size = [s if i == d else 1 for i in range(len(x.shape))]
    grain, bound = folded(x.t, name, [x, start], s)
    region, _ = folding_region(p, x.t, name)
    return p.op("reduce_window", [x, start], [result(x.t, x.shape, None, grain, bound)],
                {"window_dimensions": Ints(size), "padding": pads}, [region])


def select_and_scatter(p):
    x = p.draw(NUMBERS, 1, 3, exact=True, static=True)
    n = len(x.shape)
    size = [p.random.choice([1, 2, 3]) for _ in range(n)]
    stride = [p.random.choice([1, 1, 2]) for _ in range(n)]
    padding = [[p.random.choice([0, 0, 1]) if size[i] > 1 else 0 for _ in range(2)] for i in range(n)]
    shape = []
    for i, s in enumerate(x.shape):
        padded = s + sum(padding[i])
        shape.append(0 if size[i] > padded else (padded - size[i]) // stride[i] + 1)
    if not product(shape):
        return x
    source = p.pick(lambda v: v.kind() == (x.t, tuple(shape), (False,) * n), lambda: p.param(x.t, shape, (False,) * n))
    start = p.new(x.t, ())
    inner = p.inner()
    a, b = (Value(f"{p.fresh()}_{c}", x.t, ()) for c in "ab")
    better = compared(inner, a, b, p.random.choice(["GE", "LE"]))
    choice = p.region([a, b], inner, [better])
    region, _ = folding_region(p, x.t, "add")
    grain, bound = folded(x.t, "add", [source, start], product(size))
    return p.op("select_and_scatter", [x, source, start], [result(x.t, x.shape, None, grain, bound)],
                {"window_dimensions": Ints(size), "window_strides": Ints(stride), "padding": padding},
                [choice, region])


def sort(p):
    x = p.draw(EVERY, 1, 3, exact=True)
    d = p.random.randrange(len(x.shape))
    others = [v for v in p.all_values() if v.shape == x.shape and v.is_open == x.is_open]
    operands = [x] + p.random.sample(others, min(len(others), p.random.randint(0, 2)))
    inner = p.inner()
    params = []
    for v in operands:
        params += [Value(f"{p.fresh()}_{c}", v.t, ()) for c in "ab"]
    how = p.random.choice(["LT", "GT"])
    before = compared(inner, params[0], params[1], how)
    if len(operands) > 1 and operands[1].exact and p.chance(40):
        equal = compared(inner, params[0], params[1], "EQ")
        second = compared(inner, params[2], params[3], how)
        second = inner.op("and", [equal, second], [result("i1", ())],
                          short=f"{equal.name}, {second.name} : tensor<i1>")
        before = inner.op("or", [before, second], [result("i1", ())],
                          short=f"{before.name}, {second.name} : tensor<i1>")
    return p.op("sort", operands, operands, {"dimension": d, "is_stable": True},
                [p.region(params, inner, [before])])


def few_ops(p, inner, v):
    """Some ops of a region, the last of which gives a value of the type of `v`."""
    for _ in range(p.random.randint(0, 2)):
        p.random.choice(INNER)(inner)
    x = v
    if v.t == "i1":
        return inner.op("not", [x], [x], short=f"{x.name} : {x.type}")
    for _ in range(p.random.randint(1, 2)):
        fits = [w for w in inner.all_values() if w.kind() == v.kind() and w.exact]
        y = p.random.choice(fits) if fits else x
        name = p.random.choice(["add", "subtract", "maximum", "minimum"])
        x = inner.op(name, [x, y], [result(v.t, v.shape, v.is_open, None)], short=f"{x.name}, {y.name} : {x.type}")
    return x


def case(p):
    """`if` and `case`."""
    v = p.draw(EVERY)
    other = p.draw(EVERY, exact=True)
    is_if = p.chance(50)
    index = p.pick(lambda w: w.kind() == ("i1", (), ()), lambda: p.param("i1", ())) if is_if else \
        p.param("i32", (), None, (-1, 4))
    regions = []
    for _ in range(2 if is_if else p.random.randint(1, 4)):
        inner = p.inner()
        regions.append(p.region([], inner, [few_ops(p, inner, v), other]))
    return p.op("if" if is_if else "case", [index], [result(v.t, v.shape, v.is_open, None),
                                                     alike(other, other.shape, other.is_open)], {}, regions)


def while_(p):
    v = p.draw(EVERY)
    t = p.random.choice(["i32", "i32", "i64", "ui8"])
    count = p.constant(t, (), [0])
    limit = p.param(t, (), None, (0, 4))
    names = [Value(f"{p.fresh()}_it", t, ()), Value(f"{p.fresh()}_v", v.t, v.shape, v.is_open, None)]
    cond = p.inner(names)
    more = compared(cond, names[0], limit, "LT")
    body = p.inner(names)
    one = body.constant(t, (), [1])
    following = body.op("add", [names[0], one], [names[0]], short=f"{names[0].name}, {one.name} : {tensor(t)}")
    after = few_ops(p, body, names[1])
    regions = [p.region(names, cond, [more]), p.region(names, body, [following, after])]
    short = None
    if p.spelling == "short":
        strip = [r.split("\n", 2) for r in regions]
        regions_short = ["{\n" + r[2] for r in strip]
        short = f"({names[0].name} = {count.name}, {names[1].name} = {v.name}) : {count.type}, {v.type}\n" \
                f"{p.indent} cond {regions_short[0]} do {regions_short[1]}"
    results = p.op("while", [count, v], [names[0], names[1]], {}, regions,
                   short=("" if short is None else short) or None)
    return results


def map_(p):
    x = p.draw(NUMBERS, 1, 2)
    y = p.like(x)
    inner = p.inner()
    a, b = (Value(f"{p.fresh()}_{c}", x.t, ()) for c in "ab")
    r = inner.op("subtract", [a, b], [a], short=f"{a.name}, {b.name} : {a.type}")
    r = inner.op("maximum", [r, b], [a], short=f"{r.name}, {b.name} : {a.type}")
    return p.op("map", [x, y], [result(x.t, x.shape, x.is_open, None)],
                {"dimensions": Ints(range(len(x.shape)))}, [p.region([a, b], inner, [r])])


# Products.

def dot_general(p):
    x = p.draw(NUMBERS, 0, 4)
    dims = list(range(len(x.shape)))
    p.random.shuffle(dims)
    nb = p.random.choice([0, 0, 1, 1, 2]) if len(dims) > 1 else 0
    batch, dims = dims[:nb], dims[nb:]
    contract = dims[:p.random.choice([0, 1, 1, 1, 2])]
    pieces = [("b", d) for d in batch] + [("c", d) for d in contract] + \
             [("f", None) for _ in range(p.random.randint(0, 2))]
    p.random.shuffle(pieces)
    shape = [x.shape[d] if d is not None else p.size() for _, d in pieces]
    is_open = [x.is_open[d] if d is not None else p.may_be_open and p.chance(20) for _, d in pieces]
    if len(shape) > 4:
        return x
    y = p.pick(lambda v: v.kind() == (x.t, tuple(shape), tuple(is_open)), lambda: p.param(x.t, shape, is_open)
               if any(is_open) else p.new(x.t, tuple(shape), static=True))
    at = {d: i for i, (_, d) in enumerate(pieces) if d is not None}
    rb, rc = [at[d] for d in batch], [at[d] for d in contract]
    lf = [d for d in range(len(x.shape)) if d not in batch + contract]
    rf = [i for i in range(len(shape)) if i not in rb + rc]
    out = [x.shape[d] for d in batch + lf] + [shape[i] for i in rf]
    out_open = [x.is_open[d] for d in batch + lf] + [is_open[i] for i in rf]
    if product(out) > 400:
        return x
    many = product(x.shape[d] for d in contract)
    t = x.t
    if p.chance(15):
        t = {"i8": "i32", "ui8": "ui32", "bf16": "f32", "f16": "f32", "i16": "i64"}.get(t, t)
    if t not in MANTISSA:
        r = result(t, out, out_open)
    elif x.exact and y.exact:
        r = result(t, out, out_open, x.grain + y.grain, x.bound * y.bound * max(many, 1))
    else:
        r = result(t, out, out_open, None)
    d = p.dialect
    parts = [f"{n} = {listed(v)}" for n, v in (("lhs_batching_dimensions", batch), ("rhs_batching_dimensions", rb),
                                               ("lhs_contracting_dimensions", contract),
                                               ("rhs_contracting_dimensions", rc)) if v]
    precision = p.chance(50)
    attributes = {"dot_dimension_numbers": Raw(f"#{d}.dot<{', '.join(parts)}>")}
    if precision:
        attributes["precision_config"] = Raw(f"[#{d}<precision DEFAULT>, #{d}<precision DEFAULT>]")
    middle = f", batching_dims = {listed(batch)} x {listed(rb)}" if batch else ""
    middle += f", contracting_dims = {listed(contract)} x {listed(rc)}"
    middle += ", precision = [DEFAULT, DEFAULT]" if precision else ""
    return p.op("dot_general", [x, y], [r], attributes, short=f"{x.name}, {y.name}{middle} {arrow([x, y], r)}")


def dot(p):
    x = p.draw(NUMBERS, 1, 2)
    shape = (x.shape[-1],) + ((p.size(),) if p.chance(60) else ())
    y = p.pick(lambda v: v.kind() == (x.t, shape, (x.is_open[-1],) + (False,) * (len(shape) - 1)),
               lambda: p.param(x.t, shape, (x.is_open[-1],) + (False,) * (len(shape) - 1)))
    many = x.shape[-1]
    exact = x.exact and y.exact and x.t in MANTISSA
    r = result(x.t, x.shape[:-1] + shape[1:], x.is_open[:-1] + y.is_open[1:],
               x.grain + y.grain if exact else None if x.t in MANTISSA else 0, x.bound * y.bound * max(many, 1))
    return p.op("dot", [x, y], [r], {}, short=f"{x.name}, {y.name} {arrow([x, y], r)}")


def convolution(p):
    r = p.random
    t = r.choice([t for t in p.root().types if t != "i1"])
    n = r.choice([1, 1, 2, 2, 3, 0])
    groups = r.choice([1, 1, 1, 2])
    batch_groups = 1 if groups > 1 else r.choice([1, 1, 1, 2])
    features_in = r.randint(1, 2)
    batch, spatial = r.randint(1, 2) * batch_groups, [r.randint(2, 5) for _ in range(n)]
    kernel, out_features = [r.randint(1, 3) for _ in range(n)], r.randint(1, 2) * groups * batch_groups
    stride, base, dilation = ([r.choice([1, 1, 1, 2]) for _ in range(n)] for _ in range(3))
    padding = [[r.choice([0, 0, 1, 2, -1]) for _ in range(2)] for _ in range(n)]
    flip = [p.chance(15) for _ in range(n)]
    sizes = []
    for i in range(n):
        padded = (spatial[i] - 1) * base[i] + 1 + sum(padding[i])
        reach = (kernel[i] - 1) * dilation[i] + 1
        if padded < reach:
            return p.draw(NUMBERS)
        sizes.append((padded - reach) // stride[i] + 1)

    def layout(first, second, values):
        order = [first, second] + [str(i) for i in range(n)]
        r.shuffle(order)
        at = {first: values[0], second: values[1]}
        at.update({str(i): values[2][i] for i in range(n)})
        return listed(order), [at[o] for o in order], order
    lhs_text, lhs, lhs_order = layout("b", "f", (batch, features_in * groups, spatial))
    rhs_text, rhs, _ = layout("o", "i", (out_features, features_in, kernel))
    out_text, out, out_order = layout("b", "f", (batch // batch_groups, out_features, sizes))
    is_open = [p.may_be_open and batch_groups == 1 and o == "b" and p.chance(50) for o in lhs_order]
    x = p.param(t, lhs, is_open)
    w = p.new(t, tuple(rhs), static=True)
    many = product(kernel) * features_in
    exact = x.exact and w.exact
    v = result(t, out, [o == "b" and any(is_open) for o in out_order],
               (x.grain + w.grain if exact else None) if t in MANTISSA else 0, x.bound * w.bound * many)
    d = p.dialect
    shape = f"{lhs_text}x{rhs_text}->{out_text}"
    attributes = {"dimension_numbers": Raw(f"#{d}.conv<{shape}>"), "feature_group_count": groups,
                  "batch_group_count": batch_groups, "window_strides": Ints(stride), "padding": padding,
                  "lhs_dilation": Ints(base), "rhs_dilation": Ints(dilation)}
    if any(flip):
        inside = ", ".join("true" if f else "false" for f in flip)
        attributes["window_reversal"] = Raw(f"array<i1: {inside}>" if p.spelling != "old" else
                                            f"dense<[{inside}]> : tensor<{n}xi1>")
    window = [f"stride = {listed(stride)}", f"pad = {listed(map(listed, padding))}", f"lhs_dilate = {listed(base)}",
              f"rhs_dilate = {listed(dilation)}"]
    if any(flip):
        window.append(f"reverse = [{inside}]")
    counts = f"{{batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64}}"
    return p.op("convolution", [x, w], [v], attributes,
                short=f"({x.name}, {w.name}) dim_numbers = {shape}, window = {{{', '.join(window)}}} {counts} "
                      f"{arrow([x, w], v)}")


def batch_norm(p):
    t = p.random.choice([t for t in p.root().types if t in FLOATS])
    shape = p.shape(1, 4)
    d = p.random.randrange(len(shape))
    is_open = tuple(p.may_be_open and i != d and p.chance(30) for i in range(len(shape)))
    x = p.param(t, shape, is_open)
    n = (shape[d],)
    scale, offset, mean = (p.new(t, n, static=True) for _ in range(3))
    variance = p.param(t, n, (False,), "positive")
    numbers = {"epsilon": Raw("1.000000e-03 : f32"), "feature_index": d}
    if not product(shape) or p.chance(60) or any(is_open):
        return p.op("batch_norm_inference", [x, scale, offset, mean, variance], [rough(x)], numbers)
    row = result(t, n, None, None)
    return p.op("batch_norm_training", [x, scale, offset], [rough(x), row, row], numbers)


def random_bits(p):
    state = p.param("ui64", (2,), (False,))
    t = p.random.choice(["ui32", "ui64", "ui8", "ui16", "i32", "f32", "f16", "bf16", "f64"])
    r = result(t, p.shape(1, 2), None, None)
    a = p.enum("rng_algorithm", "THREE_FRY")
    return p.op("rng_bit_generator", [state], [state, r], {"rng_algorithm": a},
                short=f"{state.name}, algorithm =  THREE_FRY : ({state.type}) -> ({state.type}, {r.type})")


def threefry_call(p):
    """The call that JAX writes for its random numbers on GPUs."""
    shape = p.shape(0, 2)
    is_open = p.openness(shape)
    words = [p.param("ui32", shape, is_open, "any") for _ in range(4)]
    name = p.random.choice(["cu_threefry2x32", "cu_threefry2x32_ffi", "hip_threefry2x32_ffi"])
    r = result("ui32", shape, is_open)
    return p.op("custom_call", words, [r, r], {"call_target_name": Raw(f'"{name}"'), "api_version": Raw("2 : i32")})


def top_k(p):
    x = p.draw(NUMBERS, 1, 3, exact=True)
    if x.is_open[-1] or not x.shape[-1]:
        return x
    k = p.random.randint(1, x.shape[-1])
    shape = x.shape[:-1] + (k,)
    v, i = alike(x, shape, x.is_open), result("i32", shape, x.is_open)
    return p.op("top_k", [x], [v, i], {"k": k}, short=f"{x.name}, k = {k} : {x.type} -> ({v.type}, {i.type})",
                dialect="chlo")


def call(p):
    x = p.draw(EVERY)
    root = p.root()
    name = f"f{len(root.functions)}"
    root.functions.append(
        f"func.func private @{name}(%arg0: {x.type}) -> {x.type} {{\n"
        + (f"  %0 = {p.dialect}.negate %arg0 : {x.type}\n  return %0 : {x.type}\n" if x.t in NUMBERS else
           f"  return %arg0 : {x.type}\n") + "}")
    v = Value(p.fresh(), x.t, x.shape, x.is_open, x.grain, x.bound)
    p.line(f"{v.name} = {'func.' if p.chance(50) else ''}call @{name}({x.name}) : ({x.type}) -> {x.type}")
    p.values.append(v)
    return v


def solve(p):
    t = p.random.choice(["f32", "f64"])
    n, m = p.random.randint(1, 3), p.random.randint(1, 3)
    eye = p.constant(t, (n, n), [3.0 if i == j else 0.5 for i in range(n) for j in range(n)])
    left = p.chance(50)
    b = p.param(t, (n, m) if left else (m, n), (False, False))
    lower, unit = p.chance(50), p.chance(30)
    how = p.random.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    return p.op("triangular_solve", [eye, b], [rough(b)],
                {"left_side": left, "lower": lower, "unit_diagonal": unit,
                 "transpose_a": Raw(f"#{p.dialect}<transpose {how}>")})


INNER = [unary_exact, binary, compare, select, convert, clamp]
ALL = [unary_exact, unary_exact, unary_rough, chlo_unary, binary, binary, binary, compare, select, clamp, convert,
       bitcast, reduce_precision, barrier, broadcast, broadcast, reshape, reshape, transpose, reverse, concatenate,
       slice_, pad, iota, dynamic_slice, dynamic_update_slice, gather, scatter, reduce, reduce, arg_extreme,
       reduce_window, cumulative, select_and_scatter, sort, case, while_, map_, dot_general, dot_general, dot,
       convolution, batch_norm, random_bits, threefry_call, top_k, call, solve]
