//! Pages of all constructs in all positions. Nearly all of them build.

use super::Dice;

/// Parts of a line in which figures, terms, links and markup meet.
#[rustfmt::skip]
const INLINE: &[&str] = &[
    "80 GB", "13.48 GB", "13.48&nbsp;GB", "\"80 GB\"", "'80 GB'", "2.5&times;", "2.5×", "*80* GB", "**80 GB**",
    "80 **GB**", "~~80 GB~~", "***80 GB***", "`80 GB`", "`x` 80 GB", "80\nGB", "80  \nGB", "80\\\nGB", "80&#10;GB",
    "&#56;0 GB", "&lt;80 GB&gt;", "&amp;80 GB", "\\*80 GB", "$80$ GB", "$a = 80$", "80 GB...", "80 GB--90 GB",
    "(80 GB)", "— 80 GB", "\u{feff}80 GB", "🙂80 GB🙂", "约80 GB的", "１80 GB", "6–40 µs", "about 80 GB", "80 GB | 90 GB",
    "1,024", "3.5%", "\"13.48&nbsp;GB\", 'x' 80&nbsp;GB", "[80 GB](#weights)", "[80 GB](#kv)", "[13.48 GB](#weights)",
    "[the 80 GB](#weights)", "[weights](#weights)", "[*80 GB*](#weights)", "[![80 GB](dot.svg)](#weights)",
    "[80 GB **and** 13.48 GB](#weights)", "[80 GB](#block)", "[](#weights)", "![An 80 GB card](dot.svg)",
    "![80 GB](dot.svg \"80 GB\")", "[80 GB](s.md)", "[80 GB](s.md#cache)", "[](s.md)", "[80 GB](code:lab-01-a/a.py#ledger)",
    "[80 GB][@dao2023]", "[80 GB][@dao2023; @manual]", "[@dao2023, 80 GB]", "[@dao2023; @manual]", "[80 GB][ref]",
    "[ref]", "[80 GB](https://e.org/80 \"80 GB\")", "https://e.org/1.5", "<https://e.org/80>", "80 GB[^a]", "[^b]",
    "[^a] [^a]", "<b>80 GB</b>", "<i>80</i> GB", "<kbd>80 GB</kbd>", "80 GB<br>90 GB", "<!-- 9 --> 80 GB",
    "<span title=\"80 GB\">80 GB</span>", "<span id=\"own\">80 GB</span>", "cache", "KV cache of 80 GB", "80 GB cache",
    "cache 80 GB cache", "**KV** cache", "[80 GB]", "\"", "'", "...", "--", "x_80 GB_y", "^80 GB^", "==80 GB==",
];
/// Front matter besides the title.
#[rustfmt::skip]
const FRONT: &[&str] = &[
    "", "figures: checked\n", "figures: free\n", "figures: checked\nsummary: 'It is \"80 GB\" of 13.48 GB'\n",
    "figures: checked\ngiven: { 80 GB: dao2023, 13.48 GB: \"a page\", 2.5×: \"a page\", \"1,024\": \"a page\" }\n",
    "given: { 80 GB: manual }\n",
];
/// Blocks without anything of the author's in them.
#[rustfmt::skip]
const FIXED: &[&str] = &[
    "```python\nx = 1  # 80 GB\n```", "    80 GB", "$$\n80\n$$", "---", "[ref]: https://e.org \"80 GB\"",
    "```mermaid\nflowchart LR\n  a[80 GB] --> b\n```", "```pikchr\nbox \"80 GB\"; arrow\n```", "<!-- tracks -->",
    "<!-- 80 GB -->", "<figure>\n<p>80 GB</p>\n</figure>", "~~~\n80 GB\n~~~",
];
const VALUES: &str = "<!-- values\nweights = 6.74 billion * 2 B # = 13.48 GB\nkv = 40 GB * 2 # = 80 GB\n-->";
/// The beginnings of the first and of each other line of a container.
#[rustfmt::skip]
const CONTAINERS: &[(&str, &str)] = &[
    ("", ""), ("", ""), ("", ""), ("> ", "> "), ("- ", "  "), ("1. ", "   "), ("> - ", ">   "), (">> ", ">> "),
    ("- > 10) ", "  >     "), ("- [ ] ", "  "), ("> [!NOTE]\n> ", "> "), ("[^a]: ", "    "),
    ("<details><summary>80 GB</summary>\n\n", ""),
];

fn line(dice: &mut Dice) -> String {
    let parts: Vec<&str> = (0..=dice.below(5)).map(|_| dice.one_of(INLINE)).collect();
    parts.join(dice.one_of(&[" ", " ", "", ", ", "\n"]))
}

/// A line without breaks and without what would end a cell.
fn cell(dice: &mut Dice) -> String {
    line(dice).replace("  \n", " ").replace("\\\n", " ").replace('\n', " ").replace('|', "\\|")
}

/// A block. Some can only stand by themselves.
fn block(dice: &mut Dice, number: usize) -> String {
    let text = line(dice);
    let short = cell(dice);
    let inner = match dice.below(18) {
        0 => format!("## {short}{}", dice.one_of(&["", "\n\n### 80 GB"])),
        1 => format!("## Weights\n\n{text}"),
        2 => format!("| a | {short} |\n| - | - |\n| {} | {} |", cell(dice), cell(dice)),
        3 => format!("Term {short}\n: {}\n: 80 GB", cell(dice)),
        4 => format!("<div>\n\n{text}\n\n</div>"),
        5 => format!("{text}\n\n[^b]: {short}\n\n    80 GB"),
        6 => dice.one_of(FIXED).to_owned(),
        7 => format!("- {}\n- {}\n\n  {}", cell(dice), cell(dice), cell(dice)),
        8 => {
            return format!(
                "```calc title=\"C{number}\"\nn{number} = 8 # [1 .. 64]\nr{number} = n{number} * 10 GB # = 80 GB\n```"
            );
        }
        9 => return format!("<!-- tabs -->\n\n**80 GB**\n\n{text}\n\n**Two**\n\n{short}\n\n<!-- /tabs -->"),
        13 => return format!("<!-- cards -->\n\n- {}\n- {}\n\n<!-- /cards -->", cell(dice), cell(dice)),
        10 => return format!("<!-- example -->\n\n{text}\n\n<!-- /example -->"),
        11 | 12 => {
            let note = text.replace('\n', "\n   ");
            let end = dice.one_of(&["", ", and `x`"]);
            return format!(
                "```python file=lab-01-a/a.py#ledger\nx = 1\ntotal = x + y\n```\n\n1. `total`{end} — {note}\n2. `y`: {short}"
            );
        }
        _ => text,
    };
    let (first, rest) = CONTAINERS[dice.below(CONTAINERS.len())];
    let end = if first.starts_with('<') { "\n\n</details>" } else { "" };
    format!("{first}{}{end}", inner.replace('\n', &format!("\n{rest}")))
}

/// The body of a page.
pub fn body(dice: &mut Dice) -> String {
    let mut blocks: Vec<String> = (0..=dice.below(6)).map(|number| block(dice, number)).collect();
    // A link to a value needs the value.
    if dice.below(5) > 0 || blocks.iter().any(|block| block.contains("](#")) {
        blocks.insert(dice.below(blocks.len() + 1), VALUES.to_owned());
    }
    blocks.join("\n\n") + "\n"
}

/// A page.
pub fn page(dice: &mut Dice) -> String {
    let page = format!("---\ntitle: Page\n{}---\n\n{}", dice.one_of(FRONT), body(dice));
    if dice.below(5) == 0 { page.replace('\n', "\r\n") } else { page }
}
