#!/usr/bin/env python3
"""What is lost when values are rounded, format by format.

Two matrices of 32 x 1024 normal values: `plain`, and `outlier`, the same with
a column 7 of +60 and -60. Python 3.9 or later, no packages.
"""
import argparse
import json
import math
import random

ROWS, COLUMNS, LOUD = 32, 1024, 7


# ANCHOR: grids
def to_int(x: float, bits: int) -> float:
    """The nearest whole number that fits: one step everywhere."""
    largest = 2 ** (bits - 1) - 1
    return max(-largest, min(largest, round(x)))


def to_float(x: float, mantissa: int, lowest: int, largest: float) -> float:
    """The nearest minifloat: the step doubles with the exponent."""
    exponent = max(math.frexp(x)[1] - 1, lowest)
    step = 2.0 ** (exponent - mantissa)
    return max(-largest, min(largest, round(x / step) * step))


GRIDS = {  # name: largest code, rounding
    "INT8": (127, lambda x: to_int(x, 8)),
    "INT4": (7, lambda x: to_int(x, 4)),
    "E4M3": (448, lambda x: to_float(x, 3, -6, 448)),
    "E2M1": (6, lambda x: to_float(x, 1, 0, 6)),
}
# ANCHOR_END: grids


# ANCHOR: scales
def exact(peak: float, top: float, tensor: float) -> float:
    """The group's largest value meets the largest code."""
    return peak / top


def power_of_two(peak: float, top: float, tensor: float) -> float:
    """MX: eight bits of exponent, no mantissa, so peaks may be cut."""
    return 2.0 ** (math.frexp(peak)[1] - math.frexp(top)[1])


def in_e4m3(peak: float, top: float, tensor: float) -> float:
    """NVFP4: the scale is itself a rounded FP8 number."""
    unit = tensor / top / 448  # one FP32 number a tensor
    return GRIDS["E4M3"][1](peak / top / unit) * unit
# ANCHOR_END: scales


FORMATS = [  # grid, values that share a scale, kind of scale
    ("INT8", ROWS * COLUMNS, exact),
    ("INT8", COLUMNS, exact),
    ("INT8", 128, exact),
    ("E4M3", COLUMNS, exact),
    ("INT4", ROWS * COLUMNS, exact),
    ("INT4", COLUMNS, exact),
    ("INT4", 128, exact),
    ("INT4", 32, exact),
    ("E2M1", 32, power_of_two),
    ("E2M1", 16, in_e4m3),
]


# ANCHOR: quantize
def quantize(values: list, grid: str, group: int, scale_of) -> list:
    """Round every value; each run of `group` neighbours shares a scale."""
    top, encode = GRIDS[grid]
    tensor = max(map(abs, values))
    out = []
    for start in range(0, len(values), group):
        run = values[start:start + group]
        scale = scale_of(max(map(abs, run)), top, tensor)
        out += [encode(x / scale) * scale for x in run]
    return out


def loss(values: list, rounded: list) -> dict:
    """Relative RMS error, and the share of zeros; column 7 left out."""
    quiet = [i for i in range(len(values)) if i % COLUMNS != LOUD]
    wrong = sum((values[i] - rounded[i]) ** 2 for i in quiet)
    total = sum(values[i] ** 2 for i in quiet)
    zeros = sum(rounded[i] == 0 for i in quiet)
    return {"error": math.sqrt(wrong / total), "zeros": zeros / len(quiet)}
# ANCHOR_END: quantize


def matrices(loud: float, seed: int) -> dict:
    """The same values twice; the second with one column drowned out."""
    draw = random.Random(seed)
    plain = [draw.gauss(0, 1) for _ in range(ROWS * COLUMNS)]
    outlier = [math.copysign(loud, x) if i % COLUMNS == LOUD else x
               for i, x in enumerate(plain)]
    return {"plain": plain, "outlier": outlier}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loud", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = []
    cases = matrices(options.loud, options.seed)
    for grid, group, scale_of in FORMATS:
        row = {"grid": grid, "group": group, "scale": scale_of.__name__}
        for name, values in cases.items():
            row[name] = loss(values, quantize(values, grid, group, scale_of))
        results.append(row)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print("grid  values a scale  scale           plain   outlier    zeros")
    for r in results:
        print(f"{r['grid']}  {r['group']:14,}  {r['scale']:12}  "
              f"{r['plain']['error']:7.2%}  {r['outlier']['error']:7.2%}  "
              f"{r['outlier']['zeros']:7.2%}")


if __name__ == "__main__":
    main()
