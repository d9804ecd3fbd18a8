"""Lab 03: train_ddp.py, against averages done by hand, a simulated ring and mutants that must be noticed."""
import ast
import functools
import json
import math
import os
import pathlib
import subprocess
import tempfile

import lab_01
from course import CODE, given, golden, verify

STARTER = CODE / "lab-03-ddp-conversion" / "train_ddp.py"
LAYERS, LAYER = 8, (1024 * 1024 + 1024) * 4  # of the starter's model; bytes of one layer's gradients
GRADIENTS = LAYERS * LAYER
MIB = 2**20

# name: ranks and arguments of a plain run
RUNS = {"2": (2, []), "1": (1, ["--accum", "4"]), "4": (4, ["--accum", "1"])}
# name: (text, its replacement) pairs and arguments; all of them run in two ranks that are started once
STEP = "torch.optim.SGD(model.parameters(), args.lr)"
EARLY = """        with nullcontext() if full else model.no_sync():
            loss = F.mse_loss(model(x.to(device)), y.to(device)) / accum
            loss.backward()
"""
LATE = """        loss = F.mse_loss(model(x.to(device)), y.to(device)) / accum
        with nullcontext() if full else model.no_sync():
            loss.backward()
"""
NO_MEAN = ("    grads.div_(dist.get_world_size())\n", "")
VARIANTS = {
    "cap 25": ([], ["--cap", "25"]),
    "cap 8": ([], ["--cap", "8"]),
    "cap 1": ([], ["--cap", "1"]),
    "cap 64": ([], ["--cap", "64"]),
    "sum": ([NO_MEAN], []),
    "double rate": ([], ["--lr", "0.2"]),
    "adam": ([(STEP, "torch.optim.Adam(model.parameters(), 1e-3)")], []),
    "adam, sum": ([(STEP, "torch.optim.Adam(model.parameters(), 1e-3)"), NO_MEAN], []),
    "forward outside": ([(EARLY, LATE)], []),
    "no set_epoch": ([("    loader.sampler.set_epoch(epoch)\n", "")], []),
    "undivided": ([("y.to(device)) / accum", "y.to(device))")], []),
    "both ends": ([("        for layer in self.layers:\n", "        x = F.linear(x, self.layers[-1].weight)\n"
                    "        for layer in self.layers:\n")], ["--cap", "1"]),
    "no wrapper": ([("loss = F.mse_loss(model(x", "loss = F.mse_loss(model.module(x")], []),
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
for name, (source, arguments) in json.load(open(sys.argv[1])).items():
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
    assert out.returncode == 0, out.stderr[-2000:]
    return json.loads(next(line for line in out.stdout.splitlines() if line.startswith("{")))


def run(interpreter) -> dict:
    """Three plain runs, and what every variant of the file prints."""
    source = STARTER.read_text(encoding="utf-8")
    found = {name: torchrun(interpreter, ranks, str(STARTER), "--json", *arguments)
             for name, (ranks, arguments) in RUNS.items()}
    todo = {}
    for name, (edits, arguments) in VARIANTS.items():
        text = source
        for old, new in edits:
            assert text.count(old) == 1, f"{name}: {old!r} is not in the file once"
            text = text.replace(old, new)
        todo[name] = (text, arguments)
    with tempfile.TemporaryDirectory() as folder:
        driver, tasks = pathlib.Path(folder) / "driver.py", pathlib.Path(folder) / "tasks.json"
        driver.write_text(DRIVER, encoding="utf-8")
        tasks.write_text(json.dumps(todo), encoding="utf-8")
        found |= torchrun(interpreter, 2, str(driver), str(tasks))
    for name, figures in found.items():
        if name != "shares":  # every step after the first sends the same buckets
            rows = figures.pop("buckets")
            assert all(row == rows[-1] for row in rows[1:]), f"{name}: buckets changed after the second exchange"
            figures |= {"exchanges": len(rows), "first_buckets": rows[:1], "later_buckets": rows[-1:]}
    return found


def with_torch():
    """Its figures are those of PyTorch."""
    verify("lab_03", STARTER, run)


@functools.cache
def stored(name: str = "2") -> dict:
    """What a plain run or a variant printed when it was recorded."""
    return golden("lab_03", STARTER)[name]


@functools.cache
def module(old: str = "", new: str = "") -> dict:
    """The starter's functions that need no PyTorch, and its constants; or those of a mutant."""
    source = STARTER.read_text(encoding="utf-8")
    assert old in source, f"{old!r} is not in the file"
    tree = ast.parse(source.replace(old, new) if old else source)
    pure = [node for node in tree.body if isinstance(node, ast.Assign)
            or isinstance(node, ast.FunctionDef) and node.name in ("ring_bytes", "exposed_ms")]
    names = {}
    exec(compile(ast.Module(pure, []), str(STARTER), "exec"), names)
    return names


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def close(got, expected, what, tolerance=1e-5):
    assert math.isclose(got, expected, rel_tol=tolerance), f"{what}: {got}, expected {expected}"


def readable():
    """It parses, its regions are whole, and no line is wider than 79 columns."""
    lines = STARTER.read_text(encoding="utf-8").splitlines()
    opened = [line.split()[-1] for line in lines if line.startswith("# ANCHOR: ")]
    same([line.split()[-1] for line in lines if line.startswith("# ANCHOR_END: ")], opened, "regions")
    same(opened, ["setup", "loader", "wrap", "hook", "epoch", "spread", "weights", "price"], "regions")
    assert len(lines) <= 200 and max(map(len, lines)) <= 79, "too long or too wide"
    same((module()["LAYERS"], (module()["WIDTH"] + 1) * module()["WIDTH"] * 4), (LAYERS, LAYER), "the model's size")


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
    for name, world in (("1", 1), ("2", 2), ("4", 4)):
        same(stored(name)["ring_bytes"], 2 * (world - 1) * GRADIENTS // world, f"{world} ranks, recorded")


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


def order():
    """Epochs differ in order, unless set_epoch is left out; ranks deal out one permutation in turn."""
    for name in RUNS:
        first, second = stored(name)["order"]
        assert first != second, f"{name}: both epochs begin with {first}"
    first, second = stored("no set_epoch")["order"]
    same(first, second, "without set_epoch")
    one, two, four = (stored(name)["order"][0] for name in "124")
    assert one[0] == two[0] == four[0] and one[2] == two[1] and two[2] == four[1], (one, two, four)


def lab_page():
    ring_bytes = module()["ring_bytes"]
    loss = {name: stored(name)["losses"][-1] for name in ("2", "adam", "adam, sum", "sum", "no wrapper")}
    tail = {name: [ms / 1e3 for ms in stored(name)["exposed_ms"]]
            for name in ("2", "cap 25", "cap 8", "cap 1", "cap 64")}
    gpt2, table = (lab_01.ledger("gpt2")["params"][part] for part in ("total", "embedding"))
    llama = lab_01.ledger("llama-2-7b")
    assert all(round(stored(name)["losses"][-1], 4) == round(loss["2"], 4) for name in ("1", "4"))
    assert all(round(stored(name)["losses"][0], 4) == round(stored()["losses"][0], 4) for name in ("1", "4"))
    assert math.isclose(stored()["spread"]["seeded"], 0.0625, abs_tol=5e-5)
    return {
        "8,396,800": GRADIENTS // 4, "0.0": stored()["spread"]["trained"], "2.8159": loss["adam"],
        "2.8158": loss["adam, sum"], "33,587,200": sum(stored()["first_buckets"][0]), "0.0625": 2 / math.sqrt(1024),
        "4.004 MiB": LAYER, "33.6 MB": GRADIENTS, "33,587,200 bytes": stored("2")["ring_bytes"],
        "0 bytes": stored("1")["ring_bytes"], "50,380,800 bytes": stored("4")["ring_bytes"],
        "0.125": stored()["even"][0], "0.25": stored()["uneven"][0], "0.0833": stored()["uneven"][-1],
        "4.2440": stored()["losses"][0], "2.4876": loss["2"], "2.1875": loss["sum"], "2.6516": loss["no wrapper"],
        "0.0043": stored("no wrapper")["spread"]["trained"],
        "3.5 ms": tail["2"][0], "4.3 ms": tail["2"][1], "3.0 ms": tail["cap 25"][0], "4.6 ms": tail["cap 25"][1],
        "1.0 ms": tail["cap 8"][0], "1.8 ms": tail["cap 8"][1], "0.5 ms": tail["cap 1"][0], "3.4 ms": tail["cap 1"][1],
        "4.0 ms": tail["cap 64"][0], "4.8 ms": tail["cap 64"][1], "1.0": tail["cap 8"][0] * 1e3,
        "1.8": tail["cap 8"][1] * 1e3, "124,439,808": gpt2, "497,759,232 bytes": 4 * gpt2,
        "871.1 MB": ring_bytes(4 * gpt2, 8), "980.0 MB": ring_bytes(4 * gpt2, 64),
        "1.94 ms": ring_bytes(4 * gpt2, 8) / 450e9, "17.4 ms": ring_bytes(4 * gpt2, 8) / 50e9,
        "154.4 MB": 4 * table,
        "5.4 ms": ring_bytes(4 * table, 8) / 50e9, "17.4": ring_bytes(4 * gpt2, 8) / 50e9 * 1e3, "107.81 GB": llama["state"]["adam_bf16_master"], "13.48 GB": llama["weights_bf16"],
        "13.48": llama["weights_bf16"] / 1e9, "23.58 GB": ring_bytes(llama["weights_bf16"], 8),
        "1.75": ring_bytes(800, 8) / 800, "1.969": ring_bytes(6400, 64) / 6400,
        "12.5 %": ring_bytes(6400, 64) / 6400 / (ring_bytes(800, 8) / 800) - 1,
        "1 ms": given("assumed for a layer's backward"), "4 ms": given("assumed for all gradients"),
        "8 ms": given("assumed for backward"), "0.8 ms": given("assumed for a launch"),
        "25 MiB": given("PyTorch's default"), "1 MiB": given("the default's first bucket, torch 2.15.0"),
        "1,000": given("an example"), "450 GB/s": given("NVLink 4"), "50 GB/s": given("400 Gb/s InfiniBand"),
        "0.001": given("a rate"), "10,000": given("a bound that equal_runs checks"),
        "8,192": given("Goyal et al."), "1.4": given("a release"),
    }


def section_page():
    ring_bytes, resnet = module()["ring_bytes"], 25_557_032 * 4
    achieved = 989.4e12 / 2
    sent = ring_bytes(resnet, 8)
    assert sent / 50e9 > 0.050 / 16 and sent / 50e9 < 0.1 * 0.050
    return {
        "1.75": ring_bytes(800, 8) / 800, "25,557,032": resnet / 4, "102.2 MB": resnet, "178.9 MB": sent,
        "0.40 ms": sent / 450e9, "3.58 ms": sent / 50e9, "97.5 MiB": resnet, "3.1 ms": 0.050 / 16,
        "1,924": math.ceil(7 / 16 * 4 * achieved / 450e9), "17,315": math.ceil(7 / 16 * 4 * achieved / 50e9),
        "450 GB/s": given("NVLink 4"), "50 GB/s": given("400 Gb/s InfiniBand"), "50 ms": given("assumed"),
        "989.4 TFLOP/s": given("H100, dense BF16"), "25 MiB": given("PyTorch's default"),
        "8,192": given("Goyal et al."),
    }


PAGES = {
    "tracks/ai-infra/labs/lab-03-ddp-conversion.md": lab_page,
    "tracks/ai-infra/handbook/03-data-parallel.md": section_page,
}
CHECKS = [readable, ring, bucket_rule, both_ends, exposed, mutants, equal_runs, replicas, shares, order, with_torch]
