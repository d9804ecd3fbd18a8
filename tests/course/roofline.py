"""The roofline of the course: each kernel and step is drawn where the starters' own counts put it.

    python3 tests/course/roofline.py       prints the drawing, to be pasted
"""
import math

from course import CODE, CONTENT, load

PAGE = "tracks/ai-infra/handbook/13-threads-and-memory.md"
CHINESE = {"FLOP per byte": "每字节 FLOP", "transpose: 0": "转置：0", "sum": "求和",
           "decode, INT4": "decode，INT4", "decode, 64 users": "decode，64 个用户", "stored scores": "存下分数", "prefill": "prefill",
           "training": "训练"}
TOKENS, USERS = 8192, 64  # of a training step; of a decode step
LABELS = {  # on which side of its dot a label is
    "sum": "right", "Adam": "left", "softmax": "right", "decode": "left", "decode, INT4": "right",
    f"decode, {USERS} users": "right", "stored scores": "left", "prefill": "above", "training": "above", "FlashAttention": "above"}


def placed() -> dict[str, float]:
    """FLOP per byte of each kernel and step, from the starters that count them."""
    attention = load(CODE / "lab-07-flashattention" / "flashattention_mental_model.py").traffic(8192, 128, 128)
    once = 4 * 8192 * 128 + 8192  # elements of Q, K, V and the output, and their log-sum-exps
    softmax = load(CODE / "lab-06-triton-softmax" / "triton_softmax.py")
    formats = load(CODE / "lab-11-quantization" / "plan.py")
    llama = load(CODE / "lab-01-transformer-memory" / "memory_accounting.py").PRESETS["llama-3-8b"]
    ceilings = load_serving()
    plan = ceilings.read(ceilings.PLAN)
    held, prompt = ceilings.cache(plan), plan["bench"]["random-input-len"]
    flop = 2 * plan["model"]["parameters"]
    decode = lambda users: flop * users / (ceilings.decode(plan, users) * ceilings.bandwidth(plan))
    return {
        "sum": 1 / 4,
        "Adam": 14 / (16 + 12),  # operations per parameter, and bytes read and written in fp32
        "softmax": 5 / sum(softmax.moved(softmax.FUSED, 1, 1, 4)),
        "decode": decode(1),
        "decode, INT4": 2 * formats.LINEAR / formats.quantized_bytes("W4A16"),
        f"decode, {USERS} users": decode(USERS),
        "stored scores": attention["flop"] / (2 * attention["standard"]),
        "prefill": flop * prompt / (held["weights"] + prompt * held["token"]),
        "training": 1 / (1 / TOKENS + 1 / llama.d + 1 / llama.d_ff),  # 2ndf FLOP on 2(nd + nf + df) bytes
        "FlashAttention": attention["flop"] / (2 * once),
    }


def load_serving():
    """The costs of lab 10's plan."""
    return load(CODE / "lab-10-vllm-serving" / "ceilings.py")


def drawing(words: dict[str, str]) -> str:
    """The roofline of an H100 in Pikchr, with both axes logarithmic, and these translations of its labels."""
    card = load_serving().read(load_serving().PLAN)["card"]
    rate, peak, fp32 = card["bytes_per_s"] / 1e12, card["flop_per_s"] / 1e12, 67.0
    first, last = 0.05, 5000  # FLOP per byte at the ends of the axis
    x = lambda intensity: 0.39 * math.log10(intensity / first)
    y = lambda tera: 0.52 * math.log10(tera / 0.1)
    roof, right, top = lambda intensity: y(min(peak, intensity * rate)), x(last), 2.52
    lines = ["charht = 0.13", "dotrad = 0.02", f"line thin from (0, 0) to ({right:.3f}, 0)", f"line thin from (0, 0) to (0, {top})"]
    lines += [f'text "{tick:,}" at ({x(tick):.3f}, -0.12)' for tick in (0.1, 1, 10, 100, 1000)]
    lines += [f'text "{tick:,}" rjust width 0 at (-0.05, {y(tick):.3f})' for tick in (1, 10, 100, 1000)]
    lines += [f'text "FLOP per byte" at ({right / 2:.3f}, -0.32)', f'text "TFLOP/s" ljust width 0 at (0.05, {top - 0.03:.2f})']
    for tera, label in ((peak, "bf16"), (fp32, "fp32")):
        ridge = tera / rate
        lines += [f"line thin dotted from ({x(ridge):.3f}, 0) to ({x(ridge):.3f}, {y(tera):.3f})",
                  f'text "{ridge:.0f}" ljust width 0 at ({x(ridge) + 0.03:.3f}, 0.08)',
                  f'text "{label}" rjust width 0 at ({right:.3f}, {y(tera) - 0.1:.3f})']
    lines += [f"line thick from (0, {roof(first):.3f}) to ({x(peak / rate):.3f}, {y(peak):.3f}) to ({right:.3f}, {y(peak):.3f})",
              f"line from ({x(fp32 / rate):.3f}, {y(fp32):.3f}) to ({right:.3f}, {y(fp32):.3f})",
              'arrow from (0.14, 0.08) to (0, 0.08)', 'text "transpose: 0" ljust width 0 at (0.17, 0.08)']
    above = 0.02
    for name, intensity in placed().items():
        at, side = (x(intensity), roof(intensity)), LABELS[name]
        lines.append(f"dot at ({at[0]:.3f}, {at[1]:.3f})")
        if side == "above":  # three dots side by side on the flat part
            above += 0.13
            lines += [f"line thin from ({at[0]:.3f}, {at[1]:.3f}) to ({at[0]:.3f}, {at[1] + above:.3f})",
                      f'text "{name}" rjust width 0 at ({at[0] - 0.03:.3f}, {at[1] + above - 0.03:.3f})']
        else:
            offset, just = (0.06, "ljust") if side == "right" else (-0.05, "rjust")
            lines.append(f'text "{name}" {just} width 0 at ({at[0] + offset:.3f}, {at[1] - offset * 0.9:.3f})')
    drawn = "\n".join(lines)
    for word, other in words.items():
        drawn = drawn.replace(f'"{word}"', f'"{other}"')
    return drawn


def drawn():
    """The course's roofline places each kernel and step where the starters' counts put it."""
    for page, words in ((PAGE, {}), (PAGE.replace(".md", ".zh-Hans.md"), CHINESE)):
        expected = drawing(words)
        assert f"\n{expected}\n```" in (CONTENT / page).read_text(encoding="utf-8"), f"{page} has another drawing than\n{expected}"


def linked():
    """Labs 01 and 04 to 11 lead to the one drawing of the roofline."""
    goal = "13-threads-and-memory.md#the-roofline"
    for number in (1, *range(4, 12)):
        (file,) = (file for file in CONTENT.glob(f"tracks/ai-infra/labs/lab-{number:02}-*.md") if "." not in file.stem)
        assert goal in file.read_text(encoding="utf-8"), f"{file.name} does not lead to {goal}"


CHECKS = [drawn, linked]

if __name__ == "__main__":
    print(drawing({}), drawing(CHINESE), sep="\n\n")
