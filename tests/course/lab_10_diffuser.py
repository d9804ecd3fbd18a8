"""Diffusers lab 10: memory_optimization.md, its Python, its method names and the arithmetic of its tables."""
import ast
import functools
import re

from course import CODE, given

STARTER = CODE / "lab-10-memory-optimization-reading" / "memory_optimization.md"

# Methods and attributes of diffusers 0.42.1 (and the torch names beside them) that the worksheet may use.
KNOWN = {
    "DiffusionPipeline.from_pretrained",
    "pipe.enable_group_offload", "pipe.enable_model_cpu_offload", "pipe.enable_sequential_cpu_offload", "pipe.to",
    "pipe.transformer.enable_layerwise_casting", "pipe.transformer.set_attention_backend",
    "pipe.vae.enable_slicing", "pipe.vae.enable_tiling", "vae.tile_sample_min_size", "vae.use_slicing",
    "torch.bfloat16", "torch.float8_e4m3fn", "torch.device",
    "torch.cuda.max_memory_allocated", "torch.cuda.reset_peak_memory_stats",
}
ARGUMENTS = {
    "enable_group_offload": {"onload_device", "offload_type", "num_blocks_per_group", "use_stream"},
    "enable_layerwise_casting": {"storage_dtype", "compute_dtype"},
    "from_pretrained": {"dtype"},
}
REMOVED = {"pipe.enable_vae_slicing", "pipe.enable_vae_tiling"}
MODULES = {"torch.cuda", "pipe.transformer", "pipe.vae"}
PCIE = 25e9  # bytes a second, assumed
STEPS = 28
LARGEST_LEAF = (3072 + 1) * 18432 * 2  # the modulation of a double block, a linear layer with bias, in bytes
T5_TABLE = 32128 * 4096 * 2  # T5's largest leaf
MODULATION = {"FLUX double block": 2 * (3072 + 1) * 18432, "FLUX single block": (3072 + 1) * 9216}
OUTPUT = (3072 + 1) * (6144 + 64)  # `norm_out` and `proj_out`
HEAD_NORMS = 19 * 4 * 128 + 38 * 2 * 128  # the scales of queries and keys, `norm_q` and its like


@functools.cache
def text() -> str:
    return STARTER.read_text(encoding="utf-8")


def region(name: str) -> str:
    return re.search(rf"<!-- ANCHOR: {name} -->\n(.*?)<!-- ANCHOR_END: {name} -->", text(), re.S)[1]


def rows(name: str) -> list[list[str]]:
    """The body of a region's table, cell by cell."""
    table = [line for line in region(name).splitlines() if line.startswith("|")]
    cells = [[c.strip().strip("*") for c in line.strip("|").split("|")] for line in table]
    assert all(len(row) == len(cells[0]) for row in cells), f"{name}: a row with too many or too few cells"
    return cells[2:]


@functools.cache
def inventory() -> dict[str, int]:
    """Component -> parameters."""
    return {row[0]: int(row[1].replace(",", "")) for row in rows("inventory")}


def gb(component: str) -> float:
    return inventory()[component] * 2 / 1e9


def python_parses():
    """The fenced Python parses."""
    found = re.findall(r"```python\n(.*?)```", text(), re.S)
    assert len(found) == 1, f"{len(found)} Python blocks"
    ast.parse(found[0])


def dotted(node) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def method_names():
    """Method and argument names are those of diffusers 0.42.1."""
    tree = ast.parse(re.search(r"```python\n(.*?)```", text(), re.S)[1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and dotted(node) not in KNOWN | MODULES:
            raise AssertionError(f"{dotted(node)} (line {node.lineno} of the block) is not on the list")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            extra = {k.arg for k in node.keywords} - ARGUMENTS.get(node.func.attr, set())
            assert not extra, f"{node.func.attr} takes no {extra}"
    outside = re.sub(r"```.*?```", "", text(), flags=re.S)
    for span in re.findall(r"`((?:pipe|vae)\.[\w.]+)", outside):
        assert span in KNOWN | REMOVED, f"{span} is not on the list"


def removed_names():
    """Removed methods stand only where they are called removed."""
    for paragraph in text().split("\n\n"):
        for name in REMOVED:
            assert name not in paragraph or "Removed:" in paragraph, f"{name} outside the note on removed methods"


def gigabytes():
    """The GB column is parameters times two."""
    for name, parameters, size, *_ in rows("inventory"):
        expected = f"{int(parameters.replace(',', '')) * 2 / 1e9:.2f}"
        assert size == expected, f"{name}: {size} GB, expected {expected}"


def totals():
    """Sums of components, and blocks within their transformer."""
    count = inventory()
    for model in ("SDXL", "FLUX"):
        parts = [v for k, v in count.items() if k.startswith(model) and "all" not in k and "block" not in k]
        assert sum(parts) == count[f"{model}, all"], model
    assert 0.99 < blocks() / count["FLUX transformer"] < 1, blocks()


def blocks() -> int:
    """Parameters of the transformer that lie in its blocks."""
    return 19 * inventory()["FLUX double block"] + 38 * inventory()["FLUX single block"]


def group_offload(stream: bool) -> float:
    """GB that group offload holds of the transformer: one block or two, and what lies in none."""
    rest = gb("FLUX transformer") - blocks() * 2 / 1e9
    return (2 if stream else 1) * gb("FLUX double block") + rest


def kept_in_16_bits() -> int:
    """Parameters of FLUX that layerwise casting skips: modules called `norm…`, and `proj_out`."""
    return 19 * MODULATION["FLUX double block"] + 38 * MODULATION["FLUX single block"] + OUTPUT + HEAD_NORMS


def fp8_storage():
    """Layerwise casting leaves FLUX as many 16-bit parameters as diffusers 0.42.1 did on a model without weights."""
    assert kept_in_16_bits() == 3_247_664_192, kept_in_16_bits()


def residency():
    """Weights on the GPU and seconds of PCIe follow from the inventory."""
    crossing = gb("FLUX transformer") * 1e9 / PCIE
    rest = gb("FLUX transformer") * 1e9 / 2 - blocks()
    assert rest == 64_124_992, rest  # the group of diffusers 0.42.1 for what lies in no block
    expected = [
        (f"{gb('FLUX, all'):.2f} GB", "none"),
        (f"{gb('FLUX transformer'):.2f} GB", f"{crossing:.2f} s"),
        (f"{group_offload(stream=False):.2f} GB", f"{STEPS * crossing:.1f} s"),
        (f"{group_offload(stream=True):.2f} GB", f"{STEPS * crossing:.1f} s"),
        (f"{LARGEST_LEAF / 1e9:.3f} GB", f"{STEPS * crossing:.1f} s"),
    ]
    assert [tuple(row[1:]) for row in rows("knob-table")] == expected, rows("knob-table")
    milliseconds = round(gb("FLUX double block") * 1e9 / PCIE * 1e3)
    for figure in (f"= {milliseconds} ms", f"{2 * rest / 1e9:.2f} GB", f"one group of {gb('FLUX T5-XXL'):.2f} GB"):
        assert figure in region("knob-table"), f"{figure} is not in the text"


def largest_tensor(side: int, batch: int = 1) -> int:
    """Bytes of the larger of a 256-channel fp16 feature map and stored fp32 scores at an eighth of the side."""
    pixels = side * side
    return batch * max(2 * 256 * pixels, 4 * (pixels // 64) ** 2)


def decode_table():
    """Decode peaks follow from pixels, threshold and batch."""
    def size(cell):
        number, unit = cell.split()
        return int(number) * {"MiB": 2**20, "GiB": 2**30}[unit]
    for threshold, output, plain, tiled, sliced in rows("trap-thresholds"):
        side, batch = int(output.split(" x ")[0]), int(output.split(", ")[1])
        tile = int(threshold) if side > int(threshold) else side
        expected = [largest_tensor(side, batch), largest_tensor(tile, batch), largest_tensor(side)]
        got = [size(c) for c in (plain, tiled, sliced)]
        assert got == expected, f"{output}, sample size {threshold}: {got}, expected {expected}"


def lab_page():
    flux = gb("FLUX transformer") * 1e9
    crossing = flux / PCIE
    block = gb("FLUX double block") * 1e9
    count = inventory()
    share = (19 * count["FLUX double block"] + 38 * count["FLUX single block"]) / count["FLUX transformer"]
    largest = largest_tensor
    held, streamed = group_offload(stream=False), group_offload(stream=True)
    cast = count["FLUX transformer"] + kept_in_16_bits()
    return {
        "33.74 GB": gb("FLUX, all") * 1e9, "23.80 GB": flux, "23.80": flux / 1e9, "9.52 GB": gb("FLUX T5-XXL") * 1e9,
        "0.113 GB": LARGEST_LEAF, "26.7 s": 28 * crossing, "26.7": 28 * crossing, "0.95 s": crossing,
        "0.95": crossing, "47.6 s": 50 * crossing, "0.68 GB": block, "27 ms": block / PCIE,
        "0.81 GB": held * 1e9, "0.81": held, "1.49 GB": streamed * 1e9,
        "0.13 GB": (held - gb("FLUX double block")) * 1e9, "0.26 GB": T5_TABLE, "15.15 GB": cast, "15.15": cast / 1e9,
        "27 %": kept_in_16_bits() / count["FLUX transformer"], "3,247,664,192": kept_in_16_bits(),
        "190.42 GB": 16 * count["FLUX transformer"], "16 bytes": given("mixed-precision Adam, lab 01"), "4 GB": given("a card"),
        "5.13": gb("SDXL UNet"), "5.13 GB": gb("SDXL UNet") * 1e9, "0.21 s": gb("SDXL UNet") * 1e9 / PCIE,
        "6.94 GB": gb("SDXL, all") * 1e9, "0.17 GB": gb("SDXL VAE") * 1e9, "99.5 %": share,
        "11.90": count["FLUX transformer"] / 1e9, "11,901,408,320": count["FLUX transformer"],
        "128 MiB": largest(512), "1 GiB": largest(1024), "16 GiB": largest(2048),
        "65,536": (2048 // 8) ** 2, "1.06 GiB": largest(1040), "1.00": largest(1024) / 2**30,
        "25 GB/s": PCIE, "50 GB/s": 2 * PCIE, "2 bytes": given("width of a 16-bit value"),
        "24 GB": given("a card"), "23 GB": given("the misunderstanding itself"),
        "5e-6": given("a small random VAE, run with diffusers 0.42.1"), "0.455": given("the same run"),
        "0.25": given("the same run"), "0.64": cast / (2 * count["FLUX transformer"]),
    }


def section_page():
    decode = 3872 * 2**20
    cast = 2_567_463_684 + 588_160  # layers called `norm…`, counted with diffusers 0.42.1
    return {
        "588,160": given("skipped layers of the UNet, counted with diffusers 0.42.1"), "2.57 GB": cast, "36 %": 1 - (inventory()["FLUX transformer"] + kept_in_16_bits()) / inventory()["FLUX transformer"] / 2,
        "2,567,463,684": inventory()["SDXL UNet"], "6.94 GB": gb("SDXL, all") * 1e9, "6.94": gb("SDXL, all"),
        "5.13": gb("SDXL UNet"), "5.13 GB": gb("SDXL UNet") * 1e9, "4.06 GB": decode, "4.06": decode / 1e9,
        "11.0 GB": gb("SDXL, all") * 1e9 + decode, "3872 MiB": given("a decode without weights, diffusers 0.42.1"),
        "1536 MiB": given("the same, four images"), "1.61": 1536 * 2**20 / 1e9, "8.55 GB": gb("SDXL, all") * 1e9 + 1536 * 2**20,
        "0.17 GB": gb("SDXL VAE") * 1e9, "24 GB": given("a card"), "12 GB": given("a card"),
        "8 GB": given("a card"),
    }


PAGES = {
    "tracks/diffuser/labs/lab-10-memory-optimization-reading.md": lab_page,
    "tracks/diffuser/handbook/10-memory-knobs.md": section_page,
}
CHECKS = [python_parses, method_names, removed_names, gigabytes, totals, residency, fp8_storage, decode_table]
