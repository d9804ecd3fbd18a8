"""Many windows of one browser: all of them load, follow what is saved, and follow it again after a restart. Two pages of one
window stand side by side."""

import time

from morph import ensure
from served import COURSE, PAGE, PATH, TEXT, Course

# More than the connections that a browser opens to one server.
WINDOWS = 10


def many(browser, course):
    pages = [browser.page() for _ in range(WINDOWS)]
    for number, page in enumerate(pages):
        page.open(course.address(PAGE if number % 2 else "about.html"))
    ensure(all(page.run("document.visibilityState === 'visible'") for page in pages), "all are seen")
    labs, others = pages[1::2], pages[0::2]
    course.write(PATH, course.lab.replace("Few words.", "Many words."))
    for page in labs:
        page.wait(TEXT.format("Many words."))
    course.write("content/about.md", COURSE["content/about.md"] + "\nA line more.\n")
    for page in others:
        page.wait(TEXT.format("A line more."))
    # A window that is closed is forgotten, and one that is opened is told.
    pages.pop(0).close()
    pages.append(browser.page())
    pages[-1].open(course.address("about.html"))
    for page in pages:
        ensure(not page.complaints, page.complaints)
    course.stop()
    course.write("content/about.md", COURSE["content/about.md"] + "\nA line of the night.\n")
    course.write(PATH, course.lab)
    course.start()
    for page in pages:
        page.wait(TEXT.format("A line of the night.") + " || " + TEXT.format("Few words."))
    # What was being asked for when the server was stopped was refused, reset or cut off.
    stopped = ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE", "ERR_EMPTY_RESPONSE"]
    for page in pages:
        left = [text for text in page.complaints if not any(error in text for error in stopped)]
        ensure(not left, left)
        page.close()


def following(browser, course):
    """With `--follow`, the window that was looked at last goes to the page that is edited, unless another shows it."""
    first, second = browser.page(), browser.page()
    first.open(course.address("about.html"))
    second.open(course.address("index.html"))
    second.run("window.mark = 1; 0")
    course.write(PATH, course.lab.replace("Few words.", "Words that are followed."))
    second.wait(f"location.pathname === '/{PAGE}' && " + TEXT.format("Words that are followed."))
    ensure(first.run("location.pathname") == "/about.html", "the other one stays where it is")
    course.write("content/about.md", COURSE["content/about.md"])
    first.wait("!" + TEXT.format("A line of the night."))
    time.sleep(0.2)
    ensure(second.run("location.pathname") == f"/{PAGE}", "what is shown already is not shown twice")
    course.write("code/lab-01-x/b.py", "b = 1\n")
    course.write("content/index.md", COURSE["content/index.md"] + "\nHome again.\n")
    second.wait("location.pathname === '/' && " + TEXT.format("Home again."))
    # It goes to the passage, and from a starter to the line in an excerpt.
    seen = "(() => {{ const {{ top, bottom }} = {}.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }})()"
    lab = course.lab.replace("Few words.", "Words that are followed.")
    # An author does not save before the page that has just been opened listens.
    time.sleep(1)
    course.write(PATH, lab.replace("Paragraph after 50.", "A paragraph that is followed."))
    found = "[...document.querySelectorAll('main p')].find((p) => p.textContent === 'A paragraph that is followed.')"
    second.wait(f"location.pathname === '/{PAGE}' && {found} && {seen.format(found)}")
    second.open(course.address("index.html"))
    time.sleep(1)
    course.write("code/lab-01-x/a.py", "def twice(x):\n    return 2 * x  # followed\n")
    line = "document.getElementById('E1-L2')"
    second.wait(f"location.pathname === '/{PAGE}' && {line}?.textContent.includes('# followed') && {seen.format(line)}")
    # On the page that is shown already, it goes to what has changed: text, a note, and the last line of a longer excerpt.
    time.sleep(1)
    second.run("window.mark = 1; 0")
    whole = (course.root / PATH).read_text()
    for old, new, what in [
        ("Paragraph after 55.", "A later one.", "[...document.querySelectorAll('main p')].find((p) => p.textContent === 'A later one.')"),
        ("Words above the excerpt", "First words", "[...document.querySelectorAll('main p')].find((p) => p.textContent.startsWith('First words'))"),
        ("Paragraph after 58.", "| a | b |\n| --- | --- |\n| c | d |", "document.querySelector('main table')"),
        ("the number, doubled", "the number, twice", "document.querySelector('#E1-N1')"),
    ]:
        whole = whole.replace(old, new)
        course.write(PATH, whole)
        second.wait(f"{what} && {seen.format(what)}")
        time.sleep(0.5)
    # A save of what is in sight leaves the page where it is.
    top = second.run("scrollY")
    whole = whole.replace("the number, twice", "the number, two times")
    course.write(PATH, whole)
    second.wait(TEXT.format("the number, two times"))
    time.sleep(0.3)
    ensure(abs(second.run("scrollY") - top) < 2, f"it stays at {top}, not {second.run('scrollY')}")
    second.run("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }); 0")
    course.write("code/lab-01-x/a.py", "def twice(x):\n    return 2 * x  # and again\n")
    second.wait(f"{line}?.textContent.includes('# and again') && {seen.format(line)}")
    ensure(second.run("mark === 1"), "no reload")
    for page in [first, second]:
        ensure(not page.complaints, page.complaints)
        page.close()


def beside(browser, course):
    """In a course of two languages, a page stands next to its source; both scroll and go to other pages together."""
    course.write("content/site.yaml", COURSE["content/site.yaml"] + "languages: { de: {} }\n")
    course.write(PATH.replace(".md", ".de.md"), "---\n# source: A lab\ntitle: Ein Labor\n---\n\n<!-- source\n## After\n-->\n## Danach\n")
    page = browser.page()
    page.open(course.address("index.html"))
    page.wait("document.querySelector('.infralens-beside')")
    # The page was reloaded while the course got its second language.
    page.complaints.clear()
    page.open(course.address(f"de/{PAGE}"))
    page.wait("document.querySelector('.infralens-beside')")
    page.run("document.querySelector('.infralens-beside').click(); 0")
    frame = "document.querySelectorAll('iframe')[{}].contentWindow"
    here, there = frame.format(0), frame.format(1)
    page.wait(f"{here}?.document.getElementById('after')?.textContent.includes('Danach')")
    page.wait(f"{there}.location.pathname === '/{PAGE}' && {there}.document.getElementById('after')")
    ensure(page.run(f"!{there}.document.querySelector('.infralens-beside')"), "no third page is offered")
    page.run(f"{here}.scrollTo(0, {here}.document.getElementById('after').offsetTop); 0")
    top = "{}.document.getElementById('after').getBoundingClientRect().top"
    page.wait(f"{there}.scrollY > 0 && Math.abs({top.format(here)} - {top.format(there)}) < 4")
    page.run(f"{there}.document.dispatchEvent(new PointerEvent('pointermove', {{ bubbles: true }})); {there}.location.assign('/about.html'); 0")
    page.wait(f"{here}.location.pathname === '/de/about.html'")
    ensure(not page.complaints, page.complaints)
    page.close()


def run(browser):
    course = Course()
    try:
        course.start()
        many(browser, course)
        course.stop()
        course.start("--follow")
        following(browser, course)
        beside(browser, course)
    finally:
        course.end()
