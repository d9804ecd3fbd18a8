"""The course that every engine builds: tracks of 50 handbook sections and 50 labs, each lab with a starter file.

All of it comes from random generators that are seeded with the names of pages. So every engine gets the same words and
the same code, and a course of 1,000 pages is the beginning of a course of 10,000.
"""
import random
import re
from dataclasses import dataclass, field

NOUNS = """accelerator anchor backlog bandwidth batch boundary bucket bus channel chunk collective container
controller counter deadline device driver endpoint epoch executor fence fragment gateway graph handle histogram index
instruction interval iterator key latency layout ledger limit load loop mask memory message mirror module namespace
occupancy operator orchestrator page pass payload pipeline plan pointer pool prefetch process program proxy queue rack
reader record region registry request resource retry roofline route sample schedule scratch semaphore session shape
slice snapshot span state stream subnet surface sync tail task tensor threshold tile token trace transaction tree
tuple update utilization version volume watcher window workload zone""".split()
VERBS = """aligns amortizes binds bounds buffers coalesces commits compiles counts describes dispatches drains emits
exposes flushes forwards groups hides hoists inlines joins launches loads maps measures moves observes overlaps packs
partitions pipelines polls prefetches probes pulls queues rebalances reduces replays requests resolves returns routes
scales schedules sends shards skips spills stages starts stores submits tags tracks trims updates waits warms writes
""".split()
ADJECTIVES = """active aligned atomic blocking cached cold committed consistent cooperative dense dirty distributed
durable elastic exact expensive fair fine fragmented granular hidden idempotent immutable independent interleaved
large leaky local long low naive nested opaque ordered overlapped parallel persistent pinned portable quantized random
redundant relaxed resident safe scalar sequential shared simple slow stable static strided symmetric tiled transient
uniform unpinned valid visible warm windowed""".split()
TOPICS = ["GPU Memory", "Kernel Fusion", "Cluster Scheduling", "Model Serving", "Observability", "Storage Paths",
          "Collective Communication", "Control Planes", "Capacity Planning", "Incident Response", "Network Fabrics"]
SENTENCES = [
    "The @J @N @V every @N before the @J @N @V its @N.",
    "When a @N @V the @J @N, the @N @V one @J @N at a time.",
    "Each @N @V a @J @N, so the @N never @V more than @9 @Ns.",
    "A @J @N @V the @N because its @J @N @V the same @N twice.",
    "Use `@N_@N` where the @J @N @V the *@J* @N and nothing else @V it.",
]
HEADINGS = ["Concept Goal", "Mental Model", "Starter Code", "Line-by-line Explanation", "What to Notice",
            "Common Misunderstandings", "Interview Explanation", "Further Reading"]
PER_TRACK = 50


@dataclass
class Language:
    """A language of starter files: its name, file name, comment, first line, and twelve lines of code."""

    name: str
    file: str
    comment: str
    head: str
    code: str


# In the code, @a to @e are identifiers, @9 is a number, @N, @V and @J are words, and @S is a sentence.
LANGUAGES = [
    Language("python", "main.py", "# {}", "import math", '''\
def @a(@b: float, @c: int = @9) -> list[float]:
    """@S"""
    @d: list[float] = [@b * @9 + @c]
    @e = @9
    if @b is None or @c < 0:
        raise ValueError("@N @V nothing")
    for step in range(@9):
        @d.append(step << 3)  # @V the @N
        @c = max(@c, len(@d) % @9)
    print(f"@N={@b:.3f} @N={@e!r}", sum(x for x in @d if x is not None))
    @d.sort(key=lambda item: -math.sqrt(item))
    return @d'''),
    Language("cpp", "kernel.cu", "// {}", "#include <cassert>", """\
template <int kTile = @9>
__global__ void @a(const float* __restrict__ @b, float* __restrict__ @c, int @d) {
    __shared__ float @e[512];
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    @e[threadIdx.x] = @b[idx] * @9.0f;
    __syncthreads();  // the @J @N @V
    float acc = fmaf(@e[@9], @b[idx], @9.5f);
    for (int s = 16; s > 0; s >>= 1)
        acc += __shfl_down_sync(0xffffffff, acc, s);
    assert(@d > 0 && "@N");  /* write the partial result back to global memory */
    if (threadIdx.x == 0) { atomicAdd(&@c[blockIdx.x], acc); }
}"""),
    Language("yaml", "deploy.yaml", "# {}", "kind: Namespace", """\
---
apiVersion: apps/v1  # @N @V
metadata: {name: @a, labels: {app: @a, tier: @N}}
spec:
  replicas: @9
  containers:
    - name: @b
      image: "registry.local/@c:@9.@9"
      command: ["/bin/@N", "--@N=@9"]
      env: [{name: @d, value: "@9"}]
      limits: {cpu: @9, memory: @9Gi}
      volumes: [{configMap: @e, optional: true}]"""),
    Language("markdown", "runbook.md", "<!-- {} -->", "# Starter runbook", """\
## Runbook @a

> @S

1. Drain `@a` and confirm that **@b** is idle.
2. Set `@c=@9` in [the console](https://console.local/@c).
3. Watch *@d* for @9 minutes.

| field | value |
| --- | ---: |
| @e | @9 |
- [ ] The @J @N @V <kbd>@N</kbd> ~~@N~~"""),
    Language("bash", "run.sh", "# {}", "set -euo pipefail", """\
@a() {
  local @b="${1:?host}" @c="/tmp/@a.log" @d=@9 @e=""
  echo "@N: ${@b}" >> "${@c}"
  if [[ -z "${@e:-}" ]]; then @e=$(date +%s); fi  # @V the @N
  for i in $(seq 1 @9); do
    (( @d += i )) || true
  done
  grep -c '@N' "${@c}" | awk '{print $1 * @9}'
  case "${@b}" in
    @N-*) printf '%s\\n' "${@d}" ;;
  esac
}"""),
]


class Words:
    """Makes words, sentences and code, always the same for the same seed."""

    def __init__(self, seed: str):
        self.random = random.Random(seed)

    def fill(self, text: str, names: dict[str, str]) -> str:
        """Replaces each `@x` in a text."""
        def word(found: re.Match) -> str:
            match found[1]:
                case "9":
                    return str(self.random.randrange(2, 64))
                case "S":
                    return self.sentence()
                case "N" | "V" | "J":
                    return self.random.choice({"N": NOUNS, "V": VERBS, "J": ADJECTIVES}[found[1]])
                case name:
                    return names[name]
        return re.sub("@([NVJS9a-e])", word, text)

    def sentence(self) -> str:
        return self.fill(self.random.choice(SENTENCES), {})

    def paragraph(self, words: int) -> str:
        sentences = []
        while len(" ".join(sentences).split()) < words:
            sentences.append(self.sentence())
        return " ".join(sentences)

    def code(self, language: Language, names: dict[str, str]) -> list[str]:
        return self.fill(language.code, names).splitlines()

    def names(self) -> dict[str, str]:
        return {key: self.fill("@J_@N_@9@9", {}) for key in "abcde"}


@dataclass
class Page:
    """A section or a lab. Its text and its code are only made by `body` and `Starter`, to save memory."""

    track: "Track"
    folder: str
    number: int

    def __post_init__(self):
        words = Words(f"{self.folder}/{self.track.slug}/{self.number}")
        title = words.fill("@J @N @N", {})
        self.is_lab = self.folder == "labs"
        self.slug = title.replace(" ", "-") + f"-{self.number:02}"
        self.title = f"{title.title()} {self.number}"
        if self.is_lab:
            self.slug = f"lab-{self.number:02}-{title.replace(' ', '-')}-{self.track.number:03}"
        self.summary = words.sentence()
        self.minutes = words.random.randrange(5, 90)
        self.language = LANGUAGES[self.number % len(LANGUAGES)]

    def body(self, link, excerpt, calculator=None) -> str:
        """Returns the page in Markdown, with the addresses of `link` and the code and explanations of `excerpt`. Every
        second lab has figures, which `calculator` writes; without it, they are code."""
        words = Words(f"body/{self.folder}/{self.track.slug}/{self.number}")
        pages = self.track.sections + self.track.labs

        def linked() -> str:
            other = words.random.choice(pages)
            return f"[{other.title}]({link(self, other)})"

        parts = []
        if self.is_lab:
            for heading in HEADINGS:
                if heading == "Starter Code":
                    parts += [f"## {heading}", excerpt(self, Starter(self))]
                elif heading == "Further Reading":
                    parts += [f"## {heading}", "\n".join(f"- {linked()}: {words.sentence()}" for _ in range(3))]
                elif heading != "Line-by-line Explanation":
                    parts += [f"## {heading}", words.paragraph(46)]
                if heading == "Mental Model" and self.number % 2 == 0:
                    numbers = Numbers(self)
                    lines = "\n".join(numbers.lines)
                    parts += [calculator(self, numbers) if calculator else f"~~~\n{lines}\n~~~", numbers.sentence]
            return "\n\n".join(parts) + "\n"
        table = ["| Name | Value | Key | Owner |", "| --- | --- | --- | --- |"]
        table += [words.fill("| @N | @9 | `@J_@N_@9` | @N |", {}) for _ in range(6)]
        lines = words.code(self.language, words.names())[:8]
        between = ["\n".join(table), "\n".join([f"~~~{self.language.name}", *lines, "~~~"]), ""]
        for number, block in enumerate(between, 1):
            parts += [words.paragraph(50), f"## {words.fill('@J @N', {}).title()} {number}"]
            parts += [f"{words.paragraph(50)} See {linked()} for the rest.", block]
            parts += [f"{words.paragraph(50)} Compare {linked()}."]
        return "\n\n".join(filter(None, parts)) + "\n"


class Numbers:
    """The figures of a lab: what its record has, the lines of a calculator, and a sentence that prints its results."""

    def __init__(self, page: Page):
        words = Words(f"numbers/{page.slug}")
        layers, width, tokens = (words.random.randrange(2, 64) for _ in range(3))
        self.record = {"layers": layers}
        self.lines = [
            f"width = {width} MB  # {words.fill('bytes of a @J @N', {})} [1 MB .. 64 MB]",
            f"tokens = {tokens}  # {words.fill('@Ns in a @N', {})} [1 .. 64]",
            f"state = layers * width  # = {layers * width} MB",
            f"traffic = state * tokens  # = {layers * width * tokens} MB",
            f"time = traffic / (2 TB / 1 s)  # = {layers * width * tokens / 2e6 * 1e3} ms",
        ]
        about = words.fill("the @J @N @V", {})
        self.sentence = f"In all, {about} {layers * width} MB, so [{layers * width * tokens} MB](#traffic) move."


class Starter:
    """The starter file of a lab: 120 lines, 25 of them in the region `core`, and a note for five of its identifiers."""

    def __init__(self, page: Page):
        words, language = Words(f"starter/{page.slug}"), page.language
        comment = language.comment.format
        lines = [language.head]
        for part in range(4):
            names = words.names()
            block = [*words.code(language, names), "", *words.code(language, words.names())]
            if part == 1:
                notes = enumerate(names.values(), 1)
                self.notes = "\n".join(f"{number}. `{name}` — {words.sentence()}" for number, name in notes)
                self.excerpt = block
                block = [comment("ANCHOR: core"), *block, comment("ANCHOR_END: core")]
            lines += [comment(words.fill("@J @N", {})), *block]
        while len(lines) < 120:
            lines.append(comment(words.fill("the @J @N @V the @N", {})))
        self.path = f"{page.slug}/{language.file}"
        self.text = "\n".join(lines) + "\n"


@dataclass
class Track:
    """A track with its pages."""

    number: int
    sections: list[Page] = field(default_factory=list)
    labs: list[Page] = field(default_factory=list)

    def __post_init__(self):
        self.slug = f"track-{self.number:03}"
        self.title = f"{TOPICS[self.number % len(TOPICS)]} {self.number}"
        self.summary = Words(self.slug).paragraph(30)

    def pages(self) -> list[Page]:
        return self.sections + self.labs


def tracks(pages: int) -> list[Track]:
    """Returns the tracks of a course that has this many pages, half of them sections and half labs."""
    course = []
    for at in range(0, pages // 2, PER_TRACK):
        track = Track(at // PER_TRACK + 1)
        for number in range(1, min(PER_TRACK, pages // 2 - at) + 1):
            track.sections.append(Page(track, "handbook", number))
            track.labs.append(Page(track, "labs", number))
        course.append(track)
    return course
