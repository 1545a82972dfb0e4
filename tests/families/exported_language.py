"""Further families of text and speech, as exporters write them; see families.py."""
from blocks import (attention, cut, first, gelu, layer_norm, linear, numbers,
                    of_value, real, size_of, stack, stretched, swish, tanh_gelu, unsqueezed)
from onnx_writer import BOOL, FLOAT, FLOAT16, INT32, INT64, INT8, Graph, model

FAR = 9223372036854775807


def gpt_neo():
    """Past keys and values, a causal mask piece out of a constant, a padding mask by subtraction and a huge factor."""
    g = Graph("gpt_neo")
    ids = g.input("input_ids", ["batch", "length"], INT64)
    am = g.input("attention_mask", ["batch", "total"], INT64)
    pk, pv = g.input("past_key", ["batch", 2, "past", 8]), g.input("past_value", ["batch", 2, "past", 8])
    past = size_of(g, pk, 2)
    ids2 = g.op("Reshape", ids, stack(g, -1, size_of(g, ids, 1)))
    pos = g.op("Range", past, g.op("Add", size_of(g, ids, 1), past), g.constant(1))
    pos = g.op("Reshape", unsqueezed(g, pos, 0), stack(g, -1, size_of(g, ids, 1)))
    x = g.op("Add", g.op("Gather", g.weights(40, 16), ids2), g.op("Gather", g.weights(64, 16), pos))
    y = layer_norm(g, x, 16)

    def hd(t):
        s = g.op("Shape", t)
        lead = g.op("Slice", s, g.constant([0]), g.constant([-1]), g.constant([0]))
        t = g.op("Reshape", t, g.op("Concat", lead, g.constant([2]), g.constant([8]), axis=0))
        return g.op("Transpose", t, perm=[0, 2, 1, 3])

    q, k, v = [hd(linear(g, y, 16, 16, bias=False)) for _ in range(3)]
    k, v = g.op("Concat", pk, k, axis=-2), g.op("Concat", pv, v, axis=-2)
    q, k32 = g.op("Cast", q, to=FLOAT), g.op("Cast", k, to=FLOAT)
    w = g.op("MatMul", q, g.op("Transpose", k32, perm=[0, 1, 3, 2]))
    ql, kl = size_of(g, q, -2), size_of(g, k, -2)
    bias = g.initializer([int(j <= i) for i in range(32) for j in range(32)], [1, 1, 32, 32], BOOL)
    piece = g.op("Slice", bias, unsqueezed(g, g.op("Sub", kl, ql), 0), unsqueezed(g, kl, 0), g.constant([2]), g.constant([1]))
    piece = g.op("Slice", piece, g.constant([0]), unsqueezed(g, kl, 0), g.constant([3]), g.constant([1]))
    w = g.op("Where", piece, w, real(g, -3.4028234663852886e38))
    w = g.op("Cast", g.op("Softmax", w, axis=-1), to=FLOAT)
    y = g.op("Transpose", g.op("MatMul", w, v), perm=[0, 2, 1, 3])
    s = g.op("Shape", y)
    y = g.op("Reshape", y, g.op("Concat", cut(g, s, 0, -2, 0), g.constant([16]), axis=0))
    x = g.op("Add", linear(g, y, 16, 16), x)
    x = g.op("Add", x, linear(g, tanh_gelu(g, linear(g, layer_norm(g, x, 16), 16, 32)), 32, 16))
    y = layer_norm(g, x, 16)
    y = g.op("Reshape", y, g.op("Concat", unsqueezed(g, size_of(g, ids, 0), 0), unsqueezed(g, size_of(g, ids, 1), 0), unsqueezed(g,
            size_of(g, y, -1), 0), axis=0))
    m = unsqueezed(g, g.op("Reshape", am, stack(g, size_of(g, ids, 0), -1)), 1, 2)
    m = g.op("Mul", g.op("Sub", real(g, 1.0), g.op("Cast", m, to=FLOAT)), real(g, -3.4028234663852886e38))
    g.output(g.op("MatMul", y, g.weights(16, 40), names=["logits"]), ["batch", "length", 40])
    g.output(m, ["batch", 1, 1, "t"])
    g.output(k, ["batch", 2, "t2", 8])
    return model(g, 14)


def llama_cached():
    """Tables of cosines piece to the length and picked by place, a causal mask made by Range and Where, keys repeated by Expand."""
    g = Graph("llama_cached")
    ids = g.input("input_ids", ["batch", "length"], INT64)
    am = g.input("attention_mask", ["batch", "all"], INT64)
    pk, pv = g.input("past_key", ["batch", 2, "past", 8]), g.input("past_value", ["batch", 2, "past", 8])
    b, s = size_of(g, ids, 0), size_of(g, ids, 1)
    past = size_of(g, pk, 2)
    total = g.op("Add", s, past)
    pos = g.op("Reshape", unsqueezed(g, g.op("Range", past, total, g.constant(1)), 0), stack(g, -1, s))
    x = g.op("Gather", g.weights(40, 32), ids)
    full = g.op("Expand", real(g, -3.4028234663852886e38), stack(g, s, s))
    cond = g.op("Range", g.constant(0), size_of(g, full, -1), g.constant(1))
    cmp = g.op("Reshape", g.op("Add", cond, g.constant(1)), stack(g, size_of(g, full, -1), 1))
    mask = g.op("Where", g.op("Less", cond, cmp), real(g, 0.0), full)
    mask = g.op("Cast", mask, to=FLOAT)
    zero = g.op("ConstantOfShape", stack(g, s, past), value=of_value(0.0))
    mask = g.op("Concat", zero, mask, axis=-1)
    mask = stretched(g, unsqueezed(g, unsqueezed(g, mask, 0), 1), stack(g, b, 1, s, g.op("Add", s, past)))
    cos_t, sin_t = g.weights(1, 1, 32, 8), g.weights(1, 1, 32, 8)

    def norm(x):
        x = g.op("Cast", x, to=FLOAT)
        var = g.op("ReduceMean", g.op("Pow", x, real(g, 2.0)), axes=[-1])
        y = g.op("Mul", x, g.op("Div", real(g, 1.0), g.op("Sqrt", g.op("Add", var, real(g, 1e-6)))))
        return g.op("Mul", g.weights(32, above=0.5), g.op("Cast", y, to=FLOAT))

    def table(t):
        t = g.op("Slice", t, g.constant([0]), unsqueezed(g, total, 0), g.constant([2]))
        t = g.op("Cast", t, to=FLOAT)
        t = g.op("Squeeze", g.op("Squeeze", t, g.constant([1])), g.constant([0]))
        return unsqueezed(g, g.op("Gather", t, pos), 1)

    def rot(t):
        cos, sin = table(cos_t), table(sin_t)
        d = size_of(g, t, 3)
        half = unsqueezed(g, g.op("Div", d, g.constant(2)), 0)
        a = g.op("Slice", t, g.constant([0]), half, g.constant([3]))
        c = g.op("Slice", t, half, g.constant([FAR]), g.constant([3]))
        turned = g.op("Concat", g.op("Neg", c), a, axis=-1)
        return g.op("Add", g.op("Mul", t, cos), g.op("Mul", turned, sin))

    def rep(t):
        bb, n, ss, d = [size_of(g, t, i) for i in range(4)]
        t = stretched(g, unsqueezed(g, t, 2), stack(g, bb, n, 2, ss, d))
        return g.op("Reshape", t, stack(g, bb, g.op("Mul", n, g.constant(2)), ss, d))

    y = norm(x)
    q, k, v = [g.op("Transpose", g.op("Reshape", linear(g, y, 32, n * 8, bias=False), stack(g, size_of(g, y, 0), size_of(g, y, 1), n, 8)),
            perm=[0, 2, 1, 3]) for n in (4, 2, 2)]
    q, k = rot(q), rot(k)
    k, v = g.op("Concat", pk, k, axis=2), g.op("Concat", pv, v, axis=2)
    k2, v2 = rep(k), rep(v)
    w = g.op("Div", g.op("MatMul", q, g.op("Transpose", k2, perm=[0, 1, 3, 2])), real(g, 8 ** 0.5))
    w = g.op("Add", w, mask)
    w = g.op("Max", w, real(g, -3.4028234663852886e38))
    w = g.op("Cast", g.op("Softmax", w, axis=-1), to=FLOAT)
    y = g.op("Reshape", g.op("Transpose", g.op("MatMul", w, v2), perm=[0, 2, 1, 3]), stack(g, b, s, 32))
    x = g.op("Add", x, linear(g, y, 32, 32, bias=False))
    y = norm(x)
    gate = linear(g, y, 32, 48, bias=False)
    x = g.op("Add", x, linear(g, g.op("Mul", swish(g, gate), linear(g, y, 32, 48, bias=False)), 48, 32, bias=False))
    g.output(g.op("Cast", linear(g, norm(x), 32, 40, bias=False), to=FLOAT, names=["logits"]), ["batch", "length", 40])
    g.output(k, ["batch", 2, "t", 8])
    g.output(v, ["batch", 2, "t", 8])
    im = g.op("Cast", g.op("Sub", real(g, 1.0), g.op("Cast", unsqueezed(g, unsqueezed(g, am, 1), 2), to=FLOAT)), to=BOOL)
    g.output(g.op("Where", im, real(g, -1e9), g.op("Sub", real(g, 1.0), g.op("Cast", unsqueezed(g, unsqueezed(g, am, 1), 2), to=FLOAT))),
            ["batch", 1, 1, "all"])
    return model(g, 14)


def whisper_encoder():
    """Convolutions along time, then attention with heads in the batch and no bias for keys."""
    g = Graph("whisper_encoder")
    x = g.input("input_features", ["batch", 8, 32])
    x = gelu(g, g.op("Conv", x, g.weights(16, 8, 3), g.weights(16), kernel_shape=[3], pads=[1, 1], strides=[1], dilations=[1], group=1))
    x = gelu(g, g.op("Conv", x, g.weights(16, 16, 3), g.weights(16), kernel_shape=[3], pads=[1, 1], strides=[2], dilations=[1], group=1))
    x = g.op("Add", g.op("Transpose", x, perm=[0, 2, 1]), g.weights(16, 16))
    for _ in range(2):
        y = layer_norm(g, x, 16)
        b, s = size_of(g, y, 0), size_of(g, y, 1)
        q = g.op("Mul", linear(g, y, 16, 16), real(g, 8 ** -0.5))
        k, v = linear(g, y, 16, 16, bias=False), linear(g, y, 16, 16)
        k, v = [g.op("Transpose", g.op("Reshape", t, stack(g, b, -1, 2, 8)), perm=[0, 2, 1, 3]) for t in (k, v)]
        q = g.op("Transpose", g.op("Reshape", q, stack(g, b, s, 2, 8)), perm=[0, 2, 1, 3])
        proj = stack(g, g.op("Mul", b, g.constant(2)), -1, 8)
        q, k, v = [g.op("Reshape", t, proj) for t in (q, k, v)]
        w = g.op("Softmax", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1])), axis=-1)
        z = g.op("Reshape", g.op("MatMul", w, v), stack(g, b, 2, s, 8))
        z = g.op("Reshape", g.op("Transpose", z, perm=[0, 2, 1, 3]), stack(g, b, s, 16))
        x = g.op("Add", x, linear(g, z, 16, 16))
        x = g.op("Add", x, linear(g, gelu(g, linear(g, layer_norm(g, x, 16), 16, 32)), 32, 16))
    g.output(g.op("Identity", layer_norm(g, x, 16), names=["last_hidden_state"]), ["batch", 16, 16])
    return model(g, 14)


def clip():
    """Two towers: a class token by Expand, the end of the text by ArgMax and GatherND, products of unit vectors."""
    g = Graph("clip")
    ids = g.input("input_ids", ["text", 7], INT64)
    pix = g.input("pixel_values", ["image", 3, 8, 8])
    # the tower of images
    x = g.op("Conv", pix, g.weights(16, 3, 4, 4), kernel_shape=[4, 4], strides=[4, 4], pads=[0] * 4, dilations=[1, 1], group=1)
    x = g.op("Transpose", g.op("Reshape", x, g.op("Concat", cut(g, g.op("Shape", x), 0, 2, 0), g.constant([-1]), axis=0)), perm=[0, 2, 1])
    cls = stretched(g, g.weights(16), stack(g, size_of(g, pix, 0), 1, -1))
    x = g.op("Concat", cls, x, axis=1)
    x = g.op("Add", x, g.op("Gather", g.weights(5, 16), g.constant([0, 1, 2, 3, 4], [1, 5])))

    def quick(x): return g.op("Mul", x, g.op("Sigmoid", g.op("Mul", x, real(g, 1.702))))

    def enc(x, mask):
        x = g.op("Add", x, attention(g, layer_norm(g, x, 16), 16, 2, mask))
        return g.op("Add", x, linear(g, quick(linear(g, layer_norm(g, x, 16), 16, 32)), 32, 16))

    x = enc(layer_norm(g, x, 16), None)
    im = layer_norm(g, g.op("Gather", x, g.constant(0), axis=1), 16)
    im = g.op("MatMul", im, g.op("Transpose", g.weights(16, 16), perm=[1, 0]))
    # the tower of texts
    s = g.op("Shape", ids)
    flat = g.op("Reshape", ids, stack(g, -1, g.op("Gather", s, g.constant(-1), axis=0)))
    pos = g.op("Slice", g.constant(list(range(10)), [1, 10]), g.constant([0]), unsqueezed(g, size_of(g, flat, 1), 0), g.constant([1]))
    t = g.op("Add", g.op("Gather", g.weights(30, 16), flat), g.op("Gather", g.weights(10, 16), pos))
    b, n = size_of(g, flat, 0), size_of(g, flat, 1)
    mask = g.op("Trilu", g.op("ConstantOfShape", stack(g, b, n, n), value=of_value(-3.4028234663852886e38)), g.constant(1), upper=1)
    t = enc(t, unsqueezed(g, mask, 1))
    t = layer_norm(g, t, 16)
    eot = g.op("ArgMax", g.op("Cast", flat, to=INT32), axis=-1, keepdims=0)
    rows = g.op("Range", g.constant(0), size_of(g, t, 0), g.constant(1))
    where = g.op("Concat", unsqueezed(g, rows, -1), unsqueezed(g, eot, -1), axis=-1)
    t = g.op("GatherND", t, where)
    t = g.op("MatMul", t, g.op("Transpose", g.weights(16, 16), perm=[1, 0]))

    def unit(v): return g.op("Div", v, g.op("ReduceL2", v, axes=[-1], keepdims=1))

    im, t = unit(im), unit(t)
    scale = g.op("Exp", real(g, 1.2))
    lt = g.op("Mul", g.op("MatMul", t, g.op("Transpose", im, perm=[1, 0])), scale)
    g.output(g.op("Identity", lt, names=["logits_per_text"]), ["text", "image"])
    g.output(g.op("Transpose", lt, perm=[1, 0], names=["logits_per_image"]), ["image", "text"])
    g.output(t, ["text", 16])
    g.output(im, ["image", 16])
    return model(g, 14)


def mixture_of_experts():
    """TopK of a Softmax, OneHot, rows of each expert by NonZero and GatherND, added back by ScatterND."""
    g = Graph("mixture_of_experts")
    x = g.input("hidden", ["batch", "length", 16])
    b, s = size_of(g, x, 0), size_of(g, x, 1)
    f = g.op("Reshape", x, stack(g, -1, 16))
    p = g.op("Softmax", linear(g, f, 16, 4, bias=False), axis=1)
    w, i = g.op("TopK", p, g.constant([2]), axis=-1, largest=1, sorted=1, results=2)
    w = g.op("Div", w, g.op("ReduceSum", w, g.constant([-1]), keepdims=1))
    w = g.op("Cast", w, to=FLOAT)
    hot = g.op("OneHot", i, g.constant([4]), g.constant([0, 1]), axis=-1)
    hot = g.op("Transpose", hot, perm=[2, 1, 0])
    out = g.op("ConstantOfShape", stack(g, g.op("Mul", b, s), 16), value=of_value(0.0))
    for e in range(4):
        m = g.op("Gather", hot, g.constant(e), axis=0)
        nz = g.op("NonZero", m)
        k, t = [g.op("Reshape", v, g.constant([-1])) for v in g.op("Split", nz, g.constant([1, 1]), axis=0, results=2)]
        y = g.op("Gather", f, t, axis=0)
        y = g.op("Reshape", y, g.constant([-1, 16]))
        h = g.op("Mul", swish(g, linear(g, y, 16, 24, bias=False)), linear(g, y, 16, 24, bias=False))
        h = linear(g, h, 24, 16, bias=False)
        at = g.op("Concat", unsqueezed(g, t, -1), unsqueezed(g, k, -1), axis=-1)
        h = g.op("Mul", h, unsqueezed(g, g.op("GatherND", w, at), -1))
        old = g.op("GatherND", out, unsqueezed(g, t, -1))
        out = g.op("ScatterND", out, unsqueezed(g, t, -1), g.op("Add", old, h))
    g.output(g.op("Reshape", out, stack(g, b, s, 16), names=["out"]), ["batch", "length", 16])
    g.output(p, ["tokens", 4])
    return model(g, 14)


def quantized_bert():
    """Pairs of QuantizeLinear and DequantizeLinear around products, weights in eight bits behind a Transpose."""
    g = Graph("quantized_bert")
    x = g.input("x", ["batch", "length", 16])

    def qd(v, s, z=0):
        sc, zp = g.initializer([s], [], FLOAT), g.initializer([z], [], INT8)
        return g.op("DequantizeLinear", g.op("QuantizeLinear", v, sc, zp), sc, zp)

    def lin(v, n, m):
        w = g.initializer([g.random.randrange(-100, 100) for _ in range(n * m)], [m, n], INT8)
        w = g.op("DequantizeLinear", w, g.initializer([0.01] * m, [m], FLOAT), g.initializer([0] * m, [m], INT8), axis=0)
        y = g.op("MatMul", qd(v, 0.02), g.op("Transpose", w, perm=[1, 0]))
        return g.op("Add", y, g.weights(m))

    b, s = size_of(g, x, 0), size_of(g, x, 1)
    q, k, v = [g.op("Transpose", g.op("Reshape", lin(x, 16, 16), stack(g, b, s, 2, 8)), perm=[0, 2, 1, 3]) for _ in range(3)]
    w = g.op("MatMul", qd(q, 0.05), qd(g.op("Transpose", k, perm=[0, 1, 3, 2]), 0.05))
    w = g.op("Div", w, real(g, 8 ** 0.5))
    w = g.op("Softmax", w, axis=-1)
    y = g.op("MatMul", qd(w, 0.0078), qd(v, 0.04))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), stack(g, b, s, 16))
    x = layer_norm(g, g.op("Add", lin(y, 16, 16), x), 16)
    y = lin(gelu(g, lin(x, 16, 32)), 32, 16)
    x = layer_norm(g, g.op("Add", qd(y, 0.03), qd(x, 0.03)), 16)
    g.output(g.op("Gather", x, g.constant(0), axis=1), ["batch", 16])
    return model(g, 13)


def half_precision():
    """Floats of 16 bits between casts, norms in 32 bits, weights cast in the model."""
    g = Graph("half_precision")
    g.newest = 0  # in newer sets onnxruntime fuses the norm with types that do not go together
    x = g.input("x", ["batch", "length", 16])

    def weights(*dims):
        return g.op("Cast", g.weights(*dims), to=FLOAT16)

    y = g.op("Cast", x, to=FLOAT16)
    for _ in range(2):
        z = g.op("Cast", y, to=FLOAT)
        z = layer_norm(g, z, 16)
        z = g.op("Cast", z, to=FLOAT16)
        z = g.op("Add", g.op("MatMul", z, weights(16, 32)), weights(32))
        z = g.op("Mul", z, g.op("Sigmoid", z))
        z = g.op("Add", g.op("MatMul", z, weights(32, 16)), weights(16))
        z = g.op("Div", z, g.op("Cast", g.op("Cast", real(g, 2.0), to=FLOAT16), to=FLOAT16))
        y = g.op("Add", y, g.op("Cast", g.op("Cast", z, to=FLOAT), to=FLOAT16))
    s = g.op("Cast", g.op("Softmax", g.op("Cast", y, to=FLOAT), axis=-1), to=FLOAT16)
    k = g.op("Cast", g.op("Cast", g.op("Relu", s), to=FLOAT), to=FLOAT16)
    g.output(g.op("Cast", k, to=FLOAT, names=["y"]), ["batch", "length", 16])
    return model(g, 14)


def relative_attention():
    """Places by Range of floats, everything by Einsum, the relative shift by Reshape, Slice and Reshape."""
    g = Graph("relative_attention")
    x = g.input("x", ["t", "b", 8])
    t = size_of(g, x, 0)
    pos = g.op("Range", g.op("Cast", t, to=FLOAT), g.op("Cast", g.op("Neg", t), to=FLOAT), real(g, -1.0))
    inv = g.op("Div", real(g, 1.0), g.op("Pow", real(g, 10000.0), g.op("Div", real(g, [0.0, 2.0, 4.0, 6.0]), real(g, 8.0))))
    ang = g.op("Einsum", pos, inv, equation="i,d->id")
    r = unsqueezed(g, g.op("Concat", g.op("Sin", ang), g.op("Cos", ang), axis=-1), 1)
    r = g.op("Expand", r, g.op("Concat", g.constant([-1 + 2]), unsqueezed(g, size_of(g, x, 1), 0), g.constant([1]), axis=0))
    q, k, v, kr = [g.op("Einsum", s, g.weights(8, 2, 4), equation="ibh,hnd->ibnd") for s in (x, x, x, r)]
    ac = g.op("Einsum", g.op("Add", q, g.weights(2, 4)), k, equation="ibnd,jbnd->bnij")
    bd = g.op("Einsum", g.op("Add", q, g.weights(2, 4)), kr, equation="ibnd,jbnd->bnij")
    s = [size_of(g, bd, i) for i in range(4)]
    bd = g.op("Reshape", bd, stack(g, s[0], s[1], s[3], s[2]))
    bd = g.op("Slice", bd, g.constant([1]), g.constant([FAR]), g.constant([2]), g.constant([1]))
    bd = g.op("Reshape", bd, stack(g, s[0], s[1], s[2], g.op("Sub", s[3], g.constant(1))))
    idx = g.op("Range", g.constant(0), size_of(g, ac, 3), g.constant(1))
    bd = g.op("Gather", bd, idx, axis=3)
    sc = g.op("Mul", g.op("Add", g.op("Add", ac, bd), real(g, 0.0)), real(g, 0.5))
    p = g.op("Softmax", sc, axis=3)
    o = g.op("Einsum", p, v, equation="bnij,jbnd->ibnd")
    o = g.op("Einsum", o, g.weights(8, 2, 4), equation="ibnd,hnd->ibh")
    g.output(layer_norm(g, g.op("Add", o, x), 8), ["t", "b", 8])
    return model(g, 13)


def length_masks():
    """Masks from lengths and from Trilu, joined by Or, stretched and made numbers by Where; a mean over what is kept."""
    g = Graph("length_masks")
    x, lens = g.input("x", ["b", "t", 8]), g.input("lengths", ["b"], INT64)
    t = size_of(g, x, 1)
    r = g.op("Range", g.constant(0), t, g.constant(1))
    pad = g.op("GreaterOrEqual", unsqueezed(g, r, 0), unsqueezed(g, lens, 1))
    pad2 = g.op("Expand", unsqueezed(g, unsqueezed(g, pad, 1), 1), stack(g, size_of(g, x, 0), 2, 1, t))
    ones = g.op("ConstantOfShape", stack(g, t, t), value=of_value(1.0))
    tri = g.op("Trilu", ones, None, upper=0)
    causal = g.op("Equal", tri, real(g, 0.0))
    m = g.op("Or", unsqueezed(g, unsqueezed(g, causal, 0), 0), pad2)
    bias = g.op("Where", m, real(g, -1e9), real(g, 0.0))
    bias = g.op("Reshape", bias, stack(g, size_of(g, x, 0), 2, t, -1))
    y = attention(g, x, 8, 2, bias)
    keep = g.op("Cast", g.op("Not", unsqueezed(g, pad, -1)), to=FLOAT)
    y = g.op("Mul", y, keep)
    tot = g.op("Clip", g.op("ReduceSum", keep, g.constant([1]), keepdims=0), real(g, 1.0))
    y = g.op("Div", g.op("ReduceSum", y, g.constant([1]), keepdims=0), tot)
    half = g.op("Div", t, g.constant(2))
    rest = g.op("Slice", x, unsqueezed(g, half, 0), g.constant([FAR]), g.constant([1]))
    g.output(y, ["b", 8])
    g.output(rest, ["b", "r", 8])
    return model(g, 16)


def einsum_attention():
    """Attention and products by Einsum alone."""
    g = Graph("einsum_attention")
    x = g.input("x", ["b", "t", 16])
    q, k, v = [g.op("Einsum", x, g.weights(16, 2, 8), equation="btd,dhk->bthk") for _ in range(3)]
    s = g.op("Einsum", q, k, equation="bthk,bshk->bhts")
    s = g.op("Softmax", g.op("Mul", s, real(g, 8 ** -0.5)), axis=-1)
    y = g.op("Einsum", s, v, equation="bhts,bshk->bthk")
    y = g.op("Einsum", y, g.weights(2, 8, 16), equation="bthk,hkd->btd")
    x = g.op("Add", x, y)
    z = g.op("Einsum", x, g.weights(16, 8), equation="btd,df->btf")
    z = g.op("Einsum", z, z, equation="btf,bsf->bts")
    m = g.op("Einsum", x, equation="btd->bdt")
    g.output(g.op("MatMul", z, x), ["b", "t", 16])
    g.output(g.op("Einsum", m, equation="bdt->bd"), ["b", 16])
    g.output(g.op("Einsum", g.op("ReduceMean", x, axes=[1], keepdims=0), g.weights(16), equation="bd,d->b"), ["b"])
    return model(g, 13)


def packed_attention():
    """Weights of queries, keys and values cut out of one, heads in the batch, sequence first; weights averaged over heads."""
    g = Graph("packed_attention")
    x = g.input("src", ["s", "n", 16])
    w, bias = g.weights(48, 16), g.weights(48)
    ws = [g.op("Transpose", cut(g, w, 16 * i, 16 * i + 16, 0), perm=[1, 0]) for i in range(3)]
    bs = [cut(g, bias, 16 * i, 16 * i + 16, 0) for i in range(3)]
    s, n, e = [size_of(g, x, i) for i in range(3)]
    hd = g.op("Div", e, g.constant(4))
    hd = g.op("Cast", g.op("Cast", hd, to=INT64), to=INT64)
    q, k, v = [g.op("Add", g.op("MatMul", x, ww), bb) for ww, bb in zip(ws, bs)]
    heads_ = g.op("Mul", n, g.constant(4))
    q, k, v = [g.op("Transpose", g.op("Reshape", t, stack(g, s, heads_, hd)), perm=[1, 0, 2]) for t in (q, k, v)]
    q = g.op("Div", q, g.op("Sqrt", g.op("Cast", size_of(g, q, 2), to=FLOAT)))
    a = g.op("Softmax", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1])), axis=-1)
    y = g.op("Reshape", g.op("Transpose", g.op("MatMul", a, v), perm=[1, 0, 2]), stack(g, g.op("Mul", s, n), e))
    y = g.op("Gemm", y, g.weights(16, 16), g.weights(16), transB=1)
    y = g.op("Reshape", y, stack(g, s, n, size_of(g, y, 1)))
    y = g.op("Add", x, g.op("Dropout", y))
    avg = g.op("Reshape", a, stack(g, n, 4, s, s))
    avg = g.op("Div", g.op("ReduceSum", avg, g.constant([1]), keepdims=0), real(g, 4.0))
    g.output(layer_norm(g, y, 16), ["s", "n", 16])
    g.output(avg, ["n", "s", "s2"])
    return model(g, 13)


def windowed_attention():
    """Sequences padded to whole windows by computed pads, attention in each, the rest piece off again."""
    g = Graph("windowed_attention")
    x = g.input("x", ["b", "t", 8])
    t = size_of(g, x, 1)
    extra = g.op("Mod", g.op("Sub", g.constant(4), g.op("Mod", t, g.constant(4))), g.constant(4))
    pad = g.op("Concat", g.constant([0, 0, 0, 0]), unsqueezed(g, extra, 0), g.constant([0]), axis=0)
    y = g.op("Pad", x, pad, real(g, 0.0), mode="constant")
    b, tt = size_of(g, y, 0), size_of(g, y, 1)
    chunks = g.op("Reshape", y, stack(g, b, g.op("Div", tt, g.constant(4)), 4, 8))
    q, k, v = linear(g, chunks, 8, 8), linear(g, chunks, 8, 8), linear(g, chunks, 8, 8)
    s = g.op("Einsum", q, k, equation="bcxd,bcyd->bcxy")
    s = g.op("Div", s, g.op("Sqrt", g.op("Cast", g.constant(8), to=FLOAT)))
    ones = g.op("ConstantOfShape", g.constant([4, 4]), value=of_value(1.0))
    tri = g.op("Trilu", ones, g.constant(1), upper=1)
    neg = g.op("Where", g.op("Cast", tri, to=BOOL), real(g, float("-inf")), real(g, 0.0))
    s = g.op("Add", s, unsqueezed(g, unsqueezed(g, neg, 0), 0))
    p = g.op("Softmax", s, axis=-1)
    o = g.op("Einsum", p, v, equation="bcxy,bcyd->bcxd")
    o = g.op("Reshape", o, stack(g, b, tt, 8))
    o = g.op("Slice", o, g.constant([0]), unsqueezed(g, t, 0), g.constant([1]))
    g.output(g.op("Add", x, o), ["b", "t", 8])
    return model(g, 14)


FAMILIES = [gpt_neo, llama_cached, whisper_encoder, clip, mixture_of_experts, quantized_bert, half_precision, relative_attention,
        length_masks, einsum_attention, packed_attention, windowed_attention]
