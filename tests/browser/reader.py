"""The reader's site in a real browser: pages of the repository's own course and of a course of bad inputs, then the parts
that readers work with. Of pages that are alike, it sees one of each kind, those that the branch changes and a few
others; with `--all`, every page. Names of parts as arguments run those alone: `reader.py lens search`;
`pages tracks/bad` only pages that have this in their path."""

import importlib
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import course
from cdp import Browser, Failure
from context import REPOSITORY, Context, Site

# The longest first, so that no process is left with a long one at the end. Each is a file in this folder with `run(context)`.
PARTS = ["pages", "room", "fresh", "calculators", "markup", "lens", "lit", "details", "practice", "wayfinding", "hands", "compat", "search", "home", "languages", "paper", "tabs", "typeset", "signposts", "firefox", "marks"]
# So many processes share the parts, because each waits for its browser most of the time.
PROCESSES = 2


def work(name, sites, options):
    """Runs a part in a browser of its own. Returns how much it has checked, and what is wrong where."""
    with Browser() as browser:
        context = Context(browser, *(site.serve() for site in sites), **options)
        with context.part(name):
            importlib.import_module(name).run(context)
    return context.checks, context.failures


def main(arguments):
    start = time.monotonic()
    words = [word for word in arguments if word != "--all"]
    names = [name for name in PARTS if name in words] or PARTS
    options = {"only": [word for word in words if word not in PARTS], "every": "--all" in arguments}
    sites, checks, failures = [], 0, {}
    try:
        with tempfile.TemporaryDirectory(prefix="infralens-courses-") as folder:
            hard, crowd = Path(folder) / "hard", Path(folder) / "crowd"
            course.write(hard)
            course.write_crowd(crowd)
            for name, root, under in [("own", REPOSITORY, "/"), ("hard", hard, "/hard/"), ("crowd", crowd, "/")]:
                sites.append(Site(name, root, under))
        print(f"          courses: {time.monotonic() - start:.1f} s", flush=True)
        with ProcessPoolExecutor(PROCESSES) as pool:
            for count, found in pool.map(work, names, repeat(sites), repeat(options)):
                checks += count
                for message, places in found.items():
                    failures.setdefault(message, []).extend(places)
    finally:
        for site in sites:
            site.end()
    wrong = sum(map(len, failures.values()))
    print(f"{checks} checks, {wrong} failures in {time.monotonic() - start:.0f} s")
    for message, places in failures.items():
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        print(f"FAILED: {message}\n    {'; '.join(places[:3])}{more}")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
