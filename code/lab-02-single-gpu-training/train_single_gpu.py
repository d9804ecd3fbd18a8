"""Trains a tiny GPT on one device, and shows what its step keeps in memory.

    python3 train_single_gpu.py                train, validate, log
    python3 train_single_gpu.py --ledger       bytes at four marks of two steps
    python3 train_single_gpu.py --self-test    four checks before you scale

Set OMP_NUM_THREADS=1 on a CPU. Checked against PyTorch 2.15.0 (2026-11).
"""
import argparse
import itertools
import json
import math
import time

try:
    import torch
except ImportError:
    raise SystemExit("this needs PyTorch: pip install torch==2.15.0")
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

from memory_ledger import CardMemory, SavedBytes, ledger

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


def text(length, seed):
    """Tokens that follow each other at random, four successors for each."""
    rule = torch.Generator().manual_seed(0)
    successors = torch.randint(V, (V, 4), generator=rule).tolist()
    choices = torch.randint(
        4, (length,), generator=torch.Generator().manual_seed(seed)).tolist()
    tokens = itertools.accumulate(choices, lambda t, c: successors[t][c])
    return torch.tensor(list(tokens))


# ANCHOR: loader
def build_loader(rows, length, device, seed, windows):
    cut = text(windows * length + 1, seed)
    data = TensorDataset(cut[:-1].view(-1, length), cut[1:].view(-1, length))
    return DataLoader(data, rows, shuffle=True, drop_last=True,
                      pin_memory=device == "cuda",
                      generator=torch.Generator().manual_seed(seed))
# ANCHOR_END: loader


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
    # ANCHOR: micro-batches
    for inputs, targets in zip(*(t.chunk(accum) for t in batch)):
        with cast:
            loss = model(inputs, targets) / accum
        mark("forward")
        scaler.scale(loss).backward()
        mark("backward")
        total += loss.detach()
    # ANCHOR_END: micro-batches
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    mark("step")
    return total
# ANCHOR_END: step


# ANCHOR: evaluate
@torch.no_grad()
def evaluate(model, loader, cast, device):
    model.eval()
    losses = []
    # ANCHOR: held-out
    for batch in loader:
        inputs, targets = (t.to(device, non_blocking=True) for t in batch)
        with cast:
            losses.append(model(inputs, targets))
    # ANCHOR_END: held-out
    model.train()
    return torch.stack(losses).mean().item()
# ANCHOR_END: evaluate


# ANCHOR: loop
def warm_up_then_decay(step, warm_up=10, total=200):
    if step < warm_up:
        return (step + 1) / warm_up
    return 0.5 + 0.5 * math.cos(math.pi * min(1, step / total))


def train(parts, loader, held_out, device, steps, accum=1, every=20):
    model, opt, cast, scaler = parts
    schedule = torch.optim.lr_scheduler.LambdaLR(opt, warm_up_then_decay)
    epochs = itertools.chain.from_iterable(itertools.repeat(loader))
    since = time.perf_counter()
    for step, batch in enumerate(itertools.islice(epochs, steps), 1):
        batch = [t.to(device, non_blocking=True) for t in batch]
        total = train_step(model, opt, batch, cast, scaler, accum)
        schedule.step()
        if step % every == 0:
            loss = total.item()  # the CPU waits for the device
            ms = 1e3 * (time.perf_counter() - since) / every
            unseen = evaluate(model, held_out, cast, device)
            yield {"step": step, "train": round(loss, 3),
                   "held_out": round(unseen, 3), "ms_per_step": round(ms, 1)}
            since = time.perf_counter()
# ANCHOR_END: loop


def start(device="cpu", dtype="float32", recompute=False):
    torch.manual_seed(0)
    model = TinyGPT(recompute).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    return model, opt, *precision(device, dtype)


def random_batch(device="cpu", rows=8, length=CTX):
    ids = torch.randint(V, (rows, length + 1),
                        generator=torch.Generator().manual_seed(0)).to(device)
    return ids[:, :-1].clone(), ids[:, 1:].clone()


def observe(steps=1, accum=1, rows=8, length=CTX, **kind):
    """Loss, gradients and the ledger of steps on one random batch."""
    (model, opt, *rest), lines = start(**kind), []
    batch = random_batch(kind.get("device", "cpu"), rows, length)
    saved = SavedBytes(model)
    with saved:
        for step in range(1, steps + 1):
            loss = train_step(
                model, opt, batch, *rest, accum,
                lambda at: lines.append(
                    {"step": step, "at": at} | ledger(model, opt, saved)))
    return loss.item(), [p.grad for p in model.parameters()], lines


def self_test(device):
    first, grads, _ = observe(device=device)
    split, rerun = (
        max((a - b).abs().max().item() for a, b in zip(grads, g))
        for _, g, _ in (observe(accum=4, device=device),
                        observe(recompute=True, device=device)))
    last, *_ = observe(steps=60, device=device)
    for name, value, ok in (
            ("starts near ln V", first, abs(first - math.log(V)) < 0.1),
            ("same gradients in 4 micro-batches", split, split < 1e-6),
            ("same gradients recomputed", rerun, rerun == 0.0),
            ("overfits one batch", last, last < 0.2)):
        yield {"check": name, "value": value, "ok": ok}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in {"device": "cpu", "dtype": "float32", "rows": 8,
                        "length": CTX, "accum": 1, "steps": 100,
                        "snapshot": ""}.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    for name in ("recompute", "ledger", "self-test", "json"):
        parser.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    kind = {"device": args.device, "dtype": args.dtype,
            "recompute": args.recompute}
    memory = CardMemory(args.device, args.snapshot)
    if args.self_test:
        lines = self_test(args.device)
    elif args.ledger:
        lines = observe(2, args.accum, args.rows, args.length, **kind)[2]
    else:
        loaders = (build_loader(args.rows, args.length, args.device, *each)
                   for each in ((1, 256), (2, 64)))  # seed, windows
        lines = train(start(**kind), *loaders, args.device, args.steps,
                      args.accum)
    for line in itertools.chain(lines, [memory.report()]):
        if line:
            print(json.dumps(line) if args.json else "  ".join(
                f"{name} {value:,}" if type(value) is int
                else f"{name} {value}" for name, value in line.items()))
        if line.get("ok") is False:
            return 1


if __name__ == "__main__":
    raise SystemExit(main())
