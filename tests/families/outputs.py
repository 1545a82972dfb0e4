"""Families of models with a long tail behind the network: detectors, quantised networks, decoders that branch; see families.py."""
from blocks import attention, batch_norm, conv, gelu, layer_norm, linear, size_of, stack
from onnx_writer import BOOL, FLOAT, INT64, INT8, UINT8, Graph, model, tensor

FAR = 9223372036854775807


def column(g, x, i):
    """x[..., i] as tracing exporters write it."""
    return g.op("Gather", x, g.constant(i), axis=1)


def mask_head():
    """A region proposer: anchors from sizes, boxes decoded and clipped, the best kept by TopK and NonMaxSuppression, regions pooled."""
    g = Graph("mask_head")
    x = g.input("image", [1, 3, 32, 32])
    f = g.op("Relu", conv(g, x, 3, 8, 3, bias=True, strides=[2, 2]))
    f = g.op("Relu", conv(g, f, 8, 8, 3, bias=True, strides=[2, 2]))
    y = g.op("Relu", conv(g, f, 8, 8, 3, bias=True))

    def flat(t, n, m):
        b, h, w = size_of(g, t, 0), size_of(g, t, 2), size_of(g, t, 3)
        t = g.op("Reshape", t, stack(g, b, -1, m, h, w))
        t = g.op("Transpose", t, perm=[0, 3, 4, 1, 2])
        return g.op("Reshape", t, stack(g, b, -1, m))

    score, delta = flat(conv(g, y, 8, 3, 1, bias=True), 3, 1), flat(conv(g, y, 8, 12, 1, bias=True), 12, 4)
    score, delta = g.op("Reshape", score, g.constant([-1])), g.op("Reshape", delta, g.constant([-1, 4]))
    rows = g.op("Mul", g.op("Cast", g.op("Range", g.constant(0), size_of(g, f, 2), g.constant(1)), to=FLOAT), g.constant(4.0, kind=FLOAT))
    columns = g.op("Mul", g.op("Cast", g.op("Range", g.constant(0), size_of(g, f, 3), g.constant(1)), to=FLOAT), g.constant(4.0, kind=FLOAT))
    counts = g.op("Concat", g.op("Shape", rows), g.op("Shape", columns), axis=0)
    ys = g.op("Reshape", g.op("Expand", g.op("Reshape", rows, g.constant([-1, 1])), counts), g.constant([-1]))
    xs = g.op("Reshape", g.op("Expand", g.op("Reshape", columns, g.constant([1, -1])), counts), g.constant([-1]))
    shifts = g.op("Concat", *[g.op("Unsqueeze", t, g.constant([1])) for t in (xs, ys, xs, ys)], axis=1)
    anchors = g.op("Add", g.op("Reshape", shifts, g.constant([-1, 1, 4])), g.op("Reshape", g.weights(3, 4, scale=6.0), g.constant([1, -1, 4])))
    anchors = g.op("Reshape", anchors, g.constant([-1, 4]))
    wide, high = [g.op("Sub", column(g, anchors, i + 2), column(g, anchors, i)) for i in (0, 1)]
    at = [g.op("Add", column(g, anchors, i), g.op("Mul", g.constant(0.5, kind=FLOAT), s)) for i, s in ((0, wide), (1, high))]
    d = [g.op("Slice", delta, g.constant([i]), g.constant([FAR]), g.constant([1]), g.constant([4])) for i in range(4)]
    d = [g.op("Div", t, g.constant(1.0, kind=FLOAT)) for t in d]
    center = [g.op("Add", g.op("Mul", t, g.op("Unsqueeze", s, g.constant([1]))), g.op("Unsqueeze", c, g.constant([1]))) for t, s, c in zip(d, (wide, high), at)]
    size = [g.op("Mul", g.op("Exp", g.op("Clip", t, None, g.constant(4.135, kind=FLOAT))), g.op("Unsqueeze", s, g.constant([1]))) for t, s in zip(d[2:], (wide, high))]
    half = [g.op("Mul", g.constant(0.5, kind=FLOAT), s) for s in size]
    corners = [g.op("Sub", center[0], half[0]), g.op("Sub", center[1], half[1]), g.op("Add", center[0], half[0]), g.op("Add", center[1], half[1])]
    boxes = g.op("Concat", *[g.op("Unsqueeze", c, g.constant([2])) for c in corners], axis=2)
    boxes = g.op("Reshape", boxes, g.constant([-1, 4]))
    count = g.op("Unsqueeze", g.op("Cast", g.op("Min", g.op("Cast", g.constant(20), to=INT64), size_of(g, score, 0)), to=INT64), g.constant([0]))
    best, where = g.op("TopK", score, count, axis=0, largest=1, sorted=1, results=2)
    boxes = g.op("Gather", boxes, where, axis=0)
    limits = [g.op("Cast", size_of(g, x, i), to=FLOAT) for i in (3, 2)]
    cut = [g.op("Slice", boxes, g.constant([i]), g.constant([FAR]), g.constant([1]), g.constant([2])) for i in (0, 1)]
    cut = [g.op("Min", g.op("Max", t, g.constant(0.0, kind=FLOAT)), limit) for t, limit in zip(cut, limits)]
    boxes = g.op("Concat", *[g.op("Unsqueeze", t, g.constant([2])) for t in cut], axis=2)
    boxes = g.op("Reshape", boxes, stack(g, size_of(g, where, 0), 4))
    kept = g.op("NonMaxSuppression", g.op("Unsqueeze", boxes, g.constant([0])), g.op("Unsqueeze", g.op("Unsqueeze", g.op("Sigmoid", best), g.constant([0])), g.constant([0])),
                g.constant([8]), g.constant([0.7], kind=FLOAT), g.constant([0.0], kind=FLOAT))
    kept = g.op("Squeeze", g.op("Slice", kept, g.constant([2]), g.constant([3]), g.constant([1])), g.constant([1]))
    boxes, best = g.op("Gather", boxes, kept, axis=0), g.op("Gather", best, kept, axis=0)
    image = g.op("Cast", g.op("Mul", best, g.constant(0.0, kind=FLOAT)), to=INT64)
    pooled = g.op("RoiAlign", f, boxes, image, output_height=3, output_width=3, sampling_ratio=2, spatial_scale=0.25)
    y = g.op("Relu", g.op("Gemm", g.op("Flatten", pooled, axis=1), g.weights(16, 72), g.weights(16), transB=1))
    g.output(g.op("Softmax", g.op("Gemm", y, g.weights(4, 16), g.weights(4), transB=1), axis=-1, names=["classes"]), ["kept", 4])
    g.output(g.op("Identity", boxes, names=["boxes"]), ["kept", 4])
    return model(g, 13)


def qdq_mobilenet():
    """Quantised by pairs around every op: depthwise convolutions, Clip, a residual, Concat, a pool, a classifier."""
    g = Graph("qdq_mobilenet")
    x = g.input("image", ["N", 3, 16, 16])

    def both(v, scale, zero=0, kind=INT8):
        at = g.initializer([scale], [], FLOAT), g.initializer([zero], [], kind)
        return g.op("DequantizeLinear", g.op("QuantizeLinear", v, *at), *at)

    def qconv(v, n, m, size, groups=1, stride=1):
        w = g.initializer([g.random.randrange(-100, 100) for _ in range(m * n // groups * size * size)], [m, n // groups, size, size], INT8)
        w = g.op("DequantizeLinear", w, g.weights(m, above=0.01), g.initializer([0] * m, [m], INT8), axis=0)
        b = g.op("DequantizeLinear", g.initializer([g.random.randrange(-100, 100) for _ in range(m)], [m], 6), g.initializer([0.001], [], FLOAT), g.initializer([0], [], 6))
        return g.op("Conv", v, w, b, kernel_shape=[size, size], pads=[size // 2] * 4, strides=[stride, stride], group=groups, dilations=[1, 1])

    def relu6(v):
        return g.op("Clip", v, g.constant(0.0, kind=FLOAT), g.constant(6.0, kind=FLOAT))

    x = both(g.op("Mul", x, g.constant(1.0, kind=FLOAT)), 0.02)
    x = both(relu6(qconv(x, 3, 8, 3, stride=2)), 0.0235, 0, UINT8)
    for _ in range(2):
        y = both(relu6(qconv(x, 8, 16, 1)), 0.0235, 0, UINT8)
        y = both(relu6(qconv(y, 16, 16, 3, groups=16)), 0.0235, 0, UINT8)
        y = both(qconv(y, 16, 8, 1), 0.1)
        x = both(g.op("Add", x, y), 0.1)
    a, b = both(g.op("Relu", qconv(x, 8, 4, 1)), 0.05, 0, UINT8), both(g.op("Relu", qconv(x, 8, 4, 3)), 0.05, 0, UINT8)
    x = both(g.op("Concat", a, b, axis=1), 0.05, 0, UINT8)
    x = both(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0]), 0.05, 0, UINT8)
    x = both(g.op("GlobalAveragePool", x), 0.05, 0, UINT8)
    x = g.op("Reshape", x, stack(g, size_of(g, x, 0), -1))
    w = g.initializer([g.random.randrange(-100, 100) for _ in range(80)], [10, 8], INT8)
    w = g.op("Transpose", g.op("DequantizeLinear", w, g.initializer([0.01], [], FLOAT), g.initializer([0], [], INT8)), perm=[1, 0])
    x = both(g.op("Add", g.op("MatMul", both(x, 0.05, 0, UINT8), w), g.weights(10)), 0.1)
    g.output(g.op("Identity", x, names=["logits"]), ["N", 10])
    return model(g, 13)


def speech_decoder():
    """A decoder with a cache whose first step has none: If around keys and values, causal mask, cross attention, tied embeddings."""
    g = Graph("speech_decoder")
    ids, memory = g.input("ids", ["batch", "length"], INT64), g.input("memory", ["batch", "frames", 16])
    cached = g.input("use_cache", [1], BOOL)
    past_k, past_v = g.input("past_key", ["batch", 2, "frames", 8]), g.input("past_value", ["batch", 2, "frames", 8])
    table = g.weights(40, 16)
    flat = g.op("Reshape", ids, g.op("Concat", g.constant([-1]), g.op("Unsqueeze", size_of(g, ids, 1), g.constant([0])), axis=0))
    length = g.op("Gather", g.op("Shape", flat), g.constant(1), axis=0)
    place = g.op("Gather", g.weights(16, 16), g.op("Add", g.op("Range", g.constant(0), length, g.constant(1)), g.constant(0)))
    x = g.op("Add", g.op("Gather", table, flat), place)
    steps = g.op("Range", g.constant(0), length, g.constant(1))
    later = g.op("Less", g.op("Reshape", g.op("Add", steps, g.constant(1)), stack(g, length, 1)), g.op("Unsqueeze", g.op("Add", steps, g.constant(1)), g.constant([0])))
    mask = g.op("Where", later, g.constant(-1e9, kind=FLOAT), g.constant(0.0, kind=FLOAT))
    mask = g.op("Unsqueeze", g.op("Unsqueeze", mask, g.constant([0])), g.constant([1]))
    mask = g.op("Expand", mask, stack(g, size_of(g, ids, 0), 1, length, length))
    x = g.op("Add", x, attention(g, layer_norm(g, x, 16), 16, 2, mask))

    def heads(graph, t, w):
        y = graph.op("MatMul", t, w)
        b = graph.op("Gather", graph.op("Shape", t), graph.constant(0), axis=0)
        shape = graph.op("Concat", *[graph.op("Unsqueeze", p if isinstance(p, str) else graph.constant(p), graph.constant([0])) for p in (b, -1, 2, 8)], axis=0)
        return graph.op("Transpose", graph.op("Reshape", y, shape), perm=[0, 2, 1, 3])

    wk, wv = g.weights(16, 16), g.weights(16, 16)
    then, other = Graph("with_cache", g), Graph("without_cache", g)
    for name, past in (("k", past_k), ("v", past_v)):
        then.output(then.op("Identity", past), ["batch", 2, "frames", 8])
    for w in (wk, wv):
        other.output(heads(other, memory, w), ["batch", 2, "frames", 8])
    k, v = g.op("If", cached, then_branch=then, else_branch=other, results=2)
    q = heads(g, layer_norm(g, x, 16), g.weights(16, 16))
    scores = g.op("MatMul", g.op("Mul", q, g.constant(8 ** -0.5, kind=FLOAT)), g.op("Transpose", k, perm=[0, 1, 3, 2]))
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), stack(g, size_of(g, x, 0), size_of(g, x, 1), 16))
    x = g.op("Add", x, linear(g, y, 16, 16))
    x = g.op("Add", x, linear(g, gelu(g, linear(g, layer_norm(g, x, 16), 16, 32)), 32, 16))
    g.output(g.op("MatMul", layer_norm(g, x, 16), g.op("Transpose", table, perm=[1, 0]), names=["logits"]), ["batch", "length", 40])
    g.output(g.op("Identity", k, names=["present_key"]), ["batch", 2, "frames", 8])
    g.output(g.op("Identity", v, names=["present_value"]), ["batch", 2, "frames", 8])
    return model(g, 14)


def vocoder():
    """Transposed convolutions along time with weights that are normed in the model, dilated residuals, leaky units, tails cut off."""
    g = Graph("vocoder")
    x = g.input("mel", ["batch", 8, "frames"])

    def weights(m, n, size):
        v = g.weights(m, n, size)
        length = g.op("ReduceL2", v, axes=[1, 2], keepdims=1)
        return g.op("Mul", g.op("Div", v, length), g.weights(m, 1, 1, above=0.5))

    def along(v, n, m, size, dilation=1, groups=1):
        return g.op("Conv", v, weights(m, n // groups, size), g.weights(m), kernel_shape=[size], dilations=[dilation], group=groups, pads=[dilation * (size // 2)] * 2, strides=[1])

    x = along(x, 8, 16, 7)
    for n, m, rate in [(16, 8, 4), (8, 4, 2)]:
        x = g.op("LeakyRelu", x, alpha=0.1)
        x = g.op("ConvTranspose", x, weights(n, m, rate * 2), g.weights(m), kernel_shape=[rate * 2], strides=[rate], pads=[rate // 2, rate // 2], dilations=[1], group=1)
        total = None
        for size in (3, 5):
            y = x
            for dilation in (1, 3):
                z = along(g.op("LeakyRelu", y, alpha=0.1), m, m, size, dilation)
                z = along(g.op("LeakyRelu", z, alpha=0.1), m, m, size)
                y = g.op("Add", z, y)
            total = g.op("Add", total, y) if total else y
        x = g.op("Div", total, g.constant(2.0, kind=FLOAT))
    x = along(g.op("LeakyRelu", x, alpha=0.01), 4, 1, 7)
    g.output(g.op("Tanh", x, names=["wave"]), ["batch", 1, "samples"])
    return model(g, 13)


def mask_decoder():
    """Prompts against an image: layer norms along channels, upscaling by transposed convolutions, masks as products with what tokens say."""
    g = Graph("mask_decoder")
    image, points = g.input("image", [1, 16, 8, 8]), g.input("points", ["batch", "count", 2])

    def norm_channels(t, n):
        mean = g.op("ReduceMean", t, axes=[1], keepdims=1)
        d = g.op("Sub", t, mean)
        var = g.op("ReduceMean", g.op("Pow", d, g.constant(2.0, kind=FLOAT)), axes=[1], keepdims=1)
        y = g.op("Div", d, g.op("Sqrt", g.op("Add", var, g.constant(1e-6, kind=FLOAT))))
        scale, bias = [g.op("Unsqueeze", g.op("Unsqueeze", w, g.constant([1])), g.constant([2])) for w in (g.weights(n, above=0.5), g.weights(n))]
        return g.op("Add", g.op("Mul", scale, y), bias)

    p = g.op("Sub", g.op("Mul", g.op("Div", points, g.constant(64.0, kind=FLOAT)), g.constant(2.0, kind=FLOAT)), g.constant(1.0, kind=FLOAT))
    p = g.op("Mul", g.op("MatMul", p, g.weights(2, 8)), g.constant(6.2831855, kind=FLOAT))
    p = g.op("Concat", g.op("Sin", p), g.op("Cos", p), axis=-1)
    tokens = g.op("Unsqueeze", g.op("Concat", g.weights(1, 16), g.weights(3, 16), axis=0), g.constant([0]))
    shape = stack(g, size_of(g, points, 0), -1, -1)
    ones = g.op("ConstantOfShape", g.op("Shape", shape), value=tensor("", INT64, [1], [1]))
    shape = g.op("Where", g.op("Equal", shape, g.op("Mul", ones, g.constant(-1))), ones, shape)
    x = g.op("Concat", g.op("Expand", tokens, shape), p, axis=1)
    f = g.op("Tile", norm_channels(conv(g, image, 16, 16, 1), 16), g.op("Reshape", stack(g, size_of(g, x, 0), 1, 1, 1), g.constant([-1])))
    b, c, h, w = [size_of(g, f, i) for i in range(4)]
    seq = g.op("Transpose", g.op("Reshape", f, stack(g, b, c, -1)), perm=[0, 2, 1])
    for _ in range(2):
        def cross(q, kv):
            q = linear(g, q, 16, 16)
            k, v = linear(g, kv, 16, 16), linear(g, kv, 16, 16)
            q, k, v = [g.op("Transpose", g.op("Reshape", t, stack(g, size_of(g, t, 0), size_of(g, t, 1), 2, 8)), perm=[0, 2, 1, 3]) for t in (q, k, v)]
            scores = g.op("Div", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.constant(8 ** 0.5, kind=FLOAT))
            y = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=3), v), perm=[0, 2, 1, 3])
            return linear(g, g.op("Reshape", y, stack(g, size_of(g, y, 0), size_of(g, y, 1), 16)), 16, 16)
        x = layer_norm(g, g.op("Add", x, cross(x, seq)), 16)
        x = layer_norm(g, g.op("Add", x, linear(g, g.op("Relu", linear(g, x, 16, 32)), 32, 16)), 16)
        seq = layer_norm(g, g.op("Add", seq, cross(seq, x)), 16)
    f = g.op("Reshape", g.op("Transpose", seq, perm=[0, 2, 1]), stack(g, b, c, h, w))
    up = g.op("ConvTranspose", f, g.weights(16, 8, 2, 2), g.weights(8), kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], group=1)
    up = gelu(g, norm_channels(up, 8))
    up = gelu(g, g.op("ConvTranspose", up, g.weights(8, 4, 2, 2), g.weights(4), kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], group=1))
    says = []
    for i in range(3):
        t = g.op("Gather", g.op("Slice", x, g.constant([1]), g.constant([4]), g.constant([1]), g.constant([1])), g.constant(i), axis=1)
        t = g.op("Relu", g.op("Gemm", t, g.weights(16, 16), g.weights(16), transB=1))
        says.append(g.op("Unsqueeze", g.op("Gemm", t, g.weights(4, 16), g.weights(4), transB=1), g.constant([1])))
    says = g.op("Concat", *says, axis=1)
    b, c, h, w = [size_of(g, up, i) for i in range(4)]
    masks = g.op("MatMul", says, g.op("Reshape", up, stack(g, b, c, g.op("Mul", h, w))))
    masks = g.op("Reshape", masks, stack(g, b, -1, h, w))
    g.output(g.op("Identity", masks, names=["masks"]), ["batch", 3, 32, 32])
    score = g.op("Gather", x, g.constant(0), axis=1)
    g.output(g.op("Gemm", score, g.weights(3, 16), g.weights(3), transB=1, names=["quality"]), ["batch", 3])
    return model(g, 13)


def wide():
    """Weights of megabytes that batch norms and factors go into."""
    g = Graph("wide")
    x = g.input("image", ["N", 256, 4, 4])
    y = g.op("Relu", batch_norm(g, conv(g, x, 256, 256, 3), 256))
    y = g.op("Flatten", g.op("GlobalAveragePool", y), axis=1)
    y = g.op("Mul", linear(g, y, 256, 1200), g.constant(0.125, kind=FLOAT))
    g.output(g.op("Tanh", y, names=["features"]), ["N", 1200])
    return model(g, 13)


FAMILIES = [wide, mask_head, qdq_mobilenet, speech_decoder, vocoder, mask_decoder]
