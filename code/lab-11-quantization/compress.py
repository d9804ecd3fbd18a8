"""Writes a quantized copy of a model with llm-compressor 0.14.

    python3 compress.py fp8      needs no data
    python3 compress.py int4     needs calibration data, in practice a GPU

The model is about 16 GB; `pip install llmcompressor` comes first. Both were
run with llm-compressor 0.14.0.1 and torch 2.14.0 on a CPU, with a tiny random
Llama and invented chats instead of the downloads (2026-11-23).
"""
import sys

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import (
    GPTQModifier,
    QuantizationModifier,
)

MODEL = "meta-llama/Meta-Llama-3-8B-Instruct"

# ANCHOR: recipes
if sys.argv[1] == "fp8":
    oneshot(
        model=MODEL,
        recipe=QuantizationModifier(
            targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"]),
        output_dir="llama-3-8b-fp8",
    )
else:
    oneshot(
        model=MODEL,
        recipe=GPTQModifier(
            targets="Linear", scheme="W4A16", ignore=["lm_head"]),
        dataset="ultrachat_200k",
        splits="train_sft[:512]",
        num_calibration_samples=512,
        max_seq_length=2048,
        output_dir="llama-3-8b-w4a16",
    )
# ANCHOR_END: recipes
