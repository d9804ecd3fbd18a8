"""A course on disk and `infralens serve`, which the tests of the preview share."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from cdp import Failure

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "debug/infralens"

LAB = """---
title: A lab
focus: f
reads: r
outcome: Say what it does
handbook: [section]
starter: {{ file: a.py, type: Script, angle: Top to bottom }}
---

## Code

Words above the excerpt, to be changed.

{more}

<details>
<summary>More of it</summary>

Hidden at first.

</details>

```python file=a.py
def twice(x):
    return 2 * x
```

1. `return 2 * x` — the number, doubled.

## After

{after}
"""
COURSE = {
    "content/site.yaml": "title: Preview\ntracks: [t]\nlabs: { sections: [{ title: Code }] }\n",
    "content/index.md": "---\ntitle: Home\n---\nThe first page.\n",
    "content/about.md": "---\ntitle: About\n---\nAbout this course.\n",
    "content/tracks/t/index.md": "---\ntitle: T\nsummary: s\n---\nA track.\n",
    "content/tracks/t/handbook/01-section.md": "---\ntitle: Section\nsummary: s\n---\nA section.\n",
    "code/lab-01-x/a.py": "def twice(x):\n    return 2 * x\n",
}
PATH = "content/tracks/t/labs/lab-01-x.md"
PAGE = "tracks/t/labs/lab-01-x.html"


def paragraphs(name, count):
    return "\n\n".join(f"Paragraph {name} {number}." for number in range(count))


class Course:
    """A course on disk, and the preview of it."""

    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="infralens-course-")).resolve()
        self.process = None
        for path, text in COURSE.items():
            self.write(path, text)
        self.lab = LAB.format(more="Few words.", after=paragraphs("after", 60))
        self.write(PATH, self.lab)
        shutil.copy(REPOSITORY / "static/style.css", self.place("static/style.css"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def place(self, path):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def write(self, path, text):
        """Saves as most editors do: beside the file, then in its place."""
        place = self.place(path)
        beside = place.with_name(f".{place.name}.new")
        beside.write_text(text)
        beside.rename(place)

    def address(self, path=""):
        return f"http://127.0.0.1:{self.port}/{path}"

    def fetch(self, path):
        with urllib.request.urlopen(self.address(path), timeout=10) as answer:
            return answer.read().decode()

    def has(self, path, text):
        """Whether there is such a page, with that text."""
        try:
            return text in self.fetch(path)
        except urllib.error.HTTPError:
            return False

    def start(self, *options):
        env = {key: value for key, value in os.environ.items() if key not in ("INFRALENS_EDITOR", "VISUAL", "EDITOR")}
        with open(self.root / "serve.log", "ab") as log:
            command = [PROGRAM, "serve", "--root", self.root, "--port", str(self.port), *options]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        end = time.monotonic() + 15
        while time.monotonic() < end and self.process.poll() is None:
            try:
                return self.fetch("index.html")
            except OSError:
                time.sleep(0.05)
        raise Failure("`infralens serve` does not serve:\n" + (self.root / "serve.log").read_text())

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(10)

    def end(self):
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGKILL)
        shutil.rmtree(self.root, ignore_errors=True)


TEXT = "document.querySelector('main')?.textContent.includes({!r})"
PANEL = "document.getElementById('Infralens-panel')"
