"""A headless Chromium for tests, by its debugging protocol over two pipes: one page, what is typed, what it shows.

In:  the path of a Chromium. Out: values of expressions, screenshots.

    with Chromium("/usr/bin/chromium") as page:
        page.open("http://127.0.0.1:8080/")
        page.wait("document.title")
        page.screenshot("page.png")
"""
import base64
import json
import os
import subprocess
import tempfile
import threading
import time

WAIT = float(os.environ.get("RW_TEST_WAIT", "120"))  # seconds, after which a page is taken for stuck
# Keys that are not what they type: name, its code, the number that Windows gives it.
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "F1": 112, "F2": 113,
        "F6": 117, "F8": 119, "F12": 123, "Home": 36, "End": 35, "Backspace": 8, "Delete": 46}
MODIFIERS = {"Alt": 1, "Ctrl": 2, "Shift": 8}


class PageError(Exception):
    """The page threw, or does not come to what was waited for."""


class Chromium:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def arrange():  # the protocol is spoken on 3 and 4
            kept = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
             "--font-render-hinting=none", f"--user-data-dir={self.folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=arrange)
        os.close(to_browser)
        os.close(from_browser)
        self.pipe = os.fdopen(self.read_end, "rb")
        self.number = 0
        self.session = None
        self.told = []  # what the page's console was told, and what it threw
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (PageError, OSError):
            self.process.kill()
        self.process.wait(WAIT)
        self.pipe.close()
        os.close(self.write_end)
        try:
            self.folder.cleanup()
        except OSError:
            pass  # something of the browser's still writes there

    def receive(self):
        timer = threading.Timer(WAIT, self.process.kill)
        timer.start()
        try:
            text = b""
            while not text.endswith(b"\0"):
                byte = self.pipe.read1(1) if not text else self.rest()
                if not byte:
                    raise PageError("the browser ended")
                text += byte
            return json.loads(text[:-1])
        finally:
            timer.cancel()

    def rest(self):
        peeked = self.pipe.peek()
        end = peeked.find(b"\0")
        return self.pipe.read1(end + 1 if end >= 0 else max(1, len(peeked)))

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.told.append(details.get("exception", {}).get("description") or details["text"])
            elif answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.told.append(answer["params"]["entry"]["text"])
            elif answer.get("method") == "Page.javascriptDialogOpening":
                self.number += 1
                os.write(self.write_end, json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog", "sessionId": self.session,
                                                     "params": {"accept": True}}).encode() + b"\0")
                self.number -= 1

    # ---- the page

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def look(self, width, height, dark=False):
        """The window's size, and whether people want it dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PageError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def wait(self, expression):
        """Until the expression is true."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if self.value(f"!!({expression})"):
                return
            time.sleep(0.05)
        raise PageError(f"never came true: {expression}\n{self.value('document.body.innerText')}")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)})?.innerText")

    def click(self, selector):
        box = self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}}); "
                         "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def type(self, text):
        """As somebody types: one key after the other."""
        for c in text:
            if c == "\n":
                self.press("Enter")
            else:
                self.call("Input.dispatchKeyEvent", type="keyDown", text=c, key=c)
                self.call("Input.dispatchKeyEvent", type="keyUp", key=c)

    def press(self, keys):
        """A key with others held down: "Ctrl+Shift+Enter"."""
        *held, key = keys.split("+") if keys != "+" else [keys]
        modifiers = sum(MODIFIERS[name] for name in held)
        number = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        code = f"Key{key.upper()}" if key.isalpha() and len(key) == 1 else "Space" if key == " " else key
        more = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 and not modifiers else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if more else "rawKeyDown", key=key, code=code, modifiers=modifiers,
                  windowsVirtualKeyCode=number, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code, modifiers=modifiers, windowsVirtualKeyCode=number)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
