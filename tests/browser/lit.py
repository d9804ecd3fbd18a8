"""What lights lines of an excerpt, in a real browser: bars, the second form of a comparison, and omitted lines that open in
place. Notes stay at their lines in each form, with and without scripts, and nothing that is only drawn is copied."""

import lens
from cdp import Failure
from morph import ensure

ROW, HEAD, SINCE = 24, 40, 32
CODE = """# ANCHOR: old
def old(n):
    total = 0
    start()
    for i in range(n):
        total += i
    log(total)
    return total
# ANCHOR_END: old


# ANCHOR: new
def new(n):
    total = 0
    start()
    for i in range(n, 0, -1):
        total += i
    return total
# ANCHOR_END: new


def parts(a, b):
    one(
        a)
    two(b)
    three(a)
    four(b)
    five(a)
    six(b)
    return seven(a)
"""
LAB = """---
title: Lit
focus: Light
reads: A file
outcome: See
handbook: [section]
starter: { file: a.py, type: Python, angle: Whole }
---
## Code

```python file=#old caption="Forward, with a caption that is much too long for one row beside the switch, and that is cut"
```

1. `old` — a note.

```python file=#new since=#old
```

1. `start()` — stays.
2. `range` — the other way.
3. `return` — at the end.

```python file=#L22-L24,L27-L27,L30 light="L23-L24, four" mark="seven"
```

1. `one(` — of two lines.
2. `four` — between two omissions.
3. `seven` — below both.

AFTER
"""
COURSE = {
    **{path: text for path, text in lens.COURSE.items() if not path.startswith(("code/", "content/tracks/t/labs/"))},
    "content/tracks/t/labs/lab-01-x.md": LAB.replace("AFTER", "\n\n".join(f"Paragraph {number}." for number in range(40))),
    "code/lab-01-x/a.py": CODE,
}
PAGE = "tracks/t/labs/lab-01-x.html"


def level(page, excerpt, notes, what):
    """Each note stands at its marker, or directly below the note before, while the code is not held in view."""
    page.run("scrollTo(0, 0)")
    for note in range(1, notes + 1):
        name = f"#{excerpt}-N{note}"
        top, row = page.run(f"[box('{name} .ring').top, box('.marker[href=\"{name}\"]').top]")
        above = page.run(f"box('{name} .ring').top - box('#{excerpt}-N{max(note - 1, 1)} > div').bottom")
        ensure(abs(top - row) <= 1 or (note > 1 and abs(above) < 16), f"{what}: note {note} stands at {top}, its line at {row}")


def rows(page, excerpt):
    """The rows that are seen: numbers of lines, those of old lines in brackets, and the words of other rows."""
    return page.run(
        f"all('#{excerpt} :is(.line, .old, .omitted)').filter((node) => node.checkVisibility()).map((node) =>"
        " node.matches('.old') ? `(${node.dataset.line})` : node.dataset.line ?? node.textContent.trim()).join(' ')"
    )


def compared(page, site):
    lens.visit(page, site.served(PAGE))
    said = page.run("$('#E2 .since > span').textContent")
    ensure(said.startswith("2 lines changed, 1 line gone since lines 2–8, Forward, with"), said)
    ensure(page.run("$('#E2 .since a').hash") == "#E1", "it leads to the other excerpt")
    ensure(page.run("[box('#E2 .since').height, box('#E2-L13').top - box('#E2').top].join()") == f"{SINCE},{HEAD + SINCE}", "two rows")
    ensure(rows(page, "E2") == "13 14 15 16 17 18", rows(page, "E2"))
    ensure(page.run("names('.lit')") == "E2-L13,E2-L16,E3-L23,E3-L24,E3-L27", page.run("names('.lit')"))
    level(page, "E2", 3, "all lines")
    before = page.run("box('#E2 .listing').height")
    page.click("#E2 .only")
    ensure(rows(page, "E2") == "(2) 13 14 15 (5) 16 17 (7) 18", rows(page, "E2"))
    ensure(page.run("box('#E2 .listing').height") == before + 3 * ROW, "old lines are rows like others")
    level(page, "E2", 3, "only changes")
    ensure(page.run("$('#E2-L16 u').textContent") == ", 0, -1", page.run("$('#E2-L16 u').textContent"))


def opened(page, site):
    lens.visit(page, site.served(PAGE))
    ensure(rows(page, "E3") == "22 23 24 ⋯ 2 lines 27 ⋯ 2 lines 30", rows(page, "E3"))
    level(page, "E3", 3, "closed")
    for number, wanted in [(1, "22 23 24 ⋯ 2 lines 25 26 27 ⋯ 2 lines 30"), (2, "22 23 24 ⋯ 2 lines 25 26 27 ⋯ 2 lines 28 29 30")]:
        page.run(f"all('#E3 .omitted > input')[{number - 1}].click()")
        ensure(rows(page, "E3") == wanted, rows(page, "E3"))
        level(page, "E3", 3, f"{number} open")
    page.run("all('#E3 .omitted > input')[0].click()")
    level(page, "E3", 3, "the second is open")
    heights = page.run("all('#E3 :is(.line, .omitted)').map((node) => node.getBoundingClientRect().height).filter(Boolean).join()")
    ensure(set(heights.split(",")) == {str(ROW)}, heights)
    # The address of an omitted line opens it.
    lens.visit(page, site.served(PAGE + "#E3-L26"))
    ensure(rows(page, "E3") == "22 23 24 ⋯ 2 lines 25 26 27 ⋯ 2 lines 30", rows(page, "E3"))
    level(page, "E3", 3, "opened by the address")
    lens.visit(page, site.served(PAGE + "#E3-L25-L28"))
    ensure("26 27 ⋯ 2 lines 28 29 30" in rows(page, "E3"), rows(page, "E3"))


def plain(page, site):
    """Without scripts the same."""
    page.scripts(False)
    try:
        lens.visit(page, site.served(PAGE + "#E3-L26"))
        level(page, "E3", 3, "opened by the address")
        page.click("#E2 .only")
        ensure(rows(page, "E2") == "(2) 13 14 15 (5) 16 17 (7) 18", rows(page, "E2"))
        level(page, "E2", 3, "only changes")
    finally:
        page.scripts(True)


def copies(page, site):
    origin = site.served("").rstrip("/")
    page.browser.send("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": origin})
    lens.visit(page, site.served(PAGE))
    page.send("Page.bringToFront")
    lines = CODE.splitlines(True)
    for excerpt, click, wanted in [("E2", ".only", lines[12:18]), ("E3", None, lines[21:24] + lines[26:27] + lines[29:30]),
                                   ("E3", ".omitted > input", lines[21:27] + lines[29:30])]:
        if click:
            page.run(f"$('#{excerpt} {click}').click()")
        page.run(f"$('#{excerpt} .copy').scrollIntoView({{ block: 'center' }})")
        page.click(f"#{excerpt} .copy")
        page.wait(f"$('#{excerpt} .copy').textContent === 'Copied'")
        copied = page.run("navigator.clipboard.readText()")
        ensure(copied == "".join(wanted), f"{excerpt}: {copied}")
        page.wait(f"$('#{excerpt} .copy').textContent === 'Copy'")


def narrow(page, site):
    for width in (1024, 390, 320):
        page.size(width, 800)
        lens.visit(page, site.served(PAGE))
        page.click("#E2 .only")
        page.run("all('.omitted > input').forEach((input) => input.click())")
        lens.fits(page, f"{width} px")
    page.size(1440, 900)


def paper(page, site):
    lens.visit(page, site.served(PAGE))
    page.click("#E2 .only")
    page.media("print")
    try:
        ensure(rows(page, "E2") == "13 14 15 16 17 18", f"paper has the whole excerpt: {rows(page, 'E2')}")
        ensure(page.run("getComputedStyle($('#E2-L13')).borderLeftWidth") != "0px", "and bars")
        ensure(not page.run("$('#E2 .since > label').checkVisibility()"), "but no switch")
    finally:
        page.media("")


def run(context):
    """Every check, on a course made for them. What fails is a `Failure`."""
    site = lens.Site(COURSE)
    try:
        page = context.browser.page(1440, 900)
        for check in [compared, opened, plain, copies, narrow, paper]:
            try:
                check(page, site)
            except Failure as failure:
                raise Failure(f"{check.__name__}: {failure}") from failure
            ensure(not page.complaints, f"{check.__name__}: {page.complaints}")
        for dark in (False, True):
            page.media(dark=dark)
            lens.visit(page, site.served(PAGE))
            page.click("#E2 .only")
            page.run("$('#E3 .omitted > input').click()")
            context.axe(page, f"{PAGE}, {'dark' if dark else 'light'}")
    finally:
        site.end()
