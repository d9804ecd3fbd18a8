"""What a GPU's memory holds at the worst moment of the second step: the
allocator's history, replayed up to its peak. Prints JSON.

    python3 peak.py                on an NVIDIA GPU, for measure.py's model
    python3 peak.py --rows 4

`backward` says that no Python line asked for the bytes: autograd did.
"""
import argparse
import collections
import json
import sys

try:
    import torch
except ImportError as error:
    print(f"{error}: install it with `pip install torch==2.15.0`",
          file=sys.stderr)
    sys.exit(2)

import plan
import train_single_gpu as lab
from measure import SIZES, facts


def replay(events, until=None):
    """Live blocks by address after each event, and where they are most."""
    live, now, most, at = {}, 0, 0, 0
    for number, event in enumerate(events):
        if event["action"] == "alloc":
            live[event["addr"]] = event
            now += event["size"]
        elif event["action"] == "free_completed":
            gone = live.pop(event["addr"], None)
            now -= gone["size"] if gone else 0
        if now > most:
            most, at = now, number
        if number == until:
            break
    return live, most, at


def asked_by(event):
    """The innermost function of the lab's own file, or `backward`."""
    for frame in event.get("frames", []):
        if frame["filename"].endswith("train_single_gpu.py"):
            return frame["name"]
    return "backward"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=8)
    args = parser.parse_args()
    if not torch.cuda.is_available():
        print("this measurement needs an NVIDIA GPU", file=sys.stderr)
        return 2
    for module in (lab, plan):
        vars(module).update(SIZES["cuda"])
    plan.TENSORS = 2 + 12 * plan.L + 2
    torch.cuda.memory._record_memory_history(
        stacks="python", max_entries=1_000_000)
    model, opt, cast, scaler = lab.start(device="cuda")
    batch = lab.random_batch("cuda", args.rows, lab.CTX)
    for _ in range(2):
        lab.train_step(model, opt, batch, cast, scaler)
    history = torch.cuda.memory._snapshot()["device_traces"][0]
    _, most, at = replay(history)
    live, _, _ = replay(history, at)
    groups = collections.Counter(
        (event["size"], asked_by(event)) for event in live.values())
    largest = sorted(groups.items(), key=lambda item: -item[0][0] * item[1])
    print(json.dumps(facts("cuda") | {
        "rows": args.rows, "sizes": SIZES["cuda"], "peak_bytes": most,
        "allocator_says": torch.cuda.max_memory_allocated(),
        "planned_bytes": plan.peak(args.rows, lab.CTX, 2, gpu=True),
        "live": [{"bytes": size, "blocks": count, "asked_by": name}
                 for (size, name), count in largest[:24]]}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
