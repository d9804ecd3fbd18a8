"""The reader's site in a real browser: every page of the repository's own course and of a course of bad inputs, then the
parts that readers work with. Names of parts as arguments run those alone: `reader.py lens search`."""

import importlib
import sys
import tempfile
import time
from pathlib import Path

import course
from cdp import Browser, Failure
from context import HERE, REPOSITORY, Context, Site

# In this order; each is a file beside this one with `run(context)`.
PARTS = ["pages", "lens", "search", "practice"]


def main(names):
    start = time.monotonic()
    parts = [name for name in names or PARTS if (HERE / f"{name}.py").exists()]
    with tempfile.TemporaryDirectory(prefix="infralens-courses-") as folder, Browser() as browser:
        hard, crowd = Path(folder) / "hard", Path(folder) / "crowd"
        course.write(hard)
        course.write_crowd(crowd)
        sites = [Site("own", REPOSITORY), Site("hard", hard, "--base-url", "https://example.org/hard/"), Site("crowd", crowd)]
        context = Context(browser, *sites)
        try:
            for name in parts:
                with context.part(name):
                    importlib.import_module(name).run(context)
        finally:
            for site in sites:
                site.end()
    print(f"{context.checks} checks, {len(context.failures)} failures in {time.monotonic() - start:.0f} s")
    for failure in context.failures:
        print(f"FAILED: {failure}")
    return 1 if context.failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
