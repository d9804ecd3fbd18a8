#!/usr/bin/env python3
"""Computes memory and time of layouts from the inputs of the worksheet.

    python3 layouts.py                   # the layouts below
    python3 layouts.py 4 1 16 ZeRO-1 0   # t, p, d, sharding, recomputed share
    python3 layouts.py --vary            # one input changed at a time
    python3 layouts.py --json            # all of that, unrounded

Nothing is measured: bytes over a link's rate, operations over an assumed one.
"""
import json
import pathlib
import re
import sys

SHEET = pathlib.Path(__file__).with_name("topology_design_worksheet.md")
LAYOUTS = {  # t, p, d, sharding, share of the blocks that is recomputed
    "A": (8, 1, 8, "ZeRO-1", 0),
    "B": (8, 2, 4, "ZeRO-1", 0),
    "C": (4, 4, 4, "ZeRO-1", 0.25),
    "D": (16, 1, 4, "ZeRO-1", 0),
    "E": (8, 1, 8, "FSDP", 0),
    "F": (1, 1, 64, "FSDP", 1),
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


def sizes(x, p, d):
    """Blocks, parameters and micro-batches of the heaviest stage, and S."""
    model, batch = x["model"], x["batch"]
    blocks = model["layers"] // p
    stage = blocks * model["block"] + model["table"]
    if p == 1:
        stage = model["parameters"]
    micros = batch["sequences"] // (d * batch["micro"])
    s = 2 * batch["tokens"] * batch["micro"] * model["width"]  # bytes
    return blocks, stage, micros, s


# ANCHOR: memory
def memory(x, t, p, d, sharding, redo):
    """Bytes on the fullest GPU, which is in the first stage."""
    blocks, stage, _, s = sizes(x, p, d)
    choices = x["choices"]
    whole = 2 + choices["gradient_bytes"]  # weight and gradient
    if sharding == "FSDP":
        state = (whole + 12) / d * stage / t
    else:  # ZeRO-1 divides only the optimizer's 12 bytes by d
        state = (whole + 12 / d) * stage / t
    divided = 2.25 + 3.5 * choices["mlp_tensors"]  # 3.5 times as wide
    if choices["sequence_parallel"]:
        block, border = (4 + divided) * s / t, s / t
    else:  # each rank keeps norms and block inputs of all tokens
        block, border = (4 + divided / t) * s, s
    kept = p * blocks * ((1 - redo) * block + redo * border)
    if redo:
        kept += block  # the one that is being recomputed
    room = (x["gpu"]["gbyte"] - x["gpu"]["reserve"]) * 1e9
    return {"state": state, "activations": kept, "left": room - state - kept}
# ANCHOR_END: memory


# ANCHOR: time
def time(x, t, p, d, sharding, redo):
    """Seconds of one step, with nothing hidden and with overlap."""
    model, gpu = x["model"], x["gpu"]
    blocks, stage, micros, s = sizes(x, p, d)
    tokens = x["batch"]["tokens"] * x["batch"]["micro"]
    rate = gpu["tflop_per_s"] * 1e12 * gpu["attainable"]
    share = (blocks * model["block"] + model["table"]) / (
        model["layers"] * model["block"] + model["table"])
    work = 6 * model["parameters"] * tokens * share  # of the last stage
    compute = micros * work / (t * rate) * (1 + redo / 3)
    sums = micros * 4 * blocks * (1 + redo / 2)  # all-reduces along t
    tp = sums * 2 * (t - 1) / t * s / wire(x, t, 1)
    width = x["choices"]["gradient_bytes"]  # 2 bytes for each gather
    passes = (width + 4) * micros if sharding == "FSDP" else width + 2
    dp = passes * (d - 1) / d * stage / t / wire(x, d, t * p)
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


def evaluate(x, layout):
    """Everything about one layout; MFU is 6 FLOP per parameter and token."""
    t, p, d = layout[:3]
    row = memory(x, *layout) | time(x, *layout)
    tokens = x["batch"]["sequences"] * x["batch"]["tokens"]
    peak = t * p * d * x["gpu"]["tflop_per_s"] * 1e12
    return row | {"mfu": 6 * x["model"]["parameters"] * tokens
                  / peak / row["exposed"]}


def divisible(x):
    """How many layouts are left after each rule, and those that fit."""
    model, gpus = x["model"], x["cluster"]["gpus"]
    world = gpus * x["cluster"]["nodes"]
    powers = [2 ** i for i in range(world.bit_length())]
    left = [(t, p, world // (t * p)) for t in powers for p in powers
            if world % (t * p) == 0]
    counts = {"t * p * d is the number of GPUs": len(left)}
    for name, rule in {
        "t divides heads and kv_heads": lambda t, p, d:
            model["heads"] % t == 0 and model["kv_heads"] % t == 0,
        "t fits into a node": lambda t, p, d: t <= gpus,
        "p divides layers": lambda t, p, d: model["layers"] % p == 0,
        "d divides the sequences": lambda t, p, d:
            x["batch"]["sequences"] % (d * x["batch"]["micro"]) == 0,
        "it fits with ZeRO-1": lambda t, p, d:
            memory(x, t, p, d, "ZeRO-1", 0)["left"] >= 0,
    }.items():
        left = [layout for layout in left if rule(*layout)]
        counts[name] = len(left)
    return counts, left


VARIED = {  # what is changed, one at a time
    "nothing": {},
    "attainable 0.44": {"gpu": {"attainable": 0.44}},
    "nvlink 370": {"gbyte_per_s": {"nvlink": 370}},
    "overlap t 0": {"overlap": {"t": 0}},
    "overlap d 0.9": {"overlap": {"d": 0.9}},
    "mlp_tensors 4": {"choices": {"mlp_tensors": 4}},
    "gradient_bytes 4": {"choices": {"gradient_bytes": 4}},
    "both": {"choices": {"mlp_tensors": 4, "gradient_bytes": 4}},
}


def vary(x):
    """For each change: B, the layouts that fit, and the fastest of them."""
    found = {}
    for name, change in VARIED.items():
        changed = {part: values | change.get(part, {})
                   for part, values in x.items()}
        rows = {letter: evaluate(changed, layout)
                for letter, layout in LAYOUTS.items()}
        fits = [letter for letter, row in rows.items() if row["left"] >= 0]
        b = rows["B"]
        found[name] = {"fits": "".join(fits), "left": b["left"],
                       "exposed": b["exposed"], "overlapped": b["overlapped"]}
        for way in ("exposed", "overlapped"):
            found[name][f"best {way}"] = min(fits, key=lambda letter:
                                             round(rows[letter][way], 2))
    return found


def show_varied(found):
    print(f"{'changed':18}{'fit':8}B: GB left  exposed  overlapped   fastest")
    for name, row in found.items():
        best = f"{row['best exposed']}, {row['best overlapped']}"
        print(f"{name:18}{row['fits']:8}{row['left'] / 1e9:10.1f}"
              f"{row['exposed']:9.2f}{row['overlapped']:12.2f}   {best}")


def show(counts, rows):
    for name, count in counts.items():
        print(f"{count:3} layouts: {name}")
    print("\n      t  p  d  sharding  redo   state   acts   left  (GB)")
    for name, (layout, row) in rows.items():
        t, p, d, sharding, redo = layout
        print(f"{name:4}{t:3}{p:3}{d:3}  {sharding:8}{redo:6.2f}"
              f"{row['state'] / 1e9:8.2f}{row['activations'] / 1e9:7.2f}"
              f"{row['left'] / 1e9:7.1f}")
    print("\n    compute     TP  bubble     DP  exposed  overlapped  (s)")
    for name, (_, row) in rows.items():
        print(f"{name:4}{row['compute']:7.2f}{row['tp']:7.2f}"
              f"{row['bubble']:8.2f}{row['dp']:7.2f}{row['exposed']:9.2f}"
              f"{row['overlapped']:12.2f}")


def main():
    x, words = read(SHEET), [w for w in sys.argv[1:] if w[:2] != "--"]
    layouts = dict(LAYOUTS)
    if words:
        t, p, d, sharding, redo = words
        layouts = {"mine": (int(t), int(p), int(d), sharding, float(redo))}
    rows = {name: (each, evaluate(x, each)) for name, each in layouts.items()}
    counts, fit = divisible(x)
    if "--vary" in sys.argv:
        show_varied(vary(x))
    elif "--json" in sys.argv:
        print(json.dumps({"inputs": x, "counts": counts, "fit": fit, "layouts":
                          {name: row for name, (_, row) in rows.items()},
                          "varied": vary(x)}, indent=2))
    else:
        show(counts, rows)


if __name__ == "__main__":
    main()
