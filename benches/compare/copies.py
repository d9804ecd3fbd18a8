"""Copies of this repository's own labs and sections, as a course of any size: real pages are longer than those of
`corpus`, and have more formulas, drawings, figures and notes."""
import re
import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def write(root: Path, pages: int):
    """Writes so many copies of the tracks that the course has about this number of pages. The first copy keeps its
    names; the tracks and labs of the others end in the number of the copy. Copies of sentences cause warnings."""
    for folder in ["content", "code", "static"]:
        shutil.copytree(REPOSITORY / folder, root / folder)
    tracks = sorted(path.name for path in (root / "content/tracks").iterdir())
    labs = sorted({path.stem for path in (root / "content/tracks").glob("*/labs/lab-*.md")})
    one = sum(1 for path in (root / "content/tracks").glob("*/*/*.md"))
    names = re.compile(rf"\b({'|'.join(labs)})\b|(?<![\w-])({'|'.join(tracks)})(?=/)")
    added = []
    for copy in range(2, max(2, round(pages / one)) + 1):
        def renamed(text: str) -> str:
            return names.sub(lambda found: f"{found[0]}-{copy}", text)
        for track in tracks:
            added.append(f"{track}-{copy}")
            for page in (root / "content/tracks" / track).rglob("*.*"):
                to = root / renamed(str(page.relative_to(root)))
                to.parent.mkdir(parents=True, exist_ok=True)
                if page.suffix != ".md":
                    shutil.copyfile(page, to)
                    continue
                # A course has one front calculator, and a page its old names for itself.
                text = re.sub(r"^aliases:.*\n", "", page.read_text().replace(" front=true", ""), flags=re.MULTILINE)
                to.write_text(renamed(text))
        for lab in labs:
            if (root / "code" / lab).is_dir():
                shutil.copytree(root / "code" / lab, root / "code" / f"{lab}-{copy}")
    settings = root / "content/site.yaml"
    settings.write_text(settings.read_text().replace("tracks: [", f"tracks: [{', '.join(added)}, " if added else "tracks: ["))
