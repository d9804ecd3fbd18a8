"""Transformer lab 10: plan.py, and the names in quantization_plan.md and compress.py."""
import ast
import functools
import json
import math
import random
import re
import subprocess
import sys

import lab_01
from course import CODE, load

FOLDER = CODE / "lab-10-quantization-reading"
STARTER, SCRIPT, RECIPE = (FOLDER / name for name in ("quantization_plan.md", "plan.py", "compress.py"))

# Schemes in vLLM 0.33.0 for compressed tensors and the capability that each needs, read in the package, 2026-11.
SCHEMES = {"W8A16Fp8": 7.5, "W8A8Fp8": 8.9, "WNA16": 7.5}
# Its attention backends in the order it tries them on both cards, and the capabilities with an FP8 cache.
BACKENDS = {"FlashAttention 3": (9.0, 9.0), "FlashInfer": (8.0, 12.1), "Triton": (8.9, math.inf)}
OPTIONS = {"kv-cache-dtype", "kv-cache-dtype-skip-layers"}  # of `vllm serve`, the same version
# Arguments of llm-compressor 0.14.0.1 and of compressed-tensors 0.19.0, which it requires.
KNOWN = {
    "oneshot": {"model", "recipe", "output_dir", "dataset", "splits", "num_calibration_samples", "max_seq_length"},
    "QuantizationModifier": {"targets", "scheme", "ignore", "kv_cache_scheme"},
    "QuantizationArgs": {"num_bits", "type", "strategy", "dynamic", "symmetric"},
}


@functools.cache
def text() -> str:
    return STARTER.read_text(encoding="utf-8")


def table(name: str) -> dict[str, list[str]]:
    """Returns a region's table: the first cell of a row and its other cells."""
    region = re.search(rf"<!-- ANCHOR: {name} -->\n(.*?)<!-- ANCHOR_END: {name} -->", text(), re.S)[1]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in region.splitlines() if line[:1] == "|"]
    assert all(len(row) == len(cells[0]) for row in cells), f"{name}: a row with too many or too few cells"
    return {row[0]: row[1:] for row in cells[2:]}


@functools.cache
def plan():
    return load(SCRIPT)


@functools.cache
def same_model():
    """The inputs are lab 01's count of the same shape, part by part."""
    ledger, p = lab_01.ledger("llama-3-8b"), plan()
    parts = ledger["params"]
    assert p.LINEAR == parts["attention"] + parts["ffn"]
    assert (p.LM_HEAD, p.EMBEDDING, p.NORMS) == (parts["output"], parts["embedding"], parts["norms"])
    assert p.token_bytes("") == ledger["kv_per_token"]


def facts():
    """Chats that fit and break-even points equal values computed apart from this file."""
    p = plan()
    assert (p.held("", 16), p.held("C", 16)) == (440_848 // 16, 881_696 // 16)
    assert (p.held("", 4096), p.held("C", 4096), p.held("AC", 4096)) == (107, 215, 241)
    assert (p.even("A"), p.even("B")) == (106_496, 158_080) and p.even("A") == 26 * 4096
    assert p.even("A") == (p.LINEAR / 32) / (2 * 8 * 128)


def bounds():
    """No row makes a step longer, and no step is shorter than its bytes over the bandwidth."""
    p = plan()
    for rows in p.ROWS + ["AC"]:
        for load in p.WORKLOADS.values():
            assert p.step_seconds(rows, *load) <= p.step_seconds("", *load) * (1 + 1e-12), (rows, load)
            read = p.linear_bytes(rows) + 2 * (p.LM_HEAD + p.NORMS) + load[0] * load[1] * p.token_bytes(rows)
            assert p.step_seconds(rows, *load) >= read / p.BANDWIDTH * (1 - 1e-12), (rows, load)


def order():
    """The row that the plan puts first saves each workload the most time among the rows that can be first."""
    p = plan()
    said = dict(re.findall(r"^- (\w+): ([A-D]) first", text(), re.M))
    assert said == {name: min("ABC", key=lambda row: p.step_seconds(row, *load)) for name, load in p.WORKLOADS.items()}
    weights, cache = (p.saved_bytes(row, *p.WORKLOADS["documents"]) for row in "BC")
    assert weights < cache / 2, "a row of weights saves half of what C saves"
    chats, tokens = p.WORKLOADS["chats"]
    assert p.held("AC", tokens) >= p.held("C", tokens) >= chats > max(p.held("A", tokens), p.held("B", tokens))
    # Below 148 chats, row B with C is faster than A, C and D together: its products take less than their reading.
    faster = [n for n in range(1, 253) if p.step_seconds("BC", n, tokens) < p.step_seconds("ACD", n, tokens)]
    assert faster == list(range(1, 148)), faster


def evidence():
    """The noise of a paired comparison is that of simulated flips."""
    draw, prompts, flips, losses = random.Random(0), 1600, 0.04, []
    for _ in range(400):
        moved = sum(draw.random() < flips for _ in range(prompts))
        losses.append(100 * sum(draw.choice((-1, 1)) for _ in range(moved)) / prompts)
    spread = math.sqrt(sum(x * x for x in losses) / len(losses))
    assert abs(spread / plan().noise(prompts, flips) - 1) < 0.1, spread


def rows():
    """All tables have the same rows, every risk has a test, and no two rows share a risk."""
    p = plan()
    assert list(table("targets")) == list(table("risks")) == list(p.EVIDENCE) == list("ABCD")
    assert all(cell for cells in table("risks").values() for cell in cells)
    assert len({risk for risk, _ in table("risks").values()}) == 4
    assert f"lose {p.BUDGET} points" in text()
    assert f"up to {100 / 17:.2f} %" in table("risks")["A"][0]


def names():
    """Schemes and options are those of vLLM 0.33.0, and a scheme is listed only where the card can run it."""
    for label, cells in table("kernel-support").items():
        for cell, capability in zip(cells, (9.0, 8.0)):
            if label == "C":  # the first backend that takes the cache
                first = next(name for name, (low, high) in BACKENDS.items() if low <= capability <= high)
                assert cell.split(",")[0] == first, f"{label}: {cell}, expected {first}"
                continue
            scheme = re.findall(r"`(\w+)`", cell)
            assert len(scheme) == 1 and SCHEMES[scheme[0]] <= capability, f"{label}: {cell}"
            if label == "A D":  # the better scheme wherever it is supported
                assert (scheme[0] == "W8A8Fp8") == (capability >= SCHEMES["W8A8Fp8"]), cell
    for option in re.findall(r"(?<!-)--([a-z][\w-]+)", text()):
        assert option in OPTIONS, f"--{option} is not on the list"


def recipe():
    """compress.py parses, and uses arguments that exist."""
    calls = [n for n in ast.walk(ast.parse(RECIPE.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
    assert {call.func.id for call in calls} == KNOWN.keys()
    for call in calls:
        unknown = {k.arg for k in call.keywords} - KNOWN[call.func.id]
        assert not unknown, f"{call.func.id}: {unknown}"


def widths():
    """No line of the starters is wider than the page."""
    lines = [line for file in (SCRIPT, RECIPE, STARTER) for line in file.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= 80


def varied():
    """The edits that the page proposes do what it says."""
    def run(*edits):
        source = SCRIPT.read_text(encoding="utf-8")
        for old, new in edits:
            assert source.count(old) == 1, old
            source = source.replace(old, new)
        out = subprocess.run([sys.executable, "-c", source, "--json"], capture_output=True, text=True, check=True)
        return json.loads(out.stdout)
    few = run(('"chats": (200, 4096)', '"chats": (40, 4096)'))["saved"]
    assert (round(few["C"]["chats"] / 1e7), round(few["B"]["chats"] / 1e7)) == (1074, 1036)
    wide = run(("LAYERS, KV_HEADS, HEAD_DIM = 32, 8, 128", "LAYERS, KV_HEADS, HEAD_DIM = 32, 32, 128"))["even"]
    assert wide == {"A": 106_496 / 4, "B": 158_080 / 4}
    noisy = run(('"C": (400, 0.01)', '"C": (100, 0.01)'))["evidence"]["C"]
    assert math.isclose(noisy["noise"], 1) and abs(noisy["accept"]) < 1e-9


CHECKS = [same_model, facts, bounds, order, evidence, rows, names, recipe, widths, varied]
