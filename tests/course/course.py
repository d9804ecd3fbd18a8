"""What the checks share: where the course is, its pages' prose and figures, and how a check says that it cannot run."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTENT = ROOT / "content"
CODE = ROOT / "code"

class Skipped(Exception):
    """Raised by a check that cannot run here; its text is the reason."""


FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*[ \t]*$", re.M | re.S)
FIGURE = re.compile(
    r"(?<![\w.,-])"                              # not inside a name, a version or a longer number
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?"             # 16,777,216
    r"|\d+\.\d+(?:e-?\d+)?|\de-\d+"              # 13.48, 1.8e-05, 5e-6
    r"|\d+(?=\s?(?:[KMGT]i?B|%|per cent|bytes|µs|ms|s|seconds|MiB)\b|\s?%))"
    r"(?:\s?([KMGT]i?B(?:/s)?|%|per cent|bytes|µs|ms|s|seconds)(?![\w]))?"
    r"(?![\d]|\.\d|,\d{3}|-\d)"
)


def prose(page: str) -> str:
    """The text of a page that its author wrote by hand."""
    text = (CONTENT / page).read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = FENCE.sub("", text)
    text = re.sub(r"`[^`\n]+`", " ", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def figures(page: str) -> list[str]:
    """Every number of a page that has a unit, a decimal point or a thousands separator, each once."""
    found = {}
    for match in FIGURE.finditer(prose(page)):
        number, unit = match.group(1), match.group(2)
        unit = {"per cent": "%", "seconds": "s"}.get(unit, unit)
        found[f"{number} {unit}" if unit else number] = None
    return list(found)
