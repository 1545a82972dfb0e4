"""Families of language models and transformers; see families.py."""
from blocks import attention, conv, gelu, layer_norm, linear, size_of, stack, tanh_gelu
from onnx_writer import BOOL, FLOAT, INT64, Graph, model


def bert():
    """An encoder with a padding mask; batch and length are symbols, views come from traced sizes."""
    g = Graph("bert")
    ids, mask = g.input("input_ids", ["batch", "length"], INT64), g.input("attention_mask", ["batch", "length"], INT64)
    kinds = g.input("token_type_ids", ["batch", "length"], INT64)
    m = g.op("Unsqueeze", g.op("Unsqueeze", mask, g.constant([1])), g.constant([2]))
    m = g.op("Sub", g.constant(1.0, kind=FLOAT), g.op("Cast", m, to=FLOAT))
    m = g.op("Mul", m, g.constant(-10000.0, kind=FLOAT))
    length = g.op("Unsqueeze", size_of(g, ids, 1), g.constant([0]))
    positions = g.op("Slice", g.initializer(list(range(64)), [1, 64]), g.constant([0]), length, g.constant([1]), g.constant([1]))
    x = g.op("Add", g.op("Gather", g.weights(50, 32), ids), g.op("Gather", g.weights(2, 32), kinds))
    x = layer_norm(g, g.op("Add", x, g.op("Gather", g.weights(64, 32), positions)), 32)
    for _ in range(2):
        x = layer_norm(g, g.op("Add", attention(g, x, 32, 4, m), x), 32)
        x = layer_norm(g, g.op("Add", linear(g, gelu(g, linear(g, x, 32, 64)), 64, 32), x), 32)
    g.output(g.op("Identity", x, names=["last_hidden_state"]), ["batch", "length", 32])
    pooled = g.op("Gather", x, g.constant(0), axis=1)
    pooled = g.op("Tanh", g.op("Gemm", pooled, g.weights(32, 32), g.weights(32), transB=1))
    g.output(g.op("Gemm", pooled, g.weights(2, 32), g.weights(2), transB=1, names=["logits"]), ["batch", 2])
    return model(g, 14)


def gpt2():
    """A decoder with past keys and values, its causal mask cut out of a constant by traced sizes."""
    g = Graph("gpt2")
    ids = g.input("input_ids", ["batch", "length"], INT64)
    pasts = [(g.input(f"past_{i}_key", ["batch", 4, "past", 8]), g.input(f"past_{i}_value", ["batch", 4, "past", 8])) for i in range(2)]
    shape = g.op("Shape", ids)
    ids = g.op("Reshape", ids, g.op("Concat", g.constant([-1]), g.op("Unsqueeze", g.op("Gather", shape, g.constant(1), axis=0), g.constant([0])), axis=0))
    past = size_of(g, pasts[0][0], 2)
    total = g.op("Add", g.op("Gather", shape, g.constant(1), axis=0), past)
    positions = g.op("Range", past, total, g.constant(1))
    positions = g.op("Reshape", g.op("Unsqueeze", positions, g.constant([0])), stack(g, -1, g.op("Gather", g.op("Shape", ids), g.constant(1), axis=0)))
    x = g.op("Add", g.op("Gather", g.weights(50, 32), ids), g.op("Gather", g.weights(32, 32), positions))
    mask = g.initializer([int(j <= i) for i in range(32) for j in range(32)], [1, 1, 32, 32], BOOL)
    presents = []
    for layer in range(2):
        y = layer_norm(g, x, 32)
        shape_y = stack(g, size_of(g, y, 0), size_of(g, y, 1), 96)
        y = g.op("Gemm", g.op("Reshape", y, g.op("Concat", g.constant([-1]), g.constant([32]), axis=0)), g.weights(32, 96), g.weights(96))
        y = g.op("Reshape", y, shape_y)
        q, k, v = g.op("Split", y, g.constant([32, 32, 32]), axis=2, results=3)
        q, k, v = [g.op("Transpose", g.op("Reshape", t, stack(g, size_of(g, t, 0), size_of(g, t, 1), 4, 8)), perm=[0, 2, 1, 3]) for t in (q, k, v)]
        k = g.op("Concat", pasts[layer][0], k, axis=-2)
        v = g.op("Concat", pasts[layer][1], v, axis=-2)
        presents += [(k, "key", layer), (v, "value", layer)]
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.op("Div", scores, g.constant(8 ** 0.5, kind=FLOAT))
        queries, keys = size_of(g, q, 2), size_of(g, k, 2)
        start = g.op("Unsqueeze", g.op("Sub", keys, queries), g.constant([0]))
        end = g.op("Unsqueeze", keys, g.constant([0]))
        rows = g.op("Slice", mask, start, end, g.constant([2]), g.constant([1]))
        cut = g.op("Slice", rows, g.constant([0]), end, g.constant([3]), g.constant([1]))
        scores = g.op("Where", g.op("Cast", cut, to=BOOL), scores, g.constant(-10000.0, kind=FLOAT))
        y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        y = g.op("Transpose", y, perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, stack(g, size_of(g, y, 0), size_of(g, y, 1), 32))
        x = g.op("Add", linear(g, y, 32, 32), x)
        x = g.op("Add", x, linear(g, tanh_gelu(g, linear(g, layer_norm(g, x, 32), 32, 64)), 64, 32))
    g.output(g.op("MatMul", layer_norm(g, x, 32), g.weights(32, 50), names=["logits"]), ["batch", "length", 50])
    for value, what, layer in presents:
        g.output(g.op("Identity", value, names=[f"present_{layer}_{what}"]), ["batch", 4, "total", 8])
    return model(g, 13)


def vit():
    """Patches, a class token stretched to the batch, attention with one product for queries, keys and values."""
    g = Graph("vit")
    x = g.input("pixels", ["batch", 3, 16, 16])
    batch = size_of(g, x, 0)
    x = g.op("Conv", x, g.weights(32, 3, 4, 4), g.weights(32), kernel_shape=[4, 4], strides=[4, 4], pads=[0, 0, 0, 0])
    shape = g.op("Shape", x)
    head = g.op("Slice", shape, g.constant([0]), g.constant([2]), g.constant([0]))
    x = g.op("Transpose", g.op("Reshape", x, g.op("Concat", head, g.constant([-1]), axis=0)), perm=[0, 2, 1])
    wanted = stack(g, batch, -1, -1)
    ones = g.op("ConstantOfShape", g.op("Shape", wanted), value=one())
    target = g.op("Where", g.op("Equal", wanted, g.op("Mul", ones, g.constant(-1))), ones, wanted)
    x = g.op("Concat", g.op("Expand", g.weights(1, 1, 32), target), x, axis=1)
    x = g.op("Add", x, g.weights(1, 17, 32))
    for _ in range(2):
        y = linear(g, layer_norm(g, x, 32), 32, 96)
        y = g.op("Reshape", y, stack(g, size_of(g, y, 0), size_of(g, y, 1), 3, 4, g.op("Div", g.constant(32), g.constant(4))))
        y = g.op("Transpose", y, perm=[2, 0, 3, 1, 4])
        q, k, v = [g.op("Gather", y, g.constant(i), axis=0) for i in range(3)]
        scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.constant(8 ** -0.5, kind=FLOAT))
        y = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, stack(g, size_of(g, x, 0), size_of(g, x, 1), 32))
        x = g.op("Add", x, linear(g, y, 32, 32))
        x = g.op("Add", x, linear(g, gelu(g, linear(g, layer_norm(g, x, 32), 32, 64)), 64, 32))
    x = g.op("Gather", layer_norm(g, x, 32), g.constant(0), axis=1)
    g.output(g.op("Gemm", x, g.weights(10, 32), g.weights(10), transB=1, names=["logits"]), ["batch", 10])
    return model(g, 13)


def one():
    from onnx_writer import tensor
    return tensor("", INT64, [1], [1])


def rms_norm(g, x, width):
    var = g.op("ReduceMean", g.op("Pow", x, g.constant(2.0, kind=FLOAT)), axes=[-1])
    y = g.op("Mul", x, g.op("Div", g.constant(1.0, kind=FLOAT), g.op("Sqrt", g.op("Add", var, g.constant(1e-6, kind=FLOAT)))))
    return g.op("Mul", g.weights(width, above=0.5), y)


def llama():
    """Rotary embeddings from traced sizes, grouped keys stretched by Expand, a causal mask from Trilu, RMS norms, SiLU."""
    g = Graph("llama")
    ids = g.input("input_ids", ["batch", "length"], INT64)
    x = g.op("Gather", g.weights(50, 32), ids)
    length = size_of(g, ids, 1)
    positions = g.op("Unsqueeze", g.op("Range", g.constant(0), length, g.constant(1)), g.constant([0]))
    angles = g.op("Cast", g.op("Unsqueeze", positions, g.constant([2])), to=FLOAT)
    angles = g.op("MatMul", angles, g.initializer([1.0, 0.1, 0.01, 0.001], [1, 1, 4], FLOAT))
    angles = g.op("Concat", angles, angles, axis=-1)
    cos, sin = [g.op("Unsqueeze", g.op(f, angles), g.constant([1])) for f in ("Cos", "Sin")]
    sizes = stack(g, length, length)
    mask = g.op("ConstantOfShape", sizes, value=lowest())
    mask = g.op("Trilu", mask, g.constant(1), upper=1)
    mask = g.op("Unsqueeze", g.op("Unsqueeze", mask, g.constant([0])), g.constant([1]))
    wanted = stack(g, size_of(g, ids, 0), 1, length, length)
    ones = g.op("ConstantOfShape", g.op("Shape", wanted), value=one())
    wanted = g.op("Where", g.op("Equal", wanted, g.op("Mul", ones, g.constant(-1))), ones, wanted)
    mask = g.op("Expand", mask, wanted)

    def rotated(t):
        half = g.op("Unsqueeze", g.op("Div", size_of(g, t, 3), g.constant(2)), g.constant([0]))
        a = g.op("Slice", t, g.constant([0]), half, g.constant([3]), g.constant([1]))
        b = g.op("Slice", t, half, g.constant([9223372036854775807]), g.constant([3]), g.constant([1]))
        turned = g.op("Concat", g.op("Neg", b), a, axis=-1)
        return g.op("Add", g.op("Mul", t, cos), g.op("Mul", turned, sin))

    def repeated(t):
        b, n, s, d = [size_of(g, t, i) for i in range(4)]
        shape = stack(g, b, n, 2, s, d)
        ones = g.op("ConstantOfShape", g.op("Shape", shape), value=one())
        shape = g.op("Where", g.op("Equal", shape, g.op("Mul", ones, g.constant(-1))), ones, shape)
        t = g.op("Expand", g.op("Unsqueeze", t, g.constant([2])), shape)
        return g.op("Reshape", t, stack(g, b, g.op("Mul", n, g.constant(2)), s, d))

    for _ in range(2):
        y = rms_norm(g, x, 32)
        b, s = size_of(g, y, 0), size_of(g, y, 1)
        q, k, v = [g.op("Transpose", g.op("Reshape", linear(g, y, 32, n * 8, bias=False), stack(g, b, s, n, 8)), perm=[0, 2, 1, 3]) for n in (4, 2, 2)]
        q, k, v = rotated(q), repeated(rotated(k)), repeated(v)
        scores = g.op("Div", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.constant(8 ** 0.5, kind=FLOAT))
        y = g.op("MatMul", g.op("Softmax", g.op("Add", scores, mask), axis=-1), v)
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), stack(g, b, s, 32))
        x = g.op("Add", x, linear(g, y, 32, 32, bias=False))
        y = rms_norm(g, x, 32)
        gate = linear(g, y, 32, 48, bias=False)
        y = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), linear(g, y, 32, 48, bias=False))
        x = g.op("Add", x, linear(g, y, 48, 32, bias=False))
    g.output(linear(g, rms_norm(g, x, 32), 32, 50, bias=False), ["batch", "length", 50])
    return model(g, 14)


def lowest():
    from onnx_writer import tensor
    return tensor("", FLOAT, [1], [-3.4028234663852886e38])


def t5_bias():
    """Relative positions put into buckets by arithmetic on Range, of which most is known."""
    g = Graph("t5_bias")
    x = g.input("hidden", ["batch", 12, 32])
    length = size_of(g, x, 1)
    a = g.op("Unsqueeze", g.op("Range", g.constant(0), length, g.constant(1)), g.constant([1]))
    b = g.op("Unsqueeze", g.op("Range", g.constant(0), length, g.constant(1)), g.constant([0]))
    d = g.op("Sub", b, a)
    late = g.op("Mul", g.op("Cast", g.op("Greater", d, g.constant(0)), to=INT64), g.constant(16))
    d = g.op("Abs", d)
    far = g.op("Log", g.op("Div", g.op("Cast", d, to=FLOAT), g.constant(8.0, kind=FLOAT)))
    far = g.op("Cast", g.op("Mul", g.op("Div", far, g.constant(2.77, kind=FLOAT)), g.constant(8.0, kind=FLOAT)), to=INT64)
    far = g.op("Min", g.op("Add", far, g.constant(8)), g.constant(15))
    bucket = g.op("Add", late, g.op("Where", g.op("Less", d, g.constant(8)), d, far))
    bias = g.op("Unsqueeze", g.op("Transpose", g.op("Gather", g.weights(32, 4), bucket), perm=[2, 0, 1]), g.constant([0]))
    for _ in range(2):
        x = g.op("Add", x, attention(g, rms_norm(g, x, 32), 32, 4, bias))
        y = g.op("Relu", linear(g, rms_norm(g, x, 32), 32, 64, bias=False))
        x = g.op("Add", x, linear(g, y, 64, 32, bias=False))
    g.output(rms_norm(g, x, 32), ["batch", 12, 32])
    return model(g, 13)


def conformer():
    """Convolutions along time between attention: transposes, gated units, a batch norm behind a depthwise convolution."""
    g = Graph("conformer")
    x = g.input("features", ["batch", "time", 32])
    for _ in range(2):
        y = linear(g, layer_norm(g, x, 32), 32, 64)
        y = linear(g, g.op("Mul", y, g.op("Sigmoid", y)), 64, 32)
        x = g.op("Add", x, g.op("Mul", y, g.constant(0.5, kind=FLOAT)))
        x = g.op("Add", x, attention(g, layer_norm(g, x, 32), 32, 4))
        y = g.op("Transpose", layer_norm(g, x, 32), perm=[0, 2, 1])
        y = g.op("Conv", y, g.weights(64, 32, 1), g.weights(64), kernel_shape=[1])
        a, b = g.op("Split", y, axis=1, results=2)
        y = g.op("Mul", a, g.op("Sigmoid", b))
        y = g.op("Conv", y, g.weights(32, 1, 3), g.weights(32), kernel_shape=[3], pads=[1, 1], group=32)
        y = g.op("BatchNormalization", y, g.weights(32, above=0.5), g.weights(32), g.weights(32), g.weights(32, above=0.5))
        y = g.op("Conv", g.op("Mul", y, g.op("Sigmoid", y)), g.weights(32, 32, 1), g.weights(32), kernel_shape=[1])
        x = layer_norm(g, g.op("Add", x, g.op("Transpose", y, perm=[0, 2, 1])), 32)
    g.output(g.op("LogSoftmax", linear(g, x, 32, 20), axis=2, names=["log_probs"]), ["batch", "time", 20])
    return model(g, 13)


def segformer():
    """Attention over an image: views between [N, C, H, W] and [N, HW, C] by traced sizes."""
    g = Graph("segformer")
    x = g.input("image", ["batch", 3, "H", "W"])
    x = conv(g, x, 3, 32, 3, bias=True, strides=[2, 2])
    for _ in range(2):
        b, h, w = size_of(g, x, 0), size_of(g, x, 2), size_of(g, x, 3)
        head = g.op("Slice", g.op("Shape", x), g.constant([0]), g.constant([2]), g.constant([0]))
        y = g.op("Transpose", g.op("Reshape", x, g.op("Concat", head, g.constant([-1]), axis=0)), perm=[0, 2, 1])
        y = g.op("Add", y, attention(g, layer_norm(g, y, 32), 32, 2))
        z = linear(g, layer_norm(g, y, 32), 32, 48)
        z = g.op("Reshape", g.op("Transpose", z, perm=[0, 2, 1]), stack(g, b, 48, h, w))
        z = conv(g, z, 48, 48, 3, bias=True, group=48)
        head = g.op("Slice", g.op("Shape", z), g.constant([0]), g.constant([2]), g.constant([0]))
        z = g.op("Transpose", g.op("Reshape", z, g.op("Concat", head, g.constant([-1]), axis=0)), perm=[0, 2, 1])
        y = g.op("Add", y, linear(g, gelu(g, z), 48, 32))
        x = g.op("Transpose", g.op("Reshape", y, stack(g, b, h, w, -1)), perm=[0, 3, 1, 2])
    g.output(conv(g, x, 32, 5, 1, bias=True), ["batch", 5, "h", "w"])
    return model(g, 13)


FAMILIES = [bert, gpt2, vit, llama, t5_bias, conformer, segformer]
