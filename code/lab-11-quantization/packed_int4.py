#!/usr/bin/env python3
"""Packs 4-bit codes into bytes, and asks a tiny model what rounding costs.

    python3 packed_int4.py [--json]    # needs torch; a minute on a CPU

The model adds two numbers below 100. It is trained on 8,000 of the 10,000
pairs and asked for the other 2,000. Checked against torch 2.15.0 (2026-11).
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # sums in one order, so the same model each time


# ANCHOR: pack
def pack(weight, group):
    """Returns two codes per byte, and a 16-bit scale per group of a row."""
    groups = weight.unflatten(1, (-1, group))
    scale = (groups.abs().amax(-1, keepdim=True) / 7).half()
    codes = (groups / scale.float()).round().clamp(-8, 7).flatten(1)
    nibbles = (codes + 8).to(torch.uint8)
    return nibbles[:, ::2] | nibbles[:, 1::2] << 4, scale.squeeze(-1)


def unpack(packed, scale):
    """Widens the codes, and multiplies each by the scale of its group."""
    nibbles = torch.stack([packed & 15, packed >> 4], -1).flatten(1)
    groups = (nibbles.float() - 8).unflatten(1, (scale.shape[1], -1))
    return (groups * scale.float()[..., None]).flatten(1)
# ANCHOR_END: pack


def int8(weight):
    """One scale per row, one byte per code."""
    scale = (weight.abs().amax(1, keepdim=True) / 127).half().float()
    return (weight / scale).round() * scale, weight.numel() + 2 * len(weight)


def int4(group):
    def rounded(weight):
        packed, scale = pack(weight, group or weight.shape[1])
        return unpack(packed, scale), packed.numel() + 2 * scale.numel()
    return rounded


FORMATS = {"FP32": lambda weight: (weight, 4 * weight.numel()),
           "INT8, scale per row": int8, "INT4, scale per row": int4(None),
           "INT4, groups of 128": int4(128), "INT4, groups of 32": int4(32)}


def pairs():
    """Inputs with a one for each of four digits, padded; and the sums."""
    a, b = torch.cartesian_prod(torch.arange(100), torch.arange(100)).T
    x = torch.zeros(10_000, 128)
    for place, digit in enumerate((a // 10, a % 10, b // 10, b % 10)):
        x[torch.arange(10_000), 10 * place + digit] = 1
    order = torch.randperm(10_000)
    return x[order], (a + b)[order]


def train(x, y):
    model = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 256))
    adam = torch.optim.Adam(model.parameters(), 3e-3)
    for step in range(400):
        some = torch.randint(8000, (500,))
        loss = nn.functional.cross_entropy(model(x[some]), y[some])
        adam.zero_grad()
        loss.backward()
        adam.step()
    return model


def report():
    torch.manual_seed(0)
    x, y = pairs()
    model = train(x, y)
    weights = {p: p.detach().clone() for p in model.parameters() if p.ndim == 2}
    rows, first = {}, None
    for name, rounded in FORMATS.items():
        size = 0
        for parameter, weight in weights.items():
            parameter.data, stored = rounded(weight)
            size += stored
        with torch.no_grad():
            answers = model(x[8000:]).argmax(1)
        first = answers if first is None else first
        rows[name] = {"bytes": size,
                      "right": (answers == y[8000:]).sum().item(),
                      "flips": (answers != first).sum().item()}
    return rows


def main():
    rows = report()
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=2))
        return
    print("format                 bytes  right of 2,000  changed")
    for name, row in rows.items():
        print(f"{name:20} {row['bytes']:7,} {row['right']:15,} {row['flips']:8}")


if __name__ == "__main__":
    main()
