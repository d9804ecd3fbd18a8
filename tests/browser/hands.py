"""What readers do with their hands: menus and folds that change neither address nor place, clicks that hit what was clicked,
keys on slow connections, of input methods and of other keyboards, choices that follow in other tabs, and low screens."""

import json

PHONE, TABLET, WIDE = (390, 844), (1024, 768), (1440, 900)
LAB = "tracks/ai-infra/labs/lab-01-transformer-memory.html"
STARTER = "code/lab-04-cuda-reduce/reduce.cu.html"
PRACTICE = "tracks/ai-infra/practice.html"
# Where a reader is: the address, how many entries the history has, the place on the page, and the note that is lit.
PLACE = "[location.href, history.length, Math.round(scrollY), document.querySelector('.note.lens-on')?.id ?? '']"
DRAWER = "document.querySelector('.course').checkVisibility()"
SEARCH = "Boolean(document.querySelector('dialog.search')?.open)"
INPUT = "document.querySelector('dialog.search input')"
# As from a phone: what a script needs takes a second to arrive.
SLOW = {"offline": False, "latency": 500, "downloadThroughput": 300_000, "uploadThroughput": 300_000}


def point(page, x, y, count=1, move=True):
    """Clicks at a place in the window, once or several times in a row."""
    at = {"x": x, "y": y, "button": "left"}
    if move:
        page.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
    for number in range(1, count + 1):
        for kind in ("mousePressed", "mouseReleased"):
            page.send("Input.dispatchMouseEvent", {"type": kind, "clickCount": number, **at})


def twice(page, selector):
    """Clicks twice in a row at the place where the middle of an element is before the first click."""
    at = page.middle(selector)
    point(page, at["x"], at["y"], 2)


def key(page, key, code, modifiers=0, text=""):
    """Presses a key of any keyboard: what it writes, and its place."""
    event = {"key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": ord(code[-1])}
    page.send("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", "text": text, **event})
    page.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})


def read(page, site, path, scroll=3000):
    """Opens a page, lights one of its notes and scrolls on: a reader in the middle of it."""
    page.open(site.http(path))
    page.run("document.querySelector('.marker')?.click()")
    page.run(f"scrollTo({{ top: {scroll}, behavior: 'instant' }})")


def drawer(context, page, site):
    """The menu opens and closes, and its reader is where they were: on the page, in its history, at their note."""
    for size in (PHONE, TABLET):
        page.size(*size)
        for path in (LAB, STARTER) if size == PHONE else (LAB,):
            where = f"{path} at {size[0]}"
            read(page, site, path)
            before = page.run(PLACE)
            for way in ("button", "Escape", "beside"):
                page.click(".menu")
                page.wait("getComputedStyle(document.querySelector('.course')).position === 'fixed'")
                context.equal(page.run(PLACE), before, f"{where}, with its menu open")
                if way == "button":
                    page.click(".course .close")
                elif way == "Escape":
                    page.press("Escape")
                else:
                    point(page, size[0] - 30, 300)
                page.wait("getComputedStyle(document.querySelector('.course')).position !== 'fixed'")
                # Escape is also how the address forgets a note, but not with the same press.
                context.equal(page.run(PLACE), before, f"{where}, its menu closed by {way}")
                context.check(page.run("document.activeElement.matches('.menu')"), f"{where}: the menu has the focus again")
    page.size(*PHONE)
    page.open(site.http(LAB))
    page.click(".menu")
    page.click(".contents li:last-child a")
    page.wait("location.hash && scrollY > 1000")
    context.check(not page.run(DRAWER), "a link to a section closes the menu")
    page.run("history.back()")
    page.wait("!location.hash")
    context.check(not page.run(DRAWER), "Back does not open it")
    page.click(".menu")
    page.run("document.querySelector('.course ol > li > a:not([aria-current])').click()")
    page.wait(f"!location.pathname.endsWith({LAB!r}) && document.readyState === 'complete'")
    page.run("history.back()")
    page.wait(f"location.pathname.endsWith({LAB!r}) && document.readyState === 'complete'")
    context.check(not page.run(DRAWER), "nor does Back from another page")
    # Who opened it before the script was here closes it as well, where they are.
    page.open("about:blank")
    page.open(site.http(LAB) + "#I-course")
    page.wait(DRAWER)
    page.run("scrollTo({ top: 2000, behavior: 'instant' })")
    page.click(".course .close")
    page.wait(f"!({DRAWER})")
    context.equal(page.run("scrollY"), 2000, "the place of one whose menu was opened by its address")
    context.quiet(page, site)


def folds(context, page, site):
    """What opens, shows and hides is no address: folds, sheets, dialogs, notes that are hidden, colors."""
    for size in (PHONE, WIDE):
        page.size(*size)
        read(page, site, LAB, 0)
        for selector in (".folded > summary", ".hide-notes", ".hide-notes", ".theme", "details.answer > summary", ".figures > summary", ".unfold", "label.omitted", ".copy"):
            if not page.run(f"document.querySelector({selector!r})?.checkVisibility() ?? false"):
                continue
            page.run(f"document.querySelector({selector!r}).scrollIntoView({{ block: 'center', behavior: 'instant' }})")
            before = page.run(PLACE)[:2]
            page.click(selector)
            context.equal(page.run(PLACE)[:2], before, f"the address after {selector} at {size[0]}")
        before = page.run(PLACE)
        page.click(".find")
        page.wait(SEARCH)
        page.press("Escape")
        page.wait(f"!({SEARCH})")
        context.equal(page.run(PLACE), before, f"who has looked at the search at {size[0]}")
    page.size(*PHONE)
    read(page, site, LAB, 0)
    page.middle("main p:not(details p) .term > a")
    before = page.run(PLACE)
    page.click("main p:not(details p) .term > a")
    page.wait("document.querySelector('.sheet')?.matches(':popover-open')")
    page.press("Escape")
    page.wait("!document.querySelector('.sheet').matches(':popover-open')")
    context.equal(page.run(PLACE)[:3], before[:3], "who has looked up a term")
    context.quiet(page, site)


# Words of code that are in view, each where the pointer hits it, in bound code and beside it.
WORDS = """(() => {
  const found = [];
  for (const line of document.querySelectorAll(".line")) {
    const { top, bottom } = line.getBoundingClientRect();
    if (bottom < 80 || top > innerHeight) continue;
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const word = /\\w{3,}/.exec(node.data);
      if (!word || node.parentElement.closest(".markers")) continue;
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const { x, y, width, height, right } = range.getBoundingClientRect();
      const at = { x: x + width / 3, y: y + height / 2, word: word[0], line: line.id, top, bound: Boolean(node.parentElement.closest(".bound")) };
      if (right < innerWidth && line.contains(document.elementFromPoint(at.x, at.y))) found.push(at);
      if (found.length && node.parentElement.closest(".bound")) break;
    }
  }
  return found.filter(({ bound }, at) => at % (bound ? 5 : 20) === 0 || at > found.length - 3);
})()"""


def clicks(context, page, site):
    """A click on code lights its note and moves nothing: two select the word, and three the line that was clicked."""
    for size in (WIDE, TABLET, PHONE):
        page.size(*size)
        for path in (LAB,) if size == TABLET else (LAB, STARTER):
            for is_hidden in (False, True):
                page.open(site.http(path))
                if is_hidden and not page.run("document.querySelector('.hide-notes')?.checkVisibility()"):
                    continue
                page.run(f"{json.dumps(is_hidden)} && document.querySelectorAll('.hide-notes').forEach((button) => button.click())")
                lit = 0
                # Bound code in the middle of the window, and at its lower edge.
                for number, part in ((2, 0.5), (6, 0.98)):
                    page.run(f"scrollBy({{ top: document.querySelectorAll('.bound')[{number}].getBoundingClientRect().bottom - {part} * innerHeight, behavior: 'instant' }})")
                    for at in page.run(WORDS):
                        hit = f"document.elementFromPoint({at['x']}, {at['y']})?.closest('.line')?.id"
                        if page.run(hit) != at["line"]:
                            continue
                        point(page, at["x"], at["y"], 2)
                        where = f"{path} at {size[0]}, line {at['line']}{', notes hidden' if is_hidden else ''}"
                        if not context.check(page.run("location.pathname").endswith(path), f"{where}: leads away"):
                            page.open(site.http(path))
                            break
                        top = page.run(f"document.getElementById({at['line']!r}).getBoundingClientRect().top")
                        context.check(abs(top - at["top"]) <= 1.5, f"{where} moves by {top - at['top']:.1f} px")
                        context.equal(page.run("String(getSelection()).trim()"), at["word"], f"{where}: two clicks select")
                        lit += page.run("document.querySelectorAll('.note.lens-on').length")
                        point(page, at["x"], at["y"], 3, move=False)
                        chosen = page.run("String(getSelection()).trim()")
                        code = page.run(f"document.getElementById({at['line']!r}).textContent")
                        context.check(chosen and chosen in code, f"{where}: three clicks select {chosen!r}")
                        page.run("getSelection().removeAllRanges()")
                context.check(lit, f"{path} at {size[0]}: clicks on code light notes")


def halves(context, page, site):
    """The second half of a double click presses nothing that has come under the pointer since the first."""
    page.size(*WIDE)
    page.open(site.http(LAB))
    for _ in range(2):
        at = page.middle(".find")
        # The second half of the second of these comes when the search is there.
        point(page, at["x"], at["y"], 2)
        page.run("new Promise((resolve) => setTimeout(resolve, 800)).then(() => 0)")
        context.check(page.run(SEARCH), "two clicks on the search open it")
        page.press("Escape")
    # A citation jumps to the references, which are links to other sites.
    page.run("window.went = []; addEventListener('click', (event) => { const link = event.target.closest('a'); if (link && link.host !== location.host)"
             " { event.preventDefault(); went.push(link.href); } }); 0")
    for size in (WIDE, TABLET):
        page.size(*size)
        for at in range(page.run("document.querySelectorAll('a.cite[href^=\"#\"]').length")):
            page.run(f"[...document.querySelectorAll('a.cite[href^=\"#\"]')].forEach((node, at) => node.toggleAttribute('data-now', at === {at}))")
            if page.run("document.querySelector('[data-now]').checkVisibility()"):
                twice(page, "[data-now]")
    context.equal(page.run("went"), [], "where two clicks on a citation lead")
    page.open(site.http(PRACTICE))
    for size in (WIDE, PHONE):
        page.size(*size)
        page.open(site.http(PRACTICE))
        page.run("infralens.store.change((state) => { for (const lab of document.querySelectorAll('[data-lab]')) state.read[lab.dataset.lab] = infralens.store.now(); })")
        for step in range(4):
            twice(page, ".session .reveal")
            context.equal(page.run("[Object.keys(infralens.store.state.cards).length, !document.querySelector('.session .grades').hidden]"),
                          [step, True], f"cards that are graded at {size[0]}, and whether the answer is shown, after two clicks on its button")
            twice(page, ".session .grades [value='3']")
            context.equal(page.run("[Object.keys(infralens.store.state.cards).length, document.querySelector('.session .grades').hidden]"),
                          [step + 1, True], f"cards that are graded at {size[0]}, and whether the next answer is hidden, after two clicks on a grade")
        page.run("localStorage.clear()")
    context.quiet(page, site)


def early(context, page, site):
    """What is typed after `/` is the query, though the search is not here yet, and does nothing to the page."""
    page.size(*WIDE)
    page.send("Network.setCacheDisabled", {"cacheDisabled": True})

    def slash():
        page.send("Network.emulateNetworkConditions", {**SLOW, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        page.open("about:blank")
        page.open(site.http(LAB))
        page.run("document.querySelector('main a').focus(); window.first = document.activeElement; 0")
        page.send("Network.emulateNetworkConditions", SLOW)
        page.press("/")

    slash()
    before = page.run(PLACE)
    for letter in "kk j cachx":
        page.press(letter)
    page.press("Backspace")
    page.press("e")
    context.check(not page.run(SEARCH), "the search is not here yet")
    context.equal(page.run(PLACE), before, "keys before the search is here")
    page.wait(SEARCH)
    page.press("s")
    context.equal(page.run(f"{INPUT}.value"), "kk j caches", "the query")
    page.press("Escape")
    context.check(page.run("document.activeElement === first && !document.querySelector('.typed')"), "the focus is where it was")

    slash()
    page.press("k")
    page.press("Escape")
    context.check(page.run("!document.querySelector('.typed')"), "Escape ends it")
    page.wait("document.querySelector('template#I-search')")
    page.run("new Promise((resolve) => setTimeout(resolve, 1500)).then(() => 0)")
    context.check(not page.run(SEARCH), "a search that was given up stays closed")

    slash()
    for letter in "softmax":
        page.press(letter)
    page.press("Enter")
    page.wait(f"!location.pathname.endsWith({LAB!r}) && document.readyState === 'complete'")
    context.check("softmax" in page.run("document.body.innerText").lower(), f"Enter leads to {page.run('location.href')}")
    page.send("Network.emulateNetworkConditions", {**SLOW, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    page.send("Network.setCacheDisabled", {"cacheDisabled": False})
    page.complaints.clear()


def composed(context, page, site):
    """Enter of an input method ends a composition, and opens nothing; in Safari, only its code says so."""
    page.open(site.http("index.html"))
    page.press("/")
    page.wait(SEARCH)
    page.type("softmax")
    page.wait("document.querySelectorAll('.results [role=option]').length && !document.querySelector('.results').ariaBusy")
    address = page.run("location.href")
    for event in ({"isComposing": True}, {"keyCode": 229}, {"isComposing": True, "keyCode": 229}):
        for name in ("Enter", "ArrowDown"):
            init = json.dumps({"key": name, "bubbles": True, "cancelable": True, **event})
            taken = page.run(f"!{INPUT}.dispatchEvent(new KeyboardEvent('keydown', {init}))")
            context.check(not taken, f"{name} of an input method, {event}, is taken")
    page.run("new Promise((resolve) => setTimeout(resolve, 300)).then(() => 0)")
    context.check(page.run("location.href") == address and page.run(SEARCH), "the search is still open")
    page.press("Escape")
    context.quiet(page, site)


def places(context, page, site):
    """Keys of other scripts and keyboards do what is in their place on a Latin one."""
    page.size(*WIDE)
    page.open(site.http(LAB))
    for letter in ("л", "κ", "ל", "k", "K"):
        key(page, letter, "KeyK", modifiers=2)
        page.wait(SEARCH)
        page.press("Escape")
        page.wait(f"!({SEARCH})")
        context.check(True, f"Ctrl and {letter}")
    notes = page.run("[...document.querySelectorAll('.note[data-lines]')].slice(0, 2).map(({ id }) => id)")
    for letter, code, note in [("о", "KeyJ", 0), ("ξ", "KeyJ", 1), ("ל", "KeyK", 0), ("ח", "KeyJ", 1)]:
        key(page, letter, code, text=letter)
        context.equal(page.run("location.hash"), f"#{notes[note]}", f"{letter} at {code} leads to")
    # On these keyboards `/` is elsewhere, and another letter is in its place.
    for letter, code in [("/", "KeyQ"), ("/", "Backslash"), ("ظ", "Slash")]:
        key(page, letter, code, text=letter)
        page.wait(SEARCH)
        page.press("Escape")
        page.wait(f"!({SEARCH})")
    for letter, code in [(".", "Slash"), ("ö", "Semicolon"), ("t", "KeyK"), ("h", "KeyJ")]:
        before = page.run(PLACE)
        key(page, letter, code, text=letter)
        context.check(not page.run(SEARCH) and page.run(PLACE) == before, f"{letter} at {code} does nothing")
    page.run("document.dispatchEvent(new Event('keydown', { bubbles: true }))")
    page.open(site.http(PRACTICE))
    page.run("infralens.store.change((state) => { for (const lab of document.querySelectorAll('[data-lab]')) state.read[lab.dataset.lab] = infralens.store.now(); })")
    count = "Object.keys(infralens.store.state.cards).length"
    for number, (letter, code) in enumerate([("&", "Digit1"), ("é", "Digit2"), ('"', "Digit3"), ("'", "Digit4"), ("3", "Numpad3"), ("2", "Digit2")], 1):
        page.press(" ")
        key(page, letter, code, modifiers=8 if number == 6 else 0, text=letter)
        context.equal(page.run(count), number, f"cards that are graded after {letter} at {code}")
    key(page, "г", "KeyU", text="г")
    context.equal(page.run(count), 5, "cards after the Russian letter in the place of u")
    page.run("localStorage.clear()")
    context.quiet(page, site)


def chosen(context, page, site):
    """What was chosen in one tab holds in the others, and on a page to which Back leads."""
    shown = "[document.documentElement.dataset.theme ?? '', document.querySelector('.theme').title, getComputedStyle(document.documentElement).colorScheme]"
    page.open(site.http(LAB))
    with context.page(beside=page) as other:
        other.open(site.http("progress.html"))
        for _ in range(3):
            page.click(".theme")
            wanted = page.run(shown)
            other.wait(f"JSON.stringify({shown}) === {json.dumps(json.dumps(wanted, separators=(',', ':'), ensure_ascii=False))}")
            context.equal(other.run(shown), wanted, "colors in another tab")
        other.click(".shortcuts label")
        page.wait("document.documentElement.dataset.keys === 'off'")
        with context.page(beside=page) as third:
            third.open(site.http("progress.html"))
            third.click(".shortcuts label")
            other.wait("document.querySelector('.shortcuts input').checked")
        page.wait("!document.documentElement.dataset.keys")
        page.click(".theme")
        chosen = page.run(shown)
        other.wait(f"document.documentElement.dataset.theme === {chosen[0]!r}")
        other.run("localStorage.clear()")
        # A page that was set aside hears of nothing.
        back = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
        page.run("document.documentElement.dataset.theme = 'light'; localStorage.setItem('infralens:theme', 'dark')")
        page.run(back)
        context.check(page.run(shown)[0] == "dark" and page.run(shown)[1].endswith("dark"), f"colors after Back: {page.run(shown)}")
        page.run("localStorage.clear()")
        page.run(back)
        context.equal(page.run(shown)[0], "", "colors after all was erased")
        context.quiet(other, site)
    context.quiet(page, site)


def low(context, page, site):
    """On a low screen, or above a keyboard on it, the search shows two results, and scrolls to all of them."""
    inside = "document.querySelector('dialog.search').getBoundingClientRect()"
    seen = (f"[...document.querySelectorAll('.results [role=option]')].filter((row) => {{ const {{ top, bottom, height }} = row.getBoundingClientRect();"
            f" return height > 20 && top >= document.querySelector('.search .field').getBoundingClientRect().bottom - 1 && bottom <= {inside}.bottom + 1"
            f" && row.contains(document.elementFromPoint(row.getBoundingClientRect().x + 60, (top + bottom) / 2)); }}).length")
    for width, height in [(844, 170), (740, 260), (667, 200), (320, 170), (844, 390), (480, 300)]:
        page.size(width, height)
        page.open(site.http("index.html"))
        page.press("/")
        page.wait(SEARCH)
        for query in ("softmax", "kv cache", "tid < stride"):
            page.run(f"{INPUT}.select()")
            page.type(query)
            page.wait("document.querySelectorAll('.results [role=option]').length > 2 && !document.querySelector('.results').ariaBusy")
            where = f"`{query}` at {width} × {height}"
            context.check(page.run(seen) >= 2, f"{where}: {page.run(seen)} results are in view")
            box = page.run(f"[{inside}.top, {inside}.bottom, {inside}.left, {inside}.right]")
            context.check(box[0] >= 0 and box[1] <= height and box[2] >= 0 and box[3] <= width, f"{where}: the dialog is at {box}")
            wide = "[...document.querySelectorAll('dialog.search, .results')].some((node) => node.scrollWidth > node.clientWidth)"
            context.check(not page.run(wide), f"{where}: sideways")
            rows = page.run("document.querySelectorAll('.results [role=option]').length")
            for _ in range(rows - 1):
                page.press("ArrowDown")
                current = f"document.getElementById({INPUT}.getAttribute('aria-activedescendant')).getBoundingClientRect()"
                fits = page.run(f"{current}.top >= document.querySelector('.search .field').getBoundingClientRect().bottom - 1 && {current}.bottom <= {inside}.bottom + 1")
                context.check(fits, f"{where}: the row that is chosen is in view")
            field = page.run(f"{INPUT}.getBoundingClientRect().top >= {inside}.top - 1 && {INPUT}.getBoundingClientRect().bottom <= {inside}.bottom")
            context.check(field, f"{where}: the field is in view")
        context.axe(page, f"the search at {width} × {height}", within="dialog.search")
        page.press("Escape")
    # A keyboard on the screen covers the window, and the window does not get lower.
    page.size(844, 390)
    page.open(site.http("index.html"))
    page.press("/")
    page.wait(SEARCH)
    page.run("Object.defineProperty(visualViewport, 'height', { get: () => 180 }); visualViewport.dispatchEvent(new Event('resize'))")
    page.type("softmax")
    page.wait("document.querySelectorAll('.results [role=option]').length > 2 && !document.querySelector('.results').ariaBusy")
    context.check(page.run(f"{inside}.bottom <= 180") and page.run(seen) >= 2, "the dialog is above the keyboard")
    # The sheet of a term is in view, too.
    for size in [(844, 170), (740, 260)]:
        page.size(*size)
        page.touch()
        page.open(site.http(LAB))
        page.tap("main p:not(details p) .term > a")
        page.wait("document.querySelector('.sheet')?.matches(':popover-open')")
        sheet = "document.querySelector('.sheet')"
        context.check(page.run(f"{sheet}.getBoundingClientRect().top >= 0 && ({sheet}.scrollHeight <= {sheet}.clientHeight || getComputedStyle({sheet}).overflowY === 'auto')"), f"a term's sheet at {size}")
        page.touch(False)
    context.quiet(page, site)


def wheel(page, x, y, far=600):
    page.send("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": far})
    page.run("new Promise((resolve) => setTimeout(resolve, 400)).then(() => 0)")


def behind(context, page, site):
    """What is behind the drawer or a dialog keeps its width and its place; keys that lead out of the drawer close it."""
    for width in (1024, 1200):
        page.size(width, 800)
        read(page, site, LAB)
        shown = f"[...{PLACE}, ...['main > .head', 'main > .pair'].map((part) => document.querySelector(part).getBoundingClientRect().width)]"
        before = page.run(shown)
        page.click(".menu")
        context.equal(page.run(shown), before, f"the page behind its menu at {width}")
        wheel(page, width - 100, 400)
        wheel(page, 100, 400, 30_000)
        wheel(page, 100, 400)
        context.equal(page.run(shown), before, f"the page behind a menu that scrolls at {width}")
        page.press("Escape")
        if width == 1024:
            continue
        page.press("/")
        page.wait(SEARCH)
        page.type("memory")
        page.wait("document.querySelectorAll('.results [role=option]').length > 2 && !document.querySelector('.results').ariaBusy")
        wheel(page, 20, 780)
        page.press("PageDown")
        wheel(page, width / 2, 300, 30_000)
        wheel(page, width / 2, 300)
        context.equal(page.run(shown), before, f"the page behind the search at {width}")
        page.press("Escape")
        wheel(page, width / 2, 600)
        context.check(page.run("scrollY") > before[2], "a page without a dialog does not scroll")
    page.size(*PHONE)
    for link, back in (("[...document.querySelectorAll('.course a')].at(-1)", False), ("document.querySelector('.course .close')", True)):
        page.open(site.http(LAB))
        page.click(".menu")
        page.run(f"{link}.focus()")
        page.press("Tab", shift=back)
        context.check(page.run(f"!document.activeElement.closest('.course') && !{DRAWER}"), f"the menu covers what has the focus, {back}")
    context.quiet(page, site)


def scrolled(context, page, site):
    """Keys by which a browser scrolls do so after a click on code, and where no card is in view."""
    page.size(*WIDE)
    for path in (LAB, STARTER):
        page.open(site.http(path))
        page.run("document.querySelectorAll('.line')[3].scrollIntoView({ block: 'center', behavior: 'instant' })")
        box = page.run("(({ x, y, height }) => [x + 150, y + height / 2])(document.querySelectorAll('.line')[3].getBoundingClientRect())")
        point(page, *box)
        context.check(page.run("document.activeElement.matches('.listing')"), "a click on code leads to its listing")
        for pressed in ("ArrowDown", "PageDown", "ArrowDown"):
            before = page.run("scrollY")
            page.press(pressed)
            page.run("new Promise((resolve) => setTimeout(resolve, 400)).then(() => 0)")
            context.check(page.run("scrollY") > before and not page.run("document.querySelector('.lens-sel')"), f"{pressed} after a click on code", path)
    # Firefox may search the page for what is typed, unless a page says that it has used the key.
    for letter in "jk":
        event = json.dumps({"key": letter, "code": f"Key{letter.upper()}", "bubbles": True, "cancelable": True})
        page.open(site.http(LAB))
        context.check(not page.run(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {event}))"), f"{letter} is left to the browser")
    page.open(site.http(PRACTICE))
    page.wait("document.querySelector('.session.ready')")
    for shift in (False, True):
        page.run("scrollTo({ top: 1500, behavior: 'instant' })")
        page.press(" ", shift=shift)
        page.run("new Promise((resolve) => setTimeout(resolve, 400)).then(() => 0)")
        context.check(page.run("document.querySelector('.session .grades').hidden") and (shift or page.run("scrollY > 300")), f"Space far from the card, {shift}")
    context.quiet(page, site)


def run(context):
    for name, check in [("drawer", drawer), ("behind", behind), ("scrolling", scrolled), ("folds", folds), ("clicks on code", clicks), ("double clicks", halves), ("keys before the search", early),
                        ("input methods", composed), ("other keyboards", places), ("other tabs", chosen), ("low screens", low)]:
        if context.only and name not in context.only:
            continue
        with context.part(name), context.page(*WIDE) as page:
            check(context, page, context.own)
