"""Finding one's way and recalling what was read: the course column, the next step, the end of a lab, the end of a page, the
top bar, lines and notes by keyboard; questions in place; progress that survives two tabs, moved pages and other browsers;
terms at their first use."""

import json
import re
import tempfile
from pathlib import Path

import course
from context import Site
from practice import FULL, LAB, PRACTICE, SECTION, STATE, TRACK, before, chosen, ended, read_all, shown, text

LATE = TRACK + "labs/lab-09-nsight-profiling.html"
HEADS = "[...document.querySelectorAll('main h2[id]')]"
# The tab stops of the page's main part: in what they are, how many.
STOPS = """(() => {
  const stops = [...document.querySelectorAll('main :is(a[href], button, summary, [tabindex])')].filter((node) =>
    node.tabIndex >= 0 && !node.closest('.calc, a.value') && node.checkVisibility({ visibilityProperty: true }));
  const notes = [...document.querySelectorAll('.note')].map((note) => stops.filter((stop) => note.contains(stop)).length);
  const listings = [...document.querySelectorAll('.listing')].map((pre) => stops.filter((stop) => pre.contains(stop)).length);
  return { all: stops.length, notes, listings };
})()"""


def column(context, page, site):
    """The column shows the page, the section that is being read, and how much of the track is read."""
    for path in [LAB, LATE, TRACK + "labs/lab-12-64gpu-design.html"]:
        page.open(site.http(path))
        current = "document.querySelector('.course [aria-current=page]').getBoundingClientRect()"
        box = "document.querySelector('.course').getBoundingClientRect()"
        context.check(page.run(f"{current}.top >= {box}.top && {current}.bottom <= innerHeight"), "the column shows the current page", path)
    context.equal(page.run("scrollY"), 0, "only the column scrolls")
    for number in (1, 3, 5):
        page.run(f"{HEADS}[{number}].scrollIntoView({{ behavior: 'instant' }})")
        page.wait(f"document.querySelector('.contents [aria-current=location]')?.hash === '#' + {HEADS}[{number}].id")
        seen = "document.querySelector('.contents [aria-current]').getBoundingClientRect()"
        context.check(page.run(f"{seen}.bottom <= innerHeight && {seen}.top >= 0"), "the section that is read is in view in the column")
    context.check(text(page, ".so-far").startswith("Labs read: 0 of 12"), "the column says how much is read")
    page.click(".mark")
    context.check(text(page, ".so-far").startswith("Labs read: 1 of 12"), "and keeps in step")
    context.equal(page.run("document.querySelectorAll('.course ol > li > a.read').length"), 1, "what is read has its mark")
    context.equal(page.run("document.querySelector('.so-far progress').value"), 1, "and the bar shows it")
    context.quiet(page, site)


def bounded(context, page, site):
    """The column of a long track lists what is near, always with the current page, and leads to the rest."""
    for number in (1, 20, 250, 500):
        page.open(site.http(f"tracks/many/labs/lab-{number:03}-number.html"))
        entries = page.run("document.querySelectorAll('.course ol > li').length")
        context.check(20 < entries <= 40, f"the column of lab {number} of 500 has {entries} entries")
        current = "document.querySelector('.course [aria-current=page]')"
        context.check(page.run(f"{current}.href === location.href && {current}.getBoundingClientRect().bottom < innerHeight"), f"lab {number} is shown")
    context.check(page.run("[...document.querySelectorAll('.course .plain a')].some((a) => / earlier pages$/.test(a.textContent))"), "it leads to what is before")
    size = (site.folder / "tracks/many/labs/lab-250-number.html").stat().st_size
    context.check(size < 25_000, f"a small lab of a long track has {size:,} bytes")
    page.open(site.http("tracks/many/labs/lab-250-number.html"))
    page.run("performance.now = () => 1e9")
    page.click(".steps .next")
    page.wait("document.documentElement.dataset.page.includes('lab-251') && document.querySelector('.so-far.ready')")
    context.check(text(page, ".so-far").startswith("Labs read: 1 of 500"), "progress counts all of the track")
    page.open(site.http("tracks/many/index.html"))
    context.check("Lab 251" in text(page, ".next-for-you .left"), "and the next step is far along")


def everywhere(context, page, site):
    """Every page leads to every part of the site, and says so."""
    wanted = ["index.html", "guide/index.html", "about.html", "glossary.html", "references.html", "progress.html", PRACTICE, TRACK + "labs/index.html"]
    wanted += [path for path in ("calculators.html",) if path in site.pages]
    for path in ["index.html", LAB, SECTION, PRACTICE, "guide/pins.html", "code/lab-04-cuda-reduce/reduce.cu.html", "glossary.html"]:
        page.open(site.http(path))
        found = page.run("[...document.querySelectorAll('.foot a')].map((a) => a.href)")
        for target in wanted:
            context.check(site.http(target) in found, f"{target} is reached from the end of the page", path)
        context.equal(text(page, ".foot nav p"), "On this site", "the list says what it is")


def steps(context, site):
    """Home, track, practice and the end of a lab name one next step."""
    with context.page() as page:
        def named():
            found = {}
            for path, selector in [("index.html", ".continue .left"), (TRACK + "index.html", ".next-for-you .left"), (PRACTICE, ".next-for-you .left")]:
                page.open(site.http(path))
                page.wait("document.querySelector('.continue.ready, .next-for-you.ready')")
                found[path] = text(page, selector)
            context.equal(len(set(found.values())), 1, f"one next step, not {found}")
            return found[PRACTICE]

        context.check(named().startswith("A transformer block in shapes"), "a new reader begins with the first section")
        page.open(site.http(SECTION))
        context.check(text(page, ".steps .next").startswith("Next · 80 min Lab 01: Transformer Memory Accounting"), "a section ends with number, title and minutes of the next page")
        page.click(".mark")
        context.equal(named(), "Lab 01: Transformer Memory Accounting · 80 min", "after a section its lab")
        page.open(site.http(LAB + "#E1-N2"))
        page.run("dispatchEvent(new Event('pagehide'))")
        context.check("at note 2 of" in named(), "who left off in the middle goes on there")
        page.open(site.http(LATE))
        page.wait("document.querySelector('.mark').checkVisibility()")
        page.click(".mark")
        after = named()
        context.check(after.startswith("§10 "), f"reading goes on after the page that was read last, not with {after}")
        page.open(site.http(TRACK + "handbook/ask-the-right-profiler.html" if TRACK + "handbook/ask-the-right-profiler.html" in site.pages else SECTION))
        page.run("infralens.store.change((state) => { for (const [url] of infralens.orders['ai-infra'].slice(0, 8)) state.read[url] ??= '2026-01-01T00:00:00'; })")
        page.open(site.http(LAB))
        context.check(text(page, ".steps .next b").startswith("§4 ") or "04" in text(page, ".steps .next b"), f"what has been read is not next: {text(page, '.steps .next')}")
        read_all(page)
        page.open(site.http("index.html"))
        page.wait("document.querySelector('.continue.ready') && document.querySelector('.continue .button').href.includes('practice')")
        context.check("read all of it" in text(page, ".continue .left"), "when all is read, practice is next")
        context.quiet(page, site)


def lab_end(context, page, site):
    """A lab ends with its questions, which are taken in place, then with the next step."""
    page.media(still=True)
    page.open(site.http(LAB))
    count = page.run("document.querySelectorAll('.questions > .question, .spoken').length")
    context.equal(text(page, ".take"), f"Answer {count} questions, about {-(-count // 2)} min", "the questions come first, and say what to do, with their number and time")
    filled = ("[...document.querySelectorAll('.take, .done button, .steps a')].filter((node) => node.checkVisibility()"
              " && getComputedStyle(node).backgroundColor === getComputedStyle(document.querySelector('.skip')).backgroundColor).map((node) => node.className).join()")
    context.equal(page.run(filled), "button take", "one step is the next one: the questions")
    page.click(".mark")
    context.equal(page.run(filled), "next", "and once the page is read, the next page")
    page.click(".mark")
    page.open(site.http(SECTION))
    context.equal(page.run(filled), "next", "a section without questions has the next page")
    page.open(site.http(LAB))
    order = page.run("document.querySelector('.take').compareDocumentPosition(document.querySelector('.steps .next')) & 4")
    context.equal(order, 4, "then comes the next page")
    page.click(".take")
    page.wait("document.querySelector('main > .session.ready')")
    context.equal(text(page, ".at"), f"Card 1 of {count}: {count} new", "all of its questions are asked")
    context.check(page.run("location.pathname").endswith(LAB), "in place")
    asked = []
    page.press("3")
    context.equal(text(page, ".at"), f"Card 1 of {count}: {count} new", "no grade before the answer")
    context.axe(page, "with questions at the end, ")
    page.run("document.querySelector('.asked').focus()")
    for _ in range(count):
        asked.append(text(page, ".asked"))
        if len(asked) == count:
            context.check(asked[-1].startswith("How do you tell whether a model fits a GPU?"), f"the last card is the spoken one: {asked[-1]}")
        page.press(" ")
        context.check(shown(page, ".session .back") and len(text(page, ".session .back")) > 20, "the answer is shown")
        page.press("3")
    context.equal(len(set(asked)), count, "each is asked once")
    ended(context, page, "Done for today", "the end")
    context.check("Lab 02" in text(page, ".asked") or "§2" in text(page, ".asked"), f"which names what is next: {text(page, '.asked')}")
    context.check(page.run(f"{LAB!r} in {STATE}.read"), "who has answered everything has read the lab")
    context.check(page.run("[...document.querySelectorAll('.question summary')].every((node) => node.textContent.trim())"), "the questions are still in their place")
    context.axe(page, "with questions answered, ")
    page.open(site.http(PRACTICE))
    context.equal(page.run("document.querySelectorAll('.coming td')[5].textContent"), str(page.run("document.querySelectorAll('.cards [data-card]').length") - count), "the practice page knows them")
    cells = page.run("[...document.querySelectorAll('.coming td')].map((cell) => Number(cell.textContent))")
    context.equal(sum(cells), page.run("document.querySelectorAll('.cards [data-card]').length"), "the table counts each card once")
    context.check("Done for today" in text(page, ".asked") and ("§2" in text(page, ".asked") or "Lab 02" in text(page, ".asked")), "what is done for today names the next page")
    context.quiet(page, site)


def phone(context, page, site):
    """On a phone the answer's button is above the fold, in practice and before its introduction. At the end of a lab each
    card comes into view with its place in the session, and an answer with its grades, if it fits."""
    page.size(390, 844)
    page.touch()
    page.open(site.http(LAB))
    page.click(".take")
    page.wait("document.querySelector('main > .session.ready')")
    seen = ("((from, to) => { const [top, bottom] = [from, to].map((part) => document.querySelector(`.session ${part}`).getBoundingClientRect());"
            " return bottom.bottom - top.top > innerHeight - 90 || (top.top >= 52 && bottom.bottom <= innerHeight); })")
    for grade in (3, 4, 3, 1):
        context.check(page.run(f"{seen}('.turn', '.reveal')"), f"{text(page, '.at')} is in view")
        page.run("document.querySelector('.session .reveal').click()")
        context.check(page.run(f"{seen}('.turn', '.grades')"), f"{text(page, '.at')} is in view with its answer and grades")
        page.run(f"document.querySelector('.session .grades [value=\"{grade}\"]').click()")
    context.check(not page.run("[...document.querySelectorAll('.session kbd')].some((node) => node.checkVisibility())"), "no keys are named where there are none")
    page.touch(False)
    page.open(site.http(LAB))
    page.click(".mark")
    for size in [(390, 844), (360, 640)]:
        page.size(*size)
        page.open(site.http(PRACTICE))
        context.check(page.run("document.querySelector('.reveal').getBoundingClientRect().bottom <= innerHeight && scrollY === 0"), f"the answer's button is in view at {size}")
    context.check(page.run("document.querySelector('.session').compareDocumentPosition(document.querySelector('.lead')) & 4"), "the card comes before the introduction")


def bar(context, page, site):
    """The top bar neither breaks the name nor cuts off a track."""
    for width in [480, 520, 560, 600, 640, 700, 767, 768, 800, 895, 1024]:
        page.size(width, 480)
        page.open(site.http(LAB))
        context.check(page.run("document.querySelector('.brand span').getBoundingClientRect().height <= 25"), f"the name is on one line at {width}")
        cut = "document.querySelector('.top nav').scrollWidth > document.querySelector('.top nav').clientWidth + 1"
        context.check(not page.run(cut), f"no track is cut off at {width}")
        wide = page.run("document.documentElement.scrollWidth > innerWidth")
        context.check(not wide, f"nothing is too wide at {width}")


def stops(context, page, site):
    """A note is one tab stop, a listing one, in which arrow keys go from line to line."""
    for path in context.sample(site, "lab"):
        page.open(site.http(path))
        found = page.run(STOPS)
        # A note of a folded excerpt is not shown.
        context.check(set(found["notes"]) <= {0, 1}, f"notes have {sorted(set(found['notes']))} tab stops", path)
        context.check(all(count <= 1 + 3 for count in found["listings"]), f"listings have {found['listings']} tab stops", path)
        context.check(found["all"] <= 140, f"a lab has {found['all']} tab stops", path)
    page.open(site.http(LAB))
    page.run("document.querySelector('#E1 .actions button').focus(); document.querySelector('#E1').scrollIntoView()")
    for _ in range(6):
        page.press("Tab")
        if page.run("document.activeElement.matches('.listing')"):
            break
    first = page.run("document.querySelector('#E1 .line').dataset.line")
    page.press("ArrowDown")
    context.equal(page.run("location.hash"), f"#E1-L{first}", "the first line")
    page.press("ArrowDown")
    page.press("ArrowDown", shift=True)
    context.equal(page.run("location.hash"), f"#E1-L{int(first) + 1}-L{int(first) + 2}", "with Shift the selection grows")
    page.press("ArrowUp")
    context.equal(page.run("location.hash"), f"#E1-L{int(first) + 1}", "and upwards")
    line = page.run("document.querySelector('#E1 .line:has(.marker)').dataset.line")
    for _ in range(60):
        if page.run("location.hash") == f"#E1-L{line}":
            break
        page.press("ArrowDown")
    page.press("Enter")
    context.check(page.run("document.activeElement.matches('.note .ring') && /-N\\d+$/.test(location.hash)"), "Enter leads to the line's note")
    inside = page.run("document.activeElement.closest('.note').querySelectorAll('a:not(.ring)').length")
    page.press("Tab")
    context.check(not inside or page.run("document.activeElement.closest('.note.lens-on') !== null"), "whose links follow")
    cursor = "getComputedStyle(document.querySelector('#E1 .line'), '::before').cursor"
    context.equal(page.run(cursor), "pointer", "line numbers are links to the eye")
    page.hover("#E1 .line")
    context.check("underline" in page.run("getComputedStyle(document.querySelector('#E1 .line'), '::before').textDecorationLine"), "under the pointer they are underlined")


def hidden_notes(context, page, site):
    """A switch hides the notes of an excerpt; one that is chosen is shown."""
    page.open(site.http(LAB))
    seen = "[...document.querySelectorAll('#E1 ~ .notes .note > div')].filter((node) => node.checkVisibility({ visibilityProperty: true })).length"
    notes, height = page.run(seen), "document.querySelector('#E1').parentNode.getBoundingClientRect().height"
    was = page.run(height)
    page.click("#E1 .hide-notes")
    context.equal((page.run(seen), page.run(height), text(page, "#E1 .hide-notes")), (0, was, "Show notes"), "notes are hidden, and nothing moves")
    rings = "[...document.querySelectorAll('#E1 ~ .notes .ring')].filter((node) => node.checkVisibility({ visibilityProperty: true })).length"
    context.equal(page.run(rings), 0, "no number stands without its note")
    page.click("#E1 .marker")
    context.equal(page.run(seen), 1, "a note that is chosen is shown")
    page.click("#E1 .hide-notes")
    context.equal((page.run(seen), text(page, "#E1 .hide-notes")), (notes, "Hide notes"), "all are shown again")
    context.axe(page, "with notes hidden, ")
    page.size(390, 844)
    page.open(site.http(LAB))
    page.click("#E1 .hide-notes")
    rooms = page.run("[...document.querySelectorAll('#E1 ~ .notes .note')].map((node) => node.getBoundingClientRect().height)")
    context.check(max(rooms) <= 42, f"on a phone a hidden note takes {max(rooms)} px")
    page.tap("#E1 ~ .notes .ring")
    context.equal(page.run(seen), 1, "a note is opened by its number")


def tabs(context, site):
    """Two tabs, and two browsers that exchange their progress."""
    with context.page() as one, context.page(beside=one) as other, tempfile.TemporaryDirectory() as folder:
        one.open(site.http(LAB))
        other.open(site.http(LATE))
        one.click(".mark")
        other.click(".mark")
        context.equal(sorted(other.run(f"Object.keys({STATE}.read)")), sorted([LAB, LATE]), "both marks are kept")
        one.open(site.http(PRACTICE))
        other.open(site.http(PRACTICE))
        for page in (one, other):
            page.press(" ")
            page.press("3")
        context.equal(one.run("Object.keys(JSON.parse(localStorage.getItem(infralens.store.key)).cards).length"), 2, "both cards are kept, and they are two")
        export = Path(folder) / "export.json"
        export.write_text(json.dumps({**one.run(STATE), "exported": "2026-11-22T00:00:00"}))
        with context.page() as third:
            third.open(site.http(LAB + "#E1-N1"))
            third.open(site.http(SECTION))
            third.click(".mark")
            third.open(site.http("progress.html"))
            chosen(third, export)
            context.equal(sorted(third.run(f"Object.keys({STATE}.read)")), sorted([LAB, LATE, SECTION]), "an import joins what two browsers have")


MOVED = """---
title: Moved
focus: f
reads: r
outcome: o
handbook: [first]
aliases: [ALIAS]
starter: { file: a.py, type: Script, angle: a }
---

## Code

```python file=a.py
```

1. `x` — a KV
   cache in a note.

## Questions

Does the ledger fit?
: It does, as the ledger says.
"""


def moved(context):
    """A page that was moved keeps its mark and its cards; terms open in notes and questions."""
    def write(root, name, aliases):
        files = {
            "content/site.yaml": "title: Moves\ntracks: [t]\nlabs: { sections: [{ title: Code }, { title: Questions, as: questions }] }\n",
            "content/glossary.md": "---\ntitle: Glossary\n---\nKV cache\n: Keys and values.\n\nledger\n: A list of sums.\n",
            "content/tracks/t/index.md": "---\ntitle: T\nsummary: s\n---\n",
            "content/tracks/t/handbook/01-first.md": "---\ntitle: First\nsummary: s\n---\nText.\n",
            f"content/tracks/t/labs/{name}.md": MOVED.replace("[ALIAS]", aliases).replace("file: a.py", "file: x/a.py").replace("file=a.py", "file=x/a.py"),
            "code/x/a.py": "x = 1\n",
        }
        course.put(root, files)

    with tempfile.TemporaryDirectory() as folder, context.page() as page:
        old, new = Path(folder) / "old", Path(folder) / "new"
        write(old, "lab-01-before", "[]")
        write(new, "lab-02-after", "[tracks/t/labs/lab-01-before.html]")
        sites = [Site("before", old).serve(), Site("after", new).serve()]
        try:
            page.open(sites[0].http("tracks/t/labs/lab-01-before.html"))
            page.click(".take")
            page.wait("document.querySelector('.session.ready')")
            page.press(" ")
            page.press("3")
            held = page.run(f"JSON.stringify({STATE})")
            context.check("lab-01-before" in held, "the old page is read")
            # The same browser later: the store is that of the same course, at its new version.
            page.open(sites[1].http("tracks/t/index.html"))
            page.run(f"localStorage.setItem(infralens.store.key, {held!r})")
            page.open(sites[1].http("tracks/t/index.html"))
            context.equal(page.run(f"Object.keys({STATE}.read)"), ["tracks/t/labs/lab-02-after.html"], "the mark follows the page")
            page.open(sites[1].http("tracks/t/practice.html"))
            card = page.run("document.querySelector('.cards [data-card]').dataset.card")
            context.equal(page.run(f"Object.keys({STATE}.cards)"), [card], "the card follows the page")
            context.equal(page.run("document.querySelectorAll('.coming td')[2].textContent"), "1", "and is scheduled as before")
            page.open(sites[1].http("tracks/t/labs/lab-02-after.html"))
            context.equal(page.run("document.querySelector('.note .term a')?.textContent.replace(/\\s+/, ' ')"), "KV cache", "a term in a note is linked, over a line's end, too")
            context.equal(page.run("document.querySelector('summary .term')?.firstChild.textContent"), "ledger", "a term in a question shows its definition")
            context.equal(page.run("document.querySelector('.answer .term a')?.textContent"), "ledger", "and is linked in the answer")
            page.hover("summary .term")
            context.check(shown(page, "summary .definition"), "the definition opens under the pointer")
        finally:
            for site in sites:
                site.end()


def numbered(context, page, site):
    """Without scripts and on paper the cards are numbered, with no empty row."""
    page.open(site.http(LAB))
    page.click(".mark")
    page.open(site.http(PRACTICE))
    page.press(" ")
    page.media("print")
    rows = "[...document.querySelectorAll('.cards .question')].every((row) => row.checkVisibility() && row.querySelector('summary').textContent.trim() && row.querySelector('.answer').textContent.trim())"
    context.check(page.run(rows), "on paper no card is empty, also while one is asked")
    page.media("")
    page.scripts(False)
    page.open(site.http(PRACTICE))
    context.check(page.run(rows), "without scripts no card is empty")
    label = "getComputedStyle(document.querySelectorAll('.practised .question')[1].querySelector('summary'), '::before').content"
    context.equal(page.run(label), "counter(question)", "cards are numbered")
    context.equal(page.run("getComputedStyle(document.querySelector('.practised')).counterReset"), "question 0", "from one in each lab")
    page.scripts(True)


def full(context, site):
    """A storage that is full: what the reader does on a page holds there, and is said once."""
    with context.page() as page:
        before(page, FULL)
        page.open(site.http(LAB))
        page.click(".mark")
        context.check("stores nothing" in text(page, ".done .store"), "it is said")
        page.open(site.http(LATE))
        page.click(".mark")
        context.check(text(page, ".mark").startswith("Read"), "and pages can still be marked")


MAP = TRACK + "index.html"
LABS = TRACK + "labs/index.html"
SHORT = ["tracks/transformer/", "tracks/diffuser/"]


def reading_map(context, page, site):
    """One map per track: bounded, a real table, the same without scripts and on a phone; ways gray rows and remove none."""
    page.open(site.http(MAP))
    end = page.run("document.querySelector('.map').getBoundingClientRect().bottom")
    context.check(end <= 1520, f"the map ends at {end:.0f} px")
    context.equal(page.run("document.querySelectorAll('main table').length"), 1, "one table on the page")
    context.equal(page.run("document.querySelectorAll('.map thead th[scope=col]').length"), 6, "with heads")
    context.check(not page.run("document.querySelector('.course').checkVisibility()"), "no column beside it")
    context.equal(page.run("Math.round(document.querySelector('.map').offsetWidth)"), 1136, "its width")
    numbers = [f"{number:02}" for number in range(1, 13)]
    context.equal(page.run("[...document.querySelectorAll('.map .lab .n')].map((node) => node.textContent)"), numbers, "each lab has a row")
    order = "[...document.querySelectorAll('.map :is(.first li:not(.again), .lab)[data-read]')].map((node) => node.dataset.read)"
    context.equal(page.run(order), page.run("infralens.orders['ai-infra'].map(([url]) => url)"), "the map is in reading order")
    rows = "[...document.querySelectorAll('.map tbody tr:not(.group)')]"
    gray = f"{rows}.map((row) => getComputedStyle(row).color)"
    plain = set(page.run(gray))
    context.equal(len(plain), 1, "all rows are alike")
    for scripts in (True, False):
        page.scripts(scripts)
        page.open(site.http(MAP))
        height = page.run("document.querySelector('.map table').offsetHeight")
        for way in range(1, page.run("document.querySelectorAll('.filter input').length")):
            page.run(f"document.querySelectorAll('.filter input')[{way}].click()")
            wanted = page.run(f"{rows}.map((row) => row.matches('.in-{way}'))")
            context.check(0 < sum(wanted) < len(wanted), f"way {way} leads through some rows")
            context.equal([color in plain for color in page.run(gray)], wanted, f"way {way} grays the others")
            context.check(all(page.run(f"{rows}.map((row) => row.checkVisibility())")), "and removes none")
            minutes = "(selector) => [...document.querySelectorAll(selector)].reduce((all, node) => all + parseInt(node.textContent), 0)"
            lengths = page.run(f"[`.in-{way} > .time`, `.map .in-{way} .first .what`].map({minutes})")
            wanted = [(f"{length // 60} h " if length >= 60 else "") + f"{length % 60} min" for length in lengths]
            said = page.run("[...document.querySelectorAll('.gauge .words')].filter((node) => node.checkVisibility()).map((node) => node.textContent)")
            context.equal([re.findall(r"(?:\d+ h )?\d+ min", text.replace("\xa0", " ")) for text in said], [wanted], f"the hours of way {way}")
        context.equal(page.run("document.querySelector('.map table').offsetHeight"), height, "nothing moves")
        context.axe(page, "with rows grayed, ") if scripts else None
    page.scripts(True)
    page.size(390, 844)
    page.open(site.http(MAP))
    for what in (".first", ".lab", ".file", ".time", ".state"):
        seen = page.run(f"{rows}.every((row) => row.querySelector('{what}').checkVisibility())")
        context.check(seen, f"on a phone each row has {what}")
    needs = page.run(f"{rows}.filter((row) => row.querySelector('.needs a')).every((row) => row.querySelector('.needs').checkVisibility())")
    context.check(needs, "and what it needs")
    page.click(".menu")
    context.check(page.run("document.querySelector('.course').checkVisibility()"), "the menu opens the column over the page")


def map_marks(context, page, site):
    """What is read has its mark, the next row is lit, and nothing moves."""
    page.open(site.http(MAP))
    state = "[...document.querySelectorAll('.map tbody .state')].map((cell) => cell.innerText.trim())"
    context.equal(page.run(f"{state}.filter(Boolean)"), ["Next"], "a new reader begins with the first row")
    height = page.run("document.querySelector('.map table').offsetHeight")
    page.run("infralens.store.change((state) => { for (const [url] of infralens.orders['ai-infra'].slice(0, 3)) state.read[url] = '2026-01-01T00:00:00'; })")
    context.equal(page.run(f"{state}.slice(0, 2)"), ["Read ✓", "Next"] if "✓" in page.run(state)[0] else ["Read", "Next"], "the first row is read")
    context.equal(page.run("document.querySelectorAll('.map .needs .read').length > 0"), True, "prerequisites that are read have their mark")
    context.equal(page.run("document.querySelector('.map table').offsetHeight"), height, "nothing moves")
    context.check(text(page, ".gauge .words").startswith("Labs read: 1 of 12, "), "the gauge says what is left")
    context.check(" of 1" not in text(page, ".gauge .words").replace(" of 12", ""), "and the time once")


def short_tracks(context, page, site):
    """A track of one section and one lab has a simple form, with the full names of what it assumes."""
    for track in SHORT:
        page.open(site.http(track + "index.html"))
        context.equal(page.run("document.querySelectorAll('.duo > section').length"), 3, f"{track}: section, lab, assumptions")
        context.equal(page.run("document.querySelectorAll('.map, .gauge, .filter').length"), 0, f"{track}: neither map, bar nor ways")
        assumed = page.run("[...document.querySelectorAll('.assumed a')].map((a) => a.textContent)")
        context.check(assumed and all(": " in name or name.startswith("§") for name in assumed), f"full names: {assumed}", track)
    page.open(site.http("tracks/transformer/labs/lab-10-quantization-reading.html"))
    context.check("Prerequisites AI Infrastructure lab 01" in text(page, ".facts"), "a lab of another track is named with it")


def labs_pages(context, page, site):
    """The curriculum begins within a screen and a half; the three labs pages have one set of headings."""
    top = "document.querySelector('.curriculum').getBoundingClientRect().top"
    heads = set()
    for (width, height, bound) in [(1440, 900, 1350), (375, 812, 1688)]:
        page.size(width, height)
        for track in [TRACK, *SHORT]:
            page.open(site.http(track + "labs/index.html"))
            context.check(page.run(top) <= bound, f"the curriculum begins at {page.run(top):.0f} px at {width}", track)
            context.check(page.run("document.documentElement.scrollWidth <= innerWidth"), "nothing is too wide", track)
            heads.add(tuple(page.run("[...document.querySelectorAll('.introduction h2')].slice(0, 5).map((node) => node.firstChild.textContent)")))
            context.equal(page.run("document.querySelectorAll('.curriculum thead th').length"), 7, f"{track}: seven columns")
    context.equal(len(heads), 1, f"one set of headings: {heads}")
    page.size(1440, 900)
    page.open(site.http(LABS))
    lanes = page.run("new Set([...document.querySelectorAll('.curriculum thead th')].map((node) => Math.round(node.getBoundingClientRect().left))).size")
    context.equal(lanes, 5, "in five lanes")
    columns = "new Set([...document.querySelectorAll('.introduction :is(ul, ol):not([class]) > li')].map((node) => Math.round(node.getBoundingClientRect().left))).size"
    context.equal(page.run(columns), 3, "goals and steps are in three columns")


def read_first(context, page, site):
    """A lab names its section above its outcome, then the primer; what is read has a tick. The margin repeats no title."""
    lab = TRACK + "labs/lab-04-cuda-reduce.html"
    page.open(site.http(lab))
    said = text(page, ".read-first")
    context.check(said.startswith("Read first: §4 ") and "(21 min) New to this? Before that, " in said, f"it says {said}")
    context.check(page.run("document.querySelector('.read-first').compareDocumentPosition(document.querySelector('.outcome')) & 4"), "above the outcome")
    titles = page.run("[...document.querySelectorAll('.read-first a')].map((a) => a.textContent.replace(/^§\\d+ /, ''))")
    margin = text(page, ".beside")
    context.check(not any(title in margin for title in titles), f"the margin repeats no title: {titles}")
    context.check("§4 in short" in margin and "Leads to Lab 05 Lab 06 Lab 09" in margin, f"the margin says {margin}")
    page.run("infralens.store.change((state) => { state.read[document.querySelector('.read-first a').dataset.read] = '2026-01-01T00:00:00'; })")
    context.check(page.run("document.querySelector('.read-first a').matches('.read')"), "what is read has its tick")


def crumbs(context, page, site):
    """A breadcrumb begins no line with its separator, and a group is one level whatever its name."""
    page.size(320, 700)
    page.open(site.http(LAB))
    context.equal(page.run("[...document.querySelectorAll('.trail li')].map((li) => li.textContent)"), ["AI Infrastructure", "Foundation / Calculators", "Lab 01"], "three levels")
    before = "[...document.querySelectorAll('.trail li')].map((li) => getComputedStyle(li, '::before').content)"
    context.equal(set(page.run(before)), {"none"}, "nothing stands before a level")
    context.check(page.run("getComputedStyle(document.querySelector('.trail li'), '::after').content").startswith('"›"'), "the separator is not that of the name")
    context.check(page.run("[...document.querySelectorAll('.course b')].every((node) => node.textContent.trim() !== '§')"), "no section is a bare mark")


def lost(context, page, site):
    """The page for unknown addresses finds a lab by its number, with and without a zero."""
    for name in ("lab-4-cuda-reduction", "lab-04-cuda-reduction"):
        page.open(site.http(TRACK + f"labs/{name}.html"))
        page.wait("!document.querySelector('.lost').hidden")
        first = page.run("document.querySelector('.lost a').href")
        context.check(first.endswith("lab-04-cuda-reduce.html"), f"{name} leads to {first}")
    # The folder need not be one of the site's.
    page.open(site.http("glossary/kv-cache.html"))
    page.wait("!document.querySelector('.lost').hidden")
    first = page.run("document.querySelector('.lost a').href")
    context.check(first.endswith("glossary.html#T-kv-cache"), f"glossary/kv-cache leads to {first}")


def run(context):
    site = context.own
    for name, check in [("column", column), ("everywhere", everywhere), ("the end of a lab", lab_end), ("phone", phone), ("top bar", bar),
                        ("tab stops", stops), ("hidden notes", hidden_notes), ("numbered cards", numbered),
                        ("reading map", reading_map), ("marks of the map", map_marks), ("short tracks", short_tracks), ("labs pages", labs_pages),
                        ("read first", read_first), ("breadcrumbs", crumbs), ("unknown addresses", lost)]:
        with context.part(name), context.page(1440, 900) as page:
            check(context, page, site)
    with context.part("long column"), context.page(1440, 900) as page:
        bounded(context, page, context.crowd)
    for name, check in [("next step", steps), ("two tabs", tabs), ("full storage", full)]:
        with context.part(name):
            check(context, site)
    with context.part("moved pages"):
        moved(context)
