#!/usr/bin/env python3
"""Parameters and KV cache of a model, read from the config.json of its release.

    python3 from_config.py configs/qwen3-30b-a3b.json
    python3 from_config.py --json configs/*.json

Knows blocks with SwiGLU, grouped-query attention or multi-head latent
attention (MLA), and a mixture of experts, and refuses others.  configs/ has
the fields that matter of three releases, as published in 2024 and 2025.
"""
import argparse
import json
import pathlib


KNOWN = {"llama", "mistral", "qwen3", "qwen3_moe", "deepseek_v2"}


def heads(c: dict) -> tuple[int, int, int]:
    """Query heads, key/value heads, and the width of a head."""
    queries = c["num_attention_heads"]
    width = c.get("head_dim") or c["hidden_size"] // queries
    return queries, c.get("num_key_value_heads") or queries, width


def attention(c: dict) -> int:
    """Parameters of one layer's attention, with its own norms."""
    d, (queries, shared, width) = c["hidden_size"], heads(c)
    if "kv_lora_rank" in c:
        rank, rope = c["kv_lora_rank"], c["qk_rope_head_dim"]
        key = c["qk_nope_head_dim"] + rope
        small = c.get("q_lora_rank")
        q = (d * small + small + small * queries * key if small
             else d * queries * key)
        down = d * (rank + rope) + rank  # with the norm of what is cached
        up = rank * queries * (c["qk_nope_head_dim"] + c["v_head_dim"])
        return q + down + up + queries * c["v_head_dim"] * d
    norms = 2 * width if c["model_type"].startswith("qwen3") else 0
    return 2 * d * queries * width + 2 * d * shared * width + norms


def mlp(c: dict, layer: int) -> tuple[int, int]:
    """Parameters of one layer's MLP: all of them, and those of a token."""
    d = c["hidden_size"]
    experts = c.get("num_experts") or c.get("n_routed_experts")
    if not experts or layer < c.get("first_k_dense_replace", 0):
        return (3 * d * c["intermediate_size"],) * 2
    one = 3 * d * c["moe_intermediate_size"]
    always = d * experts + c.get("n_shared_experts", 0) * one  # the router
    return (always + experts * one,
            always + c["num_experts_per_tok"] * one)


def cached(c: dict) -> int:
    """Numbers that one layer caches per token."""
    if "kv_lora_rank" in c:  # one vector for all heads, and RoPE's part
        return c["kv_lora_rank"] + c["qk_rope_head_dim"]
    _, shared, width = heads(c)
    return 2 * shared * width


def ledger(c: dict) -> dict:
    """Parameters, those that one token uses, and bytes of its cache."""
    if c["model_type"] not in KNOWN or c.get("attention_bias"):
        raise ValueError(f"blocks of {c['model_type']} have other parameters")
    if c.get("mlp_only_layers") or c.get("decoder_sparse_step", 1) != 1:
        raise ValueError("some of its blocks have no experts")
    d, layers = c["hidden_size"], c["num_hidden_layers"]
    tables = c["vocab_size"] * d * (1 if c.get("tie_word_embeddings") else 2)
    rest = tables + d + layers * (attention(c) + 2 * d)
    every, used = zip(*(mlp(c, layer) for layer in range(layers)))
    return {"params": rest + sum(every), "active": rest + sum(used),
            "kv_per_token": 2 * layers * cached(c)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", nargs="+", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        found = {file.stem: ledger(json.loads(file.read_text(encoding="utf-8")))
                 for file in args.config}
    except ValueError as error:
        parser.error(str(error))
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for name, entry in found.items():
        print(f"{name}: {entry['params']:,} parameters, {entry['active']:,} "
              f"per token, {entry['kv_per_token'] / 1024:,.1f} KiB of cache")


if __name__ == "__main__":
    main()
