#!/usr/bin/env python3
"""Rounds the same random values to several formats and measures the error.

    python3 rounding_error.py [--outlier 600] [--seed 1] [--json]
    python3 rounding_error.py --example      eight values, step by step

Python 3.9 or later, no packages.
"""
import argparse
import json
import math
import random

ROWS, COLUMNS, OUTLIER_COLUMN = 32, 1024, 7
EXAMPLE = [0.24, -0.58, 1.40, -0.13, 0.66, -1.12, 0.37, 0.85]


# ANCHOR: grids
def to_int(x: float, bits: int) -> float:
    """Rounds to a whole number: the step is 1 everywhere."""
    largest = 2 ** (bits - 1) - 1
    return max(-largest, min(largest, round(x)))


def to_float(x: float, mantissa: int, lowest: int, largest: float) -> float:
    """Rounds to a small float: the step doubles with each power of two."""
    exponent = max(math.frexp(x)[1] - 1, lowest)
    step = 2.0 ** (exponent - mantissa)
    return max(-largest, min(largest, round(x / step) * step))


GRIDS = {  # name: (largest code, rounding)
    "INT8": (127, lambda x: to_int(x, 8)),
    "INT4": (7, lambda x: to_int(x, 4)),
    "E4M3": (448, lambda x: to_float(x, 3, -6, 448)),
    "E2M1": (6, lambda x: to_float(x, 1, 0, 6)),
}
# ANCHOR_END: grids


def exact(peak: float, top: float, tensor: float) -> float:
    """The group's largest value becomes the largest code."""
    return peak / top


def power_of_two(peak: float, top: float, tensor: float) -> float:
    """MXFP4: the scale is a power of two, which takes 8 bits."""
    return 2.0 ** (math.frexp(peak)[1] - math.frexp(top)[1])


def in_e4m3(peak: float, top: float, tensor: float) -> float:
    """NVFP4: the scale is an E4M3 number times one float per tensor."""
    unit = tensor / top / 448
    return GRIDS["E4M3"][1](peak / top / unit) * unit


FORMATS = [  # grid, values per scale, kind of scale
    ("INT8", ROWS * COLUMNS, exact),
    ("INT8", COLUMNS, exact),
    ("INT8", 128, exact),
    ("E4M3", COLUMNS, exact),
    ("INT4", COLUMNS, exact),
    ("INT4", 128, exact),
    ("INT4", 32, exact),
    ("E2M1", 32, power_of_two),
    ("E2M1", 16, in_e4m3),
]


# ANCHOR: quantize
def quantize(values: list, grid: str, group: int, scale_of) -> list:
    """Rounds every value; `group` neighbors in a row share one scale."""
    top, encode = GRIDS[grid]
    tensor = max(map(abs, values))
    out = []
    for start in range(0, len(values), group):
        run = values[start:start + group]
        scale = scale_of(max(map(abs, run)), top, tensor)
        out += [encode(x / scale) * scale for x in run]
    return out
# ANCHOR_END: quantize


def loss(values: list, rounded: list) -> dict:
    """Relative RMS error and share of zeros, without the outlier column."""
    quiet = [i for i in range(len(values)) if i % COLUMNS != OUTLIER_COLUMN]
    wrong = sum((values[i] - rounded[i]) ** 2 for i in quiet)
    total = sum(values[i] ** 2 for i in quiet)
    zeros = sum(rounded[i] == 0 for i in quiet)
    return {"error": math.sqrt(wrong / total), "zeros": zeros / len(quiet)}


def matrices(size: float, seed: int) -> dict:
    """Normal values, and the same values with one column of +-size."""
    draw = random.Random(seed)
    plain = [draw.gauss(0, 1) for _ in range(ROWS * COLUMNS)]
    outlier = [math.copysign(size, x) if i % COLUMNS == OUTLIER_COLUMN else x
               for i, x in enumerate(plain)]
    return {"plain": plain, "outlier": outlier}


def measure(size: float, seed: int) -> list:
    cases = matrices(size, seed)
    return [{"grid": grid, "group": group, "scale": scale_of.__name__,
             **{name: loss(values, quantize(values, grid, group, scale_of))
                for name, values in cases.items()}}
            for grid, group, scale_of in FORMATS]


def show_example() -> None:
    for title, values in [("no outlier", EXAMPLE),
                          ("one outlier", EXAMPLE[:-1] + [14.0])]:
        step = exact(max(map(abs, values)), 7, 0)
        codes = [to_int(x / step, 4) for x in values]
        print(f"{title}: step = largest / 7 = {step:.2f}")
        for label, row in [("value  ", [f"{x:.2f}" for x in values]),
                           ("code   ", [str(c) for c in codes]),
                           ("restored", [f"{c * step:.2f}" for c in codes])]:
            print(f"  {label:9}" + "".join(f"{cell:>7}" for cell in row))


def show(results: list) -> None:
    print("                                 plain  with an outlier column")
    print("grid  values per scale  scale    error    error    zeros")
    names = {"exact": "exact", "power_of_two": "2^n", "in_e4m3": "E4M3"}
    for r in results:
        print(f"{r['grid']}  {r['group']:16,}  {names[r['scale']]:6}"
              f"{r['plain']['error']:8.2%} {r['outlier']['error']:8.2%} "
              f"{r['outlier']['zeros']:8.2%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outlier", type=float, default=60.0,
                        help="magnitude of the outliers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--example", action="store_true")
    parser.add_argument("--json", action="store_true", help="unrounded")
    options = parser.parse_args()
    if options.example:
        show_example()
        return
    results = measure(options.outlier, options.seed)
    if options.json:
        data = {"outlier": options.outlier, "formats": results}
        print(json.dumps(data, indent=2))
    else:
        show(results)


if __name__ == "__main__":
    main()
