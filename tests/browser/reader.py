"""The reader's site in a real browser: every page of the repository's own course and of a course of bad inputs, then the
parts that readers work with. Names of parts as arguments run those alone: `reader.py lens search`;
`pages tracks/bad` only pages that have this in their path. Without arguments, two processes share the parts, because each
waits for its browser most of the time."""

import importlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import course
from cdp import Browser, Failure
from context import REPOSITORY, Context, Site

# What each of two processes runs, in this order, so that both take about as long. Each is a file in this folder with
# `run(context)`.
HALVES = [
    ["markup", "pages", "paper"],
    ["lens", "room", "calculators", "search", "practice", "wayfinding", "details", "tabs"],
]
PARTS = [part for half in HALVES for part in half]


def both_halves():
    halves = [subprocess.Popen([sys.executable, __file__, *half]) for half in HALVES]
    return max([half.wait() for half in halves])


def main(arguments):
    if not arguments:
        return both_halves()
    start = time.monotonic()
    parts = [name for name in arguments if name in PARTS] or PARTS
    with tempfile.TemporaryDirectory(prefix="infralens-courses-") as folder, Browser() as browser:
        hard, crowd = Path(folder) / "hard", Path(folder) / "crowd"
        course.write(hard)
        course.write_crowd(crowd)
        sites = [Site("own", REPOSITORY), Site("hard", hard, under="/hard/"), Site("crowd", crowd)]
        context = Context(browser, *sites, only=[path for path in arguments if path not in PARTS])
        try:
            for name in parts:
                with context.part(name):
                    importlib.import_module(name).run(context)
        finally:
            for site in sites:
                site.end()
    print(f"{context.checks} checks, {context.wrong()} failures in {time.monotonic() - start:.0f} s")
    for message, places in context.failures.items():
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        print(f"FAILED: {message}\n    {'; '.join(places[:3])}{more}")
    return 1 if context.failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
