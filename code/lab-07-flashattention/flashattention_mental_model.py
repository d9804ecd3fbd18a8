#!/usr/bin/env python3
"""Exact attention in tiles: a maximum, a sum and a vector per row.

    python3 flashattention_mental_model.py           # row, traffic, memory
    python3 flashattention_mental_model.py --check   # tiles against plain

Standard library only.  Sizes are counted in elements; nothing is timed.
"""
import argparse
import json
import random
from math import ceil, exp, inf, log, sqrt


# ANCHOR: plain
def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def masked(scores, row, first):
    """Causal: a query sees no key that comes after it."""
    return [s if first + c <= row else -inf for c, s in enumerate(scores)]


def softmax(scores):
    top = max(scores)
    weights = [exp(s - top) for s in scores]
    total = sum(weights)
    return [w / total for w in weights]


def plain_attention(q, k, v, causal=False):
    scores = [[dot(row, key) / sqrt(len(row)) for key in k] for row in q]
    if causal:
        scores = [masked(s, r, 0) for r, s in enumerate(scores)]
    weights = [softmax(s) for s in scores]
    return [[dot(w, column) for column in zip(*v)] for w in weights]
# ANCHOR_END: plain


# ANCHOR: absorb
def empty(d):
    return -inf, 0.0, [0.0] * d  # no key seen yet


def absorb(state, scores, values):
    """Fold one chunk of keys into (m, l, acc); the chunk can then go."""
    m, l, acc = state
    m_new = max(m, *scores)
    alpha = exp(m - m_new)
    p = [exp(s - m_new) for s in scores]
    l = alpha * l + sum(p)
    acc = [alpha * a + dot(p, column) for a, column in zip(acc, zip(*values))]
    return m_new, l, acc


def finish(state):
    m, l, acc = state
    return [a / l for a in acc], m + log(l)  # output, log-sum-exp
# ANCHOR_END: absorb


# ANCHOR: row
ROW = [  # one query, four keys, values one wide, in two chunks
    ([1, 3], [[10], [20]]),
    ([2, 5], [[30], [40]]),
]


def trace(chunks):
    """The state after each chunk, as you would write it on paper."""
    state, lines = empty(1), []
    for scores, values in chunks:
        before, state = state, absorb(state, scores, values)
        m, l, acc = state
        lines.append({"m": m, "alpha": exp(before[0] - m), "l": l,
                      "acc": acc[0], "out": acc[0] / l})
    return lines
# ANCHOR_END: row


# ANCHOR: tiles
def tiled_attention(q, k, v, br, bc, causal=False):
    n, d = len(q), len(q[0])
    io = {"loads": 0, "stores": 0, "tiles": 0, "skipped": 0}
    rows = []  # of the output, each with its log-sum-exp
    for i in range(0, n, br):
        q_tile = q[i:i + br]
        io["loads"] += len(q_tile) * d
        states = [empty(d)] * len(q_tile)
        for j in range(0, n, bc):
            if causal and j > i + len(q_tile) - 1:
                io["skipped"] += 1
                continue
            k_tile, v_tile = k[j:j + bc], v[j:j + bc]
            io["loads"] += 2 * len(k_tile) * d
            io["tiles"] += 1
            for r, row in enumerate(q_tile):
                scores = [dot(row, key) / sqrt(d) for key in k_tile]
                if causal:
                    scores = masked(scores, i + r, j)
                states[r] = absorb(states[r], scores, v_tile)
        rows += map(finish, states)
        io["stores"] += len(q_tile) * (d + 1)
    return rows, io
# ANCHOR_END: tiles


def merge(a, b):
    """Two states over different keys of one query become one state."""
    (m_a, l_a, acc_a), (m_b, l_b, acc_b) = a, b
    m = max(m_a, m_b)
    f_a, f_b = exp(m_a - m), exp(m_b - m)
    acc = [f_a * x + f_b * y for x, y in zip(acc_a, acc_b)]
    return m, f_a * l_a + f_b * l_b, acc


# ANCHOR: traffic
def traffic(n, d, br):
    """Elements that one head moves between L2 and chip in forward."""
    standard = 4 * n * d + 4 * n * n
    tiled = 2 * n * d + 2 * n * d * ceil(n / br) + n
    return {"n": n, "d": d, "br": br, "flop": 4 * n * n * d,
            "standard": standard, "tiled": tiled}


def footprint(n, heads):
    """Bytes that one layer keeps besides Q, K, V and the output."""
    return {"n": n, "heads": heads,
            "scores": 2 * heads * n * n,  # bf16, N x N per head
            "lse": 4 * heads * n}         # fp32, one number per row
# ANCHOR_END: traffic


SHAPES = [(128, 64, 32, 32), (128, 64, 64, 32), (128, 64, 32, 16),
          (100, 16, 32, 48)]  # n, d, br, bc; the last divides nothing


def compare(n, d, br, bc, causal):
    rng = random.Random(7)
    q, k, v = ([[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]
               for _ in range(3))
    plain = plain_attention(q, k, v, causal)
    tiled, io = tiled_attention(q, k, v, br, bc, causal)
    gaps = [abs(a - b) for x, (y, _) in zip(plain, tiled)
            for a, b in zip(x, y)]
    return {"n": n, "d": d, "br": br, "bc": bc, "causal": causal, **io,
            "error": max(gaps), "ok": all(gap < 1e-12 for gap in gaps)}


TRAFFIC = [(8192, 128, br) for br in (64, 128, 256)]
WORKERS = [  # another query, for two workers that share its keys
    ([4, 3], [[10], [20]]),
    ([2, 1], [[30], [40]]),
]
FOOTPRINT = [(8192, 32), (32768, 32), (131072, 32)]


def report(check):
    halves = [absorb(empty(1), *chunk) for chunk in ROW]
    workers = [absorb(empty(1), *chunk) for chunk in WORKERS]
    return {
        "trace": trace(ROW),
        "softmax": softmax([s for chunk, _ in ROW for s in chunk]),
        "halves": halves, "merged": merge(*halves),
        "lse": finish(merge(*halves))[1],
        "workers": workers, "joined": merge(*workers),
        "traffic": [traffic(*case) for case in TRAFFIC],
        "footprint": [footprint(*case) for case in FOOTPRINT],
        "check": [compare(*shape, causal) for shape in SHAPES
                  for causal in (False, True)] if check else [],
    }


TITLES = {"trace": "the pencil row, after each chunk",
          "traffic": "elements that one head moves, forward",
          "footprint": "bytes that one layer keeps, scores or LSE",
          "check": "tiles against plain attention"}


def cell(x):
    return f"{x:,}" if type(x) is int else f"{x:.8g}" if type(x) is float \
        else str(x)


def show(title, rows):
    print(title)
    table = [list(rows[0]), *([*map(cell, r.values())] for r in rows)]
    widths = [2 + max(map(len, column)) for column in zip(*table)]
    for line in table:
        print("".join(x.rjust(w) for x, w in zip(line, widths)))
    print()


def rounded(x):
    """Floats to six places, since the last digits depend on the machine."""
    if isinstance(x, (list, tuple)):
        return [rounded(y) for y in x]
    if isinstance(x, dict):
        return {key: rounded(y) for key, y in x.items()}
    return float(f"{x:.6f}") if isinstance(x, float) else x


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = report(args.check)
    if args.json:
        print(json.dumps(rounded(figures), indent=2))
    else:
        for part, title in TITLES.items():
            if figures[part]:
                show(title, figures[part])
    if not all(case["ok"] for case in figures["check"]):
        raise SystemExit("tiles and plain attention disagree")


if __name__ == "__main__":
    main()
