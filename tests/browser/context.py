"""What the tests of the reader's site share: the sites, a browser, and a list of all that is wrong."""

import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from cdp import Failure

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "debug/infralens"
LABELS = REPOSITORY / "crates/course/src/config/labels"
AXE = HERE / "node_modules/axe-core/axe.min.js"
MEASURE = HERE / "measure.js"
# The rules of WCAG 2.x, A and AA, and what its authors advise beyond them.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Kinds of pages that repeat what others have. Their largest ones take a browser a minute and more.
REPEATING = ("print", "calculators")

# Said in each page before its own scripts: a broken policy is a complaint as an error is.
WATCH = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));"""


def label(english, language):
    """A label in the language of a page: each file of labels has it below its English text."""
    if language == "en":
        return english
    found = re.search(rf'^# {re.escape(english)}\n\w+: (.*)$', (LABELS / f"{language}.yaml").read_text(), re.M)
    return found[1].strip('"')


@functools.cache
def source(path):
    """A script's text, and a value that can be sent back."""
    return path.read_text() + "\n0"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files as a static host serves them, under a path, in silence."""

    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".md": "text/markdown"}

    def __init__(self, *arguments, prefix, **rest):
        self.prefix = prefix
        super().__init__(*arguments, **rest)

    def translate_path(self, path):
        inside = path.startswith(self.prefix)
        return super().translate_path(path[len(self.prefix) - 1:] if inside else "/nothing-is-here")

    def do_GET(self):
        if self.server.late and re.search(r"/assets/(?!shared\b).*\.js", self.path):
            time.sleep(self.server.late)
        super().do_GET()

    def log_message(self, *_):
        pass

    def send_error(self, code, message=None, explain=None):
        page = Path(self.directory) / "404.html"
        body = page.read_bytes() if code == 404 and page.exists() else str(message).encode()
        self.send_response(code, message)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    """A server that is not surprised by a browser which stops listening."""

    daemon_threads = True
    # The seconds that all scripts wait for but the one that a page is painted after.
    late = 0

    def handle_error(self, *_):
        pass


def changed():
    """The pages whose text or code differs from where this branch has left `main`."""
    git = lambda *words: subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True, text=True).stdout.split()
    names = git("diff", "--name-only", *git("merge-base", "main", "HEAD"), "--", "content", "code") if shutil.which("git") else []
    names = [name.removeprefix("content/").removesuffix(".md") for name in names]
    # A translation is in the folder of its language, and the number of a section is not in its address.
    names = [re.sub(r"^(.*)\.([\w-]+)$", r"\2/\1", name) for name in names]
    return {re.sub(r"/\d+-(?=[^/]+$)", "/", name) + ".html" for name in names}


class Site:
    """A course that was built, on disk and, once it is served, behind a server, there under a path; with marks of what has
    changed `since` an older one."""

    def __init__(self, name, root, under="/", since=None):
        self.name = name
        self.under = under
        self.folder = Path(tempfile.mkdtemp(prefix=f"infralens-{name}-")) / "site"
        self.server = None
        start = time.monotonic()
        flags = ["--base-url", f"https://example.org{under}"] if under != "/" else []
        command = ["diff", "--quiet", since, root] if since else ["build", "--root", root]
        built = subprocess.run([PROGRAM, *command, "-o", self.folder, *flags], capture_output=True, text=True)
        self.seconds = time.monotonic() - start
        if built.returncode != bool(since):
            raise Failure(f"the course `{name}` does not build:\n{built.stderr}")
        found = ((path.relative_to(self.folder).as_posix(), path.read_text()) for path in sorted(self.folder.rglob("*.html")))
        # A published page's kind, as its `body` says: `lab`, `home`, `starter` and so on. A starter that happens to be HTML
        # is text.
        self.pages = {path: re.search('<body class="page-([^ "]+)', text)[1] for path, text in found if "data-root=" in text}

    def serve(self):
        """Serves the site until its end, and returns it."""
        handler = functools.partial(Handler, directory=str(self.folder), prefix=self.under)
        self.server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.root = f"http://127.0.0.1:{self.server.server_port}{self.under}"
        return self

    def of_kind(self, *kinds):
        return [path for path, kind in self.pages.items() if kind in kinds]

    def indexed(self):
        """The files of the search index, by the names that scripts know them by."""
        files = [*self.folder.glob("search/index.*.js"), *self.folder.glob("assets/search-*.*.js")]
        return {path.name.removeprefix("search-").split(".")[0]: path for path in files}

    def http(self, path=""):
        return self.root + path

    def file(self, path=""):
        return (self.folder / path).as_uri()

    def end(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        shutil.rmtree(self.folder.parent, ignore_errors=True)


class Context:
    """What each part of the tests is given.

    `own` is the repository's own course, `hard` a course of bad inputs, `crowd` one of 500 labs; they are `Site`s. `only`
    has parts of paths if some pages alone were asked for, and `every` says that all were.
    """

    def __init__(self, browser, own, hard, crowd, only=(), every=False):
        self.browser = browser
        self.own = own
        self.hard = hard
        self.crowd = crowd
        self.only = only
        self.every = every
        self.failures = {}
        self.checks = 0
        self.name = ""

    @contextlib.contextmanager
    def part(self, name):
        """A part of the tests: its name stands before its failures, and what ends it ends no other."""
        start, before, outer = time.monotonic(), self.wrong(), self.name
        self.name = f"{outer}, {name}" if outer else name
        try:
            yield
        except Failure as failure:
            self.fail(str(failure))
        finally:
            if not outer:
                wrong = self.wrong() - before
                said = f"{wrong} wrong" if wrong else "ok"
                print(f"{said:>8}  {self.name} ({time.monotonic() - start:.1f} s)", flush=True)
            elif ", " not in outer:
                print(f"          {self.name}: {time.monotonic() - start:.1f} s", flush=True)
            self.name = outer

    def wanted(self, paths):
        """Those of the paths that were asked for: all, unless some were named."""
        return [path for path in paths if not self.only or any(part in path for part in self.only)]

    def typical(self, site):
        """A page of each kind that a reader sees: the heaviest; or the lightest, where it repeats what other pages have."""
        lightest = () if self.every else REPEATING
        size = lambda path: (site.folder / path).stat().st_size * (-1 if site.pages[path] in lightest else 1)
        return {site.pages[path]: path for path in sorted(site.pages, key=size) if site.pages[path] != "redirect"}

    def sample(self, site, *kinds):
        """Pages of a site, of all kinds or of some: a typical one of each kind, what the branch changes, and every eighth."""
        typical = self.typical(site)
        paths = site.of_kind(*kinds or typical)
        if self.only or self.every:
            return self.wanted(paths)
        named = {*typical.values(), *(changed() if site is self.own else ())}
        return [path for at, path in enumerate(paths) if at % 8 == 7 or path in named]

    def fail(self, message, where=""):
        """Notes something that is wrong; the tests go on. What is wrong in many places is said once."""
        self.failures.setdefault(message, []).append(f"{self.name} {where}".strip(": "))

    def wrong(self):
        return sum(map(len, self.failures.values()))

    def check(self, holds, message, where=""):
        """Notes the message if what it says does not hold, and returns whether it does."""
        self.checks += 1
        if not holds:
            self.fail(message, where)
        return bool(holds)

    def equal(self, found, expected, message):
        return self.check(found == expected, f"{message}: {expected!r} expected, {found!r} found")

    def page(self, width=1280, height=800, beside=None):
        """Opens a window whose storage is its own, or that of the page that it is opened beside."""
        storage = beside.storage if beside else self.browser.storage()
        page = self.browser.page(width, height, storage=storage)
        page.send("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        return page

    def quiet(self, page, site, allow=()):
        """Nothing was complained of since last asked, and nothing was asked of other places than the site."""
        said = [text for text in page.complaints if not any(part in text for part in allow)]
        homes = (site.root, site.folder.as_uri(), "data:", "blob:", "about:")
        foreign = [url for url in page.requests if not url.startswith(homes)]
        page.complaints.clear()
        page.requests.clear()
        self.check(not said, f"the console says {said}")
        self.check(not foreign, f"asks for {foreign}")

    def axe(self, page, where="", within=None, off=()):
        """Holds what is shown now, or a part of it, to axe-core's rules; `off` names rules that are not asked."""
        world = self.world(page, axe=True)
        options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"],
                   "rules": {"target-size": {"enabled": True}, **{rule: {"enabled": False} for rule in off}}}
        # Browsers let keys scroll a formula that is wider than its line; axe-core knows no such element to take the focus.
        place = {"include": [[within or "html"]], "exclude": [[":not(.math) > math"]]}
        call = (f"axe.run({json.dumps(place)}, {json.dumps(options)}).then((result) =>"
                " result.violations.map(({ id, help, nodes }) => ({ id, help, count: nodes.length, nodes: nodes.slice(0, 3).map("
                "(node) => `${node.target.join(' ')} ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`) })))")
        for found in self.evaluate(page, call, world):
            places = "\n      ".join(found["nodes"])
            self.fail(f"axe {found['id']}: {found['help']} ({found['count']} places)\n      {places}", where)
        self.checks += 1

    def measure(self, page, call, where=""):
        """Notes the faults that a function of `measure.js` finds on a page, such as `layout()`."""
        for fault in self.evaluate(page, f"measure.{call}", self.world(page)):
            self.fail(fault, where)
        self.checks += 1

    def world(self, page, axe=False):
        """A world of scripts beside the page's own, which no policy and no script of the page reaches."""
        frame = page.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = page.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "checks"})["executionContextId"]
        for wanted, name, path in [(True, "measure", MEASURE), (axe, "axe", AXE)]:
            if wanted and not self.evaluate(page, f"Boolean(globalThis.{name})", world):
                self.evaluate(page, source(path), world)
        return world

    def evaluate(self, page, expression, world):
        params = {"expression": expression, "contextId": world, "returnByValue": True, "awaitPromise": True}
        result = page.send("Runtime.evaluate", params, timeout=60)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")
