"""What is small and would be missed: on phones the text first, terms in a sheet and how far the reader is; switches, lists
and pictures that say what they mean; links that work without scripts."""

import re

from context import label

PHONE, WIDE = (390, 844), (1440, 900)
LAB = "tracks/ai-infra/labs/lab-01-transformer-memory.html"
TRACK, SHORT = "tracks/ai-infra/index.html", "tracks/diffuser/index.html"
LABS = "tracks/ai-infra/labs/index.html"

# The end of the first sentence below a lab's head, from the window's upper edge.
SENTENCE = """(() => {
  const first = [...document.querySelectorAll("main > p")].find((p) => p.checkVisibility());
  const texts = document.createTreeWalker(first, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  range.setStart(first, 0);
  range.setEndAfter(first.lastChild);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const end = node.data.search(/[.?!](\\s|$)/);
    if (end < 0 || node.parentElement.closest(".definition")) continue;
    range.setEnd(node, end + 1);
    break;
  }
  return Math.max(...[...range.getClientRects()].map(({ bottom }) => bottom));
})()"""


def run(context):
    for name, check in [("phone", phone), ("sheet", sheet), ("theme", theme), ("lists", lists), ("track", track),
                        ("unscripted", unscripted), ("excerpts", excerpts), ("reports", reports), ("predictions", predictions)]:
        with context.part(name), context.page(*WIDE) as page:
            check(context, page, context.own)


def reports(context, page, _):
    """A mistake can be reported: without scripts one on the page, and else one at the heading or note that is pointed at."""
    site = context.hard
    [lab] = [path for path in site.of_kind("lab") if path.endswith("lab-01-alone.html")]
    source = "content/tracks/one/labs/lab-01-alone.md\nhttps://example.org/hard/" + lab + "\n"
    body = "decodeURIComponent(document.querySelector('%s').href.split('body=')[1])"
    page.scripts(False)
    page.open(site.http(lab))
    start = "document.querySelector('.report').href.split('?')[0]"
    context.check(page.run(start) == "https://example.org/hard/issues/new", "the link leads to a new issue")
    context.check(page.run(body % ".report") == source, "it names the page without scripts", page.run(body % ".report"))
    page.scripts(True)
    page.open(site.http(lab))
    context.check(page.run("!window.infralens.report"), "its script is not loaded before it is wanted")
    shape = "JSON.stringify([...document.querySelectorAll('main h2, .note, .line')].map((node) => [node.offsetTop, node.offsetHeight]))"
    before = page.run(shape)
    for selector, found in [("h2[id='code']", "#code\n"), (".note[id]", "#E1-N1\n")]:
        page.hover(selector)
        page.wait("document.querySelector('.flag')")
        page.wait(f"document.querySelector('.flag').closest('h2, .note') === document.querySelector(\"{selector}\")")
        said = page.run(body % ".flag")
        context.check(said.startswith(source + found), f"{selector}: {said!r}")
        context.check(page.run("document.querySelector('.flag').checkVisibility()"), f"{selector}: the link is shown")
        context.check(page.run(shape) == before, f"{selector}: nothing moves")
    lines = said.split("\n")[3:]
    context.check(re.fullmatch(r"code/lab-01-alone/one\.py@[0-9a-f]{8} L1", lines[0]), f"the file and its hash: {lines[0]!r}")
    context.check(lines[1:] == ["```", "print('one')", "```", ""], f"the code: {lines[1:]!r}")
    context.check(page.run("document.querySelectorAll('.flag').length") == 1, "there is one")
    # The way of the keyboard: the address, and the link at the end.
    page.run("location.hash = 'code'; document.querySelector('.report').focus()")
    page.wait("document.querySelector('.report').href.endsWith('%23code%0A')")


def phone(context, page, site):
    """A lab begins with its text; what it is related to is one line. A bar shows how far the reader is."""
    page.size(*PHONE)
    for path in context.sample(site, "lab"):
        page.open(site.http(path))
        end = page.run(SENTENCE)
        context.check(end <= PHONE[1], f"the first sentence ends at {end:.0f} px of {PHONE[1]}", path)
    shown = "document.querySelector('.folded > :last-child').checkVisibility({ contentVisibilityAuto: true })"
    for scripts in (True, False):
        page.scripts(scripts)
        page.size(*PHONE)
        page.open(site.http(LAB))
        context.check(not page.run(shown), "relations are folded")
        page.click(".folded > summary")
        context.check(page.run(shown), "relations unfold")
        page.size(*WIDE)
        page.open(site.http(LAB))
        context.check(page.run(shown), "relations are in the margin")
        context.check(not page.run("document.querySelector('.folded > summary').checkVisibility()"), "with nothing to unfold")
    page.size(*PHONE)
    page.scripts(True)
    page.open(site.http(LAB))
    bar = "new DOMMatrix(getComputedStyle(document.querySelector('.top'), '::after').transform).a"
    for part in (0, 0.5, 1):
        page.run(f"scrollTo(0, {part} * (document.documentElement.scrollHeight - innerHeight)); new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() => 0)")
        found = page.run(bar)
        context.check(abs(found - part) < 0.02, f"the bar shows {found:.2f} at {part} of the page")
    context.quiet(page, site)


def sheet(context, page, site):
    """On a phone a term opens its definition and leads nowhere; the sheet leads on, and closes as people expect."""
    page.size(*PHONE)
    page.touch()
    page.open(site.http(LAB))
    shown = "document.querySelector('.sheet')?.matches(':popover-open') ?? false"
    term = page.run("document.querySelector('main p:not(details p) .term > a').textContent")
    page.tap("main p:not(details p) .term > a")
    page.wait(shown)
    context.check(page.run("location.pathname").endswith(LAB), "a term leads away")
    context.check(page.run("document.querySelector('.sheet p').textContent").startswith(term), "the sheet says what the term means")
    context.check(page.run("document.querySelector('.sheet a').href.includes('glossary.html#T-')"), "the sheet leads to the glossary")
    context.measure(page, "layout()", "with a sheet")
    context.axe(page, "with a sheet")
    page.press("Escape")
    page.wait(f"!({shown})")
    page.tap("main p:not(details p) .term > a")
    page.wait(shown)
    page.tap(".sheet button")
    page.wait(f"!({shown})")
    context.quiet(page, site)
    with context.page(*WIDE) as page:
        pointer(context, page, site)


def pointer(context, page, site):
    """Where a pointer hovers, it shows the definition, and a click leads to the glossary."""
    page.open(site.http(LAB))
    context.check(page.run("document.querySelector('main .aside').checkVisibility()"), "what has room is in the margin")
    page.hover("main p:not(details p) .term:has(> .definition) > a")
    context.check(page.run("document.querySelector('main p:not(details p) .term:has(> a) > .definition').checkVisibility()"), "a pointer shows the definition")
    page.click("main p:not(details p) .term:has(> .definition) > a")
    page.wait("location.pathname.endsWith('glossary.html')")
    context.quiet(page, site)


def theme(context, page, site):
    """The switch has a sign for each of its three states, and its first press changes what is shown."""
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    for dark in (True, False):
        page.media(dark=dark)
        page.open(site.http(LAB))
        grounds = []
        for _ in range(4):
            grounds.append(page.run(ground))
            page.click(".theme")
        context.check(grounds[0] != grounds[1] and grounds[1] != grounds[2] and grounds[2] == grounds[3] == grounds[0],
                      f"each press shows another color, not {grounds}", "dark" if dark else "light")
        page.run("localStorage.clear()")
    page.open(site.http(LAB))
    icon = "getComputedStyle(document.querySelector('.theme'), '::before').clipPath"
    seen = []
    for _ in range(3):
        seen.append((page.run(icon), page.run("document.querySelector('.theme').title")))
        page.click(".theme")
    context.check(all(shape.startswith("path(") for shape, _ in seen), "each state has a sign")
    context.equal(len({shape for shape, _ in seen}), 3, "signs")
    context.equal(len({name for _, name in seen}), 3, "names")
    context.equal(page.run(icon), seen[0][0], "and round again")


def lists(context, page, site):
    """Long names break between their parts; references and glossary have a list to jump by; tables say what they can."""
    page.size(*PHONE)
    for path in [*context.sample(site, "lab"), "references.html"]:
        page.open(site.http(path))
        page.run("for (const list of document.querySelectorAll('.figures')) list.open = true; 0")
        context.measure(page, "broken('.reading dd, .reading dt, .bibliography li, .figures th')", path)
        page.size(*WIDE)
        context.measure(page, "broken('.reading dt, .figures th')", path)
        page.size(*PHONE)
    page.open(site.http("tracks/ai-infra/labs/lab-08-zero-fsdp.html"))
    empty = page.run("[...document.querySelectorAll('.cards td:empty')].map((cell) => cell.checkVisibility())")
    context.check(empty and not any(empty), f"on a phone cells without a word are shown: {empty}")
    torn = page.run("[...document.querySelectorAll('main p > .figure')].filter((node) => node.getClientRects().length > 1).map((node) => node.textContent)")
    context.equal(torn, [], "numbers that are apart from their units")
    for size in (WIDE, PHONE):
        page.size(*size)
        for path in ("references.html", "glossary.html"):
            page.open(site.http(path))
            context.check(page.run("document.querySelectorAll('.jump a').length") > 2, f"{path} has a list to jump by")
            page.click(".jump li:last-child a")
            page.wait("location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect().top < innerHeight")
        page.open(site.http(TRACK))
        context.measure(page, "broken('.map :is(td, th)')", f"{TRACK}, {size[0]}")
        for path in (LABS,):
            page.open(site.http(path))
            context.measure(page, "broken('.labs :is(td, th)')", f"{path}, {size[0]}")
            narrow = page.run("Math.min(...[...document.querySelectorAll('.labs .group th')].map((cell) => cell.clientWidth))")
            context.check(narrow > 300, f"{path}: the title of a group is {narrow} px wide")
            opens = page.run("[...document.querySelectorAll('.curriculum .open')].map((cell) => [cell.innerText, cell.closest('tr').querySelector('.title').innerText])")
            context.check(opens and all(re.search(r"\d+\smin", text) and text != title for text, title in opens), f"{path}: the column Open says {opens[:1]}")


def track(context, page, site):
    """A gauge at nothing is empty, and says how long the track takes: each time is that of what it follows."""
    for dark in (False, True):
        page.media(dark=dark)
        page.open(site.http(TRACK))
        filled = "[...document.querySelectorAll('.gauge i')].filter((i) => getComputedStyle(i).backgroundColor !== getComputedStyle(document.documentElement).backgroundColor).length"
        context.equal(page.run(filled), 0, "filled blocks of a reader who has read nothing")
    page.media(dark=False)
    words = page.run("document.querySelector('.gauge .words').textContent")
    context.check(re.fullmatch(r"12 code-reading labs, \d+\sh\s\d+\smin · \d+ sections, \d\sh\s\d+\smin", words), f"the gauge says {words}")
    times = page.run("(document.querySelector('main').innerText.match(/\\d+\\sh(\\s\\d+\\smin)?/g) ?? []).length")
    context.equal(times, 2, "the time of labs and that of sections, once each")


def unscripted(context, page, site):
    """A link to a note lights it alone; a link to a range of lines marks them all; notes name where they come from."""
    page.scripts(False)
    page.media(still=True)
    page.open(site.http(f"{LAB}#E1-N2"))
    lit = """(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.background = "var(--lit)";
      const color = getComputedStyle(probe).backgroundColor;
      probe.remove();
      return [...document.querySelectorAll(".note, .note > div")].filter((node) => getComputedStyle(node).backgroundColor === color).map((node) => (node.id || node.parentNode.id) + node.localName);
    })()"""
    context.equal(page.run(lit), ["E1-N2div"], "what a link to a note lights")
    starters = site.of_kind("starter")
    texts = {path: (site.folder / path).read_text() for path in starters}
    ranged = next(path for path in starters if 'class="reach' in texts[path])
    name, first, last = re.search(r'class="reach[^"]*" id="(L(\d+)-L(\d+))"', texts[ranged]).groups()
    page.open(site.http(f"{ranged}#{name}"))
    boxes = page.run(f"""["#{name}", "#L{first}", "#L{last}"].map((id) => document.querySelector(id)).map((node) => {{
      const {{ top, bottom, width }} = node.getBoundingClientRect(); return [top, bottom, width]; }})""")
    (top, bottom, width), (start, _, _), (_, end, _) = boxes
    context.check(abs(top - start) < 2 and abs(bottom - end) < 2 and width > 300, f"{ranged}#{name} marks {boxes}")
    context.check(0 < top < WIDE[1] / 2, f"{ranged}#{name} is {top} px from the upper edge")
    for path, text in texts.items():
        for said in re.findall(r'class="from"[^>]*aria-label="([^"]*)"[^>]*>([^<]*)<', text):
            context.check(not any(part.startswith(",") or part.endswith(", ") for part in said), f"a note comes from {said}", path)


def excerpts(context, page, site):
    """The keys are named once on a page; marked code does not look like a word that was searched for."""
    for path in context.sample(site, "lab"):
        page.open(site.http(path))
        context.equal(page.run("[...document.querySelectorAll('.keys')].filter((node) => node.checkVisibility()).length"), 1, f"{path} names the keys")
        context.equal(page.run("[...document.querySelectorAll('.line mark')].filter((node) => getComputedStyle(node).backgroundColor !== 'rgba(0, 0, 0, 0)').length"), 0, f"{path} has yellow marks")
        introduced = label("After this lab, you can", page.run("document.documentElement.lang"))
        context.equal(page.run("document.querySelector('.outcome .label').textContent"), introduced, f"{path} introduces its outcome")


def predictions(context, page, site):
    """What a reader predicts is kept, and is between the question and the answer; on paper and without scripts, there is no
    field, and on paper the answer is open."""
    answer = "document.querySelector('.predict details > p').checkVisibility({ contentVisibilityAuto: true })"
    field = "document.querySelector('.guess').checkVisibility()"
    page.open(site.http(LAB))
    context.check(not page.run(answer), "the answer is folded")
    page.run("document.querySelector('.guess input').focus()")
    page.send("Input.insertText", {"text": "82 GB"})
    page.press("Enter")
    context.check(page.run(answer), "Enter opens the answer")
    order = [page.run(f"document.querySelector('.predict {part}').getBoundingClientRect().top") for part in ("summary", ".guess", "details > p")]
    context.check(order == sorted(order), f"the field is not between question and answer: {order}")
    context.axe(page, "with a prediction")
    page.open(site.http(LAB))
    context.equal(page.run("document.querySelector('.guess input').value"), "82 GB", "a prediction is kept")
    context.measure(page, "shift()", "with a prediction")
    page.run("infralens.store.change((state) => state)")
    context.equal(page.run("document.querySelector('.guess input').value"), "82 GB", "and stays when progress changes")
    page.media("print")
    page.wait(f"{answer} && !{field}")
    page.media("")
    page.scripts(False)
    page.open(site.http(LAB))
    context.check(not page.run(answer) and not page.run(field), "without scripts, it folds")
    page.click(".predict summary")
    context.check(page.run(answer), "and unfolds")
    page.scripts(True)
    page.run("localStorage.clear()")
    context.quiet(page, site)
