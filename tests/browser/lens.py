"""Code and notes in a real browser: level with each other, joined by mouse, keyboard and touch, in one column where it is
narrow, folded, copied, addressed by line; without scripts, from disk, on paper; and nothing overflows, whatever the code."""

import functools
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from cdp import Failure
from morph import ensure

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "debug/infralens"
ROW, HEAD = 24, 40

CODE = '''def first(x):
    total = gather(
        x,
        many,
    )
    return total * 2


def second(x):
    for value in x:
        yield value
    return 0


def third(config):
    return config.heads * config.width
'''
LONG = "".join(f"value_{number} = {number} * factor\n" for number in range(1, 91))
MANY = "".join(f"many_{number} = {number}\n" for number in range(1, 61))
WIDE = "wide = [" + ", ".join(f"item_{number}" for number in range(1, 600)) + "]\n" + "x" * 5000 + " = 1\nlast = 2\n"
SCRIPTS = 'greeting = "שלום עולם"  # טקסט מימין לשמאל\n長い識別子 = "模型參數與啟動值都會佔用記憶體"\n'
HUGE = "".join(f"def number_{number}():\n    return {number}\n" for number in range(2500))
FILES = {"a.py": CODE, "long.py": LONG, "many.py": MANY, "wide.py": WIDE, "scripts.py": SCRIPTS, "huge.py": HUGE}

LAB = """---
title: A lab
focus: f
reads: r
outcome: Say what it does
handbook: [section]
starter: { file: a.py, type: Script, angle: Top to bottom, run: python3 a.py --fast }
---

## Code

The prose names `gather(` and `--an-option`.

```python file=#fn:first,fn:third caption="Two functions of three"
```

1. `gather(` — a call over four lines.
2. `total * 2` — doubled.
3. `config.heads` — the heads.
4. `config.width` — and their width.

```python file=long.py
```

1. `value_3` — shown.
2. `value_30` — shown too.
3. `value_60` — folded away.

```python file=many.py
```

MANY

```python file=wide.py
```

1. `wide` — a long line.
2. `item_1` — one.
3. `item_2` — two.
4. `item_3` — three.
5. `item_4` — four.
6. `item_5` — five.
7. `item_6` — six.
8. `item_7` — seven.
9. `item_8` — eight.
10. `item_9` — nine.
11. `last` — the end.

```python file=scripts.py
```

1. `greeting` — טקסט מימין לשמאל, ועוד קצת טקסט שממלא שורה שלמה ויותר.
2. `長い識別子` — 這是一段很長的中文說明，用來確認沒有空格的文字也會換行而不會超出邊界。

```python file=#fn:third
```

1. `third` — LONGNOTE

```python file=huge.py#fn:number_2
```

1. `number_2` — of 2,500.

- An item with code.

  ```python file=#fn:third
  ```

  1. `third` — in a list.

> ```python file=#fn:third
> ```
>
> 1. `third` — in a quote.

AFTER
"""
COURSE = {
    "content/site.yaml": "title: Lens\ntracks: [t]\nlabs: { sections: [{ title: Code }] }\n",
    "content/index.md": "---\ntitle: Home\n---\nThe first page.\n",
    "content/tracks/t/index.md": "---\ntitle: T\nsummary: s\n---\nA track.\n",
    "content/tracks/t/handbook/01-section.md": "---\ntitle: Section\nsummary: s\n---\nA section.\n",
    "content/tracks/t/labs/lab-01-x.md": LAB.replace("LONGNOTE", "a note longer than its code. " * 120)
    .replace("MANY", "\n".join(f"{number}. `many_{number}` — number {number}." for number in range(1, 61)))
    .replace("AFTER", "\n\n".join(f"Paragraph {number}." for number in range(40))),
    **{f"code/lab-01-x/{name}": text for name, text in FILES.items()},
}
PAGE = "tracks/t/labs/lab-01-x.html"
STARTER = "code/lab-01-x/a.py.html"

# What pages are asked in these tests.
HELPERS = """
window.$ = (selector) => document.querySelector(selector);
window.all = (selector) => [...document.querySelectorAll(selector)];
window.box = (selector) => $(selector).getBoundingClientRect();
window.names = (selector) => all(selector).filter((node) => !node.matches("b")).map((node) => node.id).join();
0
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site:
    """The course, built, on disk and served."""

    def __init__(self, course=None):
        self.root = Path(tempfile.mkdtemp(prefix="infralens-lens-")).resolve()
        for path, text in (course or COURSE).items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        self.out = self.root / "public"
        # The fences of the excerpts are empty: `sync` writes what their files say.
        for command in [["sync", "--root", self.root], ["build", "--root", self.root, "--output", self.out]]:
            done = subprocess.run([PROGRAM, *map(str, command)], capture_output=True, text=True)
            if done.returncode:
                raise Failure(f"{command[0]}: {done.stdout}{done.stderr}")
        handler = functools.partial(Quiet, directory=self.out)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def served(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{path}"

    def on_disk(self, path):
        return f"file://{self.out}/{path}"

    def end(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.root, ignore_errors=True)


def visit(page, url):
    # A fragment alone would load nothing.
    page.open("about:blank")
    page.open(url)
    page.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
    page.run(HELPERS)


def key(page, name, shift=False):
    code = {"Escape": 27, "Enter": 13}.get(name, ord(name[0].upper()))
    text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
    event = {"key": name, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
    page.send("Input.dispatchKeyEvent", {"type": "keyDown", **event, **({"text": text} if text else {})})
    page.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})


def at(page, selector, dx=None):
    """The middle of an element that is scrolled to, or so far from its left edge."""
    x = "width / 2" if dx is None else str(dx)
    return page.run(
        f"(() => {{ const node = $({json.dumps(selector)}); node.scrollIntoView({{ block: 'center' }});"
        f" const {{ x, y, width, height }} = node.getBoundingClientRect(); return [x + {x}, y + Math.min(height, 24) / 2]; }})()"
    )


def mouse(page, selector, dx=None, shift=False, click=True):
    x, y = at(page, selector, dx)
    event = {"x": x, "y": y, "modifiers": 8 if shift else 0}
    page.send("Input.dispatchMouseEvent", {"type": "mouseMoved", **event})
    if click:
        for kind in ["mousePressed", "mouseReleased"]:
            page.send("Input.dispatchMouseEvent", {"type": kind, "button": "left", "clickCount": 1, **event})


def tap(page, selector):
    x, y = at(page, selector)
    page.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    page.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def fits(page, what):
    """Nothing is wider than the window, and no element of an excerpt reaches out of it unless it scrolls."""
    page.wait("document.fonts.status === 'loaded'")
    wide = page.run("document.documentElement.scrollWidth - innerWidth")
    ensure(wide <= 0, f"{what}: {wide} px too wide")
    out = page.run(
        "all('.note > div, .note > div *, figcaption, figcaption *, .under, .line').filter((node) => {"
        " const { left, right, width } = node.getBoundingClientRect(), holders = [node.closest('.listing'), node.closest('.pair')];"
        " const scrolls = node.matches('.line') && holders.some((holder) => holder && getComputedStyle(holder).overflowX === 'auto');"
        " return width && !scrolls && (left < -1 || right > innerWidth + 1); })"
        ".map((node) => node.outerHTML.slice(0, 80)).join('\\n')"
    )
    ensure(not out, f"{what}: outside the window:\n{out}")


def level(page, site):
    """Notes stand at their lines, or directly below the note before."""
    visit(page, site.served(PAGE))
    for note in range(1, 4):
        top, row = page.run(f"[box('#E1-N{note} .ring').top, box('.marker[href=\"#E1-N{note}\"]').top]")
        above = page.run(f"box('#E1-N{note} .ring').top - box('#E1-N{max(note - 1, 1)} > div').bottom")
        ensure(abs(top - row) <= 1 or (note > 1 and abs(above) < 16), f"note {note} stands at {top}, its line at {row}")
    head, line = page.run("[box('#E1 > figcaption').height, box('#E1-L1').top - box('#E1').top]")
    ensure((head, line) == (HEAD, HEAD), f"the head is {head} high, the first line stands at {line}")
    heights = page.run("all('#E1 :is(.line, .omitted):not(.opened *)').map((node) => node.getBoundingClientRect().height).join()")
    ensure(set(heights.split(",")) == {str(ROW)}, f"every row is a line high: {heights}")
    grounds = page.run("new Set(all('#E1 .line:not(.opened *)').map((line) => getComputedStyle(line).backgroundColor)).size")
    ensure(grounds == 1, "code has one ground")
    rings = page.run("all('#E1-L16 .marker').map((node) => node.getBoundingClientRect().left)")
    ensure(rings[1] - rings[0] == 24, f"two rings on a line stand side by side: {rings}")
    ensure(page.run("all('#E1 .stem').length") == 3 and page.run("all('#E1 .stem.end').length") == 1, "a range has a foot")
    # Ten markers on a line of 5,000 characters stand at the right edge, over no code.
    right = page.run("box('#E4').right - box('#E4-L1 .markers').right")
    ensure(0 <= right <= 2, f"markers stay at the right edge, not {right} from it")
    page.run("$('#E4 .listing').scrollLeft = 1e6")
    covered = page.run(
        "(() => { const range = document.createRange(); range.selectNodeContents($('#E4-L1')); range.setStartAfter($('#E4-L1 .markers'));"
        " return range.getBoundingClientRect().right - box('#E4-L1 .markers').left; })()"
    )
    ensure(covered <= 1, f"{covered} px of a long line lie under its markers")
    # The code stays while notes that are longer scroll by.
    page.run("scrollTo(0, box('#E6').top + scrollY + 300)")
    ensure(abs(page.run("box('#E6').top") - 72) <= 1, "the code stays in view")


def joined(page, site):
    visit(page, site.served(PAGE))
    # A long range is lit from either end.
    mouse(page, '.marker[href="#E1-N1"]', click=False)
    ensure(page.run("names('.lens-near[id]')") == "E1-L2,E1-L3,E1-L4,E1-L5,E1-N1", page.run("names('.lens-near[id]')"))
    mouse(page, "#E1-N2 .of", click=False)
    ensure(page.run("names('.lens-near[id]')") == "E1-L6,E1-N2", page.run("names('.lens-near[id]')"))
    before = page.run("[box('#E1').top + scrollY, box('#E1-N3').top + scrollY].join()")
    mouse(page, '.marker[href="#E1-N2"]')
    ensure(page.run("names('.lens-on[id]')") == "E1-L6,E1-N2", "the lines of a note that is clicked are lit")
    ensure(page.run("location.hash") == "#E1-N2", "it is in the address")
    ensure(page.run("$('.bound.lens-on').textContent") == "total * 2", "its code is underlined")
    page.wait("all('.leader path').length === 1")
    mouse(page, "#E1-N3 .ring")
    page.wait("all('.leader').length === 1")
    ensure(page.run("names('.note.lens-on')") == "E1-N3", "one note is active")
    key(page, "Escape")
    ensure(page.run("!$('.lens-on, .leader') && location.hash === ''"), "Escape clears it")
    page.run("scrollTo(0, 0)")
    mouse(page, ".token", click=False)
    ensure(page.run("names('.note.lens-near')") == "E1-N1", "code in the prose joins its note")
    mouse(page, ".token")
    page.wait("names('.note.lens-on') === 'E1-N1'")
    moved = "[box('#E1').top + scrollY, box('#E1-N3').top + scrollY].join()"
    ensure(page.run(moved) == before, "nothing moves")


def keyboard(page, site):
    visit(page, site.served(PAGE))
    for wanted in ["E1-N1", "E1-N2", "E1-N3"]:
        key(page, "j")
        ensure(page.run("location.hash") == f"#{wanted}", page.run("location.hash"))
        ensure(page.run("document.activeElement.closest('.note').id") == wanted, "the focus goes with it")
    key(page, "k")
    ensure(page.run("names('.note.lens-on')") == "E1-N2", "k steps back")
    page.run("$('.marker[href=\"#E1-N4\"]').focus()")
    ensure(page.run("names('.note.lens-near')") == "E1-N4", "the focus lights the other end")
    key(page, "Enter")
    ensure(page.run("names('.note.lens-on')") == "E1-N4", "Enter chooses it")
    names = page.run("[$('.marker').getAttribute('aria-label'), $('.ring').getAttribute('aria-label')].join('|')")
    ensure(names == "1, note on line 2|1, Lines 2–5", names)
    visit(page, site.served(PAGE + "#E1-N3"))
    ensure(page.run("names('.note.lens-on')") == "E1-N3", "a note in the address")
    page.wait("all('.leader').length === 1")
    page.run("document.dispatchEvent(new CustomEvent('infralens:update')); 0")
    ensure(page.run("names('.note.lens-on')") == "E1-N3", "the page may change")


def lines(page, site):
    visit(page, site.served(PAGE))
    mouse(page, "#E1-L3", dx=20)
    ensure(page.run("location.hash") == "#E1-L3" and page.run("names('.lens-sel')") == "E1-L3", "a number is clicked")
    mouse(page, "#E1-L5", dx=20, shift=True)
    ensure(page.run("location.hash") == "#E1-L3-L5", page.run("location.hash"))
    ensure(page.run("names('.lens-sel')") == "E1-L3,E1-L4,E1-L5", page.run("names('.lens-sel')"))
    mouse(page, "#E1-L1", dx=20, shift=True)
    ensure(page.run("names('.lens-sel')") == "E1-L1,E1-L2,E1-L3", "a range may be drawn upwards")
    ensure(page.run("$('#E1 .picked').innerText.includes('Lines 1–3')"), "the head names it")
    visit(page, site.served(PAGE + "#E2-L80-L82"))
    ensure(page.run("names('.lens-sel')") == "E2-L80,E2-L81,E2-L82", "lines of no element's name")
    ensure(page.run("box('#E2-L80').top >= 0 && box('#E2-L80').bottom < innerHeight"), "they are opened and scrolled to")
    visit(page, site.served(STARTER + "#L3-L5"))
    ensure(page.run("names('.lens-sel')") == "L3,L4,L5", "the same on a starter's page")
    mouse(page, "#L9", dx=20)
    ensure(page.run("location.hash") == "#L9" and page.run("names('.lens-sel')") == "L9", "a line of a starter")
    key(page, "Escape")
    ensure(page.run("!$('.lens-sel') && $('.picked').hidden"), "Escape clears it")
    mouse(page, "#L9", dx=20)
    mouse(page, "#L9", dx=20)
    ensure(page.run("!$('.lens-sel') && location.hash === ''"), "so does a second click")
    ensure(page.run("all('.bound').length") > 3, "bound code is underlined there, too")
    visit(page, site.served(PAGE + "#E1-L999999999-L1"))
    ensure(page.run("all('.lens-sel').length") > 0 and not page.complaints, "any numbers will do")


def folds(page, site):
    visit(page, site.served(PAGE))
    ensure(page.run("box('#E2-L60').height") == ROW and page.run("!$('#E2-L61').checkVisibility()"), "lines with notes are shown")
    ensure(page.run("Math.abs(box('#E2 .unfold').top - box('#E2-L60').bottom)") <= 2, "and others take no room")
    ensure(page.run("all('#E2 ~ .notes > .note > div').every((note) => note.checkVisibility())"), "and all notes")
    ensure(page.run("$('#E2 .unfold').innerText") == "Show all 90 lines", page.run("$('#E2 .unfold').innerText"))
    page.run("$('#E2 .unfold').scrollIntoView({ block: 'center' })")
    page.click("#E2 .unfold")
    ensure(page.run("box('#E2-L90').height") == ROW and page.run("box('#E2 .unfold').height") == 0, "all are shown")
    visit(page, site.served(PAGE + "#E2-L80"))
    ensure(page.run("box('#E2-L90').height") == ROW, "a line in the folded part opens it")
    ensure(page.run("box('#E3-L60').height") == ROW and page.run("!$('#E3 .unfold')"), "what has notes to its end is not folded")


def copies(page, site):
    origin = site.served("").rstrip("/")
    page.browser.send("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": origin})
    visit(page, site.served(PAGE))
    page.send("Page.bringToFront")
    page.run("$('#E1 .copy').scrollIntoView({ block: 'center' })")
    page.click("#E1 .copy")
    page.wait("$('#E1 .copy').textContent === 'Copied'")
    wanted = "".join(CODE.splitlines(True)[:6] + CODE.splitlines(True)[14:])
    ensure(page.run("navigator.clipboard.readText()") == wanted, page.run("navigator.clipboard.readText()"))
    ensure(page.run("$('p[role=status]').textContent") == "Copied", "it is said")
    page.wait("$('#E1 .copy').textContent === 'Copy'")
    mouse(page, "#E1-L3", dx=20)
    page.click("#E1 .copy-link")
    page.wait("$('#E1 .copy-link').textContent === 'Copied'")
    ensure(page.run("navigator.clipboard.readText()") == site.served(PAGE + "#E1-L3"), "a link to the lines")
    visit(page, site.served(STARTER))
    page.click(".copy")
    page.wait("$('.copy').textContent === 'Copied'")
    ensure(page.run("navigator.clipboard.readText()") == CODE, "the whole file")


def narrow(page, site):
    page.size(320, 700)
    page.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        visit(page, site.served(PAGE))
        fits(page, "320 px")
        # What follows what, from top to bottom.
        order = page.run(
            "[...all('#E1 .line:not(.opened *)'), ...all('#E1 .omitted'), ...all('#E1 ~ .notes > li')]"
            ".sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((node) => node.id).join()"
        )
        wanted = "E1-L1,E1-L2,E1-L3,E1-L4,E1-L5,E1-N1,E1-L6,E1-N2,,E1-L15,E1-L16,E1-N3,E1-N4"
        ensure(order == wanted, order)
        sixty = page.run(
            "[...all('#E3 .line'), ...all('#E3 ~ .notes > li')]"
            ".sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((node) => node.id).join()"
        )
        wanted = ",".join(f"E3-L{number},E3-N{number}" for number in range(1, 61))
        ensure(sixty == wanted, f"sixty notes keep their order: {sixty}")
        ensure(page.run("all('#E1 .marker').every((node) => parseFloat(getComputedStyle(node, '::after').height) >= 24)"), "rings are 24 high")
        tap(page, '.marker[href="#E1-N2"]')
        page.wait("names('.note.lens-on') === 'E1-N2'")
        ensure(page.run("location.hash === '#E1-N2' && !$('.leader')"), "a tap chooses a note, and no leader is drawn")
        ensure(page.run("box('#E1-N2 > div').bottom <= innerHeight"), "the note is in view")
        visit(page, site.served(STARTER))
        fits(page, "a starter at 320 px")
    finally:
        page.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
        page.size(1440, 900)


def widths(page, site):
    for width in [390, 1023, 1024, 1200, 1440]:
        page.size(width, 900)
        for path in [PAGE, STARTER, "code/lab-01-x/wide.py.html", "code/lab-01-x/scripts.py.html"]:
            visit(page, site.served(path))
            fits(page, f"{path} at {width} px")
    page.size(1440, 900)


def still(page, site):
    """Nothing moves when scripts load: every box is where it is without them, folded lines apart."""
    places = "all('#E1 .line, #E1 .marker, #E1 ~ .notes .note > div').filter((node) => node.checkVisibility()).map((node) => { const { x, y } = node.getBoundingClientRect(); return [x, y + scrollY].join(); }).join(';')"
    for width in [1440, 390]:
        page.size(width, 900)
        visit(page, site.on_disk(PAGE))
        scripted = page.run(places)
        page.send("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            visit(page, site.on_disk(PAGE))
            ensure(page.run(places) == scripted, f"at {width} px every line and note is where it is with scripts")
            ensure(page.run("box('#E2-L90').height > 0 && box('#E2-N3 > div').height > 0"), "nothing is folded")
            ensure(page.run("all('.copy, .unfold, .keys, .picked').every((node) => !node.checkVisibility())"), "no dead button")
            visit(page, site.on_disk(PAGE + "#E1-N3"))
            ground = "getComputedStyle($('{0}')).backgroundColor"
            lit = "#E1-N3 > div" if width > 1023 else "#E1-N3"
            page.wait(f"{ground.format(lit)} !== {ground.format(lit.replace('N3', 'N2'))}")
        finally:
            page.send("Emulation.setScriptExecutionDisabled", {"value": False})
    page.size(1440, 900)


def disk(page, site):
    visit(page, site.on_disk(PAGE))
    mouse(page, '.marker[href="#E1-N1"]')
    ensure(page.run("location.hash === '#E1-N1' && names('.note.lens-on') === 'E1-N1'"), "from disk")
    mouse(page, "#E1-L3", dx=20)
    ensure(page.run("location.hash") == "#E1-L3", "lines, too")


def paper(page, site):
    visit(page, site.served(PAGE))
    page.media("print")
    try:
        ensure(page.run("box('#E2-L90').height > 0 && box('#E2-N3').height > 0"), "paper shows all")
        ensure(page.run("getComputedStyle($('#E1 ~ .notes')).columnCount") == "3", "notes are in three columns")
        short = "[...document.querySelectorAll('.pair > .excerpt:not(.whole)')].every((box) => (getComputedStyle(box).breakInside === 'avoid') === (box.querySelectorAll('.line').length < 8))"
        ensure(page.run(short), "listings of up to seven lines are not broken, and others may be")
        ensure(page.run("getComputedStyle($('#E2')).breakInside") == "auto", "unless it is long")
        ensure(page.run("all('.actions, .unfold, .keys').every((node) => !node.checkVisibility())"), "no buttons")
    finally:
        page.media("")


def sizes(page, site):
    """A file of 5,000 lines is laid out in a moment."""
    start = time.monotonic()
    visit(page, site.served("code/lab-01-x/huge.py.html"))
    mouse(page, "#L4000", dx=20)
    ensure(page.run("names('.lens-sel')") == "L4000" and page.run("box('#L4000').height") == ROW, "a line far down")
    ensure(time.monotonic() - start < 15, "in time")
    visit(page, site.served("code/lab-01-x/many.py.html"))
    ensure(page.run("all('.note').length") == 60, "sixty notes on a starter's page")
    labels = page.run("new Set(all('.from').map((link) => link.getAttribute('aria-label'))).size")
    ensure(labels == 60, f"links to labs can be told apart: {labels}")


def run(context):
    """Every check, on a course made for them. What fails is a `Failure`."""
    site = Site()
    try:
        page = context.browser.page(1440, 900)
        for check in [level, joined, keyboard, lines, folds, copies, narrow, widths, still, disk, paper, sizes]:
            try:
                check(page, site)
            except Failure as failure:
                raise Failure(f"{check.__name__}: {failure}") from failure
            ensure(not page.complaints, f"{check.__name__}: {page.complaints}")
    finally:
        site.end()
