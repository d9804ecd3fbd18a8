"""Every page of the sites, whatever is on it: silent, within its window, still, reachable, light, and without violations."""

import gzip
import html.parser
import http.client
import re
import urllib.parse

WIDE, NARROW = (1440, 900), (390, 844)
# 320 wide and 256 high is a window of 1280 by 1024 at 400 %.
SIZES = [WIDE, (1024, 768), NARROW, (320, 256)]
# A4, at 96 pixels an inch.
PAPER = (794, 1123)
# Bytes of a lab page as they are sent: all, the styles, the scripts. Each lab has calculators, whose script comes later.
LIMITS = {"all": 53_200, "css": 15_900, "js": 11_200}
# What a page in another language may weigh above that: UTF-8 has three bytes for a Chinese character, also in labels.
LANGUAGE = {"all": 2_200, "css": 100, "js": 300}
# Pages of the crowded course, which has a few hundred that are alike.
CROWDED = ["index.html", "tracks/many/index.html", "tracks/many/labs/index.html", "tracks/many/labs/lab-250-number.html"]


def run(context):
    own, hard, crowd = context.own, context.hard, context.crowd
    with context.part("weight"):
        weights(context, own)
    for site in (own, hard, crowd):
        paths = CROWDED if site is crowd else context.sample(site)
        if site is hard:  # each of its pages of these kinds is bad in a way of its own
            paths = sorted({*paths, *hard.of_kind("page", "section", "lab", "starter")})
        typical = () if site is crowd else context.typical(site).values()
        # Of the project's own pages, many of a kind, only the typical ones are seen in every size.
        few = () if site is hard else [path for path in paths if path not in typical]
        # By width, whether colors are dark: no color depends on the width.
        axe = {WIDE: [False, True] if site is own and context.every else [False], NARROW: [True]}
        with context.part(f"{site.name} course"), context.page(*WIDE) as page:
            for path in context.wanted(paths):
                with context.part(path):
                    visit(context, page, site, path, SIZES[::3] if path in few else SIZES, axe if path in typical else {})
    with context.part("links"):
        for site in (own, hard):
            links(context, site)
    each = [("keyboard", keyboard), ("no scripts", unscripted), ("from disk", disk)]
    for name, check in each:
        with context.part(name), context.page(*WIDE) as page:
            page.scripts(check is not unscripted)
            for path in context.wanted(context.typical(own).values()):
                with context.part(path):
                    check(context, page, own, path)
    with context.part("progress"), context.page(*WIDE) as page:
        remembered(context, page, own)
    with context.part("drawer"), context.page(*NARROW) as page:
        drawer(context, page, own)
    with context.part("keys"), context.page(*WIDE) as page:
        keys(context, page, own)
    with context.part("reading order"), context.page() as page:
        follow(context, page, own.file())
    with context.part("redirects"), context.page() as page:
        for path in hard.of_kind("redirect"):
            page.open(hard.http(path))
            page.wait("!document.body.matches('.page-redirect')")
            context.quiet(page, hard)


def allowed(path):
    """What the console may say of a page."""
    return ["status of 404"] if path == "404.html" else ()


def arrives(context, page, address):
    """Nothing moves while a page is loaded. On a busy machine the rows of a long table may arrive in two parts and are laid out
    twice, so a page that moves is loaded once more."""
    page.open(address)
    if context.evaluate(page, "measure.shift()", context.world(page)):
        page.open(address)
        context.measure(page, "shift()", "moves by itself")
    context.checks += 1


def visit(context, page, site, path, sizes, axe):
    """One page in several sizes, in some of which axe-core sees it, on paper, with forced colors and without motion."""
    page.size(*WIDE)
    page.media(dark=False, still=True)
    arrives(context, page, site.http(path))
    context.quiet(page, site, allowed(path))
    for size in sizes:
        page.size(*size)
        context.measure(page, "layout()", f"{size[0]}")
        for dark in axe.get(size, ()):
            page.media(dark=dark, still=True)
            context.axe(page, f"{'dark' if dark else 'light'}, {size[0]}")
    context.measure(page, "stuck()", "320")
    page.size(*PAPER)
    page.media("print")
    context.measure(page, "layout(true)", "print")
    page.size(*WIDE)
    page.media(forced=True, still=True)
    for call in ["layout()", "borders()", "motion()"]:
        context.measure(page, call, "forced colors, no motion")


def keyboard(context, page, site, path, stops=40):
    """Tab leads through the page; what has the focus shows it, in sight."""
    page.open(site.http(path))
    world = context.world(page)
    seen = []
    for _ in range(stops):
        page.press("Tab")
        focus = context.evaluate(page, "measure.focus()", world)
        if focus is None:
            break
        seen.append(focus["name"])
        for fault in focus["faults"]:
            context.fail(fault)
    context.check(len(set(seen)) > 5, f"Tab leads to {len(set(seen))} places only")
    context.quiet(page, site, allowed(path))


def unscripted(context, page, site, path):
    """All text is there, and what is folded can be opened."""
    page.open(site.http(path))
    context.check(page.run("!document.documentElement.classList.contains('js')"), "scripts run")
    context.measure(page, "hidden()")
    for size in (WIDE, NARROW):
        page.size(*size)
        context.measure(page, "layout()", f"{size[0]}")
    if page.run("Boolean(document.querySelector('main details:not([open]) > summary')?.getClientRects().length)"):
        page.run("document.querySelector('main details:not([open])').id = 'First'; 0")
        page.click("#First > summary")
        context.check(page.run("document.querySelector('#First').open"), "what is folded does not open")
    context.quiet(page, site, allowed(path))
    page.size(*WIDE)


def disk(context, page, site, path):
    """Opened as a file, a page finds all that it needs, and moves no more than from a server."""
    # The page for what is not found names its files by where the site will stand.
    if path != "404.html":
        arrives(context, page, site.file(path))
        context.quiet(page, site)


class Named(html.parser.HTMLParser):
    """Where a page leads, what it needs, and the ids that it has."""

    def __init__(self, text):
        super().__init__()
        self.leads, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, given):
        for name, value in given:
            if name in ("href", "src", "data-script") and tag not in ("base",):
                self.leads.append(value)
            elif name == "id":
                self.ids.add(value)


def links(context, site):
    """Everything that a page's markup leads to is there, and so is the place on it that is named."""
    named = {path: Named((site.folder / path).read_text()) for path in site.pages}
    host = http.client.HTTPConnection("127.0.0.1", site.server.server_port)
    found = {}
    for path in context.wanted(site.pages):
        for lead in sorted(set(named[path].leads)):
            whole = urllib.parse.urljoin(site.http(path), lead)
            if not whole.startswith(site.root):
                scheme = urllib.parse.urlsplit(whole).scheme
                context.check(scheme in ("http", "https", "mailto") and not whole.startswith("http://127."), f"{lead} leads out of the site", path)
                continue
            address, _, place = whole.partition("#")
            if address not in found:
                host.request("HEAD", urllib.parse.urlsplit(address).path)
                answer = host.getresponse()
                answer.read()
                found[address] = answer.status
            context.check(found[address] == 200, f"{lead} leads nowhere", path)
            target = named.get(urllib.parse.unquote(address.removeprefix(site.root)))
            if place and target:
                context.check(urllib.parse.unquote(place) in target.ids, f"{lead} leads to no place on its page", path)
    host.close()


# A store with the first two of each list of pages read, a page left in its middle, and cards due.
STORED = """(() => {
  const { store } = infralens, at = store.now(), read = {};
  for (const list of document.querySelectorAll("[data-order]"))
    for (const node of [...list.querySelectorAll("[data-read]")].slice(0, 2)) read[node.dataset.read] = at;
  const [url] = Object.keys(read);
  const card = { track: "TRACK", stability: 2, difficulty: 5, first: at, at, due: at.slice(0, 10) };
  store.change((state) => Object.assign(state, {
    read, last: { url, title: "A page with a title of some length, left in its middle", at, id: "E1-N2", n: 2, m: 6 },
    cards: Object.fromEntries(["0", "1"].map((digit) => [digit.repeat(16), card])),
  }));
  return Object.keys(read).length;
})()"""


def remembered(context, page, site):
    """Nothing moves when what was read before is filled in, even if it is after the page was painted."""
    home, track, lab, practice = (context.typical(site)[kind] for kind in ("home", "track", "lab", "practice"))
    page.open(site.http(track))
    context.check(page.run(STORED.replace("TRACK", track.split("/")[1])) > 1, "pages are read")
    page.send("Network.setCacheDisabled", {"cacheDisabled": True})
    site.server.late = 0.2
    for path in [home, track, lab, practice, "progress.html"]:
        for size in SIZES[:3]:
            page.size(*size)
            page.open(site.http(path))
            context.measure(page, "shift()", f"{path}, {size[0]}, with progress, moves by itself")
            context.measure(page, "layout()", f"{path}, {size[0]}, with progress")
    site.server.late = 0
    page.send("Network.setCacheDisabled", {"cacheDisabled": False})
    context.check(page.run("document.querySelector('[data-kept=read]').textContent") != "0", "progress is shown")
    context.quiet(page, site)


def drawer(context, page, site):
    """On a narrow screen the course column is a drawer, with a script and without."""
    lab = context.typical(site)["lab"]
    shown = "document.querySelector('.course').checkVisibility()"
    focus = "document.activeElement.closest('.course, .menu')?.classList[0]"
    page.open(site.http(lab))
    context.check(not page.run(shown), "the drawer is closed")
    page.run("document.querySelector('.menu').focus()")
    page.press("Enter")
    page.wait(shown)
    context.measure(page, "layout()", "with the drawer open")
    context.axe(page, "with the drawer open")
    page.press("Tab")
    context.equal(page.run(focus), "course", "Tab leads into the drawer")
    page.press("Escape")
    page.wait(f"!({shown})")
    context.equal(page.run(focus), "menu", "Escape closes it, and gives the focus back")
    page.click(".menu")
    page.wait(shown)
    page.click(".course .close")
    page.wait(f"!({shown})")
    context.quiet(page, site)
    page.scripts(False)
    page.open(site.http(lab))
    page.click(".menu")
    page.wait(shown)
    page.click(".course .close")
    page.wait(f"!({shown})")


def keys(context, page, site):
    """Keys that do something by themselves can be switched off, and are again what they were."""
    lab, practice = (context.typical(site)[kind] for kind in ("lab", "practice"))
    searching = "Boolean(document.querySelector('dialog.search')?.open)"
    for on in (True, False, True):
        page.open(site.http("progress.html"))
        if page.run("document.querySelector('.shortcuts input').checked") != on:
            page.click(".shortcuts label")
        page.open(site.http("progress.html"))
        context.equal(page.run("document.querySelector('.shortcuts input').checked"), on, "the switch is kept")
        page.open(site.http(lab))
        page.press("j")
        context.equal(page.run("location.hash.includes('-N')"), on, "`j` steps to a note")
        context.equal(page.run("document.querySelector('.find kbd').checkVisibility()"), on, "keys are named")
        page.press("/")
        if on:
            page.wait(searching)
            page.press("Escape")
            page.wait(f"!({searching})")
        context.check(not page.run("document.querySelector('dialog.search')") or on, "`/` opens no search")
        page.open(site.http(practice))
        page.run("infralens.store.change((state) => { for (const [url] of Object.values(infralens.orders)[0]) state.read[url] = infralens.store.now(); })")
        page.press("Enter")
        before = "document.querySelector('.at').textContent"
        was = page.run(before)
        page.press("3")
        context.equal(page.run(before) != was, on, "`3` grades a card")
        page.press("u")
        context.equal(page.run(before), was, "`u` takes it back, or nothing was done")
    page.open(site.http(lab))
    page.press("k", ctrl=True)
    page.wait(searching)
    context.quiet(page, site)


def follow(context, page, start):
    """From the first page the reading order is followed by its links, to its end."""
    page.open(start + "/index.html")
    steps = 0
    page.open(page.run("document.querySelector('main a[href*=\"tracks/\"]').href"))
    while (after := page.run("document.querySelector('.steps .next')?.href ?? document.querySelector('.steps .next a')?.href")) and steps < 20:
        page.open(after)
        steps += 1
    context.check(steps > 1, f"the reading order has {steps} steps")


def weights(context, site):
    """What a lab page weighs as it is sent."""
    size = lambda path: len(gzip.compress(path.read_bytes(), 9, mtime=0))
    for path in site.of_kind("lab"):
        place = site.folder / path
        text = place.read_text()
        named = re.findall(r'<link rel="stylesheet" href="([^"]+)"', text), re.findall(r'<script src="([^"]+)"', text)
        css, js = (sum(size((place.parent / name.partition("?")[0]).resolve()) for name in names) for names in named)
        weight = {"all": size(place) + css + js, "css": css, "js": js}
        print(f"          {path}: HTML {size(place):,}, CSS {css:,}, JS {js:,}, in all {weight['all']:,} bytes", flush=True)
        more = LANGUAGE if '<html lang="en"' not in text else {}
        for part, limit in LIMITS.items():
            limit += more.get(part, 0)
            context.check(weight[part] <= limit, f"{path} weighs {weight[part]:,} bytes ({part}), more than {limit:,}")
