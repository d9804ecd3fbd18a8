#!/usr/bin/env python3
"""Runs a CUDA file on a CPU, with the threads of each block in order and in reverse. Needs g++.

    python3 emulate.py reduce.cu                a file; few floats, if no argument says how many
    python3 emulate.py reduce.cu 1000000 1      a file and its arguments
    python3 emulate.py --banks transpose.cu 32 32   counts the passes over the banks as well

It shows what a kernel computes, and how many atomics and barriers it takes. It cannot show how fast it is.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = pathlib.Path(__file__).resolve().parent / "emulator"
ORDERS = {"in order": {}, "in reverse": {"EMU_REVERSE": "1"}}
SMALL = {"reduce_": ["100003", "1"], "transpose_": ["64", "128", "1"]}  # by a word of the source; seconds, not minutes
LAUNCH = re.compile(r"(\w+(?:<[\w, ]+>)?)<<<\s*([^,>]+?)\s*,\s*([^,>]+?)\s*>>>\(([^;]*)\);")


def for_cpu(source: str) -> str:
    """Rewrites kernel launches as calls; nothing else changes."""
    text, launches = LAUNCH.subn(r"EMU_LAUNCH(\2, \3, \1(\4));", source)
    assert launches > 0, "no kernel launch was found"
    return text


def with_banks(source: str) -> str:
    """Replaces the tile in shared memory by one that records its accesses."""
    source = source.replace("#include <cuda_runtime.h>", '#include <cuda_runtime.h>\n#include "banks.h"')
    return re.sub(r"float tile\[(.*?)\]\[(.*?)\];", r"banks::Tile<\1, \2> tile;", source)


def build(source: str, folder: str, compiler: str) -> str:
    """Compiles a source for the CPU; returns the path of the program."""
    cpp, program = pathlib.Path(folder) / "copy.cpp", pathlib.Path(folder) / "copy"
    cpp.write_text(for_cpu(source), encoding="utf-8")
    subprocess.run([compiler, "-std=c++20", "-O0", f"-I{HEADERS}", str(cpp), "-o", str(program)], check=True)
    return str(program)


def run(program: str, order: str, *arguments: str, **streams) -> subprocess.CompletedProcess:
    return subprocess.run([program, *arguments], env=os.environ | {"EMU_COUNTS": "1"} | ORDERS[order], text=True, **streams)


def emulate(source: str, *arguments: str, compiler: str = "g++") -> dict[str, subprocess.CompletedProcess]:
    """Compiles a source once and runs it in both thread orders."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(source, folder, compiler)
        return {order: run(program, order, *arguments, capture_output=True) for order in ORDERS}


def main(*words: str):
    banks = words[:1] == ("--banks",)
    file, *arguments = words[banks:] or ["--help"]
    if not pathlib.Path(file).is_file():
        sys.exit(__doc__ if file in ("-h", "--help") else f"{file}: no such file")
    source = pathlib.Path(file).read_text(encoding="utf-8")
    if not arguments:  # the file's own default is meant for a GPU
        arguments = next((few for word, few in SMALL.items() if word in source), [])
    with tempfile.TemporaryDirectory() as folder:
        program = build(with_banks(source) if banks else source, folder, "g++")
        for order in ORDERS:
            print(" ".join([f"threads {order}:", pathlib.Path(file).name, *arguments]), flush=True)
            done = run(program, order, *arguments, stderr=subprocess.PIPE)  # its lines appear as kernels end
            print(f"{done.stderr}exit status {done.returncode}\n", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
