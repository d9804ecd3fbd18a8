"""Markdown starters: rows and their source lead to each other, notes are beside rows, tables are tables on a phone, too, the
copy is the file, and a form fits on few sheets."""

import pdf

WIDE, SMALL, PHONE, NARROW = (1440, 900), (1024, 800), (390, 844), (320, 700)
PLAN = "code/lab-12-64gpu-design/topology_design_worksheet.md"
FORM = "code/reports/parallelism-worksheet.md"
FORMS = [FORM, "code/reports/profiling-notes.md", "code/reports/serving-benchmark.md"]
# The sheets of A4 that a form takes at most.
SHEETS = 2
SHOWN = "document.querySelector('{}').getClientRects().length > 0"


def run(context):
    for name, check in [("pairs", pairs), ("notes", notes), ("phone", phone), ("copied", copied), ("keyboard", keyboard),
                        ("unscripted", unscripted), ("forms", forms), ("paper", paper)]:
        with context.part(name), context.page(*WIDE) as page:
            check(context, page, context.own)


def top(page, selector):
    return page.run(f"document.querySelector('{selector}').getBoundingClientRect().top")


def pairs(context, page, site):
    """The number of a row leads to its source, which is level with it, and back; the switch shows the one or the other."""
    for size in [WIDE, SMALL]:
        page.size(*size)
        page.open(site.http(f"{PLAN}.html"))
        context.check(page.run(SHOWN.format(".notes")) and not page.run(SHOWN.format(".origin")), "a plan does not begin with its notes")
        page.click("#L56 .no")
        context.equal(page.run("location.hash"), "#S56", "a number leads to the source")
        context.check(page.run(SHOWN.format("#S56")) and not page.run(SHOWN.format(".notes")), "the source is not shown")
        for first, source in [("#L6", "#S6"), ("#L15", "#S15"), ("#L52", "#S52"), ("#L87", "#S87")]:
            context.check(abs(top(page, first) - top(page, source)) < 12, f"{first} and {source} are not level at {size[0]} px")
        page.wait("document.querySelectorAll('.lens-sel').length === 2")
        context.equal(page.run("[...document.querySelectorAll('.lens-sel')].map(({ id }) => id).join()"), "L56,S56", "both are marked")
        page.click("#S56 .no")
        context.equal(page.run("location.hash"), "#L56", "and back")
        context.check(page.run(SHOWN.format(".notes")), "the notes are not shown again")
        page.click("#L56 .no")
        page.click(".show-notes")
        context.check(page.run(SHOWN.format(".notes")), "the switch does not show the notes")
        page.click(".show-source")
        context.check(page.run(SHOWN.format(".origin")), "the switch does not show the source")
        context.measure(page, "layout()", f"at {size[0]} px")
        context.axe(page, f"the source at {size[0]} px")
    page.open(site.http(f"{FORM}.html"))
    page.open(site.http(f"{PLAN}.html#L56"))
    page.click("#L59 .no", shift=True)
    context.equal(page.run("location.hash"), "#L56-L59", "with Shift, a range is in the address")
    context.equal(page.run("[...document.querySelectorAll('.row.lens-sel')].length"), 4, "and marked")
    context.quiet(page, site)


def notes(context, page, site):
    """A note is beside its block, and is joined with its row."""
    page.open(site.http(f"{PLAN}.html"))
    blocks = page.run("[...document.querySelectorAll('.block:has(.note)')].map((block) => [...block.querySelectorAll('.note > div')].map("
                      "(note) => note.getBoundingClientRect().top - block.getBoundingClientRect().top))")
    context.check(len(blocks) > 2 and all(offset > -8 for block in blocks for offset in block), f"notes are above their blocks: {blocks}")
    page.click("#L56 .marker")
    context.equal(page.run("location.hash"), "#N6", "a ring leads to its note")
    context.check(page.run("document.querySelector('#L56').matches('.lens-on') && document.querySelector('#N6').matches('.lens-on')"), "both are lit")
    context.equal(page.run("document.querySelector('.bound.lens-on').textContent"), "1.1", "and what the note is about")
    page.press("j")
    context.equal(page.run("location.hash"), "#N7", "j goes on")
    for dark in [False, True]:
        page.media(dark=dark)
        page.open(site.http(f"{PLAN}.html"))
        context.axe(page, f"a plan, dark: {dark}")
    page.media(forced=True)
    context.axe(page, "a plan in forced colors", off=["color-contrast"])


def phone(context, page, site):
    """Tables are tables, and no page is scrolled sideways; the numbers of code lead to their source and back."""
    for size in [PHONE, NARROW]:
        page.size(*size)
        for path in [PLAN, *FORMS]:
            page.open(site.http(f"{path}.html"))
            context.equal(page.run("document.documentElement.scrollWidth"), size[0], f"{path} at {size[0]} px")
            layouts = page.run("[...document.querySelectorAll('.typeset tr')].map((row) => getComputedStyle(row).display)")
            context.check(layouts and set(layouts) == {"table-row"}, f"rows are {set(layouts)}", path)
            context.measure(page, "layout()", f"{path} at {size[0]} px")
    page.size(*PHONE)
    page.open(site.http(f"{PLAN}.html"))
    wide = page.run("[...document.querySelectorAll('.fits')].filter((box) => box.scrollWidth > box.clientWidth + 1).length")
    # One has nine columns, and scrolls in its box.
    context.check(wide <= 1, f"{wide} tables of a plan do not fit a phone")
    order = page.run("[...document.querySelectorAll('#L25, #N1, #L26')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(({ id }) => id).join()")
    context.equal(order, "L25,N1,L26", "a note is below its line of code")
    page.click("#L25 .no")
    context.equal(page.run("location.hash"), "#S25", "a number leads to the source")
    context.check(page.run(SHOWN.format("#S25")), "the source is not shown")
    page.click("#S25 .no")
    context.equal(page.run("location.hash"), "#L25", "and back")
    page.run("scrollTo(0, 0)")
    context.axe(page, "a plan on a phone")
    context.quiet(page, site)


def copied(context, page, site):
    """What is copied is the file, byte for byte."""
    page.open(site.http(f"{PLAN}.html"))
    page.run("navigator.clipboard.writeText = async (text) => { window.copiedText = text; }; 0")
    page.click(".typeset .copy")
    page.wait("window.copiedText")
    context.equal(page.run("window.copiedText"), (site.folder / PLAN).read_bytes().decode(), "the copy")
    context.equal(page.run("new URL(document.querySelector('.actions a[download]').href).pathname.split('/').pop()"), PLAN.split("/")[-1], "the download")
    page.run("window.print = () => { window.printed = true; }; 0")
    page.click(".typeset .print")
    context.check(page.run("window.printed"), "Print does not print")


def keyboard(context, page, site):
    """One number of each block is reached, and the switch obeys the arrow keys."""
    page.open(site.http(f"{PLAN}.html"))
    numbers = page.run("[[...document.querySelectorAll('.set .no')].filter(({ tabIndex }) => tabIndex === 0).length, document.querySelectorAll('.block').length]")
    context.equal(numbers[0], numbers[1], "numbers that Tab reaches")
    page.run("document.querySelector('.show-notes').focus()")
    page.press("ArrowRight")
    context.check(page.run(SHOWN.format(".origin")), "an arrow key does not show the source")


def unscripted(context, page, site):
    """The switch, the numbers and the places in the address need no script."""
    page.scripts(False)
    page.open(site.http(f"{PLAN}.html"))
    page.click(".show-source")
    context.check(page.run(SHOWN.format(".origin")), "the switch needs a script")
    context.check(not page.run(SHOWN.format(".typeset .copy")) and not page.run(SHOWN.format(".typeset .print")), "buttons that do nothing are shown")
    page.open(site.http(f"{FORM}.html"))
    context.check(page.run(SHOWN.format(".origin")), "a form does not begin with its source")
    page.open(site.http(f"{PLAN}.html#S56"))
    context.check(page.run(SHOWN.format("#S56")), "a line of the source in the address is not shown")
    page.scripts(True)


def forms(context, page, site):
    """A form is explained nowhere, begins with its source, and has places to write on."""
    for path in FORMS:
        page.open(site.http(f"{path}.html"))
        context.check(page.run("!document.querySelector('.head').textContent.includes('Explained in')"), "a form is explained by a page that links to it", path)
        context.check(page.run("document.querySelectorAll('.field').length > 4 && document.querySelectorAll('.blank').length > 2"), "a form has nowhere to write", path)
        context.check(page.run("[...document.querySelectorAll('.blank, .field')].every((place) => place.getBoundingClientRect().height >= 20)"), "a place to write on is too low", path)
        context.axe(page, path)
        page.click(".show-nothing")
        context.check(not page.run(SHOWN.format(".origin")), "the source is shown beside nothing", path)


def paper(context, page, site):
    """A form takes few sheets, without the frame of the site and without its source."""
    for path in FORMS:
        found = pdf.printed(page, site.http(f"{path}.html"))
        context.check(len(found.sheets) <= SHEETS, f"{path} takes {len(found.sheets)} sheets")
    page.media("print")
    for path in [PLAN, *FORMS]:
        page.open(site.http(f"{path}.html"))
        seen = [selector for selector in [".origin", ".no", ".typeset > .bar", ".top", ".foot"] if page.run(SHOWN.format(selector))]
        context.check(not seen, f"paper shows {seen}", path)
    page.media()
