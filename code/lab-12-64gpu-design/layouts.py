#!/usr/bin/env python3
"""Computes memory and time of layouts from the inputs of the worksheet.

    python3 layouts.py                # the layouts below, each tuned
    python3 layouts.py 4 8 2 ZeRO-1   # t, p, d and sharding of another one
    python3 layouts.py 4 1 16 FSDP 8  # the same, with this micro-batch
    python3 layouts.py --vary         # one input changed at a time
    python3 layouts.py --json         # all of that, unrounded

Nothing is measured: bytes over a link's rate, operations over an assumed one.
"""
import json
import pathlib
import re
import sys

SHEET = pathlib.Path(__file__).with_name("topology_design_worksheet.md")
LAYOUTS = {  # t, p, d, sharding
    "A": (8, 1, 8, "ZeRO-1"),
    "B": (8, 2, 4, "ZeRO-1"),
    "C": (4, 4, 4, "ZeRO-1"),
    "D": (16, 1, 4, "ZeRO-1"),
    "E": (4, 1, 16, "FSDP"),
    "F": (1, 1, 64, "FSDP"),
}


def read(path):
    """Reads the YAML block of the worksheet: the numbers of each part."""
    block = re.search(r"```yaml\n(.*?)```", path.read_text("utf-8"), re.S)[1]
    x, part = {}, ""
    for line in block.splitlines():
        line = line.partition("#")[0]
        if line[:1].strip():
            part = line.partition(":")[0]
        for key, text in re.findall(r"(\w+): *([\d.]+)", line):
            number = float(text) if "." in text else int(text)
            x.setdefault(part, {})[key] = number
    return x


# ANCHOR: wire
def wire(x, size, stride):
    """Bytes per second for a GPU of a group: `size` ranks, `stride` apart."""
    gpus, nvlink = x["cluster"]["gpus"], x["gbyte_per_s"]["nvlink"] * 1e9
    if size * stride <= gpus:
        return nvlink  # the whole group is in one node
    members = max(1, gpus // stride)  # of the group, in each node
    cards = members * x["cluster"]["cards"] / gpus
    return min(nvlink, cards * x["gbyte_per_s"]["card"] * 1e9)
# ANCHOR_END: wire


def stage(x, p, k):
    """Blocks, parameters, and parameters of the LM head in stage k of p."""
    model = x["model"]
    blocks, head = model["layers"] // p, model["table"] * (k == p - 1)
    held = blocks * model["block"] + head + model["table"] * (k == 0)
    return blocks, model["parameters"] if p == 1 else held, head


# ANCHOR: memory
def memory(x, layout, micro, k, redo):
    """Bytes on a GPU of stage k, which recomputes `redo` of its blocks."""
    t, p, d, sharding = layout
    blocks, held, head = stage(x, p, k)
    tokens, choices = micro * x["batch"]["tokens"], x["choices"]
    s = 2 * tokens * x["model"]["width"]
    if sharding == "FSDP":  # fp32 weight, gradient and moments
        state = 16 / d * held / t
        root = held - blocks * x["model"]["block"]  # the tables
        # root and two blocks gathered; gradients of root and one block,
        # in 16 bits, and the block's in fp32 for their sum
        whole = (4 * root + 10 * x["model"]["block"]) / t
    else:  # ZeRO-1 divides only the optimizer's 12 bytes by d
        state = (2 + choices["gradient_bytes"] + 12 / d) * held / t
        whole = 0
    divided = 2.25 + 3.5 * choices["mlp_tensors"]  # 3.5 times as wide
    if choices["sequence_parallel"]:
        block, border = (4 + divided) * s / t, s / t
    else:  # each rank keeps norms and block inputs of all tokens
        block, border = (4 + divided / t) * s, s
    kept = (p - k) * ((blocks - redo) * block + redo * border)
    logits = 12 * tokens * head / x["model"]["width"] / t  # three, in fp32
    kept += max(logits, block if redo else 0)  # at the loss, or after it
    room = x["gpu"]["gib"] * 2**30 - x["gpu"]["reserve"] * 1e9
    return {"state": state, "whole": whole, "activations": kept,
            "left": room - state - whole - kept}
# ANCHOR_END: memory


# ANCHOR: tune
def tune(x, layout, given=None):
    """The least recomputation that fits, then the largest micro-batch.

    With `given`, that micro-batch.
    """
    _, p, d, _ = layout
    share, blocks = x["batch"]["sequences"] // d, x["model"]["layers"] // p
    found, micro = [], 1
    while share % micro == 0 and share // micro >= p:
        redos = [next((redo for redo in range(blocks + 1)
                       if memory(x, layout, micro, k, redo)["left"] >= 0),
                      None) for k in range(p)]
        if None not in redos and given in (None, micro):
            found.append((sum(redos), -micro, redos))
        micro *= 2
    # what fits in no way is shown with all blocks recomputed
    _, micro, redos = min(found, default=(0, -1, [blocks] * p))
    return -micro, redos
# ANCHOR_END: tune


# ANCHOR: time
def time(x, layout, micro, redos):
    """Seconds of one step, with nothing hidden and with overlap."""
    t, p, d, sharding = layout
    model, gpu, choices = x["model"], x["gpu"], x["choices"]
    tokens = micro * x["batch"]["tokens"]
    micros = x["batch"]["sequences"] // (d * micro)
    rate = gpu["tflop_per_s"] * 1e12 * gpu["attainable"]
    products = model["layers"] * model["block"] + model["table"]
    stages = []
    for k, redo in enumerate(redos):
        blocks, held, head = stage(x, p, k)
        share = ((blocks + redo / 3) * model["block"] + head) / products
        compute = 6 * model["parameters"] * tokens * share / (t * rate)
        sums = (4 + choices["sequence_parallel"]) * blocks + 2 * redo
        sent = sums * 2 * (t - 1) / t * 2 * tokens * model["width"]
        stages.append((compute, sent / wire(x, t, 1)))
    compute, tp = (micros * each for each in max(stages, key=sum))
    width = choices["gradient_bytes"]  # 2 bytes for each gather of weights
    passes = (width + 4) * micros if sharding == "FSDP" else width + 2
    largest = stage(x, p, 0)[1]
    dp = passes * (d - 1) / d * largest / t / wire(x, d, t * p)
    bubble = 1 + (p - 1) / micros
    exposed = (compute + tp) * bubble + dp

    shown = tp * (1 - x["overlap"]["t"])
    beside = compute + shown  # what DP can hide behind
    if sharding == "ZeRO-1":
        beside /= micros  # it is sent once, during one micro-batch
    rest = dp - min(dp * x["overlap"]["d"], beside)
    return {"micros": micros, "compute": compute, "tp": tp,
            "bubble": (compute + tp) * (bubble - 1), "dp": dp,
            "exposed": exposed,
            "overlapped": (compute + shown) * bubble + rest}
# ANCHOR_END: time


def evaluate(x, layout, given=None):
    """Everything about a tuned layout, which does not fit if `left` < 0.

    MFU is 6 FLOP per parameter and token, over the peak of all GPUs.
    """
    micro, redos = tune(x, layout, given)
    fullest = min((memory(x, layout, micro, k, redo)
                   for k, redo in enumerate(redos)), key=lambda m: m["left"])
    row = {"micro": micro, "redos": redos} | fullest
    row |= time(x, layout, micro, redos)
    t, p, d, _ = layout
    tokens = x["batch"]["sequences"] * x["batch"]["tokens"]
    peak = t * p * d * x["gpu"]["tflop_per_s"] * 1e12
    return row | {"mfu": 6 * x["model"]["parameters"] * tokens
                  / peak / row["exposed"]}


def splits(x):
    """All (t, p, d), and those of them that divide the model."""
    model = x["model"]
    world = x["cluster"]["gpus"] * x["cluster"]["nodes"]
    powers = [2**i for i in range(world.bit_length())]
    every = [(t, p, world // (t * p)) for t in powers for p in powers
             if world % (t * p) == 0]
    return every, [(t, p, d) for t, p, d in every
                   if model["heads"] % t == model["kv_heads"] % t == 0
                   and model["layers"] % p == 0]


def search(x):
    """All layouts that divide and fit, with either sharding."""
    rows = {(*split, sharding): evaluate(x, (*split, sharding))
            for split in splits(x)[1] for sharding in ("ZeRO-1", "FSDP")}
    return {layout: row for layout, row in rows.items() if row["left"] >= 0}


def counted(x):
    """How many layouts are left after each rule."""
    every, divide = splits(x)
    fit = [row for layout, row in search(x).items() if layout[3] == "ZeRO-1"]
    return {"t * p * d is the number of GPUs": len(every),
            "t divides heads and kv_heads, p layers": len(divide),
            "ZeRO-1 fits": len(fit),
            "ZeRO-1 fits without recomputing":
                sum(not any(row["redos"]) for row in fit)}


VARIED = {  # what is changed, one at a time
    "nothing": {},
    "gradient_bytes 2": {"choices": {"gradient_bytes": 2}},
    "mlp_tensors 4": {"choices": {"mlp_tensors": 4}},
    "reserve 16": {"gpu": {"reserve": 16}},
    "attainable 0.44": {"gpu": {"attainable": 0.44}},
    "nvlink 370": {"gbyte_per_s": {"nvlink": 370}},
    "overlap t 0": {"overlap": {"t": 0}},
    "overlap t 0.9": {"overlap": {"t": 0.9}},
    "overlap d 0.8": {"overlap": {"d": 0.8}},
}


def vary(x):
    """For each change: layouts B, C and E, and the fastest of all."""
    found = {}
    for name, change in VARIED.items():
        changed = {part: values | change.get(part, {})
                   for part, values in x.items()}
        rows = {letter: evaluate(changed, LAYOUTS[letter])
                for letter in "BCE"}
        every = search(changed)
        best = {way: min(every, key=lambda layout: every[layout][way])
                for way in ("exposed", "overlapped")}
        found[name] = {"rows": rows, "best": best}
    return found


def show_varied(found):
    print("exposed / overlapped, s")
    print(f"{'changed':18}" + "".join(f"{letter:15}" for letter in "BCE")
          + "fastest")
    for name, entry in found.items():
        times = "".join(f"{row['exposed']:6.2f} /{row['overlapped']:6.2f} "
                        for row in entry["rows"].values())
        print(f"{name:18}{times}" + ", ".join(
            " ".join(map(str, layout)) for layout in entry["best"].values()))


def show(counts, rows):
    for name, count in counts.items():
        print(f"{count:3} layouts: {name}")
    print("\n      t  p  d  sharding  micro  redo  state  whole   acts   left"
          "  (GB)")
    for name, (layout, row) in rows.items():
        t, p, d, sharding = layout
        print(f"{name:4}{t:3}{p:3}{d:3}  {sharding:8}{row['micro']:7}"
              f"{max(row['redos']):6}{row['state'] / 1e9:7.2f}"
              f"{row['whole'] / 1e9:7.2f}"
              f"{row['activations'] / 1e9:7.2f}{row['left'] / 1e9:7.1f}")
    print("\n    compute     TP  bubble     DP  exposed  overlapped  (s)")
    for name, (_, row) in rows.items():
        print(f"{name:4}{row['compute']:7.2f}{row['tp']:7.2f}"
              f"{row['bubble']:8.2f}{row['dp']:7.2f}{row['exposed']:9.2f}"
              f"{row['overlapped']:12.2f}")


def main():
    x, words = read(SHEET), [w for w in sys.argv[1:] if w[:2] != "--"]
    layouts, given = dict(LAYOUTS), None
    if words:
        t, p, d, sharding, *micro = words
        given = int(micro[0]) if micro else None
        layouts = {"mine": (int(t), int(p), int(d), sharding)}
    rows = {name: (each, evaluate(x, each, given))
            for name, each in layouts.items()}
    counts = counted(x)
    if "--vary" in sys.argv:
        show_varied(vary(x))
    elif "--json" in sys.argv:
        print(json.dumps({"inputs": x, "counts": counts, "layouts":
                          {name: row for name, (_, row) in rows.items()},
                          "varied": vary(x)}, indent=2))
    else:
        show(counts, rows)


if __name__ == "__main__":
    main()
