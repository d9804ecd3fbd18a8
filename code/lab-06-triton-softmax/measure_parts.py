#!/usr/bin/env python3
"""Explains what measure.py found: the five operators one by one, the names
of the kernels that run, and rows of growing length. Prints JSON.

    python3 measure_parts.py                 on an NVIDIA GPU
    python3 measure_parts.py --device cpu    tiny: only tests this script
"""
import argparse
import json
import sys

import measure
from measure import lab

LONG = {"cuda": [(4096, 16384), (2048, 32768), (1024, 65536), (256, 262144)],
        "cpu": [(2, 3000)]}  # 256 MiB each: no cache holds them
FITS = 65536  # columns up to which the kernel without a loop is tried


def timed(ways, device):
    return {name: measure.summary(measure.times(way, device))
            for name, way in ways.items()}


def alone(x, device):
    """The five operators, none of which finds its input in L2."""
    m = x.amax(dim=1, keepdim=True)
    z = x - m
    e = z.exp()
    s = e.sum(dim=1, keepdim=True)
    return timed({"one element": lambda: x[:1, :1].exp(),
                  "amax": lambda: x.amax(dim=1, keepdim=True),
                  "sub": lambda: x - m, "exp": lambda: z.exp(),
                  "sum": lambda: e.sum(dim=1, keepdim=True),
                  "div": lambda: e / s}, device)


def kernels(x, device):
    """Names of what runs on the GPU, in order."""
    found = {}
    for name, way in measure.ways_of(x, device).items():
        way()  # compiles
        with lab.torch.profiler.profile() as seen:
            way()
        found[name] = [event.name[:120] for event in seen.events()
                       if event.device_type.name == "CUDA"]
    return found


def rows(x, device):
    """One length of row, with the loop and without."""
    import triton_long_rows
    y = lab.torch.empty_like(x)
    ways = {"copy": lambda: y.copy_(x),
            "torch.softmax": lambda: lab.torch.softmax(x, dim=1),
            "loop": lambda: triton_long_rows.softmax_long(x, y)}
    if x.shape[1] <= FITS:
        ways["this kernel"] = lambda: lab.softmax_fused(x, y)
    return timed(ways, device)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=LONG, default="cuda")
    device = parser.parse_args().device
    if not lab.triton:
        print("this measurement needs PyTorch and Triton: "
              "`pip install torch==2.15.0 triton==3.9.0`", file=sys.stderr)
        return 2
    if device == "cuda" and not lab.torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2

    def random(rows, cols):
        return lab.torch.randn(rows, cols, device=device)

    shapes = measure.SHAPES[device]
    print(json.dumps(measure.facts(device) | {
        "alone": alone(random(*shapes[0]), device),
        "kernels": {f"{m} x {n}": kernels(random(m, n), device)
                    for m, n in shapes[::2]},
        "rows": {f"{m} x {n}": rows(random(m, n), device)
                 for m, n in LONG[device]}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
