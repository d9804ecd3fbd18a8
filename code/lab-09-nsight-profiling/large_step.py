#!/usr/bin/env python3
"""The step of lab 02, enlarged, as it runs in a loop: its clock, and which
operator's kernels fill it. Prints JSON.

    python3 large_step.py --rows 8 --kernels kernels.csv
    python3 large_step.py --rows 1 --kernels kernels.csv

The loop makes each batch, copies it to the GPU and logs the loss, so it
waits in every step; with --ready it does none of that. --kernels writes a
table with the columns of `nsys stats`, by operator and over three steps,
which verdict.py reads. Needs an NVIDIA GPU; --device cpu only tests this
script.
"""
import argparse
import csv
import json
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent
                    / "lab-02-single-gpu-training"))
try:
    import torch

    import step as window
    import train_single_gpu as lab
    from measure import facts
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

REPEATS = 20
SIZES = {  # width, blocks, heads, tokens per sequence
    "cuda": {"D": 1024, "L": 12, "H": 16, "CTX": 1024},
    "cpu": {"D": 32, "L": 1, "H": 2, "CTX": 16},
}
ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
COLUMNS = ["Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Name"]


def loop(device, rows, dtype, ready):
    """A step that waits twice, for its batch and for its loss, or never."""
    model, opt, cast, scaler = lab.start(device=device, dtype=dtype)
    batch, count = lab.random_batch(device, rows, lab.CTX), 0

    def never_waits():
        lab.train_step(model, opt, batch, cast, scaler)

    def step():
        nonlocal count
        count += 1
        cut = lab.text(rows * lab.CTX + 1, count)
        batch = [t.view(rows, lab.CTX).to(device) for t in (cut[:-1], cut[1:])]
        float(lab.train_step(model, opt, batch, cast, scaler))
    return never_waits if ready else step


def clock(step, device, each):
    """Milliseconds per step, of REPEATS turns with `each` steps."""
    ms = []
    for turn in range(1 + REPEATS):  # the first turn warms up
        begin = time.perf_counter()
        for _ in range(each if turn else window.WARMUP):
            step()
        if device == "cuda":
            torch.cuda.synchronize()
        ms.append(1e3 * (time.perf_counter() - begin) / each)
    return ms[1:]


def by_operator(events):
    """Launches and nanoseconds of the kernels, by the operator that
    launched them: both have the same External id."""
    operators = {e["args"].get("External id"): e["name"] for e in events
                 if e.get("cat") == "cpu_op"}
    found = {}
    for event in events:
        if event.get("cat") in ON_GPU:
            name = operators.get(event["args"].get("External id"), "other")
            entry = found.setdefault(name, [0, 0.0])
            entry[0] += 1
            entry[1] += 1e3 * event["dur"]
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))


def write_table(file, found):
    whole = sum(ns for _, ns in found.values())
    with open(file, "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(COLUMNS)
        for name, (count, ns) in found.items():
            table.writerow([f"{100 * ns / whole:.1f}", round(ns), count,
                            f"{ns / count:.1f}", name])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SIZES, default="cuda")
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--kernels", metavar="FILE")
    parser.add_argument("--ready", action="store_true")
    args = parser.parse_args()
    if args.device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    vars(lab).update(SIZES[args.device])
    step = loop(args.device, args.rows, args.dtype, args.ready)
    low, median, high = statistics.quantiles(
        clock(step, args.device, 5 if args.ready else 1), n=4)
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        window.operator_window(step, trace=str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    found = by_operator(events)
    if args.kernels and found:
        write_table(args.kernels, found)
    print(json.dumps(facts(args.device) | {
        "rows": args.rows, "dtype": args.dtype, "ready": args.ready,
        "sizes": SIZES[args.device],
        "clock_ms": median, "quartiles_ms": [low, high], "repeats": REPEATS,
        "launches": sum(n for n, _ in found.values()) / window.WINDOW,
        "kernels_ms": sum(ns for _, ns in found.values())
        / 1e6 / window.WINDOW}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
