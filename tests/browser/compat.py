"""Other readers' settings and programs: forced colors, a larger font, browsers of 2023, reader views, copies, translation,
and the browser's own search."""

import json
import re
import tempfile
from pathlib import Path
from urllib.parse import quote

import course
from cdp import Browser, Failure
from context import HERE, Site

PHONE, WIDE = (390, 844), (1440, 900)
READABILITY = HERE / "node_modules/@mozilla/readability/Readability.js"
LAB = "tracks/ai-infra/labs/lab-01-transformer-memory.html"

# A page with an excerpt that is folded at its end, and with one that leaves out lines.
LINES = [f"name_{number} = 0  # name_{number} equals {number}" for number in range(1, 61)]
LEFT = [f"left_{number} = 0  # left_{number} equals {number}" for number in range(1, 31)]
FOLDED = {
    "content/site.yaml": "title: Folded\n",
    "content/index.md": "---\ntitle: Home\n---\nWords.\n",
    "content/folded.md": "---\ntitle: Folded\n---\n" + course.excerpt("\n".join(LINES), ["`name_1` — The first."], "names.py") + "\nAnd:\n\n"
    + course.excerpt(f"{LEFT[0]}\n⋯\n{LEFT[29]}", ["`left_1` — The first."], "left.py#L1,L30"),
    "code/names.py": "\n".join(LINES) + "\n",
    "code/left.py": "\n".join(LEFT) + "\n",
}
# What browsers of 2023 do not have. Scripts must not call it, or only where it is there.
YOUNG = """
delete String.prototype.isWellFormed;
delete HTMLElement.prototype.popover;
for (const name of ["showPopover", "hidePopover", "togglePopover"]) delete HTMLElement.prototype[name];
delete Document.prototype.onbeforematch;
delete HTMLElement.prototype.onbeforematch;
delete Element.prototype.checkVisibility;
const { supports } = CSS;
CSS.supports = (...what) => !String(what).includes("details-content") && supports.apply(CSS, what);
"""
# The same in style sheets, as they are published.
YOUNG_STYLES = r"light-dark\(|@scope|@starting-style|anchor\(|\bround\("


def run(context):
    with context.part("smallest letters"):
        smallest(context, context.own)
    with context.part("smallest letters"):
        smallest(context, context.own)
    for name, check in [("forced colors", forced), ("font size", font_size), ("older browsers", older), ("reader view", reader_view),
                        ("copies", copies), ("translation", translation), ("find in page", find_in_page)]:
        with context.part(name), context.page(*WIDE) as page:
            check(context, page, context.own)


def contrast(page, reader, selector):
    """The contrast between the lightest and the darkest pixel of the letters of an element, as they are painted: forced
    colors are in no computed style."""
    box = page.run(f"""(() => {{
      const node = document.querySelector({json.dumps(selector)});
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("* {{ text-decoration: none !important; }}");
      document.adoptedStyleSheets = [sheet];
      node.scrollIntoView({{ block: "center", behavior: "instant" }});
      const range = document.createRange();
      range.selectNodeContents(node);
      const {{ x, y, width, height }} = range.getBoundingClientRect();
      return {{ x: x + scrollX, y: y + scrollY, width, height }};
    }})()""")
    data = page.send("Page.captureScreenshot", {"format": "png", "clip": {**box, "scale": 1}})["data"]
    return reader.run(f"""(async () => {{
      const picture = await createImageBitmap(await (await fetch("data:image/png;base64,{data}")).blob());
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      canvas.drawImage(picture, 0, 0);
      const {{ data }} = canvas.getImageData(0, 0, picture.width, picture.height);
      const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      let [low, high] = [1, 0];
      for (let at = 0; at < data.length; at += 4) {{
        const light = 0.2126 * part(data[at]) + 0.7152 * part(data[at + 1]) + 0.0722 * part(data[at + 2]);
        [low, high] = [Math.min(low, light), Math.max(high, light)];
      }}
      return (high + 0.05) / (low + 0.05);
    }})()""")


def forced(context, page, site):
    """What browsers give a color of its own can be read where the style sheet has taken its background away."""
    marked = next(path for path in site.of_kind("lab") if "<mark>" in (site.folder / path).read_text())
    with context.page(100, 100) as reader:
        for dark in (False, True):
            page.media(forced=True, dark=dark, still=True)
            page.open(site.http(marked))
            kinds = [".line mark", ".pair .copy", ".find", "main p a[href]", ".excerpt .file"]
            for kind in kinds:
                found = contrast(page, reader, kind)
                context.check(found > 4.5, f"{kind} has a contrast of {found:.1f} in forced {'dark' if dark else 'light'} colors", marked)
            page.open(site.http("tracks/ai-infra/labs/softmax-triton.html"))
            page.wait("document.querySelector('.lost mark')")
            found = contrast(page, reader, ".lost mark")
            context.check(found > 4.5, f".lost mark has a contrast of {found:.1f} in forced {'dark' if dark else 'light'} colors", "404.html")


# Lines of text that are cut off or painted over by the next one, text that is not as large as the reader wants.
GROWN = """(base) => {
  const faults = new Set(), name = (node) => node.tagName.toLowerCase() + (node.className ? `.${String(node.className).split(" ")[0]}` : "");
  const isSeen = (node) => node.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && node.getClientRects().length;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const box = node.parentElement;
    if (!node.data.trim() || !isSeen(box) || box.closest("svg, math, .hidden, option")) continue;
    const size = parseFloat(getComputedStyle(box).fontSize);
    if (size < base * 0.6) faults.add(`${name(box)} has letters of ${size} px where the reader wants ${base}`);
  }
  // Rows of one listing follow each other, and its head is above them.
  for (const listing of document.querySelectorAll("figure.excerpt")) {
    const rows = [...listing.querySelectorAll(".line")].filter(isSeen).map((row) => [row, row.getBoundingClientRect()]);
    const head = listing.querySelector("figcaption");
    const first = rows[0]?.[1];
    const bottom = Math.max(...[...head.querySelectorAll("a, button, span")].filter(isSeen).map((node) => node.getBoundingClientRect().bottom));
    if (first && bottom > first.top + 1) faults.add(`the head of ${listing.id} reaches ${(bottom - first.top).toFixed(1)} px into its code`);
    for (const [at, [row, box]] of rows.entries()) {
      const range = document.createRange();
      range.selectNodeContents(row);
      const letters = parseFloat(getComputedStyle(row).fontSize);
      if (box.height + 0.5 < letters * 1.3) faults.add(`rows of ${listing.id} are ${box.height} px high for letters of ${letters} px`);
      const next = rows[at + 1]?.[1];
      if (next && next.top < box.bottom - 1) faults.add(`rows of ${listing.id} overlap`);
    }
    // Numbers have room in their gutter.
    const last = rows.at(-1)?.[0];
    if (last) {
      const number = getComputedStyle(last, "::before");
      const canvas = new OffscreenCanvas(1, 1).getContext("2d");
      canvas.font = `${number.fontSize} ${number.fontFamily}`;
      const width = canvas.measureText(last.dataset.line).width;
      if (number.content !== "none" && width > parseFloat(number.width)) faults.add(`numbers of ${listing.id} are ${width.toFixed(0)} px wide in ${number.width}`);
    }
  }
  return [...faults];
}"""


def font_size(context, page, site):
    """Everything grows with the font size of the browser's settings."""
    paths = [LAB, "index.html", "tracks/ai-infra/index.html", site.of_kind("starter")[0]]
    page.open(site.http(LAB))
    size = "parseFloat(getComputedStyle(document.querySelector('.line')).fontSize)"
    rows = "document.querySelector('.line').getBoundingClientRect().height"
    page.size(*PHONE)
    usual, row = page.run(size), page.run(rows)
    try:
        for base in (32, 20, 10):
            page.send("Page.setFontSizes", {"fontSizes": {"standard": base, "fixed": base}})
            for width, height in (WIDE, PHONE):
                page.size(width, height)
                for path in paths:
                    page.open(site.http(path))
                    where = f"{path} with {base} px at {width}"
                    for fault in page.run(f"({GROWN})({base})"):
                        context.fail(fault, where)
                    over = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    context.check(over <= 0, f"a page is {over} px wider than the window", where)
                    context.check(True, "")
            page.size(*PHONE)
            page.open(site.http(LAB))
            grown, high = page.run(size), page.run(rows)
            context.check(abs(grown / usual - base / 16) < 0.02, f"code has {grown} px where it had {usual}", f"{base} px")
            context.check(abs(high / row - base / 16) < 0.02, f"rows have {high} px where they had {row}", f"{base} px")
    finally:
        page.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})


def smallest(context, site):
    """Where a reader allows no letters smaller than 24 px, rows of code and lines of notes have room for them."""
    browser = Browser()
    settings = Path(browser.profile) / "Default"
    settings.mkdir()
    (settings / "Preferences").write_text(json.dumps({"webkit": {"webprefs": {"minimum_font_size": 24}}}))
    with browser:
        page = browser.page(*WIDE)
        for path in (LAB, site.of_kind("starter")[0]):
            for width, height in (WIDE, PHONE):
                page.size(width, height)
                page.open(site.http(path))
                context.equal(page.run("getComputedStyle(document.querySelector('.line')).fontSize"), "24px", "letters of code")
                for fault in page.run(f"({GROWN})(16)"):
                    context.fail(fault, f"{path} at {width}")
                low = page.run("[...document.querySelectorAll('.note > div')].map((note) => parseFloat(getComputedStyle(note).lineHeight)).filter((high) => high < 30)")
                context.check(not low, f"lines of notes are {low[:1]} px high", f"{path} at {width}")


def older(context, page, site):
    """In a browser of 2023 scripts do their work, and what a style sheet says is understood."""
    for path in sorted((site.folder / "assets").glob("*.css")):
        found = re.findall(YOUNG_STYLES, path.read_text())
        context.check(not found, f"browsers of 2023 do not know {found[:3]}", path.name)
        for text in re.finditer(r'([^{};]*);?(content:([^;}]*?)/"")', path.read_text()):
            context.check(text[1] == f"content:{text[3]}", f"without alternative texts, nothing is there: {text[2]}", path.name)
    with context.page(*PHONE) as page:
        page.send("Page.addScriptToEvaluateOnNewDocument", {"source": YOUNG})
        page.open(site.http(LAB))
        # What is read is kept.
        page.run("document.querySelector('.mark').click(); 0")
        page.open(site.http(LAB))
        context.check(page.run("document.querySelector('main').matches('.is-read')"), "nothing is kept")
        # A term is in no sheet, which would be a part of the page far below.
        page.run("document.querySelector('main .term > a').click(); 0")
        page.wait("location.pathname.endsWith('glossary.html')")
        context.check(not page.run("document.querySelector('.sheet')"), "a sheet is there")
        context.quiet(page, site)
    with context.page(*WIDE) as page:
        page.send("Page.addScriptToEvaluateOnNewDocument", {"source": YOUNG})
        page.open(site.http(LAB))
        count = "document.querySelectorAll('details:not([open])').length"
        before = page.run(count)
        page.wait(f"(dispatchEvent(new Event('beforeprint')), {count} === 0)")
        page.run("dispatchEvent(new Event('afterprint')); 0")
        context.equal(page.run(count), before, "what is folded after printing")
        context.quiet(page, site)


def reader_view(context, page, site):
    """What Firefox and others make of a page for reading has code as it is in its file."""
    source = READABILITY.read_text() + "\nglobalThis.Readability = Readability; 0"
    starters = site.of_kind("starter")
    typeset = [path for path in starters if 'class="typeset' in (site.folder / path).read_text()]
    for path in [*context.sample(site, "lab"), *starters[:2], *typeset[:1]]:
        page.open(site.http(path))
        world = context.world(page)
        context.evaluate(page, source, world)
        # As text, code is what an excerpt shows of its file.
        found = context.evaluate(page, """(() => {
          const { content } = new Readability(document.cloneNode(true)).parse();
          const shown = [...new DOMParser().parseFromString(content, "text/html").querySelectorAll("pre")].map((pre) => pre.textContent);
          const real = [...document.querySelectorAll("main pre")].map((pre) => {
            const copy = pre.cloneNode(true);
            for (const node of copy.querySelectorAll("a:not(.omitted), .sign")) node.remove();
            return copy.textContent;
          });
          const lines = new Set(real.flatMap((text) => text.split("\\n").map((line) => line.trim())));
          return { count: shown.length, wrong: shown.flatMap((text) => text.split("\\n")).filter((line) => !lines.has(line.trim())) };
        })()""", world)
        context.check(found["count"], "a reader view has no code", path)
        context.check(not found["wrong"], f"a reader view has lines that are in no code, such as {found['wrong'][:2]}", path)


def copies(context, page, site):
    """A copied formula is its source. What could not be copied is not called copied."""
    path = next(path for path in site.pages if path.startswith("tracks/") and "<mfrac" in (site.folder / path).read_text())
    page.open(site.http(path))
    copied = """(async () => {
      const math = [...document.querySelectorAll("main p math")].find((math) => math.querySelector("mfrac"));
      const block = math.closest("p"), shown = block.querySelectorAll("math").length;
      getSelection().selectAllChildren(block);
      const expected = math.querySelector("annotation").textContent.trim();
      await new Promise((done) => setTimeout(done, 500));
      const got = {};
      addEventListener("copy", ({ clipboardData }) => Object.assign(got, { text: clipboardData.getData("text/plain"), html: clipboardData.getData("text/html") }), { once: true });
      document.execCommand("copy");
      return { ...got, expected, same: getSelection().toString() !== "" && shown === [...block.querySelectorAll("math")].filter((math) => math.checkVisibility()).length };
    })()"""
    found = page.run(copied)
    context.check(found["expected"] in (found.get("text") or ""), f"a copied formula is {found.get('text')!r}, not {found['expected']!r}", path)
    context.check(found["same"], "after copying, the page is another one", path)
    context.quiet(page, site)
    page.open(site.http(LAB))
    page.run("""(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("forbidden"));
      document.execCommand = () => false;
    })()""")
    page.click(".pair .copy")
    page.wait("document.querySelector('.pair .copy').dataset.name")
    context.check(page.run("document.querySelector('.pair .copy').textContent !== infralens.words.copied"), "what was not copied is called copied")


def translation(context, page, site):
    """Programs that translate pages leave code as it is."""
    for path in [LAB, "guide/excerpts.html", *site.of_kind("starter")[:1]]:
        page.open(site.http(path))
        count = page.run("[...document.querySelectorAll('main :is(pre, code)')].filter((node) => node.translate && !node.closest('.calc, .figures')).length")
        context.check(not count, f"{count} pieces of code would be translated", path)


def find_in_page(context, page, own):
    """Text that is folded is found by the browser, as by an address that has a text. There it opens what folds it."""
    with tempfile.TemporaryDirectory(prefix="infralens-folded-") as folder:
        course.put(Path(folder), FOLDED)
        site = Site("folded", folder).serve()
    try:
        lab = next(path for path in own.of_kind("lab") if '<details class="question"' in (own.folder / path).read_text())
        page.open(own.http(lab))
        answer = page.run("[...document.querySelectorAll('.question > .answer')].map(({ textContent }) => /[A-Za-z]+( [A-Za-z]+){3,}/.exec(textContent)?.[0]).find(Boolean)")
        for where, path, words in [(site, "folded.html", "name_50 equals 50"), (site, "folded.html", "left_12 equals 12"), (own, lab, answer)]:
            # On the page that is there already, the browser would only scroll.
            page.open("about:blank")
            page.requests.clear()
            page.open(f"{where.http(path)}#:~:text={quote(words)}")
            seen = f"""(() => {{
              const found = [...document.querySelectorAll(".line, .answer")].find((node) => node.textContent.includes({json.dumps(words)}));
              const {{ top, bottom, height }} = found.getBoundingClientRect();
              return found.checkVisibility() && height > 0 && bottom > 0 && top < innerHeight;
            }})()"""
            try:
                page.wait(seen, 3)
            except Failure:
                context.fail(f"folded text is not found: {words}")
            context.checks += 1
            context.quiet(page, where)
        # What was opened by a search folds again, and is found again.
        page.open(site.http("folded.html"))
        folded = "document.querySelector('.opened .line').checkVisibility()"
        for turn in (1, 2):
            page.click("label.omitted")
            context.check(page.run(folded), f"an omission opens, {turn}")
            page.click("label.omitted")
            context.check(not page.run(folded), f"an omission folds, {turn}")
        kept = "[...document.querySelectorAll('.rest, .opened')].every((node) => node.hidden === 'until-found')"
        context.check(page.run(kept), "what is folded again is not found")
        # Nothing of it takes room.
        room = page.run("document.querySelector('.unfold').getBoundingClientRect().top - [...document.querySelectorAll('.long .line')].filter((line) => line.checkVisibility()).at(-1).getBoundingClientRect().bottom")
        context.check(abs(room) <= 2, f"what is folded takes {room} px")
        page.click(".unfold")
        context.check(page.run("[...document.querySelectorAll('.long .rest')].every((node) => node.checkVisibility() && node.offsetHeight > 0)"), "what is unfolded is not there")
    finally:
        site.end()
