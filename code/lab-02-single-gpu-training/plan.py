"""What a training step keeps in memory, computed from shapes alone.

    python3 plan.py                        the tables of the lab
    python3 plan.py --rows 1               another batch
    python3 plan.py --recompute --accum 4  the levers
    python3 plan.py --large                measure.py's model, on a GPU
    python3 plan.py --json                 the same numbers for a program

Needs no packages. train_single_gpu.py --ledger measures what this predicts.
"""
import argparse
import json

V, D, L, H, CTX = 256, 64, 2, 4, 64  # as in train_single_gpu.py
BYTES = 4                            # of a 32-bit float
TENSORS = 2 + 12 * L + 2             # parameter tensors of the model
WORKSPACES = 65 * 2**20              # 32 MiB of cuBLAS for each of two
                                     # threads, 1 of cuBLASLt, on Hopper


def parameters():
    block = 12 * D**2 + 13 * D       # four matrices, biases, two norms
    return V * D + CTX * D + L * block + 2 * D


def block_parts(rows, length):
    """Bytes that one block keeps for backward, by kind."""
    stream = BYTES * rows * length * D  # a tensor as large as the input
    return {"norms: two inputs": 2 * stream,
            "qkv: its input, q, k and v": 4 * stream,
            "attention weights": BYTES * rows * H * length**2,
            "out: its input": stream,
            "up: its input": stream,
            "GELU: its input, four times as wide": 4 * stream,
            "down: its input, four times as wide": 4 * stream,
            "statistics and mask": 4 * BYTES * rows * length + length**2}


def saved(rows, length, recompute=False):
    """Bytes that autograd holds when forward ends, by kind."""
    stream, tokens = BYTES * rows * length * D, rows * length
    block = block_parts(rows, length)
    blocks = ({"blocks: inputs only": L * stream} if recompute
              else {f"blocks, {kind}": L * n for kind, n in block.items()})
    return blocks | {
        "last norm and output: inputs": 2 * stream + 2 * BYTES * tokens,
        "loss: log-probabilities": BYTES * tokens * V + BYTES}


def timeline(rows, length, recompute=False, accum=1):
    """Live bytes at four marks of two steps."""
    weights = BYTES * parameters()
    adam = 2 * weights + BYTES * TENSORS  # two moments, a step counter each
    ids = 2 * 8 * rows * length           # tokens and targets, 64-bit
    held = sum(saved(rows // accum, length, recompute).values()) + ids
    marks = []
    for step in (1, 2):
        before = adam if step == 2 else 0
        for at, kept, grads, state in (
                ("zero_grad", 0, 0, before), ("forward", held, 0, before),
                ("backward", 0, weights, before), ("step", 0, weights, adam)):
            marks.append({"step": step, "at": at, "weights": weights,
                          "saved": kept, "gradients": grads, "adam": state,
                          "sum": weights + kept + grads + state})
    return marks


def peak(rows, length, step, accum=1, gpu=False):
    """The most bytes of a step without recomputation, at one of two moments:
    where forward turns into backward, or in the last block's softmax."""
    mark = timeline(rows, length, accum=accum)[4 * step - 3]
    micro, table = rows // accum, BYTES * V * D
    earlier = mark["weights"] if accum > 1 else 0  # gradients so far
    # The loss makes two gradients as large as the logits before anything
    # is freed.
    turn = mark["sum"] + earlier + 2 * BYTES * micro * length * V
    # Backward has freed what the last block kept, but for the attention
    # weights, the norm and projection in front of them, q and k. Softmax
    # turns one gradient of that size into another.
    stream = BYTES * micro * length * D
    square = BYTES * micro * H * length**2
    block = sum(block_parts(micro, length).values())
    new = table + (0 if earlier else BYTES * (9 * D**2 + 10 * D))
    softmax = (mark["weights"] + mark["adam"] + earlier + 16 * rows * length
               + (L - 1) * block + 6 * stream + 2 * BYTES * micro * length
               + length**2 + 3 * square + new)
    if gpu:  # there, softmax also multiplies gradient and weights first
        softmax += square
    return max(turn, softmax) + (WORKSPACES if gpu else 0)


def flop(rows, length, recompute=False):
    """A multiply-add counts 2; backward costs twice what forward does."""
    tokens = rows * length
    block = 2 * tokens * 12 * D**2 + 4 * tokens * length * D
    forward = L * block + 2 * tokens * V * D
    again = L * (block - 2 * tokens * 4 * D**2)  # stops before `down`
    return 3 * forward + (again if recompute else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in {"rows": 8, "length": CTX, "accum": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    for name in ("recompute", "large", "json"):
        parser.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    if args.large:
        globals().update(D=1024, L=12, H=16, CTX=1024, TENSORS=148)
        args.length = CTX
    if args.rows % args.accum:
        parser.error("--accum must divide --rows")
    marks = timeline(args.rows, args.length, args.recompute, args.accum)
    parts = saved(args.rows // args.accum, args.length, args.recompute)
    parts["token ids and targets"] = 2 * 8 * args.rows * args.length
    work = flop(args.rows, args.length, args.recompute)
    peaks = [] if args.recompute else [
        peak(args.rows, args.length, step, args.accum, args.large)
        for step in (1, 2)]
    if args.json:
        print(json.dumps({
            "parameters": parameters(), "timeline": marks, "parts": parts,
            "saved": sum(parts.values()), "peak": peaks, "flop": work,
            "stream": BYTES * args.rows * args.length * D,
            "block": sum(block_parts(args.rows, args.length).values())},
            indent=2))
        return
    names = [name for name in marks[0] if name not in ("step", "at")]
    print("live bytes  " + "".join(f"{name:>11}" for name in names))
    for mark in marks:
        print(f"{mark['step']} {mark['at']:10}"
              + "".join(f"{mark[name]:11,}" for name in names))
    print("\nheld for backward, in the last micro-batch")
    for name, size in parts.items():
        print(f"{size:11,}  {name}")
    print(f"{sum(parts.values()):11,}  in all\n")
    for step, most in enumerate(peaks, 1):
        print(f"{most:11,}  peak of step {step}")
    print(f"{work:11,}  FLOP")


if __name__ == "__main__":
    main()
