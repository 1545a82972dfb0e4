#!/usr/bin/env python3
"""Whole models as StableHLO text, as JAX prints them: what converts to ONNX, and comes out as a person would have written it.

    tests/families/stablehlo_text.py bert --layers 12 > bert.mlir
    tests/families/stablehlo_text.py gpt --open --element f16
    tests/families/stablehlo_text.py --list

In:  the name of a model; whether the batch is of open size, read from the first parameter's shape as JAX writes it for
     symbolic shapes; the element type of floats. Out: its text; weights are parameters of @main.
"""
import argparse
import sys


class Open(int):
    """A size that the text leaves open."""


class Value:
    def __init__(self, name, shape, dtype="f32"):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype

    @property
    def type(self):
        return "tensor<" + "".join(("?" if isinstance(d, Open) else str(d)) + "x" for d in self.shape) + self.dtype + ">"

    @property
    def is_open(self):
        return any(isinstance(d, Open) for d in self.shape)


def ints(list_):
    return "[" + ", ".join(str(i) for i in list_) + "]"


class Text:
    """A function under construction: each method adds an op and gives its result."""

    batch_is_open = False

    def __init__(self, name="main", public=True):
        self.name, self.public = name, public
        self.batch = None
        self.lines, self.params, self.count, self.constants = [], [], 0, 0
        self.indent = "    "
        self.functions = []

    def param(self, *shape, dtype="f32"):
        if self.batch_is_open and not self.params:
            shape = (Open(shape[0]),) + shape[1:]
        v = Value(f"%arg{len(self.params)}", shape, dtype)
        self.params.append(v)
        return v

    def op(self, text, shape, dtype="f32"):
        v = Value(f"%{self.count}", shape, dtype)
        self.count += 1
        self.lines.append(f"{self.indent}{v.name} = {text.replace('RESULT', v.type)}")
        return v

    def constant(self, number, dtype="f32", shape=()):
        v = Value("%cst" if self.constants == 0 else f"%cst_{self.constants - 1}", shape, dtype)
        self.constants += 1
        self.lines.append(f"{self.indent}{v.name} = stablehlo.constant dense<{number}> : {v.type}")
        return v

    def unary(self, name, x):
        return self.op(f"stablehlo.{name} {x.name} : {x.type}", x.shape, x.dtype)

    def binary(self, name, a, b):
        return self.op(f"stablehlo.{name} {a.name}, {b.name} : {a.type}", a.shape, a.dtype)

    def sizes(self, shape):
        """A list of sizes, of which that of the batch is asked for once."""
        if self.batch is None:
            x = self.params[0]
            size = self.op(f"stablehlo.get_dimension_size {x.name}, dim = 0 : ({x.type}) -> RESULT", [], "i32")
            self.batch = self.reshape(size, [1])
        parts = [self.batch if isinstance(d, Open) else self.constant(d, "i32", (1,)) for d in shape]
        return self.concatenate(parts, 0)

    def broadcast(self, x, shape, dims):
        if Value("", shape).is_open:
            sizes = self.sizes(shape)
            return self.op(f"stablehlo.dynamic_broadcast_in_dim {x.name}, {sizes.name}, dims = {ints(dims)} : ({x.type}, {sizes.type}) -> RESULT",
                           shape, x.dtype)
        return self.op(f"stablehlo.broadcast_in_dim {x.name}, dims = {ints(dims)} : ({x.type}) -> RESULT", shape, x.dtype)

    def filled(self, number, shape, dtype="f32"):
        return self.broadcast(self.constant(number, dtype), shape, [])

    def scalar(self, name, x, number):
        return self.binary(name, x, self.filled(number, x.shape, x.dtype))

    def reshape(self, x, shape):
        if Value("", shape).is_open:
            sizes = self.sizes(shape)
            return self.op(f"stablehlo.dynamic_reshape {x.name}, {sizes.name} : ({x.type}, {sizes.type}) -> RESULT", shape, x.dtype)
        return self.op(f"stablehlo.reshape {x.name} : ({x.type}) -> RESULT", shape, x.dtype)

    def transpose(self, x, perm):
        return self.op(f"stablehlo.transpose {x.name}, dims = {ints(perm)} : ({x.type}) -> RESULT", [x.shape[p] for p in perm], x.dtype)

    def convert(self, x, dtype):
        return self.op(f"stablehlo.convert {x.name} : ({x.type}) -> RESULT", x.shape, dtype)

    def slice(self, x, begin, end):
        spans = ", ".join(f"{b}:{e}" for b, e in zip(begin, end))
        return self.op(f"stablehlo.slice {x.name} [{spans}] : ({x.type}) -> RESULT", [e - b for b, e in zip(begin, end)], x.dtype)

    def concatenate(self, values, dim):
        shape = list(values[0].shape)
        shape[dim] = sum(v.shape[dim] for v in values)
        return self.op(f"stablehlo.concatenate {', '.join(v.name for v in values)}, dim = {dim} : ({', '.join(v.type for v in values)}) -> RESULT",
                       shape, values[0].dtype)

    def reduce(self, x, how, initial, dims):
        init = self.constant(initial, x.dtype)
        shape = [d for i, d in enumerate(x.shape) if i not in dims]
        return self.op(f"stablehlo.reduce({x.name} init: {init.name}) applies stablehlo.{how} across dimensions = {ints(dims)} : "
                       f"({x.type}, {init.type}) -> RESULT", shape, x.dtype)

    def dot(self, a, b, contract, batch=((), ())):
        free = [[d for i, d in enumerate(v.shape) if i not in contract[s] and i not in batch[s]] for s, v in enumerate((a, b))]
        shape = [a.shape[i] for i in batch[0]] + free[0] + free[1]
        batching = f"batching_dims = {ints(batch[0])} x {ints(batch[1])}, " if batch[0] else ""
        return self.op(f"stablehlo.dot_general {a.name}, {b.name}, {batching}contracting_dims = {ints(contract[0])} x {ints(contract[1])}, "
                       f"precision = [DEFAULT, DEFAULT] : ({a.type}, {b.type}) -> RESULT", shape, a.dtype)

    def compare(self, how, a, b, kind):
        return self.op(f"stablehlo.compare  {how}, {a.name}, {b.name},  {kind} : ({a.type}, {b.type}) -> RESULT", a.shape, "i1")

    def select(self, p, a, b):
        return self.op(f"stablehlo.select {p.name}, {a.name}, {b.name} : {p.type}, {a.type}", a.shape, a.dtype)

    def iota(self, shape, dim, dtype="i32"):
        return self.op(f"stablehlo.iota dim = {dim} : RESULT", shape, dtype)

    def convolution(self, x, w, strides=(1, 1), pads=((0, 0), (0, 0)), groups=1, layout="[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"):
        size = [(x.shape[1 + i] + sum(pads[i]) - w.shape[i]) // strides[i] + 1 for i in range(2)]
        window = f"window = {{stride = {ints(strides)}, pad = [{', '.join(ints(p) for p in pads)}]}}"
        return self.op(f"stablehlo.convolution({x.name}, {w.name}) dim_numbers = {layout}, {window} "
                       f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64, precision_config = [#stablehlo<precision DEFAULT>, "
                       f"#stablehlo<precision DEFAULT>]}} : ({x.type}, {w.type}) -> RESULT", [x.shape[0], *size, w.shape[3]], x.dtype)

    def reduce_window(self, x, how, initial, window, strides):
        init = self.constant(initial, x.dtype)
        shape = [d if w == s == 1 else (d - w) // s + 1 for d, w, s in zip(x.shape, window, strides)]
        scalar = init.type
        a = self.count
        return self.op(f'"stablehlo.reduce_window"({x.name}, {init.name}) <{{window_dimensions = array<i64: {ints(window)[1:-1]}>, '
                       f"window_strides = array<i64: {ints(strides)[1:-1]}>}}> ({{\n{self.indent}^bb0(%w{a}: {scalar}, %v{a}: {scalar}):\n"
                       f"{self.indent}  %u{a} = stablehlo.{how} %w{a}, %v{a} : {scalar}\n{self.indent}  stablehlo.return %u{a} : {scalar}\n"
                       f"{self.indent}}}) : ({x.type}, {scalar}) -> RESULT", shape, x.dtype)

    # What models are made of.
    def dense(self, x, features, bias=True):
        w = self.param(x.shape[-1], features)
        last = len(x.shape) - 1
        y = self.dot(x, w, ([last], [0]))
        return self.bias(y) if bias else y

    def bias(self, y):
        b = self.param(y.shape[-1])
        row = self.broadcast(b, [1] * (len(y.shape) - 1) + [y.shape[-1]], [len(y.shape) - 1])
        return self.binary("add", y, self.broadcast(row, y.shape, range(len(y.shape))))

    def relu(self, x):
        return self.binary("maximum", x, self.filled("0.000000e+00", x.shape))

    def gelu(self, x):  # jax.nn.gelu, approximate=False
        y = self.scalar("divide", x, "1.41421354")
        y = self.op(f"chlo.erf {y.name} : {y.type} -> RESULT", x.shape)
        y = self.scalar("add", y, "1.000000e+00")
        y = self.binary("multiply", x, y)
        return self.scalar("divide", y, "2.000000e+00")

    def rows(self, x, shape):
        """A value for each row, stretched along the last dimension."""
        return self.broadcast(x, shape, range(len(shape)))

    def mean(self, x):
        last = len(x.shape) - 1
        total = self.reduce(x, "add", "0.000000e+00", [last])
        total = self.broadcast(total, list(x.shape[:-1]) + [1], range(last))
        return self.scalar("divide", total, f"{float(x.shape[-1]):e}")

    def layer_norm(self, x):
        mean = self.mean(x)
        centred = self.binary("subtract", x, self.rows(mean, x.shape))
        variance = self.mean(self.binary("multiply", centred, centred))
        scale = self.unary("rsqrt", self.scalar("add", variance, "9.99999974E-6"))
        y = self.binary("multiply", centred, self.rows(scale, x.shape))
        gamma = self.param(x.shape[-1])
        row = self.broadcast(gamma, [1] * (len(x.shape) - 1) + [x.shape[-1]], [len(x.shape) - 1])
        return self.bias(self.binary("multiply", y, self.rows(row, x.shape)))

    def softmax(self, x):
        last = len(x.shape) - 1
        top = self.reduce(x, "maximum", "0xFF800000", [last])
        top = self.binary("maximum", self.filled("0xFF800000", top.shape), top)
        top = self.broadcast(top, list(x.shape[:-1]) + [1], range(last))
        e = self.unary("exponential", self.binary("subtract", x, self.rows(top, x.shape)))
        total = self.reduce(e, "add", "0.000000e+00", [last])
        total = self.broadcast(total, list(x.shape[:-1]) + [1], range(last))
        return self.binary("divide", e, self.rows(total, x.shape))

    def attention(self, x, heads, causal=False):
        b, s, d = x.shape
        q, k, v = (self.reshape(self.dense(x, d), [b, s, heads, d // heads]) for _ in range(3))
        q = self.scalar("divide", q, f"{(d // heads) ** 0.5:e}")
        scores = self.dot(q, k, ([3], [3]), ([0, 2], [0, 2]))  # b, heads, s, s
        if causal:
            rows, columns = self.iota([s, s], 0), self.iota([s, s], 1)
            mask = self.broadcast(self.compare("GE", rows, columns, "SIGNED"), scores.shape, [2, 3])
            scores = self.select(mask, scores, self.filled("-1.000000e+10", scores.shape))
        y = self.dot(self.softmax(scores), v, ([3], [1]), ([0, 1], [0, 2]))  # b, heads, s, d / heads
        y = self.transpose(y, [0, 2, 1, 3])
        return self.dense(self.reshape(y, [b, s, d]), d)

    def finish(self, *results):
        types = ", ".join(r.type for r in results)
        shown = f"({types})" if len(results) > 1 else types
        params = ", ".join(f"{p.name}: {p.type}" for p in self.params)
        lines = ["module @jit_model attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {",
                 f"  func.func public @{self.name}({params}) -> {shown} {{"] + self.lines
        lines += [f"    return {', '.join(r.name for r in results)} : {types}", "  }"] + self.functions + ["}", ""]
        return "\n".join(lines)


def mlp(layers):
    t = Text()
    x = t.param(8, 16)
    for _ in range(layers or 2):
        x = t.relu(t.dense(x, 32))
    return t.finish(t.softmax(t.dense(x, 10)))


def cnn(layers):
    t = Text()
    x = t.param(2, 28, 28, 1)
    for features in [8, 16][:layers or 2]:
        x = t.convolution(x, t.param(3, 3, x.shape[3], features), pads=((1, 1), (1, 1)))
        x = t.relu(t.bias(x))
        x = t.reduce_window(x, "maximum", "0xFF800000", [1, 2, 2, 1], [1, 2, 2, 1])
    x = t.reshape(x, [x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]])
    return t.finish(t.dense(t.relu(t.dense(x, 64)), 10))


def resnet(layers):
    t = Text()

    def block(x, features, stride):
        def conv(x, size, features, stride):
            pad = size // 2
            y = t.convolution(x, t.param(size, size, x.shape[3], features), (stride, stride), ((pad, pad), (pad, pad)))
            # batch normalisation with what training has left: mean, variance, scale, bias
            mean, variance, scale = (t.param(features) for _ in range(3))
            centred = t.binary("subtract", y, t.broadcast(mean, y.shape, [3]))
            factor = t.binary("multiply", t.unary("rsqrt", t.scalar("add", t.binary("multiply", variance, variance), "1.000000e-05")), scale)
            return t.bias(t.binary("multiply", centred, t.broadcast(factor, y.shape, [3])))
        y = t.relu(conv(x, 3, features, stride))
        y = conv(y, 3, features, 1)
        if x.shape != y.shape:
            x = conv(x, 1, features, stride)
        return t.relu(t.binary("add", x, y))
    x = t.param(1, 16, 16, 3)
    for i in range(layers or 3):
        x = block(x, 8 << min(i, 4), 2 if i else 1)
    total = t.reduce(x, "add", "0.000000e+00", [1, 2])
    x = t.scalar("divide", total, f"{float(x.shape[1] * x.shape[2]):e}")
    return t.finish(t.dense(x, 10))


def transformer(layers, causal, size, heads, words):
    t = Text()
    ids = t.param(2, 12, dtype="i32")
    table = t.param(words, size)
    where = t.reshape(ids, [*ids.shape, 1])
    x = t.op(f'"stablehlo.gather"({table.name}, {where.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], '
             f"start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, {size}>}}> : "
             f"({table.type}, {where.type}) -> RESULT", [*ids.shape, size])
    x = t.binary("add", x, t.broadcast(t.param(12, size), x.shape, [1, 2]))
    for _ in range(layers):
        if causal:
            x = t.binary("add", x, t.attention(t.layer_norm(x), heads, True))
            x = t.binary("add", x, t.dense(t.gelu(t.dense(t.layer_norm(x), 4 * size)), size))
        else:
            x = t.layer_norm(t.binary("add", x, t.attention(x, heads)))
            x = t.layer_norm(t.binary("add", x, t.dense(t.gelu(t.dense(x, 4 * size)), size)))
    return t.finish(t.dense(x, words) if causal else x)


def lstm(layers):
    t = Text()
    steps, b, d, h = 5, 2, 4, 3
    x, w, u, bias = t.param(steps, b, d), t.param(d, 4 * h), t.param(h, 4 * h), t.param(4 * h)
    zero, limit = t.constant(0, "i32"), steps
    state = t.filled("0.000000e+00", [b, h])
    out = t.filled("0.000000e+00", [steps, b, h])
    carried = [zero, state, state, out]
    names = ["%iterArg", "%iterArg_a", "%iterArg_b", "%iterArg_c"]
    inner = Text()
    inner.indent, inner.count, inner.constants = "      ", 1000, 1000
    i, hidden, cell, seen = (Value(n, v.shape, v.dtype) for n, v in zip(names, carried))
    zero_i = inner.constant(0, "i32")
    step = inner.op(f"stablehlo.dynamic_slice {x.name}, {i.name}, {zero_i.name}, {zero_i.name}, sizes = [1, {b}, {d}] : "
                    f"({x.type}, tensor<i32>, tensor<i32>, tensor<i32>) -> RESULT", [1, b, d])
    step = inner.reshape(step, [b, d])
    gates = inner.binary("add", inner.dot(step, w, ([1], [0])), inner.dot(hidden, u, ([1], [0])))
    gates = inner.binary("add", gates, inner.broadcast(bias, gates.shape, [1]))
    parts = [inner.slice(gates, [0, k * h], [b, (k + 1) * h]) for k in range(4)]
    forget, enter, leave = (inner.unary("logistic", p) for p in parts[:3])
    new_cell = inner.binary("add", inner.binary("multiply", forget, cell), inner.binary("multiply", enter, inner.unary("tanh", parts[3])))
    new_hidden = inner.binary("multiply", leave, inner.unary("tanh", new_cell))
    row = inner.broadcast(new_hidden, [1, b, h], [1, 2])
    new_seen = inner.op(f"stablehlo.dynamic_update_slice {seen.name}, {row.name}, {i.name}, {zero_i.name}, {zero_i.name} : "
                        f"({seen.type}, {row.type}, tensor<i32>, tensor<i32>, tensor<i32>) -> RESULT", seen.shape)
    next_i = inner.binary("add", i, inner.constant(1, "i32"))
    results = [next_i, new_hidden, new_cell, new_seen]
    types = ", ".join(v.type for v in carried)
    begin = ", ".join(f"{n} = {v.name}" for n, v in zip(names, carried))
    t.lines.append(f"    %900:4 = stablehlo.while({begin}) : {types}\n    cond {{\n      %c_901 = stablehlo.constant dense<{limit}> : tensor<i32>\n"
                   f"      %902 = stablehlo.compare  LT, {i.name}, %c_901,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                   f"      stablehlo.return %902 : tensor<i1>\n    }} do {{")
    t.lines += inner.lines
    t.lines.append(f"      stablehlo.return {', '.join(r.name for r in results)} : {types}\n    }}")
    return t.finish(Value("%900#3", out.shape), Value("%900#1", state.shape))


MODELS = {
    "mlp": mlp,
    "cnn": cnn,
    "resnet": resnet,
    "bert": lambda layers: transformer(layers or 2, False, 16, 4, 50),
    "gpt": lambda layers: transformer(layers or 2, True, 16, 4, 50),
    "lstm": lstm,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", choices=list(MODELS))
    parser.add_argument("--layers", type=int, default=0)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--element", default="f32", choices=["f32", "f16"])
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list or not args.model:
        print("\n".join(MODELS))
        return 0
    Text.batch_is_open = args.open
    text = MODELS[args.model](args.layers)
    if args.element == "f16":
        text = text.replace("xf32>", "xf16>").replace("<f32>", "<f16>").replace("0xFF800000", "0xFC00").replace("-1.000000e+10", "-1.000000e+04")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
