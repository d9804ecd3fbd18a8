"""Lab 04: reduce.cu, executed on the CPU by the lab's emulator, copies of it broken on purpose, and counts.py."""
import functools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types

import cuda
from course import CODE, CONTENT, HERE, Skipped, load

FOLDER = CODE / "lab-04-cuda-reduce"
STARTER = FOLDER / "reduce.cu"
LISTING = FOLDER / "reduce.sm_90.sass"
LISTED = "// nvcc 13.5.37 made this of reduce.cu with -arch=sm_90; nvdisasm -c printed it. Without addresses and NOPs.\n"
PAGE = CONTENT / "tracks/ai-infra/labs/lab-04-cuda-reduce.md"
SECTION = CONTENT / "tracks/ai-infra/handbook/04-reductions.md"
GRID = 4 * 2  # the emulated GPU holds so many blocks at once
KERNELS = ["global atomic", "shared interleaved", "shared sequential", "warp shuffle", "vector loads"]
N = 100_003  # leaves the last block part empty
RESULT = re.compile(r"(.+?)\s+(PASS|FAIL)\s+sum (\S+)\s+error (\S+)")


def variants() -> dict[str, str]:
    """The starter, the starter with a thread for each element, and three copies with a mistake in them."""
    source = STARTER.read_text(encoding="utf-8")
    in_loop = "    __syncthreads();\n  }"
    no_barriers = cuda.edit(source, in_loop, "  }", "shared-interleaved")
    no_barriers = cuda.edit(no_barriers, in_loop, "  }", "shared-sequential")
    no_barriers = cuda.edit(no_barriers, "  __syncthreads();\n", "", "warp-shuffle")  # in add_block, for two kernels
    no_bounds = cuda.edit(source, "if (i < n) ", "", "naive-atomic")
    no_bounds = cuda.edit(no_bounds, "i < n ? in[i] : 0.0f", "in[i]")
    behind_if = cuda.edit(source, "partial[tid] += partial[tid + stride];\n" + in_loop,
                     "{ partial[tid] += partial[tid + stride]; __syncthreads(); }\n  }", "shared-sequential")
    return {"starter": source, "no barriers": no_barriers, "no i < n": no_bounds,
            "barrier behind its if": behind_if, "grid of all blocks": cuda.edit(source, "std::min(blocks, sms * per_sm)", "blocks", "device")}


@functools.cache
def runs() -> dict[tuple[str, str], subprocess.CompletedProcess]:
    """Every variant, compiled once and run in both thread orders."""
    return cuda.run(variants(), str(N), "1")


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
    """All five kernels PASS in both thread orders."""
    for order in ("forward", "reverse"):
        expect("starter", order, [])


def what_it_counts():
    """Atomics and barriers are those of the table."""
    blocks = -(-N // 256)
    assert counts("starter") == [(N, 0), (blocks, 9), (blocks, 9), (GRID, 1), (GRID, 1)], counts("starter")
    table = [tuple(row[:2]) for row in counted("--n", str(N), "--sms", "4", "--per-sm", "2")["kernels"].values()]
    assert counts("starter") == table, table


def any_grid():
    """The grid-stride loop covers every element with 8 blocks and with 391."""
    for order in ("forward", "reverse"):
        expect("grid of all blocks", order, [])
    assert counts("grid of all blocks")[3:] == [(-(-N // 256), 1)] * 2, counts("grid of all blocks")[3:]


def no_times():
    """The emulator reports no time, because it would rank the kernels in the wrong order."""
    assert runs()["starter", "forward"].stdout.count("median nan ms") == 5


def printed():
    """The page's output of the emulator is what it prints."""
    text = runs()["starter", "forward"].stdout
    assert text and text in PAGE.read_text(encoding="utf-8"), text


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


@functools.cache
def counted(*arguments: str) -> dict:
    """What counts.py prints as JSON."""
    out = subprocess.run([sys.executable, str(FOLDER / "counts.py"), "--json", *arguments], capture_output=True,
                         text=True, check=True).stdout
    return json.loads(out)


def active_warps():
    """counts.py finds the warps of the kernels' own conditions, and their closed forms."""
    for block in (64, 256, 512, 1024):
        found, warps, rounds = counted("--block", str(block)), block // 32, block.bit_length() - 1

        def per_round(active, strides):
            return [len({t // 32 for t in range(block) if active(t, s)}) for s in strides]
        up = [2**k for k in range(rounds)]
        assert found["active warps"] == {"interleaved": per_round(lambda t, s: t % (2 * s) == 0, up),
                                         "sequential": per_round(lambda t, s: t < s, up[::-1])}, block
        adds = [row[2] for row in found["kernels"].values()]
        assert adds == [0, rounds * warps, rounds * warps, 5 * warps + 5, 5 * warps + 5], (block, adds)
        assert found["active"] == {"interleaved": 6 * warps - 1, "sequential": warps + 4}, (block, found["active"])
        assert found["grid"] * block == 132 * 2048, "a grid as large as the GPU holds at once"


def eight_numbers():
    """Each way to fold the eight numbers ends with their sum in slot 0, and the shuffle's other lanes hold something else."""
    out = subprocess.run([sys.executable, str(FOLDER / "counts.py"), "--eight"], capture_output=True, text=True,
                         check=True).stdout
    rows = [[int(word) for word in re.findall(r"\d+", line[20:])] for line in out.splitlines()]
    assert len(rows) == 12 and rows[0] == rows[4] == rows[8]
    total = sum(rows[0])
    assert rows[3][0] == rows[7][0] == rows[11][0] == total and total not in rows[11][1:], rows


def trees_drawn():
    """The drawings of both trees, here and in section 4, and of the shuffle have the threads and values that counts.py gives."""
    module, page, section = load(FOLDER / "counts.py"), PAGE.read_text(encoding="utf-8"), SECTION.read_text(encoding="utf-8")
    x = ("0.00", "0.25", "0.55", "0.80", "1.10", "1.35", "1.65", "1.90")
    def row(y, values):
        return f"vals({y:.2f}, " + ", ".join(f'"{value}"' for value in values) + ")"
    for rounds, strides, color, top in ((module.interleaved(8), (1, 2, 4), "ochre", 0), (module.sequential(8), (4, 2, 1), "blue", -2)):
        values, here, there = module.EIGHT[:], [], [row(top, module.EIGHT)]
        for k, (threads, stride) in enumerate(zip(rounds, strides), 1):
            values, y = [v + values[t + stride] if t in threads else v for t, v in enumerate(values)], top - 0.46 * k
            here += ["; ".join(f'cell({t},{k},a,"{values[t]}")' for t in threads), "; ".join(f"add({t},{t + stride},{k})" for t in threads)]
            there += [f'text "stride {stride}" rjust width 0 at (-0.2, {y:.2f})',
                      "; ".join(f"on({x[t]}, {y:.2f}, tint_{color})" for t in threads), row(y, values),
                      "; ".join(f"add({x[t]}, {x[t + stride]}, {y:.2f})" for t in threads)]
        for text, lines in ((page, here), (section, there)):
            assert "\n" + "\n".join(lines) + "\n" in text, "\n".join(lines)
    values, lines = module.EIGHT[:], []
    for k, offset in enumerate((8, 4, 2, 1)):  # a lane without a partner adds its own value
        values = [v + values[t + offset if t + offset < 8 else t] if k else v for t, v in enumerate(values)]
        lines.append("; ".join(f'v({t},{k},"{v}",{"b" if k and t < offset else "w"})' for t, v in enumerate(values)))
    assert "\n" + "\n".join(lines) + "\n" in page, "\n".join(lines)


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


@functools.cache
def compiled():
    return cuda.compile(STARTER)


def compiler_report():
    """nvcc's PTX holds 20 block barriers and 20 shuffles; registers and shared memory leave an SM's warps room."""
    ptx, kernels = compiled()
    assert (ptx.count("bar.sync"), ptx.count("shfl.sync")) == (20, 20), (ptx.count("bar.sync"), ptx.count("shfl.sync"))
    loop = ptx[ptx.index("entry _Z19reduce_warp_shuffle"):].split("\n}", 1)[0]
    assert re.search(r"(?:ld\.global(?:(?!bra).)*?){4}bra", loop, re.S) and loop.count("ld.global") == 5, "unrolled loop"
    smem = {name: used["smem"] for name, used in kernels.items()}
    assert smem == {"reduce_global_atomic": 0, "reduce_shared_interleaved": 1024, "reduce_shared_sequential": 1024,
                    "reduce_warp_shuffle": 32, "reduce_vector": 32}, smem
    assert all(used["registers"] <= 65536 // 2048 for used in kernels.values()), kernels


def issued():
    """nvcc issues the same additions for both trees, all predicated; a body that must stay a branch shows the difference."""
    slow = "partial[tid] += partial[tid + stride];"
    kept = cuda.edit(STARTER.read_text(encoding="utf-8"), slow, f"{{ {slow} for (int k = 0; k < n; ++k) partial[tid] *= in[k]; }}")
    page = PAGE.read_text(encoding="utf-8")
    for arch in ("sm_80", "sm_90", "sm_100"):
        variants = [(STARTER.read_text(encoding="utf-8"), False), (kept, True)]
        for source, branches in variants[:2 if arch == "sm_90" else 1]:
            kernels = cuda.sass(source, arch)
            sizes = []
            for name in ("reduce_shared_interleaved", "reduce_shared_sequential"):
                code = kernels[name]
                start = next(k for k, line in enumerate(code) if "BAR" in line)
                tree = code[start:max(k for k, line in enumerate(code) if "BAR" in line) + 1]
                adds = [line for line in tree if "FADD" in line]
                assert any("BRA" in line for line in tree) == branches, (arch, name, tree)
                if not branches:
                    assert len(adds) == 8 and all(line.startswith("@") for line in adds), (arch, name, adds)
                sizes.append(max(k for k, line in enumerate(code) if "EXIT" in line) + 1)
            if arch == "sm_90" and not branches:
                assert sizes == [73, 72] and "73 and 72 instructions without a branch" in page, sizes


def loads_in_flight():
    """The grid-stride loop has four loads before the first addition, with #pragma unroll 4 no byte differs, with 1 it is one load."""
    source = STARTER.read_text(encoding="utf-8")
    for arch in ("sm_80", "sm_90", "sm_100"):
        def loop(text):
            ops = [match[0] for line in cuda.sass(text, arch)["reduce_warp_shuffle"] if (match := re.search("LDG|FADD|SHFL", line))]
            return ops[:ops.index("SHFL")]
        four, one = (cuda.edit(source, "  for (int i =", f"#pragma unroll {k}\n  for (int i =", "warp-shuffle") for k in (4, 1))
        assert loop(source) == ["LDG", "FADD", *["LDG"] * 4, *["FADD"] * 4], (arch, loop(source))
        if arch != "sm_100":
            assert cuda.sass(four, arch) == cuda.sass(source, arch), arch
        if arch == "sm_90":
            assert loop(one) == ["LDG", "FADD"], (arch, loop(one))


def vector_loads():
    """float4 makes the loads 16 bytes wide, four of them in flight; read as floats they are 4 bytes wide again."""
    source = STARTER.read_text(encoding="utf-8")
    narrow = cuda.edit(source, "float4 x = fours[i];", "struct { float x, y, z, w; } x = {in[4 * i], in[4 * i + 1], in[4 * i + 2], "
                       "in[4 * i + 3]};", "vector")
    for arch, text, wide in (("sm_80", source, 5), ("sm_90", source, 5), ("sm_90", narrow, 0)):
        loads = [line for line in cuda.sass(text, arch)["reduce_vector"] if "LDG" in line]
        assert sum("LDG.E.128" in line for line in loads) == wide, (arch, loads)


def bytes_in_flight():
    """In inflight.cu a thread's loads all come before its first addition; eight of 16 bytes would be cut in two."""
    source = (FOLDER / "inflight.cu").read_text(encoding="utf-8")
    last = "measure<float4, 4>(in, out, sms, threads, threads == 2048);"
    kernels = cuda.sass(cuda.edit(source, last, f"{last} measure<float4, 8>(in, out, sms, threads, false);"), "sm_90")
    for word, loads, lead in (("float", 1, 1), ("float", 4, 4), ("float4", 1, 1), ("float4", 2, 2), ("float4", 4, 4), ("float4", 8, 4)):
        ops = [match[0] for line in kernels[f"sum<{word}, {loads}>"] if (match := re.search("LDG|FADD", line))]
        assert ops.index("FADD") == lead and ops.count("LDG") == loads, (word, loads, ops)
        assert all(("LDG.E.128" in line) == (word == "float4") for line in kernels[f"sum<{word}, {loads}>"] if "LDG" in line)
    for row in stored("inflight")["rows"]:
        assert row["in_flight"] == row["threads"] * row["loads"] * row["load_bytes"], row


def far_away():
    """In latency.cu each load's address is the result of the load before, and the clock is read after the last."""
    kernels = cuda.sass((FOLDER / "latency.cu").read_text(encoding="utf-8"), "sm_90")
    for name, load in (("chase<0>", "LDG.E.STRONG.GPU"), ("chase<1>", "LDG.E.STRONG.SM"), ("chase_shared", "LDS")):
        code = kernels[name]
        clocks = [k for k, line in enumerate(code) if "SR_CLOCKLO" in line]
        timed = [k for k, line in enumerate(code) if load in line and clocks[0] < k < clocks[-1]]
        assert len(clocks) == 2 and len(timed) >= 8, (name, len(clocks), len(timed))
    found = stored("latency")
    assert found["shared memory"] < found["L1"] < found["L2, 8 MiB"] < found["L2, 32 MiB"] < found["HBM, 256 MiB"], found


def stored(name: str) -> dict:
    return json.loads((FOLDER / f"h200{'-' + name if name else ''}.json").read_text(encoding="utf-8"))


def measured_counts():
    """ncu counted what counts.py and the page say: loads of shared memory, atomics, and no issued addition saved."""
    counters, found = stored("counters"), counted()
    blocks = found["blocks"]
    for tree in ("interleaved", "sequential"):
        each = counters[f"reduce_shared_{tree}"]
        active = found["active"][tree]  # two loads and a store per active warp; each warp stores first, thread 0 loads the sum
        assert each["smsp__sass_inst_executed_op_shared_ld.sum"] == blocks * (2 * active + 1), each
        assert each["smsp__sass_inst_executed_op_shared_st.sum"] == blocks * (active + 8), each
    for kernel, (atomics, *_) in zip(counters, found["kernels"].values()):
        requests = counters[kernel]["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"]
        assert requests == (atomics / 32 if kernel == "reduce_global_atomic" else atomics), (kernel, requests)
    issued = [counters[f"reduce_shared_{tree}"]["smsp__inst_executed.sum"] for tree in ("interleaved", "sequential")]
    assert 0 < issued[0] / issued[1] - 1 < 0.02, issued


def queue_of_atomics():
    """Measured: the queue explains the trees' time; without it they are faster and equal, and with it shuffles are as slow."""
    ms, price = stored("controls")["ms"], stored("")["kernels"]["global atomic"]["median_ms"] / 2**24
    plain = ms["as it is"]
    for tree in ("shared interleaved", "shared sequential"):
        assert 0.8 < price * 65536 / plain[tree] < 1, (price, plain)
        assert ms["trees store their sum"][tree] < 0.62 * plain[tree], ms
    assert abs(ms["trees store their sum"]["shared interleaved"] / ms["trees store their sum"]["shared sequential"] - 1) < 0.03
    assert abs(ms["grid as large as the data"]["warp shuffle"] / plain["shared sequential"] - 1) < 0.02
    stalls = [{reason: found["reduce_shared_sequential"][f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"]
               for reason in ("long_scoreboard", "barrier")} for found in (stored("counters"), stored("counters-stored"))]
    assert all(stalls[1][reason] < 0.5 * each for reason, each in stalls[0].items()), stalls
    assert ms["one load under way"]["warp shuffle"] > 1.4 * plain["warp shuffle"]


def drawn_curve():
    """The page draws every measured point of bandwidth by bytes in flight, and Little's law at the measured latency."""
    latency = stored("latency")["HBM, 256 MiB"]
    needed = counted()["in flight"]
    assert abs(needed / (4.8e12 * latency / 1.98e9 / 132) - 1) < 2e-3, (needed, latency)
    def at(size, rate):
        return f"({round((math.log2(size) - 8) * 0.28, 3):g}, {round(rate / 4800 * 1.9, 3):g})"
    law = [(256 * 2 ** (k / 2), min(1, 256 * 2 ** (k / 2) / needed) * 4800) for k in range(19)]
    lines = ["line thin dashed from " + " to ".join(at(*point) for point in law)]
    lines += [("dot at " if row["load_bytes"] == 4 else "circle radius 0.028 at ") + at(row["in_flight"], row["gbyte_per_s"])
              for row in stored("inflight")["rows"]]
    assert "\n" + "\n".join(lines) + "\n" in PAGE.read_text(encoding="utf-8"), "\n".join(lines)


def one_line_changed():
    """Every control of controls.py changes its lines of reduce.cu, and what it makes compiles."""
    module = types.ModuleType("controls")
    sys.path.insert(0, str(FOLDER))
    try:
        sys.modules.pop("measure", None)
        exec(compile((FOLDER / "controls.py").read_text(encoding="utf-8"), "controls", "exec"), module.__dict__)
    finally:
        sys.path.remove(str(FOLDER))
        sys.modules.pop("measure", None)
    sources = {name: module.changed(name) for name in module.CONTROLS}
    assert set(stored("controls")["ms"]) == set(sources) and len(set(sources.values())) == len(sources)
    loads = [line for line in cuda.sass(sources["one load under way"], "sm_90")["reduce_warp_shuffle"] if "LDG" in line]
    assert len(loads) == 1, loads
    atomics = {name: sum("RED" in line for line in cuda.sass(sources["trees store their sum"], "sm_90")[name])
               for name in ("reduce_shared_interleaved", "reduce_shared_sequential", "reduce_warp_shuffle")}
    assert list(atomics.values()) == [0, 0, 1], atomics


def listing():
    """reduce.sm_90.sass is what nvcc makes of the file for an H100; UPDATE=1 writes it."""
    kernels = cuda.sass(STARTER.read_text(encoding="utf-8"), "sm_90")
    text = LISTED + "".join(f"\n{name}:\n" + "\n".join(code) + "\n" for name, code in kernels.items())
    if os.environ.get("UPDATE") == "1":
        LISTING.write_text(text, encoding="utf-8")
    assert LISTING.read_text(encoding="utf-8") == text, "run this check with UPDATE=1"


def not_waited_for():
    """The atomics whose result nobody uses are reductions, RED; one whose result is stored is ATOM."""
    source = STARTER.read_text(encoding="utf-8")
    used = cuda.edit(source, "atomicAdd(out, in[i])", "out[i + 1] = atomicAdd(out, in[i])", "naive-atomic")
    for text, op in ((source, "RED"), (used, "ATOM")):
        code = cuda.sass(text, "sm_90")["reduce_global_atomic"]
        assert sum(bool(re.match(rf"(@!?P\d )?{op}", line)) for line in code) == 1, code


def first_kernel():
    """The primer's kernel adds, and with one block less it does not reach the last element."""
    source = (FOLDER / "add.cu").read_text(encoding="utf-8")
    done = cuda.run({"add": source, "one block less": cuda.edit(source, "<<<4, 256>>>", "<<<3, 256>>>", "launch")})
    assert {name: run.returncode for (name, _), run in done.items()} == {"add": 0, "one block less": 1}, done


CHECKS = [first_kernel, compiler_report, all_pass, what_it_counts, any_grid, no_times, printed, missing_barriers, lucky_order,
          missing_bounds, divergent_barrier, active_warps, issued, loads_in_flight, vector_loads, bytes_in_flight, far_away,
          measured_counts, queue_of_atomics, drawn_curve, one_line_changed, listing, not_waited_for, eight_numbers, trees_drawn, bank_conflicts, saturation]
