"""Families of recurrent, detection, quantised and branching models; see families.py."""
from blocks import batch_norm, conv, conv_last, first, last, linear, numbers, size_of, stack
from onnx_writer import BOOL, FLOAT, INT64, INT8, UINT8, Graph, model, tensor


def zeros_for(g, x, layers, width):
    """A state of zeros for the batch of x (batch first), as a tracing exporter makes it."""
    return g.op("ConstantOfShape", stack(g, layers, size_of(g, x, 0), width), value=tensor("", FLOAT, [1], [0.0]))


def lstm_tagger():
    """Two bidirectional LSTM layers, batch first, states of zeros from traced sizes."""
    g = Graph("lstm_tagger")
    ids = g.input("tokens", ["batch", "length"], INT64)
    x = g.op("Gather", g.weights(40, 12), ids)
    h, c = zeros_for(g, x, 4, 8), zeros_for(g, x, 4, 8)
    y = g.op("Transpose", x, perm=[1, 0, 2])
    for layer in range(2):
        n = 12 if layer == 0 else 16
        part = [g.op("Slice", s, g.constant([2 * layer]), g.constant([2 * layer + 2]), g.constant([0])) for s in (h, c)]
        y = g.op("LSTM", y, g.weights(2, 32, n), g.weights(2, 32, 8), g.weights(2, 64), None, *part, hidden_size=8, direction="bidirectional", results=3)[0]
        y = g.op("Transpose", y, perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, g.constant([0, 0, -1]))
    y = g.op("Transpose", y, perm=[1, 0, 2])
    y = g.op("Reshape", y, stack(g, size_of(g, y, 0), size_of(g, y, 1), 16))
    g.output(g.op("Softmax", linear(g, y, 16, 5), axis=-1, names=["tags"]), ["batch", "length", 5])
    return model(g, 13)


def gru_seq2seq():
    """A GRU encoder and decoder with attention over what the encoder gave."""
    g = Graph("gru_seq2seq")
    source, target = g.input("source", ["batch", "from", 8]), g.input("target", ["batch", "to", 8])
    x = g.op("Transpose", source, perm=[1, 0, 2])
    h0 = g.op("Expand", g.constant([0.0], [1, 1, 1], FLOAT), stack(g, 1, size_of(g, source, 0), 12))
    y, h = g.op("GRU", x, g.weights(1, 36, 8), g.weights(1, 36, 12), g.weights(1, 72), None, h0, hidden_size=12, linear_before_reset=1, results=2)
    memory = g.op("Transpose", g.op("Squeeze", y, g.constant([1])), perm=[1, 0, 2])
    x = g.op("Transpose", target, perm=[1, 0, 2])
    y, _ = g.op("GRU", x, g.weights(1, 36, 8), g.weights(1, 36, 12), g.weights(1, 72), None, h, hidden_size=12, linear_before_reset=1, results=2)
    y = g.op("Transpose", g.op("Squeeze", y, g.constant([1])), perm=[1, 0, 2])
    scores = g.op("MatMul", y, g.op("Transpose", memory, perm=[0, 2, 1]))
    context = g.op("MatMul", g.op("Softmax", scores, axis=2), memory)
    y = g.op("Tanh", linear(g, g.op("Concat", context, y, axis=2), 24, 12))
    g.output(linear(g, y, 12, 30), ["batch", "to", 30])
    return model(g, 13)


def crnn():
    """Convolutions, the height squeezed away, recurrent layers along the width."""
    g = Graph("crnn")
    x = g.input("line", ["batch", 1, 8, "width"])
    x = g.op("Relu", batch_norm(g, conv(g, x, 1, 8, 3), 8))
    x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0])
    x = g.op("Relu", conv(g, x, 8, 12, 3, bias=True))
    x = g.op("MaxPool", x, kernel_shape=[4, 1], strides=[4, 1], pads=[0, 0, 0, 0])
    x = g.op("Squeeze", x, g.constant([2]))
    x = g.op("Transpose", x, perm=[2, 0, 1])
    for n in (12, 16):
        x = g.op("LSTM", x, g.weights(2, 32, n), g.weights(2, 32, 8), g.weights(2, 64), hidden_size=8, direction="bidirectional", results=3)[0]
        x = g.op("Transpose", x, perm=[0, 2, 1, 3])
        sizes = g.op("Shape", x)
        t, b = g.op("Gather", sizes, g.constant(0), axis=0), g.op("Gather", sizes, g.constant(1), axis=0)
        x = g.op("Reshape", x, stack(g, t, b, 16))
        flat = g.op("Reshape", x, stack(g, g.op("Mul", t, b), 16))
        flat = g.op("Gemm", flat, g.weights(16, 16), g.weights(16), transB=1)
        x = g.op("Reshape", flat, stack(g, t, b, -1))
    g.output(g.op("LogSoftmax", linear(g, x, 16, 11), axis=2, names=["log_probs"]), ["steps", "batch", 11])
    return model(g, 13)


def yolo():
    """Three heads: views, transposes, grids and anchors, Concat; then boxes are cut out and joined again."""
    g = Graph("yolo")
    x = g.input("image", ["batch", 3, 32, 32])
    x = conv(g, x, 3, 8, 3, bias=True, strides=[2, 2])
    outs = []
    for level in range(3):
        x = conv(g, x, 8, 8, 3, bias=True, strides=[2, 2])
        x = g.op("Mul", x, g.op("Sigmoid", x))
        side = 8 >> level
        y = conv(g, x, 8, 3 * 9, 1, bias=True)
        b = size_of(g, y, 0)
        y = g.op("Reshape", y, stack(g, b, 3, 9, size_of(g, y, 2), size_of(g, y, 3)))
        y = g.op("Sigmoid", g.op("Transpose", y, perm=[0, 1, 3, 4, 2]))
        xy = g.op("Slice", y, g.constant([0]), g.constant([2]), g.constant([4]), g.constant([1]))
        xy = g.op("Sub", g.op("Mul", xy, g.constant(2.0, kind=FLOAT)), g.constant(0.5, kind=FLOAT))
        grid = g.initializer([float(v) for r in range(side) for c in range(side) for v in (c, r)], [1, 1, side, side, 2], FLOAT)
        xy = g.op("Mul", g.op("Add", xy, grid), g.constant(float(4 << level), kind=FLOAT))
        wh = g.op("Slice", y, g.constant([2]), g.constant([4]), g.constant([4]), g.constant([1]))
        wh = g.op("Pow", g.op("Mul", wh, g.constant(2.0, kind=FLOAT)), g.constant(2.0, kind=FLOAT))
        wh = g.op("Mul", wh, g.weights(1, 3, 1, 1, 2, above=4.0))
        rest = g.op("Slice", y, g.constant([4]), g.constant([9]), g.constant([4]), g.constant([1]))
        y = g.op("Concat", xy, wh, rest, axis=-1)
        outs.append(g.op("Reshape", y, stack(g, b, -1, 9)))
    y = g.op("Concat", *outs, axis=1)
    g.output(g.op("Identity", y, names=["detections"]), ["batch", 252, 9])
    return model(g, 13)


def ssd_last():
    """Heads of a detector converted from channels last; boxes decoded with Exp, then the best ones picked."""
    g = Graph("ssd_last")
    x = g.input("image", [1, 16, 16, 3])
    x = g.op("Clip", g.op("Add", conv_last(g, x, 3, 8, 3, strides=[2, 2]), g.weights(8)), g.initializer([0.0], [], FLOAT), g.initializer([6.0], [], FLOAT))
    boxes, classes = [], []
    for level in range(2):
        x = g.op("Relu", g.op("Add", conv_last(g, x, 8, 8, 3, strides=[2, 2]), g.weights(8)))
        for list_, n in [(boxes, 8), (classes, 6)]:
            y = g.op("Add", conv_last(g, x, 8, n, 3), g.weights(n))
            list_.append(g.op("Reshape", y, numbers(g, 1, -1, n // 2)))
    box = g.op("Concat", *boxes, axis=1)
    score = g.op("Sigmoid", g.op("Concat", *classes, axis=1))
    box = g.op("Squeeze", box, numbers(g, 0))
    box = g.op("Transpose", box, perm=[1, 0])
    y, x, h, w = g.op("Split", box, axis=0, results=4)
    count = 2 * (4 * 4 + 2 * 2)
    anchor = [g.weights(1, count, above=0.5) for _ in range(4)]
    y = g.op("Add", g.op("Mul", g.op("Div", y, g.constant(10.0, kind=FLOAT)), anchor[2]), anchor[0])
    x = g.op("Add", g.op("Mul", g.op("Div", x, g.constant(10.0, kind=FLOAT)), anchor[3]), anchor[1])
    h = g.op("Mul", g.op("Exp", g.op("Div", h, g.constant(5.0, kind=FLOAT))), anchor[2])
    w = g.op("Mul", g.op("Exp", g.op("Div", w, g.constant(5.0, kind=FLOAT))), anchor[3])
    half_h, half_w = g.op("Div", h, g.constant(2.0, kind=FLOAT)), g.op("Div", w, g.constant(2.0, kind=FLOAT))
    box = g.op("Concat", g.op("Sub", y, half_h), g.op("Sub", x, half_w), g.op("Add", y, half_h), g.op("Add", x, half_w), axis=0)
    box = g.op("Unsqueeze", g.op("Transpose", box, perm=[1, 0]), numbers(g, 0))
    score = g.op("Transpose", score, perm=[0, 2, 1])
    picked = g.op("NonMaxSuppression", box, score, numbers(g, 5), g.initializer([0.5], [1], FLOAT), g.initializer([0.1], [1], FLOAT))
    g.output(picked, ["picked", 3], INT64)
    g.output(box, [1, count, 4])
    return model(g, 13)


def quantized():
    """Convolutions between QuantizeLinear and DequantizeLinear, weights in eight bits."""
    g = Graph("quantized")
    x = g.input("image", ["N", 3, 16, 16])

    def both(v, scale):
        at = g.initializer([scale], [], FLOAT), g.initializer([128], [], UINT8)
        return g.op("DequantizeLinear", g.op("QuantizeLinear", v, *at), *at)

    def weights(m, n, size):
        w = g.initializer([g.random.randrange(-100, 100) for _ in range(m * n * size * size)], [m, n, size, size], INT8)
        return g.op("DequantizeLinear", w, g.initializer([0.01] * m, [m], FLOAT), g.initializer([0] * m, [m], INT8), axis=0)

    x = both(x, 0.02)
    for n, m in [(3, 8), (8, 8), (8, 8)]:
        y = g.op("Conv", x, weights(m, n, 3), g.weights(m), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        y = both(g.op("Relu", y), 0.03)
        x = both(g.op("Add", y, x), 0.05) if n == m else y
    x = both(g.op("GlobalAveragePool", x), 0.02)
    x = both(g.op("Reshape", x, numbers(g, 0, -1)), 0.02)
    w = g.op("DequantizeLinear", g.initializer([g.random.randrange(-100, 100) for _ in range(80)], [10, 8], INT8), g.initializer([0.01], [], FLOAT), g.initializer([0], [], INT8))
    g.output(g.op("Gemm", x, w, g.weights(10), transB=1, names=["logits"]), ["N", 10])
    return model(g, 13)


def branches():
    """If with a condition that is known once shapes are, one that is not, and a Loop that gathers what it computes."""
    g = Graph("branches")
    x, flag = g.input("x", ["N", 4]), g.input("flag", [], BOOL)
    rank = g.op("Gather", g.op("Shape", g.op("Shape", x)), g.constant(0), axis=0)
    then, other = Graph("then", g), Graph("else", g)
    then.output(then.op("Squeeze", then.op("Unsqueeze", x, then.constant([1])), then.constant([1])), ["N", 4])
    other.output(other.op("Identity", x), ["N", 4])
    x = g.op("If", g.op("Equal", rank, g.constant(3)), then_branch=then, else_branch=other)
    then, other = Graph("then2", g), Graph("else2", g)
    then.output(then.op("Mul", then.op("Add", x, then.constant([1.0, 2.0, 3.0, 4.0], kind=FLOAT)), then.constant(1.0, kind=FLOAT)), ["N", 4])
    doubled = other.op("Transpose", other.op("Relu", other.op("Transpose", x, perm=[1, 0])), perm=[1, 0])
    other.output(other.op("Mul", doubled, other.constant(2.0, kind=FLOAT)), ["N", 4])
    x = g.op("If", flag, then_branch=then, else_branch=other)
    body = Graph("body", g)
    step, go, state = body.input("step", [], INT64), body.input("go", [], BOOL), body.input("state", ["N", 4])
    moved = body.op("Add", state, body.op("Mul", x, body.constant(0.5, kind=FLOAT)))
    dead = body.op("Exp", state)
    body.output(body.op("Identity", go), [], BOOL)
    body.output(moved, ["N", 4])
    body.output(body.op("ReduceSum", moved, body.constant([1]), keepdims=0), ["N"])
    body.output(dead, ["N", 4])
    y, sums, _ = g.op("Loop", g.constant(4), g.constant(1, kind=BOOL), x, body=body, results=3)
    g.output(y, ["N", 4])
    g.output(g.op("Transpose", sums, perm=[1, 0]), ["N", 4])
    return model(g, 13)


def recommender():
    """Embeddings summed and crossed: Gathers, Concat, an Einsum-free interaction, towers of Gemm and MatMul."""
    g = Graph("recommender")
    dense = g.input("dense", ["batch", 6])
    tables = [g.input(f"ids_{i}", ["batch", 3], INT64) for i in range(3)]
    x = dense
    for n, m in [(6, 16), (16, 8)]:
        x = g.op("Relu", linear(g, x, n, m))
    parts = [g.op("Unsqueeze", x, g.constant([1]))]
    for ids in tables:
        e = g.op("ReduceSum", g.op("Gather", g.weights(20, 8), g.op("Cast", ids, to=INT64)), g.constant([1]), keepdims=0)
        parts.append(g.op("Reshape", e, g.op("Concat", g.constant([-1]), g.constant([1]), g.constant([8]), axis=0)))
    t = g.op("Concat", *parts, axis=1)
    z = g.op("MatMul", t, g.op("Transpose", t, perm=[0, 2, 1]))
    z = g.op("Reshape", z, stack(g, size_of(g, z, 0), 16))
    z = g.op("Gather", z, g.constant([4, 8, 9, 12, 13, 14]), axis=1)
    y = g.op("Concat", x, z, axis=1)
    y = g.op("Relu", linear(g, y, 14, 16))
    y = g.op("Sigmoid", linear(g, y, 16, 1))
    g.output(g.op("Squeeze", y, g.constant([-1]), names=["click"]), ["batch"])
    return model(g, 13)


def mixed_last():
    """Pads, pools, activations and a residual through channels-last Splits and Slices."""
    g = Graph("mixed_last")
    x = g.input("image", ["N", 16, 16, 4])
    y = last(g, g.op("AveragePool", first(g, x), kernel_shape=[2, 2], strides=[2, 2], auto_pad="SAME_UPPER"))
    a, b = g.op("Split", y, axis=3, results=2)
    a = g.op("LeakyRelu", g.op("Add", conv_last(g, a, 2, 4, 3), g.weights(4)), alpha=0.2)
    b = g.op("Elu", g.op("Add", conv_last(g, b, 2, 4, 3), g.weights(4)), alpha=1.0)
    y = g.op("Concat", a, b, axis=3)
    y = g.op("Slice", y, numbers(g, 0, 1), numbers(g, 8, 7), numbers(g, 1, 3))
    y = g.op("Sub", y, g.op("ReduceMean", y, axes=[3]))
    y = conv_last(g, y, 6, 8, 1)
    s = g.op("ReduceMax", y, axes=[1, 2], keepdims=1)
    y = g.op("Mul", y, g.op("Softmax", s, axis=3))
    y = g.op("Reshape", y, numbers(g, -1, 8 * 8 * 8))
    g.output(g.op("Add", g.op("MatMul", y, g.weights(512, 10)), g.weights(10)), ["N", 10])
    return model(g, 13)


FAMILIES = [lstm_tagger, gru_seq2seq, crnn, yolo, ssd_last, quantized, branches, recommender, mixed_last]
