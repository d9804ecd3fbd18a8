#!/usr/bin/env python3
"""How much of step.py's training step the GPU is idle, from a trace.
Prints JSON.

    python3 measure.py                 on an NVIDIA GPU
    python3 measure.py --device cpu    operators instead of kernels

The clock runs without a profiler, because a profiler makes the step longer.
The kernels come from a trace of the same step afterwards. `idle_ms` is the
difference of the two. It holds for kernels that run one after another, as
those of this step do.
"""
import argparse
import datetime
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import torch
    from torch import nn

    import step as lab
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

WARMUP, REPEATS = 10, 100
SIZES = {"cuda": [(256, 64), (2048, 2048)], "cpu": [(64, 16)]}  # width, rows


def facts(device):
    """What somebody needs who compares this with another measurement."""
    found = {"date": datetime.date.today().isoformat(),
             "python": platform.python_version(), "torch": torch.__version__}
    if device == "cpu":
        return found | {"device": "CPU, a test of the script"}
    smi = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True, text=True, check=True)
    return found | {"device": torch.cuda.get_device_name(),
                    "driver": smi.stdout.split()[0],
                    "cuda": torch.version.cuda}


def clock(step, device):
    """Milliseconds of each step, waiting for the GPU after every one.

    A real loop does not wait. Here the wait is wanted: each step then
    begins with an empty queue, and the time to launch it is included."""
    ms = []
    for _ in range(WARMUP + REPEATS):
        begin = time.perf_counter()
        step()
        if device == "cuda":
            torch.cuda.synchronize()
        ms.append(1e3 * (time.perf_counter() - begin))
    return ms[WARMUP:]


def traced(step, device):
    """Duration and number of each kernel per step, longest total first."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.json"
        lab.operator_window(step, trace=str(file))
        events = json.loads(file.read_text())["traceEvents"]
    kinds = ({"kernel", "gpu_memcpy", "gpu_memset"} if device == "cuda"
             else {"cpu_op"})
    found = {}
    for event in events:
        if event.get("cat") in kinds:
            entry = found.setdefault(event["name"], {"ms": 0, "launches": 0})
            entry["ms"] += event["dur"] / 1e3
            entry["launches"] += 1
    return {name: {key: value / lab.WINDOW for key, value in entry.items()}
            for name, entry in sorted(found.items(),
                                      key=lambda item: -item[1]["ms"])}


def measure(width, rows, device):
    model = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                          nn.Linear(4 * width, width)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    x, target = torch.randn(2, rows, width, device=device)

    def step():
        lab.train_step(model, optimizer, x, target)

    ms = clock(step, device)
    low, median, high = statistics.quantiles(ms, n=4)
    kernels = traced(step, device)
    found = {"median_ms": median, "quartiles_ms": [low, high],
             "repeats": len(ms),
             "launches": sum(e["launches"] for e in kernels.values())}
    if device == "cuda":  # operators contain each other, kernels do not
        found["kernels_ms"] = sum(e["ms"] for e in kernels.values())
        found["idle_ms"] = median - found["kernels_ms"]
    return found | {"longest": dict(list(kernels.items())[:8])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SIZES, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    print(json.dumps(facts(device) | {"steps": {
        f"width {width}, {rows} rows": measure(width, rows, device)
        for width, rows in SIZES[device]}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
