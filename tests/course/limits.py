"""Tests that every lab and section keeps its limits: length, minutes, the terms of the field, and files that readers can download."""
import re

from course import CODE, CONTENT

# The name of a translation, which no limit is meant for, has a dot before its language.
LABS = sorted(file for file in CONTENT.glob("tracks/*/labs/lab-*.md") if "." not in file.stem)
SECTIONS = sorted(file for file in CONTENT.glob("tracks/*/handbook/*.md") if "." not in file.stem)
# Numbers that are part of a name or an address count no more than a word does.
NAMES = (r"`[^`]*`|[A-Za-z_][\w.+-]*\d[\w.-]*|\d+[A-Za-z]\w*|\b[Ll]abs? [\d, and]+|\b(?:[Ss]ection|[Pp]art|§) ?[\d.]+"
         r"|\b\d+\.\d+\.\d[\d.]*|\b20\d\d-\d\d-\d\d|\b(?:19|20)\d\d\b|(?m:^\d+\. )")
TERMS = ["bank conflict", "coalesced", "warp divergence", "occupancy", "latency hiding", "in flight", "memory-bound",
         "compute-bound", "arithmetic intensity", "roofline", "gradient accumulation", "micro-batch",
         "activation checkpointing", "mixed precision", "loss scaling", "sequence parallelism", "pipeline bubble",
         "continuous batching", "prefill", "decode", "goodput", "group-wise scale", "outlier"]


def body(text: str) -> str:
    """The page without front matter, values and other comments."""
    return re.sub(r"<!--.*?-->", "", text.split("\n---\n", 1)[1], flags=re.S)


def prose(text: str) -> str:
    """Paragraphs, notes, questions and answers: no code, formulas of their own, tables, citations or addresses."""
    for other in (r"(?ms)^ *(`{3,}|~{3,}).*?^ *\1 *$", r"(?ms)^\$\$.*?\$\$", r"(?m)^\|.*$", r"\[@[^\]]*\]", r"\]\([^)]*\)"):
        text = re.sub(other, "]" if other.startswith(r"\]") else "", text)
    return text


def words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in prose(body(text)).split())


def numbers(text: str) -> set[str]:
    plain = re.sub(NAMES, "", prose(body(text))).replace("{,}", ",").replace("\\,", "")
    return {found.strip(".,") for found in re.findall(r"(?<![A-Za-z\d])\d[\d,.]*", plain)}


def lines(text: str, kinds: str) -> int:
    return sum(block.count("\n") for _, block in re.findall(rf"(?ms)^(`{{3,}}|~{{3,}})(?:{kinds})[^\n]*\n(.*?)^\1$", body(text)))


def part(text: str, title: str) -> str:
    return re.split(r"(?m)^## ", text.split(f"\n## {title}\n", 1)[1])[0]


def room():
    """A lab has at most 2,000 words, 22 notes and 60 numbers, a section 900 words."""
    for file in LABS:
        text = file.read_text(encoding="utf-8")
        notes = len(re.findall(r"(?m)^\d+\. `[^\n]* — ", body(text)))
        assert words(text) <= 2000, f"{file.name}: {words(text)} words"
        assert 0 < notes <= 22, f"{file.name}: {notes} notes"
        assert len(numbers(text)) <= 60, f"{file.name}: {sorted(numbers(text))}"
    for file in SECTIONS:
        count = words(file.read_text(encoding="utf-8"))
        assert 0 < count <= 900, f"{file.name}: {count} words"


def unspoken(text: str) -> float:
    """The minutes of what is no prose: formulas, rows of tables, drawings and calculators."""
    plain = re.sub(r"(?ms)^ *(`{3,}|~{3,}).*?^ *\1 *$", "", body(text))
    formulas = len(re.findall(r"(?s)\$\$.+?\$\$|(?<![\\$])\$[^$\n]+\$", plain))
    rows = len(re.findall(r"(?m)^\|", plain)) - 2 * len(re.findall(r"(?m)^\|[ :|-]+$", plain))
    drawn = len(re.findall(r"(?m)^```(?:pikchr|mermaid|calc)\b|!\[", body(text)))
    return formulas / 3 + rows / 10 + 2 * drawn


def rule(text: str) -> float:
    """The minutes that the course's page on reading gives a lab, before they are rounded."""
    return (words(text) / 100 + lines(text, r"[^\n]*file=|text|sh") / 12 + unspoken(text)
            + 3 * len(re.findall("(?m)^: ", part(text, "Check yourself")))
            + 5 * len(re.findall(r"(?m)^\d+\. ", part(text, "Vary it"))))


def minutes():
    """A lab's minutes are those of the rule that the course's page on reading gives."""
    for file in LABS:
        text = file.read_text(encoding="utf-8")
        expected = -(-rule(text) // 5) * 5
        assert f"\nminutes: {expected:.0f}\n" in text, f"{file.name}: {rule(text):.1f}, so {expected:.0f}"


def terms():
    """The glossary has each standard term, and an interview explanation says it."""
    glossary = (CONTENT / "glossary.md").read_text(encoding="utf-8").lower()
    spoken = " ".join(part(file.read_text(encoding="utf-8"), "Interview explanation") for file in LABS).lower()
    for term in TERMS:
        assert term in glossary, f"the glossary lacks {term}"
        assert term in spoken, f"no interview explanation says {term}"


def published():
    """Every file of a starter is published, because a page links to it or the lab of its folder shows it."""
    everywhere = " ".join(file.read_text(encoding="utf-8") for file in CONTENT.rglob("*.md"))
    labs = {file.stem: file.read_text(encoding="utf-8") for file in LABS}
    for file in CODE.rglob("*"):
        inside = file.relative_to(CODE)
        if file.is_file() and file.name != "README.md" and not {"records", "__pycache__"} & set(inside.parts):
            own = re.search(rf"\bfile(?:: |=){re.escape(file.name)}(?=[#\s])", labs.get(inside.parts[0], ""))
            assert own or re.search(rf"(?:code:|file=){re.escape(str(inside))}(?=[#)\s])", everywhere), \
                f"no page names {inside}"


CHECKS = [room, minutes, terms, published]
