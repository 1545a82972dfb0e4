"""Further families of images, as exporters write them; see families.py."""
from blocks import (attention, batch_norm, batch_norm_last, conv, conv_last, conv_swish, cut, first, last,
                    layer_norm, linear, numbers, of_value, real, size_of, stack, stretched, swish, unsqueezed)
from onnx_writer import BOOL, FLOAT, INT32, INT64, UINT8, Graph, model, tensor

FAR = 9223372036854775807


def yolo_anchor_free():
    """Boxes as distributions behind Softmax, places from Range and Expand over sizes of the image, strides by ConstantOfShape."""
    g = Graph("yolo_anchor_free")
    x = g.input("images", ["batch", 3, "H", "W"])

    def c2f(x, n):
        y = conv_swish(g, x, n, n)
        a, b = g.op("Split", y, g.constant([n // 2, n // 2]), axis=1, results=2)
        z = g.op("Add", b, conv_swish(g, conv_swish(g, b, n // 2, n // 2, 3), n // 2, n // 2, 3))
        return conv_swish(g, g.op("Concat", a, b, z, axis=1), n * 3 // 2, n)

    p2 = c2f(conv_swish(g, x, 3, 8, 3, 2), 8)
    p3 = c2f(conv_swish(g, p2, 8, 16, 3, 2), 16)
    y = conv_swish(g, p3, 16, 8)
    parts = [y]
    for _ in range(3):
        parts.append(g.op("MaxPool", parts[-1], kernel_shape=[5, 5], pads=[2, 2, 2, 2], strides=[1, 1], dilations=[1, 1], ceil_mode=0))
    p3 = conv_swish(g, g.op("Concat", *parts, axis=1), 32, 16)
    up = g.op("Resize", p3, None, real(g, [1.0, 1.0, 2.0, 2.0]), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    p2 = c2f(conv_swish(g, g.op("Concat", up, p2, axis=1), 24, 8), 8)
    outs, levels = [], []
    for f, n in ((p2, 8), (p3, 16)):
        box = conv(g, conv_swish(g, f, n, 16, 3), 16, 16, 1, bias=True)
        cls = conv(g, conv_swish(g, f, n, 8, 3), 8, 4, 1, bias=True)
        y = g.op("Concat", box, cls, axis=1)
        levels.append(y)
        outs.append(g.op("Reshape", y, g.op("Concat", unsqueezed(g, size_of(g, x, 0), 0), g.constant([20]), g.constant([-1]), axis=0)))
    points, strides = [], []
    for y, s in zip(levels, (2.0, 4.0)):
        h, w = size_of(g, y, 2), size_of(g, y, 3)
        sx = g.op("Add", g.op("Cast", g.op("Range", g.constant(0), w, g.constant(1)), to=FLOAT), real(g, 0.5))
        sy = g.op("Add", g.op("Cast", g.op("Range", g.constant(0), h, g.constant(1)), to=FLOAT), real(g, 0.5))
        hw = stack(g, h, w)
        yy = stretched(g, g.op("Reshape", sy, g.constant([-1, 1])), hw)
        xx = stretched(g, g.op("Reshape", sx, g.constant([1, -1])), hw)
        points.append(g.op("Reshape", g.op("Concat", unsqueezed(g, xx, -1), unsqueezed(g, yy, -1), axis=-1), g.constant([-1, 2])))
        strides.append(g.op("ConstantOfShape", stack(g, g.op("Mul", h, w), 1), value=of_value(s)))
    anchors = unsqueezed(g, g.op("Transpose", g.op("Concat", *points, axis=0), perm=[1, 0]), 0)
    stride = g.op("Transpose", g.op("Concat", *strides, axis=0), perm=[1, 0])
    y = g.op("Concat", *outs, axis=2)
    box, cls = g.op("Split", y, g.constant([16, 4]), axis=1, results=2)
    b, a = size_of(g, box, 0), size_of(g, box, 2)
    d = g.op("Transpose", g.op("Reshape", box, stack(g, b, 4, 4, a)), perm=[0, 2, 1, 3])
    d = g.op("Softmax", g.op("Transpose", d, perm=[0, 3, 2, 1]), axis=3)
    d = g.op("Transpose", d, perm=[0, 3, 2, 1])
    d = g.op("Conv", d, g.initializer([0.0, 1.0, 2.0, 3.0], [1, 4, 1, 1], FLOAT), kernel_shape=[1, 1], strides=[1, 1], pads=[0] * 4,
            dilations=[1, 1], group=1)
    d = g.op("Reshape", d, stack(g, b, 4, a))
    ch = size_of(g, d, 1)
    half = g.op("Mul", g.op("Div", g.op("Add", ch, g.constant(1)), g.constant(2)), g.constant(1))
    lt = g.op("Slice", d, g.constant([0]), unsqueezed(g, half, 0), g.constant([1]))
    rb = g.op("Slice", d, unsqueezed(g, half, 0), unsqueezed(g, g.op("Mul", g.op("Div", g.op("Add", ch, g.constant(1)), g.constant(2)),
            g.constant(2)), 0), g.constant([1]))
    x1, x2 = g.op("Sub", anchors, lt), g.op("Add", anchors, rb)
    c = g.op("Div", g.op("Add", x1, x2), real(g, 2.0))
    boxes = g.op("Mul", g.op("Concat", c, g.op("Sub", x2, x1), axis=1), stride)
    g.output(g.op("Concat", boxes, g.op("Sigmoid", cls), axis=1, names=["output0"]), ["batch", 8, "anchors"])
    return model(g, 17)


def yolo_grid():
    """Pixels by fours as channels, a grid of places built from sizes of each level, anchors stretched over it."""
    g = Graph("yolo_grid")
    x = g.input("images", ["batch", 3, "H", "W"])
    cuts = [cut(g, cut(g, x, i, FAR, 2, 2), j, FAR, 3, 2) for i, j in ((0, 0), (1, 0), (0, 1), (1, 1))]
    x = conv_swish(g, g.op("Concat", *cuts, axis=1), 12, 8, 3)
    zs = []
    for level in range(2):
        x = conv_swish(g, x, 8, 8, 3, 2)
        y = conv(g, x, 8, 3 * 7, 1, bias=True)
        sh = g.op("Shape", y)
        b, ny, nx = [g.op("Gather", sh, g.constant(i), axis=0) for i in (0, 2, 3)]
        y = g.op("Transpose", g.op("Reshape", y, stack(g, b, 3, 7, ny, nx)), perm=[0, 1, 3, 4, 2])
        yr = g.op("Cast", g.op("Range", g.constant(0), ny, g.constant(1)), to=FLOAT)
        xr = g.op("Cast", g.op("Range", g.constant(0), nx, g.constant(1)), to=FLOAT)
        hw = g.op("Concat", g.op("Shape", yr), g.op("Shape", xr), axis=0)
        yv = g.op("Expand", g.op("Reshape", yr, g.constant([-1, 1])), hw)
        xv = g.op("Expand", g.op("Reshape", xr, g.constant([1, -1])), hw)
        grid = g.op("Concat", unsqueezed(g, xv, 2), unsqueezed(g, yv, 2), axis=2)
        grid = g.op("Sub", g.op("Expand", unsqueezed(g, unsqueezed(g, grid, 0), 0), stack(g, 1, 3, ny, nx, 2)), real(g, 0.5))
        anchor = g.op("Mul", g.weights(3, 2, above=1.0), real(g, float(2 << level)))
        anchor = g.op("Expand", g.op("Reshape", anchor, g.constant([1, 3, 1, 1, 2])), stack(g, 1, 3, ny, nx, 2))
        y = g.op("Sigmoid", y)
        xy, wh, conf = g.op("Split", y, g.constant([2, 2, 3]), axis=4, results=3)
        xy = g.op("Mul", g.op("Add", g.op("Mul", xy, real(g, 2.0)), grid), real(g, float(2 << level)))
        wh = g.op("Mul", g.op("Pow", g.op("Mul", wh, real(g, 2.0)), real(g, 2.0)), anchor)
        y = g.op("Concat", xy, wh, conf, axis=4)
        zs.append(g.op("Reshape", y, stack(g, b, g.op("Mul", g.op("Mul", g.constant(3), nx), ny), 7)))
    g.output(g.op("Concat", *zs, axis=1, names=["output0"]), ["batch", "n", 7])
    return model(g, 13)


def deeplab():
    """Dilated branches and one of the whole picture, stretched to sizes that Shape, Slice and Concat compute."""
    g = Graph("deeplab")
    x = g.input("image", ["batch", 3, "H", "W"])
    f = g.op("Relu", batch_norm(g, conv(g, x, 3, 8, 3, strides=[2, 2]), 8))
    f = g.op("Relu", batch_norm(g, g.op("Conv", f, g.weights(8, 8, 3, 3), kernel_shape=[3, 3], pads=[2] * 4, dilations=[2, 2], strides=[1,
            1], group=1), 8))
    outs = [g.op("Relu", batch_norm(g, conv(g, f, 8, 4, 1), 4))]
    for d in (2, 4):
        outs.append(g.op("Relu", batch_norm(g, g.op("Conv", f, g.weights(4, 8, 3, 3), kernel_shape=[3, 3], pads=[d] * 4, dilations=[d, d],
                strides=[1, 1], group=1), 4)))
    p = g.op("Relu", batch_norm(g, conv(g, g.op("GlobalAveragePool", f), 8, 4, 1), 4))
    size = cut(g, g.op("Shape", f), -2, FAR, 0)

    def up(y, size, mode="linear"):
        head = g.op("Slice", g.op("Shape", y), g.constant([0]), g.constant([2]), g.constant([0]))
        sizes = g.op("Concat", head, g.op("Cast", size, to=INT64), axis=0)
        return g.op("Resize", y, g.op("Constant", value=tensor("", FLOAT, [0], [])), g.op("Constant", value=tensor("", FLOAT, [0], [])), sizes,
                    mode=mode, coordinate_transformation_mode="pytorch_half_pixel", cubic_coeff_a=-0.75, nearest_mode="floor")

    h, w = size_of(g, f, 2), size_of(g, f, 3)
    outs.append(up(p, g.op("Concat", unsqueezed(g, h, 0), unsqueezed(g, w, 0), axis=0)))
    y = g.op("Relu", batch_norm(g, conv(g, g.op("Concat", *outs, axis=1), 16, 8, 1), 8))
    y = g.op("Dropout", y, real(g, 0.5), g.constant(0, kind=BOOL))
    y = conv(g, g.op("Relu", batch_norm(g, conv(g, y, 8, 8, 3), 8)), 8, 5, 1, bias=True)
    s = g.op("Shape", x)
    g.output(up(y, g.op("Concat", unsqueezed(g, g.op("Gather", s, g.constant(2), axis=0), 0), unsqueezed(g, g.op("Gather", s,
            g.constant(3), axis=0), 0), axis=0)), ["batch", 5, "H", "W"])
    return model(g, 13)


def feature_pyramid():
    """Levels added from the top, stretched by quotients of sizes, as in operator set 11."""
    g = Graph("feature_pyramid")
    x = g.input("image", ["batch", 3, 32, 32])
    c = []
    n = 3
    for m in (4, 8, 8):
        x = g.op("Relu", conv(g, x, n, m, 3, bias=True, strides=[2, 2]))
        n = m
        c.append((x, m))
    lat = [conv(g, f, m, 8, 1, bias=True) for f, m in c]
    out = [lat[-1]]
    for l in reversed(lat[:-1]):
        shape = g.op("Shape", l)
        hw = cut(g, shape, -2, FAR, 0)
        top = out[0]
        ts = g.op("Shape", top)
        sizes = g.op("Concat", cut(g, ts, 0, 2, 0), g.op("Cast", hw, to=INT64), axis=0)
        scales = g.op("Div", g.op("Cast", sizes, to=FLOAT), g.op("Cast", ts, to=FLOAT))
        u = g.op("Resize", top, real(g, [1.0] * 8), scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        out.insert(0, g.op("Add", l, u))
    for i, o in enumerate(out):
        y = conv(g, o, 8, 8, 3, bias=True)
        g.output(g.op("Identity", y, names=[f"p{i}"]), ["batch", 8, f"h{i}", f"w{i}"])
    g.output(g.op("MaxPool", y, kernel_shape=[1, 1], strides=[2, 2], pads=[0] * 4), ["batch", 8, "a", "b"])
    return model(g, 11)


def swin_v2():
    """Windows rolled by Slice and Concat, cosine attention, a bias from a small network of constants, a mask by ScatterND."""
    g = Graph("swin_v2")
    x = g.input("x", ["batch", 64, 16])
    b = size_of(g, x, 0)

    def win(t, c):
        bb = size_of(g, t, 0)
        t = g.op("Reshape", t, stack(g, bb, 2, 4, 2, 4, c))
        return g.op("Reshape", g.op("Transpose", t, perm=[0, 1, 3, 2, 4, 5]), g.constant([-1, 16, c]))

    for shift in (0, 2):
        y = g.op("Reshape", x, stack(g, b, 8, 8, 16))
        if shift:
            for axis in (1, 2):
                y = g.op("Concat", cut(g, y, shift, FAR, axis), cut(g, y, 0, shift, axis), axis=axis)
        y = win(y, 16)
        q = linear(g, y, 16, 48)
        q = g.op("Transpose", g.op("Reshape", q, stack(g, size_of(g, q, 0), 16, 3, 2, 8)), perm=[2, 0, 3, 1, 4])
        q, k, v = [g.op("Gather", q, g.constant(i), axis=0) for i in range(3)]
        def unit(t):
            nrm = g.op("ReduceL2", t, axes=[-1], keepdims=1)
            nrm = g.op("Clip", nrm, real(g, 1e-12))
            return g.op("Div", t, g.op("Expand", nrm, g.op("Shape", t)))
        w = g.op("MatMul", unit(q), g.op("Transpose", unit(k), perm=[0, 1, 3, 2]))
        scale = g.op("Exp", g.op("Clip", g.weights(2, 1, 1), None, real(g, 4.6052)))
        w = g.op("Mul", w, scale)
        # continuous bias of a constant table
        t = g.weights(1, 7, 7, 2)
        t = g.op("Relu", linear(g, t, 2, 8))
        t = g.op("Reshape", g.op("MatMul", t, g.weights(8, 2)), g.constant([-1, 2]))
        idx = g.initializer([(r // 4 - c // 4 + 3) * 7 + (r % 4 - c % 4 + 3) for r in range(16) for c in range(16)], [256])
        t = g.op("Reshape", g.op("Gather", t, idx), g.constant([16, 16, -1]))
        t = g.op("Mul", real(g, 16.0), g.op("Sigmoid", g.op("Transpose", t, perm=[2, 0, 1])))
        w = g.op("Add", w, unsqueezed(g, t, 0))
        if shift:
            mask = g.op("ConstantOfShape", g.constant([1, 8, 8, 1]), value=of_value(0.0))
            cnt = 0
            for hs in ((0, 4), (4, 6), (6, 8)):
                for ws in ((0, 4), (4, 6), (6, 8)):
                    ind = [v for r in range(*hs) for c in range(*ws) for v in (0, r, c, 0)]
                    m = (hs[1] - hs[0]) * (ws[1] - ws[0])
                    mask = g.op("ScatterND", mask, g.constant(ind, [m, 4]), g.op("Expand", real(g, float(cnt)), g.constant([m])))
                    cnt += 1
            mask = g.op("Reshape", win(mask, 1), g.constant([-1, 16]))
            d = g.op("Sub", unsqueezed(g, mask, 1), unsqueezed(g, mask, 2))
            neg = g.op("Not", g.op("Equal", d, real(g, 0.0)))
            d = g.op("Where", neg, real(g, -100.0), d)
            d = g.op("Where", g.op("Equal", d, real(g, 0.0)), real(g, 0.0), d)
            nw = g.op("Div", size_of(g, w, 0), g.constant(4))
            w = g.op("Add", g.op("Reshape", w, stack(g, nw, 4, 2, 16, 16)), unsqueezed(g, unsqueezed(g, d, 1), 0))
            w = g.op("Reshape", w, g.constant([-1, 2, 16, 16]))
        y = g.op("MatMul", g.op("Softmax", w, axis=-1), v)
        y = g.op("Transpose", y, perm=[0, 2, 1, 3])
        y = linear(g, g.op("Reshape", y, stack(g, size_of(g, y, 0), 16, 16)), 16, 16)
        y = g.op("Reshape", y, g.constant([-1, 4, 4, 16]))
        y = g.op("Reshape", y, g.constant([-1, 2, 2, 4, 4, 16]))
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), g.constant([-1, 8, 8, 16]))
        if shift:
            for axis in (1, 2):
                y = g.op("Concat", cut(g, y, -shift, FAR, axis), cut(g, y, 0, -shift, axis), axis=axis)
        y = g.op("Reshape", y, stack(g, b, 64, 16))
        x = g.op("Add", x, layer_norm(g, y, 16))
    # patch merging
    y = g.op("Reshape", x, stack(g, b, 8, 8, 16))
    ps = [cut(g, cut(g, y, i, FAR, 1, 2), j, FAR, 2, 2) for i, j in ((0, 0), (1, 0), (0, 1), (1, 1))]
    y = g.op("Reshape", g.op("Concat", *ps, axis=-1), stack(g, b, -1, 64))
    y = layer_norm(g, linear(g, y, 64, 32, bias=False), 32)
    y = g.op("GlobalAveragePool", g.op("Transpose", y, perm=[0, 2, 1]))
    y = g.op("Flatten", y, axis=1)
    g.output(linear(g, y, 32, 5), ["batch", 5])
    return model(g, 13)


def region_heads():
    """Boxes sorted to levels by their area, RoiAlign of each level, results scattered back in order."""
    g = Graph("region_heads")
    img = g.input("image", [1, 3, 32, 32])
    f = g.op("Relu", conv(g, img, 3, 8, 3, bias=True, strides=[2, 2]))
    f2 = g.op("Relu", conv(g, f, 8, 8, 3, bias=True, strides=[2, 2]))
    boxes = g.op("Mul", g.op("Sigmoid", g.input("raw", ["boxes", 4])), real(g, 16.0))
    a, c = cut(g, boxes, 0, 2, 1), cut(g, boxes, 2, 4, 1)
    boxes = g.op("Concat", a, g.op("Add", a, c), axis=1)
    x1, y1, x2, y2 = [g.op("Gather", boxes, g.constant(i), axis=1) for i in range(4)]
    area = g.op("Mul", g.op("Sub", x2, x1), g.op("Sub", y2, y1))
    lv = g.op("Floor", g.op("Add", real(g, 4.0), g.op("Add", g.op("Div", g.op("Log", g.op("Div", g.op("Sqrt", area), real(g, 8.0))),
            g.op("Log", real(g, 2.0))), real(g, 1e-6))))
    lv = g.op("Clip", lv, real(g, 3.0), real(g, 4.0))
    lv = g.op("Sub", g.op("Cast", lv, to=INT64), g.constant(3))
    out = g.op("ConstantOfShape", stack(g, size_of(g, boxes, 0), 8, 2, 2), value=of_value(0.0))
    ids = g.op("ConstantOfShape", stack(g, size_of(g, boxes, 0), 1), value=of_value(0.0))
    rois = g.op("Concat", g.op("Cast", ids, to=FLOAT), boxes, axis=1)
    for i, (m, sc) in enumerate(((f, 0.5), (f2, 0.25))):
        nz = g.op("NonZero", g.op("Equal", lv, g.constant(i)))
        idx = g.op("Squeeze", g.op("Transpose", nz, perm=[1, 0]), g.constant([1]))
        r = g.op("Gather", rois, idx, axis=0)
        bi = g.op("Squeeze", g.op("Gather", r, g.constant([0]), axis=1), g.constant([1]))
        bx = g.op("Gather", r, g.constant([1, 2, 3, 4]), axis=1)
        p = g.op("RoiAlign", m, bx, g.op("Cast", bi, to=INT64), output_height=2, output_width=2, sampling_ratio=2, spatial_scale=sc)
        e = g.op("Expand", g.op("Reshape", idx, g.constant([-1, 1, 1, 1])), g.op("Shape", p))
        out = g.op("ScatterElements", out, e, p, axis=0)
    y = g.op("Flatten", out, axis=1)
    y = g.op("Relu", g.op("Gemm", y, g.weights(16, 32), g.weights(16), transB=1))
    cls = g.op("Softmax", g.op("Gemm", y, g.weights(3, 16), g.weights(3), transB=1), axis=-1)
    dl = g.op("Gemm", y, g.weights(12, 16), g.weights(12), transB=1)
    dl = g.op("Reshape", dl, stack(g, size_of(g, boxes, 0), -1, 4))
    g.output(cls, ["boxes", 3])
    g.output(dl, ["boxes", 3, 4])
    return model(g, 14)


def efficientdet_last():
    """A detector from channels last: Resize to the 32-bit size of another level, weighted sums, a Reshape by packed sizes."""
    g = Graph("efficientdet_last")
    x = g.input("image:0", ["unk", 16, 16, 3])
    x = g.op("Mul", g.op("Sub", x, g.initializer([0.4, 0.5, 0.4], [3], FLOAT)), g.initializer([4.0, 4.1, 4.2], [3], FLOAT))
    fs = []
    n = 3
    for m in (8, 8):
        x = swish(g, batch_norm_last(g, conv_last(g, x, n, m, 3, strides=[2, 2]), m))
        n = m
        fs.append(x)
    shape = g.op("Cast", g.op("Shape", fs[0]), to=INT32)
    hw = g.op("Slice", shape, numbers(g, 1), numbers(g, 3), numbers(g, 0))
    tshape = g.op("Shape", first(g, fs[1]))
    up = g.op("Resize", first(g, fs[1]), g.initializer([], [0], FLOAT), g.initializer([], [0], FLOAT),
              g.op("Concat", g.op("Slice", tshape, numbers(g, 0), numbers(g, 2), numbers(g, 0)), g.op("Cast", hw, to=INT64), axis=0),
              mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    up = last(g, up)
    wts = [g.op("Relu", g.initializer([v], [], FLOAT)) for v in (0.7, 0.4)]
    tot = g.op("Add", g.op("Add", wts[0], wts[1]), g.initializer([1e-4], [], FLOAT))
    mix = g.op("Add", g.op("Div", g.op("Mul", fs[0], wts[0]), tot), g.op("Div", g.op("Mul", up, wts[1]), tot))
    mix = swish(g, mix)
    y = conv_last(g, mix, 8, 8, 3, group=8)
    y = g.op("Add", conv_last(g, y, 8, 8, 1), g.initializer([0.1] * 8, [8], FLOAT))
    y = batch_norm_last(g, y, 8)
    y = g.op("MaxPool", first(g, y), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    y = last(g, y)
    s = g.op("Cast", g.op("Shape", y), to=INT32)
    b = g.op("Squeeze", g.op("Slice", s, numbers(g, 0), numbers(g, 1), numbers(g, 0)), numbers(g, 0))
    target = g.op("Concat", unsqueezed(g, b, 0), g.initializer([-1], [1], INT32), g.initializer([4], [1], INT32), axis=0)
    out = g.op("Reshape", conv_last(g, y, 8, 12, 1), g.op("Cast", target, to=INT64))
    g.output(g.op("Sigmoid", out, names=["Identity:0"]), ["unk", "n", 4])
    return model(g, 13)


def depth_estimation():
    """Embeddings of places resized to the picture, a class token stretched to the batch and piece away again."""
    g = Graph("depth_estimation")
    x = g.input("image", ["b", 3, "H", "W"])
    h, w = size_of(g, x, 2), size_of(g, x, 3)
    y = g.op("Conv", x, g.weights(8, 3, 4, 4), g.weights(8), kernel_shape=[4, 4], strides=[4, 4], pads=[0] * 4, dilations=[1, 1], group=1)
    y = g.op("Transpose", g.op("Reshape", y, g.op("Concat", cut(g, g.op("Shape", y), 0, 2, 0), g.constant([-1]), axis=0)), perm=[0, 2, 1])
    pos = g.weights(1, 17, 8)
    cls, grid = g.op("Gather", pos, g.constant(0), axis=1), cut(g, pos, 1, FAR, 1)
    grid = g.op("Transpose", g.op("Reshape", grid, g.constant([1, 4, 4, 8])), perm=[0, 3, 1, 2])
    ph, pw = g.op("Div", h, g.constant(4)), g.op("Div", w, g.constant(4))
    sizes = g.op("Concat", cut(g, g.op("Shape", grid), 0, 2, 0), g.op("Cast", stack(g, ph, pw), to=INT64), axis=0)
    grid = g.op("Resize", grid, None, None, sizes, mode="cubic", coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75,
            nearest_mode="floor")
    grid = g.op("Reshape", g.op("Transpose", grid, perm=[0, 2, 3, 1]), stack(g, 1, -1, 8))
    pe = g.op("Concat", unsqueezed(g, cls, 0), grid, axis=1)
    tok = stretched(g, g.weights(1, 1, 8), stack(g, size_of(g, x, 0), -1, -1))
    y = g.op("Add", g.op("Concat", tok, y, axis=1), pe)
    y = g.op("Add", y, attention(g, layer_norm(g, y, 8), 8, 2))
    y = cut(g, y, 1, FAR, 1)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1]), stack(g, size_of(g, y, 0), size_of(g, y, 2), ph, pw))
    y = conv(g, y, 8, 4, 1, bias=True)
    out = g.op("Resize", y, None, None, g.op("Concat", cut(g, g.op("Shape", y), 0, 2, 0), stack(g, g.op("Mul", ph, g.constant(4)),
            g.op("Mul", pw, g.constant(4))), axis=0),
               mode="linear", coordinate_transformation_mode="align_corners")
    g.output(g.op("Relu", out), ["b", 4, "H", "W"])
    return model(g, 13)


def optical_flow():
    """All pairs of places, looked up by GridSample around places from Range, stretched and scaled by sizes."""
    g = Graph("optical_flow")
    a, b = g.input("a", ["n", 4, 8, 8]), g.input("b", ["n", 4, 8, 8])
    f1, f2 = conv(g, a, 4, 8, 3, bias=True), conv(g, b, 4, 8, 3, bias=True)
    n, c, h, w = [size_of(g, f1, i) for i in range(4)]
    v1 = g.op("Reshape", f1, stack(g, n, c, g.op("Mul", h, w)))
    v2 = g.op("Reshape", f2, stack(g, n, c, g.op("Mul", h, w)))
    corr = g.op("MatMul", g.op("Transpose", v1, perm=[0, 2, 1]), v2)
    corr = g.op("Div", corr, g.op("Sqrt", g.op("Cast", c, to=FLOAT)))
    corr = g.op("Reshape", corr, stack(g, g.op("Mul", g.op("Mul", n, h), w), 1, h, w))
    ys = g.op("Cast", g.op("Range", g.constant(0), h, g.constant(1)), to=FLOAT)
    xs = g.op("Cast", g.op("Range", g.constant(0), w, g.constant(1)), to=FLOAT)
    gy = stretched(g, unsqueezed(g, ys, 1), stack(g, h, w))
    gx = stretched(g, unsqueezed(g, xs, 0), stack(g, h, w))
    coords = g.op("Concat", unsqueezed(g, gx, 0), unsqueezed(g, gy, 0), axis=0)
    coords = stretched(g, unsqueezed(g, coords, 0), stack(g, n, -1, -1, -1))
    co = g.op("Reshape", g.op("Transpose", coords, perm=[0, 2, 3, 1]), stack(g, g.op("Mul", g.op("Mul", n, h), w), 1, 1, 2))
    d = g.op("Reshape", g.constant([-1.0, -1.0, 0.0, -1.0, 1.0, 1.0], kind=FLOAT), g.constant([1, 3, 1, 2]))
    co = g.op("Add", co, d)
    gx, gy = g.op("Split", co, g.constant([1, 1]), axis=-1, results=2)
    norm = lambda t, s: g.op("Sub", g.op("Div", g.op("Mul", t, real(g, 2.0)), g.op("Cast", g.op("Sub", s, g.constant(1)), to=FLOAT)), real(g, 1.0))
    grid = g.op("Concat", norm(gx, w), norm(gy, h), axis=-1)
    smp = g.op("GridSample", corr, grid, mode="linear" if g.newest >= 20 else "bilinear", padding_mode="zeros", align_corners=1)
    smp = g.op("Transpose", g.op("Reshape", smp, stack(g, n, h, w, -1)), perm=[0, 3, 1, 2])
    flow = conv(g, g.op("Relu", conv(g, smp, 3, 8, 3, bias=True)), 8, 2, 3, bias=True)
    c1 = g.op("Add", coords, flow)
    g.output(g.op("Sub", c1, coords), ["n", 2, 8, 8])
    g.output(g.op("Mul", smp, real(g, 0.25)), ["n", 3, 8, 8])
    return model(g, 16)


def style_generator():
    """Weights scaled by constants and by a style, ConvTranspose, Pad and a blur whose kernel is computed from constants."""
    g = Graph("style_generator")
    z = g.input("z", ["b", 8])
    n2 = g.op("ReduceMean", g.op("Mul", z, z), axes=[1], keepdims=1)
    z = g.op("Mul", z, g.op("Reciprocal", g.op("Sqrt", g.op("Add", n2, real(g, 1e-8)))))
    wgain = lambda n, m: g.op("Mul", g.weights(m, n), real(g, 0.35))
    st = g.op("LeakyRelu", g.op("Add", g.op("MatMul", z, g.op("Transpose", wgain(8, 8), perm=[1, 0])), g.op("Mul", g.weights(8), real(g,
            0.01))), alpha=0.2)
    b = size_of(g, z, 0)
    x = g.op("Tile", unsqueezed(g, g.weights(8, 4, 4), 0), stack(g, b, 1, 1, 1))
    for up in (0, 1):
        s = g.op("Add", g.op("MatMul", st, g.op("Transpose", wgain(8, 8), perm=[1, 0])), g.weights(8, above=1.0))
        w = unsqueezed(g, g.op("Mul", g.weights(8, 8, 3, 3), real(g, 0.1)), 0)
        w = g.op("Mul", w, g.op("Reshape", s, stack(g, b, 1, -1, 1, 1)))
        d = g.op("Add", g.op("ReduceSum", g.op("Mul", w, w), g.constant([2, 3, 4]), keepdims=0), real(g, 1e-8))
        d = g.op("Div", real(g, 1.0), g.op("Sqrt", d))
        w = g.op("Mul", w, g.op("Reshape", d, stack(g, b, -1, 1, 1, 1)))
        y = g.op("Mul", x, g.op("Reshape", s, stack(g, b, -1, 1, 1)))
        y = g.op("ConvTranspose", y, g.weights(8, 8, 3, 3), kernel_shape=[3, 3], strides=[2, 2], pads=[0] * 4, dilations=[1, 1],
                group=1) if up else conv(g, y, 8, 8, 3)
        if up:
            y = g.op("Pad", y, g.constant([0, 0, 1, 1, 0, 0, 0, 0]), real(g, 0.0), mode="constant")
            k = g.op("Mul", g.op("Reshape", g.constant([0.25, 0.5, 0.5, 0.25, 0.5, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0, 0.5, 0.25, 0.5, 0.5,
                    0.25], kind=FLOAT), g.constant([1, 1, 4, 4])), real(g, 0.1))
            k = g.op("Tile", k, g.constant([8, 1, 1, 1]))
            y = g.op("Conv", y, k, group=8, kernel_shape=[4, 4], pads=[1] * 4, strides=[1, 1], dilations=[1, 1])
        y = g.op("Mul", y, g.op("Reshape", d, stack(g, b, -1, 1, 1)))
        noise = g.op("Mul", g.weights(1, 1, 1, 1), real(g, 0.1))
        y = g.op("Add", g.op("Add", y, noise), g.op("Reshape", g.op("Mul", g.weights(8), real(g, 1.0)), g.constant([1, -1, 1, 1])))
        x = g.op("Mul", g.op("LeakyRelu", y, alpha=0.2), real(g, 1.4142135))
    y = g.op("Tanh", conv(g, x, 8, 3, 1, bias=True))
    y = g.op("Div", g.op("Add", y, real(g, 1.0)), real(g, 2.0))
    g.output(y, ["b", 3, "h", "w"])
    return model(g, 13)


def pixel_shuffle():
    """Blocks of pixels to channels and back, channels shuffled by Reshape and Transpose, numbers rounded to bytes."""
    g = Graph("pixel_shuffle")
    x = g.input("x", ["b", 3, "H", "W"])
    b, h, w = size_of(g, x, 0), size_of(g, x, 2), size_of(g, x, 3)
    # space to depth
    y = g.op("Reshape", x, stack(g, b, 3, g.op("Div", h, g.constant(2)), 2, g.op("Div", w, g.constant(2)), 2))
    y = g.op("Transpose", y, perm=[0, 1, 3, 5, 2, 4])
    y = g.op("Reshape", y, stack(g, b, 12, g.op("Div", h, g.constant(2)), g.op("Div", w, g.constant(2))))
    y = g.op("LeakyRelu", conv(g, y, 12, 8, 3, bias=True), alpha=0.1)
    # channel shuffle
    b2, c2, h2, w2 = [size_of(g, y, i) for i in range(4)]
    y = g.op("Reshape", y, stack(g, b2, 2, g.op("Div", c2, g.constant(2)), h2, w2))
    y = g.op("Transpose", y, perm=[0, 2, 1, 3, 4])
    y = g.op("Reshape", y, stack(g, b2, -1, h2, w2))
    y = conv(g, y, 8, 12, 3, bias=True)
    y = g.op("DepthToSpace", y, blocksize=2, mode="CRD")
    y = g.op("Add", y, x)
    y = g.op("Clip", g.op("Mul", y, real(g, 255.0)), real(g, 0.0), real(g, 255.0))
    y = g.op("Transpose", g.op("Cast", g.op("Round", y), to=UINT8), perm=[0, 2, 3, 1])
    g.output(y, ["b", "H", "W", 3], UINT8)
    return model(g, 13)


def inpainting():
    """Pads to a multiple of eight as a tracing exporter computes them, gated convolutions, the picture piece back."""
    g = Graph("inpainting")
    x, m = g.input("image", ["b", 3, "H", "W"]), g.input("mask", ["b", 1, "H", "W"])
    h, w = size_of(g, x, 2), size_of(g, x, 3)
    ph = g.op("Mod", g.op("Sub", g.constant(8), g.op("Mod", h, g.constant(8))), g.constant(8))
    pw = g.op("Mod", g.op("Sub", g.constant(8), g.op("Mod", w, g.constant(8))), g.constant(8))
    pads = g.op("Concat", unsqueezed(g, g.constant(0), 0), unsqueezed(g, pw, 0), unsqueezed(g, g.constant(0), 0), unsqueezed(g, ph, 0), axis=0)
    # pads of the last dimensions first, turned round
    full = g.op("Concat", pads, g.op("ConstantOfShape", g.op("Sub", g.op("Mul", g.constant([4]), g.constant([2])), g.op("Shape", pads)),
            value=of_value(0, INT64)), axis=0)
    full = g.op("Reshape", full, g.constant([-1, 2]))
    full = g.op("Slice", full, g.constant([-1]), g.constant([-FAR]), g.constant([0]), g.constant([-1]))
    full = g.op("Cast", g.op("Reshape", g.op("Transpose", full, perm=[1, 0]), g.constant([-1])), to=INT64)
    y = g.op("Concat", g.op("Mul", x, g.op("Sub", real(g, 1.0), m)), m, axis=1)
    y = g.op("Pad", y, full, mode="reflect")

    def gated(v, n, k, s=1):
        z = conv(g, v, n, 2 * k, 3, bias=True, strides=[s, s])
        a, b = g.op("Split", z, axis=1, results=2)
        return g.op("Mul", g.op("Elu", a, alpha=1.0), g.op("Sigmoid", b))

    y = gated(gated(y, 4, 6, 2), 6, 6)
    s = g.op("Shape", y)
    y = g.op("Resize", y, None, real(g, [1.0, 1.0, 2.0, 2.0]), mode="linear", coordinate_transformation_mode="half_pixel")
    y = conv(g, y, 6, 3, 3, bias=True)
    y = g.op("Slice", y, g.constant([0, 0]), g.op("Concat", unsqueezed(g, h, 0), unsqueezed(g, w, 0), axis=0), g.constant([2, 3]))
    y = g.op("Clip", g.op("Tanh", y), real(g, -1.0), real(g, 1.0))
    g.output(g.op("Add", g.op("Mul", y, m), g.op("Mul", x, g.op("Sub", real(g, 1.0), m))), ["b", 3, "H", "W"])
    return model(g, 13)


def point_cloud():
    """A learned rotation plus a tiled identity, neighbours by TopK and Gather, maxima over them."""
    g = Graph("point_cloud")
    x = g.input("points", ["b", 3, 12])

    def c1(v, n, m):
        y = g.op("Conv", v, g.weights(m, n, 1), g.weights(m), kernel_shape=[1], pads=[0, 0], strides=[1], dilations=[1], group=1)
        return g.op("BatchNormalization", y, g.weights(m, above=0.5), g.weights(m), g.weights(m), g.weights(m, above=0.5), epsilon=1e-5)

    y = g.op("Relu", c1(g.op("Relu", c1(x, 3, 8)), 8, 16))
    m = g.op("ReduceMax", y, axes=[2], keepdims=1)
    m = g.op("Reshape", m, g.constant([-1, 16]))
    t = g.op("Gemm", m, g.weights(9, 16), g.weights(9), transB=1)
    iden = g.op("Tile", g.op("Reshape", g.constant([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], kind=FLOAT), g.constant([1, 9])),
            stack(g, size_of(g, x, 0), 1))
    t = g.op("Reshape", g.op("Add", t, iden), g.constant([-1, 3, 3]))
    p = g.op("Transpose", g.op("MatMul", g.op("Transpose", x, perm=[0, 2, 1]), t), perm=[0, 2, 1])
    # neighbours
    inner = g.op("Mul", g.op("MatMul", g.op("Transpose", p, perm=[0, 2, 1]), p), real(g, -2.0))
    xx = g.op("ReduceSum", g.op("Pow", p, real(g, 2.0)), g.constant([1]), keepdims=1)
    dist = g.op("Sub", g.op("Sub", g.op("Neg", xx), inner), g.op("Transpose", xx, perm=[0, 2, 1]))
    _, idx = g.op("TopK", dist, g.constant([3]), axis=-1, largest=1, sorted=1, results=2)
    base = g.op("Mul", g.op("Reshape", g.op("Range", g.constant(0), size_of(g, x, 0), g.constant(1)), g.constant([-1, 1, 1])), g.constant(12))
    idx = g.op("Reshape", g.op("Add", idx, base), g.constant([-1]))
    flat = g.op("Reshape", g.op("Transpose", p, perm=[0, 2, 1]), stack(g, g.op("Mul", size_of(g, x, 0), g.constant(12)), -1))
    nb = g.op("Reshape", g.op("Gather", flat, idx, axis=0), stack(g, size_of(g, x, 0), 12, 3, 3))
    ctr = g.op("Expand", g.op("Reshape", g.op("Transpose", p, perm=[0, 2, 1]), stack(g, size_of(g, x, 0), 12, 1, 3)), stack(g, size_of(g,
            x, 0), 12, 3, 3))
    e = g.op("Transpose", g.op("Concat", g.op("Sub", nb, ctr), ctr, axis=3), perm=[0, 3, 1, 2])
    e = g.op("LeakyRelu", batch_norm(g, conv(g, e, 6, 8, 1), 8), alpha=0.2)
    e = g.op("ReduceMax", e, axes=[-1], keepdims=0)
    f = g.op("Concat", g.op("ReduceMax", e, axes=[2], keepdims=0), g.op("ReduceMean", e, axes=[2], keepdims=0), axis=1)
    g.output(g.op("LogSoftmax", g.op("Gemm", f, g.weights(4, 16), g.weights(4), transB=1), axis=1), ["b", 4])
    return model(g, 13)


FAMILIES = [yolo_anchor_free, yolo_grid, deeplab, feature_pyramid, swin_v2, region_heads, efficientdet_last, depth_estimation,
        optical_flow, style_generator, pixel_shuffle, inpainting, point_cloud]
