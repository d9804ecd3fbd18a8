"""Writes a page of a built site as PDF through headless Chromium: `pdf.py public/tracks/T/print.html T.pdf`.

Browsers do not know CSS's `target-counter`, so the numbers in the contents of a track's print page take two passes: the PDF
of the first says on which sheet each chapter begins, and the second is printed from `print.html?pages=2,5,9`, whose script
writes these numbers into the contents. The names of chapters and the page tree are not compressed in the PDFs that Chromium
writes, so a few expressions read them."""

import base64
import re
import sys
import urllib.parse
import zlib
from pathlib import Path

from cdp import Browser

# A4 in inches, as Chromium is told it, and in points, as PDF counts.
PAPER = (8.27, 11.69)
HEIGHT = 842


class Pdf:
    """What a PDF says about its sheets."""

    def __init__(self, data):
        self.data = data
        self.objects = {int(found[1]): found.start() for found in re.finditer(rb"\n(\d+) 0 obj\n", data)}
        self.sheets = self.tree(int(re.search(rb"/Type /Catalog\s.*?/Pages (\d+) 0 R", data, re.S)[1]))

    def head(self, number):
        """The dictionary of an object."""
        start = self.objects[number]
        return self.data[start:self.data.index(b"endobj", start)]

    def tree(self, number):
        """The sheets below a node, by their numbers as objects."""
        head = self.head(number)
        kids = re.search(rb"/Kids \[(.*?)\]", head, re.S)
        if not kids:
            return [number]
        return [sheet for kid in re.findall(rb"(\d+) 0 R", kids[1]) for sheet in self.tree(int(kid))]

    def first(self, place):
        """The sheet, from 1, on which an element with an id begins; None if no link leads to it."""
        name = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "".join(f"#{byte:02X}" for byte in char.encode()) for char in place)
        found = re.search(rb"/" + re.escape(name.encode()) + rb" \[(\d+) 0 R", self.data)
        return self.sheets.index(int(found[1])) + 1 if found else None

    def texts(self, sheet):
        """How far from the upper edge the texts of a sheet, from 1, begin, in points."""
        number = int(re.search(rb"/Contents (\d+) 0 R", self.head(self.sheets[sheet - 1]))[1])
        start = self.data.index(b"stream", self.objects[number]) + 6
        stream = zlib.decompress(self.data[start:self.data.index(b"endstream", start)].lstrip(b"\r\n"))
        return sorted(drawn(re.sub(rb"\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f]*>", b" ", stream).decode("latin-1").split()))


def drawn(words):
    """The heights of texts in a stream of drawing commands. A matrix is (a, b, c, d, e, f)."""
    times = lambda m, n: (
        m[0] * n[0] + m[1] * n[2], m[0] * n[1] + m[1] * n[3], m[2] * n[0] + m[3] * n[2], m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4], m[4] * n[1] + m[5] * n[3] + n[5])
    matrix, kept = (1, 0, 0, 1, 0, 0), []
    for at, word in enumerate(words):
        if word == "q":
            kept.append(matrix)
        elif word == "Q":
            matrix = kept.pop()
        elif word in ("cm", "Tm"):
            placed = times(tuple(map(float, words[at - 6:at])), matrix)
            if word == "cm":
                matrix = placed
            else:
                yield HEIGHT - placed[5]


def printed(page, url):
    """The PDF of an address."""
    page.open(url)
    page.run("document.fonts.ready.then(() => 0)")
    params = {"paperWidth": PAPER[0], "paperHeight": PAPER[1], "printBackground": True, "generateDocumentOutline": True}
    return Pdf(base64.b64decode(page.send("Page.printToPDF", params, timeout=400)["data"]))


def numbered(page, url):
    """The PDF of a track's print page with the numbers of sheets in its contents, and these numbers."""
    first = printed(page, url)
    ids = page.run("[...document.querySelectorAll('.volume a')].map(({ hash }) => decodeURIComponent(hash.slice(1)))")
    sheets = [first.first(place) for place in ids]
    return printed(page, f"{url}?pages={','.join(map(str, sheets))}"), dict(zip(ids, sheets))


def main(source, target):
    url = source if urllib.parse.urlsplit(source).scheme else Path(source).resolve().as_uri()
    with Browser() as browser, browser.page() as page:
        found, _ = numbered(page, url)
    Path(target).write_bytes(found.data)
    print(f"wrote {target}: {len(found.sheets)} pages")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
