"""Chromium, driven through its remote debugging pipe: no library, no port, no network."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    """The browser refused a command, or did not do in time what was waited for."""


class Browser:
    """A headless Chromium of its own, ended with the `with` block."""

    def __init__(self, program=None):
        self.program = program or next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
        if not self.program:
            raise Failure("there is no Chromium")
        self.profile = tempfile.mkdtemp(prefix="infralens-browser-")
        self.number = 0
        self.pages = {}
        self.answers = {}
        self.rest = b""

    def __enter__(self):
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def streams():
            # Chromium reads commands from 3 and writes to 4; the pipes may have been given these numbers themselves.
            low = os.dup2(to_browser, 103), os.dup2(from_browser, 104)
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)

        # The sandbox needs rights that containers do not give, and only pages of this repository are opened.
        flags = [
            "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-default-apps", "--mute-audio", "--hide-scrollbars", f"--user-data-dir={self.profile}",
        ]
        self.process = subprocess.Popen(
            [self.program, *flags, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=streams, close_fds=False,
        )
        os.close(to_browser)
        os.close(from_browser)
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close", timeout=5)
        except (Failure, OSError):
            self.process.kill()
        self.process.wait(10)
        os.close(self.write)
        os.close(self.read)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, params=None, tab=None, timeout=20):
        """Sends a command and returns its result."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params or {}}
        if tab:
            message["sessionId"] = tab
        os.write(self.write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while number not in self.answers:
            self.receive(end - time.monotonic(), method)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def receive(self, timeout, waiting_for):
        """Takes in what the browser has to say; events go to their page."""
        ready, _, _ = select.select([self.read], [], [], max(timeout, 0))
        if not ready:
            raise Failure(f"no answer in time: {waiting_for}")
        data = os.read(self.read, 1 << 20)
        if not data:
            raise Failure("the browser has ended")
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].happened(message["method"], message["params"])

    def page(self, width=1280, height=800, before=False):
        """Opens a window of its own, or a tab before the last one, which is not seen then."""
        target = self.send("Target.createTarget", {"url": "about:blank", "newWindow": not before})["targetId"]
        tab = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[tab] = Page(self, tab)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            page.send(f"{domain}.enable")
        page.size(width, height)
        return page


class Page:
    """A tab, and what went wrong in it."""

    def __init__(self, browser, tab):
        self.browser = browser
        self.tab = tab
        self.complaints = []
        self.loads = 0

    def send(self, method, params=None, timeout=20):
        return self.browser.send(method, params, self.tab, timeout)

    def happened(self, method, params):
        if method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(" ".join(str(part.get("value", "")) for part in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, media="", dark=None):
        features = [] if dark is None else [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def open(self, url):
        """Goes to a URL and waits until it has loaded."""
        before = self.loads
        self.send("Page.navigate", {"url": url})
        end = time.monotonic() + 20
        while self.loads == before:
            self.browser.receive(end - time.monotonic(), f"loading {url}")

    def run(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        result = self.send("Runtime.evaluate", params)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def wait(self, expression, seconds=10):
        """Waits until an expression is true; while a page is exchanged for another, there is none to ask."""
        end = time.monotonic() + seconds
        while True:
            try:
                if self.run(f"Boolean({expression})"):
                    return
                last = Failure("it is false")
            except Failure as failure:
                last = failure
            if time.monotonic() > end:
                raise Failure(f"not true within {seconds} s: {expression}") from last
            time.sleep(0.03)

    def hold(self):
        """From now on the page goes nowhere, but writes down in `went` where it was to go."""
        self.run(
            "window.went = []; navigation.addEventListener('navigate', (event) => {"
            " went.push(event.destination.url); event.preventDefault(); }); 0"
        )

    def click(self, selector, alt=False):
        """Clicks into the middle of an element, as a mouse does."""
        box = self.run(
            f"(() => {{ const node = document.querySelector({json.dumps(selector)});"
            " if (!node.getClientRects().length) return null;"
            " const { x, y, width, height } = node.getClientRects()[0];"
            " return [x + Math.min(width / 2, 40), y + height / 2]; })()"
        )
        if not box:
            raise Failure(f"{selector} is not to be seen")
        at = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1, "modifiers": 1 if alt else 0}
        self.send("Input.dispatchMouseEvent", {"type": "mousePressed", **at})
        self.send("Input.dispatchMouseEvent", {"type": "mouseReleased", **at})

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
