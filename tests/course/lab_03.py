"""Lab 03: train_ddp.py, against averages done by hand, a simulated ring and mutants that must be noticed."""
import ast
import functools
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import lab_02
from course import CODE, CONTENT, Skipped, golden, python, transcript, verify

FOLDER = CODE / "lab-03-ddp-conversion"
STARTER, CHECKS_FILE, PLAN = (FOLDER / name for name in ("train_ddp.py", "checks.py", "plan.py"))
LAYERS, LAYER = 8, (1024 * 1024 + 1024) * 4  # of the starter's model; bytes of one layer's gradients
GRADIENTS = LAYERS * LAYER
MIB = 2**20

# name: ranks and arguments of a plain run
RUNS = {"2": (2, []), "1": (1, ["--accum", "4"]), "4": (4, ["--accum", "1"]), "three": (2, ["--accum", "3"])}
# name: (text, its replacement) pairs and arguments; all of them run in two ranks that are started once
EARLY = """        with model.no_sync() if part < accum else nullcontext():     # DDP
            loss = model(inputs, targets) / accum
            loss.backward()
"""
LATE = """        loss = model(inputs, targets) / accum
        with model.no_sync() if part < accum else nullcontext():     # DDP
            loss.backward()
"""
ADAM = ["--opt", "Adam", "--lr", "0.001"]
NO_MEAN = ("        grads.div_(dist.get_world_size())\n", "")
VARIANTS = {
    "cap 25": ([], ["--cap", "25"]),
    "cap 8": ([], ["--cap", "8"]),
    "cap 1": ([], ["--cap", "1"]),
    "cap 64": ([], ["--cap", "64"]),
    "sum": ([NO_MEAN], []),
    "double rate": ([], ["--lr", "0.2"]),
    "adam": ([], ADAM),
    "adam, sum": ([NO_MEAN], ADAM),
    "forward outside": ([(EARLY, LATE)], []),
    "no set_epoch": ([("        loader.sampler.set_epoch(epoch)                              # DDP\n", ""),
                      ("    loader.sampler.set_epoch(epoch)\n    return", "    return")], []),
    "undivided": ([("targets) / accum", "targets)")], []),
    "both ends": ([("        for layer in self.layers[self.skip:]:\n", "        x = F.linear(x, self.layers[-1].weight)\n"
                    "        for layer in self.layers[self.skip:]:\n")], ["--cap", "1"]),
    "no wrapper": ([("loss = model(inputs", "loss = model.module(inputs")], []),
    "find unused": ([], ["--skip", "1", "--find-unused"]),
}
# Runs each variant's main() in one group of processes; the rank's own group calls are replaced by nothing.
DRIVER = """
import contextlib, io, json, sys
import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler
dist.init_process_group("gloo")
leave, dist.init_process_group, dist.destroy_process_group = dist.destroy_process_group, print, print
found = {}
import types
for name, (source, helper, arguments) in json.load(open(sys.argv[1])).items():
    sys.modules["checks"] = types.ModuleType("checks")
    exec(compile(helper, "checks", "exec"), sys.modules["checks"].__dict__)
    kept, sys.argv = sys.argv, ["train_ddp.py", "--json", *arguments]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, name, "exec"), {"__name__": "__main__", "__doc__": "variant"})
    sys.argv = kept
    if dist.get_rank() == 0:
        found[name] = json.loads(next(line for line in out.getvalue().splitlines() if line.startswith("{")))
if dist.get_rank() == 0:
    shares = [list(DistributedSampler(range(1000), 3, rank)) for rank in range(3)]
    found["shares"] = [len(share) for share in shares] + [len(set(sum(shares, [])))]
    print(json.dumps(found))
leave()
"""


def torchrun(interpreter, ranks: int, *command: str) -> dict:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    out = subprocess.run([str(interpreter), "-m", "torch.distributed.run", "--standalone",
                          f"--nproc_per_node={ranks}", *command],
                         capture_output=True, text=True, timeout=600, env=environment)
    assert out.returncode == 0, out.stderr[-9000:]
    return json.loads(next(line for line in out.stdout.splitlines() if line.startswith("{")))


def refused(interpreter, folder: str, arguments: list[str], message: str) -> None:
    """Two ranks stop with a message; {rank} in an argument is the rank, as if each had a disk of its own."""
    driver = pathlib.Path(folder) / "refused.py"
    driver.write_text(f"""
import os, runpy, sys
sys.path.insert(0, {str(FOLDER)!r})
sys.argv = [each.replace("{{rank}}", os.environ["RANK"]) for each in sys.argv]
runpy.run_path({str(STARTER)!r}, run_name="__main__")
""", encoding="utf-8")
    kept = pathlib.Path(folder) / "kept.pt"
    kept.with_name("kept.pt0").write_bytes(kept.read_bytes())  # rank 1 finds none
    try:
        torchrun(interpreter, 2, str(driver), *arguments)
    except AssertionError as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"{arguments}: nothing says {message!r}")


def run(interpreter) -> dict:
    """Three plain runs, and what every variant of the file prints."""
    source = STARTER.read_text(encoding="utf-8")
    found = {name: torchrun(interpreter, ranks, str(STARTER), "--json", *arguments)
             for name, (ranks, arguments) in RUNS.items()}
    todo = {}
    for name, (edits, arguments) in VARIANTS.items():
        text, helper = source, CHECKS_FILE.read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) + helper.count(old) == 1, f"{name}: {old!r} is not in the files once"
            text, helper = text.replace(old, new), helper.replace(old, new)
        todo[name] = (text, helper, arguments)
    with tempfile.TemporaryDirectory() as folder:
        driver, tasks = pathlib.Path(folder) / "driver.py", pathlib.Path(folder) / "tasks.json"
        driver.write_text(DRIVER, encoding="utf-8")
        tasks.write_text(json.dumps(todo), encoding="utf-8")
        found |= torchrun(interpreter, 2, str(driver), str(tasks))
        kept = ["--json", "--checkpoint", str(pathlib.Path(folder) / "kept.pt")]
        halves = [torchrun(interpreter, 2, str(STARTER), *kept, "--epochs", epochs)["losses"] for epochs in "12"]
        assert halves[0] + halves[1] == found["2"]["losses"], f"resumed: {halves}, at once: {found['2']['losses']}"
        for arguments, message in ((["--skip", "1"], "find_unused_parameters"), ([*kept, "--epochs", "2"], "has all 2 epochs"),
                                   (["--checkpoint", kept[-1] + "{rank}"], "not the same file on every rank")):
            refused(interpreter, folder, arguments, message)
    for name, figures in found.items():
        if name != "shares":  # every step after the first sends the same buckets
            rows = figures.pop("buckets")
            assert all(row == rows[-1] for row in rows[1:]), f"{name}: buckets changed after the second exchange"
            figures |= {"exchanges": len(rows), "first_buckets": rows[:1], "later_buckets": rows[-1:]}
    return found | {"checks": hashlib.sha256(CHECKS_FILE.read_bytes()).hexdigest()}


def with_torch():
    """Its figures are those of PyTorch."""
    verify("lab_03", STARTER, run)


@functools.cache
def stored(name: str = "2") -> dict:
    """What a plain run or a variant printed when it was recorded."""
    got = golden("lab_03", STARTER)
    assert got["checks"] == hashlib.sha256(CHECKS_FILE.read_bytes()).hexdigest(), "checks.py has changed since the record"
    return got[name]


@functools.cache
def module(old: str = "", new: str = "") -> dict:
    """plan.py's functions and constants; or those of a mutant."""
    source = PLAN.read_text(encoding="utf-8")
    assert old in source, f"{old!r} is not in the file"
    names = {"__name__": "plan"}
    exec(compile(source.replace(old, new) if old else source, str(PLAN), "exec"), names)
    return names


@functools.cache
def planned(*arguments: str) -> dict:
    out = subprocess.run([sys.executable, "-B", str(PLAN), "--json", *arguments], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def close(got, expected, what, tolerance=1e-5):
    assert math.isclose(got, expected, rel_tol=tolerance), f"{what}: {got}, expected {expected}"


def readable():
    """The three files parse, their regions are whole, and no line is wider than 79 columns."""
    for file, regions in ((STARTER, ["setup", "loader", "wrap", "step", "checkpoint"]),
                          (CHECKS_FILE, ["hook", "spread", "weights"]), (PLAN, ["overlap"])):
        lines = file.read_text(encoding="utf-8").splitlines()
        ast.parse("\n".join(lines))
        opened = [line.split()[-1] for line in lines if line.startswith("# ANCHOR: ")]
        same([line.split()[-1] for line in lines if line.startswith("# ANCHOR_END: ")], opened, "regions")
        same(opened, regions, f"regions of {file.name}")
        assert len(lines) <= 200 and max(map(len, lines)) <= 79, f"{file.name} is too long or too wide"
    same((module()["LAYERS"], sum(module()["TENSORS"])), (LAYERS, GRADIENTS), "the model's size")


def converted():
    """Each line of the step and of the loop is one of lab 02, or is marked as DDP's."""
    known = {line.strip() for line in lab_02.STARTER.read_text(encoding="utf-8").splitlines()}
    known |= {"loss.backward()", "opt.step()"}  # lab 02 has its scaler around both
    known |= {"losses = []", "losses = torch.stack(losses)"}  # kept instead of logged
    text = STARTER.read_text(encoding="utf-8").partition("# ANCHOR: step\n")[2].partition("# ANCHOR_END: step")[0]
    strange = [line for line in text.splitlines() if line.strip() and "# DDP" not in line and line.strip() not in known]
    allowed = ["def train_step(model, opt, batch, accum=1):", "    parts = zip(*(t.chunk(accum) for t in batch))",
               "def train(model, opt, loader, device, epochs, accum=1):", "    for epoch in epochs:",
               "            losses.append(train_step(model, opt, batch, accum))"]
    same(strange, allowed, "lines that lab 02 does not have")
    same(text.count("# DDP"), 5, "marked lines")


def same_plan():
    """plan.py's buckets are the recorded ones, and its bytes those of a ring."""
    rows = planned()["overlap"]
    for cap, run in (("none", "2"), ("25", "cap 25"), ("8", "cap 8"), ("1", "cap 1"), ("64", "cap 64")):
        same([rows[cap]["buckets"]], stored(run)["later_buckets"], f"cap {cap}")
    for ranks in (1, 2, 4, 8, 64):
        same(planned()["sent"][str(ranks)], 2 * (ranks - 1) * GRADIENTS // ranks, f"{ranks} ranks")
    assert planned("--launch", "0")["overlap"]["1"]["exposed_ms"] == 0.5


def leftovers():
    """With three micro-batches per step, an epoch's last samples are dropped and no step is short."""
    found = stored("three")
    same((found["exchanges"], found["global_batch"], len(found["losses"])), (4, 24, 4), "steps in two epochs of 64 samples")


def simulated_ring(world: int) -> int:
    """Chunks that each rank sends, one a round, until all hold every finished chunk."""
    held = [[{rank} for _ in range(world)] for rank in range(world)]
    rounds = 0
    for phase in range(2):
        for step in range(world - 1):
            chunk = [(rank + phase - step) % world for rank in range(world)]
            moving = [set(held[rank][chunk[rank]]) for rank in range(world)]
            for rank in range(world):
                at = held[(rank + 1) % world]
                at[chunk[rank]] = moving[rank] | at[chunk[rank]] if phase == 0 else moving[rank]
            rounds += 1
    assert all(chunk == set(range(world)) for rank in held for chunk in rank), f"{world} ranks: a sum is incomplete"
    return rounds


def ring_is(ring_bytes):
    for world in (1, 2, 3, 4, 8, 13, 64):
        same(ring_bytes(world * 1000, world), simulated_ring(world) * 1000, f"{world} ranks")


def ring():
    """Bytes sent are those of a ring that is played through, chunk by chunk."""
    ring_is(module()["ring_bytes"])


def filled(first: float, cap: float) -> list[int]:
    """Buckets of gradients that arrive last layer first, bias before weight; one closes when it has reached its cap."""
    buckets, size = [], 0
    for tensor in [1024 * 4, 1024 * 1024 * 4] * LAYERS:
        size += tensor
        if size >= (cap if buckets else first) * MIB:
            buckets.append(size)
            size = 0
    return buckets + [size] * (size > 0)


def bucket_rule():
    """Recorded buckets follow from tensor sizes and caps; only the default has a small first one."""
    rules = {"2": (1, 25), "1": (1, 25), "4": (1, 25), "cap 25": (25, 25), "cap 8": (8, 8), "cap 1": (1, 1),
             "cap 64": (64, 64)}
    for name, (first, cap) in rules.items():
        same(stored(name)["first_buckets"], [[GRADIENTS]], f"{name}, first exchange")
        same(stored(name)["later_buckets"], [filled(first, cap)], f"{name}, later exchanges")
        same(stored(name)["exchanges"], 8, f"{name}, exchanges")


def all_reduces():
    """Eight steps at the default cap are fifteen all-reduces: one bucket in the first, two in each later step."""
    for name in RUNS:
        found = stored(name)
        count = len(found["first_buckets"][0]) + (found["exchanges"] - 1) * len(found["later_buckets"][0])
        same(count, 2 * found["exchanges"] - 1, f"{name}: all-reduces")
    same(2 * stored("4")["exchanges"] - 1, 15, "four ranks, two epochs")


BUFFERS = """
import json
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank, found = dist.get_rank(), {}
for sync in (None, False):
    norm = nn.BatchNorm1d(4, momentum=0.0)  # forward leaves the buffer as it is
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), norm), forward_sync_buffers=sync)
    seen = []
    for local in (False, False, True, False):  # the third does not synchronize gradients
        norm.running_mean.fill_(rank)
        with model.no_sync() if local else torch.enable_grad():
            model(torch.ones(5, 4)).sum().backward()
        seen.append(norm.running_mean[0].item())
    found[str(sync)] = seen
everyone = [None, None]
dist.all_gather_object(everyone, found)
if rank == 0:
    print(json.dumps({"of rank 1": everyone[1]}))
dist.destroy_process_group()
"""


def buffers_of(interpreter) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "buffers.py"
        file.write_text(BUFFERS, encoding="utf-8")
        return torchrun(interpreter, 2, str(file))


def buffers_with_torch():
    """PyTorch's DDP is asked again when it sends buffers."""
    verify("lab_03_buffers", STARTER, buffers_of)


def buffers():
    """Rank 0's buffers arrive in every forward after a synchronized one, so in a step's first; not if that is switched off."""
    seen = golden("lab_03_buffers", STARTER)["of rank 1"]
    same(seen["False"], [1.0] * 4, "switched off")
    same(seen["None"], [0.0, 0.0, 0.0, 1.0], "by default")


def both_ends():
    """A weight that forward uses first and last has its gradient complete last, and a bucket for itself."""
    bias = 1024 * 4
    same(stored("both ends")["later_buckets"], [[LAYER + bias, *[LAYER] * 6, LAYER - bias]], "a weight used twice")


def exposed():
    """Exposed time keeps its bounds, and is what a replay in small ticks finds."""
    exposed_is(module()["exposed_ms"])


def exposed_is(exposed_ms):
    tick = 1 / 1024
    for layers in ([8], [1, 7], [7, 1], [2] * 4, [1] * 8, [3, 3, 2]):
        sizes = [n * LAYER for n in layers]
        for wire, launch in ((4, 0), (4, 0.75), (16, 0), (1, 0.125)):
            got = exposed_ms(sizes, 8, wire, launch)
            bounds = (launch + wire * layers[-1] / 8, len(layers) * launch + wire - 8)
            assert got >= max(bounds) - 1e-9, f"{layers}: {got} is less than {max(bounds)}"
            now, left, waiting, known = 0.0, 0.0, [], 0
            ends = [sum(layers[:i + 1]) for i in range(len(layers))]
            while known < len(layers) or waiting or left > 1e-9:
                while known < len(layers) and now >= ends[known] - 1e-9:
                    waiting.append(launch + wire * layers[known] / 8)
                    known += 1
                if left <= 1e-9 and waiting:
                    left = waiting.pop(0)
                now, left = now + tick, left - tick
            assert abs(now - tick - 8 - got) < 0.01 or abs(now - 8 - got) < 0.01, f"{layers}: {got}, replayed {now - 8}"


def mutants():
    """A ring without its second half, buckets that do not queue and launches that cost nothing are noticed."""
    for old, new, check, name in (("2 * (world - 1)", "(world - 1)", ring_is, "ring_bytes"),
                                  ("(world - 1) * size", "world * size", ring_is, "ring_bytes"),
                                  ("max(ready, free)", "ready", exposed_is, "exposed_ms"),
                                  ("max(ready, free)", "free", exposed_is, "exposed_ms"),
                                  ("+ launch +", "+", exposed_is, "exposed_ms")):
        try:
            check(module(old, new)[name])
        except AssertionError:
            continue
        raise AssertionError(f"{new!r} for {old!r} passes")


def equal_runs():
    """One, two and four ranks with sixteen samples a step have the same losses; two ranks with the sum do not."""
    for name in ("1", "4", "cap 25", "cap 8", "cap 1", "cap 64", "forward outside"):
        for step, (a, b) in enumerate(zip(stored()["losses"], stored(name)["losses"], strict=True)):
            close(b, a, f"{name}, step {step}")
    same([stored(n)["global_batch"] for n in ("1", "2", "4")], [16] * 3, "global batch")
    same(stored("sum")["losses"], stored("double rate")["losses"], "a sum is twice the rate")
    assert abs(stored("sum")["losses"][-1] / stored()["losses"][-1] - 1) > 0.1, "SGD does not notice the sum"
    close(stored("adam, sum")["losses"][-1], stored("adam")["losses"][-1], "Adam notices the sum", 1e-4)
    close(stored("undivided")["losses"][0], 2 * stored()["losses"][0], "an undivided window")


def replicas():
    """Ranks disagree when seeded, agree when wrapped and trained, and drift apart around the wrapper."""
    for name in (*RUNS, *VARIANTS):
        found = stored(name)["spread"]
        same(found["wrapped"], 0.0, f"{name}, wrapped")
        assert (found["trained"] == 0.0) == (name != "no wrapper"), f"{name}: trained to {found['trained']}"
        if name != "1":
            assert 0.062 < found["seeded"] <= 2 / math.sqrt(1024), f"{name}: seeded to {found['seeded']}"
    same(stored("no wrapper")["exchanges"], 0, "exchanges around the wrapper")
    same(stored("forward outside")["exchanges"], 16, "exchanges with forward outside no_sync")


def shares():
    """Samples count 1/(N n_r); rescaled they count the same; three ranks pad 1,000 samples by two."""
    for name, world in (("1", 1), ("2", 2), ("4", 4)):
        sizes = {"even": [4] * world, "uneven": [2] * (world - 1) + [6]}
        for key, held in sizes.items():
            same(stored(name)[key], [round(1 / world / n, 4) for n in held for _ in range(n)], f"{world} ranks, {key}")
        total = sum(sizes["uneven"])
        same(stored(name)["rescaled"], [round(1 / total, 4)] * total, f"{world} ranks, rescaled")
    same(stored("shares"), [math.ceil(1000 / 3)] * 3 + [1000], "a thousand samples over three ranks")


TRACE = FOLDER / "trace.json"


def trace_with_torch():
    """trace.py still finds the buckets of the stored trace."""
    if os.environ.get("VERIFY_TORCH") != "1":
        raise Skipped("set VERIFY_TORCH=1 to run it with PyTorch, a download of some 3 GB")
    sizes = {cap: [bucket["MiB"] for bucket in found["caps"][cap]["buckets"]]
             for found in [json.loads(TRACE.read_text(encoding="utf-8"))] for cap in found["caps"]}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    out = subprocess.run([str(python("torch")), "-B", "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2",
                          str(FOLDER / "trace.py")], capture_output=True, text=True, timeout=600, env=environment)
    found = json.loads(out.stdout)["caps"]
    same({cap: [bucket["MiB"] for bucket in found[cap]["buckets"]] for cap in found}, sizes, "buckets")


def trace():
    """In the stored trace each bucket is full before it is back, only the last when backward has ended; the page draws it."""
    found = json.loads(TRACE.read_text(encoding="utf-8"))
    page = (CONTENT / "tracks/ai-infra/labs/lab-03-ddp-conversion.md").read_text(encoding="utf-8")
    for cap, (first, cap_of) in {"none": (1, 25), "8": (8, 8)}.items():
        step = found["caps"][cap]
        same([bucket["MiB"] for bucket in step["buckets"]], [round(size / MIB, 1) for size in filled(first, cap_of)], cap)
        *early, last = step["buckets"]
        assert all(bucket["full"] < bucket["back"] <= step["done"] for bucket in step["buckets"]), step
        assert all(bucket["full"] < step["computed"] for bucket in early) and abs(last["full"] - step["computed"]) < 2, step
        for bucket in step["buckets"]:
            width, place = (f"{round(0.0055 * ms, 3):g}" for ms in (bucket["back"] - bucket["full"], bucket["full"]))
            assert f"box width {width} with .w at ({place}, " in page, (width, place)


def printed():
    """The kept output of two ranks is what was recorded."""
    figures = stored() | {"spread": {moment: stored()["spread"][moment] for moment in ("seeded", "wrapped", "trained")}}
    lines = [f"{name}: {figures[name]}" for name in ("spread", "even", "uneven", "rescaled")]
    shown = transcript(FOLDER / "train_ddp.txt")
    same([shown[2], *shown[5:8]], lines, "two ranks")


def order():
    """Epochs differ in order, unless set_epoch is left out; ranks deal out one permutation in turn."""
    for name in RUNS:
        first, second = stored(name)["order"]
        assert first != second, f"{name}: both epochs begin with {first}"
    first, second = stored("no set_epoch")["order"]
    same(first, second, "without set_epoch")
    one, two, four = (stored(name)["order"][0] for name in "124")
    assert one[0] == two[0] == four[0] and one[2] == two[1] and two[2] == four[1], (one, two, four)


CHECKS = [readable, converted, same_plan, leftovers, ring, bucket_rule, all_reduces, buffers_with_torch, buffers, both_ends, exposed, mutants, equal_runs, replicas, shares, trace_with_torch, trace, printed, order, with_torch]
