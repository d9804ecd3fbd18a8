"""Lab 10: benchmark_config.yaml, its options, and the figures that follow from its entries."""
import copy
import functools
import json
import re
import subprocess

from course import CODE, CONTENT, given, python, tool

STARTER = CODE / "lab-10-vllm-serving" / "benchmark_config.yaml"
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
TABLE = 128_256 * 4_096 * 2  # bytes of Llama-3-8B's embedding, of which a step reads a row a sequence
WIDTH = {"auto": 2, "bfloat16": 2, "fp8": 1}  # bytes of a cached value, for a model in bfloat16

# What the facts of this lab state, computed apart from this file.
KNOWN = {
    "block": 2 * 2**20, "blocks": 25_388, "tokens": 406_208, "requests": 352, "request_blocks": 72,
    "if_query_heads": 25_388 // 4,
}
DECODE = {1: (4.83, 207), 8: (5.11, 1564), 32: (6.08, 5266), 64: (7.36, 8698), 128: (9.92, 12_900),
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
        self.bandwidth, self.flops = card["bytes_per_s"], card["flop_per_s"] * card["attainable"]
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

    def ceilings(self) -> dict:
        return {"prefill": 1e3 / self.prefill(self.prompt), "slots": self.slots / self.e2el * 1e3,
                "cache": self.requests / self.e2el * 1e3}

    def expect(self, batches, stall) -> dict:
        """What the starter should say under `expect`, rounded as it rounds."""
        gaps = [stall["gap_ms"]] * stall["gaps"] + [stall["longest_ms"]]
        return {
            "cache": {
                "weights": self.weights, "budget": self.budget, "token": self.token, "block": self.block,
                "blocks": self.blocks, "tokens": self.blocks * self.block_tokens,
                "request_blocks": self.request_blocks, "requests": self.requests,
                "longest_requests": self.blocks // self.blocks_of(self.longest),
                "if_query_heads": self.budget // (self.block * self.query_heads),
            },
            "prefill_ms": {"peak": round(self.prefill(self.prompt, self.peak), 1),
                           "attainable": round(self.prefill(self.prompt), 1)},
            "full_step_ms": round(self.prefill(self.budget_tokens), 1),
            "decode": [{"batch": b, "ms": round(self.decode(b), 2),
                        "tokens_per_s": round(b / self.decode(b) * 1e3)} for b in batches],
            "e2el_ms": self.e2el,
            "ceilings": {k: round(v, 1) for k, v in self.ceilings().items()},
            "load": [{"request-rate": r, "prefill": round(self.share(r), 2),
                      "in_flight": round(self.in_flight(r), 1)} for r, _ in self.points],
            "stall": {**{k: stall[k] for k in ("gaps", "gap_ms", "longest_ms")},
                      "tpot_ms": round(sum(gaps) / len(gaps), 2), "itl_p99_ms": percentile(gaps, 99),
                      "itl_p100_ms": percentile(gaps, 100)},
        }


def percentile(values, p: float) -> float:
    """As numpy does it: linear between the two nearest ranks."""
    values, place = sorted(values), p / 100 * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


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
        wrong += [f"{part}: {key} is no option of vLLM 0.33.0" for key in options if key not in known | GONE]
    p = Plan(data)
    rules = {
        "one model everywhere": data["model"]["name"] == serve["model"] == bench["model"],
        "kv_bytes is the width of kv-cache-dtype": data["model"]["kv_bytes"] == WIDTH[serve["kv-cache-dtype"]],
        "a token of the budget for every slot": serve["max-num-batched-tokens"] >= serve["max-num-seqs"],
        "prompt and answer fit max-model-len": p.prompt + p.answer <= p.longest,
        "full slots fit the cache": p.slots * p.request_blocks <= p.blocks,
        "goodput holds slo_ms": bench["goodput"] == [f"{k}:{v}" for k, v in data["slo_ms"].items()],
        "every rate lasts as long": all(n == r * data["seconds"] for r, n in p.points),
        "rates stand on both sides of the lowest ceiling":
            min(r for r, _ in p.points) < min(p.ceilings().values()) < max(r for r, _ in p.points),
    }
    wrong += [f"not so: {rule}" for rule, holds in rules.items() if not holds]
    batches = [row["batch"] for row in data["expect"]["decode"]]
    return wrong + differences(p.expect(batches, data["expect"]["stall"]), data["expect"])


def follows():
    """Options exist in vLLM 0.33.0, and every figure under expect follows from the entries above it."""
    wrong = faults(plan())
    assert not wrong, "; ".join(wrong)


def independent():
    """Blocks, requests and decode floors are those computed apart from this file."""
    expect = plan()["expect"]
    for key, value in KNOWN.items():
        assert expect["cache"][key] == value, f"{key}: {expect['cache'][key]}, expected {value}"
    got = {row["batch"]: (row["ms"], row["tokens_per_s"]) for row in expect["decode"]}
    assert got == DECODE, got
    p = Plan(plan())
    assert [p.blocks_of(n) for n in (1, 17, 1000, 1152)] == [1, 2, 63, 72]
    assert round(p.weights / (1024 * p.token)) == 120 and round(p.weights / (8192 * p.token)) == 15
    assert p.latency(180, 12) == 1704


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
        (("serve", "max-batch"), 8, "no option"),
        (("sweep", 0, "rate"), 4, "no option"),
        (("model", "kv_heads"), 32, "expect.cache.blocks"),
        (("serve", "kv-cache-dtype"), "fp8", "kv_bytes"),
        (("serve", "max-num-seqs"), 384, "full slots"),
        (("serve", "max-num-seqs"), 4096, "for every slot"),
        (("serve", "max-model-len"), 1024, "prompt and answer"),
        (("serve", "max-num-batched-tokens"), 8192, "full_step_ms says 66.5, the entries give 266.0"),
        (("slo_ms", "tpot"), 40, "goodput"),
        (("sweep", 4, "num-prompts"), 1000, "every rate"),
        (("card", "attainable"), 0.6, "both sides"),
        (("expect", "stall", "itl_p99_ms"), 400, "itl_p99_ms"),
        (("expect", "decode", 3, "ms"), 7.3, "decode[3].ms"),
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
    for text in ((CONTENT / LAB).read_text(encoding="utf-8"), (CONTENT / SECTION).read_text(encoding="utf-8"),
                 (STARTER.parent / "README.md").read_text(encoding="utf-8")):
        for paragraph in text.split("\n\n"):
            for flag in re.findall(r"(?<![\w-])--([a-z][a-z-]+)", paragraph):
                known = flag.removeprefix("no-") in FLAGS | {"config"}
                assert known or flag in GONE and "gone" in paragraph, f"--{flag}"


def another(**changes) -> Plan:
    """The plan with other inputs, given as part__entry."""
    data = plan()
    for name, value in changes.items():
        part, entry = name.split("__")
        data[part][entry.replace("_", "-") if part in ("serve", "bench") else entry] = value
    return Plan(data)


def own_decode(p: Plan) -> tuple[float, float]:
    """Seconds that a request's decode steps read of its own cache, and compute, weights not counted."""
    steps = p.answer - 1
    return steps * p.prompt * p.token / p.bandwidth, steps * p.prefill(1) / 1e3


def extra():
    """What the lab page says without a unit follows from the plan too."""
    p = Plan(plan())
    assert another(card__attainable=0.6).ceilings()["prefill"] > max(r for r, _ in p.points)
    quick = {k: round(v / p.latency(180, 12) * 1e3) for k, v in (("slots", p.slots), ("cache", p.requests))}
    assert quick == {"slots": 150, "cache": 207}, quick
    assert int(500 / p.prefill(p.prompt)) == 15 and p.slots * p.request_blocks == 18_432
    context = 2 * p.params / p.peak * p.bandwidth / p.token  # where a sequence's reading equals its arithmetic
    assert round(context) == 415, context
    assert p.blocks // p.blocks_of(8192) == 49 and p.blocks_of(p.longest) == 128
    assert (p.prompt - 1) // p.block_tokens * p.block_tokens == p.prompt - 16, "cached blocks of a repeated prompt"
    point = round(0.01 * 80e9) / p.block
    assert (int(point), int(point / p.request_blocks)) == (381, 5)
    assert round(p.decode(256) / p.decode(1)) == 3 and round(256 * p.decode(1) / p.decode(256)) == 82
    assert p.budget // (4 * p.block) // p.request_blocks == 88 and plan()["seconds"] / (p.e2el / 1e3) > 17
    text = (CONTENT / LAB).read_text(encoding="utf-8")
    assert f"`--max-num-queued-tokens {int(0.5 * p.flops / (2 * p.params))}`" in text
    fp8 = another(model__kv_bytes=1)
    assert (fp8.blocks * 16, fp8.requests, round(fp8.decode(256), 2)) == (812_432, 705, 9.92)


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


def lab_page():
    p = Plan(plan())
    ceil, e2el, ms = p.ceilings(), p.e2el / 1e3, 1e-3
    wide, big = another(serve__max_num_batched_tokens=8192), another(serve__max_num_seqs=384)
    small, fp8 = another(card__bytes=40e9), another(model__kv_bytes=1)
    heads = another(model__kv_heads=32)
    read, compute = own_decode(p)
    total = p.prefill(p.prompt) * ms + read + compute
    rows = {}
    for batch in (1, 32, 128, 256):  # the rows of the page's table
        step, rate = DECODE[batch]
        cache = p.decode(batch) - p.decode(0)
        rows |= {f"{step:.2f}": p.decode(batch), f"{cache:.2f}": cache}
        if rate >= 1000:
            rows[f"{rate:,}"] = batch / p.decode(batch) / ms
    return rows | {
        "1,152": p.prompt + p.answer, "8,030,261,248": p.params, "131,072": p.token, "1,024": p.prompt,
        "3.35 TB/s": p.bandwidth, "494.7 TFLOP/s": p.flops, "512 KiB": heads.token, "80 GB": plan()["card"]["bytes"],
        "30.1": ceil["prefill"], "0.6": given("another guess"),
        "36.1": another(card__attainable=0.6).ceilings()["prefill"],
        "4 GiB": plan()["card"]["reserve_bytes"], "53.24 GB": p.budget, "2 MiB": p.block,
        "8,192": wide.budget_tokens, "85.9 %": 1 - 1152 / 8192, "14.1 %": 1152 / 8192,
        "18,432": p.slots * p.request_blocks, "25,388": p.blocks, "25,387": p.blocks - 1,
        "266 ms": wide.prefill(8192) * ms, "266.0": wide.prefill(8192), "66.5": p.prefill(2048),
        "18.5 TFLOP": 2 * p.params * 1151, "16.4": 2 * p.params * 1024 / 1e12, "2.1": 2 * p.params * 128 / 1e12,
        "3 ms": plan()["expect"]["stall"]["tpot_ms"] * ms - 10 * ms, "0.8 %": 1 / 127,
        "6.85 s": e2el, "1,000": given("the client's default; tokens of an example"), "31 s": 1000 / 32,
        "13 %": p.share(4), "0.92": plan()["serve"]["gpu-memory-utilization"], "73.60 GB": 0.92 * 80e9,
        "4.29 GB": plan()["card"]["reserve_bytes"], "0.8 GB": 0.01 * 80e9, "16.06 GB": p.weights,
        "1.05 GB": TABLE, "4.52": p.decode(1) - TABLE / p.bandwidth * 1e3, "4.79": p.decode(0), "134 MB": p.prompt * p.token, "1.07 GB": 8192 * p.token,
        "33.2 ms": p.prefill(p.prompt) * ms, "1.06 s": p.share(32),
        "2,097,152 bytes": p.block, "1,704 ms": p.latency(180, 12) * ms,
        "40.1 µs": p.prompt * p.token / p.bandwidth, "16.2 µs": 2 * p.params / p.peak,
        "27,648": big.slots * big.request_blocks, "2,260": big.slots * big.request_blocks - big.blocks,
        "56.1": big.ceilings()["slots"], "812,432": fp8.blocks * 16, "9.92 ms": fp8.decode(256) * ms,
        "66.6 %": p.budget / 80e9, "40 GB": given("a card"), "41.1": small.budget / 40e9 * 100,
        "6,347": heads.blocks, "137 GB": 256 * p.prompt * heads.token, "45.8 ms": heads.decode(256) * ms,
        "40.9": 24 * p.latency(180, 12) / 1e3, "11.6 %": 24 * p.latency(180, 12) / 1e3 * 72 / p.blocks,
        "14,400": 200 * p.request_blocks, "5.1 ms": read, "4.1 ms": compute, "42.5 ms": total, "23.6": 1 / total,
        "500 ms": plan()["slo_ms"]["ttft"] * ms, "50 ms": plan()["slo_ms"]["tpot"] * ms, "6,850": p.e2el,
        "180 ms": given("a measurement, assumed"), "12 ms": given("a measurement, assumed"),
    }


def section_page():
    p = Plan(plan())
    d, stay, prompt = 8192, p.latency(180, 12) / 1e3, p.prefill(p.prompt) / 1e3
    flops = 20 * 1024 * 2 * p.params
    return {
        "1.0 FLOP/B": 1 / (1 + 2 / d), "8,192": d, "2,731": d / 3, "1,024": p.prompt,
        "1.704 s": stay, "3.35 TB/s": p.bandwidth, "1.704": stay, "34.1": 20 * stay, "1,152": p.prompt + p.answer, "128 KiB": p.token,
        "5.15 GB": 20 * stay * 1152 * p.token, "16.06 GB": p.weights,
        "6.24 ms": p.decode(20 * stay, p.prompt + p.answer / 2) / 1e3, "8.03": p.params / 1e9,
        "329 TFLOP/s": flops, "33 %": flops / p.peak, "33.2": prompt * 1e3, "33.0 ms": queue(20, prompt),
        "4.5": queue(0.9, 1), "66 ms": queue(20, prompt) + prompt, "179 ms": queue(27, prompt) + prompt, "257 ms": queue(28, prompt) + prompt, "30.1": 1 / prompt,
        "80 GB": plan()["card"]["bytes"], "180 ms": given("a promise"), "12 ms": given("a promise"),
    }


PAGES = {LAB: lab_page, SECTION: section_page}
CHECKS = [follows, independent, same_ledger, mutants, clean, pages_flags, extra, waiting]
