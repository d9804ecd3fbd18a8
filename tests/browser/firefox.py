"""What only Firefox does, or does differently: where a page is after a reload and after Back, keys that would search the page,
text that is folded. Without a Firefox, this part says so and checks nothing."""

import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from cdp import Failure

LAB = "tracks/ai-infra/labs/lab-01-transformer-memory.html"
STARTER = "code/lab-04-cuda-reduce/reduce.cu.html"
# What the protocol calls keys that write nothing.
KEYS = {"Enter": "\ue007", "Escape": "\ue00c"}
# Firefox starts without a welcome, and asks nobody for anything.
PREFERENCES = {
    "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "toolkit.telemetry.enabled": False,
    # A key searches the page for what it writes, unless the page has used it.
    "accessibility.typeaheadfind": True,
}


class Firefox:
    """A headless Firefox of its own, driven through Marionette: JSON with its length before it."""

    def __init__(self, program):
        self.program = program
        self.profile = tempfile.mkdtemp(prefix="infralens-firefox-")
        self.rest, self.number = b"", 0

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = {**PREFERENCES, "marionette.port": port}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
        (Path(self.profile) / "user.js").write_text("".join(lines))
        flags = ["--headless", "--marionette", "--no-remote", "--profile", self.profile, "--width", "1440", "--height", "900"]
        self.process = subprocess.Popen([self.program, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 60)
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    self.__exit__()
                    raise Failure("Firefox does not start") from None
                time.sleep(0.1)
        self.receive()
        self.send("WebDriver:NewSession")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b":" not in self.rest:
            self.rest += self.socket.recv(1 << 16)
        length, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(length):
            self.rest += self.socket.recv(1 << 16)
        message, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(message)

    def send(self, command, parameters=None):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.receive()
        if error:
            raise Failure(f"{command}: {error['message']}")
        return result

    def open(self, url):
        self.send("WebDriver:Navigate", {"url": url})

    def run(self, expression):
        return self.send("WebDriver:ExecuteScript", {"script": f"return ({expression})", "args": [], "sandbox": None})["value"]

    def wait(self, expression, seconds=10):
        end = time.monotonic() + seconds
        while True:
            try:
                if self.run(f"Boolean({expression})"):
                    return
            except Failure:
                pass  # A page is exchanged for another.
            if time.monotonic() > end:
                raise Failure(f"not true within {seconds} s: {expression}")
            time.sleep(0.05)

    def type(self, *keys):
        written = [KEYS.get(key, key) for key in keys]
        steps = [{"type": kind, "value": key} for key in written for kind in ("keyDown", "keyUp")]
        self.send("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})


def reloaded(context, page, site):
    """A reload leads to the place on the page where its reader was, whatever the address names; so does Back."""
    for path, hash, top in [(LAB, "#E2-N2", 4321), (LAB, "#annotated-code", 2522), (STARTER, "#L20-L30", 1522), (LAB, "", 3000)]:
        page.open("about:blank")
        page.open(site.http(path) + hash)
        page.run(f"scrollTo({{ top: {top}, behavior: 'instant' }})")
        page.run("setTimeout(() => location.reload(), 300) && (window.old = true)")
        page.wait("!window.old && document.readyState === 'complete'")
        time.sleep(0.3)
        context.equal(page.run("[Math.round(scrollY), location.hash]"), [top, hash], f"after a reload of {path}{hash}")
    page.run("scrollTo({ top: 2000, behavior: 'instant' })")
    page.open(site.http("index.html"))
    page.run("document.querySelector('.theme').click()")
    chosen = page.run("document.documentElement.dataset.theme")
    page.send("WebDriver:Back")
    page.wait(f"location.pathname.endsWith({LAB!r})")
    context.equal(page.run("[Math.round(scrollY), document.documentElement.dataset.theme]"), [2000, chosen], "after Back")
    page.run("localStorage.clear()")


def typed(context, page, site):
    """Keys of the page are not searched for by the browser, and `/` is the site's."""
    page.open(site.http(LAB))
    for wanted in ("#E1-N1", "#E1-N2"):
        page.type("j")
        page.wait(f"location.hash === {wanted!r}")
    page.type("/")
    page.wait("document.querySelector('dialog.search')?.open")
    page.type(*"softmax")
    page.wait("document.querySelectorAll('.results [role=option]').length && !document.querySelector('.results').ariaBusy")
    page.type("Enter")
    page.wait(f"!location.pathname.endsWith({LAB!r})")
    context.check(True, "the search leads to a page")


def folded(context, page, site):
    """A text that is named by an address opens what folds it."""
    page.open(site.http(LAB))
    words = page.run("[...document.querySelectorAll('.question > .answer')].map((node) => /[A-Za-z]+( [A-Za-z]+){3,}/.exec(node.textContent)?.[0]).find(Boolean)")
    page.open("about:blank")
    page.open(f"{site.http(LAB)}#:~:text={quote(words)}")
    page.wait(f"[...document.querySelectorAll('.answer')].some((node) => node.textContent.includes({json.dumps(words)}) && node.closest('details').open)")
    context.check(True, "a folded answer opens")


def run(context):
    program = next(filter(None, map(shutil.which, ["firefox-esr", "firefox"])), None)
    if not program:
        print("          firefox: there is no Firefox, so nothing is checked", flush=True)
        return
    with Firefox(program) as page:
        for name, check in [("reload", reloaded), ("keys", typed), ("folded", folded)]:
            with context.part(name):
                check(context, page, context.own)
