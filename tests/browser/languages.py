"""Courses in other languages: Arabic and Hebrew pages are turned around, while code stays as it is; in Chinese the interface,
the grid of a listing and the spaces of a text are those of the language; numbers choose their forms in Polish."""

import tempfile
from pathlib import Path

from context import Site

SIZES = [(1440, 900), (1024, 768), (390, 844)]
LAB = """---
title: {title}
focus: {word}
reads: {word}
outcome: {word}
handbook: [basics]
starter: {{ file: a.py, type: {word}, angle: {word} }}
checked: 2026-03-05
---

{text}

## {title}

- {word}
- {word} `a[i] + 1`

> [!NOTE]
> {text}

| {word} | {word} |
| --- | --- |
| {word} | 1 |

```python file=a.py
def step(count):  # {comment}
    x = 1         # 12345678
    return count
```

1. `step(count)` — {text}
2. `return count` — {text}
"""
TEXTS = {
    "ar": ("ذاكرة التخزين المؤقت", "ذاكرة", "تحتاج كل عملية إلى ذاكرة `cache` بحجم 4 KB، ثم تُقرأ من جديد."),
    "he": ("זיכרון מטמון", "זיכרון", "כל פעולה צריכה זיכרון `cache` בגודל 4 KB, ואז קוראים אותו שוב."),
    "zh-CN": ("缓存", "显存", "每个请求都要占用GPU显存，大小由4个批次决定。"),
    "pl": ("Pamięć", "słowo", "Każda operacja potrzebuje pamięci."),
}
POLISH = """labels:
  filter_count: { one: "{n} termin", few: "{n} terminy", many: "{n} terminów", other: "{n} terminu" }
"""
STYLE = "getComputedStyle(document.querySelector('{}')).{}"
BOX = "document.querySelector('{}').getBoundingClientRect()"
# Lists and alerts have their marks at the right.
TURNED = """[...document.querySelectorAll('main > ul:not([class]), main > .alert')].every((box) => {
  const { paddingLeft, paddingRight, borderLeftWidth, borderRightWidth } = getComputedStyle(box);
  const [left, right] = box.matches('ul') ? [paddingLeft, paddingRight] : [borderLeftWidth, borderRightWidth];
  return parseFloat(left) === 0 && parseFloat(right) > 0;
})"""
# The room after a Chinese character in code, the columns of two others, and the size of the font, which is the width of a
# Chinese character in any font that has it.
ROOM = """(() => {
  const style = getComputedStyle(document.querySelector('.listing .cjk'));
  const lines = [...document.querySelectorAll('.listing .line')];
  const range = document.createRange();
  const walker = document.createTreeWalker(lines[1], 4);
  while (!walker.nextNode().data.includes('12345678'));
  const at = walker.currentNode.data.indexOf('12345678');
  range.setStart(walker.currentNode, at);
  range.setEnd(walker.currentNode, at + 8);
  return [parseFloat(style.letterSpacing), range.getBoundingClientRect().width / 4, parseFloat(style.fontSize)];
})()"""


def write(folder, language):
    title, word, text = TEXTS[language]
    comment = "缓存的大小" if language == "zh-CN" else "12345678"
    number = lambda n: "jeden" if n == "a" else "pięć" if n in "bcdef" else ""
    term = "\n".join(f"{n} {word}\n: {text} {number(n)}\n" for n in "abcdefghijklmnopqrstuv")
    files = {
        "content/site.yaml": f"title: {title}\nlanguage: {language}\ntracks: [t]\nlabs: {{ sections: [] }}\n" + (POLISH if language == "pl" else ""),
        "content/index.md": f"---\ntitle: {title}\n---\n\n{text}\n",
        "content/glossary.md": f"---\ntitle: {title}\n---\n\n{term}",
        "content/tracks/t/index.md": f"---\ntitle: {title}\nsummary: {word}\n---\n\n{text}\n",
        "content/tracks/t/handbook/01-basics.md": f"---\ntitle: {word}\nsummary: {word}\n---\n\n## {word}\n\n{text}\n",
        "content/tracks/t/labs/lab-01-x.md": LAB.format(title=title, word=word, text=text, comment=comment),
        "code/lab-01-x/a.py": f"def step(count):  # {comment}\n    x = 1         # 12345678\n    return count\n",
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)


def run(context):
    for language in TEXTS:
        with context.part(language), tempfile.TemporaryDirectory(prefix="infralens-language-") as folder:
            write(Path(folder), language)
            site = Site(language, folder).serve()
            try:
                with context.page(*SIZES[0]) as page:
                    CHECKS[language](context, page, site)
                    context.quiet(page, site)
            finally:
                site.end()


def turned(context, page, site):
    lab = "tracks/t/labs/lab-01-x.html"
    for size in SIZES:
        page.size(*size)
        for path in ["index.html", "glossary.html", "progress.html", "tracks/t/index.html", "tracks/t/labs/index.html", "tracks/t/practice.html", "code/lab-01-x/a.py.html", lab]:
            page.open(site.http(path))
            wide = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            context.check(wide <= 0, f"nothing leaves the window of {size[0]} px", path)
            context.equal(page.run(STYLE.format("body", "direction")), "rtl", f"{path} is turned around")
        context.equal(page.run(STYLE.format("pre code", "direction")), "ltr", "code is not")
        context.equal(page.run(STYLE.format(".note > div", "direction")), "rtl", "notes are")
        context.equal(page.run(STYLE.format("main li code", "direction")), "ltr", "nor is code in a text")
        # A list, an alert and a table begin at the right, a line of code at the left.
        context.check(page.run(TURNED), "what begins at the left elsewhere begins at the right", str(size))
        context.axe(page, str(size))
    page.size(*SIZES[0])
    page.open(site.http(lab))
    column, main = (page.run(BOX.format(of) + ".left") for of in [".course", "main"])
    context.check(column > main, "the course stands at the right")
    begins = page.run("(() => { const [pre, line] = ['pre', 'pre .line'].map((of) => document.querySelector(of).getBoundingClientRect()); return line.left - pre.left; })()")
    context.check(begins < 4, "lines of code begin at the left", str(begins))
    page.press("/")
    page.wait("document.querySelector('dialog.search')?.open")
    page.type(TEXTS[page.run("document.documentElement.lang")][1])
    page.wait("document.querySelector('.results [role=option]')")
    context.axe(page, "with the search")


def chinese(context, page, site):
    page.open(site.http("tracks/t/labs/lab-01-x.html"))
    context.equal(page.run("document.querySelector('.skip').textContent"), "跳到主要内容", "the interface is Chinese")
    context.equal(page.run("document.querySelector('time').textContent"), "2026年3月5日", "and so are dates")
    context.equal(page.run(STYLE.format("main p", "lineBreak")), "strict", "lines break as the language asks for")
    if page.run("CSS.supports('text-autospace', 'normal')"):
        context.equal(page.run(STYLE.format("main p", "textAutospace")), "normal", "with space beside Latin letters")
        context.equal(page.run(STYLE.format("pre code", "textAutospace")), "no-autospace", "but not in code")
    for size in SIZES:
        page.size(*size)
        room, columns, em = page.run(ROOM)
        context.check(abs(em + room - columns) < 0.1, "each Chinese character takes two columns", f"{em} + {room}, {columns}")


def polish(context, page, site):
    page.open(site.http("glossary.html"))
    said = "document.querySelector('.sift [role=status]').textContent"
    for query, words in [("jeden", "1 termin"), ("słowo", "22 terminy"), ("pięć", "5 terminów")]:
        page.run("document.querySelector('.sift input').select()")
        page.type(query)
        context.equal(page.run(said), words, f"the form for `{query}`")


CHECKS = {"ar": turned, "he": turned, "zh-CN": chinese, "pl": polish}
