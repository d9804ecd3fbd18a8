"""Courses in other languages: Arabic and Hebrew pages are turned around, while code stays as it is; in Chinese the interface,
the grid of a listing and the spaces of a text are those of the language; numbers choose their forms in Polish. A course in three languages, one from right to left, has a switch, a search and practice in each."""

import re
import tempfile
from pathlib import Path

from cdp import Failure
from context import Site
from pages import links

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
LAB_OF_MANY = """---
title: {title}
focus: f
reads: r
outcome: o
handbook: [basics]
starter: {{ file: a.py, type: s, angle: a }}
---

## {title}

{text}

## Questions

{question}
: {answer}
"""
# The words of a course in three languages: its title, that of its lab, the lab's text, its question and the answer.
MANY = {
    "en": ("Memory", "Cache", "Every request takes memory.", "What is counted?", "The bytes."),
    "zh-Hans": ("显存", "缓存", "每个请求都要占用显存。", "计算的是什么？", "字节数。"),
    "ar": ("ذاكرة", "ذاكرة التخزين", "يحتاج كل طلب إلى ذاكرة.", "ما الذي يُحسب؟", "البايتات."),
}
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
    put(folder, files)


def put(folder, files):
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)


def write_many(folder, _):
    title, lab, text, question, answer = MANY["en"]
    languages = "".join(f"  {tag}: {{ title: {words[0]} }}\n" for tag, words in MANY.items() if tag != "en")
    files = {
        "content/site.yaml": f"title: {title}\nlanguages:\n{languages}tracks: [t]\nlabs: {{ sections: [{{ title: Questions, as: questions }}] }}\n",
        "content/index.md": f"---\ntitle: {title}\n---\n\n{text}\n",
        "content/tracks/t/index.md": f"---\ntitle: {title}\nsummary: s\n---\n\n{text}\n",
        "content/tracks/t/handbook/01-basics.md": "---\ntitle: Basics\nsummary: s\n---\n\nBytes.\n",
        "content/tracks/t/labs/lab-01-x.md": LAB_OF_MANY.format(title=lab, text=text, question=question, answer=answer),
        "code/lab-01-x/a.py": "x = 1\n",
    }
    for tag, words in MANY.items():
        if tag != "en":
            quotes = [(f"## {lab}", f"## {words[1]}"), (text, words[2]), (f"{question}\n: {answer}", f"{words[3]}\n: {words[4]}")]
            blocks = "".join(f"\n<!-- source\n{quote}\n-->\n{block}\n" for quote, block in quotes)
            files[f"content/tracks/t/labs/lab-01-x.{tag}.md"] = f"---\n# source: {lab}\ntitle: {words[1]}\n---\n{blocks}"
    put(folder, files)


def run(context):
    for language in CHECKS:
        with context.part(language), tempfile.TemporaryDirectory(prefix="infralens-language-") as folder:
            (write_many if language == "many" else write)(Path(folder), language)
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


def many(context, page, site):
    """The switch leads to the same place of a page in each language; search and practice are those of the language."""
    links(context, site)
    place = "#" + page_ids(site)[0]
    for tag, (_, title, text, question, answer) in MANY.items():
        root = "" if tag == "en" else f"{tag}/"
        page.open(site.http(f"tracks/t/labs/lab-01-x.html{place}"))
        page.click(".languages summary")
        page.click(f".languages a[hreflang={tag}]")
        page.wait(f"document.readyState === 'complete' && document.documentElement.lang === '{tag}'")
        context.equal(page.run("location.href"), site.http(f"{root}tracks/t/labs/lab-01-x.html{place}"), f"{tag}: the switch leads to the same place")
        context.equal(page.run("document.documentElement.dir"), "rtl" if tag == "ar" else "", f"{tag}: its direction")
        context.check(page.run("document.querySelector('main').innerText").count(text) == 1, f"{tag}: the text is translated")
        for lab, words in [(title, "main"), (title, "title")]:
            context.check(lab in page.run(f"document.querySelector('{words}').textContent"), f"{tag}: the title in {words}")
        context.axe(page, tag)
        page.press("/")
        page.wait("document.querySelector('dialog.search')?.open")
        page.type(title)
        page.wait("document.querySelector('.results [role=option]')")
        found = page.run("document.querySelector('.results [role=option]').href").partition("#")[0]
        context.equal(found, site.http(f"{root}tracks/t/labs/lab-01-x.html"), f"{tag}: the search finds the page in its language")
        page.open(site.http(f"{root}tracks/t/practice.html"))
        page.run("infralens.store.change((state) => { for (const [url] of infralens.orders.t) state.read[url] = infralens.store.now(); })")
        page.wait("document.querySelector('.session .reveal')?.checkVisibility()")
        shown = "document.querySelector('.session').innerText"
        context.check(question in page.run(shown) and answer not in page.run(shown), f"{tag}: practice asks in its language", page.run(shown))
        page.click(".session .reveal")
        context.check(answer in page.run(shown), f"{tag}: and answers in it")
        page.run("localStorage.clear()")


def page_ids(site):
    """The ids of headings of the lab, which all languages share."""
    found = [re.findall(r'<h2[^>]* id="([^"]+)"', (site.folder / root / "tracks/t/labs/lab-01-x.html").read_text()) for root in ("", "zh-Hans", "ar")]
    if found[0] != found[1] or found[0] != found[2]:
        raise Failure(f"headings have other ids in other languages: {found}")
    return found[0]


CHECKS = {"ar": turned, "he": turned, "zh-CN": chinese, "pl": polish, "many": many}
