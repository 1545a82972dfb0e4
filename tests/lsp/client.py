"""A client of the Language Server Protocol for tests: starts a server, opens documents, asks, keeps what it is told.

In:  the path of rw-lsp. Out: answers as Python data.

    with Client([".../rw-lsp"]) as client:
        client.open("/tmp/a.rw", "import \\"onnx/onnx.rw\\";\\n")
        print(client.diagnostics("/tmp/a.rw"))
"""
import json
import os
import subprocess
import threading
import urllib.parse

WAIT = 120  # seconds, after which a server is taken for stuck


class ServerGone(Exception):
    """The server ended, or does not answer."""


def uri(path):
    return path if "://" in path or path.startswith("untitled:") else "file://" + urllib.parse.quote(path)


def path_of(text):
    return urllib.parse.unquote(text[len("file://"):]) if text.startswith("file://") else text


class Client:
    def __init__(self, command, initialize=None, start=True, env=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.number = 0
        self.versions = {}
        self.published = {}  # uri -> (version, diagnostics)
        self.notifications = []
        self.timer = None
        self.capabilities = None
        if start:
            params = {"processId": os.getpid(), "rootUri": None, "capabilities": {}}
            params.update(initialize or {})
            # Proofs come when they come; who tests them asks for them.
            params["initializationOptions"] = {"prove": False, **params.get("initializationOptions", {})}
            self.capabilities = self.request("initialize", params)["capabilities"]
            self.notify("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # ---- bytes

    def send_bytes(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise ServerGone("the server reads no more") from error

    def send(self, message):
        text = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))

    def receive(self):
        timer = threading.Timer(WAIT, self.process.kill)
        timer.start()
        try:
            length = None
            while True:
                line = self.process.stdout.readline()
                if not line:
                    raise ServerGone(f"the server ended with status {self.process.wait()}")
                if line in (b"\r\n", b"\n"):
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            return json.loads(self.process.stdout.read(length))
        finally:
            timer.cancel()

    # ---- messages

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, number):
        """The whole answer to a request, and on the way whatever else is said."""
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == number:
                return message
            self.keep(message)

    def keep(self, message):
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[params["uri"]] = (params.get("version"), params["diagnostics"])
        else:
            self.notifications.append(message)

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.answer(self.number)

    def request(self, method, params):
        answer = self.ask(method, params)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    # ---- documents

    def open(self, path, text):
        self.versions[path] = 1
        self.notify("textDocument/didOpen",
                    {"textDocument": {"uri": uri(path), "languageId": "rw", "version": 1, "text": text}})

    def change(self, path, changes):
        self.versions[path] += 1
        self.notify("textDocument/didChange",
                    {"textDocument": {"uri": uri(path), "version": self.versions[path]}, "contentChanges": changes})

    def close(self, path):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri(path)}})
        self.versions.pop(path, None)

    def diagnostics(self, path):
        """Those of the document's present version."""
        while self.published.get(uri(path), (None, None))[0] != self.versions[path]:
            self.keep(self.receive())
        return self.published[uri(path)][1]

    def on(self, path, method, **params):
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri(path)}, **params})

    def stop(self):
        """Shuts it down as the protocol says; the exit status."""
        if self.process.poll() is None:
            try:
                self.request("shutdown", None)
                self.notify("exit", None)
                self.process.stdin.close()
            except (ServerGone, OSError, AssertionError):
                self.process.kill()
        try:
            return self.process.wait(WAIT)
        finally:
            self.process.stdout.close()
