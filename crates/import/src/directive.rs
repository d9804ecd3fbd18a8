//! Reads the directives with which a book includes files.

use super::Dialect;
use infralens_source::source::lines_from;
use infralens_source::url;

/// The first and the last line, from 1; `None` is the end of the file.
pub type LineRange = (usize, Option<usize>);

/// The part of a file as it is written: its name, and the lines if that is their numbers.
type WrittenPart<'t> = (&'t str, Option<Vec<LineRange>>);

/// Which lines of a file are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// The lines between two markers.
    Region(String),
    /// Some ranges of lines, of which there is at least one.
    Lines(Vec<LineRange>),
    /// A cell of a notebook.
    Cell(String),
}

/// A file to be included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The path; one that begins with a slash is that from the root of the project.
    pub path: String,
    /// The lines.
    pub part: Part,
    /// Whether the path is relative to a folder of the settings, instead of that of the page.
    pub is_snippet: bool,
    /// The lines of the file that are marked.
    pub marked: Vec<LineRange>,
    /// The title of the code.
    pub title: Option<String>,
}

impl Include {
    fn new(path: &str, part: Part) -> Self {
        Self { path: path.to_owned(), part, is_snippet: false, marked: Vec::new(), title: None }
    }

    /// Returns the paths from the root at which the file may be, for a page in `folder`. `bases` are the folders of snippets.
    pub fn paths(&self, folder: &str, bases: &[String]) -> Vec<String> {
        let join = |base: &str| url::join("", &format!("{base}/{}", self.path));
        match self.path.strip_prefix('/') {
            Some(path) => url::join("", path).into_iter().collect(),
            None if self.is_snippet => bases.iter().filter_map(|base| join(base)).collect(),
            None => url::join(folder, &self.path).into_iter().collect(),
        }
    }
}

/// A directive such as `{{#name arguments}}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive<'t> {
    /// The byte at which it begins.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// The name; that of a mark that only surrounds or escapes others is empty.
    pub name: &'t str,
    /// What follows the name.
    pub arguments: &'t str,
}

/// A snippet of MkDocs: `--8<-- "a"`.
const SNIPPET: &str = "snippet";
/// An include of the extension `markdown_include_variants`: `{* a ln[1:5] hl[3] *}`.
pub const VARIANT: &str = "variant";
/// An include of the extension `mdx_include`: `{! a [ln:1-5] !}`.
const MDX: &str = "mdx";
/// An include of `VitePress`: `<<< @/a.ts#region{2,4 ts} [title]`.
pub const ANGLES: &str = "angles";
/// A cell of a notebook that is a page: `{{#cell /a.ipynb NAME}}`. Only an import writes it.
pub const CELL: &str = "cell";

/// Returns the directives in `text` in their order, other than escaped ones.
pub fn directives(dialect: Dialect, text: &str) -> Vec<Directive<'_>> {
    let mut found = match dialect {
        Dialect::VitePress => braces(text, "<!--@include:", "-->"),
        _ => braces(text, "{{#", "}}"),
    };
    match dialect {
        Dialect::MdBook => {}
        Dialect::Docusaurus | Dialect::Starlight => found.retain(|directive| directive.name == "include"),
        Dialect::VitePress => found.extend(lines_from(text, 0).filter_map(|(at, line)| {
            let arguments = line.trim().strip_prefix("<<<").filter(|path| !path.trim().is_empty())?.trim();
            let (start, end) = (at + line.find('<')?, at + line.trim_end().len());
            Some(Directive { start, end, name: ANGLES, arguments })
        })),
        Dialect::Notebooks | Dialect::MkDocs => found.retain(|directive| directive.name == CELL),
    }
    if dialect == Dialect::MkDocs {
        found.extend(braces(text, "{!", "!}").into_iter().chain(snippets(text)));
    }
    found.sort_by_key(|directive| directive.start);
    found
}

/// Returns what is between two marks in a line of `text`, unless it is escaped: `{{#include a}}`. None contains another.
fn braces<'t>(text: &'t str, open: &str, close: &str) -> Vec<Directive<'t>> {
    let mut found = Vec::new();
    for (line_start, line) in lines_from(text, 0) {
        let mut at = 0;
        while let Some(start) = line[at..].find(open).map(|length| at + length) {
            at = start + open.len();
            if line[..start].ends_with('\\') {
                continue;
            }
            let Some(length) = line[at..].find(close) else { break };
            let inner = line[at..at + length].trim();
            let split = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
            let (name, arguments) = match open {
                "{!" => (MDX, inner),
                "<!--@include:" => ("include", inner),
                _ => split,
            };
            at += length + close.len();
            let (start, end) = (line_start + start, line_start + at);
            found.push(Directive { start, end, name, arguments: arguments.trim() });
        }
    }
    found
}

/// Returns the directives of MkDocs in `text` that are alone in their lines: `--8<-- "a"`, several paths between two lines
/// `--8<--`, and `{* a *}`.
fn snippets(text: &str) -> Vec<Directive<'_>> {
    let mut found: Vec<Directive<'_>> = Vec::new();
    let mut block = None;
    for (line_start, line) in lines_from(text, 0) {
        let content = line.trim_start_matches([' ', '\t', '>']);
        let start = line_start + line.len() - content.len();
        let content = content.trim_end();
        let unescaped = content.trim_start_matches(';');
        let is_escaped = unescaped.len() < content.len();
        let variant = content.strip_prefix("{*").and_then(|rest| rest.strip_suffix("*}"));
        let (name, arguments) = match (marked(unescaped), variant) {
            (Some(_), _) if is_escaped => {
                found.push(Directive { start, end: start + 1, name: "", arguments: "" });
                continue;
            }
            (Some(""), _) => {
                block = if block.is_some() { None } else { Some(found.len()) };
                ("", "")
            }
            (Some(rest), _) => {
                let path = rest.trim().strip_prefix(['"', '\'']).and_then(|path| path.strip_suffix(['"', '\'']));
                let Some(path) = path else { continue };
                (SNIPPET, path)
            }
            (None, Some(arguments)) => (VARIANT, arguments.trim()),
            _ if block.is_none() || content.is_empty() => continue,
            _ if is_escaped => ("", ""),
            _ => (SNIPPET, content),
        };
        found.push(Directive { start, end: start + content.len(), name, arguments });
    }
    // A block without an end is text.
    found.truncate(block.unwrap_or(found.len()));
    found
}

/// Returns what follows the scissors at the beginning of a line: `--8<--`.
pub fn marked(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('-').strip_prefix("8<-")?;
    line.starts_with('-').then(|| rest.trim_start_matches('-'))
}

/// Reads ranges of lines such as `1:5,7`, whose ends have `sign` between them; `None` for anything else.
pub fn ranges(text: &str, sign: char, single_is_open: bool) -> Option<Vec<LineRange>> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let range = |range: &str| match range.split_once(sign) {
        Some((first, last)) => {
            let first = if first.trim().is_empty() { 1 } else { number(first)?.max(1) };
            Some((first, if last.trim().is_empty() { None } else { Some(number(last)?) }))
        }
        None => number(range).map(|line| (line.max(1), (!single_is_open).then_some(line.max(1)))),
    };
    text.split(',').map(range).collect()
}

/// Returns the value of an option of an include: `ln[…]`.
fn option<'t>(arguments: &'t str, open: &str) -> Option<&'t str> {
    arguments.split_once(open)?.1.split_once(']').map(|(value, _)| value)
}

impl Directive<'_> {
    /// Writes a directive of mdBook with another path, from the root of the book.
    pub fn with_path(&self, path: &str) -> String {
        let part = self.arguments.find([':', ' ', '\t']).map_or("", |end| &self.arguments[end..]);
        format!("{{{{#{} /{path}{part}}}}}", self.name)
    }

    /// Returns what the directive includes; `None` if it is another directive.
    pub fn include(&self) -> Option<Include> {
        // Options such as `editable` follow the path, and `>` makes one relative.
        let words = self.arguments.trim_start_matches(['>', '<', '+', '-']).trim_start();
        let first = words.split_whitespace().next().unwrap_or_default();
        let lines = |open, sign| option(words, open).map(|lines| (lines, ranges(lines, sign, false)));
        let (path, part) = match self.name {
            CELL => {
                let (path, cell) = self.arguments.rsplit_once(' ')?;
                return Some(Include::new(path, Part::Cell(cell.to_owned())));
            }
            ANGLES => return Some(angles(self.arguments)),
            "include" | "rustdoc_include" => {
                self.arguments.split_once(':').map_or((self.arguments, None), part_of_mdbook)
            }
            "playground" | "playpen" => first.split_once(':').map_or((first, None), part_of_mdbook),
            SNIPPET => match self.arguments.split_once(':').filter(|_| !self.arguments.contains("://")) {
                Some((path, part)) => (path, Some((part, ranges(part, ':', true)))),
                None => (self.arguments, None),
            },
            VARIANT => (first, lines("ln[", ':')),
            MDX => (first, lines("[ln:", '-')),
            _ => return None,
        };
        let part = match part {
            None | Some(("" | ":", _)) => Part::Whole,
            Some((_, Some(ranges))) => Part::Lines(ranges),
            Some((name, None)) => Part::Region(name.to_owned()),
        };
        let is_snippet = matches!(self.name, SNIPPET | VARIANT | MDX);
        let mut include = Include { is_snippet, ..Include::new(path.trim(), part) };
        if self.name == VARIANT {
            include.marked = option(words, "hl[").and_then(|lines| ranges(lines, ':', false)).unwrap_or_default();
            include.title = option(words, "title[").map(|title| title.trim_matches(['"', '\'']).to_owned());
        }
        Some(include)
    }
}

/// Reads an include of `VitePress`; `@` is the folder of the pages.
fn angles(arguments: &str) -> Include {
    let (rest, title) = arguments.split_once(" [").unwrap_or((arguments, ""));
    let rest = rest.split('{').next().unwrap_or_default();
    let (path, region) = rest.split_once('#').unwrap_or((rest, ""));
    let part = if region.trim().is_empty() { Part::Whole } else { Part::Region(region.trim().to_owned()) };
    let below = path.trim().strip_prefix("@/");
    Include {
        is_snippet: below.is_some(),
        title: Some(title.trim_end_matches(']').to_owned()).filter(|title| !title.is_empty()),
        ..Include::new(below.unwrap_or(path.trim()), part)
    }
}

/// Returns the lines that an include of `VitePress` marks, counted from the first that it shows: `2,4-5` of `{2,4-5 ts}`.
pub fn lines_marked(arguments: &str) -> Option<&str> {
    let marks = arguments.split_once('{')?.1.split([' ', '}']).next()?;
    ranges(marks, '-', false).map(|_| marks)
}

/// Reads what mdBook has between a path and the end: `anchor`, `5`, `5:`, `:7` or `5:7`.
fn part_of_mdbook<'t>((path, part): (&'t str, &'t str)) -> (&'t str, Option<WrittenPart<'t>>) {
    let mut parts = part.trim().split(':').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let ranges = match parts.next() {
        Some(last) => ranges(&format!("{first}:{last}"), ':', false),
        None => ranges(first, ':', false),
    };
    let name = if ranges.is_some() { part.trim() } else { first };
    (path, Some((name, ranges)))
}

/// Whether a line is in one of some ranges.
pub fn is_in(ranges: &[LineRange], line: usize) -> bool {
    ranges.iter().any(|&(first, last)| first <= line && last.is_none_or(|last| line <= last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dialect: Dialect, text: &str) -> Vec<String> {
        let line = |found: Directive<'_>| match found.include() {
            Some(Include { path, part, marked, .. }) => format!("{} {path} {part:?} {marked:?}", found.name),
            None => found.name.to_owned(),
        };
        directives(dialect, text).into_iter().map(line).collect()
    }

    #[test]
    fn includes_of_vitepress_are_read() {
        let text = "<<< @/a.ts#here{2,4-5 ts} [a.ts]\n  <<< ../b.js\nx <<< c\n<!--@include: ./d.md-->\n";
        let expected = ["angles a.ts Region(\"here\") []", "angles ../b.js Whole []", "include ./d.md Whole []"];
        assert_eq!(read(Dialect::VitePress, text), expected);
    }

    #[test]
    fn directives_of_mdbook_are_read() {
        let text =
            r"{{#include a.rs:here}} \{{#include b}} {{#playground c.rs editable}} {{#include d:2:}} {{#title x}}";
        let expected = [
            "include a.rs Region(\"here\") []",
            "playground c.rs Whole []",
            "include d Lines([(2, None)]) []",
            "title",
        ];
        assert_eq!(read(Dialect::MdBook, text), expected);
    }

    #[test]
    fn directives_of_mkdocs_are_read() {
        let text = "--8<-- \"a.md:4\"\n-8<- 'b.md:1:3,7:'\n;--8<-- \"no\"\n--8<--\nc.md:part\n; d.md\n--8<--\n\
            {* ../e.py ln[1:5,7] hl[3] title[\"E\"] *}\nIn {!> f.md [ln:2-3] !} and \\{! no !}\n--8<--\nopen\n";
        let expected = [
            "snippet a.md Lines([(4, None)]) []",
            "snippet b.md Lines([(1, Some(3)), (7, None)]) []",
            "",
            "",
            "snippet c.md Region(\"part\") []",
            "",
            "",
            "variant ../e.py Lines([(1, Some(5)), (7, Some(7))]) [(3, Some(3))]",
            "mdx f.md Lines([(2, Some(3))]) []",
        ];
        assert_eq!(read(Dialect::MkDocs, text), expected);
    }
}
