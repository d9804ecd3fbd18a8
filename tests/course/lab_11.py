"""Lab 11: plan.py, rounding_error.py, and the names in compress.py and quantization_comparison_plan.md."""
import ast
import functools
import json
import math
import random
import re
import subprocess
import sys

import lab_01
from course import CODE, CONTENT, golden, load, python, transcript, verify

FOLDER = CODE / "lab-11-quantization"
STARTER, SCRIPT, PLAN, RECIPES = (FOLDER / name for name in (
    "quantization_comparison_plan.md", "rounding_error.py", "plan.py", "compress.py"))
PACKED = FOLDER / "packed_int4.py"
LAB = "tracks/ai-infra/labs/lab-11-quantization.md"

# Presets of compressed-tensors 0.19.0, the version that llm-compressor 0.14.0.1 requires.
VERSIONS = ["compressed-tensors 0.19.0", "llm-compressor 0.14.0.1", "vLLM 0.33.0"]
PRESETS = {"W4A16", "W4A16_ASYM", "W8A16", "W8A8", "INT8", "FP8", "FP8_DYNAMIC", "FP8_BLOCK", "NVFP4", "NVFP4A16", "MXFP4",
           "MXFP4A16", "W4AFP8"}
# The least compute capability of their classes in vLLM 0.33.0 (2026-11).
CAPABILITY = {"FP8_DYNAMIC": 8.9, "W8A8 (INT8)": 7.5, "W4A16": 7.5, "NVFP4": 7.5}
# Dense peaks of the data sheets, TFLOP/s or TOP/s.
PEAKS = {"A100": {"BF16": 312, "INT8": 624}, "H100": {"BF16": 989.4, "INT8": 1979, "FP8": 1979},
         "B200": {"BF16": 2250, "FP8": 4500, "FP4": 9000}}
# Sizes in GB and balance points that were computed apart from this file.
FILES = {"BF16": "16.06", "FP8_DYNAMIC": "9.08", "W4A16": "5.70", "W4A16_ASYM": "5.73", "MXFP4A16": "5.81", "NVFP4": "6.03"}
BALANCE = {"BF16": 295, "FP8_DYNAMIC": 295, "W4A16": 76}
# Arguments of `oneshot` and of its modifiers in llm-compressor 0.14.0.1.
KNOWN = {
    "oneshot": {"model", "recipe", "output_dir", "dataset", "splits", "num_calibration_samples", "max_seq_length"},
    "QuantizationModifier": {"targets", "scheme", "ignore"},
    "GPTQModifier": {"targets", "scheme", "ignore"},
}


@functools.cache
def script():
    return load(SCRIPT)


@functools.cache
def plan():
    return load(PLAN)


@functools.cache
def printed(file, *arguments: str) -> str:
    return subprocess.run([sys.executable, "-B", str(file), *arguments],
                          capture_output=True, text=True, check=True).stdout


def errors(*arguments: str) -> list[dict]:
    return json.loads(printed(SCRIPT, *arguments, "--json"))["formats"]


def sizes():
    """File sizes and balance points are those computed apart from the script, which counts as lab 01 does."""
    got = json.loads(printed(PLAN, "--json"))
    assert {name: f"{row['file'] / 1e9:.2f}" for name, row in got["formats"].items()} == FILES
    assert {name: int(got["formats"][name]["balance"]) for name in BALANCE} == BALANCE
    assert set(FILES) <= PRESETS | {"BF16"}
    cfg, parts = lab_01.module().PRESETS["llama-3-8b"], lab_01.ledger("llama-3-8b")["params"]
    assert got["linear"] == parts["attention"] + parts["ffn"]
    assert got["table"] == parts["embedding"] and got["kept"] == parts["embedding"] + parts["output"] + parts["norms"]
    assert got["channels"] == cfg.layers * (2 * cfg.d + 2 * cfg.n_kv * cfg.d_head + 2 * cfg.d_ff + cfg.d)


def roofline():
    """Up to its balance point a step takes as long as reading, then it grows; FP8 overtakes W4A16 at the crossing."""
    m = plan()
    for name in m.FORMATS:
        n = int(m.balance(name))
        assert m.step_seconds(name, 1) == m.step_seconds(name, n) < m.step_seconds(name, n + 1)
        assert math.isclose(m.step_seconds(name, 4 * n + 4), 2 * m.step_seconds(name, 2 * n + 2))
    n = m.crossing("W4A16", "FP8_DYNAMIC")
    assert m.step_seconds("W4A16", n - 1) <= m.step_seconds("FP8_DYNAMIC", n - 1)
    assert m.step_seconds("W4A16", n) > m.step_seconds("FP8_DYNAMIC", n)


def old_card():
    """On an A100 without FP8 products there is no crossing, and the script says so."""
    text = PLAN.read_text(encoding="utf-8")
    for old, new in [("BANDWIDTH = 3.35e12", "BANDWIDTH = 2.039e12"),
                     ('{"BF16": 989.4e12, "FP8": 1979e12}', '{"BF16": 312e12, "FP8": 312e12}')]:
        assert old in text, old
        text = text.replace(old, new)
    out = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert "FP8_DYNAMIC is never faster than W4A16" in out, out


def kernels():
    """The table of kernels agrees with vLLM's capabilities and the peaks of the cards."""
    table = re.search(r"ANCHOR: kernels -->\n(.*?)<!--", STARTER.read_text(encoding="utf-8"), re.S)[1]
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")][2:]
    assert {row[0]: float(row[1]) for row in rows} == CAPABILITY
    for name, _, *cells in rows:
        for card, cell in zip(PEAKS, cells):
            if cell != "none":
                kind, factor = cell.split()
                assert f"{PEAKS[card][kind] / PEAKS[card]['BF16']:.0f}x" == factor, f"{name} on {card}: {cell}"


def recipes():
    """compress.py parses, and uses schemes and arguments that exist."""
    calls = [node for node in ast.walk(ast.parse(RECIPES.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = {call.func.id: call for call in calls if isinstance(call.func, ast.Name)}
    assert named.keys() == KNOWN.keys()
    for call in calls:
        if isinstance(call.func, ast.Name):
            unknown = {k.arg for k in call.keywords} - KNOWN[call.func.id]
            assert not unknown, f"{call.func.id}: {unknown}"
    schemes = {k.value.value for call in calls for k in call.keywords if k.arg == "scheme"}
    assert schemes == {"FP8_DYNAMIC", "W4A16"} <= PRESETS


def on_the_page():
    """The page shows what its commands print."""
    page, starter = (file.read_text(encoding="utf-8") for file in (CONTENT / LAB, STARTER))
    for version in VERSIONS:
        assert version in page and version in starter, version
    for file, *arguments in [(PLAN,), (SCRIPT,), (SCRIPT, "--example")]:
        assert printed(file, *arguments) in page, f"{file.name} {' '.join(arguments)}: the page shows something else"
    lines = [line for file in (PLAN, SCRIPT, RECIPES, STARTER) for line in file.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= 80


def codes(exponent_bits: int, mantissa_bits: int) -> list[float]:
    """Every finite magnitude of a minifloat, from its bit patterns; E4M3's last pattern is no number."""
    bias, found = 2 ** (exponent_bits - 1) - 1, []
    for code in range(2 ** (exponent_bits + mantissa_bits)):
        e, m = divmod(code, 2**mantissa_bits)
        found.append(math.ldexp(m, 1 - bias - mantissa_bits) if e == 0
                     else math.ldexp(2**mantissa_bits + m, e - bias - mantissa_bits))
    return found[:-1] if exponent_bits == 4 else found


def grids():
    """The script's floats are those of the bit patterns, and each value goes to a nearest one."""
    e4m3, e2m1 = codes(4, 3), codes(2, 1)
    assert e2m1 == [0, 0.5, 1, 1.5, 2, 3, 4, 6] and e4m3[-1] == 448 and len(e4m3) == 127
    normal = [x for x in e4m3 if x >= 2**-6]
    assert math.isclose(max((b - a) / (a + b) for a, b in zip(normal, normal[1:])), 1 / 17), "E4M3's bound"
    draw = random.Random(5)
    for name, known in (("E4M3", e4m3), ("E2M1", e2m1), ("INT8", list(range(128))), ("INT4", list(range(8)))):
        top, encode = script().GRIDS[name]
        assert top == known[-1] and all(encode(x) == x == -encode(-x) for x in known)
        for _ in range(2000):
            x = draw.uniform(-1.2, 1.2) * top * draw.choice((1, 0.1, 0.001))
            y = encode(x)
            assert abs(y) in known, f"{name}: {x} became {y}"
            assert math.isclose(abs(y - x), min(abs(abs(x) - k) for k in known)), f"{name}: {x} became {y}"
    for low, high, part in ((4 / 7, 1, 14), (1 / 14, 1 / 7, 112), (1 / 28, 1 / 14, 224)):  # the section's table
        inside = [x for x in e4m3 if low * 448 <= x <= high * 448]
        assert {b - a for a, b in zip(inside, inside[1:])} == {448 / part}, low


def closed_forms():
    """Errors are those of a uniform distribution within a step, where such a formula exists."""
    got = {(r["grid"], r["group"]): r for r in errors()}
    for row in (got["INT8", 32768], got["INT8", 1024]):  # the column of 60 sets every scale: 60 / 127 / sqrt(12)
        assert math.isclose(row["outlier"]["error"], 60 / 127 / math.sqrt(12), rel_tol=0.01)
    assert got["INT8", 32768]["outlier"] == got["INT8", 1024]["outlier"], "one scale per row changes nothing"
    # INT4: 60 / 7 rounds every value below 30 / 7 to zero, in the one group of eight that holds the column
    quiet = 127 / 1023
    lost = math.sqrt(quiet + (1 - quiet) * got["INT4", 128]["plain"]["error"] ** 2)
    assert math.isclose(got["INT4", 128]["outlier"]["error"], lost, rel_tol=0.03), lost
    # a float's step is a share of the value: uniform within it, averaged over the mantissa, 2.6 per cent
    share = math.sqrt(sum(2.0**-6 / 12 / (1 + (k + 0.5) / 512) ** 2 for k in range(512)) / 512)
    assert math.isclose(got["E4M3", 1024]["plain"]["error"], share, rel_tol=0.1), share
    assert 6.0 < -20 * math.log10(got["INT8", 1024]["plain"]["error"] / got["INT4", 1024]["plain"]["error"]) / 4 < 6.5


def other_seeds():
    """The order of the formats is no accident of the seed."""
    for seed in ("1", "2", "3"):
        for before, after in zip(errors(), errors("--seed", seed)):
            for case in ("plain", "outlier"):
                assert math.isclose(before[case]["error"], after[case]["error"], rel_tol=0.1), (before, after)


def peaks():
    """The largest of 128 and of 4,096 normal values is expected where the section says."""
    for n, expected in ((128, 2.83), (4096, 3.80)):
        found = sum((1 - math.erf(k / 1000 / math.sqrt(2)) ** n) / 1000 for k in range(9000))
        assert round(found, 2) == expected, (n, found)


def second_opinion():
    """numpy, written apart from the script, gives the same errors."""
    cases = json.dumps(script().matrices(60.0, 0))
    code = """
import json, sys, numpy as np
def nearest(x, codes):
    codes = np.array(codes); return np.sign(x) * codes[np.abs(np.abs(x)[..., None] - codes).argmin(-1)]
got, quiet = [], np.arange(1024) != 7
e4m3 = [m * 2.0**-9 for m in range(8)] + [(8 + m) * 2.0**(e - 10) for e in range(1, 16) for m in range(8)][:-1]
e2m1 = [0, .5, 1, 1.5, 2, 3, 4, 6]
for values in json.load(sys.stdin).values():
    a = np.array(values).reshape(32, 1024)
    def error(q): return float(np.sqrt(((a - q)[:, quiet] ** 2).sum() / (a[:, quiet] ** 2).sum()))
    for bits, group in ((8, 32768), (8, 1024), (8, 128), (4, 1024), (4, 128), (4, 32)):
        g = a.reshape(-1, group); s = np.abs(g).max(1, keepdims=True) / (2 ** (bits - 1) - 1)
        got.append(error((np.rint(g / s) * s).reshape(a.shape)))
    s = np.abs(a).max(1, keepdims=True) / 448; got.append(error(nearest(a / s, e4m3) * s))
    g = a.reshape(-1, 32); s = 2.0 ** (np.floor(np.log2(np.abs(g).max(1, keepdims=True))) - 2)
    got.append(error((nearest(g / s, e2m1) * s).reshape(a.shape)))
    g = a.reshape(-1, 16); unit = np.abs(a).max() / 6 / 448
    s = nearest(np.abs(g).max(1, keepdims=True) / 6 / unit, e4m3) * unit
    got.append(error((nearest(g / s, e2m1) * s).reshape(a.shape)))
print(json.dumps(got))
"""
    out = subprocess.run([str(python("light")), "-c", code], input=cases, capture_output=True, text=True, check=True)
    order = [("INT8", 32768), ("INT8", 1024), ("INT8", 128), ("INT4", 1024), ("INT4", 128),
             ("INT4", 32), ("E4M3", 1024), ("E2M1", 32), ("E2M1", 16)]
    mine = {(r["grid"], r["group"]): r for r in errors()}
    expected = [mine[key][case]["error"] for case in ("plain", "outlier") for key in order]
    for key, a, b in zip(order * 2, json.loads(out.stdout), expected):
        assert math.isclose(a, b, rel_tol=1e-6), f"{key}: {a} and {b}"



def with_torch():
    """packed_int4.py gives what is stored, and packing agrees with rounding_error.py value by value."""
    def run(interpreter):
        out = subprocess.run([str(interpreter), "-B", str(PACKED), "--json"], capture_output=True, text=True, check=True)
        program = f"""
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {str(FOLDER)!r})
import torch, packed_int4, rounding_error
torch.manual_seed(1)
weight = torch.randn(4, 256).half().float()
for group in (32, 128, 256):
    packed, scale = packed_int4.pack(weight, group)
    assert packed.dtype == torch.uint8 and packed.shape == (4, 128) and scale.shape == (4, 256 // group)
    scales = iter(scale.float().flatten().tolist())
    wanted = rounding_error.quantize(weight.flatten().tolist(), "INT4", group, lambda *_: next(scales))
    assert packed_int4.unpack(packed, scale).flatten().tolist() == torch.tensor(wanted).tolist(), group
"""
        subprocess.run([str(interpreter), "-c", program], check=True)
        return json.loads(out.stdout)
    verify("lab_11_packed", PACKED, run)


def quality():
    """The kept table of quality is what packed_int4.py printed last; sizes are bits per weight times weights."""
    stored = golden("lab_11_packed", PACKED)
    printed = sorted(re.split(r" {2,}", line) for line in transcript(PACKED.with_suffix(".txt"))[1:])
    same = sorted([name, *(f"{row[key]:,}" for key in ("bytes", "right", "flips"))] for name, row in stored.items())
    assert printed == same, printed
    weights = 128 * 512 + 512 * 256
    assert stored["INT4, groups of 32"]["bytes"] == weights * (4 + 16 / 32) / 8
    assert stored["FP32"]["bytes"] == 4 * weights
    right = [stored[name]["right"] for name in ("INT4, scale per row", "INT4, groups of 128", "INT4, groups of 32", "FP32")]
    assert right == sorted(right), right
    for row in stored.values():
        assert abs(row["right"] - stored["FP32"]["right"]) <= row["flips"], row


def on_a_gpu():
    """What the page says in words of its measurements: BF16 is flat and bends, FP8 is not monotonic, INT4 is linear."""
    found = json.loads((FOLDER / "h200.json").read_text(encoding="utf-8"))["formats"]
    ms = {name: {int(tokens): entry["median_ms"] for tokens, entry in times.items()} for name, times in found.items()}
    bf16 = ms["BF16"]
    assert max(bf16[n] for n in (1, 16, 64, 128)) / min(bf16[n] for n in (1, 16, 64, 128)) < 1.05, bf16
    assert bf16[192] < 1.1 * bf16[1] < 1.2 * bf16[1] < bf16[256] and ms["FP8"][192] > ms["FP8"][256], ms
    assert ms["INT4"][1] < ms["FP8"][1] < bf16[1] and ms["FP8"][16] < bf16[16] < ms["INT4"][16], ms
    for low, high in ((16, 64), (64, 256), (256, 1024), (1024, 4096)):
        slope = (ms["INT4"][high] - ms["INT4"][low]) / (high - low) * 1e3
        assert 3.9 < slope < 4.1, f"{low} to {high} tokens: {slope} µs per token"


CHECKS = [on_a_gpu, sizes, roofline, old_card, kernels, recipes, on_the_page, grids, closed_forms, other_seeds, peaks, second_opinion, with_torch, quality]
