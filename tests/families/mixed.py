"""Channels-first networks of which single ops are done channels last, between transposes, as tools leave them that go through a model
op by op; see families.py.
"""
from blocks import batch_norm, conv, gelu, hard_sigmoid, layer_norm, linear, swish
from onnx_writer import FLOAT, INT64, Graph, model

ELEMENTWISE = {"Relu", "Sigmoid", "Mul", "Add", "Sub", "Div", "Clip", "Erf", "Tanh", "LeakyRelu", "Sqrt", "Pow", "HardSigmoid", "Elu"}
KEEP_RANK = ELEMENTWISE | {"Conv", "ConvTranspose", "BatchNormalization", "MaxPool", "AveragePool", "GlobalAveragePool", "Concat", "Resize",
                           "ReduceMean", "Transpose", "MatMul", "Softmax", "InstanceNormalization"}


class MixedGraph(Graph):
    """Does most elementwise ops on four dimensions channels last, and puts pairs of transposes behind some others."""

    def __init__(self, name):
        super().__init__(name)
        self.four, self.scalars, self.turned = set(), set(), {}

    def input(self, name, dims, kind=FLOAT):
        super().input(name, [dims[0], *dims[2:], dims[1]], kind)
        y = super().op("Transpose", name, perm=[0, 3, 1, 2])
        self.four.add(y)
        return y

    def constant(self, values, dims=None, kind=INT64):
        name = super().constant(values, dims, kind)
        self.scalars.add(name)
        return name

    def last(self, x):
        if x not in self.turned:
            self.turned[x] = super().op("Transpose", x, perm=[0, 2, 3, 1])
        return self.turned[x]

    def op(self, kind, *inputs, **rest):
        four = bool(self.four.intersection(inputs))
        if kind in ELEMENTWISE and four and self.four.union(self.scalars).issuperset(inputs) and not rest.get("names") and self.random.random() < 0.6:
            y = super().op(kind, *[self.last(x) if x in self.four else x for x in inputs], **rest)
            out = super().op("Transpose", y, perm=[0, 3, 1, 2])
            self.turned[out] = y
        else:
            out = super().op(kind, *inputs, **rest)
            if four and kind in ("Conv", "Concat", "MaxPool") and self.random.random() < 0.5:
                out = super().op("Transpose", super().op("Transpose", out, perm=[0, 2, 3, 1]), perm=[0, 3, 1, 2])
        if four and kind in KEEP_RANK and isinstance(out, str) and rest.get("keepdims", 1):
            self.four.add(out)
        return out


def classify(g, x, n):
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    g.output(g.op("Gemm", x, g.weights(10, n), g.weights(10), transB=1, names=["logits"]), [1, 10])


def resnet_body(g):
    x = g.input("image", [1, 3, 32, 32])
    x = g.op("Relu", conv(g, x, 3, 8, 7, bias=True, strides=[2, 2]))
    x = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for n, m, stride in [(8, 8, 1), (8, 16, 2), (16, 32, 2)]:
        y = g.op("Relu", conv(g, x, n, m, 3, bias=True, strides=[stride, stride]))
        y = conv(g, y, m, m, 3, bias=True)
        short = x if n == m else conv(g, x, n, m, 1, bias=True, strides=[stride, stride])
        x = g.op("Relu", g.op("Add", y, short))
        y = g.op("Relu", conv(g, x, m, m, 3, bias=True))
        x = g.op("Relu", g.op("Add", conv(g, y, m, m, 3, bias=True), x))
    classify(g, x, 32)
    return model(g, 13)


def mobilenet_body(g):
    x = g.input("image", [1, 3, 32, 32])

    def hard_swish(v):
        return g.op("Mul", v, hard_sigmoid(g, v))

    x = hard_swish(batch_norm(g, conv(g, x, 3, 8, 3, strides=[2, 2]), 8))
    for n, m, stride in [(8, 8, 1), (8, 16, 2), (16, 16, 1)]:
        y = hard_swish(batch_norm(g, conv(g, x, n, n * 2, 1), n * 2))
        y = g.op("Clip", batch_norm(g, conv(g, y, n * 2, n * 2, 3, group=n * 2, strides=[stride, stride]), n * 2),
                 g.constant(0.0, kind=FLOAT), g.constant(6.0, kind=FLOAT))
        s = g.op("Relu", conv(g, g.op("GlobalAveragePool", y), n * 2, 8, 1, bias=True))
        y = g.op("Mul", hard_sigmoid(g, conv(g, s, 8, n * 2, 1, bias=True)), y)
        y = batch_norm(g, conv(g, y, n * 2, m, 1), m)
        x = g.op("Add", x, y) if n == m else y
    classify(g, x, 16)
    return model(g, 13)


def convnext_body(g):
    x = g.input("image", [1, 3, 32, 32])

    def norm_first(v, n):
        v = g.op("Transpose", v, perm=[0, 2, 3, 1])
        return g.op("Transpose", layer_norm(g, v, n), perm=[0, 3, 1, 2])

    x = norm_first(g.op("Conv", x, g.weights(12, 3, 4, 4), g.weights(12), kernel_shape=[4, 4], strides=[4, 4], pads=[0, 0, 0, 0]), 12)
    for stage, n in enumerate([12, 16]):
        if stage:
            x = g.op("Conv", norm_first(x, 12), g.weights(16, 12, 2, 2), g.weights(16), kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0])
        for _ in range(2):
            y = conv(g, x, n, n, 7, bias=True, group=n)
            y = layer_norm(g, g.op("Transpose", y, perm=[0, 2, 3, 1]), n)
            y = linear(g, gelu(g, linear(g, y, n, n * 4)), n * 4, n)
            y = g.op("Transpose", y, perm=[0, 3, 1, 2])
            x = g.op("Add", g.op("Mul", g.weights(n, 1, 1), y), x)
    x = norm_first(g.op("GlobalAveragePool", x), 16)
    x = g.op("Flatten", x, axis=1)
    g.output(g.op("Gemm", x, g.weights(10, 16), g.weights(10), transB=1, names=["logits"]), [1, 10])
    return model(g, 13)


def dense_body(g):
    """Concats of what came before, in two widths, with Swish and Elu."""
    x = g.input("image", [1, 3, 24, 24])
    x = swish(g, conv(g, x, 3, 8, 3, bias=True, strides=[2, 2]))
    n = 8
    for _ in range(3):
        y = g.op("Elu", conv(g, swish(g, conv(g, x, n, 8, 1, bias=True)), 8, 4, 3, bias=True), alpha=1.0)
        z = g.op("LeakyRelu", g.op("AveragePool", conv(g, x, n, 4, 1, bias=True), kernel_shape=[3, 3], pads=[1, 1, 1, 1]), alpha=0.1)
        x = g.op("Concat", x, y, z, axis=1)
        n += 8
    weight = g.op("Softmax", g.op("ReduceMean", x, axes=[2, 3], keepdims=1), axis=1)
    x = g.op("Mul", x, weight)
    classify(g, x, n)
    return model(g, 13)


def generator_body(g):
    """Instance norms, transposed convolutions, Resize and Tanh."""
    x = g.input("image", [1, 3, 16, 16])
    x = g.op("Relu", g.op("InstanceNormalization", conv(g, x, 3, 8, 3, bias=True), g.weights(8, above=0.5), g.weights(8)))
    for _ in range(2):
        y = g.op("Relu", conv(g, x, 8, 8, 3, bias=True))
        x = g.op("Add", x, conv(g, y, 8, 8, 3, bias=True))
    x = g.op("Relu", g.op("ConvTranspose", x, g.weights(8, 8, 2, 2), g.weights(8), kernel_shape=[2, 2], strides=[2, 2]))
    scales = g.initializer([1.0, 1.0, 2.0, 2.0], [4], FLOAT)
    x = g.op("Resize", x, None, scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    g.output(g.op("Tanh", conv(g, x, 8, 3, 3, bias=True), names=["picture"]), [1, 3, 64, 64])
    return model(g, 13)


def family(body, graph, name):
    def make():
        return body(graph(name))
    make.__name__ = name
    return make


BODIES = {"resnet": resnet_body, "mobilenet": mobilenet_body, "convnext": convnext_body, "dense": dense_body, "generator": generator_body}
FAMILIES = [family(body, Graph, name) for name, body in BODIES.items()] + [family(body, MixedGraph, name + "_mixed") for name, body in BODIES.items()]
