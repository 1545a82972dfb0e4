"""Families as converters from JAX write them: channels last, broadcasts written out, each product as matrices of rows; see families.py."""
from blocks import first, last, numbers, size_of, stack
from onnx_writer import FLOAT, Graph, model


def conv(g, x, n, m, size, stride=1, groups=1):
    """The kernel lies as height, width, in, out, and is turned in the model."""
    kernel = g.op("Transpose", g.weights(size, size, n // groups, m, scale=(size * size * n // groups) ** -0.5), perm=[3, 2, 0, 1])
    y = last(g, g.op("Conv", first(g, x), kernel, auto_pad="SAME_UPPER", strides=[stride, stride], dilations=[1, 1], group=groups))
    return g.op("Add", y, g.op("Reshape", g.weights(m), numbers(g, 1, 1, 1, m)))


def rows(g, x, n, m, keep):
    """A product with a matrix: all but the last dimension are one for it; `keep` of them are read from the shape."""
    y = g.op("Gemm", g.op("Reshape", x, numbers(g, -1, n)), g.weights(n, m), g.weights(m))
    front = g.op("Slice", g.op("Shape", x), numbers(g, 0), numbers(g, keep), numbers(g, 0))
    return g.op("Reshape", y, g.op("Concat", front, numbers(g, m), axis=0))


def mean(g, x, width, sizes):
    """A sum over the last dimension divided by its size, the dimension put back."""
    y = g.op("Div", g.op("ReduceSum", x, numbers(g, -1), keepdims=0), g.constant(float(width), kind=FLOAT))
    return g.op("Reshape", y, stack(g, *sizes, 1))


def layer_norm(g, x, width, sizes):
    """With the mean of squares, as Flax computes the variance fast."""
    m = mean(g, x, width, sizes)
    var = g.op("Sub", mean(g, g.op("Mul", x, x), width, sizes), g.op("Mul", m, m))
    var = g.op("Max", var, g.constant(0.0, kind=FLOAT))
    factor = g.op("Reciprocal", g.op("Sqrt", g.op("Add", var, g.constant(1e-6, kind=FLOAT))))
    factor = g.op("Mul", factor, g.op("Reshape", g.weights(width, above=0.5), numbers(g, 1, 1, width)))
    y = g.op("Mul", g.op("Sub", x, g.op("Expand", m, stack(g, *sizes, width))), factor)
    return g.op("Add", y, g.op("Reshape", g.weights(width), numbers(g, 1, 1, width)))


def softmax(g, x):
    """The largest taken away, exponentials, their sum; both stretched before they are used."""
    top = g.op("Identity", g.op("ReduceMax", x, axes=[-1], keepdims=1))
    e = g.op("Exp", g.op("Sub", x, g.op("Expand", top, g.op("Shape", x))))
    return g.op("Div", e, g.op("Expand", g.op("ReduceSum", e, numbers(g, -1), keepdims=1), g.op("Shape", e)))


def jax_vit():
    """A vision transformer of a symbolic batch: patches channels last, products as matrices of rows, heads as dimensions in place."""
    g = Graph("jax_vit")
    x = g.input("image", ["B", 16, 16, 3])
    kernel = g.op("Transpose", g.weights(4, 4, 3, 32, scale=0.15), perm=[3, 2, 0, 1])
    y = last(g, g.op("Conv", first(g, x), kernel, strides=[4, 4], auto_pad="VALID"))
    y = g.op("Add", y, g.op("Expand", g.op("Reshape", g.weights(32), numbers(g, 1, 1, 1, 32)), g.op("Shape", y)))
    b = size_of(g, x, 0)
    x = g.op("Reshape", y, stack(g, b, 16, 32))
    token = g.op("Expand", g.weights(1, 1, 32), stack(g, b, 1, 32))
    x = g.op("Add", g.op("Concat", token, x, axis=1), g.weights(1, 17, 32))
    for _ in range(2):
        sizes = [b, 17]
        y = layer_norm(g, x, 32, sizes)
        q, k, v = [g.op("Reshape", rows(g, y, 32, 32, 2), stack(g, b, 17, 4, 8)) for _ in range(3)]
        q = g.op("Div", q, g.constant(8 ** 0.5, kind=FLOAT))
        scores = g.op("MatMul", g.op("Transpose", q, perm=[0, 2, 1, 3]), g.op("Transpose", k, perm=[0, 2, 3, 1]))
        y = g.op("MatMul", softmax(g, scores), g.op("Transpose", v, perm=[0, 2, 1, 3]))
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), stack(g, b, 17, 32))
        x = g.op("Add", x, rows(g, y, 32, 32, 2))
        y = rows(g, layer_norm(g, x, 32, sizes), 32, 64, 2)
        half = g.op("Erf", g.op("Mul", y, g.constant(0.70710678, kind=FLOAT)))
        y = g.op("Mul", g.op("Mul", y, g.constant(0.5, kind=FLOAT)), g.op("Add", half, g.constant(1.0, kind=FLOAT)))
        x = g.op("Add", x, rows(g, y, 64, 32, 2))
    x = g.op("Slice", layer_norm(g, x, 32, [b, 17]), numbers(g, 0), numbers(g, 1), numbers(g, 1))
    x = g.op("Reshape", x, stack(g, b, 32))
    g.output(g.op("Gemm", x, g.weights(32, 10), g.weights(10), names=["logits"]), ["B", 10])
    return model(g, 17)


def group_norm(g, x, groups, n, side):
    """Channels last, seen as groups; statistics over places and channels of a group."""
    batch = size_of(g, x, 0)
    y = g.op("Reshape", x, stack(g, batch, side, side, groups, n // groups))
    m = g.op("ReduceMean", y, axes=[1, 2, 4], keepdims=1)
    d = g.op("Sub", y, m)
    var = g.op("ReduceMean", g.op("Mul", d, d), axes=[1, 2, 4], keepdims=1)
    y = g.op("Mul", d, g.op("Reciprocal", g.op("Sqrt", g.op("Add", var, g.constant(1e-6, kind=FLOAT)))))
    y = g.op("Reshape", y, stack(g, batch, side, side, n))
    y = g.op("Mul", y, g.op("Reshape", g.weights(n, above=0.5), numbers(g, 1, 1, 1, n)))
    return g.op("Add", y, g.op("Reshape", g.weights(n), numbers(g, 1, 1, 1, n)))


def batch_norm(g, x, n):
    """In inference: statistics are parameters, and all of it is arithmetic beside them."""
    mean, var = g.op("Reshape", g.weights(n), numbers(g, 1, 1, 1, n)), g.op("Reshape", g.weights(n, above=0.5), numbers(g, 1, 1, 1, n))
    scale, bias = g.op("Reshape", g.weights(n, above=0.5), numbers(g, 1, 1, 1, n)), g.op("Reshape", g.weights(n), numbers(g, 1, 1, 1, n))
    factor = g.op("Mul", g.op("Reciprocal", g.op("Sqrt", g.op("Add", var, g.constant(1e-5, kind=FLOAT)))), scale)
    return g.op("Add", g.op("Mul", g.op("Sub", x, mean), factor), bias)


def jax_resnet():
    """Residual blocks channels last, batch norms as arithmetic, pools between transposes, squeeze and excitation by products of rows."""
    g = Graph("jax_resnet")
    x = g.input("image", ["B", 32, 32, 3])
    x = g.op("Relu", batch_norm(g, conv(g, x, 3, 8, 7, 2), 8))
    x = last(g, g.op("MaxPool", first(g, x), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"))
    for n, m, stride in [(8, 8, 1), (8, 16, 2), (16, 16, 1)]:
        y = g.op("Relu", batch_norm(g, conv(g, x, n, m, 3, stride), m))
        y = batch_norm(g, conv(g, y, m, m, 3), m)
        s = g.op("ReduceMean", y, axes=[1, 2], keepdims=0)
        s = g.op("Relu", g.op("Add", g.op("MatMul", s, g.weights(m, 4)), g.weights(4)))
        s = g.op("Sigmoid", g.op("Add", g.op("MatMul", s, g.weights(4, m)), g.weights(m)))
        y = g.op("Mul", y, g.op("Reshape", s, stack(g, size_of(g, s, 0), 1, 1, m)))
        x = g.op("Relu", g.op("Add", y, x if n == m else batch_norm(g, conv(g, x, n, m, 1, stride), m)))
    x = last(g, g.op("AveragePool", first(g, x), kernel_shape=[4, 4], strides=[4, 4]))
    x = g.op("Reshape", x, stack(g, size_of(g, x, 0), 16))
    g.output(g.op("Gemm", x, g.weights(16, 10), g.weights(10), names=["logits"]), ["B", 10])
    return model(g, 15)


def jax_unet():
    """Down and up with group norms over views, Swish, skips; a time embedding added per channel; channels last."""
    g = Graph("jax_unet")
    x, t = g.input("image", ["B", 16, 16, 4]), g.input("time", ["B"])
    angles = g.op("Mul", g.op("Unsqueeze", t, numbers(g, 1)), g.op("Reshape", g.weights(8, above=0.1), numbers(g, 1, 8)))
    t = g.op("Concat", g.op("Sin", angles), g.op("Cos", angles), axis=-1)
    t = g.op("Add", g.op("MatMul", t, g.weights(16, 16)), g.weights(16))
    t = g.op("Mul", t, g.op("Sigmoid", t))

    def block(v, n, m, side):
        y = group_norm(g, v, 4, n, side)
        y = conv(g, g.op("Mul", y, g.op("Sigmoid", y)), n, m, 3)
        shift = g.op("Add", g.op("MatMul", t, g.weights(16, m)), g.weights(m))
        y = g.op("Add", y, g.op("Unsqueeze", g.op("Unsqueeze", shift, numbers(g, 1)), numbers(g, 2)))
        y = group_norm(g, y, 4, m, side)
        y = conv(g, g.op("Mul", y, g.op("Sigmoid", y)), m, m, 3)
        return g.op("Add", y, v if n == m else conv(g, v, n, m, 1))

    a = block(conv(g, x, 4, 8, 3), 8, 8, 16)
    b = block(conv(g, a, 8, 8, 3, 2), 8, 16, 8)
    up = last(g, g.op("Resize", first(g, b), None, g.initializer([1.0, 1.0, 2.0, 2.0], [4], FLOAT), mode="nearest",
                      coordinate_transformation_mode="asymmetric", nearest_mode="floor"))
    x = block(g.op("Concat", conv(g, up, 16, 8, 3), a, axis=-1), 16, 8, 16)
    y = group_norm(g, x, 4, 8, 16)
    g.output(g.op("Identity", conv(g, g.op("Mul", y, g.op("Sigmoid", y)), 8, 4, 3), names=["noise"]), ["B", 16, 16, 4])
    return model(g, 17)


FAMILIES = [jax_vit, jax_resnet, jax_unet]
