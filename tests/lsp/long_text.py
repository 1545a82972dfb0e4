#!/usr/bin/env python3
"""A text of 10,000 lines: what is said at once of an edit, and that all of it is said once nobody types.

usage: long_text.py --server PATH [--time]

With --time it prints how long each answer took; nothing depends on that.
"""
import argparse
import random
import sys
import time

from client import Client, uri

PATH = "/long/text.rw"


def text_of(lines):
    out = ['import "onnx/onnx.rw";', ""]
    number = 0
    while len(out) < lines:
        out += [f"/// Number {number} of many, größer als {number - 1}.", f"pattern P{number} benefit 2 {{",
                "  onnx.Transpose(onnx.Transpose(x, perm = p), perm = q)",
                f"  where len(p) == {number + 1}, is_wanted(p), let r = [p[i] for i in q], r != p" + (", nobody(x)" if number % 200 == 7 else ""),
                "  => onnx.Transpose(x, perm = r)", "}", ""]
        number += 1
    return "\n".join(out) + "\nfn is_wanted(p: [int]) -> bool = len(p) > 1;\n"


class Long:
    def __init__(self, server, encodings):
        self.client = Client([server], {"capabilities": {"general": {"positionEncodings": encodings}}, "initializationOptions": {"runTests": False}})
        self.text = text_of(10_000)
        self.client.open(PATH, self.text)
        self.said = self.client.diagnostics(PATH)
        self.times = []

    def type(self, offset, length, new):
        """Puts a text in the place of another; what is said at once."""
        def position(at):
            return {"line": self.text.count("\n", 0, at), "character": len(self.text[self.text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2}
        change = {"range": {"start": position(offset), "end": position(offset + length)}, "text": new}
        self.text = self.text[:offset] + new + self.text[offset + length:]
        begin = time.monotonic(), self.processor_time()
        self.client.change(PATH, [change])
        at_once = self.client.diagnostics(PATH)
        self.times.append((time.monotonic() - begin[0], self.processor_time() - begin[1]))
        return at_once

    def processor_time(self):
        with open(f"/proc/{self.client.process.pid}/schedstat", encoding="ascii") as numbers:
            return int(numbers.read().split()[0]) / 1e9

    def wait(self):
        """What is said of all of it, once nobody types."""
        self.client.published.pop(uri(PATH))
        return self.client.diagnostics(PATH)


def said(diagnostics):
    return sorted((d["range"]["start"]["line"], d["range"]["start"]["character"], d["code"]) for d in diagnostics)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args()
    wrong = []

    def expect(what, found, wanted):
        if found != wanted:
            wrong.append(f"{what}: {found} instead of {wanted}")

    long = Long(options.server, ["utf-16"])
    errors = said(long.said)
    expect("errors at first", [e for e in errors if e[2] != "undefined-function"], [])
    expect("their number", len(errors), 8)
    # In the middle: a line more, and a name that there is not.
    middle = long.text.index("  where len(p) == 701,")
    at_once = said(long.type(middle, 0, "\n"))
    moved = [(line + (line > long.text.count("\n", 0, middle)), column, code) for line, column, code in errors]
    expect("lines move", at_once, moved)
    at_once = said(long.type(long.text.index("len(p) == 701"), 3, "lem"))
    line = long.text.count("\n", 0, long.text.index("lem(p) == 701"))
    expect("a wrong name is said at once", at_once, sorted(moved + [(line, 8, "undefined-function")]))
    expect("and afterwards", said(long.wait()), at_once)
    at_once = said(long.type(long.text.index("lem(p) == 701"), 3, "len"))
    expect("and no more once it is right", at_once, moved)
    long.wait()
    # What others use: they hear of it afterwards.
    at_once = long.type(long.text.index("fn is_wanted") + 3, 9, "is_waited")
    expect("others are as they were", said(at_once), moved)
    expect("afterwards all uses are wrong", sum(d["message"].startswith("no function named `is_wanted`") for d in long.wait()) > 1400, True)
    long.type(long.text.index("fn is_waited") + 3, 9, "is_wanted")
    expect("and right again", said(long.wait()), moved)

    # Completion does not wait for all of it.
    at = long.text.index("onnx.Transpose(x, perm = r)\n}", len(long.text) // 3) + len("onnx.")
    long.type(at, 0, "Trans")
    before = long.text[:at + 5]
    words = long.client.on(PATH, "completion", position={"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1})
    expect("completion", "Transpose" in [item["label"] for item in words["items"]], True)
    long.type(at, 5, "")

    # At random, and in the end as a fresh server says.
    rng = random.Random(7)
    for _ in range(12):
        at = rng.randrange(len(long.text))
        long.type(at, rng.choice([0, 1, 3]), rng.choice(["", "x", "(", "\n", "pattern ", "1", "ä"]))
    after = said(long.wait())
    fresh = Long(options.server, ["utf-16"])
    fresh.client.change(PATH, [{"text": long.text}])
    expect("as a fresh server says", after, said(fresh.client.diagnostics(PATH)))
    for each in (long, fresh):
        expect("status", each.client.stop(), 0)
    if options.time:
        print("milliseconds from an edit to diagnostics, of them on the processor: " + ", ".join(f"{1000 * t:.0f} ({1000 * p:.0f})" for t, p in long.times))
    for line in wrong:
        print(line)
    print(f"{len(long.text.splitlines())} lines, {len(long.times)} edits, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
