"""Lab 01: memory_accounting.py, against exact counts and against rules that any transformer obeys."""
import functools
import json
import math
import re
import subprocess
import sys

from course import CODE, CONTENT, golden, load, verify

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
    "qwen3-0.6b": 596_049_920,
}
# model: bytes per token, bytes of one full context, factor if query heads were counted
KV = {
    "llama-2-7b": (524_288, 2 * 2**30, 1),
    "llama-2-70b": (327_680, 5 * 2**28, 8),
    "llama-3-8b": (131_072, 2**30, 4),
    "llama-3-70b": (327_680, 5 * 2**29, 8),
    "llama-3.1-405b": (516_096, 63 * 2**30, 16),
    "gpt-3": (4_718_592, 9 * 2**30, 1),
    "qwen3-0.6b": (114_688, 4480 * 2**20, 2),
}
# model and sequence: GiB of activations without, with selective and with full recomputation
ACTIVATIONS = {
    ("gpt-3", 2048): (256.5, 76.5, 4.5 + 76.5 / 96),
    ("llama-2-7b", 4096): (48.0625, 16.0625, 1 + 16.0625 / 32),
    ("llama-3-8b", 8192): (162, 34, 2 + 34 / 32),
}


@functools.cache
def _json(*arguments: str) -> dict[str, dict]:
    out = subprocess.run([sys.executable, str(STARTER), *arguments, "--json"],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def ledger(model: str, batch: int = 1, seq: int = 0) -> dict:
    """One model's entry of `--json`; without `seq` at its own context length."""
    extra = ["--seq", str(seq)] if seq else []
    return _json("--model", "all", "--batch", str(batch), *extra)[model]


@functools.cache
def module():
    """The starter, imported."""
    return load(STARTER)


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
    """KV cache: bytes per token, a full context, the query-head mistake."""
    for model, (token, full, factor) in KV.items():
        entry = ledger(model)
        same(entry["kv_per_token"], token, f"{model} a token")
        same(entry["kv"], full, f"{model} full context")
        same(entry["kv_if_query_heads"], full * factor, f"{model} with query heads")


def activation_table():
    """Activations under three policies."""
    for (model, seq), expected in ACTIVATIONS.items():
        got = ledger(model, seq=seq)["activations"]
        same(tuple(got[k] / 2**30 for k in ("none", "selective", "full")), expected, model)


def kept_tensors():
    """GPT's block keeps 34 bytes per token and unit of width, in three groups as Korthikanti et al. sum them."""
    for model, total in {"gpt2": 34, "gpt-3": 34, "mistral-7b": 34, "llama-3-8b": 34, "llama-3-70b": 33.5}.items():
        entry = ledger(model)
        width = entry["config"]["d"]
        kept = {name: size / width for name, size in entry["kept_per_token"].items()}
        same(sum(kept.values()), total, model)
        if entry["config"]["gpt2"]:  # norms 4; attention 11 with one mask; feed-forward network 19 with the other
            same((kept["inputs of norms"], kept["inside the MLP"] + 2 + 1), (4, 19), f"{model}, by part")


def state():
    """Training state is a number of bytes per parameter, whatever the batch."""
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
    """With one key/value head per query head, GQA is plain attention."""
    import dataclasses
    m = module()
    for model, cfg in m.PRESETS.items():
        plain = dataclasses.replace(cfg, n_kv=cfg.heads, gpt2=False, head_dim=0)
        same(m.attention_params(plain), 4 * cfg.d**2, f"{model} attention")
        same(m.kv_cache_bytes(plain, 1, 1), 4 * cfg.layers * cfg.d, f"{model} cache")


def calculators():
    """The presets of the page's calculators are configs and recipes of the starter."""
    page = (CONTENT / "tracks/ai-infra/labs/lab-01-transformer-memory.md").read_text(encoding="utf-8")
    keys = {"heads": "heads", "queries": "heads", "layers": "layers", "blocks": "layers", "kv_layers": "layers",
            "d": "d", "width": "d", "n_kv": "n_kv", "kv_heads": "n_kv", "d_ff": "d_ff", "vocab": "vocab",
            "tokens": "ctx", "d_head": "d_head", "head": "d_head", "head_width": "d_head", "shared": "n_kv", "inner": "d_ff"}
    m, presets = module(), re.findall(r"^@ ([^:\n]+): (.*)$", page, re.M)
    assert len(presets) == 8, len(presets)
    for name, inputs in presets:
        values = dict(each.split(" = ") for each in inputs.split(", "))
        model = name.lower()
        if name in m.SCHEMES:
            same(tuple(int(v.removesuffix(" B")) for v in values.values()), m.SCHEMES[name], name)
            continue
        for key, value in values.items():
            if key in keys:
                same(int(value), getattr(m.PRESETS[model], keys[key]), f"{name} {key}")
            elif key == "dropout":
                same(value == "1", m.PRESETS[model].gpt2, f"{name} {key}")
            elif key == "size":
                same(value, f"{PARAMETERS[model] / 1e9:.2f} billion", f"{name} {key}")


def own_head_width():
    """Where `head_dim` is a field of its own, d / h is wrong for parameters, cache and activations."""
    import dataclasses
    m = module()
    cfg = m.PRESETS["qwen3-0.6b"]
    derived = dataclasses.replace(cfg, head_dim=0)
    same((cfg.d_head, derived.d_head), (128, 64), "width of a head")
    same(m.kv_cache_bytes(derived, 1, 1), m.kv_cache_bytes(cfg, 1, 1) // 2, "cache of a token")
    same(m.attention_params(derived), m.attention_params(cfg) // 2, "attention")
    same(m.count_params(cfg)["norms"], 28 * (2 * 1024 + 2 * 128) + 1024, "norms, with those of queries and keys")
    # input of two norms and of Q/K/V and MLP; output projection's input, Q, K, V and two more norms' inputs; MLP
    same(sum(m.kept_per_token(cfg).values()), 2 * (4 * 1024 + 2048 + 4096 + 3072 + 3 * 3072), "kept per token")


def from_config():
    """from_config.py reads three releases: parameters as published, and the cache of GQA and of MLA."""
    import dataclasses
    folder = STARTER.parent
    read, m = load(folder / "from_config.py"), module()
    configs = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in (folder / "configs").glob("*.json")}
    found = {name: read.ledger(config) for name, config in configs.items()}
    same(found["qwen3-0.6b"], {"params": PARAMETERS["qwen3-0.6b"], "active": PARAMETERS["qwen3-0.6b"],
                               "kv_per_token": KV["qwen3-0.6b"][0]}, "qwen3-0.6b")
    # Counted by hand from the shapes of the releases' modules.
    block = 2 * 2048 * 32 * 128 + 2 * 2048 * 4 * 128 + 2 * 128 + 2 * 2048 + 2048 * 128
    total = 2 * 151936 * 2048 + 2048 + 48 * (block + 128 * 3 * 2048 * 768)
    same(found["qwen3-30b-a3b"], {"params": total, "active": total - 48 * 120 * 3 * 2048 * 768,
                                  "kv_per_token": 48 * 2 * 4 * 128 * 2}, "qwen3-30b-a3b")
    attention = 2048 * 16 * 192 + 2048 * (512 + 64) + 512 + 512 * 16 * (128 + 128) + 16 * 128 * 2048
    experts = 64 * 2048 + (64 + 2) * 3 * 2048 * 1408
    total = 2 * 102400 * 2048 + 2048 + 27 * (attention + 2 * 2048) + 3 * 2048 * 10944 + 26 * experts
    same(found["deepseek-v2-lite"], {"params": total, "active": total - 26 * 58 * 3 * 2048 * 1408,
                                     "kv_per_token": 27 * (512 + 64) * 2}, "deepseek-v2-lite")
    same([total, found["qwen3-30b-a3b"]["params"]], [15_706_484_224, 30_532_122_624], "totals of the releases")
    for unknown in ({"model_type": "qwen2"}, {"model_type": "llama", "attention_bias": True}):
        try:
            read.ledger(configs["qwen3-0.6b"] | unknown)
        except ValueError:
            continue
        raise AssertionError(f"{unknown} has biases, which are not counted")
    # A dense config without `head_dim` and with tables of their own is one of the presets.
    for name in ("llama-2-7b", "llama-3-8b", "mistral-7b"):
        cfg = m.PRESETS[name]
        plain = {"hidden_size": cfg.d, "num_hidden_layers": cfg.layers, "num_attention_heads": cfg.heads,
                 "num_key_value_heads": cfg.n_kv, "intermediate_size": cfg.d_ff, "vocab_size": cfg.vocab,
                 "tie_word_embeddings": False, "model_type": "llama"}
        same(read.ledger(plain)["params"], PARAMETERS[name], name)
        same(read.ledger(plain)["kv_per_token"], m.kv_cache_bytes(dataclasses.replace(cfg), 1, 1), name)


def eight_bit_moments():
    """With 8-bit moments and full recomputation, Llama-3-8B at 8,192 tokens stays below what an H100 reports."""
    m = module()
    cfg, tokens = m.PRESETS["llama-3-8b"], 8192
    params = m.count_params(cfg)
    block = m.attention_params(cfg) + m.ffn_params(cfg) + 2 * cfg.d
    weight, gradient, master, moments = m.SCHEMES["adam_8bit"]
    state = params["total"] * (weight + master + moments)
    border, whole = 2 * cfg.d * tokens, tokens * sum(m.kept_per_token(cfg).values())
    logits = 4 * tokens * cfg.vocab  # in fp32, with log-probabilities and a gradient of each: three at once
    moments_of_step = [state + cfg.layers * border + 3 * logits]
    for left in range(cfg.layers, 0, -1):  # blocks whose input is kept; the one in backward has its gradient already
        done = params["output"] + cfg.d + (cfg.layers - left + 1) * block
        moments_of_step.append(state + gradient * done + left * border + whole)
    moments_of_step.append(params["total"] * sum(m.SCHEMES["adam_8bit"]))
    most = max(moments_of_step)
    same((round(moments_of_step[0] / 1e9, 1), round(most / 1e9, 1)), (79.0, 80.5), "GB at the loss, and at most")
    assert moments_of_step.index(most) == cfg.layers, "the most is not in the first block's backward"
    usable = Calculator().compute()["card"]
    same(usable, 79.1 * 2**30, "what a program can use of an H100")
    plain = 2 * cfg.heads * tokens**2  # attention weights, if attention is not fused
    embedding = 6 * params["embedding"]  # with moments in 32 bits
    assert most < most + plain < usable < most + plain + embedding, (most, plain, embedding)


def swiglu(python) -> dict:
    """Tensors as wide as the MLP that PyTorch keeps for backward of an unfused SwiGLU, weights left out."""
    script = """
import json, torch
from torch import nn
from torch.nn import functional as F
gate, up, down = nn.Linear(64, 224, bias=False), nn.Linear(64, 224, bias=False), nn.Linear(224, 64, bias=False)
x, kept = torch.randn(16, 64, requires_grad=True), {}
def pack(tensor):
    kept[tensor.untyped_storage().data_ptr()] = list(tensor.shape)
    return tensor
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    y = down(F.silu(gate(x)) * up(x))
print(json.dumps({"wide": sum(shape == [16, 224] for shape in kept.values())}))
"""
    return json.loads(subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True).stdout)


def with_torch():
    """PyTorch's own SwiGLU is counted again."""
    verify("lab_01", STARTER, swiglu)


def unfused():
    """Unfused, SwiGLU keeps four tensors of the MLP's width, one more than the script counts."""
    same(golden("lab_01", STARTER)["wide"], 4, "tensors")
    same(ledger("llama-3-8b")["kept_per_token"]["inside the MLP"], 3 * 2 * 14336, "the script's three")


# What each use of the front calculator keeps: the script's name of the training state, and of the activations.
USES = {
    "Train with Adam, FlashAttention": ("adam_bf16_master", "selective"),
    "Train with Adam, checkpointing": ("adam_bf16_master", "full"),
    "Train with 8-bit Adam, checkpointing": ("adam_8bit", "full"),
    "Train with Adam, attention stored": ("adam_bf16_master", "none"),
    "Serve, 16-bit weights": None,
    "Serve, 4-bit weights": None,
}


class Calculator:
    """The front calculator of the course, as its fence declares it, computed by Python."""

    UNITS = {"B": 1, "GB": 10**9, "GiB": 2**30}

    def __init__(self):
        page = (CONTENT / "tracks/ai-infra/handbook/01-transformer-memory.md").read_text(encoding="utf-8")
        head, body = re.search(r"```calc ([^\n]*front=true[^\n]*)\n(.*?)```", page, re.S).groups()
        self.parts = re.search(r'stack="(.*?)"', head)[1].split(", ")
        self.lines, self.groups = {}, {}
        for line in body.splitlines():
            if line.startswith("@ "):
                group, name, inputs = re.fullmatch(r"@ (\w+) / ([^:]+): (.*)", line).groups()
                self.groups.setdefault(group, {})[name] = dict(each.split(" = ") for each in inputs.split(", "))
            else:
                name, formula = line.split("#")[0].split(" = ")
                self.lines[name.strip()] = formula.strip()

    def compute(self, **inputs):
        """All values for some inputs; the others have their defaults."""
        formulas = self.lines | {name: str(value) for name, value in inputs.items()}
        units = lambda match: str(float(match[1]) * self.UNITS[match[2]])
        code = {name: re.sub(r"\b([0-9.]+) (GiB|GB|B)\b", units, formula).replace("^", "**").replace("if(", "choose(")
                for name, formula in formulas.items()}
        known = {"ceil": math.ceil}
        known["choose"] = lambda condition, then, otherwise: then if condition else otherwise
        for name, formula in code.items():
            known[name] = eval(formula, {"__builtins__": {}}, known)  # the course's own formulas
        return known


def front_calculator():
    """The front calculator of the course computes what the script computes, for each model and use.

    The script has no 4-bit weights, no reserve and no second card."""
    calculator, names = Calculator(), {name.lower().replace("gpt-2", "gpt2"): name for name in Calculator().groups["Model"]}
    same(set(names), set(module().PRESETS), "the models of the calculator and of the script")
    same(set(calculator.groups["Use"]), set(USES), "the uses")
    for batch, seq in ((1, 0), (48, 4096), (3, 1000)):
        for model, name in names.items():
            entry = ledger(model, batch, seq)
            settings = {**calculator.groups["Model"][name], "sequences": batch, "tokens": entry["seq"]}
            for use, kept in USES.items():
                found = calculator.compute(**settings, **calculator.groups["Use"][use])
                where = f"{name}, {use}, {batch} x {entry['seq']}"
                same(found["parameters"], entry["params"]["total"], f"{where}: parameters")
                same(found["per_token"], sum(entry["kept_per_token"].values()), f"{where}: per token")
                state = found["weights"] + found["gradients"] + found["optimizer"]
                if kept:
                    same(state, entry["state"][kept[0]], f"{where}: state")
                    same(found["activations"], entry["activations"][kept[1]], f"{where}: activations")
                    same(found["cache"], 0, f"{where}: no cache")
                    same(found["weights"], entry["weights_bf16"], f"{where}: weights")
                else:
                    same(state, entry["weights_bf16"] * (0.5625 / 2 if "4-bit" in use else 1), f"{where}: weights")
                    same(found["activations"], 0, f"{where}: no activations")
                    same(found["cache"], entry["kv"], f"{where}: cache")
            # The two other recipes of the script, which are no use of their own.
            for scheme, (weight, gradient, master, moments) in module().SCHEMES.items():
                found = calculator.compute(**settings, weight=f"{weight} B", gradient=f"{gradient} B", moments=f"{master + moments} B")
                same(found["weights"] + found["gradients"] + found["optimizer"], entry["state"][scheme], f"{name}: {scheme}")
    # Divided among cards, state and heads are what each keeps; a sequence stays whole.
    one = calculator.compute(sequences=6, caches=1)
    four = calculator.compute(sequences=6, caches=1, cards=4)
    for part, share in {"weights": 4, "gradients": 4, "optimizer": 4, "activations": 3, "cache": 4, "reserve": 1}.items():
        same(one[part], four[part] * share, f"{part} on four cards")
    same(calculator.parts, ["weights", "gradients", "optimizer", "activations", "cache", "reserve"], "the parts")


CHECKS = [from_config, with_torch, parameters, parts, kv_table, activation_table, kept_tensors, unfused, state, eight_bit_moments, properties, heads,
          own_head_width, calculators, front_calculator]
