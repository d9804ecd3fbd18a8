"""Lab 10: the drawings of the section and of the lab are to scale, with what the simulator computes.

    python3 tests/course/lab_10_drawings.py       prints both, to be pasted
"""
import math

from course import CONTENT
from lab_10 import LAB, SECTION, STARTER, simulate

RATES = [4, 8, 16, 20, 21, 22, 23, 24, 32]
LABELS = "charht = 0.13"


def steps() -> str:
    """Ten steps of 32 running answers: the prompt in one step, or in chunks."""
    module = simulate()
    plan = module.ceilings.read(STARTER)
    running, prompt = 32, plan["bench"]["random-input-len"]
    context = running * (prompt + plan["bench"]["random-output-len"] // 2)
    weights = module.ceilings.cache(plan)["weights"] / plan["card"]["bytes_per_s"]
    caches = module.step_seconds(plan, 0, context) - module.step_seconds(plan, 0, 0)
    scale, lines = 24, [LABELS, "boxht = 0.16", 'text "reading" rjust width 0 at (-0.06, 0)', 'text "products" rjust width 0 at (-0.06, -0.2)']
    for top, budget in ((0, plan["serve"]["max-num-batched-tokens"]), (-0.9, 384)):
        left, x = prompt, 0.0
        longest = 0.0
        if top:
            lines += [f'text "reading" rjust width 0 at (-0.06, {top})', f'text "products" rjust width 0 at (-0.06, {top - 0.2:.2f})']
        lines.append(f'text "at most {budget:,} tokens per step" ljust width 0 at (0, {top + 0.2:.2f})')
        for number in range(10):
            part = min(left, budget - running) if number >= 3 else 0
            left -= part
            products = module.ceilings.prefill(plan, running + part, plan["card"]["attainable"])
            lines.append(f"box width {weights * scale:.3f} fill tint_blue with .w at ({x:.3f}, {top})")
            lines.append(f"box width {products * scale:.3f}{' fill tint_ochre' if part else ''} with .w at ({x:.3f}, {top - 0.2:.2f})")
            step = max(weights, products)
            lines.append(f"box width {caches * scale:.3f} with .w at ({x + step * scale:.3f}, {top})")
            longest = max(longest, step + caches)
            x += (step + caches) * scale
        lines.append(f'text "longest step: {longest * 1e3:.1f} ms" ljust width 0 at (0, {top - 0.4:.2f})')
    return "\n".join(lines)


def curve(points, style="") -> str:
    """A line through points, which pikchr writes as one statement."""
    (x, y), *rest = points
    return f"line {style}from ({x:.3f}, {y:.3f})" + "".join(f" then to ({a:.3f}, {b:.3f})" for a, b in rest)


def rates() -> str:
    """Goodput, TPOT and TTFT by rate, each with what was promised."""
    module = simulate()
    plan = module.ceilings.read(STARTER)
    rows = [module.summary(plan, rate) for rate in RATES]
    ceiling = module.ceilings.ceilings(plan)["gpu"]
    x = lambda rate: rate * 2.2 / 32
    lines = [LABELS]
    def panel(top, title, ticks, y, curves, promise=None):
        lines.extend([f"line thin from (0, {top}) to (2.2, {top})", f"line thin from (0, {top}) to (0, {top + 0.75:.2f})",
                      f'text "{title}" ljust width 0 at (0.06, {top + 0.83:.2f})',
                      f"line thin dotted from ({x(ceiling):.3f}, {top}) to ({x(ceiling):.3f}, {top + 0.75:.2f})"])
        lines.extend(f'text "{label}" rjust width 0 at (-0.05, {top + y(value):.3f})' for label, value in ticks)
        if promise:
            lines.append(curve([(0, top + y(promise)), (2.2, top + y(promise))], "thin dashed "))
        lines.extend(curve([(x(rate), top + y(value)) for rate, value in zip(RATES, values)], style) for values, style in curves)
    panel(0, "goodput, requests per second", [("0", 0), ("16", 16), ("32", 32)], lambda v: v * 0.75 / 32,
          [(RATES, "thin dashed "), ([row["request-rate"] * row["good"] for row in rows], "thick ")])
    panel(-1.15, "TPOT, ms: mean, and p99 (upper)", [("0", 0), ("50", 50)], lambda v: v * 0.75 / 80,
          [([row["tpot"][key] for row in rows], style) for key, style in (("mean", "thick "), ("p99", ""))], 50)
    panel(-2.3, "TTFT, ms, logarithmic: mean, and p99", [("50", 50), ("500", 500), ("5,000", 5000), ("50,000", 50000)],
          lambda v: math.log10(v / 30) * 0.75 / math.log10(50000 / 30),
          [([row["ttft"][key] for row in rows], style) for key, style in (("mean", "thick "), ("p99", ""))], 500)
    lines.extend(f'text "{rate}" at ({x(rate):.3f}, -2.42)' for rate in (4, 8, 16, 24, 32))
    lines.append('text "arrivals per second" at (1.1, -2.6)')
    return "\n".join(lines)


def drawn():
    """Both drawings are those that the simulator gives."""
    for page, drawing in ((SECTION, steps()), (LAB, rates())):
        assert f"\n{drawing}\n```" in (CONTENT / page).read_text(encoding="utf-8"), f"{page} has another drawing than\n{drawing}"


CHECKS = [drawn]

if __name__ == "__main__":
    print(steps(), rates(), sep="\n\n")
