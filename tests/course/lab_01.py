"""Lab 01: memory_accounting.py, against exact counts and against rules that any transformer obeys."""
import functools
import importlib.util
import json
import subprocess
import sys

from course import CODE, given

STARTER = CODE / "lab-01-transformer-memory" / "memory_accounting.py"

# Counted with the model classes of transformers 5.23.0, built without weights (mistral-7b by Llama's formula).
PARAMETERS = {
    "gpt2": 124_439_808,
    "gpt2-xl": 1_557_611_200,
    "gpt-3": 174_604_259_328,
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "mistral-7b": 7_241_732_096,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
}
# model: bytes a token, bytes of one full context, factor if query heads were counted
KV = {
    "llama-2-7b": (524_288, 2 * 2**30, 1),
    "llama-2-70b": (327_680, 5 * 2**28, 8),
    "llama-3-8b": (131_072, 2**30, 4),
    "llama-3-70b": (327_680, 5 * 2**29, 8),
    "llama-3.1-405b": (516_096, 63 * 2**30, 16),
    "gpt-3": (4_718_592, 9 * 2**30, 1),
}
# model and sequence: GiB of activations without, with selective and with full recomputation
ACTIVATIONS = {
    ("gpt-3", 2048): (256.5, 76.5, 4.5),
    ("llama-2-7b", 4096): (97, 17, 1),
    ("llama-3-8b", 8192): (354, 34, 2),
}


@functools.cache
def _json(*arguments: str) -> dict[str, dict]:
    out = subprocess.run([sys.executable, str(STARTER), *arguments, "--json"],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def ledger(model: str, batch: int = 1, seq: int = 0, tp: int = 1, sp: bool = False) -> dict:
    """One model's entry of `--json`; without `seq` at its own context length."""
    extra = ["--seq", str(seq)] if seq else []
    extra += ["--sp"] if sp else []
    return _json("--model", "all", "--batch", str(batch), "--tp", str(tp), *extra)[model]


@functools.cache
def module():
    """The starter, imported."""
    spec = importlib.util.spec_from_file_location("memory_accounting", STARTER)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["memory_accounting"] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def parameters():
    """Parameter counts are exact."""
    same(set(_json("--model", "all")), set(PARAMETERS), "presets")
    for model, count in PARAMETERS.items():
        same(ledger(model)["params"]["total"], count, model)


def parts():
    """Parts sum to the total, layers to their part."""
    for model in PARAMETERS:
        entry, layers = ledger(model), module().PRESETS[model].layers
        values = dict(entry["params"])
        same(values.pop("total"), sum(values.values()), model)
        for part in ("attention", "ffn"):
            same(entry["per_layer"][part] * layers, values[part], f"{model} {part}")


def kv_table():
    """KV cache: bytes a token, a full context, the query-head mistake."""
    for model, (token, full, factor) in KV.items():
        entry = ledger(model)
        same(entry["kv_per_token"], token, f"{model} a token")
        same(entry["kv"], full, f"{model} full context")
        same(entry["kv_if_query_heads"], full * factor, f"{model} with query heads")


def activation_table():
    """Activations under three policies, and divided among eight ranks."""
    for (model, seq), expected in ACTIVATIONS.items():
        got = ledger(model, seq=seq)["activations"]
        same(tuple(got[k] / 2**30 for k in ("none", "selective", "full")), expected, model)
    split = {sp: ledger("gpt-3", tp=8, sp=sp)["activations"] for sp in (False, True)}
    same([split[False]["none"] / 2**30, split[True]["none"] / 2**30, split[True]["selective"] / 2**30],
         [51.75, 32.0625, 9.5625], "gpt-3 on 8 ranks")


def state():
    """Training state is a price a parameter, whatever the batch."""
    for model, count in PARAMETERS.items():
        for scheme, price in {"adam_bf16_master": 16, "amp_fp32": 16, "adam_8bit": 10, "sgd": 8}.items():
            same(ledger(model)["state"][scheme], price * count, f"{model} {scheme}")
            same(ledger(model, batch=7, seq=99)["state"][scheme], price * count, f"{model} {scheme}, batch 7")


def properties():
    """Doubling the sequence doubles the cache and more than doubles stored activations."""
    for model in PARAMETERS:
        one, two = ledger(model, seq=1000), ledger(model, seq=2000)
        same(two["kv"], 2 * one["kv"], f"{model} cache")
        same(two["activations"]["selective"], 2 * one["activations"]["selective"], f"{model} selective")
        assert two["activations"]["none"] > 2 * one["activations"]["none"], f"{model}: no square in the activations"
        same(ledger(model, batch=3, seq=1000)["kv"], 3 * one["kv"], f"{model}, batch 3")


def heads():
    """With one key/value head a query head, GQA is plain attention."""
    import dataclasses
    m = module()
    for model, cfg in m.PRESETS.items():
        plain = dataclasses.replace(cfg, n_kv=cfg.heads, gpt2=False)
        same(m.attention_params(plain), 4 * cfg.d**2, f"{model} attention")
        same(m.kv_cache_bytes(plain, 1, 1), 4 * cfg.layers * cfg.d, f"{model} cache")


def table():
    """The printed table runs and holds the same bytes."""
    out = subprocess.run([sys.executable, str(STARTER), "--batch", "32", "--seq", "8192"],
                         capture_output=True, text=True, check=True).stdout
    entry = ledger("llama-3-8b", batch=32, seq=8192)
    for value in (entry["kv"], entry["weights_bf16"], *entry["activations"].values(), *entry["state"].values()):
        assert f"{value:,}" in out, f"{value:,} is not in the table"


def lab_page():
    a, b = ledger("llama-2-7b"), ledger("llama-3-8b")
    small, big, huge = ledger("gpt2"), ledger("llama-3-70b"), ledger("llama-3.1-405b")
    users, long = ledger("llama-3-8b", batch=32, seq=8192), ledger("llama-3-8b", seq=16384)
    gpt3, tp, sp = ledger("gpt-3"), ledger("gpt-3", tp=8), ledger("gpt-3", tp=8, sp=True)
    cfg = module().PRESETS["llama-3-8b"]
    state, weights = "adam_bf16_master", "weights_bf16"
    ratio = {name: ledger(name)["rule_of_thumb"] / ledger(name)["params"]["total"]
             for name in ("gpt-3", "llama-2-7b", "llama-3-8b")}
    plain = 2 * cfg.d * cfg.heads * cfg.d_head
    per_layer = b["per_layer"]
    return {
        "13.48 GB": a[weights], "107.81 GB": a["state"][state],
        "12.55 GiB": a[weights], "16 bytes": sum(module().SCHEMES[state]),
        "10 bytes": sum(module().SCHEMES["adam_8bit"]), "14 bytes": sum(module().SCHEMES[state][1:]),
        "4,096": cfg.d, "14,336": cfg.d_ff, "128,256": cfg.vocab, "32,000": module().PRESETS["mistral-7b"].vocab,
        "124,439,808": small["params"]["total"],
        "788,529,152": b["params"]["total"] - ledger("mistral-7b")["params"]["total"],
        "25,165,824": 2 * cfg.d * (cfg.heads - cfg.n_kv) * cfg.d_head, "41,943,040": per_layer["attention"],
        "3,072": 4 * 768, "176,160,768": per_layer["ffn"], "525,336,576": b["params"]["embedding"],
        "266,240": b["params"]["norms"], "8.03": b["params"]["total"] / 1e9,
        "99.98 %": ratio["gpt-3"], "97.6 %": ratio["llama-2-7b"], "86.8 %": ratio["llama-3-8b"],
        "8,192": cfg.ctx, "16,384": 2 * cfg.ctx, "2,048": module().PRESETS["gpt-3"].ctx,
        "2.00 GiB": b["activations"]["full"], "4 GiB": b["kv_if_query_heads"], "354 GiB": b["activations"]["none"], "51.75 GiB": tp["activations"]["none"],
        "32.06": sp["activations"]["none"] / 2**30, "512 KiB": users["kv_if_query_heads"] / users["kv"] * b["kv_per_token"],
        "128 KiB": b["kv_per_token"], "32 GiB": users["kv"], "128 GiB": users["kv_if_query_heads"],
        "16.06 GB": b[weights], "14.96 GiB": b[weights], "256.5 GiB": gpt3["activations"]["none"],
        "76.5": gpt3["activations"]["selective"] / 2**30,
        "218,112,000": per_layer["attention"] + per_layer["ffn"] + 2 * cfg.d, "8,030,261,248": b["params"]["total"],
        "3.91 GiB": cfg.ctx * cfg.vocab * 4, "0.25 GB": small[weights], "1.99 GB": small["state"][state],
        "36 KiB": small["kv_per_token"], "36 MiB": small["kv"], "6,738,415,616": a["params"]["total"],
        "128.48 GB": b["state"][state], "1.00 GiB": b["kv"], "1.00": b["kv"] / 2**30,
        "70,553,706,496": big["params"]["total"], "141.11 GB": big[weights], "1,128.86 GB": big["state"][state],
        "320 KiB": big["kv_per_token"], "2.50 GiB": big["kv"], "405,853,388,800": huge["params"]["total"],
        "811.71 GB": huge[weights], "6,493.65 GB": huge["state"][state], "504 KiB": huge["kv_per_token"],
        "63.00 GiB": huge["kv"], "96.36 GB": 12 * b["params"]["total"], "33,554,432": plain,
        "80.30 GB": b["state"]["adam_8bit"], "74.79 GiB": b["state"]["adam_8bit"],
        "262,144": users["batch"] * users["seq"], "40.43 GB": a["state"][state] - a["state"]["adam_8bit"],
        "3.8": long["activations"]["none"] / b["activations"]["none"], "1,348 GiB": long["activations"]["none"],
        "1,280": (long["activations"]["none"] - long["activations"]["selective"]) / 2**30,
        "640 GB": 8 * 80e9,
        "2 bytes": given("width of a 16-bit value"), "4 bytes": given("norm inputs, Korthikanti et al."),
        "24 bytes": given("a constant of the starter"), "14 GB": given("the misunderstanding itself"),
        "80 GB": given("a card"), "64 GB": given("state a card, chosen"),
    }


def section_page():
    m, long, reach = ledger("mistral-7b"), ledger("mistral-7b", seq=131072), ledger("mistral-7b", seq=4096)
    cfg, other = module().PRESETS["mistral-7b"], module().PRESETS["llama-3-8b"]
    return {
        "14.48 GB": m["weights_bf16"], "7,241,732,096": m["params"]["total"],
        "115.87 GB": m["state"]["adam_bf16_master"], "128 KiB": m["kv_per_token"], "131,072": long["seq"],
        "16 GiB": long["kv"], "512 MiB": reach["kv"], "4,096": cfg.d, "14,336": cfg.d_ff, "32,000": cfg.vocab,
        "788,529,152": ledger("llama-3-8b")["params"]["total"] - m["params"]["total"],
        "96,256": other.vocab - cfg.vocab, "8,192": cfg.ctx, "354 GiB": m["activations"]["none"],
        "34 GiB": m["activations"]["selective"], "65.5 GB": 80e9 - m["weights_bf16"], "6.8": 34 / 5,
        "80 GB": given("a card"), "11 bytes": given("Korthikanti et al."), "5 bytes": given("Korthikanti et al."),
        "92 %": given("vLLM's default, lab 10"),
    }


PAGES = {
    "tracks/ai-infra/labs/lab-01-transformer-memory.md": lab_page,
    "tracks/ai-infra/handbook/01-transformer-memory.md": section_page,
}
CHECKS = [parameters, parts, kv_table, activation_table, state, properties, heads, table]
