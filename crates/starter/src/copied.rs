//! Compares a copy of code, such as a code fence of a page, with a file. A copy may have another indent, and leave out blank
//! lines, comments at the ends of lines, and what lines such as `# ...` stand for; nothing else.

use super::excerpt::{ViewLine, dedent, is_omission, own_indent};
use super::lcs;
use super::listing::{Lines, Listing};
use super::locate::Similarity;
use super::number::code_end;

/// The maximum number of comparisons of lines with one file, per line of the file and of the copy.
const MAX_COMPARISONS: usize = 16;
/// The maximum number of places that are found in one file.
const MAX_PLACES: usize = 4;
/// The maximum number of lines of code that is compared with similar code.
const MAX_COMPARED: usize = 1_000;
/// The lines, letters and digits of the shortest copy: shorter code is the same by chance.
const FEWEST_LINES: usize = 2;
const FEWEST_LETTERS: usize = 24;
/// The share of equal lines, in percent, from which on code resembles a copy.
pub const RESEMBLING: usize = 60;

#[derive(Debug)]
pub struct CopiedCode<'t> {
    /// Its lines, without blank ones.
    lines: Vec<&'t str>,
}

/// How much of the code a copy has, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// The same lines, except for the common indent.
    Same,
    /// The same lines with another indentation.
    Indented,
    /// Comments at the ends of lines are missing, or have other space before them.
    Uncommented,
}

/// Where a copy is from.
#[derive(Debug, Clone)]
pub struct Origin<'i> {
    pub listing: &'i Listing,
    /// The lines of the file, from 0.
    pub lines: Lines,
    pub fidelity: Fidelity,
}

/// Code that resembles a copy.
#[derive(Debug, Clone)]
pub struct Resembling<'i> {
    pub listing: &'i Listing,
    /// The lines of the file, from 0.
    pub lines: Lines,
    /// The share of equal lines in percent, rounded down.
    pub percent: usize,
}

/// What is found of a copy.
#[derive(Debug)]
pub enum Copied<'i> {
    /// It is in one place.
    From(Origin<'i>),
    /// It is in several places, and nothing says which is meant; or it is a few lines in one place, and other files have
    /// them with others in between.
    Ambiguous(Vec<Origin<'i>>),
    /// Similar code is in one place.
    Resembling(Resembling<'i>),
    Nowhere,
}

/// A line of a file that is neither blank nor a marker.
struct CodeLine<'l> {
    line: usize,
    text: &'l str,
    /// Without indentation and a comment at its end.
    bare: &'l str,
    /// Whether it has anything but comments and strings.
    is_code: bool,
}

/// A run of lines of a copy without an omission.
type Part<'c, 't> = &'c [&'t str];

impl<'t> CopiedCode<'t> {
    /// Reads a copy; `None` if it has too little code.
    pub fn new(text: &'t str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let letters = lines.iter().flat_map(|line| line.chars()).filter(|c| c.is_alphanumeric()).count();
        let copy = Self { lines };
        (letters >= FEWEST_LETTERS && copy.lines().count() >= FEWEST_LINES).then_some(copy)
    }

    /// Returns the lines of code, without blank lines and omissions.
    pub fn lines(&self) -> impl Iterator<Item = &'t str> {
        self.lines.iter().copied().filter(|line| !is_omission("", line))
    }

    /// Returns the number of lines that are not blank.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the places in a file that the copy may be from; none if there are too many.
    pub(super) fn origins<'i>(&self, listing: &'i Listing) -> Vec<Origin<'i>> {
        let path = listing.language_path();
        let code = code_lines(listing);
        let is_left_out =
            |line: &&str| is_omission(path, line) && code.iter().all(|code| code.text.trim() != line.trim());
        let parts: Vec<Part<'_, 't>> = self.lines.split(is_left_out).filter(|part| !part.is_empty()).collect();
        let ends = [self.lines.first(), self.lines.last()].map(|line| line.is_some_and(is_left_out));
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let mut left = MAX_COMPARISONS * (code.len() + self.lines.len());
        let mut found = Vec::new();
        for start in 0..code.len() {
            if left == 0 || found.len() > MAX_PLACES {
                return Vec::new();
            }
            if !matches_at(first, &code[start..], &mut left) {
                continue;
            }
            let mut rows: Vec<usize> = (start..start + first.len()).collect();
            // Commands in a comment are written for people, as on a page.
            if rest.iter().all(|part| extend(part, &code, &mut rows, &mut left))
                && rows.iter().any(|&row| code[row].is_code)
                && let Some(fidelity) = fidelity(&parts.concat(), &code, &rows)
            {
                let lines = code[start].line..code[rows[rows.len() - 1]].line + 1;
                found.extend(widened(listing, lines, ends).map(|lines| Origin { listing, lines, fidelity }));
            }
        }
        found
    }

    /// Returns the code of a file that most resembles the copy.
    pub(super) fn resembling<'i>(&self, listing: &'i Listing) -> Option<Resembling<'i>> {
        let copy: Vec<&str> = self.lines().collect();
        let located = listing.locate(&copy).filter(|located| located.similarity == Similarity::Most)?;
        let inside = located.lines.clone().filter(|&line| !listing.is_marker(line));
        let code: Vec<&str> = inside.map(|line| listing.line(line).trim()).filter(|line| !line.is_empty()).collect();
        let total = copy.len() + code.len();
        let copy: Vec<&str> = copy.iter().map(|line| line.trim()).collect();
        let equal = if total > MAX_COMPARED { 0 } else { lcs::pairs(&copy, &code, total)?.len() };
        let percent = 200 * equal / total;
        (percent >= RESEMBLING).then_some(Resembling { listing, lines: located.lines, percent })
    }
}

impl Origin<'_> {
    /// Returns what selects exactly these lines, with its `#`: a symbol or a region, else nothing for a whole file, else lines.
    pub fn fragment(&self) -> String {
        let named = self.listing.covering_selector(&self.lines).filter(|(_, is_all)| *is_all);
        let is_code = |line: &usize| !self.listing.is_marker(*line) && !self.listing.line(*line).trim().is_empty();
        match named {
            Some((selector, _)) => format!("#{selector}"),
            None if (0..self.listing.line_count()).filter(is_code).all(|line| self.lines.contains(&line)) => {
                String::new()
            }
            None => format!("#{}", self.listing.selector_of_lines(&self.lines)),
        }
    }
}

fn code_lines(listing: &Listing) -> Vec<CodeLine<'_>> {
    let lines = (0..listing.line_count()).filter(|&line| !listing.is_marker(line));
    let code = lines.map(|line| {
        let text = listing.line(line).trim_end();
        let bare = text.get(..code_end(listing, line)).unwrap_or(text).trim();
        let is_code =
            ViewLine::of(listing, line).runs().any(|(text, class)| class.is_code() && !text.trim().is_empty());
        CodeLine { line, text, bare: if bare.is_empty() { text.trim() } else { bare }, is_code }
    });
    code.filter(|code| !code.text.is_empty()).collect()
}

/// Returns whether code begins with a part of a copy.
fn matches_at(part: Part<'_, '_>, code: &[CodeLine<'_>], left: &mut usize) -> bool {
    let mut pairs = part.iter().map(|line| line.trim()).zip(code);
    part.len() <= code.len()
        && pairs.all(|(copied, code)| {
            *left = left.saturating_sub(1);
            copied == code.text.trim() || copied == code.bare || is_spaced(copied, code)
        })
}

/// Returns whether a line differs from code only in the space before the comment at its end.
fn is_spaced(copied: &str, code: &CodeLine<'_>) -> bool {
    let comment = |line: &str| line.strip_prefix(code.bare).map(|rest| rest.trim_start().to_owned());
    comment(copied).is_some_and(|comment_of| !comment_of.is_empty() && Some(comment_of) == comment(code.text.trim()))
}

/// Adds the rows of the next part of a copy: the nearest ones with the same code, at least one line below. Lines that are
/// indented less than the part do not belong to what it is left out of.
fn extend(part: Part<'_, '_>, code: &[CodeLine<'_>], rows: &mut Vec<usize>, left: &mut usize) -> bool {
    let Some(&above) = rows.last() else { return false };
    let is_far = |row: &usize| code[*row].line > code[above].line + 1;
    let mut below = (above + 1..code.len()).filter(is_far);
    let Some(row) = below.find(|&row| *left == 0 || matches_at(part, &code[row..], left)).filter(|_| *left > 0) else {
        return false;
    };
    let indent = own_indent(code[row].text);
    let left_out = &code[above + 1..row];
    rows.extend(row..row + part.len());
    left_out.iter().all(|line| own_indent(line.text) >= indent || line.text.starts_with('#'))
}

/// Returns how the rows of a file differ from a copy with the same code; `None` if blocks are nested in another way.
fn fidelity(copy: &[&str], code: &[CodeLine<'_>], rows: &[usize]) -> Option<Fidelity> {
    let found: Vec<&str> = rows.iter().map(|&row| code[row].text).collect();
    let is_whole = found.iter().zip(copy).all(|(found, copied)| found.trim() == copied.trim());
    let indents = |lines: &[&str]| -> Vec<usize> { dedent(lines).iter().map(|line| own_indent(line)).collect() };
    let (file, copied) = (indents(&found), indents(copy));
    let steps = |indents: &[usize]| -> Vec<_> { indents.windows(2).map(|pair| pair[0].cmp(&pair[1])).collect() };
    match (is_whole, file == copied) {
        (true, true) => Some(Fidelity::Same),
        _ if steps(&file) != steps(&copied) => None,
        (true, false) => Some(Fidelity::Indented),
        (false, _) => Some(Fidelity::Uncommented),
    }
}

/// Returns the lines that an excerpt has to select if a copy of `lines` begins or ends with an omission: up to the ends of
/// the smallest region or symbol that has more there, or of the file.
fn widened(listing: &Listing, lines: Lines, [above, below]: [bool; 2]) -> Option<Lines> {
    if !above && !below {
        return Some(lines);
    }
    let holder = listing.covering_selector(&lines).and_then(|(holder, _)| listing.select(&holder).ok());
    let holder = holder.unwrap_or(0..listing.line_count());
    let wide = if above { holder.start } else { lines.start }..if below { holder.end } else { lines.end };
    let has_more = (!above || wide.start < lines.start) && (!below || lines.end < wide.end);
    has_more.then_some(wide)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::moved::CodeIndex;
    use super::*;
    use infralens_source::source::Source;

    const FILE: &str = "\
# Run this with one argument:
#     python3 scale.py 12
import math


class Scale:
    def __init__(self, factor):
        self.factor = factor  # of all axes

        self.offset = 0

    def apply(self, value):
        value = value * self.factor
        return value + self.offset
";

    /// What is found of a copy in `a.py`, and in `b.py` if it has a text.
    fn found(copy: &str, other: &str) -> String {
        let files = || vec![Arc::new(Source::new("a.py", FILE)), Arc::new(Source::new("b.py", other))];
        let index = CodeIndex::default();
        let Some(copy) = CopiedCode::new(copy) else { return "too short".to_owned() };
        let name = |origin: &Origin<'_>| {
            format!("{}{} {:?}", origin.listing.source().path(), origin.fragment(), origin.fidelity)
        };
        match index.origin(files, &copy) {
            Copied::From(origin) => name(&origin),
            Copied::Ambiguous(origins) if origins.len() == 1 => format!("Ambiguous {}", name(&origins[0])),
            Copied::Ambiguous(origins) => origins.iter().map(name).collect::<Vec<_>>().join(" or "),
            Copied::Resembling(near) => {
                format!("{} % of {} {:?}", near.percent, near.listing.source().path(), near.lines)
            }
            Copied::Nowhere => "nowhere".to_owned(),
        }
    }

    #[test]
    fn copies_are_found_by_the_best_name() {
        let init = "def __init__(self, factor):\n    self.factor = factor  # of all axes\n    self.offset = 0\n";
        let apply = "def apply(self, value):\n    value = value * self.factor\n    return value + self.offset\n";
        for (copy, expected) in [
            (init, "a.py#fn:__init__ Same"),
            (&init.replace("  # of all axes", ""), "a.py#fn:__init__ Uncommented"),
            (&init.replace("  #", " #"), "a.py#fn:__init__ Uncommented"),
            (&apply.replace("    ", "\t"), "a.py#fn:apply Indented"),
            (&apply.lines().skip(1).collect::<Vec<_>>().join("\n"), "a.py#L13-L14 Same"),
            (FILE, "a.py Same"),
            ("class Scale:\n    # ...\n    def apply(self, value):\n        # …\n", "a.py#fn:Scale Same"),
            ("def apply(self, value):\n    # ...\n    return value + self.offset\n", "a.py#fn:apply Same"),
            ("self.factor = factor  # of all axes\n# ...\nself.offset = 0\n", "a.py#L8-L10 Same"),
        ] {
            assert_eq!(found(copy, ""), expected, "{copy}");
        }
        assert_eq!(found(apply, apply), "a.py#fn:apply Same or b.py#fn:apply Same");
        let two = "value = value * self.factor\nreturn value + self.offset\n";
        assert_eq!(found(two, ""), "a.py#L13-L14 Same");
        assert!(
            found(two, &two.replace('\n', "\n\nprint()\n")).starts_with("Ambiguous"),
            "another file has both lines"
        );
        let bare = init.replace("  # of all axes", "");
        assert_eq!(found(&bare, &bare), "b.py#fn:__init__ Same");
    }

    #[test]
    fn what_is_not_a_copy() {
        for (copy, expected) in [
            ("import math\n", "too short"),
            ("def a_function_with_a_long_name(value):\n", "too short"),
            ("# Run this with one argument:\n#     python3 scale.py 12\n", "nowhere"),
            ("def apply(self, value):\n    value = value * self.factor\nreturn value + self.offset\n", "nowhere"),
            ("def __init__(self, factor):\n    # ...\n    return value + self.offset\n", "nowhere"),
            ("class Scale:\n    # ...\n        return value + self.offset\n", "nowhere"),
            (
                "def apply(self, value):\n    return value + self.offset\n    value = value * self.factor\n",
                "66 % of a.py 11..14",
            ),
        ] {
            assert_eq!(found(copy, ""), expected, "{copy}");
        }
        let near = "def apply(self, value):\n    value = value * self.factor\n    value = abs(value)\n    \
                    return value + self.offset\n";
        assert_eq!(found(near, ""), "85 % of a.py 11..14");
        assert_eq!(found(&near.replace("apply", "use"), ""), "nowhere");
    }

    #[test]
    fn equal_lines_are_linear() {
        let text = "a_line_that_is_everywhere = 1\n".repeat(5_000);
        let files = || vec![Arc::new(Source::new("a.py", text.as_str()))];
        let copy = CopiedCode::new(&text[..text.len() / 2]).expect("code");
        assert!(matches!(CodeIndex::default().origin(files, &copy), Copied::Nowhere));
    }
}
