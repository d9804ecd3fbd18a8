"""Lab 08: zero_memory_accounting.py, against the ZeRO paper, closed forms, lab 01 and PyTorch's own fully_shard."""
import functools
import importlib.util
import json
import os
import subprocess
import sys

import lab_01
from course import CODE, HERE, golden, transcript, verify

STARTER = CODE / "lab-08-zero-fsdp" / "zero_memory_accounting.py"
RANKS = HERE / "sharded_ranks.py"
TWO = STARTER.parent / "fsdp_ranks.py"

# Rajbhandari et al. 2020, figure 1: 7.5 billion parameters on 64 ranks, in GB to one digit.
PAPER = {"ddp": "120.0", "zero-1": "31.4", "zero-2": "16.6", "zero-3": "1.9"}
# model, ranks: GB of state a rank under each stage
STATE = {
    ("llama-2-7b", 8): (107.81, 37.06, 25.27, 13.48),
    ("llama-2-7b", 64): (107.81, 28.22, 14.95, 1.68),
    ("llama-3-8b", 8): (128.48, 44.17, 30.11, 16.06),
    ("llama-3-8b", 64): (128.48, 33.63, 17.82, 2.01),
    ("llama-3-70b", 8): (1128.86, 388.05, 264.58, 141.11),
    ("llama-3-70b", 64): (1128.86, 295.44, 156.54, 17.64),
    ("gpt-3", 64): (2793.67, 731.16, 387.40, 43.65),
    ("gpt-3", 1024): (2793.67, 700.46, 351.60, 2.73),
    ("llama-3.1-405b", 512): (6493.65, 1632.93, 822.80, 12.68),
}
# fewest ranks for 64 GB of state
SMALLEST = {
    "llama-2-7b": (None, 3, 2, 2),
    "llama-3-8b": (None, 4, 3, 3),
    "llama-3-70b": (None, None, None, 18),
}


@functools.cache
def run(model: str = "llama-3-8b", world: int = 8, micro: int = 1, width: int = 2, params: int = 0) -> dict:
    """What `--json` prints."""
    source = ["--params", str(params)] if params else ["--model", model]
    out = subprocess.run([sys.executable, str(STARTER), *source, "--world", str(world), "--micro-batches", str(micro),
                          "--grad-width", str(width), "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


@functools.cache
def module():
    """The starter, imported."""
    return load(STARTER.read_text(encoding="utf-8"))


def load(source: str):
    spec = importlib.util.spec_from_loader("zero_memory_accounting", loader=None)
    loaded = importlib.util.module_from_spec(spec)
    exec(compile(source, STARTER.name, "exec"), loaded.__dict__)
    return loaded


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def groups():
    """Groups are the layers of lab 01, to the last parameter."""
    lab = lab_01.module()
    for model, sizes in module().MODELS.items():
        cfg = lab.PRESETS[model]
        count, norm = lab.count_params(cfg), 2 * cfg.d if cfg.gpt2 else cfg.d
        block = lab.attention_params(cfg) + lab.ffn_params(cfg) + 2 * norm
        same(sizes, [count["embedding"] + count["positions"], *cfg.layers * [block], count["output"] + norm], model)
        same(sum(sizes), lab_01.PARAMETERS[model], f"{model} in all")


def paper():
    """The ZeRO paper's own example."""
    stages = run(params=7_500_000_000, world=64)["stages"]
    same({name: f"{row['total'] / 1e9:.1f}" for name, row in stages.items()}, PAPER, "7.5 billion on 64 ranks")


def state_table():
    """State a rank, for nine cases."""
    for (model, world), expected in STATE.items():
        rows = run(model, world)["stages"].values()
        same(tuple(round(row["total"] / 1e9, 2) for row in rows), expected, f"{model} on {world}")


def state_rules():
    """A later stage never keeps more; one rank keeps 16 bytes a parameter; shares cover the whole."""
    m = module()
    for psi in (1, 7, 1000, 8_030_261_248):
        for n in (1, 2, 3, 8, 1024):
            totals = [sum(m.per_rank(psi, n, stage).values()) for stage in range(4)]
            same(totals, sorted(totals, reverse=True), f"{psi} on {n}")
            same(totals[0], 16 * psi, f"{psi} under ddp")
            assert n > 1 or set(totals) == {16 * psi}, totals
            assert 16 * psi <= n * totals[3] < 16 * (psi + n), f"{psi} on {n}: {totals[3]}"


def traffic():
    """Traffic counted action by action is that of the closed forms."""
    m = module()
    sizes = [5, 11, 11, 3]
    psi = sum(sizes)
    for n in (2, 8, 64):
        for micro in (1, 2, 5):
            for width in (2, 4):
                expected = (2 * width * psi, (2 + width) * psi, (2 + micro * width) * psi,
                            micro * (4 + width) * psi)
                got = tuple(m.bytes_sent(sizes, n, stage, micro, width) for stage in range(4))
                same(got, tuple(total * (n - 1) // n for total in expected), f"{n} ranks, {micro} x {width}")
    same(run()["stages"]["zero-3"]["sent"] * 2, run()["stages"]["ddp"]["sent"] * 3, "three halves of DDP")


def ring():
    """A ring that really passes pieces on sends what the formula says."""
    def pass_on(n, length):  # pieces that a rank sends until everybody has everything: n - 1 of length / n
        have = [{rank} for rank in range(n)]
        sent = 0
        while any(len(pieces) < n for pieces in have):
            moving = [(rank - sent) % n for rank in range(n)]
            assert all(moving[rank] in have[rank] for rank in range(n))
            for rank in range(n):
                have[(rank + 1) % n].add(moving[rank])
            sent += 1
        return sent * length // n
    m = module()
    for n in (2, 4, 8):
        gathers = sum(action == "all-gather" for action, _ in m.step(3, 1))
        scatters = sum(action == "reduce-scatter" for action, _ in m.step(3, 1))
        same(m.bytes_sent([64], n, 3), 2 * (gathers + scatters) * pass_on(n, 64), f"{n} ranks")


def order():
    """In every step weights are whole before they are used, and nothing is updated before all gradients are in."""
    m = module()
    for stage in range(4):
        for micro in (1, 3):
            events = list(m.step(stage, 3, micro))
            same([g for action, g in events if action == "forward"], [0, 1, 2] * micro, "forward")
            same([g for action, g in events if action == "backward"], [2, 1, 0] * micro, "backward")
            update = events.index(("update", 0))
            assert all(action in ("update", "all-gather") for action, _ in events[update:]), "a late gradient"
            for place, (action, g) in enumerate(events):
                if action in ("forward", "backward") and stage == 3:
                    same(events[place - 1], ("all-gather", g), f"before {action} {g}")


def smallest():
    """The fewest ranks that fit, against a search, and against the floor where none do."""
    m = module()
    for model, expected in SMALLEST.items():
        psi = sum(m.MODELS[model])
        same(tuple(m.smallest_world(psi, stage, 64 * 10**9) for stage in range(4)), expected, model)
    for psi in (100, 1001):
        for budget in range(40, 20_000, 397):
            for stage in range(4):
                fits = [n for n in range(1, 2 * psi) if sum(m.per_rank(psi, n, stage).values()) <= budget]
                same(m.smallest_world(psi, stage, budget), fits[0] if fits else None, (psi, stage, budget))


def whole_weights():
    """Whole weights and gradients, against a walk through forward and backward with one gather ahead."""
    m = module()
    for model, sizes in m.MODELS.items():
        for name, units in m.wrappings(sizes).items():
            same(m.whole(units, sum(sizes)), walk(units, sum(sizes) - sum(units)), f"{model}, {name}")
    for units in ([], [10], [3, 7], [7, 1, 2], [1, 5, 4]):
        same(m.whole(units, 10), walk(units, 10 - sum(units)), units)


def walk(units, root):
    """Most bytes of weights and of gradients that were whole at once, two bytes a value."""
    weights, gradients, most = {"root": root}, {"root": root}, {"weights": root, "gradients": root}
    for order, backward in ((range(len(units)), False), (range(len(units))[::-1], True)):
        order = list(order)
        for place, at in enumerate(order):
            weights |= {unit: units[unit] for unit in order[place:place + 2]}
            most["weights"] = max(most["weights"], sum(weights.values()))
            if backward:
                gradients[at] = units[at]
                most["gradients"] = max(most["gradients"], sum(gradients.values()))
                del gradients[at]
            del weights[at]
    return {what: 2 * values for what, values in most.items()}


def bound():
    """With blocks wrapped, what is whole at one moment stays below the peak, in Llama-3-8B by the weights of two blocks."""
    for model in ("llama-3-8b", "llama-3-70b", "llama-2-7b"):
        sizes = module().MODELS[model]
        first, *blocks, last = sizes
        most = first + last + first + last + blocks[0]  # the end of backward: the root whole, its gradient complete
        for here, ahead in zip(blocks[::-1], [*blocks[-2::-1], 0]):
            most = max(most, first + last + here + ahead + last + here)
        extra = sum(module().whole(blocks, sum(sizes)).values())
        assert extra > 2 * most, f"{model}: {extra} is no upper bound of {2 * most}"
        if model == "llama-3-8b":
            same(extra - 2 * most, 2 * (blocks[0] + blocks[1]), "what the bound is too high by")


def mutants():
    """Starters with one wrong line fail."""
    source = STARTER.read_text(encoding="utf-8")
    for line, wrong, check in [
        ('"optimizer": (12, 1)', '"optimizer": (8, 1)', state_rules),
        ("stage >= first else psi", "stage > first else psi", state_rules),
        ("if stage >= 2:", "if stage >= 3:", traffic),
        ('if stage == 3:  # freed after forward', "if False:", order),
        ("elif micro == micro_batches:", "else:", traffic),
        ("total * (n - 1) // n", "total", ring),
        ("room // divided", "room // 16", smallest),
        ("[*units[1:], 0]", "[0 for _ in units]", whole_weights),
    ]:
        assert source.count(line) == 1, line
        mutant = load(source.replace(line, wrong))
        try:
            with_module(mutant, check)
        except AssertionError:
            continue
        raise AssertionError(f"{check.__name__} does not notice {wrong}")


def with_module(mutant, check):
    global module
    kept, module = module, lambda: mutant
    try:
        check()
    finally:
        module = kept


def activations():
    """Activations are those of lab 01, whole and divided; they are part of the peak."""
    m = module()
    for model, (units, copied, split) in m.KEPT.items():
        entry = lab_01.ledger(model)
        width, layers = entry["config"]["d"], entry["config"]["layers"]
        same((units, copied + split), (layers * width, sum(entry["kept_per_token"].values()) / width), model)
        same(m.activation_bytes(model, entry["seq"]), entry["activations"]["selective"], model)
    got = [m.activation_bytes("gpt-3", 2048, 8, sp) / 2**30 for sp in (False, True)]
    same(got, [29.25, 9.5625], "GPT-3 on 8 ranks, GiB")
    units, copied, split = m.KEPT["llama-3-8b"]
    wide = 2 * 14336 / 4096  # a tensor of the MLP, in bytes per token and unit of hidden size
    same(split, 2 + 2 * (1 + 2 * 8 / 32) + 3 * wide, "the input of O, Q, K, V, and three tensors of the MLP")
    same((split + wide, round(8192 * units * (copied + split + wide) / 1e9, 2)), (33, 44.02), "an eager SwiGLU")
    for row in run()["wrappings"].values():
        same(row["peak"], run()["stages"]["zero-3"]["total"] + row["weights"] + row["gradients"] + run()["activations"],
             "peak")


def two_ranks():
    """The published script on two CPU ranks."""
    def start(python):
        settings = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        lines = {}
        for option in ("", "--keep", "--root-only", "--micro-batches 2", "--resume"):
            out = subprocess.run([str(python), "-B", str(TWO), *option.split()], capture_output=True, text=True,
                                 env=settings, timeout=600)
            assert out.returncode == 0, out.stderr[-2000:]
            lines[option or "default"] = out.stdout.rstrip().splitlines()
        return lines
    verify("lab_08_two_ranks", TWO, start)


def two_ranks_shown():
    """The kept output of two ranks is what the script printed last, in the order of the starter's step."""
    lines = golden("lab_08_two_ranks", TWO)
    same(transcript(TWO.with_suffix(".txt")), lines["default"], "the kept output")
    gathers = {name: sum("all-gather" in line for line in log) for name, log in lines.items()}
    same(gathers, {"default": 6, "--keep": 3, "--root-only": 1, "--micro-batches 2": 12, "--resume": 6}, "gathers")
    scatters = {name: sum("reduce-scatter" in line for line in log) for name, log in lines.items()}
    same(scatters["--micro-batches 2"], scatters["default"], "gradients are sent with the last micro-batch only")
    same(lines["--resume"], [*lines["default"], "resumed equal: True"], "a model that was saved and built again")
    for line in lines["default"]:
        assert not line.startswith("    ") or line.endswith("bf16" if "gather" in line else "fp32"), line
    sizes = [8 * 16 + 16, 16 * 32 + 32, 32 * 4 + 4]
    for action in ("all-gather", "reduce-scatter"):
        printed = [int(line.split()[1]) for line in lines["default"] if action in line]
        same(printed, [sizes[g] for a, g in module().step(3, 3) if a == action], action)


def deepspeed():
    """The DeepSpeed file is JSON, asks for the third stage, and lets no more be whole than it says."""
    config = json.loads((STARTER.parent / "ds_config.json").read_text(encoding="utf-8"))
    zero = config["zero_optimization"]
    same((zero["stage"], config["bf16"]["enabled"]), (module().STAGES["zero-3"], True), "stage and type")
    assert max(module().MODELS["llama-3-8b"]) < zero["stage3_max_live_parameters"], "a group that may never be whole"


def four_ranks():
    """PyTorch's fully_shard on four CPU ranks."""
    def start(python):
        settings = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        out = subprocess.run([str(python), str(RANKS)], capture_output=True, text=True, env=settings, timeout=600)
        assert out.returncode == 0, out.stderr[-2000:]
        return json.loads(out.stdout.splitlines()[-1])
    verify("lab_08", RANKS, start)


def real():
    return golden("lab_08", RANKS)


def quarters():
    """On four ranks PyTorch kept a quarter of everything, and computed the same gradient."""
    kept, m = real()["kept"], module()
    shard = sum(m.per_rank(kept["full"] // 4, 4, 3).values())
    same(kept["parameters"] + kept["gradients"] + kept["optimizer"], shard, "fp32 weights, gradients and two moments")
    for part, share in {"parameters": 4, "gradients": 4, "optimizer": 2}.items():
        same(kept[part] * share, kept["full"], part)
    same(kept["placements"], ["(Shard(dim=0),)"], "placement")
    same(kept["early_optimizer"], {"parameters": 8, "gradients": 0, "changed_the_model": False},
         "an optimizer made too early")
    assert real()["same_math"], "another gradient"
    same(real()["rows"], [[3, 1], [3, 0], [3, 0], [1, 0]], "rows of a 10-row and a 1-row weight")


def collectives():
    """PyTorch's gathers and scatters come in the starter's order, and amount to what it counts."""
    m, wire = module(), real()["wire"]
    sizes = [8 * 16 + 16, 16 * 32 + 32, 32 * 64 + 64, 64 * 4 + 4]

    def elements(log, action):
        return [count for name, count, _ in log if name == action]
    for log, micro in ((wire["layers"], 1), (wire["two_micro_batches"], 2)):
        for action in ("all-gather", "reduce-scatter"):
            same(elements(log, action), [sizes[g] for a, g in m.step(3, 4, micro) if a == action], action)
        same(2 * sum(count for _, count, _ in log) * 3 // 4, m.bytes_sent(sizes, 4, 3, micro), "traffic")
    same(elements(wire["kept_after_forward"], "all-gather"), sizes, "gathers, weights kept after forward")
    same([entry[:2] for entry in wire["root_only"]],
         [["all-gather", sum(sizes)], ["reduce-scatter", sum(sizes)]], "one group")
    ends = [entry[:2] for entry in wire["ends_left_to_the_root"]]
    same((ends[0], ends[-1], len(ends)),
         (["all-gather", sizes[0] + sizes[3]], ["reduce-scatter", sizes[0] + sizes[3]], 8), "first and last layer")
    for name, width in {"bf16": "float32", "bf16_reduced": "bfloat16"}.items():
        same({(action, kind) for action, _, kind in wire[name]}, {("all-gather", "bfloat16"), ("reduce-scatter", width)},
             name)
    ahead = [entry[:2] for entry in wire["layers"]][4:7]
    same(ahead, [["all-gather", sizes[3]], ["all-gather", sizes[2]], ["reduce-scatter", sizes[3]]], "one group ahead")


def variations():
    """What the page says of a changed starter: 8-bit Adam, weights kept after forward."""
    m, eight, wide = module(), run(), run(width=4)
    psi = eight["params"]
    source = STARTER.read_text(encoding="utf-8")
    small = load(source.replace('"optimizer": (12, 1)', '"optimizer": (6, 1)'))
    same(round(sum(small.per_rank(psi, 8, 1).values()) / 1e9, 2), 38.14, "8-bit Adam, GB")
    kept_weights = load(source.replace("if stage == 3:  # freed", "if False:  # freed"))
    same(kept_weights.bytes_sent(m.MODELS["llama-3-8b"], 8, 3), eight["stages"]["ddp"]["sent"], "weights kept")
    same(wide["stages"]["zero-3"]["sent"], wide["stages"]["ddp"]["sent"], "fp32 gradients")
    wire = real()["wire"]
    same((len(wire["layers"]) - 4, len(wire["kept_after_forward"]) - 4), (8, 4), "gathers of four layers")
    same(real()["kept"]["full"], 4 * (256 * 256 + 256) * 4, "bytes of four layers of 256")


def on_a_gpu():
    """The measured peaks are those that the page adds up, and the time of a block hides a gather at the stated bandwidth."""
    found = json.loads(STARTER.with_name("h200.json").read_text(encoding="utf-8"))
    layer, layers = found["layer_bytes"], found["layers"]
    for wrapping, expected in {"root": 2 * layers, "layers": layers + 2, "layers, kept": layers + 2}.items():
        rest = found["peak_bytes"][wrapping] - expected * layer
        assert 0 <= rest < 2.2e6, f"{wrapping}: {rest} bytes that are neither weights nor gradients"
    for part, passes in (("forward", 1), ("backward", 2)):
        sent = passes * 2 * found["block"]["parameters"] * 7 / 8
        assert abs(sent / found["block"][part]["median_ms"] / 1e6 / found["block"][part]["hidden_from_gbyte_per_s"] - 1) < 1e-9


CHECKS = [on_a_gpu, groups, paper, state_table, state_rules, traffic, ring, order, smallest, whole_weights, bound, mutants,
          activations, two_ranks, two_ranks_shown, deepspeed, four_ranks, quarters, collectives, variations]
