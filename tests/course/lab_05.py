"""Lab 05: transpose.cu, executed on the CPU, turns counted from the addresses it uses, and copies broken on purpose."""
import functools
import math
import re

import cuda
from course import CODE, CONTENT, given

STARTER = CODE / "lab-05-bank-conflict" / "transpose.cu"
PAGE = "tracks/ai-infra/labs/lab-05-bank-conflict.md"
KERNELS = ["copy", "naive", "tiled", "padded", "swizzled"]
TILED = KERNELS[2:]
WIDTHS = [31, 32, 33, 34, 36, 40, 48, 64]
ODD, SQUARE, WIDE = SHAPES = (200, 133), (64, 64), (64, 128)  # WIDE: full tiles, but more columns than rows
STORE, LOAD = "tile[ty + j][tx]", "tile[tx][ty + j]"
IN_GUARD, OUT_GUARD = "if (x < cols && y + j < rows)", "if (x < rows && y + j < cols)"
FILL = "    CUDA_CHECK(cudaMemset(out, 0xff, size));  // every float a NaN\n"
RESULT = re.compile(r" *(\d+) x +(\d+)  (\w+) +(PASS|FAIL)")


def turns(addresses) -> int:
    """The most different words of four bytes that one of 32 banks is asked for."""
    words = {address // 4 for address in addresses}
    return max(sum(word % 32 == bank for word in words) for bank in range(32))


def edited(*edits) -> str:
    """The starter after replacements, each (old, new, region)."""
    source = STARTER.read_text(encoding="utf-8")
    for old, new, region in edits:
        source = cuda.edit(source, old, new, region)
    return source


def traced(source: str) -> str:
    """The same kernels on a tile that writes down who asks for which word."""
    source = cuda.edit(source, "#include <cuda_runtime.h>", '#include <cuda_runtime.h>\n#include "banks.h"')
    return re.sub(r"float tile\[(.*?)\]\[(.*?)\];", r"banks::Tile<\1, \2> tile;", source)


def variants() -> dict[str, str]:
    """The starter and copies with a mistake in them, each of which tries all three shapes."""
    barrier = "  __syncthreads();\n"
    place = "  x = blockIdx.y * kTile + tx;  // the tile's place in the output\n  y = blockIdx.x * kTile + ty;\n"
    nothing = ("out[(y + j) * rows + x] = tile[tx][ty + j]", "", "tiled")
    found = {
        "starter": edited(),
        "no barrier": edited((barrier, "", "tiled"), (barrier, "", "swizzled")),
        "never turned": edited((LOAD, STORE, "tiled"), ("tile[tx][(ty + j) ^ tx]", "tile[ty + j][tx ^ (ty + j)]",
                                                        "swizzled")),
        "tiles in place": edited((place, "", "tiled")),
        "no guard on the way out": edited((OUT_GUARD, "", "tiled"), (OUT_GUARD, "", "swizzled")),
        "no guard on the way in": edited((IN_GUARD, "", "naive"), (IN_GUARD, "", "tiled"), (IN_GUARD, "", "swizzled")),
        "old guard": edited((OUT_GUARD, IN_GUARD, "tiled")),
        "swizzled once": edited(("(ty + j) ^ tx", "ty + j", "swizzled")),
        "stores nothing": edited(nothing),
        "stores nothing, no fill": edited(nothing, (FILL, "", "harness")),
    }
    shapes = " & ".join(f"run_all({rows}, {cols})" for rows, cols in SHAPES)
    return {name: cuda.edit(source, "run_all(200, 133) && run_all(4096, 4096)", shapes, "main")
            for name, source in found.items()}


@functools.cache
def verdicts() -> dict[tuple[str, str], dict[tuple[int, int], dict[str, str]]]:
    """Variant and thread order -> shape -> kernel -> PASS or FAIL."""
    found = {}
    for run, done in cuda.run(variants()).items():
        shapes = found[run] = {shape: {} for shape in SHAPES}
        for rows, cols, kernel, verdict in RESULT.findall(done.stdout):
            shapes[int(rows), int(cols)][kernel] = verdict
        assert all(list(kernels) == KERNELS for kernels in shapes.values()), f"{run}: {done.stdout}{done.stderr}"
        assert done.returncode == ("FAIL" in done.stdout), f"{run}: exit status {done.returncode}"
    return found


def expect(variant: str, shape, failing: list[str]):
    for order in ("forward", "reverse"):
        failed = [kernel for kernel, verdict in verdicts()[variant, order][shape].items() if verdict == "FAIL"]
        assert failed == failing, f"{variant} {shape}, {order}: FAIL from {failed or 'none'}, not {failing or 'none'}"


def all_pass():
    """All five kernels PASS on full, partial, square and oblong shapes, in both thread orders."""
    for shape in (ODD, SQUARE, WIDE):
        expect("starter", shape, [])


def missing_barrier():
    """Without its barrier every tiled kernel FAILs in both thread orders."""
    for shape in (ODD, SQUARE):
        expect("no barrier", shape, TILED)


def swapped_indices():
    """A tile that is not turned, not moved, or swizzled on one side only FAILs."""
    for shape in (ODD, SQUARE, WIDE):
        expect("never turned", shape, TILED)
        expect("tiles in place", shape, TILED[:2])
        expect("swizzled once", shape, TILED[2:])


def dropped_guards():
    """Dropped bounds checks FAIL at 200 x 133 and PASS where all tiles are full."""
    expect("no guard on the way out", ODD, TILED)
    expect("no guard on the way in", ODD, ["naive"])  # a tile's stray reads are never stored
    for shape in (SQUARE, WIDE):
        expect("no guard on the way out", shape, [])
        expect("no guard on the way in", shape, [])


def old_guard():
    """Limits that do not change sides PASS on a square and FAIL on an oblong matrix."""
    expect("old guard", SQUARE, [])
    expect("old guard", WIDE, TILED[:2])
    expect("old guard", ODD, TILED[:2])


def output_is_cleared():
    """A kernel that stores nothing FAILs, and would PASS on the one before it without the fill."""
    expect("stores nothing", ODD, TILED[:2])
    expect("stores nothing, no fill", ODD, [])


@functools.cache
def counted() -> dict[str, dict[str, tuple[int, int]]]:
    """Turns of a tile's stores and loads by kernel, from the addresses used on one full tile."""
    spare_row = edited(("tile[kTile][kTile + kPad]", "tile[kTile + kPad][kTile]", "tiled"))
    first = edited((STORE, "tile[SWAP]", "tiled"), (LOAD, STORE, "tiled"), ("tile[SWAP]", LOAD, "tiled"))
    found = {}
    variants = {"starter": edited(), "spare row": spare_row, "turned on the way in": first}
    for (name, order), done in cuda.run({name: traced(text) for name, text in variants.items()}, "32", "32").items():
        assert done.returncode == 0 and done.stdout.count("PASS") == 5, f"{name}: {done.stdout}"
        lines = [list(map(int, line.split()[1:])) for line in done.stderr.splitlines() if line.startswith("turns:")]
        found[name, order] = {kernel: (sum(line[:4]), sum(line[4:])) for kernel, line in zip(KERNELS, lines[::2])}
    for name in variants:
        assert found[name, "forward"] == found[name, "reverse"], name
    return {name: found[name, "forward"] for name in variants}


def turns_of_the_kernels():
    """The kernels' own addresses take 1,056, 64 and 64 turns a tile; a spare row or an early turn repairs nothing."""
    none = {"copy": (0, 0), "naive": (0, 0)}
    swizzled = {"swizzled": (32, 32)}
    assert counted() == {
        "starter": none | {"tiled": (32, 1024), "padded": (32, 32)} | swizzled,
        "spare row": none | {"tiled": (32, 1024), "padded": (32, 1024)} | swizzled,
        "turned on the way in": none | {"tiled": (1024, 32), "padded": (32, 32)} | swizzled,
    }, counted()


@functools.cache
def model() -> tuple[dict[int, list[int]], list[int]]:
    """What --model prints: by width bytes, row, column, 16-bit column and turns a tile; then the two last lines."""
    done = cuda.run({"starter": edited()}, "--model")["starter", "forward"]
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["width", "bytes", "row", "column", "16-bit", "a", "tile"], head
    table = {int(line.split()[0]): [int(word) for word in line.split()[1:]] for line in lines[:-2]}
    return table, [int(number) for line in lines[-2:] for number in re.findall(r"\d+", line)]


def bank_table():
    """--model prints gcd(width, 32), what counting gives for other layouts, and the rows of the page's table."""
    table, rest = model()
    assert list(table) == WIDTHS, list(table)
    for width, (size, row, column, narrow, tile) in table.items():
        assert (size, row, column) == (32 * width * 4, 1, math.gcd(width, 32)), width
        counted = max(turns([r * width * 2 + 2 * c for r in range(32)]) for c in range(width))
        assert (narrow, tile) == (counted, 32 + 32 * column), width
    for stride in range(1, 65):
        assert turns([4 * stride * lane for lane in range(32)]) == math.gcd(stride, 32), stride
    page = (CONTENT / PAGE).read_text(encoding="utf-8").replace(",", "")
    for width, row in table.items():
        assert f"| {width} | {' | '.join(map(str, row))} |" in page, f"the page's row for {width}"
    swizzled = [[4 * (32 * r + (c ^ r)) for c in range(32)] for r in range(32)]
    assert {turns(line) for line in [*swizzled, *zip(*swizzled)]} == {1}
    assert rest == [1, 1, 64, 4, 32, 4096], rest
    assert turns([0] * 32) == 1


def the_drawing():
    """The dots of the page's drawing are the banks of its layouts."""
    drawn = re.findall(r"row\((\d+),(\d+),(\d+)\);", (CONTENT / PAGE).read_text(encoding="utf-8"))
    assert [tuple(map(int, dot)) for dot in drawn] == [(r, r * 34 % 32, (32 * r + (5 ^ r)) % 32) for r in range(32)]
    assert all(r * 32 % 32 == 0 and r * 33 % 32 == r for r in range(32))


def sectors():
    """Sectors of a warp: 4 side by side, 5 if they begin within one, 32 for rows apart."""
    def touched(first, stride):
        return len({(first + stride * lane) // 32 for lane in range(32)})
    assert (touched(0, 4), touched(20, 4), touched(0, 4096 * 4)) == (4, 5, 32)
    assert 133 * 4 % 32 == 20


def narrow_tiles():
    """The handbook's tiles of two-byte elements: 32, 1 and 2 turns, pieces of 16 bytes 8 and 1."""
    def column(width, place=lambda r, c: c):
        return {turns([2 * (r * width + place(r, c)) for r in range(32)]) for c in range(width)}

    def pieces(place):
        return {turns([128 * r + 16 * place(r, p) + byte for r in range(8) for byte in range(0, 16, 4)])
                for p in range(8)}
    assert (column(64), column(66), column(65)) == ({32}, {1}, {2})
    assert (pieces(lambda r, p: p), pieces(lambda r, p: p ^ r)) == ({8}, {1})
    assert column(64, lambda r, c: 8 * (c // 8 ^ r % 8) + c % 8) == {4}


@functools.cache
def compiled(arch: str):
    return cuda.compile(STARTER, arch)


def compiler_report():
    """nvcc finds 4,096, 4,224 and 4,096 bytes of shared memory on five architectures, and 26 registers for sm_80's tiles."""
    for arch in ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"):
        ptx, kernels = compiled(arch)
        assert ptx.count("bar.sync") == 3, ptx.count("bar.sync")
        smem = {name: (used["smem"], used["barriers"]) for name, used in kernels.items()}
        assert smem == {"copy_rows": (0, 0), "transpose_naive": (0, 0), "transpose_tiled<0>": (4096, 1),
                        "transpose_tiled<1>": (4224, 1), "transpose_swizzled": (4096, 1)}, smem
    bodies = re.findall(r"\.entry \w+tiledILi(\d)E\w*\((.*?)\n\}", compiled("sm_80")[0], re.S)
    steps = {pad: set(re.findall(r"(shl|mad)\S+\s.*, (?:7|132)\b", body)) for pad, body in bodies}
    assert steps == {"0": {"shl"}, "1": {"mad"}}, steps
    for name in ("transpose_tiled<0>", "transpose_tiled<1>"):
        assert compiled("sm_80")[1][name]["registers"] == 26, compiled("sm_80")[1]
    registers, threads = -(-26 * 32 // 256) * 256, 256  # of a warp; handed out in units of 256
    blocks = min(64 * 32 // threads, 65536 // (registers * threads // 32), 164 * 1024 // (4224 + 1024))
    assert blocks * threads == 64 * 32, blocks


def lab_page():
    table, _ = model()
    n, tiles = 4096 * 4096, (4096 // 32)**2
    plain, padded = sum(counted()["starter"]["tiled"]), sum(counted()["starter"]["padded"])
    floor = {card: 8 * n / (rate * 1e12)
             for card, rate in {"A100": 2.039, "H100": 3.35, "H200": 4.8, "B200": 8.0}.items()}
    on_a100 = {name: tiles * each / 108 / 1.41e9 for name, each in {"plain": plain, "padded": padded}.items()}
    return {
        "128 bytes": 32 * 4, "134,217,728 bytes": 8 * n, "65.8 µs": floor["A100"], "65.8": floor["A100"] * 1e6,
        "113.6 µs": on_a100["plain"], "6.9 µs": on_a100["padded"],
        "2.039 TB/s": given("the bandwidth of an A100"), "1.41": given("the boost clock of an A100, in GHz"),
        "58 %": floor["A100"] / on_a100["plain"],
        "16,384": tiles, "1,056": plain, "17,301,504": tiles * plain, "160,199": tiles * plain / 108,
        "16,777,216": tiles * counted()["starter"]["tiled"][1], "524,288": tiles * 32,
        "40.1 µs": floor["H100"], "28.0": floor["H200"] * 1e6, "16.8": floor["B200"] * 1e6,
        "20.0 µs": 4 * n / 3.35e12, "64 MiB": 4 * n, "50 MB": given("the L2 of an H100"),
        "4 bytes": 4, "32 bytes": 32, "16 bytes": given("the width of a wide load"), "132 bytes": 33 * 4,
        "1,024": 32 * 32, "3.1 %": table[33][0] / table[32][0] - 1,
        "100 %": given("theoretical occupancy, from the compiler's report"),
        **{f"{row[0]:,}": row[0] for row in table.values()}, "4,224 bytes": table[33][0], "4,096 bytes": table[32][0],
    }


def section_page():
    return {
        "128 bytes": 32 * 4, "4 bytes": 4, "16 bytes": given("the width of a wide load"), "132 bytes": 66 * 2,
        "130 bytes": 65 * 2, "2 bytes": 2, "32 bytes": 32, "20 bytes": 133 * 4 % 32, "512 bytes": 32 * 16,
    }


PAGES = {
    PAGE: lab_page,
    "tracks/ai-infra/handbook/05-shared-memory-layout.md": section_page,
}
CHECKS = [all_pass, missing_barrier, swapped_indices, dropped_guards, old_guard, output_is_cleared,
          turns_of_the_kernels, bank_table, the_drawing, sectors, narrow_tiles, compiler_report]
