#!/usr/bin/env python3
"""When each bucket of a step leaves and arrives, on CPU processes with gloo.

    OMP_NUM_THREADS=1 torchrun --standalone --nproc_per_node=2 trace.py

Prints, for two caps, the step of median length of rank 0. trace.json is what
it printed on a busy machine: read the order in it, not the speed.
"""
import json
import time

from train_ddp import Net, setup, torch, wrap, WIDTH
from checks import BucketLog, dist

ROWS, STEPS = 128, 11  # more rows than in train_ddp.py: backward takes longer


class Clock(BucketLog):
    """Also notes when each bucket is full and when its sum is back."""

    def average(self, bucket):
        began, size = time.perf_counter(), bucket.buffer().nbytes

        def arrived(done):
            self.rows.append((size, began, time.perf_counter()))
            return done.value()
        return super().average(bucket).then(arrived)


def step(model, clock, batch):
    """One backward pass: its end, and the buckets, in ms from its start."""
    clock.rows, computed = [], []
    first = model.module.layers[0].weight  # its gradient is ready last
    hook = first.register_hook(lambda _: computed.append(time.perf_counter()))
    loss = model(*batch)
    dist.barrier()
    start = time.perf_counter()
    loss.backward()
    done = time.perf_counter()
    hook.remove()
    def ms(moment):
        return round(1e3 * (moment - start), 1)
    return {"computed": ms(computed[0]), "done": ms(done),
            "buckets": [{"MiB": round(size / 2**20, 1), "full": ms(a),
                         "back": ms(b)} for size, a, b in clock.rows]}


def main():
    device = setup()
    torch.manual_seed(dist.get_rank())
    found = {}
    for cap in (None, 8):
        model, clock = wrap(Net().to(device), device, cap), Clock()
        model.register_comm_hook(clock, Clock.average)
        batch = [torch.randn(ROWS, WIDTH, device=device) for _ in range(2)]
        steps = [step(model, clock, batch) for _ in range(STEPS + 1)][1:]
        found[str(cap or "none")] = sorted(
            steps, key=lambda each: each["done"])[STEPS // 2]
    if dist.get_rank() == 0:
        print(json.dumps({"torch": torch.__version__.split("+")[0],
                          "ranks": dist.get_world_size(), "backend": "gloo",
                          "caps": found}, indent=1))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
