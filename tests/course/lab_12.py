"""Lab 12: the worksheet and layouts.py, whose results are recomputed from the inputs, simulated and placed on nodes."""
import functools
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types

import lab_01
import lab_08
from course import CODE, CONTENT, golden, python, verify

STARTER = CODE / "lab-12-64gpu-design" / "topology_design_worksheet.md"
SCRIPT = STARTER.with_name("layouts.py")
LAB = "tracks/ai-infra/labs/lab-12-64gpu-design.md"
SIZES = (1, 2, 4, 8, 16, 32, 64)

# What the facts of this lab state, computed apart from this file: GB of state, GB sent for DP, ms of it at 50 GB/s.
KNOWN = {"A": (66.14, 46.30, 926), "B": (39.69, 19.84, 397)}


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
    """Everything that follows from the inputs, unrounded, computed apart from layouts.py: bytes and seconds."""

    def __init__(self, data: dict):
        m, b, c, g = data["model"], data["batch"], data["cluster"], data["gpu"]
        self.params, self.block, self.table, self.layers = m["parameters"], m["block"], m["table"], m["layers"]
        self.heads, self.kv_heads = m["heads"], m["kv_heads"]
        self.sequences, self.tokens = b["sequences"], b["tokens"]
        self.node, self.cards, self.world = c["gpus"], c["cards"], c["nodes"] * c["gpus"]
        self.nvlink, self.card = (data["gbyte_per_s"][k] * 1e9 for k in ("nvlink", "card"))
        self.room = g["gib"] * 2**30 - g["reserve"] * 1e9
        self.peak, self.rate = g["tflop_per_s"] * 1e12, g["tflop_per_s"] * g["attainable"] * 1e12
        self.message = 2 * self.tokens * m["width"]  # of one sequence
        self.vocabulary = m["table"] // m["width"]
        self.mlp, self.gradient = data["choices"]["mlp_tensors"], data["choices"]["gradient_bytes"]
        self.divided, self.hidden = bool(data["choices"]["sequence_parallel"]), data["overlap"]
        self.work = 6 * self.params * self.tokens  # FLOP of one sequence
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

    def stage(self, p: int, k: int = 0) -> int:
        ends = (k == 0) + (k == p - 1)
        norm = self.params - self.layers * self.block - 2 * self.table  # of the last block's output
        return self.layers // p * self.block + ends * self.table + norm * (p == 1)

    def held(self, t, p, d, sharding, micro, k, again):
        """State and activations of a GPU of stage k that recomputes `again` of its blocks."""
        per = 16 / d if sharding == "FSDP" else 2 + self.gradient + 12 / d
        half = self.message * micro / 2  # bytes per byte of width: 8 of 33.5 are divided by sequence parallelism alone
        inside = 4.5 + 2 * 3.5 * self.mlp  # Q, K, V and the input of O; tensors of the MLP, 3.5 times as wide
        block = half * (8 / t + inside / t if self.divided else 8 + inside / t)
        border = self.message * micro / (t if self.divided else 1)
        kept = (p - k) * (block * (self.layers // p - again) + border * again)
        loss = 3 * 4 * self.tokens * micro * self.vocabulary / t if k == p - 1 else 0
        tables = self.stage(p, k) - self.layers // p * self.block
        # FSDP: tables and two blocks in 16 bits, the tables' gradients, one block's in 16 and in 32 bits
        whole = (2 * (tables + 2 * self.block) + 2 * tables + (2 + 4) * self.block) / t if sharding == "FSDP" else 0
        return per * self.stage(p, k) / t, whole, kept + max(loss, block if again else 0)

    def tuned(self, t, p, d, sharding, sizes=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)) -> tuple[int, list[int]] | None:
        """By trying all: micro-batch and recomputed blocks of each stage, least recomputation first."""
        found = []
        for micro in (size for size in sizes if self.sequences % (d * size) == 0):
            if self.sequences // (d * micro) < p:
                continue
            redos = [[n for n in range(self.layers // p + 1)
                      if sum(self.held(t, p, d, sharding, micro, k, n)) <= self.room][:1] for k in range(p)]
            if all(redos):
                found.append((sum(n for [n] in redos), -micro, [n for [n] in redos]))
        return (-min(found)[1], min(found)[2]) if found else None

    def layout(self, t, p, d, sharding="ZeRO-1", *sizes):
        """A layout's row, tuned; what does not fit recomputes everything."""
        blocks, groups = self.layers // p, self.groups(t, p, d)
        micro, redos = self.tuned(t, p, d, sharding, *[sizes] if sizes else ()) or (1, [blocks] * p)
        held = [self.held(t, p, d, sharding, micro, k, again) for k, again in enumerate(redos)]
        state, gathered, kept = max(held, key=sum)
        m = self.sequences // (d * micro)
        wire = {axis: self.bandwidth(groups[axis][0]) for axis in groups}
        times = []  # of each stage: computing and TP, of all micro-batches
        for k, again in enumerate(redos):
            whole = self.layers * self.block + self.table
            forward = (blocks * self.block + (self.table if k == p - 1 else 0)) / whole / 3
            share = 3 * forward + again * self.block / whole / 3
            halves = blocks * (2 * 2 + 2 * 2 + 2 * bool(self.divided)) + again * 2 * 2  # half an all-reduce each
            sent = m * halves * (t - 1) / t * self.message * micro
            times.append((m * micro * self.work * share / (t * self.rate), sent))
        compute, sent_t = max(times, key=lambda each: each[0] + each[1] / wire["t"])
        sent = {"t": sent_t, "p": m * micro * self.message / t if p > 1 else 0,
                "d": ((2 + 2 + self.gradient) * m if sharding == "FSDP" else self.gradient + 2) * (d - 1) / d * self.stage(p) / t}
        tp, dp = sent["t"] / wire["t"], sent["d"] / wire["d"]
        bubble = (p - 1) / m * (compute + tp)
        step = compute + tp + bubble + dp
        shown = (1 - self.hidden["t"]) * tp
        behind = (compute + shown) / (1 if sharding == "FSDP" else m)
        lapped = (compute + shown) * (m + p - 1) / m + max(dp - behind, (1 - self.hidden["d"]) * dp)
        return types.SimpleNamespace(
            m=m, micro=micro, redos=redos, state=state, kept=kept, gathered=gathered, left=self.room - state - gathered - kept, sent=sent, wire=wire,
            compute=compute, tp=tp, bubble=bubble, dp=dp, step=step, lapped=lapped, mfu=self.floor / step)

    def every(self) -> dict[tuple, types.SimpleNamespace]:
        """All layouts that divide and fit."""
        rows = {}
        for t, p in ((t, p) for t in SIZES for p in SIZES if self.world % (t * p) == 0):
            if self.heads % t == self.kv_heads % t == self.layers % p == 0:
                for sharding in ("ZeRO-1", "FSDP"):
                    rows[t, p, self.world // (t * p), sharding] = self.layout(t, p, self.world // (t * p), sharding)
        return {layout: row for layout, row in rows.items() if row.left >= 0}

    def counted(self) -> list[int]:
        """How many layouts are left after each rule."""
        left = [(t, p, self.world // (t * p)) for t in SIZES for p in SIZES if self.world % (t * p) == 0]
        found = [len(left)]
        for rule in (lambda t, p, d: self.heads % t == self.kv_heads % t == self.layers % p == 0,
                     lambda t, p, d: self.layout(t, p, d).left >= 0,
                     lambda t, p, d: not any(self.layout(t, p, d).redos)):
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
    """Letter -> t, p, d and sharding, as the worksheet has them."""
    return {row[0]: (*(int(c) for c in row[1:4]), row[4]) for row in tables("layouts")[0]}


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

    rows = {}
    for cells in found["layouts"][0]:
        name, t, p, d = cells[0], *(int(c) for c in cells[1:4])
        x = rows[name] = plan.layout(t, p, d, cells[4])
        same(t * p * d, plan.world, f"{name}: GPUs")
        for holds, rule in ((plan.layers % p == 0, "layers by p"), (plan.sequences % d == 0, "batch by d"),
                            (plan.kv_heads % t == 0 and t <= plan.node or "kv_heads" in verdict(found, name), "t")):
            if not holds:
                wrong.append(f"{name} does not divide: {rule}")
        same(cells[5:], [str(x.micro), str(x.redos[0]), gb(max(x.left, 0), 1), f"{x.step:.2f}", f"{x.lapped:.2f}"],
             f"{name}, results")
    for name, _, because in found["decision"][0]:
        x = rows[name]
        values = {gb(x.left, 1)} | {f"{v:.2f}" for v in (x.compute, x.tp, x.dp, x.step, x.lapped)}
        figures = set(re.findall(r"\d+\.\d+", because))
        if not figures or figures - values:
            wrong.append(f"{name}: its verdict names {sorted(figures - values) or 'no figure'} of no cell of its row")
    same([r[0] for r in found["decision"][0]], list(rows), "verdicts")
    same(sum(r[1] == "chosen" for r in found["decision"][0]), 1, "layouts chosen")
    chosen = next(r[0] for r in found["decision"][0] if r[1] == "chosen")
    wrong += [f"{name} does not fit" for name, x in rows.items() if x.left < 0]
    if any(x.step < rows[chosen].step for x in plan.every().values()):
        wrong.append(f"{chosen} was chosen and is not the fastest with everything exposed")
    return wrong


def verdict(found: dict, name: str) -> str:
    return next(r[2] for r in found["decision"][0] if r[0] == name)


@functools.cache
def _found() -> str:
    names = ("layouts", "decision", "blank")
    return json.dumps({name: tables(name) for name in names})


def follows():
    """Every cell of every table follows from the inputs, layouts divide, and verdicts name figures of their rows."""
    wrong = faults(inputs(), json.loads(_found()))
    assert not wrong, "; ".join(wrong)
    assert max(map(len, text().splitlines())) <= 80


def run(sheet: str = "", *arguments: str) -> str:
    """What layouts.py prints, from the published folder alone, for a worksheet with this text."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SCRIPT, folder)
        (pathlib.Path(folder) / STARTER.name).write_text(sheet or text(), encoding="utf-8")
        return subprocess.run([sys.executable, "-B", f"{folder}/{SCRIPT.name}", *arguments],
                              capture_output=True, text=True, check=True).stdout


def edited(old: str, new: str) -> str:
    assert text().count(old) == 1, f"{old}: {text().count(old)} times"
    return text().replace(old, new)


def script():
    """layouts.py computes what is computed here, for its layouts, for others, and for other inputs."""
    others = [("8", "4", "2", "ZeRO-1"), ("4", "8", "2", "ZeRO-1"), ("1", "8", "8", "ZeRO-1"), ("2", "2", "16", "FSDP"),
              ("8", "1", "8", "FSDP"), ("4", "1", "16", "FSDP", "8"), ("4", "1", "16", "FSDP", "2")]
    for sheet, changes in [
        (text(), {}), (edited("sequence_parallel: 1", "sequence_parallel: 0"), {"choices__sequence_parallel": 0}),
        (edited("cards: 8", "cards: 1"), {"cluster__cards": 1}), (edited("gib: 79.1", "gib: 139.8"), {"gpu__gib": 139.8}),
        (edited("mlp_tensors: 3", "mlp_tensors: 4"), {"choices__mlp_tensors": 4}),
        (edited("gradient_bytes: 4", "gradient_bytes: 2"), {"choices__gradient_bytes": 2}),
        (edited("t: 0.5, d: 1.0", "t: 0.0, d: 0.9"), {"overlap__t": 0.0, "overlap__d": 0.9}),
    ]:
        plan, got = design(**changes), json.loads(run(sheet, "--json"))
        assert list(got["counts"].values()) == plan.counted(), (changes, got["counts"], plan.counted())
        cases = {name: (shape, got["layouts"][name]) for name, shape in letters().items()}
        for words in others if not changes else ():
            shape = (*map(int, words[:3]), words[3], *map(int, words[4:]))
            cases[" ".join(words)] = shape, json.loads(run(sheet, *words, "--json"))["layouts"]["mine"]
        for name, (shape, values) in cases.items():
            x = plan.layout(*shape)
            expected = {"state": x.state, "whole": x.gathered, "activations": x.kept, "left": x.left, "micros": x.m, "compute": x.compute,
                        "tp": x.tp, "bubble": x.bubble, "dp": x.dp, "exposed": x.step, "overlapped": x.lapped,
                        "mfu": x.mfu}
            assert values.keys() == expected.keys() | {"micro", "redos"}, f"{name}: {sorted(values)}"
            assert (values["micro"], values["redos"]) == (x.micro, x.redos), f"{changes}, {name}: {values['redos']}, {x.redos}"
            for key, value in expected.items():
                assert abs(values[key] - value) <= 1e-9 * max(1, abs(value)), f"{changes}, {name}, {key}: {values[key]}, {value}"


def variations():
    """What the page says of its variations is what the script prints then."""
    rows = lambda out: [line.split() for line in out.splitlines() if re.match(r"[A-F] ", line)]
    bare = rows(run(edited("sequence_parallel: 1", "sequence_parallel: 0")))
    assert [row[0] for row in bare[:6] if float(row[10]) < 0] == ["A"] and (bare[2][6], bare[8][5]) == ("13", "75.40"), bare
    poor, rich = rows(run(edited("cards: 8", "cards: 1")))[6:], rows(run())[6:]
    assert (rich[2][4], poor[2][4], rich[4][4], poor[4][4]) == ("0.41", "3.27", "42.33", "338.66"), poor
    deep = run("", "4", "8", "2", "ZeRO-1").splitlines()
    assert deep[-4].split()[6] == "0" and deep[-1].split()[5:] == ["69.74", "66.65"], deep


def sensitive():
    """The table of changed inputs is that of the design; nothing but memory, or hidden TP, lets another layout pass C."""
    changes = {"nothing": {}, "gradient_bytes 2": {"choices__gradient_bytes": 2}, "mlp_tensors 4": {"choices__mlp_tensors": 4},
               "reserve 16": {"gpu__reserve": 16}, "attainable 0.44": {"gpu__attainable": 0.44}, "nvlink 370": {"gbyte_per_s__nvlink": 370}, "overlap t 0": {"overlap__t": 0},
               "overlap t 0.9": {"overlap__t": 0.9}, "overlap d 0.8": {"overlap__d": 0.8}}
    found = json.loads(run("", "--json"))["varied"]
    assert list(found) == list(changes), list(found)
    fastest = {}
    for name, change in changes.items():
        plan, got = design(**change), found[name]
        for letter in "BCE":
            x = plan.layout(*letters()[letter])
            for key, value in {"left": x.left, "exposed": x.step, "overlapped": x.lapped}.items():
                assert abs(got["rows"][letter][key] - value) <= 1e-9 * abs(value), (name, letter, key)
        every = plan.every()
        fastest[name] = [min(every, key=lambda each: getattr(every[each], way)) for way in ("step", "lapped")]
        assert list(map(list, fastest[name])) == list(map(list, got["best"].values())), (name, fastest[name], got["best"])
    c = letters()["C"]
    assert [name for name, (exposed, _) in fastest.items() if exposed != c] == ["mlp_tensors 4", "reserve 16"], fastest
    assert [name for name, (_, lapped) in fastest.items() if lapped != letters()["E"]] == ["overlap d 0.8"], fastest
    least = lambda plan: min((x.step, name) for name, x in plan.every().items())[1]
    others = [{"choices__sequence_parallel": 0}, {"gpu__attainable": 0.6}]
    assert [least(design(**change)) for change in others] == [(4, 8, 2, "ZeRO-1"), c]


def thresholds():
    """The decision names the shares of DP and of TP that would have to hide, and the choice does change there."""
    shares = [int(share) for share in re.findall(r"(\d+) %", region("decision"))]
    assert shares == [87, 45], shares
    for share, axis, rival in ((87, "d", "E"), (45, "t", "B")):
        for hidden, faster in ((share - 1, "C"), (share + 1, rival)):
            change = {f"overlap__{axis}": hidden / 100}
            assert min((row(letter, **change).lapped, letter) for letter in ("C", rival))[1] == faster, (axis, hidden)
    eager = {"choices__mlp_tensors": 4}
    assert row("B", **eager).step < row("C", **eager).step and row("B", **eager).lapped < row("C", **eager).lapped


def calculator():
    """Each preset of the page's calculator gives the row of the script, with its tuning as inputs."""
    fence = re.search(r"```calc title=\"One layout[^\n]*\n(.*?)```", (CONTENT / LAB).read_text(encoding="utf-8"), re.S)[1]
    lines = [line.partition("#")[0].strip() for line in fence.splitlines()]
    units = {"TFLOP/s": "1e12", "GB/s": "1e9", "GiB": "2**30", "FLOP": "1", "GB": "1e9", "B": "1"}
    formulas = {name.strip(): re.sub(rf"([\d.]+) ({'|'.join(units)})(?![\w/])", lambda m: f"({m[1]} * {units[m[2]]})", text)
                .replace("if(", "choose(") for name, text in (line.split(" = ") for line in lines if re.match(r"\w+ *= ", line))}
    presets = dict(re.fullmatch(r"@ ([A-F]), [^:]+: (.*)", line).groups() for line in lines if line[:1] == "@")
    assert list(presets) == list(letters()), presets
    for letter, preset in presets.items():
        x, given = row(letter), {key: int(value) for key, value in (each.split(" = ") for each in preset.split(", "))}
        shape = (given["t"], given["p"], 64 // given["t"] // given["p"], "FSDP" if given["fsdp"] else "ZeRO-1")
        assert (shape, given["micro"], given["redo"]) == (letters()[letter], x.micro, x.redos[0]), (letter, preset)
        known = {"max": max, "min": min, "floor": math.floor, "choose": lambda holds, then, other: then if holds else other}
        for name, formula in formulas.items():
            known[name] = given.get(name) if name in given else eval(formula, {"__builtins__": {}}, known)  # the page's own
        for name, value in {"compute": x.compute, "tp": x.tp, "dp": x.dp, "exposed": x.step, "overlapped": x.lapped}.items():
            assert abs(known[name] - value) <= 1e-9 * max(1, value), (letter, name, known[name], value)
        first = sum(design().held(*letters()[letter], x.micro, 0, x.redos[0]))
        assert abs(known["state"] + known["gathered"] + known["kept"] - first) < 1, (letter, known["state"], known["gathered"], first)


def shown():
    """Each output on the page is what the script prints."""
    page = (CONTENT / LAB).read_text(encoding="utf-8")
    for words in ([], ["--vary"]):
        assert f"\n{run('', *words)}```" in page, run("", *words)


def known():
    """State, traffic, seconds and bubbles are those computed apart from this file."""
    for name, expected in KNOWN.items():
        x = row(name)
        got = (round(x.state / 1e9, 2), round(x.sent["d"] / 1e9, 2), round(x.dp * 1e3))
        assert got == expected, f"{name}: {got}, expected {expected}"
    b, plan = row("B"), design()
    all_reduce = 2 * 7 / 8 * plan.message
    got = [round(all_reduce / 1e6, 1), round(b.sent["t"] / b.m / 1e9, 2), round(b.tp / b.m * 1e3),
           round(plan.work / 1e15, 3), round(plan.message / 2**20), plan.counted()[:2]]
    assert got == [234.9, 46.98, 104, 3.468, 128, [28, 19]], got
    assert [round(100 * (p - 1) / (m + p - 1), 2) for p, m in ((2, 128), (4, 256), (4, 8), (8, 32))] == \
        [0.78, 1.16, 27.27, 17.95]
    assert round(16.75 * plan.message / 8 / 2**20) == 268, "33.5 s b d / 8, MiB of a block"


def same_ledger():
    """Model, activations and shards are those of the scripts of labs 01 and 08."""
    m, cfg, plan = lab_01.module(), lab_01.module().PRESETS["llama-3-70b"], design()
    ledger = lab_01.ledger("llama-3-70b", seq=plan.tokens)
    block = m.attention_params(cfg) + m.ffn_params(cfg) + 2 * cfg.d
    assert (plan.params, plan.block, plan.table) == (ledger["params"]["total"], block, ledger["params"]["embedding"])
    assert plan.params == plan.layers * plan.block + 2 * plan.table + cfg.d
    counted = lab_08.module().activation_bytes("llama-3-70b", plan.tokens, 8, True)  # 33.5 bytes of this model's block
    loss = 3 * 4 * plan.tokens * cfg.vocab
    assert row("B").kept == counted and row("E").kept == 2 * counted + loss / 4, row("E").kept
    border, block = 2 * plan.tokens * cfg.d, 16.75 * plan.message
    assert row("F").kept == 8 * block + 72 * border + max(loss, block), row("F").kept
    assert round(row("F").state / 1e9, 2) == round(row("E").state / 1e9, 2) == lab_08.STATE["llama-3-70b", 64][3]
    primer = (CONTENT / "tracks/ai-infra/handbook/01-transformer-memory.md").read_text(encoding="utf-8")
    assert f"\nh100     = {inputs()['gpu']['gib']} GiB" in primer, "another memory of an H100 than the primer's"


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
    for name in "BC":  # the slowest stage counts: the table's step is a bound, and a close one
        t, p, d, *_ = letters()[name]
        x, plan = row(name), design()
        block = plan.work * plan.block / (plan.layers * plan.block + plan.table) / (t * plan.rate)
        wait = 2 * (t - 1) / t * plan.message / plan.nvlink
        stages = [plan.layers // p * (block + 5 * wait) + again * (block / 3 + 2 * wait) for again in x.redos]
        stages[-1] += block * plan.table / plan.block
        assert abs(max(stages) - (x.compute + x.tp) / x.m) < 1e-9, (name, stages)
        total, held = pipeline(p, x.m, stages)
        assert held == p and 0.97 * (x.step - x.dp) < total <= x.step - x.dp + 1e-9, (name, total, x.step)


def crossing():
    """No wire is asked for more than it has: bytes that leave a node, over its cards, in each group's time."""
    plan = design()
    for name, (t, p, d, *_) in letters().items():
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
    verify("lab_12", SCRIPT, run)


@functools.cache
def module() -> dict:
    """The names of layouts.py."""
    names = {"__name__": "layouts", "__file__": str(SCRIPT)}
    exec(compile(SCRIPT.read_text(encoding="utf-8"), str(SCRIPT), "exec"), names)
    return names


def placed():
    """Groups are those that torch's init_device_mesh makes of 64 ranks, and layouts.py gives each its bandwidth."""
    stored, plan, m = golden("lab_12", SCRIPT), design(), module()
    assert m["LAYOUTS"] == letters(), "the worksheet has other layouts than the script"
    for name, (t, p, d, *_) in letters().items():
        mine = {axis: groups[0] for axis, groups in plan.groups(t, p, d).items()}
        assert mine == stored[name], f"{name}: {mine}, torch says {stored[name]}"
        for axis, size, stride in (("t", t, 1), ("p", p, t), ("d", d, t * p)):
            got = m["wire"](m["read"](STARTER), size, stride)
            assert size == 1 or got == plan.bandwidth(stored[name][axis]), f"{name}, {axis}: {got}"


def mutants():
    """A changed input, size, cell or verdict is found."""
    for path, value, message in [
        (("model", "kv_heads"), 4, "does not divide: t"), (("model", "layers"), 66, "layers by p"),
        (("model", "table"), 0, "B, results"), (("batch", "tokens"), 4096, "A, results"),
        (("batch", "sequences"), 500, "F does not divide"), (("cluster", "gpus"), 4, "GPUs"),
        (("cluster", "cards"), 1, "E, results"), (("gbyte_per_s", "nvlink"), 900, "A, results"),
        (("gpu", "gib"), 40, "does not fit"), (("gpu", "attainable"), 0.4, "B, results"),
        (("choices", "sequence_parallel"), 0, "A does not fit"), (("choices", "mlp_tensors"), 4, "C was chosen"),
        (("choices", "gradient_bytes"), 2, "B, results"), (("overlap", "t"), 0.0, "B, results"),
    ]:
        data = inputs()
        data[path[0]][path[1]] = value
        got = faults(data, json.loads(_found()))
        assert any(message in fault for fault in got), f"{path} = {value} went unnoticed: {got}"
    for place, value, message in [
        (("layouts", 0, 1, 1), "16", "GPUs"), (("layouts", 0, 1, 7), "18.2", "B, results"),
        (("layouts", 0, 0, 8), "67.40", "A, results"), (("layouts", 0, 2, 6), "0", "C, results"),
        (("decision", 0, 1, 2), "looks best", "no figure"), (("decision", 0, 0, 2), "68.41 s", "of no cell"),
        (("decision", 0, 1, 1), "chosen", "layouts chosen"), (("decision", 0, 3, 2), "32.21 s of TP", "D does not divide"),
    ]:
        data = json.loads(_found())
        name, table, line, cell = place
        data[name][table][line][cell] = value
        got = faults(inputs(), data)
        assert any(message in fault for fault in got), f"{place} = {value} went unnoticed: {got}"


def blank():
    """The empty table asks for columns of the filled ones, and holds nothing yet."""
    lines = [line for line in region("blank").splitlines() if line.startswith("|")]
    columns = {c.strip() for line in region("layouts").splitlines() if line.startswith("|")
               for c in line.strip("|").split("|")}
    assert {c.strip() for c in lines[0].strip("|").split("|")} <= columns | {""}, lines[0]
    assert all(not any(cells[1:]) for cells in tables("blank")[0])


def words():
    """What the page says without a unit follows from the design, too."""
    plan = design()
    for name in "BDE":
        assert row(name).sent["t"] == 6400 * (letters()[name][0] - 1) * plan.message, name
    assert plan.counted() == [28, 19, 12, 5], plan.counted()
    assert round(row("E").sent["d"] / 1e12, 1) == 4.2
    spoken = (CONTENT / LAB).read_text(encoding="utf-8").split("## Interview explanation")[1].split("\n## ")[0]
    assert 90 <= len(spoken.split()) <= 160, len(spoken.split())


CHECKS = [follows, script, shown, variations, sensitive, thresholds, calculator, known, same_ledger, rings, pipelines, crossing,
          mesh, placed, mutants, blank, words]
