"""A tab that stays open while the site is published again, with and without what it was made of; and scripts that do not
arrive: each of them in turn, or none because the reader is offline. Nothing leads to a wrong page, what cannot be loaded is
said, and the page is then as it is without scripts, with links that lead where they say."""

import itertools
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from context import PROGRAM, REPEATING, REPOSITORY, Site

LAB = """---
title: {title}
focus: f
reads: r
outcome: Say what it does
handbook: [section]
starter: {{ file: a.py, type: Script, angle: Top to bottom }}
---

## Code

{words}

```python file=a.py
def twice(x):
    return 2 * x
```

1. `2 * x` — the number, doubled.

## Questions

What does it return?
: Twice the number.
"""
COURSE = {
    "content/site.yaml": "title: Fresh\ntracks: [t]\nlabs: { sections: [{ title: Code }, { title: Questions, as: questions }] }\n",
    "content/index.md": "---\ntitle: Home\n---\nThe first page.\n",
    "content/tracks/t/index.md": "---\ntitle: T\nsummary: s\n---\nA track.\n",
    "content/tracks/t/practice.md": "---\ntitle: Practice\nsummary: s\n---\n",
    "content/tracks/t/handbook/01-section.md": "---\ntitle: Section\nsummary: s\n---\nA section.\n",
    "code/lab-01-x/a.py": "def twice(x):\n    return 2 * x\n",
}
PATH = "tracks/t/labs/lab-01-x.html"
LONG = "tracks/ai-infra/labs/lab-01-transformer-memory.html"
OPEN = "document.querySelector('dialog.search')?.open"
INPUT = "document.querySelector('dialog.search input')"
SAID = "document.querySelector('dialog.search [role=status]').textContent"
ROWS = "[...document.querySelectorAll('.search [role=option]')].map((row) => [row.textContent, row.href.split('#')[0]])"
NOTICE = "(document.querySelector('.notice')?.checkVisibility() && document.querySelector('.notice').textContent)"
NEWER = "There is a newer version of this site"
FAILED = "could not be loaded"


class Tab(Site):
    """A site that is published again under the tabs that show it."""

    def __init__(self, name):
        self.root_folder = Path(tempfile.mkdtemp(prefix="infralens-fresh-"))
        self.write(1)
        super().__init__(name, self.root_folder)

    def write(self, release):
        """The course of a release: what was at a place in the index in the first one is something else in the second."""
        for path, text in COURSE.items():
            place = self.root_folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        labs = self.root_folder / "content/tracks/t/labs"
        labs.mkdir(exist_ok=True)
        words = "Eviction drops what nobody reads." if release == 1 else "Nothing is dropped here any more."
        (labs / "lab-01-x.md").write_text(LAB.format(title="A cache", words=words))
        for number in range(40):
            word = "zeppelin" if number == (7 if release == 1 else 31) else "other"
            text = f"---\ntitle: Page {number}\n---\n\nWords of the {word} {number}, {'alpha' if release == 1 else 'omega'}.\n"
            (self.root_folder / f"content/page-{number}.md").write_text(text)

    def publish(self, keep, program):
        """Publishes the second release. `keep` leaves what has the hash of its bytes in its name, as `publish` does; `program`:
        it is made by another version of the program, whose scripts differ."""
        self.write(2)
        for name in ("search.js", "practice.js") if program else ():
            own = self.root_folder / "static" / name
            own.parent.mkdir(exist_ok=True)
            own.write_text((REPOSITORY / "static" / name).read_text() + "\nconst another = 1;\nvoid another;\n")
        before = self.folder.with_name("before")
        self.folder.rename(before)
        subprocess.run([PROGRAM, "build", "--quiet", "--root", self.root_folder, "-o", self.folder], check=True)
        for path in (before / "assets").iterdir():
            if keep and not (self.folder / "assets" / path.name).exists():
                shutil.copy(path, self.folder / "assets")
        shutil.rmtree(before)

    def end(self):
        super().end()
        shutil.rmtree(self.root_folder, ignore_errors=True)


def ask(page, query):
    page.run(f"{INPUT}.select()")
    page.type(query)
    page.wait("!document.querySelector('.search .results').ariaBusy")
    return page.run(ROWS)


def right(context, site, rows, query):
    """Every result leads to the page that it names, which is there."""
    for text, href in rows:
        named = re.search(r"Page (\d+)", text)
        path = href.removeprefix(site.root).removeprefix(site.folder.as_uri() + "/")
        is_right = (site.folder / path).exists() and (not named or path == f"page-{named[1]}.html")
        context.check(is_right, f"`{query}` leads from {text!r} to {path}")


def released(context, keep, program, used, disk=False, later=False):
    """A tab before and after a release. `used`: so was the search before; `later`: much time has passed."""
    site = Tab("fresh").serve()
    address = site.file if disk else site.http
    try:
        with context.page() as page:
            page.open(address(PATH))
            if used:
                page.press("/")
                page.wait(OPEN)
                rows = ask(page, "zeppelin")
                context.check(rows and "Page 7" in rows[0][0] and rows[0][1].endswith("page-7.html"), f"before: {rows}")
                page.press("Escape")
            site.publish(keep, program)
            if later:
                page.run("const { now } = Date; Date.now = () => now() + 3_600_000; 0")
            page.press("/")
            page.wait(f"{OPEN} || {NOTICE}")
            is_open = page.run(f"Boolean({OPEN})")
            context.equal(is_open, used or keep or not program, "the search opens if its script is there")
            if is_open:
                opened(context, page, site, keep, program, used, disk, later)
            else:
                noticed(context, page, disk)
            page.press("Escape")
            # The cards at the end of the lab are there, or the link leads to them.
            page.click(".take")
            page.wait("document.querySelector('.session.ready') || location.pathname.endsWith('/practice.html')")
            is_gone = page.run("location.pathname.endsWith('/practice.html')")
            context.equal(is_gone, program and not keep, "the link to the cards is followed if their script is gone")
            page.wait("document.querySelector('.session.ready')")
    finally:
        site.end()


def opened(context, page, site, keep, program, used, disk, later):
    """What the search finds after the release."""
    is_old = used and keep and not later
    # The first one is in a file that was not loaded before.
    for query, number in [("page 35", 35), ("zeppelin", 7 if is_old else 31), ("omega", 0)]:
        rows, said = ask(page, query), page.run(SAID)
        right(context, site, rows, query)
        if program and not is_old:
            # The list of the files of the new index has another name, so that this script does not misread it.
            newest = FAILED if disk else NEWER
            context.check(used and query != "page 35" or newest in said and (used or not rows), f"`{query}`: {said!r}, {rows}")
        else:
            found = bool(rows) != is_old if query == "omega" else any(f"Page {number}" in text for text, _ in rows)
            context.check(found, f"`{query}`: {said!r}, {rows}")
            # Without a use before, nothing that is loaded differs from what the page knows.
            context.equal(NEWER in said, used and not disk and not is_old, f"`{query}` says that the site is newer: {said!r}")


def noticed(context, page, disk):
    """The notice that there is a newer version."""
    notice = page.run(NOTICE)
    context.check((FAILED if disk else NEWER) in notice and (NEWER in notice) != disk, f"what is said: {notice!r}")
    context.axe(page, "the notice", within=".notice")
    for width in (1280, 320):
        page.size(width, 800)
        box = "(({ left, right, bottom, height }) => [left, right, bottom, height])(document.querySelector('.notice').getBoundingClientRect())"
        left, right, bottom, height = page.run(box)
        context.check(left >= 0 and right <= width and bottom <= 800 and 30 < height < 100, f"the notice at {width}: {left, right, bottom, height}")
    page.size(1280, 800)
    page.press("Escape")
    context.check(not page.run(NOTICE), "Escape hides the notice")


# Which texts of the page are seen, in their order.
SEEN = """[...document.querySelectorAll('main, main *')].filter((node) =>
  [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) && !node.closest('[data-infralens-live], button') &&
  node.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })).map((node) =>
  [...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join(' '))"""
# Follows a link of each kind, as a click does; names those that lead nowhere and open nothing.
FOLLOWED = """(async () => {
  const seen = new Set();
  const dead = [];
  for (const link of document.querySelectorAll('a[href]')) {
    const kind = `${link.className} ${link.parentNode.className} ${link.closest('[class]:not(a)')?.className}`;
    if (seen.has(kind) || !link.checkVisibility({ visibilityProperty: true }) || link.download) continue;
    seen.add(kind);
    const before = went.length;
    link.click();
    for (let turn = 0; turn < 100 && went.length === before && !document.querySelector('.session.ready, .sheet:popover-open'); turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const isHere = link.hash && link.pathname === location.pathname;
    const has = document.querySelector('.session.ready, .sheet:popover-open, .course.open') || went.slice(before).some((url) => isHere || url === link.href);
    if (!has) dead.push(link.outerHTML.slice(0, 120));
    document.querySelector('.sheet')?.hidePopover?.();
    document.querySelector('.course.open .close')?.click();
  }
  return [seen.size, dead];
})()"""


def without(context, site, path, names):
    """A page without each of some scripts in turn."""
    with context.page() as page:
        page.scripts(False)
        page.open(site.http(path))
        bare = page.run(SEEN)
        page.scripts(True)
        page.open(site.http(path))
        page.wait("document.readyState === 'complete'")
        time.sleep(0.2)
        whole = page.run(SEEN)
        for name in names:
            where = f"{path} without {name}.js"
            page.send("Network.setBlockedURLs", {"urls": [f"*/assets/{name}.*.js", f"*/assets/{name}-*.js"]})
            page.open(site.http(path))
            page.run("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
            time.sleep(0.3)
            seen = set(page.run(SEEN))
            missing = min(([text for text in texts if text not in seen] for texts in (bare, whole)), key=len)
            context.check(not missing, f"{where}: {len(missing)} texts are not seen, such as {missing[:2]}")
            page.hold()
            count, dead = page.run(FOLLOWED)
            context.check(count > 3 and not dead, f"{where}: links that lead nowhere: {dead[:3]}")
        page.send("Network.setBlockedURLs", {"urls": []})


def offline(context, site, path):
    """Offline, the search says that it cannot be loaded, and works when the network is back; the link to the cards is followed."""
    with context.page() as page:
        page.open(site.http(path))
        network = lambda off: page.send("Network.emulateNetworkConditions", {"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        network(True)
        for press in [lambda: page.press("/"), lambda: page.click(".find")]:
            press()
            page.wait(NOTICE)
            context.check(FAILED in page.run(NOTICE), f"offline: {page.run(NOTICE)!r}")
            page.press("Escape")
            context.check(not page.run(NOTICE), "Escape hides the notice")
        page.hold()
        page.click(".take")
        page.wait("went.some((url) => url.endsWith('practice.html'))")
        network(False)
        page.press("/")
        page.wait(OPEN)
        rows = ask(page, "cache")
        context.check(rows and not page.run(NOTICE), f"when the network is back, the search finds {rows}: {page.run(SAID)!r}, {page.run(NOTICE)!r}")
        # What was loaded is there without the network.
        network(True)
        context.equal(ask(page, "cache"), rows, "what was found before is found offline")
        ask(page, "qqq")
        context.check(page.run(SAID), "what cannot be loaded is said")
        network(False)


def answered(context, site, path):
    """What a host answers for a script that is gone: some say that it is forbidden. A host in trouble has no newer version."""
    with context.page() as page:
        page.send("Network.setBlockedURLs", {"urls": ["*/assets/search.*.js"]})
        for status, said in [(404, NEWER), (403, NEWER), (410, NEWER), (500, FAILED), (503, FAILED)]:
            page.open(site.http(path))
            page.run(f"window.fetch = () => Promise.resolve({{ status: {status} }}); 0")
            page.press("/")
            page.wait(NOTICE)
            context.check(said in page.run(NOTICE), f"{status}: {page.run(NOTICE)!r}")


def late(context, site, path, name):
    """A script that neither comes nor fails: after a while the page is as it is without scripts."""
    with context.page() as page:
        page.scripts(False)
        page.open(site.http(path))
        bare = page.run(SEEN)
        page.scripts(True)
        page.send("Fetch.enable", {"patterns": [{"urlPattern": f"*/assets/{name}.*.js"}]})
        page.send("Page.navigate", {"url": site.http(path)})
        page.wait("document.readyState === 'interactive' && !document.documentElement.matches('.js')", 12)
        seen = set(page.run(SEEN))
        missing = [text for text in bare if text not in seen]
        context.check(not missing, f"{path} while {name}.js is awaited: {missing[:3]}")
        page.send("Fetch.disable")
        page.wait("document.readyState === 'complete'")


def each(context):
    """Each script of both sites is missing on a page that has it; the two that all pages have, on several."""
    tried = {"search", "print", "typeset"}
    for site in (context.own, context.hard):
        typical = context.typical(site)
        often = {typical[kind] for kind in ("home", "lab", "practice", "progress", "starter") if site is context.own}
        for path in [*(path for kind, path in typical.items() if kind not in REPEATING), *site.pages]:
            named = re.findall(r"assets/(\w+)[\w-]*\.[0-9a-f]{8}\.js", (site.folder / path).read_text())
            names = {*named} - tried | ({"page", "shared"} if path in often else set())
            often.discard(path)
            tried |= names
            if names:
                without(context, site, path, sorted(names))
    known = {path.name.split(".")[0] for path in context.own.folder.glob("assets/*.js") if "-" not in path.name}
    context.equal(known - tried, set(), "scripts that were not tried")


def run(context):
    for keep, program, used, disk in itertools.product((True, False), repeat=4):
        names = ["what is older stays" if keep else "what is older goes", "other scripts" if program else "the same scripts"]
        names += ["the search was used" if used else "the search was not used", "from disk" if disk else "from a server"]
        with context.part(", ".join(names)):
            released(context, keep, program, used, disk)
    with context.part("later"):
        released(context, True, False, True, later=True)
    with context.part("offline"):
        offline(context, context.own, LONG)
    with context.part("answers"):
        answered(context, context.own, LONG)
    with context.part("without each script"):
        each(context)
    with context.part("late"):
        for path, name in [("tracks/ai-infra/practice.html", "practice"), (LONG, "page"), ("progress.html", "practice")]:
            late(context, context.own, path, name)
