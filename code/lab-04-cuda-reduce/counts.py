#!/usr/bin/env python3
"""Counts what five ways to sum n floats do on a GPU, without running any of them.

    python3 counts.py                       the tables of the lab
    python3 counts.py --eight               eight numbers, folded in three ways
    python3 counts.py --n 100003 --block 512 --json
"""
import argparse
import json

CARDS = {  # bytes per second of its memory
    "A100": 2.039e12, "H100": 3.35e12, "H200": 4.8e12, "B200": 7.7e12}
WARP = 32
RESIDENT = 2048  # threads that one SM holds
EIGHT = [3, 1, 4, 1, 5, 9, 2, 6]
LATENCY = 603 / 1.98e9  # seconds: latency.cu on an H200, over its clock


def interleaved(block: int) -> list[list[int]]:
    """The threads that add in each round: 0, 2, 4, … then 0, 4, 8, …"""
    strides = [2**k for k in range(block.bit_length() - 1)]
    return [[t for t in range(block) if t % (2 * s) == 0] for s in strides]


def sequential(block: int) -> list[list[int]]:
    """The first half of the threads, then the first quarter, and so on."""
    strides = [2**k for k in reversed(range(block.bit_length() - 1))]
    return [list(range(s)) for s in strides]


def active_warps(rounds: list[list[int]]) -> list[int]:
    """Warps with an active thread, in each round."""
    return [len({t // WARP for t in threads}) for threads in rounds]


def bytes_in_flight(rate: float, latency: float, sms: int) -> float:
    """Bytes that each SM must have requested, at least, to keep memory busy."""
    return rate * latency / sms


def report(n: int, block: int, sms: int, per_sm: int) -> dict:
    blocks, warps = -(-n // block), block // WARP
    grid = min(blocks, sms * per_sm)
    rounds = len(interleaved(block))
    trees = {"interleaved": active_warps(interleaved(block)),
             "sequential": active_warps(sequential(block))}
    return {
        "n": n, "block": block, "blocks": blocks, "grid": grid,
        "bytes": 4 * n,
        "active warps": trees,
        "active": {tree: sum(each) for tree, each in trees.items()},
        "kernels": {
            # atomics, barriers, adds issued per block, bytes of shared memory.
            # nvcc predicates both trees: every warp issues every round's add,
            # also a warp without an active thread
            "global atomic": [n, 0, 0, 0],
            "shared interleaved": [blocks, 1 + rounds, rounds * warps,
                                   4 * block],
            "shared sequential": [blocks, 1 + rounds, rounds * warps,
                                  4 * block],
            "warp shuffle": [grid, 1, 5 * warps + 5, 4 * warps],
            "vector loads": [grid, 1, 5 * warps + 5, 4 * warps],
        },
        "floor us": {card: 4 * n / rate * 1e6 for card, rate in CARDS.items()},
        "in flight": bytes_in_flight(CARDS["H200"], LATENCY, sms),
    }


def eight() -> None:
    """Prints the values of eight slots, or lanes, after each round."""
    def show(title, values):
        print(f"{title:20}" + "".join(f"{v:4}" for v in values))
    for name, rounds in (("interleaved", interleaved(8)),
                         ("sequential", sequential(8))):
        values = EIGHT[:]
        show(name, values)
        for k, threads in enumerate(rounds):
            stride = 2**k if name == "interleaved" else 4 >> k
            for t in threads:
                values[t] += values[t + stride]
            show(f"  stride {stride}", values)
    values = EIGHT[:]
    show("shuffle", values)
    for offset in (4, 2, 1):  # a lane with no partner adds its own value
        values = [v + values[i + offset if i + offset < 8 else i]
                  for i, v in enumerate(values)]
        show(f"  offset {offset}", values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2**24)
    parser.add_argument("--block", type=int, default=256)
    parser.add_argument("--sms", type=int, default=132)
    parser.add_argument("--per-sm", type=int, help="resident blocks per SM; "
                        "by default as many as 2,048 threads allow")
    parser.add_argument("--eight", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.eight:
        return eight()
    per_sm = args.per_sm or min(32, RESIDENT // args.block)
    found = report(args.n, args.block, args.sms, per_sm)
    if args.json:
        return print(json.dumps(found, indent=1))
    print(f"{args.n:,} floats, {args.block} threads per block\n")
    for tree, warps in found["active warps"].items():
        print(f"{tree:12} active warps per round:", *warps, "=", sum(warps))
    print(f"\n{'kernel':20}{'atomics':>12}{'barriers':>10}{'adds':>6}"
          f"{'shared':>8}")
    for name, (atomics, barriers, adds, shared) in found["kernels"].items():
        print(f"{name:20}{atomics:12,}{barriers:10}{adds:6}{shared:8,}")
    print("\nleast time: " + ", ".join(
        f"{card} {us:.1f} µs" for card, us in found["floor us"].items()))
    print(f"bytes in flight per SM, H200, at the latency of a lone load: "
          f"{found['in flight']:,.0f}")


if __name__ == "__main__":
    main()
