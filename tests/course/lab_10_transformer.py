"""Transformer lab 10: quantization_plan.md, whose tables must follow from its inputs."""
import functools
import json
import math
import random
import re
import subprocess

import lab_01
import lab_10
from course import CODE, given, python

STARTER = CODE / "lab-10-quantization-reading" / "quantization_plan.md"
LAB = "tracks/transformer/labs/lab-10-quantization-reading.md"
SECTION = "tracks/transformer/handbook/10-quantization-plan.md"

FORMATS = {"E4M3", "int4"}
TARGETS = {"weights", "KV cache", "activations"}
# Schemes in vLLM 0.33.0 for compressed tensors and the capability that each needs, read in the package, 2026-11.
SCHEMES = {"W8A16Fp8": 7.5, "W8A8Fp8": 8.9, "WNA16": 7.5}
# Its attention backends in the order it tries them on both cards, and the capabilities with an FP8 cache.
BACKENDS = {"FlashAttention 3": (9.0, 9.0), "FlashInfer": (8.0, 12.1), "Triton": (8.9, math.inf)}
OPTIONS = {"kv-cache-dtype", "kv-cache-dtype-skip-layers"}  # of `vllm serve`, the same version
BLOCK = 16                                                  # tokens in a block of vLLM's cache

# Facts computed apart from this file: tokens of cache as ai-infra's lab 10 has them, and the sums of a plan's rows.
KNOWN = {"": 406_208, "C": 812_432}
RESIDENT = {"": 16.06e9, "A": 9.08e9, "B": 5.70e9}


@functools.cache
def text() -> str:
    return STARTER.read_text(encoding="utf-8")


def region(name: str, of: str) -> str:
    return re.search(rf"<!-- ANCHOR: {name} -->\n(.*?)<!-- ANCHOR_END: {name} -->", of, re.S)[1]


def table(name: str, of: str) -> dict[str, list[str]]:
    """A region's table: first cell of a row -> its other cells."""
    lines = [line for line in region(name, of).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert all(len(row) == len(cells[0]) for row in cells), f"{name}: a row with too many or too few cells"
    found = {row[0]: row[1:] for row in cells[2:]}
    assert len(found) == len(cells) - 2, f"{name}: two rows of one name"
    return found


@functools.cache
def parsed(block: str) -> dict:
    script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.read())))"
    out = subprocess.run([str(python("light")), "-c", script], input=block, capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


class Plan:
    """What follows from the inputs of a plan, unrounded: bytes, seconds, tokens."""

    def __init__(self, of: str):
        data = parsed(re.search(r"```yaml\n(.*?)```", region("arithmetic", of), re.S)[1])
        model, card = data["model"], data["card"]
        self.linear, self.head = model["linear"], model["head"]
        self.kept = model["head"] + model["embedding"] + model["norms"]  # parameters that stay in 16 bits
        self.read_kept = 2 * (model["head"] + model["norms"])
        self.params = self.linear + self.kept
        self.values = 2 * model["layers"] * model["kv_heads"] * model["head_dim"]  # cached for a token
        self.bandwidth, self.peak = card["bytes_per_s"], card["flop_per_s"]
        self.usable = card["bytes"] * card["utilization"] - card["reserve"]
        self.loads = {name: (w["sequences"], w["tokens"]) for name, w in data["workloads"].items()}
        self.bits = {row: float(cells[0]) for row, cells in table("saving", of).items()}

    def flight(self, name: str) -> int:
        sequences, tokens = self.loads[name]
        return sequences * tokens

    def token(self, rows: str = "") -> float:
        """Bytes of cache a token."""
        return self.values * (self.bits["C"] if "C" in rows else 16) / 8

    def linear_bytes(self, rows: str = "") -> float:
        return self.linear * next((self.bits[row] for row in "AB" if row in rows), 16) / 8

    def resident(self, rows: str = "") -> float:
        return self.linear_bytes(rows) + 2 * self.kept

    def read(self, rows: str = "") -> float:
        """Bytes of weights that a step reads."""
        return self.linear_bytes(rows) + self.read_kept

    def compute(self, rows: str, tokens: int) -> float:
        """Seconds of arithmetic in the linear layers."""
        kind = "fp8" if "A" in rows and "D" in rows else "bf16"
        return 2 * self.linear * tokens / self.peak[kind]

    def layers(self, rows: str, tokens: int) -> float:
        return max(self.linear_bytes(rows) / self.bandwidth, self.compute(rows, tokens))

    def step(self, rows: str, sequences: int, tokens: int) -> float:
        output = max(self.read_kept / self.bandwidth, 2 * self.head * sequences / self.peak["bf16"])
        cache = sequences * tokens * self.token(rows) / self.bandwidth
        return self.layers(rows, sequences) + output + cache

    def of_load(self, rows: str, name: str) -> float:
        return self.step(rows, *self.loads[name])

    def tokens_held(self, rows: str) -> int:
        return int((self.usable - self.resident(rows)) // (BLOCK * self.token(rows))) * BLOCK

    def held(self, rows: str) -> int:
        """Sequences of the chats' length whose cache fits."""
        return self.tokens_held(rows) // self.loads["chats"][1]

    def saved(self, row: str, name: str) -> float:
        if row in "AB":
            return self.resident() - self.resident(row)
        return self.flight(name) * (self.token() - self.token("C")) if row == "C" else 0

    def even(self, row: str) -> float:
        """Tokens in flight at which C saves what a row of weights saves."""
        return self.saved(row, "user") / (self.token() - self.token("C"))


def noise(prompts: int, flips: float) -> float:
    """Standard error, in points, of the loss on the same prompts: each flip moves it by one prompt, up or down."""
    return 100 * math.sqrt(flips / prompts)


def e4m3() -> list[float]:
    """Every positive value of the format, in order."""
    found = []
    for exponent in range(16):
        for mantissa in range(8):
            if (exponent, mantissa) != (15, 7):  # NaN
                found.append((8 + mantissa) * 2.0 ** (exponent - 10) if exponent else mantissa * 2.0 ** -9)
    return found[1:]


def nearest(value: float) -> float:
    return min(e4m3(), key=lambda v: abs(v - value))


def worst_normal() -> float:
    """The largest relative error of rounding a normal number: halfway between two neighbours."""
    normal = [v for v in e4m3() if v >= 2**-6]
    return max((b - a) / 2 / ((a + b) / 2) for a, b in zip(normal, normal[1:]))


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def gb(value: float) -> str:
    return f"{value / 1e9:.2f} GB"


def expected(of: str) -> dict[str, dict[str, list[str]]]:
    """The tables of numbers as they should be."""
    p = Plan(of)
    reads = {}
    for name in p.loads:
        cache = p.flight(name) * p.token()
        share = cache / (cache + p.read())
        reads[name] = [gb(p.read()), gb(cache), "cache" if share > 0.5 else "weights", percent(share)]
    saving = {row: [cells[0], *(gb(p.saved(row, name)) if p.saved(row, name) else "0 GB" for name in p.loads)]
              for row, cells in table("saving", of).items()}
    floors = {}
    for label in table("floors", of):
        rows = "" if label == "none" else label.replace(" ", "")
        fits = p.held(rows) >= p.loads["chats"][0]
        times = [p.of_load(rows, "user"), p.of_load(rows, "documents"),
                 p.of_load(rows, "chats"), p.layers(rows, 1024)]
        user, documents, chats, prompt = (f"{1e3 * t:.2f}" for t in times)
        floors[label] = [user, documents, str(p.held(rows)), chats if fits else "-", prompt]
    acceptance = {}
    for row, (prompts, flips, _, _, back) in table("acceptance", of).items():
        error = noise(int(prompts.replace(",", "")), int(flips.split()[0]) / 100)
        acceptance[row] = [prompts, flips, f"{error:.2f}", f"{2 - 2 * error:.2f}", back]
    return {"reads": reads, "saving": saving, "floors": floors, "acceptance": acceptance}


def faults(of: str) -> list[str]:
    """What in a plan does not follow from its inputs, or is missing."""
    found = []
    for name, rows in expected(of).items():
        printed = table(name, of)
        found += [f"{name}, {row}: {printed.get(row)}, expected {cells}" for row, cells in rows.items()
                  if printed.get(row) != cells]
    p = Plan(of)
    found += sentences(of, p)
    rows = table("targets", of)
    found += [f"{name}: rows {list(table(name, of))}, expected {list(rows)}" for name in
              ("saving", "risks", "acceptance") if list(table(name, of)) != list(rows)]
    for row, (target, form, granularity, calibration) in rows.items():
        found += [f"{row}: {target} is no target"] * (target not in TARGETS)
        found += [f"{row}: {form} is not on the list"] * (form not in FORMATS)
        found += [f"{row}: granularity or calibration is missing"] * (not granularity or not calibration)
    said = list(table("risks", of).values())
    found += ["a risk or its check is missing"] * any(not cell for cells in said for cell in cells)
    found += ["two rows share a risk"] * (len({risk for risk, _ in said}) < len(said))
    return found


def sentences(of: str, p: Plan) -> list[str]:
    """Figures in the plan's sentences, each where it must stand."""
    chats = p.loads["chats"][0]
    wanted = {
        "saving": [f"{p.even('A'):,.0f} tokens", f"B at {p.even('B'):,.0f}.",
                   f"C saves {(p.token() - p.token('C')) / 1024:.0f} KiB"],
        "reads": [f"{p.token() / 1024:.0f} KiB each"],
        "risks": [f"up to {100 * worst_normal():.1f} %"],
        "order": [f"{percent(p.read() / (p.read() + p.flight('user') * p.token()))} of a step is weights",
                  f"stops at {p.held('C')} of {chats}"],
    }
    return [f"{name}: no `{piece}`" for name, pieces in wanted.items() for piece in pieces
            if piece not in " ".join(region(name, of).split())]


def recomputed():
    """Every table and sentence of the plan follows from its inputs; each row has a risk of its own and a check."""
    assert not faults(text()), "; ".join(faults(text()))


def same_model():
    """The inputs are lab 01's count of the same shape, part by part."""
    ledger = lab_01.ledger("llama-3-8b")
    p = Plan(text())
    parts = ledger["params"]
    assert p.linear == parts["attention"] + parts["ffn"], p.linear
    assert p.kept == parts["embedding"] + parts["output"] + parts["norms"] and p.params == parts["total"]
    assert p.token() == ledger["kv_per_token"]


def facts():
    """Tokens that fit, resident weights and break-even points equal values computed apart from this file."""
    p = Plan(text())
    for rows, tokens in KNOWN.items():
        assert p.tokens_held(rows) == tokens, f"{rows}: {p.tokens_held(rows)}"
    for rows, size in RESIDENT.items():
        assert abs(p.resident(rows) - size) < 0.005e9, f"{rows}: {p.resident(rows)}"
    assert p.even("A") == 106_496 == 26 * 4096 and p.even("B") == 158_080
    # per layer: parameters of the linear layers over cached values of a token, whatever the number of layers
    assert p.even("A") == (p.linear / 32) / (2 * 8 * 128)


def bounds():
    """No row makes a step longer, and no step is shorter than its bytes over the bandwidth."""
    p = Plan(text())
    for rows in ("A", "B", "C", "AD", "AC", "ACD", "BC"):
        for name in p.loads:
            assert p.of_load(rows, name) <= p.of_load("", name) * (1 + 1e-12), (rows, name)
            least = (p.read(rows) + p.flight(name) * p.token(rows)) / p.bandwidth
            assert p.of_load(rows, name) >= least * (1 - 1e-12), (rows, name)


def order():
    """The row that the plan puts first saves each workload the most time among the rows that can stand alone."""
    p = Plan(text())
    said = dict(re.findall(r"^- (\w+): ([A-D]) first", region("order", text()), re.M))
    assert said == {name: min("ABC", key=lambda row: p.of_load(row, name)) for name in p.loads}, said
    weights, cache = p.saved("B", "documents"), p.saved("C", "documents")
    assert weights < cache / 2, "a row of weights saves half of what C saves"
    assert p.held("AC") >= p.loads["chats"][0] > p.held("C") > max(p.held("A"), p.held("B"))


def formats():
    """E4M3 ends at 448 and rounds a normal number by 5.9 % at most; int8 loses 0.2 beside 60, and E4M3 keeps it."""
    assert max(e4m3()) == 448 and min(e4m3()) == 2**-9 and len(e4m3()) == 126
    assert abs(worst_normal() - 1 / 17) < 1e-12
    step = 60 / 127
    assert round(0.2 / step) == 0 and abs(step - 0.472) < 5e-4
    kept = nearest(0.2 * 448 / 60) * 60 / 448
    assert abs(kept / 0.2 - 1) < 0.005, kept


def evidence():
    """The noise of a paired comparison is that of simulated flips, and two separate runs are noisier."""
    draw = random.Random(0)
    prompts, flips = 1600, 0.04
    losses = []
    for _ in range(400):
        moved = sum(draw.random() < flips for _ in range(prompts))
        losses.append(100 * sum(draw.choice((-1, 1)) for _ in range(moved)) / prompts)
    spread = math.sqrt(sum(x * x for x in losses) / len(losses))
    assert abs(spread / noise(prompts, flips) - 1) < 0.1, spread
    assert unpaired(0.8, prompts) > 2.8 * noise(prompts, flips)


def unpaired(score: float, prompts: int) -> float:
    """Standard error, in points, of the difference of two runs on different prompts."""
    return 100 * math.sqrt(2 * score * (1 - score) / prompts)


def names():
    """Schemes and options are those of vLLM 0.33.0, and a scheme stands only where the card can run it."""
    for rows, cells in table("kernel-support", text()).items():
        for cell, capability in zip(cells, (9.0, 8.0)):
            scheme = re.findall(r"`(\w+)`", cell)
            if rows == "C":  # the first backend that takes the cache
                first = next(name for name, (low, high) in BACKENDS.items() if low <= capability <= high)
                assert cell.split(",")[0] == first, f"{rows}: {cell}, expected {first}"
                continue
            assert len(scheme) == 1 and SCHEMES[scheme[0]] <= capability, f"{rows}: {cell}"
            if rows == "A D":  # the better scheme wherever it is supported
                assert (scheme[0] == "W8A8Fp8") == (capability >= SCHEMES["W8A8Fp8"]), cell
    for option in re.findall(r"`--([\w-]+)", text()):
        assert option in OPTIONS, f"--{option} is not on the list"


MUTANTS = {
    "query heads in the cache": ("kv_heads: 8", "kv_heads: 32"),
    "a table that is read": ("embedding: 525336576", "embedding: 0"),
    "four bits without scales": ("| B   | 4.125 |", "| B   | 4.000 |"),
    "another card": ("bytes_per_s: 3.35e+12", "bytes_per_s: 4.8e+12"),
    "sparse peak": ("fp8: 1979.0e+12", "fp8: 3958.0e+12"),
    "a saving of activations": ("| D   |     8 |               0 GB", "| D   |     8 |            6.98 GB"),
    "a format of no kernel": ("| B   | weights     | int4 ", "| B   | weights     | int3 "),
    "a risk said twice": ("an outlier sets the scale of its token     ", "an old key is wrong for every later token  "),
    "no check": ("| retrieval, far back |", "|                     |"),
    "an easier gate": ("|  0.75 |         0.50 |", "|  0.75 |         1.00 |"),
    "fewer prompts": ("| C   |     400 |", "| C   |     100 |"),
    "one chat more": ("stops at 198", "stops at 199"),
    "all weights as A's": ("at 106,496 tokens", "at 122,500 tokens"),
}


def mutants():
    """A plan with a wrong input, cell or sentence is refused."""
    for name, (old, new) in MUTANTS.items():
        assert text().count(old) == 1, f"{name}: {text().count(old)} places"
        assert faults(text().replace(old, new)), f"nothing wrong with: {name}"


def another(*edits: tuple[str, str]) -> Plan:
    """The plan with some of its inputs changed."""
    changed = text()
    for old, new in edits:
        assert changed.count(old) == 1, f"{changed.count(old)} places hold {old}"
        changed = changed.replace(old, new)
    return Plan(changed)


def chats(count: int) -> Plan:
    return another(("chats: {sequences: 200", f"chats: {{sequences: {count}"))


def edits():
    """The page's edits do what it says: fewer chats turn the order round, and a larger card holds 200 without a row."""
    forty, fewer, h200 = chats(40), chats(38), h200_plan()
    assert forty.of_load("C", "chats") < forty.of_load("B", "chats")
    assert fewer.of_load("C", "chats") > fewer.of_load("B", "chats")
    assert forty.saved("C", "chats") > forty.saved("B", "chats")
    assert fewer.saved("C", "chats") < fewer.saved("B", "chats")
    assert h200.held("") == 203
    mha = another(("kv_heads: 8", "kv_heads: 32"))
    assert mha.even("A") == Plan(text()).even("A") / 4


def h200_plan() -> Plan:
    return another(("bytes: 80000000000", "bytes: 141000000000"), ("bytes_per_s: 3.35e+12", "bytes_per_s: 4.8e+12"))


def lab_page():
    p, forty, fewer, h200 = Plan(text()), chats(40), chats(38), h200_plan()
    count, length = p.loads["chats"]
    cached = {name: p.flight(name) * p.token() for name in p.loads}
    milli = {(rows, name): p.of_load(rows, name) for rows in ("", "B", "C", "ACD", "BC") for name in p.loads}
    missing = p.flight("chats") - p.tokens_held("C")
    outputs = 2 * 4096 + 2 * 1024 + 2 * 14336 + 4096  # rows of a layer's seven matrices
    serving = lab_10.Plan(lab_10.plan())
    ceiling = serving.ceilings()["prefill"]
    gains = {}
    for rows in ("A", "B", "C", "AD", "ACD", "BC"):
        values = [p.of_load("", name) / p.of_load(rows, name) for name in ("user", "documents")]
        values += [p.held(rows) / p.held(""), p.layers("", 1024) / p.layers(rows, 1024)]
        gains |= {f"{value:.2f}": value for value in values}
    return gains | {
        "4,096": length, "131,072": p.loads["documents"][1], "2,048": p.flight("user"), "819,200": p.flight("chats"),
        "107.37 GB": cached["chats"], "53.24 GB": p.usable - p.resident(), "53.69 GB": p.saved("C", "chats"),
        "8 KiB": 4096 * 2, "6,979,321,856": p.linear, "4.125": 4 + 16 / 128, "128 KiB": p.token(),
        "131,072 bytes": p.token(), "3.35 TB/s": p.bandwidth, "989.4": p.peak["bf16"] / 1e12,
        "1,979 TFLOP/s": p.peak["fp8"], "86.9 %": p.linear / p.params, "13.1 %": p.kept / p.params,
        "1.05 GB": 2 * p.head, "15.01": p.read() / 1e9, "15.01 GB": p.read(),
        "48 GiB": cached["documents"], "51.54 GB": cached["documents"],
        "16.06 GB": p.resident(), "16.06": p.resident() / 1e9, "43,008": outputs, "5.5 MB": 32 * outputs * 4,
        "4 bytes": given("width of an fp32 scale"), "1.0": given("vLLM's default scale"),
        "10.36 GB": p.saved("B", "user"), "10.36": p.saved("B", "user") / 1e9, "5.70 GB": p.resident("B"),
        "15.28 GB": p.read() + cached["user"], "66.55": (p.read() + cached["documents"]) / 1e9,
        "28,672": max(e4m3()) / 2**-6,
        "2.82": p.resident() / p.resident("B"), "3.23": p.read() / p.read("B"), "4.65 GB": p.read("B"),
        "6.98": p.saved("A", "user") / 1e9, "6.98 GB": p.saved("A", "user"),
        "65,536 bytes": p.token() - p.token("C"), "1.125": 1 + 1 / 8, "7.5": given("compressed-tensors 0.20.0"),
        "2.0": given("the plan's budget"), "6.0": 3 * 2.0, "8.0": given("compute capability"), "0.2009": nearest(0.2 * 448 / 60) * 60 / 448, "0.2": given("a small value beside the outlier"),
        "4.56 ms": milli["", "user"], "4.17": p.layers("", 1) * 1e3, "0.31": p.read_kept / p.bandwidth * 1e3,
        "0.08": cached["user"] / p.bandwidth * 1e3, "3.1": milli["", "user"] / milli["B", "user"],
        "6,768": missing, "0.44 GB": missing * p.token("C"), "2.82 ms": p.compute("", count),
        "4 %": given("flips of rows A and D"),
        "2.08 ms": p.layers("AD", count), "1.07": p.linear_bytes("B") / p.bandwidth * 1e3,
        "8.9": given("compute capability"), "0.50": noise(1600, 0.04), "6,400": given("an assumption"),
        "1.25": 2 - 2 * noise(6400, 0.09), "0.92": given("vLLM's default share of the card"), "80 GB": given("a card"),
        "4.29": 4294967296 / 1e9, "812,432": p.tokens_held("C"), "60.22 GB": p.usable - p.resident("A"),
        "918,928": p.tokens_held("AC"),
        "10.74 GB": forty.saved("C", "chats"), "7.69 ms": forty.of_load("C", "chats"),
        "7.80": forty.of_load("B", "chats") * 1e3, "7.48": fewer.of_load("B", "chats") * 1e3,
        "7.53": fewer.of_load("C", "chats") * 1e3, "141 GB": given("a card"), "4.8 TB/s": given("its bandwidth"),
        "25.50": h200.of_load("", "chats") * 1e3, "25.41 ms": h200.of_load("A", "chats"),
        "24.04": h200.of_load("AD", "chats") * 1e3, "0.71": noise(200, 0.01), "0.59": 2 - 2 * noise(200, 0.01),
        "88 %": cached["chats"] / (cached["chats"] + p.read()), "7.22 ms": p.layers("AD", 1024),
        "7.22": p.layers("AD", 1024) * 1e3, "14.45": p.layers("A", 1024) * 1e3,
        "3.60 GB": p.linear_bytes("B"), "13.96": p.linear_bytes() / 1e9,
        "0.1": given("the misunderstanding itself"), "158,080": p.even("B"),
        "262,144": 2 * p.loads["documents"][1], "3.61 ms": p.layers("B", 256),
        "2.56 ms": 256 * 512 * (p.token() - p.token("C")) / p.bandwidth, "4.156": 4 + (16 + 4) / 128,
        "30.1": ceiling, "60.2": ceiling * p.peak["fp8"] / p.peak["bf16"],
        "0.8": given("a measured loss, assumed"), "1,600": given("prompts of the plan"), "9 %": given("flips of row B"),
        "0.75": noise(1600, 0.09), "2.3": 0.8 + 2 * noise(1600, 0.09),
        "19.16 ms": milli["BC", "chats"], "18.42": milli["ACD", "chats"] * 1e3,
        "3,600": 1600 * 0.09 / 0.04,
    }


def shape(model: str) -> tuple[int, int]:
    """Linear parameters of a layer, and values that it caches for a token."""
    config = lab_01.module().PRESETS[model]
    linear = lab_01.module().attention_params(config) + lab_01.module().ffn_params(config)
    return linear, 2 * config.n_kv * config.d_head


def section_page():
    llama, mistral, large = (shape(model) for model in ("llama-2-7b", "mistral-7b", "llama-3-70b"))
    counts = lab_01.ledger("mistral-7b")["params"]
    read = 2 * (counts["total"] - counts["embedding"])
    token = lab_01.ledger("mistral-7b")["kv_per_token"]
    saved = mistral[0] * 32
    few, many = 2048 * token, 64 * 4096 * token
    even = [linear / values for linear, values in (llama, mistral, large)]
    paired, apart = noise(2500, 0.04), unpaired(0.8, 2500)
    return {
        "202,375,168": llama[0], "218,103,808": mistral[0], "855,638,016": large[0], "8,192": llama[1],
        "2,048": mistral[1], "24,704": even[0], "106,496": even[1], "417,792": even[2], "4.3": even[1] / even[0],
        "1.08": mistral[0] / llama[0],
        "7,241,732,096": counts["total"], "14.48 GB": 2 * counts["total"], "128 KiB": token,
        "4,096": given("the model's window"), "0.25 GiB": few, "0.27 GB": few, "14.22 GB": read, "6.98 GB": saved,
        "48 %": saved / (read + few), "0.13 GB": few / 2, "262,144": 64 * 4096, "32 GiB": many, "34.36 GB": many,
        "14 %": saved / (read + many), "48.58": (read + many) / 1e9, "17.18 GB": many / 2,
        "35 %": many / 2 / (read + many), "1.9": (read + few) / (read + few - saved),
        "2,500": given("an assumption"), "4 %": given("an assumption"), "80 %": given("an assumption"),
        "0.8": given("the same"), "0.2": 1 - 0.8, "0.40": paired, "1.13": apart, "0.20": 1 - 2 * paired,
        "1.26": 2 * apart - 1,
    }


PAGES = {LAB: lab_page, SECTION: section_page}
CHECKS = [recomputed, same_model, facts, bounds, order, formats, evidence, names, mutants, edits]
