"""Families of vision models; see families.py."""
from blocks import (batch_norm, batch_norm_last, conv, conv_last, dense_last, first, hard_sigmoid, last, numbers, relu6, size_of,
                    stack, swish)
from onnx_writer import FLOAT, Graph, model


def resnet_last():
    """A residual network converted from channels last: transposes around each convolution and pool."""
    g = Graph("resnet_last")
    x = g.input("image", ["N", 32, 32, 3])
    x = g.op("Pad", x, numbers(g, 0, 3, 3, 0, 0, 3, 3, 0), mode="constant")
    x = g.op("Relu", batch_norm_last(g, conv_last(g, x, 3, 8, 7, strides=[2, 2], auto_pad="VALID"), 8))
    x = last(g, g.op("MaxPool", first(g, x), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"))
    for stage, (n, m) in enumerate([(8, 8), (8, 16), (16, 32)]):
        stride = [1, 1] if stage == 0 else [2, 2]
        short = x if stage == 0 else batch_norm_last(g, conv_last(g, x, n, m, 1, strides=stride), m)
        y = g.op("Relu", batch_norm_last(g, conv_last(g, x, n, m, 3, strides=stride), m))
        y = batch_norm_last(g, conv_last(g, y, m, m, 3), m)
        x = g.op("Relu", g.op("Add", y, short))
        y = g.op("Relu", batch_norm_last(g, conv_last(g, x, m, m, 3), m))
        x = g.op("Relu", g.op("Add", batch_norm_last(g, conv_last(g, y, m, m, 3), m), x))
    x = g.op("ReduceMean", x, axes=[1, 2], keepdims=0)
    x = g.op("Softmax", dense_last(g, x, 32, 10), axis=-1, names=["scores"])
    g.output(x, ["N", 10])
    return model(g, 13)


def mobilenet_last():
    """Depthwise convolutions with explicit padding and Relu6, channels last."""
    g = Graph("mobilenet_last")
    x = g.input("image", [1, 32, 32, 3])
    x = relu6(g, batch_norm_last(g, conv_last(g, x, 3, 8, 3, strides=[2, 2]), 8))
    for n, m, stride in [(8, 8, 1), (8, 16, 2), (16, 16, 1), (16, 24, 2), (24, 24, 1)]:
        y = relu6(g, batch_norm_last(g, conv_last(g, x, n, n * 4, 1), n * 4))
        if stride == 2:
            y = g.op("Pad", y, numbers(g, 0, 0, 0, 0, 0, 1, 1, 0), mode="constant")
        y = conv_last(g, y, n * 4, n * 4, 3, strides=[stride, stride], group=n * 4, auto_pad="VALID" if stride == 2 else "SAME_UPPER")
        y = relu6(g, batch_norm_last(g, y, n * 4))
        y = batch_norm_last(g, conv_last(g, y, n * 4, m, 1), m)
        x = g.op("Add", x, y) if n == m else y
    x = last(g, g.op("GlobalAveragePool", first(g, x)))
    x = g.op("Squeeze", x, numbers(g, 1, 2))
    g.output(g.op("Softmax", dense_last(g, x, 24, 10), axis=-1, names=["scores"]), [1, 10])
    return model(g, 13)


def efficientnet_last():
    """Squeeze and excitation, Swish; channels last."""
    g = Graph("efficientnet_last")
    x = g.input("image", ["N", 16, 16, 3])
    x = g.op("Mul", g.op("Sub", x, g.weights(3)), g.weights(3))
    x = swish(g, batch_norm_last(g, conv_last(g, x, 3, 8, 3, strides=[2, 2]), 8))
    for n, m in [(8, 8), (8, 12), (12, 12)]:
        y = swish(g, batch_norm_last(g, conv_last(g, x, n, n * 2, 1), n * 2))
        y = swish(g, batch_norm_last(g, conv_last(g, y, n * 2, n * 2, 3, group=n * 2), n * 2))
        s = g.op("ReduceMean", y, axes=[1, 2], keepdims=1)
        s = swish(g, g.op("Add", conv_last(g, s, n * 2, 4, 1), g.weights(4)))
        s = g.op("Sigmoid", g.op("Add", conv_last(g, s, 4, n * 2, 1), g.weights(n * 2)))
        y = batch_norm_last(g, conv_last(g, g.op("Mul", y, s), n * 2, m, 1), m)
        x = g.op("Add", y, x) if n == m else y
    x = g.op("ReduceMean", x, axes=[1, 2], keepdims=0)
    g.output(g.op("Softmax", dense_last(g, x, 12, 10), names=["scores"]), ["N", 10])
    return model(g, 15)


def efficientnet():
    """The same traced, channels first, with batch norms kept."""
    g = Graph("efficientnet")
    x = g.input("image", ["N", 3, 16, 16])
    x = swish(g, batch_norm(g, conv(g, x, 3, 8, 3, strides=[2, 2]), 8))
    for n, m in [(8, 8), (8, 12), (12, 12)]:
        y = swish(g, batch_norm(g, conv(g, x, n, n * 2, 1), n * 2))
        y = swish(g, batch_norm(g, conv(g, y, n * 2, n * 2, 5, group=n * 2), n * 2))
        s = g.op("ReduceMean", y, axes=[2, 3], keepdims=1)
        s = swish(g, conv(g, s, n * 2, 4, 1, bias=True))
        y = g.op("Mul", g.op("Sigmoid", conv(g, s, 4, n * 2, 1, bias=True)), y)
        y = batch_norm(g, conv(g, y, n * 2, m, 1), m)
        x = g.op("Add", y, x) if n == m else y
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    x = g.op("Dropout", x)
    g.output(g.op("Gemm", x, g.weights(10, 12), g.weights(10), transB=1, names=["logits"]), ["N", 10])
    return model(g, 12 + 1)


def mobilenet_v3():
    """Hard swish and hard sigmoid written out, and a view from traced sizes."""
    g = Graph("mobilenet_v3")
    x = g.input("image", ["N", 3, 32, 32])

    def hard_swish(v):
        return g.op("Mul", v, hard_sigmoid(g, v))

    x = hard_swish(batch_norm(g, conv(g, x, 3, 8, 3, strides=[2, 2]), 8))
    for n, m, stride in [(8, 8, 1), (8, 16, 2), (16, 16, 1)]:
        y = hard_swish(batch_norm(g, conv(g, x, n, n * 2, 1), n * 2))
        y = g.op("Relu", batch_norm(g, conv(g, y, n * 2, n * 2, 3, group=n * 2, strides=[stride, stride]), n * 2))
        s = g.op("GlobalAveragePool", y)
        s = g.op("Relu", conv(g, s, n * 2, 8, 1, bias=True))
        y = g.op("Mul", y, hard_sigmoid(g, conv(g, s, 8, n * 2, 1, bias=True)))
        y = batch_norm(g, conv(g, y, n * 2, m, 1), m)
        x = g.op("Add", x, y) if n == m else y
    x = g.op("GlobalAveragePool", x)
    x = g.op("Reshape", x, stack(g, size_of(g, x, 0), -1))
    x = hard_swish(g.op("Gemm", x, g.weights(20, 16), g.weights(20), transB=1))
    g.output(g.op("Gemm", x, g.weights(10, 20), g.weights(10), transB=1, names=["logits"]), ["N", 10])
    return model(g, 13)


def unet():
    """Skips, upsampling to a traced size, a transposed convolution."""
    g = Graph("unet")
    x = g.input("image", ["N", 3, "H", "W"])

    def block(v, n, m):
        v = g.op("Relu", batch_norm(g, conv(g, v, n, m, 3, bias=True), m))
        return g.op("Relu", batch_norm(g, conv(g, v, m, m, 3, bias=True), m))

    a = block(x, 3, 8)
    b = block(g.op("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0]), 8, 12)
    c = block(g.op("MaxPool", b, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0]), 12, 16)
    up = g.op("ConvTranspose", c, g.weights(16, 12, 2, 2), g.weights(12), kernel_shape=[2, 2], strides=[2, 2])
    c = block(g.op("Concat", b, up, axis=1), 24, 12)
    shape = g.op("Shape", c)
    head = g.op("Slice", shape, g.constant([0]), g.constant([2]), g.constant([0]))
    sizes = g.op("Concat", head, g.op("Cast", stack(g, size_of(g, a, 2), size_of(g, a, 3)), to=7), axis=0)
    up = g.op("Resize", c, None, None, sizes, coordinate_transformation_mode="half_pixel", mode="linear", nearest_mode="floor", cubic_coeff_a=-0.75)
    c = block(g.op("Concat", a, up, axis=1), 20, 8)
    g.output(g.op("Sigmoid", conv(g, c, 8, 1, 1, bias=True), names=["mask"]), ["N", 1, "H", "W"])
    return model(g, 16)


def unet_last():
    """Upsampling by a factor, Concat over channels; channels last."""
    g = Graph("unet_last")
    x = g.input("image", [1, 16, 16, 3])

    def block(v, n, m):
        v = g.op("Relu", g.op("Add", conv_last(g, v, n, m, 3), g.weights(m)))
        return g.op("Relu", g.op("Add", conv_last(g, v, m, m, 3), g.weights(m)))

    def pooled(v):
        return last(g, g.op("MaxPool", first(g, v), kernel_shape=[2, 2], strides=[2, 2], auto_pad="VALID"))

    def grown(v):
        scales = g.initializer([1.0, 1.0, 2.0, 2.0], [4], FLOAT)
        return last(g, g.op("Resize", first(g, v), None, scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"))

    a = block(x, 3, 8)
    b = block(pooled(a), 8, 12)
    c = block(pooled(b), 12, 16)
    c = block(g.op("Concat", grown(c), b, axis=3), 28, 12)
    c = block(g.op("Concat", grown(c), a, axis=3), 20, 8)
    x = g.op("Sigmoid", g.op("Add", conv_last(g, c, 8, 1, 1), g.weights(1)), names=["mask"])
    g.output(x, [1, 16, 16, 1])
    return model(g, 13)


def shufflenet():
    """Channels split, shuffled by views and joined; sizes traced."""
    g = Graph("shufflenet")
    x = g.input("image", ["N", 3, 16, 16])
    x = g.op("Relu", batch_norm(g, conv(g, x, 3, 16, 3, strides=[2, 2]), 16))
    for i in range(3):
        if i % 2:
            a, b = g.op("Split", x, g.constant([8, 8]), axis=1, results=2)
        else:
            half = g.op("Mul", g.op("Div", g.op("Add", size_of(g, x, 1), g.constant(1)), g.constant(2)), g.constant(1))
            end = g.op("Unsqueeze", half, g.constant([0]))
            a = g.op("Slice", x, g.constant([0]), end, g.constant([1]))
            b = g.op("Slice", x, end, g.op("Unsqueeze", g.op("Mul", half, g.constant(2)), g.constant([0])), g.constant([1]))
        b = g.op("Relu", batch_norm(g, conv(g, b, 8, 8, 1), 8))
        b = batch_norm(g, conv(g, b, 8, 8, 3, group=8), 8)
        b = g.op("Relu", batch_norm(g, conv(g, b, 8, 8, 1), 8))
        x = g.op("Concat", a, b, axis=1)
        sizes = [size_of(g, x, axis) for axis in range(4)]
        x = g.op("Reshape", x, stack(g, sizes[0], 2, g.op("Div", sizes[1], g.constant(2)), sizes[2], sizes[3]))
        x = g.op("Transpose", x, perm=[0, 2, 1, 3, 4])
        x = g.op("Reshape", x, stack(g, sizes[0], -1, sizes[2], sizes[3]))
    x = g.op("ReduceMean", x, axes=[2, 3], keepdims=0)
    g.output(g.op("Gemm", x, g.weights(10, 16), g.weights(10), transB=1, names=["logits"]), ["N", 10])
    return model(g, 13)


def densenet():
    """Batch norms in front of convolutions, growing Concats, average pools."""
    g = Graph("densenet")
    x = g.input("image", ["N", 3, 16, 16])
    x = g.op("Relu", batch_norm(g, conv(g, x, 3, 8, 3), 8))
    n = 8
    for stage in range(2):
        parts = [x]
        for _ in range(3):
            y = g.op("Concat", *parts, axis=1)
            y = conv(g, g.op("Relu", batch_norm(g, y, n)), n, 16, 1)
            parts.append(conv(g, g.op("Relu", batch_norm(g, y, 16)), 16, 4, 3))
            n += 4
        x = g.op("Concat", *parts, axis=1)
        if stage == 0:
            x = conv(g, g.op("Relu", batch_norm(g, x, n)), n, 8, 1)
            x = g.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], ceil_mode=0)
            n = 8
    x = g.op("GlobalAveragePool", g.op("Relu", batch_norm(g, x, n)))
    x = g.op("Flatten", x, axis=1)
    g.output(g.op("Gemm", x, g.weights(10, n), g.weights(10), transB=1, names=["logits"]), ["N", 10])
    return model(g, 13)


def super_resolution():
    """Sub-pixel upscaling by views, reflected padding, instance norms."""
    g = Graph("super_resolution")
    x = g.input("image", ["N", 1, 12, 12])
    pads = g.op("Cast", g.op("Concat", g.constant([0, 0, 2, 2]), g.constant([0, 0, 2, 2]), axis=0), to=7)
    x = g.op("Pad", x, pads, mode="reflect")
    x = g.op("InstanceNormalization", conv(g, x, 1, 8, 5, bias=True, pads=[0, 0, 0, 0]), g.weights(8, above=0.5), g.weights(8), epsilon=1e-5)
    x = g.op("PRelu", x, g.weights(8, 1, 1))
    x = g.op("Add", g.op("LeakyRelu", conv(g, x, 8, 8, 3, bias=True), alpha=0.1), x)
    x = conv(g, x, 8, 4, 3, bias=True)
    x = g.op("Reshape", x, g.constant([-1, 1, 2, 2, 12, 12]))
    x = g.op("Transpose", x, perm=[0, 1, 4, 2, 5, 3])
    x = g.op("Reshape", x, g.constant([-1, 1, 24, 24]))
    g.output(g.op("Clip", x, g.constant(0.0, kind=FLOAT), g.constant(1.0, kind=FLOAT), names=["sharp"]), ["N", 1, 24, 24])
    return model(g, 13)


FAMILIES = [resnet_last, mobilenet_last, efficientnet_last, efficientnet, mobilenet_v3, unet, unet_last, shufflenet, densenet,
            super_resolution]
