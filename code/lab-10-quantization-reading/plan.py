#!/usr/bin/env python3
"""Computes what each row of quantization_plan.md saves, by workload.

    python3 plan.py [--json]

Times are bytes divided by a bandwidth, or operations divided by a peak rate.
Python 3.9 or later, no packages.
"""
import argparse
import json
import math

# ANCHOR: inputs
LINEAR = 6_979_321_856    # Llama-3.1-8B: weights that A or B quantizes
LM_HEAD = 525_336_576     # stays in 16 bits
EMBEDDING = 525_336_576   # stays in 16 bits, and is only looked up
NORMS = 266_240
LAYERS, KV_HEADS, HEAD_DIM = 32, 8, 128
BANDWIDTH = 3.35e12       # H100 SXM, bytes per second
PEAK = {"bf16": 989.4e12, "fp8": 1979e12}    # FLOP per second, dense
# vLLM's share of what the driver gives, less activations
MEMORY = 0.92 * 79.1 * 2**30 - 4 * 2**30

WORKLOADS = {  # sequences, tokens in each
    "user": (1, 2048),
    "documents": (3, 131_072),
    "chats": (200, 4096),
}
BITS = {"A": 8, "B": 4 + 16 / 128, "C": 8}
# ANCHOR_END: inputs
BUDGET = 2.0              # points that a row may lose
EVIDENCE = {  # prompts, share of verdicts that change (both assumed)
    "A": (1600, 0.04), "B": (1600, 0.09), "C": (400, 0.01),
    "D": (1600, 0.04),
}
ROWS = ["", "A", "B", "C", "AD", "ACD", "BC"]  # "": nothing quantized


# ANCHOR: saving
def linear_bytes(rows: str) -> float:
    bits = next((BITS[row] for row in "AB" if row in rows), 16)
    return LINEAR * bits / 8


def token_bytes(rows: str) -> float:
    """KV cache per token: a key and a value per layer and KV head."""
    bits = BITS["C"] if "C" in rows else 16
    return 2 * LAYERS * KV_HEADS * HEAD_DIM * bits / 8


def saved_bytes(row: str, sequences: int, tokens: int) -> float:
    weights = linear_bytes("") - linear_bytes(row)
    cache = sequences * tokens * (token_bytes("") - token_bytes(row))
    return weights + cache
# ANCHOR_END: saving


def read_bytes(sequences: int, tokens: int) -> tuple:
    """Weights and KV cache that a decode step reads, unquantized."""
    weights = linear_bytes("") + 2 * (LM_HEAD + NORMS)
    return weights, sequences * tokens * token_bytes("")


# ANCHOR: time
def linear_seconds(rows: str, tokens: int) -> float:
    """The linear layers of a step with that many new tokens."""
    kind = "fp8" if "A" in rows and "D" in rows else "bf16"
    return max(linear_bytes(rows) / BANDWIDTH,
               2 * LINEAR * tokens / PEAK[kind])


def step_seconds(rows: str, sequences: int, tokens: int) -> float:
    """A decode step: one new token per sequence."""
    head = max(2 * (LM_HEAD + NORMS) / BANDWIDTH,
               2 * LM_HEAD * sequences / PEAK["bf16"])
    cache = sequences * tokens * token_bytes(rows) / BANDWIDTH
    return linear_seconds(rows, sequences) + head + cache
# ANCHOR_END: time


def held(rows: str, tokens: int) -> int:
    """Sequences whose cache fits, in blocks of 16 tokens."""
    resident = linear_bytes(rows) + 2 * (LM_HEAD + EMBEDDING + NORMS)
    blocks = (MEMORY - resident) // (16 * token_bytes(rows))
    return int(blocks // math.ceil(tokens / 16))


def even(row: str) -> float:
    """Tokens in flight at which C saves as much as that row."""
    return saved_bytes(row, 1, 1) / (token_bytes("") - token_bytes("C"))


# ANCHOR: noise
def noise(prompts: int, flips: float) -> float:
    """Standard error of the loss, in points, over the same prompts."""
    return 100 * math.sqrt(flips / prompts)


def acceptable(prompts: int, flips: float) -> float:
    """The largest loss that leaves a margin of two standard errors."""
    return BUDGET - 2 * noise(prompts, flips)
# ANCHOR_END: noise


def results() -> dict:
    reads = {name: dict(zip(("weights", "cache"), read_bytes(*load)))
             for name, load in WORKLOADS.items()}
    saved = {row: {name: saved_bytes(row, *load)
                   for name, load in WORKLOADS.items()} for row in "ABCD"}
    plans = {}
    for rows in ROWS:
        fits = held(rows, WORKLOADS["chats"][1])
        plans[rows or "none"] = {
            "ms": {name: step_seconds(rows, *load) * 1e3
                   for name, load in WORKLOADS.items()},
            "held": fits, "fits": fits >= WORKLOADS["chats"][0],
            "prompt_ms": linear_seconds(rows, 1024) * 1e3}
    free = MEMORY - linear_bytes("") - 2 * (LM_HEAD + EMBEDDING + NORMS)
    return {"reads": reads, "saved": saved, "plans": plans, "free": free,
            "even": {row: even(row) for row in "AB"},
            "token": token_bytes(""), "linear": LINEAR, "budget": BUDGET,
            "evidence": {row: {"prompts": case[0], "flips": case[1],
                               "noise": noise(*case),
                               "accept": acceptable(*case)}
                         for row, case in EVIDENCE.items()}}


def show(data: dict) -> None:
    print("decode step reads   weights GB   cache GB   cache share")
    for name, read in data["reads"].items():
        share = read["cache"] / (read["weights"] + read["cache"])
        print(f"{name:18} {read['weights'] / 1e9:11.2f} "
              f"{read['cache'] / 1e9:10.2f} {share:12.0%}")
    print("\nsaved memory, GB          user  documents      chats")
    for row, label in [("A", "weights, FP8"), ("B", "weights, 4 bits"),
                       ("C", "KV cache, FP8"), ("D", "activations, FP8")]:
        print(f"{row} {label:16}" + "".join(
            f"{x / 1e9:11.2f}" for x in data["saved"][row].values()))
    print(f"C saves as much as A at {data['even']['A']:,.0f} tokens in flight,"
          f" as B at {data['even']['B']:,.0f}")
    print("\nleast ms per decode step                         chats    prompt")
    print("rows           user  documents      chats     that fit     of 1k")
    for rows, plan in data["plans"].items():
        ms = plan["ms"]
        chats = f"{ms['chats']:.2f}" if plan["fits"] else "-"
        print(f"{rows:9} {ms['user']:9.2f} {ms['documents']:10.2f} "
              f"{chats:>10} {plan['held']:12} {plan['prompt_ms']:9.2f}")
    print("\nassumed    prompts   flips   noise   accept a loss up to")
    for row, case in data["evidence"].items():
        print(f"{row:8} {case['prompts']:9,} {case['flips']:7.0%} "
              f"{case['noise']:7.2f} {case['accept']:14.2f} points")


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
