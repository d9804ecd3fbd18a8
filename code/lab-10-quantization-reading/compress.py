"""Writes FP8 weights, activations and KV cache (rows A, D and C).

Needs llm-compressor 0.14 and a download of 16 GB, in practice also a GPU.
It was run with 0.14.0.1 and torch 2.14.0 on a CPU, with a tiny random Llama
and invented chats instead of the downloads (2026-11-23).
"""
from compressed_tensors.quantization import QuantizationArgs
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

oneshot(
    model="meta-llama/Llama-3.1-8B-Instruct",
    recipe=QuantizationModifier(
        targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"],
        kv_cache_scheme=QuantizationArgs(
            num_bits=8, type="float", strategy="tensor",
            dynamic=False, symmetric=True),
    ),
    dataset="ultrachat_200k",
    splits="train_sft[:512]",
    num_calibration_samples=512,
    max_seq_length=4096,
    output_dir="llama-3.1-8b-fp8-kv",
)
