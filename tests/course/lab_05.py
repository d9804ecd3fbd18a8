"""Lab 05: transpose.cu, executed on the CPU, passes counted from the addresses it uses, copies broken on purpose, banks.py."""
import functools
import json
import math
import re
import subprocess
import sys
import types

import cuda
from course import CODE, CONTENT

FOLDER = CODE / "lab-05-bank-conflict"
STARTER = FOLDER / "transpose.cu"
PAGE = "tracks/ai-infra/labs/lab-05-bank-conflict.md"
KERNELS = ["copy", "naive", "tiled", "padded", "aligned", "swizzled"]
TILED = KERNELS[2:]
WIDTHS = [31, 32, 33, 34, 36, 40, 48, 64]
ODD, SQUARE, WIDE = SHAPES = (200, 133), (64, 64), (64, 128)  # WIDE: full tiles, but more columns than rows
STORE, LOAD = "tile[ty + j][tx]", "tile[tx][ty + j]"
IN_GUARD, OUT_GUARD = "if (x < cols && y + j < rows)", "if (x < rows && y + j < cols)"
FILL = "    CUDA_CHECK(cudaMemset(out, 0xff, size));  // every float a NaN\n"
RESULT = re.compile(r" *(\d+) x +(\d+)  (\w+) +(PASS|FAIL)")


def passes(addresses) -> int:
    """The most different words of four bytes that one of 32 banks is asked for."""
    words = {address // 4 for address in addresses}
    return max(sum(word % 32 == bank for word in words) for bank in range(32))


def edited(*edits) -> str:
    """The starter after replacements, each (old, new, region)."""
    source = STARTER.read_text(encoding="utf-8")
    for old, new, region in edits:
        source = cuda.edit(source, old, new, region)
    return source


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
    shapes = " & ".join(f"run_all({rows}, {cols}, 1)" for rows, cols in SHAPES)
    return {name: cuda.edit(source, "run_all(200, 133, 1) && run_all(8192, 8192, repeats)", shapes)
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
    """All six kernels PASS on full, partial, square and oblong shapes, in both thread orders."""
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
        expect("tiles in place", shape, TILED[:3])
        expect("swizzled once", shape, TILED[3:])


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
    expect("old guard", WIDE, TILED[:3])
    expect("old guard", ODD, TILED[:3])


def output_is_cleared():
    """A kernel that stores nothing FAILs, and would PASS on the one before it without the fill."""
    expect("stores nothing", ODD, TILED[:3])
    expect("stores nothing, no fill", ODD, [])


@functools.cache
def counted() -> dict[str, dict[str, tuple[int, int]]]:
    """Passes of a tile's stores and loads by kernel, from the addresses used on one full tile."""
    spare_row = edited(("tile[kTile][kTile + kPad]", "tile[kTile + kPad][kTile]", "tiled"))
    first = edited((STORE, "tile[SWAP]", "tiled"), (LOAD, STORE, "tiled"), ("tile[SWAP]", LOAD, "tiled"))
    found = {}
    variants = {"starter": edited(), "spare row": spare_row, "transposed on the way in": first}
    for (name, order), done in cuda.run({name: cuda.EMULATOR.with_banks(text) for name, text in variants.items()}, "32", "32", "1").items():
        assert done.returncode == 0 and done.stdout.count("PASS") == 6, f"{name}: {done.stdout}"
        lines = [list(map(int, line.split()[1:])) for line in done.stderr.splitlines() if line.startswith("passes:")]
        found[name, order] = {kernel: (sum(line[:4]), sum(line[4:])) for kernel, line in zip(KERNELS, lines[::2])}
    for name in variants:
        assert found[name, "forward"] == found[name, "reverse"], name
    return {name: found[name, "forward"] for name in variants}


def passes_of_the_kernels():
    """The kernels' own addresses take 1,056, 64, 160 and 64 passes per tile; a spare row or transposing early repairs nothing."""
    none = {"copy": (0, 0), "naive": (0, 0)}
    swizzled = {"swizzled": (32, 32)}
    assert counted() == {
        "starter": none | {"tiled": (32, 1024), "padded": (32, 32), "aligned": (32, 128)} | swizzled,
        "spare row": none | {"tiled": (32, 1024), "padded": (32, 1024), "aligned": (32, 1024)} | swizzled,
        "transposed on the way in": none | {"tiled": (1024, 32), "padded": (32, 32), "aligned": (128, 32)} | swizzled,
    }, counted()


@functools.cache
def printed(*arguments: str) -> str:
    return subprocess.run([sys.executable, str(FOLDER / "banks.py"), *arguments], capture_output=True, text=True,
                          check=True).stdout


def bank_table():
    """banks.py gives gcd(width, 32), what counting gives for other layouts, and what the kernels really do."""
    found = json.loads(printed("--json"))
    xor = found["layouts"].pop("XOR")
    assert list(map(int, found["layouts"])) == WIDTHS, found
    for name, each in found["layouts"].items():
        width, (size, row, column, narrow, tile) = int(name), each.values()
        assert (size, row, column) == (32 * width * 4, 1, math.gcd(width, 32)), width
        counted_ = max(passes([r * width * 2 + 2 * c for r in range(32)]) for c in range(width))
        assert (narrow, tile) == (counted_, 32 + 32 * column), width
    for stride in range(1, 65):
        assert passes([4 * stride * lane for lane in range(32)]) == math.gcd(stride, 32), stride
    swizzled = [[4 * (32 * r + (c ^ r)) for c in range(32)] for r in range(32)]
    assert {passes(line) for line in [*swizzled, *zip(*swizzled)]} == {1} == {xor["row"], xor["column"]}
    assert found["one word"] == passes([0] * 32) == 1
    kernels = {"32": "tiled", "33": "padded", "36": "aligned"}
    assert {found["layouts"][w]["passes per tile"] == sum(counted()["starter"][k]) for w, k in kernels.items()} == {True}


def one_width():
    """--width prints the banks of a column and the conflict."""
    for width in WIDTHS:
        lines = printed("--width", str(width)).splitlines()
        assert lines[-1] == f"{math.gcd(width, 32)}-way bank conflict" and len(lines) == 32 // math.gcd(width, 32) + 1


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
    """The handbook's tiles of two-byte elements: 32, 1 and 2 passes, chunks of 16 bytes 8 and 1."""
    def column(width, place=lambda r, c: c):
        return {passes([2 * (r * width + place(r, c)) for r in range(32)]) for c in range(width)}

    def chunks(place):
        return {passes([128 * r + 16 * place(r, p) + byte for r in range(8) for byte in range(0, 16, 4)])
                for p in range(8)}
    assert (column(64), column(66), column(65)) == ({32}, {1}, {2})
    assert (chunks(lambda r, p: p), chunks(lambda r, p: p ^ r)) == ({8}, {1})
    assert column(64, lambda r, c: 8 * (c // 8 ^ r % 8) + c % 8) == {4}


@functools.cache
def compiled(arch: str):
    return cuda.compile(STARTER, arch)


def compiler_report():
    """nvcc finds 4,096, 4,224, 4,608 and 4,096 bytes of shared memory on five architectures, and 26 registers for sm_80's tiles."""
    for arch in ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"):
        ptx, kernels = compiled(arch)
        assert ptx.count("bar.sync") == 4, ptx.count("bar.sync")
        smem = {name: (used["smem"], used["barriers"]) for name, used in kernels.items()}
        assert smem == {"copy_rows": (0, 0), "transpose_naive": (0, 0), "transpose_tiled<0>": (4096, 1),
                        "transpose_tiled<1>": (4224, 1), "transpose_tiled<4>": (4608, 1), "transpose_swizzled": (4096, 1)}, smem
    bodies = re.findall(r"\.entry \w+tiledILi(\d)E\w*\((.*?)\n\}", compiled("sm_80")[0], re.S)
    steps = {pad: set(re.findall(r"(shl|mad)\S+\s.*, (?:7|132|144)\b", body)) for pad, body in bodies}
    assert steps == {"0": {"shl"}, "1": {"mad"}, "4": {"mad"}}, steps
    for name in ("transpose_tiled<0>", "transpose_tiled<1>"):
        assert compiled("sm_80")[1][name]["registers"] == 26, compiled("sm_80")[1]
    registers, threads = -(-26 * 32 // 256) * 256, 256  # of a warp; handed out in units of 256
    blocks = min(64 * 32 // threads, 65536 // (registers * threads // 32), 164 * 1024 // (4224 + 1024))
    assert blocks * threads == 64 * 32, blocks


def loads_before_stores():
    """Three loads of copy and naive come before a store, without __restrict__ one does; the tiled kernels have four either way."""
    source = STARTER.read_text(encoding="utf-8")
    for text, lead in ((source, 3), (source.replace(" __restrict__", ""), 1)):
        for arch in ("sm_80", "sm_90"):
            kernels = cuda.sass(text, arch)
            for name, expected in (("copy_rows", lead), ("transpose_naive", lead), ("transpose_tiled<0>", 4),
                                   ("transpose_tiled<1>", 4), ("transpose_tiled<4>", 4), ("transpose_swizzled", 4)):
                ops = [match[0] for line in kernels[name] if (match := re.search("LDG|STG|STS", line))]
                assert ops.index("STG" if "STS" not in ops else "STS") == expected, (arch, name, ops)


def padded_chunks():
    """Eight chunks of 16 bytes in rows of 128 bytes have an 8-way conflict, of 132 a 4-way one and bad alignment, of 144 none."""
    def chunks(row):
        return [row * r + 4 * word for r in range(8) for word in range(4)]
    assert [passes(chunks(row)) for row in (128, 132, 144)] == [8, 4, 1]
    assert [row % 16 for row in (132, 144)] == [4, 0]
    assert passes([144 * r for r in range(32)]) == 4, "a column of floats"


def stored(name: str) -> dict:
    """What was measured on an H200 on 2026-11-26."""
    return json.loads((FOLDER / f"h200-{name}.json").read_text(encoding="utf-8"))


def counted_on_a_gpu():
    """ncu counts the sectors exactly, and up to 3 passes per tile more than the addresses say, conflict or not."""
    ncu, tiles = stored("counters"), (8192 // 32) ** 2
    names = {"tiled": "transpose_tiled<0>", "padded": "transpose_tiled<1>", "aligned": "transpose_tiled<4>", "swizzled": "transpose_swizzled"}
    for kernel, name in names.items():
        for kind, computed in zip(("st", "ld"), counted()["starter"][kernel]):
            got = ncu[name][f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum"] / tiles
            assert 0 < got - computed < (3 if computed < 1000 else 12) + (4 if kernel == "aligned" else 0), (kernel, kind, got, computed)
    for name, found in ncu.items():
        per_store = found["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] / found["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]
        assert per_store == (32 if name == "transpose_naive" else 4), (name, per_store)


def every_padding():
    """paddings.py replaces the one plain kernel; its times rise with the passes that banks.py counts, and not before an 8-way conflict."""
    timed = stored("paddings")["kernels"]
    module = types.ModuleType("paddings")
    before = {name: sys.modules.pop(name, None) for name in ("measure", "banks")}
    sys.path.insert(0, str(FOLDER))
    try:
        exec(compile((FOLDER / "paddings.py").read_text(encoding="utf-8"), "paddings", "exec"), module.__dict__)
    finally:
        sys.path.remove(str(FOLDER))
        for name, old in before.items():
            sys.modules.pop(name, None)
            if old:
                sys.modules[name] = old
    names = [f"pad {pad}" for pad in module.PADS]
    assert list(timed) == ["copy", *names] and all(f'{{"{name}", ' in module.source() for name in names), list(timed)
    tile = {name: timed[name]["passes_per_tile"] for name in names}
    assert tile == {name: 32 + 32 * math.gcd(32 + pad, 32) for name, pad in zip(names, module.PADS)}, tile
    ms = {name: each["median_ms"] for name, each in timed.items()}
    hidden = [ms[name] for name in names if tile[name] <= 160]
    assert max(hidden) / min(hidden) < 1.03 and ms["pad 8"] > 1.05 * max(hidden), ms
    busy = {name: 65536 * passes / 132 / 1.98e9 * 1e3 for name, passes in tile.items()}
    assert busy["pad 16"] < ms["copy"] < ms["pad 16"] / 1.4, "a conflict costs time before it is the limit"
    cuda_file = module.source()
    assert set(cuda.sass(cuda_file, "sm_90")) >= {f"transpose_tiled<{pad}>" for pad in module.PADS}


CHECKS = [counted_on_a_gpu, every_padding, all_pass, missing_barrier, swapped_indices, dropped_guards, old_guard, output_is_cleared,
          passes_of_the_kernels, bank_table, one_width, the_drawing, sectors, narrow_tiles, compiler_report, loads_before_stores, padded_chunks]
