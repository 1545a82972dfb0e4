#!/usr/bin/env python3
"""The page of rw-opt --serve in Chromium: page.py --rw-opt PATH --source DIR --out DIR.

Types a pattern, sees the diagnostic, takes the cure, sees what is rewritten; does all with the keyboard alone; leaves screenshots in --out,
light and dark, narrow and wide. Exit status 77 if there is no Chromium.
"""
import argparse
import base64
import json
import os
import shutil
import sys
import tempfile
import unittest

from chromium import Chromium
from served import Served

OPTIONS = argparse.Namespace(rw_opt=None, source=None, out=None)
MODEL = """func @main(%x: f32[1, 8, 16], %w: f32[8, 8]) -> f32[1, 8, 16] {
  %first = onnx.Relu(%x)
  %second = onnx.Relu(%first)
  %mixed = onnx.MatMul(%w, %second)
  %"<img src=x onerror=alert(1)>" = onnx.Relu(%mixed)
  %y = onnx.Add(%"<img src=x onerror=alert(1)>", %x)
  return %y
}
"""
CLEAR = "editor.replace(0, editor.text.length, '')"
FINISHED = "state.facts && state.run && !running && !checking"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = os.path.join(cls.folder.name, "small.rwir")
        with open(cls.model, "w") as file:
            file.write(MODEL)
        os.makedirs(OPTIONS.out, exist_ok=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.browser = self.entered(Chromium(shutil.which("chromium")))

    def entered(self, manager):
        self.addCleanup(manager.__exit__, None, None, None)
        return manager.__enter__()

    def served(self, *arguments):
        page = self.entered(Served(OPTIONS.rw_opt, *arguments))
        self.browser.look(1400, 900)
        self.browser.open(page.address)
        self.browser.wait("state.diagnostics")
        return page

    def shot(self, name):
        self.browser.screenshot(os.path.join(OPTIONS.out, name + ".png"))

    def check_nothing_went_wrong(self):
        self.assertEqual(self.browser.told, [])
        self.assertFalse(self.browser.value("document.querySelector('img, iframe, object')"))

    def check_fits(self, width):
        """Nothing sticks out at the side of the window."""
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)

    def test_a_pattern_is_typed(self):
        browser = self.browser
        self.served(self.model)
        browser.value(CLEAR)
        browser.type('import "onnx/onnx.rw";\npattern Mine {\nonnx.Relu(onnx.Rellu(x))\n=> onnx.Relu(x)\n}\n')
        browser.wait("state.diagnostics.length === 1")
        browser.press("Escape")
        self.assertIn("no op named `onnx.Rellu`", browser.text("#problems"))
        self.assertIn("3:13", browser.text("#problems"))
        self.assertEqual(browser.value("document.querySelectorAll('.marks .e').length"), 1)
        self.assertTrue(browser.value("byId('graph').classList.contains('stale')"))
        self.shot("diagnostic")
        browser.click("#problems .cure")
        browser.wait(FINISHED + " && state.diagnostics.length === 0")
        self.assertIn("onnx.Relu(onnx.Relu(x))", browser.value("editor.text"))
        self.assertRegex(browser.value("document.querySelector('.lens').dataset.text"), "1 match$")
        self.assertIn("outputs agree", browser.text("#panel"))
        self.assertEqual(browser.value("[...document.querySelectorAll('#graph .gone text.t')].map((t) => t.textContent)"), ["onnx.Relu", "onnx.Relu"])
        browser.press("Ctrl+z")  # the cure is undone as other edits are
        browser.wait("editor.text.includes('Rellu') && document.querySelector('.cure:enabled')")
        browser.click("#problems .cure")
        browser.wait(FINISHED)
        self.shot("wide_light")
        browser.click("#tab-rewrites")
        self.assertEqual(browser.value("document.querySelectorAll('#panel .piece svg').length"), 2)
        browser.look(1400, 900, dark=True)
        if os.path.exists(os.path.join(os.path.dirname(OPTIONS.rw_opt), "rw-lsp")):  # which proves
            browser.wait("document.querySelector('.lens').dataset.text === 'proved · 1 match'")
        browser.click("#after")
        self.assertEqual(browser.value("document.querySelectorAll('#graph .new').length"), 1)
        self.shot("wide_dark")
        for tab in ("patterns", "difference", "tests"):
            browser.click(f"#tab-{tab}")
            self.shot(f"tab_{tab}")
        browser.look(420, 900)
        browser.click("#tab-numbers")
        self.check_fits(420)
        browser.value("scrollTo(0, 0)")
        self.shot("narrow_light")
        browser.value("scrollTo(0, 1e6)")
        self.shot("narrow_light_below")
        browser.look(420, 900, dark=True)
        browser.value("scrollTo(0, 0)")
        self.shot("narrow_dark")
        self.check_nothing_went_wrong()

    def test_completion_and_explanations(self):
        browser = self.browser
        self.served(self.model)
        browser.value(CLEAR)
        browser.type('import "onnx/onnx.rw";\npattern P { onnx.Sof')
        browser.wait("!byId('completions').hidden")
        browser.type("tpl")
        browser.wait("byId('completions').children[0]?.innerText.startsWith('Softplus')")
        self.assertIn("op Softplus", browser.text("#completions"))
        self.shot("completion")
        browser.press("Tab")
        self.assertIn("onnx.Softplus", browser.value("editor.text"))
        self.assertTrue(browser.value("byId('completions').hidden"))
        browser.type("(")
        browser.wait("!byId('hint').hidden")
        self.assertIn("X: tensor", browser.text("#hint .current"))
        browser.type("x) => onnx.Softplus(x) }")
        browser.press("Escape")
        browser.wait("state.diagnostics.every((d) => d.severity !== 1)")
        for _ in range(8):
            browser.press("ArrowLeft")
        browser.press("F1")
        browser.wait("!byId('hint').hidden")
        self.assertIn("op Softplus", browser.text("#hint"))
        self.shot("explained")
        self.check_nothing_went_wrong()

    def test_without_a_model(self):
        browser = self.browser
        self.served()
        self.assertIn("There is no model yet", browser.text("#graph"))
        self.assertTrue(browser.value("byId('download').disabled"))
        self.shot("no_model")
        browser.click("#sample")
        browser.wait(FINISHED)
        self.assertEqual(browser.text("#model"), "sample.rwir")
        self.assertIn("7\nops before", browser.text("#panel"))
        self.assertIn("4\nops after", browser.text("#panel"))
        self.shot("sample")
        self.check_nothing_went_wrong()

    def test_a_model_is_dropped(self):
        browser = self.browser
        self.served()
        with open(os.path.join(OPTIONS.source, "tests", "models", "ctl_if_loop.onnx"), "rb") as file:
            data = base64.b64encode(file.read()).decode()
        browser.value(f"""(() => {{
          const bytes = Uint8Array.from(atob({json.dumps(data)}), (c) => c.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], 'dropped.onnx'));
          for (const kind of ['dragenter', 'dragover', 'drop']) {{
            document.body.dispatchEvent(new DragEvent(kind, {{ dataTransfer: transfer, bubbles: true, cancelable: true }}));
          }}
        }})()""")
        browser.wait(FINISHED)
        self.assertEqual(browser.text("#model"), "dropped.onnx")
        self.assertTrue(browser.value("byId('drop').hidden"))
        self.assertEqual(browser.value("byId('scope').options.length"), 4)
        browser.value("byId('pipeline').value = 'onnx'; byId('pipeline').dispatchEvent(new Event('change'))")
        browser.wait(FINISHED + " && state.run.statistics.ops.after === 8")
        browser.value("byId('graph').focus()")
        browser.press("n")  # from where nothing changes, too
        browser.wait("graph.picked >= 0")
        self.shot("regions")
        self.check_nothing_went_wrong()

    def test_with_the_keyboard_alone(self):
        browser = self.browser
        self.served(self.model)
        browser.wait(FINISHED)
        self.assertEqual(browser.value("document.activeElement.id"), "text")
        browser.press("F6")
        self.assertEqual(browser.value("document.activeElement.id"), "graph")
        browser.press("n")
        self.assertIn("goes or changes, change 1 of 2", browser.text("#node"))
        browser.press("ArrowDown")
        self.assertIn("change 2 of 2", browser.text("#node"))
        browser.press("ArrowDown")
        self.assertIn("onnx.MatMul", browser.text("#node"))
        for key in ("+", "-", "0", "p", "Shift+ArrowLeft", "Alt+b"):
            browser.press(key)
        self.assertEqual(browser.value("state.which"), "after")
        browser.press("F6")
        self.assertEqual(browser.value("document.activeElement.id"), "panel")
        browser.value("byId('tab-numbers').focus()")
        browser.press("ArrowRight")
        self.assertEqual(browser.value("state.tab"), "rewrites")
        browser.press("F2")
        self.assertTrue(browser.value("byId('help').open"))
        self.shot("keys")
        browser.press("Escape")
        self.assertFalse(browser.value("byId('help').open"))
        # Every control is reached by Tab, once, and has a name.
        reached = set()
        browser.value("document.activeElement.blur()")
        for _ in range(60):
            browser.press("Tab")
            reached.add(browser.value("document.activeElement.id || document.activeElement.className"))
        wanted = {"open", "pipeline", "fastmath", "download", "keys", "format", "save", "text", "before", "after", "previous", "next", "in", "out", "fit",
                  "graph", "panel", "tab-rewrites"}
        self.assertEqual(wanted - reached, set())
        self.assertEqual(browser.value("""[...document.querySelectorAll('button, input:not([hidden]), select, textarea')].filter((e) =>
            !e.hidden && !e.innerText?.trim() && !e.ariaLabel && !e.labels?.length).map((e) => e.id)"""), [])
        self.check_nothing_went_wrong()

    def test_the_address_without_its_end(self):
        page = self.entered(Served(OPTIONS.rw_opt, self.model))
        self.browser.open(page.address.split("#")[0])
        self.browser.wait("byId('graph').innerText.includes('open the address that it printed')")

    def test_rw_opt_that_has_ended_is_told(self):
        page = self.served(self.model)
        self.browser.wait(FINISHED)
        page.stop()
        self.browser.click("#text")
        self.browser.type(" ")
        self.browser.wait("byId('said').innerText.includes('is it still running?')")

    def test_a_large_model(self):
        path = os.path.join(self.folder.name, "large.rwir")
        with open(path, "w") as file:
            file.write("func @main(%x: f32[2, 3], %m: f32[2, 3]) -> f32[2, 3] {\n  %v0 = onnx.Relu(%x)\n")
            for i in range(1, 4000):
                kind = "onnx.Relu(%v{0})" if i % 100 == 1 else "onnx.Add(%v{0}, %m)" if i % 3 == 0 else "onnx.Tanh(%v{0})"
                file.write(f"  %v{i} = " + kind.format(i - 1) + "\n")
            file.write("  return %v3999\n}\n")
        browser = self.browser
        self.served(path)
        browser.wait(FINISHED)
        self.assertEqual(browser.value("state.run.statistics.ops.before"), 4000)
        self.assertGreater(browser.value("document.querySelectorAll('#graph g[data-node]').length"), 2000)
        self.assertIn("not drawn", browser.text("#node"))
        self.shot("large")
        self.check_nothing_went_wrong()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("--rw-opt", "--source", "--out"):
        parser.add_argument(name, required=True)
    OPTIONS, rest = parser.parse_known_args()
    if not shutil.which("chromium"):
        print("skipped: there is no chromium")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
