//! What the highlighter knows to be text, a string, a pattern or switched off does not end a definition.

use super::{outline, symbols};

/// Checks the symbols of a file, none of which is in doubt.
#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(outline(path, text), expected, "{path}:\n{text}");
    let doubts = symbols(path, text).unwrap_or_default();
    assert!(doubts.iter().all(|symbol| symbol.doubt.is_none()), "{doubts:?}");
}

#[test]
fn text_between_elements() {
    for text in ["doesn't", "isn't \"it", "a ` b", "see (1", "a // b", "/* c", "1) of [", "&lt; it's"] {
        let code = format!(
            "export function Queue({{ jobs }}) {{\n  return (\n    <p title=\"a {{\">\n      The worker {text} \
             {{jobs.map((job) => (\n        <b>{{job.name}} {text}</b>\n      ))}} is done.\n    </p>\n  );\n}}\n\n\
             export function Footer() {{\n  return <p>{text}</p>;\n}}\n\nconst last = () => {{\n}};\n"
        );
        for path in ["a.jsx", "a.tsx"] {
            check(path, &code, &["Queue 1-9", "Footer 11-13", "last 15-16"]);
        }
    }
}

#[test]
fn branches_that_exclude_each_other() {
    let pairs = [
        ("#ifdef FAST", "#ifndef FAST"),
        ("#ifndef FAST", "#ifdef FAST"),
        ("#if defined(FAST)", "#if !defined(FAST)"),
        ("#if defined FAST", "#ifndef FAST // slow"),
        ("#if FAST", "#if !FAST"),
        ("#  ifdef FAST", "#  if !defined ( FAST )"),
    ];
    for (first, second) in pairs {
        let text = format!(
            "int drain(struct bin *b)\n{{\n\tint n = 0;\n{first}\n\twhile (b->left > 1) {{\n#endif\n{second}\n\twhile \
             (b->left > 0) {{\n#endif\n\t\tb->left--;\n\t\tn++;\n\t}}\n\treturn n;\n}}\n\n/* Fills. */\nint fill(void)\n\
             {{\n\treturn 1;\n}}\n"
        );
        for path in ["a.c", "a.cc", "a.cu"] {
            check(path, &text, &["drain 1-14", "fill 16-20"]);
        }
    }
    let closed = "int f(void)\n{\n#ifdef A\n\tif (x) {\n#else\n\tif (y) {\n#endif\n\t\tz();\n#ifdef A\n\t\ta();\n\t}\n#else\n\
                  \t\tb();\n\t}\n#endif\n}\n\nint g(void) { return 1; }\n";
    check("a.c", closed, &["f 1-16", "g 18-18"]);
    let only = "int f(void)\n{\n#ifdef A\n\tif (x) {\n#else\n\tz();\n#endif\n\ty();\n#ifdef A\n\t}\n#endif\n}\n\nint g(void) \
                { return 1; }\n";
    check("a.c", only, &["f 1-12", "g 14-14"]);
}

#[test]
fn parameters_that_are_declared_below_the_name() {
    let text = "int declared();\nvoid test(out, size, next)\n    Byte *out, *other[4];\n    uLong size; /* of `out` */\n    \
                int (*next)(int);\n{\n    use(out);\n}\n\n/* The program. */\nint main(argc, argv)\n    int argc;\n    char \
                *argv[];\n{\n    return 0;\n}\n\nint plain(int a) __attribute__((pure));\nint last(void) { return 1; }\n";
    for path in ["a.c", "a.h"] {
        check(path, text, &["declared 1-1", "test 2-8", "main 10-16", "plain 18-18", "last 19-19"]);
    }
}

#[test]
fn text_that_is_switched_off() {
    let dead = "int a(void) { return 1; }\n\n#if 0\nThis isn't used: {\n#if X\nneither is (this\n#else\n#endif\n#endif\nint \
                b(void)\n{\n#if 0\n  }} it's off\n#endif\n\treturn 2;\n}\n/* about c */\nint c(void)\n{\n\treturn 3;\n}\n";
    for path in ["a.c", "a.h", "a.cpp", "a.cu"] {
        check(path, dead, &["a 1-1", "b 10-16", "c 17-21"]);
    }
    let macros = "/* doc */\n#define A 1 /* one\n   two */\nint f(void) { return 1; }\n#error don't (\nint g(void) { return 2; }\n";
    check("a.c", macros, &["f 4-4", "g 6-6"]);
}

#[test]
fn patterns() {
    let after =
        ["if (x) /[{(]/.test(y);", "}\n  /\\}'/.test(y);\n  {", "return /`{/g;", "x = y / 2; z = '/{';", "a = [/{/];"];
    for statement in after {
        let text = format!("function f(x) {{\n  {{\n  {statement}\n  }}\n}}\n\nfunction g() {{\n}}\n");
        let lines = text.lines().count();
        let expected = [format!("f 1-{}", lines - 3), format!("g {}-{lines}", lines - 1)];
        for path in ["a.js", "a.ts", "a.tsx", "a.jsx", "a.mjs"] {
            assert_eq!(outline(path, &text), expected, "{path}: {text}");
        }
    }
}

#[test]
fn strings_of_each_language() {
    let go = "func f() {\n\tx := `\n}\n` + \"}\" + string('}')\n}\nfunc g() {}\n";
    check("a.go", go, &["f 1-5", "g 6-6"]);
    let java = "class A {\n  String f() {\n    char c = '}', d = '\"';\n    return \"\"\"\n  }\n  \"it's {\n  \"\"\";\n  }\n  \
                void g() {}\n}\n";
    check("A.java", java, &["A 1-10", "A.f 2-8", "A.g 9-9"]);
    let cpp = "void f() {\n  a(R\"x(\n}} )\" \n)x\", '}', 1'000, u8\"}\");\n}\nvoid g() {}\n";
    check("a.cc", cpp, &["f 1-5", "g 6-6"]);
    let rust = "fn f<'a>(x: &'a str) {\n    a(r#\"\n}\"} \"#, '}', b'{', '\\'', \"\n}\");\n}\nfn g() {}\n";
    check("a.rs", rust, &["f 1-5", "g 6-6"]);
    let script = "function f() {\n  a(`\n}${ {\n  }.b }\n${c}}`, '}', \"{\");\n}\nfunction g() {}\n";
    for path in ["a.js", "a.ts"] {
        check(path, script, &["f 1-6", "g 7-7"]);
    }
    let python =
        "def f():\n    x = f\"{a}({b['}']}\" + '''\ndef no(): (\n''' + \"(\" + r'\\('\n    return x\ndef g(): pass\n";
    check("a.py", python, &["f 1-5", "g 6-6"]);
}

#[test]
fn here_documents() {
    for (begin, end) in [
        ("<<end-input", "end-input"),
        ("<<'END OF'", "END OF"),
        ("<<\"a.b\"", "a.b"),
        ("<<@@", "@@"),
        ("<<-EOF", "\tEOF"),
        ("<<\\EOF", "EOF"),
        ("<<EOF > \"$x\"", "EOF"),
        ("<< E2 | grep b", "E2"),
    ] {
        let text = format!(
            "write() {{\n  cat {begin}\nit's a crate {{ (\n\n$x\n{end}\n  echo done\n}}\n\nread_it() {{\n  echo \"$1\"\n}}\n"
        );
        check("a.sh", &text, &["write 1-8", "read_it 10-12"]);
    }
}

#[test]
fn braces_in_types() {
    let rust = "fn f() -> Array<f64, { MAX + 1 }> {\n    g(a < b)\n}\n\nimpl<const N: usize> A<{ N + 1 }> {\n    fn m(x: B<{ 2 \
                }>) {\n        if x < y {\n        }\n    }\n}\n\nfn g<const N: usize = { 3 }>() where C<{ N }>: D {\n}\n";
    check("a.rs", rust, &["f 1-3", "A::m 6-9", "g 12-13"]);
}

#[test]
fn raw_identifiers() {
    let text = "pub fn r#match(x: u8) -> u8 {\n    r#fn(x)\n}\n\nmod r#mod {\n    pub struct r#type(u8);\n}\n\nimpl r#mod::r#type \
                {\n    fn r#use(&self) {}\n}\n";
    check("a.rs", text, &["match 1-3", "mod::type 6-6", "type::use 10-10"]);
    let all = symbols("a.rs", text).unwrap();
    for (wanted, path) in
        [("match", "match"), ("r#match", "match"), ("r#mod::r#type", "mod::type"), ("type.r#use", "type::use")]
    {
        assert_eq!(super::found(&all, wanted), path);
    }
}

/// Returns the names of the symbols whose end is uncertain.
fn doubtful(path: &str, text: &str) -> Vec<String> {
    symbols(path, text).unwrap().into_iter().filter(|symbol| symbol.doubt.is_some()).map(|symbol| symbol.path).collect()
}

#[test]
fn two_readings_that_differ() {
    let cases = [
        ("a.c", "int f(void)\n{\n\tLOCK(q)\n\t\tx();\n\t}\n}\n\nint g(void)\n{\n\treturn 1;\n}\n", "f"),
        ("a.c", "int f(void)\n{\n\tif (x) {\n\treturn 1;\n}\n\nint g(void)\n{\n\treturn 1;\n}\n", "f"),
        ("a.rs", "fn f() {\n    if x {\n    y();\n}\n\nfn g() {\n    z();\n}\n", "f"),
        ("a.go", "func f() {\n\tif x {\n}\n\nfunc g() {\n}\n", "f"),
        ("a.js", "function f() {\n  x()\n}}\n  y()\n}\n", "f"),
        ("a.sh", "f() {\n  if x; then {\n}\n\ng() {\n  y\n}\n", "f"),
        ("A.java", "class A {\n  void f() {\n    if (x) {\n  }\n\n  void g() {\n  }\n}\n", "A A.f"),
        ("a.py", "def f():\n    x = (1,\n\ndef g():\n    pass\n", "f"),
        ("a.py", "class A:\n    def f(self):\n        x = [1,\n\n    def g(self): pass\n", "A.f"),
        ("a.js", "function f() {\n  x({\n", "f"),
        ("a.ts", "type A =\n  | B<{ a: 1 }\n\ntype C = D\nexport const x = 1\n", ""),
    ];
    for (path, text, expected) in cases {
        assert_eq!(doubtful(path, text).join(" "), expected, "{path}:\n{text}");
    }
}

#[test]
fn unusual_indentation_that_is_clear() {
    let cases = [
        ("a.c", "int\nf (int a)\n  {\n    return a;\n  }\n\nint g(void) { return 1; }\n"),
        ("a.c", "int f(void)\n{\n\tgoto out;\nout:\n\treturn 1;\n}\n"),
        ("a.c", "int f(void)\n{\n#ifdef A\nreturn_a:\n#endif\n  return 1; }\n\nint g(void) { return 1; }\n"),
        ("a.c", "struct s {\nint a;\nint b;\n};\nint f(void) {\nreturn 1;\n}\n"),
        (
            "a.cc",
            "class A {\npublic:\n  A() {}\nprotected:\n  int f() {\n    switch (a) {\n    case 1: break;\n    }\n  }\n};\n",
        ),
        ("a.go", "func f() {\nagain:\n\tfor {\n\t\tbreak again\n\t}\n}\n"),
        ("a.js", "var a = 1,\n    f = function () {\n      b()\n    },\n    c = 2\nfunction g() { return 1 }\n"),
        ("a.js", "const f = () => {\n  return `\na\n${b}\n`\n}\n"),
        ("a.rs", "fn f()\nwhere\n    A: B,\n{\n    x(\"\na\n\");\n}\nstruct S<T>(T)\nwhere\n    T: A;\n"),
        ("a.sh", "f() {\n  cat <<X\n{\nX\n}\ng() { h; }; i() { j; }\n"),
        ("a.py", "def f():\n    return (\n1,\n)\n"),
    ];
    for (path, text) in cases {
        assert_eq!(doubtful(path, text), Vec::<String>::new(), "{path}:\n{text}");
    }
}
