#!/usr/bin/env python3
"""A training step with a window that a profiler can find.

    python3 step.py               milliseconds per step, no profiler
    python3 step.py --operators   torch.profiler's table of the same window
    python3 step.py --memory      bytes that each operator allocates

Runs on a CPU; on a GPU it also tells nsys where the window begins and
ends. Checked against torch 2.15.0 (2026-11).
"""
import argparse
import contextlib
import json
import time

import torch
from torch import nn
from torch.profiler import profile, schedule

GPU = torch.cuda.is_available()
# ANCHOR: window
WARMUP, WINDOW = 5, 3
span = torch.cuda.nvtx.range if GPU else contextlib.nullcontext


def train_step(model, optimizer, x, target):
    with span("forward"):
        loss = nn.functional.mse_loss(model(x), target)
    with span("backward"):
        optimizer.zero_grad()
        loss.backward()
    with span("optimizer"):
        optimizer.step()


def timed_window(step) -> float:
    """Milliseconds per step, over WINDOW steps after WARMUP others."""
    for _ in range(WARMUP):
        step()
    if GPU:
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
    begin = time.perf_counter()
    for _ in range(WINDOW):
        step()
    if GPU:
        torch.cuda.synchronize()
    elapsed = time.perf_counter() - begin
    if GPU:
        torch.cuda.profiler.stop()
    return elapsed / WINDOW * 1000
# ANCHOR_END: window


# ANCHOR: operators
def operator_window(step, memory=False, trace=""):
    """The same window as torch.profiler sees it, operator by operator."""
    plan = schedule(wait=WARMUP - 1, warmup=1, active=WINDOW, repeat=1)
    with profile(schedule=plan, profile_memory=memory) as prof:
        for count in range(1, WARMUP + WINDOW + 1):
            step()
            if GPU and count in (WARMUP, WARMUP + WINDOW):
                torch.cuda.synchronize()  # or kernels slip into the window
            prof.step()
    if trace:
        prof.export_chrome_trace(trace)
    return prof.key_averages()
# ANCHOR_END: operators


def memory_window(step, snapshot=""):
    """Bytes by operator; on a GPU also the allocator's history."""
    if GPU and snapshot:
        torch.cuda.memory._record_memory_history(max_entries=100_000)
    events = operator_window(step, memory=True)
    if GPU and snapshot:
        torch.cuda.memory._dump_snapshot(snapshot)
    name = "self_device_memory_usage" if GPU else "self_cpu_memory_usage"
    return {event.key: getattr(event, name) for event in events}


def main():
    parser = argparse.ArgumentParser()
    for name in ("operators", "memory", "json"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in ("trace", "snapshot"):
        parser.add_argument(f"--{name}", default="", metavar="FILE")
    args = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if GPU else "cpu"
    model = nn.Sequential(nn.Linear(256, 1024), nn.GELU(),
                          nn.Linear(1024, 256)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    x, target = torch.randn(2, 64, 256, device=device)

    def step():
        train_step(model, optimizer, x, target)

    if args.memory:
        sizes = memory_window(step, args.snapshot)
        largest = sorted(sizes.items(), key=lambda item: -abs(item[1]))[:8]
        print(json.dumps(dict(largest)) if args.json else "\n".join(
            f"{size:12,}  {name}" for name, size in largest))
    elif args.operators:
        events = operator_window(step, trace=args.trace)
        order = "self_device_time_total" if GPU else "self_cpu_time_total"
        print(json.dumps({event.key: event.count for event in events})
              if args.json else events.table(sort_by=order, row_limit=12))
    else:
        print(f"{timed_window(step):.2f} ms per step")


if __name__ == "__main__":
    main()
