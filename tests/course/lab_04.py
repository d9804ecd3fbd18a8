"""Lab 04: reduce.cu, executed on the CPU through shim/cuda_runtime.h, and copies of it broken on purpose."""
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

import cuda
import lab_01
from course import CODE, CONTENT, HERE, Skipped, given

STARTER = CODE / "lab-04-cuda-reduce" / "reduce.cu"
KERNELS = ["global atomic", "shared interleaved", "shared sequential", "warp shuffle"]
N = 100_003  # leaves the last block part empty
RESULT = re.compile(r"(.+?)\s+(PASS|FAIL)\s+sum (\S+)\s+error (\S+)")


def variants() -> dict[str, str]:
    """The starter, the starter on a small grid, and three copies with a mistake in them."""
    source = STARTER.read_text(encoding="utf-8")
    in_loop = "    __syncthreads();\n  }"
    no_barriers = cuda.edit(source, in_loop, "  }", "shared-interleaved")
    no_barriers = cuda.edit(no_barriers, in_loop, "  }", "shared-sequential")
    no_barriers = cuda.edit(no_barriers, "  __syncthreads();\n", "", "warp-shuffle")
    no_bounds = cuda.edit(source, "if (i < n) ", "", "naive-atomic")
    no_bounds = cuda.edit(no_bounds, "i < n ? in[i] : 0.0f", "in[i]")
    behind_if = cuda.edit(source, "partial[tid] += partial[tid + stride];\n" + in_loop,
                     "{ partial[tid] += partial[tid + stride]; __syncthreads(); }\n  }", "shared-sequential")
    return {"starter": source, "no barriers": no_barriers, "no i < n": no_bounds,
            "barrier behind its if": behind_if, "grid of 8": cuda.edit(source, "kMaxBlocks = 1024", "kMaxBlocks = 8")}


@functools.cache
def runs() -> dict[tuple[str, str], subprocess.CompletedProcess]:
    """Every variant, compiled once and run in both thread orders."""
    return cuda.run(variants(), str(N))


def lines(variant: str, order: str) -> dict[str, tuple[str, float, float]]:
    """Kernel -> verdict, sum and relative error, as the program printed them."""
    out = runs()[variant, order].stdout
    return {m[1]: (m[2], float(m[3]), float(m[4])) for m in map(RESULT.match, out.splitlines()) if m}


def counts(variant: str) -> list[tuple[int, int]]:
    """Atomics of a launch and barriers of a block, a pair a kernel."""
    found = re.findall(r"launch: (\d+) atomics, (\d+) barriers", runs()[variant, "forward"].stderr)
    return [(int(a), int(b)) for a, b in found[::2]]  # each kernel is launched twice


def expect(variant: str, order: str, failing: list[str]):
    got = lines(variant, order)
    assert list(got) == KERNELS, f"{variant}, {order}: printed {list(got)}"
    failed = [k for k in KERNELS if got[k][0] == "FAIL"]
    assert failed == failing, f"{variant}, {order}: FAIL from {failed or 'none'}, expected {failing or 'none'}"
    status = runs()[variant, order].returncode
    assert status == (1 if failing else 0), f"{variant}, {order}: exit status {status}"


def all_pass():
    """All four kernels PASS in both thread orders."""
    for order in ("forward", "reverse"):
        expect("starter", order, [])


def what_it_counts():
    """Atomics and barriers are those of the table."""
    blocks = -(-N // 256)
    assert counts("starter") == [(N, 0), (blocks, 9), (blocks, 9), (blocks, 1)], counts("starter")


def small_grid():
    """The grid-stride loop covers every element with a grid of 8."""
    for order in ("forward", "reverse"):
        expect("grid of 8", order, [])
    assert counts("grid of 8")[3] == (8, 1), counts("grid of 8")[3]


def missing_barriers():
    """Without the barrier behind its writes, each kernel that has one FAILs."""
    expect("no barriers", "forward", KERNELS[1:])


def lucky_order():
    """In the other order the same broken kernels PASS, as the page says."""
    expect("no barriers", "reverse", [])


def missing_bounds():
    """Without i < n the first three kernels FAIL in both orders."""
    for order in ("forward", "reverse"):
        expect("no i < n", order, KERNELS[:3])


def divergent_barrier():
    """A barrier that some threads skip stops the block."""
    for order in ("forward", "reverse"):
        run = runs()["barrier behind its if", order]
        assert run.returncode == 3 and "never come" in run.stderr, f"{order}: exit status {run.returncode}"


def awake_warps(active, strides, block=256) -> list[int]:
    return [len({t // 32 for t in range(block) if active(t, s)}) for s in strides]


def warp_iterations():
    """Awake warps in each round: 47 interleaved, 12 sequential."""
    up = [2**k for k in range(8)]
    interleaved = awake_warps(lambda t, s: t % (2 * s) == 0, up)
    sequential = awake_warps(lambda t, s: t < s, up[::-1])
    assert interleaved == [8, 8, 8, 8, 8, 4, 2, 1] and sum(interleaved) == 47, interleaved
    assert sequential == [4, 2, 1, 1, 1, 1, 1, 1] and sum(sequential) == 12, sequential
    twice = [2**k for k in range(9)]
    assert sum(awake_warps(lambda t, s: t % (2 * s) == 0, twice, 512)) == 95
    assert awake_warps(lambda t, s: t < s, twice[::-1], 512) == [8, 4, 2] + 6 * [1]


def diagram():
    """Every cell of the page's diagram is an awake warp, and holds the lanes that add."""
    page = (CONTENT / "tracks/ai-infra/labs/lab-04-cuda-reduce.md").read_text(encoding="utf-8")
    drawn = re.findall(r'^(inter|seq)\((\d), (\d), "(\d+)"\)$', page, re.M)
    rules = {"inter": lambda t, k: t % (2 * 2**k) == 0, "seq": lambda t, k: t < 128 >> k}
    expected = {(tree, str(k), str(w), str(lanes)) for tree, active in rules.items() for k in range(8) for w in range(8)
                if (lanes := sum(active(t, k) for t in range(32 * w, 32 * w + 32)))}
    assert len(drawn) == len(set(drawn)) == 47 + 12 and set(drawn) == expected, set(drawn) ^ expected


def bank_conflicts():
    """Multiplying tid by twice the stride puts up to 8 lanes on a bank."""
    def degree(stride):
        words = [2 * stride * t for t in range(256) if 2 * stride * t < 256]
        warps = [words[k:k + 32] for k in range(0, len(words), 32)]
        return max(max(sum(w % 32 == bank for w in warp) for bank in range(32)) for warp in warps)
    found = [degree(2**k) for k in range(6)]
    assert found == [2, 4, 8, 8, 8, 4], found


@functools.cache
def rounding() -> list[float]:
    """Sums of 2^26 floats: reference, one float, totals of blocks."""
    compiler = shutil.which("g++")
    if not compiler:
        raise Skipped("g++ is not installed")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "rounding"
        subprocess.run([compiler, "-std=c++20", "-O1", str(HERE / "rounding.cpp"), "-o", str(program)], check=True)
        out = subprocess.run([str(program), str(2**26)], capture_output=True, text=True, check=True).stdout
    return [float(word) for word in out.split()]


def saturation():
    """One float stops at 2^24, totals of blocks do not."""
    reference, single, blocks = rounding()
    assert single == 2**24, single
    assert abs(single / reference - 1) > 0.4 and abs(blocks / reference - 1) < 1e-3, (reference, single, blocks)


def lab_page():
    n, blocks = 2**24, 2**24 // 256
    forward, reverse = lines("starter", "forward"), lines("starter", "reverse")
    others = {run[k][1] for run in (forward, reverse) for k in KERNELS[1:]}
    assert len(others) == 1, f"the last three kernels print {sorted(others)}"
    reference, single, totals = rounding()
    gradients = lab_01.ledger("llama-3-8b")["weights_bf16"]  # as many, and as wide, as the weights
    floor = {card: 4 * n / (rate * 1e12)
             for card, rate in {"A100": 2.039, "H100": 3.35, "H200": 4.8, "B200": 8.0}.items()}
    return {
        "64 MiB": 4 * n, "67,108,864 bytes": 4 * n, "20.0 µs": floor["H100"], "20.0": floor["H100"] * 1e6,
        "32.9 µs": floor["A100"], "14.0": floor["H200"] * 1e6, "14.0 µs": floor["H200"], "8.4": floor["B200"] * 1e6,
        "67 TFLOP/s": given("NVIDIA's page on the H100"), "3.35 TB/s": given("the same page"), "20 FLOP": 67 / 3.35,
        "16,384": n // 1024, "16.06 GB": gradients, "4.8 ms": gradients / 3.35e12, "28 µs": 2 * floor["H200"], "16,777,216": n, "65,536": blocks, "1,024": 1024, "262,144": 1024 * 256,
        "0.25 FLOP": 1 / 4, "100,003": N, "1,024 bytes": 256 * 4, "128 bytes": 32 * 4, "32 bytes": 256 // 32 * 4, "0 bytes": 0,
        "1756.3": lines("no barriers", "forward")["shared sequential"][1],
        "49854.2": others.pop(), "49854.4": forward["global atomic"][1], "49854.5": reverse["global atomic"][1],
        "1,793": 7 * 256 + 1, "33,524,377": round(reference), "67,108,864": 2**26, "16,777,216.0": single,
        "1.8e-05": abs(totals / reference - 1), "100 %": given("theoretical occupancy, from the compiler's report"),
    }


def section_page():
    return {"999,999": 10**6 - 1}


@functools.cache
def compiled():
    return cuda.compile(STARTER)


def compiler_report():
    """nvcc's PTX holds 19 block barriers and 10 shuffles; registers and shared memory leave an SM's warps room."""
    ptx, kernels = compiled()
    assert (ptx.count("bar.sync"), ptx.count("shfl.sync")) == (19, 10), (ptx.count("bar.sync"), ptx.count("shfl.sync"))
    smem = {name: used["smem"] for name, used in kernels.items()}
    assert smem == {"reduce_global_atomic": 0, "reduce_shared_interleaved": 1024, "reduce_shared_sequential": 1024,
                    "reduce_warp_shuffle": 32}, smem
    assert max(used["registers"] for used in kernels.values()) == 12, kernels


PAGES = {
    "tracks/ai-infra/labs/lab-04-cuda-reduce.md": lab_page,
    "tracks/ai-infra/handbook/04-reductions.md": section_page,
}
CHECKS = [compiler_report, all_pass, what_it_counts, small_grid, missing_barriers, lucky_order, missing_bounds, divergent_barrier,
          warp_iterations, diagram, bank_conflicts, saturation]
