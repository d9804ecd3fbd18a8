#!/usr/bin/env python3
"""A transformer's memory ledger, computed from nothing but its config.

    python3 memory_accounting.py --model llama-3-8b
    python3 memory_accounting.py --model llama-3-8b --batch 48 --seq 4096
    python3 memory_accounting.py --model all --json

Every number is computed; none is measured.  GB = 10^9 bytes, GiB = 2^30.
"""
import argparse
import json
from dataclasses import asdict, dataclass


# ANCHOR: presets
@dataclass(frozen=True)
class ModelConfig:
    layers: int
    d: int              # hidden size
    heads: int          # query heads
    n_kv: int           # key/value heads; equal to heads before GQA
    d_ff: int           # inner width of the MLP
    vocab: int          # rows of the embedding table
    ctx: int            # context length that its paper gives
    gpt2: bool = False  # GPT's block instead of Llama's
    head_dim: int = 0   # width of a head, if the config names one
    tied: bool = False  # the LM head is the embedding table
    qk_norm: bool = False  # a norm for queries and one for keys

    @property
    def d_head(self) -> int:
        return self.head_dim or self.d // self.heads


PRESETS = {  # layers, d, heads, n_kv, d_ff, vocab, ctx, and switches
    "gpt2": ModelConfig(12, 768, 12, 12, 3072, 50257, 1024, True, tied=True),
    "gpt2-xl": ModelConfig(48, 1600, 25, 25, 6400, 50257, 1024, True, tied=True),
    "gpt-3": ModelConfig(96, 12288, 96, 96, 49152, 50257, 2048, True, tied=True),
    "llama-2-7b": ModelConfig(32, 4096, 32, 32, 11008, 32000, 4096),
    "llama-2-13b": ModelConfig(40, 5120, 40, 40, 13824, 32000, 4096),
    "llama-2-70b": ModelConfig(80, 8192, 64, 8, 28672, 32000, 4096),
    "mistral-7b": ModelConfig(32, 4096, 32, 8, 14336, 32000, 8192),
    "llama-3-8b": ModelConfig(32, 4096, 32, 8, 14336, 128256, 8192),
    "llama-3-70b": ModelConfig(80, 8192, 64, 8, 28672, 128256, 8192),
    "llama-3.1-405b": ModelConfig(126, 16384, 128, 8, 53248, 128256, 131072),
    "qwen3-0.6b": ModelConfig(28, 1024, 16, 8, 3072, 151936, 40960,
                              head_dim=128, tied=True, qk_norm=True),
}
# ANCHOR_END: presets


# ANCHOR: attention-params
def attention_params(cfg: ModelConfig) -> int:
    """One layer's four projections: Q, K, V and the output."""
    q_and_o = 2 * cfg.d * cfg.heads * cfg.d_head
    k_and_v = 2 * cfg.d * cfg.n_kv * cfg.d_head
    biases = 4 * cfg.d if cfg.gpt2 else 0
    return q_and_o + k_and_v + biases
# ANCHOR_END: attention-params


# ANCHOR: ffn-params
def ffn_params(cfg: ModelConfig) -> int:
    """One layer's MLP, the feed-forward network."""
    if cfg.gpt2:  # up and down, each with a bias
        return 2 * cfg.d * cfg.d_ff + cfg.d_ff + cfg.d
    return 3 * cfg.d * cfg.d_ff  # down(SiLU(gate(x)) * up(x))
# ANCHOR_END: ffn-params


# ANCHOR: total-params
def count_params(cfg: ModelConfig) -> dict[str, int]:
    """Exact parameter count by part; `total` comes last."""
    table = cfg.vocab * cfg.d
    norm = 2 * cfg.d if cfg.gpt2 else cfg.d  # RMSNorm has no bias
    parts = {
        "embedding": table,
        "positions": cfg.ctx * cfg.d if cfg.gpt2 else 0,
        "attention": cfg.layers * attention_params(cfg),
        "ffn": cfg.layers * ffn_params(cfg),
        "norms": (2 * cfg.layers + 1) * norm
                 + 2 * cfg.layers * cfg.d_head * cfg.qk_norm,
        "output": 0 if cfg.tied else table,  # LM head
    }
    return parts | {"total": sum(parts.values())}


def rule_of_thumb(cfg: ModelConfig) -> int:
    return 12 * cfg.layers * cfg.d**2 + cfg.vocab * cfg.d
# ANCHOR_END: total-params


# ANCHOR: training-state
SCHEMES = {  # bytes per parameter: weight, gradient, master, moments
    "adam_bf16_master": (2, 2, 4, 8),
    "amp_fp32": (4, 4, 0, 8),  # fp32 weights, cast on the fly
    "adam_8bit": (2, 2, 4, 2),
    "sgd": (4, 4, 0, 0),       # fp32, no momentum
}


def training_state_bytes(params: int, scheme: str) -> int:
    """What is allocated together while the optimizer updates."""
    weight, grad, master, moments = SCHEMES[scheme]
    return params * (weight + grad + master + moments)
# ANCHOR_END: training-state


# ANCHOR: activations
def kept_per_token(cfg: ModelConfig) -> dict[str, int]:
    """Bytes that one block keeps for backward, per token, in 16 bits."""
    q = cfg.heads * cfg.d_head  # width of all query heads; mostly d
    k = cfg.n_kv * cfg.d_head
    return {
        "inputs of norms": 2 * (2 * cfg.d + (q + k) * cfg.qk_norm),
        "inputs of Q/K/V, O and MLP": 2 * (2 * cfg.d + q),
        "Q, K and V": 2 * (q + 2 * k),
        "inside the MLP": (2 if cfg.gpt2 else 3) * 2 * cfg.d_ff,
        "two dropout masks": 2 * cfg.d * int(cfg.gpt2),
    }


def activation_bytes(cfg: ModelConfig, s: int, b: int,
                     recompute: str = "none") -> int:
    """The most that b sequences of s tokens keep for backward."""
    block = b * s * sum(kept_per_token(cfg).values())
    if recompute == "full":  # each block's input, and one whole block
        return cfg.layers * b * s * 2 * cfg.d + block
    if recompute == "none":
        per_score = 5 if cfg.gpt2 else 2  # with and without dropout
        block += per_score * b * cfg.heads * s**2
    return cfg.layers * block
# ANCHOR_END: activations


# ANCHOR: kv-cache
def kv_cache_bytes(cfg: ModelConfig, b: int, s: int,
                   bytes_per: int = 2) -> int:
    """Keys and values of b sequences that have reached s tokens."""
    per_token = 2 * cfg.layers * cfg.n_kv * cfg.d_head * bytes_per
    return b * s * per_token
# ANCHOR_END: kv-cache


def ledger(name: str, b: int, s: int) -> dict:
    """Everything that the script knows about one model, in bytes."""
    cfg = PRESETS[name]
    params = count_params(cfg)
    kv = kv_cache_bytes(cfg, b, s)
    return {
        "model": name, "batch": b, "seq": s,
        "params": params,
        "rule_of_thumb": rule_of_thumb(cfg),
        "per_layer": {"attention": attention_params(cfg),
                      "ffn": ffn_params(cfg)},
        "weights_bf16": 2 * params["total"],
        "state": {scheme: training_state_bytes(params["total"], scheme)
                  for scheme in SCHEMES},
        "kept_per_token": kept_per_token(cfg),
        "activations": {mode: activation_bytes(cfg, s, b, mode)
                        for mode in ("none", "selective", "full")},
        "kv_per_token": kv_cache_bytes(cfg, 1, 1),
        "kv": kv,
        "kv_if_query_heads": kv * cfg.heads // cfg.n_kv,
    }


def print_table(entry: dict) -> None:
    print(f"{entry['model']}: {entry['params']['total']:,} parameters, "
          f"{entry['batch']} x {entry['seq']:,} tokens")
    rows = {"weights": entry["weights_bf16"]}
    rows |= {f"state, {k}": v for k, v in entry["state"].items()}
    rows |= {f"activations, recompute {k}": v
             for k, v in entry["activations"].items()}
    rows |= {"KV cache": entry["kv"]}
    print(f"{'':32}{'GB':>10}{'GiB':>10}")
    for label, size in rows.items():
        print(f"{label:32}{size / 1e9:>10,.2f}{size / 2**30:>10,.2f}")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="llama-3-8b",
                        choices=[*PRESETS, "all"])
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seq", type=int, help="default: the model's ctx")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    names = list(PRESETS) if args.model == "all" else [args.model]
    entries = [ledger(n, args.batch, args.seq or PRESETS[n].ctx)
               for n in names]
    if args.json:
        print(json.dumps(
            {entry["model"]: entry | {"config": asdict(PRESETS[entry["model"]])}
             for entry in entries}, indent=2))
    else:
        for entry in entries:
            print_table(entry)


if __name__ == "__main__":
    main()
