"""Calculators and figures: each is driven by its presets, to both ends of each range, by mouse and by keyboard, on a phone, on
paper, from disk, by its address and without scripts. The answer of one with a bar stays in view."""

import json

WIDE, NARROW, PAPER = (1280, 800), (390, 844), (794, 1123)
NONE = "—"

# What a calculator with a bar says of its answer, and how it draws the bar.
ANSWER = """const answer = { said: texts(".verdict, .sum, .largest, .parts tr:not([hidden]) :is(th, output), .changes:not([hidden]) p,"
    + " .fits span:nth-child(-n + 2), .limit text"),
  bar: [...figure.querySelectorAll(".bar rect, .bar line")].map((node) => ["x", "width", "x1", "x2"].map((name) => node.getAttribute(name)).join()) };"""

# What a calculator shows: its fields, its results by name, its messages, the words of its chart, its answer.
SHOWN = """((id) => { const figure = document.getElementById(id), texts = (selector) => [...figure.querySelectorAll(selector)]
  .map((node) => node.textContent);
  const named = (selector) => Object.fromEntries([...figure.querySelectorAll(selector)].map((node) =>
    [node.closest("tr")?.dataset.value ?? "verdict", node.value || node.textContent]));
  ANSWER
  return { fields: named("input, select:not([data-group])"), results: named(".results output, .verdict"),
    messages: texts(".inputs output").filter(Boolean), filled: texts(".filled").join(), chart: texts(".chart p").join(),
    line: figure.querySelector("polyline")?.getAttribute("points"), ...answer };
})(%s)""".replace("ANSWER", ANSWER)

# The same of the table that the program has written.
BUILT = """((id) => { const figure = document.getElementById(id), texts = (selector) => [...figure.querySelectorAll(selector)]
  .map((node) => node.textContent);
  const results = [...figure.querySelectorAll(".results tr[data-value]")].map((row) => [row.dataset.value, row.querySelector("td").textContent]);
  for (const verdict of texts(".verdict")) results.push(["verdict", verdict]);
  ANSWER
  return { results: Object.fromEntries(results), filled: texts(".filled").join(), chart: texts(".chart p").join(),
    line: figure.querySelector("polyline")?.getAttribute("points"), ...answer };
})(%s)""".replace("ANSWER", ANSWER)


# How far a chart's point is from its line, in pixels.
OFF = """((id) => { const line = document.querySelector(`#${CSS.escape(id)} polyline`);
  if (!line?.checkVisibility()) return 0;
  const { e: x, f: y } = line.parentNode.querySelector("circle").transform.baseVal.consolidate().matrix, whole = line.getTotalLength();
  return Math.min(...Array.from({ length: 2000 }, (_, at) => line.getPointAtLength((at * whole) / 1999)).map((on) => Math.hypot(on.x - x, on.y - y)));
})(%s)"""


def visit(page, url):
    """Opens a page, and waits for the script of its calculators, which comes when one is near the window."""
    page.open(url)
    page.run("document.querySelector('.calc').scrollIntoView({ behavior: 'instant' })")
    page.wait("window.infralens.calc")
    page.run("document.querySelectorAll('.calc .more').forEach((node) => { node.open = true; })")
    page.run("scrollTo({ top: 0, behavior: 'instant' })")


def shown(page, figure):
    return page.run(SHOWN % json.dumps(figure))


def fields(page, figure):
    """Selector, name, lowest and highest number of each number field."""
    return page.run(f"[...document.getElementById({json.dumps(figure)}).querySelectorAll('input')].map((node) =>"
                    " [`[aria-labelledby='${node.getAttribute('aria-labelledby')}']`, node.closest('tr').dataset.value, node.min, node.max])")


def write(page, selector, text):
    """Types a number over what a field has."""
    page.run(f"(() => {{ const node = document.querySelector({json.dumps(selector)}); node.focus(); node.select(); }})()")
    page.type(text)


def press(page, selector):
    """Clicks in the middle of the window, where the bar at the top covers nothing."""
    page.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    page.click(selector)


def fits(context, page, where):
    """Nothing is cut off; the bar at the top covers what is scrolled under it, and so the page is seen from its top."""
    page.run("scrollTo(0, 0)")
    context.measure(page, "layout()", where)


def drive(context, page, site, path, figure):
    """One calculator by presets and ranges."""
    visit(page, site.http(path))
    start = shown(page, figure)
    context.check(start["results"] and not start["messages"], "there are results and no messages")
    context.check(NONE not in start["filled"], "all formulas are filled")
    off = page.run(OFF % json.dumps(figure))
    context.check(off <= 3, f"the point of a chart is {off:.1f} px from its line")
    buttons = page.run(f"[...document.getElementById({json.dumps(figure)}).querySelectorAll('.settings [data-set]')].map((node, at) => {{ node.id ||= `B${{at}}`; return node.dataset.set; }})")
    default = buttons[0]
    named = lambda setting: dict(pair.split("=") for pair in setting.split(",") if pair)
    for at, preset in enumerate(buttons[1:], 1):
        press(page, f"[id='{figure}'] [id='B{at}']")
        setting = ",".join(f"{name}={value}" for name, value in (named(default) | named(preset)).items())
        now = shown(page, figure)
        context.equal(",".join(f"{name}={value}" for name, value in now["fields"].items()), setting, "a preset sets the fields")
        context.check(not now["messages"], f"the preset {setting} is within the ranges: {now['messages']}")
        context.check(page.run("location.hash").endswith(f":{setting}"), "the address has the setting")
    press(page, f"[id='{figure}'] [data-set='{default}']")
    context.equal(shown(page, figure), start, "reset leads back to the default case")
    for selector, name, low, high in fields(page, figure):
        for end in (low, high):
            write(page, selector, end)
            now = shown(page, figure)
            context.equal(now["fields"][name], end, f"{name} is {end}")
            context.check(not now["messages"], f"{name} may be {end}: {now['messages']}")
            context.check("NaN" not in json.dumps(now) and "undefined" not in json.dumps(now), f"{name} = {end} prints {now}")
        for wrong in (str(float(low) - 1), f"{high}9", "", "-"):
            write(page, selector, wrong) if wrong else page.run(f"(() => {{ const node = document.querySelector({json.dumps(selector)}); node.value = ''; node.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
            now = shown(page, figure)
            context.check(now["messages"] and NONE in now["results"].values(), f"{name} = {wrong!r} is refused: {now}")
        press(page, f"[id='{figure}'] [data-set='{default}']")
    context.equal(shown(page, figure), start, "and again")
    press(page, f"[id='{figure}'] [data-copied]")
    page.wait(f"document.getElementById({json.dumps(figure)}).querySelector('.settings output').textContent")
    context.quiet(page, site)


def look(context, page, site, path, figures):
    """All calculators of a page: on a desk and on a phone, in both themes, with errors, and on paper."""
    visit(page, site.http(path))
    for size in (WIDE, NARROW):
        page.size(*size)
        # No color depends on the width.
        for dark in (False, True) if context.every else (size == NARROW,):
            page.media(dark=dark, still=True)
            context.axe(page, f"{'dark' if dark else 'light'}, {size[0]}", within=".calc")
        fits(context, page, f"{size[0]}")
    for figure in figures:
        for selector, *_ in fields(page, figure)[:1]:
            write(page, selector, "1e30")
    fits(context, page, "with messages")
    context.axe(page, "with messages", within=".calc")
    page.size(*WIDE)
    page.media(forced=True, still=True)
    fits(context, page, "forced colors")
    page.size(*PAPER)
    page.media("print")
    context.measure(page, "layout(true)", "print")
    context.check(not page.run("[...document.querySelectorAll('.calc .settings')].some((node) => node.checkVisibility())"), "no buttons on paper")
    page.media("")
    page.size(*WIDE)


def keyboard(context, page, site, path, figure):
    """Tab leads through the buttons and the fields in order; keys change them. What would make it fit changes with them."""
    visit(page, site.http(path))
    page.run(f"document.getElementById({json.dumps(figure)}).querySelector('button').focus()")
    wanted = "button:not(.fits *), input, select"
    expected = page.run(f"document.getElementById({json.dumps(figure)}).querySelectorAll({json.dumps(wanted)}).length")
    first = page.run(f"[...document.getElementById({json.dumps(figure)}).querySelectorAll({json.dumps(wanted)})].findIndex((node) => node.matches('button'))")
    reached, changed = first, False
    while page.run(f"document.activeElement.closest('.calc')?.id === {json.dumps(figure)}") and reached <= expected + 12:
        reached += page.run(f"+document.activeElement.matches({json.dumps(wanted)})")
        kind = page.run("document.activeElement.localName")
        before = shown(page, figure)
        if kind in ("input", "select"):
            page.press("ArrowDown")
            page.press("ArrowUp")
            page.press("ArrowUp")
            changed |= shown(page, figure)["fields"] != before["fields"]
        page.press("Tab")
    context.equal(reached, expected, "Tab reaches all buttons and fields")
    context.check(changed, "keys change a field")
    page.run(f"document.getElementById({json.dumps(figure)}).querySelector('button').focus()")
    page.press("Enter")
    context.quiet(page, site)


def address(context, page, site, path, figure):
    """The address sets a calculator, from disk too; what it does not know it leaves alone."""
    visit(page, site.http(path))
    start = shown(page, figure)
    (_, name, low, high), *_ = fields(page, figure)
    for where in (site.http(path), site.file(path)):
        page.open("about:blank")
        page.open(f"{where}#{figure}:{name}={high}")
        page.wait("window.infralens.calc")
        now = shown(page, figure)
        context.equal(now["fields"], {**start["fields"], name: high}, "the address sets an input")
        context.check(page.run(f"Math.abs(document.getElementById({json.dumps(figure)}).getBoundingClientRect().top) < innerHeight"), "it is in sight")
        page.run(f"location.hash = {json.dumps(f'#{figure}:{name}={low}')}")
        page.wait(f"({SHOWN % json.dumps(figure)}).fields[{json.dumps(name)}] === {json.dumps(low)}")
        for odd in (f"#{figure}:", f"#{figure}:x", f"#{figure}:=,=1,{name}", f"#{figure}:{name}=a:b", "#%zz:a=1", f"#{figure}:constructor=1,kv=3"):
            page.run(f"location.hash = {json.dumps(odd)}")
            page.run("new Promise((done) => setTimeout(done, 30))")
        page.run(f"location.hash = {json.dumps(f'#{figure}:{name}={high}')}")
        page.wait(f"({SHOWN % json.dumps(figure)}).fields[{json.dumps(name)}] === {json.dumps(high)}")
        context.equal(shown(page, figure), now, "odd addresses leave nothing behind")
        context.quiet(page, site)


def without_scripts(context, page, site, path, figures):
    visit(page, site.http(path))
    computed = {figure: shown(page, figure) for figure in figures}
    page.scripts(False)
    page.open(site.http(path))
    for figure in figures:
        built = page.run(BUILT % json.dumps(figure))
        context.equal({name: computed[figure][name] for name in built}, built, "the program and the script compute and draw the same")
    for figure in figures:
        count = f"document.querySelectorAll(\"[id='{figure}'] :is(input, select, button)\").length"
        context.equal(page.run(count), 0, "no field without scripts")
        context.check(page.run(f"[...document.querySelectorAll(\"[id='{figure}'] td:not(.parts td:last-child)\")].every((cell) => cell.textContent.trim())"), "every cell says something")
    for size in (WIDE, NARROW):
        page.size(*size)
        context.measure(page, "layout()", f"no scripts, {size[0]}")
    context.quiet(page, site)


def figures(context, page, site, path):
    """A figure in the text says where it comes from when it is pointed at, or when a link of the list leads to it."""
    page.open(site.http(path))
    page.hover(".figure[id]")
    page.wait("document.querySelector('.figure .definition')?.checkVisibility()")
    context.check("kv =" in page.run("document.querySelector('.figure .definition').textContent"), "it has a formula")
    page.press("Escape")
    context.check(not page.run("document.querySelector('.figure .definition').checkVisibility()"), "Escape hides it")
    page.click(".figures summary")
    page.click(".figures td:last-child a")
    page.wait("document.activeElement.matches('.figure')")
    page.wait("document.querySelector('.figure:focus .definition')?.checkVisibility()")
    for size in (WIDE, NARROW):
        page.size(*size)
        for dark in (False, True):
            page.media(dark=dark, still=True)
            context.axe(page, f"figures, {'dark' if dark else 'light'}, {size[0]}", within="main")
        page.run("document.activeElement.blur()")
        fits(context, page, f"figures, {size[0]}")
        page.run("document.querySelector('.figure').focus()")
    context.quiet(page, site)


def later(context, page, site, path):
    """The script comes only when a calculator comes near; before, its fields have their place, their names and their values."""
    page.open(site.http(path))
    loaded = "document.querySelectorAll('script[src*=\"/calc.\"]').length"
    context.equal(page.run(f"[{loaded}, document.querySelectorAll('.calc template').length]"), [0, 0], "at first there are fields and no script")
    context.check(page.run("[...document.querySelectorAll('.calc :is(input, select)')].every((node) => node.value && document.getElementById(node.getAttribute('aria-labelledby')))"), "each field has a name and a value")
    height = page.run("document.querySelector('main').scrollHeight")
    visit(page, site.http(path))
    context.equal(page.run("document.querySelector('main').scrollHeight"), height, "nothing moves")
    context.quiet(page, site)


# Whether the answer is in the window, over everything else, and apart from the field that has the focus.
IN_VIEW = """(() => { const answer = document.querySelector(".answer"), { top, bottom, left } = answer.getBoundingClientRect();
  const verdict = answer.querySelector(".verdict").getBoundingClientRect(), field = document.activeElement.getBoundingClientRect();
  const at = document.elementFromPoint(verdict.left + 4, (verdict.top + verdict.bottom) / 2);
  const apart = field.right < left || field.bottom <= top + 1 || field.top >= bottom - 1;
  return top >= 0 && bottom <= innerHeight + 1 && answer.contains(at) && apart;
})()"""


def answer(context, page, site, path, figure):
    """The answer of a calculator with a bar is in view whatever is changed, and what would make it fit does."""
    for size in ((1440, 900), NARROW, (320, 640)):
        page.size(*size)
        page.open(site.http(path))
        page.wait("window.infralens.calc")
        context.check(page.run("scrollY") == 0, "nothing is scrolled")
        count = page.run(f"(window.fields = [...document.getElementById({json.dumps(figure)}).querySelectorAll('.ask :is(input, select)')].filter((node) => node.checkVisibility())).length")
        context.check(count > 2, f"{count} fields are asked first")
        for at in range(count):
            before = shown(page, figure)
            page.run(f"fields[{at}].focus()")
            page.run("new Promise((done) => setTimeout(done, 30))")
            context.check(page.run(IN_VIEW), f"the answer is in view at field {at}, {size}")
            page.press("ArrowDown" if page.run(f"fields[{at}].matches('select')") else "ArrowUp")
            after = shown(page, figure)
            context.check(page.run(IN_VIEW), f"the answer is in view after field {at} has changed, {size}")
            context.check(not after["messages"] and after["fields"] != before["fields"], f"field {at} changes inputs: {after['messages']}")
        setting = page.run("location.hash")
        now = shown(page, figure)
        for where in (site.http(path), site.file(path)):
            page.open("about:blank")
            page.open(where + setting)
            page.wait("window.infralens.calc")
            context.equal(shown(page, figure), now, "the address leads to the same answer")
    page.size(*WIDE)
    page.open(site.http(path))
    page.wait("window.infralens.calc")
    start = shown(page, figure)
    tries = page.run("document.querySelectorAll('.fits button').length")
    context.check(tries > 0, "something would make it fit")
    for at in range(tries):
        page.run(f"document.querySelectorAll('.fits button')[{at}].id = 'try'")
        promised = page.run("document.getElementById('try').closest('li').querySelector('span + span').textContent")
        press(page, "#try")
        now = shown(page, figure)
        context.equal(page.run("document.querySelector('.sum').textContent"), promised, "the change does what it promises")
        context.check(page.run("document.querySelector('.changes').hidden && document.querySelector('.over').getAttribute('width') === '0.00%'"), f"it fits: {now['said'][:2]}")
        context.check(page.run("document.activeElement.matches('.answer')"), "the focus is on the answer")
        press(page, f"[id='{figure}'] .settings [data-set]")
        context.equal(shown(page, figure), start, "reset leads back")
    context.quiet(page, site)


def whole(context, page, site, path):
    """The page of calculators is short, and lists links; its calculator answers without scripts and on paper."""
    page.open(site.http(path))
    context.check(page.run("document.querySelectorAll('.calculators a').length > 9"), "the calculators are listed")
    context.check(not page.run("[...document.querySelectorAll('.calculators a')].some((link) => link.href.includes('/guide/'))"), "the guide's examples are not")
    for size in ((1440, 900), NARROW):
        page.size(*size)
        height = page.run("document.documentElement.scrollHeight")
        context.check(height <= 9000, f"the page of calculators is {height} px high at {size[0]}")
    page.scripts(False)
    page.open(site.http(path))
    for size in ((1440, 900), NARROW):
        page.size(*size)
        context.check(page.run("document.querySelector('.verdict').textContent && document.querySelector('.bar').checkVisibility() && document.querySelectorAll('.fits li').length"), "the default case is answered")
    page.scripts(True)
    page.open(site.http(path))
    page.size(*PAPER)
    page.media("print")
    context.check(page.run("document.querySelector('.bar').checkVisibility() && ![...document.querySelectorAll('.fits button, .settings, .more')].some((node) => node.checkVisibility())"), "paper has the bar and no controls")
    page.media("")
    page.size(*WIDE)
    context.quiet(page, site)


def run(context):
    driven = 0
    for site in (context.own, context.hard):
        # On paper calculators are tables.
        paths = [path for path in context.sample(site) if not path.endswith("print.html")]
        # Formulas differ from page to page; what keys, addresses and styles do to a calculator does not.
        typical = paths if context.every or context.only else context.typical(site).values()
        for path in [path for path in paths if "data-calc=" in (site.folder / path).read_text()]:
            with context.part(path), context.page(*WIDE) as page:
                page.open(site.http(path))
                found = page.run("[...document.querySelectorAll('.calc')].map((figure) => figure.id)")
                count = len(found) if context.every else 2
                for figure in found[:count]:
                    with context.part(figure):
                        for check in (drive, keyboard, address) if path in typical else (drive,):
                            check(context, page, site, path, figure)
                        driven += 1
                        if page.run(f"document.getElementById({json.dumps(figure)}).matches('.front > .stack')"):
                            answer(context, page, site, path, figure)
                if path in typical:
                    look(context, page, site, path, found)
                without_scripts(context, page, site, path, found)
    with context.part("calculators.html"), context.page(*WIDE) as page:
        whole(context, page, context.own, "calculators.html")
    with context.part("later"), context.page(*WIDE) as page:
        later(context, page, context.own, "tracks/ai-infra/labs/lab-01-transformer-memory.html")
    with context.part("figures"), context.page(*WIDE) as page:
        figures(context, page, context.hard, "figures.html")
    context.check(driven > 3, f"{driven} calculators are driven")
    print(f"          {driven} calculators", flush=True)
