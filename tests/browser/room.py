"""How pages use their room: notes beside their code, and its line on the screen while a note is read; a starter's notes near
their lines; lines of prose that are neither long nor short; drawings and tables that can be read; signs of what is beyond an
edge."""

import json

WIDE, PHONE = (1440, 900), (390, 844)
WIDTHS = [1440, 1200, 1024, 768]
# The windows in which notes stand beside their code.
BESIDE = [(1024, 768), (1280, 800), (1440, 900), (1920, 1080)]
# How far from its line a note at rest may be on a starter's page.
NEAR = 200
# The letters of a line: of prose on average, of a note at most.
PROSE, NOTE = (64, 75), 75
# The height of a letter that can be read, in pixels.
SMALLEST = 10

# What may go on beyond its edge.
SCROLLED = ".diagram, .table, .math, pre.code"

# Of each note: whether it is right of its code, how far its first line is from the screen while it is in the middle, how far
# both are from it after a link to the note, and how far it is below its line. Distances are in pixels.
PLACES = """((bar) => {
  const places = [], out = ({ top, bottom }) => Math.max(bar - top, bottom - innerHeight, 0);
  const first = (node) => { const { top } = node.getBoundingClientRect(); return { top, bottom: top + 22 }; };
  for (const note of document.querySelectorAll("main > .pair > .notes > .note[data-lines]")) {
    const pair = note.closest(".pair"), text = note.querySelector(":scope > div");
    const number = note.dataset.lines.split("-")[0];
    const line = [...pair.querySelectorAll(".line")].find(({ dataset }) => dataset.line === number);
    const code = pair.querySelector(".listing").getBoundingClientRect();
    const beside = text.checkVisibility() && text.getBoundingClientRect().left >= code.right;
    const { top, height } = text.getBoundingClientRect();
    const below = top - line.getBoundingClientRect().top;
    scrollTo(0, scrollY + top + height / 2 - innerHeight / 2);
    const middle = out(first(line));
    location.hash = note.id;
    const link = Math.max(out(first(line)), out(first(text)));
    const sideways = Math.max(0, ...[...pair.querySelectorAll(`b.bound[id="${note.querySelector(".ring").hash.slice(1)}"]`)].map((token) => {
      location.hash = token.id;
      const listing = pair.querySelector(".listing").getBoundingClientRect(), box = token.getBoundingClientRect();
      return box.width > listing.width - 90 ? 0 : Math.max(listing.left + 44 - box.left, box.right - listing.right, 0);
    }));
    places.push({ id: note.id, beside, middle, link, below, sideways });
  }
  return places;
})(56)"""
# For each line of text but the last of a paragraph, how many letters it has.
LETTERS = """((selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility()).flatMap((node) => {
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), range = document.createRange(), rows = new Map();
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("code, math, .cite, .definition, .ring, .from, .of")) return [];
    for (let at = 0; at < text.data.length; at += 1) {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const box = range.getClientRects()[0];
      if (box) rows.set(Math.round(box.top / 8), (rows.get(Math.round(box.top / 8)) ?? 0) + 1);
    }
  }
  return [...rows.values()].slice(0, -1);
}))"""
# Each note that is chosen: whether its code stays, and how far the leader's ends are from the rings.
CHOSEN = """(async () => {
  const faults = [], far = ([x, y], { left, right, top, bottom }) =>
    Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
  for (const marker of document.querySelectorAll("main > .pair .marker")) {
    const pair = marker.closest(".pair"), note = document.querySelector(marker.hash), head = 72;
    if (!marker.checkVisibility()) continue;
    const high = pair.getBoundingClientRect().height <= innerHeight - head;
    scrollTo(0, scrollY + (high ? pair : marker).getBoundingClientRect().top - (high ? head : innerHeight / 3));
    const before = marker.getBoundingClientRect().top;
    marker.click();
    await infralens.assist();
    const [ring, end] = [marker, note.querySelector(".ring")].map((node) => node.getBoundingClientRect());
    if (high && Math.abs(ring.top - before) > 1) faults.push(`${note.id}: its code moves by ${ring.top - before}`);
    if (end.top < 0 || end.bottom > innerHeight) faults.push(`${note.id}: the note is out of sight`);
    if (high && (ring.top < 0 || ring.bottom > innerHeight)) faults.push(`${note.id}: its code is out of sight`);
    const path = pair.querySelector(".leader path"), box = pair.getBoundingClientRect();
    if (!path) { if (Math.abs(end.top - ring.top) < innerHeight) faults.push(`${note.id} has no leader`); continue; }
    const last = marker.parentNode.lastElementChild.getBoundingClientRect();
    const [from, to] = [0, path.getTotalLength()].map((at) => path.getPointAtLength(at)).map(({ x, y }) => [x + box.x, y + box.y]);
    if (far(from, last) > 2) faults.push(`${note.id}: the leader begins ${far(from, last)} px from its markers`);
    if (far(to, end) > 2) faults.push(`${note.id}: the leader ends ${far(to, end)} px from its note`);
  }
  return faults;
})()"""
# The size of the smallest letters of each drawing, in pixels.
DRAWN = """[...document.querySelectorAll(".diagram svg")].map((svg) =>
  Math.min(...[...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize))) * svg.getScreenCTM().a)"""


def beside(context, page):
    """Every note stands beside its code from 1024 px on. While it is in the middle of the screen, its line is on the screen;
    a link to it shows both, without scripts, too; and a link to its code shows this in a listing that scrolls sideways."""
    page.scripts(False)
    page.media(dark=False, still=True)
    for width, height in BESIDE:
        page.size(width, height)
        below = []
        for path in context.sample(context.own, "lab"):
            page.open(context.own.http(path))
            for place in page.run(PLACES):
                name = f"{place['id']} at {width} px"
                below.append(place["below"])
                context.check(place["beside"], f"{name} is not beside its code", path)
                context.check(place["middle"] <= 0, f"{name}: its line is {place['middle']:.0f} px outside while it is read", path)
                context.check(place["link"] <= 0, f"{name}: a link shows one end, {place['link']:.0f} px are missing", path)
                context.check(place["sideways"] <= 0, f"{name}: its code is {place['sideways']:.0f} px outside its listing", path)
        if below:
            below.sort()
            print(f"          {len(below)} notes at {width} px: the middle one {below[len(below) // 2]:.0f} px below its line, the last"
                  f" {below[-1]:.0f}, the first {below[0]:.0f}", flush=True)
    page.scripts(True)


def chosen(context, page):
    """A note is chosen at its line: the code stays, and the line between them has both ends."""
    for path in context.sample(context.own, "lab"):
        page.open(context.own.http(path))
        for fault in page.run(CHOSEN):
            context.fail(fault, path)
        context.checks += 1


def starters(context, page):
    """A starter's notes are a line each, near their lines, and open without scripts."""
    page.scripts(False)
    for path in context.sample(context.own, "starter"):
        page.open(context.own.http(path))
        # The notes of a Markdown starter are open, as in a lab.
        if page.run("document.querySelector('.typeset') !== null"):
            continue
        far = page.run("[...document.querySelectorAll('.note')].map((note) => note.querySelector('.ring').getBoundingClientRect().top"
                       " - document.querySelector(note.querySelector('.ring').hash).getBoundingClientRect().top)")
        context.check(not far or max(far) <= NEAR, f"a note is {max(far, default=0):.0f} px below its line", path)
        if far:
            page.click(".note summary")
            context.check(page.run("document.querySelector('.note details').open"), "a note does not open", path)
    page.scripts(True)


def letters(context, page):
    """Prose has 64 to 75 letters in a line, and notes have at most 75, at every width that has the room."""
    # Letters of other scripts are wider or narrower.
    for path in [path for path in context.sample(context.own, "lab") if not path.startswith("zh-Hans/")][:3]:
        for width in WIDTHS:
            page.size(width, 900)
            page.open(context.own.http(path))
            lines = page.run(f"{LETTERS}('main > p')")
            mean = sum(lines) / max(len(lines), 1)
            context.check(not lines or PROSE[0] <= mean <= PROSE[1], f"prose has {mean:.1f} letters in a line at {width} px", path)
            longest = max(page.run(f"{LETTERS}('.note > div')"), default=0)
            context.check(longest <= NOTE, f"a note has {longest} letters in a line at {width} px", path)
    page.size(*WIDE)


def drawings(context, page):
    """On a phone, drawings have letters that can be read; on a wide screen, tables show all of their columns."""
    for path in context.sample(context.own, "lab", "section"):
        page.size(*PHONE)
        page.open(context.own.http(path))
        sizes = page.run(DRAWN)
        context.check(all(size >= SMALLEST for size in sizes), f"letters of a drawing are {min(sizes, default=0):.1f} px high", path)
        heads = page.run("[...document.querySelectorAll('.excerpt .lines')].every((lines) => lines.checkVisibility())")
        context.check(heads, "the head of an excerpt does not show its range", path)
        page.size(*WIDE)
        hidden = page.run("[...document.querySelectorAll('main > :is(.table, .diagram)')].filter((node) => node.scrollWidth > node.clientWidth + 1).length")
        context.check(not hidden, f"{hidden} tables or drawings are cut off on a wide screen", path)


def more(context, page):
    """Whatever goes on beyond its edge says so: it fades out there until it is scrolled to its end. On a phone each number
    of a calculator is shown whole."""
    for path in context.sample(context.own, "lab", "section"):
        page.size(*PHONE)
        page.open(context.own.http(path))
        for part, faded in [(0, True), (1, False)]:
            page.run(f"for (const node of document.querySelectorAll('{SCROLLED}')) node.scrollLeft = {part} * node.scrollWidth; new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() => 0)")
            wrong = page.run(f"[...document.querySelectorAll('{SCROLLED}')].filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1"
                             f" && (getComputedStyle(node).maskPosition.startsWith('100%')) !== {json.dumps(faded)}).map((node) => node.className)")
            context.check(not wrong, f"{wrong} {'end as if there were no more' if faded else 'fade at their end'}", path)
        short = page.run("[...document.querySelectorAll('.calc input')].filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.value)")
        context.check(not short, f"fields of a calculator cut {short}", path)


# Faults of the rows of a listing: an omission that names another number of lines than it stands for, and a jump of the
# numbers for which nothing is shown.
JUMPS = """[...document.querySelectorAll(".listing")].flatMap((listing) => {
  const rows = [...listing.querySelectorAll(".line:not(.opened .line), .omitted")], number = (row) => Number(row?.dataset.line);
  return rows.flatMap((row, at) => {
    const [before, after] = [rows[at - 1], rows[at + 1]].map(number);
    if (row.matches(".omitted")) {
      const said = Number(/\\d+/.exec(row.textContent));
      return before && after && said !== after - before - 1 ? [`“${row.textContent.trim()}” is between ${before} and ${after}`] : [];
    }
    const jumps = before && number(row) !== before + 1;
    return jumps && !row.matches(".gap") ? [`line ${number(row)} follows ${before} and nothing shows it`] : [];
  });
})"""
# The lines of code on a phone that are wrapped, and the excerpts whose heads, notes or captions leave the window while their
# code is scrolled sideways.
SCROLLED_ASIDE = """[...document.querySelectorAll("main > .pair")].flatMap((pair) => {
  const wrapped = [...pair.querySelectorAll(".line")].filter((line) => line.checkVisibility() && line.getBoundingClientRect().height > 25);
  pair.scrollLeft = 1e5;
  const fixed = [...pair.querySelectorAll("figcaption, .under, .note > div, .markers")].filter((node) => {
    const { left, right, width } = node.getBoundingClientRect();
    return width && (left < -1 || right > innerWidth + 1);
  });
  pair.scrollLeft = 0;
  return [...wrapped.map((line) => `${line.id} is wrapped`), ...fixed.map((node) => `${node.className || node.tagName} leaves the window`)];
})"""


def formulas(context, page):
    """Formulas have the letters of the text: a system without a font for formulas shows the same, and nothing is sans serif."""
    page.send("DOM.enable")
    page.send("CSS.enable")
    fonts = set()
    for path in context.sample(context.own, "lab", "section"):
        page.open(context.own.http(path))
        # DejaVu Serif, the font of the text here, has no ℓ.
        page.run("document.querySelectorAll('math mi').forEach((node) => node.textContent === 'ℓ' && node.remove())")
        root = page.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        for node in page.send("DOM.querySelectorAll", {"nodeId": root, "selector": "math :is(mi, mn, mo, mtext)"})["nodeIds"]:
            fonts |= {font["familyName"] for font in page.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]}
    wrong = sorted(font for font in fonts if "Math" in font or "Sans" in font)
    context.check(fonts and not wrong, f"formulas are set in {wrong}")


def listings(context, page):
    """The numbers of lines jump only where a row or a mark says so. On a phone no line is wrapped: an excerpt scrolls sideways as
    a whole, and its head, its notes and its markers stay."""
    for path in context.sample(context.own, "lab", "starter"):
        page.size(*WIDE)
        page.open(context.own.http(path))
        for fault in page.run(JUMPS):
            context.fail(fault, path)
        context.checks += 1
        page.size(*PHONE)
        for fault in page.run(SCROLLED_ASIDE):
            context.fail(fault, path)
        context.checks += 1


# Of each block of a page, which of these edges it has: where the text begins; where the code, the prose, and the margin end.
EDGES = """(() => {
  const main = document.querySelector("main"), style = getComputedStyle(main);
  const left = main.getBoundingClientRect().left + parseFloat(style.paddingLeft);
  const inner = main.getBoundingClientRect().right - parseFloat(style.paddingRight);
  const probe = main.appendChild(document.createElement("div"));
  const width = (name, value) => { probe.style.cssText = `width: ${value}; max-width: none`; return [name, probe.getBoundingClientRect().width]; };
  const ends = [width("text", "var(--text)"), width("prose", "var(--prose)"), width("all", "calc(var(--text) + var(--gap) + var(--notes))")];
  probe.remove();
  const faults = [];
  if (left + ends[2][1] > inner + 1) faults.push(`the margin ends ${left + ends[2][1] - inner} px beyond the page`);
  for (const node of main.children) {
    if (!node.checkVisibility() || node.matches(".aside, .beside, .margin, .head, .diagram, .pair")) continue;
    const box = node.getBoundingClientRect(), name = `<${node.localName} class="${node.className}">`;
    const found = ends.filter(([, end]) => Math.abs(box.right - left - end) < 1.5).map(([name]) => name);
    if (Math.abs(box.left - left) > 1) faults.push(`${name} begins ${box.left - left} px beside the text`);
    if (!found.length) faults.push(`${name} ends at ${box.right - left}, not at one of ${ends.map(([, end]) => end)}`);
    if (node.matches("pre, .table, .calc") && !found.some((name) => name !== "prose")) faults.push(`${name} ends where prose does`);
  }
  for (const node of main.querySelectorAll(":scope > .pair > .excerpt")) {
    if (Math.abs(node.getBoundingClientRect().left - left) > 1) faults.push("a listing begins beside the text");
  }
  return [...new Set(faults)];
})()"""


def edges(context, page):
    """All blocks of a page begin at one edge; prose ends at its measure, and what is not prose where code ends."""
    for path in context.sample(context.own, "lab", "section"):
        page.open(context.own.http(path))
        for width, height in BESIDE[:3]:
            page.size(width, height)
            for fault in page.run(EDGES):
                context.fail(fault, f"{path} at {width} px")
            context.checks += 1


# Entries of the margin that overlap code, a table or a drawing.
OVER = """(() => {
  const faults = [], box = (node) => node.getBoundingClientRect();
  const shown = [...document.querySelectorAll("main :is(.diagram svg, table, pre, .calc)")].filter((node) => node.checkVisibility());
  for (const entry of document.querySelectorAll("main :is(.aside, .beside, .notes > .note > div)")) {
    const a = box(entry);
    for (const node of a.width ? shown : []) {
      const b = box(node);
      if (entry.contains(node) || a.left > b.right - 1 || b.left > a.right - 1 || a.top > b.bottom - 1 || b.top > a.bottom - 1) continue;
      faults.push(`“${entry.textContent.trim().slice(0, 40)}” lies over <${node.localName}> “${node.textContent.trim().slice(0, 30)}”`);
    }
  }
  return faults;
})()"""


def over(context, page):
    """Nothing in the margin lies over the text."""
    for size in ((1024, 768), WIDE):
        page.size(*size)
        for path in context.sample(context.own, "lab", "section"):
            page.open(context.own.http(path))
            for fault in page.run(OVER):
                context.fail(fault, f"{path} at {size[0]} px")
            context.checks += 1
        context.axe(page, f"the last of them at {size[0]} px, ")


# Superscripts and the like that make a line of prose higher than the others, and ground of code in tables.
HOLES = """(() => {
  const faults = [], range = document.createRange();
  for (const node of document.querySelectorAll("main > p, main > :is(ul, ol) > li")) {
    if (!node.checkVisibility() || node.matches(".ask-yourself, .done") || node.querySelector("math, img, br, code, svg, p, ul, ol, .aside")) continue;
    const lines = Math.round(node.getBoundingClientRect().height / parseFloat(getComputedStyle(node).lineHeight) * 100) / 100;
    if (Math.abs(lines - Math.round(lines)) > 0.02 && !getComputedStyle(node).padding.match(/[1-9]/)) faults.push(`“${node.textContent.slice(0, 40)}” is ${lines} lines high`);
  }
  const grounds = new Set([...document.querySelectorAll("main :is(td, th) code")].map((code) => getComputedStyle(code).backgroundColor));
  if (grounds.size > 1) faults.push(`code in tables is on ${[...grounds]}`);
  for (const file of document.querySelectorAll("main a.mono, .excerpt .file, .files th a")) {
    const text = document.createTreeWalker(file, NodeFilter.SHOW_TEXT);
    while (text.nextNode()) {
      const at = text.currentNode.data.search(/\\.\\w+$/);
      if (at < 1 || !file.checkVisibility()) continue;
      const tops = [at - 1, at].map((at) => { range.setStart(text.currentNode, at); range.setEnd(text.currentNode, at + 1); return range.getBoundingClientRect().top; });
      if (Math.abs(tops[0] - tops[1]) > 2) faults.push(`${file.textContent} is broken before its extension`);
    }
  }
  return faults;
})()"""


def holes(context, page):
    """Lines of prose are equally high, code in tables has one ground, and no name of a file is broken before its extension."""
    for path in context.sample(context.own, "lab", "section", "folder", "labs"):
        page.open(context.own.http(path))
        for size in (WIDE, (1024, 768), PHONE):
            page.size(*size)
            for fault in page.run(HOLES):
                context.fail(fault, f"{path} at {size[0]} px")
            context.checks += 1


def figures(context, page):
    """A drawing has its caption below it. On a phone what is drawn fits, unless it would be too small; and two drawings that
    follow each other stand side by side where they have room."""
    for path in context.sample(context.own, "lab", "section"):
        page.size(*PHONE)
        page.open(context.own.http(path))
        bare = page.run("[...document.querySelectorAll('main > .diagram')].filter((node) => !node.querySelector(':scope > figcaption')?.textContent.trim()).length")
        context.check(not bare, f"{bare} drawings have no caption", path)
        cut = page.run("[...document.querySelectorAll('main > .diagram:not(.panned)')].filter((node) => node.scrollWidth > node.clientWidth + 1).length")
        context.check(not cut, f"{cut} drawings go on beyond the edge of a phone", path)
    for size, is_beside in ((WIDE, True), ((1024, 768), False), (PHONE, False)):
        page.size(*size)
        page.open(context.own.http("tracks/ai-infra/handbook/transformer-block.html"))
        beside = page.run("(() => { const side = document.querySelector('main > .side').getBoundingClientRect(), text = document.querySelector('main > .side + p').getBoundingClientRect(); return [Math.abs(side.top - text.top) < 50 && side.left > text.right, document.querySelectorAll('main > .aside ~ .side ~ .aside').length > 0]; })()")
        context.equal(beside, [is_beside, True], f"at {size[0]} px, whether a narrow drawing is beside its text, and definitions follow it")
    page.open(context.own.http("tracks/ai-infra/labs/lab-04-cuda-reduce.html"))
    for size, rows in ((WIDE, 1), (PHONE, 2)):
        page.size(*size)
        tops = page.run("[...document.querySelectorAll('.diagram:has(+ .diagram), .diagram + .diagram')].map((node) => node.getBoundingClientRect().top)")
        context.equal((len(tops), len(set(tops))), (2, rows), f"two drawings and their rows at {size[0]} px")
    for path in context.sample(context.own, "lab", "section"):
        page.size(*WIDE)
        page.open(context.own.http(path))
        row = page.run("document.querySelector('.figures tr[id]')?.id")
        if not row:
            continue
        page.run(f"location.hash = '#{row}'; new Promise(requestAnimationFrame).then(() => 0)")
        lit, room = page.run(f"(() => {{ const row = document.getElementById('{row}'), mark = document.body.appendChild(document.createElement('i'));"
                             " mark.style.background = 'var(--select)'; const color = getComputedStyle(mark).backgroundColor; mark.remove();"
                             " return [[...row.cells].every((cell) => getComputedStyle(cell).backgroundColor === color) && row.checkVisibility(),"
                             " row.closest('table').offsetWidth]; })()")
        context.check(lit, "the row that a link leads to is not lit", path)
        context.check(room > 1000, f"the list of figures is {room} px wide", path)


def run(context):
    for check in [edges, over, holes, figures, beside, chosen, starters, letters, drawings, more, formulas, listings]:
        with context.part(check.__name__), context.page(*WIDE) as page:
            check(context, page)
