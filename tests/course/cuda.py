"""CUDA files on a CPU: a compiler for them, the emulator in shim/, and copies that are broken on purpose.

    python3 tests/course/cuda.py FILE [ARGUMENT ...]      runs a file as it is now, in both thread orders; ignore its times
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from course import HERE, Skipped, python

LAUNCH = re.compile(r"(\w+(?:<[\w, ]+>)?)<<<\s*([^,>]+?)\s*,\s*([^,>]+?)\s*>>>\(([^;]*)\);")


def for_cpu(source: str) -> str:
    """The only rewriting of a starter: kernel launches become calls."""
    text, launches = LAUNCH.subn(r"EMU_LAUNCH(\2, \3, \1(\4));", source)
    assert launches > 0, "no kernel launch was rewritten"
    return text


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
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)

        def build_and_run(item):
            number, (name, source) = item
            cpp, program = base / f"{number}.cpp", base / f"{number}"
            cpp.write_text(for_cpu(source), encoding="utf-8")
            subprocess.run([compiler, "-std=c++20", "-O0", f"-I{HERE / 'shim'}", str(cpp), "-o", str(program)],
                           check=True)
            return {(name, order): subprocess.run([str(program), *arguments], env=env, capture_output=True, text=True)
                    for order, env in {"forward": {"EMU_COUNTS": "1"},
                                       "reverse": {"EMU_COUNTS": "1", "EMU_REVERSE": "1"}}.items()}

        with concurrent.futures.ThreadPoolExecutor() as pool:
            found = {}
            for part in pool.map(build_and_run, enumerate(variants.items())):
                found |= part
            return found


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


def main(file: str, *arguments: str):
    for (_, order), done in run({file: pathlib.Path(file).read_text(encoding="utf-8")}, *arguments).items():
        print(f"threads {order}, exit status {done.returncode}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
