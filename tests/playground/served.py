"""rw-opt --serve for tests: starts it, asks, stops it.

    with Served(rw_opt, "model.onnx") as page:
        print(page.post("/run", {"text": text, "model": "1"}))
"""
import http.client
import json
import re
import signal
import subprocess

WAIT = 120  # seconds, after which the program is taken for stuck


class Served:
    def __init__(self, program, *arguments, env=None, cwd=None):
        self.process = subprocess.Popen([program, "--serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=cwd)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})", self.address)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address: {self.address!r} {self.process.communicate()[1]}")
        self.port, self.token = int(found.group(1)), found.group(2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self, number=signal.SIGINT):
        """As Ctrl-C does; (exit status, what it wrote to standard error)."""
        self.process.send_signal(number)
        try:
            status = self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return status, self.process.stderr.read()

    def ask(self, method, path, body=None, headers=None, token=True):
        """(status, headers, body). `headers` None: those of the page."""
        given = {"X-Rw-Token": self.token} if token else {}
        if body is not None:
            given["Content-Type"] = "application/json"
        given.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.request(method, path, body, {k: v for k, v in given.items() if v is not None})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.ask("GET", path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def post(self, path, request):
        status, _, body = self.ask("POST", path, json.dumps(request))
        assert status == 200, (path, status, body)
        return json.loads(body)

    def add_model(self, name, data):
        status, _, body = self.ask("POST", f"/models?name={name}", data, {"Content-Type": "application/octet-stream"})
        assert status == 200, (status, body)
        return json.loads(body)
