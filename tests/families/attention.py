"""Families of transformers and diffusion models as newer exporters write them; see families.py."""
from blocks import conv, gelu, layer_norm, linear, size_of, stack
from onnx_writer import BOOL, FLOAT, INT64, Graph, model, tensor

FAR = 9223372036854775807


def one_size(g, x, axis):
    """Shape from an axis to the next, as exporters write it from operator set 15 on."""
    return g.op("Shape", x, start=axis, end=axis + 1)


def part(g, x, start, end, axis):
    return g.op("Slice", x, g.constant([start]), g.constant([end]), g.constant([axis]), g.constant([1]))


def swapped_last(g, t):
    """The last two dimensions swapped by a detour over three dimensions, as attention is decomposed."""
    shape = g.op("Shape", t)
    front, rows, last = [g.op("Slice", shape, g.constant([a]), g.constant([b])) for a, b in [(0, -2), (-2, -1), (-1, FAR)]]
    flat = g.op("Reshape", t, g.op("Concat", g.constant([-1]), rows, last, axis=0))
    flat = g.op("Transpose", flat, perm=[0, 2, 1])
    return g.op("Reshape", flat, g.op("Concat", front, last, rows, axis=0))


def scaled_attention(g, q, k, v, mask=None):
    """Both factors times the square root of the scale."""
    size = g.op("Cast", g.op("Slice", g.op("Shape", q), g.constant([-1]), g.constant([FAR])), to=FLOAT)
    scale = g.op("Sqrt", g.op("Div", g.constant([1.0], kind=FLOAT), g.op("Sqrt", size)))
    scores = g.op("MatMul", g.op("Mul", q, scale), g.op("Mul", swapped_last(g, k), scale))
    if mask:
        scores = g.op("Add", scores, mask)
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), v)


def rope_dynamo():
    """A decoder of a graph capture: rotary embeddings, sizes by Shape with start and end, a mask from comparisons of Range, grouped keys."""
    g = Graph("rope_dynamo")
    ids, keep = g.input("input_ids", ["s0", "s1"], INT64), g.input("attention_mask", ["s0", "s1"], INT64)
    x = g.op("Gather", g.weights(50, 32), ids)
    b, s = one_size(g, ids, 0), one_size(g, ids, 1)
    length = g.op("Squeeze", s)
    places = g.op("Range", g.constant(0), length, g.constant(1))
    rows = g.op("Unsqueeze", places, g.constant([0]))
    cells = g.op("LessOrEqual", g.op("Unsqueeze", places, g.constant([0])), g.op("Unsqueeze", places, g.constant([1])))
    cells = g.op("Expand", g.op("Unsqueeze", cells, g.constant([0, 1])), g.op("Concat", b, g.constant([1]), s, s, axis=0))
    kept = g.op("Cast", g.op("Unsqueeze", g.op("Unsqueeze", keep, g.constant([1])), g.constant([2])), to=BOOL)
    mask = g.op("And", cells, kept)
    mask = g.op("Where", mask, g.constant(0.0, kind=FLOAT), g.constant(-3.4028234663852886e38, kind=FLOAT))
    angles = g.op("Cast", g.op("Unsqueeze", rows, g.constant([1])), to=FLOAT)
    frequency = g.op("Expand", g.op("Unsqueeze", g.op("Unsqueeze", g.initializer([1.0, 0.1, 0.01, 0.001], [4], FLOAT), g.constant([0])), g.constant([2])),
                     g.op("Concat", g.constant([1]), g.constant([1]), g.constant([1]), axis=0))
    angles = g.op("Transpose", g.op("MatMul", g.op("Cast", frequency, to=FLOAT), angles), perm=[0, 2, 1])
    angles = g.op("Concat", angles, angles, axis=-1)
    cos, sin = [g.op("Mul", g.op(f, angles), g.constant(1.0, kind=FLOAT)) for f in ("Cos", "Sin")]
    cos, sin = [g.op("Unsqueeze", t, g.constant([1])) for t in (cos, sin)]

    def rotated(t):
        turned = g.op("Concat", g.op("Neg", part(g, t, 4, FAR, 3)), part(g, t, 0, 4, 3), axis=-1)
        return g.op("Add", g.op("Mul", t, cos), g.op("Mul", turned, sin))

    def repeated(t):
        wide = g.op("Expand", g.op("Unsqueeze", part(g, t, 0, FAR, 0), g.constant([2])), g.op("Concat", b, g.constant([2]), g.constant([2]), s, g.constant([8]), axis=0))
        return g.op("Reshape", wide, g.op("Concat", b, g.constant([4]), s, g.constant([8]), axis=0))

    def norm(t):
        t = g.op("Cast", t, to=FLOAT)
        mean = g.op("ReduceMean", g.op("Pow", t, g.constant(2.0, kind=FLOAT)), g.constant([-1]), keepdims=1)
        t = g.op("Mul", t, g.op("Reciprocal", g.op("Sqrt", g.op("Add", mean, g.constant(1e-6, kind=FLOAT)))))
        return g.op("Mul", g.weights(32, above=0.5), g.op("Cast", t, to=FLOAT))

    for _ in range(2):
        y = norm(x)
        q, k, v = [g.op("Transpose", g.op("Reshape", g.op("MatMul", y, g.op("Transpose", g.weights(n * 8, 32), perm=[1, 0])),
                                          g.op("Concat", b, s, g.constant([-1]), g.constant([8]), axis=0), allowzero=1), perm=[0, 2, 1, 3]) for n in (4, 2, 2)]
        y = scaled_attention(g, rotated(q), repeated(rotated(k)), repeated(v), mask)
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.op("Concat", b, s, g.constant([-1]), axis=0))
        x = g.op("Add", x, g.op("MatMul", y, g.op("Transpose", g.weights(32, 32), perm=[1, 0])))
        y = norm(x)
        gate = g.op("MatMul", y, g.op("Transpose", g.weights(48, 32), perm=[1, 0]))
        y = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), g.op("MatMul", y, g.op("Transpose", g.weights(48, 32), perm=[1, 0])))
        x = g.op("Add", x, g.op("MatMul", y, g.op("Transpose", g.weights(32, 48), perm=[1, 0])))
    x = part(g, norm(x), 0, FAR, 1)
    g.output(g.op("MatMul", x, g.op("Transpose", g.weights(50, 32), perm=[1, 0]), names=["logits"]), ["s0", "s1", 50])
    return model(g, 18)


def group_norm(g, x, groups, n):
    """As tracing exporters write it: InstanceNormalization of groups as channels."""
    ones, zeros = g.initializer([1.0] * groups, [groups], FLOAT), g.initializer([0.0] * groups, [groups], FLOAT)
    y = g.op("InstanceNormalization", g.op("Reshape", x, g.constant([0, groups, -1])), ones, zeros, epsilon=1e-5)
    y = g.op("Reshape", y, g.op("Shape", x))
    y = g.op("Mul", y, g.op("Unsqueeze", g.weights(n, above=0.5), g.constant([1, 2])))
    return g.op("Add", y, g.op("Unsqueeze", g.weights(n), g.constant([1, 2])))


def swish(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def diffusion():
    """A denoiser: sinusoidal time embedding, residual blocks with group norms, attention over places and over a prompt, skips."""
    g = Graph("diffusion")
    x, t = g.input("sample", ["batch", 4, "H", "W"]), g.input("timestep", ["batch"], INT64)
    prompt = g.input("prompt", ["batch", 7, 24])
    angles = g.op("Mul", g.op("Cast", g.op("Unsqueeze", t, g.constant([1])), to=FLOAT), g.op("Unsqueeze", g.weights(8, above=0.01), g.constant([0])))
    angles = g.op("Mul", angles, g.constant(1.0, kind=FLOAT))
    t = g.op("Concat", g.op("Sin", angles), g.op("Cos", angles), axis=-1)
    t = g.op("Concat", part(g, t, 8, FAR, 1), part(g, t, 0, 8, 1), axis=-1)
    t = swish(g, g.op("Gemm", t, g.weights(32, 16), g.weights(32), transB=1))
    t = swish(g, g.op("Gemm", t, g.weights(32, 32), g.weights(32), transB=1))

    def block(v, n, m):
        y = conv(g, swish(g, group_norm(g, v, 4, n)), n, m, 3, bias=True)
        shift = g.op("Gemm", t, g.weights(m, 32), g.weights(m), transB=1)
        y = g.op("Add", y, g.op("Unsqueeze", g.op("Unsqueeze", shift, g.constant([2])), g.constant([3])))
        y = conv(g, g.op("Dropout", swish(g, group_norm(g, y, 4, m))), m, m, 3, bias=True)
        y = g.op("Add", v if n == m else conv(g, v, n, m, 1, bias=True), y)
        return g.op("Div", y, g.constant(1.0, kind=FLOAT))

    def attend(v, over, m):
        """Heads as part of the batch."""
        def split(u, n):
            u = linear(g, u, n, 16, bias=False)
            b, s = size_of(g, u, 0), size_of(g, u, 1)
            u = g.op("Transpose", g.op("Reshape", u, stack(g, b, s, 2, 8)), perm=[0, 2, 1, 3])
            return g.op("Reshape", u, stack(g, g.op("Mul", b, g.constant(2)), s, 8))
        q, k, w = split(v, 16), split(over, m), split(over, m)
        scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1])), g.constant(8 ** -0.5, kind=FLOAT))
        y = g.op("MatMul", g.op("Cast", g.op("Softmax", scores, axis=-1), to=FLOAT), w)
        b, s = size_of(g, y, 0), size_of(g, y, 1)
        y = g.op("Reshape", y, stack(g, g.op("Div", b, g.constant(2)), 2, s, 8))
        y = g.op("Transpose", y, perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, stack(g, g.op("Div", b, g.constant(2)), s, 16))
        return linear(g, y, 16, 16)

    def transformer(v):
        b, h, w = size_of(g, v, 0), size_of(g, v, 2), size_of(g, v, 3)
        y = conv(g, group_norm(g, v, 4, 16), 16, 16, 1, bias=True)
        inner = size_of(g, y, 1)
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 3, 1]), stack(g, b, g.op("Mul", h, w), inner))
        n = layer_norm(g, y, 16)
        y = g.op("Add", attend(n, n, 16), y)
        y = g.op("Add", attend(layer_norm(g, y, 16), prompt, 24), y)
        z = linear(g, layer_norm(g, y, 16), 16, 64)
        a, gate = g.op("Split", z, axis=-1, results=2)
        y = g.op("Add", linear(g, g.op("Mul", a, gelu(g, gate)), 32, 16), y)
        y = g.op("Transpose", g.op("Reshape", y, stack(g, b, h, w, inner)), perm=[0, 3, 1, 2])
        return g.op("Add", conv(g, y, 16, 16, 1, bias=True), v)

    a = block(conv(g, x, 4, 8, 3, bias=True), 8, 8)
    b = transformer(block(conv(g, a, 8, 8, 3, bias=True, strides=[2, 2]), 8, 16))
    up = g.op("Resize", b, None, g.constant([1.0, 1.0, 2.0, 2.0], kind=FLOAT), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    y = block(g.op("Concat", conv(g, up, 16, 8, 3, bias=True), a, axis=1), 16, 8)
    g.output(conv(g, swish(g, group_norm(g, y, 4, 8)), 8, 4, 3, bias=True), ["batch", 4, "H", "W"])
    return model(g, 14)


def detr():
    """A detector by queries: positions of an image added to keys, sequence-first attention with heads in the batch, a padding mask."""
    g = Graph("detr")
    image, padding = g.input("image", ["batch", 3, 16, 16]), g.input("padding", ["batch", 4, 4], BOOL)
    f = g.op("Relu", conv(g, image, 3, 16, 3, bias=True, strides=[2, 2]))
    f = conv(g, g.op("Relu", conv(g, f, 16, 16, 3, bias=True, strides=[2, 2])), 16, 16, 1, bias=True)
    seen = g.op("Cast", g.op("Not", padding), to=FLOAT)
    ys, xs = [g.op("CumSum", seen, g.constant(a)) for a in (1, 2)]
    waves = []
    for t in (ys, xs):
        t = g.op("Div", g.op("Unsqueeze", t, g.constant([3])), g.weights(8, above=1.0))
        even, odd = [g.op("Slice", t, g.constant([k]), g.constant([FAR]), g.constant([3]), g.constant([2])) for k in (0, 1)]
        pair = [g.op("Unsqueeze", g.op(op, v), g.constant([4])) for op, v in (("Sin", even), ("Cos", odd))]
        joint = g.op("Concat", *pair, axis=4)
        waves.append(g.op("Reshape", joint, g.op("Concat", g.op("Slice", g.op("Shape", joint), g.constant([0]), g.constant([3]), g.constant([0])), g.constant([-1]), axis=0)))
    place = g.op("Transpose", g.op("Concat", *waves, axis=3), perm=[0, 3, 1, 2])

    def sequence(t):
        head = g.op("Slice", g.op("Shape", t), g.constant([0]), g.constant([2]), g.constant([0]))
        return g.op("Transpose", g.op("Reshape", t, g.op("Concat", head, g.constant([-1]), axis=0)), perm=[2, 0, 1])

    memory, place = sequence(f), sequence(place)
    ignored = g.op("Reshape", padding, stack(g, size_of(g, padding, 0), -1))

    def attend(q, k, v, mask):
        length, batch = size_of(g, q, 0), size_of(g, q, 1)
        both = g.op("Mul", batch, g.constant(2))
        q = g.op("Mul", linear(g, q, 16, 16), g.constant(8 ** -0.5, kind=FLOAT))
        q = g.op("Transpose", g.op("Reshape", q, stack(g, length, both, 8)), perm=[1, 0, 2])
        k, v = [g.op("Transpose", g.op("Reshape", linear(g, t, 16, 16), stack(g, size_of(g, t, 0), both, 8)), perm=[1, 0, 2]) for t in (k, v)]
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
        if mask:
            wide = g.op("Reshape", scores, stack(g, batch, 2, length, size_of(g, k, 1)))
            m = g.op("Unsqueeze", g.op("Unsqueeze", mask, g.constant([1])), g.constant([2]))
            wide = g.op("Where", g.op("Cast", m, to=BOOL), g.constant(-1e9, kind=FLOAT), wide)
            scores = g.op("Reshape", wide, stack(g, both, length, size_of(g, k, 1)))
        y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        y = g.op("Reshape", g.op("Transpose", y, perm=[1, 0, 2]), stack(g, length, batch, 16))
        return linear(g, y, 16, 16)

    def feed(t):
        return layer_norm(g, g.op("Add", t, linear(g, g.op("Relu", linear(g, t, 16, 32)), 32, 16)), 16)

    for _ in range(2):
        at = g.op("Add", memory, place)
        memory = feed(layer_norm(g, g.op("Add", memory, attend(at, at, memory, ignored)), 16))
    queries = g.op("Unsqueeze", g.weights(5, 16), g.constant([1]))
    wanted = stack(g, 1, size_of(g, image, 0), 1)
    queries = g.op("Tile", queries, wanted)
    t = g.op("ConstantOfShape", g.op("Shape", queries), value=tensor("", FLOAT, [1], [0.0]))
    for _ in range(2):
        at = g.op("Add", t, queries)
        t = layer_norm(g, g.op("Add", t, attend(at, at, t, None)), 16)
        t = layer_norm(g, g.op("Add", t, attend(g.op("Add", t, queries), g.op("Add", memory, place), memory, ignored)), 16)
        t = feed(t)
    t = g.op("Transpose", layer_norm(g, t, 16), perm=[1, 0, 2])
    g.output(linear(g, t, 16, 6), ["batch", 5, 6])
    box = linear(g, g.op("Relu", linear(g, t, 16, 16)), 16, 4)
    g.output(g.op("Sigmoid", box, names=["boxes"]), ["batch", 5, 4])
    return model(g, 13)


FAMILIES = [rope_dynamo, diffusion, detr]
