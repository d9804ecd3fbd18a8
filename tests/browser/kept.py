"""What a save leaves alone, and what the preview says when it cannot be reached: hidden notes, fields with the focus, pages
that are renamed, a root that is moved away, a server that is silent."""

import fcntl
import os
import pty
import shutil
import signal
import subprocess
import termios
import time

from morph import ensure
from panels import wait_for
from served import COURSE, PAGE, PANEL, PATH, PROGRAM, TEXT, Course

CALCULATOR = """---
title: Calculator
---
Words above.

```calc title="Area"
side = 3     # length of a side [1 .. 100]
area = {formula}     # = {pin}
```

```mermaid
flowchart LR
  a --> b
```
"""
NOTE = "document.querySelector('.infralens-note')?.textContent"
MARK = "document.getElementById('Infralens-mark')"
HELD = "document.querySelector('.infralens-held')?.textContent"


def hidden_notes(course, page):
    """Notes that the reader has hidden stay hidden, also if one of them is edited."""
    page.open(course.address(PAGE))
    page.run("window.mark = 1; document.querySelector('.hide-notes').click(); 0")
    for old, new in [("Few words.", "Other words."), ("the number, doubled", "the number, twice")]:
        course.write(PATH, course.lab.replace(old, new))
        page.wait(TEXT.format(new))
        ensure(page.run("document.querySelector('.notes-hidden .hide-notes').textContent") == "Show notes", f"hidden after {new}")
    page.run("document.querySelector('.hide-notes').click(); 0")
    course.write(PATH, course.lab)
    page.wait(TEXT.format("Few words."))
    ensure(page.run("!document.querySelector('.notes-hidden') && document.querySelector('.hide-notes').textContent === 'Hide notes'"), "shown again")
    ensure(page.run("mark === 1"), "no reload")


def fields(course, page):
    """A calculator that is not edited is not built again: not even what is half typed is lost. One that is keeps the focus."""
    path = "content/calculator.md"
    first = CALCULATOR.format(formula="side * side", pin="9.0")
    course.write(path, first)
    wait_for(lambda: course.has("calculator.html", "C-area"))
    page.open(course.address("calculator.html"))
    page.wait("window.infralens?.calc && document.querySelector('.calc .results output')?.textContent === '9.0'")
    page.run("window.mark = 1; window.field = document.querySelector('.calc input'); field.focus(); field.select(); 0")
    page.type("4e")
    course.write(path, first.replace("Words above.", "Other words above."))
    page.wait(TEXT.format("Other words above."))
    ensure(page.run("field.isConnected && document.activeElement === field && field.validity.badInput"), "it is as it was")
    page.type("1")
    page.wait("field.value === '4e1'")
    course.write(path, CALCULATOR.format(formula="2 * side", pin="6.0"))
    page.wait("document.querySelector('.calc .results output').textContent === '80.0'")
    ensure(page.run("document.activeElement.matches('.calc input') && document.activeElement.value === '4e1'"), page.run("document.activeElement.outerHTML"))
    ensure(page.run("mark === 1"), "no reload")
    page.hold()
    for selector, line in [(".calc .results output", 6), (".diagram", 11)]:
        page.click(selector, alt=True)
        page.wait(f"{NOTE} === '{path}:{line}'")
    page.open(course.address("about.html"))
    (course.root / path).unlink()
    page.complaints[:] = [text for text in page.complaints if "status of 404" not in text]


def cards(course, page):
    """An answer that is open in practice stays open, with the focus on its grades, while the course is edited."""
    site = COURSE["content/site.yaml"]
    course.write("content/site.yaml", site.replace("{ title: Code }", "{ title: Code }, { title: Asked, as: questions }"))
    asked = course.lab + "\n## Asked\n\nWhat is it?\n: The double.\n"
    course.write(PATH, asked)
    wait_for(lambda: course.has("tracks/t/practice.html", "The double."))
    page.open(course.address("tracks/t/practice.html"))
    page.wait("document.querySelector('.session.ready')")
    page.run("window.mark = 1; document.querySelector('.by-lab .now').click(); 0")
    page.wait("document.querySelector('.session .asked').textContent.includes('What is it?')")
    page.run("document.querySelector('.session .reveal').click(); document.querySelector('.grades [value=\"3\"]').focus(); 0")
    course.write(PATH, asked.replace("The double.", "Twice as much."))
    page.wait(TEXT.format("Twice as much."))
    ensure(page.run("document.activeElement.matches('.grades [value=\"3\"]') && document.activeElement.checkVisibility()"), page.run("document.activeElement.outerHTML"))
    ensure(page.run("mark === 1 && !document.querySelector('.session .back').hidden"), "the answer is still open")


def renamed_lab(course, page):
    """A lab that is renamed before its folder of code is followed to where its errors are said, and then shown."""
    page.open(course.address(PAGE))
    (course.root / PATH).rename(course.root / PATH.replace("lab-01", "lab-02"))
    page.wait(f"location.pathname.endsWith('lab-02-x.html') && {PANEL}?.textContent.includes('lab-02-x/a.py')")
    (course.root / "code/lab-01-x").rename(course.root / "code/lab-02-x")
    page.wait(f"!{PANEL} && " + TEXT.format("Few words."))
    ensure(page.run("location.pathname.endsWith('lab-02-x.html')"), "it is there")
    page.complaints[:] = [text for text in page.complaints if "status of 404" not in text]


def title(course, page):
    """The title of the course is no part of a script, which would load every page again."""
    page.open(course.address("about.html"))
    page.run("window.mark = 1; 0")
    site = COURSE["content/site.yaml"]
    course.write("content/site.yaml", site.replace("Preview", "Renamed"))
    page.wait("document.title.endsWith('Renamed')")
    course.write("content/site.yaml", site)
    page.wait("document.title.endsWith('Preview')")
    ensure(page.run("mark === 1"), "no reload")


def shared(course, page):
    """An error in a file that every page is made with is an error of every page, and leaves a trace when it is closed."""
    style = course.place("static/style.css").read_text()
    for path, wrong, right in [
        ("templates/page.html", "{% if %}", None),
        ("content/site.yaml", "title: [\n", COURSE["content/site.yaml"]),
        ("static/style.css", '@import "nowhere.css";\n' + style, style),
    ]:
        page.open(course.address("about.html"))
        course.write(path, wrong)
        page.wait("document.title.startsWith('✕ 1 · ')")
        ensure(page.run(HELD) == f"This page is made with {path} as it was before the error", page.run(HELD))
        page.press("Escape")
        for address in ["about.html", "about.html", PAGE]:
            ensure(page.run(f"!{PANEL}.checkVisibility() && {MARK}?.textContent") == "✕ 1", f"{path}: a trace on {address}")
            ensure(page.run("document.title.startsWith('✕ 1 · ')"), f"{path}: in the title of {address}")
            page.open(course.address(address))
        page.click("#Infralens-mark")
        ensure(page.run(f"{PANEL}.checkVisibility() && !{MARK}"), "the mark opens the panel")
        if right is None:
            (course.root / path).unlink()
        else:
            course.write(path, right)
        page.wait(f"!{PANEL} && !document.title.includes('✕')")
    course.write("content/about.md", COURSE["content/about.md"] + "\n[a](nowhere.md)\n")
    page.open(course.address(PAGE))
    page.wait(f"{PANEL}?.checkVisibility()")
    page.press("Escape")
    ensure(page.run(f"{MARK}?.textContent") == "✕ 1", "errors of other pages leave a mark")
    ensure(page.run("!document.title.includes('✕')"), "and none in the title")
    course.write("content/about.md", COURSE["content/about.md"])
    page.wait(f"!{PANEL} && !{MARK}")


def renamed(course, page):
    """A page that is renamed is followed, and the preview writes nothing."""
    page.open(course.address("about.html"))
    (course.root / "content/about.md").rename(course.root / "content/who.md")
    page.wait("location.pathname === '/who.html' && document.readyState === 'complete'")
    left = sorted(str(path.relative_to(course.root)) for path in course.root.rglob("*") if path.is_file())
    (course.root / "content/who.md").rename(course.root / "content/about.md")
    page.wait("location.pathname === '/about.html' && document.readyState === 'complete'")
    wanted = sorted([*(set(COURSE) - {"content/about.md"}), "content/who.md", PATH, "static/style.css", "serve.log"])
    ensure(left == wanted, left)
    page.complaints[:] = [text for text in page.complaints if "status of 404" not in text]


def saves(course, page):
    """Many saves reach the browser a few times, and a file that is empty for a moment is no error."""
    page.open(course.address(PAGE))
    page.run("window.updates = 0; document.addEventListener('infralens:update', () => updates++); window.panels = 0; 0")
    page.run(f"new MutationObserver(() => {{ if ({PANEL}) panels++; }}).observe(document.body, {{ childList: true, subtree: true }}); 0")
    start = time.monotonic()
    for save in range(50):
        course.write(PATH, course.lab.replace("Few words.", f"Words of save {save}."))
        time.sleep(max(0, start + 0.01 * (save + 1) - time.monotonic()))
    page.wait(TEXT.format("Words of save 49."))
    ensure(page.run("updates") <= 6, page.run("updates"))
    (course.root / PATH).write_text("")
    time.sleep(0.25)
    (course.root / PATH).write_text(course.lab)
    page.wait(TEXT.format("Few words."))
    ensure(page.run("panels") == 0, "no error is shown")


def unheard(course, page):
    """A server that falls silent before the page has heard from it at all: the script of its worker does not arrive."""
    script = page.send("Page.addScriptToEvaluateOnNewDocument", {"source": "window.SharedWorker = class { port = { postMessage() {} } };"})
    page.open(course.address("about.html"))
    page.wait(f"{NOTE} === 'preview stopped'", 10)
    page.send("Page.removeScriptToEvaluateOnNewDocument", script)


def lost(course, page):
    """A server that says nothing, and a folder that is gone."""
    page.open(course.address("about.html"))
    # From the first edit on that arrives, the page hears the server.
    for words in ["Words that arrive.", "About this course."]:
        course.write("content/about.md", COURSE["content/about.md"].replace("About this course.", words))
        page.wait(TEXT.format(words))
    course.process.send_signal(signal.SIGSTOP)
    start = time.monotonic()
    page.wait(f"{NOTE} === 'preview stopped'", 15)
    ensure(time.monotonic() - start < 10, "within ten seconds")
    course.process.send_signal(signal.SIGCONT)
    page.wait(f"!{NOTE}")
    away = course.root.with_name(course.root.name + "-away")
    course.root.rename(away)
    try:
        page.wait(f"{PANEL}?.textContent.includes('the course is gone')")
        page.press("Escape")
        ensure(page.run(f"{MARK}?.textContent") == "✕ 1", "it is an error")
        ensure(page.run(TEXT.format("About this course.")), "what was shown stays")
    finally:
        away.rename(course.root)
    page.wait(f"!{PANEL}")
    ensure("the course is gone" in (course.root / "serve.log").read_text(), "the terminal says so")
    page.complaints.clear()


def phone(course, page):
    """On a phone, a message is as wide as the window."""
    page.size(390, 800)
    page.open(course.address("about.html"))
    course.write("content/about.md", COURSE["content/about.md"] + f"\n[a](nowhere.md) and {'more ' * 30}\n")
    page.wait(f"{PANEL}?.checkVisibility()")
    ensure(page.run(f"[...{PANEL}.querySelectorAll('pre')].every((pre) => pre.scrollWidth <= pre.clientWidth)"), "it wraps")
    ensure(page.run("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window")
    course.write("content/about.md", COURSE["content/about.md"])
    page.wait(f"!{PANEL}")
    page.size(1280, 800)


def terminal(course):
    """Only what is new is printed, and all of it again after Enter; in the background, the program goes on."""
    main, side = pty.openpty()

    def own_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    env = {**os.environ, "INFRALENS_EDITOR": "none", "TERM": "dumb"}
    command = [PROGRAM, "serve", "--root", course.root, "--port", "0"]
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env, preexec_fn=own_terminal)
    os.close(side)
    os.set_blocking(main, False)
    said = ""

    def until(text):
        nonlocal said
        end = time.monotonic() + 15
        while text not in said:
            try:
                said = (said + os.read(main, 65536).decode()).replace("\r\n", "\n")
            except BlockingIOError:
                ensure(time.monotonic() < end, f"not said: {text}\n{said}")
                time.sleep(0.02)
        found, said = said, ""
        return found

    try:
        until("Enter prints this and all messages again, Ctrl-C stops it\n")
        about, path = COURSE["content/about.md"], "content/about.md"
        course.write(path, about + "\n[a](one.md)\n")
        text = until("\n1 error\n")
        ensure("one.md` does not exist" in text, f"a new error is printed: {text}")
        course.write(path, about + "\n[a](one.md) [b](two.md)\n")
        text = until("1 error is still there; Enter shows it again\n")
        ensure("two.md` does not exist" in text and "one.md` does" not in text, f"only what is new: {text}")
        os.write(main, b"\n")
        text = until("\n2 errors\n")
        ensure("http://127.0.0.1:" in text and "one.md` does" in text and "two.md` does" in text, f"all of it: {text}")
        course.write(path, about + "\n[b](two.md)\n")
        until("1 error is fixed\n")
        course.write(path, about)
        until("all errors are fixed\n")
    finally:
        process.kill()
        process.wait(10)
        os.close(main)


def run(browser):
    # Those that leave another course behind have one of their own.
    for parts in [[cards], [renamed_lab], [hidden_notes, fields, title, shared, renamed, saves, phone, unheard, lost]]:
        course = Course()
        try:
            course.start()
            page = browser.page()
            for part in parts:
                part(course, page)
                ensure(not page.complaints, f"{part.__name__}: {page.complaints}")
            page.close()
            course.stop()
            if lost in parts:
                terminal(course)
        finally:
            course.end()
            shutil.rmtree(course.root.with_name(course.root.name + "-away"), ignore_errors=True)
