#!/usr/bin/env python3
"""Compares the symbols of real files with the definitions that tree-sitter's grammars find in them.

The files are those that a machine has anyway: the sources of the crates, Python's library, the npm packages of the browser
tests, and shell scripts. The grammars are installed from PyPI into a virtual environment in `target/`. The test fails if a
symbol is cut anywhere else than its grammar cuts it, if more symbols are refused than a few in a thousand, or if too few
are compared. `tests/symbols/run.py FILE...` compares other files and prints each difference.

A symbol that the program does not have is counted, but is no error: nothing wrong is shown. These are methods of object
literals, functions in expressions and in the bodies of C functions, definitions that macros write, and everything on lines
of more than 4,096 bytes (minified code), which are not read. A symbol is refused (E0317) if indentation contradicts its
brackets: in code that is indented in an unusual way, generated or minified.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / "target" / "tree-sitter"
PACKAGES = [
    "tree-sitter==0.26.*", "tree-sitter-bash==0.25.*", "tree-sitter-c==0.24.*", "tree-sitter-cpp==0.23.*",
    "tree-sitter-go==0.25.*", "tree-sitter-java==0.23.*", "tree-sitter-javascript==0.25.*",
    "tree-sitter-python==0.25.*", "tree-sitter-rust==0.24.*", "tree-sitter-typescript==0.23.*",
]
# How many files of a kind are compared, and up to what size.
MOST_FILES = {"rs": 500, "py": 300, "c": 120, "cpp": 60, "js": 240, "ts": 100, "sh": 200}
LARGEST = 60_000
# How many symbols have to be compared, and how many of a thousand may be refused.
LEAST_SYMBOLS = 10_000
MOST_REFUSED = 5
KINDS = {"cc": "cpp", "hpp": "cpp", "mjs": "js", "cjs": "js", "jsx": "js", "mts": "ts", "cts": "ts", "tsx": "ts"}


def folders():
    """Yields the folders that are searched."""
    cargo = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    yield from sorted((cargo / "registry" / "src").glob("*"))
    yield pathlib.Path(os.__file__).parent
    yield ROOT / "tests" / "browser" / "node_modules"
    yield from (pathlib.Path("/usr/share"), pathlib.Path("/usr/lib"), ROOT / "code")


def chosen():
    """Returns the files that are compared: of each kind, files from all over the folders, the same on every run."""
    found = collections.defaultdict(list)
    for folder in folders():
        for here, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                extension = name.rpartition(".")[2] if "." in name else ""
                kind, path = KINDS.get(extension, extension), os.path.join(here, name)
                if kind in MOST_FILES and not os.path.islink(path) and os.path.getsize(path) <= LARGEST:
                    found[kind].append(path)
    return [path for kind, paths in sorted(found.items()) for path in paths[:: len(paths) // MOST_FILES[kind] + 1]]


def symbols(paths):
    """Returns the symbols of each file as the program finds them."""
    with tempfile.TemporaryDirectory() as folder:
        listed = pathlib.Path(folder) / "paths"
        listed.write_text("\n".join(paths))
        command = ["cargo", "test", "--quiet", "--locked", "--features", "publish", "--test", "it"]
        command += ["symbols::symbols_as_json", "--", "--ignored", "--exact"]
        environment = os.environ | {"INFRALENS_SYMBOLS": str(listed)}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        return [json.loads(line) for line in pathlib.Path(f"{listed}.json").read_text().splitlines()]


def compare(path, ours, results):
    """Compares the symbols of a file, and adds the name of each to what came of it."""
    import grammar

    extension = path.rpartition(".")[2]
    source = pathlib.Path(path).read_bytes()
    lines = source.decode("utf-8", "replace").split("\n")
    known = {(name, line): rest for name, line, *rest in ours}
    for name, line, first, last in grammar.definitions(extension, source):
        start, end, is_refused = known.get((name, line), (None, None, False))
        # Comments below the body of a Python function that are indented like it belong to it.
        after = [line.strip() for line in lines[last:end]] if end and extension == "py" else ["x"]
        is_same = end == last or not any(text and not text.startswith("#") for text in after)
        if end is None:
            result = "missing"
        elif is_refused:
            result = "refused" if is_same else "refused, rightly"
        else:
            result = "same" if is_same and start <= first else "WRONG"
        results[KINDS.get(extension, extension)][result].append(f"{path}:{line} {name}: {start}-{end}, not {first}-{last}")


def main():
    if not (VENV / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    if pathlib.Path(sys.prefix) != VENV:
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
        python = str(VENV / "bin" / "python")
        os.execv(python, [python, __file__, *sys.argv[1:]])
    paths = [os.path.abspath(path) for path in sys.argv[1:]] or chosen()
    results = collections.defaultdict(lambda: collections.defaultdict(list))
    for path, ours in symbols(paths):
        compare(path, ours, results)
    shown = ["WRONG", "refused", "refused, rightly", "missing"] if sys.argv[1:] else ["WRONG", "refused"]
    for kind, found in sorted(results.items()):
        print(f"{kind}: " + ", ".join(f"{len(names)} {result}" for result, names in sorted(found.items())))
        for result in shown:
            print("".join(f"  {result}: {name}\n" for name in found[result]), end="")
    total = collections.Counter({result: 0 for result in ("same", "WRONG", "refused")})
    for found in results.values():
        total.update({result: len(names) for result, names in found.items()})
    compared = total.total() - total["missing"]
    problems = [
        "symbols are cut elsewhere than their grammar cuts them" if total["WRONG"] else "",
        "too many symbols are refused" if 1000 * total["refused"] > MOST_REFUSED * compared else "",
        f"fewer than {LEAST_SYMBOLS} symbols are compared" if compared < LEAST_SYMBOLS and not sys.argv[1:] else "",
    ]
    print(f"{compared} symbols compared: {total['same']} are the same, {total['refused']} are refused without need")
    sys.exit("; ".join(filter(None, problems)))


if __name__ == "__main__":
    main()
