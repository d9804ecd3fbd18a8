"""One training step of a tiny GPT, and a ledger of what is alive when.

    OMP_NUM_THREADS=1 python3 train_single_gpu.py --self-test
    OMP_NUM_THREADS=1 python3 train_single_gpu.py --json --recompute
"""  # checked against PyTorch 2.15.0 (2026-11)
import argparse
import json
import math
import time
import weakref

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

V, D, L, H, CTX = 256, 64, 2, 4, 64


# ANCHOR: block
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.up, self.down = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def attend(self, x):
        b, s, _ = x.shape
        q, k, v = (t.view(b, s, H, D // H).transpose(1, 2)
                   for t in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) * (D // H) ** -0.5
        future = torch.ones(s, s, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, s, D))

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x))))
# ANCHOR_END: block


# ANCHOR: model
class TinyGPT(nn.Module):
    def __init__(self, recompute=False):
        super().__init__()
        self.recompute = recompute
        self.tokens, self.places = nn.Embedding(V, D), nn.Embedding(CTX, D)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.ln = nn.LayerNorm(D)
        for p in self.parameters():
            if p.dim() == 2:  # tables and matrices, not biases or norms
                nn.init.normal_(p, std=0.02)

    def forward(self, inputs, targets):
        x = self.tokens(inputs) + self.places.weight[:inputs.shape[1]]
        for block in self.blocks:
            x = (checkpoint(block, x, use_reentrant=False)
                 if self.recompute else block(x))
        logits = F.linear(self.ln(x), self.tokens.weight)  # tied
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
# ANCHOR_END: model


# ANCHOR: saved
class SavedBytes(torch.autograd.graph.saved_tensors_hooks):
    """Counts what autograd holds for backward, weights left out."""

    def __init__(self, model):
        super().__init__(self.pack, lambda held: held())
        self.weights = {p.data_ptr() for p in model.parameters()}
        self.alive = weakref.WeakKeyDictionary()

    def pack(self, tensor):
        def held():  # autograd owns this; when it lets go, the entry goes
            return tensor
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self.weights:
            self.alive[held] = storage.data_ptr(), storage.nbytes()
        return held

    def now(self):
        return sum(dict(self.alive.values()).values())  # once an address
# ANCHOR_END: saved


# ANCHOR: ledger
def tensor_bytes(tensors):
    return sum(t.nbytes for t in tensors if t is not None)


def ledger(model, opt, saved):
    """Bytes that are alive now, by what they are for."""
    params = list(model.parameters())
    adam = [t for state in opt.state.values() for t in state.values()]
    return {"weights": tensor_bytes(params), "saved": saved.now(),
            "gradients": tensor_bytes(p.grad for p in params),
            "adam": tensor_bytes(adam)}
# ANCHOR_END: ledger


# ANCHOR: precision
def precision(device, name):
    dtype = getattr(torch, name)
    return (torch.autocast(device, dtype, enabled=dtype != torch.float32),
            torch.amp.GradScaler(device, enabled=dtype == torch.float16))
# ANCHOR_END: precision


# ANCHOR: step
def train_step(model, opt, batch, cast, scaler, accum=1,
               mark=lambda moment: None):
    opt.zero_grad()
    mark("zero_grad")
    total = 0.0
    for inputs, targets in zip(*(t.chunk(accum) for t in batch)):
        with cast:
            loss = model(inputs, targets) / accum
        mark("forward")
        scaler.scale(loss).backward()
        mark("backward")
        total += loss.detach()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    mark("step")
    return total
# ANCHOR_END: step


# ANCHOR: loop
def train(parts, steps, accum=1, every=10):
    then = time.perf_counter()
    for step in range(1, steps + 1):
        total = train_step(*parts, accum)
        if step % every == 0:
            loss = total.item()  # the CPU waits for the device
            since, then = then, time.perf_counter()
            yield {"step": step, "loss": round(loss, 4),
                   "ms_per_step": round(1e3 * (then - since) / every, 1)}
# ANCHOR_END: loop


def start(device="cpu", dtype="float32", recompute=False, rows=8, length=CTX):
    torch.manual_seed(0)
    model = TinyGPT(recompute).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    text = torch.randint(V, (rows, length + 1)).to(device)
    batch = text[:, :-1].clone(), text[:, 1:].clone()
    return model, opt, batch, *precision(device, dtype)


# ANCHOR: checks
def observe(steps=1, accum=1, **kind):
    (model, opt, *rest), lines = start(**kind), []
    saved = SavedBytes(model)
    with saved:
        for _ in range(steps):
            loss = train_step(
                model, opt, *rest, accum,
                lambda at: lines.append({"at": at} | ledger(model, opt, saved)))
    return loss.item(), [p.grad for p in model.parameters()], lines


def self_test():
    first, grads, _ = observe()
    split, rerun = (max((a - b).abs().max().item() for a, b in zip(grads, g))
                    for _, g, _ in (observe(accum=4), observe(recompute=True)))
    *_, last = train(start(), steps=60)
    for name, value, ok in (
            ("starts near ln V", first, abs(first - math.log(V)) < 0.1),
            ("same gradients in 4 pieces", split, split < 1e-6),
            ("same gradients recomputed", rerun, rerun == 0.0),
            ("learns one batch", last["loss"], last["loss"] < 0.2)):
        yield {"check": name, "value": value, "ok": ok}
# ANCHOR_END: checks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in {"device": "cpu", "dtype": "float32", "rows": 8,
                        "length": CTX, "accum": 1, "steps": 60}.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    for name in ("recompute", "json", "self-test"):
        parser.add_argument(f"--{name}", action="store_true")
    args = vars(parser.parse_args())
    json_, test, steps, accum = map(
        args.pop, ("json", "self_test", "steps", "accum"))
    lines = (self_test() if test
             else observe(2, accum, **args)[2] if json_
             else train(start(**args), steps, accum))
    for line in lines:
        print(json.dumps(line), flush=True)
        if line.get("ok") is False:
            return 1


if __name__ == "__main__":
    raise SystemExit(main())
