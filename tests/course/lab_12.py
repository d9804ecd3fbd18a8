"""Lab 12: topology_design_worksheet.md, whose tables are recomputed from its inputs, simulated and placed on nodes."""
import copy
import functools
import json
import re
import subprocess
import types

import lab_01
import lab_08
from course import CODE, CONTENT, given, golden, python, verify

STARTER = CODE / "lab-12-64gpu-design" / "topology_design_worksheet.md"
SIZES = (1, 2, 4, 8, 16, 32, 64)

# What the facts of this lab state, computed apart from this file: GB of state, GB sent for DP, ms of it at 50 GB/s.
KNOWN = {"A": (48.51, 30.87, 617), "B": (30.87, 13.23, 265)}


@functools.cache
def text() -> str:
    return STARTER.read_text(encoding="utf-8")


def region(name: str) -> str:
    return re.search(rf"<!-- ANCHOR: {name} -->\n(.*?)<!-- ANCHOR_END: {name} -->", text(), re.S)[1]


def tables(name: str) -> list[list[list[str]]]:
    """The bodies of a region's tables, cell by cell."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", region(name), re.M):
        cells = [[c.strip() for c in line.strip().strip("|").split("|")] for line in block.splitlines()]
        assert all(len(row) == len(cells[0]) for row in cells), f"{name}: a row with too many or too few cells"
        assert all(set(c) <= set("-:") for c in cells[1]), f"{name}: no delimiter row"
        found.append(cells[2:])
    return found


@functools.cache
def _parsed() -> str:
    block = re.search(r"```yaml\n(.*?)```", region("inputs"), re.S)[1]
    script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.argv[1])))"
    return subprocess.run([str(python("light")), "-c", script, block], capture_output=True, text=True, check=True).stdout


def inputs() -> dict:
    """The fenced YAML, as PyYAML reads it."""
    return json.loads(_parsed())


class Design:
    """Everything that follows from the inputs, unrounded: bytes, bytes a second, seconds."""

    def __init__(self, data: dict):
        m, b, c, g = data["model"], data["batch"], data["cluster"], data["gpu"]
        self.params, self.block, self.table, self.layers = m["parameters"], m["block"], m["table"], m["layers"]
        self.heads, self.kv_heads = m["heads"], m["kv_heads"]
        self.sequences, self.tokens, self.micro = b["sequences"], b["tokens"], b["micro"]
        self.node, self.cards, self.world = c["gpus"], c["cards"], c["nodes"] * c["gpus"]
        self.nvlink, self.card = (data["gbyte_per_s"][k] * 1e9 for k in ("nvlink", "card"))
        self.room = (g["gbyte"] - g["reserve"]) * 1e9
        self.peak, self.rate = g["tflop_per_s"] * 1e12, g["tflop_per_s"] * g["attainable"] * 1e12
        self.message = 2 * self.tokens * m["width"] * self.micro
        self.work = 6 * self.params * self.tokens * self.micro  # FLOP of one micro-batch
        self.floor = 6 * self.params * self.tokens * self.sequences / (self.world * self.peak)  # a step at MFU 1

    def groups(self, t: int, p: int, d: int) -> dict[str, list[list[int]]]:
        """Ranks that talk along each axis, counted along t first, then p, then d."""
        found = {"t": {}, "p": {}, "d": {}}
        for rank in range(t * p * d):
            a, b, c = rank % t, rank // t % p, rank // (t * p)
            for axis, key in (("t", (b, c)), ("p", (a, c)), ("d", (a, b))):
                found[axis].setdefault(key, []).append(rank)
        return {axis: list(by_key.values()) for axis, by_key in found.items()}

    def bandwidth(self, group: list[int]) -> float:
        """What the wires leave a GPU of this group; a node's cards are shared by its GPUs in proportion."""
        nodes = [rank // self.node for rank in group]
        if len(set(nodes)) == 1:
            return self.nvlink
        share = min(nodes.count(n) for n in set(nodes)) * self.cards / self.node
        return min(self.nvlink, share * self.card)

    def stage(self, p: int) -> int:
        return self.params if p == 1 else self.layers // p * self.block + self.table

    def layout(self, t, p, d, sharding="ZeRO-1", gradient=2, recomputed=0):
        """A layout's row. `recomputed` blocks of each stage keep only their input."""
        fsdp, redo = sharding.startswith("FSDP"), sharding.endswith("redo")
        stage, blocks, groups = self.stage(p), self.layers // p, self.groups(t, p, d)
        again = blocks if redo else recomputed
        m = self.sequences // (d * self.micro)
        kept = p * (17 * self.message * (blocks - again) + self.message * again) + 17 * self.message * bool(again)
        state = stage / t * (16 / d if fsdp else 2 + gradient + 12 / d)
        share = (blocks * self.block + self.table) / (self.layers * self.block + self.table)
        compute = m * self.work * share / (t * self.rate) * (1 + again / blocks / 3)
        sent = {"t": m * 4 * blocks * 2 * (t - 1) / t * self.message, "p": m * self.message / t if p > 1 else 0,
                "d": (6 * m if fsdp else 2 + gradient) * (d - 1) / d * stage / t}
        wire = {axis: self.bandwidth(groups[axis][0]) for axis in groups}
        tp, dp = sent["t"] / wire["t"], sent["d"] / wire["d"]
        bubble = (p - 1) / m * (compute + tp)
        step = compute + tp + bubble + dp
        return types.SimpleNamespace(
            m=m, state=state, kept=kept / t, sum=state + kept / t, left=self.room - state - kept / t, sent=sent,
            wire=wire, compute=compute, tp=tp, bubble=bubble, dp=dp, step=step, mfu=self.floor / step, share=share,
            hidden=step - dp, tokens=self.tokens * self.sequences / step / self.world)

    def counted(self) -> list[int]:
        """How many layouts are left after each rule."""
        left = [(t, p, self.world // (t * p)) for t in SIZES for p in SIZES if self.world % (t * p) == 0]
        found = [len(left)]
        for rule in (lambda t, p, d: self.heads % t == 0 and self.kv_heads % t == 0,
                     lambda t, p, d: t <= self.node,
                     lambda t, p, d: self.layers % p == 0,
                     lambda t, p, d: self.sequences % (d * self.micro) == 0,
                     lambda t, p, d: self.layout(t, p, d).left >= 0):
            left = [x for x in left if rule(*x)]
            found.append(len(left))
        return found


def design(**changes) -> Design:
    """The worksheet's design, or with other inputs, given as part__entry."""
    data = inputs()
    for name, value in changes.items():
        part, entry = name.split("__")
        data[part][entry] = value
    return Design(data)


def letters() -> dict[str, tuple]:
    """Letter -> t, p, d and sharding."""
    return {row[0]: (*(int(c) for c in row[1:4]), row[4].replace(",", "")) for row in tables("memory")[0]}


def row(letter: str, **changes):
    return design(**changes).layout(*letters()[letter])


def gb(value: float, digits: int = 2) -> str:
    return f"{value / 1e9:,.{digits}f}"


def faults(data: dict, found: dict) -> list[str]:
    """All that is wrong with a worksheet: `found` are its tables by region."""
    plan, wrong = Design(data), []

    def same(got, expected, where):
        if got != expected:
            wrong.append(f"{where}: {got}, the inputs give {expected}")

    same([int(r[2]) for r in found["divides"][0]], plan.counted(), "layouts left")
    rows = {}
    for cells in found["memory"][0]:
        name, t, p, d = cells[0], *(int(c) for c in cells[1:4])
        x = rows[name] = plan.layout(t, p, d, cells[4].replace(",", ""))
        same(t * p * d, plan.world, f"{name}: GPUs")
        for holds, rule in ((plan.layers % p == 0, "layers by p"), (plan.sequences % (d * plan.micro) == 0, "batch by d"),
                            (plan.kv_heads % t == 0 and t <= plan.node or "kv_heads" in verdict(found, name), "t")):
            if not holds:
                wrong.append(f"{name} does not divide: {rule}")
        same(cells[5:], [gb(x.state), gb(x.kept), gb(x.sum), gb(x.left, 1)], f"{name}, memory")
    for cells in found["time"][0]:
        x = rows[cells[0]]
        same(cells[1:], [str(x.m), *(f"{v:.2f}" for v in (x.compute, x.tp, x.bubble, x.dp, x.step)),
                         f"{100 * x.mfu:.1f}"], f"{cells[0]}, time")
    b = rows["B"]
    same(found["wires"][1],
         [[n, gb(b.sent[a]), f"{b.wire[a] / 1e9:.0f}", f"{b.sent[a] / b.wire[a]:.2f}"]
          for n, a in (("t", "t"), ("p, each way", "p"), ("d", "d"))], "B's bill")
    for name, _, because in found["decision"][0]:
        x = rows[name]
        values = {gb(v, n) for v in (x.state, x.kept, x.sum, x.left, -x.left) for n in (1, 2)}
        values |= {f"{v:.2f}" for v in (x.compute, x.tp, x.dp, x.step, x.hidden)}
        figures = set(re.findall(r"\d+\.\d+", because))
        if not figures or figures - values:
            wrong.append(f"{name}: its verdict names {sorted(figures - values) or 'no figure'} of no cell of its row")
    same([r[0] for r in found["decision"][0]], list(rows), "verdicts")
    same(sum(r[1] == "chosen" for r in found["decision"][0]), 1, "layouts chosen")
    chosen = next(r[0] for r in found["decision"][0] if r[1] == "chosen")
    if rows[chosen].left < 0:
        wrong.append(f"{chosen} was chosen and does not fit")
    return wrong


def verdict(found: dict, name: str) -> str:
    return next(r[2] for r in found["decision"][0] if r[0] == name)


@functools.cache
def _found() -> str:
    names = ("divides", "traffic", "wires", "memory", "time", "decision", "blank")
    return json.dumps({name: tables(name) for name in names})


def follows():
    """Every cell of every table follows from the inputs, layouts divide, and verdicts name figures of their rows."""
    wrong = faults(inputs(), json.loads(_found()))
    assert not wrong, "; ".join(wrong)
    assert max(map(len, text().splitlines())) <= 80
    plan = design()
    assert f"{plan.message:,} bytes" in region("traffic")
    assert f"{row('H').hidden:.2f} if DP hides" in region("decision")


def known():
    """State, traffic, seconds and bubbles are those computed apart from this file."""
    for name, expected in KNOWN.items():
        x = row(name)
        got = (round(x.state / 1e9, 2), round(x.sent["d"] / 1e9, 2), round(x.dp * 1e3))
        assert got == expected, f"{name}: {got}, expected {expected}"
    a, plan = row("A"), design()
    all_reduce = 2 * 7 / 8 * plan.message
    got = [round(all_reduce / 1e6, 1), round(a.sent["t"] / a.m / 1e9, 2), round(a.tp / a.m * 1e3),
           round(plan.work / 1e15, 3), round(a.compute / a.m * 1e3), round(plan.message / 2**20), plan.counted()[:2]]
    assert got == [234.9, 75.16, 167, 3.468, 876, 128, [28, 22]], got
    assert [round(100 * (p - 1) / (m + p - 1), 2) for p, m in ((2, 128), (4, 256), (4, 8), (8, 32))] == \
        [0.78, 1.16, 27.27, 17.95]
    assert round(17 * plan.message / 8 / 2**20) == 272, "34 s b d / 8, MiB of a block"
    twice = [round(design().layout(8, 1, 8, "FSDP").sent["d"] / 64 / 1e9 * k, 2) for k in (2 / 3, 1 / 3)]
    assert twice == [30.87, 15.43], twice


def same_ledger():
    """Model, activations and shards are those of the scripts of labs 01 and 08."""
    m, cfg, plan = lab_01.module(), lab_01.module().PRESETS["llama-3-70b"], design()
    ledger = lab_01.ledger("llama-3-70b", seq=plan.tokens)
    block = m.attention_params(cfg) + m.ffn_params(cfg) + 2 * cfg.d
    assert (plan.params, plan.block, plan.table) == (ledger["params"]["total"], block, ledger["params"]["embedding"])
    assert plan.params == plan.layers * plan.block + 2 * plan.table + cfg.d
    counted = lab_08.module().activation_bytes("llama-3-70b", plan.tokens, 8, True)  # 33.5 bytes of this model's block
    kept = round(counted * 34 / 33.5)  # the worksheet takes GPT's 34
    assert (row("A").kept, row("B").kept, row("C").kept) == (kept, kept, kept)
    full = m.activation_bytes(cfg, plan.tokens, 1, "full")
    assert row("H").kept == full + 17 * plan.message
    one, three = (lab_08.STATE["llama-3-70b", 64][k] for k in (1, 3))
    assert round(design().layout(1, 1, 64).state / 1e9, 2) == one
    assert round(row("H").state / 1e9, 2) == round(row("G").state / 1e9, 2) == three


def ring(ranks: int, chunk: int) -> list[int]:
    """Bytes that each rank sends in a ring all-reduce, counted message by message; the sums are checked."""
    held = [[[r] for _ in range(ranks)] for r in range(ranks)]
    sent = [0] * ranks
    for adding in (True, False):
        for step in range(ranks - 1):
            moves = []
            for r in range(ranks):
                c = (r - step + (0 if adding else 1)) % ranks
                moves.append(((r + 1) % ranks, c, held[r][c]))
                sent[r] += chunk
            for to, c, data in moves:
                held[to][c] = held[to][c] + data if adding else data
    assert all(sorted(c) == list(range(ranks)) for rank in held for c in rank), "a chunk without all contributions"
    return sent


def rings():
    """A ring of t ranks, played message by message, sends 2 (t-1)/t of the message; so do its two halves."""
    for t in (2, 4, 8, 16):
        sent = ring(t, design().message // t)
        assert set(sent) == {2 * (t - 1) * design().message // t}, (t, sent)


def pipeline(p: int, m: int, times: list[float]) -> tuple[float, int]:
    """1F1B, played event by event: total time and micro-batches that the first stage holds at most.

    `times` are a stage's seconds for one micro-batch, a third of it forward.
    """
    orders = []
    for k in range(p):
        warm = min(p - 1 - k, m)
        order = [("F", i) for i in range(warm)]
        for i in range(m - warm):
            order += [("F", warm + i), ("B", i)]
        orders.append(order + [("B", i) for i in range(m - warm, m)])
    done, free, at = {}, [0.0] * p, [0] * p
    while any(at[k] < len(orders[k]) for k in range(p)):
        for k in range(p):
            while at[k] < len(orders[k]):
                kind, i = orders[k][at[k]]
                needs = ("F", i, k - 1) if kind == "F" else ("B", i, k + 1)
                if kind == "F" and k == 0 or kind == "B" and k == p - 1:
                    ready = 0.0
                elif needs in done:
                    ready = done[needs]
                else:
                    break
                free[k] = max(free[k], ready) + times[k] * (1 / 3 if kind == "F" else 2 / 3)
                done[kind, i, k] = free[k]
                at[k] += 1
    held = most = 0
    for kind, _ in orders[0]:
        held += 1 if kind == "F" else -1
        most = max(most, held)
    return max(free), most


def pipelines():
    """A pipeline played event by event lasts (m + p - 1) stage times, and its first stage holds p micro-batches."""
    for p, m in ((1, 4), (2, 128), (4, 8), (4, 256), (8, 32)):
        total, held = pipeline(p, m, [1.0] * p)
        assert abs(total - (m + p - 1)) < 1e-6 and held == p, (p, m, total, held)
    for name in "BCDE":  # the last stage is the slowest: the table's step is a bound, and a close one
        t, p, d, _ = letters()[name]
        x, plan = row(name), design()
        last = (x.compute + x.tp) / x.m
        blocks = plan.layers // p
        other = last - plan.work * plan.table / (plan.layers * plan.block + plan.table) / (t * plan.rate)
        total, held = pipeline(p, x.m, [other] * (p - 1) + [last])
        assert held == p and 0.98 * (x.step - x.dp) < total <= x.step - x.dp + 1e-9, (name, blocks, total, x.step)


def crossing():
    """No wire is asked for more than it has: bytes that leave a node, over its cards, in each group's time."""
    plan = design()
    for name, (t, p, d, sharding) in letters().items():
        x, groups = row(name), plan.groups(t, p, d)
        for axis in ("t", "d"):
            if x.sent[axis] == 0:
                continue
            seconds = x.sent[axis] / x.wire[axis]
            leaving = [0.0] * (plan.world // plan.node)
            for group in groups[axis]:  # a ring in rank order leaves a node once for each node it visits, on k lanes
                for a, b in zip(group, group[1:] + group[:1]):
                    if a // plan.node != b // plan.node:
                        leaving[a // plan.node] += x.sent[axis]
            per_card = [v / plan.cards / seconds for v in leaving]
            assert max(per_card) <= plan.card * (1 + 1e-9), f"{name}, {axis}: {max(per_card) / 1e9} GB/s of a card"


def mesh():
    """torch's init_device_mesh makes the groups that are stored."""
    def run(interpreter):
        script = """
import json, sys
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
found = {}
dist.init_process_group("fake", rank=0, world_size=64, store=FakeStore())
for name, (t, p, d) in json.loads(sys.argv[1]).items():
    mesh = init_device_mesh("cpu", (d, p, t), mesh_dim_names=("dp", "pp", "tp"))
    found[name] = {a: dist.get_process_group_ranks(mesh.get_group(n)) for a, n in zip("tpd", ("tp", "pp", "dp"))}
print(json.dumps(found))
"""
        sizes = json.dumps({name: shape[:3] for name, shape in letters().items()})
        return json.loads(subprocess.run([str(interpreter), "-c", script, sizes],
                                         capture_output=True, text=True, check=True).stdout)
    verify("lab_12", STARTER, run)


def placed():
    """Groups are those that torch's init_device_mesh makes of 64 ranks, and the table of wires shows them."""
    stored = golden("lab_12", STARTER)
    for name, shape in letters().items():
        mine = {axis: groups[0] for axis, groups in design().groups(*shape[:3]).items()}
        assert mine == stored[name], f"{name}: {mine}, torch says {stored[name]}"
    for label, ranks, here, speed in tables("wires")[0]:
        axis, names = label.split(" of ")
        for name in names.split(" and "):
            group = stored[name][axis]
            listed = [int(n) for n in re.findall(r"\d+", ranks)]
            shown = group if "..." not in ranks else [group[0], group[1], group[-1]]
            assert listed == shown, f"{label}: {ranks}, torch says {group}"
            counts = sorted({sum(r // 8 == n for r in group) for n in {r // 8 for r in group}})
            assert set(map(int, re.findall(r"\d+", here))) == set(counts), f"{label}: {here}, {counts}"
            assert int(speed) * 1e9 == row(name).wire[axis], label


def mutants():
    """A changed input, size, cell or verdict is found."""
    for path, value, message in [
        (("model", "kv_heads"), 4, "layouts left"), (("model", "layers"), 64, "layouts left"),
        (("model", "table"), 0, "B, memory"), (("batch", "tokens"), 4096, "A, memory"),
        (("batch", "sequences"), 500, "H does not divide"), (("cluster", "gpus"), 4, "GPUs"),
        (("cluster", "cards"), 1, "G, time"), (("gbyte_per_s", "nvlink"), 900, "A, time"),
        (("gbyte_per_s", "card"), 400, "B's bill"), (("gpu", "gbyte"), 40, "does not fit"),
        (("gpu", "attainable"), 0.4, "B, time"), (("gpu", "reserve"), 0, "layouts left"),
    ]:
        data = inputs()
        data[path[0]][path[1]] = value
        got = faults(data, json.loads(_found()))
        assert any(message in fault for fault in got), f"{path} = {value} went unnoticed: {got}"
    for place, value, message in [
        (("memory", 0, 1, 1), "16", "GPUs"), (("memory", 0, 1, 5), "30.86", "B, memory"),
        (("memory", 0, 2, 2), "3", "C"), (("time", 0, 0, 3), "10.60", "A, time"),
        (("wires", 1, 0, 2), "900", "B's bill"), (("divides", 0, 5, 2), "5", "layouts left"),
        (("decision", 0, 1, 2), "looks best", "no figure"), (("decision", 0, 0, 2), "68.41 s", "of no cell"),
        (("decision", 0, 3, 1), "chosen", "layouts chosen"), (("decision", 0, 5, 2), "25.77 s of TP", "F does not divide"),
    ]:
        data = json.loads(_found())
        name, table, line, cell = place
        data[name][table][line][cell] = value
        got = faults(inputs(), data)
        assert any(message in fault for fault in got), f"{place} = {value} went unnoticed: {got}"


def blank():
    """The empty table asks for columns of the filled ones, and holds nothing yet."""
    lines = [line for line in region("blank").splitlines() if line.startswith("|")]
    columns = {c.strip() for line in (region("memory") + region("time")).splitlines() if line.startswith("|")
               for c in line.strip("|").split("|")}
    assert {c.strip() for c in lines[0].strip("|").split("|")} <= columns | {""}, lines[0]
    assert all(not any(cells[1:]) for cells in tables("blank")[0])


LAB = "tracks/ai-infra/labs/lab-12-64gpu-design.md"
SECTION = "tracks/ai-infra/handbook/12-collectives-on-wires.md"


def small(cards: int) -> Design:
    """The section's example: Llama-3-8B on two nodes, one sequence a GPU, as many network cards a node as given."""
    data, cfg = inputs(), lab_01.module().PRESETS["llama-3-8b"]
    parts = lab_01.ledger("llama-3-8b")
    block = parts["per_layer"]["attention"] + parts["per_layer"]["ffn"] + 2 * cfg.d
    data["model"] = {"parameters": parts["params"]["total"], "block": block, "table": parts["params"]["embedding"],
                     "layers": cfg.layers, "width": cfg.d, "heads": cfg.heads, "kv_heads": cfg.n_kv}
    data["batch"]["sequences"], data["cluster"]["nodes"], data["cluster"]["cards"] = 16, 2, cards
    return Design(data)


def hybrid(cards: int) -> tuple[float, float, float, float]:
    """Shards in a node, replicas across two: bytes of state, sent inside, sent across, and their seconds together."""
    plan = small(cards)
    inside = 3 * 2 * plan.params * 7 / 8
    across = 2 * (2 - 1) / 2 * 2 * plan.params / 8
    seconds = inside / plan.bandwidth(list(range(8))) + across / plan.bandwidth([0, 8])
    return 16 * plan.params / 8, inside, across, seconds


def quotient(plan: Design, width: int, t: int) -> float:
    """R_t of the section."""
    return 8 / 3 * (t - 1) * width * plan.rate / (plan.block * plan.nvlink)


def extra():
    """What the pages say without a unit follows from the design too."""
    plan, text_of = design(), lambda page: (CONTENT / page).read_text(encoding="utf-8")
    for name in "ABCDEFG":
        t, p, d, _ = letters()[name]
        assert row(name).sent["t"] == 5120 * (t - 1) * plan.message, name
        assert row(name).m * 4 * plan.layers // p == 2560 * t, name
    left = plan.counted()
    assert left[3] - left[5] == 13 and left[1] - left[3] == 3 and f"on top of {row('E').m}." in text_of(LAB)
    steps = {(t, p): plan.layout(t, p, 64 // (t * p)) for t in SIZES for p in SIZES
             if t <= 8 and p <= 16 and t * p <= 64}
    fit = {key: x for key, x in steps.items() if x.left >= 0}
    assert sorted(fit) == [(4, 8), (4, 16), (8, 1), (8, 2), (8, 4), (8, 8)], sorted(fit)
    assert min(steps, key=lambda key: steps[key].step) == (1, 1) and (1, 1) not in fit
    assert design(model__kv_heads=16).counted()[1:3] == [25, 22]
    assert 0.3 < row("F").tp / row("F").step < 1 / 3
    b = row("B").sent
    assert round(b["t"] / b["d"]) == 364 and round(row("G").sent["d"] / row("A").sent["d"]) == 96
    double = design(batch__tokens=16384, batch__sequences=256)
    assert double.counted()[-1] == 2 and double.layout(8, 8, 1).left > 0
    assert double.layout(8, 8, 1).step > double.layout(8, 4, 2).step
    wide = design(gpu__gbyte=141)
    assert wide.counted()[-1] == 11 and round(1 - wide.layout(4, 1, 16).step / row("B").step, 1) == 0.1
    assert wide.layout(4, 1, 16).wire["d"] == 100e9 and round(80 - row("A").sum / 1e9, 1) == 8.7
    block = [2, 2, 2, 2 * 2 / 8, 2, 2, 2, 7, 7, 7]  # Llama's: norm, normed, Q, K and V, attention, norm, normed, gate
    assert sum(block) == 33.5
    assert plan.bandwidth([0, 8, 16, 24, 32, 40, 48, 56]) == 50e9
    assert round(small(8).layout(1, 1, 16).compute / small(8).layout(1, 1, 16, "FSDP").dp) == 7
    spoken = text_of(LAB).split("## Interview explanation")[1].split("###")[0]
    assert 90 <= len(spoken.split()) <= 150, len(spoken.split())


def lab_page():
    plan, rows = design(), {name: row(name) for name in letters()}
    a, b, c, d, e, f, g, h = rows.values()
    long = {n: row(n, batch__tokens=16384, batch__sequences=256) for n in "ABC"}
    one = {n: row(n, cluster__cards=1) for n in "BFGH"}
    half = {n: row(n, gbyte_per_s__card=25) for n in "BGH"}
    wide, fp32 = design(gpu__gbyte=141).layout(4, 1, 16), [plan.layout(*letters()[n][:3], gradient=4) for n in "AB"]
    pipes, bare = plan.layout(1, 8, 8), plan.layout(1, 1, 64, "FSDP")
    rack = design(cluster__nodes=1, cluster__gpus=64)
    rack_g, rack_t4 = rack.layout(8, 1, 8, "FSDP"), rack.layout(4, 1, 16, "FSDP")
    others = sorted(plan.layout(t, p, 1).step for t, p in ((4, 16), (8, 8)))
    free, m, G = plan.layout(1, 1, 64), plan.message, 1e9
    deep = 7 / (8 + 7)
    return {
        "4,810 GB": b.sent["t"], "15.4 GB": b.sent["p"] + b.sent["d"], "96 s": b.sent["t"] / plan.card, "68.4": b.step,
        "134,217,728": m, "35,276,849,152": plan.stage(2), "80 %": given("795 of 989 TFLOP/s, Bekman"),
        "56.8 s": free.step, "478 GB": free.sum, "494.7 TFLOP/s": plan.rate, "73.7": others[0], "75.5 s": others[1], "16.8 MB": m / 8, "235 MB": 2 * 7 / 8 * m,
        "2 bytes": given("width of a 16-bit value"), "50 GB/s": plan.card, "400 GB/s": f.wire["t"],
        "48 GB/s": given("the maintainer cited"), "1.75": 2 * 7 / 8, "1.5": 2 * 3 / 4,
        "99.7 %": b.sent["t"] / sum(b.sent.values()), "4 bytes": given("weight and gradient"),
        "12 bytes": given("master and moments"), "13.23 GB": 12 * plan.params / 64, "5.4 GB": -d.left,
        "182.54 GB": bare.kept, "182.54": pipes.kept / G, "34 bytes": 17 * 2, "33.5": given("counted in extra()"),
        "28.04 s": plan.floor, "28.04": plan.floor, "62.01 s": e.compute, "13.8 %": e.share, "12.5": 100 / 8,
        "46 %": f.tp / f.compute, "19 %": a.tp / a.compute, "46.7 %": deep, "46.3 GB": g.sent["d"] / g.m,
        "0.93 s": g.dp / g.m, "0.88 s": g.compute / g.m, "0.17 s": g.tp / g.m, "3,334 GB": h.sent["d"],
        "74.77 s": h.compute, "68.41 s": b.step, "68.41": b.step, "43 %": given("Llama 3's range"), "8,192": plan.tokens,
        "88.96 GB": fp32[0].sum, "62.50": fp32[1].sum / G, "1.02 s": b.step - a.step, "1.5 %": (b.step - a.step) / b.step,
        "16,384": 2 * plan.tokens, "45.63 GB": long["B"].kept, "76.50": long["B"].sum / G, "68.34": long["C"].sum / G,
        "0.10 s": e.step - b.step, "8.7 GB": 80 * G - a.sum, "30.87": b.state / G, "18.8 %": b.tp / b.compute, "0.8 %": 1 / (b.m + 1), "0.26 s": b.dp, "22.82 GB": b.kept,
        "53.68": b.sum / G, "0.445 s": b.compute / b.m, "0.084 s": b.tp / b.m, "67.62 s": b.compute + b.tp,
        "68.15": b.hidden, "2.8 s": c.step - a.step, "26 GB": a.sum - c.sum,
        "1.71 GB": 2 * plan.block, "7.6 %": plan.layers * m / 2 / plan.params, "22.1": -long["A"].left / G, "4.5": -long["B"].left / G,
        "3.7": long["C"].left / G, "2.12 s": one["B"].dp, "66.67": one["H"].dp, "141.45": one["H"].step,
        "540.89": one["G"].step, "264.36": one["F"].step, "3 %": one["B"].dp / one["B"].step, "129.42 GB": wide.sum, "61.32 s": wide.step, "25.77 s": f.tp, "10.69": a.tp,
        "63.02 s": row("B", gbyte_per_s__nvlink=900).step, "17.64 GB": h.state, "27.3 %": 3 / 11, "0.53 s": b.bubble,
        "0.85": b.compute - a.compute, "30.87 GB": a.sent["d"], "2,963": g.sent["d"] / G, "13.23": b.sent["d"] / G,
        "2.15": b.sent["p"] / G, "6.2": b.sent["d"] / b.sent["p"], "4.58 s": d.tp, "2.33": a.tp / d.tp,
        "3,000 GB": given("a round figure for both"), "59.27 s": g.dp, "8.33": h.dp, "40.4 %": pipes.mfu,
        "235.38 GB": pipes.sum, "52.84": pipes.state / G, "68.68 s": half["B"].step, "0.26": half["B"].step - b.step,
        "185.30": half["G"].step, "91.44": half["H"].step, "16.67 s": half["H"].dp, "450 GB/s": rack_g.wire["d"],
        "201 ms": f.tp / f.m, "438 ms": f.compute / f.m, "6.59 s": rack_g.dp, "63.27 GB": rack_t4.sum, "67.72 s": rack_t4.step,
        "60.66": rack_t4.hidden, "3.3": given("a section of a paper"),
    }


def section_page():
    plan, eight, one = design(), small(8), small(1)
    zero, fsdp = (eight.layout(1, 1, 16, s) for s in ("ZeRO-1", "FSDP"))
    poor = [one.layout(1, 1, 16, s) for s in ("ZeRO-1", "FSDP")]
    state, inside, across, seconds = hybrid(8)
    return {
        "450 GB/s": plan.nvlink, "50 GB/s": plan.card, "989.4 TFLOP/s": plan.peak, "20 %": quotient(plan, 8192, 8),
        "39 %": quotient(eight, 4096, 8), "400 GB/s": plan.bandwidth(list(range(64))), "8,192": eight.tokens,
        "0.80 s": fsdp.compute, "0.80": fsdp.compute, "36.51 GB": fsdp.kept, "74.65 GB": zero.sum,
        "30.11 GB": zero.sent["d"], "0.08 s": zero.dp, "0.60 s": poor[0].dp, "44.54 GB": fsdp.sum,
        "45.17 GB": fsdp.sent["d"], "0.11 s": fsdp.dp, "0.90 s": poor[1].dp, "52.57 GB": state + fsdp.kept,
        "42.16": inside / 1e9, "42.16 GB": inside, "2.01 GB": across, "0.13 s": seconds, "0.41 s": hybrid(1)[3],
        "5.35 GB": 80e9 - zero.sum, "80 GB": given("a card"),
    }


PAGES = {LAB: lab_page, SECTION: section_page}
CHECKS = [follows, known, same_ledger, rings, pipelines, crossing, mesh, placed, mutants, blank, extra]
