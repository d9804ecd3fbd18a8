//! What a new lab shows of its code, as Markdown: an excerpt for each region, else for each symbol, else the file's
//! beginning; each with its pin, and with notes that are bound to names which the code defines.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::prompts::prompt;
use crate::code::excerpt::{SelectedRows, View, ViewRow};
use crate::code::highlight::{self, Class};
use crate::code::selector::{FileRef, Selector};
use crate::code::{Listing, symbol::Symbol};

/// A file without regions and symbols is shown as far as this.
const FIRST_LINES: usize = 30;
/// A symbol of more lines is shown by its members, if it has any.
const LONG_SYMBOL: usize = 60;
/// So many symbols are shown; the author finds the others in the file.
const MOST_SYMBOLS: usize = 12;
/// So many symbols are tried.
const MOST_TRIED: usize = 200;
/// In so many rows of an excerpt names are looked for.
const MOST_ROWS: usize = 200;
/// So many notes are begun under an excerpt.
const MOST_NOTES: usize = 3;

/// Excerpts of a file with the beginnings of notes. `way` is how the page names the file, empty where it is the lab's
/// main file; `whole` names it where all of it is shown, if it has a name that a fence can hold.
pub(super) fn propose(listing: &Listing, way: &str, whole: Option<&str>) -> String {
    let mut pieces: Vec<Selector> = regions(listing).collect();
    let mut left_out = Vec::new();
    if pieces.is_empty() {
        let mut symbols = symbols(listing);
        left_out = symbols.split_off(symbols.len().min(MOST_SYMBOLS));
        pieces = symbols;
    }
    let lines = listing.line_count();
    let shown: Vec<String> = match whole {
        _ if !pieces.is_empty() => pieces.iter().filter_map(|piece| excerpt(listing, way, Some(piece))).collect(),
        Some(name) if lines <= FIRST_LINES => excerpt(listing, name, None).into_iter().collect(),
        _ => excerpt(listing, way, Some(&Selector::Lines(1, lines.min(FIRST_LINES)))).into_iter().collect(),
    };
    let mut text = shown.join("\n");
    if let (false, Some(ask)) = (left_out.is_empty(), prompt("more symbols")) {
        let _ = write!(text, "\n{ask}\n");
    }
    text
}

/// Whether the file has regions that a page should show.
pub(super) fn has_regions(listing: &Listing) -> bool {
    regions(listing).next().is_some()
}

fn regions(listing: &Listing) -> impl Iterator<Item = Selector> {
    listing.regions().iter().map(|region| Selector::Region(region.name.clone()))
}

/// The symbols that lie in nothing, or their members where they are long, as far as a fence can name them.
fn symbols(listing: &Listing) -> Vec<Selector> {
    let parts = outline(listing.symbols()).flat_map(|(symbol, members)| {
        let is_long = symbol.lines.len() > LONG_SYMBOL && !members.is_empty();
        let whole = (!is_long).then_some(symbol);
        let members = if is_long { members } else { &[] };
        whole.into_iter().chain(outline(members).map(|(member, _)| member))
    });
    let mut named: Vec<Selector> = parts.take(MOST_TRIED).filter_map(|symbol| by_name(listing, symbol)).collect();
    named.dedup();
    named
}

/// The symbols that lie in no other, each with those that lie in it. They are in the order in which they begin.
fn outline(symbols: &[Symbol]) -> impl Iterator<Item = (&Symbol, &[Symbol])> {
    let mut rest = symbols;
    std::iter::from_fn(move || {
        let (symbol, after) = rest.split_first()?;
        let inside = after.iter().take_while(|member| member.lines.end <= symbol.lines.end).count();
        let (members, after) = after.split_at(inside);
        rest = after;
        Some((symbol, members))
    })
}

/// The selector that names a symbol and no other, if it can be written in a fence.
fn by_name(listing: &Listing, symbol: &Symbol) -> Option<Selector> {
    let outermost = format!(".{}", symbol.path);
    [&symbol.name, &symbol.path, &outermost].into_iter().map(|name| Selector::Symbol(name.clone())).find(|selector| {
        let text = format!("#{selector}");
        let (read, _) = FileRef::parse(&text, 0);
        let reads_back = matches!(&read.selectors[..], [(only, _)] if only == selector);
        reads_back
            && !text.contains(|c: char| c.is_whitespace() || matches!(c, '`' | '~' | '"' | '\'' | '\\' | '&'))
            && listing.select(selector).is_ok_and(|lines| lines == symbol.lines)
    })
}

/// A fence and its notes; nothing where the lines are all blank.
fn excerpt(listing: &Listing, way: &str, piece: Option<&Selector>) -> Option<String> {
    let lines = piece.map_or(Some(0..listing.line_count()), |selector| listing.select(selector).ok())?;
    let shown = SelectedRows::new(listing, vec![lines]);
    let view = shown.view(listing);
    let code = view.lines();
    if code.iter().all(|line| line.is_empty()) {
        return None;
    }
    let hash = piece.map_or_else(String::new, |selector| format!("#{selector}"));
    // Markdown takes a lone carriage return for a line end: such code cannot be held in a fence.
    let pin = if code.iter().any(|line| line.contains('\r')) { String::new() } else { code.join("\n") + "\n" };
    let fence = "`".repeat(longest_run(&pin).max(2) + 1);
    let mut text = format!("{fence}{} file={way}{hash}\n{pin}{fence}\n\n", language(listing));
    let (first, last) = shown.bounds()?;
    let notes = notes(listing, &view);
    for (number, (token, asks)) in notes.iter().enumerate() {
        let _ = writeln!(text, "{}. `{token}` — {}", number + 1, prompt(asks).unwrap_or_default());
    }
    if notes.is_empty() {
        let here = match piece {
            Some(named @ (Selector::Region(_) | Selector::Symbol(_))) => named.clone(),
            _ => Selector::Lines(first, last),
        };
        let _ = writeln!(text, "1. [These lines](#{here}) — {}", prompt("lines").unwrap_or_default());
    }
    Some(text)
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The word for a fence's language that code hosts know.
fn language(listing: &Listing) -> String {
    let path = listing.source().path();
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        let by_path = highlight::by_path(path, listing.line(0));
        let words = ["bash", "python", "makefile", "dockerfile"];
        let known = words.into_iter().find(|word| by_path.is_some() && highlight::by_token(word) == by_path);
        return known.unwrap_or("text").to_owned();
    };
    match extension.to_lowercase().as_str() {
        "py" | "pyi" => "python".into(),
        "cu" | "cuh" => "cuda".into(),
        "rs" => "rust".into(),
        "yml" => "yaml".into(),
        "md" => "markdown".into(),
        word if word.chars().all(char::is_alphanumeric) => word.to_owned(),
        _ => "text".into(),
    }
}

/// The names that notes are bound to, each with what is asked of it: those that are defined here, from the first to the
/// last, else the first that is used. Names of a letter or two are taken only where there are no others.
fn notes(listing: &Listing, view: &View<'_>) -> Vec<(String, &'static str)> {
    let symbols: BTreeSet<(usize, &str)> =
        listing.symbols().iter().map(|symbol| (symbol.line, symbol.name.as_str())).collect();
    let rows = (0..view.rows.len().min(MOST_ROWS)).filter_map(|row| candidate(&symbols, view, row));
    let (used, defined): (Vec<Candidate>, _) =
        rows.filter(|candidate| binds(view, candidate)).partition(|candidate| candidate.what == What::Used);
    let (short, long): (Vec<Candidate>, _) = defined.into_iter().partition(Candidate::is_short);
    let (names, most) = match (long.is_empty(), short.is_empty()) {
        (false, _) => (long, MOST_NOTES),
        (true, false) => (short, MOST_NOTES),
        (true, true) => (used, 1),
    };
    let count = names.len().min(most);
    let spread = (0..count).map(|nth| nth * (names.len() - 1) / (count - 1).max(1));
    spread.map(|index| (names[index].token.clone(), names[index].what.asks())).collect()
}

/// What a name is on its line; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A function, class or the like, where it is defined.
    Symbol,
    /// A key of data.
    Key,
    /// A variable that is given a value.
    Value,
    /// Anything else.
    Used,
}

impl What {
    fn asks(self) -> &'static str {
        match self {
            Self::Symbol => "definition",
            Self::Key => "key",
            Self::Value => "value",
            Self::Used => "used",
        }
    }
}

/// A name that a note could begin with.
#[derive(Debug)]
struct Candidate {
    row: usize,
    token: String,
    what: What,
}

impl Candidate {
    fn is_short(&self) -> bool {
        self.token.chars().count() < 3
    }
}

/// The name of a row that says most of it.
fn candidate(symbols: &BTreeSet<(usize, &str)>, view: &View<'_>, row: usize) -> Option<Candidate> {
    let ViewRow::Line(line) = &view.rows[row] else { return None };
    if line.is_comment() {
        return None;
    }
    let mut best: Option<Candidate> = None;
    let mut at = 0;
    for (run, class) in line.runs() {
        let start = at;
        at += run.len();
        if !matches!(class, Class::Text | Class::Function | Class::Type | Class::Key) {
            continue;
        }
        for (offset, word) in words(run, class) {
            let end = start + offset + word.len();
            let what = match class {
                _ if symbols.contains(&(line.line, word)) => What::Symbol,
                Class::Key => What::Key,
                _ if is_set(&line.text[..start + offset], &line.text[end..]) => What::Value,
                _ => What::Used,
            };
            let length = word.chars().count();
            let goes_before = |best: &Candidate| {
                what < best.what || what == What::Used && what == best.what && length > best.token.chars().count()
            };
            if (what != What::Used || length > 2) && best.as_ref().is_none_or(goes_before) {
                best = Some(Candidate { row, token: word.to_owned(), what });
            }
        }
    }
    best
}

/// The identifiers of a run with their offsets; keys of data may hold `-` and `.`.
fn words(run: &str, class: Class) -> impl Iterator<Item = (usize, &str)> {
    let ends = move |c: char| !(c.is_alphanumeric() || c == '_' || class == Class::Key && matches!(c, '-' | '.'));
    let mut at = 0;
    let pieces = run.split_inclusive(ends).map(move |piece| {
        let start = at;
        at += piece.len();
        let word = piece.trim_start_matches(['-', '.']);
        (start + piece.len() - word.len(), word.trim_end_matches(|c| ends(c) || matches!(c, '-' | '.')))
    });
    pieces.filter(|(_, word)| word.contains(char::is_alphabetic) && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a name is given a value here: not within brackets, and an assignment follows.
fn is_set(before: &str, after: &str) -> bool {
    if before.contains(['(', '[', '{']) {
        return false;
    }
    let after = after.trim_start();
    let after = match after.strip_prefix(':') {
        // A type stands between the name and the value.
        Some(rest) if !rest.starts_with(['=', ':']) => rest.find('=').map_or("", |at| &rest[at..]),
        Some(rest) => rest,
        None => after.strip_prefix(['+', '-', '*', '/', '%', '|', '&', '^']).unwrap_or(after),
    };
    after.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>', '~']))
}

/// Whether a note that begins with the name is bound to its row.
fn binds(view: &View<'_>, candidate: &Candidate) -> bool {
    view.find(&candidate.token, 1).is_some_and(|found| found.row == candidate.row)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::Source;

    fn shown(path: &str, text: &str) -> Vec<String> {
        let (listing, _) = Listing::new(&Arc::new(Source::new(path, text)));
        let proposed = propose(&listing, "", None);
        let heads = proposed.lines().filter(|line| line.starts_with("```") && line.contains("file="));
        heads.map(|line| line.split_once("file=").map_or("", |(_, file)| file).to_owned()).collect()
    }

    #[test]
    fn what_is_given_a_value() {
        for (before, after) in
            [("", " = 1"), ("self.", "=1"), ("int ", " += 2;"), ("", ": int = 3"), ("let ", ": u8 = 4;"), ("", " := 5")]
        {
            assert!(is_set(before, after), "{before}x{after}");
        }
        for (before, after) in
            [("", " == 1"), ("f(", "=1)"), ("", " => 2"), ("", ": int"), ("", "::y = 3"), ("", "(a) = 4"), ("", "")]
        {
            assert!(!is_set(before, after), "{before}x{after}");
        }
    }

    #[test]
    fn names_of_a_run_have_their_offsets() {
        assert_eq!(words(" a.b_1 + 2x é", Class::Text).collect::<Vec<_>>(), [(1, "a"), (3, "b_1"), (12, "é")]);
        assert_eq!(words("\"batch-size\":", Class::Key).collect::<Vec<_>>(), [(1, "batch-size")]);
        assert_eq!(words("- --name-", Class::Key).collect::<Vec<_>>(), [(4, "name")]);
    }

    #[test]
    fn a_long_class_is_shown_by_its_members() {
        let body = "        x = 1\n".repeat(LONG_SYMBOL);
        let text = format!(
            "class A:\n    def one(self):\n{body}\n    def two(self):\n        y = 2\n\n\ndef two():\n    z = 3\n"
        );
        assert_eq!(shown("a.py", &text), ["#fn:one", "#fn:A.two", "#fn:.two"]);
    }

    #[test]
    fn what_no_name_can_choose_is_left_out() {
        assert_eq!(
            shown("a.cpp", "int f(int);\nint g() { return 1; }\nint h(int a) {}\nint h(long a) {}\n"),
            ["#fn:f", "#fn:g"]
        );
        assert_eq!(shown("a.txt", &"line\n".repeat(90)), ["#L1-L30"]);
    }
}
