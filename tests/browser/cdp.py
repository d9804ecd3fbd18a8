"""Chromium, driven through its remote debugging pipe: no library, no port, no network."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


# The numbers by which the browser knows the keys that write nothing, and a few others.
KEYS = {
    "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8, "Delete": 46, "/": 191,
}


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
            "--disable-default-apps", "--mute-audio", f"--user-data-dir={self.profile}",
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
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            # A busy machine, or a browser that waits for a page that it may not load
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

    def storage(self):
        """A place of its own for what pages keep, as a private window has: what `page` may be given."""
        return self.send("Target.createBrowserContext", {"disposeOnDetach": True})["browserContextId"]

    def page(self, width=1280, height=800, before=False, storage=None):
        """Opens a window of its own, or a tab before the last one, which is not seen then."""
        params = {"url": "about:blank", "newWindow": not before}
        if storage:
            params["browserContextId"] = storage
        target = self.send("Target.createTarget", params)["targetId"]
        tab = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[tab] = Page(self, tab, target, storage)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            page.send(f"{domain}.enable")
        page.size(width, height)
        return page


class Page:
    """A tab, what went wrong in it, and what it has asked for."""

    def __init__(self, browser, tab, target, storage):
        self.browser = browser
        self.tab = tab
        self.target = target
        self.storage = storage
        self.complaints = []
        self.requests = []
        self.asked = {}
        self.loads = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.browser.send("Target.closeTarget", {"targetId": self.target})
        self.browser.pages.pop(self.tab, None)

    def send(self, method, params=None, timeout=20):
        return self.browser.send(method, params, self.tab, timeout)

    def happened(self, method, params):
        if method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            self.requests.append(url)
            self.asked[params["requestId"]] = url
        elif method == "Network.loadingFailed" and not params.get("canceled"):
            why = params.get("blockedReason") or params["errorText"]
            self.complaints.append(f"{why}: {self.asked.get(params['requestId'])}")
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
        # Phones lay scrollbars over the page.
        self.send("Emulation.setScrollbarsHidden", {"hidden": width < 600})

    def media(self, media="", dark=None, forced=None, still=None):
        """The medium, and what the reader prefers: dark colors, forced colors, reduced motion."""
        prefers = [("prefers-color-scheme", dark, "dark", "light"), ("forced-colors", forced, "active", "none"),
                   ("prefers-reduced-motion", still, "reduce", "no-preference")]
        features = [{"name": name, "value": yes if value else no} for name, value, yes, no in prefers if value is not None]
        self.send("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def scripts(self, run):
        """Whether the scripts of pages run; `run` and `wait` work all the same. Holds from the next `open` on."""
        self.send("Emulation.setScriptExecutionDisabled", {"value": not run})

    def touch(self, on=True):
        """Whether the screen is touched, and has no pointer that hovers."""
        self.send("Emulation.setTouchEmulationEnabled", {"enabled": on})

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

    def middle(self, selector):
        """A point in an element, which is brought into view first."""
        box = self.run(
            f"(() => {{ const node = document.querySelector({json.dumps(selector)});"
            " if (!node?.getClientRects().length) return null;"
            " const seen = ({ top, bottom }) => top >= 0 && bottom <= innerHeight;"
            " if (!seen(node.getClientRects()[0])) node.scrollIntoView({ block: 'center', behavior: 'instant' });"
            " const { x, y, width, height } = node.getClientRects()[0];"
            " return [x + Math.min(width / 2, 40), y + height / 2]; })()"
        )
        if not box:
            raise Failure(f"{selector} is not to be seen")
        return {"x": box[0], "y": box[1]}

    def hover(self, selector):
        """Moves the mouse over an element."""
        self.send("Input.dispatchMouseEvent", {"type": "mouseMoved", **self.middle(selector)})

    def click(self, selector, alt=False, shift=False):
        """Clicks into the middle of an element, as a mouse does."""
        modifiers = (1 if alt else 0) + (8 if shift else 0)
        at = {**self.middle(selector), "button": "left", "clickCount": 1, "modifiers": modifiers}
        self.send("Input.dispatchMouseEvent", {"type": "mousePressed", **at})
        self.send("Input.dispatchMouseEvent", {"type": "mouseReleased", **at})

    def tap(self, selector):
        """Touches an element with a finger."""
        self.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [self.middle(selector)]})
        self.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def press(self, key, alt=False, ctrl=False, shift=False):
        """Presses a key: a character, or a name such as `Enter`, `Tab`, `Escape`, `ArrowDown`."""
        code = KEYS.get(key) or (ord(key.upper()) if key.isalnum() else 0)
        modifiers = (1 if alt else 0) + (2 if ctrl else 0) + (8 if shift else 0)
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        if text and not (alt or ctrl):
            self.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **event})
        else:
            self.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **event})
        self.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def type(self, text):
        """Writes a text where the focus is, all at once."""
        self.send("Input.insertText", {"text": text})

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
