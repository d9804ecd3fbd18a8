//! Syntax of the extensions of MkDocs, and where its settings and chapters may be.

use super::*;

const YML: &str = "site_name: T\nmarkdown_extensions: [pymdownx.keys, pymdownx.mark, pymdownx.critic]\n";

/// Imports one page of a site in `docs/en`. Returns the new files and what was lost.
fn imported(page: &str, others: &[(&str, &str)]) -> (BTreeMap<String, String>, Vec<String>) {
    let files = [("docs/en/mkdocs.yml", YML), ("docs/en/docs/index.md", page)];
    let import =
        super::super::import(&book(&[&files, others].concat()), Dialect::MkDocs, "docs/en/", &Options::default());
    let import = import.expect("it can be read");
    (texts(&import), losses(&import))
}

#[test]
fn includes_outside_of_the_folder_of_the_settings_are_excerpts_with_lit_lines() {
    let page = "# T\n\n{* ../../src/a.py ln[1:2] hl[2] title[\"a.py\"] *}\n\nAll:\n\n{* ../../src/a.py hl[1,3] *}\n\n- In a list:\n\n  \
        {* ../../src/a.py ln[2:3] hl[3] *}\n\n```py hl_lines=\"2\"\n{!> ../../src/a.py [ln:2-3] !}\n```\n";
    let (files, losses) = imported(page, &[("src/a.py", "a = 1\nb = 2\nc = 3\n")]);
    let expected = "---\ntitle: T\n---\n\n```python file=src/a.py#L1-L2 caption=\"a.py\" light=\"L2\"\na = 1\nb = 2\n```\n\nAll:\n\n\
        ```python file=src/a.py light=\"L1, L3\"\na = 1\nb = 2\nc = 3\n```\n\n- In a list:\n\n  ```python {2-2}\n  b = 2\n  c = 3\n  ```\n\n\
        ```py file=src/a.py#L2-L3 light=\"L3\"\nb = 2\nc = 3\n```\n";
    assert_eq!(files["content/index.md"], expected);
    assert_eq!(files["code/src/a.py"], "a = 1\nb = 2\nc = 3\n");
    assert_eq!(losses, ["Copy docs/en/docs/index.md:11 it is in a list or a quote"]);
}

#[test]
fn snippets_of_all_forms_are_included() {
    let part = "<!-- --8<-- [start:x] -->\nX\n<!-- --8<-- [end:x] -->\nY\n";
    let code = "# --8<-- [start:body]\nx = 1\n# --8<-- [end:body]\n";
    let page = "# T\n\n-8<- 'p.md:x'\n\n--8<--\np.md:4\n; no.md\n--8<--\n\n;--8<-- \"p.md\"\n\n!!! note\n    --8<-- \"p.md:x\"\n\n\
        ```py\n--8<-- \"a.py:body\"\n```\n\n--8<-- \"https://example.org/x.md\"\n";
    let (files, losses) = imported(page, &[("docs/en/p.md", part), ("docs/en/a.py", code)]);
    let expected = "---\ntitle: T\n---\n\nX\n\n\nY\n\n\n\n--8<-- \"p.md\"\n\n> [!NOTE]\n> X\n\n\n```py file=docs/en/a.py#body\n```\n\n\
        --8<-- \"https://example.org/x.md\"\n";
    assert_eq!(files["content/index.md"], expected);
    assert_eq!(files["code/docs/en/a.py"], "# ANCHOR: body\nx = 1\n# ANCHOR_END: body\n");
    assert!(
        losses.contains(&"Include docs/en/docs/index.md:19 `https://example.org/x.md` is on another site".to_owned()),
        "{losses:?}"
    );
}

#[test]
fn annotations_become_notes_of_their_lines() {
    let page = "# T\n\n```py title=\"q.py\"\nx = 1  # (2)!\n# (1)!\nx = 1\n```\n\n1.  The second.\n\n    More.\n2.  The first.\n\nEnd.\n\n\
        ```py\ny = 1  # (1)!\n```\n\nNo list.\n";
    let (files, _) = imported(page, &[]);
    let expected = "---\ntitle: T\n---\n\n```py file=book/q.py caption=\"q.py\"\nx = 1\nx = 1\n```\n\n1.  `x = 1` (2) — The second.\n\n    More.\n\
        2.  `x = 1` — The first.\n\nEnd.\n\n```py\ny = 1  # (1)!\n```\n\nNo list.\n";
    assert_eq!(files["content/index.md"], expected);
    assert_eq!(files["code/book/q.py"], "x = 1\nx = 1\n");
}

#[test]
fn marks_are_html_if_an_extension_reads_them() {
    let page = "# T\n\nPress ++ctrl+alt+del++ or ++f++, ==x ++esc++==, {~~a~>b~~}{>>why<<} and x^2^.\n";
    let (files, losses) = imported(page, &[]);
    let expected = "---\ntitle: T\n---\n\nPress <kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd> or <kbd>F</kbd>, <mark>x <kbd>Esc</kbd></mark>, \
        <del>a</del><ins>b</ins><!-- why --> and x^2^.\n";
    assert_eq!(files["content/index.md"], expected);
    assert_eq!(losses.len(), 1, "{losses:?}");
}

#[test]
fn ids_of_headings_are_kept_and_other_attributes_reported() {
    let (files, losses) = imported("# T\n\n## A { id=\"a\" }\n\n## B { #b .wide }\n\n[A](#a)\n", &[]);
    assert_eq!(files["content/index.md"], "---\ntitle: T\n---\n\n## A {#a}\n\n## B {#b}\n\n[A](#a)\n");
    assert_eq!(losses, ["Icon docs/en/docs/index.md:5 `{ #b .wide }`"]);
}

#[test]
fn pictures_of_other_sites_are_links() {
    let page = "# T\n\n![A cat](https://example.org/c.png), ![](https://example.org/d.png), [![x](https://a.b/c.svg)](https://a.b).\n\n\
        <img src=\"https://example.org/e.png\" alt=\"A dog\">\n";
    let (files, losses) = imported(page, &[]);
    let expected = "---\ntitle: T\n---\n\n[A cat](https://example.org/c.png), [example.org](https://example.org/d.png), [x](https://a.b).\n\n\
        <a href=\"https://example.org/e.png\">A dog</a>\n";
    assert_eq!(files["content/index.md"], expected);
    assert!(losses.iter().all(|loss| loss.starts_with("Picture")), "{losses:?}");
}

#[test]
fn chapters_in_folders_of_their_own_do_not_take_the_place_of_their_section() {
    let nav = "site_name: T\nnav:\n  - index.md\n  - Labs:\n    - One: lab/one/index.md\n    - Two: lab/two/index.md\n";
    let files = [
        ("mkdocs.yml", nav),
        ("docs/index.md", "# T\n"),
        ("docs/lab/one/index.md", "# A\n"),
        ("docs/lab/two/index.md", "# B\n"),
    ];
    let files = texts(&mkdocs(&book(&files)).expect("it can be read"));
    assert_eq!(files["content/labs/index.md"], "---\ntitle: Labs\n---\n\n- [One](one.md)\n- [Two](two.md)\n");
}

#[test]
fn settings_of_zensical_are_read() {
    let toml = "[project]\nsite_name = \"T\"\nnav = [{\"Home\" = \"index.md\"}, {\"More\" = [\"a.md\"]}]\n[project.markdown_extensions.pymdownx.mark]\n\
        [project.markdown_extensions.pymdownx.blocks.tab]\n[project.markdown_extensions.pymdownx.odd]\n";
    let files = [("zensical.toml", toml), ("docs/index.md", "# Home\n"), ("docs/a.md", "# A\n\n==x==\n")];
    let import = mkdocs(&book(&files)).expect("it can be read");
    assert_eq!(texts(&import)["content/more/a.md"], "---\ntitle: A\naliases: [a/index.html]\n---\n\n<mark>x</mark>\n");
    assert_eq!(losses(&import), ["Extension zensical.toml:6 `pymdownx.odd`"]);
}

#[test]
fn a_list_of_chapters_is_enough() {
    let list = "- [Home](/)\n- Guide\n  - [First](guide/first)\n";
    let files = [("_sidebar.md", list), ("README.md", "# Home\n"), ("guide/first.md", "# First\n")];
    let files = texts(&mdbook(&book(&files)).expect("it can be read"));
    assert_eq!(files["content/site.yaml"], "title: Book\nnav:\n  - guide/index.md\n  - guide/first.md\n");
    assert_eq!(files["content/guide/index.md"], "---\ntitle: Guide\n---\n\n- [First](first.md)\n");
}

#[test]
fn references_of_code_are_names_and_listed() {
    let (files, losses) = imported(
        "# T\n\n::: a.b.C\n    options:\n      x: 1\n\nText [`f`][a.f], [g][] and {{ x_y }}{% raw %} `{{ z }}`\n\n```\n::: a.b\n```\n",
        &[],
    );
    assert_eq!(
        files["content/index.md"],
        "---\ntitle: T\n---\n\n`a.b.C`\n\n\nText `f`, g and `{{ x_y }}` `{{ z }}`\n\n```\n::: a.b\n```\n"
    );
    let expected = [
        "Reference docs/en/docs/index.md:3 `a.b.C`",
        "Reference docs/en/docs/index.md:7 `[`f`][a.f]`",
        "Reference docs/en/docs/index.md:7 `[g][]`",
        "Macro docs/en/docs/index.md:7 `{{ x_y }}`",
    ];
    assert_eq!(losses, expected);
}

#[test]
fn macros_in_html_are_code_and_raw_text_has_none() {
    let page = "# T\n\n<div title=\"{{ a }}\">\n<b>{{ b < c }}</b>\n</div>\n\n{% raw %}\n\nSo {{ d }} and `{{ e }}`.\n\n```py\n{{ f }}\n```\n\n{% endraw %}\n\n\
        ```py\n{{ g }}\n{% raw %}{{ h }}{% endraw %}\n```\n\n{{ i(\n1) }}\n";
    let body = |files: &BTreeMap<String, String>| files["content/index.md"].replace("---\ntitle: T\n---\n\n", "");
    let (files, losses) = imported(page, &[]);
    let expected = "<div title=\"{{ a }}\">\n<b><code>{{ b &lt; c }}</code></b>\n</div>\n\n\n\nSo \\{{ d }} and `{{ e }}`.\n\n```py\n{{ f }}\n```\n\n\n\n\
        ```py\n{{ g }}\n{% raw %}{{ h }}{% endraw %}\n```\n\n`{{ i(\n1) }}`\n";
    assert_eq!(body(&files), expected);
    let lost = ["Macro docs/en/docs/index.md:3 `{{ a }}`", "Macro docs/en/docs/index.md:4 `{{ b < c }}`"];
    assert_eq!(losses[..2], lost);
    assert_eq!(losses[2..], ["Macro docs/en/docs/index.md:22 `{{ i(\n1) }}`"]);
    let files = [("mkdocs.yml", "site_name: T\nplugins: [macros]\n"), ("docs/index.md", page)];
    let import = mkdocs(&book(&files)).expect("it can be read");
    assert!(body(&texts(&import)).contains("```py\n{{ g }}\n{{ h }}\n```"), "{:?}", texts(&import));
    assert!(super::losses(&import).contains(&"Macro docs/index.md:18 `{{ g }}`".to_owned()));
}

#[test]
fn terminals_that_a_script_shows_are_their_text() {
    let page = "# T\n\n<div class=\"termy\">\n\n```console\n$ pip install \"x\" <name>\n<font color=\"#4E9A06\">INFO</font>: a &lt; b\n```\n\n</div>\n\n\
        <div id=\"termynal\" data-termynal>\n  <span data-ty=\"input\">ls</span>\n  <span data-ty=\"progress\"></span>\n  <span data-ty>a &amp; b</span>\n</div>\n\n\
        ```console\n<font color=\"red\">x</font>\n```\n";
    let (files, losses) = imported(page, &[]);
    let expected = "---\ntitle: T\n---\n\n<div>\n\n```console\n$ pip install \"x\" <name>\nINFO: a < b\n```\n\n</div>\n\n\
        ```console\n$ ls\n---> 100%\na & b\n```\n\n```console\n<font color=\"red\">x</font>\n```\n";
    assert_eq!(files["content/index.md"], expected);
    assert_eq!(losses, ["Attribute docs/en/docs/index.md:18 tags in code, which only a script shows as HTML"]);
}

#[test]
fn includes_outside_of_what_is_read_name_the_option() {
    let losses = losses(
        &mkdocs(&book(&[("mkdocs.yml", "site_name: T\n"), ("docs/index.md", "# T\n\n{* ../../a.py *}\n\n[x]()\n")]))
            .expect("it can be read"),
    );
    assert_eq!(
        losses,
        [
            "Include docs/index.md:3 `../../a.py` is outside of the book; `--within DIR` names a folder that contains both",
            "Link docs/index.md:5 `` is no address",
        ]
    );
}
