#!/usr/bin/env python3
"""The same attention in PyTorch: one call, which backend ran, how to force one.

    python3 sdpa.py [--json]    # needs torch; on a GPU if there is one
"""
import json
import os
import sys

os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # a quieter profiler
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import profile


def online_attention(q, k, v, bc):
    """`absorb` for all queries at once: a loop over tiles of bc keys."""
    m = torch.full_like(q[..., :1], -torch.inf)  # a column: one per query
    l, acc = torch.zeros_like(m), torch.zeros_like(q)
    for j in range(0, k.shape[-2], bc):
        s = q @ k[..., j:j + bc, :].mT / q.shape[-1] ** 0.5
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
        l = alpha * l + p.sum(-1, keepdim=True)
        acc = alpha * acc + p @ v[..., j:j + bc, :]
        m = m_new
    return acc / l


# ANCHOR: which
def which(**options):
    """Name the backend that one call used: its operator in a profile."""
    with profile() as seen:
        F.scaled_dot_product_attention(*QKV, **options)
    prefix = "aten::_scaled_dot_product_"
    return next(event.key.removeprefix(prefix)
                for event in seen.key_averages() if prefix in event.key)


def forced(backend, **options):
    """The same, with every other backend switched off."""
    try:
        with sdpa_kernel(backend):
            return which(**options)
    except RuntimeError as error:
        return f"refused: {str(error).split('.')[0]}"
# ANCHOR_END: which


device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
QKV = [torch.randn(1, 4, 128, 64, dtype=torch.bfloat16, device=device)
       for _ in range(3)]  # batch, heads, tokens, width of a head


def report():
    row = [torch.tensor(x).view(1, 1, -1, 1)
           for x in ([1.0], [1.0, 3, 2, 5], [10.0, 20, 30, 40])]
    q, k, v = (x.double().cpu() for x in QKV)
    gap = online_attention(q, k, v, 32) - F.scaled_dot_product_attention(q, k, v)
    flash, mask = SDPBackend.FLASH_ATTENTION, torch.ones(128, 128).tril().bool()
    return {
        "pencil row": round(F.scaled_dot_product_attention(*row).item(), 4),
        "online loop agrees": gap.abs().max().item() < 1e-12,
        "plain call": which(),
        "is_causal=True": which(is_causal=True),
        "attn_mask=...": which(attn_mask=mask.to(device)),
        "dropout_p=0.1": which(dropout_p=0.1),
        "forced MATH": forced(SDPBackend.MATH),
        "forced FLASH": forced(flash),
        "forced FLASH, dropout": forced(flash, dropout_p=0.1),
    }


if __name__ == "__main__":
    result = report()
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
    else:
        for name, value in result.items():
            print(f"{name:22} {value}")
