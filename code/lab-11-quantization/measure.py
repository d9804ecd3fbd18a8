#!/usr/bin/env python3
"""Times one linear layer in three formats by tokens per step. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU
    python3 measure.py --device cpu    tiny: only tests this script

The layer is the up projection of Llama-3-8B, 4,096 to 14,336. The kernels
are those inside PyTorch: a BF16 product, `_scaled_mm` for FP8 with a scale
per row, and `_weight_int4pack_mm` for 4 bits in groups of 128. vLLM brings
kernels of its own (Machete, Marlin), so the crossing may be elsewhere there.
A kernel that refuses the call is reported with its reason.
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
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

WARMUP, REPEATS, GROUP = 10, 50, 128
SIZES = {"cuda": (4096, 14336), "cpu": (256, 512)}  # inputs, outputs
TOKENS = [1, 16, 64, 128, 192, 256, 320, 384, 512, 1024, 4096]
FORMATS = ["BF16", "FP8", "INT4"]


def layer(name, x, outputs):
    """One call of the layer, with everything around the product prepared."""
    inputs, device = x.shape[1], x.device
    if name == "BF16":
        w = torch.randn(inputs, outputs, dtype=x.dtype, device=device)
        return lambda: x @ w
    if name == "FP8":  # a scale for each token, and one for each output
        scale = x.abs().amax(dim=1, keepdim=True).float() / 448
        narrow = (x / scale).to(torch.float8_e4m3fn)
        w = torch.randn(outputs, inputs, device=device).to(narrow.dtype).t()
        ones = torch.ones(1, outputs, device=device)
        return lambda: torch._scaled_mm(narrow, w, scale_a=scale, scale_b=ones,
                                        out_dtype=x.dtype)
    codes = torch.randint(16, (outputs, inputs), dtype=torch.int32,
                          device=device)
    scales = torch.ones(inputs // GROUP, outputs, 2, dtype=x.dtype,
                        device=device)
    aten = torch.ops.aten
    if not x.is_cuda:
        packed = aten._convert_weight_to_int4pack_for_cpu(codes, 1)
        return lambda: aten._weight_int4pack_mm_for_cpu(x, packed, GROUP,
                                                        scales)
    pairs = (codes[:, ::2] << 4 | codes[:, 1::2]).to(torch.uint8)
    packed = aten._convert_weight_to_int4pack(pairs, 8)
    return lambda: aten._weight_int4pack_mm(x, packed, GROUP, scales)


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
    return found | {"device": card.name, "l2_bytes": card.L2_cache_size,
                    "driver": smi.stdout.split()[0],
                    "cuda": torch.version.cuda}


def times(way, device):
    """Milliseconds of each call, by the GPU's own clock.

    Before each call, a buffer of four times L2 is filled with zeros. Without
    that, 29 MB of 4-bit weights would stay in L2 and seem to be read faster
    than memory allows. It also gives the CPU time to queue the launch."""
    for _ in range(WARMUP):
        way()
    if device == "cpu":
        marks = [time.perf_counter()]
        for _ in range(REPEATS):
            way()
            marks.append(time.perf_counter())
        return [1e3 * (b - a) for a, b in zip(marks, marks[1:])]
    cuda = torch.cuda
    other = torch.empty(4 * cuda.get_device_properties(0).L2_cache_size,
                        dtype=torch.uint8, device="cuda")
    pairs = [[cuda.Event(enable_timing=True) for _ in range(2)]
             for _ in range(REPEATS)]
    for start, stop in pairs:
        other.zero_()
        start.record()
        way()
        stop.record()
    cuda.synchronize()
    return [start.elapsed_time(stop) for start, stop in pairs]


def measure(name, tokens, device):
    inputs, outputs = SIZES[device]
    x = torch.randn(tokens, inputs, dtype=torch.bfloat16, device=device)
    try:
        ms = times(layer(name, x, outputs), device)
    except (RuntimeError, AttributeError) as error:
        return {"refused": str(error).splitlines()[0]}
    low, median, high = statistics.quantiles(ms, n=4)
    return {"median_ms": median, "quartiles_ms": [low, high],
            "repeats": len(ms)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SIZES, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    print(json.dumps(facts(device) | {"layer": SIZES[device], "formats": {
        name: {tokens: measure(name, tokens, device) for tokens in TOKENS}
        for name in FORMATS}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
