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
LARGEST_LEAF = 56_623_104 * 2  # the linear layer 3,072 -> 18,432 of a double block, in bytes


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
    blocks = 19 * count["FLUX double block"] + 38 * count["FLUX single block"]
    assert 0.99 < blocks / count["FLUX transformer"] < 1, blocks


def residency():
    """Weights on the GPU and seconds of PCIe follow from the inventory."""
    crossing = gb("FLUX transformer") * 1e9 / PCIE
    expected = [
        (f"{gb('FLUX, all'):.2f} GB", "none"),
        (f"{gb('FLUX transformer'):.2f} GB", f"{crossing:.2f} s"),
        (f"{gb('FLUX double block'):.2f} GB", f"{STEPS * crossing:.1f} s"),
        (f"{LARGEST_LEAF / 1e9:.3f} GB", f"{STEPS * crossing:.1f} s"),
    ]
    assert [tuple(row[1:]) for row in rows("knob-table")] == expected, rows("knob-table")
    milliseconds = round(gb("FLUX double block") * 1e9 / PCIE * 1e3)
    assert f"= {milliseconds} ms" in region("knob-table"), f"{milliseconds} ms is not in the text"


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
    toy = given("a toy FLUX, run with diffusers 0.42.1")
    return {
        "33.74 GB": gb("FLUX, all") * 1e9, "23.80 GB": flux, "23.80": flux / 1e9, "9.52 GB": gb("FLUX T5-XXL") * 1e9,
        "0.113 GB": LARGEST_LEAF, "26.7 s": 28 * crossing, "26.7": 28 * crossing, "0.95 s": crossing,
        "0.95": crossing, "47.6 s": 50 * crossing, "0.68 GB": block, "27 ms": block / PCIE,
        "5.13": gb("SDXL UNet"), "5.13 GB": gb("SDXL UNet") * 1e9, "0.21 s": gb("SDXL UNet") * 1e9 / PCIE,
        "6.94 GB": gb("SDXL, all") * 1e9, "0.17 GB": gb("SDXL VAE") * 1e9, "99.5 %": share,
        "11.9 GB": count["FLUX transformer"], "11,901,408,320": count["FLUX transformer"],
        "128 MiB": largest(512), "1 GiB": largest(1024), "16 GiB": largest(2048),
        "65,536": (2048 // 8) ** 2, "1.06 GiB": largest(1040), "1.00": largest(1024) / 2**30,
        "25 GB/s": PCIE, "50 GB/s": 2 * PCIE, "2 bytes": given("width of a 16-bit value"),
        "24 GB": given("a card"), "23 GB": given("the misunderstanding itself"),
        "5e-6": given("a small random VAE, run with diffusers 0.42.1"), "0.455": given("the same run"),
        "0.25": given("the same run"), "244,232 bytes": toy, "156,232": 244232 - 88000, "88,000": toy,
        "122,116": 244232 / 2, "0.64": 156232 / 244232,
    }


def section_page():
    decode = 3872 * 2**20
    return {
        "2,567,463,684": inventory()["SDXL UNet"], "6.94 GB": gb("SDXL, all") * 1e9, "6.94": gb("SDXL, all"),
        "5.13": gb("SDXL UNet"), "5.13 GB": gb("SDXL UNet") * 1e9, "4.06 GB": decode, "4.06": decode / 1e9,
        "11.0 GB": gb("SDXL, all") * 1e9 + decode, "3872 MiB": given("a decode without weights, diffusers 0.42.1"),
        "1536 MiB": given("the same, four images"), "24 GB": given("a card"), "12 GB": given("a card"),
        "8 GB": given("a card"),
    }


PAGES = {
    "tracks/diffuser/labs/lab-10-memory-optimization-reading.md": lab_page,
    "tracks/diffuser/handbook/10-memory-knobs.md": section_page,
}
CHECKS = [python_parses, method_names, removed_names, gigabytes, totals, residency, decode_table]
