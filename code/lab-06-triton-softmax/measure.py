#!/usr/bin/env python3
"""Times four ways to compute a softmax, and a copy. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU
    python3 measure.py --device cpu    tiny: only tests this script

A copy moves what the fused kernel must move, one read and one write per
element. Its time is the floor that this card reaches in practice.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time

if any("cpu" in word for word in sys.argv):
    os.environ["TRITON_INTERPRET"] = "1"  # has to be set before the import
import triton_softmax as lab

SHAPES = {"cuda": [(4096, 4096), (1823, 781), (65536, 512)],
          "cpu": [(8, 16)]}
WARMUP, REPEATS = 10, 100


def facts(device):
    """What somebody needs who compares this with another measurement."""
    found = {"date": datetime.date.today().isoformat(),
             "python": platform.python_version(),
             "torch": lab.torch.__version__, "triton": lab.triton.__version__}
    if device == "cpu":
        return found | {"device": "CPU, a test of the script"}
    smi = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True, text=True, check=True)
    card = lab.torch.cuda.get_device_properties(0)
    return found | {"device": card.name, "l2_bytes": card.L2_cache_size,
                    "driver": smi.stdout.split()[0],
                    "cuda": lab.torch.version.cuda}


def times(way, device):
    """Milliseconds of each call, by the GPU's own clock.

    Before each call, a buffer of four times L2 is filled with zeros. That
    removes the input from the cache, and it gives the CPU time to queue the
    launches, so that five short kernels follow each other without a gap."""
    for _ in range(WARMUP):  # compiles at the first call
        way()
    if device == "cpu":
        marks = [time.perf_counter()]
        for _ in range(REPEATS):
            way()
            marks.append(time.perf_counter())
        return [1e3 * (b - a) for a, b in zip(marks, marks[1:])]
    cuda = lab.torch.cuda
    other = lab.torch.empty(4 * cuda.get_device_properties(0).L2_cache_size,
                            dtype=lab.torch.uint8, device="cuda")
    pairs = [[cuda.Event(enable_timing=True) for _ in range(2)]
             for _ in range(REPEATS)]
    for start, stop in pairs:
        other.zero_()
        start.record()
        way()
        stop.record()
    cuda.synchronize()
    return [start.elapsed_time(stop) for start, stop in pairs]


def summary(ms):
    low, median, high = statistics.quantiles(ms, n=4)
    return {"median_ms": median, "quartiles_ms": [low, high],
            "repeats": len(ms)}


def ways_of(x, device):
    y = lab.torch.empty_like(x)
    ways = {"copy": lambda: y.copy_(x),
            "five operators": lambda: lab.softmax_eager(x),
            "torch.softmax": lambda: lab.torch.softmax(x, dim=1),
            "this kernel": lambda: lab.softmax_fused(x, y)}
    if device == "cuda":
        compiled = lab.torch.compile(lab.softmax_eager, dynamic=False)
        ways["torch.compile"] = lambda: compiled(x)
    return ways


def shape(rows, cols, device):
    found = {}
    x = lab.torch.randn(rows, cols, device=device)
    for name, way in ways_of(x, device).items():
        entry = found[name] = summary(times(way, device))
        plan = lab.EAGER if name == "five operators" else lab.FUSED
        entry["least_gbyte_per_s"] = (sum(lab.moved(plan, rows, cols, 4))
                                      / entry["median_ms"] / 1e6)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SHAPES, default="cuda")
    device = parser.parse_args().device
    if not lab.triton:
        print("this measurement needs PyTorch and Triton: "
              "`pip install torch==2.15.0 triton==3.9.0`", file=sys.stderr)
        return 2
    if device == "cuda" and not lab.torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    print(json.dumps(facts(device) | {"shapes": {
        f"{rows} x {cols}": shape(rows, cols, device)
        for rows, cols in SHAPES[device]}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
