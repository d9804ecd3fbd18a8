"""Counts what a training step keeps in memory, for train_single_gpu.py.

Works on any device. Checked against PyTorch 2.15.0 on a CPU (2026-11).
"""
import weakref

import torch


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
        return sum(dict(self.alive.values()).values())  # once per address


def tensor_bytes(tensors):
    return sum(t.nbytes for t in tensors if t is not None)


def ledger(model, opt, saved):
    """Bytes that are allocated now, by what they are for."""
    params = list(model.parameters())
    adam = [t for state in opt.state.values() for t in state.values()]
    return {"weights": tensor_bytes(params), "saved": saved.now(),
            "gradients": tensor_bytes(p.grad for p in params),
            "adam": tensor_bytes(adam)}


# ANCHOR: card
class CardMemory:
    """The allocator's own peaks on a GPU, and its history on request."""

    def __init__(self, device, snapshot=None):
        self.gpu, self.snapshot = device == "cuda", snapshot
        if self.gpu:
            torch.cuda.reset_peak_memory_stats()
        if self.gpu and snapshot:
            torch.cuda.memory._record_memory_history(max_entries=100_000)

    def report(self):
        if self.gpu and self.snapshot:
            torch.cuda.memory._dump_snapshot(self.snapshot)
        return {} if not self.gpu else {
            "peak_allocated": torch.cuda.max_memory_allocated(),
            "peak_reserved": torch.cuda.max_memory_reserved()}
# ANCHOR_END: card
