#!/usr/bin/env python3
"""Lab 02's training loop, converted to N processes.

    torchrun --standalone --nproc_per_node=2 train_ddp.py
    torchrun --standalone --nproc_per_node=4 train_ddp.py --accum 1 --cap 8

`# DDP` marks each line of the step and the loop that lab 02 does not have.
Runs on a CPU with gloo, and with nccl where there are GPUs, one per rank.
Checked against torch 2.15.0 (2026-11).
"""
import argparse
import json
import os
from contextlib import nullcontext

try:
    import torch
except ImportError:
    raise SystemExit("this needs PyTorch: pip install torch==2.15.0")
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checks import BucketLog, sample_weights, spread

WIDTH, LAYERS, SAMPLES = 1024, 8, 64


class Net(nn.Module):
    """Eight equal layers, so that buckets can be counted in layers."""

    def __init__(self, skip: int = 0) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH)
                                    for _ in range(LAYERS))
        self.skip = skip  # layers that forward leaves out

    def forward(self, inputs: torch.Tensor, targets: torch.Tensor):
        x = inputs
        for layer in self.layers[self.skip:]:
            x = x + layer(x.relu())
        return F.mse_loss(x, targets)


# ANCHOR: setup
def setup() -> torch.device:
    """Join the group that torchrun describes in the environment."""
    if not torch.cuda.is_available():
        dist.init_process_group("gloo")
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)  # fails for a rank without a GPU
    dist.init_process_group("nccl", device_id=device)
    return device
# ANCHOR_END: setup


# ANCHOR: loader
def build_loader(batch: int) -> DataLoader:
    """This rank's share of a data set that every rank could read."""
    fixed = torch.Generator().manual_seed(0)
    x = torch.randn(SAMPLES, WIDTH, generator=fixed)
    data = TensorDataset(x, x.roll(1, dims=1))
    return DataLoader(data, batch, drop_last=True,
                      sampler=DistributedSampler(data))              # DDP
# ANCHOR_END: loader


# ANCHOR: wrap
def wrap(net: nn.Module, device: torch.device, cap: float | None = None,
         find_unused: bool = False) -> DDP:
    ids = [device.index] if device.type == "cuda" else None
    return DDP(net, device_ids=ids, bucket_cap_mb=cap,
               gradient_as_bucket_view=True,
               find_unused_parameters=find_unused)
# ANCHOR_END: wrap


# ANCHOR: step
def train_step(model, opt, batch, accum=1):
    opt.zero_grad()
    total = 0.0
    parts = zip(*(t.chunk(accum) for t in batch))
    for part, (inputs, targets) in enumerate(parts, 1):              # DDP
        with model.no_sync() if part < accum else nullcontext():     # DDP
            loss = model(inputs, targets) / accum
            loss.backward()
        total += loss.detach()
    opt.step()
    return total


def train(model, opt, loader, device, epochs, accum=1):
    losses = []
    for epoch in epochs:
        loader.sampler.set_epoch(epoch)                              # DDP
        for batch in loader:
            batch = [t.to(device, non_blocking=True) for t in batch]
            losses.append(train_step(model, opt, batch, accum))
    losses = torch.stack(losses)
    dist.all_reduce(losses)                                          # DDP
    return (losses / dist.get_world_size()).tolist()                 # DDP
# ANCHOR_END: step


# ANCHOR: checkpoint
def save(path: str, model: DDP, opt, epoch: int) -> None:
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(),
                    "optimizer": opt.state_dict(), "epoch": epoch},
                   f"{path}.new")
        os.replace(f"{path}.new", path)
    dist.barrier()
# ANCHOR_END: checkpoint


def resume(path: str, model: DDP, opt, device: torch.device) -> int:
    """The next epoch, if all ranks find the same one."""
    epoch = 0
    if os.path.exists(path):
        saved = torch.load(path, map_location=device, weights_only=True)
        model.module.load_state_dict(saved["model"])
        opt.load_state_dict(saved["optimizer"])
        epoch = saved["epoch"] + 1
    ends = torch.tensor([epoch, -epoch], device=device)
    dist.all_reduce(ends, dist.ReduceOp.MAX)
    if ends.sum() != 0:  # the largest epoch is not the smallest
        raise SystemExit(f"{path}: not the same file on every rank")
    return epoch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=4,
                        help="samples of a micro-batch on each rank")
    parser.add_argument("--accum", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--opt", choices=["SGD", "Adam"], default="SGD")
    parser.add_argument("--cap", type=float, help="bucket_cap_mb")
    parser.add_argument("--skip", type=int, default=0,
                        help="layers that forward leaves out")
    parser.add_argument("--find-unused", action="store_true")
    parser.add_argument("--checkpoint", default="")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    device = setup()
    world, rank = dist.get_world_size(), dist.get_rank()
    torch.manual_seed(rank)  # on purpose: ranks start with other weights
    net = Net(args.skip).to(device)
    seeded = spread(net)
    model = wrap(net, device, args.cap, args.find_unused)
    wrapped = spread(net)
    log = BucketLog()
    model.register_comm_hook(log, BucketLog.average)
    opt = getattr(torch.optim, args.opt)(model.parameters(), args.lr)
    loader = build_loader(args.batch * args.accum)
    first = resume(args.checkpoint, model, opt, device)
    if first >= args.epochs:
        dist.destroy_process_group()
        raise SystemExit(f"{args.checkpoint} has all {first} epochs")
    losses = train(model, opt, loader, device, range(first, args.epochs),
                   args.accum)
    if args.checkpoint:
        save(args.checkpoint, model, opt, args.epochs - 1)
    uneven = [2] * (world - 1) + [6]
    figures = {
        "world": world, "global_batch": args.batch * world * args.accum,
        "spread": {"seeded": seeded, "wrapped": wrapped,
                   "trained": spread(net)},
        "losses": losses, "buckets": log.steps,
        "even": sample_weights([4] * world, device),
        "uneven": sample_weights(uneven, device),
        "rescaled": sample_weights(uneven, device, rescale=True),
        "order": [order(loader, epoch) for epoch in (0, 1)],
    }
    if rank == 0:
        print(json.dumps(figures) if args.json else "\n".join(
            f"{name}: {value}" for name, value in figures.items()))
    dist.destroy_process_group()


def order(loader: DataLoader, epoch: int) -> list[int]:
    loader.sampler.set_epoch(epoch)
    return list(loader.sampler)[:4]


if __name__ == "__main__":
    main()
