#!/usr/bin/env python3
"""Softmax of rows that are too long for registers: a loop reads each twice.

    TRITON_INTERPRET=1 python3 triton_long_rows.py    checks it on a CPU

Needs torch and triton. Run under the interpreter of triton 3.9.0 with torch
2.15.0, and compiled for sm_80 and sm_90 (2026-11).
"""
import torch
import triton
import triton.language as tl

BLOCK = 4096
LEAST = tl.constexpr(-3.4028234663852886e38)  # the smallest float, not -inf


# ANCHOR: long
@triton.jit
def long_softmax_kernel(y_ptr, x_ptr, y_stride, x_stride, n_cols,
                        BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = tl.full([], LEAST, tl.float32)  # maximum so far
    s = tl.full([], 0.0, tl.float32)    # sum so far, relative to m
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols,
                    other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols,
                    other=-float("inf"))
        tl.store(y_ptr + row * y_stride + cols, tl.exp(x - m) / s,
                 mask=cols < n_cols)
# ANCHOR_END: long


def softmax_long(x, y, block=BLOCK):
    """Writes the softmax of each row of x into y, rows of any length."""
    assert x.shape == y.shape and x.stride(1) == y.stride(1) == 1
    rows, cols = x.shape
    long_softmax_kernel[(rows,)](y, x, y.stride(0), x.stride(0), cols,
                                 BLOCK=block, num_warps=16)


def check():
    """Name of a case -> largest error, and whether NaN is where it belongs."""
    torch.manual_seed(0)
    gpu = torch.cuda.is_available()
    torch.set_default_device("cuda" if gpu else "cpu")
    cases = {"one block": torch.randn(3, 100),
             "ragged": torch.randn(3, 1000),
             "rising": torch.arange(3000.0).reshape(3, 1000),
             "negative": torch.randn(3, 1000) - 1000,
             "starts masked": torch.randn(3, 1000)}
    cases["starts masked"][:, :300] = -float("inf")
    found = {}
    for name, x in cases.items():
        y = torch.full((3, 1100), 7.0)  # room for what must not be written
        softmax_long(x, y[:, :x.shape[1]], block=256)
        error = (y[:, :x.shape[1]] - torch.softmax(x.double(), 1)).abs()
        rest = (y[:, x.shape[1]:] == 7).all().item()
        found[name] = bool(error.max() < 1e-6) and rest
    return found


if __name__ == "__main__":
    results = check()
    for name, ok in results.items():
        print(f"{name:14}{'ok' if ok else 'WRONG'}")
    raise SystemExit(not all(results.values()))
