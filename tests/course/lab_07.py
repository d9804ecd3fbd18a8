"""Lab 07: flashattention_mental_model.py, against closed forms, numpy, and copies of it broken on purpose; the Triton
kernel against the lists; and sdpa.py."""
import functools
import itertools
import json
import math
import random
import re
import pathlib
import shutil
import subprocess
import sys
import tempfile

from course import CODE, CONTENT, golden, python, transcript, verify

STARTER = CODE / "lab-07-flashattention" / "flashattention_mental_model.py"
SDPA = STARTER.with_name("sdpa.py")
TRITON = STARTER.with_name("triton_attention.py")
LAB, SECTION = (CONTENT / "tracks/ai-infra" / page for page in ("labs/lab-07-flashattention.md", "handbook/07-tiled-attention.md"))

# Each mistake is an edit of the starter: name -> (the right code, the wrong code).
MISTAKES = {
    "no alpha on l": ("l = alpha * l + sum(p)", "l = l + sum(p)"),
    "no alpha on acc": ("[alpha * a + dot", "[a + dot"),
    "mask by zero": ("scores = masked(scores, i + r, j)",
                     "scores = [0.0 if s == -inf else s for s in masked(scores, i + r, j)]"),
    "mask of tile 0": ("masked(scores, i + r, j)", "masked(scores, r, 0)"),
    "no diagonal": ("scores = masked(scores, i + r, j)", "pass"),
    "divide every chunk": ("return m_new, l, acc\n", "return m_new, 1.0, [a / l for a in acc]\n"),
    "skip by first row": ("j > i + len(q_tile) - 1", "j > i"),
    "backwards": ("for j in range(0, n, bc):", "for j in reversed(range(0, n, bc)):"),
}

# The same for the kernel, and which cases must notice. The causal mask also hides the keys beyond the last one, and a loop
# that ends with the first query's tile is too short only where a Q tile is taller than a K tile.
KERNEL_MISTAKES = {
    "no alpha on acc": ("alpha[:, None] * acc", "acc", lambda case: True),
    "no alpha on l": ("l = alpha * l", "l = l", lambda case: True),
    "no causal mask": ("seen & (key[None, :] <= rows[:, None])", "seen", lambda case: "causal" in case),
    "no mask of the last keys": ("seen = key[None, :] < n", "seen = key[None, :] < n + BC",
                                 lambda case: "100" in case and "causal" not in case),
    "loop ends too early": ("first + BR)", "first + 1)",
                            lambda case: "32 x 16" in case and "causal" in case),
}


@functools.cache
def report() -> dict:
    command = [sys.executable, str(STARTER), "--check", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@functools.cache
def module(mistake: str = "") -> dict:
    """The starter's names, or those of a copy with a mistake in it."""
    source = STARTER.read_text(encoding="utf-8")
    if mistake:
        right, wrong = MISTAKES[mistake]
        assert source.count(right) == 1, f"{mistake}: {right!r} occurs {source.count(right)} times"
        source = source.replace(right, wrong)
    names = {"__name__": "starter"}
    exec(compile(source, str(STARTER), "exec"), names)
    return names


@functools.cache
def verdicts(mistake: str) -> dict:
    """n, br, bc and causal -> what `compare` returns; heads are 4 wide, which is quicker and changes no verdict."""
    m = module(mistake)
    return {(n, br, bc, causal): m["compare"](n, 4, br, bc, causal)
            for n, _, br, bc in m["SHAPES"] for causal in (False, True)}


def near(got, expected, what, places=6):
    assert round(got, places) == expected, f"{what}: {got}, expected {expected}"


def same(got, expected, what):
    assert got == expected, f"{what}: {got}, expected {expected}"


def pencil():
    """The pencil row: both lines of the trace, the weights and the log-sum-exp."""
    lines = [tuple(round(line[k], 6) for k in ("m", "alpha", "l", "acc", "out")) for line in report()["trace"]]
    same(lines, [(3, 0, 1.135335, 21.353353, 18.807971), (5, 0.135335, 1.203438, 44.383474, 36.880566)], "trace")
    same([round(w, 6) for w in report()["softmax"]], [0.015219, 0.112457, 0.041371, 0.830953], "weights")
    near(report()["lse"], 5.185182, "log-sum-exp")
    near(report()["lse"], round(math.log(sum(map(math.exp, (1, 3, 2, 5)))), 6), "log-sum-exp, direct")
    near(sum(w * v for w, v in zip(report()["softmax"], (10, 20, 30, 40))), 36.8806, "output, direct", 4)


def reverse():
    """The reversed row ends in the same state, with alpha 1 on the way."""
    forward, back = (module()["trace"](row)[-1] for row in (module()["ROW"], module()["ROW"][::-1]))
    same((back["m"], back["alpha"]), (5, 1.0), "reversed row")
    for key in ("l", "acc", "out"):
        assert math.isclose(forward[key], back[key], rel_tol=1e-15), f"{key}: {forward[key]} and {back[key]}"


def forgotten_alpha():
    """Without alpha on l or on acc the pencil row ends elsewhere, unless its largest score comes first."""
    row = module()["ROW"]
    for mistake, l, acc, out in [("no alpha on l", 2.185122, 44.383474, 20.311665),
                                 ("no alpha on acc", 1.203438, 62.846965, 52.222853)]:
        last = module(mistake)["trace"](row)[-1]
        for key, expected in (("l", l), ("acc", acc), ("out", out)):
            near(last[key], expected, f"{mistake}, {key}")
        near(module(mistake)["trace"](row[::-1])[-1]["out"], 36.880566, f"{mistake}, reversed")


def tiles_agree():
    """Tiles and plain attention agree to 1e-12 at every shape, causal or not."""
    same(len(report()["check"]), 8, "cases")
    assert all(case["ok"] for case in report()["check"])
    for case, got in verdicts("").items():
        assert got["ok"] and got["error"] < 1e-15, case


def mistakes_fail():
    """Each mistake FAILs the comparison at the shapes where it matters."""
    for mistake in ("no alpha on l", "no alpha on acc", "divide every chunk"):
        failed = [case for case, got in verdicts(mistake).items() if not got["ok"]]
        same(len(failed), 8, f"{mistake}: cases that fail")
    for mistake in ("mask by zero", "mask of tile 0", "no diagonal"):
        failed = [case for case, got in verdicts(mistake).items() if not got["ok"]]
        same(failed, [case for case in verdicts(mistake) if case[-1]], f"{mistake}: cases that fail")


def unequal_sides():
    """Two mistakes that square tiles forgive FAIL where br and bc differ, one of them unless br divides bc."""
    for mistake in ("skip by first row", "backwards"):
        failed = [case for case, got in verdicts(mistake).items() if not got["ok"]]
        same(failed, [case for case in verdicts(mistake) if case[-1] and case[1] != case[2]], mistake)
    forgiving = module("skip by first row")["compare"]
    for br, bc in ((16, 32), (16, 48), (32, 32), (32, 16), (16, 24)):
        same(forgiving(96, 4, br, bc, True)["ok"], bc % br == 0, f"skip by first row, {br} x {bc}")
    nan = verdicts("backwards")
    assert math.isnan(nan[128, 32, 16, True]["error"]), nan
    assert nan[100, 32, 48, True]["error"] < 1e-15, "max() no longer overlooks a NaN; the page says it may"


def counts():
    """Loads, stores, tiles and skipped tiles are those of the closed forms."""
    for case in report()["check"]:
        n, d, br, bc = (case[k] for k in ("n", "d", "br", "bc"))
        seen = [(i, j) for i in range(0, n, br) for j in range(0, n, bc)
                if not case["causal"] or any(c <= r for r in range(i, min(i + br, n)) for c in range(j, min(j + bc, n)))]
        keys = sum(min(bc, n - j) for _, j in seen)
        expected = (n * d + 2 * d * keys, n * d + n, len(seen), math.ceil(n / br) * math.ceil(n / bc) - len(seen))
        same(tuple(case[k] for k in ("loads", "stores", "tiles", "skipped")), expected, f"{n}, {br} x {bc}")
        if not case["causal"]:
            same(case["loads"] + case["stores"], module()["traffic"](n, d, br)["tiled"], f"{n}, {br}: the formula")
    got = {(c["br"], c["bc"], c["causal"]): (c["loads"], c["stores"], c["tiles"], c["skipped"])
           for c in report()["check"] if c["n"] == 128}
    same(got[32, 32, False], (73_728, 8_320, 16, 0), "128, 32 x 32")
    same(got[32, 32, True], (49_152, 8_320, 10, 6), "128, 32 x 32, causal")
    same((got[32, 16, True][0], *got[32, 16, True][2:]), (49_152, 20, 12), "128, 32 x 16, causal")
    tall = module()["compare"](128, 4, 128, 32, True)
    same((tall["tiles"], tall["skipped"], tall["loads"]), (4, 0, 3 * 128 * 4), "one Q tile")


def traffic():
    """Elements moved at four shapes, and bytes kept at three lengths."""
    short = module()["traffic"](4096, 64, 128)
    same((short["standard"], short["tiled"]), (68_157_440, 17_305_600), "4,096")
    got = {(t["n"], t["d"], t["br"]): (t["standard"], t["tiled"]) for t in report()["traffic"]}
    same(got, {(8192, 128, 64): (272_629_760, 270_540_800), (8192, 128, 128): (272_629_760, 136_323_072),
               (8192, 128, 256): (272_629_760, 69_214_208)}, "8,192")
    mib = {f["n"]: (f["scores"] / 2**20, f["lse"] / 2**20) for f in report()["footprint"]}
    same(mib, {8192: (4096, 1), 32768: (65536, 4), 131072: (2**20, 16)}, "MiB")


def tiles_drawn():
    """The drawn tiles are those that the mask hides, cuts or leaves whole; in section 7, K and V are read once for each Q tile."""
    masked, seen = module()["masked"], {}
    for i, j in itertools.product(range(4), repeat=2):
        hidden = {score == -math.inf for row in range(32) for score in masked([0.0] * 32, 32 * i + row, 32 * j)}
        seen[f"{0.62 + 0.64 * j:.2f}, {-0.44 * i:.2f}"] = {(True,): "dotted", (False, True): '"mask" thick fill tint_ochre',
                                                           (False,): '"whole"'}[tuple(sorted(hidden))]
    drawn = re.findall(r'box ((?:"mask" thick fill tint_ochre|"whole"|dotted)) at \(([^)]*)\)', LAB.read_text(encoding="utf-8"))
    same({place: kind for kind, place in drawn}, seen, "drawing")
    section = SECTION.read_text(encoding="utf-8")
    for br, place, others in ((1, "0.17", "0.81"), (2, "1.49", "2.13")):
        reads = (module()["traffic"](4, 1, br)["tiled"] - 2 * 4 - 4) // (2 * 4)
        for word, x in ((r"Q\d", place), ("K and V", others)):
            same(len(re.findall(rf'box "{word}"[^\n]* at \({x},', section)), reads, f"{word} in tiles of {br}")


def merging():
    """Merge is associative and symmetric, has a neutral element, and repeats the sequential result."""
    m, rng = module(), random.Random(3)
    chunks = [([rng.gauss(0, 4) for _ in range(5)], [[rng.gauss(0, 1) for _ in range(3)] for _ in range(5)])
              for _ in range(4)]
    parts = [m["absorb"](m["empty"](3), *chunk) for chunk in chunks]
    a, b, c, d = parts
    whole = functools.reduce(lambda state, chunk: m["absorb"](state, *chunk), chunks, m["empty"](3))
    ways = [m["merge"](m["merge"](a, b), m["merge"](c, d)), m["merge"](a, m["merge"](b, m["merge"](c, d)))]
    ways += [functools.reduce(m["merge"], order) for order in itertools.permutations(parts)]
    for way in ways:
        for got, expected in zip((way[0], way[1], *way[2]), (whole[0], whole[1], *whole[2])):
            assert math.isclose(got, expected, rel_tol=1e-12, abs_tol=1e-12), (got, expected)
    same(m["merge"](m["empty"](3), a), a, "neutral element")
    assert math.isnan(m["merge"](m["empty"](3), m["empty"](3))[1]), "two empty states"


def shift():
    """Adding 800 to every score changes no output and moves the log-sum-exp by 800."""
    m = module()
    def run(extra):
        state = functools.reduce(lambda s, c: m["absorb"](s, [x + extra for x in c[0]], c[1]), m["ROW"], m["empty"](1))
        return m["finish"](state)
    (plain,), lse = run(0)
    (shifted,), moved = run(800)
    near(shifted, round(plain, 6), "output")
    near(moved - lse, 800, "log-sum-exp")


def backward_weights():
    """exp(score - LSE) gives the weights back."""
    for score, weight in zip((1, 3, 2, 5), report()["softmax"]):  # both have six places
        assert math.isclose(math.exp(score - report()["lse"]), weight, rel_tol=1e-4), score


def numpy_agrees():
    """Rows and log-sum-exps are those of attention written with numpy."""
    program = f"""
import importlib.util, numpy as np
spec = importlib.util.spec_from_file_location("starter", {str(STARTER)!r})
starter = importlib.util.module_from_spec(spec)
spec.loader.exec_module(starter)
q, k, v = np.random.default_rng(5).normal(size=(3, 50, 8))
for causal in (False, True):
    s = q @ k.T / np.sqrt(8)
    if causal:
        s = np.where(np.tri(50, dtype=bool), s, -np.inf)
    lse = np.logaddexp.reduce(s, axis=1)
    rows, _ = starter.tiled_attention(q.tolist(), k.tolist(), v.tolist(), 16, 12, causal)
    assert np.allclose([out for out, _ in rows], np.exp(s - lse[:, None]) @ v, rtol=0, atol=1e-12)
    assert np.allclose([x for _, x in rows], lse, rtol=0, atol=1e-12)
"""
    run = subprocess.run([str(python("light")), "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr.strip().splitlines()[-1]


def table():
    """The printed tables have the same figures."""
    out = subprocess.run([sys.executable, str(STARTER)], capture_output=True, text=True, check=True).stdout
    for figure in ("44.383474", "36.880566", "136,323,072", "1,099,511,627,776"):
        assert figure in out, f"{figure} is not printed"


def underflow():
    """A row that starts from (0, 0, 0) is right, and fails on scores of -746."""
    m = module()
    def run(extra):
        state = functools.reduce(lambda s, c: m["absorb"](s, [x + extra for x in c[0]], c[1]), m["ROW"], (0, 0.0, [0.0]))
        return m["finish"](state)[0][0]
    near(run(0), 36.880566, "ordinary scores")
    near(run(-20), 36.880566, "scores below 0")
    try:
        run(-746 - 5)
    except ZeroDivisionError:
        return
    raise AssertionError("scores up to -746 did not underflow")


def pytorch():
    """sdpa.py runs with PyTorch: its loop agrees with SDPA, and backends are those that are stored."""
    def run(interpreter):
        out = subprocess.run([str(interpreter), str(SDPA), "--json"], capture_output=True, text=True, check=True,
                             env={"PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": ""})
        return json.loads(out.stdout)
    verify("lab_07", SDPA, run)


def kernel():
    """The Triton kernel agrees with the lists in each case, and copies with a mistake differ where the mistake matters."""
    def run(interpreter):
        found, source = {}, TRITON.read_text(encoding="utf-8")
        for mistake, (right, wrong, _) in {"": ("", "", ""), **KERNEL_MISTAKES}.items():
            assert not right or source.count(right) == 1, f"{mistake}: {right!r}"
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(STARTER, folder)
                copy = pathlib.Path(folder) / TRITON.name
                copy.write_text(source.replace(right, wrong) if right else source, encoding="utf-8")
                out = subprocess.run([str(interpreter), "-B", str(copy), "--json"], capture_output=True, text=True,
                                     env={"PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": "", "TRITON_INTERPRET": "1"})
            found[mistake or "right"] = json.loads(out.stdout)
        return found
    verify("lab_07_triton", TRITON, run)


def kernel_mistakes():
    """As it was run last: all cases of the kernel agree, and each mistake is noticed by the cases that it must reach."""
    stored = golden("lab_07_triton", TRITON)
    assert len(stored["right"]) == 8 and all(stored["right"].values()), stored["right"]
    for mistake, (_, _, notices) in KERNEL_MISTAKES.items():
        for case, agrees in stored[mistake].items():
            assert agrees != notices(case), f"{mistake}: {case} {'agrees' if agrees else 'differs'}"


def shown():
    """The kept output of sdpa.py is what it printed last, line by line, and its first figure is that of the pencil row."""
    stored = golden("lab_07", SDPA)
    printed = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in transcript(SDPA.with_name("sdpa.txt")))
    same(printed, {name: str(value) for name, value in stored.items()}, "the kept output")
    near(report()["trace"][-1]["out"], stored["pencil row"], "pencil row", 4)
    assert stored["online loop agrees"] is True


def on_a_gpu():
    """What the page says in words of its measurements: what is kept, what a mask saves, and that tiles come from L2."""
    found = json.loads(STARTER.with_name("h200.json").read_text(encoding="utf-8"))["cases"]
    plain, causal = found["forward"], found["forward, causal"]
    scores, output = 32 * 8192**2, 2 * 32 * 8192 * 128
    assert 0 <= plain["FLASH_ATTENTION"]["extra_bytes"] - output - 4 * 32 * 8192 <= 1024, plain
    for name in ("CUDNN_ATTENTION", "EFFICIENT_ATTENTION"):
        assert 0 <= plain[name]["extra_bytes"] - output <= 2048, name
    # scores and weights in fp32, a byte per score, four copies of Q's size in fp32, and cuBLAS's workspace of 32 MiB
    parts = 9 * scores + 4 * 2 * output + 2**25
    assert 0 <= plain["MATH"]["extra_bytes"] - parts < 2**20, plain["MATH"]["extra_bytes"] - parts
    for name, entry in plain.items():
        ratio = causal[name]["median_ms"] / entry["median_ms"]
        assert ratio > 1 if name == "MATH" else 0.5 < ratio < 0.6, f"{name}: {ratio}"
    mine = json.loads(STARTER.with_name("h200-triton.json").read_text(encoding="utf-8"))["forward"]
    small, tall = mine["64 x 64, 4 warps"], mine["128 x 64, 8 warps"]
    assert small["median_ms"] < plain["FLASH_ATTENTION"]["median_ms"] < tall["median_ms"], mine
    assert small["tflop_per_s"] > 64 * 4.8 and max(way["largest_difference"] for way in mine.values()) < 1e-3, mine


CHECKS = [on_a_gpu, pencil, reverse, forgotten_alpha, tiles_agree, mistakes_fail, unequal_sides, counts, traffic, merging, shift,
          underflow, backward_weights, numpy_agrees, table, tiles_drawn, pytorch, kernel, kernel_mistakes, shown]
