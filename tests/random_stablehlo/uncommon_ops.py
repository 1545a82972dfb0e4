"""Ops that few programs have, for random programs: regions of several operands or of any ops, older ops, those of CHLO that broadcast.

    make = random.choice(uncommon_ops.ALL)
    make(program)

As in ops.py, which has what both share.
"""
from ops import EVERY, NUMBERS, Window, alike, compared, folding_region, result, rough, windows
from program import FLOATS, INTEGERS, SIGNED, Ints, Raw, Value, product


def scalars(p, types):
    return [Value(f"{p.fresh()}_s", t, ()) for t in types]


def two(inner, name, x, y):
    return inner.op(name, [x, y], [x], short=f"{x.name}, {y.name} : {x.type}")


def chosen(inner, which, x, y):
    return inner.op("select", [which, x, y], [x], short=f"{which.name}, {x.name}, {y.name} : tensor<i1>, {x.type}")


def pair_region(p, x, y, kinds):
    """A region of two accumulated values and two elements, each result one of them or an extreme."""
    inner = p.inner()
    a, b, c, d = params = scalars(p, (x.t, y.t, x.t, y.t))
    kind = p.random.choice(kinds)
    if kind == "each":
        results = [two(inner, p.random.choice(["maximum", "minimum"]), a, c),
                   two(inner, p.random.choice(["maximum", "minimum"]), b, d)]
    elif kind == "together":
        better = compared(inner, a, c, p.random.choice(["GE", "GT", "LE", "LT"]))
        results = [chosen(inner, better, a, c), chosen(inner, better, b, d)]
    elif kind == "first":
        results = [two(inner, "maximum", a, c), b]
    else:
        results = [two(inner, "maximum", a, c), d]
    return p.region(params, inner, results)


def some_dims(p, x):
    dims = sorted(p.random.sample(range(len(x.shape)), p.random.randint(1, len(x.shape))))
    kept = [i for i in range(len(x.shape)) if i not in dims]
    return dims, [x.shape[i] for i in kept], [x.is_open[i] for i in kept]


def reduce_two(p):
    x = p.draw(NUMBERS, 1, 3, exact=True)
    y = p.param(p.random.choice(p.root().types), x.shape, x.is_open)
    dims, shape, is_open = some_dims(p, x)
    starts = [p.new(x.t, ()), p.new(y.t, ())]
    return p.op("reduce", [x, y] + starts, [result(v.t, shape, is_open, None) for v in (x, y)],
                {"dimensions": Ints(dims)}, [pair_region(p, x, y, ["each", "together", "first", "last"])])


def reduce_captured(p):
    """A region that reads a value from around it."""
    x = p.draw(NUMBERS, 1, 2, exact=True)
    most = p.param(x.t, ())
    dims, shape, is_open = some_dims(p, x)
    inner = p.inner()
    a, b = scalars(p, (x.t, x.t))
    r = two(inner, "maximum", a, two(inner, "minimum", b, most))
    return p.op("reduce", [x, p.new(x.t, ())], [result(x.t, shape, is_open, None)], {"dimensions": Ints(dims)},
                [p.region([a, b], inner, [r])])


def reduce_window_two(p):
    x = p.draw(NUMBERS, 1, 3, exact=True)
    y = p.param(p.random.choice(["i32", "f32", "ui8"]), x.shape, x.is_open)
    size, stride, base, dilation, padding, shape = windows(p, x)
    starts = [p.new(x.t, ()), p.new(y.t, ())]
    return p.op("reduce_window", [x, y] + starts, [result(v.t, shape, x.is_open, None) for v in (x, y)],
                {"window_dimensions": Ints(size), "window_strides": Ints(stride), "base_dilations": Ints(base),
                 "window_dilations": Ints(dilation), "padding": padding}, [pair_region(p, x, y, ["together"])])


def scatter_into(p, inputs, region):
    x = inputs[0]
    w = Window(p, x)
    t = p.random.choice(["i32", "i64", "ui32", "i8", "ui8"])
    places = p.param(t, w.places, w.places_open, (0 if t[0] == "u" else -1, 4))
    updates = [p.param(v.t, w.shape, w.is_open) for v in inputs]
    numbers = w.numbers(p, ["update_window_dims", "inserted_window_dims", "input_batching_dims",
                            "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"], (p.dialect, "scatter"))
    return p.op("scatter", inputs + [places] + updates, [result(v.t, v.shape, v.is_open, None) for v in inputs],
                {"scatter_dimension_numbers": numbers, "indices_are_sorted": False, "unique_indices": False}, [region])


def scatter_any(p):
    """What a scatter puts in a place: the update, what was there, or something computed of both."""
    x = p.draw(EVERY, 1, 3)
    inner = p.inner()
    a, b = scalars(p, (x.t, x.t))
    kind = p.random.choice(["update", "update", "old", "number", "computed"])
    if kind == "number":
        r = inner.constant(x.t, ())
    elif kind == "computed":
        r = two(inner, "xor", a, b) if x.t == "i1" else two(inner, "add", two(inner, "maximum", a, b), b)
    else:
        r = b if kind == "update" else a
    return scatter_into(p, [x], p.region([a, b], inner, [r]))


def scatter_two(p):
    x = p.draw(NUMBERS, 1, 3, static=True)
    y = p.param(p.random.choice(p.root().types), x.shape, x.is_open)
    return scatter_into(p, [x, y], pair_region(p, x, y, ["each", "last"]))


def sort_by_any(p):
    """Ordered by one of several operands, or by what is computed of it, or by two."""
    x = p.draw(EVERY, 1, 3, exact=True)
    others = [p.param(p.random.choice(p.root().types), x.shape, x.is_open), p.param("i32", x.shape, x.is_open, "any")]
    operands = [x] + others[:p.random.randint(0, 2)]
    inner = p.inner()
    params = scalars(p, [v.t for v in operands for _ in range(2)])
    k = p.random.randrange(len(operands))
    a, b = params[2 * k:2 * k + 2]
    how = p.random.choice(["LT", "GT"])
    kind = p.random.choice(["plain", "swapped", "abs", "negate", "two"])
    if kind == "abs" and a.t in SIGNED + FLOATS or kind == "negate" and a.t in NUMBERS:
        a, b = (inner.op(kind, [v], [v], short=f"{v.name} : {v.type}") for v in (a, b))
    if kind == "swapped":
        a, b = b, a
    before = compared(inner, a, b, how)
    if kind == "two" and len(operands) > 1:
        n = (k + 1) % len(operands)
        equal = compared(inner, a, b, "EQ")
        second = compared(inner, params[2 * n], params[2 * n + 1], p.random.choice(["LT", "GT"]))
        before = chosen(inner, equal, second, before)
    return p.op("sort", operands, [result(v.t, v.shape, v.is_open, None) for v in operands],
                {"dimension": p.random.randrange(len(x.shape)), "is_stable": True}, [p.region(params, inner, [before])])


def select_and_scatter_any(p):
    x = p.draw(NUMBERS, 1, 3, exact=True, static=True)
    n = len(x.shape)
    size = [p.random.choice([1, 2, 3]) for _ in range(n)]
    stride = [p.random.choice([1, 1, 2]) for _ in range(n)]
    padding = [[p.random.choice([0, 0, 1]) if size[i] > 1 else 0 for _ in range(2)] for i in range(n)]
    padded = [s + sum(padding[i]) for i, s in enumerate(x.shape)]
    shape = [0 if size[i] > s else (s - size[i]) // stride[i] + 1 for i, s in enumerate(padded)]
    if not product(shape) or not product(x.shape):
        return x
    source = p.param(x.t, shape, (False,) * n)
    inner = p.inner()
    a, b = scalars(p, (x.t, x.t))
    better = compared(inner, a, b, p.random.choice(["GE", "LE", "GT", "LT"]))
    choice = p.region([a, b], inner, [better])
    region, _ = folding_region(p, x.t, p.random.choice(["add", "maximum", "minimum"]))
    return p.op("select_and_scatter", [x, source, p.new(x.t, ())], [result(x.t, x.shape, None, None)],
                {"window_dimensions": Ints(size), "window_strides": Ints(stride), "padding": padding}, [choice, region])


def map_three(p):
    """With a value from around the region."""
    x = p.draw(NUMBERS, 0, 3)
    y, z = p.param("i1", x.shape, x.is_open), p.like(x)
    most = p.param(x.t, ())
    inner = p.inner()
    a, b, c = scalars(p, (x.t, "i1", z.t))
    r = two(inner, "maximum", chosen(inner, b, a, c), most)
    return p.op("map", [x, y, z], [result(x.t, x.shape, x.is_open, None)], {"dimensions": Ints(range(len(x.shape)))},
                [p.region([a, b, c], inner, [r])])


# Older ops, and what few programs have.

def broadcast_in_front(p):
    x = p.draw(EVERY, 0, 2, static=True)
    sizes = tuple(p.size() for _ in range(p.random.randint(0, 2)))
    return p.op("broadcast", [x], [alike(x, sizes + x.shape)], {"broadcast_sizes": Ints(sizes)})


def torch_index_select(p):
    """Places outside are moved inside."""
    sizes = [p.random.randint(1, 4) for _ in range(p.random.randint(1, 3))]
    x = p.param(p.random.choice(p.root().types), sizes, (False,) * len(sizes))
    batch = 0 if p.chance(60) else p.random.randint(0, len(x.shape) - 1)
    d = p.random.randint(batch, len(x.shape) - 1)
    shape = x.shape[:batch] + tuple(p.random.randint(1, 3) for _ in range(p.random.randint(0, 2)))
    places = p.param(p.random.choice(["i32", "i64"]), shape, (False,) * len(shape), (-1, x.shape[d]))
    return p.op("torch_index_select", [x, places], [alike(x, x.shape[:d] + shape[batch:] + x.shape[d + 1:])],
                {"dim": d, "batch_dims": batch})


def einsum(p):
    t = p.random.choice(["f32", "f64", "i32", "ui8", "i64"])
    sizes = {c: p.random.randint(1, 3) for c in "abcd"}
    left, right = ("".join(p.random.sample("abcd", p.random.randint(1, 3))) for _ in range(2))
    letters = sorted(set(left + right))
    p.random.shuffle(letters)
    out = "".join(letters[:p.random.randint(0, len(letters))])
    x, y = (p.param(t, [sizes[c] for c in w], (False,) * len(w)) for w in (left, right))
    return p.op("einsum", [x, y], [result(t, [sizes[c] for c in out], None, None if t in FLOATS else 0)],
                {"einsum_config": f"{left},{right}->{out}"})


def composite(p):
    x = p.draw(NUMBERS)
    root = p.root()
    name = f"g{len(root.functions)}"
    root.functions.append(f"func.func private @{name}(%arg0: {x.type}) -> {x.type} {{\n"
                          f"  %0 = {p.dialect}.negate %arg0 : {x.type}\n  return %0 : {x.type}\n}}")
    return p.op("composite", [x], [x], {"name": Raw('"my.op"'), "composite_attributes": Raw('{a = 1 : i64, b = "x"}'),
                                        "decomposition": Raw("@" + name), "version": Raw("1 : i32")})


def tuple_of_two(p):
    x, y = p.draw(EVERY), p.draw(EVERY)
    name, kind = p.fresh(), f"tuple<{x.type}, {y.type}>"
    p.line(f'{name} = "{p.dialect}.tuple"({x.name}, {y.name}) : ({x.type}, {y.type}) -> {kind}')
    k = p.random.randrange(2)
    v = Value(p.fresh(), *(x, y)[k].kind(), (x, y)[k].grain, (x, y)[k].bound)
    p.line(f'{v.name} = "{p.dialect}.get_tuple_element"({name}) {{index = {k} : i32}} : ({kind}) -> {v.type}')
    p.values.append(v)
    return v


def dot_of_mixed(p):
    """Operands of small types, or of different ones, and a result of a larger one."""
    left, right, t = p.random.choice([("i8", "i8", "i32"), ("ui8", "i8", "i32"), ("i8", "i32", "i32"),
                                      ("i1", "i1", "i32"), ("i16", "i16", "i64"), ("bf16", "bf16", "f32"),
                                      ("f16", "f32", "f32"), ("f32", "bf16", "f32")])
    m, k, n = (p.random.randint(1, 3) for _ in range(3))
    x, y = p.param(left, (m, k), (False, False)), p.param(right, (k, n), (False, False))
    numbers = Raw(f"#{p.dialect}.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>")
    return p.op("dot_general", [x, y], [result(t, (m, n), None, None if t in FLOATS else 0)],
                {"dot_dimension_numbers": numbers})


def solve_batches(p):
    t = p.random.choice(["f32", "f64"])
    n, m, batch = p.random.randint(1, 4), p.random.randint(1, 3), p.random.choice([(), (2,), (2, 1)])
    each = [4.0 + i if i == j else 0.5 for i in range(n) for j in range(n)]
    a = p.constant(t, batch + (n, n), each * product(batch))
    if p.chance(40):
        return p.op("cholesky", [a], [rough(a)], {"lower": p.chance(50)})
    left = p.chance(50)
    b = p.param(t, batch + ((n, m) if left else (m, n)), (False,) * (len(batch) + 2))
    how = p.random.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    return p.op("triangular_solve", [a, b], [rough(b)],
                {"left_side": left, "lower": p.chance(50), "unit_diagonal": p.chance(30),
                 "transpose_a": Raw(f"#{p.dialect}<transpose {how}>")})


def batch_norm_grad(p):
    t = p.random.choice(["f32", "f64"])
    shape = tuple(p.random.randint(1, 3) for _ in range(p.random.randint(1, 4)))
    d = p.random.randrange(len(shape))
    x, g = (p.param(t, shape, (False,) * len(shape)) for _ in range(2))
    scale, mean = (p.param(t, (shape[d],), (False,)) for _ in range(2))
    variance = p.param(t, (shape[d],), (False,), "positive")
    row = result(t, (shape[d],), None, None)
    return p.op("batch_norm_grad", [x, scale, mean, variance, g], [rough(x), row, row],
                {"epsilon": Raw("1.000000e-03 : f32"), "feature_index": d})


def philox(p):
    state = p.param("ui64", (p.random.choice([2, 3]),), (False,), "any")
    r = result(p.random.choice(["ui32", "ui64", "ui8", "ui16", "i32", "i64"]), p.shape(0, 2), None, None)
    return p.op("rng_bit_generator", [state], [state, r], {"rng_algorithm": p.enum("rng_algorithm", "PHILOX")})


def chlo_broadcast(p):
    name = p.random.choice(["add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "compare",
                            "select"])
    types = INTEGERS + ["i1"] if name in ("and", "or", "xor") else NUMBERS
    x = p.draw(types, 0, 3, exact=True, static=True)
    behind = p.random.randint(0, len(x.shape))
    y = p.param(x.t, [s if p.chance(70) else 1 for s in x.shape[len(x.shape) - behind:]], (False,) * behind)
    operands = [x, y] if p.chance(50) else [y, x]
    if name == "select":
        shape = () if p.chance(50) else x.shape
        q = p.param("i1", shape, (False,) * len(shape))
        operands = [q] + operands
    r = result("i1" if name == "compare" else x.t, x.shape, x.is_open, None)
    direction = {"comparison_direction": Raw("#chlo<comparison_direction LT>")} if name == "compare" else {}
    return p.op("broadcast_" + name, operands, [r], direction, dialect="chlo")


def chlo_binary(p):
    t = p.random.choice(["f32", "f64"])
    name = p.random.choice(["next_after", "zeta", "polygamma"])
    shape = p.shape(0, 2)
    x, y = (p.param(t, shape, (False,) * len(shape), "any" if name == "next_after" else "positive") for _ in range(2))
    if name == "polygamma":
        x = p.op("floor", [x], [x], short=f"{x.name} : {x.type}")
    return p.op(name, [x, y], [rough(x)], dialect="chlo", short=f"{x.name}, {y.name} : {x.type}, {y.type} -> {x.type}")


ALL = [reduce_two, reduce_captured, reduce_window_two, scatter_any, scatter_two, sort_by_any, select_and_scatter_any,
       map_three, broadcast_in_front, torch_index_select, einsum, composite, tuple_of_two, dot_of_mixed, solve_batches,
       batch_norm_grad, philox, chlo_broadcast, chlo_binary]
