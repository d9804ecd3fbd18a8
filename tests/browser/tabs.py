"""Tabs: by mouse and keyboard, together with those of the same title, kept for the next page, found by the search and by an
address; without scripts, each group by itself."""

import json

WIDE = (1440, 900)
CHOICES, MORE = "choices/index.html", "choices/more.html"
# Of each group, the number of the tab that is shown.
OPEN = "[...document.querySelectorAll('.tabs')].map((tabs) => [...tabs.children].findIndex((tab) => tab.open)).join()"


def run(context):
    for name, check in [("together", together), ("kept", kept), ("found", found), ("unscripted", unscripted)]:
        with context.part(name), context.page(*WIDE) as page:
            check(context, page, context.hard)


def kept(context, page, site):
    page.open(site.http(CHOICES))
    for text in ["{", "{}", "null", "7", '[1, null, {"a": 1}, ["b"]]', json.dumps([f"tab {n}" for n in range(200_000)])]:
        page.run(f"localStorage.setItem('infralens:tabs', {text!r})")
        page.open(site.http(CHOICES))
        context.equal(page.run(OPEN), "0,0,0,0", f"{text[:20]} is no choice")
        page.click(".tabs details:nth-child(2) summary")
        context.equal(page.run(OPEN), "1,0,0,0", "another choice can be made")
        context.check(page.run("JSON.parse(localStorage.getItem('infralens:tabs')).length") <= 20, "and is kept")
    context.quiet(page, site)


def seen(page, text):
    """Whether the tab with a text is shown; the others take no place."""
    return page.run(f"[...document.querySelectorAll('.tabs > details > div')].find((div) => div.textContent.includes('{text}')).getClientRects().length > 0")


def together(context, page, site):
    page.open(site.http(CHOICES))
    context.equal(page.run(OPEN), "0,0,0,0", "the first of each group")
    page.click("li > .tabs details:nth-child(1) summary")
    context.equal(page.run(OPEN), "0,0,0,0", "the one that is shown stays open")
    page.click(".tabs details:nth-child(2) summary")
    context.equal(page.run(OPEN), "1,0,0,0", "the one that was clicked; no other group has its title")
    page.run("document.querySelector('li > .tabs details:nth-child(2) summary').focus()")
    page.press("Enter")
    context.equal(page.run(OPEN), "1,1,0,0", "a key opens it")
    page.press("Enter")
    context.equal(page.run(OPEN), "1,1,0,0", "and it stays open")
    context.check(seen(page, "zebra"), "its content is shown")
    place = "document.querySelector('li > .tabs details:nth-child(3) summary').getBoundingClientRect().top"
    page.run("document.querySelector('li > .tabs').scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = page.run(place)
    page.click("li > .tabs details:nth-child(3) summary")
    context.equal(page.run(OPEN), "0,2,0,0", "the one of the same title opens with it")
    context.check(abs(page.run(place) - before) < 2, "what was clicked stays in its place")
    page.open(site.http(CHOICES))
    context.equal(page.run(OPEN), "0,2,0,0", "the choice is kept")
    context.measure(page, "shift()", "with a choice that is kept")
    context.axe(page, "with another tab")
    context.quiet(page, site)


def found(context, page, site):
    page.open(site.http(MORE))
    page.click("main p a[href*='in-a-tab']")
    page.wait(f"location.pathname.endsWith('{CHOICES}') && {OPEN}.startsWith('1')")
    context.check(page.run("document.querySelector('#in-a-tab').getClientRects().length > 0"), "a link to a heading opens its tab")
    page.press("/")
    page.wait("document.querySelector('dialog.search')?.open")
    page.type("zebra")
    page.wait("document.querySelector('.results [role=option][href*=Tabs]')")
    page.click(".results [role=option][href*=Tabs]")
    page.wait(f"{OPEN} === '1,1,0,0'")
    context.check(seen(page, "zebra"), "the search opens the tab that has the word")
    context.quiet(page, site)


def unscripted(context, page, site):
    page.scripts(False)
    page.open(site.http(CHOICES))
    page.click("li > .tabs details:nth-child(2) summary")
    context.equal(page.run(OPEN), "0,1,0,0", "without scripts, a group is switched by itself")
    page.media("print")
    context.check(seen(page, "zebra") and seen(page, "The text of choice 29"), "paper shows all")
    context.measure(page, "layout(true)", "print")
