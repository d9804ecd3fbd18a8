"""The preview's script by itself, against a server made for it: whatever page follows whatever other, the browser then
shows the new one, and what did not change is the same as before."""

import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from cdp import Failure

CLIENT = Path(__file__).resolve().parents[2] / "src/serve/client"
POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
SCRIPT = '<script src="/.infralens/preview.js?page={tag}" defer></script>\n'


def document(body, head="", attributes=""):
    return (
        f'<!doctype html>\n<html lang="en"{attributes}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<title>t</title>\n{head}</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


class Server(ThreadingHTTPServer):
    """Serves one page at every path, as the preview does, and misbehaves when told to."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.lock = threading.Lock()
        self.html, self.number = "", 0
        self.files = {}
        self.listeners = []
        self.streams = 0
        self.asked = []
        self.statuses = []
        self.delays = []
        self.located = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def put(self, html):
        """Another version of the page."""
        with self.lock:
            self.html, self.number = html, self.number + 1
            for listener in self.listeners:
                listener.put(self.number)

    def page(self):
        """The page and its version."""
        with self.lock:
            return self.html.replace("</head>", SCRIPT.format(tag=self.number) + "</head>", 1).encode(), str(self.number)

    def stop(self):
        self.shutdown()
        self.server_close()
        with self.lock:
            for listener in self.listeners:
                listener.put(None)


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, kind, body, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        server = self.server
        try:
            if url.path == "/.infralens/events":
                self.events()
            elif url.path == "/.infralens/source":
                server.located.append(query)
                self.answer("application/json", b'{"file":"content/a.md","line":7,"column":1,"url":"x-editor:/a.md:7"}')
            elif url.path.startswith("/.infralens/"):
                name = url.path.rsplit("/", 1)[1]
                kind = "text/javascript" if name.endswith("js") else "text/css"
                self.answer(kind, (CLIENT / name).read_bytes())
            elif url.path in server.files:
                kind = "text/javascript" if url.path.endswith("js") else "text/css"
                self.answer(kind, server.files[url.path].encode())
            elif url.path == "/favicon.ico":
                self.answer("image/png", b"")
            else:
                with server.lock:
                    delay = server.delays.pop(0) if server.delays else 0
                    status = server.statuses.pop(0) if server.statuses else 200
                page, version = server.page()
                time.sleep(delay)
                known = self.headers.get("If-None-Match", "").strip('"')
                if known:
                    server.asked.append(known)
                if known == version and status == 200:
                    self.send_response(304)
                    self.end_headers()
                else:
                    self.answer("text/html; charset=utf-8", page, status)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def events(self):
        server = self.server
        listener = queue.Queue()
        with server.lock:
            server.streams += 1
            server.listeners.append(listener)
            listener.put(server.number)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.flush()
        while (number := listener.get()) is not None:
            self.wfile.write(f"data: {number} \n\n".encode())
            self.wfile.flush()
        self.close_connection = True


# Name, before, after, and what must still be the same node (a selector, which must find as many as before).
TABLE = [
    ("a word", "<p>one two three</p><p id=k>k</p>", "<p>one 2 three</p><p id=k>k</p>", "p"),
    ("a paragraph at the begin", "<p>b</p><p>c</p>", "<p>a</p><p>b</p><p>c</p>", "p"),
    ("a paragraph in the middle", "<p>a</p>\n<p>c</p>", "<p>a</p>\n<p>b</p>\n<p>c</p>", "p"),
    ("a paragraph at the end", "<p>a</p>", "<p>a</p><p>b</p>", "p"),
    ("two edits, one paragraph more between them",
     "<p>first words here</p>\n<h2 id=h>h</h2>\n<p>last words here</p>\n",
     "<p>first words there</p>\n<p>new</p>\n<h2 id=h>h</h2>\n<p>last words there</p>\n", "p, h2"),
    ("a paragraph gone", "<p>a</p><p class=x>b</p><p>c</p>", "<p>a</p><p>c</p>", "p:not(.x)"),
    ("all gone", "<p>a</p><p>b</p>", "", "none"),
    ("all new", "", "<main><p>a</p></main>", "none"),
    ("ids are kept by name", "<p id=a>a</p><p id=b>b</p>", "<p id=b>b, changed</p><p id=c>c</p>", "#b"),
    ("a heading renamed", "<h2 id=old>Some title</h2><p>t</p>", "<h2 id=new>Some titles</h2><p>t</p>", "h2, p"),
    ("moved", "<p id=a>a</p><p id=b>b</p><p id=c>c</p>", "<p id=c>c</p><p id=a>a</p><p id=b>b</p>", "#a, #b"),
    ("another element", "<div><p>a</p></div>", "<div><ul><li>a</li></ul></div>", "div"),
    ("attributes", "<p class=a title=t>x</p>", "<p class=b lang=de>x</p>", "p"),
    ("strange attributes", "<p>x</p>", "<p a\"b='1' @c=2>x</p>", "p"),
    ("rows", "<table><tbody><tr><td>1</td></tr></tbody></table>",
     "<table><tbody><tr><td>0</td></tr><tr><td>1</td></tr></tbody></table>", "table, tr"),
    ("drawings", '<svg viewBox="0 0 1 1"><g><path d="M0 0"/></g></svg>',
     '<svg viewBox="0 0 2 2"><g><path d="M1 1"/><circle r="1"/></g></svg>', "svg, g, path"),
    ("formulas", "<p><math><mi>x</mi></math></p>", "<p><math><msup><mi>x</mi><mn>2</mn></msup></math></p>", "p, math"),
    ("code", "<pre><code><span id=L1>a\n</span><span id=L2>b\n</span></code></pre>",
     "<pre><code><span id=L1>a\n</span><span id=L2>c\n</span><span id=L3>d\n</span></code></pre>", "pre, #L1, #L2"),
    ("comments and text", "a<!-- x -->b", "a<!-- y -->c<b>d</b>", "none"),
    ("white space only", "<p>a</p>\n\n<p>b</p>", "<p>a</p> <p>b</p>", "p"),
    ("nested lists", "<ul><li>a<ul><li>b</li></ul></li></ul>", "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>",
     "ul, li"),
    ("a great many", "".join(f"<p>paragraph {n}</p>\n" for n in range(2000)),
     "".join(f"<p>paragraph {n}</p>\n" for n in range(5, 2000) if n % 400) + "<p>end</p>", "none"),
]


def ensure(is_so, what):
    if not is_so:
        raise Failure(what)


def until(is_so, what):
    end = time.monotonic() + 10
    while not is_so():
        ensure(time.monotonic() < end, what)
        time.sleep(0.02)


class Bench:
    """A page in the browser and the server that it comes from."""

    def __init__(self, browser):
        self.browser = browser
        self.server = Server()
        self.page = browser.page()

    def show(self, html):
        """Loads a page again, and waits until it listens: it then asks whether it is still the newest."""
        self.server.put(html)
        self.server.asked.clear()
        self.page.open(f"{self.server.address}/a/page.html?x=1")
        self.page.run("window.mark = 1; window.updates = 0; document.addEventListener('infralens:update', () => updates++); 0")
        until(lambda: str(self.server.number) in self.server.asked, "the page listens")

    def follow(self, html, reload=False):
        """Puts the next version and waits until it is shown."""
        updates = None if reload else self.page.run("updates")
        self.server.put(html)
        self.page.wait("window.mark === undefined" if reload else f"updates > {updates}")
        if not reload:
            self.same()

    def same(self):
        """Whether the browser's document is the server's."""
        found = self.page.run(
            "fetch(location.pathname).then((answer) => answer.text()).then((text) => {"
            " const next = new DOMParser().parseFromString(text, 'text/html');"
            " const now = document.cloneNode(true);"
            " now.querySelectorAll('[data-infralens-live]').forEach((node) => node.remove());"
            " return now.isEqualNode(next) || now.documentElement.outerHTML + '\\nis not\\n' + next.documentElement.outerHTML; })"
        )
        ensure(found is True, f"{found}"[:3000])


def table(bench):
    bench.show(document(""))
    for name, before, after, same in TABLE:
        nodes = f"[...document.querySelectorAll({same!r})]"
        bench.follow(document(before))
        # And back again, as an editor's undo has it.
        for body in [after, before]:
            count = bench.page.run(f"{nodes}.map((node) => (node.kept = true)).length")
            bench.follow(document(body))
            wanted = min(count, bench.page.run(f"{nodes}.length"))
            kept = bench.page.run(f"{nodes}.filter((node) => node.kept).length")
            ensure(kept >= wanted, f"{name}: {kept} of {wanted} are the same nodes")


def likeness(bench):
    """A paragraph that is edited stays itself where another comes before it."""
    bench.show(document("<p id=p></p><p>first of two</p>\n<p>and the second</p>"))
    bench.page.run("[window.one, window.two] = document.querySelectorAll('p:not([id])'); 0")
    bench.follow(document("<p id=p></p><p>Something else</p>\n<p>first of three</p>\n<p>then the second</p>"))
    ensure(bench.page.run("one.textContent + two.textContent") == "first of threethen the second", "each its own")


def readers_things(bench):
    """Open details, fields, focus, selection, theme, nodes of other scripts."""
    body = (
        "<details id=d><summary>s</summary><p>t</p></details><details id=e open><summary>s</summary>u</details>"
        "<input id=i value=v><input id=c type=checkbox><textarea id=x>t</textarea>"
        "<select id=s><option>1<option>2</select><p id=p>some words to select</p>"
    )
    page = bench.page
    bench.show(document(body))
    page.run(
        "document.documentElement.dataset.theme = 'dark'; document.documentElement.className = 'js';"
        "d.open = true; e.open = false; i.value = 'typed'; c.checked = true; x.value = 'mine'; s.selectedIndex = 1; i.focus();"
        "const live = document.createElement('b'); live.dataset.infralensLive = ''; live.id = 'live'; p.before(live);"
        "getSelection().setBaseAndExtent(p.firstChild, 5, p.firstChild, 10); 0"
    )
    changed = body.replace("<p>t</p>", "<p>t2</p>").replace("u</d", "u2</d").replace("value=v", "value=w")
    changed = changed.replace(">t</textarea>", ">t2</textarea>").replace("some words to select", "some words to be selected, they are")
    bench.server.put(document(changed))
    page.wait("updates === 1")
    for is_so in [
        "d.open && !e.open", "d.textContent === 'st2'", "i.value === 'typed'", "i.getAttribute('value') === 'w'", "c.checked",
        "x.value === 'mine'", "s.selectedIndex === 1", "document.activeElement === i", "live.nextSibling === p",
        "document.documentElement.dataset.theme === 'dark'", "document.documentElement.className === 'js'",
        "getSelection().toString() === 'words'", "mark === 1",
    ]:
        ensure(page.run(is_so), is_so)
    # What the server itself opens is opened, unless the reader has had a say.
    bench.server.put(document(changed.replace("id=d", "id=d open").replace("<select", "<details id=n open>n</details><select")))
    page.wait("updates === 2")
    ensure(page.run("d.open && n.open && !e.open"), "details follow the server")
    bench.server.put(document(changed.replace("<select", "<details id=n>n</details><select")))
    page.wait("updates === 3")
    ensure(page.run("!n.open"), "details that the reader has not touched follow the server")


def scrolling(bench):
    rows = [f"<p id=r{n}>row {n}</p>" for n in range(100)]
    bench.show(document("<main>" + "\n".join(rows) + "</main>"))
    bench.page.run("scrollTo(0, r50.offsetTop - 7); 0")
    grown = [f"<p>{'new words ' * 300}</p>"] * 3 + rows
    bench.follow(document("<main>" + "\n".join(grown) + "</main>"))
    ensure(abs(bench.page.run("r50.getBoundingClientRect().top") - 7) < 1, "what grows above moves nothing")
    bench.page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    ensure(abs(bench.page.run("r50.getBoundingClientRect().top") - 7) < 1, "nor does it a frame later")
    fewer = [row for row in rows if "id=r50" not in row and "id=r1" not in row]
    bench.follow(document("<main>" + "\n".join(fewer) + "</main>"))
    ensure(0 <= bench.page.run("r51.getBoundingClientRect().top") < 60, "the next one where the first is gone")
    bench.page.run("scrollTo(0, 0); 0")
    bench.follow(document("<main>" + "\n".join(grown) + "</main>"))
    ensure(bench.page.run("scrollY") == 0, "the top of a page stays its top")


def styles_and_programs(bench):
    page, files = bench.page, bench.server.files
    files["/one.css"], files["/two.css"] = "p { color: rgb(1, 1, 1) }", "p { color: rgb(2, 2, 2) }"
    files["/site.js"] = "window.ran = (window.ran ?? 0) + 1;"
    link = '<link rel="stylesheet" href="/{}.css">\n'
    bench.show(document("<p id=p>t</p>", link.format("one")))
    page.run("window.seen = new Set(); (function look() { seen.add(getComputedStyle(p).color); requestAnimationFrame(look); })(); 0")
    bench.follow(document("<p id=p>t</p>", link.format("two")))
    page.wait("getComputedStyle(p).color === 'rgb(2, 2, 2)'")
    seen = set(page.run("[...seen]"))
    ensure(seen <= {"rgb(1, 1, 1)", "rgb(2, 2, 2)"}, f"no moment without a style: {seen}")
    program = '<script src="/site.js" defer></script>\n'
    bench.follow(document("<p id=p>t</p>", link.format("two") + program), reload=True)
    page.wait("window.ran === 1")
    bench.show(document("<p>t</p>", program))
    bench.follow(document("<p>u</p>", program))
    ensure(page.run("ran === 1 && mark === 1"), "a program runs once")
    bench.follow(document("<p>u</p>", program.replace("defer", "async")), reload=True)


def connections(bench):
    page, server = bench.page, bench.server
    bench.show(document("<p>1</p>"))
    # A page that is overtaken while it is under way is not shown any more.
    page.run("window.seen = []; document.addEventListener('infralens:update', () => seen.push(document.querySelector('p').textContent)); 0")
    server.delays[:] = [0.4, 0]
    server.put(document("<p>2</p>"))
    time.sleep(0.1)
    server.put(document("<p>3</p>"))
    page.wait("document.querySelector('p').textContent === '3'")
    time.sleep(0.5)
    ensure(page.run("seen.join()") == "3", page.run("seen.join()"))
    # A server that fails is asked again; 404 is a page as well.
    server.statuses[:] = [500, 503, 404]
    bench.follow(document("<p>4</p>"))
    ensure(page.run("document.querySelector('p').textContent") == "4", "after two failures")
    # The server goes away, changes, and comes back at the same port; the page is told what it missed.
    port = server.server_port
    server.stop()
    page.wait("document.querySelector('.infralens-note')?.textContent === 'preview stopped'")
    ensure(page.run("getComputedStyle(document.querySelector('.infralens-note')).position") == "fixed", "a note, not text")
    shown = server.number
    bench.server = Server(port)
    bench.server.number = shown
    bench.server.put(document("<p>5</p>"))
    page.wait("document.querySelector('p').textContent === '5'")
    ensure(bench.server.asked[0] == str(shown), "the page that is shown is named")
    page.wait("!document.querySelector('.infralens-note')")
    ensure(page.run("mark === 1"), "without a reload")
    page.complaints[:] = [text for text in page.complaints if "ERR_" not in text and "status of" not in text]


def away(bench):
    """A page that nobody sees asks for nothing, and catches up when it is seen again."""
    page, server = bench.page, bench.server
    bench.show(document("<p>1</p>"))
    bench.browser.page(before=True)
    page.wait("document.hidden")
    server.put(document("<p>2</p>"))
    time.sleep(0.3)
    ensure(page.run("document.querySelector('p').textContent") == "1", "hidden")
    page.send("Page.bringToFront")
    page.wait("document.querySelector('p').textContent === '2'")
    page.open(f"{server.address}/another.html")
    server.put(document("<p>3</p>"))
    page.run("history.back(); 0")
    page.wait("location.pathname === '/a/page.html' && document.querySelector('p').textContent === '3'")
    # A browser may have kept the page or load it again: it follows in any case.
    server.put(document("<p>4</p>"))
    page.wait("document.querySelector('p').textContent === '4'")
    bench.same()


def alone(bench):
    """Where a browser has no shared workers, each page that is seen has a stream of its own, and a hidden one none."""
    page, server = bench.page, bench.server
    page.send("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.SharedWorker;"})
    bench.show(document("<p>1</p>"))
    bench.follow(document("<p>2</p>"))
    streams = server.streams
    bench.browser.page(before=True)
    page.wait("document.hidden")
    server.put(document("<p>3</p>"))
    time.sleep(0.2)
    ensure(page.run("document.querySelector('p').textContent") == "2", "hidden")
    page.send("Page.bringToFront")
    page.wait("document.querySelector('p').textContent === '3'")
    ensure(server.streams == streams + 1, f"{server.streams} streams")


def jumps(bench):
    page, server = bench.page, bench.server
    bench.show(document(
        "<main><h2 id=h>Title <a class=anchor href='#h'>#</a></h2><p>same words</p><p>same — <em>words</em></p>"
        "<p>a <math><semantics><mi>x</mi><annotation>x_1</annotation></semantics></math> b <a id=l href='/other.html'>link</a></p>"
        "<figure class=excerpt id=E1><figcaption id=cap><a class=file href='/code/a.py.html#L3'>a.py</a> lines</figcaption>"
        "<pre><code><span class=line id=E1-L4>x</span></code></pre></figure>"
        "<ol class=notes><li id=E1-N1>first <p id=inner>note</p></li><li id=N2>other <a href='/lab.html#E3-N4'>lab</a></li></ol>"
        "<ul class=bibliography><li id=R-some.key><a href='https://example.org'>Some <i id=ref>book</i></a></li></ul>"
        "<dl class=reading><dd id=lab-01-R-k>Some paper</dd></dl>"
        "<section class=session><div class=card><p class=source><a href='/lab.html'>Lab</a></p>"
        "<div class=asked id=asked>Why <b>so</b>?</div><div class=back id=back>Because.<p id=more>And more.</p></div></div></section>"
        "<section class=practised><h2><a href='/lab.html'>Lab</a></h2><details open><summary id=q>Why?</summary></details></section>"
        "</main><footer><p id=f>foot</p></footer>"
    ))
    page.hold()
    page_url = "/a/page.html"
    for selector, expected in [
        ("main > p:nth-of-type(2)", {"page": page_url, "heading": "h", "text": "samewords", "nth": "1"}),
        ("#l", {"page": page_url, "heading": "h", "text": "ax1blink", "nth": "0"}),
        ("h2", {"page": page_url, "heading": "h"}),
        ("#E1-L4", {"page": "/code/a.py.html", "line": "4"}),
        ("#cap .file", {"page": page_url, "note": "E1"}),
        ("#inner", {"page": page_url, "note": "E1-N1"}),
        ("#N2", {"page": "/lab.html", "note": "E3-N4"}),
        ("#q", {"page": "/lab.html", "text": "Why", "nth": "0"}),
        ("#ref", {"page": page_url, "reference": "R-some.key"}),
        ("#lab-01-R-k", {"page": page_url, "reference": "lab-01-R-k"}),
        ("#asked", {"page": "/lab.html", "text": "Whyso", "nth": "0"}),
        ("#more", {"page": "/lab.html", "text": "Andmore", "nth": "0"}),
    ]:
        server.located.clear()
        page.run("went.length = 0")
        page.click(selector, alt=True)
        page.wait("went.length")
        ensure(server.located == [expected], f"{selector}: {server.located}")
        ensure(page.run("went.join()") == "x-editor:/a.md:7", page.run("went.join()"))
        page.wait("document.querySelector('.infralens-note')?.textContent === 'content/a.md:7'")
    server.located.clear()
    page.click("#f", alt=True)
    ensure(page.run("location.pathname") == page_url and not server.located, "the frame of a page is nobody's text")
    ensure(page.run("document.querySelector('#q').parentElement.open"), "an alt-click opens and closes nothing")


STEPS = [table, likeness, readers_things, scrolling, styles_and_programs, connections, away, alone, jumps]


def run(browser):
    for step in STEPS:
        bench = Bench(browser)
        step(bench)
        ensure(not bench.page.complaints, f"{step.__name__}: {bench.page.complaints}")
        bench.server.stop()


if __name__ == "__main__":
    import sys

    from cdp import Browser

    chosen = sys.argv[1:]
    if chosen:
        STEPS[:] = [step for step in STEPS if step.__name__ in chosen]
    with Browser() as browser:
        run(browser)
