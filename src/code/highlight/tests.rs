use super::*;

/// The class that the first occurrence of `part` has, if it is all of one class.
fn class_of(file: &str, text: &str, part: &str) -> Option<Class> {
    let highlighted = highlight(by_path(file, text.lines().next().unwrap_or_default()), text);
    let (row, line) = text.lines().enumerate().find(|(_, line)| line.contains(part)).unwrap();
    let start = line.find(part).unwrap();
    let mut at = 0;
    for token in highlighted.line(row) {
        let end = at + token.len as usize;
        if start < end {
            return (start + part.len() <= end).then_some(token.class);
        }
        at = end;
    }
    None
}

#[track_caller]
fn classes(file: &str, text: &str, expected: &[(&str, Class)]) {
    for (part, class) in expected {
        assert_eq!(class_of(file, text, part), Some(*class), "`{part}` in {file}");
    }
}

#[test]
fn python() {
    let text = "# note\ndef ledger(cfg):\n    \"\"\"Two\n    lines\"\"\"\n    return 2 * len(cfg)\n";
    let expected =
        [("# note", Class::Comment), ("def", Class::Keyword), ("ledger", Class::Function), ("2", Class::Number)];
    classes("a.py", text, &expected);
    classes("a.py", text, &[("Two", Class::String), ("lines", Class::String), ("return", Class::Keyword)]);
}

#[test]
fn cuda_in_both_of_its_extensions() {
    let text = "__global__ void k(float* out) {\n  __shared__ float tile[32]; // sum\n  int i = threadIdx.x;\n}\n\
                void go() { k<<<grid, 256>>>(out); return; }\n";
    for file in ["a.cu", "a.cuh"] {
        let expected = [
            ("__global__", Class::Keyword),
            ("__shared__", Class::Keyword),
            ("// sum", Class::Comment),
            ("threadIdx", Class::Type),
            ("256", Class::Number),
            ("return", Class::Keyword),
        ];
        classes(file, text, &expected);
    }
}

#[test]
fn the_languages_that_labs_are_written_in() {
    classes("a.toml", "[package]\nname = \"x\" # c\n", &[("name", Class::Key), ("\"x\"", Class::String), ("# c", Class::Comment)]);
    classes("Dockerfile", "FROM debian\nRUN echo hi\n", &[("FROM", Class::Keyword), ("RUN", Class::Keyword)]);
    classes("a.ts", "const n: number = 3; // c\n", &[("const", Class::Keyword), ("3", Class::Number), ("// c", Class::Comment)]);
    classes("a.yaml", "# c\nkey: \"v\"\n", &[("# c", Class::Comment), ("key", Class::Key), ("\"v\"", Class::String)]);
    classes("a.sh", "if true; then # c\n  echo \"x\"\nfi\n", &[("if", Class::Keyword), ("# c", Class::Comment)]);
    classes("a.md", "# Head\n\ntext `code` <!-- c -->\n", &[("Head", Class::Heading), ("<!-- c -->", Class::Comment)]);
    classes("a.rs", "fn main() { let x = 1; }\n", &[("fn", Class::Keyword), ("main", Class::Function), ("1", Class::Number)]);
    classes("a.json", "{\"a\": 1}\n", &[("1", Class::Number)]);
    classes("a.cpp", "int main() { return 0; } // c\n", &[("return", Class::Keyword), ("// c", Class::Comment)]);
}

#[test]
fn tokens_cover_every_line_of_any_text() {
    let texts = [
        "", "\n", "\n\n\n", "a", "a\r\nb\r\n", "\tx = '''é\nü", "\"open\n# c\n", "/* a\n b */ int\u{1f600}\n", "x\u{0}y\n",
    ];
    for file in ["a.py", "a.cu", "a.yaml", "a.md", "a.sh", "a.toml", "Dockerfile", "a.ts", "a.unknown"] {
        for text in texts {
            let highlighted = highlight(by_path(file, ""), text);
            assert_eq!(highlighted.len(), text.lines().count());
            for (row, line) in text.lines().enumerate() {
                let covered: usize = highlighted.line(row).iter().map(|token| token.len as usize).sum();
                assert_eq!(covered, line.len(), "{file}: {line:?}");
            }
        }
    }
}

#[test]
fn a_line_beyond_the_limit_is_plain_and_does_not_disturb_the_rest() {
    let text = format!("x = 1\ny = \"{}\"\nz = 2 # c\n", "a".repeat(LONGEST_LINE));
    let highlighted = highlight(by_path("a.py", ""), &text);
    assert_eq!(highlighted.line(1).len(), 1);
    assert_eq!(class_of("a.py", &text, "# c"), Some(Class::Comment));
}

#[test]
fn languages_are_found_by_name_extension_shebang_and_word() {
    let name = |language: Option<Language>| language.map(Language::name);
    assert_eq!(name(by_path("x/Dockerfile.dev", "")), Some("Dockerfile"));
    assert_eq!(name(by_path("x/run", "#!/usr/bin/env -S python3 -u")), Some("Python"));
    assert_eq!(name(by_path("x/a.txt", "")), None);
    assert_eq!(name(by_token("CUDA")), Some("CUDA C++"));
    assert_eq!(name(by_token("sh")), Some("Bash"));
    assert_eq!(name(by_token("text")), None);
}
