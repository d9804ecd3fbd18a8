"""The home page: its first screen has an excerpt whose notes one steps through, then come questions and a map of the tracks."""

WIDE, PHONE = (1440, 900), (390, 844)
SIZES = [WIDE, (1280, 800), (1024, 768), PHONE, (320, 640)]

BOX = "(() => {{ const box = document.querySelector({!r}).getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; }})()"
SHOWN = "document.querySelector({!r})?.checkVisibility({{ visibilityProperty: true }}) ?? false"
OPEN = "[...document.querySelectorAll('main > .pair .note.lens-on')].map((note) => note.id)"
SAID = "document.querySelector('.stepper [data-words]').textContent"
BEGUN = """(() => {
  const { store } = infralens;
  store.change((state) => {
    state.read["tracks/ai-infra/labs/lab-01-transformer-memory.html"] = store.now();
    state.last = { url: "tracks/ai-infra/labs/lab-05-bank-conflict.html", title: "A lab", at: store.now(), id: "E1-N2", n: 2, m: 6 };
  });
  return 0;
})()"""


def run(context):
    for name, check in [("screen", screen), ("steps", steps), ("unscripted", unscripted), ("back", back), ("map", tracks)]:
        with context.part(name), context.page(*WIDE) as page:
            check(context, page, context.own)
    with context.part("others"), context.page(*WIDE) as page:
        others(context, page)


def screen(context, page, site):
    """What the first screen has; the whole page; a phone."""
    page.open(site.http())
    for selector in ["main h1", ".tagline", ".promise .lead", ".first .button", ".first a:not(.button)", ".pair .excerpt", ".pair .caption",
                     *(f".pair .note:nth-child({number}) > div" for number in (1, 2, 3))]:
        _, _, _, bottom = page.run(BOX.format(selector))
        context.check(0 < bottom <= WIDE[1], f"{selector} ends at {bottom:.0f} px of {WIDE[1]}")
    end = page.run("document.querySelector('main').getBoundingClientRect().bottom")
    context.check(end <= 2000, f"the page without its end is {end:.0f} px high")
    lab = page.run("document.querySelector('.first .button').href")
    context.check(lab.endswith("/labs/lab-04-cuda-reduce.html"), f"the button leads to {lab}, not to the lab of the file")
    context.equal(page.run("document.querySelectorAll('main > ul:not([class]) > li').length"), 10, "questions")
    context.check(page.run("document.querySelector('.colophon').textContent.includes('License')"), "the page says who wrote the course")
    for size in SIZES:
        page.size(*size)
        page.open(site.http())
        context.measure(page, "shift()", f"home moves by itself at {size[0]}")
        context.measure(page, "layout()", f"home at {size[0]}")
        scrolls = page.run("[...document.querySelectorAll('main > .pair .listing')].some((pre) => pre.scrollWidth > pre.clientWidth)")
        context.check(not scrolls or size[0] < 1024, f"the excerpt is cut off at {size[0]}")
    page.size(*PHONE)
    page.open(site.http())
    tops = [page.run(BOX.format(selector))[1] for selector in ("main h1", ".tagline", ".promise", "main > .pair", "main > h2")]
    context.equal(tops, sorted(tops), "on a phone the excerpt comes after title and promise")
    context.check(tops[3] < PHONE[1], f"the excerpt begins at {tops[3]:.0f} px of a phone")
    order = page.run("[...document.querySelectorAll('main > .pair :is(.line, .note)')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).findIndex((node) => node.matches('.note'))")
    context.check(0 < order < 13, "on a phone notes are between the lines")
    shown = "document.querySelector('.course').checkVisibility()"
    context.check(not page.run(shown), "the menu is closed")
    page.click(".menu")
    page.wait(shown)
    page.click(".course .close")
    page.wait(f"!({shown})")
    context.quiet(page, site)


def steps(context, page, site):
    """One note is open from the start; buttons, keys and markers open others. The buttons end at the ends."""
    page.open(site.http())
    context.equal(page.run(OPEN), ["E1-N2"], "what is open from the start")
    context.equal(page.run("location.hash"), "", "the address does not name it")
    context.equal(page.run(SAID), "2 of 3", "which note it is")

    def opens(number, what):
        context.equal([page.run(OPEN), page.run(SAID)], [[f"E1-N{number}"], f"{number} of 3"], what)

    page.click(".step.on")
    opens(3, "the button for the next note")
    page.click(".step.on")
    opens(3, "the button does nothing at the end")
    page.click(".step.back")
    page.click(".step.back")
    opens(1, "the button for the note before")
    context.check(page.run("document.activeElement.matches('.step.back')"), "the button keeps the focus")
    page.press("j")
    opens(2, "the key j")
    page.press("k")
    opens(1, "the key k")
    page.click("main > .pair .marker[href='#E1-N3']")
    opens(3, "a marker")
    page.run("document.dispatchEvent(new CustomEvent('infralens:update'))")
    context.equal(len(page.run(OPEN)), 1, "notes that are open after an update")
    page.open(site.http("about.html"))
    page.open(site.http() + "#E1-N1")
    opens(1, "an address that names a note")
    page.size(*PHONE)
    page.open(site.http())
    page.click(".step.on")
    opens(3, "the button on a phone")
    note = page.run(BOX.format("#E1-N3"))
    context.check(note[1] < PHONE[1] and note[3] > 0, "the note that is stepped to is in sight")
    page.run("scrollTo(0, 0)")
    context.axe(page, "a note is open")
    context.quiet(page, site)


def unscripted(context, page, site):
    """Without scripts all notes are shown, and nothing that would need them."""
    page.scripts(False)
    for size in (WIDE, PHONE):
        page.size(*size)
        page.open(site.http())
        for number in (1, 2, 3):
            context.check(page.run(SHOWN.format(f"#E1-N{number} > div")), f"note {number} is shown without scripts at {size[0]}")
        context.check(not page.run(SHOWN.format(".stepper")), "no buttons without scripts")
        context.check(page.run(SHOWN.format(".first .button")) and not page.run(SHOWN.format(".continue")), "the way into the lab is shown")


def back(context, page, site):
    """Who comes back finds where to go on, in the place of where to begin, and nothing moves."""
    page.open(site.http())
    page.wait("document.querySelector('.continue.ready')")
    context.check(page.run(SHOWN.format(".first .button")) and not page.run(SHOWN.format(".continue .left")), "a new reader finds where to begin")
    page.run(BEGUN)
    for size in SIZES:
        page.size(*size)
        page.open(site.http())
        page.wait("document.querySelector('.continue.ready .left a').textContent.includes('05')")
        context.check(page.run(SHOWN.format(".continue .button")) and not page.run(SHOWN.format(".first .button")), f"who comes back finds where to go on at {size[0]}")
        context.check("at note 2 of 6" in page.run("document.querySelector('.continue .left').textContent"), "and where it was")
        context.measure(page, "shift()", f"home moves at {size[0]} if one comes back")
        (_, top, _, bottom), (_, begin, _, end) = (page.run(BOX.format(selector)) for selector in (".continue", ".start"))
        context.check(begin - 1 <= top and bottom <= end + 1, f"where to go on is within its place at {size[0]}")
    page.size(*WIDE)
    page.open(site.http())
    context.check(page.run("document.querySelector('.stops .read [href*=\"lab-01\"] .is-read') !== null"), "the map marks what is read")
    context.axe(page, "who comes back")
    context.quiet(page, site)


def tracks(context, page, site):
    """The map has every lab once: those of large tracks in groups, and tracks of one lab with what they require."""
    page.open(site.http())
    labs = sorted(path for path in site.of_kind("lab") if not path.startswith("zh-Hans/"))
    named = page.run("[...document.querySelectorAll('.stops .lab a, .singles > li > :is(h2, h3, h4, h5) a')].map((a) => a.pathname.slice(1))")
    context.equal(sorted(named), labs, "the labs of the map")
    context.equal(page.run("[...document.querySelectorAll('.stops .section b')].map((b) => b.textContent)"), ["", ""], "sections that have no number")
    context.equal(page.run("[...document.querySelectorAll('.singles > li > .what:first-child')].map((p) => p.textContent.trim().replace(/\\s+/g, ' '))"),
                  ["Transformer after AI Infrastructure: Lab 01, Lab 10, Lab 11", "Diffusers after AI Infrastructure: Lab 01"], "what tracks of one lab require")
    columns = page.run("new Set([...document.querySelectorAll('.runs > div')].map((group) => Math.round(group.getBoundingClientRect().left))).size")
    context.check(columns >= 5, f"the groups are in {columns} columns")


def others(context, page):
    """Home pages without an excerpt, and of other courses: nothing is cut off, and the first step is shown."""
    for site in (context.hard, context.crowd):
        for size in SIZES:
            page.size(*size)
            page.open(site.http())
            page.wait("document.querySelector('.continue.ready')")
            context.measure(page, "layout()", f"{site.name} at {size[0]}")
            context.measure(page, "shift()", f"{site.name} moves at {size[0]}")
            context.check(page.run(SHOWN.format(".continue .button")), f"{site.name} at {size[0]} says where to begin")
            context.check(not page.run(SHOWN.format(".stepper")), f"{site.name} has no excerpt to step through")
