"""What a reader keeps: cards through days of practice, read marks, where one left off; out to a file and in again; and what
happens where nothing can be stored, where what is stored is damaged or newer, without scripts, and from disk."""

import json
import tempfile
import time
from pathlib import Path

TRACK = "tracks/ai-infra/"
PRACTICE = TRACK + "practice.html"
LAB = TRACK + "labs/lab-01-transformer-memory.html"
SECTION = TRACK + "handbook/transformer-memory.html"

# Grades with the days before them; then stability and difficulty, and the days of Hard, Good and Easy after 0, 1 and 10
# days, as ts-fsrs 5.4.2 has them: FSRS-6, default parameters, no fuzz.
MEMORIES = [
    ([[3, 0]], 2.3065, 2.1181, [2, 3, 4], [5, 7, 12], [16, 25, 45]),
    ([[1, 0], [3, 0]], 0.2467, 6.4021, [1, 2, 3], [1, 2, 4], [3, 4, 7]),
    ([[3, 0], [3, 2], [3, 11]], 46.2802, 2.1043, [46, 47, 65], [48, 50, 53], [66, 80, 109]),
    ([[4, 0], [4, 8], [1, 60], [3, 0], [3, 1]], 5.714, 7.0034, [6, 7, 9], [7, 8, 10], [14, 19, 31]),
    ([[2, 0], [2, 1], [2, 2], [3, 5], [4, 9]], 33.1705, 7.0618, [33, 34, 48], [34, 35, 36], [42, 48, 61]),
    ([[3, 0], [1, 2], [1, 0], [2, 0], [3, 1], [3, 4], [4, 20]], 13.7506, 9.1561, [14, 15, 21], [14, 15, 16], [18, 21, 27]),
    ([[1, 0], [1, 1], [1, 1], [1, 1], [1, 1]], 0.0219, 9.9364, [1, 2, 3], [1, 2, 3], [1, 2, 3]),
    ([[3, 0], [3, 40], [2, 1], [1, 30], [4, 3]], 9.3935, 7.6625, [9, 10, 15], [10, 11, 13], [17, 22, 32]),
]

CLOCK = """(() => {{ const Real = Date, ahead = Real.parse("{time}") - Real.now();
  window.Date = class extends Real {{
    constructor(...given) {{ given.length ? super(...given) : super(Real.now() + ahead); }}
    static now() {{ return Real.now() + ahead; }}
  }}; }})();"""
FORBIDDEN = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });"
FULL = """const { setItem } = Storage.prototype;
Storage.prototype.setItem = function (key, text) {
  if (this === localStorage) throw new DOMException('full', 'QuotaExceededError');
  setItem.call(this, key, text);
};"""

TEXT = "document.querySelector({!r}).textContent.trim().replace(/\\s+/g, ' ')"
STATE = "infralens.store.state"
TABLE = "[...document.querySelectorAll('.coming td')].map((cell) => cell.textContent).join()"
SHOWN = "(selector) => document.querySelector(selector).checkVisibility()"


def text(page, selector):
    return page.run(TEXT.format(selector))


def ended(context, page, title, message):
    """The session is over, and says so once."""
    context.equal((text(page, ".at"), page.run("document.querySelector('.session').innerText").count(title)), ("", 1), message)


def read_all(page):
    """Marks every section and lab of the track as read, so that all of its cards may come."""
    page.run("infralens.store.change((state) => { for (const [url] of infralens.orders['ai-infra']) state.read[url] = infralens.store.now(); })")


def shown(page, selector):
    return page.run(f"({SHOWN})({selector!r})")


class Clock:
    """What time it is on a page, from the next opening on."""

    def __init__(self, page):
        self.page, self.script = page, None

    def at(self, time):
        if self.script:
            self.page.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self.script})
        source = CLOCK.format(time=time)
        self.script = self.page.send("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"]


def before(page, source):
    page.send("Page.addScriptToEvaluateOnNewDocument", {"source": source})


def formulas(context, page):
    for path, stability, difficulty, *days in MEMORIES:
        found = page.run(
            f"(() => {{ const {{ remember, intervals }} = infralens.practice; let card;"
            f" for (const [grade, days] of {json.dumps(path)}) card = remember(card, grade, days);"
            " return [card.stability, card.difficulty, ...[0, 1, 10].map((days) => intervals(card, days).slice(2))]; })()"
        )
        close = abs(found[0] - stability) < 1e-4 and abs(found[1] - difficulty) < 1e-4
        context.check(close, f"the memory after {path} is {stability}, {difficulty}, not {found[:2]}")
        context.equal(found[2:], days, f"the days after {path}")
    context.equal(page.run("infralens.practice.intervals(undefined, 0).slice(2)"), [1, 2, 8], "the days of a new card")


def days_of_practice(context, page, site):
    clock = Clock(page)
    clock.at("2026-03-02T09:00:00")
    page.open(site.http(PRACTICE))
    context.equal(text(page, ".at"), "A card to try. Nothing is kept of it.", "who has read no lab may try a card")
    page.press(" ")
    page.press("3")
    context.check(text(page, ".asked").startswith("You would see it again in 2 days."), f"its grade says what it would mean: {text(page, '.asked')}")
    context.equal(page.run(f"Object.keys({STATE}.cards).length"), 0, "nothing is kept of it")
    context.check("come from the labs that you have read" in text(page, ".asked"), "and where cards come from")
    rows = page.run("[...document.querySelectorAll('.by-lab tbody tr')].map((row) => Number(row.cells[1].textContent))")
    context.equal(sum(rows), page.run("document.querySelectorAll('.cards [data-card]').length"), "the table of labs counts each card once")
    page.click(".by-lab tr:nth-child(2) .now")
    context.equal(text(page, ".at"), f"Card 1 of {rows[1]}: {rows[1]} new", "a lab's cards can be asked before it is read")
    context.check(page.run("document.activeElement.matches('.asked')"), "and have the focus")
    page.open(site.http(PRACTICE))
    context.equal(text(page, ".at"), "A card to try. Nothing is kept of it.", "what was not graded is not kept")
    read_all(page)
    cards = page.run("document.querySelectorAll('.cards [data-card]').length")
    context.check(cards > 10, "the track has more cards than are new on one day")
    second_day = min(10, cards - 10)
    context.check(not shown(page, ".cards") and shown(page, ".session"), "one card, and no list")
    context.equal(text(page, ".at"), "Card 1 of 10: 10 new", "where one is")
    first = text(page, ".asked")
    context.check(not shown(page, ".back") and not shown(page, ".grades"), "the answer is not shown")
    page.press("4")
    context.equal(text(page, ".asked"), first, "no grade before the answer")
    page.press(" ")
    context.check(shown(page, ".back") and page.run("document.activeElement.matches('.back')"), "the answer is shown, and has the focus")
    context.equal(
        page.run("[...document.querySelectorAll('.grades span')].map((node) => node.textContent)"),
        ["in 10 minutes", "in 1 day", "in 2 days", "in 8 days"], "when a new card is due",
    )
    context.axe(page, "with an answer, ")
    page.press("3")
    context.check(text(page, ".asked") != first and text(page, ".last") == "Good, in 2 days", "the next card, and what became of the last")
    second = text(page, ".asked")
    page.run("document.dispatchEvent(new CustomEvent('infralens:update'))")
    context.equal(text(page, ".asked"), second, "an update leaves the card where it is")
    context.equal(page.run(TABLE), f"0,0,1,0,{cards - 1},0", "the table of dates")
    page.press("u")
    context.equal(text(page, ".asked"), first, "undone: the same card")
    context.equal(text(page, ".grades [aria-pressed=true] b"), "Good", "with the grade that it had")
    context.equal(page.run(f"Object.keys({STATE}.cards).length"), 0, "and nothing is kept of it")
    page.click(".grades button[value='4']")
    page.press("Enter")
    page.press("1")
    context.equal(text(page, ".at"), "Card 3 of 10: 10 new", "where one is")

    page.open(site.http(PRACTICE))
    context.equal(text(page, ".at"), "Card 1 of 8: 8 new", "a reload keeps what was graded")
    for _ in range(8):
        page.press(" ")
        page.press("3")
    ended(context, page, "Done for now", "the end, until what was forgotten comes back")
    context.check("1 more today" in text(page, ".asked") and f"tomorrow. Cards: {second_day}." in text(page, ".asked"), "what comes when")
    context.equal(page.run(TABLE), f"1,0,8,1,{cards - 10},0", "the table of dates")
    context.axe(page, "at the end, ")
    page.press(" ")
    page.press(" ")
    page.press("3")
    context.equal(text(page, ".last"), "Good, in 2 days", "what was forgotten can be had at once")
    ended(context, page, "Done for today", "the end of the day")

    clock.at("2026-03-03T00:05:00")
    page.open(site.http(PRACTICE))
    context.equal(text(page, ".at"), f"Card 1 of {second_day}: {second_day} new", "on the next day there are new cards")
    clock.at("2026-03-12T23:00:00")
    page.open(site.http(PRACTICE))
    context.equal(text(page, ".at"), f"Card 1 of {10 + second_day}: 10 due, {second_day} new", "after ten days all that were seen are due")
    context.check(text(page, ".asked") != first, "those due first come first")
    context.quiet(page, site)
    page.open(site.http("index.html"))
    context.equal(text(page, ".due"), "10 cards due today", "home says what is due")
    page.click(".due a")
    page.wait("document.querySelector('.session.ready')")


def chosen(page, path):
    """Gives a file to the page's own chooser."""
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    node = page.send("DOM.querySelector", {"nodeId": root, "selector": ".backup input"})["nodeId"]
    page.run("document.querySelector('.message').textContent = ''")
    page.send("DOM.setFileInputFiles", {"nodeId": node, "files": [str(path)]})
    page.wait("document.querySelector('.message').textContent")
    return text(page, ".message")


def backup(context, site, folder):
    with context.page() as page:
        page.open(site.http(LAB))
        page.click(".mark")
        page.open(site.http(PRACTICE))
        page.press(" ")
        page.press("4")
        page.open(site.http("progress.html"))
        context.equal(text(page, "[data-kept=read]") + text(page, "[data-kept=cards]"), "11", "what is kept is counted")
        context.axe(page, "with progress, ")
        saving = {"behavior": "allow", "downloadPath": str(folder), "browserContextId": page.storage}
        page.browser.send("Browser.setDownloadBehavior", saving)
        page.click(".export")
        saved = []
        end = time.monotonic() + 10
        while not saved and time.monotonic() < end:
            time.sleep(0.1)
            saved = list(folder.glob("progress-*.json"))
        if not context.check(len(saved) == 1, "an export is saved"):
            return
        held = page.run(STATE)
        page.click(".erase")
        context.equal(page.run("[...document.querySelectorAll('dialog button')].map((node) => node.className).join()"), "keep,erase-now", "what keeps comes first")
        context.check(page.run("document.activeElement.matches('.keep')"), "and has the focus")
        context.axe(page, "asked whether to erase, ")
        page.click(".keep")
        context.equal(page.run(STATE), held, "nothing is erased until that is confirmed")
        page.click(".erase")
        page.click(".erase-now")
        context.equal(text(page, ".message"), "Everything has been erased.", "a message says so")
        context.equal(page.run("Object.keys(localStorage).length"), 0, "nothing is left in the browser")
        context.quiet(page, site)
    with context.page() as page:
        page.open(site.http("progress.html"))
        export = json.loads(saved[0].read_text())
        broken = folder / "broken.json"
        bad = {"card": {**export["cards"][next(iter(export["cards"]))], "stability": "5"}}
        late = {key: {**card, "at": "2026-99-99"} for key, card in export["cards"].items()}
        for what, value, said in [
            ("no JSON", None, "Nothing was imported: this file is not an export"),
            ("a list", [], "Nothing was imported: this file is not an export"),
            ("a card that is none", {**export, "cards": bad}, "Nothing was imported: this file is not an export"),
            ("a page elsewhere", {**export, "read": {"//example.org/x.html": "2026-01-01"}}, "Nothing was imported: this file is not an export"),
            ("a page elsewhere, behind a tab", {**export, "read": {"\t//example.org/x.html": "2026-01-01"}}, "Nothing was imported: this file is not an export"),
            ("a day that is none", {**export, "cards": late}, "Nothing was imported: this file is not an export"),
            ("a place that is not text", {**export, "last": {**export["last"], "id": "\ud800"}}, "Nothing was imported: this file is not an export"),
            ("a place that is code", {**export, "last": {**export["last"], "url": "javascript:x.html"}}, "Nothing was imported: this file is not an export"),
            ("a newer version", {**export, "version": 3}, "Nothing was imported: this file comes from a newer version"),
            ("another course", {**export, "course": "0" * 12, "title": "<b>Other</b>"}, "of another course, “<b>Other</b>”"),
        ]:
            broken.write_text("{" if value is None else json.dumps(value))
            context.check(said in chosen(page, broken), f"{what} is refused")
            context.equal(page.run(f"Object.keys({STATE}.read).length"), 0, f"{what} changes nothing")
        context.equal(chosen(page, saved[0]), "Imported. Pages: 1, cards: 1.", "an export is read")
        context.equal([page.run(f"{STATE}.{key}") for key in ["read", "cards"]], [held["read"], held["cards"]], "all of it is there again")
        card = next(iter(export["cards"]))
        export["cards"][card]["at"] = "2000-01-01T00:00:00Z"
        export["cards"][card]["due"] = "2000-01-02"
        broken.write_text(json.dumps(export))
        chosen(page, broken)
        context.equal(page.run(f"{STATE}.cards"), held["cards"], "what is newer stays")
        context.quiet(page, site)


def nothing_kept(context, site):
    for name, script in [("forbidden", FORBIDDEN), ("full", FULL)]:
        with context.page() as page:
            before(page, script)
            page.open(site.http(PRACTICE))
            read_all(page)
            page.press(" ")
            page.press("3")
            context.equal(text(page, ".at"), "Card 2 of 10: 10 new", f"{name}: practice goes on")
            context.check("stores nothing" in text(page, ".queue .store"), f"{name}: a message says so")
            page.open(site.http(LAB))
            page.click(".mark")
            context.check(text(page, ".mark").startswith("Read"), f"{name}: a page can be marked")
            context.equal(text(page, ".done .store"), "", f"{name}: the message appears once")
            if name == "forbidden":
                page.open(site.http("progress.html"))
                context.check("stores nothing" in text(page, ".ledger .store"), "the page of progress always says it")
            context.quiet(page, site)


def not_understood(context, site):
    with context.page() as page:
        page.open(site.http("progress.html"))
        key = page.run("infralens.store.key")
        newer = json.dumps({"version": 3, "read": {LAB: {"often": 3}}})
        page.run(f"localStorage.setItem({key!r}, {newer!r})")
        page.open(site.http(LAB))
        page.click(".mark")
        context.check("newer version" in text(page, ".done .store"), "a newer store is spoken of")
        page.open(site.http("progress.html"))
        context.equal(page.run(f"localStorage.getItem({key!r})"), newer, "a newer store is left alone")
        sound = page.run("infralens.store.empty()")
        for damaged in [
            "{", "null", "[]", "1", '{"version":1,"read":[]}', json.dumps({**sound, "version": 0}),
            json.dumps({**sound, "read": {"tracks/%zz/labs/x.html": "2026-01-01"}}),
            json.dumps({**sound, "read": {"tracks/%ff/labs/x.html": "2026-01-01"}}),
            json.dumps({**sound, "last": {"url": "tracks/%/labs/x.html", "title": "x", "at": "2026-01-01"}}),
        ]:
            page.run("localStorage.clear()")
            page.run(f"localStorage.setItem({key!r}, {damaged!r})")
            page.open(site.http("index.html"))
            page.wait("document.querySelector('.continue.ready')")
            page.run(f"localStorage.setItem({key!r}, {damaged!r})")
            page.open(site.http("progress.html"))
            context.check("could not be read" in text(page, ".store"), f"{damaged} is spoken of")
            aside = f"Object.entries(localStorage).find(([name]) => name.startsWith({key!r} + ':damaged:'))?.[1]"
            context.equal(page.run(aside), damaged, f"{damaged} is kept aside")
        context.quiet(page, site)


def marks(context, page, site):
    page.open(site.http(TRACK + "index.html"))
    labs = page.run("document.querySelectorAll('.gauge .lab[data-read]').length")
    context.check(text(page, ".words").startswith(f"{labs} code-reading labs, "), "nothing is read")
    context.equal(page.run("document.querySelectorAll('.map .read').length"), 0, "nothing is read")
    start = text(page, ".next-for-you .left")
    page.open(site.http(SECTION))
    context.equal(text(page, ".mark"), "Mark as read", "the button")
    page.click("a[rel=next]")
    page.wait(f"location.href.endsWith({LAB!r}) && document.readyState === 'complete'")
    context.check(not page.run(f"{SECTION!r} in {STATE}.read"), "who goes on at once has not read the page")
    context.equal(page.run(f"{STATE}.last.url"), SECTION, "and what was opened last is that page")
    page.open(site.http(SECTION))
    minutes = page.run("Number(document.querySelector('.done').dataset.minutes)")
    page.run(f"performance.now = () => {minutes * 6000 - 1000}")
    page.run("document.addEventListener('click', (event) => event.preventDefault(), { once: true })")
    page.click("a[rel=next]")
    context.check(not page.run(f"{SECTION!r} in {STATE}.read"), "nor who has seen it for less than a tenth of its time")
    page.run(f"performance.now = () => {minutes * 6000 + 5000}")
    page.click("a[rel=next]")
    page.wait(f"location.href.endsWith({LAB!r}) && document.readyState === 'complete'")
    context.check(page.run(f"{SECTION!r} in {STATE}.read"), "who goes on after a plausible time has read the page")
    context.equal(page.run(f"{STATE}.last.url"), SECTION, "and has opened nothing else yet")
    with context.page(beside=page) as other:
        other.open(site.http(TRACK + "index.html"))
        context.equal(other.run("document.querySelectorAll('.map .first .read').length"), 1, "one is read")
        context.equal(other.run("document.querySelector('.map .next').dataset.read"), LAB, "the next one is shown")
        context.check("read" in other.run("document.querySelector('.map .first .read a').textContent"), "it is said to those who do not see it")
        column = "[...document.querySelectorAll('.course a.read')].map((a) => [a.href, a.querySelector('.is-read').textContent])"
        for place in [TRACK + "index.html", LAB]:
            other.open(site.http(place))
            context.equal(other.run(column), [[site.http(SECTION), ", read"]], f"the column of {place} knows it by its link")
        other.open(site.http(TRACK + "index.html"))
        page.click(".mark")
        other.wait("document.querySelectorAll('.map :is(.first, .lab).read, .map .first .read').length === 2")
        context.check(text(other, ".words").startswith(f"Labs read: 1 of {labs}, "), "another tab keeps in step")
        context.check(text(other, ".next-for-you .left") != start, "what is next has changed")
        context.axe(other, "with read marks, ")
    page.click(".mark")
    context.equal(page.run(f"Object.keys({STATE}.read)"), [SECTION], "a mark can be taken back")
    with context.page() as disk:
        disk.open(site.file(LAB))
        disk.click(".mark")
        disk.open(site.file(SECTION))
        context.equal(disk.run(column), [[site.file(LAB), ", read"]], "the same from disk")
    page.run("location.hash = '#E1-N2'")
    page.open(site.http("index.html"))
    context.check(text(page, ".continue .left").endswith(", at note 2 of 6") or ", at note 2 of " in text(page, ".continue .left"), "home says where one left off")
    context.check(page.run("document.querySelector('.continue .button').href").endswith(LAB + "#E1-N2"), "and leads there")
    page.run("document.dispatchEvent(new CustomEvent('infralens:update'))")
    page.open(site.http(TRACK + "index.html"))
    count = "document.querySelectorAll('.is-read').length"
    was = page.run(count)
    page.run("document.dispatchEvent(new CustomEvent('infralens:update'))")
    context.equal(page.run(count), was, "an update doubles nothing")
    context.quiet(page, site)


def gone(context, site):
    """Pages and tracks that the course has no more."""
    with context.page() as page:
        page.open(site.http("index.html"))
        start = text(page, ".continue")
        card = {"track": "gone", "at": "2026-01-01", "due": "2026-01-02", "first": "2026-01-01", "stability": 3, "difficulty": 5}
        last = {"url": TRACK + "labs/lab-99-gone.html", "title": "Gone", "at": "2026-01-01"}
        page.run(f"infralens.store.change((state) => Object.assign(state, {{ cards: {{ {'0' * 16!r}: {json.dumps(card)} }}, last: {json.dumps(last)} }}))")
        context.equal(text(page, ".due"), "", "cards of a track that is gone are not due")
        page.open(site.http("index.html"))
        page.wait("document.querySelector('.continue.ready')")
        context.equal(text(page, ".continue"), start, "a page that is gone is not offered")
        for name in ["constructor", "__proto__", "toString", "a%25b"]:
            elsewhere = {**last, "url": f"tracks/{name}/labs/lab-01-x.html"}
            page.run(f"infralens.store.change((state) => Object.assign(state, {{ last: {json.dumps(elsewhere)} }}))")
            page.open(site.http("index.html"))
            page.wait("document.querySelector('.continue.ready')")
            context.equal(text(page, ".continue"), start, f"nor one of a track called {name}")
        page.run(f"infralens.store.change((state) => Object.assign(state, {{ last: {json.dumps(last)} }}))")
        page.open(site.http(last["url"]))
        page.wait("document.documentElement.dataset.page === '404.html' && window.infralens?.store")
        context.check(not page.run(f"{STATE}.last"), "a page that was only opened is not offered to be continued")


def zones(context, page, site):
    """Times are kept with their zone: one who travels finds what is due due, and days are those of the place."""
    clock, zone = Clock(page), lambda name: page.send("Emulation.setTimezoneOverride", {"timezoneId": name})
    tokyo, angeles = ("Asia/Tokyo", "2026-03-02T00:30:00Z"), ("America/Los_Angeles", "2026-03-02T00:45:00Z")
    for (start, begun), (end, later) in [(tokyo, angeles), (angeles, ("Asia/Tokyo", "2026-03-02T00:56:00Z"))]:
        zone(start)
        clock.at(begun)
        page.open(site.http(PRACTICE))
        read_all(page)
        for grade in "1333333333":
            page.press(" ")
            page.press(grade)
        waiting = text(page, ".asked")
        context.check("1 more today" in waiting, f"in {start}: {waiting}")
        zone(end)
        clock.at(later)
        page.open(site.http(PRACTICE))
        context.equal(text(page, ".at"), "Card 1 of 1: 1 due", f"from {start} to {end}: what was due in ten minutes, and no new cards on the same day")
        context.equal(page.run(TABLE).split(",")[0], "1", f"from {start} to {end}: cards today")
        page.open(site.http("index.html"))
        page.wait("document.querySelector('.continue.ready')")
        context.equal(text(page, ".due"), "1 card due today", f"from {start} to {end}: home says so")
        page.run("localStorage.clear()")
    # A card of a day is due on that day, wherever its reader is by then.
    zone("America/Los_Angeles")
    clock.at("2026-03-02T20:00:00Z")
    page.open(site.http(PRACTICE))
    read_all(page)
    page.press(" ")
    page.press("3")
    zone("Asia/Tokyo")
    for time, count in [("2026-03-03T14:00:00Z", 0), ("2026-03-03T15:30:00Z", 1)]:
        clock.at(time)
        page.open(site.http("index.html"))
        page.wait("document.querySelector('.continue.ready')")
        context.equal(text(page, ".due"), "1 card due today" if count else "", f"a card of 4 March, at {time}, in Tokyo")
    # What is almost due at midnight comes back while one practices.
    clock.at("2026-03-05T14:55:00Z")
    page.run("localStorage.clear()")
    page.open(site.http(PRACTICE))
    read_all(page)
    for grade in "1333333333":
        page.press(" ")
        page.press(grade)
    context.check("1 more today" in text(page, ".asked"), f"five minutes before midnight: {text(page, '.asked')}")
    # Times of version 1 were local.
    card = {"track": "ai-infra", "at": "2026-03-05T09:00:00", "due": "2026-03-05T09:10:00", "first": "2026-03-04T09:00:00", "stability": 3, "difficulty": 5}
    old = {**page.run("infralens.store.empty()"), "version": 1, "read": {LAB: "2026-03-05T08:00:00"}, "last": {"url": SECTION, "title": "x", "at": "2026-03-05T08:30:00"}}
    old["cards"] = {page.run("document.querySelector('[data-card]').dataset.card"): card}
    name = page.run("infralens.store.key")
    page.run(f"localStorage.setItem({name!r}, {json.dumps(json.dumps(old))})")
    page.open(site.http(PRACTICE))
    found = page.run(STATE)
    context.equal([found["version"], found["read"][LAB], found["last"]["at"], next(iter(found["cards"].values()))],
                  [2, "2026-03-04T23:00:00Z", "2026-03-04T23:30:00Z",
                   {**card, "at": "2026-03-05T00:00:00Z", "due": "2026-03-05T00:10:00Z", "first": "2026-03-04T00:00:00Z"}], "a store of version 1")
    context.quiet(page, site)


def set_back(context, page, site, folder):
    """A clock that was wrong, and is set back: its cards are not away until then, and reading goes on where it did."""
    clock = Clock(page)
    clock.at("2031-05-01T10:00:00Z")
    page.open(site.http(PRACTICE))
    read_all(page)
    for _ in range(2):
        page.press(" ")
        page.press("3")
    page.run("infralens.store.change((state) => (state.read = {}))")
    page.open(site.http(TRACK + "labs/lab-09-nsight-profiling.html"))
    page.click(".mark")
    ahead = page.run("JSON.stringify({ ...infralens.store.state, exported: infralens.store.now() })")
    clock.at("2026-03-02T10:00:00Z")
    page.open(site.http("index.html"))
    page.wait("document.querySelector('.continue.ready')")
    context.equal(text(page, ".due"), "2 cards due today", "cards of a day that is still to come")
    page.open(site.http(PRACTICE))
    context.check(": 2 due, " in text(page, ".at"), f"practice has them: {text(page, '.at')}")
    page.press(" ")
    page.press("3")
    context.check(page.run(f"Object.values({STATE}.cards).filter(({{ at }}) => at.startsWith('2026-03-02T10:00')).length") == 1, "the grade has the time of the clock")
    kept = page.run(f"{STATE}.cards")
    page.open(site.http(LAB))
    page.click(".mark")
    read = page.run(f"{STATE}.read")
    context.check(read[LAB] == max(read.values()), f"what is read last is last: {read}")
    page.open(site.http(TRACK + "index.html"))
    page.wait("document.querySelector('.next-for-you.ready')")
    context.check("Lab 01" not in text(page, ".next-for-you .left") and "Lab 10" not in text(page, ".next-for-you .left"), f"reading goes on after it, not with {text(page, '.next-for-you .left')}")
    page.open(site.http("progress.html"))
    file = folder / "ahead.json"
    file.write_text(ahead)
    chosen(page, file)
    context.equal(page.run(f"{STATE}.cards"), kept, "an export of the wrong time undoes no grade")
    # An hour, as by hand: what comes back in ten minutes can be had at once.
    page.run("localStorage.clear()")
    page.open(site.http(PRACTICE))
    read_all(page)
    for grade in "1333333333":
        page.press(" ")
        page.press(grade)
    clock.at("2026-03-02T09:00:00Z")
    page.open(site.http(PRACTICE))
    context.equal(page.run(TABLE).split(",")[:4], ["1", "0", "9", "0"], "cards after the clock was set back by an hour")
    page.press(" ")
    context.equal(text(page, ".at"), "Card 1 of 1: 1 due", "what waits can be had at once")
    context.quiet(page, site)


def without_scripts(context, site):
    with context.page() as page:
        page.scripts(False)
        page.open(site.http(PRACTICE))
        context.check(shown(page, ".cards details") and not shown(page, ".session"), "the list, and no card")
        page.click(".cards summary")
        context.check(shown(page, ".cards .answer"), "answers open")
        context.check(shown(page, ".queue a[download]") and not shown(page, ".backup"), "cards for Anki, and no button that needs a script")
        page.open(site.http("progress.html"))
        context.check(shown(page, ".unscripted") and not shown(page, ".erase"), "progress says what it needs")
        page.open(site.http(LAB))
        context.check(not shown(page, ".mark"), "no button that needs a script")


def from_disk(context, site):
    with context.page() as page:
        page.open(site.file(LAB))
        page.click(".mark")
        page.open(site.file(PRACTICE))
        page.press(" ")
        page.press("3")
        page.open(site.file("progress.html"))
        context.equal(text(page, "[data-kept=read]") + text(page, "[data-kept=cards]"), "11", "progress is kept from disk, too")
        context.quiet(page, site)


def run(context):
    site = context.own
    with context.part("formulas"), context.page() as page:
        page.open(site.http(PRACTICE))
        formulas(context, page)
    with context.part("days of practice"), context.page() as page:
        days_of_practice(context, page, site)
    with context.part("out and in again"), tempfile.TemporaryDirectory() as folder:
        backup(context, site, Path(folder))
    with context.part("nothing can be kept"):
        nothing_kept(context, site)
    with context.part("damaged or newer"):
        not_understood(context, site)
    with context.part("read marks"), context.page() as page:
        marks(context, page, site)
    with context.part("what is gone"):
        gone(context, site)
    with context.part("zones"), context.page() as page:
        zones(context, page, site)
    with context.part("a clock that is set back"), context.page() as page, tempfile.TemporaryDirectory() as folder:
        set_back(context, page, site, Path(folder))
    with context.part("without scripts"):
        without_scripts(context, site)
    with context.part("from disk"):
        from_disk(context, site)
