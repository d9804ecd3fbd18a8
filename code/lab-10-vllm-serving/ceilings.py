"""Computes what a load test should show from the entries of its plan, benchmark_config.yaml.

    python3 ceilings.py [--json]

Times are bounds or estimates: bytes divided by the card's bandwidth, or operations divided by an assumed rate.
"""
import argparse
import json
import pathlib
import re

PLAN = pathlib.Path(__file__).with_name("benchmark_config.yaml")
NUMBER = re.compile(r"([\w-]+): *(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?=[,}]|$)")
BATCHES = [1, 8, 32, 64, 128, 256]


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
    """Returns the seconds in which that many prompt tokens are computed at a share of the peak rate."""
    return 2 * plan["model"]["parameters"] * tokens / (share * plan["card"]["flop_per_s"])


def decode(plan: dict, batch: int) -> float:
    """Returns the seconds in which one decode step reads the weights and the cache of every sequence."""
    held = cache(plan)
    read_bytes = held["weights"] + batch * plan["bench"]["random-input-len"] * held["token"]
    return read_bytes / plan["card"]["bytes_per_s"]


def ceilings(plan: dict) -> dict:
    """Computes the requests per second that each resource allows, as if the others were absent."""
    bench, promise, held = plan["bench"], plan["slo_ms"], cache(plan)
    gaps = bench["random-output-len"] - 1
    stay = (promise["ttft"] + gaps * promise["tpot"]) / 1e3
    slots = plan["serve"]["max-num-seqs"]
    batch = min(slots, held["requests"])
    each = {
        "prefill": 1 / prefill(plan, bench["random-input-len"], plan["card"]["attainable"]),
        "decode": batch / (gaps * decode(plan, batch)),
        "slots": slots / stay,
        "cache": held["requests"] / stay,
    }
    return {"stay_s": stay, **each, "lowest": min(each.values())}


def expected(plan: dict) -> dict:
    """Returns the entries of the plan and everything that follows from them."""
    share, tokens = plan["card"]["attainable"], plan["bench"]["random-input-len"]
    prompt, limits = prefill(plan, tokens, share), ceilings(plan)
    return {
        "plan": plan,
        "cache": cache(plan),
        "prefill_ms": {"peak": prefill(plan, tokens, 1) * 1e3, "attainable": prompt * 1e3},
        "full_step_ms": prefill(plan, plan["serve"]["max-num-batched-tokens"], share) * 1e3,
        "decode": [{"batch": batch, "ms": decode(plan, batch) * 1e3, "tokens_per_s": batch / decode(plan, batch)}
                   for batch in BATCHES],
        "ceilings": limits,
        "load": [{"request-rate": point["request-rate"], "prefill": point["request-rate"] * prompt,
                  "in_flight": point["request-rate"] * limits["stay_s"]} for point in plan["sweep"]],
    }


def show(result: dict) -> None:
    """Prints the results for people, rounded as the plan rounds them."""
    held, limits = result["cache"], result["ceilings"]
    print(f"cache      {held['budget'] / 1e9:.2f} GB, {held['blocks']:,} blocks, {held['requests']} requests")
    print(f"prefill    {result['prefill_ms']['attainable']:.1f} ms per prompt, {result['full_step_ms']:.1f} ms per "
          "full step")
    for row in result["decode"]:
        print(f"decode     batch {row['batch']:3}: {row['ms']:5.2f} ms per step, {row['tokens_per_s']:6,.0f} tokens/s")
    for name in ("prefill", "decode", "slots", "cache"):
        lowest = "  <- lowest" if limits[name] == limits["lowest"] else ""
        print(f"ceiling    {name:7} {limits[name]:6.1f} requests/s{lowest}")
    for row in result["load"]:
        print(f"load       {row['request-rate']:2} requests/s: prefill {row['prefill']:.2f}, "
              f"{row['in_flight']:.1f} in flight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the unrounded results as JSON")
    result = expected(read(PLAN))
    if parser.parse_args().json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    main()
