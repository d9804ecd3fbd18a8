"""Checks of what DDP did: buckets, agreement of ranks, samples' weights.

Imported by train_ddp.py. Checked against torch 2.15.0 (2026-11).
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


# ANCHOR: hook
class BucketLog:
    """What DDP does with a full bucket by itself, plus a list of sizes."""

    def __init__(self) -> None:
        self.steps: list[list[int]] = []

    def average(self, bucket: dist.GradBucket,
                ) -> torch.futures.Future[torch.Tensor]:
        grads = bucket.buffer()
        if bucket.index() == 0:
            self.steps.append([])
        self.steps[-1].append(grads.nbytes)
        grads.div_(dist.get_world_size())
        work = dist.all_reduce(grads, async_op=True)
        return work.get_future().then(lambda done: done.value()[0])
# ANCHOR_END: hook


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
