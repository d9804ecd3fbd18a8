"""What PyTorch's fully_shard keeps and sends on four CPU ranks, as JSON. Run by lab_08.py with PyTorch 2.15."""
import json
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

RANKS = 4
WIRE = []  # [collective, elements of the whole tensor, type], in the order in which this rank starts them


def listen(function: str, name: str):
    """Notes each call of a collective before it is made."""
    original = getattr(dist, function)

    def noted(output, input, *rest, **more):
        whole = output if name == "all-gather" else input
        WIRE.append([name, whole.numel(), str(whole.dtype).removeprefix("torch.")])
        return original(output, input, *rest, **more)
    setattr(dist, function, noted)


def square() -> nn.Sequential:
    return nn.Sequential(*[nn.Linear(256, 256) for _ in range(4)])


def unequal() -> nn.Sequential:
    """Four layers that can be told apart by their size."""
    return nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 32), nn.Linear(32, 64), nn.Linear(64, 4))


def sharded(model: nn.Sequential, layers=slice(None), **options) -> nn.Sequential:
    for layer in model[layers]:
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def local_bytes(tensors) -> int:
    return sum(t.to_local().numel() * t.element_size() for t in tensors)


def kept() -> dict:
    """Bytes of state on this rank, after one step."""
    model = square()
    result = {"full": sum(p.numel() * p.element_size() for p in model.parameters())}
    early = torch.optim.Adam(model.parameters())
    sharded(model)
    adam = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 256)).sum().backward()
    before = [p.to_local().clone() for p in model.parameters()]
    early.step()
    early_changed = any((a != p.to_local()).any().item() for a, p in zip(before, model.parameters()))
    adam.step()
    moments = [state[name] for state in adam.state.values() for name in ("exp_avg", "exp_avg_sq")]
    return result | {
        "parameters": local_bytes(model.parameters()),
        "optimizer": local_bytes(moments),
        "placements": sorted({str(p.placements) for p in model.parameters()}),
        "gradients": local_bytes(p.grad for p in model.parameters()),
        "early_optimizer": {
            "parameters": sum(len(group["params"]) for group in early.param_groups),
            "gradients": sum(p.grad is not None for group in early.param_groups for p in group["params"]),
            "changed_the_model": early_changed,
        },
    }


def wire(layers=slice(None), steps: int = 1, **options) -> list:
    """The collectives of forward and backward, `steps` times over."""
    model = sharded(unequal(), layers, **options)
    WIRE.clear()
    for _ in range(steps):
        model(torch.ones(2, 8)).sum().backward()
    return list(WIRE)


def same_math(rank: int) -> bool:
    """Each rank's quarter of a batch gives the gradient of the whole batch."""
    torch.manual_seed(0)
    alone, together, batch = square(), square(), torch.randn(8, 256)
    together.load_state_dict(alone.state_dict())
    sharded(together)
    alone(batch).square().mean().backward()
    together(batch.chunk(RANKS)[rank]).square().mean().backward()
    return all(torch.allclose(a.grad, b.grad.full_tensor(), rtol=1e-4, atol=1e-8)
               for a, b in zip(alone.parameters(), together.parameters()))


def rows() -> list[list[int]]:
    """Rows of a 10-row and of a 1-row weight, rank by rank."""
    model = fully_shard(nn.Sequential(nn.Linear(10, 10), nn.Linear(10, 1)))
    mine = [p.to_local().shape[0] for p in model.parameters() if p.ndim == 2]
    everyone = [None] * RANKS
    dist.all_gather_object(everyone, mine)
    return everyone


def rank_main(rank: int, folder: str):
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=RANKS)
    listen("all_gather_single", "all-gather")
    listen("reduce_scatter_single", "reduce-scatter")
    half = torch.bfloat16
    result = {
        "kept": kept(),
        "same_math": same_math(rank),
        "rows": rows(),
        "wire": {
            "layers": wire(),
            "two_micro_batches": wire(steps=2),
            "kept_after_forward": wire(reshard_after_forward=False),
            "root_only": wire(layers=slice(0)),
            "ends_left_to_the_root": wire(layers=slice(1, 3)),
            "bf16": wire(mp_policy=MixedPrecisionPolicy(param_dtype=half)),
            "bf16_reduced": wire(mp_policy=MixedPrecisionPolicy(param_dtype=half, reduce_dtype=half)),
        },
    }
    everyone = [None] * RANKS
    dist.all_gather_object(everyone, result)
    assert all(other == result for other in everyone), "the ranks differ"
    if rank == 0:
        print(json.dumps(result))
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(rank_main, (folder,), nprocs=RANKS)
