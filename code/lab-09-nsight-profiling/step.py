#!/usr/bin/env python3
"""A training step with a window that a profiler can find.

    python3 step.py               milliseconds a step, no profiler
    python3 step.py --operators   torch.profiler's table of the same window

Runs on a CPU; on a GPU it also tells nsys where the window begins and
ends. checked against torch 2.15.0 (2026-11)
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
    """Milliseconds a step, over WINDOW steps after WARMUP others."""
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
def operator_window(step):
    """The same window as torch.profiler sees it, operator by operator."""
    plan = schedule(wait=WARMUP - 1, warmup=1, active=WINDOW, repeat=1)
    with profile(schedule=plan) as prof:
        for _ in range(WARMUP + WINDOW):
            step()
            prof.step()
    return prof.key_averages()
# ANCHOR_END: operators


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--operators", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if GPU else "cpu"
    model = nn.Sequential(nn.Linear(256, 1024), nn.GELU(),
                          nn.Linear(1024, 256)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    x, target = torch.randn(2, 64, 256, device=device)

    def step():
        train_step(model, optimizer, x, target)

    if not args.operators:
        print(f"{timed_window(step):.2f} ms a step")
        return
    events = operator_window(step)
    if args.json:
        print(json.dumps({event.key: event.count for event in events}))
    else:
        order = "self_device_time_total" if GPU else "self_cpu_time_total"
        print(events.table(sort_by=order, row_limit=12))


if __name__ == "__main__":
    main()
