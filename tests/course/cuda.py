"""CUDA files on a CPU: the emulator of lab 04, NVIDIA's compiler, and copies that are broken on purpose."""
import concurrent.futures
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

from course import CODE, Skipped, load, python


EMULATOR = load(CODE / "lab-04-cuda-reduce" / "emulate.py")


def edit(source: str, old: str, new: str, within: str = "") -> str:
    """Replaces every `old` inside the region `within` (the whole file without one); it must be there."""
    start, end = 0, len(source)
    if within:
        start, end = source.index(f"ANCHOR: {within}\n"), source.index(f"ANCHOR_END: {within}\n")
    part = source[start:end]
    assert old in part, f"`{old}` is not in {within or 'the file'}"
    return source[:start] + part.replace(old, new) + source[end:]


def run(variants: dict[str, str], *arguments: str) -> dict[tuple[str, str], subprocess.CompletedProcess]:
    """Compiles every variant for the CPU, once, and runs it with its threads in order and in reverse."""
    compiler = shutil.which("g++")
    if not compiler:
        raise Skipped("g++ is not installed")
    names = {"in order": "forward", "in reverse": "reverse"}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = pool.map(lambda source: EMULATOR.emulate(source, *arguments, compiler=compiler), variants.values())
        return {(name, names[order]): run for name, orders in zip(variants, done) for order, run in orders.items()}


@functools.cache
def sass(source: str, arch: str) -> dict[str, list[str]]:
    """The instructions that NVIDIA's compiler makes of each kernel, without NOPs; a kernel by its name and template arguments."""
    nvdisasm = next(python("sass").parent.parent.glob("lib/python*/site-packages/nvidia/cu13/bin/nvdisasm"))
    toolkit = next(python("light").parent.parent.glob("lib/python*/site-packages/nvidia/cu13"))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernels.cu"
        file.write_text(source, encoding="utf-8")
        subprocess.run([str(toolkit / "bin" / "nvcc"), "-std=c++17", f"-arch={arch}", f"-I{toolkit / 'include'}", "-cubin",
                        str(file), "-o", str(file.with_suffix(".cubin"))], check=True, capture_output=True)
        text = subprocess.run([str(nvdisasm), "-c", str(file.with_suffix(".cubin"))], check=True, capture_output=True,
                              text=True).stdout
    kernels = {}
    for part in re.split(r"(?m)^\.text\.", text)[1:]:
        length, mangled = re.match(r"_Z(\d+)(\w+)", part).groups()
        template = re.match(r"I(?:(f)|6(float4))?L[ib](\d+)EE", mangled[int(length):])
        words = [{"f": "float"}.get(word, word) for word in template.groups() if word] if template else []
        name = mangled[:int(length)] + (f"<{', '.join(words)}>" if words else "")
        found = [re.sub(r"\s+", " ", line).strip() for line in re.findall(r"(?m)^\s*/\*[0-9a-f]{4}\*/\s+(.*?)\s*;", part)]
        kernels[name] = [line for line in found if line != "NOP"]
    return kernels


def compile(starter: pathlib.Path, arch: str = "sm_80") -> tuple[str, dict[str, dict[str, int]]]:
    """NVIDIA's compiler on a starter: its PTX, and for each kernel registers, bytes of smem and barriers."""
    toolkit = next(python("light").parent.parent.glob("lib/python*/site-packages/nvidia/cu13"))
    nvcc = [str(toolkit / "bin" / "nvcc"), "-std=c++17", f"-arch={arch}", f"-I{toolkit / 'include'}", str(starter)]
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "out.ptx"
        subprocess.run([*nvcc, "-ptx", "-o", str(ptx)], check=True, capture_output=True)
        report = subprocess.run([*nvcc, "-cubin", "-Xptxas", "-v", "-o", str(pathlib.Path(folder) / "out.cubin")],
                                check=True, capture_output=True, text=True).stderr
        text = ptx.read_text(encoding="utf-8")
    kernels = {}
    for length, mangled, used in re.findall(r"Compiling entry function '_Z(\d+)(\w+)'.*?\n.*?Used (.*?)$", report,
                                            re.M | re.S):
        found = {unit: re.search(rf"(\d+)(?: bytes)? {unit}", used) for unit in ("registers", "smem", "barriers")}
        name, rest = mangled[:int(length)], mangled[int(length):]
        integer = re.match(r"ILi(\d+)EE", rest)  # the argument of a template
        name += f"<{integer[1]}>" if integer else ""
        kernels[name] = {unit: int(match[1]) if match else 0 for unit, match in found.items()}
    assert kernels, f"ptxas reported no kernel: {report}"
    return text, kernels
