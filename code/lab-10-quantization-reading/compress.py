"""Writes FP8 weights, activations and KV cache (rows A, D and C).

Needs llm-compressor 0.14, a GPU and a download of 16 GB.
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
    splits={"calibration": "train_sft[:512]"},
    num_calibration_samples=512,
    max_seq_length=4096,
    output_dir="llama-3.1-8b-fp8-kv",
)
