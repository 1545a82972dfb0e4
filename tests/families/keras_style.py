"""Families as converters from TensorFlow and Keras write them: channels last, sizes cast to 32 bits and back, padding as ops; see families.py."""
from blocks import dense_last, first, last, numbers
from onnx_writer import FLOAT, INT32, INT64, Graph, model


def conv(g, x, n, m, size, stride=1, bias=True, valid=False):
    y = last(g, g.op("Conv", first(g, x), g.weights(m, n, size, size), auto_pad="VALID" if valid else "SAME_UPPER",
                     strides=[stride, stride], dilations=[1, 1], kernel_shape=[size, size], group=1))
    return g.op("Add", y, g.weights(m)) if bias else y


def depthwise(g, x, n, size, stride=1):
    """A stride of 2 comes with padding of its own."""
    if stride == 2:
        x = g.op("Pad", x, numbers(g, 0, size // 2 - 1, size // 2 - 1, 0, 0, size // 2, size // 2, 0), g.initializer([0.0], [], FLOAT), mode="constant")
    return last(g, g.op("Conv", first(g, x), g.weights(n, 1, size, size), auto_pad="VALID" if stride == 2 else "SAME_UPPER", strides=[stride, stride],
                        dilations=[1, 1], kernel_shape=[size, size], group=n))


def scaled(g, x, n):
    """A batch norm of which a product and a sum are left."""
    return g.op("Add", g.op("Mul", x, g.weights(n, above=0.5)), g.weights(n))


def relu6(g, x):
    return g.op("Min", g.op("Relu", x), g.initializer([6.0], [], FLOAT))


def hard_swish(g, x):
    y = relu6(g, g.op("Add", x, g.initializer([3.0], [], FLOAT)))
    return g.op("Mul", x, g.op("Mul", y, g.initializer([1 / 6], [], FLOAT)))


def hard_sigmoid(g, x):
    return g.op("Mul", relu6(g, g.op("Add", x, g.initializer([3.0], [], FLOAT))), g.initializer([1 / 6], [], FLOAT))


def size32(g, x, axis):
    """One size as 32 bits in a scalar: a strided slice of the shape."""
    shape = g.op("Cast", g.op("Shape", x), to=INT32)
    return g.op("Squeeze", g.op("Slice", shape, numbers(g, axis), numbers(g, axis + 1), numbers(g, 0)), numbers(g, 0))


def target(g, *sizes):
    """32-bit scalars and numbers as a target for Reshape."""
    parts = [g.op("Unsqueeze", s if isinstance(s, str) else g.initializer([s], [], INT32), numbers(g, 0)) for s in sizes]
    return g.op("Cast", g.op("Concat", *parts, axis=0), to=INT64)


def keras_mobilenet():
    """MobileNet V3: depthwise convolutions behind padding, squeeze and excitation by convolutions of one place, hard swish written out."""
    g = Graph("keras_mobilenet")
    x = g.input("image", ["N", 32, 32, 3])
    x = g.op("Sub", g.op("Mul", x, g.initializer([1 / 127.5], [], FLOAT)), g.initializer([1.0], [], FLOAT))
    x = hard_swish(g, scaled(g, conv(g, x, 3, 8, 3, 2, bias=False), 8))
    for n, wide, m, size, stride, se in [(8, 8, 8, 3, 2, True), (8, 16, 12, 3, 2, False), (12, 24, 12, 5, 1, True), (12, 24, 16, 5, 2, True)]:
        y = hard_swish(g, scaled(g, conv(g, x, n, wide, 1, bias=False), wide))
        y = hard_swish(g, scaled(g, depthwise(g, y, wide, size, stride), wide))
        if se:
            s = g.op("ReduceMean", y, axes=[1, 2], keepdims=1)
            s = g.op("Relu", conv(g, s, wide, 4, 1))
            y = g.op("Mul", y, hard_sigmoid(g, conv(g, s, 4, wide, 1)))
        y = scaled(g, conv(g, y, wide, m, 1, bias=False), m)
        x = g.op("Add", x, y) if n == m and stride == 1 else y
    x = g.op("ReduceMean", x, axes=[1, 2], keepdims=1)
    x = hard_swish(g, conv(g, x, 16, 20, 1))
    x = conv(g, x, 20, 10, 1)
    x = g.op("Reshape", x, target(g, size32(g, x, 0), 10))
    g.output(g.op("Softmax", x, axis=-1, names=["scores"]), ["N", 10])
    return model(g, 13)


def keras_xception():
    """Separable convolutions, residuals by convolutions with strides, padding between, channels last."""
    g = Graph("keras_xception")
    x = g.input("image", ["N", 32, 32, 3])
    x = g.op("Pad", x, numbers(g, 0, 1, 1, 0, 0, 1, 1, 0), mode="constant")
    x = g.op("Relu", scaled(g, conv(g, x, 3, 8, 3, 2, bias=False, valid=True), 8))
    for n, m in [(8, 12), (12, 16)]:
        short = scaled(g, conv(g, x, n, m, 1, 2, bias=False), m)
        y = scaled(g, conv(g, depthwise(g, x, n, 3), n, m, 1, bias=False), m)
        y = scaled(g, conv(g, depthwise(g, g.op("Relu", y), m, 3), m, m, 1, bias=False), m)
        y = last(g, g.op("MaxPool", first(g, y), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"))
        x = g.op("Add", y, short)
    for _ in range(2):
        y = x
        for _ in range(2):
            y = scaled(g, conv(g, depthwise(g, g.op("Relu", y), 16, 3), 16, 16, 1, bias=False), 16)
        x = g.op("Add", y, x)
    x = last(g, g.op("GlobalAveragePool", first(g, x)))
    x = g.op("Squeeze", x, numbers(g, 1, 2))
    g.output(g.op("Softmax", dense_last(g, x, 16, 10), axis=-1, names=["scores"]), ["N", 10])
    return model(g, 13)


def state(g, x, width):
    """Zeros for a batch, by sizes of 32 bits."""
    shape = target(g, size32(g, x, 0), width)
    return g.op("Unsqueeze", g.op("Expand", g.initializer([0.0], [1], FLOAT), shape), numbers(g, 0))


def keras_recurrent():
    """An LSTM forward and one backward, joined, then a GRU whose last step counts; batch first outside, time first inside."""
    g = Graph("keras_recurrent")
    ids = g.input("tokens", ["N", "T"], INT32)
    x = g.op("Gather", g.weights(40, 12), g.op("Cast", ids, to=INT64))
    time_first = g.op("Transpose", x, perm=[1, 0, 2])
    outs = []
    for direction in ("forward", "reverse"):
        y = g.op("LSTM", time_first, g.weights(1, 32, 12), g.weights(1, 32, 8), g.weights(1, 64), None, state(g, x, 8), state(g, x, 8),
                 hidden_size=8, direction=direction, results=3)[0]
        outs.append(g.op("Transpose", g.op("Squeeze", y, numbers(g, 1)), perm=[1, 0, 2]))
    x = g.op("Concat", *outs, axis=2)
    x = g.op("Add", g.op("MatMul", x, g.weights(16, 12)), g.weights(12))
    y = g.op("Transpose", g.op("Tanh", x), perm=[1, 0, 2])
    y = g.op("GRU", y, g.weights(1, 24, 12), g.weights(1, 24, 8), g.weights(1, 48), None, state(g, x, 8), hidden_size=8, linear_before_reset=1, results=2)[0]
    y = g.op("Transpose", g.op("Squeeze", y, numbers(g, 1)), perm=[1, 0, 2])
    y = g.op("Squeeze", g.op("Slice", y, numbers(g, -1), numbers(g, 2147483647), numbers(g, 1)), numbers(g, 1))
    g.output(g.op("Sigmoid", dense_last(g, y, 8, 1), names=["score"]), ["N", 1])
    return model(g, 13)


def norm(g, x, width):
    """A layer norm as TensorFlow applies one: x · a + (b - mean · a)."""
    mean = g.op("ReduceMean", x, axes=[-1], keepdims=1)
    d = g.op("Sub", x, mean)
    var = g.op("ReduceMean", g.op("Mul", d, d), axes=[-1], keepdims=1)
    a = g.op("Reciprocal", g.op("Sqrt", g.op("Add", var, g.initializer([1e-6], [], FLOAT))))
    a = g.op("Mul", a, g.weights(width, above=0.5))
    return g.op("Add", g.op("Mul", x, a), g.op("Sub", g.weights(width), g.op("Mul", mean, a)))


def tf_bert():
    """Attention with sizes of 32 bits, products as matrices of rows, a mask from the ids, positions sliced from a table."""
    g = Graph("tf_bert")
    ids = g.input("ids", ["N", "T"], INT32)
    keep = g.op("Cast", g.op("Not", g.op("Equal", ids, g.initializer([0], [], INT32))), to=FLOAT)
    keep = g.op("Unsqueeze", g.op("Unsqueeze", keep, numbers(g, 1)), numbers(g, 1))
    mask = g.op("Mul", g.op("Sub", g.initializer([1.0], [], FLOAT), keep), g.initializer([-10000.0], [], FLOAT))
    length = g.op("Cast", g.op("Unsqueeze", size32(g, ids, 1), numbers(g, 0)), to=INT64)
    x = g.op("Add", g.op("Gather", g.weights(50, 32), ids), g.op("Slice", g.weights(64, 32), numbers(g, 0), length, numbers(g, 0)))
    x = norm(g, x, 32)

    def rows(v, n, m):
        shape = target(g, size32(g, v, 0), size32(g, v, 1), m)
        y = g.op("MatMul", g.op("Reshape", v, target(g, -1, n)), g.weights(n, m))
        return g.op("Add", g.op("Reshape", y, shape), g.weights(m))

    for _ in range(2):
        q, k, v = [g.op("Reshape", rows(x, 32, 32), target(g, size32(g, x, 0), -1, 4, 8)) for _ in range(3)]
        q, v = [g.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v)]
        k = g.op("Transpose", g.op("Transpose", k, perm=[0, 2, 1, 3]), perm=[0, 1, 3, 2])
        scores = g.op("Mul", g.op("MatMul", q, k), g.initializer([8 ** -0.5], [], FLOAT))
        y = g.op("MatMul", g.op("Softmax", g.op("Add", scores, mask), axis=-1), v)
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), target(g, size32(g, x, 0), -1, 32))
        x = norm(g, g.op("Add", rows(y, 32, 32), x), 32)
        y = rows(x, 32, 64)
        half = g.op("Mul", g.op("Add", g.op("Erf", g.op("Div", y, g.initializer([1.41421356], [], FLOAT))), g.initializer([1.0], [], FLOAT)), g.initializer([0.5], [], FLOAT))
        x = norm(g, g.op("Add", rows(g.op("Mul", y, half), 64, 32), x), 32)
    first_token = g.op("Slice", x, numbers(g, 0, 0), numbers(g, 2147483647, 1), numbers(g, 0, 1), numbers(g, 1, 1))
    x = g.op("Tanh", dense_last(g, g.op("Squeeze", first_token, numbers(g, 1)), 32, 32))
    g.output(g.op("Identity", dense_last(g, x, 32, 2), names=["logits"]), ["N", 2])
    return model(g, 14)


FAMILIES = [keras_mobilenet, keras_xception, keras_recurrent, tf_bert]
