#!/usr/bin/env python3
"""Computes the memory peaks of an image pipeline, stage by stage.

    python3 peaks.py [--json]

GB = 10^9 bytes, MiB and GiB are binary. Counts of tensors; nothing was timed.
Python 3.9 or later, no packages.
"""
import argparse
import json

# ANCHOR: inventory
PARAMETERS = {  # counted on models built without weights, diffusers 0.42.1
    "SDXL": {"CLIP-L": 123_060_480, "OpenCLIP-G": 694_659_840,
             "denoiser": 2_567_463_684, "VAE": 83_653_863},
    "FLUX": {"CLIP-L": 123_060_480, "T5-XXL": 4_762_310_656,
             "denoiser": 11_901_408_320, "VAE": 83_819_683},
}
DOUBLE, SINGLE = 339_831_296, 141_591_808  # blocks of FLUX: 19 and 38
WIDTH, TOKENS = 3072, 64 * 64 + 512  # an image of 1024 x 1024, its prompt
T5_BLOCK = 192_946_176  # of 24
LARGEST_LAYER = {"T5-XXL": 131_596_288, "denoiser": 56_641_536}
KEPT_BY_CASTING = 3_247_664_192  # layers of FLUX with "norm" in the name
STEPS = 28
PCIE = 25e9  # bytes per second, assumed
# ANCHOR_END: inventory


# ANCHOR: residency
def resident(way: str) -> dict:
    """Bytes of 16-bit weights on the GPU in FLUX's two large stages."""
    size = {name: 2 * n for name, n in PARAMETERS["FLUX"].items()}
    outside = size["denoiser"] - 2 * (19 * DOUBLE + 38 * SINGLE)
    if way == "all stay":
        return dict.fromkeys(("T5-XXL", "denoiser"), sum(size.values()))
    if way == "model offload":
        return {name: size[name] for name in ("T5-XXL", "denoiser")}
    if way == "group offload":   # T5's blocks are in `encoder`
        return {"T5-XXL": size["T5-XXL"], "denoiser": 2 * DOUBLE + outside}
    if way == "with a stream":   # the next block is copied meanwhile
        return {"T5-XXL": size["T5-XXL"], "denoiser": 4 * DOUBLE + outside}
    return {name: 2 * n for name, n in LARGEST_LAYER.items()}


CROSSINGS = {  # of the denoiser, per image
    "all stay": 0,
    "model offload": 2,            # there, and back with `.to("cpu")`
    "group offload": 2 * STEPS,    # the same for each block
    "with a stream": STEPS,        # the originals stay in pinned RAM
    "sequential": STEPS}           # the originals stay in RAM


def transfer_seconds(way: str) -> float:
    """PCIe time of the denoiser's weights for one image."""
    return CROSSINGS[way] * 2 * PARAMETERS["FLUX"]["denoiser"] / PCIE
# ANCHOR_END: residency


# ANCHOR: hiding
def block_flop() -> float:
    """Of a block of either kind: products, scores, and their use."""
    return 2 * 12 * WIDTH**2 * TOKENS + 4 * WIDTH * TOKENS**2


def step_seconds(rate: float) -> tuple:
    """A step that only computes, and one that waits for its copies."""
    compute = block_flop() / rate
    copies = [2 * DOUBLE / PCIE] * 19 + [2 * SINGLE / PCIE] * 38
    return 57 * compute, sum(max(compute, copy) for copy in copies)
# ANCHOR_END: hiding


def pinned(parameters: list) -> int:
    """Bytes in pinned RAM: each tensor's, up to a power of two."""
    return sum(1 << (2 * n - 1).bit_length() for n in parameters)


def pinned_blocks() -> int:
    """The large tensors of FLUX's blocks in pinned RAM."""
    square, mlp = WIDTH**2, 4 * WIDTH**2
    double = 2 * [square] * 4 + 4 * [mlp] + 2 * [6 * square]
    single = 3 * [square] + [mlp, mlp + square, 3 * square]
    return 19 * pinned(double) + 38 * pinned(single)


def stored(how: str) -> float:
    """Bytes of FLUX's transformer."""
    n = PARAMETERS["FLUX"]["denoiser"]
    if how == "FP8 casting":
        return (n - KEPT_BY_CASTING) + 2 * KEPT_BY_CASTING
    bits = {"BF16": 16, "torchao int8": 8, "GGUF Q8_0": 8 + 16 / 32,
            "NF4": 4 + 32 / 64}[how]
    return n * bits / 8


# ANCHOR: decode
def decode_bytes(pixels: int, width: int = 2) -> int:
    """Peak of a decode with SDPA: three maps of 256 channels."""
    return 3 * 256 * pixels * width


def score_bytes(pixels: int) -> int:
    """The fp32 score matrix, if attention is not fused."""
    return 4 * (pixels // 64) ** 2


def tiled(side: int, threshold: int = 1024) -> int:
    """Side of a tile: tiling starts above the threshold."""
    return threshold if side > threshold else side
# ANCHOR_END: decode


WAYS = ["all stay", "model offload", "group offload", "with a stream",
        "sequential"]
FORMATS = ["BF16", "FP8 casting", "GGUF Q8_0", "torchao int8", "NF4"]
RATES = [40, 100, 500]  # TFLOP/s that a card reaches
IMAGES = [(512, 1), (512, 4), (1024, 1), (2048, 1)]  # side, batch


def results() -> dict:
    return {
        "gb": {model: {name: 2 * n for name, n in parts.items()}
               for model, parts in PARAMETERS.items()},
        "block": 2 * DOUBLE,
        "block_flop": block_flop(),
        "hidden_up_to": block_flop() / (2 * DOUBLE / PCIE),  # FLOP/s
        "steps": {rate: step_seconds(rate * 1e12) for rate in RATES},
        "pinned_blocks": pinned_blocks(),
        # with `block_modules=["encoder"]`: what is in no block, and one block
        "t5_by_block": 2 * (PARAMETERS["FLUX"]["T5-XXL"] - 23 * T5_BLOCK),
        "ways": {way: {**resident(way), "seconds": transfer_seconds(way)}
                 for way in WAYS},
        "formats": {how: stored(how) for how in FORMATS},
        "decode": [{"side": side, "batch": batch,
                    "half": decode_bytes(batch * side**2),
                    "float": decode_bytes(batch * side**2, 4),
                    "scores": batch * score_bytes(side**2),
                    "tiling": decode_bytes(batch * tiled(side) ** 2),
                    "slicing": decode_bytes(side**2)}
                   for side, batch in IMAGES],
    }


def show(data: dict) -> None:
    print("FLUX in BF16, GB on the GPU   T5   transformer   PCIe per image")
    for way, row in data["ways"].items():
        print(f"{way:22}{row['T5-XXL'] / 1e9:10.2f} "
              f"{row['denoiser'] / 1e9:13.2f} {row['seconds']:14.2f} s")
    print(f"one double block: {data['block'] / 1e9:.2f} GB, "
          f"{data['block'] / PCIE * 1e3:.0f} ms over PCIe")
    print("\na step, s      computes   with a stream")
    for rate, (compute, overlapped) in data["steps"].items():
        print(f"{rate:3} TFLOP/s{compute:12.2f}{overlapped:16.2f}")
    print("\nFLUX's transformer   GB")
    for how, size in data["formats"].items():
        print(f"{how:14}{size / 1e9:9.2f}")
    print("\nSDXL's decode, MiB      bf16    fp32  scores,   bf16,    bf16,")
    print("image                   SDPA    SDPA  unfused  tiling  slicing")
    for row in data["decode"]:
        cells = [row[k] / 2**20 for k in
                 ("half", "float", "scores", "tiling", "slicing")]
        name = f"{row['side']} x {row['side']}, batch {row['batch']}"
        print(f"{name:20}" + "".join(f"{c:8,.0f}" for c in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="unrounded")
    data = results()
    if parser.parse_args().json:
        print(json.dumps(data, indent=2))
    else:
        show(data)


if __name__ == "__main__":
    main()
