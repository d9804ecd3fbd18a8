#!/usr/bin/env python3
"""Softmax over the rows of a matrix: five operators, or one Triton kernel.

    python3 triton_softmax.py --rows 4096 --cols 4096      # no packages
    TRITON_INTERPRET=1 python3 triton_softmax.py --check   # no GPU
    python3 triton_softmax.py --ptx 80 90 --cols 781       # no GPU
    python3 triton_softmax.py --bench                      # a GPU

With --json each prints its figures as JSON.
checked against triton 3.9.0, torch 2.15.0 (2026-11)
"""
import argparse
import json
import sys

try:  # the traffic is counted without them
    import torch
    import triton
    import triton.language as tl
except ImportError:
    triton = None


# ANCHOR: eager
def softmax_eager(x):
    m = x.amax(dim=1, keepdim=True)
    z = x - m
    e = z.exp()
    s = e.sum(dim=1, keepdim=True)
    return e / s
# ANCHOR_END: eager


# ANCHOR: traffic
EAGER = [  # operator, tensors it reads, tensor it writes
    ("amax", "x", "m"),
    ("sub", "xm", "z"),
    ("exp", "z", "e"),
    ("sum", "e", "s"),
    ("div", "es", "y"),
]
FUSED = [("softmax_kernel", "x", "y")]


def moved(plan, rows: int, cols: int, itemsize: int) -> tuple[int, int]:
    """Bytes read and written if nothing is found in a cache."""
    size = dict.fromkeys("xzey", rows * cols) | dict.fromkeys("ms", rows)
    read = sum(size[tensor] for _, reads, _ in plan for tensor in reads)
    written = sum(size[tensor] for _, _, tensor in plan)
    return itemsize * read, itemsize * written
# ANCHOR_END: traffic


# ANCHOR: block
def block_for(cols: int) -> int:
    """The same as triton.next_power_of_2, for machines without Triton."""
    return 1 << (cols - 1).bit_length()


def warps_for(block: int) -> int:
    """Eight values per thread, with 1 to 16 warps."""
    return min(max(block // 256, 1), 16)
# ANCHOR_END: block


# ANCHOR: kernel
if triton:
    @triton.jit
    def softmax_kernel(y_ptr, x_ptr, y_stride, x_stride, n_cols,
                       BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)  # row * stride may pass 2^31
        cols = tl.arange(0, BLOCK)
        live = cols < n_cols
        x = tl.load(x_ptr + row * x_stride + cols, mask=live,
                    other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        y = e / tl.sum(e, axis=0)
        tl.store(y_ptr + row * y_stride + cols, y, mask=live)
# ANCHOR_END: kernel


# ANCHOR: launch
def softmax_fused(x, y):
    """Writes the softmax of each row of x into y."""
    assert x.shape == y.shape and x.stride(1) == y.stride(1) == 1
    rows, cols = x.shape
    block = triton.next_power_of_2(cols)
    softmax_kernel[(rows,)](y, x, y.stride(0), x.stride(0), cols,
                            BLOCK=block, num_warps=warps_for(block))
# ANCHOR_END: launch


# ANCHOR: check
GUARD = 7.0  # no probability is 7
CASES = {  # rows, columns, scale and shift of normal random numbers
    "power of two": (4, 8, 1, 0),
    "ragged": (37, 781, 1, 0),
    "one column": (5, 1, 1, 0),
    "large": (37, 781, 50, 0),
    "negative": (37, 781, 1, -1000),
}


def check() -> dict:
    """Runs the kernel on rows with other values between them."""
    torch.manual_seed(0)
    found = {}
    for name, (rows, cols, scale, shift) in CASES.items():
        wide = triton.next_power_of_2(cols)
        around_x = torch.full((rows, wide + 3), float("nan"))
        around_y = torch.full((rows, wide + 5), GUARD)
        x, y = around_x[:, :cols], around_y[:, :cols]
        x.copy_(torch.randn(rows, cols) * scale + shift)
        softmax_fused(x, y)
        error = (y - softmax_eager(x.double())).abs().max().item()
        overwritten = (around_y[:, cols:] != GUARD).sum().item()
        found[name] = {"ok": error < 1e-6 and overwritten == 0,
                       "error": error, "overwritten": overwritten}
    return found
# ANCHOR_END: check


def ptx(capability: int, cols: int) -> dict:
    """What the kernel becomes for contiguous fp32 rows of a length."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    block = block_for(cols)
    types = ["*fp32", "*fp32", "i32", "i32", "i32", "constexpr"]
    # A launch finds out which of its arguments are multiples of 16.
    sixteens = range(2 if cols % 16 else 5)
    kernel = triton.compile(
        ASTSource(softmax_kernel, dict(zip(softmax_kernel.arg_names, types)),
                  constexprs={"BLOCK": block},
                  attrs={(i,): [["tt.divisibility", 16]] for i in sixteens}),
        target=GPUTarget("cuda", capability, 32),
        options={"num_warps": warps_for(block)})
    names = "ld.global", "st.global", "shfl.sync", "redux.sync", "bar.sync"
    counts = {name: kernel.asm["ptx"].count(name) for name in names}
    return counts | {"shared bytes": kernel.metadata.shared}


# ANCHOR: bench
def bench(rows: int, cols: int) -> dict:
    """Median milliseconds of four ways; do_bench clears L2 before each."""
    x = torch.randn(rows, cols)
    y = torch.empty_like(x)
    compiled = torch.compile(softmax_eager)
    ways = {"five operators": lambda: softmax_eager(x),
            "torch.compile": lambda: compiled(x),
            "torch.softmax": lambda: torch.softmax(x, dim=1),
            "this kernel": lambda: softmax_fused(x, y)}
    return {name: triton.testing.do_bench(way, return_mode="median")
            for name, way in ways.items()}
# ANCHOR_END: bench


CARDS = {  # bytes per second
    "A100": 2.039e12, "H100": 3.35e12, "H200": 4.8e12, "B200": 7.7e12}


def report(rows: int, cols: int, itemsize: int) -> dict:
    """The bytes of both plans, their least times, and the block."""
    plans = {}
    for name, plan in {"eager": EAGER, "fused": FUSED}.items():
        read, written = moved(plan, rows, cols, itemsize)
        total = read + written
        plans[name] = {"launches": len(plan), "read": read,
                       "written": written, "bytes": total}
        for card, rate in CARDS.items():
            plans[name][f"{card} us"] = round(total / rate * 1e6, 1)
    block = block_for(cols)
    return {"rows": rows, "cols": cols, "itemsize": itemsize, **plans,
            "ratio": plans["eager"]["bytes"] / plans["fused"]["bytes"],
            "block": block, "masked": block - cols,
            "warps": warps_for(block),
            "values_per_thread": block / (32 * warps_for(block))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--cols", type=int, default=4096)
    parser.add_argument("--itemsize", type=int, default=4)
    parser.add_argument("--check", action="store_true",
                        help="run the kernel (TRITON_INTERPRET=1, or a GPU)")
    parser.add_argument("--ptx", type=int, nargs="+", metavar="CC",
                        help="compile for these compute capabilities")
    parser.add_argument("--bench", action="store_true",
                        help="time four ways on a GPU")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if (args.check or args.ptx or args.bench) and not triton:
        parser.error("--check, --ptx and --bench need torch and triton")
    if args.check or args.bench:
        gpu = torch.cuda.is_available()
        torch.set_default_device("cuda" if gpu else "cpu")
        if args.bench and not gpu:
            parser.error("--bench needs a GPU")
    if args.check:
        found = check()
    elif args.bench:
        found = bench(args.rows, args.cols)
    elif args.ptx:
        found = {f"sm_{cc}": ptx(cc, args.cols) for cc in args.ptx}
    else:
        found = report(args.rows, args.cols, args.itemsize)
    if args.json:
        print(json.dumps(found, indent=2))
    elif args.check:
        for name, case in found.items():
            print(f"{name:14}{'ok' if case['ok'] else 'WRONG':8}"
                  f"error {case['error']:.0e}  overwritten {case['overwritten']}")
    elif args.bench:
        for name, ms in found.items():
            print(f"{name:16}{ms:8.3f} ms")
    elif args.ptx:
        for name, counts in found.items():
            print(name, *(f"{n} {what}" for what, n in counts.items()),
                  sep="  ")
    else:
        print(f"{args.rows:,} x {args.cols:,}, {args.itemsize} bytes each\n"
              f"{'':7}launches{'read':>14}{'written':>14}{'H100 at least':>16}")
        for name in ("eager", "fused"):
            plan = found[name]
            print(f"{name:7}{plan['launches']:8}{plan['read']:14,}"
                  f"{plan['written']:14,}{plan['H100 us']:13} µs")
        print(f"ratio {found['ratio']:.3f}\n"
              f"block {found['block']:,}: {found['warps']} warps, "
              f"{found['values_per_thread']:.0f} values per thread, "
              f"{found['masked']} lanes masked")
    return 1 if args.check and not all(c["ok"] for c in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
