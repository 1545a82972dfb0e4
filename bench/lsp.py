#!/usr/bin/env python3
"""How long rw-lsp takes from a keystroke to what an editor shows of it: diagnostics in a text of 10,000 lines, and what stands above patterns that are
tried on a model of 4,000 ops.

In:  build/release/bin/rw-lsp (tools/bench --lsp builds it), --server=PATH for another one, --edits=N (200).
Out: one JSON object a line: milliseconds on the clock, the median and the 90th percentile, and the median of the server's own processor time.
     "diagnostics"  from a keystroke in a text of 10,000 lines to its diagnostics
     "lenses"       from a keystroke in a text of patterns to lenses that count on the model what was typed, by a client that asks for them when the
                    server says that they are new
     Each edit changes what the server must say, and an answer that is not the right one ends the run.
Elsewhere: tests/lsp/long_text.py checks what is said of such a text.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests/lsp"))
import long_text
from client import Client

PATTERNS = """// model: model.rwir
import "onnx/onnx.rw";

fn back(inner: [int], outer: [int]) -> [int] = [inner[i] for i in outer];
pattern DoubleRelu { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
pattern ReluOfSum { onnx.Relu(s: onnx.Add(p, b)) where s.uses == 1, p is onnx.MatMul(_, _), p.uses == 1 => onnx.Relu(onnx.Add(b, p)) }
pattern BackAndForth { onnx.Transpose(onnx.Transpose(x, perm = p), perm = q) where all(back(p, q)[i] == i for i in 0..len(p)) => x }
pattern Merge { onnx.Transpose(onnx.Transpose(x, perm = p), perm = q) => onnx.Transpose(x, perm = back(p, q)) }
pattern ReluFirst { onnx.Transpose(onnx.Relu(x), perm = p) => onnx.Relu(onnx.Transpose(x, perm = p)) }
pattern Unused { onnx.Neg(onnx.Neg(x)) => x }
pattern Counted { onnx.MatMul(x, w) where w.shape[0] == 17 => onnx.Gemm(x, w) }
test DoubleRelu (x: f32[2]) { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
"""


def model_of(ops):
    """Layers that multiply, add and transpose, of so many ops or a few more, weights among them; and how many layers."""
    layers = -(-ops // 7)
    lines, x = ["func @main(%x: f32[B, 16]) -> f32[B, 16] {"], "%x"
    for i in range(layers):
        lines += [f"  %w{i} = onnx.Constant() {{value = dense<f32[16, 16]: {i / 8}>}}", f"  %b{i} = onnx.Constant() {{value = dense<f32[16]: {i / 8}>}}",
                  f"  %p{i} = onnx.MatMul({x}, %w{i})", f"  %s{i} = onnx.Add(%p{i}, %b{i})", f"  %t{i} = onnx.Transpose(%s{i}) {{perm = [1, 0]}}",
                  f"  %r{i} = onnx.Relu(%t{i})", f"  %u{i} = onnx.Transpose(%r{i}) {{perm = [1, 0]}}"]
        x = f"%u{i}"
    return "\n".join([*lines, f"  return {x}", "}", ""]), layers


class Watched:
    """A server, and what an edit costs."""

    def __init__(self, server, settings):
        self.client = Client([server], {"capabilities": {"workspace": {"codeLens": {"refreshSupport": True}}}, "initializationOptions": settings})
        self.clock, self.processor = [], []

    def processor_time(self):
        with open(f"/proc/{self.client.process.pid}/schedstat", encoding="ascii") as numbers:
            return int(numbers.read().split()[0]) / 1e9

    def timed(self, edit):
        begin = time.monotonic(), self.processor_time()
        edit()
        self.clock.append(time.monotonic() - begin[0])
        self.processor.append(self.processor_time() - begin[1])

    def figures(self, what, **more):
        ms = sorted(1000 * seconds for seconds in self.clock)
        print(json.dumps({"what": what, **more, "edits": len(ms), "median_ms": round(statistics.median(ms), 1), "p90_ms": round(ms[len(ms) * 9 // 10], 1),
                          "processor_ms": round(1000 * statistics.median(self.processor), 1)}), flush=True)
        if self.client.stop() != 0:
            sys.exit("bench/lsp.py: the server did not end as it should")


def line_and_column(text, at):
    return {"line": text.count("\n", 0, at), "character": len(text[text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2}


def diagnostics(server, edits, lines=10_000):
    """A letter more in a name, and it is wrong; then the letter goes, and all is as it was. Everywhere in the text."""
    watched, path, text = Watched(server, {"runTests": False}), "/long/text.rw", long_text.text_of(lines)
    client = watched.client
    client.open(path, text)
    before = len(client.diagnostics(path))
    places = [at for at in range(len(text)) if text.startswith("is_wanted(p), let", at)]
    for edit in range(edits // 2):
        at = places[edit * 7919 % len(places)]
        begin, end = line_and_column(text, at + 2), line_and_column(text, at + 3)
        for change, wrong in (({"range": {"start": begin, "end": begin}, "text": "s"}, 1), ({"range": {"start": begin, "end": end}, "text": ""}, 0)):
            def type_it(change=change):
                client.change(path, [change])
                client.diagnostics(path)
            watched.timed(type_it)
            said = client.diagnostics(path)
            if len(said) != before + wrong:
                sys.exit(f"bench/lsp.py: {len(said)} diagnostics in place of {before + wrong}")
    watched.figures("diagnostics", lines=text.count("\n") + 1)


def lenses(server, edits, ops=4_000):
    """A digit of a condition changes, so that a pattern matches everywhere or nowhere, among patterns that match and such that do not."""
    with tempfile.TemporaryDirectory() as folder:
        model, layers = model_of(ops)
        with open(os.path.join(folder, "model.rwir"), "w", encoding="utf-8") as file:
            file.write(model)
        watched, path, text = Watched(server, {}), os.path.join(folder, "a.rw"), PATTERNS
        client = watched.client
        client.open(path, text)
        digit = line_and_column(text, text.index("17") + 1)
        after = {**digit, "character": digit["character"] + 1}

        def fresh():
            """The lenses that come once the server says that there are new ones."""
            while not any(told.get("method") == "workspace/codeLens/refresh" for told in client.notifications):
                client.keep(client.receive())
            client.notifications = [told for told in client.notifications if told.get("method") != "workspace/codeLens/refresh"]
            return [lens["command"]["title"] for lens in client.on(path, "codeLens")]

        fresh()
        for edit in range(edits):
            shown = []

            def type_it(edit=edit, shown=shown):
                client.change(path, [{"range": {"start": digit, "end": after}, "text": "67"[edit % 2]}])
                shown[:] = fresh()
            watched.timed(type_it)
            wanted = f"{layers if edit % 2 == 0 else 0} matches on model.rwir"
            if len(shown) != 8 or not shown[6].startswith(wanted):
                sys.exit(f"bench/lsp.py: {shown} in place of {wanted}")
    watched.figures("lenses", ops=7 * layers, patterns=PATTERNS.count("pattern "))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", default=os.path.join(TOP, "build/release/bin/rw-lsp"))
    parser.add_argument("--edits", type=int, default=200)
    options = parser.parse_args()
    if not os.path.exists(options.server):
        sys.exit(f"bench/lsp.py: there is no {options.server}; `tools/bench --lsp` builds it, --server=PATH names another one")
    diagnostics(options.server, options.edits)
    lenses(options.server, options.edits)


if __name__ == "__main__":
    main()
