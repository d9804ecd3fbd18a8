"""Memory of two training steps over time, as PyTorch's CPU allocator saw it.

    OMP_NUM_THREADS=1 python3 memory_over_time.py > measured.json

Counts every allocation and release between the marks of train_step. Time is
the number of such events, so that the result is the same on each run. Needs
PyTorch; a CPU is enough. measured.json is what it printed.
"""
import json

from train_single_gpu import random_batch, start, torch, train_step
from torch.profiler import ProfilerActivity, profile, record_function

BINS = 12  # points per phase; each is the most that was live in its part
PHASES = ("forward", "backward", "step")


def note(moment):
    """Leaves an event of this name among those of the allocator."""
    with record_function(f"mark {moment}"):
        pass


def live(steps=2, foreach=False):
    """Live bytes after each event, and where each mark is among them."""
    with profile(activities=[ProfilerActivity.CPU],
                 profile_memory=True) as profiled:
        model, opt, cast, scaler = start()
        for group in opt.param_groups:
            group["foreach"] = foreach
        batch = random_batch()
        for _ in range(steps):
            train_step(model, opt, batch, cast, scaler, mark=note)
    events = sorted(profiled.profiler.kineto_results.events(),
                    key=lambda event: event.start_ns())
    now, sizes, marks = 0, [], []
    for event in events:
        if event.name() == "[memory]":
            now += event.nbytes()
            sizes.append(now)
        elif event.name().startswith("mark "):
            marks.append((event.name()[5:], len(sizes)))
    return sizes, marks


def phases(sizes, marks):
    """Most live bytes of each phase, as a whole and in equal parts."""
    found = []
    for (_, first), (name, last) in zip(marks, marks[1:]):
        part = sizes[first:last] or [sizes[first - 1]]
        if name in PHASES:
            cuts = [round(k * len(part) / BINS) for k in range(BINS + 1)]
            found.append({
                "phase": name, "events": len(part), "most": max(part),
                "end": part[-1],
                "curve": [max(part[a:max(b, a + 1)])
                          for a, b in zip(cuts, cuts[1:])]})
    return found


def main():
    print('{\n "made by": "OMP_NUM_THREADS=1 python3 memory_over_time.py '
          '> measured.json, in November 2026",')
    print(f' "torch": "{torch.__version__.split("+")[0]}",\n "device": "cpu"')
    for kind in ("for loop", "foreach"):
        lines = map(json.dumps, phases(*live(foreach=kind == "foreach")))
        print(f' ,"{kind}": [\n  ' + ",\n  ".join(lines) + "]")
    print("}")


if __name__ == "__main__":
    main()
