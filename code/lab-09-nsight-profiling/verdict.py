#!/usr/bin/env python3
"""What to do with a profiler's numbers: three rules, no GPU needed.

    python3 verdict.py           the invented step, row by row
    python3 verdict.py --json    the same figures for a program
"""
import json
import math
import sys

# ANCHOR: invented-step
STEP_MS = 100.0  # invented, and so is every row
KERNELS = {      # launches in the step, milliseconds of all together
    "gemm": (96, 32.0),
    "elementwise": (1400, 16.8),
    "attention": (24, 9.6),
    "optimizer": (4, 8.4),
    "norm": (200, 3.2),
}
BUSY_MS = sum(ms for _, ms in KERNELS.values())
IDLE_MS = STEP_MS - BUSY_MS
# ANCHOR_END: invented-step


# ANCHOR: amdahl
def gain(part_ms: float, factor: float) -> float:
    """Speed-up of the step when one part runs `factor` times as fast."""
    return STEP_MS / (STEP_MS - part_ms + part_ms / factor)


def launch_floor_ms(launches: int, mean_us: float,
                    launch_us: float = 5.0) -> float:
    """The slower of two: the CPU that queues, the GPU that runs."""
    return launches * max(mean_us, launch_us) / 1000
# ANCHOR_END: amdahl


# ANCHOR: speed-of-light
CARDS = {  # dense BF16 TFLOP/s, HBM TB/s
    "A100": (312.0, 2.039),
    "H100": (989.4, 3.35),
    "H200": (989.4, 4.8),
    "B200": (2250.0, 8.0),
}


def attainable(flop_per_byte: float, card: str) -> float:
    """The roofline: TFLOP/s that this card can grant this kernel."""
    peak, bandwidth = CARDS[card]
    return min(peak, flop_per_byte * bandwidth)


def verdict(sm_pct: float, dram_pct: float, high: float = 60.0) -> str:
    """Which question comes next; `high` is a rule of thumb."""
    if max(sm_pct, dram_pct) < high:
        return "waiting: latency, launch size, occupancy, another cache"
    if min(sm_pct, dram_pct) >= high:
        return "balanced: close to two limits at once"
    return "memory" if dram_pct > sm_pct else "compute"
# ANCHOR_END: speed-of-light


def report() -> dict:
    return {
        "step_ms": STEP_MS, "busy_ms": BUSY_MS, "idle_ms": IDLE_MS,
        "launches": sum(n for n, _ in KERNELS.values()),
        "no_idle": gain(IDLE_MS, math.inf),
        "rows": {name: {"launches": n, "total_ms": ms,
                        "mean_us": ms / n * 1000, "twice": gain(ms, 2),
                        "free": gain(ms, math.inf)}
                 for name, (n, ms) in KERNELS.items()},
        "roofline": {card: {"ridge": peak / bandwidth,
                            "reduce": attainable(0.25, card),
                            "gemm_4096": attainable(4096 / 3, card)}
                     for card, (peak, bandwidth) in CARDS.items()},
    }


def main():
    figures = report()
    if "--json" in sys.argv[1:]:
        print(json.dumps(figures, indent=2))
        return
    print(f"{'kernel':12} launches   total     mean  x2 gains  free gains")
    for name, row in figures["rows"].items():
        print(f"{name:12} {row['launches']:8,} {row['total_ms']:6.1f}ms"
              f" {row['mean_us']:7,.0f}us {row['twice']:8.2f}x"
              f" {row['free']:10.2f}x")
    print(f"{'idle':12} {'':8} {IDLE_MS:6.1f}ms {'':9} {'':9}"
          f" {figures['no_idle']:10.2f}x")


if __name__ == "__main__":
    main()
