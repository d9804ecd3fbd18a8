"""Section 2: the drawing of memory over a training step is to scale, with what lab 01's script computes.

    python3 tests/course/lab_02_drawing.py       prints it, to be pasted
"""
from course import CODE, CONTENT, load

SECTION = "tracks/ai-infra/handbook/02-training-step.md"


def step() -> str:
    """All bytes of a later step of Llama-3-8B on 8,192 tokens, plain and with checkpointing, and both updates."""
    module = load(CODE / "lab-01-transformer-memory" / "memory_accounting.py")
    config = module.PRESETS["llama-3-8b"]
    gb = module.count_params(config)["total"] / 1e9
    kept = {name: module.activation_bytes(config, 8192, 1, way) / 1e9 for name, way in (("plain", "selective"), ("again", "full"))}
    x, y = {"forward": 0.0, "backward": 0.55, "update": 1.45, "end": 1.85}, lambda size: size * 1.8 / 170
    lines = ["charht = 0.13", f"line thin from (0, 0) to ({x['end']:.2f}, 0)", "line thin from (0, 0) to (0, 1.9)"]
    lines += [f"line thin dotted from ({x[name]:.2f}, 0) to ({x[name]:.2f}, 1.9)" for name in ("backward", "update")]
    lines += [f'text "{name}" width 0 at ({(x[name] + x[after]) / 2:.3f}, -0.12)'
              for name, after in (("forward", "backward"), ("backward", "update"), ("update", "end"))]
    lines += [f'text "{size}" rjust width 0 at (-0.05, {y(size):.3f})' for size in (0, 50, 100, 150)]
    lines.append('text "GB" ljust width 0 at (0.05, 1.87)')
    card = 79.1 * 2**30 / 1e9
    lines += [f"line thin dashed from (0, {y(card):.3f}) to ({x['end']:.2f}, {y(card):.3f})",
              f'text "one H100" ljust width 0 at (0.05, {y(card) - 0.1:.3f})']
    state, done = 14 * gb, 16 * gb  # without gradients, and with them
    for name, style in (("again", ""), ("plain", "thick ")):
        lines.append(f"line {style}from (0, {y(state):.3f}) to ({x['backward']:.2f}, {y(state + kept[name]):.3f})"
                     f" to ({x['update']:.2f}, {y(done):.3f}) to ({x['end']:.2f}, {y(done):.3f})")
    lines.append(f"line dotted from ({x['update']:.2f}, {y(done):.3f}) to ({x['update'] + 0.1:.2f}, {y(20 * gb):.3f})"
                 f" to ({x['end'] - 0.1:.2f}, {y(20 * gb):.3f}) to ({x['end']:.2f}, {y(done):.3f})")
    lines += [f'text "plain" rjust width 0 at ({x["backward"] - 0.08:.2f}, {y(state + kept["plain"]):.3f})',
              f'text "checkpointed" width 0 at ({x["backward"] + 0.5:.2f}, {y(state + kept["again"]) - 0.1:.3f})',
              f'text "foreach" width 0 at ({(x["update"] + x["end"]) / 2:.3f}, {y(20 * gb) + 0.1:.3f})']
    return "\n".join(lines)


def drawn():
    """The drawing of section 2 is the one that lab 01's counts give."""
    assert f"\n{step()}\n```" in (CONTENT / SECTION).read_text(encoding="utf-8"), f"{SECTION} has another drawing than\n{step()}"


CHECKS = [drawn]

if __name__ == "__main__":
    print(step())
