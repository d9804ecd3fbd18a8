#!/usr/bin/env python3
"""Times this lab's Triton kernel against the backends of PyTorch's SDPA.
Prints JSON.

    python3 measure_triton.py                 on an NVIDIA GPU
    python3 measure_triton.py --device cpu    tiny: only tests this script

The same layer as in measure.py, forward, without and with a causal mask;
on a CPU in fp32, because Triton's interpreter cannot multiply in bf16.
"""
import argparse
import json
import os
import sys

if any("cpu" in word for word in sys.argv):
    os.environ["TRITON_INTERPRET"] = "1"  # has to be set before the import
import measure
from measure import F, SDPBackend, sdpa_kernel, torch

try:
    import triton
    import triton_attention
except ImportError as error:
    print(f"{error}: `pip install torch==2.15.0 triton==3.9.0`",
          file=sys.stderr)
    sys.exit(2)

TILES = {"cuda": [(64, 64, 4), (128, 64, 8)], "cpu": [(64, 64, 4)]}


def kernel(data, causal, br, bc, warps):
    q, k, v = data
    heads, n, d = q.shape
    out = torch.empty_like(q)
    lse = torch.empty(heads, n, device=q.device)

    def way():
        triton_attention.attention_forward[triton.cdiv(n, br), heads](
            q, k, v, out, lse, n, d ** -0.5, D=d, BR=br, BC=bc,
            CAUSAL=causal, num_warps=warps)
    return way, out


def case(causal, device):
    """Each shape of tile: times, rate, and the distance from FLASH."""
    batch, heads, tokens, width = measure.SHAPE[device]
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    data = [torch.randn(batch * heads, tokens, width, dtype=dtype,
                        device=device) for _ in range(3)]
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        want = F.scaled_dot_product_attention(*(x[None] for x in data),
                                              is_causal=causal)[0].float()
    flop = 4 * batch * heads * tokens**2 * width / (2 if causal else 1)
    found = {}
    for br, bc, warps in TILES[device]:
        way, out = kernel(data, causal, br, bc, warps)
        ms = measure.times(way, device)
        low, median, high = measure.statistics.quantiles(ms, n=4)
        found[f"{br} x {bc}, {warps} warps"] = {
            "median_ms": median, "quartiles_ms": [low, high],
            "repeats": len(ms), "tflop_per_s": flop / median / 1e9,
            "largest_difference": (out.float() - want).abs().max().item()}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=TILES, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    print(json.dumps(measure.facts(device) | {
        "triton": triton.__version__, "shape": measure.SHAPE[device],
        "forward": case(False, device),
        "forward, causal": case(True, device)}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
