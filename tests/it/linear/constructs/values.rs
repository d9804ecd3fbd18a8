//! Values, figures, and links to values.

use super::{Construct, Files, construct, each, page};

/// A comment that declares so many values, in blocks that are short enough.
fn values(count: usize, line: impl Fn(usize) -> String) -> String {
    const LINES: usize = 100;
    let blocks = each(count.div_ceil(LINES), |block| {
        let lines = (block * LINES..count.min((block + 1) * LINES)).map(&line).collect::<String>();
        format!("<!-- values\n{lines}-->\n\n")
    });
    blocks + "\n"
}

/// A page whose front matter lists so many figures.
fn given(count: usize, body: &str) -> Files {
    let given = each(count, |i| format!("  {i}.5 GB: \"a page\"\n"));
    let front = format!("title: Page\nminutes: 5\nfigures: checked\ngiven:\n{given}");
    vec![("content/page.md".into(), format!("---\n{front}---\n\n{body}"))]
}

pub fn all() -> Vec<Construct> {
    let kv = "<!-- values\nkv = 40 GB * 2 # = 80 GB\n-->\n\n";
    vec![
        construct("values", 100, |n| page(&values(n, |i| format!("a{i} = {i} GB * 2 # = {} GB\n", i * 2)))),
        construct("values that need each other", 100, |n| {
            page(&values(n, |i| format!("a{i} = a{} + 1 B\n", i.saturating_sub(1))).replace("a0 = a0", "a0 = 1 B"))
        }),
        construct("links to one value", 100, move |n| page(&(kv.to_owned() + &"[80 GB](#kv) ".repeat(n)))),
        construct("links to many values", 100, |n| {
            let links = each(n, |i| format!("[{}.5 GB](#a{i}) [](#a{i})\n", i + 7));
            page(&(values(n, |i| format!("a{i} = {}.5 GB\n", i + 7)) + &links))
        }),
        construct("links to values that are headings", 50, |n| {
            let text = each(n, |i| format!("## a{i}\n\n[x](#a{i}) [1.5 GB](#a{i})\n\n"));
            page(&(values(n, |i| format!("a{i} = 1.5 GB * {i}\n")) + &text))
        }),
        construct("figures that many values print", 100, |n| {
            page(
                &(values(n, |i| format!("a{i} = 80.00{i} GB\n"))
                    + &each(n, |i| format!("80 GB and 80.0 GB, {i}.5 GB "))),
            )
        }),
        construct("figures that equal values print", 100, |n| {
            page(&(values(n, |i| format!("a{i} = 80 GB\n")) + &"80 GB, ".repeat(n)))
        }),
        construct("figures that differ", 100, move |n| page(&(kv.to_owned() + &each(n, |i| format!("{i}.5 GB, "))))),
        construct("figures that are given", 100, |n| given(n, &each(n, |i| format!("{i}.5 GB, ")))),
        construct("given figures that are not printed", 50, |n| given(n, "Nothing.\n")),
        construct("figures beside terms", 100, move |n| page(&(kv.to_owned() + &"80 GB ledger 80 GB loss ".repeat(n)))),
        construct("figures beside quotation marks", 100, move |n| {
            page(&(kv.to_owned() + &"\"80 GB\" 80&nbsp;GB ".repeat(n)))
        }),
        construct("numbers in code", 20, |n| {
            let mut files = page(&values(n, |i| format!("a{i} = code(\"l/a.py\", \"x = {{}}\") * {i}\n")));
            files.push(("code/l/a.py".into(), "x = 1\ny = 2\n".into()));
            files
        }),
        construct("lines in which a number is", 500, |n| {
            let mut files = page("<!-- values\na = code(\"l/a.py\", \"x = {}\")\n-->\n");
            files.push(("code/l/a.py".into(), "y = x = y\n".repeat(n) + "x = 1\n"));
            files
        }),
    ]
}
