"""One function per call of diffusers 0.42.1 that changes memory.

Needs a GPU and tens of gigabytes of weights. On a CPU, with a tiny random
FLUX pipeline and torch 2.15.0, all of it ran on 2026-11-23 but for what
needs a GPU there: NF4, sequential offload, the stream, the peak, and
flash-attn. Model and group offload were run with the CPU as their device.
"""
import torch
from diffusers import BitsAndBytesConfig, DiffusionPipeline
from diffusers.hooks import apply_group_offloading
from diffusers.quantizers import PipelineQuantizationConfig


def load(name):  # 2 bytes per weight, on the CPU
    return DiffusionPipeline.from_pretrained(name, dtype=torch.bfloat16)


# ANCHOR: offload
def one_component_at_a_time(pipe):  # no pipe.to("cuda") before this
    pipe.enable_model_cpu_offload()


def one_block_at_a_time(pipe):
    pipe.enable_group_offload(
        onload_device=torch.device("cuda"),
        offload_type="block_level",
        num_blocks_per_group=1,  # with a stream, no other number
        use_stream=True,         # the blocks are copied to pinned RAM
    )


def t5_by_block(pipe):  # its blocks are not at the top level
    apply_group_offloading(
        pipe.text_encoder_2,
        onload_device=torch.device("cuda"),
        offload_type="block_level",
        num_blocks_per_group=1,
        block_modules=["encoder"],
    )


def one_layer_at_a_time(pipe):
    pipe.enable_sequential_cpu_offload()
# ANCHOR_END: offload


# ANCHOR: shrink
def store_in_fp8(pipe):
    pipe.transformer.enable_layerwise_casting(
        storage_dtype=torch.float8_e4m3fn,
        compute_dtype=torch.bfloat16,
    )


def load_in_nf4(name):
    return DiffusionPipeline.from_pretrained(
        name,
        dtype=torch.bfloat16,
        quantization_config=PipelineQuantizationConfig(quant_mapping={
            "transformer": BitsAndBytesConfig(
                load_in_4bit=True,
                bnb_4bit_quant_type="nf4",
                bnb_4bit_compute_dtype=torch.bfloat16,
            ),
        }),
    )
# ANCHOR_END: shrink


# ANCHOR: activations
def choose_attention(pipe):  # the default is "native", PyTorch's SDPA
    pipe.transformer.set_attention_backend("flash")


def decode_one_image_at_a_time(pipe):
    pipe.vae.enable_slicing()


def decode_in_tiles(pipe):  # changes pixels
    pipe.vae.enable_tiling()


def peak_bytes(pipe, prompt):
    torch.cuda.reset_peak_memory_stats()
    pipe(prompt)
    return torch.cuda.max_memory_allocated()
# ANCHOR_END: activations
