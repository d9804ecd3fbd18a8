"""A site whose changes are marked (`infralens diff -o`): keys step through the changes of all pages, and a mark that is focused or
pointed to shows what was there before, word by word; also without scripts."""

import tempfile
from pathlib import Path

import course
from context import Site

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="{}"><rect width="40" height="30"/></svg>'
PAGE = "---\ntitle: {}\n---\n\nBefore it.\n\n{}\n\nBetween them.\n\n![A warp](warp.svg)\n\nAfter it.\n"
OLD = {
    "content/site.yaml": "title: Marked\n",
    "content/index.md": "---\ntitle: Home\n---\n\nNothing has changed [here](a.md).\n",
    "content/a.md": PAGE.format("First", "One warp runs both branches."),
    "content/b.md": "---\ntitle: Second\n---\n\nA thread waits.\n",
    "content/warp.svg": PICTURE.format(30),
}
NEW = {
    **OLD,
    "content/a.md": PAGE.format("First", "One warp runs both paths."),
    "content/b.md": "---\ntitle: Second\n---\n\nNo thread waits.\n",
    "content/warp.svg": PICTURE.format(60),
}
SHOWN = "[...document.querySelectorAll('.difference')].filter((node) => node.checkVisibility()).map((node) => node.parentElement.querySelector('a').id).join()"


def run(context):
    with tempfile.TemporaryDirectory(prefix="infralens-marks-") as folder:
        old, new = Path(folder, "old"), Path(folder, "new")
        course.put(old, OLD)
        course.put(new, NEW)
        site = Site("marks", new, since=old).serve()
        for name, check in [("keys", keys), ("differences", differences), ("unscripted", unscripted)]:
            with context.part(name), context.page() as page:
                check(context, page, site)
                context.quiet(page, site)
        site.end()


def at(context, page, place, what):
    """The address and the focus are at a change, whose difference alone is shown."""
    page.wait(f"location.href.endsWith('{place}') && document.readyState == 'complete'")
    change = place.partition("#")[2]
    context.equal(page.run("document.activeElement.id"), change, f"{what}: the focus")
    context.equal(page.run(SHOWN), change, f"{what}: what is shown")
    page.wait(f"document.querySelector('.changes output').textContent == '{change[-1]} / 3'")


def keys(context, page, site):
    page.open(site.http("index.html"))
    context.equal(page.run(SHOWN), "", "a page without changes shows none")
    steps = [("n", "a.html#Change-1"), ("n", "a.html#Change-2"), ("n", "b.html#Change-3"), ("n", "a.html#Change-1"),
             ("p", "b.html#Change-3"), ("p", "a.html#Change-2")]
    for number, (key, place) in enumerate(steps):
        page.press(key)
        at(context, page, place, f"step {number}, {key}")
    page.press("Escape")
    context.equal(page.run(SHOWN), "", "Escape closes a difference")
    page.press("p")
    at(context, page, "a.html#Change-1", "after Escape")
    page.press("n", ctrl=True)
    at(context, page, "a.html#Change-1", "a key with Ctrl is another one")
    page.run("document.body.append(Object.assign(document.createElement('input'), { id: 'field' })), field.focus()")
    page.press("n")
    context.equal(page.run("location.hash + field.value"), "#Change-1n", "a letter in a field is text")


def differences(context, page, site):
    page.open(site.http("a.html#Change-1"))
    at(context, page, "a.html#Change-1", "by the address")
    parts = "[...document.querySelectorAll('.difference del, .difference ins')].filter((node) => node.checkVisibility())"
    words = page.run(f"{parts}.map((node) => node.localName + node.textContent).join()")
    context.equal(words, "del branches.,ins paths.", "the words that differ")
    box = "(({ left, right, top, height }) => left >= 0 && right <= innerWidth && top >= 0 && height > 20)(document.querySelector('#Change-1 + .difference').getBoundingClientRect())"
    context.check(page.run(box), "the difference is in the window")
    context.axe(page, "a.html#Change-1")
    page.run("document.activeElement.blur()")
    page.hover("#Change-2")
    context.equal(page.run(SHOWN), "Change-2", "pointed to")
    page.wait("[...document.querySelectorAll('#Change-2 + .difference img')].every((image) => image.naturalHeight)")
    heights = page.run("[...document.querySelectorAll('#Change-2 + .difference img')].map((image) => `${image.alt} ${image.naturalHeight}`).join()")
    context.equal(heights, "before 30,after 60", "the picture as it was, and as it is")


def unscripted(context, page, site):
    page.scripts(False)
    page.open(site.http("a.html"))
    page.scripts(True)
    context.equal(page.run(SHOWN), "", "nothing is pointed to")
    page.click("#Change-1")
    context.equal(page.run(SHOWN), "Change-1", "a click on the mark focuses it")
