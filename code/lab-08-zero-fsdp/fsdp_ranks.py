#!/usr/bin/env python3
"""One training step with fully_shard on two CPU ranks, as rank 0 sees it.

    python3 fsdp_ranks.py               # needs PyTorch 2.15, no GPU
    python3 fsdp_ranks.py --keep        # reshard_after_forward=False
    python3 fsdp_ranks.py --root-only   # one group for the whole model
    python3 fsdp_ranks.py --micro-batches 2   # gradients are sent once
    python3 fsdp_ranks.py --resume      # save, build again, load, compare
"""
import argparse
import os
import tempfile
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    get_state_dict, set_state_dict)
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

RANKS = 2
WIDTHS = [8, 16, 32, 4]  # three layers of 144, 544 and 132 parameters
SHORT = {torch.float32: "fp32", torch.bfloat16: "bf16"}


def say(line: str) -> None:
    if dist.get_rank() == 0:
        print(line)


def listen(function: str, action: str) -> None:
    """Prints each call of a collective before it is made."""
    original = getattr(dist, function)

    def noted(output, input, *rest, **more):
        whole = output if action == "all-gather" else input
        say(f"    {action:14} {whole.numel():4} values, {SHORT[whole.dtype]}")
        return original(output, input, *rest, **more)
    setattr(dist, function, noted)


# ANCHOR: wrap
POLICY = MixedPrecisionPolicy(param_dtype=torch.bfloat16,
                              reduce_dtype=torch.float32)


def build(root_only: bool, keep: bool) -> nn.Sequential:
    model = nn.Sequential(*[nn.Linear(a, b)
                            for a, b in zip(WIDTHS, WIDTHS[1:])])
    if not root_only:
        for layer in model:  # one group per call
            fully_shard(layer, reshard_after_forward=not keep,
                        mp_policy=POLICY)
    return fully_shard(model, mp_policy=POLICY)  # what is left: the root group
# ANCHOR_END: wrap


def announce(model: nn.Sequential) -> None:
    """Prints when a layer has finished its forward or backward."""
    warnings.filterwarnings("ignore", "FSDP2-wrapped")  # due to the hooks
    for number, layer in enumerate(model):
        layer.register_forward_hook(
            lambda *_, n=number: say(f"forward of layer {n}"))
        layer.register_full_backward_hook(
            lambda *_, n=number: say(f"backward of layer {n}"))


def resume(model: nn.Sequential, adam, folder: str) -> bool:
    """Saves the shards, loads them into a new model, and compares."""
    models, states = get_state_dict(model, adam)
    checkpoint.save({"model": models, "adam": states}, checkpoint_id=folder)
    again = build(False, False)
    other = torch.optim.Adam(again.parameters())
    empty = dict(zip(("model", "adam"), get_state_dict(again, other)))
    checkpoint.load(empty, checkpoint_id=folder)
    set_state_dict(again, other, model_state_dict=empty["model"],
                   optim_state_dict=empty["adam"])
    return all(torch.equal(a.to_local(), b.to_local())
               and torch.equal(adam.state[a]["exp_avg"].to_local(),
                               other.state[b]["exp_avg"].to_local())
               for a, b in zip(model.parameters(), again.parameters()))


# ANCHOR: one-step
def train(rank: int, folder: str, args) -> None:
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet",
                            rank=rank, world_size=RANKS)
    listen("all_gather_single", "all-gather")
    listen("reduce_scatter_single", "reduce-scatter")
    model = build(args.root_only, args.keep)
    announce(model)
    adam = torch.optim.Adam(model.parameters())  # after fully_shard
    batch = torch.randn(5, WIDTHS[0], requires_grad=True)
    for micro in range(1, args.micro_batches + 1):
        model.set_requires_gradient_sync(micro == args.micro_batches)
        model(batch).square().mean().backward()
    adam.step()
    say("update")
    mine = sum(p.to_local().numel() for p in model.parameters())
    whole = sum(p.numel() for p in model.parameters())
    say(f"rank 0 keeps {mine} of {whole} parameters")
    if args.resume:
        say(f"resumed equal: {resume(model, adam, folder + '/saved')}")
    dist.destroy_process_group()
# ANCHOR_END: one-step


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root-only", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--micro-batches", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, (folder, args), nprocs=RANKS)
