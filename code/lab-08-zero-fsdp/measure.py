#!/usr/bin/env python3
"""What one GPU can say about sharding: the time that hides a gather, and
the memory of each wrapping. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU
    python3 measure.py --device cpu    tiny: only tests this script

A block of Llama-3-8B computes for some milliseconds, and the next block has
to be gathered meanwhile. `hidden_from_gbyte_per_s` is the bandwidth from
which that works on eight ranks. The gather itself needs more GPUs. With one
rank, fully_shard copies each group instead, so the peaks show what is whole
at a time, but without the second, prefetched group.
"""
import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import torch.nn.functional as F
    from torch import distributed, nn
    from torch.distributed.fsdp import fully_shard
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

WARMUP, REPEATS, RANKS = 5, 30, 8
SIZES = {  # hidden size, MLP, heads, key/value heads, tokens, layers
    "cuda": (4096, 14336, 32, 8, 8192, 8), "cpu": (32, 64, 4, 2, 8, 3)}


def llama_block(x, heads, kv, qkv, out, up, down):
    """The products and the attention of a Llama block, without its norms."""
    parts = (x @ qkv).unflatten(-1, (heads + 2 * kv, -1)).transpose(1, 2)
    q, k, v = parts.split([heads, kv, kv], dim=1)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True,
                                           enable_gqa=True)
    x = x + mixed.transpose(1, 2).flatten(2) @ out
    gate, wide = (x @ up).chunk(2, dim=-1)
    return x + (F.silu(gate) * wide) @ down


def clock(device):
    """A moment on the GPU's own clock, or on the CPU's."""
    if device == "cpu":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def block(device, width, mlp, heads, kv, tokens):
    """Forward and backward of one block, and what they can hide."""
    kind = {"dtype": torch.bfloat16, "device": device, "requires_grad": True}
    columns = width * (heads + 2 * kv) // heads
    weights = [torch.randn(*shape, **kind) for shape in (
        (width, columns), (width, width), (width, 2 * mlp), (mlp, width))]
    x, marks = torch.randn(1, tokens, width, **kind), []
    grad = torch.randn_like(x)
    for _ in range(WARMUP + REPEATS):
        begin = clock(device)
        y = llama_block(x, heads, kv, *weights)
        middle = clock(device)
        torch.autograd.grad(y, [x, *weights], grad)
        marks.append((begin, middle, clock(device)))
    if device == "cuda":
        torch.cuda.synchronize()
    found = {"parameters": sum(w.numel() for w in weights)}
    sent = 2 * found["parameters"] * (RANKS - 1) / RANKS  # one pass, bf16
    for part, name, passes in ((0, "forward", 1), (1, "backward", 2)):
        ms = [1e3 * (m[part + 1] - m[part]) if device == "cpu"
              else m[part].elapsed_time(m[part + 1]) for m in marks[WARMUP:]]
        low, median, high = statistics.quantiles(ms, n=4)
        found[name] = {
            "median_ms": median, "quartiles_ms": [low, high],
            "repeats": len(ms),
            "hidden_from_gbyte_per_s": passes * sent / median / 1e6}
    return found


def peak(device, wrapping, width, layers):
    """Most bytes of a forward and backward over what was there before."""
    model = nn.Sequential(*(nn.Linear(width, width, bias=False, device=device)
                            for _ in range(layers)))
    if wrapping != "root":
        for layer in model:
            fully_shard(layer, reshard_after_forward=wrapping == "layers")
    fully_shard(model)
    x = torch.randn(16, width, device=device)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
    model(x).sum().backward()
    return (torch.cuda.max_memory_allocated() - before if device == "cuda"
            else None)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SIZES, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    *sizes, layers = SIZES[device]
    found = facts(device) | {"ranks": RANKS, "block": block(device, *sizes)}
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            "nccl" if device == "cuda" else "gloo", rank=0, world_size=1,
            init_method=f"file://{folder}/meet")
        found["layer_bytes"], found["layers"] = 4 * sizes[0]**2, layers
        found["peak_bytes"] = {
            wrapping: peak(device, wrapping, sizes[0], layers)
            for wrapping in ("root", "layers", "layers, kept")}
        distributed.destroy_process_group()
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
