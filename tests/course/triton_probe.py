"""Runs variants of lab 06's starter with Triton and prints what happened as JSON; lab_06.py starts it.

    python3 triton_probe.py run FOLDER       under TRITON_INTERPRET=1: results, operators, special rows
    python3 triton_probe.py compile FOLDER   without it: PTX, registers and stack, types of an address

FOLDER holds the starter and broken copies of it, NAME.py each.
"""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import torch
import triton
import triton.language as tl
from torch.utils._python_dispatch import TorchDispatchMode

warnings.filterwarnings("ignore")


def load(file: pathlib.Path):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Operators(TorchDispatchMode):
    """Writes down every operator that PyTorch dispatches: its name, elements read, elements written."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.seen.append([func.overloadpacket.__name__,
                          sum(a.numel() for a in args if isinstance(a, torch.Tensor)), out.numel()])
        return out


def dispatched(function, x) -> list:
    with Operators() as operators:
        function(x)
    return operators.seen


def contiguous(module) -> dict:
    """The kernel on contiguous rows with room behind the last: is each row right, and what lies behind it?"""
    rows, cols = 37, 781
    x = torch.randn(rows, cols)
    room = torch.full((rows + 2, cols), module.GUARD)
    module.softmax_fused(x, room[:rows])
    right = (room[:rows] - torch.softmax(x.double(), dim=1)).abs().max().item() < 1e-6
    return {"ok": right, "overwritten": int((room[rows:] != module.GUARD).sum())}


def shifted(module, shift: float) -> bool:
    x = torch.randn(5, 781) + shift
    y = torch.empty_like(x)
    module.softmax_fused(x, y)
    return (y - torch.softmax(x.double(), dim=1)).abs().max().item() < 1e-6


def least_maximum(module) -> float:
    """The smallest of the rows' maxima in the starter's case `large`, whole."""
    seen = []
    kernel, module.softmax_fused = module.softmax_fused, lambda x, y: seen.append(x.amax(dim=1).min().item())
    module.check()
    module.softmax_fused = kernel
    return float(int(seen[list(module.CASES).index("large")]))


def ways(module) -> dict:
    """The four ways of the benchmark: is each of them a softmax?"""
    x = torch.randn(64, 96)
    module.torch.manual_seed(1)
    seen, kernel = [], module.softmax_fused

    def fused(x, y):
        kernel(x, y)
        return y
    module.softmax_fused = fused
    timed, triton.testing.do_bench = triton.testing.do_bench, lambda way, return_mode: seen.append(way()) or 1.0
    try:
        names = list(module.bench(*x.shape))
    finally:
        triton.testing.do_bench, module.softmax_fused = timed, kernel
    return {"names": names, "equal": all(torch.allclose(seen[0], each, atol=1e-6) for each in seen)}


def run(modules: dict) -> dict:
    starter = modules["starter"]
    x = torch.randn(37, 781)
    empty = torch.full((2, 5), -float("inf"))
    y = torch.empty_like(empty)
    starter.softmax_fused(empty, y)
    verdicts = {name: {case: {"ok": entry["ok"], "overwritten": entry["overwritten"]} for case, entry in module.check().items()}
                for name, module in modules.items()}
    return {
        "check": verdicts,
        "ways": ways(starter),
        "contiguous": {name: contiguous(modules[name]) for name in ("starter", "no mask on the store")},
        "rows near -20000": {name: shifted(modules[name], -20000) for name in ("starter", "finite filler")},
        "operators": dispatched(starter.softmax_eager, x),
        "operators of torch.softmax": [name for name, *_ in dispatched(lambda t: torch.softmax(t, dim=1), x)],
        "eager is softmax": (starter.softmax_eager(x) - torch.softmax(x, dim=1)).abs().max().item() < 1e-6,
        "least maximum of large": least_maximum(starter),
        "row of -inf": {"kernel": bool(y.isnan().all()), "torch": bool(torch.softmax(empty, dim=1).isnan().all())},
        "blocks agree": all(starter.block_for(n) == triton.next_power_of_2(n) for n in range(1, 5000)),
        "finite exp": {str(kind).removeprefix("torch."): torch.tensor(values, dtype=kind).exp().isfinite().tolist()
                       for kind, values in {torch.float32: (88.0, 89.0), torch.float16: (11.0, 12.0)}.items()},
    }


def compiled(starter, cols: int, capability: int):
    """The kernel that `ptx` of the starter compiles and counts in."""
    kept, compile = [], triton.compile
    triton.compile = lambda *a, **k: kept.append(compile(*a, **k)) or kept[-1]
    try:
        starter.ptx(capability, cols)
    finally:
        triton.compile = compile
    return kept[0]


def resources(starter, cols: int, capability: int) -> dict:
    """Registers and stack a thread, as NVIDIA's cuobjdump reads them from the compiled kernel."""
    kernel = compiled(starter, cols, capability)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(kernel.asm["cubin"])
        file.flush()
        tool = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
        text = subprocess.run([str(tool), "-res-usage", file.name], capture_output=True, text=True, check=True).stdout
    return {unit.lower(): int(re.search(rf"{unit}:(\d+)", text)[1]) for unit in ("REG", "STACK")}


def loads(starter, cols: int) -> dict:
    """Widths of a thread's global loads in 32-bit words, and how many loads and stores have a predicate."""
    text = compiled(starter, cols, 90).asm["ptx"]
    return {"words": [int(v or 1) for v in re.findall(r"ld\.global(?:\.v(\d))?\.b32", text)],
            "predicated": [len(re.findall(rf"@%p\d+ {kind}\.global", text)) for kind in ("ld", "st")]}


def layout(starter, cols: int) -> dict:
    """How Triton spreads a row over registers, lanes and warps."""
    text = compiled(starter, cols, 90).asm["ttgir"]
    names = {"sizePerThread": "together", "threadsPerWarp": "lanes", "warpsPerCTA": "warps"}
    return {short: int(re.search(rf"{name} = \[(\d+)\]", text)[1]) for name, short in names.items()}


def address(module) -> str:
    """The type in which the kernel multiplies a row by a stride, from Triton's intermediate representation."""
    source = triton.compiler.ASTSource(
        module.softmax_kernel, dict(zip(module.softmax_kernel.arg_names, ["*fp32"] * 2 + ["i32"] * 3 + ["constexpr"])),
        constexprs={"BLOCK": 1024})
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    text = triton.compile(source, target=target).asm["ttir"]
    types = set(re.findall(r"arith\.muli [^\n]*?: (i\d+)", text))
    assert len(types) == 1, types
    return types.pop()


@triton.jit
def odd_block(BLOCK: tl.constexpr):
    tl.arange(0, BLOCK)


def refusal(block: int) -> str:
    try:
        triton.compile(triton.compiler.ASTSource(odd_block, {"BLOCK": "constexpr"}, constexprs={"BLOCK": block}),
                       target=triton.backends.compiler.GPUTarget("cuda", 90, 32))
    except triton.CompilationError as error:
        return str(error.__cause__ or error).splitlines()[-1]
    return "accepted"


def compile_all(modules: dict) -> dict:
    starter = modules["starter"]
    lengths = (781, 784, 2048, 4096, 32768, 65536)
    return {
        "ptx": {f"sm_{cc}": {str(cols): starter.ptx(cc, cols) for cols in lengths} for cc in (80, 90, 100)},
        "resources": {f"sm_{cc}": {str(cols): resources(starter, cols, cc) for cols in lengths} for cc in (80, 90)},
        "layouts": {str(cols): layout(starter, cols) for cols in (781, 784)},
        "loads": {str(cols): loads(starter, cols) for cols in (781, 784)},
        "address": {name: address(modules[name]) for name in ("starter", "no int64")},
        "refused": {str(block): refusal(block) for block in (781, 1024, 2**21)},
    }


if __name__ == "__main__":
    found = {file.stem: load(file) for file in sorted(pathlib.Path(sys.argv[2]).glob("*.py"))}
    print(json.dumps({"run": run, "compile": compile_all}[sys.argv[1]](found)))
