"""Every figure that a page prints is listed with where it comes from, and is compared with it.

A figure is a number with a unit, a decimal point or a thousands separator, outside code. The check of a lab lists those
of its pages in `PAGES`: a function a page, figure -> value. Values are computed from what the starter prints; `given`
marks the few that are not results: a card's size, a config's entry, a cited count.
"""
import re

from course import CONTENT, given

SCALE = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "MB": 1e6, "GB": 1e9, "TB": 1e12, "GB/s": 1e9, "TB/s": 1e12,
         "FLOP": 1, "FLOP/B": 1, "GFLOP": 1e9, "GFLOP/s": 1e9, "TFLOP": 1e12, "TFLOP/s": 1e12, "PFLOP": 1e15,
         "PFLOP/s": 1e15, "%": 0.01, "ms": 1e-3, "µs": 1e-6, "s": 1, "bytes": 1, None: 1}
FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*[ \t]*$", re.M | re.S)
FIGURE = re.compile(
    r"(?<![\w.,-])"                              # not inside a name, a version or a longer number
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?"             # 16,777,216
    r"|\d+\.\d+(?:e-?\d+)?|\de-\d+"              # 13.48, 1.8e-05, 5e-6
    r"|\d+(?=\s?(?:[KMGT]i?B|[MGTP]?FLOP|per cent|bytes|µs|ms|s|seconds)\b|\s?%))"
    r"(?:\s?([KMGT]i?B(?:/s)?|[MGTP]?FLOP(?:/s|/B)?|%|per cent|bytes|µs|ms|s|seconds)(?![\w]))?"
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


def other_pages():
    return {
        "glossary.md": {"7.4 %": 2**30 / 1e9 - 1, "1,024": 1024},
        "tracks/ai-infra/practice.md": {"32 GiB": given("an example of how to answer")},
    }


def shown(figure: str, value: float) -> str:
    """The value, printed the way the figure is."""
    number, _, unit = figure.partition(" ")
    value = value / SCALE[unit or None]
    if "e" in number:
        text = f"{value:.1e}"
    else:
        text = f"{value:{',' if ',' in number else ''}.{len(number.partition('.')[2])}f}"
    return f"{text} {unit}" if unit else text


def compare(page: str, expected: dict):
    printed, wrong = figures(page), []
    for figure in printed:
        if figure not in expected:
            wrong.append(f"{figure} is not listed")
        elif not isinstance(expected[figure], given) and shown(figure, expected[figure]) != figure:
            wrong.append(f"{figure} should be {shown(figure, expected[figure])}")
    wrong += [f"{figure} is listed and not on the page" for figure in expected if figure not in printed]
    assert not wrong, f"{page}: " + "; ".join(wrong)


def held(path) -> bool:
    """Whether `infralens check` itself holds the figures of a page."""
    return "\nfigures: checked\n" in path.read_text(encoding="utf-8").split("\n---\n")[0] + "\n"


def check_of(page, table):
    def check():
        compare(page, table())
    check.__doc__ = f"figures of {page}"
    return check


def checks(labs) -> list:
    """A check for each page that a lab's check knows, and one for all the others."""
    pages = {page: table for lab in labs for page, table in getattr(lab, "PAGES", {}).items()}

    def the_rest():
        """figures of every other page; the guide's are limits and outputs of the program, whose own tests hold them."""
        tables = other_pages()
        for path in sorted(CONTENT.rglob("*.md")):
            page = path.relative_to(CONTENT).as_posix()
            if page not in pages and not page.startswith("guide/") and not held(path):
                compare(page, tables.pop(page, {}))
        assert not tables, f"no such page: {', '.join(tables)}"

    return [extractor, *(check_of(page, table) for page, table in pages.items()), the_rest]


def extractor():
    """the search for figures sees units, separators and decimals, and no versions or names."""
    for text, expected in {
        "13.48 GB of 107.81: 7 per cent, 1,348 GiB.": ["13.48 GB", "107.81", "7 per cent", "1,348 GiB"],
        "diffusers 0.42.1, nvcc 13.5.37, Llama-3.1-405B, FLUX.1-dev, 2026-11-21": [],
        "20.0 µs, 1.8e-05 and 5e-6, 8 heads, 25 GB/s": ["20.0 µs", "1.8e-05", "5e-6", "25 GB/s"],
    }.items():
        found = [m.group(0).strip() for m in FIGURE.finditer(text)]
        assert found == expected, f"{text}: {found}"
    assert shown("1,348 GiB", 1348 * 2**30) == "1,348 GiB" and not re.search("-", shown("0.25", 0.25))
