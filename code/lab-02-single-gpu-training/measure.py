#!/usr/bin/env python3
"""Times a training step under each lever of the lab, and asks the
allocator for its peak. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU
    python3 measure.py --device cpu    tiny: only tests this script

The model is that of train_single_gpu.py, enlarged to 151 million
parameters, because the kernels of the tiny one are too short for a GPU.
"""
import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
import time

try:
    import torch

    import plan
    import train_single_gpu as lab
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

WARMUP, REPEATS = 5, 30
LEVERS = {"none": {}, "accum 4": {"accum": 4}, "recompute":
          {"recompute": True}, "bfloat16": {"dtype": "bfloat16"}}
SIZES = {  # width, blocks, heads, tokens per sequence
    "cuda": {"D": 1024, "L": 12, "H": 16, "CTX": 1024},
    "cpu": {"D": 32, "L": 1, "H": 2, "CTX": 16},
}


def facts(device):
    """What somebody needs who compares this with another measurement."""
    found = {"date": datetime.date.today().isoformat(),
             "python": platform.python_version(), "torch": torch.__version__}
    if device == "cpu":
        return found | {"device": "CPU, a test of the script"}
    smi = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True, text=True, check=True)
    card = torch.cuda.get_device_properties(0)
    return found | {"device": card.name, "memory": card.total_memory,
                    "driver": smi.stdout.split()[0],
                    "cuda": torch.version.cuda}


def times(step, device):
    """Milliseconds of each step, by the GPU's own clock.

    The steps are queued without waiting in between, as in real training.
    A step reads and writes far more than an L2 cache holds, so nothing has
    to be cleared."""
    for _ in range(WARMUP):  # loads kernels, allocates Adam's moments
        step()
    if device == "cpu":
        marks = [time.perf_counter()]
        for _ in range(REPEATS):
            step()
            marks.append(time.perf_counter())
        return [1e3 * (b - a) for a, b in zip(marks, marks[1:])]
    events = [torch.cuda.Event(enable_timing=True)
              for _ in range(REPEATS + 1)]
    events[0].record()
    for event in events[1:]:
        step()
        event.record()
    torch.cuda.synchronize()
    return [a.elapsed_time(b) for a, b in zip(events, events[1:])]


def lever(device, accum=1, **kind):
    model, opt, cast, scaler = lab.start(device=device, **kind)
    batch = lab.random_batch(device, 8, lab.CTX)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    ms = times(lambda: lab.train_step(model, opt, batch, cast, scaler, accum),
               device)
    low, median, high = statistics.quantiles(ms, n=4)
    found = {"median_ms": median, "quartiles_ms": [low, high],
             "repeats": len(ms)}
    if device == "cuda":
        found["peak_bytes"] = torch.cuda.max_memory_allocated()
    if not kind:  # plan.py knows the peak of these two
        found["planned_peak_bytes"] = plan.peak(8, lab.CTX, 2, accum,
                                                device == "cuda")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SIZES, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    for module in (lab, plan):
        vars(module).update(SIZES[device])
    plan.TENSORS = 2 + 12 * plan.L + 2
    print(json.dumps(facts(device) | {
        "parameters": plan.parameters(), "sizes": SIZES[device],
        "levers": {name: lever(device, **options)
                   for name, options in LEVERS.items()}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
