#!/usr/bin/env python3
"""Times the tiled kernel of transpose.cu with every padding that banks.py
counts: when do passes cost time? Prints JSON.

    python3 paddings.py      on an NVIDIA GPU, with nvcc
"""
import json
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

import banks
from measure import FOLDER, PASSES, SIDE, ask, facts

PADS, RUNS = [0, 1, 2, 3, 4, 8, 16, 32], 3
OLD = '{"tiled", transpose_tiled<0>},'
LINE = re.compile(r".* x +\d+ +(copy|pad \d+) +PASS +median (\S+) ms")


def source():
    """transpose.cu with a kernel for each padding instead of `tiled`."""
    text = (FOLDER / "transpose.cu").read_text(encoding="utf-8")
    if OLD not in text:
        raise ValueError(f"transpose.cu has no `{OLD}`")
    return text.replace(OLD, "\n".join(
        f'{{"pad {pad}", transpose_tiled<{pad}>}},' for pad in PADS))


def main():
    if missing := [n for n in ("nvcc", "nvidia-smi") if not shutil.which(n)]:
        print(f"this measurement needs {' and '.join(missing)} and an NVIDIA "
              "GPU", file=sys.stderr)
        return 2
    card, ms = facts(), {}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "paddings.cu"
        file.write_text(source(), encoding="utf-8")
        program = str(file.with_suffix(""))
        ask("nvcc", "-std=c++17", "-O3", "-arch=native", str(file),
            "-o", program)
        for _ in range(RUNS):
            out = ask(program, str(SIDE), str(SIDE), str(PASSES))
            for match in filter(None, map(LINE.match, out.splitlines())):
                ms.setdefault(match[1], []).append(float(match[2]))
    tile = {f"pad {pad}": banks.layout(32 + pad)["passes per tile"]
            for pad in PADS}
    print(json.dumps(card | {"side": SIDE, "runs": RUNS, "kernels": {
        name: {"passes_per_tile": tile.get(name), "medians_ms": each,
               "median_ms": statistics.median(each)}
        for name, each in ms.items()}}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
