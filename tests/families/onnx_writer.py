"""ONNX models written by hand: a Graph of ops, and its file. No packages are needed.

In:  calls such as `y = g.op("Conv", x, g.weights(8, 3, 3, 3), pads=[1, 1, 1, 1])`; a value is its name.
Out: model(g, opset), the bytes of a ModelProto; node_counts(bytes), how many nodes of which type a file has, nested graphs included.
Weights are pseudo-random, the same in every run.
"""
import random
import struct

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16 = 1, 2, 3, 6, 7, 9, 10
PACKED = {FLOAT: "f", FLOAT16: "e", UINT8: "B", INT8: "b", INT32: "i", INT64: "q", BOOL: "B"}


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name, kind, dims, values):
    raw = struct.pack(f"<{len(values)}{PACKED[kind]}", *values)
    return b"".join(number(1, d) for d in dims) + number(2, kind) + (data(8, name) if name else b"") + data(9, raw)


def value_info(name, kind, dims):
    shape = b"".join(data(1, number(1, d) if isinstance(d, int) else data(2, d)) for d in dims)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, shape)))


def attribute(name, value):
    """An int, float, string, list of these, Graph, or the bytes of a tensor."""
    head = data(1, name)
    if isinstance(value, bool) or isinstance(value, int):
        return head + number(3, int(value)) + number(20, 2)
    if isinstance(value, float):
        return head + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, str):
        return head + data(4, value) + number(20, 3)
    if isinstance(value, bytes):
        return head + data(5, value) + number(20, 4)
    if isinstance(value, Graph):
        return head + data(6, value.bytes()) + number(20, 5)
    if value and isinstance(value[0], float):
        return head + b"".join(varint(7 << 3 | 5) + struct.pack("<f", v) for v in value) + number(20, 6)
    if value and isinstance(value[0], str):
        return head + b"".join(data(9, v) for v in value) + number(20, 8)
    return head + b"".join(number(8, v) for v in value) + number(20, 7)


class Graph:
    """A graph in the making. `outer` is the graph around it, whose names it shares.

    `newest`, if set, is the operator set that models are written for instead of an older one.
    """
    newest = 0

    def __init__(self, name, outer=None):
        self.name, self.nodes, self.initializers, self.inputs, self.outputs = name, [], [], [], []
        self.root = outer.root if outer else self
        if not outer:
            self.random, self.made = random.Random(name), 0

    def fresh(self, stem):
        self.root.made += 1
        return f"{stem}_{self.root.made}"

    def input(self, name, dims, kind=FLOAT):
        self.inputs.append(value_info(name, kind, dims))
        return name

    def output(self, name, dims, kind=FLOAT):
        self.outputs.append(value_info(name, kind, dims))

    def initializer(self, values, dims=None, kind=INT64):
        name = self.fresh("w")
        self.initializers.append(tensor(name, kind, [len(values)] if dims is None else dims, values))
        return name

    def weights(self, *dims, scale=None, above=None):
        """Numbers around 0, small enough that sums over all but the first dimension stay small; or from `above` on."""
        size, rest = 1, 1
        for i, d in enumerate(dims):
            size *= d
            rest *= d if i else 1
        scale = scale or max(rest if len(dims) != 2 else dims[0], 1) ** -0.5
        draw = self.root.random.uniform
        return self.initializer([draw(above, above + 1) if above is not None else draw(-scale, scale) for _ in range(size)], dims, FLOAT)

    def constant(self, values, dims=None, kind=INT64):
        """A Constant node, as exporters that trace a program write them; a single number is a scalar."""
        scalar = not isinstance(values, list)
        values = [values] if scalar else values
        dims = [] if scalar else [len(values)] if dims is None else dims
        return self.op("Constant", value=tensor("", kind, dims, values))

    def op(self, kind, *inputs, results=1, domain="", names=None, **attributes):
        if self.newest >= 18 and kind.startswith("Reduce") and "axes" in attributes:
            inputs += (self.constant(attributes.pop("axes")),)
        if self.newest >= 13 and kind in ("Squeeze", "Unsqueeze") and "axes" in attributes:
            inputs += (self.constant(attributes.pop("axes")),)
        if self.newest >= 12 and kind == "Dropout" and "ratio" in attributes:
            inputs += (self.constant(attributes.pop("ratio"), kind=FLOAT),)
        if self.newest >= 18 and kind == "Split" and len(inputs) == 1:
            attributes["num_outputs"] = results
        outs = names or [self.fresh(kind.lower()) for _ in range(results)]
        body = b"".join(data(1, i or "") for i in inputs) + b"".join(data(2, o) for o in outs)
        body += data(3, self.fresh("node")) + data(4, kind) + b"".join(data(5, attribute(k, v)) for k, v in attributes.items())
        self.nodes.append(body + (data(7, domain) if domain else b""))
        return outs[0] if len(outs) == 1 else outs

    def bytes(self):
        parts = [(1, self.nodes), (2, [self.name]), (5, self.initializers), (11, self.inputs), (12, self.outputs)]
        return b"".join(data(field, p) for field, list_ in parts for p in list_)


def model(graph, opset):
    opset = max(opset, graph.newest)
    ir = 8 if opset < 19 else 9 if opset < 21 else 10
    return number(1, ir) + data(2, "families") + data(7, graph.bytes()) + data(8, data(1, "") + number(2, opset))


def fields(message):
    """(field, content) of each field: an int, or the bytes of what has a length."""
    at = 0

    def read():
        nonlocal at
        n = shift = 0
        while True:
            byte = message[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(message):
        key = read()
        if key & 7 == 0:
            yield key >> 3, read()
        else:
            size = {1: 8, 5: 4}.get(key & 7) or read()
            yield key >> 3, message[at:at + size]
            at += size


def graph_counts(graph, counts):
    for field, node in fields(graph):
        if field != 1:
            continue
        for part, content in fields(node):
            if part == 4:
                counts[content.decode()] = counts.get(content.decode(), 0) + 1
            if part == 5:
                for inner, nested in fields(content):
                    if inner in (6, 11):
                        graph_counts(nested, counts)


def node_counts(content):
    counts = {}
    for field, graph in fields(content):
        if field == 7:
            graph_counts(graph, counts)
    return counts
