#!/usr/bin/env python3
"""Edits documents at random and asks at random, and holds the server against a fresh one.

usage: random_edits.py --server PATH --source DIR [--edits N] [--seed N] [--compare N] [--growth MIB]

Edits are what people type, and what no one does: letters, words and lines put in, taken out, doubled, moved. After every so many edits a
server that has just been started gets the same texts, and must say the same. The server may not grow with the number of edits.

A million: RW_RANDOM_EDITS=1000000 RW_RANDOM_EDITS_COMPARE=500 ctest -R lsp.random_edits, where there is an hour.
"""
import argparse
import os
import random
import re
import sys
import tempfile

from client import Client, ServerGone, uri

WORDS = ["(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "=>", "->", "..", "...", "?", "|", "\"", "[{", "}]", "//", "///", "\n", "\n\n", " ", "x",
         "relu", "onnx.Relu", "transpose", "perm", "p", "where", "let", "pattern P {", "op f(x: tensor) -> tensor;", "fn g(n: int) -> int = n;",
         "import \"onnx/onnx.rw\";", "import \"b.rw\";", "test", "is", "const", "single", "f32[2]", "0", "-1", "1.5", "true", "ä", "𝄞", "\t", "\r\n", "for f in", "dialect t;"]
METHODS = ["completion", "hover", "signatureHelp", "definition", "documentHighlight", "documentSymbol", "foldingRange", "formatting", "documentLink",
           "semanticTokens/full", "inlayHint", "codeAction", "selectionRange", "prepareRename", "rename", "references", "prepareCallHierarchy", "codeLens"]
FILES = ["patterns/onnx/fuse_relu.rw", "patterns/layout/transpose_pairs.rw", "patterns/onnx/dropout.rw", "patterns/lib/permutations.rw", "patterns/tensor/tensor_elementwise.rw",
         "tests/seed_patterns", "examples"]


# A text that is right as long as what it imports is: errors of the import alone must not harm it.
USER = """import "library.rw";

pattern Twice { half(half(x, by = a), by = b) where good(a) => half(x, by = joined(a, b)) }
pattern Once { half(x, by = a) where len(a) == 0 => x }
match wanted(x) = half(x, by = _);
pattern Named { wanted(wanted(x)) => half(x, by = []) }
test Once (x: f32[2]) { half(x, by = []) => x }
"""
LIBRARY = """dialect mine;
op half(x: tensor) -> tensor { attr by: [int]; traits pure; type x.type; }
fn good(l: [int]) -> bool = len(l) > 0;
fn joined(a: [int], b: [int]) -> [int] = a ++ b;
"""


def texts(source):
    """Texts to begin with: short files of the tree."""
    out = []
    for name in FILES:
        path = os.path.join(source, name)
        found = [path] if os.path.isfile(path) else [os.path.join(folder, f) for folder, _, files in os.walk(path) for f in files if f.endswith(".rw")]
        for each in sorted(found):
            with open(each, encoding="utf-8") as text:
                whole = text.read()
            out.append(whole[:whole.rfind("\n", 0, 2500) + 1] if len(whole) > 2500 else whole)
    return out


def position(text, offset):
    """A line ends with `\\n`, `\\r\\n` or `\\r`."""
    breaks = [m.end() for m in re.finditer(r"\r\n|\r|\n", text) if m.end() <= offset]
    start = breaks[-1] if breaks else 0
    return {"line": len(breaks), "character": len(text[start:offset].encode("utf-16-le")) // 2}


def edit(rng, text, others):
    """Where, and what is put there."""
    at = rng.randrange(len(text) + 1)
    kind = rng.random()
    if kind < 0.45:
        return at, at, rng.choice(WORDS)
    if kind < 0.6:
        return at, min(len(text), at + 1), ""
    if kind < 0.75:
        return at, min(len(text), at + rng.randrange(1, 30)), rng.choice(WORDS + [""])
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at) + 1 or len(text)
    if kind < 0.85:
        return begin, begin, text[begin:end]
    if kind < 0.95:
        return begin, end, ""
    other = rng.choice(others)
    cut = rng.randrange(len(other) + 1)
    return at, at, other[cut:cut + rng.randrange(80)]


def memory(client):
    """MiB that the server has."""
    with open(f"/proc/{client.process.pid}/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Session:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.rng = random.Random(options.seed)
        self.begin = texts(options.source)
        self.texts = {os.path.join(folder, "a.rw"): self.begin[0], os.path.join(folder, "b.rw"): self.begin[1]}
        self.texts[os.path.join(folder, "library.rw")] = LIBRARY
        self.user = os.path.join(folder, "user.rw")
        self.texts[self.user] = USER
        # With an even seed only a part of each text is checked at first, as it is done with long ones.
        self.client = self.start(100_000 if options.seed % 2 else 0)

    def start(self, whole_up_to=100_000):
        client = Client([self.options.server], {"workspaceFolders": [{"uri": uri(self.folder), "name": "t"}],
                                                "initializationOptions": {"wholeUpTo": whole_up_to}})
        for path, text in self.texts.items():
            client.open(path, text)
        return client

    def change(self):
        path = self.rng.choice(list(self.texts))
        text = self.texts[path]
        is_library = path.endswith("library.rw")
        if len(text) > 4000 or self.rng.random() < (0.2 if is_library else 0.01) or (path == self.user and text != USER):
            self.texts[path] = USER if path == self.user else LIBRARY if is_library else self.rng.choice(self.begin)
            self.client.change(path, [{"text": self.texts[path]}])
            return
        begin, end, new = edit(self.rng, text, self.begin)
        # No position lies between the two characters of a line's end.
        begin, end = (at - 1 if text[at - 1:at + 1] == "\r\n" else at for at in (begin, end))
        self.texts[path] = text[:begin] + new + text[end:]
        self.client.change(path, [{"range": {"start": position(text, begin), "end": position(text, end)}, "text": new}])

    def ask(self):
        path = self.rng.choice(list(self.texts))
        text = self.texts[path]
        at = position(text, self.rng.randrange(len(text) + 1))
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}
        self.client.ask("textDocument/" + self.rng.choice(METHODS),
                        {"textDocument": {"uri": uri(path)}, "position": at, "positions": [at], "range": whole, "newName": "renamed",
                         "context": {"diagnostics": []}, "options": {}})

    def compare(self):
        """What this server says, and what one says that has just been started."""
        fresh = self.start()
        try:
            for path in self.texts:
                # Both are told of all again: what one says of a text must not depend on what it was.
                if self.settled(self.client, path) != self.settled(fresh, path):
                    return path
        finally:
            fresh.stop()
        return None

    def settled(self, client, path):
        client.change(path, [{"text": self.texts[path]}])
        return client.diagnostics(path), client.on(path, "documentSymbol"), client.on(path, "semanticTokens/full")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--edits", type=int, default=1000, help="unless the environment's RW_RANDOM_EDITS says how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compare", type=int, default=50, help="edits between two comparisons")
    parser.add_argument("--growth", type=float, default=64, help="MiB that are allowed between the first tenth of the edits and the end")
    options = parser.parse_args()
    options.edits = int(os.environ.get("RW_RANDOM_EDITS", options.edits))
    options.compare = int(os.environ.get("RW_RANDOM_EDITS_COMPARE", options.compare))
    with tempfile.TemporaryDirectory(prefix="rw-lsp-") as folder:
        folder = os.path.realpath(folder)
        session = Session(options, folder)
        for path, text in session.texts.items():
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        early = 0.0
        try:
            for number in range(1, options.edits + 1):
                session.change()
                if session.rng.random() < 0.5:
                    session.ask()
                if number % options.compare == 0 and (path := session.compare()):
                    with open("random_edit.rw", "w", encoding="utf-8") as out:
                        out.write(session.texts[path])
                    print(f"edit {number}: a fresh server says something else of {os.path.basename(path)}; its text is random_edit.rw")
                    return 1
                if number == max(1, options.edits // 10):
                    early = memory(session.client)
                if number % 10_000 == 0:
                    print(f"{number} edits, {memory(session.client):.0f} MiB", flush=True)
        except ServerGone as error:
            for path, text in session.texts.items():
                with open("random_edit_" + os.path.basename(path), "w", encoding="utf-8") as out:
                    out.write(text)
            print(f"{error}; the texts are random_edit_*.rw")
            return 1
        late = memory(session.client)
        status = session.client.stop()
        print(f"{options.edits} edits, {options.edits // options.compare} comparisons, {early:.0f} MiB early, {late:.0f} MiB at the end")
        if late - early > options.growth:
            print("the server grows")
            return 1
        return status


if __name__ == "__main__":
    sys.exit(main())
