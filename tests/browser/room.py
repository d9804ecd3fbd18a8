"""How pages use their room: no holes beside code, code at hand while its note is read, a starter's notes near their lines,
lines of prose that are neither long nor short, drawings and tables that can be read, and signs of what is beyond an edge."""

import json

WIDE, PHONE = (1440, 900), (390, 844)
WIDTHS = [1440, 1216, 1024, 768]
# A run of blank rows counts beyond this height, and a page may have this share of such rows.
RUN, SHARE = 120, 0.05
# How far from its line a note at rest may be on a starter's page.
NEAR = 200
# The letters of a line: of prose on average, of a note at most.
PROSE, NOTE = (65, 75), 75
# The height of a letter that can be read, in pixels.
SMALLEST = 11

# What may go on beyond its edge.
SCROLLED = ".diagram, .table, .math, pre.code"

# The heights of the runs of rows in a picture that have the color of the page's ground alone.
RUNS = """(async (data, ground) => {
  const picture = await createImageBitmap(await (await fetch(data)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  const runs = [];
  let run = 0;
  for (let row = 0; row < picture.height; row += 1) {
    const { data: pixels } = context.getImageData(0, row, picture.width, 1);
    const blank = pixels.every((value, at) => at % 4 === 3 || Math.abs(value - ground[at % 4]) < 3);
    if (blank) run += 1;
    else { runs.push(run); run = 0; }
  }
  return [...runs, run].filter((run) => run > 0);
})"""
# The column of prose and code, the page's height, and the color of its ground.
COLUMN = """(() => {
  const main = document.querySelector("main"), style = getComputedStyle(main);
  const { x, y, height } = main.getBoundingClientRect();
  const clip = { x: x + parseFloat(style.paddingLeft), y: y + scrollY, width: parseFloat(style.gridTemplateColumns), height, scale: 1 };
  const ground = getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number);
  return { clip, whole: document.documentElement.scrollHeight, ground };
})()"""
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
CHOSEN = """(() => {
  const faults = [], far = ([x, y], { left, right, top, bottom }) =>
    Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
  for (const marker of document.querySelectorAll("main > .pair .marker")) {
    const pair = marker.closest(".pair"), note = document.querySelector(marker.hash), head = 72;
    if (!marker.checkVisibility()) continue;
    const high = pair.getBoundingClientRect().height <= innerHeight - head;
    scrollTo(0, scrollY + (high ? pair : marker).getBoundingClientRect().top - (high ? head : innerHeight / 3));
    const before = marker.getBoundingClientRect().top;
    marker.click();
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


def blank(page, easel):
    """The share of a page's height that is blank in its column of code, beyond what may be blank."""
    column = page.run(COLUMN)
    picture = {"format": "png", "clip": column["clip"], "captureBeyondViewport": True}
    data = page.send("Page.captureScreenshot", picture, timeout=60)["data"]
    runs = easel.run(f"{RUNS}('data:image/png;base64,{data}', {json.dumps(column['ground'])})")
    return sum(run - RUN for run in runs if run > RUN) / column["whole"]


def holes(context, page):
    """Beside and below code there is little that is blank, without scripts."""
    shares = {}
    with context.page() as easel:
        page.scripts(False)
        page.media(dark=False, still=True)
        for path in context.sample(context.own, "lab"):
            page.open(context.own.http(path))
            shares[path] = blank(page, easel)
            context.check(shares[path] <= SHARE, f"{shares[path]:.1%} of its height is blank beside code", path)
        page.scripts(True)
    if shares:
        mean = sum(shares.values()) / len(shares)
        print(f"          blank beside code: mean {mean:.1%}, worst {max(shares.values()):.1%}", flush=True)


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
    """Prose has 65 to 75 letters in a line, and notes have at most 75, at every width that has the room."""
    for path in context.sample(context.own, "lab")[:3]:
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
    """Whatever goes on beyond its edge says so: it fades out there until it is scrolled to its end. On a wide screen no code
    with notes below it is cut off, and on a phone each number of a calculator is shown whole."""
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
        page.size(*WIDE)
        cut = page.run("[...document.querySelectorAll('main > .below .listing')].filter((node) => node.scrollWidth > node.clientWidth + 1).length")
        context.check(not cut, f"{cut} excerpts are cut off on a wide screen", path)


# Faults of the rows of a listing: an omission that names another number of lines than it stands for, and a jump of the
# numbers for which nothing is shown.
JUMPS = """[...document.querySelectorAll(".listing")].flatMap((listing) => {
  const rows = [...listing.querySelectorAll(".line, .omitted")], number = (row) => Number(row?.dataset.line);
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
# The deepest indent, and the widest space before the code of a line, which may begin on its second row, in columns.
INDENTS = """(() => {
  const range = document.createRange(), probe = document.createElement("canvas").getContext("2d");
  const spaces = [...document.querySelectorAll("main > .pair .line")].flatMap((line) => {
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let deep = 0;
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (text.parentElement.closest(".markers")) continue;
      const at = text.data.search(/\\S/);
      if (at < 0) { deep += text.data.length; continue; }
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const style = getComputedStyle(line);
      probe.font = `${style.fontSize} ${style.fontFamily}`;
      const wide = probe.measureText("0").width;
      return [[deep + at, (range.getBoundingClientRect().left - line.getBoundingClientRect().left - 44) / wide]];
    }
    return [];
  });
  return [Math.max(0, ...spaces.map(([deep]) => deep)), Math.max(0, ...spaces.map(([, shown]) => shown))];
})()"""


# The comments behind code that begin beside it and go on below it.
TORN = """[...document.querySelectorAll("main > .pair .line > .c")].filter((node) => {
  const box = node.getBoundingClientRect(), line = node.parentNode.getBoundingClientRect();
  return node.checkVisibility() && box.height > 30 && box.top < line.top + 12 && box.left > line.left + 200;
}).map((node) => node.textContent)"""


def formulas(context, page):
    """Formulas have the letters of the text: a system without a font for formulas shows the same, and nothing is sans serif."""
    page.send("DOM.enable")
    page.send("CSS.enable")
    fonts = set()
    for path in context.sample(context.own, "lab", "section"):
        page.open(context.own.http(path))
        root = page.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        for node in page.send("DOM.querySelectorAll", {"nodeId": root, "selector": "math :is(mi, mn, mo, mtext)"})["nodeIds"]:
            fonts |= {font["familyName"] for font in page.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]}
    wrong = sorted(font for font in fonts if "Math" in font or "Sans" in font)
    context.check(fonts and not wrong, f"formulas are set in {wrong}")


def listings(context, page):
    """The numbers of lines jump only where a row or a mark says so; on a phone a deep indent takes less of the line."""
    deepest = 0
    for path in context.sample(context.own, "lab", "starter"):
        page.size(*WIDE)
        page.open(context.own.http(path))
        for fault in page.run(JUMPS):
            context.fail(fault, path)
        context.checks += 1
        page.size(*PHONE)
        torn = page.run(TORN)
        context.check(not torn, f"the comments {torn} begin beside their code and end below it", path)
        deep, shown = page.run(INDENTS)
        deepest = max(deepest, deep)
        context.check(shown <= 14.5, f"an indent of {deep} columns takes {shown:.1f}", path)
    if not context.only:
        context.check(deepest > 12, f"the deepest indent has {deepest} columns")


def run(context):
    for check in [holes, chosen, starters, letters, drawings, more, formulas, listings]:
        with context.part(check.__name__), context.page(*WIDE) as page:
            check(context, page)
