"""Counts what a reader of a built lab meets: its words and its numbers."""
import html.parser
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

from course import PROGRAM, ROOT, Skipped
from limits import LABS, NAMES

# Elements and classes that are no text of the lab: its head and facts, the reading list, code and what names it, formulas,
# drawings, calculators, the definitions that open at a word, and what the generator adds.
ELEMENTS = {"pre", "math", "svg", "button", "nav", "aside", "template", "input"}
CLASSES = {"head", "crumbs", "facts", "read-first", "outcome", "beside", "margin", "aside", "reading", "excerpt", "of", "ring",
           "from", "calc", "definition", "figures", "done", "steps", "label", "guess", "anchor", "titled", "diagram", "outside",
           "ask-yourself"}
VOID = {"br", "hr", "img", "input", "wbr", "col", "source"}
# 1,978 words were the median on 27 November 2026.
LONGEST, NUMBERS = 1978, 90


class Main(html.parser.HTMLParser):
    """Collects the text of `main`, apart from these elements, and from code."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.plain = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            return
        classes = set((dict(attributes).get("class") or "").split())
        inside = self.open[-1][1:] if self.open else (False, False, False)
        is_main, is_left_out, is_code = inside
        self.open.append((tag, is_main or tag == "main", is_left_out or tag in ELEMENTS or bool(classes & CLASSES), is_code or tag == "code"))

    def handle_endtag(self, tag):
        while self.open and tag not in VOID and self.open.pop()[0] != tag:
            pass
        self.text.append(" ")

    def handle_data(self, data):
        if self.open and self.open[-1][1] and not self.open[-1][2]:
            self.text.append(data)
            if not self.open[-1][3]:
                self.plain.append(data)
        self.plain.append(" ")


def counted(page: Path) -> tuple[int, set[str]]:
    main = Main()
    main.feed(page.read_text(encoding="utf-8"))
    words = sum(any(map(str.isalnum, word)) for word in "".join(main.text).split())
    plain = re.sub(NAMES, "", "".join(main.plain))
    return words, {found.strip(".,") for found in re.findall(r"(?<![A-Za-z\d])\d[\d,.]*", plain)}


def load():
    """No built lab is longer than the median of an earlier day, or has over 90 different numbers."""
    if not PROGRAM.exists():
        raise Skipped(f"{PROGRAM} is not built")
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        subprocess.run([str(PROGRAM), "build", "-o", str(site), "--root", str(ROOT)], check=True, capture_output=True)
        found = {file.stem: counted(site / file.parent.relative_to(ROOT / "content") / f"{file.stem}.html") for file in LABS}
    for name, (words, numbers) in found.items():
        print(f"     {name}: {words:,} words, {len(numbers)} numbers")
    long = [name for name, (words, numbers) in found.items() if words > LONGEST or len(numbers) > NUMBERS]
    assert not long, long
    return f"median {statistics.median(words for words, _ in found.values()):,.0f} words"


CHECKS = [load]
