#!/usr/bin/env python3
"""Times each backend of PyTorch's attention. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU
    python3 measure.py --device cpu    tiny: only tests this script

One layer of Llama-3-8B with as many key/value heads as query heads: 32
heads of width 128, 8,192 tokens, bf16. A backend that refuses the call is
reported with its reason, because that is a result, too.
"""
import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
import time
import warnings

try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

SHAPE = {"cuda": (1, 32, 8192, 128), "cpu": (1, 2, 64, 16)}
BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION,
            SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
WARMUP, REPEATS = 5, 30


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
                    "cuda": torch.version.cuda,
                    "cudnn": torch.backends.cudnn.version()}


def times(way, device):
    """Milliseconds of each call, by the GPU's own clock.

    Queries, keys, values and output are 268 MB, more than any L2 cache, so
    a call finds at most the end of what the previous one has left."""
    for _ in range(WARMUP):
        way()
    if device == "cpu":
        marks = [time.perf_counter()]
        for _ in range(REPEATS):
            way()
            marks.append(time.perf_counter())
        return [1e3 * (b - a) for a, b in zip(marks, marks[1:])]
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)]
             for _ in range(REPEATS)]
    for start, stop in pairs:
        start.record()
        way()
        stop.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) for start, stop in pairs]


def attention(backend, causal, backward, device):
    """One backend: its times, its rate, its memory, or why it refused."""
    q, k, v = (torch.randn(SHAPE[device], dtype=torch.bfloat16, device=device,
                           requires_grad=backward) for _ in range(3))
    grad = torch.randn_like(q)

    def way():
        out = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        if backward:
            torch.autograd.grad(out, (q, k, v), grad)

    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
    try:
        with sdpa_kernel(backend), warnings.catch_warnings(record=True) as why:
            warnings.simplefilter("always")
            ms = times(way, device)
    except RuntimeError as error:  # out of memory is one of them
        return {"refused": [str(note.message) for note in why] or [str(error)]}
    low, median, high = statistics.quantiles(ms, n=4)
    batch, heads, tokens, width = SHAPE[device]
    products = 7 if backward else 2  # backward has five of its own
    flop = 2 * products * batch * heads * tokens**2 * width
    flop /= 2 if causal else 1  # half of the scores are masked
    found = {"median_ms": median, "quartiles_ms": [low, high],
             "repeats": len(ms), "tflop_per_s": flop / median / 1e9}
    if device == "cuda":
        found["extra_bytes"] = torch.cuda.max_memory_allocated() - before
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SHAPE, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    cases = {"forward": (False, False), "forward, causal": (True, False),
             "forward and backward, causal": (True, True)}
    print(json.dumps(facts(device) | {"shape": SHAPE[device], "cases": {
        name: {backend.name: attention(backend, *case, device)
               for backend in BACKENDS}
        for name, case in cases.items()}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
