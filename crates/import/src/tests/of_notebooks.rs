//! Notebooks that become pages.

use super::*;

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Loading $5\n",
    "\n",
    "With $x^2$ and [nothing](no.md)."
   ]
  },
  {
   "cell_type": "code",
   "id": "load",
   "metadata": {},
   "outputs": [{ "output_type": "stream", "name": "stdout", "text": "1\n" }],
   "source": "a = 1\nprint(a)"
  },
  { "cell_type": "code", "metadata": {}, "outputs": [], "source": ["b = \"{{#cell no}}\""] },
  { "cell_type": "code", "metadata": {}, "outputs": [], "source": [] },
  { "cell_type": "raw", "metadata": {}, "source": "raw ``` text" },
  { "cell_type": "markdown", "metadata": {}, "source": [
    "# More\n",
    "<font size=\"2\">small</font>"] }
 ],
 "metadata": { "kernelspec": { "language": "python" } }, "nbformat": 4, "nbformat_minor": 4
}
"##;

#[test]
fn a_notebook_becomes_a_page_with_excerpts_of_its_cells() {
    let project =
        book(&[("part one/01 load.ipynb", NOTEBOOK), ("README.md", "# All\n\n[Load](part%20one/01%20load.ipynb)\n")]);
    let import = super::super::import(&project, Dialect::Notebooks, "", &Options::default()).expect("it can be read");
    let files = texts(&import);
    let expected = "---\ntitle: \"Loading $5\"\n---\n\nWith $x^2$ and nothing.\n\n\
        ```python file=part-one/01-load.ipynb#cell:load output=true\n```\n\n\
        ```python file=part-one/01-load.ipynb#cell:cell-1\n```\n\n\n```text\nraw ``` text\n```\n\n## More\nsmall\n";
    assert_eq!(files["content/part-one/01-load.md"], expected);
    assert_eq!(files["content/index.md"], "---\ntitle: All\n---\n\n[Load](part-one/01-load.md)\n");
    assert!(files["content/site.yaml"].starts_with("title: All\n"), "{}", files["content/site.yaml"]);
    assert!(files["code/part-one/01-load.ipynb"].contains("\"id\": \"cell-1\""));
    let expected = [
        "Attribute part one/01 load.ipynb:24 `<font size=\"2\">`",
        "Link part one/01 load.ipynb:9 `no.md` is not in the book",
    ];
    let (mut losses, mut expected) = (losses(&import), expected.map(str::to_owned).to_vec());
    losses.sort();
    expected.sort();
    assert_eq!(losses, expected);
}

#[test]
fn a_folder_keeps_its_name_and_what_is_no_notebook_is_reported() {
    let project = book(&[("appendix-A/x/a.md", "# A\n"), ("b.ipynb", "{")]);
    let import = super::super::import(&project, Dialect::Notebooks, "", &Options::default()).expect("it can be read");
    assert!(texts(&import).contains_key("content/appendix-A/x/a.md"));
    let unread = "Unreadable b.ipynb:0 it is not a notebook in format 4 with cells, and its page is empty";
    assert!(losses(&import).contains(&unread.to_owned()), "{:?}", import.losses);
}

#[test]
fn attached_pictures_become_files() {
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let cell = |name: &str, text: &str| {
        format!(
            "{{ \"cell_type\": \"markdown\", \"metadata\": {{}}, \"source\": \"{text}\", \
             \"attachments\": {{ \"{name}\": {{ \"image/png\": \"{png}\" }} }} }}"
        )
    };
    let cells = [cell("a.png", "# A\\n\\n![one](attachment:a.png)"), cell("b c.png", "![two](attachment:b%20c.png)")];
    let notebook =
        format!("{{ \"cells\": [{}], \"metadata\": {{}}, \"nbformat\": 4, \"nbformat_minor\": 4 }}", cells.join(","));
    let project = book(&[("x/a 1.ipynb", &notebook), ("README.md", "# All\n")]);
    let import = super::super::import(&project, Dialect::Notebooks, "", &Options::default()).expect("it can be read");
    let files = texts(&import);
    let page = files.iter().find(|(path, _)| path.ends_with("a-1.md")).expect("a page").1;
    assert!(page.contains("![one](attachments/a%201/1-a.png)"), "{page}");
    assert!(page.contains("![two](attachments/a%201/2-b%20c.png)"), "{page}");
    let added = import.changes.iter().filter(|change| match change {
        infralens_source::change::Change::Add { path, .. } => path.ends_with(".png"),
        _ => false,
    });
    assert_eq!(added.count(), 2);
    assert!(losses(&import).is_empty(), "{:?}", losses(&import));
}
