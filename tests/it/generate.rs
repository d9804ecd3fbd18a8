//! Generated input: files with regions that nest and overlap, what they must show, and text that means nothing. Seeded: a
//! failure comes again.

pub mod page;

use std::fmt::Write;

/// Numbers that look random and are always the same (`SplitMix64`).
pub struct Dice(pub u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll() % sides as u64).expect("it is below a usize")
    }

    pub fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// A language: its file name, how a marker is written, and lines that code of it may have.
pub struct Language {
    pub file: &'static str,
    comment: (&'static str, &'static str),
    lines: &'static [&'static str],
}

pub const LANGUAGES: [Language; 4] = [
    Language {
        file: "a.py",
        comment: ("# ", ""),
        lines: &[
            "x = 1", "\"\"\"opens", "closes\"\"\"", "def f(a,", "    b):", "'ü' + \"大\"", "# note", "f'{x}'", "",
            "   ", "'''", "é = [ # 🙂",
        ],
    },
    Language {
        file: "a.c",
        comment: ("// ", ""),
        lines: &[
            "int x = 1;", "/* opens", "closes */", "if (a) {", "}", "\"ü\\\"\";", "// note \\", "#define X \\", "",
            "\t", "R\"(raw", ")\"", "'大'",
        ],
    },
    Language {
        file: "a.yaml",
        comment: ("# ", ""),
        lines: &[
            "a: 1", "b: |", "  text", "- [x, {y: z}]", "c: \"opens", "  closes\"", "# note", "&ü *大", "", "---",
            "\tt: 1", ">-",
        ],
    },
    Language {
        file: "a.md",
        comment: ("<!-- ", " -->"),
        lines: &[
            "# Title", "```python", "```", "- item", "> quote *x", "**bold", "<!-- opens", "closes -->", "",
            "| a | b |", "`大`", "    indented",
        ],
    },
];

/// A file with regions that nest and overlap, and their names.
pub fn file(dice: &mut Dice, language: &Language) -> (String, Vec<String>) {
    let end = dice.one_of(&["\n", "\n", "\r\n"]);
    let mut text = String::new();
    let mut open: Vec<String> = Vec::new();
    let mut names = Vec::new();
    let marker = |text: &mut String, indent: &str, what: &str, name: &str| {
        let (before, after) = language.comment;
        write!(text, "{indent}{before}{what}: {name}{after}{end}").expect("a string takes any text");
    };
    for number in 0..=dice.below(40) {
        let indent = dice.one_of(&["", "", "    ", "  ", "\t", "\t  "]);
        match dice.below(8) {
            0 => {
                let name = format!("r{number}");
                marker(&mut text, indent, "ANCHOR", &name);
                open.push(name.clone());
                names.push(name);
            }
            // Any of those that are open: regions may overlap.
            1 if !open.is_empty() => {
                let name = open.remove(dice.below(open.len()));
                marker(&mut text, indent, "ANCHOR_END", &name);
            }
            _ => write!(text, "{indent}{}{end}", dice.one_of(language.lines)).expect("a string takes any text"),
        }
    }
    for name in open {
        marker(&mut text, "", "ANCHOR_END", &name);
    }
    if dice.below(3) == 0 {
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
    }
    if dice.below(6) == 0 {
        text.insert(0, '\u{feff}');
    }
    (text, names)
}

/// What an excerpt must show, found without the program's help: lines by number, markers out, common indent off.
pub fn wanted(text: &str, lines: std::ops::Range<usize>) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let shown: Vec<&str> =
        text.lines().skip(lines.start).take(lines.len()).filter(|line| !line.contains("ANCHOR")).collect();
    let indents = shown
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).collect::<Vec<u8>>());
    let shared = |a: Vec<u8>, b: Vec<u8>| a.iter().zip(&b).take_while(|(a, b)| a == b).map(|(a, _)| *a).collect();
    let indent = indents.reduce(shared).map_or(0, |indent| indent.len());
    shown
        .iter()
        .map(|line| line.get(indent..).unwrap_or_else(|| line.trim_start_matches([' ', '\t'])).to_owned())
        .collect()
}

/// The lines of a region, by its markers.
pub fn region(text: &str, name: &str) -> std::ops::Range<usize> {
    let line = |what: &str| {
        let is_it =
            |line: &str| line.split_once(what).is_some_and(|(_, rest)| rest.split_whitespace().next() == Some(name));
        text.lines().position(is_it).expect("the generator has written it")
    };
    line("ANCHOR:") + 1..line("ANCHOR_END:")
}

/// Text in which what means something is frequent.
pub fn noise(dice: &mut Dice, words: &[&str], length: usize) -> String {
    (0..dice.below(length)).map(|_| dice.one_of(words)).collect()
}

#[rustfmt::skip]
pub const MARKDOWN: &[&str] = &[
    "\n", "\n\n", " ", "  ", "\t", "x", "`x`", "*", "**", "_", "[", "](", ")", "](a.md)", "[@dao]", "<b>", "</b>",
    "<!--", "-->", "```", "```python file=#ledger\n", "~~~", "1. ", "- ", "> ", "> [!NOTE]\n", "# ", "## ", "{#id}",
    "|", "---", "\n---\n", ": ", "$", "$$", "\\", "\\frac{", "}", "&", "&amp;", "ü", "大", "🙂", "\r\n", "\u{feff}",
    "\u{0}", "[^1]", "[^1]: ", "code:", "<script>", "\"", "'", "--", "…", "/", "(2)", "```mermaid\nflowchart LR\n",
    "-->", "```pikchr\n", "box", "<!-- curriculum -->", "file=", "=", "~~", "title: ", "[a]: b",
];
#[rustfmt::skip]
pub const YAML: &[&str] = &[
    "\n", "\n  ", " ", "title", ":", ": ", "- ", "[", "]", "{", "}", ",", "&a ", "*a", "'", "\"", "|", ">", "#",
    "!", "!!str ", "?", "%", "@", "tracks", "labs", "sections", "x", "1", "true", "~", "---\n", "...\n", "\t",
    "\u{feff}", "ü", "🙂", "base_url: https://a.b/", "labels", "\r\n", "<<: ", "2026-02-30", "\\", "\u{7f}", "dao",
    "kind: paper",
];
#[rustfmt::skip]
pub const TEMPLATE: &[&str] = &[
    "{{", "}}", "{%", "%}", "{#", "#}", " page", ".title", " if ", " for x in ", " endif ", " endfor ",
    " block main ", " endblock ", "extends \"base.html\"", "include \"base.html\"", "include \"page.html\"", "\n",
    " ", "|", "safe", "(", ")", "\"", "ü", "1", "/", "0", "-", " set x = ", " macro ", "~", "[", "]",
    "{% extends \"page.html\" %}", "{{ page }}", "{{ 1 / 0 }}", "<p>",
];
#[rustfmt::skip]
pub const CODE: &[&str] = &[
    "# ANCHOR: a", "# ANCHOR_END: a", "#region b", "#endregion", "\n", "\n", "\n", "    ", "\t", "def f(", "):",
    "class C:", "\"\"\"", "'", "\"", "(", ")", "{", "}", "x", "ü", "大", "\r\n", "\r", "\u{feff}", "\u{2028}",
    "\u{1b}", "/*", "*/", "//", "<!--", "-->", "__global__ ", "<<<", ">>>", "@",
];
