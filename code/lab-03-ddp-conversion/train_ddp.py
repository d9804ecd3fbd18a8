#!/usr/bin/env python3
"""One training loop on N processes, and receipts for what DDP did in it.

    torchrun --standalone --nproc_per_node=2 train_ddp.py
    torchrun --standalone --nproc_per_node=4 train_ddp.py --accum 1 --cap 8

Runs on a CPU with gloo; ranks with a GPU each use nccl.
checked against torch 2.15.0 (2026-11)
"""
import argparse
import json
import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

WIDTH, LAYERS, SAMPLES = 1024, 8, 64


class Net(nn.Module):
    """Eight equal layers, so that buckets can be counted in layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH)
                                    for _ in range(LAYERS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = x + layer(x.relu())
        return x


# ANCHOR: setup
def setup() -> torch.device:
    """Join the group that torchrun describes in the environment."""
    gpus = torch.cuda.device_count()
    if gpus < int(os.environ["LOCAL_WORLD_SIZE"]):
        dist.init_process_group("gloo")
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    return device
# ANCHOR_END: setup


# ANCHOR: loader
def build_loader(batch: int) -> DataLoader:
    """This rank's share of a data set that every rank could read."""
    fixed = torch.Generator().manual_seed(0)
    x = torch.randn(SAMPLES, WIDTH, generator=fixed)
    data = TensorDataset(x, x.roll(1, dims=1))
    return DataLoader(data, batch, sampler=DistributedSampler(data))
# ANCHOR_END: loader


# ANCHOR: wrap
def build_model(device: torch.device, cap: float | None, log: list) -> DDP:
    torch.manual_seed(dist.get_rank())  # on purpose: ranks disagree here
    net = Net().to(device)
    log.append(spread(net))
    ids = [device.index] if device.type == "cuda" else None
    model = DDP(net, device_ids=ids, bucket_cap_mb=cap,
                gradient_as_bucket_view=True)
    log.append(spread(net))
    return model
# ANCHOR_END: wrap


# ANCHOR: hook
def mean_and_log(log: list, bucket: dist.GradBucket,
                 ) -> torch.futures.Future[torch.Tensor]:
    """What DDP does with a full bucket, plus a line in the log."""
    grads = bucket.buffer()
    if bucket.index() == 0:
        log.append([])
    log[-1].append(grads.nbytes)
    grads.div_(dist.get_world_size())
    work = dist.all_reduce(grads, async_op=True)
    return work.get_future().then(lambda done: done.value()[0])
# ANCHOR_END: hook


# ANCHOR: epoch
def train_epoch(model: DDP, loader: DataLoader,
                optimizer: torch.optim.Optimizer, epoch: int, accum: int,
                device: torch.device) -> list[float]:
    loader.sampler.set_epoch(epoch)
    losses, window = [], 0.0
    for i, (x, y) in enumerate(loader, 1):
        full = i % accum == 0
        with nullcontext() if full else model.no_sync():
            loss = F.mse_loss(model(x.to(device)), y.to(device)) / accum
            loss.backward()
        window += loss.detach()
        if full:
            optimizer.step()
            optimizer.zero_grad()
            dist.all_reduce(window)
            losses.append(window.item() / dist.get_world_size())
            window = 0.0
    return losses
# ANCHOR_END: epoch


# ANCHOR: spread
def spread(net: nn.Module) -> float:
    """Largest disagreement between ranks about any parameter."""
    flat = nn.utils.parameters_to_vector(net.parameters()).detach()
    low, high = flat.clone(), flat.clone()
    dist.all_reduce(low, dist.ReduceOp.MIN)
    dist.all_reduce(high, dist.ReduceOp.MAX)
    return (high - low).max().item()
# ANCHOR_END: spread


# ANCHOR: weights
def sample_weights(sizes: list[int], device: torch.device,
                   rescale: bool = False) -> list[float]:
    """What each sample counts in a step if rank r holds sizes[r]."""
    rank, total = dist.get_rank(), sum(sizes)
    start = sum(sizes[:rank])
    mine = torch.eye(total, device=device)[start:start + sizes[rank]]
    model = DDP(nn.Linear(total, 1, bias=False).to(device))
    loss = model(mine).mean()
    if rescale:
        loss = loss * sizes[rank] * len(sizes) / total
    loss.backward()
    return [round(w, 4) for w in model.module.weight.grad[0].tolist()]
# ANCHOR_END: weights


# ANCHOR: price
def ring_bytes(size: int, world: int) -> int:
    """Bytes that each rank sends to all-reduce `size` bytes."""
    return 2 * (world - 1) * size // world


def exposed_ms(buckets: list[int], backward: float, wire: float,
               launch: float) -> float:
    """Communication that is left when backward has ended."""
    ready = free = 0.0
    for size in buckets:
        share = size / sum(buckets)
        ready += backward * share
        free = max(ready, free) + launch + wire * share
    return free - backward
# ANCHOR_END: price


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=4, help="on each rank")
    parser.add_argument("--accum", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--cap", type=float, help="bucket_cap_mb")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    device, spreads, buckets, losses, order = setup(), [], [], [], []
    world = dist.get_world_size()
    loader = build_loader(args.batch)
    model = build_model(device, args.cap, spreads)
    model.register_comm_hook(buckets, mean_and_log)
    optimizer = torch.optim.SGD(model.parameters(), args.lr)
    for epoch in range(2):
        losses += train_epoch(model, loader, optimizer, epoch, args.accum,
                              device)
        order.append(list(loader.sampler)[:4])
    spreads.append(spread(model.module))
    size = sum(p.nbytes for p in model.parameters())
    steady = buckets[-1] if buckets else [size]
    uneven = [2] * (world - 1) + [6]
    figures = {
        "world": world, "accum": args.accum,
        "global_batch": args.batch * world * args.accum,
        "spread": dict(zip(("seeded", "wrapped", "trained"), spreads)),
        "losses": losses, "order": order, "buckets": buckets,
        "ring_bytes": ring_bytes(size, world),
        "exposed_ms": [exposed_ms(steady, backward=8, wire=4, launch=launch)
                       for launch in (0, 0.8)],
        "even": sample_weights([4] * world, device),
        "uneven": sample_weights(uneven, device),
        "rescaled": sample_weights(uneven, device, rescale=True),
    }
    if dist.get_rank() == 0:
        print(json.dumps(figures) if args.json else "\n".join(
            f"{name}: {value}" for name, value in figures.items()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
