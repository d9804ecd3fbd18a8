#!/usr/bin/env python3
"""The forward pass of attention as one Triton kernel, compared with the lists.

    TRITON_INTERPRET=1 python3 triton_attention.py [--json]   # no GPU
    python3 triton_attention.py [--json]                      # a GPU

Needs torch and triton; checked against torch 2.15.0, triton 3.9.0 (2026-11).
"""
import json
import sys

import torch
import triton
import triton.language as tl

import flashattention_mental_model as lists


# ANCHOR: kernel
@triton.jit
def attention_forward(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, n, scale,
                      D: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
                      CAUSAL: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * n
    first = tl.program_id(0) * BR
    rows, keys = first + tl.arange(0, BR), tl.arange(0, BC)
    column = tl.arange(0, D)[None, :]
    mine = (head + rows[:, None]) * D + column
    inside = rows[:, None] < n
    q = tl.load(q_ptr + mine, mask=inside, other=0.0)
    m = tl.full([BR], -float("inf"), tl.float32)
    l = tl.zeros([BR], tl.float32)
    acc = tl.zeros([BR, D], tl.float32)
    for j in range(0, tl.minimum(n, first + BR) if CAUSAL else n, BC):
        key = j + keys
        theirs = (head + key[:, None]) * D + column
        k = tl.load(k_ptr + theirs, mask=key[:, None] < n, other=0.0)
        v = tl.load(v_ptr + theirs, mask=key[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        seen = key[None, :] < n
        if CAUSAL:
            seen = seen & (key[None, :] <= rows[:, None])
        s = tl.where(seen, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = alpha * l + tl.sum(p, axis=1)
        acc = alpha[:, None] * acc + tl.dot(p.to(v.dtype), v,
                                            input_precision="ieee")
        m = m_new
    tl.store(o_ptr + mine, acc / l[:, None], mask=inside)
    tl.store(lse_ptr + head + rows, m + tl.log(l), mask=rows < n)
# ANCHOR_END: kernel


def attention(q, k, v, br, bc, causal):
    """Launches one program per Q tile and head; tensors are heads x n x d."""
    heads, n, d = q.shape
    out, lse = torch.empty_like(q), q.new_empty(heads, n)
    attention_forward[triton.cdiv(n, br), heads](
        q, k, v, out, lse, n, d ** -0.5, D=d, BR=br, BC=bc, CAUSAL=causal)
    return out, lse


CASES = [  # tokens, queries and keys per tile: powers of two, as Triton asks
    (128, 32, 32), (128, 32, 16), (128, 16, 64), (100, 32, 16),
]


def report():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    found = {}
    for n, br, bc in CASES:
        q, k, v = (torch.randn(2, n, 16, device=device) for _ in range(3))
        for causal in (False, True):
            got = attention(q, k, v, br, bc, causal)
            error = 0.0
            for head in range(2):
                data = [x[head].double().tolist() for x in (q, k, v)]
                rows, _ = lists.tiled_attention(*data, br, bc, causal)
                want = torch.tensor([[*row, lse] for row, lse in rows])
                have = torch.cat([got[0][head], got[1][head][:, None]], 1).cpu()
                error = max(error, (have - want).abs().max().item())
            name = f"{n} tokens, {br} x {bc}" + (", causal" if causal else "")
            found[name] = bool(error < 1e-5)
    return found


def main():
    found = report()
    if "--json" in sys.argv:
        print(json.dumps(found, indent=2))
    else:
        for name, agrees in found.items():
            print(f"{name:28} {'agrees' if agrees else 'DIFFERS'}")
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
