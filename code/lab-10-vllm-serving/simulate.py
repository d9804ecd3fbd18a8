"""Simulates the server of benchmark_config.yaml, step by step, with the costs that ceilings.py assumes.

    python3 simulate.py [--rates 20 21 22] [--budget 256] [--measured h200.json] [--vary] [--json]

Requests arrive at random. A step gives one token to every running answer and fills the rest of its token budget with
parts of prompts, in the order of arrival. A request joins when a slot is free and the cache has blocks for its full
length. A step takes as long as its arithmetic or reading the weights, whichever is longer, and then reads the caches.
"""
import argparse
import json
import pathlib
import random
import statistics

import ceilings

SEEDS = range(5)  # near the ceiling, runs of two minutes differ much
RATES = [4, 8, 16, 20, 21, 22, 23, 24, 32]

VARIED = [("card", "attainable", 0.95), ("bench", "random-input-len", 1.05), ("card", "readable", 0.8),
          ("serve", "max-num-seqs", 0.4), ("slo_ms", "ttft", 0.7), ("slo_ms", "tpot", 0.8)]


def step_seconds(plan: dict, tokens: int, context: int) -> float:
    """Returns the time of a step that computes `tokens` and reads a cache of `context` tokens."""
    bandwidth, held = ceilings.bandwidth(plan), ceilings.cache(plan)
    products = ceilings.prefill(plan, tokens, plan["card"]["attainable"])
    return max(products, held["weights"] / bandwidth) + context * held["token"] / bandwidth


class Request:
    def __init__(self, arrival: float, prompt: int):
        self.arrival, self.prompt_left, self.made, self.first, self.end = arrival, prompt, 0, 0.0, 0.0


def run(plan: dict, rate: float, seed: int) -> list[Request]:
    """Simulates one rate and returns its requests; `first` and `end` are the times of the first and the last token."""
    bench, serve, held, draw = plan["bench"], plan["serve"], ceilings.cache(plan), random.Random(seed)
    prompt, answer = bench["random-input-len"], bench["random-output-len"]
    most = min(serve["max-num-seqs"], held["requests"])
    # a step's time is linear in the cache that it reads
    per_token = step_seconds(plan, 0, 1) - step_seconds(plan, 0, 0)
    base = [step_seconds(plan, n, 0) for n in range(serve["max-num-batched-tokens"] + 1)]
    now, requests = 0.0, []
    for _ in range(round(rate * plan["seconds"]["seconds"])):
        now += draw.expovariate(rate)
        requests.append(Request(now, prompt))
    now, arrived, decoding, prefilling = 0.0, 0, [], []
    while arrived < len(requests) or decoding or prefilling:
        if not decoding and not prefilling:
            now = max(now, requests[arrived].arrival)
        left = serve["max-num-batched-tokens"] - len(decoding)  # one token for each running answer
        for request in prefilling:
            part = min(left, request.prompt_left)
            left, request.prompt_left = left - part, request.prompt_left - part
        while (left > 0 and arrived < len(requests) and requests[arrived].arrival <= now
               and len(decoding) + len(prefilling) < most):
            request = requests[arrived]
            part = min(left, prompt)
            left, request.prompt_left = left - part, prompt - part
            prefilling.append(request)
            arrived += 1
        context = sum(prompt + request.made for request in decoding)
        now += base[serve["max-num-batched-tokens"] - left] + context * per_token
        finished_prompts = [request for request in prefilling if not request.prompt_left]
        prefilling = [request for request in prefilling if request.prompt_left]
        for request in decoding:
            request.made += 1
        for request in finished_prompts:  # the step of a prompt's last part makes the first token
            request.first, request.made = now, 1
        for request in decoding + finished_prompts:
            if request.made == answer:
                request.end = now
        decoding = [request for request in decoding + finished_prompts if request.made < answer]
    return requests


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def summary(plan: dict, rate: float) -> dict:
    """Runs every seed at one rate and returns latencies, the mean number in flight, and the share that met the SLO."""
    gaps, slo, found = plan["bench"]["random-output-len"] - 1, plan["slo_ms"], []
    in_flight = []
    for seed in SEEDS:
        requests = run(plan, rate, seed)
        until = requests[-1].arrival  # later the server only drains
        in_flight.append(sum(min(r.end, until) - r.arrival for r in requests) / until)
        found += [((r.first - r.arrival) * 1e3, (r.end - r.first) / gaps * 1e3) for r in requests]
    ttft, tpot = zip(*found)
    return {
        "request-rate": rate, "in_flight": statistics.mean(in_flight),
        "ttft": {"mean": statistics.mean(ttft), "p99": percentile(ttft, 0.99)},
        "tpot": {"mean": statistics.mean(tpot), "p99": percentile(tpot, 0.99)},
        "ttft_good": sum(a <= slo["ttft"] for a in ttft) / len(found),
        "tpot_good": sum(b <= slo["tpot"] for b in tpot) / len(found),
        "good": sum(a <= slo["ttft"] and b <= slo["tpot"] for a, b in found) / len(found),
    }


def vary(plan: dict, rate: float) -> list[dict]:
    """Returns the share that meets the SLO at one rate, with nothing changed and with one entry of the plan scaled."""
    rows = [{"changed": "nothing", "good": summary(plan, rate)["good"]}]
    for part, key, factor in VARIED:
        value = plan[part][key] * factor
        changed = round(value) if isinstance(plan[part][key], int) else value
        other = {**plan, part: {**plan[part], key: changed}}
        rows.append({"changed": f"{key} {changed:g}", "good": summary(other, rate)["good"]})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rates", type=float, nargs="+", default=RATES, help="requests per second")
    parser.add_argument("--budget", type=int, help="tokens of a step, instead of the plan's")
    parser.add_argument("--measured", type=pathlib.Path, metavar="FILE", help="what measure.py printed")
    parser.add_argument("--vary", action="store_true", help="change one entry of the plan at a time, at 20 per second")
    parser.add_argument("--json", action="store_true", help="print the unrounded results as JSON")
    args = parser.parse_args()
    plan = ceilings.load(args.measured)
    if args.budget:
        plan["serve"]["max-num-batched-tokens"] = args.budget
    if args.vary:
        varied = vary(plan, 20)
        if args.json:
            print(json.dumps(varied, indent=2))
            return
        print("changed                meet both at 20/s")
        for row in varied:
            print(f"{row['changed']:22}{row['good']:10.1%}")
        return
    rows = [summary(plan, rate) for rate in args.rates]
    if args.json:
        print(json.dumps({"budget": plan["serve"]["max-num-batched-tokens"], "rates": rows}, indent=2))
        return
    print("rate  in flight   TTFT mean    p99   TPOT mean    p99   meet both")
    for row in rows:
        print(f"{row['request-rate']:4g}{row['in_flight']:11.1f}{row['ttft']['mean']:9.0f} ms{row['ttft']['p99']:7.0f}"
              f"{row['tpot']['mean']:9.1f} ms{row['tpot']['p99']:7.1f}{row['good']:12.0%}")


if __name__ == "__main__":
    main()
