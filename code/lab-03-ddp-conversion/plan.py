#!/usr/bin/env python3
"""What DDP sends in a step, and how much of it backward can hide.

    python3 plan.py                 the lab's table
    python3 plan.py --launch 100    another cost to start a collective, in us
    python3 plan.py --json          the same numbers for a program

Needs no packages. All times are computed from the given ones.
"""
import argparse
import json

MIB = 2**20
WIDTH, LAYERS = 1024, 8  # as in train_ddp.py
# Gradients in the order in which backward makes them, bias before weight.
TENSORS = [4 * WIDTH, 4 * WIDTH * WIDTH] * LAYERS


def ring_bytes(size: int, ranks: int) -> int:
    """Bytes that each rank sends to all-reduce `size` bytes."""
    return 2 * (ranks - 1) * size // ranks


def fill(tensors: list[int], cap: float | None) -> list[int]:
    """Buckets of torch 2.15.0, in bytes, from the second step on."""
    limits = [cap * MIB] if cap else [1 * MIB, 25 * MIB]  # first, others
    buckets, size = [], 0
    for tensor in tensors:
        size += tensor
        if size >= limits[min(len(buckets), len(limits) - 1)]:
            buckets.append(size)
            size = 0
    return buckets + [size] * (size > 0)


# ANCHOR: overlap
def exposed_ms(buckets: list[int], backward: float, wire: float,
               launch: float) -> float:
    """Communication that is left when backward has ended."""
    ready = free = 0.0
    for size in buckets:
        share = size / sum(buckets)
        ready += backward * share
        free = max(ready, free) + launch + wire * share
    return free - backward
# ANCHOR_END: overlap


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backward", type=float, default=8, help="ms")
    parser.add_argument("--wire", type=float, default=4,
                        help="ms for the bytes of all gradients")
    parser.add_argument("--launch", type=float, default=20,
                        help="us to start one collective")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    size, layer = sum(TENSORS), sum(TENSORS) / LAYERS
    rows = []
    for name, buckets in (
            *((str(cap or "none"), fill(TENSORS, cap))
              for cap in (64, None, 25, 8, 1)), ("alone", TENSORS)):
        left = exposed_ms(buckets, args.backward, args.wire,
                          args.launch / 1000)
        rows.append({"cap": name, "buckets": buckets, "exposed_ms": left})
    if args.json:
        print(json.dumps({
            "size": size, "parameters": size // 4,
            "sent": {n: ring_bytes(size, n) for n in (1, 2, 4, 8, 64)},
            "layer_ms": args.wire / LAYERS,
            "overlap": {row["cap"]: row for row in rows}}, indent=2))
        return
    print(f"{size:,} bytes of gradients; each rank sends")
    for ranks in (1, 2, 4, 8, 64):
        print(f"{ring_bytes(size, ranks):14,} bytes on {ranks} ranks")
    print("\ncap, MiB  buckets  exposed   layers per bucket")
    for row in rows:
        layers = ", ".join(f"{n / layer:.0f}" for n in row["buckets"][:8])
        print(f"{row['cap']:8} {len(row['buckets']):8} "
              f"{row['exposed_ms']:6.2f} ms"
              + (f"   {layers}" if row["cap"] != "alone" else ""))


if __name__ == "__main__":
    main()
