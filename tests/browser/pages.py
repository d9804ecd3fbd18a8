"""Every page of the sites, whatever is on it: silent, within its window, still, reachable, light, and without violations."""

import gzip
import re
WIDE, NARROW = (1440, 900), (390, 844)
# 320 wide and 256 high is a window of 1280 by 1024 at 400 %.
SIZES = [WIDE, (1024, 768), NARROW, (320, 256)]
# Kilobytes of a lab page as they are sent: all, the styles, the scripts.
LIMITS = {"all": 45_000, "css": 12_000, "js": 12_000}
# Pages of the crowded course, which has a few hundred that are alike.
CROWDED = ["index.html", "tracks/many/index.html", "tracks/many/labs/index.html", "tracks/many/labs/lab-250-number.html"]


def kinds(site):
    """A page of each kind, the heaviest; but none that sends its reader on."""
    found = {}
    for path in site.pages:
        kind = site.kind(path)
        if kind not in found or (site.folder / path).stat().st_size > (site.folder / found[kind]).stat().st_size:
            found[kind] = path
    found.pop("redirect", None)
    return found


def run(context):
    own, hard, crowd = context.own, context.hard, context.crowd
    with context.part("weight"):
        weights(context, own)
    for site, axe, rest in [(own, kinds(own).values(), own.pages), (hard, hard.pages, hard.pages), (crowd, CROWDED[1:2], CROWDED)]:
        stays = [path for path in context.wanted(rest) if site.kind(path) != "redirect"]
        with context.part(f"{site.name} course"), context.page(*WIDE) as page:
            for path in stays:
                with context.part(path):
                    visit(context, page, site, path, path in axe)
    with context.part("keyboard"), context.page(*WIDE) as page:
        for path in context.wanted(kinds(own).values()):
            with context.part(path):
                keyboard(context, page, own, path)
    with context.part("no scripts"), context.page(*WIDE) as page:
        page.scripts(False)
        for path in context.wanted(kinds(own).values()):
            with context.part(path):
                unscripted(context, page, own, path)
    with context.part("from disk"), context.page(*WIDE) as page:
        for path in context.wanted(kinds(own).values()):
            with context.part(path):
                # The page for what is not found names its files by where the site will stand.
                if path != "404.html":
                    page.open(own.file(path))
                    context.quiet(page, own)
        follow(context, page, own.file())
    with context.part("redirects"), context.page() as page:
        for path in [path for path in hard.pages if hard.kind(path) == "redirect"]:
            page.open(hard.http(path))
            page.wait("!document.body.matches('.page-redirect')")
            context.quiet(page, hard)


def visit(context, page, site, path, axe):
    """One page in every size, both colour schemes, on paper, with forced colours and without motion."""
    page.media(dark=False, still=True)
    page.size(*WIDE)
    page.open(site.http(path))
    context.quiet(page, site, allow=["status of 404"] if path == "404.html" else ())
    for dark in (False, True) if axe else ():
        page.media(dark=dark, still=True)
        context.axe(page, f"{'dark' if dark else 'light'}, 1440")
    context.measure(page, "shift()", "moves by itself")
    for size in SIZES:
        page.size(*size)
        context.measure(page, "layout()", f"{size[0]}")
        if size == NARROW and axe:
            context.axe(page, "dark, 390")
            page.media(dark=False, still=True)
            context.axe(page, "light, 390")
    context.measure(page, "stuck()", "320")
    page.size(794, 1123)
    page.media("print")
    context.measure(page, "layout(true)", "print")
    page.size(*WIDE)
    page.media(forced=True, still=True)
    for call in ["layout()", "borders()", "hidden()", "motion()"]:
        context.measure(page, call, "forced colours, no motion")
    page.media()


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
    context.quiet(page, site, allow=["status of 404"] if path == "404.html" else ())
    page.size(*WIDE)


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
    for path in [path for path in site.pages if site.kind(path) == "lab"]:
        place = site.folder / path
        text = place.read_text()
        named = re.findall(r'<link rel="stylesheet" href="([^"]+)"', text), re.findall(r'<script src="([^"]+)"', text)
        css, js = (sum(size((place.parent / name).resolve()) for name in names) for names in named)
        weight = {"all": size(place) + css + js, "css": css, "js": js}
        print(f"          {path}: HTML {size(place):,}, CSS {css:,}, JS {js:,}, in all {weight['all']:,} bytes", flush=True)
        for part, limit in LIMITS.items():
            context.check(weight[part] <= limit, f"{path} weighs {weight[part]:,} bytes ({part}), more than {limit:,}")
