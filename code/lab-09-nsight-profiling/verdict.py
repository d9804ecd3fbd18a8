#!/usr/bin/env python3
"""What to do next: reads a profiler's report and applies two rules.

    python3 verdict.py h200-step-8-rows.csv
    python3 verdict.py h200-shuffle.csv h200-sequential.csv h200-tiled.csv
    python3 verdict.py reports/timeline_cuda_gpu_kern_sum.csv --step-ms 87

Needs no packages. Reads CSV reports of nsys stats (cuda_gpu_kern_sum), or
of large_step.py with the same columns, and of ncu (--page details).
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
L1, L2 = "L1/TEX Cache Throughput", "L2 Cache Throughput"  # of SpeedOfLight
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


def rows(path):
    """Rows of a CSV report; ncu may print other lines before the header."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.count(",") > 2]
    return list(csv.DictReader(lines))


def number(text):
    return float(text.replace(",", ""))


def clock(text):
    """Milliseconds per step, as step.py or large_step.py prints them."""
    found = re.search(r'([\d.]+) ms per step|"clock_ms": ([\d.]+)', text)
    if not found:
        raise ValueError("no line like `87.00 ms per step`")
    return float(found[1] or found[2])


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


def brief(table, most=7):
    """The first rows and idle; what is left out is less than any of them."""
    return table if len(table) <= most else table[:most - 1] + table[-1:]


# ANCHOR: tree
HIGH, NEAR = 60.0, 80.0  # percent of a peak; ncu warns at the same ones
ADVICE = {
    "long_scoreboard": "waits for L2 or HBM: more loads in flight",
    "short_scoreboard": "waits for shared memory or a special function",
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
        more = "" if dram >= NEAR else "; also more loads in flight"
        return "memory-bound", f"move fewer bytes: fuse, narrower types{more}"
    if sm >= HIGH:
        return "compute-bound", "fewer operations on its busiest unit"
    if counters.get(L2, 0) >= HIGH:
        return "at L2's limit", "fewer sectors per request: coalesce"
    if counters.get(L1, 0) >= HIGH:
        passes = counters.get(PASSES, 0)  # of loads from shared memory
        return "at the limit of L1 and shared memory", (
            f"{counters.get(CONFLICTS, 0) / passes:.0%} of the loads' passes "
            "are bank conflicts" if passes else "fewer sectors: coalesce")
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
    parser.add_argument("--step-ms", type=float)
    parser.add_argument("--clock", type=pathlib.Path, metavar="FILE",
                        help="what printed the milliseconds per step; by "
                        "default next to the report, as .json")
    parser.add_argument("--steps", type=int, default=3, help="in the window")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {}
    for path in args.reports:
        report = rows(path)
        if "Instances" in report[0]:
            beside = pathlib.Path(path).with_suffix(".json")
            try:
                found["step_ms"] = args.step_ms or clock(
                    (args.clock or beside).read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                parser.error(f"--clock: {error}")
            found["kernels"] = kernel_table(
                report, found["step_ms"], args.steps)
        else:
            counters = {row["Metric Name"]: number(row["Metric Value"])
                        for row in report if row["Metric Value"]}
            limit, advice = decide(counters)
            found.setdefault("counters", []).append({
                "kernel": re.match(r"(?:void )?([^(]+)",
                                   report[0]["Kernel Name"])[1],
                "limit": limit, "advice": advice, "metrics": counters})
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for row in brief(found.get("kernels", [])):
        many = (f"{row['launches']:5.0f} x {row['mean_us']:6.1f} us"
                if "launches" in row else " " * 17)
        print(f"{row['name'].removeprefix('aten::'):18} {many} "
              f"{row['total_ms']:6.1f} ms   twice as fast {row['twice']:.2f}x"
              f"   free {row['free']:.2f}x")
    for each in found.get("counters", []):
        print(f"{each['kernel']}: {each['limit']}\n    {each['advice']}")


if __name__ == "__main__":
    main()
