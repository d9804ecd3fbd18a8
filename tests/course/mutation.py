"""Whether pages notice: each number of a starter is changed, and the pages that print its results must fail the check.

    python3 tests/course/mutation.py [--all] [WORD]     only labs whose name contains WORD; without sampling
"""
import ast
import concurrent.futures
import json
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile

from course import CODE, CONTENT, PROGRAM, ROOT, Skipped

# A lab and the files of its starter's folder whose numbers are changed.
LABS = [
    ("lab-01-transformer-memory", ["memory_accounting.py"]),
    ("lab-02-single-gpu-training", ["plan.py"]),
    ("lab-03-ddp-conversion", ["plan.py"]),
    ("lab-04-cuda-reduce", ["counts.py"]),
    ("lab-05-bank-conflict", ["banks.py"]),
    ("lab-06-triton-softmax", ["triton_softmax.py"]),
    ("lab-07-flashattention", ["flashattention_mental_model.py"]),
    ("lab-08-zero-fsdp", ["zero_memory_accounting.py"]),
    ("lab-09-nsight-profiling", ["verdict.py"]),
    ("lab-10-memory-optimization-reading", ["peaks.py"]),
    ("lab-10-quantization-reading", ["plan.py"]),
    ("lab-10-vllm-serving", ["ceilings.py", "benchmark_config.yaml"]),
    ("lab-11-quantization", ["plan.py", "rounding_error.py"]),
    ("lab-12-64gpu-design", ["layouts.py", "topology_design_worksheet.md"]),
]
AT_ONCE = os.cpu_count() or 1
SAMPLE = 8  # the number of constants that are changed when there are more
# The diagnostics that say that a figure is wrong. A stale excerpt is not one of them: it only says that code changed.
CAUGHT = re.compile(r"figure|E060[2567]")
USE = r"""((?:\.\w+|\["[^"]*"\]|\[\d+\])*)"""


def constants(file: pathlib.Path) -> list[tuple[int, int]]:
    """Returns where the numbers of a file are, in bytes."""
    data = file.read_bytes()
    if file.suffix != ".py":
        found = re.finditer(rb"(?<![\w.\-/:])\d[\d_]*(?:\.\d+)?(?![\w\-/:]|\.\d)", re.sub(rb"#[^\n]*", _blank, data))
        return [match.span() for match in found]
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans = [(starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset)
             for node in ast.walk(ast.parse(data))
             if isinstance(node, ast.Constant) and type(node.value) in (int, float)]
    return sorted(spans)


def _blank(match: re.Match) -> bytes:
    return b" " * len(match.group(0))


def changed(number: str) -> str:
    """Returns a number about half as large again, of the same type, so that no rounding can hide the change."""
    value = ast.literal_eval(number)
    return str(value + max(1, value // 2)) if isinstance(value, int) else repr(value * 1.5 or 1.5)


def flat(value, path: tuple = ()) -> dict:
    """Returns every number and text of a record by its path."""
    if not isinstance(value, (dict, list)):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {key: leaf for name, inner in items for key, leaf in flat(inner, (*path, str(name))).items()}


def records(folder: pathlib.Path) -> dict:
    """Returns what the commands of a starter printed: (record, path) -> number or text."""
    found = {}
    for file in sorted((folder / "records").glob("*.json")):
        stored = json.loads(file.read_text(encoding="utf-8"))
        found |= {(file.stem, *path): leaf for path, leaf in flat(stored).items() if path[0] not in ("files", "command")}
    return found


def used(lab: str) -> dict[str, set]:
    """Returns which paths of a lab's records the values of each page name: page -> {(record, path)}."""
    pages = {}
    for file in sorted(CONTENT.rglob("*.md")):
        text, paths = file.read_text(encoding="utf-8"), set()
        prefix = "" if file.stem == lab else re.escape(lab) + "/"
        # What may begin a path, a call or the name of a part of a record, and the path that it stands for.
        heads = [(rf'record\("{prefix}{name}"\)', (name,))
                 for name in set(re.findall(rf'record\("{prefix}([\w-]+)"\)', text))]
        for head, start in heads:  # grows while names for parts are found
            heads += [(rf"(?<![\w.-]){name}(?![\w(-])", start + steps(path))
                      for name, path in re.findall(rf"^[ ]*(\w+)[ ]*=[ ]*{head}{USE}[ ]*(?:#[^=\n]*)?$", text, re.M)]
            paths |= {start + steps(path) for path in re.findall(head + USE, text) if path}
        if paths:
            pages[file.relative_to(ROOT).as_posix()] = paths
    return pages


def steps(path: str) -> tuple[str, ...]:
    """Returns the keys of a path such as `["a"].b[0]`."""
    return tuple(key or word for key, word in re.findall(r'"([^"]*)"|([^.\[\]"]+)', path))


def run(root: pathlib.Path, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(PROGRAM), *command, "--root", str(root)], capture_output=True, text=True, timeout=120)


def caught(root: pathlib.Path) -> set[str]:
    """Returns the pages on which the check reports a figure or a value."""
    found = [json.loads(line) for line in run(root, "check", "--format", "json").stdout.splitlines() if line[:1] == "{"]
    return {each["file"] for each in found if CAUGHT.fullmatch(each.get("code") or "")}


def mutate(lab: str, files: list[str], sample: int | None = SAMPLE) -> str:
    """Changes the numbers of a starter one at a time, records, and checks. Returns the counts; fails on a silent page."""
    if not PROGRAM.exists():
        raise Skipped(f"{PROGRAM} is not built")
    every = [(file, span) for file in files for span in constants(CODE / lab / file)]
    chosen = random.Random(lab).sample(every, sample) if sample and len(every) > sample else every
    pages = used(lab)
    assert pages, f"no page has a value from a record of {lab}"
    copies = queue.SimpleQueue()

    def one(mutation) -> tuple[str, str]:
        root = copies.get()
        try:
            return attempt(root, lab, *mutation, pages)
        finally:
            copies.put(root)

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for number in range(AT_ONCE):
            root = pathlib.Path(folder) / str(number)
            copy(root, lab, pages)
            copies.put(root)
        assert not caught(root), f"{', '.join(sorted(caught(root)))}: wrong before anything is changed"
        results = list(pool.map(one, chosen))
    ends = [end for end, _ in results]
    counts = ", ".join(f"{ends.count(end)} {end}" for end in ("caught", "in no figure", "failed", "silent"))
    silent = "; ".join(what for end, what in results if end == "silent")
    assert not silent, f"{counts}: {silent}"
    return f"{len(chosen)} of {len(every)} numbers changed: {counts}"


def copy(root: pathlib.Path, lab: str, pages: dict) -> None:
    """Copies what the pages need to be checked. Links to other pages are broken in the copy, which does not matter."""
    labs, files = set(), {*CONTENT.glob("*.yaml"), *CONTENT.rglob("index.md"), *(ROOT / page for page in pages)}
    more = {lab}
    while more:  # the labs among these pages, those whose records the pages read, and so on
        labs |= more
        files |= {file for each in more for file in CONTENT.rglob(f"{each}.md")}
        more = {each for file in files for each in [file.stem, *re.findall(r'record\("([\w-]+)/', file.read_text(encoding="utf-8"))]
                if (CODE / each).is_dir()} - labs
    for each in labs:
        shutil.copytree(CODE / each, root / "code" / each)
    for file in sorted(files):
        target = root / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def attempt(root: pathlib.Path, lab: str, name: str, span: tuple[int, int], pages: dict) -> tuple[str, str]:
    """Changes one number. Returns how it ended, and what was changed."""
    folder = root / "code" / lab
    file, stored = folder / name, CODE / lab
    before = file.read_bytes()
    old = before[slice(*span)].decode()
    new = changed(old)
    what = f"{name}:{before[:span[0]].count(10) + 1}: {old} -> {new}"
    try:
        file.write_bytes(before[:span[0]] + new.encode() + before[span[1]:])
        if run(root, "record", lab, "--timeout", "20").returncode != 0:
            return "failed", what
        was, now = records(stored), records(folder)
        keys = {key for key in was.keys() | now.keys() if was.get(key) != now.get(key)}
        concerned = {page for page, paths in pages.items()
                     if any(key[:1] + key[2:] in paths for key in keys)}
        missed = concerned - caught(root) if concerned else set()
        if missed:
            return "silent", f"{what} changes nothing on {', '.join(sorted(missed))}"
        return ("caught" if concerned else "in no figure"), what
    finally:
        file.write_bytes(before)
        shutil.copytree(stored / "records", folder / "records", dirs_exist_ok=True)


def check_of(lab: str, files: list[str]):
    def check():
        return mutate(lab, files)
    check.__doc__ = f"every changed number of {lab} is noticed by the pages that print its results"
    return check


CHECKS = [check_of(*each) for each in LABS]


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--all"]
    for lab, files in LABS:
        if all(word in lab for word in words):
            print(f"{lab}: {mutate(lab, files, None if '--all' in sys.argv else SAMPLE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
