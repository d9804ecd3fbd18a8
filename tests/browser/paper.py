"""Sites on paper: how many sheets a track takes, how full these are, what is over and below each, and that tables stay
tables. `pdf.py` prints and reads the sheets."""

import pdf

TRACK = "tracks/ai-infra/print.html"
SMALL = "tracks/diffuser/print.html"
# A track of twelve labs took 208 sheets before paper had a layout of its own.
MOST = 160
# The edge of the text in points, and how much of a sheet that a chapter goes on from is full at least.
TOP, BOTTOM = 64, 796
FULL = 0.5
# A4 without its margins, at 96 pixels an inch.
TEXT = (673, 1010)


# The lab with the most figures and calculators, and the sheets that it may take.
LAB, LAB_MOST = "tracks/ai-infra/labs/lab-01-transformer-memory.html", 10


def lab(context, page):
    """A lab is short on paper: it has no buttons, its calculators are results, and its figures a line each."""
    count = len(pdf.printed(page, context.own.http(LAB)).sheets)
    context.check(count <= LAB_MOST, f"{LAB} takes {count} sheets, more than {LAB_MOST}")
    page.media("print")
    for path in context.sample(context.own, "lab", "section", "practice"):
        page.open(context.own.http(path))
        shown = "document.querySelectorAll('body *')].filter((node) => node.matches('button, .button, input[type=button], .aside, .settings, .calc .formula') && node.checkVisibility())"
        context.equal(page.run(f"[...{shown}.map((node) => node.className || node.localName)"), [], f"{path}: buttons on paper")


def run(context):
    with context.part("lab"), context.page() as page:
        lab(context, page)
    with context.part("sheets"), context.page() as page:
        sheets(context, page, pdf.printed(page, context.own.http(TRACK)))
    with context.part("contents"), context.page() as page:
        contents(context, page)
    with context.part("tables"), context.page(*TEXT) as page:
        tables(context, page)


def sheets(context, page, found):
    """Few, full, and each with a head and its number."""
    count = len(found.sheets)
    print(f"          {TRACK}: {count} sheets", flush=True)
    context.check(count < MOST, f"{TRACK} takes {count} sheets, not fewer than {MOST}")
    ids = page.run("[...document.querySelectorAll('.volume a')].map(({ hash }) => decodeURIComponent(hash.slice(1)))")
    starts = [found.first(place) for place in ids]
    context.check(starts == sorted(starts) and None not in starts, f"chapters begin on {starts}")
    ends = {start - 1 for start in starts} | {count}
    for sheet in range(1, count + 1):
        texts = found.texts(sheet)
        body = [text for text in texts if text < BOTTOM]
        full = (max(body, default=0) - TOP) / (BOTTOM - TOP)
        context.check(sheet in ends or full > FULL, f"only {full:.0%} of a sheet is full before a chapter's end", f"sheet {sheet}")
        context.check(any(text >= BOTTOM for text in texts), "a sheet has no number", f"sheet {sheet}")
        context.check(sheet == 1 or texts[0] < TOP, "a sheet has no head", f"sheet {sheet}")


def contents(context, page):
    """The contents say on which sheet each chapter begins, and are right about it."""
    found, named = pdf.numbered(page, context.own.http(SMALL))
    context.check(len(named) > 1, f"the contents name {named}")
    for place, sheet in named.items():
        context.equal(found.first(place), sheet, f"{place} begins on the sheet that the contents say")
    context.equal(page.run("[...document.querySelectorAll('.volume a')].map((a) => a.dataset.page).join()"),
                  ",".join(map(str, named.values())), "the contents show the numbers")
    numbers = page.run("[...document.querySelectorAll('.volume a')].filter((a) => /^#Section/.test(a.hash) && !/^§\\d/.test(a.textContent)).map((a) => a.textContent)")
    context.equal(numbers, [], "sections without their number in the contents")
    page.open(context.own.http(SMALL + "?pages=1,<b>,-3"))
    context.equal(page.run("[...document.querySelectorAll('.volume a')].map((a) => a.dataset.page ?? '').join()"), "1,", "what is not a number is left out")


def tables(context, page):
    """No table becomes cards, none is wider than the sheet, no word of a curriculum is broken, and paper is light."""
    page.media("print")
    for path in [TRACK, "tracks/ai-infra/index.html", "tracks/ai-infra/labs/index.html"]:
        page.open(context.own.http(path))
        cells = "[...document.querySelectorAll('main :is(.table, .labs) td')]"
        context.equal(page.run(f"{cells}.filter((cell) => getComputedStyle(cell).display !== 'table-cell').length"), 0, f"{path}: cells that are none")
        context.equal(page.run(f"[...document.querySelectorAll('main table')].filter((table) => table.offsetWidth > {TEXT[0]}).length"), 0, f"{path}: tables wider than the sheet")
        context.measure(page, "broken('.labs :is(td, th)')", path)
        page.run("document.documentElement.dataset.theme = 'dark'")
        context.check("light" in page.run("getComputedStyle(document.documentElement).colorScheme"), f"{path}: paper is dark")
