//! Where an edit is seen.

use std::sync::Arc;

use super::*;
use infralens_page::{parse, placement};
use infralens_source::project::File;
use infralens_source::source::Source;

const LAB: &str = "---
title: A lab
---

First words.

```python file=a.py
x = 1
```

1. `x` — the note.

```mermaid
flowchart LR
  a --> b
```

```calc title=\"Area\"
side = 3
area = side * side   # = 9.0
```

The *last* words, `code` too.
";

fn project(files: &[(&str, &str)]) -> Project {
    let mut project = Project::default();
    for &(path, text) in files {
        project.put(&Arc::from(path), Some(File::Text(Arc::new(Source::new(path, text.to_owned())))));
    }
    project
}

#[test]
fn the_first_difference_is_a_place_on_the_page() {
    let source = Arc::new(Source::new("content/lab.md", LAB));
    let placement = placement::place("content/lab.md").expect("a place");
    let (document, _) = parse(&source, placement);
    let at = |text: &str| place(&document, LAB.find(text).expect("it is there"));
    assert_eq!(at("A lab"), "", "front matter is seen in many places");
    assert_eq!(at("words."), "=Firstwords");
    assert_eq!(at("x = 1"), "E1");
    assert_eq!(at("the note"), "E1-N1");
    assert_eq!(at("a --> b"), "D1");
    assert_eq!(at("side = 3"), "C-area");
    assert_eq!(at("*last*"), "=Thelastwordscodetoo");
    let changed = |old: &str, new: &str| first_change(&project(&[("a", old)]), &project(&[("a", new)]), "a");
    assert_eq!(changed("one ü", "one ö"), Some(4), "never within a character");
    assert_eq!((changed("one", "one two"), changed("one two", "one")), (Some(3), Some(3)));
    assert_eq!(first_change(&Project::default(), &project(&[("a", "x")]), "a"), Some(0), "a new file");
    assert_eq!(first_change(&project(&[("a", "x")]), &Project::default(), "a"), None, "one that is gone");
}
