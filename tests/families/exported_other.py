"""Further families of other kinds, as exporters write them; see families.py."""
from blocks import (attention, conv, cut, dense_last, first, gelu, last,
                    layer_norm, linear, of_value, real, size_of, stack, swish, unsqueezed)
from onnx_writer import BOOL, FLOAT, INT32, INT64, INT8, Graph, data, model, number

FAR = 9223372036854775807


def lstm_states():
    """States of zeros for a batch of any size, piece by layer, the last ones joined."""
    g = Graph("lstm_states")
    x = g.input("x", ["batch", "time", 6])
    b = size_of(g, x, 0)
    h = g.op("ConstantOfShape", stack(g, 2, b, 8), value=of_value(0.0))
    c = g.op("ConstantOfShape", stack(g, 2, b, 8), value=of_value(0.0))
    y = g.op("Transpose", x, perm=[1, 0, 2])
    outs = []
    for l in range(2):
        n = 6 if l == 0 else 8
        h0, c0 = cut(g, h, l, l + 1, 0), cut(g, c, l, l + 1, 0)
        y, hn, cn = g.op("LSTM", y, g.weights(1, 32, n), g.weights(1, 32, 8), g.weights(1, 64), None, h0, c0, hidden_size=8, results=3)
        y = g.op("Squeeze", y, g.constant([1]))
        outs.append((hn, cn))
    hh = g.op("Concat", outs[0][0], outs[1][0], axis=0)
    cc = g.op("Concat", outs[0][1], outs[1][1], axis=0)
    y = g.op("Transpose", y, perm=[1, 0, 2])
    last = g.op("Gather", y, g.constant(-1), axis=1)
    g.output(linear(g, last, 8, 3), ["batch", 3])
    g.output(g.op("Identity", hh, names=["hn"]), [2, "batch", 8])
    g.output(g.op("Identity", cc, names=["cn"]), [2, "batch", 8])
    return model(g, 14)


def gru_states():
    """Both directions, states of zeros whose number is computed, the last layer picked from a Reshape."""
    g = Graph("gru_states")
    x = g.input("x", ["time", "batch", 6])
    b = size_of(g, x, 1)
    dt = g.op("ConstantOfShape", g.op("Concat", unsqueezed(g, g.op("Mul", g.constant(2), g.constant(2)), 0), unsqueezed(g, b, 0),
            g.constant([5]), axis=0), value=of_value(0.0))
    y = x
    hs = []
    for l in range(2):
        n = 6 if l == 0 else 10
        s = cut(g, dt, 2 * l, 2 * l + 2, 0)
        y, h = g.op("GRU", y, g.weights(2, 15, n), g.weights(2, 15, 5), g.weights(2, 30), None, s, hidden_size=5,
                direction="bidirectional", linear_before_reset=1, results=2)
        y = g.op("Transpose", y, perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, g.constant([0, 0, -1]))
        hs.append(h)
    h = g.op("Concat", *hs, axis=0)
    v = g.op("Reshape", h, stack(g, 2, 2, b, 5))
    top = g.op("Gather", v, g.constant(-1), axis=0)
    f, r = g.op("Gather", top, g.constant(0), axis=0), g.op("Gather", top, g.constant(1), axis=0)
    g.output(linear(g, g.op("Concat", f, r, axis=1), 10, 4), ["batch", 4])
    g.output(y, ["time", "batch", 10])
    return model(g, 13)


def wav2vec():
    """A group norm by InstanceNormalization, weights divided by their norm, an even convolution with its last step piece off."""
    g = Graph("wav2vec")
    x = g.input("input_values", ["batch", 64])
    y = unsqueezed(g, x, 1)
    y = g.op("Conv", y, g.weights(8, 1, 4), kernel_shape=[4], strides=[2], pads=[0, 0], dilations=[1], group=1)
    z = g.op("Reshape", y, g.constant([0, 8, -1]))
    z = g.op("InstanceNormalization", z, g.initializer([1.0] * 8, [8], FLOAT), g.initializer([0.0] * 8, [8], FLOAT), epsilon=1e-5)
    z = g.op("Reshape", z, g.op("Shape", y))
    z = g.op("Add", g.op("Mul", z, unsqueezed(g, g.weights(8), 1)), unsqueezed(g, g.weights(8), 1))
    y = gelu(g, z)
    y = gelu(g, g.op("Conv", y, g.weights(8, 8, 3), kernel_shape=[3], strides=[2], pads=[0, 0], dilations=[1], group=1))
    y = g.op("Transpose", y, perm=[0, 2, 1])
    y = linear(g, layer_norm(g, y, 8), 8, 16)
    p = g.op("Transpose", y, perm=[0, 2, 1])
    v, length = g.weights(16, 4, 4), g.weights(1, 1, 4, above=0.5)
    w = g.op("Mul", v, g.op("Div", length, g.op("ReduceL2", v, axes=[0, 1], keepdims=1)))
    p = g.op("Conv", p, w, g.weights(16), kernel_shape=[4], pads=[2, 2], strides=[1], dilations=[1], group=4)
    p = gelu(g, cut(g, p, 0, -1, 2))
    y = layer_norm(g, g.op("Add", y, g.op("Transpose", p, perm=[0, 2, 1])), 16)
    b, t = size_of(g, y, 0), size_of(g, y, 1)
    q = g.op("Mul", linear(g, y, 16, 16), real(g, 8 ** -0.5))
    k, v = [g.op("Transpose", g.op("Reshape", linear(g, y, 16, 16), stack(g, b, -1, 2, 8)), perm=[0, 2, 1, 3]) for _ in range(2)]
    q = g.op("Transpose", g.op("Reshape", q, stack(g, b, t, 2, 8)), perm=[0, 2, 1, 3])
    pr = stack(g, g.op("Mul", b, g.constant(2)), -1, 8)
    q, k, v = [g.op("Reshape", u, pr) for u in (q, k, v)]
    a = g.op("MatMul", g.op("Softmax", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1])), axis=-1), v)
    a = g.op("Transpose", g.op("Reshape", a, stack(g, b, 2, t, 8)), perm=[0, 2, 1, 3])
    y = layer_norm(g, g.op("Add", y, linear(g, g.op("Reshape", a, stack(g, b, t, 16)), 16, 16)), 16)
    g.output(linear(g, y, 16, 12), ["batch", "frames", 12])
    return model(g, 14)


def text_attention_last():
    """A convolution and a pool along time written for pictures, attention that sums up, means over a mask; channels last."""
    g = Graph("text_attention_last")
    ids = g.input("ids", ["n", 12], INT32)
    emb = g.op("Gather", g.weights(20, 8), g.op("Cast", ids, to=INT64))
    mask = g.op("Not", g.op("Equal", ids, g.initializer([0], [], INT32)))
    m = unsqueezed(g, g.op("Cast", mask, to=FLOAT), 2)
    y = g.op("Mul", emb, m)
    # a convolution along time as one over a picture
    z = unsqueezed(g, y, 1)
    z = g.op("Conv", g.op("Transpose", z, perm=[0, 3, 1, 2]), g.weights(6, 8, 1, 3), kernel_shape=[1, 3], auto_pad="SAME_UPPER",
            strides=[1, 1], dilations=[1, 1], group=1)
    z = g.op("Squeeze", g.op("Transpose", z, perm=[0, 2, 3, 1]), g.constant([1]))
    z = g.op("Relu", g.op("Add", z, g.weights(6)))
    p = unsqueezed(g, z, 2)
    p = last(g, g.op("MaxPool", first(g, p), kernel_shape=[2, 1], strides=[2, 1], auto_pad="VALID"))
    p = g.op("Squeeze", p, g.constant([2]))
    att = g.op("Softmax", g.op("Squeeze", dense_last(g, g.op("Tanh", dense_last(g, p, 6, 6)), 6, 1), g.constant([2])), axis=1)
    ctx = g.op("ReduceSum", g.op("Mul", p, unsqueezed(g, att, 2)), g.constant([1]), keepdims=0)
    mean = g.op("Div", g.op("ReduceSum", y, g.constant([1]), keepdims=0), g.op("Max", g.op("ReduceSum", m, g.constant([1]), keepdims=0),
            real(g, 1.0)))
    both = g.op("Concat", ctx, mean, axis=1)
    s = g.op("Cast", g.op("Shape", both), to=INT32)
    b = g.op("Slice", s, g.constant([0]), g.constant([1]), g.constant([0]))
    both = g.op("Reshape", both, g.op("Cast", g.op("Concat", b, g.initializer([14], [1], INT32), axis=0), to=INT64))
    g.output(g.op("Sigmoid", dense_last(g, both, 14, 1)), ["n", 1])
    return model(g, 13)


def attention_loop():
    """A Loop that decodes: constants, transposed weights and sizes in its body, its end a comparison with a computed limit."""
    g = Graph("attention_loop")
    x, memory = g.input("start", ["batch", 1], INT64), g.input("memory", ["batch", "frames", 8])
    b = size_of(g, memory, 0)
    h0 = g.op("Expand", real(g, [[0.0]][0]), stack(g, b, 8))
    emb, w = g.weights(20, 8), g.weights(8, 8)
    body = Graph("body", g)
    i, go, tok, h = body.input("i", [], INT64), body.input("go", [], BOOL), body.input("tok", ["batch", 1], INT64), body.input("h", ["batch", 8])
    e = body.op("Squeeze", body.op("Gather", emb, tok), body.constant([1]))
    wt = body.op("Transpose", w, perm=[1, 0])
    hh = body.op("Tanh", body.op("Add", body.op("MatMul", e, wt), body.op("MatMul", h, body.op("Transpose", g.weights(8, 8), perm=[1, 0]))))
    q = unsqueezed(body, hh, 1)
    mt = body.op("Transpose", memory, perm=[0, 2, 1])
    sc = body.op("MatMul", q, mt)
    sc = body.op("Div", sc, body.op("Sqrt", body.op("Cast", body.constant(8), to=FLOAT)))
    ctx = body.op("Squeeze", body.op("MatMul", body.op("Softmax", sc, axis=-1), memory), body.constant([1]))
    lg = body.op("Add", body.op("MatMul", body.op("Concat", hh, ctx, axis=-1), g.weights(16, 20)), g.weights(20))
    nxt = unsqueezed(body, body.op("ArgMax", lg, axis=-1, keepdims=0), 1)
    nxt = body.op("Reshape", nxt, stack(body, size_of(body, nxt, 0), size_of(body, nxt, 1)))
    limit = body.op("Sub", body.op("Add", body.constant(4), body.constant(2)), body.constant(1))
    more = body.op("Less", body.op("Add", i, body.constant(1)), limit)
    body.output(body.op("And", more, body.constant(1, kind=BOOL)), [], BOOL)
    body.output(nxt, ["batch", 1], INT64)
    body.output(hh, ["batch", 8])
    body.output(lg, ["batch", 20])
    t, h, all_ = g.op("Loop", g.constant(FAR), g.op("Cast", g.constant(1), to=BOOL), x, h0, body=body, results=3)
    g.output(t, ["batch", 1], INT64)
    g.output(g.op("Transpose", all_, perm=[1, 0, 2]), ["batch", "steps", 20])
    return model(g, 14)


def nested_if():
    """Squeeze of a dimension behind If, as tracing exporters write it, in branches of others."""
    g = Graph("nested_if")
    x, flag = g.input("x", ["N", 1, 4]), g.input("flag", [], BOOL)

    def squeeze_if(gr, v, axis, before, after):
        """One dimension left out if it is 1."""
        size = gr.op("Gather", gr.op("Shape", v), gr.constant([axis]), axis=0)
        cond = gr.op("Equal", size, gr.constant([1]))
        t, e = Graph("t" + gr.fresh("g"), gr), Graph("e" + gr.fresh("g"), gr)
        t.output(t.op("Squeeze", v, t.constant([axis])), after)
        e.output(e.op("Identity", v), before)
        return gr.op("If", cond, then_branch=t, else_branch=e)

    t, e = Graph("then", g), Graph("else", g)
    tt, te = Graph("tt", t), Graph("te", t)
    tt.output(tt.op("Relu", squeeze_if(tt, x, 1, ["N", 1, 4], ["N", 4])), ["N", 4])
    te.output(te.op("Squeeze", te.op("Neg", x), te.constant([1])), ["N", 4])
    inner = t.op("If", t.op("Not", t.constant(0, kind=BOOL)), then_branch=tt, else_branch=te)
    t.output(t.op("Mul", inner, t.op("Cast", size_of(t, x, 1), to=FLOAT)), ["N", 4])
    eo = e.op("Reshape", x, e.op("Concat", unsqueezed(e, size_of(e, x, 0), 0), e.constant([4]), axis=0))
    e.output(e.op("Add", e.op("Identity", eo), e.op("Sub", real(e, 1.0), real(e, 0.5))), ["N", 4])
    y = g.op("If", flag, then_branch=t, else_branch=e)
    y = squeeze_if(g, g.op("Unsqueeze", y, g.constant([2])), 2, ["N", 4, 1], ["N", 4])
    g.output(g.op("Identity", y, names=["y"]), ["N", 4])
    return model(g, 13)


def sequences():
    """Parts as a sequence, taken by number, inserted into others and joined."""
    g = Graph("sequences")
    x = g.input("x", ["batch", 12, 4])
    s = g.op("SplitToSequence", x, g.constant([4, 4, 4]), axis=1)
    parts = [g.op("SequenceAt", s, g.constant(i)) for i in range(3)]
    y = g.op("Concat", g.op("Relu", parts[0]), g.op("Neg", parts[1]), parts[2], axis=-1)
    e = g.op("SequenceEmpty", dtype=FLOAT)
    for i in range(3):
        e = g.op("SequenceInsert", e, g.op("Mul", parts[i], real(g, float(i + 1))))
    z = g.op("ConcatFromSequence", e, axis=1)
    st = g.op("SequenceConstruct", *[g.op("Gather", x, g.constant(i), axis=1) for i in range(3)])
    w = g.op("ConcatFromSequence", st, axis=1, new_axis=1)
    n = g.op("SequenceLength", s)
    g.output(y, ["batch", 4, 12])
    g.output(z, ["batch", 12, 4])
    g.output(w, ["batch", 3, 4])
    g.output(n, [], INT64)
    g.output(g.op("Add", parts[0], g.op("Cast", n, to=FLOAT)), ["batch", 4, 4])
    return model(g, 13)


def upsampler_set9():
    """Operator set 9: pads, limits, slices and splits as attributes, Upsample by quotients of sizes."""
    g = Graph("upsampler_set9")
    g.newest = 0  # newer sets have other forms of these ops
    x = g.input("x", ["batch", 3, 16, 16])
    y = g.op("Pad", x, mode="reflect", pads=[0, 0, 1, 1, 0, 0, 1, 1])
    y = g.op("Conv", y, g.weights(8, 3, 3, 3), g.weights(8), kernel_shape=[3, 3], strides=[2, 2], pads=[0] * 4, dilations=[1, 1], group=1)
    y = g.op("InstanceNormalization", y, g.weights(8, above=0.5), g.weights(8), epsilon=1e-5)
    y = g.op("PRelu", y, g.weights(8, 1, 1))
    y = g.op("Pad", y, mode="constant", value=0.0, pads=[0, 0, 1, 1, 0, 0, 1, 1])
    y = g.op("Conv", y, g.weights(8, 8, 3, 3), g.weights(8), kernel_shape=[3, 3], strides=[1, 1], pads=[0] * 4, dilations=[1, 1], group=1)
    y = g.op("Clip", y, min=0.0, max=6.0)
    h = g.op("Floor", g.op("Mul", g.op("Cast", size_of(g, y, 2), to=FLOAT), real(g, 2.0)))
    w = g.op("Floor", g.op("Mul", g.op("Cast", size_of(g, y, 3), to=FLOAT), real(g, 2.0)))
    hw = g.op("Concat", g.op("Unsqueeze", h, axes=[0]), g.op("Unsqueeze", w, axes=[0]), axis=0)
    sh = g.op("Cast", g.op("Slice", g.op("Shape", y), starts=[2], ends=[4], axes=[0]), to=FLOAT)
    scale = g.op("Concat", real(g, [1.0, 1.0]), g.op("Div", g.op("Cast", g.op("Cast", hw, to=INT64), to=FLOAT), sh), axis=0)
    y = g.op("Upsample", y, scale, mode="nearest")
    y = g.op("Slice", y, axes=[2, 3], starts=[1, 1], ends=[15, 15])
    y = g.op("Slice", y, axes=[1], starts=[0], ends=[FAR])
    a, b = g.op("Split", y, axis=1, split=[4, 4], results=2)
    y = g.op("Mul", a, g.op("Sigmoid", b))
    y = g.op("ReduceMean", y, axes=[2, 3], keepdims=0)
    y = g.op("Unsqueeze", g.op("Unsqueeze", y, axes=[2]), axes=[3])
    y = g.op("Squeeze", g.op("Squeeze", y, axes=[3]), axes=[2])
    y = g.op("Dropout", y, ratio=0.3)
    y = g.op("Reshape", y, g.op("Concat", g.op("Unsqueeze", size_of(g, y, 0), axes=[0]), g.op("Unsqueeze", g.constant(-1), axes=[0]), axis=0))
    g.output(g.op("Gemm", y, g.weights(5, 4), g.weights(5), transB=1, alpha=1.0, beta=1.0), ["batch", 5])
    return model(g, 9)


def scikit_learn():
    """A scaler, principal components and a perceptron; distances to means; labels picked by ArgMax."""
    g = Graph("scikit_learn")
    x = g.input("X", ["n", 6])
    xs = g.op("Div", g.op("Sub", x, g.weights(6)), g.weights(6, above=0.5))
    pca = g.op("MatMul", g.op("Sub", xs, g.weights(1, 6)), g.weights(6, 4))
    h = g.op("Relu", g.op("Add", g.op("MatMul", g.op("Cast", pca, to=FLOAT), g.weights(4, 8)), g.weights(1, 8)))
    o = g.op("Add", g.op("MatMul", h, g.weights(8, 3)), g.weights(1, 3))
    p = g.op("Softmax", g.op("Identity", o), axis=1)
    lab = g.op("ArgMax", p, axis=1, keepdims=1)
    cls = g.op("Gather", g.initializer([10, 20, 30], [3]), g.op("Reshape", lab, g.constant([-1])), axis=0)
    cls = g.op("Reshape", g.op("Cast", cls, to=INT64), g.constant([-1]))
    g.output(g.op("Cast", cls, to=INT64, names=["output_label"]), ["n"], INT64)
    g.output(g.op("Identity", p, names=["probabilities"]), ["n", 3])
    # k-means
    x2 = g.op("ReduceSumSquare", x, axes=[1], keepdims=1)
    c = g.weights(5, 6)
    c2 = g.op("ReduceSumSquare", c, axes=[1], keepdims=0)
    d = g.op("Add", g.op("Gemm", x, c, x2, alpha=-2.0, beta=1.0, transB=1), c2)
    d = g.op("Sqrt", g.op("Max", d, g.initializer([0.0], [1], FLOAT)))
    g.output(g.op("ArgMin", d, axis=1, keepdims=0), ["n"], INT64)
    g.output(d, ["n", 5])
    return model(g, 12)


def constants_again():
    """Chains of Identity, weights that are in the model several times, results that are inputs or constants."""
    g = Graph("constants_again")
    x = g.input("x", ["n", 8])
    w = [0.1 * (i % 7) - 0.3 for i in range(64)]
    y = x
    for _ in range(3):
        a = g.op("Identity", g.op("Identity", g.initializer(w, [8, 8], FLOAT)))
        b = g.op("Identity", g.constant([0.1] * 8, kind=FLOAT))
        y = g.op("Identity", g.op("Add", g.op("MatMul", g.op("Identity", y), a), b))
        y = g.op("Add", g.op("Relu", y), g.op("Relu", g.op("Identity", y)))
        y = g.op("Mul", y, g.op("Identity", g.initializer([1.0], [1], FLOAT)))
    z = g.op("Reshape", g.op("Reshape", y, g.constant([-1, 2, 4])), g.constant([-1, 8]))
    t = g.op("Transpose", g.op("Transpose", z, perm=[1, 0]), perm=[1, 0])
    g.output(g.op("Identity", g.op("Cast", t, to=FLOAT), names=["y"]), ["n", 8])
    g.output(g.op("Identity", x, names=["copy"]), ["n", 8])
    g.output(g.op("Identity", g.initializer([1.0, 2.0], [2], FLOAT), names=["fixed"]), [2])
    return model(g, 13)


def computed_fill():
    """ConstantOfShape, OneHot, EyeLike and Tile by shapes that are computed from constants or from inputs."""
    g = Graph("computed_fill")
    x = g.input("x", ["n", 4])
    s = g.op("Concat", g.op("Mul", g.constant([2]), g.constant([3])), g.op("Add", g.constant([1]), g.constant([3])), axis=0)
    a = g.op("ConstantOfShape", s, value=of_value(0.5))
    n = g.op("ReduceProd", g.op("Cast", s, to=FLOAT), keepdims=0)
    y = g.op("Add", g.op("MatMul", x, g.op("Transpose", a, perm=[1, 0])), n)
    b = g.op("ConstantOfShape", g.op("Shape", x), value=of_value(1.0))
    y = g.op("Concat", y, g.op("Mul", b, x), axis=1)
    c = g.op("ConstantOfShape", g.op("Shape", y), value=of_value(0, INT64))
    d = g.op("Add", c, g.op("Range", g.constant(0), size_of(g, y, 1), g.constant(1)))
    oh = g.op("OneHot", g.constant([0, 2, 3]), g.constant(4), real(g, [0.0, 1.0]), axis=-1)
    z = g.op("MatMul", x, g.op("Transpose", oh, perm=[1, 0]))
    e = g.op("EyeLike", g.op("ConstantOfShape", g.constant([4, 4]), value=of_value(0.0)))
    z2 = g.op("MatMul", x, e)
    tl = g.op("Tile", g.weights(1, 4), stack(g, size_of(g, x, 0), 1))
    g.output(y, ["n", 10])
    g.output(d, ["n", 10], INT64)
    g.output(z, ["n", 3])
    g.output(z2, ["n", 4])
    g.output(g.op("Add", x, tl), ["n", 4])
    return model(g, 13)


def newest_ops():
    """Operator set 21: GroupNormalization, Gelu, LayerNormalization, blocks of quantised weights, Shape from one axis to another."""
    g = Graph("newest_ops")
    x = g.input("x", ["b", 16, "H", "W"])
    y = g.op("GroupNormalization", x, g.weights(16, above=0.5), g.weights(16), num_groups=4, epsilon=1e-5)
    y = g.op("Gelu", conv(g, y, 16, 16, 3, bias=True), approximate="tanh")
    b, hw = g.op("Shape", y, start=0, end=1), g.op("Shape", y, start=2)
    t = g.op("Transpose", g.op("Reshape", y, g.op("Concat", b, g.constant([16]), g.constant([-1]), axis=0), allowzero=1), perm=[0, 2, 1])
    t = g.op("LayerNormalization", t, g.weights(16, above=0.5), g.weights(16), axis=-1, epsilon=1e-5)
    q = g.op("Gemm", g.op("Reshape", t, g.constant([-1, 16])), g.weights(48, 16), g.weights(48), transB=1)
    q = g.op("Reshape", q, g.op("Concat", b, g.constant([-1, 48]), axis=0), allowzero=1)
    a, c, d = g.op("Split", q, axis=2, num_outputs=3, results=3)
    hd = g.op("Concat", b, g.constant([-1]), g.constant([2]), g.constant([8]), axis=0)
    a, c, d = [g.op("Transpose", g.op("Reshape", v, hd), perm=[0, 2, 1, 3]) for v in (a, c, d)]
    sc = g.op("Sqrt", g.op("Cast", g.op("Squeeze", g.op("Shape", a, start=-1)), to=FLOAT))
    w = g.op("Softmax", g.op("Div", g.op("MatMul", a, g.op("Transpose", c, perm=[0, 1, 3, 2])), sc), axis=-1)
    z = g.op("Reshape", g.op("Transpose", g.op("MatMul", w, d), perm=[0, 2, 1, 3]), g.op("Concat", b, g.constant([-1, 16]), axis=0))
    z = g.op("Transpose", g.op("Add", t, z), perm=[0, 2, 1])
    z = g.op("Reshape", z, g.op("Concat", b, g.constant([16]), hw, axis=0))
    z = g.op("ReduceMean", z, g.constant([2, 3]), keepdims=0)
    z = g.op("Dropout", z, real(g, 0.1), g.constant(0, kind=BOOL))
    wq = g.initializer([g.random.randrange(-100, 100) for _ in range(80)], [16, 5], INT8)
    wq = g.op("DequantizeLinear", wq, g.weights(4, 5, above=0.01), None, axis=0, block_size=4)
    g.output(g.op("Add", g.op("MatMul", z, wq), g.weights(5)), ["b", 5])
    return model(g, 21)


def speech_durations():
    """Phones repeated as long as they last: CumSum, Range, comparisons, shifted differences; halves swapped by a negative step."""
    g = Graph("speech_durations")
    x = g.input("phones", ["b", "t"], INT64)
    h = g.op("Mul", g.op("Gather", g.weights(20, 8), x), real(g, 8 ** 0.5))
    h = g.op("Transpose", h, perm=[0, 2, 1])
    mask = g.op("Cast", unsqueezed(g, g.op("Greater", x, g.constant(-1)), 1), to=FLOAT)
    y = g.op("Conv", g.op("Mul", h, mask), g.weights(8, 8, 3), g.weights(8), kernel_shape=[3], pads=[1, 1], strides=[1], dilations=[1], group=1)
    # norm over channels
    y = g.op("Transpose", layer_norm(g, g.op("Transpose", g.op("Relu", y), perm=[0, 2, 1]), 8), perm=[0, 2, 1])
    d = g.op("Mul", g.op("Conv", y, g.weights(1, 8, 1), g.weights(1), kernel_shape=[1], pads=[0, 0], strides=[1], dilations=[1], group=1), mask)
    w = g.op("Ceil", g.op("Mul", g.op("Mul", g.op("Exp", d), mask), real(g, 1.0)))
    total = g.op("Clip", g.op("ReduceSum", w, g.constant([1, 2]), keepdims=0), real(g, 1.0))
    ylen = g.op("Cast", total, to=INT64)
    longest = g.op("ReduceMax", ylen, keepdims=0)
    r = g.op("Range", g.constant(0), longest, g.constant(1))
    ymask = g.op("Cast", unsqueezed(g, g.op("Less", unsqueezed(g, r, 0), unsqueezed(g, ylen, 1)), 1), to=FLOAT)
    cum = g.op("CumSum", w, g.constant(-1))
    cum = g.op("Reshape", cum, stack(g, g.op("Mul", size_of(g, w, 0), size_of(g, w, 2)), -1))
    path = g.op("Less", unsqueezed(g, g.op("Cast", r, to=FLOAT), 0), cum)
    path = g.op("Cast", path, to=FLOAT)
    path = g.op("Reshape", path, stack(g, size_of(g, x, 0), size_of(g, x, 1), longest))
    prev = g.op("Pad", path, g.constant([0, 1, 0, 0, 0, 0]), real(g, 0.0), mode="constant")
    prev = g.op("Slice", prev, g.constant([0]), g.constant([-1]), g.constant([1]))
    path = g.op("Mul", g.op("Sub", path, prev), ymask)
    out = g.op("MatMul", h, path)
    a, b = g.op("Split", out, axis=1, results=2)
    m = g.op("Softplus", a)
    b = g.op("Where", g.op("Not", g.op("And", g.op("GreaterOrEqual", b, real(g, -1.0)), g.op("LessOrEqual", b, real(g, 1.0)))), b,
            g.op("Mul", b, g.op("Exp", g.op("Neg", m))))
    flip = g.op("Slice", g.op("Concat", a, b, axis=1), g.constant([-1]), g.constant([-FAR - 1]), g.constant([1]), g.constant([-1]))
    g.output(g.op("Mul", flip, ymask), ["b", 8, "f"])
    return model(g, 16)


def separation():
    """Norms over channels and time in two steps, depthwise convolutions, frames overlapped and added."""
    g = Graph("separation")
    x = g.input("mix", ["b", 64])
    w = g.op("Relu", g.op("Conv", unsqueezed(g, x, 1), g.weights(8, 1, 4), kernel_shape=[4], strides=[2], pads=[0, 0], dilations=[1], group=1))

    def gln(v, n):
        m = g.op("ReduceMean", g.op("ReduceMean", v, axes=[1], keepdims=1), axes=[2], keepdims=1)
        d = g.op("Sub", v, m)
        var = g.op("ReduceMean", g.op("ReduceMean", g.op("Pow", d, real(g, 2.0)), axes=[1], keepdims=1), axes=[2], keepdims=1)
        y = g.op("Div", g.op("Mul", g.weights(1, n, 1, above=0.5), d), g.op("Pow", g.op("Add", var, real(g, 1e-8)), real(g, 0.5)))
        return g.op("Add", y, g.weights(1, n, 1))

    y = g.op("Conv", gln(w, 8), g.weights(6, 8, 1), kernel_shape=[1], strides=[1], pads=[0, 0], dilations=[1], group=1)
    for d in (1, 2):
        z = gln(g.op("PRelu", g.op("Conv", y, g.weights(6, 6, 1), kernel_shape=[1], strides=[1], pads=[0, 0], dilations=[1], group=1),
                g.weights(1)), 6)
        z = g.op("Conv", z, g.weights(6, 1, 3), kernel_shape=[3], strides=[1], pads=[d, d], dilations=[d], group=6)
        z = gln(g.op("PRelu", z, g.weights(1)), 6)
        y = g.op("Add", g.op("Conv", z, g.weights(6, 6, 1), kernel_shape=[1], strides=[1], pads=[0, 0], dilations=[1], group=1), y)
    m = g.op("Conv", y, g.weights(16, 6, 1), kernel_shape=[1], strides=[1], pads=[0, 0], dilations=[1], group=1)
    m = g.op("Relu", g.op("Reshape", m, stack(g, size_of(g, w, 0), 2, size_of(g, w, 1), size_of(g, w, 2))))
    src = g.op("Mul", unsqueezed(g, w, 1), m)
    src = g.op("MatMul", g.op("Transpose", src, perm=[0, 1, 3, 2]), g.weights(8, 4))
    # overlap and add: frames of 4, hop 2
    sh = g.op("Shape", src)
    sub = g.op("Reshape", src, g.op("Concat", cut(g, sh, 0, -2, 0), g.constant([-1]), g.constant([2]), axis=0))
    a, b = cut(g, src, 0, 2, 3), cut(g, src, 2, 4, 3)
    pa = g.op("Pad", a, g.constant([0, 0, 0, 0, 0, 0, 1, 0]), real(g, 0.0), mode="constant")
    pb = g.op("Pad", b, g.constant([0, 0, 1, 0, 0, 0, 0, 0]), real(g, 0.0), mode="constant")
    out = g.op("Reshape", g.op("Add", pa, pb), g.op("Concat", cut(g, sh, 0, -2, 0), g.constant([-1]), axis=0))
    g.output(out, ["b", 2, "time"])
    g.output(sub, ["b", 2, "k", 2])
    return model(g, 13)


def state_space():
    """A Scan along time over outer products, a causal convolution piece to the length, gates."""
    g = Graph("state_space")
    x = g.input("x", ["b", "t", 8])
    z = linear(g, x, 8, 16, bias=False)
    u, gate = g.op("Split", z, axis=-1, results=2)
    uc = g.op("Transpose", u, perm=[0, 2, 1])
    uc = g.op("Conv", uc, g.weights(8, 1, 4), g.weights(8), kernel_shape=[4], pads=[3, 3], strides=[1], dilations=[1], group=8)
    uc = g.op("Slice", uc, g.constant([0]), unsqueezed(g, size_of(g, x, 1), 0), g.constant([2]))
    u = swish(g, g.op("Transpose", uc, perm=[0, 2, 1]))
    dt = g.op("Softplus", linear(g, u, 8, 8))
    A = g.op("Neg", g.op("Exp", g.weights(8, 4)))
    dA = g.op("Exp", g.op("Mul", unsqueezed(g, dt, -1), A))
    B, C = linear(g, u, 8, 4, bias=False), linear(g, u, 8, 4, bias=False)
    dB = g.op("Mul", g.op("Mul", unsqueezed(g, dt, -1), unsqueezed(g, B, 2)), unsqueezed(g, u, -1))
    h0 = g.op("ConstantOfShape", stack(g, size_of(g, x, 0), 8, 4), value=of_value(0.0))
    body = Graph("body", g)
    h, a, bb, c = body.input("h", ["b", 8, 4]), body.input("a", ["b", 8, 4]), body.input("bb", ["b", 8, 4]), body.input("c", ["b", 4])
    hn = body.op("Add", body.op("Mul", a, h), bb)
    y = body.op("Squeeze", body.op("MatMul", hn, unsqueezed(body, c, -1)), body.constant([-1]))
    body.output(body.op("Identity", hn), ["b", 8, 4])
    body.output(body.op("Mul", y, real(body, 1.0)), ["b", 8])
    _, ys = g.op("Scan", h0, g.op("Transpose", dA, perm=[1, 0, 2, 3]), g.op("Transpose", dB, perm=[1, 0, 2, 3]), g.op("Transpose", C,
            perm=[1, 0, 2]), body=body, num_scan_inputs=3, results=2)
    y = g.op("Transpose", ys, perm=[1, 0, 2])
    y = g.op("Add", y, g.op("Mul", u, g.weights(8)))
    y = linear(g, g.op("Mul", y, swish(g, gate)), 8, 8, bias=False)
    g.output(g.op("Add", x, y), ["b", "t", 8])
    return model(g, 14)


def local_functions():
    """A norm and an activation as functions of the model."""
    g = Graph("local_functions")
    x = g.input("x", ["n", "t", 8])
    y = x
    for _ in range(2):
        y = g.op("Norm", y, g.weights(8, above=0.5), g.weights(8), domain="local")
        y = g.op("Silu", y, domain="local")
        y = linear(g, y, 8, 8)
    g.output(y, ["n", "t", 8])
    m = model(g, 17)

    def function(name, inputs, outputs, build):
        f = Graph(name)
        build(f)
        signature = [data(4, i) for i in inputs] + [data(5, o) for o in outputs]
        imports = data(9, data(1, "") + number(2, max(17, f.newest)))
        return data(1, name) + b"".join(signature + [data(7, n) for n in f.nodes]) + imports + data(10, "local")

    def norm(f):
        d = f.op("Sub", "X", f.op("ReduceMean", "X", axes=[-1]))
        v = f.op("ReduceMean", f.op("Pow", d, f.constant(2.0, kind=FLOAT)), axes=[-1])
        z = f.op("Div", d, f.op("Sqrt", f.op("Add", v, f.constant(1e-5, kind=FLOAT))))
        f.op("Add", f.op("Mul", z, f.op("Identity", "W")), "B", names=["Y"])

    def silu(f):
        f.op("Mul", f.op("Identity", "X"), f.op("Sigmoid", f.op("Identity", "X")), names=["Y"])

    m += data(8, data(1, "local") + number(2, 1))
    m += data(25, function("Norm", ["X", "W", "B"], ["Y"], norm)) + data(25, function("Silu", ["X"], ["Y"], silu))
    return m


def label_merging():
    """The best label of each step, repeated ones and blanks dropped by Compress."""
    g = Graph("label_merging")
    x = g.input("logits", [1, "t", 6])
    p = g.op("LogSoftmax", x, axis=-1)
    best = g.op("ArgMax", p, axis=-1, keepdims=0)
    flat = g.op("Reshape", best, g.constant([-1]))
    prev = g.op("Concat", g.constant([-1]), cut(g, flat, 0, -1, 0), axis=0)
    keep = g.op("And", g.op("Not", g.op("Equal", flat, prev)), g.op("Not", g.op("Equal", flat, g.constant(0))))
    out = g.op("Compress", flat, keep, axis=0)
    score = g.op("ReduceSum", g.op("ReduceMax", p, axes=[-1], keepdims=0), g.constant([1]), keepdims=0)
    g.output(out, ["k"], INT64)
    g.output(score, [1])
    u = g.op("Cast", keep, to=INT32)
    g.output(g.op("CumSum", u, g.constant(0)), ["t"], INT32)
    return model(g, 13)


FAMILIES = [lstm_states, gru_states, wav2vec, text_attention_last, attention_loop, nested_if, sequences, upsampler_set9, scikit_learn,
        constants_again, computed_fill, newest_ops, speech_durations, separation, state_space, local_functions, label_merging]
