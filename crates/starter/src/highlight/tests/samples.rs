//! Texts that more than one test reads.

pub const PYTHON: &str = r#"#!/usr/bin/env python3
"""A doc string,
over two lines."""
import numpy as np


@dataclass(frozen=True)
class ModelConfig(Base):
    '''doc
    string'''
    d: int = 0x1F  # width

    def kv_cache(self, x: Tensor, *args, **kw) -> list[int]:
        s = f"a={x!r:>10} {y['k']} \n" + b'\x00'
        q = """SELECT x FROM y"""
        if x not in s and 3.5e-3 < len(args):
            return np.exp(x) @ self.w ** 2
        print("%d {}".format(SCHEMES["a"]), file=sys.stderr)
        raise ValueError("x") from exc
"#;

pub const CUDA: &str = r#"#include <cstdio>
#define N 10
template <int kTile = 16>
__launch_bounds__(256) __global__ void reduce(const float* __restrict__ src, int n) {
    __shared__ float tile[128];
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;  // __device__ in a comment
    /* over
       __global__ lines */
    #pragma unroll 8
    for (int s = 16; s > 0; s >>= 1)
        acc += __shfl_down_sync(0xffffffff, acc, s);
}
int main() {
    dim3 grid(1, 2);
    printf("threadIdx in a string");
    launch<<<grid, 256, 0, stream>>>(src, n);
    templated<float, 4><<<grid, 256>>>(src);
    cudaError_t error = cudaGetLastError();
    __nv_bfloat16 half = static_cast<__nv_bfloat16>(1);
    return foo::bar(src)->baz();
}
"#;

/// A text for each language that a course is likely to hold.
pub const ALL: &[(&str, &str)] = &[
    ("python", PYTHON),
    ("cuda", CUDA),
    ("cpp", CUDA),
    ("c", CUDA),
    ("markdown", MARKDOWN),
    ("rust", RUST),
    ("yaml", YAML),
    ("bash", BASH),
    ("dockerfile", "FROM x:1 AS b\nRUN a && \\\n  b 'c' # d\nENV A=b C=\"d\"\nCMD [\"a\", \"b\"]\n"),
    ("toml", "# a\n[b.\"c\"]\nd = [1, 2.5, true, 'e', 1979-05-27]\nf = \"\"\"\ng\\n\n\"\"\"\n[[h]]\n"),
    ("json", "{\"a\": [1, -2.5e3, true, null, \"s\\n\"], \"b\": {\"c\": \"d\"}}\n"),
    ("typescript", "import { a } from \"b\";\nconst f = async (x: P<string>) => { await g(`t ${a.x} u`, /re+/g); };\n"),
    ("javascript", "function f(a, b = 1) { return a ? `x${b}` : [1, 'y', /z/]; } // c\nclass A extends B { m() {} }\n"),
    (
        "html",
        "<!DOCTYPE html>\n<p class=\"a\" style=\"color: red\">b &amp; <b>c</b></p>\n<script>let a = 1;</script>\n",
    ),
    ("css", "@media (x) { .a > b:hover { color: #fff; width: calc(1px + 2%); } } /* c */\n"),
    ("makefile", "A := $(shell ls)\nall: b c\n\t@echo \"$@ $<\" # d\nifeq ($(A),)\nendif\n"),
    ("cmake", "project(a LANGUAGES CUDA)\nadd_executable(a a.cu) # b\nif(NOT X)\n  set(Y \"${Z}\")\nendif()\n"),
    ("diff", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ fn\n same\n-old\n+new\n"),
    ("sql", "SELECT a, 'b' FROM c WHERE d = 1 -- e\n"),
    ("go", "package a\nfunc (s *S) f(x int) (string, error) { return fmt.Sprintf(\"%d\\n\", x), nil } // c\n"),
];

const MARKDOWN: &str = "# Title `x`\n\nText *em* **strong** `code` [link](http://x \"t\") ![i](a.png) <kbd>x</kbd>\n\
    > quote\n\n- a\n  1. b\n- [ ] c\n\n```python\ndef f(): pass\n```\n\n    indented\n\n| a | b |\n| --- | --- |\n\
    | c | `d` |\n\n---\n\n[ref]: http://x\n&amp; \\* a\n~~~c\nint x;\n~~~\n";

const RUST: &str = "//! doc\n#[derive(Debug)]\npub struct S<'a, T: Clone> { x: &'a str, y: Option<T> }\n\
    impl<T> S<'_, T> { pub fn f(&self, n: u32) -> Result<(), E> { let v = vec![1u8, 0xff]; println!(\"a {}\\n\", n); \
    match x { Some(_) => self.g(), None => Ok(()) } } }\nstatic R: &str = r#\"raw \"x\" y\"#;\n";

const YAML: &str = "# c\napiVersion: apps/v1  # c\n\"quoted key\": 'v'\nlist: [1, two, true, null, \"x\"]\n\
    map: {a: b, c: 1.5}\nitems:\n  - k: v\n  - &a !tag x\n  - *a\ntext: |\n  block\n  # not a comment\n\
    after: >-\n  folded\n";

const BASH: &str = "#!/bin/bash\nset -euo pipefail # c\n\
    f() { local x=\"${1:?h}\" y='q'; echo \"a $x $(date +%s)\" >> \"$log\"; }\n\
    for i in $(seq 1 3); do (( t += i )) || true; done\nif [[ -z \"$A\" ]]; then export B=1; fi\n\
    nvcc -O3 a.cu -o a && ./a | grep -c 'x' 2>&1\ncase \"$x\" in a-*) printf '%s' ;; esac\ncat <<EOF\nhello $x\nEOF\n";
