"""Lab 11: quantization_comparison_plan.md, the arithmetic of its tables, and rounding_error.py beside it."""
import functools
import importlib.util
import json
import math
import random
import re
import subprocess
import sys

import lab_01
import lab_10
from course import CODE, CONTENT, given, python

FOLDER = CODE / "lab-11-quantization"
STARTER, SCRIPT = FOLDER / "quantization_comparison_plan.md", FOLDER / "rounding_error.py"
LAB = "tracks/ai-infra/labs/lab-11-quantization.md"
SECTION = "tracks/ai-infra/handbook/11-quantization.md"

# Presets of compressed-tensors 0.20.0, and the least compute capability of their classes in vLLM 0.33.0 (2026-11).
PRESETS = {"W4A16", "W4A16_ASYM", "W8A16", "W8A8", "INT8_W8A8", "FP8", "FP8_DYNAMIC", "FP8_BLOCK", "NVFP4", "NVFP4A16",
           "MXFP4", "MXFP4A16", "W4AFP8"}
CAPABILITY = {"FP8_DYNAMIC": 8.9, "W8A8": 7.5, "W4A16": 7.5, "NVFP4": 7.5}
# Dense peaks of the data sheets, TFLOP/s or TOP/s.
PEAKS = {"A100": {"BF16": 312, "INT8": 624}, "H100": {"BF16": 989.4, "INT8": 1979, "FP8": 1979},
         "B200": {"BF16": 2250, "FP8": 4500, "FP4": 9000}}
GRID_BITS = {"BF16": 16, "E4M3": 8, "INT8": 8, "INT4": 4, "E2M1": 4}
# What the facts of this lab state, computed apart from this file.
FILES = {"BF16": "16.06", "FP8_DYNAMIC": "9.08", "W8A8": "9.08", "W4A16": "5.70", "W4A16_ASYM": "5.73",
         "MXFP4A16": "5.81", "NVFP4": "6.03"}
TIPPING = {"BF16": "295", "FP8_DYNAMIC": "295", "W4A16": "76"}
SCALES = {"exact": "exact", "2^n": "power_of_two", "E4M3": "in_e4m3"}


@functools.cache
def text() -> str:
    return STARTER.read_text(encoding="utf-8")


def region(source: str, name: str) -> str:
    return re.search(rf"<!-- ANCHOR: {name} -->\n(.*?)<!-- ANCHOR_END: {name} -->", source, re.S)[1]


def rows(source: str, name: str) -> list[list[str]]:
    """The body of a region's table, cell by cell."""
    table = [line for line in region(source, name).splitlines() if line.startswith("|")]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in table]
    assert all(len(row) == len(cells[0]) for row in cells), f"{name}: a row with too many or too few cells"
    return cells[2:]


@functools.cache
def _yaml(block: str) -> dict:
    script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.read())))"
    out = subprocess.run([str(python("light")), "-c", script], input=block, capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def inputs(source: str) -> dict:
    return _yaml(re.search(r"```yaml\n(.*?)```", region(source, "question"), re.S)[1])


@functools.cache
def script():
    """rounding_error.py, imported."""
    spec = importlib.util.spec_from_file_location("rounding_error", SCRIPT)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@functools.cache
def errors(*arguments: str) -> list[dict]:
    """What the script prints with --json."""
    command = [sys.executable, str(SCRIPT), *arguments, "--json"]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


class Plan:
    """Everything that follows from the inputs, unrounded. A scheme is (bits of a weight, type of the products)."""

    def __init__(self, data: dict):
        m, card, load, guess = data["model"], data["card"], data["load"], data["guess"]
        self.linear, self.out, self.head, self.kept = (
            m["linear"], m["linear_rows"], m["head"], m["head"] + m["table"] + m["norms"])
        self.table, self.bandwidth = m["table"], card["bytes_per_s"]
        self.peak = {"BF16": card["bf16"], "FP8": card["fp8"]}
        self.prompt, self.answer, self.kv = load["prompt"], load["answer"], load["kv_token"]
        self.attainable, self.batch = guess["attainable"], guess["batch"]

    def bits(self, grid: int, group: str, scale: int) -> float:
        """Of a weight, with its part of the scale; `group` as in the table."""
        if group == "-":
            return grid
        return grid + scale * (self.out / self.linear if group == "a row" else 1 / int(group))

    def file(self, bits: float) -> float:
        return self.linear * bits / 8 + 2 * self.kept

    def read(self, bits: float) -> float:
        return self.file(bits) - 2 * self.table

    def step(self, bits: float, kind: str, n: float, attainable: float = 1) -> float:
        """Seconds of the linear layers for n tokens."""
        reading, products = self.linear * bits / 8 / self.bandwidth, 2 * self.linear * n / self.peak[kind]
        return max(reading, products / attainable)

    def tipping(self, bits: float, kind: str) -> float:
        return self.peak[kind] / self.bandwidth * bits / 16

    def request(self, bits: float, kind: str, batch: float = 0) -> tuple[float, float, float]:
        """Seconds of the card: the prompt, the answer's linear layers, the answer's head and cache."""
        batch, later = batch or self.batch, self.answer - 1
        prompt = self.step(bits, kind, self.prompt, self.attainable)
        answer = later * self.step(bits, kind, batch, self.attainable) / batch
        rest = later * (2 * self.head / self.bandwidth / batch + self.prompt * self.kv / self.bandwidth)
        return prompt, answer, rest


def plan(source: str = "") -> Plan:
    return Plan(inputs(source or text()))


def scheme(name: str, source: str = "") -> float:
    """Bits of a weight of that row of the table of sizes."""
    row = {r[0]: r for r in rows(source or text(), "sizes")}[name]
    return plan(source).bits(GRID_BITS[row[1]], row[2], int(row[3]))


def half_width(questions: int, flips: float = 0.05) -> float:
    """Percentage points on either side of a paired difference, 95 %."""
    return 196 * math.sqrt(flips / questions)


def faults(source: str) -> list[str]:
    """All that is wrong with the tables of a plan."""
    p, wrong = plan(source), []

    def expect(name, expected):
        got = rows(source, name)
        if len(got) != len(expected):
            wrong.append(f"{name}: {len(got)} rows, expected {len(expected)}")
        wrong.extend(f"{name}: {g}, expected {list(e)}" for g, e in zip(got, expected) if g != list(e))

    def cell(grid, group, scale):
        return f"{p.bits(GRID_BITS[grid], group, scale):.3f}".rstrip("0").rstrip(".")

    sizes = rows(source, "sizes")
    bits = {r[0]: p.bits(GRID_BITS[r[1]], r[2], int(r[3])) for r in sizes}
    expect("sizes", [(n, grid, group, scale, cell(grid, group, int(scale)), f"{p.file(bits[n]) / 1e9:.2f}",
                      f"{p.read(bits[n]) / 1e9:.2f}") for n, grid, group, scale, *_ in sizes])
    wrong += [f"sizes: {n} is no preset" for n in bits if n not in PRESETS | {"BF16"}]
    h100 = {"BF16": "BF16"} | {r[0]: r[3].split()[0] for r in rows(source, "kernels")}
    expect("steps", [(n, f"{int(p.tipping(bits[n], h100[n]))}",
                      *(f"{p.step(bits[n], h100[n], k) * 1e3:.2f}" for k in (1, 64, 128, 256, 1024)))
                     for n in ("BF16", "FP8_DYNAMIC", "W4A16", "NVFP4")])
    costs = {n: p.request(bits[n], h100[n]) for n in ("BF16", "FP8_DYNAMIC", "W4A16")}
    expect("expected", [(n, *(f"{t * 1e3:.2f}" for t in c), f"{sum(c) * 1e3:.1f}", f"{1 / sum(c):.1f}")
                        for n, c in costs.items()])
    for name, floor, *cells in rows(source, "kernels"):
        if float(floor) != CAPABILITY.get(name):
            wrong.append(f"kernels: {name} needs {CAPABILITY.get(name)}")
        for card, c in zip(PEAKS, cells):
            if c != "none":
                kind, factor = c.split()
                if kind not in PEAKS[card] or f"{PEAKS[card][kind] / PEAKS[card]['BF16']:.0f}x" != factor:
                    wrong.append(f"kernels: {name} on {card}: {c}")
    if "196 * sqrt(0.05 / questions)" not in region(source, "quality"):
        wrong.append("quality: the formula is gone")
    for name, questions, width in rows(source, "quality"):
        if questions != "-" and width != f"{half_width(int(questions.replace(',', ''))):.2f}":
            wrong.append(f"quality: {name}: {width}")
    budget = int(re.search(r"at most (\d) points", re.sub(r"\s+", " ", region(source, "question")))[1])
    if f"below -{budget} points" not in region(source, "decision"):
        wrong.append("decision: another budget than the question's")
    widths = [float(r[2]) for r in rows(source, "quality") if r[2] != "-"]
    if max(widths) >= budget:
        wrong.append("quality: an equal model could not pass")
    wrong += [f"decision: {r[0]} has a result without a source" for r in rows(source, "decision")
              if set(r[1:]) != {"open"}]
    table = [(r["grid"], f"{r['group']:,}", r["scale"], *(f"{x:.2%}".replace("%", " %") for x in (
        r["plain"]["error"], r["outlier"]["error"], r["outlier"]["zeros"]))) for r in errors()]
    got = [(g, n, SCALES[s], *rest) for g, n, s, *rest in rows(source, "rounding")]
    wrong += [f"rounding: {g}, expected {e}" for g, e in zip(got, table) if g != e]
    if len(got) != len(table):
        wrong.append("rounding: rows are missing")
    return wrong


def follows():
    """Every cell of the plan follows from its inputs, its formulas and the script beside it."""
    wrong = faults(text())
    assert not wrong, "; ".join(wrong)
    assert max(map(len, (text() + SCRIPT.read_text(encoding="utf-8")).splitlines())) <= 80


def independent():
    """Sizes and tipping points are those computed apart from this file."""
    sizes = {r[0]: r[5] for r in rows(text(), "sizes")}
    assert sizes == FILES, sizes
    steps = {r[0]: r[1] for r in rows(text(), "steps")}
    assert {n: steps[n] for n in TIPPING} == TIPPING, steps


def same_ledger():
    """Counts are those of lab 01's script, bandwidth, peak, lengths and bytes a token those of lab 10's plan."""
    data, cfg = inputs(text()), lab_01.module().PRESETS["llama-3-8b"]
    parts = lab_01.ledger("llama-3-8b")["params"]
    m = data["model"]
    assert m["linear"] == parts["attention"] + parts["ffn"] and m["norms"] == parts["norms"]
    assert (m["head"], m["table"]) == (parts["output"], parts["embedding"])
    out = cfg.layers * (2 * cfg.d + 2 * cfg.n_kv * cfg.d_head + 2 * cfg.d_ff + cfg.d)
    assert m["linear_rows"] == out, out
    before = lab_10.Plan(lab_10.plan())
    assert (before.bandwidth, before.peak) == (data["card"]["bytes_per_s"], data["card"]["bf16"])
    assert (before.prompt, before.answer, before.token) == tuple(data["load"].values())
    assert before.flops / before.peak == data["guess"]["attainable"]
    assert max(r for r, _ in before.points) == 32


def mutants():
    """A wrong cell, an unknown scheme, another input, an early result: each is found."""
    for old, new, message in [
        ("| 4.125 |  5.70 |", "| 4.125 |  4.02 |", "sizes"),
        ("| W4A16       | INT4 |   128", "| W4A16       | INT4 |    64", "sizes"),
        ("| MXFP4A16    | E2M1", "| MXFP4A17    | E2M1", "no preset"),
        ("bytes_per_s: 3.35e+12", "bytes_per_s: 4.8e+12", "steps"),
        ("attainable: 0.5", "attainable: 0.7", "expected"),
        ("batch: 64}", "batch: 16}", "expected"),
        ("|        8.9 | BF16 1x", "|        8.0 | BF16 1x", "kernels"),
        ("| INT8 2x   | none", "| INT8 2x   | INT8 2x", "kernels"),
        ("|     1,319 |               1.21", "|     1,319 |               0.98", "quality"),
        ("at most 2 points", "at most 1 points", "budget"),
        ("| FP8_DYNAMIC | open      | open", "| FP8_DYNAMIC | 31.2      | open", "without a source"),
        ("|  0.64 % |       4.85 %", "|  0.64 % |       4.58 %", "rounding"),
    ]:
        assert old in text(), old
        found = faults(text().replace(old, new))
        assert any(message in fault for fault in found), f"{new} went unnoticed: {found}"


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
    assert min(x for x in e4m3 if x >= 2**-6) == 2**-6
    draw = random.Random(5)
    for name, known in (("E4M3", e4m3), ("E2M1", e2m1), ("INT8", list(range(128))), ("INT4", list(range(8)))):
        top, encode = script().GRIDS[name]
        assert top == known[-1] and all(encode(x) == x == -encode(-x) for x in known)
        for _ in range(2000):
            x = draw.uniform(-1.2, 1.2) * top * draw.choice((1, 0.1, 0.001))
            y = encode(x)
            assert abs(y) in known, f"{name}: {x} became {y}"
            assert math.isclose(abs(y - x), min(abs(abs(x) - k) for k in known)), f"{name}: {x} became {y}"


def closed_forms():
    """Errors are those of a uniform distribution within a step, where such a formula exists."""
    got = {(r["grid"], r["group"]): r for r in errors()}
    for row in (got["INT8", 32768], got["INT8", 1024]):  # the column of 60 sets every scale: 60 / 127 / sqrt(12)
        assert math.isclose(row["outlier"]["error"], 60 / 127 / math.sqrt(12), rel_tol=0.01)
    assert got["INT8", 32768]["outlier"] == got["INT8", 1024]["outlier"], "a scale a row changes nothing"
    # INT4: 60 / 7 rounds every value below 30 / 7 to zero, in the one group of eight that holds the column
    quiet = 127 / 1023
    lost = math.sqrt(quiet + (1 - quiet) * got["INT4", 128]["plain"]["error"] ** 2)
    assert math.isclose(got["INT4", 128]["outlier"]["error"], lost, rel_tol=0.03), lost
    # a float's step is a share of the value: uniform within it, averaged over the mantissa, 2.6 per cent
    share = math.sqrt(sum(2.0**-6 / 12 / (1 + (k + 0.5) / 512) ** 2 for k in range(512)) / 512)
    assert math.isclose(got["E4M3", 1024]["plain"]["error"], share, rel_tol=0.1), share
    assert math.isclose(script().exact(60, 127, 60), 0.472, abs_tol=5e-4)
    assert 6.0 < -20 * math.log10(got["INT8", 1024]["plain"]["error"] / got["INT4", 1024]["plain"]["error"]) / 4 < 6.5


def other_seeds():
    """The order of the formats is no accident of the seed."""
    for seed in ("1", "2", "3"):
        for before, after in zip(errors(), errors("--seed", seed)):
            for case in ("plain", "outlier"):
                assert math.isclose(before[case]["error"], after[case]["error"], rel_tol=0.1), (before, after)


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
    for bits, group in ((8, 32768), (8, 1024), (8, 128), (4, 32768), (4, 1024), (4, 128), (4, 32)):
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
    order = [("INT8", 32768), ("INT8", 1024), ("INT8", 128), ("INT4", 32768), ("INT4", 1024), ("INT4", 128),
             ("INT4", 32), ("E4M3", 1024), ("E2M1", 32), ("E2M1", 16)]
    mine = {(r["grid"], r["group"]): r for r in errors()}
    expected = [mine[key][case]["error"] for case in ("plain", "outlier") for key in order]
    for key, a, b in zip(order * 2, json.loads(out.stdout), expected):
        assert math.isclose(a, b, rel_tol=1e-6), f"{key}: {a} and {b}"


def paired():
    """The half-width is that of simulated pairs of verdicts."""
    draw, n, flips = random.Random(3), 1319, 0.05
    found = []
    for _ in range(600):
        changed = sum(draw.random() < flips for _ in range(n))
        found.append(sum(draw.choice((-1, 1)) for _ in range(changed)) / n * 100)
    spread = 1.96 * math.sqrt(sum(x * x for x in found) / len(found))
    assert math.isclose(spread, half_width(n), rel_tol=0.07), spread


def another(old: str, new: str) -> str:
    """The plan's text with one entry changed."""
    assert text().count(old) == 1, old
    return text().replace(old, new)


A100 = ("bytes_per_s: 3.35e+12, bf16: 989.4e+12, fp8: 1979.0e+12",
        "bytes_per_s: 2.039e+12, bf16: 312.0e+12, fp8: 312.0e+12")
KINDS = {"BF16": "BF16", "FP8_DYNAMIC": "FP8", "W4A16": "BF16"}


def whole_step(p: Plan, name: str, sequences: int) -> float:
    """Seconds of a decode step with output layer and cache, at the peak."""
    return (p.step(scheme(name), KINDS[name], sequences) + 2 * p.head / p.bandwidth
            + sequences * p.prompt * p.kv / p.bandwidth)


def varied():
    """The edits that the page proposes change what it says they change."""
    smaller = faults(another("| W4A16       | INT4 |   128", "| W4A16       | INT4 |    64"))
    assert len(smaller) == 2 and "'4.25', '5.81'" in smaller[0] and "'W4A16', '78'" in smaller[1].split("expected")[1]
    got = "; ".join(faults(another(*A100)))
    for row in ("'BF16', '153'", "'FP8_DYNAMIC', '76'", "'W4A16', '39'", "'114.6'", "'112.4'"):
        assert row in got, row
    loud = {(r["grid"], r["group"]): r["outlier"]["error"] for r in errors("--loud", "600")}
    still = {(r["grid"], r["group"]): r["outlier"]["error"] for r in errors()}
    assert f"{loud['INT4', 128]:.4f}" == f"{still['INT4', 128]:.4f}"


def turning_points():
    """148 tokens, 8 sequences and a fourteenth of the peak are where the pages say that the order turns."""
    p, w, f = plan(), scheme("W4A16"), scheme("FP8_DYNAMIC")
    for share, n in ((1, 148), (0.5, 74)):
        assert p.step(w, "BF16", n - 1, share) < p.step(f, "FP8", n - 1, share)
        assert p.step(w, "BF16", n, share) > p.step(f, "FP8", n, share)
    cost = {b: sum(p.request(w, "BF16", b)) - sum(p.request(f, "FP8", b)) for b in (8, 9)}
    assert cost[8] < 0 < cost[9], cost
    assert max(p.request(scheme(n), KINDS[n])[0] for n in KINDS) == p.request(w, "BF16")[0]
    passed = [n for n in KINDS if 1 / sum(p.request(scheme(n), KINDS[n])) > 32]
    assert passed == ["FP8_DYNAMIC"], passed
    m = 448  # E4M3's step beside INT8's, by octaves of the peak
    e4m3 = codes(4, 3)
    for low, high, part in ((4 / 7, 1, 14), (1 / 14, 1 / 7, 112), (1 / 28, 1 / 14, 224), (1 / 112, 1 / 56, 896)):
        inside = [x for x in e4m3 if low * m <= x <= high * m]
        steps = {b - a for a, b in zip(inside, inside[1:])}
        assert steps == {m / part}, (low, steps)
    assert round(1 - math.erf(3.4 / 14 / math.sqrt(2)), 1) == 0.8


def peak_of(n: int) -> float:
    """Expected largest magnitude of n standard normal values."""
    return sum((1 - math.erf(k / 1000 / math.sqrt(2)) ** n) / 1000 for k in range(9000))


def lab_page():
    p, ms = plan(), 1e-3
    err = {(r["grid"], r["group"]): r for r in errors()}
    loud = {(r["grid"], r["group"]): r["outlier"]["error"] for r in errors("--loud", "600")}

    def plain(*key): return err[key]["plain"]["error"]
    def outlier(*key): return err[key]["outlier"]["error"]
    bits = {n: scheme(n) for n in ("BF16", "FP8_DYNAMIC", "W8A8", "W4A16", "W4A16_ASYM", "NVFP4")}
    kept, file4, read4 = 2 * p.kept, p.file(bits["W4A16"]), p.read(bits["W4A16"])
    cost = {n: p.request(bits[n], KINDS[n]) for n in KINDS}
    total = {n: sum(c) for n, c in cost.items()}
    few = {n: sum(p.request(bits[n], KINDS[n], 8)) / ms for n in KINDS}
    step = {(n, k): p.step(bits[n], KINDS[n], k) for n in KINDS for k in (1, 64, 256, 1024)}
    m = script()
    cases = m.matrices(60.0, 0)
    groups = {name: m.loss(v, m.quantize(v, "INT4", 64, m.exact))["error"] for name, v in cases.items()}
    old = Plan(inputs(another(*A100)))
    a100 = {n: sum(old.request(bits[n], "BF16")) for n in KINDS}
    whole = {(n, k): whole_step(p, n, k) / ms for n in KINDS for k in (1, 64, 256)}
    table = {}
    for k, cells in {1: "4.52 2.44 1.43 3.2", 64: "7.04 4.96 3.95 1.8", 256: "14.74 12.65 14.18 1.0"}.items():
        b, f, w = (whole[n, k] for n in KINDS)
        table |= dict(zip(cells.split(), (b, f, w, b / w)))
    before = lab_10.Plan(lab_10.plan())
    return table | {
        "1.07 ms": step["W4A16", 64], "2.08": step["FP8_DYNAMIC", 64] / ms,
        "6,979,321,856": p.linear, "3.35 TB/s": p.bandwidth, "989.4 TFLOP/s": p.peak["BF16"], "1,024": p.prompt,
        "30.1": before.ceilings()["prefill"], "86.9 %": p.linear / (p.linear + p.kept), "2.10 GB": kept,
        "1.05 GB": 2 * p.table, "0.4": given("an example"), "6.25 %": 1 / 16, "0.5": given("a code of E2M1"),
        "1.5": given("a code of E2M1"), "32,768": m.ROWS * m.COLUMNS, "1,023": m.COLUMNS - 1, "0.472": 60 / 127,
        "3.4": plain("E4M3", 1024) / plain("INT8", 1024), "5.2": outlier("INT8", 1024) / outlier("E4M3", 1024),
        "13.67": outlier("INT8", 1024) * 100, "13.67 %": outlier("INT8", 32768), "8.57": 60 / 7, "4.29": 30 / 7,
        "17 %": 1 - plain("INT4", 32) / plain("INT4", 128), "0.375": 16 / 32 - 16 / 128, "4.5": bits["NVFP4"],
        "9.65": plain("INT4", 32) * 100, "9.65 %": plain("INT4", 32), "19.69": outlier("INT4", 32) * 100,
        "9.49": plain("E2M1", 16) * 100, "14.71 %": outlier("E2M1", 16), "1,376,256": p.out, "2.8 MB": 2 * p.out,
        "27 MB": p.file(bits["W4A16_ASYM"]) - file4, "2.82": p.file(16) / file4, "16.06": p.file(16) / 1e9,
        "3.23": p.read(16) / read4, "10.0": given("a compute capability"), "7.5": CAPABILITY["W8A8"], "10.26 ms": 256 * p.prompt * p.kv / p.bandwidth, "4.17": step["BF16", 256] / ms,
        "3.61 ms": step["W4A16", 256],
        "4.125": bits["W4A16"], "1.7": step["W4A16", 256] / step["FP8_DYNAMIC", 256],
        "37 %": 1 - file4 / p.file(bits["FP8_DYNAMIC"]),
        "0.62 ms": (p.answer - 1) * 2 * p.head / p.bandwidth / p.batch,
        "5.09": (p.answer - 1) * p.prompt * p.kv / p.bandwidth / ms,
        "4 %": whole["BF16", 256] / whole["W4A16", 256] - 1, "14.1 µs": 2 * p.linear / p.peak["BF16"],
        "76 %": total["BF16"] / total["FP8_DYNAMIC"] - 1, "12 %": total["BF16"] / total["W4A16"] - 1,
        "23.3": 1 / total["BF16"], "0.8": 2 - half_width(1319), "3.60 GB": p.linear * 4.125 / 8,
        "1,050,939,392": p.kept, "2.10": kept / 1e9, "5.70": file4 / 1e9, "4.65 GB": read4,
        "1.39 ms": read4 / p.bandwidth, "6.98 GB": p.linear * bits["FP8_DYNAMIC"] / 8,
        "2.08 ms": step["FP8_DYNAMIC", 1], "4.79": before.decode(0), "4.48 ms": p.read(16) / p.bandwidth,
        "97.32": loud["INT8", 1024] * 100, "2.64": loud["E4M3", 1024] * 100, "36.31": outlier("INT4", 128) * 100,
        "4.25": p.bits(4, "64", 16), "5.81 GB": p.file(4.25), "10.66 %": groups["plain"],
        "26.75": groups["outlier"] * 100, "2.039": old.bandwidth / 1e12, "312.0": old.peak["BF16"] / 1e12,
        "114.6": a100["BF16"] / ms, "112.4": a100["FP8_DYNAMIC"] / ms, "112.4 ms": a100["W4A16"],
        "4.14 GB": (p.linear + p.kept) * 4.125 / 8, "13.1 %": p.kept / (p.linear + p.kept),
        "26.2": 1 / total["W4A16"], "41.2": 1 / total["FP8_DYNAMIC"], "28.89 ms": cost["W4A16"][0],
        "33.2": before.prefill(before.prompt),
        "14.45": cost["FP8_DYNAMIC"][0] / ms, "8 TB/s": given("a B200's data sheet"),
        "9,000 TFLOP/s": PEAKS["B200"]["FP4"] * 1e12, "5 %": given("the plan's assumption"),
        "1,921": math.ceil(0.05 * 196**2), "0.05": given("the plan's assumption"), "5.7": file4 / 1e9,
        "38.2 ms": total["W4A16"], "24.3": total["FP8_DYNAMIC"] / ms, "56.0 ms": few["W4A16"] * ms,
        "57.6": few["FP8_DYNAMIC"],
    }


def section_page():
    big = lab_01.ledger("llama-3-70b")
    parts, token = big["params"], big["kv_per_token"]
    linear = parts["attention"] + parts["ffn"]
    kept = parts["total"] - linear
    p, root = plan(), math.sqrt(60)

    def file(bits): return linear * bits / 8 + 2 * kept
    def room(bits): return 0.92 * 80e9 - file(bits) - 4 * 2**30
    assert [int(room(b) / token / 8192) for b in (4.125, 4.5)] == [11, 9] and room(8) < 0
    return {
        "0.29": 1 / math.sqrt(12), "8.8 ms": 11 * 8192 * token / p.bandwidth, "4.125": p.bits(4, "128", 16),
        "4.5": p.bits(4, "16", 8), "2.35": peak_of(32),
        "2.83": peak_of(128), "3.80": peak_of(4096), "4,096": 4096, "1.34": peak_of(4096) / peak_of(128),
        "3.4": peak_of(1024), "7.75": root, "0.472": 60 / 127, "0.061": root / 127, "0.008": 1 / 127,
        "80 GB": given("a card"), "0.92": given("the server's share of it"), "4 GiB": given("a reserve, as in lab 10"),
        "70.55": parts["total"] / 1e9, "68.45": linear / 1e9, "4.21 GB": 2 * kept, "8,192": 8192,
        "141.11 GB": file(16), "72.66 GB": file(8), "0.94 GB": 0.92 * 80e9 - file(8), "39.50 GB": file(4.125),
        "29.80 GB": room(4.125), "42.71 GB": file(4.5), "26.60 GB": room(4.5), "320 KiB": token,
        "90,956": room(4.125) // token, "11.2 ms": (file(4.125) - 2 * parts["embedding"]) / p.bandwidth,
        "1.13 s": 2 * linear * 8192 / p.peak["BF16"], "0.57": 2 * linear * 8192 / p.peak["FP8"],
    }


PAGES = {LAB: lab_page, SECTION: section_page}
CHECKS = [follows, independent, same_ledger, mutants, grids, closed_forms, other_seeds, second_opinion, paired, varied,
          turning_points]
