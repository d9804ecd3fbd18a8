"""Lab 02: train_single_gpu.py, its ledger against closed forms, and copies of it broken on purpose."""
import ast
import functools
import json
import math
import os
import re
import subprocess

import course
import lab_01
from course import CODE, HERE, given

STARTER = CODE / "lab-02-single-gpu-training" / "train_single_gpu.py"
V, D, L, H, CTX = 256, 64, 2, 4, 64
REGIONS = ["block", "model", "saved", "ledger", "precision", "step", "loop", "checks"]
MOMENTS = ["zero_grad", "forward", "backward", "step"]


def run(python) -> dict:
    """What the starter prints, and what training_probe.py finds out about it."""
    def lines(*arguments):
        out = subprocess.run([str(python), *map(str, arguments)], capture_output=True, text=True,
                             env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""})
        assert out.returncode == 0, f"{arguments}: exit status {out.returncode}\n{out.stderr[-2000:]}"
        return [json.loads(line) for line in out.stdout.splitlines()]

    tests = {line["check"]: line for line in lines(STARTER, "--self-test")}
    assert len(tests) == 4 and all(line["ok"] for line in tests.values()), tests
    gap = tests["same gradients in 4 pieces"]
    gap["value"] = max(gap["value"], 1e-7)  # a rounding error, and not the same on every processor
    every = lines(STARTER, "--steps", 20, "--recompute", "--accum", 2, "--dtype", "bfloat16", "--rows", 4)
    assert [line["step"] for line in every] == [10, 20] and every[1]["loss"] < every[0]["loss"], every
    return {"self test": tests, "timeline": lines(STARTER, "--json"),
            **lines(HERE / "training_probe.py", STARTER)[0]}


@functools.cache
def figures() -> dict:
    return course.golden("lab_02", STARTER)


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def parameters() -> int:
    """Two tables, two blocks, three pairs of norm and the biases, from the shapes alone."""
    return V * D + CTX * D + L * (12 * D**2 + 13 * D) + 2 * D


WEIGHTS = 4 * parameters()
TENSORS = 2 + L * 12 + 2
ADAM = 2 * WEIGHTS + 4 * TENSORS


def ends(rows, length) -> int:
    """What is saved outside the blocks: the last norm, the tied product, the loss, token ids and targets."""
    tokens = rows * length
    return 2 * 4 * tokens * D + 2 * 4 * tokens + 4 * tokens * V + 4 + 2 * 8 * tokens


def saved_bytes(rows=8, length=CTX, recompute=False, pieces=1) -> int:
    """Bytes held for backward in 32-bit: 16 tensors a block, stored weights of attention, statistics, a mask."""
    micro = rows // pieces
    tokens = micro * length
    block = 16 * 4 * tokens * D + 4 * micro * H * length**2 + 4 * 4 * tokens + length**2
    ids = 2 * 8 * (rows - micro) * length  # a piece is a view, and keeps the ids of the whole batch
    return L * (4 * tokens * D if recompute else block) + ends(micro, length) + ids


def flop(recompute=False) -> int:
    """Multiply-adds count 2; backward costs twice forward; a rerun block leaves out its last product."""
    tokens = 8 * CTX
    attention, matrices = 4 * tokens * CTX * D, 2 * tokens * 12 * D**2
    forward = L * (matrices + attention) + 2 * tokens * V * D
    rerun = L * (matrices + attention - 2 * tokens * 4 * D**2)
    return 3 * forward + (rerun if recompute else 0)


def regions():
    """The starter parses, fits 80 columns and 200 lines, and has the regions of the page."""
    source = STARTER.read_text(encoding="utf-8")
    ast.parse(source)
    same(re.findall(r"# ANCHOR: (\S+)", source), REGIONS, "regions")
    widest = max(map(len, source.splitlines()))
    assert widest <= 80 and len(source.splitlines()) <= 200, f"{widest} columns, {len(source.splitlines())} lines"


def order_of_step():
    """In the step, scaled gradients are unscaled before they are clipped, and clipped before they are used."""
    tree = ast.parse(STARTER.read_text(encoding="utf-8"))
    step = next(f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name == "train_step")
    calls = sorted((n.lineno, -n.col_offset, n.func.attr) for n in ast.walk(step)
                   if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    names = [name for *_, name in calls]
    names.remove("parameters")
    wanted = ["zero_grad", "chunk", "backward", "scale", "detach", "unscale_", "clip_grad_norm_", "step", "update"]
    same(names, wanted, "calls")


def counted():
    """Parameters, their tensors and Adam's state have the sizes that shapes give."""
    same(figures()["parameters"], parameters(), "parameters")
    same(figures()["tensors"], TENSORS, "tensors")
    same((WEIGHTS, ADAM), (482_304, 964_720), "weights and Adam")


def timeline():
    """Two steps: who is alive at each of the four marks."""
    state = {"zero_grad": (0, 0), "forward": (saved_bytes(), 0), "backward": (0, WEIGHTS), "step": (0, WEIGHTS)}
    expected = [{"at": at, "weights": WEIGHTS, "saved": state[at][0], "gradients": state[at][1],
                 "adam": ADAM if step == 2 or at == "step" else 0} for step in (1, 2) for at in MOMENTS]
    same(figures()["timeline"], expected, "timeline")


def saved_closed_form():
    """Bytes saved for backward equal the closed form, at every batch, length and lever."""
    got = figures()["saved"]
    for rows in (1, 2, 4, 8):
        same(got[f"rows {rows}"], saved_bytes(rows), f"{rows} rows")
    for length in (16, 32):
        same(got[f"length {length}"], saved_bytes(length=length), f"length {length}")
    same(got["recompute"], saved_bytes(recompute=True), "recompute")
    same(got["accum 4"], saved_bytes(pieces=4), "4 pieces")
    same(got["both"], saved_bytes(recompute=True, pieces=4), "both")


def tensor_by_tensor():
    """The saved tensors, one by one: those of a block are sixteen residual streams and a square."""
    unit = 4 * 8 * CTX * D
    kinds = {}
    for name, count in figures()["shapes"].items():
        size = int(name.rsplit(" ", 1)[1])
        kinds[size] = kinds.get(size, 0) + count
    same(sum(size * count for size, count in kinds.items()), saved_bytes(), "sum")
    # a block: 8 of width d, 2 of width 4d, one set of attention weights; outside: 2 of width d, the log-softmax
    same(kinds[unit], L * 8 + 2, "tensors of width d")
    same(kinds[4 * unit], L * (2 + 1) + 1, "tensors of width 4d, attention weights, log-softmax")


def bf16():
    """Under autocast products are 16-bit and weights are not; what is saved includes 16-bit copies of weights."""
    same(figures()["autocast"], {"product": "torch.bfloat16", "weight": "torch.float32"}, "types")
    tokens = 8 * CTX
    halved = L * (14 * 2 * tokens * D + 2 * 8 * H * CTX**2) + 2 * tokens * D
    kept = (2 * L + 1) * (4 * tokens * D + 2 * 4 * tokens) + L * CTX**2 + 4 * tokens * V + 4 + 16 * tokens
    same(figures()["saved"]["bfloat16"], halved + kept + 2 * (L * 12 * D**2 + V * D), "saved in bfloat16")


def levers():
    """Recomputing and splitting lower the peak, Adam's state adds to it, and the third step needs what the second did."""
    peak, got = figures()["peak"], figures()["saved"]
    assert peak["rows 8"] > peak["recompute"] > peak["accum 4"] > peak["both"], peak
    assert got["rows 8"] > got["accum 4"] > got["recompute"] > got["both"], got
    same(figures()["peak, three steps"], peak["rows 8"], "peak of the first three steps")
    for name, most in peak.items():
        assert most > got[name] + WEIGHTS + ADAM, f"{name}: {most}"
    assert abs(peak["rows 8"] - figures()["peak, first step"] - ADAM) < 100, peak
    logits = 4 * 8 * CTX * V  # their gradient and that of the log-probabilities exist together, at the worst moment
    above = peak["rows 8"] - (saved_bytes() + WEIGHTS + ADAM) - 2 * logits
    assert 0 <= above < 64, f"{above} bytes are unaccounted for"


def flops():
    """PyTorch's count of FLOP equals the closed form, with and without recomputation."""
    same(figures()["flop"], {"rows 8": flop(), "recompute": flop(True), "bfloat16": flop()}, "FLOP")


def without_backward():
    """no_grad holds nothing, eval everything; losses that are kept hold their graphs until backward."""
    got = figures()["forward only"]
    same((got["no_grad"], got["eval"], got["after their backward"]), (0, saved_bytes(), 0), "forward only")
    shared = 2 * 8 * 8 * CTX  # ids and targets are the same three times
    same(got["three losses kept"], 3 * saved_bytes() - 2 * shared, "three losses")


def self_test():
    """The starter's own checks passed: ln V, equal gradients, one batch learnt."""
    tests = figures()["self test"]
    assert all(line["ok"] for line in tests.values()) and len(tests) == 4, tests
    assert abs(tests["starts near ln V"]["value"] - math.log(V)) < 0.1
    assert tests["same gradients recomputed"]["value"] == 0


def broken():
    """Copies with a mistake: an undivided loss, a late unscale, a wide initialisation; two edits change no byte or all."""
    got = figures()
    same(got["undivided"]["fails"], "same gradients in 4 pieces", "undivided")
    assert abs(got["undivided"]["loss"] / 4 - got["undivided"]["right"]) < 0.02, got["undivided"]
    assert abs(got["undivided"]["norm"] - 1) < 1e-4 and got["norm"] < 1, "four times the gradient is clipped to 1"
    assert abs(got["late clip"]["norm"] * 2**16 - 1) < 1e-3, got["late clip"]
    same(got["wide"]["check"], "starts near ln V", "wide")
    same(got["attached"], got["timeline"], "without detach")
    for line, plain in zip(got["zeroed"], got["timeline"]):
        same(line | {"gradients": 0}, plain | {"gradients": 0}, "zero-filled")
    same([line["gradients"] for line in got["zeroed"][4:]], [WEIGHTS] * 4, "zero-filled gradients")
    square = 4 * 8 * H * CTX**2 + CTX**2
    same(got["fused"], saved_bytes() - L * (square - 4 * 8 * H * CTX), "fused attention")


def recorded():
    """With PyTorch the starter still prints what is recorded."""
    course.verify("lab_02", STARTER, run)


def lab_page():
    got = figures()
    peak, held, tests = got["peak"], got["saved"], got["self test"]
    stream, wide = 4 * 8 * CTX * D, 16 * 8 * CTX * D
    square = 4 * 8 * H * CTX**2
    block = 16 * stream + square + 4 * 4 * 8 * CTX + CTX**2
    small = saved_bytes() - L * (16 * stream + square) - 2 * stream - 4 * 8 * CTX * V
    llama = lab_01.ledger("llama-3-8b")
    sums = [{line["at"]: sum(v for k, v in line.items() if k != "at") for line in got["timeline"][4 * i:4 * i + 4]}
            for i in range(2)]
    same(sums[1]["backward"], sums[1]["step"], "after backward")
    return {
        "120,576": parameters(), "0.48 MB": WEIGHTS, "0.48": WEIGHTS / 1e6, "482,304 bytes": WEIGHTS, "482,304": WEIGHTS,
        "964,720 bytes": ADAM, "2.0": given("a version"), "0.96": ADAM / 1e6, "7.60 MB": got["peak, first step"],
        "7,597,080 bytes": got["peak, first step"], "8.56": peak["rows 8"] / 1e6, "8,561,804": peak["rows 8"],
        "5.08 MB": peak["recompute"], "5,081,156": peak["recompute"], "3,720,336": peak["accum 4"],
        "2,936,848": peak["both"], "6,066,180 bytes": saved_bytes(), "6,066,180": saved_bytes(), "6.07 MB": saved_bytes(),
        "1,528,836": saved_bytes(pieces=4), "1,060,868": saved_bytes(recompute=True),
        "1,060,868 bytes": saved_bytes(recompute=True), "271,364": saved_bytes(recompute=True, pieces=4),
        "765,444 bytes": saved_bytes(1), "2,768,900": saved_bytes(length=32), "46 %": saved_bytes(length=32) / saved_bytes(),
        "5.7": saved_bytes() / saved_bytes(recompute=True), "131,072 bytes": stream, "131,072": stream,
        "524,288 bytes": square, "524,288": 4 * 8 * CTX * V, "1,048,576 bytes": 2 * wide, "1,048,576": L * square,
        "2,097,152": L * 2 * wide, "262,144": 2 * stream, "36,868": small, "2,633,728 bytes": block,
        "12,288": block - 16 * stream - square, "4,096 bytes": CTX**2, "40 %": 2 * wide / block, "16,384": V * D,
        "80 bytes": (16 * stream + square) / (8 * CTX * D),
        "43 %": block / saved_bytes(), "8,192 bytes": 2 * 8 * 8 * CTX, "65,536": 2**16, "0.437": got["norm"],
        "5.559": tests["starts near ln V"]["value"], "5.545": math.log(V), "23.66": got["wide"]["value"],
        "0.1151": tests["learns one batch"]["value"], "1e-7": given("the bound that the record keeps"),
        "0.0": tests["same gradients recomputed"]["value"], "3,870,724 bytes": held["bfloat16"], "3,870,724": held["bfloat16"], "6,366,348": peak["bfloat16"],
        "64 %": held["bfloat16"] / saved_bytes(), "229,376 bytes": 2 * (L * 12 * D**2 + V * D), "6.1e-05": 2.0**-14,
        "402,653,184": flop(), "486,539,264": flop(True), "486,539,264 FLOP": flop(True), "21 %": flop(True) / flop() - 1, "5,025,796": got["fused"],
        "1.5e-05": got["late clip"]["norm"], "0.6": got["late clip"]["loss"], "0.1": got["late clip"]["right"],
        "1,447,024": sums[1]["zero_grad"], "6,548,484": sums[0]["forward"], "7,513,204": sums[1]["forward"],
        "964,608": sums[0]["backward"], "1,929,328": sums[1]["step"], "8,561,804 bytes": peak["rows 8"],
        "1,048,600": peak["rows 8"] - sums[1]["forward"],
        "18.2 MB": got["forward only"]["three losses kept"], "0 bytes": got["forward only"]["no_grad"],
        "0.5294": got["undivided"]["loss"], "0.132": got["undivided"]["loss"] / 4, "0.1153": got["undivided"]["right"],
        "128.48 GB": llama["state"]["adam_bf16_master"], "80.30 GB": 10 * llama["params"]["total"],
        "64.24 GB": 8 * llama["params"]["total"], "4 bytes": given("width of a 32-bit value"),
        "2 bytes": given("width of a 16-bit value"), "10 bytes": 2 + 8, "8 bytes": given("two 32-bit moments"),
    }


def section_page():
    llama, cfg = lab_01.ledger("llama-3-8b"), lab_01.module().PRESETS["llama-3-8b"]
    count, stream = llama["params"]["total"], cfg.ctx * cfg.d
    kept, inputs, block = 34 * stream * cfg.layers, 2 * stream * cfg.layers, 34 * stream
    same(kept, llama["activations"]["selective"], "34 s b d L")
    recomputed, after = inputs + block, 16 * count
    return {
        "8,192": cfg.ctx, "36.51 GB": kept, "8,030,261,248": count, "4,096": cfg.d, "1.0625 GiB": block,
        "128.48 GB": after, "148.93 GB": 14 * count + kept, "115.71 GB": 14 * count + recomputed, "2 GiB": inputs,
        "3.29 GB": recomputed, "20.45 GB": 14 * count + kept - after, "33.22 GB": kept - recomputed,
        "1.37": math.sqrt(cfg.layers * 2 / 34), "128,256": cfg.vocab, "120,576": parameters(),
        "16 bytes": sum(lab_01.module().SCHEMES["adam_bf16_master"]), "32 bytes": 16 * 2,
        "2 bytes": given("width of a 16-bit value"),
    }


PAGES = {
    "tracks/ai-infra/labs/lab-02-single-gpu-training.md": lab_page,
    "tracks/ai-infra/handbook/02-training-step.md": section_page,
}
CHECKS = [recorded, regions, order_of_step, counted, timeline, saved_closed_form, tensor_by_tensor, bf16, levers, flops,
          without_backward, self_test, broken]
