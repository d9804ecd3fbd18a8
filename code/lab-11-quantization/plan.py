#!/usr/bin/env python3
"""Computes file size and least step time of one model in several formats.

    python3 plan.py [--json]

Times are bytes divided by a bandwidth, or operations divided by a peak rate.
Python 3.9 or later, no packages.
"""
import argparse
import json

# ANCHOR: inputs
LINEAR = 6_979_321_856   # Llama-3-8B: weights of 7 matrices in 32 blocks
CHANNELS = 1_376_256     # output channels of these matrices
KEPT = 525_602_816       # LM head and norms: stay in BF16
TABLE = 525_336_576      # embedding: stays in BF16, rows are looked up
BANDWIDTH = 3.35e12      # H100 SXM, bytes per second
PEAK = {"BF16": 989.4e12, "FP8": 1979e12}  # FLOP per second, dense

FORMATS = {
    # bits per code, weights per scale, bits of scale (and zero point),
    # type of the matrix products on an H100
    "BF16": (16, 1, 0, "BF16"),
    "FP8_DYNAMIC": (8, LINEAR / CHANNELS, 16, "FP8"),
    "W4A16": (4, 128, 16, "BF16"),
    "W4A16_ASYM": (4, 128, 16 + 4, "BF16"),
    "MXFP4A16": (4, 32, 8, "BF16"),
    "NVFP4": (4, 16, 8, "BF16"),
}
# ANCHOR_END: inputs
TOKENS = [1, 64, 128, 256, 1024]


# ANCHOR: size
def bits_per_weight(name: str) -> float:
    bits, group, shared, _ = FORMATS[name]
    return bits + shared / group


def quantized_bytes(name: str) -> float:
    return LINEAR * bits_per_weight(name) / 8


def file_bytes(name: str) -> float:
    return quantized_bytes(name) + 2 * (KEPT + TABLE)


def read_bytes(name: str) -> float:
    """Bytes of weights that one decode step reads."""
    return quantized_bytes(name) + 2 * KEPT
# ANCHOR_END: size


# ANCHOR: time
def step_seconds(name: str, tokens: int) -> float:
    """Least time of the linear layers in a step of that many tokens."""
    reading = quantized_bytes(name) / BANDWIDTH
    multiplying = 2 * LINEAR * tokens / PEAK[FORMATS[name][3]]
    return max(reading, multiplying)


def balance(name: str) -> float:
    """Tokens per step at which reading takes as long as multiplying."""
    ridge = PEAK[FORMATS[name][3]] / BANDWIDTH
    return ridge * bits_per_weight(name) / 16
# ANCHOR_END: time


def crossing(few_bits: str, fast: str):
    """Tokens per step from which on the second format is faster, or None."""
    return next((n for n in range(1, 100_000)
                 if step_seconds(fast, n) < step_seconds(few_bits, n)), None)


def results() -> dict:
    formats = {name: {
        "bits": bits_per_weight(name),
        "file": file_bytes(name),
        "read": read_bytes(name),
        "balance": balance(name),
        "ms": {n: step_seconds(name, n) * 1e3 for n in TOKENS},
    } for name in FORMATS}
    return {"linear": LINEAR, "channels": CHANNELS, "kept": KEPT + TABLE,
            "table": TABLE, "bandwidth": BANDWIDTH, "peak": PEAK,
            "formats": formats, "crossing": crossing("W4A16", "FP8_DYNAMIC")}


def show(data: dict) -> None:
    print(" " * 39 + "least ms per step of n tokens")
    print("format       bits/weight file GB read GB    n=1"
          + "".join(f"{n:7,}" for n in TOKENS[1:]))
    for name, row in data["formats"].items():
        times = "".join(f"{ms:7.2f}" for ms in row["ms"].values())
        print(f"{name:12} {row['bits']:10.3f} {row['file'] / 1e9:8.2f} "
              f"{row['read'] / 1e9:7.2f}{times}")
    print(f"\nFP8_DYNAMIC is faster than W4A16 from {data['crossing']} tokens"
          " per step on" if data["crossing"] else
          "\nFP8_DYNAMIC is never faster than W4A16")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="unrounded")
    data = results()
    if parser.parse_args().json:
        print(json.dumps(data, indent=2))
    else:
        show(data)


if __name__ == "__main__":
    main()
