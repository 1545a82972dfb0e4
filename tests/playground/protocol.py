#!/usr/bin/env python3
"""The requests that the page of rw-opt --serve makes, and those that nobody should: protocol.py --rw-opt PATH --source DIR.

In:  the program, the source tree for its models. Everything happens on the loopback interface.
"""
import argparse
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from served import Served, WAIT

OPTIONS = argparse.Namespace(rw_opt=None, source=None)
TEXT = """import "onnx/onnx.rw";

pattern DoubleRelu {
  onnx.Relu(onnx.Relu(x))
  => onnx.Relu(x)
}

pattern Single { onnx.Abs(single onnx.Relu(x)) => onnx.Relu(x) }

test DoubleRelu (x: f32[2]) {
  onnx.Relu(onnx.Relu(x)) => onnx.Relu(x)
}
"""
MODEL = """func @main(%x: f32[2, 3]) -> (f32[2, 3], f32[2, 3]) {
  %a = onnx.Relu(%x)
  %b = onnx.Relu(%a)
  %c = onnx.Relu(%b)
  %t = onnx.Abs(%c)
  return %c, %t
}
"""
WRONG = 'import "onnx/onnx.rw";\npattern Wrong { onnx.Abs(x) => onnx.Neg(x) }\n'
ENDLESS = 'import "onnx/onnx.rw";\npattern Swap { onnx.Add(a, b) => onnx.Add(b, a) }\n'


def model(name):
    return os.path.join(OPTIONS.source, "tests", "models", name)


def rw_opt(*arguments, **more):
    return subprocess.run([OPTIONS.rw_opt, *arguments], capture_output=True, text=True, timeout=WAIT, check=False, **more)


class WithPage(unittest.TestCase):
    """One page for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "small.rwir")
        with open(cls.path, "w") as file:
            file.write(MODEL)
        cls.page = Served(OPTIONS.rw_opt, cls.path)

    @classmethod
    def tearDownClass(cls):
        with cls.page:
            status, said = cls.page.stop()
        assert (status, said) == (0, ""), (status, said)
        cls.folder.cleanup()


class Help(WithPage):
    def language(self, text, *ask):
        return self.page.post("/language", {"text": text, "ask": [{"method": m, "params": p} for m, p in ask]})

    def test_diagnostics_with_places_and_cures(self):
        text = TEXT.replace("=> onnx.Relu(x)\n}\n\npattern", "=> onnx.Rellu(x)\n}\n\npattern")
        answer = self.language(text, ("textDocument/codeAction", {}))
        (found,) = answer["diagnostics"]
        self.assertEqual((found["code"], found["range"]["start"]["line"]), ("undefined-op", 4))
        (cure,) = answer["answers"][0]
        self.assertEqual([e["newText"] for e in cure["edit"]["changes"][answer["uri"]]], ["Relu"])
        self.assertEqual(self.language(TEXT)["diagnostics"], [])

    def test_completion_hover_formatting_and_colours(self):
        at = {"position": {"line": 4, "character": 15}}
        completions, hover, edits, tokens = self.language(
            TEXT.replace("  => onnx.Relu(x)\n}\n\npattern", "     => onnx.Relu(x)\n}\n\npattern"), ("textDocument/completion", at),
            ("textDocument/hover", at), ("textDocument/formatting", {}), ("textDocument/semanticTokens/full", {}))["answers"]
        self.assertIn("Softplus", [item["label"] for item in completions["items"]])
        self.assertIn("Relu", hover["contents"]["value"])
        self.assertTrue(edits)
        self.assertEqual(len(tokens["data"]) % 5, 0)
        self.assertTrue(tokens["data"])
        self.assertIn("keyword", self.page.get("/state")["legend"])

    def test_two_pages_with_different_texts_take_turns(self):
        for _ in range(3):
            self.assertEqual(self.language(TEXT)["diagnostics"], [])
            self.assertTrue(self.language("pattern")["diagnostics"])

    def test_proofs_come_beside_it(self):
        text = TEXT + WRONG.split("\n", 1)[1]
        if not os.path.exists(os.path.join(os.path.dirname(OPTIONS.rw_opt), "rw-lsp")):
            self.skipTest("rw-lsp, which proves, is not there")
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            answer = self.page.post("/proofs", {"text": text})
            if not answer["running"]:
                break
            time.sleep(0.1)
        proofs = {proof["line"]: proof for proof in answer["proofs"]}
        self.assertEqual([proofs[line]["verdict"] for line in (3, 8, 13)], ["proved", "proved", "refuted"])
        self.assertIn("test Wrong (x:", proofs[13]["counterexample"])
        self.assertEqual([d["code"] for d in self.language(text)["diagnostics"]], ["refuted"])
        self.assertEqual(self.language(TEXT)["diagnostics"], [])

    def test_only_what_a_page_needs(self):
        for method in ("workspace/executeCommand", "shutdown", "exit", "textDocument/didClose", "x"):
            status, _, body = self.page.ask("POST", "/language", json.dumps({"text": TEXT, "ask": [{"method": method}]}))
            self.assertEqual(status, 400, body)
        self.assertEqual(self.language(TEXT)["diagnostics"], [])

    def test_texts_of_any_kind(self):
        for text in ("", "\0\0", "\ud83d\ude00 \u202e", "{" * 100000, "import \"/etc/passwd\";", "pattern P { onnx.", '"' * 5000):
            answer = self.page.post("/language", {"text": text, "ask": [
                {"method": "textDocument/completion", "params": {"position": {"line": 0, "character": len(text)}}},
                {"method": "textDocument/hover", "params": {"position": {"line": 99999, "character": 4000000000}}}]})
            self.assertIn("diagnostics", answer)
            self.assertNotIn("root:", json.dumps(answer))  # what an import holds is not told


class Runs(WithPage):
    def run_on(self, text=TEXT, of="1", page="a", **more):
        return self.page.post("/run", {"text": text, "model": of, "page": page, **more})

    def facts(self, text=TEXT, of="1", **more):
        return self.page.post("/facts", {"text": text, "model": of, "page": "facts", **more})

    def test_what_is_rewritten(self):
        answer = self.run_on()
        self.assertEqual([t["why"] for t in answer["tests"]], [""])
        self.assertEqual([(p["name"], p["matches"]) for p in answer["patterns"]], [("DoubleRelu", 2), ("Single", 0)])
        self.assertEqual(answer["patterns"][1]["misses"][0]["count"], 1)
        self.assertEqual((answer["statistics"]["ops"]["before"], answer["statistics"]["ops"]["after"]), (4, 2))
        self.assertEqual([r["pattern"] for r in answer["rewrites"]], ["DoubleRelu", "DoubleRelu"])
        self.assertTrue(answer["rewrites"][0]["before"].startswith("<svg"))
        before, after = answer["graphs"]["before"]["scopes"][0], answer["graphs"]["after"]["scopes"][0]
        self.assertEqual(sorted(n["t"] for n in before["nodes"]), ["%x", "onnx.Abs", "onnx.Relu", "onnx.Relu", "onnx.Relu", "results"])
        self.assertEqual(sorted(n["t"] for n in after["nodes"]), ["%x", "onnx.Abs", "onnx.Relu", "results"])
        self.assertTrue(any(n.get("s") for n in before["nodes"]) and any(n.get("s") for n in after["nodes"]))
        names = [n["t"] for n in after["nodes"]]
        self.assertIn(["onnx.Relu", "onnx.Abs"], [[names[a], names[b]] for a, b in after["edges"]])

    def test_facts(self):
        answer = self.facts()
        self.assertFalse(answer["check"]["differs"])
        self.assertIn("outputs agree on 2 random inputs", answer["check"]["lines"][0])
        self.assertEqual(answer["bytes"]["before"], len(MODEL))
        self.assertLess(answer["bytes"]["after"], len(MODEL))
        self.assertIn("- onnx.Relu", answer["difference"])

    def test_a_wrong_pattern_is_told_from_a_right_one(self):
        answer = self.facts(WRONG)
        self.assertTrue(answer["check"]["differs"])
        self.assertTrue(any("first wrong one: changed onnx.Abs %t by Wrong" in line for line in answer["check"]["lines"]), answer)
        self.assertFalse(self.facts()["check"]["differs"])  # the model is as it was

    def test_the_same_as_the_command_line(self):
        with open(os.path.join(self.folder.name, "my.rw"), "w") as file:
            file.write(TEXT)
        for name in (self.path, *(model(n) for n in ("ctl_if_loop.onnx", "tf_encoder.onnx", "swin_mini.onnx"))):
            with open(name, "rb") as file:
                added = self.page.add_model(os.path.basename(name), file.read())
            for pipeline in ("loaded_patterns", "onnx_safe,loaded_patterns"):
                here = self.run_on(of=added["id"], pipeline=pipeline)["statistics"]
                out = os.path.join(self.folder.name, "out" + os.path.splitext(name)[1])
                done = rw_opt(name, "--patterns", os.path.join(self.folder.name, "my.rw"), "--pipeline", f"infer_shapes,{pipeline}",
                              "--stats=json", "-o", out)
                there = json.loads(done.stdout)
                self.assertEqual(here["ops"], there["ops"], name)
                self.assertEqual(here["patterns"], there["patterns"], name)
                status, headers, body = self.page.ask("POST", "/result", json.dumps(
                    {"text": TEXT, "model": added["id"], "page": "r", "pipeline": pipeline}))
                self.assertEqual(status, 200, body)
                self.assertRegex(headers["X-Rw-Name"], r"^\w+\.rewritten\.(onnx|rwir)$")
                mine = os.path.join(self.folder.name, "mine" + os.path.splitext(name)[1])
                with open(mine, "wb") as file:
                    file.write(body)
                self.assertEqual(rw_opt("--diff", out, mine).stdout, "", name)

    def test_regions_and_symbols_are_drawn(self):
        with open(model("ctl_if_loop.onnx"), "rb") as file:
            added = self.page.add_model("ctl.onnx", file.read())
        scopes = self.run_on(of=added["id"])["graphs"]["before"]["scopes"]
        self.assertEqual(len(scopes), 4)
        inside = [i for scope in scopes for node in scope["nodes"] for i in node.get("r", [])]
        self.assertEqual(sorted(inside), [1, 2, 3])
        for scope in scopes:
            for a, b in scope["edges"]:
                self.assertLess(max(a, b), len(scope["nodes"]))

    def test_a_file_with_ops_of_its_own(self):
        own = 'dialect mine;\nop twice(x: tensor) -> tensor { type x.type; traits pure; }\npattern Gone { twice(x) => x }\n'
        added = self.page.add_model("own.rwir", b"func @main(%x: f32[2]) -> f32[2] {\n  %y = mine.twice(%x)\n  return %y\n}\n")
        for _ in range(3):
            answer = self.run_on(own, of=added["id"])
            self.assertEqual(answer["statistics"]["ops"]["after"], 0, answer)
            self.assertEqual(self.run_on()["statistics"]["ops"]["after"], 2)

    def test_a_conversion(self):
        added = self.page.add_model("m.mlir", b"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                    b"  %y = stablehlo.add %x, %x : tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n")
        how = {"text": TEXT, "model": added["id"], "page": "c", "pipeline": "stablehlo_to_onnx"}
        self.assertIn("after", self.facts(of=added["id"], pipeline="stablehlo_to_onnx")["bytes"])
        status, headers, body = self.page.ask("POST", "/result", json.dumps(how))
        self.assertEqual((status, headers["X-Rw-Name"]), (200, "m.rewritten.onnx"), body)
        self.assertEqual(self.page.post("/run", {**how, "model": self.page.add_model("n.onnx", body)["id"], "pipeline": "none"})["statistics"]["ops"]["kinds"],
                         {"onnx.Add": [1, 1]})

    def test_patterns_without_end(self):
        added = self.page.add_model("add.rwir", b"func @main(%x: f32[2], %y: f32[2]) -> f32[2] {\n  %z = onnx.Add(%x, %y)\n  return %z\n}\n")
        answer = self.run_on(ENDLESS, of=added["id"])
        self.assertTrue(answer["warnings"] or answer["statistics"]["remarks"], answer)

    def test_what_cannot_run_says_why(self):
        self.assertEqual(self.run_on("pattern")["wrongText"], True)
        self.assertIn("no pass or pipeline named `nothing`", self.run_on(pipeline="nothing")["trouble"])
        self.assertTrue(self.run_on(of="77")["noModel"])
        self.assertEqual(self.run_on(of="")["tests"][0]["why"], "")
        self.assertNotIn("statistics", self.run_on(of=""))
        self.assertEqual(self.run_on("// nothing\n")["statistics"]["ops"]["after"], 4)
        status, _, body = self.page.ask("POST", "/result", json.dumps({"text": TEXT, "model": "", "page": "r"}))
        self.assertEqual((status, body), (409, b"there is no model\n"))

    def test_models_that_are_none(self):
        for name, data, says in (("a.onnx", b"\x00\x01\x02", "cannot be read"), ("b.rwir", b"func @", "cannot be read"),
                                 ("..%2F..%2Fetc%2Fpasswd", b"\xff" * 3000, "cannot be read"), ("c.onnx", b"", "empty")):
            added = self.page.add_model(name, data)
            said = added.get("trouble") or self.run_on(of=added["id"])["trouble"]
            self.assertIn(says, said)
            self.assertNotIn("/", added.get("name", ""))

    def test_the_oldest_model_goes(self):
        first = self.page.add_model("m.rwir", MODEL.encode())["id"]
        for _ in range(8):
            last = self.page.add_model("m.rwir", MODEL.encode())["id"]
        self.assertTrue(self.run_on(of=first)["noModel"])
        self.assertEqual(self.run_on(of=last)["statistics"]["ops"]["after"], 2)
        self.assertEqual(self.run_on(of="1")["statistics"]["ops"]["after"], 2)  # the command line's stays

    def test_many_at_once(self):
        failed = []

        def one(i):
            try:
                if i % 3 == 0:
                    assert self.page.post("/language", {"text": TEXT + "\n" * i})["diagnostics"] == []
                else:
                    answer = self.run_on(page=f"page {i % 5}")
                    assert answer.get("stopped") or answer["statistics"]["ops"]["after"] == 2, answer
            except Exception as error:  # any thread's failure is the test's
                failed.append(repr(error))

        threads = [threading.Thread(target=one, args=(i,)) for i in range(48)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(self.run_on()["statistics"]["ops"]["after"], 2)

    def test_runs_leave_nothing(self):
        def memory():
            with open(f"/proc/{self.page.process.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        if not os.path.exists("/proc/self/statm"):
            self.skipTest("the system does not say how much memory a process has")
        for _ in range(50):
            self.run_on()
        before = memory()
        for _ in range(110):  # the model is read anew meanwhile
            self.run_on()
        self.assertLess(memory() - before, 40 << 20)


class Strangers(WithPage):
    def status(self, method="POST", path="/state", body=None, token=True, **headers):
        return self.page.ask(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()}, token)[0]

    def test_the_page_stands_alone(self):
        status, headers, body = self.page.ask("GET", "/", token=False)
        again = self.page.ask("GET", "/", token=False)
        text = body.decode()
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        policy = headers["Content-Security-Policy"]
        nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy).group(1)
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn(nonce, again[1]["Content-Security-Policy"])
        self.assertEqual(len(re.findall(r"<script", text)), text.count(f'<script nonce="{nonce}">'))
        self.assertNotIn("@NONCE@", text)
        self.assertNotIn(self.page.token, text)
        self.assertEqual(re.findall(r"""(?:src|href)=["'](?!#)[^"'\s>]*|url\(|@import|\son\w+=["']""", text), [])
        self.assertEqual([u for u in re.findall(r"https?://[^\s\"'`]*", text)], [])

    def test_other_names_of_this_machine(self):
        port = self.page.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "", "0.0.0.0", "[::]", "localhost:80:80",
                     "127.0.0.1@evil.example"):
            self.assertEqual(self.status("GET", "/state", Host=host), 403, host)
            self.assertEqual(self.status("GET", "/", Host=host), 403, host)
        for host in ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", "[::1]:80"):
            self.assertEqual(self.status("GET", "/state", Host=host), 200, host)

    def test_other_pages(self):
        good = f"http://127.0.0.1:{self.page.port}"
        self.assertEqual(self.status("GET", "/state", Origin=good), 200)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.page.port}", "http://127.0.0.1:1", good + ".evil.example"):
            self.assertEqual(self.status("GET", "/state", Origin=origin), 403, origin)

    def test_without_the_token(self):
        for token in (None, "", "x" * 32, self.page.token[:-1], self.page.token + "0", self.page.token.upper() + "g"):
            for method, path in (("GET", "/state"), ("POST", "/run"), ("POST", "/language"), ("POST", "/models"), ("POST", "/save"), ("GET", "/x")):
                self.assertEqual(self.status(method, path, "{}" if method == "POST" else None, X_Rw_Token=token), 401, (token, path))

    def test_wrong_requests(self):
        self.assertEqual(self.status("GET", "/nothing"), 404)
        self.assertEqual(self.status("GET", "/../../etc/passwd"), 404)
        self.assertEqual(self.status("POST", "/nothing", "{}"), 404)
        self.assertEqual(self.status("GET", "/run"), 405)
        self.assertEqual(self.status("POST", "/", "{}"), 405)
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            self.assertGreaterEqual(self.status(method, "/run"), 400, method)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None):
            self.assertEqual(self.status("POST", "/run", '{"text": ""}', Content_Type=kind), 415, kind)
        for body in ("", "{", "[]", "null", '"x"', "{}", '{"text": 1}', '{"text": "", "model": 7}', '{"text": "", "page": []}',
                     '{"text": "", "pipeline": {}}', "[" * 100000, "\xff\xfe"):
            self.assertEqual(self.status("POST", "/run", body.encode("latin-1")), 400, body[:20])
        for ask in (1, [1], [{}], [{"method": 3}], {"method": "x"}):
            self.assertEqual(self.status("POST", "/language", json.dumps({"text": "", "ask": ask})), 400, ask)
        self.assertEqual(self.status("POST", "/run", json.dumps({"text": "x" * (5 << 20)})), 413)
        self.assertEqual(self.page.get("/state")["model"]["name"], "small.rwir")

    def test_bytes_that_are_no_requests(self):
        idle = [socket.create_connection(("127.0.0.1", self.page.port)) for _ in range(4)]  # say nothing, and hold a thread each
        for data in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 5000, b"GET / HTTP/9.9\r\n\r\n", b"POST /run HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     b"POST /run HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
                     b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"POST /run HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            with socket.create_connection(("127.0.0.1", self.page.port)) as connection:
                connection.settimeout(WAIT)
                try:
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1000)
                except OSError:
                    pass  # it was closed
        self.assertEqual(self.page.get("/state")["model"]["name"], "small.rwir")
        for connection in idle:
            connection.close()

    def test_this_machine_alone(self):
        with open("/proc/net/tcp") as file:
            listening = [line.split()[1] for line in file.readlines()[1:] if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{self.page.port:04X}", listening)
        self.assertNotIn(f"00000000:{self.page.port:04X}", listening)


class CommandLine(unittest.TestCase):
    def test_a_port_that_is_in_use(self):
        with Served(OPTIONS.rw_opt) as page:
            done = rw_opt(f"--serve={page.port}")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr, f"command line: error: port {page.port} is in use [serve-failed]\nnote: --serve alone takes any free port\n")

    def test_a_port_of_ones_own(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen([OPTIONS.rw_opt, f"--serve={port}"], stdout=subprocess.PIPE, text=True)
        self.assertIn(f"http://127.0.0.1:{port}/#", process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(WAIT), 0)
        process.stdout.close()

    def test_wrong_use(self):
        for arguments, says in ((["--serve=http"], "--serve takes the number of a port, 0 to 65535, not http"), (["--serve=65536"], "0 to 65535"),
                                (["--serve=-1"], "0 to 65535"), (["--serve", "-o", "out.onnx"], "so -o has no part in it"),
                                (["--serve", "--check", "3"], "so --check has no part in it"), (["--serve", "-"], "standard input"),
                                (["--serve", "--patterns", "a.rw", "--patterns", "b.rw"], "--serve edits one file, and --patterns names 2")):
            done = rw_opt(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(says, done.stderr)
        for arguments in (["no_such.onnx"], ["--patterns", "no_such.rw"], [OPTIONS.source]):
            done = rw_opt("--serve", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("cannot be read", done.stderr)
            self.assertIn("[unreadable]", done.stderr)

    def test_a_file_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "my.rw")
            with open(path, "w") as file:
                file.write("// mine\n")
            with Served(OPTIONS.rw_opt, "--patterns", path) as page:
                self.assertEqual(page.get("/state")["text"], "// mine\n")
                self.assertEqual(page.post("/save", {"text": "// yours\n"}), {"file": path})
                with open(path) as file:
                    self.assertEqual(file.read(), "// yours\n")
            with Served(OPTIONS.rw_opt) as page:
                self.assertIn("without a file", page.post("/save", {"text": "x"})["trouble"])

    def test_imports_beside_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "more"))
            for name, text in (("beside.rw", 'fn two() -> int = 2;\n'), ("more/there.rw", 'fn three() -> int = 3;\n'), ("my.rw", "")):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            with Served(OPTIONS.rw_opt, "--patterns", os.path.join(folder, "my.rw"), "-I", os.path.join(folder, "more")) as page:
                answer = page.post("/language", {"text": 'import "beside.rw";\nimport "there.rw";\nfn five() -> int = two() + three();\n'})
                self.assertEqual([d for d in answer["diagnostics"] if d["severity"] == 1], [])

    def test_it_ends_and_takes_its_models_along(self):
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "TMPDIR": folder}
            with Served(OPTIONS.rw_opt, env=env) as page:
                page.add_model("m.rwir", MODEL.encode())
                (kept,) = glob.glob(os.path.join(folder, "rw-models-*"))
                self.assertEqual(os.stat(kept).st_mode & 0o77, 0)  # nobody else reads it
                self.assertEqual(page.stop(), (0, ""))
            self.assertEqual(glob.glob(os.path.join(folder, "rw-models-*")), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rw-opt", required=True)
    parser.add_argument("--source", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
