//! Code that has moved to another file, in Markdown without a course: what `check` proposes, and how far it searches.

use crate::harness::SiteTest;
use crate::repository::run;

const SCALE: &str = "def scale(x):\n    y = x * 2\n    return y\n";

/// A page with one excerpt of `file`, whose pin is [`SCALE`].
fn showing(file: &str) -> String {
    format!("```python file={file}\n{SCALE}```\n\n1. `y = x * 2` — twice.\n")
}

/// What `check` says in its help texts, and nothing else.
fn help_of(test: &SiteTest, path: &str) -> Vec<String> {
    let (_, err, _) = run(test, &["check", path]);
    err.lines().filter_map(|line| Some(line.split_once("= help: ")?.1.to_owned())).collect()
}

#[test]
fn code_that_has_moved_to_another_file_is_found() {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "").write("src/main.py", "def keep():\n    return 0\n");
    test.write("src/deep/ops.py", format!("import os\n\n\n@cached\n{SCALE}"));
    test.write("node_modules/ops.py", SCALE).write("src/.hidden.py", SCALE).write("src/copy.md", SCALE);
    for file in ["main.py#fn:scale", "main.py#scale", "main.py#L1-L3", "gone.py#fn:scale", "main.py#fn:scale,fn:other"]
    {
        test.write("docs/a.md", showing(&format!("../src/{file}")));
        let selector = if file.ends_with("py#fn:scale") { "fn:scale" } else { "L5-L7" };
        let wanted = format!("the pin's code is now in `src/deep/ops.py`; write `file=../src/deep/ops.py#{selector}`");
        assert_eq!(help_of(&test, "docs/a.md").first(), Some(&wanted), "{file}");
    }
    test.write("docs/a.md", showing("../src/main.py"));
    let wanted = "the pin's code is now in `src/deep/ops.py`; write `file=../src/deep/ops.py#L5-L7`";
    assert_eq!(help_of(&test, "docs/a.md")[0], wanted, "another definition is there now");
    test.write("docs/a.md", showing("../src/gone.py").replace("def scale", "import os\n\n\n@cached\ndef scale"));
    let wanted = "the pin's code is now in `src/deep/ops.py`; write `file=../src/deep/ops.py`";
    assert_eq!(help_of(&test, "docs/a.md"), [wanted], "the whole file was renamed");
    test.write("my ops.py", SCALE).write("docs/a.md", showing("../src/gone.py#fn:scale"));
    let wanted = "the pin's code is now in `my ops.py` and `src/deep/ops.py`; \
                  write `file=\"../my ops.py#fn:scale\"` or `file=../src/deep/ops.py#fn:scale`";
    assert_eq!(help_of(&test, "docs/a.md"), [wanted]);
}

#[test]
fn code_that_resembles_the_pin_is_not_proposed() {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "").write("main.py", "def keep():\n    return 0\n");
    test.write("a.md", showing("main.py#fn:scale"));
    for other in [SCALE.replace("scale", "double"), SCALE.replace('2', "3"), SCALE.repeat(2)] {
        test.write("ops.py", &other);
        assert_eq!(help_of(&test, "a.md"), ["it defines `keep`"], "{other}");
        test.write("ops.py", "");
        test.write("main.py", format!("{other}\n\ndef keep():\n    return 0\n"));
        assert!(!help_of(&test, "a.md").iter().any(|help| help.contains("now")), "{other}");
        test.write("main.py", "def keep():\n    return 0\n");
    }
}

#[test]
fn a_search_reads_what_is_near_and_says_where_it_ends() {
    let test = SiteTest::empty();
    test.write(".git/HEAD", "").write("z/near.py", SCALE).write("z/a.md", showing("gone.py#fn:scale"));
    for number in 0..1_000 {
        test.write(&format!("a/{number}.py"), "x = 1\n");
    }
    assert_eq!(help_of(&test, "z/a.md"), ["the pin's code is now in `z/near.py`; write `file=near.py#fn:scale`"]);
    test.write("z/near.py", "x = 1\n");
    let ends = "the pin's code is in none of the 1000 nearest files; others were not searched";
    let help = help_of(&test, "z/a.md");
    assert_eq!(help, ["paths are relative to the folder of this file", ends]);
    test.remove("z/near.py").write("z/gong.py", "");
    assert_eq!(help_of(&test, "z/a.md")[0], "did you mean `gong.py`?");
}
