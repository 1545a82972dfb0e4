#!/usr/bin/env python3
"""The page of --report: well-formed, self-contained, the same each time, with the counts of --stats=json, and names from a model
cannot become markup.

  tests/system/report.py RW-OPT RW-OPT-TEST MODEL…
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"
KNOWN = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "code", "div", "b", "table", "tr", "th", "td", "details",
         "summary", "span", "ol", "li", "figure", "figcaption"}
DRAWN = {"svg", "path", "rect", "text", "g"}


def page_of(tool, model, folder, *flags):
    """The page as a tree, and what --stats=json says of the same run."""
    pages = []
    for name in ("first.html", "second.html"):
        path = os.path.join(folder, name)
        done = subprocess.run([tool, model, "--report", path, "--stats=json", *flags], capture_output=True, check=True)
        with open(path, "rb") as file:
            pages.append(file.read())
    assert pages[0] == pages[1], "two runs, two pages"
    root = xml.fromstring(pages[0])
    for element in root.iter():
        name = element.tag.removeprefix(HTML).removeprefix(SVG)
        assert name in KNOWN | DRAWN, name
        for key, value in element.attrib.items():
            assert key not in ("src", "href", "onload", "onclick"), (name, key, value)
    text = pages[0].decode()
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/)", text)
    return root, json.loads(done.stdout)


def cells(root, table):
    rows = [r for t in root.iter(HTML + "table") if t.get("id") == table for r in t.iter(HTML + "tr")]
    return [["".join(c.itertext()) for c in row.iter(HTML + "td")] for row in rows[1:]]


def check(root, stats):
    numbers = [b.text for d in root.iter(HTML + "div") if d.get("id") == "summary" for b in d.iter(HTML + "b")]
    passes = [p for p in stats["passes"] if not p["failed"]]
    expected = [stats["ops"]["before"], stats["ops"]["after"], *(sum(p[k] for p in passes) for k in ("rewrites", "folds", "erased"))]
    assert numbers == [str(n) for n in expected], (numbers, expected)
    assert {r[0]: [int(r[1]), int(r[2])] for r in cells(root, "ops")} == stats["ops"]["kinds"]
    assert {r[0]: [int(r[1]), int(r[2])] for r in cells(root, "patterns")} == {p["name"]: [p["applied"], p["tried"]] for p in stats["patterns"]}
    assert [[r[0], r[2], r[5], r[6]] for r in cells(root, "passes")] == [
        [p["pass"], *(str(p[k]) for k in ("rewrites", "ops_before", "ops_after"))] for p in stats["passes"]]
    # Each rewrite by a pattern is listed, and the first of each pattern are drawn, before and after.
    groups = [d for d in root.iter(HTML + "details") if d.get("class") == "rewrites"]
    listed = {g.find(HTML + "summary").find(HTML + "code").text: len(list(g.iter(HTML + "li"))) for g in groups if g.find(HTML + "summary").find(HTML + "code") is not None}
    assert listed == {p["name"]: p["applied"] for p in stats["patterns"]}, listed
    for group in groups:
        if group.find(HTML + "summary").find(HTML + "code") is not None:
            drawn = len(list(group.iter(HTML + "figure")))
            assert drawn == 2 * min(3, len(list(group.iter(HTML + "li")))), drawn
            before = group.find(f".//{HTML}figure/{SVG}svg")
            touched = [g for g in before.iter(SVG + "g") if "t" in g.get("class").split()]
            assert touched, "a drawing in which nothing was touched"
            width, height = int(before.get("width")), int(before.get("height"))
            for rect in before.iter(SVG + "rect"):
                assert 0 <= int(rect.get("x")) and int(rect.get("x")) + int(rect.get("width")) <= width
                assert 0 <= int(rect.get("y")) and int(rect.get("y")) + int(rect.get("height")) <= height


HOSTILE = r"""func @"</script><b>"(%"</title><script>alert(1)</script>": f32[2, 3], %"&quot;' onload='x": f32[2, 3]) -> f32[2, 3] {
  %"<img src=x>" = tensor.transpose(%"</title><script>alert(1)</script>") {perm = [1, 0]}
  %"]]>--><svg onload=1>" = tensor.transpose(%"<img src=x>") {perm = [1, 0]}
  %y = tensor.add(%"]]>--><svg onload=1>", %"&quot;' onload='x") {"<x y='1'>" = "</svg><script>"}
  return %y
}
"""


def main():
    tool, wrong_tool, *models = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            check(*page_of(tool, model, folder))
        path = os.path.join(folder, "<b>hostile&.rwir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HOSTILE)
        root, stats = page_of(tool, path, folder, "-o", os.path.join(folder, "out.rwir"))
        check(root, stats)
        text = "".join(root.itertext())
        assert "<img src=x>" in text and "</svg><script>" in text  # shown as they are
        # A pass that was undone leaves no rewrites on the page.
        path = os.path.join(folder, "undone.rwir")
        with open(path, "w", encoding="utf-8") as file:
            file.write("func @main(%x: f32[2]) -> f32[2] {\n  %y = tensor.neg(%x)\n  return %y\n}\n")
        root, stats = page_of(wrong_tool, path, folder, "-o", os.path.join(folder, "out.rwir"), "--pipeline", "failing")
        assert "failed, undone" in "".join(root.itertext())
        check(root, stats)
    print(f"report: {len(models)} models, hostile names, an undone pass")


if __name__ == "__main__":
    main()
