"""The scripts measure*.py, which time starters on a GPU: here they run on a CPU, with tiny sizes."""
import ast
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

from course import CODE, Skipped, python

CUDA = [CODE / path for path in ("lab-04-cuda-reduce/measure.py", "lab-05-bank-conflict/measure.py")]
TORCH = {  # script: the parts of its output that must each summarize at least 20 repetitions
    "lab-02-single-gpu-training/measure.py": [f"levers/{lever}" for lever in (
        "none", "accum 4", "recompute", "bfloat16")],
    "lab-06-triton-softmax/measure.py": [f"shapes/8 x 16/{way}" for way in (
        "copy", "five operators", "torch.softmax", "this kernel")],
    "lab-06-triton-softmax/measure_parts.py": [
        *(f"alone/{name}" for name in ("one element", "amax", "sub", "exp", "sum", "div")),
        *(f"rows/2 x 3000/{way}" for way in ("copy", "torch.softmax", "loop", "this kernel"))],
    "lab-07-flashattention/measure.py": [
        "cases/forward/MATH", "cases/forward, causal/FLASH_ATTENTION", "cases/forward and backward, causal/MATH"],
    "lab-07-flashattention/measure_triton.py": ["forward/64 x 64, 4 warps", "forward, causal/64 x 64, 4 warps"],
    "lab-08-zero-fsdp/measure.py": ["block/forward", "block/backward"],
    "lab-09-nsight-profiling/measure.py": ["steps/width 64, 16 rows"],
    "lab-10-vllm-serving/measure.py": ["prompts/16", "decode/2"],
    "lab-11-quantization/measure.py": [f"formats/{name}/{tokens}" for name in ("BF16", "FP8", "INT4")
                                              for tokens in (1, 16, 64, 128, 256, 1024)],
}
ALL = sorted(CODE.glob("*/measure*.py"))
CONTROLS = [CODE / path for path in ("lab-04-cuda-reduce/controls.py", "lab-05-bank-conflict/paddings.py")]
MORE = [*CONTROLS, *(CODE / path for path in ("lab-02-single-gpu-training/peak.py", "lab-09-nsight-profiling/large_step.py"))]


def run(interpreter, script, *arguments, **variables) -> subprocess.CompletedProcess:
    return subprocess.run([str(interpreter), "-B", str(script), *arguments], capture_output=True, text=True,
                          env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""} | variables)


def small():
    """Every script is listed here, short, and no wider than 79 columns."""
    assert set(ALL) == {*CUDA, *(CODE / name for name in TORCH)}, ALL
    for script in ALL + MORE:
        lines = script.read_text(encoding="utf-8").splitlines()
        ast.parse("\n".join(lines))
        assert len(lines) <= 145 and max(map(len, lines)) <= 79, f"{script}: {len(lines)} lines, or too wide"


def refuse():
    """Without a GPU or without its tools, a script says so in one line, prints nothing else and has status 2."""
    for script in ALL + MORE:
        done = run(python("light"), script, PATH="")
        assert done.returncode == 2 and not done.stdout, f"{script}: {done}"
        assert re.fullmatch(r".*(PyTorch|torch|nvcc).*\n", done.stderr), f"{script}: {done.stderr}"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("nvcc", "nvidia-smi"):
            file = pathlib.Path(folder) / name
            file.write_text("#!/bin/sh\necho No devices were found\nexit 6\n", encoding="utf-8")
            file.chmod(0o755)
        for script in CUDA + CONTROLS:
            done = run(sys.executable, script, PATH=folder)
            assert (done.returncode, done.stdout) == (2, ""), f"{script}: {done}"
            assert done.stderr == "nvidia-smi failed: No devices were found\n", f"{script}: {done.stderr}"


def polite():
    """Without PyTorch the training loops of labs 02 and 03 say in one line what they need."""
    for name in ("lab-02-single-gpu-training/train_single_gpu.py", "lab-03-ddp-conversion/train_ddp.py"):
        done = run(python("light"), CODE / name)
        assert (done.returncode, done.stdout) == (1, ""), f"{name}: {done}"
        assert done.stderr == "this needs PyTorch: pip install torch==2.15.0\n", f"{name}: {done.stderr}"


def emulated():
    """The kernels of labs 04 and 05 run in the emulator, and the output has each of them."""
    kernels = [["global atomic", "shared interleaved", "shared sequential", "warp shuffle", "vector loads"],
               ["copy", "naive", "tiled", "padded", "aligned", "swizzled"]]
    for script, names in zip(CUDA, kernels):
        done = run(sys.executable, script, "--device", "cpu")
        if done.returncode == 2:
            raise Skipped(done.stderr.strip())
        found = json.loads(done.stdout)
        assert found["kernels"] == {name: {"right": True, "medians_ms": []} for name in names}, found
        assert found["device"].startswith("CPU") and re.fullmatch(r"\d{4}-\d\d-\d\d", found["date"]), found


def summarized():
    """From the lines that a GPU prints: the median over runs and the bandwidth; one wrong run is enough."""
    lines = (("warp shuffle       {}  sum 8384512.0  error 1.0e-08  median {} ms  9 GB/s\n", 1 << 24),
             ("8192 x 8192  padded    {}  median {} ms  9 GB/s\n", 8192))
    for script, (line, size) in zip(CUDA, lines):
        module = types.ModuleType(script.stem)
        module.__file__ = str(script)
        exec(compile(script.read_text(encoding="utf-8"), script, "exec"), module.__dict__)
        runs = [line.format(*run) for run in (("PASS", .04), ("PASS", .02), ("FAIL", .05))]
        (found,) = module.summary([run.strip() for run in runs], size).values()
        moved = 4 * size if size > 8192 else 8 * size**2
        assert found["median_ms"] == .04 and found["medians_ms"] == [.04, .02, .05] and not found["right"], found
        assert abs(found["gbyte_per_s"] - moved / .04e-3 / 1e9) < 1e-6, found


def timed():
    """With PyTorch, each script runs on a CPU, and says without a GPU that it needs one."""
    if os.environ.get("VERIFY_TORCH") != "1":
        raise Skipped("set VERIFY_TORCH=1 to run them with PyTorch, a download of some 3 GB")
    for script in MORE[2:]:
        done = run(python("torch"), script)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", "this measurement needs an NVIDIA GPU\n"), done
    for options in ([], ["--ready"]):
        done = run(python("torch"), MORE[3], "--device", "cpu", "--rows", "2", *options)
        found = json.loads(done.stdout)
        assert found["rows"] == 2 and found["ready"] == bool(options) and 0 < found["clock_ms"], found
    for name, parts in TORCH.items():
        done = run(python("torch"), CODE / name)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", "this measurement needs an NVIDIA GPU\n"), done
        done = run(python("torch"), CODE / name, "--device", "cpu")
        assert done.returncode == 0, f"{name}: {done.stderr[-2000:]}"
        found = json.loads(done.stdout)
        assert found["device"].startswith("CPU") and found["torch"] and found["date"] and found["python"], found
        for part in parts:
            got = functools.reduce(lambda inner, key: inner[key], part.split("/"), found)
            low, high = got["quartiles_ms"]
            assert 0 < low <= got["median_ms"] <= high and got["repeats"] >= 20, f"{name}: {part}: {got}"


CHECKS = [small, refuse, polite, emulated, summarized, timed]
