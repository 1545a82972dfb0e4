"""Pieces of networks as exporters write them: what a tracing exporter makes of layer norms, Gelu, views, attention; and
what a converter from channels-last frameworks makes of convolutions.
"""
from onnx_writer import BOOL, FLOAT, INT64, tensor


# ---- traced (channels first) ----

def size_of(g, x, axis):
    """One size of a shape as a scalar."""
    return g.op("Gather", g.op("Shape", x), g.constant(axis), axis=0)


def stack(g, *sizes):
    """Scalars and numbers as a list of sizes."""
    parts = [g.op("Unsqueeze", s if isinstance(s, str) else g.constant(s), g.constant([0])) for s in sizes]
    return g.op("Concat", *parts, axis=0)


def layer_norm(g, x, width, axis=-1):
    mean = g.op("ReduceMean", x, axes=[axis])
    d = g.op("Sub", x, mean)
    var = g.op("ReduceMean", g.op("Pow", d, g.constant(2.0, kind=FLOAT)), axes=[axis])
    y = g.op("Div", d, g.op("Sqrt", g.op("Add", var, g.constant(1e-5, kind=FLOAT))))
    return g.op("Add", g.op("Mul", y, g.weights(width, above=0.5)), g.weights(width))


def gelu(g, x):
    half = g.op("Erf", g.op("Div", x, g.constant(1.41421356, kind=FLOAT)))
    return g.op("Mul", g.op("Mul", x, g.op("Add", half, g.constant(1.0, kind=FLOAT))), g.constant(0.5, kind=FLOAT))


def tanh_gelu(g, x):
    cube = g.op("Pow", x, g.constant(3.0, kind=FLOAT))
    inner = g.op("Add", x, g.op("Mul", cube, g.constant(0.044715, kind=FLOAT)))
    t = g.op("Tanh", g.op("Mul", inner, g.constant(0.7978845608, kind=FLOAT)))
    return g.op("Mul", g.op("Mul", x, g.constant(0.5, kind=FLOAT)), g.op("Add", t, g.constant(1.0, kind=FLOAT)))


def linear(g, x, n, m, bias=True):
    y = g.op("MatMul", x, g.weights(n, m))
    return g.op("Add", g.weights(m), y) if bias else y


def heads(g, x, count, width, perm=(0, 2, 1, 3)):
    shape = stack(g, size_of(g, x, 0), size_of(g, x, 1), count, width)
    return g.op("Transpose", g.op("Reshape", x, shape), perm=list(perm))


def joined(g, x, width):
    x = g.op("Transpose", x, perm=[0, 2, 1, 3])
    return g.op("Reshape", x, stack(g, size_of(g, x, 0), size_of(g, x, 1), width))


def attention(g, x, width, count, mask=None, softmax=True):
    head = width // count
    q = heads(g, linear(g, x, width, width), count, head)
    k = heads(g, linear(g, x, width, width), count, head)
    v = heads(g, linear(g, x, width, width), count, head)
    k = g.op("Transpose", k, perm=[0, 1, 3, 2])
    scores = g.op("Div", g.op("MatMul", q, k), g.constant(head ** 0.5, kind=FLOAT))
    if mask:
        scores = g.op("Add", scores, mask)
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    return linear(g, joined(g, y, width), width, width)


def conv(g, x, n, m, size, bias=False, **attributes):
    groups = attributes.get("group", 1)
    weights = [x, g.weights(m, n // groups, size, size)] + ([g.weights(m)] if bias else [])
    attributes.setdefault("pads", [size // 2] * 4)
    return g.op("Conv", *weights, dilations=[1, 1], kernel_shape=[size, size], strides=attributes.pop("strides", [1, 1]), **attributes)


def batch_norm(g, x, n):
    return g.op("BatchNormalization", x, g.weights(n, above=0.5), g.weights(n), g.weights(n), g.weights(n, above=0.5), epsilon=1e-5)


def swish(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def hard_sigmoid(g, x):
    """As exporters write it before they know HardSigmoid."""
    y = g.op("Clip", g.op("Add", x, g.constant(3.0, kind=FLOAT)), g.constant(0.0, kind=FLOAT), g.constant(6.0, kind=FLOAT))
    return g.op("Div", y, g.constant(6.0, kind=FLOAT))


# ---- converted (channels last) ----

def first(g, x):
    return g.op("Transpose", x, perm=[0, 3, 1, 2])


def last(g, x):
    return g.op("Transpose", x, perm=[0, 2, 3, 1])


def conv_last(g, x, n, m, size, **attributes):
    attributes.setdefault("auto_pad", "SAME_UPPER")
    strides = attributes.pop("strides", [1, 1])
    groups = attributes.get("group", 1)
    y = g.op("Conv", first(g, x), g.weights(m, n // groups, size, size), dilations=[1, 1], kernel_shape=[size, size],
             strides=strides, **attributes)
    return last(g, y)


def batch_norm_last(g, x, n):
    return last(g, batch_norm(g, first(g, x), n))


def relu6(g, x):
    return g.op("Clip", x, g.initializer([0.0], [], FLOAT), g.initializer([6.0], [], FLOAT))


def dense_last(g, x, n, m):
    return g.op("Add", g.op("MatMul", x, g.weights(n, m)), g.weights(m))


def truth(g, values, dims):
    return g.initializer([int(v) for v in values], dims, BOOL)


def numbers(g, *values):
    return g.initializer(list(values), [len(values)], INT64)


# ---- shorthands of families that are mostly arithmetic on sizes ----

def real(g, value):
    return g.constant(value, kind=FLOAT)


def cut(g, x, start, end, axis, step=1):
    """x[start:end:step] along one axis."""
    return g.op("Slice", x, g.constant([start]), g.constant([end]), g.constant([axis]), g.constant([step]))


def unsqueezed(g, x, *axes):
    return g.op("Unsqueeze", x, g.constant(list(axes)))


def of_value(value=0.0, kind=FLOAT):
    """The attribute of a ConstantOfShape."""
    return tensor("", kind, [1], [value])


def stretched(g, x, sizes):
    """Expand where -1 stands for the size that is there, as tracing exporters write it."""
    ones = g.op("ConstantOfShape", g.op("Shape", sizes), value=of_value(1, INT64))
    return g.op("Expand", x, g.op("Where", g.op("Equal", sizes, g.op("Mul", ones, g.constant(-1))), ones, sizes))


def conv_swish(g, x, n, m, size=1, stride=1):
    return swish(g, conv(g, x, n, m, size, bias=True, strides=[stride, stride]))
