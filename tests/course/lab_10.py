"""Lab 10: benchmark_config.yaml, its options, and the figures that follow from its entries, and ceilings.py beside it."""
import copy
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from course import CODE, CONTENT, load, python, tool

STARTER = CODE / "lab-10-vllm-serving" / "benchmark_config.yaml"
SCRIPT = STARTER.with_name("ceilings.py")
LAB = "tracks/ai-infra/labs/lab-10-vllm-serving.md"
SECTION = "tracks/ai-infra/handbook/10-serving-queue.md"

# Options of vLLM 0.33.0, read in the released package, 2026-11.
SERVE = {
    "block-size", "data-parallel-size", "dtype", "enable-chunked-prefill", "enable-log-requests",
    "enable-prefix-caching", "gpu-memory-utilization", "kv-cache-dtype", "kv-cache-memory-bytes", "max-model-len",
    "max-num-batched-tokens", "max-num-queued-reqs", "max-num-queued-tokens", "max-num-seqs", "model",
    "performance-mode", "quantization", "scheduling-policy", "tensor-parallel-size",
}
BENCH = {
    "backend", "burstiness", "dataset-name", "endpoint", "goodput", "ignore-eos", "input-len", "max-concurrency",
    "metric-percentiles", "model", "num-prompts", "num-warmups", "output-len", "percentile-metrics",
    "random-input-len", "random-output-len", "random-range-ratio", "ready-check-timeout-sec", "request-rate",
    "result-dir", "save-result", "seed",
}
SWEEP = {"bench-cmd", "bench-params", "dry-run", "output-dir", "serve-cmd", "serve-params"}
GONE = {
    "calculate-kv-scales", "device", "disable-log-requests", "endpoint-type", "guided-decoding-backend",
    "max-seq-len-to-capture", "num-scheduler-steps", "preemption-mode", "swap-space", "task", "use-v2-block-manager",
}
FLAGS = SERVE | BENCH | SWEEP
WIDTH = {"auto": 2, "bfloat16": 2, "fp8": 1}  # bytes of a cached value, for a model in bfloat16

# What the facts of this lab state, computed apart from this file.
KNOWN = {"block": 2 * 2**20, "blocks": 27_553, "tokens": 440_848, "requests": 382, "request_blocks": 72}
DECODE = {  # milliseconds of a step, tokens per second
    1: (4.83, 207), 8: (5.11, 1564), 32: (6.08, 5266), 64: (7.36, 8698), 128: (9.92, 12_900),
          256: (15.05, 17_009)}


@functools.cache
def _parsed() -> str:
    script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1], encoding='utf-8'))))"
    return subprocess.run([str(python("light")), "-c", script, str(STARTER)],
                          capture_output=True, text=True, check=True).stdout


def plan() -> dict:
    """The starter, as PyYAML reads it."""
    return json.loads(_parsed())


class Plan:
    """Everything that follows from a plan's inputs, unrounded."""

    def __init__(self, data: dict):
        m, card, serve, bench = data["model"], data["card"], data["serve"], data["bench"]
        self.bandwidth = card["bytes_per_s"] * card["readable"]
        self.flops = card["flop_per_s"] * card["attainable"]
        self.peak, self.params, self.slots = card["flop_per_s"], m["parameters"], serve["max-num-seqs"]
        self.prompt, self.answer = bench["random-input-len"], bench["random-output-len"]
        self.block_tokens, self.budget_tokens = serve["block-size"], serve["max-num-batched-tokens"]
        self.longest = serve["max-model-len"]
        self.weights = m["parameters"] * m["weight_bytes"]
        self.token = 2 * m["layers"] * m["kv_heads"] * m["head_dim"] * m["kv_bytes"]
        self.query_heads = 4  # Llama-3-8B: 32 query heads share 8 pairs
        self.budget = round(card["bytes"] * serve["gpu-memory-utilization"]) - self.weights - card["reserve_bytes"]
        self.block = self.block_tokens * self.token
        self.blocks = self.budget // self.block
        self.request_blocks = self.blocks_of(self.prompt + self.answer)
        self.requests = self.blocks // self.request_blocks
        slo = data["slo_ms"]
        self.e2el = self.latency(slo["ttft"], slo["tpot"])
        self.points = [(p["request-rate"], p["num-prompts"]) for p in data["sweep"]]

    def blocks_of(self, tokens: int) -> int:
        return -(-tokens // self.block_tokens)

    def latency(self, ttft: float, tpot: float) -> float:
        """Milliseconds of a whole request."""
        return ttft + tpot * (self.answer - 1)

    def prefill(self, tokens: int, flops: float = 0) -> float:
        """Milliseconds in which that many prompt tokens are computed."""
        return 2 * self.params * tokens / (flops or self.flops) * 1e3

    def decode(self, batch: float, context: float = 0) -> float:
        """Milliseconds in which a decode step reads what it must."""
        return (self.weights + batch * (context or self.prompt) * self.token) / self.bandwidth * 1e3

    def share(self, rate: float) -> float:
        return rate * self.prefill(self.prompt) / 1e3

    def in_flight(self, rate: float) -> float:
        return rate * self.e2el / 1e3

    def request(self) -> float:
        """Milliseconds of the GPU's time for one request: all of its tokens, and its own cache once per step."""
        steps = self.answer - 1
        return self.prefill(self.prompt + steps) + steps * self.prompt * self.token / self.bandwidth * 1e3

    def ceilings(self) -> dict:
        """The plan's ceiling, and the rates for which slots and cache are enough in any case."""
        return {"gpu": 1e3 / self.request(), "slots": self.slots / self.e2el * 1e3,
                "cache": self.requests / self.e2el * 1e3}

    def expect(self) -> dict:
        """What the starter should say under `expect`, rounded as it rounds."""
        limits = self.ceilings()
        return {
            "blocks": self.blocks, "requests": self.requests, "request_ms": round(self.request(), 1),
            "ceiling": round(limits["gpu"], 1),
            "enough": {name: round(limits[name], 1) for name in ("slots", "cache")},
            "load": [{"request-rate": rate, "busy": round(rate * self.request() / 1e3, 2),
                      "at_most": round(self.in_flight(rate), 1)} for rate, _ in self.points],
        }


def differences(expected, got, where: str = "expect") -> list[str]:
    if isinstance(expected, dict) and isinstance(got, dict):
        keys = [f"{where}.{k} is missing or extra" for k in expected.keys() ^ got.keys()]
        both = sorted(expected.keys() & got.keys())
        return keys + [d for k in both for d in differences(expected[k], got[k], f"{where}.{k}")]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [d for n, (a, b) in enumerate(zip(expected, got)) for d in differences(a, b, f"{where}[{n}]")]
    return [] if expected == got else [f"{where} says {got}, the entries give {expected}"]


def faults(data: dict) -> list[str]:
    """All that is wrong with a plan."""
    serve, bench, wrong = data["serve"], data["bench"], []
    for part, options, known in (("serve", serve, SERVE), ("bench", bench, BENCH),
                                 *((f"sweep[{n}]", p, BENCH) for n, p in enumerate(data["sweep"]))):
        wrong += [f"{part}: {key} is gone in vLLM 0.33.0" for key in options if key in GONE]
        wrong += [f"{part}: {key} is not an option of vLLM 0.33.0" for key in options if key not in known | GONE]
    p = Plan(data)
    rules = {
        "one model everywhere": data["model"]["name"] == serve["model"] == bench["model"],
        "kv_bytes is the width of kv-cache-dtype": data["model"]["kv_bytes"] == WIDTH[serve["kv-cache-dtype"]],
        "a token of the budget for every slot": serve["max-num-batched-tokens"] >= serve["max-num-seqs"],
        "prompt and answer fit max-model-len": p.prompt + p.answer <= p.longest,
        "full slots fit the cache": p.slots * p.request_blocks <= p.blocks,
        "goodput holds slo_ms": bench["goodput"] == [f"{k}:{v}" for k, v in data["slo_ms"].items()],
        "every rate lasts as long": all(n == r * data["seconds"] for r, n in p.points),
        "rates stand on both sides of the ceiling":
            min(r for r, _ in p.points) < p.ceilings()["gpu"] < max(r for r, _ in p.points),
    }
    wrong += [f"not so: {rule}" for rule, holds in rules.items() if not holds]
    return wrong + differences(p.expect(), {key: value for key, value in data["expect"].items() if key not in ("simulated", "refuted_if")})


def follows():
    """Options exist in vLLM 0.33.0, and every figure under expect follows from the entries above it."""
    wrong = faults(plan())
    assert not wrong, "; ".join(wrong)


def independent():
    """Blocks, requests and decode floors are those computed apart from this file."""
    for key, value in KNOWN.items():
        assert computed()["cache"][key] == value, f"{key}: {computed()['cache'][key]}, expected {value}"
    got = {row["batch"]: (round(row["ms"], 2), round(row["tokens_per_s"])) for row in computed()["decode"]}
    assert got == DECODE, got
    p = Plan(plan())
    assert [p.blocks_of(n) for n in (1, 17, 1000, 1152)] == [1, 2, 63, 72]
    assert round(p.weights / (1024 * p.token)) == 120 and round(p.weights / (8192 * p.token)) == 15
    assert p.latency(180, 12) == 1704


@functools.cache
def computed() -> dict:
    """What ceilings.py prints."""
    return json.loads(subprocess.run([sys.executable, "-B", str(SCRIPT), "--json"],
                                     capture_output=True, text=True, check=True).stdout)


def script():
    """ceilings.py reads the numbers that PyYAML reads, and computes from them what the plan expects."""
    got, data, p = computed(), plan(), Plan(plan())
    for part, entries in got["plan"].items():
        whole = {part: data[part]} if part == "seconds" else data[part]
        if isinstance(whole, dict):
            whole = {key: value for key, value in whole.items() if type(value) in (int, float)}
        assert entries == whole, f"{part}: {entries}, PyYAML reads {whole}"
    limits = got["ceilings"]
    rounded = {
        "blocks": got["cache"]["blocks"], "requests": got["cache"]["requests"],
        "request_ms": round(got["request_ms"]["all"], 1),
        "ceiling": round(limits["gpu"], 1), "enough": {key: round(limits[key], 1) for key in ("slots", "cache")},
        "load": [{"request-rate": row["request-rate"], "busy": round(row["busy"], 2),
                  "at_most": round(row["at_most"], 1)} for row in got["load"]],
    }
    wrong = differences(rounded, {key: value for key, value in data["expect"].items() if key not in ("simulated", "refuted_if")})
    assert not wrong, "; ".join(wrong)
    assert limits["stay_s"] == p.e2el / 1e3
    assert abs(got["full_step_ms"] / p.prefill(p.budget_tokens) - 1) < 1e-9 and not got["warnings"]


def edited(old: str, new: str) -> str:
    """What ceilings.py prints for a copy of the plan with one entry changed."""
    text = STARTER.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old}: {text.count(old)} times"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SCRIPT, folder)
        (pathlib.Path(folder) / STARTER.name).write_text(text.replace(old, new), encoding="utf-8")
        return subprocess.run([sys.executable, "-B", f"{folder}/{SCRIPT.name}"],
                              capture_output=True, text=True, check=True).stdout


def variations():
    """The edits that the page suggests change the ceilings that it names, from the published folder alone."""
    for old, new, lines in [
        ("max-num-seqs: 256", "max-num-seqs: 384", ["slots  56.1", "gpu    23.6 requests/s", "27,648 blocks"]),
        ("kv_bytes: 2 ", "kv_bytes: 1 ", ["765 requests", "gpu    25.1 requests/s"]),
        ("attainable: 0.5", "attainable: 0.6", ["gpu    27.6 requests/s"]),
    ]:
        out = edited(old, new)
        assert all(line in out for line in lines), f"{new}: {out}"


@functools.cache
def simulate():
    """simulate.py as a module; it imports ceilings.py from its own folder."""
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        return load(SCRIPT.with_name("simulate.py"))
    finally:
        sys.path.remove(str(SCRIPT.parent))


def simulation():
    """The plan gives what simulate.py prints; a lone request has the plan's times; a faster card keeps the promises."""
    module, data = simulate(), plan()
    read = module.ceilings.read(STARTER)
    rows = {rate: module.summary(read, rate) for rate in [*(rate for rate, _ in Plan(data).points), 21, 23]}
    assert data["expect"]["simulated"] == [
        {"request-rate": rate, "in_flight": round(rows[rate]["in_flight"], 1), "good": round(rows[rate]["good"], 2)}
        for rate, _ in Plan(data).points], rows
    assert rows[21]["good"] >= 0.985 and rows[23]["good"] < 0.7, rows
    refuted = data["expect"]["refuted_if"]  # neither the plan's guesses nor the measured shares are refuted by themselves
    faster = module.summary(module.ceilings.load(STARTER.with_name("h200.json")), 16)
    for row in (rows[16], faster):
        assert refuted["in_flight_below"] < row["in_flight"] < refuted["in_flight_above"] and row["good"] > refuted["good_below"]
    crowded = copy.deepcopy(read)  # slots that are enough for 14.6 requests/s in any case are enough for 20 if answers come soon
    crowded["serve"]["max-num-seqs"] = 100
    assert module.ceilings.ceilings(crowded)["slots"] < 15 and module.summary(crowded, 20)["good"] > 0.99
    assert any("slots" in line for line in module.ceilings.warnings(crowded))
    for row in rows.values():  # Little's law, at rates that the server keeps up with
        gaps = data["bench"]["random-output-len"] - 1
        stay = (row["ttft"]["mean"] + gaps * row["tpot"]["mean"]) / 1e3
        if row["request-rate"] <= 21:
            assert abs(row["in_flight"] / (row["request-rate"] * stay) - 1) < 0.05, row
    (alone,), p = module.run({**read, "seconds": {"seconds": 10}}, 0.1, 0), Plan(data)
    assert abs((alone.first - alone.arrival) * 1e3 / p.prefill(p.prompt) - 1) < 1e-9
    mean = p.decode(1, p.prompt + p.answer / 2)
    assert abs((alone.end - alone.first) * 1e3 / (p.answer - 1) / mean - 1) < 1e-9
    fast = copy.deepcopy(read)
    fast["card"]["attainable"] = 1.0
    assert module.summary(fast, 24)["good"] > 0.99 > 0.2 > rows[24]["good"]
    full = copy.deepcopy(read)  # a cache with room for 8 requests: never more than that run
    full["card"]["bytes"] = round((Plan(data).weights + full["card"]["reserve_bytes"] + 8 * 72 * 2 * 2**20) / 0.92) + 1
    assert module.ceilings.cache(full)["requests"] == 8
    requests = module.run(full, 16, 0)
    ends = [(r.first, 1) for r in requests] + [(r.end, -1) for r in requests]
    running = highest = 0
    for _, change in sorted(ends):
        running += change
        highest = max(highest, running)
    assert highest <= 8 < max(rows[16]["in_flight"], 0), highest


def measured():
    """--measured takes the shares with which the plan's formulas give the stored times; the page has what it then prints."""
    stored = json.loads(STARTER.with_name("h200.json").read_text(encoding="utf-8"))
    module, read = simulate().ceilings, simulate().ceilings.read(STARTER)
    card = module.measured(read, stored)["card"]
    h200 = copy.deepcopy(read)  # the card that was measured, with the shares that were found on it
    h200["card"] |= {"bytes_per_s": 4.8e12, "attainable": card["attainable"], "readable": card["readable"]}
    for batch, entry in stored["decode"].items():
        ratio = module.decode(h200, int(batch)) * 1e3 / entry["median_ms"]
        assert abs(ratio - 1) < (1e-9 if batch == "256" else 0.1), f"a decode step of {batch}: {ratio}"
    prompt = Plan(h200).prefill(1024) / stored["prompts"]["1024"]["median_ms"]
    assert abs(prompt - 1) < 1e-9 and {**card, "attainable": 0.5, "readable": 1.0} == read["card"], card
    kept, lost = (simulate().summary(module.measured(read, stored), rate) for rate in (29, 30))
    assert kept["good"] >= 0.985 and lost["good"] < 0.95 and lost["tpot_good"] < lost["ttft_good"], (kept, lost)


def flips():
    """Two inputs, changed by 5 %, take 20 requests per second below 99 % of the users; the other changes do not."""
    module = simulate()
    shares = {row["changed"].split()[0]: row["good"] for row in module.vary(module.ceilings.read(STARTER), 20)}
    lost = {key for key, good in shares.items() if good < 0.99}
    assert lost == {"attainable", "random-input-len"} and len(shares) == 1 + len(module.VARIED), shares


def same_ledger():
    """Parameters and bytes a token are those of the memory script of lab 01."""
    import lab_01
    ledger, p = lab_01.ledger("llama-3-8b"), Plan(plan())
    assert (ledger["params"]["total"], ledger["weights_bf16"], ledger["kv_per_token"]) == (p.params, p.weights, p.token)
    assert ledger["kv_if_query_heads"] == p.query_heads * ledger["kv"]


def mutants():
    """Stale flags, unknown ones, unfit sizes and forgotten results are each found."""
    def change(path, value):
        data = copy.deepcopy(plan())
        *folder, last = path
        target = data
        for step in folder:
            target = target[step]
        target[last] = value
        return faults(data)
    for path, value, message in [
        (("serve", "swap-space"), 4, "gone"),
        (("bench", "endpoint-type"), "openai", "gone"),
        (("serve", "max-batch"), 8, "not an option"),
        (("sweep", 0, "rate"), 4, "not an option"),
        (("model", "kv_heads"), 32, "expect.blocks"),
        (("serve", "kv-cache-dtype"), "fp8", "kv_bytes"),
        (("serve", "max-num-seqs"), 384, "full slots"),
        (("serve", "max-num-seqs"), 4096, "for every slot"),
        (("serve", "max-model-len"), 1024, "prompt and answer"),
        (("slo_ms", "tpot"), 40, "goodput"),
        (("sweep", 4, "num-prompts"), 1000, "every rate"),
        (("card", "attainable"), 0.6, "request_ms"),
        (("card", "attainable"), 0.9, "both sides"),
        (("expect", "load", 3, "busy"), 1.0, "load[3].busy"),
    ]:
        found = change(path, value)
        assert any(message in fault for fault in found), f"{path} = {value} went unnoticed: {found}"


def clean():
    """yamllint finds nothing, line length and indentation included."""
    out = subprocess.run([tool("yamllint"), "-s", "-f", "parsable", str(STARTER)], capture_output=True, text=True)
    assert out.returncode == 0, out.stdout
    assert max(map(len, STARTER.read_text(encoding="utf-8").splitlines())) <= 80


def pages_flags():
    """Options named on the pages and in the README exist, and removed ones are called gone."""
    page = (CONTENT / LAB).read_text(encoding="utf-8")
    for text in (page, (CONTENT / SECTION).read_text(encoding="utf-8"),
                 (STARTER.parent / "README.md").read_text(encoding="utf-8")):
        for paragraph in text.split("\n\n"):
            for flag in re.findall(r"(?<![\w-])--([a-z][a-z-]+)", paragraph):
                known = flag.removeprefix("no-") in FLAGS | {"config", "json", "rates", "budget", "measured", "vary"}
                assert known or flag in GONE and "gone" in paragraph, f"--{flag}"


def waiting():
    """The section's waiting time is that of a simulated queue with one server and a fixed service time."""
    import random
    for load in (0.5, 0.9):
        draw, now, free, waited, n = random.Random(1), 0.0, 0.0, 0.0, 200_000
        for _ in range(n):
            now += draw.expovariate(load)
            waited += max(0.0, free - now)
            free = max(free, now) + 1.0
        got, expected = waited / n, queue(load, 1.0)
        assert abs(got - expected) < 0.05 * expected, f"load {load}: {got}, expected {expected}"


def queue(rate: float, service: float) -> float:
    """Mean wait before a server that takes a fixed time, for Poisson arrivals."""
    load = rate * service
    return load / (1 - load) * service / 2


CHECKS = [follows, independent, script, variations, simulation, measured, flips, same_ledger, mutants, clean, pages_flags, waiting]
