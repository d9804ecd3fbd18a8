"""Lab 06: triton_softmax.py, its traffic from first principles, its kernel and broken copies of it under Triton."""
import ast
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from course import CODE, HERE, golden, load, transcript, verify
from cuda import edit

STARTER = CODE / "lab-06-triton-softmax" / "triton_softmax.py"
CARDS = {"A100": 2.039e12, "H100": 3.35e12, "H200": 4.8e12, "B200": 7.7e12}  # bytes a second
FP32_MAX, FP16_MAX = (2 - 2**-23) * 2.0**127, 65504.0
MASKED = 37 * 243  # lanes of the ragged case that lie past its rows
LOAD = ', mask=live,\n                    other=-float("inf"))'
BROKEN = {  # what is wrong with a copy: text, its replacement, and the cases that must notice
    "filled with zero": ('-float("inf")', "0.0", {"ragged", "negative"}),
    "no maximum": ("x - tl.max(x, axis=0)", "x", {"large", "negative"}),
    "no mask on the store": ("y, mask=live)", "y)", {"ragged", "large", "negative"}),
    "no mask on the load": (LOAD, ")", {"ragged", "large", "negative"}),
    "columns for a stride": ("row * x_stride", "row * n_cols",
                             {"power of two", "ragged", "one column", "large", "negative"}),
    "input at the output's stride": ("row * x_stride", "row * y_stride",
                                     {"power of two", "ragged", "one column", "large", "negative"}),
    "output at the input's stride": ("row * y_stride", "row * x_stride",
                                     {"power of two", "ragged", "one column", "large", "negative"}),
    "stride for columns": ("cols < n_cols", "cols < x_stride", {"ragged", "large", "negative"}),
    "finite filler": ('-float("inf")', "-1e4", set()),
    "no int64": (".to(tl.int64)", "", set()),
}


@functools.cache
def figures(rows: int = 4096, cols: int = 4096, itemsize: int = 4, source: str = "") -> dict:
    """What the starter, or a changed copy of it, prints with --json under a Python without any package."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "copy.py"
        file.write_text(source or STARTER.read_text(encoding="utf-8"), encoding="utf-8")
        out = subprocess.run([sys.executable, "-I", "-S", str(file), "--rows", str(rows), "--cols", str(cols),
                              "--itemsize", str(itemsize), "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


@functools.cache
def module():
    """The starter, imported; without its kernel where Triton is missing."""
    return load(STARTER)


def merged() -> str:
    """A copy whose subtraction and exponential are one operator."""
    source = STARTER.read_text(encoding="utf-8")
    return edit(source, '    ("sub", "xm", "z"),\n    ("exp", "z", "e"),\n', '    ("sub", "xm", "e"),\n', "traffic")


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def closed_forms():
    """Bytes moved are 5MN + 2M read and 3MN + 2M written by the five, MN and MN by the one."""
    for m, n, size in ((1823, 781, 4), (4096, 4096, 4), (7, 3, 2), (5, 1, 4), (2048, 128256, 2)):
        found = figures(m, n, size)
        same((found["eager"]["read"], found["eager"]["written"]),
             ((5 * m * n + 2 * m) * size, (3 * m * n + 2 * m) * size), f"{m} x {n}, eager")
        same((found["fused"]["read"], found["fused"]["written"]), (m * n * size, m * n * size), f"{m} x {n}, fused")
        assert math.isclose(found["ratio"], 4 + 2 / n), f"{m} x {n}: ratio {found['ratio']}"
        same((found["eager"]["launches"], found["fused"]["launches"]), (5, 1), "launches")
    same(figures(1823, 781)["eager"]["bytes"], 45_589_584, "bytes of five operators")
    same(figures(1823, 781)["fused"]["bytes"], 11_390_104, "bytes of one kernel")


def plan_is_the_function():
    """Each letter of the plan is a variable of softmax_eager, made before it is read and by its operator."""
    tree = ast.parse(STARTER.read_text(encoding="utf-8"))
    eager = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "softmax_eager")
    signs = {"amax": ".amax(", "sub": " - ", "exp": ".exp()", "sum": ".sum(", "div": " / "}
    known = {"x"}
    for line, (name, reads, written) in zip(eager.body, module().EAGER, strict=True):
        assert signs[name] in ast.unparse(line.value), f"{name}: {ast.unparse(line)}"
        same({node.id for node in ast.walk(line.value) if isinstance(node, ast.Name)}, set(reads), f"read by {name}")
        same(line.targets[0].id if isinstance(line, ast.Assign) else "y", written, f"written by {name}")
        assert set(reads) <= known, f"{name} reads what no line has made"
        known.add(written)


def floors():
    """Least times are bytes over bandwidth."""
    for rows, cols in ((4096, 4096), (1823, 781)):
        for plan in ("eager", "fused"):
            entry = figures(rows, cols)[plan]
            for card, rate in CARDS.items():
                same(entry[f"{card} us"], round(entry["bytes"] / rate * 1e6, 1), f"{plan} on {card}")


def blocks():
    """A block is the least power of two that holds a row, so fewer than half of its lanes are masked."""
    for cols in range(1, 3000):
        block = module().block_for(cols)
        assert block & (block - 1) == 0 and block / 2 < cols <= block, f"{cols} columns: {block}"
    found = figures(1823, 781)
    same((found["block"], found["masked"], found["warps"], found["values_per_thread"]), (1024, 243, 4, 8), "781 columns")
    same([module().warps_for(2**k) for k in range(7, 18)], [1, 1, 2, 4, 8, 16, 16, 16, 16, 16, 16], "warps")


def one_fusion_less():
    """With subtraction and exponential merged the ratio falls by one, to 3 + 2/N."""
    found = figures(1823, 781, source=merged())
    assert math.isclose(found["ratio"], 3 + 2 / 781) and found["eager"]["launches"] == 4, found


def overflow():
    """The largest arguments of exp: 88.7 in fp32 and 11.09 in fp16."""
    assert math.exp(88) < FP32_MAX < math.exp(89) and math.exp(11) < FP16_MAX < math.exp(12)
    same(known()["run"]["finite exp"], {"float32": [True, False], "float16": [True, False]}, "exp of 88, 89; 11, 12")


def with_triton():
    """the kernel and its broken copies run under the interpreter, and compile for sm_80, 90 and 100."""
    def run(python):
        source = STARTER.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            copies = {"starter": source} | {name: edit(source, old, new, "kernel")
                                            for name, (old, new, _) in BROKEN.items()}
            for name, text in copies.items():
                (pathlib.Path(folder) / f"{name}.py").write_text(text, encoding="utf-8")

            def probe(mode, interpret):
                env = os.environ | {"OMP_NUM_THREADS": "1", "TRITON_INTERPRET": interpret,
                                    "TRITON_CACHE_DIR": str(pathlib.Path(folder) / "cache")}
                out = subprocess.run([str(python), str(HERE / "triton_probe.py"), mode, folder], env=env,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                assert out.returncode == 0, out.stderr[-2000:]
                return json.loads(out.stdout)

            return {"run": probe("run", "1"), "compile": probe("compile", "0")}

    verify("lab_06", STARTER, run)


LONG = STARTER.with_name("triton_long_rows.py")
LONG_BROKEN = {  # what is wrong with a copy: text, its replacement, and the cases that must notice
    "sum not rescaled": ("s * tl.exp(m - new)", "s", {"ragged", "rising", "negative", "starts masked"}),
    "maximum of the last block": ("tl.maximum(m, tl.max(x, axis=0))", "tl.max(x, axis=0)", {"starts masked"}),
    "starts at -inf": ("tl.full([], LEAST, tl.float32)", "tl.full([], -float(\"inf\"), tl.float32)", {"starts masked"}),
    "no mask on the store": (",\n                 mask=cols < n_cols)", ")", {"one block", "ragged", "rising", "negative", "starts masked"}),
}


def long_with_triton():
    """The loop over long rows and its broken copies run under the interpreter, and the loop compiles for two GPUs."""
    def run(python):
        source, found = LONG.read_text(encoding="utf-8"), {}
        copies = {"starter": source} | {name: edit(source, old, new, "long") for name, (old, new, _) in LONG_BROKEN.items()}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in copies.items():
                file = pathlib.Path(folder) / "long_rows.py"
                file.write_text(text, encoding="utf-8")
                out = subprocess.run([str(python), "-B", str(file)], capture_output=True, text=True,
                                     env=os.environ | {"OMP_NUM_THREADS": "1", "TRITON_INTERPRET": "1"})
                found[name] = {line[:14].strip(): line[14:] for line in out.stdout.splitlines()}
            file.write_text(source.split("\nif __name__")[0] + LONG_COMPILED, encoding="utf-8")
            out = subprocess.run([str(python), "-B", str(file)], capture_output=True, text=True,
                                 env=os.environ | {"TRITON_CACHE_DIR": str(pathlib.Path(folder) / "cache")})
            return {"run": found, "compiled": json.loads(out.stdout)}

    verify("lab_06_long", LONG, run)


LONG_COMPILED = """
import json
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
names, types = long_softmax_kernel.arg_names, ["*fp32", "*fp32", "i32", "i32", "i32", "constexpr"]
found = {}
for capability in (80, 90):
    made = triton.compile(ASTSource(long_softmax_kernel, dict(zip(names, types)), constexprs={"BLOCK": 4096}),
                          target=GPUTarget("cuda", capability, 32), options={"num_warps": 16})
    found[capability] = {name: made.asm["ptx"].count(name) for name in ("ld.global", "st.global")}
print(json.dumps(found))
"""


def long_rows():
    """A row of any length is right, also one that begins with -inf; each broken copy fails the cases that must notice."""
    found = golden("lab_06_long", LONG)["run"]
    for name, expected in {"starter": set(), **{k: v[2] for k, v in LONG_BROKEN.items()}}.items():
        same(len(found[name]), 5, name)
        same({case for case, verdict in found[name].items() if verdict != "ok"}, expected, f"{name}, failing")
    loads = {"ld.global": 16, "st.global": 8}  # 4,096 floats on 512 threads, twice loaded, once stored
    same(golden("lab_06_long", LONG)["compiled"], {"80": loads, "90": loads}, "loads and stores")


def known() -> dict:
    return golden("lab_06", STARTER)


def verdicts():
    """The kernel passes all five cases; each broken copy fails those that it must, and no other."""
    cases = set(module().CASES)
    for name, expected in {"starter": set(), **{k: v[2] for k, v in BROKEN.items()}}.items():
        entry = known()["run"]["check"][name]
        same(set(entry), cases, name)
        same({case for case, got in entry.items() if not got["ok"]}, expected, f"{name}, failing")
    unmasked = known()["run"]["check"]["no mask on the store"]
    same({case: got["overwritten"] for case, got in unmasked.items() if got["overwritten"]},
         dict.fromkeys(("ragged", "large", "negative"), MASKED), "values overwritten")


def printed():
    """The kept output of the check is what the recorded run printed; of its errors, that they are small."""
    lines = [f"{name:14}{'ok' if case['ok'] else 'WRONG':8}overwritten {case['overwritten']}"
             for name, case in known()["run"]["check"]["starter"].items()]
    shown = transcript(STARTER.with_name("check.txt"))
    assert all(float(re.search(r"error (\S+)", line)[1]) < 1e-6 for line in shown), shown
    same(sorted(re.sub(r"error \S+  ", "", line) for line in shown), sorted(lines), "printed")


def lucky_order():
    """On contiguous rows the interpreter's order hides a store without a mask, except behind the last row."""
    found = known()["run"]["contiguous"]
    same(found, {"starter": {"ok": True, "overwritten": 0},
                 "no mask on the store": {"ok": True, "overwritten": 243}}, "contiguous")
    same(known()["run"]["rows near -20000"], {"starter": True, "finite filler": False}, "rows near -20000")
    assert known()["run"]["least maximum of large"] > 88.8, "a row that exp would survive without its maximum"
    same(known()["run"]["row of -inf"], {"kernel": True, "torch": True}, "a row of -inf is NaN")


def operators():
    """PyTorch dispatches the five operators of the plan with as many elements; torch.softmax is one."""
    size = dict.fromkeys("xzey", 37 * 781) | dict.fromkeys("ms", 37)
    same(known()["run"]["operators"],
         [[name, sum(size[t] for t in reads), size[written]] for name, reads, written in module().EAGER], "dispatched")
    same(known()["run"]["operators of torch.softmax"], ["_softmax"], "torch.softmax")
    assert known()["run"]["eager is softmax"] and known()["run"]["blocks agree"]


def code_generation():
    """A butterfly a reduction: log2(32) + log2(warps) shuffles; loads of one or four words; 64-bit addresses."""
    ptx = known()["compile"]["ptx"]
    for arch in ("sm_80", "sm_90"):
        for cols in (781, 784, 2048, 4096):
            entry, warps = ptx[arch][str(cols)], module().warps_for(module().block_for(cols))
            same(entry["shfl.sync"], 2 * (5 + int(math.log2(warps))), f"{arch}, {cols} columns, shuffles")
            same(entry["shared bytes"], 4 * warps, f"{arch}, {cols} columns, shared bytes")
            values = module().block_for(cols) // (32 * warps)
            same((entry["ld.global"], entry["st.global"]), (values // (1 if cols % 16 else 4),) * 2,
                 f"{arch}, {cols} columns, loads and stores")
            same(entry["bar.sync"], 3, f"{arch}, {cols} columns, barriers")
    same({arch: (lengths["781"]["shfl.sync"], lengths["781"]["redux.sync"]) for arch, lengths in ptx.items()},
         {"sm_80": (14, 0), "sm_90": (14, 0), "sm_100": (7, 2)}, "shuffles and warp reductions")
    same(known()["compile"]["loads"], {"781": {"words": [1] * 8, "predicated": [8, 8]},
                                       "784": {"words": [4] * 2, "predicated": [2, 2]}}, "loads")
    same(known()["compile"]["address"], {"starter": "i64", "no int64": "i32"}, "type of row * stride")
    refused = known()["compile"]["refused"]
    assert "power of 2" in refused["781"] and "1048576" in refused["2097152"] and refused["1024"] == "accepted", refused


def registers():
    """Rows of up to 32,768 floats stay in registers; at 65,536 the same 16 warps spill."""
    for arch, lengths in known()["compile"]["resources"].items():
        for cols, used in lengths.items():
            assert (used["stack"] > 0) == (cols == "65536"), f"{arch}, {cols} columns: {used}"


def benchmark():
    """The four ways that --bench times are softmaxes."""
    same(known()["run"]["ways"], {"names": ["five operators", "torch.compile", "torch.softmax", "this kernel"],
                                  "equal": True}, "ways")


def bits():
    """Rows of 781 and 784 floats are spread by bits: registers, lanes and warps multiply to the block."""
    same(known()["compile"]["layouts"], {"781": {"together": 1, "lanes": 32, "warps": 4},
                                         "784": {"together": 4, "lanes": 32, "warps": 4}}, "layouts")


def stored(name: str) -> dict:
    return json.loads(STARTER.with_name(name).read_text(encoding="utf-8"))


def on_a_gpu():
    """What the page says in words of its measurements: who reaches a copy, which operators do not, and what a loop costs."""
    def ms(ways, name):
        return ways[name]["median_ms"] / ways["copy"]["median_ms"]

    square, short = (stored("h200.json")["shapes"][name] for name in ("4096 x 4096", "65536 x 512"))
    assert ms(square, "this kernel") < 1.05 and ms(square, "five operators") > 5, square
    assert ms(square, "this kernel") < ms(square, "torch.compile") < ms(square, "torch.softmax"), square
    assert all(ms(short, way) < 1.05 for way in ("this kernel", "torch.compile", "torch.softmax")), short
    parts = stored("h200-parts.json")
    alone = {name: ms({**parts["alone"], "copy": square["copy"]}, name) for name in parts["alone"]}
    assert alone["exp"] < 1.05 and all(abs(alone[name] - 1.5) < 0.06 for name in ("sub", "div")), alone
    assert all(abs(alone[name] - 0.9) < 0.05 for name in ("amax", "sum")), alone
    names = {shape: ways["torch.compile"][0][:10] for shape, ways in parts["kernels"].items()}
    same(names, {"4096 x 4096": "triton_red", "65536 x 512": "triton_per"}, "kernels of torch.compile")
    for shape, ways in parts["rows"].items():
        cols = int(shape.split()[-1])
        assert 1.35 < ms(ways, "loop") < 1.85, f"{shape}: {ms(ways, 'loop')}"
        if cols <= 65536:  # 65,536 columns spill
            assert (ms(ways, "this kernel") < 1.1) == (cols < 65536) == (ms(ways, "this kernel") < ms(ways, "loop")), shape


CHECKS = [on_a_gpu, closed_forms, plan_is_the_function, floors, blocks, one_fusion_less, with_triton, overflow, verdicts,
          printed, lucky_order, operators, long_with_triton, long_rows, code_generation, registers, benchmark, bits]
