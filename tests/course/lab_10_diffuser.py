"""Diffusers lab 10: peaks.py, and the calls in knobs.py and memory_optimization.md."""
import ast
import functools
import math
import re

from course import CODE, load

FOLDER = CODE / "lab-10-memory-optimization-reading"
STARTER, SCRIPT, KNOBS = (FOLDER / name for name in ("memory_optimization.md", "peaks.py", "knobs.py"))

# Methods and attributes of diffusers 0.42.1 (and the torch names beside them) that the files may use.
KNOWN = {
    "DiffusionPipeline.from_pretrained",
    "pipe.enable_group_offload", "pipe.enable_model_cpu_offload", "pipe.enable_sequential_cpu_offload",
    "pipe.text_encoder_2", "pipe.transformer.enable_layerwise_casting", "pipe.transformer.set_attention_backend",
    "pipe.vae.enable_slicing", "pipe.vae.enable_tiling",
    "vae.tile_sample_min_size", "vae.use_slicing", "vae.config.force_upcast",
    "torch.bfloat16", "torch.float8_e4m3fn", "torch.device",
    "torch.cuda.max_memory_allocated", "torch.cuda.reset_peak_memory_stats",
}
ARGUMENTS = {
    "enable_group_offload": {"onload_device", "offload_type", "num_blocks_per_group", "use_stream", "low_cpu_mem_usage"},
    "apply_group_offloading": {"onload_device", "offload_type", "num_blocks_per_group", "block_modules"},
    "enable_layerwise_casting": {"storage_dtype", "compute_dtype"},
    "from_pretrained": {"dtype", "quantization_config"},
    "BitsAndBytesConfig": {"load_in_4bit", "bnb_4bit_quant_type", "bnb_4bit_compute_dtype"},
    "PipelineQuantizationConfig": {"quant_mapping"},
}
REMOVED = {"pipe.enable_vae_slicing", "pipe.enable_vae_tiling"}
MODULES = {"torch.cuda", "pipe.transformer", "pipe.vae", "diffusers.quantizers"}
# From the shapes of FLUX and T5: modulation and output layers with "norm" in their names, and the largest leaves.
MODULATION = 19 * 2 * (3072 + 1) * 18432 + 38 * (3072 + 1) * 9216
OUTPUT = (3072 + 1) * (6144 + 64)          # `norm_out` and `proj_out`
HEAD_NORMS = 19 * 4 * 128 + 38 * 2 * 128   # the scales of queries and keys, `norm_q` and its like
# MiB at the peak of a decode on tensors without values, diffusers 0.42.1 (2026-11), with attention that stores no scores:
# (side, batch, bytes per value) -> counted. The formula leaves out the image itself and smaller tensors.
COUNTED = {(512, 1, 2): 386.03, (512, 4, 2): 1538.13, (1024, 1, 2): 1538.13, (2048, 1, 2): 6146.5,
           (512, 1, 4): 772.06, (1024, 1, 4): 3076.25, (2048, 1, 4): 12293.0}


@functools.cache
def peaks():
    return load(SCRIPT)


def dotted(node) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def names():
    """Calls and arguments are those of diffusers 0.42.1, and removed methods appear only where they are called removed."""
    for node in ast.walk(ast.parse(KNOBS.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and dotted(node) not in KNOWN | MODULES:
            raise AssertionError(f"{dotted(node)} (line {node.lineno}) is not on the list")
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            extra = {k.arg for k in node.keywords} - ARGUMENTS.get(called, set())
            assert not extra, f"{called} takes no {extra}"
    text = STARTER.read_text(encoding="utf-8")
    for span in re.findall(r"`((?:pipe|vae)\.[\w.]+)", text):
        assert span in KNOWN | REMOVED, f"{span} is not on the list"
    for paragraph in text.split("\n\n"):
        for name in REMOVED:
            assert name not in paragraph or "Removed:" in paragraph, f"{name} outside the note on removed methods"


def shapes():
    """Skipped layers, largest layers and blocks of FLUX follow from its shapes."""
    p = peaks()
    assert p.KEPT_BY_CASTING == MODULATION + OUTPUT + HEAD_NORMS == 3_247_664_192
    assert p.LARGEST_LAYER == {"denoiser": (3072 + 1) * 18432, "T5-XXL": 32128 * 4096}
    # T5-XXL: four projections, a gated MLP of width 10,240 and two norms per block; outside, the table, 64 heads' bias for
    # 32 distances, and a norm. Groups of diffusers 0.42.1 by block were seen on a tiny T5 with `block_modules=["encoder"]`.
    assert p.T5_BLOCK == 4 * 4096**2 + 3 * 4096 * 10240 + 2 * 4096
    assert p.PARAMETERS["FLUX"]["T5-XXL"] == 24 * p.T5_BLOCK + 32128 * 4096 + 32 * 64 + 4096
    assert p.results()["t5_by_block"] == 2 * (p.T5_BLOCK + 32128 * 4096 + 32 * 64 + 4096)
    outside = p.PARAMETERS["FLUX"]["denoiser"] - 19 * p.DOUBLE - 38 * p.SINGLE
    assert outside == 64_124_992, outside  # the group of diffusers 0.42.1 for what is in no block


def residency():
    """Each way holds less of the denoiser than the one before, except that a stream adds one block."""
    p = peaks()
    held = {way: p.resident(way) for way in p.WAYS}
    assert [round(held[way]["denoiser"] / 1e9, 2) for way in p.WAYS] == [33.74, 23.80, 0.81, 1.49, 0.11]
    assert held["with a stream"]["denoiser"] - held["group offload"]["denoiser"] == 2 * p.DOUBLE
    assert held["group offload"]["T5-XXL"] == held["model offload"]["T5-XXL"] > held["with a stream"]["denoiser"]
    assert 2 * p.transfer_seconds("sequential") == p.STEPS * p.transfer_seconds("model offload")
    # accelerate 1.15 and diffusers 0.42.1: `CpuOffload.init_hook` and a group without a stream call `.to("cpu")`.
    assert p.transfer_seconds("group offload") == 2 * p.transfer_seconds("with a stream")


def hiding():
    """A block's products and scores are counted from its shapes; a stream hides its copy on a slow card alone."""
    p = peaks()
    d, n = p.WIDTH, p.TOKENS
    # Queries, keys, values, output and the MLP of a double block have weights of their own for image and prompt.
    assert p.DOUBLE == 2 * (4 * (d + 1) * d + (d + 1) * 4 * d + (4 * d + 1) * d + (d + 1) * 6 * d) + 4 * 128
    assert p.SINGLE == 3 * (d + 1) * d + (d + 1) * 4 * d + (5 * d + 1) * d + (d + 1) * 3 * d + 2 * 128
    assert p.block_flop() == 2 * n * (4 * d * d + 8 * d * d) + 2 * (2 * n * n * d)
    slow, fast = p.step_seconds(40e12), p.step_seconds(500e12)
    assert math.isclose(*slow) and fast[1] > 5 * fast[0], (slow, fast)
    edge = p.results()["hidden_up_to"]
    below, above = p.step_seconds(0.99 * edge), p.step_seconds(1.01 * edge)
    assert math.isclose(*below) and not math.isclose(*above), (below, above)
    assert p.pinned([1024, 1025]) == 2048 + 4096


def decode():
    """The formula for a decode is within 1 % of the tensors that were counted, and tiling starts above its threshold."""
    p = peaks()
    for (side, batch, width), counted in COUNTED.items():
        formula = p.decode_bytes(batch * side**2, width) / 2**20
        assert 0 <= counted - formula < 0.01 * counted, (side, batch, width, formula, counted)
    assert (p.tiled(1024), p.tiled(1025), p.tiled(512)) == (1024, 1024, 512)
    assert p.score_bytes(1024**2) == 4 * (128 * 128) ** 2


def widths():
    """No line of the starters is wider than the page."""
    lines = [line for file in (SCRIPT, KNOBS, STARTER) for line in file.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= 80


CHECKS = [names, shapes, residency, hiding, decode, widths]
