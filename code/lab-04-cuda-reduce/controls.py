#!/usr/bin/env python3
"""Changes one line of reduce.cu at a time and times what remains: what does
that line cost? Prints JSON.

    python3 controls.py      on an NVIDIA GPU, with nvcc

A changed kernel may be wrong. Only its time is asked for, so FAIL is fine.
`by_size` times the unchanged file for inputs from 4 MiB to 1 GiB.
"""
import concurrent.futures
import json
import pathlib
import re
import shutil
import sys
import tempfile

from measure import FLOATS, FOLDER, LINE, PASSES, ask, facts

ROOM = ("cudaMalloc(&out, sizeof(float))",
        "cudaMalloc(&out, 67108864 * sizeof(float))")
CONTROLS = {  # name: what is replaced, and by what
    "as it is": [],
    "trees store their sum": [  # no atomics, so no queue
        ROOM, ("if (tid == 0) atomicAdd(out, partial[0]);",
               "if (tid == 0) out[blockIdx.x] = partial[0];")],
    "32 addresses, neighbors": [  # one per lane of a warp
        ROOM, ("atomicAdd(out, in[i])", "atomicAdd(out + i % 32, in[i])")],
    "1024 addresses, neighbors": [
        ROOM, ("atomicAdd(out, in[i])", "atomicAdd(out + i % 1024, in[i])")],
    "an address per thread": [
        ROOM, ("atomicAdd(out, in[i])", "atomicAdd(out + i, in[i])")],
    "grid as large as the data": [
        ("std::min(blocks, sms * per_sm)", "blocks")],
    "one load under way": [
        ("  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;",
         "#pragma unroll 1\n"
         "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;")],
}


def changed(name):
    """reduce.cu with the lines of a control replaced."""
    source = (FOLDER / "reduce.cu").read_text(encoding="utf-8")
    for old, new in CONTROLS[name]:
        if old not in source:
            raise ValueError(f"{name}: reduce.cu has no `{old}`")
        source = source.replace(old, new)
    return source


def build(folder, name):
    file = pathlib.Path(folder) / (re.sub(r"\W", "", name) + ".cu")
    file.write_text(changed(name), encoding="utf-8")
    program = str(file.with_suffix(""))
    ask("nvcc", "-std=c++17", "-O3", "-arch=native", str(file), "-o", program)
    return program


def medians(program, floats, passes=PASSES):
    """Milliseconds of each kernel; status 1 only says that a sum is wrong."""
    out = ask(program, str(floats), str(passes), good=(0, 1))
    return {m[1]: float(m[3]) for m in map(LINE.match, out.splitlines())}


def main():
    if missing := [n for n in ("nvcc", "nvidia-smi") if not shutil.which(n)]:
        print(f"this measurement needs {' and '.join(missing)} and an NVIDIA "
              "GPU", file=sys.stderr)
        return 2
    found = facts() | {"floats": FLOATS, "passes": PASSES}
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor() as pool):
        programs = dict(zip(CONTROLS, pool.map(
            lambda name: build(folder, name), CONTROLS)))
        found["ms"] = {name: medians(program, FLOATS)
                       for name, program in programs.items()}
        found["by_size"] = [
            {"floats": 1 << k, "ms": medians(programs["as it is"], 1 << k, 7)}
            for k in (20, 22, 24, 26, 28)]
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
