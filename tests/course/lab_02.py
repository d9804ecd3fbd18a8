"""Lab 02: train_single_gpu.py, its ledger against closed forms, and copies of it broken on purpose."""
import ast
import functools
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import types

import course
from course import CODE, CONTENT, HERE

FOLDER = CODE / "lab-02-single-gpu-training"
STARTER, HELPER, PLAN = (FOLDER / name for name in ("train_single_gpu.py", "memory_ledger.py", "plan.py"))
WATCH, MEASURED = FOLDER / "memory_over_time.py", FOLDER / "measured.json"
PAGE = CONTENT / "tracks/ai-infra/labs/lab-02-single-gpu-training.md"
V, D, L, H, CTX = 256, 64, 2, 4, 64
REGIONS = {
    STARTER: ["block", "model", "loader", "precision", "step", "micro-batches", "evaluate", "held-out", "loop"],
    HELPER: ["card"],
    PLAN: [],
}
MOMENTS = ["zero_grad", "forward", "backward", "step"]


def run(python) -> dict:
    """What the starter prints, and what training_probe.py finds out about it."""
    def lines(*arguments):
        out = subprocess.run([str(python), *map(str, arguments)], capture_output=True, text=True,
                             env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""})
        assert out.returncode == 0, f"{arguments}: exit status {out.returncode}\n{out.stderr[-2000:]}"
        return [json.loads(line) for line in out.stdout.splitlines()]

    tests = {line["check"]: line for line in lines(STARTER, "--self-test", "--json")}
    assert len(tests) == 4 and all(line["ok"] for line in tests.values()), tests
    gap = tests["same gradients in 4 micro-batches"]
    gap["value"] = max(gap["value"], 1e-7)  # a rounding error, and not the same on every processor
    every = lines(STARTER, "--json", "--steps", 40, "--recompute", "--accum", 2, "--dtype", "bfloat16", "--rows", 4)
    assert [line["step"] for line in every] == [20, 40] and every[1]["train"] < every[0]["train"], every
    trained = lines(STARTER, "--json", "--steps", 200)
    for line in trained:
        assert line.pop("ms_per_step") > 0
        for kind in ("train", "held_out"):  # rounding errors grow over the steps
            line[kind] = round(line[kind], 2)
    return {"self test": tests, "helper": hashlib.sha256(HELPER.read_bytes()).hexdigest(), "timeline": lines(STARTER, "--ledger", "--json"), "trained": trained,
            **lines(HERE / "training_probe.py", STARTER)[0]}


@functools.cache
def figures() -> dict:
    got = course.golden("lab_02", STARTER)
    assert got["helper"] == hashlib.sha256(HELPER.read_bytes()).hexdigest(), f"{HELPER.name} has changed since the record"
    return got


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
    """The three files parse, fit 79 columns, and have the regions of the page."""
    for file, names in REGIONS.items():
        source = file.read_text(encoding="utf-8")
        ast.parse(source)
        same(re.findall(r"# ANCHOR: (\S+)", source), names, f"regions of {file.name}")
        widest = max(map(len, source.splitlines()))
        assert widest <= 79 and len(source.splitlines()) <= 245, f"{file.name}: {widest} columns, or too many lines"


def plan(*arguments, **changes) -> dict:
    """What plan.py prints, or would print after each old text is replaced by a new one."""
    if not changes:
        out = subprocess.run([sys.executable, "-B", str(PLAN), "--json", *map(str, arguments)],
                             capture_output=True, text=True, check=True)
        return json.loads(out.stdout)
    source = PLAN.read_text(encoding="utf-8")
    for old, new in changes["edits"]:
        assert source.count(old) == 1, f"{old!r} is in the file {source.count(old)} times"
        source = source.replace(old, new)
    module = types.ModuleType("plan")
    exec(compile(source, "plan", "exec"), module.__dict__)
    if changes.get("gpu"):
        module.__dict__.update(changes["sizes"], TENSORS=148)
        return {"peak": module.peak(8, module.CTX, 2, gpu=True)}
    return {"timeline": module.timeline(8, CTX), "parameters": module.parameters()}


def planned():
    """plan.py prints what the closed forms here and the recorded runs say."""
    got = figures()
    for arguments, kind in (((), "rows 8"), (("--rows", 1), "rows 1"), (("--length", 32), "length 32"),
                            (("--recompute",), "recompute"), (("--accum", 4), "accum 4")):
        same(plan(*arguments)["saved"], got["saved"][kind], f"plan.py {arguments}")
    base = plan()
    same([{k: v for k, v in line.items() if k != "sum"} for line in base["timeline"]], got["timeline"], "timeline")
    same((base["parameters"], base["flop"], plan("--recompute")["flop"]), (parameters(), flop(), flop(True)), "counts")
    for kind, reached in ((base["peak"][1], got["peak"]["rows 8"]), (base["peak"][0], got["peak, first step"]),
                          (plan("--accum", 4)["peak"][1], got["peak"]["accum 4"])):
        assert 0 <= reached - kind < 64, f"plan.py expects a peak of {kind}, the profiler saw {reached}"
    wrong = plan(edits=(("2 * weights + BYTES * TENSORS", "weights + BYTES * TENSORS"),))
    assert wrong["timeline"] != base["timeline"], "a plan with one moment too few passes"


LARGE = {"D": 256, "L": 3, "H": 16, "CTX": 256}  # as many heads per width as measure.py's model has
SOFTMAX = f"""
import json
import sys
sys.path.insert(0, {str(FOLDER)!r})
import plan
import train_single_gpu as lab
from torch.profiler import ProfilerActivity, profile
for module in (lab, plan):
    vars(module).update({LARGE})
plan.TENSORS = 2 + 12 * plan.L + 2
def most(rows):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        model, opt, cast, scaler = lab.start()
        batch = lab.random_batch("cpu", rows, lab.CTX)
        for _ in range(2):
            lab.train_step(model, opt, batch, cast, scaler)
    now, sizes = 0, []
    for event in sorted(profiled.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            now += event.nbytes()
            sizes.append(now)
    return max(sizes)
print(json.dumps({{f"rows {{rows}}": {{"measured": most(rows), "planned": plan.peak(rows, lab.CTX, 2)}} for rows in (2, 4)}}))
"""


def softmax_peak(python) -> dict:
    out = subprocess.run([str(python), "-B", "-c", SOFTMAX], capture_output=True, text=True, check=True,
                         env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""})
    return json.loads(next(line for line in out.stdout.splitlines() if line.startswith("{")))


def softmax_with_torch():
    """PyTorch's profiler is asked again for the peak of a model whose attention weights are large."""
    course.verify("lab_02_softmax", PLAN, softmax_peak)


def softmax():
    """With large attention weights the peak is in the last block's softmax, which plan.py knows to 64 bytes."""
    for name, each in course.golden("lab_02_softmax", PLAN).items():
        assert 0 <= each["measured"] - each["planned"] < 64, (name, each)


def on_a_gpu():
    """The plan of the large model is what an H200 measured, to a kilobyte; what it leaves out is seen at once."""
    measured = {kind: json.loads((FOLDER / f"h200{kind}.json").read_text(encoding="utf-8")) for kind in ("", "-peak")}
    for accum, lever in ((1, "none"), (4, "accum 4")):
        got = measured[""]["levers"][lever]["peak_bytes"]
        assert 0 <= got - plan("--large", "--accum", accum)["peak"][1] < 1024, (lever, got)
    assert 0 <= 9_029_993_472 - plan("--large", "--rows", 4)["peak"][1] < 1024, "half the rows, measured by peak.py"
    square = plan("--large")["parts"]["blocks, attention weights"] // 12
    live = {(each["bytes"], each["asked_by"]): each["blocks"] for each in measured["-peak"]["live"]}
    assert live[square, "attend"] == 12 and live[square, "backward"] == 3, live
    one_less = plan(edits=(("        softmax += square\n", "        pass\n"),), sizes={"D": 1024, "L": 12, "H": 16, "CTX": 1024}, gpu=True)
    assert abs(one_less["peak"] - measured[""]["levers"]["none"]["peak_bytes"]) > square / 2, "without the third matrix"


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
    expected = [{"step": step, "at": at, "weights": WEIGHTS, "saved": state[at][0], "gradients": state[at][1],
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


UPDATE = """
import json
import torch
from torch.profiler import ProfilerActivity, profile
found = {}
for kind in ("foreach", "fused"):
    weights = [torch.nn.Parameter(torch.randn(64, 64)) for _ in range(16)]
    adam = torch.optim.AdamW(weights, lr=1e-3, **{kind: True})
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    adam.step()  # allocates the moments
    now = most = 0
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        adam.step()
    for event in profiled.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    found[kind] = most
print(json.dumps({"weights": 16 * 64 * 64 * 4, "temporaries": found}))
"""


def updated(python) -> dict:
    """Bytes that AdamW's two kinds of update hold for a moment, seen by PyTorch's profiler."""
    out = subprocess.run([str(python), "-c", UPDATE], capture_output=True, text=True, check=True)
    return json.loads(next(line for line in out.stdout.splitlines() if line.startswith("{")))


def update_with_torch():
    """PyTorch's updates are profiled again."""
    course.verify("lab_02_update", STARTER, updated)


def update():
    """A foreach update holds temporaries as large as the weights, a fused one none but counters."""
    got = course.golden("lab_02_update", STARTER)
    extra = {kind: most - got["weights"] * (kind == "foreach") for kind, most in got["temporaries"].items()}
    assert all(0 <= most < 64 for most in extra.values()), got


def watched(python) -> dict:
    """What memory_over_time.py prints."""
    out = subprocess.run([str(python), "-B", str(WATCH)], capture_output=True, text=True, check=True,
                         env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""})
    return json.loads(out.stdout)


def watched_with_torch():
    """PyTorch's profiler is asked again for the memory over time."""
    if os.environ.get("VERIFY_TORCH") != "1":
        raise course.Skipped("set VERIFY_TORCH=1 to run it with PyTorch, a download of some 3 GB")
    found = watched(course.python("torch"))
    same(found, json.loads(MEASURED.read_text(encoding="utf-8")), "measured.json")


def over_time():
    """The measured peaks are the plan's, and a foreach update adds temporaries as large as the weights; the page draws them."""
    found, ids = json.loads(MEASURED.read_text(encoding="utf-8")), 2 * 8 * 8 * CTX
    for kind in ("for loop", "foreach"):
        same([each["phase"] for each in found[kind]], ["forward", "backward", "step"] * 2, "phases")
        for step, expected in enumerate(plan()["peak"]):
            got = found[kind][3 * step + 1]["most"]
            assert 0 <= got - expected < 64, f"{kind}, step {step + 1}: {got}, planned {expected}"
        for each in found[kind][2::3]:
            extra = each["most"] - (2 * WEIGHTS + ADAM + ids)
            if kind == "foreach":
                assert 0 <= extra - WEIGHTS < 64, extra
            else:
                assert extra < WEIGHTS / 2, extra
    same(found["foreach"][5]["most"] - (3 * WEIGHTS + ADAM + ids) < 64, True, "the calculator's law of the update")
    page = PAGE.read_text(encoding="utf-8")
    most = [max(each["curve"][k:k + 2]) for each in found["foreach"] for k in range(0, 12, 2)]
    drawn = "line thick from " + " to ".join(
        f"({round((k + 0.5) * 0.075, 3):g}, {round(size / 1e6 * 0.2, 3):g})" for k, size in enumerate(most))
    assert f"\n{drawn}\n" in page, drawn


def rerun():
    """Recomputation costs less than a third: a third of the blocks' share, less the last product of each block."""
    tokens = 8 * CTX
    left_out = 2 * tokens * V * D + L * 2 * tokens * 4 * D**2  # the LM head and the last products, forward
    assert flop(True) - flop() == flop() // 3 - left_out
    assert round(100 * (flop(True) / flop() - 1)) == 21


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


def learns():
    """The loss on text that was not trained on falls, and no loss is below the entropy of the text, ln 4."""
    lines = figures()["trained"]
    same([line["step"] for line in lines], list(range(20, 201, 20)), "logged steps")
    assert lines[-1]["held_out"] < 0.45 * lines[0]["held_out"], lines
    assert all(line["held_out"] > math.log(4) < line["train"] for line in lines), lines
    assert lines[-1]["train"] < lines[-1]["held_out"], lines[-1]


def broken():
    """Copies with a mistake: an undivided loss, a late unscale, a wide initialisation; two edits change no byte or all."""
    got = figures()
    same(got["undivided"]["fails"], "same gradients in 4 micro-batches", "undivided")
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


CHECKS = [recorded, update_with_torch, update, softmax_with_torch, softmax, on_a_gpu, watched_with_torch, over_time, rerun, regions, planned, order_of_step, counted, timeline, saved_closed_form, tensor_by_tensor, bf16, levers, flops,
          without_backward, self_test, learns, broken]
