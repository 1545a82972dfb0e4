"""The Python package against the library of this build; run by ctest as python.api with RW_LIBRARY and PYTHONPATH set."""
import ast
import contextlib
import copy
import fnmatch
import io
import json
import math
import os
import pickle
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


IDENTITIES = b"""func @main(%x: f32[2]) -> f32[2] {
  %a = onnx.Identity(%x) as "first"
  %b = onnx.Relu(%a)
  %c = onnx.Identity(%b)
  return %c
}
"""


class Graph:
    """Another message of the package onnx."""

    DESCRIPTOR = types.SimpleNamespace(name="GraphProto")

    def SerializeToString(self):
        return b""

    def ParseFromString(self, data):
        pass


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

    def test_names_of_nothing(self):
        with self.assertRaisesRegex(ValueError, r"no pattern of rw.Rules\(FuseFma\) is named Fuse"):
            rw.Rules(FMA).verify("Fuse")

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

    def test_a_program_in_several_threads(self):
        """One at a time uses it: none crashes, and what they make is what one makes."""
        program, wanted, wrong = rw.load(SWIN), rw.optimize(SWIN).to_bytes(), []

        def use(number):
            try:
                if number % 4 == 0:
                    self.assertGreater(len(program.main.ops), 100)
                elif number % 4 == 1:
                    rw.Rules(FMA).matches(program)
                else:
                    rw.optimize(program)
            except BaseException as error:  # noqa: B902
                wrong.append(error)

        threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(program.to_bytes(), wanted)

    def test_a_callback_looks_at_the_program_and_runs_nothing_on_it(self):
        program, seen = rw.load(IDENTITIES), []

        def look(told):
            seen.append(program.main.name)
            with self.assertRaisesRegex(ValueError, "under way"):
                rw.optimize(program)

        rw.optimize(program, progress=look)
        self.assertEqual(set(seen), {"main"})

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

    def test_what_other_processes_get(self):
        """Errors and rules go from process to process, as in a pool that works through a folder; models do not, and say so."""
        with self.assertRaises(rw.Error) as caught:
            rw.optimize(BATCH, pipeline="onx")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.diagnostics), (str(caught.exception), caught.exception.diagnostics))
        rules = pickle.loads(pickle.dumps(rw.Rules(FMA, name="mine.rw")))
        self.assertEqual((rules.patterns, bool(rules.test()), rules.verify()[0].file), (["FuseFma"], True, "mine.rw"))
        self.assertEqual(copy.deepcopy(rules).patterns, rules.patterns)
        for kept in (rw.load(BATCH), rw.optimize(BATCH)):
            with self.assertRaisesRegex(TypeError, "stays in its process: hand over what to_bytes"):
                pickle.dumps(kept)

    def test_one_name_needs_no_list(self):
        pattern = "DropDropoutOfNothing"
        one = rw.optimize(SWIN, only=pattern)
        self.assertEqual(one.model, rw.optimize(SWIN, only=[pattern]).model)
        self.assertNotEqual(one.model, rw.optimize(SWIN, disable=pattern).model)

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
        with self.assertRaisesRegex(rw.Error, "there is nothing in it"):
            rw.optimize(b"")

    def test_what_is_of_a_wrong_type(self):
        """The message says what is wanted; none comes from inside."""
        for part, call in [("a model is", lambda: rw.optimize(3)), ("patterns are", lambda: rw.optimize(BATCH, patterns=3)),
                           ("not list", lambda: rw.optimize(BATCH, patterns=[FMA])), ("not NoneType", lambda: rw.Rules(None)),
                           ("shapes are a dict", lambda: rw.optimize(BATCH, input_shapes="x:1,3")), ("shapes are a dict", lambda: rw.optimize(BATCH, input_shapes={"x": 1})),
                           ("shapes are a dict", lambda: rw.optimize(BATCH, check=1, check_shapes={"x": "1,3"})), ("derive from rw.Pass", lambda: rw.optimize(BATCH, passes=3)),
                           (r"Pass\(\) in place of", lambda: rw.optimize(BATCH, passes=[rw.Pass])), ("names are", lambda: rw.extract(BATCH, 3)),
                           ("names are", lambda: rw.optimize(BATCH, keep=b"r")), ("`import_dirs` are", lambda: rw.Rules(FMA, import_dirs=3)),
                           ("`import_dirs` are", lambda: rw.Rules(FMA, import_dirs=[3])), ("`name` is", lambda: rw.Rules(FMA, name=3)),
                           ("not Graph", lambda: rw.load(Graph())),
                           ("`progress` is", lambda: rw.optimize(BATCH, progress=3)), ("is no number", lambda: rw.optimize(BATCH, check=object()))]:
            with self.assertRaisesRegex(TypeError, part):
                call()
        with self.assertRaisesRegex(rw.Error, "directory"):
            rw.Rules(TOP)
        with self.assertRaisesRegex(ValueError, "zero byte"):
            rw.optimize(SWIN + "\0.onnx")
        with self.assertRaisesRegex(ValueError, "zero byte"):
            rw.load(BATCH).save("out.rwir\0.txt")
        with self.assertRaisesRegex(rw.Error, "the path that the model is to be written to is empty"):
            rw.load(BATCH).save("")
        with self.assertRaisesRegex(ValueError, "`check_tolerance` is no finite number: nan"):
            rw.optimize(BATCH, check=1, check_tolerance=math.nan)
        with self.assertRaisesRegex(ValueError, "`pipeline` is no text that UTF-8 can hold"):
            rw.optimize(BATCH, pipeline="\ud800")

    def test_what_is_wrong_says_what_was_meant(self):
        with self.assertRaisesRegex(rw.Error, "(?s)named `onx` .*note: did you mean `onnx`?"):
            rw.optimize(BATCH, pipeline="onx")
        with self.assertRaisesRegex(rw.Error, "^request: error: no pattern is named `MergeReshape"):
            rw.optimize(BATCH, only="MergeReshapes")

    def test_freedoms_in_a_list(self):
        self.assertEqual(rw.optimize(SWIN, fastmath=["reassoc", "contract"]).patterns, rw.optimize(SWIN, fastmath="reassoc,contract").patterns)
        self.assertNotEqual(rw.optimize(SWIN, fastmath=["reassoc"]).patterns, rw.optimize(SWIN).patterns)

    def test_one_folder_of_imports_needs_no_list(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "beside.rw"), "w", encoding="utf-8") as file:
                file.write(FMA)
            self.assertEqual(rw.Rules('import "beside.rw"; pattern P { onnx.Neg(onnx.Neg(x)) => x }'.replace("import", 'import "onnx/onnx.rw"; import', 1),
                                      import_dirs=folder).patterns, ["P"])

    def test_numbers_of_other_packages(self):
        class Three:  # as numpy.int64
            def __index__(self):
                return 3

        self.assertEqual(rw.optimize(BATCH, pipeline="none", input_shapes={"x": [Three(), 3, 8, 8]}).program.main.params[0].type, "f32[3, 3, 8, 8]")

    def test_names_as_text_shows_them(self):
        """What `Value.name` says is taken where a name is wanted, in quotes as well."""
        main = rw.load(SWIN).main
        start, end = main.params[0].name, main.ops[300].results[0].name
        self.assertTrue(start.startswith('%"') and end.startswith('%"'))
        cut = rw.extract(SWIN, outputs=[end]).main
        self.assertEqual(cut.params[0].name, start)
        self.assertEqual(cut.result_names, [json.loads(end[1:])])
        self.assertLessEqual({start, end}, {p.name for p in rw.extract(SWIN, inputs=[start, end]).main.params})
        self.assertEqual(rw.optimize(SWIN, pipeline="none", input_shapes={start: [1, 3, None, None]}, keep=[end]).program.main.params[0].type, "f32[1, 3, 64, 64]")


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
        self.assertTrue(all(set(match.bound) == {"a", "b", "c", "m"} for match in matches))
        first = matches[0]
        self.assertIsInstance(first["a"], rw.Value)
        self.assertEqual(first["m"].type[:3], "f32")
        main = rw.load(SWIN).main
        [add] = [op for op in main.ops if op.results and f"{op.kind} {op.results[0].name}" == first.op]
        self.assertIn(first["m"].name, add.operands)
        self.assertEqual([op for op in answers if op.matches][0].bound, first.bound)
        self.assertFalse(any(answer.bound for answer in answers if not answer.matches))
        at = matches[0].op.split(" ", 1)[1].replace('"', "")
        self.assertTrue(rules.why_not(SWIN, "FuseFma", at=at)[0].matches)

    def test_names_of_every_kind(self):
        rules = rw.Rules("""import "onnx/onnx.rw";
import "layout/transpose.rw";
pattern Kinds { onnx.Transpose(x, perm = p) where x.rank == 2, p == [0, 1] => x }
pattern Several { onnx.Sum(each v) => onnx.Neg(v[0]) }
pattern Either { onnx.Add(v, w) where v is (onnx.Relu(u) | onnx.Neg(z)) => onnx.Sub(v, w) }
""")
        model = b"""func @main(%x: f32[2, N]) -> f32[2, N] {
  %y = onnx.Transpose(%x) {perm = [0, 1]}
  %r = onnx.Neg(%y)
  %a = onnx.Add(%r, %x)
  %lo = onnx.Constant() {value = dense<f32[]: 0>}
  %z = onnx.Clip(%a, %lo)
  return %z
}
"""
        found = {match.pattern: match for match in rules.matches(model)}
        self.assertEqual(found["Kinds"].bound, {"x": rw.Value("%x", "f32[2, N]"), "p": "[0, 1]"})
        self.assertEqual(found["Either"].bound["z"], rw.Value("%y", "f32[2, N]"))
        self.assertNotIn("u", found["Either"].bound)

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


class Record(rw.Pass):
    """Takes identities away. And more."""

    def __init__(self):
        self.seen = []

    def run(self, function, **options):
        self.seen.append((function.name, options))
        for op in function.walk("onnx.Identity"):
            op.replace(op.operands[0])


class OwnPass(unittest.TestCase):
    def run_on(self, body, model=IDENTITIES, **options):
        """A pass that does what the function does."""

        class Own(rw.Pass):
            def run(self, function):
                body(function)

        return rw.optimize(model, passes=[Own()], **options)

    def kinds(self, result):
        return [op.kind for op in result.program.main.ops]

    def test_a_pass_in_a_pipeline(self):
        record = Record()
        result = rw.optimize(IDENTITIES, passes=[record], pipeline="cse,record{limit=3},dce", check=1)
        self.assertEqual(self.kinds(result), ["onnx.Relu", "return"])
        self.assertEqual(record.seen[0], ("main", {"limit": "3"}))
        self.assertTrue(result.changed and result.check["good"])
        self.assertEqual([p["pass"] for p in result.statistics["passes"]], ["cse", "record", "dce"])
        self.assertFalse(rw.optimize(result.to_bytes("rwir"), passes=[Record()]).changed)

    def test_alone_and_after_patterns(self):
        self.assertEqual(self.kinds(rw.optimize(IDENTITIES, passes=[Record()])), ["onnx.Relu", "return"])
        rules = rw.Rules('import "onnx/onnx_ops.rw";\npattern ReluToAbs { onnx.Relu(x) => onnx.Abs(x) }')
        self.assertEqual(self.kinds(rw.optimize(IDENTITIES, patterns=rules, passes=[Record()])), ["onnx.Abs", "return"])
        self.assertEqual(rules.apply(IDENTITIES, passes=[Record()]).patterns, {"ReluToAbs": 1})

    def test_looking(self):
        seen = {}

        def look(function):
            first, relu, last, end = function.ops
            seen["kinds"] = [op.kind for op in function.walk()]
            seen["label"] = (first.label, relu.label)
            seen["types"] = (first.result.type, first.result.dtype, first.result.shape)
            seen["uses"] = [(op.kind, i) for op, i in first.result.uses]
            seen["users"] = [op.kind for op in last.result.users]
            seen["param"] = (function.params[0].name, function.params[0].op, first.operands[0] == function.params[0])
            seen["def"] = (relu.operands[0].op == first, relu.next == last, relu.parent, end.next)
            seen["repr"] = (repr(relu), repr(relu.result), repr(function))
            for wrong in ("Relu", 3):
                with self.assertRaisesRegex(ValueError, "full names"):
                    function.walk(wrong)

        self.assertFalse(self.run_on(look).changed)
        self.assertEqual(seen["kinds"], ["onnx.Identity", "onnx.Relu", "onnx.Identity", "return"])
        self.assertEqual(seen["label"], ("first", None))
        self.assertEqual(seen["types"], ("f32[2]", "f32", [2]))
        self.assertEqual(seen["uses"], [("onnx.Relu", 0)])
        self.assertEqual(seen["users"], ["return"])
        self.assertEqual(seen["param"], ("%x", None, True))
        self.assertEqual(seen["def"], (True, True, None, None))
        self.assertEqual(seen["repr"], ("%b = onnx.Relu(%a)", "%b: f32[2]", "rw.EditableFunction(@main)"))

    def test_changing(self):
        def change(function):
            relu = next(function.walk("onnx.Relu"))
            two = function.constant([2.0, 3.0], before=relu)
            self.assertEqual((two.type, two.elements(), two.is_constant), ("f32[2]", [2.0, 3.0], True))
            product = function.create("onnx.Mul", [relu.operands[0], two], before=relu, label="scaled")
            self.assertEqual(product.result.type, "f32[2]")
            relu.set_operand(0, product.result)
            soft = function.create("onnx.Softmax", [relu.result], {"axis": 0}, before=relu.next)
            self.assertEqual((soft.attrs, soft.attr("axis"), soft.attr("none", 7)), ({"axis": 0}, 0, 7))
            soft.set_attr("axis", -1)
            self.assertEqual(soft.attr("axis"), -1)
            relu.result.replace_uses(soft.result)  # but for the op that was just made of it
            self.assertEqual([op.kind for op in relu.result.users], ["onnx.Softmax"])
            own = function.create("com.acme.Kernel", [soft.result], {"alpha": 0.5, "names": ["a", "b"], "odd": rw.AttrText("bytes<\"00\">")},
                                  types=["f32[2]"], before=soft.next)
            self.assertEqual(own.attrs, {"alpha": 0.5, "names": ["a", "b"], "odd": 'bytes<"00">'})
            soft.result.replace_uses(own.result)
            again = function.clone(own, [own.operands[0]], before=own.next)
            self.assertEqual(again.attrs, own.attrs)
            own.replace(again)
            self.assertFalse(own.exists)
            with self.assertRaises(rw.Error) as caught:
                own.kind
            self.assertEqual(tags(caught.exception), ["refused-edit"])

        main = self.run_on(change).program.main
        self.assertEqual([op.kind for op in main.ops],
                         ["onnx.Identity", "onnx.initializer", "onnx.Mul", "onnx.Relu", "onnx.Softmax", "com.acme.Kernel", "onnx.Identity", "return"])
        self.assertEqual(main.ops[2].label, "scaled")

    def test_constants(self):
        seen = []

        def make(function):
            for elements, dtype, shape in [(3, None, None), ([[1, 2], [3, 4]], None, None), (True, None, None), (["a", "b"], None, None), (1.5, "f64", None),
                                           ([1, 2], "u8", [2, 1]), (b"\0<\0<", "f16", [2]), ([0.0, 0.0, 0.0], None, None)]:
                value = function.constant(elements, dtype, shape)
                seen.append((value.type, value.data() if dtype == "f16" else value.elements()))
            for given, dtype, elements in [([1.5, math.inf], "f16", [1.5, math.inf]), (3, "float32", [3.0]), (range(3), None, [0, 1, 2]), ((1, 2), "i8", [1, 2]),
                                           ((n for n in (True, False)), None, [True, False]), ([[], []], None, []), (2.0, "i32", [2]), ([0, 1], "bool", [False, True])]:
                value = function.constant(given, dtype)
                self.assertEqual(value.elements(), elements)
                self.assertTrue(value.is_constant)
            for wrong in [([[1], [2, 3]],), ([1, 2], "f32", [3]), (1.5, "i64"), (math.nan, "i32"), (300, "u8"), (-1, "u64"), (3, "bool"), (1 << 63,), (1e6, "f16")]:
                with self.assertRaisesRegex(ValueError, "no elements of|not of one length|has 3 elements", msg=str(wrong)):
                    function.constant(*wrong)
            for wrong in [(None,), (1j,), (["a", 1],), (["a"], "i64"), (1, "str"), (1, "bf16"), (1, "f33"), ([1, 2], None, 2), (b"ab",)]:
                with self.assertRaises(TypeError, msg=str(wrong)):
                    function.constant(*wrong)
            with self.assertRaises(rw.Error):
                function.constant(b"abc", "f32", [1])
            with self.assertRaises(rw.Error):
                function.params[0].elements()

        self.run_on(make)
        self.assertEqual(seen, [("i64[]", [3]), ("i64[2, 2]", [1, 2, 3, 4]), ("bool[]", [True]), ("str[2]", ["a", "b"]), ("f64[]", [1.5]), ("u8[2, 1]", [1, 2]),
                                ("f16[2]", b"\0<\0<"), ("f32[3]", [0.0, 0.0, 0.0])])

    def test_regions(self):
        seen = []

        def look(function):
            seen.extend((op.kind, op.parent.kind if op.parent else None) for op in function.walk())
            [choice] = function.walk("onnx.If")
            seen.append([[op.kind for op in region.ops] for region in choice.regions])
            with self.assertRaises(rw.Error):
                function.create("onnx.If", [choice.operands[0]])

        self.run_on(look, b"""func @main(%p: bool[], %x: f32[2]) -> f32[2] {
  %y = onnx.If(%p) : f32[2] else_branch { return %x } then_branch { %a = onnx.Abs(%x)
    return %a }
  return %y
}
""")
        self.assertEqual(seen[:4], [("onnx.If", None), ("return", "onnx.If"), ("onnx.Abs", "onnx.If"), ("return", "onnx.If")])
        self.assertEqual(seen[-1], [["return"], ["onnx.Abs", "return"]])

    def test_what_is_refused(self):
        said = []

        def wrong(function):
            relu, end = next(function.walk("onnx.Relu")), function.ops[-1]
            other = function.constant([1, 2, 3])
            for attempt in (lambda: relu.erase(), lambda: relu.replace(other), lambda: relu.replace(relu.result), lambda: relu.replace(),
                            lambda: end.erase(), lambda: function.create("onnx.Rellu", [relu.result]), lambda: function.create("onnx.Relu", []),
                            lambda: function.create("Relu", [relu.result]), lambda: function.create("onnx.Softmax", [relu.result], {"axes": 1}),
                            lambda: function.create("onnx.Softmax", [relu.result], {"axis": "one"}), lambda: relu.set_operand(3, other),
                            lambda: function.create("onnx.Relu", [relu.result], types=["f33[2]"]), lambda: relu.set_attr("alpha", 1.0),
                            lambda: relu.result.replace_uses(relu.result)):
                with self.assertRaises(rw.Error) as caught:
                    attempt()
                said.append(str(caught.exception))

        result = self.run_on(wrong, pipeline="own,dce")
        self.assertEqual(self.kinds(result), ["onnx.Identity", "onnx.Relu", "onnx.Identity", "return"])
        for text, part in zip(said, ["it is used by onnx.Identity %c", "of type i64[3] cannot stand for %b of type f32[2]", "by its own results", "1 results, and 0",
                                     "stays", "did you mean `onnx.Relu`?", "onnx.Relu has 1 operands, not 0", "full name", "did you mean `axis`?", "`axis` is",
                                     "operand 3 is none of them", "is no type", "has no attribute `alpha`", "stands for itself"]):
            self.assertIn(part, text)

    def test_an_exception_leaves_the_program_as_it_was(self):
        class Own(ValueError):
            pass

        def fail(function):
            next(function.walk("onnx.Identity")).replace(function.params[0])
            raise Own("no")

        program = rw.load(IDENTITIES)
        before = program.text()
        for error, body in [(Own, fail), (KeyboardInterrupt, lambda function: signal.raise_signal(signal.SIGINT))]:
            with self.assertRaises(error):
                self.run_on(body, program, pipeline="cse,own")
            self.assertEqual(program.text(), before)

    def test_a_wrong_program_is_an_error_and_the_program_as_it_was(self):
        def wrong(function):
            first, relu = function.ops[0], function.ops[1]
            first.set_operand(0, relu.result)  # which stands behind it

        program = rw.load(IDENTITIES)
        before = program.text()
        with self.assertRaises(rw.Error) as caught:
            self.run_on(wrong, program)
        self.assertEqual(tags(caught.exception), ["verify-dominance"])
        self.assertIn("pass own leaves a function that does not verify", str(caught.exception))
        self.assertEqual(program.text(), before)

    def test_one_operand_needs_no_list(self):
        class Array:  # as those of numpy
            def tolist(self):
                return [0]

        def make(function):
            relu = next(function.walk("onnx.Relu"))
            negated = function.create("onnx.Neg", relu.operands[0], before=relu)
            own = function.create("acme.Own", negated.result, {"order": Array()}, types="f32[2]", before=relu)
            relu.replace(function.clone(relu, own.result, before=relu))
            self.assertEqual(own.attrs, {"order": [0]})

        self.assertEqual(self.kinds(self.run_on(make)), ["onnx.Identity", "onnx.Neg", "acme.Own", "onnx.Relu", "onnx.Identity", "return"])
        self.assertEqual(repr(Record()), "rw.Pass(record)")

    def test_names(self):
        for name, part in [("cse", "named `cse` already"), ("no name", "letters, digits and _")]:
            with self.assertRaises(rw.Error) as caught:
                rw.optimize(IDENTITIES, passes=[type("Named", (rw.Pass,), {"name": name})()])
            self.assertIn(part, str(caught.exception))

        class HTTPServerPass2(rw.Pass):
            pass

        self.assertEqual(HTTPServerPass2()._name(), "http_server_pass2")
        with self.assertRaisesRegex(NotImplementedError, "HTTPServerPass2"):
            rw.optimize(IDENTITIES, passes=HTTPServerPass2())

    def test_what_is_kept_beyond_the_pass_says_so(self):
        kept = []
        self.run_on(lambda function: kept.append(function.ops[0]))
        with self.assertRaises(ValueError):
            kept[0].kind

        def use(function):
            """The numbers of another run's values mean something else here."""
            relu = next(function.walk("onnx.Relu"))
            for attempt in (lambda: relu.set_operand(0, kept[1]), lambda: relu.replace(kept[1]), lambda: relu.result.replace_uses(kept[1]),
                            lambda: function.create("onnx.Neg", [kept[1]]), lambda: function.create("onnx.Neg", [relu.result], before=kept[0]),
                            lambda: function.clone(kept[0], [relu.result])):
                with self.assertRaisesRegex(ValueError, "of another function"):
                    attempt()
            for attempt in (lambda: relu.set_operand(0, 3), lambda: relu.replace("%a"), lambda: function.create("onnx.Neg", [relu]),
                            lambda: function.create("onnx.Neg", 3), lambda: function.create("onnx.Neg", relu),
                            lambda: function.create("onnx.Neg", [relu.result], before=relu.result), lambda: function.clone(relu.result, [relu.result]),
                            lambda: function.constant(1, before=function.params[0])):
                with self.assertRaises(TypeError):
                    attempt()

        self.run_on(lambda function: kept.append(function.params[0]))
        self.run_on(use)

    def test_threads(self):
        got = []
        threads = [threading.Thread(target=lambda: got.append(rw.optimize(SWIN, passes=[Record()], pipeline="record,onnx,record").to_bytes()))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [rw.optimize(SWIN, passes=[Record()], pipeline="record,onnx,record").to_bytes()] * 8)


class Converting(unittest.TestCase):
    def test_fp16(self):
        result = rw.optimize(SWIN, fp16=True, keep_fp32=["Softmax"], check=1)
        main = result.program.main
        types = {value.name: value.type for op in main.ops for value in op.results}
        self.assertTrue(result.check["good"])
        self.assertTrue(all(types[op.results[0].name].startswith("f32") for op in main.ops if op.kind == "onnx.Softmax"))
        self.assertTrue(all(types[op.results[0].name].startswith("f16") for op in main.ops if op.kind in ("onnx.Conv", "onnx.MatMul")))
        self.assertEqual([p.type for p in main.params], [p.type for p in rw.load(SWIN).main.params])
        self.assertTrue(any("as asked" in remark for remark in result.remarks), result.remarks)
        self.assertFalse(any("no op is named" in remark for remark in result.remarks), result.remarks)
        missing = rw.optimize(SWIN, fp16=True, keep_fp32=["Sofmax", "Softmax", "/nowhere/*"]).remarks
        self.assertTrue(any(remark.endswith("4 ops as asked; no op is named `Sofmax`, `/nowhere/*`") for remark in missing), missing)
        self.assertLess(len(result.to_bytes()), 0.6 * len(rw.optimize(SWIN).to_bytes()))
        both = rw.optimize(SWIN, fp16="io").program.main
        self.assertTrue(all(p.type.startswith("f16") for p in both.params))
        for options in ({"keep_fp32": ["Softmax"]}, {"fp16": "oi"}):
            with self.assertRaises(rw.Error) as caught:
                rw.optimize(SWIN, **options)
            self.assertEqual(tags(caught.exception), ["wrong-request"])

    def test_opset(self):
        result = rw.optimize(os.path.join(MODELS, "convnext_mini.onnx"), opset=17)
        self.assertGreater(result.ops_after, 0)
        for opset, tag in [(99, "onnx-convert"), (0, "wrong-request")]:
            with self.assertRaises(rw.Error) as caught:
                rw.optimize(SWIN, opset=opset)
            self.assertEqual(tags(caught.exception), [tag])

    def test_external_data(self):
        with tempfile.TemporaryDirectory() as folder:
            path, again = os.path.join(folder, "out.onnx"), os.path.join(folder, "again.onnx")
            result = rw.optimize(SWIN).save(path, external_data=True)
            self.assertGreater(os.path.getsize(path + ".data"), os.path.getsize(path))
            whole = rw.load(path, external_data=True)
            self.assertEqual(rw.diff(whole, result.to_bytes()), "")
            whole.save(again)
            self.assertEqual(sorted(os.listdir(folder)), ["again.onnx", "out.onnx", "out.onnx.data"])
            os.remove(path + ".data")
            self.assertEqual(rw.optimize(again, check=1).check["good"], True)
            with self.assertRaises(rw.Error):
                rw.load(path, external_data=True)
            with self.assertRaises(rw.Error):
                result.save(os.path.join(folder, "out.rwir"), external_data="w.bin")
            with self.assertRaisesRegex(rw.Error, "the file of the model itself"):
                result.save(path, external_data="out.onnx")

    def test_extract(self):
        part = rw.extract(BATCH, outputs=["r"]).main
        self.assertEqual([op.kind for op in part.ops], ["onnx.Relu", "return"])

    def test_what_is_written_is_what_was_asked_for(self):
        """Interfaces of files: cut, with other shapes, in other elements, for models of one output and of several."""
        self.assertEqual(self.interface(rw.extract(FOLDED, outputs=["n"])), (["f32[B, 4]", "f32[4]"], {"n": "f32[4]"}))
        self.assertEqual(self.interface(rw.extract(FOLDED, outputs=["z", "i"])), (["f32[B, 4]", "f32[4]"], {"z": "f32[B, 4]", "i": "f32[B, 4]"}))
        self.assertEqual(self.interface(rw.extract(FOLDED, inputs=["d"], outputs=["z"])), (["f32[B, 4]"], {"z": "f32[B, 4]"}))
        self.assertEqual(self.interface(rw.extract(FOLDED, inputs=["z"], outputs=["z"])), (["f32[B, 4]"], {"z": "f32[B, 4]"}))
        whole = rw.load(b"""func @main(%x: f32[B, 4]) -> (s: i64[2], y: f32[B, 4]) {
  %s = onnx.Shape(%x)
  %y = onnx.Relu(%x)
  return %s, %y
}
""").to_bytes()
        self.assertEqual(self.interface(rw.extract(whole, outputs=["y", "s"])), (["f32[B, 4]"], {"y": "f32[B, 4]", "s": "i64[2]"}))
        shaped = rw.optimize(whole, input_shapes={"x": [2, None]}, pipeline="none")
        self.assertEqual(self.interface(shaped), (["f32[2, 4]"], {"s": "i64[2]", "y": "f32[2, 4]"}))
        renamed = rw.optimize(whole, input_shapes={"x": ["N", None]}, pipeline="none")
        self.assertEqual(self.interface(renamed), (["f32[N, 4]"], {"s": "i64[2]", "y": "f32[N, 4]"}))
        half = rw.optimize(whole, fp16="io")
        self.assertEqual(self.interface(half), (["f16[B, 4]"], {"s": "i64[2]", "y": "f16[B, 4]"}))

    def interface(self, result):
        """Types of the inputs, and of the outputs by name, of the file that is written; once more after it was read."""
        seen = []
        data = result.to_bytes()
        for _ in range(2):
            main = rw.load(data).main
            types = {value.name: value.type for value in main.params + [r for op in main.ops for r in op.results]}
            seen.append(([p.type for p in main.params], dict(zip(main.result_names, (types[name] for name in main.ops[-1].operands)))))
            data = rw.load(data).to_bytes()
        self.assertEqual(seen[0], seen[1])
        return seen[0]


class Looking(unittest.TestCase):
    def test_a_program(self):
        main = rw.load(BATCH).main
        self.assertEqual([op.kind for op in main.ops], ["onnx.Constant", "onnx.Relu", "onnx.Reshape", "return"])
        for value in ("%r", "r", main.ops[1].results[0]):
            self.assertEqual([op.kind for op in main.users(value)], ["onnx.Reshape"])
        self.assertEqual(len(rw.load(SWIN).main.users("input.1")), 1)  # in text %"input.1"
        self.assertEqual(main.params[0], rw.Value("%x", "f32[B, 3, 8, 8]"))

    def test_what_is_shown(self):
        program = rw.load(SWIN)
        self.assertEqual(repr(program), f"rw.Program({SWIN}: @main of {rw.optimize(SWIN).ops_before} ops, 1114 constants)")
        self.assertEqual(repr(program.main), "rw.Function(@main, 1534 ops, 1114 constants)")
        self.assertEqual(repr(rw.load(IDENTITIES)), "rw.Program(<bytes>: @main of 3 ops)")
        several = b"".join(b"func @%s(%%x: f32[2]) -> f32[2] {\n  %%a = onnx.Relu(%%x)\n  return %%a\n}\n" % name for name in (b"main", b"b", b"c", b"d", b"e"))
        self.assertIn(": @main of 1 op, @b of 1 op, @c of 1 op, and 2 functions more)", repr(rw.load(several)))
        self.assertEqual(repr(rw.Rules(FMA)), "rw.Rules(FuseFma)")
        many = rw.Rules('import "onnx/onnx.rw";\n' + "\n".join(f"pattern P{n} {{ onnx.Neg(onnx.Neg(x)) => x }}" for n in range(9)))
        self.assertEqual(repr(many), "rw.Rules(P0, P1, P2, P3, P4, and 4 more)")

        def stop(told):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            rw.optimize(program, progress=stop)
        self.assertIn("spoilt by a run that was stopped", repr(program))
        with self.assertRaisesRegex(ValueError, "no function @main"):
            rw.load(several.replace(b"@main", b"@a")).main

    def test_a_program_is_described_once_for_each_change(self):
        program = rw.load(BATCH)
        main = program.main
        self.assertIs(program.main, main)
        self.assertIs(program.functions[0], main)
        rw.optimize(program, pipeline="none", outputs=["r"])
        self.assertEqual([op.kind for op in program.main.ops], ["onnx.Relu", "return"])
        self.assertEqual(len(main.ops), 4)
        seen = []
        rw.optimize(program, pipeline="canonicalize,dce", progress=lambda told: seen.append(program.main))
        self.assertNotIn(program.main, seen)

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
        rw.optimize(sys.argv[1], pipeline="repeat(1000){infer_shapes,cse,dce,onnx}", check=50)
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
        self.assertIn("EditableFunction", done.stdout)
        with self.assertRaises(AttributeError):
            rw.no_such_name


FOLDED = rw.load(b"""func @main(%x: f32[B, 4], %w: f32[4] = dense<f32[4]: [1, 2, 3, 4]>) -> (y: f32[B, 4], z: f32[B, 4]) {
  %n = onnx.Abs(%w)
  %i = onnx.Identity(%x)
  %y = onnx.Add(%i, %n)
  %d = onnx.Add(%i, %n)
  %z = onnx.Relu(%d)
  return %y, %z
}
""").to_bytes()
SIZED = rw.load(b"""func @main(%x: f32[2, 3, 4]) -> (y: f32[2, 12]) {
  %s = onnx.Shape(%x) {start = 0, end = 1}
  %r = onnx.Constant() {value = dense<i64[1]: -1>}
  %t = onnx.Concat(%s, %r) {axis = 0}
  %y = onnx.Reshape(%x, %t) : f32[2, 12]
  return %y
}
""").to_bytes()
NORMALISED = rw.load(b"""func @main(%x: f32[1, 2, 4, 4]) -> (y: f32[1, 3, 2, 2]) {
  %w = onnx.Constant() {value = dense<f32[3, 2, 3, 3]: 0.5>}
  %s = onnx.Constant() {value = dense<f32[3]: [1, 2, 3]>}
  %c = onnx.Conv(%x, %w)
  %y = onnx.BatchNormalization(%c, %s, %s, %s, %s)
  return %y
}
""").to_bytes()


class DropIn(unittest.TestCase):
    @staticmethod
    def kinds(model):
        return [op.kind.split(".")[-1] for op in rw.load(model).main.ops]

    def test_every_name_is_one(self):
        """Patterns and passes that stand for other packages' names exist."""
        from rw.compat import _names

        patterns, passes = [p["name"] for p in rw.patterns()], {p["name"] for p in rw.passes()}
        labels = rw.optimize(IDENTITIES, only=sorted({n for names in _names.ONNXSLIM.values() for n in names}), pipeline="onnx_fast")
        self.assertEqual(labels.ops_after, labels.ops_before)
        for counterpart in _names.ONNXOPTIMIZER.values():
            for name in counterpart.patterns + counterpart.behind:
                self.assertTrue(fnmatch.filter(patterns, name), name)
            self.assertLessEqual(set(counterpart.passes), passes)
        for names in _names.ONNXSLIM.values():
            for name in names:
                self.assertTrue(name.startswith("label:") or fnmatch.filter(patterns, name), name)

    def test_onnxsim(self):
        model, good = onnxsim.simplify(SWIN, check_n=1)
        self.assertTrue(good)
        self.assertEqual(model, rw.optimize(SWIN).to_bytes())
        with self.assertRaises(ValueError):
            onnxsim.simplify(SWIN, unused_output=["no_such"])

    def test_a_message_for_a_path_is_whole(self):
        """Where the package onnx is installed, here one that stands for it: what lies beside the model comes along, as with onnx.load."""
        loaded = []
        package = types.ModuleType("onnx")
        package.ModelProto = Message
        package.external_data_helper = types.SimpleNamespace(load_external_data_for_model=lambda model, folder: loaded.append((model, folder)))
        before = sys.modules.get("onnx")
        sys.modules["onnx"] = package
        try:
            model, _ = onnxsim.simplify(SWIN)
        finally:
            sys.modules.pop("onnx")
            if before is not None:
                sys.modules["onnx"] = before
        self.assertEqual(model.data, rw.optimize(SWIN).to_bytes())
        self.assertEqual(loaded, [(model, MODELS)])

    def test_what_is_not_compared_is_said(self):
        unknown = b"func @main(%x: f32[2]) -> f32[2] {\n  %y = acme.Own(%x) : f32[2]\n  return %y\n}\n"
        with self.assertWarnsRegex(UserWarning, "outputs of @main were not compared: .*acme.Own"):
            self.assertTrue(onnxsim.simplify(unknown, check_n=1)[1])
        with self.assertWarnsRegex(UserWarning, "were not compared"):
            onnxslim.slim(unknown, model_check=True)

    def test_onnxsim_arguments(self):
        def kinds(**options):
            return self.kinds(onnxsim.simplify(FOLDED, **options)[0])

        self.assertEqual(kinds(), ["initializer", "Add", "Relu", "return"])
        self.assertEqual(kinds(mutable_initializer=True), ["Abs", "Add", "Relu", "return"])
        self.assertEqual(kinds(tensor_size_threshold="8B"), ["initializer", "Abs", "Add", "Relu", "return"])
        self.assertEqual(kinds(skip_constant_folding=True), ["initializer", "Abs", "Add", "Relu", "return"])
        self.assertEqual(self.kinds(onnxsim.simplify(SIZED, skip_constant_folding=True)[0]), ["initializer", "Reshape", "return"])
        self.assertEqual(kinds(skipped_optimizers=["eliminate_identity"]), ["initializer", "Identity", "Add", "Relu", "return"])
        self.assertEqual(kinds(skipped_optimizers=["eliminate_common_subexpression", "split_init"]), ["initializer", "Add", "Add", "Relu", "return"])
        self.assertEqual(kinds(perform_optimization=False), ["initializer", "Identity", "Add", "Add", "Relu", "return"])
        self.assertEqual(kinds(skipped_optimizers="eliminate_identity"), kinds(skipped_optimizers=["eliminate_identity"]))
        with self.assertRaisesRegex(TypeError, "lists of sizes"):
            kinds(overwrite_input_shapes="x:2,4")
        # The one input of this model has a name that text shows in quotes.
        self.assertTrue(onnxsim.simplify(SWIN, check_n=1, overwrite_input_shapes=[1, 3, 64, 64])[1])
        self.assertEqual(kinds(unused_output=["z"]), ["initializer", "Add", "return"])
        self.assertEqual(rw.load(onnxsim.simplify(FOLDED, overwrite_input_shapes=[2, 0])[0]).main.params, [rw.Value("%x", "f32[2, 4]")])
        self.assertEqual(rw.load(onnxsim.simplify(FOLDED, input_shapes={None: [2, 4]})[0]).main.params, [rw.Value("%x", "f32[2, 4]")])
        model, good = onnxsim.simplify(FOLDED, 2, test_input_shapes={"x": [7, -1]}, check_rtol=1e-3, target_opset_version=None)
        self.assertTrue(good)
        self.assertEqual(rw.load(model).main.params, [rw.Value("%x", "f32[B, 4]")])
        self.assertIn("Conv", self.kinds(onnxsim.simplify(NORMALISED)[0]))
        self.assertNotIn("BatchNormalization", self.kinds(onnxsim.simplify(NORMALISED)[0]))
        self.assertIn("BatchNormalization", self.kinds(onnxsim.simplify(NORMALISED, skip_fuse_bn=True)[0]))
        for options in ({"skip_shape_inference": True}, {"dynamic_input_shape": True}, {"providers": ["CUDAExecutionProvider"]}):
            with self.assertWarnsRegex(UserWarning, "changes nothing"):
                kinds(**options)
        for options in ({"input_data": {}}, {"custom_lib": "a.so", "check_n": 1}, {"initializers_as_constants": False}, {"inline_functions": True},
                        {"custom_rewriter": print}, {"function_rewrite_rules": [1]}, {"input_fill": "ones", "check_n": 1}, {"profile": ""},
                        {"ort_profile": ""}, {"merge_ort_profile": True}):
            with self.assertRaisesRegex(NotImplementedError, "^`"):
                kinds(**options)
        for options in ({"skipped_optimizers": ["eliminate_identiy"]}, {"tensor_size_threshold": "much"}, {"unused_output": ["y", "z"]}):
            with self.assertRaises(ValueError):
                kinds(**options)

    def test_onnxslim(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.onnx")
            self.assertIsNone(onnxslim.slim(SWIN, path, model_check=True, save_as_external_data=True))
            self.assertGreater(os.path.getsize(path + ".data"), 0)
        self.assertTrue(all(p.type.startswith("f16") for p in rw.load(onnxslim.slim(SWIN, dtype="fp16")).main.params))
        with self.assertRaises(ValueError):
            onnxslim.slim(SWIN, dtype="int8")

    def test_onnxslim_arguments(self):
        def kinds(model=FOLDED, **options):
            return self.kinds(onnxslim.slim(model, **options))

        self.assertEqual(kinds(), ["initializer", "Add", "Relu", "return"])
        self.assertEqual(kinds(size_threshold=8), ["initializer", "Abs", "Add", "Relu", "return"])
        with self.assertRaisesRegex(ValueError, "a size is"):
            kinds(size_threshold="much")
        for options in ({"skip_optimizations": ["constant_folding"]}, {"no_constant_folding": True}):
            self.assertEqual(kinds(**options), ["initializer", "Abs", "Add", "Relu", "return"])
        self.assertEqual(kinds(skip_optimizations="subexpression_elimination graph_fusion"), ["initializer", "Identity", "Add", "Add", "Relu", "return"])
        self.assertIn("BatchNormalization", kinds(NORMALISED, skip_fusion_patterns=["FusionConvBN"]))
        self.assertEqual(kinds(outputs=["i:fp32"]), ["Identity", "return"])
        self.assertEqual(kinds(inputs=["i"], outputs=["y"]), ["initializer", "Add", "return"])
        self.assertEqual(rw.load(onnxslim.slim(FOLDED, input_shapes=["x:2,0"], model_check=True, model_check_inputs=["x:2,4"])).main.params,
                         [rw.Value("%x", "f32[2, 4]")])
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            self.assertIsNone(onnxslim.slim([FOLDED, SWIN], inspect=True))
        self.assertIn("onnx.Softmax", told.getvalue())
        with contextlib.redirect_stderr(io.StringIO()) as told:
            onnxslim.slim(FOLDED, verbose=True)
        self.assertIn("onnx.Identity", told.getvalue())
        with self.assertWarnsRegex(UserWarning, "changes nothing"):
            kinds(no_shape_infer=True)
        half = rw.optimize(SWIN, fp16=True).to_bytes()
        for options in ({"dump_to_disk": True}, {"outputs": ["i:fp16"]}, {"model": half, "dtype": "fp32"},
                        {"model_check": True, "model_check_inputs": ["x:data.npy"]}):
            with self.assertRaisesRegex(NotImplementedError, "^`"):
                kinds(**options)
        for options in ({"save_as_external_data": True}, {"skip_optimizations": ["folding"]}, {"skip_fusion_patterns": ["FusionConvBM"]},
                        {"input_shapes": ["x"]}, {"model_check_inputs": ["x:1,4"]}):
            with self.assertRaises(ValueError):
                kinds(**options)

    def test_onnxoptimizer(self):
        with open(SWIN, "rb") as file:
            model = Message(file.read())
        self.assertIsInstance(onnxoptimizer.optimize(model, ["eliminate_identity"]), Message)

        def kinds(passes, model=FOLDED, **options):
            return self.kinds(onnxoptimizer.optimize(model, passes, **options))

        before = self.kinds(FOLDED)
        self.assertEqual(kinds("eliminate_identity"), kinds(["eliminate_identity"]))
        with self.assertRaisesRegex(TypeError, "passes are names"):
            kinds([3])
        self.assertEqual(kinds(["nop"]), before)
        self.assertEqual(kinds(["eliminate_identity"]), [kind for kind in before if kind != "Identity"])
        self.assertEqual(kinds(["eliminate_common_subexpression"], fixed_point=True), ["Abs", "Identity", "Add", "Relu", "return"])
        self.assertNotIn("BatchNormalization", kinds(["fuse_bn_into_conv"], NORMALISED))
        self.assertEqual(kinds(["dce", "cse"]), ["Abs", "Identity", "Add", "Relu", "return"])
        for name in onnxoptimizer.get_available_passes():
            kinds([name], SWIN)
        self.assertLess(set(onnxoptimizer.get_fuse_and_elimination_passes()), set(onnxoptimizer.get_available_passes()))
        with self.assertRaises(NotImplementedError):
            kinds(["split_init"])
        with self.assertRaisesRegex(ValueError, "did you mean 'eliminate_identity'"):
            kinds(["eliminate_identiy"])

    def test_command_line(self):
        from rw.__main__ import main

        def run(*arguments):
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
                try:
                    return main(list(arguments)), told.getvalue()
                except SystemExit as stopped:
                    return stopped.code, told.getvalue()

        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
            rw.load(FOLDED).save(path)

            def kinds(*arguments):
                status, told = run(path, out, *arguments)
                self.assertEqual(status, 0, told)
                return self.kinds(out)

            self.assertEqual(kinds("2", "--test-input-shape", "x:5,4"), ["Abs", "Add", "Relu", "return"])
            self.assertEqual(kinds("--freeze-defaults", "--no-large-tensor", "8B"), ["initializer", "Abs", "Add", "Relu", "return"])
            self.assertEqual(kinds("--freeze-defaults", "--skip-constant-folding"), ["initializer", "Abs", "Add", "Relu", "return"])
            self.assertEqual(kinds("--skip-optimization", "eliminate_identity", "--skip-fuse-bn"), ["Abs", "Identity", "Add", "Relu", "return"])
            self.assertEqual(kinds("--skip-optimization"), ["Abs", "Identity", "Add", "Add", "Relu", "return"])
            self.assertEqual(kinds("--unused-output", "z", "--overwrite-input-shape", "x:2,0"), ["Abs", "Add", "return"])
            self.assertEqual(rw.load(out).main.params[0].type, "f32[2, 4]")
            kinds("--enable-fuse-bn", "--include-subgraph", "--mutable-initializer", "--skip-shape-inference", "--custom-lib", "a.so")
            kinds("--save-as-external-data")
            for wrong in (["1", "--check", "2"], ["--input-data-path", "x:a.npy"], ["1", "--custom-lib", "a.so"], ["--pipeline", "onnx", "--skip-fuse-bn"],
                          ["--skip-optimization", "eliminate_identiy"], ["--unused-output", "q"], ["--unused-output", "y", "z"],
                          ["--unused-output", "y", "--outputs", "z"], ["--overwrite-input-shape", "x"], ["--no-large-tensor", "much"]):
                status, told = run(path, out, *wrong)
                self.assertEqual((status, told.count("error:")), (2, 1), told)
            self.assertEqual(run(path, out, "--report", os.path.join(folder, "none", "page.html"))[0], 1)
            self.assertIn("`opset` is the number of an operator set", run(path, out, "--opset", "0")[1])


class Documentation(unittest.TestCase):
    def test_the_page_runs(self):
        """Every block of docs/python.md, one after the other, in a folder with a model.onnx."""
        with open(os.path.join(TOP, "docs", "python.md"), encoding="utf-8") as page:
            blocks = re.findall(r"```python\n(.*?)```", page.read(), re.S)
        self.assertGreaterEqual(len(blocks), 5)
        self.run_blocks(blocks, {})

    def test_the_readme_runs(self):
        """Its blocks, beside the file of patterns that it shows."""
        with open(os.path.join(TOP, "README.md"), encoding="utf-8") as page:
            text = page.read()
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreaterEqual(len(blocks), 1)
        told = self.run_blocks(blocks, {"my.rw": re.search(r"^`my.rw`:\n\n```rw\n(.*?)```", text, re.S | re.M).group(1)})
        self.assertGreater(len(told), 5)
        self.assertTrue(all(op.startswith("onnx.Add ") and isinstance(a, rw.Value) for op, a, _ in told), told)

    def run_blocks(self, blocks, files):
        """What they print."""
        here, told = os.getcwd(), []
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SWIN, os.path.join(folder, "model.onnx"))
            os.makedirs(os.path.join(folder, "tests"))
            os.symlink(MODELS, os.path.join(folder, "tests", "models"))
            for name, text in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            os.chdir(folder)
            try:
                scope = {"print": lambda *values: told.append(values)}
                for block in blocks:
                    exec(block, scope)
            finally:
                os.chdir(here)
        return told


if __name__ == "__main__":
    unittest.main()
