"""What the preview shows of its own: it says all that there is to say, and nothing of the page is in its way."""

import json
import shutil
import subprocess
import time
import urllib.error

from cdp import Failure
from morph import ensure
from served import COURSE, PAGE, PANEL, PATH, PROGRAM, TEXT, Course, paragraphs

WIDTHS = [800, 1000, 1300, 1600]
CODE = "def largest(numbers):\n    best = numbers[0]\n    for number in numbers:\n        if number > best:\n            best = number\n    return best\n"
NOTES = """```python file=a.py#fn:largest
{code}```

1. `best = numbers[0]` — the first one is the largest so far, which holds as long as there is one.
2. `number > best` — equal numbers do not count as larger, so that the first of them stays.
3. `return best` — the largest of all, since every number has been looked at by now, each of them once.
"""
BAR = "document.querySelector('.infralens-bar')"
# Where an excerpt's parts are: across in the window, down from its first part.
PARTS = """(() => {
  const parts = [...document.querySelector("figure.excerpt").parentNode.querySelectorAll("figcaption, .line, .note > div")];
  const boxes = parts.map((node) => node.getBoundingClientRect());
  return JSON.stringify(boxes.map(({ x, y, width, height }) => [x, y - boxes[0].y, width, height].map(Math.round)));
})()"""
# Which of the boxes that must not cover each other do.
OVERLAPS = """(() => {
  const parts = [...document.querySelectorAll(".infralens-bar, figcaption, .line, .note > div, main > p, main > h2")];
  const boxes = parts.map((node) => [node.className || node.localName, node.getBoundingClientRect()]);
  const found = [];
  boxes.forEach(([a, one], at) => {
    for (const [b, other] of boxes.slice(at + 1)) {
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (across > 1 && down > 1) found.push(`${a} and ${b}`);
    }
  });
  return found.join(", ");
})()"""


ABOUT = COURSE["content/about.md"] + "\n" + paragraphs("about", 40) + "\n"


def wait_for(is_so):
    end = time.monotonic() + 10
    while not is_so():
        if time.monotonic() > end:
            raise Failure("it is not served")
        time.sleep(0.03)


def measured(page):
    """An excerpt's geometry at each width."""
    found = {}
    for width in WIDTHS:
        page.size(width, 900)
        page.run("scrollTo({ top: 0, behavior: 'instant' }); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found[width] = page.run(PARTS)
        overlaps = page.run(OVERLAPS)
        ensure(not overlaps, f"at {width}: {overlaps}")
    page.size(1280, 800)
    return found


def bars(course, page):
    """Code and notes are where they are without a bar, which spans both."""
    page.open(course.address(PAGE))
    plain = measured(page)
    for change, kind in [(("> best", ">= best"), "changed"), (("def largest(numbers)", "def largest(numerals)"), "mild")]:
        course.write("code/lab-01-x/a.py", CODE.replace(*change))
        page.wait(f"{BAR}?.classList.contains('infralens-{kind}')" if kind == "mild" else BAR)
        for width, found in measured(page).items():
            one, other = json.loads(plain[width]), json.loads(found)
            ensure(one == other, f"{kind} at {width}: code and notes have moved: {one} {other}")
            page.size(width, 900)
            spans = page.run(
                f"(() => {{ const [bar, pair] = [{BAR}, {BAR}.parentNode].map((node) => node.getBoundingClientRect());"
                " return Math.abs(bar.left - pair.left) < 2 && Math.abs(bar.right - pair.right) < 2; })()"
            )
            ensure(spans, f"{kind} at {width}: the bar spans code and notes")
        course.write("code/lab-01-x/a.py", CODE)
        page.wait(f"!{BAR}")
    page.size(1280, 800)


def at_the_end(course, page):
    """The panel of errors, and the bar of warnings, are below the last line and move nothing."""
    places = "JSON.stringify([...document.querySelectorAll('main *, footer')].map((n) => [n.offsetLeft, n.offsetTop, n.offsetWidth, n.offsetHeight]))"
    course.write("content/about.md", ABOUT + "\nA [link](nowhere.md).\n")
    course.write("content/mild.md", f"---\ntitle: Mild\n---\nA <blink>word</blink>.\n\n{paragraphs('long', 40)}\n")
    wait_for(lambda: course.has("mild.html", "Infralens-warnings") and course.has("about.html", "E0404"))
    for path in ["about.html", "mild.html"]:
        page.open(course.address(path))
        page.wait(f"{PANEL}?.checkVisibility()")
        shown = {}
        for width in WIDTHS:
            page.size(width, 900)
            shown[width] = page.run(places)
            page.run("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }); 0")
            last = page.run(f"{PANEL}.getBoundingClientRect().top - document.querySelector('footer').getBoundingClientRect().bottom")
            ensure(last >= 0, f"{path} at {width}: the last line is covered")
            right = page.run(f"innerWidth - Math.max({PANEL}.getBoundingClientRect().right, document.documentElement.scrollWidth)")
            ensure(right >= 0, f"{path} at {width}: wider than the window")
        page.run(f"{PANEL}.hidden = true; 0")
        for width in WIDTHS:
            page.size(width, 900)
            ensure(page.run(places) == shown[width], f"{path} at {width}: the page has moved")
    page.size(1280, 800)
    course.write("content/about.md", ABOUT)
    wait_for(lambda: not course.has("about.html", "E0404"))


def warnings(course, page):
    """A page says its own warnings: in a line, to be opened, until they are closed or others."""
    panel = f"{PANEL}?.checkVisibility()"
    page.open(course.address("mild.html"))
    ensure(page.run(f"{PANEL}.matches('.infralens-mild') && {PANEL}.offsetHeight < 48"), "one line")
    ensure(page.run(f"{PANEL}.querySelector('summary').textContent") == "1 warning on this page", "counted")
    page.click(".infralens-warnings > summary")
    ensure(page.run(f"{PANEL}.querySelector('pre a').checkVisibility()"), "a list with places")
    page.press("Escape")
    ensure(not page.run(panel), "Escape closes it")
    mild = (course.root / "content/mild.md").read_text()
    course.write("content/mild.md", mild.replace("A <blink", "More words above.\n\nA <blink"))
    page.wait(TEXT.format("More words above."))
    ensure(not page.run(panel), "it stays closed while it says the same")
    page.open(course.address("about.html"))
    page.open(course.address("mild.html"))
    ensure(not page.run(panel), "also when the page is loaded again")
    course.write("content/mild.md", mild.replace("A <blink>", "A <marquee>"))
    page.wait(panel)
    course.write("content/mild.md", mild.replace("A <blink>word</blink>.", "A word."))
    page.wait(f"!{PANEL}")
    ensure(page.run("!document.title.includes('✕')"), "warnings hold nothing back")


def held(course, page):
    """A page that is held back says so, also when its panel was closed."""
    mark = "document.getElementById('Infralens-mark')"
    page.open(course.address(PAGE))
    title = page.run("document.title")
    course.write(PATH, course.lab.replace("Few words.", "Few [words](nowhere.md) and [more](nowhere.md#x)."))
    page.wait(f"{PANEL}?.checkVisibility()")
    ensure(page.run("document.title") == f"✕ 2 · {title}", page.run("document.title"))
    ensure(not page.run(mark), "no mark beside the panel")
    page.click(".infralens-close")
    ensure(page.run(f"{mark}?.checkVisibility() && {mark}.textContent") == "✕ 2", "a mark")
    course.write("content/about.md", ABOUT + "\nA line more.\n")
    course.write(PATH, course.lab.replace("Few words.", "Few [words](nowhere.md)."))
    page.wait(f"document.title === {('✕ 1 · ' + title)!r}")
    ensure(page.run(f"{PANEL}.checkVisibility() && !{mark}"), "what is new is shown")
    page.press("Escape")
    page.wait(f"{mark}?.textContent === '✕ 1'")
    page.open(course.address(PAGE))
    ensure(page.run(f"{mark}.checkVisibility() && !{PANEL}.checkVisibility()"), "also when the page is loaded again")
    page.click("#Infralens-mark")
    ensure(page.run(f"{PANEL}.checkVisibility() && !{mark}"), "the mark opens the panel")
    page.press("Escape")
    course.write(PATH, course.lab)
    page.wait(f"!{PANEL} && !{mark}")
    ensure(page.run("document.title") == title, "all is as it was")


def drafts(course, page):
    """The address of a draft says that it is one, until it is none."""
    # Also where the panel with what is wrong elsewhere was closed.
    course.write(PATH, course.lab.replace("Few words.", "Few [words](nowhere.md)."))
    wait_for(lambda: course.has("about.html", "Infralens-elsewhere"))
    page.open(course.address("about.html"))
    page.press("Escape")
    course.write("content/later.md", "---\ntitle: Later\ndraft: true\n---\nNot yet.\n")
    wait_for(lambda: "is a draft" in missing(course, "later.html"))
    page.open(course.address("later.html"))
    ensure(page.run(f"{PANEL}.checkVisibility() && {PANEL}.textContent.includes('content/later.md')"), "it is said")
    course.write(PATH, course.lab)
    course.write("content/later.md", "---\ntitle: Later\n---\nBy now.\n")
    # It has other scripts than the page that said so, so it is loaded.
    page.wait(TEXT.format("By now.") + " && document.readyState === 'complete'")
    ensure(not page.run(PANEL), "nothing is left of it")
    page.complaints[:] = [text for text in page.complaints if "status of 404" not in text]


def missing(course, path):
    """The page at a path where there is none."""
    try:
        return course.fetch(path)
    except urllib.error.HTTPError as answer:
        return answer.read().decode()


def references(course, page):
    """From an entry of the references to its line in their file."""
    course.write("content/references.yaml", "first: { kind: paper, title: One }\n\nsecond-R-first: { kind: paper, title: Two }\n")
    course.write("content/about.md", ABOUT + "\nSee [@first] and [@second-R-first].\n")
    wait_for(lambda: course.has("about.html", "second-R-first"))
    page.open(course.address("references.html"))
    page.hold()
    page.click("#R-second-R-first", alt=True)
    page.wait("document.querySelector('.infralens-note')?.textContent === 'content/references.yaml:3'")


def fixes(course, page):
    """A fix in the panel, and one in a bar, is made by a press of a button; the page is then as after any other edit."""
    page.open(course.address(PAGE))
    page.run("window.mark = 1; 0")
    course.write(PATH, course.lab.replace("title:", "titel:", 1))
    page.wait(f"{PANEL}?.querySelector('.infralens-apply')")
    page.click(".infralens-apply")
    page.wait(f"!{PANEL}")
    ensure((course.root / PATH).read_text() == course.lab, "the page is what it was")
    course.write("code/lab-01-x/a.py", CODE.replace("numbers[0]", "numbers[0]  # so far"))
    page.wait(f"{BAR}?.querySelector('.infralens-apply')")
    page.click(".infralens-bar .infralens-apply")
    page.wait(f"!{BAR}")
    ensure("best = numbers[0]  # so far" in (course.root / PATH).read_text(), "the pin is the file's code")
    ensure(page.run("mark === 1"), "no reload")
    course.write("code/lab-01-x/a.py", CODE)
    course.write(PATH, course.lab)
    page.wait(f"!{BAR}")


def records(course, page):
    """Records that are older than a starter are one message with one command, folded while the page is up to date."""
    declared = ", ".join(f"run-{number}: cat a.py" for number in range(8))
    lab = course.lab.replace("angle: Top to bottom", f"angle: Top to bottom, record: {{ {declared} }}")
    record = [PROGRAM, "record", PATH, "--root", course.root]
    course.write(PATH, lab)
    subprocess.run(record, check=True, stdout=subprocess.DEVNULL)
    wait_for(lambda: not course.has(PAGE, "Infralens-panel"))
    page.open(course.address(PAGE))
    page.run("window.mark = 1; 0")
    course.write("code/lab-01-x/a.py", CODE.replace("return best", "return best\n"))
    page.wait(f"{PANEL}?.checkVisibility()")
    here = f"{PANEL}.querySelector('#Infralens-here')"
    ensure(page.run(f"{here}.querySelector('summary').textContent") == "1 error on this page", page.run(f"{PANEL}.textContent"))
    ensure(page.run(f"!{here}.open && !{PANEL}.querySelector('.infralens-held')"), "it is folded, and the page is up to date")
    ensure(page.run(f"{PANEL}.offsetHeight") < 60, "one line")
    page.click("#Infralens-here > summary")
    text = page.run(f"{here}.querySelector('ol').textContent")
    ensure(text.count("8 records are older than a.py") == 1 and text.count("infralens record") == 1, text)
    # A fold that the reader has opened stays open after the next save.
    course.write(PATH, lab.replace("Few words.", "Words beside records."))
    page.wait(TEXT.format("Words beside records."))
    ensure(page.run(f"{here}.open"), "it stays open")
    subprocess.run(record, check=True, stdout=subprocess.DEVNULL)
    page.wait(f"!{PANEL}")
    ensure(page.run("mark === 1 && !document.title.includes('✕')"), "no reload, and nothing is left")
    shutil.rmtree(course.root / "code/lab-01-x/records")
    course.write("code/lab-01-x/a.py", CODE)
    course.write(PATH, course.lab)
    page.wait(f"!{PANEL} && " + TEXT.format("Few words."))


def nowhere(course, page):
    """Where a page is missing because its file or a folder is misnamed, what is wrong is open to be read."""
    labs = course.root / "content/tracks/t/labs"
    shutil.copy(labs / "lab-01-x.md", labs / "lab-3-y.md")
    wait_for(lambda: "Infralens-elsewhere" in missing(course, "tracks/t/labs/lab-3-y.html"))
    page.open(course.address("tracks/t/labs/lab-3-y.html"))
    ensure(page.run(f"{PANEL}.querySelector('#Infralens-elsewhere').open"), "it is open")
    ensure("rename it to lab-03-y.md" in page.run(f"{PANEL}.textContent").replace("`", ""), "and says what to do")
    page.open(course.address("about.html"))
    ensure(not page.run(f"{PANEL}.querySelector('#Infralens-elsewhere').open"), "on other pages it is folded")
    (labs / "lab-3-y.md").unlink()
    page.wait(f"!{PANEL}")
    # A folder that is away for a while takes no page with it.
    page.open(course.address(PAGE))
    (course.root / "content").rename(course.root / "away")
    page.wait(f"{PANEL}?.textContent.includes('content/ is gone')")
    ensure(page.run(TEXT.format("Few words.")) and course.has("about.html", "Paragraph about 39."), "pages stay")
    (course.root / "away").rename(course.root / "content")
    page.wait(f"!{PANEL}")
    page.complaints[:] = [text for text in page.complaints if "status of 404" not in text]


def run(browser):
    course = Course()
    try:
        course.write("content/about.md", ABOUT)
        course.write("code/lab-01-x/a.py", CODE)
        head, after = course.lab.split("```python")[0], course.lab.split("doubled.\n")[1]
        course.lab = head + NOTES.format(code=CODE) + after
        course.write(PATH, course.lab)
        subprocess.run([PROGRAM, "sync", "--root", course.root], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        course.lab = (course.root / PATH).read_text()
        course.start()
        page = browser.page()
        for part in [bars, at_the_end, warnings, held, fixes, records, nowhere, drafts, references]:
            part(course, page)
            ensure(not page.complaints, f"{part.__name__}: {page.complaints}")
    finally:
        course.end()
