"""The Python package against the library of this build; run by ctest as python.api with RW_LIBRARY and PYTHONPATH set."""
import ast
import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

import rw
from rw.compat import onnxoptimizer, onnxsim, onnxslim

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(TOP, "tests", "models")
SWIN = os.path.join(MODELS, "swin_mini.onnx")
FMA = """import "onnx/onnx_ops.rw";
dialect acme "com.acme";
op Fma(a: tensor, b: tensor, c: tensor) -> tensor { traits pure; type (a.dtype, broadcast(broadcast(a.shape, b.shape), c.shape)); }
pattern FuseFma { onnx.Add(m, c) where m is onnx.Mul(a, b), m.uses == 1 => Fma(a, b, c) }
test FuseFma (x: f32[2], y: f32[2]) { onnx.Add(onnx.Mul(x, y), x) => Fma(x, y, x) }
"""
BATCH = b"""func @main(%x: f32[B, 3, 8, 8], %y: f32[B, 4]) -> f32[B, 192] {
  %s = onnx.Constant() {value = dense<i64[2]: [0, -1]>}
  %r = onnx.Relu(%x)
  %0 = onnx.Reshape(%r, %s)
  return %0
}
"""


class Message:
    """What onnx.ModelProto is to the package: something that becomes bytes and is made of them."""

    def __init__(self, data=b""):
        self.data = data

    def SerializeToString(self):
        return self.data

    def ParseFromString(self, data):
        self.data = data


def tags(error):
    return [d.tag for d in error.diagnostics]


class Verify(unittest.TestCase):
    TEXT = """import "tensor/tensor.rw";
pattern Twice { tensor.neg(tensor.neg(x)) => x }
pattern Wrong { tensor.sub(x, x) => splat(0, x.type) }
"""

    def test_proved_and_refuted(self):
        seen = []
        twice, wrong = rw.Rules(self.TEXT).verify(progress=seen.append)
        self.assertEqual((twice.pattern, twice.verdict, wrong.verdict), ("Twice", "proved", "refuted"))
        self.assertTrue(twice)
        self.assertFalse(wrong)
        self.assertEqual(seen, [twice, wrong])
        self.assertIn("test Wrong", wrong.counterexample)
        self.assertIsNone(twice.counterexample)

    def test_by_name_and_stopped(self):
        rules = rw.Rules(self.TEXT)
        self.assertEqual([proof.pattern for proof in rules.verify("Tw*")], ["Twice"])

        def stop(proof):
            raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, rules.verify, "*", stop)


class Optimize(unittest.TestCase):
    def test_a_path(self):
        result = rw.optimize(SWIN, check=1, rewrites=True)
        self.assertLess(result.ops_after, result.ops_before)
        self.assertTrue(result.check["good"])
        self.assertTrue(result.changed and result.patterns and result.rewrites)
        self.assertIn("ops", result.table)
        self.assertIsInstance(result.model, bytes)

    def test_the_same_by_every_way(self):
        wanted = rw.optimize(SWIN).to_bytes()
        with open(SWIN, "rb") as file:
            data = file.read()
        self.assertEqual(rw.optimize(data).to_bytes(), wanted)
        result = rw.optimize(Message(data))
        self.assertIsInstance(result.model, Message)
        self.assertEqual(result.model.data, wanted)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.onnx")
            rw.optimize(SWIN).save(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), wanted)

    def test_a_second_run_changes_nothing(self):
        once = rw.optimize(SWIN).to_bytes()
        again = rw.optimize(once)
        self.assertFalse(again.changed)
        self.assertEqual(again.to_bytes(), once)

    def test_threads(self):
        wanted, got = rw.optimize(SWIN).to_bytes(), []
        threads = [threading.Thread(target=lambda: got.append(rw.optimize(SWIN).to_bytes())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [wanted] * 8)

    def test_a_report_for_notebooks(self):
        result = rw.optimize(SWIN, report=True)
        self.assertTrue(result.report.lstrip().startswith("<!DOCTYPE html>"))
        self.assertIn("<iframe", result._repr_html_())

    def test_progress_stops(self):
        seen = []

        def stop(told):
            seen.append(told["pass"])
            if len(seen) == 3:
                raise KeyboardInterrupt

        program = rw.load(SWIN)
        with self.assertRaises(KeyboardInterrupt):
            rw.optimize(program, progress=stop)
        self.assertEqual(len(seen), 3)
        with self.assertRaises(ValueError):
            program.text()

    def test_what_is_wrong(self):
        for options, tag in [({"pipeline": "onx"}, "unknown-pass"), ({"only": ["NoSuch"]}, "unknown-pattern"), ({"keep": ["no_such"]}, "unknown-value"),
                             ({"inputs": ["no_such"]}, "unknown-value"), ({"outputs": ["no_such"]}, "unknown-value"),
                             ({"input_shapes": {"no_such": [1]}}, "unknown-value"), ({"input_shapes": {"input.1": [1, 3]}}, "input-shape"),
                             ({"input_shapes": {"input.1": [1, 3, 32, 32]}}, "input-shape"), ({"input_shapes": {"input.1": [1, -3]}}, "wrong-request"),
                             ({"fastmath": "quick"}, "wrong-request"), ({"check": -1}, "wrong-request")]:
            with self.assertRaises(rw.Error, msg=str(options)) as caught:
                rw.optimize(SWIN, **options)
            self.assertIn(tag, tags(caught.exception), str(options))
        with self.assertRaises(rw.Error) as caught:
            rw.optimize(os.path.join(MODELS, "no_such.onnx"))
        self.assertEqual(tags(caught.exception), ["onnx-file"])
        with self.assertRaises(rw.Error):
            rw.optimize(b"\x08\x07garbage")
        with self.assertRaises(TypeError):
            rw.optimize(3)


class Interface(unittest.TestCase):
    def types(self, **options):
        main = rw.optimize(BATCH, pipeline="infer_shapes", **options).program.main
        return [p.type for p in main.params] + [main.ops[-2].results[0].type]

    def test_shapes(self):
        self.assertEqual(self.types(), ["f32[B, 3, 8, 8]", "f32[B, 4]", "f32[B, 192]"])
        self.assertEqual(self.types(input_shapes={"x": [2, 3, 8, 8]}), ["f32[2, 3, 8, 8]", "f32[2, 4]", "f32[2, 192]"])
        self.assertEqual(self.types(input_shapes={"y": ["N", None]}), ["f32[N, 3, 8, 8]", "f32[N, 4]", "f32[N, 192]"])
        with self.assertRaises(rw.Error) as caught:
            self.types(input_shapes={"x": [2, None, None, None], "y": [3, None]})
        self.assertIn("`B` in dimension 0, which becomes 2 elsewhere, not 3", str(caught.exception))

    def test_cuts(self):
        main = rw.optimize(BATCH, pipeline="none", outputs=["r"]).program.main
        self.assertEqual([op.kind for op in main.ops], ["onnx.Relu", "return"])
        self.assertEqual(main.result_names, ["r"])
        main = rw.optimize(BATCH, pipeline="none", inputs=["r"]).program.main
        self.assertEqual([p.name for p in main.params], ["%r"])
        self.assertNotIn("onnx.Relu", [op.kind for op in main.ops])
        with self.assertRaises(rw.Error) as caught:
            rw.optimize(BATCH, pipeline="none", inputs=["y"])
        self.assertEqual(tags(caught.exception), ["input-needed"])
        with self.assertRaises(rw.Error) as caught:
            rw.optimize(BATCH, pipeline="none", outputs=["r", "r"])
        self.assertEqual(tags(caught.exception), ["named-twice"])

    def test_keep(self):
        text = b"""func @main(%x: f32[2]) -> f32[2] {
  %a = onnx.Identity(%x)
  %b = onnx.Identity(%a)
  return %b
}
"""
        kinds = [op.kind for op in rw.optimize(text, pipeline="onnx").program.main.ops]
        self.assertEqual(kinds, ["return"])
        kept = rw.optimize(text, pipeline="onnx", keep=["b"], check=1)
        self.assertEqual([op.kind for op in kept.program.main.ops], ["onnx.Identity", "return"])
        self.assertTrue(kept.check["good"])


class OwnRules(unittest.TestCase):
    def test_everything(self):
        rules = rw.Rules(FMA)
        self.assertEqual(rules.patterns, ["FuseFma"])
        report = rules.test()
        self.assertTrue(report)
        self.assertEqual((report.passed, report.failed), (1, []))
        matches = rules.matches(SWIN)
        result = rules.apply(SWIN)
        self.assertEqual(result.patterns, {"FuseFma": len(matches)})
        answers = rules.why_not(SWIN, "FuseFma")
        self.assertEqual(sum(answer.matches for answer in answers), len(matches))
        self.assertTrue(any("`m` is made by onnx.Mul" in str(answer) for answer in answers))
        at = matches[0].op.split(" ", 1)[1].replace('"', "")
        self.assertTrue(rules.why_not(SWIN, "FuseFma", at=at)[0].matches)

    def test_built_in_patterns_stay_as_they_are(self):
        before = len(rw.patterns())
        rw.Rules(FMA)
        self.assertEqual(len(rw.patterns()), before)

    def test_what_is_wrong(self):
        with self.assertRaises(rw.Error) as caught:
            rw.Rules("pattern X { foo(x) => x }")
        [diagnostic] = caught.exception.diagnostics
        self.assertEqual((diagnostic.tag, diagnostic.file, diagnostic.line, diagnostic.column), ("undefined-op", "rules.rw", 1, 13))
        with self.assertRaises(rw.Error):
            rw.Rules("no_such_file.rw")
        rules = rw.Rules(FMA)
        with self.assertRaises(rw.Error) as caught:
            rules.why_not(SWIN, "FuseFm")
        self.assertIn("FuseFma", str(caught.exception))
        failing = rw.Rules(FMA + "test FuseFma (x: f32[2]) { onnx.Add(x, x) => x }\n")
        self.assertFalse(failing.test())
        self.assertEqual(failing.test().failed[0].line, 6)


class Looking(unittest.TestCase):
    def test_a_program(self):
        main = rw.load(BATCH).main
        self.assertEqual([op.kind for op in main.ops], ["onnx.Constant", "onnx.Relu", "onnx.Reshape", "return"])
        self.assertEqual([op.kind for op in main.users("%r")], ["onnx.Reshape"])
        self.assertEqual(main.params[0], rw.Value("%x", "f32[B, 3, 8, 8]"))

    def test_diff(self):
        self.assertEqual(rw.diff(SWIN, SWIN), "")
        self.assertTrue(rw.diff(BATCH, BATCH.replace(b"onnx.Relu", b"onnx.Neg")))


class Watching(unittest.TestCase):
    """What people see while a run takes long, with time that passes at once."""

    def bar(self, modules):
        import rw._progress as progress

        quiet, progress._QUIET = progress._QUIET, 0.0
        told, missing = io.StringIO(), object()
        before = {name: sys.modules.get(name, missing) for name in modules}
        try:
            sys.modules.update(modules)
            with contextlib.redirect_stderr(told):
                rw.optimize(SWIN, progress=True)
        finally:
            progress._QUIET = quiet
            for name, module in before.items():
                if module is missing:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module
        return told.getvalue()

    def test_a_line(self):
        text = self.bar({"tqdm": None, "tqdm.auto": None})
        self.assertRegex(text, r"\rw?.*rw: \w+ \(pass \d+, \d+ ops\)")
        self.assertTrue(text.endswith("\r\x1b[K"))

    def test_tqdm(self):
        calls = []

        class Bar:
            def __init__(self, **options):
                calls.append(("made", options["desc"]))

            def set_postfix_str(self, text):
                calls.append(("text", text))

            def update(self):
                calls.append(("update",))

            def close(self):
                calls.append(("close",))

        auto = types.ModuleType("tqdm.auto")
        auto.tqdm = Bar
        self.assertEqual(self.bar({"tqdm": types.ModuleType("tqdm"), "tqdm.auto": auto}), "")
        self.assertEqual((calls[0], calls[-1]), (("made", "rw"), ("close",)))
        self.assertGreater(calls.count(("update",)), 3)

    def test_nothing_where_nobody_looks(self):
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            rw.optimize(SWIN)
        self.assertEqual(told.getvalue(), "")

    def test_ctrl_c(self):
        """A signal from outside ends a run that would go on."""
        program = """
import sys
import rw
rw.optimize(sys.argv[1])
print("running", flush=True)
try:
    while True:
        rw.optimize(sys.argv[1], pipeline="repeat(1000){infer_shapes,cse,dce,onnx}")
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            child = subprocess.Popen([sys.executable, "-B", path, SWIN], stdout=subprocess.PIPE, text=True)
            try:
                self.assertEqual(child.stdout.readline(), "running\n")
                time.sleep(0.5)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=120)[0], "stopped\n")
                self.assertEqual(child.returncode, 0)
            finally:
                child.kill()
                child.wait()

    def test_import_is_lazy(self):
        program = "import sys; before = set(sys.modules); import rw; print(sorted(set(sys.modules) - before)); print(rw.optimize, dir(rw))"
        done = subprocess.run([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(ast.literal_eval(done.stdout.splitlines()[0]), ["rw"])
        self.assertIn("WhyNot", done.stdout)
        with self.assertRaises(AttributeError):
            rw.no_such_name


class DropIn(unittest.TestCase):
    def test_onnxsim(self):
        model, good = onnxsim.simplify(SWIN, check_n=1)
        self.assertTrue(good)
        self.assertEqual(model, rw.optimize(SWIN).to_bytes())
        with self.assertRaises(ValueError):
            onnxsim.simplify(SWIN, unused_output=["no_such"])

    def test_onnxslim(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.onnx")
            self.assertIsNone(onnxslim.slim(SWIN, path, model_check=True))
            self.assertGreater(os.path.getsize(path), 0)
        with self.assertRaises(ValueError):
            onnxslim.slim(SWIN, dtype="fp16")

    def test_onnxoptimizer(self):
        with open(SWIN, "rb") as file:
            model = Message(file.read())
        self.assertIsInstance(onnxoptimizer.optimize(model, ["eliminate_identity"]), Message)


class Documentation(unittest.TestCase):
    def test_the_page_runs(self):
        """Every block of docs/python.md, one after the other, in a folder with a model.onnx."""
        with open(os.path.join(TOP, "docs", "python.md"), encoding="utf-8") as page:
            blocks = re.findall(r"```python\n(.*?)```", page.read(), re.S)
        self.assertGreaterEqual(len(blocks), 5)
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SWIN, os.path.join(folder, "model.onnx"))
            os.chdir(folder)
            try:
                scope = {"print": lambda *values: None}
                for block in blocks:
                    exec(block, scope)
            finally:
                os.chdir(here)


if __name__ == "__main__":
    unittest.main()
