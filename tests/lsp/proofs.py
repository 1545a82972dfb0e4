#!/usr/bin/env python3
"""What rw-lsp says of proofs: found out beside what is typed, kept, and given up where it takes too long.

usage: proofs.py --server PATH --source DIR
"""
import argparse
import os
import sys
import tempfile
import time
import unittest

from client import Client, uri

WAIT = float(os.environ.get("RW_TEST_WAIT", "300"))  # seconds in which a proof must come: the process has a low priority

OPTIONS = argparse.Namespace(server=None, source=None)
TEXT = """import "onnx/onnx.rw";

/// Right.
pattern Twice { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }

/// Wrong.
pattern Wrong { onnx.Tanh(x) => onnx.Relu(x) }

pattern Never { onnx.Relu(x) where x.rank < 0 => x }
pattern Regroup fastmath { onnx.Add(onnx.Add(a, b), c) => onnx.Add(a, onnx.Add(b, c)) }
"""


class Proofs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rw-lsp-")
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.path = os.path.join(self.folder, "a.rw")

    def client(self, **settings):
        client = Client([OPTIONS.server], {"initializationOptions": {"prove": True, **settings}})
        self.addCleanup(client.stop)
        return client

    def lenses(self, client):
        return {(lens["range"]["start"]["line"] + 1): lens["command"]["title"] for lens in client.on(self.path, "codeLens")
                if lens["command"]["command"] == "rw.showProof"}

    def wait(self, client, lines):
        """The lenses, once each of these lines has one."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            lenses = self.lenses(client)
            if set(lines) <= set(lenses):
                return lenses
            time.sleep(0.5)  # a server that is asked all the time does not get to it
        raise AssertionError(f"no proofs of lines {lines}: {self.lenses(client)}")

    def test_each_pattern_has_its_state(self):
        client = self.client()
        client.open(self.path, TEXT)
        lenses = self.wait(client, [4, 7, 9, 10])
        self.assertEqual(lenses[4], "proved")
        self.assertRegex(lenses[7], "^refuted: result 0 differs at")
        self.assertEqual(lenses[9], "nothing found that it matches")
        self.assertEqual(lenses[10], "proved over the reals")
        proof = client.request("workspace/executeCommand", {"command": "rw.showProof", "arguments": [uri(self.path), 7]})
        self.assertEqual(proof["verdict"], "refuted")
        self.assertIn("test Wrong (x:", proof["counterexample"])
        self.assertIsNone(client.request("workspace/executeCommand", {"command": "rw.showProof", "arguments": [uri(self.path), 1]}))
        (refuted,) = [d for d in client.published[uri(self.path)][1] if d["code"] == "refuted"]
        self.assertEqual((refuted["code"], refuted["severity"], refuted["range"]["start"]["line"]), ("refuted", 2, 6))
        self.assertIn("test Wrong (x:", refuted["message"])

    def test_what_is_known_stays_known(self):
        client = self.client()
        client.open(self.path, TEXT)
        self.wait(client, [4, 7])
        # A line above moves it; another pattern's text is no matter; its own, and what it may use, is.
        client.change(self.path, [{"text": "// moved\n" + TEXT.replace("onnx.Tanh(x) =>", "onnx.Abs(onnx.Relu(x)) =>")}])
        lenses = self.lenses(client)
        self.assertEqual(lenses[5], "proved")
        self.assertNotIn(8, lenses)
        self.assertEqual([d["code"] for d in client.diagnostics(self.path) if d["code"] == "refuted"], [])
        self.wait(client, [8])
        client.change(self.path, [{"text": TEXT + "fn two() -> int = 2;\n"}])
        self.assertEqual(self.lenses(client), {})
        self.wait(client, [4, 7])

    def test_what_is_expected(self):
        """What is refuted as expected is no warning; where something else is expected there is an error."""
        client = self.client()
        client.open(self.path, TEXT + "expect refuted Wrong;\nexpect refuted Twice;\nexpect vacuous Never;\n")
        self.wait(client, [4, 7, 9])
        end = time.monotonic() + WAIT
        while time.monotonic() < end and not any(d["code"] == "unexpected-verdict" for d in client.published[uri(self.path)][1]):
            self.lenses(client)
            time.sleep(0.5)
        self.assertEqual([(d["code"], d["severity"], d["range"]["start"]["line"], d["message"].splitlines()[0])
                          for d in client.published[uri(self.path)][1] if d["code"] in ("refuted", "unexpected-verdict")],
                         [("unexpected-verdict", 1, 11, "`Twice` is proved, and expected to be refuted")])

    def test_an_import_that_changes(self):
        beside = os.path.join(self.folder, "b.rw")
        text = 'import "onnx/onnx.rw";\nimport "b.rw";\npattern P { onnx.Relu(x) where good(x.rank) => onnx.Abs(x) }\n'
        client = self.client()
        for definition, verdict in (("n < 0", "nothing found"), ("n > 0", "refuted")):
            with open(beside, "w") as file:
                file.write(f"fn good(n: int) -> bool = {definition};\n")
            if verdict == "refuted":
                os.utime(beside, (0, 0))
                client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(beside), "type": 2}]})
            else:
                client.open(self.path, text)
            end = time.monotonic() + WAIT
            while not self.lenses(client).get(3, "").startswith(verdict) and time.monotonic() < end:
                time.sleep(0.5)
            self.assertIn(verdict, self.lenses(client)[3])

    def test_typing_does_not_wait(self):
        """While something is being proved requests are answered, and the process ends with the server."""
        client = self.client(runTests=False)
        text = 'import "onnx/onnx.rw";\n' + "".join(
            f"pattern P{i} {{ onnx.Relu(onnx.Add(onnx.Relu(x), y)) where x.rank == {i % 5 + 1} => onnx.Relu(onnx.Add(onnx.Relu(x), y)) }}\n"
            for i in range(60))
        client.open(self.path, text)
        def children():
            path = f"/proc/{client.process.pid}/task/{client.process.pid}/children"
            if not os.path.exists(path):
                return []
            with open(path) as file:
                return file.read().split()

        end = time.monotonic() + WAIT
        client.diagnostics(self.path)
        while not children() and time.monotonic() < end:
            time.sleep(0.05)
        for i in range(20):
            client.change(self.path, [{"text": text + "\n" * i}])
            self.assertEqual([d for d in client.diagnostics(self.path) if d["severity"] == 1], [])
        started = children()
        self.assertEqual(client.stop(), 0)
        for pid in started:
            self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_switched_off(self):
        client = self.client(prove=False)
        client.open(self.path, TEXT)
        client.diagnostics(self.path)
        time.sleep(1)
        self.assertEqual(self.lenses(client), {})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--source", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
