#!/usr/bin/env python3
"""What to do next: reads a profiler's report and applies two rules.

    python3 verdict.py example-kernels.csv example-counters.csv
    python3 verdict.py reports/timeline_cuda_gpu_kern_sum.csv --step-ms 87
    python3 verdict.py reports/counters.csv

Needs no packages. The two examples are invented; reports of nsys stats
(cuda_gpu_kern_sum) and ncu (--page details) in CSV have the same columns.
"""
import argparse
import csv
import json
import math
import pathlib
import re

STALL = re.compile(
    r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
WARPS = "sm__warps_active.avg.pct_of_peak_sustained_active"


def rows(path):
    """Rows of a CSV report; ncu may print other lines before the header."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.count(",") > 2]
    return list(csv.DictReader(lines))


def number(text):
    return float(text.replace(",", ""))


def clock(text):
    """Milliseconds per step, from the line that step.py prints."""
    found = re.search(r"([\d.]+) ms per step", text)
    if not found:
        raise ValueError("no line like `87.00 ms per step`")
    return float(found[1])


# ANCHOR: gain
def gain(step_ms, part_ms, factor):
    """Amdahl's law: speedup of the step if one part runs faster."""
    return step_ms / (step_ms - part_ms + part_ms / factor)


def kernel_table(report, step_ms, steps):
    """Kernels by total time, and what the step would gain from each."""
    table = []
    for row in report:
        launches = number(row["Instances"]) / steps
        total = number(row["Total Time (ns)"]) / 1e6 / steps
        table.append({"name": row["Name"], "launches": launches,
                      "total_ms": total, "mean_us": total / launches * 1e3})
    table.sort(key=lambda row: -row["total_ms"])
    idle = step_ms - sum(row["total_ms"] for row in table)
    table.append({"name": "idle", "total_ms": idle})
    for row in table:
        row["twice"] = gain(step_ms, row["total_ms"], 2)
        row["free"] = gain(step_ms, row["total_ms"], math.inf)
    return table
# ANCHOR_END: gain


# ANCHOR: tree
HIGH = 60.0  # percent of a peak; a rule of thumb
ADVICE = {
    "long_scoreboard": "waits for L2 or HBM: more loads in flight",
    "short_scoreboard": "waits for shared memory: bank conflicts?",
    "barrier": "waits at __syncthreads: less work between barriers",
    "lg_throttle": "queue of loads is full: fewer, wider loads",
    "mio_throttle": "queue of shared memory and shuffles is full: fewer",
    "math_pipe_throttle": "an arithmetic unit is busy: fewer operations",
    "wait": "waits for its own last instruction: more warps",
}


def decide(counters):
    """Which limit a kernel is at, and what to look at next."""
    sm, dram = counters[SM], counters[DRAM]
    if min(sm, dram) >= HIGH:
        return "balanced", "close to two limits: do less of both"
    if dram >= HIGH:
        return "memory-bound", "move fewer bytes: fuse, narrower types"
    if sm >= HIGH:
        return "compute-bound", "fewer operations, or tensor cores"
    stalls = {found[1]: value for name, value in counters.items()
              if (found := STALL.fullmatch(name)) and found[1] != "selected"}
    few = "; occupancy is low" if counters.get(WARPS, 100) < HIGH else ""
    if not stalls:
        return "waiting", f"no stall data{few}"
    worst = max(stalls, key=stalls.get)
    advice = ADVICE.get(worst, "see NVIDIA's list of stall reasons")
    return "waiting", f"{worst}: {advice}{few}"
# ANCHOR_END: tree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--step-ms", type=float, default=100,
                        help="by default 100, as in the invented example")
    parser.add_argument("--clock", type=pathlib.Path, metavar="FILE",
                        help="what step.py printed, instead of --step-ms")
    parser.add_argument("--steps", type=int, default=3, help="in the window")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.clock:
        try:
            args.step_ms = clock(args.clock.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            parser.error(f"--clock: {error}")
    found = {}
    for path in args.reports:
        report = rows(path)
        if "Instances" in report[0]:
            found["kernels"] = kernel_table(report, args.step_ms, args.steps)
        else:
            counters = {row["Metric Name"]: number(row["Metric Value"])
                        for row in report if row["Metric Value"]}
            limit, advice = decide(counters)
            found["counters"] = {"kernel": report[0]["Kernel Name"],
                                 "limit": limit, "advice": advice,
                                 "metrics": counters}
    if args.json:
        print(json.dumps({"step_ms": args.step_ms, **found}, indent=2))
        return
    for row in found.get("kernels", ()):
        many = (f"{row['launches']:6.0f} x {row['mean_us']:7,.0f} us"
                if "launches" in row else " " * 18)
        print(f"{row['name']:12} {many} {row['total_ms']:6.1f} ms"
              f"   twice as fast {row['twice']:.2f}x"
              f"   free {row['free']:.2f}x")
    if "counters" in found:
        each = found["counters"]
        print(f"{each['kernel']}: {each['limit']}; {each['advice']}")


if __name__ == "__main__":
    main()
