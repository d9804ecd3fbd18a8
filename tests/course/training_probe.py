"""Runs train_single_gpu.py and edited copies of it inside one Python that has PyTorch; prints their figures as JSON.

    python training_probe.py STARTER
"""
import json
import pathlib
import sys
import types

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

FILE = pathlib.Path(sys.argv[1])
SOURCE = FILE.read_text(encoding="utf-8")
sys.path.insert(0, str(FILE.parent))  # for memory_ledger
FUSED = """scores = q @ k.transpose(-2, -1) * (D // H) ** -0.5
        future = torch.ones(s, s, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, s, D))"""


def load(*edits):
    """The starter as a module, with each (old, new) applied once."""
    source = SOURCE
    for old, new in edits:
        assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times in the starter"
        source = source.replace(old, new)
    module = types.ModuleType("starter")
    exec(compile(source, "starter", "exec"), module.__dict__)
    return module


STARTER = load()
UNDIVIDED = load(("(inputs, targets) / accum", "(inputs, targets)"))


def saved(module=STARTER, **kind) -> int:
    """Bytes held for backward after the first forward pass."""
    return module.observe(**kind)[2][1]["saved"]


def norm(module=STARTER, **kind) -> float:
    """Norm of all gradients after one step."""
    return torch.stack([g.norm() for g in module.observe(**kind)[1]]).norm().item()


def last(module=STARTER, **kind) -> float:
    """Loss of the sixtieth step on one batch."""
    return round(module.observe(60, **kind)[0], 4)


def shapes() -> dict[str, int]:
    """Saved tensors other than weights, shape and bytes -> how many storages."""
    found = {}

    class Shapes(STARTER.SavedBytes):
        def pack(self, tensor):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in self.weights:
                found[storage.data_ptr()] = f"{list(tensor.shape)} {storage.nbytes()}"
            return super().pack(tensor)

    model, *_ = STARTER.start()
    with Shapes(model):
        loss = model(*STARTER.random_batch())
    names = sorted(found.values())
    del loss
    return {name: names.count(name) for name in names}


def peak(steps=1, accum=1, **kind) -> int:
    """Most bytes that PyTorch's CPU allocator had given out at once, weights and batch included."""
    now = most = 0
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        STARTER.observe(steps, accum, **kind)
    for event in profiled.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most


def flops(**kind) -> int:
    """FLOP of one forward and backward pass, as PyTorch counts its matrix products."""
    model, _, cast, _ = STARTER.start(**kind)
    batch = STARTER.random_batch()
    with FlopCounterMode(display=False) as counter:
        with cast:
            loss = model(*batch)
        loss.backward()
    return counter.get_total_flops()


def without_training() -> dict[str, int]:
    """Bytes held after forward passes whose losses nobody follows back."""
    model, *_ = STARTER.start()
    batch = STARTER.random_batch()
    counted = STARTER.SavedBytes(model)
    with counted:
        with torch.no_grad():
            kept = [model(*batch)]
        found = {"no_grad": counted.now()}
        model.eval()
        kept = [model(*batch)]
        found["eval"] = counted.now()
        kept += [model(*batch), model(*batch)]
        found["three losses kept"] = counted.now()
        for loss in kept:
            loss.backward()
        found["after their backward"] = counted.now()
    return found


def types_under_autocast() -> dict[str, list[str]]:
    model, _, cast, _ = STARTER.start(dtype="bfloat16")
    with cast:
        hidden = model.blocks[0].up(model.tokens(STARTER.random_batch()[0]))
    return {"product": str(hidden.dtype), "weight": str(model.blocks[0].up.weight.dtype)}


def failing(module) -> dict:
    """The first line of the self test that is not ok."""
    return next(line for line in module.self_test("cpu") if not line["ok"])


KINDS = {
    "rows 1": {"rows": 1}, "rows 2": {"rows": 2}, "rows 4": {"rows": 4}, "rows 8": {},
    "length 16": {"length": 16}, "length 32": {"length": 32}, "recompute": {"recompute": True},
    "accum 4": {"accum": 4}, "both": {"recompute": True, "accum": 4}, "bfloat16": {"dtype": "bfloat16"},
}
wide = load(("std=0.02", "std=1.0"))
attached = load(("loss.detach()", "loss"))
late_clip = load(("    scaler.unscale_(opt)\n", ""))
zeroed = load(("opt.zero_grad()", "opt.zero_grad(set_to_none=False)"))
fused = load((FUSED, "x = F.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
                     "        return self.out(x.transpose(1, 2).reshape(b, s, D))"))
print(json.dumps({
    "parameters": sum(p.numel() for p in STARTER.TinyGPT().parameters()),
    "tensors": len(list(STARTER.TinyGPT().parameters())),
    "saved": {name: saved(**kind) for name, kind in KINDS.items()},
    "shapes": shapes(),
    "peak, first step": peak(),
    "peak": {name: peak(2, **KINDS[name]) for name in ("rows 8", "recompute", "accum 4", "both", "bfloat16")},
    "peak, three steps": peak(3),
    "flop": {name: flops(**KINDS[name]) for name in ("rows 8", "recompute", "bfloat16")},
    "forward only": without_training(),
    "autocast": types_under_autocast(),
    "norm": norm(),
    "undivided": {"norm": norm(UNDIVIDED, accum=4), "loss": last(UNDIVIDED, accum=4), "right": last(accum=4),
                  "fails": failing(UNDIVIDED)["check"]},
    "late clip": {"norm": norm(late_clip, dtype="float16"), "loss": round(last(late_clip, dtype="float16"), 1),
                  "right": round(last(dtype="float16"), 1)},
    "zeroed": zeroed.observe(2)[2],
    "attached": attached.observe(2)[2],
    "wide": failing(wide),
    "fused": saved(fused),
}))
