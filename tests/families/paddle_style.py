"""Families as Paddle's converter writes them, old models of Caffe2, loops of TensorFlow's converter, networks over graphs and time; see families.py."""
from blocks import attention, batch_norm, conv, gelu, layer_norm, linear, numbers, size_of, stack
from onnx_writer import BOOL, FLOAT, INT32, INT64, Graph, model, tensor

FAR = 2147483647


def constant_like(g, value, *dims):
    """Paddle fills tensors where others have constants."""
    return g.op("ConstantOfShape", g.constant(list(dims)), value=tensor("", FLOAT, [1], [value]))


def hard_swish(g, x):
    return g.op("Div", g.op("Mul", x, g.op("Clip", g.op("Add", x, constant_like(g, 3.0, 1)), g.constant(0.0, kind=FLOAT), g.constant(6.0, kind=FLOAT))),
                constant_like(g, 6.0, 1))


def conv_norm(g, x, n, m, size, act=None, **attributes):
    x = batch_norm(g, conv(g, x, n, m, size, **attributes), m)
    return hard_swish(g, x) if act == "hswish" else g.op("Relu", x) if act else x


def channel_weights(g, x, n):
    """Squeeze and excitation; the biases are reshaped in the graph."""
    y = g.op("GlobalAveragePool", x)
    y = g.op("Relu", g.op("Add", conv(g, y, n, n // 2, 1), g.op("Reshape", g.weights(n // 2), g.constant([1, n // 2, 1, 1]))))
    y = g.op("Add", conv(g, y, n // 2, n, 1), g.op("Reshape", g.weights(n), g.constant([1, n, 1, 1])))
    return g.op("Mul", x, g.op("HardSigmoid", y, alpha=0.2, beta=0.5))


def sizes_of_image(g, x):
    """Height and width as a tower of Shape, Slice, Cast and Concat."""
    shape = g.op("Cast", g.op("Shape", x), to=INT32)
    height = g.op("Slice", shape, g.constant([2]), g.constant([3]), g.constant([0]))
    width = g.op("Slice", shape, g.constant([3]), g.constant([4]), g.constant([0]))
    return height, width


def enlarged(g, x, like):
    """Resized to the size of another map."""
    height, width = sizes_of_image(g, like)
    size = g.op("Cast", g.op("Concat", height, width, axis=0), to=INT64)
    outer = g.op("Slice", g.op("Shape", x), g.constant([0]), g.constant([2]), g.constant([0]))
    nothing = g.constant([], [0], FLOAT)
    return g.op("Resize", x, nothing, nothing, g.op("Concat", outer, size, axis=0), mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric")


def paddle_detector():
    """A text detector: a small backbone, maps enlarged to each other, a head of transposed convolutions."""
    g = Graph("paddle_detector")
    x = g.input("x", ["batch", 3, "height", "width"])
    a = conv_norm(g, x, 3, 8, 3, "hswish", strides=[2, 2])
    b = conv_norm(g, a, 8, 16, 3, "relu", strides=[2, 2])
    c = conv_norm(g, channel_weights(g, b, 16), 16, 16, 3, "hswish", strides=[2, 2])
    c, b = conv(g, c, 16, 16, 1), conv(g, b, 16, 16, 1)
    b = g.op("Add", b, enlarged(g, c, b))
    maps = g.op("Concat", enlarged(g, conv(g, c, 16, 8, 3), b), conv(g, b, 16, 8, 3), axis=1)
    y = conv_norm(g, maps, 16, 8, 3, "relu")
    y = g.op("ConvTranspose", y, g.weights(8, 8, 2, 2), kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], group=1)
    y = g.op("Add", y, g.op("Reshape", g.weights(8), g.constant([1, 8, 1, 1])))
    y = g.op("Relu", batch_norm(g, y, 8))
    y = g.op("ConvTranspose", y, g.weights(8, 1, 2, 2), kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], group=1)
    y = g.op("Add", y, g.op("Reshape", g.weights(1), g.constant([1, 1, 1, 1])))
    g.output(g.op("Sigmoid", y, names=["map"]), ["batch", 1, "out_height", "out_width"])
    return model(g, 11)


def paddle_recognizer():
    """A text recognizer: the height pooled away, tokens mixed by attention whose shapes come as towers."""
    g = Graph("paddle_recognizer")
    x = g.input("x", ["batch", 3, 16, "width"])
    x = conv_norm(g, x, 3, 8, 3, "hswish", strides=[2, 2])
    x = conv_norm(g, channel_weights(g, x, 8), 8, 16, 3, "hswish", strides=[2, 1])
    x = g.op("AveragePool", x, kernel_shape=[4, 1], strides=[4, 1], pads=[0, 0, 0, 0])
    shape = g.op("Shape", x)
    batch, width = [g.op("Slice", shape, g.constant([i]), g.constant([i + 1]), g.constant([0])) for i in (0, 3)]
    y = g.op("Transpose", g.op("Reshape", x, g.op("Concat", batch, g.constant([16]), width, axis=0)), perm=[0, 2, 1])
    for _ in range(2):
        z = layer_norm(g, y, 16)
        q = g.op("Add", g.op("MatMul", z, g.weights(16, 48)), g.weights(48))
        q = g.op("Transpose", g.op("Reshape", q, g.op("Concat", batch, width, g.constant([3]), g.constant([2]), g.constant([8]), axis=0)), perm=[2, 0, 3, 1, 4])
        parts = [g.op("Squeeze", g.op("Slice", q, g.constant([i]), g.constant([i + 1]), g.constant([0])), axes=[0]) for i in range(3)]
        scores = g.op("MatMul", g.op("Mul", parts[0], constant_like(g, 8 ** -0.5, 1)), g.op("Transpose", parts[1], perm=[0, 1, 3, 2]))
        z = g.op("MatMul", g.op("Softmax", scores, axis=3), parts[2])
        z = g.op("Reshape", g.op("Transpose", z, perm=[0, 2, 1, 3]), g.op("Concat", batch, width, g.constant([16]), axis=0))
        y = g.op("Add", y, g.op("Add", g.op("MatMul", z, g.weights(16, 16)), g.weights(16)))
    y = g.op("Add", g.op("MatMul", y, g.weights(16, 20)), g.weights(20))
    g.output(g.op("Softmax", y, axis=2, names=["softmax_0.tmp_0"]), ["batch", "length", 20])
    return model(g, 11)


def caffe_vgg():
    """A network of operator set 7: LRN, Dropout, scales and shifts behind each other, a Reshape before the products."""
    g = Graph("caffe_vgg")
    x = g.input("data_0", [1, 3, 32, 32])
    for n, m in ((3, 8), (8, 16)):
        x = g.op("Relu", conv(g, x, n, m, 3, bias=True))
        x = g.op("LRN", x, size=5, alpha=1e-4, beta=0.75, bias=1.0)
        x = g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0])
    x = conv(g, x, 16, 16, 3)
    x = g.op("BatchNormalization", x, *[g.weights(16, above=0.5) for _ in range(4)], epsilon=1e-5, momentum=0.9)
    x = g.op("Relu", g.op("Add", g.op("Mul", x, g.op("Unsqueeze", g.weights(16), axes=[1, 2])), g.op("Unsqueeze", g.weights(16), axes=[1, 2])))
    x = g.op("Reshape", x, numbers(g, 1, -1))
    x = g.op("Relu", g.op("Gemm", x, g.weights(32, 1024), g.weights(32), transB=1))
    x = g.op("Dropout", x, ratio=0.5, results=2)[0]
    x = g.op("Gemm", x, g.weights(10, 32), g.weights(10), transB=1)
    g.output(g.op("Softmax", g.op("Flatten", x, axis=1), axis=1, names=["prob_1"]), [1, 10])
    return model(g, 7)


def tf_loop():
    """A recurrent cell as TensorFlow's converter writes a while loop: a Loop whose rounds pick their step and give one each."""
    g = Graph("tf_loop")
    x = g.input("x", ["batch", 6, 8])
    shape = g.op("Cast", g.op("Shape", x), to=INT32)
    batch = g.op("Squeeze", g.op("Slice", shape, g.constant([0]), g.constant([1]), g.constant([0])), g.constant([0]))
    state = g.op("Expand", g.constant([0.0], [1, 1], FLOAT), g.op("Cast", g.op("Concat", g.op("Unsqueeze", batch, g.constant([0])),
                                                                           g.initializer([5], [1], INT32), axis=0), to=INT64))
    steps = g.op("Transpose", x, perm=[1, 0, 2])
    body = Graph("body", outer=g)
    i, go, h, n = body.input("i", [], INT64), body.input("go", [], BOOL), body.input("h", ["batch", 5]), body.input("n", [], INT32)
    step = body.op("Squeeze", body.op("Gather", steps, body.op("Unsqueeze", i, body.constant([0])), axis=0), body.constant([0]))
    both = body.op("Concat", step, h, axis=1)
    gates = body.op("Add", body.op("MatMul", both, g.weights(13, 10)), g.weights(10))
    r, u = body.op("Split", body.op("Sigmoid", gates), body.constant([5, 5]), axis=1, results=2)
    c = body.op("Tanh", body.op("Add", body.op("MatMul", body.op("Concat", step, body.op("Mul", r, h), axis=1), g.weights(13, 5)), g.weights(5)))
    new = body.op("Add", body.op("Mul", u, h), body.op("Mul", body.op("Sub", body.constant(1.0, kind=FLOAT), u), c))
    body.output(body.op("Identity", go), [], BOOL)
    body.output(new, ["batch", 5])
    body.output(body.op("Add", n, body.initializer([1], [], INT32)), [], INT32)
    body.output(body.op("Identity", new), ["batch", 5])
    last_state, _, every = g.op("Loop", g.constant(6), g.initializer([1], [], BOOL), state, g.initializer([0], [], INT32), body=body, results=3)
    every = g.op("Transpose", every, perm=[1, 0, 2])
    y = g.op("Add", g.op("MatMul", g.op("Mul", every, g.constant(1.0, kind=FLOAT)), g.weights(5, 3)), g.weights(3))
    g.output(g.op("Softmax", y, axis=-1, names=["steps"]), ["batch", 6, 3])
    g.output(g.op("Add", g.op("MatMul", last_state, g.weights(5, 2)), g.weights(2), names=["last"]), ["batch", 2])
    return model(g, 13)


def time_series():
    """Dilated convolutions along time, padded by a Pad in front and cut behind, with residuals and attention over the steps."""
    g = Graph("time_series")
    x = g.input("series", ["batch", 24, 4])
    y = g.op("Transpose", x, perm=[0, 2, 1])
    n = 4
    for dilation in (1, 2, 4):
        reach = 2 * dilation
        z = g.op("Conv", y, g.weights(8, n, 3), g.weights(8), dilations=[dilation], kernel_shape=[3], pads=[reach, reach], strides=[1], group=1)
        z = g.op("Relu", g.op("Slice", z, g.constant([0]), g.constant([-reach]), g.constant([2]), g.constant([1])))
        pads = g.op("Cast", g.op("Reshape", g.constant([0, 0, reach, 0, 0, 0]), g.constant([-1])), to=INT64)
        z = g.op("Conv", g.op("Pad", z, pads, g.constant(0.0, kind=FLOAT), mode="constant"), g.weights(8, 8, 3), g.weights(8),
                 dilations=[dilation], kernel_shape=[3], pads=[0, 0], strides=[1], group=1)
        side = y if n == 8 else g.op("Conv", y, g.weights(8, n, 1), g.weights(8), dilations=[1], kernel_shape=[1], pads=[0, 0], strides=[1], group=1)
        y, n = g.op("Relu", g.op("Add", g.op("Relu", z), side)), 8
    y = g.op("Transpose", y, perm=[0, 2, 1])
    y = layer_norm(g, g.op("Add", y, attention(g, y, 8, 2)), 8)
    y = g.op("Gather", y, g.constant(-1), axis=1)
    g.output(linear(g, gelu(g, linear(g, y, 8, 16)), 16, 6), ["batch", 6])
    return model(g, 14)


def graph_network():
    """Messages along the edges of a graph: nodes gathered, mixed, scattered and added up where they end."""
    g = Graph("graph_network")
    x, edges = g.input("nodes", ["nodes", 8]), g.input("edges", [2, "edges"], INT64)
    source, target = [g.op("Gather", edges, g.constant(i), axis=0) for i in (0, 1)]
    h = g.op("Relu", linear(g, x, 8, 12))
    for _ in range(2):
        message = g.op("Concat", g.op("Gather", h, source, axis=0), g.op("Gather", h, target, axis=0), axis=-1)
        message = g.op("Relu", linear(g, message, 24, 12))
        where = g.op("Expand", g.op("Unsqueeze", target, g.constant([-1])), g.op("Shape", message))
        empty = g.op("ConstantOfShape", g.op("Concat", g.op("Unsqueeze", size_of(g, h, 0), g.constant([0])), g.constant([12]), axis=0),
                     value=tensor("", FLOAT, [1], [0.0]))
        total = g.op("ScatterElements", empty, where, message, axis=0, reduction="add")
        h = layer_norm(g, g.op("Add", h, linear(g, g.op("Concat", h, total, axis=-1), 24, 12)), 12)
    pooled = g.op("ReduceMean", h, axes=[0], keepdims=0)
    pooled = g.op("Reshape", pooled, stack(g, 1, -1))
    g.output(linear(g, pooled, 12, 4), [1, 4])
    return model(g, 16)


FAMILIES = [paddle_detector, paddle_recognizer, caffe_vgg, tf_loop, time_series, graph_network]
