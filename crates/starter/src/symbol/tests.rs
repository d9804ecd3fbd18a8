//! Definitions in every language, and hostile texts.

mod classes;
mod more;

use super::*;
use crate::highlight;

/// The symbols of a file, highlighted like a listing.
fn symbols(path: &str, text: &str) -> Option<Vec<Symbol>> {
    let language = highlight::by_path(path, text.lines().next().unwrap_or_default());
    super::symbols(path, text, &highlight::highlight(language, text))
}

/// The symbols of a file, each as `path first-last`, lines from 1.
fn outline(path: &str, text: &str) -> Vec<String> {
    let symbols = symbols(path, text).unwrap_or_default();
    for symbol in &symbols {
        let at = text[symbol.name_at.clone()].to_owned();
        assert!(at.split_whitespace().collect::<String>().starts_with(&symbol.name.replace(' ', "")), "{at}");
        assert_eq!(text[..symbol.name_at.start].matches('\n').count(), symbol.line);
        assert!(symbol.lines.contains(&symbol.line) && symbol.lines.end <= text.lines().count());
    }
    let describe = |symbol: &Symbol| format!("{} {}-{}", symbol.path, symbol.lines.start + 1, symbol.lines.end);
    symbols.iter().map(describe).collect()
}

/// The path of what a name finds.
fn found(symbols: &[Symbol], wanted: &str) -> String {
    find(symbols, &Names::new(symbols), wanted).unwrap().path.clone()
}

#[test]
fn python() {
    let text = "\
#!/usr/bin/env python3
# about f
@first
# between

@second(1,
  2)
async def f(x):
    return {
1: \"\"\"
def not_this(): pass
\"\"\", 2: '}'}
    # still in f
# about g

def g(): return 1  # trailing
class A(B):
    x = 1  # def no(): pass

    # about m
    def m(self):
        def inner():
            pass
        return inner
    # about n
    @property
    def n(self) -> int: ...
if True:
\tdef tabbed():
\t\tpass
text = 'def quoted(): \\
  pass'
";
    let expected = ["f 2-13", "g 16-16", "A 17-27", "A.m 20-24", "A.m.inner 22-23", "A.n 25-27", "tabbed 29-30"];
    assert_eq!(outline("lab/a.py", text), expected);
    assert_eq!(outline("a.pyi", "class A:\n    def f(self) -> int: ...\n"), ["A 1-2", "A.f 2-2"]);
}

#[test]
fn python_that_is_broken() {
    let text = "def a(\n    x = 1\n\ndef b():\n    return ')\n\nclass C\n    def d(self): pass\n  def e(): pass";
    assert_eq!(outline("a.py", text), ["a 1-3", "b 4-5", "C 7-9", "C.d 8-8", "C.e 9-9"]);
    assert_eq!(outline("a.py", "def a():\r\n\treturn 1\r\n\r\nx = 1\r\n"), ["a 1-2"]);
}

#[test]
fn cuda() {
    let text = "\
// doc
__global__ void plain(float* x) { x[0] = 1; }
template <int N> __global__ void __launch_bounds__(256) bounded(float *x) { }
extern \"C\" __global__ void linked(int *a) {}
__device__ __forceinline__ float inlined() { return 1; }
/* doc
   doc */
template <typename T, int N = (1 > 0)>
__global__ void
LAUNCH_BOUNDS(BLOCK, 2)
split(const T* __restrict__ x) {
  __shared__ float buffer[N];
  plain<<<dim3(1, 2), f(3 << 2), 0, stream>>>(x);
}

auto lambda = [=] __device__ (int i) { return i; };
";
    let expected = ["plain 1-2", "bounded 3-3", "linked 4-4", "inlined 5-5", "split 6-14"];
    assert_eq!(outline("a.cu", text), expected);
}

#[test]
fn cpp_classes_and_namespaces() {
    let text = "\
namespace a::b { namespace {
// doc
struct S final : public T<int(int)> {
public:
  // doc
  int m() const { return 1; }
  int n();
  explicit S(int x) : x_{x}, T<int(int)>{1}, y_(2) { run(); }
  ~S() = default;
  S& operator=(const S& o) { return *this; }
  bool operator()(int) const { return true; }
  operator bool() const { return true; }
  enum class E : int { A, B };
  int x_{0}, y_ = f({1});
};
} }
int a::b::S::n() { return 1; }
template <> struct Spec<int> { void z() {} };
template <class T> void Spec<T>::y() {}
class EXPORT_API Exported : Base { void inside() {} };
union __attribute__((packed)) U { int a; };
extern \"C\" {
int in_c(void) { return 0; }
}
";
    let expected = [
        "a::b::S 2-15", "a::b::S::m 5-6", "a::b::S::S 8-8", "a::b::S::~S 9-9", "a::b::S::operator= 10-10",
        "a::b::S::operator() 11-11", "a::b::S::operator bool 12-12", "a::b::S::E 13-13", "a::b::S::n 17-17",
        "Spec<int> 18-18", "Spec<int>::z 18-18", "Spec<T>::y 19-19", "Exported 20-20", "Exported::inside 20-20",
        "U 21-21", "in_c 23-23",
    ];
    assert_eq!(outline("a.hpp", text), expected);
}

#[test]
fn c_functions_types_and_macros() {
    let text = "\
int declared(int);
int f(int a);
typedef struct { int x; } Anonymous;
typedef struct Tag {
  int x;
} Tag, *TagPointer;
struct Forward;
static struct Tag table[] = { { 1 }, { 2 } };
int (*variable)(int) = 0;
int (*returned(int a))(int) { return 0; }
#define CHECK(x) \\
  do { x; } while (0)
#ifdef A
int f(int a) {
#else
int f(int b) {
#endif
  if (a) { return '}'; } // }
  return \"}\"[0] + 1'000;
}
MODULE(name)

struct Tag *last(void) { return R\"x(}}} )\" )x\"; }
";
    let expected = [
        "declared 1-1", "Anonymous 3-3", "Tag 4-6", "TagPointer 4-6", "returned 10-10", "CHECK 11-12", "f 16-20",
        "last 23-23",
    ];
    assert_eq!(outline("a.c", text), expected);
}

#[test]
fn shell() {
    let text = "\
#!/bin/bash
# about a
a() {
  cat <<EOF
b() { }
EOF
  case $1 in
    x) echo \"} $(c \"}\" ')') ${d:-\"}\"} \" ;;
    *) echo $((1 << 2)) # }
  esac
}
function e { f; }
function g() (
  h
)
log::info ()
{
  inner() { :; }; echo a{b,c} }
} > out
not_a_function=\"x() { }\"
";
    let expected = ["a 2-11", "e 12-12", "g 13-15", "log::info 16-19", "log::info.inner 18-18"];
    assert_eq!(outline("run.sh", text), expected);
    assert_eq!(outline("bin/run", text), expected);
}

#[test]
fn braces_are_keywords_of_the_shell_only_where_a_command_begins() {
    let text = "\
a() {
  rm \"$T\"/* a#b }
  : ${T=/tmp}
  {
    echo {x,y} \\} ${T%\\}} }
  } | while true; do { :; } done; }
}
b() (
  (c) && d=(e)
)
if f; then g() { :; }; fi
h && { i() { :; }; }
case j in (k) { :; } ;; l) m() { :; } ;; esac
n=$(( 1 << 2 ))
o() { :; }
";
    assert_eq!(outline("run.sh", text), ["a 1-6", "b 8-10", "g 11-11", "i 12-12", "m 13-13", "o 15-15"]);
}

#[test]
fn rust() {
    let text = "\
#![allow(x)]
/// doc
#[inline]
// note
pub(crate) const unsafe extern \"C\" fn f<'a, T>(x: &'a str) -> u8 where T: Fn(u8) -> u8 { b'}' }
impl<T: Fn() -> u8> fmt::Display for a::Foo<T> {
    /// m
    fn m(&self) -> [u8; 2] { /* } /* } */ */ r#\"}\"#; '}' }
}
impl Foo<u8> { fn n() { fn inner() {} } }
trait Tr { fn sig(&self); fn def(&self) {} }
mod m {
    pub struct S(u8);
    struct R { a: u8 }
    enum E { A { x: u8 } }
    union U { a: u8 }
}
macro_rules! mac { () => { fn hidden() {} } }
static X: R = R { a: 1 };
impl Tr for &'static [u8] { async fn q() { let fnord = match 1 { _ => { 2 } }; } }
";
    let expected = [
        "f 2-5", "Foo::m 7-8", "Foo::n 10-10", "Foo::n::inner 10-10", "Tr 11-11", "Tr::sig 11-11", "Tr::def 11-11",
        "m::S 13-13", "m::R 14-14", "m::E 15-15", "m::U 16-16", "mac 18-18", "[u8]::q 20-20",
    ];
    assert_eq!(outline("a.rs", text), expected);
}

#[test]
fn languages() {
    let shell = "f() { :; }";
    for path in ["a.sh", "a.bash", "a.zsh", "a.bats", "a.SH"] {
        assert_eq!(outline(path, shell), ["f 1-1"], "{path}");
    }
    for path in ["a.c", "a.h", "a.cc", "a.cpp", "a.hpp", "a.cu", "a.cuh"] {
        assert_eq!(outline(path, "void f() {}"), ["f 1-1"], "{path}");
    }
    assert_eq!(outline("run", "#!/usr/bin/env -S python3 -u\ndef f(): pass"), ["f 2-2"]);
    for (path, text) in [("a.yaml", "f: 1"), ("Makefile", "f:"), ("a.sh.txt", shell), ("run", "#!/bin/awk\n")] {
        assert_eq!(symbols(path, text), None, "{path}");
    }
}

#[test]
fn a_suffix_of_the_path_chooses() {
    let text = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n    def once(self): pass\n";
    let symbols = symbols("a.py", text).unwrap();
    assert_eq!(found(&symbols, "once"), "B.once");
    assert_eq!(found(&symbols, "A.run"), "A.run");
    assert_eq!(found(&symbols, "B::run"), "B.run");
    let ambiguous = SymbolError::Ambiguous { lines: vec![2, 4], names: vec!["A.run".into(), "B.run".into()] };
    assert_eq!(find(&symbols, &Names::new(&symbols), "run"), Err(ambiguous));
}

#[test]
fn a_number_chooses_one_of_several_definitions() {
    let line = |path: &str, text: &str, wanted: &str| {
        let symbols = symbols(path, text).unwrap();
        find(&symbols, &Names::new(&symbols), wanted).map(|symbol| symbol.line + 1)
    };
    let property = "class A:\n    @property\n    def w(self): pass\n    @w.setter\n    def w(self, w): pass\nclass B:\n    def w(self): pass\n";
    let lines = ["w(1)", "w(2)", "w(3)", "A.w(1)", "A::w(2)", ".A.w(2)", "B.w", "B.w(1)"]
        .map(|wanted| line("a.py", property, wanted));
    assert_eq!(lines, [3, 5, 7, 3, 5, 5, 7, 7].map(Ok));
    let traits = "struct X;\nimpl A for X {\n    fn f(&self) {}\n}\nimpl B for X {\n    fn f(&self) {}\n}\n";
    assert_eq!(["f(1)", "f(2)", "X::f(2)"].map(|wanted| line("a.rs", traits, wanted)), [3, 6, 6].map(Ok));
    let overloads = "template <typename T>\nvoid g(T* x) { x[0] = 0; }\nvoid g(int n) {}\n";
    assert_eq!(["g(1)", "g(2)"].map(|wanted| line("a.cu", overloads, wanted)), [2, 3].map(Ok));
    for (wanted, lines) in [("w(0)", vec![3, 5, 7]), ("w(4)", vec![3, 5, 7]), ("B.w(2)", vec![7])] {
        let name = wanted.split('(').next().unwrap().to_owned();
        assert_eq!(line("a.py", property, wanted), Err(SymbolError::TooFew { name, lines }), "{wanted}");
    }
    for wanted in ["w()", "w(x)", "(2)", "w(-1)", "w(2", "w (2)", "w(99999999999999999999999)"] {
        assert!(matches!(line("a.py", property, wanted), Err(SymbolError::NotFound { .. })), "{wanted}");
    }
    let two = SymbolError::Ambiguous { lines: vec![3, 5], names: vec!["A.w(1)".into(), "A.w(2)".into()] };
    assert_eq!(line("a.py", property, "A.w"), Err(two));
}

#[test]
fn a_separator_in_front_chooses_what_lies_in_nothing() {
    let symbols = symbols("a.rs", "fn run() {} mod m { fn run() {} }").unwrap();
    let ambiguous = SymbolError::Ambiguous { lines: vec![1, 1], names: vec![".run".into(), "m::run".into()] };
    assert_eq!(find(&symbols, &Names::new(&symbols), "run"), Err(ambiguous));
    assert_eq!(found(&symbols, ".run"), "run");
    assert_eq!(found(&symbols, "::run"), "run");
    assert!(matches!(find(&symbols, &Names::new(&symbols), ".m"), Err(SymbolError::NotFound { .. })));
}

#[test]
fn classes_go_before_constructors_and_templates_before_specialisations() {
    let text = "namespace n { struct S { S() {} }; } template <class T> struct V { void f() {} };
template <> struct V<int> { void f() {} void g() {} };";
    let symbols = symbols("a.cpp", text).unwrap();
    assert_eq!(found(&symbols, "S"), "n::S");
    assert_eq!(found(&symbols, "S::S"), "n::S::S");
    assert_eq!(found(&symbols, "V"), "V");
    assert_eq!(found(&symbols, "V<int>"), "V<int>");
    assert_eq!(found(&symbols, "V::f"), "V::f");
    assert_eq!(found(&symbols, "V.g"), "V<int>::g");
}

#[test]
fn the_nearest_name() {
    let symbols = symbols("a.py", "def train_step(): pass\nclass A:\n    def forward(self): pass\n").unwrap();
    for (wanted, expected) in [
        ("train_stp", Some("train_step")),
        ("A.foward", Some("A.forward")),
        ("B.forward", Some("A.forward")),
        ("forwards", Some("forward")),
        ("unlike", None),
        ("", None),
        (".", None),
    ] {
        let found = find(&symbols, &Names::new(&symbols), wanted);
        let Err(SymbolError::NotFound { nearest }) = found else { panic!("{wanted}: {found:?}") };
        assert_eq!(nearest.as_ref().map(|near| &*near.name), expected, "{wanted}");
    }
}

#[test]
fn a_shell_name_with_colons_is_one_name() {
    let symbols = symbols("a.sh", "log::info() { :; }\ninfo() { :; }\n").unwrap();
    assert_eq!(found(&symbols, "info"), "info");
    assert_eq!(found(&symbols, "log::info"), "log::info");
}

#[test]
fn hostile_input_is_linear() {
    let paths = ["a.py", "a.cu", "a.sh", "a.rs", "a.go", "A.java", "a.js", "a.tsx"];
    let units = "(·[·{·<·a<·((·$(·${·\"·'·`·\\·\\\n·<<E\n·/*·R\"(·r#\"·#if a\n·#else\n·}·)·é·\0·a=f(){·a():b{·():a<b>{}·\
        struct a{·f(){ ·def f():\n ·class a:\n ·fn f(){·impl A<·operator ·typedef struct{}a;·A(\n\n·a::·!*/&·f(int (*·\
        template<·# c\n·// c\n·a=@a\nf(){ a;}\n·`${·/[·@a·@a\n·type(·type a\n·func(){·a=function(){·a=>{·x:{·\
        a=b==c{·class a extends b{·enum a{b{·for(a\n·((·a.b=·a{},·(a{}),·S():a{},b{},";
    for unit in units.split('·') {
        let text = unit.repeat(4_000 / unit.len());
        for path in paths {
            let symbols = symbols(path, &text).unwrap();
            let _ = find(&symbols, &Names::new(&symbols), "nothing");
            let _ = find(&symbols, &Names::new(&symbols), "f");
        }
    }
}

#[test]
fn paths_do_not_grow_without_bound() {
    let text = "namespace a_rather_long_name_of_a_namespace { void f() {}\n".repeat(1_000);
    let symbols = symbols("a.cpp", &text).unwrap();
    assert!(symbols.len() < 20 && symbols.iter().all(|symbol| symbol.path.len() <= 512));
}
