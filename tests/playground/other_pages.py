#!/usr/bin/env python3
"""The pages that rw makes beside the playground's, in Chromium: other_pages.py --rw-opt PATH --server RW-LSP --source DIR --out DIR.

The page of --report, what a notebook shows of a Result (RW_LIBRARY and PYTHONPATH say where rw is), and the view of VS Code's extension with
what the server answers. Each light and dark, wide and narrow: everything fits, can be read and, where something opens, is opened by the
keyboard alone. Leaves screenshots in --out. Exit status 77 if there is no Chromium.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from chromium import Chromium

OPTIONS = argparse.Namespace(rw_opt=None, server=None, source=None, out=None)
# The least contrast of text, or of the lines of what a selector names, to what is behind it, as WCAG reckons it. What is behind is the nearest background that is not seen through.
CONTRAST = """((root, marks) => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const opaque = (c) => c.length === 3 || (c.length === 4 && c[3] === 1);
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const page = matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18] : [255, 255, 255];
  let worst = { ratio: 21, text: '' };
  for (const e of root.querySelectorAll('*')) {
    const own = !marks && [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join('');
    if (!(own || marks && e.matches(marks)) || !e.getClientRects().length || ['STYLE', 'TITLE', 'SCRIPT'].includes(e.tagName)) continue;
    let behind = null;
    for (let at = e; at && !behind; at = at.parentElement) {
      const c = numbers(getComputedStyle(at).backgroundColor);
      if (opaque(c)) behind = c;
    }
    const style = getComputedStyle(e);
    const [a, b] = [light(numbers(marks ? style.stroke : e instanceof SVGElement ? style.fill : style.color)), light(behind || page)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst.ratio) worst = { ratio, text: `${e.tagName} ${own ? own.slice(0, 40) : ''}` };
  }
  return worst;
})(document.body%s)"""
# What VS Code gives a view of its own: a few of its colours, by theme.
THEMES = {"light": {"foreground": "#3b3b3b", "editor-background": "#ffffff", "panel-border": "#e5e5e5", "editorWarning-foreground": "#bf8803"},
          "dark": {"foreground": "#cccccc", "editor-background": "#1f1f1f", "panel-border": "#2b2b2b", "editorWarning-foreground": "#cca700"}}
SIZES = {"wide": (1400, 900), "narrow": (420, 900)}
RULES = """import "onnx/onnx.rw";
pattern Twice { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
"""
MODEL = """func @main(%x: f32[1, 8, 16]) -> f32[1, 8, 16] {
  %first = onnx.Relu(%x)
  %"<img src=x onerror=alert(1)>" = onnx.Relu(%first)
  %y = onnx.Sigmoid(%"<img src=x onerror=alert(1)>")
  return %y
}
"""


class OtherPages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rw-pages-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.makedirs(OPTIONS.out, exist_ok=True)
        self.browser = Chromium(shutil.which("chromium"))
        self.addCleanup(self.browser.__exit__, None, None, None)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def look_at(self, path, name, size, theme):
        """Opens a page; it fits, can be read, and has nothing to complain of."""
        self.browser.look(*SIZES[size], dark=theme == "dark")
        self.browser.open("file://" + path)
        self.browser.screenshot(os.path.join(OPTIONS.out, f"{name}_{size}_{theme}.png"))
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), SIZES[size][0], f"{name} {size}")
        worst = self.browser.value(CONTRAST % "")
        self.assertGreaterEqual(worst["ratio"], 4.5, f"{name} {theme}: {worst['text']}")
        self.assertEqual(self.browser.told, [])

    def test_the_report(self):
        path = os.path.join(self.folder, "report.html")
        model = os.path.join(OPTIONS.source, "tests", "models", "swin_mini.onnx")
        subprocess.run([OPTIONS.rw_opt, model, "--report", path, "--check", "1", "-o", os.path.join(self.folder, "out.onnx")], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for size in SIZES:
            for theme in THEMES:
                self.look_at(path, "report", size, theme)
        # By the keyboard alone: to what opens, and open it.
        self.browser.look(*SIZES["wide"])
        self.browser.open("file://" + path)
        for _ in range(40):
            self.browser.press("Tab")
            if self.browser.value("document.activeElement.tagName === 'SUMMARY' && !document.activeElement.parentElement.open"):
                break
        self.assertEqual(self.browser.value("document.activeElement.tagName"), "SUMMARY")
        self.browser.press("Enter")
        self.assertTrue(self.browser.value("document.activeElement.parentElement.open"))
        self.browser.screenshot(os.path.join(OPTIONS.out, "report_opened.png"))
        # All that can be opened: it still fits a narrow window, and is read in the dark.
        self.browser.look(*SIZES["narrow"], dark=True)
        self.browser.value("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), SIZES["narrow"][0])
        worst = self.browser.value(CONTRAST % "")
        self.assertGreaterEqual(worst["ratio"], 4.5, worst["text"])

    def test_a_notebook(self):
        """A cell's output: the table as text, or the report in a frame."""
        script = ("import rw, sys; r = rw.optimize(sys.argv[1], report=sys.argv[2] == 'report'); sys.stdout.write(r._repr_html_())")
        model = os.path.join(OPTIONS.source, "tests", "models", "swin_mini.onnx")
        for kind in ("table", "report"):
            shown = subprocess.run([sys.executable, "-B", "-c", script, model, kind], check=True, capture_output=True, text=True).stdout
            path = self.write(kind + ".html", "<!DOCTYPE html><html><head><meta charset='utf-8'><meta name='color-scheme' content='light dark'></head>"
                                              f"<body><div style='overflow: auto'>{shown}</div></body></html>")
            for size in SIZES:
                self.look_at(path, "notebook_" + kind, size, "light")
            if kind == "report":
                frame = "document.querySelector('iframe').contentDocument"
                self.browser.wait(f"{frame}.querySelector('#summary')")
                self.assertLessEqual(self.browser.value(f"{frame}.documentElement.scrollWidth - document.querySelector('iframe').clientWidth"), 0)
            else:
                self.assertIn("ops", self.browser.text("pre"))

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_the_view_of_vscode(self):
        sys.path.insert(0, os.path.join(OPTIONS.source, "tests", "lsp"))
        from client import Client, uri

        rules = self.write("rules.rw", RULES)
        self.write("model.rwir", MODEL)
        with Client([OPTIONS.server], {"initializationOptions": {"model": os.path.join(self.folder, "model.rwir")}}) as client:
            client.open(rules, RULES)
            self.assertEqual(client.diagnostics(rules), [])
            told = client.request("workspace/executeCommand", {"command": "rw.showRewrites", "arguments": [uri(rules), 2]})
        self.assertEqual(len(told["rewrites"]), 1)
        script = ("const Module = require('module'), load = Module._load;\n"
                  "Module._load = (name, ...more) => name.startsWith('vscode') ? {} : load(name, ...more);\n"
                  f"process.stdout.write(require({json.dumps(os.path.join(OPTIONS.source, 'editor', 'vscode', 'extension.js'))}).pageOf({json.dumps(told)}));\n")
        page = subprocess.run(["node", "-e", script], check=True, capture_output=True, text=True).stdout
        for theme, colours in THEMES.items():
            # VS Code sets its colours as variables of the root, and the body's colours by them.
            given = "".join(f"--vscode-{name}: {colour};" for name, colour in colours.items())
            style = f"<style>:root {{ {given} }} body {{ background: {colours['editor-background']}; color: {colours['foreground']}; font: 13px sans-serif; }}</style>"
            path = self.write(theme + ".html", page.replace("</head>", style + "</head>", 1))
            for size in SIZES:
                self.look_at(path, "vscode", size, theme)
            # Boxes are seen as well: their lines are drawn on the view's own background.
            self.assertGreaterEqual(self.browser.value(CONTRAST % ", 'svg rect'")["ratio"], 3, theme)
            self.assertIn("Twice at", self.browser.text("h3"))
            self.assertEqual(self.browser.value("document.querySelectorAll('figure svg').length"), 2)
            self.assertEqual(self.browser.value("document.querySelectorAll('img').length"), 0)
            self.assertIn("<img src=x", self.browser.value("[...document.querySelectorAll('svg text')].map((t) => t.textContent).join()"))


def main():
    parser = argparse.ArgumentParser()
    for name in ("--rw-opt", "--server", "--source", "--out"):
        parser.add_argument(name, required=True)
    given, rest = parser.parse_known_args()
    if not shutil.which("chromium"):
        print("skipped: there is no chromium")
        return 77
    for name, value in vars(given).items():
        setattr(OPTIONS, name, os.path.abspath(value))
    return 0 if unittest.main(argv=[sys.argv[0]] + rest, exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
