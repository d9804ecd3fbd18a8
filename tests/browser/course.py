"""Courses of bad inputs: whatever a course may hold that a page could overflow on, or cut off."""

LOREM = "The bucket holds what has come and has not been served, and a request takes from it what it needs. "
LONG = (LOREM * 4)[:300].strip()
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
UNBROKEN = "x" * 300
URL = "https://example.org/" + "a-path-without-any-place-to-break_it/" * 8
ARABIC = "القطعة تقرأ من اليمين إلى اليسار، وفيها رقم 42 وكلمة code بين الكلمات."
HEBREW = "שורה של טקסט מימין לשמאל, עם מילה באנגלית: buffer, ועם מספר 17."
CJK = "这是一段很长的中文文本，用来检查没有空格的文字在窄屏幕上如何换行，标点符号也不例外。" * 3
JAPANESE = "トークンバケットは、要求が来るたびに減り、時間とともに補充される小さな入れ物です。" * 3
# Blocks may be nested 64 deep; a list and its item are two of them.
LEVELS = 31
COLUMNS = 30

LAB = """---
title: {title}
{group}focus: {focus}
reads: {focus}
outcome: {focus}
handbook: [{handbook}]
{more}starter:
  file: {file}
  type: {kind}
  angle: {focus}
  run: python3 {file} --an-option --another-option={word}
---

## Code

{body}
"""


def lab(file, body, title="A lab", focus="What it is about", group="", handbook="everything", more="", kind="Script", word="1"):
    group = f"group: {group}\n" if group else ""
    return LAB.format(**locals())


def quoted(text):
    return '"' + text.replace('"', "'") + '"'


def excerpt(code, notes, attributes, language="python"):
    listed = "\n".join(f"{number}. {note}" for number, note in enumerate(notes, 1))
    return f"```{language} file={attributes}\n{code}\n```\n\n{listed}\n"


def figures():
    """A page whose figures are checked, with three calculators: of one kind of everything, of long names, and with a bar."""
    long = "a_name_" * 9
    return f"""---
title: Figures
figures: checked
given:
  80 GB: "the data sheet of an accelerator with {LONG}"
---
Each sequence needs 1.25 GiB, so [1.25 GiB](#kv) is cached. There are 80 GB, of which 1.25 GiB are {WORD * 3} 1.25 GiB.

```calc title="KV cache"
layers = 80        # transformer blocks [1 .. 200]
tokens = 4096      # tokens per sequence [1 .. 1048576]
width = 2 B        # bytes per value [1 B | 2 B | 4 B]
rate = 3.35 TB/s   # memory bandwidth [0.1 TB/s .. 20 TB/s]
heads = 8
kv = 2 * layers * heads * 128 * tokens * width   # = 1.25 GiB
time = kv / rate                                 # = 0.40 ms
left = if(kv < 80 GB, 80 GB - kv, 0 B)           # = 78.66 GB
fit = floor(80 GB / kv)                          # = 59 sequences
inner = kv / layers
more = inner * 2                                 # = 33.55 MB
odd = 1 / (layers - 7)                           # = 0.0137
@ Llama-3-8B: layers = 32, width = 2 B
@ Long context: tokens = 131072, rate = 4.8 TB/s
~ kv over tokens
```

```calc title="Does it {CJK[:30]} fit?" stack="{long}part, spare, nothing" limit=most front=true
{long}input = 5 B   # {LONG[:90]} [0 B .. 1e12 B]
more_of_it = 2  # [1 | 2 | 4]
most = 12 B     # {CJK[:40]} [1 B .. 1e12 B]
spare = 3 B     # [0 B .. 9 B]
{long}part = {long}input * more_of_it   # {LONG[:120]} = 10 B
nothing = 0 B * more_of_it
@ {CJK[:20]} / {WORD}: {long}input = 5 B, most = 12 B
@ {CJK[:20]} / {CJK[:90]}: {long}input = 5 B, most = 13 B
@ {CJK[:20]} / <b>&amp;: {long}input = 1 B, most = 12 B
```

```calc title={quoted(LONG)}
{long} = 5   # {LONG[:200]} [-5 .. 1e12]
result = {long} * 3 * {long} + {long} / 7 * ({long} + {long})   # = 82
@ {WORD}: {long} = -3
@ {CJK[:60]}: {long} = 1e12
~ result over {long}
```
"""


def write(root):
    """Writes the course into a folder."""
    put(root, files())


def write_crowd(root, labs=500):
    """Writes a course whose one track has that many labs."""
    put(root, crowd(labs))


def put(root, texts):
    for path, text in texts.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def files():
    site = f"title: {quoted(LONG)}\ntagline: {quoted(LONG)}\ntracks: [bad, one]\nlabs: {{ sections: [{{ title: Code }}, "
    site += "{ title: Questions, as: questions }, { title: Spoken, as: spoken }, { title: Reading, as: reading }] }\n"
    site += "repository: https://example.org/hard\n"
    site += "logo: { light: wide.svg, dark: square.svg }\nfavicon: wide.svg\ncolors: { accent: { light: '#7a1f5c' } }\n"
    site += "fonts: { text: Nobody Has This, interface: Nobody Has This }\n"
    site += f"header: [{{ label: {quoted(LONG)}, link: plain.md }}, {{ label: Elsewhere, link: 'https://example.org/' }}]\n"
    site += f"footer: [{{ label: {quoted(UNBROKEN)}, link: glossary.md }}]\n"
    return {
        "content/site.yaml": site,
        "content/index.md": f"---\ntitle: {quoted(LONG)}\n---\n{CJK}\n\n{URL}\n\n<!-- tracks -->\n",
        "content/references.yaml": references(),
        "content/glossary.md": glossary(),
        "static/wide.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 30"><rect width="900" height="30"/></svg>\n',
        "static/square.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>\n',
        "content/plain.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>\n',
        "content/plain.md": "---\ntitle: Plain\naliases: [old/plain.html]\n---\nOne line.\n",
        "content/figures.md": figures(),
        "content/choices/index.md": choices(),
        "content/choices/more.md": f"---\ntitle: {quoted(LONG)}\n---\n{LONG} [](index.md#in-a-tab)\n",
        "content/tracks/one/index.md": "---\ntitle: One\nsummary: A track with one lab.\n---\n",
        "content/tracks/one/labs/lab-01-alone.md": lab("one.py", one_note(), handbook="bad/everything"),
        "code/lab-01-alone/one.py": "print('one')\n",
        "content/tracks/bad/index.md": f"---\ntitle: {quoted(LONG)}\nsummary: {quoted(LONG)}\n---\n{HEBREW}\n\n{UNBROKEN}\n",
        "content/tracks/bad/practice.md": f"---\ntitle: Practice\n---\n{WORD}\n",
        "content/tracks/bad/labs/index.md": f"---\ntitle: {quoted(LONG)}\n---\n{URL}\n\n## {UNBROKEN}\n\n{ARABIC}\n",
        "content/tracks/bad/handbook/01-everything.md": everything(),
        "content/tracks/bad/handbook/02-deep.md": deep(),
        "content/tracks/bad/handbook/03-cjk.md": f"---\ntitle: {CJK[:100]}\nsummary: {CJK}\nafter: [everything, deep]\n---\n## {JAPANESE}\n\n{CJK}\n",
        **labs(),
    }


def choices():
    """A page of tabs: long titles, many, code with notes, and in a list and a quote."""
    code = excerpt("print('one')", ["`print` — the only note."], "lab-01-alone/one.py")
    many = "\n\n".join(f"**Choice {number}**\n\nThe text of choice {number}." for number in range(30))
    return f"""---
title: Choices
---

## Which one

<!-- tabs -->

**Linux**

{LONG}

**macOS and `{WORD}`**

### In a tab

{code}

**{LONG}**

```sh title="all.sh"
{UNBROKEN}
```

| {WORD} | {WORD} | {WORD} |
| --- | --- | --- |
| {UNBROKEN} | 1 | 2 |

<!-- /tabs -->

{LONG}

- Item

  <!-- tabs -->

  **Windows**

  {LONG}

  **BSD**

  A zebra is only here.

  **Linux**

  {LONG}

  <!-- /tabs -->

> <!-- tabs -->
>
> **{ARABIC}**
>
> {ARABIC}
>
> **{UNBROKEN[:80]}**
>
> - {LONG}
>
> <!-- /tabs -->

<!-- tabs -->

{many}

<!-- /tabs -->
"""


def one_note():
    return excerpt("print('one')", ["`print` — the only note."], "one.py")


def labs():
    sixty = [f"value_{number} = {number} * width" for number in range(60)]
    wide = "numbers = [" + ", ".join(str(number) for number in range(1300)) + "]"
    blank = "text = '" + "y" * 5000 + "'"
    short = "def take(self, tokens):\n    return self.level >= tokens"
    chain = "total = alpha + beta + gamma + delta + epsilon + zeta + eta + theta + iota + kappa"
    scripts = f"# {ARABIC}\nname = '{HEBREW}'\n变量 = '{CJK}'\nprint(name, 变量)"
    names = chain.split(" = ")[1].split(" + ")
    many = [f"`value_{number}` — Value {number}, explained in a few words, and in a few more where that is {number}." for number in range(60)]
    question = f"{LONG}?\n: {LONG}\n\n{CJK}？\n: {ARABIC}\n\n`{UNBROKEN}`?\n: {URL}\n"
    closing = f"\n## Questions\n\n{question}\n## Spoken\n\n{LOREM * 4}\n\n## Reading\n"
    code = {
        "lab-01-sixty": ("sixty.py", "\n".join(sixty)),
        "lab-02-wide": ("wide_" + "very_" * 30 + "name.py", f"{wide}\n{blank}\nprint(numbers)"),
        "lab-03-long-note": ("short.py", short),
        "lab-04-one-line": ("chain.py", chain),
        "lab-05-scripts": ("scripts.py", scripts),
        "lab-06-nested": ("nested.py", "\n".join(f"line_{number} = {number}" for number in range(20))),
    }
    bodies = {
        "lab-01-sixty": excerpt("\n".join(sixty), many, "sixty.py"),
        "lab-02-wide": excerpt(f"{wide}\n{blank}\nprint(numbers)", [f"`print` — {LONG}", f"`text` / `numbers` — {UNBROKEN}"],
                               f"{code['lab-02-wide'][0]} caption={quoted(LONG)}"),
        "lab-03-long-note": excerpt(short, [f"`tokens` — {LOREM * 12}", "`return` — Few words."], "short.py"),
        "lab-04-one-line": excerpt(chain, [f"`{name}` — The number {name}." for name in names], "chain.py"),
        "lab-05-scripts": excerpt(scripts, [f"`变量` — {CJK}", f"`name` — {ARABIC} {HEBREW}"], "scripts.py", "python"),
        "lab-06-nested": nested(),
    }
    titles = {
        "lab-01-sixty": "Sixty notes", "lab-02-wide": quoted(LONG), "lab-03-long-note": WORD,
        "lab-04-one-line": quoted(UNBROKEN), "lab-05-scripts": quoted(f"{ARABIC} {CJK[:40]}"), "lab-06-nested": "'Nested, with `code` in it'",
    }
    groups = {"lab-01-sixty": quoted(LONG), "lab-02-wide": quoted(f"{WORD} / {WORD}"), "lab-05-scripts": quoted(ARABIC)}
    made = {}
    for name, (file, text) in code.items():
        made[f"code/{name}/{file}"] = text + "\n"
        made[f"code/{name}/README.md"] = f"# {name}\n\n{LONG}\n\n{URL}\n"
        focus = {"lab-02-wide": quoted(UNBROKEN), "lab-05-scripts": quoted(CJK)}.get(name, quoted(LONG))
        more = f"after: [{previous}]\nminutes: 600\nreading: [long, cjk]\nchecked: 2026-11-21\n" if made and name != "lab-01-sixty" else ""
        made[f"content/tracks/bad/labs/{name}.md"] = lab(
            file, bodies[name] + closing, titles[name], focus, groups.get(name, "Group"), more=more, kind=focus, word=WORD,
        )
        previous = name
    return made


def nested():
    """Excerpts in quotes and lists, without numbers, with marks and omissions, without notes."""
    two = excerpt("line_1 = 1\n⋯\nline_5 = 5", ["`line_1` — One.", "`line_5` — Five."], 'nested.py#L2,L6 caption="Two of twenty" mark="line_5"')
    bare = "```python file=nested.py#L10-L12 numbers=false\nline_9 = 9\nline_10 = 10\nline_11 = 11\n```\n"
    indent = lambda text, mark: "\n".join((mark + line).rstrip() for line in text.splitlines())
    return f"{two}\nWords with `line_1` and `line_5` in them.\n\n{indent(two, '> ')}\n\n- An item\n\n{indent(two, '  ')}\n\n{bare}"


def everything():
    rows = "\n".join(f"| {WORD} | `{'code_' * 20}` | {LONG} | {number} |" for number in range(3))
    return f"""---
title: Everything
summary: {quoted(LONG)}
checked: 2026-11-21
reading: [long]
---

{LONG} {WORD} {URL} `{UNBROKEN}` [@cjk] [{LONG}][@long]

## {LONG}

### {UNBROKEN}

#### {CJK}

##### A fifth level

###### A sixth level, `{'with_code_' * 12}`

{ARABIC}

{HEBREW}

{JAPANESE}

> {LONG}
>
> > {UNBROKEN}

> [!NOTE]
> {LONG}

> [!TIP]
> {URL}

> [!IMPORTANT]
> {UNBROKEN}

> [!WARNING]
> {CJK}

> [!CAUTION]
> {ARABIC}

- [x] {LONG}
- [ ] {UNBROKEN}

1. {LONG}
2. {CJK}

{UNBROKEN}
: {UNBROKEN}

{ARABIC}
: {LONG}

| {WORD} | Code | {LONG} | Number |
| --- | :---: | --- | ---: |
{rows}

A note.[^a] Another.[^b]

[^a]: {LONG} {UNBROKEN}
[^b]: {CJK}

Inline $\\sum_{{i=1}}^{{n}} x_i = \\frac{{a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t}}{{u}}$ here.

$$ \\begin{{pmatrix}} {' & '.join('a_{%d}' % n for n in range(30))} \\end{{pmatrix}} = \\sqrt{{{' + '.join('x_{%d}' % n for n in range(40))}}} $$

```mermaid
flowchart LR
  accTitle: A chain
  {' --> '.join(f'step{n}[Step number {n}]' for n in range(24))}
```

```pikchr
{chr(10).join(f'box "{n}"; arrow' for n in range(24))}
```

```python
{'long_line(' + ', '.join(f'argument_{n}' for n in range(80)) + ')'}
```

```
{UNBROKEN}{UNBROKEN}
```

<details>
<summary>{LONG}</summary>

{UNBROKEN}

</details>

---

~~{WORD}~~ **{WORD}** *{WORD}* <kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup>

![A mark, with {LONG}](../../../plain.svg)
"""


def deep():
    items = "\n".join("  " * level + f"- Level {level}, and some words that take their room" for level in range(LEVELS))
    numbered = "\n".join("   " * level + f"1. Level {level}, and some words" for level in range(LEVELS))
    quotes = "\n".join("> " * level + f"Quote {level}\n" + ">" * level for level in range(1, LEVELS))
    head = "| " + " | ".join(f"Column {number}" for number in range(COLUMNS)) + " |"
    rule = "|" + " --- |" * COLUMNS
    rows = "\n".join("| " + " | ".join(f"value {row}.{number}" for number in range(COLUMNS)) + " |" for row in range(5))
    return f"""---
title: Deep
summary: Lists in lists, quotes in quotes, and a table of {COLUMNS} columns.
---

## Lists

{items}

## Numbers

{numbered}

## Quotes

{quotes}

## A table

{head}
{rule}
{rows}
"""


def references():
    return f"""long:
  kind: paper
  title: {quoted(LONG)}
  authors: [{', '.join(f'Given{number} Family{number}' for number in range(40))}]
  url: {URL}
  note: {quoted(LONG)}
cjk:
  kind: blog
  title: {CJK}
  authors: [{JAPANESE[:30]}]
  year: 2020
  url: https://example.org/
  note: {quoted(ARABIC)}
"""


def glossary():
    return f"---\ntitle: Glossary\n---\n{WORD}\n: {LONG}\n\nBucket\n: {UNBROKEN}\n\n{ARABIC[:20]}\n: {ARABIC}\n\n{CJK[:12]}\n: {CJK}\n"


def crowd(count):
    texts = {
        "content/site.yaml": "title: A crowd\ntracks: [many]\nlabs: { sections: [{ title: Code }] }\n",
        "content/tracks/many/index.md": "---\ntitle: Many\nsummary: A track with many labs.\n---\n",
        "content/tracks/many/handbook/01-everything.md": "---\ntitle: Everything\nsummary: All of it.\n---\n## It\n\nWords.\n",
        "code/shared/one.py": "print('one')\n",
    }
    for number in range(1, count + 1):
        texts[f"content/tracks/many/labs/lab-{number:03}-number.md"] = lab(
            "shared/one.py", one_note().replace("file=one.py", "file=shared/one.py"), f"Lab of the number {number}",
            group=f"Group {number // 50}", more=f"after: [lab-{number - 1:03}-number]\n" if number % 10 > 1 else "",
        )
    return texts
