"""The preview in a real browser: what an author saves is what the browser shows, and what a reader has done to the page
stays. First the script by itself, then `infralens serve` as it is: edits, then what the preview shows of its own, then
many windows."""

import json
import re
import struct
import subprocess
import sys
import time
import zlib

import foreign
import kept
import morph
import panels
import windows
from cdp import Browser, Failure
from morph import ensure
from served import COURSE, PAGE, PANEL, PATH, PROGRAM, REPOSITORY, TEXT, Course, paragraphs

def edits(course, page):
    """New text, and all that a reader has done to the page."""
    page.open(course.address(PAGE))
    page.run("window.mark = 1; window.opened = document.querySelector('main details'); opened.open = true; 0")
    page.run("window.link = document.querySelector('main h2 .anchor'); link.focus(); 0")
    course.write(PATH, course.lab.replace("to be changed", "changed by now"))
    page.wait(TEXT.format("changed by now"))
    ensure(page.run("mark === 1 && opened.isConnected && opened.open"), "no reload, and what is open stays open")
    ensure(page.run("document.activeElement === link"), "the focus stays")
    page.run("window.row = [...document.querySelectorAll('main p')].find((p) => p.textContent === 'Paragraph after 30.'); 0")
    page.run("scrollTo(0, row.getBoundingClientRect().top + scrollY - 200); 0")
    course.write(PATH, course.lab.replace("Few words.", paragraphs("more", 40)))
    page.wait(TEXT.format("Paragraph more 39."))
    top = page.run("row.getBoundingClientRect().top")
    ensure(abs(top - 200) < 2, f"what is read stays where it is, at 200, not {top}")
    course.write(PATH, course.lab)
    page.wait("!" + TEXT.format("Paragraph more"))
    ensure(page.run("mark === 1"), "no reload")


def headings(course, other):
    """Headings that read like the preview's own parts are a page's text."""
    course.write("content/about.md", COURSE["content/about.md"] + "\n## Infralens panel\n\n## Infralens note\n")
    other.open(course.address("about.html"))
    other.wait("document.querySelectorAll('main h2').length === 2")
    shown = "[...document.querySelectorAll('main h2')].every((h) => h.checkVisibility() && h.offsetHeight > 10)"
    ensure(other.run(shown), "headings are shown")
    course.write("content/about.md", COURSE["content/about.md"])
    other.wait("!document.querySelector('main h2')")


def styles(course, page):
    style = course.place("static/style.css").read_text()
    indent = "getComputedStyle(document.querySelector('main')).textIndent"
    course.write("static/style.css", style + "\nmain { text-indent: 3px; }\n")
    page.wait(f"{indent} === '3px'")
    course.write("static/style.css", style)
    page.wait(f"{indent} === '0px'")
    ensure(page.run("mark === 1"), "a style is changed without a reload")
    ensure(page.run("document.querySelectorAll('link[rel=stylesheet][href*=\"/style.\"]:not([data-infralens-live])').length") == 1, "the old style is gone")


def picture(color):
    """A PNG of one color, four pixels wide."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(color) * 4) * 4
    head = struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def files(course, page):
    """A picture and a style that keep their names: the page is the same, and looks different."""
    course.place("content/box.png").write_bytes(picture((255, 0, 0)))
    course.write("static/own.css", "main { text-indent: 1px; }")
    base = (REPOSITORY / "templates/base.html").read_text()
    course.write("templates/base.html", base.replace("</head>", '<link rel="stylesheet" href="/own.css">\n</head>'))
    course.write("content/box.md", "---\ntitle: Box\n---\nA box: ![red](box.png)\n")
    end = time.monotonic() + 10
    while not course.has("box.html", "own.css"):
        ensure(time.monotonic() < end, "the page is made")
        time.sleep(0.03)
    page.open(course.address("box.html"))
    page.run("window.mark = 1; 0")
    page.run(
        "window.seen = () => { const image = document.querySelector('main img'), canvas = document.createElement('canvas');"
        " image.loading = 'eager'; if (!image.complete) return '';"
        " const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);"
        " return context.getImageData(1, 1, 1, 1).data.slice(0, 3).join(); }; 0"
    )
    page.wait("seen() === '255,0,0'")
    indent = "getComputedStyle(document.querySelector('main')).textIndent"
    for color, width in [((0, 255, 0), 2), ((0, 0, 255), 3), ((255, 0, 0), 1)]:
        course.place("content/box.png").write_bytes(picture(color))
        page.wait(f"seen() === '{','.join(map(str, color))}'")
        course.write("static/own.css", f"main {{ text-indent: {width}px; }}")
        page.wait(f"{indent} === '{width}px'")
    ensure(page.run("mark === 1"), "no reload")
    page.open(course.address("about.html"))
    # What names a file goes first: a page that asks for one that is gone would be a fault.
    (course.root / "templates/base.html").unlink()
    page.wait("!document.querySelector('link[href=\"/own.css\"]')")
    for path in ["content/box.md", "content/box.png", "static/own.css"]:
        (course.root / path).unlink()


def errors(course, page, other):
    other.open(course.address("about.html"))
    course.write(PATH, course.lab.replace("Few words.", "Few words and [a link](nowhere.md)."))
    page.wait(f"{PANEL}?.checkVisibility()")
    line = 1 + course.lab.split("Few words.")[0].count("\n")
    ensure(page.run(f"{PANEL}.querySelector('details[open]').textContent.includes('error[E0404]')"), "the error")
    href = page.run(f"{PANEL}.querySelector('details[open] pre a').href")
    ensure(href == f"vscode://file{course.root}/{PATH}:{line}:15", href)
    ensure(page.run(TEXT.format("Few words.")) and page.run("mark === 1"), "the last good page stays")
    ensure("E0404" in course.fetch(PAGE), "the error stands in the page itself")
    other.wait(f"{PANEL}?.textContent.includes('1 error in other files')")
    course.write("content/about.md", COURSE["content/about.md"].replace("About this", "More about this"))
    other.wait(TEXT.format("More about this"))
    page.media("print")
    ensure(not page.run(f"{PANEL}.checkVisibility()"), "nothing of it is printed")
    page.media("")
    course.write(PATH, course.lab.replace("Few words.", "Few words, mended."))
    page.wait(f"!{PANEL}")
    page.wait(TEXT.format("Few words, mended."))
    other.wait(f"!{PANEL}")
    course.write(PATH, course.lab)
    page.wait(TEXT.format("Few words."))
    ensure(page.run("mark === 1"), "no reload")


def closed(course, page):
    """A panel that the reader has closed comes back when it says something else, and not before."""
    course.write("content/about.md", "---\ntitel: About\n---\n")
    page.wait(f"{PANEL}?.checkVisibility()")
    page.click(".infralens-close")
    ensure(not page.run(f"{PANEL}.checkVisibility()"), "it can be closed")
    course.write(PATH, course.lab.replace("Few words.", "Few words, edited meanwhile."))
    page.wait(TEXT.format("edited meanwhile"))
    ensure(not page.run(f"{PANEL}.checkVisibility()"), "it stays closed")
    course.write("content/about.md", "---\ntitel: About\nsumary: s\n---\n")
    page.wait(f"{PANEL}?.checkVisibility()")
    course.write("content/about.md", COURSE["content/about.md"])
    course.write(PATH, course.lab)
    page.wait(f"!{PANEL} && " + TEXT.format("Few words."))


def never_good(course, other):
    """A page that never had a good form is its errors until it has one."""
    course.write("content/new.md", "---\ntitel: New\n---\nWords of a new page.\n")
    end = time.monotonic() + 10
    while "Infralens-panel" not in course.fetch("about.html"):
        ensure(time.monotonic() < end, "the error is seen")
    other.open(course.address("new.html"))
    ensure(other.run(f"{PANEL}.textContent.includes('titel')"), "the error is what there is to see")
    course.write("content/new.md", "---\ntitle: New\n---\nWords of a new page.\n")
    other.wait(TEXT.format("Words of a new page."))
    ensure(not other.run(f"{PANEL} || document.querySelector('.infralens-page')"), "nothing of the error is left")
    (course.root / "content/new.md").unlink()
    other.wait("!" + TEXT.format("Words of a new page."))


def stale(course, page):
    course.write("code/lab-01-x/a.py", "def twice(x):\n    return 2 * x  # doubled\n")
    bar = "document.querySelector('.infralens-bar')"
    page.wait(bar)
    page.wait(TEXT.format("# doubled"))
    ensure(page.run(f"{bar}.nextElementSibling.id") == "E1", "the bar stands above its excerpt")
    command = page.run(f"{bar}.querySelector('.infralens-command').textContent")
    line = 1 + course.lab.split("```python")[0].count("\n")
    ensure(command == f"infralens sync --accept {PATH}:{line}", command)
    ensure(page.run(f"{bar}.querySelector('.infralens-copy').checkVisibility()"), "it can be copied")
    page.media("print")
    ensure(not page.run(f"{bar}.checkVisibility()"), "it is not printed")
    page.media("")
    ensure(not page.run(f"{PANEL}.checkVisibility()"), "a panel that has nothing else to say is not there")
    accept = [PROGRAM, *command.split()[1:], "--root", course.root]
    subprocess.run(accept, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page.wait(f"!{bar}")
    course.write("code/lab-01-x/a.py", "def twice(x):\n    return 2 * x  # doubled\n\n\ndone = True\n")
    page.wait(f"{bar}?.classList.contains('infralens-mild')")
    ensure(page.run(f"{bar}.nextElementSibling.id") == "E1", "a bar for what changed beside the notes, too")
    subprocess.run([PROGRAM, "sync", "--root", course.root], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page.wait(f"!{bar}")
    course.lab = (course.root / PATH).read_text()
    ensure(page.run("mark === 1"), "no reload")


CALCULATOR = """---
title: Calculator
---
Words above.

```calc title="Area"
side = 3     # length of a side [1 .. 100]
area = {formula}     # = {pin}
~ area over side
```
"""


def calculators(course, page):
    """A calculator on a page that is edited: what the reader entered stays until the calculator itself changes."""
    path, figure = "content/calculator.md", "document.querySelector('.calc')"
    first = CALCULATOR.format(formula="side * side", pin="9.0")
    course.write(path, first)
    end = time.monotonic() + 10
    while not course.has("calculator.html", "C-area"):
        ensure(time.monotonic() < end, "the page is made")
        time.sleep(0.03)
    page.open(course.address("calculator.html"))
    area = f"{figure}.querySelector('.results output')?.textContent"
    # The script that computes is loaded when a calculator is near.
    page.wait(f"{area} === '9.0' && window.infralens?.calc")
    page.run("window.mark = 1; 0")
    page.run(f"{figure}.querySelector('input').value = 5; {figure}.querySelector('input').dispatchEvent(new Event('input', {{ bubbles: true }})); 0")
    page.wait(f"{area} === '25.0'")
    course.write(path, first.replace("Words above.", "Other words above."))
    page.wait(TEXT.format("Other words above."))
    ensure(page.run(area) == "25.0" and page.run(f"{figure}.querySelector('input').value") == "5", "what was entered stays")
    course.write(path, CALCULATOR.format(formula="2 * side * side", pin="18.0"))
    page.wait(f"{area} === '18.0' || {area} === '50.0'")
    ensure(page.run(f"{figure}.querySelectorAll('input').length") == 1, "one field for the input")
    page.run(f"{figure}.querySelector('input').value = 10; {figure}.querySelector('input').dispatchEvent(new Event('input', {{ bubbles: true }})); 0")
    page.wait(f"{area} === '200.0'")
    ensure(page.run("mark === 1"), "no reload")
    (course.root / path).unlink()


def restart(course, page):
    course.stop()
    page.wait("document.querySelector('.infralens-note')?.textContent === 'preview stopped'")
    ensure(page.run("getComputedStyle(document.querySelector('.infralens-note')).position") == "fixed", "a note, not text")
    course.lab = course.lab.replace("Few words.", "Words of the night.")
    course.write(PATH, course.lab)
    course.start()
    page.wait(TEXT.format("Words of the night."))
    page.wait("!document.querySelector('.infralens-note')")
    ensure(page.run("mark === 1"), "no reload")
    page.complaints[:] = [text for text in page.complaints if "ERR_CONNECTION_REFUSED" not in text and "ERR_INCOMPLETE" not in text]


def jumps(course, page):
    page.hold()
    lines = course.lab.split("\n")
    at = lambda text: 1 + next(number for number, line in enumerate(lines) if text in line)
    for selector, file, line in [
        ("main > h2 + p", PATH, at("Words above")),
        ("#E1-N1 > div", PATH, at("1. `return")),
        ("#E1-L2", "code/lab-01-x/a.py", 2),
    ]:
        page.run("went.length = 0")
        page.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{ block: 'center' }}); 0")
        page.click(selector, alt=True)
        page.wait("went.length")
        page.wait(f"document.querySelector('.infralens-note')?.textContent === '{file}:{line}'")
        opened = page.run("went.join()")
        ensure(re.fullmatch(rf"vscode://file{re.escape(str(course.root))}/{file}:{line}:\d+", opened), opened)
    ensure(page.run("mark === 1"), "the page is still there")


def others(course, page):
    """A page of another site gets nothing from the preview, and shows nothing of it in a frame; a link leads here."""
    html = course.fetch(PAGE)
    version = re.search(r"assets/search\.(\w+)\.js", html)[1]
    index, order = f"search/index.{version}.js", re.search(r"assets/order-t\.\w+\.js", html)[0]
    hashes = json.loads(course.fetch(index).split(",", 1)[1].rstrip()[:-1])["v"]
    pack = f"assets/search-p0.{hashes[1][:8]}.js"
    ensure("infralens.orders" in course.fetch(order), "the reading order is there")
    ensure("infralens.take" in course.fetch(pack), "a pack of the search index is there")
    scripts = [course.address(path) for path in [index, pack, order, ".infralens/preview.js", "code/lab-01-x/a.py"]]
    with foreign.page(scripts, course.address()) as address:
        page.open(address)
        page.wait("left === 0")
        ensure(page.run("got.length === 0 && document.querySelector('iframe').contentDocument === null"), "nothing is read")
        frames = page.send("Page.getFrameTree")["frameTree"].get("childFrames", [])
        ensure(not [child for child in frames if child["frame"]["url"].startswith(course.address())], f"nothing is framed: {frames}")
        page.run(f"location.assign({course.address(PAGE)!r}); 0")
        page.wait(TEXT.format("Words above the excerpt"))
    page.complaints.clear()


def preview(browser):
    course = Course()
    try:
        course.start()
        page, other = browser.page(), browser.page()
        edits(course, page)
        headings(course, other)
        styles(course, page)
        files(course, other)
        errors(course, page, other)
        closed(course, page)
        never_good(course, other)
        calculators(course, other)
        stale(course, page)
        restart(course, page)
        jumps(course, page)
        others(course, browser.page())
        # Files of a search index that an edit has replaced.
        left = [text for text in page.complaints if "/search" not in text and "status of 404" not in text]
        ensure(not left, left)
        # Its page was taken away, and the server was away.
        expected = ("status of 404", "/search", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE")
        left = [text for text in other.complaints if not any(part in text for part in expected)]
        ensure(not left, left)
    finally:
        course.end()


def main():
    start = time.monotonic()
    with Browser() as browser:
        for part in [morph.run, preview, panels.run, kept.run, windows.run]:
            part(browser)
            print(f"ok {part.__module__}.{part.__name__} ({time.monotonic() - start:.1f} s)", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
