"""Computes what a load test should show from the entries of its plan, benchmark_config.yaml.

    python3 ceilings.py [--measured h200.json] [--json]

Times are estimates: bytes divided by the card's bandwidth, or operations divided by an assumed rate.
With --measured, the two guesses of the plan are replaced by what measure.py found, on this card or a similar one.
"""
import argparse
import json
import pathlib
import re

PLAN = pathlib.Path(__file__).with_name("benchmark_config.yaml")
NUMBER = re.compile(r"([\w-]+): *(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?=[,}]|$)")
BATCHES = [1, 8, 32, 64, 128, 256]
BANDWIDTHS = {"NVIDIA H200": 4.8e12}  # of cards other than the plan's, by their data sheets


def read(path: pathlib.Path) -> dict:
    """Reads the numbers of the plan above `expect`: those of each part by name, and the sweep as a list."""
    plan, part = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0].rstrip()
        if line.startswith("expect:"):
            break
        if line and line[0] not in " -":
            part = line.partition(":")[0]
        numbers = {key: float(text) if "." in text or "e" in text else int(text) for key, text in NUMBER.findall(line)}
        if line.startswith("  - "):
            plan.setdefault(part, []).append(numbers)
        elif numbers:
            plan.setdefault(part, {}).update(numbers)
    return plan


def cache(plan: dict) -> dict:
    """Computes how many requests the memory that is left for the cache can hold."""
    model, card, serve, bench = plan["model"], plan["card"], plan["serve"], plan["bench"]
    weights = model["parameters"] * model["weight_bytes"]
    budget = round(card["bytes"] * serve["gpu-memory-utilization"]) - weights - card["reserve_bytes"]
    token = 2 * model["layers"] * model["kv_heads"] * model["head_dim"] * model["kv_bytes"]
    block = serve["block-size"] * token
    blocks = budget // block
    request_blocks = blocks_of(plan, bench["random-input-len"] + bench["random-output-len"])
    return {
        "weights": weights, "budget": budget, "token": token, "block": block, "blocks": blocks,
        "tokens": blocks * serve["block-size"], "request_blocks": request_blocks,
        "requests": blocks // request_blocks,
        "longest_requests": blocks // blocks_of(plan, serve["max-model-len"]),
    }


def blocks_of(plan: dict, tokens: int) -> int:
    """Returns how many cache blocks a sequence of that many tokens takes."""
    return -(-tokens // plan["serve"]["block-size"])


def prefill(plan: dict, tokens: int, share: float) -> float:
    """Returns the seconds in which that many tokens are computed at a share of the peak rate."""
    return 2 * plan["model"]["parameters"] * tokens / (share * plan["card"]["flop_per_s"])


def bandwidth(plan: dict) -> float:
    """Returns the bytes per second that are read at the assumed share of the card's bandwidth."""
    return plan["card"]["bytes_per_s"] * plan["card"]["readable"]


def decode(plan: dict, batch: int) -> float:
    """Returns the seconds in which one decode step reads the weights and the cache of every sequence."""
    held = cache(plan)
    read_bytes = held["weights"] + batch * plan["bench"]["random-input-len"] * held["token"]
    return read_bytes / bandwidth(plan)


# ANCHOR: request
def request(plan: dict) -> dict:
    """Computes the seconds of the GPU's time that one request takes, in a full server."""
    bench, share = plan["bench"], plan["card"]["attainable"]
    prompt, steps = bench["random-input-len"], bench["random-output-len"] - 1
    own_cache = prompt * cache(plan)["token"]  # bytes, read again in each step
    return {
        "prefill": prefill(plan, prompt, share),
        "decode": prefill(plan, steps, share),  # the same products, per token
        "reading": steps * own_cache / bandwidth(plan),
    }
# ANCHOR_END: request


# ANCHOR: ceilings
def ceilings(plan: dict) -> dict:
    """Computes the rate that fills the GPU's time, and those for which slots and cache are enough in any case."""
    bench, promise = plan["bench"], plan["slo_ms"]
    stay = (promise["ttft"] + (bench["random-output-len"] - 1) * promise["tpot"]) / 1e3
    return {
        "stay_s": stay,
        "gpu": 1 / sum(request(plan).values()),
        "slots": plan["serve"]["max-num-seqs"] / stay,
        "cache": cache(plan)["requests"] / stay,
    }
# ANCHOR_END: ceilings


def measured(plan: dict, found: dict) -> dict:
    """Returns the plan with the shares by which its own formulas give the times that measure.py found."""
    prompt, batch = plan["bench"]["random-input-len"], plan["serve"]["max-num-seqs"]
    peak = BANDWIDTHS.get(found["device"], plan["card"]["bytes_per_s"])
    best = {**plan, "card": {**plan["card"], "bytes_per_s": peak, "readable": 1}}
    shares = {
        "attainable": prefill(best, prompt, 1) * 1e3 / found["prompts"][str(prompt)]["median_ms"],
        "readable": decode(best, batch) * 1e3 / found["decode"][str(batch)]["median_ms"],
    }
    return {**plan, "card": {**plan["card"], **shares}}


def load(path: pathlib.Path | None) -> dict:
    """Reads the plan, and replaces its guesses if there is a file with measurements."""
    plan = read(PLAN)
    return measured(plan, json.loads(path.read_text(encoding="utf-8"))) if path else plan


def warnings(plan: dict) -> list[str]:
    """Returns what the plan's own entries say against it."""
    held, slots, found = cache(plan), plan["serve"]["max-num-seqs"], []
    if slots * held["request_blocks"] > held["blocks"]:
        found.append(f"{slots} requests at full length need {slots * held['request_blocks']:,} blocks, and there are "
                     f"{held['blocks']:,}: preemptions")
    limits, rates = ceilings(plan), [point["request-rate"] for point in plan["sweep"]]
    found += [f"{name} may be the limit before the GPU's time: simulate"
              for name in ("slots", "cache") if limits[name] < limits["gpu"]]
    if not min(rates) < limits["gpu"] < max(rates):
        found.append("the sweep has no rate on one side of the ceiling")
    return found


def expected(plan: dict) -> dict:
    """Returns the entries of the plan and everything that follows from them."""
    share, tokens = plan["card"]["attainable"], plan["bench"]["random-input-len"]
    limits, parts = ceilings(plan), request(plan)
    return {
        "plan": plan,
        "cache": cache(plan),
        "prefill_ms": {"peak": prefill(plan, tokens, 1) * 1e3, "attainable": parts["prefill"] * 1e3},
        "request_ms": {**{name: seconds * 1e3 for name, seconds in parts.items()}, "all": sum(parts.values()) * 1e3},
        "full_step_ms": prefill(plan, plan["serve"]["max-num-batched-tokens"], share) * 1e3,
        "decode": [{"batch": batch, "ms": decode(plan, batch) * 1e3, "tokens_per_s": batch / decode(plan, batch)}
                   for batch in BATCHES],
        "ceilings": limits,
        "load": [{"request-rate": point["request-rate"], "busy": point["request-rate"] * sum(parts.values()),
                  "at_most": point["request-rate"] * limits["stay_s"]} for point in plan["sweep"]],
        "warnings": warnings(plan),
    }


def show(result: dict) -> None:
    """Prints the results for people, rounded as the plan rounds them."""
    held, limits, parts = result["cache"], result["ceilings"], result["request_ms"]
    print(f"cache    {held['budget'] / 1e9:.2f} GB, {held['blocks']:,} blocks, {held['requests']} requests")
    print(f"request  {parts['prefill']:.1f} ms prefill + {parts['decode']:.1f} ms decode + {parts['reading']:.1f} ms "
          f"reading its cache = {parts['all']:.1f} ms")
    print(f"step     {result['full_step_ms']:.1f} ms if full of prompts")
    for row in result["decode"]:
        print(f"decode   batch {row['batch']:3}: {row['ms']:5.2f} ms per step, {row['tokens_per_s']:6,.0f} tokens/s")
    print(f"ceiling  gpu   {limits['gpu']:5.1f} requests/s")
    for name in ("slots", "cache"):
        print(f"enough   {name} {limits[name]:5.1f} requests/s, even if each stays {limits['stay_s']:.2f} s")
    for row in result["load"]:
        print(f"load     {row['request-rate']:2} requests/s: GPU busy {row['busy']:.2f}, "
              f"at most {row['at_most']:.1f} in flight while the promises hold")
    for line in result["warnings"]:
        print(f"warning  {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--measured", type=pathlib.Path, metavar="FILE", help="what measure.py printed")
    parser.add_argument("--json", action="store_true", help="print the unrounded results as JSON")
    args = parser.parse_args()
    result = expected(load(args.measured))
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    main()
