#!/usr/bin/env python3
"""What one of n ranks keeps, sends and holds at its peak under ZeRO.

    python3 zero_memory_accounting.py --model llama-3-8b --world 8
    python3 zero_memory_accounting.py --params 7500000000 --world 64 --json

Every number is computed; none is measured.  GB = 10^9 bytes.
"""
import argparse
import json

# ANCHOR: models
MODELS = {  # parameters: embedding, each block, last norm and output
    "llama-3-8b": [525_336_576, *32 * [218_112_000], 525_340_672],
    "llama-3-70b": [1_050_673_152, *80 * [855_654_400], 1_050_681_344],
    "llama-3.1-405b": [2_101_346_304, *126 * [3_187_703_808],
                       2_101_362_688],
    "llama-2-7b": [131_072_000, *32 * [202_383_360], 131_076_096],
    "gpt-3": [642_723_840, *96 * [1_812_099_072], 24_576],
}
# ANCHOR_END: models

# ANCHOR: state
STATE = {  # bytes per parameter, and the first stage that shards them
    "optimizer": (12, 1),  # fp32 master and two fp32 moments
    "gradients": (2, 2),
    "weights": (2, 3),
}
STAGES = {"ddp": 0, "zero-1": 1, "zero-2": 2, "zero-3": 3}
# ANCHOR_END: state


# ANCHOR: stages
def per_rank(psi: int, n: int, stage: int) -> dict[str, int]:
    """Bytes of state that the largest of n ranks keeps."""
    shard = -(-psi // n)  # rounded up
    return {part: size * (shard if stage >= first else psi)
            for part, (size, first) in STATE.items()}
# ANCHOR_END: stages


# ANCHOR: step
def step(stage: int, groups: int, micro_batches: int = 1):
    """The (action, group) pairs of one rank's step, in order."""
    for micro in range(1, micro_batches + 1):
        for g in range(groups):
            if stage == 3:
                yield "all-gather", g
            yield "forward", g
        for g in reversed(range(groups)):
            if stage == 3:  # freed after forward
                yield "all-gather", g
            yield "backward", g
            if stage >= 2:  # no memory for a whole gradient
                yield "reduce-scatter", g
            elif micro == micro_batches:
                yield "reduce-scatter" if stage else "all-reduce", g
    for g in range(groups):
        yield "update", g
        if stage in (1, 2):  # each rank has updated its shard only
            yield "all-gather", g
# ANCHOR_END: step


# ANCHOR: traffic
PASSES = {"all-gather": 1, "reduce-scatter": 1, "all-reduce": 2}


def bytes_sent(groups: list[int], n: int, stage: int,
               micro_batches: int = 1, grad_width: int = 2) -> int:
    """Bytes that one rank sends per step in a ring of n."""
    total = 0
    for action, g in step(stage, len(groups), micro_batches):
        width = 2 if action == "all-gather" else grad_width
        total += PASSES.get(action, 0) * width * groups[g]
    return total * (n - 1) // n
# ANCHOR_END: traffic


def smallest_world(psi: int, stage: int, budget: int) -> int | None:
    """Fewest ranks whose state fits the budget; None: never."""
    divided = sum(p for p, first in STATE.values() if stage >= first)
    kept = sum(p for p, first in STATE.values() if stage < first)
    room = budget - kept * psi
    if not divided:
        return 1 if room >= 0 else None
    shard = room // divided
    return -(-psi // shard) if shard > 0 else None


# ANCHOR: gathered-block
def whole(units: list[int], psi: int) -> dict[str, int]:
    """Bytes that are gathered at most at one moment under ZeRO-3."""
    root = psi - sum(units)  # parameters outside the units
    pairs = [a + b for a, b in zip(units, [*units[1:], 0])]
    return {"weights": 2 * (root + max(pairs, default=0)),
            "gradients": 2 * (root + max(units, default=0))}


def wrappings(groups: list[int]) -> dict[str, list[int]]:
    """Which groups get a `fully_shard` call before the root's."""
    return {"root": [], "blocks": groups[1:-1], "all": groups}
# ANCHOR_END: gathered-block


# ANCHOR: activations
KEPT = {  # blocks x hidden size; bytes of lab 01's sum, in two parts
    "llama-3-8b": (32 * 4096, 8, 26),  # inputs of norms, QKV, MLP: 8
    "llama-3-70b": (80 * 8192, 8, 25.5),
    "llama-3.1-405b": (126 * 16384, 8, 23.75),
    "llama-2-7b": (32 * 4096, 8, 24.125),
    "gpt-3": (96 * 12288, 10, 24),
}


def activation_bytes(model: str, tokens: int,
                     tp: int = 1, sp: bool = False) -> int:
    """What a rank keeps for backward, without attention weights."""
    units, copied, split = KEPT[model]
    return int(tokens * units * (copied / (tp if sp else 1) + split / tp))
# ANCHOR_END: activations


LINKS = {"nvlink": 450e9, "nic": 50e9}  # bytes/s, one direction


def report(groups: list[int], n: int, micro_batches: int,
           grad_width: int, budget: int, activations: int = 0) -> dict:
    psi = sum(groups)
    result = {"params": psi, "groups": len(groups), "embedding": groups[0],
              "block": max(groups[1:-1], default=0), "output": groups[-1],
              "world": n, "micro_batches": micro_batches,
              "grad_width": grad_width, "budget": budget,
              "activations": activations,
              "links": LINKS, "stages": {}}
    for name, stage in STAGES.items():
        state = per_rank(psi, n, stage)
        sent = bytes_sent(groups, n, stage, micro_batches, grad_width)
        result["stages"][name] = {
            **state, "total": sum(state.values()), "sent": sent,
            "seconds": {link: sent / rate for link, rate in LINKS.items()},
            "smallest_world": smallest_world(psi, stage, budget),
        }
    sharded = result["stages"]["zero-3"]["total"]
    result["wrappings"] = {}
    for name, units in wrappings(groups).items():
        extra = whole(units, psi)
        result["wrappings"][name] = {
            **extra, "peak": sharded + sum(extra.values()) + activations}
    return result


def print_table(entry: dict, budget: int) -> None:
    print(f"{entry['params']:,} parameters, {entry['world']} ranks, "
          f"micro-batches per step: {entry['micro_batches']}")
    print(f"{'GB per rank':11}{'optim.':>8}{'grads':>8}{'weights':>8}"
          f"{'state':>8}{'sent':>8}   ranks for {budget / 1e9:g} GB")
    for name, row in entry["stages"].items():
        sizes = (*(row[part] for part in STATE), row["total"], row["sent"])
        print(f"{name:11}" + "".join(f"{s / 1e9:8.2f}" for s in sizes)
              + f"{row['smallest_world'] or 'never':>8}")
    print(f"\nzero-3 at its peak, with {entry['activations'] / 1e9:.2f} GB "
          "of activations, by what is wrapped")
    for name, row in entry["wrappings"].items():
        print(f"{name:8}" + "".join(f"{part:>11} {size / 1e9:6.2f}"
                                    for part, size in row.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="llama-3-8b", choices=MODELS)
    parser.add_argument("--params", type=int, help="a model of one group")
    parser.add_argument("--world", type=int, default=8)
    parser.add_argument("--micro-batches", type=int, default=1)
    parser.add_argument("--grad-width", type=int, default=2,
                        help="bytes per gradient value on the wire")
    parser.add_argument("--tokens", type=int, default=8192,
                        help="tokens per rank and micro-batch")
    parser.add_argument("--tp", type=int, default=1,
                        help="tensor parallelism, for activations only")
    parser.add_argument("--sp", action="store_true",
                        help="sequence parallelism in addition to --tp")
    parser.add_argument("--budget", type=float, default=64,
                        help="GB of state that a card has room for")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    groups = [args.params] if args.params else MODELS[args.model]
    budget = int(args.budget * 1e9)
    activations = 0 if args.params else activation_bytes(
        args.model, args.tokens, args.tp, args.sp)
    entry = report(groups, args.world, args.micro_batches,
                   args.grad_width, budget, activations)
    if args.json:
        print(json.dumps(entry, indent=2))
    else:
        print_table(entry, budget)


if __name__ == "__main__":
    main()
