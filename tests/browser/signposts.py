"""What leads a reader: the search narrowed to a kind, the list of shortcuts, the bar, the filter of the glossary, the maps; and
what is to be seen at a glance, on a desk and on a phone."""

import json

LAB = "tracks/ai-infra/labs/lab-01-transformer-memory.html"
OPEN = "document.querySelector('dialog.search')?.open"
READY = "!document.querySelector('.results').ariaBusy && document.querySelectorAll('.results [role=option]').length"
SHOWN = "[...document.querySelectorAll('{}')].filter((node) => node.checkVisibility()).map((node) => node.textContent.trim())"
# What a finger hits 20 px above and below the middle of a control, if the control is on the screen.
HITS = """((selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility()).map((node) => {
  node.scrollIntoView({ block: "center", behavior: "instant" });
  const { x, y, width, height } = node.getBoundingClientRect();
  const hit = (by) => node.contains(document.elementFromPoint(x + width / 2, y + height / 2 + by));
  return [node.textContent, hit(-20), hit(20)];
}))"""


def search(context, page):
    """Results are of the kind that is chosen, no row says its kind twice, and the keys are shown."""
    page.open(context.own.http(LAB))
    page.press("/")
    page.wait(OPEN)
    page.type("kv cache")
    page.wait(READY)
    kinds = page.run(SHOWN.format(".narrow label"))
    context.equal(kinds, ["All", "Labs", "Handbook", "Notes", "Code", "Glossary"], "what results can be narrowed to")
    rows = "[...document.querySelectorAll('.results [role=option]')]"
    twice = page.run(f"{rows}.map((row) => [...row.children].map((node) => node.lastChild?.textContent ?? '').join(' ').trim()).filter((text) => /^(Term|Code|Note|Lab|Section)\\b/.test(text))")
    context.equal(twice, [], "rows that say again what the group or the sign says")
    signs = page.run(f"{rows}.every((row) => row.firstElementChild.matches('.sign') && row.firstElementChild.getBoundingClientRect().width > 5)")
    context.check(signs, "a row begins with a sign of what it is")
    keys = page.run(SHOWN.format(".hints kbd"))
    context.equal(keys, ["↑", "↓", "↵", "Esc"], "the keys that are shown")
    for at, fits in enumerate([".in-page, .in-part", "[href*='/labs/']", "[href*='/handbook/']", ".in-note", ".in-line, .in-file, [href*='/code/']", "[href*='glossary']"]):
        page.run(f"document.querySelectorAll('.narrow input')[{at}].click()")
        others = f"{rows}.filter((row) => !row.matches({json.dumps(fits)}))"
        # The results before stay until the new ones are there.
        page.wait(f"document.querySelectorAll('.narrow input')[{at}].checked && {READY} && !{others}.length")
        others = page.run(f"{others}.map((row) => row.href)")
        context.equal(others, [], f"what {kinds[at]} shows besides")
    page.run("document.querySelectorAll('.narrow input')[3].click(), document.querySelector('.search input').select()")
    page.type("memory")
    page.wait(f"document.querySelectorAll('.narrow input')[3].checked && {rows}.length >= 8")
    said = page.run("document.querySelector('.search [role=status]').textContent")
    context.check(said.startswith(str(page.run(f"{rows}.length"))), f"notes are counted: {said}")
    order = []
    for _ in range(4):
        page.press("Tab")
        order.append(page.run("document.activeElement.name || document.activeElement.className"))
    context.equal(order, ["I-search-kind", "more", "every", "close"], "the order of keys in the search")
    page.run("document.querySelector('.search input').focus()")
    page.run("document.querySelectorAll('.narrow input')[5].click(), document.querySelector('.search input').select()")
    page.type("nothreadofit")
    page.wait("!document.querySelector('.results').ariaBusy")
    page.run("document.querySelector('.search input').select()")
    page.type("cfg.n_kv")
    # Where nothing is of the kind, all is counted.
    page.wait("document.querySelector('.narrow .none') && document.querySelector('.search [role=status]').textContent.includes('in all')")
    context.axe(page, "the narrowed search", within="dialog.search")


def shortcuts(context, page):
    """`?` opens the list of shortcuts, which has every key that the scripts know; where single keys are off, it does not."""
    page.open(context.own.http(LAB))
    page.press("?")
    page.wait("document.querySelector('dialog.help')?.open")
    keys = page.run(SHOWN.format(".help .single kbd"))
    known = page.run("Object.keys(infralens.words.keys)")
    context.equal([key for key in known if key not in keys], [], "keys that the list leaves out")
    for dark in [False, True]:
        page.media(dark=dark, still=True)
        context.axe(page, "the list of shortcuts", within="dialog.help")
    page.media()
    page.press("Escape")
    context.check(not page.run("document.querySelector('dialog.help').open"), "Escape closes the list")
    page.press("j")
    context.check(page.run("location.hash.includes('N1')"), "`j` goes to a note, as the list says")
    page.press("/")
    page.wait(OPEN)
    page.click(".search .every")
    page.wait("document.querySelector('dialog.help').open && !document.querySelector('dialog.search').open")
    page.click(".help input")
    page.press("Escape")
    page.press("?")
    context.check(not page.run("document.querySelector('dialog.help').open"), "`?` opens nothing where single keys are off")
    page.run("localStorage.clear()")


def bar(context, page):
    """Labs and practice are in the bar of every page, and all of it has room."""
    for path in ["index.html", LAB, "tracks/ai-infra/practice.html", "glossary.html"]:
        for width in [1024, 1280, 1440]:
            page.size(width, 800)
            page.open(context.own.http(path))
            links = page.run("[...document.querySelectorAll('.top nav a')].filter((node) => node.checkVisibility()).map((node) => node.pathname)")
            context.check({"/tracks/ai-infra/labs/index.html", "/tracks/ai-infra/practice.html"} <= set(links), f"{path} at {width}: the bar has {links}")
            cut = page.run("[...document.querySelectorAll('.top nav')].some((node) => node.scrollWidth > node.clientWidth + 1)")
            context.check(not cut, f"{path} at {width}: the bar cuts its links")
            lines = page.run("[...document.querySelectorAll('.top nav a')].filter((node) => !/ 0\\)$|transparent/.test(getComputedStyle(node).borderBottomColor)).length")
            context.check(lines <= 1, f"{path} at {width}: {lines} places are underlined in the bar")
    page.size(1280, 800)


def rail(context, page):
    """The rail of numbers has the tick of a page beside its number, and opened the titles of groups, where nothing moves."""
    page.size(1024, 800)
    page.open(context.own.http(LAB))
    page.run("infralens.store.change((state) => { for (const [url] of Object.values(infralens.orders)[0].slice(0, 4)) state.read[url] = infralens.store.now(); })")
    tops = "[...document.querySelectorAll('.course ol > li > a')].map((node) => node.getBoundingClientRect().top)"
    high = page.run("[...document.querySelectorAll('.course ol > li > a')].filter((node) => node.scrollHeight > node.clientHeight + 1).map((node) => node.textContent)")
    context.equal(high, [], "entries whose tick or title is on a second line")
    context.equal(page.run("getComputedStyle(document.querySelector('.course a.read'), '::after').position"), "absolute", "the tick takes no place of its own")
    before = page.run(tops)
    page.hover(".course ol a b")
    page.wait("document.querySelector('.course').offsetWidth > 200")
    context.equal(page.run(tops), before, "where the entries of the open rail are")
    seen = page.run("[...document.querySelectorAll('.course .group')].every((node) => node.offsetHeight > 12)")
    context.check(seen, "the open rail names its groups")
    page.run("localStorage.clear()")


def glossary(context, page):
    """A field leaves the terms that have what is typed; without scripts nothing is missing."""
    shown = "[...document.querySelectorAll('main dt')].filter((node) => node.checkVisibility()).length"
    page.open(context.own.http("glossary.html"))
    every = page.run(shown)
    page.click(".sift input")
    page.type("KV CÁCHE")
    found = page.run(SHOWN.format("main dt"))
    context.check("KV cache" in found and len(found) < every / 4, f"`KV CÁCHE` leaves {found}")
    said = page.run("document.querySelector('.sift [role=status]').textContent")
    context.check(str(len(found)) in said, f"how many are left: {said}")
    context.axe(page, "the filtered glossary")
    page.click(".jump li:last-child a")
    page.wait(f"{shown} === {every}")
    page.click(".sift input")
    page.type("zzz")
    context.equal(page.run(shown), 0, "terms with nonsense")
    page.press("Escape")
    context.equal(page.run(shown), every, "terms after Escape")
    order = page.run("[...document.querySelectorAll('main dt')].map((node) => node.textContent)")
    page.click(".sift input")
    page.type("block")
    context.equal(page.run(SHOWN.format("main dt"))[0], "Block", "the first of the terms that have `block`")
    page.press("Escape")
    context.equal(page.run("[...document.querySelectorAll('main dt')].map((node) => node.textContent)"), order, "the order after Escape")
    page.scripts(False)
    page.open(context.own.http("glossary.html"))
    context.equal(page.run(shown), every, "terms without scripts")
    context.check(not page.run("document.querySelector('.sift').checkVisibility()"), "without scripts there is no field")
    page.scripts(True)


def maps(context, page):
    """Links look like links, and what a map leaves out is said."""
    page.open(context.own.http("tracks/ai-infra/index.html"))
    plain = page.run("[...document.querySelectorAll('.map :is(.lab, li) a')].filter((node) => getComputedStyle(node).textDecorationLine !== 'underline').map((node) => node.textContent)")
    context.equal(plain, [], "links of the reading map that do not look like links")
    page.open(context.own.http("index.html"))
    plain = page.run("[...document.querySelectorAll('.atlas .stops a')].filter((node) => getComputedStyle(node).textDecorationLine !== 'underline').length")
    context.equal(plain, 0, "links of the small map that do not look like links")
    context.check(any("14 sections" in text for text in page.run(SHOWN.format(".atlas a"))), "the small map says where all sections are")
    context.equal(page.run("getComputedStyle(document.querySelector('.runs .next')).boxShadow"), "none", "a mark that nothing explains")
    context.check(page.run("Boolean(document.querySelector('.foot .colophon'))"), "the license is in the footer")


def glance(context, page):
    """The keys that grade, a calculator and its results on one screen, lists in the free margin."""
    page.open(context.own.http("tracks/ai-infra/practice.html"))
    page.wait("document.querySelector('.session.ready')")
    page.press(" ")
    context.equal(page.run(SHOWN.format(".grades kbd")), ["1", "2", "3", "4"], "the keys that grade")
    for width in [1024, 1440]:
        page.size(width, 900)
        page.open(context.own.http(LAB))
        high = page.run("[...document.querySelectorAll('main > .calc')].map((node) => node.getBoundingClientRect().height)")
        context.check(max(high) < 860, f"at {width} calculators are {high} px high")
        beside = page.run("[...document.querySelectorAll('main > .calc')].every((node) => node.querySelector('.inputs').getBoundingClientRect().right <= node.querySelector('.results').getBoundingClientRect().left)")
        context.check(beside, f"at {width} results stand beside the fields")
        page.run("scrollTo({ top: document.querySelector('main > .calc').getBoundingClientRect().bottom + scrollY - 500, behavior: 'instant' })")
        context.check(page.run("document.querySelector('main > .calc .inputs').getBoundingClientRect().bottom > 60"), f"at {width} fields are in view beside the last results")
        narrow = page.run("[...document.querySelectorAll('main > ol, main > ul')].filter((node) => !node.className && !node.querySelector('.aside') && node.getBoundingClientRect().top > [...document.querySelectorAll('.pair')].at(-1).getBoundingClientRect().top && getComputedStyle(node).columnCount !== '2').length")
        context.equal(narrow, 0, f"at {width} lists that leave the margin empty")


def phone(context, page):
    """A finger hits what is 44 px high, and code that goes on beyond the edge fades."""
    page.size(390, 844)
    page.open(context.own.http(LAB))
    missed = [text for text, above, below in page.run(f"{HITS}('main > .pair:nth-of-type(-n + 9) .actions > *')") if not (above and below)]
    context.equal(missed, [], "controls that a finger misses")
    fades = page.run("getComputedStyle(document.querySelector('.line:not(:has(> .markers))'), '::after').position")
    context.equal(fades, "sticky", "the fade at the edge of code")
    heights = page.run("[...new Set([...document.querySelectorAll('.line')].filter((node) => node.checkVisibility()).map((node) => node.getBoundingClientRect().height))]")
    context.equal(heights, [24], "how high lines are")
    page.size(1280, 800)


def run(context):
    for part in [search, shortcuts, bar, rail, glossary, maps, glance, phone]:
        with context.part(part.__name__), context.page() as page:
            part(context, page)
            context.quiet(page, context.own)
