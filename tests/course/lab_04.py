"""Lab 04: reduce.cu, executed on the CPU through shim/cuda_runtime.h, and copies of it broken on purpose."""
import concurrent.futures
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

from course import CODE, Skipped

STARTER = CODE / "lab-04-cuda-reduce" / "reduce.cu"
HERE = pathlib.Path(__file__).parent
KERNELS = ["global atomic", "shared interleaved", "shared sequential", "warp shuffle"]
N = 100_003  # leaves the last block part empty
LAUNCH = re.compile(r"(\w+(?:<[\w, ]+>)?)<<<\s*([^,>]+?)\s*,\s*([^,>]+?)\s*>>>\(([^;]*)\);")
RESULT = re.compile(r"(.+?)\s+(PASS|FAIL)\s+sum (\S+)\s+error (\S+)")


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


def variants() -> dict[str, str]:
    """The starter, the starter on a small grid, and three copies with a mistake in them."""
    source = STARTER.read_text(encoding="utf-8")
    in_loop = "    __syncthreads();\n  }"
    no_barriers = edit(source, in_loop, "  }", "shared-interleaved")
    no_barriers = edit(no_barriers, in_loop, "  }", "shared-sequential")
    no_barriers = edit(no_barriers, "  __syncthreads();\n", "", "warp-shuffle")
    no_bounds = edit(source, "if (i < n) ", "", "naive-atomic")
    no_bounds = edit(no_bounds, "i < n ? in[i] : 0.0f", "in[i]")
    behind_if = edit(source, "partial[tid] += partial[tid + stride];\n" + in_loop,
                     "{ partial[tid] += partial[tid + stride]; __syncthreads(); }\n  }", "shared-sequential")
    return {"starter": source, "no barriers": no_barriers, "no i < n": no_bounds,
            "barrier behind its if": behind_if, "grid of 8": edit(source, "kMaxBlocks = 1024", "kMaxBlocks = 8")}


@functools.cache
def runs() -> dict[tuple[str, str], subprocess.CompletedProcess]:
    """Every variant, compiled once and run in both thread orders."""
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
            return {(name, order): subprocess.run([str(program), str(N)], env=env, capture_output=True, text=True)
                    for order, env in {"forward": {"EMU_COUNTS": "1"},
                                       "reverse": {"EMU_COUNTS": "1", "EMU_REVERSE": "1"}}.items()}

        with concurrent.futures.ThreadPoolExecutor() as pool:
            found = {}
            for part in pool.map(build_and_run, enumerate(variants().items())):
                found |= part
            return found


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


def awake_warps(active, strides) -> list[int]:
    return [len({t // 32 for t in range(256) if active(t, s)}) for s in strides]


def warp_iterations():
    """Awake warps in each round: 47 interleaved, 12 sequential."""
    up = [2**k for k in range(8)]
    interleaved = awake_warps(lambda t, s: t % (2 * s) == 0, up)
    sequential = awake_warps(lambda t, s: t < s, up[::-1])
    assert interleaved == [8, 8, 8, 8, 8, 4, 2, 1] and sum(interleaved) == 47, interleaved
    assert sequential == [4, 2, 1, 1, 1, 1, 1, 1] and sum(sequential) == 12, sequential


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


CHECKS = [all_pass, what_it_counts, small_grid, missing_barriers, lucky_order, missing_bounds, divergent_barrier,
          warp_iterations, bank_conflicts, saturation]
