#!/usr/bin/env python3
"""Times the two guesses of the plan: prompts, and decode steps. Prints JSON.

    python3 measure.py                 on an NVIDIA GPU with 80 GB
    python3 measure.py --device cpu    tiny: only tests this script

A model of the plan's shape with random weights, in plain PyTorch: no norms,
no rotary embedding, no sampling, and no server. Rates count products with
weights that take place and bytes that are read.
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
    import torch.nn.functional as F
except ImportError as error:
    print(f"{error}: `pip install torch==2.15.0`", file=sys.stderr)
    sys.exit(2)

WARMUP, REPEATS, CONTEXT = 3, 30, 1024
SIZES = {  # layers, width, MLP, heads, key/value heads, vocabulary
    "cuda": (32, 4096, 14336, 32, 8, 128256), "cpu": (2, 64, 96, 4, 2, 128)}
PROMPTS = {"cuda": [256, 512, 1024, 2048, 4096], "cpu": [16]}
BATCHES = {"cuda": [1, 8, 32, 64, 128, 256], "cpu": [2]}


class Model:
    def __init__(self, device):
        layers, d, mlp, self.heads, self.kv, words = SIZES[device]
        self.width, self.head = d, d // self.heads
        self.layers = [[random(shape, device) / shape[0] ** 0.5 for shape in (
            (d, d + 2 * self.kv * self.head), (d, d), (d, 2 * mlp), (mlp, d))]
                       for _ in range(layers)]
        self.out = random((d, words), device) / d ** 0.5
        self.inner = sum(w.numel() for layer in self.layers for w in layer)

    def run(self, x, cache=None):
        """x is batch x tokens x width; with a cache it is a decode step,
        whose new keys and values are not appended."""
        for number, (qkv, out, up, down) in enumerate(self.layers):
            q, k, v = (x @ qkv).unflatten(-1, (-1, self.head)).transpose(
                1, 2).split([self.heads, self.kv, self.kv], dim=1)
            if cache is not None:
                k, v = cache[number]
            mixed = F.scaled_dot_product_attention(
                q, k, v, is_causal=cache is None, enable_gqa=True)
            x = x + mixed.transpose(1, 2).flatten(2) @ out
            gate, wide = (x @ up).chunk(2, dim=-1)
            x = x + (F.silu(gate) * wide) @ down
        return x[:, -1] @ self.out  # only a last token needs its logits


def random(shape, device):
    return torch.randn(shape, dtype=torch.bfloat16, device=device)


def times(way, device):
    """Milliseconds of each call, by the GPU's own clock."""
    for _ in range(WARMUP):
        way()
    marks = []
    for _ in range(REPEATS + 1):
        marks.append(time.perf_counter() if device == "cpu" else
                     torch.cuda.current_stream().record_event(
                         torch.cuda.Event(enable_timing=True)))
        way()
    if device == "cuda":
        torch.cuda.synchronize()
    ms = [1e3 * (b - a) if device == "cpu" else a.elapsed_time(b)
          for a, b in zip(marks, marks[1:])]
    low, median, high = statistics.quantiles(ms, n=4)
    return {"median_ms": median, "quartiles_ms": [low, high],
            "repeats": len(ms)}


def recorded(way, device):
    """The calls as one CUDA graph, so that launches cost the CPU nothing."""
    if device == "cpu":
        return way
    with torch.cuda.stream(torch.cuda.Stream()):
        way()  # a graph must not be the first call
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        way()
    return graph.replay


def prompt(model, tokens, device):
    x = random((1, tokens, model.width), device)
    found = times(lambda: model.run(x), device)
    flop = 2 * (tokens * model.inner + model.out.numel())
    return found | {"tflop_per_s": flop / found["median_ms"] / 1e9}


def decode(model, batch, device):
    x = random((batch, 1, model.width), device)
    cache = [random((2, batch, model.kv, CONTEXT, model.head), device)
             for _ in model.layers]
    found = times(recorded(lambda: model.run(x, cache), device), device)
    read = model.inner + model.out.numel() + sum(c.numel() for c in cache)
    return found | {"gbyte_per_s": 2 * read / found["median_ms"] / 1e6}


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


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=SIZES, default="cuda")
    device = parser.parse_args().device
    if device == "cuda" and not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    model = Model(device)
    print(json.dumps(facts(device) | {
        "context": CONTEXT,
        "prompts": {n: prompt(model, n, device) for n in PROMPTS[device]},
        "decode": {n: decode(model, n, device) for n in BATCHES[device]},
    }, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
